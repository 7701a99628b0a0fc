//! Files whose bytes can be read in place: mapped into memory, or part of the program.

use std::fmt::Debug;
use std::io;
use std::ops::Deref;
use std::path::PathBuf;

use super::{DataFile, Storage, prefetch_piece};
use crate::layout::{BLOCK, PIECE};
use crate::stats::ShardedCounters;

/// The bytes of a data file.
pub trait Bytes: Deref<Target = [u8]> {
    /// Whether a block can be read without the disk.
    #[inline]
    fn has_in_memory(&self, _block: u32) -> bool {
        true
    }
}

impl Bytes for &'static [u8] {}

/// Data files with their bytes.
#[derive(Debug)]
pub struct InPlace<B> {
    files: Vec<DataFile>,
    bytes: Vec<B>,
}

/// Data files that are part of the program.
pub type Fixed = InPlace<&'static [u8]>;

impl<B> InPlace<B> {
    /// Files with the bytes of each.
    #[cfg(feature = "mmap")]
    pub(super) fn of(files: Vec<DataFile>, bytes: Vec<B>) -> InPlace<B> {
        InPlace { files, bytes }
    }
}

impl<B: Bytes> InPlace<B> {
    /// All bytes of a file.
    ///
    /// # Panics
    /// If there is no file with this number.
    #[must_use]
    pub fn bytes(&self, file: usize) -> &[u8] {
        &self.bytes[file]
    }
}

impl Fixed {
    /// Files that are part of the program, by name.
    #[must_use]
    pub fn new(files: Vec<(PathBuf, &'static [u8])>) -> Fixed {
        let bytes = files.iter().map(|(_, bytes)| *bytes).collect();
        let files = files.into_iter().map(|(path, bytes)| DataFile::fixed(path, bytes)).collect();
        InPlace { files, bytes }
    }
}

impl<B: Bytes + Debug + Send + Sync> Storage for InPlace<B> {
    #[inline]
    fn read(
        &self,
        file: usize,
        block: u32,
        offset: usize,
        piece: &mut [u8],
        _counters: &ShardedCounters,
    ) -> io::Result<()> {
        let map: &[u8] = &self.bytes[file];
        let start = block as usize * BLOCK + offset;
        if let Some(bytes) = map.get(start..start + piece.len()) {
            piece.copy_from_slice(bytes);
        } else {
            let bytes = map.get(start..).unwrap_or_default();
            let len = bytes.len().min(piece.len());
            piece[..len].copy_from_slice(&bytes[..len]);
            piece[len..].fill(0);
        }
        Ok(())
    }

    fn read_cached(&self, file: usize, block: u32, offset: usize, piece: &mut [u8]) -> bool {
        self.has_in_memory(file, block, 0)
            && self.read(file, block, offset, piece, &ShardedCounters::NONE).is_ok()
    }

    #[inline]
    fn has_in_memory(&self, file: usize, block: u32, offset: usize) -> bool {
        let file = &self.bytes[file];
        file.has_in_memory(block) && (offset + PIECE <= BLOCK || file.has_in_memory(block + 1))
    }

    #[inline(always)]
    fn in_place(&self, file: usize) -> Option<&[u8]> {
        Some(self.bytes.get(file)?)
    }

    #[inline]
    fn touch(&self, file: usize, block: u32, offset: usize) {
        prefetch_piece(&self.bytes[file], block as usize * BLOCK + offset);
    }

    fn files(&self) -> &[DataFile] {
        &self.files
    }

    fn memory(&self) -> usize {
        0
    }
}
