//! A disk with state files. A plan may cut off a write: the power goes, or the disk is full.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use meerslag_files::exclusive::{self, OwnedFile};
use movegen::Game;
use parking_lot::Mutex;

use super::machine::Machine;
use super::plan::Fate;

/// What is on it, which outlives the machine.
#[derive(Default)]
pub struct Disk {
    files: Mutex<BTreeMap<PathBuf, Contents>>,
    /// The next write that does not succeed.
    cut: Mutex<Option<Cut>>,
    /// What the engines were asked: the checks know it, the runners do not.
    asked: Mutex<HashMap<(usize, String), Vec<Question>>>,
}

/// What an engine was asked, and what it meant to do.
#[derive(Clone, Debug)]
pub struct Question {
    /// When, by the time of the machine.
    pub asked: Duration,
    /// When the answer was out, if there was one.
    pub answered: Option<Duration>,
    pub fate: Fate,
}

/// A position of a game as an engine is asked about it.
fn question_key(engine: usize, game: &Game) -> (usize, String) {
    let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
    (engine, format!("{} {}", game.start().to_fen(), moves.join(" ")))
}

#[derive(Clone, Default)]
struct Contents {
    bytes: Vec<u8>,
    owner: Arc<AtomicBool>,
}

/// A write that does not succeed.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// So many others come before it.
    pub after: u32,
    /// What gets through, in 256ths.
    pub part: usize,
    /// The disk is full for so many writes; 0: the power goes.
    pub full: u32,
}

impl Disk {
    /// Plans the next failure.
    pub fn plan(&self, cut: Option<Cut>) {
        *self.cut.lock() = cut;
    }

    /// Removes a file.
    pub fn remove(&self, path: &Path) {
        self.files.lock().remove(path);
    }

    /// Notes a question, and returns its number among those in this position.
    pub fn note(&self, engine: usize, game: &Game, question: Question) -> usize {
        let mut asked = self.asked.lock();
        let all = asked.entry(question_key(engine, game)).or_default();
        all.push(question);
        all.len() - 1
    }

    /// Corrects the moment of an answer.
    pub fn note_answer(&self, engine: usize, game: &Game, number: usize, at: Duration) {
        let mut asked = self.asked.lock();
        let all = asked.entry(question_key(engine, game)).or_default();
        all[number].answered = Some(at);
    }

    /// What an engine was asked in this position of a game.
    pub fn questions(&self, engine: usize, game: &Game) -> Vec<Question> {
        self.asked.lock().get(&question_key(engine, game)).cloned().unwrap_or_default()
    }

    pub fn open(
        machine: Arc<Machine>,
        path: &Path,
        is_new: bool,
    ) -> Result<Box<dyn OwnedFile>, exclusive::Error> {
        let mut files = machine.disk.files.lock();
        match (files.contains_key(path), is_new) {
            (true, true) => return Err(exclusive::Error::Io(ErrorKind::AlreadyExists.into())),
            (false, false) => return Err(exclusive::Error::Io(ErrorKind::NotFound.into())),
            _ => {}
        }
        let owner = Arc::clone(&files.entry(path.to_owned()).or_default().owner);
        if owner.swap(true, Ordering::SeqCst) {
            return Err(exclusive::Error::InUse);
        }
        drop(files);
        Ok(Box::new(OpenFile { machine, path: path.to_owned(), at: 0, owner }))
    }

    /// How much of a write gets through, and whether the power goes then.
    fn cut(&self, length: usize) -> (usize, bool) {
        let mut cut = self.cut.lock();
        match &mut *cut {
            None => (length, false),
            Some(Cut { after: 0, part, full: 0 }) => {
                let part = length * *part / 256;
                *cut = None;
                (part, true)
            }
            Some(Cut { after: 0, part, full }) => {
                let part = length * std::mem::take(part) / 256;
                *full -= 1;
                if *full == 0 {
                    *cut = None;
                }
                (part, false)
            }
            Some(Cut { after, .. }) => {
                *after -= 1;
                (length, false)
            }
        }
    }
}

/// A file in use.
struct OpenFile {
    machine: Arc<Machine>,
    path: PathBuf,
    at: usize,
    owner: Arc<AtomicBool>,
}

impl OpenFile {
    fn with<T>(&self, work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        work(&mut self.machine.disk.files.lock().entry(self.path.clone()).or_default().bytes)
    }
}

impl Read for OpenFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.with(|bytes| (&bytes[self.at.min(bytes.len())..]).read(buffer))?;
        self.at += read;
        Ok(read)
    }
}

impl Write for OpenFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.machine.is_halted() {
            self.machine.crash();
            return Err(ErrorKind::Other.into());
        }
        let (part, is_crash) = self.machine.disk.cut(bytes.len());
        self.with(|contents| contents.extend_from_slice(&bytes[..part]));
        if is_crash {
            self.machine.crash();
        }
        if part == 0 { Err(ErrorKind::StorageFull.into()) } else { Ok(part) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for OpenFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = match to {
            SeekFrom::Start(at) => at as usize,
            SeekFrom::End(_) => self.with(|bytes| bytes.len()),
            SeekFrom::Current(by) => self.at.saturating_add_signed(by as isize),
        };
        Ok(self.at as u64)
    }
}

impl OwnedFile for OpenFile {
    fn is_at(&self, _path: &Path) -> bool {
        true
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.with(|bytes| bytes.truncate(length as usize));
        Ok(())
    }

    fn remove(self: Box<Self>, path: &Path) -> io::Result<()> {
        self.machine.disk.files.lock().remove(path);
        Ok(())
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        self.owner.store(false, Ordering::SeqCst);
    }
}

impl fmt::Debug for OpenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpenFile").field(&self.path).finish()
    }
}
