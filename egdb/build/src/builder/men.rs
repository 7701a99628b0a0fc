//! Arrangements of men, numbered by how far they have advanced.
//!
//! A man only moves forward, and each of its moves advances it by one row. The *progress* of a
//! colour is the number of rows that its men have advanced in all. The arrangements with the same
//! progress of Black and of White are a *unit*: a move of a man that is not crowned leads to the
//! unit with one more of its colour, and crowning a man, which has advanced eight rows, to another
//! slice, with eight less. So the units of a slice are solved from the last to the first, and each
//! needs only two units of its own slice.
//!
//! Within a unit an arrangement is numbered by its black and its white men apart, as if they
//! could share a square; a number with such a conflict is a hole.

use std::sync::Arc;

use movegen::geometry::{bit_of_index, turned};

use egdb::index::rank_squares;
use egdb::slice::Slice;

/// Squares where a man can be, from its own first row.
const MAN_SQUARES: u32 = 45;
/// Rows that a man advances before its last step.
const ROWS: usize = 8;

/// The sets of some number of black men; white men are turned to be looked up.
#[derive(Debug)]
pub(super) struct MenSets {
    /// Sets by rows advanced.
    by_progress: Vec<Vec<u64>>,
    /// Number among the sets with the same progress, and progress, by rank of the set.
    places: Vec<(u32, u8)>,
}

impl MenSets {
    pub(super) fn new(count: u8) -> MenSets {
        let mut sets = MenSets {
            by_progress: vec![Vec::new(); ROWS * usize::from(count) + 1],
            places: Vec::new(),
        };
        let mut members: Vec<u32> = (0..u32::from(count)).collect();
        loop {
            let set = members.iter().fold(0u64, |set, &s| set | 1 << bit_of_index(s));
            let progress: u32 = members.iter().map(|s| s / 5).sum();
            let list = &mut sets.by_progress[progress as usize];
            sets.places.push((list.len() as u32, progress as u8));
            list.push(set);
            // The next set in order of rank: the lowest member that can move up does, and those
            // below it go back to the start.
            let movable = (0..members.len()).find(|&i| {
                let limit = members.get(i + 1).copied().unwrap_or(MAN_SQUARES);
                members[i] + 1 < limit
            });
            let Some(i) = movable else { return sets };
            members[i] += 1;
            for (below, member) in members[..i].iter_mut().enumerate() {
                *member = below as u32;
            }
        }
    }

    #[inline(always)]
    fn place(&self, set: u64) -> (usize, usize) {
        let (number, progress) = self.places[rank_squares(set) as usize];
        (progress.into(), number as usize)
    }
}

/// The units of a slice and the numbering of arrangements within them.
#[derive(Clone, Debug)]
pub(super) struct Units {
    black: Arc<MenSets>,
    white: Arc<MenSets>,
}

/// Where an arrangement of men is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Block {
    pub unit: usize,
    pub number: usize,
}

impl Units {
    pub(super) fn new(sets: &[Arc<MenSets>; 6], slice: Slice) -> Units {
        Units {
            black: Arc::clone(&sets[usize::from(slice.black_men())]),
            white: Arc::clone(&sets[usize::from(slice.white_men())]),
        }
    }

    /// Number of units, at least 1.
    pub(super) fn len(&self) -> usize {
        self.black.by_progress.len() * self.whites()
    }

    /// Number of units with the same progress of Black: the distance to the unit with one more. The
    /// one with one more of White is the next one.
    pub(super) fn whites(&self) -> usize {
        self.white.by_progress.len()
    }

    /// The units of the same slice that moves of men lead to: Black's and White's.
    pub(super) fn after(&self, unit: usize) -> [Option<usize>; 2] {
        let whites = self.whites();
        let black = Some(unit + whites).filter(|&next| next < self.len());
        let white = Some(unit + 1).filter(|next| next % whites != 0);
        [black, white]
    }

    /// Number of arrangements in a unit, holes included.
    pub(super) fn size(&self, unit: usize) -> usize {
        let (black, white) = (unit / self.whites(), unit % self.whites());
        self.black.by_progress[black].len() * self.white.by_progress[white].len()
    }

    /// Where these men are.
    #[inline(always)]
    pub(super) fn block(&self, black: u64, white: u64) -> Block {
        let (black_progress, black) = self.black.place(black);
        let (white_progress, white) = self.white.place(turned(white));
        let whites = self.white.by_progress[white_progress].len();
        Block {
            unit: black_progress * self.whites() + white_progress,
            number: black * whites + white,
        }
    }

    /// The black and white men of a number in a unit; `None` for a hole.
    pub(super) fn men(&self, unit: usize, number: usize) -> Option<(u64, u64)> {
        let (black, white) = (unit / self.whites(), unit % self.whites());
        let whites = &self.white.by_progress[white];
        let black = *self.black.by_progress[black].get(number / whites.len())?;
        let white = turned(whites[number % whites.len()]);
        (black & white == 0).then_some((black, white))
    }
}

/// The sets of nought to five men.
pub(super) fn all_sets() -> [Arc<MenSets>; 6] {
    std::array::from_fn(|count| Arc::new(MenSets::new(count as u8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arrangement_has_its_own_number() {
        let sets = all_sets();
        for digits in ["1010", "2010", "2111", "0202", "1301", "2120"] {
            let slice: Slice = digits.parse().unwrap();
            let units = Units::new(&sets, slice);
            let mut arrangements = 0;
            for unit in 0..units.len() {
                for number in 0..units.size(unit) {
                    let Some((black, white)) = units.men(unit, number) else { continue };
                    assert_eq!(units.block(black, white), Block { unit, number });
                    arrangements += 1;
                }
            }
            assert_eq!(arrangements, slice.layout().men, "{slice}");
        }
    }
}
