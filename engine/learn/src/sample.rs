//! From games to positions to learn from.

use std::collections::HashSet;

use clap::{Args, value_parser};
use movegen::random::{Random, mix};
use movegen::{Color, Position, Wld};
use serde::Serialize;

use super::game::{End, PlayedGame};
use super::store::GamesHeader;

/// Which positions to take: only those where neither side can capture, outside the databases that
/// the players had.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Args)]
pub struct Filter {
    /// Only positions with at least this many pieces
    #[arg(long, value_name = "N", default_value_t = Filter::default().min_pieces,
          value_parser = value_parser!(u32).range(2..=40))]
    pub min_pieces: u32,
    /// Only positions with a score of at most this many hundredths of a man
    #[arg(long = "max-score", value_name = "N", default_value_t = Filter::default().most_score,
          value_parser = value_parser!(i32).range(0..=10_000))]
    pub most_score: i32,
    /// Only positions where one side has at most this many more men; a king counts as three
    #[arg(long = "max-material", value_name = "N", default_value_t = Filter::default().most_material,
          value_parser = value_parser!(u32).range(0..=60))]
    pub most_material: u32,
    /// At most this many positions of a game
    #[arg(long, value_name = "N", default_value_t = Filter::default().per_game,
          value_parser = value_parser!(u32).range(1..=1000))]
    pub per_game: u32,
    /// The greatest score in games scored as draws without proof.
    #[arg(skip = Filter::default().most_unproven)]
    pub most_unproven: i32,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            min_pieces: 2,
            most_score: 400,
            most_material: 2,
            per_game: 30,
            most_unproven: 100,
        }
    }
}

impl Filter {
    /// This filter for games with databases of this many pieces, whose positions are left out too.
    #[must_use]
    pub fn beyond(self, database_pieces: u32) -> Filter {
        Filter { min_pieces: self.min_pieces.max(database_pieces + 1), ..self }
    }

    /// Whether the position with its score is taken from a game that ended like this.
    fn takes(&self, position: &Position, score: i32, game: &PlayedGame) -> bool {
        let material = |color| position.men(color).len() + 3 * position.kings(color).len();
        let unproven = game.white == Wld::Draw && !game.end.is_exact();
        position.piece_count() >= self.min_pieces
            && score.abs() <= if unproven { self.most_unproven } else { self.most_score }
            && material(Color::White).abs_diff(material(Color::Black)) <= self.most_material
            && Color::ALL.iter().all(|&color| !position.has_capture(color))
    }

    /// Adds the positions of a game to `samples`. The choice depends on the game alone.
    pub fn samples(&self, game: &PlayedGame, weight: f32, samples: &mut Vec<Sample>) {
        let first = samples.len();
        let result = game.white.points() as f32;
        let mut random = Random::new(fingerprint(game));
        let mut found = 0;
        for (position, ply) in game.positions() {
            let Some(score) = ply.and_then(|ply| ply.score) else { continue };
            let score = score.hundredths();
            if !self.takes(&position, score, game) {
                continue;
            }
            let side = if position.side_to_move() == Color::White { 1 } else { -1 };
            let sample = Sample { position, score: (side * score) as i16, result, weight };
            // All equally likely.
            found += 1;
            if samples.len() - first < self.per_game as usize {
                samples.push(sample);
            } else if let Some(place) = samples.get_mut(first + random.below(found)) {
                *place = sample;
            }
        }
    }
}

/// A random choice of the positions that training takes from games, all equally likely.
#[derive(Clone, Debug)]
pub struct RandomSamples {
    filter: Filter,
    count: usize,
    random: Random,
    /// Positions so far.
    found: u64,
    chosen: Vec<Sample>,
    seen: SeenGames,
    /// Positions of one game.
    samples: Vec<Sample>,
}

impl RandomSamples {
    /// At most `count` of the positions that the filter takes; another seed chooses others.
    #[must_use]
    pub fn new(filter: Filter, count: usize, seed: u64) -> RandomSamples {
        let random = Random::new(seed);
        let (chosen, samples, seen) = (Vec::new(), Vec::new(), SeenGames::default());
        RandomSamples { filter, count, random, found: 0, chosen, seen, samples }
    }

    /// Looks at a game of a file with this header.
    pub fn add(&mut self, header: &GamesHeader, game: &PlayedGame) {
        if !self.seen.is_new(game) {
            return;
        }
        self.samples.clear();
        self.filter.beyond(header.database_pieces).samples(game, 1.0, &mut self.samples);
        for &sample in &self.samples {
            self.found += 1;
            if self.chosen.len() < self.count {
                self.chosen.push(sample);
            } else if let Some(place) =
                self.chosen.get_mut(self.random.below_u64(self.found) as usize)
            {
                *place = sample;
            }
        }
    }

    /// The positions that were chosen.
    #[must_use]
    pub fn chosen(&self) -> &[Sample] {
        &self.chosen
    }
}

/// The games seen so far: positions of a game that occurs again are taken once.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenGames(HashSet<u64>);

impl SeenGames {
    /// Whether the game is the first of its kind: another start or other moves than those before.
    pub(super) fn is_new(&mut self, game: &PlayedGame) -> bool {
        self.0.insert(fingerprint(game))
    }
}

/// A number that is usually different for each game.
fn fingerprint(game: &PlayedGame) -> u64 {
    let last = game.plies.iter().fold(0u64, |all, ply| mix(all ^ ply.mv.to_bits()));
    mix(game.start.key() ^ last)
}

/// Whether a game is held out of the training, to measure its success.
pub(super) fn is_held_out(game: &PlayedGame) -> bool {
    fingerprint(game).is_multiple_of(HELD_OUT)
}

/// One game in this many is held out.
const HELD_OUT: u64 = 32;

/// A position to learn from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// The position.
    pub position: Position,
    /// White's score by the search, in hundredths of a man.
    pub score: i16,
    /// White's result: 0, 0.5 or 1.
    pub result: f32,
    /// Its weight.
    pub weight: f32,
}

/// The ends of games whose results [`Filter`] checks.
const _: () = assert!(!End::NoProgress.is_exact() && !End::Length.is_exact());

#[cfg(test)]
mod tests {
    use super::super::test_games;
    use super::*;

    #[test]
    fn chosen_positions_are_some_of_all() {
        let (header, games) = test_games::games(60);
        let (most_score, most_unproven) = (10_000, 10_000);
        let filter = Filter { most_score, most_unproven, most_material: 100, ..Filter::default() };
        let chosen = |count, seed| {
            let mut samples = RandomSamples::new(filter, count, seed);
            // Copies change nothing.
            games.iter().chain(&games).for_each(|game| samples.add(&header, game));
            samples.chosen().to_vec()
        };
        let all = chosen(usize::MAX, 1);
        assert!(all.len() > 10, "{}", all.len());
        let some = chosen(5, 1);
        assert_eq!(some.len(), 5);
        assert!(some.iter().all(|sample| all.contains(sample)));
        assert!(some != chosen(5, 2) && some == chosen(5, 1));
        // Not just the first ones.
        assert!(some.iter().any(|sample| !all[..5].contains(sample)));
    }
}
