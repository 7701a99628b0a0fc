//! The GUI's side of the Hub protocol.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, never};
use movegen::notation::hub;
use movegen::notation::pdn::GameResult;
use movegen::{Game, Move, Position};

use super::{Process, ProcessOptions, QUIT_PATIENCE, Received, is_cut, too_long};
use crate::protocol::Log;
use crate::protocol::hub::{Line, LineWriter, level_line, read_info, real};
use crate::runner::player::{
    Abort, Answer, FaultKind, Identity, NewGame, Parameter, Player, PlayerError, SLOW_START,
    SlowStart, Thought,
};
use meerslag_search::{Control, Info, Limits, Mode};

/// A wait without a limit; it begins again.
const NO_DEADLINE: Duration = Duration::from_secs(3600);
/// How often a wait checks whether the match is being stopped.
const ABORT_CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Errors of a start, or of a game, that are reported; an engine may never stop sending them.
const MAX_ERRORS: usize = 5;
/// Parameters that are kept, for the same reason.
const MAX_PARAMETERS: usize = 1000;
/// How long a `pong` may take before pings are given up.
const PONG_PATIENCE: Duration = Duration::from_secs(1);
/// How long the answer may take after a `stop` that was commanded from outside.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// When a program has ended that was there after its last game.
const BETWEEN_GAMES: &str = "before the game";

/// The parameter of engines that can ponder.
const PONDER: &str = "ponder";

/// How to drive an engine.
#[derive(Clone, PartialEq, Debug)]
pub struct HubClientOptions {
    /// The program.
    pub process: ProcessOptions,
    /// Sent as `set-param` before `init`. The engine must have declared them.
    pub params: Vec<(String, String)>,
    /// Also sent, if the engine has declared them as switches and nothing else is given.
    pub wishes: Vec<(String, String)>,
    /// How long it may take until `wait`, and again until `ready`.
    pub start_patience: Duration,
    /// How long it may think without a time limit, or beyond one, before it counts as stalled.
    pub stall_patience: Duration,
    /// Overrun of a time limit that is not worth a `stop`.
    pub margin: Duration,
    /// Send only the position after the last irreversible move and the moves since, as Hub 2
    /// does, instead of the whole game.
    pub tail_only: bool,
    /// Measure the way there and back by `ping`; some old engines do not know it.
    pub ping: bool,
    /// It thinks in the opponent's time, too.
    pub ponder: bool,
    /// A search without a time limit may take for ever.
    pub is_patient: bool,
}

/// The answer to a search, as the engine gave it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HubAnswer {
    /// The move, legal in the position asked about; `None` if it gave none.
    pub mv: Option<Move>,
    /// The reply that it expects, legal after the move.
    pub reply: Option<Move>,
    /// When it was asked: just before `go` was written.
    pub asked: Instant,
    /// When the answer arrived.
    pub answered: Instant,
}

/// An engine that has said `ready`.
#[derive(Debug)]
pub struct HubClient {
    process: Process,
    options: HubClientOptions,
    abort: Arc<Abort>,
    identity: Identity,
    /// The messages of `error` lines since they were last asked for.
    errors: Vec<String>,
    /// What it ponders on: the game after the expected reply, and since when.
    pondering: Option<(Game, Instant)>,
}

impl HubClient {
    /// Starts an engine and brings it to `ready`. `slow` is called when that takes long.
    ///
    /// # Errors
    /// As for [`HubClient::introduce`] and [`HubClient::prepare`].
    pub fn start(
        options: HubClientOptions,
        log: &Log,
        abort: Arc<Abort>,
        slow: SlowStart<'_>,
    ) -> Result<HubClient, PlayerError> {
        let patience = options.start_patience;
        let mut client = HubClient::introduce(options, log, abort, slow)?;
        client.prepare(patience, slow)?;
        Ok(client)
    }

    /// Starts an engine, which says what it is and declares its parameters.
    ///
    /// # Errors
    /// If the program cannot be started, ends, or does not answer in time.
    pub fn introduce(
        options: HubClientOptions,
        log: &Log,
        abort: Arc<Abort>,
        slow: SlowStart<'_>,
    ) -> Result<HubClient, PlayerError> {
        let process = options.process.start(log, abort.world())?;
        let identity = Identity::default();
        let (errors, pondering) = (Vec::new(), None);
        let mut client = HubClient { process, options, abort, identity, errors, pondering };
        client.send("hub", FaultKind::Start)?;
        client.until("wait", client.options.start_patience, slow)?;
        Ok(client)
    }

    /// Sets the parameters of an engine that has been introduced, and brings it to `ready`.
    ///
    /// # Errors
    /// If the program ends, is not ready within this time, has not declared a parameter of its
    /// description, or reports an error about one: it would not play as it should. Other errors are
    /// [complaints](Player::complaints), since it says itself that it is ready.
    pub fn prepare(&mut self, patience: Duration, slow: SlowStart<'_>) -> Result<(), PlayerError> {
        self.check_parameters()?;
        for (name, value) in self.parameters() {
            let line = LineWriter::new("set-param").arg("name", name).arg("value", value).finish();
            self.send(&line, FaultKind::Start)?;
        }
        self.send("init", FaultKind::Start)?;
        self.until("ready", patience, slow)?;
        let given = &self.options.params;
        let refused = |error: &&String| given.iter().any(|given| is_about(error, given));
        let refused: Vec<&str> = self.errors.iter().filter(refused).map(String::as_str).collect();
        if refused.is_empty() {
            return Ok(());
        }
        let message = format!("it reports an error: {}", refused.join("; "));
        Err(self.fault(FaultKind::Start, message))
    }

    fn now(&self) -> Instant {
        self.abort.world().now()
    }

    fn since(&self, start: Instant) -> Duration {
        self.now().saturating_duration_since(start)
    }

    /// The engine's settings.
    fn parameters(&self) -> Vec<(String, String)> {
        let HubClientOptions { params, wishes, ponder, .. } = &self.options;
        let is_open = |wish: &&(String, String)| {
            self.identity.parameters.iter().any(|it| it.name == wish.0 && it.is_switch())
                && params.iter().all(|given| given.0 != wish.0)
        };
        let is_told = params.iter().any(|given| given.0 == PONDER);
        let ponder = (*ponder && !is_told).then(|| (PONDER.to_owned(), "true".to_owned()));
        params.iter().chain(wishes.iter().filter(is_open)).cloned().chain(ponder).collect()
    }

    /// An engine ignores unknown parameters, so a misspelt one would do nothing.
    fn check_parameters(&self) -> Result<(), PlayerError> {
        let parameters = self.identity.parameters.iter();
        let declared: Vec<&str> = parameters.map(|parameter| parameter.name.as_str()).collect();
        let ponder = self.options.ponder.then_some(PONDER);
        let mut names = self.options.params.iter().map(|(name, _)| name.as_str()).chain(ponder);
        let Some(unknown) = names.find(|name| !declared.contains(name)) else { return Ok(()) };
        let known = if declared.is_empty() { "none".to_owned() } else { declared.join(", ") };
        let message = format!("it has not declared a parameter '{unknown}', only: {known}");
        // What it wrote last is that list again.
        Err(PlayerError::fault(FaultKind::Start, message))
    }

    fn fault(&self, kind: FaultKind, message: impl Into<String>) -> PlayerError {
        PlayerError::Fault { kind, message: message.into(), tail: self.process.tail() }
    }

    fn ended(&mut self, kind: FaultKind, when: &str) -> PlayerError {
        let how = match self.process.wait(QUIT_PATIENCE) {
            Some(status) => status.to_string(),
            None => "it closed its output".to_owned(),
        };
        let message = format!("the program ended {when} ({how})");
        PlayerError::Fault { kind, message, tail: self.process.last_words() }
    }

    fn send(&mut self, line: &str, kind: FaultKind) -> Result<(), PlayerError> {
        if self.process.send(line).is_err() {
            let command = line.split(' ').next().unwrap_or_default().to_owned();
            return Err(self.ended(kind, &format!("before '{command}'")));
        }
        Ok(())
    }

    /// Receives a line, looking now and then whether the match is being stopped.
    fn receive(&mut self, deadline: Instant) -> Result<Received, PlayerError> {
        loop {
            let until = deadline.min(self.now() + ABORT_CHECK_INTERVAL);
            match self.receive_unless(until, &never())? {
                Received::Silence if until < deadline => {}
                received => return Ok(received),
            }
        }
    }

    /// As `receive` for a short time; silence as soon as something comes from this channel.
    fn receive_unless(
        &mut self,
        until: Instant,
        call: &Receiver<()>,
    ) -> Result<Received, PlayerError> {
        if self.abort.is_set() {
            return Err(PlayerError::Aborted);
        }
        Ok(self.process.receive_unless(until, call))
    }

    /// Waits for the line that ends a phase of the start.
    fn until(
        &mut self,
        end: &str,
        patience: Duration,
        slow: SlowStart<'_>,
    ) -> Result<(), PlayerError> {
        let deadline = self.now() + patience;
        let mut slow_at = Some(self.now() + SLOW_START).filter(|at| *at < deadline);
        loop {
            match self.receive(slow_at.unwrap_or(deadline))? {
                Received::Line(text, _) => {
                    let Ok(Some(line)) = Line::parse(&text) else { continue };
                    match line.command() {
                        "id" | "param" => self.read_description(&line, &text),
                        "error" => note_error(&mut self.errors, &line),
                        command if command == end => return Ok(()),
                        _ => {}
                    }
                }
                Received::Silence if slow_at.take().is_some() => {
                    slow(&format!("no '{end}' within {SLOW_START:?}"), &self.process.tail());
                }
                Received::Silence => {
                    let other = if end == "wait" { self.process.other_protocol() } else { "" };
                    let message = format!("no '{end}' within {patience:?}{other}");
                    return Err(self.fault(FaultKind::Start, message));
                }
                Received::Closed => {
                    return Err(self.ended(FaultKind::Start, &format!("before '{end}'")));
                }
            }
        }
    }

    /// Records an engine's own description.
    fn read_description(&mut self, line: &Line, text: &str) {
        let value = |name| line.value(name).map(str::to_owned);
        let Identity { name, version, author, declaration, parameters } = &mut self.identity;
        if line.command() == "id" {
            (*name, *version, *author) = (value("name"), value("version"), value("author"));
            text.trim().clone_into(declaration);
        } else if let Some(name) = value("name").filter(|_| parameters.len() < MAX_PARAMETERS) {
            let value = value("value").unwrap_or_default();
            let declaration = text.trim().to_owned();
            parameters.push(Parameter { name, value, declaration });
        }
    }

    fn position_line(&self, game: &Game) -> String {
        let mut first = if self.options.tail_only {
            game.ply().saturating_sub(usize::from(game.counters().reversible()))
        } else {
            0
        };
        // Not every engine of Frisian knows the argument for moves in a row: rather send those moves.
        while first > 0 && hub::format_wolf(&game.positions()[first]).is_some() {
            first -= 1;
        }
        let start = &game.positions()[first];
        let mut line = LineWriter::new("pos").arg("pos", hub::format_position(start));
        if let Some(wolf) = hub::format_wolf(start) {
            line = line.quoted("wolf", &wolf);
        }
        let moves: Vec<String> = game.moves()[first..].iter().map(ToString::to_string).collect();
        if moves.is_empty() {
            line.finish()
        } else {
            line.quoted("moves", &moves.join(" ")).finish()
        }
    }

    /// Ends the search in the opponent's time, and waits for its answer, which is discarded.
    fn stop_pondering(&mut self) -> Result<(), PlayerError> {
        let Some((_, since)) = self.pondering.take() else { return Ok(()) };
        self.send("stop", FaultKind::Crash)?;
        let patience = self.options.stall_patience.min(STOP_PATIENCE);
        let deadline = self.now() + patience;
        loop {
            match self.receive(deadline)? {
                Received::Line(text, arrived) => {
                    let Ok(Some(line)) = Line::parse(&text) else { continue };
                    match line.command() {
                        "done" if arrived >= since => return Ok(()),
                        "error" => note_error(&mut self.errors, &line),
                        _ => {}
                    }
                }
                Received::Silence => {
                    let message = format!("no answer to 'stop' within {patience:?}, pondering");
                    return Err(self.fault(FaultKind::Stall, message));
                }
                Received::Closed => return Err(self.ended(FaultKind::Crash, "while pondering")),
            }
        }
    }

    /// Ends the engine in good order; it is killed if it takes longer than this.
    pub fn end(self, patience: Duration) {
        self.process.quit("quit", patience);
    }

    /// The move in a `done` line, if there is one.
    fn best(&self, line: &Line, position: &Position) -> Result<Option<Move>, PlayerError> {
        let Some(text) = line.value("move") else { return Ok(None) };
        hub::parse_move(position, text).map(Some).map_err(|error| {
            let message = format!("{error}, in {}", position.to_fen());
            self.fault(FaultKind::IllegalMove, message)
        })
    }

    /// Searches the game's current position, as [`Player::think`] does. `report` gets each `info` line,
    /// with the time since the engine was asked.
    ///
    /// # Errors
    /// If the engine fails or the match is stopped. After an illegal move it can be asked again.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Line<'_>, Duration),
    ) -> Result<HubAnswer, PlayerError> {
        let position = *game.position();
        let commands = control.commands();
        self.process.drop_reports(false);
        // Its clock runs from the opponent's move on: a search for another reply costs it the time until
        // it has stopped.
        let mut asked = self.now();
        let is_hit = self.pondering.as_ref().is_some_and(|(it, _)| it.moves() == game.moves());
        let start = match self.pondering.take_if(|_| is_hit) {
            Some((_, since)) => {
                self.send("ponder-hit", FaultKind::Crash)?;
                // The answer may have come in the opponent's time.
                since
            }
            None => {
                let has_pondered = self.pondering.is_some();
                self.stop_pondering()?;
                self.send(&self.position_line(game), FaultKind::Crash)?;
                self.send(&level_line(limits), FaultKind::Crash)?;
                let start = self.now();
                if !has_pondered {
                    asked = start;
                }
                self.send(go(limits.mode), FaultKind::Crash)?;
                start
            }
        };
        let mut due = SearchDeadlines::new(limits, &self.options, asked);
        loop {
            let now = self.now();
            if let Some(command) = due.command(control, limits, &self.options, now) {
                self.send(command, FaultKind::Crash)?;
            }
            let until = due.next(now).min(now + ABORT_CHECK_INTERVAL);
            match self.receive_unless(until, &commands)? {
                // Left over from before: for example a second answer.
                Received::Line(text, arrived) if arrived < start => {
                    note_errors(&mut self.errors, &text);
                }
                Received::Line(text, arrived) => {
                    let line = Line::parse(&text);
                    let command = match &line {
                        Ok(line) => line.as_ref().map(Line::command),
                        Err(bad) => bad.command,
                    };
                    let why = match &line {
                        _ if command == Some("done") && is_cut(&text) => Some(too_long()),
                        Err(bad) if command == Some("done") => Some(bad.error.to_string()),
                        _ => None,
                    };
                    if let Some(why) = why {
                        let message = format!("unreadable answer: {why}");
                        return Err(self.fault(FaultKind::IllegalMove, message));
                    }
                    let Ok(Some(line)) = line else { continue };
                    match line.command() {
                        "info" => report(&line, self.since(asked)),
                        "done" => {
                            let mv = self.best(&line, &position)?;
                            let reply = mv.zip(line.value("ponder")).and_then(|(mv, text)| {
                                hub::parse_move(&position.after(mv), text).ok()
                            });
                            let answered = arrived.max(asked);
                            return Ok(HubAnswer { mv, reply, asked, answered });
                        }
                        "error" => note_error(&mut self.errors, &line),
                        _ => {}
                    }
                }
                Received::Silence if due.is_time_over(until) => {
                    self.send("stop", FaultKind::Crash)?;
                }
                Received::Silence if !due.is_stalled(until) => {}
                Received::Silence => {
                    let message = format!("no move after {:.1?}", self.since(asked));
                    return Err(self.fault(FaultKind::Stall, message));
                }
                Received::Closed => return Err(self.ended(FaultKind::Crash, "while thinking")),
            }
        }
    }
}

impl Player for HubClient {
    fn new_game(&mut self, _game: &NewGame) -> Result<(), PlayerError> {
        self.stop_pondering()?;
        if self.process.wait(Duration::ZERO).is_some() {
            return Err(self.ended(FaultKind::Crash, BETWEEN_GAMES));
        }
        self.send("new-game", FaultKind::Crash)
    }

    fn think(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Arc<Control>,
        report: &mut dyn FnMut(&Info),
    ) -> Result<Answer, PlayerError> {
        let position = *game.position();
        let (mut score, mut depth, mut nodes) = (None, None, None);
        let mut report = |line: &Line<'_>, elapsed| {
            let new = line.value("score").and_then(|t| real("score", t).ok());
            score = new.or(score);
            depth = line.value("depth").and_then(|d| d.parse().ok()).or(depth);
            nodes = line.value("nodes").and_then(|n| n.parse().ok()).or(nodes);
            if let Some(info) = read_info(line, &position, elapsed) {
                report(&info);
            }
        };
        let HubAnswer { mv, reply, asked, answered } =
            self.search(game, limits, control, &mut report)?;
        let Some(mv) = mv else {
            let message = "'done' without a move in a position that has one";
            return Err(self.fault(FaultKind::IllegalMove, message));
        };
        Ok(Answer::Move(Thought { mv, score, depth, nodes, reply, asked, answered }))
    }

    fn ponder(&mut self, game: &Game, reply: Move, limits: &Limits) -> Result<(), PlayerError> {
        let mut expected = game.clone();
        if !self.options.ponder
            || expected.play(reply).is_err()
            || expected.position().legal_moves().is_empty()
        {
            return Ok(());
        }
        self.process.drop_reports(true);
        self.send(&self.position_line(&expected), FaultKind::Crash)?;
        self.send(&level_line(limits), FaultKind::Crash)?;
        let since = self.now();
        self.send(go(Mode::Ponder), FaultKind::Crash)?;
        self.pondering = Some((expected, since));
        Ok(())
    }

    fn game_over(&mut self, _game: &Game, _result: GameResult) {
        // A failure here shows in the next game.
        let _ = self.stop_pondering();
    }

    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn latency(&mut self) -> Result<Option<Duration>, PlayerError> {
        if !self.options.ping {
            return Ok(None);
        }
        let start = self.now();
        self.send("ping", FaultKind::Crash)?;
        loop {
            match self.receive(start + PONG_PATIENCE)? {
                Received::Line(text, arrived) if text.trim() == "pong" && arrived >= start => {
                    return Ok(Some(arrived.saturating_duration_since(start)));
                }
                Received::Line(text, _) => note_errors(&mut self.errors, &text),
                Received::Silence => {
                    self.options.ping = false;
                    return Ok(None);
                }
                Received::Closed => return Err(self.ended(FaultKind::Crash, BETWEEN_GAMES)),
            }
        }
    }

    fn complaints(&mut self) -> Vec<String> {
        std::mem::take(&mut self.errors)
    }

    fn quit(self: Box<Self>) {
        self.end(QUIT_PATIENCE);
    }
}

/// The line that begins a search.
const fn go(mode: Mode) -> &'static str {
    match mode {
        Mode::Think => "go think",
        Mode::Ponder => "go ponder",
        Mode::Analyze => "go analyze",
    }
}

/// When something is to happen in a search: after its time an engine gets a `stop`, and after some
/// patience it counts as stalled.
struct SearchDeadlines {
    stop: Option<Instant>,
    stalled: Option<Instant>,
    /// The opponent's time, when no answer is due.
    is_pondering: bool,
    is_stopped: bool,
}

impl SearchDeadlines {
    fn new(limits: &Limits, options: &HubClientOptions, start: Instant) -> SearchDeadlines {
        let mut due =
            SearchDeadlines { stop: None, stalled: None, is_pondering: false, is_stopped: false };
        match limits.mode {
            Mode::Ponder => due.is_pondering = true,
            // Ends only on a command.
            Mode::Analyze if limits.is_infinite() => {}
            Mode::Think | Mode::Analyze => due.begin(limits, options, start),
        }
        due
    }

    /// The time of the search begins.
    fn begin(&mut self, limits: &Limits, options: &HubClientOptions, start: Instant) {
        self.stop = limits.longest().map(|allowed| start + allowed + options.margin);
        let is_waited_for = options.is_patient && self.stop.is_none();
        let patience = (!is_waited_for).then_some(options.stall_patience);
        self.stalled = patience.map(|patience| self.stop.unwrap_or(start) + patience);
    }

    /// The line for the engine that follows from a command.
    fn command(
        &mut self,
        control: &Control,
        limits: &Limits,
        options: &HubClientOptions,
        now: Instant,
    ) -> Option<&'static str> {
        if control.is_stopped() {
            if std::mem::replace(&mut self.is_stopped, true) {
                return None;
            }
            let patience = options.stall_patience.min(STOP_PATIENCE);
            (self.stop, self.stalled) = (None, Some(now + patience));
            return Some("stop");
        }
        if self.is_pondering && control.is_ponder_hit() {
            self.is_pondering = false;
            self.begin(limits, options, now);
            return Some("ponder-hit");
        }
        None
    }

    /// When something is due next.
    fn next(&self, now: Instant) -> Instant {
        self.stop.or(self.stalled).unwrap_or(now + NO_DEADLINE)
    }

    /// Whether the engine is to stop, after silence until then. Only once.
    fn is_time_over(&mut self, silent_until: Instant) -> bool {
        self.stop.take_if(|stop| *stop <= silent_until).is_some()
    }

    fn is_stalled(&self, silent_until: Instant) -> bool {
        self.stop.is_none() && self.stalled.is_some_and(|stalled| stalled <= silent_until)
    }
}

/// Whether an error is about this parameter: it names it, or its value.
fn is_about(error: &str, (name, value): &(String, String)) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let names = |text: &str| error.split(|c| !is_word(c)).any(|word| word == text);
    // A number or a switch says nothing by itself.
    let is_telling =
        value.len() > 2 && value.parse::<f64>().is_err() && value.parse::<bool>().is_err();
    names(name) || is_telling && error.contains(value.as_str())
}

/// Keeps the message of an `error` line.
fn note_error(errors: &mut Vec<String>, line: &Line) {
    if errors.len() < MAX_ERRORS {
        errors.push(line.value("message").unwrap_or("no message").to_owned());
    }
}

/// As `note_error` for any line.
fn note_errors(errors: &mut Vec<String>, text: &str) {
    if let Ok(Some(line)) = Line::parse(text)
        && line.command() == "error"
    {
        note_error(errors, &line);
    }
}
