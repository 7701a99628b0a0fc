//! The moves of a book position, for people and for programs.

use std::cmp::Reverse;

use meerslag_engine::Score;
use meerslag_engine::book::{Book, MoveEntry, PositionEntry};
use movegen::notation::moves::format_move;
use movegen::{Move, Position};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::json::Record;

/// A position of a book with its moves, the best first: by score, then by estimate, then by games.
pub(in crate::cli) struct BookPosition {
    pub(in crate::cli) entry: PositionEntry,
    pub(in crate::cli) moves: Vec<(Move, MoveEntry)>,
    position: Position,
}

impl BookPosition {
    /// What the book knows of a position, whichever side is to move.
    pub(in crate::cli) fn find(book: &Book, position: &Position) -> Option<BookPosition> {
        let (entry, mut moves) = book.look_up(position)?;
        let worth = |entry: &MoveEntry| (entry.score, entry.estimate, entry.games);
        moves.sort_by_key(|(_, entry)| Reverse(worth(entry)));
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
        BookRecord {
            fen: self.position.to_fen(),
            in_book: true,
            games: self.entry.games,
            score: self.entry.score.map(Score::men),
            searched: self.entry.searched.map(|searched| searched.score.men()),
            depth: self.entry.searched.map(|searched| searched.depth),
            moves: self.moves.iter().map(|(mv, entry)| BookMoveRecord::new(*mv, entry)).collect(),
        }
    }
}

/// `+0.04`, or nothing.
pub(in crate::cli) fn score_text(score: Option<Score>) -> String {
    score.map_or_else(String::new, |score| format!("{:+.2}", score.men()))
}

/// A position for programs. Scores are in men and for the side to move.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct BookRecord {
    /// The position.
    fen: String,
    /// Whether it is in the book; the rest is empty if not.
    in_book: bool,
    /// Games that reached it.
    games: u32,
    /// What it is worth by all that the book knows, in men.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// What a search of it found, in men.
    #[serde(skip_serializing_if = "Option::is_none")]
    searched: Option<f64>,
    /// The depth of that search.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
    /// The best first.
    moves: Vec<BookMoveRecord>,
}

impl BookRecord {
    /// A position that the book does not know.
    pub(in crate::cli) fn missing(position: &Position) -> BookRecord {
        BookRecord {
            fen: position.to_fen(),
            in_book: false,
            games: 0,
            score: None,
            searched: None,
            depth: None,
            moves: Vec::new(),
        }
    }
}

impl Record for BookRecord {
    const TYPE: &'static str = "book";
}

/// A move for programs, in Hub notation.
#[derive(Serialize, JsonSchema)]
struct BookMoveRecord {
    /// The move.
    #[serde(rename = "move")]
    mv: String,
    /// Games in which it was played.
    games: u32,
    /// Of these, won by the side to move.
    wins: u32,
    /// Drawn.
    draws: u32,
    /// Lost.
    losses: u32,
    /// How good it is by frequency and result.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<f64>,
    /// What it is worth by all that the book knows, in men.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// Whether it was not played and links two known positions.
    link: bool,
}

impl BookMoveRecord {
    fn new(mv: Move, entry: &MoveEntry) -> BookMoveRecord {
        BookMoveRecord {
            mv: mv.to_string(),
            games: entry.games,
            wins: entry.wins,
            draws: entry.draws,
            losses: entry.losses,
            estimate: (entry.estimate > 0).then(|| f64::from(entry.estimate) / 100.0),
            score: entry.score.map(Score::men),
            link: entry.is_link,
        }
    }
}
