//! Writers: from values to database files that both the original driver and we read.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use egdb::SubId;
use egdb::codec::runlen::{self, RunLength};
use egdb::codec::runs::{Run, RunReader, Source};
use egdb::error::WriteError;
use egdb::format::DbType;
use egdb::layout::BLOCK;
use egdb::manifest::write_side_file;
use meerslag_files::{Existing, NewFile, check_regular};

pub mod compact;
pub mod dtw;
pub mod wld;
mod writer;

pub use writer::{DatabaseWriter, write_pair};

/// A finished pair of files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The index file.
    pub index: PathBuf,
    /// The data file.
    pub data: PathBuf,
    /// Their lengths in bytes.
    pub bytes: [u64; 2],
}

impl Written {
    /// Writes the side files with their checksums.
    ///
    /// # Errors
    /// If a file cannot be read or the disk is full.
    pub fn write_side_files(&self) -> Result<(), WriteError> {
        write_side_file(&self.index)?;
        write_side_file(&self.data)
    }
}

/// A written pair of files with temporary names, which are removed if it is dropped.
#[derive(Debug)]
pub(crate) struct Completed {
    index: OutFile,
    data: OutFile,
    bytes: [u64; 2],
}

impl Completed {
    /// Both lengths together, in bytes.
    fn size(&self) -> u64 {
        self.bytes.iter().sum()
    }

    /// Gives the files their names, the data file first, so that an index file is never there
    /// without its data.
    fn publish(self) -> Result<Written, WriteError> {
        let data = self.data.finish()?;
        let index = self.index.finish()?;
        Ok(Written { index, data, bytes: self.bytes })
    }
}

/// A database file being written: a [`NewFile`] whose errors name it. A file of this name is
/// replaced.
#[derive(Debug)]
pub(crate) struct OutFile {
    path: PathBuf,
    file: NewFile,
}

impl OutFile {
    pub(crate) fn create(path: PathBuf) -> Result<OutFile, WriteError> {
        // A database cannot be written into a pipe, since it has two files.
        let free = match check_regular(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result,
        };
        match free.and_then(|()| NewFile::create(&path, Existing::Replace)) {
            Ok(file) => Ok(OutFile { path, file }),
            Err(source) => Err(WriteError::Io { file: path, source }),
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let written = self.file.write_all(bytes);
        written.map_err(|source| WriteError::Io { file: self.path.clone(), source })
    }

    pub(crate) fn finish(self) -> Result<PathBuf, WriteError> {
        match self.file.finish() {
            Ok(()) => Ok(self.path),
            Err(source) => Err(WriteError::Io { file: self.path, source }),
        }
    }
}

/// A source for [`DatabaseWriter::add`] from a table of bytes, one for
/// each index; `map` gives the number to store for each byte.
///
/// # Panics
/// When asked beyond the end of the table.
pub fn table<'a>(bytes: &'a [u8], map: &'a [u16; 256]) -> impl FnMut(u64, &mut [u16]) + 'a {
    move |start, out| {
        let bytes = &bytes[start as usize..][..out.len()];
        for (value, &byte) in out.iter_mut().zip(bytes) {
            *value = map[usize::from(byte)];
        }
    }
}

/// Writes one pair of files (index and data) of a win/loss/draw or distance-to-conversion type.
///
/// Sub-databases are added one after another, in any order; [`CodedWriter::finish`] completes the
/// files, which have temporary names until then.
#[derive(Debug)]
pub struct CodedWriter {
    db_type: DbType,
    data: OutFile,
    index: OutFile,
    /// Bytes of data written.
    len: u64,
    has_data: bool,
    /// Offset at which the last sub-database with data starts.
    last_start: u64,
    /// A one-value sub-database held back in case the file gets no data otherwise.
    held: Option<(SubId, u8)>,
    text: String,
    text_len: u64,
}

/// The driver looks at pieces of this many bytes, and misreads some sub-databases within one.
const DRIVER_PIECE: u64 = 64;

impl CodedWriter {
    /// Starts the files `stem` (see [`DbType::file_stem`]) in a directory.
    ///
    /// # Errors
    /// If the files cannot be created.
    ///
    /// # Panics
    /// If the type has its own writer; see [`DatabaseWriter`].
    pub fn create(dir: &Path, db_type: DbType, stem: &str) -> Result<CodedWriter, WriteError> {
        assert!(
            !matches!(db_type, DbType::Dtw | DbType::Compact | DbType::Rules),
            "{db_type} has its own writer"
        );
        let file = |extension| OutFile::create(dir.join(format!("{stem}.{extension}")));
        Ok(CodedWriter {
            db_type,
            data: file(db_type.data_extension())?,
            index: file(db_type.index_extension())?,
            len: 0,
            has_data: false,
            last_start: 0,
            held: None,
            text: String::new(),
            text_len: 0,
        })
    }

    /// Adds a sub-database. `source` gives the value of every index of the subslice: 0 to 3 (for
    /// [`DbType::WldRun`] and [`DbType::Wld1`] also 4 and 5), or the distance (even, 0 where none
    /// is stored), or [`egdb::codec::DONT_CARE`]. It is called in ascending order; by version 1
    /// also for samples before that.
    ///
    /// One-value sub-databases get a head without data where the format has one; sub-databases
    /// without any distance are left out.
    ///
    /// # Errors
    /// If a value cannot be stored, the sub-database does not exist or the disk is full.
    pub fn add(&mut self, id: SubId, source: &mut Source<'_>) -> Result<(), WriteError> {
        let length = self.db_type.subslice_length();
        let size = id.slice.subslice_size(u64::from(id.sub), length);
        if size == 0 || !id.slice.is_stored(id.side) {
            return Err(content(id, "there is no such sub-database"));
        }
        // Positions that are never looked up may get any value, even one that no position has.
        let default = if self.db_type == DbType::Mtc { 0 } else { 2 };
        let mut invalid = None;
        let db_type = self.db_type;
        let mut checked = |start: u64, values: &mut [u16]| {
            source(start, values);
            if let Some(&bad) = values.iter().find(|&&v| !can_store(db_type, v)) {
                invalid = Some((start, bad));
                values.fill(default);
            }
            if db_type == DbType::Mtc {
                // A gap costs nothing; a distance costs a byte for each index.
                for value in values.iter_mut().filter(|v| **v == egdb::codec::DONT_CARE) {
                    *value = 0;
                }
            }
        };
        self.add_checked(id, size, default, &mut checked)?;
        match invalid {
            Some((start, value)) => Err(content(
                id,
                format!("value {value} near index {start} cannot be stored as {}", self.db_type),
            )),
            None => Ok(()),
        }
    }

    fn add_checked(
        &mut self,
        id: SubId,
        size: u64,
        default: u16,
        source: &mut Source<'_>,
    ) -> Result<(), WriteError> {
        let plan = match self.db_type {
            DbType::Wld1 => Some(wld::choose_version_1(size, default, source)),
            _ => None,
        };
        let mut partial = false;
        if self.db_type == DbType::WldRun {
            // The code with partial values is chosen for the whole sub-database.
            let mut reader = RunReader::new(size, default, source);
            while !partial {
                reader.fill(1);
                let Some(run) = reader.runs().first().copied() else { break };
                partial = !(1..=3).contains(&run.value);
                reader.consume(run.len);
            }
        }
        let mut reader = RunReader::new(size, default, source);
        reader.fill(2);
        if let &[Run { value, len }] = reader.runs()
            && len == size
        {
            match self.db_type {
                DbType::Mtc if value == 0 => return Ok(()),
                DbType::Mtc => {}
                _ if value <= 3 => return self.add_constant(id, value as u8),
                _ => {}
            }
        }
        self.start(id);
        match self.db_type {
            DbType::Wld2 => self.add_version_2(&mut reader)?,
            DbType::Wld1 => self.add_version_1(&mut reader, &plan.unwrap_or_default())?,
            DbType::WldRun if partial => {
                self.line("\n# haspartials\n")?;
                self.add_run_lengths(runlen::partial(), &mut reader)?;
            }
            DbType::WldRun => {
                self.line("\n")?;
                self.add_run_lengths(runlen::plain(), &mut reader)?;
            }
            DbType::Mtc | DbType::Dtw | DbType::Compact | DbType::Rules => {
                self.line("\n")?;
                self.add_run_lengths(runlen::distance(), &mut reader)?;
            }
        }
        Ok(())
    }

    fn head(id: SubId) -> String {
        let s = id.slice;
        let side = id.side.letter().to_ascii_lowercase();
        format!(
            "BASE{},{},{},{},{},{side}:",
            s.black_men(),
            s.black_kings(),
            s.white_men(),
            s.white_kings(),
            id.sub
        )
    }

    fn add_constant(&mut self, id: SubId, value: u8) -> Result<(), WriteError> {
        if !self.has_data && self.held.is_none() {
            self.held = Some((id, value));
            return Ok(());
        }
        let sign = [".", "+", "-", "="][usize::from(value)];
        self.line(&format!("{}{sign}\n", CodedWriter::head(id)))
    }

    fn start(&mut self, id: SubId) {
        let unit = self.db_type.index_block();
        self.last_start = self.len;
        self.has_data = true;
        self.text += &CodedWriter::head(id);
        self.text += &format!("{}/{}", self.len / unit, self.len % unit);
    }

    fn line(&mut self, text: &str) -> Result<(), WriteError> {
        self.text += text;
        self.index.write(self.text.as_bytes())?;
        self.text_len += self.text.len() as u64;
        self.text.clear();
        Ok(())
    }

    fn write_data(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.len += bytes.len() as u64;
        self.data.write(bytes)
    }

    fn add_version_2(&mut self, reader: &mut RunReader<'_>) -> Result<(), WriteError> {
        let mut chooser = wld::Chooser::new(wld::Effort::Normal);
        let mut first = 0;
        let mut bytes = Vec::with_capacity(BLOCK);
        loop {
            let room = BLOCK - (self.len % BLOCK as u64) as usize;
            bytes.clear();
            let block = chooser.next_block(reader, room, &mut bytes);
            if bytes.is_empty() {
                return Ok(());
            }
            let sep = if first == 0 { String::new() } else { first.to_string() };
            self.line(&format!("{sep},{},{}\n", block.dictionary, block.value_map))?;
            self.write_data(&bytes)?;
            first += block.values;
        }
    }

    fn add_version_1(
        &mut self,
        reader: &mut RunReader<'_>,
        plan: &wld::Plan1,
    ) -> Result<(), WriteError> {
        let list: Vec<String> = plan.real.iter().map(ToString::to_string).collect();
        self.line(&format!("\n# vmap {}: {}\n", plan.dictionary, list.join(",")))?;
        let dictionary = plan.codes();
        let to_virtual = plan.to_virtual();
        let mut first = 0u64;
        let mut is_done = false;
        while !is_done {
            let unit = self.db_type.index_block();
            let room = (unit - self.len % unit) as usize;
            let mut need = 1 << 14;
            let (done, bytes) = loop {
                reader.fill(need);
                let mut bytes = Vec::with_capacity(room);
                let end = reader.is_complete();
                let (runs, used) = (reader.runs(), reader.used());
                let emit = |byte| bytes.push(byte);
                let done = dictionary.encode(runs, used, end, &to_virtual, room, emit);
                if !done.starved {
                    break (done, bytes);
                }
                need *= 2;
            };
            reader.consume(done.values);
            is_done = reader.is_complete() && reader.runs().is_empty();
            if bytes.is_empty() {
                break;
            }
            if first == 0 && is_done && self.fits_one_piece(bytes.len()) {
                // See `DRIVER_PIECE`: spend enough codes to leave the piece.
                let bytes = wld::encode_longer(dictionary, &bytes, DRIVER_PIECE as usize);
                return self.write_stretched(&bytes, dictionary);
            }
            if first > 0 {
                self.line(&format!("{first}\n"))?;
            }
            self.write_data(&bytes)?;
            first += done.values;
        }
        Ok(())
    }

    fn fits_one_piece(&self, len: usize) -> bool {
        self.len / DRIVER_PIECE == (self.len + len as u64 - 1) / DRIVER_PIECE
    }

    /// Writes the codes of a whole short sub-database, with lines where it crosses a boundary.
    fn write_stretched(
        &mut self,
        bytes: &[u8],
        code: &impl egdb::codec::ByteCode,
    ) -> Result<(), WriteError> {
        let unit = self.db_type.index_block();
        let mut first = 0u64;
        for &byte in bytes {
            if first > 0 && self.len.is_multiple_of(unit) {
                self.line(&format!("{first}\n"))?;
            }
            self.write_data(&[byte])?;
            first += u64::from(code.len(byte));
        }
        Ok(())
    }

    fn add_run_lengths(
        &mut self,
        code: &RunLength,
        reader: &mut RunReader<'_>,
    ) -> Result<(), WriteError> {
        let unit = self.db_type.index_block();
        let mut first = 0;
        let mut short = Vec::new();
        let mut is_short = self.db_type == DbType::WldRun;
        while let Some((byte, count)) = code.encode_next(reader) {
            if is_short {
                short.push(byte);
                first += count;
                if !self.fits_one_piece(short.len()) {
                    is_short = false;
                    let bytes = std::mem::take(&mut short);
                    self.write_stretched(&bytes, code)?;
                }
                continue;
            }
            if first > 0 && self.len.is_multiple_of(unit) {
                self.line(&format!("{first}\n"))?;
            }
            self.write_data(&[byte])?;
            first += count;
        }
        if is_short {
            let bytes = wld::encode_longer(code, &short, DRIVER_PIECE as usize);
            self.write_stretched(&bytes, code)?;
        }
        Ok(())
    }

    /// Completes the files and gives them their names, the data file first, so that an index
    /// file is never there without its data. Returns `None`, and leaves no files, if nothing was
    /// added.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn finish(self) -> Result<Option<Written>, WriteError> {
        self.complete()?.map(Completed::publish).transpose()
    }

    fn complete(mut self) -> Result<Option<Completed>, WriteError> {
        if let Some((id, value)) = self.held.take() {
            if self.has_data {
                self.held = None;
                let sign = [".", "+", "-", "="][usize::from(value)];
                self.line(&format!("{}{sign}\n", CodedWriter::head(id)))?;
            } else {
                self.add_constant_as_data(id, value)?;
            }
        }
        if !self.has_data {
            return Ok(None);
        }
        if self.last_start / DRIVER_PIECE == (self.len - 1) / DRIVER_PIECE {
            let padding = (self.len.next_multiple_of(BLOCK as u64) - self.len) as usize;
            self.write_data(&[0; BLOCK][..padding])?;
        }
        let bytes = [self.text_len, self.len];
        Ok(Some(Completed { index: self.index, data: self.data, bytes }))
    }

    /// The format wants data in every file.
    fn add_constant_as_data(&mut self, id: SubId, value: u8) -> Result<(), WriteError> {
        let length = self.db_type.subslice_length();
        let size = id.slice.subslice_size(u64::from(id.sub), length);
        let mut source = |_: u64, values: &mut [u16]| values.fill(u16::from(value));
        self.start(id);
        match self.db_type {
            DbType::Wld1 => {
                let plan = wld::choose_version_1(size, 2, &mut source);
                self.add_version_1(&mut RunReader::new(size, 2, &mut source), &plan)
            }
            DbType::WldRun => {
                let is_partial = value == 0;
                self.line(if is_partial { "\n# haspartials\n" } else { "\n" })?;
                let code = if is_partial { runlen::partial() } else { runlen::plain() };
                self.add_run_lengths(code, &mut RunReader::new(size, 2, &mut source))
            }
            _ => self.add_version_2(&mut RunReader::new(size, 2, &mut source)),
        }
    }
}

fn can_store(db_type: DbType, value: u16) -> bool {
    value == egdb::codec::DONT_CARE
        || match db_type {
            DbType::Wld2 => value <= 3,
            DbType::Mtc => runlen::distance().can_store(value),
            _ => value <= 5,
        }
}

pub(crate) fn content(id: SubId, reason: impl Into<String>) -> WriteError {
    WriteError::Content { slice: id.slice, sub: id.sub, side: id.side, reason: reason.into() }
}
