//! Opening all databases that are to answer together.

use std::path::PathBuf;
use std::sync::Arc;

use movegen::Variant;

use super::Probe;
use crate::database::{Backend, Database, OpenOptions};
use crate::error::OpenError;
use crate::format::DbType;
use crate::identify::Folder;
use crate::slice::Slice;

/// Which databases a program uses, and how it reads them.
///
/// # Examples
/// ```
/// use egdb::DatabaseOptions;
///
/// // Those of up to three pieces that are part of the library.
/// let probe = DatabaseOptions { pieces: 3, ..DatabaseOptions::default() }.open()?;
/// assert_eq!(probe.max_pieces(), 3);
/// // Those in a folder.
/// assert!(DatabaseOptions::in_folders(["/no/such/folder"]).open().is_err());
/// # Ok::<(), egdb::error::OpenError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatabaseOptions {
    /// Folders with databases; all types in them are used. Without a folder it is the set of up
    /// to four pieces that is part of the library.
    pub folders: Vec<PathBuf>,
    /// The largest piece count, up to [`DatabaseOptions::MAX_PIECES`]; below 2 none are used.
    pub pieces: u8,
    /// Memory for a cache of blocks in MiB, for files that are larger than the memory or on a
    /// slow disk; 0 maps the files into memory and leaves caching to the system.
    pub cache_mib: usize,
    /// The game that they are about. Those in the library are of the international one.
    pub variant: Variant,
}

impl Default for DatabaseOptions {
    /// The databases in the library.
    fn default() -> DatabaseOptions {
        DatabaseOptions { pieces: DatabaseOptions::MAX_PIECES, ..DatabaseOptions::none() }
    }
}

impl DatabaseOptions {
    /// The largest piece count of any database.
    pub const MAX_PIECES: u8 = 9;
    /// The largest cache, in MiB.
    pub const MAX_CACHE_MIB: usize = 1 << 20;

    /// No databases.
    #[must_use]
    pub const fn none() -> DatabaseOptions {
        let variant = Variant::International;
        DatabaseOptions { folders: Vec::new(), pieces: 0, cache_mib: 0, variant }
    }

    /// All databases in these folders.
    pub fn in_folders<P: Into<PathBuf>>(folders: impl IntoIterator<Item = P>) -> DatabaseOptions {
        let folders = folders.into_iter().map(Into::into).collect();
        DatabaseOptions { folders, ..DatabaseOptions::default() }
    }

    /// The folders of a list, separated by `;`.
    #[must_use]
    pub fn folder_list(text: &str) -> Vec<PathBuf> {
        let folders = text.split(';').map(str::trim).filter(|folder| !folder.is_empty());
        folders.map(PathBuf::from).collect()
    }

    /// How one database is opened.
    #[must_use]
    pub fn open_options(&self) -> OpenOptions {
        let (max_pieces, variant) = (Some(self.pieces), self.variant);
        let options = OpenOptions { max_pieces, variant, ..OpenOptions::default() };
        match self.cache_mib {
            0 => options,
            mib => OpenOptions { backend: Backend::BlockCache, cache_mib: mib, ..options },
        }
    }

    /// Opens them. If two hold the same slice, the one with more pieces counts, then the one found
    /// first. Where a database of a folder lacks a piece count up to four, those that are part of
    /// the library take its place.
    ///
    /// # Errors
    /// If a folder has none, a required file is missing, or a file breaks its format.
    pub fn open(&self) -> Result<Probe, OpenError> {
        let mut probe = Probe { variant: self.variant, ..Probe::new() };
        let is_international = self.variant.is_international();
        if self.pieces < 2 || self.folders.is_empty() && !is_international {
            return Ok(probe);
        }
        if self.folders.is_empty() {
            return embedded(self.pieces);
        }
        let options = self.open_options();
        let mut incomplete = Vec::new();
        for dir in &self.folders {
            let folder = Folder::read_of(dir, self.variant)?;
            let all = folder.identities()?;
            if all.is_empty() {
                return Err(folder.nothing());
            }
            for identity in all {
                let is_filled = |n: &u8| is_international && *n <= MAX_EMBEDDED;
                let gaps: Vec<u8> = identity.gaps().filter(is_filled).collect();
                if !gaps.is_empty() {
                    incomplete.push(identity.db_type);
                }
                let is_wanted = |slice: Slice| !gaps.contains(&slice.pieces());
                match Database::open_in(&folder, identity, &options, &is_wanted) {
                    Ok(database) => probe.add(Arc::new(database)),
                    // A type may begin above the largest piece count that is wanted.
                    Err(OpenError::NothingFound { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        fill(&mut probe, &incomplete, self.pieces)?;
        Ok(probe)
    }
}

/// Databases of the library that can take the place of missing ones have up to this many pieces.
#[cfg(feature = "embedded")]
const MAX_EMBEDDED: u8 = crate::embedded::MAX_PIECES;
#[cfg(not(feature = "embedded"))]
const MAX_EMBEDDED: u8 = 0;

/// Adds the built-in databases that answer what incomplete databases of these types do not.
#[cfg(feature = "embedded")]
fn fill(probe: &mut Probe, incomplete: &[DbType], pieces: u8) -> Result<(), OpenError> {
    for database in embedded(pieces)?.databases() {
        let answers =
            |it: &DbType| *it == database.db_type() || it.is_wld() && database.db_type().is_wld();
        if incomplete.iter().any(answers) {
            probe.add(Arc::clone(database));
        }
    }
    Ok(())
}

#[cfg(not(feature = "embedded"))]
fn fill(_probe: &mut Probe, _incomplete: &[DbType], _pieces: u8) -> Result<(), OpenError> {
    Ok(())
}

/// The embedded set, opened once for each piece count: a match holds many engines.
#[cfg(feature = "embedded")]
fn embedded(pieces: u8) -> Result<Probe, OpenError> {
    use std::sync::OnceLock;

    use crate::embedded::{MAX_PIECES, is_here};

    if !is_here() {
        return Ok(Probe::new());
    }
    static OPEN: [OnceLock<Probe>; MAX_PIECES as usize + 1] =
        [const { OnceLock::new() }; MAX_PIECES as usize + 1];
    let pieces = pieces.min(MAX_PIECES);
    let open = &OPEN[usize::from(pieces)];
    if let Some(probe) = open.get() {
        return Ok(probe.clone());
    }
    let mut probe = Probe::new();
    for db_type in [DbType::Compact, DbType::Mtc, DbType::Dtw, DbType::Rules] {
        match Database::embedded_up_to(db_type, pieces) {
            Ok(database) => probe.add(Arc::new(database)),
            // Distances to conversion begin with three pieces.
            Err(OpenError::NothingFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(open.get_or_init(|| probe).clone())
}

#[cfg(not(feature = "embedded"))]
fn embedded(_pieces: u8) -> Result<Probe, OpenError> {
    Ok(Probe::new())
}
