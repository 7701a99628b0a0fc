//! Differences in strength with their uncertainty.

use std::f64::consts::{LN_10, SQRT_2};
use std::fmt;

use super::sample::Sample;

/// The two-sided 95 % quantile of the normal distribution.
pub(super) const Z95: f64 = 1.959_963_984_540_054;
/// The text in tables for an estimate when all results were the same.
pub const NOT_KNOWN: &str = "not known yet";
/// Normalised Elo per standard deviation of one game's score.
pub(super) const NORMALISED_SCALE: f64 = 800.0 / LN_10;

/// A value with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The most likely value; may be infinite.
    pub value: f64,
    /// Lower end of the interval; may be infinite.
    pub low: f64,
    /// Upper end of the interval; may be infinite.
    pub high: f64,
}

impl Estimate {
    /// Half the width of the interval: the `±` of reports. Infinite if an end is.
    #[must_use]
    pub fn error(&self) -> f64 {
        if self.low.is_finite() && self.high.is_finite() {
            (self.high - self.low) / 2.0
        } else {
            f64::INFINITY
        }
    }
}

impl fmt::Display for Estimate {
    /// `+12.3 ±4.5`; words where there is no number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self.value {
            f64::INFINITY => "all won".to_owned(),
            f64::NEG_INFINITY => "all lost".to_owned(),
            value if self.error().is_finite() => format!("{value:+.1} ±{:.1}", self.error()),
            value => format!("{value:+.1} ±inf"),
        })
    }
}

/// The difference in strength from some games, from the first player's view.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// Logistic Elo; infinite if all was won or lost. `None` if all results were the same otherwise:
    /// then there is no spread to measure its uncertainty by.
    pub elo: Option<Estimate>,
    /// Normalised Elo: the expected score's distance from a half in standard deviations of one
    /// game, times 800/ln 10. It does not depend on the share of draws. `None` if all results
    /// were the same, because then there is no deviation to measure by.
    pub normalised: Option<Estimate>,
    /// Likelihood of superiority: the probability, 0.0..=1.0, that the first player is stronger.
    /// `None` if all results were the same, as after one game or pair: it is unknown then.
    pub superiority: Option<f64>,
}

impl Rating {
    /// `games` is the number of games in one observation.
    pub(super) fn of<const N: usize>(sample: &Sample<N>, games: f64) -> Rating {
        let (score, variance) = Sample::moments(&sample.shares);
        let deviation = (variance / sample.total).sqrt();
        let ends = [score, score - Z95 * deviation, score + Z95 * deviation];
        let estimate = |f: &dyn Fn(f64) -> f64| {
            let [value, low, high] = ends.map(f);
            Estimate { value, low, high }
        };
        // Standard deviations below the rounding of the sums count as none.
        let normalised = (variance > 1e-12).then(|| {
            let per_game = (games * variance).sqrt();
            estimate(&|s| (s - 0.5) / per_game * NORMALISED_SCALE)
        });
        let is_spread = normalised.is_some();
        let superiority = is_spread.then(|| normal_cdf((score - 0.5) / deviation));
        let elo = estimate(&elo_of_score);
        let elo = Some(elo).filter(|elo| is_spread || elo.value.is_infinite());
        Rating { elo, normalised, superiority }
    }

    /// Elo for people.
    #[must_use]
    pub fn elo_text(&self) -> String {
        self.elo.map_or_else(|| NOT_KNOWN.to_owned(), |elo| elo.to_string())
    }
}

/// Logistic Elo of an expected score; infinite outside the open interval from 0 to 1.
fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        // Adding zero turns -0 into 0.
        -400.0 * (1.0 / score - 1.0).log10() + 0.0
    }
}

/// The expected score of a logistic Elo difference.
pub(super) fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

pub(super) fn normal_cdf(x: f64) -> f64 {
    libm::erfc(-x / SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::super::{Pentanomial, Tally};
    use super::*;

    fn close(found: f64, published: f64) {
        let tolerance = 0.006_f64.max(published.abs() * 1e-3);
        assert!((found - published).abs() < tolerance, "{found} instead of {published}");
    }

    fn check(rating: Option<Rating>, nelo: [f64; 2], elo: Option<[f64; 2]>, los: Option<f64>) {
        let rating = rating.unwrap();
        let normalised = rating.normalised.unwrap();
        close(normalised.value, nelo[0]);
        close(normalised.error(), nelo[1]);
        if let Some([value, error]) = elo {
            let elo = rating.elo.unwrap();
            close(elo.value, value);
            close(elo.error(), error);
        }
        if let Some(los) = los {
            close(rating.superiority.unwrap() * 100.0, los);
        }
    }

    #[test]
    fn equal_scores_have_no_sign() {
        let rating = Tally { wins: 1, draws: 0, losses: 1 }.rating().unwrap();
        assert!(rating.elo_text().starts_with("+0.0 "), "{rating:?}");
        assert!(rating.normalised.unwrap().to_string().starts_with("+0.0 "));
    }

    /// Values that the tests of fastchess expect (`elo_test.cpp`) for wins, losses, draws.
    #[test]
    fn single_games_as_fastchess_rates_them() {
        let rating = |wins, losses, draws| Tally { wins, draws, losses }.rating();
        check(rating(76, 89, 123), [-20.76, 40.13], None, Some(15.53));
        check(rating(136, 96, 111), [49.77, 36.77], Some([40.70, 30.43]), Some(99.60));
        check(rating(34, 356, 0), [-508.44, 34.48], None, None);
    }

    /// Values that the tests of fastchess expect (`elo_test.cpp`); its separate numbers of pairs
    /// with two draws and with a win each are added up.
    #[test]
    fn pairs_as_fastchess_rates_them() {
        let rating = |counts| Pentanomial(counts).rating();
        let first = rating([34, 54, 31 + 32, 64, 75]);
        check(first, [57.94, 28.28], Some([55.58, 27.65]), Some(100.0));
        let second = rating([332, 433, 457 + 41, 333, 334]);
        check(second, [-9.17, 10.96], Some([-8.64, 10.33]), Some(5.05));
        let third = rating([7895, 8757, 5485 + 200, 568, 9999]);
        check(third, [-19.01, 2.65], Some([-21.04, 2.95]), None);
    }

    /// The interval of the expected score must cover the truth in 95 of 100 cases: here the exact
    /// binomial probability of being covered, for a fair coin thrown 400 times.
    #[test]
    fn the_interval_covers_what_it_promises() {
        let n = 400u64;
        let mut probability = 0.5f64.powi(n as i32);
        let mut covered = 0.0;
        for wins in 0..=n {
            let rating = Tally { wins, draws: 0, losses: n - wins }.rating().unwrap();
            let elo = rating.elo.unwrap();
            if elo.low <= 0.0 && 0.0 <= elo.high {
                covered += probability;
            }
            probability *= (n - wins) as f64 / (wins + 1) as f64;
        }
        assert!((0.94..0.96).contains(&covered), "{covered}");
    }

    #[test]
    fn extreme_results_have_no_finite_rating() {
        let won = Tally { wins: 3, draws: 0, losses: 0 }.rating().unwrap();
        let elo = won.elo.unwrap();
        assert_eq!((elo.value, elo.error()), (f64::INFINITY, f64::INFINITY));
        assert_eq!((won.normalised, won.superiority), (None, None));
        let lost = Pentanomial([7, 0, 0, 0, 0]).rating().unwrap();
        assert_eq!((lost.elo_text(), lost.superiority), ("all lost".to_owned(), None));
        let one_sided = Tally { wins: 9, draws: 1, losses: 0 }.rating().unwrap();
        let elo = one_sided.elo.unwrap();
        assert!(elo.value.is_finite() && elo.high.is_infinite());
    }

    #[test]
    fn equal_results_tell_nothing_yet() {
        for rating in [
            Tally { wins: 0, draws: 1, losses: 0 }.rating(),
            Tally { wins: 0, draws: 9, losses: 0 }.rating(),
            Pentanomial([0, 0, 1, 0, 0]).rating(),
            Pentanomial([0, 0, 40, 0, 0]).rating(),
            Pentanomial([0, 1, 0, 0, 0]).rating(),
            Pentanomial([0, 0, 0, 3, 0]).rating(),
        ] {
            let rating = rating.unwrap();
            assert_eq!(rating.elo_text(), NOT_KNOWN);
            assert_eq!((rating.elo, rating.normalised, rating.superiority), (None, None, None));
        }
        let known = Pentanomial([0, 0, 39, 1, 0]).rating().unwrap();
        assert!(known.elo.is_some_and(|elo| elo.error() > 0.0) && known.superiority.is_some());
    }

    #[test]
    fn the_other_players_view_is_the_mirror_image() {
        let pairs = Pentanomial([10, 20, 70, 31, 16]);
        let [ours, theirs] = [pairs, pairs.reversed()].map(|p| p.rating().unwrap());
        let [elo, mirrored] = [ours, theirs].map(|rating| rating.elo.unwrap());
        close(elo.value, -mirrored.value);
        close(elo.low, -mirrored.high);
        close(ours.superiority.unwrap(), 1.0 - theirs.superiority.unwrap());
        for elo in [-300.0, 0.0, 5.0, 120.0] {
            close(elo_of_score(score_of_elo(elo)), elo);
        }
    }
}
