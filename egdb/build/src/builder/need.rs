//! The needs of solving a slice: memory, and disk for its work file. The builder and
//! [`plan`](crate::plan) both go by this.

use std::sync::Arc;

use super::men::{MenSets, all_sets};
use super::order::{after_capture, after_crowning};
use super::raw;
use super::schedule::{Output, Schedule};
use super::solve::Workspace;
use super::store::{DistanceKinds, ValueStore};
use super::{Pass, positions};
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
            (positions(slice) as f64 * value_bytes(slice) + distances as f64 * COMPRESSED) as u64
        })
    }
}

/// The share that compression leaves of distances, measured with five pieces.
const COMPRESSED: f64 = 0.12;

/// Bytes of the values of 10,000 positions in work files, by slice, as measured.
const MEASURED: [(u16, u16); 31] = [
    (302, 227),
    (311, 883),
    (320, 1276),
    (401, 181),
    (410, 682),
    (1202, 907),
    (1211, 885),
    (1220, 1082),
    (1301, 804),
    (1310, 573),
    (2102, 1114),
    (2111, 657),
    (2120, 716),
    (2201, 918),
    (2210, 432),
    (3002, 1445),
    (3011, 837),
    (3020, 1346),
    (3101, 1057),
    (3110, 319),
    (4001, 1214),
    (4010, 545),
    (402, 350),
    (403, 360),
    (412, 1437),
    (421, 1027),
    (502, 442),
    (511, 795),
    (520, 1103),
    (1303, 1385),
    (1402, 1882),
];

/// About how many bytes a position takes in a work file, without distances.
fn value_bytes(slice: Slice) -> f64 {
    let (bm, bk) = (slice.black_men(), slice.black_kings());
    let (wm, wk) = (slice.white_men(), slice.white_kings());
    let digits = [bm, bk, wm, wk].iter().fold(0, |all, &digit| 10 * all + u16::from(digit));
    if let Some((_, bytes)) = MEASURED.iter().find(|(slice, _)| *slice == digits) {
        return f64::from(*bytes) / 1e4;
    }
    // A position with several kings of the moving side is in several rows, and more kings make
    // values less regular; one man or king against many is nearly always lost.
    let more = i32::from(slice.pieces()) - 5;
    match (bm + wm, wk) {
        (0, _) => 0.03,
        (_, 0) if wm == 1 => 0.05,
        (_, 0) => 0.105,
        (_, 1) => 0.092,
        _ => 0.1 * 1.25f64.powi(more),
    }
}

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
    let mut schedule = Schedule::new(slices.to_vec(), types);
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
            if schedule.has_file[number] && !is_needed && !keep_work {
                schedule.has_file[number] = false;
                *work -= files[number];
            }
        }
    }
    peak
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::build_order;

    /// Lengths of work files that were built, of values alone.
    #[test]
    fn work_files_are_about_as_long_as_planned() {
        let needs = Needs::new(&[DbType::Compact], 2);
        for (digits, bytes) in [
            ("2111", 12_157_185),
            ("1202", 10_371_547),
            ("3110", 1_760_980),
            ("0402", 16_692_431),
            ("0421", 1_741_000_000),
            ("0520", 374_000_000),
        ] {
            let planned = needs.work_file(digits.parse().unwrap()) as f64 / f64::from(bytes);
            assert!((0.85..1.15).contains(&planned), "{digits}: {planned}");
        }
        let all = |pieces| -> u64 {
            build_order(pieces).into_iter().map(|slice| needs.work_file(slice)).sum()
        };
        // 128 MB with five pieces.
        assert!((109..148).contains(&(all(5) / 1_000_000)), "{}", all(5));
    }
}
