//! Rows of windows as sums of finer and coarser ones, so that similar windows learn from each
//! other.
//!
//! A window of 8 squares ([`EvalKind::P8`]) is worth the sum of its own row, the rows of its two
//! halves of 4 squares, and one row that all windows with the same men share: all windows have the
//! same shape. A row is any number of floats. Play uses the sums ([`fold`]), so this costs nothing
//! in play; [`spread`] is the inverse for gradients.

use meerslag_search::eval::EvalKind;
use meerslag_search::eval::board::{GROUPS, PART_VALUES, VIEW_CHUNKS};

/// Rows of all windows.
pub(super) const WINDOW_ROWS: usize = EvalKind::P8.tables() * EvalKind::P8.entries();
/// Rows of the halves, which windows one above the other share.
pub(super) const HALF_ROWS: usize = VIEW_CHUNKS * GROUPS * PART_VALUES;
/// Rows of the coarser parts: the halves, then those that all windows share.
pub(super) const COARSE_ROWS: usize = HALF_ROWS + EvalKind::P8.entries();

/// The coarser rows that belong to the row of a window.
const fn coarse_rows(row: usize) -> [usize; 3] {
    let (table, entry) = (row / EvalKind::P8.entries(), row % EvalKind::P8.entries());
    let (top, group) = (table / GROUPS, table % GROUPS);
    let (upper, lower) = (entry % PART_VALUES, entry / PART_VALUES);
    [
        (top * GROUPS + group) * PART_VALUES + upper,
        ((top + 1) * GROUPS + group) * PART_VALUES + lower,
        HALF_ROWS + entry,
    ]
}

/// Adds the coarser rows to those of the windows.
pub(super) fn fold(windows: &mut [f32], coarse: &[f32]) {
    let width = windows.len() / WINDOW_ROWS;
    for (number, row) in windows.chunks_exact_mut(width).enumerate() {
        for at in coarse_rows(number) {
            add(row, &coarse[at * width..][..width]);
        }
    }
}

/// The gradients of the coarser rows, given those of the folded windows, which are also those of
/// the windows' own rows.
pub(super) fn spread(windows: &[f32], coarse: &mut [f32]) {
    coarse.fill(0.0);
    let width = windows.len() / WINDOW_ROWS;
    for (number, row) in windows.chunks_exact(width).enumerate() {
        // Most windows are in none of the positions of a step.
        if row.iter().all(|gradient| *gradient == 0.0) {
            continue;
        }
        for at in coarse_rows(number) {
            add(&mut coarse[at * width..][..width], row);
        }
    }
}

fn add(to: &mut [f32], from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

#[cfg(test)]
mod tests {
    use movegen::random::Random;
    use movegen::{Color, Kind, Position, Square};

    use super::*;
    use crate::test_positions::random_positions;
    use meerslag_search::eval::board;

    /// The number in base 3 of what White sees on some squares: 0 empty, 1 own man, 2 enemy man.
    fn entry(position: &Position, squares: impl Iterator<Item = Square>) -> usize {
        squares.zip(0..).fold(0, |sum, (square, digit)| {
            let man = position.piece_at(square).filter(|piece| piece.kind == Kind::Man);
            sum + man.map_or(0, |p| 1 + usize::from(p.color == Color::Black)) * 3usize.pow(digit)
        })
    }

    /// Dark squares of some rows and four columns, row by row.
    fn squares(rows: std::ops::Range<u8>, left: u8) -> impl Iterator<Item = Square> {
        rows.flat_map(move |row| {
            (left..left + 4).filter_map(move |column| Square::from_row_column(row, column))
        })
    }

    fn random_rows(count: usize, random: &mut Random) -> Vec<f32> {
        // Sums of these numbers are exact.
        (0..count).map(|_| random.below(201) as f32 - 100.0).collect()
    }

    #[test]
    fn folded_rows_are_sums_by_the_definition() {
        let mut random = Random::new(1);
        for width in [1, 3] {
            let own = random_rows(WINDOW_ROWS * width, &mut random);
            let coarse = random_rows(COARSE_ROWS * width, &mut random);
            let mut folded = own.clone();
            fold(&mut folded, &coarse);
            for position in random_positions(200, 2) {
                let men = |color| position.men(color).bits();
                let [white, _] = board::views(men(Color::White), men(Color::Black));
                EvalKind::P8.visit(white, |table, found| {
                    let (top, left) = (2 * (table / 4) as u8, 2 * (table % 4) as u8);
                    let window = entry(&position, squares(top..top + 4, left));
                    assert_eq!(window, found);
                    for at in 0..width {
                        let half = |row: u8| {
                            let value = entry(&position, squares(row..row + 2, left));
                            let place = usize::from(row / 2) * 4 + table % 4;
                            coarse[(place * 81 + value) * width + at]
                        };
                        let shared = coarse[(3 * 4 * 81 + window) * width + at];
                        let place = (table * 6_561 + window) * width + at;
                        let expected = own[place] + half(top) + half(top + 2) + shared;
                        assert_eq!(folded[place], expected, "{position:?} {table} {at}");
                    }
                });
            }
        }
    }

    /// A sum over folded rows changes with the coarser rows as their gradients say.
    #[test]
    fn spreading_is_the_transpose_of_folding() {
        let mut random = Random::new(3);
        let width = 2;
        let slopes = random_rows(WINDOW_ROWS * width, &mut random);
        let coarse = random_rows(COARSE_ROWS * width, &mut random);
        let mut folded = vec![0.0; WINDOW_ROWS * width];
        fold(&mut folded, &coarse);
        let mut spread_slopes = vec![7.0; COARSE_ROWS * width];
        spread(&slopes, &mut spread_slopes);
        let product = |a: &[f32], b: &[f32]| -> f64 {
            a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        let (one, other) = (product(&folded, &slopes), product(&coarse, &spread_slopes));
        assert!(one == other && one != 0.0, "{one} {other}");
    }
}
