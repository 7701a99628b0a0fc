//! Reader of compact files (`docs/formats.md`, section 16).
//!
//! A lookup finds the block by its first number, the unit by the head of the block, and decodes the
//! unit's runs up to the one it needs.

use std::sync::atomic::{AtomicU64, Ordering};

use movegen::{Board, Color};

use super::{Directory, Raw, Slot, Steps, in_steps};
use crate::codec::contextual::{Codes, Reading, UNIT};
use crate::error::{ProbeCause, ProbeError};
use crate::format::DbType;
use crate::format::compact::{
    BLOCK_UNITS, CompactBody, CompactRecord, MAX_HEAD, MAX_STEPS, MAX_UNITS, head_bytes,
    units_with_values,
};
use crate::identify::crc32;
use crate::index::SliceSide;
use crate::isa::{LookupIsa, Plain};
use crate::layout::{BLOCK, PIECE};
use crate::numbering::{Numberer, Numbering};
use crate::slice::Slice;
use crate::stats::ShardedCounters;
use crate::storage::{AnyStorage, Storage};

mod values;

const CONTRADICTION: ProbeCause = ProbeCause::Damaged("the lengths of runs contradict the index");

/// The sub-databases of all files of a compact database.
#[derive(Debug)]
pub(crate) struct CompactReader {
    directory: Directory,
    subs: Vec<CompactSub>,
    storage: AnyStorage,
    counters: ShardedCounters,
    /// Whether blocks are compared with their checksums.
    is_compared: bool,
}

#[derive(Debug)]
struct CompactSub {
    slice: Slice,
    side: Color,
    file: u32,
    numbering: Numbering,
    numberer: Numberer,
    codes: Codes,
    /// Offset of its first byte in the file.
    start: u64,
    /// Number of its units, heads included.
    units: u32,
    /// First number of each block.
    firsts: Box<[u64]>,
    steps: Steps,
    /// A bit for each block whose checksum was found right.
    good: Box<[AtomicU64]>,
}

/// Collects the index files of a database.
#[derive(Debug)]
pub(crate) struct CompactBuilder {
    directory: Directory,
    subs: Vec<CompactSub>,
}

impl CompactBuilder {
    pub(crate) fn new() -> CompactBuilder {
        let directory = Directory::new(DbType::Compact.subslice_length());
        CompactBuilder { directory, subs: Vec::new() }
    }

    pub(crate) fn add(&mut self, file: usize, records: Vec<CompactRecord>) {
        for CompactRecord { slice, side, body } in records {
            let slot = match body {
                CompactBody::Constant(value) => Slot::Constant(value),
                CompactBody::Data(data) => {
                    let numberer = Numberer::new(slice, data.numbering);
                    let words = data.firsts.len().div_ceil(64);
                    self.subs.push(CompactSub {
                        slice,
                        side,
                        file: file as u32,
                        numbering: data.numbering,
                        steps: Steps::new(&data.firsts, numberer.size()),
                        numberer,
                        codes: data.codes,
                        start: u64::from(data.start) * UNIT as u64,
                        units: data.units,
                        firsts: data.firsts.into(),
                        good: (0..words).map(|_| AtomicU64::new(0)).collect(),
                    });
                    Slot::Data(self.subs.len() as u32 - 1)
                }
            };
            self.directory.insert(slice, side, 0, slot);
        }
    }

    /// Bytes of memory that the indices take.
    pub(crate) fn memory(&self) -> usize {
        let sub = |s: &CompactSub| {
            size_of::<CompactSub>()
                + s.firsts.len() * 8
                + s.good.len() * 8
                + s.steps.memory()
                + s.codes.memory()
        };
        self.subs.iter().map(sub).sum()
    }

    /// `is_compared` says whether blocks are compared with their checksums.
    pub(crate) fn finish(self, storage: AnyStorage, is_compared: bool) -> CompactReader {
        let counters = ShardedCounters::new(storage.files().len());
        let CompactBuilder { directory, subs } = self;
        CompactReader { directory, subs, storage, counters, is_compared }
    }
}

/// The head of a block.
struct BlockHead<'a> {
    shift: u32,
    /// The steps to the starts of the units but the first.
    steps: &'a [[u8; 2]],
}

impl<'a> BlockHead<'a> {
    /// Reads the head of a block of `units` units; the head follows at the start of `bytes`.
    #[inline(always)]
    fn new(bytes: &'a [u8], units: usize) -> Option<BlockHead<'a>> {
        let shift = u32::from(*bytes.get(4)?) & 31;
        let steps = bytes.get(6..4 + 2 * units)?.as_chunks().0;
        Some(BlockHead { shift, steps })
    }

    /// The unit that holds the number at this distance from the block's first one, and the unit's
    /// distance.
    #[inline(always)]
    fn find(&self, isa: impl LookupIsa, rest: u64) -> (usize, u64) {
        let limit = (rest >> self.shift).min(MAX_STEPS.into()) as u16;
        // Most blocks are full; their loop has a fixed length.
        let unit = match self.steps.first_chunk::<{ MAX_UNITS - 1 }>() {
            Some(steps) => isa.count_up_to(steps, limit),
            None => isa.count_up_to(self.steps, limit),
        };
        (unit, self.start(unit))
    }

    /// Whether there is a unit other than the first.
    fn is_step(&self, unit: usize) -> bool {
        unit.checked_sub(1).and_then(|k| self.steps.get(k)).is_some_and(|&step| step != [0xff; 2])
    }

    /// How far a unit is from the block's first number.
    #[inline(always)]
    fn start(&self, unit: usize) -> u64 {
        let step = unit.checked_sub(1).and_then(|k| self.steps.get(k));
        step.map_or(0, |&step| u64::from(u16::from_le_bytes(step)) << self.shift)
    }
}

impl CompactSub {
    /// Offset of a block in the file, and its units with values.
    #[inline(always)]
    fn block(&self, k: usize) -> (u64, usize) {
        let before = k * BLOCK_UNITS;
        let all = (self.units as usize).saturating_sub(before);
        let units =
            if all >= BLOCK_UNITS { MAX_UNITS } else { units_with_values(all).unwrap_or(0) };
        (self.start + (before * UNIT) as u64, units)
    }

    /// Offset in the file of a unit with values of a block.
    #[inline(always)]
    fn unit(&self, k: usize, unit: usize) -> u64 {
        let (at, units) = self.block(k);
        at + (head_bytes(units) + unit * UNIT) as u64
    }

    /// The number after the last one of a block.
    fn end(&self, k: usize) -> u64 {
        self.firsts.get(k + 1).map_or(self.numberer.size(), |&first| first)
    }
}

/// A question whose block is known.
#[derive(Clone, Copy)]
struct Query<'s> {
    sub: &'s CompactSub,
    /// The block.
    k: usize,
    /// How far the number is from the block's first one.
    rest: u64,
    /// The unit and how far it is from there, once that has been looked up.
    unit: Option<(usize, u64)>,
}

impl Query<'_> {
    /// The unit that would hold the number if all units held equally many.
    #[inline(always)]
    fn guess(&self) -> usize {
        let first = self.sub.firsts[self.k];
        let numbers = (self.sub.end(self.k) - first) as f32;
        (self.rest as f32 / numbers * self.sub.block(self.k).1 as f32) as usize
    }
}

impl CompactReader {
    pub(crate) fn directory(&self) -> &Directory {
        &self.directory
    }

    pub(crate) fn storage(&self) -> &AnyStorage {
        &self.storage
    }

    pub(crate) fn counters(&self) -> &ShardedCounters {
        &self.counters
    }

    /// The value of a position, turned to where it is stored.
    #[inline(always)]
    pub(crate) fn lookup(
        &self,
        isa: impl LookupIsa,
        place: SliceSide,
        board: &Board,
        conditional: bool,
    ) -> Result<Raw, Box<ProbeError>> {
        match self.find(place, board) {
            Ok(query) => {
                self.touch(&query, query.guess());
                self.finish(isa, query, conditional)
            }
            Err(raw) => Ok(raw),
        }
    }

    /// Answers many questions, in order.
    #[inline(always)]
    pub(crate) fn lookup_many(
        &self,
        isa: impl LookupIsa,
        places: impl Iterator<Item = Option<(SliceSide, Board)>>,
        answer: impl FnMut(Raw),
    ) -> Result<(), Box<ProbeError>> {
        let find = |place: Option<(SliceSide, Board)>| {
            let (place, board) = place.ok_or(Raw::NoSlice)?;
            let query = self.find(place, &board)?;
            // The head; the table of where blocks begin is in the caches with it.
            let (at, units) = query.sub.block(query.k);
            for line in (0..head_bytes(units)).step_by(2 * PIECE) {
                self.touch_at(query.sub, at + line as u64);
            }
            Ok(query)
        };
        let start = |query: &mut Query<'_>| {
            query.unit = self.mapped_unit(isa, query.sub, query.k, query.rest);
            if let Some((unit, _)) = query.unit {
                self.touch(query, unit);
            }
        };
        in_steps(places, find, start, |query| self.finish(isa, *query, false), answer)
    }

    /// Where the answer to a question is, or the answer itself.
    #[inline(always)]
    fn find(&self, place: SliceSide, board: &Board) -> Result<Query<'_>, Raw> {
        let (n, _) = self.directory.data(place, 0, &self.counters)?;
        let sub = &self.subs[n];
        let number = sub.numberer.number(board);
        // Only for non-positions, such as a man that should have been crowned.
        if number >= sub.numberer.size() {
            self.counters.unavailable();
            return Err(Raw::NotStored);
        }
        self.counters.request(sub.file as usize);
        let k = sub.steps.find(|k| sub.firsts[k], number);
        Ok(Query { sub, k, rest: number - sub.firsts[k], unit: None })
    }

    #[inline(always)]
    fn finish(
        &self,
        isa: impl LookupIsa,
        query: Query<'_>,
        conditional: bool,
    ) -> Result<Raw, Box<ProbeError>> {
        match self.value(isa, query, conditional) {
            Ok(Some(value)) => Ok(Raw::Value(value.into())),
            Ok(None) => Ok(Raw::NotInCache),
            Err(cause) => Err(self.error(query.sub, query.k, cause).into()),
        }
    }

    /// The value that a question asks for; `None` if that needs the disk and `conditional` forbids
    /// it.
    #[inline(always)]
    fn value(
        &self,
        isa: impl LookupIsa,
        query: Query<'_>,
        conditional: bool,
    ) -> Result<Option<u16>, ProbeCause> {
        let Query { sub, k, rest, unit } = query;
        if !self.is_settled(sub, k) && !self.compare(sub, k, conditional)? {
            return Ok(None);
        }
        // No closure, which would be a function without the instructions of this copy.
        let in_place = match unit {
            None if !conditional => self.mapped_unit(isa, sub, k, rest),
            known => known,
        };
        let mut copy = [0; UNIT];
        let (bytes, start) = match in_place {
            Some((unit, start)) => {
                let found = self.mapped(sub, sub.unit(k, unit)).and_then(|b| b.first_chunk());
                (found.ok_or(CONTRADICTION)?, start)
            }
            None => match self.unit_by_reading(sub, k, rest, &mut copy, conditional)? {
                Some(start) => (&copy, start),
                None => return Ok(None),
            },
        };
        let mut rest = rest.checked_sub(start).ok_or(CONTRADICTION)?;
        let mut reading = Reading::new(bytes);
        while let Some(len) = sub.codes.next(&mut reading) {
            match rest.checked_sub(len.into()) {
                Some(left) => rest = left,
                None => return Ok(Some(reading.value().into())),
            }
        }
        Err(CONTRADICTION)
    }

    /// Reads the unit for a number, and says how far the unit is from the block's first number; `None`
    /// if that needs the disk and `conditional` forbids it.
    #[inline(never)]
    fn unit_by_reading(
        &self,
        sub: &CompactSub,
        k: usize,
        rest: u64,
        bytes: &mut [u8; UNIT],
        conditional: bool,
    ) -> Result<Option<u64>, ProbeCause> {
        let mut head = [0; MAX_HEAD];
        let Some(head) = self.head(sub, k, &mut head, conditional)? else { return Ok(None) };
        let (unit, start) = head.find(Plain, rest);
        Ok(self.unit(sub, k, unit, bytes, conditional)?.then_some(start))
    }

    /// The unit for a number and how far it is from the block's first one, where the head of the
    /// block lies in memory.
    #[inline(always)]
    fn mapped_unit(
        &self,
        isa: impl LookupIsa,
        sub: &CompactSub,
        k: usize,
        rest: u64,
    ) -> Option<(usize, u64)> {
        let (at, units) = sub.block(k);
        let head = BlockHead::new(self.mapped(sub, at)?, units)?;
        Some(head.find(isa, rest))
    }

    /// Asks for a unit of the block that a question leads to.
    #[inline(always)]
    fn touch(&self, query: &Query<'_>, unit: usize) {
        self.touch_at(query.sub, query.sub.unit(query.k, unit));
    }

    #[inline(always)]
    fn touch_at(&self, sub: &CompactSub, at: u64) {
        let (block, offset) = ((at / BLOCK as u64) as u32, (at % BLOCK as u64) as usize);
        self.storage.touch(sub.file as usize, block, offset);
    }

    #[cold]
    fn error(&self, sub: &CompactSub, k: usize, cause: ProbeCause) -> ProbeError {
        ProbeError {
            file: self.storage.files()[sub.file as usize].path.clone(),
            slice: sub.slice,
            side: sub.side,
            block: (sub.block(k).0 / BLOCK as u64) as u32,
            cause,
        }
    }

    #[inline(always)]
    fn is_settled(&self, sub: &CompactSub, k: usize) -> bool {
        let word = sub.good.get(k / 64).map_or(0, |word| word.load(Ordering::Relaxed));
        !self.is_compared || word >> (k % 64) & 1 != 0
    }

    /// Compares a block with its checksum, once. False if that needs the disk and `conditional`
    /// forbids it.
    #[cold]
    #[inline(never)]
    fn compare(&self, sub: &CompactSub, k: usize, conditional: bool) -> Result<bool, ProbeCause> {
        let (at, units) = sub.block(k);
        let mut bytes = [0; BLOCK];
        let len = (head_bytes(units) + units * UNIT).min(BLOCK);
        if !self.read(sub, at, &mut bytes[..len], conditional)? {
            return Ok(false);
        }
        let Some((sum, content)) = bytes[..len].split_first_chunk::<4>() else {
            return Err(CONTRADICTION);
        };
        if u32::from_le_bytes(*sum) != crc32(content) {
            return Err(ProbeCause::Checksum);
        }
        sub.good[k / 64].fetch_or(1 << (k % 64), Ordering::Relaxed);
        Ok(true)
    }

    /// The bytes from there to the end of the file, where they lie in memory.
    #[inline(always)]
    fn mapped(&self, sub: &CompactSub, at: u64) -> Option<&[u8]> {
        self.storage.in_place(sub.file as usize)?.get(at as usize..)
    }

    /// Reads the head of a block; `None` if that needs the disk and `conditional` forbids it.
    fn head<'a>(
        &self,
        sub: &CompactSub,
        k: usize,
        bytes: &'a mut [u8; MAX_HEAD],
        conditional: bool,
    ) -> Result<Option<BlockHead<'a>>, ProbeCause> {
        let (at, units) = sub.block(k);
        let bytes = &mut bytes[..head_bytes(units).min(MAX_HEAD)];
        if !self.read(sub, at, bytes, conditional)? {
            return Ok(None);
        }
        BlockHead::new(bytes, units).ok_or(CONTRADICTION).map(Some)
    }

    /// Reads a unit; false if that needs the disk and `conditional` forbids it.
    fn unit(
        &self,
        sub: &CompactSub,
        k: usize,
        n: usize,
        unit: &mut [u8; UNIT],
        conditional: bool,
    ) -> Result<bool, ProbeCause> {
        if n >= sub.block(k).1 {
            return Err(CONTRADICTION);
        }
        self.read(sub, sub.unit(k, n), unit, conditional)
    }

    /// Reads bytes of the file; false if that needs the disk and `conditional` forbids it.
    #[inline(always)]
    fn read(
        &self,
        sub: &CompactSub,
        mut at: u64,
        mut out: &mut [u8],
        conditional: bool,
    ) -> Result<bool, ProbeCause> {
        let file = sub.file as usize;
        while !out.is_empty() {
            let (block, offset) = ((at / BLOCK as u64) as u32, (at % BLOCK as u64) as usize);
            let here = out.len().min(BLOCK - offset);
            let (part, rest) = out.split_at_mut(here);
            if !conditional {
                self.storage.read(file, block, offset, part, &self.counters)?;
            } else if !self.storage.read_cached(file, block, offset, part) {
                return Ok(false);
            }
            at += here as u64;
            out = rest;
        }
        Ok(true)
    }
}
