//! Checksums of files that we wrote: a side file for each, `NAME.sum`.
//!
//! Text: a heading, the file's name, length and CRC-32, then the CRC-32 of every block of 4096
//! bytes, eight hexadecimal digits a line, and at last the CRC-32 of all that comes before. Each
//! file has its own side file, so that programs can build different files at once.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::{VerifyError, WriteError};
use crate::identify::crc32;
use crate::layout::BLOCK;
use meerslag_files::{Existing, check_regular, read_regular, write_file};

const HEADING: &str = "meerslag checksums 1";

/// Checksums of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// Length in bytes.
    pub bytes: u64,
    /// CRC-32 of the whole file.
    pub crc: u32,
    /// CRC-32 of each block of 4096 bytes (the last may be shorter).
    pub blocks: Vec<u32>,
}

/// The side file of a file.
#[must_use]
pub fn side_file(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".sum");
    name.into()
}

impl Manifest {
    /// Reads a file and computes its checksums. `step` is called with the bytes read each
    /// time, and stops the work (result `None`) by returning false.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of_file(file: &Path, mut step: impl FnMut(u64) -> bool) -> io::Result<Option<Manifest>> {
        check_regular(file)?;
        let mut input = File::open(file)?;
        let mut hasher = crc32fast::Hasher::new();
        let mut manifest = Manifest { bytes: 0, crc: 0, blocks: Vec::new() };
        let mut buffer = vec![0; 256 * BLOCK];
        loop {
            let mut len = 0;
            while len < buffer.len() {
                match input.read(&mut buffer[len..]) {
                    Ok(0) => break,
                    Ok(n) => len += n,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            hasher.update(&buffer[..len]);
            manifest.blocks.extend(buffer[..len].chunks(BLOCK).map(crc32));
            manifest.bytes += len as u64;
            if !step(len as u64) {
                return Ok(None);
            }
            if len < buffer.len() {
                manifest.crc = hasher.finalize();
                return Ok(Some(manifest));
            }
        }
    }

    /// Reads the side file of a file; `None` if there is none.
    ///
    /// # Errors
    /// If the side file is damaged or cannot be read.
    pub fn read(file: &Path) -> Result<Option<Manifest>, VerifyError> {
        let mut path = side_file(file);
        let mut capitals = file.as_os_str().to_owned();
        capitals.push(".SUM");
        if !path.exists() && Path::new(&capitals).exists() {
            path = capitals.into();
        }
        let text = match read_regular(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(VerifyError::Io { file: path, source }),
        };
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        match Manifest::parse(&text, &name) {
            Ok(manifest) => Ok(Some(manifest)),
            Err(reason) => Err(VerifyError::Manifest { file: path, reason }),
        }
    }

    /// Reads the contents of the side file of the file `name`.
    ///
    /// # Errors
    /// What is wrong.
    pub fn parse(text: &[u8], name: &str) -> Result<Manifest, &'static str> {
        let text = str::from_utf8(text).map_err(|_| "not text")?;
        let at = text.rfind("end ").ok_or("no last line")?;
        let last = text[at..].strip_prefix("end ").unwrap_or_default().trim_end();
        if u32::from_str_radix(last, 16) != Ok(crc32(&text.as_bytes()[..at])) {
            return Err("its own checksum is wrong");
        }
        let mut lines = text[..at].lines();
        let mut field = |key: &str| {
            let value = lines.next()?.strip_prefix(key)?.strip_prefix(' ')?;
            Some(value.to_owned())
        };
        if field("meerslag checksums").as_deref() != Some("1") {
            return Err("expected `meerslag checksums 1`");
        }
        if !field("file").is_some_and(|file| file.eq_ignore_ascii_case(name)) {
            return Err("it is about another file");
        }
        let bytes: u64 = field("bytes").and_then(|n| n.parse().ok()).ok_or("no `bytes` line")?;
        let crc = field("crc32").and_then(|n| u32::from_str_radix(&n, 16).ok());
        let crc = crc.ok_or("no `crc32` line")?;
        let blocks: Result<Vec<u32>, _> = lines.map(|n| u32::from_str_radix(n, 16)).collect();
        let blocks = blocks.map_err(|_| "a block's checksum is not a number")?;
        if blocks.len() as u64 != bytes.div_ceil(BLOCK as u64) {
            return Err("the number of blocks does not fit the length");
        }
        Ok(Manifest { bytes, crc, blocks })
    }

    /// Writes the side file of a file.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn write(&self, file: &Path) -> Result<(), WriteError> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let mut text =
            format!("{HEADING}\nfile {name}\nbytes {}\ncrc32 {:08x}\n", self.bytes, self.crc);
        for block in &self.blocks {
            text += &format!("{block:08x}\n");
        }
        text += &format!("end {:08x}\n", crc32(text.as_bytes()));
        let side_file = side_file(file);
        write_file(&side_file, text.as_bytes(), Existing::Replace)
            .map_err(|source| WriteError::Io { file: side_file, source })
    }
}

/// Writes the side file of a file just written.
///
/// # Errors
/// If the file cannot be read or the disk is full.
pub fn write_side_file(file: &Path) -> Result<(), WriteError> {
    match Manifest::of_file(file, |_| true) {
        Ok(Some(manifest)) => manifest.write(file),
        Ok(None) => Ok(()),
        Err(source) => Err(WriteError::Io { file: file.to_owned(), source }),
    }
}
