//! Errors of the board itself. Each notation has its own in [`crate::notation`].

use thiserror::Error;

use crate::color::Color;
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
