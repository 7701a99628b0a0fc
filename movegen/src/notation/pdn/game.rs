//! A game as PDN keeps it: tags, moves, and annotations.

use super::comment::Comment;
use super::result::GameResult;
use super::text::{MAX_NAME, is_in_name};
use super::warning::{PdnWarning, PdnWarningKind};
use crate::game::Game;
use crate::moves::Move;
use crate::notation::fen::Fen;
use crate::position::Position;

/// The tags of a game in the order of the file. Names compare without regard to case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tags(Vec<(String, String)>);

impl Tags {
    /// No tags.
    #[must_use]
    pub fn new() -> Tags {
        Tags::default()
    }

    /// The value of a tag; of the first one if there are several.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// Sets a tag, in its place if it exists, otherwise at the end.
    pub fn set(&mut self, name: &str, value: &str) {
        match self.0.iter_mut().find(|(n, _)| n.eq_ignore_ascii_case(name)) {
            Some((_, v)) => value.clone_into(v),
            None => self.0.push((name.to_owned(), value.to_owned())),
        }
    }

    /// Takes a tag out.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
    }

    /// Whether a tag can have this name: a letter, then letters, digits, `_` or `-`.
    #[must_use]
    pub fn is_name(name: &str) -> bool {
        name.starts_with(char::is_alphabetic)
            && name.len() <= MAX_NAME
            && name.chars().all(is_in_name)
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(n, v)| (n.as_str(), v.as_str()))
    }

    /// Whether there are no tags.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn push(&mut self, name: String, value: String) {
        self.0.push((name, value));
    }
}

/// What may come between two moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Annotation {
    /// A remark, perhaps with clock times.
    Comment(Comment),
    /// Another line of play instead of the last move before it.
    Variation(Variation),
    /// A set-up command: play continues from this position.
    SetUp(Position),
}

/// A move with its annotations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// Numeric annotation glyphs (`$1`; `!` is read as 1, `?` 2, `!!` 3, `??` 4, `!?` 5, `?!` 6,
    /// `*` 7; of the signs of evaluation `=` is 10, `+-` 18, `-+` 19 and so on). Programs use their
    /// own numbers above 255.
    pub nags: Vec<u32>,
    /// What follows the move, in order.
    pub after: Vec<Annotation>,
}

impl From<Move> for Ply {
    fn from(mv: Move) -> Ply {
        Ply { mv, nags: Vec::new(), after: Vec::new() }
    }
}

impl Ply {
    /// The comments after the move.
    pub fn comments(&self) -> impl Iterator<Item = &Comment> {
        self.after.iter().filter_map(|a| match a {
            Annotation::Comment(comment) => Some(comment),
            _ => None,
        })
    }

    /// The variations that replace the move.
    pub fn variations(&self) -> impl Iterator<Item = &Variation> {
        self.after.iter().filter_map(|a| match a {
            Annotation::Variation(line) => Some(line),
            _ => None,
        })
    }
}

/// A line of play: the main variation of a game, or one beside it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Variation {
    /// The items before the first move.
    pub lead: Vec<Annotation>,
    /// The moves.
    pub plies: Vec<Ply>,
}

impl Variation {
    /// The moves alone.
    pub fn moves(&self) -> impl Iterator<Item = Move> {
        self.plies.iter().map(|p| p.mv)
    }

    /// Whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lead.is_empty() && self.plies.is_empty()
    }

    /// What follows the last move, or comes before the first one if there is none.
    pub fn tail(&mut self) -> &mut Vec<Annotation> {
        match self.plies.last_mut() {
            Some(ply) => &mut ply.after,
            None => &mut self.lead,
        }
    }
}

/// A game of international draughts. Every move of the main line and of the variations is legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PdnGame {
    /// The tags, `FEN` and `Result` among them as they were written.
    pub tags: Tags,
    /// The position before the first move.
    pub start: Position,
    /// `:Hn` of the `FEN` tag: plies that already count for the draw rule of the start position.
    pub halfmoves: Option<u32>,
    /// `:Fn` of the `FEN` tag: the number of the first move.
    pub move_number: Option<u32>,
    /// The main line.
    pub line: Variation,
    /// The result, from the tag if there is one, otherwise from the end of the move text.
    pub result: GameResult,
    /// Why the main line ends before the move text did; the result must not be trusted then. It is also
    /// in the tag `Truncated`, by which the reader knows such a game when it comes again.
    pub truncated: Option<PdnWarning>,
    /// The same start and moves have been read before from this file.
    pub is_duplicate: bool,
    /// The reader's warnings, at most 100.
    pub warnings: Vec<PdnWarning>,
    /// Line of the file where the game begins, from 1; 0 if it was not read.
    pub first_line: u64,
}

impl PdnGame {
    /// A game without moves from a position, result unknown.
    #[must_use]
    pub fn new(start: Position) -> PdnGame {
        PdnGame {
            tags: Tags::new(),
            start,
            halfmoves: None,
            move_number: None,
            line: Variation::default(),
            result: GameResult::Unknown,
            truncated: None,
            is_duplicate: false,
            warnings: Vec::new(),
            first_line: 0,
        }
    }

    /// Whether the position changes by command in the middle of the game.
    #[must_use]
    pub fn has_set_ups(&self) -> bool {
        let sets_up = |list: &[Annotation]| list.iter().any(|a| matches!(a, Annotation::SetUp(_)));
        sets_up(&self.line.lead) || self.line.plies.iter().any(|p| sets_up(&p.after))
    }

    /// Why the game may not be what its author wrote: the main line ends early, the reader skipped
    /// something in the move text, or kept a word with a figure as a comment.
    #[must_use]
    pub fn damage(&self) -> Option<&PdnWarning> {
        let is_skipped = |warning: &&PdnWarning| match &warning.kind {
            PdnWarningKind::Unreadable(word) => word.contains(|c: char| c.is_ascii_digit()),
            kind => matches!(
                kind,
                PdnWarningKind::UnfinishedComment
                    | PdnWarningKind::UnfinishedVariation
                    | PdnWarningKind::VariationTooDeep(_)
            ),
        };
        self.truncated.as_ref().or_else(|| self.warnings.iter().find(is_skipped))
    }

    /// A game of the rules that begins where this one does, with the plies that its FEN counts
    /// already (`:Hn`), and without its moves.
    #[must_use]
    pub fn beginning(&self) -> Game {
        self.start_fen().game_from(self.start)
    }

    /// The start with the counters of the `FEN` tag.
    pub fn start_fen(&self) -> Fen {
        let (halfmoves, move_number) = (self.halfmoves, self.move_number);
        Fen { halfmoves, move_number, ..Fen::from(&self.start) }
    }

    /// The position before each move and the move itself, set-ups included.
    pub fn positions(&self) -> impl Iterator<Item = (Position, &Ply)> {
        let mut position = after_set_ups(self.start, &self.line.lead);
        self.line.plies.iter().map(move |ply| {
            let before = position;
            position = after_set_ups(before.after(ply.mv), &ply.after);
            (before, ply)
        })
    }

    /// The position after the last move.
    #[must_use]
    pub fn last_position(&self) -> Position {
        self.positions().last().map_or_else(
            || after_set_ups(self.start, &self.line.lead),
            |(before, ply)| after_set_ups(before.after(ply.mv), &ply.after),
        )
    }
}

/// The position that the last set-up of the list gives, if there is one.
pub(super) fn after_set_ups(position: Position, list: &[Annotation]) -> Position {
    list.iter()
        .rev()
        .find_map(|a| if let Annotation::SetUp(p) = a { Some(*p) } else { None })
        .unwrap_or(position)
}
