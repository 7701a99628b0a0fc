//! The databases of up to four pieces that are part of the library.
//!
//! Made by `meerslag egdb build --pieces 4 --types wld,mtc,dtw,rules --out DIR`: the distances and the
//! values under the draw rules as they are, win, loss and draw by `meerslag egdb convert DIR egdb/data/embedded --to compact`. The test `embedded` does both again and
//! compares.
//!
//! A WebAssembly module must be small, so there they are not part of the library: the host fetches
//! them when they are first needed, as a [`bundle`], and gives them to [`install`]. Until then
//! there are none.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use thiserror::Error;

/// Name of the folder in messages.
pub(crate) const DIR: &str = "(embedded)";
/// Largest piece count.
pub const MAX_PIECES: u8 = 4;

/// Files by their names.
type Files = Vec<(&'static str, &'static [u8])>;

static FILES: OnceLock<Files> = OnceLock::new();

#[cfg(not(target_family = "wasm"))]
fn files() -> &'static [(&'static str, &'static [u8])] {
    macro_rules! files {
        ($($name:literal)*) => {
            vec![$(($name, include_bytes!(concat!("../data/embedded/", $name)).as_slice())),*]
        };
    }
    FILES.get_or_init(|| {
        files! {
            "db2.mdi" "db2.mdb" "db3.mdi" "db3.mdb" "db4.mdi" "db4.mdb"
            "db3.idx_mtc" "db3.cpr_mtc" "db4.idx_mtc" "db4.cpr_mtc"
            "db2.idx_dtw" "db2.cpr_dtw" "db3.idx_dtw" "db3.cpr_dtw" "db4.idx_dtw" "db4.cpr_dtw"
            "db2.idx_rules" "db2.cpr_rules" "db3.idx_rules" "db3.cpr_rules" "db4.idx_rules" "db4.cpr_rules"
        }
    })
}

#[cfg(target_family = "wasm")]
fn files() -> &'static [(&'static str, &'static [u8])] {
    FILES.get().map_or(&[], Vec::as_slice)
}

/// A file by name: a path for messages, and its contents.
pub(crate) fn file(name: &str) -> Option<(PathBuf, &'static [u8])> {
    let (_, bytes) = files().iter().find(|(known, _)| *known == name)?;
    Some((Path::new(DIR).join(name), bytes))
}

/// Whether the databases are in the program.
pub(crate) fn is_here() -> bool {
    !files().is_empty()
}

/// Why bytes are not a [`bundle`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum BundleError {
    /// The checksum does not agree.
    #[error("the bundle of databases is damaged or of another version")]
    Damaged,
    /// The library has databases already.
    #[error("the library has databases already")]
    Again,
}

/// All files as one run of bytes: the CRC-32 of what follows; then for each file a byte with the length
/// of its name, the name, four bytes with its length, and the file. Numbers have their lowest byte first.
#[must_use]
pub fn bundle() -> Vec<u8> {
    let mut bytes = vec![0; 4];
    for (name, file) in files() {
        bytes.push(name.len() as u8);
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(&(file.len() as u32).to_le_bytes());
        bytes.extend_from_slice(file);
    }
    let sum = crc32fast::hash(&bytes[4..]).to_le_bytes();
    bytes[..4].copy_from_slice(&sum);
    bytes
}

/// Makes the files of a [`bundle`] the databases of the library, for as long as the program runs.
///
/// # Errors
/// If it is not a bundle, or the library has databases already, as in all programs but WebAssembly
/// modules.
pub fn install(bundle: Vec<u8>) -> Result<(), BundleError> {
    if is_here() {
        return Err(BundleError::Again);
    }
    let files = unpack(bundle.leak()).ok_or(BundleError::Damaged)?;
    FILES.set(files).map_err(|_| BundleError::Again)
}

fn unpack(bundle: &'static [u8]) -> Option<Files> {
    let (sum, mut rest) = bundle.split_first_chunk()?;
    if u32::from_le_bytes(*sum) != crc32fast::hash(rest) {
        return None;
    }
    let mut files = Vec::new();
    while let Some((&length, after)) = rest.split_first() {
        let (name, after) = after.split_at_checked(length.into())?;
        let (length, after) = after.split_first_chunk()?;
        let length = u32::from_le_bytes(*length) as usize;
        let (file, after) = after.split_at_checked(length)?;
        files.push((std::str::from_utf8(name).ok()?, file));
        rest = after;
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_holds_all_files() {
        let bytes: &'static [u8] = bundle().leak();
        assert_eq!(unpack(bytes).unwrap(), files());
        assert!(is_here() && files().len() == 22);
    }

    #[test]
    fn what_is_no_bundle_is_refused() {
        let good = bundle();
        for length in [0, 3, 4, 5, 100, good.len() - 1] {
            // Of these only the empty one may have the right sum.
            assert_eq!(unpack(good[..length].to_vec().leak()), None, "{length}");
        }
        // Files that end too early, under a right checksum.
        for body in [&b"\x05abc"[..], b"\x01a\x05\0\0", b"\x01a\x05\0\0\0abcd", b"\x01\xff\0\0\0\0"]
        {
            let whole = [&crc32fast::hash(body).to_le_bytes(), body].concat();
            assert_eq!(unpack(whole.leak()), None, "{body:?}");
        }
        assert_eq!(install(good), Err(BundleError::Again));
    }
}
