//! The search.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use meerslag_book::BookOptions;
use meerslag_search::eval::Evaluation;
use meerslag_search::{
    Clock, Control, EngineError, EngineOptions, Limits, Mode, PlayingLevel, root_moves,
};
use movegen::{Bound, Score, Variant};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::board::{Move, MoveOrText};
use crate::book::Book;
use crate::databases;
use crate::game::{GameOrPosition, draw_rules};
use crate::{DatabaseError, value_error, work};
use meerslag_files::with_causes;

/// More seconds than any game has.
const MAX_SECONDS: f64 = 1e7;

/// The knowledge of a search at some moment.
#[pyclass(module = "meerslag", frozen, get_all)]
#[derive(Clone)]
pub struct Info {
    /// Nominal depth of the iteration, in plies.
    depth: u32,
    /// Average depth of the leaves so far, in plies.
    mean_depth: f64,
    /// The deepest ply reached.
    max_depth: u32,
    /// The score in hundredths of a man, for the side to move. The end of the game in n plies is
    /// 10000 - n, a won database position n plies away 9000 - n; losses have a minus.
    score: i32,
    /// The meaning of the score: ``exact``, ``lower`` (at least) or ``upper`` (at most).
    bound: &'static str,
    /// Plies until the game is over, if the score says so: above 0 for a win, else for a loss.
    plies_to_end: Option<i32>,
    /// Nodes of all threads so far.
    nodes: u64,
    /// Endgame database lookups of all threads so far.
    probes: u64,
    /// Seconds since the start of the search.
    time: f64,
    /// The share of the transposition table in use, 0.0 to 1.0.
    hashfull: f64,
    /// Which of the best moves this is, from 1.
    multipv: usize,
    /// The principal variation.
    pv: Vec<Move>,
}

impl From<meerslag_search::Info> for Info {
    fn from(info: meerslag_search::Info) -> Info {
        Info {
            depth: info.depth,
            mean_depth: info.mean_depth,
            max_depth: info.max_depth,
            score: info.score.hundredths(),
            bound: match info.bound {
                Bound::Exact => "exact",
                Bound::Lower => "lower",
                Bound::Upper => "upper",
            },
            plies_to_end: info.score.plies_to_end(),
            nodes: info.nodes,
            probes: info.probes,
            time: info.time.as_secs_f64(),
            hashfull: info.hashfull,
            multipv: info.multipv,
            pv: info.pv.into_iter().map(Move).collect(),
        }
    }
}

#[pymethods]
impl Info {
    fn __repr__(&self) -> String {
        let pv: Vec<_> = self.pv.iter().map(|mv| mv.0.to_string()).collect();
        format!("<Info: depth {}, score {}, {}>", self.depth, self.score, pv.join(" "))
    }
}

/// The result of a search.
#[pyclass(module = "meerslag", frozen, get_all)]
pub struct SearchResult {
    /// The best move; ``None`` only where there is no legal move.
    best: Option<Move>,
    /// The expected reply.
    ponder: Option<Move>,
    /// Whether the move comes from the opening book, without a search.
    is_book: bool,
    /// The last report of the best move.
    info: Info,
    /// The last report of each of the ``multipv`` best moves, best first.
    lines: Vec<Info>,
}

#[pymethods]
impl SearchResult {
    fn __repr__(&self) -> String {
        let best = self.best.map_or_else(|| "no move".to_owned(), |mv| mv.0.to_string());
        format!("<SearchResult: {best}, score {}>", self.info.score)
    }
}

/// The search. It keeps its transposition table from one search to the next.
///
/// Args:
///     hash_mib: size of the transposition table in MiB.
///     threads: search threads, 1 to 256. One makes searches to a depth or node limit repeatable.
///     draw_rules: the draw rules that the search believes in, see ``Game.status``.
///     draw_score: what a draw is worth to the side to move, -100 to 100 hundredths of a man.
///     egdb: folders with endgame databases; without them those of up to four pieces that are
///         part of the package.
///     egdb_pieces: the largest piece count to look up; 0 uses no databases.
///     egdb_cache_mib: memory for a cache of their blocks in MiB; 0 maps the files into memory.
///     evaluation: a file with weights, or ``material``; without it the one in the package.
///     book: an opening book, from which moves are played without a search; not with ``multipv``
///         and ``infinite``.
///
/// Raises:
///     ValueError: an option is out of range, or the weights cannot be read.
///     DatabaseError: the databases cannot be opened.
///     MemoryError: there is no memory for the table.
#[pyclass(module = "meerslag", frozen)]
pub struct Engine {
    pub engine: Mutex<meerslag_search::Engine>,
    pub control: Control,
}

fn engine_error(error: EngineError) -> PyErr {
    match error {
        EngineError::Databases(error) => DatabaseError::new_err(with_causes(&error)),
        EngineError::OutOfMemory(error) => PyMemoryError::new_err(with_causes(&error)),
        error => value_error(error),
    }
}

/// A number of seconds, with its name for an error.
pub fn seconds(name: &str, value: f64) -> PyResult<Duration> {
    if (0.001..=MAX_SECONDS).contains(&value) {
        return Ok(Duration::from_secs_f64(value));
    }
    let text = format!("{name} is {value}: expected seconds from 0.001 to {MAX_SECONDS:.0}");
    Err(PyValueError::new_err(text))
}

/// A depth, nodes, seconds and a clock, each as far as it is given.
pub fn limits(
    depth: Option<u32>,
    nodes: Option<u64>,
    time: Option<f64>,
    clock: Option<(f64, f64)>,
) -> PyResult<Limits> {
    if depth == Some(0) || nodes == Some(0) {
        return Err(PyValueError::new_err("depth and nodes: expected at least 1"));
    }
    if let Some((left, increment)) = clock
        && !(left.abs() <= MAX_SECONDS && (0.0..=MAX_SECONDS).contains(&increment))
    {
        let text = format!("clock is ({left}, {increment}): expected two numbers of seconds");
        return Err(PyValueError::new_err(text));
    }
    let move_time = time.map(|time| seconds("time", time)).transpose()?;
    let clock = clock.map(|(time, inc)| Clock { time, inc, moves: None });
    Ok(Limits { depth, nodes, move_time, clock, ..Limits::infinite(Mode::Think) })
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (*, hash_mib = 64, threads = 1, draw_rules = "lidraughts", draw_score = 0,
                        egdb = None, egdb_pieces = None, egdb_cache_mib = 0, evaluation = "",
                        book = None))]
    #[expect(clippy::too_many_arguments, reason = "named ones, of which each has a default")]
    fn new(
        py: Python<'_>,
        hash_mib: usize,
        threads: usize,
        draw_rules: &str,
        draw_score: i32,
        egdb: Option<Vec<PathBuf>>,
        egdb_pieces: Option<u8>,
        egdb_cache_mib: usize,
        evaluation: &str,
        book: Option<Py<Book>>,
    ) -> PyResult<Engine> {
        let options = EngineOptions {
            hash_mib,
            threads,
            draw_rules: self::draw_rules(draw_rules)?,
            draw_score: Score::new(draw_score),
            databases: databases::options(egdb, egdb_pieces, egdb_cache_mib)?,
            evaluation: Evaluation::named(evaluation, Variant::International)
                .map_err(value_error)?,
            book: book.map(|book| BookOptions::new(Arc::clone(&book.get().0))),
            ..EngineOptions::default()
        };
        Engine::with(py, options)
    }

    /// Searches the current position of a game, or a position. Other threads of Python run
    /// meanwhile. It ends at the first limit reached, by ``stop``, or by Ctrl-C.
    ///
    /// Args:
    ///     game: a ``Game``, whose repetitions count, a ``Position``, or its text.
    ///     depth: plies of the last iteration, from 1.
    ///     nodes: positions to search; kept exactly with one thread.
    ///     time: seconds, never exceeded.
    ///     clock: seconds left and increment in seconds; the engine decides how much to use.
    ///     infinite: search until ``stop``; one of the limits must be given otherwise.
    ///     multipv: how many of the best moves to find: ``lines`` of the result.
    ///     level: a playing level from 1 to 10; below 10 it limits ``nodes`` and needs no other limit.
    ///     only: the moves to choose from; all without any.
    ///     without: moves that are not wanted.
    ///     on_info: called with an ``Info`` for each report. An exception from it ends the
    ///         search and is raised again.
    ///
    /// Raises:
    ///     ValueError: a limit is out of range, there is none, or no move is left.
    ///     IllegalMoveError: one of the moves is not legal.
    ///     RuntimeError: another thread is searching with this engine.
    #[pyo3(signature = (game, *, depth = None, nodes = None, time = None, clock = None,
                        infinite = false, multipv = 1, level = None, only = Vec::new(),
                        without = Vec::new(),
                        on_info: "Callable[[Info], object] | None" = None))]
    #[expect(clippy::too_many_arguments, reason = "named ones, of which each has a default")]
    fn search(
        &self,
        py: Python<'_>,
        game: GameOrPosition,
        depth: Option<u32>,
        nodes: Option<u64>,
        time: Option<f64>,
        clock: Option<(f64, f64)>,
        infinite: bool,
        multipv: usize,
        level: Option<u8>,
        only: Vec<MoveOrText>,
        without: Vec<MoveOrText>,
        on_info: Option<Py<PyAny>>,
    ) -> PyResult<SearchResult> {
        let game = game.game()?;
        let position = game.position();
        let moves = |given: Vec<MoveOrText>| -> PyResult<Vec<movegen::Move>> {
            given.into_iter().map(|mv| mv.resolve(position)).collect()
        };
        let moves = root_moves(position, &moves(only)?, &moves(without)?).map_err(value_error)?;
        let most = match level {
            None => None,
            Some(number) => PlayingLevel::new(number)
                .ok_or_else(|| {
                    let (least, most) = (PlayingLevel::MIN, PlayingLevel::MAX);
                    let text = format!("level is {number}: expected {least} to {most}");
                    PyValueError::new_err(text)
                })?
                .nodes(),
        };
        let given = self::limits(depth, nodes, time, clock)?;
        let limits = Limits {
            nodes: nodes.into_iter().chain(most).min(),
            mode: if infinite { Mode::Analyze } else { Mode::Think },
            multipv,
            moves,
            ..given
        };
        if limits.is_infinite() && !infinite {
            let text = "no limit: expected depth, nodes, time, clock, level or infinite=True";
            return Err(PyValueError::new_err(text));
        }
        py.detach(|| self.search_detached(&game, &limits, on_info.as_ref()))
    }

    /// Ends the search that is running, which returns the best move found so far. For another
    /// thread, or ``on_info``.
    fn stop(&self) {
        self.control.stop();
    }

    /// Forgets everything learnt: the next search does not depend on earlier ones.
    ///
    /// Raises:
    ///     RuntimeError: another thread is searching with this engine.
    fn new_game(&self) -> PyResult<()> {
        self.engine.try_lock().map_err(|_| busy())?.new_game();
        Ok(())
    }
}

pub fn busy() -> PyErr {
    PyRuntimeError::new_err("another thread is searching with this engine")
}

impl Engine {
    /// An engine with these options.
    pub fn with(py: Python<'_>, options: EngineOptions) -> PyResult<Engine> {
        let engine = py.detach(|| meerslag_search::Engine::new(options)).map_err(engine_error)?;
        Ok(Engine { engine: Mutex::new(engine), control: Control::new() })
    }

    /// The engine that was given, or a new one with the default options.
    pub fn given_or_new(py: Python<'_>, engine: Option<Py<Engine>>) -> PyResult<Py<Engine>> {
        let new = || Py::new(py, Engine::with(py, EngineOptions::default())?);
        engine.map_or_else(new, Ok)
    }

    fn search_detached(
        &self,
        game: &movegen::Game,
        limits: &Limits,
        on_info: Option<&Py<PyAny>>,
    ) -> PyResult<SearchResult> {
        let report = |info: meerslag_search::Info| work::call(on_info, (Info::from(info),));
        let (result, lines) = work::run(
            || self.control.stop(),
            report,
            |reports| {
                let Ok(mut engine) = self.engine.try_lock() else { return Err(busy()) };
                self.control.reset();
                let mut lines: Vec<meerslag_search::Info> = Vec::new();
                let mut report = |info: &meerslag_search::Info| {
                    match lines.iter_mut().find(|line| line.multipv == info.multipv) {
                        Some(line) => line.clone_from(info),
                        None => lines.push(info.clone()),
                    }
                    // The other end waits until this one is dropped.
                    if on_info.is_some() {
                        let _ = reports.send(info.clone());
                    }
                };
                let result = engine.search(game, limits, &self.control, &mut report);
                lines.sort_by_key(|line| line.multipv);
                Ok((result, lines))
            },
        )??;
        // The first line is the result's own, also where nothing was reported.
        let first = std::iter::once(result.info.clone());
        let lines = first.chain(lines.into_iter().filter(|line| line.multipv > 1));
        Ok(SearchResult {
            best: result.best.map(Move),
            ponder: result.ponder.map(Move),
            is_book: result.info.is_book,
            info: result.info.into(),
            lines: lines.map(Info::from).collect(),
        })
    }
}
