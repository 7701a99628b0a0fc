//! Figures for programs: no more digits than they are worth.

use serde::Serializer;

use meerslag_search::Score;

/// The value with this many digits after the point.
#[must_use]
pub fn rounded(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

/// The median: of an even number of values the mean of the two in the middle. `None` of nothing.
#[must_use]
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.get(values.len().saturating_sub(1) / 2..=values.len() / 2)?;
    Some(middle.iter().sum::<f64>() / middle.len() as f64)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 9.0]), Some(3.0));
        assert_eq!(median(vec![]), None);
    }
}
