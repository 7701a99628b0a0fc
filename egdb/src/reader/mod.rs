//! Lookups by stored slice, side and index: from the index files' contents in memory and the
//! data in a [`crate::storage::Storage`]. Whether the caller may ask is not checked here.

use movegen::Color;

use crate::error::ProbeError;
use crate::index::SliceSide;
use crate::slice::Slice;
use crate::stats::ShardedCounters;

mod checksums;
pub(crate) mod coded;
pub(crate) mod compact;
pub(crate) mod dtw;

/// Where the contents of a sub-database are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slot {
    /// No head for this sub-database.
    Missing,
    /// One value for all.
    Constant(u8),
    /// Number of the data description.
    Data(u32),
}

/// Result of a raw lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Raw {
    /// The stored value, of 16 bits at most. As wide as a pointer, so that results stay in registers.
    Value(u64),
    /// The slice is there, but not this side to move or subslice.
    NotStored,
    /// No part of the slice is there.
    NoSlice,
    /// Conditional lookup only.
    NotInCache,
    /// The format leaves the position out.
    Excluded,
}

/// What is known about a slice and side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// Nothing of the slice.
    NoSlice,
    /// Only the other side to move.
    OtherSideOnly,
    /// This sub-database.
    Slot(Slot),
}

/// Table from (slice, side to move, subslice) to slots.
#[derive(Debug)]
pub(crate) struct Directory {
    /// By slice and side: first slot, or one of the two marks below.
    starts: Box<[u32]>,
    /// [`Slot`]s as numbers: of the data description, or [`MISSING`], or [`CONSTANT`] and the value.
    slots: Vec<u32>,
    shift: u32,
}

const NO_SLICE: u32 = u32::MAX;
const OTHER_SIDE: u32 = u32::MAX - 1;

const MISSING: u32 = u32::MAX;
const CONSTANT: u32 = u32::MAX << 9;

impl Slot {
    fn pack(self) -> u32 {
        match self {
            Slot::Missing => MISSING,
            Slot::Constant(value) => CONSTANT | u32::from(value),
            Slot::Data(number) => number,
        }
    }

    fn unpack(packed: u32) -> Slot {
        match packed {
            MISSING => Slot::Missing,
            CONSTANT.. => Slot::Constant(packed as u8),
            number => Slot::Data(number),
        }
    }
}

fn key(slice: Slice, side: Color) -> usize {
    SliceSide::new(slice, side).number()
}

impl Directory {
    /// An empty table for subslices of `length` (a power of two) positions.
    pub(crate) fn new(length: u64) -> Directory {
        Directory {
            starts: vec![NO_SLICE; SliceSide::COUNT].into(),
            slots: Vec::new(),
            shift: length.trailing_zeros(),
        }
    }

    pub(crate) fn insert(&mut self, slice: Slice, side: Color, sub: u32, slot: Slot) {
        let start = &mut self.starts[key(slice, side)];
        if *start >= OTHER_SIDE {
            *start = self.slots.len() as u32;
            let count = slice.subslices(1 << self.shift) as usize;
            self.slots.resize(self.slots.len() + count, MISSING);
            let other = &mut self.starts[key(slice, side.opponent())];
            if *other == NO_SLICE {
                *other = OTHER_SIDE;
            }
        }
        let start = self.starts[key(slice, side)];
        self.slots[start as usize + sub as usize] = slot.pack();
    }

    /// The slot for an index, and the index within the subslice.
    pub(crate) fn find(&self, place: SliceSide, index: u64) -> (Found, u32) {
        let found = match self.starts[place.number()] {
            NO_SLICE => Found::NoSlice,
            OTHER_SIDE => Found::OtherSideOnly,
            _ => Found::Slot(Slot::unpack(self.slot(place, index))),
        };
        (found, self.rest(index))
    }

    /// The slot for an index as a number; missing also where there is no slot.
    #[inline(always)]
    fn slot(&self, place: SliceSide, index: u64) -> u32 {
        let at = u64::from(self.starts[place.number()]) + (index >> self.shift);
        let slot = usize::try_from(at).ok().and_then(|at| self.slots.get(at));
        slot.copied().unwrap_or(MISSING)
    }

    /// The index within the subslice.
    #[inline(always)]
    fn rest(&self, index: u64) -> u32 {
        (index & ((1 << self.shift) - 1)) as u32
    }

    /// The number of the data description for an index, and the index within the subslice; or the
    /// answer, which is counted then.
    #[inline(always)]
    fn data(
        &self,
        place: SliceSide,
        index: u64,
        counters: &ShardedCounters,
    ) -> Result<(usize, u32), Raw> {
        let slot = self.slot(place, index);
        if slot < CONSTANT {
            return Ok((slot as usize, self.rest(index)));
        }
        if slot != MISSING {
            counters.constant();
            return Err(Raw::Value(u64::from(slot & 0xff)));
        }
        counters.unavailable();
        Err(if self.starts[place.number()] == NO_SLICE { Raw::NoSlice } else { Raw::NotStored })
    }

    pub(crate) fn has_slice(&self, slice: Slice) -> bool {
        Color::ALL.iter().any(|&side| self.starts[key(slice, side)] != NO_SLICE)
    }

    pub(crate) fn has_side(&self, slice: Slice, side: Color) -> bool {
        self.starts[key(slice, side)] < OTHER_SIDE
    }

    pub(crate) fn has_data(&self, slice: Slice, side: Color) -> bool {
        let start = self.starts[key(slice, side)];
        start < OTHER_SIDE && {
            let count = slice.subslices(1 << self.shift) as usize;
            let slots = &self.slots[start as usize..start as usize + count];
            slots.iter().any(|&slot| slot < CONSTANT)
        }
    }
}

/// Fills `out` from `index` on, part by part: `part` fills the beginning of its slice and returns
/// the number of values, at least 1.
fn fill_in_parts<E>(
    mut index: u32,
    mut out: &mut [u16],
    mut part: impl FnMut(u32, &mut [u16]) -> Result<usize, E>,
) -> Result<(), E> {
    while !out.is_empty() {
        let n = part(index, out)?;
        index += n as u32;
        out = &mut out[n..];
    }
    Ok(())
}

/// How far the steps of [`in_steps`] are apart, and room for all between them.
const AHEAD: usize = 12;
const RING: usize = 32;

/// Answers many questions, in order. They go through three steps, [`AHEAD`] apart: each step
/// prefetches the data of the next, which arrive from memory while other questions are worked on.
/// `find` may know the answer at once.
#[inline(always)]
fn in_steps<P, Q: Copy>(
    mut places: impl Iterator<Item = P>,
    mut find: impl FnMut(P) -> Result<Q, Raw>,
    mut start: impl FnMut(&mut Q),
    mut finish: impl FnMut(&Q) -> Result<Raw, Box<ProbeError>>,
    mut answer: impl FnMut(Raw),
) -> Result<(), Box<ProbeError>> {
    let mut queries: [Result<Q, Raw>; RING] = [Err(Raw::NoSlice); RING];
    let (mut found, mut started, mut done) = (0, 0, 0);
    loop {
        let place = places.next();
        let ahead = if place.is_some() { AHEAD } else { 0 };
        if let Some(place) = place {
            queries[found % RING] = find(place);
            found += 1;
        } else if done == found {
            return Ok(());
        }
        if started + ahead < found {
            if let Ok(query) = &mut queries[started % RING] {
                start(query);
            }
            started += 1;
        }
        if done + ahead < started {
            answer(match &queries[done % RING] {
                Ok(query) => finish(query)?,
                Err(raw) => *raw,
            });
            done += 1;
        }
    }
}

/// Finds the last of ascending numbers that is not greater than a given one: a table of equal
/// steps narrows the search to the entries of one step.
#[derive(Debug)]
pub(crate) struct Steps {
    shift: u32,
    starts: Box<[u32]>,
}

/// Steps for each entry: with four, most steps lie within one entry, and there is no search.
const PER_ENTRY: u64 = 4;

impl Steps {
    /// For `firsts`, ascending from 0, as the first indices of parts of `size` positions.
    pub(crate) fn new<T: Copy + Into<u64>>(firsts: &[T], size: u64) -> Steps {
        let mut shift = 0;
        while (size >> shift) > PER_ENTRY * firsts.len() as u64 {
            shift += 1;
        }
        let count = (size >> shift) as usize + 2;
        let mut starts = Vec::with_capacity(count);
        let mut at = 0;
        for step in 0..count as u64 {
            while at + 1 < firsts.len() && firsts[at + 1].into() <= step << shift {
                at += 1;
            }
            starts.push(at as u32);
        }
        Steps { shift, starts: starts.into() }
    }

    /// Position of the last number not above `index`, of those that `first` gives by position.
    /// `index` is below the size.
    #[inline(always)]
    pub(crate) fn find<T: Copy + Ord + Into<u64>>(
        &self,
        first: impl Fn(usize) -> T,
        index: T,
    ) -> usize {
        let step = (index.into() >> self.shift) as usize;
        let low = self.starts[step] as usize;
        let high = self.starts[step + 1] as usize;
        // At most one entry begins within most steps; whether it does cannot be predicted.
        let is_next = (low < high) & (first(high.min(low + 1)) <= index);
        if high <= low + 1 {
            return low + usize::from(is_next);
        }
        let (mut low, mut end) = (low, high + 1);
        while end - low > 1 {
            let middle = low + (end - low) / 2;
            if first(middle) <= index {
                low = middle;
            } else {
                end = middle;
            }
        }
        low
    }

    pub(crate) fn memory(&self) -> usize {
        self.starts.len() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_find_the_last_not_above() {
        for firsts in
            [vec![0], vec![0, 5], vec![0, 1, 2, 3, 900], (0..200).map(|i| i * i / 50 + i).collect()]
        {
            let size = 1000;
            let steps = Steps::new(&firsts, size);
            for index in 0..size as u32 {
                let expected = firsts.partition_point(|&f| f <= index) - 1;
                assert_eq!(steps.find(|k| firsts[k], index), expected, "{firsts:?} {index}");
            }
        }
    }
}
