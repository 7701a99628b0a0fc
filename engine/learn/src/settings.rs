//! What to train, and how.

use clap::{Args, value_parser};
use serde::{Serialize, Serializer};

use meerslag_search::eval::network::{self, Network};
use meerslag_search::eval::{EvalKind, Evaluation, Inputs};

/// What to train, and how.
#[derive(Clone, PartialEq, Debug, Serialize, Args)]
pub struct Training {
    /// The kind of evaluation: material or p8
    #[arg(long, value_name = "KIND", default_value = "p8")]
    #[serde(serialize_with = "by_name")]
    pub kind: EvalKind,
    /// A network to train on top of other weights, which determine the kind.
    #[arg(skip)]
    pub network: Option<NetworkTraining>,
    /// Go through the games at most this many times; without --last-lambda two without progress on
    /// the held-out games are enough
    #[arg(long, value_name = "N", default_value_t = Training::default().epochs,
          value_parser = value_parser!(u32).range(1..=1000))]
    pub epochs: u32,
    /// The share of the game's result in the prediction; the rest is the search's score, which
    /// tells more unless `material` has played
    #[arg(long = "lambda", value_name = "SHARE", default_value_t = Training::default().result_share,
          value_parser = share)]
    pub result_share: f32,
    /// The share in the last tenth of the fit, which then ends with its last epoch
    #[arg(long = "last-lambda", value_name = "SHARE", value_parser = share)]
    pub last_result_share: Option<f32>,
    /// Hundredths of a man that make the odds e to 1; without it, what fits the scores of the games
    #[arg(long, value_name = "N", value_parser = positive)]
    pub scale: Option<f32>,
    /// The length of the steps in the first epoch: 0.05 without it, 0.001 for a network
    #[arg(long, value_name = "RATE", value_parser = positive)]
    pub rate: Option<f32>,
    /// Seed: another number takes the games in another order
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

fn by_name<S: Serializer>(kind: &EvalKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

/// A number within its range.
fn number(text: &str, is_good: fn(f32) -> bool, expected: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|&number| is_good(number));
    number.ok_or_else(|| format!("expected {expected}"))
}

/// Reads a number above 0, up to a million.
pub(crate) fn positive(text: &str) -> Result<f32, String> {
    number(text, |x| x > 0.0 && x <= 1e6, "a number above 0")
}

/// Reads a part of the whole.
pub(crate) fn share(text: &str) -> Result<f32, String> {
    number(text, |x| (0.0..=1.0).contains(&x), "a number from 0 to 1")
}

/// Reads a number between 0 and 1.
///
/// # Errors
/// Says what is expected.
pub fn mean(text: &str) -> Result<f32, String> {
    number(text, |x| x > 0.0 && x < 1.0, "a number between 0 and 1")
}

/// A network to train.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NetworkTraining {
    /// The inputs of the hidden sums.
    pub inputs: Inputs,
    /// Hidden sums of a side: a multiple of 32 up to 256.
    pub hidden: usize,
    /// The weights below it.
    #[serde(skip)]
    pub base: Evaluation,
    /// Learning continues with the weights below, and with their network if it has this shape.
    pub joint: bool,
    /// Rows of windows are sums of their own row, those of their halves and one that equal windows
    /// share.
    pub factors: bool,
    /// The result is a running mean of the weights, which keeps this share at each step: between 0
    /// and 1.
    pub average: Option<f32>,
}

impl NetworkTraining {
    /// A network on top of fixed weights.
    #[must_use]
    pub const fn new(inputs: Inputs, hidden: usize, base: Evaluation) -> NetworkTraining {
        NetworkTraining { inputs, hidden, base, joint: false, factors: false, average: None }
    }

    /// The network of the base, if learning continues from it.
    pub(crate) fn continued(&self) -> Option<&Network> {
        let fits =
            |it: &&Network| self.joint && (it.inputs, it.hidden) == (self.inputs, self.hidden);
        self.base.weights().network().filter(fits)
    }

    /// The reason why this cannot be learnt.
    pub(crate) fn check(&self) -> Result<(), String> {
        network::check_hidden(self.hidden)?;
        if self.factors && self.inputs != Inputs::Windows {
            return Err("factors of a network that does not see windows".to_owned());
        }
        Ok(())
    }
}

impl Training {
    /// The length of the steps in the first epoch: for a network those of Adam.
    pub(crate) fn first_rate(&self) -> f32 {
        let usual = if self.network.is_some() { 0.001 } else { 0.05 };
        self.rate.unwrap_or(usual)
    }
}

impl Default for Training {
    fn default() -> Training {
        Training {
            kind: EvalKind::P8,
            network: None,
            epochs: 6,
            result_share: 0.0,
            last_result_share: None,
            scale: None,
            rate: None,
            seed: 1,
        }
    }
}
