//! Games with every move judged.

use meerslag_pages::{LANGUAGES, words};
use meerslag_search::{Control, Limits, Mode};
use meerslag_study::annotate::{self as study, PositionAnalysis, StrengthRange};
use movegen::DrawRules;
use movegen::notation::pdn::{self, Signs};
use movegen::words::Words;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::board::{Move, Position};
use crate::databases::{Wld, failed, open_failed};
use crate::engine::{Engine, busy, limits};
use crate::game::Game;
use crate::pdn::PdnGame;
use crate::work;

/// Nodes of the search of a position when no limit is given, as for `meerslag annotate`.
const DEFAULT_NODES: u64 = 200_000;

/// A game, with or without what PDN adds.
#[derive(FromPyObject)]
pub enum AnyGame {
    #[pyo3(transparent, annotation = "PdnGame")]
    Pdn(PdnGame),
    #[pyo3(transparent, annotation = "Game")]
    Game(Game),
}

impl AnyGame {
    pub fn pdn(self) -> pdn::PdnGame {
        match self {
            AnyGame::Pdn(game) => game.0,
            AnyGame::Game(game) => {
                let result = game.0.status(DrawRules::default()).into();
                pdn::PdnGame { result, ..game.pdn() }
            }
        }
    }
}

/// A move and what it gave away. Points are the expected ones of the side that made it: 1.0 for a
/// certain win, 0.5 for a draw.
#[pyclass(module = "meerslag", frozen, get_all)]
#[derive(Clone)]
pub struct JudgedMove {
    /// The position before the move.
    position: Position,
    /// The move.
    #[pyo3(name = "move")]
    mv: Move,
    /// ``good``, ``inaccuracy`` (5 % of the points and more), ``mistake`` (10 %) or ``blunder`` (20 %).
    grade: &'static str,
    /// Points that the position promised.
    before: f64,
    /// Points that are left after the move.
    after: f64,
    /// Points that the move gave away.
    drop: f64,
    /// A better move than this one, if it was bad.
    better: Option<Move>,
    /// The best line from the position.
    line: Vec<Move>,
    /// White's score after the move, in men; beyond 80 a proven end.
    score: f64,
    /// The depth of the search of the position; 0 if it was none.
    depth: u32,
    /// The value of the position by the endgame databases, or ``None`` where they do not reach.
    exact: Option<Wld>,
    /// Whether there was no other move.
    is_forced: bool,
    /// The remark on the move, often none: ``Mistake: from 50 % to 31 % of the
    /// points; better 32-28.``
    text: String,
}

impl JudgedMove {
    fn new(judged: &study::JudgedMove, words: &Words) -> JudgedMove {
        JudgedMove {
            position: Position(judged.position),
            mv: Move(judged.mv),
            grade: judged.grade.name(),
            before: judged.before.expected(),
            after: judged.after.expected(),
            drop: judged.drop(),
            better: judged.better().map(Move),
            line: judged.line.iter().copied().map(Move).collect(),
            score: judged.score,
            depth: judged.depth,
            exact: judged.exact.as_ref().map(|exact| exact.value.into()),
            is_forced: judged.is_forced,
            text: study::describe(judged, words),
        }
    }
}

#[pymethods]
impl JudgedMove {
    fn __repr__(&self) -> String {
        format!("<JudgedMove: {}, {}>", self.mv.0, self.grade)
    }
}

/// How one side played.
#[pyclass(module = "meerslag", frozen, get_all)]
#[derive(Clone)]
pub struct SideSummary {
    /// Moves where there was a choice.
    moves: u32,
    /// The part of what was at stake that the moves kept, in percent; ``None`` where nothing was.
    accuracy: Option<f64>,
    /// Moves that gave away 5 to 10 % of the points.
    inaccuracies: u32,
    /// Moves that gave away 10 to 20 %.
    mistakes: u32,
    /// Moves that gave away more.
    blunders: u32,
    /// The playing level that plays about as well; ``None`` with fewer than 40 moves.
    level: Option<u8>,
}

impl From<&pdn::SideSummary> for SideSummary {
    fn from(play: &pdn::SideSummary) -> SideSummary {
        let [inaccuracies, mistakes, blunders] = play.grades;
        let level = StrengthRange::of(play).map(|strength| strength.mean.level);
        let accuracy = play.accuracy();
        SideSummary { moves: play.moves, accuracy, inaccuracies, mistakes, blunders, level }
    }
}

#[pymethods]
impl SideSummary {
    fn __repr__(&self) -> String {
        let SideSummary { moves, accuracy, inaccuracies, mistakes, blunders, .. } = self;
        let accuracy =
            accuracy.map_or_else(|| "no".to_owned(), |percent| format!("{percent:.1} %"));
        format!(
            "<SideSummary: {accuracy} accuracy, {moves} moves, {inaccuracies} inaccuracies, \
             {mistakes} mistakes, {blunders} blunders>"
        )
    }
}

/// A game with every move judged.
#[pyclass(module = "meerslag", frozen, get_all)]
pub struct Annotation {
    /// The game with scores (``[%eval]``), glyphs for bad moves, what is to be said of them, and the
    /// best lines as variations. Comments and variations that were there stay.
    game: PdnGame,
    /// The moves of the main line.
    moves: Vec<JudgedMove>,
    /// How White played.
    white: SideSummary,
    /// How Black played.
    black: SideSummary,
    /// The place in ``moves`` of the move that gave away most, if it was a mistake.
    turning_point: Option<usize>,
}

#[pymethods]
impl Annotation {
    fn __repr__(&self) -> String {
        let bad = self.moves.iter().filter(|judged| judged.grade != "good").count();
        format!("<Annotation: {} moves, {bad} of them bad>", self.moves.len())
    }
}

/// Searches every position of a game, from the end to the beginning, and judges each move. Other
/// threads of Python run meanwhile; Ctrl-C ends it.
///
/// Args:
///     game: a ``Game`` or a ``PdnGame``, which stays as it is.
///     engine: the engine that searches, whose endgame databases have the last word; a new ``Engine()``
///         without it. It forgets what it has learnt.
///     depth: plies of the search of each position.
///     nodes: positions that the search of each position looks at; 200,000 where no limit is given.
///     time: seconds for each position.
///     signs: what the signs of moves mean: "draughts", where an inaccuracy has only the word, or
///         "chess", where its sign is ``?!``.
///     language: the language of comments and remarks: "en", "nl", "fr", "ru", "de", "pl", "es" or
///         "pt".
///     on_progress: called with the number of finished and of all positions. An exception from it
///         ends the work and is raised again.
///
/// Raises:
///     ValueError: a limit is out of range, or the signs or the language are not known.
///     DatabaseError: a database is damaged.
///     RuntimeError: another thread is searching with this engine, or has stopped it.
#[pyfunction]
#[pyo3(signature = (game, *, engine = None, depth = None, nodes = None, time = None,
                    signs = "draughts", language = "en",
                    on_progress: "Callable[[int, int], object] | None" = None))]
#[expect(clippy::too_many_arguments, reason = "named ones, of which each has a default")]
pub fn annotate(
    py: Python<'_>,
    game: AnyGame,
    engine: Option<Py<Engine>>,
    depth: Option<u32>,
    nodes: Option<u64>,
    time: Option<f64>,
    signs: &str,
    language: &str,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Annotation> {
    let limits = analysis_limits(depth, nodes, time)?;
    let signs = Signs::ALL.into_iter().find(|known| known.name() == signs);
    let signs = signs.ok_or_else(|| PyValueError::new_err("signs: expected draughts or chess"))?;
    let how = (signs, &texts(language)?);
    let engine = Engine::given_or_new(py, engine)?;
    let engine = engine.get();
    py.detach(|| annotation(game.pdn(), engine, &limits, how, on_progress.as_ref()))
}

/// The texts of this language.
pub fn texts(language: &str) -> PyResult<Words> {
    let known = LANGUAGES.join(", ");
    let unknown = || PyValueError::new_err(format!("language: expected one of {known}"));
    LANGUAGES.contains(&language).then(|| words(language)).ok_or_else(unknown)
}

/// The limits of each search of games.
pub fn analysis_limits(
    depth: Option<u32>,
    nodes: Option<u64>,
    time: Option<f64>,
) -> PyResult<Limits> {
    let limits = match limits(depth, nodes, time, None)? {
        limits if limits.is_infinite() => Limits::nodes(DEFAULT_NODES),
        limits => limits,
    };
    Ok(Limits { mode: Mode::Analyze, ..limits })
}

fn annotation(
    mut game: pdn::PdnGame,
    engine: &Engine,
    limits: &Limits,
    (signs, words): (Signs, &Words),
    on_progress: Option<&Py<PyAny>>,
) -> PyResult<Annotation> {
    let control: &Control = &engine.control;
    let stop = || control.stop();
    let all = game.line.plies.len() + 1;
    let progress = |done: usize| work::call(on_progress, (done, all));
    let judged = work::run(stop, progress, |progress| {
        let Ok(mut searcher) = engine.engine.try_lock() else { return Err(busy()) };
        control.reset();
        searcher.new_game();
        let options = searcher.options().clone();
        let analyses = study::analyse_with(&game, options.draw_rules, |place, moment| {
            let found = searcher.search(moment, limits, control, &mut |_| {});
            // The other end waits until this one is dropped.
            let _ = progress.send(all.saturating_sub(place));
            (!control.is_stopped()).then(|| PositionAnalysis::from(&found.info))
        });
        let analyses = analyses.ok_or_else(|| {
            PyRuntimeError::new_err("the engine was stopped before all positions were searched")
        })?;
        let probe = options.databases.open().map_err(|error| open_failed(&error))?;
        study::judge(&game, &analyses, &probe).map_err(|error| failed(&error))
    })??;
    study::write(&mut game, &judged, signs, words);
    let [black, white] = &judged.sides;
    Ok(Annotation {
        game: PdnGame(game),
        moves: judged.moves.iter().map(|it| JudgedMove::new(it, words)).collect(),
        white: white.into(),
        black: black.into(),
        turning_point: judged.turning_point(),
    })
}
