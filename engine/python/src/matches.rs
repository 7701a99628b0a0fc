//! Matches between engines.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use meerslag_files::with_causes;
use meerslag_harness::runner::stats::Decision;
use meerslag_harness::runner::{
    self, Abort, Adjudication, Conditions, ConfigError, Contest, Director, EngineSpec, MatchConfig,
    MatchEvent, MatchFormat, MatchGame, MatchResults, MatchRun, Resumed, SprtConfig, Standing,
    StateError, StateFile, TimeControl, Workers,
};
use meerslag_study::openings::{self, Opening};
use pyo3::exceptions::{PyFileExistsError, PyValueError};
use pyo3::prelude::*;

use crate::game::{PositionOrText, draw_rules};
use crate::pdn::PdnGame;
use crate::{value_error, work};

/// Games at the same time, as for `meerslag match`.
const MAX_AT_ONCE: usize = 1024;

/// Where games begin.
#[derive(FromPyObject)]
pub enum Openings {
    #[pyo3(transparent, annotation = "str")]
    Named(String),
    #[pyo3(transparent, annotation = "Sequence[Position | str]")]
    Positions(Vec<PositionOrText>),
}

impl Openings {
    fn read(self) -> PyResult<Vec<Opening>> {
        match self {
            // The runner knows it by there being none, and leaves programs their books.
            Openings::Named(name) if name == "start" => Ok(Vec::new()),
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
        let SprtConfig { elo0, elo1, .. } = config.sprt()?;
        let bounds = config.sprt()?.test().ok()?.bounds();
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

fn engine(text: &str) -> PyResult<EngineSpec> {
    let named = |error: ConfigError| {
        PyValueError::new_err(format!("engine '{text}': {}", with_causes(&error)))
    };
    EngineSpec::parse(text).map_err(named)
}

/// Plays a match: each opening twice, with colours exchanged. Other threads of Python run meanwhile;
/// Ctrl-C ends it.
///
/// Args:
///     engines: two or more, each as ``meerslag match --engine`` describes them:
///         ``builtin name=a param.level=3``, ``name=b cmd="./scan hub" tc=nodes=2000``, ``random``.
///         With more than two everybody plays everybody.
///     tc: the time control of engines that have none: ``nodes=1000``, ``depth=9``, ``move=0.5``
///         or seconds and increment, ``60+0.5``.
///     openings: ``two-move`` (79 ballots), ``three-move`` (331), ``unbalanced`` (300), ``start``, or
///         positions.
///     pairs: pairs of games of each two engines; without it one from each opening.
///     concurrency: games at the same time, 1 to 1024.
///     seed: takes the openings in an order that depends on this number.
///     draw_rules: the draw rules, see ``Game.status``.
///     max_moves: draw after this many moves of each player; 0 for no limit.
///     egdb: folders of endgame databases that end games with their exact result.
///     margin: seconds by which a limit may be overrun, 0 to 60.
///     sprt: stop as soon as it is clear whether the first of two engines is stronger by ``elo0`` or by
///         ``elo1``: ``(elo0, elo1)``, or ``(elo0, elo1, alpha, beta)`` with the probabilities of an
///         error, 0.05 each otherwise. In normalised Elo.
///     logistic: the bounds of ``sprt`` are logistic Elo, as in rating lists.
///     state: a new file that keeps the match after every game; ``resume_match`` and ``meerslag match
///         --resume`` continue with it.
///     event: the name of the match in the games.
///     on_game: called with the ``PdnGame`` of each finished game. An exception from it ends the
///         match and is raised again.
///
/// Raises:
///     ValueError: a description or an option cannot be read.
///     FileExistsError: the state file is there already.
///     MatchError: an engine does not start, or the databases or the state file cannot be opened.
#[pyfunction(name = "match")]
#[pyo3(signature = (engines, *, tc = None, openings = Openings::Named("two-move".to_owned()),
                    pairs = None, concurrency = 1, seed = None, draw_rules = "lidraughts",
                    max_moves = 300, egdb = Vec::new(), margin = 0.05, sprt = None,
                    logistic = false, state = None, event = "Engine match", on_game: "Callable[[PdnGame], object] | None" = None),
       text_signature = "(engines, *, tc=None, openings='two-move', pairs=None, concurrency=1, \
                         seed=None, draw_rules='lidraughts', max_moves=300, egdb=..., \
                         margin=0.05, sprt=None, logistic=False, state=None, \
                         event='Engine match', on_game=None)")]
#[expect(clippy::too_many_arguments, reason = "named ones, of which most have a default")]
pub fn play_match(
    py: Python<'_>,
    engines: Vec<String>,
    tc: Option<&str>,
    openings: Openings,
    pairs: Option<usize>,
    concurrency: usize,
    seed: Option<u64>,
    draw_rules: &str,
    max_moves: u32,
    egdb: Vec<PathBuf>,
    margin: f64,
    sprt: Option<Bounds>,
    logistic: bool,
    state: Option<PathBuf>,
    event: &str,
    on_game: Option<Py<PyAny>>,
) -> PyResult<MatchResult> {
    let openings = openings.read()?;
    if pairs == Some(0) {
        return Err(PyValueError::new_err("pairs: expected at least 1"));
    }
    let workers = workers(concurrency)?;
    let margin = Duration::try_from_secs_f64(margin).map_err(|_| {
        PyValueError::new_err(format!("margin is {margin}: expected seconds from 0 to 60"))
    })?;
    let config = Contest::Match(MatchConfig {
        format: MatchFormat::RoundRobin,
        pairs: pairs.unwrap_or(openings.len().max(1)),
        sprt: sprt.map(|bounds| bounds.config(logistic)),
        conditions: Conditions {
            event: event.to_owned(),
            engines: engines.iter().map(|text| engine(text)).collect::<PyResult<_>>()?,
            time_control: tc.map(str::parse::<TimeControl>).transpose().map_err(value_error)?,
            openings,
            seed,
            draw_rules: self::draw_rules(draw_rules)?,
            adjudication: Adjudication { max_moves, ..Adjudication::default() },
            egdb,
            margin,
            ..Conditions::default()
        },
    });
    config.check().map_err(value_error)?;
    py.detach(|| {
        let create = |path: PathBuf| {
            let run = MatchRun { concurrency: Some(concurrency as u32), ..MatchRun::default() };
            StateFile::create(&path, &config, COMMAND, &run).map_err(state_error)
        };
        let state = state.map(create).transpose()?;
        let results = MatchResults::new(&config, Vec::new());
        played(&config, &workers, (state, true), results, on_game.as_ref())
    })
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
    concurrency: Option<usize>,
    on_game: Option<Py<PyAny>>,
) -> PyResult<MatchResult> {
    py.detach(|| {
        let Resumed { mut state, config, results, run, .. } =
            StateFile::resume(&state).map_err(state_error)?;
        if config.tournament().is_some() || run.shard.is_some() {
            let text = "a tournament, or a part of a match: the program continues with it";
            return Err(PyValueError::new_err(text));
        }
        let before = run.concurrency.map_or(1, |games| games as usize);
        let workers = workers(concurrency.unwrap_or(before))?;
        state.go_on(COMMAND, &run).map_err(state_error)?;
        played(&config, &workers, (Some(state), false), results, on_game.as_ref())
    })
}

/// What state files say that a match was played by.
const COMMAND: &str = "meerslag.match, from Python";

/// The hypotheses of a sequential test.
#[derive(FromPyObject)]
pub enum Bounds {
    #[pyo3(transparent, annotation = "tuple[float, float, float, float]")]
    WithErrors((f64, f64, f64, f64)),
    #[pyo3(transparent, annotation = "tuple[float, float]")]
    Elo((f64, f64)),
}

impl Bounds {
    const fn config(self, is_logistic: bool) -> SprtConfig {
        let (elo0, elo1, alpha, beta) = match self {
            Bounds::WithErrors(all) => all,
            Bounds::Elo((elo0, elo1)) => (elo0, elo1, 0.05, 0.05),
        };
        SprtConfig { elo0, elo1, alpha, beta, is_logistic }
    }
}

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

fn workers(concurrency: usize) -> PyResult<Workers> {
    if !(1..=MAX_AT_ONCE).contains(&concurrency) {
        let text = format!("concurrency is {concurrency}: expected 1 to {MAX_AT_ONCE}");
        return Err(PyValueError::new_err(text));
    }
    Ok(Workers { concurrency, cpus: Vec::new(), logs: None, shard: None })
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
