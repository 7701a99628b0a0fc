//! Comparing blocks with the checksums of the side files when they are first decoded, so that
//! damage is an error and not a wrong value.
//!
//! Side files are read when the first block of their file is, so opening a database does not wait
//! for them. A block found good is not checked again.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::ProbeCause;
use crate::identify::crc32;
use crate::layout::BLOCK;
use crate::manifest::Manifest;
use crate::storage::{AnyStorage, DataFile, Storage};

/// The checksums of all data files of a database.
#[derive(Debug)]
pub(super) struct Checksums {
    /// By file; empty if nothing is to be compared.
    files: Box<[OnceLock<Option<FileSums>>]>,
}

#[derive(Debug)]
struct FileSums {
    manifest: Manifest,
    /// A bit for each block.
    good: Box<[AtomicU64]>,
}

impl Checksums {
    /// For the files of a storage, or for none of them.
    pub(super) fn new(is_compared: bool, storage: &AnyStorage) -> Checksums {
        let files = if is_compared { storage.files().len() } else { 0 };
        Checksums { files: (0..files).map(|_| OnceLock::new()).collect() }
    }

    /// Whether a block needs no check: it was checked before, or there is nothing to compare it
    /// with.
    #[inline]
    pub(super) fn is_settled(&self, number: usize, block: u32) -> bool {
        match self.files.get(number).map(OnceLock::get) {
            None | Some(Some(None)) => true,
            Some(Some(Some(sums))) => sums.is_good(block),
            Some(None) => false,
        }
    }

    /// Compares a block. A file without a side file, or with a damaged one, passes: there is
    /// nothing to compare with.
    pub(super) fn compare(
        &self,
        number: usize,
        file: &DataFile,
        block: u32,
        bytes: &[u8; BLOCK],
    ) -> Result<(), ProbeCause> {
        let Some(slot) = self.files.get(number) else { return Ok(()) };
        let sums = slot.get_or_init(|| {
            // Files in the program have no side file.
            let file = file.file().map(|_| &file.path)?;
            let manifest = Manifest::read(file).ok()??;
            let words = manifest.blocks.len().div_ceil(64);
            Some(FileSums { manifest, good: (0..words).map(|_| AtomicU64::new(0)).collect() })
        });
        let Some(sums) = sums else { return Ok(()) };
        if sums.is_good(block) {
            return Ok(());
        }
        let start = u64::from(block) * BLOCK as u64;
        let len = file.len.saturating_sub(start).min(BLOCK as u64) as usize;
        let expected = sums.manifest.blocks.get(block as usize);
        if sums.manifest.bytes != file.len || expected != Some(&crc32(&bytes[..len])) {
            return Err(ProbeCause::Checksum);
        }
        sums.good[block as usize / 64].fetch_or(1 << (block % 64), Ordering::Relaxed);
        Ok(())
    }
}

impl FileSums {
    #[inline]
    fn is_good(&self, block: u32) -> bool {
        let word = self.good.get(block as usize / 64);
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (block % 64) & 1 != 0)
    }
}
