//! How the estimates developed.

use std::collections::HashMap;

use movegen::Wld;
use movegen::json::rounded;

use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::{Pentanomial, Tally};

/// The Elo of an engine and the ends of its interval after each of its games, in the order of their
/// ends; `None` where it is not known or not finite, as long as all results are the same.
pub(super) fn course(records: &[MatchGame], engine: usize) -> Vec<Option<[f64; 3]>> {
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
        let elo = elo.map(|elo| [elo.value, elo.low, elo.high].map(|elo| rounded(elo, 1)));
        points.push(elo.filter(|elo| elo.iter().all(|number| number.is_finite())));
    }
    points
}
