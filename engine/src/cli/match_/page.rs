//! The page for the browser, written again from time to time.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ::egdb::storage::{Existing, write_file};
use meerslag_engine::runner::{MatchConfig, MatchGame, Page};

use super::super::{Failure, files, shell};

/// How often the page is written while the match goes on.
const INTERVAL: Duration = Duration::from_secs(10);

/// The file and what is to be in it.
pub(super) struct PageFile {
    path: PathBuf,
    existing: Existing,
    page: Page,
    written: Instant,
}

impl PageFile {
    /// A path that cannot be written shows now, not after the match. What is there stays until the
    /// page is written.
    pub(super) fn open(path: &Path, existing: Existing) -> Result<PageFile, Failure> {
        files::check(path, existing)?;
        let program = std::env::args_os().take(1).map(|name| name.to_string_lossy().into_owned());
        let command: Vec<String> = program.chain(shell::arguments()).collect();
        let page = Page::new(shell::quoted(&command));
        Ok(PageFile { path: path.to_owned(), existing, page, written: Instant::now() })
    }

    pub(super) fn add(&mut self, config: &MatchConfig, record: &MatchGame) {
        self.page.add(config, record);
    }

    /// The games so far were played before this run.
    pub(super) fn mark_earlier(&mut self) {
        self.page.mark_earlier();
    }

    pub(super) fn ready(&mut self, engine: usize, identity: &str) {
        self.page.ready(engine, identity);
    }

    /// Writes the page if it is time; what is no file gets it at the end only.
    pub(super) fn refresh(
        &mut self,
        config: &MatchConfig,
        records: &[MatchGame],
    ) -> io::Result<()> {
        let is_due = self.existing == Existing::Keep && !files::is_there(&self.path)
            || self.written.elapsed() > INTERVAL;
        if is_due && !files::is_special(&self.path) {
            self.write(config, records)?;
        }
        Ok(())
    }

    pub(super) fn write(&mut self, config: &MatchConfig, records: &[MatchGame]) -> io::Result<()> {
        let html = self.page.to_html(config, records).map_err(io::Error::other)?;
        write_file(&self.path, html.as_bytes(), self.existing)
            .map_err(|error| files::named(&self.path, &error))?;
        // From now on it is ours.
        self.existing = Existing::Replace;
        self.written = Instant::now();
        Ok(())
    }
}
