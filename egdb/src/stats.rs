//! Counting lookups without slowing them down.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The accesses to one data file since the database was opened or the counts were reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FileStats {
    /// Lookups that led to this file's data.
    pub requests: u64,
    /// Reads served from the block cache. A memory map does not know; it counts none.
    pub hits: u64,
    /// Blocks read from disk into the cache.
    pub loads: u64,
    /// Reads served from disk without keeping the block.
    pub misses: u64,
}

/// Counts of a database.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// All lookups.
    pub requests: u64,
    /// Lookups of material that is in the files (one-value sub-databases included).
    pub answered: u64,
    /// Lookups of material or sides that are not in the files.
    pub unavailable: u64,
    /// File name and counts.
    pub files: Vec<(String, FileStats)>,
}

impl Stats {
    /// The sum over all files.
    #[must_use]
    pub fn total(&self) -> FileStats {
        self.files.iter().fold(FileStats::default(), |sum, (_, file)| FileStats {
            requests: sum.requests + file.requests,
            hits: sum.hits + file.hits,
            loads: sum.loads + file.loads,
            misses: sum.misses + file.misses,
        })
    }
}

const SHARDS: usize = 32;
/// Counts of a shard that come before the counts of files: one-value answers, unavailable.
const GLOBAL: usize = 2;
const PER_FILE: usize = 4;

/// Counters in one shard per thread, so that threads do not fight for cache lines. More than 32
/// threads share shards and may lose a few counts, which are for information only.
#[derive(Debug)]
pub struct ShardedCounters {
    /// Shard by shard.
    counts: Vec<AtomicU64>,
    /// Counts of a shard.
    len: usize,
}

thread_local! {
    static SHARD: Cell<usize> = const { Cell::new(usize::MAX) };
}

#[inline(always)]
fn shard() -> usize {
    match SHARD.get() {
        usize::MAX => new_shard(),
        shard => shard,
    }
}

#[cold]
fn new_shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let shard = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
    SHARD.set(shard);
    shard
}

impl ShardedCounters {
    /// Counts nothing.
    pub const NONE: ShardedCounters = ShardedCounters { counts: Vec::new(), len: 0 };

    pub(crate) fn new(files: usize) -> ShardedCounters {
        // Rounded up to whole cache lines with one to spare, so that shards share none.
        let len = (GLOBAL + PER_FILE * files).next_multiple_of(8) + 8;
        let mut counts = Vec::new();
        counts.resize_with(SHARDS * len, AtomicU64::default);
        ShardedCounters { counts, len }
    }

    #[inline(always)]
    fn add(&self, which: usize) {
        if let Some(count) = self.counts.get(shard() * self.len + which) {
            // Not a read-modify-write: the shard is this thread's own.
            count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
    }

    #[inline]
    pub(crate) fn constant(&self) {
        self.add(0);
    }

    #[inline]
    pub(crate) fn unavailable(&self) {
        self.add(1);
    }

    #[inline]
    pub(crate) fn request(&self, file: usize) {
        self.add(GLOBAL + PER_FILE * file);
    }

    #[inline]
    pub(crate) fn hit(&self, file: usize) {
        self.add(GLOBAL + PER_FILE * file + 1);
    }

    #[inline]
    pub(crate) fn load(&self, file: usize) {
        self.add(GLOBAL + PER_FILE * file + 2);
    }

    #[inline]
    pub(crate) fn miss(&self, file: usize) {
        self.add(GLOBAL + PER_FILE * file + 3);
    }

    pub(crate) fn reset(&self) {
        for count in &self.counts {
            count.store(0, Ordering::Relaxed);
        }
    }

    pub(crate) fn read(&self, names: impl Iterator<Item = String>) -> Stats {
        let sum = |which: usize| {
            let counts = self.counts.iter().skip(which).step_by(self.len.max(1));
            counts.map(|count| count.load(Ordering::Relaxed)).sum()
        };
        let file = |i: usize| FileStats {
            requests: sum(GLOBAL + PER_FILE * i),
            hits: sum(GLOBAL + PER_FILE * i + 1),
            loads: sum(GLOBAL + PER_FILE * i + 2),
            misses: sum(GLOBAL + PER_FILE * i + 3),
        };
        let files = names.enumerate().map(|(i, name)| (name, file(i))).collect();
        let mut stats = Stats { unavailable: sum(1), files, ..Stats::default() };
        stats.answered = sum(0) + stats.total().requests;
        stats.requests = stats.answered + stats.unavailable;
        stats
    }
}
