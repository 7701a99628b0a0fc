//! Words of a PDN file.

use std::io::BufRead;

use super::chars::{Chars, TextPos};
use super::result::GameResult;
use super::warning::{PdnWarning, PdnWarningKind};
use crate::notation::moves::MoveText;
use crate::notation::text::{is_dash, is_move_sign};

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
        /// The number before it, if there is one.
        number: Option<MoveNumber>,
    },
    Nag(u32),
    Comment(String),
    Open,
    Close,
    /// A result or `*`.
    End {
        text: String,
        result: GameResult,
    },
    /// Two numbers with a dash that are not squares (`3-0`): a result, if the game ends here.
    Score(String),
    /// `+-` or `-+`: the result, if the game ends here, and else this glyph.
    Sign {
        text: String,
        nag: u32,
    },
    /// A time without a command around it: `0:05`.
    Time(String),
    /// `/FEN "..."/`, the text between the quotes.
    SetUp(String),
    NullMove(String),
    /// A number without a dot that is not a move, and whether a move follows.
    Number(String, bool),
    Junk(String),
}

/// A move number with its dots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MoveNumber {
    pub(super) value: u32,
    /// One dot, as before White's moves.
    pub(super) is_of_white: bool,
    /// Line ends between it and the token before.
    pub(super) line_ends: u64,
}

/// How far to look ahead for a word, or for blanks inside a move.
pub(super) const LOOK_AHEAD: usize = 64;

pub(super) struct Lexer<R> {
    pub(super) chars: Chars<R>,
    /// Whether the last token was a move and nothing has come since, not even a blank.
    touches_move: bool,
    /// The number before the next token.
    number: Option<MoveNumber>,
    pub(super) warnings: Vec<PdnWarning>,
}

impl<R: BufRead> Lexer<R> {
    pub(super) fn new(input: R) -> Lexer<R> {
        Lexer { chars: Chars::new(input), touches_move: false, number: None, warnings: Vec::new() }
    }

    pub(super) fn place(&self) -> TextPos {
        self.chars.place()
    }

    pub(super) fn take_error(&mut self) -> Option<std::io::Error> {
        self.chars.take_error()
    }

    pub(super) fn warn(&mut self, place: TextPos, kind: PdnWarningKind) {
        self.warnings.push(PdnWarning::at(place, kind));
    }

    /// The next token with its place; `None` at the end of the input.
    pub(super) fn next(&mut self) -> Option<(TextPos, Token)> {
        self.number = None;
        loop {
            let line = self.chars.place().line;
            self.skip_blanks();
            let place = self.chars.place();
            let line_ends = place.line - line;
            let c = self.chars.peek()?;
            let touches_move = std::mem::take(&mut self.touches_move);
            let mut token = match c {
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
                    if let Some(number) = &mut self.number {
                        number.is_of_white = false;
                    }
                    self.chars.next();
                    continue;
                }
                '0'..='9' => match self.number(line_ends) {
                    Some(token) => token,
                    None => continue,
                },
                '½' => self.score_or_junk(),
                '+' | '=' | '±' | '∓' | '⩲' | '⩱' | '∞' => self.sign_or_junk(),
                c if is_dash(c) => self.null_move_or_sign(),
                _ => self.junk(),
            };
            if let Token::Move { number, .. } = &mut token {
                *number = self.number.take();
                self.touches_move = true;
            }
            return Some((place, token));
        }
    }

    /// Text after the result that still belongs to the game: comments on the same line, and
    /// variations, since no game begins with one.
    pub(super) fn after_result(&mut self) -> Option<(TextPos, Token)> {
        let blanks = self.blanks_on_line();
        let on_line = self.chars.peek_at(blanks);
        let blanks = if on_line == Some('\n') { self.blanks_at(0) } else { blanks };
        let is_remark = on_line == Some('{') || self.chars.peek_at(blanks) == Some('(');
        if is_remark { self.next() } else { None }
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

    /// A word without a meaning; takes at least one character.
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

    fn score_or_junk(&mut self) -> Token {
        self.score().unwrap_or_else(|| self.junk())
    }

    /// An unambiguous result, such as `2-0`, `1.5-0.5` or `1/2 - 1/2`; it is kept without its
    /// blanks.
    fn score(&mut self) -> Option<Token> {
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '/' | '½');
        let mut text = String::new();
        let mut at = 0;
        for side in 0..2 {
            if side == 1 {
                at += self.blanks_at(at);
                self.chars.peek_at(at).filter(|&c| is_dash(c))?;
                text.push('-');
                at += 1;
                at += self.blanks_at(at);
            }
            while let Some(c) = self.chars.peek_at(at).filter(|&c| is_number(c)) {
                text.push(c);
                at += 1;
                if text.len() > LOOK_AHEAD {
                    return None;
                }
            }
        }
        if let Some(c @ ('F' | 'f')) = self.chars.peek_at(at) {
            text.push(c);
            at += 1;
        }
        let is_end = self.chars.peek_at(at).is_none_or(|c| c.is_whitespace() || is_word_end(c));
        let result = GameResult::parse_token(&text).filter(|_| is_end)?;
        self.chars.skip(at);
        Some(Token::End { text, result })
    }

    /// A sign of evaluation.
    fn sign_or_junk(&mut self) -> Token {
        let text = self.peek_word();
        let Some(nag) = evaluation(&text) else { return self.junk() };
        self.chars.skip(text.chars().count());
        if GameResult::parse(&text).is_some() { Token::Sign { text, nag } } else { Token::Nag(nag) }
    }

    /// `--`, `- -`, or `-+`.
    fn null_move_or_sign(&mut self) -> Token {
        let blanks = self.blanks_at(1);
        if self.chars.peek_at(1 + blanks).is_some_and(is_dash) {
            self.chars.skip(2 + blanks);
            return Token::NullMove("--".to_owned());
        }
        self.sign_or_junk()
    }

    /// Whether a move begins this many characters ahead.
    fn is_move_at(&mut self, start: usize) -> bool {
        let end = start + self.digits_at(start);
        if end == start {
            return false;
        }
        let sign = end + self.blanks_at(end);
        let is_signed = self.chars.peek_at(sign).is_some_and(is_move_sign) && {
            let square = sign + 1 + self.blanks_at(sign + 1);
            self.digits_at(square) > 0
        };
        is_signed || end - start == 4
    }

    /// `0:05` or `1:02:03`, if it cannot be a capture.
    fn time(&mut self) -> Option<Token> {
        let mut end = self.digits_at(0);
        let is_zero = (0..end).all(|i| self.chars.peek_at(i) == Some('0'));
        let mut parts = 1;
        while self.chars.peek_at(end) == Some(':') && self.digits_at(end + 1) == 2 {
            end += 3;
            parts += 1;
        }
        let is_end = self.chars.peek_at(end).is_none_or(|c| c.is_whitespace() || is_word_end(c));
        if !(2..=3).contains(&parts) || !is_end {
            return None;
        }
        let text = self.peeked(end);
        let is_capture = || MoveText::parse(&text).is_ok_and(|written| written.is_possible());
        if !is_zero && is_capture() {
            return None;
        }
        self.chars.skip(end);
        Some(Token::Time(text))
    }

    pub(super) fn blanks_at(&mut self, start: usize) -> usize {
        let is_blank = |c: char| c.is_whitespace();
        (0..LOOK_AHEAD).take_while(|i| self.chars.peek_at(start + i).is_some_and(is_blank)).count()
    }

    fn digits_at(&mut self, start: usize) -> usize {
        let is_digit = |c: char| c.is_ascii_digit();
        (0..LOOK_AHEAD).take_while(|i| self.chars.peek_at(start + i).is_some_and(is_digit)).count()
    }

    /// A token that starts with a digit: a result, a move number (`None`, skipped) or a move.
    fn number(&mut self, line_ends: u64) -> Option<Token> {
        let mut end = self.digits_at(0);
        let sign = self.chars.peek_at(end);
        // Two digits and a dash: no such result looks like that, and most words do.
        if end != 2 || !sign.is_some_and(is_move_sign) {
            if let Some(end) = self.score() {
                return Some(end);
            }
            if let Some((length, text)) = self.plus_draw() {
                self.chars.skip(length);
                return Some(Token::End { text, result: GameResult::Draw });
            }
        }
        if sign == Some(':')
            && let Some(time) = self.time()
        {
            return Some(time);
        }
        if matches!(sign, Some('.' | '…')) || self.is_number_with_colon(end) {
            let value = self.peeked(end).parse().unwrap_or(u32::MAX);
            let digits = end;
            while matches!(self.chars.peek_at(end), Some('.' | '…' | ':')) && end < 2 * LOOK_AHEAD
            {
                end += 1;
            }
            let is_of_white = end == digits + 1 && sign != Some('…');
            self.number = Some(MoveNumber { value, is_of_white, line_ends });
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
            let mut next = self.blanks_at(0);
            while next < LOOK_AHEAD && matches!(self.chars.peek_at(next), Some('.' | '…')) {
                next += 1;
            }
            next += self.blanks_at(next);
            let is_before_move = self.is_move_at(next);
            return Some(Token::Number(text, is_before_move));
        }
        end = self.captured_list_end(end);
        let text = self.take(end);
        Some(match MoveText::parse(&text) {
            Ok(written) => Token::Move { written, text, number: None },
            Err(_) if GameResult::parse(&text).is_some() => Token::Score(text),
            Err(_) => Token::Junk(text),
        })
    }

    /// `1: 32-28`: a number, where `28: 19` is a capture.
    fn is_number_with_colon(&mut self, digits: usize) -> bool {
        if self.chars.peek_at(digits) != Some(':') {
            return false;
        }
        let square = digits + 1 + self.blanks_at(digits + 1);
        let end = square + self.digits_at(square);
        let sign = end + self.blanks_at(end);
        square > digits + 1 && self.chars.peek_at(sign) != Some(':') && self.is_move_at(square)
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
    fn parenthesised_strength(&mut self) -> Option<u32> {
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

    fn nag(&mut self) -> Option<u32> {
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

/// The characters besides blanks that end a word.
const fn is_word_end(c: char) -> bool {
    matches!(c, '[' | ']' | '{' | '}' | '(' | ')' | ';' | '$' | '"')
}

/// The NAG of a sign of evaluation.
fn evaluation(sign: &str) -> Option<u32> {
    let plain: String = sign.chars().map(|c| if is_dash(c) { '-' } else { c }).collect();
    Some(match plain.as_str() {
        "=" => 10,
        "∞" => 13,
        "⩲" | "+=" | "+/=" => 14,
        "⩱" | "=+" | "=/+" => 15,
        "±" | "+/-" => 16,
        "∓" | "-/+" => 17,
        "+-" => 18,
        "-+" => 19,
        _ => return None,
    })
}

/// The NAG of a sign of strength.
fn strength(sign: &str) -> u32 {
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
