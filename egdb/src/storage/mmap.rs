//! Memory-mapped files: nothing is loaded at start, and the system's page cache is the cache.

#![expect(unsafe_code, reason = "mapping a file is unsafe by nature; this is the one place")]

use std::io;
use std::ops::Deref;
#[cfg(unix)]
use std::sync::{
    OnceLock,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

#[cfg(unix)]
use memmap2::Advice;
use memmap2::Mmap;

use super::{Bytes, DataFile, InPlace};
#[cfg(unix)]
use crate::layout::BLOCK;

/// Files longer than this are read at random addresses only, so read-ahead would be useless.
#[cfg(unix)]
const READ_AHEAD_LIMIT: u64 = 64 << 20;

/// All data files mapped into memory.
///
/// The files must not be changed or shortened while they are mapped: a read of a page that the
/// file no longer has ends the process with a signal. A failing disk does the same; use
/// [`super::BlockCache`] for media that may vanish.
pub type MemoryMap = InPlace<MappedFile>;

/// A file mapped into memory.
#[derive(Debug)]
pub struct MappedFile {
    map: Mmap,
    #[cfg(unix)]
    resident: Resident,
}

impl Deref for MappedFile {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl Bytes for MappedFile {
    /// Always true outside Unix, whose systems alone are asked.
    #[inline]
    fn has_in_memory(&self, block: u32) -> bool {
        #[cfg(unix)]
        return self.resident.has(&self.map, block);
        #[cfg(not(unix))]
        let _ = block;
        #[cfg(not(unix))]
        true
    }
}

/// Which blocks of a mapped file the system was found to have in memory.
///
/// To ask the system takes as long as a look-up, so its yes is kept. It may drop a block later:
/// that happens when memory is short, and then other blocks are missing too. So each no makes
/// a part of the kept answers void, in turn.
#[cfg(unix)]
#[derive(Debug)]
struct Resident {
    /// A bit for each block.
    found: Box<[AtomicU64]>,
    /// The word of `found` that is cleared next.
    next: AtomicUsize,
}

#[cfg(unix)]
impl Resident {
    fn new(len: usize) -> Resident {
        let words = len.div_ceil(BLOCK).div_ceil(64);
        Resident { found: (0..words).map(|_| AtomicU64::new(0)).collect(), next: 0.into() }
    }

    #[inline]
    fn has(&self, map: &[u8], block: u32) -> bool {
        let Some(word) = self.found.get(block as usize / 64) else { return true };
        let bit = 1 << (block % 64);
        word.load(Ordering::Relaxed) & bit != 0 || self.ask(map, block, word, bit)
    }

    #[cold]
    #[inline(never)]
    fn ask(&self, map: &[u8], block: u32, word: &AtomicU64, bit: u64) -> bool {
        if is_resident(map, block) {
            word.fetch_or(bit, Ordering::Relaxed);
            return true;
        }
        let next = self.next.fetch_add(1, Ordering::Relaxed) % self.found.len();
        self.found[next].store(0, Ordering::Relaxed);
        false
    }
}

/// Whether the system has the pages of a block in memory; yes if it does not say. Linux says yes
/// about files that the user neither owns nor may write.
#[cfg(unix)]
fn is_resident(map: &[u8], block: u32) -> bool {
    static PAGE: OnceLock<usize> = OnceLock::new();
    // SAFETY: asks for a constant of the system.
    let page = *PAGE.get_or_init(|| unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as usize);
    let start = block as usize * BLOCK / page * page;
    let Some(bytes) = map.get(start..map.len().min((block as usize + 1) * BLOCK)) else {
        return true;
    };
    let mut pages = [1; BLOCK / MIN_PAGE + 1];
    if bytes.is_empty() || bytes.len().div_ceil(page) > pages.len() {
        return true;
    }
    // SAFETY: `bytes` lies in a map and begins on the border of a page, as the map does; `pages`
    // has room for a byte for each of its pages.
    let result =
        unsafe { libc::mincore(bytes.as_ptr().cast_mut().cast(), bytes.len(), pages.as_mut_ptr()) };
    result != 0 || pages[..bytes.len().div_ceil(page)].iter().all(|page| page & 1 != 0)
}

/// No system has smaller pages.
#[cfg(unix)]
const MIN_PAGE: usize = 1 << 10;

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
            maps.push(MappedFile {
                #[cfg(unix)]
                resident: Resident::new(map.len()),
                map,
            });
        }
        Ok(InPlace::of(files, maps))
    }
}
