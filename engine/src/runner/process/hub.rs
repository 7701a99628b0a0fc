//! The GUI's side of the Hub protocol.

use std::sync::Arc;
use std::time::{Duration, Instant};

use movegen::notation::hub;
use movegen::{Game, Position};

use super::{Process, ProcessOptions, QUIT_PATIENCE, Received};
use crate::limits::Limits;
use crate::protocol::hub::{Line, LineWriter, level_line};
use crate::runner::player::{
    Abort, Answer, FaultKind, NewGame, Player, PlayerError, SLOW_START, SlowStart, Thought,
};

/// How often a wait looks whether the match is being stopped.
const SLICE: Duration = Duration::from_millis(100);
/// Errors of a start, or of a game, that are reported; an engine may never stop sending them.
const MOST_ERRORS: usize = 5;
/// How long a `pong` may take before pings are given up.
const PONG_PATIENCE: Duration = Duration::from_secs(1);

/// How to drive an engine.
#[derive(Clone, PartialEq, Debug)]
pub struct HubClientOptions {
    /// The program.
    pub process: ProcessOptions,
    /// Sent as `set-param` before `init`. The engine must have declared them.
    pub params: Vec<(String, String)>,
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
}

/// An engine that has said `ready`.
#[derive(Debug)]
pub struct HubClient {
    process: Process,
    options: HubClientOptions,
    abort: Arc<Abort>,
    /// Its name and version.
    identity: Option<String>,
    /// The messages of `error` lines since it was ready.
    errors: Vec<String>,
}

/// What an engine said before it was ready.
#[derive(Default)]
struct Introduction {
    /// The parameters that it declared.
    parameters: Vec<String>,
    /// Its name and version.
    identity: Option<String>,
    /// The messages of its `error` lines.
    errors: Vec<String>,
}

impl HubClient {
    /// Starts an engine and brings it to `ready`. `slow` is called when that takes long.
    ///
    /// # Errors
    /// If the program cannot be started, ends, does not answer in time, has not declared a
    /// parameter that it is to be given, or reports an error: it would not play as it should.
    pub fn start(
        options: HubClientOptions,
        abort: Arc<Abort>,
        slow: SlowStart<'_>,
    ) -> Result<HubClient, PlayerError> {
        let process = Process::start(&options.process).map_err(|error| PlayerError::Fault {
            kind: FaultKind::Start,
            message: format!("cannot start '{}': {error}", options.process.command.join(" ")),
            tail: Vec::new(),
        })?;
        let mut client = HubClient { process, options, abort, identity: None, errors: Vec::new() };
        let mut said = Introduction::default();
        client.send("hub", FaultKind::Start)?;
        client.until("wait", &mut said, slow)?;
        client.check_parameters(&said.parameters)?;
        for (name, value) in client.options.params.clone() {
            let line = LineWriter::new("set-param").arg("name", name).arg("value", value).finish();
            client.send(&line, FaultKind::Start)?;
        }
        client.send("init", FaultKind::Start)?;
        client.until("ready", &mut said, slow)?;
        if !said.errors.is_empty() {
            let message = format!("it reports an error: {}", said.errors.join("; "));
            return Err(client.fault(FaultKind::Start, message));
        }
        client.identity = said.identity;
        Ok(client)
    }

    /// An engine passes over parameters that it does not know, so a misspelt one would do nothing.
    fn check_parameters(&self, declared: &[String]) -> Result<(), PlayerError> {
        let mut names = self.options.params.iter().map(|(name, _)| name);
        let Some(unknown) = names.find(|name| !declared.contains(name)) else { return Ok(()) };
        let known = if declared.is_empty() { "none".to_owned() } else { declared.join(", ") };
        let message = format!("it has not declared a parameter '{unknown}', only: {known}");
        // What it wrote last is that list again.
        Err(PlayerError::Fault { kind: FaultKind::Start, message, tail: Vec::new() })
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
            if self.abort.is_set() {
                return Err(PlayerError::Aborted);
            }
            let slice = deadline.min(Instant::now() + SLICE);
            match self.process.receive(slice) {
                Received::Silence if slice < deadline => {}
                received => return Ok(received),
            }
        }
    }

    /// Waits for the line that ends a phase of the start.
    fn until(
        &mut self,
        end: &str,
        said: &mut Introduction,
        slow: SlowStart<'_>,
    ) -> Result<(), PlayerError> {
        let patience = self.options.start_patience;
        let deadline = Instant::now() + patience;
        let mut slow_at = Some(Instant::now() + SLOW_START).filter(|at| *at < deadline);
        loop {
            match self.receive(slow_at.unwrap_or(deadline))? {
                Received::Line(text, _) => {
                    let Ok(Some(line)) = Line::parse(&text) else { continue };
                    match line.command() {
                        "id" => {
                            let parts = [line.value("name"), line.value("version")];
                            said.identity = Some(parts.into_iter().flatten().collect::<Vec<_>>())
                                .filter(|parts| !parts.is_empty())
                                .map(|parts| parts.join(" "));
                        }
                        "param" => said.parameters.extend(line.value("name").map(str::to_owned)),
                        "error" => note_error(&mut said.errors, &line),
                        command if command == end => return Ok(()),
                        _ => {}
                    }
                }
                Received::Silence if slow_at.take().is_some() => {
                    slow(&format!("no '{end}' within {SLOW_START:?}"), &self.process.tail());
                }
                Received::Silence => {
                    let message = format!("no '{end}' within {patience:?}");
                    return Err(self.fault(FaultKind::Start, message));
                }
                Received::Closed => {
                    return Err(self.ended(FaultKind::Start, &format!("before '{end}'")));
                }
            }
        }
    }

    fn position_line(&self, game: &Game) -> String {
        let first = if self.options.tail_only {
            game.ply().saturating_sub(usize::from(game.counters().reversible()))
        } else {
            0
        };
        let start = hub::format_position(&game.positions()[first]);
        let line = LineWriter::new("pos").arg("pos", start);
        let moves: Vec<String> = game.moves()[first..].iter().map(ToString::to_string).collect();
        if moves.is_empty() {
            line.finish()
        } else {
            line.quoted("moves", &moves.join(" ")).finish()
        }
    }

    /// The answer in a `done` line.
    fn best(&self, line: &Line, position: &Position) -> Result<movegen::Move, PlayerError> {
        let Some(text) = line.value("move") else {
            let message = "'done' without a move in a position that has one".to_owned();
            return Err(self.fault(FaultKind::IllegalMove, message));
        };
        hub::parse_move(position, text).map_err(|error| {
            let message = format!("{error}, in {}", position.to_fen());
            self.fault(FaultKind::IllegalMove, message)
        })
    }
}

impl Player for HubClient {
    fn new_game(&mut self, _game: &NewGame) -> Result<(), PlayerError> {
        self.send("new-game", FaultKind::Crash)
    }

    fn think(&mut self, game: &Game, limits: &Limits) -> Result<Answer, PlayerError> {
        let position = *game.position();
        self.send(&self.position_line(game), FaultKind::Crash)?;
        self.send(&level_line(limits), FaultKind::Crash)?;
        let start = Instant::now();
        self.send("go think", FaultKind::Crash)?;
        // After its time an engine gets a `stop`, and after some patience it counts as stalled.
        let over = limits.longest().map(|allowed| start + allowed + self.options.margin);
        let stalled = over.unwrap_or(start) + self.options.stall_patience;
        let mut stop_at = over;
        let (mut score, mut depth, mut nodes) = (None, None, None);
        loop {
            let deadline = stop_at.unwrap_or(stalled);
            match self.receive(deadline)? {
                // Left over from before: for example a second answer.
                Received::Line(text, arrived) if arrived < start => {
                    note_errors(&mut self.errors, &text);
                }
                Received::Line(text, arrived) => {
                    let line = match Line::parse(&text) {
                        Ok(Some(line)) => line,
                        Err(bad) if bad.command == Some("done") => {
                            let message = format!("unreadable answer: {}", bad.error);
                            return Err(self.fault(FaultKind::IllegalMove, message));
                        }
                        _ => continue,
                    };
                    match line.command() {
                        "info" => {
                            score = number(&line, "score").or(score);
                            depth = line.value("depth").and_then(|d| d.parse().ok()).or(depth);
                            nodes = line.value("nodes").and_then(|n| n.parse().ok()).or(nodes);
                        }
                        "done" => {
                            let mv = self.best(&line, &position)?;
                            let (asked, answered) = (start, arrived);
                            return Ok(Answer::Move(Thought {
                                mv,
                                score,
                                depth,
                                nodes,
                                asked,
                                answered,
                            }));
                        }
                        "error" => note_error(&mut self.errors, &line),
                        _ => {}
                    }
                }
                Received::Silence if stop_at.is_some() => {
                    stop_at = None;
                    self.send("stop", FaultKind::Crash)?;
                }
                Received::Silence => {
                    let message = format!("no move after {:.1?}", start.elapsed());
                    return Err(self.fault(FaultKind::Stall, message));
                }
                Received::Closed => return Err(self.ended(FaultKind::Crash, "while thinking")),
            }
        }
    }

    fn latency(&mut self) -> Option<Duration> {
        if !self.options.ping {
            return None;
        }
        let start = Instant::now();
        self.process.send("ping").ok()?;
        loop {
            match self.receive(start + PONG_PATIENCE) {
                Ok(Received::Line(text, arrived)) if text.trim() == "pong" && arrived >= start => {
                    return Some(arrived.saturating_duration_since(start));
                }
                Ok(Received::Line(text, _)) => note_errors(&mut self.errors, &text),
                Ok(Received::Silence | Received::Closed) => {
                    self.options.ping = false;
                    return None;
                }
                // The match is being stopped.
                Err(_) => return None,
            }
        }
    }

    fn identity(&self) -> Option<String> {
        self.identity.clone()
    }

    fn complaints(&mut self) -> Vec<String> {
        std::mem::take(&mut self.errors)
    }

    fn quit(self: Box<Self>) {
        self.process.quit("quit");
    }
}

/// Keeps the message of an `error` line.
fn note_error(errors: &mut Vec<String>, line: &Line) {
    if errors.len() < MOST_ERRORS {
        errors.push(line.value("message").unwrap_or("no message").to_owned());
    }
}

/// The same for a line that may be any.
fn note_errors(errors: &mut Vec<String>, text: &str) {
    if let Ok(Some(line)) = Line::parse(text)
        && line.command() == "error"
    {
        note_error(errors, &line);
    }
}

/// A finite number, also with a decimal comma.
fn number(line: &Line, name: &str) -> Option<f64> {
    let value: f64 = line.value(name)?.replace(',', ".").parse().ok()?;
    value.is_finite().then_some(value)
}
