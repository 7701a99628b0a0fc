//! `--make`: a tournament that is made on its page. The page sends a description as JSON, with the keys of
//! the file; it is checked as the file is, and written there.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use crossbeam::channel::{Receiver, Sender, bounded};
use meerslag_files::Existing;
use meerslag_harness::runner::{
    Contest, EngineKind, MatchRun, StateError, TournamentFile, probe, programs,
};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::super::matches::written;
use super::super::{Failure, files};
use super::file;

/// Answers the questions of the page until the tournament begins.
pub(super) struct Maker {
    file: PathBuf,
    /// What to do with files that the tournament would write.
    existing: Existing,
    /// Sent to once; then nothing is made any more.
    begins: Mutex<Option<Sender<()>>>,
}

impl Maker {
    /// A maker of this file, and the channel that says when the tournament is to begin.
    pub(super) fn new(file: &Path, existing: Existing) -> (Maker, Receiver<()>) {
        let (begins, begun) = bounded(1);
        let (file, begins) = (file.to_owned(), Mutex::new(Some(begins)));
        (Maker { file, existing, begins }, begun)
    }

    /// Answers a question of the page.
    pub(super) fn answer(&self, question: &str, body: &str) -> Result<String, String> {
        let mut begins = self.begins.try_lock().ok_or("the players are being started")?;
        let begun = begins.as_ref().ok_or("the tournament has begun")?;
        let answer = match question {
            "setup" => json!({
                "file": self.file.display().to_string(),
                "keys": TournamentFile::keys(),
                "description": fs::read_to_string(&self.file).ok().and_then(|text| read(&text).ok()),
            }),
            "read" => read(body)?,
            "save" => self.save(body)?.0,
            "start" => {
                let (saved, config, run) = self.save(body)?;
                self.try_players(&config, &run)?;
                begun.send(()).map_err(said)?;
                *begins = None;
                saved
            }
            "programs" => {
                let found = programs(Path::new(body.trim()));
                json!(found.map_err(|error| format!("{}: {error}", body.trim()))?)
            }
            "probe" => json!(probe(body)?),
            _ => return Err(format!("there is no question '{question}'")),
        };
        Ok(answer.to_string())
    }

    /// Checks a description and writes the file, unless it says the same.
    fn save(&self, body: &str) -> Result<(Value, Contest, MatchRun), String> {
        let table: Map<String, Value> = serde_json::from_str(body).map_err(said)?;
        let text = TournamentFile::to_toml(&table);
        let (config, run) = file::checked(&text, &self.file).map_err(|(_, why)| why)?;
        let before = fs::read_to_string(&self.file).ok().and_then(|text| read(&text).ok());
        if before != Some(read(&text)?) {
            files::write(&self.file, text.as_bytes(), Existing::Replace).map_err(said)?;
        }
        Ok((json!({ "file": self.file.display().to_string() }), config, run))
    }

    /// Whether the files can be written, and the players start.
    fn try_players(&self, config: &Contest, run: &MatchRun) -> Result<(), String> {
        let state = file::state(&self.file);
        if state.exists() {
            return Err(format!("state: {}", StateError::Exists(state)));
        }
        let all = written(Some(&state), run);
        let failed = |failure: Failure| match failure {
            Failure::Input(error) | Failure::Run(error) => format!("{error:#}"),
            _ => "the files cannot be written".to_owned(),
        };
        files::check_distinct(&[("FILE", Some(&self.file))], &all).map_err(failed)?;
        for (_, path) in all {
            path.map_or(Ok(()), |path| files::check(path, self.existing)).map_err(failed)?;
        }
        for (number, engine) in config.engines.iter().enumerate() {
            // A DXP program may take a connection without a game for the end of the session.
            if engine.kind != EngineKind::Dxp {
                let tried = probe(&engine.text);
                tried.map_err(|why| format!("player {}: {}: {why}", number + 1, engine.name))?;
            }
        }
        Ok(())
    }
}

/// The text of a file as JSON.
fn read(text: &str) -> Result<Value, String> {
    let table: toml::Table = toml::from_str(text).map_err(said)?;
    serde_json::to_value(table).map_err(said)
}

fn said(error: impl Display) -> String {
    error.to_string()
}
