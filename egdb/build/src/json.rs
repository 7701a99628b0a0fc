//! How results are written for programs.

use std::fmt::Display;
use std::path::PathBuf;
use std::time::Instant;

use egdb::format::DbType;
use movegen::json::rounded;
use serde::Serializer;

type Result<S> = std::result::Result<<S as Serializer>::Ok, <S as Serializer>::Error>;

/// A value as it is written for people.
pub(crate) fn text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S> {
    serializer.collect_str(value)
}

/// Values as they are written for people.
pub(crate) fn texts<S: Serializer>(values: &[impl Display], serializer: S) -> Result<S> {
    serializer.collect_seq(values.iter().map(ToString::to_string))
}

/// The name of a type.
pub(crate) fn name<S: Serializer>(db_type: &DbType, serializer: S) -> Result<S> {
    serializer.serialize_str(db_type.name())
}

/// The names of files without their folders.
pub(crate) fn file_names<S: Serializer>(files: &[PathBuf], serializer: S) -> Result<S> {
    let names = files.iter().map(|file| file.file_name().unwrap_or_default().to_string_lossy());
    serializer.collect_seq(names)
}

/// Seconds since then, to microseconds.
pub(crate) fn seconds_since(start: Instant) -> f64 {
    rounded(start.elapsed().as_secs_f64(), 6)
}

/// Bits for each position, to four digits.
pub(crate) fn bits(bytes: u64, positions: u64) -> f64 {
    rounded(bytes as f64 * 8.0 / positions.max(1) as f64, 4)
}
