//! Which endgame databases a command uses.

use std::path::PathBuf;

use ::egdb::Probe;
use clap::Args;
use meerslag_engine::DatabaseOptions;

use super::Failure;

/// The endgame databases of commands that solve or search.
#[derive(Args, Clone, Debug)]
pub(super) struct DatabaseArgs {
    /// A folder with endgame databases; all types in it are used. May be given several times.
    /// Without it those of up to four pieces are used that are part of the program
    #[arg(long = "egdb", value_name = "DIR")]
    pub(super) dirs: Vec<PathBuf>,
    /// Use databases of at most this many pieces; 0 for none
    #[arg(long = "egdb-pieces", value_name = "N", default_value_t = 9,
          value_parser = clap::value_parser!(u8).range(0..=9))]
    pub(super) pieces: u8,
    /// Memory in MiB for a cache of database blocks; 0 maps the files into memory
    #[arg(long = "egdb-cache", value_name = "MIB", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=DatabaseOptions::MAX_CACHE_MIB as i64))]
    pub(super) cache: u32,
}

impl DatabaseArgs {
    /// As an engine takes them.
    pub(super) fn options(&self) -> DatabaseOptions {
        DatabaseOptions {
            pieces: self.pieces,
            folders: self.dirs.clone(),
            cache_mib: self.cache as usize,
        }
    }

    /// Opens them.
    pub(super) fn open(&self) -> Result<Probe, Failure> {
        if self.pieces < 2 {
            return Ok(Probe::new());
        }
        if self.dirs.is_empty() {
            return Ok(Probe::embedded_up_to(self.pieces)?);
        }
        Ok(Probe::open(&self.dirs, &self.options().open_options())?)
    }
}
