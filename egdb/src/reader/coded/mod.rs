//! Reader of all types whose bytes each are a code for a fixed number of values.
//!
//! A lookup finds the block by its first index, where to begin within the block by the block's
//! table ([`table`]), and the byte by adding up lengths from there. Tables are kept as long as
//! their memory budget lasts; without one, lengths are added up from the start of the block.

use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use movegen::isa::prefetch;

use super::checksums::Checksums;
use super::{Directory, Raw, in_steps};
use crate::codec::tunstall::Dictionary;
use crate::codec::{ByteCode, runlen};
use crate::error::{ProbeCause, ProbeError};
use crate::format::text::Coding;
use crate::index::SliceSide;
use crate::isa::LookupIsa;
use crate::layout::{BLOCK, PIECE};
use crate::stats::ShardedCounters;
use crate::storage::{AnyStorage, Storage, prefetch_piece};

mod check;
mod sub;
mod table;
mod values;

pub(crate) use sub::CodedBuilder;
use sub::{GROUP, Sub};
use table::Start;

/// Most entries that a block's table can have.
const MAX_ENTRIES: usize = 128;
/// Entries of a block's table, where there is memory for it: a stretch of indices then has 32
/// bytes on average, so that the first 64 nearly always suffice.
pub(crate) const ENTRIES: usize = MAX_ENTRIES;
/// The same where memory is scarce.
pub(crate) const FEW_ENTRIES: usize = 32;

/// The most bytes read at a time when they cannot be read in place.
const WINDOW: usize = 512;

const CHANGED: ProbeCause = ProbeCause::Damaged("the data changed after they were first read");

/// The sub-databases of all files of one database.
#[derive(Debug)]
pub(crate) struct CodedReader {
    directory: Directory,
    subs: Vec<Sub>,
    storage: AnyStorage,
    checksums: Checksums,
    dictionaries: &'static [Dictionary],
    counters: ShardedCounters,
    /// Entries of a block's table, a power of two.
    entries: usize,
    /// Bytes of tables allocated, and how many may be.
    tables: AtomicUsize,
    table_limit: usize,
}

/// A question whose block is known.
#[derive(Clone, Copy, Debug)]
struct Query<'s> {
    sub: &'s Sub,
    /// The block, counted within the sub-database.
    k: usize,
    /// The index within the block.
    rest: u32,
    /// Dictionary and value map of the block, for version 2.
    code: u16,
    /// The stretch of the index within the block.
    stretch: usize,
    /// Where to begin, once that has been looked up.
    start: Start,
}

/// The byte that stands for the `rest`-th value, and which of its values it is; `None` if the
/// bytes hold fewer.
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

impl CodedReader {
    pub(crate) fn directory(&self) -> &Directory {
        &self.directory
    }

    pub(crate) fn storage(&self) -> &AnyStorage {
        &self.storage
    }

    pub(crate) fn counters(&self) -> &ShardedCounters {
        &self.counters
    }

    /// Memory in use for tables.
    pub(crate) fn table_memory(&self) -> usize {
        self.tables.load(Ordering::Relaxed)
    }

    /// The value at an index of a stored slice.
    #[inline(always)]
    pub(crate) fn lookup(
        &self,
        isa: impl LookupIsa,
        place: SliceSide,
        index: u64,
        conditional: bool,
    ) -> Result<Raw, Box<ProbeError>> {
        let answer = |mut query: Query<'_>| {
            let bytes = self.storage.in_place(query.sub.file as usize);
            if let Some(entry) = self.entry(query) {
                if let Some(bytes) = bytes {
                    // The data arrive with the entry if they are where equal lengths of all bytes
                    // would put them.
                    let guess = (query.stretch * BLOCK) >> self.entries.trailing_zeros();
                    prefetch_piece(bytes, query.sub.block(query.k) as usize * BLOCK + guess);
                }
                query.start = table::start(entry, query.rest);
            }
            self.finish(isa, query, bytes, conditional)
        };
        self.find(place, index, answer, Ok)
    }

    /// Goes on with where the answer to a question is, or with the answer itself.
    #[inline(always)]
    fn find<'s, T>(
        &'s self,
        place: SliceSide,
        index: u64,
        go_on: impl FnOnce(Query<'s>) -> T,
        known: impl FnOnce(Raw) -> T,
    ) -> T {
        let (n, i) = match self.directory.data(place, index, &self.counters) {
            Ok(found) => found,
            Err(raw) => return known(raw),
        };
        let sub = &self.subs[n];
        self.counters.request(sub.file as usize);
        let k = sub.block_of(i);
        let line = &sub.lines[k];
        let rest = i - line.first;
        let stretch = table::stretch(rest, line.scale);
        go_on(Query { sub, k, rest, code: line.code, stretch, start: Start::Unknown })
    }

    /// The table entry for a question, if there is a table.
    #[inline(always)]
    fn entry<'s>(&self, query: Query<'s>) -> Option<&'s AtomicU32> {
        let group = query.sub.tables[query.k / GROUP].get()?;
        group.get(query.k % GROUP * self.entries + query.stretch)
    }

    /// Answers many questions, in order.
    #[inline(always)]
    pub(crate) fn lookup_many(
        &self,
        isa: impl LookupIsa,
        places: impl Iterator<Item = Option<(SliceSide, u64)>>,
        answer: impl FnMut(Raw),
    ) -> Result<(), Box<ProbeError>> {
        let find = |place: Option<(SliceSide, u64)>| {
            let (place, index) = place.ok_or(Raw::NoSlice)?;
            let touch = |query| {
                if let Some(entry) = self.entry(query) {
                    prefetch(entry);
                }
                Ok(query)
            };
            self.find(place, index, touch, Err)
        };
        let start = |query: &mut Query<'_>| {
            if let Some(entry) = self.entry(*query) {
                query.start = table::start(entry, query.rest);
                if let Start::At(offset, _) = query.start {
                    let block = query.sub.block(query.k);
                    self.storage.touch(query.sub.file as usize, block, offset);
                }
            }
        };
        let finish = |query: &Query<'_>| {
            let bytes = self.storage.in_place(query.sub.file as usize);
            self.finish(isa, *query, bytes, false)
        };
        in_steps(places, find, start, finish, answer)
    }

    #[inline(always)]
    fn finish(
        &self,
        isa: impl LookupIsa,
        query: Query<'_>,
        bytes: Option<&[u8]>,
        conditional: bool,
    ) -> Result<Raw, Box<ProbeError>> {
        match query.sub.coding {
            Coding::Tunstall2 => {
                let code = query.code;
                let dictionary = &self.dictionaries[usize::from(code & 0xff)];
                self.value(isa, dictionary, query, bytes, conditional, |v| code >> 8 >> (2 * v) & 3)
            }
            // A copy, so that the question itself need not lie in memory.
            _ => self.older_value(isa, Query { start: query.start, ..query }, bytes, conditional),
        }
    }

    /// The same for the types other than version 2.
    #[inline(never)]
    fn older_value(
        &self,
        isa: impl LookupIsa,
        query: Query<'_>,
        bytes: Option<&[u8]>,
        conditional: bool,
    ) -> Result<Raw, Box<ProbeError>> {
        match query.sub.coding {
            Coding::Tunstall1(dictionary, map) => {
                let dictionary = &self.dictionaries[usize::from(dictionary)];
                self.value(isa, dictionary, query, bytes, conditional, |v| {
                    map.get(usize::from(v)).copied().unwrap_or(0).into()
                })
            }
            Coding::Plain => self.value(isa, runlen::plain(), query, bytes, conditional, |v| v),
            Coding::Partial => self.value(isa, runlen::partial(), query, bytes, conditional, |v| v),
            Coding::Distance | Coding::Tunstall2 => {
                self.value(isa, runlen::distance(), query, bytes, conditional, |v| v)
            }
        }
    }

    #[cold]
    fn error(&self, sub: &Sub, k: usize, cause: ProbeCause) -> Box<ProbeError> {
        Box::new(ProbeError {
            file: self.path(sub.file as usize).to_owned(),
            slice: sub.slice,
            side: sub.side,
            block: sub.block(k),
            cause,
        })
    }

    /// Bytes of a sub-database in its data file.
    pub(crate) fn bytes(&self, sub: usize) -> u64 {
        self.subs[sub].bytes()
    }

    fn path(&self, file: usize) -> &Path {
        &self.storage.files()[file].path
    }

    /// The value that a question asks for; `real` makes it out of the code's values.
    #[inline(always)]
    fn value<C: ByteCode>(
        &self,
        isa: impl LookupIsa,
        code: &C,
        query: Query<'_>,
        bytes: Option<&[u8]>,
        conditional: bool,
        real: impl Fn(u16) -> u16,
    ) -> Result<Raw, Box<ProbeError>> {
        // Taken apart, so that it need not lie in memory for the calls of other functions.
        let Query { sub, k, rest, code: number, stretch, start } = query;
        let with = |start| Query { sub, k, rest, code: number, stretch, start };
        let (file, block) = (sub.file as usize, sub.block(k));
        let (Start::At(mut offset, mut left), Some(bytes)) = (start, bytes) else {
            return self.value_by_reading(isa, code, with(start), conditional, real);
        };
        if conditional && !self.storage.has_in_memory(file, block, offset) {
            return Ok(Raw::NotInCache);
        }
        // In place where possible: reading a fresh copy as a whole waits for its parts.
        let block = block as usize * BLOCK;
        while let Some(piece) = bytes.get(block + offset..).and_then(|b| b.first_chunk()) {
            match code.locate(isa, piece, left).get() {
                Ok((byte, k)) => return Ok(Raw::Value(real(code.value(byte, k)).into())),
                Err(sum) => {
                    left -= sum;
                    offset += PIECE;
                }
            }
            if offset >= BLOCK {
                return Err(self.error(sub, k, CHANGED));
            }
        }
        self.value_by_reading(isa, code, with(Start::At(offset, left)), conditional, real)
    }

    /// The same where the bytes are not in place, or where to begin is not known.
    #[inline(never)]
    fn value_by_reading<C: ByteCode>(
        &self,
        isa: impl LookupIsa,
        code: &C,
        query: Query<'_>,
        conditional: bool,
        real: impl Fn(u16) -> u16,
    ) -> Result<Raw, Box<ProbeError>> {
        let found = match query.start {
            Start::At(offset, rest) => {
                self.locate_in_copy(isa, code, query, (offset, rest), conditional)
            }
            Start::Unknown | Start::Far => self.locate_without_entry(code, query, conditional),
        };
        match found {
            Ok(Some((byte, k))) => Ok(Raw::Value(real(code.value(byte, k)).into())),
            Ok(None) => Ok(Raw::NotInCache),
            Err(cause) => Err(self.error(query.sub, query.k, cause)),
        }
    }

    /// The code and which of its values, for a backend that has no bytes in place: they are read at once,
    /// as many as can be needed.
    fn locate_in_copy<C: ByteCode>(
        &self,
        isa: impl LookupIsa,
        code: &C,
        query: Query<'_>,
        (mut offset, mut rest): (usize, u32),
        conditional: bool,
    ) -> Result<Option<(u8, u32)>, ProbeCause> {
        let (file, block) = (query.sub.file as usize, query.sub.block(query.k));
        let end = self.end(query);
        let mut copy = [0; WINDOW + PIECE];
        while offset < end {
            let from = offset & !7;
            let len = (end.next_multiple_of(8) - from).min(WINDOW);
            let window = &mut copy[..len];
            if !conditional {
                self.storage.read(file, block, from, window, &self.counters)?;
            } else if !self.storage.read_cached(file, block, from, window) {
                return Ok(None);
            }
            // Bytes after the window have no meaning; the value is before them if the window
            // reaches to the end.
            let last = if from + len < end { len - PIECE } else { len - 1 };
            while offset - from <= last {
                let bytes = copy[offset - from..].first_chunk().unwrap_or(&[0; PIECE]);
                match code.locate(isa, bytes, rest).get() {
                    Ok(found) => return Ok(Some(found)),
                    Err(sum) => {
                        rest -= sum;
                        offset += PIECE;
                    }
                }
            }
        }
        Err(CHANGED)
    }

    /// The last place in the block where the code for a question can end.
    #[inline]
    fn end(&self, query: Query<'_>) -> usize {
        let (_, to) = query.sub.part(query.k);
        if query.stretch + 1 == self.entries {
            return to;
        }
        let next = self.entry(Query { stretch: query.stretch + 1, ..query });
        match next.map(|entry| table::start(entry, 0)) {
            Some(Start::At(offset, _)) => offset + 1,
            _ => to,
        }
    }

    /// The slow way: adds up lengths from the start of the block. Computes the block's table if
    /// there is none and memory for it. Two threads may do this at once; they store the same
    /// numbers.
    #[cold]
    #[inline(never)]
    fn locate_without_entry<C: ByteCode>(
        &self,
        code: &C,
        query: Query<'_>,
        conditional: bool,
    ) -> Result<Option<(u8, u32)>, ProbeCause> {
        let Query { sub, k, rest, .. } = query;
        let Some(block) = self.whole_block(sub, k, conditional)? else { return Ok(None) };
        if query.start == Start::Unknown && self.group(sub, k / GROUP).is_some() {
            self.scan(code, sub, k, &block)?;
        }
        let (from, to) = sub.part(k);
        let found = locate(code, &block[from..to], u64::from(rest));
        found.ok_or(ProbeCause::Damaged("fewer values than the index says")).map(Some)
    }

    /// Checks a block against the index, and fills its table if there is memory for it.
    fn scan(
        &self,
        code: &impl ByteCode,
        sub: &Sub,
        k: usize,
        block: &[u8; BLOCK],
    ) -> Result<(), ProbeCause> {
        let mut numbers = [0; MAX_ENTRIES];
        let put = |n: usize, entry| numbers[n] = entry;
        if !table::scan(code, block, sub.part(k), sub.span(k), self.entries, put) {
            return Err(ProbeCause::Damaged("code lengths contradict the index"));
        }
        let group = self.group(sub, k / GROUP).unwrap_or_default();
        let table = group.iter().skip(k % GROUP * self.entries);
        for (to, from) in table.zip(&numbers[..self.entries]) {
            to.store(*from, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The tables of a group of blocks; `None` if there is no memory for them.
    fn group<'s>(&self, sub: &'s Sub, group: usize) -> Option<&'s [AtomicU32]> {
        if let Some(tables) = sub.tables[group].get() {
            return Some(tables);
        }
        let count = self.entries * (sub.lines.len() - group * GROUP).min(GROUP);
        let bytes = count * 4;
        if self.tables.fetch_add(bytes, Ordering::Relaxed) + bytes > self.table_limit {
            self.tables.fetch_sub(bytes, Ordering::Relaxed);
            return None;
        }
        let mut is_mine = false;
        let tables = sub.tables[group].get_or_init(|| {
            is_mine = true;
            let mut list = Vec::with_capacity(count);
            list.resize_with(count, AtomicU32::default);
            list.into()
        });
        if !is_mine {
            self.tables.fetch_sub(bytes, Ordering::Relaxed);
        }
        Some(tables)
    }

    fn whole_block(
        &self,
        sub: &Sub,
        k: usize,
        conditional: bool,
    ) -> Result<Option<[u8; BLOCK]>, ProbeCause> {
        let mut block = [0; BLOCK];
        let (file, number) = (sub.file as usize, sub.block(k));
        if !conditional {
            self.storage.read(file, number, 0, &mut block, &self.counters)?;
        } else if !self.storage.read_cached(file, number, 0, &mut block) {
            return Ok(None);
        }
        self.checksums.compare(file, &self.storage.files()[file], number, &block)?;
        Ok(Some(block))
    }
}
