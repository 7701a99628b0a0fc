//! Processes that leave a note: a file in a folder, named after their number.

use std::fs;
use std::path::Path;

use crate::client::until;

/// Whether a process of this number exists; one that only waits to be reaped does not count.
#[must_use]
pub fn is_alive(pid: &str) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}

/// The processes that left a note in the folder.
///
/// # Panics
/// If there is no such folder.
#[must_use]
pub fn noted(pids: &Path) -> Vec<String> {
    let entries = fs::read_dir(pids).expect("the folder is there");
    let name = |entry: fs::DirEntry| entry.file_name().into_string().expect("a number");
    entries.map(|entry| name(entry.expect("readable"))).collect()
}

/// Waits until none of the processes that left a note in the folder lives, since the system may need
/// a moment to finish off a killed process; returns how many there were.
///
/// # Panics
/// If one lives on.
#[track_caller]
pub fn assert_no_orphans(pids: &Path) -> usize {
    let names = noted(pids);
    for pid in &names {
        until(&format!("the end of process {pid}"), || !is_alive(pid));
    }
    names.len()
}
