//! The moves of a book position, for people and for programs.

use meerslag_engine::Score;
use meerslag_engine::book::{Book, MoveEntry, PositionEntry};
use meerslag_engine::records::BookRecord;
use movegen::notation::moves::format_move;
use movegen::{Move, Position};

/// A position of a book with its moves, the best first: by score, then by estimate, then by games.
pub(in crate::cli) struct BookPosition {
    pub(in crate::cli) entry: PositionEntry,
    pub(in crate::cli) moves: Vec<(Move, MoveEntry)>,
    position: Position,
}

impl BookPosition {
    /// What the book knows of a position, whichever side is to move.
    pub(in crate::cli) fn find(book: &Book, position: &Position) -> Option<BookPosition> {
        let (entry, moves) = book.best_first(position)?;
        Some(BookPosition { entry, moves, position: *position })
    }

    /// A table with a line for each move.
    pub(in crate::cli) fn to_text(&self) -> String {
        let mut text =
            format!("{:<10} {:>7} {:>8} {:>18} {:>9}\n", "move", "score", "games", "+ = -", "est.");
        for (mv, entry) in &self.moves {
            let results = match entry.wins | entry.draws | entry.losses {
                0 => String::new(),
                _ => format!("{} {} {}", entry.wins, entry.draws, entry.losses),
            };
            let estimate = match entry.estimate {
                0 => String::new(),
                estimate => format!("{:.2}", f64::from(estimate) / 100.0),
            };
            let line = format!(
                "{:<10} {:>7} {:>8} {results:>18} {estimate:>9}{}",
                format_move(&self.position, *mv),
                score_text(entry.score),
                entry.games,
                if entry.is_link { "  link" } else { "" },
            );
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// For programs.
    pub(in crate::cli) fn to_record(&self) -> BookRecord {
        BookRecord::new(&self.position, &self.entry, &self.moves)
    }
}

/// `+0.04`, or nothing.
pub(in crate::cli) fn score_text(score: Option<Score>) -> String {
    score.map_or_else(String::new, |score| format!("{:+.2}", score.men()))
}
