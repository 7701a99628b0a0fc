//! The beginning of a text that came from outside, for messages of one line.

use movegen::words::shortened;

/// At most this many characters, without control characters.
pub(crate) fn excerpt(text: &str, length: usize) -> String {
    shortened(text, length).chars().filter(|c| !c.is_control()).collect()
}

/// At most this many characters; those that are not printable ASCII are written as escapes.
pub(crate) fn escaped_excerpt(text: &str, length: usize) -> String {
    let escaped: String = shortened(text, length).chars().flat_map(char::escape_default).collect();
    escaped.replace("\\\"", "\"").replace("\\'", "'")
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
