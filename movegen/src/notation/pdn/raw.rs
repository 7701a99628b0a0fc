//! The shape of a game before any move is compared with the rules.

use std::io::BufRead;

use super::chars::TextPos;
use super::kind::is_translation;
use super::result::{GameResult, is_same_score, is_too_much};
use super::token::{Lexer, MoveNumber, Token, is_time_or_year, looks_like_move};
use super::warning::{PdnWarning, PdnWarningKind, Warnings};
use crate::color::Color;
use crate::notation::fen::{Fen, ParseFenError, position_of};
use crate::notation::moves::{MoveText, ParseMoveError};
use crate::notation::text::is_move_sign;
use crate::position::Position;
use crate::variant::Variant;

/// Variations nested deeper than this are skipped.
pub(super) const MAX_DEPTH: usize = 200;

/// The memory of a game without its comments: what takes more is not a game worth keeping.
const MAX_GAME: usize = 4 * 1024 * 1024;

/// Bytes of all comments of a game.
const MAX_COMMENTS: usize = 32 * 1024 * 1024;

/// The memory of a move, comment or variation in addition to its text.
const ITEM_COST: usize = 256;

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
            Ok(fen) => match position_of(&fen, Variant::International, text) {
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
    /// Words in a variation that are not part of play.
    Prose(String),
    Variation(RawLine),
    SetUp {
        place: TextPos,
        text: String,
        set_up: SetUp,
    },
}

impl RawAnnotation {
    pub(super) fn is_set_up(&self) -> bool {
        matches!(self, RawAnnotation::SetUp { .. })
    }
}

/// What a word may be instead of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Doubt {
    None,
    /// It cannot be read, or follows words: it is not a move if the next move is of the same side.
    Possible,
    /// It looks like a time or a year: it is not a move if nothing follows, either.
    Likely,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RawPly {
    pub(super) place: TextPos,
    pub(super) text: String,
    /// The error of a word that looks like a move.
    pub(super) written: Result<MoveText, ParseMoveError>,
    pub(super) doubt: Doubt,
    pub(super) nags: Vec<u32>,
    pub(super) after: Vec<RawAnnotation>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct RawLine {
    pub(super) lead: Vec<RawAnnotation>,
    pub(super) plies: Vec<RawPly>,
    /// The place of a null move and the text from there on.
    pub(super) stop: Option<(TextPos, String)>,
    /// The number of the first move.
    number: Option<u32>,
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
    pub(super) place: TextPos,
    pub(super) tags: Vec<(TextPos, String, String)>,
    pub(super) line: RawLine,
    /// The result at the end, with its text.
    pub(super) end: Option<(TextPos, GameResult, String)>,
    pub(super) warnings: Warnings,
    pub(super) abandoned: Option<PdnWarning>,
    /// Squares such as `c3` were seen, which belong to smaller boards.
    pub(super) has_letters: bool,
}

impl RawGame {
    /// A tag by its name in the standard. If it says nothing, a tag with its name in another
    /// language takes its place.
    pub(super) fn tag(&self, name: &str) -> Option<(TextPos, &str)> {
        let is_known = |tag: &&(TextPos, String, String)| !is_unknown(&tag.2);
        let tag = self.tags.iter().find(|(_, n, _)| n.eq_ignore_ascii_case(name));
        let other = || self.tags.iter().find(|(_, n, _)| is_translation(n, name));
        let tag = tag.filter(is_known).or_else(other).or(tag);
        tag.map(|(place, _, value)| (*place, value.as_str()))
    }

    /// Whether there is no game. A file's name, which some files have at their end, is not a game.
    pub(super) fn is_empty(&self) -> bool {
        let is_file_name = |(_, name, _): &(TextPos, String, String)| {
            name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("file"))
        };
        self.tags.iter().all(is_file_name) && self.line.plies.is_empty() && self.line.stop.is_none()
    }
}

/// Takes games as written from the words of a file.
pub(super) struct RawReader<'a> {
    pub(super) lexer: Lexer<'a>,
    pending: Option<(TextPos, Token)>,
}

impl<'a> RawReader<'a> {
    pub(super) fn new(input: impl BufRead + Send + 'a) -> RawReader<'a> {
        RawReader { lexer: Lexer::new(input), pending: None }
    }

    fn next(&mut self) -> Option<(TextPos, Token)> {
        self.pending.take().or_else(|| self.lexer.next())
    }

    /// The next game; `None` at the end of the input. It may be empty.
    pub(super) fn read(&mut self) -> Option<RawGame> {
        let first = self.next()?;
        let place = first.0;
        self.pending = Some(first);
        let mut builder = RawBuilder::new(place);
        while let Some((place, token)) = self.next() {
            builder.warnings(&mut self.lexer.warnings);
            if matches!(token, Token::Border) {
                if builder.is_begun() { break } else { continue }
            }
            builder.drop_heading(&token);
            if builder.is_next_game(place, &token) {
                self.pending = Some((place, token));
                break;
            }
            if !builder.accept(place, token) {
                continue;
            }
            self.after_result(&mut builder);
            break;
        }
        builder.warnings(&mut self.lexer.warnings);
        Some(builder.finish(self.lexer.place()))
    }

    /// Takes in what follows the result of a game.
    fn after_result(&mut self, builder: &mut RawBuilder) {
        while let Some((place, token)) = self.lexer.after_result() {
            builder.accept(place, token);
            while builder.open.len() > 1 || builder.passed_over > 0 {
                let Some((place, token)) = self.lexer.next() else { return };
                if matches!(token, Token::Tag { .. }) && remark(&token).is_none() {
                    self.pending = Some((place, token));
                    return;
                }
                builder.accept(place, token);
            }
        }
    }
}

/// A word of the main line that is the result if the game ends there.
struct RawCandidate {
    place: TextPos,
    text: String,
    /// Its other meaning; without one it is unreadable.
    nag: Option<u32>,
}

struct RawBuilder {
    game: RawGame,
    /// The open lines, the main line first.
    open: Vec<RawLine>,
    /// Depth below [`MAX_DEPTH`] or below a null move, where nothing is kept.
    passed_over: usize,
    /// Bytes used of [`MAX_GAME`].
    size: usize,
    /// Bytes used of [`MAX_COMMENTS`].
    comments: usize,
    /// The last word, if it may be the result.
    candidate: Option<RawCandidate>,
    /// The last word was one of prose.
    is_after_words: bool,
}

impl RawBuilder {
    fn new(place: TextPos) -> RawBuilder {
        let game = RawGame {
            place,
            tags: Vec::new(),
            line: RawLine::default(),
            end: None,
            warnings: Warnings::default(),
            abandoned: None,
            has_letters: false,
        };
        let open = vec![RawLine::default()];
        RawBuilder {
            game,
            open,
            passed_over: 0,
            size: 0,
            comments: 0,
            candidate: None,
            is_after_words: false,
        }
    }

    fn warn(&mut self, place: TextPos, kind: PdnWarningKind) {
        self.game.warnings.push(PdnWarning::at(place, kind));
    }

    fn warnings(&mut self, from: &mut Vec<PdnWarning>) {
        from.drain(..).for_each(|warning| self.game.warnings.push(warning));
    }

    fn current(&mut self) -> &mut RawLine {
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    fn has_moves(&self) -> bool {
        self.open.len() > 1 || !self.open[0].plies.is_empty() || self.open[0].stop.is_some()
    }

    fn is_begun(&self) -> bool {
        self.has_moves() || !self.game.tags.is_empty() || self.candidate.is_some()
    }

    /// Whether a tag or move belongs to the next game: a tag after move text, or when the first tag
    /// comes again; a first move for White.
    fn is_next_game(&self, place: TextPos, token: &Token) -> bool {
        let name = match token {
            Token::Tag { name, .. } => name,
            Token::Move { number: Some(number), .. } => return self.begins_again(*number),
            _ => return false,
        };
        // Squares with letters are not moves here, but they are move text.
        if self.has_moves() || self.game.has_letters || self.game.abandoned.is_some() {
            return remark(token).is_none();
        }
        // A tag given twice in one block is a slip, unless it is the one that begins blocks.
        let tags = &self.game.tags;
        let (Some((_, first, _)), Some((last, ..))) = (tags.first(), tags.last()) else {
            return false;
        };
        let begins_blocks = || name.eq_ignore_ascii_case("Event") && tags.len() > 1;
        first.eq_ignore_ascii_case(name) && (place.line > last.line + 1 || begins_blocks())
    }

    /// Words that looked like moves before `1.` were a heading.
    fn drop_heading(&mut self, token: &Token) {
        let Token::Move { number: Some(MoveNumber { value: 1, .. }), .. } = token else { return };
        let [line] = &mut self.open[..] else { return };
        let is_heading = self.game.tags.is_empty()
            && line.number.is_none()
            && line.plies.iter().all(|ply| ply.doubt != Doubt::None);
        if !is_heading {
            return;
        }
        let mut words = line.plies.drain(..).map(|ply| (ply.place, ply.text));
        let first = words.next().or(self.candidate.take().map(|word| (word.place, word.text)));
        drop(words);
        if let Some((place, text)) = first {
            self.candidate = None;
            self.unreadable(place, text);
        }
    }

    /// Whether a game without tags begins: `1.` alone on a line, when there are moves of both sides
    /// or an empty line before it, or after what may be a result.
    fn begins_again(&self, number: MoveNumber) -> bool {
        let [line] = &self.open[..] else { return false };
        let Some(last) = line.plies.last() else { return false };
        let sets_up = last.after.iter().any(RawAnnotation::is_set_up);
        let is_first = number.value == 1 && number.is_of_white && !sets_up;
        let is_after_result = || match &self.candidate {
            Some(candidate) => self.result_of(&candidate.text, None, candidate.nag).is_some(),
            None => self.last_move_as_result().is_some(),
        };
        let is_apart = match number.line_ends {
            0 => false,
            1 => line.plies.len() > 1,
            _ => true,
        };
        is_first && (is_apart || is_after_result())
    }

    fn comment(&mut self, text: String) {
        self.size += ITEM_COST;
        self.comments += text.len();
        self.current().tail().push(RawAnnotation::Comment(text));
    }

    /// A word in a variation that is not part of play; words in a row become one remark.
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

    /// The result in a word, if it is one at the end of this game: the same as in the tag, or
    /// unambiguous.
    fn result_of(
        &self,
        text: &str,
        written: Option<&MoveText>,
        nag: Option<u32>,
    ) -> Option<GameResult> {
        let result = GameResult::parse(text)?;
        let tag = self.game.tag("Result").filter(|(_, value)| !is_unknown(value));
        let is_in_tag = tag.is_some_and(|(_, value)| is_same_score(value, text));
        let is_no_move = written.is_none_or(|written| !written.is_possible());
        let is_result = match nag {
            // A `*` after it is the terminator of PDN 3.0: then the word is hardly a move.
            _ if self.game.end.is_some() => is_in_tag && is_no_move,
            Some(_) => is_in_tag || tag.is_none(),
            None => is_in_tag || (is_no_move && !is_too_much(text)),
        };
        is_result.then_some(result)
    }

    /// The last move of the main line as a result.
    fn last_move_as_result(&self) -> Option<GameResult> {
        let line = &self.open[0];
        let last = line.plies.last().filter(|_| line.stop.is_none())?;
        let sets_up = last.after.iter().any(RawAnnotation::is_set_up);
        if last.nags.is_empty() && !sets_up {
            self.result_of(&last.text, last.written.as_ref().ok(), None)
        } else {
            None
        }
    }

    /// The game continues: the word before was not a result.
    fn continue_game(&mut self) {
        let Some(candidate) = self.candidate.take() else { return };
        match candidate.nag {
            Some(nag) => self.nag(candidate.place, nag),
            None => self.no_result(candidate.place, candidate.text),
        }
    }

    /// A score within the moves.
    fn no_result(&mut self, place: TextPos, text: String) {
        match MoveText::parse(&text) {
            Err(_) if !looks_like_move(&text) => self.unreadable(place, text),
            written => self.ply(place, text, written, None),
        }
    }

    fn ply(
        &mut self,
        place: TextPos,
        text: String,
        written: Result<MoveText, ParseMoveError>,
        number: Option<MoveNumber>,
    ) {
        let is_other = is_time_or_year(&text);
        let is_after_words = number.is_none() && self.is_after_words;
        if is_other && is_after_words {
            return self.unreadable(place, text);
        }
        self.size += text.len() + ITEM_COST;
        self.note_letters(&text);
        if let Some(number) = number {
            self.find_missing(place, number.value);
        }
        let is_number = |ply: &RawPly| ply.text.bytes().all(|b| b.is_ascii_digit());
        // `5 12` may be two numbers.
        let has_sign = |written: &MoveText| text.contains(is_move_sign) || written.is_possible();
        let line = self.current();
        if line.plies.is_empty() && line.number.is_none() {
            line.number = number.map(|number| number.value);
        }
        let doubt = if is_other && !line.plies.last().is_some_and(is_number) {
            Doubt::Likely
        } else if is_after_words || (number.is_none() && !written.as_ref().is_ok_and(has_sign)) {
            Doubt::Possible
        } else {
            Doubt::None
        };
        line.plies.push(RawPly {
            place,
            text,
            written,
            doubt,
            nags: Vec::new(),
            after: Vec::new(),
        });
    }

    fn nag(&mut self, place: TextPos, nag: u32) {
        self.size += size_of::<u32>();
        match self.current().plies.last_mut() {
            Some(ply) => ply.nags.push(nag),
            // There is no move it could belong to.
            None => self.remark(place, format!("${nag}")),
        }
    }

    /// A word that stays as a comment; before the game it is one of a heading.
    fn remark(&mut self, place: TextPos, word: String) {
        if self.is_before_game() { self.unreadable(place, word) } else { self.prose(&word) }
    }

    fn is_before_game(&self) -> bool {
        self.game.tags.is_empty() && !self.has_moves()
    }

    /// Finds the result of a game without one in its last word.
    fn find_result(&mut self) {
        let is_without = match &self.game.end {
            None => true,
            Some((_, result, _)) => *result == GameResult::Unknown,
        };
        if !is_without || self.game.abandoned.is_some() {
            return self.continue_game();
        }
        if let Some(candidate) = &self.candidate {
            let result = self.result_of(&candidate.text, None, candidate.nag);
            match (result, self.candidate.take()) {
                (Some(result), Some(RawCandidate { place, text, .. })) => {
                    self.game.end = Some((place, result, text));
                }
                (_, candidate) => {
                    self.candidate = candidate;
                    self.continue_game();
                }
            }
        } else if let Some(result) = self.last_move_as_result()
            && let Some(mut ply) = self.open[0].plies.pop()
        {
            self.open[0].tail().append(&mut ply.after);
            let text = ply.text.split_whitespace().collect();
            self.game.end = Some((ply.place, result, text));
        }
    }

    /// Takes a token in; returns whether the game is over.
    fn accept(&mut self, place: TextPos, token: Token) -> bool {
        if self.game.abandoned.is_some() {
            if let Token::End { text, result } = token {
                self.game.end = Some((place, result, text));
                return true;
            }
            return false;
        }
        if !matches!(token, Token::Comment(_) | Token::End { .. }) {
            self.continue_game();
        }
        let used = [(self.size, MAX_GAME), (self.comments, MAX_COMMENTS)];
        if let Some((_, limit)) = used.into_iter().find(|(used, limit)| used > limit) {
            let kind = PdnWarningKind::GameTooLong(limit);
            self.game.abandoned = Some(PdnWarning::at(place, kind));
            return false;
        }
        match token {
            Token::End { text, result } if self.open.len() == 1 => {
                self.game.end = Some((place, result, text));
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
            token => {
                let is_letter = |c: char| c.is_alphabetic() && !is_move_sign(c);
                let is_word = matches!(&token, Token::Junk(text) if text.contains(is_letter));
                self.take_in(place, token);
                self.is_after_words = is_word;
            }
        }
        false
    }

    fn take_in(&mut self, place: TextPos, token: Token) {
        match token {
            Token::Tag { remark: Some(text), .. } if self.has_moves() => self.comment(text),
            Token::Tag { name, value, .. } => {
                self.size += name.len() + value.len() + ITEM_COST;
                self.game.tags.push((place, name, value));
            }
            Token::Move { written, text, number } => self.ply(place, text, written, number),
            Token::Nag(nag) => self.nag(place, nag),
            Token::Score(text) if self.open.len() == 1 => {
                self.candidate = Some(RawCandidate { place, text, nag: None });
            }
            Token::Score(text) => self.no_result(place, text),
            Token::Sign { text, nag } if self.open.len() == 1 => {
                self.candidate = Some(RawCandidate { place, text, nag: Some(nag) });
            }
            Token::Sign { nag, .. } => self.nag(place, nag),
            Token::Time(text) => self.remark(place, text),
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
            Token::Number(text, is_before_move) => {
                if !(is_before_move && self.is_next_number(&text)) {
                    self.unreadable(place, text);
                }
            }
            Token::Junk(text) => self.unreadable(place, text),
            Token::End { text, .. } => self.prose(&text),
            Token::Open | Token::Close | Token::Border => {}
        }
    }

    /// Whether this is a move number without its dot. One out of order hides a missing move.
    fn is_next_number(&mut self, text: &str) -> bool {
        let Ok(value) = text.parse::<u32>() else { return false };
        let line = self.current();
        let plies = line.plies.len() as u64;
        let first = match line.number {
            None if plies == 0 => *line.number.insert(value),
            first => first.unwrap_or(1),
        };
        // The second form begins a game where Black moves first.
        let since = u64::from(value).checked_sub(u64::from(first));
        since == Some(plies / 2) || since == Some(plies.div_ceil(2))
    }

    fn close(&mut self, place: TextPos) {
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
            | Token::Number(text, _)
            | Token::Score(text)
            | Token::Sign { text, .. }
            | Token::Time(text)
            | Token::Junk(text)
            | Token::End { text, .. } => self.stopped_text(text),
            Token::Nag(nag) => self.stopped_text(&format!("${nag}")),
            Token::Comment(text) => self.stopped_text(&format!("{{{text}}}")),
            Token::SetUp(text) => self.stopped_text(&format!("/FEN \"{text}\"/")),
            Token::Tag { remark, .. } => {
                remark.iter().for_each(|text| self.stopped_text(&format!("[{text}]")));
            }
            Token::Open | Token::Close | Token::Border => {}
        }
    }

    fn stopped_text(&mut self, word: &str) {
        self.size += word.len() + 1;
        if let Some((_, text)) = &mut self.current().stop {
            text.push(' ');
            text.push_str(word);
        }
    }

    /// Before a move with a higher number than comes next, words with figures were moves.
    fn find_missing(&mut self, place: TextPos, number: u32) {
        let line = self.current();
        let is_word = |annotation: &RawAnnotation| {
            let RawAnnotation::Prose(text) = annotation else { return false };
            text.contains(|c: char| c.is_ascii_digit())
        };
        let Some(at) = line.tail().iter().position(is_word) else { return };
        let is_bare = |text: &str| text.contains(' ') && !text.contains(is_move_sign);
        let is_sure = |ply: &RawPly| ply.written.is_ok() && !is_bare(&ply.text);
        let plies = line.plies.iter().filter(|ply| is_sure(ply)).count() as u64;
        if u64::from(number) <= u64::from(line.number.unwrap_or(1)) + plies.div_ceil(2) {
            return;
        }
        let list = line.tail();
        let after = list.split_off(at + 1);
        let Some(RawAnnotation::Prose(text)) = list.pop() else { return };
        let written = Err(ParseMoveError::illegal(&text));
        let doubt = Doubt::None;
        line.plies.push(RawPly { place, text, written, doubt, nags: Vec::new(), after });
    }

    /// Notices squares such as `c3`.
    fn note_letters(&mut self, text: &str) {
        let mut letters = text.bytes();
        let square = (letters.next(), letters.next());
        self.game.has_letters |=
            matches!(square, (Some(b'a'..=b'h' | b'A'..=b'H'), Some(b'1'..=b'8')));
    }

    /// A word that is not a move; it stays as a comment.
    fn unreadable(&mut self, place: TextPos, text: String) {
        self.note_letters(&text);
        if self.is_before_game() {
            // Text before a game: a heading, a mail. One warning for all of it.
            let known = |w: &PdnWarning| matches!(w.kind, PdnWarningKind::TextSkipped(_));
            if !self.game.warnings.first.iter().any(known) {
                self.warn(place, PdnWarningKind::TextSkipped(text));
            }
            return;
        }
        self.prose(&text);
        self.warn(place, PdnWarningKind::Unreadable(text));
    }

    fn finish(mut self, place: TextPos) -> RawGame {
        self.find_result();
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

/// The text of a tag that is a remark in brackets if it comes within move text: `[good move]`.
fn remark(token: &Token) -> Option<&str> {
    let Token::Tag { name, remark, .. } = token else { return None };
    let is_usual = USUAL.iter().any(|usual| usual.eq_ignore_ascii_case(name));
    remark.as_deref().filter(|_| !is_usual)
}

/// Tags that begin a game even without quotes.
const USUAL: [&str; 9] =
    ["Event", "Site", "Date", "Round", "White", "Black", "Result", "GameType", "FEN"];

/// Whether a tag's value means unknown.
pub(super) fn is_unknown(value: &str) -> bool {
    matches!(value.trim(), "" | "?" | "*" | "-")
}
