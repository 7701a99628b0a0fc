//! From work files to database files.

use std::path::Path;
use std::sync::Arc;

use super::error::BuildError;
use super::flat::{Flat, SideCounts};
use super::raw::RawFile;
use crate::encode::{DatabaseWriter, SubId, Written};
use crate::format::DbType;
use crate::manifest;
use movegen::Color;

/// Writes one pair of files of a type from the slices it holds, with their checksums. `None` if the
/// type stores nothing for them. The compact type, which has every position, counts them.
pub(super) fn pack(
    dir: &Path,
    db_type: DbType,
    stem: &str,
    slices: &[Arc<RawFile>],
    window: usize,
    go_on: &(dyn Fn(u64) -> bool + Sync),
) -> Result<(Option<Written>, Vec<SideCounts>), BuildError> {
    let mut subs = Vec::new();
    for raw in slices {
        let slice = raw.store.slice;
        // Without kings every move is a conversion, and no distance is long enough to store.
        if db_type == DbType::Mtc && slice.kings() == 0 {
            continue;
        }
        for &side in slice.stored_sides() {
            for sub in 0..slice.subslices(db_type.subslice_length()) {
                subs.push((raw, SubId { slice, sub: sub as u32, side }));
            }
        }
    }
    // Where it leaves out threats, version 2 has one side to move only, the one that takes less
    // room.
    let is_one_sided = db_type == DbType::Wld2
        && slices.first().is_some_and(|raw| {
            let slice = raw.store.slice;
            db_type.leaves_out_threats(slice.pieces().into(), slice.kings().into())
                && !slice.is_symmetric()
        });
    let mut counts = Vec::new();
    let written = if is_one_sided {
        let mut best: Option<(u64, Color)> = None;
        let trial = dir.join("work");
        for side in Color::ALL {
            let of_side: Vec<_> = subs.iter().copied().filter(|(_, id)| id.side == side).collect();
            let written = write(&trial, db_type, stem, &of_side, window, go_on, |_| {})?;
            let bytes = written.as_ref().map_or(0, |written| written.bytes.iter().sum());
            for file in written.iter().flat_map(|written| [&written.index, &written.data]) {
                let _ = std::fs::remove_file(file);
            }
            if best.is_none_or(|(least, _)| bytes < least) {
                best = Some((bytes, side));
            }
        }
        subs.retain(|(_, id)| best.is_some_and(|(_, side)| side == id.side));
        write(dir, db_type, stem, &subs, window, go_on, |_| {})?
    } else {
        write(dir, db_type, stem, &subs, window, go_on, |flat| {
            if db_type == DbType::Compact {
                counts.push(flat.counts());
            }
        })?
    };
    if let Some(written) = &written {
        manifest::write_for(written)?;
    }
    Ok((written, counts))
}

fn write(
    dir: &Path,
    db_type: DbType,
    stem: &str,
    subs: &[(&Arc<RawFile>, SubId)],
    window: usize,
    go_on: &(dyn Fn(u64) -> bool + Sync),
    mut each: impl FnMut(&Flat<'_>),
) -> Result<Option<Written>, BuildError> {
    let mut writer = DatabaseWriter::create(dir, db_type, stem)?;
    for &(raw, id) in subs {
        let length = db_type.subslice_length();
        let base = u64::from(id.sub) * length;
        let size = id.slice.subslice_size(u64::from(id.sub), length);
        let mut flat = Flat::new(raw, db_type, id.side, (base, size), window);
        let mut failure = None;
        let mut source = |start: u64, out: &mut [u16]| {
            if failure.is_some() {
                return;
            }
            if !go_on(out.len() as u64) {
                failure = Some(BuildError::Interrupted);
            } else if let Err(error) = flat.fill(start, out) {
                failure = Some(error);
            }
        };
        let added = writer.add(id, &mut source);
        if let Some(failure) = failure {
            return Err(failure);
        }
        added?;
        each(&flat);
    }
    Ok(writer.finish()?)
}
