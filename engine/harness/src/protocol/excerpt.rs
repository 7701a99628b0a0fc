//! The beginning of a text that came from outside, for messages of one line.

/// At most this many characters, without control characters.
pub(crate) fn excerpt(text: &str, length: usize) -> String {
    cut(text, length, text.chars().take(length).filter(|c| !c.is_control()).collect())
}

/// At most this many characters; those that are not printable ASCII are written as escapes.
pub(crate) fn escaped_excerpt(text: &str, length: usize) -> String {
    let escaped: String = text.chars().take(length).flat_map(char::escape_default).collect();
    cut(text, length, escaped.replace("\\\"", "\"").replace("\\'", "'"))
}

/// Marks what is not all of the text.
fn cut(text: &str, length: usize, mut beginning: String) -> String {
    if text.chars().nth(length).is_some() {
        beginning.push_str("...");
    }
    beginning
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_odd_characters_do_no_harm() {
        for (text, plain, escaped) in [
            ("ab", "ab", "ab"),
            ("abcde", "abcde", "abcde"),
            ("abcdef", "abcde...", "abcde..."),
            ("a\u{1b}é", "aé", "a\\u{1b}\\u{e9}"),
            ("'\"'", "'\"'", "'\"'"),
        ] {
            assert_eq!(
                (excerpt(text, 5).as_str(), escaped_excerpt(text, 5).as_str()),
                (plain, escaped)
            );
        }
    }
}
