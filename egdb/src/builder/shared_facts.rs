//! A position with several kings of the moving side is in several rows, once with each as the moving
//! one. What moves that leave the arrangement say is found for the lowest of them alone, and goes
//! from there to the other rows.

use movegen::Color;
use movegen::geometry::{SQUARES, bits};
use rayon::prelude::*;

use super::external::Facts;
use super::rows::Rows;
use super::symmetry::subsets;
use crate::index::rank_free;

/// Bits of a square's number.
const SIDE: usize = 64;

/// Completes the facts of all rows of an arrangement with these men; `kings` are those of the rows.
#[inline(always)]
pub(super) fn complete<const IS_SHARED: bool>(
    rows: Rows,
    men: u64,
    kings: &[[u64; 2]],
    facts: &mut [[Facts; 2]],
) {
    let others = rows.fixed_of(rows.moving);
    if others == 0 {
        return;
    }
    // The rows with the same kings of the other side follow one another.
    let length = if rows.moving == Color::White { rows.inner() } else { rows.count() };
    let complete = |(number, facts): (usize, &mut [[Facts; 2]])| {
        let enemies = kings[number * length][rows.moving.opponent().index()];
        let taken = men | enemies;
        let mut work = vec![[0; SIDE]; 2 * Facts::WORDS];
        subsets(SQUARES & !taken, others - 1, &mut |rest| {
            exchange(facts, taken, rest, &mut work);
        });
    };
    if IS_SHARED {
        facts.par_chunks_mut(length).enumerate().for_each(complete);
    } else {
        facts.chunks_mut(length).enumerate().for_each(complete);
    }
}

/// The facts of the rows with all kings but one on the same squares: where that one and the moving
/// one change places, the position is the same.
#[inline(always)]
fn exchange(facts: &mut [[Facts; 2]], taken: u64, rest: u64, work: &mut [[u64; SIDE]]) {
    let free = SQUARES & !taken & !rest;
    let row = |king: u64| rank_free(rest | king, taken) as usize;
    for king in bits(free) {
        let at = king.trailing_zeros() as usize;
        let words = facts[row(king)].iter().flat_map(Facts::words);
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
        let words = facts[row(king)].iter_mut().flat_map(Facts::words_mut);
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
