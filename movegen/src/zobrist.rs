//! Random numbers for position keys (Zobrist hashing).

use crate::color::Color;
use crate::piece::Kind;

const fn splitmix64(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

/// One number per piece and bit of the board, `[kind * 2 + color][bit]`.
static PIECES: [[u64; 64]; 4] = {
    let mut table = [[0; 64]; 4];
    let mut state = 0x006d_6565_7273_6c61; // "meersla"
    let mut i = 0;
    while i < 4 * 64 {
        let (next, value) = splitmix64(state);
        state = next;
        table[i / 64][i % 64] = value;
        i += 1;
    }
    table
};

/// Added when Black is to move.
pub(crate) const BLACK_TO_MOVE: u64 = splitmix64(0x6d61_6a6f_7269_7479).1;

#[inline]
pub(crate) fn piece(color: Color, kind: Kind, bit: u32) -> u64 {
    PIECES[kind as usize * 2 + color as usize][(bit & 63) as usize]
}
