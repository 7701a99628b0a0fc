//! One writer for every type.

use std::path::Path;

use movegen::Color;

use super::compact::CompactWriter;
use super::dtw::DtwWriter;
use super::{CodedWriter, Completed, Written};
use egdb::SubId;
use egdb::codec::runs::Source;
use egdb::error::WriteError;
use egdb::format::DbType;

/// Writes one pair of files (index and data) of any type.
///
/// Sub-databases are added one after another, in any order; [`DatabaseWriter::finish`] completes
/// the files, which have temporary names until then.
#[derive(Debug)]
pub enum DatabaseWriter {
    /// For a type whose bytes are codes.
    Coded(Box<CodedWriter>),
    /// Distance to win.
    Dtw(Box<DtwWriter>),
    /// The compact type.
    Compact(Box<CompactWriter>),
}

impl DatabaseWriter {
    /// Starts the files `stem` (see [`DbType::file_stem`]) in a directory.
    ///
    /// # Errors
    /// If the files cannot be created.
    pub fn create(dir: &Path, db_type: DbType, stem: &str) -> Result<DatabaseWriter, WriteError> {
        Ok(match db_type {
            DbType::Dtw | DbType::Rules => {
                DatabaseWriter::Dtw(Box::new(DtwWriter::create(dir, db_type, stem)?))
            }
            DbType::Compact => DatabaseWriter::Compact(Box::new(CompactWriter::create(dir, stem)?)),
            _ => DatabaseWriter::Coded(Box::new(CodedWriter::create(dir, db_type, stem)?)),
        })
    }

    /// Adds a sub-database; see [`CodedWriter::add`], [`DtwWriter::add`] and
    /// [`CompactWriter::add`] for what `source` must give.
    ///
    /// # Errors
    /// If a value cannot be stored, the sub-database does not exist or the disk is full.
    pub fn add(&mut self, id: SubId, source: &mut Source<'_>) -> Result<(), WriteError> {
        match self {
            DatabaseWriter::Coded(writer) => writer.add(id, source),
            DatabaseWriter::Dtw(writer) => writer.add(id, source),
            DatabaseWriter::Compact(writer) => writer.add(id, source),
        }
    }

    /// Completes the files and gives them their names, the data file first. Returns `None`, without
    /// files, if nothing was added.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn finish(self) -> Result<Option<Written>, WriteError> {
        self.complete()?.map(Completed::publish).transpose()
    }

    fn complete(self) -> Result<Option<Completed>, WriteError> {
        match self {
            DatabaseWriter::Coded(writer) => writer.complete(),
            DatabaseWriter::Dtw(writer) => Ok(writer.complete()),
            DatabaseWriter::Compact(writer) => writer.complete(),
        }
    }
}

/// Writes the pair of files `stem` with these sub-databases, as [`DatabaseWriter`] does. Of a slice
/// that the type keeps with one side to move ([`DbType::keeps_one_side`]) it is the side whose files
/// are smaller; Black if they are equal.
///
/// `add` adds a sub-database to a writer. The files are `None` if nothing was added; with them comes
/// what `add` said of each sub-database that is in them.
///
/// # Errors Those of the writer and of `add`. Unfinished files are removed.
pub fn write_pair<T, E: From<WriteError>>(
    dir: &Path,
    db_type: DbType,
    stem: &str,
    subs: &[SubId],
    mut add: impl FnMut(&mut DatabaseWriter, SubId) -> Result<T, E>,
) -> Result<(Option<Written>, Vec<T>), E> {
    let mut write = |subs: &mut dyn Iterator<Item = SubId>| {
        let mut writer = DatabaseWriter::create(dir, db_type, stem)?;
        let added = subs.map(|id| add(&mut writer, id)).collect::<Result<Vec<T>, E>>()?;
        Ok::<_, E>((writer.complete()?, added))
    };
    let (completed, added) = if subs.iter().any(|id| db_type.keeps_one_side(id.slice)) {
        let sides = Color::ALL.into_iter();
        let one = |side| write(&mut subs.iter().copied().filter(|id| id.side == side));
        let both = sides.map(one).collect::<Result<Vec<_>, E>>()?;
        // Of equal ones the first.
        let size = |(files, _): &(Option<Completed>, Vec<T>)| {
            files.as_ref().map_or(u64::MAX, Completed::size)
        };
        both.into_iter().min_by_key(size).expect("there are two sides")
    } else {
        write(&mut subs.iter().copied())?
    };
    Ok((completed.map(Completed::publish).transpose()?, added))
}
