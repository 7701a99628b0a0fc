//! The lines of text index files, one by one: numbers, heads, value maps.

use std::path::Path;

use movegen::Color;

use crate::codec::tunstall::{self, TunstallVersion};
use crate::error::FormatError;

/// A file being read line by line.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    file: &'a Path,
    text: &'a [u8],
    at: usize,
    /// Number of the last line read, from 1.
    pub(super) line: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: &'a Path, text: &'a [u8]) -> Reader<'a> {
        Reader { file, text, at: 0, line: 0 }
    }

    pub(super) fn error(&self, reason: impl Into<String>) -> FormatError {
        FormatError::Line { file: self.file.to_owned(), line: self.line, reason: reason.into() }
    }

    /// The next line without its end; `None` at the end of the file.
    pub(super) fn next_line(&mut self) -> Option<&'a [u8]> {
        if self.at >= self.text.len() {
            return None;
        }
        let rest = &self.text[self.at..];
        let len = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += len + 1;
        self.line += 1;
        Some(rest[..len].strip_suffix(b"\r").unwrap_or(&rest[..len]))
    }
}

/// A decimal number without leading zeros and at most 10 digits, taken off the front of `text`.
pub(super) fn take_number(text: &mut &[u8]) -> Option<u64> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 || digits > 10 || (digits > 1 && text[0] == b'0') {
        return None;
    }
    let value = text[..digits].iter().fold(0, |n, b| n * 10 + u64::from(b - b'0'));
    *text = &text[digits..];
    Some(value)
}

pub(super) fn take_byte(text: &mut &[u8], byte: u8) -> Option<()> {
    *text = text.strip_prefix(&[byte])?;
    Some(())
}

pub(super) struct BaseLine {
    pub(super) slice: [u64; 4],
    pub(super) sub: u64,
    pub(super) side: Color,
}

pub(super) fn take_head(text: &mut &[u8]) -> Option<BaseLine> {
    let mut slice = [0; 4];
    for number in &mut slice {
        *number = take_number(text)?;
        take_byte(text, b',')?;
    }
    let sub = take_number(text)?;
    take_byte(text, b',')?;
    let side = match text.first()? {
        b'b' => Color::Black,
        b'w' => Color::White,
        _ => return None,
    };
    *text = &text[1..];
    take_byte(text, b':')?;
    Some(BaseLine { slice, sub, side })
}

pub(super) fn take_code(text: &mut &[u8]) -> Option<(u64, u64)> {
    take_byte(text, b',')?;
    let dictionary = take_number(text)?;
    take_byte(text, b',')?;
    Some((dictionary, take_number(text)?))
}

/// Version 1: `# vmap d: v0,v1,...`.
pub(super) fn value_map_line(text: &[u8]) -> Option<(u8, [u8; 6])> {
    let mut text = text.strip_prefix(b"# vmap ")?;
    let dictionary = u8::try_from(take_number(&mut text)?).ok()?;
    take_byte(&mut text, b':')?;
    let values = tunstall::dictionaries(TunstallVersion::V1).get(usize::from(dictionary))?.values();
    let mut map = [0; 6];
    for (i, value) in map.iter_mut().take(values).enumerate() {
        if i > 0 {
            take_byte(&mut text, b',')?;
        }
        let text = if i == 0 {
            text = text.trim_ascii_start();
            &mut text
        } else {
            &mut text
        };
        *value = u8::try_from(take_number(text)?).ok().filter(|&v| v <= 5)?;
    }
    text.trim_ascii().is_empty().then_some((dictionary, map))
}
