//! A searching thread's memory of positions it has scored: most leaves come up again soon, by
//! another order of moves or in the next iteration.

use movegen::{Position, isa};

use super::network::{self, Network};
use super::weights::Weights;

/// Positions remembered: 512 KiB, half of the second-level cache of many processors. Searches
/// prefetch an entry, so the third-level cache is fast enough, too.
const ENTRIES: usize = 1 << 15;
/// The network has not been computed.
const UNKNOWN: i32 = i32::MIN;

/// For one thread and one evaluation.
#[derive(Clone)]
pub(crate) struct ScoreMemory {
    entries: Box<[EvalEntry]>,
    /// Hidden sums, if there is a network.
    sums: Option<network::Sums>,
}

/// White's sums for a position, in parts of a hundredth of a man.
#[derive(Clone, Copy)]
struct EvalEntry {
    key: u64,
    /// Scalars and patterns.
    rest: i32,
    /// The network, or [`UNKNOWN`].
    network: i32,
}

impl ScoreMemory {
    pub(super) fn new(weights: &Weights) -> ScoreMemory {
        // Keys that belong to other entries.
        let empty = |at: usize| EvalEntry { key: !(at as u64), rest: 0, network: UNKNOWN };
        let sums = weights.network().map(network::Sums::new);
        ScoreMemory { entries: (0..ENTRIES).map(empty).collect(), sums }
    }

    /// Fetches the entry of a position into the processor's cache.
    #[inline(always)]
    pub fn prefetch(&self, position: &Position) {
        isa::prefetch(&self.entries[position.key() as usize % ENTRIES]);
    }

    /// The score of a position by scalars and patterns, for weights that never change.
    #[inline(always)]
    pub(super) fn rest(&mut self, weights: &Weights, position: &Position) -> i32 {
        let key = position.key();
        let entry = &mut self.entries[key as usize % ENTRIES];
        if entry.key != key {
            *entry = EvalEntry { key, rest: weights.white_sum(position), network: UNKNOWN };
        }
        entry.rest
    }

    /// Their network's score of the position asked for last.
    #[inline(always)]
    pub(super) fn network(&mut self, network: &Network, position: &Position, ply: usize) -> i32 {
        let entry = &mut self.entries[position.key() as usize % ENTRIES];
        if entry.network == UNKNOWN {
            let sums = self.sums.as_mut().expect("there is a network");
            entry.network = network.white_score_from(position, sums, ply);
        }
        entry.network
    }
}
