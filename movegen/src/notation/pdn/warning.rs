//! What a tolerant reader has to say.

use thiserror::Error;

use super::chars::Place;
use super::result::GameResult;
use crate::notation::fen::{FenWarning, ParseFenError};
use crate::notation::moves::ParseMoveError;

/// Something odd in a PDN file, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct PdnWarning {
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: u64,
    /// What is odd.
    pub kind: PdnWarningKind,
}

impl PdnWarning {
    pub(super) fn at(place: Place, kind: PdnWarningKind) -> PdnWarning {
        PdnWarning { line: place.line, column: place.column, kind }
    }
}

/// What is odd in a PDN file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PdnWarningKind {
    /// Text before the first tag or move of the file or game was skipped.
    #[error("'{0}' skipped: expected a tag or a move")]
    TextSkipped(String),
    /// Something that is no part of move text was skipped. Five of these in one game end it.
    #[error("'{0}' is not readable: expected a move, a comment, a variation or a result")]
    Unreadable(String),
    /// The game was given up after too much unreadable text.
    #[error("game abandoned after {0} unreadable parts")]
    Abandoned(u32),
    /// The game is too long to be one: the bytes of memory that are too few for it.
    #[error("game abandoned: its moves and comments take more than {} MiB of memory", .0 >> 20)]
    GameTooLong(usize),
    /// A move that is not legal (in the main line the game ends there).
    #[error("{0}")]
    Move(#[from] ParseMoveError),
    /// Several moves fit the text and the rest of the game; the first was taken.
    #[error("{0}; the first was taken")]
    AmbiguousMove(ParseMoveError),
    /// A capture written in part; the only legal one that begins so was taken.
    #[error("'{text}' is only a part of the capture {whole}")]
    PartialCapture {
        /// The move as written.
        text: String,
        /// The move taken, in Hub form.
        whole: String,
    },
    /// A null move: the game is read up to here, the rest is kept as a comment.
    #[error("'{0}' is no move: the rest is kept as a comment")]
    NullMove(String),
    /// The start position cannot be read.
    #[error("the FEN tag is unusable: {0}")]
    BadFen(ParseFenError),
    /// A set-up command cannot be read.
    #[error("the set-up command is unusable: {0}")]
    BadSetUp(ParseFenError),
    /// The start position was read, but is odd.
    #[error("in the FEN: {0}")]
    Fen(FenWarning),
    /// The value of the `Result` tag says nothing.
    #[error("'{0}' is no result: expected one such as 2-0, 1-1, 0-2 or *")]
    BadResult(String),
    /// Tag and end of the game give different results; the tag counts.
    #[error("the Result tag says {tag}, the end of the game {end}; the tag counts")]
    ResultMismatch {
        /// The tag.
        tag: GameResult,
        /// The terminator.
        end: GameResult,
    },
    /// The `Truncated` tag of a game that was cut off when it was first read.
    #[error("cut off when it was first read: {0}")]
    MarkedTruncated(String),
    /// The value of the `GameType` tag is no type.
    #[error("'{0}' is no game type: expected a number such as 20")]
    BadGameType(String),
    /// The games of other types are skipped.
    #[error("game of type {0} skipped: only 20, international draughts, is read")]
    OtherGameType(u32),
    /// A tag without its closing quote or bracket.
    #[error("unfinished tag: expected \"]")]
    UnfinishedTag,
    /// A comment without its closing brace.
    #[error("unfinished comment: expected '}}'")]
    UnfinishedComment,
    /// A tag or comment too long to keep whole.
    #[error("text cut off after {0} characters")]
    TextCutOff(usize),
    /// A closing brace without an opening one.
    #[error("stray '}}' skipped")]
    StrayBrace,
    /// A closing parenthesis without an opening one.
    #[error("stray ')' skipped")]
    StrayParenthesis,
    /// The game ended inside a variation.
    #[error("unfinished variation: expected ')'")]
    UnfinishedVariation,
    /// Variations nested too deep were skipped.
    #[error("variations nested more than {0} deep are skipped")]
    VariationTooDeep(usize),
}

/// Why a PDN file could not be read on. Broken games are no reason; see [`PdnWarning`].
#[derive(Debug, Error)]
pub enum ParsePdnError {
    /// The input failed.
    #[error("line {line}: cannot read on")]
    Io {
        /// The line reached, from 1.
        line: u64,
        /// The cause.
        source: std::io::Error,
    },
}
