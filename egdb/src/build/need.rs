//! What solving a slice takes: memory, and disk for its work file. The builder and
//! [`plan`](crate::plan) both go by this.

use std::sync::Arc;

use super::men::{MenSets, all_sets};
use super::order::{after_capture, after_crowning};
use super::raw;
use super::solve::{Metrics, Workspace};
use super::store::Store;
use crate::slice::Slice;

/// Share of the memory that is not for levels: encoders, stacks, the program.
pub(super) const OVERHEAD: u64 = 48 << 20;

/// The levels of other slices that have to be in memory to solve a level: all of slices that
/// captures lead to, and of the slices that crowning leads to the level eight below, as the
/// crowned man had advanced eight rows. `levels` gives the number of levels of a slice.
pub(super) fn needed_levels(
    slice: Slice,
    level: usize,
    levels: impl Fn(Slice) -> usize,
) -> Vec<(Slice, usize)> {
    let mut list = Vec::new();
    for next in after_capture(slice) {
        list.extend((0..levels(next)).map(|level| (next, level)));
    }
    if let Some(below) = level.checked_sub(8) {
        list.extend(after_crowning(slice).into_iter().map(|next| (next, below)));
    }
    list
}

/// Bytes that solving a level takes besides those levels: the result, the level above as it is
/// kept, and what the threads work with.
pub(super) fn own_bytes(store: &Store, level: usize, metrics: Metrics, threads: usize) -> u64 {
    let above = match level + 1 < store.levels.len() {
        true => store.level_bytes(level + 1, metrics.kept()),
        false => 0,
    };
    store.level_bytes(level, metrics) + above + Workspace::bytes(store, level, metrics, threads)
}

/// Computes what slices will take.
pub(crate) struct Needs {
    sets: [Arc<MenSets>; 6],
    metrics: Metrics,
    threads: usize,
}

impl Needs {
    pub(crate) fn new(mtc: bool, dtw: bool, threads: usize) -> Needs {
        Needs { sets: all_sets(), metrics: Metrics { dtw, mtc }, threads }
    }

    fn store(&self, slice: Slice) -> Store {
        Store::new(&self.sets, slice, self.metrics.dtw)
    }

    /// The smallest memory budget in bytes, see [`super::BuildOptions::memory`], with which the
    /// slice is solved.
    pub(crate) fn memory(&self, slice: Slice) -> u64 {
        let store = self.store(slice);
        let others = after_capture(slice).into_iter().chain(after_crowning(slice));
        let others: Vec<Store> = others.map(|next| self.store(next)).collect();
        let find = |slice| others.iter().find(|store| store.slice == slice);
        let levels = |slice| find(slice).map_or(0, |store| store.levels.len());
        let bytes = |(slice, level)| {
            find(slice).map_or(0, |store| store.level_bytes(level, self.metrics.kept()))
        };
        let of_level = |level| {
            let needed: u64 = needed_levels(slice, level, levels).into_iter().map(bytes).sum();
            own_bytes(&store, level, self.metrics, self.threads) + needed
        };
        OVERHEAD + (0..store.levels.len()).map(of_level).max().unwrap_or(0)
    }

    /// Length of the work file in bytes.
    pub(crate) fn work_file(&self, slice: Slice) -> u64 {
        raw::length(&self.store(slice), self.metrics)
    }
}
