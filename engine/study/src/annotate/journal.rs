//! Games that are finished, so that nothing is lost when the work is interrupted: a file with a
//! line for its conditions and one for each game, each with a checksum.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use meerslag_files::Existing;
use meerslag_files::exclusive::{self, LockedFile, OwnedFile};
use meerslag_search::Limits;
use movegen::notation::pdn::PdnGame;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::analysis::PositionAnalysis;
use crate::checked::{checked, unchecked};

/// The version that is written. Version 1 had no checksums.
const VERSION: u32 = 2;

/// The conditions of the searches of a journal, which can only be continued under the same ones.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct JournalHeader {
    /// Version of the format.
    annotate: u32,
    games: usize,
    /// Checksum of the input.
    input: u32,
    limits: String,
    evaluation: String,
}

impl JournalHeader {
    /// The conditions: the text with the games and their number, the limits of each search and the
    /// name of the evaluation.
    #[must_use]
    pub fn new(text: &[u8], games: usize, limits: &Limits, evaluation: &str) -> JournalHeader {
        let limits = format!("{:?} {:?} {:?}", limits.depth, limits.nodes, limits.move_time);
        let input = crc32fast::hash(text);
        JournalHeader { annotate: VERSION, games, input, limits, evaluation: evaluation.to_owned() }
    }

    /// The same for another kind of work, whose journals cannot be continued as annotations.
    #[must_use]
    pub fn of_work(mut self, name: &str) -> JournalHeader {
        self.limits = format!("{name} {}", self.limits);
        self
    }

    /// Reads the first line; `None` if it is damaged.
    fn read(line: &[u8]) -> Option<JournalHeader> {
        serde_json::from_slice(unchecked(line)?).ok()
    }
}

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
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
    #[error("{0} is in use: another process writes the same file")]
    InUse(PathBuf),
    /// It has other conditions.
    #[error("{0} is of other games or limits")]
    Other(PathBuf),
    /// Its first line is damaged: the conditions of the searches are lost.
    #[error("{0} is damaged in line 1")]
    Damaged(PathBuf),
    /// A game in it has another number of moves.
    #[error("{path} is damaged: game {number}; without it the games are searched again")]
    Game {
        /// The file.
        path: PathBuf,
        /// The number of the game, from 1.
        number: usize,
    },
}

#[derive(Serialize, Deserialize)]
struct JournalLine<T> {
    game: usize,
    positions: Vec<T>,
}

/// The finished games, in a file and in memory, each with the results for its positions.
#[derive(Debug)]
pub struct AnnotationJournal<T = PositionAnalysis> {
    path: PathBuf,
    file: LockedFile,
    games: HashMap<usize, Vec<T>>,
}

impl<T: Serialize + DeserializeOwned> AnnotationJournal<T> {
    /// Opens the journal of these conditions, or begins one. One of other conditions is refused,
    /// or begun again if files may be replaced. Calls `damaged` with the number of each damaged
    /// line, from 1: its game is lost.
    ///
    /// # Errors
    /// See [`JournalError`].
    pub fn open(
        path: &Path,
        header: &JournalHeader,
        existing: Existing,
        mut damaged: impl FnMut(usize),
    ) -> Result<AnnotationJournal<T>, JournalError> {
        let failed = |error| JournalError::Io { path: path.to_owned(), error };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = exclusive::open(path, &mut options).map_err(|error| match error {
            exclusive::Error::InUse => JournalError::InUse(path.to_owned()),
            exclusive::Error::Io(error) => failed(error),
        })?;
        let mut old = Vec::new();
        file.read_to_end(&mut old).map_err(failed)?;
        // A line without an end was cut off by an interruption.
        let mut lines =
            old.split_inclusive(|&byte| byte == b'\n').map_while(|it| it.strip_suffix(b"\n"));
        let first = lines.next();
        let found = first.map(JournalHeader::read);
        let fits = matches!(&found, Some(Some(found)) if found == header);
        match found {
            Some(None) if existing == Existing::Keep => {
                return Err(JournalError::Damaged(path.to_owned()));
            }
            Some(Some(_)) if existing == Existing::Keep && !fits => {
                return Err(JournalError::Other(path.to_owned()));
            }
            _ => {}
        }
        let mut games = HashMap::new();
        let json = serde_json::to_vec(header).map_err(|error| failed(error.into()))?;
        let mut good = checked(&json);
        for (number, line) in (2..).zip(lines.take_while(|_| fits)) {
            let json = unchecked(line);
            let read = json.and_then(|it| serde_json::from_slice::<JournalLine<T>>(it).ok());
            let (Some(json), Some(line)) = (json, read) else {
                damaged(number);
                continue;
            };
            good.extend(checked(json));
            games.insert(line.game, line.positions);
        }
        // Good lines stay where they are; the rest is rewritten.
        let same = good.iter().zip(&old).take_while(|(new, old)| new == old).count();
        file.set_len(same as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        file.write_all(&good[same..]).map_err(failed)?;
        Ok(AnnotationJournal { path: path.to_owned(), file, games })
    }

    /// Number of finished games.
    #[must_use]
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// Whether no game is finished.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// The results for the positions of a game, by its number from 1.
    #[must_use]
    pub fn game(&self, number: usize) -> Option<&[T]> {
        self.games.get(&number).map(Vec::as_slice)
    }

    /// Adds a finished game, by its number from 1.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, game: usize, positions: Vec<T>) -> Result<(), JournalError> {
        let line = JournalLine { game, positions };
        let written = serde_json::to_vec(&line)
            .map_err(io::Error::from)
            .and_then(|json| self.file.add(&checked(&json)));
        written.map_err(|error| JournalError::Io { path: self.path.clone(), error })?;
        self.games.insert(game, line.positions);
        Ok(())
    }

    /// Removes the file: its games are in the output.
    pub fn remove(self) {
        let _ = self.file.remove(&self.path);
    }
}

impl AnnotationJournal {
    /// The results for the positions of a game, by its number from 1, for [`super::judge`].
    ///
    /// # Errors
    /// If there is not just one for each position of the game.
    pub fn analyses(
        &self,
        number: usize,
        pdn: &PdnGame,
    ) -> Result<&[PositionAnalysis], JournalError> {
        let found = self.game(number).filter(|found| found.len() == pdn.line.plies.len() + 1);
        found.ok_or_else(|| JournalError::Game { path: self.path.clone(), number })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn header(text: &str) -> JournalHeader {
        JournalHeader::new(text.as_bytes(), 3, &Limits::nodes(10), "x")
    }

    #[test]
    fn a_changed_byte_costs_its_game_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.journal");
        let open = |existing| {
            let mut damaged = Vec::new();
            let journal: Result<AnnotationJournal, _> =
                AnnotationJournal::open(&path, &header("a"), existing, |line| damaged.push(line));
            journal.map(|journal| (journal, damaged))
        };
        let (mut journal, _) = open(Existing::Keep).unwrap();
        (1..=3).for_each(|game| journal.add(game, Vec::new()).unwrap());
        drop(journal);
        let whole = fs::read(&path).unwrap();
        let line_of = |at: usize| whole[..at].iter().filter(|&&byte| byte == b'\n').count();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            // Another digit where there was one.
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            let line = line_of(at);
            if line == 0 {
                let error = open(Existing::Keep).unwrap_err();
                assert!(matches!(error, JournalError::Damaged(_)), "byte {at}: {error}");
                assert_eq!(fs::read(&path).unwrap(), damaged);
                continue;
            }
            let (journal, damaged) = open(Existing::Keep).unwrap();
            // The last line without its end is one that was being written.
            let expected: &[usize] = if at + 1 < whole.len() { &[line + 1] } else { &[] };
            assert_eq!(damaged, expected, "byte {at}");
            let is_there: Vec<bool> = (1..=3).map(|game| journal.game(game).is_some()).collect();
            // Without its end a line would run into the next.
            let is_end = whole[at] == b'\n';
            let expected: Vec<bool> =
                (1..=3).map(|game| game != line && !(is_end && game == line + 1)).collect();
            assert_eq!(is_there, expected, "byte {at}");
            assert!(fs::read(&path).unwrap().len() < whole.len());
        }
    }

    #[test]
    fn other_conditions_are_not_mixed_in() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.journal");
        let open = |text, existing| -> Result<AnnotationJournal, _> {
            AnnotationJournal::open(&path, &header(text), existing, |_| ())
        };
        let mut journal = open("a", Existing::Keep).unwrap();
        journal.add(2, Vec::new()).unwrap();
        let error = open("a", Existing::Keep).unwrap_err();
        assert!(matches!(error, JournalError::InUse(_)), "{error}");
        drop(journal);
        let error = open("b", Existing::Keep).unwrap_err();
        assert!(matches!(error, JournalError::Other(_)), "{error}");
        assert_eq!(open("a", Existing::Keep).unwrap().len(), 1);
        assert!(open("b", Existing::Replace).unwrap().is_empty());
    }
}
