//! A database of the compact type as a single file (`docs/formats.md`, section 16).

use std::path::{Path, PathBuf};
use std::time::Instant;

use egdb::codec::contextual::UNIT;
use egdb::error::WriteError;
use egdb::format::compact::{BLOCK_UNITS, CompactBody, CompactRecord, Version, to_bytes};
use egdb::layout::BLOCK;
use egdb::storage::DataFile;
use egdb::{Database, SubId};

use crate::convert::{ConvertError, ConvertOptions, ConvertProgress, Converted};
use crate::encode::OutFile;
use crate::json;

/// A sub-database and the file of its data.
type Part<'a> = (CompactRecord, Option<&'a DataFile>);

/// Copies sub-databases of the compact type into one file. Blocks are copied as they are.
pub(crate) fn join(
    source: &Database,
    subs: &[SubId],
    file: &Path,
    options: &ConvertOptions,
    progress: &mut (dyn FnMut(ConvertProgress) -> bool + Send),
) -> Result<Converted, ConvertError> {
    let start = Instant::now();
    let mut parts: Vec<(SubId, Part<'_>)> = Vec::new();
    for &id in subs {
        let part = source.compact_record(id).ok_or(ConvertError::NoSlice)?;
        match parts.last_mut() {
            Some((before, known)) if is_left_out(options, *before, id) => {
                if part.0.bytes() < known.0.bytes() {
                    (*before, *known) = (id, part);
                }
            }
            _ => parts.push((id, part)),
        }
    }
    let index = |parts: &[(SubId, Part<'_>)]| {
        let records: Vec<CompactRecord> = parts.iter().map(|(_, (it, _))| it.clone()).collect();
        to_bytes(Version::Three, &records)
    };
    // The length of the index does not depend on where the data are.
    let index_units = index(&parts).len().div_ceil(UNIT);
    let mut sources = Vec::new();
    let mut end = index_units;
    for (_, (record, _)) in &mut parts {
        if let CompactBody::Data(data) = &mut record.body {
            sources.push(data.start);
            let units = data.units as usize;
            if units > BLOCK_UNITS - end % BLOCK_UNITS {
                end = end.next_multiple_of(BLOCK_UNITS);
            }
            data.start = u32::try_from(end).map_err(|_| too_large(file))?;
            end += units;
        }
    }
    u32::try_from(end).map_err(|_| too_large(file))?;

    let mut out = OutFile::create(file.to_owned())?;
    out.write(&index(&parts))?;
    let mut written = index(&parts).len();
    let all_positions = parts.iter().map(|&(id, _)| source.sub_size(id)).sum();
    let mut positions = 0;
    let mut sources = sources.into_iter();
    let mut buffer = vec![0; 64 * BLOCK];
    for (id, (record, from)) in &parts {
        if let (CompactBody::Data(data), Some(from)) = (&record.body, from) {
            let at = data.start as usize * UNIT;
            out.write(&vec![0; at - written])?;
            let mut offset = u64::from(sources.next().unwrap_or(0)) * UNIT as u64;
            let mut left = data.units as usize * UNIT;
            written = at + left;
            while left > 0 {
                let here = &mut buffer[..left.min(64 * BLOCK)];
                from.read_at(offset, here)
                    .map_err(|source| WriteError::Io { file: from.path.clone(), source })?;
                out.write(here)?;
                offset += here.len() as u64;
                left -= here.len();
            }
        }
        positions += source.sub_size(*id);
        if !progress(ConvertProgress { sub: *id, positions, all_positions }) {
            return Err(ConvertError::Aborted);
        }
    }
    let files: Vec<PathBuf> = vec![out.finish()?];
    let bytes = written as u64;
    Ok(Converted {
        files,
        positions,
        bytes,
        bits_per_position: json::bits(bytes, positions),
        seconds: json::seconds_since(start),
        ..Converted::default()
    })
}

/// Whether only one of these sub-databases is kept: two sides to move of a large slice.
fn is_left_out(options: &ConvertOptions, one: SubId, other: SubId) -> bool {
    one.slice == other.slice && one.slice.pieces() >= options.one_side_from
}

fn too_large(file: &Path) -> ConvertError {
    ConvertError::TooLarge { file: file.to_owned() }
}
