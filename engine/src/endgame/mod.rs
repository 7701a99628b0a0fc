//! Endgame databases as the engine uses them.
//!
//! * [`DatabaseOptions`]: which databases; [`Databases`]: the open ones, shared by all threads;
//! * [`choice`]: what they say about the moves of the searched position;
//! * [`line`](mod@line): perfect play from there on; [`room`]: wins and the draw rules;
//!   [`traps`]: draws and mistakes.

pub(crate) mod choice;
pub(crate) mod line;
pub(crate) mod room;
pub(crate) mod traps;

use std::path::PathBuf;
use std::sync::OnceLock;

use egdb::error::OpenError;
use egdb::{Backend, OpenOptions, Probe};
use movegen::Position;

/// Which endgame databases an engine uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatabaseOptions {
    /// The largest piece count, up to [`DatabaseOptions::MAX_PIECES`]; below 2 none are used.
    pub pieces: u8,
    /// Folders with databases; all types in them are used. Without a folder it is the set of up
    /// to four pieces that is part of the program.
    pub folders: Vec<PathBuf>,
    /// Memory for a cache of blocks in MiB, for files that are larger than the memory or on a
    /// slow disk; 0 maps the files into memory and leaves caching to the system.
    pub cache_mib: usize,
}

impl DatabaseOptions {
    /// The largest piece count of any database.
    pub const MAX_PIECES: u8 = 9;
    /// The largest cache, in MiB.
    pub const MAX_CACHE_MIB: usize = 1 << 20;

    /// The folders of a list, separated by `;`.
    #[must_use]
    pub fn folder_list(text: &str) -> Vec<PathBuf> {
        let folders = text.split(';').map(str::trim).filter(|folder| !folder.is_empty());
        folders.map(PathBuf::from).collect()
    }

    /// How the databases in the folders are opened.
    #[must_use]
    pub fn open_options(&self) -> OpenOptions {
        let options = OpenOptions { max_pieces: Some(self.pieces), ..OpenOptions::default() };
        match self.cache_mib {
            0 => options,
            mib => OpenOptions { backend: Backend::BlockCache, cache_mb: mib, ..options },
        }
    }

    /// No databases.
    #[must_use]
    pub const fn none() -> DatabaseOptions {
        DatabaseOptions { pieces: 0, folders: Vec::new(), cache_mib: 0 }
    }
}

impl Default for DatabaseOptions {
    /// Those that are part of the program.
    fn default() -> DatabaseOptions {
        DatabaseOptions { pieces: DatabaseOptions::MAX_PIECES, folders: Vec::new(), cache_mib: 0 }
    }
}

/// Open databases. Copies are handles of the same ones; any number of threads may ask at once,
/// and no lock is taken.
#[derive(Clone, Debug)]
pub(crate) struct Databases {
    probe: Probe,
    /// The largest piece count, 0 without databases.
    pieces: u32,
}

impl Databases {
    pub(crate) fn open(options: &DatabaseOptions) -> Result<Databases, OpenError> {
        let probe = if options.pieces < 2 {
            Probe::new()
        } else if options.folders.is_empty() {
            embedded(options.pieces)?
        } else {
            Probe::open(&options.folders, &options.open_options())?
        };
        let pieces = probe.max_pieces().min(options.pieces).into();
        Ok(Databases { probe, pieces })
    }

    /// The largest piece count that has win/loss/draw values, 0 without databases.
    pub(crate) fn pieces(&self) -> u32 {
        self.pieces
    }

    /// Whether the databases may know the position.
    #[inline]
    pub(crate) fn reaches(&self, position: &Position) -> bool {
        position.piece_count() <= self.pieces
    }

    pub(crate) fn probe(&self) -> &Probe {
        &self.probe
    }
}

/// The embedded set, opened once for the whole program: a match holds many engines.
fn embedded(pieces: u8) -> Result<Probe, OpenError> {
    static ALL: OnceLock<Probe> = OnceLock::new();
    if pieces < 4 {
        return Probe::embedded_up_to(pieces);
    }
    if let Some(probe) = ALL.get() {
        return Ok(probe.clone());
    }
    let probe = Probe::embedded()?;
    Ok(ALL.get_or_init(|| probe).clone())
}
