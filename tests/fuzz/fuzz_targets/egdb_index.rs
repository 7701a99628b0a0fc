//! Index files alone, of all types and slices: the first byte picks the type, the second the
//! files, the next four are the length of the data file.
#![no_main]

use std::path::Path;

use egdb::DbType;
use egdb::format::{compact, dtw, text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&[kind, files, a, b, c, d], bytes)) = input.split_first_chunk() else { return };
    let db_type = DbType::ALL[usize::from(kind) % DbType::ALL.len()];
    let pieces = 2 + files % (db_type.max_pieces() - 1);
    let stems = db_type.file_stems(pieces);
    let (_, slices) = &stems[usize::from(files) / 8 % stems.len()];
    let len = u64::from(u32::from_le_bytes([a, b, c, d]));
    let path = Path::new("index");
    if matches!(db_type, DbType::Dtw | DbType::Rules) {
        if let Ok(records) = dtw::parse(path, bytes, slices, len, db_type) {
            // A readable index is written the same, except the byte without a meaning.
            for record in &records {
                let again = record.to_bytes();
                let length = dtw::parse(path, &again, slices, len, db_type);
                assert!(length.is_ok_and(|list| list.len() == 1) || record.first_miniblock > 0);
            }
        }
    } else if db_type == DbType::Compact {
        if let Ok(records) = compact::parse(path, bytes, slices, len) {
            // Of a single file only the wanted slices are read.
            if bytes.get(7) == Some(&3) {
                return;
            }
            let again = compact::to_bytes(compact::Version::of_pieces(pieces), &records);
            assert!(compact::parse(path, &again, slices, len).is_ok());
        }
    } else if let Ok(index) = text::parse(path, bytes, db_type, slices, len) {
        for sub in &index.subs {
            assert!(slices.contains(&sub.slice) && sub.slice.is_stored(sub.side));
            if let text::SubContents::Data { start, end, blocks, .. } = &sub.body {
                assert!(start < end && *end <= len.next_multiple_of(db_type.driver_block()));
                let firsts = &index.firsts[blocks.clone()];
                assert!(firsts.first() == Some(&0) && firsts.is_sorted_by(|a, b| a < b));
            }
        }
    }
});
