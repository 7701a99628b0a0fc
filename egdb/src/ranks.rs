//! Numbers of sets of squares, by sums of binomial coefficients.

use movegen::geometry::index_of_bit;

use crate::layout::BINOMIALS;

/// `C(n, k)` for k up to 5 and n up to 49 at `[k][n]`, the rest 0; eight rows of 64 so that a
/// masked index needs no check.
pub(crate) static BINOMIAL: [[u32; 64]; 8] = {
    let mut table = BINOMIALS;
    let mut k = 0;
    while k < 8 {
        let mut n = 50;
        while n < 64 {
            table[k][n] = 0;
            n += 1;
        }
        k += 1;
    }
    table
};

/// Rank of a set of squares among those with as many members.
#[inline(always)]
pub fn rank_squares(set: u64) -> u64 {
    rank_set(set, index_of_bit)
}

/// Rank of a set among the sets with as many members of the squares that are not in `taken`.
#[inline(always)]
pub fn rank_free(set: u64, taken: u64) -> u64 {
    rank_set(set, |bit| index_of_bit(bit) - before(bit, taken))
}

/// Sum of coefficients over a set. Most sets have at most two members, and a loop over them would
/// be mispredicted for most positions: so two are always added, and a missing member has bit number
/// 64, which leads to a part of the table that is zero.
#[inline(always)]
pub(crate) fn rank_set(set: u64, number: impl Fn(u32) -> u32) -> u64 {
    let term = |set: u64, k: usize| BINOMIAL[k][(number(set.trailing_zeros()) & 63) as usize];
    let second = set & set.wrapping_sub(1);
    let mut sum = term(set, 1) + term(second, 2);
    let mut rest = second & second.wrapping_sub(1);
    let mut k = 3;
    while rest != 0 {
        sum += term(rest, k & 7);
        rest &= rest - 1;
        k += 1;
    }
    u64::from(sum)
}

/// How many squares of a set come before a square.
#[inline(always)]
pub(crate) fn before(bit: u32, set: u64) -> u32 {
    (set & (1u64.wrapping_shl(bit)).wrapping_sub(1)).count_ones()
}
