//! The symmetries of the board that keep the colours: the half-turn, and the reflections in the two
//! long diagonals. Kings move the same in all directions, so positions of kings alone that a
//! symmetry connects have the same value, and a quarter of them is enough.
//!
//! Every symmetry is its own inverse.

use std::sync::OnceLock;

use movegen::geometry::{SQUARES, bit_of_index, bits, turned};

use egdb::index::rank_squares;

/// A symmetry: 0 nothing, 1 the half-turn, 2 the reflection in the diagonal that has no squares, 3
/// that in the diagonal from 5 to 46.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turn(u8);

/// Where the reflection that exchanges rows and columns leads, by byte of a set.
static REFLECTED: [[u64; 256]; 7] = {
    let mut table = [[0; 256]; 7];
    let mut square = 0u32;
    while square < 50 {
        let row = square / 5;
        let column = 2 * (square % 5) + (row + 1) % 2;
        // Squares have an odd sum of row and column.
        let image = 5 * column + (row - (column + 1) % 2) / 2;
        let (from, to) = (bit_of_index(square), bit_of_index(image));
        let mut byte = 0;
        while byte < 256 {
            if byte >> (from % 8) & 1 != 0 {
                table[from as usize / 8][byte] |= 1 << to;
            }
            byte += 1;
        }
        square += 1;
    }
    table
};

impl Turn {
    pub(super) const NONE: Turn = Turn(0);

    const ALL: [Turn; 4] = [Turn(0), Turn(1), Turn(2), Turn(3)];

    /// The set turned.
    #[inline(always)]
    pub(super) fn apply(self, set: u64) -> u64 {
        if self.0 == 0 {
            return set;
        }
        self.turn(set)
    }

    #[inline(never)]
    fn turn(self, mut set: u64) -> u64 {
        if self.0 & 2 != 0 {
            let bytes = set.to_le_bytes();
            let tables = REFLECTED.iter().zip(bytes);
            set = tables.fold(0, |all, (table, byte)| all | table[usize::from(byte)]);
        }
        if self.0 & 1 != 0 { turned(set) } else { set }
    }

    /// A list by bit, turned: the entry of a square goes to the square's image.
    #[inline(always)]
    pub(super) fn apply_list(self, list: &[u8; 64]) -> [u8; 64] {
        if self.0 == 0 {
            return *list;
        }
        let mut turned = *list;
        for square in bits(SQUARES) {
            let image = self.turn(square);
            turned[image.trailing_zeros() as usize] = list[square.trailing_zeros() as usize];
        }
        turned
    }
}

/// The sets of some number of squares, one of each class under the symmetries.
#[derive(Debug)]
pub(super) struct Orbits {
    /// By rank of a set: the number of the set that stands for it.
    numbers: Vec<u32>,
    /// By rank of a set: a bit for each symmetry that leads to the one that stands for it.
    turns: Vec<u8>,
    /// The sets that stand for others.
    sets: Vec<u64>,
}

impl Orbits {
    /// For sets of a given number of squares, up to 5.
    pub(super) fn of(count: u8) -> &'static Orbits {
        static ALL: [OnceLock<Orbits>; 6] = [const { OnceLock::new() }; 6];
        ALL[usize::from(count.min(5))].get_or_init(|| Orbits::new(count.min(5)))
    }

    fn new(count: u8) -> Orbits {
        let mut orbits = Orbits { numbers: Vec::new(), turns: Vec::new(), sets: Vec::new() };
        let mut all = Vec::new();
        subsets(SQUARES, count.into(), &mut |set| all.push(set));
        for (rank, &set) in all.iter().enumerate() {
            let images = Turn::ALL.map(|turn| rank_squares(turn.apply(set)) as usize);
            let first = images.into_iter().min().unwrap_or(rank);
            let leads = Turn::ALL.into_iter().zip(images).filter(|(_, image)| *image == first);
            orbits.turns.push(leads.fold(0, |bits, (turn, _)| bits | 1 << turn.0));
            if first == rank {
                orbits.numbers.push(orbits.sets.len() as u32);
                orbits.sets.push(set);
            } else {
                orbits.numbers.push(orbits.numbers[first]);
            }
        }
        orbits
    }

    /// The sets that stand for others, by number.
    pub(super) fn sets(&self) -> &[u64] {
        &self.sets
    }

    /// The number of the set that stands for the one with this rank, and a symmetry that leads
    /// there: none if it is the same.
    #[inline(always)]
    pub(super) fn place(&self, rank: usize) -> (usize, Turn) {
        (self.numbers[rank] as usize, Turn(self.turns[rank].trailing_zeros() as u8))
    }

    /// As [`Orbits::place`], all symmetries that lead there.
    #[inline(always)]
    pub(super) fn places(&self, rank: usize) -> (usize, impl Iterator<Item = Turn> + use<>) {
        let turns = self.turns[rank];
        let turns = Turn::ALL.into_iter().filter(move |turn| turns >> turn.0 & 1 != 0);
        (self.numbers[rank] as usize, turns)
    }
}

/// The subsets with `count` members in order of their rank.
pub(super) fn subsets(free: u64, count: u32, visit: &mut dyn FnMut(u64)) {
    if count == 0 {
        visit(0);
        return;
    }
    // By greatest member, then the rest below it.
    for top in bits(free) {
        let below = free & (top - 1);
        if below.count_ones() + 1 >= count {
            subsets(below, count - 1, &mut |set| visit(set | top));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::geometry::{STEPS, shift};

    #[test]
    fn symmetries_keep_diagonals() {
        for turn in Turn::ALL {
            for square in bits(SQUARES) {
                let image = turn.apply(square);
                assert_eq!((image.count_ones(), image & !SQUARES), (1, 0));
                assert_eq!(turn.apply(image), square);
                let near = |square| STEPS.iter().fold(0, |all, &step| all | shift(square, step));
                assert_eq!(turn.apply(near(square) & SQUARES), near(image) & SQUARES);
                let list = std::array::from_fn(|bit| bit as u8);
                let turned = turn.apply_list(&list);
                assert_eq!(1 << turned[image.trailing_zeros() as usize], square);
            }
        }
        let square = |number: u32| 1u64 << bit_of_index(number - 1);
        assert_eq!(Turn(1).apply(square(1)), square(50));
        assert_eq!(Turn(2).apply(square(5)), square(46));
        assert_eq!(Turn(3).apply(square(5) | square(1)), square(5) | square(45));
    }

    #[test]
    fn orbits_cover_everything() {
        for count in 0..4 {
            let orbits = Orbits::of(count);
            let mut all = 0;
            subsets(SQUARES, count.into(), &mut |set| {
                let rank = rank_squares(set) as usize;
                let (number, turns) = orbits.places(rank);
                let turns: Vec<Turn> = turns.collect();
                assert_eq!(orbits.place(rank), (number, turns[0]));
                assert!(turns.iter().all(|turn| turn.apply(set) == orbits.sets[number]));
                if orbits.sets[number] == set {
                    assert_eq!(turns[0], Turn::NONE);
                    // One for each image.
                    all += 4 / turns.len();
                }
            });
            assert_eq!(all, orbits.numbers.len(), "{count}");
        }
    }
}
