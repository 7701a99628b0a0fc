//! What patterns and scalars need to know about the men, in chunks of two rows.
//!
//! Two rows are eleven bits of the ghost layout. A chunk has four *parts*, each of four squares in
//! four neighbouring columns (columns 0-3, 2-5, 4-7, 6-9); a part with its men is a number in base
//! 3 (0 empty, 1 own man, 2 enemy man), so below 81. Its digits, the lowest first, are the left and
//! the right square of the upper row, then those of the lower one. Numbers of own and enemy men
//! come from one table, and add up.
//!
//! All patterns are composed of parts, and each side looks at the upper six rows as if it were
//! White: Black sees the board turned by 180 degrees.

use movegen::{Color, Position};

const CHUNK_BITS: u32 = 11;
const CHUNKS: usize = 5;
const ENTRIES: usize = 1 << CHUNK_BITS;
/// Groups of four columns.
pub const GROUPS: usize = 4;
/// Chunks that a side looks at.
pub const VIEW_CHUNKS: usize = 3;
/// Values of a part.
pub const PART_VALUES: usize = 81;

/// The bits of a part's digits within its chunk.
const fn digit_bits(group: usize) -> [usize; 4] {
    [group, group + 1, 5 + group, 6 + group]
}

/// The men of one side in a chunk as parts of four bytes; as they are, and turned.
static PARTS: [[u32; 2]; ENTRIES] = {
    let mut table = [[0; 2]; ENTRIES];
    let mut chunk = 0;
    while chunk < ENTRIES {
        let mut group = 0;
        while group < GROUPS {
            let bits = digit_bits(group);
            let (mut digit, mut worth) = (0, 1);
            while digit < 4 {
                let straight = (chunk >> bits[digit] & 1) as u32;
                let turned = (chunk >> (9 - bits[digit]) & 1) as u32;
                table[chunk][0] += (straight * worth) << (8 * group);
                table[chunk][1] += (turned * worth) << (8 * group);
                worth *= 3;
                digit += 1;
            }
            group += 1;
        }
        chunk += 1;
    }
    table
};

/// Sums over the men of one side in a chunk: bits 0-7 their number, 8-15 those in the lower row,
/// 16-31 the sum of their columns.
static SUMS: [u32; ENTRIES] = {
    let mut table = [0; ENTRIES];
    let mut chunk = 0;
    while chunk < ENTRIES {
        let mut bit = 0;
        while bit < 10 {
            if chunk >> bit & 1 != 0 {
                let (row, column) = (bit / 5, if bit < 5 { 2 * bit + 1 } else { 2 * (bit - 5) });
                table[chunk] += 1 + ((row as u32) << 8) + ((column as u32) << 16);
            }
            bit += 1;
        }
        chunk += 1;
    }
    table
};

#[inline(always)]
const fn chunk(men: u64, index: usize) -> usize {
    (men >> (CHUNK_BITS as usize * index)) as usize & (ENTRIES - 1)
}

/// One side's view: the parts of the three upper chunks, four bytes each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SideView([u32; VIEW_CHUNKS]);

impl SideView {
    /// The value of a part, below [`PART_VALUES`].
    #[inline(always)]
    pub const fn part(self, chunk: usize, group: usize) -> usize {
        (self.0[chunk] >> (8 * group) & 0xff) as usize
    }
}

/// White's and Black's views.
#[inline(always)]
pub fn views(white_men: u64, black_men: u64) -> [SideView; 2] {
    let mut views = [SideView([0; VIEW_CHUNKS]); 2];
    for i in 0..VIEW_CHUNKS {
        let from_top = |men| PARTS[chunk(men, i)][0];
        let from_bottom = |men| PARTS[chunk(men, CHUNKS - 1 - i)][1];
        // A digit is at most 2 and a part at most 80: nothing overflows into the next byte.
        views[0].0[i] = from_top(white_men) + 2 * from_top(black_men);
        views[1].0[i] = from_bottom(black_men) + 2 * from_bottom(white_men);
    }
    views
}

/// Sums over the men of one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MenSums {
    /// How many there are.
    pub count: i32,
    /// The steps to promotion of all the men.
    pub steps: i32,
    /// Distances from the middle in half columns, right positive.
    pub lever: i32,
}

impl MenSums {
    /// For these men, which belong to this side.
    #[inline(always)]
    pub fn of(men: u64, color: Color) -> MenSums {
        let mut all = 0;
        let mut rows = 0;
        for i in 0..CHUNKS {
            let sums = SUMS[chunk(men, i)];
            all += sums;
            rows += 2 * i as u32 * (sums & 0xff);
        }
        let count = (all & 0xff) as i32;
        let rows = (rows + (all >> 8 & 0xff)) as i32;
        let steps = if color == Color::White { rows } else { 9 * count - rows };
        MenSums { count, steps, lever: 2 * (all >> 16) as i32 - 9 * count }
    }
}

/// Sums over the men of White and of Black.
#[inline(always)]
pub fn sums(position: &Position) -> [MenSums; 2] {
    let of = |color| MenSums::of(position.men(color).bits(), color);
    [of(Color::White), of(Color::Black)]
}

#[cfg(test)]
mod tests {
    use movegen::{Kind, Square};

    use super::*;
    use crate::test_positions::random_positions;

    /// The part from its squares, by the definition.
    fn slow_part(position: &Position, view: Color, chunk: usize, group: usize) -> usize {
        let mut value = 0;
        for (digit, (row, right)) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().enumerate() {
            let row = 2 * chunk + row;
            let column = 2 * group + 2 * right + usize::from(row.is_multiple_of(2));
            let mut square = Square::from_row_column(row as u8, column as u8).unwrap();
            if view == Color::Black {
                square = Square::from_row_column(9 - row as u8, 9 - column as u8).unwrap();
            }
            if let Some(piece) = position.piece_at(square)
                && piece.kind == Kind::Man
            {
                value += 3usize.pow(digit as u32) * if piece.color == view { 1 } else { 2 };
            }
        }
        value
    }

    #[test]
    fn parts_are_what_the_definition_says() {
        for position in random_positions(2_000, 5) {
            let [white, black] =
                views(position.men(Color::White).bits(), position.men(Color::Black).bits());
            for chunk in 0..VIEW_CHUNKS {
                for group in 0..GROUPS {
                    for (view, color) in [(white, Color::White), (black, Color::Black)] {
                        let slow = slow_part(&position, color, chunk, group);
                        assert_eq!(view.part(chunk, group), slow, "{position:?} {chunk} {group}");
                        assert!(slow < PART_VALUES);
                    }
                }
            }
        }
    }

    #[test]
    fn sums_are_sums_over_squares() {
        for position in random_positions(2_000, 6) {
            for (sums, color) in sums(&position).into_iter().zip([Color::White, Color::Black]) {
                let men = position.men(color);
                let row = |s: Square| i32::from(s.row());
                let steps = |s| if color == Color::White { row(s) } else { 9 - row(s) };
                assert_eq!(sums.count, men.len() as i32);
                assert_eq!(sums.steps, men.into_iter().map(steps).sum::<i32>());
                let lever = |s: Square| 2 * i32::from(s.column()) - 9;
                assert_eq!(sums.lever, men.into_iter().map(lever).sum::<i32>());
            }
        }
    }
}
