//! Many games at once: workers play, the caller hears of each game.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam::channel::{Sender, bounded};
use thiserror::Error;

use super::builtin::{BuiltIn, RandomMover};
use super::config::MatchConfig;
use super::dxp::{DxpPlayer, DxpPlayerOptions};
use super::game::{NotPlayed, play};
use super::player::{Abort, FaultKind, Player, PlayerError};
use super::process::{HubClient, HubClientOptions, ProcessOptions, pin};
use super::record::GameRecord;
use super::schedule::{Pairing, schedule};
use super::spec::{EngineSpec, Kind};
use super::standings::Standings;
use super::state::{StateError, StateFile};
use super::stats::Decision;
use super::tables::Tables;
use crate::endgame::DatabaseOptions;
use crate::engine::EngineOptions;

/// Attempts to start an engine before the match is given up.
const START_ATTEMPTS: u32 = 2;

/// Why a match cannot go on.
#[derive(Debug, Error)]
pub enum MatchError {
    /// An engine does not start.
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
    /// The state cannot be saved.
    #[error(transparent)]
    State(#[from] StateError),
    /// Whoever was told of a game could not cope, for example because a disk is full.
    #[error("{0}")]
    Observer(String),
}

fn tail_text(tail: &[String]) -> String {
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

/// What workers report.
enum Event {
    Game(Box<GameRecord>),
    Failed(MatchError),
}

/// Plays the games of a match that are not in `records` yet, and adds them to it.
///
/// After each game the state is saved, and then `observe` is called with all games so far, the
/// new one last; an error of it ends the match. Afterwards the moves of the game are dropped. When the function returns no engine runs any
/// more.
///
/// # Errors
/// If an engine cannot be started, the state cannot be saved, or `observe` fails.
pub fn run(
    config: &MatchConfig,
    workers: &Workers,
    state: &mut Option<StateFile>,
    records: &mut Vec<GameRecord>,
    abort: &Arc<Abort>,
    observe: &mut dyn FnMut(&[GameRecord]) -> Result<(), String>,
) -> Result<MatchEnd, MatchError> {
    let played: HashSet<usize> = records.iter().map(|r| r.game).collect();
    let games: Vec<(usize, Pairing)> =
        schedule(config).into_iter().enumerate().filter(|(i, _)| !played.contains(i)).collect();
    let tables = Tables::open(&config.egdb)?;
    for engine in &config.engines {
        let Some(dxp) = &engine.dxp else { continue };
        let (given, wanted) = (dxp.addresses.len(), workers.concurrency.min(games.len()));
        if given < wanted && dxp.addresses.iter().any(|address| address.port != 0) {
            return Err(MatchError::Addresses { name: engine.name.clone(), given, wanted });
        }
    }
    let is_decided = |records: &[GameRecord]| {
        config.sprt.is_some()
            && Standings::new(config, records)
                .sprt
                .is_some_and(|(_, decision)| decision != Decision::Continue)
    };
    if is_decided(records) {
        return Ok(MatchEnd::Decided);
    }
    let next = AtomicUsize::new(0);
    let (sender, events) = bounded(workers.concurrency);
    thread::scope(|scope| {
        for slot in 0..workers.concurrency.min(games.len()) {
            let sender = sender.clone();
            let cpus = if workers.cpus.is_empty() {
                Vec::new()
            } else {
                workers.cpus[slot % workers.cpus.len()].clone()
            };
            let (games, next, tables) = (&games, &next, tables.as_ref());
            scope.spawn(move || {
                let abort = Arc::clone(abort);
                let mut worker = Worker { config, tables, slot, cpus, abort, players: Vec::new() };
                worker.work(games, next, &sender);
            });
        }
        drop(sender);
        let mut end = MatchEnd::Complete;
        let mut error = None;
        for event in &events {
            let result = match event {
                // A game that was finished after the decision does not count.
                Event::Game(_) if error.is_some() || end != MatchEnd::Complete => continue,
                Event::Failed(failure) => Err(failure),
                Event::Game(record) => {
                    let saved = state.as_mut().map_or(Ok(()), |state| state.add(&record));
                    records.push(*record);
                    saved
                        .map_err(MatchError::from)
                        .and_then(|()| observe(records).map_err(MatchError::Observer))
                        // Long matches must not fill the memory; the file has the moves.
                        .inspect(|()| records.last_mut().map_or((), |r| r.plies = Vec::new()))
                }
            };
            if let Err(failure) = result {
                error.get_or_insert(failure);
                abort.set();
            } else if is_decided(records) {
                end = MatchEnd::Decided;
                abort.set();
            }
        }
        match error {
            Some(error) => Err(error),
            None if end == MatchEnd::Complete && abort.is_set() => Ok(MatchEnd::Stopped),
            None => Ok(end),
        }
    })
}

/// Plays one game after the other and keeps its engines from game to game.
struct Worker<'a> {
    config: &'a MatchConfig,
    tables: Option<&'a Tables>,
    /// Which worker it is, from 0.
    slot: usize,
    cpus: Vec<usize>,
    abort: Arc<Abort>,
    /// Running engines; never more than the two of the last game.
    players: Vec<(usize, Box<dyn Player>)>,
}

impl Worker<'_> {
    fn work(&mut self, games: &[(usize, Pairing)], next: &AtomicUsize, events: &Sender<Event>) {
        pin(None, &self.cpus);
        while !self.abort.is_set() {
            let Some(&(number, pairing)) = games.get(next.fetch_add(1, Ordering::Relaxed)) else {
                break;
            };
            let event = match self.play(number, pairing) {
                Ok(Some(record)) => Event::Game(Box::new(record)),
                Ok(None) => break,
                Err(error) => Event::Failed(error),
            };
            if events.send(event).is_err() {
                break;
            }
        }
        for (_, player) in self.players.drain(..) {
            player.quit();
        }
    }

    /// `None` if the match is being stopped.
    fn play(&mut self, number: usize, pairing: Pairing) -> Result<Option<GameRecord>, MatchError> {
        let wanted = [pairing.white, pairing.black];
        for (_, player) in self.players.extract_if(.., |(engine, _)| !wanted.contains(engine)) {
            player.quit();
        }
        let Some(white) = self.take(pairing.white)? else { return Ok(None) };
        let Some(black) = self.take(pairing.black)? else { return Ok(None) };
        let mut players = [white, black];
        let played = match play(self.config, self.tables, number, pairing, &mut players) {
            Ok(played) => played,
            Err(NotPlayed::Aborted) => return Ok(None),
            Err(NotPlayed::Start { engine, message, tail }) => {
                let name = self.config.engines[engine].name.clone();
                return Err(MatchError::Start { name, message, tail });
            }
        };
        for ((engine, mut player), is_broken) in
            wanted.into_iter().zip(players).zip(played.is_broken)
        {
            // A broken engine is not asked to quit: dropping it kills it.
            if !is_broken || player.recover() {
                self.players.push((engine, player));
            }
        }
        Ok(Some(played.record))
    }

    fn take(&mut self, engine: usize) -> Result<Option<Box<dyn Player>>, MatchError> {
        if let Some(index) = self.players.iter().position(|(e, _)| *e == engine) {
            return Ok(Some(self.players.swap_remove(index).1));
        }
        let spec = &self.config.engines[engine];
        for attempt in 1.. {
            match self.start(spec) {
                Ok(player) => return Ok(Some(player)),
                Err(PlayerError::Aborted) => return Ok(None),
                Err(PlayerError::Fault { .. }) if attempt < START_ATTEMPTS => {}
                Err(PlayerError::Fault { message, tail, .. }) => {
                    return Err(MatchError::Start { name: spec.name.clone(), message, tail });
                }
                Err(PlayerError::Refused(message)) => {
                    let tail = Vec::new();
                    return Err(MatchError::Start { name: spec.name.clone(), message, tail });
                }
            }
        }
        Ok(None)
    }

    fn start(&self, spec: &EngineSpec) -> Result<Box<dyn Player>, PlayerError> {
        start(spec, self.config.margin(), self.slot, &self.cpus, &self.abort)
    }
}

/// Starts an engine and gets it ready.
fn start(
    spec: &EngineSpec,
    margin: Duration,
    slot: usize,
    cpus: &[usize],
    abort: &Arc<Abort>,
) -> Result<Box<dyn Player>, PlayerError> {
    let fault =
        |message: String| PlayerError::Fault { kind: FaultKind::Start, message, tail: Vec::new() };
    let process = || ProcessOptions {
        command: spec.command.clone(),
        dir: spec.dir.clone(),
        env: spec.env.clone().into_iter().collect(),
        cpus: cpus.to_vec(),
    };
    match spec.kind {
        Kind::Random => {
            let seed = spec.params.get("seed").and_then(|s| s.parse().ok()).unwrap_or(1);
            Ok(Box::new(RandomMover::new(seed)))
        }
        Kind::Builtin => {
            let options = builtin_options(spec).map_err(fault)?;
            let player = BuiltIn::new(options, Arc::clone(abort));
            Ok(Box::new(player.map_err(|error| fault(error.to_string()))?))
        }
        Kind::Hub => {
            let options = HubClientOptions {
                process: process(),
                params: spec.params.clone().into_iter().collect(),
                start_patience: Duration::from_secs_f64(spec.start_seconds),
                stall_patience: Duration::from_secs_f64(spec.stall_seconds),
                margin,
                tail_only: spec.tail_only,
                ping: spec.ping,
            };
            Ok(Box::new(HubClient::start(options, Arc::clone(abort))?))
        }
        Kind::Dxp => {
            let dxp = spec.dxp.as_ref().ok_or_else(|| fault("no address".to_owned()))?;
            // Several games at the same time either have as many addresses, or all port 0.
            let address = dxp.addresses.get(slot).or(dxp.addresses.first());
            let options = DxpPlayerOptions {
                listen: dxp.listen,
                address: address.cloned().ok_or_else(|| fault("no address".to_owned()))?,
                process: (!spec.command.is_empty()).then(process),
                gap: Duration::from_millis(dxp.gap_ms),
                log: dxp.log.clone(),
                start_patience: Duration::from_secs_f64(spec.start_seconds),
                stall_patience: Duration::from_secs_f64(spec.stall_seconds),
            };
            Ok(Box::new(DxpPlayer::start(options, Arc::clone(abort))?))
        }
    }
}

fn builtin_options(spec: &EngineSpec) -> Result<EngineOptions, String> {
    let mut options = EngineOptions { hash_mib: 16, ..EngineOptions::default() };
    for (name, value) in &spec.params {
        let error = || format!("parameter {name}: bad value '{value}'");
        match name.as_str() {
            "hash-mb" => options.hash_mib = value.parse().map_err(|_| error())?,
            "threads" => options.threads = value.parse().map_err(|_| error())?,
            "move-overhead" => {
                let seconds = value.parse().ok().filter(|s: &f64| (0.0..=60.0).contains(s));
                options.move_overhead = Duration::from_secs_f64(seconds.ok_or_else(error)?);
            }
            "bb-size" => {
                let pieces = value.parse().ok().filter(|&n| n <= DatabaseOptions::MAX_PIECES);
                options.databases.pieces = pieces.ok_or_else(error)?;
            }
            "bb-path" => options.databases.folders = DatabaseOptions::folder_list(value),
            _ => {
                return Err(format!(
                    "unknown parameter {name}, expected hash-mb, threads, move-overhead, bb-size or bb-path"
                ));
            }
        }
    }
    Ok(options)
}
