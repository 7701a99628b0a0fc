//! A Hub session: its state between two lines, and the loop that waits for the next one.
//!
//! `commands` carries out what the client asks, `search` keeps what belongs to a running search.

mod commands;
mod search;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, at, never, select, unbounded};
use movegen::Game;

use super::command::{Command, UnreadableLine};
use super::error::HubError;
use super::input::{self, Input, MAX_LINE};
use super::level::Level;
use super::line::LineWriter;
use super::settings::Settings;
use super::worker::{self, Report, SearchJob};
use crate::protocol::Log;
use search::Search;

/// How long after `quit` earlier commands are still answered: the client is still there. No client
/// waits longer for `ready`, which is also given after the end of the input.
const LAST_ANSWERS: Duration = Duration::from_secs(10);
/// How often the reading thread looks whether `ready` has been given meanwhile.
const READY_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// How a session is run.
#[derive(Debug)]
pub struct Options {
    /// Stay silent until the line `hub`: the program was started without a command, and waits for a
    /// Hub client.
    pub until_hub: bool,
    /// Where to record the session.
    pub log: Log,
    /// Called by the reading thread when the input has ended (after `quit`, or while the engine gets
    /// ready: up to ten seconds later), even if the session waits for a client that no longer reads. The binary ends the process
    /// here after a moment.
    pub on_end_of_input: Option<fn()>,
    /// How long the end of the session waits for the end of the engine.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            until_hub: false,
            log: Log::none(),
            on_end_of_input: None,
            patience: Duration::from_millis(50),
        }
    }
}

/// Runs a session until `quit`, the end of the input, or until nobody reads the output. `engine`
/// has the settings already; without it the first `init` makes one.
///
/// A search that is still running is stopped, and waited for a moment only.
///
/// # Errors
/// If a thread cannot be started, the output fails for another reason than a closed pipe, or a
/// search fails twice: no move is better than one without thought.
pub fn serve<S: Settings>(
    input: impl Read + Send + 'static,
    output: impl Write,
    settings: S,
    engine: Option<S::Engine>,
    options: Options,
) -> io::Result<()> {
    let (sender, received) = unbounded();
    let on_end = options.on_end_of_input;
    let is_ready = Arc::new(AtomicBool::new(true));
    let is_ready_now = Arc::clone(&is_ready);
    thread::Builder::new().name("input".to_owned()).spawn(move || {
        let mut said_quit = false;
        input::read_lines(io::BufReader::with_capacity(1 << 16, input), |line| {
            let received = ClientLine::read(line);
            said_quit |= matches!(received.command, Some(Command::Quit));
            if matches!(received.command, Some(Command::Init)) {
                is_ready_now.store(false, Ordering::SeqCst);
            }
            if sender.send(received).is_ok() { Continue(()) } else { Break(()) }
        });
        drop(sender);
        if let Some(on_end) = on_end {
            let deadline = Instant::now() + LAST_ANSWERS;
            while (said_quit || !is_ready_now.load(Ordering::SeqCst)) && Instant::now() < deadline {
                thread::sleep(READY_CHECK_INTERVAL);
            }
            on_end();
        }
    })?;
    let (jobs, reports, search_thread) = worker::start(engine)?;
    let mut session = Session {
        silent: options.until_hub,
        is_ready,
        ..Session::new(output, options.log, jobs, settings)
    };
    let result = session.run(received, &reports);
    drop(session);
    // The end of the job channel ends the search thread; its end ends the reports.
    let deadline = Instant::now() + options.patience;
    while reports.recv_deadline(deadline).is_ok() {}
    if Instant::now() < deadline {
        // A panic there has been reported as the search's result.
        let _ = search_thread.join();
    }
    match result {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// A line of the client, and its command.
struct ClientLine {
    /// For the log.
    text: String,
    /// `None`: a blank line.
    command: Option<Command>,
}

impl ClientLine {
    fn read(input: Input) -> ClientLine {
        match input {
            Input::Line(text) => ClientLine { command: Command::parse(&text), text },
            // Only a `pos` can grow like this.
            Input::TooLong => {
                let error = HubError::LineTooLong { limit: MAX_LINE };
                let line = UnreadableLine { is_position: true, error };
                let text = format!("(more than {MAX_LINE} bytes)");
                ClientLine { text, command: Some(Command::Unreadable(line)) }
            }
        }
    }
}

/// The events that the session waits for.
enum Event<E> {
    Line(ClientLine),
    EndOfInput,
    Report(Report<E>),
    /// The answers that are owed after `quit` or the end of the input have taken too long.
    TimeOver,
}

/// The state of the worker, seen from here.
enum WorkerState {
    Idle,
    /// Applying parameters; `ready` is owed if the client said `init`.
    Configuring {
        owes_ready: bool,
    },
    Searching(Search),
}

struct Session<W, S: Settings> {
    output: W,
    log: Log,
    jobs: Sender<SearchJob<S>>,
    settings: S,
    /// The settings that the engine has; `None` before the first initialisation.
    applied: Option<S>,
    game: Game,
    level: Level,
    /// The limits were given after the last search: the next `pos` leaves them alone, so that a
    /// client may send `level` before `pos`.
    fresh_level: bool,
    /// No `hub` has come yet, and nothing may be written before it.
    silent: bool,
    /// The client wants a variant that we do not play, with the error that was reported. Until it
    /// asks for another variant there is no `ready` and no move: we would play by the wrong rules.
    other_variant: Option<HubError>,
    /// The client's last `pos` could not be read, with the error that was reported. Until the next
    /// `pos` there is no move: we do not have the client's game.
    refused_game: Option<HubError>,
    /// An `init` waits for a variant that we play.
    init_waits: bool,
    /// The client has said `quit`; earlier commands are answered first.
    quit_by: Option<Instant>,
    /// When the input ended.
    input_ended: Option<Instant>,
    /// Whether `ready` has been given, for the thread that reads.
    is_ready: Arc<AtomicBool>,
    worker: WorkerState,
    /// Commands that wait for their turn.
    queue: VecDeque<Command>,
    /// Errors that may not be written before `done`: some clients give a game up on an `error` line
    /// while they wait for a move.
    errors_after_done: Vec<HubError>,
}

impl<W: Write, S: Settings> Session<W, S> {
    fn new(output: W, log: Log, jobs: Sender<SearchJob<S>>, settings: S) -> Session<W, S> {
        Session {
            output,
            log,
            jobs,
            settings,
            applied: None,
            game: Game::default(),
            level: Level::default(),
            fresh_level: true,
            silent: false,
            other_variant: None,
            refused_game: None,
            init_waits: false,
            quit_by: None,
            input_ended: None,
            is_ready: Arc::default(),
            worker: WorkerState::Idle,
            queue: VecDeque::new(),
            errors_after_done: Vec::new(),
        }
    }

    fn run(
        &mut self,
        lines: Receiver<ClientLine>,
        reports: &Receiver<Report<S::Error>>,
    ) -> io::Result<()> {
        let result = self.event_loop(lines, reports);
        if let WorkerState::Searching(search) = &self.worker {
            search.control.stop();
        }
        self.log.line('#', "session ends");
        result
    }

    fn event_loop(
        &mut self,
        mut lines: Receiver<ClientLine>,
        reports: &Receiver<Report<S::Error>>,
    ) -> io::Result<()> {
        while self.run_queue()?.is_continue() {
            let Some(time_over) = self.time_over() else { break };
            match poll(&lines, reports, &time_over)? {
                Event::Line(line) => self.receive(line),
                Event::Report(report) => self.handle(report)?,
                Event::TimeOver => break,
                Event::EndOfInput => {
                    lines = never();
                    self.input_ended = Some(Instant::now());
                }
            }
        }
        Ok(())
    }

    /// The end of the wait for the next event. `None`: no answer is owed that would come in time. After
    /// the end of the input, lines that have come are answered; a search is given up.
    fn time_over(&self) -> Option<Receiver<Instant>> {
        match (self.quit_by, self.input_ended, &self.worker) {
            (None, None, _) => Some(never()),
            (Some(_), Some(_), WorkerState::Idle) => None,
            (Some(quit_by), _, _) => Some(at(quit_by)),
            (None, Some(ended), WorkerState::Configuring { .. }) => Some(at(ended + LAST_ANSWERS)),
            (None, Some(_), WorkerState::Idle | WorkerState::Searching(_)) => None,
        }
    }

    /// A line has come in.
    fn receive(&mut self, line: ClientLine) {
        self.log.line('<', line.text.trim_end_matches('\r'));
        if matches!(line.command, Some(Command::Quit)) {
            self.quit_by.get_or_insert_with(|| Instant::now() + LAST_ANSWERS);
        }
        self.queue.extend(line.command);
    }

    /// Carries out the commands that have come, in their order, as far as the worker lets us. `Break`: the
    /// session is over.
    fn run_queue(&mut self) -> io::Result<ControlFlow<()>> {
        loop {
            let is_searching = match &self.worker {
                WorkerState::Idle => false,
                WorkerState::Searching(search) if !search.is_ending => true,
                WorkerState::Searching(_) | WorkerState::Configuring { .. } => break,
            };
            let Some(command) = self.queue.pop_front() else { break };
            let next =
                if is_searching { self.run_in_search(command) } else { self.run_command(command) };
            if next?.is_break() {
                return Ok(Break(()));
            }
        }
        Ok(Continue(()))
    }

    /// Reports an error: at once, or after the `done` of the search that is running.
    fn report_error(&mut self, error: HubError) -> io::Result<()> {
        if self.silent {
            return Ok(());
        }
        if matches!(self.worker, WorkerState::Searching(_)) {
            self.errors_after_done.push(error);
            return Ok(());
        }
        self.write(&LineWriter::new("error").quoted("message", &error.to_string()).finish())
    }

    fn send(&mut self, job: SearchJob<S>) -> io::Result<()> {
        self.jobs.send(job).map_err(|_| search_thread_has_ended())
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        self.log.line('>', line);
        // One write for the whole line: clients see it at once and in one piece.
        self.output.write_all(format!("{line}\n").as_bytes())?;
        self.output.flush()
    }
}

/// Waits for the next event.
fn poll<E>(
    lines: &Receiver<ClientLine>,
    reports: &Receiver<Report<E>>,
    time_over: &Receiver<Instant>,
) -> io::Result<Event<E>> {
    select! {
        recv(time_over) -> _ => Ok(Event::TimeOver),
        recv(lines) -> line => Ok(line.map_or(Event::EndOfInput, Event::Line)),
        recv(reports) -> report => {
            report.map(Event::Report).map_err(|_| search_thread_has_ended())
        }
    }
}

fn search_thread_has_ended() -> io::Error {
    io::Error::other("the search thread has ended")
}
