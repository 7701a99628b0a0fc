//! Time controls.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::protocol::excerpt;

/// The limits on thinking in a game. As text: `60` (seconds for the game), `40/60` (for 40 moves,
/// again and again), `60+0.5` (and half a second for each move), `move=0.1` (seconds for each
/// move), `nodes=10000`, `depth=9`, or several of these with commas, the clock first. Decimals
/// follow a point.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TimeControl {
    /// The clock; zero if there is none.
    pub time: Duration,
    /// Added before each move.
    pub inc: Duration,
    /// Own moves until `time` is added again; `None`: it is for the whole game.
    pub moves: Option<u32>,
    /// For each move.
    pub move_time: Option<Duration>,
    /// Nodes for each move.
    pub nodes: Option<u64>,
    /// Plies to search for each move.
    pub depth: Option<u32>,
}

/// Why a text is not a time control.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("time control '{text}': {expected}")]
pub struct ParseTimeControlError {
    text: String,
    expected: &'static str,
}

/// Seconds as a number. From whole nanoseconds: the result has no surplus decimals.
pub(crate) fn seconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e9
}

impl TimeControl {
    /// Whether there is a clock.
    #[must_use]
    pub const fn has_clock(&self) -> bool {
        !self.time.is_zero() || !self.inc.is_zero()
    }

    /// Whether moves depend on nodes or depth alone.
    #[must_use]
    pub const fn is_repeatable(&self) -> bool {
        let has_limit = self.nodes.is_some() || self.depth.is_some();
        has_limit && !self.has_clock() && self.move_time.is_none()
    }

    /// The same for a machine that needs `factor` times as long: nodes and depth stay.
    #[must_use]
    pub fn scaled(self, factor: f64) -> TimeControl {
        let scale = |time: Duration| time.mul_f64(factor);
        let (time, inc, move_time) = (scale(self.time), scale(self.inc), self.move_time.map(scale));
        TimeControl { time, inc, move_time, ..self }
    }

    /// A player's time for its first `moves` moves: all the time on its clock until then, or the
    /// times of these moves. `None` if time is not limited.
    #[must_use]
    pub fn allowed(&self, moves: u32) -> Option<Duration> {
        if !self.has_clock() {
            return self.move_time.map(|time| time.saturating_mul(moves));
        }
        let periods = self.moves.map_or(1, |period| moves.div_ceil(period).max(1));
        Some(self.time.saturating_mul(periods).saturating_add(self.inc.saturating_mul(moves)))
    }
}

impl FromStr for TimeControl {
    type Err = ParseTimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, ParseTimeControlError> {
        let error = |expected| ParseTimeControlError { text: excerpt(text, 60), expected };
        let time = |part: &str| {
            let seconds: f64 = part.trim().parse().ok()?;
            (0.0..=1e7).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
        };
        let mut control = TimeControl::default();
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        // `10,5` may be meant as 10.5, and `move=1,5` as 1.5: better refused than misread.
        if parts[1..].iter().any(|part| !part.contains('=')) {
            return Err(error(
                "decimals follow a point, as in 10.5; a clock comes first, and what follows a \
                 comma begins with move=, nodes= or depth=",
            ));
        }
        for (index, part) in parts.iter().enumerate() {
            let kind = |part: &str| part.split_once('=').map(|(kind, _)| kind.to_owned());
            let is_same = |other: &&str| kind(part).is_some() && kind(part) == kind(other);
            if parts[..index].iter().any(is_same) {
                return Err(error("expected each limit once"));
            }
            if let Some(value) = part.strip_prefix("move=") {
                let value = time(value).filter(|time| !time.is_zero());
                control.move_time =
                    Some(value.ok_or_else(|| error("expected seconds above 0 after 'move='"))?);
            } else if let Some(value) = part.strip_prefix("nodes=") {
                let value = value.parse().ok().filter(|&n: &u64| n > 0);
                control.nodes =
                    Some(value.ok_or_else(|| error("expected a number above 0 after 'nodes='"))?);
            } else if let Some(value) = part.strip_prefix("depth=") {
                let value = value.parse().ok().filter(|&d: &u32| d > 0);
                control.depth =
                    Some(value.ok_or_else(|| error("expected a number above 0 after 'depth='"))?);
            } else {
                let expected = "expected [moves/]seconds[+increment], move=S, nodes=N or depth=D";
                let (rest, inc) = part.split_once('+').unwrap_or((part, "0"));
                if let Some((moves, _)) = rest.split_once('/') {
                    let moves = moves.trim().parse().ok().filter(|&m: &u32| m > 0);
                    control.moves = Some(moves.ok_or_else(|| error(expected))?);
                }
                let clock = rest.split_once('/').map_or(rest, |(_, clock)| clock);
                control.time = time(clock).ok_or_else(|| error(expected))?;
                control.inc = time(inc).ok_or_else(|| error(expected))?;
                if !control.has_clock() {
                    return Err(error("a clock needs some time"));
                }
            }
        }
        Ok(control)
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.has_clock() {
            let moves = self.moves.map(|m| format!("{m}/")).unwrap_or_default();
            let inc = match self.inc {
                Duration::ZERO => String::new(),
                inc => format!("+{}", seconds(inc)),
            };
            parts.push(format!("{moves}{}{inc}", seconds(self.time)));
        }
        parts.extend(self.move_time.map(|t| format!("move={}", seconds(t))));
        parts.extend(self.nodes.map(|n| format!("nodes={n}")));
        parts.extend(self.depth.map(|d| format!("depth={d}")));
        f.pad(&parts.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(text: &str) -> TimeControl {
        text.parse().unwrap()
    }

    #[test]
    fn texts_there_and_back() {
        for text in
            ["60", "40/60", "60+0.5", "40/60.5+1", "0+0.1", "move=0.1", "nodes=5", "10,depth=9"]
        {
            assert_eq!(control(text).to_string(), text);
        }
        for text in ["", "0", "x", "-1", "0/5", "5+", "move=0", "nodes=-1", "depth=", "1e9", "nan"]
        {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_slower_machine_gets_more_time_and_no_more_nodes() {
        let scaled = |text| control(text).scaled(1.5).to_string();
        assert_eq!(scaled("40/60+0.5,nodes=9"), "40/90+0.75,nodes=9");
        assert_eq!(scaled("move=0.1,depth=7"), "move=0.15,depth=7");
    }

    #[test]
    fn a_second_clock_or_limit_is_refused() {
        for (text, part) in [
            ("10,20", "10.5"),
            ("40/60,10", "10.5"),
            ("0,5", "10.5"),
            ("5+0,1", "10.5"),
            ("move=1,5", "10.5"),
            ("nodes=1,000", "move=, nodes= or depth="),
            ("nodes=5,nodes=6", "each limit once"),
        ] {
            let message = text.parse::<TimeControl>().unwrap_err().to_string();
            assert!(message.contains(part) && message.contains(text), "{message}");
        }
        assert_eq!(control("10.5, nodes=5").to_string(), "10.5,nodes=5");
    }
}
