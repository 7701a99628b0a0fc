//! Work files: solved slices on disk.
//!
//! `work/2110.raw` holds a heading and the units from the last to the first, as they are solved.
//! While its slice is solved it is called `2110.part` and grows unit by unit: a later build
//! continues with it. A unit consists of chunks (`chunks`), and before them of their lengths and
//! checksums, which are written last: they say that the unit is whole. A work file is meant for the
//! machine that made it: numbers are in its byte order.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytemuck::Pod;
use rayon::prelude::*;

use super::chunks::{CHUNK, ChunkPlaces, Chunks, Decoder, Encoder, Filed, Kind, Source};
use super::error::BuildError;
use super::men::MenSets;
use super::store::{DistanceKinds, Plane, SolvedUnit, ValueStore};
use egdb::huge_pages;
use egdb::slice::Slice;
use egdb::storage::DataFile;

const MAGIC: [u8; 8] = *b"MEERWRK2";
const HEADING: usize = 32;
/// The byte order is part of the heading.
const ORDER: u32 = 0x0102_0304;
/// Bytes of a unit's list without its entries: the unit, their number, the bytes of all chunks;
/// after the entries a checksum and four zeros.
const LIST: u64 = 16 + 8;
/// Chunks compressed before they are written.
const BATCH: usize = 256;
/// Bytes after which writes are flushed to the disk.
const SYNC: u64 = 64 << 20;

/// The work file of a slice.
pub(super) fn path(dir: &Path, slice: Slice) -> PathBuf {
    dir.join(format!("{slice}.raw"))
}

/// The work file of a slice that is being solved.
pub(super) fn part_path(dir: &Path, slice: Slice) -> PathBuf {
    dir.join(format!("{slice}.part"))
}

fn heading(slice: Slice, metrics: DistanceKinds) -> [u8; HEADING] {
    let mut bytes = [0; HEADING];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&ORDER.to_ne_bytes());
    bytes[12..16].copy_from_slice(&[
        slice.black_men(),
        slice.black_kings(),
        slice.white_men(),
        slice.white_kings(),
    ]);
    bytes[16] = u8::from(metrics.dtw) | u8::from(metrics.mtc) << 1 | u8::from(metrics.rules) << 2;
    let sum = crc32fast::hash(&bytes[..HEADING - 4]);
    bytes[HEADING - 4..].copy_from_slice(&sum.to_ne_bytes());
    bytes
}

/// The parts of a unit in their order in the file: words, distances to the end and to conversion,
/// cells; each with its bytes in memory.
fn parts(store: &ValueStore, unit: usize, metrics: DistanceKinds) -> [(Kind, u64); 4] {
    let bytes = |dtw, mtc| store.unit_bytes(unit, DistanceKinds { dtw, mtc, ..metrics });
    let plain = bytes(false, false);
    let (words, cells) = if store.rows.is_some() { (plain, 0) } else { (0, plain) };
    // A slice without kings has its distances in its cells only.
    let dtw = if metrics.dtw { bytes(true, false) - plain } else { 0 };
    let mtc = if metrics.mtc { bytes(false, true) - plain } else { 0 };
    [(Kind::Words, words), (Kind::Plain, dtw), (Kind::Plain, mtc), (Kind::Plain, cells)]
}

fn chunk_count(parts: &[(Kind, u64); 4]) -> usize {
    parts.iter().map(|(_, bytes)| bytes.div_ceil(CHUNK as u64) as usize).sum()
}

/// Bytes of all units of a slice before they are compressed.
pub(super) fn plain_bytes(store: &ValueStore, metrics: DistanceKinds) -> u64 {
    (0..store.units.len()).map(|unit| store.unit_bytes(unit, metrics)).sum()
}

/// The contents of a work file.
struct RawContents {
    /// By unit.
    units: Vec<Option<ChunkPlaces>>,
    /// Units missing.
    left: usize,
    /// The end of the last complete unit.
    end: u64,
    /// Number of chunks.
    chunks: u64,
}

impl RawContents {
    fn new(store: &ValueStore) -> RawContents {
        let units = (0..store.units.len()).map(|_| None).collect();
        RawContents { units, left: store.units.len(), end: HEADING as u64, chunks: 0 }
    }

    /// Reads the lists of the complete units and ignores what follows them.
    fn read(
        file: &DataFile,
        store: &ValueStore,
        metrics: DistanceKinds,
    ) -> io::Result<RawContents> {
        let mut contents = RawContents::new(store);
        while let Some(unit) = contents.left.checked_sub(1) {
            let count = chunk_count(&parts(store, unit, metrics));
            let length = LIST + 8 * count as u64;
            if contents.end + length > file.len {
                break;
            }
            let mut list = vec![0u32; length as usize / 4];
            file.read_at(contents.end, bytemuck::cast_slice_mut(&mut list))?;
            let (content, sum) = list.split_at(list.len() - 2);
            let mut at = contents.end + length;
            let mut places =
                ChunkPlaces { first: contents.chunks, offsets: vec![at], sums: Vec::new() };
            for entry in content[4..].chunks_exact(2) {
                at += u64::from(entry[0]);
                places.offsets.push(at);
                places.sums.push(entry[1]);
            }
            let is_sound = content[..2] == [unit as u32, count as u32]
                && sum == [crc32fast::hash(bytemuck::cast_slice(content)), 0];
            if !is_sound || at > file.len {
                break;
            }
            contents.add(unit, places, at);
        }
        Ok(contents)
    }

    fn add(&mut self, unit: usize, places: ChunkPlaces, end: u64) {
        self.chunks += places.sums.len() as u64;
        self.end = end;
        self.left = unit;
        self.units[unit] = Some(places);
    }
}

/// Compares chunks of a unit with their checksums, on all threads of the pool.
fn verify(
    file: &DataFile,
    places: &ChunkPlaces,
    keep_going: &dyn Fn() -> bool,
) -> Result<(), BuildError> {
    let io = |source| BuildError::Io { file: file.path.clone(), source };
    let numbers: Vec<usize> = (0..places.sums.len()).collect();
    for batch in numbers.chunks(64 * BATCH) {
        if !keep_going() {
            return Err(BuildError::Interrupted);
        }
        batch.par_iter().with_min_len(BATCH).try_for_each_init(Vec::new, |bytes, &number| {
            let from = places.offsets[number];
            bytes.resize((places.offsets[number + 1] - from) as usize, 0);
            file.read_at(from, bytes).map_err(io)?;
            if crc32fast::hash(bytes) != places.sums[number] {
                let reason = format!("wrong checksum of the chunk at byte {from}");
                return Err(BuildError::Damaged { file: file.path.clone(), reason });
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Reads a unit into memory, on all threads of the pool, with the distances that are wanted.
fn load(
    read: impl Fn(usize, Kind, &mut [u8], &mut Decoder) -> Result<(), BuildError> + Sync,
    store: &ValueStore,
    unit: usize,
    metrics: DistanceKinds,
    wanted: DistanceKinds,
) -> Result<SolvedUnit, BuildError> {
    let parts = parts(store, unit, metrics);
    let start = |part: usize| chunk_count(&parts) - chunk_count_from(&parts, part);
    fn plane<T: Pod + Send>(
        zero: T,
        (kind, bytes): (Kind, u64),
        start: usize,
        read: impl Fn(usize, Kind, &mut [u8], &mut Decoder) -> Result<(), BuildError> + Sync,
    ) -> Result<Plane<T>, BuildError> {
        let mut list = vec![zero; bytes as usize / size_of::<T>()];
        huge_pages::advise(&mut list);
        let out: &mut [u8] = bytemuck::cast_slice_mut(&mut list);
        out.par_chunks_mut(CHUNK)
            .enumerate()
            .with_min_len(16)
            .try_for_each_init(Decoder::default, |decoder, (number, out)| {
                read(start + number, kind, out, decoder)
            })?;
        Ok(Plane::Held(list))
    }
    Ok(SolvedUnit {
        words: plane([0; 4], parts[0], start(0), &read)?,
        dtw: match wanted.dtw {
            true => plane([[0; 64]; 2], parts[1], start(1), &read)?,
            false => Plane::default(),
        },
        mtc: match wanted.mtc {
            true => plane([[0; 64]; 2], parts[2], start(2), &read)?,
            false => Plane::default(),
        },
        cells: plane([0; 2], parts[3], start(3), &read)?,
        is_stopped: false,
    })
}

/// Chunks of this part and of those after it.
fn chunk_count_from(parts: &[(Kind, u64); 4], part: usize) -> usize {
    parts[part..].iter().map(|(_, bytes)| bytes.div_ceil(CHUNK as u64) as usize).sum()
}

/// A work file being written, unit by unit.
pub(super) struct RawWriter {
    file: File,
    dir: PathBuf,
    path: PathBuf,
    contents: RawContents,
    metrics: DistanceKinds,
    /// Bytes written since the last flush to the disk.
    unsure: u64,
}

impl RawWriter {
    /// Continues with an intact file, or begins.
    pub(super) fn open(
        dir: &Path,
        store: &ValueStore,
        metrics: DistanceKinds,
        keep_going: &dyn Fn() -> bool,
    ) -> Result<RawWriter, BuildError> {
        let path = part_path(dir, store.slice);
        let io = |source| BuildError::Io { file: path.clone(), source };
        let heading = heading(store.slice, metrics);
        let mut contents = RawContents::new(store);
        match DataFile::open(path.clone()) {
            Ok(file) => {
                let mut head = [0; HEADING];
                file.read_at(0, &mut head).map_err(io)?;
                if head == heading {
                    let found = RawContents::read(&file, store, metrics).map_err(io)?;
                    for (unit, places) in found.units.into_iter().enumerate().rev() {
                        let Some(places) = places else { break };
                        match verify(&file, &places, keep_going) {
                            Err(BuildError::Damaged { .. }) => break,
                            other => other?,
                        }
                        let end = places.offsets[places.sums.len()];
                        contents.add(unit, places, end);
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(io(source)),
        }
        let mut options = OpenOptions::new();
        let mut file = options.create(true).truncate(false).write(true).open(&path).map_err(io)?;
        file.set_len(if contents.left < store.units.len() { contents.end } else { 0 })
            .map_err(io)?;
        file.write_all(&heading).map_err(io)?;
        Ok(RawWriter { file, dir: dir.to_owned(), path, contents, metrics, unsure: 0 })
    }

    /// The number of units missing: those below this one.
    pub(super) fn left(&self) -> usize {
        self.contents.left
    }

    /// Length of the file in bytes.
    pub(super) fn len(&self) -> u64 {
        self.contents.end
    }

    /// Adds the next lower unit.
    pub(super) fn add(&mut self, solved: &SolvedUnit) -> Result<(), BuildError> {
        let unit = self.contents.left - 1;
        let start = self.contents.end;
        let RawWriter { file, path, contents, .. } = self;
        let io = |source| BuildError::Io { file: path.clone(), source };
        let parts: [(Kind, &[u8]); 4] = [
            (Kind::Words, bytemuck::cast_slice(solved.words.held())),
            (Kind::Plain, bytemuck::cast_slice(solved.dtw.held())),
            (Kind::Plain, bytemuck::cast_slice(solved.mtc.held())),
            (Kind::Plain, bytemuck::cast_slice(solved.cells.held())),
        ];
        let chunks: Vec<(Kind, &[u8])> = parts
            .iter()
            .flat_map(|&(kind, bytes)| bytes.chunks(CHUNK).map(move |chunk| (kind, chunk)))
            .collect();
        let mut list = vec![unit as u32, chunks.len() as u32, 0, 0];
        let length = LIST + 8 * chunks.len() as u64;
        let mut at = start + length;
        let mut places =
            ChunkPlaces { first: contents.chunks, offsets: vec![at], sums: Vec::new() };
        file.seek(SeekFrom::Start(at)).map_err(io)?;
        let mut out = BufWriter::with_capacity(1 << 20, &mut *file);
        for batch in chunks.chunks(BATCH) {
            let encoded = batch.par_iter().with_min_len(16);
            let encoded: Vec<(Vec<u8>, u32)> = encoded
                .map_init(Encoder::default, |encoder, &(kind, chunk)| {
                    let bytes = encoder.encode(kind, chunk);
                    let sum = crc32fast::hash(&bytes);
                    (bytes, sum)
                })
                .collect();
            for (bytes, sum) in encoded {
                out.write_all(&bytes).map_err(io)?;
                at += bytes.len() as u64;
                list.extend([bytes.len() as u32, sum]);
                places.offsets.push(at);
                places.sums.push(sum);
            }
        }
        out.flush().map_err(io)?;
        drop(out);
        let bytes = at - start - length;
        list[2] = bytes as u32;
        list[3] = (bytes >> 32) as u32;
        list.extend([crc32fast::hash(bytemuck::cast_slice(&list)), 0]);
        self.unsure += at - start;
        if self.unsure >= SYNC {
            file.sync_data().map_err(io)?;
            self.unsure = 0;
        }
        file.seek(SeekFrom::Start(start)).map_err(io)?;
        file.write_all(bytemuck::cast_slice(&list)).map_err(io)?;
        contents.add(unit, places, at);
        Ok(())
    }

    /// Reads back a unit of the file, without distances to conversion.
    pub(super) fn load(&self, store: &ValueStore, unit: usize) -> Result<SolvedUnit, BuildError> {
        let io = |source| BuildError::Io { file: self.path.clone(), source };
        let file = DataFile::open(self.path.clone()).map_err(io)?;
        let places = self.contents.units[unit].as_ref().ok_or_else(|| BuildError::Damaged {
            file: self.path.clone(),
            reason: format!("unit {unit} is not there"),
        })?;
        let read = |number, kind, out: &mut [u8], decoder: &mut Decoder| {
            decoder.decode(&file, places, number, kind, out)
        };
        load(read, store, unit, self.metrics, self.metrics.kept())
    }

    /// Gives the complete file its name.
    pub(super) fn finish(self, slice: Slice) -> Result<(), BuildError> {
        let RawWriter { file, dir, path: part, .. } = self;
        let path = path(&dir, slice);
        file.sync_data().map_err(|source| BuildError::Io { file: part.clone(), source })?;
        // Windows does not rename open files.
        drop(file);
        fs::rename(&part, &path).map_err(|source| BuildError::Io { file: path, source })
    }
}

/// A complete work file.
#[derive(Debug)]
pub(super) struct RawFile {
    source: Arc<Source>,
    /// The slice; its values are read on demand.
    pub store: Arc<ValueStore>,
    pub metrics: DistanceKinds,
}

impl RawFile {
    /// Opens the work file of a slice; `None` if there is none. Checks the heading and the lists,
    /// not the contents. With `with_dtw` values are distances to the end, if the file has them.
    pub(super) fn open(
        dir: &Path,
        sets: &[Arc<MenSets>; 6],
        slice: Slice,
        with_dtw: bool,
        chunks: &Arc<Chunks>,
    ) -> Result<Option<RawFile>, BuildError> {
        let path = path(dir, slice);
        let io = |source| BuildError::Io { file: path.clone(), source };
        let file = match DataFile::open(path.clone()) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(io(source)),
        };
        let damaged =
            |reason: &str| BuildError::Damaged { file: path.clone(), reason: reason.into() };
        let mut head = [0; HEADING];
        file.read_at(0, &mut head).map_err(io)?;
        let has = |bit: u8| head[16] & bit != 0;
        let metrics = DistanceKinds { dtw: has(1), mtc: has(2), rules: has(4) };
        if head != heading(slice, metrics) {
            return Err(damaged("not a work file of this slice, of this version and byte order"));
        }
        let wanted = DistanceKinds { dtw: with_dtw && metrics.dtw, ..metrics };
        let mut store = ValueStore::new(sets, slice, wanted);
        let RawContents { units, left, end, .. } =
            RawContents::read(&file, &store, metrics).map_err(io)?;
        if left > 0 || end != file.len {
            return Err(damaged("wrong length, or a wrong list of chunks"));
        }
        let source = Arc::new(Source::new(file, units, chunks));
        for unit in 0..store.units.len() {
            let parts = parts(&store, unit, metrics);
            let filed = |part: usize| {
                let start = chunk_count(&parts) - chunk_count_from(&parts, part);
                let (kind, bytes) = parts[part];
                Filed::new(&source, unit, start, kind, bytes)
            };
            store.solved[unit] = Arc::new(SolvedUnit {
                words: Plane::Filed(filed(0)),
                dtw: Plane::Filed(filed(1)),
                mtc: Plane::Filed(filed(2)),
                cells: Plane::Filed(filed(3)),
                is_stopped: false,
            });
        }
        Ok(Some(RawFile { source, store: Arc::new(store), metrics }))
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        self.source.path()
    }

    /// Why a chunk could not be read, if one could not.
    pub(super) fn failure(&self) -> Result<(), BuildError> {
        self.source.failure()
    }

    /// Compares the contents with the checksums, on all threads of the pool. `keep_going` is called from
    /// time to time.
    pub(super) fn verify(&self, keep_going: &dyn Fn() -> bool) -> Result<(), BuildError> {
        self.source.verify(|file, places| verify(file, places, keep_going))
    }
}
