//! Reading PDN.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor};
use std::path::PathBuf;

use movegen::notation::pdn;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::board::{Move, Position};
use crate::game::Game;

/// A game read from PDN. Every move is legal.
#[pyclass(module = "meerslag", frozen, get_all)]
pub struct PdnGame {
    /// The tags in the order of the file, such as ``("White", "A")``.
    tags: Vec<(String, String)>,
    /// The position before the first move.
    start: Position,
    /// The moves of the main line.
    moves: Vec<Move>,
    /// What is said after each move, ``""`` where nothing is; as many as there are moves.
    comments: Vec<String>,
    /// The result: ``2-0``, ``1-1``, ``0-2``, ``0-0`` (both lose) or ``*``.
    result: &'static str,
    /// Why the moves end before the text did, or ``None``. The result must not be trusted then.
    truncated: Option<String>,
    /// What was odd, with line and column.
    warnings: Vec<String>,
    /// The line of the file on which the game begins, from 1.
    first_line: u64,
    /// Whether the position changes by command in the middle of the game.
    has_set_ups: bool,
    /// The start as FEN, with the counters of the ``FEN`` tag (``:H``, ``:F``) if it has them.
    start_fen: String,
}

impl From<pdn::PdnGame> for PdnGame {
    fn from(game: pdn::PdnGame) -> PdnGame {
        let comments = game.line.plies.iter().map(|ply| {
            let texts: Vec<_> = ply.comments().map(pdn::Comment::plain_text).collect();
            texts.join(" ")
        });
        PdnGame {
            tags: game.tags.iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect(),
            start: Position(game.start),
            moves: game.line.moves().map(Move).collect(),
            comments: comments.collect(),
            result: game.result.as_str(),
            truncated: game.truncated.as_ref().map(ToString::to_string),
            warnings: game.warnings.iter().map(ToString::to_string).collect(),
            first_line: game.first_line,
            has_set_ups: game.has_set_ups(),
            start_fen: game.start_fen().to_string_with_counters(),
        }
    }
}

#[pymethods]
impl PdnGame {
    /// The value of a tag whatever its case, or ``None``.
    fn tag(&self, name: &str) -> Option<&str> {
        let mut tags = self.tags.iter();
        tags.find(|(tag, _)| tag.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The game to play on from. The plies that the ``FEN`` tag counts already (``:H``) count for
    /// the draw rules.
    ///
    /// Raises:
    ///     ValueError: the position changes by command in the middle of the game.
    fn game(&self) -> PyResult<Game> {
        if self.has_set_ups {
            let text = "the position changes by command in the middle of this game";
            return Err(PyValueError::new_err(text));
        }
        let start = self.start_fen.parse::<movegen::Fen>().map_err(crate::value_error)?;
        let mut game = start.game().map_err(crate::value_error)?;
        for mv in &self.moves {
            game.play(mv.0).map_err(crate::value_error)?;
        }
        Ok(Game(game))
    }

    fn __repr__(&self) -> String {
        let player = |name| self.tag(name).unwrap_or("?").to_owned();
        let (white, black) = (player("White"), player("Black"));
        format!("<PdnGame: {white} - {black}, {} plies, {}>", self.moves.len(), self.result)
    }
}

/// Reads the games of a PDN text or file in turn; it never holds more than one.
///
/// Tolerant: what is broken in a game gives a warning in it, and the next game is read as if
/// nothing had happened. Games of other kinds of draughts, and empty ones, are passed over;
/// ``warnings`` and ``counters`` tell of them, too.
#[pyclass(module = "meerslag")]
pub struct PdnReader(pdn::PdnReader<Box<dyn BufRead + Send + Sync>>);

#[pymethods]
impl PdnReader {
    fn __iter__(reader: PyRef<'_, Self>) -> PyRef<'_, Self> {
        reader
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<PdnGame>> {
        let next = py.detach(|| self.0.next().transpose());
        let next = next.map_err(|error| PyOSError::new_err(meerslag_files::with_causes(&error)))?;
        Ok(next.map(PdnGame::from))
    }

    /// What was odd so far, each kind once: with its first place, and how often it came.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings().iter().map(ToString::to_string).collect()
    }

    /// How many games there were so far: ``games`` of any kind, of these ``other_type``,
    /// ``truncated``, ``empty`` and ``duplicates``.
    #[getter]
    fn counters(&self) -> BTreeMap<&'static str, u64> {
        let pdn::Counters { games, other_type, truncated, empty, duplicates, .. } =
            self.0.counters();
        BTreeMap::from([
            ("games", games),
            ("other_type", other_type),
            ("truncated", truncated),
            ("empty", empty),
            ("duplicates", duplicates),
        ])
    }
}

/// The games of a PDN text, one after the other.
#[pyfunction]
pub fn read_pdn(text: String) -> PdnReader {
    PdnReader(pdn::PdnReader::new(Box::new(Cursor::new(text))))
}

/// The games of a PDN file, one after the other.
///
/// Raises:
///     OSError: the file cannot be read.
#[pyfunction]
pub fn open_pdn(path: PathBuf) -> PyResult<PdnReader> {
    let file = File::open(&path).map_err(|error| {
        // Of the kind of the error (FileNotFoundError and so on), with the name of the file.
        let error = std::io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        PyErr::from(error)
    })?;
    Ok(PdnReader(pdn::PdnReader::new(Box::new(BufReader::new(file)))))
}
