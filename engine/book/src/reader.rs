//! A book for look-ups: a memory-mapped file, or bytes.

use std::cmp::Reverse;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use egdb::storage::{DataFile, MemoryMap};
use meerslag_files::frame::FrameError;
use movegen::{Move, Position};

use super::error::BookError;
use super::format::{
    About, CELL, FRAME, HEAD, Head, MOVE, MoveEntry, POSITION, PositionEntry, PositionRecord,
    head_sum,
};
use movegen::key::{Key, folded_move};

/// The program's own book, and the part of it for browsers, which fetch it; docs/book.md says how
/// they were made.
static BUILT_IN: &[u8] = if cfg!(target_family = "wasm") {
    include_bytes!("../data/browser.book").as_slice()
} else {
    include_bytes!("../data/opening.book").as_slice()
};

/// An opening book.
///
/// # Examples
/// ```no_run
/// use meerslag_book::Book;
/// use movegen::Position;
///
/// let book = Book::open("games.book".as_ref())?;
/// if let Some((entry, moves)) = book.look_up(&Position::initial()) {
///     println!("{} games", entry.games);
///     for (mv, known) in moves {
///         println!("{mv}: {} games", known.games);
///     }
/// }
/// # Ok::<(), meerslag_book::BookError>(())
/// ```
pub struct Book {
    path: PathBuf,
    bytes: Bytes,
    about: About,
    head: Head,
    /// Where the tables begin.
    starts: [usize; 3],
}

enum Bytes {
    Mapped(MemoryMap),
    Held(Vec<u8>),
    Fixed(&'static [u8]),
}

impl Bytes {
    fn all(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map.bytes(0),
            Bytes::Held(bytes) => bytes,
            Bytes::Fixed(bytes) => bytes,
        }
    }
}

impl Book {
    /// Opens a file and reads all of it once. The file must not be changed while it is open; our
    /// programs write a changed book as a new file.
    ///
    /// # Errors
    /// If it cannot be read, is not a book of this version, or its length or a checksum disagrees
    /// with its head.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        let file = DataFile::open(path.to_owned()).map_err(BookError::io(path))?;
        if !path.is_file() {
            let error = std::io::Error::new(std::io::ErrorKind::InvalidInput, "not a regular file");
            return Err(BookError::Io { path: path.to_owned(), error });
        }
        if file.len == 0 {
            // An empty file cannot be mapped.
            return Err(BookError::Foreign { path: path.to_owned() });
        }
        let map = MemoryMap::new(vec![file])
            .map_err(|(_, error)| BookError::Io { path: path.to_owned(), error })?;
        Book::new(path.to_owned(), Bytes::Mapped(map))
    }

    /// A book in memory; the name is for messages.
    ///
    /// # Errors
    /// As [`Book::open`].
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Book, BookError> {
        Book::new(name.into(), Bytes::Held(bytes))
    }

    /// The book that is part of the program.
    #[must_use]
    pub fn built_in() -> Arc<Book> {
        static BOOK: OnceLock<Arc<Book>> = OnceLock::new();
        let open = || {
            let book = Book::new("the book of the program".into(), Bytes::Fixed(BUILT_IN));
            Arc::new(book.expect("the tests open it"))
        };
        Arc::clone(BOOK.get_or_init(open))
    }

    /// The book that a user has named: a file, or the word `built-in` or nothing for the one in the
    /// program.
    ///
    /// # Errors
    /// As [`Book::open`].
    pub fn named(name: &str) -> Result<Arc<Book>, BookError> {
        match name {
            "" | "built-in" => Ok(Book::built_in()),
            path => Book::open(path.as_ref()).map(Arc::new),
        }
    }

    fn new(path: PathBuf, bytes: Bytes) -> Result<Book, BookError> {
        let (head, about, starts) = examine(&path, bytes.all())?;
        Ok(Book { path, bytes, about, head, starts })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its length in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.bytes.all().len() as u64
    }

    /// Where it comes from.
    #[must_use]
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.head.positions as usize
    }

    /// Whether it has no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of moves.
    #[must_use]
    pub fn move_count(&self) -> usize {
        self.head.moves as usize
    }

    /// Number of cells of the move tree, which is made of positions and moves when it is asked for
    /// (see [`walk`](super::walk)): its root, and the moves of positions in lines.
    #[must_use]
    pub fn cell_count(&self) -> usize {
        let records = (0..self.len()).filter_map(|index| self.position_record(index));
        let in_lines = records.filter(|record| record.entry.is_in_line);
        1 + in_lines.map(|record| usize::from(record.moves)).sum::<usize>()
    }

    /// The record of this number in one of the tables.
    fn record<const N: usize>(&self, table: usize, index: usize) -> Option<&[u8; N]> {
        let start = self.starts[table].checked_add(index.checked_mul(N)?)?;
        let end = self.starts.get(table + 1).copied().unwrap_or(self.bytes.all().len());
        let record = self.bytes.all().get(start..start.checked_add(N)?)?;
        if start + N <= end { record.try_into().ok() } else { None }
    }

    pub(super) fn position_record(&self, index: usize) -> Option<PositionRecord> {
        PositionRecord::from_bytes(self.record::<POSITION>(0, index)?)
    }

    /// The position of this number, from 0; `None` beyond the last, and for a record that is not a
    /// position.
    #[must_use]
    pub fn position(&self, index: usize) -> Option<PositionEntry> {
        self.position_record(index).map(|record| record.entry)
    }

    /// The moves of the position of this number, in the order of their codes.
    pub fn moves(&self, index: usize) -> impl Iterator<Item = MoveEntry> {
        let (first, count) = self
            .position_record(index)
            .map_or((0, 0), |record| (record.first_move as usize, usize::from(record.moves)));
        (first..first + count).map_while(move |index| self.move_at(index))
    }

    pub(super) fn move_at(&self, index: usize) -> Option<MoveEntry> {
        Some(MoveEntry::from_bytes(self.record::<MOVE>(1, index)?))
    }

    /// The number of a position, whichever side is to move; `None` if the book does not have it.
    #[must_use]
    pub fn find(&self, position: &Position) -> Option<usize> {
        // Books are of the international game.
        position.variant().is_international().then(|| self.find_key(Key::of(position)))?
    }

    /// What the book knows about a position, and its legal moves as they are played; `None` if the
    /// book does not have it.
    #[must_use]
    pub fn look_up(&self, position: &Position) -> Option<(PositionEntry, Vec<(Move, MoveEntry)>)> {
        let index = self.find(position)?;
        let side = position.side_to_move();
        let legal = position.legal_moves();
        // A damaged book can hold any move.
        let moves = self
            .moves(index)
            .filter_map(|entry| Some((folded_move(entry.folded()?, side), entry)))
            .filter(|(mv, _)| legal.contains(mv))
            .collect();
        Some((self.position(index)?, moves))
    }

    /// As [`Book::look_up`], with the best moves first: by score, then by estimate, then by games.
    #[must_use]
    pub fn best_first(
        &self,
        position: &Position,
    ) -> Option<(PositionEntry, Vec<(Move, MoveEntry)>)> {
        let (entry, mut moves) = self.look_up(position)?;
        moves.sort_by_key(|(_, entry)| Reverse((entry.score, entry.estimate, entry.games)));
        Some((entry, moves))
    }

    pub(super) fn find_key(&self, key: Key) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.position(middle)?.key.cmp(&key) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

impl PartialEq for Book {
    /// Whether both are the same open book.
    fn eq(&self, other: &Book) -> bool {
        std::ptr::eq(self, other)
    }
}

impl fmt::Debug for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Book").field("path", &self.path).field("head", &self.head).finish()
    }
}

/// Checks that the parts are complete and have their checksums.
fn examine(path: &Path, bytes: &[u8]) -> Result<(Head, About, [usize; 3]), BookError> {
    let damaged = |reason: String| BookError::damaged(path, reason);
    if !bytes.starts_with(FRAME.magic) {
        return Err(BookError::Foreign { path: path.to_owned() });
    }
    let short =
        || damaged(format!("it ends after {} bytes, within the head of {HEAD} bytes", bytes.len()));
    let fixed: &[u8; HEAD] = bytes.first_chunk().ok_or_else(short)?;
    let u32_at = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| fixed[at + i]));
    let u64_at = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| fixed[at + i]));
    let text = FRAME.text_len(fixed).map_err(|error| match error {
        FrameError::Version { found, .. } => {
            BookError::Version { path: path.to_owned(), version: found }
        }
        error => damaged(error.to_string()),
    })?;
    let head = Head {
        text: text as u32,
        positions: u64_at(16),
        moves: u64_at(24),
        cells: u64_at(32),
        sums: [40, 44, 48].map(u32_at),
    };
    let text_end = HEAD + text;
    let text = bytes
        .get(HEAD..text_end)
        .ok_or_else(|| damaged(format!("it ends after {} bytes, within its text", bytes.len())))?;
    if head_sum(fixed, text) != u32_at(60) {
        return Err(damaged("the checksum of its head is wrong".to_owned()));
    }
    let about: About = serde_json::from_slice(text)
        .map_err(|error| damaged(format!("the text of its head: {error}")))?;
    let tables = [
        ("positions", head.positions, POSITION),
        ("moves", head.moves, MOVE),
        ("tree", head.cells, CELL),
    ];
    let mut starts = [0; 3];
    let mut end = text_end as u64;
    for (start, (_, count, size)) in starts.iter_mut().zip(tables) {
        *start = usize::try_from(end).unwrap_or(usize::MAX);
        end = end.saturating_add(count.saturating_mul(size as u64));
    }
    if end != bytes.len() as u64 {
        return Err(damaged(format!("it has {} bytes, its head says {end}", bytes.len())));
    }
    for (index, (name, count, size)) in tables.into_iter().enumerate() {
        let table = &bytes[starts[index]..][..count as usize * size];
        if crc32fast::hash(table) != head.sums[index] {
            let reason = format!("the checksum of its table of {name} is wrong");
            return Err(damaged(reason));
        }
    }
    Ok((head, about, starts))
}
