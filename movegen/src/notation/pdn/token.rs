//! Words of a PDN file.

use std::io::BufRead;

use super::chars::{Chars, TextPos};
use super::result::GameResult;
use super::warning::{PdnWarning, PdnWarningKind};
use crate::notation::moves::{MoveText, ParseMoveError};
use crate::notation::text::{
    Joint, is_blank, is_capture_sign, is_dash, is_king_letter_at, is_move_sign, joint, narrow,
};

/// A word of a PDN file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Tag {
        name: String,
        value: String,
        /// The text of a tag that may be a remark: without quotes, or on the line of a move.
        remark: Option<String>,
    },
    Move {
        /// The error of a word that looks like a move.
        written: Result<MoveText, ParseMoveError>,
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
    /// A score that is not a move (`3-0`, `1/2`): a result, if the game ends here.
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
    /// `[pdn]` and `[/pdn]` of forums, around a game.
    Border,
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

pub(super) struct Lexer<'a> {
    pub(super) chars: Chars<'a>,
    /// Whether the last token was a move and nothing has come since, not even a blank.
    touches_move: bool,
    /// The number before the next token.
    number: Option<MoveNumber>,
    pub(super) warnings: Vec<PdnWarning>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(input: impl BufRead + Send + 'a) -> Lexer<'a> {
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
            let c = self.at(0)?;
            let touches_move = std::mem::take(&mut self.touches_move);
            let mut token = match c {
                '%' if place.column == 1 => {
                    while self.chars.peek().is_some_and(|c| c != '\n') {
                        self.chars.next();
                    }
                    continue;
                }
                '[' if self.is_border() => Token::Border,
                '[' if self.is_tag() => self.tag(place, line_ends > 0),
                '[' if self.chars.peek_at(1) == Some('%') => self.bare_command(),
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
                '□' | '⨀' => {
                    self.chars.next();
                    Token::Nag(if c == '□' { 7 } else { 22 })
                }
                '+' | '=' | '±' | '∓' | '⩲' | '⩱' | '∞' => self.sign_or_junk(),
                c if is_king_letter_at(&mut |i| self.at(i), 0) && self.is_move_at(1) => {
                    self.chars.next();
                    match self.number(line_ends) {
                        Some(Token::Move { written, text, number }) => {
                            Token::Move { written, text: format!("{c}{text}"), number }
                        }
                        Some(token) => token,
                        None => continue,
                    }
                }
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

    /// Text after the result that belongs to the game: comments on the same line, and variations,
    /// since no game begins with a variation.
    pub(super) fn after_result(&mut self) -> Option<(TextPos, Token)> {
        let blanks = self.blanks_on_line();
        let on_line = self.chars.peek_at(blanks);
        let blanks = if on_line == Some('\n') { self.blanks_at(0) } else { blanks };
        let is_remark = on_line == Some('{') || self.chars.peek_at(blanks) == Some('(');
        if is_remark { self.next() } else { None }
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.chars.peek().is_some_and(is_blank) {
            self.touches_move = false;
            self.chars.next();
        }
    }

    /// The character this many places ahead, digits and dots as plain ones.
    fn at(&mut self, n: usize) -> Option<char> {
        self.chars.peek_at(n).map(narrow)
    }

    /// Whether no word continues this many characters ahead.
    fn is_word_end_at(&mut self, n: usize) -> bool {
        self.at(n).is_none_or(|c| is_blank(c) || is_word_end(c))
    }

    /// The characters up to a blank or bracket, without taking them.
    fn peek_word(&mut self) -> String {
        let end = (0..LOOK_AHEAD).find(|&i| self.is_word_end_at(i)).unwrap_or(LOOK_AHEAD);
        self.peeked(end)
    }

    /// A word without a meaning, unless it is a result or looks like a move; takes at least one character. Signs
    /// before a move, such as the `>` of a quoted mail, are a word of their own.
    fn junk(&mut self) -> Token {
        self.junk_after(String::new())
    }

    /// The same for a word that has begun.
    fn junk_after(&mut self, mut word: String) -> Token {
        let mut is_sign = word.is_empty();
        while let Some(c) = self.chars.peek() {
            let ends = self.is_word_end_at(0) || (is_sign && self.is_move_at(0));
            if !word.is_empty() && ends {
                break;
            }
            is_sign &= !c.is_alphanumeric() && !is_move_sign(c) && !matches!(c, '+' | '/' | '.');
            if word.len() < LOOK_AHEAD {
                word.push(c);
            }
            self.chars.next();
        }
        match MoveText::parse(&word) {
            Err(_) if GameResult::parse(&word).is_some() => Token::Score(word),
            Err(error) if looks_like_move(&word) => {
                Token::Move { written: Err(error), text: word, number: None }
            }
            _ => Token::Junk(word),
        }
    }

    /// `[%clk 0:01]` without the braces around it.
    fn bare_command(&mut self) -> Token {
        let is_end = |&c: &char| matches!(c, ']' | '\n');
        let end = (0..4 * LOOK_AHEAD).find(|&i| self.chars.peek_at(i).as_ref().is_none_or(is_end));
        match end {
            Some(end) if self.chars.peek_at(end) == Some(']') => Token::Comment(self.take(end + 1)),
            _ => self.junk(),
        }
    }

    fn score_or_junk(&mut self) -> Token {
        self.score().unwrap_or_else(|| self.junk())
    }

    /// An unambiguous result, such as `2-0`, `1.5:0.5` or `1/2 - 1/2`; it is kept without its
    /// blanks, but for that of `1 1/2 - 1/2`.
    fn score(&mut self) -> Option<Token> {
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '/' | '½');
        let mut text = String::new();
        let mut at = 0;
        for side in 0..2 {
            if side == 1 {
                at += self.blanks_at(at);
                let sign = self.chars.peek_at(at).filter(|&c| is_dash(c) || c == ':')?;
                text.push(if is_dash(sign) { '-' } else { sign });
                at += 1;
                at += self.blanks_at(at);
            }
            if let Some(blanks) = self.blanks_before_half(at) {
                text.extend(self.chars.peek_at(at));
                text.push(' ');
                at += 1 + blanks;
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
        let is_end = self.is_word_end_at(at);
        let result = GameResult::parse_token(&text).filter(|_| is_end)?;
        self.chars.skip(at);
        Some(Token::End { text, result })
    }

    /// The blanks between a whole number and a half: `1 1/2`. No game gives more than one and a
    /// half points; a larger number belongs to a move.
    fn blanks_before_half(&mut self, start: usize) -> Option<usize> {
        self.chars.peek_at(start).filter(|c| matches!(c, '0' | '1'))?;
        let blanks = self.blanks_at(start + 1);
        let half: String =
            (0..3).map_while(|i| self.chars.peek_at(start + 1 + blanks + i)).collect();
        (blanks > 0 && (half == "1/2" || half.starts_with('½'))).then_some(blanks)
    }

    /// A sign of evaluation.
    fn sign_or_junk(&mut self) -> Token {
        let text = self.peek_word();
        let Some(nag) = evaluation(&text) else { return self.score_or_junk() };
        self.chars.skip(text.chars().count());
        if GameResult::parse(&text).is_some() { Token::Sign { text, nag } } else { Token::Nag(nag) }
    }

    /// `--`, `- -`, or `-+`. More dashes are a line across the page.
    fn null_move_or_sign(&mut self) -> Token {
        let blanks = self.blanks_at(1);
        let is_dash_at = |lexer: &mut Self, n| lexer.chars.peek_at(n).is_some_and(is_dash);
        if is_dash_at(self, 1 + blanks) && !is_dash_at(self, 2 + blanks) {
            self.chars.skip(2 + blanks);
            return Token::NullMove("--".to_owned());
        }
        self.sign_or_junk()
    }

    /// Whether a move begins this many characters ahead.
    fn is_move_at(&mut self, start: usize) -> bool {
        let digits = self.digits_at(start);
        digits > 0 && (digits == 4 || self.joint_at(start + digits, digits <= 2).is_some())
    }

    fn joint_at(&mut self, end: usize, may_be_makeshift: bool) -> Option<Joint> {
        joint(|i| self.at(i), end, may_be_makeshift)
    }

    /// `0:05` or `12:75`, if it cannot be a capture.
    fn time(&mut self) -> Option<Token> {
        let mut end = self.digits_at(0);
        let is_zero = (0..end).all(|i| self.at(i) == Some('0'));
        let mut parts = 1;
        while self.chars.peek_at(end) == Some(':') && self.digits_at(end + 1) == 2 {
            end += 3;
            parts += 1;
        }
        if !(2..=3).contains(&parts) || !self.is_word_end_at(end) {
            return None;
        }
        let text = self.peeked(end);
        if !is_zero && MoveText::parse(&text).is_ok() {
            return None;
        }
        self.chars.skip(end);
        Some(Token::Time(text))
    }

    /// `31.26` or `0.13`: not a number with its move.
    fn decimal(&mut self, digits: usize) -> Option<Token> {
        let end = digits + 1 + self.digits_at(digits + 1);
        let next = end + self.blanks_at(end);
        let second = self.digits_at(next);
        let is_pair = second > 0 && self.is_word_end_at(next + second);
        let is_decimal = end > digits + 1
            && self.is_word_end_at(end)
            && !self.is_move_at(digits + 1)
            && !is_pair;
        is_decimal.then(|| Token::Junk(self.take(end)))
    }

    /// `12.05.2020`.
    fn date(&mut self) -> Option<Token> {
        let mut end = self.digits_at(0);
        for _ in 0..2 {
            let digits = self.digits_at(end + 1);
            if self.at(end) != Some('.') || !matches!(digits, 1 | 2 | 4) {
                return None;
            }
            end += 1 + digits;
        }
        self.is_word_end_at(end).then(|| Token::Junk(self.take(end)))
    }

    pub(super) fn blanks_at(&mut self, start: usize) -> usize {
        (0..LOOK_AHEAD).take_while(|i| self.chars.peek_at(start + i).is_some_and(is_blank)).count()
    }

    fn digits_at(&mut self, start: usize) -> usize {
        let is_digit = |c: char| c.is_ascii_digit();
        (0..LOOK_AHEAD).take_while(|i| self.at(start + i).is_some_and(is_digit)).count()
    }

    /// A token that starts with a digit: a result, a move number (`None`, skipped) or a move.
    fn number(&mut self, line_ends: u64) -> Option<Token> {
        let mut end = self.digits_at(0);
        let sign = self.at(end);
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
        if sign == Some('.')
            && let Some(word) = self.date().or_else(|| self.decimal(end))
        {
            return Some(word);
        }
        if matches!(sign, Some('.' | '…')) || self.is_number_with_colon(end) {
            let value = self.peeked(end).parse().unwrap_or(u32::MAX);
            let digits = end;
            while matches!(self.at(end), Some('.' | '…' | ':')) && end < 2 * LOOK_AHEAD {
                end += 1;
            }
            let is_of_white = end == digits + 1 && sign != Some('…');
            self.number = Some(MoveNumber { value, is_of_white, line_ends });
            self.chars.skip(end);
            return None;
        }
        let digits = end;
        let mut squares = 1;
        let mut may_be_makeshift = digits <= 2;
        while squares < LOOK_AHEAD
            && let Some(joint) = self.joint_at(end, may_be_makeshift)
        {
            squares += 1;
            may_be_makeshift = joint.is_makeshift;
            end = joint.square + self.digits_at(joint.square);
        }
        if squares == 1
            && let Some(bare) = self.squares_without_sign(digits)
        {
            return Some(bare);
        }
        if squares == 1 && digits != 4 {
            let text = self.take(end);
            if !self.is_word_end_at(0) {
                return Some(self.junk_after(text));
            }
            let mut next = self.blanks_at(0);
            while next < LOOK_AHEAD && matches!(self.at(next), Some('.' | '…')) {
                next += 1;
            }
            next += self.blanks_at(next);
            let is_before_move = self.is_move_at(next);
            return Some(Token::Number(text, is_before_move));
        }
        end = self.captured_list_end(end);
        let text = self.take(end);
        Some(match MoveText::parse(&text) {
            Err(_) if GameResult::parse(&text).is_some() => Token::Score(text),
            Err(_) if !looks_like_move(&text) => Token::Junk(text),
            written => Token::Move { written, text, number: None },
        })
    }

    /// `32 28`, where it can have no other meaning.
    fn squares_without_sign(&mut self, digits: usize) -> Option<Token> {
        let second = digits + self.blanks_at(digits);
        let end = second + self.digits_at(second);
        let next = end + self.blanks_at(end);
        let is_alone = second > digits && self.is_word_end_at(end) && !self.is_move_at(next);
        let text = self.peeked(end);
        let written =
            MoveText::parse(&text).ok().filter(|_| is_alone && !self.is_move_at(second))?;
        self.chars.skip(end);
        Some(Token::Move { written: Ok(written), text, number: None })
    }

    /// `1: 32-28`: a number, where `28: 19` is a capture.
    fn is_number_with_colon(&mut self, digits: usize) -> bool {
        if self.at(digits) != Some(':') {
            return false;
        }
        let square = digits + 1 + self.blanks_at(digits + 1);
        let end = square + self.digits_at(square);
        let sign = end + self.blanks_at(end);
        square > digits + 1 && self.at(sign) != Some(':') && self.is_move_at(square)
    }

    fn peeked(&mut self, length: usize) -> String {
        (0..length).map_while(|i| self.at(i)).map(in_line).collect()
    }

    fn take(&mut self, length: usize) -> String {
        (0..length).map_while(|_| self.chars.next()).map(|c| in_line(narrow(c))).collect()
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
                let fits = self.is_word_end_at(i + 1) && matches!(text.as_str(), "1+-1-" | "1--1+");
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
                Some(c) if c.is_ascii_digit() || c == ',' || is_blank(c) => {}
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
                c @ ('!' | '?' | '*' | '□') => sign.push(if c == '□' { '*' } else { c }),
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

/// A blank for each white space.
fn in_line(c: char) -> char {
    if c.is_whitespace() { ' ' } else { c }
}

/// The characters other than blanks that end a word.
const fn is_word_end(c: char) -> bool {
    matches!(c, '[' | ']' | '{' | '}' | '(' | ')' | ';' | '$' | '"')
}

/// Whether an unreadable word may be meant as a move: two numbers that could be squares or slips of
/// the pen, or one with a sign, and few letters. Dates, years, times, decimals and lists are not.
pub(super) fn looks_like_move(word: &str) -> bool {
    let word = word.trim_end_matches(['!', '?', '*']);
    let is_digit = |c: char| c.is_ascii_digit();
    let numbers = word.split(|c| !is_digit(c)).filter(|number| !number.is_empty());
    let is_square = |n: &str| n.len() <= 3 || n.parse::<u32>().is_ok_and(|n| n <= 50);
    let letters = word.chars().filter(|&c| c.is_alphabetic() && !is_capture_sign(c)).count();
    let are_squares = numbers.clone().all(is_square);
    let count = numbers.count();
    if letters > count.max(2) || !are_squares {
        return word.len() == 4 && word.chars().all(is_digit) && !is_time_or_year(word);
    }
    if count == 1 {
        let before = word.trim_end_matches(is_digit);
        let after = word.trim_start_matches(is_digit);
        let is_cut = |part: &str| part.len() < word.len() && !part.contains(':');
        return (is_cut(before) && !before.is_empty() && before.chars().all(is_capture_sign))
            || (is_cut(after) && !after.is_empty() && after.chars().all(is_move_sign));
    }
    let is_decimal =
        |(at, _)| word[..at].ends_with(is_digit) && word[at + 1..].starts_with(is_digit);
    count > 1 && !is_time_or_year(word) && !word.match_indices(['.', ',']).any(is_decimal)
}

/// `1:02:03`, `12:44` and `1995` are moves only where they are legal.
pub(super) fn is_time_or_year(word: &str) -> bool {
    let Some((_, rest)) = word.split_once(':') else {
        return word.len() == 4 && word.parse().is_ok_and(|year| (1800..2100).contains(&year));
    };
    let is_one_jump = || MoveText::parse(word).is_ok_and(|written| written.is_possible());
    let has_two_digits = |part: &str| part.len() == 2 && part.parse::<u8>().is_ok();
    let is_time = rest.len() == "mm:ss".len() || (rest.len() == 2 && !is_one_jump());
    is_time && rest.split(':').all(has_two_digits)
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
