//! The databases of up to four pieces that are part of the library.
//!
//! Made by `meerslag egdb build --pieces 4 --out DIR`: the distances as they are, win, loss and draw
//! by `meerslag egdb convert DIR egdb/data/embedded --to compact`. The test `embedded` does both again and
//! compares.

use std::path::{Path, PathBuf};

/// Name of the folder in messages.
pub(crate) const DIR: &str = "(embedded)";
/// Largest piece count.
pub(crate) const MAX_PIECES: u8 = 4;

macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_bytes!(concat!("../data/embedded/", $name)).as_slice())),*]
    };
}

static FILES: [(&str, &[u8]); 16] = files! {
    "db2.mdi" "db2.mdb" "db3.mdi" "db3.mdb" "db4.mdi" "db4.mdb"
    "db3.idx_mtc" "db3.cpr_mtc" "db4.idx_mtc" "db4.cpr_mtc"
    "db2.idx_dtw" "db2.cpr_dtw" "db3.idx_dtw" "db3.cpr_dtw" "db4.idx_dtw" "db4.cpr_dtw"
};

/// A file by name: a path for messages, and its contents.
pub(crate) fn file(name: &str) -> Option<(PathBuf, &'static [u8])> {
    let (_, bytes) = FILES.iter().find(|(known, _)| *known == name)?;
    Some((Path::new(DIR).join(name), bytes))
}
