//! What the director of a tournament decides: a game does not count, is played again or is scored by hand,
//! or a player goes home.

use movegen::notation::pdn::GameResult;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::runner::game::match_game::MatchGame;
use crate::runner::game::termination::Termination;

/// A decision. Games are counted from 0, as in the schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// The game has no result.
    Annul(usize),
    /// The game is played again; its record is dropped.
    Replay(usize),
    /// White gets this result.
    Score {
        /// The game.
        game: usize,
        /// The points of White and Black as PDN writes them: 2-0, 1-1, 0-2 or 0-0.
        points: (u8, u8),
    },
    /// The engine is not paired any more from this round on.
    Withdraw {
        /// Its number in the configuration.
        engine: usize,
        /// From 1.
        from: usize,
    },
}

/// Why the director cannot decide that.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ActError {
    /// There is no result yet.
    #[error("game {0} is not finished")]
    NotFinished(usize),
    /// An engine that is not there, or not any more.
    #[error("engine {0} does not play in this tournament any more")]
    NotThere(usize),
    /// No result of a game.
    #[error("{0}-{1} is no result: expected 2-0, 1-1, 0-2 or 0-0")]
    Points(u8, u8),
    /// A match has no director.
    #[error("only tournaments have a director")]
    NoTournament,
}

/// The result with these points.
fn result_of((white, black): (u8, u8)) -> Result<GameResult, ActError> {
    let all =
        [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins, GameResult::BothLose];
    let text = format!("{white}-{black}");
    all.into_iter().find(|r| r.as_str() == text).ok_or(ActError::Points(white, black))
}

impl Act {
    /// What it does to these games.
    pub(in crate::runner) fn apply(self, games: &mut Vec<MatchGame>) -> Result<(), ActError> {
        let find = |games: &[MatchGame], number: usize| {
            let place = games.iter().position(|game| game.game == number);
            place.ok_or(ActError::NotFinished(number + 1))
        };
        match self {
            Act::Annul(number) => {
                let place = find(games, number)?;
                decide(&mut games[place], GameResult::Unknown, "annulled");
            }
            Act::Replay(number) => {
                games.remove(find(games, number)?);
            }
            Act::Score { game, points } => {
                let result = result_of(points)?;
                let place = find(games, game)?;
                decide(&mut games[place], result, "scored");
            }
            Act::Withdraw { .. } => {}
        }
        Ok(())
    }
}

/// Gives a game another result; the record says which one it had.
fn decide(game: &mut MatchGame, result: GameResult, verb: &str) {
    let before = format!("{verb} by the director; played {}", game.record.result);
    let before = format!("{before} ({})", game.termination);
    let parts = [game.detail.as_str(), &before];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    game.detail = parts.join("; ");
    game.record.result = result;
    game.termination = Termination::Director;
}
