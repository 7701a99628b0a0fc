//! The output of `--json`: one object a line. Each has the keys `type` and `version`, and those of
//! its record; `docs/json.md` is the glossary, and [`schema`](super::schema) describes it.

use std::io::{self, Write};

use movegen::json;
pub(super) use movegen::json::{Record, rounded, to_json};

/// Writes one object and the end of its line.
pub(super) fn write<R: Record>(out: &mut dyn Write, record: &R) -> io::Result<()> {
    json::write(out, record)?;
    writeln!(out)
}

/// Seconds, to microseconds.
pub(super) fn seconds(value: f64) -> f64 {
    rounded(value, 6)
}
