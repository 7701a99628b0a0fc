//! Men and kings.

use crate::color::Color;

/// The piece on an occupied square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    /// The owner.
    pub color: Color,
    /// Man or king.
    pub kind: Kind,
}

/// Man or king.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Moves one step forward, captures in all four directions.
    Man = 0,
    /// Moves and captures along whole diagonals.
    King = 1,
}

impl Piece {
    /// The letter of the Hub position string: `w`, `b` for men, `W`, `B` for kings.
    #[must_use]
    pub const fn hub_letter(self) -> char {
        match (self.color, self.kind) {
            (Color::White, Kind::Man) => 'w',
            (Color::White, Kind::King) => 'W',
            (Color::Black, Kind::Man) => 'b',
            (Color::Black, Kind::King) => 'B',
        }
    }
}
