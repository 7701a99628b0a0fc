//! The parameters of a question: their types, and reading them.

use std::io::{self, BufRead, Read};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use movegen::notation::{hub, moves};
use movegen::words::shortened;
use movegen::{Fen, Game, Move, Position};

use super::problem::{Problem, ProblemKind};

/// Most moves from the given position to the one in question.
const MAX_MOVES: usize = 2000;
/// Characters of a text from outside that an error repeats.
const MAX_QUOTED: usize = 60;

/// The type of a parameter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// A whole number within these, both included.
    Integer(u64, u64),
    /// A number within these, both included.
    Number(f64, f64),
    /// `true` or `false`.
    Boolean,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// A parameter of a question.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Its meaning.
    pub summary: &'static str,
    /// Whether it must be given.
    pub is_required: bool,
}

pub(super) const fn parameter(name: &'static str, kind: Kind, summary: &'static str) -> Parameter {
    Parameter { name, kind, summary, is_required: false }
}

pub(super) const FEN: Parameter = parameter(
    "fen",
    Kind::Text,
    "The position: a draughts FEN or a 51-character Hub string. Default: the initial position.",
);
pub(super) const MOVES: Parameter = parameter(
    "moves",
    Kind::Text,
    "Moves played from there, in Hub or short notation, with blanks or commas between them; at \
     most 2000. The question is about the position after the last one, and draw rules count from \
     the first.",
);
pub(super) const MOVE: Parameter = Parameter {
    is_required: true,
    ..parameter("move", Kind::Text, "The move to judge, in Hub or short notation.")
};
/// The start of a text from outside.
pub(super) fn shown(text: &str) -> String {
    shortened(text, MAX_QUOTED)
}

/// The parameters of a question, each known to the route, as it should be, and given once; of a
/// list (`[]`) the first value. And whether its answer is still wanted.
#[derive(Debug)]
pub struct Query<'q> {
    values: Vec<(&'static str, &'q str)>,
    gone: Arc<AtomicBool>,
}

impl<'q> Query<'q> {
    /// Looks at the parameters.
    ///
    /// # Errors
    /// If one is unknown, given twice and no list, or not of its kind, or a required one is missing.
    pub fn read(
        path: &str,
        parameters: &[Parameter],
        given: &'q [(String, String)],
    ) -> Result<Query<'q>, Problem> {
        let mut query = Query { values: Vec::with_capacity(given.len()), gone: Arc::default() };
        for (name, value) in given {
            let Some(parameter) = parameters.iter().find(|known| known.name == name) else {
                let names: Vec<_> = parameters.iter().map(|known| known.name).collect();
                let detail = format!(
                    "{} has no parameter '{}', only: {}",
                    path,
                    shown(name),
                    names.join(", ")
                );
                return Err(Problem::new(ProblemKind::BadParameter, detail));
            };
            if query.text(parameter.name).is_some() {
                // A list, as other programs write one: `speeds[]=blitz&speeds[]=rapid`.
                if parameter.name.ends_with("[]") {
                    continue;
                }
                return Err(Problem::parameter(parameter.name, "given twice"));
            }
            parameter.check(value)?;
            query.values.push((parameter.name, value));
        }
        let missing = |p: &&Parameter| p.is_required && query.text(p.name).is_none();
        match parameters.iter().find(missing) {
            Some(parameter) => Err(Problem::parameter(parameter.name, "missing")),
            None => Ok(query),
        }
    }

    /// The same question of a client that sets this flag when it goes.
    #[must_use]
    pub fn until(self, gone: Arc<AtomicBool>) -> Query<'q> {
        Query { gone, ..self }
    }

    /// Set when nobody waits for the answer any more.
    pub(super) const fn gone(&self) -> &Arc<AtomicBool> {
        &self.gone
    }

    /// A reader of this text, which fails when nobody waits for the answer any more.
    pub(super) fn wanted<'t>(&'t self, text: &'t [u8]) -> Wanted<'t> {
        Wanted { text, gone: &self.gone }
    }

    /// The value of a parameter, if it is given.
    #[must_use]
    pub(super) fn text(&self, name: &str) -> Option<&'q str> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The value of a number, which was checked when it was read.
    pub(super) fn number<T: FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    /// The game whose last position the question is about: `fen` and `moves`.
    ///
    /// # Errors
    /// If the position or a move cannot be read or is not legal.
    pub(super) fn game(&self) -> Result<Game, Problem> {
        self.game_after("moves")
    }

    /// As [`Query::game`], with the moves in this parameter.
    pub(super) fn game_after(&self, parameter: &'static str) -> Result<Game, Problem> {
        let mut game = match self.text("fen") {
            Some(text) => start(text).map_err(|problem| problem.of("fen"))?,
            None => Game::default(),
        };
        let text = self.text(parameter).unwrap_or_default();
        let words = text.split([' ', ',']).filter(|word| !word.is_empty());
        for (number, word) in (1..).zip(words) {
            if number > MAX_MOVES {
                return Err(Problem::parameter(parameter, format!("more than {MAX_MOVES}")));
            }
            let mv = read_move(game.position(), word)
                .map_err(|problem| Problem {
                    detail: format!("move {number}: {}", problem.detail),
                    ..problem
                })
                .map_err(|problem| problem.of(parameter))?;
            // It was read as a legal move.
            let _ = game.play(mv);
        }
        Ok(game)
    }
}

/// A game that starts from this FEN.
pub(super) fn start(text: &str) -> Result<Game, Problem> {
    let bad = |error: String| {
        Problem::new(ProblemKind::BadPosition, format!("'{}': {error}", shown(text)))
    };
    let fen: Fen = text.parse().map_err(|error: movegen::ParseFenError| bad(error.to_string()))?;
    fen.game().map_err(|error| bad(error.to_string()))
}

/// A legal move in Hub notation, or in one of those for people.
pub(super) fn read_move(position: &Position, text: &str) -> Result<Move, Problem> {
    hub::parse_move(position, text)
        .or_else(|_| moves::parse_move(position, text))
        .map_err(|error| Problem::new(ProblemKind::BadMove, error.to_string()))
}

impl Parameter {
    fn check(&self, value: &str) -> Result<(), Problem> {
        let bad = |wanted: String| {
            Problem::parameter(self.name, format!("'{}' is not {wanted}", shown(value)))
        };
        let is_good = match self.kind {
            Kind::Text => true,
            Kind::Integer(least, most) => {
                value.parse::<u64>().is_ok_and(|n| (least..=most).contains(&n))
            }
            Kind::Number(least, most) => {
                value.parse::<f64>().is_ok_and(|n| (least..=most).contains(&n))
            }
            Kind::Boolean => matches!(value, "true" | "false"),
            Kind::Choice(words) => words.contains(&value),
        };
        if is_good {
            return Ok(());
        }
        Err(bad(match self.kind {
            Kind::Text => "a text".to_owned(),
            Kind::Integer(least, most) => format!("a whole number from {least} to {most}"),
            Kind::Number(least, most) => format!("a number from {least} to {most}"),
            Kind::Boolean => "true or false".to_owned(),
            Kind::Choice(words) => format!("one of {}", words.join(", ")),
        }))
    }
}

/// See [`Query::wanted`].
pub(super) struct Wanted<'t> {
    text: &'t [u8],
    gone: &'t AtomicBool,
}

/// Bytes that are read until it is looked again.
const PART: usize = 16 << 10;

impl BufRead for Wanted<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.gone.load(Ordering::Relaxed) {
            return Err(io::Error::other("nobody waits for the answer"));
        }
        Ok(&self.text[..self.text.len().min(PART)])
    }

    fn consume(&mut self, count: usize) {
        self.text = &self.text[count..];
    }
}

impl Read for Wanted<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(bytes)?;
        self.consume(count);
        Ok(count)
    }
}
