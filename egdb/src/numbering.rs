//! Other ways to number the positions of a slice, for the compact files (`docs/formats.md`, section
//! 16): runs are longest when the pieces that decide about the value change last, and these pieces
//! differ from slice to slice.
//!
//! The four groups of pieces (black men, black kings, white men, white kings) each have a number
//! among all placements of such a group, ignoring other pieces; these make up the position's
//! number, the fastest-changing group last. So there are numbers without a position, where two
//! groups want a square. They may have any value and cost nothing: they lengthen a run.

use movegen::Board;
use movegen::geometry::{bit_of_index, bits};

use crate::layout::{BINOMIALS, binomial};
use crate::slice::Slice;
use crate::symmetry::first_image;

/// Orders of the squares.
const SQUARE_ORDERS: usize = 6;
/// Orders of the four groups.
const GROUP_ORDERS: usize = 24;

/// Which number a square has, by bit, for black men, for white men and for kings. Squares where a
/// man cannot be have none.
type SquareNumbers = [[u8; 64]; 3];

static SQUARE_NUMBERS: [SquareNumbers; SQUARE_ORDERS] = {
    let mut table = [[[0; 64]; 3]; SQUARE_ORDERS];
    let mut order = 0;
    while order < SQUARE_ORDERS {
        let mut keys = [0; 50];
        let mut s = 0;
        while s < 50 {
            keys[s] = sort_key(order, s as u32);
            s += 1;
        }
        s = 0;
        while s < 50 {
            // How many squares come before this one, and how many of them are the men's.
            let (mut all, mut black, mut white) = (0, 0, 0);
            let mut t = 0;
            while t < 50 {
                if keys[t] < keys[s] {
                    all += 1;
                    black += (t < 45) as u8;
                }
                // White men go the other way.
                if keys[t] > keys[s] {
                    white += (t >= 5) as u8;
                }
                t += 1;
            }
            let bit = bit_of_index(s as u32) as usize;
            table[order][0][bit] = black;
            table[order][1][bit] = white;
            table[order][2][bit] = all;
            s += 1;
        }
        order += 1;
    }
    table
};

/// Squares (0 to 49) are in ascending order of this number: by rows, by columns, by the
/// diagonals of each direction, by rows there and back, by diagonals there and back.
const fn sort_key(order: usize, square: u32) -> i32 {
    let row = (square / 5) as i32;
    let column = 2 * (square % 5) as i32 + (row + 1) % 2;
    let (first, second) = match order {
        0 => (row, column),
        1 => (column, row),
        2 => (row + column, row),
        3 => (row - column, row),
        4 => (row, if row % 2 == 0 { column } else { -column }),
        _ => (row + column, if (row + column) / 2 % 2 == 0 { row } else { -row }),
    };
    100 * first + second
}

/// The kinds of [`SquareNumbers`] that the groups have.
const KINDS: [usize; 4] = [0, 2, 1, 2];

/// One of the ways to number positions, as in the files: 24 times the order of squares plus the
/// order of groups.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Numbering {
    number: u8,
    /// Of positions that symmetries connect only the first is looked up.
    is_folded: bool,
}

impl Numbering {
    /// From its number in the files.
    pub const fn new(number: u8) -> Option<Numbering> {
        if (number as usize) < SQUARE_ORDERS * GROUP_ORDERS {
            Some(Numbering { number, is_folded: false })
        } else {
            None
        }
    }

    /// Its number in the files.
    pub const fn number(self) -> u8 {
        self.number
    }

    /// The same for kings alone, of whose positions only the first of those that the symmetries connect
    /// are looked up ([`first_image`]).
    pub const fn folded(self) -> Numbering {
        Numbering { is_folded: true, ..self }
    }

    /// Whether it is a folded one.
    pub const fn is_folded(self) -> bool {
        self.is_folded
    }

    /// The numberings that differ for a slice: groups that it does not have come first, in order.
    pub fn all(slice: Slice) -> impl Iterator<Item = Numbering> {
        let counts = group_counts(slice);
        let all = (0..(SQUARE_ORDERS * GROUP_ORDERS) as u8).filter_map(Numbering::new);
        all.filter(move |numbering| {
            let groups = numbering.groups();
            let absent = groups.iter().take_while(|&&g| counts[g] == 0).count();
            absent == counts.iter().filter(|&&n| n == 0).count() && groups[..absent].is_sorted()
        })
    }

    fn square_order(self) -> usize {
        usize::from(self.number) / GROUP_ORDERS
    }

    /// The groups (0 black men, 1 black kings, 2 white men, 3 white kings), the fastest-changing
    /// one last: the permutations in lexicographic order.
    fn groups(self) -> [usize; 4] {
        let mut rest = usize::from(self.number) % GROUP_ORDERS;
        let mut groups = [0, 1, 2, 3];
        for (k, factor) in [6, 2, 1].into_iter().enumerate() {
            groups[k..=k + rest / factor].rotate_right(1);
            rest %= factor;
        }
        groups
    }
}

fn group_counts(slice: Slice) -> [u8; 4] {
    [slice.black_men(), slice.black_kings(), slice.white_men(), slice.white_kings()]
}

/// How many placements a group has.
fn placements(group: usize, count: u8) -> u64 {
    u64::from(binomial(if KINDS[group] == 2 { 50 } else { 45 }, count.into()))
}

/// Numbers the positions of one slice.
#[derive(Clone, Debug)]
pub struct Numberer {
    squares: &'static SquareNumbers,
    /// The factor of a group's number.
    factors: [u64; 4],
    size: u64,
    is_folded: bool,
}

impl Numberer {
    /// For a slice.
    #[must_use]
    pub fn new(slice: Slice, numbering: Numbering) -> Numberer {
        let counts = group_counts(slice);
        let mut factors = [0; 4];
        let mut size = 1u64;
        for &group in numbering.groups().iter().rev() {
            factors[group] = size;
            size *= placements(group, counts[group]);
        }
        let squares = &SQUARE_NUMBERS[numbering.square_order()];
        Numberer { squares, factors, size, is_folded: numbering.is_folded }
    }

    /// How many numbers there are.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The number of a position of the slice. For an excluded one, any number.
    #[inline(always)]
    pub fn number(&self, board: &Board) -> u64 {
        if self.is_folded { self.folded_number(board) } else { self.whole_number(board) }
    }

    #[cold]
    #[inline(never)]
    fn folded_number(&self, board: &Board) -> u64 {
        self.whole_number(&first_image(board))
    }

    #[inline(always)]
    fn whole_number(&self, board: &Board) -> u64 {
        // Group and square of each piece, without a branch that could be mispredicted: the
        // number of pieces is all that a processor has to guess.
        const MAX_PIECES: usize = 8;
        let mut pieces = [(0u8, 0u8); MAX_PIECES];
        let mut sets = [0u64; 4];
        let mut count = 0;
        for bit in bits(board.black | board.white).take(MAX_PIECES) {
            let is_white = usize::from(board.white & bit != 0);
            let is_king = usize::from(board.kings & bit != 0);
            let group = 2 * is_white + is_king;
            let kind = if is_king != 0 { 2 } else { is_white };
            let number = self.squares[kind][bit.trailing_zeros() as usize & 63];
            sets[group] |= 1 << (number & 63);
            pieces[count] = (group as u8, number & 63);
            count += 1;
        }
        let mut sum = 0u64;
        for &(group, number) in &pieces[..count] {
            let group = usize::from(group & 3);
            // Which of its group's pieces it is, from 1.
            let place = (sets[group] & (2u64 << number).wrapping_sub(1)).count_ones();
            let rank = u64::from(BINOMIALS[place as usize & 7][usize::from(number)]);
            sum = sum.wrapping_add(self.factors[group].wrapping_mul(rank));
        }
        sum
    }
}

/// All placements of a slice's groups, to go through positions in the order of a numbering.
pub struct Placements {
    /// By group: sets of squares in the order of their numbers.
    sets: [Vec<u64>; 4],
    groups: [usize; 4],
}

impl Placements {
    /// Of a slice.
    #[must_use]
    pub fn new(slice: Slice, numbering: Numbering) -> Placements {
        let counts = group_counts(slice);
        let squares = &SQUARE_NUMBERS[numbering.square_order()];
        let sets = std::array::from_fn(|group| {
            let kind = KINDS[group];
            let may_stand = |s: &u32| kind == 2 || (kind == 0 && *s < 45) || (kind == 1 && *s >= 5);
            let mut by_number = [0; 50];
            for bit in (0..50).filter(may_stand).map(bit_of_index) {
                by_number[usize::from(squares[kind][bit as usize])] = 1 << bit;
            }
            let all = if kind == 2 { 50 } else { 45 };
            combinations(&by_number[..all], counts[group])
        });
        Placements { sets, groups: numbering.groups() }
    }

    /// How many numbers there are.
    pub fn size(&self) -> u64 {
        self.sets.iter().map(|sets| sets.len() as u64).product()
    }

    /// Goes through `count` numbers from `start` on, in stretches.
    #[inline(always)]
    pub fn walk(&self, start: u64, count: u64, mut each: impl FnMut(Stretch<'_>)) {
        let group = self.groups[3];
        let inner = &self.sets[group];
        let (mut at, end) = (start, start + count);
        while at < end {
            let (mut rest, from) = (at / inner.len() as u64, (at % inner.len() as u64) as usize);
            let mut others = [0; 4];
            for &group in self.groups[..3].iter().rev() {
                let all = self.sets[group].len() as u64;
                others[group] = self.sets[group][(rest % all) as usize];
                rest /= all;
            }
            let here = (inner.len() - from).min((end - at) as usize);
            let all = others.iter().fold(0, |all, set| all | set);
            let pieces: u32 = others.iter().map(|set| set.count_ones()).sum();
            let occupied = (all.count_ones() == pieces).then_some(all);
            each(Stretch { others, occupied, group, sets: &inner[from..from + here] });
            at += here as u64;
        }
    }
}

/// Numbers that follow each other and differ in the pieces of the last group only.
pub struct Stretch<'a> {
    /// The pieces of the other groups; none of the last one.
    pub others: [u64; 4],
    /// The squares that they take; `None` if two of them want the same one, so that no number of the
    /// stretch has a position.
    pub occupied: Option<u64>,
    /// The last group.
    pub group: usize,
    /// Its pieces, by number. Where they want an occupied square, the number has no position.
    pub sets: &'a [u64],
}

/// All choices of `count` of these bits, in the order of their numbers: the greatest member
/// counts most.
fn combinations(bits: &[u64], count: u8) -> Vec<u64> {
    let Some(rest) = count.checked_sub(1) else { return vec![0] };
    let greatest = usize::from(rest)..bits.len();
    greatest
        .flat_map(|k| combinations(&bits[..k], rest).into_iter().map(move |set| set | bits[k]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{board_of, unrank};

    #[test]
    fn numbers_and_walks_agree() {
        for digits in ["0101", "2010", "1111", "0310", "3001", "1120"] {
            let slice: Slice = digits.parse().unwrap();
            let all: Vec<Numbering> = Numbering::all(slice).collect();
            let kinds = group_counts(slice).iter().filter(|&&n| n > 0).count();
            assert_eq!(all.len(), 6 * [1, 2, 6, 24][kinds - 1], "{slice}");
            for numbering in all.into_iter().step_by(7) {
                let numberer = Numberer::new(slice, numbering);
                let placements = Placements::new(slice, numbering);
                let mut positions = 0;
                let mut at = 0u64;
                // In parts, so that it begins in the middle too.
                while at < numberer.size() {
                    let count = 100_003.min(numberer.size() - at);
                    let mut number = at;
                    placements.walk(at, count, |Stretch { mut others, occupied, group, sets }| {
                        for &set in sets {
                            if occupied.is_some_and(|occupied| set & occupied == 0) {
                                others[group] = set;
                                let board = board_of(others);
                                assert_eq!(Slice::of(&board), Some(slice));
                                assert_eq!(numberer.number(&board), number, "{board:?}");
                                positions += 1;
                            }
                            number += 1;
                        }
                    });
                    at += count;
                }
                assert_eq!(positions, slice.size(), "{slice} {numbering:?}");
            }
        }
    }

    #[test]
    fn by_rows_with_kings_last_follows_the_index() {
        // The order of the Kingsrow index, where there are no men: white kings last.
        let slice: Slice = "0202".parse().unwrap();
        let numberer = Numberer::new(slice, Numbering::new(0).unwrap());
        let numbers =
            (0..slice.size()).step_by(101).map(|i| numberer.number(&unrank(slice, i).unwrap()));
        assert!(numbers.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn six_pieces_fit_into_32_bits() {
        let size = |slice| Numberer::new(slice, Numbering::new(0).unwrap()).size();
        assert!((2..=6).flat_map(Slice::stored).all(|slice| size(slice) <= u64::from(u32::MAX)));
        assert_eq!(size("2212".parse().unwrap()), 990 * 1225 * 45 * 1225);
        assert_eq!(Numbering::new(144), None);
    }
}
