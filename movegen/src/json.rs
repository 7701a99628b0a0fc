//! Output for programs: JSON objects, from `--json`, from the server and in WebAssembly. Each has
//! the keys `type` and `version`, and those of its record; `docs/json.md` is the glossary.
//! With the feature `json`.

use std::borrow::Cow;
use std::io;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::notation::hub;
use crate::notation::pdn::{GameResult, Grade};
use crate::{Bound, Color, Move, Position, Score, Variant, Wld};

/// The version of the format: it grows when a key goes or changes its meaning, not when one comes.
pub const VERSION: u32 = 1;

/// A kind of object.
pub trait Record: Serialize + JsonSchema {
    /// The key `type`.
    const TYPE: &'static str;
}

/// Writes the keys of every object before those of the record. On the text, so that a record is compiled
/// for one kind of output only.
struct Tagged<'w> {
    out: &'w mut dyn io::Write,
    kind: &'static str,
    part: RecordPart,
}

/// How far the text of the record has come.
enum RecordPart {
    Start,
    AfterBrace,
    Keys,
}

impl io::Write for Tagged<'_> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        match (&self.part, text.first()) {
            (_, None) => Ok(0),
            (RecordPart::Start, Some(b'{')) => {
                let kind = self.kind;
                write!(self.out, "{{\"type\":\"{kind}\",\"version\":{VERSION}")?;
                self.part = RecordPart::AfterBrace;
                Ok(1)
            }
            (RecordPart::Start, Some(_)) => Err(io::Error::other("a record that is no object")),
            (RecordPart::AfterBrace, Some(&next)) => {
                if next != b'}' {
                    self.out.write_all(b",")?;
                }
                self.part = RecordPart::Keys;
                self.out.write(text)
            }
            (RecordPart::Keys, Some(_)) => self.out.write(text),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes one object, without an end of line.
///
/// # Errors
/// If the output fails.
pub fn write<R: Record>(out: &mut dyn io::Write, record: &R) -> io::Result<()> {
    let mut tagged = Tagged { out, kind: R::TYPE, part: RecordPart::Start };
    Ok(serde_json::to_writer(&mut tagged, record)?)
}

/// One object as text.
///
/// # Panics
/// Never: records have text keys, and numbers that JSON has.
#[must_use]
pub fn to_json<R: Record>(record: &R) -> String {
    let mut text = Vec::new();
    write(&mut text, record).expect("records can be written as JSON");
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// The value with this many digits after the point: no more than it is worth.
#[must_use]
pub fn rounded(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

/// Serializes a number, if there is one, with this many digits after the point.
///
/// # Errors
/// If the output fails.
pub fn digits<const DIGITS: i32, S: Serializer>(
    value: &(impl Into<Option<f64>> + Copy),
    out: S,
) -> Result<S::Ok, S::Error> {
    let value: Option<f64> = (*value).into();
    value.map(|value| rounded(value, DIGITS)).serialize(out)
}

/// Serializes a score in men.
///
/// # Errors
/// If the output fails.
pub fn men<S: Serializer>(
    score: &(impl Into<Option<Score>> + Copy),
    out: S,
) -> Result<S::Ok, S::Error> {
    let score: Option<Score> = (*score).into();
    score.map(Score::men).serialize(out)
}

/// A type that is a text in JSON.
macro_rules! text {
    ($type:ty, $text:expr) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.serialize_str(&$text(*self))
            }
        }

        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                String::schema_name()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                String::json_schema(generator)
            }
        }
    };
}

// A position is its FEN, a move is in Hub notation, a side is a letter.
text!(Position, |it: Position| it.to_fen());
text!(Move, |it: Move| it.to_string());
text!(Color, |it: Color| it.letter().to_string());
text!(Wld, Wld::name);
text!(Variant, Variant::name);
text!(Grade, Grade::name);
text!(GameResult, GameResult::as_str);
text!(Bound, |it: Bound| match it {
    Bound::Exact => "exact",
    Bound::Lower => "lower",
    Bound::Upper => "upper",
});

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(given: D) -> Result<Position, D::Error> {
        Position::from_fen(&String::deserialize(given)?).map_err(de::Error::custom)
    }
}

/// Whether the move is legal shows when it is played.
impl<'de> Deserialize<'de> for Move {
    fn deserialize<D: Deserializer<'de>>(given: D) -> Result<Move, D::Error> {
        hub::read_move(&String::deserialize(given)?).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Variant {
    fn deserialize<D: Deserializer<'de>>(given: D) -> Result<Variant, D::Error> {
        String::deserialize(given)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, JsonSchema)]
    struct Two {
        one: u8,
        more: [u8; 1],
    }

    impl Record for Two {
        const TYPE: &'static str = "two";
    }

    #[derive(Serialize, JsonSchema)]
    struct Nothing {}

    impl Record for Nothing {
        const TYPE: &'static str = "nothing";
    }

    #[test]
    fn the_keys_of_every_object_come_first() {
        let two = to_json(&Two { one: 1, more: [2] });
        assert_eq!(two, r#"{"type":"two","version":1,"one":1,"more":[2]}"#);
        assert_eq!(to_json(&Nothing {}), r#"{"type":"nothing","version":1}"#);
    }
}
