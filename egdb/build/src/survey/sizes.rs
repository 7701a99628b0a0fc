//! How many bytes of the data files each sub-database takes.

use std::collections::HashMap;
use std::fs;

use egdb::Database;
use egdb::SubId;
use egdb::error::OpenError;
use egdb::format::dtw::MINIBLOCK;
use egdb::format::text::Body;
use egdb::format::{DbType, compact, dtw, text};
use egdb::identify::Folder;
use egdb::slice::Slice;
use meerslag_files::read_regular;

/// Bytes of data by sub-database, from the index files. The index files' own bytes are not
/// counted. A sub-database of one value takes none.
///
/// # Errors
/// If a file cannot be read or breaks its format, which opening the database would have found.
pub fn data_bytes(database: &Database) -> Result<HashMap<SubId, u64>, OpenError> {
    let db_type = database.db_type();
    let mut sizes = HashMap::new();
    let folder = Folder::read(database.dir())?;
    for pieces in 2..=database.max_pieces() {
        for (stem, slices) in db_type.file_stems(pieces) {
            if !slices.iter().any(|&slice| database.has_slice(slice)) {
                continue;
            }
            let Some(data) = folder.file(&stem, db_type.data_extension())? else { continue };
            let Some(index) = folder.file(&stem, db_type.index_extension())? else { continue };
            let length = match fs::metadata(&data) {
                Ok(metadata) => metadata.len(),
                Err(source) => return Err(OpenError::Io { file: data, source }),
            };
            let bytes = match read_regular(&index) {
                Ok(bytes) => bytes,
                Err(source) => return Err(OpenError::Io { file: index, source }),
            };
            if db_type == DbType::Compact {
                for record in compact::parse(&index, &bytes, &slices, length)? {
                    let id = SubId { slice: record.slice, sub: 0, side: record.side };
                    sizes.insert(id, record.bytes());
                }
            } else if db_type == DbType::Dtw {
                for record in dtw::parse(&index, &bytes, &slices, length)? {
                    let id = SubId { slice: record.slice, sub: record.sub, side: record.side };
                    // The last miniblock of the file may be short.
                    let start = record.first_miniblock * MINIBLOCK as u64;
                    let all = record.positions.len() as u64 * MINIBLOCK as u64;
                    sizes.insert(id, all.min(length.saturating_sub(start)));
                }
            } else {
                for sub in text::parse(&index, &bytes, db_type, &slices, length)?.subs {
                    let id = SubId { slice: sub.slice, sub: sub.sub, side: sub.side };
                    let size = match sub.body {
                        Body::Constant(_) => 0,
                        Body::Data { start, end, .. } => end - start,
                    };
                    sizes.insert(id, size);
                }
            }
        }
    }
    Ok(sizes)
}

/// Bytes of the index and data files that hold the slices of a piece count.
///
/// # Errors
/// If the length of a file cannot be read.
pub fn file_bytes(database: &Database, pieces: u8) -> Result<u64, OpenError> {
    let db_type = database.db_type();
    let mut sum = 0;
    let folder = Folder::read(database.dir())?;
    for (stem, slices) in db_type.file_stems(pieces) {
        if pieces > database.max_pieces() || !slices.iter().any(|&s: &Slice| database.has_slice(s))
        {
            continue;
        }
        for extension in [db_type.data_extension(), db_type.index_extension()] {
            let Some(file) = folder.file(&stem, extension)? else { continue };
            match fs::metadata(&file) {
                Ok(metadata) => sum += metadata.len(),
                Err(source) => return Err(OpenError::Io { file, source }),
            }
        }
    }
    Ok(sum)
}
