//! Text in and out: FEN, Hub, DXP and move text.
//!
//! Reading is tolerant where real files differ, and every refusal says where and what was
//! expected; writing is strict and has one form for each thing. One file per format.

pub mod dxp;
pub mod fen;
pub mod hub;
pub mod moves;

pub use fen::{Fen, FenErrorKind, FenWarning, ParseFenError, StrandedMen};
pub use moves::ParseMoveError;
