//! The contents of an opening book.

use movegen::notation::moves::format_move;
use movegen::{Move, Position};
use schemars::JsonSchema;
use serde::Serialize;

use meerslag_book::{LineMove, MoveEntry, PositionEntry};
use movegen::Score;
use movegen::json::Record;

/// A position for programs. Scores are in men and for the side to move.
#[derive(Serialize, JsonSchema)]
pub struct BookRecord {
    /// The position.
    fen: Position,
    /// Whether it is in the book; the rest is empty if not.
    in_book: bool,
    /// Games that reached it.
    games: u32,
    /// Its value by all that the book knows, in men.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// Its value by a search of it, in men.
    #[serde(skip_serializing_if = "Option::is_none")]
    searched: Option<f64>,
    /// The depth of that search.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
    /// The best first.
    moves: Vec<BookMoveRecord>,
    /// The lines of the book from here, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<Vec<BookTreeMoveRecord>>,
}

impl BookRecord {
    /// A position with its moves, in the order to show them.
    #[must_use]
    pub fn new(
        position: &Position,
        entry: &PositionEntry,
        moves: &[(Move, MoveEntry)],
    ) -> BookRecord {
        BookRecord {
            in_book: true,
            games: entry.games,
            score: entry.score.map(Score::men),
            searched: entry.searched.map(|searched| searched.score.men()),
            depth: entry.searched.map(|searched| searched.depth),
            moves: moves
                .iter()
                .map(|(mv, entry)| BookMoveRecord::new(position, *mv, entry))
                .collect(),
            ..BookRecord::missing(position)
        }
    }

    /// A position that the book does not know.
    #[must_use]
    pub fn missing(position: &Position) -> BookRecord {
        BookRecord {
            fen: *position,
            in_book: false,
            games: 0,
            score: None,
            searched: None,
            depth: None,
            moves: Vec::new(),
            tree: None,
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
    mv: Move,
    /// The move for people.
    text: String,
    /// Games where it was played.
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
    /// Its value by all that the book knows, in men.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    /// Whether it was not played and links two known positions.
    link: bool,
}

impl BookMoveRecord {
    fn new(position: &Position, mv: Move, entry: &MoveEntry) -> BookMoveRecord {
        BookMoveRecord {
            mv,
            text: format_move(position, mv),
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

/// A move of the lines of a book. The moves that follow it come next, each with one ply more.
#[derive(Serialize, JsonSchema)]
pub struct BookTreeMoveRecord {
    /// Plies from the first position of the tree.
    ply: usize,
    /// The move.
    #[serde(flatten)]
    played: BookMoveRecord,
    /// Whether what follows is elsewhere in the tree, after another order of moves.
    repeated: bool,
}

impl BookTreeMoveRecord {
    /// The moves of a tree.
    #[must_use]
    pub fn of(tree: &[LineMove]) -> Vec<BookTreeMoveRecord> {
        let record = |&LineMove { ply, ref position, mv, ref entry, is_repeated }: &LineMove| {
            let played = BookMoveRecord::new(position, mv, entry);
            BookTreeMoveRecord { ply, played, repeated: is_repeated }
        };
        tree.iter().map(record).collect()
    }
}
