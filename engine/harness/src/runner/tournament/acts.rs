//! Decisions of the director of a tournament: a game does not count, is replayed or is scored by
//! hand, or a player withdraws.

use movegen::notation::pdn::GameResult;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::runner::config::Contest;
use crate::runner::game::match_game::MatchGame;
use crate::runner::game::termination::Termination;

/// A decision. Games are counted from 0, as in the schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// The game has no result.
    Annul(usize),
    /// The game is replayed; its record is dropped.
    Replay(usize),
    /// White gets this result.
    Score {
        /// The game.
        game: usize,
        /// The points of White and Black as PDN writes them: 2-0, 1-1, 0-2 or 0-0.
        points: (u8, u8),
    },
    /// The engine is no longer paired, from this round on.
    Withdraw {
        /// Its number in the configuration.
        engine: usize,
        /// From 1; 0 for the next round not yet paired.
        from: usize,
    },
}

/// Why a decision is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ActError {
    /// The game has no result yet.
    #[error("game {0} is not finished, and not being played")]
    NotFinished(usize),
    /// In a knock-out: who advances is settled.
    #[error("game {game}: that could change who plays in round {round}, which is paired already")]
    LaterRound {
        /// The game, from 1.
        game: usize,
        /// The round after it.
        round: usize,
    },
    /// There is no such engine, or it has withdrawn.
    #[error("engine {0} does not play in this tournament any more")]
    NotThere(usize),
    /// Not a result of a game.
    #[error("{0}-{1} is not a result: expected 2-0, 1-1, 0-2 or 0-0")]
    Points(u8, u8),
    /// The game has begun, or is of another round.
    #[error("game {0} does not wait to be played in this round")]
    NotWaiting(usize),
    /// The break is too long.
    #[error("a break of {0} s: expected seconds up to a week")]
    Break(u64),
    /// A match has no director.
    #[error("only tournaments have a director")]
    NoTournament,
    /// Nobody takes decisions: the tournament is beginning or ending.
    #[error("the tournament hears no decisions now")]
    NotHeard,
}

/// The result with these points.
fn result_of((white, black): (u8, u8)) -> Result<GameResult, ActError> {
    let all =
        [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins, GameResult::BothLose];
    let text = format!("{white}-{black}");
    all.into_iter().find(|r| r.as_str() == text).ok_or(ActError::Points(white, black))
}

impl Act {
    /// The game that it is about, from 0.
    #[must_use]
    pub const fn game(self) -> Option<usize> {
        match self {
            Act::Annul(game) | Act::Replay(game) | Act::Score { game, .. } => Some(game),
            Act::Withdraw { .. } => None,
        }
    }

    /// In words, about a game or player of this match.
    #[must_use]
    pub fn to_text(self, config: &Contest) -> String {
        match self {
            Act::Annul(game) => format!("game {} is annulled", game + 1),
            Act::Replay(game) => format!("game {} is played again", game + 1),
            Act::Score { game, points: (white, black) } => {
                format!("game {} is scored {white}-{black}", game + 1)
            }
            Act::Withdraw { engine, from } => {
                let name = config.engines.get(engine).map_or("?", |engine| engine.name.as_str());
                format!("{name} is not paired any more from round {from} on")
            }
        }
    }

    /// The result that it gives to its game, if it gives one.
    pub(in crate::runner) fn result(self) -> Result<Option<GameResult>, ActError> {
        match self {
            Act::Annul(_) => Ok(Some(GameResult::Unknown)),
            Act::Score { points, .. } => result_of(points).map(Some),
            Act::Replay(_) | Act::Withdraw { .. } => Ok(None),
        }
    }

    /// Its word in a record: `annulled`.
    pub(in crate::runner) const fn verb(self) -> &'static str {
        match self {
            Act::Annul(_) => "annulled",
            Act::Score { .. } => "scored",
            Act::Replay(_) => "played again",
            Act::Withdraw { .. } => "withdrawn",
        }
    }

    /// Applies it to these games.
    pub(in crate::runner) fn apply(self, games: &mut Vec<MatchGame>) -> Result<(), ActError> {
        let find = |games: &[MatchGame], number: usize| {
            let place = games.iter().position(|game| game.game == number);
            place.ok_or(ActError::NotFinished(number + 1))
        };
        let Some(number) = self.game() else { return Ok(()) };
        let result = self.result()?;
        let place = find(games, number)?;
        match result {
            Some(result) => decide(&mut games[place], result, self.verb()),
            None => {
                games.remove(place);
            }
        }
        Ok(())
    }
}

/// Gives a game another result; the record keeps the old one.
fn decide(game: &mut MatchGame, result: GameResult, verb: &str) {
    let before = format!("{verb} by the director; played {}", game.record.result);
    let before = format!("{before} ({})", game.termination);
    let parts = [game.detail.as_str(), &before];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    game.detail = parts.join("; ");
    game.record.result = result;
    game.termination = Termination::Director;
}
