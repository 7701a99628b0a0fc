//! Searching during a game: in our own time, and pondering in the opponent's. Messages are
//! answered all the while.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, bounded, never, select};
use movegen::Game;

use super::aside::Meaning;
use super::game::{Ending, OpenGame, TurnEnd, read_move};
use super::message::EndReason;
use meerslag_search::{Clock, Control, Limits, Mode, STACK_BYTES, SearchResult, Thinker};

/// The number of moves to reserve time for when the number of moves is open.
const OPEN_MOVES: u32 = 40;

/// The effect of a message on a running search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reaction {
    /// Nothing.
    Ignore,
    /// The expected move: the search continues in our own time.
    Hit,
    /// It must be handled now.
    Stop,
}

/// How a search ended.
enum Searched {
    Found(SearchResult),
    /// By a message to be handled.
    Message(String),
    Closed,
    Interrupted,
    /// The time to wait for the opponent was over.
    TimedOut,
    Failed,
}

const fn reaction(meaning: Meaning) -> Reaction {
    match meaning {
        Meaning::Nothing => Reaction::Ignore,
        Meaning::End { .. } | Meaning::Back(_) => Reaction::Stop,
    }
}

/// What may end a search before its time.
struct Interruptions<'a> {
    /// The opponent's messages.
    messages: Receiver<String>,
    /// We were asked to stop.
    stop: &'a AtomicBool,
    /// The end of the wait for the opponent.
    until: Option<Instant>,
}

fn search(
    thinker: &mut dyn Thinker,
    game: &Game,
    limits: &Limits,
    by: Interruptions<'_>,
    mut react: impl FnMut(&str) -> Reaction,
) -> Searched {
    let Interruptions { mut messages, stop, mut until } = by;
    let control = Control::new();
    let (sender, found) = bounded(1);
    let mut ended = None;
    let outcome = thread::scope(|scope| {
        let control = &control;
        let think = move || {
            let _ = sender.send(thinker.search(game, limits, control, &mut |_| {}));
        };
        thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, think).ok()?;
        loop {
            // On each turn: a peer may send without a pause.
            let over = match until {
                _ if stop.load(Ordering::Relaxed) => Some(Searched::Interrupted),
                Some(until) if Instant::now() >= until => Some(Searched::TimedOut),
                _ => None,
            };
            if ended.is_none() && over.is_some() {
                ended = over;
                control.stop();
                messages = never();
            }
            select! {
                recv(found) -> outcome => return outcome.ok(),
                recv(messages) -> message => match message {
                    Ok(message) => match react(&message) {
                        Reaction::Ignore => {}
                        Reaction::Hit => {
                            until = None;
                            control.ponder_hit();
                        }
                        Reaction::Stop => {
                            ended = Some(Searched::Message(message));
                            control.stop();
                            messages = never();
                        }
                    },
                    Err(_) => {
                        ended = Some(Searched::Closed);
                        control.stop();
                        messages = never();
                    }
                },
                default(Duration::from_millis(50)) => {}
            }
        }
    });
    ended.unwrap_or_else(|| outcome.map_or(Searched::Failed, Searched::Found))
}

impl OpenGame<'_> {
    /// Finds our move. Whatever message comes meanwhile is binding even in our time, or refused.
    pub(super) fn think(&mut self, start: Instant) -> (TurnEnd, Option<SearchResult>) {
        if let Some(outcome) = self.pondered.take() {
            return self.found(outcome);
        }
        loop {
            if let Some(text) = self.connection.take_returned()
                && let Some(end) = self.handle(&text)
            {
                return (end, None);
            }
            let limits = self.limits(start.elapsed());
            let situation = self.situation();
            let messages = self.connection.incoming().clone();
            let by = Interruptions { messages, stop: self.stop, until: None };
            let thinker = &mut *self.engine.thinker;
            let react = |text: &str| reaction(situation.judge(text, self.connection, self.options));
            match search(thinker, &self.game, &limits, by, react) {
                Searched::Found(outcome) => return self.found(outcome),
                Searched::Message(text) => {
                    if let Some(end) = self.handle(&text) {
                        return (end, None);
                    }
                }
                Searched::Closed => return (self.lost("connection lost", Ending::Lost), None),
                Searched::Interrupted => {
                    return (self.lost("interrupted", Ending::Interrupted), None);
                }
                Searched::Failed | Searched::TimedOut => {
                    return (self.lost("the search failed", Ending::Lost), None);
                }
            }
        }
    }

    fn found(&mut self, outcome: SearchResult) -> (TurnEnd, Option<SearchResult>) {
        if let Some(error) = self.engine.thinker.take_error() {
            self.connection.remark(&error);
        }
        match outcome.best {
            Some(mv) => (TurnEnd::Move(mv), Some(outcome)),
            None => {
                let (result, note, ending) = self.claim(EndReason::Lost, "given up".to_owned());
                (TurnEnd::Ended(result, note, ending), None)
            }
        }
    }

    /// Searches the expected reply in the opponent's time, until a message comes. If it is the
    /// expected move, the search continues until it has our answer. The messages themselves are left
    /// to be received.
    pub(super) fn ponder(&mut self) {
        let Some(expected) = self.expected.take().filter(|_| self.options.ponder) else { return };
        let mut game = self.game.clone();
        if game.play(expected).is_err() || game.status(self.engine.rules).is_over() {
            return;
        }
        let limits = Limits { mode: Mode::Ponder, ..self.limits(Duration::ZERO) };
        let mut hit: Option<(String, Instant)> = None;
        let messages = self.connection.incoming().clone();
        let by = Interruptions { messages, stop: self.stop, until: self.silent_at };
        let position = *self.game.position();
        let mut situation = self.situation();
        let thinker = &mut *self.engine.thinker;
        let searched = search(thinker, &game, &limits, by, |text| {
            if hit.is_none() && text.starts_with('M') {
                if read_move(text, &position) != Ok(expected) {
                    return Reaction::Stop;
                }
                situation.plies += 1;
                hit = Some((text.to_owned(), Instant::now()));
                return Reaction::Hit;
            }
            reaction(situation.judge(text, self.connection, self.options))
        });
        if let Some((text, arrived)) = hit {
            self.connection.remark("the expected move");
            self.connection.give_back(text);
            self.arrived = Some(arrived);
            if let Searched::Found(outcome) = searched {
                self.pondered = Some(outcome);
                return;
            }
        }
        if let Searched::Message(text) = searched {
            self.connection.give_back(text);
        }
    }

    /// Our seconds at the start of this ply.
    pub(super) fn time_left(&self) -> f64 {
        self.clocks.last().map_or(0.0, |clocks| clocks[self.terms.us.index()])
    }

    /// Own moves that the time must last for, at least 1.
    pub(super) fn moves_to_go(&self) -> u32 {
        match self.terms.moves {
            0 => OPEN_MOVES,
            limit => limit.saturating_sub(self.moves_made()).max(1),
        }
    }

    /// The time for the next move: never all of it, because the network takes some too.
    fn limits(&self, used: Duration) -> Limits {
        let left = (self.time_left() - used.as_secs_f64()).max(0.0);
        let remaining = (self.terms.moves > 0).then(|| self.moves_to_go());
        let reserve = (0.5 + 0.02 * f64::from(self.moves_to_go())).min(left / 2.0);
        let clock = Clock { time: (left - reserve).max(0.0), inc: 0.0, moves: remaining };
        Limits { clock: Some(clock), depth: self.engine.depth, ..Limits::infinite(Mode::Think) }
    }
}
