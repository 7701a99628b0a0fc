//! Which games to find: one description for the command line, HTTP, Python and the page.

use std::ops::RangeInclusive;
use std::str::FromStr;

#[cfg(feature = "clap")]
use clap::{Args, ValueEnum, value_parser};
use egdb::Slice;
use movegen::words::{parse_range, parse_years};
use movegen::{Color, Position, Variant};
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::pattern::{Manoeuvre, Pattern};

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(ValueEnum))]
pub enum Outcome {
    /// White won.
    #[serde(rename = "2-0", alias = "1-0")]
    #[cfg_attr(feature = "clap", value(name = "2-0", alias = "1-0"))]
    WhiteWins,
    /// A draw.
    #[serde(rename = "1-1", alias = "draw", alias = "1/2-1/2")]
    #[cfg_attr(feature = "clap", value(name = "1-1", aliases = ["draw", "1/2-1/2"]))]
    Draw,
    /// Black won.
    #[serde(rename = "0-2", alias = "0-1")]
    #[cfg_attr(feature = "clap", value(name = "0-2", alias = "0-1"))]
    BlackWins,
    /// Not known.
    #[serde(rename = "*")]
    #[cfg_attr(feature = "clap", value(name = "*"))]
    Unknown,
    /// The player of [`Query::player`] won.
    #[serde(rename = "win")]
    #[cfg_attr(feature = "clap", value(name = "win"))]
    PlayerWins,
    /// That player lost.
    #[serde(rename = "loss")]
    #[cfg_attr(feature = "clap", value(name = "loss"))]
    PlayerLoses,
}

/// The order of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// As they were added
    #[default]
    Number,
    /// The latest first
    Date,
    /// The highest sum of ratings first
    Rating,
    /// White's name
    White,
    /// Black's name
    Black,
    /// The event's name
    Event,
    /// The longest first
    Length,
}

impl Sort {
    /// All orders.
    pub const ALL: [Sort; 7] = [
        Sort::Number,
        Sort::Date,
        Sort::Rating,
        Sort::White,
        Sort::Black,
        Sort::Event,
        Sort::Length,
    ];
}

/// Which games to find: those that meet all given conditions. Texts and options give all but `ids`,
/// `position` and `sort`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(Args))]
#[serde(default, deny_unknown_fields)]
pub struct Query {
    /// Games of this player: each word begins a word of the name
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    #[serde(deserialize_with = "parsed")]
    pub player: Option<String>,
    /// Games against this player
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    #[serde(deserialize_with = "parsed")]
    pub opponent: Option<String>,
    /// The player's side
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(deserialize_with = "color")]
    #[schemars(with = "String", extend("enum" = ["white", "black"]))]
    pub color: Option<Color>,
    /// The event, or where it was played
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    #[serde(deserialize_with = "parsed")]
    pub event: Option<String>,
    /// Years: 1990-2010, 1990- or 1990
    #[cfg_attr(feature = "clap", arg(long, value_name = "YEARS", value_parser = parse_years))]
    #[serde(deserialize_with = "years")]
    #[schemars(with = "String")]
    pub years: Option<RangeInclusive<u32>>,
    /// The game: international, killer, breakthrough, losing, frisian or frysk; without it all, but
    /// a position is one of the international game
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    #[serde(deserialize_with = "parsed")]
    #[schemars(with = "String")]
    pub variant: Option<Variant>,
    /// The result: 2-0, 1-1, 0-2, '*' (not known), or win, draw, loss of the player
    #[cfg_attr(feature = "clap", arg(long, value_name = "RESULT", hide_possible_values = true))]
    pub result: Option<Outcome>,
    /// Both players have at least this rating
    #[cfg_attr(feature = "clap", arg(long, value_name = "RATING"))]
    #[serde(deserialize_with = "number::<0, 9_999, _>")]
    #[schemars(range(max = 9_999))]
    pub min_rating: Option<u32>,
    /// Moves of both sides: 40-80, 100- or -20
    #[cfg_attr(feature = "clap", arg(long, value_name = "PLIES", value_parser = parse_range,
                                     allow_hyphen_values = true))]
    #[serde(deserialize_with = "range")]
    #[schemars(with = "String")]
    pub length: Option<RangeInclusive<u32>>,
    /// Only these games
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub ids: Option<Vec<i64>>,
    /// This position occurs: draughts FEN or 51-character Hub string
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub position: Option<Position>,
    /// This material occurs: black men, black kings, white men, white kings, a digit each
    #[cfg_attr(feature = "clap", arg(long, value_name = "BBWW"))]
    #[serde(deserialize_with = "parsed")]
    #[schemars(with = "String")]
    pub material: Option<Slice>,
    /// This pattern occurs, such as "w27,32 .22 one-of b12,13 not W1"
    #[cfg_attr(feature = "clap", arg(long, value_name = "SQUARES"))]
    #[serde(deserialize_with = "parsed")]
    #[schemars(with = "String")]
    pub pattern: Option<Pattern>,
    /// The pattern lasts for this many positions in a row, 1 without it
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", requires = "pattern",
                                     value_parser = value_parser!(u32).range(1..=10_000)))]
    #[serde(deserialize_with = "number::<1, 10_000, _>")]
    #[schemars(range(min = 1, max = 10_000))]
    pub lasting: Option<u32>,
    /// These moves are played in this order, others between them or not: "31-26 36-31"
    #[cfg_attr(feature = "clap", arg(long, value_name = "MOVES"))]
    #[serde(rename = "manoeuvre", deserialize_with = "parsed")]
    #[schemars(with = "String")]
    pub moves: Option<Manoeuvre>,
    /// At most this many plies from the first of these moves to the last, or of the sacrifice (10)
    #[cfg_attr(feature = "clap", arg(long, value_name = "PLIES",
                                     value_parser = value_parser!(u32).range(1..=10_000)))]
    #[serde(deserialize_with = "number::<1, 10_000, _>")]
    #[schemars(range(min = 1, max = 10_000))]
    pub within: Option<u32>,
    /// This many men are given and never regained; a king counts as three
    #[cfg_attr(feature = "clap", arg(long, value_name = "N",
                                     value_parser = value_parser!(u32).range(1..=60)))]
    #[serde(deserialize_with = "number::<1, 60, _>")]
    #[schemars(range(min = 1, max = 60))]
    pub sacrifice: Option<u32>,
    /// The side that gives them
    #[cfg_attr(feature = "clap", arg(long, value_name = "COLOR", requires = "sacrifice",
                                     value_parser = side))]
    #[serde(deserialize_with = "color")]
    #[schemars(with = "String", extend("enum" = ["white", "black"]))]
    pub by: Option<Color>,
    /// Look only at this stretch of a game: plies 20-40, 60- or -30
    #[cfg_attr(feature = "clap", arg(long, value_name = "PLIES", value_parser = parse_range,
                                     allow_hyphen_values = true))]
    #[serde(deserialize_with = "range")]
    #[schemars(with = "String")]
    pub plies: Option<RangeInclusive<u32>>,
    /// Position, material, pattern and moves also with the board turned by 180 degrees and the
    /// colours exchanged
    #[cfg_attr(feature = "clap", arg(long))]
    pub twin: bool,
    /// The order of the games
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub sort: Sort,
}

impl Query {
    /// Whether the moves of games must be searched.
    #[must_use]
    pub fn looks_at_boards(&self) -> bool {
        self.material.is_some()
            || self.pattern.is_some()
            || self.moves.is_some()
            || self.sacrifice.is_some()
    }
}

/// A condition that is written as a text, or as a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum TextOrNumber {
    Text(String),
    Number(u64),
}

/// Reads a condition; an empty text is none.
fn read<'de, D: Deserializer<'de>, T>(
    given: D,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, D::Error> {
    let text = match TextOrNumber::deserialize(given)? {
        TextOrNumber::Text(text) => text,
        TextOrNumber::Number(number) => number.to_string(),
    };
    let text = Some(text.trim()).filter(|text| !text.is_empty());
    text.map(parse).transpose().map_err(D::Error::custom)
}

fn parsed<'de, D: Deserializer<'de>, T>(given: D) -> Result<Option<T>, D::Error>
where
    T: FromStr<Err: ToString>,
{
    read(given, |text| text.parse().map_err(|error: T::Err| error.to_string()))
}

fn number<'de, const LEAST: u32, const MOST: u32, D: Deserializer<'de>>(
    given: D,
) -> Result<Option<u32>, D::Error> {
    read(given, |text| {
        let number = text.parse().ok().filter(|number| (LEAST..=MOST).contains(number));
        number.ok_or_else(|| format!("expected a whole number from {LEAST} to {MOST}"))
    })
}

fn range<'de, D: Deserializer<'de>>(given: D) -> Result<Option<RangeInclusive<u32>>, D::Error> {
    read(given, parse_range)
}

fn years<'de, D: Deserializer<'de>>(given: D) -> Result<Option<RangeInclusive<u32>>, D::Error> {
    read(given, parse_years)
}

fn color<'de, D: Deserializer<'de>>(given: D) -> Result<Option<Color>, D::Error> {
    read(given, side)
}

fn side(text: &str) -> Result<Color, String> {
    match text {
        "white" => Ok(Color::White),
        "black" => Ok(Color::Black),
        _ => Err("expected white or black".to_owned()),
    }
}
