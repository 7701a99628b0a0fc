//! Merges the parts of a match that several machines have played.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::runner::config::Contest;
use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::results::MatchResults;
use crate::runner::tournament::state::{Content, MatchPart, StateError};

/// Why parts cannot be merged.
#[derive(Debug, Error)]
pub enum MergeError {
    /// One cannot be read.
    #[error(transparent)]
    State(#[from] StateError),
    /// They are not parts of one match, in words.
    #[error("{0}")]
    NotParts(String),
}

/// A merged match.
#[derive(Debug)]
pub struct Merged {
    /// Its configuration.
    pub config: Contest,
    /// The games of all parts, in the order of the schedule.
    pub results: MatchResults,
    /// The parts that they were played in.
    pub parts: Vec<MatchPart>,
}

/// Merges the parts of a match; parts may be incomplete.
///
/// # Errors
/// If there is no file, one cannot be read, two are of different matches, or two have the same game.
pub fn merge_states(paths: &[PathBuf]) -> Result<Merged, MergeError> {
    let mut merged: Option<(Contest, &Path)> = None;
    let mut games: Vec<MatchGame> = Vec::new();
    let mut whence: HashMap<usize, &Path> = HashMap::new();
    let mut all_parts = Vec::new();
    for path in paths {
        let Content { config, results, parts, run, .. } = Content::open(path)?;
        if config.tournament().is_some() {
            let path = path.display();
            let why = format!("{path} is a tournament: only matches have parts");
            return Err(MergeError::NotParts(why));
        }
        if config.scale().is_some() && run.speed.is_none() {
            let path = path.display();
            let why = format!("{path} does not say how fast its machine is");
            return Err(MergeError::NotParts(why));
        }
        match &merged {
            None => merged = Some((config, path)),
            Some((first, _)) if *first == config => {}
            Some((first, first_path)) => {
                let (first_path, path) = (first_path.display(), path.display());
                let what = first.differences(&config);
                return Err(MergeError::NotParts(format!(
                    "{path} is no part of the same match as {first_path}: the descriptions differ in \
                     {what}"
                )));
            }
        }
        for game in results.into_games() {
            if let Some(first) = whence.insert(game.game, path) {
                let (first, second, game) = (first.display(), path.display(), game.game + 1);
                let why = format!("{first} and {second} both have game {game}");
                return Err(MergeError::NotParts(why));
            }
            games.push(game);
        }
        all_parts.extend(parts);
    }
    let Some((config, _)) = merged else {
        return Err(MergeError::NotParts("no file to put together".to_owned()));
    };
    games.sort_by_key(|game| game.game);
    let results = MatchResults::of_parts(&config, games);
    Ok(Merged { config, results, parts: all_parts })
}

#[cfg(test)]
mod tests {
    use movegen::Position;
    use tempfile::TempDir;

    use super::*;
    use crate::runner::game::termination::Termination;
    use crate::runner::tournament::schedule::tests::{config, games as schedule};
    use crate::runner::tournament::state::{MatchRun, StateFile};
    use meerslag_files::with_causes;
    use meerslag_study::Shard;
    use meerslag_study::record::GameRecord;

    /// A file with the games of a part.
    fn part(folder: &TempDir, name: &str, config: &Contest, shard: Shard) -> PathBuf {
        let path = folder.path().join(name);
        let mut state = StateFile::create(&path, config, "", &MatchRun::default()).unwrap();
        let games = schedule(config).into_iter().enumerate();
        for (number, pairing) in games.filter(|(_, pairing)| shard.has(pairing.pair as u64)) {
            let record = GameRecord::new(Position::initial());
            let game = MatchGame::new(number, pairing, record, Termination::NoMove);
            state.add(&game).unwrap();
        }
        path
    }

    #[test]
    fn parts_are_the_whole_and_nothing_twice() {
        let folder = TempDir::new().unwrap();
        let config = config(3, 0, 5);
        let shard = |index| Shard { index, of: 3 };
        let paths = [3, 1, 2].map(|n| part(&folder, &format!("{n}"), &config, shard(n)));
        let merged = merge_states(&paths).unwrap();
        let numbers: Vec<usize> = merged.results.games().iter().map(|game| game.game).collect();
        assert_eq!(numbers, (0..30).collect::<Vec<_>>());
        assert_eq!((merged.config, merged.parts.len()), (config.clone(), 3));
        let twice = [paths[0].clone(), part(&folder, "again", &config, shard(3))];
        let error = with_causes(&merge_states(&twice).unwrap_err());
        assert!(error.contains("again both have game"), "{error}");
        let mut other = config;
        other.seed = Some(9);
        let strange = [paths[0].clone(), part(&folder, "other", &other, shard(1))];
        let error = with_causes(&merge_states(&strange).unwrap_err());
        assert!(error.contains("differ in seed"), "{error}");
    }
}
