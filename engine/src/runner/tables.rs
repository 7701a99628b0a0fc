//! Endgame databases as an arbiter.

use std::path::PathBuf;

use egdb::error::OpenError;
use egdb::{OpenOptions, Probe, Wld};
use movegen::{Color, Position};

use super::stats::Outcome;

/// Open databases, shared by all games.
#[derive(Debug)]
pub(super) struct Tables(Probe);

impl Tables {
    /// Opens the databases in these folders; `None` if there are no folders.
    ///
    /// # Errors
    /// If a folder has no usable database.
    pub fn open(folders: &[PathBuf]) -> Result<Option<Tables>, OpenError> {
        if folders.is_empty() {
            return Ok(None);
        }
        Ok(Some(Tables(Probe::open(folders, &OpenOptions::default())?)))
    }

    /// White's exact result with best play of both, and a description; `None` if the databases do
    /// not know the position. Draw rules that count moves are not considered.
    pub fn verdict(&self, position: &Position) -> Option<(Outcome, String)> {
        if position.piece_count() > u32::from(self.0.max_pieces()) {
            return None;
        }
        // A damaged file must not end a match; the game just goes on.
        let value = self.0.wld(position).ok()??;
        let side = position.side_to_move();
        let (outcome, word) = match value {
            Wld::Win => (Outcome::Win, "wins"),
            Wld::Draw => (Outcome::Draw, "draws"),
            Wld::Loss => (Outcome::Loss, "loses"),
        };
        let white = if side == Color::White { outcome } else { outcome.reversed() };
        Some((white, format!("{side} to move {word} with {} pieces", position.piece_count())))
    }
}
