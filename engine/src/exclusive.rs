//! Files that one process at a time writes.

#[cfg(not(windows))]
use std::fs::TryLockError;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Why a file cannot be opened for this process alone.
#[derive(Debug)]
pub(crate) enum Error {
    /// Another process writes it.
    InUse,
    /// The system does not let us.
    Io(io::Error),
}

/// Opens a file with these options. As long as it is open, nobody else can open it this way;
/// everybody can read it.
pub(crate) fn open(path: &Path, options: &mut OpenOptions) -> Result<File, Error> {
    // A lock would keep others from reading, too.
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(options, FILE_SHARE_READ);
    let failed = |error: io::Error| {
        if is_shut(&error) { Error::InUse } else { Error::Io(error) }
    };
    let file = options.open(path).map_err(failed)?;
    #[cfg(not(windows))]
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(Error::InUse),
        // Some network file systems have no locks.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    Ok(file)
}

#[cfg(windows)]
const FILE_SHARE_READ: u32 = 1;

/// Whether another process keeps the file from being opened.
fn is_shut(error: &io::Error) -> bool {
    const ERROR_SHARING_VIOLATION: i32 = 32;
    cfg!(windows) && error.raw_os_error() == Some(ERROR_SHARING_VIOLATION)
}
