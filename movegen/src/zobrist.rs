//! Random numbers for position keys (Zobrist hashing).

use crate::color::Color;
use crate::piece::Kind;
use crate::random::Random;

/// One number per piece and bit of the board, `[kind * 2 + color][bit]`.
static PIECES: [[u64; 64]; 4] = {
    let mut table = [[0; 64]; 4];
    let mut random = Random::new(0x006d_6565_7273_6c61); // "meersla"
    let mut i = 0;
    while i < 4 * 64 {
        table[i / 64][i % 64] = random.next_u64();
        i += 1;
    }
    table
};

/// Added when Black is to move.
pub(crate) const BLACK_TO_MOVE: u64 = Random::new(0x6d61_6a6f_7269_7479).next_u64();

#[inline]
pub(crate) fn piece(color: Color, kind: Kind, bit: u32) -> u64 {
    PIECES[kind as usize * 2 + color as usize][(bit & 63) as usize]
}

/// Of a number that is not 0 and comes with the board; 0 stands for nothing.
#[inline]
pub(crate) const fn extra(value: u32) -> u64 {
    if value == 0 { 0 } else { Random::new(0x7661_7269_616e_7473 ^ value as u64).next_u64() }
}
