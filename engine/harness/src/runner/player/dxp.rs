//! A program that follows over DXP as a player of a match.
//!
//! The runner is the initiator and the arbiter: it proposes each game and ends it with the result
//! that it found. A connection that breaks loses the game; the next game begins over a new one,
//! and if the runner started the program itself, with a new process.

use std::collections::VecDeque;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, never};
use meerslag_files::with_causes;
use movegen::notation::dxp::MoveMessage;
use movegen::notation::pdn::GameResult;
use movegen::{Color, Game, Wld};

use crate::protocol::dxp::{
    Acceptance, Address, Connection, EndReason, Incoming, Listener, Message, Request, TakeBack,
    answer_to_unreadable, connect, in_minutes, is_unreadable_end,
};
use crate::protocol::{Log, LogError, escaped_excerpt};
use crate::runner::player::process::{Process, ProcessOptions, QUIT_PATIENCE};
use crate::runner::player::{
    Abort, Answer, FaultKind, Identity, NewGame, Player, PlayerError, SLOW_START, SlowStart,
    Thought,
};
use crate::world::World;
use meerslag_search::{Control, Info, Limits};

/// How long the answer to a request and the echo of an end may take.
const ECHO_PATIENCE: Duration = Duration::from_secs(5);
/// How long one attempt to connect may take, before we look at the program.
const CONNECT_ATTEMPT: Duration = Duration::from_millis(500);
/// Messages kept for a report.
const TAIL_MESSAGES: usize = 20;
/// The most messages that may have come in time though they are read only after the deadline.
const MAX_LATE_MESSAGES: u32 = 256;

/// How to reach a program.
#[derive(Clone, PartialEq, Debug)]
pub struct DxpPlayerOptions {
    /// Whether the program connects to us.
    pub listen: bool,
    /// Where.
    pub address: Address,
    /// How to start it, `{port}` standing for the port; `None` if somebody else does.
    pub process: Option<ProcessOptions>,
    /// Least time between two messages of ours.
    pub gap: Duration,
    /// Where messages are logged.
    pub log: Option<PathBuf>,
    /// How long it may take to a connection, and again to the answer to a request.
    pub start_patience: Duration,
    /// How long it may think beyond its time before it counts as hanging.
    pub stall_patience: Duration,
}

/// The runner's end of a connection.
#[derive(Debug)]
pub struct DxpPlayer {
    options: DxpPlayerOptions,
    abort: Arc<Abort>,
    log: Log,
    /// The program's output outside the connection.
    output: Log,
    listener: Option<Listener>,
    process: Option<Process>,
    connection: Option<Connection>,
    /// Its name, when it has accepted a game.
    name: Option<String>,
    color: Color,
    /// Plies that the program knows of.
    known: usize,
    /// A game has been agreed on and not ended.
    is_playing: bool,
    /// The last messages, for reports.
    tail: VecDeque<String>,
}

/// The end of a wait.
enum DxpReceived {
    Message(Message),
    /// A move, which is judged elsewhere, as text.
    Move(String),
    Silence,
    Closed,
}

/// A wait for messages: one that flooding does not put off.
struct Wait {
    world: World,
    deadline: Instant,
    /// Messages that are still taken after the deadline.
    late: u32,
    /// The signal that may stop the wait, and the failure when it does.
    stop: Option<(Arc<Control>, Receiver<()>)>,
}

impl Wait {
    fn until(world: &World, deadline: Instant) -> Wait {
        Wait { world: world.clone(), deadline, late: MAX_LATE_MESSAGES, stop: None }
    }

    fn patiently(world: &World, patience: Duration) -> Wait {
        Wait::until(world, world.now() + patience)
    }

    fn unless_stopped(self, control: &Arc<Control>) -> Wait {
        Wait { stop: Some((Arc::clone(control), control.commands())), ..self }
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|(control, _)| control.is_stopped())
    }

    /// Whether the wait is over.
    fn is_over(&mut self) -> bool {
        if self.is_stopped() {
            return true;
        }
        if self.world.now() < self.deadline {
            return false;
        }
        let is_over = self.late == 0;
        self.late = self.late.saturating_sub(1);
        is_over
    }
}

impl DxpPlayer {
    /// Connects with the program, and starts it first if a command is given. Messages are logged in
    /// `transcript`, too, and the program's output in `output`. `slow` is called when that takes
    /// long.
    ///
    /// # Errors
    /// If it cannot be reached.
    pub fn start(
        options: DxpPlayerOptions,
        transcript: Log,
        output: Log,
        abort: Arc<Abort>,
        slow: SlowStart<'_>,
    ) -> Result<DxpPlayer, PlayerError> {
        let log = options.log.as_deref().map(Log::open).transpose();
        let log = log.map_err(|error| PlayerError::fault(FaultKind::Start, with_causes(&error)))?;
        let mut player = DxpPlayer {
            options,
            abort,
            log: log.unwrap_or_default().and(transcript),
            output,
            listener: None,
            process: None,
            connection: None,
            name: None,
            color: Color::White,
            known: 0,
            is_playing: false,
            tail: VecDeque::new(),
        };
        player.connect(slow)?;
        Ok(player)
    }

    /// Makes a new connection, and a new process if there is one.
    fn connect(&mut self, slow: SlowStart<'_>) -> Result<(), PlayerError> {
        self.connection = None;
        self.process = None;
        let Address { host, port } = self.options.address.clone();
        let failed = |what: &str, error: io::Error| {
            PlayerError::fault(FaultKind::Start, format!("{what} {host}, port {port}: {error}"))
        };
        let port = match port {
            _ if self.options.listen => {
                if self.listener.is_none() {
                    let listener = Listener::bind(&host, port);
                    self.listener = Some(listener.map_err(|e| failed("cannot listen on", e))?);
                }
                let port = self.listener.as_ref().map(Listener::port).transpose();
                port.map_err(|e| failed("cannot listen on", e))?.unwrap_or_default()
            }
            0 => free_port().map_err(|e| failed("no free port on", e))?,
            port => port,
        };
        self.process = self.options.start_process(port, &self.output, self.abort.world())?;
        let connection = self.reach(port, slow)?;
        self.connection = Some(connection.map_err(|e| failed("lost the connection with", e))?);
        Ok(())
    }

    /// Waits for the connection. A program of ours that ends with a failure is waited for no
    /// longer.
    fn reach(
        &mut self,
        port: u16,
        slow: SlowStart<'_>,
    ) -> Result<io::Result<Connection>, PlayerError> {
        let abort = Arc::clone(&self.abort);
        let host = self.options.address.host.clone();
        let patience = self.options.start_patience;
        let deadline = self.now() + patience;
        let mut slow_at = Some(self.now() + SLOW_START).filter(|at| *at < deadline);
        loop {
            let now = self.now();
            let left = deadline.saturating_duration_since(now).min(CONNECT_ATTEMPT);
            let (missing, why) = match &self.listener {
                Some(listener) => match listener.accept(abort.flag(), Some(now + left)) {
                    Ok(Some(stream)) => return Ok(self.over(stream)),
                    Ok(None) => (format!("nobody connected to {host}, port {port}"), String::new()),
                    Err(error) => {
                        let message = format!("cannot listen on {host}, port {port}: {error}");
                        return Err(self.fault(FaultKind::Start, message));
                    }
                },
                None => match self.call(&host, port, left) {
                    Ok(Some(connection)) => return Ok(connection),
                    Ok(None) => return Err(PlayerError::Aborted),
                    Err(error) => {
                        (format!("cannot connect to {host}, port {port}"), format!(": {error}"))
                    }
                },
            };
            if abort.is_set() {
                return Err(PlayerError::Aborted);
            }
            let status = self.process.as_mut().and_then(|process| process.wait(Duration::ZERO));
            if let Some(status) = status.filter(|status| !status.success())
                && let Some(process) = &mut self.process
            {
                let message = format!("the program ended before it connected ({status})");
                let tail = process.last_words();
                return Err(PlayerError::Fault { kind: FaultKind::Start, message, tail });
            }
            if self.now() >= deadline {
                let message = format!("{missing} within {patience:?}{why}");
                return Err(self.fault(FaultKind::Start, message));
            }
            if slow_at.take_if(|at| self.now() >= *at).is_some() {
                slow(&format!("{missing} within {SLOW_START:?}{why}"), &self.report());
            }
        }
    }

    /// Tries to connect for this long; `None` if the match is being stopped.
    fn call(
        &self,
        host: &str,
        port: u16,
        patience: Duration,
    ) -> io::Result<Option<io::Result<Connection>>> {
        let world = self.abort.world();
        let Some(simulation) = world.simulation() else {
            let stream = connect(host, port, patience, self.abort.flag())?;
            return Ok(stream.map(|stream| self.over(stream)));
        };
        match simulation.connect(host, port) {
            Ok(peer) => {
                let DxpPlayerOptions { gap, .. } = self.options;
                Ok(Some(Connection::with(peer, world, gap, self.log.clone())))
            }
            Err(error) => {
                world.sleep(patience);
                Err(error)
            }
        }
    }

    fn over(&self, stream: TcpStream) -> io::Result<Connection> {
        Connection::new(stream, self.options.gap, self.log.clone())
    }

    /// The program's last messages, and its output if it is our child.
    fn report(&self) -> Vec<String> {
        let output = self.process.as_ref().map_or_else(Vec::new, Process::tail);
        self.tail.iter().cloned().chain(output).collect()
    }

    fn fault(&self, kind: FaultKind, message: impl Into<String>) -> PlayerError {
        PlayerError::Fault { kind, message: message.into(), tail: self.report() }
    }

    fn now(&self) -> Instant {
        self.abort.world().now()
    }

    fn since(&self, start: Instant) -> Duration {
        self.now().saturating_duration_since(start)
    }

    fn remember(&mut self, mark: char, text: &str) {
        if self.tail.len() == TAIL_MESSAGES {
            self.tail.pop_front();
        }
        self.tail.push_back(format!("{mark} {}", text.escape_default()));
    }

    fn send(&mut self, message: &Message) {
        self.remember('>', &message.to_string());
        if let Some(connection) = &mut self.connection {
            connection.send(message);
        }
    }

    /// The next message that matters; chat and unreadable messages are skipped.
    fn receive(&mut self, wait: &mut Wait) -> Result<DxpReceived, PlayerError> {
        let deadline = wait.deadline;
        loop {
            if self.abort.is_set() {
                return Err(PlayerError::Aborted);
            }
            if wait.is_over() {
                return Ok(DxpReceived::Silence);
            }
            let Some(connection) = &mut self.connection else { return Ok(DxpReceived::Closed) };
            let call = wait.stop.as_ref().map_or_else(never, |(_, call)| call.clone());
            let text = match connection.receive_unless(Some(deadline), &call) {
                Incoming::Message(text) => text,
                Incoming::Closed => {
                    self.connection = None;
                    return Ok(DxpReceived::Closed);
                }
                Incoming::Nothing if self.now() >= deadline => return Ok(DxpReceived::Silence),
                Incoming::Nothing => continue,
            };
            self.remember('<', &text);
            if text.starts_with('M') {
                return Ok(DxpReceived::Move(text));
            }
            match text.parse() {
                Ok(Message::Chat(_) | Message::BackAnswer(_)) => {}
                Ok(Message::BackRequest { .. }) => {
                    self.send(&Message::BackAnswer(TakeBack::Unsupported));
                }
                Ok(Message::Request(_)) => self.send(&Message::Accept {
                    name: OUR_NAME.to_owned(),
                    code: Acceptance::NotThisGame,
                }),
                Ok(message) => return Ok(DxpReceived::Message(message)),
                Err(_) if is_unreadable_end(&text) => {
                    let end = Message::End { reason: EndReason::Unknown, stop: false };
                    return Ok(DxpReceived::Message(end));
                }
                Err(error) => {
                    if let Some(connection) = &self.connection {
                        connection.remark(&format!("ignored: {error}"));
                    }
                    if let Some(answer) = answer_to_unreadable(&text, OUR_NAME) {
                        self.send(&answer);
                    }
                }
            }
        }
    }

    /// Handles messages since the last question; the peer may have ended the game.
    fn catch_up(&mut self) -> Result<Option<EndReason>, PlayerError> {
        let end = self.end_within(Duration::ZERO)?;
        Ok(end.map(|(reason, stop)| self.ended(reason, stop)))
    }

    /// Acknowledges the end of the game.
    fn ended(&mut self, reason: EndReason, stop: bool) -> EndReason {
        self.is_playing = false;
        self.send(&Message::End { reason: EndReason::Unknown, stop });
        if stop {
            // It wants no more games over this connection; the next one is made for the next game.
            self.connection = None;
        }
        reason
    }

    /// Sends the end of the game and waits for its echo; whether it came.
    fn end(&mut self, reason: EndReason) -> bool {
        self.is_playing = false;
        self.send(&Message::End { reason, stop: false });
        let Ok(Some((_, stop))) = self.end_within(ECHO_PATIENCE) else { return false };
        if stop {
            self.connection = None;
        }
        true
    }

    /// The program's end of the game, and whether it wants no more games, if it comes within this time;
    /// everything else does not matter.
    fn end_within(&mut self, time: Duration) -> Result<Option<(EndReason, bool)>, PlayerError> {
        let mut wait = Wait::patiently(self.abort.world(), time);
        loop {
            match self.receive(&mut wait)? {
                DxpReceived::Message(Message::End { reason, stop }) => {
                    return Ok(Some((reason, stop)));
                }
                DxpReceived::Message(_) | DxpReceived::Move(_) => {}
                DxpReceived::Silence | DxpReceived::Closed => return Ok(None),
            }
        }
    }

    /// Whether the connection still holds and no newer one waits.
    fn is_connected(&mut self) -> Result<bool, PlayerError> {
        // Left over from the last game.
        self.catch_up()?;
        if let (Some(listener), None) = (&self.listener, &self.process)
            && let Ok(Some(stream)) = listener.accept(self.abort.flag(), Some(self.now()))
        {
            // The program was started again; the system may not know yet that the old one is gone.
            self.connection = self.over(stream).ok();
        }
        Ok(self.connection.is_some())
    }

    /// Proposes the game and waits for the answer; `None` if the connection broke.
    fn propose(&mut self, game: &NewGame) -> Result<Option<Acceptance>, PlayerError> {
        self.send(&Message::Request(Request {
            version: 1,
            name: OUR_NAME.to_owned(),
            follower: game.color,
            minutes: in_minutes(game.control.time),
            moves: game.control.moves.unwrap_or(0),
            // Known programs always spell the position out.
            position: Some(game.start),
        }));
        let mut wait = Wait::patiently(self.abort.world(), self.options.start_patience);
        loop {
            match self.receive(&mut wait)? {
                DxpReceived::Message(Message::Accept { name, code }) => {
                    self.name = Some(name);
                    return Ok(Some(code));
                }
                DxpReceived::Message(_) | DxpReceived::Move(_) => {}
                DxpReceived::Closed => return Ok(None),
                DxpReceived::Silence => {
                    let patience = self.options.start_patience;
                    let message = format!("no answer to the game request within {patience:?}");
                    return Err(self.fault(FaultKind::Start, message));
                }
            }
        }
    }
}

/// Our name over DXP.
const OUR_NAME: &str = concat!("Meerslag ", env!("CARGO_PKG_VERSION"), " match");

impl DxpPlayerOptions {
    fn start_process(
        &self,
        port: u16,
        output: &Log,
        world: &World,
    ) -> Result<Option<Process>, PlayerError> {
        let Some(options) = &self.process else { return Ok(None) };
        let port = port.to_string();
        let command = options.command.iter().map(|word| word.replace("{port}", &port)).collect();
        let options = ProcessOptions { command, ..options.clone() };
        Ok(Some(options.start(output, world)?))
    }
}

/// A port that nobody uses at the moment.
fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("localhost", 0))?.local_addr()?.port())
}

impl Player for DxpPlayer {
    fn new_game(&mut self, game: &NewGame) -> Result<(), PlayerError> {
        self.tail.clear();
        self.is_playing = false;
        self.color = game.color;
        self.known = game.played;
        // A second attempt: over a new connection, or after ending the game that the program still
        // plays.
        for is_second in [false, true] {
            if !self.is_connected()? {
                self.connect(&|_, _| {})?;
            }
            match self.propose(game)? {
                Some(Acceptance::Accepted) => {
                    self.is_playing = true;
                    return Ok(());
                }
                Some(Acceptance::Version | Acceptance::NoGame) => {
                    return Err(self.fault(FaultKind::Start, "it does not want to play"));
                }
                Some(Acceptance::NotThisGame) if is_second => {
                    let message = format!("it does not play from {}", game.start.to_fen());
                    return Err(PlayerError::Refused(message));
                }
                Some(Acceptance::NotThisGame) => {
                    self.end(EndReason::Unknown);
                }
                None if is_second => {
                    let message = "it closes the connection on the game request";
                    return Err(self.fault(FaultKind::Start, message));
                }
                None => {}
            }
        }
        Ok(())
    }

    fn identity(&self) -> Identity {
        Identity { name: self.name.clone(), ..Identity::default() }
    }

    /// A program cannot be stopped over DXP: when the player is, the late move is ignored, and the
    /// game with it.
    fn think(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Arc<Control>,
        _report: &mut dyn FnMut(&Info),
    ) -> Result<Answer, PlayerError> {
        let mut asked = self.now();
        if let Some(mv) = game.moves().get(self.known) {
            if let Some(reason) = self.catch_up()? {
                return Ok(Answer::End(reason));
            }
            // Before the move is sent: afterwards another program may run first.
            asked = self.now();
            self.send(&Message::Move(MoveMessage::new(*mv, 0)));
            self.known += 1;
        }
        let allowed = limits.longest().unwrap_or_default();
        let wait = Wait::until(self.abort.world(), asked + allowed + self.options.stall_patience);
        let mut wait = wait.unless_stopped(control);
        loop {
            match self.receive(&mut wait)? {
                DxpReceived::Move(text) => {
                    let answered = self.now();
                    let position = game.position();
                    let message: Result<MoveMessage, _> = text.parse();
                    let mv = message.and_then(|message| message.resolve(position));
                    let mv = mv.map_err(|error| {
                        let text = escaped_excerpt(&text, 80);
                        let message = format!("'{text}' in {}: {error}", position.to_fen());
                        self.fault(FaultKind::IllegalMove, message)
                    })?;
                    self.known += 1;
                    let (score, depth, nodes, reply) = (None, None, None, None);
                    let thought = Thought { mv, score, depth, nodes, reply, asked, answered };
                    return Ok(Answer::Move(thought));
                }
                DxpReceived::Message(Message::End { reason, stop }) => {
                    return Ok(Answer::End(self.ended(reason, stop)));
                }
                DxpReceived::Message(_) => {}
                DxpReceived::Silence if wait.is_stopped() => return Err(PlayerError::Aborted),
                DxpReceived::Silence => {
                    let message = format!("no move after {:.1?}", self.since(asked));
                    return Err(self.fault(FaultKind::Stall, message));
                }
                DxpReceived::Closed => {
                    self.is_playing = false;
                    return Err(self.fault(FaultKind::Crash, "the connection broke"));
                }
            }
        }
    }

    fn game_over(&mut self, game: &Game, result: GameResult) {
        if !self.is_playing {
            return;
        }
        let is_blocked = !game.position().has_legal_move();
        if game.position().side_to_move() == self.color && is_blocked {
            // It gets the last move and gives up itself.
            for mv in &game.moves()[self.known..] {
                self.send(&Message::Move(MoveMessage::new(*mv, 0)));
            }
            match self.end_within(ECHO_PATIENCE) {
                Ok(Some((reason, stop))) => {
                    self.ended(reason, stop);
                    return;
                }
                Ok(None) if self.connection.is_some() => {}
                Ok(None) | Err(_) => return,
            }
        }
        // In place of a move of ours, as a rule: from our point of view.
        self.end(match result.for_side(self.color) {
            Some(Wld::Win) => EndReason::Lost,
            Some(Wld::Draw) => EndReason::Draw,
            Some(Wld::Loss) => EndReason::Won,
            None => EndReason::Unknown,
        });
    }

    fn recover(&mut self) -> bool {
        // If it hangs, the next game begins with a new connection, and a new process.
        if !self.is_playing || !self.end(EndReason::Won) {
            self.connection = None;
            self.process = None;
        }
        true
    }

    fn log_error(&mut self) -> Option<LogError> {
        self.log.error()
    }

    fn quit(mut self: Box<Self>) {
        let Some(process) = self.process.take() else { return };
        // Programs that were started for this match alone may go.
        self.send(&Message::End { reason: EndReason::Unknown, stop: true });
        self.connection = None;
        process.quit("exit", QUIT_PATIENCE);
    }
}
