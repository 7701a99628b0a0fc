//! Moves in text.

use std::fmt;

use thiserror::Error;

use crate::moves::Move;

/// Why a text is no move of a position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParseMoveError {
    /// The text does not have the form of a move.
    #[error("'{text}', column {}: {expected}", .offset + 1)]
    Syntax {
        /// The text (at most 80 characters of it).
        text: String,
        /// Number of characters before the offence.
        offset: usize,
        /// What was expected there.
        expected: &'static str,
    },
    /// The text is a move but not a legal one.
    #[error("'{text}' is not a legal move in this position")]
    Illegal {
        /// The text (at most 80 characters of it).
        text: String,
    },
    /// Several legal moves fit the text.
    #[error("'{text}' is ambiguous: it may be {}", OrList(.candidates))]
    Ambiguous {
        /// The text (at most 80 characters of it).
        text: String,
        /// The legal moves that fit, in the order of the move generator; at least two.
        candidates: Vec<Move>,
    },
}

impl ParseMoveError {
    pub(super) fn syntax(text: &str, offset: usize, expected: &'static str) -> ParseMoveError {
        ParseMoveError::Syntax { text: clip(text), offset, expected }
    }

    pub(super) fn illegal(text: &str) -> ParseMoveError {
        ParseMoveError::Illegal { text: clip(text) }
    }

    /// The one candidate, or the error that tells why there is none.
    pub(super) fn only(text: &str, candidates: Vec<Move>) -> Result<Move, ParseMoveError> {
        match candidates[..] {
            [] => Err(ParseMoveError::illegal(text)),
            [only] => Ok(only),
            _ => Err(ParseMoveError::Ambiguous { text: clip(text), candidates }),
        }
    }
}

/// The start of a text, short enough for a message.
fn clip(text: &str) -> String {
    text.chars().take(80).collect()
}

/// Moves as `a, b or c`, at most ten of them.
struct OrList<'a>(&'a [Move]);

impl fmt::Display for OrList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.len().min(10);
        for (i, mv) in self.0[..shown].iter().enumerate() {
            let separator = match i {
                0 => "",
                _ if i + 1 == self.0.len() => " or ",
                _ => ", ",
            };
            write!(f, "{separator}{mv}")?;
        }
        match self.0.len() - shown {
            0 => Ok(()),
            more => write!(f, " or one of {more} more"),
        }
    }
}
