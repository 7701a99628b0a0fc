#![doc = include_str!("../README.md")]
// One module calls into newer instruction sets: `isa`.
#![deny(unsafe_code)]

mod bitboard;
mod board;
mod chance;
mod color;
pub mod draw;
mod game;
mod generator;
pub mod geometry;
pub mod isa;
#[cfg(feature = "json")]
pub mod json;
pub mod key;
mod moves;
pub mod notation;
pub mod perft;
mod piece;
mod position;
pub mod random;
mod score;
mod setup;
mod square;
mod variant;
mod wld;
pub mod words;
mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use board::Board;
pub use chance::Chance;
pub use color::Color;
pub use draw::{DrawCounters, DrawReason, DrawRules, MaterialClass, ParseDrawRulesError};
pub use game::{Game, IllegalMove, Status, WinReason};
pub use moves::{INLINE_MOVES, Move, MoveList};
pub use notation::{Fen, ParseFenError, ParseMoveError};
pub use piece::{Kind, Piece};
pub use position::Position;
pub use score::{Bound, Score};
pub use setup::{PositionError, Setup};
pub use square::{ParseSquareError, Square};
pub use variant::{KingRun, ParseVariantError, Variant};
pub use wld::Wld;
