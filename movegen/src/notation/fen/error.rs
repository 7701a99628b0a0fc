//! Errors and warnings of the readers of positions.

use thiserror::Error;

use crate::color::Color;
use crate::notation::text::line_and_column;
use crate::piece::Kind;
use crate::square::Square;

/// Something a reader accepts but a user may want to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum FenWarning {
    /// The turn was `?`; White is taken to move.
    #[error("unknown side to move, White assumed")]
    UnknownTurn,
    /// A captured piece not yet removed (lidraughts, in the middle of a capture) was left out.
    #[error("captured {} on {square} left out", kind_name(*.kind))]
    Ghost {
        /// Man (`G`) or king (`P`).
        kind: Kind,
        /// Where it stood.
        square: Square,
    },
    /// A man that should be a king (with [`StrandedMen::Keep`](super::StrandedMen::Keep)): the set-up is not a position.
    #[error("{color} man on square {square}, its own promotion row")]
    ManOnPromotionRow {
        /// The owner of the man.
        color: Color,
        /// Its place.
        square: Square,
    },
    /// Text after the final dot was dropped.
    #[error("text after the dot at offset {offset} dropped")]
    TextAfterDot {
        /// Byte offset of the dropped text.
        offset: usize,
    },
}

const fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Man => "man",
        Kind::King => "king",
    }
}

/// Why and where a text is not a FEN, Hub or DXP position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct ParseFenError {
    /// What is wrong.
    pub kind: FenErrorKind,
    /// Byte offset of the offence in the text.
    pub offset: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
}

/// Errors of FEN, Hub or DXP position strings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum FenErrorKind {
    /// Nothing but blanks, quotes and brackets.
    #[error("empty text: expected a FEN such as W:W31-50:B1-20")]
    Empty,
    /// The first letter is not a turn.
    #[error("expected the side to move, W, B or ?")]
    ExpectedTurn,
    /// The turn is not followed by a colon.
    #[error("expected ':' after the side to move")]
    ExpectedColon,
    /// The text ends after the turn.
    #[error("expected a piece list such as W31-50 after the side to move")]
    ExpectedList,
    /// A piece list without the letter of its side.
    #[error("expected the colour letter W or B before the squares")]
    ExpectedColor,
    /// A letter that is not a side.
    #[error("'{0}' is not a colour: expected W or B")]
    UnknownColor(char),
    /// A second list of the same side.
    #[error("a second list of {0} pieces: each side has one")]
    RepeatedColor(Color),
    /// A counter given twice, or without a number, or too large.
    #[error("expected one number after the counter letter '{0}'")]
    BadCounter(char),
    /// Frisian's king moves in a row, but not Black's and White's with number and square.
    #[error("expected the king moves in a row of Black and White, such as +0+228")]
    BadKingRuns,
    /// A character that cannot be in a piece list.
    #[error("unexpected character {0:?}: expected a square, ',' or ':'")]
    UnexpectedCharacter(char),
    /// `K`, `G`, `P` or a dash without a square after it.
    #[error("expected a square number from 1 to 50")]
    ExpectedSquare,
    /// A number that is not a square.
    #[error("square {0} is not on the board: expected a number from 1 to 50")]
    SquareOutOfRange(u32),
    /// The end of a range lies before its start.
    #[error("reversed range {0}-{1}: expected the smaller square first")]
    ReversedRange(Square, Square),
    /// A range from a man to a king or the like.
    #[error("a range holds one kind of piece: expected both ends with the same letter")]
    MixedRange,
    /// A square that already holds a piece.
    #[error("square {0} is used twice")]
    SquareUsedTwice(Square),
    /// A man that should be a king.
    #[error("{color} man on square {square}, its own promotion row")]
    ManOnPromotionRow {
        /// The owner of the man.
        color: Color,
        /// Its place.
        square: Square,
    },
    /// A position string of Hub or DXP has the wrong length.
    #[error("{0} characters: expected 51, the side to move and the squares 1 to 50")]
    WrongLength(usize),
    /// A letter that has no meaning in a position string of Hub or DXP.
    #[error("unexpected character {found:?}: expected one of {expected}")]
    BadLetter {
        /// The letter.
        found: char,
        /// The letters of the format.
        expected: &'static str,
    },
    /// The board is empty, which is not a position.
    #[error("the board is empty: a position needs at least one piece")]
    EmptyBoard,
    /// Moves of a king in a row where Frisian counts none.
    #[error("{color} has no king on square {square} whose moves in a row Frisian counts")]
    KingRun {
        /// Whose king it should be.
        color: Color,
        /// Its place.
        square: Square,
    },
    /// A side that must have a piece has none.
    #[error("{0} has no piece")]
    SideWithoutPiece(Color),
}

impl ParseFenError {
    pub(in crate::notation) fn at(kind: FenErrorKind, text: &str, offset: usize) -> ParseFenError {
        let (line, column) = line_and_column(text, offset);
        ParseFenError { kind, offset, line, column }
    }
}
