//! What database a directory holds, and which of its files are the published ones.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::LazyLock;

use crate::error::OpenError;
use crate::format::DbType;

/// What a directory holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The kind of database.
    pub db_type: DbType,
    /// The largest piece count of which there is a data file.
    pub max_pieces: u8,
    /// Whether the representative index file has the published checksum.
    pub is_genuine: bool,
}

/// A row of the table of published checksums.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Published {
    /// The kind of database.
    pub db_type: DbType,
    /// File name.
    pub file: &'static str,
    /// Piece count, where the row serves to identify; 0 in the verify table.
    pub pieces: u8,
    /// CRC-32 of the whole file.
    pub crc: u32,
}

/// The published checksums.
#[derive(Clone, Debug, Default)]
pub struct PublishedTable {
    /// Representative files, in the order in which they are to be tried.
    pub identify: Vec<Published>,
    /// All files.
    pub verify: Vec<Published>,
}

/// The table of published checksums.
#[must_use]
pub fn published() -> &'static PublishedTable {
    static TABLE: LazyLock<PublishedTable> = LazyLock::new(|| {
        let mut table = PublishedTable::default();
        let text = include_str!("../data/kingsrow-crc.tsv");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&'static str> = line.split('\t').collect();
            let &[usage, db_type, file, pieces, crc] = &fields[..] else { continue };
            let db_type = match db_type {
                "WLD_TUN_V2" => DbType::Wld2,
                "WLD_TUN_V1" => DbType::Wld1,
                "WLD_RUNLEN" => DbType::WldRun,
                "MTC_RUNLEN" => DbType::Mtc,
                "DTW" => DbType::Dtw,
                _ => continue,
            };
            let Ok(crc) = u32::from_str_radix(crc, 16) else { continue };
            let row = Published { db_type, file, pieces: pieces.parse().unwrap_or(0), crc };
            match usage {
                "identify" => table.identify.push(row),
                _ => table.verify.push(row),
            }
        }
        table
    });
    &TABLE
}

/// CRC-32 as in ZIP archives: `crc32(b"123456789") == 0xcbf43926`.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// The database that a directory holds: the genuine one if a representative file has the
/// published checksum, else by file names. Of several types the first of [`DbType::ALL`].
///
/// # Errors
/// If the directory cannot be read or holds no database.
pub fn identify(dir: &Path) -> Result<Identity, OpenError> {
    let all = identify_all(dir)?;
    let genuine = all.iter().find(|identity| identity.is_genuine);
    genuine.or(all.first()).copied().ok_or_else(|| OpenError::NothingFound { dir: dir.to_owned() })
}

/// All databases in a directory, at most one of each type, in the order of [`DbType::ALL`].
///
/// # Errors
/// If the directory cannot be read.
pub fn identify_all(dir: &Path) -> Result<Vec<Identity>, OpenError> {
    let names = file_names(dir).map_err(|source| OpenError::Io { file: dir.to_owned(), source })?;
    let mut list = Vec::new();
    for db_type in DbType::ALL {
        // Names by the hundred are made up only for types of which there is something.
        let extension = db_type.data_extension();
        if !names.iter().any(|name| Path::new(name).extension() == Some(OsStr::new(extension))) {
            continue;
        }
        let has = |pieces: u8| {
            let stems = db_type.file_stems(pieces);
            stems.iter().any(|(stem, _)| has_file(dir, &names, stem, extension))
        };
        let Some(max_pieces) = (2..=db_type.max_pieces()).rev().find(|&pieces| has(pieces)) else {
            continue;
        };
        // Version 1 and run lengths share their names; the first has a line that the other lacks.
        if matches!(db_type, DbType::Wld1 | DbType::WldRun) {
            let is_version_1 = holds_version_1(dir, &names);
            if is_version_1 != (db_type == DbType::Wld1) {
                continue;
            }
        }
        list.push(Identity { db_type, max_pieces, is_genuine: is_genuine(dir, &names, db_type) });
    }
    Ok(list)
}

/// The names in a directory, read once: asking for each of the hundreds of possible files takes
/// long on a network drive.
fn file_names(dir: &Path) -> io::Result<HashSet<String>> {
    fs::read_dir(dir)?
        .map(|entry| entry.map(|e| e.file_name().to_string_lossy().into_owned()))
        .collect()
}

fn has_file(dir: &Path, names: &HashSet<String>, stem: &str, extension: &str) -> bool {
    let name = format!("{stem}.{extension}");
    names.contains(&name) && dir.join(name).is_file()
}

fn is_genuine(dir: &Path, names: &HashSet<String>, db_type: DbType) -> bool {
    let rows = published().identify.iter().filter(|row| row.db_type == db_type);
    rows.filter(|row| names.contains(row.file))
        .any(|row| fs::read(dir.join(row.file)).is_ok_and(|bytes| crc32(&bytes) == row.crc))
}

fn holds_version_1(dir: &Path, names: &HashSet<String>) -> bool {
    let stems = (2..=DbType::Wld1.max_pieces()).flat_map(|n| DbType::Wld1.file_stems(n));
    stems.into_iter().filter(|(stem, _)| has_file(dir, names, stem, "idx")).any(|(stem, _)| {
        let mut text = Vec::new();
        fs::File::open(dir.join(format!("{stem}.idx")))
            .and_then(|file| file.take(1 << 16).read_to_end(&mut text))
            .is_ok_and(|_| text.windows(7).any(|w| w == b"# vmap "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_value_and_table() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        let count =
            |db_type| published().verify.iter().filter(|row| row.db_type == db_type).count();
        assert_eq!([DbType::Wld2, DbType::Wld1, DbType::WldRun].map(count), [238, 280, 5]);
        assert_eq!(published().identify[0].file, "db9-5040.idx1");
        assert_eq!(published().identify[0].crc, 0xef84_7fc5);
    }
}
