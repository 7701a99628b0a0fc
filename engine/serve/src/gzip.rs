//! Compressed files for browsers.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// The bytes compressed as well as gzip can. The same bytes give the same file.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(bytes);
    written.and_then(|()| encoder.finish()).expect("writing to memory does not fail")
}

/// Whether a file of this media type gets smaller: pictures of dots are compressed already.
pub(crate) fn pays(media_type: &str) -> bool {
    !media_type.starts_with("image/") || media_type == "image/svg+xml"
}
