//! Errors: one type per boundary. Ordinary outcomes of a lookup ("not in the database",
//! "excluded") are values and live in [`crate::value`] and [`crate::probe`].

use std::io;
use std::path::PathBuf;

use movegen::{Color, Variant};
use thiserror::Error;

use crate::format::DbType;
use crate::slice::Slice;

/// One file of a database cannot be accepted.
#[derive(Debug, Error)]
pub enum FormatError {
    /// A line of a text index file breaks the format.
    #[error("{}:{line}: {reason}", file.display())]
    Line {
        /// The index file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong and what was expected.
        reason: String,
    },
    /// A binary index file breaks the format.
    #[error("{}: offset {offset}: {reason}", file.display())]
    Offset {
        /// The index file.
        file: PathBuf,
        /// Byte offset of the offending record or field.
        offset: u64,
        /// What is wrong and what was expected.
        reason: String,
    },
    /// Index file and data file do not fit together, or a file differs from its side file.
    #[error("{}: {reason}", file.display())]
    Data {
        /// The data file, or the one with the side file.
        file: PathBuf,
        /// What is wrong and what was expected.
        reason: String,
    },
}

/// A database cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// A directory or file cannot be read.
    #[error("cannot read {}", file.display())]
    Io {
        /// The file or directory.
        file: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The directory holds no database files.
    #[error("no endgame database in {}", dir.display())]
    NothingFound {
        /// The directory.
        dir: PathBuf,
    },
    /// The directory holds files of another game only.
    #[error("no endgame database of {variant} in {}, but one of {other}", dir.display())]
    OtherGame {
        /// The directory.
        dir: PathBuf,
        /// The game that is wanted.
        variant: Variant,
        /// The game that is there.
        other: Variant,
    },
    /// A file that every database of this type has is missing.
    #[error("{} is missing", file.display())]
    Missing {
        /// The file.
        file: PathBuf,
    },
    /// An option is out of range.
    #[error("option {name}: {reason}")]
    Option {
        /// The option.
        name: &'static str,
        /// What is allowed.
        reason: &'static str,
    },
    /// A file breaks the format.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The requested backend is not compiled in.
    #[error("this build has no memory-map backend (feature `mmap`)")]
    NoMmap,
}

/// A lookup failed because of the files.
#[derive(Debug, Error)]
#[error("{}, slice {slice}, {side} to move, block {block}", file.display())]
pub struct ProbeError {
    /// The data file.
    pub file: PathBuf,
    /// The stored slice.
    pub slice: Slice,
    /// The side to move in the stored slice.
    pub side: Color,
    /// The block of 4096 bytes within the data file.
    pub block: u32,
    /// The cause.
    #[source]
    pub cause: ProbeCause,
}

/// Lookups hand errors on as pointers, as an error is large, and results should stay in registers.
impl From<Box<ProbeError>> for ProbeError {
    fn from(error: Box<ProbeError>) -> ProbeError {
        *error
    }
}

/// Why a lookup failed.
#[derive(Debug, Error)]
pub enum ProbeCause {
    /// The block cannot be read.
    #[error("cannot read the data")]
    Io(#[from] io::Error),
    /// The block's contents contradict the index.
    #[error("damaged block: {0}")]
    Damaged(&'static str),
    /// The block is damaged.
    #[error("damaged block: its checksum is wrong")]
    Checksum,
}

/// The slices for a tool cannot be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum SelectionError {
    /// Without wins and losses nothing can be derived or counted.
    #[error("there is no win/loss/draw database")]
    NoWld,
    /// No slice passes the options.
    #[error("no slice of the database is among those asked for")]
    NoSlices,
    /// A slice asked for is not in the database.
    #[error("slice {0} is not in the database")]
    Missing(Slice),
}

/// A verification could not be carried out.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// A file cannot be read.
    #[error("cannot read {}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A file breaks its format.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The manifest cannot be understood.
    #[error("{}: {reason}", file.display())]
    Manifest {
        /// The manifest.
        file: PathBuf,
        /// What is wrong.
        reason: &'static str,
    },
    /// No file of the directory is in the published table or in a manifest.
    #[error("nothing to compare with: {} has no genuine file and no manifest", dir.display())]
    NothingKnown {
        /// The directory.
        dir: PathBuf,
    },
    /// The caller asked to stop.
    #[error("verification aborted")]
    Aborted,
}

/// A database file cannot be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The file system refused.
    #[error("cannot write {}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The caller's data cannot be stored in this format.
    #[error("slice {slice}, subslice {sub}, {side} to move: {reason}")]
    Content {
        /// The slice.
        slice: Slice,
        /// The subslice.
        sub: u32,
        /// The side to move.
        side: Color,
        /// What is wrong.
        reason: String,
    },
    /// A file needs at least one sub-database with data.
    #[error("{}: a {db_type} file cannot be empty", file.display())]
    Empty {
        /// The data file.
        file: PathBuf,
        /// The format.
        db_type: DbType,
    },
}
