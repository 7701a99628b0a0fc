//! Many games at once: workers play, and the caller gets each game when it ends.

pub(in crate::runner) mod acts;
pub(in crate::runner) mod decision;
pub(in crate::runner) mod director;
pub(in crate::runner) mod merge;
pub(in crate::runner) mod rounds;
pub(in crate::runner) mod schedule;
pub(in crate::runner) mod standstill;
pub(in crate::runner) mod state;
mod swiss;
mod worker;

use std::cell::RefCell;
use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, bounded, select};
use thiserror::Error;

use crate::protocol::LogError;
use crate::runner::config::spec::EngineKind;
use crate::runner::config::{Contest, Format};
use crate::runner::game::arbiter::Arbiter;
use crate::runner::game::match_game::MatchGame;
use crate::runner::game::termination::Termination;
use crate::runner::openings::starts::Starts;
use crate::runner::player::launch::{GameSlot, start};
use crate::runner::player::transcript::{GameLogs, Transcript};
use crate::runner::player::{Abort, FaultKind, HOLD_INTERVAL, PlayerError};
use crate::runner::stats::Decision;
use crate::runner::stats::results::MatchResults;
use crate::runner::tournament::acts::{Act, ActError};
use crate::runner::tournament::decision::decide;
use crate::runner::tournament::director::Director;
use crate::runner::tournament::rounds::KnockOut;
pub use crate::runner::tournament::rounds::game_count;
pub(in crate::runner) use crate::runner::tournament::rounds::next_round;
use crate::runner::tournament::schedule::{Pairing, Round};
use crate::runner::tournament::standstill::Standstills;
use crate::runner::tournament::state::{StateError, StateFile};
use crate::world::heard;
use meerslag_search::{EngineError, STACK_BYTES};
use meerslag_study::Shard;
use meerslag_study::record::PlyRecord;
use worker::{Health, Worker};

/// Why a match cannot continue.
#[derive(Debug, Error)]
pub enum MatchError {
    /// An engine does not start, at first or later.
    #[error("engine '{name}' does not start: {message}{}", tail_text(.tail))]
    Start {
        /// Which.
        name: String,
        /// Why.
        message: String,
        /// Its last lines.
        tail: Vec<String>,
    },
    /// More games at the same time than a DXP program has addresses, in words.
    #[error("{0}")]
    Addresses(String),
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
    /// The log of a game, or of an engine.
    #[error(transparent)]
    Log(#[from] LogError),
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

/// Events per worker that may wait to be recorded.
const WAITING_EVENTS: usize = 64;

/// How the games are spread over the processors, and which are played here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Workers {
    /// Games at the same time, at least 1.
    pub concurrency: usize,
    /// Processors of each worker, for its engines: worker n uses entry n modulo the length.
    /// Empty: the system decides.
    pub cpus: Vec<Vec<usize>>,
    /// The folder for logs of all that the engines receive and send.
    pub logs: Option<GameLogs>,
    /// The part of the games to play here.
    pub shard: Option<Shard>,
    /// How many pairs of them.
    pub until: Option<u32>,
    /// The speed of this machine in nodes per second, for a match whose times are scaled.
    pub speed: Option<u64>,
}

impl Workers {
    /// So many games at the same time, all of them here.
    #[must_use]
    pub const fn new(concurrency: usize) -> Workers {
        Workers { concurrency, cpus: Vec::new(), logs: None, shard: None, until: None, speed: None }
    }
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
    /// It was stopped from outside, after a round.
    AfterRound,
}

/// What happens during a match.
#[derive(Clone, Copy, Debug)]
pub enum MatchEvent<'a> {
    /// A round of a tournament has been paired: the last one of these.
    Round(&'a MatchResults),
    /// The break before this round, which will be paired like this unless the director decides
    /// otherwise.
    Break(&'a Round, Duration),
    /// A worker reports.
    Report(&'a WorkerReport),
    /// A game has ended: all games so far, the new one last, and the table.
    Game(&'a MatchResults),
    /// The director has decided something about a finished game or a player.
    Decided {
        /// What.
        act: Act,
        /// The games' new results.
        results: &'a MatchResults,
        /// All finished games with their moves, for files that must be rewritten.
        games: &'a [MatchGame],
    },
}

/// What happens to a game in play. Games are counted from 0 as in the schedule, engines as in the
/// configuration.
#[derive(Clone, Debug)]
pub enum WorkerReport {
    /// A game begins.
    Begin {
        /// Its number.
        game: usize,
        /// Who plays it.
        pairing: Pairing,
    },
    /// An engine is ready, for the first time or again.
    Ready {
        /// Its number.
        engine: usize,
        /// The name and version that it reports.
        identity: String,
    },
    /// The start of an engine takes longer than a second.
    SlowStart {
        /// Its number.
        engine: usize,
        /// What it has not sent yet.
        missing: String,
        /// Its last lines.
        tail: Vec<String>,
    },
    /// An engine has reported an error before it was ready.
    Complaint {
        /// Its number.
        engine: usize,
        /// Its words.
        text: String,
    },
    /// A game is void, because the process or the machine was paused during it; it is replayed.
    Void {
        /// Its number.
        game: usize,
        /// How long.
        standstill: Duration,
    },
    /// A game in play begins again, by the director's decision.
    Again {
        /// Its number.
        game: usize,
    },
}

/// What workers send.
enum Event {
    Report(WorkerReport),
    Game(Box<MatchGame>),
    Moved { game: usize, at: usize, ply: Box<PlyRecord> },
    Failed(MatchError),
}

/// Plays the games of a match that are not in `results` yet, and adds them to it.
///
/// Engines that have games but do not play in the first one are started once before it and ended again, so
/// that one that does not start is reported now, not hours later. A tournament that was interrupted does not
/// need those that have played before: they lose the games for which they do not start.
///
/// Games during which everything was paused are replayed, and their records say so.
///
/// After each game the state is saved, and then `observe` is called; its error ends the match. Then
/// the moves of the game are dropped. When the function returns, no engine runs any more. The
/// director's signal ends the match early; a match that ends normally does not set it. Decisions
/// take effect as long as the function runs.
///
/// # Errors
/// If an engine cannot be started, the state cannot be saved, or `observe` fails.
pub fn run(
    config: &Contest,
    workers: &Workers,
    state: &mut Option<StateFile>,
    results: &mut MatchResults,
    director: &Director,
    observe: &mut dyn FnMut(MatchEvent<'_>) -> io::Result<()>,
) -> Result<MatchEnd, MatchError> {
    let abort = &director.abort.part();
    let arbiter = Arbiter::open(&config.egdb)?;
    let count = config.engines.len();
    let health: Vec<Health> =
        (0..count).map(|engine| Health::new(need_not_start(config, results, engine))).collect();
    let (begun, identities) = (abort.world().now(), vec![None; config.engines.len()]);
    let (shard, until) = (workers.shard.unwrap_or(Shard::WHOLE), workers.until);
    let mut collector =
        Collector { config, begun, identities, state, results, director, shard, until, observe };
    if collector.is_decided() {
        return Ok(MatchEnd::Decided);
    }
    let play = |standstills: &Standstills| {
        let (arbiter, health) = (arbiter.as_ref(), &health[..]);
        RoundRunner { workers, arbiter, health, abort, standstills }.play_all(&mut collector)
    };
    let played = Standstills::during(abort.world(), play);
    played.map_err(|error| MatchError::Thread(workers.concurrency, error))?
}

/// What the games of all rounds are played with.
#[derive(Clone, Copy)]
struct RoundRunner<'a> {
    workers: &'a Workers,
    arbiter: Option<&'a Arbiter>,
    health: &'a [Health],
    abort: &'a Arc<Abort>,
    standstills: &'a Standstills,
}

impl RoundRunner<'_> {
    /// Plays round after round.
    fn play_all(self, collector: &mut Collector<'_>) -> Result<MatchEnd, MatchError> {
        let RoundRunner { workers, abort, standstills, .. } = self;
        let config = collector.config;
        let mut is_first = true;
        loop {
            let games = collector.left();
            if games.is_empty() {
                if !collector.pair(abort)? {
                    let is_stopped = abort.is_set();
                    return Ok(if is_stopped { MatchEnd::Stopped } else { MatchEnd::Complete });
                }
                continue;
            }
            if is_first {
                check_addresses(config, workers.concurrency.min(games.len()))?;
                let wanted = tried(config, collector.results, &games);
                if !try_starts(config, &wanted, abort, standstills, collector.observe)? {
                    return Ok(MatchEnd::Stopped);
                }
                is_first = false;
            }
            let end = self.play(games, collector);
            collector.director.all_get_up();
            let end = end?;
            if end != MatchEnd::Complete || config.tournament().is_none() {
                return Ok(end);
            }
            // A game of the round may have to be replayed.
            if abort.ends_after_round() && collector.left().is_empty() {
                return Ok(MatchEnd::AfterRound);
            }
        }
    }

    /// Plays these games.
    fn play(
        self,
        games: Vec<(usize, Pairing)>,
        collector: &mut Collector<'_>,
    ) -> Result<MatchEnd, MatchError> {
        let RoundRunner { workers, arbiter, health, abort, standstills } = self;
        let config = collector.config;
        let starts = Starts::new(config, collector.results.games())?;
        let scaled = &config.at_speed(workers.speed);
        let director = collector.director;
        let unfinished = &collector.results.take_unfinished();
        let count = workers.concurrency.min(games.len());
        director.line_up(games);
        // No game waits between two moves for another game's report.
        let (sender, events) = bounded(WAITING_EVENTS * workers.concurrency);
        let world = abort.world();
        thread::scope(|scope| {
            let failed = |error| MatchError::Thread(count, error);
            let mut started = Ok(());
            for slot in 0..count {
                let events = sender.clone();
                let cpus = workers.cpus.get(slot % workers.cpus.len().max(1)).cloned();
                let cpus = cpus.unwrap_or_default();
                let starts = &starts;
                let logs = workers.logs.as_ref();
                let work = move || {
                    let (abort, players) = (Arc::clone(abort), Vec::new());
                    let transcript =
                        if logs.is_some() { Transcript::wanted() } else { Transcript::default() };
                    let mut worker = Worker {
                        config: scaled,
                        starts,
                        arbiter,
                        standstills,
                        director,
                        unfinished,
                        health,
                        slot,
                        cpus,
                        logs,
                        transcript,
                        abort,
                        events,
                        players,
                    };
                    worker.work();
                };
                let builder = thread::Builder::new().stack_size(STACK_BYTES);
                if let Err(error) = builder.spawn_scoped(scope, world.within(work)) {
                    started = Err(failed(error));
                    abort.set();
                    break;
                }
            }
            drop(sender);
            // Workers that have begun end only if their reports are taken.
            let end = collector.collect(&events, abort);
            started.and(end)
        })
    }
}

/// Whether every DXP program has an address for each game at the same time.
fn check_addresses(config: &Contest, wanted: usize) -> Result<(), MatchError> {
    for engine in &config.engines {
        let Some(dxp) = &engine.dxp else { continue };
        let given = dxp.addresses.len();
        if given < wanted && dxp.addresses.iter().any(|address| address.port != 0) {
            let name = &engine.name;
            return Err(MatchError::Addresses(format!(
                "engine '{name}' has {given} addresses for {wanted} games at the same time: give it \
                 more (dxp=HOST:PORT,HOST:PORT), or a command with {{port}} and port 0"
            )));
        }
    }
    Ok(())
}

/// Collects the games of all workers.
struct Collector<'a> {
    config: &'a Contest,
    begun: Instant,
    /// The name that each engine reports.
    identities: Vec<Option<String>>,
    state: &'a mut Option<StateFile>,
    results: &'a mut MatchResults,
    director: &'a Director,
    shard: Shard,
    until: Option<u32>,
    observe: &'a mut dyn FnMut(MatchEvent<'_>) -> io::Result<()>,
}

impl Collector<'_> {
    /// The games of the schedule that are not finished and are to be played here.
    fn left(&self) -> Vec<(usize, Pairing)> {
        let played: HashSet<usize> = self.results.games().iter().map(|game| game.game).collect();
        let games = self.results.schedule(self.config).into_iter().enumerate();
        let is_ours = |pairing: &Pairing| {
            let (pair, parts) = (pairing.pair as u64, u64::from(self.shard.of));
            self.shard.has(pair) && self.until.is_none_or(|until| pair / parts < u64::from(until))
        };
        games.filter(|(number, game)| !played.contains(number) && is_ours(game)).collect()
    }

    /// Pairs the next round of a tournament, after the break; returns whether anything is left to
    /// play.
    fn pair(&mut self, abort: &Abort) -> Result<bool, MatchError> {
        let Some(round) = next_round(self.config, self.results) else { return Ok(false) };
        let usual = self.config.tournament().map_or(0, |rules| rules.break_seconds);
        let pause = self.director.take_rest().unwrap_or(Duration::from_secs(usual));
        let round = if pause.is_zero() || self.results.rounds().is_empty() {
            round
        } else {
            if !self.rest(&round, pause, abort)? {
                return Ok(false);
            }
            if !self.left().is_empty() {
                // A game that the director wants replayed belongs to the round before.
                return Ok(true);
            }
            let Some(round) = next_round(self.config, self.results) else { return Ok(false) };
            round
        };
        if let Some(state) = self.state.as_mut() {
            state.add_round(&round)?;
        }
        self.results.add_round(round);
        (self.observe)(MatchEvent::Round(self.results)).map_err(MatchError::Observer)?;
        Ok(true)
    }

    /// The break before a round, when the director's decisions may change its pairings. Returns
    /// whether the match continues.
    fn rest(&mut self, next: &Round, pause: Duration, abort: &Abort) -> Result<bool, MatchError> {
        let world = abort.world();
        let mut end = world.now() + pause;
        (self.observe)(MatchEvent::Break(next, pause)).map_err(MatchError::Observer)?;
        loop {
            let rest = self.director.take_rest();
            if let Some(rest) = rest {
                end = world.now() + rest;
            }
            if abort.is_set() || world.left(end).is_zero() {
                return Ok(!abort.is_set());
            }
            let until = end.min(world.now() + HOLD_INTERVAL);
            world.wait(Some(until), || vec![heard(self.director.asked())]);
            let asked = self.director.asked().recv_timeout(world.left(until));
            let mut changed = rest.is_some();
            if let Ok((act, answer)) = asked {
                let decided = self.decide(act)?;
                changed |= decided.is_ok();
                let _ = answer.send(decided);
            }
            if changed && let Some(next) = next_round(self.config, self.results) {
                let left = world.left(end);
                (self.observe)(MatchEvent::Break(&next, left)).map_err(MatchError::Observer)?;
            }
        }
    }

    /// Carries out a decision of the director.
    fn decide(&mut self, act: Act) -> Result<Result<(), ActError>, MatchError> {
        if let Some(game) = act.game().filter(|&game| !self.results.is_played(game)) {
            if self.config.tournament().is_none() {
                return Ok(Err(ActError::NoTournament));
            }
            if game >= self.results.schedule(self.config).len() {
                return Ok(Err(ActError::NotFinished(game + 1)));
            }
            // This ends the game, which comes as a finished one.
            return Ok(self.director.order(game, act));
        }
        let act = match decide(self.config, self.results, act) {
            Ok(act) => act,
            Err(error) => return Ok(Err(error)),
        };
        let mut games = Vec::new();
        if let Some(state) = self.state.as_mut() {
            state.decide(act)?;
            if act.game().is_some() {
                games = state.games()?;
            }
        }
        let event = MatchEvent::Decided { act, results: self.results, games: &games };
        (self.observe)(event).map_err(MatchError::Observer)?;
        Ok(Ok(()))
    }

    /// Whether the sequential test is decided; a part of the pairs alone decides nothing.
    fn is_decided(&self) -> bool {
        if self.shard != Shard::WHOLE {
            return false;
        }
        let sprt = self.results.standings().sprt();
        sprt.is_some_and(|(_, decision)| decision != Decision::Continue)
    }

    /// Takes events until no worker is left.
    fn collect(&mut self, events: &Receiver<Event>, abort: &Abort) -> Result<MatchEnd, MatchError> {
        let mut end = MatchEnd::Complete;
        let mut error = None;
        loop {
            abort.world().wait(None, || vec![heard(events), heard(self.director.asked())]);
            let event = select! {
                recv(events) -> event => match event {
                    Ok(event) => event,
                    // The last worker has ended.
                    Err(_) => break,
                },
                recv(self.director.asked()) -> asked => {
                    let Ok((act, answer)) = asked else { continue };
                    match self.decide(act) {
                        Ok(decided) => {
                            // The asker may have gone.
                            let _ = answer.send(decided);
                        }
                        Err(failure) => {
                            error.get_or_insert(failure);
                            abort.set();
                        }
                    }
                    continue;
                }
            };
            let is_game = matches!(event, Event::Game(_));
            if is_game && (error.is_some() || end != MatchEnd::Complete) {
                // A game that ended after the decision does not count.
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
            Event::Report(report) => {
                (self.observe)(MatchEvent::Report(&report)).map_err(MatchError::Observer)?;
                if let WorkerReport::Ready { engine, identity } = report {
                    self.identities[engine] = Some(identity);
                }
                Ok(())
            }
            Event::Moved { game, at, ply } => {
                let state = self.state.as_mut();
                state.map_or(Ok(()), |state| state.add_move(game, at, &ply)).map_err(Into::into)
            }
            Event::Game(mut game) => {
                let late = self.director.get_up(game.game);
                game.engines = game.pairing.engines().map(|number| self.identities[number].clone());
                if let Some(note) = self.results.note(game.game) {
                    let detail = std::mem::take(&mut game.detail);
                    game.detail = if detail.is_empty() {
                        note.to_owned()
                    } else {
                        format!("{note}; {detail}")
                    };
                }
                let elapsed =
                    self.director.abort.world().now().saturating_duration_since(self.begun);
                let millis = elapsed.as_millis();
                game.ended = Some(Duration::from_millis(millis.try_into().unwrap_or(u64::MAX)));
                let saved = self.state.as_mut().map_or(Ok(()), |state| state.add(&game));
                self.results.add(*game);
                saved?;
                (self.observe)(MatchEvent::Game(self.results)).map_err(MatchError::Observer)?;
                // The moves are in the file.
                self.results.drop_last_moves();
                // Decided while the game was ending.
                let Some(act) = late else { return Ok(()) };
                self.decide(act).map(|_| ())
            }
        }
    }
}

/// Whether a tournament continues without this engine: it has played before the interruption, or is out.
fn need_not_start(config: &Contest, results: &MatchResults, engine: usize) -> bool {
    let has_played = |game: &MatchGame| {
        let is_unplayed = matches!(
            game.termination,
            Termination::Director | Termination::Fault(FaultKind::Start)
        );
        let side = game.pairing.color_of(engine);
        side.is_some_and(|side| !is_unplayed || game.spent(side).moves > 0)
    };
    config.tournament().is_some()
        && (results.games().iter().any(has_played)
            || results.withdrawn(usize::MAX).contains(&engine))
}

/// The engines that are tried before the first of these games: those that have a game left, or may still
/// be paired, and do not play in that game.
fn tried(config: &Contest, results: &MatchResults, games: &[(usize, Pairing)]) -> Vec<usize> {
    let first = games[0].1.engines();
    let knock_out =
        (config.format() == Some(Format::KnockOut)).then(|| KnockOut::of(config, results).left);
    let comes = |engine: usize| match &knock_out {
        Some(left) => left.contains(&engine),
        None => config.tournament().is_some(),
    };
    let has_game = |engine: usize| games.iter().any(|(_, game)| game.engines().contains(&engine));
    (0..config.engines.len())
        .filter(|engine| !first.contains(engine) && (has_game(*engine) || comes(*engine)))
        .filter(|engine| !need_not_start(config, results, *engine))
        .collect()
}

/// Starts each of these engines once that speaks Hub; `false` if the match is being stopped. DXP programs
/// are not tried: they may take a connection without a game for the end of the session.
fn try_starts(
    config: &Contest,
    wanted: &[usize],
    abort: &Arc<Abort>,
    standstills: &Standstills,
    observe: &mut dyn FnMut(MatchEvent<'_>) -> io::Result<()>,
) -> Result<bool, MatchError> {
    let observer = RefCell::new((observe, Ok(())));
    let report = |report: WorkerReport| {
        let (observe, result) = &mut *observer.borrow_mut();
        *result = observe(MatchEvent::Report(&report));
    };
    'engines: for &engine in wanted {
        let spec = &config.engines[engine];
        if spec.kind != EngineKind::Hub {
            continue;
        }
        let slow = |missing: &str, tail: &[String]| {
            let (missing, tail) = (missing.to_owned(), tail.to_vec());
            report(WorkerReport::SlowStart { engine, missing, tail });
        };
        let game_slot = GameSlot { slot: 0, cpus: &[], transcript: &Transcript::default() };
        let (message, tail) = loop {
            let begun = abort.world().now();
            let wishes = config.wishes(engine);
            match start(spec, wishes, config.margin, game_slot, abort, &slow) {
                Ok(mut player) => {
                    for text in player.complaints() {
                        report(WorkerReport::Complaint { engine, text });
                    }
                    player.quit();
                    continue 'engines;
                }
                Err(PlayerError::Aborted) => return Ok(false),
                // Its time may have run out meanwhile.
                Err(_) if standstills.since(begun).is_some() => {}
                Err(PlayerError::Fault { message, tail, .. }) => break (message, tail),
                Err(PlayerError::Refused(message)) => break (message, Vec::new()),
            }
        };
        return Err(MatchError::Start { name: spec.name.clone(), message, tail });
    }
    let (_, result) = observer.into_inner();
    result.map_err(MatchError::Observer)?;
    Ok(true)
}

#[cfg(test)]
mod tests;
