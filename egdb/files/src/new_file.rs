//! Files that appear under their name only when they are complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

/// What to do with an existing file of this name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    /// It stays; writing fails with [`io::ErrorKind::AlreadyExists`].
    Keep,
    /// The new file takes its place, in one step.
    Replace,
}

/// A file being written. Its content is in a temporary file in the same folder until
/// [`NewFile::finish`]; dropped before, it leaves no file, and an existing file stays as it was. A
/// killed process leaves `NAME.abc123.tmp`, which the next file of that name removes.
///
/// A pipe, a terminal, `/dev/null` or `-` (standard output) has no old content to keep, and is
/// written directly.
#[derive(Debug)]
pub struct NewFile {
    out: BufWriter<File>,
    /// `None` if the output is written directly.
    rename: Option<Rename>,
}

#[derive(Debug)]
struct Rename {
    from: TempPath,
    to: PathBuf,
    existing: Existing,
}

impl NewFile {
    /// Begins a file.
    ///
    /// # Errors
    /// If no file can be made in the folder, if a file of this name must be kept or may not be
    /// written, or if a folder has the name.
    pub fn create(path: &Path, existing: Existing) -> io::Result<NewFile> {
        if path == Path::new("-") {
            return Ok(NewFile { out: buffered(standard_output()?), rename: None });
        }
        // A link stays; the file that it leads to is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let old = match fs::metadata(&path) {
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if let Some(old) = &old {
            if old.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            if !old.is_file() {
                let out = buffered(OpenOptions::new().write(true).open(&path)?);
                return Ok(NewFile { out, rename: None });
            }
            if existing == Existing::Keep {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            if old.permissions().readonly() {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
        }
        let (folder, prefix) = folder_and_prefix(&path);
        remove_leftovers(folder, |name| name == prefix.as_encoded_bytes());
        let (file, from) = temporary(&path)?;
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        // Says that the file is in use, see `remove_leftovers`. Not every file system has locks.
        let _ = file.try_lock();
        Ok(NewFile { out: buffered(file), rename: Some(Rename { from, to: path, existing }) })
    }

    /// Writes what is left, makes sure that it is on the disk, and gives the file its name.
    ///
    /// # Errors
    /// If the disk is full, or if a file that must be kept has appeared there meanwhile.
    pub fn finish(self) -> io::Result<()> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        let Some(Rename { from, to, existing }) = self.rename else { return Ok(()) };
        file.sync_all()?;
        drop(file);
        match existing {
            Existing::Keep => from.persist_noclobber(&to),
            Existing::Replace => from.persist(&to),
        }
        .map_err(|error| error.error)?;
        sync_folder(&to);
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes a whole file, see [`NewFile`].
///
/// # Errors
/// As [`NewFile::create`] and [`NewFile::finish`].
pub fn write_file(path: &Path, bytes: &[u8], existing: Existing) -> io::Result<()> {
    let mut file = NewFile::create(path, existing)?;
    file.write_all(bytes)?;
    file.finish()
}

/// Standard output as a file.
///
/// # Errors
/// If it is closed.
#[allow(
    clippy::disallowed_methods,
    reason = "without a reader, writing to it fails as to any file"
)]
pub fn standard_output() -> io::Result<File> {
    #[cfg(unix)]
    let own = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let own = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned();
    #[cfg(not(any(unix, windows)))]
    let own: io::Result<File> = Err(io::ErrorKind::Unsupported.into());
    own.map(File::from)
}

fn buffered(file: File) -> BufWriter<File> {
    BufWriter::with_capacity(1 << 16, file)
}

const SUFFIX: &str = ".tmp";
/// Random letters of a temporary name.
const LETTERS: usize = 6;
/// Bytes of a file's name that its temporary name has: systems allow 255 in all.
const LONGEST_NAME: usize = 255 - ".".len() - LETTERS - SUFFIX.len();

/// The folder of a file and the part of a temporary name before the random letters.
fn folder_and_prefix(path: &Path) -> (&Path, std::ffi::OsString) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut prefix = path.file_name().unwrap_or_default().to_owned();
    if prefix.len() > LONGEST_NAME {
        let name = prefix.to_string_lossy();
        let end = (0..=LONGEST_NAME).rev().find(|&end| name.is_char_boundary(end));
        prefix = name[..end.unwrap_or(0)].into();
    }
    prefix.push(".");
    (folder.unwrap_or(Path::new(".")), prefix)
}

fn temporary(path: &Path) -> io::Result<(File, TempPath)> {
    let (folder, prefix) = folder_and_prefix(path);
    // The errors of `tempfile` name the temporary file; ours do not.
    let mut cause = None;
    let file = tempfile::Builder::new().prefix(&prefix).suffix(SUFFIX).rand_bytes(LETTERS).make_in(
        folder,
        |path| {
            OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
                let kind = error.kind();
                cause = Some(error);
                kind.into()
            })
        },
    );
    match file {
        Ok(file) => Ok(file.into_parts()),
        Err(error) => Err(cause.unwrap_or(error)),
    }
}

/// Removes the temporary files of a folder that have no lock: their process was killed. `is_of` gets
/// the part of a temporary name before the random letters, with the dot.
pub fn remove_leftovers(folder: &Path, is_of: impl Fn(&[u8]) -> bool) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let rest = name.as_encoded_bytes().strip_suffix(SUFFIX.as_bytes());
        let parts = rest.and_then(|rest| rest.split_at_checked(rest.len().checked_sub(LETTERS)?));
        if parts.is_some_and(|(prefix, letters)| {
            is_of(prefix) && letters.iter().all(u8::is_ascii_alphanumeric)
        }) && entry.file_type().is_ok_and(|kind| kind.is_file())
            && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
        {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes sure that the name is on the disk. The file is complete in any case, and not every file
/// system can do this.
fn sync_folder(path: &Path) {
    if cfg!(unix) {
        let (folder, _) = folder_and_prefix(path);
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn old_content_stays_until_the_new_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        let mut file = NewFile::create(&path, Existing::Replace).unwrap();
        file.write_all(b"new").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(file);
        assert_eq!(names(folder.path()), ["a"]);
        write_file(&path, b"new", Existing::Replace).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn a_file_that_is_to_be_kept_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let file = NewFile::create(&path, Existing::Keep).unwrap();
        fs::write(&path, "meanwhile").unwrap();
        assert_eq!(file.finish().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let error = write_file(&path, b"later", Existing::Keep).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"meanwhile");
        assert_eq!(names(folder.path()), ["a"]);
        let error = write_file(folder.path(), b"", Existing::Replace).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
    }

    #[test]
    fn only_what_a_killed_process_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for name in ["a.Qw3rTy.tmp", "a.b.tmp", "b.Qw3rTy.tmp"] {
            fs::write(folder.path().join(name), "left").unwrap();
        }
        let mut first = NewFile::create(&path, Existing::Replace).unwrap();
        write_file(&path, b"second", Existing::Replace).unwrap();
        first.write_all(b"first").unwrap();
        first.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names(folder.path()), ["a", "a.b.tmp", "b.Qw3rTy.tmp"]);
    }

    #[test]
    fn the_longest_names_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        // Two bytes each.
        let long = "\u{e9}".repeat(127) + "x";
        let others = ["a".repeat(244), "a".repeat(245), "a".repeat(255)];
        for name in others.iter().chain([&long]) {
            let path = folder.path().join(name);
            for content in ["old", "new"] {
                write_file(&path, content.as_bytes(), Existing::Replace).unwrap();
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        }
        let left = format!("{}.Qw3rTy.tmp", "a".repeat(244));
        fs::write(folder.path().join(&left), "left").unwrap();
        let _file = NewFile::create(&folder.path().join(&others[2]), Existing::Replace).unwrap();
        assert!(!folder.path().join(left).exists());
        assert_eq!(names(folder.path()).len(), 5);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        write_file(&link, b"new", Existing::Replace).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        write_file(Path::new("/dev/null"), b"new", Existing::Keep).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
