//! What a searching thread remembers of the positions it has scored: most leaves come up again
//! soon, by another order of the moves or in the next iteration.

use super::network;
use super::weights::Weights;

/// Positions remembered: 128 KiB, which the second cache of a processor holds beside the rest.
pub(super) const ENTRIES: usize = 1 << 13;
/// The network has not been asked.
pub(super) const UNKNOWN: i32 = i32::MIN;

/// For one thread and one evaluation.
#[derive(Clone)]
pub(crate) struct Memory {
    pub(super) entries: Box<[Entry]>,
    /// Hidden sums, if there is a network.
    pub(super) sums: Option<network::Sums>,
}

/// White's sums for a position, in parts of a hundredth of a man.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) key: u64,
    /// Scalars and patterns.
    pub(super) rest: i32,
    /// The network, or [`UNKNOWN`].
    pub(super) network: i32,
}

impl Memory {
    pub(super) fn new(weights: &Weights) -> Memory {
        // Keys that belong elsewhere.
        let empty = |at: usize| Entry { key: !(at as u64), rest: 0, network: UNKNOWN };
        let sums = weights.network().map(network::Sums::new);
        Memory { entries: (0..ENTRIES).map(empty).collect(), sums }
    }
}
