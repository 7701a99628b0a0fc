//! A file of PDN for a relay: the games of the round, those in play with their moves so far.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, bounded};
use meerslag_files::{Existing, write_file};
use movegen::notation::pdn::{PdnGame, WriteOptions, game_to_string};
use parking_lot::Mutex;

use super::pdn::to_pdn;
use crate::runner::config::Contest;
use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::results::MatchResults;
use crate::runner::tournament::MatchEvent;
use crate::runner::tournament::director::Director;

/// How often the file is written, if something has changed.
const INTERVAL: Duration = Duration::from_secs(1);
/// The tag `Termination` of a game in play.
const IN_PLAY: &str = "unterminated";

/// Writes the file of a tournament until it is closed.
#[derive(Debug)]
pub struct Relay {
    shared: Arc<RelayFile>,
    /// Closed at the end.
    over: Sender<()>,
    writes: JoinHandle<io::Result<()>>,
}

#[derive(Debug)]
struct RelayFile {
    path: PathBuf,
    config: Contest,
    director: Arc<Director>,
    round: Mutex<RelayRound>,
}

/// The round that is played, and its games as text.
#[derive(Debug)]
struct RelayRound {
    number: usize,
    games: BTreeMap<usize, RelayGame>,
}

/// A game as text; one that is over changes no more.
#[derive(Debug)]
struct RelayGame {
    is_over: bool,
    text: String,
}

impl RelayRound {
    fn new(config: &Contest, results: &MatchResults, games: &[MatchGame]) -> RelayRound {
        let number = results.rounds().last().map_or(0, |round| round.round);
        let mut round = RelayRound { number, games: BTreeMap::new() };
        games.iter().for_each(|game| round.add(config, game));
        round
    }

    fn add(&mut self, config: &Contest, game: &MatchGame) {
        if game.pairing.round == self.number {
            self.games.insert(game.game, RelayGame::new(true, &game.to_pdn(config)));
        }
    }
}

impl RelayGame {
    fn new(is_over: bool, pdn: &PdnGame) -> RelayGame {
        RelayGame { is_over, text: game_to_string(pdn, &WriteOptions::default()) }
    }
}

impl Relay {
    /// Begins to write the file of a tournament that has played these games, with their moves.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub fn start(
        path: PathBuf,
        config: &Contest,
        director: &Arc<Director>,
        results: &MatchResults,
    ) -> io::Result<Relay> {
        let round = Mutex::new(RelayRound::new(config, results, results.games()));
        let (config, director) = (config.clone(), Arc::clone(director));
        let shared = Arc::new(RelayFile { path, config, director, round });
        let (over, is_over) = bounded(0);
        let file = Arc::clone(&shared);
        let thread = thread::Builder::new().name("relay".to_owned());
        let writes = thread.spawn(move || file.follow(&is_over))?;
        Ok(Relay { shared, over, writes })
    }

    /// Something happens.
    pub fn notice(&self, event: &MatchEvent<'_>) {
        let RelayFile { config, round, .. } = &*self.shared;
        match *event {
            MatchEvent::Round(results) => *round.lock() = RelayRound::new(config, results, &[]),
            MatchEvent::Game(results) => {
                results.games().last().into_iter().for_each(|game| round.lock().add(config, game));
            }
            MatchEvent::Decided { act, results, games } if act.game().is_some() => {
                *round.lock() = RelayRound::new(config, results, games);
            }
            _ => {}
        }
    }

    /// Writes the last state.
    ///
    /// # Errors
    /// If the file could not be written, then or before.
    pub fn close(self) -> io::Result<()> {
        let Relay { shared, over, writes } = self;
        drop(over);
        let written = writes.join().unwrap_or_else(|_| Err(io::Error::other("its thread failed")));
        written.map_err(|error| {
            io::Error::new(error.kind(), format!("cannot write {}: {error}", shared.path.display()))
        })
    }
}

impl RelayFile {
    /// Writes what has changed, until the channel is closed, and then once more.
    fn follow(&self, is_over: &Receiver<()>) -> io::Result<()> {
        let mut before = String::new();
        loop {
            let is_last = is_over.recv_timeout(INTERVAL).is_err_and(|why| why.is_disconnected());
            let now = self.text();
            if now != before {
                write_file(&self.path, now.as_bytes(), Existing::Replace)?;
                before = now;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// All games of the round that have begun.
    fn text(&self) -> String {
        let in_play = self.director.games();
        let mut round = self.round.lock();
        for game in in_play {
            if game.pairing.round != round.number {
                continue;
            }
            let is_over = round.games.get(&game.game).is_some_and(|known| known.is_over);
            if !is_over {
                let pdn = to_pdn(&self.config, game.game, game.pairing, &game.record, IN_PLAY);
                round.games.insert(game.game, RelayGame::new(false, &pdn));
            }
        }
        round.games.values().map(|game| game.text.as_str()).collect()
    }
}
