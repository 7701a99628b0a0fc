//! Games with their draw rules.

use std::collections::BTreeMap;

use movegen::notation::pdn::{self, GameResult, WriteOptions};
use movegen::{DrawRules, Fen, Variant};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::board::{Color, Move, MoveOrText, Position};
use crate::diagram::picture;
use crate::value_error;

/// A position, or its text in any notation.
#[derive(FromPyObject)]
pub enum PositionOrText {
    #[pyo3(transparent, annotation = "Position")]
    Position(Position),
    #[pyo3(transparent, annotation = "str")]
    Text(String),
}

impl PositionOrText {
    /// A text is one of the international game.
    pub fn position(self) -> PyResult<movegen::Position> {
        self.position_in(Variant::International)
    }

    /// A text is one of this variant.
    pub fn position_in(self, variant: Variant) -> PyResult<movegen::Position> {
        match self {
            PositionOrText::Position(position) => Ok(position.0),
            PositionOrText::Text(text) => {
                movegen::Position::from_fen_in(&text, variant).map_err(value_error)
            }
        }
    }

    /// The game that starts here, with the plies that a FEN counts already (`:H`); a text is of this
    /// variant.
    fn game(self, variant: Variant) -> PyResult<movegen::Game> {
        match self {
            PositionOrText::Position(position) => Ok(movegen::Game::new(position.0)),
            PositionOrText::Text(text) => {
                // First for the place of an offence in the text.
                movegen::Position::from_fen_in(&text, variant).map_err(value_error)?;
                let fen: Fen = text.parse().map_err(value_error)?;
                fen.game_in(variant).map_err(value_error)
            }
        }
    }
}

/// A game, a position, or the text of one.
#[derive(FromPyObject)]
pub enum GameOrPosition {
    #[pyo3(transparent, annotation = "Game")]
    Game(Game),
    #[pyo3(transparent, annotation = "Position | str")]
    Start(PositionOrText),
}

impl GameOrPosition {
    pub fn game(self) -> PyResult<movegen::Game> {
        match self {
            GameOrPosition::Game(game) => Ok(game.0),
            GameOrPosition::Start(start) => start.game(Variant::International),
        }
    }
}

/// The draw rules with this name.
pub fn draw_rules(name: &str) -> PyResult<DrawRules> {
    name.parse().map_err(value_error)
}

/// The state of a game by the rules. Resignation, agreement and clocks are not known here.
#[pyclass(module = "meerslag", frozen, eq, get_all)]
#[derive(Clone, PartialEq, Eq)]
pub struct Status {
    /// Whether the game is over.
    is_over: bool,
    /// The side that has won.
    winner: Option<Color>,
    /// Why the game is over, in words.
    reason: Option<String>,
    /// The result as PDN writes it: ``2-0``, ``1-1``, ``0-2`` or ``*``.
    result: &'static str,
}

impl From<movegen::Status> for Status {
    fn from(status: movegen::Status) -> Status {
        let (winner, reason) = match status {
            movegen::Status::Ongoing => (None, None),
            movegen::Status::Win(color, reason) => (Some(color.into()), Some(reason.to_string())),
            movegen::Status::Draw(reason) => (None, Some(reason.to_string())),
        };
        let result = GameResult::from(status).as_str();
        Status { is_over: status.is_over(), winner, reason, result }
    }
}

#[pymethods]
impl Status {
    fn __repr__(&self) -> String {
        match &self.reason {
            None => "<Status: ongoing>".to_owned(),
            Some(reason) => format!("<Status: {}, {reason}>", self.result),
        }
    }
}

/// A start position and the moves played from it, with the counters of the draw rules.
///
/// The start is a ``Position``, a FEN (whose ``:H`` field counts for the draw rules), or the
/// initial position; ``moves`` are played from there. Without a ``Position``, which has its own,
/// ``variant`` names the game, as in ``Position``. After a draw moves can still be played:
/// ``status`` gives the state of the game. ``len(game)`` is the number of moves, ``for mv in game``
/// goes through them, and games can be pickled.
#[pyclass(module = "meerslag", eq, from_py_object)]
#[derive(Clone, PartialEq, Eq)]
pub struct Game(pub movegen::Game);

impl Game {
    /// The game as PDN has it, without result.
    pub fn pdn(&self) -> pdn::PdnGame {
        let mut game = pdn::PdnGame::new(*self.0.start());
        let counted = self.0.start_counters().plies();
        game.halfmoves = (counted > 0).then_some(counted.into());
        game.move_number = Some(self.0.first_number()).filter(|&number| number != 1);
        game.line.plies = self.0.moves().iter().copied().map(pdn::Ply::from).collect();
        game
    }
}

/// The result with this name, or else that of the tag, if it can be read.
pub fn result(tags: &pdn::Tags, text: Option<&str>) -> PyResult<Option<GameResult>> {
    let Some(text) = text else { return Ok(tags.get("Result").and_then(GameResult::parse)) };
    let result = GameResult::parse(text).ok_or_else(|| {
        let text = format!("'{text}' is not a result: expected 2-0, 1-1, 0-2, 0-0 or *");
        PyValueError::new_err(text)
    });
    result.map(Some)
}

/// Sets tags, whose names are checked.
pub fn set_tags(
    tags: &mut pdn::Tags,
    values: impl IntoIterator<Item = (String, String)>,
) -> PyResult<()> {
    for (name, value) in values {
        if !pdn::Tags::is_name(&name) {
            let text = format!(
                "'{name}' is not a name of a tag: expected a letter, then letters and digits"
            );
            return Err(PyValueError::new_err(text));
        }
        tags.set(&name, &value);
    }
    Ok(())
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (start = None, moves = Vec::new(), *, variant = None))]
    fn new(
        start: Option<PositionOrText>,
        moves: Vec<MoveOrText>,
        variant: Option<&str>,
    ) -> PyResult<Game> {
        let named = variant.map(str::parse::<Variant>).transpose().map_err(value_error)?;
        let start = match start {
            Some(start) => start.game(named.unwrap_or_default())?,
            None => movegen::Game::new(movegen::Position::initial_of(named.unwrap_or_default())),
        };
        let of = start.position().variant();
        if named.is_some_and(|named| named != of) {
            return Err(PyValueError::new_err(format!("variant: the position is one of {of}")));
        }
        let mut game = Game(start);
        for mv in moves {
            game.push(mv)?;
        }
        Ok(game)
    }

    /// The current position.
    #[getter]
    fn position(&self) -> Position {
        Position(*self.0.position())
    }

    /// The position before the first move.
    #[getter]
    fn start(&self) -> Position {
        Position(*self.0.start())
    }

    /// The moves played.
    #[getter]
    fn moves(&self) -> Vec<Move> {
        self.0.moves().iter().copied().map(Move).collect()
    }

    /// The number of moves played, of both sides.
    #[getter]
    fn ply(&self) -> usize {
        self.0.ply()
    }

    /// The legal moves of the current position.
    fn legal_moves(&self) -> Vec<Move> {
        self.position().0.legal_moves().iter().copied().map(Move).collect()
    }

    /// Plays a legal move or its text, and returns the move.
    ///
    /// Raises:
    ///     IllegalMoveError: the move is not legal; the game stays as it was.
    fn push(&mut self, mv: MoveOrText) -> PyResult<Move> {
        let mv = mv.resolve(self.0.position())?;
        self.0.play(mv).map_err(|error| crate::IllegalMoveError::new_err(error.to_string()))?;
        Ok(Move(mv))
    }

    /// Takes the last move back and returns it.
    ///
    /// Raises:
    ///     IndexError: there is none.
    fn pop(&mut self) -> PyResult<Move> {
        self.0.undo().map(Move).ok_or_else(|| PyIndexError::new_err("no move has been played"))
    }

    /// Whether the game is over by the rules, see ``status``.
    #[pyo3(signature = (draw_rules = "lidraughts"))]
    fn is_over(&self, draw_rules: &str) -> PyResult<bool> {
        Ok(self.0.status(self::draw_rules(draw_rules)?).is_over())
    }

    /// Plies to a draw by the rules that count moves, if nothing lets the counter begin again;
    /// ``None`` if the rules do not count.
    #[pyo3(signature = (draw_rules = "lidraughts"))]
    fn plies_left(&self, draw_rules: &str) -> PyResult<Option<u16>> {
        Ok(self.0.counters().plies_left(self::draw_rules(draw_rules)?))
    }

    /// The positions of the game, the start and the current one included.
    fn positions(&self) -> Vec<Position> {
        let first = Position(*self.0.start());
        let after = |position: &mut Position, mv: &movegen::Move| {
            position.0 = position.0.after(*mv);
            Some(*position)
        };
        let rest = self.0.moves().iter().scan(first, after);
        std::iter::once(first).chain(rest).collect()
    }

    /// The current position as a picture, with the squares of the last move marked; the arguments
    /// are those of ``Position.svg``.
    #[pyo3(signature = (*, size = 400, flipped = false, arrows = Vec::new(), marks = Vec::new(),
                        coordinates = "none"))]
    fn svg(
        &self,
        size: u32,
        flipped: bool,
        arrows: Vec<String>,
        marks: Vec<String>,
        coordinates: &str,
    ) -> PyResult<String> {
        let last = self.0.moves().last().copied();
        picture(*self.0.position(), size, flipped, last, &arrows, &marks, coordinates)
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg(400, false, Vec::new(), Vec::new(), "none")
    }

    fn __len__(&self) -> usize {
        self.0.ply()
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let moves = self.moves().into_pyobject(py)?;
        Ok(moves.try_iter()?.into_any().unbind())
    }

    /// The game that is played, such as ``frisian``.
    #[getter]
    fn variant(&self) -> &'static str {
        self.0.position().variant().name()
    }

    fn __getnewargs_ex__(&self) -> ((String, Vec<Move>), BTreeMap<&'static str, &'static str>) {
        let start = self.pdn().start_fen().to_string_with_counters();
        ((start, self.moves()), BTreeMap::from([("variant", self.variant())]))
    }

    /// How often the current position has occurred, this time included.
    #[getter]
    fn occurrences(&self) -> u32 {
        self.0.occurrences()
    }

    /// The state of the game by the rules.
    ///
    /// Args:
    ///     draw_rules: ``lidraughts`` (repetition and the rules of 25, 16 and 5 moves),
    ///         ``fmjd-cumulative``, ``scan`` (repetition only) or ``none``.
    #[pyo3(signature = (draw_rules = "lidraughts"))]
    fn status(&self, draw_rules: &str) -> PyResult<Status> {
        Ok(self.0.status(self::draw_rules(draw_rules)?).into())
    }

    /// The game as PDN 3.0. Plies of the draw rules that count before the first move stand in the
    /// FEN (``:H``).
    ///
    /// Args:
    ///     tags: names and values, such as ``{"White": "A"}``.
    ///     result: ``2-0``, ``1-1``, ``0-2`` or ``*``; by default as the tag ``Result`` says, or as
    ///         in ``status()``.
    ///
    /// Raises:
    ///     ValueError: the name of a tag or the result cannot be written.
    #[pyo3(signature = (tags = None, result = None))]
    fn to_pdn(
        &self,
        tags: Option<BTreeMap<String, String>>,
        result: Option<&str>,
    ) -> PyResult<String> {
        let mut game = self.pdn();
        set_tags(&mut game.tags, tags.unwrap_or_default())?;
        let result = self::result(&game.tags, result)?;
        game.result = result.unwrap_or_else(|| self.0.status(DrawRules::default()).into());
        Ok(pdn::game_to_string(&game, &WriteOptions::default()))
    }

    /// An independent copy.
    fn copy(&self) -> Game {
        self.clone()
    }

    fn __copy__(&self) -> Game {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Game {
        self.clone()
    }

    fn __repr__(&self) -> String {
        format!("<Game: {} plies, now {}>", self.0.ply(), self.0.position().to_fen())
    }
}
