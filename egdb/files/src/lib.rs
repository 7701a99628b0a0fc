#![doc = include_str!("../README.md")]
//!
//! * [`NewFile`], [`write_file`]: files that are written whole or not at all.
//! * [`frame`]: the frame of our binary files: magic, version, text, checksum.
//! * [`exclusive`]: files that only one process at a time writes.
//! * [`read_regular`], [`check_regular`]: reading files that are not pipes.
//! * [`with_causes`]: an error with its causes in one line.

#![forbid(unsafe_code)]

use std::fs;
use std::io;
use std::path::Path;

pub mod exclusive;
pub mod frame;
mod new_file;

pub use new_file::{Existing, NewFile, standard_output, write_file};

/// Makes sure that a path is a regular file or leads to one: opening a pipe would wait for
/// somebody to write to it.
///
/// # Errors
/// If nothing is there, or if it is not a regular file: [`io::ErrorKind::InvalidInput`].
pub fn check_regular(path: &Path) -> io::Result<()> {
    match fs::metadata(path)?.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
    }
}

/// The contents of a regular file.
///
/// # Errors
/// As [`check_regular`], and if the file cannot be read.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    check_regular(path)?;
    fs::read(path)
}

/// The text of an error with the texts of its causes, for one-line reports.
#[must_use]
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}
