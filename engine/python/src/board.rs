//! Colours, moves and positions.

use std::collections::BTreeMap;

use movegen::notation::{self, hub};
use movegen::perft::perft;
use movegen::{Bitboard, Square};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::diagram::picture;
use crate::{IllegalMoveError, value_error};

/// A side. White is on the high numbers and moves first.
#[pyclass(module = "meerslag", frozen, eq, hash, rename_all = "UPPERCASE", from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Color {
    /// The side that begins on the squares 1 to 20.
    Black,
    /// The side that begins on the squares 31 to 50.
    White,
}

impl From<movegen::Color> for Color {
    fn from(color: movegen::Color) -> Color {
        match color {
            movegen::Color::Black => Color::Black,
            movegen::Color::White => Color::White,
        }
    }
}

impl From<Color> for movegen::Color {
    fn from(color: Color) -> movegen::Color {
        match color {
            Color::Black => movegen::Color::Black,
            Color::White => movegen::Color::White,
        }
    }
}

#[pymethods]
impl Color {
    /// The other side.
    #[getter]
    fn opponent(&self) -> Color {
        movegen::Color::from(*self).opponent().into()
    }
}

/// A move: start, end and captured squares. Two captures that agree in these are the same move,
/// whatever route they take.
///
/// Moves come from ``Position.legal_moves`` and ``Position.parse_move``; ``Move("28x19x23")``
/// reads the Hub form, which ``str`` writes: all captured squares, ascending.
#[pyclass(module = "meerslag", frozen, eq, ord, hash, from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(pub movegen::Move);

#[pymethods]
impl Move {
    #[new]
    fn new(hub: &str) -> PyResult<Move> {
        let mv = hub::read_move(hub);
        mv.map(Move).map_err(|error| IllegalMoveError::new_err(error.to_string()))
    }

    /// The square of the piece, 1 to 50.
    #[getter]
    #[expect(clippy::wrong_self_convention, reason = "the name that python-chess has")]
    fn from_square(&self) -> u8 {
        self.0.from().number()
    }

    /// The square where the move ends, 1 to 50; the start itself for a circular capture.
    #[getter]
    #[expect(clippy::wrong_self_convention, reason = "the name that python-chess has")]
    fn to_square(&self) -> u8 {
        self.0.to().number()
    }

    /// The captured squares, ascending.
    #[getter]
    fn captured(&self) -> Vec<u32> {
        squares(self.0.captured())
    }

    /// Whether the move captures.
    #[getter]
    fn is_capture(&self) -> bool {
        self.0.is_capture()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Move(\"{}\")", self.0)
    }

    fn __getnewargs__(&self) -> (String,) {
        (self.0.to_string(),)
    }
}

fn squares(set: Bitboard) -> Vec<u32> {
    set.into_iter().map(|square| square.number().into()).collect()
}

/// A move, or its text in any notation.
#[derive(FromPyObject)]
pub enum MoveOrText {
    #[pyo3(transparent, annotation = "Move")]
    Move(Move),
    #[pyo3(transparent, annotation = "str")]
    Text(String),
}

impl MoveOrText {
    /// The legal move that the text means.
    pub fn resolve(self, position: &movegen::Position) -> PyResult<movegen::Move> {
        match self {
            MoveOrText::Move(Move(mv)) if position.legal_moves().contains(&mv) => Ok(mv),
            MoveOrText::Move(Move(mv)) => {
                let text = format!("{mv} is not a legal move in {}", position.to_fen());
                Err(IllegalMoveError::new_err(text))
            }
            MoveOrText::Text(text) => notation::parse_move(position, &text)
                .map_err(|error| IllegalMoveError::new_err(error.to_string())),
        }
    }
}

/// The pieces and the side to move. A value: it never changes, so undo is free.
///
/// ``Position()`` is the initial position; a text is a FEN in any dialect, or a position string of
/// Hub or DXP. Equal positions have equal hashes.
///
/// Args:
///     variant: the game: ``international``, ``killer``, ``breakthrough``, ``losing``, ``frisian`` or
///         ``frysk``. Positions after its moves, and games that start at it, are of it, too.
///
/// Raises:
///     ValueError: the text is no position, or the name none of a variant.
#[pyclass(module = "meerslag", frozen, eq, from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Position(pub movegen::Position);

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (fen = None, *, variant = "international"))]
    fn new(fen: Option<&str>, variant: &str) -> PyResult<Position> {
        let variant = variant.parse().map_err(value_error)?;
        match fen {
            None => Ok(Position(movegen::Position::initial_of(variant))),
            Some(fen) => {
                movegen::Position::from_fen_in(fen, variant).map(Position).map_err(value_error)
            }
        }
    }

    /// The game that it belongs to.
    #[getter]
    fn variant(&self) -> &'static str {
        self.0.variant().name()
    }

    /// The position as a FEN: White's list first, squares ascending, no ranges.
    #[getter]
    fn fen(&self) -> String {
        self.0.to_fen()
    }

    /// The position as a string of the Hub protocol: the side to move and 50 squares.
    #[getter]
    fn hub(&self) -> String {
        hub::format_position(&self.0)
    }

    /// The side to move.
    #[getter]
    fn side_to_move(&self) -> Color {
        self.0.side_to_move().into()
    }

    /// The squares of a side's men, ascending.
    fn men(&self, color: Color) -> Vec<u32> {
        squares(self.0.men(color.into()))
    }

    /// The squares of a side's kings, ascending.
    fn kings(&self, color: Color) -> Vec<u32> {
        squares(self.0.kings(color.into()))
    }

    /// The piece on a square from 1 to 50: ``w`` or ``b`` for a man, ``W`` or ``B`` for a king,
    /// or ``None``.
    fn piece_at(&self, square: u8) -> PyResult<Option<char>> {
        let place = Square::new(square)
            .ok_or_else(|| PyValueError::new_err(format!("square {square}: expected 1 to 50")))?;
        Ok(self.0.piece_at(place).map(movegen::Piece::hub_letter))
    }

    /// The number of pieces of both sides.
    #[getter]
    fn piece_count(&self) -> u32 {
        self.0.piece_count()
    }

    /// The Zobrist key: 64 bits that differ between positions with overwhelming probability, and
    /// are the same in every process.
    #[getter]
    fn key(&self) -> u64 {
        self.0.key()
    }

    /// Whether the side to move can capture, and so must.
    #[getter]
    fn has_capture(&self) -> bool {
        self.0.has_capture(self.0.side_to_move())
    }

    /// The legal moves, each once. Of captures only those of the greatest number, in Frisian of the
    /// greatest value. None means that the side to move has lost, in Losing that it has won.
    fn legal_moves(&self) -> Vec<Move> {
        self.0.legal_moves().iter().copied().map(Move).collect()
    }

    /// The position after a legal move or its text.
    ///
    /// Raises:
    ///     IllegalMoveError: the move is not legal, or the text fits several moves.
    fn after(&self, mv: MoveOrText) -> PyResult<Position> {
        Ok(Position(self.0.after(mv.resolve(&self.0)?)))
    }

    /// Reads a legal move: ``32-28``, ``28x19``, Hub and PDN long forms.
    ///
    /// Raises:
    ///     IllegalMoveError: no legal move fits, or several do.
    fn parse_move(&self, text: String) -> PyResult<Move> {
        MoveOrText::Text(text).resolve(&self.0).map(Move)
    }

    /// Writes a legal move in the short form of PDN; long only where that is ambiguous.
    ///
    /// Raises:
    ///     IllegalMoveError: the move is not legal.
    fn format_move(&self, mv: Move) -> PyResult<String> {
        Ok(notation::format_move(&self.0, MoveOrText::Move(mv).resolve(&self.0)?))
    }

    /// Whether a legal move crowns a man.
    fn is_promotion(&self, mv: Move) -> bool {
        self.0.is_promotion(mv.0)
    }

    /// The position with the board turned and the colours swapped: what the other side sees.
    fn reversed(&self) -> Position {
        Position(self.0.reversed())
    }

    /// The number of move sequences of this length, a test of move generators. Other threads run
    /// meanwhile. Cannot be interrupted.
    fn perft(&self, py: Python<'_>, depth: u32) -> PyResult<u64> {
        // The numbers of longer sequences need not fit into 64 bits.
        if depth > 20 {
            return Err(PyValueError::new_err(format!("depth {depth}: expected 0 to 20")));
        }
        Ok(py.detach(|| perft(&self.0, depth)))
    }

    /// The position as a picture (SVG); notebooks show it by themselves.
    ///
    /// Args:
    ///     size: the width in pixels, 50 to 8000.
    ///     flipped: Black at the bottom.
    ///     last: the move that led here; its two squares are marked.
    ///     arrows: such as ``32-28``, or ``28x19:bad`` of the kinds ``best``, ``other``, ``bad``.
    ///     marks: squares such as ``28:win``: ``from``, ``to``, ``win``, ``draw``, ``loss``,
    ///         ``chosen`` or ``target``.
    ///     coordinates: ``none``, ``edge`` or ``numbers``.
    ///
    /// Raises:
    ///     ValueError: an argument is not one of these.
    #[pyo3(signature = (*, size = 400, flipped = false, last = None, arrows = Vec::new(),
                        marks = Vec::new(), coordinates = "none"))]
    fn svg(
        &self,
        size: u32,
        flipped: bool,
        last: Option<Move>,
        arrows: Vec<String>,
        marks: Vec<String>,
        coordinates: &str,
    ) -> PyResult<String> {
        picture(self.0, size, flipped, last.map(|mv| mv.0), &arrows, &marks, coordinates)
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg(400, false, None, Vec::new(), Vec::new(), "none")
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let variant = self.0.variant();
        let more = match variant.is_international() {
            true => String::new(),
            false => format!(", variant=\"{variant}\""),
        };
        format!("Position(\"{}\"{more})", self.0.to_fen())
    }

    fn __hash__(&self) -> u64 {
        self.0.key()
    }

    fn __getnewargs_ex__(&self) -> ((String,), BTreeMap<&'static str, &'static str>) {
        ((self.0.to_fen(),), BTreeMap::from([("variant", self.variant())]))
    }
}
