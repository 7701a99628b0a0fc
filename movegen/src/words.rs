//! Common parts of messages and options: numbers of things, ranges, texts from outside.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

/// A number of things, such as `1 game`, `2 games` or `5 plies`; the noun is given in the singular.
#[must_use]
pub fn counted<N: Display + Copy + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    if count == N::from(1) {
        return format!("{count} {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}

/// A range as people write it: `1990-2010`, `1990-`, `-2010` or `1990`.
///
/// # Errors
/// Says what was expected.
pub fn parse_range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let expected = || "expected a range such as 40-80, 40- or 40".to_owned();
    let bound = |text: &str, open: u32| match text.trim() {
        "" => Ok(open),
        text => text.parse::<u32>().map_err(|_| expected()),
    };
    let (first, last) = match text.split_once('-') {
        Some(("", "")) => return Err(expected()),
        Some((first, last)) => (bound(first, 0)?, bound(last, u32::MAX)?),
        None => (bound(text, u32::MAX)?, bound(text, 0)?),
    };
    if first > last { Err(expected()) } else { Ok(first..=last) }
}

/// A number of seconds, such as `0.5`.
///
/// # Errors
/// Says what was expected.
pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().filter(|seconds| (0.001..=1e7).contains(seconds));
    let expected = || "expected a number of seconds from 0.001 to 10000000".to_owned();
    time.map(Duration::from_secs_f64).ok_or_else(expected)
}

/// The first characters of a text that came from outside; three dots where there are more than
/// `most`.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shortened("дамка", 5), "дамка");
        assert_eq!(shortened("дамка", 4), "дамк...");
        assert_eq!(shortened("", 0), "");
    }

    #[test]
    fn ranges_are_read_as_people_write_them() {
        for (text, range) in
            [("40-80", 40..=80), ("40-", 40..=u32::MAX), ("-80", 0..=80), (" 7 ", 7..=7)]
        {
            assert_eq!(parse_range(text), Ok(range), "{text}");
        }
        for text in ["", "-", "x", "8-4", "4-8-9", "4294967296"] {
            assert!(parse_range(text).is_err(), "{text}");
        }
    }

    #[test]
    fn seconds_have_fractions_and_bounds() {
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["", "0", "-1", "x", "nan", "1e8"] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn singular_and_plural() {
        let texts = [counted(0_u64, "game"), counted(1_usize, "ply"), counted(7_u32, "ply")];
        assert_eq!(texts, ["0 games", "1 ply", "7 plies"]);
        assert_eq!(counted(2_u8, "day"), "2 days");
    }
}
