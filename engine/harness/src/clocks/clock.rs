//! The clocks of a game.

use std::time::Duration;

use crate::clocks::control::TimeControl;
use crate::clocks::control::seconds;
use meerslag_search::{Clock, Limits};

/// One player's clock.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GameClock {
    control: TimeControl,
    /// The time on the clock at the start plus increments since, without that of the next move.
    given: Duration,
    /// The time of the moves, less what was forgiven.
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

    /// The time control left after this many own moves, for a program that joins the game only now.
    #[must_use]
    pub fn left_of(&self, own_moves: u32) -> TimeControl {
        let time = self.given.saturating_sub(self.used);
        let moves = self.control.moves.map(|moves| moves.saturating_sub(own_moves).max(1));
        TimeControl { time, moves, ..self.control }
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

    /// How much a player that may overrun its time has done so.
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
