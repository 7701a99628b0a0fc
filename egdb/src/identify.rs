//! The database in a directory, and which of its files are the published ones.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::error::OpenError;
use crate::format::compact::{SINGLE_EXTENSION, SingleHead};
use crate::format::{DbType, name_prefix};
use meerslag_files::{check_regular, read_regular};
use movegen::Variant;

/// The contents of a directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The kind of database.
    pub db_type: DbType,
    /// The largest piece count with a data file.
    pub max_pieces: u8,
    /// Smaller piece counts without one: bit n for n pieces.
    pub(crate) missing: u16,
    /// Whether the representative index file has the published checksum.
    pub is_genuine: bool,
}

impl Identity {
    /// The piece counts below the largest without a data file.
    pub fn gaps(&self) -> impl Iterator<Item = u8> + use<> {
        let missing = self.missing;
        (0..16).filter(move |pieces| missing >> pieces & 1 == 1)
    }
}

/// A missing file of a database that another file refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingFile {
    /// The kind of database.
    pub db_type: DbType,
    /// The piece count.
    pub pieces: u8,
    /// The file.
    pub file: PathBuf,
    /// The file that refers to it.
    pub witness: PathBuf,
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
    /// Representative files, in the order to try them.
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
/// If the directory cannot be read or holds no database, or if something with the name of a
/// database file is not a file.
pub fn identify(dir: &Path) -> Result<Identity, OpenError> {
    Folder::read(dir)?.identity(None)
}

/// All databases in a directory, at most one of each type, in the order of [`DbType::ALL`].
///
/// # Errors
/// As [`identify`], but a directory without a database is not an error.
pub fn identify_all(dir: &Path) -> Result<Vec<Identity>, OpenError> {
    Folder::read(dir)?.identities()
}

/// The files that are missing though their index or data file, or the side file with their
/// checksums, exists.
///
/// # Errors
/// As [`identify_all`].
pub fn missing_files(dir: &Path) -> Result<Vec<MissingFile>, OpenError> {
    let folder = Folder::read(dir)?;
    let found: Vec<DbType> = folder.identities()?.iter().map(|it| it.db_type).collect();
    // Two types share their file names: the type with files comes first.
    let (first, others): (Vec<DbType>, Vec<DbType>) =
        DbType::ALL.into_iter().partition(|db_type| found.contains(db_type));
    let mut seen = HashSet::new();
    let mut list = Vec::new();
    for db_type in first.into_iter().chain(others) {
        let (data, index) = (db_type.data_extension(), db_type.index_extension());
        for pieces in 2..=db_type.max_pieces() {
            for (stem, _) in db_type.file_stems(pieces) {
                let name = |extension: &str| format!("{stem}.{extension}");
                for (wanted, other) in [(data, index), (index, data)] {
                    let witnesses = [name(other), format!("{}.sum", name(wanted))];
                    let witness = witnesses.iter().find_map(|name| folder.name(name));
                    let (Some(witness), None) = (witness, folder.name(&name(wanted))) else {
                        continue;
                    };
                    let (file, witness) = (dir.join(name(wanted)), dir.join(witness));
                    if seen.insert(file.clone()) {
                        list.push(MissingFile { db_type, pieces, file, witness });
                    }
                }
            }
        }
    }
    Ok(list)
}

/// A directory whose names have been read, once: asking for each of the hundreds of possible files
/// takes long on a network drive. Names in capitals, as in some archives, are accepted. A single file
/// ([`SINGLE_EXTENSION`]) may stand in place of a directory.
pub struct Folder {
    dir: PathBuf,
    variant: Variant,
    /// By the name in small letters, without what names the game.
    names: HashMap<String, String>,
    /// Another game with files in the directory.
    other: Option<Variant>,
}

impl Folder {
    /// Reads the names of files of the international game.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn read(dir: &Path) -> Result<Folder, OpenError> {
        Folder::read_of(dir, Variant::International)
    }

    /// Reads the names of files of a game.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn read_of(dir: &Path, variant: Variant) -> Result<Folder, OpenError> {
        let mut folder = Folder { variant, ..Folder::read_all(dir)? };
        let has_files = |it: Variant| {
            let start = format!("{}db", name_prefix(it));
            it != variant && folder.names.keys().any(|name| name.starts_with(&start))
        };
        folder.other = Variant::ALL.into_iter().find(|&it| has_files(it));
        let prefix = name_prefix(variant);
        let own = folder.names.into_iter().filter_map(|(small, name)| {
            small.strip_prefix(&prefix).map(str::to_owned).map(|small| (small, name))
        });
        folder.names = own.collect();
        Ok(folder)
    }

    fn read_all(dir: &Path) -> Result<Folder, OpenError> {
        let list = || {
            let mut names = HashMap::new();
            if is_single(dir) && fs::metadata(dir)?.is_file() {
                let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
                names.insert(name.to_ascii_lowercase(), name);
                return Ok((dir.parent().unwrap_or(dir), names));
            }
            for entry in fs::read_dir(dir)? {
                let name = entry?.file_name().to_string_lossy().into_owned();
                let small = name.to_ascii_lowercase();
                // The usual name has precedence.
                if name == small || !names.contains_key(&small) {
                    names.insert(small, name);
                }
            }
            Ok((dir, names))
        };
        match list() {
            Ok((dir, names)) => {
                let variant = Variant::International;
                Ok(Folder { dir: dir.to_owned(), variant, names, other: None })
            }
            Err(source) => Err(OpenError::Io { file: dir.to_owned(), source }),
        }
    }

    /// The name that a file has, if there is something of this name.
    fn name(&self, name: &str) -> Option<&str> {
        self.names.get(name).map(String::as_str)
    }

    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The path that a file should have.
    pub(crate) fn path(&self, stem: &str, extension: &str) -> PathBuf {
        self.dir.join(format!("{}{stem}.{extension}", name_prefix(self.variant)))
    }

    /// Why there is nothing in the directory.
    pub(crate) fn nothing(&self) -> OpenError {
        let (dir, variant) = (self.dir.clone(), self.variant);
        match self.other {
            Some(other) => OpenError::OtherGame { dir, variant, other },
            None => OpenError::NothingFound { dir },
        }
    }

    /// The path of a file, if there is something of this name. A link that leads nowhere is an
    /// error: without its file the database would seem to be a smaller one.
    ///
    /// # Errors
    /// If it is no regular file.
    pub fn file(&self, stem: &str, extension: &str) -> Result<Option<PathBuf>, OpenError> {
        let name = format!("{stem}.{extension}");
        let Some(name) = self.name(&name) else { return Ok(None) };
        let file = self.dir.join(name);
        match check_regular(&file) {
            Ok(()) => Ok(Some(file)),
            Err(source) => Err(OpenError::Io { file, source }),
        }
    }

    /// The single files, in the order of their names, each with its beginning.
    ///
    /// # Errors
    /// If one is no regular file, cannot be read or has another beginning.
    pub(crate) fn single_files(&self) -> Result<Vec<(PathBuf, SingleHead)>, OpenError> {
        let mut names: Vec<_> =
            self.names.iter().filter(|(_, name)| is_single(Path::new(name))).collect();
        names.sort_unstable();
        let head = |(_, name): (&String, &String)| {
            let file = self.dir.join(name);
            let mut bytes = [0; SingleHead::BYTES];
            let read = check_regular(&file).and_then(|()| fs::File::open(&file));
            match read.and_then(|mut file| file.read_exact(&mut bytes)) {
                Ok(()) => Ok((SingleHead::parse(&file, &bytes)?, file)),
                Err(source) => Err(OpenError::Io { file, source }),
            }
        };
        names.into_iter().map(|name| head(name).map(|(head, file)| (file, head))).collect()
    }

    /// The database of this type; without a type, the one that [`identify`] finds.
    ///
    /// # Errors
    /// If there is none, or a link leads nowhere.
    pub fn identity(&self, db_type: Option<DbType>) -> Result<Identity, OpenError> {
        let all = self.identities()?;
        let found = match db_type {
            Some(wanted) => all.iter().find(|identity| identity.db_type == wanted),
            None => all.iter().find(|identity| identity.is_genuine).or(all.first()),
        };
        found.copied().ok_or_else(|| self.nothing())
    }

    /// The databases in the directory, of all types.
    ///
    /// # Errors
    /// If a link leads nowhere.
    pub fn identities(&self) -> Result<Vec<Identity>, OpenError> {
        let mut list = Vec::new();
        for db_type in DbType::ALL {
            // Only types with files are asked for their hundreds of names.
            let singles = match db_type {
                DbType::Compact => self.single_files()?,
                _ => Vec::new(),
            };
            let extension = OsStr::new(db_type.data_extension());
            let is_of = |name: &String| Path::new(name).extension() == Some(extension);
            if singles.is_empty() && !self.names.keys().any(is_of) {
                continue;
            }
            let in_singles = singles.iter().fold(0, |all, (_, head)| all | head.piece_counts);
            // Distances to conversion begin with three pieces.
            let least = if db_type == DbType::Mtc { 3 } else { 2 };
            let (mut max_pieces, mut missing) = (None, 0);
            for pieces in (least..=db_type.max_pieces()).rev() {
                if in_singles >> pieces & 1 != 0 || self.has_data(db_type, pieces)? {
                    max_pieces = max_pieces.or(Some(pieces));
                } else if max_pieces.is_some() {
                    missing |= 1 << pieces;
                }
            }
            let Some(max_pieces) = max_pieces else { continue };
            // Version 1 and run lengths share their names; the first has a line that the other
            // lacks.
            if matches!(db_type, DbType::Wld1 | DbType::WldRun)
                && self.holds_version_1()? != (db_type == DbType::Wld1)
            {
                continue;
            }
            let is_genuine = self.is_genuine(db_type);
            list.push(Identity { db_type, max_pieces, missing, is_genuine });
        }
        Ok(list)
    }

    /// Whether there is a data file of this piece count.
    fn has_data(&self, db_type: DbType, pieces: u8) -> Result<bool, OpenError> {
        for (stem, _) in db_type.file_stems(pieces) {
            if self.file(&stem, db_type.data_extension())?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_genuine(&self, db_type: DbType) -> bool {
        let rows = published().identify.iter().filter(|row| row.db_type == db_type);
        rows.filter_map(|row| Some((row, self.name(row.file)?))).any(|(row, name)| {
            let bytes = read_regular(&self.dir.join(name));
            bytes.is_ok_and(|bytes| crc32(&bytes) == row.crc)
        })
    }

    fn holds_version_1(&self) -> Result<bool, OpenError> {
        let db_type = DbType::Wld1;
        for (stem, _) in (2..=db_type.max_pieces()).flat_map(|n| db_type.file_stems(n)) {
            let Some(path) = self.file(&stem, db_type.index_extension())? else { continue };
            let mut text = Vec::new();
            let read =
                fs::File::open(path).and_then(|file| file.take(1 << 16).read_to_end(&mut text));
            if read.is_ok() && text.windows(7).any(|w| w == b"# vmap ") {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a file is by its name one that has index and data of any slices ([`SINGLE_EXTENSION`]).
#[must_use]
pub fn is_single(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(SINGLE_EXTENSION))
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
