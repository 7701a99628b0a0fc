//! Mistakes are repeated after growing intervals, as on the board in the browser
//! (`engine/web/repeat.js`).

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use meerslag_files::exclusive::{self, LockedFile, OwnedFile};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::checked::{checked, unchecked};

const MINUTE: u64 = 60;
const DAY: u64 = 24 * 60 * MINUTE;
/// Seconds until an exercise is repeated: first after a mistake, then after each right answer. The
/// board in the browser has the same.
pub const INTERVALS: [u64; 6] = [10 * MINUTE, DAY, 3 * DAY, 7 * DAY, 21 * DAY, 60 * DAY];
/// The version of files of scores.
const VERSION: u32 = 1;

/// The first line of a file of scores.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    /// Version of the format.
    scores: u32,
}

/// When an exercise is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Repeat {
    /// The step in the intervals.
    step: usize,
    /// The time, in seconds since 1970.
    pub due: u64,
}

/// How well an exercise is known.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Standing {
    /// How often it was right.
    pub right: u32,
    /// How often it was wrong.
    pub wrong: u32,
    /// When it is due, if it is to be repeated.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub repeat: Option<Repeat>,
}

/// A line of the file: how well an exercise is known from then on.
#[derive(Serialize, Deserialize)]
struct Try {
    id: String,
    #[serde(flatten)]
    standing: Standing,
}

/// Why scores cannot be read or kept.
#[derive(Debug, Error)]
pub enum RepetitionError {
    /// Reading or writing fails.
    #[error("cannot write {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
    /// Another process has it.
    #[error("{0} is in use: another process keeps its scores there")]
    InUse(PathBuf),
    /// Not a file of scores, or of another version.
    #[error("{0} is not a file of scores")]
    Other(PathBuf),
}

/// How many exercises of a list are in each state.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ExerciseTally {
    /// To be repeated now.
    pub due: usize,
    /// Never tried.
    pub new: usize,
    /// To be repeated later.
    pub later: usize,
    /// Known, not to be repeated.
    pub known: usize,
}

/// The scores of exercises, by name. Each try is a line at the end of a file, written at once; of
/// several lines with one name the last counts.
#[derive(Debug)]
pub struct Repetition {
    path: PathBuf,
    file: LockedFile,
    known: BTreeMap<String, Standing>,
}

impl Repetition {
    /// Opens the scores of a file, which is made if it is missing. Calls `damaged` with the number
    /// of each damaged line, from 1; such lines are ignored.
    ///
    /// # Errors
    /// If the file cannot be read and written, is not a file of scores, or another process has it.
    pub fn open(
        path: &Path,
        mut damaged: impl FnMut(usize),
    ) -> Result<Repetition, RepetitionError> {
        let failed = |error| RepetitionError::Io { path: path.to_owned(), error };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = exclusive::open(path, &mut options).map_err(|error| match error {
            exclusive::Error::InUse => RepetitionError::InUse(path.to_owned()),
            exclusive::Error::Io(error) => failed(error),
        })?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;
        let Some(known) = read(&text, path, &mut damaged)? else {
            let json = serde_json::to_vec(&Header { scores: VERSION });
            let json = json.map_err(|error| failed(error.into()))?;
            file.set_len(0).and_then(|()| file.rewind()).map_err(failed)?;
            file.write_all(&checked(&json)).map_err(failed)?;
            return Ok(Repetition { path: path.to_owned(), file, known: BTreeMap::new() });
        };
        // A line without an end was cut off by an interruption.
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Repetition { path: path.to_owned(), file, known })
    }

    /// How well an exercise is known.
    #[must_use]
    pub fn of(&self, id: &str) -> Standing {
        self.known.get(id).copied().unwrap_or_default()
    }

    /// Records a right answer at this time, in seconds since 1970: a repeated exercise is due
    /// later, and after the last interval no more.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn right(&mut self, id: &str, now: u64) -> Result<(), RepetitionError> {
        let Standing { right, wrong, repeat } = self.of(id);
        let next = repeat.map(|Repeat { step, .. }| step + 1);
        let repeat = next.and_then(|step| Some(Repeat { step, due: now + INTERVALS.get(step)? }));
        self.keep(id, Standing { right: right.saturating_add(1), wrong, repeat })
    }

    /// Records a wrong answer at this time: the exercise is due soon.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn wrong(&mut self, id: &str, now: u64) -> Result<(), RepetitionError> {
        let Standing { right, wrong, .. } = self.of(id);
        let repeat = Some(Repeat { step: 0, due: now + INTERVALS[0] });
        self.keep(id, Standing { right, wrong: wrong.saturating_add(1), repeat })
    }

    /// The place of the next one of these: those due come first, longest due first; then new ones;
    /// then those to be repeated later. `None` if all are known.
    #[must_use]
    pub fn next<'a>(&self, ids: impl Iterator<Item = &'a str>, now: u64) -> Option<usize> {
        let rank = |id: &str| match self.known.get(id) {
            Some(Standing { repeat: Some(Repeat { due, .. }), .. }) if *due <= now => {
                Some((0, *due))
            }
            None => Some((1, 0)),
            Some(Standing { repeat: Some(Repeat { due, .. }), .. }) => Some((2, *due)),
            Some(_) => None,
        };
        let ranked = ids.enumerate().filter_map(|(place, id)| Some((rank(id)?, place)));
        ranked.min().map(|(_, place)| place)
    }

    /// The state of these at this time.
    #[must_use]
    pub fn tally<'a>(&self, ids: impl Iterator<Item = &'a str>, now: u64) -> ExerciseTally {
        let mut tally = ExerciseTally::default();
        for id in ids {
            let count = match self.known.get(id) {
                None => &mut tally.new,
                Some(Standing { repeat: Some(repeat), .. }) if repeat.due <= now => &mut tally.due,
                Some(Standing { repeat: Some(_), .. }) => &mut tally.later,
                Some(_) => &mut tally.known,
            };
            *count += 1;
        }
        tally
    }

    fn keep(&mut self, id: &str, standing: Standing) -> Result<(), RepetitionError> {
        let line = Try { id: id.to_owned(), standing };
        let json = serde_json::to_vec(&line).map_err(io::Error::from);
        let written = json.and_then(|json| self.file.add(&checked(&json)));
        written.map_err(|error| RepetitionError::Io { path: self.path.clone(), error })?;
        self.known.insert(line.id, standing);
        Ok(())
    }
}

/// The scores in the text of a file; `None` before its first line was written.
fn read(
    text: &[u8],
    path: &Path,
    damaged: &mut dyn FnMut(usize),
) -> Result<Option<BTreeMap<String, Standing>>, RepetitionError> {
    let mut lines =
        text.split_inclusive(|&byte| byte == b'\n').map_while(|it| it.strip_suffix(b"\n"));
    let header = match lines.next() {
        // A program that was killed while it wrote the first line leaves a part of it.
        None if checked(br#"{"scores":1}"#).starts_with(text) => return Ok(None),
        None => None,
        Some(first) => {
            unchecked(first).and_then(|json| serde_json::from_slice::<Header>(json).ok())
        }
    };
    if header.is_none_or(|header| header.scores != VERSION) {
        return Err(RepetitionError::Other(path.to_owned()));
    }
    let mut known = BTreeMap::new();
    for (number, line) in (2..).zip(lines) {
        let read = unchecked(line).and_then(|json| serde_json::from_slice::<Try>(json).ok());
        match read {
            Some(Try { id, standing }) => drop(known.insert(id, standing)),
            None => damaged(number),
        }
    }
    Ok(Some(known))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn open(path: &Path) -> Result<(Repetition, Vec<usize>), RepetitionError> {
        let mut damaged = Vec::new();
        let scores = Repetition::open(path, |line| damaged.push(line))?;
        Ok((scores, damaged))
    }

    #[test]
    fn what_was_wrong_comes_again_later_and_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.scores");
        let (mut scores, _) = open(&path).unwrap();
        let ids = || ["a", "b", "c"].into_iter();
        assert_eq!(scores.next(ids(), 0), Some(0));
        scores.right("a", 0).unwrap();
        assert_eq!(scores.next(ids(), 0), Some(1));
        scores.wrong("b", 100).unwrap();
        assert_eq!((scores.next(ids(), 100), scores.next(ids(), 700)), (Some(2), Some(1)));
        assert_eq!(scores.tally(ids(), 100), ExerciseTally { due: 0, new: 1, later: 1, known: 1 });
        assert_eq!(scores.tally(ids(), 700), ExerciseTally { due: 1, new: 1, later: 0, known: 1 });
        scores.right("c", 700).unwrap();
        let mut now = 700;
        for interval in &INTERVALS[1..] {
            scores.right("b", now).unwrap();
            // Kept in the file, which only we can open.
            assert!(matches!(open(&path), Err(RepetitionError::InUse(_))));
            drop(scores);
            scores = open(&path).unwrap().0;
            assert_eq!(scores.of("b").repeat.map(|repeat| repeat.due), Some(now + interval));
            now += interval;
        }
        scores.right("b", now).unwrap();
        assert_eq!(scores.next(ids(), u64::MAX), None);
        let Standing { right, wrong, .. } = scores.of("b");
        assert_eq!((right, wrong), (6, 1));
    }

    #[test]
    fn a_damaged_line_and_one_that_was_cut_off_cost_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.scores");
        let (mut scores, _) = open(&path).unwrap();
        for id in ["a", "b", "c"] {
            scores.wrong(id, 5).unwrap();
        }
        drop(scores);
        let whole = fs::read(&path).unwrap();
        let damaged = String::from_utf8(whole.clone()).unwrap().replace("\"b\"", "\"d\"");
        fs::write(&path, damaged).unwrap();
        let (scores, lines) = open(&path).unwrap();
        assert_eq!(lines, [3]);
        assert_eq!(["a", "b", "c", "d"].map(|id| scores.of(id).wrong), [1, 0, 1, 0]);
        drop(scores);
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let (mut scores, lines) = open(&path).unwrap();
            assert!(lines.is_empty(), "{cut}");
            scores.right("e", 0).unwrap();
            drop(scores);
            let (scores, lines) = open(&path).unwrap();
            assert_eq!((lines, scores.of("e").right), (Vec::new(), 1), "{cut}");
            let kept = ["a", "b", "c"].map(|id| scores.of(id).wrong).iter().sum::<u32>() as usize;
            let ends = whole[..cut].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(kept, ends.saturating_sub(1), "{cut}");
        }
    }

    #[test]
    fn another_file_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pdn");
        for text in ["1. 32-28 *", "1. 32-28 *\n", "{\"scores\":2} 00000000\n"] {
            fs::write(&path, text).unwrap();
            let error = open(&path).unwrap_err();
            assert!(error.to_string().ends_with("games.pdn is not a file of scores"), "{error}");
            assert_eq!(fs::read(&path).unwrap(), text.as_bytes());
        }
        let error = open(&folder.path().join("none/x")).unwrap_err();
        assert!(matches!(error, RepetitionError::Io { .. }), "{error}");
    }
}
