//! Talks to a match while it is played, and shows its games meanwhile.
//!
//! Each game in play has one record: the worker that plays the game writes moves and scores
//! there, between two moves or when an engine reports, and observers take copies. Neither waits
//! longer for the other than such a copy takes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, bounded};
use movegen::Color;
use parking_lot::Mutex;

use crate::runner::config::TournamentConfig;
use crate::runner::player::Abort;
use crate::runner::tournament::acts::{Act, ActError};
use crate::runner::tournament::schedule::Pairing;
use crate::world::{has_room, heard};
use meerslag_search::{Control, Info};
use meerslag_study::record::{GameRecord, PlyRecord};

/// Decisions that wait to be handled.
const MAX_WAITING: usize = 64;
/// How long a decision waits to be handled, for example between the end of a program and the start of
/// the next one.
const PATIENCE: Duration = Duration::from_secs(10);

/// An engine's report of its search.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Seen {
    /// Its score for itself in men, if it has given one.
    pub score: Option<f64>,
    /// The depth reached, in plies.
    pub depth: Option<u32>,
    /// The nodes searched.
    pub nodes: Option<u64>,
}

/// A game in play, at one moment.
#[derive(Clone, PartialEq, Debug)]
pub struct GameInPlay {
    /// Its number in the schedule, from 0.
    pub game: usize,
    /// Who plays it.
    pub pairing: Pairing,
    /// Start and moves.
    pub record: GameRecord,
    /// Seconds on the clocks after the last moves, under [`Color::index`]; `None` without a clock.
    pub clocks: [Option<f64>; 2],
    /// Since when the side to move has been thinking; `None` before it is asked, and during a
    /// pause.
    pub thinking: Option<Instant>,
    /// The engines' reports, under [`Color::index`].
    pub seen: [Seen; 2],
}

/// A game in play, as its workers and the director share it.
#[derive(Debug)]
pub(in crate::runner) struct LiveGame {
    /// Stops the running search.
    pub control: Arc<Control>,
    game: Mutex<GameInPlay>,
    /// The director's decision about the game while it is played.
    order: Mutex<Option<Act>>,
}

impl LiveGame {
    /// The side to move is asked.
    pub(in crate::runner) fn asks(&self, now: Instant) {
        self.game.lock().thinking = Some(now);
    }

    /// The side to move has answered, or its answer is no longer needed.
    pub(in crate::runner) fn rests(&self) {
        self.game.lock().thinking = None;
    }

    /// An engine reports.
    pub(in crate::runner) fn sees(&self, side: Color, info: &Info) {
        let seen = Seen {
            score: Some(info.score.men()),
            depth: Some(info.depth),
            nodes: Some(info.nodes),
        };
        self.game.lock().seen[side.index()] = seen;
    }

    /// A side has moved.
    pub(in crate::runner) fn moved(&self, side: Color, ply: &PlyRecord) {
        let mut game = self.game.lock();
        let PlyRecord { score, depth, nodes, clock, .. } = *ply;
        game.seen[side.index()] = Seen { score, depth, nodes };
        game.clocks[side.index()] = clock;
        game.record.plies.push(ply.clone());
    }

    /// Whether the director has decided something about the game.
    pub(in crate::runner) fn has_order(&self) -> bool {
        self.order.lock().is_some()
    }

    /// Takes the director's decision, which then counts as done.
    pub(in crate::runner) fn take_order(&self) -> Option<Act> {
        self.order.lock().take()
    }
}

/// A decision, and the channel for its outcome.
type Request = (Act, Sender<Result<(), ActError>>);

/// The director of a match, who sends it decisions and sees its games.
#[derive(Debug)]
pub struct Director {
    /// The signal that ends the match.
    pub(in crate::runner) abort: Arc<Abort>,
    asks: Sender<Request>,
    asked: Receiver<Request>,
    games_in_play: Mutex<BTreeMap<usize, Arc<LiveGame>>>,
    /// Decisions about games that have not begun.
    orders: Mutex<BTreeMap<usize, Act>>,
    /// The games of the round that have not begun, in their order.
    waiting: Mutex<VecDeque<(usize, Pairing)>>,
    /// How long the break lasts from now on, or the next one.
    rest: Mutex<Option<Duration>>,
}

impl Director {
    /// A director for a match that this signal ends.
    #[must_use]
    pub fn new(abort: &Abort) -> Director {
        let (asks, asked) = bounded(MAX_WAITING);
        Director {
            abort: abort.part(),
            asks,
            asked,
            games_in_play: Mutex::default(),
            orders: Mutex::default(),
            waiting: Mutex::default(),
            rest: Mutex::default(),
        }
    }

    /// Decides on a game, finished or in play, or withdraws a player from the next round on.
    ///
    /// # Errors
    /// If the decision is refused, or the match does not answer for ten seconds, because it is
    /// beginning or ending.
    pub fn decide(&self, act: Act) -> Result<(), ActError> {
        let (answer, answered) = bounded(1);
        let world = self.abort.world();
        let until = world.now() + PATIENCE;
        world.wait(Some(until), || vec![has_room(&self.asks)]);
        let sent = self.asks.send_timeout((act, answer), world.left(until));
        sent.map_err(|_| ActError::NotHeard)?;
        let until = world.now() + PATIENCE;
        world.wait(Some(until), || vec![heard(&answered)]);
        answered.recv_timeout(world.left(until)).map_err(|_| ActError::NotHeard)?
    }

    /// Puts a game off until the others of its round have begun.
    ///
    /// # Errors
    /// If it does not wait to be played in this round.
    pub fn postpone(&self, game: usize) -> Result<(), ActError> {
        let mut waiting = self.waiting.lock();
        let place = waiting.iter().position(|(waits, _)| *waits == game);
        let put_off = place.and_then(|place| waiting.remove(place));
        waiting.push_back(put_off.ok_or(ActError::NotWaiting(game + 1))?);
        Ok(())
    }

    /// The next round begins after this time: from now on if there is a break, otherwise from the end of
    /// the round that is played.
    ///
    /// # Errors
    /// If it is longer than a week.
    pub fn rest(&self, rest: Duration) -> Result<(), ActError> {
        if rest > TournamentConfig::MAX_BREAK {
            return Err(ActError::Break(rest.as_secs()));
        }
        *self.rest.lock() = Some(rest);
        Ok(())
    }

    /// Takes the length of the break, if it has been decided.
    pub(in crate::runner) fn take_rest(&self) -> Option<Duration> {
        self.rest.lock().take()
    }

    /// These games are to be played, in this order.
    pub(in crate::runner) fn line_up(&self, games: Vec<(usize, Pairing)>) {
        *self.waiting.lock() = games.into();
    }

    /// The next game to be played.
    pub(in crate::runner) fn next_game(&self) -> Option<(usize, Pairing)> {
        self.waiting.lock().pop_front()
    }

    /// The games in play.
    #[must_use]
    pub fn games(&self) -> Vec<GameInPlay> {
        let games_in_play: Vec<Arc<LiveGame>> =
            self.games_in_play.lock().values().cloned().collect();
        games_in_play.iter().map(|live_game| live_game.game.lock().clone()).collect()
    }

    /// Decisions not handled yet.
    pub(in crate::runner) const fn asked(&self) -> &Receiver<Request> {
        &self.asked
    }

    /// A game begins, or begins again.
    pub(in crate::runner) fn sit_down(
        &self,
        game: usize,
        pairing: Pairing,
        record: GameRecord,
        clocks: [Option<f64>; 2],
    ) -> Arc<LiveGame> {
        let control = Arc::new(Control::new());
        let seen = [Seen::default(); 2];
        let state = GameInPlay { game, pairing, record, clocks, thinking: None, seen };
        let mut games_in_play = self.games_in_play.lock();
        // A decision not taken yet is about this game, too.
        let late = games_in_play.get(&game).and_then(|live_game| live_game.take_order());
        let order = self.orders.lock().remove(&game).or(late);
        let live_game = LiveGame { control, game: Mutex::new(state), order: Mutex::new(order) };
        let live_game = Arc::new(live_game);
        games_in_play.insert(game, Arc::clone(&live_game));
        live_game
    }

    /// Takes the decision about a game that has not begun.
    pub(in crate::runner) fn take_order(&self, game: usize) -> Option<Act> {
        self.orders.lock().remove(&game)
    }

    /// Ends a game; returns a decision about it that came too late.
    pub(in crate::runner) fn get_up(&self, game: usize) -> Option<Act> {
        let live_game = self.games_in_play.lock().remove(&game);
        // Without a record it did not begin.
        live_game.map_or_else(|| self.take_order(game), |live_game| live_game.take_order())
    }

    /// No game is in play any more.
    pub(in crate::runner) fn all_get_up(&self) {
        self.games_in_play.lock().clear();
        self.waiting.lock().clear();
    }

    /// Ends a game that is in play, or has yet to begin, by a decision on it.
    pub(in crate::runner) fn order(&self, game: usize, act: Act) -> Result<(), ActError> {
        let has_result = act.result()?.is_some();
        let games_in_play = self.games_in_play.lock();
        let Some(live_game) = games_in_play.get(&game) else {
            if !has_result {
                return Err(ActError::NotFinished(game + 1));
            }
            self.orders.lock().insert(game, act);
            return Ok(());
        };
        *live_game.order.lock() = Some(act);
        live_game.control.stop();
        Ok(())
    }
}
