//! The moves of a book position, for people and for programs.

use meerslag_book::{Book, LineMove, MoveEntry, PositionEntry};
use meerslag_study::records::BookRecord;
use movegen::Score;
use movegen::notation::moves::format_move;
use movegen::words::counted;
use movegen::{Move, Position};

/// A position of a book with its moves, the best first: by score, then by estimate, then by games.
pub(in crate::cli) struct BookPosition {
    pub(in crate::cli) entry: PositionEntry,
    pub(in crate::cli) moves: Vec<(Move, MoveEntry)>,
    position: Position,
}

impl BookPosition {
    /// What the book knows about a position, for either side to move.
    pub(in crate::cli) fn find(book: &Book, position: &Position) -> Option<BookPosition> {
        let (entry, moves) = book.best_first(position)?;
        Some(BookPosition { entry, moves, position: *position })
    }

    /// The data about the position itself, such as `12 games, score +0.04`.
    pub(in crate::cli) fn summary(&self) -> String {
        let PositionEntry { games, score, searched, .. } = &self.entry;
        let mut parts = Vec::new();
        if *games > 0 {
            parts.push(counted(*games, "game"));
        }
        if score.is_some() {
            parts.push(format!("score {}", score_text(*score)));
        }
        if let Some(searched) = searched {
            let score = score_text(Some(searched.score));
            parts.push(format!("searched {score} at depth {}", searched.depth));
        }
        if parts.is_empty() { "in the book".to_owned() } else { parts.join(", ") }
    }

    /// A table with a line for each move. A book that was searched has no games.
    pub(in crate::cli) fn to_text(&self) -> String {
        let has_games = self.moves.iter().any(|(_, entry)| entry.games > 0);
        let mut text = format!("{:<10} {}", "move", columns(None, has_games));
        text.push('\n');
        for (mv, entry) in &self.moves {
            let link = if entry.is_link { "  link" } else { "" };
            let mv = format_move(&self.position, *mv);
            let line = format!("{mv:<10} {}{link}", columns(Some(entry), has_games));
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

/// The columns of a move, or their heading without one.
fn columns(entry: Option<&MoveEntry>, has_games: bool) -> String {
    let Some(entry) = entry else {
        let games = format!(" {:>8} {:>18} {:>9}", "games", "+ = -", "est.");
        return format!("{:>7}{}", "score", if has_games { &games } else { "" });
    };
    let score = format!("{:>7}", score_text(entry.score));
    if !has_games {
        return score;
    }
    let results = match entry.wins | entry.draws | entry.losses {
        0 => String::new(),
        _ => format!("{} {} {}", entry.wins, entry.draws, entry.losses),
    };
    let estimate = match entry.estimate {
        0 => String::new(),
        estimate => format!("{:.2}", f64::from(estimate) / 100.0),
    };
    format!("{score} {:>8} {results:>18} {estimate:>9}", entry.games)
}

/// A tree with a line for each move, further to the right with each ply.
pub(super) fn tree_text(tree: &[LineMove]) -> String {
    if tree.is_empty() {
        return String::new();
    }
    let has_games = tree.iter().any(|next| next.entry.games > 0);
    let mut text = format!("{}  move\n", columns(None, has_games));
    for LineMove { ply, position, mv, entry, is_repeated } in tree {
        let (indent, mv) = (2 * ply, format_move(position, *mv));
        let repeated = if *is_repeated { "  (its moves are elsewhere)" } else { "" };
        let columns = columns(Some(entry), has_games);
        text.push_str(&format!("{columns}  {:indent$}{mv}{repeated}\n", ""));
    }
    text
}
