//! Simultaneous perturbation (SPSA): finds the numbers that score most points.
//!
//! A pair of games is played by two versions: in one each number is a little greater or smaller
//! than now, at random; in the other it differs as much the other way. All numbers then move
//! towards the version that has won. Source: J. C. Spall, "Implementation of the simultaneous
//! perturbation algorithm for stochastic optimization", 1998. The gains are given by their last
//! values as in Fishtest, the tuner of Stockfish.

use movegen::random::Random;

/// Spall's exponents, by which changes and steps shrink.
const GAMMA: f64 = 0.101;
const ALPHA: f64 = 0.602;
/// The share of the run that steps wait before they shrink.
const STABILITY: f64 = 0.1;
/// The last change of a number, as a share of its range. The versions of a small number differ by
/// 1.
const LAST_CHANGE: f64 = 0.05;
const LEAST_CHANGE: f64 = 0.5;

/// The range of a number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Range {
    /// How much the versions differ from the number at the end.
    fn last_change(self) -> f64 {
        ((self.high - self.low) * LAST_CHANGE).max(LEAST_CHANGE)
    }
}

/// How the numbers move.
#[derive(Clone, Debug)]
pub(super) struct Spsa {
    pub(super) ranges: Vec<Range>,
    /// Pairs of the whole run.
    pub(super) pairs: u64,
    /// How far a won game moves a number at the end, as a share of its change.
    pub(super) rate: f64,
}

/// The two versions that play a pair.
#[derive(Clone, Debug)]
pub(super) struct Versions {
    pub(super) plus: Vec<i32>,
    pub(super) minus: Vec<i32>,
    /// How far each number moves for each game that `plus` wins beyond those it loses.
    moves: Vec<f64>,
}

impl Spsa {
    /// The versions of the pair with this number, from 0.
    pub(super) fn versions(&self, values: &[f64], pair: u64, random: &mut Random) -> Versions {
        let (now, all) = (pair as f64 + 1.0, self.pairs as f64);
        let wait = STABILITY * all;
        let widening = (all / now).powf(GAMMA);
        let quickening = ((wait + all) / (wait + now)).powf(ALPHA) / widening;
        let mut versions = Versions { plus: Vec::new(), minus: Vec::new(), moves: Vec::new() };
        for (&value, &range) in values.iter().zip(&self.ranges) {
            let change = range.last_change() * widening;
            let direction = if random.below(2) == 0 { 1.0 } else { -1.0 };
            // Rounded at random, so that the average is the number itself.
            let share = random.next_u64() as f64 / 2f64.powi(64);
            let whole = |value: f64| (value + share).floor().clamp(range.low, range.high) as i32;
            versions.plus.push(whole(value + direction * change));
            versions.minus.push(whole(value - direction * change));
            versions.moves.push(direction * self.rate * range.last_change() * quickening);
        }
        versions
    }

    /// Moves the numbers by the games that `plus` has won beyond those it has lost.
    pub(super) fn learn(&self, values: &mut [f64], versions: &Versions, won: i32) {
        for ((value, &range), step) in values.iter_mut().zip(&self.ranges).zip(&versions.moves) {
            *value = (*value + step * f64::from(won)).clamp(range.low, range.high);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spsa(pairs: u64) -> Spsa {
        let range = |low, high| Range { low, high };
        Spsa {
            ranges: vec![range(0.0, 100.0), range(-60.0, 60.0), range(1.0, 9.0)],
            pairs,
            rate: 0.002,
        }
    }

    /// Games where each number costs points by the square of its distance from the best, and luck
    /// decides most.
    #[test]
    fn numbers_find_the_best_ones_through_noise() {
        let spsa = spsa(30_000);
        let best = [70.0, -20.0, 6.0];
        let loss = |version: &[i32]| -> f64 {
            let one = |i: usize| {
                (f64::from(version[i]) - best[i]) / (spsa.ranges[i].high - spsa.ranges[i].low)
            };
            (0..3).map(|i| one(i).powi(2)).sum()
        };
        for seed in 1..=3 {
            let mut random = Random::new(seed);
            let mut values = vec![20.0, 40.0, 2.0];
            for pair in 0..spsa.pairs {
                let versions = spsa.versions(&values, pair, &mut random);
                let ahead = loss(&versions.minus) - loss(&versions.plus);
                let game = |random: &mut Random| {
                    let luck = random.below(1_000_000) as f64 / 1_000_000.0;
                    let won = f64::midpoint(0.5, ahead);
                    if luck < won {
                        1
                    } else if luck < won + 0.5 {
                        0
                    } else {
                        -1
                    }
                };
                let won = game(&mut random) + game(&mut random);
                spsa.learn(&mut values, &versions, won);
            }
            for (i, value) in values.iter().enumerate() {
                let range = spsa.ranges[i].high - spsa.ranges[i].low;
                assert!((value - best[i]).abs() < 0.15 * range, "{seed}: {values:?}");
            }
        }
    }

    #[test]
    fn versions_lie_on_both_sides_and_within_the_ranges() {
        let spsa = spsa(1_000);
        let mut random = Random::new(4);
        let values = [99.5, 0.25, 5.0];
        let mut sums = [0; 3];
        for pair in 0..1_000 {
            let versions = spsa.versions(&values, pair, &mut random);
            for (i, sum) in sums.iter_mut().enumerate() {
                let (plus, minus) = (versions.plus[i], versions.minus[i]);
                assert_ne!(plus, minus, "{versions:?}");
                assert_eq!(plus > minus, versions.moves[i] > 0.0, "{versions:?}");
                for value in [plus, minus].map(f64::from) {
                    assert!(value >= spsa.ranges[i].low && value <= spsa.ranges[i].high);
                }
                *sum += plus + minus;
            }
        }
        // Rounded at random, so exact on average.
        assert!((f64::from(sums[1]) / 2_000.0 - 0.25).abs() < 0.1, "{sums:?}");
        // Later changes are smaller.
        let width = |pair| {
            let versions = spsa.versions(&values, pair, &mut Random::new(1));
            (versions.plus[1] - versions.minus[1]).abs()
        };
        assert!(width(0) > width(999));
    }
}
