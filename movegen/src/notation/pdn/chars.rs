//! Characters with their places, from bytes.
//!
//! UTF-8; a byte that is not part of a valid sequence is taken as Latin-1, so that old files
//! with names such as `Müller` need no guess about the whole file. UTF-16, as some editors save it,
//! is known by its byte order mark or by a NUL in the first character. Line ends may be LF, CR LF
//! or CR and come out as LF; a byte order mark at the start is skipped; the blanks of web pages
//! (`&nbsp;`) come out as blanks. Only a few kilobytes are held at a time, however long a line is.

use std::collections::VecDeque;
use std::io::{self, BufRead};

/// Line and column of a character, both from 1; the column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct TextPos {
    pub(super) line: u64,
    pub(super) column: u64,
}

/// How many bytes are copied from the input at a time.
const CHUNK: usize = 8192;

/// How characters are kept as bytes.
#[derive(Clone, Copy)]
enum Encoding {
    /// UTF-8, or Latin-1 where it is not valid.
    Bytes,
    Utf16 {
        is_big_endian: bool,
    },
}

impl Encoding {
    fn of(start: &[u8]) -> Encoding {
        match start {
            [0xff, 0xfe, ..] | [1..=0xff, 0, ..] => Encoding::Utf16 { is_big_endian: false },
            [0xfe, 0xff, ..] | [0, 1..=0xff, ..] => Encoding::Utf16 { is_big_endian: true },
            _ => Encoding::Bytes,
        }
    }
}

/// The text that web pages write for a non-breaking blank.
const HTML_BLANKS: [&[u8]; 2] = [b"&nbsp;", b"&#160;"];

pub(super) struct Chars<R> {
    input: R,
    encoding: Encoding,
    bytes: Vec<u8>,
    next_byte: usize,
    at_end: bool,
    error: Option<io::Error>,
    ahead: VecDeque<char>,
    place: TextPos,
}

impl<R: BufRead> Chars<R> {
    pub(super) fn new(input: R) -> Chars<R> {
        let mut chars = Chars {
            input,
            encoding: Encoding::Bytes,
            bytes: Vec::with_capacity(CHUNK + 4),
            next_byte: 0,
            at_end: false,
            error: None,
            ahead: VecDeque::new(),
            place: TextPos { line: 1, column: 1 },
        };
        chars.encoding = Encoding::of(chars.bytes_ahead(2));
        if chars.decode() != Some('\u{feff}') {
            // Put it back: decoding starts over from the same bytes.
            chars.next_byte = 0;
        }
        chars
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
        self.error.take()
    }

    /// Tries to buffer this many bytes; returns those available.
    fn bytes_ahead(&mut self, wanted: usize) -> &[u8] {
        while self.bytes.len() - self.next_byte < wanted && !self.at_end {
            self.bytes.drain(..self.next_byte);
            self.next_byte = 0;
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
        }
        &self.bytes[self.next_byte..]
    }

    fn decode(&mut self) -> Option<char> {
        match self.encoding {
            Encoding::Bytes => self.decode_bytes(),
            Encoding::Utf16 { is_big_endian } => self.decode_utf16(is_big_endian),
        }
    }

    fn decode_utf16(&mut self, is_big_endian: bool) -> Option<char> {
        let ahead = self.bytes_ahead(4);
        let unit = |at: usize| {
            let pair = ahead.get(at..at + 2)?.try_into().ok()?;
            Some(if is_big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
        };
        let units = [Some(unit(0)?), unit(2)];
        let next = char::decode_utf16(units.into_iter().flatten()).next()?;
        let c = next.unwrap_or(char::REPLACEMENT_CHARACTER);
        let is_crlf = c == '\r' && units[1] == Some(u16::from(b'\n'));
        self.next_byte += 2 * (c.len_utf16() + usize::from(is_crlf));
        Some(if c == '\r' { '\n' } else { c })
    }

    fn decode_bytes(&mut self) -> Option<char> {
        let first = match self.bytes.get(self.next_byte) {
            Some(&b) => b,
            None => *self.bytes_ahead(1).first()?,
        };
        let length = match first {
            b'\r' => {
                let is_crlf = self.bytes_ahead(2).get(1) == Some(&b'\n');
                self.next_byte += 1 + usize::from(is_crlf);
                return Some('\n');
            }
            b'&' => {
                let ahead = self.bytes_ahead(HTML_BLANKS[0].len());
                if let Some(blank) = HTML_BLANKS.into_iter().find(|blank| ahead.starts_with(blank))
                {
                    self.next_byte += blank.len();
                    return Some('\u{a0}');
                }
                1
            }
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        if length > 1 {
            let sequence = self.bytes_ahead(length).get(..length);
            let text = sequence.and_then(|s| std::str::from_utf8(s).ok());
            if let Some(c) = text.and_then(|t| t.chars().next()) {
                self.next_byte += length;
                return Some(c);
            }
        }
        self.next_byte += 1;
        Some(char::from(first))
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
            assert_eq!(all(b"\xe2\x80", buffer), "\u{e2}\u{80}");
            assert_eq!(all(b"", buffer), "");
            assert_eq!(all(b"\xef\xbb", buffer), "ï»");
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
