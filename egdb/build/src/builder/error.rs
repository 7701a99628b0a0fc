//! Errors of building a database.

use std::io;
use std::path::PathBuf;

use egdb::error::WriteError;
use egdb::format::DbType;
use egdb::slice::Slice;
use movegen::Variant;

/// Why a database was not built.
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The file system refused.
    #[error("{}", file.display())]
    Io {
        /// The file or folder.
        file: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// A work file is damaged.
    #[error("{}: {reason}", file.display())]
    Damaged {
        /// The work file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A database file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A distance does not fit the tables of the generator.
    #[error("slice {slice}: a win takes more than 253 plies, more than the tables hold")]
    TooLong {
        /// The slice.
        slice: Slice,
    },
    /// The slice cannot be built within the memory budget.
    #[error(
        "slice {slice} needs {} MiB, the memory budget is {} MiB", needed.div_ceil(1 << 20),
        budget >> 20
    )]
    Memory {
        /// The slice.
        slice: Slice,
        /// Bytes needed at least.
        needed: u64,
        /// The budget in bytes.
        budget: u64,
    },
    /// The folder has reached its limit.
    #[error(
        "slice {slice}: the folder takes {} MiB, the limit is {} MiB", used.div_ceil(1 << 20),
        limit >> 20
    )]
    Disk {
        /// The slice that was being solved or written.
        slice: Slice,
        /// Bytes of the files in the folder.
        used: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A slice that this one depends on has not been built.
    #[error("slice {slice} needs slice {missing}, which has not been built")]
    Missing {
        /// The slice.
        slice: Slice,
        /// The slice it depends on.
        missing: Slice,
    },
    /// A file would hold some slices of a piece count, and could not tell which.
    #[error(
        "{db_type} files of {pieces} pieces are for all slices: build wld or compact with them, or \
         all slices"
    )]
    Part {
        /// The type.
        db_type: DbType,
        /// The piece count.
        pieces: u8,
    },
    /// The builder does not know the rules of the game, or its draw rules.
    #[error(
        "no such database of {variant} is built: of the other games only killer's, without rules"
    )]
    Variant {
        /// The game.
        variant: Variant,
    },
    /// The folder has files already, and the options do not say to resume.
    #[error("{}: there are database files already; resume, or use another folder", dir.display())]
    NotEmpty {
        /// The folder.
        dir: PathBuf,
    },
    /// Another process writes the same files.
    #[error("{}: another process builds it: {by}", what.display())]
    InUse {
        /// The folder, or the work file.
        what: PathBuf,
        /// Which process.
        by: String,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// This number of threads cannot be started.
    #[error("cannot start the threads")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
