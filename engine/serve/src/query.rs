//! The parameters of a question: structs with serde, which read them, and whose schemas describe them.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use movegen::words::shortened;
use movegen::{Fen, Game, Move, Position, Variant};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, DeserializeSeed, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};

use super::problem::{Problem, ProblemKind};

/// Most moves from the given position to the one in question.
const MAX_MOVES: usize = 2000;
/// Characters of a text from outside that an error repeats.
const MAX_QUOTED: usize = 60;

/// Names of the fields of a struct.
type Names = &'static [&'static str];
/// Names and values of parameters.
type GivenPairs = [(String, String)];

/// Some of the parameters that a question takes: the fields of a struct.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    /// The JSON schema of the struct. WebAssembly modules describe nothing.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    check: fn(&GivenPairs) -> Result<Names, Problem>,
}

/// The parameters of a struct.
pub(super) const fn parameters<T: DeserializeOwned + JsonSchema>() -> Parameters {
    Parameters {
        #[cfg(not(target_family = "wasm"))]
        schema: T::json_schema,
        #[cfg(target_family = "wasm")]
        schema: |_| Schema::default(),
        check: |given| {
            let mut names: Names = &[];
            T::deserialize(Given { given, names: &mut names, at: 0 })?;
            Ok(names)
        },
    }
}

/// The position that a question is about.
#[derive(Deserialize, JsonSchema)]
pub(super) struct PositionParameters {
    /// The position: a draughts FEN or a 51-character Hub string. Default: the initial position.
    fen: Option<String>,
    /// The game: international, killer, breakthrough, losing, frisian or frysk. Default:
    /// international.
    variant: Option<Variant>,
    /// Moves played from there, in Hub or short notation, with blanks or commas between them; at
    /// most 2000. The question is about the position after the last one, and draw rules count from
    /// the first.
    moves: Option<String>,
}

/// The start of a text from outside.
pub(super) fn shown(text: &str) -> String {
    shortened(text, MAX_QUOTED)
}

/// The parameters of a question, each known to the route, valid, and given once (of a list, `[]`,
/// the first value); and whether the answer is still wanted.
#[derive(Debug)]
pub struct Query<'q> {
    given: &'q GivenPairs,
    gone: Arc<AtomicBool>,
}

impl<'q> Query<'q> {
    /// Checks the parameters.
    ///
    /// # Errors
    /// If one is unknown, given twice and no list, or not of its kind, or a required one is missing.
    pub fn read(
        path: &str,
        parameters: &[Parameters],
        given: &'q [(String, String)],
    ) -> Result<Query<'q>, Problem> {
        let mut names = Vec::new();
        for parameters in parameters {
            names.extend_from_slice((parameters.check)(given)?);
        }
        if let Some((name, _)) = given.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            let names = names.join(", ");
            let detail = format!("{path} has no parameter '{}', only: {names}", shown(name));
            return Err(Problem::new(ProblemKind::BadParameter, detail));
        }
        Ok(Query { given, gone: Arc::default() })
    }

    /// The values of those parameters that are fields of this struct.
    pub(super) fn get<T: Deserialize<'q>>(&self) -> Result<T, Problem> {
        T::deserialize(Given { given: self.given, names: &mut &[][..], at: 0 })
    }

    /// The same question, with a flag that is set when its client goes.
    #[must_use]
    pub fn until(self, gone: Arc<AtomicBool>) -> Query<'q> {
        Query { gone, ..self }
    }

    /// Set when the client has gone.
    pub(super) const fn gone(&self) -> &Arc<AtomicBool> {
        &self.gone
    }

    /// A reader of this text, which fails when the client has gone.
    pub(super) fn wanted<'t>(&'t self, text: &'t [u8]) -> Wanted<'t> {
        Wanted { text, gone: &self.gone }
    }

    /// The game whose last position the question is about: `fen` and `moves`.
    ///
    /// # Errors
    /// If the position or a move cannot be read or is not legal.
    pub(super) fn game(&self) -> Result<Game, Problem> {
        let PositionParameters { fen, variant, moves } = self.get()?;
        let variant = variant.unwrap_or_default();
        game(variant, fen.as_deref(), "moves", &moves.unwrap_or_default())
    }
}

/// The game from a position on; the moves have this parameter.
pub(super) fn game(
    variant: Variant,
    fen: Option<&str>,
    parameter: &'static str,
    moves: &str,
) -> Result<Game, Problem> {
    let mut game = match fen {
        Some(text) => start(variant, text).map_err(|problem| problem.of("fen"))?,
        None => Game::new(Position::initial_of(variant)),
    };
    let words = moves.split([' ', ',']).filter(|word| !word.is_empty());
    for (number, word) in (1..).zip(words) {
        if number > MAX_MOVES {
            return Err(Problem::parameter(parameter, format!("more than {MAX_MOVES}")));
        }
        let mv = read_move(game.position(), word).map_err(|problem| {
            let detail = format!("move {number}: {}", problem.detail);
            Problem { detail, ..problem }.of(parameter)
        })?;
        // It was read as a legal move.
        let _ = game.play(mv);
    }
    Ok(game)
}

/// A game that starts from this FEN.
pub(super) fn start(variant: Variant, text: &str) -> Result<Game, Problem> {
    let bad = |error: String| {
        Problem::new(ProblemKind::BadPosition, format!("'{}': {error}", shown(text)))
    };
    let fen: Fen = text.parse().map_err(|error: movegen::ParseFenError| bad(error.to_string()))?;
    fen.game_in(variant).map_err(|error| bad(error.to_string()))
}

/// A legal move in Hub notation, or in one of those for people.
pub(super) fn read_move(position: &Position, text: &str) -> Result<Move, Problem> {
    meerslag_search::read_move(position, text)
        .map_err(|error| Problem::new(ProblemKind::BadMove, error.to_string()))
}

/// The value that has this name.
pub(super) fn named<T: Copy, const N: usize>(
    parameter: &'static str,
    name: Option<&str>,
    values: [(T, &'static str); N],
) -> Result<Option<T>, Problem> {
    let Some(name) = name else { return Ok(None) };
    let found = values.iter().find(|(_, known)| *known == name).map(|(value, _)| *value);
    let names = || values.map(|(_, known)| known).join(", ");
    let bad = || format!("'{}' is not one of {}", shown(name), names());
    found.map(Some).ok_or_else(|| Problem::parameter(parameter, bad()))
}

/// A whole number within these limits, both included.
#[derive(Clone, Copy)]
pub(super) struct Limited<const LEAST: u64, const MOST: u64>(pub u64);

impl<'de, const LEAST: u64, const MOST: u64> Deserialize<'de> for Limited<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = text.parse().ok().filter(|number| (LEAST..=MOST).contains(number));
        let wanted = || format!("'{}' is not a whole number from {LEAST} to {MOST}", shown(&text));
        number.map(Limited).ok_or_else(|| D::Error::custom(wanted()))
    }
}

impl<const LEAST: u64, const MOST: u64> JsonSchema for Limited<LEAST, MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Limited{LEAST}To{MOST}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": LEAST, "maximum": MOST })
    }
}

/// The parameters as serde reads a struct: those that have the names of its fields.
struct Given<'g, 'de> {
    given: &'de GivenPairs,
    /// Set to the names of the fields.
    names: &'g mut Names,
    /// How many were looked at.
    at: usize,
}

impl<'de> Deserializer<'de> for Given<'_, 'de> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Problem> {
        Err(Problem::custom("parameters are fields of a struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        *self.names = fields;
        visitor.visit_map(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for Given<'_, 'de> {
    type Error = Problem;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Problem> {
        while let Some((name, _)) = self.given.get(self.at) {
            let earlier = &self.given[..self.at];
            self.at += 1;
            // A list, as other programs write one: `speeds[]=blitz&speeds[]=rapid`.
            let is_more = name.ends_with("[]") && earlier.iter().any(|(other, _)| other == name);
            if self.names.contains(&name.as_str()) && !is_more {
                return seed.deserialize(name.as_str().into_deserializer()).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Problem> {
        let (name, text) = &self.given[self.at - 1];
        seed.deserialize(ParameterText(text)).map_err(|problem| {
            let field = self.names.iter().find(|field| *field == name);
            field.map_or(problem.clone(), |field| problem.of(field))
        })
    }
}

/// The text of a parameter.
struct ParameterText<'de>(&'de str);

impl<'de> Deserializer<'de> for ParameterText<'de> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let wanted = || Problem::custom(format!("'{}' is not true or false", shown(self.0)));
        visitor.visit_bool(self.0.parse().map_err(|_| wanted())?)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let wanted = || Problem::custom(format!("'{}' is not a number", shown(self.0)));
        visitor.visit_f64(self.0.parse().map_err(|_| wanted())?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 u32 u64 f32 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl Error for Problem {
    fn custom<T: fmt::Display>(detail: T) -> Problem {
        Problem::new(ProblemKind::BadParameter, detail.to_string())
    }

    fn unknown_variant(text: &str, words: &'static [&'static str]) -> Problem {
        Problem::custom(format!("'{}' is not one of {}", shown(text), words.join(", ")))
    }

    fn missing_field(name: &'static str) -> Problem {
        Problem::parameter(name, "missing")
    }

    fn duplicate_field(name: &'static str) -> Problem {
        Problem::parameter(name, "given twice")
    }
}

/// See [`Query::wanted`].
pub(super) struct Wanted<'t> {
    text: &'t [u8],
    gone: &'t AtomicBool,
}

/// Bytes between two checks of the flag.
const PART: usize = 16 << 10;

impl BufRead for Wanted<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.gone.load(Ordering::Relaxed) {
            return Err(io::Error::other("the client has closed the connection"));
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
