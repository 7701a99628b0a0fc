//! The finished games of a match, and their totals.

use std::collections::BTreeMap;

use crate::runner::config::Contest;
use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::standings::Standings;
use crate::runner::tournament::acts::{Act, ActError};
use crate::runner::tournament::schedule::{Pairing, Round, schedule};
use meerslag_study::record::PlyRecord;

/// The word in the record of a game that the director has had replayed.
pub(in crate::runner) const REPLAYED: &str = "played again by order of the director";

/// The finished games of a match, in the order of their ends, and its table; for a tournament also
/// its rounds and its director's decisions.
#[derive(Clone, Debug)]
pub struct MatchResults {
    games: Vec<MatchGame>,
    standings: Standings,
    rounds: Vec<Round>,
    acts: Vec<Act>,
    /// The moves of games that were interrupted.
    unfinished: BTreeMap<usize, Vec<PlyRecord>>,
}

impl MatchResults {
    /// The results of these games.
    #[must_use]
    pub fn new(config: &Contest, games: Vec<MatchGame>) -> MatchResults {
        let standings = Standings::of(config, &games);
        MatchResults {
            games,
            standings,
            rounds: Vec::new(),
            acts: Vec::new(),
            unfinished: BTreeMap::new(),
        }
    }

    /// The results of the parts of a match; a test is judged in the order of the schedule.
    pub(in crate::runner) fn of_parts(config: &Contest, games: Vec<MatchGame>) -> MatchResults {
        let mut results = MatchResults::new(config, games);
        results.standings.judge_in_order(&results.games);
        results
    }

    /// The games.
    #[must_use]
    pub fn games(&self) -> &[MatchGame] {
        &self.games
    }

    /// The games alone.
    pub(in crate::runner) fn into_games(self) -> Vec<MatchGame> {
        self.games
    }

    /// The table.
    #[must_use]
    pub const fn standings(&self) -> &Standings {
        &self.standings
    }

    /// The rounds of a tournament that are paired.
    #[must_use]
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// All games known: for a match all from the start, for a tournament those of its rounds so
    /// far.
    #[must_use]
    pub fn schedule(&self, config: &Contest) -> Vec<Pairing> {
        match config {
            Contest::Match(config) => schedule(config),
            Contest::Tournament(_) => {
                self.rounds.iter().flat_map(|round| &round.games).copied().collect()
            }
        }
    }

    /// The engines that have withdrawn by this round.
    pub(in crate::runner) fn withdrawn(&self, round: usize) -> Vec<usize> {
        let gone = |act: &Act| match *act {
            Act::Withdraw { engine, from } if from <= round => Some(engine),
            _ => None,
        };
        self.acts.iter().filter_map(gone).collect()
    }

    /// The director's mark in the record of a game.
    pub(in crate::runner) fn note(&self, game: usize) -> Option<&'static str> {
        self.acts.contains(&Act::Replay(game)).then_some(REPLAYED)
    }

    /// Whether the game is finished.
    #[must_use]
    pub fn is_played(&self, game: usize) -> bool {
        self.games.iter().any(|record| record.game == game)
    }

    /// The round that an engine that withdraws now no longer plays: the first one that is not paired.
    #[must_use]
    pub fn next_round(&self) -> usize {
        self.rounds.last().map_or(1, |round| round.round + 1)
    }

    /// Adds a finished game.
    pub fn add(&mut self, game: MatchGame) {
        self.standings.add(&game);
        self.unfinished.remove(&game.game);
        self.games.push(game);
    }

    /// Adds a move of a game that is not finished, after `at` others; later ones are dropped. `false` if
    /// there are not as many.
    pub(in crate::runner) fn moved(&mut self, game: usize, at: usize, ply: PlyRecord) -> bool {
        let plies = self.unfinished.entry(game).or_default();
        plies.truncate(at);
        let fits = plies.len() == at;
        plies.extend(fits.then_some(ply));
        fits
    }

    /// The moves of games that were interrupted, which are taken up now.
    pub(in crate::runner) fn take_unfinished(&mut self) -> BTreeMap<usize, Vec<PlyRecord>> {
        std::mem::take(&mut self.unfinished)
    }

    /// The moves of this game, if it was interrupted.
    pub(in crate::runner) fn take_moves(&mut self, game: usize) -> Vec<PlyRecord> {
        self.unfinished.remove(&game).unwrap_or_default()
    }

    /// Adds a round.
    pub(in crate::runner) fn add_round(&mut self, round: Round) {
        self.rounds.push(round);
    }

    /// Carries out a decision of the director, and returns it as it is kept: a player withdraws
    /// from the next unpaired round on, or from a later one if named.
    ///
    /// # Errors
    /// If it is about a game or an engine that there is not.
    pub fn decide(&mut self, config: &Contest, act: Act) -> Result<Act, ActError> {
        if config.tournament().is_none() {
            return Err(ActError::NoTournament);
        }
        let act = match act {
            Act::Withdraw { engine, from: 0 } => Act::Withdraw { engine, from: self.next_round() },
            act => act,
        };
        if let Act::Withdraw { engine, .. } = act
            && (engine >= config.engines.len() || self.withdrawn(usize::MAX).contains(&engine))
        {
            return Err(ActError::NotThere(engine + 1));
        }
        act.apply(&mut self.games)?;
        self.acts.push(act);
        self.standings = Standings::of(config, &self.games);
        Ok(act)
    }

    /// Drops the moves of all games, which would fill the memory in a long match.
    pub fn drop_moves(&mut self) {
        self.games.iter_mut().for_each(MatchGame::drop_moves);
    }

    /// Drops the moves of the last game.
    pub(in crate::runner) fn drop_last_moves(&mut self) {
        if let Some(game) = self.games.last_mut() {
            game.drop_moves();
        }
    }
}
