//! Reader of compact files (`docs/formats.md`, section 16).
//!
//! A lookup finds the block by its first number, the unit by the head of the block, and decodes
//! the unit's runs up to the one that it wants.

use std::sync::atomic::{AtomicU64, Ordering};

use movegen::{Board, Color};

use super::coded::Raw;
use super::{Directory, Found, Slot, Steps};
use crate::codec::contextual::{Codes, Reading, UNIT, Unit};
use crate::error::{ProbeCause, ProbeError};
use crate::format::DbType;
use crate::format::compact::{
    BLOCK_UNITS, CompactBody, CompactRecord, MOST_HEAD, MOST_STEPS, head_bytes, units_with_values,
};
use crate::identify::crc32;
use crate::layout::BLOCK;
use crate::numbering::Numberer;
use crate::slice::Slice;
use crate::stats::Counters;
use crate::storage::{AnyStorage, Storage};

mod values;

const CONTRADICTION: ProbeCause = ProbeCause::Damaged("the lengths of runs contradict the index");

/// The sub-databases of all files of a compact database.
#[derive(Debug)]
pub(crate) struct CompactReader {
    directory: Directory,
    subs: Vec<Sub>,
    storage: AnyStorage,
    counters: Counters,
    /// Whether blocks are compared with their checksums.
    is_compared: bool,
}

#[derive(Debug)]
struct Sub {
    slice: Slice,
    side: Color,
    file: u32,
    numberer: Numberer,
    codes: Codes,
    /// Offset of its first byte in the file.
    start: u64,
    /// Number of its units, heads included.
    units: u32,
    /// First number of each block.
    firsts: Box<[u32]>,
    steps: Steps,
    /// A bit for each block whose checksum was found right.
    good: Box<[AtomicU64]>,
}

/// Collects the index files of a database.
#[derive(Debug)]
pub(crate) struct CompactBuilder {
    directory: Directory,
    subs: Vec<Sub>,
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
                    // The index file was refused if there were no numbers.
                    let Some(numberer) = Numberer::new(slice, data.numbering) else { continue };
                    let words = data.firsts.len().div_ceil(64);
                    self.subs.push(Sub {
                        slice,
                        side,
                        file: file as u32,
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
        let sub = |s: &Sub| {
            size_of::<Sub>()
                + s.firsts.len() * 4
                + s.good.len() * 8
                + s.steps.memory()
                + s.codes.memory()
        };
        self.subs.iter().map(sub).sum()
    }

    /// `is_compared` says whether blocks are compared with their checksums.
    pub(crate) fn finish(self, storage: AnyStorage, is_compared: bool) -> CompactReader {
        let counters = Counters::new(storage.files().len());
        let CompactBuilder { directory, subs } = self;
        CompactReader { directory, subs, storage, counters, is_compared }
    }
}

/// The head of a block.
struct Head {
    /// Bytes of the checksum, the shift and the steps to the starts of the units but the first;
    /// with nothing but ones where there is no step.
    bytes: [u8; MOST_HEAD],
    shift: u32,
}

impl Head {
    /// The unit that holds the number that is so far from the block's first one, and how far the
    /// unit is.
    #[inline(always)]
    fn find(&self, rest: u32) -> (usize, u64) {
        let steps = (rest >> self.shift).min(MOST_STEPS.into()) as u16;
        let all = self.bytes.as_chunks::<2>().0;
        let is_before = |bytes: &[u8; 2]| u16::from(u16::from_le_bytes(*bytes) <= steps);
        let unit = all.iter().map(is_before).sum::<u16>().into();
        (unit, self.start(unit))
    }

    /// Whether a unit other than the first is there.
    fn is_step(&self, unit: usize) -> bool {
        self.bytes.as_chunks::<2>().0.get(unit + 2).is_some_and(|&step| step != [0xff; 2])
    }

    /// How far a unit is from the block's first number.
    #[inline(always)]
    fn start(&self, unit: usize) -> u64 {
        if unit == 0 {
            return 0;
        }
        let bytes = self.bytes.as_chunks::<2>().0.get(unit + 2);
        u64::from(bytes.map_or(0, |bytes| u16::from_le_bytes(*bytes))) << self.shift
    }
}

impl Sub {
    /// Offset of a block in the file, and its units with values.
    #[inline(always)]
    fn block(&self, k: usize) -> (u64, usize) {
        let before = k * BLOCK_UNITS;
        let all = (self.units as usize).saturating_sub(before).min(BLOCK_UNITS);
        (self.start + (before * UNIT) as u64, units_with_values(all).unwrap_or(0))
    }

    /// The number after the last one of a block.
    fn end(&self, k: usize) -> u64 {
        self.firsts.get(k + 1).map_or(self.numberer.size(), |&first| first.into())
    }
}

impl CompactReader {
    pub(crate) fn directory(&self) -> &Directory {
        &self.directory
    }

    pub(crate) fn storage(&self) -> &AnyStorage {
        &self.storage
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The value of a position, turned to where it is stored.
    #[inline(always)]
    pub(crate) fn lookup(
        &self,
        slice: Slice,
        side: Color,
        board: &Board,
        conditional: bool,
    ) -> Result<Raw, ProbeError> {
        let sub = match self.directory.find(slice, side, 0).0 {
            Found::Slot(Slot::Data(n)) => &self.subs[n as usize],
            Found::Slot(Slot::Constant(value)) => {
                self.counters.constant();
                return Ok(Raw::Value(value.into()));
            }
            Found::NoSlice => {
                self.counters.unavailable();
                return Ok(Raw::NoSlice);
            }
            Found::OtherSideOnly | Found::Slot(Slot::Missing) => {
                self.counters.unavailable();
                return Ok(Raw::NotStored);
            }
        };
        let number = sub.numberer.number(board);
        // Only what is no position, such as a man that should have been crowned.
        if u64::from(number) >= sub.numberer.size() {
            self.counters.unavailable();
            return Ok(Raw::NotStored);
        }
        self.counters.request(sub.file as usize);
        let k = sub.steps.find(|k| sub.firsts[k], number);
        match self.value(sub, k, number - sub.firsts[k], conditional) {
            Ok(Some(value)) => Ok(Raw::Value(value)),
            Ok(None) => Ok(Raw::NotInCache),
            Err(cause) => Err(self.error(sub, k, cause)),
        }
    }

    /// The value of the number that is so far from the first one of block `k`; `None` if that
    /// needs the disk and `conditional` forbids it.
    #[inline(always)]
    fn value(
        &self,
        sub: &Sub,
        k: usize,
        rest: u32,
        conditional: bool,
    ) -> Result<Option<u16>, ProbeCause> {
        if !self.is_settled(sub, k) && !self.compare(sub, k, conditional)? {
            return Ok(None);
        }
        let Some(head) = self.head(sub, k, conditional)? else { return Ok(None) };
        let (unit, start) = head.find(rest);
        let Some(bytes) = self.unit(sub, k, unit, conditional)? else { return Ok(None) };
        let mut rest = u64::from(rest).checked_sub(start).ok_or(CONTRADICTION)?;
        let mut reading = Reading::START;
        while let Some((value, len)) = sub.codes.next(&bytes, &mut reading) {
            match rest.checked_sub(len.into()) {
                Some(left) => rest = left,
                None => return Ok(Some(value)),
            }
        }
        Err(CONTRADICTION)
    }

    #[cold]
    fn error(&self, sub: &Sub, k: usize, cause: ProbeCause) -> ProbeError {
        ProbeError {
            file: self.storage.files()[sub.file as usize].path.clone(),
            slice: sub.slice,
            side: sub.side,
            block: (sub.block(k).0 / BLOCK as u64) as u32,
            cause,
        }
    }

    #[inline(always)]
    fn is_settled(&self, sub: &Sub, k: usize) -> bool {
        let word = sub.good.get(k / 64).map_or(0, |word| word.load(Ordering::Relaxed));
        !self.is_compared || word >> (k % 64) & 1 != 0
    }

    /// Compares a block with its checksum, once. False if that needs the disk and `conditional`
    /// forbids it.
    #[cold]
    #[inline(never)]
    fn compare(&self, sub: &Sub, k: usize, conditional: bool) -> Result<bool, ProbeCause> {
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

    #[inline(always)]
    fn head(&self, sub: &Sub, k: usize, conditional: bool) -> Result<Option<Head>, ProbeCause> {
        let (at, units) = sub.block(k);
        let mut head = Head { bytes: [0xff; MOST_HEAD], shift: 0 };
        let len = head_bytes(units).min(MOST_HEAD);
        if !self.read(sub, at, &mut head.bytes[..len], conditional)? {
            return Ok(None);
        }
        head.shift = u32::from(head.bytes[4]) & 31;
        // What is no step is not to be counted.
        head.bytes[..6].fill(0xff);
        head.bytes[4 + 2 * units..].fill(0xff);
        Ok(Some(head))
    }

    #[inline(always)]
    fn unit(
        &self,
        sub: &Sub,
        k: usize,
        unit: usize,
        conditional: bool,
    ) -> Result<Option<Unit>, ProbeCause> {
        let (at, units) = sub.block(k);
        if unit >= units {
            return Err(CONTRADICTION);
        }
        let mut bytes = Unit::EMPTY;
        let at = at + (head_bytes(units) + unit * UNIT) as u64;
        Ok(self.read(sub, at, bytes.bytes(), conditional)?.then_some(bytes))
    }

    /// Reads bytes of the file; false if that needs the disk and `conditional` forbids it.
    #[inline(always)]
    fn read(
        &self,
        sub: &Sub,
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
