//! Folders of databases.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// An empty folder, which stays until the next run of the tests empties it again.
pub fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// The database files of a folder with their contents, checksums included.
pub fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    let files = named.filter(|(name, _)| name.starts_with("db"));
    files.map(|(name, path)| (name, fs::read(path).unwrap())).collect()
}
