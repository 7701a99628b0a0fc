//! Puzzles from games, and exercises: what there is to solve in a file, and how it is known.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use meerslag_files::with_causes;
use meerslag_search::{Control, Limits};
use meerslag_study::puzzles::{self as study, ExerciseList, FoundPuzzle, RepetitionError};
use movegen::notation::pdn;
use movegen::words::Words;
use parking_lot::Mutex;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;

use crate::annotate::{AnyGame, analysis_limits, texts};
use crate::board::{Move, MoveOrText, Position};
use crate::engine::{Engine, busy};
use crate::pdn::PdnGame;
use crate::work;

/// A position of a game where only one move wins, or only one holds the draw.
#[pyclass(module = "meerslag", frozen, get_all)]
#[derive(Clone)]
pub struct Puzzle {
    /// The position.
    position: Position,
    /// The solution to its end, with the best answers.
    solution: Vec<Move>,
    /// What the side to move achieves: ``win`` or ``draw``.
    goal: &'static str,
    /// Pieces that the opponent captures.
    given: u32,
    /// Whether a man becomes a king that is on the board at the end.
    king: bool,
    /// Whether it is a Turkish strike (coup turc).
    turkish: bool,
    /// The same in words, such as ``win, 3 pieces given``.
    theme: String,
    /// The lowest playing level that finds the first move, 1 to 10.
    rating: u8,
    /// Nodes after which a search has found the first move for good.
    nodes: u64,
    /// The value of the solution to the side to move, in men.
    score: f64,
    /// How much less the second best move is worth, in men.
    margin: f64,
    /// The place of its game among those that were given, from 0.
    game: usize,
    /// Moves of both sides before the position.
    ply: usize,
    /// The puzzle as a game: the solution as its moves, theme and rating as tags.
    pdn: PdnGame,
}

impl Puzzle {
    fn new(puzzle: study::Puzzle, games: &[pdn::PdnGame], words: &Words) -> Puzzle {
        let source = format!("game {}, ply {}", puzzle.game, puzzle.ply);
        let game = puzzle.game - 1;
        let pdn = PdnGame(study::to_pdn(&puzzle, &games[game], &source, words));
        Puzzle {
            position: Position(puzzle.position),
            goal: puzzle.themes.goal.name(),
            given: puzzle.themes.given,
            king: puzzle.themes.king,
            turkish: puzzle.themes.turkish,
            theme: puzzle.themes.to_string(),
            rating: puzzle.rating,
            nodes: puzzle.nodes,
            score: puzzle.score,
            margin: puzzle.margin,
            game,
            ply: puzzle.ply,
            solution: puzzle.solution.into_iter().map(Move).collect(),
            pdn,
        }
    }
}

#[pymethods]
impl Puzzle {
    fn __repr__(&self) -> String {
        format!("<Puzzle: {}, {}, level {}>", self.position.0.to_fen(), self.theme, self.rating)
    }
}

/// Finds puzzles in games: positions where only one move wins, or only one holds the draw, and a search
/// of one ply does not see it. Sacrifices come first; of equal positions, turned ones too, there is one.
/// Other threads of Python run meanwhile; Ctrl-C ends it.
///
/// Args:
///     games: each a ``Game`` or a ``PdnGame``.
///     engine: the engine that searches, with whose endgame databases; a new ``Engine()`` without it. It forgets
///         what it has learnt.
///     depth: plies of each search.
///     nodes: nodes of each search; 200,000 where no limit is given.
///     time: seconds of each search.
///     language: the language of comments, as for ``annotate``.
///     on_progress: called with the number of finished and of all games. An exception from it
///         ends the work and is raised again.
///
/// Raises:
///     ValueError: a limit is out of range, or the language is not known.
///     RuntimeError: another thread is searching with this engine, or has stopped it.
#[pyfunction]
#[pyo3(signature = (games, *, engine = None, depth = None, nodes = None, time = None,
                    language = "en",
                    on_progress: "Callable[[int, int], object] | None" = None))]
#[expect(clippy::too_many_arguments, reason = "named ones, of which each has a default")]
pub fn find_puzzles(
    py: Python<'_>,
    games: Vec<AnyGame>,
    engine: Option<Py<Engine>>,
    depth: Option<u32>,
    nodes: Option<u64>,
    time: Option<f64>,
    language: &str,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Puzzle>> {
    let limits = analysis_limits(depth, nodes, time)?;
    let words = texts(language)?;
    let games: Vec<_> = games.into_iter().map(AnyGame::pdn).collect();
    let engine = Engine::given_or_new(py, engine)?;
    let engine = engine.get();
    py.detach(|| puzzles(&games, engine, &limits, &words, on_progress.as_ref()))
}

fn puzzles(
    games: &[pdn::PdnGame],
    engine: &Engine,
    limits: &Limits,
    words: &Words,
    on_progress: Option<&Py<PyAny>>,
) -> PyResult<Vec<Puzzle>> {
    let control: &Control = &engine.control;
    let progress = |done: usize| work::call(on_progress, (done, games.len()));
    let found = work::run(
        || control.stop(),
        progress,
        |progress| {
            let Ok(mut searcher) = engine.engine.try_lock() else { return Err(busy()) };
            control.reset();
            let mut found: Vec<Vec<FoundPuzzle>> = Vec::new();
            for game in games {
                let stopped = || PyRuntimeError::new_err("the engine was stopped");
                let puzzles = study::puzzles_of_game(&mut searcher, game, limits, control);
                found.push(puzzles.ok_or_else(stopped)?);
                // The other end waits until this one is dropped.
                let _ = progress.send(found.len());
            }
            Ok(found)
        },
    )??;
    let puzzles = study::collect(games, |number| found.get(number - 1).map(Vec::as_slice));
    Ok(puzzles.into_iter().map(|puzzle| Puzzle::new(puzzle, games, words)).collect())
}

/// A position where a move is to be found: a puzzle, or a mistake of an annotated game.
#[pyclass(module = "meerslag", frozen, eq, from_py_object)]
#[derive(Clone, PartialEq, Eq)]
pub struct Exercise(study::Exercise);

#[pymethods]
impl Exercise {
    /// ``puzzle``: the solution is to be found to its end; ``mistake``: a better move than the one that
    /// was played, and others may be as good as the solution.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind.name()
    }

    /// The position.
    #[getter]
    fn position(&self) -> Position {
        Position(self.0.position)
    }

    /// The solution, with the answers of the other side.
    #[getter]
    fn solution(&self) -> Vec<Move> {
        self.0.solution.iter().copied().map(Move).collect()
    }

    /// What the side to move gets, ``win`` or ``draw``; ``None`` where the game does not say so.
    #[getter]
    fn goal(&self) -> Option<&'static str> {
        self.0.goal.map(egdb::Wld::name)
    }

    /// The move that was played, of a mistake.
    #[getter]
    fn played(&self) -> Option<Move> {
        self.0.played.map(Move)
    }

    /// Moves of both sides in the game before the position.
    #[getter]
    fn ply(&self) -> usize {
        self.0.ply
    }

    /// The task, such as ``White to move and win``.
    #[getter]
    fn task(&self) -> String {
        self.0.task()
    }

    /// Players, date and, of a mistake, the number of the move; ``""`` if nothing is known.
    #[getter]
    fn origin(&self) -> String {
        self.0.origin()
    }

    /// The themes of a puzzle's solution, or ``None``.
    #[getter]
    fn theme(&self) -> Option<&str> {
        self.0.theme.as_deref()
    }

    /// Whether a move is right after this many moves of the solution: the move of the solution, or as
    /// the last one any capture. For a mistake, other moves may be good, too: ``annotate`` says so.
    ///
    /// Raises:
    ///     IllegalMoveError: the move is not legal there.
    #[pyo3(signature = (r#move, after = 0))]
    fn is_right(&self, r#move: MoveOrText, after: usize) -> PyResult<bool> {
        let made = self.0.solution.iter().take(after);
        let position = made.fold(self.0.position, |position, &mv| position.after(mv));
        Ok(self.0.is_right(after, r#move.resolve(&position)?))
    }

    fn __repr__(&self) -> String {
        format!("<Exercise: {}, {}>", self.0.task(), self.0.position.to_fen())
    }
}

/// The exercises in games: puzzles, as ``find_puzzles`` and ``meerslag puzzles`` make them, and
/// the mistakes that ``annotate`` has marked. Of equal positions the first one.
///
/// Args:
///     games: ``PdnGame``, such as those of ``open_pdn``, a ``GamesFile``, or a list.
#[pyfunction]
#[pyo3(signature = (games: "Iterable[PdnGame]"))]
pub fn exercises(games: &Bound<'_, PyAny>) -> PyResult<Vec<Exercise>> {
    let mut exercises = ExerciseList::default();
    for game in games.try_iter()? {
        exercises.add(&game?.extract::<PdnGame>()?.0);
    }
    Ok(exercises.list().iter().cloned().map(Exercise).collect())
}

/// How well an exercise is known.
#[pyclass(module = "meerslag", frozen, eq, get_all)]
#[derive(Clone, PartialEq)]
pub struct ExerciseStanding {
    /// Times that it was solved alone.
    right: u32,
    /// Times that it was not.
    wrong: u32,
    /// When it is to be repeated, in seconds since 1970; ``None`` if it is new or known.
    due: Option<f64>,
}

#[pymethods]
impl ExerciseStanding {
    fn __repr__(&self) -> String {
        let due = self.due.map_or_else(String::new, |due| format!(", due {due:.0}"));
        format!("<ExerciseStanding: {} right, {} wrong{due}>", self.right, self.wrong)
    }
}

/// How many exercises are in each state.
#[pyclass(module = "meerslag", frozen, eq, get_all)]
#[derive(Clone, PartialEq, Eq)]
pub struct ExerciseTally {
    /// To be repeated now.
    due: usize,
    /// Never tried.
    new: usize,
    /// To be repeated later.
    later: usize,
    /// Known for good.
    known: usize,
}

#[pymethods]
impl ExerciseTally {
    fn __repr__(&self) -> String {
        let ExerciseTally { due, new, later, known } = self;
        format!("<ExerciseTally: {due} due, {new} new, {later} later, {known} known>")
    }
}

/// The scores of exercises, in a file: those not solved alone come again after ten minutes, then after
/// 1, 3, 7, 21 and 60 days.
///
/// Every method takes the time as ``now``, in seconds since 1970; without it, the current time.
///
/// Args:
///     path: the file, which is made if it is missing. While it is open no other process can open it;
///         ``close`` or the end of a ``with`` block closes it.
///
/// Raises:
///     OSError: the file cannot be read and written.
///     RepetitionError: it is something else, or another process has it.
#[pyclass(module = "meerslag", frozen)]
pub struct Repetition {
    scores: Mutex<Option<study::Repetition>>,
    /// The numbers of damaged lines, from 1: what they said is forgotten.
    #[pyo3(get)]
    damaged: Vec<usize>,
}

fn failed(error: RepetitionError) -> PyErr {
    let text = with_causes(&error);
    match error {
        RepetitionError::Io { .. } => PyOSError::new_err(text),
        RepetitionError::InUse(_) | RepetitionError::Other(_) => {
            crate::RepetitionError::new_err(text)
        }
    }
}

/// Seconds since 1970.
fn seconds(now: Option<f64>) -> u64 {
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |it| it.as_secs_f64());
    // What is no number, or before 1970, is 0.
    now.unwrap_or_else(clock) as u64
}

impl Repetition {
    fn with<T>(&self, ask: impl FnOnce(&mut study::Repetition) -> PyResult<T>) -> PyResult<T> {
        let closed = || crate::RepetitionError::new_err("the file of scores is closed");
        ask(self.scores.lock().as_mut().ok_or_else(closed)?)
    }
}

fn ids(exercises: &[Exercise]) -> Vec<String> {
    exercises.iter().map(|exercise| exercise.0.id()).collect()
}

#[pymethods]
impl Repetition {
    #[new]
    fn new(path: PathBuf) -> PyResult<Repetition> {
        let mut damaged = Vec::new();
        let scores = study::Repetition::open(&path, |line| damaged.push(line)).map_err(failed)?;
        Ok(Repetition { scores: Mutex::new(Some(scores)), damaged })
    }

    /// How well an exercise is known.
    fn standing(&self, exercise: &Exercise) -> PyResult<ExerciseStanding> {
        self.with(|scores| {
            let study::Standing { right, wrong, repeat } = scores.of(&exercise.0.id());
            Ok(ExerciseStanding { right, wrong, due: repeat.map(|repeat| repeat.due as f64) })
        })
    }

    /// It was solved alone: what is being repeated comes later next time.
    #[pyo3(signature = (exercise, *, now = None))]
    fn right(&self, exercise: &Exercise, now: Option<f64>) -> PyResult<()> {
        self.with(|scores| scores.right(&exercise.0.id(), seconds(now)).map_err(failed))
    }

    /// It was not solved alone: it comes again soon.
    #[pyo3(signature = (exercise, *, now = None))]
    fn wrong(&self, exercise: &Exercise, now: Option<f64>) -> PyResult<()> {
        self.with(|scores| scores.wrong(&exercise.0.id(), seconds(now)).map_err(failed))
    }

    /// The next exercise: what is due, the longest due first, then what is new, then what is to be
    /// repeated later. ``None`` if all are known.
    #[pyo3(signature = (exercises, *, now = None))]
    fn next(&self, exercises: Vec<Exercise>, now: Option<f64>) -> PyResult<Option<Exercise>> {
        let ids = ids(&exercises);
        let place =
            self.with(|scores| Ok(scores.next(ids.iter().map(String::as_str), seconds(now))))?;
        Ok(place.and_then(|place| exercises.get(place).cloned()))
    }

    /// How many of these exercises are in each state.
    #[pyo3(signature = (exercises, *, now = None))]
    fn tally(&self, exercises: Vec<Exercise>, now: Option<f64>) -> PyResult<ExerciseTally> {
        let ids = ids(&exercises);
        self.with(|scores| {
            let study::ExerciseTally { due, new, later, known } =
                scores.tally(ids.iter().map(String::as_str), seconds(now));
            Ok(ExerciseTally { due, new, later, known })
        })
    }

    /// Closes the file.
    fn close(&self) {
        self.scores.lock().take();
    }

    fn __enter__(scores: PyRef<'_, Self>) -> PyRef<'_, Self> {
        scores
    }

    fn __exit__(
        &self,
        _type: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) {
        self.close();
    }
}
