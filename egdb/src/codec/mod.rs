//! Compression codes: how runs and strings of values become bytes and back. Nothing here knows
//! about files.

pub mod contextual;
pub mod huffman;
pub mod repair;
pub mod runlen;
pub mod runs;
pub mod tunstall;

pub use crate::isa::Located;
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
