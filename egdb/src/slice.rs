//! Slices: material balances, which of them are stored, and how they are divided.

use std::fmt;
use std::str::FromStr;

use movegen::draw::MaterialClass;
use movegen::{Board, Color};
use thiserror::Error;

use crate::layout::{self, LAYOUTS, Layout};

/// Most pieces on one side.
pub const MAX_ONE_SIDE: u8 = 5;
/// Most pieces in all, apart from the single nine-piece slice 5040.
pub const MAX_PIECES: u8 = 8;
/// Number of values of [`Slice::id`].
pub const SLICE_IDS: usize = layout::IDS;

/// A material balance: black men, black kings, white men, white kings. One to five pieces a
/// side, at most eight in all, or five men against four.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slice {
    bm: u8,
    bk: u8,
    wm: u8,
    wk: u8,
}

impl Slice {
    /// The slice with these numbers of black men, black kings, white men and white kings;
    /// `None` if no database has it.
    #[inline]
    #[must_use]
    pub const fn new(bm: u8, bk: u8, wm: u8, wk: u8) -> Option<Slice> {
        if bm > MAX_ONE_SIDE || bk > MAX_ONE_SIDE || wm > MAX_ONE_SIDE || wk > MAX_ONE_SIDE {
            return None;
        }
        let (nb, nw) = (bm + bk, wm + wk);
        let sides_fit = nb >= 1 && nw >= 1 && nb <= MAX_ONE_SIDE && nw <= MAX_ONE_SIDE;
        let all_fit = nb + nw <= MAX_PIECES || (nb + nw == 9 && bk + wk == 0);
        if sides_fit && all_fit { Some(Slice { bm, bk, wm, wk }) } else { None }
    }

    /// Black men.
    #[must_use]
    pub const fn black_men(self) -> u8 {
        self.bm
    }

    /// Black kings.
    #[must_use]
    pub const fn black_kings(self) -> u8 {
        self.bk
    }

    /// White men.
    #[must_use]
    pub const fn white_men(self) -> u8 {
        self.wm
    }

    /// White kings.
    #[must_use]
    pub const fn white_kings(self) -> u8 {
        self.wk
    }

    /// The material balance of a board; `None` where no database has it.
    #[inline(always)]
    #[must_use]
    pub const fn of(board: &Board) -> Option<Slice> {
        let bk = (board.black & board.kings).count_ones();
        let wk = (board.white & board.kings).count_ones();
        let bm = (board.black & !board.kings).count_ones();
        let wm = (board.white & !board.kings).count_ones();
        if bm > 5 || bk > 5 || wm > 5 || wk > 5 {
            return None;
        }
        Slice::new(bm as u8, bk as u8, wm as u8, wk as u8)
    }

    /// With these numbers of black men, black kings, white men and white kings, up to five a side, of
    /// which the caller finds out elsewhere whether any database has them.
    #[inline(always)]
    pub(crate) const fn of_counts([bm, bk, wm, wk]: [u32; 4]) -> Slice {
        Slice { bm: bm as u8, bk: bk as u8, wm: wm as u8, wk: wk as u8 }
    }

    /// Pieces of both sides.
    #[must_use]
    pub const fn pieces(self) -> u8 {
        self.bm + self.bk + self.wm + self.wk
    }

    /// Kings of both sides.
    #[must_use]
    pub const fn kings(self) -> u8 {
        self.bk + self.wk
    }

    /// Pieces of a side.
    #[must_use]
    pub const fn side_pieces(self, color: Color) -> u8 {
        match color {
            Color::Black => self.bm + self.bk,
            Color::White => self.wm + self.wk,
        }
    }

    /// The class of the material for the draw rules.
    #[must_use]
    pub const fn class(self) -> MaterialClass {
        let pieces = [(self.bm + self.bk) as u32, (self.wm + self.wk) as u32];
        MaterialClass::of_material(pieces, [self.bk as u32, self.wk as u32])
    }

    /// The slice with colours swapped.
    #[must_use]
    pub const fn reversed(self) -> Slice {
        Slice { bm: self.wm, bk: self.wk, wm: self.bm, wk: self.bk }
    }

    /// The slice with colours swapped if `reversed`; without a branch, which could not be predicted.
    #[inline(always)]
    #[must_use]
    pub const fn reversed_if(self, reversed: bool) -> Slice {
        let mask = (reversed as u8).wrapping_neg();
        let (men, kings) = ((self.bm ^ self.wm) & mask, (self.bk ^ self.wk) & mask);
        Slice { bm: self.bm ^ men, bk: self.bk ^ kings, wm: self.wm ^ men, wk: self.wk ^ kings }
    }

    /// Whether both sides have the same men and kings. Such a slice holds Black to move only.
    #[must_use]
    pub const fn is_symmetric(self) -> bool {
        self.bm == self.wm && self.bk == self.wk
    }

    /// Whether positions of this slice with this side to move are stored turned round, as the
    /// reversed slice with the other side to move (`docs/formats.md`, section 2).
    #[inline]
    #[must_use]
    pub const fn is_stored_reversed(self, side: Color) -> bool {
        let (nb, nw) = (self.bm + self.bk, self.wm + self.wk);
        nw > nb
            || (nw == nb
                && (self.wk > self.bk || (self.wk == self.bk && matches!(side, Color::White))))
    }

    /// Whether the files hold this slice (and not its reversed twin) for this side to move.
    #[must_use]
    pub const fn is_stored(self, side: Color) -> bool {
        !self.is_stored_reversed(side)
    }

    /// This slice or its reversed twin, whichever is stored.
    #[must_use]
    pub const fn stored_twin(self) -> Slice {
        if self.is_stored(Color::Black) { self } else { self.reversed() }
    }

    /// The sides to move that the files can hold for this slice: none when the reversed twin is
    /// stored, Black for a symmetric slice, else both.
    #[must_use]
    pub const fn stored_sides(self) -> &'static [Color] {
        if !self.is_stored(Color::Black) {
            &[]
        } else if self.is_symmetric() {
            &[Color::Black]
        } else {
            &Color::ALL
        }
    }

    /// Number of positions: the indices are `0..size`.
    #[must_use]
    pub fn size(self) -> u64 {
        self.layout().size()
    }

    /// The factors of its index function.
    #[inline(always)]
    #[must_use]
    pub fn layout(self) -> &'static Layout {
        &LAYOUTS[self.id()]
    }

    /// Number of subslices of the given length.
    #[must_use]
    pub fn subslices(self, length: u64) -> u64 {
        self.size().div_ceil(length)
    }

    /// Number of positions in a subslice: `length`, less in the last one, 0 beyond it.
    #[must_use]
    pub fn subslice_size(self, sub: u64, length: u64) -> u64 {
        let rest = self.size().saturating_sub(sub.saturating_mul(length));
        rest.min(length)
    }

    /// A dense number below [`SLICE_IDS`], for tables.
    #[inline]
    #[must_use]
    pub const fn id(self) -> usize {
        ((self.bm as usize * 6 + self.bk as usize) * 6 + self.wm as usize) * 6 + self.wk as usize
    }

    /// The stored slices with this number of pieces (2 to 9), in a fixed order: more black
    /// pieces last, more men first.
    pub fn stored(pieces: u8) -> impl Iterator<Item = Slice> {
        let mut list = Vec::new();
        for nb in pieces.div_ceil(2)..=MAX_ONE_SIDE.min(pieces.saturating_sub(1)) {
            let nw = pieces - nb;
            for bk in 0..=nb {
                for wk in 0..=nw {
                    let slice = Slice::new(nb - bk, bk, nw - wk, wk);
                    list.extend(slice.filter(|s| s.is_stored(Color::Black)));
                }
            }
        }
        list.into_iter()
    }
}

impl fmt::Display for Slice {
    /// Four digits: black men, black kings, white men, white kings.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}{}", self.bm, self.bk, self.wm, self.wk)
    }
}

impl fmt::Debug for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slice({self})")
    }
}

/// A text is not a slice.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "`{text}` is not a slice: expected four digits (black men, black kings, white men, white kings), 1 to 5 pieces a side, at most 8 in all"
)]
pub struct ParseSliceError {
    /// The text, shortened.
    pub text: String,
}

impl FromStr for Slice {
    type Err = ParseSliceError;

    fn from_str(text: &str) -> Result<Slice, ParseSliceError> {
        let error = || ParseSliceError { text: text.chars().take(20).collect() };
        let &[bm, bk, wm, wk] = text.as_bytes() else { return Err(error()) };
        let digit = |b: u8| if b.is_ascii_digit() { Ok(b - b'0') } else { Err(error()) };
        Slice::new(digit(bm)?, digit(bk)?, digit(wm)?, digit(wk)?).ok_or_else(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_slices_are_the_published_ones() {
        let counts: Vec<usize> = (2..=9).map(|n| Slice::stored(n).count()).collect();
        assert_eq!(counts, [3, 6, 14, 22, 37, 38, 39, 1]);
        for n in 2..=9 {
            for slice in Slice::stored(n) {
                assert!(slice.is_stored(Color::Black));
                assert_eq!(slice.is_stored(Color::White), !slice.is_symmetric(), "{slice}");
                assert_eq!(slice.to_string().parse(), Ok(slice));
            }
        }
    }

    #[test]
    fn impossible_slices_are_refused() {
        for text in ["", "0000", "6010", "1000", "5050", "3222", "4140", "51400", "a111", "2 11"] {
            assert!(text.parse::<Slice>().is_err(), "{text}");
        }
        assert!("5040".parse::<Slice>().is_ok());
    }
}
