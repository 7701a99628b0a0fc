//! Errors of files of games.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use thiserror::Error;

/// Errors of files of games.
#[derive(Debug, Error)]
pub enum GamesError {
    /// A file cannot be opened, read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's message.
        error: io::Error,
    },
    /// It is not a file of games.
    #[error("{}: not a file of games: {what}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The kind of file it is instead.
        what: String,
    },
    /// A newer program wrote it, or one that was never released.
    #[error("{}: a file of games of version {version}, this program reads versions {} to {}", path.display(), super::schema::FIRST_VERSION, super::schema::VERSION)]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i64,
    },
    /// Something in it is damaged.
    #[error("{}: damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Another process is writing, and did not finish in time.
    #[error("{}: another process is writing to it: try again later", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file, or what SQLite keeps beside it, cannot be written.
    #[error("{}: cannot be written: the file and its folder must be writable", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The newest changes are beside the file, and SQLite cannot read them there.
    #[error(
        "{0}: its newest changes are in {0}-wal, which can be read only where the folder can be \
         written: make it writable, or copy both files",
        path.display()
    )]
    ChangesBeside {
        /// The file.
        path: PathBuf,
    },
    /// SQLite failed for another reason, such as a full disk.
    #[error("{}: {error}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// SQLite's message.
        error: rusqlite::Error,
    },
    /// The endgame databases cannot be read.
    #[error(transparent)]
    Endgames(#[from] egdb::error::ProbeError),
    /// The query cannot be used.
    #[error("{0}")]
    Input(String),
    /// The caller ended the work.
    #[error("interrupted")]
    Interrupted,
}

impl GamesError {
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> GamesError + '_ {
        |error| GamesError::Io { path: path.to_owned(), error }
    }

    /// Something in the file is damaged.
    pub(crate) fn damaged(what: impl Into<String>) -> GamesError {
        GamesError::Damaged { path: PathBuf::new(), what: what.into() }
    }

    /// The same about the file at this path, unless it names one.
    pub(crate) fn of(mut self, file: &Path) -> GamesError {
        match &mut self {
            GamesError::Io { path, .. }
            | GamesError::Foreign { path, .. }
            | GamesError::Version { path, .. }
            | GamesError::Damaged { path, .. }
            | GamesError::Busy { path }
            | GamesError::ReadOnly { path }
            | GamesError::ChangesBeside { path }
            | GamesError::Database { path, .. } => {
                if path.as_os_str().is_empty() {
                    *path = file.to_owned();
                }
            }
            GamesError::Endgames(_) | GamesError::Input(_) | GamesError::Interrupted => {}
        }
        self
    }

    /// Whether the system refuses to write, or to open.
    pub(crate) fn is_of_rights(&self) -> bool {
        match self {
            GamesError::ReadOnly { .. } => true,
            GamesError::Database { error, .. } => {
                error.sqlite_error_code() == Some(ErrorCode::CannotOpen)
            }
            _ => false,
        }
    }
}

/// Without the path of the file, which the methods of [`GamesFile`](crate::GamesFile) add.
impl From<rusqlite::Error> for GamesError {
    fn from(error: rusqlite::Error) -> GamesError {
        let path = PathBuf::new();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => GamesError::Busy { path },
            Some(ErrorCode::OperationInterrupted) => GamesError::Interrupted,
            Some(ErrorCode::NotADatabase) => {
                GamesError::Foreign { path, what: "it is not an SQLite database".to_owned() }
            }
            Some(ErrorCode::DatabaseCorrupt) => GamesError::damaged(error.to_string()),
            Some(ErrorCode::ReadOnly) => GamesError::ReadOnly { path },
            _ => GamesError::Database { path, error },
        }
    }
}
