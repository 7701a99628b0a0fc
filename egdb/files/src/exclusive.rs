//! Files that only one process at a time writes.

use std::fmt::Debug;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::{Deref, DerefMut};
use std::path::Path;

/// Why a file cannot be opened exclusively.
#[derive(Debug)]
pub enum Error {
    /// Another process has it.
    InUse,
    /// The system refuses.
    Io(io::Error),
}

/// A file that no other process can open this way while this value lives.
#[derive(Debug)]
pub struct LockedFile(File);

impl LockedFile {
    /// Removes the file at this path before another process can open it.
    ///
    /// # Errors If the system refuses.
    pub fn remove(self, path: &Path) -> io::Result<()> {
        // There, an open file cannot be removed.
        #[cfg(windows)]
        drop(self);
        std::fs::remove_file(path)
    }
}

/// A file that one process at a time writes, always at its end.
pub trait OwnedFile: Read + Write + Seek + Debug + Send {
    /// Whether the path still leads to it: nobody has removed or replaced it.
    fn is_at(&self, path: &Path) -> bool;

    /// Cuts it off.
    ///
    /// # Errors
    /// If the system refuses.
    fn cut(&mut self, length: u64) -> io::Result<()>;

    /// Removes it.
    ///
    /// # Errors
    /// If the system refuses.
    fn remove(self: Box<Self>, path: &Path) -> io::Result<()>;

    /// Adds bytes at its end: if that fails none, so that what is added later can be read.
    ///
    /// # Errors
    /// If the system refuses, for example because the disk is full.
    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        let length = self.seek(SeekFrom::End(0))?;
        let added = self.write_all(bytes);
        if added.is_err() {
            let _ = self.cut(length);
        }
        added
    }
}

impl OwnedFile for LockedFile {
    fn is_at(&self, path: &Path) -> bool {
        is_still_there(path, &self.0)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn remove(self: Box<Self>, path: &Path) -> io::Result<()> {
        LockedFile::remove(*self, path)
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl DerefMut for LockedFile {
    fn deref_mut(&mut self) -> &mut File {
        &mut self.0
    }
}

impl Read for LockedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for LockedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for LockedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // Closing alone is not enough: a program that another thread is just starting holds the
        // same lock until it has closed what it inherited.
        let _ = self.0.unlock();
    }
}

/// Opens a file with these options, which must include writing. While it is open, nobody else can
/// open it this way or with [`open_shared`]; anybody can read it.
///
/// # Errors
/// See [`Error`].
pub fn open(path: &Path, options: &mut OpenOptions) -> Result<LockedFile, Error> {
    locked(path, options, File::try_lock)
}

/// Opens an existing file for reading. While it is open, others can open it this way, but nobody
/// with [`open`].
///
/// # Errors
/// See [`Error`].
pub fn open_shared(path: &Path) -> Result<LockedFile, Error> {
    locked(path, OpenOptions::new().read(true), File::try_lock_shared)
}

fn locked(
    path: &Path,
    options: &mut OpenOptions,
    lock: fn(&File) -> Result<(), TryLockError>,
) -> Result<LockedFile, Error> {
    // A lock would keep others from reading, too. Writers and readers keep each other out by not
    // sharing write access.
    #[cfg(windows)]
    let _ = (lock, std::os::windows::fs::OpenOptionsExt::share_mode(options, FILE_SHARE_READ));
    let failed = |error: io::Error| {
        if is_shut(&error) { Error::InUse } else { Error::Io(error) }
    };
    let file = options.open(path).map_err(failed)?;
    #[cfg(not(windows))]
    match lock(&file) {
        // The last owner may have removed it meanwhile: then the lock is worthless.
        Ok(()) if !is_still_there(path, &file) => return locked(path, options, lock),
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(Error::InUse),
        // Some network file systems have no locks.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    Ok(LockedFile(file))
}

/// Whether this is still the file at the path.
#[cfg(unix)]
fn is_still_there(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |data: std::fs::Metadata| (data.dev(), data.ino());
    match (std::fs::metadata(path), file.metadata()) {
        (Ok(there), Ok(ours)) => identity(there) == identity(ours),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_still_there(_: &Path, _: &File) -> bool {
    true
}

#[cfg(windows)]
const FILE_SHARE_READ: u32 = 1;

/// Whether another process keeps the file from being opened.
fn is_shut(error: &io::Error) -> bool {
    const ERROR_SHARING_VIOLATION: i32 = 32;
    cfg!(windows) && error.raw_os_error() == Some(ERROR_SHARING_VIOLATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One process waits for the lock of a file that another removes: then the lock is worthless.
    #[cfg(unix)]
    #[test]
    fn a_file_that_was_removed_keeps_nobody_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let late = options.open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(!is_still_there(&path, &late));
        let held = open(&path, &mut options).unwrap();
        assert!(is_still_there(&path, &held) && !is_still_there(&path, &late));
    }

    #[test]
    fn one_alone_or_several_who_share() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let alone = || open(&path, OpenOptions::new().write(true).create(true).truncate(false));
        let first = alone().unwrap();
        assert!(matches!(alone(), Err(Error::InUse)));
        assert!(matches!(open_shared(&path), Err(Error::InUse)));
        assert!(std::fs::read(&path).is_ok());
        drop(first);
        let readers = [open_shared(&path).unwrap(), open_shared(&path).unwrap()];
        assert!(matches!(alone(), Err(Error::InUse)));
        drop(readers);
        let last = alone().unwrap();
        let inherited = last.try_clone().unwrap();
        drop(last);
        alone().unwrap();
        drop(inherited);
    }
}
