//! How long to wait for a program: until only a move of ours can save the game.

use std::time::Duration;

use meerslag_search::{Clock, Limits};

/// How long an answer may take after a `stop` from outside.
const STOP_PATIENCE: Duration = Duration::from_millis(500);

/// The least time for a program, and again for its answer to `stop`, even if the clock has run out:
/// over DXP that alone loses no game.
const LEAST_TIME: Duration = Duration::from_millis(10);

/// The time for one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TimeBox {
    /// After this the program is stopped; `None`: only the client stops it.
    pub budget: Option<Duration>,
    /// How long the program may then take to answer.
    pub grace: Duration,
}

impl TimeBox {
    /// `kept` stays on the clock, as far as there is that much: at most a quarter of what is left,
    /// and a tenth of the time of a single move, which engines use to its end.
    pub fn new(limits: &Limits, kept: Duration, longest: Option<Duration>) -> TimeBox {
        let given = [(limits.clock.map(on_clock), 4), (limits.move_time, 10), (longest, 10)];
        let given = given.map(|(time, part)| time.map(|time| (time, kept.min(time / part))));
        match given.into_iter().flatten().min_by_key(|&(time, kept)| time - kept) {
            None => TimeBox { budget: None, grace: STOP_PATIENCE },
            // The other half is for our own move.
            Some((time, kept)) => TimeBox {
                budget: Some((time - kept).max(LEAST_TIME)),
                grace: (kept / 2).max(LEAST_TIME),
            },
        }
    }

    /// How long the answer to a `stop` from outside may take.
    pub const fn stop_patience() -> Duration {
        STOP_PATIENCE
    }
}

/// The time on a player's clock for the next move, at least 0.
pub(super) fn on_clock(clock: Clock) -> Duration {
    Duration::try_from_secs_f64((clock.time + clock.inc).max(0.0)).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    fn clock(time: f64, inc: f64) -> Limits {
        Limits::clock(Clock { time, inc, moves: None })
    }

    #[test]
    fn a_part_of_the_time_is_kept() {
        let kept = millis(100);
        for (limits, budget, grace) in [
            (clock(60.0, 0.0), 59_900, 50),
            (clock(0.15, 0.05), 150, 25),
            (clock(-1.0, 0.0), 10, 10),
            (Limits::move_time(millis(300)), 270, 15),
            (Limits::move_time(millis(5000)), 4900, 50),
            (Limits { move_time: Some(millis(100)), ..clock(60.0, 0.0) }, 90, 10),
        ] {
            let found = TimeBox::new(&limits, kept, None);
            let expected = TimeBox { budget: Some(millis(budget)), grace: millis(grace) };
            assert_eq!(found, expected, "{limits:?}");
        }
        assert_eq!(TimeBox::new(&Limits::depth(5), kept, None).budget, None);
        for (time, budget) in [(60.0, 630), (0.5, 400)] {
            let limited = TimeBox::new(&clock(time, 0.0), kept, Some(millis(700)));
            assert_eq!(limited.budget, Some(millis(budget)), "{time}");
        }
    }
}
