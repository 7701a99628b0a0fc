//! Errors in Hub lines.

use meerslag_search::RootMovesError;
use movegen::ParseFenError;
use thiserror::Error;

use crate::protocol::excerpt;

/// The most that is written of an engine's message: a path fits in.
const MAX_MESSAGE: usize = 240;

/// Longest piece of the offending text that an error message repeats.
const MAX_QUOTED: usize = 40;

/// Why a Hub line, or one argument of it, has no effect. The text becomes the `message` of the
/// protocol's `error` line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum HubError {
    /// A character is where the line syntax does not allow it.
    #[error("column {column}: unexpected {found}, expected {expected}")]
    Unexpected {
        /// Counted in characters, from 1.
        column: usize,
        /// The character, made printable.
        found: String,
        /// What the syntax allows here.
        expected: &'static str,
    },
    /// The line ends within a quoted value.
    #[error("column {column}: the quoted value that starts here has no closing quote")]
    UnclosedQuote {
        /// The column of the opening quote, from 1.
        column: usize,
    },
    /// The line ends after `name=`.
    #[error("column {column}: no value after '{name}='; an empty value is written \"\" in quotes")]
    MissingValue {
        /// Where the value was expected, from 1.
        column: usize,
        /// The argument's name.
        name: String,
    },
    /// The line is longer than the reader keeps.
    #[error("line longer than {limit} bytes")]
    LineTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// A number that cannot be read.
    #[error("{name}={text}: expected {expected}")]
    BadNumber {
        /// The argument's name.
        name: String,
        /// The offending text, quotable.
        text: String,
        /// `an integer`, `a number`.
        expected: &'static str,
    },
    /// A known parameter was given a value of the wrong kind.
    #[error("parameter {name}: bad value '{text}', expected {expected}")]
    BadValue {
        /// The parameter's name.
        name: String,
        /// The offending text, quotable.
        text: String,
        /// What the parameter accepts.
        expected: String,
    },
    /// A parameter that there is not; the protocol ignores it.
    #[error("unknown parameter {name}, expected {names}")]
    UnknownParam {
        /// The name, quotable.
        name: String,
        /// The known ones.
        names: String,
    },
    /// `set-param` without `name`, or without `value` for a known parameter.
    #[error("set-param without '{0}'")]
    IncompleteParam(&'static str),
    /// The position string is not a position.
    #[error("bad position: {0}")]
    BadPosition(#[source] ParseFenError),
    /// Frisian's counters are none, or of another variant.
    #[error("wolf={0}: expected the king moves in a row of a Frisian position, such as W28=2")]
    BadWolf(String),
    /// A move of the list is unreadable or illegal.
    #[error("illegal move {0}")]
    IllegalMove(String),
    /// A move to choose from is unreadable or illegal, or none is left.
    #[error("{0}")]
    RootMoves(#[source] RootMovesError),
    /// A client of chess programs.
    #[error("this program speaks the Hub protocol, not UCI: its first line is 'hub'")]
    Uci,
    /// The engine could not apply its parameters, for example for lack of memory.
    #[error("{0}")]
    Engine(String),
}

impl HubError {
    pub(super) fn bad_number(name: &str, text: &str, expected: &'static str) -> HubError {
        HubError::BadNumber { name: name.to_owned(), text: quotable(text), expected }
    }

    pub(crate) fn bad_value(name: &str, text: &str, expected: impl Into<String>) -> HubError {
        HubError::BadValue {
            name: name.to_owned(),
            text: quotable(text),
            expected: expected.into(),
        }
    }
}

/// The beginning of a text from outside, safe for a one-line message.
pub(super) fn quotable(text: &str) -> String {
    excerpt(text, MAX_QUOTED)
}

/// The beginning of a message, fit for one line.
pub(super) fn one_line(message: &str) -> String {
    excerpt(message, MAX_MESSAGE)
}
