//! The searching side: a thread that owns the engine and does one job after the other.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crossbeam::channel::{Receiver, Sender, unbounded};
use movegen::Game;

use super::level::limits_after;
use super::settings::Settings;
use meerslag_search::{Control, Info, Limits, STACK_BYTES, SearchResult, Thinker};

/// Requests of the session.
pub(super) enum SearchJob<S> {
    /// Apply these settings; answered by [`Report::Configured`].
    Configure(S),
    /// Forget earlier positions. Not answered.
    NewGame,
    /// Search; answered by [`Report::Info`] lines, a [`Report::Failed`] if the search is repeated,
    /// and one [`Report::Finished`].
    Search { game: Box<Game>, limits: Limits, control: Arc<Control> },
}

/// Reports of the worker.
pub(super) enum Report<E> {
    Configured(Result<(), E>),
    Info(Info),
    /// Something went wrong in the search that is about to finish.
    Error(String),
    /// The search has panicked with this text, and is done again.
    Failed(String),
    /// The result; or, for a search that has panicked twice, the text of the second panic.
    Finished(Box<Result<SearchResult, String>>),
}

/// Jobs, reports, and the thread.
type Started<S> = (Sender<SearchJob<S>>, Receiver<Report<<S as Settings>::Error>>, JoinHandle<()>);

/// Starts the thread, with an engine if there is one already. It ends when its job channel is closed,
/// and then closes the channel of reports.
pub(super) fn start<S: Settings>(engine: Option<S::Engine>) -> io::Result<Started<S>> {
    let (job_sender, jobs) = unbounded();
    let (reports, report_receiver) = unbounded();
    let thread = thread::Builder::new()
        .name("search".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || Worker { engine, settings: None, reports }.run(&jobs))?;
    Ok((job_sender, report_receiver, thread))
}

struct Worker<S: Settings> {
    /// Made by the first `Configure` unless it existed before.
    engine: Option<S::Engine>,
    /// Its settings, once any were applied.
    settings: Option<S>,
    reports: Sender<Report<S::Error>>,
}

impl<S: Settings> Worker<S> {
    fn run(mut self, jobs: &Receiver<SearchJob<S>>) {
        for job in jobs {
            let report = match job {
                SearchJob::Configure(settings) => Report::Configured(self.configure(settings)),
                SearchJob::NewGame => {
                    if let Some(engine) = &mut self.engine {
                        engine.new_game();
                    }
                    continue;
                }
                SearchJob::Search { game, limits, control } => {
                    Report::Finished(Box::new(self.search(&game, &limits, &control)))
                }
            };
            if self.reports.send(report).is_err() {
                return;
            }
        }
    }

    fn configure(&mut self, settings: S) -> Result<(), S::Error> {
        settings.apply(&mut self.engine)?;
        self.settings = Some(settings);
        Ok(())
    }

    /// The limits hold for both attempts together.
    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
    ) -> Result<SearchResult, String> {
        let begin = Instant::now();
        let reports = self.reports.clone();
        let found = self.guarded(|engine| {
            let limits = limits_after(limits, begin.elapsed());
            engine.search(game, &limits, control, &mut |info| {
                // Nobody listens when the session has ended: the search is stopped then anyway.
                let _ = reports.send(Report::Info(info.clone()));
            })
        })?;
        if let Some(error) = self.engine.as_mut().and_then(Thinker::take_error) {
            let _ = self.reports.send(Report::Error(error));
        }
        Ok(found)
    }

    /// A search that panics must not lose the game: it is repeated once, with a new engine. The error
    /// is the text of the second panic.
    fn guarded<T>(&mut self, mut search: impl FnMut(&mut S::Engine) -> T) -> Result<T, String> {
        let mut is_second = false;
        loop {
            let Some(engine) = &mut self.engine else {
                return Err("no engine: its parameters could not be applied".to_owned());
            };
            let searched = catch_unwind(AssertUnwindSafe(|| search(engine)));
            let message = match searched {
                Ok(found) => return Ok(found),
                Err(panic) => text_of(panic.as_ref()),
            };
            self.engine = None;
            if let Some(settings) = &self.settings {
                let _ = settings.apply(&mut self.engine);
            }
            if std::mem::replace(&mut is_second, true) {
                return Err(message);
            }
            let _ = self.reports.send(Report::Failed(message));
        }
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("unknown panic").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::hub::Params;

    #[test]
    fn a_panic_is_reported_and_the_search_done_again_with_a_fresh_engine() {
        let (reports, said) = unbounded();
        let mut settings = Params::default();
        settings.set("hash-mb", "1").unwrap();
        let mut worker = Worker { engine: None, settings: None, reports };
        worker.configure(settings).unwrap();
        let mut attempts = 0;
        let result = worker.guarded(|engine| {
            attempts += 1;
            assert!(attempts > 1, "no {attempts}");
            engine.options().hash_mib
        });
        assert_eq!((result, attempts), (Ok(1), 2));
        assert!(matches!(said.try_recv(), Ok(Report::Failed(message)) if message == "no 1"));

        let result: Result<(), String> = worker.guarded(|_| panic!("always"));
        assert_eq!(result, Err("always".to_owned()));
        assert_eq!(said.try_iter().count(), 1);
        assert_eq!(worker.guarded(|engine| engine.options().hash_mib), Ok(1));
    }
}
