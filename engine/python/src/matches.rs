//! Matches between engines.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use meerslag_files::with_causes;
use meerslag_harness::runner::openings::{self, Opening};
use meerslag_harness::runner::{
    self, Abort, Adjudication, ConfigError, Director, EngineSpec, Format, MatchConfig, MatchEnd,
    MatchEvent, MatchResults, Standing, TimeControl, Workers,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::{PositionOrText, draw_rules};
use crate::pdn::PdnGame;
use crate::{value_error, work};

/// Games at the same time, as for `meerslag match`.
const MOST_AT_ONCE: usize = 1024;

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

/// What an engine has reached in a match.
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
    fn new(config: &MatchConfig, standing: &Standing) -> MatchStanding {
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

/// A match that was played.
#[pyclass(module = "meerslag", frozen, get_all)]
pub struct MatchResult {
    /// The engines, best score first.
    standings: Vec<MatchStanding>,
    /// The games in the order in which they ended, with scores, depths and times in comments.
    games: Vec<PdnGame>,
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

/// Plays a match: each opening twice, with colours exchanged. Other threads of Python go on meanwhile;
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
///     event: the name of the match in the games.
///     on_game: called with the ``PdnGame`` of each finished game. What it raises ends the match and
///         is raised again.
///
/// Raises:
///     ValueError: a description or an option cannot be read.
///     MatchError: an engine does not start, or the databases cannot be opened.
#[pyfunction(name = "match")]
#[pyo3(signature = (engines, *, tc = None, openings = Openings::Named("two-move".to_owned()),
                    pairs = None, concurrency = 1, seed = None, draw_rules = "lidraughts",
                    max_moves = 300, egdb = Vec::new(), margin = 0.05, event = "Engine match",
                    on_game = None),
       text_signature = "(engines, *, tc=None, openings='two-move', pairs=None, concurrency=1, \
                         seed=None, draw_rules='lidraughts', max_moves=300, egdb=..., \
                         margin=0.05, event='Engine match', on_game=None)")]
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
    event: &str,
    on_game: Option<Py<PyAny>>,
) -> PyResult<MatchResult> {
    let openings = openings.read()?;
    if pairs == Some(0) || !(1..=MOST_AT_ONCE).contains(&concurrency) {
        let text =
            format!("pairs and concurrency: expected at least 1, and at most {MOST_AT_ONCE}");
        return Err(PyValueError::new_err(text));
    }
    let margin = Duration::try_from_secs_f64(margin).map_err(|_| {
        PyValueError::new_err(format!("margin is {margin}: expected seconds from 0 to 60"))
    })?;
    let mut config = MatchConfig {
        event: event.to_owned(),
        engines: engines.iter().map(|text| engine(text)).collect::<PyResult<_>>()?,
        format: Format::RoundRobin,
        time_control: tc.map(str::parse::<TimeControl>).transpose().map_err(value_error)?,
        pairs: pairs.unwrap_or(openings.len().max(1)),
        openings,
        random_plies: 0,
        seed,
        draw_rules: self::draw_rules(draw_rules)?,
        adjudication: Adjudication {
            max_moves: (max_moves > 0).then_some(max_moves),
            ..Adjudication::default()
        },
        egdb,
        margin,
        sprt: None,
        rounds: None,
    };
    if config.is_repeatable() {
        config.random_plies = MatchConfig::RANDOM_PLIES;
    }
    config.check().map_err(value_error)?;
    py.detach(|| played(&config, concurrency, on_game.as_ref()))
}

fn played(
    config: &MatchConfig,
    concurrency: usize,
    on_game: Option<&Py<PyAny>>,
) -> PyResult<MatchResult> {
    let abort = Arc::new(Abort::new());
    let director = Director::new(&abort);
    let mut results = MatchResults::new(config, Vec::new());
    let mut games = Vec::new();
    let report = |game: PdnGame| {
        games.push(game.clone());
        work::call(on_game, (game,))
    };
    let end = work::run(
        || abort.set(),
        report,
        |finished| {
            let workers = Workers { concurrency, cpus: Vec::new(), logs: None, shard: None };
            let mut observe = |event: MatchEvent<'_>| {
                if let MatchEvent::Game(results) = event
                    && let Some(game) = results.games().last()
                {
                    let _ = finished.send(PdnGame(game.to_pdn(config)));
                }
                Ok(())
            };
            runner::run(config, &workers, &mut None, &mut results, &director, &mut observe)
        },
    )?;
    let end = end.map_err(|error| crate::MatchError::new_err(with_causes(&error)))?;
    debug_assert_eq!(end, MatchEnd::Complete);
    let lines = results.standings().lines();
    let standings = lines.into_iter().map(|line| MatchStanding::new(config, line)).collect();
    Ok(MatchResult { standings, games })
}
