//! Which endgame databases a command uses.

use std::path::PathBuf;

use ::egdb::{OpenOptions, Probe};
use clap::Args;

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
}

impl DatabaseArgs {
    /// Opens them.
    pub(super) fn open(&self) -> Result<Probe, Failure> {
        if self.pieces < 2 {
            return Ok(Probe::new());
        }
        if self.dirs.is_empty() {
            return Ok(Probe::embedded_up_to(self.pieces)?);
        }
        let options = OpenOptions { max_pieces: Some(self.pieces), ..OpenOptions::default() };
        Ok(Probe::open(&self.dirs, &options)?)
    }
}
