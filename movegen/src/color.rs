//! The two sides.

use std::fmt;
use std::ops::Not;

/// A side of the board. Numbered as in the Kingsrow databases: Black 0, White 1.
///
/// White starts on squares 31..=50, moves up the board and moves first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Color {
    /// Starts on squares 1..=20, crowns on 46..=50.
    Black = 0,
    /// Starts on squares 31..=50, crowns on 1..=5.
    White = 1,
}

impl Color {
    /// Both sides, in numeric order.
    pub const ALL: [Color; 2] = [Color::Black, Color::White];

    /// `W` or `B`, the letter of FEN, PDN and Hub.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Color::Black => 'B',
            Color::White => 'W',
        }
    }

    /// 0 for Black, 1 for White: an array index.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other side.
    #[must_use]
    pub const fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }
}

impl Not for Color {
    type Output = Color;

    fn not(self) -> Color {
        self.opponent()
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::Black => "Black",
            Color::White => "White",
        })
    }
}
