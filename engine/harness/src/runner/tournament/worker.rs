//! A worker plays one game after another and keeps its engines.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crossbeam::channel::Sender;

use super::{Event, MatchError, WorkerReport};
use crate::protocol::LogError;
use crate::runner::config::Contest;
use crate::runner::game::arbiter::Arbiter;
use crate::runner::game::match_game::MatchGame;
use crate::runner::game::{Fixture, NoStart, NotPlayed, Played, Room, forfeit, ordered, play};
use crate::runner::openings::starts::Starts;
use crate::runner::player::launch::{GameSlot, start};
use crate::runner::player::process::pin;
use crate::runner::player::transcript::{GameLogs, Transcript};
use crate::runner::player::{Abort, Player, PlayerError};
use crate::runner::stats::results::REPLAYED;
use crate::runner::tournament::director::Director;
use crate::runner::tournament::standstill::Standstills;
use crate::world::has_room;
use meerslag_study::record::PlyRecord;
use movegen::words::counted;

/// Attempts to start an engine that has played before.
const START_ATTEMPTS: u32 = 2;
/// Games in a row that an engine may lose because it does not start again, before the match is
/// given up.
const LOST_STARTS: u32 = 5;

/// How an engine has started so far, over all games.
#[derive(Debug)]
pub(super) struct Health {
    /// It has begun a game, or is out: if it does not start it loses the game.
    has_played: AtomicBool,
    /// Games in a row that it lost because it did not start.
    lost_starts: AtomicU32,
}

impl Health {
    pub(super) fn new(has_played: bool) -> Health {
        Health { has_played: has_played.into(), lost_starts: AtomicU32::new(0) }
    }

    fn played(&self) {
        self.has_played.store(true, Ordering::Relaxed);
        self.lost_starts.store(0, Ordering::Relaxed);
    }

    /// Notes that it did not start; returns whether the match can continue.
    fn did_not_start(&self) -> bool {
        let lost = self.lost_starts.fetch_add(1, Ordering::Relaxed);
        self.has_played.load(Ordering::Relaxed) && lost < LOST_STARTS
    }
}

/// Plays one game after another and keeps its engines between games.
pub(super) struct Worker<'a> {
    pub config: &'a Contest,
    pub starts: &'a Starts<'a>,
    pub arbiter: Option<&'a Arbiter>,
    pub standstills: &'a Standstills,
    pub director: &'a Director,
    /// The moves of games that were interrupted.
    pub unfinished: &'a BTreeMap<usize, Vec<PlyRecord>>,
    /// The health of all engines.
    pub health: &'a [Health],
    /// Which worker it is, from 0.
    pub slot: usize,
    pub cpus: Vec<usize>,
    /// The folder for logs, if any.
    pub logs: Option<&'a GameLogs>,
    pub transcript: Transcript,
    pub abort: Arc<Abort>,
    pub events: Sender<Event>,
    /// Running engines; never more than the two of the last game.
    pub players: Vec<(usize, Box<dyn Player>)>,
}

impl Worker<'_> {
    pub fn work(&mut self) {
        pin(None, &self.cpus);
        while !self.abort.is_set() {
            let Some((number, pairing)) = self.director.next_game() else { break };
            self.report(WorkerReport::Begin { game: number, pairing });
            let start = self.starts.of(pairing);
            let halfmoves = start.start_counters().plies();
            let moves = self.unfinished.get(&number).cloned().unwrap_or_default();
            let start = *start.start();
            let fixture = Fixture { number, pairing, start, halfmoves, played: moves };
            if let Err(error) = self.begin_log(&fixture) {
                self.send(Event::Failed(error));
                break;
            }
            let played = self.play(fixture);
            let log_error = self.end_log(number, &played);
            let event = match played {
                Ok(Some(record)) => Event::Game(Box::new(record)),
                Ok(None) => break,
                Err(error) => {
                    // The match is over: no other game, even if this report has not been read yet.
                    self.send(Event::Failed(error));
                    break;
                }
            };
            if !self.send(event) {
                break;
            }
            // As other files that cannot be written: the match ends, and can continue.
            if let Some(error) = log_error {
                self.send(Event::Failed(error.into()));
                break;
            }
        }
        for (_, player) in self.players.drain(..) {
            player.quit();
        }
    }

    /// Opens the log of a game.
    fn begin_log(&self, fixture: &Fixture) -> Result<(), MatchError> {
        let Some(logs) = self.logs else { return Ok(()) };
        let &Fixture { number, pairing, .. } = fixture;
        self.transcript.begin(logs, number)?;
        let name = |engine: usize| &self.config.engines[engine].name;
        let (white, black) = (name(pairing.white), name(pairing.black));
        let game = number + 1;
        self.transcript.log("").remark(format_args!("game {game}, White {white}, Black {black}"));
        Ok(())
    }

    /// Closes it, or removes it. Returns why it, or the log of an engine, could not be written.
    fn end_log(
        &mut self,
        number: usize,
        played: &Result<Option<MatchGame>, MatchError>,
    ) -> Option<LogError> {
        let of_engine = self.players.iter_mut().find_map(|(_, player)| player.log_error());
        let Some(logs) = self.logs else { return of_engine };
        let remarks = self.transcript.log("");
        let has_failed = match played {
            Ok(Some(record)) => {
                let (result, why) = (record.result().as_str(), record.termination);
                let gap = if record.detail.is_empty() { "" } else { ": " };
                remarks.remark(format_args!("{result}, {why}{gap}{}", record.detail));
                record.has_failed()
            }
            Ok(None) => {
                remarks.remark("the match is being stopped");
                false
            }
            Err(error) => {
                remarks.remark(error);
                true
            }
        };
        self.transcript.end(logs, number, has_failed).or(of_engine)
    }

    /// Plays a game, and replays it if everything was paused meanwhile. `None` if the match is
    /// being stopped.
    fn play(&mut self, mut fixture: Fixture) -> Result<Option<MatchGame>, MatchError> {
        let mut notes = Vec::new();
        if !fixture.played.is_empty() {
            let moves = counted(fixture.played.len().div_ceil(2), "move");
            notes.push(format!("taken up again after {moves}"));
        }
        loop {
            let attempt = self.attempt(&fixture)?;
            if let Err(NotPlayed::Gone(why)) = attempt {
                notes.push(why);
                continue;
            }
            // Otherwise the game is over, or begins again.
            fixture.played.clear();
            let game = fixture.number;
            match attempt {
                Ok(mut record) => {
                    notes.extend((!record.detail.is_empty()).then_some(record.detail));
                    record.detail = notes.join("; ");
                    return Ok(Some(record));
                }
                Err(NotPlayed::NotTakenUp(why)) => {
                    notes = vec![format!("begun again after an interruption ({why})")];
                }
                Err(NotPlayed::Void(standstill)) => {
                    let seconds = standstill.as_secs_f64();
                    notes.push(format!("played again after a standstill of {seconds:.1} s"));
                    self.report(WorkerReport::Void { game, standstill });
                }
                Err(NotPlayed::Again) => {
                    notes.push(REPLAYED.to_owned());
                    self.report(WorkerReport::Again { game });
                }
                Err(NotPlayed::Gone(_) | NotPlayed::Start(_) | NotPlayed::Aborted) => {
                    return Ok(None);
                }
            }
        }
    }

    /// Nobody listens any more when the match is over.
    fn report(&self, report: WorkerReport) {
        self.send(Event::Report(report));
    }

    /// Whether somebody listens.
    fn send(&self, event: Event) -> bool {
        send(&self.abort, &self.events, event)
    }

    fn attempt(&mut self, fixture: &Fixture) -> Result<Result<MatchGame, NotPlayed>, MatchError> {
        let begun = self.abort.world().now();
        let order = self.director.take_order(fixture.number);
        if let Some(record) = order.and_then(|act| ordered(fixture, act)) {
            return Ok(Ok(record));
        }
        // Under [`Color::index`].
        let wanted = fixture.pairing.engines();
        for (_, player) in self.players.extract_if(.., |(engine, _)| !wanted.contains(engine)) {
            player.quit();
        }
        let are_kept = wanted.map(|engine| self.players.iter().any(|(kept, _)| *kept == engine));
        let mut players = Vec::new();
        for engine in wanted {
            match self.take(engine) {
                Ok(Some(player)) => players.push(player),
                Ok(None) => return Ok(Err(NotPlayed::Aborted)),
                Err(no_start) => {
                    self.players.extend(wanted.into_iter().zip(players));
                    return match self.standstills.since(begun) {
                        Some(standstill) => Ok(Err(NotPlayed::Void(standstill))),
                        None => self.not_played(fixture, no_start).map(Ok),
                    };
                }
            }
        }
        let Ok(mut players) = <[_; 2]>::try_from(players) else {
            return Ok(Err(NotPlayed::Aborted));
        };
        let (abort, events, number) = (&self.abort, &self.events, fixture.number);
        let keeps = self.config.keeps_games();
        let moved = |at: usize, ply: &PlyRecord| {
            if keeps {
                let ply = Box::new(ply.clone());
                send(abort, events, Event::Moved { game: number, at, ply });
            }
        };
        let room = Room {
            config: self.config,
            arbiter: self.arbiter,
            standstills: self.standstills,
            director: self.director,
            abort: &self.abort,
            are_kept,
            moved: &moved,
        };
        let Played { outcome, is_broken } = play(room, fixture, &mut players);
        let outcome = match outcome {
            Err(NotPlayed::Aborted) => return Ok(Err(NotPlayed::Aborted)),
            Err(NotPlayed::Start(no_start)) => {
                // The other engine may have begun the game.
                for (other, mut player) in wanted.into_iter().zip(players) {
                    if other != no_start.engine && player.recover() {
                        self.players.push((other, player));
                    }
                }
                return self.not_played(fixture, no_start).map(Ok);
            }
            outcome => outcome,
        };
        for engine in wanted {
            self.health[engine].played();
        }
        for ((engine, mut player), is_broken) in wanted.into_iter().zip(players).zip(is_broken) {
            // A broken engine is not asked to quit: dropping it kills it.
            let is_usable = !is_broken || player.recover();
            if is_usable && self.config.engines[engine].restart {
                player.quit();
            } else if is_usable {
                self.players.push((engine, player));
            }
        }
        Ok(outcome)
    }

    /// An engine that has played before loses the game; one that never did ends the match.
    fn not_played(&self, fixture: &Fixture, no_start: NoStart) -> Result<MatchGame, MatchError> {
        if self.health[no_start.engine].did_not_start() {
            return Ok(forfeit(fixture, no_start));
        }
        let NoStart { engine, message, tail } = no_start;
        let name = self.config.engines[engine].name.clone();
        Err(MatchError::Start { name, message, tail })
    }

    /// `None` if the match is being stopped.
    fn take(&mut self, engine: usize) -> Result<Option<Box<dyn Player>>, NoStart> {
        if let Some(index) = self.players.iter().position(|(e, _)| *e == engine) {
            return Ok(Some(self.players.swap_remove(index).1));
        }
        let has_played = self.health[engine].has_played.load(Ordering::Relaxed);
        // An engine that did not start the first time will probably fail again a moment later.
        let attempts = if has_played { START_ATTEMPTS } else { 1 };
        for attempt in 1.. {
            match self.start(engine) {
                Ok(player) => {
                    if let Some(identity) = player.identity().title() {
                        self.report(WorkerReport::Ready { engine, identity });
                    }
                    return Ok(Some(player));
                }
                Err(PlayerError::Aborted) => return Ok(None),
                Err(PlayerError::Fault { .. }) if attempt < attempts => {}
                Err(PlayerError::Fault { message, tail, .. }) => {
                    return Err(NoStart { engine, message, tail });
                }
                Err(PlayerError::Refused(message)) => {
                    return Err(NoStart { engine, message, tail: Vec::new() });
                }
            }
        }
        Ok(None)
    }

    fn start(&self, engine: usize) -> Result<Box<dyn Player>, PlayerError> {
        let spec = &self.config.engines[engine];
        let slow = |missing: &str, tail: &[String]| {
            let (missing, tail) = (missing.to_owned(), tail.to_vec());
            self.report(WorkerReport::SlowStart { engine, missing, tail });
        };
        let (wishes, margin) = (self.config.wishes(engine), self.config.margin);
        let game_slot =
            GameSlot { slot: self.slot, cpus: &self.cpus, transcript: &self.transcript };
        let mut player = start(spec, wishes, margin, game_slot, &self.abort, &slow)?;
        for text in player.complaints() {
            self.report(WorkerReport::Complaint { engine, text });
        }
        Ok(player)
    }
}

/// Sends an event; whether somebody listens.
fn send(abort: &Abort, events: &Sender<Event>, event: Event) -> bool {
    abort.world().wait(None, || vec![has_room(events)]);
    events.send(event).is_ok()
}
