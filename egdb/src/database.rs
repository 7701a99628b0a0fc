//! Opening a directory of database files.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use meerslag_files::read_regular;
use movegen::{Board, Color, Variant};

use crate::error::{FormatError, OpenError, ProbeError};
use crate::format::compact::{CompactRecord, SingleHead};
use crate::format::dtw::DtwRecord;
use crate::format::excluded::{excludes_board, excludes_quiet};
use crate::format::text::TextIndex;
use crate::format::{DbType, compact, dtw, text};
use crate::identify::{Folder, Identity, crc32};
use crate::index::Turned;
use crate::isa::{LookupIsa, Wide, with_widest};
use crate::manifest::Manifest;
use crate::reader::Raw;
use crate::reader::coded::{CodedBuilder, CodedReader, ENTRIES, FEW_ENTRIES};
use crate::reader::compact::{CompactBuilder, CompactReader};
use crate::reader::dtw::{DtwBuilder, DtwReader};
use crate::slice::Slice;
use crate::stats::{ShardedCounters, Stats};
#[cfg(feature = "mmap")]
use crate::storage::MemoryMap;
use crate::storage::{AnyStorage, BlockCache, DataFile, Fetch, Fixed, Storage};

/// How the data files are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// Mapped into memory; the system's page cache is the cache. The files must not be changed
    /// while the database is open. Needs the feature `mmap`.
    MemoryMap,
    /// Positioned reads into a cache of `cache_mib`, for slow disks and small memory.
    BlockCache,
}

/// Options of [`Database::open`].
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// The type wanted, where a directory holds several; `None` takes what
    /// [`crate::identify::identify`] finds.
    pub db_type: Option<DbType>,
    /// Largest piece count to open, 2 or more; `None` opens all.
    pub max_pieces: Option<u8>,
    /// Memory in MiB. With the block cache: everything, except that eight blocks and the contents
    /// of the index files are always kept. With the memory map: the tables that speed up lookups.
    pub cache_mib: usize,
    /// How the files are read.
    pub backend: Backend,
    /// Compare with the side files ([`crate::manifest`]), where there are any: index files when
    /// the database is opened, blocks of data files when they are first decoded.
    pub compare: bool,
    /// The game whose files they are.
    pub variant: Variant,
}

impl Default for OpenOptions {
    fn default() -> OpenOptions {
        let backend = if cfg!(feature = "mmap") { Backend::MemoryMap } else { Backend::BlockCache };
        let variant = Variant::International;
        let (db_type, max_pieces) = (None, None);
        OpenOptions { db_type, max_pieces, cache_mib: 1024, backend, compare: true, variant }
    }
}

/// Memory in use, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Contents of the index files.
    pub index: usize,
    /// Tables computed from blocks that were touched.
    pub tables: usize,
    /// The block cache.
    pub cache: usize,
}

/// An open database. Any number of threads may look up at once. Dropping it closes it.
#[derive(Debug)]
pub struct Database {
    dir: PathBuf,
    identity: Identity,
    max_one_side: u8,
    index_memory: usize,
    backend: Backend,
    /// In the order of the data files.
    index_files: Vec<PathBuf>,
    reader: Reader,
    wide: Option<Wide>,
}

#[derive(Debug)]
pub(crate) enum Reader {
    Coded(CodedReader),
    Dtw(DtwReader),
    Compact(CompactReader),
}

/// What a lookup finds out about captures, on which it depends whether a format has the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LeftOut {
    /// Nothing: the caller knows that the position is there, or wants the number all the same.
    Nothing,
    /// The captures of the other side; the caller knows that the side to move has none.
    Threats,
    /// The captures of both sides.
    Captures,
}

/// An expression over the reader of any type.
macro_rules! any_reader {
    ($self:expr, $reader:ident => $result:expr) => {
        match $self {
            Reader::Coded($reader) => $result,
            Reader::Dtw($reader) => $result,
            Reader::Compact($reader) => $result,
        }
    };
}
pub(crate) use any_reader;

/// A pair of files to open.
struct DatabasePair {
    /// The same as `data` for a single file.
    index: PathBuf,
    data: PathBuf,
    slices: Vec<Slice>,
    pieces: u8,
}

impl DatabasePair {
    fn is_single(&self) -> bool {
        self.index == self.data
    }

    /// The bytes of its index.
    fn index_bytes(&self, file: &DataFile) -> Result<Vec<u8>, OpenError> {
        let failed = |source| OpenError::Io { file: self.index.clone(), source };
        if !self.is_single() {
            return read_regular(&self.index).map_err(failed);
        }
        let mut head = [0; SingleHead::BYTES];
        file.read_at(0, &mut head).map_err(failed)?;
        let length = SingleHead::parse(&self.index, &head)?.index_bytes;
        if u64::from(length) > file.len {
            let reason = format!("{} bytes; its index alone has {length}", file.len);
            return Err(FormatError::Data { file: self.index.clone(), reason }.into());
        }
        let mut bytes = vec![0; length as usize];
        file.read_at(0, &mut bytes).map_err(failed)?;
        Ok(bytes)
    }
}

enum Parsed {
    Text(TextIndex),
    Dtw(Vec<DtwRecord>),
    Compact(Vec<CompactRecord>),
}

impl Parsed {
    /// Reads an index file; `len` is the length of the data file.
    fn of(
        db_type: DbType,
        path: &Path,
        bytes: &[u8],
        slices: &[Slice],
        len: u64,
    ) -> Result<Parsed, OpenError> {
        Ok(match db_type {
            DbType::Dtw | DbType::Rules => {
                Parsed::Dtw(dtw::parse(path, bytes, slices, len, db_type)?)
            }
            DbType::Compact => Parsed::Compact(compact::parse(path, bytes, slices, len)?),
            _ => Parsed::Text(text::parse(path, bytes, db_type, slices, len)?),
        })
    }
}

/// The sub-databases in the files of a slice, data and index.
pub fn subs_in(
    db_type: DbType,
    slice: Slice,
    data: &Path,
    index: &Path,
) -> Result<Vec<(Slice, u32, Color)>, OpenError> {
    let stems = db_type.file_stems(slice.pieces()).into_iter();
    let slices = stems.map(|(_, slices)| slices).find(|slices| slices.contains(&slice));
    let failed = |source| OpenError::Io { file: index.to_owned(), source };
    let bytes = read_regular(index).map_err(failed)?;
    let len = data.metadata().map_err(failed)?.len();
    Ok(match Parsed::of(db_type, index, &bytes, &slices.unwrap_or_default(), len)? {
        Parsed::Text(index) => index.subs.iter().map(|it| (it.slice, it.sub, it.side)).collect(),
        Parsed::Dtw(records) => records.iter().map(|it| (it.slice, it.sub, it.side)).collect(),
        Parsed::Compact(records) => records.iter().map(|it| (it.slice, 0, it.side)).collect(),
    })
}

impl Database {
    /// Opens the database in a directory. Index files are read and checked in parallel; data files
    /// are only read on demand.
    ///
    /// # Errors
    /// If there is no database, a required file is missing, or a file breaks its format.
    pub fn open(dir: impl AsRef<Path>, options: &OpenOptions) -> Result<Database, OpenError> {
        let folder = Folder::read_of(dir.as_ref(), options.variant)?;
        Database::open_in(&folder, folder.identity(options.db_type)?, options, &|_| true)
    }

    /// Opens a database that has been identified, without the files of slices that are not
    /// wanted.
    pub(crate) fn open_in(
        folder: &Folder,
        identity: Identity,
        options: &OpenOptions,
        is_wanted: &dyn Fn(Slice) -> bool,
    ) -> Result<Database, OpenError> {
        if options.max_pieces.is_some_and(|n| n < 2) {
            return Err(OpenError::Option { name: "max_pieces", reason: "expected 2 or more" });
        }
        let limit = options.max_pieces.unwrap_or(u8::MAX).min(identity.max_pieces);
        let mut pairs = find_pairs(folder, identity.db_type, limit, is_wanted)?;
        let mut files = Vec::with_capacity(pairs.len());
        for pair in &pairs {
            match DataFile::open(pair.data.clone()) {
                Ok(file) => files.push(file),
                Err(source) => return Err(OpenError::Io { file: pair.data.clone(), source }),
            }
        }
        let parsed = parse_all(identity.db_type, &mut pairs, &files, options.compare)?;
        Database::assemble(folder.dir(), identity, &pairs, files, parsed, options)
    }

    /// A single file of the compact type that lies elsewhere: `fetch` gets its bytes, first those of
    /// the index, later blocks as they are asked for, which a cache keeps ([`OpenOptions::cache_mib`]).
    /// Only slices that `is_wanted` names are used. `name` is for messages, `len` the length of the
    /// file.
    ///
    /// # Errors
    /// If it cannot be read or breaks its format.
    pub fn open_remote(
        name: &str,
        len: u64,
        fetch: Box<Fetch>,
        is_wanted: &dyn Fn(Slice) -> bool,
        options: &OpenOptions,
    ) -> Result<Database, OpenError> {
        let path = PathBuf::from(name);
        let files = vec![DataFile::remote(path.clone(), len, fetch)];
        let limit = options.max_pieces.unwrap_or(u8::MAX).min(DbType::Compact.max_pieces());
        let mut pairs = vec![single_pair(path, 2..=limit, is_wanted)];
        let parsed = parse_all(DbType::Compact, &mut pairs, &files, false)?;
        let db_type = DbType::Compact;
        let identity = Identity { db_type, max_pieces: limit, missing: 0, is_genuine: false };
        let options = OpenOptions { backend: Backend::BlockCache, ..options.clone() };
        Database::assemble(Path::new(name), identity, &pairs, files, parsed, &options)
    }

    /// The database of up to four pieces that is part of the library, without any file: exists
    /// for [`DbType::Compact`], [`DbType::Mtc`], [`DbType::Dtw`] and [`DbType::Rules`]. Built by
    /// `meerslag-egdb-build`.
    ///
    /// # Errors
    /// If there is none of this type.
    #[cfg(feature = "embedded")]
    pub fn embedded(db_type: DbType) -> Result<Database, OpenError> {
        Database::embedded_up_to(db_type, crate::embedded::MAX_PIECES)
    }

    /// As [`Database::embedded`], with at most this many pieces.
    #[cfg(feature = "embedded")]
    pub(crate) fn embedded_up_to(db_type: DbType, pieces: u8) -> Result<Database, OpenError> {
        let dir = Path::new(crate::embedded::DIR);
        let mut pairs = Vec::new();
        let (mut files, mut parsed) = (Vec::new(), Vec::new());
        for pieces in 2..=crate::embedded::MAX_PIECES.min(pieces) {
            for (stem, slices) in db_type.file_stems(pieces) {
                let get = |extension: &str| crate::embedded::file(&format!("{stem}.{extension}"));
                let (Some((index, text)), Some((data, bytes))) =
                    (get(db_type.index_extension()), get(db_type.data_extension()))
                else {
                    continue;
                };
                let len = bytes.len() as u64;
                parsed.push(Parsed::of(db_type, &index, text, &slices, len)?);
                files.push(DataFile::fixed(data.clone(), bytes));
                pairs.push(DatabasePair { index, data, slices, pieces });
            }
        }
        let max_pieces = crate::embedded::MAX_PIECES;
        let identity = Identity { db_type, max_pieces, missing: 0, is_genuine: false };
        let options = OpenOptions { db_type: Some(db_type), ..OpenOptions::default() };
        Database::assemble(dir, identity, &pairs, files, parsed, &options)
    }

    fn assemble(
        dir: &Path,
        mut identity: Identity,
        pairs: &[DatabasePair],
        files: Vec<DataFile>,
        parsed: Vec<Parsed>,
        options: &OpenOptions,
    ) -> Result<Database, OpenError> {
        let nothing = || OpenError::NothingFound { dir: dir.to_owned() };
        let entries = match options.backend {
            Backend::MemoryMap => ENTRIES,
            Backend::BlockCache => FEW_ENTRIES,
        };
        let mut coded = CodedBuilder::new(identity.db_type, entries);
        let mut distance = DtwBuilder::new();
        let mut compact = CompactBuilder::new();
        for (file, parsed) in parsed.into_iter().enumerate() {
            match parsed {
                Parsed::Text(index) => coded.add(file, &index),
                Parsed::Dtw(records) => distance.add(file, records),
                Parsed::Compact(records) => compact.add(file, records),
            }
        }
        let budget = options.cache_mib.saturating_mul(1 << 20);
        let (index_memory, all_tables) = match identity.db_type {
            DbType::Dtw | DbType::Rules => (distance.memory(), 0),
            DbType::Compact => (compact.memory(), 0),
            _ => coded.memory(),
        };
        let (table_limit, cache_bytes) = match options.backend {
            Backend::MemoryMap => (budget, 0),
            Backend::BlockCache => {
                let rest = budget.saturating_sub(index_memory);
                let tables = all_tables.min(rest / 4);
                (tables, rest - tables)
            }
        };
        let storage = open_storage(options.backend, files, cache_bytes)?;
        let reader = match identity.db_type {
            DbType::Dtw | DbType::Rules => Reader::Dtw(distance.finish(storage, options.compare)),
            DbType::Compact => Reader::Compact(compact.finish(storage, options.compare)),
            _ => Reader::Coded(coded.finish(storage, table_limit, options.compare)),
        };
        identity.max_pieces =
            pairs.iter().map(|p| p.pieces).max().filter(|&n| n > 0).ok_or_else(nothing)?;
        let slices = pairs.iter().flat_map(|pair| &pair.slices);
        let max_one_side = slices.map(|slice| slice.side_pieces(Color::Black)).max().unwrap_or(0);
        Ok(Database {
            dir: dir.to_owned(),
            identity,
            max_one_side,
            index_memory,
            backend: options.backend,
            index_files: pairs.iter().map(|pair| pair.index.clone()).collect(),
            reader,
            wide: Wide::detect(),
        })
    }

    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// How its files are read.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// The kind of database.
    #[must_use]
    pub fn db_type(&self) -> DbType {
        self.identity.db_type
    }

    /// Whether the representative index file has the published checksum.
    #[must_use]
    pub fn is_genuine(&self) -> bool {
        self.identity.is_genuine
    }

    /// The largest piece count, 2 to 9.
    #[must_use]
    pub fn max_pieces(&self) -> u8 {
        self.identity.max_pieces
    }

    /// The largest number of pieces on one side.
    #[must_use]
    pub fn max_pieces_one_side(&self) -> u8 {
        self.max_one_side
    }

    /// Whether there are data for a stored slice.
    #[must_use]
    pub fn has_slice(&self, slice: Slice) -> bool {
        any_reader!(&self.reader, reader => reader.directory().has_slice(slice))
    }

    /// Whether there are data for this side to move of a stored slice.
    #[must_use]
    pub fn has_side(&self, slice: Slice, side: Color) -> bool {
        any_reader!(&self.reader, reader => reader.directory().has_side(slice, side))
    }

    /// Whether lookups of this side to move of a stored slice read a data file (and are not all
    /// of one value).
    #[must_use]
    pub fn has_data(&self, slice: Slice, side: Color) -> bool {
        any_reader!(&self.reader, reader => reader.directory().has_data(slice, side))
    }

    /// Counts since opening or since [`Database::reset_stats`].
    #[must_use]
    pub fn stats(&self) -> Stats {
        let names =
            self.storage().files().iter().map(|file| {
                file.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
            });
        self.counters().read(names)
    }

    /// Sets all counts to zero.
    pub fn reset_stats(&self) {
        self.counters().reset();
    }

    /// Memory in use.
    #[must_use]
    pub fn memory(&self) -> Memory {
        let tables = match &self.reader {
            Reader::Coded(reader) => reader.table_memory(),
            Reader::Dtw(_) | Reader::Compact(_) => 0,
        };
        Memory { index: self.index_memory, tables, cache: self.storage().memory() }
    }

    /// Paths of all index and data files in use; one for each single file.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let files = self.storage().files().iter().zip(&self.index_files);
        files.flat_map(|(file, index)| {
            let index = (*index != file.path).then(|| index.clone());
            index.into_iter().chain([file.path.clone()])
        })
    }

    pub(crate) fn reader(&self) -> &Reader {
        &self.reader
    }

    fn storage(&self) -> &AnyStorage {
        any_reader!(&self.reader, reader => reader.storage())
    }

    fn counters(&self) -> &ShardedCounters {
        any_reader!(&self.reader, reader => reader.counters())
    }

    /// The number that the files hold at the place of a position, for tools that measure, check or
    /// list files; others use [`Database::look_up`]. Where the format excludes the position
    /// ([`crate::probe::exclusion`]) the number has no meaning. `None` if the files have no such
    /// place, or no data there.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    #[inline]
    pub fn stored(&self, board: &Board, side: Color) -> Result<Option<u16>, ProbeError> {
        match self.lookup(board, side, false, LeftOut::Nothing)? {
            Some(Raw::Value(value)) => Ok(Some(value as u16)),
            _ => Ok(None),
        }
    }

    /// The stored number of a position, or why there is none; `None` if a side has too many or
    /// no pieces. [`Raw::Excluded`] is only an answer where `check` asks for it.
    #[inline(always)]
    pub(crate) fn lookup(
        &self,
        board: &Board,
        side: Color,
        conditional: bool,
        check: LeftOut,
    ) -> Result<Option<Raw>, Box<ProbeError>> {
        with_widest!(self.wide, isa => self.lookup_with(isa, board, side, conditional, check))
    }

    #[inline(always)]
    fn lookup_with(
        &self,
        isa: impl LookupIsa,
        board: &Board,
        side: Color,
        conditional: bool,
        check: LeftOut,
    ) -> Result<Option<Raw>, Box<ProbeError>> {
        let db_type = self.identity.db_type;
        let is_excluded = match check {
            LeftOut::Nothing => false,
            LeftOut::Threats => excludes_quiet(db_type, board, side),
            LeftOut::Captures => excludes_board(db_type, board, side).is_some(),
        };
        if is_excluded {
            return Ok(Some(Raw::Excluded));
        }
        let Some(at) = Turned::of(board, side) else { return Ok(None) };
        match &self.reader {
            Reader::Coded(reader) => reader.lookup(isa, at.place, at.index(isa), conditional),
            Reader::Dtw(reader) => reader.lookup(at.place, at.index(isa), conditional),
            Reader::Compact(reader) => reader.lookup(isa, at.place, &at.board, conditional),
        }
        .map(Some)
    }

    /// As [`Database::stored`] for many positions: calls `answer` for each, in order. Faster than
    /// one by one where the data are larger than the processor's caches, because the waiting times
    /// for memory overlap.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged; some answers may have been given by then.
    pub fn stored_many(
        &self,
        positions: &[(Board, Color)],
        mut answer: impl FnMut(Option<u16>),
    ) -> Result<(), ProbeError> {
        let given = |raw| match raw {
            Raw::Value(value) => answer(Some(value as u16)),
            _ => answer(None),
        };
        let result = with_widest!(self.wide, isa => self.lookup_many_with(isa, positions, given));
        result.map_err(ProbeError::from)
    }

    #[inline(always)]
    fn lookup_many_with(
        &self,
        isa: impl LookupIsa,
        positions: &[(Board, Color)],
        mut answer: impl FnMut(Raw),
    ) -> Result<(), Box<ProbeError>> {
        let turned = positions.iter().map(
            #[inline(always)]
            |(board, side)| Turned::of(board, *side),
        );
        match &self.reader {
            Reader::Coded(reader) => {
                let places = turned.map(
                    #[inline(always)]
                    |at| at.map(|at| (at.place, at.index(isa))),
                );
                reader.lookup_many(isa, places, answer)
            }
            Reader::Compact(reader) => {
                let places = turned.map(
                    #[inline(always)]
                    |at| at.map(|at| (at.place, at.board)),
                );
                reader.lookup_many(isa, places, answer)
            }
            Reader::Dtw(reader) => {
                for at in turned {
                    answer(match at {
                        Some(at) => reader.lookup(at.place, at.index(isa), false)?,
                        None => Raw::NoSlice,
                    });
                }
                Ok(())
            }
        }
    }

    /// Reads and decodes all data, as [`Database::check_blocks`] does, so that later look-ups find
    /// them in memory; of files larger than the block cache, as many as it holds. Returns the damage
    /// found.
    pub fn preload(&self) -> Vec<ProbeError> {
        let bytes: u64 = self.storage().files().iter().map(|file| file.len).sum();
        let share = match self.backend {
            Backend::MemoryMap => 1.0,
            Backend::BlockCache => self.storage().memory() as f64 / bytes.max(1) as f64,
        };
        let (Ok(damage) | Err(damage)) =
            self.check_blocks(|done, all| done as f64 <= all as f64 * share);
        damage
    }

    #[inline]
    pub(crate) fn count_unavailable(&self) {
        self.counters().unavailable();
    }

    /// Decodes all data and compares with the index files: that every block holds exactly the
    /// positions it should. Calls `progress` with the blocks done and their number; stops when it
    /// returns false.
    ///
    /// # Errors
    /// The damage found until then, if stopped.
    pub fn check_blocks(
        &self,
        mut progress: impl FnMut(u64, u64) -> bool,
    ) -> Result<Vec<ProbeError>, Vec<ProbeError>> {
        let mut done = 0;
        any_reader!(&self.reader, reader => {
            let all = reader.blocks();
            reader.check(|| {
                done += 1;
                progress(done, all)
            })
        })
    }
}

/// A single file; only these slices of it are wanted.
fn single_pair(
    file: PathBuf,
    pieces: impl IntoIterator<Item = u8>,
    is_wanted: &dyn Fn(Slice) -> bool,
) -> DatabasePair {
    let slices = pieces.into_iter().flat_map(Slice::stored).filter(|&slice| is_wanted(slice));
    DatabasePair { index: file.clone(), data: file, slices: slices.collect(), pieces: 0 }
}

fn find_pairs(
    folder: &Folder,
    db_type: DbType,
    limit: u8,
    is_wanted: &dyn Fn(Slice) -> bool,
) -> Result<Vec<DatabasePair>, OpenError> {
    let mut pairs = Vec::new();
    let mut in_singles = 0;
    if db_type == DbType::Compact {
        for (file, head) in folder.single_files()? {
            in_singles |= head.piece_counts;
            let pieces = head.pieces().filter(|&n| n <= limit);
            pairs.push(single_pair(file, pieces, is_wanted));
        }
    }
    for pieces in 2..=limit {
        for (stem, slices) in db_type.file_stems(pieces) {
            let missing = |extension| OpenError::Missing { file: folder.path(&stem, extension) };
            let (index, data) = (db_type.index_extension(), db_type.data_extension());
            match folder.file(&stem, data)? {
                _ if !slices.iter().all(|&slice| is_wanted(slice)) => {}
                Some(data) => {
                    let index = folder.file(&stem, index)?.ok_or_else(|| missing(index))?;
                    pairs.push(DatabasePair { index, data, slices, pieces });
                }
                None if in_singles >> pieces & 1 != 0 => {}
                None if pieces <= db_type.required_pieces() => return Err(missing(data)),
                None => {}
            }
        }
    }
    Ok(pairs)
}

/// Reads all index files, on all processors if that can be faster. Single files learn which slices
/// they have, those without any go.
fn parse_all(
    db_type: DbType,
    pairs: &mut [DatabasePair],
    files: &[DataFile],
    is_compared: bool,
) -> Result<Vec<Parsed>, OpenError> {
    let parse = |(pair, file): (&DatabasePair, &DataFile)| -> Result<Parsed, OpenError> {
        let bytes = pair.index_bytes(file)?;
        let parsed = Parsed::of(db_type, &pair.index, &bytes, &pair.slices, file.len)?;
        // After the format, whose errors say more about what is wrong and where.
        if is_compared
            && !pair.is_single()
            && let Ok(Some(expected)) = Manifest::read(&pair.index)
            && expected.crc != crc32(&bytes)
        {
            let file = pair.index.clone();
            let reason = "its checksum differs from the side file".into();
            return Err(FormatError::Data { file, reason }.into());
        }
        Ok(parsed)
    };
    let parsed: Vec<OnceLock<_>> = pairs.iter().map(|_| OnceLock::new()).collect();
    let all = &*pairs;
    let next = AtomicUsize::new(0);
    let work = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(slot) = parsed.get(number) else { break };
        let _ = slot.set(parse((&all[number], &files[number])));
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        for _ in 1..threads.min(all.len() / 4) {
            // If the system gives no threads, this one does it alone.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let parsed: Vec<Parsed> =
        parsed.into_iter().filter_map(OnceLock::into_inner).collect::<Result<_, OpenError>>()?;
    for (pair, parsed) in pairs.iter_mut().zip(&parsed) {
        if let Parsed::Compact(records) = parsed {
            pair.slices = records.iter().map(|record| record.slice).collect();
            pair.pieces = pair.slices.iter().map(|slice| slice.pieces()).max().unwrap_or(0);
        }
    }
    Ok(parsed)
}

fn open_storage(
    backend: Backend,
    files: Vec<DataFile>,
    cache_bytes: usize,
) -> Result<AnyStorage, OpenError> {
    let fixed = files.iter().map(|file| Some((file.path.clone(), file.fixed_bytes()?)));
    if let Some(fixed) = fixed.collect::<Option<Vec<_>>>() {
        return Ok(AnyStorage::Fixed(Fixed::new(fixed)));
    }
    match backend {
        Backend::BlockCache => Ok(AnyStorage::Cache(BlockCache::new(files, cache_bytes))),
        #[cfg(feature = "mmap")]
        Backend::MemoryMap => {
            let paths: Vec<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
            let map = MemoryMap::new(files);
            let map =
                map.map_err(|(i, source)| OpenError::Io { file: paths[i].clone(), source })?;
            Ok(AnyStorage::Map(map))
        }
        #[cfg(not(feature = "mmap"))]
        Backend::MemoryMap => Err(OpenError::NoMmap),
    }
}
