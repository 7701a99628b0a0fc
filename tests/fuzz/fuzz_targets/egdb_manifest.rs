//! Side files with checksums. Most inputs fail at the side file's own checksum, so it is also
//! corrected.
#![no_main]

use egdb::identify::crc32;
use egdb::manifest::Manifest;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let _ = Manifest::parse(input, "db2.cpr1");
    let mut mended = input.to_vec();
    if let Some(at) = input.windows(4).rposition(|window| window == b"end ") {
        mended.truncate(at);
    }
    mended.extend(format!("end {:08x}\n", crc32(&mended)).bytes());
    if let Ok(manifest) = Manifest::parse(&mended, "db2.cpr1") {
        assert_eq!(manifest.blocks.len() as u64, manifest.bytes.div_ceil(4096));
    }
});
