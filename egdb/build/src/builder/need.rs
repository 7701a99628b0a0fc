//! The needs of solving a slice: memory, and disk for its work file. The builder and
//! [`plan`](crate::plan) both go by this.

use std::sync::Arc;

use super::Pass;
use super::men::{MenSets, all_sets};
use super::order::{after_capture, after_crowning};
use super::raw;
use super::schedule::{Output, Schedule};
use super::solve::Workspace;
use super::store::{DistanceKinds, ValueStore};
use crate::encode::compact::CompactWriter;
use egdb::format::DbType;
use egdb::slice::Slice;

/// The share of the memory for encoders, stacks and the program.
pub(super) const OVERHEAD: u64 = 48 << 20;

/// The needs of solving a unit.
pub(super) struct Demand;

impl Demand {
    /// Bytes needed in memory for a unit: the result, the two units that moves of men lead to, and
    /// the threads' working memory.
    pub(super) fn of_unit(
        store: &ValueStore,
        unit: usize,
        metrics: DistanceKinds,
        threads: usize,
    ) -> u64 {
        let after = store.units.after(unit).into_iter().flatten();
        let after: u64 = after.map(|next| store.unit_bytes(next, metrics.kept())).sum();
        store.unit_bytes(unit, metrics) + after + Workspace::bytes(store, unit, metrics, threads)
    }

    /// The greatest of all units of a slice.
    pub(super) fn greatest(store: &ValueStore, metrics: DistanceKinds, threads: usize) -> u64 {
        let units = 0..store.units.len();
        units.map(|unit| Demand::of_unit(store, unit, metrics, threads)).max().unwrap_or(0)
    }
}

/// Computes what slices will take.
pub(crate) struct Needs {
    sets: [Arc<MenSets>; 6],
    passes: Vec<DistanceKinds>,
    threads: usize,
    compact: bool,
}

impl Needs {
    pub(crate) fn new(types: &[DbType], threads: usize) -> Needs {
        let passes = Pass::of(types).iter().map(|pass| pass.metrics).collect();
        let compact = types.contains(&DbType::Compact);
        Needs { sets: all_sets(), passes, threads, compact }
    }

    /// The greatest of all passes, with the metrics of a slice in each.
    fn most(&self, of: impl Fn(DistanceKinds) -> u64) -> u64 {
        self.passes.iter().map(|&metrics| of(metrics)).max().unwrap_or(0)
    }

    /// Memory budgets in bytes, see [`super::BuildOptions::memory`]: the smallest that solves the
    /// slice, and the smallest that reads nothing twice.
    pub(crate) fn memory(&self, slice: Slice) -> (u64, u64) {
        let others = after_capture(slice).into_iter().chain(after_crowning(slice));
        let others: Vec<Slice> = others.collect();
        let all = |metrics: DistanceKinds| {
            let bytes = |&next: &Slice| {
                let store = ValueStore::new(&self.sets, next, metrics);
                raw::plain_bytes(&store, metrics.of(next).kept())
            };
            self.in_pass(slice, metrics) + others.iter().map(bytes).sum::<u64>()
        };
        (OVERHEAD + self.own(slice), OVERHEAD + self.most(all))
    }

    /// The most that a slice takes without look-ups, among those that fit the memory.
    pub(super) fn reserved(&self, slices: &[Slice], memory: u64) -> u64 {
        let own = slices.iter().map(|&slice| self.own(slice));
        own.filter(|own| own + OVERHEAD <= memory).max().unwrap_or(0)
    }

    /// Bytes that solving and writing a slice takes, look-ups not counted.
    fn own(&self, slice: Slice) -> u64 {
        self.most(|metrics| self.in_pass(slice, metrics))
    }

    fn in_pass(&self, slice: Slice, metrics: DistanceKinds) -> u64 {
        let store = ValueStore::new(&self.sets, slice, metrics);
        let solving = Demand::greatest(&store, metrics.of(slice), self.threads);
        let writing = if self.compact { CompactWriter::memory(slice) } else { 0 };
        solving.max(writing)
    }

    /// About how long the work file of a slice is, in bytes.
    pub(crate) fn work_file(&self, slice: Slice) -> u64 {
        self.most(|metrics| {
            let store = ValueStore::new(&self.sets, slice, metrics);
            let values = raw::plain_bytes(&store, DistanceKinds::NONE);
            let distances = raw::plain_bytes(&store, metrics.of(slice)) - values;
            (values as f64 * COMPRESSED[0] + distances as f64 * COMPRESSED[1]) as u64
        })
    }
}

/// The share that compression leaves of values and of distances, measured with five pieces.
const COMPRESSED: [f64; 2] = [0.17, 0.12];

/// Bytes of database files for each position, by type, as measured with five pieces.
fn database_bytes(db_type: DbType) -> f64 {
    let bits = match db_type {
        DbType::Compact => 0.07,
        DbType::Mtc => 0.012,
        DbType::Dtw => 0.72,
        DbType::Rules => 0.03,
        _ => 0.18,
    };
    bits / 8.0
}

/// About how many bytes the files of a build take at a time, at most.
pub(crate) fn peak_disk(slices: &[Slice], types: &[DbType], keep_work: bool) -> u64 {
    let passes = Pass::of(types);
    let (mut work, mut databases, mut peak) = (0, 0, 0);
    for Pass { types, .. } in &passes {
        peak = peak.max(peak_of(slices, types, keep_work, &mut work, &mut databases));
    }
    peak
}

fn peak_of(
    slices: &[Slice],
    types: &[DbType],
    keep_work: bool,
    work: &mut u64,
    databases: &mut u64,
) -> u64 {
    let needs = Needs::new(types, 1);
    let mut schedule = Schedule::new(slices.to_vec(), types, keep_work);
    let files: Vec<u64> = slices.iter().map(|&slice| needs.work_file(slice)).collect();
    let mut peak = 0;
    for number in 0..slices.len() {
        schedule.has_file[number] = true;
        *work += files[number];
        for output in schedule.ready() {
            let Output { db_type, slices, is_done, .. } = &mut schedule.outputs[output];
            let all = slices.iter().map(|&number| schedule.slices[number]);
            let positions: u64 = all.map(|s| s.size() * s.stored_sides().len() as u64).sum();
            *databases += (positions as f64 * database_bytes(*db_type)) as u64;
            *is_done = true;
        }
        peak = peak.max(*work + *databases);
        for (number, is_needed) in schedule.needed().into_iter().enumerate() {
            if schedule.has_file[number] && !is_needed {
                schedule.has_file[number] = false;
                *work -= files[number];
            }
        }
    }
    peak
}
