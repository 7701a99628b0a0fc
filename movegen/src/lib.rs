//! Rules, move generation and notation of international draughts (10x10).

// One module calls into newer instruction sets: `gen::isa`.
#![deny(unsafe_code)]

mod bitboard;
mod color;
mod error;
mod r#gen;
mod moves;
pub mod perft;
mod piece;
mod position;
mod setup;
mod square;
mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use color::Color;
pub use error::{ParseSquareError, PositionError};
pub use moves::{INLINE_MOVES, Move, MoveList};
pub use piece::{Kind, Piece};
pub use position::Position;
pub use setup::Setup;
pub use square::Square;
