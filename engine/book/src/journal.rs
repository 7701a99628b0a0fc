//! The searches since a book was last written: none is lost, however the process ends.
//!
//! The file begins with the eight bytes `MEERJRNL`. Each search adds a record of 24 bytes in one
//! write: the key (16), the score (2), the depth (1), a zero, and the CRC-32 of these 20 bytes.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use meerslag_files::exclusive::{self, LockedFile, OwnedFile};
use meerslag_files::frame;

use super::error::BookError;
use super::format::{Searched, score_bits, score_of_bits};
use movegen::key::Key;

const MAGIC: &[u8; 8] = b"MEERJRNL";
const RECORD: usize = 24;
/// The length of a journal without records.
const EMPTY: u64 = MAGIC.len() as u64;

/// A lock: while it exists, only this process may change the book. An expansion by search takes it
/// itself; other code that changes a book takes it before reading.
#[derive(Debug)]
pub struct BookLock(Option<Journal>);

impl BookLock {
    /// Locks a book, which need not exist yet.
    ///
    /// # Errors
    /// If another process has it, or nothing can be written beside it.
    pub fn take(book: &Path) -> Result<BookLock, BookError> {
        Ok(BookLock(Some(Journal::open(book)?.0)))
    }
}

impl Drop for BookLock {
    fn drop(&mut self) {
        if let Some(journal) = self.0.take() {
            journal.close();
        }
    }
}

/// The journal of a book, open for this process alone.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: LockedFile,
}

/// The searches that an earlier run left.
#[derive(Debug, Default)]
pub struct Earlier {
    /// Positions and what was found.
    pub searched: Vec<(Key, Searched)>,
    /// Damaged records, which are left out.
    pub damaged: u64,
}

impl Journal {
    /// Opens the journal of a book, or starts it, and returns what is in it. Anything half-written
    /// by a killed process is cut off.
    ///
    /// # Errors
    /// If it cannot be read or written, is not a journal, or another process has it.
    pub fn open(book: &Path) -> Result<(Journal, Earlier), BookError> {
        let path = path_of(book);
        let failed = BookError::io;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = match exclusive::open(&path, &mut options) {
            Ok(file) => file,
            Err(exclusive::Error::InUse) => {
                let text = format!("{} is being changed by another process", book.display());
                return Err(BookError::Input(text));
            }
            Err(exclusive::Error::Io(error)) => return Err(failed(&path)(error)),
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed(&path))?;
        if !bytes.starts_with(MAGIC) && !MAGIC.starts_with(&bytes) {
            return Err(BookError::damaged(&path, "it does not begin with MEERJRNL"));
        }
        let records = bytes.get(MAGIC.len()..).unwrap_or_default();
        let records = records.chunks_exact(RECORD);
        let count = records.len();
        let searched: Vec<_> = records.filter_map(read_record).collect();
        let mut journal = Journal { path, file };
        let good = MAGIC.len() + count * RECORD;
        let start = |journal: &mut Journal| -> io::Result<()> {
            if bytes.len() < MAGIC.len() {
                journal.file.rewind()?;
                journal.file.write_all(MAGIC)?;
            }
            journal.file.set_len(good as u64)?;
            journal.file.seek(SeekFrom::End(0)).map(|_| ())
        };
        start(&mut journal).map_err(failed(&journal.path))?;
        let damaged = (count - searched.len()) as u64;
        Ok((journal, Earlier { searched, damaged }))
    }

    /// Adds a record, in one write.
    pub fn add(&mut self, key: Key, searched: Searched) -> Result<(), BookError> {
        let mut record = [0; RECORD];
        record[..16].copy_from_slice(&key.to_bytes());
        record[16..18].copy_from_slice(&score_bits(Some(searched.score)).to_le_bytes());
        record[18] = searched.depth;
        let sum = crc32fast::hash(&record[..20]);
        record[20..].copy_from_slice(&sum.to_le_bytes());
        self.file.add(&record).map_err(BookError::io(&self.path))
    }

    /// Empties the journal, since the book has everything.
    pub fn clear(&mut self) -> Result<(), BookError> {
        let clear = |file: &mut File| -> io::Result<()> {
            file.set_len(MAGIC.len() as u64)?;
            file.seek(SeekFrom::End(0)).map(|_| ())
        };
        clear(&mut self.file).map_err(BookError::io(&self.path))
    }

    /// Unlocks the book; an empty journal is removed.
    pub fn close(self) {
        if self.file.metadata().is_ok_and(|data| data.len() <= EMPTY) {
            // If it stays, it does no harm.
            let _ = self.file.remove(&self.path);
        }
    }
}

/// The journal of a book: its name with `.journal`, beside the file itself if the name is a link.
pub fn path_of(book: &Path) -> PathBuf {
    let book = std::fs::canonicalize(book).unwrap_or_else(|_| book.to_owned());
    let mut name = book.into_os_string();
    name.push(".journal");
    name.into()
}

fn read_record(bytes: &[u8]) -> Option<(Key, Searched)> {
    let content = frame::unsealed(bytes)?;
    let key = Key::from_bytes(*content.first_chunk()?)?;
    let score = score_of_bits(i16::from_le_bytes([content[16], content[17]]))?;
    Some((key, Searched { score, depth: content[18] }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::Position;
    use movegen::Score;

    #[test]
    fn what_a_killed_process_left_is_read_up_to_the_last_whole_record() {
        let folder = tempfile::tempdir().unwrap();
        let book = folder.path().join("x.book");
        let key = Key::of(&Position::initial());
        let found = |score| Searched { score: Score::new(score), depth: 18 };
        let (mut journal, old) = Journal::open(&book).unwrap();
        assert!(old.searched.is_empty());
        journal.add(key, found(-7)).unwrap();
        journal.add(key, found(12)).unwrap();
        assert!(matches!(Journal::open(&book), Err(BookError::Input(_))), "in use");
        drop(journal);
        let path = path_of(&book);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (mut journal, Earlier { searched: old, damaged }) = Journal::open(&book).unwrap();
            assert_eq!(damaged, 0);
            let records = cut.saturating_sub(8) / RECORD;
            assert_eq!(old, [(key, found(-7)), (key, found(12))][..records], "{cut} bytes");
            journal.add(key, found(3)).unwrap();
            drop(journal);
            let (_, again) = Journal::open(&book).unwrap();
            assert_eq!(again.searched.len(), records + 1);
        }
        let mut damaged = whole.clone();
        damaged[8 + 17] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let (_, Earlier { searched: old, damaged }) = Journal::open(&book).unwrap();
        assert_eq!((old, damaged), (vec![(key, found(12))], 1));
        std::fs::write(&path, "something else").unwrap();
        assert!(matches!(Journal::open(&book), Err(BookError::Damaged { .. })));
    }
}
