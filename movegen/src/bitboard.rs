//! Sets of squares as 54-bit numbers.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub};

use crate::color::Color;
use crate::geometry::{self, Bits, SQUARES};
use crate::square::Square;

/// A set of squares in the 54-bit ghost layout (see [`Square`]). The ghost bits 10, 21, 32, 43
/// and the bits above 53 are never set. Operators are set operations; `!` is the complement
/// within the fifty squares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Bitboard(u64);

const ROW_0: u64 = 0x1f;

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// All fifty squares.
    pub const ALL: Bitboard = Bitboard(SQUARES);

    /// The set with these bits; `None` if a bit is set that is not a square.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Option<Bitboard> {
        if bits & !SQUARES == 0 { Some(Bitboard(bits)) } else { None }
    }

    /// The set with these bits; bits that are not squares are dropped.
    #[must_use]
    pub const fn from_bits_truncate(bits: u64) -> Bitboard {
        Bitboard(bits & SQUARES)
    }

    #[inline]
    pub(crate) const fn from_bits_unchecked(bits: u64) -> Bitboard {
        debug_assert!(bits & !SQUARES == 0);
        Bitboard(bits)
    }

    /// The bits in the ghost layout.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The row (0..=9, from the top as White sees the board).
    ///
    /// # Panics
    /// If `row` is above 9.
    #[inline]
    #[must_use]
    pub const fn row(row: u8) -> Bitboard {
        assert!(row < 10);
        Bitboard(ROW_0 << (row * 5 + row / 2))
    }

    /// The row where men of this side become kings.
    #[inline]
    #[must_use]
    pub const fn promotion_row(color: Color) -> Bitboard {
        match color {
            Color::White => Bitboard::row(0),
            Color::Black => Bitboard::row(9),
        }
    }

    /// Number of squares in the set, 0..=50.
    #[inline]
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set holds no square.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the square is in the set.
    #[inline]
    #[must_use]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.bit() & 1 != 0
    }

    /// The set with the square added.
    #[inline]
    #[must_use]
    pub const fn with(self, square: Square) -> Bitboard {
        Bitboard(self.0 | square.bitboard().0)
    }

    /// The set with the square taken out.
    #[inline]
    #[must_use]
    pub const fn without(self, square: Square) -> Bitboard {
        Bitboard(self.0 & !square.bitboard().0)
    }

    /// The square with the smallest number.
    #[inline]
    #[must_use]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_bit_unchecked(self.0.trailing_zeros())) }
    }

    /// The set after turning the board by 180 degrees.
    #[inline]
    #[must_use]
    pub const fn turned(self) -> Bitboard {
        Bitboard(geometry::turned(self.0))
    }
}

macro_rules! set_operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for Bitboard {
            type Output = Bitboard;

            #[inline]
            fn $method(self, other: Bitboard) -> Bitboard {
                Bitboard(self.0 $op other.0)
            }
        }
    };
}
set_operator!(BitAnd, bitand, &);
set_operator!(BitOr, bitor, |);
set_operator!(BitXor, bitxor, ^);

impl Sub for Bitboard {
    type Output = Bitboard;

    /// Set difference.
    #[inline]
    fn sub(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & !other.0)
    }
}

impl Not for Bitboard {
    type Output = Bitboard;

    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(!self.0 & SQUARES)
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Bitboard) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    #[inline]
    fn bitxor_assign(&mut self, other: Bitboard) {
        self.0 ^= other.0;
    }
}

/// The squares of a set in ascending order.
#[derive(Clone, Debug)]
pub struct Squares(Bits);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        self.0.next().map(|bit| Square::from_bit_unchecked(bit.trailing_zeros()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    fn into_iter(self) -> Squares {
        Squares(geometry::bits(self.0))
    }
}

impl Square {
    /// The set that holds this square only.
    #[inline]
    #[must_use]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard::from_bits_unchecked(1 << self.bit())
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<T: IntoIterator<Item = Square>>(squares: T) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, Bitboard::with)
    }
}

impl Extend<Square> for Bitboard {
    fn extend<T: IntoIterator<Item = Square>>(&mut self, squares: T) {
        *self = squares.into_iter().fold(*self, Bitboard::with);
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries((*self).into_iter().map(Square::number)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_partition_the_squares() {
        let mut seen = Bitboard::EMPTY;
        for r in 0..10 {
            let row = Bitboard::row(r);
            assert_eq!(row.len(), 5);
            assert!((seen & row).is_empty());
            assert!(row.into_iter().all(|s| s.row() == r));
            seen |= row;
        }
        assert_eq!(seen, Bitboard::ALL);
        assert_eq!(Bitboard::row(0), Bitboard::promotion_row(Color::White));
        assert_eq!(Bitboard::row(9), Bitboard::promotion_row(Color::Black));
    }

    #[test]
    fn turning_maps_every_square_to_its_opposite() {
        for square in Square::all() {
            assert_eq!(square.bitboard().turned(), square.turned().bitboard());
        }
        assert_eq!(Bitboard::ALL.turned(), Bitboard::ALL);
    }

    #[test]
    fn ghost_bits_are_refused() {
        assert_eq!(Bitboard::from_bits(1 << 10), None);
        assert_eq!(Bitboard::from_bits(1 << 54), None);
        assert_eq!(Bitboard::from_bits_truncate(u64::MAX), Bitboard::ALL);
        assert_eq!(!Bitboard::EMPTY, Bitboard::ALL);
    }
}
