//! The playing level that plays about as well.

use std::fmt;

use meerslag_search::PlayingLevel;
use movegen::notation::pdn::SideSummary;

/// The accuracy of the levels from 1 on, in percent; docs/annotate.md has the games.
const ACCURACY: [f64; 9] = [78.9, 80.7, 83.7, 87.8, 89.6, 92.5, 94.4, 96.4, 98.3];
/// The least number of moves for an estimate.
const LEAST_MOVES: u32 = 40;

/// How strong play was, measured by the playing levels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Strength {
    /// The level that plays about as well, 1 to 10; also the last measured one for stronger play.
    pub level: u8,
    /// Elo over level 1, between levels in proportion; 0 at level 1 and below.
    pub elo: u32,
}

/// How strong play was, with the ends of its interval of 95 % by how much the moves differ.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StrengthRange {
    /// By the accuracy itself.
    pub mean: Strength,
    /// By an accuracy that is less by its margin.
    pub low: Strength,
    /// By one that is more.
    pub high: Strength,
}

impl StrengthRange {
    /// From the accuracy of at least 40 moves; `None` with fewer, or if nothing was at stake.
    #[must_use]
    pub fn of(play: &SideSummary) -> Option<StrengthRange> {
        let accuracy = play.accuracy().filter(|_| play.moves >= LEAST_MOVES)?;
        let margin = play.accuracy_margin()?;
        let [low, mean, high] = [-margin, 0.0, margin].map(|more| Strength::at(accuracy + more));
        Some(StrengthRange { mean, low, high })
    }
}

impl fmt::Display for StrengthRange {
    /// As `5 (3-6)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, mean, high] = [self.low, self.mean, self.high].map(|one| one.level);
        write!(f, "{mean} ({low}-{high})")
    }
}

impl Strength {
    fn at(accuracy: f64) -> Strength {
        let below = ACCURACY.iter().filter(|&&level| level <= accuracy).count().max(1);
        let share = match ACCURACY.get(below) {
            Some(next) => (accuracy - ACCURACY[below - 1]) / (next - ACCURACY[below - 1]),
            None => 0.0,
        };
        let share = share.clamp(0.0, 1.0);
        let step = |number: usize| {
            let level = u8::try_from(number).ok().and_then(PlayingLevel::new);
            f64::from(level.and_then(PlayingLevel::elo_step).unwrap_or(0))
        };
        let elo = (2..=below).map(step).sum::<f64>() + share * step(below + 1);
        let level = below + usize::from(share >= 0.5);
        Strength { level: level as u8, elo: elo.round() as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_play_is_stronger() {
        assert!(ACCURACY.is_sorted_by(|a, b| a < b));
        for (level, accuracy) in (1..).zip(ACCURACY) {
            assert_eq!(Strength::at(accuracy).level, level);
        }
        let elos: Vec<u32> = (0..=1000).map(|n| Strength::at(f64::from(n) / 10.0).elo).collect();
        assert!(elos.is_sorted());
        let step = PlayingLevel::new(2).and_then(PlayingLevel::elo_step);
        assert_eq!((elos[0], Some(Strength::at(ACCURACY[1]).elo)), (0, step));
    }

    /// One move of five gives away a third of the points.
    fn played(moves: u32) -> StrengthRange {
        let mut play = SideSummary::default();
        for number in 0..moves {
            let dropped = if number % 5 == 0 { 0.3 } else { 0.0 };
            play.count(0.5, dropped, movegen::notation::pdn::Grade::Good);
        }
        StrengthRange::of(&play).unwrap()
    }

    #[test]
    fn more_moves_have_a_smaller_margin() {
        let ranges = [40, 400, 4000].map(played);
        for range in ranges {
            assert_eq!(range.mean, ranges[0].mean);
            assert!(range.low.elo < range.mean.elo && range.mean.elo < range.high.elo);
        }
        let widths = ranges.map(|range| range.high.elo - range.low.elo);
        assert!(widths.is_sorted_by(|wide, narrow| wide > narrow), "{widths:?}");
        assert_eq!(ranges[0].to_string(), "4 (2-8)");
    }
}
