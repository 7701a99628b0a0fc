//! Moves and lists of moves.

use std::fmt;
use std::ops::{Deref, DerefMut};

use smallvec::SmallVec;

use crate::bitboard::Bitboard;
use crate::square::Square;

/// A move: from, to and the set of captured squares, in one 64-bit number. Two captures that
/// agree in these three are the same move, whatever route they take.
///
/// Nobody can capture a piece on square 1, 5, 6, 45, 46 or 50, in Frisian neither, so only 52 of the
/// 54 bits are needed for the set. `Display` writes the Hub form: `32-28`, `28x19x23` (all captured squares, ascending).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Move(u64);

/// Bits 0..6 are from, 6..12 to, 12..64 the captured bits 1..53 of the ghost layout.
const CAPTURED_SHIFT: u32 = 11;
const CAPTURED_MASK: u64 = ((1 << 53) - 1) & !1;

impl Move {
    /// A move from its parts. Not checked against any position.
    #[must_use]
    pub const fn new(from: Square, to: Square, captured: Bitboard) -> Move {
        Move::from_parts(from.bit(), to.bit(), captured.bits())
    }

    /// As [`Move::new`]; `None` if square 1 or 50 is among the captured.
    #[must_use]
    pub const fn try_new(from: Square, to: Square, captured: Bitboard) -> Option<Move> {
        if captured.bits() & !CAPTURED_MASK == 0 {
            Some(Move::new(from, to, captured))
        } else {
            None
        }
    }

    #[inline]
    pub(crate) const fn from_parts(from: u32, to: u32, captured: u64) -> Move {
        debug_assert!(captured & !CAPTURED_MASK == 0);
        Move(from as u64 | (to as u64) << 6 | captured << CAPTURED_SHIFT)
    }

    /// The starting square.
    #[inline]
    #[must_use]
    pub const fn from(self) -> Square {
        Square::from_bit_unchecked((self.0 & 63) as u32)
    }

    /// The square where the move ends; equal to the start for a circular capture.
    #[inline]
    #[must_use]
    pub const fn to(self) -> Square {
        Square::from_bit_unchecked((self.0 >> 6 & 63) as u32)
    }

    /// The captured squares; empty for a quiet move.
    #[inline]
    #[must_use]
    pub const fn captured(self) -> Bitboard {
        Bitboard::from_bits_unchecked(self.0 >> CAPTURED_SHIFT & CAPTURED_MASK)
    }

    /// Whether the move captures.
    #[inline]
    #[must_use]
    pub const fn is_capture(self) -> bool {
        self.0 >> 12 != 0
    }

    /// The move on the board turned by 180 degrees.
    #[inline]
    #[must_use]
    pub const fn turned(self) -> Move {
        Move::new(self.from().turned(), self.to().turned(), self.captured().turned())
    }

    /// The move as a number: equal moves have equal numbers, distinct moves distinct ones.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// From and to as one number below 4096, for history tables. Captures that differ only in
    /// the captured set share it.
    #[inline]
    #[must_use]
    pub const fn from_to_index(self) -> usize {
        (self.0 & 0xfff) as usize
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_capture() { 'x' } else { '-' };
        write!(f, "{}{sign}{}", self.from(), self.to())?;
        for square in self.captured() {
            write!(f, "x{square}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How many moves a [`MoveList`] holds without allocating.
pub const INLINE_MOVES: usize = 128;

/// The legal moves of a position. The first [`INLINE_MOVES`] live on the stack; positions with
/// more (compositions with many kings) spill to the heap.
#[derive(Clone, Default)]
pub struct MoveList(SmallVec<[Move; INLINE_MOVES]>);

impl MoveList {
    /// An empty list.
    #[inline]
    #[must_use]
    pub fn new() -> MoveList {
        MoveList(SmallVec::new())
    }

    /// Adds a move at the end.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        self.0.push(mv);
    }

    /// Takes all moves out.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.0
    }
}

impl DerefMut for MoveList {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.0
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = smallvec::IntoIter<[Move; INLINE_MOVES]>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Extend<Move> for MoveList {
    #[inline(always)]
    fn extend<T: IntoIterator<Item = Move>>(&mut self, moves: T) {
        self.0.extend(moves);
    }
}

impl FromIterator<Move> for MoveList {
    fn from_iter<T: IntoIterator<Item = Move>>(moves: T) -> MoveList {
        MoveList(moves.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_survive_packing() {
        let inner: Vec<Square> = Square::all().filter(|s| (1..=8).contains(&s.row())).collect();
        let all: Bitboard = inner.iter().copied().collect();
        for from in Square::all() {
            for to in Square::all() {
                for captured in [Bitboard::EMPTY, all, inner[0].bitboard(), inner[39].bitboard()] {
                    let mv = Move::new(from, to, captured);
                    assert_eq!((mv.from(), mv.to(), mv.captured()), (from, to, captured));
                    assert_eq!(mv.is_capture(), !captured.is_empty());
                }
            }
        }
    }
}
