//! Counts of single games and of pairs of games.

use movegen::Wld;
use serde::{Deserialize, Serialize};

use super::rating::Rating;
use super::sample::Sample;

/// Numbers of games by result, from one player's view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Tally {
    /// Counts one more game.
    pub const fn add(&mut self, result: Wld) {
        match result {
            Wld::Win => self.wins += 1,
            Wld::Draw => self.draws += 1,
            Wld::Loss => self.losses += 1,
        }
    }

    /// Counts the games of another tally too.
    pub const fn merge(&mut self, other: Tally) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }

    /// These games from the other player's view.
    #[must_use]
    pub const fn reversed(self) -> Tally {
        Tally { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// Number of games.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points: 1 for a win, a half for a draw.
    #[must_use]
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Share of the possible points, 0.0..=1.0; `None` without a game.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }

    /// Share of drawn games, 0.0..=1.0; `None` without a game.
    #[must_use]
    pub fn draw_ratio(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }

    /// The difference in strength that these games suggest if each is independent of the others;
    /// `None` without a game. For games played in pairs [`Pentanomial::rating`] is the better.
    #[must_use]
    pub fn rating(&self) -> Option<Rating> {
        Some(Rating::of(&self.sample()?, 1.0))
    }

    pub(super) fn sample(&self) -> Option<Sample<3>> {
        Sample::new([self.losses, self.draws, self.wins])
    }
}

/// Numbers of pairs of games by one player's points in both games together: index 0 for no points,
/// 4 for two.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Counts one more pair.
    pub const fn add(&mut self, first: Wld, second: Wld) {
        self.0[(first.rank() + second.rank()) as usize] += 1;
    }

    /// These pairs from the other player's view.
    #[must_use]
    pub const fn reversed(self) -> Pentanomial {
        let [a, b, c, d, e] = self.0;
        Pentanomial([e, d, c, b, a])
    }

    /// Number of pairs.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The difference in strength that these pairs suggest; `None` without a pair.
    #[must_use]
    pub fn rating(&self) -> Option<Rating> {
        Some(Rating::of(&self.sample()?, 2.0))
    }

    pub(super) fn sample(&self) -> Option<Sample<5>> {
        Sample::new(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_and_pairs_are_counted() {
        let mut tally = Tally::default();
        let mut pairs = Pentanomial::default();
        assert_eq!((tally.score(), tally.draw_ratio(), tally.rating()), (None, None, None));
        assert!(pairs.rating().is_none());
        let results = [
            (Wld::Win, Wld::Win),
            (Wld::Win, Wld::Draw),
            (Wld::Draw, Wld::Draw),
            (Wld::Loss, Wld::Win),
            (Wld::Loss, Wld::Loss),
        ];
        for (a, b) in results {
            tally.add(a);
            tally.add(b);
            pairs.add(a, b);
        }
        assert_eq!(tally, Tally { wins: 4, draws: 3, losses: 3 });
        assert_eq!(pairs, Pentanomial([1, 0, 2, 1, 1]));
        assert_eq!(pairs.reversed(), Pentanomial([1, 1, 2, 0, 1]));
        assert_eq!((tally.games(), tally.points(), pairs.pairs()), (10, 5.5, 5));
        assert_eq!((tally.score(), tally.draw_ratio()), (Some(0.55), Some(0.3)));
        assert_eq!(tally.reversed().reversed(), tally);
        tally.merge(tally.reversed());
        assert_eq!(tally.score(), Some(0.5));
    }
}
