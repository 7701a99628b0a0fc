//! Fits the parameters to the games: logistic regression, one position after the other.
//!
//! An epoch goes through all games in random order. Threads decode them; one fits, so the result
//! does not depend on the number of threads. After each epoch the held-out games say whether it was
//! an improvement, and a checkpoint is written.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use movegen::random::mix;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::checkpoint::{self, CheckpointError};
use super::data::{DataSet, Part};
use super::model::{self, Features, Model};
use super::sample::Sample;
use super::store::StoreError;
use crate::eval::{EvalKind, Provenance, Weights};
use crate::records::Record;

/// What to train, and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Training {
    /// The kind of evaluation.
    pub kind: String,
    /// The most epochs.
    pub epochs: u32,
    /// Stop after this many epochs without a smaller loss of the held-out games.
    pub patience: u32,
    /// The share of the result in the label, 0..=1; the rest is the score.
    pub result_share: f32,
    /// Hundredths of a man that make the odds e to 1; `None` fits it to the scores of the games.
    pub scale: Option<f32>,
    /// The length of the steps.
    pub rate: f32,
    /// How strongly patterns are drawn to 0.
    pub decay: f32,
    /// Determines the order of the positions.
    pub seed: u64,
}

impl Default for Training {
    fn default() -> Training {
        Training {
            kind: EvalKind::P8.name().to_owned(),
            epochs: 6,
            patience: 2,
            result_share: 1.0,
            scale: None,
            rate: 0.05,
            decay: 1e-4,
            seed: 1,
        }
    }
}

/// The losses of an epoch: mean cross-entropy of the expected result against the label. A constant
/// expectation of a half has 0.693.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Epoch {
    /// Of the positions learnt from, each before its step.
    pub training: f64,
    /// Of the held-out positions.
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

/// Why a training ends without weights.
#[derive(Debug, Error)]
pub enum TrainError {
    /// The games.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Nothing to learn from.
    #[error("there are too few games: {training} positions to learn from, {held_out} held out")]
    TooFew {
        /// Positions to learn from.
        training: u64,
        /// Positions held out.
        held_out: u64,
    },
    /// An evaluation that cannot be trained.
    #[error("unknown kind of evaluation '{0}': expected material, p8 or p12")]
    Kind(String),
}

/// What a training has come to.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct State {
    pub(super) model: Model,
    /// The model after the best epoch.
    pub(super) best: Model,
    pub(super) epochs: Vec<Epoch>,
}

impl State {
    /// The number of the best epoch, from 0.
    fn best_epoch(&self) -> usize {
        let losses = self.epochs.iter().enumerate();
        losses.min_by(|a, b| a.1.held_out.total_cmp(&b.1.held_out)).map_or(0, |(i, _)| i)
    }
}

impl Training {
    /// Trains, or goes on with the training in the checkpoint. Calls `report` after each epoch;
    /// returns the weights of the best one with all losses, or `None` when `stop` was set, with
    /// the finished epochs in the checkpoint.
    ///
    /// # Errors
    /// If the games cannot be read or are too few, or the checkpoint belongs to another training.
    pub fn run(
        &self,
        data: &DataSet,
        threads: usize,
        checkpoint: &Path,
        stop: &AtomicBool,
        provenance: &Provenance,
        report: &mut dyn FnMut(usize, &Epoch, f32),
    ) -> Result<Option<(Weights, Vec<Epoch>)>, TrainError> {
        let kind =
            EvalKind::from_name(&self.kind).ok_or_else(|| TrainError::Kind(self.kind.clone()))?;
        let mut held_out = Vec::new();
        data.for_each_group(Part::HeldOut, self.seed, threads, |mut samples| {
            held_out.append(&mut samples);
        })?;
        if held_out.is_empty() {
            return Err(TrainError::TooFew { training: 0, held_out: 0 });
        }
        let identity = format!("{} {}", data.hash, serde_json::to_string(self).unwrap_or_default());
        let mut state = match checkpoint::read(checkpoint, &identity, kind)? {
            Some(state) => state,
            None => {
                let scale = self.scale.unwrap_or_else(|| fitted_scale(&held_out));
                let model = Model::new(kind, scale);
                State { best: model.clone(), model, epochs: Vec::new() }
            }
        };
        for (number, epoch) in state.epochs.iter().enumerate() {
            report(number, epoch, state.model.scale);
        }
        while state.epochs.len() < self.epochs as usize
            && state.epochs.len() <= state.best_epoch() + self.patience as usize
        {
            if !self.epoch(&mut state, data, &held_out, threads, stop)? {
                return Ok(None);
            }
            checkpoint::write(checkpoint, &identity, &state)?;
            if let Some(epoch) = state.epochs.last() {
                report(state.epochs.len() - 1, epoch, state.model.scale);
            }
        }
        let provenance = Provenance {
            games: data.games,
            positions: state.epochs.last().map_or(0, |epoch| epoch.positions),
            data: data.hash.clone(),
            ..provenance.clone()
        };
        Ok(Some((state.best.weights(provenance), state.epochs)))
    }

    /// Goes through all games once; false if it was stopped before the end.
    fn epoch(
        &self,
        state: &mut State,
        data: &DataSet,
        held_out: &[Sample],
        threads: usize,
        stop: &AtomicBool,
    ) -> Result<bool, TrainError> {
        let number = state.epochs.len();
        // Shorter and shorter steps; the last epochs settle.
        let rate = self.rate / (1.0 + number as f32);
        let model = &mut state.model;
        let mut features = Features::default();
        let (mut sum, mut positions) = (0.0, 0);
        data.for_each_group(Part::Training, mix(self.seed ^ number as u64), threads, |samples| {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            for sample in &samples {
                model.features(&sample.position, &mut features);
                let label = model::label(sample, self.result_share, model.scale);
                let loss = model.learn(&features, label, sample.weight, rate, self.decay);
                sum += f64::from(loss);
                positions += 1;
            }
        })?;
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        if positions == 0 {
            let held_out = held_out.len() as u64;
            return Err(TrainError::TooFew { training: 0, held_out });
        }
        let (all, phases) = self.losses(model, held_out);
        let training = sum / positions as f64;
        state.epochs.push(Epoch { training, held_out: all, phases, positions });
        if state.best_epoch() == number {
            state.best = state.model.clone();
        }
        Ok(true)
    }

    /// Mean losses of the samples, in all and by phase.
    fn losses(&self, model: &Model, samples: &[Sample]) -> (f64, [f64; 3]) {
        let mut features = Features::default();
        let mut sums = [(0.0, 0u64); 3];
        for sample in samples {
            model.features(&sample.position, &mut features);
            let label = model::label(sample, self.result_share, model.scale);
            let loss = model::loss(model::sigmoid(model.score(&features)), label);
            let phase = crate::eval::progress(&sample.position) * 3.0;
            let (sum, count) = &mut sums[(phase as usize).min(2)];
            *sum += f64::from(loss);
            *count += 1;
        }
        let all: f64 = sums.iter().map(|(sum, _)| sum).sum();
        (all / samples.len() as f64, sums.map(|(sum, count)| sum / count.max(1) as f64))
    }
}

/// The scale by which the scores of the games foretell their results best.
fn fitted_scale(samples: &[Sample]) -> f32 {
    let loss = |scale: f32| -> f64 {
        let one = |sample: &Sample| {
            let expected = model::sigmoid(f32::from(sample.score) / scale);
            f64::from(model::loss(expected, sample.result))
        };
        samples.iter().map(one).sum()
    };
    // The loss has one minimum: golden sections of the logarithm.
    let ratio = (5f32.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (2f32, 10f32);
    for _ in 0..24 {
        let width = high - low;
        let (a, b) = (high - ratio * width, low + ratio * width);
        if loss(a.exp2()) < loss(b.exp2()) { high = b } else { low = a }
    }
    f32::midpoint(low, high).exp2()
}

/// Where the checkpoint of weights stands.
#[must_use]
pub fn checkpoint_path(weights: &Path) -> PathBuf {
    let mut name = weights.as_os_str().to_owned();
    name.push(".checkpoint");
    name.into()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::super::data::Source;
    use super::super::opening::OpeningMix;
    use super::super::sample::Filter;
    use super::super::selfplay::SelfPlay;
    use super::super::store::Shard;
    use super::*;
    use crate::{DatabaseOptions, eval::Evaluation};

    fn data(folder: &TempDir) -> DataSet {
        let games = SelfPlay {
            games: 64,
            nodes: 30,
            seed: 2,
            openings: OpeningMix::default(),
            shard: Shard::WHOLE,
            threads: 1,
            databases: DatabaseOptions::default(),
            evaluation: Evaluation::material(),
        };
        games.run(folder.path(), &AtomicBool::new(false), &mut |_| {}).unwrap();
        DataSet::open(&[Source::new(folder.path())], &Filter::default()).unwrap()
    }

    fn training() -> Training {
        Training {
            kind: "p8".to_owned(),
            epochs: 3,
            patience: 3,
            result_share: 0.7,
            scale: None,
            rate: 0.1,
            decay: 1e-4,
            seed: 1,
        }
    }

    fn run(
        training: &Training,
        data: &DataSet,
        threads: usize,
        checkpoint: &Path,
        stop_after: usize,
    ) -> Result<Option<(Weights, Vec<Epoch>)>, TrainError> {
        let stop = AtomicBool::new(false);
        let provenance = Provenance::default();
        training.run(data, threads, checkpoint, &stop, &provenance, &mut |number, _, _| {
            stop.store(number + 1 == stop_after, Ordering::Relaxed);
        })
    }

    #[test]
    fn any_threads_and_interruptions_give_the_same_weights() {
        let folder = TempDir::new().unwrap();
        let data = data(&folder);
        let path = |name: &str| folder.path().join(name);
        let whole = run(&training(), &data, 1, &path("a"), 99).unwrap().unwrap();
        assert_eq!(whole.1.len(), 3);
        assert!(whole.1[1].training < whole.1[0].training, "{:?}", whole.1);
        assert_eq!(run(&training(), &data, 3, &path("b"), 99).unwrap().unwrap(), whole);
        assert_eq!(run(&training(), &data, 2, &path("c"), 1).unwrap(), None);
        assert_eq!(run(&training(), &data, 2, &path("c"), 99).unwrap().unwrap(), whole);

        let other = Training { rate: 0.2, ..training() };
        let error = run(&other, &data, 1, &path("a"), 99).unwrap_err().to_string();
        assert!(error.contains("other data or settings"), "{error}");
        let mut bytes = fs::read(path("a")).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(path("a"), bytes).unwrap();
        let error = run(&training(), &data, 1, &path("a"), 99).unwrap_err().to_string();
        assert!(error.contains("damaged"), "{error}");
    }

    #[test]
    fn the_scale_is_found() {
        // Results drawn from the very logistic function.
        let mut random = movegen::random::Random::new(5);
        let samples: Vec<Sample> = (0..20_000)
            .map(|_| {
                let score = random.below(401) as i16 - 200;
                let expected = model::sigmoid(f32::from(score) / 70.0);
                let result = f32::from(u8::from(random.below(10_000) < (1e4 * expected) as usize));
                let position = movegen::Position::initial();
                Sample { position, score, result, weight: 1.0 }
            })
            .collect();
        let scale = fitted_scale(&samples);
        assert!((66.0..74.0).contains(&scale), "{scale}");
    }
}
