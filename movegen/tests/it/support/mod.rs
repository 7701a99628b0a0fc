//! Shared by several test files.

pub mod mailbox;
pub mod random;

use movegen::{Move, Position, Square};

/// The position of a FEN that is known to be good.
pub fn fen(text: &str) -> Position {
    Position::from_fen(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The square with this number.
pub fn square(number: u8) -> Square {
    Square::new(number).unwrap()
}

/// The legal move that `Display` writes like this.
pub fn mv(position: &Position, text: &str) -> Move {
    let moves = position.legal_moves();
    let found = moves.iter().find(|mv| mv.to_string() == text);
    *found.unwrap_or_else(|| panic!("{text} is not legal in {position:?}: {moves:?}"))
}
