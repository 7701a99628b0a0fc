//! What went wrong comes again, after growing intervals: as the board in the browser does it
//! (`engine/web/repeat.js`).

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use meerslag_files::{Existing, write_file};
use serde::{Deserialize, Serialize};
use thiserror::Error;

const MINUTE: u64 = 60;
const DAY: u64 = 24 * 60 * MINUTE;
/// Seconds after which something comes again: first after a mistake, then after each time it was
/// right.
const INTERVALS: [u64; 6] = [10 * MINUTE, DAY, 3 * DAY, 7 * DAY, 21 * DAY, 60 * DAY];

/// How something is known.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Standing {
    /// Times that it was right.
    pub right: u32,
    /// Times that it was wrong.
    pub wrong: u32,
    /// While it is to be repeated: the step in the intervals, and when it is due, in seconds since
    /// 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat: Option<(usize, u64)>,
}

/// Why scores cannot be read or kept.
#[derive(Debug, Error)]
pub enum RepetitionError {
    /// Reading or writing fails.
    #[error("cannot use {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
    /// Not a file of scores.
    #[error("{path} is no file of scores: {error}")]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: serde_json::Error,
    },
}

/// What is known about everything that has a name, in a file or in memory alone.
#[derive(Clone, Default, Debug)]
pub struct Repetition {
    path: Option<PathBuf>,
    known: BTreeMap<String, Standing>,
}

impl Repetition {
    /// The scores of a file, which is made with the first score if it is not there.
    ///
    /// # Errors
    /// If the file cannot be read, or is something else.
    pub fn open(path: &Path) -> Result<Repetition, RepetitionError> {
        let known = match fs::read(path) {
            Ok(text) => serde_json::from_slice(&text)
                .map_err(|error| RepetitionError::Json { path: path.to_owned(), error })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(RepetitionError::Io { path: path.to_owned(), error }),
        };
        Ok(Repetition { path: Some(path.to_owned()), known })
    }

    /// How something is known.
    #[must_use]
    pub fn of(&self, id: &str) -> Standing {
        self.known.get(id).copied().unwrap_or_default()
    }

    /// It was right at this time, in seconds since 1970: what is being repeated comes later next time,
    /// and after the last interval never.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn right(&mut self, id: &str, now: u64) -> Result<(), RepetitionError> {
        let Standing { right, wrong, repeat } = self.of(id);
        let next = repeat.map(|(step, _)| step + 1);
        let repeat = next.and_then(|step| Some((step, now + INTERVALS.get(step)?)));
        self.keep(id, Standing { right: right + 1, wrong, repeat })
    }

    /// It was wrong at this time: it comes again soon.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn wrong(&mut self, id: &str, now: u64) -> Result<(), RepetitionError> {
        let Standing { right, wrong, .. } = self.of(id);
        self.keep(id, Standing { right, wrong: wrong + 1, repeat: Some((0, now + INTERVALS[0])) })
    }

    /// Which of these is next, by its place: what is due, the longest due first; then what is new;
    /// then what is to be repeated later. `None` if all are known.
    #[must_use]
    pub fn next(&self, ids: &[String], now: u64) -> Option<usize> {
        let rank = |id: &String| match self.known.get(id) {
            Some(Standing { repeat: Some((_, due)), .. }) if *due <= now => Some((0, *due)),
            None => Some((1, 0)),
            Some(Standing { repeat: Some((_, due)), .. }) => Some((2, *due)),
            Some(_) => None,
        };
        let ranked = ids.iter().enumerate().filter_map(|(place, id)| Some((rank(id)?, place)));
        ranked.min().map(|(_, place)| place)
    }

    fn keep(&mut self, id: &str, standing: Standing) -> Result<(), RepetitionError> {
        self.known.insert(id.to_owned(), standing);
        let Some(path) = &self.path else { return Ok(()) };
        let written = serde_json::to_vec_pretty(&self.known)
            .map_err(io::Error::from)
            .and_then(|json| write_file(path, &json, Existing::Replace));
        written.map_err(|error| RepetitionError::Io { path: path.clone(), error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_wrong_comes_again_later_and_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scores.json");
        let mut scores = Repetition::open(&path).unwrap();
        let ids = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(scores.next(&ids, 0), Some(0));
        scores.right("a", 0).unwrap();
        assert_eq!(scores.next(&ids, 0), Some(1));
        scores.wrong("b", 100).unwrap();
        assert_eq!((scores.next(&ids, 100), scores.next(&ids, 700)), (Some(2), Some(1)));
        scores.right("c", 700).unwrap();
        let mut now = 700;
        for interval in &INTERVALS[1..] {
            scores.right("b", now).unwrap();
            // Kept in the file.
            scores = Repetition::open(&path).unwrap();
            assert_eq!(scores.of("b").repeat.map(|(_, due)| due), Some(now + interval));
            now += interval;
        }
        scores.right("b", now).unwrap();
        assert_eq!(scores.next(&ids, u64::MAX), None);
        let Standing { right, wrong, .. } = scores.of("b");
        assert_eq!((right, wrong), (6, 1));
    }

    #[test]
    fn another_file_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pdn");
        fs::write(&path, "1. 32-28 *").unwrap();
        let error = Repetition::open(&path).unwrap_err();
        assert!(error.to_string().contains("is no file of scores"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"1. 32-28 *");
    }
}
