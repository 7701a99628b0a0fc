//! Search limits as `level` lines: a client's limits add up until the search.

use std::time::Duration;

use super::error::HubError;
use super::line::{Line, LineWriter};
use super::number;
use meerslag_search::{Clock, Limits, Mode};

/// Seconds on the clock when a client gives an increment or a number of moves without `time`.
const ASSUMED_TIME: f64 = 30.0;

/// The limits collected so far.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Level {
    depth: Option<i64>,
    nodes: Option<i64>,
    move_time: Option<Duration>,
    /// Seconds, since a clock may be overdrawn.
    time: Option<f64>,
    inc: Option<Duration>,
    moves: Option<i64>,
    infinite: bool,
}

impl Level {
    /// Adds the limits of a `level` line. A malformed number is left out; the first such error is
    /// returned after the rest has taken effect. Unknown arguments are ignored, as are numbers that
    /// count as "not given": a depth, node count or number of moves below one, and negative ones
    /// except `time` (a clock may be overdrawn).
    pub fn add(&mut self, line: &Line<'_>) -> Result<(), HubError> {
        let mut result = Ok(());
        let mut keep = |outcome: Result<(), HubError>| {
            if result.is_ok() {
                result = outcome;
            }
        };
        for (name, text) in line.arguments() {
            keep(match name {
                "depth" => set_integer(&mut self.depth, name, text),
                "nodes" => set_integer(&mut self.nodes, name, text),
                "moves" => set_integer(&mut self.moves, name, text),
                "move-time" => set_time(&mut self.move_time, name, text),
                "inc" => set_time(&mut self.inc, name, text),
                "time" => number::real(name, text).map(|seconds| self.time = Some(seconds)),
                "infinite" => {
                    self.infinite = true;
                    Ok(())
                }
                _ => Ok(()),
            });
        }
        result
    }

    /// Adds the limits of another line; of two of the same kind the later one counts.
    pub fn merge(&mut self, later: &Level) {
        *self = Level {
            depth: later.depth.or(self.depth),
            nodes: later.nodes.or(self.nodes),
            move_time: later.move_time.or(self.move_time),
            time: later.time.or(self.time),
            inc: later.inc.or(self.inc),
            moves: later.moves.or(self.moves),
            infinite: later.infinite || self.infinite,
        };
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Level::default();
    }

    /// Whether no limit ends the search.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        Level { infinite: false, ..self.clone() } == Level::default()
    }

    /// The limits of a search. A search for a move without any limit gets the safety limit, unless
    /// the client said `infinite`.
    #[must_use]
    pub fn limits(&self, mode: Mode, safety_time: Duration) -> Limits {
        let has_clock = self.time.is_some() || self.inc.is_some() || self.moves.is_some();
        let clock = has_clock.then(|| Clock {
            time: self.time.unwrap_or(ASSUMED_TIME).min(number::MAX_SECONDS),
            inc: self.inc.unwrap_or_default().as_secs_f64(),
            moves: self.moves.map(|m| u32::try_from(m).unwrap_or(u32::MAX)),
        });
        let safety = self.is_unlimited() && !self.infinite && mode != Mode::Analyze;
        Limits {
            depth: self.depth.map(|d| u32::try_from(d).unwrap_or(u32::MAX)),
            nodes: self.nodes.map(i64::unsigned_abs),
            move_time: self.move_time.or(safety.then_some(safety_time)),
            clock,
            ..Limits::infinite(mode)
        }
    }
}

/// The `level` line for these limits, as a client of an engine sends it.
#[must_use]
pub fn level_line(limits: &Limits) -> String {
    let mut line = LineWriter::new("level");
    // Known engines read `moves` and `time` by position.
    if let Some(Clock { time, inc, moves }) = limits.clock {
        if let Some(moves) = moves {
            line = line.arg("moves", moves);
        }
        line = line.arg("time", format_args!("{time:.3}"));
        if inc > 0.0 {
            line = line.arg("inc", format_args!("{inc:.3}"));
        }
    }
    if let Some(time) = limits.move_time {
        line = line.arg("move-time", format_args!("{:.3}", time.as_secs_f64()));
    }
    if let Some(nodes) = limits.nodes {
        line = line.arg("nodes", nodes);
    }
    if let Some(depth) = limits.depth {
        line = line.arg("depth", depth);
    }
    if limits.is_infinite() { "level infinite".to_owned() } else { line.finish() }
}

/// The limits left after this time; for a time per move at least a millisecond, since not every
/// program accepts 0.
pub(crate) fn limits_after(limits: &Limits, used: Duration) -> Limits {
    let clock = limits.clock.map(|clock| Clock { time: clock.time - used.as_secs_f64(), ..clock });
    let least = Duration::from_millis(1);
    let move_time = limits.move_time.map(|time| time.saturating_sub(used).max(least));
    Limits { clock, move_time, ..limits.clone() }
}

fn set_integer(slot: &mut Option<i64>, name: &str, text: &str) -> Result<(), HubError> {
    let value = number::integer(name, text)?;
    if value >= 1 {
        *slot = Some(value);
    }
    Ok(())
}

fn set_time(slot: &mut Option<Duration>, name: &str, text: &str) -> Result<(), HubError> {
    let seconds = number::real(name, text)?;
    if seconds >= 0.0 {
        *slot = Some(Duration::from_secs_f64(seconds.min(number::MAX_SECONDS)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAFETY: Duration = Duration::from_secs(60);

    fn level(lines: &[&str]) -> Level {
        let mut level = Level::default();
        for text in lines {
            level.add(&Line::parse(text).unwrap().unwrap()).unwrap();
        }
        level
    }

    fn clock(lines: &[&str]) -> Clock {
        level(lines).limits(Mode::Think, SAFETY).clock.unwrap()
    }

    #[test]
    fn every_form() {
        assert_eq!(level(&["level depth=12"]).limits(Mode::Think, SAFETY).depth, Some(12));
        let nodes = level(&["level nodes=5000000000"]).limits(Mode::Think, SAFETY).nodes;
        assert_eq!(nodes, Some(5_000_000_000));
        let time = level(&["level move-time=0,5"]).limits(Mode::Think, SAFETY).move_time;
        assert_eq!(time, Some(Duration::from_millis(500)));
        let expected = |time, inc, moves| Clock { time, inc, moves };
        assert_eq!(clock(&["level time=5"]), expected(5.0, 0.0, None));
        assert_eq!(clock(&["level time=5 inc=0.2"]), expected(5.0, 0.2, None));
        assert_eq!(clock(&["level moves=75 time=300.000"]), expected(300.0, 0.0, Some(75)));
        assert_eq!(clock(&["level moves=7 time=3 inc=1"]), expected(3.0, 1.0, Some(7)));
        assert_eq!(clock(&["level time=-0.05 inc=0.2"]), expected(-0.05, 0.2, None));
        assert_eq!(clock(&["level moves=7"]), expected(30.0, 0.0, Some(7)));
        assert_eq!(clock(&["level inc=2"]), expected(30.0, 2.0, None));
    }

    #[test]
    fn what_is_written_is_read() {
        for text in ["level moves=3 time=60.500 inc=0.250", "level move-time=0.100 nodes=7 depth=9"]
        {
            let limits = level(&[text]).limits(Mode::Think, SAFETY);
            assert_eq!(level_line(&limits), text);
        }
        assert_eq!(level_line(&Limits::default()), "level infinite");
    }

    #[test]
    fn lines_and_arguments_add_up() {
        let both = level(&["level depth=12", "level handicap=3 time=30", "level ponder"]);
        assert_eq!(both, level(&["level time=30 depth=12"]));
        let mut merged = level(&["level depth=12 nodes=3 inc=1"]);
        merged.merge(&level(&["level depth=5 time=30"]));
        assert_eq!(merged, level(&["level depth=5 nodes=3 inc=1 time=30"]));
        let limits = both.limits(Mode::Ponder, SAFETY);
        assert_eq!((limits.depth, limits.move_time, limits.mode), (Some(12), None, Mode::Ponder));
        assert!(limits.clock.is_some());
    }

    #[test]
    fn nonsense_counts_as_not_given() {
        let nonsense = level(&["level depth=0 nodes=0 move-time=-1 inc=-1 moves=0 depth=-3"]);
        assert!(nonsense.is_unlimited());
        let mut level = Level::default();
        let line = Line::parse("level depth=x time=1:30 nodes=7 moves=").unwrap_err();
        assert_eq!(line.command, Some("level"));
        let line = Line::parse("level depth=x time=1:30 nodes=7").unwrap().unwrap();
        let error = level.add(&line).unwrap_err().to_string();
        assert!(error.starts_with("depth=x"), "{error}");
        let limits = level.limits(Mode::Think, SAFETY);
        assert_eq!((limits.depth, limits.nodes, limits.clock), (None, Some(7), None));
    }

    #[test]
    fn a_search_for_a_move_without_limits_gets_the_safety_limit() {
        let none = Level::default();
        assert_eq!(none.limits(Mode::Think, SAFETY).move_time, Some(SAFETY));
        assert_eq!(none.limits(Mode::Ponder, SAFETY).move_time, Some(SAFETY));
        assert!(none.limits(Mode::Analyze, SAFETY).is_infinite());
        assert!(level(&["level infinite"]).limits(Mode::Think, SAFETY).is_infinite());
        assert_eq!(level(&["level depth=3"]).limits(Mode::Think, SAFETY).move_time, None);
        let zero = level(&["level move-time=0"]).limits(Mode::Think, SAFETY);
        assert_eq!(zero.move_time, Some(Duration::ZERO));
    }

    #[test]
    fn what_was_used_is_gone() {
        let clock = Some(Clock { time: 2.0, inc: 0.5, moves: None });
        let move_time = Some(Duration::from_millis(800));
        let limits = Limits { clock, move_time, nodes: Some(7), ..Limits::default() };
        let left = limits_after(&limits, Duration::from_millis(500));
        assert_eq!(left.clock.map(|clock| (clock.time, clock.inc)), Some((1.5, 0.5)));
        assert_eq!((left.move_time, left.nodes), (Some(Duration::from_millis(300)), Some(7)));
        let late = limits_after(&limits, Duration::from_secs(1));
        assert_eq!(late.move_time, Some(Duration::from_millis(1)));
        assert_eq!(limits_after(&Limits::depth(3), Duration::from_secs(1)), Limits::depth(3));
    }

    #[test]
    fn huge_numbers_do_no_harm() {
        let huge =
            level(&["level move-time=1e300 time=1e300 inc=1e300 depth=99999999999999999999"]);
        let limits = huge.limits(Mode::Think, SAFETY);
        assert_eq!(limits.depth, Some(u32::MAX));
        assert!(limits.move_time.unwrap() > Duration::from_secs(1_000_000));
        assert!(limits.clock.unwrap().time <= number::MAX_SECONDS);
    }
}
