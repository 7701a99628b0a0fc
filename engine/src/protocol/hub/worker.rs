//! The searching side: a thread that owns the engine and does one job after the other.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crossbeam::channel::{Receiver, Sender, unbounded};
use movegen::Game;

use super::settings::Settings;
use crate::{Control, Info, Limits, SearchResult, Thinker};

/// The search recurses, with lists of moves in every frame.
const STACK: usize = 64 << 20;

/// What the session wants done.
pub(super) enum Job<S> {
    /// Apply these settings; answered by [`Report::Configured`].
    Configure(S),
    /// Forget earlier positions. Not answered.
    NewGame,
    /// Search; answered by [`Report::Info`] lines and one [`Report::Finished`].
    Search { game: Box<Game>, limits: Limits, control: Arc<Control> },
}

/// What the worker reports.
pub(super) enum Report<E> {
    Configured(Result<(), E>),
    Info(Info),
    /// Something went wrong in the search that is about to finish.
    Error(String),
    /// The text is what a panicking search said.
    Finished(Box<Result<SearchResult, String>>),
}

/// Jobs, reports, and the thread.
type Started<S> = (Sender<Job<S>>, Receiver<Report<<S as Settings>::Error>>, JoinHandle<()>);

/// Starts the thread, with an engine if there is one already. It ends when its job channel is closed, and closes that of the reports.
pub(super) fn start<S: Settings>(engine: Option<S::Engine>) -> io::Result<Started<S>> {
    let (job_sender, jobs) = unbounded();
    let (reports, report_receiver) = unbounded();
    let thread = thread::Builder::new()
        .name("search".to_owned())
        .stack_size(STACK)
        .spawn(move || Worker { engine, settings: None, reports }.run(&jobs))?;
    Ok((job_sender, report_receiver, thread))
}

struct Worker<S: Settings> {
    /// Made by the first `Configure` if it was not there before.
    engine: Option<S::Engine>,
    /// What it has, once something was applied.
    settings: Option<S>,
    reports: Sender<Report<S::Error>>,
}

impl<S: Settings> Worker<S> {
    fn run(mut self, jobs: &Receiver<Job<S>>) {
        for job in jobs {
            let report = match job {
                Job::Configure(settings) => Report::Configured(self.configure(settings)),
                Job::NewGame => {
                    if let Some(engine) = &mut self.engine {
                        engine.new_game();
                    }
                    continue;
                }
                Job::Search { game, limits, control } => {
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

    /// A search that panics must not take the game down with it: the session then plays a legal
    /// move, and the next search has a fresh engine.
    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
    ) -> Result<SearchResult, String> {
        let Some(engine) = &mut self.engine else {
            return Err("no engine: its parameters could not be applied".to_owned());
        };
        let reports = &self.reports;
        let searched = catch_unwind(AssertUnwindSafe(|| {
            engine.search(game, limits, control, &mut |info| {
                // Nobody listens when the session has ended: the search is stopped then anyway.
                let _ = reports.send(Report::Info(info.clone()));
            })
        }));
        if let Some(error) = searched.as_ref().ok().and_then(|_| engine.take_error()) {
            let _ = reports.send(Report::Error(error));
        }
        searched.map_err(|panic| {
            self.engine = None;
            if let Some(settings) = &self.settings {
                let _ = settings.apply(&mut self.engine);
            }
            text_of(panic.as_ref())
        })
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("unknown panic").to_owned()
}
