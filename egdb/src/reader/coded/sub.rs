//! From index files to the sub-databases of a reader.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize};

use movegen::Color;

use super::{CodedReader, table};
use crate::codec::tunstall::{self, TunstallVersion};
use crate::format::DbType;
use crate::format::text::{Coding, SubContents, TextIndex};
use crate::layout::BLOCK;
use crate::reader::checksums::Checksums;
use crate::reader::{Directory, Slot, Steps};
use crate::slice::Slice;
use crate::stats::ShardedCounters;
use crate::storage::{AnyStorage, Storage};

/// Blocks whose tables are allocated together.
pub(super) const GROUP: usize = 64;

/// A sub-database with data.
#[derive(Debug)]
pub(super) struct Sub {
    pub(super) slice: Slice,
    pub(super) side: Color,
    pub(super) file: u32,
    first_block: u32,
    /// Part of the first block before this sub-database, and of the last one up to its end.
    first_byte: u16,
    end_byte: u16,
    pub(super) coding: Coding,
    size: u64,
    pub(super) lines: Box<[BlockLine]>,
    steps: Steps,
    pub(super) tables: Box<[OnceLock<Box<[AtomicU32]>>]>,
}

/// What a lookup needs to know about a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockLine {
    /// First index of the block.
    pub(super) first: u32,
    /// See [`table::scale`].
    pub(super) scale: u32,
    /// Version 2: dictionary (low byte) and value map (high byte).
    pub(super) code: u16,
}

/// Collects the index files of a database.
#[derive(Debug)]
pub(crate) struct CodedBuilder {
    directory: Directory,
    subs: Vec<Sub>,
    length: u64,
    /// Entries of a block's table.
    entries: usize,
}

impl CodedBuilder {
    /// With `entries` entries in the table of each block.
    pub(crate) fn new(db_type: DbType, entries: usize) -> CodedBuilder {
        let length = db_type.subslice_length();
        CodedBuilder { directory: Directory::new(length), subs: Vec::new(), length, entries }
    }

    /// Adds the index of data file number `file`.
    pub(crate) fn add(&mut self, file: usize, index: &TextIndex) {
        for sub in &index.subs {
            let slot = match &sub.body {
                SubContents::Constant(value) => Slot::Constant(*value),
                SubContents::Data { start, end, blocks, coding } => {
                    let firsts = &index.firsts[blocks.clone()];
                    let codes = index.codes.get(blocks.clone()).unwrap_or_default();
                    let size = sub.slice.subslice_size(u64::from(sub.sub), self.length);
                    let steps = Steps::new(firsts, size);
                    let lines = (0..firsts.len()).map(|k| {
                        let next = firsts.get(k + 1).map_or(size, |&next| next.into());
                        let span = next - u64::from(firsts[k]);
                        let code = codes.get(k).copied().unwrap_or(0);
                        BlockLine {
                            first: firsts[k],
                            scale: table::scale(span, self.entries),
                            code,
                        }
                    });
                    let lines: Box<[BlockLine]> = lines.collect();
                    let mut tables = Vec::new();
                    tables.resize_with(lines.len().div_ceil(GROUP), OnceLock::new);
                    self.subs.push(Sub {
                        slice: sub.slice,
                        side: sub.side,
                        file: file as u32,
                        first_block: (start / BLOCK as u64) as u32,
                        first_byte: (start % BLOCK as u64) as u16,
                        end_byte: last_byte(*start, *end, blocks.len()),
                        coding: *coding,
                        size,
                        lines,
                        steps,
                        tables: tables.into(),
                    });
                    Slot::Data(self.subs.len() as u32 - 1)
                }
            };
            self.directory.insert(sub.slice, sub.side, sub.sub, slot);
        }
    }

    /// Bytes of memory that the indices take, and those that all tables would take.
    pub(crate) fn memory(&self) -> (usize, usize) {
        let blocks: usize = self.subs.iter().map(|sub| sub.lines.len()).sum();
        let steps: usize = self.subs.iter().map(|sub| sub.steps.memory()).sum();
        let groups: usize = self.subs.iter().map(|sub| sub.tables.len()).sum();
        let fixed = self.subs.len() * size_of::<Sub>() + groups * 24;
        (fixed + steps + blocks * size_of::<BlockLine>(), blocks * self.entries * 4)
    }

    /// `is_compared` says whether blocks are compared with their checksums.
    pub(crate) fn finish(
        self,
        storage: AnyStorage,
        table_limit: usize,
        is_compared: bool,
    ) -> CodedReader {
        let version = if self.subs.iter().any(|sub| matches!(sub.coding, Coding::Tunstall1(..))) {
            TunstallVersion::V1
        } else {
            TunstallVersion::V2
        };
        CodedReader {
            directory: self.directory,
            subs: self.subs,
            counters: ShardedCounters::new(storage.files().len()),
            checksums: Checksums::new(is_compared, &storage),
            storage,
            dictionaries: tunstall::dictionaries(version),
            entries: self.entries,
            tables: AtomicUsize::new(0),
            table_limit,
        }
    }
}

impl Sub {
    /// The block of an index, counted within the sub-database.
    #[inline(always)]
    pub(super) fn block_of(&self, index: u32) -> usize {
        self.steps.find(|k| self.lines[k].first, index)
    }

    /// A block's number in the file.
    #[inline(always)]
    pub(super) fn block(&self, k: usize) -> u32 {
        self.first_block + k as u32
    }

    /// Bytes in the data file.
    pub(super) fn bytes(&self) -> u64 {
        let before_last = (self.lines.len() as u64 - 1) * BLOCK as u64;
        before_last + u64::from(self.end_byte) - u64::from(self.first_byte)
    }

    /// The bytes of block `k` that belong to this sub-database.
    #[inline]
    pub(super) fn part(&self, k: usize) -> (usize, usize) {
        let from = if k == 0 { self.first_byte } else { 0 };
        let to = if k + 1 == self.lines.len() { self.end_byte } else { BLOCK as u16 };
        (usize::from(from), usize::from(to))
    }

    /// Number of values in block `k`, and whether it is the last block, whose last code may stand
    /// for more.
    #[inline]
    pub(super) fn span(&self, k: usize) -> (u64, bool) {
        let next = self.lines.get(k + 1).map_or(self.size, |line| u64::from(line.first));
        (next - u64::from(self.lines[k].first), k + 1 == self.lines.len())
    }
}

/// Where in its last block a sub-database ends. The last one of a file may be followed by
/// padding up to the end of a longer block of the original driver.
fn last_byte(start: u64, end: u64, blocks: usize) -> u16 {
    let last_block = start / BLOCK as u64 + blocks as u64 - 1;
    (end - last_block * BLOCK as u64).min(BLOCK as u64) as u16
}
