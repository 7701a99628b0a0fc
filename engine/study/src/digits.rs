//! Figures for programs: no more digits than they are worth.

use serde::Serializer;

use movegen::Score;

/// The value with this many digits after the point.
#[must_use]
pub fn rounded(value: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

/// The median of these values, the greater one of two in the middle; `None` if there is none. The
/// values are in order afterwards.
pub fn median<T: Ord + Copy>(values: &mut [T]) -> Option<T> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
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
        assert_eq!(median(&mut [3, 1, 2]), Some(2));
        assert_eq!(median(&mut [4, 1, 2, 9]), Some(4));
        assert_eq!(median::<u8>(&mut []), None);
    }
}
