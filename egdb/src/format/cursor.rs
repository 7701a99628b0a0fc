//! Reading binary index files.

use std::path::Path;

use crate::error::FormatError;

/// The bytes of a file, and how many of them have been read.
pub(super) struct Cursor<'a> {
    file: &'a Path,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(file: &'a Path, bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { file, bytes, at: 0 }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(super) fn error(&self, reason: impl Into<String>) -> FormatError {
        let offset = self.at as u64;
        FormatError::Offset { file: self.file.to_owned(), offset, reason: reason.into() }
    }

    pub(super) fn take(&mut self, len: usize) -> Result<&'a [u8], FormatError> {
        let rest = &self.bytes[self.at..];
        let Some(bytes) = rest.get(..len) else {
            return Err(self.error(format!("{len} bytes expected, {} left", rest.len())));
        };
        self.at += len;
        Ok(bytes)
    }

    /// A number of `len` bytes, the lowest one first.
    pub(super) fn number(&mut self, len: usize) -> Result<u64, FormatError> {
        let bytes = self.take(len)?;
        Ok(bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b)))
    }
}
