//! A bounded cache of blocks, filled by positioned reads.
//!
//! Blocks live in sets of eight slots. A slot's data are atomic words guarded by its tag: a writer
//! first marks the tag busy, then stores the data, then publishes the new tag with a fresh sequence
//! number; a reader copies what it needs and uses the copy only if the tag is the same before and
//! after. So readers write nothing that other readers use, take no lock and never get bytes of
//! another block, and a writer never waits for a reader. Disk reads go to a buffer of the reading
//! thread; the set's lock is held only while the finished block is copied in.
//!
//! When a set is full, a missed block is only admitted with a chance of one in thirty-two;
//! otherwise just the needed piece is read: a block in frequent use gets in soon, while a scattered
//! access neither evicts blocks in use nor costs a whole block.

use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use movegen::isa::prefetch;
use movegen::random::mix;
use parking_lot::Mutex;

use super::{DataFile, Storage};
use crate::layout::BLOCK;
use crate::stats::ShardedCounters;

const WAYS: usize = 8;
const WORDS: usize = BLOCK / 8;
/// Locks for writers; a set belongs to one of them.
const LOCKS: usize = 64;
/// One in this many misses is admitted to a full set.
const ADMIT: u64 = 32;

/// Low bits of a tag: sequence number. The rest is the block's key plus one, 0 for an empty slot.
const SEQUENCE_BITS: u32 = 28;
const SEQUENCE_MASK: u64 = (1 << SEQUENCE_BITS) - 1;

/// Tags of a set share a cache line.
#[repr(align(64))]
#[derive(Debug, Default)]
struct CacheTags([AtomicU64; WAYS]);

/// See the module's description.
#[derive(Debug)]
pub struct BlockCache {
    files: Vec<DataFile>,
    /// Number of the first block of each file, counted over all files.
    first_keys: Vec<u64>,
    tags: Vec<CacheTags>,
    /// For each set: a bit per slot that was read since the hand last passed, and the hand's place
    /// in the bits from 16 on.
    used: Vec<AtomicU32>,
    writers: Vec<Writer>,
    data: Vec<AtomicU64>,
}

/// A lock alone in its cache line.
#[repr(align(64))]
#[derive(Debug, Default)]
struct Writer(Mutex<()>);

thread_local! {
    static ROLLS: Cell<u64> = const { Cell::new(0) };
}

/// Whether to admit a block this time.
fn roll() -> bool {
    ROLLS.with(|rolls| {
        rolls.set(rolls.get().wrapping_add(1));
        mix(rolls.get()).is_multiple_of(ADMIT)
    })
}

impl BlockCache {
    /// Bytes per cached block, administration included.
    pub const BYTES_PER_BLOCK: usize = BLOCK + 8 + 4usize.div_ceil(WAYS);

    /// A cache for these files that takes at most `bytes` of memory (but holds at least one set
    /// of eight blocks).
    #[must_use]
    pub fn new(files: Vec<DataFile>, bytes: usize) -> BlockCache {
        let mut first_keys = Vec::with_capacity(files.len());
        let mut total = 0;
        for file in &files {
            first_keys.push(total);
            total += file.len.div_ceil(BLOCK as u64);
        }
        let wanted = (total as usize).div_ceil(WAYS) + (total as usize).div_ceil(WAYS) / 4;
        let sets = (bytes / (WAYS * BlockCache::BYTES_PER_BLOCK)).min(wanted).max(1);
        let zeros = |n: usize| {
            let mut list = Vec::new();
            list.resize_with(n, AtomicU64::default);
            list
        };
        let mut tags = Vec::new();
        tags.resize_with(sets, CacheTags::default);
        let mut used = Vec::new();
        used.resize_with(sets, AtomicU32::default);
        let mut writers = Vec::new();
        writers.resize_with(LOCKS, Writer::default);
        BlockCache { files, first_keys, tags, used, writers, data: zeros(sets * WAYS * WORDS) }
    }

    #[inline]
    fn set_of(&self, key: u64) -> usize {
        let hash = (key + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((u128::from(hash) * self.tags.len() as u128) >> 64) as usize
    }

    #[inline]
    fn key(&self, file: usize, block: u32) -> u64 {
        self.first_keys[file] + u64::from(block)
    }

    /// Copies a piece of a cached block; false if the block is not cached.
    #[inline]
    fn copy_cached(&self, key: u64, set: usize, offset: usize, piece: &mut [u8]) -> bool {
        for (way, tag) in self.tags[set].0.iter().enumerate() {
            let before = tag.load(Ordering::Acquire);
            if before >> SEQUENCE_BITS != key + 1 {
                continue;
            }
            let start = (set * WAYS + way) * WORDS + offset / 8;
            let words = &self.data[start..start + piece.len() / 8];
            for (bytes, word) in piece.chunks_exact_mut(8).zip(words) {
                bytes.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
            }
            fence(Ordering::Acquire);
            if tag.load(Ordering::Relaxed) != before {
                return false;
            }
            let used = &self.used[set];
            if used.load(Ordering::Relaxed) >> way & 1 == 0 {
                used.fetch_or(1 << way, Ordering::Relaxed);
            }
            return true;
        }
        false
    }

    fn has_free_slot(&self, set: usize) -> bool {
        self.tags[set].0.iter().any(|tag| tag.load(Ordering::Relaxed) >> SEQUENCE_BITS == 0)
    }

    /// Puts a block into its set, in a free slot or in place of one not used lately.
    fn insert(&self, key: u64, set: usize, block: &[u8; BLOCK]) {
        let _writer = self.writers[set % LOCKS].0.lock();
        let tags = &self.tags[set].0;
        let key_of = |way: usize| tags[way].load(Ordering::Relaxed) >> SEQUENCE_BITS;
        if (0..WAYS).any(|way| key_of(way) == key + 1) {
            return;
        }
        let way = (0..WAYS).find(|&way| key_of(way) == 0).unwrap_or_else(|| self.victim(set));
        let sequence = (tags[way].load(Ordering::Relaxed) + 1) & SEQUENCE_MASK;
        // Key 0 matches no reader, so nobody starts to read this slot; those who have started see
        // that the tag has changed.
        tags[way].store(sequence, Ordering::Relaxed);
        fence(Ordering::Release);
        let start = (set * WAYS + way) * WORDS;
        for (word, bytes) in self.data[start..start + WORDS].iter().zip(block.as_chunks::<8>().0) {
            word.store(u64::from_ne_bytes(*bytes), Ordering::Relaxed);
        }
        tags[way].store((key + 1) << SEQUENCE_BITS | sequence, Ordering::Release);
    }

    /// Second chance: from the hand on, the first slot not read since the hand last passed.
    fn victim(&self, set: usize) -> usize {
        let used = &self.used[set];
        let mut state = used.load(Ordering::Relaxed);
        let mut way = (state >> 16) as usize % WAYS;
        for _ in 0..WAYS {
            if state >> way & 1 == 0 {
                break;
            }
            state &= !(1 << way);
            way = (way + 1) % WAYS;
        }
        used.store(
            state & 0xff & !(1 << way) | ((way as u32 + 1) % WAYS as u32) << 16,
            Ordering::Relaxed,
        );
        way
    }
}

impl Storage for BlockCache {
    #[inline]
    fn read(
        &self,
        file: usize,
        block: u32,
        offset: usize,
        piece: &mut [u8],
        counters: &ShardedCounters,
    ) -> io::Result<()> {
        let key = self.key(file, block);
        let set = self.set_of(key);
        if self.copy_cached(key, set, offset, piece) {
            counters.hit(file);
            return Ok(());
        }
        let start = u64::from(block) * BLOCK as u64;
        let data = &self.files[file];
        if piece.len() < BLOCK && !self.has_free_slot(set) && !roll() {
            counters.miss(file);
            return data.read_at(start + offset as u64, piece);
        }
        let mut whole = [0; BLOCK];
        data.read_at(start, &mut whole)?;
        self.insert(key, set, &whole);
        counters.load(file);
        piece.copy_from_slice(&whole[offset..offset + piece.len()]);
        Ok(())
    }

    #[inline]
    fn touch(&self, file: usize, block: u32, offset: usize) {
        let key = self.key(file, block);
        let set = self.set_of(key);
        for (way, tag) in self.tags[set].0.iter().enumerate() {
            if tag.load(Ordering::Relaxed) >> SEQUENCE_BITS == key + 1 {
                let start = (set * WAYS + way) * WORDS + offset / 8;
                for word in self.data[start..].iter().step_by(8).take(2) {
                    prefetch(word);
                }
            }
        }
    }

    fn read_cached(&self, file: usize, block: u32, offset: usize, piece: &mut [u8]) -> bool {
        let key = self.key(file, block);
        self.copy_cached(key, self.set_of(key), offset, piece)
    }

    fn files(&self) -> &[DataFile] {
        &self.files
    }

    fn memory(&self) -> usize {
        self.data.len() * 8 + self.tags.len() * (size_of::<CacheTags>() + 4)
    }
}

#[cfg(test)]
mod tests {
    use movegen::random::Random;

    use super::*;
    use std::io::Write;
    use std::sync::atomic::AtomicBool;

    /// Every 8-byte word of the file names its own position.
    fn numbered_file(blocks: u64) -> DataFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let words: Vec<u8> = (0..blocks * WORDS as u64).flat_map(u64::to_le_bytes).collect();
        file.write_all(&words).unwrap();
        let (_, path) = file.keep().unwrap();
        let data = DataFile::open(path.clone()).unwrap();
        std::fs::remove_file(path).unwrap();
        data
    }

    #[test]
    fn a_small_cache_never_gives_bytes_of_another_block() {
        let blocks = 200;
        // Two sets only, so that every slot is replaced all the time while others read it.
        let cache = BlockCache::new(vec![numbered_file(blocks)], 16 * BlockCache::BYTES_PER_BLOCK);
        assert_eq!(cache.tags.len(), 2);
        let failed = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let (cache, failed) = (&cache, &failed);
                scope.spawn(move || {
                    let mut random = Random::new(thread);
                    for _ in 0..50_000 {
                        let (block, word) = (random.below_u64(blocks), random.below_u64(448));
                        let mut piece = [0; 512];
                        let offset = word as usize * 8;
                        let result =
                            cache.read(0, block as u32, offset, &mut piece, &ShardedCounters::NONE);
                        let expected = block * WORDS as u64 + word;
                        let right = piece
                            .as_chunks::<8>()
                            .0
                            .iter()
                            .zip(expected..)
                            .all(|(bytes, n)| u64::from_le_bytes(*bytes) == n);
                        if result.is_err() || !right {
                            failed.store(true, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert!(!failed.into_inner());
    }

    #[test]
    fn memory_is_bounded_and_conditional_reads_touch_no_disk() {
        let bytes = 1 << 20;
        let cache = BlockCache::new(vec![numbered_file(2000)], bytes);
        assert!(cache.memory() <= bytes && cache.memory() > bytes * 95 / 100, "{}", cache.memory());
        let mut piece = [0; 64];
        assert!(!cache.read_cached(0, 77, 64, &mut piece));
        cache.read(0, 77, 0, &mut piece, &ShardedCounters::NONE).unwrap();
        assert!(cache.read_cached(0, 77, 64, &mut piece));
        assert_eq!(u64::from_le_bytes(piece[..8].try_into().unwrap()), 77 * 512 + 8);
    }
}
