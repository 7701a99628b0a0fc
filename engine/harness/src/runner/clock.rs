//! Time controls and the clocks of a game.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::in_file::seconds;
use crate::protocol::excerpt;
use meerslag_search::{Clock, Limits};

/// What bounds the thinking in a game. As text: `60` (seconds for the game), `40/60` (for 40
/// moves, again and again), `60+0.5` (and half a second for each move), `move=0.1` (seconds for
/// each move), `nodes=10000`, `depth=9`, or several of these with commas, the clock first. Decimals
/// follow a point.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
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

/// Why a text is no time control.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("time control '{text}': {expected}")]
pub struct ParseTimeControlError {
    text: String,
    expected: &'static str,
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

    /// What a player has for its first `moves` moves: all that is on its clock until then, or the
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

impl TryFrom<String> for TimeControl {
    type Error = ParseTimeControlError;

    fn try_from(text: String) -> Result<TimeControl, ParseTimeControlError> {
        text.parse()
    }
}

impl From<TimeControl> for String {
    fn from(control: TimeControl) -> String {
        control.to_string()
    }
}

/// One player's clock.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GameClock {
    control: TimeControl,
    /// What was on the clock at the start and was added since, without the increment of the coming
    /// move.
    given: Duration,
    /// What the moves took, less what was forgiven.
    used: Duration,
    /// Own moves until the next period.
    moves_left: Option<u32>,
}

impl GameClock {
    /// A clock at the start of a game.
    #[must_use]
    pub const fn new(control: TimeControl) -> GameClock {
        GameClock { control, given: control.time, used: Duration::ZERO, moves_left: control.moves }
    }

    /// The limits of the next move.
    #[must_use]
    pub fn limits(&self) -> Limits {
        let clock = self.control.has_clock().then_some(Clock {
            time: self.reading(),
            inc: seconds(self.control.inc),
            moves: self.moves_left,
        });
        let TimeControl { move_time, nodes, depth, .. } = self.control;
        Limits { clock, move_time, nodes, depth, ..Limits::default() }
    }

    /// Seconds left after the last move, below 0 for a player that may overrun; `None` without a
    /// clock.
    #[must_use]
    pub fn left(&self) -> Option<f64> {
        self.control.has_clock().then(|| self.reading())
    }

    /// By how much a player that may overrun has done so.
    #[must_use]
    pub const fn overrun(&self) -> Duration {
        self.used.saturating_sub(self.given)
    }

    fn reading(&self) -> f64 {
        seconds(self.given.saturating_sub(self.used)) - seconds(self.overrun())
    }

    /// Takes the time of a move off. `false` if there was less, by more than the margin;
    /// what lies within the margin is forgiven, and the clock then shows 0. Without a margin
    /// (`None`) everything is forgiven, and the clock goes below 0.
    #[must_use]
    pub fn spend(&mut self, elapsed: Duration, margin: Option<Duration>) -> bool {
        let exceeds = |limit: Duration, time: Duration| {
            margin.is_some_and(|margin| time > limit.saturating_add(margin))
        };
        if self.control.move_time.is_some_and(|limit| exceeds(limit, elapsed)) {
            return false;
        }
        if !self.control.has_clock() {
            return true;
        }
        let given = self.given.saturating_add(self.control.inc);
        let used = self.used.saturating_add(elapsed);
        if exceeds(given, used) {
            return false;
        }
        self.given = given;
        self.used = if margin.is_some() { used.min(given) } else { used };
        if let (Some(moves_left), Some(moves)) = (&mut self.moves_left, self.control.moves) {
            *moves_left -= 1;
            if *moves_left == 0 {
                *moves_left = moves;
                self.given = self.given.saturating_add(self.control.time);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::hub::level_line;

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

    #[test]
    fn a_fischer_clock_gives_the_increment_before_the_move() {
        let mut clock = GameClock::new(control("10+2"));
        let none = Some(Duration::ZERO);
        assert_eq!(level_line(&clock.limits()), "level time=10.000 inc=2.000");
        assert_eq!(clock.limits().longest(), Some(Duration::from_secs(12)));
        assert!(clock.spend(Duration::from_secs(5), none));
        assert_eq!(clock.left(), Some(7.0));
        assert!(!clock.spend(Duration::from_millis(9001), none));
        assert!(clock.spend(Duration::from_millis(9001), Some(Duration::from_millis(2))));
        assert_eq!(clock.left(), Some(0.0));
    }

    #[test]
    fn a_clock_that_forgives_goes_below_zero() {
        let mut clock = GameClock::new(control("10"));
        assert!(clock.spend(Duration::from_secs(12), None));
        assert_eq!(clock.left(), Some(-2.0));
        assert_eq!(clock.limits().longest(), Some(Duration::ZERO));
        assert!(!clock.spend(Duration::from_secs(1), Some(Duration::ZERO)));
    }

    #[test]
    fn periods_follow_each_other() {
        let mut clock = GameClock::new(control("2/10"));
        let second = Duration::from_secs(1);
        assert_eq!(level_line(&clock.limits()), "level moves=2 time=10.000");
        assert!(clock.spend(second, Some(Duration::ZERO)));
        assert_eq!(level_line(&clock.limits()), "level moves=1 time=9.000");
        assert!(clock.spend(second, Some(Duration::ZERO)));
        assert_eq!(level_line(&clock.limits()), "level moves=2 time=18.000");
    }

    #[test]
    fn limits_without_a_clock() {
        let mut clock = GameClock::new(control("move=0.5,nodes=7"));
        assert_eq!(level_line(&clock.limits()), "level move-time=0.500 nodes=7");
        assert_eq!((clock.limits().nodes, clock.left()), (Some(7), None));
        assert!(clock.spend(Duration::from_millis(500), Some(Duration::ZERO)));
        assert!(!clock.spend(Duration::from_millis(501), Some(Duration::ZERO)));
        assert_eq!(GameClock::new(control("depth=3")).limits().longest(), None);
        assert_eq!(level_line(&Limits::default()), "level infinite");
    }
}
