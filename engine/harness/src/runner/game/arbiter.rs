//! Endgame databases as an arbiter.

use std::path::PathBuf;

use egdb::error::OpenError;
use egdb::{Category, DatabaseOptions, Probe};
use movegen::notation::pdn::GameResult;
use movegen::{DrawRules, Game};

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

    /// The exact result with best play of both under the draw rules, and a description; `None` if the
    /// databases do not know the position, or not whether a win comes before a draw by counting.
    pub fn verdict(&self, game: &Game, rules: DrawRules) -> Option<(GameResult, String)> {
        let position = game.position();
        if !self.0.reaches(position) {
            return None;
        }
        // A damaged file must not end a match; the game just continues.
        let category = self.0.category(position, game.counters(), rules).ok()??;
        let side = position.side_to_move();
        let (result, word) = match category {
            Category::Win => (GameResult::won_by(side), "wins"),
            Category::CursedWin | Category::Draw | Category::BlessedLoss => {
                (GameResult::Draw, "draws")
            }
            Category::Loss => (GameResult::won_by(side.opponent()), "loses"),
        };
        Some((result, format!("{side} to move {word} with {} pieces", position.piece_count())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::{DrawCounters, Position};

    #[test]
    fn a_win_that_comes_too_late_is_a_draw() {
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
            let drawn = Some(GameResult::Draw);
            assert_eq!(verdict(left, DrawRules::default()), drawn, "{left}");
            assert_eq!(verdict(left, DrawRules::Scan), Some(GameResult::WhiteWins), "{left}");
        }
    }
}
