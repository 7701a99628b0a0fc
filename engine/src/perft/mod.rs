//! Perft with threads and a table: counts the move sequences of a given length.
//!
//! The tree is cut into many sub-trees, far more than there are threads: with sub-trees of very
//! different size the threads still end together. Below, the
//! move generator's own [`movegen::perft`] counts without a table. With a table, sub-trees of
//! three and more plies are looked up; the counts are the same, except that two positions of
//! equal 64-bit key would be taken for one (about once in 10^9 runs of 10^10 look-ups).

mod table;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use movegen::{Move, Position};
use rayon::prelude::*;
use table::{PerftTable, TableAddress};
use thiserror::Error;

/// Sub-trees per thread.
const ITEMS_PER_THREAD: usize = 1000;
/// Sub-trees of this depth are counted without looking at the stop flag (milliseconds).
const UNINTERRUPTED: u32 = 5;
/// Smallest depth that is looked up: shallower trees are counted faster than found.
const MIN_HASHED: u32 = 3;

/// How to count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Plies, 0..=[`Options::MAX_DEPTH`].
    pub depth: u32,
    /// Threads; 0 counts as 1.
    pub threads: usize,
    /// Size of the table in MiB; 0 for none.
    pub hash_mib: usize,
    /// Count the moves of the last ply without making them.
    pub bulk: bool,
}

impl Options {
    /// The greatest depth.
    pub const MAX_DEPTH: u32 = 100;
}

/// Why there is no count.
#[derive(Debug, Error)]
pub enum PerftError {
    /// The depth is out of range.
    #[error("depth {0} is more than {max}", max = Options::MAX_DEPTH)]
    Depth(u32),
    /// No memory for the table.
    #[error("no memory for a table of {mib} MiB")]
    OutOfMemory {
        /// The size asked for.
        mib: usize,
    },
    /// No threads.
    #[error("the threads cannot be started")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The count needs more than 64 bits.
    #[error("the count exceeds 64 bits")]
    Overflow,
    /// [`Progress::stop`] was called.
    #[error("interrupted")]
    Interrupted,
}

/// A running count as other threads see and stop it.
#[derive(Debug, Default)]
pub struct Progress {
    stop: AtomicBool,
    items: AtomicU64,
    done: AtomicU64,
    nodes: AtomicU64,
}

impl Progress {
    /// Makes the count end soon with [`PerftError::Interrupted`].
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Sub-trees counted so far, and all of them.
    #[must_use]
    pub fn items(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.items.load(Ordering::Relaxed))
    }

    /// Leaves counted so far.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// The result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Move sequences of exactly the depth asked for.
    pub nodes: u64,
    /// The same for each legal move, in the order of the move generator; empty at depth 0.
    pub divide: Vec<(Move, u64)>,
}

/// Counts. Draw rules are ignored, as in [`movegen::perft::perft`]. `report` is called after each
/// sub-tree, on any thread.
///
/// # Errors
/// See [`PerftError`].
pub fn count(
    position: &Position,
    options: &Options,
    progress: &Progress,
    report: &(dyn Fn(&Progress) + Sync),
) -> Result<Counts, PerftError> {
    if options.depth > Options::MAX_DEPTH {
        return Err(PerftError::Depth(options.depth));
    }
    let mib = options.hash_mib;
    let table = match mib {
        0 => None,
        _ => Some(PerftTable::new(mib).ok_or(PerftError::OutOfMemory { mib })?),
    };
    if options.depth == 0 {
        return Ok(Counts { nodes: 1, divide: Vec::new() });
    }
    let threads = options.threads.max(1);
    let moves = position.legal_moves();
    let (items, depth) = split(position, options.depth, ITEMS_PER_THREAD.saturating_mul(threads));
    progress.items.store(items.len() as u64, Ordering::Relaxed);

    let counter = PerftCounter { table, bulk: options.bulk, progress };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let count = |(root_move, position): &PerftItem| {
        let nodes = counter.count(position, depth)?;
        progress.nodes.fetch_add(nodes, Ordering::Relaxed);
        progress.done.fetch_add(1, Ordering::Relaxed);
        report(progress);
        Ok((*root_move, nodes))
    };
    let counts: Result<Vec<_>, PerftError> =
        pool.install(|| items.par_iter().with_max_len(1).map(count).collect());
    let mut divide: Vec<(Move, u64)> = moves.iter().map(|&mv| (mv, 0)).collect();
    for (root_move, nodes) in counts? {
        let (_, total) = &mut divide[root_move];
        *total = sum([*total, nodes].into_iter())?;
    }
    let nodes = sum(divide.iter().map(|(_, nodes)| *nodes))?;
    Ok(Counts { nodes, divide })
}

fn sum(mut counts: impl Iterator<Item = u64>) -> Result<u64, PerftError> {
    counts.try_fold(0u64, u64::checked_add).ok_or(PerftError::Overflow)
}

/// A sub-tree: the index of the root move it belongs to, and where it begins.
type PerftItem = (usize, Position);

/// At least `wanted` sub-trees, if the tree is deep enough, and the depth of each.
fn split(position: &Position, depth: u32, wanted: usize) -> (Vec<PerftItem>, u32) {
    let moves = position.legal_moves();
    let mut items: Vec<PerftItem> =
        moves.iter().enumerate().map(|(i, &mv)| (i, position.after(mv))).collect();
    let mut left = depth - 1;
    while left > UNINTERRUPTED && items.len() < wanted {
        items = items
            .iter()
            .flat_map(|(i, p)| p.legal_moves().into_iter().map(move |mv| (*i, p.after(mv))))
            .collect();
        left -= 1;
    }
    (items, left)
}

struct PerftCounter<'a> {
    table: Option<PerftTable>,
    bulk: bool,
    progress: &'a Progress,
}

impl PerftCounter<'_> {
    fn leaf(&self, position: &Position, depth: u32) -> u64 {
        if self.bulk {
            movegen::perft::perft(position, depth)
        } else {
            movegen::perft::perft_unbulked(position, depth)
        }
    }

    fn count(&self, position: &Position, depth: u32) -> Result<u64, PerftError> {
        if depth >= UNINTERRUPTED && self.progress.is_stopped() {
            return Err(PerftError::Interrupted);
        }
        let deepest_leaf = if self.table.is_some() { MIN_HASHED - 1 } else { UNINTERRUPTED };
        if depth <= deepest_leaf {
            return Ok(self.leaf(position, depth));
        }
        let place = self.table.as_ref().map(|table| (table, TableAddress::new(position, depth)));
        if let Some(nodes) = place.and_then(|(table, address)| table.get(address, depth)) {
            return Ok(nodes);
        }
        let mut nodes = 0u64;
        for mv in position.legal_moves() {
            let below = self.count(&position.after(mv), depth - 1)?;
            nodes = nodes.checked_add(below).ok_or(PerftError::Overflow)?;
        }
        if let Some((table, address)) = place {
            table.put(address, depth, nodes);
        }
        Ok(nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(fen: &str, options: &Options) -> Counts {
        let position = Position::from_fen(fen).unwrap();
        count(&position, options, &Progress::default(), &|_| {}).unwrap()
    }

    const START: &str = "W:W31-50:B1-20";
    const WOLDOUBY: &str = "W:W25,27,28,30,32,33,34,35,37,38:B12,13,14,16,18,19,21,23,24,26";

    /// Published counts, see `positions/perft.tsv`.
    #[test]
    fn every_way_of_counting_agrees() {
        for (fen, depth, nodes) in [(START, 8, 6_483_961), (WOLDOUBY, 12, 1_910_989)] {
            for threads in [1, 2, 3] {
                for hash_mib in [0, 1, 16] {
                    for bulk in [true, false] {
                        let options = Options { depth, threads, hash_mib, bulk };
                        let counts = counts(fen, &options);
                        assert_eq!(counts.nodes, nodes, "{fen} {options:?}");
                        let sum: u64 = counts.divide.iter().map(|(_, n)| n).sum();
                        assert_eq!(sum, nodes);
                    }
                }
            }
        }
    }

    /// `positions/perft-deep.tsv`; the deepest takes minutes and every one a large table.
    #[test]
    #[ignore = "minutes, and 4 GiB of memory"]
    fn slow_deep_counts_of_the_initial_position() {
        let rows = include_str!("../../../positions/perft-deep.tsv")
            .lines()
            .filter(|line| line.starts_with("W:"))
            .map(|line| line.split('\t').collect::<Vec<_>>());
        let mut checked = 0;
        for row in rows {
            let (depth, nodes) = (row[1].parse().unwrap(), row[2].parse::<u64>().unwrap());
            let options = Options { depth, threads: 2, hash_mib: 4096, bulk: true };
            assert_eq!(counts(row[0], &options).nodes, nodes, "{row:?}");
            checked += 1;
        }
        assert_eq!(checked, 4);
    }

    #[test]
    fn shallow_depths() {
        for (depth, nodes, moves) in [(0, 1, 0), (1, 9, 9), (2, 81, 9), (3, 658, 9)] {
            for hash_mib in [0, 1] {
                let counts = counts(START, &Options { depth, threads: 2, hash_mib, bulk: true });
                assert_eq!((counts.nodes, counts.divide.len()), (nodes, moves));
            }
        }
        let lost = counts("W:W:B1", &Options { depth: 4, threads: 2, hash_mib: 1, bulk: true });
        assert_eq!((lost.nodes, lost.divide.len()), (0, 0));
    }

    #[test]
    fn limits() {
        let start = Position::initial();
        let options = Options { depth: 101, threads: 1, hash_mib: 0, bulk: true };
        let progress = Progress::default();
        let count = |options: &Options| count(&start, options, &progress, &|_| {});
        assert!(matches!(count(&options), Err(PerftError::Depth(101))));
        let options = Options { depth: 30, hash_mib: usize::MAX >> 21, ..options };
        assert!(matches!(count(&options), Err(PerftError::OutOfMemory { .. })));
        progress.stop();
        let options = Options { depth: 20, hash_mib: 1, ..options };
        assert!(matches!(count(&options), Err(PerftError::Interrupted)));
    }

    /// Two lone kings have more sequences than 64 bits can count, but a small table knows nearly
    /// all of them.
    #[test]
    fn overflow_is_an_error() {
        let position = Position::from_fen("W:WK46:BK1").unwrap();
        let options = Options { depth: 60, threads: 1, hash_mib: 64, bulk: true };
        let result = count(&position, &options, &Progress::default(), &|_| {});
        assert!(matches!(result, Err(PerftError::Overflow)));
    }
}
