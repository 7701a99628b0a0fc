//! Figures for programs: no more digits than they are worth.

use serde::Serializer;

use meerslag_search::Score;

/// The value with this many digits after the point.
#[must_use]
pub fn rounded(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

/// Seconds, to microseconds.
pub(crate) fn seconds<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*value, 6))
}

/// Large numbers, such as nodes per second, to whole ones.
pub(crate) fn whole<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(value.round())
}

/// Ratios, to thousandths.
pub(crate) fn ratio<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*value, 3))
}

/// Scores, in men.
pub(crate) fn men<S: Serializer>(score: &Score, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(score.men())
}
