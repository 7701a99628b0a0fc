//! The limits of a search, and its control by other threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, bounded};
use movegen::notation::hub;
use movegen::notation::moves::{self, ParseMoveError};
use movegen::{Move, Position};
use parking_lot::{Condvar, Mutex};
use thiserror::Error;

/// The limits of one search. All that are given apply: the search ends at the first one reached.
#[derive(Clone, PartialEq, Debug)]
pub struct Limits {
    /// Nominal depth of the last iteration, in plies; at least 1. No search goes beyond
    /// [`Limits::MAX_DEPTH`].
    pub depth: Option<u32>,
    /// Nodes of all threads together. Kept exactly with one thread; with several each may
    /// overshoot by about a thousand.
    pub nodes: Option<u64>,
    /// Time for this move: never exceeded, and nearly all of it used unless the move is forced.
    pub move_time: Option<Duration>,
    /// A game clock.
    pub clock: Option<Clock>,
    /// The purpose of the search.
    pub mode: Mode,
    /// Number of best moves to find, each with its variation; 0 counts as 1.
    pub multipv: usize,
    /// The moves to choose from: [`root_moves`]. Without one that is legal, all.
    pub moves: Vec<Move>,
}

/// Why there is no move for a search to choose.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RootMovesError {
    /// One of them is none.
    #[error(transparent)]
    Move(#[from] ParseMoveError),
    /// All legal moves are left out.
    #[error("no legal move is left")]
    NoneLeft,
}

/// The legal moves to choose from: `only` these, if any are given, and none of those `without` which a
/// search is wanted. Empty: all.
///
/// # Errors
/// If no move is left.
pub fn root_moves(
    position: &Position,
    only: &[Move],
    without: &[Move],
) -> Result<Vec<Move>, RootMovesError> {
    if only.is_empty() && without.is_empty() {
        return Ok(Vec::new());
    }
    let legal = position.legal_moves();
    let is_left = |mv: &&Move| (only.is_empty() || only.contains(mv)) && !without.contains(mv);
    let left: Vec<Move> = legal.iter().filter(is_left).copied().collect();
    if left.is_empty() { Err(RootMovesError::NoneLeft) } else { Ok(left) }
}

/// [`root_moves`] from texts: moves in any notation, with blanks or commas between them.
///
/// # Errors
/// If one is not legal, or none is left.
pub fn read_root_moves(
    position: &Position,
    only: Option<&str>,
    without: Option<&str>,
) -> Result<Vec<Move>, RootMovesError> {
    let read = |text: Option<&str>| -> Result<Vec<Move>, ParseMoveError> {
        let words = text.unwrap_or_default().split([' ', ',']);
        words.filter(|word| !word.is_empty()).map(|word| read_move(position, word)).collect()
    };
    root_moves(position, &read(only)?, &read(without)?)
}

/// A legal move in Hub notation, or in one of those for people.
///
/// # Errors
/// If it is none.
pub fn read_move(position: &Position, text: &str) -> Result<Move, ParseMoveError> {
    hub::parse_move(position, text).or_else(|_| moves::parse_move(position, text))
}

impl Limits {
    /// The depth of the last iteration that a search ever makes, in plies.
    pub const MAX_DEPTH: u32 = 99;

    /// No limit but the command to stop.
    #[must_use]
    pub const fn infinite(mode: Mode) -> Limits {
        let moves = Vec::new();
        Limits { depth: None, nodes: None, move_time: None, clock: None, mode, multipv: 1, moves }
    }

    /// Thinks to this depth.
    #[must_use]
    pub fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::infinite(Mode::Think) }
    }

    /// Thinks for this many nodes.
    #[must_use]
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::infinite(Mode::Think) }
    }

    /// Thinks for this time.
    #[must_use]
    pub fn move_time(time: Duration) -> Limits {
        Limits { move_time: Some(time), ..Limits::infinite(Mode::Think) }
    }

    /// Thinks with this clock.
    #[must_use]
    pub fn clock(clock: Clock) -> Limits {
        Limits { clock: Some(clock), ..Limits::infinite(Mode::Think) }
    }

    /// The time after which the search has ended at the latest; `None` if it is not limited.
    #[must_use]
    pub fn longest(&self) -> Option<Duration> {
        let clock = self.clock.map(|c| Duration::from_secs_f64((c.time + c.inc).max(0.0)));
        match (clock, self.move_time) {
            (Some(clock), Some(move_time)) => Some(clock.min(move_time)),
            (clock, move_time) => clock.or(move_time),
        }
    }

    /// Whether nothing but a command ends the search.
    #[must_use]
    pub const fn is_infinite(&self) -> bool {
        self.depth.is_none()
            && self.nodes.is_none()
            && self.move_time.is_none()
            && self.clock.is_none()
    }
}

impl Default for Limits {
    /// Thinking without a limit.
    fn default() -> Limits {
        Limits::infinite(Mode::Think)
    }
}

/// The clock of the side to move. Times are seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clock {
    /// The time left, without the increment of this move. May be zero or negative.
    pub time: f64,
    /// Added before each move.
    pub inc: f64,
    /// Own moves that `time` must last for, this one included; `None` for the rest of the game.
    pub moves: Option<u32>,
}

/// The purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Mode {
    /// Choose a move; a forced move is played at once when there is a clock or a move time.
    #[default]
    Think,
    /// Think in the opponent's time: limits do not apply until [`Control::ponder_hit`].
    Ponder,
    /// Information matters more than the move: a forced move is searched as well. Without limits
    /// the search returns only when stopped.
    Analyze,
}

/// Lets other threads control a search: share it in an `Arc`.
///
/// Call [`Control::reset`] before each search and in the thread that also sends `stop`, so that
/// a stop which comes right after the start is not lost.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    ponder_hit: AtomicBool,
    /// Held while a command is given. Wakes those who wait for commands and something else
    /// together.
    lock: Mutex<Option<Sender<()>>>,
    bell: Condvar,
}

impl Control {
    /// A control without commands so far.
    #[must_use]
    pub fn new() -> Control {
        Control::default()
    }

    /// Forgets earlier commands.
    pub fn reset(&self) {
        self.stop.store(false, Ordering::Release);
        self.ponder_hit.store(false, Ordering::Release);
    }

    /// Ends the search; it returns within milliseconds with the best move so far.
    pub fn stop(&self) {
        self.command(&self.stop);
    }

    /// The opponent played the expected move: from now on the limits apply, and the time since
    /// the start of the search counts as thinking already done. Without effect on a search that
    /// does not ponder.
    pub fn ponder_hit(&self) {
        self.command(&self.ponder_hit);
    }

    fn command(&self, flag: &AtomicBool) {
        // The lock makes sure that a searcher that has checked the flags and is about to sleep does
        // not miss the signal.
        let guard = self.lock.lock();
        flag.store(true, Ordering::Release);
        if let Some(listener) = &*guard {
            // If it is full, the listener will wake up anyway.
            let _ = listener.try_send(());
        }
        drop(guard);
        self.bell.notify_all();
    }

    /// Whether the search has been asked to end.
    #[inline]
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Whether the expected move has come.
    #[inline]
    #[must_use]
    pub fn is_ponder_hit(&self) -> bool {
        self.ponder_hit.load(Ordering::Acquire)
    }

    /// A channel that is signalled at each command from now on: for one listener, which checks the
    /// commands so far before it waits.
    pub fn commands(&self) -> Receiver<()> {
        let (sender, receiver) = bounded(2);
        *self.lock.lock() = Some(sender);
        receiver
    }

    /// Sleeps until the result of a search with these limits may be given; returns at once unless
    /// it must wait for a command.
    pub(crate) fn wait_until_wanted(&self, limits: &Limits) {
        match limits.mode {
            Mode::Ponder => self.wait(true),
            Mode::Analyze if limits.is_infinite() => self.wait(false),
            _ => {}
        }
    }

    /// Sleeps until asked to stop or, when `until_hit`, until the expected move has come.
    pub fn wait(&self, until_hit: bool) {
        let mut guard = self.lock.lock();
        while !(self.is_stopped() || until_hit && self.is_ponder_hit()) {
            self.bell.wait(&mut guard);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn moves_to_choose_from_are_only_some_or_all_but_some() {
        let start = Position::initial();
        let read = |only, without| {
            let moves =
                read_root_moves(&start, only, without).map_err(|error| error.to_string())?;
            Ok::<_, String>(moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(read(None, None).unwrap(), "");
        assert_eq!(read(Some("3228,34-30"), None).unwrap(), "34-30 32-28");
        assert_eq!(read(Some("32-28, 34-30"), Some("32-28")).unwrap(), "34-30");
        assert_eq!(read(None, Some("32-28")).unwrap().split(' ').count(), 8);
        let illegal = read(Some("32-28 32-29"), None).unwrap_err();
        assert!(illegal.starts_with("'32-29' is not a legal move"), "{illegal}");
        assert_eq!(read(Some("32-28"), Some("32-28")).unwrap_err(), "no legal move is left");
    }

    #[test]
    fn commands_stay_until_reset() {
        let control = Control::new();
        control.stop();
        control.ponder_hit();
        assert!(control.is_stopped() && control.is_ponder_hit());
        control.reset();
        assert!(!control.is_stopped() && !control.is_ponder_hit());
    }

    #[test]
    fn commands_reach_a_listener_that_waits_for_other_things_too() {
        let control = Control::new();
        control.stop();
        let commands = control.commands();
        assert!(control.is_stopped() && commands.is_empty());
        for _ in 0..5 {
            control.ponder_hit();
        }
        assert!(commands.recv().is_ok() && control.is_ponder_hit());
    }

    #[test]
    fn waiting_ends_on_a_command_given_before_or_during_it() {
        for until_hit in [false, true] {
            let control = Arc::new(Control::new());
            let sleeper = {
                let control = Arc::clone(&control);
                std::thread::spawn(move || control.wait(until_hit))
            };
            if until_hit {
                control.ponder_hit();
            } else {
                control.stop();
            }
            sleeper.join().unwrap();
            control.wait(until_hit);
        }
    }
}
