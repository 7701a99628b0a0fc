//! The GUI's side of the Hub protocol.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use movegen::notation::hub;
use movegen::{Game, Position};

use super::{Heard, Process, ProcessOptions};
use crate::protocol::hub::{Line, LineWriter};
use crate::runner::clock::Level;
use crate::runner::player::{Abort, Answer, FaultKind, NewGame, Player, PlayerError, Thought};

/// How often a wait looks whether the match is being stopped.
const SLICE: Duration = Duration::from_millis(100);
/// How long a `pong` may take before pings are given up.
const PONG_PATIENCE: Duration = Duration::from_secs(1);

/// How to drive an engine.
#[derive(Clone, PartialEq, Debug)]
pub struct HubClientOptions {
    /// The program.
    pub process: ProcessOptions,
    /// Sent as `set-param` before `init`.
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

impl HubClientOptions {
    /// Default settings for this command.
    #[must_use]
    pub fn new(command: Vec<String>) -> HubClientOptions {
        HubClientOptions {
            process: ProcessOptions {
                command,
                dir: None::<PathBuf>,
                env: Vec::new(),
                cpus: Vec::new(),
            },
            params: Vec::new(),
            start_patience: Duration::from_secs(10),
            stall_patience: Duration::from_secs(60),
            margin: Duration::from_millis(50),
            tail_only: false,
            ping: true,
        }
    }
}

/// A parameter that an engine declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value at the start.
    pub value: String,
    /// `bool`, `int`, `real`, `string` or `enum`, as written.
    pub kind: String,
}

/// An engine that has said `ready`.
#[derive(Debug)]
pub struct HubClient {
    process: Process,
    options: HubClientOptions,
    abort: Arc<Abort>,
    name: String,
    version: String,
    parameters: Vec<Parameter>,
}

impl HubClient {
    /// Starts an engine and brings it to `ready`.
    ///
    /// # Errors
    /// If the program cannot be started, ends, or does not answer in time.
    pub fn start(options: HubClientOptions, abort: Arc<Abort>) -> Result<HubClient, PlayerError> {
        let process = Process::start(&options.process).map_err(|error| PlayerError::Fault {
            kind: FaultKind::Start,
            message: format!("cannot start '{}': {error}", options.process.command.join(" ")),
            tail: Vec::new(),
        })?;
        let mut client = HubClient {
            process,
            options,
            abort,
            name: String::new(),
            version: String::new(),
            parameters: Vec::new(),
        };
        let patience = client.options.start_patience;
        client.send("hub", FaultKind::Start)?;
        client.until("wait", patience)?;
        for (name, value) in client.options.params.clone() {
            let line = LineWriter::new("set-param").arg("name", name).arg("value", value).finish();
            client.send(&line, FaultKind::Start)?;
        }
        client.send("init", FaultKind::Start)?;
        client.until("ready", patience)?;
        Ok(client)
    }

    /// What the engine calls itself; empty if it gave no name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The version it told; may be empty.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// What it declared.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The number of its process.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    fn fault(&self, kind: FaultKind, message: impl Into<String>) -> PlayerError {
        PlayerError::Fault { kind, message: message.into(), tail: self.process.tail() }
    }

    fn ended(&mut self, kind: FaultKind, when: &str) -> PlayerError {
        let how = match self.process.wait(Duration::from_millis(500)) {
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

    /// Hears a line, looking now and then whether the match is being stopped.
    fn hear(&mut self, deadline: Instant) -> Result<Heard, PlayerError> {
        loop {
            if self.abort.is_set() {
                return Err(PlayerError::Aborted);
            }
            let slice = deadline.min(Instant::now() + SLICE);
            match self.process.hear(slice) {
                Heard::Silence if slice < deadline => {}
                heard => return Ok(heard),
            }
        }
    }

    /// Waits for the line that ends a phase of the start.
    fn until(&mut self, end: &str, patience: Duration) -> Result<(), PlayerError> {
        let deadline = Instant::now() + patience;
        loop {
            match self.hear(deadline)? {
                Heard::Line(text, _) => {
                    let Ok(Some(line)) = Line::parse(&text) else { continue };
                    let value = |name| line.value(name).unwrap_or_default().to_owned();
                    match line.command() {
                        "id" => (self.name, self.version) = (value("name"), value("version")),
                        "param" => self.parameters.push(Parameter {
                            name: value("name"),
                            value: value("value"),
                            kind: value("type"),
                        }),
                        command if command == end => return Ok(()),
                        _ => {}
                    }
                }
                Heard::Silence => {
                    let message = format!("no '{end}' within {patience:?}");
                    return Err(self.fault(FaultKind::Start, message));
                }
                Heard::Closed => {
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

    fn think(&mut self, game: &Game, level: &Level) -> Result<Answer, PlayerError> {
        let position = *game.position();
        self.send(&self.position_line(game), FaultKind::Crash)?;
        self.send(&level.to_hub(), FaultKind::Crash)?;
        let start = Instant::now();
        self.send("go think", FaultKind::Crash)?;
        // After its time an engine is told to stop, and after some patience it counts as stalled.
        let over = level.allowed().map(|allowed| start + allowed + self.options.margin);
        let stalled = over.unwrap_or(start) + self.options.stall_patience;
        let mut stop_at = over;
        let (mut score, mut depth, mut nodes) = (None, None, None);
        loop {
            let deadline = stop_at.unwrap_or(stalled);
            match self.hear(deadline)? {
                // Left over from before: for example a second answer.
                Heard::Line(_, arrived) if arrived < start => {}
                Heard::Line(text, arrived) => {
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
                        _ => {}
                    }
                }
                Heard::Silence if stop_at.is_some() => {
                    stop_at = None;
                    self.send("stop", FaultKind::Crash)?;
                }
                Heard::Silence => {
                    let message = format!("no move after {:.1?}", start.elapsed());
                    return Err(self.fault(FaultKind::Stall, message));
                }
                Heard::Closed => return Err(self.ended(FaultKind::Crash, "while thinking")),
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
            match self.hear(start + PONG_PATIENCE) {
                Ok(Heard::Line(text, arrived)) if text.trim() == "pong" && arrived >= start => {
                    return Some(arrived.saturating_duration_since(start));
                }
                Ok(Heard::Line(..)) => {}
                Ok(Heard::Silence | Heard::Closed) => {
                    self.options.ping = false;
                    return None;
                }
                // The match is being stopped.
                Err(_) => return None,
            }
        }
    }

    fn quit(self: Box<Self>) {
        self.process.quit("quit");
    }
}

/// A finite number, also with a decimal comma.
fn number(line: &Line, name: &str) -> Option<f64> {
    let value: f64 = line.value(name)?.replace(',', ".").parse().ok()?;
    value.is_finite().then_some(value)
}
