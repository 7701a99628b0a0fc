//! Memory-mapped files: nothing is loaded at start, and the system's page cache is the cache.

#![expect(unsafe_code, reason = "mapping a file is unsafe by nature; this is the one place")]

use std::io;

use memmap2::{Advice, Mmap};

use super::{DataFile, PIECE, Storage};
use crate::format::BLOCK;
use crate::stats::Counters;

/// Files longer than this are read at random addresses only, so read-ahead would be in vain.
const READ_AHEAD_LIMIT: u64 = 64 << 20;

/// All data files mapped into memory.
///
/// The files must not be changed or shortened while they are mapped: a read of a page that the
/// file no longer has ends the process with a signal. A failing disk does the same; use
/// [`super::BlockCache`] for media that may vanish.
#[derive(Debug)]
pub struct MemoryMap {
    files: Vec<DataFile>,
    maps: Vec<Mmap>,
}

impl MemoryMap {
    /// Maps the files.
    ///
    /// # Errors
    /// The number of the file and the cause, if the system refuses.
    pub fn new(files: Vec<DataFile>) -> Result<MemoryMap, (usize, io::Error)> {
        let mut maps = Vec::with_capacity(files.len());
        for (i, file) in files.iter().enumerate() {
            // SAFETY: the map is read-only, and lives no longer than `DataFile` keeps the file
            // open. That nobody changes a database file while it is open is the documented
            // contract of this type, as no program can enforce it; all accesses below are
            // bounds-checked slices of the map's own length.
            let map = unsafe { Mmap::map(&file.file) }.map_err(|error| (i, error))?;
            if file.len > READ_AHEAD_LIMIT {
                // Advice only; a system that does not know it reads all the same.
                let _ = map.advise(Advice::Random);
            }
            maps.push(map);
        }
        Ok(MemoryMap { files, maps })
    }
}

impl Storage for MemoryMap {
    #[inline]
    fn read(
        &self,
        file: usize,
        block: u32,
        offset: usize,
        piece: &mut [u8],
        _counters: &Counters,
    ) -> io::Result<()> {
        let map: &[u8] = &self.maps[file];
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
        self.read(file, block, offset, piece, &Counters::NONE).is_ok()
    }

    #[inline]
    fn mapped(&self, file: usize, block: u32, offset: usize) -> Option<&[u8; PIECE]> {
        let map: &[u8] = &self.maps[file];
        map.get(block as usize * BLOCK + offset..)?.first_chunk()
    }

    #[inline]
    fn touch(&self, file: usize, block: u32, offset: usize) {
        let map: &[u8] = &self.maps[file];
        let start = block as usize * BLOCK + offset;
        // From there to the end of a piece: mostly two lines.
        for near in [start, start + PIECE - 1] {
            if let Some(byte) = map.get(near) {
                crate::isa::prefetch(byte);
            }
        }
    }

    fn files(&self) -> &[DataFile] {
        &self.files
    }

    fn memory(&self) -> usize {
        0
    }
}
