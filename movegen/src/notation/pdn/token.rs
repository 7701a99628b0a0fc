//! Words of a PDN file.

use std::io::BufRead;

use super::chars::{Chars, Place};
use super::result::GameResult;
use super::warning::{PdnWarning, PdnWarningKind};
use crate::notation::moves::{MoveText, is_move_sign};
use crate::notation::text::is_dash;

/// A word of a PDN file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Tag {
        name: String,
        value: String,
    },
    Move {
        written: MoveText,
        text: String,
    },
    Nag(u8),
    Comment(String),
    Open,
    Close,
    /// A result or `*`.
    End {
        text: String,
        result: GameResult,
    },
    /// `/FEN "..."/`, the text between the quotes.
    SetUp(String),
    NullMove(String),
    /// A number without a dot that is no move.
    Number(String),
    Junk(String),
}

/// How far a word, or blanks inside a move, are looked at ahead.
pub(super) const LOOK_AHEAD: usize = 64;

pub(super) struct Lexer<R> {
    pub(super) chars: Chars<R>,
    /// Whether the last token was a move and nothing has come since, not even a blank.
    touches_move: bool,
    pub(super) warnings: Vec<PdnWarning>,
}

impl<R: BufRead> Lexer<R> {
    pub(super) fn new(input: R) -> Lexer<R> {
        Lexer { chars: Chars::new(input), touches_move: false, warnings: Vec::new() }
    }

    pub(super) fn place(&self) -> Place {
        self.chars.place()
    }

    pub(super) fn take_error(&mut self) -> Option<std::io::Error> {
        self.chars.take_error()
    }

    pub(super) fn warn(&mut self, place: Place, kind: PdnWarningKind) {
        self.warnings.push(PdnWarning::at(place, kind));
    }

    /// The next token with its place; `None` at the end of the input.
    pub(super) fn next(&mut self) -> Option<(Place, Token)> {
        loop {
            self.skip_blanks();
            let place = self.chars.place();
            let c = self.chars.peek()?;
            let touches_move = std::mem::take(&mut self.touches_move);
            let token = match c {
                '%' if place.column == 1 => {
                    while self.chars.peek().is_some_and(|c| c != '\n') {
                        self.chars.next();
                    }
                    continue;
                }
                '[' if self.is_tag() => self.tag(place),
                '{' => self.comment(place),
                ';' => self.line_comment(place),
                '(' => match self.parenthesised_strength() {
                    Some(nag) => Token::Nag(nag),
                    None => {
                        self.chars.next();
                        Token::Open
                    }
                },
                ')' => {
                    self.chars.next();
                    Token::Close
                }
                '}' => {
                    self.chars.next();
                    self.warn(place, PdnWarningKind::StrayBrace);
                    continue;
                }
                '$' => match self.nag() {
                    Some(nag) => Token::Nag(nag),
                    None => self.junk(),
                },
                '*' if touches_move => {
                    self.chars.next();
                    Token::Nag(strength("*"))
                }
                '*' => {
                    self.chars.next();
                    Token::End { text: "*".to_owned(), result: GameResult::Unknown }
                }
                '!' | '?' => {
                    let mut sign = String::new();
                    while let Some(c @ ('!' | '?')) = self.chars.peek() {
                        if sign.len() < 8 {
                            sign.push(c);
                        }
                        self.chars.next();
                    }
                    Token::Nag(strength(&sign))
                }
                '/' => match self.set_up() {
                    Some(fen) => Token::SetUp(fen),
                    None => self.junk(),
                },
                '.' | '…' | ',' => {
                    self.chars.next();
                    continue;
                }
                '0'..='9' => match self.number() {
                    Some(token) => token,
                    None => continue,
                },
                '+' | '½' => self.result_or_junk(),
                c if is_dash(c) => self.null_move_or_result(),
                _ => self.junk(),
            };
            self.touches_move = matches!(token, Token::Move { .. });
            return Some((place, token));
        }
    }

    /// The comment on the rest of this line that directly follows, if one does: remarks after the
    /// result.
    pub(super) fn comment_on_same_line(&mut self) -> Option<String> {
        while self.chars.peek().is_some_and(|c| c != '\n' && c.is_whitespace()) {
            self.chars.next();
        }
        if self.chars.peek() != Some('{') {
            return None;
        }
        let place = self.chars.place();
        match self.comment(place) {
            Token::Comment(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.chars.peek().is_some_and(|c| c.is_whitespace() || c == '\u{feff}') {
            self.touches_move = false;
            self.chars.next();
        }
    }

    /// The characters up to a blank or bracket, without taking them.
    fn peek_word(&mut self) -> String {
        let mut word = String::new();
        for i in 0..LOOK_AHEAD {
            match self.chars.peek_at(i) {
                Some(c) if !c.is_whitespace() && !is_word_end(c) => word.push(c),
                _ => break,
            }
        }
        word
    }

    /// A word that means nothing; takes at least one character.
    fn junk(&mut self) -> Token {
        let mut word = String::new();
        while let Some(c) = self.chars.peek() {
            if !word.is_empty() && (c.is_whitespace() || is_word_end(c)) {
                break;
            }
            if word.len() < LOOK_AHEAD {
                word.push(c);
            }
            self.chars.next();
        }
        Token::Junk(word)
    }

    fn result_or_junk(&mut self) -> Token {
        let text = self.peek_word();
        match GameResult::parse_token(&text) {
            Some(result) => {
                self.chars.skip(text.chars().count());
                Token::End { text, result }
            }
            None => self.junk(),
        }
    }

    /// `--`, `- -`, or `-+`.
    fn null_move_or_result(&mut self) -> Token {
        let blanks = self.blanks_at(1);
        if self.chars.peek_at(1 + blanks).is_some_and(is_dash) {
            self.chars.skip(2 + blanks);
            return Token::NullMove("--".to_owned());
        }
        self.result_or_junk()
    }

    pub(super) fn blanks_at(&mut self, start: usize) -> usize {
        let is_blank = |c: char| c.is_whitespace();
        (0..LOOK_AHEAD).take_while(|i| self.chars.peek_at(start + i).is_some_and(is_blank)).count()
    }

    fn digits_at(&mut self, start: usize) -> usize {
        let is_digit = |c: char| c.is_ascii_digit();
        (0..LOOK_AHEAD).take_while(|i| self.chars.peek_at(start + i).is_some_and(is_digit)).count()
    }

    /// What starts with a digit: a result, a move number (`None`, skipped) or a move.
    fn number(&mut self) -> Option<Token> {
        let mut end = self.digits_at(0);
        // Two digits and a sign: no result looks like that, and most words do.
        let is_move = end == 2 && self.chars.peek_at(2).is_some_and(is_move_sign);
        if !is_move {
            let word = self.peek_word();
            if let Some(result) = GameResult::parse_token(&word) {
                self.chars.skip(word.chars().count());
                return Some(Token::End { text: word, result });
            }
            if let Some((length, text)) = self.plus_draw() {
                self.chars.skip(length);
                return Some(Token::End { text, result: GameResult::Draw });
            }
        }
        if matches!(self.chars.peek_at(end), Some('.' | '…')) {
            while matches!(self.chars.peek_at(end), Some('.' | '…')) && end < 2 * LOOK_AHEAD {
                end += 1;
            }
            self.chars.skip(end);
            return None;
        }
        let digits = end;
        let mut squares = 1;
        loop {
            let sign = end + self.blanks_at(end);
            if !self.chars.peek_at(sign).is_some_and(is_move_sign) {
                break;
            }
            let square = sign + 1 + self.blanks_at(sign + 1);
            let length = self.digits_at(square);
            if length == 0 || squares == LOOK_AHEAD {
                break;
            }
            squares += 1;
            end = square + length;
        }
        if squares == 1 && digits != 4 {
            let text = self.take(end);
            let glued = self.chars.peek().is_some_and(|c| !c.is_whitespace() && !is_word_end(c));
            if glued {
                let Token::Junk(rest) = self.junk() else { return None };
                return Some(Token::Junk(text + &rest));
            }
            return Some(Token::Number(text));
        }
        if squares == 2 && !is_move {
            let text: String = self.peeked(end).chars().filter(|c| !c.is_whitespace()).collect();
            if let Some(result) = GameResult::parse_token(&text) {
                self.chars.skip(end);
                return Some(Token::End { text, result });
            }
        }
        end = self.captured_list_end(end);
        let text = self.take(end);
        Some(match MoveText::parse(&text) {
            Ok(written) => Token::Move { written, text },
            Err(_) => Token::Junk(text),
        })
    }

    fn peeked(&mut self, length: usize) -> String {
        (0..length).map_while(|i| self.chars.peek_at(i)).collect()
    }

    fn take(&mut self, length: usize) -> String {
        (0..length).map_while(|_| self.chars.next()).collect()
    }

    /// `1+ - 1-` and `1- - 1+` with or without blanks.
    fn plus_draw(&mut self) -> Option<(usize, String)> {
        let mut text = String::new();
        for i in 0..LOOK_AHEAD {
            let c = self.chars.peek_at(i)?;
            if c.is_whitespace() && text.len() < 5 {
                continue;
            }
            text.push(if is_dash(c) { '-' } else { c });
            if text.len() == 5 {
                let is_end = match self.chars.peek_at(i + 1) {
                    None => true,
                    Some(c) => c.is_whitespace() || is_word_end(c),
                };
                let fits = is_end && matches!(text.as_str(), "1+-1-" | "1--1+");
                return fits.then_some((i + 1, text));
            }
        }
        None
    }

    /// The end of `<...>` after a move, or of the move itself.
    fn captured_list_end(&mut self, end: usize) -> usize {
        let open = end + self.blanks_at(end);
        if self.chars.peek_at(open) != Some('<') {
            return end;
        }
        for i in open + 1..open + 300 {
            match self.chars.peek_at(i) {
                Some('>') => return i + 1,
                Some(c) if c.is_ascii_digit() || c == ',' || c.is_whitespace() => {}
                _ => break,
            }
        }
        end
    }

    /// `(!)`: a sign of strength, not a variation.
    fn parenthesised_strength(&mut self) -> Option<u8> {
        let mut sign = String::new();
        for i in 1..6 {
            match self.chars.peek_at(i)? {
                c @ ('!' | '?' | '*') => sign.push(c),
                ')' if !sign.is_empty() => {
                    self.chars.skip(i + 1);
                    return Some(strength(&sign));
                }
                _ => return None,
            }
        }
        None
    }

    fn nag(&mut self) -> Option<u8> {
        let digits = self.digits_at(1);
        let number: String = self.peeked(1 + digits).chars().skip(1).collect();
        let nag = number.parse().ok()?;
        self.chars.skip(1 + digits);
        Some(nag)
    }

    fn set_up(&mut self) -> Option<String> {
        if !self.peeked(4).eq_ignore_ascii_case("/FEN") {
            return None;
        }
        let quote = 4 + self.blanks_at(4);
        if self.chars.peek_at(quote) != Some('"') {
            return None;
        }
        self.chars.skip(quote + 1);
        let mut fen = String::new();
        while let Some(c) = self.chars.peek() {
            if c == '"' || fen.len() > 1000 {
                break;
            }
            fen.push(c);
            self.chars.next();
        }
        if self.chars.peek() == Some('"') {
            self.chars.next();
        }
        let slash = self.blanks_at(0);
        if self.chars.peek_at(slash) == Some('/') {
            self.chars.skip(slash + 1);
        }
        Some(fen)
    }
}

/// What ends a word besides a blank.
const fn is_word_end(c: char) -> bool {
    matches!(c, '[' | ']' | '{' | '}' | '(' | ')' | ';' | '$' | '"')
}

/// The NAG of a sign of strength.
fn strength(sign: &str) -> u8 {
    match sign {
        "!" => 1,
        "?" => 2,
        "!!" => 3,
        "??" => 4,
        "!?" => 5,
        "?!" => 6,
        s if s.starts_with('*') => 7,
        s if s.starts_with("!!") => 3,
        s if s.starts_with("??") => 4,
        s if s.starts_with("!?") => 5,
        _ => 6,
    }
}
