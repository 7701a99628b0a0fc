//! The state file: a line with the match, then one with each finished game, as JSON.
//!
//! Lines are only ever added, each with one write. A process that is killed loses at most the
//! line it was writing, which reading leaves out.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::config::MatchConfig;
use super::record::GameRecord;

/// The version of the format.
const VERSION: u32 = 1;

/// Why a state file cannot be used.
#[derive(Debug, Error)]
pub enum StateError {
    /// Reading or writing fails.
    #[error("state file {path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
    /// The file is there already and was not asked to be continued.
    #[error("state file {0} exists: continue it with --resume, or remove it")]
    Exists(PathBuf),
    /// A line in the middle is damaged.
    #[error("state file {path}, line {line}: {error}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        error: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Header {
    meerslag_match: u32,
    config: MatchConfig,
}

/// An open state file.
#[derive(Debug)]
pub struct StateFile {
    file: File,
    path: PathBuf,
}

impl StateFile {
    /// Starts a file for a match.
    ///
    /// # Errors
    /// If the file exists or cannot be written.
    pub fn create(path: &Path, config: &MatchConfig) -> Result<StateFile, StateError> {
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let file = file.map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                StateError::Exists(path.to_owned())
            } else {
                StateError::Io { path: path.to_owned(), error }
            }
        })?;
        let mut state = StateFile { file, path: path.to_owned() };
        state.write(&Header { meerslag_match: VERSION, config: config.clone() })?;
        Ok(state)
    }

    /// Reads a file back: the match and its finished games. Half a line at the end is removed.
    ///
    /// # Errors
    /// If the file cannot be read or written, or a line other than the last is damaged.
    pub fn resume(path: &Path) -> Result<(StateFile, MatchConfig, Vec<GameRecord>), StateError> {
        let io_error = |error| StateError::Io { path: path.to_owned(), error };
        let damaged =
            |line, error: String| StateError::Damaged { path: path.to_owned(), line, error };
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(io_error)?;
        let mut reader = BufReader::new(&file);
        let mut config = None;
        let mut records: Vec<GameRecord> = Vec::new();
        let mut good = 0;
        let mut text = Vec::new();
        for line in 1.. {
            text.clear();
            let length = reader.read_until(b'\n', &mut text).map_err(io_error)?;
            if length == 0 || text.last() != Some(&b'\n') {
                break;
            }
            let Some(known) = &config else {
                let header: Header =
                    serde_json::from_slice(&text).map_err(|e| damaged(line, e.to_string()))?;
                if header.meerslag_match != VERSION {
                    let error = format!("format {}, expected {VERSION}", header.meerslag_match);
                    return Err(damaged(line, error));
                }
                header.config.check().map_err(|e| damaged(line, e.to_string()))?;
                config = Some(header.config);
                good += length as u64;
                continue;
            };
            let record: GameRecord =
                serde_json::from_slice(&text).map_err(|e| damaged(line, e.to_string()))?;
            let engines = known.engines.len();
            if record.pairing.white >= engines || record.pairing.black >= engines {
                return Err(damaged(line, "an engine that is not in the match".to_owned()));
            }
            records.push(record);
            good += length as u64;
        }
        let config = config.ok_or_else(|| damaged(1, "no match in this file".to_owned()))?;
        file.set_len(good).map_err(io_error)?;
        file.seek(SeekFrom::End(0)).map_err(io_error)?;
        Ok((StateFile { file, path: path.to_owned() }, config, records))
    }

    /// Adds a finished game.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), StateError> {
        self.write(record)
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), StateError> {
        let mut write = || {
            let mut line = serde_json::to_vec(value)?;
            line.push(b'\n');
            self.file.write_all(&line)
        };
        write().map_err(|error| StateError::Io { path: self.path.clone(), error })
    }
}
