//! How times, openings, draw rules and pairs of values are written in state files: times as numbers,
//! pairs with White's value first.

use std::fmt::Display;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Why a value is refused, with the name of its field in the file.
fn refused<E: de::Error>(field: &str, value: impl Display, expected: &str) -> E {
    E::custom(format_args!("{field}: {value}: expected {expected}"))
}

/// Seconds as a number. From whole nanoseconds: the result has no surplus decimals.
pub(in crate::runner) fn seconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e9
}

/// For a field of seconds.
pub(in crate::runner) fn write_seconds<S: Serializer>(
    time: &Duration,
    writer: S,
) -> Result<S::Ok, S::Error> {
    seconds(*time).serialize(writer)
}

fn read_seconds<'d, D: Deserializer<'d>>(field: &str, reader: D) -> Result<Duration, D::Error> {
    let seconds = f64::deserialize(reader)?;
    Duration::try_from_secs_f64(seconds).map_err(|_| refused(field, seconds, "seconds"))
}

/// For the field `start_seconds`.
pub(in crate::runner) fn start_seconds<'d, D: Deserializer<'d>>(
    reader: D,
) -> Result<Duration, D::Error> {
    read_seconds("start_seconds", reader)
}

/// For the field `stall_seconds`.
pub(in crate::runner) fn stall_seconds<'d, D: Deserializer<'d>>(
    reader: D,
) -> Result<Duration, D::Error> {
    read_seconds("stall_seconds", reader)
}

/// Seconds that may not be known.
pub(in crate::runner) mod ended_s {
    use super::*;

    pub fn serialize<S: Serializer>(time: &Option<Duration>, writer: S) -> Result<S::Ok, S::Error> {
        time.map(seconds).serialize(writer)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(reader: D) -> Result<Option<Duration>, D::Error> {
        let Some(seconds) = Option::<f64>::deserialize(reader)? else { return Ok(None) };
        let time = Duration::try_from_secs_f64(seconds);
        time.map(Some).map_err(|_| refused("ended_s", seconds, "seconds"))
    }
}

/// Whole milliseconds.
pub(in crate::runner) mod millis {
    use super::*;

    pub fn serialize<S: Serializer>(time: &Duration, writer: S) -> Result<S::Ok, S::Error> {
        u64::try_from(time.as_millis()).unwrap_or(u64::MAX).serialize(writer)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(reader: D) -> Result<Duration, D::Error> {
        u64::deserialize(reader).map(Duration::from_millis)
    }
}

/// Microseconds as a number.
pub(in crate::runner) fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn from_micros<E: de::Error>(field: &str, micros: f64) -> Result<Duration, E> {
    // Programs write whole nanoseconds.
    Duration::try_from_secs_f64((micros * 1e3).round() / 1e9)
        .map_err(|_| refused(field, micros, "microseconds"))
}

pub(in crate::runner) mod overhead_us {
    use super::*;

    pub fn serialize<S: Serializer>(time: &Duration, writer: S) -> Result<S::Ok, S::Error> {
        micros(*time).serialize(writer)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(reader: D) -> Result<Duration, D::Error> {
        from_micros("overhead_us", f64::deserialize(reader)?)
    }
}

/// For White and Black; in memory under the index of their colour.
pub(in crate::runner) mod latency_us {
    use super::*;

    type Latency = [Option<Duration>; 2];

    pub fn serialize<S: Serializer>(latency: &Latency, writer: S) -> Result<S::Ok, S::Error> {
        white_first::serialize(&latency.map(|time| time.map(micros)), writer)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(reader: D) -> Result<Latency, D::Error> {
        let mut latency = [None; 2];
        for (time, micros) in latency.iter_mut().zip(white_first::deserialize(reader)?) {
            let time_of = |micros| from_micros("latency_us", micros);
            *time = Option::<f64>::map(micros, time_of).transpose()?;
        }
        Ok(latency)
    }
}

/// White's first; in memory under the index of the colour, Black's first.
pub(in crate::runner) mod white_first {
    use super::*;

    pub fn serialize<T: Serialize, S: Serializer>(
        [black, white]: &[T; 2],
        writer: S,
    ) -> Result<S::Ok, S::Error> {
        [white, black].serialize(writer)
    }

    pub fn deserialize<'d, T: Deserialize<'d>, D: Deserializer<'d>>(
        reader: D,
    ) -> Result<[T; 2], D::Error> {
        let [white, black] = <[T; 2]>::deserialize(reader)?;
        Ok([black, white])
    }
}

/// The name of the rules.
pub(in crate::runner) mod draw_rules {
    use movegen::DrawRules;

    use super::*;

    pub fn serialize<S: Serializer>(rules: &DrawRules, writer: S) -> Result<S::Ok, S::Error> {
        rules.name().serialize(writer)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(reader: D) -> Result<DrawRules, D::Error> {
        let text = String::deserialize(reader)?;
        let names = DrawRules::ALL.map(DrawRules::name).join(", ");
        text.parse().map_err(|_| refused("draw rules", &text, &format!("one of {names}")))
    }
}

/// A list of FEN.
pub(in crate::runner) mod openings {
    use super::*;
    use meerslag_study::openings::Opening;

    pub fn serialize<S: Serializer>(openings: &[Opening], writer: S) -> Result<S::Ok, S::Error> {
        writer.collect_seq(openings.iter().map(Opening::fen))
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(reader: D) -> Result<Vec<Opening>, D::Error> {
        let fens = Vec::<String>::deserialize(reader)?;
        let opening = |(index, fen): (usize, &String)| {
            fen.parse().map_err(|error| {
                let field = format!("opening {}", index + 1);
                refused(&field, fen, &format!("a position ({error})"))
            })
        };
        fens.iter().enumerate().map(opening).collect()
    }
}
