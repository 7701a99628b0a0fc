//! How long to think.
//!
//! Pure functions from the clock to a plan. The target is what moves take on average: a stable
//! search ends earlier, an unstable one later. The hard limit is the most that a search may use
//! when the position demands it, and is never exceeded. The form follows Scan 3.1; the numbers make
//! the mean use meet the plan (`docs/search.md`).

use std::time::Duration;

use crate::limits::{Clock, Limits};

/// Times since the start of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimePlan {
    /// The average time for such a move; iterations are cut short or added around it.
    pub target: Duration,
    /// When the search must have ended.
    pub hard: Duration,
    /// Whether to use all the time up to `hard` (a fixed time for the move) instead of ending
    /// around `target`.
    pub use_all: bool,
}

/// The clock is shared among this many own moves: with all men on the board, and at the end of the
/// game. Games to their very end have about 65 that need thought, so that nine tenths of the time are
/// used.
const MOVES_LEFT: [f64; 2] = [28.0, 8.0];
/// A clock below `LOW_CLOCK` seconds, increments to come included, is shared among more and more own
/// moves, up to `MOVES_WHEN_LOW`: an ending of kings can last that long, and sending a move takes time.
const LOW_CLOCK: f64 = 0.4;
const MOVES_WHEN_LOW: f64 = 100.0;
/// The share of moves that need thought. The others are forced and take next to no time.
const THOUGHT_SHARE: f64 = 0.8;
/// The target is greater when the opponent's time is used as well.
const PONDER_FACTOR: f64 = 1.2;
/// The hard limit in targets.
const HARD_FACTOR: f64 = 4.0;
/// The share of each increment that a move may count on. The rest refills a clock that has run
/// low, so that a long game on increments alone keeps a reserve.
const INCREMENT_SHARE: f64 = 0.95;
/// The greatest share of what may be spent that a target may be: of the last move before a time
/// control, and of any other.
const MAX_SHARE_OF_LAST: f64 = 0.95;
const MAX_SHARE: f64 = 0.6;
/// The greatest share that a move beyond its target may take. Where the score falls move after move,
/// each takes as long as it may: ten such moves leave a hundredth of the clock.
const MAX_SHARE_BEYOND_TARGET: f64 = 0.35;
/// The greatest share of the increment that such a move may take: long moves in a row leave half
/// an increment on the clock.
const MAX_SHARE_OF_INCREMENT: f64 = 0.7;
/// The greatest share of an average move's time that is kept back for the overhead: every later
/// move loses it, and matches at a tenth of a second run on one machine, where the overhead is
/// short.
const MAX_OVERHEAD_SHARE: f64 = 0.1;
/// Longer thinking makes no sense and would overflow a `Duration`: a century of seconds.
const LONGEST: f64 = 3.2e9;

/// The plan for these limits; `None` if they name no time.
///
/// `progress` is how far the game has gone, from 0.0 (all men at home) to 1.0.
#[must_use]
pub fn plan(limits: &Limits, overhead: Duration, ponder: bool, progress: f64) -> Option<TimePlan> {
    let by_clock = limits.clock.map(|clock| clock_plan(&clock, overhead, ponder, progress));
    let by_move = limits.move_time.map(|time| {
        let hard = time.saturating_sub(overhead.min(time / 10));
        TimePlan { target: hard, hard, use_all: true }
    });
    match (by_clock, by_move) {
        (Some(clock), Some(fixed)) => {
            let hard = clock.hard.min(fixed.hard);
            Some(TimePlan { target: clock.target.min(hard), hard, use_all: false })
        }
        (plan, None) | (None, plan) => plan,
    }
}

fn clock_plan(clock: &Clock, overhead: Duration, ponder: bool, progress: f64) -> TimePlan {
    let time = finite(clock.time);
    let inc = finite(clock.inc).max(0.0);
    // The time on the clock during this move.
    let available = time + inc;
    let expected = MOVES_LEFT[0] + (MOVES_LEFT[1] - MOVES_LEFT[0]) * progress.clamp(0.0, 1.0);
    let low = (1.0 - (time + inc * MOVES_WHEN_LOW) / LOW_CLOCK).clamp(0.0, 1.0);
    let expected = expected + (MOVES_WHEN_LOW - expected) * low;
    let to_control = |moves: u32| (f64::from(moves) * THOUGHT_SHARE).max(1.0);
    let moves = clock.moves.map_or(expected, |moves| to_control(moves).min(expected));
    let average = (time / moves + inc).max(0.0);
    let overhead = overhead.as_secs_f64().min(average * MAX_OVERHEAD_SHARE);
    // Each of the moves to come loses the overhead and gains the increment.
    let factor = if ponder { PONDER_FACTOR } else { 1.0 };
    let gain = inc - overhead;
    let share = time / moves * factor;
    let target = if gain > 0.0 { share + gain * INCREMENT_SHARE } else { share + gain * factor };
    let [most, most_of_inc] = if clock.moves == Some(1) {
        [MAX_SHARE_OF_LAST; 2]
    } else {
        [MAX_SHARE, MAX_SHARE_OF_INCREMENT]
    };
    let at_most = |share: f64| {
        (time * share + inc * most_of_inc)
            .min(available * MAX_SHARE_OF_LAST)
            .min(available - overhead)
            .max(0.0)
    };
    let target = target.clamp(0.0, at_most(most));
    let hard = (target * HARD_FACTOR).min(at_most(MAX_SHARE_BEYOND_TARGET).max(target));
    TimePlan {
        target: Duration::from_secs_f64(target),
        hard: Duration::from_secs_f64(hard),
        use_all: false,
    }
}

/// A number of seconds without the odd values that text can bring in.
fn finite(seconds: f64) -> f64 {
    if seconds.is_nan() { 0.0 } else { seconds.clamp(-LONGEST, LONGEST) }
}

/// The share of the target after which no new iteration is begun, and the one after which an
/// iteration is no longer finished, both times stability. With an iteration 1.7 times as long as
/// those before it and a new best move in every ninth (measured in 230 positions of games) searches
/// then end at the target on average.
const ITERATION_SHARE: f64 = 0.9;
const UNFINISHED_SHARE: f64 = 1.27;
/// Stability of the best move: falls while it stays the same, rises when it changes.
const STABLE: f64 = 0.9;
const UNSTABLE: f64 = 1.2;
const STABILITY_RANGE: [f64; 2] = [0.7, 2.0];
/// A score that has dropped by this many hundredths against the last iteration asks for time.
const DROP: i32 = 10;
const DROP_FACTOR: f64 = 2.0;

/// Decides between iterations whether the target is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    stability: f64,
    drop: f64,
}

impl Pace {
    /// At the start of a search.
    pub(crate) fn new() -> Pace {
        Pace { stability: 1.0, drop: 1.0 }
    }

    /// Records a finished iteration: whether it has a new best move, and the change of the score
    /// since the last iteration, in hundredths.
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
    pub(crate) fn is_over(&self, plan: &TimePlan, elapsed: Duration) -> bool {
        self.is_past(ITERATION_SHARE, plan, elapsed)
    }

    /// Whether an iteration that has confirmed its first move is no longer worth finishing.
    pub(crate) fn is_overdue(&self, plan: &TimePlan, elapsed: Duration) -> bool {
        self.is_past(UNFINISHED_SHARE, plan, elapsed)
    }

    fn is_past(&self, share: f64, plan: &TimePlan, elapsed: Duration) -> bool {
        !plan.use_all && elapsed >= plan.target.mul_f64(share * self.stability * self.drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::random::Random;
    use proptest::prelude::*;

    fn for_clock(time: f64, inc: f64, moves: Option<u32>) -> TimePlan {
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
    fn long_endings_leave_something_on_the_clock() {
        for start in [1.0, 6.0, 60.0] {
            // Each move at its target, and what its way takes, until the ending is long.
            let mut left = start;
            for made in 0..250 {
                let limits = Limits::clock(Clock { time: left, inc: 0.0, moves: None });
                let progress = f64::from(made.min(60)) / 65.0;
                let plan = plan(&limits, Duration::from_millis(20), false, progress).unwrap();
                left -= plan.target.as_secs_f64() + 2e-4;
                let floor = if made < 150 { 0.03 } else { 0.005 };
                assert!(left > floor, "{start}: {left} after {made}");
            }
        }
    }

    #[test]
    fn a_game_on_increments_keeps_a_reserve() {
        // Each move at its target, and something lost on the way, for a long game.
        let (mut left, inc) = (5.0, 0.2);
        for _ in 0..300 {
            let plan = for_clock(left, inc, None);
            left += inc - plan.target.as_secs_f64() - 0.02;
            assert!(left > 0.15, "{left}");
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
        let plan = TimePlan {
            target: Duration::from_secs(10),
            hard: Duration::from_secs(40),
            use_all: false,
        };
        let mut pace = Pace::new();
        let most = Duration::from_millis(9000);
        assert!(pace.is_over(&plan, most));
        pace.iteration(true, 0);
        assert!(!pace.is_over(&plan, most));
        for _ in 0..20 {
            pace.iteration(false, 0);
        }
        assert!(pace.is_over(&plan, Duration::from_millis(6301)));
        assert!(!pace.is_over(&plan, Duration::from_millis(6299)));
        assert!(pace.is_overdue(&plan, Duration::from_millis(8891)));
        assert!(!pace.is_overdue(&plan, Duration::from_millis(8889)));
        pace.iteration(false, -30);
        assert!(!pace.is_over(&plan, most));
        assert!(!pace.is_overdue(&plan, Duration::from_secs(16)));
    }

    /// An average search, in seconds: iterations of about 1.7 times the time before, half of it for
    /// the first move; a new best move in every ninth, a fallen score in every tenth.
    fn searching_time(plan: &TimePlan, random: &mut Random) -> f64 {
        let mut pace = Pace::new();
        let seconds = Duration::from_secs_f64;
        let mut end = 2e-5;
        loop {
            let start = end;
            end *= 1.3 + 0.8 * random.below(1001) as f64 / 1000.0;
            let chance = |random: &mut Random, one_in| random.below(one_in) == 0;
            // Once the first move is confirmed, each further one may be the last.
            for part in 4..8 {
                let now = start + (end - start) * f64::from(part) / 8.0;
                if now >= plan.hard.as_secs_f64() {
                    return plan.hard.as_secs_f64();
                }
                if pace.is_overdue(plan, seconds(now)) {
                    return now;
                }
            }
            if end >= plan.hard.as_secs_f64() {
                return plan.hard.as_secs_f64();
            }
            let gain = if chance(random, 10) { -DROP } else { 0 };
            pace.iteration(chance(random, 9), gain);
            if pace.is_over(plan, seconds(end)) {
                return end;
            }
        }
    }

    /// Shares of the time allowed in a game, and of all targets, that were used.
    fn play(control: &Clock, moves: u32, overhead: Duration, random: &mut Random) -> [f64; 2] {
        let (mut left, mut allowed) = (control.time, control.time);
        let (mut used, mut planned) = (0.0, 0.0);
        for made in 0..moves {
            if let Some(period) = control.moves
                && made > 0
                && made % period == 0
            {
                left += control.time;
                allowed += control.time;
            }
            let clock = Clock {
                time: left,
                inc: control.inc,
                moves: control.moves.map(|period| period - made % period),
            };
            let progress = 0.9 * f64::from(made) / f64::from(moves);
            let plan = plan(&Limits::clock(clock), overhead, false, progress).unwrap();
            left += control.inc;
            allowed += control.inc;
            // Every fifth move is forced. Each takes something on its way.
            let thought = if made % 5 == 4 { 0.0 } else { searching_time(&plan, random) };
            left -= thought + 1e-4;
            used += thought + 1e-4;
            planned += if thought > 0.0 { plan.target.as_secs_f64() } else { 0.0 };
            assert!(left > 0.0, "{control:?}: {left} after move {made}, {plan:?}");
        }
        [used / allowed, used / planned]
    }

    #[test]
    fn games_use_the_time_they_are_allowed() {
        let mut random = Random::new(5);
        let control = |time, inc, moves| Clock { time, inc, moves };
        for (control, moves) in [
            (control(0.1, 0.01, None), 80),
            (control(1.0, 0.02, None), 80),
            (control(60.0, 0.0, None), 80),
            (control(10.0, 0.0, Some(50)), 100),
            (control(2.0, 0.0, Some(1)), 20),
        ] {
            let mut sums = [0.0; 2];
            for _ in 0..200 {
                let shares = play(&control, moves, Duration::from_millis(20), &mut random);
                sums = [sums[0] + shares[0] / 200.0, sums[1] + shares[1] / 200.0];
            }
            assert!((0.9..=1.0).contains(&sums[0]), "{control:?}: {sums:?} of allowed, planned");
            // Before the last move the target is all there is: no long search makes up for short ones.
            let least = if control.moves == Some(1) { 0.85 } else { 0.9 };
            assert!((least..=1.1).contains(&sums[1]), "{control:?}: {sums:?} of allowed, planned");
        }
    }

    #[test]
    fn a_row_of_the_longest_moves_leaves_something() {
        for (inc, moves, floor) in [(0.0, None, 1.0), (0.01, None, 1.0), (0.0, Some(10), 0.1)] {
            let mut left = 10.0;
            for made in 0..10 {
                let plan = for_clock(left, inc, moves.map(|moves: u32| moves - made));
                left += inc - plan.hard.as_secs_f64();
                let is_last = moves == Some(made + 1);
                assert!(left > floor || is_last, "{inc} {moves:?}: {left} after {made}");
            }
        }
    }

    #[test]
    fn no_game_runs_out_of_time() {
        let mut random = Random::new(6);
        for game in 0..2000 {
            let time = [0.1, 1.0, 2.0, 10.0][game % 4];
            let inc = if time < 1.0 { 0.005 } else { [0.0, 0.005, 0.02][game % 3] };
            let moves = [None, Some(1), Some(2), Some(50)][game / 12 % 4];
            let overhead = Duration::from_millis([0, 20, 100][game / 48 % 3]);
            play(&Clock { time, inc, moves }, 100, overhead, &mut random);
        }
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
