//! Everything that the runner and its engines say to each other, in a file for each game.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::protocol::log::{Log, LogError, LogFile, SharedLogFile};

/// Which logs stay when their games are over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum KeptLogs {
    /// The logs of all games
    #[default]
    All,
    /// The logs of games where an engine failed, lost by time, refused or reported an error
    Failed,
}

/// Where the logs of a match are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameLogs {
    /// The folder of the files `game-00001.log`, ...
    pub folder: PathBuf,
    /// Which of them stay.
    #[serde(default)]
    pub keep: KeptLogs,
}

impl GameLogs {
    /// The file of the game with this number, from 0.
    #[must_use]
    pub fn file(&self, game: usize) -> PathBuf {
        self.folder.join(format!("game-{:05}.log", game + 1))
    }

    /// Whether a file of this name is one of a game.
    #[must_use]
    pub fn is_log(name: &str) -> bool {
        let number = name.strip_prefix("game-").and_then(|rest| rest.strip_suffix(".log"));
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    }
}

/// The file of the game that a worker plays. Copies write to the same file; messages between two
/// games are dropped, except those of the next game's start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transcript {
    file: SharedLogFile,
    is_wanted: bool,
}

impl Transcript {
    /// The transcript of a worker, if logs are wanted.
    pub(in crate::runner) fn wanted() -> Transcript {
        Transcript { file: SharedLogFile::default(), is_wanted: true }
    }

    /// The log of this engine's messages.
    pub(in crate::runner) fn log(&self, who: &str) -> Log {
        if self.is_wanted { Log::of(who, &self.file) } else { Log::none() }
    }

    /// A game begins, or is played again: its log is added to.
    pub(in crate::runner) fn begin(&self, logs: &GameLogs, game: usize) -> Result<(), LogError> {
        let path = &logs.folder;
        fs::create_dir_all(path).map_err(|error| LogError { path: path.clone(), error })?;
        *self.file.lock() = Some(LogFile::open(&logs.file(game))?);
        Ok(())
    }

    /// A game is over. Its log goes if it is not wanted. Returns why it could not be written.
    pub(in crate::runner) fn end(
        &self,
        logs: &GameLogs,
        game: usize,
        has_failed: bool,
    ) -> Option<LogError> {
        let error = self.file.lock().take().and_then(|mut file| file.take_error());
        if logs.keep == KeptLogs::Failed && !has_failed {
            // A file that cannot be removed stays.
            let _ = fs::remove_file(logs.file(game));
        }
        error
    }
}
