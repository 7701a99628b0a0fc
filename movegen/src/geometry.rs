//! The board as bits: steps, slides and single squares of sets given as words.
//!
//! [`Bitboard`](crate::Bitboard) is the readable set; this is for code that counts instructions.
//! Words are in its layout: a step along a diagonal is a shift by five or six, and the bits between
//! the rows belong to no square, so a step over an edge ends on one of them or beyond the last
//! square, and `&` with squares removes it.

use crate::color::Color;

/// The fifty squares.
pub const SQUARES: u64 = ((1 << 54) - 1) & !((1 << 10) | (1 << 21) | (1 << 32) | (1 << 43));

/// The steps along the diagonals, for [`shift`]; the first two go down the board, as Black does.
pub const STEPS: [i32; 4] = [5, 6, -5, -6];

/// The steps forward of a man.
#[inline(always)]
#[must_use]
pub const fn forward_steps(color: Color) -> [i32; 2] {
    match color {
        Color::Black => [STEPS[0], STEPS[1]],
        Color::White => [STEPS[2], STEPS[3]],
    }
}

/// The set moved by a step, one of [`STEPS`] or a multiple.
#[inline(always)]
#[must_use]
pub const fn shift(set: u64, step: i32) -> u64 {
    if step > 0 { set << step } else { set >> -step }
}

/// The set on the board turned by 180 degrees.
#[inline(always)]
#[must_use]
pub const fn turned(set: u64) -> u64 {
    set.reverse_bits() >> 10
}

/// The bit of a square, from its number less one.
#[inline(always)]
#[must_use]
pub const fn bit_of_index(index: u32) -> u32 {
    index + index / 10
}

/// The number less one of the square with this bit.
#[inline(always)]
#[must_use]
pub const fn index_of_bit(bit: u32) -> u32 {
    bit - ((bit * 3) >> 5)
}

/// The set and the squares that kings on it reach over empty ones in one direction.
#[inline(always)]
#[must_use]
pub const fn fill(kings: u64, empty: u64, step: i32) -> u64 {
    // Doubling: after each line the fill reaches twice as far, up to 7 squares; two single
    // steps make it the 9 of the long diagonal.
    let mut fill = kings;
    let mut open = empty;
    fill |= open & shift(fill, step);
    open &= shift(open, step);
    fill |= open & shift(fill, 2 * step);
    open &= shift(open, 2 * step);
    fill |= open & shift(fill, 4 * step);
    fill |= empty & shift(fill, step);
    fill | empty & shift(fill, step)
}

/// The squares that kings on the set can slide to over empty ones, which are also those where a
/// king can slide to the set.
#[inline(always)]
#[must_use]
pub const fn king_slides(kings: u64, empty: u64) -> u64 {
    let mut all = 0;
    let mut k = 0;
    while k < 4 {
        all |= shift(fill(kings, empty, STEPS[k]), STEPS[k]) & empty;
        k += 1;
    }
    all
}

/// The squares of a set, each as a set of one, lowest first.
#[inline(always)]
#[must_use]
pub const fn bits(set: u64) -> Bits {
    Bits(set)
}

/// See [`bits`].
#[derive(Clone, Debug)]
pub struct Bits(u64);

impl Iterator for Bits {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0 & self.0.wrapping_neg();
        self.0 &= self.0 - 1;
        Some(bit)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.0.count_ones() as usize;
        (n, Some(n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn slides_equal_walks() {
        let mut random = Random::new(1);
        for _ in 0..20_000 {
            let empty = SQUARES & (random.next_u64() | random.next_u64());
            let kings = SQUARES & random.next_u64() & random.next_u64() & random.next_u64();
            let mut expected = 0;
            for king in bits(kings) {
                for step in STEPS {
                    let mut at = shift(king, step) & empty;
                    while at != 0 {
                        expected |= at;
                        at = shift(at, step) & empty;
                    }
                }
            }
            assert_eq!(king_slides(kings, empty), expected);
        }
    }

    #[test]
    fn bits_and_indices_belong_together() {
        let found: Vec<u32> = bits(SQUARES).map(u64::trailing_zeros).collect();
        assert_eq!(found, (0..50).map(bit_of_index).collect::<Vec<_>>());
        assert!(found.iter().enumerate().all(|(i, &bit)| index_of_bit(bit) == i as u32));
    }
}
