//! The page for the browser, written again from time to time.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use meerslag_files::Existing;
use meerslag_harness::runner::{Contest, Live, MatchGame, MatchPage, MatchResults};
use parking_lot::Mutex;

use super::super::{Failure, files};

/// How often the page is written during the match.
const INTERVAL: Duration = Duration::from_secs(10);

/// The file and its contents.
pub(super) struct PageFile {
    path: PathBuf,
    existing: Existing,
    page: MatchPage,
    language: String,
    /// For a tournament: its events.
    live: Option<Arc<Mutex<Live>>>,
    written: Instant,
}

impl PageFile {
    /// An unwritable path is reported now, not after the match. An existing file stays until the
    /// page is written.
    pub(super) fn open(
        path: &Path,
        existing: Existing,
        page: MatchPage,
        (language, live): (Option<&str>, Option<&Arc<Mutex<Live>>>),
    ) -> Result<PageFile, Failure> {
        files::check(path, existing)?;
        let language = language.unwrap_or("en").to_owned();
        let (path, live, written) = (path.to_owned(), live.cloned(), Instant::now());
        Ok(PageFile { path, existing, page, language, live, written })
    }

    pub(super) fn add(&mut self, config: &Contest, record: &MatchGame) {
        self.page.add(config, record);
    }

    /// Forgets the games: they are added again.
    pub(super) fn restart(&mut self) {
        self.page.clear_games();
    }

    pub(super) fn ready(&mut self, engine: usize, identity: &str) {
        self.page.ready(engine, identity);
    }

    /// Writes the page if it is time; anything but a file only gets it at the end.
    pub(super) fn refresh(&mut self, config: &Contest, results: &MatchResults) -> io::Result<()> {
        let is_due = self.existing == Existing::Keep && !files::is_there(&self.path)
            || self.written.elapsed() > INTERVAL;
        if is_due && !files::is_special(&self.path) {
            self.write(config, results)?;
        }
        Ok(())
    }

    pub(super) fn write(&mut self, config: &Contest, results: &MatchResults) -> io::Result<()> {
        let live = self.live.as_ref().map(|live| live.lock());
        let html = self.page.to_html(config, results, &self.language, live.as_deref());
        let html = html.map_err(io::Error::other)?;
        files::write(&self.path, html.as_bytes(), self.existing)?;
        // From now on it is ours.
        self.existing = Existing::Replace;
        self.written = Instant::now();
        Ok(())
    }
}
