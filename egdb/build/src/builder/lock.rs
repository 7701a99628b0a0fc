//! Keeps builders in one folder apart.
//!
//! A build of the whole folder holds `build.lock` exclusively. A process that solves one slice or
//! writes the files of one piece count shares it with others like it, and holds `work/2110.lock` or
//! `work/packed-4.lock` exclusively. A lock ends with the process. The files stay, since removing
//! one that another process has just opened would let a third one in; they name their last owner.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use super::error::BuildError;
use egdb::slice::Slice;
use meerslag_files::exclusive::{self, LockedFile};

/// What a builder is going to write.
#[derive(Clone, Copy, Debug)]
pub(super) enum BuildScope {
    All,
    Slice(Slice),
    /// The files of a piece count.
    Pack(u8),
    /// The files of a slice.
    PackSlice(Slice),
}

/// While this lives, no other process writes what was claimed.
#[derive(Debug)]
pub(super) struct Lock {
    _files: Vec<LockedFile>,
}

impl Lock {
    /// Claims something of a folder that has a folder `work`.
    pub(super) fn take(dir: &Path, claim: BuildScope) -> Result<Lock, BuildError> {
        let folder = dir.join("build.lock");
        let work = dir.join("work");
        let (name, lock) = match claim {
            BuildScope::All => return Ok(Lock { _files: vec![alone(dir, &folder)?] }),
            BuildScope::Slice(slice) => (format!("{slice}.raw"), format!("{slice}.lock")),
            BuildScope::PackSlice(slice) => {
                (format!("packed-{slice}"), format!("packed-{slice}.lock"))
            }
            BuildScope::Pack(pieces) => {
                (format!("packed-{pieces}"), format!("packed-{pieces}.lock"))
            }
        };
        let made = OpenOptions::new().create(true).append(true).open(&folder);
        let shared = made.map_err(exclusive::Error::Io);
        let shared = shared.and_then(|_| exclusive::open_shared(&folder));
        let shared = shared.map_err(|error| failed(dir, &folder, error))?;
        Ok(Lock { _files: vec![shared, alone(&work.join(name), &work.join(lock))?] })
    }
}

/// Opens a lock file exclusively and writes who we are.
fn alone(what: &Path, lock: &Path) -> Result<LockedFile, BuildError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = exclusive::open(lock, &mut options).map_err(|error| failed(what, lock, error))?;
    let mut name = format!("process {}", std::process::id());
    // On Linux, for folders that several machines share.
    if let Ok(host) = fs::read_to_string("/proc/sys/kernel/hostname") {
        name = format!("{name} on {}", host.trim());
    }
    let written = file.set_len(0).and_then(|()| (&*file).write_all(name.as_bytes()));
    written.map_err(|source| BuildError::Io { file: lock.to_owned(), source })?;
    Ok(file)
}

fn failed(what: &Path, lock: &Path, error: exclusive::Error) -> BuildError {
    match error {
        exclusive::Error::InUse => BuildError::InUse { what: what.to_owned(), by: owner(lock) },
        exclusive::Error::Io(source) => BuildError::Io { file: lock.to_owned(), source },
    }
}

/// The owner of a lock that we cannot get: the process named in it or, if several share it, one of
/// them, from its own lock.
fn owner(lock: &Path) -> String {
    let shared = exclusive::open_shared(lock).is_ok();
    let named = |file: &Path| fs::read_to_string(file).ok().filter(|text| !text.is_empty());
    let found = if shared {
        let work = lock.with_file_name("work");
        let files = fs::read_dir(work).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut locks = files.filter(|file| file.extension().is_some_and(|e| e == "lock"));
        locks.find(|file| is_held(file)).and_then(|file| {
            let unit = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            named(&file).map(|name| format!("{name} ({unit})"))
        })
    } else {
        named(lock)
    };
    found.unwrap_or_else(|| "another process".into())
}

fn is_held(lock: &Path) -> bool {
    matches!(exclusive::open_shared(lock), Err(exclusive::Error::InUse))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(dir: &Path, claim: BuildScope) -> String {
        match Lock::take(dir, claim) {
            Err(error @ BuildError::InUse { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_builder_for_all_or_several_for_parts() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("work")).unwrap();
        let me = format!("process {}", std::process::id());
        let [first, second] =
            ["2110", "1101"].map(|digits| BuildScope::Slice(digits.parse().unwrap()));

        let all = Lock::take(dir.path(), BuildScope::All).unwrap();
        for claim in [BuildScope::All, first, BuildScope::Pack(3)] {
            let message = refused(dir.path(), claim);
            assert!(message.contains(&me) && !message.contains("2110"), "{message}");
        }
        drop(all);

        let parts =
            [first, second, BuildScope::Pack(3)].map(|c| Lock::take(dir.path(), c).unwrap());
        let message = refused(dir.path(), first);
        assert!(message.contains(&me) && message.contains("2110.raw"), "{message}");
        let message = refused(dir.path(), BuildScope::All);
        assert!(message.contains(&me), "{message}");
        drop(parts);
        Lock::take(dir.path(), BuildScope::All).unwrap();
    }
}
