//! Where the bytes of the data files come from.
//!
//! Readers ask for pieces of blocks of 4096 bytes and get copies. Copying 64 bytes is faster than
//! taking a lock, and no reader holds a block that could be evicted.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use meerslag_files::check_regular;

use crate::layout::PIECE;
use crate::stats::ShardedCounters;

mod cache;
mod in_place;
#[cfg(feature = "mmap")]
mod mmap;

pub use cache::BlockCache;
pub use in_place::{Bytes, Fixed, InPlace};
#[cfg(feature = "mmap")]
pub use mmap::MemoryMap;

/// A data file of an open database.
#[derive(Debug)]
pub struct DataFile {
    /// Its name, for messages.
    pub path: PathBuf,
    /// Its length in bytes.
    pub len: u64,
    content: Content,
}

#[derive(Debug)]
enum Content {
    File(File),
    /// Part of the program.
    Fixed(&'static [u8]),
    Remote(Remote),
}

/// Fills a buffer with the bytes of a file from an offset on.
pub type Fetch = dyn Fn(u64, &mut [u8]) -> io::Result<()> + Send + Sync;

struct Remote(Box<Fetch>);

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Remote")
    }
}

impl DataFile {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be opened or is not a regular file.
    pub fn open(path: PathBuf) -> io::Result<DataFile> {
        check_regular(&path)?;
        let file = File::open(&path)?;
        let len = file.metadata()?.len();
        Ok(DataFile { path, len, content: Content::File(file) })
    }

    /// A file that is part of the program; the path is for messages only.
    #[must_use]
    pub fn fixed(path: PathBuf, bytes: &'static [u8]) -> DataFile {
        DataFile { path, len: bytes.len() as u64, content: Content::Fixed(bytes) }
    }

    /// A file of this length elsewhere, from which `fetch` gets bytes. The path is for messages only.
    #[must_use]
    pub fn remote(path: PathBuf, len: u64, fetch: Box<Fetch>) -> DataFile {
        DataFile { path, len, content: Content::Remote(Remote(fetch)) }
    }

    /// The open file; `None` for one that is part of the program or elsewhere.
    #[must_use]
    pub fn file(&self) -> Option<&File> {
        match &self.content {
            Content::File(file) => Some(file),
            Content::Fixed(_) | Content::Remote(_) => None,
        }
    }

    /// The bytes of a file that is part of the program.
    #[must_use]
    pub fn fixed_bytes(&self) -> Option<&'static [u8]> {
        match self.content {
            Content::File(_) | Content::Remote(_) => None,
            Content::Fixed(bytes) => Some(bytes),
        }
    }

    /// Fills `buf` from `offset`, with zeros beyond the end of the file. No seek, so threads do
    /// not disturb each other.
    ///
    /// # Errors
    /// If the system cannot read, or the file has become shorter; in WebAssembly for all files that are
    /// not remote.
    pub fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let here = (self.len.saturating_sub(offset).min(buf.len() as u64)) as usize;
        let (inside, outside) = buf.split_at_mut(here);
        outside.fill(0);
        let file = match &self.content {
            Content::File(file) => file,
            Content::Remote(Remote(fetch)) => return fetch(offset, inside),
            Content::Fixed(bytes) => {
                // `len` is the number of bytes, so the part inside is there.
                if let Some(bytes) = bytes.get(offset as usize..).and_then(|b| b.get(..here)) {
                    inside.copy_from_slice(bytes);
                }
                return Ok(());
            }
        };
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_exact_at(file, inside, offset);
        #[cfg(windows)]
        {
            let (mut inside, mut offset) = (inside, offset);
            while !inside.is_empty() {
                let n = std::os::windows::fs::FileExt::seek_read(file, inside, offset)?;
                if n == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                inside = &mut inside[n..];
                offset += n as u64;
            }
            Ok(())
        }
        #[cfg(not(any(unix, windows)))]
        {
            let _ = (file, inside, offset);
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}

/// A way to read blocks of data files.
///
/// `piece` is filled from `offset` within the block; what lies beyond the end of the file reads
/// as zeros. `offset` and the piece's length are multiples of 8, and the piece lies within the
/// block.
pub trait Storage: Send + Sync + fmt::Debug {
    /// Reads a piece, from memory or from disk.
    ///
    /// # Errors
    /// If the disk cannot be read.
    fn read(
        &self,
        file: usize,
        block: u32,
        offset: usize,
        piece: &mut [u8],
        counters: &ShardedCounters,
    ) -> io::Result<()>;

    /// Reads a piece if that needs no disk access; else returns false.
    fn read_cached(&self, file: usize, block: u32, offset: usize, piece: &mut [u8]) -> bool;

    /// Whether the piece of [`PIECE`] bytes there needs no disk access. Means something only where
    /// [`Storage::in_place`] has an answer.
    #[inline]
    fn has_in_memory(&self, _file: usize, _block: u32, _offset: usize) -> bool {
        true
    }

    /// All bytes of a file, where the backend has them in memory.
    #[inline]
    fn in_place(&self, _file: usize) -> Option<&[u8]> {
        None
    }

    /// A hint that a piece is going to be read soon. Has no observable effect.
    #[inline]
    fn touch(&self, _file: usize, _block: u32, _offset: usize) {}

    /// The files, in the order of their numbers.
    fn files(&self) -> &[DataFile];

    /// Memory that this backend keeps for blocks and their administration, in bytes.
    fn memory(&self) -> usize;
}

/// The backends, without the cost of a call through a table.
#[derive(Debug)]
pub(crate) enum AnyStorage {
    Cache(BlockCache),
    Fixed(Fixed),
    #[cfg(feature = "mmap")]
    Map(MemoryMap),
}

/// Asks for a piece from there on: two cache lines usually reach to its end.
#[inline(always)]
pub(crate) fn prefetch_piece(bytes: &[u8], at: usize) {
    if let Some([first, .., last]) = bytes.get(at..at + PIECE) {
        movegen::isa::prefetch(first);
        movegen::isa::prefetch(last);
    }
}

macro_rules! forward {
    ($self:ident, $storage:ident => $call:expr) => {
        match $self {
            AnyStorage::Cache($storage) => $call,
            AnyStorage::Fixed($storage) => $call,
            #[cfg(feature = "mmap")]
            AnyStorage::Map($storage) => $call,
        }
    };
}

impl Storage for AnyStorage {
    #[inline]
    fn read(
        &self,
        file: usize,
        block: u32,
        offset: usize,
        piece: &mut [u8],
        counters: &ShardedCounters,
    ) -> io::Result<()> {
        forward!(self, storage => storage.read(file, block, offset, piece, counters))
    }

    #[inline]
    fn read_cached(&self, file: usize, block: u32, offset: usize, piece: &mut [u8]) -> bool {
        forward!(self, storage => storage.read_cached(file, block, offset, piece))
    }

    #[inline]
    fn has_in_memory(&self, file: usize, block: u32, offset: usize) -> bool {
        forward!(self, storage => storage.has_in_memory(file, block, offset))
    }

    #[inline(always)]
    fn in_place(&self, file: usize) -> Option<&[u8]> {
        forward!(self, storage => storage.in_place(file))
    }

    #[inline]
    fn touch(&self, file: usize, block: u32, offset: usize) {
        forward!(self, storage => storage.touch(file, block, offset));
    }

    #[inline]
    fn files(&self) -> &[DataFile] {
        forward!(self, storage => storage.files())
    }

    fn memory(&self) -> usize {
        forward!(self, storage => storage.memory())
    }
}
