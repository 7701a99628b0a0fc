//! Figures: medians, the steps of an axis.

/// The median of these values, the greater one of two in the middle; `None` if there is none. The
/// values are in order afterwards.
pub fn median<T: Ord + Copy>(values: &mut [T]) -> Option<T> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

/// A step of 1, 2 or 5 times a power of ten, so that about eight cover the range.
#[must_use]
pub fn nice_step(range: f64) -> f64 {
    let rough = range / 8.0;
    let power = 10f64.powf(rough.log10().floor());
    let factor = rough / power;
    power
        * if factor <= 1.0 {
            1.0
        } else if factor <= 2.0 {
            2.0
        } else if factor <= 5.0 {
            5.0
        } else {
            10.0
        }
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

    #[test]
    fn steps() {
        for (range, step) in [(8.0, 1.0), (9.0, 2.0), (100.0, 20.0), (0.5, 0.1), (300.0, 50.0)] {
            assert!((nice_step(range) - step).abs() < 1e-9, "{range}");
        }
    }
}
