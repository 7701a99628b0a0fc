//! A database of the compact type as a single file (`docs/formats.md`, section 16).

use std::fs;
use std::io;
use std::path::Path;

use egdb::codec::DONT_CARE;
use egdb::codec::contextual::UNIT;
use egdb::error::WriteError;
use egdb::format::compact::{
    BLOCK_UNITS, CompactBody, CompactRecord, Version, is_kings_alone, to_bytes,
};
use egdb::layout::BLOCK;
use egdb::slice::Slice;
use egdb::storage::DataFile;
use egdb::symmetry::first_image;
use egdb::walk::Walk;
use egdb::{Database, SubId};

use crate::encode::OutFile;
use crate::encode::compact::CompactWriter;

/// A sub-database and the file of its data.
type JoinedSub<'a> = (CompactRecord, Option<&'a DataFile>);

/// Copies sub-databases of the compact type into one file. Kings alone are written anew, a quarter of
/// their positions, with files in the folder `parts` on the way; other blocks are copied as they are. Of
/// slices with `one_side_from` pieces or more one side to move is kept, the one that takes less room.
/// `step` is called after each sub-database and stops the work by returning false. Gives the positions
/// and the length of the file; `None` if it was stopped.
///
/// # Errors
/// If a file cannot be read or written, or it would have more than 64 GiB.
pub(crate) fn join(
    source: &Database,
    subs: &[SubId],
    (file, parts_dir): (&Path, &Path),
    one_side_from: u8,
    step: &mut dyn FnMut(SubId, u64) -> bool,
) -> Result<Option<(u64, u64)>, WriteError> {
    let is_one = |slice: Slice| slice.pieces() >= one_side_from;
    let mut folded = Vec::new();
    for &id in subs {
        folded.push(fold(source, id, parts_dir)?);
    }
    let mut parts: Vec<(SubId, JoinedSub<'_>)> = Vec::new();
    for (&id, folded) in subs.iter().zip(&folded) {
        let as_it_is = || source.compact_record(id);
        let folded = folded.as_ref().map(|(record, data)| (record.clone(), Some(data)));
        let Some(part) = folded.or_else(as_it_is) else { continue };
        match parts.last_mut() {
            Some((before, known)) if before.slice == id.slice && is_one(id.slice) => {
                if part.0.bytes() < known.0.bytes() {
                    (*before, *known) = (id, part);
                }
            }
            _ => parts.push((id, part)),
        }
    }
    let index = |parts: &[(SubId, JoinedSub<'_>)]| {
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
    let head = index(&parts);
    out.write(&head)?;
    let mut written = head.len();
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
        if !step(*id, positions) {
            return Ok(None);
        }
    }
    out.finish()?;
    Ok(Some((positions, written as u64)))
}

/// A sub-database of kings alone in which of the positions that the symmetries connect only the first
/// have values, and its data, in a folder of its own; `None` for others.
fn fold(
    source: &Database,
    id: SubId,
    parts: &Path,
) -> Result<Option<(CompactRecord, DataFile)>, WriteError> {
    let is_whole = |(record, _): (CompactRecord, _)| match record.body {
        CompactBody::Constant(_) => false,
        CompactBody::Data(data) => !data.numbering.is_folded(),
    };
    if !is_kings_alone(id.slice) || !source.compact_record(id).is_some_and(is_whole) {
        return Ok(None);
    }
    let io = |source| WriteError::Io { file: parts.to_owned(), source };
    let mut failure = None;
    let mut values = |start: u64, out: &mut [u16]| {
        if let Err(error) = source.read_values(id, start, out) {
            failure.get_or_insert(error);
        }
        for (board, value) in Walk::new(id.slice, start, start + out.len() as u64).zip(out) {
            if *value == 0 || first_image(&board) != board {
                *value = DONT_CARE;
            }
        }
    };
    fs::create_dir_all(parts).map_err(io)?;
    let mut writer = CompactWriter::create(parts, &format!("{}{}", id.slice, id.side))?;
    writer.add(id, &mut values)?;
    if let Some(error) = failure {
        return Err(io(io::Error::other(error)));
    }
    let mut record = writer.records()[0].clone();
    if let CompactBody::Data(data) = &mut record.body {
        data.numbering = data.numbering.folded();
    }
    let Some(written) = writer.finish()? else { return Ok(None) };
    let data = DataFile::open(written.data).map_err(io)?;
    Ok(Some((record, data)))
}

fn too_large(file: &Path) -> WriteError {
    let source = io::Error::new(io::ErrorKind::FileTooLarge, "more than 64 GiB");
    WriteError::Io { file: file.to_owned(), source }
}
