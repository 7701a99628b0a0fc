//! No file of a match overwrites another one.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::MatchArgs;

/// The files that are written beside the state, without links and detours.
pub(super) fn outputs(args: &MatchArgs) -> Vec<PathBuf> {
    [&args.pdn, &args.csv, &args.html].into_iter().flatten().map(|path| place(path)).collect()
}

/// Refuses two options with the same file, at least one of which is written.
pub(super) fn check(args: &MatchArgs) -> anyhow::Result<()> {
    let openings = Path::new(&args.openings);
    let given = [
        ("--openings", openings.is_file().then_some(openings)),
        ("--state", args.state.as_deref()),
        ("--pdn", args.pdn.as_deref()),
        ("--csv", args.csv.as_deref()),
        ("--html", args.html.as_deref()),
    ];
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for (option, path) in given {
        let Some(path) = path else { continue };
        // Several outputs may go to the same terminal, or nowhere.
        if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
            continue;
        }
        let place = place(path);
        if let Some((other, _)) = seen.iter().find(|(_, other)| *other == place) {
            bail!("{other} and {option} are the same file, {}", path.display());
        }
        seen.push((option, place));
    }
    Ok(())
}

/// The path without links and detours, also if there is no such file yet.
pub(super) fn place(path: &Path) -> PathBuf {
    if let Ok(whole) = fs::canonicalize(path) {
        return whole;
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match (fs::canonicalize(parent.unwrap_or(Path::new("."))), path.file_name()) {
        (Ok(parent), Some(name)) => parent.join(name),
        _ => path.to_owned(),
    }
}
