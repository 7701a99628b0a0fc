//! What each slice needs to be built, and the cost of building it.
//!
//! A move leads out of a slice by a capture, to slices with fewer pieces, or by a promotion, to
//! one with a man less and a king more. So a slice can be built as soon as the stored slices that
//! it leads to directly exist; different machines can build slices that do not depend on each
//! other.
//!
//! Memory and disk are what [`crate::builder`] will ask for, by the same rules.

use crate::builder::{
    Needs, after_capture, after_crowning, build_order, passes, positions, seconds,
};
use crate::json;
use egdb::format::DbType;
use egdb::slice::Slice;
use movegen::json::{Record, rounded};
use schemars::JsonSchema;
use serde::Serialize;

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
    /// Positions a second that the machine solves and writes with these threads, of five pieces and
    /// [`DbType::Compact`]; without it times are those of the machine that was measured.
    pub rate: Option<f64>,
    /// Seconds that solving some slices took, each for one of the passes of a build of these types. It
    /// says how fast the machine is, if there is no rate.
    pub log: Vec<(Slice, f64)>,
    /// Types written.
    pub types: Vec<DbType>,
    /// Threads that solve a slice.
    pub threads: u32,
    /// The most memory for a slice, in bytes.
    pub limit: Option<u64>,
}

/// The building of one slice.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TaskRecord")]
pub struct Task {
    /// The slice, as stored.
    #[serde(serialize_with = "json::text")]
    #[schemars(with = "String")]
    pub slice: Slice,
    /// The slices that must be solved before, as stored.
    #[serde(serialize_with = "json::texts")]
    #[schemars(with = "Vec<String>")]
    pub needs: Vec<Slice>,
    /// Positions, of all stored sides to move.
    pub positions: u64,
    /// The smallest memory budget in bytes that keeps all its look-ups in memory.
    #[serde(rename = "memory_bytes")]
    pub memory: u64,
    /// The smallest memory budget in bytes that solves it. Smaller databases may then be read from
    /// their files.
    #[serde(rename = "least_memory_bytes")]
    pub least_memory: u64,
    /// About how many bytes the work file has, until all slices that need it are solved.
    #[serde(rename = "disk_bytes")]
    pub disk: u64,
    /// Time, estimated from what other slices took, or from the log of a build.
    pub seconds: f64,
    /// Whether the limit is less than the memory that keeps all look-ups.
    pub out_of_core: bool,
}

impl Record for Task {
    const TYPE: &'static str = "task";
}

impl Task {
    /// Memory to request, in bytes: the estimate and a reserve.
    #[must_use]
    pub fn request(&self, limit: Option<u64>) -> u64 {
        let bytes = self.memory + self.memory / 16 + (16 << 20);
        limit.map_or(bytes, |limit| limit.min(bytes))
    }
}

/// The writing of database files: of a piece count, or of one slice.
#[derive(Clone, Debug)]
pub struct Packing<'a> {
    /// The piece count or the slice.
    pub name: String,
    /// The slices in the files.
    pub tasks: Vec<&'a Task>,
}

impl Packing<'_> {
    /// Memory to ask for, in bytes: most encoders take little and read in order; those that take
    /// much are included in a slice's needs.
    #[must_use]
    pub fn request(&self, limit: Option<u64>) -> u64 {
        let least = self.tasks.iter().map(|task| task.least_memory).max().unwrap_or(0);
        let enough = (least + least / 16).max(1 << 30);
        limit.map_or(enough, |limit| limit.min(enough))
    }
}

/// The steps that write database files of these types when the slices are solved: for a piece count
/// at a time, or for a slice if each has its own files.
#[must_use]
pub fn packings<'a>(tasks: &'a [Task], types: &[DbType]) -> Vec<Packing<'a>> {
    let is_shared = |pieces: u8| {
        let holds = |it: &DbType| pieces <= it.max_pieces().min(it.shared_file_pieces());
        types.iter().any(holds)
    };
    let mut packings = Vec::new();
    for tasks in tasks.chunk_by(|a, b| a.slice.pieces() == b.slice.pieces()) {
        let pieces = tasks[0].slice.pieces();
        if is_shared(pieces) {
            packings.push(Packing { name: pieces.to_string(), tasks: tasks.iter().collect() });
        } else {
            let single =
                tasks.iter().map(|it| Packing { name: it.slice.to_string(), tasks: vec![it] });
            packings.extend(single);
        }
    }
    packings
}

/// All slices of 2 to `max_pieces` pieces in building order.
#[must_use]
pub fn plan(max_pieces: u8, costs: &Costs) -> Vec<Task> {
    let cost = Needs::new(&costs.types, costs.threads as usize);
    let threads = f64::from(costs.threads);
    let passes = passes(&costs.types) as f64;
    let logged: Vec<f64> = costs.log.iter().map(|it| it.1 * passes).collect();
    let planned = costs.log.iter().map(|&(slice, _)| seconds(slice, &costs.types, threads)[0]);
    let factor = match costs.rate {
        Some(rate) => {
            let all = || build_order(5).into_iter();
            let of_one = |slice| seconds(slice, &[DbType::Compact], threads).iter().sum::<f64>();
            all().map(positions).sum::<u64>() as f64 / rate / all().map(of_one).sum::<f64>()
        }
        None if costs.log.is_empty() => 1.0,
        None => logged.iter().sum::<f64>() / planned.sum::<f64>(),
    };
    let task = |slice: Slice| {
        let positions = positions(slice);
        let (least_memory, memory) = cost.memory(slice);
        let [solving, writing] =
            seconds(slice, &costs.types, threads).map(|seconds| seconds * factor);
        let known = costs.log.iter().position(|it| it.0 == slice).filter(|_| costs.rate.is_none());
        let seconds = known.map_or(solving, |number| logged[number]) + writing;
        Task {
            slice,
            needs: needs(slice),
            positions,
            memory,
            least_memory,
            disk: cost.work_file(slice),
            seconds: rounded(seconds, 6),
            out_of_core: costs.limit.is_some_and(|limit| limit < memory),
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
        let types = vec![DbType::Wld2, DbType::Mtc, DbType::Dtw];
        Costs { rate: None, log: Vec::new(), types, threads: 2, limit: None }
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
    fn times_are_those_of_types_and_machine() {
        let compact = Costs { types: vec![DbType::Compact], ..costs() };
        let all = |costs: &Costs| -> f64 {
            let tasks = plan(5, costs);
            tasks.iter().filter(|it| it.slice.pieces() == 5).map(|it| it.seconds).sum()
        };
        let types = vec![DbType::Compact, DbType::Dtw, DbType::Rules];
        assert!(all(&Costs { types, ..costs() }) > 2.0 * all(&compact));
        let at_rate = all(&Costs { rate: Some(1e7), ..compact.clone() });
        assert!((at_rate - 157.06).abs() < 0.1, "{at_rate}");
        // A machine that is half as fast, after its log; what is in the log counts as it is.
        let of = |costs: &Costs, digits: &str| {
            let tasks = plan(5, costs);
            tasks.iter().find(|it| it.slice == slice(digits)).map_or(0.0, |it| it.seconds)
        };
        let solving = |digits: &str| seconds(slice(digits), &compact.types, 2.0)[0];
        let log = vec![(slice("2111"), 3.0 * solving("2111")), (slice("1211"), solving("1211"))];
        let factor =
            (3.0 * solving("2111") + solving("1211")) / (solving("2111") + solving("1211"));
        let logged = Costs { log, ..compact.clone() };
        assert!((of(&logged, "2210") / of(&compact, "2210") - factor).abs() < 1e-3);
        let writing = factor * (of(&compact, "2111") - solving("2111"));
        assert!((of(&logged, "2111") - 3.0 * solving("2111") - writing).abs() < 1e-4);
    }

    #[test]
    fn estimates_add_up() {
        let tasks = plan(5, &costs());
        let all: u64 = tasks.iter().map(|task| task.positions).sum();
        assert_eq!(all, 8_845 + 806_300 + 41_971_200 + 1_570_600_750);
        let disk = |pieces: u8| {
            let slices: Vec<Slice> = (2..=pieces).flat_map(build_order).collect();
            peak_disk(&slices, &[DbType::Compact], false) >> 20
        };
        // Work files are removed when no longer needed: for seven pieces, all would take 116 GiB.
        assert!((50..200).contains(&disk(5)), "{}", disk(5));
        assert!((1_500..3_000).contains(&disk(6)), "{}", disk(6));
        assert!((20_000..70_000).contains(&disk(7)), "{}", disk(7));
    }
}
