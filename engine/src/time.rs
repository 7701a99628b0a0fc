//! How long to think.
//!
//! Pure functions from the clock to a plan. The target is what a move is worth; the hard limit
//! is what a search may use when the position asks for it and is never exceeded. Numbers follow
//! those of Scan 3.1, with the hard limit always obeyed.

use std::time::Duration;

use crate::limits::{Clock, Limits};

/// Times since the start of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// What the move should take; an iteration may be given up or added around it.
    pub target: Duration,
    /// When the search must have ended.
    pub hard: Duration,
    /// Whether the time up to `hard` shall be used up (a fixed time for the move) instead of
    /// ending around `target`.
    pub use_all: bool,
}

/// Moves that a game still lasts: with all men on the board, and at its end.
const MOVES_LEFT: [f64; 2] = [30.0, 10.0];
/// A target above the plain share, because games end early and easy moves give time back.
const TARGET_FACTOR: f64 = 1.3;
/// More of it when the opponent's time is used as well.
const PONDER_FACTOR: f64 = 1.2;
/// The hard limit in targets.
const HARD_FACTOR: f64 = 4.0;
/// The share of each increment that a move may count on. The rest refills a clock that has run
/// low, so that a long game on increments alone keeps a reserve.
const INCREMENT_SHARE: f64 = 0.85;
/// The greatest share of what may be spent that one move may take: the last one before a time
/// control, and any other.
const MOST_OF_LAST: f64 = 0.95;
const MOST: f64 = 0.6;
/// The greatest share of an average move's time that is kept back for the overhead: every move to
/// come loses it, and a match at a tenth of a second is played on one machine, where it is short.
const MOST_OVERHEAD: f64 = 0.2;
/// Longer thinking makes no sense and would overflow a `Duration`: a century of seconds.
const LONGEST: f64 = 3.2e9;

/// The plan for these limits; `None` if they name no time.
///
/// `progress` is how far the game has gone, from 0.0 (all men at home) to 1.0.
#[must_use]
pub fn plan(limits: &Limits, overhead: Duration, ponder: bool, progress: f64) -> Option<Plan> {
    let by_clock = limits.clock.map(|clock| clock_plan(&clock, overhead, ponder, progress));
    let by_move = limits.move_time.map(|time| {
        let hard = time.saturating_sub(overhead.min(time / 10));
        Plan { target: hard, hard, use_all: true }
    });
    match (by_clock, by_move) {
        (Some(clock), Some(fixed)) => {
            let hard = clock.hard.min(fixed.hard);
            Some(Plan { target: clock.target.min(hard), hard, use_all: false })
        }
        (plan, None) | (None, plan) => plan,
    }
}

fn clock_plan(clock: &Clock, overhead: Duration, ponder: bool, progress: f64) -> Plan {
    let time = finite(clock.time);
    let inc = finite(clock.inc).max(0.0);
    // What is on the clock while this move is thought about.
    let available = time + inc;
    let expected = MOVES_LEFT[0] + (MOVES_LEFT[1] - MOVES_LEFT[0]) * progress.clamp(0.0, 1.0);
    let moves = clock.moves.map_or(expected, |moves| f64::from(moves.max(1)).min(expected));
    let average = (time / moves + inc).max(0.0);
    let overhead = overhead.as_secs_f64().min(average * MOST_OVERHEAD);
    // Each of the moves to come loses the overhead and gains the increment.
    let factor = TARGET_FACTOR * if ponder { PONDER_FACTOR } else { 1.0 };
    let gain = inc - overhead;
    let share = time / moves * factor;
    let target = if gain > 0.0 { share + gain * INCREMENT_SHARE } else { share + gain * factor };
    let most = if clock.moves == Some(1) { MOST_OF_LAST } else { MOST };
    let most = (time * most + inc * MOST_OF_LAST)
        .min(available * MOST_OF_LAST)
        .min(available - overhead)
        .max(0.0);
    let target = target.clamp(0.0, most);
    let hard = (target * HARD_FACTOR).clamp(0.0, most);
    Plan {
        target: Duration::from_secs_f64(target),
        hard: Duration::from_secs_f64(hard),
        use_all: false,
    }
}

/// A number of seconds without the odd values that text can bring in.
fn finite(seconds: f64) -> f64 {
    if seconds.is_nan() { 0.0 } else { seconds.clamp(-LONGEST, LONGEST) }
}

/// The share of the target after which no new iteration is begun: from the start of the game to
/// its end.
const ITERATION_SHARE: [f64; 2] = [0.4, 0.8];
/// Stability of the best move: falls while it stays the same, rises when it changes.
const STABLE: f64 = 0.9;
const UNSTABLE: f64 = 1.2;
const STABILITY_RANGE: [f64; 2] = [0.6, 2.0];
/// A score that has dropped by this many hundredths against the last iteration asks for time.
const DROP: i32 = 10;
const DROP_FACTOR: f64 = 2.0;

/// Decides between iterations whether the target is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    stability: f64,
    drop: f64,
    share: f64,
}

impl Pace {
    /// At the start of a search; `progress` as in [`plan`].
    pub(crate) fn new(progress: f64) -> Pace {
        let [start, end] = ITERATION_SHARE;
        Pace { stability: 1.0, drop: 1.0, share: start + (end - start) * progress.clamp(0.0, 1.0) }
    }

    /// Takes notice of a finished iteration: whether it has a new best move, and its score less
    /// that of the iteration before in hundredths.
    pub(crate) fn iteration(&mut self, changed: bool, gain: i32) {
        let [low, high] = STABILITY_RANGE;
        self.stability = if changed {
            (self.stability * UNSTABLE).clamp(1.0, high)
        } else {
            (self.stability * STABLE).max(low)
        };
        self.drop = if gain <= -DROP { DROP_FACTOR } else { 1.0 };
    }

    /// Whether an iteration is no longer worth beginning.
    pub(crate) fn is_over(&self, plan: &Plan, elapsed: Duration) -> bool {
        !plan.use_all && elapsed >= plan.target.mul_f64(self.share * self.stability * self.drop)
    }

    /// Whether an iteration that has confirmed its first move is no longer worth finishing.
    pub(crate) fn is_overdue(&self, plan: &Plan, elapsed: Duration) -> bool {
        !plan.use_all && elapsed >= plan.target.mul_f64(self.stability * self.drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn for_clock(time: f64, inc: f64, moves: Option<u32>) -> Plan {
        let limits = Limits::clock(Clock { time, inc, moves });
        plan(&limits, Duration::from_millis(20), false, 0.3).unwrap()
    }

    #[test]
    fn no_time_no_plan() {
        assert_eq!(plan(&Limits::depth(7), Duration::ZERO, false, 0.0), None);
        assert_eq!(plan(&Limits::nodes(7), Duration::ZERO, false, 0.0), None);
    }

    #[test]
    fn sudden_death_lasts_thirty_moves_and_more() {
        // Play on until nothing is left, each move at its target.
        let (mut left, mut moves) = (60.0, 0);
        while left > 0.5 {
            left -= for_clock(left, 0.0, None).target.as_secs_f64() + 0.02;
            moves += 1;
        }
        assert!(moves > 50, "{moves}");
        assert!(left > 0.0);
    }

    #[test]
    fn a_game_on_increments_keeps_a_reserve() {
        // Each move at its target, and something lost on the way, for a long game.
        let (mut left, inc) = (5.0, 0.2);
        for _ in 0..300 {
            let plan = for_clock(left, inc, None);
            left += inc - plan.target.as_secs_f64() - 0.02;
            assert!(left > 0.2, "{left}");
            assert!(plan.hard.as_secs_f64() < left + inc, "{plan:?}");
        }
    }

    #[test]
    fn overhead_leaves_something_of_a_short_clock() {
        let limits = Limits::clock(Clock { time: 0.1, inc: 0.01, moves: None });
        let plan = plan(&limits, Duration::from_millis(100), false, 0.3).unwrap();
        assert!(plan.target > Duration::from_millis(2), "{plan:?}");
        assert!(plan.hard < Duration::from_millis(60), "{plan:?}");
    }

    #[test]
    fn a_small_increment_does_not_eat_the_clock_up() {
        // Every move to come pays the overhead, but never more than it gets.
        for (time, inc) in [(0.2, 0.01), (1.0, 0.01), (2.0, 0.02), (1.0, 0.0), (0.05, 0.01)] {
            let limits = Limits::clock(Clock { time, inc, moves: None });
            for progress in [0.0, 0.5, 1.0] {
                let plan = plan(&limits, Duration::from_millis(100), false, progress).unwrap();
                let average = time / MOVES_LEFT[0] + inc;
                assert!(plan.target.as_secs_f64() > average * 0.4, "{time} {inc} {plan:?}");
                assert!(plan.hard.as_secs_f64() < time, "{time} {inc} {plan:?}");
            }
        }
    }

    #[test]
    fn increments_are_spent() {
        let plan = for_clock(0.5, 2.0, None);
        assert!(plan.target > Duration::from_secs(1), "{plan:?}");
        assert!(plan.hard < Duration::from_millis(2500), "{plan:?}");
    }

    #[test]
    fn last_move_before_the_control_may_use_most_of_it() {
        let plan = for_clock(10.0, 0.0, Some(1));
        assert!(plan.target > Duration::from_secs(9), "{plan:?}");
        let earlier = for_clock(10.0, 0.0, Some(10));
        assert!(earlier.target < Duration::from_secs(2), "{earlier:?}");
    }

    #[test]
    fn nothing_left_means_at_once() {
        for (time, inc) in [(0.0, 0.0), (-3.0, 0.0), (-3.0, 1.0), (f64::NAN, 0.0)] {
            assert_eq!(for_clock(time, inc, None).hard, Duration::ZERO, "{time} {inc}");
        }
        assert!(for_clock(0.01, 0.0, None).hard < Duration::from_millis(2));
        // The increment of this move counts.
        assert!(for_clock(-0.05, 2.0, None).target > Duration::from_millis(500));
    }

    #[test]
    fn pondering_allows_more() {
        let limits = Limits::clock(Clock { time: 100.0, inc: 1.0, moves: None });
        let without = plan(&limits, Duration::ZERO, false, 0.0).unwrap();
        let with = plan(&limits, Duration::ZERO, true, 0.0).unwrap();
        assert!(with.target > without.target);
    }

    #[test]
    fn move_time_is_used_up_and_capped_by_a_clock() {
        let overhead = Duration::from_millis(20);
        let fixed = Limits::move_time(Duration::from_secs(5));
        let alone = plan(&fixed, overhead, false, 0.0).unwrap();
        assert_eq!(alone.hard, Duration::from_millis(4980));
        assert!(alone.use_all);
        let both = Limits { clock: Some(Clock { time: 1.0, inc: 0.0, moves: None }), ..fixed };
        assert!(plan(&both, overhead, false, 0.0).unwrap().hard < Duration::from_secs(1));
        // A tiny move time keeps most of itself.
        let tiny = Limits::move_time(Duration::from_millis(10));
        assert_eq!(plan(&tiny, overhead, false, 0.0).unwrap().hard, Duration::from_millis(9));
    }

    #[test]
    fn changes_take_time_and_confirmations_save_it() {
        let plan =
            Plan { target: Duration::from_secs(10), hard: Duration::from_secs(40), use_all: false };
        let mut pace = Pace::new(0.0);
        let four = Duration::from_secs(4);
        assert!(pace.is_over(&plan, four));
        pace.iteration(true, 0);
        assert!(!pace.is_over(&plan, four));
        for _ in 0..20 {
            pace.iteration(false, 0);
        }
        assert!(pace.is_over(&plan, Duration::from_millis(2401)));
        assert!(!pace.is_over(&plan, Duration::from_millis(2399)));
        pace.iteration(false, -30);
        assert!(!pace.is_over(&plan, four));
        assert!(!pace.is_overdue(&plan, Duration::from_secs(10)));
    }

    proptest! {
        #[test]
        fn never_more_than_there_is(
            time in -1e3..1e5f64,
            inc in 0.0..1e3f64,
            moves in proptest::option::of(0u32..200),
            overhead_ms in 0u64..2000,
            ponder: bool,
            progress in -1.0..2.0f64,
        ) {
            let limits = Limits::clock(Clock { time, inc, moves });
            let overhead = Duration::from_millis(overhead_ms);
            let plan = plan(&limits, overhead, ponder, progress).unwrap();
            let left = time + inc;
            prop_assert!(plan.target <= plan.hard);
            prop_assert!(plan.hard.as_secs_f64() <= left.max(0.0) * 0.95 + 1e-6);
        }

        #[test]
        fn odd_numbers_do_no_harm(time: f64, inc: f64, moves: Option<u32>) {
            let limits = Limits::clock(Clock { time, inc, moves });
            let plan = plan(&limits, Duration::from_millis(20), true, 0.5).unwrap();
            prop_assert!(plan.target <= plan.hard);
        }
    }
}
