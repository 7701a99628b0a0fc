//! What a player used of the time it was allowed.

use movegen::Color;
use serde::Serialize;

use super::clock::TimeControl;
use super::match_game::MatchGame;

/// Time used and allowed over all games of a player.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct TimeUse {
    /// Seconds used.
    pub used_s: f64,
    /// Seconds allowed: of a clock all that was on it at the start and was added until the last
    /// move, without a clock what each move may take.
    pub allowed_s: f64,
    /// The least that was left on the clock after a move, in seconds; `None` without a clock.
    pub least_left_s: Option<f64>,
}

impl TimeUse {
    /// Adds the moves of one side in a game.
    pub fn add(&mut self, game: &MatchGame, side: Color, control: &TimeControl) {
        let first = usize::from(game.record.start.side_to_move() != side);
        let own = || game.record.plies.iter().skip(first).step_by(2);
        let Some(allowed) = control.allowed(own().count() as u32) else { return };
        self.allowed_s += allowed;
        self.used_s += own().filter_map(|ply| ply.time).sum::<f64>();
        let left = own().filter_map(|ply| ply.clock).chain(self.least_left_s);
        self.least_left_s = left.reduce(f64::min);
    }

    /// The share of the allowed time that was used; `None` if no time was allowed.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        (self.allowed_s > 0.0).then(|| self.used_s / self.allowed_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameRecord, PlyRecord};
    use crate::runner::Termination;
    use crate::runner::schedule::Pairing;
    use movegen::{Game, Position};

    #[test]
    fn each_side_has_its_own_moves() {
        let mut game = Game::new(Position::initial());
        let mut record = GameRecord::new(Position::initial());
        for (time, clock) in [(1.0, 9.5), (2.0, 8.5), (0.5, 9.5), (4.0, 5.0), (1.5, 8.5)] {
            let mv = game.position().legal_moves()[0];
            game.play(mv).unwrap();
            record.plies.push(PlyRecord {
                time: Some(time),
                clock: Some(clock),
                ..PlyRecord::from(mv)
            });
        }
        let game = MatchGame {
            game: 0,
            pairing: Pairing { white: 0, black: 1, pair: 0, opening: 0 },
            record,
            termination: Termination::MoveLimit,
            detail: String::new(),
            tail: Vec::new(),
            overhead_us: 0.0,
            latency_us: [None; 2],
        };
        let used = |side, control: &str| {
            let mut time = TimeUse::default();
            time.add(&game, side, &control.parse().unwrap());
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
