//! What the match runner needs from an engine of any kind.

pub(in crate::runner) mod builtin;
pub(in crate::runner) mod dxp;
pub(in crate::runner) mod launch;
pub mod process;
pub(in crate::runner) mod transcript;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use movegen::notation::pdn::GameResult;
use movegen::{Color, Game, Move, Position};
use parking_lot::{Condvar, Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::clocks::control::TimeControl;
use crate::protocol::LogError;
use crate::protocol::dxp::EndReason;
use crate::protocol::hub::Line;
use crate::world::World;
use meerslag_search::{Control, Info, Limits};

/// How often what waits looks whether it is to end.
pub(in crate::runner) const HOLD_INTERVAL: Duration = Duration::from_millis(100);

/// A move and what led to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Thought {
    /// The move, legal in the position asked about.
    pub mv: Move,
    /// The engine's score for itself in men, if it reported one; beyond ±90 a proven end.
    pub score: Option<f64>,
    /// The depth that it reached, in plies.
    pub depth: Option<u32>,
    /// The nodes that it counted.
    pub nodes: Option<u64>,
    /// The reply that it expects, legal after the move.
    pub reply: Option<Move>,
    /// When the player was asked: just before `go` is written; over DXP, when the opponent's move
    /// has been.
    pub asked: Instant,
    /// When the answer arrived, before it is handed over to whoever waits for it; over DXP, after.
    pub answered: Instant,
}

impl Thought {
    /// The time that the player used, as its clock has it.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.answered.saturating_duration_since(self.asked)
    }
}

/// The answer to "your move".
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// A move.
    Move(Thought),
    /// A DXP program's end of the game, from its own point of view.
    End(EndReason),
}

/// What a player learns before a game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NewGame {
    /// Where it starts; of a game that is taken up again, where it is now.
    pub start: Position,
    /// Plies that were played before.
    pub played: usize,
    /// The player's colour.
    pub color: Color,
    /// The player's time; in a continued game, the time left.
    pub control: TimeControl,
}

/// The kinds of failure that lose a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The program ended or closed the connection.
    Crash,
    /// No answer long after the time was over.
    Stall,
    /// A move that is not legal, or not readable.
    IllegalMove,
    /// It could not be started, or did not get ready.
    Start,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            FaultKind::Crash => "crash",
            FaultKind::Stall => "stall",
            FaultKind::IllegalMove => "illegal move",
            FaultKind::Start => "start failure",
        })
    }
}

/// Why an engine gave no move.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlayerError {
    /// The engine failed: it loses the game and is started again.
    #[error("{kind}: {message}")]
    Fault {
        /// Its fault.
        kind: FaultKind,
        /// In words, with the offending text.
        message: String,
        /// The last lines it wrote.
        tail: Vec<String>,
    },
    /// It refuses this game, but would play another one: there is no result.
    #[error("refused: {0}")]
    Refused(String),
    /// The match is being stopped, or this search where the program cannot be.
    #[error("the match was stopped")]
    Aborted,
}

impl PlayerError {
    /// A failure of an engine that has written nothing about it.
    pub(in crate::runner) fn fault(kind: FaultKind, message: impl Into<String>) -> PlayerError {
        PlayerError::Fault { kind, message: message.into(), tail: Vec::new() }
    }
}

/// A start that takes longer is reported.
pub(in crate::runner) const SLOW_START: Duration = Duration::from_secs(1);

/// Called when a start takes longer than a second: what it has not sent yet, and its last lines.
pub type SlowStart<'a> = &'a dyn Fn(&str, &[String]);

/// A program's own description.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Identity {
    /// Its name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Who made it.
    pub author: Option<String>,
    /// The line that says so; empty if there was none.
    pub declaration: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
}

impl Identity {
    /// Its name and version, as far as known.
    #[must_use]
    pub fn title(&self) -> Option<String> {
        let parts = [self.name.as_deref(), self.version.as_deref()];
        let parts: Vec<&str> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }
}

/// A parameter that a program has declared over Hub.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value without being set.
    pub value: String,
    /// The line that declared it.
    pub declaration: String,
}

impl Parameter {
    /// Whether it is `true` or `false`.
    #[must_use]
    pub fn is_switch(&self) -> bool {
        let line = Line::parse(&self.declaration).ok().flatten();
        line.is_some_and(|line| line.value("type") == Some("bool"))
    }
}

/// An engine in a match. One game at a time.
pub trait Player: Send {
    /// Announces another game.
    ///
    /// # Errors
    /// If the engine fails.
    fn new_game(&mut self, game: &NewGame) -> Result<(), PlayerError>;

    /// Asks for a move in the game's current position, which has at least one. `control` steers
    /// the player as it does [`Engine::search`](meerslag_search::Engine::search); `report` is
    /// called with a program's reports on the way.
    ///
    /// # Errors
    /// If the engine fails or the match is stopped.
    fn think(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Arc<Control>,
        report: &mut dyn FnMut(&Info),
    ) -> Result<Answer, PlayerError>;

    /// The player may think in the opponent's time, from the game's position after this reply of the opponent's
    /// on. The limits are those of its next move, which begin with that move.
    ///
    /// # Errors
    /// If the engine fails.
    fn ponder(&mut self, _game: &Game, _reply: Move, _limits: &Limits) -> Result<(), PlayerError> {
        Ok(())
    }

    /// The program's own description, as far as known.
    fn identity(&self) -> Identity {
        Identity::default()
    }

    /// Announces that the game is over and how.
    fn game_over(&mut self, _game: &Game, _result: GameResult) {}

    /// After a failure: whether it can play the next game all the same. If not, it is dropped and
    /// another one started.
    fn recover(&mut self) -> bool {
        false
    }

    /// The time that a question and its answer take on the way, if it can be measured.
    ///
    /// # Errors
    /// If the engine is not there any more.
    fn latency(&mut self) -> Result<Option<Duration>, PlayerError> {
        Ok(None)
    }

    /// The engine's complaints since the last call, a few messages at most.
    fn complaints(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Why its own log is not written any more, the first time that this is asked for.
    fn log_error(&mut self) -> Option<LogError> {
        None
    }

    /// Ends the engine in good order.
    fn quit(self: Box<Self>) {}
}

/// Commands to a match, which take effect between two moves.
#[derive(Debug, Default)]
struct Hold {
    is_paused: Mutex<bool>,
    changed: Condvar,
    ends_after_round: AtomicBool,
}

/// The signal that ends a match at once, pauses it, or ends it after a round: share it in an `Arc`.
#[derive(Debug, Default)]
pub struct Abort {
    is_set: AtomicBool,
    /// Searches of built-in engines.
    controls: Mutex<Vec<Arc<Control>>>,
    /// Signals that are given with this one.
    parts: Mutex<Vec<Weak<Abort>>>,
    /// The same for all parts.
    hold: Arc<Hold>,
    /// Where the match takes place.
    world: World,
}

impl Abort {
    /// A signal that has not been given.
    #[must_use]
    pub fn new() -> Abort {
        Abort::default()
    }

    /// A signal for matches that take place there.
    #[must_use]
    pub fn in_world(world: World) -> Abort {
        Abort { world, ..Abort::default() }
    }

    /// Where the match takes place.
    pub(in crate::runner) const fn world(&self) -> &World {
        &self.world
    }

    /// Gives the signal. It stays.
    pub fn set(&self) {
        self.is_set.store(true, Ordering::SeqCst);
        self.hold.changed.notify_all();
        for control in self.controls.lock().iter() {
            control.stop();
        }
        for part in self.parts.lock().iter().filter_map(Weak::upgrade) {
            part.set();
        }
    }

    /// A signal for a part of the work: given with this one, but it does not give this one.
    pub(in crate::runner) fn part(&self) -> Arc<Abort> {
        let (hold, world) = (Arc::clone(&self.hold), self.world.clone());
        let part = Arc::new(Abort { hold, ..Abort::in_world(world) });
        let mut parts = self.parts.lock();
        parts.retain(|part| part.strong_count() > 0);
        parts.push(Arc::downgrade(&part));
        if self.is_set() {
            part.set();
        }
        part
    }

    /// Whether the signal was given.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.is_set.load(Ordering::SeqCst)
    }

    /// Pauses all games before the next move, with their clocks, or resumes them.
    pub fn pause(&self, is_paused: bool) {
        *self.hold.is_paused.lock() = is_paused;
        self.hold.changed.notify_all();
    }

    /// Whether it is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        *self.hold.is_paused.lock()
    }

    /// Returns when the match is not paused, or is to end, or the game that waits has another reason.
    pub(in crate::runner) fn wait(&self, has_reason: &dyn Fn() -> bool) {
        let mut is_paused = self.hold.is_paused.lock();
        while *is_paused && !self.is_set() && !has_reason() {
            if self.world.simulation().is_some() {
                MutexGuard::unlocked(&mut is_paused, || self.world.sleep(HOLD_INTERVAL));
            } else {
                self.hold.changed.wait_for(&mut is_paused, HOLD_INTERVAL);
            }
        }
    }

    /// Ends a tournament after the round that is being played.
    pub fn end_after_round(&self) {
        self.hold.ends_after_round.store(true, Ordering::SeqCst);
    }

    /// Whether it ends after the round.
    #[must_use]
    pub fn ends_after_round(&self) -> bool {
        self.hold.ends_after_round.load(Ordering::SeqCst)
    }

    /// Whether the signal was given, for work that checks it.
    #[must_use]
    pub const fn flag(&self) -> &AtomicBool {
        &self.is_set
    }

    /// From now on the signal also stops searches under this control, even if it was given before.
    pub(in crate::runner) fn register(&self, control: &Arc<Control>) {
        let mut controls = self.controls.lock();
        controls.push(Arc::clone(control));
        if self.is_set() {
            control.stop();
        }
    }

    pub(in crate::runner) fn forget(&self, control: &Arc<Control>) {
        self.controls.lock().retain(|c| !Arc::ptr_eq(c, control));
    }
}
