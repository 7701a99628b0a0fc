//! What can be fitted to positions ([`Learner`]), and the result of a training.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sample::Sample;
use meerslag_search::eval::{Provenance, Weights};
use movegen::json::Record;

/// The losses of an epoch: mean cross-entropy of the expected result against the label. A constant
/// expectation of one half has 0.693.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Epoch {
    /// For the positions learnt from, each before its step.
    pub training: f64,
    /// For the held-out positions.
    pub held_out: f64,
    /// The same by phase, see [`PHASES`].
    pub phases: [f64; 3],
    /// Positions learnt from.
    pub positions: u64,
}

impl Record for Epoch {
    const TYPE: &'static str = "epoch";
}

/// The phases of [`Epoch::phases`].
pub const PHASES: [&str; 3] = ["opening", "middle game", "endgame"];

/// How to learn in an epoch.
pub(super) struct TrainingStep {
    /// The share of the result in the label.
    pub(super) result_share: f32,
    pub(super) rate: f32,
    pub(super) decay: f32,
}

/// Parameters that can be fitted.
pub(super) trait Learner: Clone {
    /// Hundredths of a man per unit of the logistic function.
    fn scale(&self) -> f32;

    /// Learns from samples, in their order; returns the sum of their losses, each before its step.
    fn learn(&mut self, samples: &[Sample], step: &TrainingStep) -> f64;

    /// Calls `see` with each sample and White's expected result.
    fn expectations(&self, samples: &[Sample], see: &mut dyn FnMut(&Sample, f32));

    /// The parameters as weights for play.
    fn weights(&self, provenance: Provenance) -> Weights;

    /// All learnt values, for a checkpoint; always the same number of them.
    fn floats(&self) -> Vec<f32>;

    /// Restores the values from [`Learner::floats`].
    fn restore(&mut self, floats: &[f32]);
}

/// The result of a training.
pub(super) struct LearningState<L> {
    pub(super) model: L,
    /// The model after the best epoch.
    pub(super) best: L,
    pub(super) epochs: Vec<Epoch>,
}

impl<L> LearningState<L> {
    /// The number of the best epoch, from 0.
    pub(super) fn best_epoch(&self) -> usize {
        let losses = self.epochs.iter().enumerate();
        losses.min_by(|a, b| a.1.held_out.total_cmp(&b.1.held_out)).map_or(0, |(i, _)| i)
    }
}
