//! Endgame databases.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use egdb::DatabaseOptions;
use egdb::error::{OpenError, ProbeError};
use meerslag_study::solve::{SolveOptions, Solver};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::DatabaseError;
use crate::board::Move;
use crate::game::PositionOrText;
use crate::work;
use meerslag_files::with_causes;

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
    Ok(DatabaseOptions { folders: folders.unwrap_or_default(), pieces, cache_mib })
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
    /// Plies to the end of the game, where the databases have them.
    dtw: Option<u32>,
    /// Distance to conversion, where the databases have it.
    mtc: Option<u32>,
    /// All legal moves with their values, best first.
    moves: Vec<(Move, &'static str)>,
    /// The best play of both sides in a win or loss; empty where it is not known.
    line: Vec<Move>,
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
            moves: moves.collect(),
            wld: answer.wld.map(Wld::from),
            dtw: answer.dtw,
            mtc: answer.mtc,
        })
    }

    /// Finds out what a position is worth, also outside the databases: by a proof search down to them.
    /// Ctrl-C ends it.
    ///
    /// Args:
    ///     position: the position.
    ///     nodes: positions that the proof search looks at before it gives up.
    ///     hash_mib: its memory in MiB.
    ///
    /// Raises:
    ///     DatabaseError: a database is damaged.
    #[pyo3(signature = (position, *, nodes = 20_000_000, hash_mib = 64))]
    fn solve(
        &self,
        py: Python<'_>,
        position: PositionOrText,
        nodes: u64,
        hash_mib: usize,
    ) -> PyResult<Solution> {
        let position = position.position()?;
        let options = SolveOptions { nodes, hash_mib: hash_mib.max(1), ..SolveOptions::default() };
        let stop = AtomicBool::new(false);
        let solution = py.detach(|| {
            let tell = || stop.store(true, Ordering::Relaxed);
            work::run(
                tell,
                |(): ()| Ok(()),
                |_| Solver::new(&self.0, options).solve(&position, &stop),
            )
        })?;
        let solution = solution.map_err(|error| failed(&error))?;
        let line = solution.line.map(|line| line.plies.iter().map(|ply| Move(ply.mv)).collect());
        Ok(Solution {
            value: solution.value.name(),
            dtw: solution.dtw,
            mtc: solution.mtc,
            moves: solution.moves.iter().map(|of| (Move(of.mv), of.value.name())).collect(),
            line: line.unwrap_or_default(),
            nodes: solution.nodes,
        })
    }

    fn __repr__(&self) -> String {
        format!("<Probe: up to {} pieces>", self.0.max_pieces())
    }
}
