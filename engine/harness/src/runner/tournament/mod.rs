//! Many games at once: workers play, the caller is called after each game.

pub(in crate::runner) mod schedule;
pub(in crate::runner) mod standstill;
pub(in crate::runner) mod state;

use std::cell::RefCell;
use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, bounded};
use thiserror::Error;

use crate::runner::config::MatchConfig;
use crate::runner::config::spec::EngineKind;
use crate::runner::game::arbiter::Arbiter;
use crate::runner::game::match_game::MatchGame;
use crate::runner::game::{Fixture, NotPlayed, forfeit, play};
use crate::runner::openings::starts::Starts;
use crate::runner::player::launch::start;
use crate::runner::player::process::pin;
use crate::runner::player::{Abort, Player, PlayerError};
use crate::runner::stats::Decision;
use crate::runner::stats::results::MatchResults;
use crate::runner::tournament::schedule::{Pairing, schedule};
use crate::runner::tournament::standstill::Standstills;
use crate::runner::tournament::state::{StateError, StateFile};
use meerslag_search::EngineError;

/// Attempts to start an engine that has played before.
const START_ATTEMPTS: u32 = 2;
/// Games in a row that an engine can lose because it does not start again; then the match is given
/// up.
const LOST_STARTS: u32 = 5;

/// Why a match cannot go on.
#[derive(Debug, Error)]
pub enum MatchError {
    /// An engine does not start, or not any more.
    #[error("engine '{name}' does not start: {message}{}", tail_text(.tail))]
    Start {
        /// Which.
        name: String,
        /// Why.
        message: String,
        /// Its last lines.
        tail: Vec<String>,
    },
    /// More games at the same time than a DXP program has addresses.
    #[error(
        "engine '{name}' has {given} addresses for {wanted} games at the same time: give it more \
         (dxp=HOST:PORT,HOST:PORT), or a command with {{port}} and port 0"
    )]
    Addresses {
        /// Which engine.
        name: String,
        /// Its addresses.
        given: usize,
        /// The concurrency.
        wanted: usize,
    },
    /// The endgame databases for adjudication.
    #[error("endgame database: {0}")]
    Database(#[from] egdb::error::OpenError),
    /// The engine that chooses starts after openings.
    #[error(transparent)]
    Starts(#[from] EngineError),
    /// The state cannot be saved.
    #[error(transparent)]
    State(#[from] StateError),
    /// The thread of a worker.
    #[error("cannot start a thread for {0} games at the same time")]
    Thread(usize, #[source] io::Error),
    /// The observer of the games failed, for example because a disk is full.
    #[error("cannot write the results")]
    Observer(#[source] io::Error),
}

/// The last lines of a program, as the end of a message; empty if there are none.
#[must_use]
pub fn tail_text(tail: &[String]) -> String {
    if tail.is_empty() {
        return String::new();
    }
    format!("\nits last lines:\n    {}", tail.join("\n    "))
}

/// How the games are spread over the machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workers {
    /// Games at the same time, at least 1.
    pub concurrency: usize,
    /// Processors of each worker, for its engines: worker n uses entry n modulo the length.
    /// Empty: the system decides.
    pub cpus: Vec<Vec<usize>>,
}

/// How a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchEnd {
    /// All games were played.
    Complete,
    /// The sequential test was decided.
    Decided,
    /// It was stopped from outside.
    Stopped,
}

/// What happens during a match.
#[derive(Clone, Copy, Debug)]
pub enum MatchEvent<'a> {
    /// A game begins: its number in the schedule, from 0, and who plays it.
    Begin(usize, Pairing),
    /// A game has ended: all games so far, the new one last, and the table.
    Game(&'a MatchResults),
    /// An engine is ready, for the first time or again.
    Ready {
        /// Its number in the configuration.
        engine: usize,
        /// The name and version that it gives itself.
        identity: &'a str,
    },
    /// The start of an engine takes longer than a second.
    SlowStart {
        /// The engine's name.
        engine: &'a str,
        /// What is still missing.
        missing: &'a str,
        /// Its last lines.
        tail: &'a [String],
    },
    /// A game is void, because the process or the machine was paused during it; it is played again.
    Void {
        /// Its number in the schedule, from 0.
        game: usize,
        /// How long.
        standstill: Duration,
    },
}

/// What workers report.
enum Event {
    Begin(usize, Pairing),
    Game(Box<MatchGame>),
    Ready { engine: usize, identity: String },
    SlowStart { engine: usize, missing: String, tail: Vec<String> },
    Void { game: usize, standstill: Duration },
    Failed(MatchError),
}

/// Plays the games of a match that are not in `results` yet, and adds them to it.
///
/// Engines that do not play in the first game are started once before it and ended again: one that
/// does not start is reported now, not hours later.
///
/// Games during which everything was paused are played again, and their records say so.
///
/// After each game the state is saved, and then `observe` is called; an error of it ends the match.
/// Afterwards the moves of the game are dropped. When the function returns no engine runs any more.
/// `abort` ends the match early; a match that ends by itself does not give that signal.
///
/// # Errors
/// If an engine cannot be started, the state cannot be saved, or `observe` fails.
pub fn run(
    config: &MatchConfig,
    workers: &Workers,
    state: &mut Option<StateFile>,
    results: &mut MatchResults,
    abort: &Abort,
    observe: &mut dyn FnMut(MatchEvent<'_>) -> io::Result<()>,
) -> Result<MatchEnd, MatchError> {
    let abort = &abort.part();
    let played: HashSet<usize> = results.games().iter().map(|game| game.game).collect();
    let games: Vec<(usize, Pairing)> =
        schedule(config).into_iter().enumerate().filter(|(i, _)| !played.contains(i)).collect();
    let arbiter = Arbiter::open(&config.egdb)?;
    let starts = Starts::new(config, results.games())?;
    let count = workers.concurrency.min(games.len());
    check_addresses(config, count)?;
    let (begun, identities) = (Instant::now(), vec![None; config.engines.len()]);
    let mut collector = Collector { config, begun, identities, state, results, observe };
    if collector.is_decided() {
        return Ok(MatchEnd::Decided);
    }
    if let Some(&(_, first)) = games.first()
        && !try_starts(config, first, abort, collector.observe)?
    {
        return Ok(MatchEnd::Stopped);
    }
    let next = AtomicUsize::new(0);
    let health: Vec<Health> = config.engines.iter().map(|_| Health::default()).collect();
    let (sender, events) = bounded(workers.concurrency);
    let standstills = Standstills::new();
    let (end_watch, watch) = bounded(0);
    thread::scope(|scope| {
        let standstills = &standstills;
        let failed = |error| MatchError::Thread(count, error);
        let builder = thread::Builder::new().name("clock".to_owned());
        builder.spawn_scoped(scope, move || standstills.watch(&watch)).map_err(failed)?;
        // It ends with the last game.
        let _end_watch = end_watch;
        let mut started = Ok(());
        for slot in 0..count {
            let events = sender.clone();
            let cpus = workers.cpus.get(slot % workers.cpus.len().max(1)).cloned();
            let cpus = cpus.unwrap_or_default();
            let (games, next, arbiter, health) = (&games, &next, arbiter.as_ref(), &health);
            let starts = &starts;
            let work = move || {
                let (abort, players) = (Arc::clone(abort), Vec::new());
                let mut worker = Worker {
                    config,
                    starts,
                    arbiter,
                    standstills,
                    health,
                    slot,
                    cpus,
                    abort,
                    events,
                    players,
                };
                worker.work(games, next);
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                started = Err(failed(error));
                abort.set();
                break;
            }
        }
        drop(sender);
        // Workers that have begun end only if somebody takes what they report.
        let end = collector.collect(&events, abort);
        started.and(end)
    })
}

/// Whether every DXP program has an address for each game at the same time.
fn check_addresses(config: &MatchConfig, wanted: usize) -> Result<(), MatchError> {
    for engine in &config.engines {
        let Some(dxp) = &engine.dxp else { continue };
        let given = dxp.addresses.len();
        if given < wanted && dxp.addresses.iter().any(|address| address.port != 0) {
            return Err(MatchError::Addresses { name: engine.name.clone(), given, wanted });
        }
    }
    Ok(())
}

/// Where the games of all workers come together.
struct Collector<'a> {
    config: &'a MatchConfig,
    begun: Instant,
    /// What each engine calls itself.
    identities: Vec<Option<String>>,
    state: &'a mut Option<StateFile>,
    results: &'a mut MatchResults,
    observe: &'a mut dyn FnMut(MatchEvent<'_>) -> io::Result<()>,
}

impl Collector<'_> {
    /// Whether the sequential test has come to an end.
    fn is_decided(&self) -> bool {
        let sprt = self.results.standings().sprt();
        sprt.is_some_and(|(_, decision)| decision != Decision::Continue)
    }

    /// Takes events until no worker is left.
    fn collect(&mut self, events: &Receiver<Event>, abort: &Abort) -> Result<MatchEnd, MatchError> {
        let mut end = MatchEnd::Complete;
        let mut error = None;
        for event in events {
            let is_game = matches!(event, Event::Game(_));
            if is_game && (error.is_some() || end != MatchEnd::Complete) {
                // A game that was finished after the decision does not count.
                continue;
            }
            if let Err(failure) = self.handle(event) {
                error.get_or_insert(failure);
                abort.set();
            } else if is_game && self.is_decided() {
                end = MatchEnd::Decided;
                abort.set();
            }
        }
        match error {
            Some(error) => Err(error),
            None if end == MatchEnd::Complete && abort.is_set() => Ok(MatchEnd::Stopped),
            None => Ok(end),
        }
    }

    fn handle(&mut self, event: Event) -> Result<(), MatchError> {
        match event {
            Event::Failed(failure) => Err(failure),
            Event::Begin(number, pairing) => {
                (self.observe)(MatchEvent::Begin(number, pairing)).map_err(MatchError::Observer)
            }
            Event::Ready { engine, identity } => {
                let event = MatchEvent::Ready { engine, identity: &identity };
                (self.observe)(event).map_err(MatchError::Observer)?;
                self.identities[engine] = Some(identity);
                Ok(())
            }
            Event::SlowStart { engine, missing, tail } => {
                let engine = &self.config.engines[engine].name;
                let event = MatchEvent::SlowStart { engine, missing: &missing, tail: &tail };
                (self.observe)(event).map_err(MatchError::Observer)
            }
            Event::Void { game, standstill } => {
                let event = MatchEvent::Void { game, standstill };
                (self.observe)(event).map_err(MatchError::Observer)
            }
            Event::Game(mut game) => {
                game.engines = game.pairing.engines().map(|number| self.identities[number].clone());
                let millis = self.begun.elapsed().as_millis();
                game.ended = Some(Duration::from_millis(millis.try_into().unwrap_or(u64::MAX)));
                let saved = self.state.as_mut().map_or(Ok(()), |state| state.add(&game));
                self.results.add(*game);
                saved?;
                (self.observe)(MatchEvent::Game(self.results)).map_err(MatchError::Observer)?;
                // The file has the moves.
                self.results.drop_last_moves();
                Ok(())
            }
        }
    }
}

/// Starts each engine once that speaks Hub and does not play in the first game; `false` if the
/// match is being stopped. Programs that are reached over DXP may take a connection without a game
/// for the end of the session.
fn try_starts(
    config: &MatchConfig,
    first: Pairing,
    abort: &Arc<Abort>,
    observe: &mut dyn FnMut(MatchEvent<'_>) -> io::Result<()>,
) -> Result<bool, MatchError> {
    let observer = RefCell::new((observe, Ok(())));
    for (engine, spec) in config.engines.iter().enumerate() {
        if spec.kind != EngineKind::Hub || [first.white, first.black].contains(&engine) {
            continue;
        }
        let slow = |missing: &str, tail: &[String]| {
            let (observe, result) = &mut *observer.borrow_mut();
            let event = MatchEvent::SlowStart { engine: &spec.name, missing, tail };
            *result = observe(event);
        };
        match start(spec, config.wishes(engine), config.margin, 0, &[], abort, &slow) {
            Ok(player) => player.quit(),
            Err(PlayerError::Aborted) => return Ok(false),
            Err(PlayerError::Fault { message, tail, .. }) => {
                return Err(MatchError::Start { name: spec.name.clone(), message, tail });
            }
            Err(PlayerError::Refused(message)) => {
                let tail = Vec::new();
                return Err(MatchError::Start { name: spec.name.clone(), message, tail });
            }
        }
    }
    let (_, result) = observer.into_inner();
    result.map_err(MatchError::Observer)?;
    Ok(true)
}

/// How an engine has done so far, in all games.
#[derive(Default, Debug)]
struct Health {
    /// It has begun a game.
    has_played: AtomicBool,
    /// Games in a row that it lost because it did not start.
    lost_starts: AtomicU32,
}

impl Health {
    fn played(&self) {
        self.has_played.store(true, Ordering::Relaxed);
        self.lost_starts.store(0, Ordering::Relaxed);
    }

    /// Notes that it did not start; whether the match can go on all the same.
    fn did_not_start(&self) -> bool {
        let lost = self.lost_starts.fetch_add(1, Ordering::Relaxed);
        self.has_played.load(Ordering::Relaxed) && lost < LOST_STARTS
    }
}

/// An engine that did not get as far as the start of a game.
struct NoStart {
    engine: usize,
    message: String,
    tail: Vec<String>,
}

/// What comes of an attempt to play a game.
enum Attempt {
    Done(Box<MatchGame>),
    /// The match is being stopped.
    Aborted,
    /// Everything was paused this long.
    Void(Duration),
}

/// Plays one game after the other and keeps its engines from game to game.
struct Worker<'a> {
    config: &'a MatchConfig,
    starts: &'a Starts<'a>,
    arbiter: Option<&'a Arbiter>,
    standstills: &'a Standstills,
    /// Of all engines.
    health: &'a [Health],
    /// Which worker it is, from 0.
    slot: usize,
    cpus: Vec<usize>,
    abort: Arc<Abort>,
    events: Sender<Event>,
    /// Running engines; never more than the two of the last game.
    players: Vec<(usize, Box<dyn Player>)>,
}

impl Worker<'_> {
    fn work(&mut self, games: &[(usize, Pairing)], next: &AtomicUsize) {
        pin(None, &self.cpus);
        while !self.abort.is_set() {
            let Some(&(number, pairing)) = games.get(next.fetch_add(1, Ordering::Relaxed)) else {
                break;
            };
            let _ = self.events.send(Event::Begin(number, pairing));
            let start = self.starts.of(pairing);
            let halfmoves = start.start_counters().plies();
            let fixture = Fixture { number, pairing, start: *start.start(), halfmoves };
            let event = match self.play(fixture) {
                Ok(Some(record)) => Event::Game(Box::new(record)),
                Ok(None) => break,
                Err(error) => {
                    // The match is over: no other game, even if nobody has read this yet.
                    let _ = self.events.send(Event::Failed(error));
                    break;
                }
            };
            if self.events.send(event).is_err() {
                break;
            }
        }
        for (_, player) in self.players.drain(..) {
            player.quit();
        }
    }

    /// Plays a game, and again if everything was paused during it. `None` if the match is being
    /// stopped.
    fn play(&mut self, fixture: Fixture) -> Result<Option<MatchGame>, MatchError> {
        let mut notes = Vec::new();
        loop {
            match self.attempt(fixture)? {
                Attempt::Done(mut record) => {
                    notes.extend((!record.detail.is_empty()).then_some(record.detail));
                    record.detail = notes.join("; ");
                    return Ok(Some(*record));
                }
                Attempt::Aborted => return Ok(None),
                Attempt::Void(standstill) => {
                    let seconds = standstill.as_secs_f64();
                    notes.push(format!("played again after a standstill of {seconds:.1} s"));
                    let game = fixture.number;
                    let _ = self.events.send(Event::Void { game, standstill });
                }
            }
        }
    }

    fn attempt(&mut self, fixture: Fixture) -> Result<Attempt, MatchError> {
        let begun = Instant::now();
        let done = |record| Attempt::Done(Box::new(record));
        // By the index of the colour.
        let wanted = fixture.pairing.engines();
        for (_, player) in self.players.extract_if(.., |(engine, _)| !wanted.contains(engine)) {
            player.quit();
        }
        let mut players = Vec::new();
        for engine in wanted {
            match self.take(engine) {
                Ok(Some(player)) => players.push(player),
                Ok(None) => return Ok(Attempt::Aborted),
                Err(no_start) => {
                    self.players.extend(wanted.into_iter().zip(players));
                    return match self.standstills.since(begun) {
                        Some(standstill) => Ok(Attempt::Void(standstill)),
                        None => self.not_played(fixture, no_start).map(done),
                    };
                }
            }
        }
        let Ok(mut players) = <[_; 2]>::try_from(players) else { return Ok(Attempt::Aborted) };
        let (config, arbiter) = (self.config, self.arbiter);
        let (attempt, is_broken) =
            match play(config, arbiter, self.standstills, fixture, &mut players) {
                Ok(played) => (done(played.record), played.is_broken),
                Err(NotPlayed::Void { standstill, is_broken }) => {
                    (Attempt::Void(standstill), is_broken)
                }
                Err(NotPlayed::Aborted) => return Ok(Attempt::Aborted),
                Err(NotPlayed::Start { engine, message, tail }) => {
                    // The other one may have begun the game.
                    for (other, mut player) in wanted.into_iter().zip(players) {
                        if other != engine && player.recover() {
                            self.players.push((other, player));
                        }
                    }
                    let no_start = NoStart { engine, message, tail };
                    return self.not_played(fixture, no_start).map(done);
                }
            };
        for engine in wanted {
            self.health[engine].played();
        }
        for ((engine, mut player), is_broken) in wanted.into_iter().zip(players).zip(is_broken) {
            // A broken engine is not asked to quit: dropping it kills it.
            if !is_broken || player.recover() {
                self.players.push((engine, player));
            }
        }
        Ok(attempt)
    }

    /// An engine that has played before loses the game; one that never did ends the match.
    fn not_played(&self, fixture: Fixture, no_start: NoStart) -> Result<MatchGame, MatchError> {
        let NoStart { engine, message, tail } = no_start;
        if self.health[engine].did_not_start() {
            return Ok(forfeit(fixture, engine, &message, tail));
        }
        let name = self.config.engines[engine].name.clone();
        Err(MatchError::Start { name, message, tail })
    }

    /// `None` if the match is being stopped.
    fn take(&mut self, engine: usize) -> Result<Option<Box<dyn Player>>, NoStart> {
        if let Some(index) = self.players.iter().position(|(e, _)| *e == engine) {
            return Ok(Some(self.players.swap_remove(index).1));
        }
        let has_played = self.health[engine].has_played.load(Ordering::Relaxed);
        // What did not even start the first time will hardly do so a moment later.
        let attempts = if has_played { START_ATTEMPTS } else { 1 };
        for attempt in 1.. {
            match self.start(engine) {
                Ok(player) => {
                    if let Some(identity) = player.identity().title() {
                        let _ = self.events.send(Event::Ready { engine, identity });
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
            // Nobody listens any more when the match is over.
            let _ = self.events.send(Event::SlowStart { engine, missing, tail });
        };
        let (wishes, margin) = (self.config.wishes(engine), self.config.margin);
        start(spec, wishes, margin, self.slot, &self.cpus, &self.abort, &slow)
    }
}
