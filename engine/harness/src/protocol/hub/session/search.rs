//! A running search: its end, and its output.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use meerslag_files::with_causes;
use movegen::Position;

use super::{Session, WorkerState};
use crate::protocol::hub::error::{HubError, one_line};
use crate::protocol::hub::reply;
use crate::protocol::hub::settings::Settings;
use crate::protocol::hub::worker::Report;
use meerslag_search::{Control, Info, Limits, Mode, SearchResult};

/// `info` lines are not written closer together than this, except the first and the last.
const INFO_INTERVAL: Duration = Duration::from_millis(10);

/// A running search.
pub(super) struct Search {
    pub control: Arc<Control>,
    /// A command that is not allowed during a search waits for the end of this one.
    pub is_ending: bool,
    mode: Mode,
    /// The result is kept back until `stop` or (pondering) `ponder-hit`: clients cannot tell an
    /// early end of these searches from an answer.
    keeps_result: bool,
    /// The finished search's result, while `keeps_result`.
    kept: Option<Box<Result<SearchResult, String>>>,
    infos: InfoLines,
}

impl Search {
    pub fn new(
        position: Position,
        limits: &Limits,
        has_wdl: bool,
        control: Arc<Control>,
    ) -> Search {
        let keeps_result = match limits.mode {
            Mode::Think => false,
            Mode::Ponder => true,
            Mode::Analyze => limits.is_infinite(),
        };
        Search {
            control,
            is_ending: false,
            mode: limits.mode,
            keeps_result,
            kept: None,
            infos: InfoLines { position, is_ranked: limits.multipv > 1, has_wdl, last: None },
        }
    }
}

/// The `info` lines of a search: which are written, and the last one that was.
struct InfoLines {
    position: Position,
    /// The client has asked for several variations.
    is_ranked: bool,
    /// The client has asked for the chances of a win, a draw and a loss.
    has_wdl: bool,
    /// The last one of the first rank, and when it was written.
    last: Option<(Info, Instant)>,
}

impl InfoLines {
    /// The line for a report; `None` if the last one was only a moment ago.
    fn next(&mut self, info: Info) -> Option<String> {
        let now = Instant::now();
        // Ranks come in groups, with none missing.
        let is_early = self.last.as_ref().is_some_and(|(_, last)| now - *last < INFO_INTERVAL);
        if is_early && !self.is_ranked {
            return None;
        }
        let line = self.line(&info);
        if info.multipv == 1 {
            self.last = Some((info, now));
        }
        Some(line)
    }

    /// The line for the end of the search; `None` if it has been written.
    fn end(&self, info: &Info) -> Option<String> {
        let is_written = self.last.as_ref().is_some_and(|(last, _)| {
            (last.depth, last.score) == (info.depth, info.score) && last.pv == info.pv
        });
        (!is_written && !info.pv.is_empty()).then(|| self.line(info))
    }

    fn line(&self, info: &Info) -> String {
        reply::info(&self.position, info, self.is_ranked, self.has_wdl)
    }
}

impl<W: Write, S: Settings> Session<W, S> {
    /// Ends the running search.
    pub(super) fn stop(&mut self) -> io::Result<()> {
        let WorkerState::Searching(search) = &mut self.worker else { return Ok(()) };
        search.control.stop();
        self.release_result()
    }

    /// The opponent has played the expected move.
    pub(super) fn ponder_hit(&mut self) -> io::Result<()> {
        match &self.worker {
            WorkerState::Searching(search) if search.mode == Mode::Ponder => {
                search.control.ponder_hit();
                self.release_result()
            }
            _ => Ok(()),
        }
    }

    /// The result may be written as soon as it exists.
    fn release_result(&mut self) -> io::Result<()> {
        let WorkerState::Searching(search) = &mut self.worker else { return Ok(()) };
        search.keeps_result = false;
        match search.kept.take() {
            Some(result) => self.finish(*result),
            None => Ok(()),
        }
    }

    /// The worker has something to report.
    pub(super) fn handle(&mut self, report: Report<S::Error>) -> io::Result<()> {
        match report {
            Report::Configured(result) => self.configured(result),
            Report::Info(info) => {
                let WorkerState::Searching(search) = &mut self.worker else { return Ok(()) };
                match search.infos.next(info) {
                    Some(line) => self.write(&line),
                    None => Ok(()),
                }
            }
            Report::Error(message) => self.report_error(HubError::Engine(one_line(&message))),
            Report::Failed(message) => {
                self.log.line('#', format_args!("search failed: {message}"));
                let message = one_line(&format!("search failed, done again: {message}"));
                self.errors_after_done.push(HubError::Engine(message));
                Ok(())
            }
            Report::Finished(result) => match &mut self.worker {
                WorkerState::Searching(search) if search.keeps_result => {
                    search.kept = Some(result);
                    Ok(())
                }
                _ => self.finish(*result),
            },
        }
    }

    fn configured(&mut self, result: Result<(), S::Error>) -> io::Result<()> {
        let WorkerState::Configuring { owes_ready } =
            std::mem::replace(&mut self.worker, WorkerState::Idle)
        else {
            return Ok(());
        };
        match result {
            Ok(()) => self.applied = Some(self.settings.clone()),
            Err(error) => {
                self.report_error(HubError::Engine(one_line(&with_causes(&error))))?;
                if self.settings.fall_back(self.applied.as_ref(), &error) {
                    return self.configure(owes_ready);
                }
                // Without an engine, a search is answered with some legal move.
                self.applied.get_or_insert_with(|| self.settings.clone());
            }
        }
        if owes_ready {
            self.write("ready")?;
            self.is_ready.store(true, Ordering::SeqCst);
        }
        Ok(())
    }

    /// Writes the end of a search: its last `info`, if that has not been written, and `done`.
    fn finish(&mut self, result: Result<SearchResult, String>) -> io::Result<()> {
        let WorkerState::Searching(search) = std::mem::replace(&mut self.worker, WorkerState::Idle)
        else {
            return Ok(());
        };
        match result {
            Ok(outcome) => {
                if let Some(line) = search.infos.end(&outcome.info) {
                    self.write(&line)?;
                }
                self.write(&reply::done(&search.infos.position, &outcome))?;
            }
            Err(message) => {
                // A random move would hide the failure from the user, who would only see bad play.
                self.log.line('#', format_args!("search failed again: {message}"));
                let message = one_line(&format!("search failed twice: {message}"));
                self.report_error(HubError::Engine(message.clone()))?;
                return Err(io::Error::other(message));
            }
        }
        self.search_is_over()
    }

    /// After `done`: the limits are used up, and errors may be written.
    pub(super) fn search_is_over(&mut self) -> io::Result<()> {
        self.level.clear();
        self.fresh_level = true;
        for error in std::mem::take(&mut self.errors_after_done) {
            self.report_error(error)?;
        }
        Ok(())
    }
}
