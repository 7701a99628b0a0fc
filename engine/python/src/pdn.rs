//! Reading and writing PDN.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Cursor};
use std::path::{Path, PathBuf};
use std::time::Duration;

use movegen::Color;
use movegen::notation::pdn;
use parking_lot::Mutex;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::board::{Move, MoveOrText, Position};
use crate::game::{Game, PositionOrText, set_tags};
use crate::games::parsed;
use crate::value_error;

/// A move of a game with its annotations.
///
/// Args:
///     move: the move, or its text in any notation.
///     nags: numeric annotation glyphs, such as 1 for ``!`` and 2 for ``?``.
///     comment: the comment after the move.
///     clock: seconds left to the player (``[%clk]``).
///     evaluation: in men, from White's side (``[%eval]``).
///     variations: lines that replace the move, each a sequence of ``PdnMove``, ``Move`` or text.
#[pyclass(module = "meerslag", frozen, eq, from_py_object)]
#[derive(Clone)]
pub struct PdnMove {
    ply: pdn::Ply,
    /// The side that moves, if the move comes from a game.
    mover: Option<Color>,
}

impl PartialEq for PdnMove {
    fn eq(&self, other: &PdnMove) -> bool {
        self.ply == other.ply
    }
}

/// A move of a line that is put together.
#[derive(FromPyObject)]
pub enum LineMove {
    #[pyo3(transparent, annotation = "PdnMove")]
    Annotated(PdnMove),
    #[pyo3(transparent, annotation = "Move | str")]
    Bare(MoveOrText),
}

/// A move before its position is known: texts are read when the game is put together.
enum Pending {
    Known(pdn::Ply),
    Bare(MoveOrText),
}

impl From<LineMove> for Pending {
    fn from(mv: LineMove) -> Pending {
        match mv {
            LineMove::Annotated(mv) => Pending::Known(mv.ply),
            LineMove::Bare(mv) => Pending::Bare(mv),
        }
    }
}

/// The line from a position, with every move of it and of its variations tried.
fn line(
    mut position: movegen::Position,
    moves: impl IntoIterator<Item = Pending>,
) -> PyResult<Vec<pdn::Ply>> {
    let mut plies = Vec::new();
    for mv in moves {
        let (mv, rest) = match mv {
            Pending::Bare(mv) => (mv, None),
            Pending::Known(ply) => (MoveOrText::Move(Move(ply.mv)), Some(ply)),
        };
        let mv = mv.resolve(&position)?;
        let mut ply = rest.unwrap_or_else(|| mv.into());
        for after in &mut ply.after {
            if let pdn::Annotation::Variation(variation) = after {
                let moves = std::mem::take(&mut variation.plies).into_iter().map(Pending::Known);
                variation.plies = line(position, moves)?;
            }
        }
        position = position.after(mv);
        plies.push(ply);
    }
    Ok(plies)
}

#[pymethods]
impl PdnMove {
    #[new]
    #[pyo3(signature = (r#move, *, nags = Vec::new(), comment = "", clock = None,
                        evaluation = None, variations = Vec::new()))]
    fn new(
        r#move: Move,
        nags: Vec<u32>,
        comment: &str,
        clock: Option<f64>,
        evaluation: Option<f64>,
        variations: Vec<Vec<PdnMove>>,
    ) -> PyResult<PdnMove> {
        let mut said = Vec::new();
        if let Some(clock) = clock {
            let time = Duration::try_from_secs_f64(clock).map_err(|_| {
                PyValueError::new_err(format!("clock is {clock}: expected seconds from 0"))
            })?;
            said.push(format!("[%clk {}]", pdn::format_time(time)));
        }
        if let Some(evaluation) = evaluation {
            if !evaluation.is_finite() {
                let text = format!("evaluation is {evaluation}: expected a number of men");
                return Err(PyValueError::new_err(text));
            }
            said.push(format!("[%eval {evaluation:.2}]"));
        }
        if let Some(sign) = comment.chars().find(|sign| matches!(sign, '{' | '}')) {
            return Err(PyValueError::new_err(format!("a comment cannot contain '{sign}'")));
        }
        if !comment.is_empty() {
            said.push(comment.to_owned());
        }
        let mut ply = pdn::Ply { nags, ..pdn::Ply::from(r#move.0) };
        if !said.is_empty() {
            ply.after.push(pdn::Annotation::Comment(pdn::Comment::new(&said.join(" "))));
        }
        ply.after.extend(variations.into_iter().map(|moves| {
            let plies = moves.into_iter().map(|mv| mv.ply).collect();
            pdn::Annotation::Variation(pdn::Variation { lead: Vec::new(), plies })
        }));
        Ok(PdnMove { ply, mover: None })
    }

    /// The move.
    #[getter]
    fn r#move(&self) -> Move {
        Move(self.ply.mv)
    }

    /// Numeric annotation glyphs: 1 is ``!``, 2 ``?``, 3 ``!!``, 4 ``??``, 5 ``!?``, 6 ``?!``.
    #[getter]
    fn nags(&self) -> Vec<u32> {
        self.ply.nags.clone()
    }

    /// The comment after the move, without commands; ``""`` where nothing is.
    #[getter]
    fn comment(&self) -> String {
        said_after(&self.ply)
    }

    /// Seconds left to the player after the move (``[%clk]``, ``[%clock]``), or ``None``.
    #[getter]
    fn clock(&self) -> Option<f64> {
        let left = |comment: &pdn::Comment| match self.mover {
            Some(mover) => comment.remaining_time(mover),
            None => comment.clocks().iter().find(|it| it.color.is_none()).map(|it| it.time),
        };
        self.ply.comments().find_map(left).map(|time| time.as_secs_f64())
    }

    /// Seconds used for the move (``[%emt]``), or ``None``.
    #[getter]
    fn elapsed(&self) -> Option<f64> {
        self.ply.comments().find_map(pdn::Comment::elapsed_move_time).map(|time| time.as_secs_f64())
    }

    /// The evaluation after the move in men, as the file has it (``[%eval]``), or ``None``.
    #[getter]
    fn evaluation(&self) -> Option<f64> {
        self.ply.comments().find_map(pdn::Comment::evaluation)
    }

    /// The lines that replace the move.
    #[getter]
    fn variations(&self) -> Vec<Vec<PdnMove>> {
        self.ply.variations().map(|variation| moves_of(self.mover, variation)).collect()
    }

    fn __repr__(&self) -> String {
        let variations = match self.ply.variations().count() {
            0 => String::new(),
            count => format!(", variations: {count}"),
        };
        format!("<PdnMove: {}{variations}>", self.ply.mv)
    }
}

/// The moves of a line whose first one this side makes.
fn moves_of(mut mover: Option<Color>, line: &pdn::Variation) -> Vec<PdnMove> {
    let set_up = |list: &[pdn::Annotation]| {
        list.iter().rev().find_map(|annotation| match annotation {
            pdn::Annotation::SetUp(position) => Some(position.side_to_move()),
            _ => None,
        })
    };
    mover = set_up(&line.lead).or(mover);
    let mut read = |ply: &pdn::Ply| {
        let mv = PdnMove { ply: ply.clone(), mover };
        mover = set_up(&ply.after).or(mover.map(Color::opponent));
        mv
    };
    line.plies.iter().map(&mut read).collect()
}

fn said_after(ply: &pdn::Ply) -> String {
    let texts: Vec<_> = ply.comments().map(pdn::Comment::plain_text).collect();
    texts.join(" ")
}

/// A game of a PDN file, or one to be written. Every move is legal.
///
/// Args:
///     line: the main line: ``PdnMove``, ``Move`` or text.
///     start: the position before the first move; the initial position without it.
///     tags: names and values, such as ``{"White": "A"}``.
///     result: ``2-0``, ``1-1``, ``0-2``, ``0-0`` or ``*``; by default as the tag ``Result`` says.
///
/// Raises:
///     IllegalMoveError: a move of the line or of a variation is not legal.
///     ValueError: a tag or the result cannot be written.
#[pyclass(module = "meerslag", frozen, eq, from_py_object)]
#[derive(Clone, PartialEq, Eq)]
pub struct PdnGame(pub pdn::PdnGame);

#[pymethods]
impl PdnGame {
    #[new]
    #[pyo3(signature = (line = Vec::new(), *, start = None, tags = None, result = None))]
    fn new(
        line: Vec<LineMove>,
        start: Option<PositionOrText>,
        tags: Option<BTreeMap<String, String>>,
        result: Option<&str>,
    ) -> PyResult<PdnGame> {
        let start =
            start.map_or_else(|| Ok(movegen::Position::initial()), PositionOrText::position)?;
        let mut game = pdn::PdnGame::new(start);
        game.line.plies = self::line(start, line.into_iter().map(Pending::from))?;
        set_tags(&mut game.tags, tags.unwrap_or_default())?;
        game.result = crate::game::result(&game.tags, result)?.unwrap_or_default();
        Ok(PdnGame(game))
    }

    /// The tags in the order of the file, such as ``("White", "A")``.
    #[getter]
    fn tags(&self) -> Vec<(String, String)> {
        self.0.tags.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// The position before the first move.
    #[getter]
    fn start(&self) -> Position {
        Position(self.0.start)
    }

    /// The moves of the main line.
    #[getter]
    fn moves(&self) -> Vec<Move> {
        self.0.line.moves().map(Move).collect()
    }

    /// The main line with what is said about its moves, and its variations.
    #[getter]
    fn line(&self) -> Vec<PdnMove> {
        moves_of(Some(self.0.start.side_to_move()), &self.0.line)
    }

    /// The comment after each move, ``""`` where there is none; as many as there are moves.
    #[getter]
    fn comments(&self) -> Vec<String> {
        self.0.line.plies.iter().map(said_after).collect()
    }

    /// The result: ``2-0``, ``1-1``, ``0-2``, ``0-0`` (both lose) or ``*``.
    #[getter]
    fn result(&self) -> &'static str {
        self.0.result.as_str()
    }

    /// Why the moves end before the text did, or ``None``. The result must not be trusted then.
    #[getter]
    fn truncated(&self) -> Option<String> {
        self.0.truncated.as_ref().map(ToString::to_string)
    }

    /// The warnings, with line and column.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings.iter().map(ToString::to_string).collect()
    }

    /// The line of the file where the game begins, from 1.
    #[getter]
    fn first_line(&self) -> u64 {
        self.0.first_line
    }

    /// Whether the position changes by command in the middle of the game.
    #[getter]
    fn has_set_ups(&self) -> bool {
        self.0.has_set_ups()
    }

    /// The start as FEN, with the counters of the ``FEN`` tag (``:H``, ``:F``) if it has them.
    #[getter]
    fn start_fen(&self) -> String {
        self.0.start_fen().to_string_with_counters()
    }

    /// The value of a tag whatever its case, or ``None``.
    fn tag(&self, name: &str) -> Option<&str> {
        self.0.tags.get(name)
    }

    /// The game to play on from. The plies that the ``FEN`` tag counts already (``:H``) count for
    /// the draw rules.
    ///
    /// Raises:
    ///     ValueError: the position changes by command in the middle of the game.
    fn game(&self) -> PyResult<Game> {
        if self.0.has_set_ups() {
            let text = "the position changes by command in the middle of this game";
            return Err(PyValueError::new_err(text));
        }
        let mut game = self.0.beginning();
        for mv in self.0.line.moves() {
            game.play(mv).map_err(crate::value_error)?;
        }
        Ok(Game(game))
    }

    /// The game as PDN 3.0, with its comments, glyphs and variations.
    fn to_pdn(&self) -> String {
        pdn::game_to_string(&self.0, &pdn::WriteOptions::default())
    }

    /// The plies of the main line.
    fn __len__(&self) -> usize {
        self.0.line.plies.len()
    }

    /// A game is true, also without a move.
    fn __bool__(&self) -> bool {
        true
    }

    fn __repr__(&self) -> String {
        let player = |name| self.tag(name).unwrap_or("?").to_owned();
        let (white, black) = (player("White"), player("Black"));
        let (plies, result) = (self.0.line.plies.len(), self.result());
        format!("<PdnGame: {white} - {black}, {plies} plies, {result}>")
    }
}

/// Reads the games of a PDN text or file in turn; it never holds more than one.
///
/// Tolerant: what is broken in a game gives a warning in it, and the next game is read as if
/// nothing had happened. Games of other kinds of draughts, and empty ones, are skipped;
/// ``warnings`` and ``counters`` tell of them, too.
///
/// As a context manager it closes the file at the end; ``warnings`` and ``counters`` stay.
#[pyclass(module = "meerslag")]
pub struct PdnReader {
    games: Option<Mutex<pdn::PdnReader<'static>>>,
    /// The findings of a closed reader.
    found: Findings,
}

type Findings = (pdn::WarningSummary, pdn::Counters, pdn::Encodings);

impl PdnReader {
    fn new(
        input: impl BufRead + Send + 'static,
        encoding: Option<&str>,
        variant: Option<&str>,
    ) -> PyResult<PdnReader> {
        let options = pdn::ReadOptions {
            encoding: encoding.map(|name| parsed("encoding", name)).transpose()?,
            variant: variant.map(str::parse).transpose().map_err(value_error)?.unwrap_or_default(),
            all_variants: variant.is_none(),
            ..pdn::ReadOptions::default()
        };
        let games = pdn::PdnReader::with_options(input, options);
        Ok(PdnReader { games: Some(Mutex::new(games)), found: Findings::default() })
    }

    fn findings(&self) -> Findings {
        let Some(games) = &self.games else { return self.found.clone() };
        let games = games.lock();
        (games.warnings().clone(), games.counters(), games.encodings())
    }
}

#[pymethods]
impl PdnReader {
    fn __iter__(reader: PyRef<'_, Self>) -> PyRef<'_, Self> {
        reader
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<PdnGame>> {
        let games = self.games.as_mut();
        let games = games.ok_or_else(|| PyValueError::new_err("the reader is closed"))?;
        let next = py.detach(|| games.get_mut().next().transpose());
        let next = next.map_err(|error| PyOSError::new_err(meerslag_files::with_causes(&error)))?;
        Ok(next.map(PdnGame))
    }

    /// The warnings so far, each kind once: with its first place, and how often it came.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.findings().0.iter().map(ToString::to_string).collect()
    }

    /// The encodings so far, such as ``utf-8`` and ``windows-1251``.
    #[getter]
    fn encodings(&self) -> Vec<&'static str> {
        self.findings().2.iter().map(pdn::Encoding::name).collect()
    }

    /// Closes the file.
    fn close(&mut self) {
        self.found = self.findings();
        self.games = None;
    }

    fn __enter__(reader: PyRef<'_, Self>) -> PyRef<'_, Self> {
        reader
    }

    fn __exit__(
        &mut self,
        _type: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) {
        self.close();
    }

    /// How many games there were so far: ``games`` of any kind, of these ``other_type``,
    /// ``truncated``, ``empty`` and ``duplicates``.
    #[getter]
    fn counters(&self) -> BTreeMap<&'static str, u64> {
        let (_, counters, _) = self.findings();
        let pdn::Counters { games, other_type, truncated, empty, duplicates, .. } = counters;
        BTreeMap::from([
            ("games", games),
            ("other_type", other_type),
            ("truncated", truncated),
            ("empty", empty),
            ("duplicates", duplicates),
        ])
    }
}

/// The games of a PDN text, or of the bytes of a file, one after another.
///
/// Args:
///     encoding: of bytes, such as ``cp1251``; without it each place is recognised.
///     variant: games of other kinds are skipped; ``None`` reads all variants, each by its rules.
///
/// Raises:
///     ValueError: the text is the name of a file, which ``open_pdn`` reads.
#[pyfunction]
#[pyo3(signature = (text: "str | bytes", *, encoding = None, variant = "international"))]
pub fn read_pdn(
    text: TextOrBytes,
    encoding: Option<&str>,
    variant: Option<&str>,
) -> PyResult<PdnReader> {
    match text {
        // A name read as PDN would give no game, without a word.
        TextOrBytes::Text(text)
            if !text.contains('\n') && (text.ends_with(".pdn") || Path::new(&text).is_file()) =>
        {
            let what = format!("'{text}' is the name of a file: open_pdn reads files");
            Err(PyValueError::new_err(what))
        }
        TextOrBytes::Text(text) => PdnReader::new(Cursor::new(text), None, variant),
        TextOrBytes::Bytes(bytes) => PdnReader::new(Cursor::new(bytes), encoding, variant),
    }
}

#[derive(FromPyObject)]
pub enum TextOrBytes {
    #[pyo3(transparent, annotation = "str")]
    Text(String),
    #[pyo3(transparent, annotation = "bytes")]
    Bytes(Vec<u8>),
}

/// The games of a PDN file, packed with gzip or in a zip archive or not, or of a file of games, one
/// after another.
///
/// Args:
///     encoding: such as ``cp1251``; without it each place of the file is recognised.
///     variant: games of other kinds are skipped; ``None`` reads all variants, each by its rules.
///
/// Raises:
///     OSError: the file cannot be read.
///     ValueError: there is no such encoding.
#[pyfunction]
#[pyo3(signature = (path, *, encoding = None, variant = "international"))]
pub fn open_pdn(
    path: PathBuf,
    encoding: Option<&str>,
    variant: Option<&str>,
) -> PyResult<PdnReader> {
    let file = crate::games::open_text(&path).map_err(|error| {
        // Of the kind of the error (FileNotFoundError and so on), with the name of the file.
        let error = std::io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        PyErr::from(error)
    })?;
    PdnReader::new(BufReader::new(file), encoding, variant)
}
