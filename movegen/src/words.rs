//! Common parts of messages and options: numbers of things, ranges, texts from outside, texts in
//! the languages of people.

use std::collections::BTreeMap;
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

/// Years as people write them: `1990-2010`, `1990-`, `-2010` or `1990`.
///
/// # Errors
/// Says what was expected.
pub fn parse_years(text: &str) -> Result<RangeInclusive<u32>, String> {
    range(text, "years such as 1990-2010, 1990- or 1990")
}

/// A range as people write it: `40-80`, `40-`, `-80` or `40`.
///
/// # Errors
/// Says what was expected.
pub fn parse_range(text: &str) -> Result<RangeInclusive<u32>, String> {
    range(text, "a range such as 40-80, 40- or 40")
}

fn range(text: &str, what: &str) -> Result<RangeInclusive<u32>, String> {
    let expected = || format!("expected {what}");
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

/// Texts for people in one language, by key.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "json", derive(serde::Deserialize))]
pub struct Words {
    /// The code of the language, as in ISO 639-1.
    pub language: String,
    /// The texts, with names of values in braces. A noun with a number lists its forms, for one,
    /// few and all others: `{plies|ply|plies}`.
    pub texts: BTreeMap<String, String>,
}

impl Words {
    /// The text of this key, with values for the names in braces. Without such a text, the key.
    #[must_use]
    pub fn say(&self, key: &str, values: &[(&str, &dyn Display)]) -> String {
        let mut rest = self.texts.get(key).map_or(key, String::as_str);
        let mut said = String::new();
        while let Some((before, (inner, after))) =
            rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        {
            let mut parts = inner.split('|');
            let name = parts.next().unwrap_or_default();
            let value =
                values.iter().find(|value| value.0 == name).map(|value| value.1.to_string());
            let value = value.unwrap_or_default();
            let forms: Vec<&str> = parts.collect();
            let form = value.parse().map_or(usize::MAX, |count| self.form(count));
            said += before;
            said += forms.get(form).or(forms.last()).unwrap_or(&value.as_str());
            rest = after;
        }
        said + rest
    }

    /// The place of the form of a noun with a number, by the plural rules of Unicode's CLDR.
    fn form(&self, count: u64) -> usize {
        let is_few = (2..=4).contains(&(count % 10)) && !(12..=14).contains(&(count % 100));
        match self.language.as_str() {
            "fr" | "pt" if count < 2 => 0,
            "ru" if count % 10 == 1 && count % 100 != 11 => 0,
            "ru" | "pl" if is_few => 1,
            _ if count == 1 => 0,
            _ => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_with_a_number_have_their_form() {
        let text = "{move}: {plies} {plies|a|b|c}";
        let say = |language: &str, plies: u64| {
            let texts = BTreeMap::from([("key".to_owned(), text.to_owned())]);
            let words = Words { language: language.to_owned(), texts };
            words.say("key", &[("plies", &plies), ("move", &"32-28")])
        };
        let forms = |language: &str| -> String {
            let counts = [0, 1, 2, 5, 11, 12, 21, 22, 25, 101, 111, 112].into_iter();
            counts.map(|plies| say(language, plies).chars().last().unwrap()).collect()
        };
        // The same as Intl.PluralRules gives.
        assert_eq!(forms("en"), "cacccccccccc");
        assert_eq!(forms("fr"), "aacccccccccc");
        assert_eq!(forms("ru"), "cabcccabcacc");
        assert_eq!(forms("pl"), "cabccccbcccc");
        assert_eq!(say("nl", 1), "32-28: 1 a");
        let none = Words { language: "en".to_owned(), texts: BTreeMap::new() };
        assert_eq!(none.say("value.win", &[]), "value.win");
    }

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
