//! One writer for every type.

use std::path::Path;

use super::compact::CompactWriter;
use super::dtw::DtwWriter;
use super::{CodedWriter, SubId, Written};
use crate::codec::runs::Source;
use crate::error::WriteError;
use crate::format::DbType;

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
            DbType::Dtw => DatabaseWriter::Dtw(Box::new(DtwWriter::create(dir, stem)?)),
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

    /// Completes the files and gives them their names, the data file first. Returns `None`, and
    /// leaves no files, if nothing was added.
    ///
    /// # Errors
    /// If the disk is full.
    pub fn finish(self) -> Result<Option<Written>, WriteError> {
        match self {
            DatabaseWriter::Coded(writer) => writer.finish(),
            DatabaseWriter::Dtw(writer) => writer.finish(),
            DatabaseWriter::Compact(writer) => writer.finish(),
        }
    }
}
