//! Files that commands write. One rule for all: logs are appended to; anything else is a new file,
//! which replaces an existing one in one step, and only with `--force` or if the user agrees. `-` is
//! standard output, and then everything else that the command says goes to standard error.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use meerslag_files::{Existing, NewFile, standard_output};
use meerslag_harness::protocol::Log;

use super::Failure;
use super::streams::{self, note};

/// What to do with existing output files.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct ForceArgs {
    /// Replace output files that exist; without it they are refused
    #[arg(long)]
    force: bool,
}

impl ForceArgs {
    pub(super) const fn existing(self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }
}

/// Whether a new file would replace something at this path; pipes and terminals are not replaced.
pub(super) fn is_there(path: &Path) -> bool {
    given(path).is_some() && fs::metadata(path).is_ok_and(|data| data.is_file())
}

/// Whether this is a device such as a terminal or a pipe, without old content.
pub(super) fn is_special(path: &Path) -> bool {
    given(path).is_none() || fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir())
}

/// Refuses files that cannot be written, before the work.
pub(super) fn check(path: &Path, existing: Existing) -> Result<(), Failure> {
    if existing == Existing::Keep && is_there(path) {
        return Err(Failure::Input(anyhow!("{} exists: --force replaces it", path.display())));
    }
    if given(path).is_none() {
        streams::give_away_stdout();
    }
    if is_special(path) {
        return Ok(());
    }
    NewFile::create(path, existing).map_err(|error| named(path, &error))?;
    Ok(())
}

/// The command line's name for a file, such as `--out`, and the file if it is given.
pub(super) type Named<'a> = (&'a str, Option<&'a Path>);

/// The file that is meant; `None` for `-`, standard input or output.
pub(super) fn given(path: &Path) -> Option<&Path> {
    (path.as_os_str() != "-").then_some(path)
}

/// Refuses, before the work, an output that is also an input, or another output: one would replace
/// the other.
pub(super) fn check_distinct(read: &[Named<'_>], written: &[Named<'_>]) -> Result<(), Failure> {
    let inputs = read.iter().filter_map(|&(name, path)| Some((name, given(path?)?)));
    let mut seen: Vec<(&str, Identity)> =
        inputs.filter_map(|(name, path)| Some((name, Identity::of(path)?))).collect();
    for &(name, path) in written {
        let Some(path) = path else { continue };
        let Some(identity) = Identity::of(path) else { continue };
        if let Some((other, _)) = seen.iter().find(|(_, other)| *other == identity) {
            let path = path.display();
            return Err(Failure::Input(anyhow!("{other} and {name} are the same file, {path}")));
        }
        seen.push((name, identity));
    }
    Ok(())
}

/// The paths without repeated ones for the same file, which are reported on standard error.
pub(super) fn each_once(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut seen: Vec<Identity> = Vec::new();
    let mut list = Vec::new();
    for path in paths {
        if let Some(identity) = Identity::of(path) {
            if seen.contains(&identity) {
                let path = path.display();
                note(format_args!("warning: {path} is given more than once: read once"));
                continue;
            }
            seen.push(identity);
        }
        list.push(path.clone());
    }
    list
}

/// The file or folder that a path leads to, independent of its name.
#[derive(PartialEq, Eq, Debug)]
enum Identity {
    /// Device and number of an existing file.
    #[cfg(unix)]
    Node(u64, u64),
    /// The path without links and detours.
    Path(PathBuf),
}

impl Identity {
    /// `None` for terminals, pipes and other devices, where nothing is replaced.
    fn of(path: &Path) -> Option<Identity> {
        if given(path).is_none() {
            return Some(Identity::Path(path.to_owned()));
        }
        if is_special(path) {
            return None;
        }
        #[cfg(unix)]
        if let Ok(data) = fs::metadata(path) {
            use std::os::unix::fs::MetadataExt;
            return Some(Identity::Node(data.dev(), data.ino()));
        }
        let place = place(path);
        // Most file systems there ignore case.
        if cfg!(any(windows, target_os = "macos")) {
            return Some(Identity::Path(place.to_string_lossy().to_lowercase().into()));
        }
        Some(Identity::Path(place))
    }
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

/// Writes a new file.
pub(super) fn write(path: &Path, bytes: &[u8], existing: Existing) -> io::Result<()> {
    write_all(&[(path, bytes)], existing)
}

/// Writes new files; none gets its name before all are written.
pub(super) fn write_all(files: &[(&Path, &[u8])], existing: Existing) -> io::Result<()> {
    let begin = |path: &Path, bytes: &[u8]| {
        let mut file = NewFile::create(path, existing)?;
        file.write_all(bytes)?;
        file.flush()?;
        Ok(file)
    };
    let named = |path| move |error| named(path, &error);
    let begun = files.iter().map(|&(path, bytes)| begin(path, bytes).map_err(named(path)));
    let begun = begun.collect::<io::Result<Vec<NewFile>>>()?;
    let mut begun = files.iter().zip(begun);
    begun.try_for_each(|(&(path, _), file)| file.finish().map_err(named(path)))
}

/// An error in writing a file, with the file's name.
pub(super) fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display()))
}

/// The log in this file, which is added to, or none.
pub(super) fn log_or_none(path: Option<&Path>) -> Result<Log, Failure> {
    let Some(path) = path else { return Ok(Log::none()) };
    if given(path).is_none() {
        return Err(Failure::Input(anyhow!("a log cannot go to standard output: name a file")));
    }
    Log::open(path).map_err(Failure::run)
}

/// A failure if the log could not be written.
pub(super) fn check_log(log: &Log) -> Result<(), Failure> {
    log.error().map_or(Ok(()), |error| Err(Failure::run(error)))
}

/// A file that results are added to as they come. It appears with the first of them; until then an
/// existing file stays as it was.
#[derive(Debug)]
pub(super) struct GrowingFile {
    path: PathBuf,
    existing: Existing,
    file: Option<File>,
}

impl GrowingFile {
    /// # Errors
    /// If an existing file must be kept, or none can be written here.
    pub(super) fn new(path: &Path, existing: Existing) -> Result<GrowingFile, Failure> {
        check(path, existing)?;
        Ok(GrowingFile { path: path.to_owned(), existing, file: None })
    }

    /// Whether nothing has been added yet.
    pub(super) const fn is_new(&self) -> bool {
        self.file.is_none()
    }

    /// Begins again: the next addition replaces all of the file. `false` if that is impossible,
    /// since it is not a file.
    pub(super) fn restart(&mut self) -> bool {
        if is_special(&self.path) {
            return false;
        }
        if self.file.take().is_some() {
            self.existing = Existing::Replace;
        }
        true
    }

    /// Sorts the additions by their keys; `parts` are the keys with the lengths of the additions.
    pub(super) fn sort<K: Ord + Copy>(&mut self, parts: &mut [(K, usize)]) -> io::Result<()> {
        if is_special(&self.path) || self.file.is_none() {
            return Ok(());
        }
        let named = |error: io::Error| named(&self.path, &error);
        let old = fs::read(&self.path).map_err(named)?;
        let mut begin = 0;
        let mut ranges = Vec::new();
        for &(key, length) in &*parts {
            ranges.push((key, begin..begin + length));
            begin += length;
        }
        if begin != old.len() {
            // Another process has written to it.
            return Ok(());
        }
        ranges.sort_by_key(|(key, _)| *key);
        let text: Vec<u8> =
            ranges.into_iter().flat_map(|(_, range)| old[range].iter().copied()).collect();
        write(&self.path, &text, Existing::Replace)?;
        self.file = Some(OpenOptions::new().append(true).open(&self.path).map_err(named)?);
        parts.sort_by_key(|(key, _)| *key);
        Ok(())
    }

    /// Adds this to the file, in one piece.
    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        let named = |error: io::Error| named(&self.path, &error);
        if bytes.is_empty() {
            return Ok(());
        }
        if let Some(file) = &mut self.file {
            return file.write_all(bytes).map_err(named);
        }
        let is_special = is_special(&self.path);
        if !is_special {
            write(&self.path, bytes, self.existing)?;
        }
        let mut file = match given(&self.path) {
            None => standard_output().map_err(named)?,
            Some(path) => OpenOptions::new().append(true).open(path).map_err(named)?,
        };
        if is_special {
            file.write_all(bytes).map_err(named)?;
        }
        self.file = Some(file);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_file_takes_the_place_of_another_one_with_its_first_result() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pdn");
        fs::write(&path, "old").unwrap();
        let error = GrowingFile::new(&path, Existing::Keep).unwrap_err();
        assert!(matches!(error, Failure::Input(error) if error.to_string().contains("--force")));
        let mut file = GrowingFile::new(&path, Existing::Replace).unwrap();
        file.add(b"").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.add(b"none").unwrap();
        assert!(file.restart() && file.is_new());
        file.add(b"one ").unwrap();
        file.add(b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_growing_file_can_be_put_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pdn");
        let mut file = GrowingFile::new(&path, Existing::Keep).unwrap();
        for text in ["three ", "one ", "two "] {
            file.add(text.as_bytes()).unwrap();
        }
        let mut parts = [(3, 6), (1, 4), (2, 4)];
        file.sort(&mut parts).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one two three ");
        file.add(b"four").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one two three four");
        // Additions by others stay where they are.
        file.sort(&mut parts).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one two three four");
    }

    #[test]
    fn a_file_is_the_same_by_whatever_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("games.pdn"), "1. 32-28 *").unwrap();
        fs::create_dir(path("sub")).unwrap();
        let check = |read: &str, out: &str, html: &str| {
            let (read, out, html) = (path(read), path(out), path(html));
            let written = [("--out", Some(&*out)), ("--html", Some(&*html))];
            check_distinct(&[("FILE", Some(&read))], &written)
        };
        check("games.pdn", "new.pdn", "new.html").unwrap();
        let mut same = vec![
            ("games.pdn", "games.pdn", "x", "FILE and --out"),
            ("games.pdn", "x", "sub/../games.pdn", "FILE and --html"),
            // Neither exists yet.
            ("games.pdn", "x", "sub/../x", "--out and --html"),
            ("none.pdn", "sub/../none.pdn", "x", "FILE and --out"),
        ];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(path("games.pdn"), path("link.pdn")).unwrap();
            fs::hard_link(path("games.pdn"), path("twin.pdn")).unwrap();
            same.push(("games.pdn", "link.pdn", "x", "FILE and --out"));
            same.push(("twin.pdn", "x", "games.pdn", "FILE and --html"));
        }
        for (read, out, html, names) in same {
            let Err(Failure::Input(error)) = check(read, out, html) else {
                panic!("{read}, {out} and {html} are not refused");
            };
            assert!(error.to_string().starts_with(names), "{error}");
        }
        let paths = ["games.pdn", "sub/../games.pdn", "x"].map(path);
        assert_eq!(each_once(&paths), [path("games.pdn"), path("x")]);
    }

    #[cfg(unix)]
    #[test]
    fn several_things_may_go_to_the_same_terminal_or_nowhere() {
        let null = Some(Path::new("/dev/null"));
        check_distinct(&[("FILE", null)], &[("--out", null), ("--html", null)]).unwrap();
    }

    #[test]
    fn a_file_that_comes_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pdn");
        let mut file = GrowingFile::new(&path, Existing::Keep).unwrap();
        fs::write(&path, "somebody else's").unwrap();
        let error = file.add(b"ours").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"somebody else's");
    }
}
