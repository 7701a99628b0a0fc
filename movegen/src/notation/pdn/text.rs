//! Tags and comments: the parts of a PDN file that are free text.

use std::io::BufRead;

use super::chars::TextPos;
use super::token::{LOOK_AHEAD, Lexer, Token};
use super::warning::PdnWarningKind;

/// Bytes of the name of a tag.
pub(super) const MAX_NAME: usize = 64;

/// The characters of tag names.
pub(super) fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// The values of tags are kept up to this many characters.
pub(super) const MAX_TEXT: usize = 256 * 1024;

/// Comments are kept up to this many characters.
pub(super) const MAX_COMMENT: usize = 16 * 1024 * 1024;

impl<R: BufRead> Lexer<R> {
    /// Whether a `[` begins a tag.
    pub(super) fn is_tag(&mut self) -> bool {
        let name = 1 + self.blanks_at(1);
        self.chars.peek_at(name).is_some_and(|c| c.is_ascii_alphabetic())
    }

    pub(super) fn tag(&mut self, place: TextPos) -> Token {
        self.chars.next();
        self.skip_blanks();
        let mut name = String::new();
        while let Some(c) = self.chars.peek() {
            if !is_in_name(c) {
                break;
            }
            if name.len() + c.len_utf8() <= MAX_NAME {
                name.push(c);
            }
            self.chars.next();
        }
        // The value may be on the next line, but only in quotes.
        let blanks = self.blanks_at(0);
        let next = self.chars.peek_at(blanks);
        if next == Some('"') || self.blanks_on_line() == blanks {
            self.chars.skip(blanks);
        } else if next == Some(']') {
            self.chars.skip(blanks + 1);
            return Token::Tag { name, value: String::new() };
        }
        let value = if self.chars.peek() == Some('"') {
            self.chars.next();
            self.quoted_value(place)
        } else {
            self.bare_value(place)
        };
        Token::Tag { name, value }
    }

    /// The value after the opening quote; takes the closing quote and bracket.
    fn quoted_value(&mut self, place: TextPos) -> String {
        let mut value = String::new();
        let mut length = 0;
        loop {
            let Some(c) = self.chars.next() else {
                self.warn(place, PdnWarningKind::UnfinishedTag);
                break;
            };
            match c {
                '\\' if matches!(self.chars.peek(), Some('"' | '\\')) => {
                    value.extend(self.chars.next());
                }
                '"' => {
                    let blanks = self.blanks_on_line();
                    match self.chars.peek_at(blanks) {
                        Some(']') => {
                            self.chars.skip(blanks + 1);
                            break;
                        }
                        None | Some('\n') => {
                            // The bracket may be on the next line, or be forgotten.
                            let blanks = self.blanks_at(0);
                            if self.chars.peek_at(blanks) == Some(']') {
                                self.chars.skip(blanks + 1);
                            } else {
                                self.warn(place, PdnWarningKind::UnfinishedTag);
                            }
                            break;
                        }
                        _ => value.push('"'),
                    }
                }
                '\n' => {
                    let blanks = self.blanks_on_line();
                    let ends = value.trim_end().ends_with(']')
                        || matches!(self.chars.peek_at(blanks), None | Some('\n' | '['));
                    if ends {
                        self.warn(place, PdnWarningKind::UnfinishedTag);
                        value.truncate(value.trim_end().trim_end_matches(']').len());
                        break;
                    }
                    value.push(' ');
                }
                c => value.push(c),
            }
            length += 1;
            if length == MAX_TEXT {
                self.warn(place, PdnWarningKind::TextCutOff(MAX_TEXT));
                break;
            }
        }
        one_line(&value)
    }

    /// A value without quotes: up to the bracket or the end of the line.
    fn bare_value(&mut self, place: TextPos) -> String {
        let mut value = String::new();
        loop {
            match self.chars.peek() {
                None | Some('\n') => {
                    self.warn(place, PdnWarningKind::UnfinishedTag);
                    break;
                }
                Some(']') => {
                    self.chars.next();
                    break;
                }
                Some(c) => {
                    self.chars.next();
                    if value.len() < MAX_TEXT {
                        value.push(c);
                    }
                }
            }
        }
        one_line(&value).trim_end_matches('"').to_owned()
    }

    pub(super) fn blanks_on_line(&mut self) -> usize {
        let is_blank = |c: char| c != '\n' && c.is_whitespace();
        (0..LOOK_AHEAD).take_while(|&i| self.chars.peek_at(i).is_some_and(is_blank)).count()
    }

    /// `{...}`, braces inside counted. A line that looks like a tag ends an unfinished comment,
    /// so that it cannot swallow the rest of the file.
    pub(super) fn comment(&mut self, place: TextPos) -> Token {
        self.chars.next();
        let mut text = Kept::new();
        let mut depth = 1;
        loop {
            let Some(c) = self.chars.next() else {
                self.warn(place, PdnWarningKind::UnfinishedComment);
                break;
            };
            match c {
                '{' => depth += 1,
                '}' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                '\n' if self.is_tag_line() => {
                    self.warn(place, PdnWarningKind::UnfinishedComment);
                    break;
                }
                _ => {}
            }
            text.push(c);
        }
        self.finish_comment(place, &text)
    }

    pub(super) fn line_comment(&mut self, place: TextPos) -> Token {
        self.chars.next();
        let mut text = Kept::new();
        while let Some(c) = self.chars.peek().filter(|&c| c != '\n') {
            text.push(c);
            self.chars.next();
        }
        self.finish_comment(place, &text)
    }

    fn finish_comment(&mut self, place: TextPos, text: &Kept) -> Token {
        if text.is_cut() {
            self.warn(place, PdnWarningKind::TextCutOff(MAX_COMMENT));
        }
        Token::Comment(text.text.trim_end().to_owned())
    }

    /// Whether what follows looks like `[Name "`.
    fn is_tag_line(&mut self) -> bool {
        let mut i = self.blanks_on_line();
        if self.chars.peek_at(i) != Some('[') {
            return false;
        }
        i += 1;
        let letters = (0..LOOK_AHEAD)
            .take_while(|k| self.chars.peek_at(i + k).is_some_and(|c| c.is_ascii_alphanumeric()))
            .count();
        let quote = i + letters + self.blanks_at(i + letters);
        letters > 0 && quote > i + letters && self.chars.peek_at(quote) == Some('"')
    }
}

/// The text of a comment with blanks folded and the surplus left out.
struct Kept {
    text: String,
    length: usize,
}

impl Kept {
    fn new() -> Kept {
        Kept { text: String::new(), length: 0 }
    }

    fn push(&mut self, c: char) {
        let blank = c.is_whitespace() || c == '\u{feff}';
        if blank && (self.text.is_empty() || self.text.ends_with(' ')) {
            return;
        }
        if self.length < MAX_COMMENT {
            self.text.push(if blank { ' ' } else { c });
        }
        self.length += 1;
    }

    fn is_cut(&self) -> bool {
        self.length > MAX_COMMENT
    }
}

/// The text with runs of blanks folded.
pub(super) fn one_line(text: &str) -> String {
    let mut kept = Kept::new();
    text.chars().for_each(|c| kept.push(c));
    kept.text.trim_end().to_owned()
}
