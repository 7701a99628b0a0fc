//! What solving a slice takes: memory, and disk for its work file. The builder and
//! [`plan`](crate::plan) both go by this.

use std::collections::HashMap;
use std::sync::Arc;

use super::men::{MenSets, all_sets};
use super::order::{after_capture, after_crowning};
use super::raw;
use super::solve::Workspace;
use super::store::{Metrics, Store};
use crate::slice::Slice;

/// Share of the memory that is not for levels: encoders, stacks, the program.
pub(super) const OVERHEAD: u64 = 48 << 20;

/// What solving a level takes, in bytes.
pub(super) struct Demand {
    /// What has to be in memory: the result, the level above as it is kept, and what the threads
    /// work with.
    pub own: u64,
    /// The levels of other slices that are looked at, and their bytes, those first that are looked
    /// at most: of the slices that crowning leads to the level eight below, as the crowned man had
    /// advanced eight rows; of slices that captures lead to all.
    pub others: Vec<((Slice, usize), u64)>,
}

impl Demand {
    /// `other` gives the number of levels of a slice, and the bytes of each.
    pub(super) fn new<B: Fn(usize) -> u64>(
        store: &Store,
        level: usize,
        metrics: Metrics,
        threads: usize,
        other: impl Fn(Slice) -> (usize, B),
    ) -> Demand {
        let above = match level + 1 < store.levels.len() {
            true => store.level_bytes(level + 1, metrics.kept()),
            false => 0,
        };
        let own = store.level_bytes(level, metrics)
            + above
            + Workspace::bytes(store, level, metrics, threads);
        let mut others = Vec::new();
        if let Some(below) = level.checked_sub(8) {
            for next in after_crowning(store.slice) {
                others.push(((next, below), other(next).1(below)));
            }
        }
        for next in after_capture(store.slice) {
            let (levels, bytes) = other(next);
            others.extend((0..levels).map(|level| ((next, level), bytes(level))));
        }
        Demand { own, others }
    }

    /// With everything in memory.
    fn all(&self) -> u64 {
        self.own + self.others.iter().map(|(_, bytes)| bytes).sum::<u64>()
    }

    /// The least that it can be done with: other slices can be read from their files where these
    /// can be mapped.
    pub(super) fn least(&self) -> u64 {
        if cfg!(feature = "mmap") { self.own } else { self.all() }
    }
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

    /// Memory budgets in bytes, see [`super::BuildOptions::memory`]: the smallest with which the
    /// slice is solved, and the smallest with which it reads no file while it is.
    pub(crate) fn memory(&self, slice: Slice) -> (u64, u64) {
        let store = self.store(slice);
        let others = after_capture(slice).into_iter().chain(after_crowning(slice));
        let others: HashMap<Slice, Store> = others.map(|next| (next, self.store(next))).collect();
        let demand = |level| {
            Demand::new(&store, level, self.metrics, self.threads, |next| {
                let store = &others[&next];
                (store.levels.len(), |level| store.level_bytes(level, self.metrics.kept()))
            })
        };
        let demands = (0..store.levels.len()).map(demand);
        let (least, all) = demands.fold((0, 0), |(least, all), demand| {
            (demand.least().max(least), demand.all().max(all))
        });
        (OVERHEAD + least, OVERHEAD + all)
    }

    /// Length of the work file in bytes.
    pub(crate) fn work_file(&self, slice: Slice) -> u64 {
        raw::length(&self.store(slice), self.metrics)
    }
}
