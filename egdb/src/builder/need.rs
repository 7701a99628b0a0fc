//! What solving a slice takes: memory, and disk for its work file. The builder and
//! [`plan`](crate::plan) both go by this.

use std::sync::Arc;

use super::men::{MenSets, all_sets};
use super::order::{after_capture, after_crowning};
use super::raw;
use super::solve::Workspace;
use super::store::{Metrics, Store};
use crate::slice::Slice;

/// Share of the memory that is not for solved values: encoders, stacks, the program.
pub(super) const OVERHEAD: u64 = 48 << 20;

/// What solving a unit takes.
pub(super) struct Demand;

impl Demand {
    /// Bytes that have to be in memory for a unit: the result, the two units that moves of men
    /// lead to, and what the threads work with.
    pub(super) fn of_unit(store: &Store, unit: usize, metrics: Metrics, threads: usize) -> u64 {
        let after = store.units.after(unit).into_iter().flatten();
        let after: u64 = after.map(|next| store.unit_bytes(next, metrics.kept())).sum();
        store.unit_bytes(unit, metrics) + after + Workspace::bytes(store, unit, metrics, threads)
    }

    /// The greatest of all units of a slice.
    pub(super) fn greatest(store: &Store, metrics: Metrics, threads: usize) -> u64 {
        let units = 0..store.units.len();
        units.map(|unit| Demand::of_unit(store, unit, metrics, threads)).max().unwrap_or(0)
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
    /// slice is solved, and the smallest with which it reads nothing twice while it is.
    pub(crate) fn memory(&self, slice: Slice) -> (u64, u64) {
        let own = Demand::greatest(&self.store(slice), self.metrics, self.threads);
        let others = after_capture(slice).into_iter().chain(after_crowning(slice));
        let bytes = |next| raw::plain_bytes(&self.store(next), self.metrics.kept());
        (OVERHEAD + own, OVERHEAD + own + others.map(bytes).sum::<u64>())
    }

    /// Bytes of the solved values of a slice before they are compressed.
    pub(crate) fn plain(&self, slice: Slice) -> u64 {
        raw::plain_bytes(&self.store(slice), self.metrics)
    }
}
