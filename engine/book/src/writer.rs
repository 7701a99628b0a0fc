//! Writing a book: positions come in the order of their keys, each with its moves.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use meerslag_files::{Existing, NewFile};

use super::error::BookError;
use super::format::{About, Head, MoveEntry, PositionEntry, PositionRecord};

/// An unnamed temporary file, which ends with the process, and the checksum of its contents.
struct Table {
    file: BufWriter<File>,
    records: u64,
    sum: crc32fast::Hasher,
}

impl Table {
    fn new(folder: &Path) -> io::Result<Table> {
        let file = BufWriter::with_capacity(1 << 16, tempfile::tempfile_in(folder)?);
        Ok(Table { file, records: 0, sum: crc32fast::Hasher::new() })
    }

    fn add(&mut self, record: &[u8]) -> io::Result<()> {
        self.records += 1;
        self.sum.update(record);
        self.file.write_all(record)
    }

    fn copy_to(self, out: &mut impl Write) -> io::Result<()> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        io::copy(&mut BufReader::with_capacity(1 << 16, file), out).map(|_| ())
    }
}

/// The folder of a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A book being written. Its tables grow in temporary files beside it; it gets its name when it is
/// complete.
pub(super) struct BookWriter {
    path: PathBuf,
    existing: Existing,
    positions: Table,
    moves: Table,
}

impl BookWriter {
    /// # Errors
    /// If nothing can be written there, or an existing file must be kept.
    pub(super) fn new(path: &Path, existing: Existing) -> Result<BookWriter, BookError> {
        let begin = || -> io::Result<_> {
            // Fail before the work, not after it.
            drop(NewFile::create(path, existing)?);
            let folder = folder_of(path);
            Ok((Table::new(folder)?, Table::new(folder)?))
        };
        let (positions, moves) = begin().map_err(BookError::io(path))?;
        Ok(BookWriter { path: path.to_owned(), existing, positions, moves })
    }

    /// Where the book will be.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a position, whose key is greater than those before, and its moves in the order of
    /// their codes.
    pub(super) fn add(
        &mut self,
        entry: PositionEntry,
        moves: impl IntoIterator<Item = MoveEntry>,
    ) -> Result<(), BookError> {
        let too_many = |_| BookError::TooLarge("more than 2^32 moves");
        let first_move = u32::try_from(self.moves.records).map_err(too_many)?;
        let mut count = 0u16;
        for mv in moves {
            self.moves.add(&mv.to_bytes()).map_err(BookError::io(&self.path))?;
            count = count.checked_add(1).ok_or(BookError::TooLarge("moves of one position"))?;
        }
        let record = PositionRecord { entry, first_move, moves: count };
        self.positions.add(&record.to_bytes()).map_err(BookError::io(&self.path))
    }

    /// Number of positions so far.
    pub(super) fn positions(&self) -> u64 {
        self.positions.records
    }

    /// Writes the file.
    ///
    /// # Errors
    /// For example, if the disk is full; there is no file then, or the old one.
    pub(super) fn finish(self, about: &About) -> Result<(), BookError> {
        let BookWriter { path, existing, positions, moves } = self;
        let head = |text: &[u8]| Head {
            text: text.len() as u32,
            positions: positions.records,
            moves: moves.records,
            cells: 0,
            sums: [positions.sum.clone().finalize(), moves.sum.clone().finalize(), 0],
        };
        let text = text_of(about);
        let head = head(&text).to_bytes(&text);
        let write = || {
            let mut file = NewFile::create(&path, existing)?;
            file.write_all(&head)?;
            file.write_all(&text)?;
            positions.copy_to(&mut file)?;
            moves.copy_to(&mut file)?;
            file.finish()
        };
        write().map_err(BookError::io(&path))
    }
}

/// The text of the head, filled up with blanks so that the tables begin at a multiple of 8.
fn text_of(about: &About) -> Vec<u8> {
    let about = about.clone().by_this_program();
    let mut text = serde_json::to_vec(&about).expect("nothing here that JSON cannot hold");
    text.resize(text.len().next_multiple_of(8), b' ');
    text
}
