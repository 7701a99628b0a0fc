//! The games of a file, searched by several threads.

use std::io;

use meerslag_search::{Control, Engine, EngineError, EngineOptions, Limits};
use movegen::notation::pdn::PdnGame;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::journal::{AnnotationJournal, JournalError};
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

/// How many games are searched.
#[derive(Clone, Copy, Debug)]
pub struct GameWork<'a> {
    /// The limits of each search.
    pub limits: &'a Limits,
    /// The options of each engine.
    pub options: &'a EngineOptions,
    /// Games at the same time, each with an engine.
    pub threads: usize,
    /// Ends the work.
    pub control: &'a Control,
}

/// The work on one game, such as [`analyse`](super::analyse): the results for its positions, or
/// `None` if it was stopped.
pub type OneGame<T> = fn(&mut Engine, &PdnGame, &Limits, &Control) -> Option<Vec<T>>;

/// Does this work on the games that are not in the journal yet, and adds the results. Calls
/// `progress` with the number of finished games. Returns whether all are finished; they are not if
/// the work was stopped.
///
/// # Errors
/// If the engines cannot be made or the journal cannot be written.
pub fn each_game<T: Serialize + DeserializeOwned + Send>(
    games: &[PdnGame],
    work: GameWork<'_>,
    journal: &mut AnnotationJournal<T>,
    progress: &mut dyn FnMut(usize),
    one: OneGame<T>,
) -> Result<bool, AnalyseGamesError> {
    let GameWork { limits, options, threads, control } = work;
    let missing: Vec<usize> = (1..=games.len()).filter(|&it| journal.game(it).is_none()).collect();
    let engines = (0..threads.min(missing.len())).map(|_| Engine::new(options.clone()));
    let engines = engines.collect::<Result<Vec<Engine>, EngineError>>()?;
    progress(journal.len());
    share_out(
        engines,
        &missing,
        |engine, &number| one(engine, &games[number - 1], limits, control),
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
