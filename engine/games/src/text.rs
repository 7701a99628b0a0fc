//! The encodings of PDN files, and their text as UTF-8.

use std::io::{self, BufRead, Read};
use std::str::FromStr;

use encoding_rs::{CoderResult, Decoder};

/// The encoding of a file's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoding(&'static encoding_rs::Encoding);

impl Default for Encoding {
    fn default() -> Encoding {
        Encoding(encoding_rs::UTF_8)
    }
}

const KNOWN: [(&str, &encoding_rs::Encoding); 7] = [
    ("utf-8", encoding_rs::UTF_8),
    ("utf-16le", encoding_rs::UTF_16LE),
    ("utf-16be", encoding_rs::UTF_16BE),
    ("windows-1252", encoding_rs::WINDOWS_1252),
    ("windows-1251", encoding_rs::WINDOWS_1251),
    ("koi8-r", encoding_rs::KOI8_R),
    ("cp866", encoding_rs::IBM866),
];

impl Encoding {
    /// Names of all encodings.
    pub fn names() -> impl Iterator<Item = &'static str> {
        KNOWN.into_iter().map(|(name, _)| name)
    }

    /// Its name, as [`Encoding::from_str`] reads it.
    #[must_use]
    pub fn name(self) -> &'static str {
        KNOWN.iter().find(|(_, encoding)| *encoding == self.0).map_or("utf-8", |(name, _)| name)
    }

    /// The encoding of a text. Valid UTF-8 is UTF-8; UTF-16 is recognised by its mark or its NULs;
    /// for the rest it counts what the bytes above 127 would be.
    ///
    /// # Errors
    /// If the input fails.
    pub fn detect(input: &mut impl Read) -> io::Result<Encoding> {
        let mut statistics = Statistics::default();
        let mut buffer = vec![0; 1 << 16];
        loop {
            let count = match input.read(&mut buffer) {
                Ok(0) => return Ok(Encoding(statistics.verdict())),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            statistics.add(&buffer[..count]);
        }
    }

    /// The text as UTF-8; bytes that are not text in this encoding become U+FFFD.
    pub fn reader<R: BufRead>(self, input: R) -> TextReader<R> {
        TextReader {
            input,
            decoder: self.0.new_decoder(),
            pending: [0; 8],
            kept: 0,
            is_over: false,
        }
    }
}

impl FromStr for Encoding {
    type Err = String;

    fn from_str(text: &str) -> Result<Encoding, String> {
        let known = KNOWN.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        known.map(|&(_, encoding)| Encoding(encoding)).ok_or_else(|| {
            let names: Vec<&str> = Encoding::names().collect();
            format!("unknown encoding '{text}': expected one of {}", names.join(", "))
        })
    }
}

/// The small letters that make up most of Russian text.
const FREQUENT: &str = "оеаинтсрвлк";

/// What was counted in a text.
struct Statistics {
    start: Vec<u8>,
    /// Pairs of neighbouring bytes, one of them above 127.
    pairs: Vec<u64>,
    utf8: Decoder,
    is_utf8: bool,
    last: u8,
    nuls: [u64; 2],
    count: usize,
}

impl Default for Statistics {
    fn default() -> Statistics {
        Statistics {
            start: Vec::new(),
            pairs: vec![0; 1 << 16],
            utf8: encoding_rs::UTF_8.new_decoder_without_bom_handling(),
            is_utf8: true,
            last: b' ',
            nuls: [0; 2],
            count: 0,
        }
    }
}

impl Statistics {
    fn add(&mut self, bytes: &[u8]) {
        if self.start.len() < 4 {
            self.start.extend(bytes.iter().take(4));
        }
        if self.is_utf8 && !(bytes.is_ascii() && self.last < 0x80) {
            let mut room = String::with_capacity(bytes.len() * 3 + 16);
            let (_, _, is_odd) = self.utf8.decode_to_string(bytes, &mut room, false);
            self.is_utf8 = !is_odd;
        }
        for &byte in bytes {
            if (byte | self.last) >= 0x80 {
                self.pairs[usize::from(self.last) << 8 | usize::from(byte)] += 1;
            }
            self.nuls[self.count % 2] += u64::from(byte == 0);
            self.last = byte;
            self.count += 1;
        }
    }

    fn verdict(&self) -> &'static encoding_rs::Encoding {
        match self.start.as_slice() {
            [0xff, 0xfe, ..] => return encoding_rs::UTF_16LE,
            [0xfe, 0xff, ..] => return encoding_rs::UTF_16BE,
            _ => {}
        }
        let quarter = (self.count / 4) as u64;
        if self.nuls[1] > quarter {
            return encoding_rs::UTF_16LE;
        }
        if self.nuls[0] > quarter {
            return encoding_rs::UTF_16BE;
        }
        if self.is_utf8 {
            return encoding_rs::UTF_8;
        }
        // Accented letters stand alone between plain ones; Cyrillic ones stand together.
        let (mut together, mut alone) = (0, 0);
        for (pair, &count) in self.pairs.iter().enumerate() {
            let is_high = |byte: usize| byte & 0xff >= 0x80;
            if is_high(pair) && is_high(pair >> 8) {
                together += count;
            } else if is_high(pair) {
                alone += count;
            }
        }
        if together < alone {
            return encoding_rs::WINDOWS_1252;
        }
        let candidates = [encoding_rs::WINDOWS_1251, encoding_rs::KOI8_R, encoding_rs::IBM866];
        let best = candidates.into_iter().max_by_key(|encoding| self.cyrillic(encoding));
        best.unwrap_or(encoding_rs::WINDOWS_1251)
    }

    /// How much the text looks like Russian in this encoding.
    fn cyrillic(&self, encoding: &'static encoding_rs::Encoding) -> i64 {
        let letters: Vec<char> = (0..=255u8)
            .map(|byte| {
                let byte = [byte];
                let (text, _) = encoding.decode_without_bom_handling(&byte);
                text.chars().next().unwrap_or(' ')
            })
            .collect();
        let is_letter = |c: char| matches!(c, 'А'..='я' | 'ё' | 'Ё');
        let mut score = 0;
        for (pair, &count) in self.pairs.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (first, second) = (letters[pair >> 8], letters[pair & 0xff]);
            let worth = match (is_letter(first), is_letter(second)) {
                // Small letters do not come before capitals.
                (true, true) if first.is_lowercase() && second.is_uppercase() => -6,
                (true, true) if second.is_lowercase() => {
                    2 + 2 * i64::from(FREQUENT.contains(second))
                }
                (false, true) if second.is_uppercase() => 1,
                (_, true) | (true, _) => 0,
                _ => -4,
            };
            score += worth * count as i64;
        }
        score
    }
}

/// A text as UTF-8.
pub struct TextReader<R> {
    input: R,
    decoder: Decoder,
    /// Decoded bytes that did not fit.
    pending: [u8; 8],
    kept: usize,
    is_over: bool,
}

impl<R: BufRead> Read for TextReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        if self.kept > 0 {
            let count = self.kept.min(out.len());
            out[..count].copy_from_slice(&self.pending[..count]);
            self.pending.copy_within(count..self.kept, 0);
            self.kept -= count;
            return Ok(count);
        }
        loop {
            if self.is_over {
                return Ok(0);
            }
            let chunk = self.input.fill_buf()?;
            let is_last = chunk.is_empty();
            let mut small = [0; 8];
            // A decoder needs room for at least one character.
            let is_narrow = out.len() < small.len();
            let target = if is_narrow { &mut small[..] } else { &mut *out };
            let (result, read, written, _) = self.decoder.decode_to_utf8(chunk, target, is_last);
            self.input.consume(read);
            self.is_over = is_last && result == CoderResult::InputEmpty;
            if written == 0 {
                continue;
            }
            if !is_narrow {
                return Ok(written);
            }
            let count = written.min(out.len());
            out[..count].copy_from_slice(&small[..count]);
            self.kept = written - count;
            self.pending[..self.kept].copy_from_slice(&small[count..written]);
            return Ok(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Cursor};

    const RUSSIAN: &str = "[Event \"Чемпионат СССР\"]\n[White \"Иванов А.\"]\n[Black \"Ёлкин\"]\n\
                           1. 32-28 19-23 {Хороший ход, белые стоят лучше} *";
    const WESTERN: &str =
        "[White \"Müller, Gérard\"]\n[Black \"Señor Peña\"]\n1. 32-28 {déjà vu} *";

    fn detected(bytes: &[u8]) -> &'static str {
        Encoding::detect(&mut Cursor::new(bytes)).unwrap().name()
    }

    fn utf16(text: &str, big: bool, mark: bool) -> Vec<u8> {
        let mark = if mark { "\u{feff}" } else { "" };
        let units = mark.encode_utf16().chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    #[test]
    fn every_encoding_is_recognised_and_read() {
        for (name, text) in [
            ("utf-8", RUSSIAN),
            ("utf-8", WESTERN),
            ("windows-1252", WESTERN),
            ("windows-1251", RUSSIAN),
            ("koi8-r", RUSSIAN),
            ("cp866", RUSSIAN),
            ("utf-16le", RUSSIAN),
            ("utf-16be", WESTERN),
        ] {
            let encoding: Encoding = name.parse().unwrap();
            let bytes = match name {
                "utf-16le" => utf16(text, false, true),
                "utf-16be" => utf16(text, true, false),
                _ => encoding.0.encode(text).0.into_owned(),
            };
            assert_eq!(detected(&bytes), name, "{text}");
            // Small buffers on both sides cut characters in the middle.
            for size in [1, 3, 7, 4096] {
                let mut reader = encoding.reader(BufReader::with_capacity(size, &bytes[..]));
                let mut back = Vec::new();
                let mut room = vec![0; size];
                loop {
                    match reader.read(&mut room).unwrap() {
                        0 => break,
                        count => back.extend_from_slice(&room[..count]),
                    }
                }
                assert_eq!(String::from_utf8(back).unwrap(), text, "{name} by {size}");
            }
        }
        assert_eq!(detected(b"1. 32-28 *"), "utf-8");
        assert_eq!(detected(b""), "utf-8");
        assert!("latin".parse::<Encoding>().unwrap_err().contains("koi8-r"));
    }
}
