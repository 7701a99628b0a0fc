//! What messages have in common: numbers of things, texts from outside.

use std::fmt::Display;

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
    fn singular_and_plural() {
        let texts = [counted(0_u64, "game"), counted(1_usize, "ply"), counted(7_u32, "ply")];
        assert_eq!(texts, ["0 games", "1 ply", "7 plies"]);
        assert_eq!(counted(2_u8, "day"), "2 days");
    }
}
