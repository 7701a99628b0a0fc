//! How much of their allowed time players use.

use std::time::Duration;

use movegen::Color;

use crate::clocks::control::TimeControl;
use meerslag_study::record::{GameRecord, PlyRecord};

/// One side's use of time in a game.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Spent {
    /// Moves that it made.
    pub moves: u32,
    /// The time that they took.
    pub used: Duration,
    /// The least number of seconds on its clock after a move, below 0 for a player that may
    /// overrun; `None` without a clock.
    pub least_left_s: Option<f64>,
}

impl Spent {
    /// Adds up the moves of a side.
    #[must_use]
    pub fn of(record: &GameRecord, side: Color) -> Spent {
        let first = usize::from(record.start.side_to_move() != side);
        let own = record.plies.iter().skip(first).step_by(2);
        own.fold(Spent::default(), |spent, ply| Spent {
            moves: spent.moves + 1,
            used: spent.used.saturating_add(move_time(ply)),
            least_left_s: spent.least_left_s.into_iter().chain(ply.clock).reduce(f64::min),
        })
    }
}

/// The time of a move; zero if it is not known.
pub(in crate::runner) fn move_time(ply: &PlyRecord) -> Duration {
    ply.time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or_default()
}

/// Time used and allowed over all games of a player.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TimeUse {
    /// The time used.
    pub used: Duration,
    /// The time allowed: with a clock, its time at the start and all added until the last move.
    pub allowed: Duration,
    /// The least number of seconds on the clock after a move; `None` without a clock.
    pub least_left_s: Option<f64>,
}

impl TimeUse {
    /// Adds a game.
    pub fn add(&mut self, spent: &Spent, control: &TimeControl) {
        let Some(allowed) = control.allowed(spent.moves) else { return };
        self.allowed = self.allowed.saturating_add(allowed);
        self.used = self.used.saturating_add(spent.used);
        let left = self.least_left_s.into_iter().chain(spent.least_left_s);
        self.least_left_s = left.reduce(f64::min);
    }

    /// The share of the allowed time that was used; `None` if no time was allowed.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        (!self.allowed.is_zero()).then(|| self.used.div_duration_f64(self.allowed))
    }
}

#[cfg(test)]
mod tests {
    use movegen::{Game, Position};

    use super::*;

    #[test]
    fn each_side_has_its_own_moves() {
        let mut game = Game::new(Position::initial());
        let mut record = GameRecord::new(Position::initial());
        for (time, clock) in [(1.0, 9.5), (2.0, 8.5), (0.5, 9.5), (4.0, 5.0), (1.5, 8.5)] {
            let mv = game.position().legal_moves()[0];
            game.play(mv).unwrap();
            let (time, clock) = (Some(time), Some(clock));
            record.plies.push(PlyRecord { time, clock, ..PlyRecord::from(mv) });
        }
        let used = |side, control: &str| {
            let mut time = TimeUse::default();
            time.add(&Spent::of(&record, side), &control.parse().unwrap());
            time
        };
        let white = used(Color::White, "10+0.5");
        let millis = Duration::from_millis;
        assert_eq!((white.used, white.allowed), (millis(3_000), millis(11_500)));
        assert_eq!(white.least_left_s, Some(8.5));
        let black = used(Color::Black, "10+0.5");
        assert_eq!((black.used, black.allowed), (millis(6_000), millis(11_000)));
        assert_eq!(black.least_left_s, Some(5.0));
        assert_eq!(used(Color::White, "move=2").share(), Some(0.5));
        assert_eq!(used(Color::White, "2/10").allowed, millis(20_000));
        assert_eq!(used(Color::White, "nodes=100").share(), None);
    }
}
