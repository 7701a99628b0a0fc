//! Win/loss/draw, compact: index and data file, with the checksum of the index corrected.
#![no_main]

#[path = "support/database.rs"]
mod database;

use egdb::identify::crc32;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut input = input.to_vec();
    let Some(&[low, high]) = input.first_chunk() else { return };
    let end = 2 + usize::from(u16::from_le_bytes([low, high]));
    if let Some(sum) = end.checked_sub(4).filter(|&sum| sum >= 2 && end <= input.len()) {
        let right = crc32(&input[2..sum]);
        input[sum..end].copy_from_slice(&right.to_le_bytes());
    }
    database::check(egdb::DbType::Compact, &input);
});
