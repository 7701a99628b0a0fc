//! The fifty playing squares.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::geometry::{SQUARES, bit_of_index, index_of_bit};

/// A playing square, numbered 1 to 50 row by row from the top left as White sees the board
/// (FMJD numbering).
///
/// Kept as the square's bit number in the 54-bit ghost layout: square `n` is bit
/// `(n - 1) + (n - 1) / 10`, so that bits 10, 21, 32 and 43 belong to no square and a diagonal
/// step is always ±5 or ±6 without wrapping around an edge. The Kingsrow databases use the same
/// layout.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Number of squares.
    pub const COUNT: usize = 50;

    /// The square with this number, 1..=50; `None` outside.
    #[must_use]
    pub const fn new(number: u8) -> Option<Square> {
        match number {
            1..=50 => Some(Square(bit_of_index(number as u32 - 1) as u8)),
            _ => None,
        }
    }

    /// The square of this bit number in the ghost layout; `None` for a ghost bit or above 53.
    #[must_use]
    pub const fn from_bit(bit: u32) -> Option<Square> {
        if bit < 64 && SQUARES >> bit & 1 != 0 { Some(Square(bit as u8)) } else { None }
    }

    /// As [`Square::from_bit`] for a bit known to be a square.
    #[inline]
    pub(crate) const fn from_bit_unchecked(bit: u32) -> Square {
        debug_assert!(Square::from_bit(bit).is_some());
        Square(bit as u8)
    }

    /// The square's number, 1..=50.
    #[inline]
    #[must_use]
    pub const fn number(self) -> u8 {
        self.index() as u8 + 1
    }

    /// The square's number less one, 0..=49: an array index.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        index_of_bit(self.bit()) as usize
    }

    /// The square's bit number in the ghost layout, 0..=53.
    #[inline]
    #[must_use]
    pub const fn bit(self) -> u32 {
        self.0 as u32
    }

    /// Row 0 (squares 1..=5, where White crowns) to 9 (46..=50, where Black crowns).
    #[must_use]
    pub const fn row(self) -> u8 {
        (self.number() - 1) / 5
    }

    /// Column 0 (left as White sees the board) to 9.
    #[must_use]
    pub const fn column(self) -> u8 {
        let k = (self.number() - 1) % 5;
        if self.row().is_multiple_of(2) { 2 * k + 1 } else { 2 * k }
    }

    /// The playing square in this row and column; `None` for a light square or outside.
    #[must_use]
    pub const fn from_row_column(row: u8, column: u8) -> Option<Square> {
        if row > 9 || column > 9 || (row + column).is_multiple_of(2) {
            return None;
        }
        Square::new(row * 5 + column / 2 + 1)
    }

    /// The same square seen by the other side: the board turned by 180 degrees (`n` to `51 - n`).
    #[must_use]
    pub const fn turned(self) -> Square {
        Square(53 - self.0)
    }

    /// All squares, in ascending order.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..50u32).map(|index| Square(bit_of_index(index) as u8))
    }
}

/// A text that is not a square number.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{text}' is not a square: expected a number from 1 to 50")]
pub struct ParseSquareError {
    /// The offending text (at most 20 characters).
    pub text: String,
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.number(), f)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Square({})", self.number())
    }
}

impl FromStr for Square {
    type Err = ParseSquareError;

    /// Reads a decimal number 1..=50; leading zeros are allowed.
    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        let error = || ParseSquareError { text: text.chars().take(20).collect() };
        if text.is_empty() || text.len() > 4 || !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(error());
        }
        text.parse::<u16>()
            .ok()
            .and_then(|n| u8::try_from(n).ok())
            .and_then(Square::new)
            .ok_or_else(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_bits_and_coordinates_agree() {
        for (i, square) in Square::all().enumerate() {
            assert_eq!(square.index(), i);
            assert_eq!(Square::new(square.number()), Some(square));
            assert_eq!(Square::from_bit(square.bit()), Some(square));
            assert_eq!(Square::from_row_column(square.row(), square.column()), Some(square));
            assert_eq!(square.turned().number(), 51 - square.number());
            assert_eq!(square.to_string().parse(), Ok(square));
        }
        for bit in [10, 21, 32, 43, 54, 63, 64, 1000] {
            assert_eq!(Square::from_bit(bit), None);
        }
    }

    #[test]
    fn long_diagonal_is_the_spec_list() {
        let numbers = [46, 41, 37, 32, 28, 23, 19, 14, 10, 5];
        for (i, n) in numbers.into_iter().enumerate() {
            let square = Square::from_row_column(9 - i as u8, i as u8).unwrap();
            assert_eq!(square.number(), n);
        }
    }

    #[test]
    fn bad_squares_are_refused() {
        for text in ["", "0", "51", "00051", "-1", "+5", "a1", "1.", " 1", "9999999999"] {
            assert!(text.parse::<Square>().is_err(), "{text:?}");
        }
        assert_eq!("007".parse::<Square>().unwrap().number(), 7);
    }
}
