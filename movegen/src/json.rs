//! Output for programs: JSON objects, from `--json`, from the server and in WebAssembly. Each has
//! the keys `type` and `version`, and those of its record; `docs/json.md` is the glossary.
//! With the feature `json`.

use std::io;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::Score;

/// The version of the format: it grows when a key goes or changes its meaning, not when one comes.
pub const VERSION: u32 = 1;

/// A kind of object.
pub trait Record: Serialize + JsonSchema {
    /// The key `type`.
    const TYPE: &'static str;
}

#[derive(Serialize)]
struct Tagged<'a, R> {
    #[serde(rename = "type")]
    kind: &'static str,
    version: u32,
    #[serde(flatten)]
    record: &'a R,
}

impl<'a, R: Record> Tagged<'a, R> {
    const fn new(record: &'a R) -> Tagged<'a, R> {
        Tagged { kind: R::TYPE, version: VERSION, record }
    }
}

/// Writes one object, without an end of line.
///
/// # Errors
/// If the output fails.
pub fn write<R: Record>(out: &mut (impl io::Write + ?Sized), record: &R) -> io::Result<()> {
    Ok(serde_json::to_writer(out, &Tagged::new(record))?)
}

/// One object as text.
///
/// # Panics
/// Never: records have text keys, and numbers that JSON has.
#[must_use]
pub fn to_json<R: Record>(record: &R) -> String {
    serde_json::to_string(&Tagged::new(record)).expect("records can be written as JSON")
}

/// The value with this many digits after the point: no more than it is worth.
#[must_use]
pub fn rounded(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

/// Serializes a number, if there is one, with this many digits after the point.
///
/// # Errors
/// If the output fails.
pub fn digits<const DIGITS: i32, S: Serializer>(
    value: &(impl Into<Option<f64>> + Copy),
    out: S,
) -> Result<S::Ok, S::Error> {
    let value: Option<f64> = (*value).into();
    value.map(|value| rounded(value, DIGITS)).serialize(out)
}

/// Serializes a score in men.
///
/// # Errors
/// If the output fails.
pub fn men<S: Serializer>(
    score: &(impl Into<Option<Score>> + Copy),
    out: S,
) -> Result<S::Ok, S::Error> {
    let score: Option<Score> = (*score).into();
    score.map(Score::men).serialize(out)
}
