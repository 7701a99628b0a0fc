//! Characters with their places, from bytes.
//!
//! UTF-8; a word that is not valid is in the encoding of its run ([`runs`](super::runs)), so that
//! old files, and files put together from several, need no guess about the whole file. UTF-16, as
//! some editors save it, is known by its byte order mark or by NULs. Line ends may be LF, CR LF or
//! CR and come out as LF; byte order marks are skipped; the blanks of web pages (`&nbsp;`) come out
//! as blanks. The reader holds only some kilobytes at a time, however long a line is.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use super::encoding::{Encoding, Encodings};
use super::runs::{Runs, is_line_end};

/// Line and column of a character, both from 1; the column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct TextPos {
    pub(super) line: u64,
    pub(super) column: u64,
}

/// How many bytes are copied from the input at a time.
const CHUNK: usize = 8192;

/// Longer lines are cut.
const MAX_LINE: usize = 16 * 1024;

/// How much is read when a line is not UTF-8, and how much of it is only looked at.
const WINDOW: usize = 64 * 1024;
const LOOK_AHEAD: usize = WINDOW / 4;

/// The text that web pages write for a non-breaking blank.
const HTML_BLANKS: [&str; 2] = ["&nbsp;", "&#160;"];

pub(super) struct Chars<'a> {
    text: Text<'a>,
    ahead: VecDeque<char>,
    place: TextPos,
    /// The last character was a CR.
    is_after_cr: bool,
}

impl<'a> Chars<'a> {
    pub(super) fn new(input: impl BufRead + Send + 'a) -> Chars<'a> {
        let place = TextPos { line: 1, column: 1 };
        Chars { text: Text::new(input), ahead: VecDeque::new(), place, is_after_cr: false }
    }

    /// The encoding that the caller has given; only a mark at the start of the text overrides it.
    pub(super) fn set_encoding(&mut self, encoding: Encoding) {
        self.text.given = Some(encoding);
    }

    /// The encodings so far.
    pub(super) fn encodings(&self) -> Encodings {
        self.text.found.and(self.text.runs.found)
    }

    /// The character `n` places ahead, 0 for the next one.
    pub(super) fn peek_at(&mut self, n: usize) -> Option<char> {
        while self.ahead.len() <= n {
            let c = self.decode()?;
            self.ahead.push_back(c);
        }
        Some(self.ahead[n])
    }

    pub(super) fn peek(&mut self) -> Option<char> {
        self.peek_at(0)
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = match self.ahead.pop_front() {
            Some(c) => c,
            None => self.decode()?,
        };
        if c == '\n' {
            self.place.line += 1;
            self.place.column = 1;
        } else {
            self.place.column += 1;
        }
        Some(c)
    }

    pub(super) fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.next();
        }
    }

    /// The place of the next character.
    pub(super) fn place(&self) -> TextPos {
        self.place
    }

    /// The error that ended the input, once.
    pub(super) fn take_error(&mut self) -> Option<io::Error> {
        self.text.error.take()
    }

    fn decode(&mut self) -> Option<char> {
        loop {
            let ahead = self.text.ahead(1);
            let c = ahead.chars().next()?;
            let was_cr = std::mem::replace(&mut self.is_after_cr, c == '\r');
            self.text.next += c.len_utf8();
            match c {
                '\n' if was_cr => {}
                '\u{feff}' => {}
                '\r' => return Some('\n'),
                '&' => {
                    let rest = self.text.ahead(HTML_BLANKS[0].len() - 1);
                    let blank = HTML_BLANKS.iter().find(|blank| rest.starts_with(&blank[1..]));
                    let Some(blank) = blank else { return Some(c) };
                    self.text.next += blank.len() - 1;
                    return Some('\u{a0}');
                }
                c => return Some(c),
            }
        }
    }
}

/// The encodings of a whole text, as [`PdnReader`](super::PdnReader) finds them.
///
/// # Errors
/// If the input fails.
pub fn encodings_of(input: impl BufRead + Send) -> io::Result<Encodings> {
    let mut text = Text::new(input);
    while text.fill() {
        text.next = text.text.len();
    }
    let found = text.found.and(text.runs.found);
    text.error.map_or(Ok(found), Err)
}

/// A text as [`PdnReader`](super::PdnReader) reads it: in this encoding, unless a mark at its start
/// says otherwise; without an encoding it is recognised place by place.
#[must_use]
pub fn decode(encoding: Option<Encoding>, bytes: &[u8]) -> String {
    let mut text = Text::new(bytes);
    text.given = encoding;
    while text.fill() {
        text.next = 0;
    }
    text.text
}

/// What the next bytes are.
#[derive(Clone, Copy)]
enum Form {
    Start,
    /// UTF-8, and runs of others.
    Runs,
    /// UTF-16, perhaps only as far as lines look like it.
    Utf16 {
        is_big_endian: bool,
        is_line_start: bool,
    },
    /// In the encoding that the caller has given.
    Given(Encoding),
}

impl Form {
    fn utf16(is_big_endian: bool) -> Form {
        Form::Utf16 { is_big_endian, is_line_start: false }
    }
}

/// The byte order, if this is the start of UTF-16: by a mark or NULs in the first characters.
fn utf16_at(bytes: &[u8]) -> Option<bool> {
    let head = &bytes[..bytes.len().min(32)];
    let nuls = |first: usize| head.iter().skip(first).step_by(2).filter(|&&byte| byte == 0).count();
    let (big, little) = (nuls(0), nuls(1));
    match head {
        [0xff, 0xfe, ..] if little > 0 => Some(false),
        [0xfe, 0xff, ..] if big > 0 => Some(true),
        _ if little > 2 * big && little > head.len() / 6 => Some(false),
        _ if big > 2 * little && big > head.len() / 6 => Some(true),
        _ => None,
    }
}

/// Where UTF-16 begins among lines that are not.
fn utf16_start(bytes: &[u8]) -> Option<usize> {
    if !bytes.contains(&0) {
        return None;
    }
    let is_start = |&place: &usize| {
        let is_mark = matches!(bytes[place..], [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
        let is_line_start = place == 0 || is_line_end(bytes[place - 1]);
        (is_mark || is_line_start && !is_line_end(bytes[place]))
            && utf16_at(&bytes[place..]).is_some()
    };
    (0..bytes.len()).find(is_start)
}

/// Text from bytes, a part at a time.
struct Text<'a> {
    /// Read in large parts: one call through the pointer for each.
    input: Box<dyn BufRead + Send + 'a>,
    given: Option<Encoding>,
    form: Form,
    /// What has been read and not decoded; whole lines come first.
    bytes: Vec<u8>,
    at_end: bool,
    error: Option<io::Error>,
    text: String,
    /// The place of the next character in the text.
    next: usize,
    runs: Runs,
    /// Encodings other than those of the runs.
    found: Encodings,
}

impl<'a> Text<'a> {
    fn new(input: impl BufRead + Send + 'a) -> Text<'a> {
        Text {
            input: Box::new(input),
            given: None,
            form: Form::Start,
            bytes: Vec::new(),
            at_end: false,
            error: None,
            text: String::new(),
            next: 0,
            runs: Runs::new(),
            found: Encodings::default(),
        }
    }

    /// The text ahead: this many bytes, if there are.
    fn ahead(&mut self, wanted: usize) -> &str {
        while self.text.len() - self.next < wanted && self.fill() {}
        &self.text[self.next..]
    }

    /// Adds to the text; false at its end.
    fn fill(&mut self) -> bool {
        self.text.drain(..self.next);
        self.next = 0;
        let before = self.text.len();
        while self.text.len() == before {
            let count = self.decode();
            self.bytes.drain(..count);
            if count == 0 && !self.read() {
                return false;
            }
        }
        true
    }

    /// Reads more bytes; false at their end.
    fn read(&mut self) -> bool {
        while !self.at_end {
            let taken = match self.input.fill_buf() {
                Ok(chunk) => {
                    let taken = chunk.len().min(CHUNK);
                    self.bytes.extend_from_slice(&chunk[..taken]);
                    taken
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => {
                    self.error = Some(e);
                    0
                }
            };
            self.input.consume(taken);
            self.at_end = taken == 0;
            // The end of the input decides what was still open.
            return taken > 0 || !self.bytes.is_empty();
        }
        false
    }

    /// Decodes bytes; returns how many, 0 if more must be known.
    fn decode(&mut self) -> usize {
        match self.form {
            Form::Start => {
                if self.bytes.len() < 3 && !self.at_end {
                    return 0;
                }
                self.form = match (self.bytes.as_slice(), self.given) {
                    ([0xff, 0xfe, ..] | [1..=0xff, 0, ..], _) => Form::utf16(false),
                    ([0xfe, 0xff, ..] | [0, 1..=0xff, ..], _) => Form::utf16(true),
                    ([0xef, 0xbb, 0xbf, ..], _) | (_, None) => Form::Runs,
                    (_, Some(Encoding::UTF_16LE)) => Form::utf16(false),
                    (_, Some(Encoding::UTF_16BE)) => Form::utf16(true),
                    (_, Some(encoding)) => Form::Given(encoding),
                };
                self.decode()
            }
            Form::Runs => self.decode_runs(),
            Form::Utf16 { .. } => self.decode_utf16(),
            Form::Given(encoding) => {
                self.found.add(encoding);
                let Some(letters) = encoding.letters() else {
                    let end = self.whole_lines();
                    self.text.push_str(&String::from_utf8_lossy(&self.bytes[..end]));
                    return end;
                };
                self.text.extend(self.bytes.iter().map(|&byte| match byte.checked_sub(0x80) {
                    Some(high) => letters[usize::from(high)],
                    None => char::from(byte),
                }));
                self.bytes.len()
            }
        }
    }

    /// The length of the lines that are whole.
    fn whole_lines(&self) -> usize {
        let after_last = |is_last: fn(u8) -> bool| {
            self.bytes.iter().rposition(|&byte| is_last(byte)).map(|place| place + 1)
        };
        match after_last(is_line_end) {
            _ if self.at_end => self.bytes.len(),
            Some(end) => end,
            None if self.bytes.len() < MAX_LINE => 0,
            None => after_last(|byte| byte.is_ascii()).unwrap_or(self.bytes.len()),
        }
    }

    fn decode_runs(&mut self) -> usize {
        let mut end = self.whole_lines();
        let utf16 = utf16_start(&self.bytes[..end]);
        match utf16 {
            Some(0) => {
                self.form = Form::utf16(utf16_at(&self.bytes).unwrap_or_default());
                return self.decode();
            }
            Some(start) => end = start,
            None => {}
        }
        let lines = &self.bytes[..end];
        let valid = match std::str::from_utf8(lines) {
            Ok(text) => text,
            Err(error) => {
                let valid = &lines[..error.valid_up_to()];
                let start = valid.iter().rposition(|&byte| is_line_end(byte));
                std::str::from_utf8(&valid[..start.map_or(0, |start| start + 1)])
                    .unwrap_or_default()
            }
        };
        if !valid.is_empty() || lines.is_empty() {
            if !valid.is_ascii() {
                self.found.add(Encoding::UTF_8);
            }
            self.text.push_str(valid);
            return valid.len();
        }
        let is_all = self.at_end || utf16.is_some();
        if !is_all && self.bytes.len() < WINDOW {
            return 0;
        }
        let settled = &lines[..lines.len().saturating_sub(LOOK_AHEAD)];
        let settled = settled.iter().rposition(|&byte| is_line_end(byte)).map(|place| place + 1);
        let settled = settled.filter(|_| !is_all).unwrap_or(end);
        let (lines, after) = lines.split_at(settled);
        self.runs.read(lines, after, &mut self.text);
        settled
    }

    fn decode_utf16(&mut self) -> usize {
        let Form::Utf16 { mut is_big_endian, mut is_line_start } = self.form else { return 0 };
        let unit = |place: usize, is_big_endian: bool| {
            let pair = self.bytes.get(place..place + 2)?.try_into().ok()?;
            Some(if is_big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
        };
        self.found.add(if is_big_endian { Encoding::UTF_16BE } else { Encoding::UTF_16LE });
        let mut place = 0;
        loop {
            let rest = &self.bytes[place..];
            if rest.len() < 32 && !self.at_end {
                break;
            }
            if is_line_start && self.given.is_none() {
                match utf16_at(rest) {
                    Some(order) => is_big_endian = order,
                    None if rest[..rest.len().min(32)].contains(&0) => {}
                    None => {
                        self.form = Form::Runs;
                        return if place == 0 { self.decode() } else { place };
                    }
                }
            }
            let Some(first) = unit(place, is_big_endian) else {
                place = self.bytes.len();
                break;
            };
            let units = [first].into_iter().chain(unit(place + 2, is_big_endian));
            let next = char::decode_utf16(units).next().and_then(Result::ok);
            let c = next.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.text.push(c);
            place += 2 * c.len_utf16();
            is_line_start = c == '\n';
        }
        self.form = Form::Utf16 { is_big_endian, is_line_start };
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], buffer: usize) -> String {
        let mut chars = Chars::new(io::BufReader::with_capacity(buffer, bytes));
        std::iter::from_fn(|| chars.next()).collect()
    }

    #[test]
    fn decodes_whatever_the_buffer_size() {
        for buffer in [1, 2, 3, 5, 8192] {
            assert_eq!(all("a×b\u{1F600}½\n".as_bytes(), buffer), "a×b\u{1F600}½\n");
            assert_eq!(all(b"M\xfcller \xe9", buffer), "Müller é");
            assert_eq!(all(b"\xef\xbb\xbfa\r\nb\rc\n\r\r\n", buffer), "a\nb\nc\n\n\n");
            assert_eq!(all(b"", buffer), "");
            assert_eq!(all(b"a&nbsp;&#160;b&nbs", buffer), "a\u{a0}\u{a0}b&nbs");
        }
    }

    #[test]
    fn utf_16_is_known_with_and_without_its_mark() {
        let text = "[A \"é\u{1F600}\"]\r\n\r";
        for mark in ["", "\u{feff}"] {
            let units: Vec<u16> = (mark.to_owned() + text).encode_utf16().collect();
            let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
            for buffer in [1, 2, 3, 8192] {
                assert_eq!(all(&little, buffer), "[A \"é\u{1F600}\"]\n\n");
                assert_eq!(all(&big, buffer), "[A \"é\u{1F600}\"]\n\n");
            }
        }
        // Half of a pair, half of a unit.
        assert_eq!(all(b"a\0\x00\xd8b\0c", 8192), "a\u{fffd}b");
    }

    #[test]
    fn places_count_characters() {
        let mut chars = Chars::new("é×\r\nab".as_bytes());
        chars.skip(4);
        assert_eq!(chars.place(), TextPos { line: 2, column: 2 });
        assert_eq!(chars.peek(), Some('b'));
    }
}
