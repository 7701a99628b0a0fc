//! Numbers of the search to tune.

use std::ops::RangeInclusive;
use std::str::FromStr;

use meerslag_search::SearchNumbers;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A number of the search to tune, within a range.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TunedNumber {
    /// Its name in the source of the search.
    pub name: String,
    /// The least value.
    pub low: i32,
    /// The greatest value.
    pub high: i32,
    /// Its value at the start: the one that the engine plays with.
    pub start: i32,
}

/// Why a text is not a number to tune.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParseNumberError {
    /// No such number.
    #[error("no search number is called '{0}': expected {names}", names = names())]
    Name(String),
    /// Not `NAME` or `NAME=LOW..HIGH`.
    #[error("'{0}': expected NAME or NAME=LOW..HIGH with whole numbers, LOW below HIGH")]
    Form(String),
    /// A range beyond the search's own.
    #[error("the range of {name} must lie within {low}..{high}")]
    Range {
        /// The number.
        name: String,
        /// The least low end.
        low: i32,
        /// The greatest high end.
        high: i32,
    },
    /// The engine's number is not in the range.
    #[error("{name} is {start} now, outside the range")]
    Start {
        /// The number.
        name: String,
        /// Its value.
        start: i32,
    },
}

fn names() -> String {
    let names: Vec<&str> = SearchNumbers::ALL.iter().map(|(name, ..)| *name).collect();
    names.join(", ")
}

impl TunedNumber {
    /// All numbers with their own ranges.
    #[must_use]
    pub fn all() -> Vec<TunedNumber> {
        let number = |(name, start, range): &(&str, i32, RangeInclusive<i32>)| TunedNumber {
            name: (*name).to_owned(),
            low: *range.start(),
            high: *range.end(),
            start: *start,
        };
        SearchNumbers::ALL.iter().map(number).collect()
    }
}

impl FromStr for TunedNumber {
    type Err = ParseNumberError;

    fn from_str(text: &str) -> Result<TunedNumber, ParseNumberError> {
        let (name, range) = text.split_once('=').map_or((text, None), |(n, r)| (n, Some(r)));
        let mut all = TunedNumber::all().into_iter();
        let mut number = all
            .find(|number| number.name == name)
            .ok_or_else(|| ParseNumberError::Name(name.to_owned()))?;
        let Some(range) = range else { return Ok(number) };
        let ends =
            range.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        let (low, high) = ends
            .filter(|(low, high)| low < high)
            .ok_or_else(|| ParseNumberError::Form(text.to_owned()))?;
        let TunedNumber { name, start, .. } = number.clone();
        if low < number.low || high > number.high {
            return Err(ParseNumberError::Range { name, low: number.low, high: number.high });
        }
        if !(low..=high).contains(&start) {
            return Err(ParseNumberError::Start { name, start });
        }
        (number.low, number.high) = (low, high);
        Ok(number)
    }
}
