//! What a builder tells while it works, for people and for programs.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use egdb::format::DbType;
use egdb::slice::Slice;
use movegen::json::Record;
use movegen::words::counted;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::flat::SideCounts;
use super::usage::Usage;
use crate::json;

/// Events of a build. Those about progress have no text, and are many.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BuildRecord")]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum BuildEvent {
    /// A slice begins.
    #[serde(skip)]
    SliceStarted {
        /// The slice.
        slice: Slice,
        /// Its positions.
        positions: u64,
    },
    /// About this many positions of the slice are solved.
    #[serde(rename = "solving")]
    SliceProgress {
        /// The slice.
        #[serde(serialize_with = "json::text")]
        #[schemars(with = "String")]
        slice: Slice,
        /// Positions solved.
        done: u64,
        /// All positions.
        positions: u64,
    },
    /// A slice is solved and on disk.
    #[serde(rename = "slice")]
    SliceDone(SliceReport),
    /// A work file of an earlier run is sound and will be used.
    #[serde(rename = "reused")]
    SliceReused {
        /// The slice.
        #[serde(serialize_with = "json::text")]
        #[schemars(with = "String")]
        slice: Slice,
        /// Its positions.
        #[serde(skip)]
        positions: u64,
    },
    /// A work file of an earlier run is damaged or lacks something; the slice is built again.
    #[serde(rename = "discarded")]
    SliceDiscarded {
        /// The slice.
        #[serde(serialize_with = "json::text")]
        #[schemars(with = "String")]
        slice: Slice,
        /// What is wrong.
        reason: String,
    },
    /// This many values have been handed to an encoder.
    #[serde(rename = "writing")]
    PackProgress {
        /// The database type.
        #[serde(rename = "database", serialize_with = "written_type")]
        #[schemars(with = "String")]
        db_type: DbType,
        /// The common name of the files without extensions.
        #[serde(rename = "name")]
        stem: String,
        /// Values.
        done: u64,
    },
    /// Files are complete.
    #[serde(rename = "file")]
    Packed {
        /// The database type.
        #[serde(rename = "database", serialize_with = "written_type")]
        #[schemars(with = "String")]
        db_type: DbType,
        /// Their common name without extensions.
        #[serde(rename = "name")]
        stem: String,
        /// Length of the data file and the index file together, in bytes.
        bytes: u64,
        /// Time taken.
        seconds: f64,
        /// The values in the files, for [`DbType::Compact`].
        #[serde(skip)]
        counts: Vec<SideCounts>,
    },
    /// Files of an earlier run are sound and stay.
    #[serde(rename = "kept")]
    PackReused {
        /// The database type.
        #[serde(rename = "database", serialize_with = "written_type")]
        #[schemars(with = "String")]
        db_type: DbType,
        /// Their common name without extensions.
        #[serde(rename = "name")]
        stem: String,
    },
    /// The build was not finished. The builder returns this as its error.
    Error {
        /// Why.
        reason: String,
    },
    /// The build is finished. The builder returns this as its result.
    Done(BuildReport),
}

impl Record for BuildEvent {
    const TYPE: &'static str = "build";
}

/// The types that a build writes, by their short names.
pub const WRITTEN_TYPES: [(&str, DbType); 5] = [
    ("wld", DbType::Wld2),
    ("compact", DbType::Compact),
    ("mtc", DbType::Mtc),
    ("dtw", DbType::Dtw),
    ("rules", DbType::Rules),
];

/// The short name of a type that a build writes.
#[must_use]
pub fn written_name(db_type: DbType) -> &'static str {
    WRITTEN_TYPES.iter().find(|it| it.1 == db_type).map_or(db_type.name(), |it| it.0)
}

fn written_type<S: Serializer>(db_type: &DbType, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(written_name(*db_type))
}

/// How a slice was solved.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct SliceReport {
    /// The slice.
    #[serde(serialize_with = "json::text")]
    #[schemars(with = "String")]
    pub slice: Slice,
    /// Its positions, both sides to move together.
    pub positions: u64,
    /// Time taken.
    pub seconds: f64,
    /// Positions solved in a second.
    pub positions_per_second: f64,
    /// About how many of them this build solved; an earlier build solved the others.
    #[serde(rename = "positions_solved")]
    pub solved: u64,
    /// Chunks of work files that had to be read from disk.
    pub levels_loaded: u64,
    /// Their bytes in memory.
    pub bytes_loaded: u64,
    /// Length of the work file in bytes.
    #[serde(rename = "work_file_bytes")]
    pub bytes: u64,
    /// Bytes of all files in the folder.
    #[serde(rename = "disk_bytes")]
    pub disk: u64,
    /// What the process has used so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// The result of a build.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct BuildReport {
    /// Slices solved now, not taken from an earlier run.
    #[serde(skip)]
    pub slices: Vec<SliceReport>,
    /// Their positions.
    pub positions: u64,
    /// Time taken.
    pub seconds: f64,
    /// Files written now.
    #[serde(serialize_with = "json::file_names")]
    #[schemars(with = "Vec<String>")]
    pub files: Vec<PathBuf>,
    /// What the process has used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl BuildReport {
    /// The report of work that began then and ends now.
    pub(super) fn ended(self, start: Instant) -> BuildReport {
        let positions = self.slices.iter().map(|slice| slice.positions).sum();
        BuildReport { positions, seconds: json::seconds_since(start), usage: Usage::now(), ..self }
    }
}

impl fmt::Display for BuildEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildEvent::SliceDone(report) => write!(
                f,
                "{}  {:>13} positions  {:8.2} s  {:6.2} M/s  {:>6} MiB on disk",
                report.slice,
                report.positions,
                report.seconds,
                report.positions_per_second / 1e6,
                report.disk.div_ceil(1 << 20)
            ),
            BuildEvent::SliceReused { slice, .. } => write!(f, "{slice}  exists already"),
            BuildEvent::SliceDiscarded { slice, reason } => {
                write!(f, "{slice}  is built again: {reason}")
            }
            BuildEvent::Packed { db_type, stem, bytes, seconds, .. } => {
                write!(f, "{stem}  {db_type}: {bytes} bytes, {seconds:.2} s")
            }
            BuildEvent::PackReused { db_type, stem } => {
                write!(f, "{stem}  {db_type}: exists already")
            }
            BuildEvent::Error { reason } => f.write_str(reason),
            BuildEvent::Done(BuildReport { positions, seconds, files, usage, .. }) => {
                let files = counted(files.len(), "file");
                write!(f, "{positions} positions solved, {files} written, {seconds:.2} s")?;
                let Some(usage) = usage else { return Ok(()) };
                write!(
                    f,
                    "\npeak memory {} MiB, page faults {} (of them {} from disk), read {} MiB in {} \
                     calls, written {} MiB",
                    usage.peak_resident >> 20,
                    usage.minor_faults + usage.major_faults,
                    usage.major_faults,
                    usage.read_bytes >> 20,
                    usage.read_calls,
                    usage.written_bytes >> 20,
                )
            }
            BuildEvent::SliceStarted { .. }
            | BuildEvent::SliceProgress { .. }
            | BuildEvent::PackProgress { .. } => Ok(()),
        }
    }
}
