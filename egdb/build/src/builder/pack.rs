//! From work files to database files.

use std::path::Path;
use std::sync::Arc;

use super::error::BuildError;
use super::flat::{Flat, SideCounts};
use super::raw::RawFile;
use crate::encode::{Written, write_pair};
use egdb::SubId;
use egdb::format::DbType;

/// Writes one pair of files of a type from the slices it holds, with their checksums. `None` if the
/// type stores nothing for them. With each slice is said whether the draw rules stop wins of it. The
/// compact type, which has every position, counts them.
pub(super) fn pack(
    dir: &Path,
    db_type: DbType,
    stem: &str,
    slices: &[(Arc<RawFile>, bool)],
    window: usize,
    keep_going: &(dyn Fn(u64) -> bool + Sync),
) -> Result<(Option<Written>, Vec<SideCounts>), BuildError> {
    let mut subs = Vec::new();
    for (raw, is_stopped) in slices {
        let slice = raw.store.slice;
        // Without kings every move is a conversion, and no distance is long enough to store.
        let is_distance = matches!(db_type, DbType::Mtc | DbType::Rules);
        if is_distance && slice.kings() == 0 && !is_stopped {
            continue;
        }
        for &side in slice.stored_sides() {
            for sub in 0..slice.subslices(db_type.subslice_length()) {
                subs.push(SubId { slice, sub: sub as u32, side });
            }
        }
    }
    let (written, counts) = write_pair(dir, db_type, stem, &subs, |writer, id| {
        let raw = slices.iter().find(|(raw, _)| raw.store.slice == id.slice);
        let (raw, is_stopped) = raw.expect("sub-databases come from these slices");
        let length = db_type.subslice_length();
        let base = u64::from(id.sub) * length;
        let size = id.slice.subslice_size(u64::from(id.sub), length);
        let mut flat = Flat::new(raw, db_type, id.side, *is_stopped, (base, size), window);
        let mut failure = None;
        let mut source = |start: u64, out: &mut [u16]| {
            if failure.is_some() {
                return;
            }
            if !keep_going(out.len() as u64) {
                failure = Some(BuildError::Interrupted);
            } else if let Err(error) = flat.fill(start, out) {
                failure = Some(error);
            }
        };
        let added = writer.add(id, &mut source);
        match failure {
            Some(failure) => Err(failure),
            None => added.map(|()| flat.counts()).map_err(BuildError::from),
        }
    })?;
    if let Some(written) = &written {
        written.write_side_files()?;
    }
    let counts = if db_type == DbType::Compact { counts } else { Vec::new() };
    Ok((written, counts))
}
