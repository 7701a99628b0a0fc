//! The chunks of work files: compressed, each with a checksum, and read on demand.
//!
//! Chunks that were read are kept in memory that all threads share ([`Chunks`]), within a budget;
//! each thread remembers those it used last ([`Near`]).

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use quick_cache::Weighter;
use quick_cache::sync::{Cache, DefaultLifecycle};
use rustc_hash::FxBuildHasher;

use super::error::BuildError;
use egdb::storage::DataFile;

/// Bytes of a chunk before it is compressed; the last one of a part may have fewer.
pub(super) const CHUNK: usize = 1 << 15;

/// A chunk in memory.
pub(super) type Chunk = Arc<[u64]>;

/// The words of a row.
type Words = [u64; 4];

/// How a chunk is written: what it holds, for the order of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Rows of four words: the first words of all rows come first, then the second ones.
    Words,
    /// Bytes as they are.
    Plain,
}

/// Where the chunks of a unit are in a file.
#[derive(Debug)]
pub(super) struct ChunkPlaces {
    /// Number of the first chunk in the file.
    pub first: u64,
    /// Offset of each chunk, and of the end.
    pub offsets: Vec<u64>,
    /// CRC-32 of each chunk as it is in the file.
    pub sums: Vec<u32>,
}

/// Compresses chunks.
#[derive(Default)]
pub(super) struct Encoder {
    ordered: Vec<u8>,
    #[cfg(feature = "zstd")]
    zstd: Option<zstd::bulk::Compressor<'static>>,
}

/// A level at which a core compresses a third of a gigabyte a second; more costs much and gains
/// little.
#[cfg(feature = "zstd")]
const LEVEL: i32 = 1;

impl Encoder {
    /// The bytes of a chunk in a file; as long as the chunk if they are not compressed.
    pub(super) fn encode(&mut self, kind: Kind, chunk: &[u8]) -> Vec<u8> {
        let ordered = match kind {
            Kind::Words => {
                self.ordered.clear();
                let rows: &[Words] = bytemuck::cast_slice(chunk);
                for k in 0..4 {
                    self.ordered.extend(rows.iter().flat_map(|words| words[k].to_ne_bytes()));
                }
                &self.ordered[..]
            }
            Kind::Plain => chunk,
        };
        #[cfg(feature = "zstd")]
        {
            if self.zstd.is_none() {
                self.zstd = zstd::bulk::Compressor::new(LEVEL).ok();
            }
            let done = self.zstd.as_mut().and_then(|zstd| zstd.compress(ordered).ok());
            if let Some(done) = done.filter(|done| done.len() < chunk.len()) {
                return done;
            }
        }
        ordered.to_vec()
    }
}

/// Reads chunks.
#[derive(Default)]
pub(super) struct Decoder {
    read: Vec<u8>,
    ordered: Vec<u8>,
    #[cfg(feature = "zstd")]
    zstd: Option<zstd::bulk::Decompressor<'static>>,
}

impl Decoder {
    /// Reads a chunk of a unit into memory of its length, and compares it with its checksum.
    pub(super) fn decode(
        &mut self,
        file: &DataFile,
        places: &ChunkPlaces,
        number: usize,
        kind: Kind,
        out: &mut [u8],
    ) -> Result<(), BuildError> {
        let from = places.offsets[number];
        let length = (places.offsets[number + 1] - from) as usize;
        self.read.resize(length, 0);
        let io = |source| BuildError::Io { file: file.path.clone(), source };
        file.read_at(from, &mut self.read).map_err(io)?;
        let damaged =
            |reason: &str| BuildError::Damaged { file: file.path.clone(), reason: reason.into() };
        if crc32fast::hash(&self.read) != places.sums[number] {
            return Err(damaged("wrong checksum"));
        }
        if length == out.len() {
            self.ordered.clear();
            self.ordered.extend_from_slice(&self.read);
        } else {
            self.ordered.resize(out.len(), 0);
            if self.decompress() != Some(out.len()) {
                return Err(damaged("it cannot be decompressed"));
            }
        }
        match kind {
            Kind::Plain => out.copy_from_slice(&self.ordered),
            Kind::Words => {
                let rows = out.len() / size_of::<Words>();
                let out: &mut [Words] = bytemuck::cast_slice_mut(out);
                for (k, plane) in self.ordered.chunks_exact(8 * rows).enumerate() {
                    for (words, bytes) in out.iter_mut().zip(plane.as_chunks().0) {
                        words[k] = u64::from_ne_bytes(*bytes);
                    }
                }
            }
        }
        Ok(())
    }

    #[cfg(feature = "zstd")]
    fn decompress(&mut self) -> Option<usize> {
        if self.zstd.is_none() {
            self.zstd = zstd::bulk::Decompressor::new().ok();
        }
        self.zstd.as_mut()?.decompress_to_buffer(&self.read, &mut self.ordered[..]).ok()
    }

    #[cfg(not(feature = "zstd"))]
    fn decompress(&mut self) -> Option<usize> {
        None
    }
}

/// A weight in bytes.
#[derive(Clone, Debug)]
struct ChunkBytes;

impl Weighter<u64, Chunk> for ChunkBytes {
    fn weight(&self, _: &u64, chunk: &Chunk) -> u64 {
        // Including the table's memory for an entry.
        size_of_val(&**chunk) as u64 + 64
    }
}

/// The chunks in memory, of all files.
#[derive(Debug)]
pub(super) struct Chunks {
    cache: Cache<u64, Chunk, ChunkBytes, FxBuildHasher>,
    serial: AtomicU64,
    has_failed: AtomicBool,
    failure: Mutex<Option<BuildError>>,
    /// Chunks read from disk, and their bytes in memory.
    loads: [AtomicU64; 2],
}

/// The least memory for chunks: with less the same chunks would be read repeatedly.
pub(super) const LEAST: u64 = 4 << 20;

impl Chunks {
    pub(super) fn new() -> Chunks {
        Chunks {
            cache: Cache::with(
                1 << 10,
                LEAST,
                ChunkBytes,
                FxBuildHasher,
                DefaultLifecycle::default(),
            ),
            serial: AtomicU64::new(0),
            has_failed: AtomicBool::new(false),
            failure: Mutex::new(None),
            loads: [const { AtomicU64::new(0) }; 2],
        }
    }

    /// The memory that chunks may take, in bytes.
    pub(super) fn set_budget(&self, bytes: u64) {
        self.cache.set_capacity(bytes.max(LEAST));
    }

    /// A number that no other file has.
    fn serial(&self) -> u64 {
        self.serial.fetch_add(1, Ordering::Relaxed)
    }

    /// Chunks read from disk so far, and their bytes in memory.
    pub(super) fn loads(&self) -> (u64, u64) {
        let [chunks, bytes] = &self.loads;
        (chunks.load(Ordering::Relaxed), bytes.load(Ordering::Relaxed))
    }

    /// Whether a chunk could not be read: then the results are invalid.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Why a chunk could not be read, if one could not.
    pub(super) fn failure(&self) -> Result<(), BuildError> {
        self.has_failed.store(false, Ordering::Relaxed);
        self.failure.lock().take().map_or(Ok(()), Err)
    }
}

/// A part of a unit in a file: a list of values, mostly on disk.
#[derive(Debug)]
pub(super) struct Filed {
    pub file: Arc<Source>,
    pub unit: usize,
    /// The first chunk, of those of the unit.
    pub start: usize,
    pub kind: Kind,
    /// Bytes of all values.
    pub bytes: u64,
    /// The key of the first chunk.
    key: u64,
}

/// A file of chunks.
#[derive(Debug)]
pub(super) struct Source {
    file: DataFile,
    /// By unit; `None` if it is not there.
    units: Vec<Option<ChunkPlaces>>,
    serial: u64,
    chunks: Arc<Chunks>,
}

impl Source {
    pub(super) fn new(
        file: DataFile,
        units: Vec<Option<ChunkPlaces>>,
        chunks: &Arc<Chunks>,
    ) -> Source {
        Source { file, units, serial: chunks.serial(), chunks: Arc::clone(chunks) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.file.path
    }

    /// Why a chunk could not be read, of this or another file, if one could not.
    pub(super) fn failure(&self) -> Result<(), BuildError> {
        if self.chunks.has_failed() { self.chunks.failure() } else { Ok(()) }
    }

    /// Visits every unit.
    pub(super) fn verify(
        &self,
        mut each: impl FnMut(&DataFile, &ChunkPlaces) -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        self.units.iter().rev().flatten().try_for_each(|places| each(&self.file, places))
    }

    /// Reads a chunk of a unit into memory of its length.
    pub(super) fn read(
        &self,
        unit: usize,
        number: usize,
        kind: Kind,
        out: &mut [u8],
        decoder: &mut Decoder,
    ) -> Result<(), BuildError> {
        let Some(places) = &self.units[unit] else {
            let reason = format!("unit {unit} is not there");
            return Err(BuildError::Damaged { file: self.file.path.clone(), reason });
        };
        decoder.decode(&self.file, places, number, kind, out)
    }
}

impl Filed {
    pub(super) fn new(
        file: &Arc<Source>,
        unit: usize,
        start: usize,
        kind: Kind,
        bytes: u64,
    ) -> Filed {
        let first = file.units[unit].as_ref().map_or(0, |places| places.first);
        let key = file.serial << 40 | (first + start as u64);
        Filed { file: Arc::clone(file), unit, start, kind, bytes, key }
    }

    fn size(&self, number: usize) -> usize {
        (self.bytes - (number * CHUNK) as u64).min(CHUNK as u64) as usize
    }

    /// Reads a chunk, unless it is in memory.
    #[cold]
    #[inline(never)]
    fn get(&self, number: usize, key: u64, decoder: &mut Decoder) -> Chunk {
        let chunks = &self.file.chunks;
        let load = || {
            let size = self.size(number);
            let mut chunk: Chunk = std::iter::repeat_n(0, size.div_ceil(8)).collect();
            if let Some(chunk) = Arc::get_mut(&mut chunk) {
                let bytes = &mut bytemuck::cast_slice_mut(chunk)[..size];
                self.file.read(self.unit, self.start + number, self.kind, bytes, decoder)?;
            }
            chunks.loads[0].fetch_add(1, Ordering::Relaxed);
            chunks.loads[1].fetch_add(size as u64, Ordering::Relaxed);
            Ok(chunk)
        };
        match chunks.cache.get_or_insert_with(&key, load) {
            Ok(chunk) => chunk,
            Err(error) => {
                // Solving continues with zeros, and looks for failures afterwards.
                chunks.failure.lock().get_or_insert(error);
                chunks.has_failed.store(true, Ordering::Relaxed);
                std::iter::repeat_n(0, CHUNK / 8).collect()
            }
        }
    }
}

/// The chunks that a thread used last.
pub(super) struct Near {
    slots: Vec<(u64, Chunk)>,
    shift: u32,
    decoder: Decoder,
}

/// Number of slots by default.
const SLOTS: usize = 256;

impl Default for Near {
    fn default() -> Near {
        Near::of_size(SLOTS)
    }
}

impl Near {
    /// Remembers up to this many chunks, a power of two from 2 on.
    pub(super) fn of_size(slots: usize) -> Near {
        let none: Chunk = Arc::new([]);
        let slots = vec![(u64::MAX, none); slots];
        Near { shift: 64 - slots.len().ilog2(), slots, decoder: Decoder::default() }
    }

    /// The words of a chunk of a part.
    #[inline(always)]
    pub(super) fn chunk(&mut self, filed: &Filed, number: usize) -> &[u64] {
        let key = filed.key + number as u64;
        // Fibonacci hashing.
        let slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize;
        let slot = &mut self.slots[slot];
        if slot.0 != key {
            *slot = (key, filed.get(number, key, &mut self.decoder));
        }
        &slot.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::random::Random;

    #[test]
    fn chunks_come_back() {
        let mut random = Random::new(41);
        let dir = tempfile::tempdir().unwrap();
        for (kind, rows, noise) in [
            (Kind::Words, CHUNK / 32, 3),
            (Kind::Words, 7, u64::MAX),
            (Kind::Plain, CHUNK / 32, 0),
            (Kind::Plain, 1, u64::MAX),
        ] {
            let words: Vec<u64> = (0..4 * rows).map(|_| random.next_u64() & noise).collect();
            let bytes: &[u8] = bytemuck::cast_slice(&words);
            let encoded = Encoder::default().encode(kind, bytes);
            let path = dir.path().join("chunk");
            std::fs::write(&path, &encoded).unwrap();
            let file = DataFile::open(path.clone()).unwrap();
            let mut places = ChunkPlaces {
                first: 0,
                offsets: vec![0, encoded.len() as u64],
                sums: vec![crc32fast::hash(&encoded)],
            };
            let mut found = vec![0u64; words.len()];
            let out = bytemuck::cast_slice_mut(&mut found);
            Decoder::default().decode(&file, &places, 0, kind, out).unwrap();
            assert!(found == words, "{kind:?}");
            places.sums[0] ^= 1;
            let out = bytemuck::cast_slice_mut(&mut found);
            let error = Decoder::default().decode(&file, &places, 0, kind, out).unwrap_err();
            assert!(error.to_string().contains("checksum"), "{error}");
        }
    }
}
