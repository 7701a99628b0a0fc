//! The places and pairings of a tournament for programs.

use schemars::JsonSchema;
use serde::Serialize;

use crate::runner::config::{Contest, Format};
use crate::runner::game::match_game::MatchGame;
use crate::runner::report::name;
use crate::runner::stats::places::{PlaceRecord, places};
use crate::runner::stats::results::MatchResults;
use crate::runner::tournament::schedule::{Pairing, Round};
use movegen::json::Record;

/// A tournament: its places, the first one first, and its rounds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TournamentRecord {
    event: String,
    /// `swiss`, `round-robin`, `knock-out` or `gauntlet`.
    format: Format,
    /// The last round that is paired, from 1; 0 before the first one.
    round: usize,
    /// Games that are finished.
    games: usize,
    places: Vec<PlaceRecord>,
    rounds: Vec<RoundRecord>,
}

impl Record for TournamentRecord {
    const TYPE: &'static str = "tournament";
}

/// The pairings of a round.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct RoundRecord {
    round: usize,
    games: Vec<RoundGameRecord>,
    /// Players who are free.
    free: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct RoundGameRecord {
    /// From 1; null before the round is paired.
    game: Option<usize>,
    white: String,
    black: String,
    /// `2-0`, `1-1`, `0-2`, `0-0`, or `*` for a game without a result; null before its end.
    result: Option<&'static str>,
    /// Why it ended.
    termination: Option<String>,
}

impl RoundRecord {
    /// A round with its results, `first` being the number of its first game in the schedule; without one
    /// it is not paired yet.
    pub(super) fn new(
        config: &Contest,
        round: &Round,
        first: Option<usize>,
        results: &MatchResults,
    ) -> RoundRecord {
        let game = |(place, pairing): (usize, &Pairing)| {
            let number = first.map(|first| first + place);
            let played = |number| results.games().iter().find(|game| game.game == number);
            let played: Option<&MatchGame> = number.and_then(played);
            RoundGameRecord {
                game: number.map(|number| number + 1),
                white: name(config, pairing.white).to_owned(),
                black: name(config, pairing.black).to_owned(),
                result: played.map(|game| game.result().as_str()),
                termination: played.map(|game| game.termination.to_string()),
            }
        };
        let free = round.free.iter().map(|&engine| name(config, engine).to_owned());
        RoundRecord {
            round: round.round,
            games: round.games.iter().enumerate().map(game).collect(),
            free: free.collect(),
        }
    }
}

impl TournamentRecord {
    pub(super) fn rounds(&self) -> &[RoundRecord] {
        &self.rounds
    }

    /// The current state of a tournament.
    #[must_use]
    pub fn new(config: &Contest, results: &MatchResults) -> TournamentRecord {
        let mut first = 0;
        let round = |round: &Round| {
            let record = RoundRecord::new(config, round, Some(first), results);
            first += round.games.len();
            record
        };
        TournamentRecord {
            event: config.event.clone(),
            format: config.format().unwrap_or(Format::RoundRobin),
            round: results.next_round() - 1,
            games: results.games().len(),
            places: places(config, results),
            rounds: results.rounds().iter().map(round).collect(),
        }
    }
}
