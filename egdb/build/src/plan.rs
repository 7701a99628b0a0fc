//! What each slice needs to be built, and the cost of building it.
//!
//! A move leads out of a slice by a capture, to slices with fewer pieces, or by a promotion, to
//! one with a man less and a king more. So a slice can be built as soon as the stored slices that
//! it leads to directly exist; different machines can build slices that do not depend on each
//! other.
//!
//! Memory and disk are what [`crate::builder`] will ask for, by the same rules.

use crate::builder::{Needs, after_capture, after_crowning, build_order};
use egdb::format::DbType;
use egdb::slice::Slice;

/// The stored slices that the moves of a slice lead to, without itself, in building order.
#[must_use]
pub fn needs(slice: Slice) -> Vec<Slice> {
    let mut list = after_capture(slice);
    list.extend(after_crowning(slice));
    list.sort_by_key(|&slice| (slice.pieces(), slice.black_men() + slice.white_men(), slice));
    list.dedup();
    list
}

/// What is built and how fast.
#[derive(Clone, PartialEq, Debug)]
pub struct Costs {
    /// Positions a second for one type of database, solving and writing together.
    pub rate: f64,
    /// Types written.
    pub types: Vec<DbType>,
    /// Threads that solve a slice.
    pub threads: u32,
}

/// The building of one slice.
#[derive(Clone, PartialEq, Debug)]
pub struct Task {
    /// The slice, as stored.
    pub slice: Slice,
    /// The slices that must be solved before, as stored.
    pub needs: Vec<Slice>,
    /// Positions, of all stored sides to move.
    pub positions: u64,
    /// The smallest memory budget in bytes that solves it. Smaller databases may then be read from
    /// their files.
    pub least_memory: u64,
    /// The smallest memory budget in bytes that keeps all its look-ups in memory.
    pub memory: u64,
    /// About how many bytes the work file has, until all slices that need it are solved.
    pub disk: u64,
    /// Time in seconds, estimated from the rate.
    pub seconds: f64,
}

/// All slices of 2 to `max_pieces` pieces in building order.
#[must_use]
pub fn plan(max_pieces: u8, costs: &Costs) -> Vec<Task> {
    let cost = Needs::new(&costs.types, costs.threads as usize);
    let task = |slice: Slice| {
        let positions = slice.size() * slice.stored_sides().len() as u64;
        let (least_memory, memory) = cost.memory(slice);
        Task {
            slice,
            needs: needs(slice),
            positions,
            least_memory,
            memory,
            disk: cost.work_file(slice),
            seconds: positions as f64 * costs.types.len() as f64 / costs.rate,
        }
    };
    (2..=max_pieces).flat_map(build_order).map(task).collect()
}

/// About the most bytes that a build of some slices has on disk at a time: databases and work
/// files, which are removed when no longer needed unless they are kept. The slices are in building
/// order.
#[must_use]
pub fn peak_disk(slices: &[Slice], types: &[DbType], keep_work: bool) -> u64 {
    crate::builder::peak_disk(slices, types, keep_work)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use movegen::random::Random;

    use super::*;
    use egdb::index::{DbIndex, unrank};

    fn costs() -> Costs {
        Costs { rate: 1e6, types: vec![DbType::Wld2, DbType::Mtc, DbType::Dtw], threads: 2 }
    }

    fn slice(text: &str) -> Slice {
        text.parse().expect("a slice")
    }

    #[test]
    fn every_slice_comes_after_what_it_needs() {
        let tasks = plan(8, &costs());
        assert_eq!(tasks.len(), 3 + 6 + 14 + 22 + 37 + 38 + 39);
        let mut built = BTreeSet::new();
        for task in &tasks {
            assert!(task.needs.iter().all(|need| built.contains(need)), "{task:?}");
            assert!(built.insert(task.slice));
        }
    }

    #[test]
    fn needs_of_some_slices() {
        assert_eq!(needs(slice("0101")), []);
        assert_eq!(needs(slice("0110")), [slice("0101")]);
        assert_eq!(needs(slice("0201")), [slice("0101")]);
        // White captures the man, or the king, which leaves 1001, stored as 0110; a promotion.
        let list = ["0101", "0110", "0201"].map(slice);
        assert_eq!(needs(slice("1101")), list);
    }

    /// Every move of random positions stays in the slice or leads to one it needs, and all slices
    /// needed for promotions or single captures occur.
    #[test]
    fn moves_lead_to_what_is_needed() {
        let mut random = Random::new(7);
        for task in plan(6, &costs()) {
            let mut seen = BTreeSet::new();
            for &side in task.slice.stored_sides() {
                for _ in 0..600 {
                    let index = random.below_u64(task.slice.size());
                    let board = unrank(task.slice, index).expect("in range");
                    let position = board.position(side).expect("a position");
                    for &mv in &position.legal_moves() {
                        if let Some(place) = DbIndex::of(&position.after(mv)) {
                            seen.insert(place.slice);
                        }
                    }
                }
            }
            seen.remove(&task.slice);
            assert!(seen.iter().all(|next| task.needs.contains(next)), "{task:?}: {seen:?}");
            assert!(task.needs.is_empty() || !seen.is_empty(), "{task:?}");
        }
    }

    #[test]
    fn estimates_add_up() {
        let tasks = plan(5, &costs());
        let all: u64 = tasks.iter().map(|task| task.positions).sum();
        assert_eq!(all, 8_845 + 806_300 + 41_971_200 + 1_570_600_750);
        for task in &tasks {
            assert!((task.seconds - task.positions as f64 * 3e-6).abs() < 1e-9);
        }
        let disk = |pieces: u8| {
            let slices: Vec<Slice> = (2..=pieces).flat_map(build_order).collect();
            peak_disk(&slices, &[DbType::Compact], false) >> 20
        };
        // Work files are removed when no longer needed: for seven pieces, all would take 105 GiB.
        assert!((50..200).contains(&disk(5)), "{}", disk(5));
        assert!((1_500..3_000).contains(&disk(6)), "{}", disk(6));
        assert!((20_000..70_000).contains(&disk(7)), "{}", disk(7));
    }
}
