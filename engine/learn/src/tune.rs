//! Search numbers, tuned by games ([`Tuning`]).
//!
//! A step is a number of pairs of games, each pair between its own two versions ([`Spsa`]); then
//! the numbers move. Each pair depends only on the settings, the numbers at the start of the step
//! and its own number, so the result is the same for any number of threads and after an
//! interruption.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use clap::{Args, value_parser};
use egdb::error::ProbeError;
use egdb::{Probe, Wld};
use meerslag_files::{Existing, exclusive, write_file};
use meerslag_search::eval::Evaluation;
use meerslag_search::{
    Control, Engine, EngineError, EngineOptions, Limits, STACK_BYTES, SearchNumbers,
};
use meerslag_study::openings::{self, Opening};
use movegen::{Color, Game};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::checkpoint::{self, CheckpointError};
use super::number::TunedNumber;
use super::patch;
use super::plot::numbers_plot;
use super::referee;
use super::selfplay::{GamesProgress, random_of};
use super::spsa::{Range, Spsa};

/// The size of each version's table.
const HASH_MIB: usize = 1;
/// Pairs of games in a step.
const STEP_PAIRS: u64 = 16;
const STEP_GAMES: u64 = 2 * STEP_PAIRS;
/// Points of the course that are kept.
const COURSE: u64 = 1_000;
/// The files of a tuning.
const CHECKPOINT: &str = "tune.checkpoint";
const PLOT: &str = "numbers.svg";
const PATCH: &str = "params.patch";
const LOCK: &str = "lock";

/// What to tune, and how.
#[derive(Clone, Debug, Args)]
pub struct Tuning {
    /// A number to tune, with a range other than the usual one if wanted; repeatable. Without it
    /// all numbers are tuned
    #[arg(long = "number", value_name = "NAME[=LOW..HIGH]", allow_hyphen_values = true)]
    pub numbers: Vec<TunedNumber>,
    /// Games of the whole run; rounded up to a multiple of 32
    #[arg(long, value_name = "N", default_value_t = 100_000,
          value_parser = value_parser!(u64).range(1..=1_000_000_000))]
    pub games: u64,
    /// Nodes for each move
    #[arg(long, value_name = "N", default_value_t = 2_000,
          value_parser = value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: u64,
    /// How far numbers move: the share of the last difference between a number and its versions by
    /// which a won game moves it at the end
    #[arg(long, value_name = "SHARE", default_value_t = 0.002, value_parser = rate)]
    pub rate: f64,
    /// Seed: another number gives other games
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Games at the same time.
    #[arg(skip = 1usize)]
    pub threads: usize,
    /// The versions' evaluation.
    #[arg(skip)]
    pub evaluation: Evaluation,
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| *rate > 0.0 && *rate <= 1.0);
    rate.ok_or_else(|| "expected a number above 0, up to 1".to_owned())
}

/// The result of a tuning.
#[derive(Clone, PartialEq, Debug)]
pub struct Tuned {
    /// The progress.
    pub progress: GamesProgress,
    /// The numbers in their order, as they are now.
    pub values: Vec<f64>,
}

/// Why a tuning ends early.
#[derive(Debug, Error)]
pub enum TuneError {
    /// A number is named twice, or there is none.
    #[error("{0}")]
    Numbers(String),
    /// The checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A file or folder.
    #[error("cannot write {path}")]
    Io {
        /// Which.
        path: PathBuf,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
    /// Another process tunes in the folder.
    #[error("{0} is in use by another process")]
    InUse(PathBuf),
    /// The engines.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The endgame databases.
    #[error("endgame databases: {0}")]
    Probe(#[from] ProbeError),
    /// A thread cannot be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
}

/// The state between two steps.
#[derive(Clone, PartialEq, Debug)]
struct State {
    step: u64,
    values: Vec<f64>,
    /// The values at the start and at up to [`COURSE`] later steps.
    course: Vec<Vec<f64>>,
}

#[derive(Serialize, Deserialize)]
struct StateHeader {
    step: u64,
}

impl State {
    fn open(path: &Path, identity: &str, start: Vec<f64>) -> Result<State, CheckpointError> {
        let Some((StateHeader { step }, rest)) = checkpoint::open(path, identity)? else {
            return Ok(State { step: 0, course: vec![start.clone()], values: start });
        };
        let (chunks, _) = rest.as_chunks::<8>();
        let floats: Vec<f64> = chunks.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect();
        let mut rows = floats.chunks(start.len()).map(<[f64]>::to_vec);
        let values = rows.next().filter(|_| floats.len().is_multiple_of(start.len()));
        let values = values.ok_or_else(|| checkpoint::damaged(path))?;
        Ok(State { step, values, course: rows.collect() })
    }

    fn save(&self, path: &Path, identity: &str) -> Result<(), CheckpointError> {
        let rows = std::iter::once(&self.values).chain(&self.course);
        let bytes = rows.flatten().flat_map(|value| value.to_le_bytes());
        checkpoint::save(path, identity, StateHeader { step: self.step }, bytes)
    }
}

impl Tuning {
    /// Plays the games that are missing in the folder, and writes the course of the numbers there
    /// as a picture and their values as a patch of the source. Ends early when `stop` is set, with
    /// all finished steps in the checkpoint.
    ///
    /// # Errors
    /// If the numbers make no sense, the folder cannot be written or belongs to other settings, or
    /// an engine fails.
    pub fn run(
        &self,
        folder: &Path,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(GamesProgress),
    ) -> Result<Tuned, TuneError> {
        self.check()?;
        let io = |path: &Path| {
            let path = path.to_owned();
            move |error| TuneError::Io { path, error }
        };
        fs::create_dir_all(folder).map_err(io(folder))?;
        let lock = folder.join(LOCK);
        let _lock = exclusive::open(&lock, fs::OpenOptions::new().write(true).create(true))
            .map_err(|error| match error {
                exclusive::Error::InUse => TuneError::InUse(folder.to_owned()),
                exclusive::Error::Io(error) => io(&lock)(error),
            })?;
        let (path, identity) = (folder.join(CHECKPOINT), self.identity());
        let start = self.numbers.iter().map(|number| f64::from(number.start)).collect();
        let mut state = State::open(&path, &identity, start)?;
        let before = state.step * STEP_GAMES;
        let at = |step| GamesProgress {
            games: step * STEP_GAMES,
            before,
            of: self.steps() * STEP_GAMES,
        };
        let mut duels = Vec::new();
        for _ in 0..self.threads.max(1) {
            duels.push(Duel::new(self)?);
        }
        let mut spread = 0;
        progress(at(state.step));
        while state.step < self.steps() && self.step(&mut state, &mut duels, stop)? {
            state.save(&path, &identity)?;
            progress(at(state.step));
            if spread != state.course.len() {
                spread = state.course.len();
                self.show(folder, &state)?;
            }
        }
        self.show(folder, &state)?;
        Ok(Tuned { progress: at(state.step), values: state.values })
    }

    fn steps(&self) -> u64 {
        self.games.div_ceil(STEP_GAMES)
    }

    fn check(&self) -> Result<(), TuneError> {
        for (i, number) in self.numbers.iter().enumerate() {
            if self.numbers[..i].iter().any(|other| other.name == number.name) {
                return Err(TuneError::Numbers(format!("{} is named twice", number.name)));
            }
        }
        let none = self.numbers.is_empty();
        if none { Err(TuneError::Numbers("there is no number to tune".to_owned())) } else { Ok(()) }
    }

    /// All that the result depends on, except the program's own code.
    fn identity(&self) -> String {
        let numbers = serde_json::to_string(&self.numbers).expect("nothing that JSON cannot hold");
        let Tuning { games: _, nodes, rate, seed, evaluation, .. } = self;
        let (steps, evaluation) = (self.steps(), evaluation.name());
        let (program, played) = (env!("CARGO_PKG_VERSION"), SearchNumbers::PLAYED);
        format!("{program} {steps} {nodes} {rate} {seed} {evaluation} {numbers} {played:?}")
    }

    fn spsa(&self) -> Spsa {
        let range =
            |number: &TunedNumber| Range { low: number.low.into(), high: number.high.into() };
        Spsa {
            ranges: self.numbers.iter().map(range).collect(),
            pairs: self.steps() * STEP_PAIRS,
            rate: self.rate,
        }
    }

    /// Plays a step; false if it was stopped.
    fn step(
        &self,
        state: &mut State,
        duels: &mut [Duel],
        stop: &AtomicBool,
    ) -> Result<bool, TuneError> {
        let spsa = self.spsa();
        let first = state.step * STEP_PAIRS;
        let versions = |pair: u64| {
            let mut random = random_of(self.seed, first + pair);
            spsa.versions(&state.values, first + pair, &mut random)
        };
        let next = AtomicUsize::new(0);
        let won: [Mutex<Option<i32>>; STEP_PAIRS as usize] = Default::default();
        let failure = Mutex::new(None);
        thread::scope(|scope| {
            for duel in duels {
                let play = || {
                    loop {
                        let pair = next.fetch_add(1, Ordering::Relaxed);
                        let Some(place) = won.get(pair) else { return };
                        let versions = versions(pair as u64);
                        let numbers = [&versions.plus, &versions.minus].map(|v| self.numbers(v));
                        let start = duel.opening(self.seed, first + pair as u64);
                        match duel.pair(numbers, self.nodes, &start, stop) {
                            Ok(Some(result)) => *place.lock() = Some(result),
                            Ok(None) => return,
                            Err(error) => {
                                failure.lock().get_or_insert(error);
                                return;
                            }
                        }
                    }
                };
                let builder = thread::Builder::new().stack_size(STACK_BYTES);
                if let Err(error) = builder.spawn_scoped(scope, play) {
                    failure.lock().get_or_insert(TuneError::Thread(error));
                }
            }
        });
        if let Some(error) = failure.into_inner() {
            return Err(error);
        }
        let Some(won) = won.map(Mutex::into_inner).into_iter().collect::<Option<Vec<i32>>>() else {
            return Ok(false);
        };
        let versions: Vec<_> = (0..STEP_PAIRS).map(versions).collect();
        for (versions, won) in versions.iter().zip(won) {
            spsa.learn(&mut state.values, versions, won);
        }
        state.step += 1;
        if state.step * COURSE / self.steps() > (state.step - 1) * COURSE / self.steps() {
            state.course.push(state.values.clone());
        }
        Ok(true)
    }

    /// The numbers of a version.
    fn numbers(&self, values: &[i32]) -> SearchNumbers {
        let mut numbers = SearchNumbers::PLAYED;
        for (number, &value) in self.numbers.iter().zip(values) {
            if let Some(place) = numbers.get_mut(&number.name) {
                *place = value;
            }
        }
        numbers
    }

    /// Writes picture and patch.
    fn show(&self, folder: &Path, state: &State) -> Result<(), TuneError> {
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            write_file(&path, text.as_bytes(), Existing::Replace)
                .map_err(|error| TuneError::Io { path, error })
        };
        let rows = self.steps().min(COURSE) as usize;
        write(PLOT, &numbers_plot(&self.numbers, &state.course, rows, self.steps() * STEP_GAMES))?;
        let values: Vec<(&str, i32)> = (self.numbers.iter().zip(&state.values))
            .map(|(number, value)| (number.name.as_str(), value.round() as i32))
            .collect();
        write(PATCH, &patch::of_values(SearchNumbers::SOURCE, &values))
    }
}

/// Two versions of the engine that play each other.
struct Duel {
    engines: [Engine; 2],
    databases: Probe,
    control: Control,
    /// The three-move ballots, and the openings where one side is better.
    openings: [Vec<Opening>; 2],
}

impl Duel {
    fn new(tuning: &Tuning) -> Result<Duel, EngineError> {
        let options = || EngineOptions {
            hash_mib: HASH_MIB,
            evaluation: tuning.evaluation.clone(),
            ..EngineOptions::default()
        };
        Ok(Duel {
            databases: options().databases.open()?,
            engines: [Engine::new(options())?, Engine::new(options())?],
            control: Control::new(),
            openings: [openings::three_move_ballots(), openings::unbalanced()],
        })
    }

    /// The opening of the pair with this number, of both sets in turn: each comes once before one of its
    /// set comes again.
    fn opening(&self, seed: u64, pair: u64) -> Game {
        let sets = self.openings.len() as u64;
        let set = &self.openings[(pair % sets) as usize];
        let (round, place) = (pair / sets / set.len() as u64, pair / sets % set.len() as u64);
        let mut order: Vec<usize> = (0..set.len()).collect();
        random_of(seed, round).shuffle(&mut order);
        set[order[place as usize]].game()
    }

    /// Plays an opening from both sides: the first version's wins less its losses. `None` if it was
    /// stopped.
    fn pair(
        &mut self,
        numbers: [SearchNumbers; 2],
        nodes: u64,
        start: &Game,
        stop: &AtomicBool,
    ) -> Result<Option<i32>, TuneError> {
        let mut won = 0;
        for (engine, numbers) in self.engines.iter_mut().zip(numbers) {
            engine.set_numbers(numbers);
        }
        for white in [0, 1] {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            won += match (self.game(start.clone(), white, nodes)?, white) {
                (Wld::Draw, _) => 0,
                (Wld::Win, 0) | (Wld::Loss, 1) => 1,
                _ => -1,
            };
        }
        Ok(Some(won))
    }

    /// Plays a game with this version as White; gives White's result.
    fn game(&mut self, game: Game, white: usize, nodes: u64) -> Result<Wld, TuneError> {
        let limits = Limits::nodes(nodes);
        let Duel { engines, databases, control, .. } = self;
        for engine in &mut *engines {
            engine.new_game();
        }
        let choose = |game: &Game| {
            let is_white = game.position().side_to_move() == Color::White;
            let engine = &mut engines[if is_white { white } else { 1 - white }];
            let found = engine.search(game, &limits, control, &mut |_| {});
            (found.best, found.info.score)
        };
        Ok(referee::play(databases, game, choose, |_, _| {})?.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tempfile::TempDir;

    use super::*;

    fn tuning() -> Tuning {
        let numbers = ["probcut_margin", "reverse_futility_margin=4..60", "reduction_depth"];
        Tuning {
            numbers: numbers.iter().map(|text| text.parse().unwrap()).collect(),
            games: 96,
            nodes: 60,
            rate: 0.2,
            seed: 5,
            threads: 1,
            evaluation: Evaluation::default(),
        }
    }

    fn run(tuning: &Tuning, folder: &TempDir, stop_after: u64) -> Result<Tuned, TuneError> {
        let stop = AtomicBool::new(false);
        tuning.run(folder.path(), &stop, &mut |progress| {
            stop.store(progress.games >= stop_after, Ordering::Relaxed);
        })
    }

    #[test]
    fn the_same_numbers_for_any_threads_and_interruptions() {
        let whole = TempDir::new().unwrap();
        let tuned = run(&tuning(), &whole, u64::MAX).unwrap();
        assert_eq!(tuned.progress, GamesProgress { games: 96, before: 0, of: 96 });
        let start: Vec<f64> = tuning().numbers.iter().map(|it| it.start.into()).collect();
        assert_ne!(tuned.values, start);

        let parts = TempDir::new().unwrap();
        let two = Tuning { threads: 2, ..tuning() };
        assert_eq!(run(&two, &parts, 32).unwrap().progress.games, 32);
        let again = run(&two, &parts, u64::MAX).unwrap();
        assert_eq!((again.progress.before, again.values), (32, tuned.values.clone()));
        for file in [CHECKPOINT, PLOT, PATCH] {
            let read = |folder: &TempDir| fs::read(folder.path().join(file)).unwrap();
            assert!(read(&whole) == read(&parts), "{file}");
        }
        let plot = fs::read_to_string(whole.path().join(PLOT)).unwrap();
        assert_eq!(plot.matches("<polyline").count(), 3);
        // A finished run has nothing to do.
        assert_eq!(run(&two, &parts, u64::MAX).unwrap().values, tuned.values);

        let other = TempDir::new().unwrap();
        assert_ne!(
            run(&Tuning { seed: 6, ..tuning() }, &other, u64::MAX).unwrap().values,
            tuned.values
        );
        let error = run(&Tuning { nodes: 61, ..tuning() }, &whole, u64::MAX).unwrap_err();
        assert!(error.to_string().contains("other data or settings"), "{error}");
    }

    #[test]
    fn no_opening_comes_twice_before_all_have_come() {
        let duel = Duel::new(&tuning()).unwrap();
        let [ballots, unbalanced] = duel.openings.each_ref().map(|set| set.len() as u64);
        assert!(unbalanced < ballots);
        let start = |pair| duel.opening(5, pair).position().to_fen();
        let first: HashSet<String> = (0..2 * unbalanced).map(start).collect();
        assert_eq!(first.len() as u64, 2 * unbalanced);
        let all: HashSet<String> = (0..2 * ballots).map(start).collect();
        assert_eq!(all.len() as u64, ballots + unbalanced);
        assert_ne!(start(1), start(1 + 2 * unbalanced));
    }

    #[test]
    fn a_version_plays_with_its_numbers() {
        let mut engine = Duel::new(&tuning()).unwrap().engines.into_iter().next().unwrap();
        let game = openings::three_move_ballots()[7].game();
        let mut nodes = |numbers: SearchNumbers| {
            engine.set_numbers(numbers);
            engine.search(&game, &Limits::depth(10), &Control::new(), &mut |_| {}).info.nodes
        };
        let played = nodes(SearchNumbers::PLAYED);
        for (name, value, range) in SearchNumbers::ALL {
            let ends = [*range.start(), *range.end()].into_iter().filter(|end| end != value);
            let mut with = |other| {
                let mut numbers = SearchNumbers::PLAYED;
                *numbers.get_mut(name).unwrap() = other;
                nodes(numbers)
            };
            // Wide windows and long threats are rare; for the other numbers one end may change
            // nothing here.
            let is_rare = name.starts_with("aspiration") || *name == "threat_plies";
            let changed = ends.map(&mut with).filter(|nodes| *nodes != played).count();
            assert!(changed > 0 || is_rare, "{name}");
        }
        assert_eq!(nodes(SearchNumbers::PLAYED), played);
    }

    #[test]
    fn numbers_that_make_no_sense_are_refused() {
        let error = |text: &str| text.parse::<TunedNumber>().unwrap_err().to_string();
        assert!(error("margin").contains("'margin': expected aspiration_depth, "));
        for bad in ["history_rate=", "history_rate=3", "history_rate=5..5", "history_rate=a..7"] {
            assert!(error(bad).contains("LOW below HIGH"), "{bad}");
        }
        assert_eq!(error("history_rate=1..7"), "the range of history_rate must lie within 2..8");
        let now = SearchNumbers::PLAYED.history_rate;
        let beside = format!("history_rate={}..8", now + 1);
        assert_eq!(error(&beside), format!("history_rate is {now} now, outside the range"));
        let folder = TempDir::new().unwrap();
        let twice = Tuning { numbers: [tuning().numbers, tuning().numbers].concat(), ..tuning() };
        for (numbers, message) in [(twice.numbers, "named twice"), (Vec::new(), "no number")] {
            let tuning = Tuning { numbers, ..tuning() };
            let error = run(&tuning, &folder, 0).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
