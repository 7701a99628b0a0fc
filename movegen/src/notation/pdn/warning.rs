//! The warnings of a tolerant reader.

use std::fmt;
use std::mem::discriminant;

use thiserror::Error;

use super::chars::TextPos;
use super::kind::OtherGame;
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
    /// The oddity.
    pub kind: PdnWarningKind,
}

impl PdnWarning {
    pub(super) fn at(place: TextPos, kind: PdnWarningKind) -> PdnWarning {
        PdnWarning { line: place.line, column: place.column, kind }
    }
}

/// Oddities of PDN files.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PdnWarningKind {
    /// Text before the first tag or move of the file or game was skipped.
    #[error("'{0}' skipped: expected a tag or a move")]
    TextSkipped(String),
    /// Something that is not a part of move text; it is kept as a comment.
    #[error("'{0}' is not readable: expected a move, a comment, a variation or a result")]
    Unreadable(String),
    /// The game needs more than this many bytes of memory, so it is probably not a game.
    #[error("game abandoned: its moves and comments take more than {} MiB of memory", .0 >> 20)]
    GameTooLong(usize),
    /// A move that is not legal, or cannot be read: the line ends there, and the rest is kept as a
    /// comment.
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
    #[error("'{0}' is not a move: the rest is kept as a comment")]
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
    /// The value of the `Result` tag has no meaning.
    #[error("'{0}' is not a result: expected one such as 2-0, 1-1, 0-2 or *")]
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
    /// The value of the `GameType` tag is not a type.
    #[error("'{0}' is not a game type: expected a number such as 20")]
    BadGameType(String),
    /// The games of other kinds are skipped.
    #[error("{0}")]
    OtherGameType(OtherGame),
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

impl PdnWarningKind {
    /// Whether both messages are the same except for the moves and words in them.
    fn is_like(&self, other: &PdnWarningKind) -> bool {
        match (self, other) {
            (PdnWarningKind::OtherGameType(one), PdnWarningKind::OtherGameType(other)) => {
                one == other
            }
            (PdnWarningKind::Fen(one), PdnWarningKind::Fen(other)) => {
                discriminant(one) == discriminant(other)
            }
            _ => discriminant(self) == discriminant(other),
        }
    }
}

/// A game or a reader keeps at most this many warnings; all are counted.
pub(super) const MAX_WARNINGS: usize = 100;

/// The first warnings, and the counts of all.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    pub(super) first: Vec<PdnWarning>,
    pub(super) summary: WarningSummary,
}

impl Warnings {
    pub(super) fn push(&mut self, warning: PdnWarning) {
        self.summary.add(&warning);
        if self.first.len() < MAX_WARNINGS {
            self.first.push(warning);
        }
    }

    pub(super) fn append(&mut self, other: Warnings) {
        self.summary.merge(other.summary);
        let room = MAX_WARNINGS - self.first.len();
        self.first.extend(other.first.into_iter().take(room));
    }
}

/// How many lines a kind of warning names after the first.
const MORE_LINES: usize = 8;

/// A file with games of more types than this is not a file of games; further types count with the
/// last.
const MAX_KINDS: usize = 64;

/// The warnings of a file, added up: each kind once, with its places and how often it came.
///
/// # Examples
/// ```
/// use movegen::notation::pdn::PdnReader;
///
/// let text = "[GameType \"25\"]\n*\n\n[GameType \"25\"]\n*\n\n1. 32-28 *";
/// let mut reader = PdnReader::new(text.as_bytes());
/// assert_eq!(reader.by_ref().count(), 1);
/// let said: Vec<String> = reader.warnings().iter().map(ToString::to_string).collect();
/// assert_eq!(said, ["line 1, column 1: game of type 25 skipped: only 20, international \
///     draughts, is read (25 is Russian draughts); 1 more of this kind, on line 4"]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WarningSummary(Vec<WarningCount>);

/// A kind of warning, and how often it came. Its text names the first one and some further lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WarningCount {
    /// The first one in the file.
    pub first: PdnWarning,
    /// How often the kind came, the first one included.
    pub count: u64,
    /// The lines of the next ones, at most eight.
    more: Vec<u64>,
}

impl WarningSummary {
    /// The kinds, in order of discovery.
    pub fn iter(&self) -> impl Iterator<Item = &WarningCount> {
        self.0.iter()
    }

    /// The number of warnings.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.iter().map(|kind| kind.count).sum()
    }

    /// Adds a warning.
    pub fn add(&mut self, warning: &PdnWarning) {
        self.put(WarningCount { first: warning.clone(), count: 1, more: Vec::new() });
    }

    /// Adds the warnings of a later part of the file.
    pub(super) fn merge(&mut self, other: WarningSummary) {
        other.0.into_iter().for_each(|kind| self.put(kind));
    }

    fn put(&mut self, kind: WarningCount) {
        let is_known = |known: &WarningCount| known.first.kind.is_like(&kind.first.kind);
        match self.0.iter().position(is_known) {
            Some(at) => self.0[at].add(kind),
            None if self.0.len() == MAX_KINDS => self.0[MAX_KINDS - 1].count += kind.count,
            None => self.0.push(kind),
        }
    }
}

impl WarningCount {
    /// The warning, with the number and the places of its repetitions.
    #[must_use]
    pub fn reason(&self) -> String {
        let reason = self.first.kind.to_string();
        let others = self.count - 1;
        if others == 0 {
            return reason;
        }
        let lines: Vec<String> = self.more.iter().map(u64::to_string).collect();
        let places = match &lines[..] {
            [] => "on the same line".to_owned(),
            [only] => format!("on line {only}"),
            _ => format!("on lines {}", lines.join(", ")),
        };
        let end = if self.more.len() == MORE_LINES { " and so on" } else { "" };
        format!("{reason}; {others} more of this kind, {places}{end}")
    }

    /// Adds warnings of the same kind.
    fn add(&mut self, mut other: WarningCount) {
        let place = |count: &WarningCount| (count.first.line, count.first.column);
        if place(&other) < place(self) {
            std::mem::swap(&mut self.first, &mut other.first);
        }
        self.count += other.count;
        for line in [other.first.line].into_iter().chain(other.more) {
            let is_named = line == self.first.line || self.more.contains(&line);
            if self.more.len() < MORE_LINES && !is_named {
                self.more.push(line);
            }
        }
    }
}

impl fmt::Display for WarningCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PdnWarning { line, column, .. } = self.first;
        write!(f, "line {line}, column {column}: {}", self.reason())
    }
}

/// Why reading a PDN file ended early. Broken games do not end it; see [`PdnWarning`].
#[derive(Debug, Error)]
pub enum ParsePdnError {
    /// The input failed.
    #[error("line {line}: cannot read any further")]
    Io {
        /// The line reached, from 1.
        line: u64,
        /// The cause.
        source: std::io::Error,
    },
}
