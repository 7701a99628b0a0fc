//! Matches between engines.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use meerslag_files::with_causes;
use meerslag_harness::runner::stats::{Decision, Sprt};
use meerslag_harness::runner::{
    self, Abort, Contest, Director, MatchConfig, MatchEvent, MatchGame, MatchResults, MatchRun,
    Resumed, Standing, StateError, StateFile, Workers, described,
};
use meerslag_study::openings::{self, Opening};
use movegen::Variant;
use pyo3::exceptions::{PyFileExistsError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyString};
use serde_json::{Map, Value, json};

use crate::game::PositionOrText;
use crate::pdn::PdnGame;
use crate::{value_error, work};

/// Where games begin.
#[derive(FromPyObject)]
pub enum Openings {
    #[pyo3(transparent, annotation = "str")]
    Named(String),
    #[pyo3(transparent, annotation = "Sequence[Position | str]")]
    Positions(Vec<PositionOrText>),
}

impl Openings {
    fn read(self, variant: Variant) -> PyResult<Vec<Opening>> {
        match self {
            // The runner knows it by there being none, and leaves programs their books.
            Openings::Named(name) if name == "start" => Ok(Vec::new()),
            Openings::Named(name) if !variant.is_international() => {
                let text = format!("openings is '{name}': these are of the international game");
                Err(PyValueError::new_err(text))
            }
            Openings::Named(name) => openings::by_name(&name).ok_or_else(|| {
                let expected = "expected two-move, three-move, unbalanced, start or positions";
                PyValueError::new_err(format!("openings is '{name}': {expected}"))
            }),
            Openings::Positions(positions) => {
                let opening = |start: PositionOrText| start.position().map(Opening::from);
                positions.into_iter().map(opening).collect()
            }
        }
    }
}

/// The results of an engine in a match.
#[pyclass(module = "meerslag", frozen, get_all)]
#[derive(Clone)]
pub struct MatchStanding {
    /// Its name.
    name: String,
    /// Games with a known result.
    games: u64,
    /// Games won.
    wins: u64,
    /// Games drawn.
    draws: u64,
    /// Games lost.
    losses: u64,
    /// 1 for a win, a half for a draw.
    points: f64,
    /// Elo over its opponents; infinite if all was won or lost, ``None`` if nothing is known yet.
    elo: Option<f64>,
    /// The ends of its 95 % interval.
    elo_interval: Option<(f64, f64)>,
    /// The probability, 0.0 to 1.0, that it is stronger than its opponents; ``None`` as ``elo``.
    superiority: Option<f64>,
    /// Games lost by time.
    time_forfeits: u64,
    /// Games lost by a crash, a stall, an illegal move or a failed start.
    faults: u64,
}

impl MatchStanding {
    fn new(config: &Contest, standing: &Standing) -> MatchStanding {
        let rating = standing.rating();
        let elo = rating.and_then(|rating| rating.elo);
        MatchStanding {
            name: config.engines[standing.engine].name.clone(),
            games: standing.games.games(),
            wins: standing.games.wins,
            draws: standing.games.draws,
            losses: standing.games.losses,
            points: standing.games.points(),
            elo: elo.map(|elo| elo.value),
            elo_interval: elo.map(|elo| (elo.low, elo.high)),
            superiority: rating.and_then(|rating| rating.superiority),
            time_forfeits: standing.time_forfeits,
            faults: standing.faults,
        }
    }
}

#[pymethods]
impl MatchStanding {
    fn __repr__(&self) -> String {
        let MatchStanding { name, points, games, wins, draws, losses, .. } = self;
        format!("<MatchStanding: {name}, {points} of {games}: +{wins} ={draws} -{losses}>")
    }
}

/// The sequential test of a match: whether its first engine is stronger.
#[pyclass(module = "meerslag", frozen, get_all)]
#[derive(Clone)]
pub struct MatchSprt {
    /// The Elo difference if nothing is gained.
    elo0: f64,
    /// The Elo difference if something is gained.
    elo1: f64,
    /// The logarithm of the ratio of the likelihoods of ``elo1`` and ``elo0``.
    llr: f64,
    /// The values of ``llr`` that decide the test, for ``elo0`` and for ``elo1``.
    bounds: (f64, f64),
    /// ``H0``: ``elo0`` was accepted; ``H1``: ``elo1`` was; ``None``: there were too few games to say.
    decision: Option<&'static str>,
}

impl MatchSprt {
    fn new(config: &Contest, results: &MatchResults) -> Option<MatchSprt> {
        let test = config.sprt()?;
        let (Sprt { elo0, elo1, .. }, bounds) = (test, test.bounds());
        let (llr, decision) = results.standings().sprt()?;
        let decision = match decision {
            Decision::Continue => None,
            Decision::AcceptH0 => Some("H0"),
            Decision::AcceptH1 => Some("H1"),
        };
        Some(MatchSprt { elo0, elo1, llr, bounds, decision })
    }
}

#[pymethods]
impl MatchSprt {
    fn __repr__(&self) -> String {
        let MatchSprt { elo0, elo1, llr, bounds: (low, high), decision } = self;
        let decision = decision.unwrap_or("undecided");
        format!("<MatchSprt: {elo0} or {elo1}: {decision}, {llr:.2} ({low:.2} to {high:.2})>")
    }
}

/// A match that was played.
#[pyclass(module = "meerslag", frozen, get_all)]
pub struct MatchResult {
    /// The engines, best score first.
    standings: Vec<MatchStanding>,
    /// The games in the order they ended, with scores, depths and times in comments.
    games: Vec<PdnGame>,
    /// The sequential test; ``None`` in a match without one.
    sprt: Option<MatchSprt>,
}

#[pymethods]
impl MatchResult {
    /// The standing of the engine with this name.
    ///
    /// Raises:
    ///     ValueError: no engine has it.
    fn standing(&self, name: &str) -> PyResult<MatchStanding> {
        let found = self.standings.iter().find(|standing| standing.name == name).cloned();
        found.ok_or_else(|| {
            let names: Vec<_> = self.standings.iter().map(|it| it.name.as_str()).collect();
            let text = format!("no engine is called '{name}': expected {}", names.join(", "));
            PyValueError::new_err(text)
        })
    }

    fn __repr__(&self) -> String {
        let line = |it: &MatchStanding| format!("{} {}", it.name, it.points);
        let lines: Vec<_> = self.standings.iter().map(line).collect();
        format!("<MatchResult: {} games, {}>", self.games.len(), lines.join(", "))
    }
}

/// Plays a match: each opening twice, with colours exchanged. Other threads of Python run meanwhile;
/// Ctrl-C ends it.
///
/// Args:
///     engines: two or more, each as ``meerslag match --engine`` describes them:
///         ``builtin name=a param.level=3``, ``name=b cmd="./scan hub" tc=nodes=2000``, ``random``.
///         With more than two everybody plays everybody.
///     openings: ``two-move`` (79 ballots, without a word those), ``three-move`` (331), ``unbalanced``
///         (300), ``start`` (in other games without a word), or positions.
///     concurrency: games at the same time, 1 to 1024.
///     state: a new file that keeps the match after every game; ``resume_match`` and ``meerslag match
///         --resume`` continue with it.
///     on_game: called with the ``PdnGame`` of each finished game. An exception from it ends the
///         match and is raised again.
///     options: the keys of the description of a match, with ``_`` for ``-``:
///         ``tc``, the time control of engines that have none: ``nodes=1000``, ``depth=9``,
///         ``move=0.5`` or seconds and increment, ``60+0.5``;
///         ``pairs`` of games of each two engines, without it one from each opening;
///         ``format``: ``round-robin``, or ``gauntlet``, the first engine against each other one;
///         ``seed`` takes the openings in an order that depends on this number;
///         ``random_plies`` after an opening that is played again;
///         ``draw_rules``, see ``Game.status``;
///         ``max_moves``: draw after this many moves of each player, 0 for no limit;
///         ``resign``, such as ``5,4``, and ``draw``, such as ``0.1,10,60``: scores that end games;
///         ``egdb``: folders of endgame databases that end games with their exact result;
///         ``margin``: milliseconds by which a limit may be overrun, at most 60000;
///         ``sprt``: stop as soon as it is clear whether the first of two engines is stronger by
///         ``elo0`` or by ``elo1``: ``(elo0, elo1)``, or ``(elo0, elo1, alpha, beta)`` with the
///         probabilities of an error, 0.05 each otherwise, in normalised Elo; with ``True`` at the end
///         in logistic Elo;
///         ``variant``: the game, as for ``Position``;
///         ``event``: the name of the match in the games.
///
/// Raises:
///     ValueError: a description or an option cannot be read, or there is no such option.
///     FileExistsError: the state file is there already.
///     MatchError: an engine does not start, or the databases or the state file cannot be opened.
#[pyfunction(name = "match")]
#[pyo3(signature = (engines, *, openings = None, concurrency = 1,
                    state = None, on_game: "Callable[[PdnGame], object] | None" = None,
                    **options: "Unpack[_MatchOptions]"),
       text_signature = "(engines, *, openings=None, concurrency=1, state=None, on_game=None, \
                         **options)")]
pub fn play_match(
    py: Python<'_>,
    engines: Vec<String>,
    openings: Option<Openings>,
    concurrency: u32,
    state: Option<PathBuf>,
    on_game: Option<Py<PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<MatchResult> {
    let run = run(Some(concurrency))?;
    let engines: Vec<Value> = engines.iter().map(|text| json!({ "engine": text })).collect();
    let mut table = json_of(options)?;
    table.insert("player".to_owned(), engines.into());
    let mut config: MatchConfig = described(&table).map_err(value_error)?;
    let variant = config.conditions.variant;
    let usual = if variant.is_international() { "two-move" } else { "start" };
    let openings = openings.unwrap_or_else(|| Openings::Named(usual.to_owned()));
    config.conditions.openings = openings.read(variant)?;
    config.conditions.play_variant();
    let config = Contest::Match(config);
    config.check().map_err(value_error)?;
    py.detach(|| {
        let create =
            |path: PathBuf| StateFile::create(&path, &config, COMMAND, &run).map_err(state_error);
        let state = state.map(create).transpose()?;
        let results = MatchResults::new(&config, Vec::new());
        played(&config, &run.workers(), (state, true), results, on_game.as_ref())
    })
}

/// Options under the names of the description.
fn json_of(options: Option<&Bound<'_, PyDict>>) -> PyResult<Map<String, Value>> {
    let Some(options) = options else { return Ok(Map::new()) };
    let py = options.py();
    // Paths become texts.
    let default = [("default", py.get_type::<PyString>())].into_py_dict(py)?;
    let text = py.import("json")?.call_method("dumps", (options,), Some(&default))?;
    let table: Map<String, Value> =
        serde_json::from_str(&text.extract::<String>()?).map_err(value_error)?;
    let name =
        |key: &str| if key == "tc" { "time-control".to_owned() } else { key.replace('_', "-") };
    Ok(table.into_iter().map(|(key, value)| (name(&key), value)).collect())
}

/// How a match is run with this many games at the same time.
fn run(concurrency: Option<u32>) -> PyResult<MatchRun> {
    let run = MatchRun { concurrency, ..MatchRun::default() };
    run.check().map_err(value_error)?;
    Ok(run)
}

/// Continues with an interrupted match, from its state file, which describes it. Other threads of
/// Python run on meanwhile; Ctrl-C ends it.
///
/// Args:
///     state: the state file, which ``match`` or ``meerslag match`` has begun.
///     concurrency: games at the same time, 1 to 1024; as before without it.
///     on_game: called with the ``PdnGame`` of each game finished from now on. An exception from it
///         ends the match and is raised again.
///
/// Raises:
///     ValueError: the file is of a tournament or of a part of a match, which the program plays.
///     MatchError: the file cannot be read or is in use, an engine does not start, or the databases
///         cannot be opened.
#[pyfunction]
#[pyo3(signature = (state, *, concurrency = None, on_game: "Callable[[PdnGame], object] | None" = None))]
pub fn resume_match(
    py: Python<'_>,
    state: PathBuf,
    concurrency: Option<u32>,
    on_game: Option<Py<PyAny>>,
) -> PyResult<MatchResult> {
    py.detach(|| {
        let Resumed { mut state, config, results, run, .. } =
            StateFile::resume(&state).map_err(state_error)?;
        if config.tournament().is_some() || run.shard.is_some() {
            let text = "a tournament, or a part of a match: the program continues with it";
            return Err(PyValueError::new_err(text));
        }
        let workers = self::run(concurrency.or(run.concurrency))?.workers();
        state.go_on(COMMAND, &run).map_err(state_error)?;
        played(&config, &workers, (Some(state), false), results, on_game.as_ref())
    })
}

/// What state files say that a match was played by.
const COMMAND: &str = "meerslag.match, from Python";

fn state_error(error: StateError) -> PyErr {
    match error {
        StateError::Exists(path) => exists(&path),
        StateError::Io { path, error } if error.kind() == io::ErrorKind::AlreadyExists => {
            exists(&path)
        }
        error => crate::MatchError::new_err(with_causes(&error)),
    }
}

fn exists(path: &Path) -> PyErr {
    let text = format!("{} exists: resume_match continues with it", path.display());
    PyFileExistsError::new_err(text)
}

/// Plays the games that are not in the results yet, and keeps them in a state file, which may be a new
/// one.
fn played(
    config: &Contest,
    workers: &Workers,
    (mut state, is_new): (Option<StateFile>, bool),
    mut results: MatchResults,
    on_game: Option<&Py<PyAny>>,
) -> PyResult<MatchResult> {
    let abort = Arc::new(Abort::new());
    let director = Director::new(&abort);
    let pdn = |game: &MatchGame| PdnGame(game.to_pdn(config));
    let mut games: Vec<PdnGame> = results.games().iter().map(pdn).collect();
    results.drop_moves();
    let report = |game: PdnGame| {
        games.push(game.clone());
        work::call(on_game, (game,))
    };
    let end = work::run(
        || abort.set(),
        report,
        |finished| {
            let mut observe = |event: MatchEvent<'_>| {
                if let MatchEvent::Game(results) = event
                    && let Some(game) = results.games().last()
                {
                    let _ = finished.send(pdn(game));
                }
                Ok(())
            };
            let end =
                runner::run(config, workers, &mut state, &mut results, &director, &mut observe);
            // Nothing is lost, and the corrected call must not find it.
            if is_new && end.is_err() && results.games().is_empty() {
                let _ = state.take().map(StateFile::discard);
            }
            end
        },
    )?;
    end.map_err(|error| crate::MatchError::new_err(with_causes(&error)))?;
    let lines = results.standings().lines();
    let standings = lines.into_iter().map(|line| MatchStanding::new(config, line)).collect();
    Ok(MatchResult { standings, games, sprt: MatchSprt::new(config, &results) })
}
