//! How the estimates developed.

use std::collections::HashMap;

use movegen::Wld;

use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::{Estimate, Pentanomial, Tally};

/// The estimates of an engine's strength after each of its games.
pub(super) struct Course {
    /// Number of games and Elo; `None` where it is not known or not finite, as long as all results
    /// are the same.
    pub points: Vec<(usize, Option<Estimate>)>,
}

/// The course of one engine through the games, in the order of their ends.
pub(super) fn course(records: &[MatchGame], engine: usize) -> Course {
    let mut tally = Tally::default();
    let mut pairs = Pentanomial::default();
    let mut halves: HashMap<usize, Wld> = HashMap::new();
    let mut points = Vec::new();
    for record in records {
        let Some(outcome) = record.outcome_for(engine) else { continue };
        tally.add(outcome);
        match halves.remove(&record.pairing.pair) {
            Some(first) => pairs.add(first, outcome),
            None => {
                halves.insert(record.pairing.pair, outcome);
            }
        }
        let rating = pairs.rating().or_else(|| tally.rating());
        let elo = rating.and_then(|rating| rating.elo);
        let elo = elo.filter(|elo| elo.value.is_finite() && elo.error().is_finite());
        points.push((tally.games() as usize, elo));
    }
    Course { points }
}
