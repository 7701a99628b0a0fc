//! Fits a [`Learner`] to the games by logistic regression.
//!
//! An epoch goes through all games in random order. Threads decode them; one fits, so the result
//! does not depend on the number of threads. After each epoch the held-out games show whether it
//! was an improvement, and a checkpoint is written.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use movegen::random::mix;

use super::checkpoint;
use super::data::{DataSet, Part};
use super::error::TrainError;
use super::learner::{Epoch, Learner, LearningState, TrainingStep};
use super::model::{self, Model};
use super::network::NetworkModel;
use super::sample::Sample;
use super::settings::Training;
use meerslag_search::eval::{Provenance, Weights};

/// A training ends after this many epochs without progress on the held-out games.
const PATIENCE: usize = 2;
/// How strongly patterns, or a network's weights, are drawn to 0.
const DECAY: f32 = 1e-4;
/// The part of the fit that [`Training::last_result_share`] is for.
const LAST_PART: f64 = 0.1;

impl Training {
    /// How to learn in an epoch up to this part of it: 0..=1.
    fn step(&self, epoch: usize, part: f64) -> TrainingStep {
        let share = match self.network {
            // Shorter and shorter steps; the last epochs settle.
            None => 1.0 / (1.0 + epoch as f32),
            Some(_) => 1.0 - epoch as f32 / self.epochs as f32,
        };
        let is_last = epoch as f64 + part > (1.0 - LAST_PART) * f64::from(self.epochs);
        let last_share = self.last_result_share.filter(|_| is_last);
        TrainingStep {
            result_share: last_share.unwrap_or(self.result_share),
            rate: self.first_rate() * share,
            decay: DECAY,
        }
    }

    /// The settings that tell one training from another.
    fn identity(&self, data: &DataSet) -> String {
        let base = self.network.as_ref().map_or("", |network| network.base.name());
        let settings = Training { rate: Some(self.first_rate()), ..self.clone() };
        format!("{} {} {base}", data.hash, serde_json::to_string(&settings).unwrap_or_default())
    }
}

/// A training, and where and how it is carried out.
#[derive(Clone, Copy, Debug)]
pub struct TrainingRun<'a> {
    /// What to train.
    pub training: &'a Training,
    /// The games.
    pub data: &'a DataSet,
    /// Threads.
    pub threads: usize,
    /// The file with the state after the last finished epoch.
    pub checkpoint: &'a Path,
    /// Ends it within an epoch.
    pub stop: &'a AtomicBool,
}

impl TrainingRun<'_> {
    /// Trains, or continues with the training in the checkpoint. Calls `report` after each epoch;
    /// returns the weights of the best one with all losses, or `None` when `stop` was set, with
    /// the finished epochs in the checkpoint.
    ///
    /// # Errors
    /// If the games cannot be read or are too few, or the checkpoint belongs to another training.
    pub fn run(
        &self,
        provenance: &Provenance,
        report: &mut dyn FnMut(usize, &Epoch, f32),
    ) -> Result<Option<(Weights, Vec<Epoch>)>, TrainError> {
        let Training { kind, seed, ref network, .. } = *self.training;
        let Some(network) = network else {
            let variant = self.data.variant.rules();
            return self.learn(provenance, report, |scale| Model::new(variant, kind, scale));
        };
        network.check().map_err(TrainError::Network)?;
        let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(self.threads).build()?);
        self.learn(provenance, report, |scale| {
            NetworkModel::new(network.clone(), scale, seed, &pool)
        })
    }

    fn learn<L: Learner>(
        &self,
        provenance: &Provenance,
        report: &mut dyn FnMut(usize, &Epoch, f32),
        new: impl FnOnce(f32) -> L,
    ) -> Result<Option<(Weights, Vec<Epoch>)>, TrainError> {
        let TrainingRun { training, data, .. } = self;
        let mut held_out = Vec::new();
        data.for_each_group(Part::HeldOut, training.seed, self.threads, |mut samples| {
            held_out.append(&mut samples);
        })?;
        if held_out.is_empty() {
            return Err(TrainError::TooFew { training: 0, held_out: 0 });
        }
        let identity = training.identity(data);
        let new = |scale: Option<f32>| {
            let wanted = scale.or(training.scale);
            new(wanted.unwrap_or_else(|| fitted_scale(&held_out)))
        };
        let mut state = checkpoint::read_or_new(self.checkpoint, &identity, new)?;
        for (number, epoch) in state.epochs.iter().enumerate() {
            report(number, epoch, state.model.scale());
        }
        while state.epochs.len() < training.epochs as usize
            && (training.last_result_share.is_some()
                || state.epochs.len() <= state.best_epoch() + PATIENCE)
        {
            if !self.epoch(&mut state, &held_out)? {
                return Ok(None);
            }
            checkpoint::write(self.checkpoint, &identity, &state)?;
            if let Some(epoch) = state.epochs.last() {
                report(state.epochs.len() - 1, epoch, state.model.scale());
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

    /// Runs one epoch through all games; false if it was stopped before the end.
    fn epoch<L: Learner>(
        &self,
        state: &mut LearningState<L>,
        held_out: &[Sample],
    ) -> Result<bool, TrainError> {
        let number = state.epochs.len();
        let groups = self.data.groups() as f64;
        let mut group = 0u32;
        let model = &mut state.model;
        let (mut sum, mut positions) = (0.0, 0);
        let order = mix(self.training.seed ^ number as u64);
        self.data.for_each_group(Part::Training, order, self.threads, |samples| {
            if !self.stop.load(Ordering::Relaxed) {
                group += 1;
                let step = self.training.step(number, f64::from(group) / groups);
                sum += model.learn(&samples, &step);
                positions += samples.len() as u64;
            }
        })?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        if positions == 0 {
            let held_out = held_out.len() as u64;
            return Err(TrainError::TooFew { training: 0, held_out });
        }
        let (all, phases) = self.losses(model, held_out);
        let training = sum / positions as f64;
        state.epochs.push(Epoch { training, held_out: all, phases, positions });
        if self.training.last_result_share.is_some() || state.best_epoch() == number {
            state.best = state.model.clone();
        }
        Ok(true)
    }

    /// Mean losses of the samples, over all and by phase.
    fn losses(&self, model: &impl Learner, samples: &[Sample]) -> (f64, [f64; 3]) {
        let mut sums = [(0.0, 0u64); 3];
        model.expectations(samples, &mut |sample, expected| {
            let label = model::label(sample, self.training.result_share, model.scale());
            let phase = meerslag_search::eval::progress(&sample.position) * 3.0;
            let (sum, count) = &mut sums[(phase as usize).min(2)];
            *sum += f64::from(model::loss(expected, label));
            *count += 1;
        });
        let all: f64 = sums.iter().map(|(sum, _)| sum).sum();
        (all / samples.len() as f64, sums.map(|(sum, count)| sum / count.max(1) as f64))
    }
}

/// The scale at which the scores of the games predict their results best.
fn fitted_scale(samples: &[Sample]) -> f32 {
    let loss = |scale: f32| -> f64 {
        let one = |sample: &Sample| {
            let expected = model::sigmoid(f32::from(sample.score) / scale);
            f64::from(model::loss(expected, sample.result))
        };
        samples.iter().map(one).sum()
    };
    // The loss has one minimum: golden-section search over the logarithm.
    let ratio = (5f32.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (2f32, 10f32);
    for _ in 0..24 {
        let width = high - low;
        let (a, b) = (high - ratio * width, low + ratio * width);
        if loss(a.exp2()) < loss(b.exp2()) { high = b } else { low = a }
    }
    f32::midpoint(low, high).exp2()
}

/// The path of the checkpoint of weights.
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
    use super::super::relabel::Relabel;
    use super::super::sample::Filter;
    use super::super::selfplay::SelfPlay;
    use super::*;
    use crate::NetworkTraining;
    use egdb::DatabaseOptions;
    use meerslag_search::eval::{EvalKind, Evaluation, Inputs};
    use meerslag_study::Shard;
    use movegen::Variant;

    fn data(folder: &TempDir) -> DataSet {
        let games = SelfPlay {
            games: 64,
            nodes: 30,
            seed: 2,
            variant: Variant::International,
            openings: None,
            relabel: Relabel::default(),
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
            kind: EvalKind::P8,
            network: None,
            epochs: 3,
            result_share: 0.7,
            last_result_share: None,
            scale: None,
            rate: Some(0.1),
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
        let run = TrainingRun { training, data, threads, checkpoint, stop: &stop };
        run.run(&provenance, &mut |number, _, _| {
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

        // A network on top of weights.
        let base = Evaluation::new(whole.0);
        let network = Some(NetworkTraining::new(Inputs::Pieces, 32, base.clone()));
        let training_network = Training { network, rate: Some(0.001), ..training() };
        let above = run(&training_network, &data, 1, &path("d"), 99).unwrap().unwrap();
        assert!(above.1[2].training < above.1[0].training, "{:?}", above.1);
        assert_eq!(above.0.kind_name(), "p8+n32");
        assert_eq!(run(&training_network, &data, 3, &path("e"), 99).unwrap().unwrap(), above);
        assert_eq!(run(&training_network, &data, 2, &path("f"), 1).unwrap(), None);
        assert_eq!(run(&training_network, &data, 2, &path("f"), 99).unwrap().unwrap(), above);
        let refused = |network| {
            let odd = Training { network: Some(network), ..training() };
            run(&odd, &data, 1, &path("g"), 99).unwrap_err().to_string()
        };
        let error = refused(NetworkTraining::new(Inputs::Pieces, 33, base.clone()));
        assert!(error.contains("33 hidden sums"), "{error}");
        let pieces = NetworkTraining::new(Inputs::Pieces, 32, base.clone());
        let error = refused(NetworkTraining { factors: true, ..pieces });
        assert!(error.contains("does not see windows"), "{error}");

        // All of it together: the optimizer, the mean of the weights and the end of the fit survive
        // an interruption.
        let network = NetworkTraining {
            joint: true,
            factors: true,
            average: Some(0.9),
            ..NetworkTraining::new(Inputs::Windows, 32, base)
        };
        let joint = Training {
            network: Some(network),
            last_result_share: Some(1.0),
            rate: Some(0.001),
            ..training()
        };
        let learnt = run(&joint, &data, 1, &path("h"), 99).unwrap().unwrap();
        // The last epoch has another label.
        assert!(learnt.1[1].training < learnt.1[0].training, "{:?}", learnt.1);
        assert_eq!(learnt.0.kind_name(), "p8+m32");
        for stop_after in [1, 2] {
            assert_eq!(run(&joint, &data, 3, &path("i"), stop_after).unwrap(), None);
        }
        assert_eq!(run(&joint, &data, 2, &path("i"), 99).unwrap().unwrap(), learnt);

        let other = Training { rate: Some(0.2), ..training() };
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
    fn the_end_of_a_fit_has_its_own_label() {
        let training = Training { epochs: 5, last_result_share: Some(0.9), ..training() };
        let shares = |training: &Training| -> Vec<f32> {
            let steps = [(0, 0.1), (3, 1.0), (4, 0.1), (4, 0.5), (4, 0.51), (4, 1.0)];
            steps.map(|(epoch, part)| training.step(epoch, part).result_share).to_vec()
        };
        assert_eq!(shares(&training), [0.7, 0.7, 0.7, 0.7, 0.9, 0.9]);
        let same = Training { last_result_share: None, ..training };
        assert_eq!(shares(&same), [0.7; 6]);
    }

    #[test]
    fn the_scale_is_found() {
        // Results drawn from the logistic function itself.
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
