//! The games of a file, searched by several threads.

use std::io;

use meerslag_search::{Control, Engine, EngineError, EngineOptions, Limits};
use movegen::notation::pdn::PdnGame;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::analysis::analyse;
use super::journal::{Journal, JournalError};
use crate::share_out::share_out;

/// Why games are not searched.
#[derive(Debug, Error)]
pub enum AnalyseGamesError {
    /// The searchers.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A thread cannot be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Searches the games that the journal does not have yet, each position within these limits, this many
/// games at the same time, each with an engine with these options. Calls `progress` with the number of
/// finished games. Returns whether all are finished; they are not if `control` was stopped.
///
/// # Errors
/// If the engines cannot be made or the journal cannot be written.
pub fn analyse_games(
    games: &[PdnGame],
    limits: &Limits,
    options: &EngineOptions,
    threads: usize,
    control: &Control,
    journal: &mut Journal,
    progress: &mut dyn FnMut(usize),
) -> Result<bool, AnalyseGamesError> {
    let work = |engine: &mut Engine, game: &PdnGame| analyse(engine, game, limits, control);
    each_game(games, options, threads, control, journal, progress, work)
}

/// Does this work on the games that the journal does not have yet, this many at the same time, each
/// with an engine with these options, and adds the results. Calls `progress` with the number of
/// finished games. Returns whether all are finished; they are not if `control` was stopped:
/// `work` gives `None` then.
///
/// # Errors
/// If the engines cannot be made or the journal cannot be written.
pub(crate) fn each_game<T: Serialize + DeserializeOwned + Send>(
    games: &[PdnGame],
    options: &EngineOptions,
    threads: usize,
    control: &Control,
    journal: &mut Journal<T>,
    progress: &mut dyn FnMut(usize),
    work: impl Fn(&mut Engine, &PdnGame) -> Option<Vec<T>> + Sync,
) -> Result<bool, AnalyseGamesError> {
    let missing: Vec<usize> = (1..=games.len()).filter(|&it| journal.game(it).is_none()).collect();
    let engines = (0..threads.min(missing.len())).map(|_| Engine::new(options.clone()));
    let engines = engines.collect::<Result<Vec<Engine>, EngineError>>()?;
    progress(journal.len());
    share_out(
        engines,
        &missing,
        |engine, &number| work(engine, &games[number - 1]),
        || control.stop(),
        AnalyseGamesError::Thread,
        |index, found| {
            journal.add(missing[index], found)?;
            progress(journal.len());
            Ok(())
        },
    )?;
    Ok(journal.len() >= games.len())
}
