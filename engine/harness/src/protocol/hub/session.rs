//! The state machine of a Hub session.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, at, never, select, unbounded};
use movegen::notation::hub as notation;
use movegen::{Game, Position};

use super::error::{HubError, one_line, quotable};
use super::input::{self, Input, MAX_LINE};
use super::level::Level;
use super::line::{BadLine, Line, LineWriter};
use super::number;
use super::params::Params;
use super::reply;
use super::settings::Settings;
use super::worker::{self, Job, Report};
use crate::protocol::Log;
use egdb::error::with_causes;
use meerslag_search::{Control, Info, Mode, SearchResult};

/// `info` lines are not written closer together than this, except the first and the last.
const INFO_INTERVAL: Duration = Duration::from_millis(10);

/// How long the engine may still take for its `ready` when the input has ended.
const LAST_ANSWER: Duration = Duration::from_millis(50);

/// The same after `quit`: the client has not gone away, and is owed what it asked for before. No
/// client waits longer for `ready`.
const LAST_ANSWERS: Duration = Duration::from_secs(10);

/// How a session is run.
#[derive(Debug)]
pub struct Options {
    /// Stay silent until the line `hub`: the program was started without a command, and listens
    /// whether somebody speaks Hub.
    pub until_hub: bool,
    /// Where to record the session.
    pub log: Log,
    /// Called by the reading thread when the input has ended (after `quit`: ten seconds later),
    /// even if the session is held up by a client that no longer reads. The binary ends the process
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
    let (line_sender, lines) = unbounded();
    let on_end = options.on_end_of_input;
    thread::Builder::new().name("input".to_owned()).spawn(move || {
        let mut said_quit = false;
        input::read_lines(io::BufReader::with_capacity(1 << 16, input), &line_sender, |line| {
            said_quit |= command(line) == Some("quit");
        });
        drop(line_sender);
        if let Some(on_end) = on_end {
            if said_quit {
                thread::sleep(LAST_ANSWERS);
            }
            on_end();
        }
    })?;
    let (jobs, reports, search_thread) = worker::start(engine)?;
    let mut session = Session {
        output,
        log: options.log,
        jobs,
        settings,
        applied: None,
        game: Game::default(),
        level: Level::default(),
        fresh_level: true,
        silent: options.until_hub,
        other_variant: None,
        refused_game: None,
        init_waits: false,
        quit_by: None,
        busy: Busy::No,
        pending: VecDeque::new(),
        deferred: Vec::new(),
    };
    let result = session.run(&lines, &reports);
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

/// Whether the session goes on.
#[derive(PartialEq)]
enum Next {
    GoOn,
    Quit,
}

/// What the worker is doing, seen from here.
enum Busy {
    No,
    /// Applying parameters; `ready` is owed if the client said `init`.
    Configuring {
        owes_ready: bool,
    },
    Searching(Search),
}

/// A running search.
struct Search {
    control: Arc<Control>,
    position: Position,
    mode: Mode,
    /// The result is kept back until `stop` or (pondering) `ponder-hit`: clients cannot tell an
    /// early end of these searches from an answer.
    waits: bool,
    /// Variations to find; with more than one, `info` lines have a rank.
    multipv: usize,
    /// A line that does not belong into a search waits for the end of this one.
    is_ending: bool,
    /// The finished search's result, while `waits`.
    held: Option<Box<Result<SearchResult, String>>>,
    /// The last `info` written of the first rank, and when.
    written: Option<(Info, Instant)>,
}

struct Session<W, S: Settings> {
    output: W,
    log: Log,
    jobs: Sender<Job<S>>,
    settings: S,
    /// The settings that the engine has; `None` before the first initialisation.
    applied: Option<S>,
    game: Game,
    level: Level,
    /// The limits were given after the last search: the next `pos` leaves them alone, so that a
    /// client may send `level` before `pos`.
    fresh_level: bool,
    /// Nobody has said `hub` yet, and until then we are not to speak.
    silent: bool,
    /// The client wants a variant that we do not play, with what was said about it. Until it asks
    /// for another one there is no `ready` and no move: we would play by rules that are not those
    /// of its game.
    other_variant: Option<HubError>,
    /// The client's last `pos` could not be read to its end, with what was said about it. Until it
    /// sends another one there is no move: it would be one of another game.
    refused_game: Option<HubError>,
    /// An `init` waits for a variant that we play.
    init_waits: bool,
    /// The client has said `quit`; what it said before is answered until then.
    quit_by: Option<Instant>,
    busy: Busy,
    /// Lines that have come and wait for their turn.
    pending: VecDeque<String>,
    /// Errors that may not be written before `done`: some clients give a game up on an `error` line
    /// while they wait for a move.
    deferred: Vec<HubError>,
}

impl<W: Write, S: Settings> Session<W, S> {
    fn run(
        &mut self,
        lines: &Receiver<Input>,
        reports: &Receiver<Report<S::Error>>,
    ) -> io::Result<()> {
        let result = self.event_loop(lines, reports);
        if let Busy::Searching(search) = &self.busy {
            search.control.stop();
        }
        self.log.line('#', "session ends");
        result
    }

    fn event_loop(
        &mut self,
        lines: &Receiver<Input>,
        reports: &Receiver<Report<S::Error>>,
    ) -> io::Result<()> {
        loop {
            if self.work_off()? == Next::Quit {
                return Ok(());
            }
            let patience = self.quit_by.map_or_else(never, at);
            select! {
                recv(patience) -> _ => return Ok(()),
                recv(lines) -> line => {
                    let next = match line {
                        Err(_) => self.input_has_ended(reports)?,
                        Ok(Input::TooLong) => {
                            // Only a `pos` can grow like this.
                            self.refuse_game(HubError::LineTooLong { limit: MAX_LINE })?;
                            Next::GoOn
                        }
                        Ok(Input::Line(text)) => {
                            self.receive(text);
                            Next::GoOn
                        }
                    };
                    if next == Next::Quit {
                        return Ok(());
                    }
                }
                recv(reports) -> report => match report {
                    Err(_) => return Err(io::Error::other("the search thread has ended")),
                    Ok(report) => self.handle(report)?,
                },
            }
        }
    }

    /// Nothing more will come. Lines already here are answered, if that takes no time; a search
    /// is given up.
    fn input_has_ended(&mut self, reports: &Receiver<Report<S::Error>>) -> io::Result<Next> {
        let until = match self.busy {
            Busy::No => None,
            _ if self.quit_by.is_some() => self.quit_by,
            Busy::Configuring { .. } => Some(Instant::now() + LAST_ANSWER),
            Busy::Searching(_) => None,
        };
        if let Some(until) = until
            && let Ok(report) = reports.recv_deadline(until)
        {
            self.handle(report)?;
            return Ok(Next::GoOn);
        }
        Ok(Next::Quit)
    }

    /// A line has come in.
    fn receive(&mut self, text: String) {
        self.log.line('<', text.trim_end_matches('\r'));
        if command(&text) == Some("quit") {
            self.quit_by.get_or_insert_with(|| Instant::now() + LAST_ANSWERS);
        }
        self.pending.push_back(text);
    }

    /// Obeys the lines that have come, in their order, as far as the worker lets us.
    fn work_off(&mut self) -> io::Result<Next> {
        loop {
            let searching = match &self.busy {
                Busy::No => false,
                Busy::Searching(search) if !search.is_ending => true,
                Busy::Searching(_) | Busy::Configuring { .. } => return Ok(Next::GoOn),
            };
            let Some(text) = self.pending.pop_front() else { return Ok(Next::GoOn) };
            let next = if searching { self.heed(text)? } else { self.execute(&text)? };
            if next == Next::Quit {
                return Ok(Next::Quit);
            }
        }
    }

    /// Obeys a line during a search.
    fn heed(&mut self, text: String) -> io::Result<Next> {
        match command(&text) {
            Some("quit") => return Ok(Next::Quit),
            Some("ping") => self.write("pong")?,
            Some("stop") => self.end_search(Command::Stop)?,
            Some("ponder-hit") => self.end_search(Command::PonderHit)?,
            Some("pos" | "level" | "go" | "new-game" | "set-param" | "hub" | "init")
                if Line::parse(&text).is_ok() =>
            {
                // The client is done with this search; the line waits until it has ended.
                self.pending.push_front(text);
                if let Busy::Searching(search) = &mut self.busy {
                    search.is_ending = true;
                }
                self.end_search(Command::Stop)?;
            }
            _ => {
                if let Err(bad) = Line::parse(&text) {
                    self.refuse(bad)?;
                }
            }
        }
        Ok(Next::GoOn)
    }

    /// Executes a line while the worker is idle.
    fn execute(&mut self, text: &str) -> io::Result<Next> {
        let line = match Line::parse(text) {
            Ok(None) => return Ok(Next::GoOn),
            Ok(Some(line)) => line,
            Err(bad) => {
                // Commands without arguments are obeyed whatever follows them.
                let bare = bad.command.and_then(|c| Line::parse(c).ok()).flatten();
                match (bad.command, bare) {
                    (Some("hub" | "init" | "new-game" | "ping" | "stop" | "quit"), Some(line)) => {
                        line
                    }
                    _ => {
                        self.refuse(bad)?;
                        return Ok(Next::GoOn);
                    }
                }
            }
        };
        if self.silent && !matches!(line.command(), "hub" | "quit") {
            return Ok(Next::GoOn);
        }
        match line.command() {
            "hub" => self.introduce(&line)?,
            "init" => self.initialise()?,
            "set-param" => self.set_param(&line)?,
            "ping" => self.write("pong")?,
            "new-game" => self.send(Job::NewGame)?,
            "pos" => self.set_position(&line)?,
            "level" => {
                if let Err(error) = self.level.add(&line) {
                    self.fail(error)?;
                }
            }
            "go" if self.is_other_game() => {
                // Clients take this for the end of the game, or give it up.
                self.write("done")?;
                let why = self.other_variant.clone().or_else(|| self.refused_game.clone());
                self.deferred.extend(why);
                self.search_is_over()?;
            }
            "go" if self.applied.is_none() => {
                self.configure(false)?;
                self.pending.push_front(text.to_owned());
            }
            "go" => self.go(&line)?,
            "quit" => return Ok(Next::Quit),
            // `stop` and `ponder-hit` are late; unknown commands are from another version.
            _ => {}
        }
        Ok(Next::GoOn)
    }

    fn introduce(&mut self, line: &Line<'_>) -> io::Result<()> {
        self.silent = false;
        self.write(&self.settings.id())?;
        for line in self.settings.declarations() {
            self.write(&line)?;
        }
        // Only a client that asks for extensions of the protocol learns of them.
        if line.has("extensions") && S::MOST_MULTIPV > 1 {
            let extension = LineWriter::new("extension").arg("name", "multipv");
            let extension = extension.arg("command", "go").arg("argument", "multipv");
            self.write(&extension.arg("min", 1).arg("max", S::MOST_MULTIPV).finish())?;
        }
        self.write("wait")
    }

    fn initialise(&mut self) -> io::Result<()> {
        self.init_waits = self.other_variant.is_some();
        match &self.other_variant {
            Some(error) => self.fail(error.clone()),
            None => self.configure(true),
        }
    }

    /// Whether we do not have the game that the client wants a move in.
    const fn is_other_game(&self) -> bool {
        self.other_variant.is_some() || self.refused_game.is_some()
    }

    /// Reports a line that cannot be read.
    fn refuse(&mut self, bad: BadLine<'_>) -> io::Result<()> {
        match bad.command {
            Some("pos") => self.refuse_game(bad.error),
            _ => self.fail(bad.error),
        }
    }

    /// Reports what is wrong with a `pos`; there is no move until the next one.
    fn refuse_game(&mut self, error: HubError) -> io::Result<()> {
        if !self.silent {
            self.refused_game = Some(error.clone());
        }
        self.fail(error)
    }

    fn configure(&mut self, owes_ready: bool) -> io::Result<()> {
        self.busy = Busy::Configuring { owes_ready };
        self.send(Job::Configure(self.settings.clone()))
    }

    fn set_param(&mut self, line: &Line<'_>) -> io::Result<()> {
        let Some(name) = line.value("name") else {
            return self.fail(HubError::IncompleteParam("name"));
        };
        // `value` without `=` is no value; an empty one is.
        let before = self.settings.clone();
        let result = self.settings.set(name, line.value("value"));
        if name == Params::VARIANT && line.value("value").is_some() {
            self.other_variant = result.as_ref().err().cloned();
        }
        if let Err(error) = result {
            return self.fail(error);
        }
        if self.init_waits && self.other_variant.is_none() {
            return self.initialise();
        }
        if self.applied.is_some() && !self.settings.are_alike(&before) {
            return self.configure(false);
        }
        Ok(())
    }

    fn set_position(&mut self, line: &Line<'_>) -> io::Result<()> {
        if !std::mem::take(&mut self.fresh_level) {
            self.level.clear();
        }
        self.refused_game = None;
        let start = match line.value("pos") {
            None => Position::initial(),
            Some(text) => match notation::parse_position(text) {
                Ok(position) => position,
                Err(error) => return self.refuse_game(HubError::BadPosition(error)),
            },
        };
        self.game = Game::new(start);
        for text in line.value("moves").unwrap_or("").split_ascii_whitespace() {
            let played = notation::parse_move(self.game.position(), text)
                .is_ok_and(|mv| self.game.play(mv).is_ok());
            if !played {
                return self.refuse_game(HubError::IllegalMove(quotable(text)));
            }
        }
        Ok(())
    }

    fn go(&mut self, line: &Line<'_>) -> io::Result<()> {
        let mode = if line.has("ponder") {
            Mode::Ponder
        } else if line.has("analyze") {
            Mode::Analyze
        } else {
            Mode::Think
        };
        let position = *self.game.position();
        if !position.has_legal_move() {
            self.write("done")?;
            return self.search_is_over();
        }
        let mut limits = self.level.limits(mode, self.settings.safety_time());
        if let Some(text) = line.value("multipv") {
            match number::integer("multipv", text) {
                Ok(count) => limits.multipv = count.clamp(1, S::MOST_MULTIPV) as usize,
                Err(error) => self.deferred.push(error),
            }
        }
        let multipv = limits.multipv;
        let waits = match mode {
            Mode::Think => false,
            Mode::Ponder => true,
            Mode::Analyze => limits.is_infinite(),
        };
        let control = Arc::new(Control::new());
        self.busy = Busy::Searching(Search {
            control: Arc::clone(&control),
            position,
            mode,
            waits,
            multipv,
            is_ending: false,
            held: None,
            written: None,
        });
        self.send(Job::Search { game: Box::new(self.game.clone()), limits, control })
    }

    /// Ends the running search, or its pondering.
    fn end_search(&mut self, command: Command) -> io::Result<()> {
        let Busy::Searching(search) = &mut self.busy else { return Ok(()) };
        match command {
            Command::Stop => search.control.stop(),
            Command::PonderHit if search.mode == Mode::Ponder => search.control.ponder_hit(),
            Command::PonderHit => return Ok(()),
        }
        search.waits = false;
        match search.held.take() {
            Some(result) => self.finish(*result),
            None => Ok(()),
        }
    }

    /// The worker has something to report.
    fn handle(&mut self, report: Report<S::Error>) -> io::Result<()> {
        match report {
            Report::Configured(result) => self.configured(result),
            Report::Info(info) => self.inform(info),
            Report::Error(message) => self.fail(HubError::Engine(one_line(&message))),
            Report::Failed(message) => {
                self.log.line('#', format_args!("search failed: {message}"));
                let message = one_line(&format!("search failed, done again: {message}"));
                self.deferred.push(HubError::Engine(message));
                Ok(())
            }
            Report::Finished(result) => match &mut self.busy {
                Busy::Searching(search) if search.waits => {
                    search.held = Some(result);
                    Ok(())
                }
                _ => self.finish(*result),
            },
        }
    }

    fn configured(&mut self, result: Result<(), S::Error>) -> io::Result<()> {
        let Busy::Configuring { owes_ready } = std::mem::replace(&mut self.busy, Busy::No) else {
            return Ok(());
        };
        match result {
            Ok(()) => self.applied = Some(self.settings.clone()),
            Err(error) => {
                self.fail(HubError::Engine(one_line(&with_causes(&error))))?;
                if self.settings.fall_back(self.applied.as_ref(), &error) {
                    return self.configure(owes_ready);
                }
                // Without an engine, a search is answered with some legal move.
                self.applied.get_or_insert_with(|| self.settings.clone());
            }
        }
        if owes_ready { self.write("ready") } else { Ok(()) }
    }

    fn inform(&mut self, info: Info) -> io::Result<()> {
        let Busy::Searching(search) = &mut self.busy else { return Ok(()) };
        let now = Instant::now();
        // Ranks come in groups, of which none may be missing.
        let is_early = search.written.as_ref().is_some_and(|(_, last)| now - *last < INFO_INTERVAL);
        if is_early && search.multipv == 1 {
            return Ok(());
        }
        let line = reply::info(&search.position, &info, search.multipv > 1);
        if info.multipv == 1 {
            search.written = Some((info, now));
        }
        self.write(&line)
    }

    /// Writes the end of a search: its last `info`, if that has not been written, and `done`.
    fn finish(&mut self, result: Result<SearchResult, String>) -> io::Result<()> {
        let Busy::Searching(search) = std::mem::replace(&mut self.busy, Busy::No) else {
            return Ok(());
        };
        match result {
            Ok(outcome) => {
                let last = &outcome.info;
                let is_written = search.written.as_ref().is_some_and(|(info, _)| {
                    (info.depth, info.score) == (last.depth, last.score) && info.pv == last.pv
                });
                if !is_written && !last.pv.is_empty() {
                    self.write(&reply::info(&search.position, last, search.multipv > 1))?;
                }
                self.write(&reply::done(&search.position, &outcome))?;
            }
            Err(message) => {
                // A move by chance would hide it from the user, who would only see bad play.
                self.log.line('#', format_args!("search failed again: {message}"));
                let message = one_line(&format!("search failed twice: {message}"));
                self.fail(HubError::Engine(message.clone()))?;
                return Err(io::Error::other(message));
            }
        }
        self.search_is_over()
    }

    fn search_is_over(&mut self) -> io::Result<()> {
        self.level.clear();
        self.fresh_level = true;
        for error in std::mem::take(&mut self.deferred) {
            self.fail(error)?;
        }
        Ok(())
    }

    fn fail(&mut self, error: HubError) -> io::Result<()> {
        if self.silent {
            return Ok(());
        }
        if matches!(self.busy, Busy::Searching(_)) {
            self.deferred.push(error);
            return Ok(());
        }
        self.write(&LineWriter::new("error").quoted("message", &error.to_string()).finish())
    }

    fn send(&mut self, job: Job<S>) -> io::Result<()> {
        self.jobs.send(job).map_err(|_| io::Error::other("the search thread has ended"))
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        self.log.line('>', line);
        // One write for the whole line: clients see it at once and in one piece.
        self.output.write_all(format!("{line}\n").as_bytes())?;
        self.output.flush()
    }
}

/// How a search is ended from outside.
#[derive(Clone, Copy)]
enum Command {
    Stop,
    PonderHit,
}

/// The command word of a line, also when the rest cannot be read.
fn command(text: &str) -> Option<&str> {
    match Line::parse(text) {
        Ok(line) => line.map(|l| l.command()),
        Err(bad) => bad.command,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A session without threads, and where its jobs go.
    fn session() -> (Session<Vec<u8>, Params>, Receiver<Job<Params>>) {
        let (jobs, receiver) = unbounded();
        let session = Session {
            output: Vec::new(),
            log: Log::none(),
            jobs,
            settings: Params::default(),
            applied: Some(Params::default()),
            game: Game::default(),
            level: Level::default(),
            fresh_level: true,
            silent: false,
            other_variant: None,
            refused_game: None,
            init_waits: false,
            quit_by: None,
            busy: Busy::No,
            pending: VecDeque::new(),
            deferred: Vec::new(),
        };
        (session, receiver)
    }

    #[test]
    fn a_search_that_fails_twice_ends_the_session_without_a_move() {
        let (mut session, jobs) = session();
        session.execute("go think").unwrap();
        assert!(matches!(jobs.try_recv(), Ok(Job::Search { .. })));
        session.handle(Report::Failed("first".to_owned())).unwrap();
        assert!(session.output.is_empty(), "no error before done");
        let error = session.handle(Report::Finished(Box::new(Err("second".to_owned()))));
        assert_eq!(error.unwrap_err().to_string(), "search failed twice: second");
        let said = String::from_utf8(session.output.clone()).unwrap();
        assert_eq!(said, "error message=\"search failed twice: second\"\n");
    }

    /// The engine takes its time, and the client has sent everything at once.
    #[test]
    fn what_came_before_quit_is_answered_after_the_end_of_the_input() {
        let (mut session, jobs) = session();
        let (reports, received) = unbounded();
        for line in ["init", "ping", "quit"] {
            session.receive(line.to_owned());
        }
        assert!(session.work_off().unwrap() == Next::GoOn);
        assert!(matches!(jobs.try_recv(), Ok(Job::Configure(_))));
        let slow = thread::Builder::new().spawn(move || {
            thread::sleep(3 * LAST_ANSWER);
            reports.send(Report::Configured(Ok(())))
        });
        assert!(session.input_has_ended(&received).unwrap() == Next::GoOn);
        assert!(session.work_off().unwrap() == Next::Quit);
        assert_eq!(session.output, b"ready\npong\n");
        slow.unwrap().join().unwrap().unwrap();
    }
}
