//! The log of a protocol's messages, for debugging a client, an opponent or this engine.

use std::fmt::{Display, Write as _};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use thiserror::Error;

/// The most that a process writes into one log, in MiB: an engine that never stops talking would fill
/// the disk. Remarks, which are few, still follow.
const MAX_MIB: u64 = 32;

/// A line for each message: its time in seconds since 1970, the party if the log has several, its
/// direction (`<` received, `>` sent, `!` from standard error, `#` a remark of ours) and its text.
/// Copies write to the same place. A log that cannot be written, for example on a full disk, disturbs no
/// game: it ends, and [`Log::error`] says so.
#[derive(Clone, Default)]
pub struct Log(Vec<Output>);

/// A log cannot be written.
#[derive(Debug, Error)]
#[error("cannot write the log {path}")]
pub struct LogError {
    /// The file.
    pub(crate) path: PathBuf,
    /// The system's reason.
    #[source]
    pub(crate) error: io::Error,
}

/// Where a log goes.
#[derive(Clone)]
struct Output {
    /// The two parties; empty if they are clear.
    who: Arc<str>,
    file: SharedLogFile,
}

/// The file of a log; `None` while nothing is logged.
pub(crate) type SharedLogFile = Arc<Mutex<Option<LogFile>>>;

/// A file that is added to.
#[derive(Debug)]
pub(crate) struct LogFile {
    path: PathBuf,
    /// `None` after a failure.
    file: Option<File>,
    /// Bytes that it may still get; `None` once it is cut.
    room: Option<u64>,
    error: Option<LogError>,
}

impl LogFile {
    pub(crate) fn open(path: &Path) -> Result<LogFile, LogError> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let path = path.to_owned();
        match file {
            Ok(file) => {
                let room = Some(MAX_MIB << 20);
                Ok(LogFile { path, file: Some(file), room, error: None })
            }
            Err(error) => Err(LogError { path, error }),
        }
    }

    /// Adds a line, in one piece: several connections may append to one file, each through its own handle.
    fn add(&mut self, line: &str, is_remark: bool) {
        let left = self.room.and_then(|room| room.checked_sub(line.len() as u64));
        let mut text = String::new();
        if self.room.is_some() && left.is_none() {
            let _ = writeln!(text, "# cut here: more than {MAX_MIB} MiB");
        }
        self.room = left;
        if left.is_some() || is_remark {
            text.push_str(line);
        }
        let Some(file) = &mut self.file else { return };
        if let Err(error) = file.write_all(text.as_bytes()) {
            self.file = None;
            self.error = Some(LogError { path: self.path.clone(), error });
        }
    }

    /// Why nothing is written any more, the first time that it is asked for.
    pub(crate) fn take_error(&mut self) -> Option<LogError> {
        self.error.take()
    }
}

impl Log {
    /// A log that keeps nothing.
    #[must_use]
    pub fn none() -> Log {
        Log(Vec::new())
    }

    /// A log that is added to this file.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> Result<Log, LogError> {
        Ok(Log::of("", &Arc::new(Mutex::new(Some(LogFile::open(path)?)))))
    }

    /// A log into this file, shared with others, for the messages of this party.
    pub(crate) fn of(who: &str, file: &SharedLogFile) -> Log {
        Log(vec![Output { who: who.into(), file: Arc::clone(file) }])
    }

    /// This log and another one.
    pub(crate) fn and(mut self, other: Log) -> Log {
        self.0.extend(other.0);
        self
    }

    /// Why nothing is written any more, the first time that it is asked for.
    #[must_use]
    pub fn error(&self) -> Option<LogError> {
        self.0.iter().find_map(|output| output.file.lock().as_mut()?.take_error())
    }

    /// Writes a remark.
    pub fn remark(&self, text: impl Display) {
        self.add('#', text, true);
    }

    /// Writes a line.
    pub(crate) fn line(&self, mark: char, text: impl Display) {
        self.add(mark, text, false);
    }

    fn add(&self, mark: char, text: impl Display, is_remark: bool) {
        if self.0.is_empty() {
            return;
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        for Output { who, file } in &self.0 {
            let gap = if who.is_empty() { "" } else { " " };
            let line = format!("{:.3}{gap}{who} {mark} {text}\n", since.as_secs_f64());
            if let Some(file) = file.lock().as_mut() {
                file.add(&line, is_remark);
            }
        }
    }
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Log").field(&self.0.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_log_that_never_ends_is_cut_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        let log = Log::open(&path).unwrap();
        let text = "x".repeat(1 << 20);
        for _ in 0..=MAX_MIB {
            log.line('!', &text);
        }
        log.remark("the end");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.len() <= (MAX_MIB as usize) << 20, "{}", text.len());
        let last: Vec<&str> = text.lines().rev().take(2).collect();
        assert!(last[0].ends_with(" # the end"), "{last:?}");
        assert_eq!(last[1], format!("# cut here: more than {MAX_MIB} MiB"));
        assert!(log.error().is_none());
    }

    /// What is written there finds a full disk.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_log_that_cannot_be_written_says_so_once() {
        let log = Log::open(Path::new("/dev/full")).unwrap();
        let copy = log.clone();
        assert!(log.error().is_none());
        copy.line('<', "hub");
        let error = log.error().unwrap();
        assert_eq!(error.to_string(), "cannot write the log /dev/full");
        log.remark("more");
        assert!(copy.error().is_none());
        assert!(Log::open(Path::new("/nowhere/x.log")).is_err());
    }
}
