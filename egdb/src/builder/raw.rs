//! Work files: a solved slice on disk, as it is in memory.
//!
//! `work/2110.raw` holds a heading, the levels from the last to the first (the order in which
//! they are solved), and the CRC-32 of the heading and of every part. It gets its name when it is
//! complete, so what is on disk is either whole or damaged later, which the checksums show.
//! A work file is meant for the machine that made it: numbers are in its byte order.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(feature = "mmap")]
use std::sync::OnceLock;

use bytemuck::Pod;

use super::error::BuildError;
use super::men::MenSets;
use super::store::{Code, Distances, Metrics, Plane, SolvedLevel, Store, Words};
use crate::slice::Slice;
#[cfg(feature = "mmap")]
use crate::storage::MemoryMap;
use crate::storage::{DataFile, Existing, NewFile};

const MAGIC: [u8; 8] = *b"MEERWRK1";
const HEADING: u64 = 24;
/// The byte order is part of the heading.
const ORDER: u32 = 0x0102_0304;

/// The work file of a slice.
pub(super) fn path(dir: &Path, slice: Slice) -> PathBuf {
    dir.join(format!("{slice}.raw"))
}

fn heading(slice: Slice, metrics: Metrics) -> [u8; HEADING as usize] {
    let mut bytes = [0; HEADING as usize];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&ORDER.to_ne_bytes());
    bytes[12..16].copy_from_slice(&[
        slice.black_men(),
        slice.black_kings(),
        slice.white_men(),
        slice.white_kings(),
    ]);
    bytes[16] = u8::from(metrics.dtw) | u8::from(metrics.mtc) << 1;
    bytes
}

/// The parts of a level in their order in the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Words,
    Dtw,
    Mtc,
    Cells,
}

/// Where everything is in the file.
#[derive(Debug)]
struct Plan {
    /// Offset and length in bytes, by level and part.
    parts: Vec<[(u64, u64); 4]>,
    end: u64,
}

impl Plan {
    fn new(store: &Store, metrics: Metrics) -> Plan {
        let mut at = HEADING;
        let mut parts = vec![[(0, 0); 4]; store.levels.len()];
        for level in (0..store.levels.len()).rev() {
            let blocks = store.levels.size(level) as u64;
            let lengths = match store.rows {
                Some(rows) => {
                    let rows = blocks * rows.count() as u64;
                    let distances = rows * size_of::<Distances>() as u64;
                    let of = |is_wanted| if is_wanted { distances } else { 0 };
                    [rows * size_of::<Words>() as u64, of(metrics.dtw), of(metrics.mtc), 0]
                }
                None => [0, 0, 0, blocks * size_of::<[Code; 2]>() as u64],
            };
            for (part, length) in parts[level].iter_mut().zip(lengths) {
                *part = (at, length);
                at += length;
            }
        }
        Plan { parts, end: at }
    }

    /// Number of checksums: of the heading and of every part.
    fn sums(&self) -> usize {
        1 + 4 * self.parts.len()
    }

    /// Length of the file, with the checksums and their own one.
    fn length(&self) -> u64 {
        self.end + 4 * (self.sums() as u64 + 1)
    }
}

/// Length of the work file of a slice in bytes.
pub(super) fn length(store: &Store, metrics: Metrics) -> u64 {
    Plan::new(store, metrics).length()
}

/// A work file being written, level by level.
pub(super) struct RawWriter {
    file: NewFile,
    path: PathBuf,
    sums: Vec<u32>,
}

impl RawWriter {
    pub(super) fn create(
        dir: &Path,
        slice: Slice,
        metrics: Metrics,
    ) -> Result<RawWriter, BuildError> {
        let path = path(dir, slice);
        let mut writer = match NewFile::create(&path, Existing::Replace) {
            Ok(file) => RawWriter { file, path, sums: Vec::new() },
            Err(source) => return Err(BuildError::Io { file: path, source }),
        };
        writer.part(&heading(slice, metrics))?;
        Ok(writer)
    }

    fn part(&mut self, bytes: &[u8]) -> Result<(), BuildError> {
        let io = |source| BuildError::Io { file: self.path.clone(), source };
        self.file.write_all(bytes).map_err(io)?;
        self.sums.push(crc32fast::hash(bytes));
        Ok(())
    }

    /// Adds the next lower level.
    pub(super) fn add(&mut self, level: &SolvedLevel) -> Result<(), BuildError> {
        self.part(bytemuck::cast_slice(&level.words))?;
        self.part(bytemuck::cast_slice(&level.dtw))?;
        self.part(bytemuck::cast_slice(&level.mtc))?;
        self.part(bytemuck::cast_slice(&level.cells))
    }

    /// Completes the file and gives it its name.
    pub(super) fn finish(mut self) -> Result<(), BuildError> {
        let sums = std::mem::take(&mut self.sums);
        self.part(bytemuck::cast_slice(&sums))?;
        // The checksum of the checksums.
        let last = self.sums[0];
        self.part(&last.to_ne_bytes())?;
        self.file.finish().map_err(|source| BuildError::Io { file: self.path, source })
    }
}

/// A work file as long as a real one, with a hole where the levels would be.
#[cfg(test)]
pub(super) fn write_hollow(dir: &Path, sets: &[Arc<MenSets>; 6], slice: Slice, metrics: Metrics) {
    use std::io::{Seek, SeekFrom};

    let plan = Plan::new(&Store::new(sets, slice, metrics.dtw), metrics);
    let heading = heading(slice, metrics);
    let mut sums = vec![0; plan.sums()];
    sums[0] = crc32fast::hash(&heading);
    sums.push(crc32fast::hash(bytemuck::cast_slice(&sums)));
    let mut file = std::fs::File::create(path(dir, slice)).unwrap();
    file.write_all(&heading).unwrap();
    file.seek(SeekFrom::Start(plan.end)).unwrap();
    file.write_all(bytemuck::cast_slice(&sums)).unwrap();
}

/// A complete work file.
#[derive(Debug)]
pub(super) struct RawFile {
    file: DataFile,
    plan: Plan,
    sums: Vec<u32>,
    /// The file in memory, once it was wanted there.
    #[cfg(feature = "mmap")]
    map: OnceLock<Arc<MemoryMap>>,
    /// The parts, by level, that have been compared with their checksums for the map.
    #[cfg(feature = "mmap")]
    sound: Vec<OnceLock<()>>,
    /// The numbering of the slice; it holds no levels.
    pub store: Store,
    pub metrics: Metrics,
}

impl RawFile {
    /// Opens the work file of a slice; `None` if there is none. Checks the heading and the
    /// length, not the contents.
    pub(super) fn open(
        dir: &Path,
        sets: &[Arc<MenSets>; 6],
        slice: Slice,
    ) -> Result<Option<RawFile>, BuildError> {
        let path = path(dir, slice);
        let file = match DataFile::open(path.clone()) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(BuildError::Io { file: path, source }),
        };
        let damaged =
            |reason: &str| BuildError::Damaged { file: path.clone(), reason: reason.into() };
        let mut head = [0; HEADING as usize];
        let io = |source| BuildError::Io { file: path.clone(), source };
        file.read_at(0, &mut head).map_err(io)?;
        let metrics = Metrics { dtw: head[16] & 1 != 0, mtc: head[16] & 2 != 0 };
        if head != heading(slice, metrics) {
            return Err(damaged("not a work file of this slice, or of another byte order"));
        }
        let store = Store::new(sets, slice, metrics.dtw);
        let plan = Plan::new(&store, metrics);
        if file.len != plan.length() {
            return Err(damaged("wrong length"));
        }
        let mut tail = vec![0u32; plan.sums() + 1];
        file.read_at(plan.end, bytemuck::cast_slice_mut(&mut tail)).map_err(io)?;
        let total = tail.pop();
        if total != Some(crc32fast::hash(bytemuck::cast_slice(&tail)))
            || tail[0] != crc32fast::hash(&head)
        {
            return Err(damaged("wrong checksum of the heading or of the checksums"));
        }
        Ok(Some(RawFile::new(file, plan, tail, store, metrics)))
    }

    fn new(file: DataFile, plan: Plan, sums: Vec<u32>, store: Store, metrics: Metrics) -> RawFile {
        #[cfg(feature = "mmap")]
        let sound = vec![OnceLock::new(); 4 * plan.parts.len()];
        RawFile {
            file,
            plan,
            sums,
            #[cfg(feature = "mmap")]
            map: OnceLock::new(),
            #[cfg(feature = "mmap")]
            sound,
            store,
            metrics,
        }
    }

    fn part(&self, level: usize, part: Part, bytes: &mut [u8]) -> Result<(), BuildError> {
        let (at, length) = self.plan.parts[level][part as usize];
        debug_assert_eq!(length, bytes.len() as u64);
        self.read(at, bytes)?;
        self.compare(level, part, crc32fast::hash(bytes))
    }

    /// Reads a level, its distances to the end if they are asked for and there, never those to
    /// conversion.
    pub(super) fn level(&self, level: usize, with_dtw: bool) -> Result<SolvedLevel, BuildError> {
        Ok(SolvedLevel {
            words: self.held(level, Part::Words, [0; 4])?,
            dtw: if with_dtw {
                self.held(level, Part::Dtw, [[0; 64]; 2])?
            } else {
                Plane::default()
            },
            mtc: Plane::default(),
            cells: self.held(level, Part::Cells, [0; 2])?,
        })
    }

    fn held<T: Pod>(&self, level: usize, part: Part, zero: T) -> Result<Plane<T>, BuildError> {
        let (_, length) = self.plan.parts[level][part as usize];
        let mut list = vec![zero; length as usize / size_of::<T>()];
        self.part(level, part, bytemuck::cast_slice_mut(&mut list))?;
        Ok(Plane::Held(list))
    }

    /// As [`RawFile::level`], but the values stay in the file, which is mapped into memory. The
    /// checksums are compared as there, the first time.
    #[cfg(feature = "mmap")]
    pub(super) fn mapped_level(
        &self,
        level: usize,
        with_dtw: bool,
    ) -> Result<SolvedLevel, BuildError> {
        let map = match self.map.get() {
            Some(map) => map,
            None => {
                let io = |source| BuildError::Io { file: self.file.path.clone(), source };
                let file = DataFile::open(self.file.path.clone()).map_err(io)?;
                let map = MemoryMap::new(vec![file]).map_err(|(_, source)| io(source))?;
                self.map.get_or_init(|| Arc::new(map))
            }
        };
        Ok(SolvedLevel {
            words: self.mapped(map, level, Part::Words)?,
            dtw: if with_dtw { self.mapped(map, level, Part::Dtw)? } else { Plane::default() },
            mtc: Plane::default(),
            cells: self.mapped(map, level, Part::Cells)?,
        })
    }

    #[cfg(feature = "mmap")]
    fn mapped<T: Pod>(
        &self,
        map: &Arc<MemoryMap>,
        level: usize,
        part: Part,
    ) -> Result<Plane<T>, BuildError> {
        let sound = &self.sound[4 * level + part as usize];
        if sound.get().is_none() {
            self.verify_part(level, part, &|| true)?;
            sound.get_or_init(|| ());
        }
        let (start, length) = self.plan.parts[level][part as usize];
        let (start, length) = (start as usize, length as usize);
        Ok(Plane::Mapped { map: Arc::clone(map), start, length })
    }

    /// The same file with the values of a slice without kings in memory.
    pub(super) fn with_cells(&self) -> Result<RawFile, BuildError> {
        let mut store = self.store.emptied();
        for level in 0..store.levels.len() {
            store.solved[level] = Arc::new(self.level(level, false)?);
        }
        let path = self.file.path.clone();
        let file =
            DataFile::open(path.clone()).map_err(|source| BuildError::Io { file: path, source })?;
        let plan = Plan::new(&store, self.metrics);
        Ok(RawFile::new(file, plan, self.sums.clone(), store, self.metrics))
    }

    /// Bytes of a level in memory.
    pub(super) fn level_bytes(&self, level: usize, with_dtw: bool) -> u64 {
        let [words, dtw, _, cells] = self.plan.parts[level].map(|(_, length)| length);
        words + cells + if with_dtw { dtw } else { 0 }
    }

    /// Reads rows of a level from a first one on. The bytes are not checked: the checksums are of
    /// whole levels.
    pub(super) fn words(
        &self,
        level: usize,
        row: usize,
        out: &mut [Words],
    ) -> Result<(), BuildError> {
        self.rows_at(level, row, Part::Words, size_of::<Words>(), bytemuck::cast_slice_mut(out))
    }

    /// As [`RawFile::words`], distances to the end of the game, or to conversion.
    pub(super) fn distances(
        &self,
        level: usize,
        row: usize,
        is_mtc: bool,
        out: &mut [Distances],
    ) -> Result<(), BuildError> {
        let part = if is_mtc { Part::Mtc } else { Part::Dtw };
        self.rows_at(level, row, part, size_of::<Distances>(), bytemuck::cast_slice_mut(out))
    }

    fn rows_at(
        &self,
        level: usize,
        row: usize,
        part: Part,
        size: usize,
        out: &mut [u8],
    ) -> Result<(), BuildError> {
        let (start, _) = self.plan.parts[level][part as usize];
        self.read(start + (row * size) as u64, out)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), BuildError> {
        let error = |source| BuildError::Io { file: self.file.path.clone(), source };
        self.file.read_at(offset, out).map_err(error)
    }

    /// Compares the contents with the checksums. `go_on` is asked now and then.
    pub(super) fn verify(&self, go_on: &dyn Fn() -> bool) -> Result<(), BuildError> {
        for level in (0..self.plan.parts.len()).rev() {
            for part in [Part::Words, Part::Dtw, Part::Mtc, Part::Cells] {
                self.verify_part(level, part, go_on)?;
            }
        }
        Ok(())
    }

    fn verify_part(
        &self,
        level: usize,
        part: Part,
        go_on: &dyn Fn() -> bool,
    ) -> Result<(), BuildError> {
        const PIECE: u64 = 1 << 20;
        let (start, length) = self.plan.parts[level][part as usize];
        let mut buffer = vec![0; PIECE.min(length) as usize];
        let mut hasher = crc32fast::Hasher::new();
        let mut at = 0;
        while at < length {
            if !go_on() {
                return Err(BuildError::Interrupted);
            }
            let piece = &mut buffer[..PIECE.min(length - at) as usize];
            self.read(start + at, piece)?;
            hasher.update(piece);
            at += piece.len() as u64;
        }
        self.compare(level, part, hasher.finalize())
    }

    /// Compares a checksum with the one in the file.
    fn compare(&self, level: usize, part: Part, sum: u32) -> Result<(), BuildError> {
        let from_last = self.plan.parts.len() - 1 - level;
        if sum != self.sums[1 + 4 * from_last + part as usize] {
            let reason = format!("wrong checksum of level {level}");
            return Err(BuildError::Damaged { file: self.file.path.clone(), reason });
        }
        Ok(())
    }
}
