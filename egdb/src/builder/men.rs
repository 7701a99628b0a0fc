//! Arrangements of men, numbered by how far they have advanced.
//!
//! A man only moves forward, and each of its moves advances it by one row. The *level* of an
//! arrangement is the number of rows that its men have advanced in all; a move of a man that is
//! not crowned leads from a level to the next one, and crowning a man, which has advanced eight
//! rows, to the level eight below in another slice. So the levels of a slice are solved from the
//! last to the first, and each needs only one level of its own slice.
//!
//! Within a level an arrangement is numbered by its black and its white men apart, as if they
//! could share a square; a number with such a conflict is a hole.

use std::sync::Arc;

use movegen::geometry::{bit_of_index, turned};

use crate::index::rank_squares;
use crate::slice::Slice;

/// Squares on which a man can stand, from its own first row.
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

/// The levels of a slice and the numbering of arrangements within them.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    black: Arc<MenSets>,
    white: Arc<MenSets>,
    /// The first number of the arrangements whose black men have advanced this many rows.
    starts: Vec<Vec<usize>>,
    sizes: Vec<usize>,
}

/// Where an arrangement of men stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Block {
    pub level: usize,
    pub number: usize,
}

impl Levels {
    pub(super) fn new(sets: &[Arc<MenSets>; 6], slice: Slice) -> Levels {
        let black = Arc::clone(&sets[usize::from(slice.black_men())]);
        let white = Arc::clone(&sets[usize::from(slice.white_men())]);
        let last = black.by_progress.len() + white.by_progress.len() - 1;
        let mut levels = Levels { black, white, starts: Vec::new(), sizes: Vec::new() };
        for level in 0..last {
            let mut next = 0;
            let mut starts = Vec::new();
            for (progress, sets) in levels.black.by_progress.iter().enumerate() {
                starts.push(next);
                next += sets.len() * levels.white_count(level, progress);
            }
            levels.starts.push(starts);
            levels.sizes.push(next);
        }
        levels
    }

    /// Arrangements of white men that go with black men of this progress in a level.
    fn white_count(&self, level: usize, black_progress: usize) -> usize {
        let progress = level.checked_sub(black_progress);
        progress.and_then(|p| self.white.by_progress.get(p)).map_or(0, Vec::len)
    }

    /// Number of levels, at least 1.
    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Number of arrangements in a level, holes included.
    pub(super) fn size(&self, level: usize) -> usize {
        self.sizes[level]
    }

    /// Where these men stand.
    #[inline(always)]
    pub(super) fn block(&self, black: u64, white: u64) -> Block {
        let (black_progress, black) = self.black.place(black);
        let (white_progress, white) = self.white.place(turned(white));
        let level = black_progress + white_progress;
        let whites = self.white.by_progress[white_progress].len();
        Block { level, number: self.starts[level][black_progress] + black * whites + white }
    }

    /// The black and white men of a number in a level; `None` for a hole.
    pub(super) fn men(&self, level: usize, number: usize) -> Option<(u64, u64)> {
        let starts = &self.starts[level];
        let progress = starts.partition_point(|&start| start <= number) - 1;
        let rest = number - starts[progress];
        let whites = self.white.by_progress.get(level.checked_sub(progress)?)?;
        let black = *self.black.by_progress[progress].get(rest / whites.len())?;
        let white = turned(whites[rest % whites.len()]);
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
            let levels = Levels::new(&sets, slice);
            let mut arrangements = 0;
            for level in 0..levels.len() {
                for number in 0..levels.size(level) {
                    let Some((black, white)) = levels.men(level, number) else { continue };
                    assert_eq!(levels.block(black, white), Block { level, number });
                    arrangements += 1;
                }
            }
            assert_eq!(arrangements, slice.layout().men, "{slice}");
        }
    }
}
