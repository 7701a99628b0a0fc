//! Compression codes: how runs and strings of values become bytes and back. Nothing here knows
//! about files.

pub mod contextual;
pub mod huffman;
pub mod repair;
pub mod runlen;
pub mod runs;
pub mod tunstall;

use crate::isa::LookupIsa;
use crate::layout::PIECE;

/// A code whose bytes each stand for a fixed number of consecutive values.
pub trait ByteCode {
    /// Number of values that the byte stands for; 0 for a byte that is not a code.
    fn len(&self, byte: u8) -> u32;

    /// The value at `offset` within the byte's values; `offset` is less than [`ByteCode::len`].
    fn value(&self, byte: u8, offset: u32) -> u16;

    /// Where a piece holds its `rest`-th value.
    #[inline(always)]
    fn locate(&self, _isa: impl LookupIsa, piece: &[u8; PIECE], rest: u32) -> Located
    where
        Self: Sized,
    {
        locate_by_adding(self, piece, rest)
    }
}

/// The place of a value in a piece: a number, so that it stays in a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Located(u64);

impl Located {
    const BEYOND: u64 = 1 << 63;

    /// The byte that stands for the value, and which of the byte's values it is.
    #[inline(always)]
    pub(crate) const fn at(byte: u8, k: u32) -> Located {
        Located((byte as u64) << 32 | k as u64)
    }

    /// The piece holds only so many values.
    #[inline(always)]
    pub(crate) const fn beyond(values: u32) -> Located {
        Located(Located::BEYOND | values as u64)
    }

    /// The byte that stands for the value, and which of the byte's values it is.
    ///
    /// # Errors
    /// The number of values in the piece, if they are too few.
    #[inline(always)]
    pub const fn get(self) -> Result<(u8, u32), u32> {
        if self.0 & Located::BEYOND == 0 {
            Ok(((self.0 >> 32) as u8, self.0 as u32))
        } else {
            Err(self.0 as u32)
        }
    }
}

/// [`ByteCode::locate`] on any processor. Adds up everything and then picks by comparisons: a loop that
/// stops at the right byte is mispredicted nearly every time, and then the processor cannot begin
/// the next lookup while this one's data are on their way.
#[inline]
pub(crate) fn locate_by_adding(code: &impl ByteCode, bytes: &[u8; PIECE], rest: u32) -> Located {
    let rest = u64::from(rest);
    let chunks = bytes.as_chunks::<8>().0;
    let (mut sum, mut before, mut at) = (0, 0, 0);
    for chunk in chunks {
        let l = |k: usize| u64::from(code.len(chunk[k]));
        sum += ((l(0) + l(1)) + (l(2) + l(3))) + ((l(4) + l(5)) + (l(6) + l(7)));
        let is_past = sum <= rest;
        at += usize::from(is_past);
        before = if is_past { sum } else { before };
    }
    // All are past: the piece holds fewer values.
    let Some(chunk) = chunks.get(at) else { return Located::beyond(sum as u32) };
    let (mut sum, mut k) = (before, 0);
    for &byte in chunk {
        sum += u64::from(code.len(byte));
        let is_past = sum <= rest;
        k += usize::from(is_past);
        before = if is_past { sum } else { before };
    }
    Located::at(chunk[k & 7], (rest - before) as u32)
}

/// Any value will do: the position is never looked up.
pub const DONT_CARE: u16 = u16::MAX;
