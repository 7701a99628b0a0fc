//! The page for the browser, written anew from time to time.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use meerslag_engine::runner::{GameRecord, MatchConfig, Page};

/// How often the page is written while the match goes on.
const INTERVAL: Duration = Duration::from_secs(10);

/// The file and what is to be in it.
pub(super) struct PageFile {
    /// Without links.
    path: PathBuf,
    /// Whether it is a file, and not something like a terminal or a pipe.
    is_file: bool,
    page: Page,
    written: Instant,
}

impl PageFile {
    /// A path that cannot be written shows now, not after the match. What is there stays until the
    /// page is written.
    pub(super) fn open(path: &Path) -> io::Result<PageFile> {
        // A link stays a link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let is_file = fs::metadata(&path).map_or(true, |data| data.is_file());
        if is_file {
            OpenOptions::new().append(true).create(true).open(&path)?;
        }
        Ok(PageFile { path, is_file, page: Page::new(), written: Instant::now() })
    }

    pub(super) fn add(&mut self, record: &GameRecord) {
        self.page.add(record);
    }

    /// Writes the page if it is time; what is no file gets it at the end only.
    pub(super) fn refresh(
        &mut self,
        config: &MatchConfig,
        records: &[GameRecord],
    ) -> io::Result<()> {
        if self.is_file && self.written.elapsed() > INTERVAL {
            self.write(config, records)?;
        }
        Ok(())
    }

    /// Writes the page of a match that begins.
    pub(super) fn begin(&mut self, config: &MatchConfig, records: &[GameRecord]) -> io::Result<()> {
        if self.is_file { self.write(config, records) } else { Ok(()) }
    }

    pub(super) fn write(&mut self, config: &MatchConfig, records: &[GameRecord]) -> io::Result<()> {
        let html = self.page.to_html(config, records).map_err(io::Error::other)?;
        if self.is_file {
            self.replace(&html)?;
        } else {
            fs::write(&self.path, html)?;
        }
        self.written = Instant::now();
        Ok(())
    }

    /// In one step, so that a browser never sees half a page.
    fn replace(&self, html: &str) -> io::Result<()> {
        let part = self.path.with_added_extension("part");
        match fs::write(&part, html) {
            Ok(()) => fs::rename(&part, &self.path),
            // A file may be writable in a folder that is not.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                fs::write(&self.path, html)
            }
            Err(error) => {
                let _ = fs::remove_file(&part);
                Err(error)
            }
        }
    }
}
