//! Output for programs: JSON objects, from `--json`, from the server and in WebAssembly. Each has
//! the keys `type` and `version`, and those of its record; `docs/json.md` is the glossary.

mod annotate;
mod book;
mod endgame;
mod search;

use std::io;

use schemars::JsonSchema;
use serde::Serialize;

pub use annotate::{AnnotatedGameRecord, AnnotationSummaryRecord, PlayerRecord, accuracy};
pub use book::{BookRecord, BookTreeMoveRecord};
pub use endgame::{AnswerRecord, LineRecord, value_name};
pub use search::{BestRecord, InfoRecord, PositionRecord, ResultRecord};

/// The version of the format: it grows when a key goes or changes its meaning, not when one comes.
pub const VERSION: u32 = 1;

/// A kind of object.
pub trait Record: Serialize + JsonSchema {
    /// The key `type`.
    const TYPE: &'static str;
}

#[derive(Serialize)]
struct Tagged<'a, R> {
    #[serde(rename = "type")]
    kind: &'static str,
    version: u32,
    #[serde(flatten)]
    record: &'a R,
}

impl<'a, R: Record> Tagged<'a, R> {
    const fn new(record: &'a R) -> Tagged<'a, R> {
        Tagged { kind: R::TYPE, version: VERSION, record }
    }
}

/// Writes one object, without an end of line.
///
/// # Errors
/// If the output fails.
pub fn write<R: Record>(out: &mut (impl io::Write + ?Sized), record: &R) -> io::Result<()> {
    Ok(serde_json::to_writer(out, &Tagged::new(record))?)
}

/// One object as text.
///
/// # Panics
/// Never: records have text keys, and numbers that JSON has.
#[must_use]
pub fn to_json<R: Record>(record: &R) -> String {
    serde_json::to_string(&Tagged::new(record)).expect("records can be written as JSON")
}
