//! A position with several kings of the moving side is in several rows, once with each as the
//! moving one. The facts from moves that leave the arrangement are found for the lowest of them,
//! and copied to the other rows.

use movegen::geometry::{SQUARES, bits};
use movegen::{Color, isa};
use rayon::prelude::*;

use super::external::ExternalFacts;
use super::rows::Rows;
use super::symmetry::subsets;
use egdb::index::rank_free;

/// Bits of a square's number.
const SIDE: usize = 64;

/// Completes the facts of all rows of an arrangement with these men; `kings` are those of the rows.
#[inline(always)]
pub(super) fn complete<const IS_SHARED: bool>(
    rows: Rows,
    men: u64,
    kings: &[[u64; 2]],
    facts: &mut [[ExternalFacts; 2]],
) {
    let others = rows.fixed_of(rows.moving);
    if others == 0 {
        return;
    }
    // The rows with the same kings of the other side follow one another.
    let length = if rows.moving == Color::White { rows.inner() } else { rows.count() };
    let enemy = rows.moving.opponent().index();
    let parts = kings.chunks(length).map(|kings| men | kings[0][enemy]);
    if IS_SHARED {
        let parts: Vec<_> = parts.zip(facts.chunks_mut(length)).collect();
        parts.into_par_iter().for_each(|(taken, facts)| {
            isa::run_best(
                #[inline(always)]
                || complete_part(others, taken, facts),
            );
        });
    } else {
        for (taken, facts) in parts.zip(facts.chunks_mut(length)) {
            complete_part(others, taken, facts);
        }
    }
}

/// The same for the rows with the same kings of the other side; these and the men take the squares
/// `taken`.
#[inline(always)]
fn complete_part(others: u32, taken: u64, facts: &mut [[ExternalFacts; 2]]) {
    let mut work = vec![[0; SIDE]; 2 * ExternalFacts::WORDS];
    let mut rests = Vec::new();
    subsets(SQUARES & !taken, others - 1, &mut |rest| rests.push(rest));
    for rest in rests {
        exchange(facts, taken, rest, &mut work);
    }
}

/// The facts of the rows with all kings but one on the same squares: where that one and the moving
/// one change places, the position is the same.
#[inline(always)]
fn exchange(facts: &mut [[ExternalFacts; 2]], taken: u64, rest: u64, work: &mut [[u64; SIDE]]) {
    let free = SQUARES & !taken & !rest;
    let row = |king: u64| rank_free(rest | king, taken) as usize;
    for king in bits(free) {
        let at = king.trailing_zeros() as usize;
        let words = facts[row(king)].iter().flat_map(ExternalFacts::words);
        work.iter_mut().zip(words).for_each(|(matrix, word)| matrix[at] = word);
    }
    for matrix in work.iter_mut() {
        for king in bits(rest) {
            matrix[king.trailing_zeros() as usize] = 0;
        }
        let mut other = *matrix;
        transpose(&mut other);
        matrix.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
    }
    for king in bits(free) {
        let at = king.trailing_zeros() as usize;
        let words = facts[row(king)].iter_mut().flat_map(ExternalFacts::words_mut);
        words.zip(work.iter()).for_each(|(word, matrix)| *word = matrix[at]);
    }
}

/// Exchanges rows and columns, by blocks of half the size at each step.
#[inline(always)]
fn transpose(matrix: &mut [u64; SIDE]) {
    let (mut half, mut mask) = (SIDE / 2, u64::MAX >> 32);
    while half > 0 {
        let mut at = 0;
        while at < SIDE {
            let changed = (matrix[at] >> half ^ matrix[at | half]) & mask;
            matrix[at] ^= changed << half;
            matrix[at | half] ^= changed;
            at = ((at | half) + 1) & !half;
        }
        half /= 2;
        mask ^= mask << half;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::fixed::FixedValues;

    /// Any fact about a position, the same for all orders of its kings.
    fn fact(kings: [u64; 2], number: usize) -> bool {
        let sum = kings[0].wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ kings[1].wrapping_mul(0xd6e8_feb8);
        sum.rotate_left(7 * number as u32 + 3).wrapping_mul(0x2545_f491_4f6c_dd1d) >> 63 != 0
    }

    #[test]
    fn every_row_of_a_position_has_its_facts() {
        for (digits, men) in [("1202", 1 << 20), ("1310", 1 << 5 | 1 << 40), ("0203", 0)] {
            let rows = Rows::new(digits.parse().unwrap()).unwrap();
            let mut kings = Vec::new();
            rows.list(men, &mut kings);
            let words = |row: [u64; 2], squares: u64| {
                let mut words = [[0; ExternalFacts::WORDS]; 2];
                for king in bits(squares) {
                    let mut all = row;
                    all[rows.moving.index()] |= king;
                    for (number, word) in words.as_flattened_mut().iter_mut().enumerate() {
                        *word |= if fact(all, number) { king } else { 0 };
                    }
                }
                words
            };
            let mut facts = vec![[ExternalFacts::default(); 2]; rows.count()];
            for (row, facts) in kings.iter().zip(&mut facts) {
                let counted = FixedValues::new([men, 0], *row, rows.moving).counted();
                let words = words(*row, counted);
                for (facts, words) in facts.iter_mut().zip(words) {
                    facts.words_mut().into_iter().zip(words).for_each(|(to, word)| *to = word);
                }
            }
            complete::<false>(rows, men, &kings, &mut facts);
            for (row, facts) in kings.iter().zip(&facts) {
                let free = SQUARES & !men & !row[0] & !row[1];
                assert_eq!(
                    facts.each_ref().map(ExternalFacts::words),
                    words(*row, free),
                    "{digits}"
                );
            }
        }
    }
}
