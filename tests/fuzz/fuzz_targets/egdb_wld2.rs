//! Win/loss/draw, version 2: index and data file.
#![no_main]

#[path = "support/database.rs"]
mod database;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| database::check(egdb::DbType::Wld2, input));
