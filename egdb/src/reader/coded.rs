//! Reader of all types in which every byte is a code for a fixed number of values.
//!
//! A lookup finds the block by its first index, the piece of 64 bytes within the block by the
//! piece's first index, and the byte by adding up lengths within the piece. The pieces' first
//! indices are not in the files: they are computed when a block is first touched, which also
//! shows whether the block's lengths add up to what the index file says, and kept as long as
//! their memory budget lasts.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use movegen::Color;

use super::{Directory, Found, Slot, Steps};
use crate::codec::tunstall::{self, Dictionary, Version};
use crate::codec::{ByteCode, runlen};
use crate::error::{ProbeCause, ProbeError};
use crate::format::text::{Body, Coding, TextIndex};
use crate::format::{BLOCK, DbType};
use crate::isa::prefetch;
use crate::slice::Slice;
use crate::stats::Counters;
use crate::storage::{AnyStorage, PIECE, Storage};

mod values;

const PIECES: usize = BLOCK / PIECE;
/// Blocks whose piece tables are allocated together.
const GROUP: usize = 64;

/// State of a block's piece table, in the place of piece 0 (which always starts at 0).
const UNKNOWN: u32 = 0;
const READY: u32 = 1;
const DAMAGED: u32 = 2;

/// Result of a raw lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Raw {
    /// The stored value.
    Value(u16),
    /// The slice is there, but not this side to move or subslice.
    NotStored,
    /// Nothing of the slice is there.
    NoSlice,
    /// Conditional lookup only.
    NotInCache,
}

/// The sub-databases of all files of one database.
#[derive(Debug)]
pub(crate) struct CodedReader {
    directory: Directory,
    subs: Vec<Sub>,
    storage: AnyStorage,
    dictionaries: &'static [Dictionary],
    counters: Counters,
    /// Bytes of piece tables allocated, and how many may be.
    tables: AtomicUsize,
    table_limit: usize,
}

/// A sub-database with data.
#[derive(Debug)]
struct Sub {
    slice: Slice,
    side: Color,
    file: u32,
    first_block: u32,
    /// Part of the first block before this sub-database, and of the last one up to its end.
    first_byte: u16,
    end_byte: u16,
    coding: Coding,
    size: u64,
    firsts: Box<[u32]>,
    codes: Box<[u16]>,
    steps: Steps,
    tables: Box<[OnceLock<Box<[AtomicU32]>>]>,
}

/// A question whose block is known.
#[derive(Clone, Copy, Debug)]
struct Query<'s> {
    sub: &'s Sub,
    /// The block, counted within the sub-database.
    k: usize,
    /// The index within the subslice.
    i: u32,
    /// Offset of the piece within the block, and its first index, where they are known already.
    piece: Option<(usize, u32)>,
}

/// Questions answered together by [`CodedReader::lookup_many`].
pub(crate) const GROUPED: usize = 16;

impl Query<'_> {
    #[inline]
    fn block(&self) -> u32 {
        self.sub.first_block + self.k as u32
    }

    /// The index within the block.
    #[inline]
    fn rest(&self) -> u32 {
        self.i - self.sub.firsts[self.k]
    }

    /// Brings the piece table into the caches, without waiting for it.
    #[inline]
    fn touch_table(&self) {
        if let Some(group) = self.sub.tables[self.k / GROUP].get() {
            let table = &group.as_chunks::<PIECES>().0[self.k % GROUP];
            for line in table.as_chunks::<16>().0 {
                prefetch(&line[0]);
            }
        }
    }
}

/// The piece that holds the index `rest` of a block: its offset and its first index. Two rounds
/// of eight comparisons; pieces after the end are marked as beyond every index.
#[inline]
fn pick_piece(table: &[AtomicU32; PIECES], rest: u32) -> (usize, u32) {
    let is_before = |k: usize| usize::from(table[k].load(Ordering::Relaxed) <= rest);
    let mut piece = 0;
    for step in 1..8 {
        piece += 8 * is_before(8 * step);
    }
    let base = piece;
    for step in 1..8 {
        piece += is_before(base + step);
    }
    let first = table[piece].load(Ordering::Relaxed) * u32::from(piece != 0);
    (piece * PIECE, first)
}

/// Collects the index files of a database.
#[derive(Debug)]
pub(crate) struct CodedBuilder {
    directory: Directory,
    subs: Vec<Sub>,
    length: u64,
}

impl CodedBuilder {
    pub(crate) fn new(db_type: DbType) -> CodedBuilder {
        let length = db_type.subslice_length();
        CodedBuilder { directory: Directory::new(length), subs: Vec::new(), length }
    }

    /// Adds the index of data file number `file`.
    pub(crate) fn add(&mut self, file: usize, index: &TextIndex) {
        for sub in &index.subs {
            let slot = match &sub.body {
                Body::Constant(value) => Slot::Constant(*value),
                Body::Data { start, end, blocks, coding } => {
                    let firsts: Box<[u32]> = index.firsts[blocks.clone()].into();
                    let codes = index.codes.get(blocks.clone()).unwrap_or_default().into();
                    let size = sub.slice.subslice_size(u64::from(sub.sub), self.length);
                    let steps = Steps::new(&firsts, size);
                    let mut tables = Vec::new();
                    tables.resize_with(firsts.len().div_ceil(GROUP), OnceLock::new);
                    self.subs.push(Sub {
                        slice: sub.slice,
                        side: sub.side,
                        file: file as u32,
                        first_block: (start / BLOCK as u64) as u32,
                        first_byte: (start % BLOCK as u64) as u16,
                        end_byte: last_byte(*start, *end, blocks.len()),
                        coding: *coding,
                        size,
                        firsts,
                        codes,
                        steps,
                        tables: tables.into(),
                    });
                    Slot::Data(self.subs.len() as u32 - 1)
                }
            };
            self.directory.insert(sub.slice, sub.side, sub.sub, slot);
        }
    }

    /// Bytes of memory that the indices take, and those that all piece tables would take.
    pub(crate) fn memory(&self) -> (usize, usize) {
        let blocks: usize = self.subs.iter().map(|sub| sub.firsts.len()).sum();
        let steps: usize = self.subs.iter().map(|sub| sub.steps.memory()).sum();
        let groups: usize = self.subs.iter().map(|sub| sub.tables.len()).sum();
        let fixed = self.subs.len() * size_of::<Sub>() + groups * 24;
        let tables = self.subs.iter().map(Sub::table_bytes).sum();
        (fixed + steps + blocks * 6, tables)
    }

    pub(crate) fn finish(self, storage: AnyStorage, table_limit: usize) -> CodedReader {
        let version = if self.subs.iter().any(|sub| matches!(sub.coding, Coding::Tunstall1(..))) {
            Version::V1
        } else {
            Version::V2
        };
        CodedReader {
            directory: self.directory,
            subs: self.subs,
            counters: Counters::new(storage.files().len()),
            storage,
            dictionaries: tunstall::dictionaries(version),
            tables: AtomicUsize::new(0),
            table_limit,
        }
    }
}

impl Sub {
    fn table_bytes(&self) -> usize {
        self.firsts.len() * PIECES * 4
    }

    /// The bytes of block `k` that belong to this sub-database.
    #[inline]
    fn part(&self, k: usize) -> (usize, usize) {
        let from = if k == 0 { self.first_byte } else { 0 };
        let to = if k + 1 == self.firsts.len() { self.end_byte } else { BLOCK as u16 };
        (usize::from(from), usize::from(to))
    }

    /// The piece table of block `k`, if it is there and good.
    #[inline]
    fn known_table(&self, k: usize) -> Option<&[AtomicU32; PIECES]> {
        let table = &self.tables[k / GROUP].get()?.as_chunks::<PIECES>().0[k % GROUP];
        (table[0].load(Ordering::Acquire) == READY).then_some(table)
    }

    /// Where in block `k` the `rest`-th value would be if all bytes stood for equally many.
    #[inline]
    fn guess(&self, k: usize, rest: u32) -> usize {
        let (from, to) = self.part(k);
        let bytes = to.saturating_sub(from) as u64;
        from + (u64::from(rest) * bytes / self.span(k).max(1)) as usize
    }

    /// Number of values in block `k`.
    #[inline]
    fn span(&self, k: usize) -> u64 {
        let next = self.firsts.get(k + 1).map_or(self.size, |&first| u64::from(first));
        next - u64::from(self.firsts[k])
    }
}

/// Where in its last block a sub-database ends. The last one of a file may be followed by
/// padding up to the end of a longer block of the original driver.
fn last_byte(start: u64, end: u64, blocks: usize) -> u16 {
    let last_block = start / BLOCK as u64 + blocks as u64 - 1;
    (end - last_block * BLOCK as u64).min(BLOCK as u64) as u16
}

/// The byte that stands for the `rest`-th value, and which of its values it is; `None` if the
/// bytes hold fewer.
#[inline]
fn locate(code: &impl ByteCode, bytes: &[u8], mut rest: u64) -> Option<(u8, u32)> {
    let (chunks, tail) = bytes.as_chunks::<8>();
    for chunk in chunks {
        let sum: u64 = chunk.iter().map(|&b| u64::from(code.len(b))).sum();
        if sum > rest {
            return locate_one(code, chunk, rest);
        }
        rest -= sum;
    }
    locate_one(code, tail, rest)
}

#[inline]
fn locate_one(code: &impl ByteCode, bytes: &[u8], mut rest: u64) -> Option<(u8, u32)> {
    for &byte in bytes {
        let len = u64::from(code.len(byte));
        if rest < len {
            return Some((byte, rest as u32));
        }
        rest -= len;
    }
    None
}

/// Fills `table` with the first index of each piece, relative to the block's; false if the
/// lengths do not add up to `span` (exactly, or in the last block at least).
fn fill_table(
    code: &impl ByteCode,
    block: &[u8; BLOCK],
    (from, to): (usize, usize),
    span: u64,
    is_last: bool,
    table: &mut [u32; PIECES],
) -> bool {
    let mut sum = 0u64;
    for (k, first) in table.iter_mut().enumerate() {
        let start = k * PIECE;
        if start >= to {
            *first = u32::MAX;
            continue;
        }
        *first = sum.min(u64::from(u32::MAX)) as u32;
        for &byte in &block[start.max(from).min(to)..(start + PIECE).max(from).min(to)] {
            let len = code.len(byte);
            if len == 0 && sum < span {
                return false;
            }
            sum += u64::from(len);
        }
    }
    sum == span || (is_last && sum > span)
}

impl CodedReader {
    pub(crate) fn directory(&self) -> &Directory {
        &self.directory
    }

    pub(crate) fn storage(&self) -> &AnyStorage {
        &self.storage
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Memory in use for piece tables.
    pub(crate) fn table_memory(&self) -> usize {
        self.tables.load(Ordering::Relaxed)
    }

    /// The value at an index of a stored slice.
    #[inline]
    pub(crate) fn lookup(
        &self,
        slice: Slice,
        side: Color,
        index: u64,
        conditional: bool,
    ) -> Result<Raw, ProbeError> {
        match self.find(slice, side, index) {
            Ok(query) => self.finish(&query, conditional),
            Err(raw) => Ok(raw),
        }
    }

    /// Where the answer to a question is, or the answer itself.
    #[inline]
    fn find(&self, slice: Slice, side: Color, index: u64) -> Result<Query<'_>, Raw> {
        let (found, i) = self.directory.find(slice, side, index);
        let sub = match found {
            Found::Slot(Slot::Data(n)) => &self.subs[n as usize],
            Found::Slot(Slot::Constant(value)) => {
                self.counters.constant();
                return Err(Raw::Value(u16::from(value)));
            }
            Found::NoSlice => {
                self.counters.unavailable();
                return Err(Raw::NoSlice);
            }
            Found::OtherSideOnly | Found::Slot(Slot::Missing) => {
                self.counters.unavailable();
                return Err(Raw::NotStored);
            }
        };
        self.counters.request(sub.file as usize);
        let k = sub.steps.find(&sub.firsts, i);
        Ok(Query { sub, k, i, piece: None })
    }

    /// Answers several questions at once. What one of them waits for (a table, the data) is asked
    /// for before the next is looked at, so that the waiting times overlap.
    pub(crate) fn lookup_many(
        &self,
        places: impl Iterator<Item = Option<(Slice, Color, u64)>>,
        mut answer: impl FnMut(Raw),
    ) -> Result<(), ProbeError> {
        let mut queries: [Result<Query<'_>, Raw>; GROUPED] = [Err(Raw::NoSlice); GROUPED];
        let mut count = 0;
        for (slot, place) in queries.iter_mut().zip(places) {
            count += 1;
            let Some((slice, side, index)) = place else { continue };
            *slot = self.find(slice, side, index);
            if let Ok(query) = slot {
                query.touch_table();
                self.storage.touch(query.sub.file as usize, query.block(), 0);
            }
        }
        for query in queries[..count].iter_mut().flatten() {
            let rest = query.rest();
            if let Some(table) = query.sub.known_table(query.k) {
                let (offset, first) = pick_piece(table, rest);
                query.piece = Some((offset, first));
                if let Some(bytes) =
                    self.storage.mapped(query.sub.file as usize, query.block(), offset)
                {
                    prefetch(bytes);
                }
            }
        }
        for query in &queries[..count] {
            answer(match query {
                Ok(query) => self.finish(query, false)?,
                Err(raw) => *raw,
            });
        }
        Ok(())
    }

    #[inline]
    fn finish(&self, query: &Query<'_>, conditional: bool) -> Result<Raw, ProbeError> {
        let &Query { sub, k, .. } = query;
        let result = match sub.coding {
            Coding::Tunstall2 => {
                let code = sub.codes[k];
                let dictionary = &self.dictionaries[usize::from(code & 0xff)];
                let value = self.value(dictionary, query, conditional);
                value.map(|v| v.map(|v| code >> 8 >> (2 * v) & 3))
            }
            Coding::Tunstall1(dictionary, map) => {
                let dictionary = &self.dictionaries[usize::from(dictionary)];
                let value = self.value(dictionary, query, conditional);
                value.map(|v| v.map(|v| map.get(usize::from(v)).copied().unwrap_or(0).into()))
            }
            Coding::Plain => self.value(runlen::plain(), query, conditional),
            Coding::Partial => self.value(runlen::partial(), query, conditional),
            Coding::Distance => self.value(runlen::distance(), query, conditional),
        };
        match result {
            Ok(Some(value)) => Ok(Raw::Value(value)),
            Ok(None) => Ok(Raw::NotInCache),
            Err(cause) => Err(self.error(sub, k, cause)),
        }
    }

    #[cold]
    fn error(&self, sub: &Sub, k: usize, cause: ProbeCause) -> ProbeError {
        ProbeError {
            file: self.path(sub.file as usize).to_owned(),
            slice: sub.slice,
            side: sub.side,
            block: sub.first_block + k as u32,
            cause,
        }
    }

    fn path(&self, file: usize) -> &Path {
        &self.storage.files()[file].path
    }

    /// The value of index `i`, which lies in block `k` of the sub-database; `None` if that needs
    /// the disk and `conditional` forbids it.
    #[inline]
    fn value<C: ByteCode>(
        &self,
        code: &C,
        query: &Query<'_>,
        conditional: bool,
    ) -> Result<Option<u16>, ProbeCause> {
        let &Query { sub, k, .. } = query;
        let (file, block, rest) = (sub.file as usize, query.block(), query.rest());
        if let Some((offset, first)) = query.piece {
            return self.value_in_piece(code, query, offset, first, conditional);
        }
        // While the table is on its way, the data come too if they are where they should be.
        self.storage.touch(file, block, sub.guess(k, rest));
        let Some(table) = self.table(code, sub, k, conditional)? else {
            return self.value_without_table(code, sub, k, rest, conditional);
        };
        match table[0].load(Ordering::Relaxed) {
            READY => {}
            DAMAGED => return Err(ProbeCause::Damaged("code lengths contradict the index")),
            _ => return Ok(None),
        }
        let (offset, first) = pick_piece(table, rest);
        self.value_in_piece(code, query, offset, first, conditional)
    }

    #[inline]
    fn value_in_piece<C: ByteCode>(
        &self,
        code: &C,
        query: &Query<'_>,
        offset: usize,
        first: u32,
        conditional: bool,
    ) -> Result<Option<u16>, ProbeCause> {
        let &Query { sub, k, .. } = query;
        let (file, block) = (sub.file as usize, query.block());
        let mut copy;
        // In place where possible: reading a fresh copy as a whole waits for its parts.
        let bytes = match self.storage.mapped(file, block, offset) {
            Some(mapped) => mapped,
            None => {
                copy = [0; PIECE];
                if !conditional {
                    self.storage.read(file, block, offset, &mut copy, &self.counters)?;
                } else if !self.storage.read_cached(file, block, offset, &mut copy) {
                    return Ok(None);
                }
                &copy
            }
        };
        let (from, _) = sub.part(k);
        let rest = u64::from(query.rest() - first);
        let found = if from > offset {
            locate(code, &bytes[(from - offset).min(PIECE)..], rest)
        } else {
            code.locate(bytes, rest)
        };
        match found {
            Some((byte, offset)) => Ok(Some(code.value(byte, offset))),
            None => Err(ProbeCause::Damaged("the data changed after they were first read")),
        }
    }

    /// The block's piece table, computed if need be. `None` if there is no memory for it; an
    /// unfilled one if that would need the disk and `conditional` forbids it.
    #[inline]
    fn table<'s, C: ByteCode>(
        &self,
        code: &C,
        sub: &'s Sub,
        k: usize,
        conditional: bool,
    ) -> Result<Option<&'s [AtomicU32; PIECES]>, ProbeCause> {
        let group = &sub.tables[k / GROUP];
        let Some(group) = group.get().map(AsRef::as_ref).or_else(|| self.allocate(sub, k / GROUP))
        else {
            return Ok(None);
        };
        let table = &group.as_chunks::<PIECES>().0[k % GROUP];
        if table[0].load(Ordering::Acquire) == UNKNOWN {
            self.compute_table(code, sub, k, conditional, table)?;
        }
        Ok(Some(table))
    }

    #[cold]
    fn allocate<'s>(&self, sub: &'s Sub, group: usize) -> Option<&'s [AtomicU32]> {
        let count = PIECES * (sub.firsts.len() - group * GROUP).min(GROUP);
        let bytes = count * 4;
        if self.tables.fetch_add(bytes, Ordering::Relaxed) + bytes > self.table_limit {
            self.tables.fetch_sub(bytes, Ordering::Relaxed);
            return None;
        }
        let mut is_mine = false;
        let table = sub.tables[group].get_or_init(|| {
            is_mine = true;
            let mut list = Vec::with_capacity(count);
            list.resize_with(count, AtomicU32::default);
            list.into()
        });
        if !is_mine {
            self.tables.fetch_sub(bytes, Ordering::Relaxed);
        }
        Some(table)
    }

    /// Two threads may do this at once; they store the same numbers.
    #[cold]
    #[inline(never)]
    fn compute_table<C: ByteCode>(
        &self,
        code: &C,
        sub: &Sub,
        k: usize,
        conditional: bool,
        table: &[AtomicU32; PIECES],
    ) -> Result<(), ProbeCause> {
        let Some(block) = self.whole_block(sub, k, conditional)? else { return Ok(()) };
        let mut numbers = [0; PIECES];
        let is_last = k + 1 == sub.firsts.len();
        let good = fill_table(code, &block, sub.part(k), sub.span(k), is_last, &mut numbers);
        for (to, from) in table.iter().zip(numbers).skip(1) {
            to.store(from, Ordering::Relaxed);
        }
        table[0].store(if good { READY } else { DAMAGED }, Ordering::Release);
        Ok(())
    }

    fn whole_block(
        &self,
        sub: &Sub,
        k: usize,
        conditional: bool,
    ) -> Result<Option<[u8; BLOCK]>, ProbeCause> {
        let mut block = [0; BLOCK];
        let (file, number) = (sub.file as usize, sub.first_block + k as u32);
        if conditional {
            return Ok(self.storage.read_cached(file, number, 0, &mut block).then_some(block));
        }
        self.storage.read(file, number, 0, &mut block, &self.counters)?;
        Ok(Some(block))
    }

    /// The slow way: adds up lengths from the start of the block.
    #[cold]
    fn value_without_table<C: ByteCode>(
        &self,
        code: &C,
        sub: &Sub,
        k: usize,
        rest: u32,
        conditional: bool,
    ) -> Result<Option<u16>, ProbeCause> {
        let Some(block) = self.whole_block(sub, k, conditional)? else { return Ok(None) };
        let (from, to) = sub.part(k);
        match locate(code, &block[from..to], u64::from(rest)) {
            Some((byte, offset)) if code.len(byte) > 0 => Ok(Some(code.value(byte, offset))),
            _ => Err(ProbeCause::Damaged("fewer values than the index says")),
        }
    }

    /// Checks every block of every sub-database against the index. `step` is called once per
    /// block and stops the check by returning false.
    pub(crate) fn check(
        &self,
        mut step: impl FnMut() -> bool,
    ) -> Result<Vec<ProbeError>, Vec<ProbeError>> {
        let mut errors = Vec::new();
        for sub in &self.subs {
            for k in 0..sub.firsts.len() {
                let cause = match sub.coding {
                    Coding::Tunstall2 => {
                        let dictionary = &self.dictionaries[usize::from(sub.codes[k] & 0xff)];
                        self.check_block(dictionary, sub, k)
                    }
                    Coding::Tunstall1(dictionary, _) => {
                        self.check_block(&self.dictionaries[usize::from(dictionary)], sub, k)
                    }
                    Coding::Plain => self.check_block(runlen::plain(), sub, k),
                    Coding::Partial => self.check_block(runlen::partial(), sub, k),
                    Coding::Distance => self.check_block(runlen::distance(), sub, k),
                };
                errors.extend(cause.err().map(|cause| self.error(sub, k, cause)));
                if !step() {
                    return Err(errors);
                }
            }
        }
        Ok(errors)
    }

    fn check_block(&self, code: &impl ByteCode, sub: &Sub, k: usize) -> Result<(), ProbeCause> {
        let Some(block) = self.whole_block(sub, k, false)? else { return Ok(()) };
        let is_last = k + 1 == sub.firsts.len();
        let mut numbers = [0; PIECES];
        if fill_table(code, &block, sub.part(k), sub.span(k), is_last, &mut numbers) {
            Ok(())
        } else {
            Err(ProbeCause::Damaged("code lengths contradict the index"))
        }
    }

    /// Number of blocks that [`CodedReader::check`] visits.
    pub(crate) fn blocks(&self) -> u64 {
        self.subs.iter().map(|sub| sub.firsts.len() as u64).sum()
    }
}
