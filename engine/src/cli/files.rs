//! Files that commands write. One rule for all: a log is added to; anything else is a new file,
//! which takes the place of an existing one in one step, and only with `--force` or if the user
//! says so.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ::egdb::storage::{Existing, NewFile, write_file};
use anyhow::{Context, anyhow};
use clap::Args;
use meerslag_engine::protocol::Log;

use super::Failure;

/// What becomes of output files that are there already.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct ForceArgs {
    /// Replace output files that exist; without it they are refused
    #[arg(long)]
    force: bool,
}

impl ForceArgs {
    pub(super) const fn existing(self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }
}

/// Whether there is something under this path that a new file would take the place of; a pipe or
/// a terminal is written to as it is.
pub(super) fn is_there(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file())
}

/// Whether this is something like a terminal or a pipe, which has no old content to lose.
pub(super) fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir())
}

/// Refuses what cannot be written: better to know before the work than after it.
pub(super) fn check(path: &Path, existing: Existing) -> Result<(), Failure> {
    if existing == Existing::Keep && is_there(path) {
        return Err(Failure::Input(anyhow!("{} exists: --force replaces it", path.display())));
    }
    if is_special(path) {
        return Ok(());
    }
    NewFile::create(path, existing).map_err(|error| named(path, &error))?;
    Ok(())
}

/// An error in writing a file, with the file's name.
pub(super) fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display()))
}

/// Opens a log, which is added to.
pub(super) fn log(path: &Path) -> Result<File, Failure> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.with_context(|| format!("cannot write the log {}", path.display())).map_err(Failure::Run)
}

/// The log in this file, or none.
pub(super) fn log_or_none(path: Option<&Path>) -> Result<Log, Failure> {
    path.map_or_else(|| Ok(Log::none()), |path| log(path).map(Log::to))
}

/// A file to which results are added as they come. It appears with the first of them; until then
/// an existing file is as it was.
#[derive(Debug)]
pub(super) struct GrowingFile {
    path: PathBuf,
    existing: Existing,
    file: Option<File>,
}

impl GrowingFile {
    /// # Errors
    /// If there is a file that is to be kept, or none can be written here.
    pub(super) fn new(path: &Path, existing: Existing) -> Result<GrowingFile, Failure> {
        check(path, existing)?;
        Ok(GrowingFile { path: path.to_owned(), existing, file: None })
    }

    /// Whether nothing has been added yet.
    pub(super) const fn is_new(&self) -> bool {
        self.file.is_none()
    }

    /// Adds this to the file, in one piece.
    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        let named = |error: io::Error| named(&self.path, &error);
        if bytes.is_empty() {
            return Ok(());
        }
        if let Some(file) = &mut self.file {
            return file.write_all(bytes).map_err(named);
        }
        let is_special = is_special(&self.path);
        if !is_special {
            write_file(&self.path, bytes, self.existing).map_err(named)?;
        }
        let mut file = OpenOptions::new().append(true).open(&self.path).map_err(named)?;
        if is_special {
            file.write_all(bytes).map_err(named)?;
        }
        self.file = Some(file);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_file_takes_the_place_of_another_one_with_its_first_result() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pdn");
        fs::write(&path, "old").unwrap();
        let error = GrowingFile::new(&path, Existing::Keep).unwrap_err();
        assert!(matches!(error, Failure::Input(error) if error.to_string().contains("--force")));
        let mut file = GrowingFile::new(&path, Existing::Replace).unwrap();
        file.add(b"").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.add(b"one ").unwrap();
        file.add(b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_comes_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pdn");
        let mut file = GrowingFile::new(&path, Existing::Keep).unwrap();
        fs::write(&path, "somebody else's").unwrap();
        let error = file.add(b"ours").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"somebody else's");
    }
}
