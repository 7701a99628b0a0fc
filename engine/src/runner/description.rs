//! The syntax of an engine's description: arguments, separated by blanks.
//!
//! ```text
//! argument = name | name ws* "=" ws* value
//! value    = '"' any characters except '"' '"' | everything up to the next blank
//! ```
//! It looks like the arguments of a Hub line, but a value without quotes may have `=` in it, as
//! time controls have.

use thiserror::Error;

/// Why a text is no list of arguments.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DescriptionError {
    /// A character where the syntax does not allow it.
    #[error("column {column}: unexpected {found}, expected {expected}")]
    Unexpected {
        /// Counted in characters, from 1.
        column: usize,
        /// The character, made printable.
        found: String,
        /// What is possible there.
        expected: &'static str,
    },
    /// The text ends within a quoted value.
    #[error("column {column}: the quoted value that starts here has no closing quote")]
    UnclosedQuote {
        /// Where the quote stands, from 1.
        column: usize,
    },
    /// The text ends after `name=`.
    #[error("column {column}: no value after '{name}='; an empty value is written \"\" in quotes")]
    MissingValue {
        /// Where the value was expected, from 1.
        column: usize,
        /// The argument's name.
        name: String,
    },
}

/// Names and values in the order of the text; a flag has an empty value.
///
/// # Errors
/// The first offence against the syntax, with its column.
pub(super) fn arguments(text: &str) -> Result<Vec<(&str, &str)>, DescriptionError> {
    let mut scanner = Scanner { text, at: 0 };
    let mut arguments = Vec::new();
    loop {
        scanner.take(char::is_whitespace);
        if scanner.at == text.len() {
            return Ok(arguments);
        }
        arguments.push(scanner.argument()?);
        if scanner.peek().is_some_and(|c| !c.is_whitespace()) {
            return Err(scanner.unexpected("a blank"));
        }
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn column(&self) -> usize {
        self.text[..self.at].chars().count() + 1
    }

    /// Moves on while the characters satisfy a condition.
    fn take(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let taken = &rest[..rest.find(|c| !accept(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    fn unexpected(&self, expected: &'static str) -> DescriptionError {
        let found = match self.peek() {
            Some('"') => "quote".to_owned(),
            Some(c) if c.is_control() => format!("character {}", c.escape_default()),
            Some(c) => format!("'{c}'"),
            None => "end".to_owned(),
        };
        DescriptionError::Unexpected { column: self.column(), found, expected }
    }

    fn argument(&mut self) -> Result<(&'a str, &'a str), DescriptionError> {
        let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '"';
        let name = self.take(|c| is_plain(c) && c != '=');
        if name.is_empty() {
            return Err(self.unexpected("the name of an argument"));
        }
        let end_of_name = self.at;
        self.take(char::is_whitespace);
        if self.peek() != Some('=') {
            self.at = end_of_name;
            return Ok((name, ""));
        }
        self.at += 1;
        self.take(char::is_whitespace);
        let column = self.column();
        match self.peek() {
            None => Err(DescriptionError::MissingValue { column, name: name.to_owned() }),
            Some('"') => {
                self.at += 1;
                let value = self.take(|c| c != '"');
                if self.at == self.text.len() {
                    return Err(DescriptionError::UnclosedQuote { column });
                }
                self.at += 1;
                Ok((name, value))
            }
            Some(_) => Ok((name, self.take(is_plain))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_run_to_the_next_blank() {
        let expected =
            vec![("builtin", ""), ("tc", "10,nodes=2000"), ("cmd", "a b=c"), ("x", ""), ("y", "=")];
        for text in [
            "builtin tc=10,nodes=2000 cmd=\"a b=c\" x y==",
            "  builtin\ttc = 10,nodes=2000  cmd= \"a b=c\" x=\"\" y=\"=\" ",
        ] {
            assert_eq!(arguments(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn errors_name_the_column_of_the_text() {
        for (text, message) in [
            ("=x builtin", "column 1: unexpected '=', expected the name"),
            ("é tc=\"10", "column 6: the quoted value"),
            ("cmd=\"a\"b", "column 8: unexpected 'b', expected a blank"),
            ("cmd=a\"b\"", "column 6: unexpected quote, expected a blank"),
            ("tc=", "column 4: no value after 'tc='"),
            ("a=\u{1}", "column 3: unexpected character \\u{1}, expected a blank"),
        ] {
            let error = arguments(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }
}
