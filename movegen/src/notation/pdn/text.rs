//! Tags and comments: the parts of a PDN file that are free text.

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

/// The brackets that forums put around a game.
const BORDERS: [&str; 4] = ["pdn", "pgn", "code", "quote"];

impl Lexer<'_> {
    /// Takes `[pdn]`, `[/pdn]` or `[quote=Jan]`, if it is next.
    pub(super) fn is_border(&mut self) -> bool {
        let name = 1 + usize::from(self.chars.peek_at(1) == Some('/'));
        let is_border = |lexer: &mut Self, border: &str| {
            let mut letters = (name..).zip(border.chars());
            letters.all(|(i, c)| lexer.chars.peek_at(i).is_some_and(|l| l.eq_ignore_ascii_case(&c)))
                && matches!(lexer.chars.peek_at(name + border.len()), Some(']' | '='))
        };
        if !BORDERS.into_iter().any(|border| is_border(self, border)) {
            return false;
        }
        let end = (0..LOOK_AHEAD).find(|&i| self.chars.peek_at(i) == Some(']'));
        self.chars.skip(end.map_or(0, |end| end + 1));
        end.is_some()
    }

    /// Whether a `[` begins a tag.
    pub(super) fn is_tag(&mut self) -> bool {
        let name = 1 + self.blanks_at(1);
        let Some(first) = self.chars.peek_at(name).filter(|c| c.is_alphabetic()) else {
            return false;
        };
        let mut end = name;
        while end < name + MAX_NAME && self.chars.peek_at(end).is_some_and(is_in_name) {
            end += 1;
        }
        // Names of other alphabets have a value in quotes: `[Белые "..."]`.
        end += self.blanks_at(end);
        first.is_ascii() || self.chars.peek_at(end) == Some('"')
    }

    pub(super) fn tag(&mut self, place: TextPos, begins_line: bool) -> Token {
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
            return Token::Tag { remark: Some(name.clone()), name, value: String::new() };
        }
        if self.chars.peek() == Some('"') {
            self.chars.next();
            let value = self.quoted_value(place);
            let remark = (!begins_line).then(|| format!("{name} \"{value}\""));
            return Token::Tag { name, value, remark };
        }
        let value = self.bare_value(place);
        let remark = Some([name.as_str(), if blanks > 0 { " " } else { "" }, &value].concat());
        Token::Tag { name, value, remark }
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
        let mut text = Kept::new(true);
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
        self.finish_comment(place, text)
    }

    pub(super) fn line_comment(&mut self, place: TextPos) -> Token {
        self.chars.next();
        let mut text = Kept::new(true);
        while let Some(c) = self.chars.peek().filter(|&c| c != '\n') {
            text.push(c);
            self.chars.next();
        }
        self.finish_comment(place, text)
    }

    fn finish_comment(&mut self, place: TextPos, text: Kept) -> Token {
        if text.is_cut() {
            self.warn(place, PdnWarningKind::TextCutOff(MAX_COMMENT));
        }
        Token::Comment(text.finish())
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

/// A text with blanks folded and the surplus left out. In comments an empty line parts paragraphs.
struct Kept {
    text: String,
    length: usize,
    /// Blanks since the last word, and line ends among them.
    blanks: usize,
    line_ends: usize,
    has_paragraphs: bool,
}

impl Kept {
    fn new(has_paragraphs: bool) -> Kept {
        Kept { text: String::new(), length: 0, blanks: 0, line_ends: 0, has_paragraphs }
    }

    fn push(&mut self, c: char) {
        if c.is_whitespace() || c == '\u{feff}' {
            self.blanks += 1;
            self.line_ends += usize::from(c == '\n');
            return;
        }
        if self.blanks > 0 {
            self.part(c);
        }
        if self.length < MAX_COMMENT {
            self.text.push(c);
        }
        self.length += 1;
    }

    /// The text that replaces the blanks before the next word.
    fn part(&mut self, next: char) {
        // At the start of a line a bracket is a tag, and a percent sign an escape.
        let is_paragraph = self.has_paragraphs && self.line_ends > 1 && !matches!(next, '[' | '%');
        (self.blanks, self.line_ends) = (0, 0);
        if self.text.is_empty() {
            return;
        }
        if self.length < MAX_COMMENT {
            self.text.push_str(if is_paragraph { PARAGRAPH } else { " " });
        }
        self.length += 1;
    }

    fn is_cut(&self) -> bool {
        self.length > MAX_COMMENT
    }

    fn finish(mut self) -> String {
        self.text.truncate(self.text.trim_end().len());
        self.text
    }
}

/// The text between two paragraphs of a comment.
pub(super) const PARAGRAPH: &str = "\n\n";

/// The text with runs of blanks folded.
pub(super) fn one_line(text: &str) -> String {
    folded(text, false)
}

/// The text of a comment: runs of blanks folded, and empty lines kept as [`PARAGRAPH`].
pub(super) fn paragraphs(text: &str) -> String {
    folded(text, true)
}

fn folded(text: &str, has_paragraphs: bool) -> String {
    let mut kept = Kept::new(has_paragraphs);
    text.chars().for_each(|c| kept.push(c));
    kept.finish()
}
