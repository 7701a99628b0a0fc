//! The sequential probability ratio test: stop a match as soon as the answer is clear.
//!
//! Two hypotheses about the strength, `elo0` and `elo1`, are compared by the logarithm of the
//! ratio of the best likelihoods that each allows to the observed pairs (generalised SPRT). The
//! best distribution under a hypothesis solves one equation for a multiplier θ, see M. Van den
//! Bergh, *Comments on normalized Elo*: proposition 1.1 when the expected score is given,
//! section 4.1 when the expected score in standard deviations is given.

use std::f64::consts::SQRT_2;
use std::str::FromStr;

use movegen::Wld;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::counts::Pentanomial;
use super::rating::{NORMALISED_SCALE, score_of_elo};
use super::sample::Sample;

/// Why there can be no such test.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum SprtError {
    /// The hypotheses are equal, exchanged or not finite.
    #[error("elo0 ({elo0}) must be less than elo1 ({elo1})")]
    Hypotheses {
        /// The strength under the first hypothesis.
        elo0: f64,
        /// The strength under the second hypothesis.
        elo1: f64,
    },
    /// The probabilities of error are not probabilities, or too great together.
    #[error("alpha ({alpha}) and beta ({beta}) must be greater than 0 and less than 1 together")]
    Errors {
        /// Probability of accepting a change that is worth only `elo0`.
        alpha: f64,
        /// Probability of refusing a change that is worth `elo1`.
        beta: f64,
    },
    /// A text is no test.
    #[error("expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, and ,logistic if wanted")]
    Syntax,
}

/// The state of a test.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Decision {
    /// More games are needed.
    Continue,
    /// The difference is rather `elo0`: the change is refused.
    AcceptH0,
    /// The difference is rather `elo1`: the change is accepted.
    AcceptH1,
}

/// A test of "the difference is `elo0`" against "it is `elo1`". As text: `ELO0,ELO1`, or with the
/// probabilities of errors `ELO0,ELO1,ALPHA,BETA`; with `,logistic` after it in logistic Elo.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sprt {
    /// Strength under the hypothesis "no gain".
    pub elo0: f64,
    /// Strength under the hypothesis "gain".
    pub elo1: f64,
    /// Probability of accepting wrongly.
    #[serde(default = "usual_error")]
    pub alpha: f64,
    /// Probability of refusing wrongly.
    #[serde(default = "usual_error")]
    pub beta: f64,
    /// Whether the strengths are logistic Elo, as in rating lists. With normalised Elo the number of
    /// games until a decision does not depend on the draws.
    #[serde(default)]
    pub is_logistic: bool,
}

const fn usual_error() -> f64 {
    0.05
}

impl FromStr for Sprt {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Sprt, SprtError> {
        let numbers = text.strip_suffix(",logistic");
        let is_logistic = numbers.is_some();
        let numbers: Result<Vec<f64>, _> =
            numbers.unwrap_or(text).split(',').map(|part| part.trim().parse()).collect();
        let (elo0, elo1, alpha, beta) = match numbers.as_deref() {
            Ok(&[elo0, elo1]) => (elo0, elo1, usual_error(), usual_error()),
            Ok(&[elo0, elo1, alpha, beta]) => (elo0, elo1, alpha, beta),
            _ => return Err(SprtError::Syntax),
        };
        let test = Sprt { elo0, elo1, alpha, beta, is_logistic };
        test.check().map(|()| test)
    }
}

impl Sprt {
    /// Checks that there can be such a test.
    ///
    /// # Errors
    /// If `elo0` is not below `elo1`, or the probabilities are not above 0 with a sum below 1.
    pub fn check(&self) -> Result<(), SprtError> {
        let &Sprt { elo0, elo1, alpha, beta, .. } = self;
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return Err(SprtError::Hypotheses { elo0, elo1 });
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(SprtError::Errors { alpha, beta });
        }
        Ok(())
    }

    /// The kind of Elo, in words.
    #[must_use]
    pub const fn model(&self) -> &'static str {
        if self.is_logistic { "logistic" } else { "normalised" }
    }

    /// The log-likelihood ratios at which the test ends: `ln(β/(1-α))` and `ln((1-β)/α)`.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of pairs of games; 0 without any.
    #[must_use]
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        pairs.sample().map_or(0.0, |sample| self.ratio(sample, SQRT_2))
    }

    /// The test of pairs in their order: the ratio at the first decision, or after all of them. So the
    /// answer does not depend on when one looks, or on who played which pair.
    #[must_use]
    pub fn in_order(&self, pairs: impl IntoIterator<Item = (Wld, Wld)>) -> (f64, Decision) {
        let mut counts = Pentanomial::default();
        let mut llr = 0.0;
        for (first, second) in pairs {
            counts.add(first, second);
            llr = self.llr(&counts);
            if self.decision(llr) != Decision::Continue {
                break;
            }
        }
        (llr, self.decision(llr))
    }

    /// The meaning of a log-likelihood ratio.
    #[must_use]
    pub fn decision(&self, llr: f64) -> Decision {
        let (lower, upper) = self.bounds();
        if llr >= upper {
            Decision::AcceptH1
        } else if llr <= lower {
            Decision::AcceptH0
        } else {
            Decision::Continue
        }
    }

    /// `deviations` is the factor from the standard deviation of a game to that of an observation.
    fn ratio<const N: usize>(&self, sample: Sample<N>, deviations: f64) -> f64 {
        let sample = sample.regularised();
        let best = |elo: f64| match self.is_logistic {
            true => best_with_mean(&sample, score_of_elo(elo)),
            false => best_with_t(&sample, 0.5, deviations * elo / NORMALISED_SCALE),
        };
        let (p0, p1) = (best(self.elo0), best(self.elo1));
        let terms = sample.shares.iter().zip(p0.iter().zip(&p1));
        sample.total * terms.map(|(share, (p0, p1))| share * (p1 / p0).ln()).sum::<f64>()
    }
}

/// The distribution of greatest likelihood among those with this mean.
fn best_with_mean<const N: usize>(sample: &Sample<N>, mean: f64) -> [f64; N] {
    tilted(sample, &std::array::from_fn(|i| Sample::<N>::score(i) - mean))
}

/// The distribution of greatest likelihood among those whose mean lies `t` of its own standard
/// deviations above `reference`: repeated, because the constraint depends on the distribution.
fn best_with_t<const N: usize>(sample: &Sample<N>, reference: f64, t: f64) -> [f64; N] {
    let mut shares = [1.0 / N as f64; N];
    for _ in 0..200 {
        let (mean, variance) = Sample::moments(&shares);
        let deviation = variance.sqrt();
        let phi = std::array::from_fn(|i| {
            let score = Sample::<N>::score(i);
            let distance = (score - mean) / deviation;
            score - reference - 0.5 * t * deviation * (1.0 + distance * distance)
        });
        let next = tilted(sample, &phi);
        let change = next.iter().zip(&shares).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        shares = next;
        if change < 1e-9 {
            break;
        }
    }
    shares
}

/// The observed shares divided by `1 + θ·φ`, where θ makes the mean of φ zero.
///
/// That mean falls from +∞ to -∞ between the two values of θ at which a divisor vanishes, so
/// halving the interval finds it. φ must have values of both signs.
fn tilted<const N: usize>(sample: &Sample<N>, phi: &[f64; N]) -> [f64; N] {
    let greatest = phi.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = phi.iter().copied().fold(f64::INFINITY, f64::min);
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
    let mean = |theta: f64| {
        let terms = sample.shares.iter().zip(phi);
        terms.map(|(share, f)| share * f / (1.0 + theta * f)).sum::<f64>()
    };
    // As often as numbers have bits.
    for _ in 0..64 {
        let middle = f64::midpoint(low, high);
        if mean(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let theta = f64::midpoint(low, high);
    std::array::from_fn(|i| sample.shares[i] / (1.0 + theta * phi[i]))
}

#[cfg(test)]
mod tests {
    use movegen::random::Random;

    use super::super::counts::Tally;
    use super::*;

    fn close(found: f64, published: f64) {
        assert!((found - published).abs() < 0.011, "{found} instead of {published}");
    }

    /// The kinds of Elo.
    const NORMALISED: bool = false;
    const LOGISTIC: bool = true;

    fn test(elo0: f64, elo1: f64, is_logistic: bool) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05, is_logistic }
    }

    /// Log-likelihood ratios that the tests of fastchess expect (`sprt_test.cpp`), taken there
    /// from finished tests of Stockfish; numbers of pairs from none to two points, those with two
    /// draws and with a win each added up. Its two samples with all results the same are left out:
    /// they depend on regularisation, see the test by hand below.
    #[test]
    fn ratios_of_pairs_as_published() {
        for (elo0, elo1, model, counts, llr) in [
            (0.0, 2.0, NORMALISED, [365, 16618, 36029 + 200, 16974, 390], 2.25),
            (-1.75, 0.25, NORMALISED, [127, 4883, 10311 + 401, 5150, 104], 3.01),
            (0.5, 2.5, LOGISTIC, [223, 9863, 20279 + 1000, 10037, 246], -3.07),
            (0.0, 2.0, LOGISTIC, [871, 26175, 55003 + 980, 26678, 821], -4.98),
        ] {
            close(test(elo0, elo1, model).llr(&Pentanomial(counts)), llr);
        }
    }

    /// As above for single games: wins, losses, draws.
    #[test]
    fn ratios_of_games_as_published() {
        for (elo0, elo1, model, (wins, losses, draws), llr) in [
            (0.0, 2.0, NORMALISED, (36433, 36027, 68692), 0.92),
            (-1.75, 0.25, NORMALISED, (10871, 10650, 20431), 2.30),
            (0.5, 2.5, LOGISTIC, (21404, 21184, 40708), -1.57),
            (0.0, 2.0, LOGISTIC, (57433, 57030, 106593), -2.59),
        ] {
            let games = Tally { wins, draws, losses }.sample().unwrap();
            close(test(elo0, elo1, model).ratio(games, 1.0), llr);
        }
    }

    /// If every pair was won, the best distribution has two ends only: p with
    /// (p - 1/2)/√(p(1-p)) = t, that is p = 1/2 + t/(2√(1+t²)).
    #[test]
    fn ratio_of_equal_results_by_hand() {
        let t = SQRT_2 * 5.0 / NORMALISED_SCALE;
        let expected = 104.0 * (1.0 + t / (1.0 + t * t).sqrt()).ln();
        close(test(0.0, 5.0, NORMALISED).llr(&Pentanomial([0, 0, 0, 0, 104])), expected);
    }

    #[test]
    fn bounds_and_decisions() {
        let sprt = test(0.0, 5.0, NORMALISED);
        let (lower, upper) = sprt.bounds();
        close(lower, -2.944);
        close(upper, 2.944);
        assert_eq!(sprt.decision(0.0), Decision::Continue);
        assert_eq!(sprt.decision(2.95), Decision::AcceptH1);
        assert_eq!(sprt.decision(-2.95), Decision::AcceptH0);
        assert_eq!(sprt.llr(&Pentanomial::default()), 0.0);
        let lopsided = Sprt { alpha: 0.01, beta: 0.2, ..test(0.0, 5.0, LOGISTIC) };
        assert_eq!(lopsided.bounds(), ((0.2f64 / 0.99).ln(), (0.8f64 / 0.01).ln()));
    }

    #[test]
    fn impossible_tests_are_refused() {
        let read = |text: &str| text.parse::<Sprt>();
        assert!(matches!(read("5,5"), Err(SprtError::Hypotheses { .. })));
        assert!(matches!(read("nan,5"), Err(SprtError::Hypotheses { .. })));
        assert!(matches!(read("0,5,0,0.05"), Err(SprtError::Errors { .. })));
        assert!(matches!(read("0,5,0.5,0.5"), Err(SprtError::Errors { .. })));
        for text in ["", "5", "0,5,0.1", "0,5,bayesian", "logistic"] {
            assert_eq!(read(text), Err(SprtError::Syntax), "{text}");
        }
        assert_eq!(read("0,5,logistic"), Ok(test(0.0, 5.0, LOGISTIC)));
        assert_eq!(read(" -1, 5,0.05,0.05"), Ok(test(-1.0, 5.0, NORMALISED)));
    }

    /// Extreme and tiny samples give finite ratios that point the right way.
    #[test]
    fn few_games_give_a_finite_ratio() {
        for model in [NORMALISED, LOGISTIC] {
            let sprt = test(-10.0, 10.0, model);
            let ratio = |counts| sprt.llr(&Pentanomial(counts));
            assert!(ratio([0, 0, 0, 0, 1]) > 0.0 && ratio([0, 0, 0, 0, 1]).is_finite());
            assert!(ratio([1, 0, 0, 0, 0]) < 0.0 && ratio([1, 0, 0, 0, 0]).is_finite());
            assert!(ratio([3, 0, 9, 0, 3]).abs() < 1e-6);
            let (ours, theirs) = (ratio([3, 1, 9, 4, 5]), ratio([5, 4, 9, 1, 3]));
            assert!((ours + theirs).abs() < 1e-6 && ours > 0.0);
        }
    }

    /// Tests that end by chance: of those whose difference is a bound, at most the promised share is
    /// wrong. Each result of a pair is drawn from the distribution of this strength.
    fn wrong(tests: usize, elo: f64, sprt: Sprt) -> f64 {
        let fair = Sample::new([4, 26, 42, 24, 4]).unwrap();
        let shares = match sprt.is_logistic {
            true => best_with_mean(&fair, score_of_elo(elo)),
            false => best_with_t(&fair, 0.5, SQRT_2 * elo / NORMALISED_SCALE),
        };
        let expected = if elo > sprt.elo0 { Decision::AcceptH1 } else { Decision::AcceptH0 };
        let mut random = Random::new(7);
        let pairs = [
            (Wld::Loss, Wld::Loss),
            (Wld::Loss, Wld::Draw),
            (Wld::Draw, Wld::Draw),
            (Wld::Draw, Wld::Win),
            (Wld::Win, Wld::Win),
        ];
        let mut drawn = std::iter::repeat_with(|| {
            let mut rest = random.below(1 << 30) as f64 / f64::from(1 << 30);
            let is_it = |share: &f64| {
                rest -= share;
                rest < 0.0
            };
            pairs[shares.iter().position(is_it).unwrap_or(4)]
        });
        let wrong = (0..tests).filter(|_| sprt.in_order(&mut drawn).1 != expected).count();
        wrong as f64 / tests as f64
    }

    fn errors_are_as_rare_as_promised(tests: usize, width: f64) {
        let deviation = (0.05 * 0.95 / tests as f64).sqrt();
        for (elo0, model) in [(0.0, NORMALISED), (-width, NORMALISED), (0.0, LOGISTIC)] {
            let sprt = test(elo0, elo0 + width, model);
            for elo in [sprt.elo0, sprt.elo1] {
                let share = wrong(tests, elo, sprt);
                println!("{sprt:?} at {elo}: {share}");
                assert!(share < 0.05 + 3.0 * deviation, "{sprt:?} at {elo}: {share}");
                assert!(share > 0.01, "{sprt:?} at {elo}: {share}");
            }
        }
    }

    #[test]
    fn a_test_in_order_keeps_its_errors() {
        errors_are_as_rare_as_promised(300, 80.0);
    }

    #[test]
    #[ignore = "slow: some minutes"]
    fn ten_thousand_tests_in_order_keep_their_errors() {
        errors_are_as_rare_as_promised(10_000, 60.0);
    }
}
