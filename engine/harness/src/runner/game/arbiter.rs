//! Endgame databases as an arbiter.

use std::path::PathBuf;

use egdb::error::OpenError;
use egdb::{DatabaseOptions, Probe, Wld};
use movegen::notation::pdn::GameResult;
use movegen::{DrawRules, Game};

use meerslag_search::endgame::is_won_in_time;

/// Ends games whose result the databases know. Shared by all games.
#[derive(Debug)]
pub(in crate::runner) struct Arbiter(Probe);

impl Arbiter {
    /// Opens the databases in these folders; `None` if there are no folders.
    ///
    /// # Errors
    /// If a folder has no usable database.
    pub fn open(folders: &[PathBuf]) -> Result<Option<Arbiter>, OpenError> {
        if folders.is_empty() {
            return Ok(None);
        }
        Ok(Some(Arbiter(DatabaseOptions::in_folders(folders).open()?)))
    }

    /// The exact result with best play of both, and a description; `None` if the databases do
    /// not know the position, or a draw by counting might come before the win.
    pub fn verdict(&self, game: &Game, rules: DrawRules) -> Option<(GameResult, String)> {
        let position = game.position();
        if !self.0.reaches(position) {
            return None;
        }
        // A damaged file must not end a match; the game just continues.
        let value = self.0.wld(position).ok()??;
        let dtw = || self.0.dtw(position).ok().flatten();
        if value != Wld::Draw && !is_won_in_time(game.counters(), rules, dtw) {
            return None;
        }
        let side = position.side_to_move();
        let (result, word) = match value {
            Wld::Win => (GameResult::won_by(side), "wins"),
            Wld::Draw => (GameResult::Draw, "draws"),
            Wld::Loss => (GameResult::won_by(side.opponent()), "loses"),
        };
        Some((result, format!("{side} to move {word} with {} pieces", position.piece_count())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::{DrawCounters, Position};

    #[test]
    fn a_win_that_comes_too_late_is_played_out() {
        let arbiter = Arbiter(Probe::embedded().unwrap());
        // Black, to move, loses in 8 plies.
        let position = Position::from_fen("B:WK2,K6:BK11").unwrap();
        let verdict = |left: u16, rules| {
            let counters = DrawCounters::with_plies(&position, 10 - left);
            let game = Game::with_counters(position, counters);
            arbiter.verdict(&game, rules).map(|(result, _)| result)
        };
        for left in 8..=10 {
            assert_eq!(verdict(left, DrawRules::default()), Some(GameResult::WhiteWins), "{left}");
        }
        for left in 1..8 {
            assert_eq!(verdict(left, DrawRules::default()), None, "{left}");
            assert_eq!(verdict(left, DrawRules::Scan), Some(GameResult::WhiteWins), "{left}");
        }
    }
}
