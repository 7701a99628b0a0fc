//! What players use of the time they are allowed.

use movegen::Color;

use super::clock::TimeControl;
use meerslag_study::record::GameRecord;

/// What one side used of its time in a game.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Spent {
    /// Moves that it made.
    pub moves: u32,
    /// Seconds that they took.
    pub seconds: f64,
    /// The least that was on its clock after a move, in seconds; `None` without a clock.
    pub least_left: Option<f64>,
}

impl Spent {
    /// Adds up the moves of a side.
    #[must_use]
    pub fn of(record: &GameRecord, side: Color) -> Spent {
        let first = usize::from(record.start.side_to_move() != side);
        let own = record.plies.iter().skip(first).step_by(2);
        own.fold(Spent::default(), |spent, ply| Spent {
            moves: spent.moves + 1,
            seconds: spent.seconds + ply.time.unwrap_or(0.0),
            least_left: spent.least_left.into_iter().chain(ply.clock).reduce(f64::min),
        })
    }
}

/// Time used and allowed over all games of a player.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TimeUse {
    /// Seconds used.
    pub used_s: f64,
    /// Seconds allowed: of a clock all that was on it at the start and was added until the last
    /// move, without a clock what each move may take; 0 if time is not limited.
    pub allowed_s: f64,
    /// The least that was left on the clock after a move, in seconds; `None` without a clock.
    pub least_left_s: Option<f64>,
}

impl TimeUse {
    /// Adds a game.
    pub fn add(&mut self, spent: &Spent, control: &TimeControl) {
        let Some(allowed) = control.allowed(spent.moves) else { return };
        self.allowed_s += allowed;
        self.used_s += spent.seconds;
        self.least_left_s = self.least_left_s.into_iter().chain(spent.least_left).reduce(f64::min);
    }

    /// The share of the allowed time that was used; `None` if no time was allowed.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        (self.allowed_s > 0.0).then(|| self.used_s / self.allowed_s)
    }
}

#[cfg(test)]
mod tests {
    use movegen::{Game, Position};

    use super::*;
    use meerslag_study::record::PlyRecord;

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
        assert_eq!((white.used_s, white.allowed_s, white.least_left_s), (3.0, 11.5, Some(8.5)));
        let black = used(Color::Black, "10+0.5");
        assert_eq!((black.used_s, black.allowed_s, black.least_left_s), (6.0, 11.0, Some(5.0)));
        assert_eq!(used(Color::White, "move=2").share(), Some(0.5));
        assert_eq!(used(Color::White, "2/10").allowed_s, 20.0);
        assert_eq!(used(Color::White, "nodes=100").share(), None);
    }
}
