//! Compression codes: how runs and strings of values become bytes and back. Nothing here knows
//! about files.

pub mod huffman;
pub mod repair;
pub mod runlen;
pub mod runs;
pub mod tunstall;

/// A code in which every byte stands for a fixed number of consecutive values.
pub trait ByteCode {
    /// Number of values that the byte stands for; 0 for a byte that is no code.
    fn len(&self, byte: u8) -> u32;

    /// The value at `offset` within the byte's values; `offset` is less than [`ByteCode::len`].
    fn value(&self, byte: u8, offset: u32) -> u16;
}

/// A value that may be any: the position is never looked up.
pub const DONT_CARE: u16 = u16::MAX;
