//! The frame of the project's binary files: eight magic bytes, the version of the format (4 bytes),
//! the length of a text (4), the text (JSON, as a rule), then the format's own data. All numbers
//! are little-endian. A checksum (CRC-32 as in zlib, 4 bytes) follows what it covers.

use thiserror::Error;

/// Bytes before the text.
pub const FIXED: usize = 16;
const SUM: usize = 4;

/// The common part of all files of one format.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The first bytes.
    pub magic: &'static [u8; 8],
    /// The version of the format.
    pub version: u32,
    /// The longest text, in bytes.
    pub most_text: usize,
}

/// Why bytes are not a file of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum FrameError {
    /// The magic bytes are missing.
    #[error("a file of something else")]
    Foreign,
    /// Another version of the format.
    #[error("format {found}, expected {expected}")]
    Version {
        /// As in the file.
        found: u32,
        /// The only one that can be read.
        expected: u32,
    },
    /// A text longer than any that is written.
    #[error("a header of {found} bytes, expected at most {most}")]
    Long {
        /// As in the file.
        found: usize,
        /// The greatest length.
        most: usize,
    },
    /// The text is longer than the file.
    #[error("the header is cut off")]
    CutOff,
    /// The bytes are damaged, or too few.
    #[error("damaged or cut off: the checksum does not match")]
    Damaged,
}

impl Frame {
    /// The bytes before a text of this length.
    #[must_use]
    pub fn fixed(&self, text_len: usize) -> [u8; FIXED] {
        let mut bytes = [0; FIXED];
        bytes[..8].copy_from_slice(self.magic);
        bytes[8..12].copy_from_slice(&self.version.to_le_bytes());
        bytes[12..].copy_from_slice(&(text_len as u32).to_le_bytes());
        bytes
    }

    /// The beginning of a file with this text.
    #[must_use]
    pub fn begin(&self, text: &[u8]) -> Vec<u8> {
        [&self.fixed(text.len()), text].concat()
    }

    /// The length of the text, from the first bytes of a file.
    ///
    /// # Errors
    /// If there are too few, or they are another format's, or the text is too long.
    pub fn text_len(&self, bytes: &[u8]) -> Result<usize, FrameError> {
        let fixed: &[u8; FIXED] = bytes.first_chunk().ok_or(FrameError::Foreign)?;
        if !fixed.starts_with(self.magic) {
            return Err(FrameError::Foreign);
        }
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| fixed[at + i]));
        let found = number(8);
        if found != self.version {
            return Err(FrameError::Version { found, expected: self.version });
        }
        let found = number(12) as usize;
        if found > self.most_text {
            return Err(FrameError::Long { found, most: self.most_text });
        }
        Ok(found)
    }

    /// The text of a file, and what follows it, of a file with one checksum at its end.
    ///
    /// # Errors
    /// If it is another format's or damaged.
    pub fn open<'a>(&self, bytes: &'a [u8]) -> Result<(&'a [u8], &'a [u8]), FrameError> {
        let text = self.text_len(bytes)?;
        let content = unsealed(bytes).ok_or(FrameError::Damaged)?;
        content.get(FIXED..).and_then(|rest| rest.split_at_checked(text)).ok_or(FrameError::CutOff)
    }
}

/// Adds the checksum of all bytes so far.
pub fn seal(bytes: &mut Vec<u8>) {
    let sum = crc32fast::hash(bytes);
    bytes.extend(sum.to_le_bytes());
}

/// The bytes before a checksum at the end; `None` if it does not match.
#[must_use]
pub fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(SUM)?)?;
    (crc32fast::hash(content).to_le_bytes() == sum).then_some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame { magic: b"MEERTEST", version: 3, most_text: 100 };

    #[test]
    fn what_is_sealed_comes_back_and_no_damage_does() {
        let mut bytes = FRAME.begin(b"{}");
        bytes.extend(b"content");
        seal(&mut bytes);
        assert_eq!(FRAME.open(&bytes), Ok((&b"{}"[..], &b"content"[..])));
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(FRAME.open(&other).is_err(), "byte {at}");
            assert!(FRAME.open(&bytes[..at]).is_err(), "{at} bytes");
        }
        // A length beyond the end, with a checksum that is right.
        let mut long = FRAME.begin(b"{}");
        long[12] = 50;
        seal(&mut long);
        assert_eq!(FRAME.open(&long), Err(FrameError::CutOff));
        long[12] = 101;
        assert_eq!(FRAME.open(&long), Err(FrameError::Long { found: 101, most: 100 }));
        long[8] = 4;
        assert_eq!(FRAME.open(&long), Err(FrameError::Version { found: 4, expected: 3 }));
    }
}
