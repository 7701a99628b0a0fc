//! What to train, and how.

use serde::{Deserialize, Serialize};

use meerslag_search::eval::{EvalKind, Evaluation, Inputs};

/// What to train, and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Training {
    /// The kind of evaluation.
    pub kind: String,
    /// A network to train on top of other weights, which stay as they are and determine the kind.
    pub network: Option<NetworkTraining>,
    /// The most epochs.
    pub epochs: u32,
    /// Stop after this many epochs without a smaller loss of the held-out games.
    pub patience: u32,
    /// The share of the result in the label, 0..=1; the rest is the score, which says more as soon
    /// as the evaluation that has played knows more than material.
    pub result_share: f32,
    /// Hundredths of a man that make the odds e to 1; `None` fits it to the scores of the games.
    pub scale: Option<f32>,
    /// The length of the steps in the first epoch; [`Training::DEFAULT_RATE`] or
    /// [`NetworkTraining::DEFAULT_RATE`].
    pub rate: f32,
    /// How strongly patterns, or the weights of a network, are drawn to 0.
    pub decay: f32,
    /// Determines the order of the positions.
    pub seed: u64,
}

/// A network to train.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NetworkTraining {
    /// What the hidden sums are made of.
    pub inputs: Inputs,
    /// Hidden sums of a side: a multiple of 32 up to 256.
    pub hidden: usize,
    /// The weights below it.
    #[serde(skip)]
    pub base: Evaluation,
}

impl NetworkTraining {
    /// The length of the steps of Adam.
    pub const DEFAULT_RATE: f32 = 0.001;
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
            scale: None,
            rate: Training::DEFAULT_RATE,
            decay: 1e-4,
            seed: 1,
        }
    }
}
