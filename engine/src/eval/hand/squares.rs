//! What each man is worth by its square, summed over all men of a side.
//!
//! Two rows are eleven bits of the ghost layout, so five look-ups in tables of 2 048 entries
//! give the sums over all fifty squares.

use super::weights;

/// Sums over the men of one side.
#[derive(Clone, Copy, Default)]
pub(super) struct Sums {
    /// Values at the start of the game.
    pub(super) opening: i16,
    /// Values at its end.
    pub(super) ending: i16,
    /// Steps to promotion.
    pub(super) steps: i16,
    /// Distances from the middle in half columns, right positive.
    pub(super) lever: i16,
}

const ROWS: usize = 5;
const CHUNK_BITS: u32 = 11;
const CHUNK: usize = 1 << CHUNK_BITS;

const fn of_square(row: usize, column: usize) -> Sums {
    let home = if row == 9 { weights::HOME_ROW[column / 2] } else { 0 };
    Sums {
        opening: weights::OPENING_ROW[row] + weights::OPENING_COLUMN[column] + home,
        ending: weights::ENDING_ROW[row] + weights::ENDING_COLUMN[column] + home,
        steps: row as i16,
        lever: 2 * column as i16 - 9,
    }
}

const fn add(a: Sums, b: Sums) -> Sums {
    Sums {
        opening: a.opening + b.opening,
        ending: a.ending + b.ending,
        steps: a.steps + b.steps,
        lever: a.lever + b.lever,
    }
}

static TABLE: [[Sums; CHUNK]; ROWS] = {
    let zero = Sums { opening: 0, ending: 0, steps: 0, lever: 0 };
    let mut table = [[zero; CHUNK]; ROWS];
    let mut pair = 0;
    while pair < ROWS {
        let mut index = 1;
        while index < CHUNK {
            let bit = index.trailing_zeros() as usize;
            let rest = table[pair][index & (index - 1)];
            // Bit 10 of a chunk is a ghost bit, never set.
            table[pair][index] = if bit == 10 {
                rest
            } else {
                let column = if bit < 5 { 2 * bit + 1 } else { 2 * (bit - 5) };
                add(rest, of_square(2 * pair + bit / 5, column))
            };
            index += 1;
        }
        pair += 1;
    }
    table
};

/// The sums over these men, seen as White's.
#[inline(always)]
pub(super) fn sums(men: u64) -> Sums {
    let mut sums = Sums::default();
    for (pair, table) in TABLE.iter().enumerate() {
        let index = (men >> (CHUNK_BITS * pair as u32)) as usize % CHUNK;
        sums = add(sums, table[index]);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::{Color, Position, Square};

    #[test]
    fn the_start_is_three_hundred_steps_and_balanced() {
        let men = Position::initial().men(Color::White);
        assert_eq!(sums(men.bits()).steps, 150);
        assert_eq!(sums(men.bits()).lever, 0);
    }

    #[test]
    fn every_square_has_its_row_and_column() {
        for square in Square::all() {
            let sums = sums(square.bitboard().bits());
            assert_eq!(sums.steps, i16::from(square.row()));
            assert_eq!(sums.lever, 2 * i16::from(square.column()) - 9);
        }
    }
}
