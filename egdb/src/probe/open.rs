//! Opening all the databases of some folders at once.

use std::path::Path;
use std::sync::Arc;

use super::Probe;
use crate::database::{Database, OpenOptions};
use crate::error::OpenError;
use crate::identify::identify_all;

impl Probe {
    /// Opens all databases of all types that are in these folders; `options.db_type` has no
    /// effect. Of two that hold the same slice the one with more pieces counts, then the one
    /// found first.
    ///
    /// # Errors
    /// If a folder has none, a required file is missing, or a file breaks its format.
    pub fn open<P: AsRef<Path>>(dirs: &[P], options: &OpenOptions) -> Result<Probe, OpenError> {
        let mut probe = Probe::new();
        for dir in dirs.iter().map(AsRef::as_ref) {
            let all = identify_all(dir)?;
            if all.is_empty() {
                return Err(OpenError::NothingFound { dir: dir.to_owned() });
            }
            for identity in all {
                let options = OpenOptions { db_type: Some(identity.db_type), ..options.clone() };
                // A type may begin above the largest piece count that is wanted.
                match Database::open(dir, &options) {
                    Ok(database) => probe.add(Arc::new(database)),
                    Err(OpenError::NothingFound { .. }) if options.max_pieces.is_some() => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(probe)
    }

    /// The databases of up to four pieces that are part of the library: win/loss/draw and both
    /// distances, without any file. See [`Database::embedded`].
    ///
    /// # Errors
    /// Only if the library was built with damaged files.
    #[cfg(feature = "embedded")]
    pub fn embedded() -> Result<Probe, OpenError> {
        Probe::embedded_up_to(crate::embedded::MAX_PIECES)
    }

    /// As [`Probe::embedded`], with at most this many pieces.
    ///
    /// # Errors
    /// As [`Probe::embedded`].
    #[cfg(feature = "embedded")]
    pub fn embedded_up_to(pieces: u8) -> Result<Probe, OpenError> {
        use crate::format::DbType;

        let mut probe = Probe::new();
        for db_type in [DbType::Wld2, DbType::Mtc, DbType::Dtw] {
            match Database::embedded_up_to(db_type, pieces) {
                Ok(database) => probe.add(Arc::new(database)),
                // Distances to conversion begin with three pieces.
                Err(OpenError::NothingFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(probe)
    }
}
