//! Why a book cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::format::VERSION;

/// Why a book cannot be read or written.
#[derive(Debug, Error)]
pub enum BookError {
    /// Reading or writing fails.
    #[error("{path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
    /// Not a book.
    #[error("{path} is not an opening book: it does not begin with MEERBOOK")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A book of another version of the format.
    #[error("{path} is an opening book of version {version}; this program reads version {VERSION}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// A damaged file.
    #[error("{path} is damaged: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// More than the format can hold.
    #[error("too much for one book: {0}")]
    TooLarge(&'static str),
    /// The work was ended early.
    #[error("interrupted")]
    Interrupted,
    /// Something in a text or in the options.
    #[error("{0}")]
    Input(String),
}

impl BookError {
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> BookError {
        move |error| BookError::Io { path: path.to_owned(), error }
    }

    pub(super) fn damaged(path: &Path, reason: impl Into<String>) -> BookError {
        BookError::Damaged { path: path.to_owned(), reason: reason.into() }
    }
}
