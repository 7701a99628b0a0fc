//! The shape of a game before any move is compared with the rules.

use std::io::BufRead;

use super::chars::Place;
use super::result::GameResult;
use super::token::{Lexer, Token};
use super::warning::{PdnWarning, PdnWarningKind};
use crate::color::Color;
use crate::notation::fen::{Fen, ParseFenError, position_of};
use crate::notation::moves::MoveText;
use crate::position::Position;

/// Variations nested deeper than this are skipped.
pub(super) const MAX_DEPTH: usize = 200;

/// After this many unreadable parts a game is given up.
const MAX_PROBLEMS: u32 = 5;

/// A game that takes more memory than this is none, or not one worth it.
const MAX_GAME: usize = 4 * 1024 * 1024;

/// What a move, comment or variation takes besides its text.
const ITEM_COST: usize = 256;

pub(super) const MAX_WARNINGS: usize = 100;

/// A set-up command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SetUp {
    Position(Position),
    /// An empty board (`/FEN "B::"/`): the same pieces with this side to move.
    Side(Color),
    Unusable(ParseFenError),
}

impl SetUp {
    fn read(text: &str) -> SetUp {
        match text.parse::<Fen>() {
            Ok(fen) if fen.setup.occupied().is_empty() => SetUp::Side(fen.setup.side),
            Ok(fen) => match position_of(&fen.setup, text) {
                Ok(position) => SetUp::Position(position),
                Err(error) => SetUp::Unusable(error),
            },
            Err(error) => SetUp::Unusable(error),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RawAnnotation {
    Comment(String),
    /// Words in a variation that are no part of play.
    Prose(String),
    Variation(RawLine),
    SetUp {
        place: Place,
        text: String,
        set_up: SetUp,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RawPly {
    pub(super) place: Place,
    pub(super) text: String,
    pub(super) written: MoveText,
    pub(super) nags: Vec<u8>,
    pub(super) after: Vec<RawAnnotation>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct RawLine {
    pub(super) lead: Vec<RawAnnotation>,
    pub(super) plies: Vec<RawPly>,
    /// The place of a null move and the text from there on.
    pub(super) stop: Option<(Place, String)>,
}

impl RawLine {
    fn tail(&mut self) -> &mut Vec<RawAnnotation> {
        match self.plies.last_mut() {
            Some(ply) => &mut ply.after,
            None => &mut self.lead,
        }
    }

    /// The line as text, for a comment.
    pub(super) fn to_text(&self) -> String {
        let mut words = Vec::new();
        annotations_to_words(&self.lead, &mut words);
        plies_to_words(&self.plies, &mut words);
        words.extend(self.stop.iter().map(|(_, text)| text.clone()));
        words.join(" ")
    }
}

pub(super) fn plies_to_words(plies: &[RawPly], words: &mut Vec<String>) {
    for ply in plies {
        words.push(ply.text.clone());
        words.extend(ply.nags.iter().map(|n| format!("${n}")));
        annotations_to_words(&ply.after, words);
    }
}

fn annotations_to_words(list: &[RawAnnotation], words: &mut Vec<String>) {
    for annotation in list {
        words.push(match annotation {
            RawAnnotation::Comment(text) => format!("{{{text}}}"),
            RawAnnotation::Prose(text) => text.clone(),
            RawAnnotation::Variation(line) => format!("({})", line.to_text()),
            RawAnnotation::SetUp { text, .. } => format!("/FEN \"{text}\"/"),
        });
    }
}

/// A game as written.
#[derive(Debug)]
pub(super) struct RawGame {
    pub(super) place: Place,
    pub(super) tags: Vec<(Place, String, String)>,
    pub(super) line: RawLine,
    pub(super) end: Option<(Place, GameResult)>,
    pub(super) warnings: Vec<PdnWarning>,
    pub(super) abandoned: Option<PdnWarning>,
    /// Squares such as `c3` were seen, which belong to smaller boards.
    pub(super) has_letters: bool,
}

impl RawGame {
    pub(super) fn tag(&self, name: &str) -> Option<(Place, &str)> {
        let tag = self.tags.iter().find(|(_, n, _)| n.eq_ignore_ascii_case(name));
        tag.map(|(place, _, value)| (*place, value.as_str()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.line.plies.is_empty() && self.line.stop.is_none()
    }
}

/// Takes games as written from the words of a file.
pub(super) struct RawReader<R> {
    pub(super) lexer: Lexer<R>,
    pending: Option<(Place, Token)>,
}

impl<R: BufRead> RawReader<R> {
    pub(super) fn new(input: R) -> RawReader<R> {
        RawReader { lexer: Lexer::new(input), pending: None }
    }

    fn next(&mut self) -> Option<(Place, Token)> {
        self.pending.take().or_else(|| self.lexer.next())
    }

    /// The next game; `None` at the end of the input. It may be empty.
    pub(super) fn read(&mut self) -> Option<RawGame> {
        let first = self.next()?;
        let place = first.0;
        self.pending = Some(first);
        let mut builder = Builder::new(place);
        while let Some((place, token)) = self.next() {
            builder.warnings(&mut self.lexer.warnings);
            if matches!(token, Token::Tag { .. }) && builder.is_next_game(&token) {
                self.pending = Some((place, token));
                break;
            }
            if !builder.accept(place, token) {
                continue;
            }
            while let Some(text) = self.lexer.comment_on_same_line() {
                builder.comment(text);
            }
            break;
        }
        builder.warnings(&mut self.lexer.warnings);
        Some(builder.finish(self.lexer.place()))
    }
}

struct Builder {
    game: RawGame,
    /// The open lines, the main line first.
    open: Vec<RawLine>,
    /// Depth below [`MAX_DEPTH`] or below a null move, where nothing is taken in.
    passed_over: usize,
    /// Parts of the main line that could not be read.
    problems: u32,
    /// How much of [`MAX_GAME`] is used.
    size: usize,
}

impl Builder {
    fn new(place: Place) -> Builder {
        let game = RawGame {
            place,
            tags: Vec::new(),
            line: RawLine::default(),
            end: None,
            warnings: Vec::new(),
            abandoned: None,
            has_letters: false,
        };
        Builder { game, open: vec![RawLine::default()], passed_over: 0, problems: 0, size: 0 }
    }

    fn warn(&mut self, place: Place, kind: PdnWarningKind) {
        if self.game.warnings.len() < MAX_WARNINGS {
            self.game.warnings.push(PdnWarning::at(place, kind));
        }
    }

    fn warnings(&mut self, from: &mut Vec<PdnWarning>) {
        let room = MAX_WARNINGS - self.game.warnings.len();
        self.game.warnings.extend(from.drain(..).take(room));
    }

    fn current(&mut self) -> &mut RawLine {
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    fn has_moves(&self) -> bool {
        self.open.len() > 1 || !self.open[0].plies.is_empty() || self.open[0].stop.is_some()
    }

    /// Whether a tag belongs to the next game: after move text, or when the first tag comes again.
    fn is_next_game(&self, token: &Token) -> bool {
        let Token::Tag { name, .. } = token else { return false };
        let repeats = |(_, first, _): &(Place, String, String)| first.eq_ignore_ascii_case(name);
        self.has_moves()
            || self.game.abandoned.is_some()
            || self.game.tags.first().is_some_and(repeats)
    }

    fn comment(&mut self, text: String) {
        self.size += text.len() + ITEM_COST;
        self.current().tail().push(RawAnnotation::Comment(text));
    }

    /// A word in a variation that is no part of play; words in a row become one remark.
    fn prose(&mut self, word: &str) {
        self.size += word.len() + 1;
        let tail = self.current().tail();
        if let Some(RawAnnotation::Prose(text)) = tail.last_mut() {
            text.push(' ');
            text.push_str(word);
        } else {
            tail.push(RawAnnotation::Prose(word.to_owned()));
            self.size += ITEM_COST;
        }
    }

    /// Takes a token in; returns whether the game is over.
    fn accept(&mut self, place: Place, token: Token) -> bool {
        if self.game.abandoned.is_some() {
            if let Token::End { result, .. } = token {
                self.game.end = Some((place, result));
                return true;
            }
            return false;
        }
        if self.size > MAX_GAME {
            let kind = PdnWarningKind::GameTooLong(MAX_GAME);
            self.game.abandoned = Some(PdnWarning::at(place, kind));
            return false;
        }
        match token {
            Token::End { result, .. } if self.open.len() == 1 => {
                self.game.end = Some((place, result));
                return true;
            }
            Token::Open if self.passed_over > 0 => {
                self.passed_over += 1;
                self.stopped_text("(");
            }
            Token::Close if self.passed_over > 0 => {
                self.passed_over -= 1;
                self.stopped_text(")");
            }
            Token::Open if self.current().stop.is_some() => {
                self.passed_over = 1;
                self.stopped_text("(");
            }
            Token::Open if self.open.len() > MAX_DEPTH => {
                self.passed_over = 1;
                self.warn(place, PdnWarningKind::VariationTooDeep(MAX_DEPTH));
            }
            Token::Open => {
                self.size += ITEM_COST;
                self.open.push(RawLine::default());
            }
            Token::Close => self.close(place),
            token if self.current().stop.is_some() => self.stopped_token(&token),
            _ if self.passed_over > 0 => {}
            token => self.take_in(place, token),
        }
        false
    }

    fn take_in(&mut self, place: Place, token: Token) {
        match token {
            Token::Tag { name, value } => {
                self.size += name.len() + value.len() + ITEM_COST;
                self.game.tags.push((place, name, value));
            }
            Token::Move { written, text } => {
                self.size += text.len() + ITEM_COST;
                let ply = RawPly { place, text, written, nags: Vec::new(), after: Vec::new() };
                self.current().plies.push(ply);
            }
            Token::Nag(nag) => {
                self.size += 1;
                if let Some(ply) = self.current().plies.last_mut() {
                    ply.nags.push(nag);
                }
            }
            Token::Comment(text) => self.comment(text),
            Token::SetUp(text) => {
                self.size += text.len() + ITEM_COST;
                let set_up = SetUp::read(&text);
                if let SetUp::Unusable(error) = &set_up {
                    self.warn(place, PdnWarningKind::BadSetUp(*error));
                }
                self.current().tail().push(RawAnnotation::SetUp { place, text, set_up });
            }
            Token::NullMove(text) => {
                self.warn(place, PdnWarningKind::NullMove(text.clone()));
                self.current().stop = Some((place, text));
            }
            Token::Number(text) => {
                // A move number without its dot; anything else hides a missing move.
                let expected = self.current().plies.len() / 2 + 1;
                if text.parse() != Ok(expected) {
                    self.unreadable(place, text);
                }
            }
            Token::Junk(text) => self.unreadable(place, text),
            Token::End { text, .. } => self.prose(&text),
            Token::Open | Token::Close => {}
        }
    }

    fn close(&mut self, place: Place) {
        if self.open.len() > 1
            && let Some(line) = self.open.pop()
        {
            self.current().tail().push(RawAnnotation::Variation(line));
        } else {
            self.warn(place, PdnWarningKind::StrayParenthesis);
        }
    }

    /// Text after a null move.
    fn stopped_token(&mut self, token: &Token) {
        match token {
            Token::Move { text, .. }
            | Token::NullMove(text)
            | Token::Number(text)
            | Token::Junk(text)
            | Token::End { text, .. } => self.stopped_text(text),
            Token::Nag(nag) => self.stopped_text(&format!("${nag}")),
            Token::Comment(text) => self.stopped_text(&format!("{{{text}}}")),
            Token::SetUp(text) => self.stopped_text(&format!("/FEN \"{text}\"/")),
            Token::Tag { .. } | Token::Open | Token::Close => {}
        }
    }

    fn stopped_text(&mut self, word: &str) {
        self.size += word.len() + 1;
        if let Some((_, text)) = &mut self.current().stop {
            text.push(' ');
            text.push_str(word);
        }
    }

    fn unreadable(&mut self, place: Place, text: String) {
        let mut letters = text.bytes();
        let square = (letters.next(), letters.next());
        if matches!(square, (Some(b'a'..=b'h' | b'A'..=b'H'), Some(b'1'..=b'8'))) {
            self.game.has_letters = true;
        }
        if self.game.tags.is_empty() && !self.has_moves() {
            // Text before a game: a heading, a mail. One warning for all of it.
            let known = |w: &PdnWarning| matches!(w.kind, PdnWarningKind::TextSkipped(_));
            if !self.game.warnings.iter().any(known) {
                self.warn(place, PdnWarningKind::TextSkipped(text));
            }
            return;
        }
        if self.open.len() > 1 {
            // Prose in parentheses is common and harmless to the main line.
            self.prose(&text);
            self.warn(place, PdnWarningKind::Unreadable(text));
            return;
        }
        self.warn(place, PdnWarningKind::Unreadable(text));
        self.problems += 1;
        if self.problems == MAX_PROBLEMS {
            let warning = PdnWarning::at(place, PdnWarningKind::Abandoned(MAX_PROBLEMS));
            self.game.abandoned = Some(warning);
        }
    }

    fn finish(mut self, place: Place) -> RawGame {
        if self.open.len() > 1 {
            self.warn(place, PdnWarningKind::UnfinishedVariation);
            while self.open.len() > 1 {
                self.close(place);
            }
        }
        self.game.line = self.open.pop().unwrap_or_default();
        self.game
    }
}
