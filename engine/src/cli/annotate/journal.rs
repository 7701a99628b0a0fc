//! Games that are finished, so that nothing is lost when the work is interrupted: a file beside
//! the output, with a line for its conditions and one for each game.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ::egdb::storage::Existing;
use ::egdb::storage::exclusive::{self, LockedFile};
use anyhow::{Context, anyhow};
use meerslag_engine::Limits;
use serde::{Deserialize, Serialize};

use super::super::Failure;
use super::Analyses;

/// What the games of a journal were searched with. Only the same conditions go on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Header {
    /// Version of the format.
    annotate: u32,
    games: usize,
    /// Checksum of the input.
    input: u32,
    limits: String,
    evaluation: String,
}

impl Header {
    pub(super) fn new(text: &[u8], games: usize, limits: &Limits, evaluation: &str) -> Header {
        let limits = format!("{:?} {:?} {:?}", limits.depth, limits.nodes, limits.move_time);
        let input = crc32fast::hash(text);
        Header { annotate: 1, games, input, limits, evaluation: evaluation.to_owned() }
    }
}

#[derive(Serialize, Deserialize)]
struct Line {
    game: usize,
    positions: Analyses,
}

/// The finished games, in a file and in memory.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: LockedFile,
    games: HashMap<usize, Analyses>,
}

impl Journal {
    /// Opens the journal of these conditions, or begins one. One of other conditions is refused,
    /// or begun again if files may be replaced.
    pub(super) fn open(
        path: &Path,
        header: &Header,
        existing: Existing,
    ) -> Result<Journal, Failure> {
        let named = |error: io::Error| super::files::named(path, &error);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = exclusive::open(path, &mut options).map_err(|error| match error {
            exclusive::Error::InUse => Failure::Input(anyhow!(
                "{} is in use: another process annotates into the same file",
                path.display()
            )),
            exclusive::Error::Io(error) => named(error).into(),
        })?;
        let mut games = HashMap::new();
        let mut end = 0;
        let mut reader = BufReader::new(&*file);
        let mut line = String::new();
        // A line without an end was being written when the work was cut off.
        while reader.read_line(&mut line).map_err(named)? > 0 && line.ends_with('\n') {
            if end == 0 {
                let found: Result<Header, _> = serde_json::from_str(&line);
                if !found.is_ok_and(|found| found == *header) {
                    break;
                }
            } else {
                let found: Line = serde_json::from_str(&line)
                    .with_context(|| format!("{} is damaged", path.display()))
                    .map_err(Failure::Input)?;
                games.insert(found.game, found.positions);
            }
            end += line.len() as u64;
            line.clear();
        }
        let is_foreign = end == 0 && !line.is_empty();
        if is_foreign && existing == Existing::Keep {
            return Err(Failure::Input(anyhow!(
                "{} is of other games or limits: --force begins again",
                path.display()
            )));
        }
        file.set_len(end).map_err(named)?;
        file.seek(SeekFrom::End(0)).map_err(named)?;
        if end == 0 {
            writeln!(file, "{}", serde_json::to_string(header)?).map_err(named)?;
        }
        Ok(Journal { path: path.to_owned(), file, games })
    }

    /// Finished games.
    pub(super) fn len(&self) -> usize {
        self.games.len()
    }

    /// What was found out about a game, by its number from 1.
    pub(super) fn game(
        &self,
        number: usize,
    ) -> Option<&[meerslag_engine::annotate::PositionAnalysis]> {
        self.games.get(&number).map(Vec::as_slice)
    }

    /// Adds a finished game.
    pub(super) fn add(&mut self, game: usize, positions: Analyses) -> io::Result<()> {
        let line = Line { game, positions };
        let text = serde_json::to_string(&line)? + "\n";
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|error| super::files::named(&self.path, &error))?;
        self.games.insert(game, line.positions);
        Ok(())
    }

    /// Removes the file: everything is in the output.
    pub(super) fn remove(self) {
        let _ = self.file.remove(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn header(text: &str) -> Header {
        Header::new(text.as_bytes(), 3, &Limits::nodes(10), "x")
    }

    #[test]
    fn what_was_written_is_there_and_half_a_line_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.journal");
        let mut journal = Journal::open(&path, &header("a"), Existing::Keep).unwrap();
        journal.add(2, Vec::new()).unwrap();
        journal.add(3, Vec::new()).unwrap();
        drop(journal);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 5]).unwrap();
        let mut journal = Journal::open(&path, &header("a"), Existing::Keep).unwrap();
        assert!(journal.len() == 1 && journal.game(2).is_some() && journal.game(3).is_none());
        journal.add(3, Vec::new()).unwrap();
        drop(journal);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        // Of other games: kept, unless it may be replaced.
        let refused = Journal::open(&path, &header("b"), Existing::Keep).unwrap_err();
        assert!(matches!(refused, Failure::Input(error) if error.to_string().contains("--force")));
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        let journal = Journal::open(&path, &header("b"), Existing::Replace).unwrap();
        assert_eq!(journal.len(), 0);
        journal.remove();
        assert!(!path.exists());
    }
}
