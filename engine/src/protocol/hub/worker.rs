//! The searching side: a thread that owns the engine and does one job after the other.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crossbeam::channel::{Receiver, Sender, unbounded};
use movegen::Game;

use crate::{Control, Engine, EngineError, EngineOptions, Info, Limits, SearchResult};

/// The search recurses, with lists of moves in every frame.
const STACK: usize = 64 << 20;

/// What the session wants done.
pub(super) enum Job {
    /// Apply these options; answered by [`Report::Configured`].
    Configure(EngineOptions),
    /// Forget earlier positions. Not answered.
    NewGame,
    /// Search; answered by [`Report::Info`] lines and one [`Report::Finished`].
    Search { game: Box<Game>, limits: Limits, control: Arc<Control> },
}

/// What the worker reports.
pub(super) enum Report {
    Configured(Result<(), EngineError>),
    Info(Info),
    /// The text is what a panicking search said.
    Finished(Box<Result<SearchResult, String>>),
}

/// Starts the thread. It ends when its job channel is closed, and closes that of the reports.
pub(super) fn start() -> io::Result<(Sender<Job>, Receiver<Report>, JoinHandle<()>)> {
    let (job_sender, jobs) = unbounded();
    let (reports, report_receiver) = unbounded();
    let thread = thread::Builder::new()
        .name("search".to_owned())
        .stack_size(STACK)
        .spawn(move || Worker { engine: None, reports }.run(&jobs))?;
    Ok((job_sender, report_receiver, thread))
}

struct Worker {
    /// Made by the first `Configure`.
    engine: Option<Engine>,
    reports: Sender<Report>,
}

impl Worker {
    fn run(mut self, jobs: &Receiver<Job>) {
        for job in jobs {
            let report = match job {
                Job::Configure(options) => Report::Configured(self.configure(options)),
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

    fn configure(&mut self, options: EngineOptions) -> Result<(), EngineError> {
        match &mut self.engine {
            Some(engine) => engine.set_options(options),
            None => {
                self.engine = Some(Engine::new(options)?);
                Ok(())
            }
        }
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
        let options = engine.options().clone();
        let reports = &self.reports;
        let searched = catch_unwind(AssertUnwindSafe(|| {
            engine.search(game, limits, control, &mut |info| {
                // Nobody listens when the session has ended: the search is stopped then anyway.
                let _ = reports.send(Report::Info(info.clone()));
            })
        }));
        searched.map_err(|panic| {
            self.engine = Engine::new(options).ok();
            text_of(panic.as_ref())
        })
    }
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("unknown panic").to_owned()
}
