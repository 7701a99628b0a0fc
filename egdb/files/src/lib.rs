#![doc = include_str!("../README.md")]
//!
//! * [`NewFile`], [`write_file`]: files that are written whole or not at all.
//! * [`frame`]: the frame of our binary files: magic, version, text, checksum.
//! * [`exclusive`]: files that only one process at a time writes.
//! * [`read_regular`], [`check_regular`]: reading files that are not pipes; [`read_whole`],
//!   [`read_text`]: those that may be.
//! * [`with_causes`]: an error with its causes in one line.

#![forbid(unsafe_code)]

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

pub mod exclusive;
pub mod frame;
mod new_file;

pub use new_file::{Existing, NewFile, remove_leftovers, standard_output, write_file};

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

/// More bytes than any file has that is read as a whole.
const MAX_BYTES: u64 = 1 << 30;

/// The contents of a regular file.
///
/// # Errors
/// As [`check_regular`] and [`read_whole`].
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    check_regular(path)?;
    read_whole(path)
}

/// The contents of a file or a pipe.
///
/// # Errors
/// If it cannot be read, is a device, which may have no end, or has more than a GiB.
pub fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let data = file.metadata()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = data.file_type();
        if kind.is_char_device() || kind.is_block_device() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a device, not a file"));
        }
    }
    let mut bytes = Vec::new();
    if data.len() <= MAX_BYTES {
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    }
    if data.len().max(bytes.len() as u64) > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "more than a GiB"));
    }
    Ok(bytes)
}

/// The text of a file or a pipe.
///
/// # Errors
/// As [`read_whole`], and if it is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let text = String::from_utf8(read_whole(path)?);
    text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
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
    in_words(text)
}

/// The text without the numbers that errors of the system end with, as in `(os error 2)`.
#[must_use]
pub fn in_words(mut text: String) -> String {
    while let Some(start) = text.find(" (os error ") {
        let end = text[start..].find(')').map_or(text.len(), |end| start + end + 1);
        text.replace_range(start..end, "");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let (small, huge) = (folder.path().join("small"), folder.path().join("huge"));
        fs::write(&small, "text").unwrap();
        assert_eq!(read_text(&small).unwrap(), "text");
        assert_eq!(read_regular(&small).unwrap(), b"text");
        File::create(&huge).unwrap().set_len(MAX_BYTES + 1).unwrap();
        let mut paths = vec![(huge.as_path(), "more than a GiB"), (folder.path(), "")];
        if cfg!(unix) {
            paths.push((Path::new("/dev/zero"), "a device"));
        }
        for (path, why) in paths {
            let error = read_text(path).unwrap_err().to_string();
            assert!(error.contains(why), "{}: {error}", path.display());
            assert!(read_regular(path).is_err(), "{}", path.display());
        }
    }

    #[test]
    fn errors_of_the_system_have_no_numbers() {
        let missing = File::open("no such folder/file").unwrap_err();
        let text = format!("{missing}, {missing}");
        let words = text.split(" (os error").next().unwrap();
        assert_ne!(words, text);
        assert_eq!(in_words(text.clone()), format!("{words}, {words}"));
        assert_eq!(with_causes(&missing), words);
    }
}
