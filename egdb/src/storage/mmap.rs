//! Memory-mapped files: nothing is loaded at start, and the system's page cache is the cache.

#![expect(unsafe_code, reason = "mapping a file is unsafe by nature; this is the one place")]

use std::io;

#[cfg(unix)]
use memmap2::Advice;
use memmap2::Mmap;

use super::{DataFile, InPlace};

/// Files longer than this are read at random addresses only, so read-ahead would be useless.
#[cfg(unix)]
const READ_AHEAD_LIMIT: u64 = 64 << 20;

/// All data files mapped into memory.
///
/// The files must not be changed or shortened while they are mapped: a read of a page that the
/// file no longer has ends the process with a signal. A failing disk does the same; use
/// [`super::BlockCache`] for media that may vanish.
pub type MemoryMap = InPlace<Mmap>;

impl MemoryMap {
    /// Maps the files.
    ///
    /// # Errors
    /// The number of the file and the cause, if the system refuses.
    pub fn new(files: Vec<DataFile>) -> Result<MemoryMap, (usize, io::Error)> {
        let mut maps = Vec::with_capacity(files.len());
        for (i, file) in files.iter().enumerate() {
            let Some(file) = file.file() else {
                return Err((i, io::Error::from(io::ErrorKind::Unsupported)));
            };
            // SAFETY: the map is read-only, and lives no longer than `DataFile` keeps the file
            // open. That nobody changes a database file while it is open is the documented
            // contract of this type, as no program can enforce it; all accesses below are
            // bounds-checked slices of the map's own length.
            let map = unsafe { Mmap::map(file) }.map_err(|error| (i, error))?;
            #[cfg(unix)]
            if map.len() as u64 > READ_AHEAD_LIMIT {
                // Only advice; without it the system reads as usual.
                let _ = map.advise(Advice::Random);
            }
            maps.push(map);
        }
        Ok(InPlace::of(files, maps))
    }
}
