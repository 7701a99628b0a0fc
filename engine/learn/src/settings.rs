//! What to train, and how.

use serde::{Deserialize, Serialize};

use meerslag_search::eval::network::{self, Network};
use meerslag_search::eval::{EvalKind, Evaluation, Inputs};

/// What to train, and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Training {
    /// The kind of evaluation.
    pub kind: String,
    /// A network to train on top of other weights, which determine the kind.
    pub network: Option<NetworkTraining>,
    /// The most epochs.
    pub epochs: u32,
    /// Stop after this many epochs without a smaller loss of the held-out games.
    pub patience: u32,
    /// The share of the result in the label, 0..=1; the rest is the score, which says more as soon
    /// as the evaluation that has played knows more than material.
    pub result_share: f32,
    /// That share in the last tenth of the fit, which then runs through all its epochs and ends
    /// with the last one; `None` for no change.
    pub last_result_share: Option<f32>,
    /// Hundredths of a man that make the odds e to 1; `None` fits it to the scores of the games.
    pub scale: Option<f32>,
    /// The length of the steps in the first epoch; [`Training::DEFAULT_RATE`] or
    /// [`NetworkTraining::DEFAULT_RATE`].
    pub rate: f32,
    /// The weight decay of patterns or, in a network, of all but scalars.
    pub decay: f32,
    /// Determines the order of the positions.
    pub seed: u64,
}

/// A network to train.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NetworkTraining {
    /// The inputs of the hidden sums.
    pub inputs: Inputs,
    /// Hidden sums of a side: a multiple of 32 up to 256.
    pub hidden: usize,
    /// The weights below it.
    #[serde(skip)]
    pub base: Evaluation,
    /// The weights below are learnt too, from where they are; so is their network, if it has this
    /// shape.
    pub joint: bool,
    /// Rows of windows are sums of their own row, those of their halves and one that equal windows
    /// share.
    pub factors: bool,
    /// The result is a running mean of the weights; this share of it stays at each step: between 0
    /// and 1.
    pub average: Option<f32>,
}

impl NetworkTraining {
    /// The length of the steps of Adam.
    pub const DEFAULT_RATE: f32 = 0.001;

    /// A network on top of weights that stay as they are.
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

    /// Why this cannot be learnt, in words.
    pub(crate) fn check(&self) -> Result<(), String> {
        network::check_hidden(self.hidden)?;
        if self.factors && self.inputs != Inputs::Windows {
            return Err("factors of a network that does not see windows".to_owned());
        }
        Ok(())
    }
}

impl Training {
    /// The length of the steps for patterns.
    pub const DEFAULT_RATE: f32 = 0.05;
}

impl Default for Training {
    fn default() -> Training {
        Training {
            kind: EvalKind::P8.name().to_owned(),
            network: None,
            epochs: 6,
            patience: 2,
            result_share: 0.0,
            last_result_share: None,
            scale: None,
            rate: Training::DEFAULT_RATE,
            decay: 1e-4,
            seed: 1,
        }
    }
}
