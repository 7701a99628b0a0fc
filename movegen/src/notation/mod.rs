//! Text in and out: FEN, Hub, DXP, move text and PDN.
//!
//! Reading is tolerant where real files differ, and every error gives the place and what was
//! expected; writing is strict and has one form for each thing. One file per format.

pub mod dxp;
pub mod fen;
pub mod hub;
mod letters;
pub mod moves;
pub mod pdn;
mod route;
mod text;

pub use fen::{Fen, FenErrorKind, FenWarning, ParseFenError, StrandedMen};
pub use moves::{
    MoveListError, ParseMoveError, format_long, format_move, parse_move, parse_move_list,
};
