//! Endgame databases.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use egdb::DatabaseOptions;
use egdb::error::{OpenError, ProbeError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::DatabaseError;
use crate::board::Move;
use crate::game::{GameOrPosition, PositionOrText, draw_rules};
use crate::work;
use meerslag_files::with_causes;
use meerslag_study::solve;
use movegen::notation::pdn::{WriteOptions, game_to_string};
use movegen::{DrawRules, Game};

/// The exact game value for the side to move.
#[pyclass(module = "meerslag", frozen, eq, hash, rename_all = "UPPERCASE")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wld {
    /// The side to move wins.
    Win,
    /// The side to move loses.
    Loss,
    /// Neither side can win.
    Draw,
}

impl From<egdb::Wld> for Wld {
    fn from(value: egdb::Wld) -> Wld {
        match value {
            egdb::Wld::Win => Wld::Win,
            egdb::Wld::Loss => Wld::Loss,
            egdb::Wld::Draw => Wld::Draw,
        }
    }
}

/// The result of a move, from the view of the side that makes it; numbers count from before the
/// move, so those of the best move are the position's own.
#[pyclass(module = "meerslag", frozen, get_all)]
#[derive(Clone)]
pub struct MoveAnswer {
    /// The move.
    #[pyo3(name = "move")]
    mv: Move,
    /// The game value, or ``None`` where the databases do not reach.
    wld: Option<Wld>,
    /// Plies to the end of the game.
    dtw: Option<u32>,
    /// Distance to conversion: plies to a capture or a move of a man.
    mtc: Option<u32>,
}

#[pymethods]
impl MoveAnswer {
    fn __repr__(&self) -> String {
        format!("<MoveAnswer: {} {}>", self.mv.0, words(self.wld, self.dtw, self.mtc))
    }
}

/// The moves of a position that are equally good.
#[pyclass(module = "meerslag", frozen, eq, get_all)]
#[derive(Clone, PartialEq, Eq)]
pub struct EqualMoves {
    /// All that keep the value of the position, if that is known.
    keep_value: Vec<Move>,
    /// Of these, all that keep to the shortest win or the longest defence; empty in a draw, or if no
    /// distance is known.
    keep_distance: Vec<Move>,
    /// Those that may keep the value: the search could not tell.
    unsettled: Vec<Move>,
}

impl From<&solve::EqualMoves> for EqualMoves {
    fn from(equal: &solve::EqualMoves) -> EqualMoves {
        let moves = |list: &[movegen::Move]| list.iter().copied().map(Move).collect();
        EqualMoves {
            keep_value: moves(&equal.keep_value),
            keep_distance: moves(&equal.keep_distance),
            unsettled: moves(&equal.unsettled),
        }
    }
}

#[pymethods]
impl EqualMoves {
    fn __repr__(&self) -> String {
        let (value, distance) = (self.keep_value.len(), self.keep_distance.len());
        format!("<EqualMoves: {value} keep the value, {distance} of them the distance>")
    }
}

/// Everything that is known about a position, from the view of the side to move.
#[pyclass(module = "meerslag", frozen, get_all)]
pub struct Answer {
    /// The game value, or ``None`` where the databases do not reach.
    wld: Option<Wld>,
    /// Plies to the end of the game if both sides play for or against that; of wins and losses.
    dtw: Option<u32>,
    /// Distance to conversion; of wins and losses.
    mtc: Option<u32>,
    /// All legal moves, best first.
    moves: Vec<MoveAnswer>,
    /// Those that are as good as the best one.
    equal: EqualMoves,
}

#[pymethods]
impl Answer {
    fn __repr__(&self) -> String {
        format!("<Answer: {}>", words(self.wld, self.dtw, self.mtc))
    }
}

fn words(wld: Option<Wld>, dtw: Option<u32>, mtc: Option<u32>) -> String {
    let mut text = match wld {
        None => "unknown",
        Some(Wld::Win) => "win",
        Some(Wld::Loss) => "loss",
        Some(Wld::Draw) => "draw",
    }
    .to_owned();
    for (name, number) in [("dtw", dtw), ("mtc", mtc)] {
        if let Some(number) = number {
            text += &format!(", {name} {number}");
        }
    }
    text
}

/// Which databases to use.
pub fn options(
    folders: Option<Vec<PathBuf>>,
    pieces: Option<u8>,
    cache_mib: usize,
) -> PyResult<DatabaseOptions> {
    let most = DatabaseOptions::MAX_PIECES;
    let pieces = pieces.unwrap_or(most);
    if pieces > most {
        return Err(PyValueError::new_err(format!("{pieces} pieces: expected 0 to {most}")));
    }
    if cache_mib > DatabaseOptions::MAX_CACHE_MIB {
        let most = DatabaseOptions::MAX_CACHE_MIB;
        return Err(PyValueError::new_err(format!("a cache of {cache_mib} MiB: at most {most}")));
    }
    Ok(DatabaseOptions {
        folders: folders.unwrap_or_default(),
        pieces,
        cache_mib,
        ..DatabaseOptions::none()
    })
}

pub fn failed(error: &ProbeError) -> PyErr {
    DatabaseError::new_err(with_causes(error))
}

pub fn open_failed(error: &OpenError) -> PyErr {
    DatabaseError::new_err(with_causes(error))
}

/// What is known about a solved position, from the view of the side to move.
#[pyclass(module = "meerslag", frozen, get_all)]
pub struct Solution {
    /// ``win``, ``draw``, ``loss``, ``at_least_draw``, ``at_most_draw`` or ``unknown``.
    value: &'static str,
    /// The value under the draw rules that count moves, with the counters of the game, see
    /// ``Probe.category``.
    category: Option<&'static str>,
    /// Plies to the end of the game, where the databases have them.
    dtw: Option<u32>,
    /// Distance to conversion, where the databases have it.
    mtc: Option<u32>,
    /// All legal moves with their values, best first.
    moves: Vec<(Move, &'static str)>,
    /// The best play of both sides in a win or loss; empty where it is not known.
    line: Vec<Move>,
    /// For each move of the line: those that are as good, itself among them.
    equal: Vec<EqualMoves>,
    /// Whether the winner has no other winning move anywhere in the line; ``None`` for a draw, or if
    /// it is not known.
    unique: Option<bool>,
    /// The line as a PDN game, with all defences and other winning moves as variations if ``tree`` asks
    /// for them; ``None`` without a line.
    pdn: Option<String>,
    /// Positions that the proof search visited.
    nodes: u64,
}

#[pymethods]
impl Solution {
    fn __repr__(&self) -> String {
        format!("<Solution: {}, {} plies>", self.value, self.line.len())
    }
}

/// Endgame databases that answer together, for every legal position with few enough pieces.
///
/// ``Probe()`` has the databases of up to four pieces that are part of the package. Any number of
/// threads may ask one probe.
///
/// Args:
///     folders: folders with databases of the Kingsrow formats, all of which are used.
///     pieces: the largest piece count to use.
///     cache_mib: memory for a cache of blocks in MiB; 0 maps the files into memory.
///
/// Raises:
///     DatabaseError: a folder has no databases, or they cannot be read.
#[pyclass(module = "meerslag", frozen)]
pub struct Probe(egdb::Probe);

#[pymethods]
impl Probe {
    #[new]
    #[pyo3(signature = (folders = None, *, pieces = None, cache_mib = 0))]
    fn new(
        py: Python<'_>,
        folders: Option<Vec<PathBuf>>,
        pieces: Option<u8>,
        cache_mib: usize,
    ) -> PyResult<Probe> {
        let options = options(folders, pieces, cache_mib)?;
        let probe = py.detach(|| options.open());
        probe.map(Probe).map_err(|error| open_failed(&error))
    }

    /// The largest piece count with values.
    #[getter]
    fn max_pieces(&self) -> u8 {
        self.0.max_pieces()
    }

    /// The game value, or ``None`` where the databases do not reach.
    fn wld(&self, py: Python<'_>, position: PositionOrText) -> PyResult<Option<Wld>> {
        let position = position.position()?;
        let value = py.detach(|| self.0.wld(&position)).map_err(|error| failed(&error))?;
        Ok(value.map(Wld::from))
    }

    /// Plies to the end of the game; ``None`` for a draw and where the databases do not reach.
    fn dtw(&self, py: Python<'_>, position: PositionOrText) -> PyResult<Option<u32>> {
        let position = position.position()?;
        py.detach(|| self.0.dtw(&position)).map_err(|error| failed(&error))
    }

    /// Distance to conversion, plies to a capture or a move of a man; ``None`` for a draw and
    /// where the databases do not reach.
    fn mtc(&self, py: Python<'_>, position: PositionOrText) -> PyResult<Option<u32>> {
        let position = position.position()?;
        py.detach(|| self.0.mtc(&position)).map_err(|error| failed(&error))
    }

    /// Everything at once: value, distances, and all legal moves with theirs, best first.
    fn answer(&self, py: Python<'_>, position: PositionOrText) -> PyResult<Answer> {
        let position = position.position()?;
        let answer = py.detach(|| self.0.answer(&position)).map_err(|error| failed(&error))?;
        let moves = answer.moves.iter().map(|answer| MoveAnswer {
            mv: Move(answer.mv),
            wld: answer.wld.map(Wld::from),
            dtw: answer.dtw,
            mtc: answer.mtc,
        });
        Ok(Answer {
            equal: EqualMoves::from(&solve::EqualMoves::from(&answer)),
            moves: moves.collect(),
            wld: answer.wld.map(Wld::from),
            dtw: answer.dtw,
            mtc: answer.mtc,
        })
    }

    /// The value under the draw rules that count moves, with the counters of the game or of a FEN
    /// (``:H``): ``win``, ``cursed-win`` (a draw by counting comes before the win), ``draw``,
    /// ``blessed-loss`` or ``loss``; ``None`` where the databases do not tell. See
    /// ``Game.plies_left``.
    #[pyo3(signature = (game, draw_rules = "lidraughts"))]
    fn category(
        &self,
        py: Python<'_>,
        game: GameOrPosition,
        draw_rules: &str,
    ) -> PyResult<Option<&'static str>> {
        let (game, rules) = (game.game()?, self::draw_rules(draw_rules)?);
        let category = py.detach(|| self.0.category(game.position(), game.counters(), rules));
        Ok(category.map_err(|error| failed(&error))?.map(egdb::Category::name))
    }

    /// Finds out what a position is worth, also outside the databases: by a proof search down to them.
    /// Ctrl-C ends it.
    ///
    /// Args:
    ///     position: the position, or a game that has come to it.
    ///     nodes: positions that the proof search looks at before it gives up.
    ///     hash_mib: its memory in MiB.
    ///     tree: most moves of the variations in ``Solution.pdn``.
    ///
    /// Raises:
    ///     DatabaseError: a database is damaged.
    #[pyo3(signature = (position, *, nodes = 20_000_000, hash_mib = 64, tree = 0))]
    fn solve(
        &self,
        py: Python<'_>,
        position: GameOrPosition,
        nodes: u64,
        hash_mib: usize,
        tree: usize,
    ) -> PyResult<Solution> {
        let game: Game = position.game()?;
        let options = solve::SolveOptions {
            nodes,
            hash_mib: hash_mib.max(1),
            tree_moves: tree,
            ..solve::SolveOptions::default()
        };
        let stop = AtomicBool::new(false);
        let solution = py.detach(|| {
            let tell = || stop.store(true, Ordering::Relaxed);
            work::run(
                tell,
                |(): ()| Ok(()),
                |_| {
                    let mut solver = solve::Solver::new(&self.0, options);
                    solver.solve_game(&game, DrawRules::default(), &stop)
                },
            )
        })?;
        let solution = solution.map_err(|error| failed(&error))?;
        let pdn = solution.to_pdn(&game, usize::MAX);
        let line = solution.line.as_ref();
        let plies = || line.into_iter().flat_map(|line| &line.plies);
        Ok(Solution {
            value: solution.value.name(),
            category: solution.category.map(egdb::Category::name),
            dtw: solution.dtw,
            mtc: solution.mtc,
            moves: solution.moves.iter().map(|of| (Move(of.mv), of.value.name())).collect(),
            line: plies().map(|ply| Move(ply.mv)).collect(),
            equal: plies().map(|ply| EqualMoves::from(&ply.equal)).collect(),
            unique: line.and_then(|line| line.is_unique(game.position().side_to_move())),
            pdn: pdn.map(|pdn| game_to_string(&pdn, &WriteOptions::default())),
            nodes: solution.nodes,
        })
    }

    fn __repr__(&self) -> String {
        format!("<Probe: up to {} pieces>", self.0.max_pieces())
    }
}
