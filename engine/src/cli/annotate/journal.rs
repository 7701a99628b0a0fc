//! Games that are finished, so that nothing is lost when the work is interrupted: a file beside
//! the output, with a line for its conditions and one for each game. A line is JSON, a blank and the
//! CRC-32 of the JSON as eight hexadecimal digits; version 1 had no checksums.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use meerslag_files::Existing;
use meerslag_files::exclusive::{self, LockedFile};
use meerslag_search::Limits;
use serde::{Deserialize, Serialize};

use super::super::Failure;
use super::super::streams::note;
use super::Analyses;

/// The version that is written.
const VERSION: u32 = 2;

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
        Header { annotate: VERSION, games, input, limits, evaluation: evaluation.to_owned() }
    }

    /// Reads the first line; `None` if it is damaged.
    fn read(line: &[u8]) -> Option<Header> {
        if let Some(json) = unchecked(line) {
            return serde_json::from_slice(json).ok();
        }
        serde_json::from_slice(line).ok().filter(|header: &Header| header.annotate == 1)
    }

    /// Whether games of this journal are of use.
    fn fits(&self, wanted: &Header) -> bool {
        (1..=VERSION).contains(&self.annotate)
            && *wanted == Header { annotate: VERSION, ..self.clone() }
    }
}

/// A line with its checksum.
fn checked(json: &[u8]) -> Vec<u8> {
    let sum = crc32fast::hash(json);
    [json, format!(" {sum:08x}\n").as_bytes()].concat()
}

/// What such a line says; `None` if the checksum is another one.
fn unchecked(line: &[u8]) -> Option<&[u8]> {
    let (json, sum) = line.split_at_checked(line.len().checked_sub(9)?)?;
    (*sum == *format!(" {:08x}", crc32fast::hash(json)).as_bytes()).then_some(json)
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
    /// or begun again if files may be replaced. Damaged lines are named on standard error; their
    /// games are not there.
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
        let mut old = Vec::new();
        file.read_to_end(&mut old).map_err(named)?;
        // A line without an end was being written when the work was cut off.
        let mut lines =
            old.split_inclusive(|&byte| byte == b'\n').map_while(|it| it.strip_suffix(b"\n"));
        let first = lines.next();
        let found = first.and_then(Header::read).filter(|found| found.fits(header));
        if let (Some(first), None, Existing::Keep) = (first, &found, existing) {
            let is_readable = Header::read(first).is_some();
            let what =
                if is_readable { "is of other games or limits" } else { "is damaged in line 1" };
            let error = anyhow!("{} {what}: --force begins again", path.display());
            return Err(Failure::Input(error));
        }
        let mut games = HashMap::new();
        let mut good = checked(&serde_json::to_vec(header)?);
        for (number, line) in (2..).zip(lines.take_while(|_| found.is_some())) {
            let has_sum = found.as_ref().is_some_and(|found| found.annotate > 1);
            let json = if has_sum { unchecked(line) } else { Some(line) };
            let read =
                json.and_then(|json| Some((json, serde_json::from_slice::<Line>(json).ok()?)));
            let Some((json, line)) = read else {
                let text = format!("{}, line {number} is damaged", path.display());
                note(format_args!("{text}: its game is searched again"));
                continue;
            };
            good.extend(checked(json));
            games.insert(line.game, line.positions);
        }
        // What is good stays where it is; the rest is written anew.
        let same = good.iter().zip(&old).take_while(|(new, old)| new == old).count();
        file.set_len(same as u64).map_err(named)?;
        file.seek(SeekFrom::End(0)).map_err(named)?;
        file.write_all(&good[same..]).map_err(named)?;
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
    ) -> Option<&[meerslag_study::annotate::PositionAnalysis]> {
        self.games.get(&number).map(Vec::as_slice)
    }

    /// Adds a finished game.
    pub(super) fn add(&mut self, game: usize, positions: Analyses) -> io::Result<()> {
        let line = Line { game, positions };
        let text = checked(&serde_json::to_vec(&line)?);
        let written = self.file.write_all(&text);
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
    fn a_changed_byte_costs_its_game_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.journal");
        let open = |existing| Journal::open(&path, &header("a"), existing);
        let mut journal = open(Existing::Keep).unwrap();
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
                assert!(open(Existing::Keep).is_err(), "byte {at}");
                assert_eq!(fs::read(&path).unwrap(), damaged);
                continue;
            }
            let journal = open(Existing::Keep).unwrap();
            let is_there: Vec<bool> = (1..=3).map(|game| journal.game(game).is_some()).collect();
            // Without its end a line is one with the next.
            let is_end = whole[at] == b'\n';
            let expected: Vec<bool> =
                (1..=3).map(|game| game != line && !(is_end && game == line + 1)).collect();
            assert_eq!(is_there, expected, "byte {at}");
            assert!(fs::read(&path).unwrap().len() < whole.len());
        }
    }

    #[test]
    fn journals_without_checksums_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.journal");
        let old = Header { annotate: 1, ..header("a") };
        let text = serde_json::to_string(&old).unwrap() + "\n{\"game\":2,\"positions\":[]}\n{\"ga";
        fs::write(&path, text).unwrap();
        let mut journal = Journal::open(&path, &header("a"), Existing::Keep).unwrap();
        assert!(journal.len() == 1 && journal.game(2).is_some());
        journal.add(1, Vec::new()).unwrap();
        drop(journal);
        let journal = Journal::open(&path, &header("a"), Existing::Keep).unwrap();
        assert_eq!(journal.len(), 2);
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
