//! How a new decision of the director reaches finished games, and the unfinished ones of a tournament
//! that is interrupted.

use crate::runner::config::{Contest, Format};
use crate::runner::game::{Fixture, ordered};
use crate::runner::openings::starts::Starts;
use crate::runner::stats::results::MatchResults;
use crate::runner::tournament::acts::{Act, ActError};
use crate::runner::tournament::rounds::winner;
use crate::runner::tournament::state::{Resumed, StateError};
use meerslag_search::EngineError;
use thiserror::Error;

/// Why a decision cannot be carried out.
#[derive(Debug, Error)]
pub enum DecisionError {
    /// It is refused.
    #[error(transparent)]
    Act(#[from] ActError),
    /// It cannot be kept.
    #[error(transparent)]
    State(#[from] StateError),
    /// The start of a game that was never played cannot be found.
    #[error(transparent)]
    Start(#[from] EngineError),
}

/// Carries out a decision about a finished game or a player, and returns it as it is kept.
///
/// # Errors
/// As [`MatchResults::decide`], and in a knock-out if it could change who plays in a later round that is
/// paired.
pub(super) fn decide(
    config: &Contest,
    results: &mut MatchResults,
    act: Act,
) -> Result<Act, ActError> {
    let pairing = act.game().and_then(|game| results.schedule(config).get(game).copied());
    let last = results.next_round() - 1;
    if let Some(pairing) =
        pairing.filter(|it| config.format() == Some(Format::KnockOut) && it.round < last)
    {
        let mut after = results.clone();
        let act = after.decide(config, act)?;
        let winners = [&*results, &after].map(|results| winner(config, results, pairing));
        if matches!(act, Act::Replay(_)) || winners[0] != winners[1] {
            let (game, round) = (act.game().map_or(0, |game| game + 1), pairing.round + 1);
            return Err(ActError::LaterRound { game, round });
        }
    }
    results.decide(config, act)
}

impl Resumed {
    /// Carries out a decision, and keeps it in the state file. A game of a paired round that has not been
    /// finished gets its result without being played.
    ///
    /// # Errors
    /// If it is refused, or cannot be kept.
    pub fn decide(&mut self, act: Act) -> Result<(), DecisionError> {
        let Resumed { config, results, state, .. } = self;
        if let Some(number) = act.game().filter(|&game| !results.is_played(game))
            && act.result()?.is_some()
            && config.tournament().is_some()
            && let Some(&pairing) = results.schedule(config).get(number)
        {
            let start = Starts::new(config, results.games())?.of(pairing);
            let halfmoves = start.start_counters().plies();
            let played = results.take_moves(number);
            let fixture = Fixture { number, pairing, start: *start.start(), halfmoves, played };
            if let Some(game) = ordered(&fixture, act) {
                state.add(&game)?;
                results.add(game);
            }
            return Ok(());
        }
        let act = decide(config, results, act)?;
        Ok(state.decide(act)?)
    }
}
