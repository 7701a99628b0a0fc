//! Unchecked set-ups: the contents of a FEN or a set-up board before it is known to be a position.

use thiserror::Error;

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::piece::{Kind, Piece};
use crate::square::Square;

/// Piece sets and side to move, not checked: sets may overlap, men may be on their promotion row,
/// the board may be empty. [`Setup::position`] checks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    /// The side to move.
    pub side: Color,
    /// Men, indexed by [`Color::index`].
    pub men: [Bitboard; 2],
    /// Kings, indexed by [`Color::index`].
    pub kings: [Bitboard; 2],
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
        /// Its place.
        square: Square,
    },
    /// Neither side has a piece.
    #[error("the board is empty: a position needs at least one piece")]
    EmptyBoard,
    /// Moves of a king in a row where the three-move rule of Frisian counts none.
    #[error(
        "{color} has no king on square {square} whose moves count: Frisian counts 1 to 3 moves in \
         a row of a king whose side has men"
    )]
    KingRun {
        /// Whose king it should be.
        color: Color,
        /// Its place.
        square: Square,
    },
}

impl Setup {
    /// An empty board.
    #[must_use]
    pub const fn empty(side: Color) -> Setup {
        Setup { side, men: [Bitboard::EMPTY; 2], kings: [Bitboard::EMPTY; 2] }
    }

    /// All occupied squares.
    #[must_use]
    pub fn occupied(&self) -> Bitboard {
        self.men[0] | self.men[1] | self.kings[0] | self.kings[1]
    }

    /// The set of this kind of piece.
    #[must_use]
    pub const fn pieces(&self, piece: Piece) -> Bitboard {
        match piece.kind {
            Kind::Man => self.men[piece.color.index()],
            Kind::King => self.kings[piece.color.index()],
        }
    }

    /// Puts a piece on a square, replacing any other.
    pub fn put(&mut self, piece: Piece, square: Square) {
        let set = match piece.kind {
            Kind::Man => &mut self.men,
            Kind::King => &mut self.kings,
        };
        set[piece.color.index()] |= square.bitboard();
    }

    /// Crowns men on their own promotion row; returns how many there were.
    pub fn promote_stranded_men(&mut self) -> u32 {
        let mut count = 0;
        for color in Color::ALL {
            let stranded = self.men[color.index()] & Bitboard::promotion_row(color);
            self.men[color.index()] = self.men[color.index()] - stranded;
            self.kings[color.index()] |= stranded;
            count += stranded.len();
        }
        count
    }

    /// Whether this is a position.
    ///
    /// # Errors
    /// Two pieces on a square, a man on its own promotion row, or an empty board. The first
    /// offence by square number is reported.
    pub fn check(&self) -> Result<(), PositionError> {
        let mut seen = Bitboard::EMPTY;
        let mut twice = Bitboard::EMPTY;
        for set in self.men.into_iter().chain(self.kings) {
            twice |= seen & set;
            seen |= set;
        }
        if let Some(square) = twice.first() {
            return Err(PositionError::Overlap(square));
        }
        for color in Color::ALL {
            let stranded = self.men[color.index()] & Bitboard::promotion_row(color);
            if let Some(square) = stranded.first() {
                return Err(PositionError::ManOnPromotionRow { color, square });
            }
        }
        if seen.is_empty() {
            return Err(PositionError::EmptyBoard);
        }
        Ok(())
    }
}
