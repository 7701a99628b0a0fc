//! Which positions are checked, cut into units of work.

use std::ops::Range;

use movegen::Color;
use movegen::random::{Random, mix};

use super::Options;
use egdb::error::SelectionError;
use egdb::probe::Probe;
use egdb::slice::Slice;

/// Positions in a unit, at most.
const UNIT: u64 = 1 << 14;

/// A stored slice with one side to move.
struct SelectedSub {
    slice: Slice,
    side: Color,
    size: u64,
    /// Positions to check, and the number of its first unit.
    count: u64,
    first_unit: u64,
}

pub(super) struct CheckPlan {
    subs: Vec<SelectedSub>,
    units: u64,
    seed: u64,
    is_full: bool,
}

/// Some positions of one sub-database.
pub(super) struct Unit {
    /// Number of the sub-database.
    pub sub: usize,
    pub slice: Slice,
    pub side: Color,
    /// Indices in ascending order, for a sample.
    pub picked: Option<Vec<u64>>,
    /// All indices of this range otherwise.
    pub range: Range<u64>,
}

impl CheckPlan {
    pub(super) fn new(probe: &Probe, options: &Options) -> Result<CheckPlan, SelectionError> {
        let slices = options.selection.of(probe)?;
        let mut subs: Vec<SelectedSub> = slices
            .into_iter()
            .flat_map(|slice| slice.stored_sides().iter().map(move |&side| (slice, side)))
            .map(|(slice, side)| {
                let size = slice.size();
                SelectedSub { slice, side, size, count: size, first_unit: 0 }
            })
            .collect();
        let all: u64 = subs.iter().map(|sub| sub.size).sum();
        let sample = Some(options.sample).filter(|&count| !options.full && count < all);
        if let Some(count) = sample {
            // The shares of all sub-databases up to each one, rounded: they add up to `count`.
            let (mut before, mut given) = (0, 0);
            for sub in &mut subs {
                before += sub.size;
                let share = (u128::from(before) * u128::from(count) / u128::from(all)) as u64;
                sub.count = share - given;
                given = share;
            }
        }
        let mut units = 0;
        for sub in &mut subs {
            sub.first_unit = units;
            units += sub.count.div_ceil(UNIT);
        }
        Ok(CheckPlan { subs, units, seed: options.seed, is_full: sample.is_none() })
    }

    pub(super) fn positions(&self) -> u64 {
        self.subs.iter().map(|sub| sub.count).sum()
    }

    pub(super) fn slices(&self) -> usize {
        let mut list: Vec<Slice> = self.subs.iter().map(|sub| sub.slice).collect();
        list.dedup();
        list.len()
    }

    pub(super) fn units(&self) -> u64 {
        self.units
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    pub(super) fn unit(&self, number: u64) -> Unit {
        let at = self.subs.partition_point(|sub| sub.first_unit <= number) - 1;
        // Sub-databases without positions to check share their number with the next one.
        let sub = &self.subs[at];
        let start = (number - sub.first_unit) * UNIT;
        let range = start..(start + UNIT).min(sub.count);
        let picked = (!self.is_full).then(|| {
            let id = (sub.slice.id() * 2 + sub.side.index()) as u64;
            let mut random = Random::new(mix(mix(self.seed ^ mix(id)) ^ number));
            let mut list: Vec<u64> = range.clone().map(|_| random.below_u64(sub.size)).collect();
            list.sort_unstable();
            list
        });
        Unit { sub: at, slice: sub.slice, side: sub.side, picked, range }
    }
}
