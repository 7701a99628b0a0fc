//! Errors of the board itself. Each notation has its own in [`crate::notation`].

use thiserror::Error;

use crate::color::Color;
use crate::moves::Move;
use crate::position::Position;
use crate::square::Square;

/// A text that is no square number.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{text}' is not a square: expected a number from 1 to 50")]
pub struct ParseSquareError {
    /// The offending text (at most 20 characters).
    pub text: String,
}

/// Why a set-up is not a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PositionError {
    /// Two pieces on one square.
    #[error("square {0} holds more than one piece")]
    Overlap(Square),
    /// A man that should have been promoted (rules, article on promotion).
    #[error("{color} has a man on square {square}, its own promotion row")]
    ManOnPromotionRow {
        /// The owner of the man.
        color: Color,
        /// Where it stands.
        square: Square,
    },
    /// Neither side has a piece.
    #[error("the board is empty: a position needs at least one piece")]
    EmptyBoard,
}

/// A move that the rules do not allow in the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("{mv} is not a legal move after {ply} plies ({position:?})")]
pub struct IllegalMove {
    /// The refused move.
    pub mv: Move,
    /// How many plies had been played.
    pub ply: usize,
    /// The position in which it was tried.
    pub position: Position,
}

/// A text that names no draw rules.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{text}' names no draw rules: expected lidraughts, fmjd-cumulative, scan or none")]
pub struct ParseDrawRulesError {
    /// The offending text (at most 40 characters).
    pub text: String,
}
