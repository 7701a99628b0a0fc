//! Where the pieces stand.

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::geometry::{self, SQUARES};

/// Where the pieces stand, without the side to move: the three bitboards of the Kingsrow
/// databases, as words in the layout of [`Bitboard`].
///
/// A board is valid if the sets are within the fifty squares, `black` and `white` disjoint, `kings`
/// a subset of the two, and no man on its promotion row. [`Board::position`] checks this;
/// everything else relies on it, and gives meaningless results otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Board {
    /// Black pieces.
    pub black: u64,
    /// White pieces.
    pub white: u64,
    /// Kings of both colours.
    pub kings: u64,
}

/// The bits of the row where a side's men become kings.
#[inline(always)]
pub(crate) const fn promotion_row<const WHITE: bool>() -> u64 {
    Bitboard::promotion_row(if WHITE { Color::White } else { Color::Black }).bits()
}

impl Board {
    /// Whether the board is valid, and not empty.
    #[inline(always)]
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        let &Board { black, white, kings } = self;
        let pieces = black | white;
        let stranded = black & promotion_row::<false>() | white & promotion_row::<true>();
        pieces != 0 && pieces & !SQUARES | black & white | kings & !pieces | stranded & !kings == 0
    }

    /// The board turned by 180 degrees with the colours swapped.
    #[inline(always)]
    #[must_use]
    pub const fn reversed(&self) -> Board {
        Board {
            black: geometry::turned(self.white),
            white: geometry::turned(self.black),
            kings: geometry::turned(self.kings),
        }
    }

    /// The empty squares.
    #[inline]
    #[must_use]
    pub const fn empty(&self) -> u64 {
        SQUARES & !(self.black | self.white)
    }

    #[inline(always)]
    pub(crate) const fn own<const WHITE: bool>(&self) -> u64 {
        if WHITE { self.white } else { self.black }
    }

    #[inline(always)]
    pub(crate) const fn enemy<const WHITE: bool>(&self) -> u64 {
        if WHITE { self.black } else { self.white }
    }

    /// The board after a quiet move of a man that does not promote.
    #[inline(always)]
    pub(crate) const fn after_plain_step<const WHITE: bool>(&self, from: u64, to: u64) -> Board {
        let flip = from | to;
        if WHITE {
            Board { white: self.white ^ flip, ..*self }
        } else {
            Board { black: self.black ^ flip, ..*self }
        }
    }

    /// The board after a quiet move of a man.
    #[inline(always)]
    pub(crate) const fn after_man<const WHITE: bool>(&self, from: u64, to: u64) -> Board {
        let kings = self.kings | to & promotion_row::<WHITE>();
        Board { kings, ..self.after_plain_step::<WHITE>(from, to) }
    }

    /// The board after a quiet move of a king.
    #[inline(always)]
    pub(crate) const fn after_king<const WHITE: bool>(&self, from: u64, to: u64) -> Board {
        let flip = from | to;
        if WHITE {
            Board { white: self.white ^ flip, kings: self.kings ^ flip, ..*self }
        } else {
            Board { black: self.black ^ flip, kings: self.kings ^ flip, ..*self }
        }
    }

    /// The board after a capture by a man; `from` and `to` may be equal.
    #[inline(always)]
    pub(crate) const fn after_man_capture<const WHITE: bool>(
        &self,
        from: u64,
        to: u64,
        captured: u64,
    ) -> Board {
        let kings = self.kings & !captured | to & promotion_row::<WHITE>();
        if WHITE {
            Board { white: self.white & !from | to, black: self.black & !captured, kings }
        } else {
            Board { black: self.black & !from | to, white: self.white & !captured, kings }
        }
    }

    /// The board after a capture; `from` and `to` may be equal.
    #[inline(always)]
    pub(crate) const fn after_capture<const WHITE: bool>(
        &self,
        from: u64,
        to: u64,
        captured: u64,
    ) -> Board {
        let was_king = self.kings & from != 0;
        let crowned = if was_king { to } else { to & promotion_row::<WHITE>() };
        let kings = self.kings & !(from | captured) | crowned;
        if WHITE {
            Board { white: self.white & !from | to, black: self.black & !captured, kings }
        } else {
            Board { black: self.black & !from | to, white: self.white & !captured, kings }
        }
    }
}
