//! Fits a network on top of weights that stay as they are.
//!
//! Steps are taken after some thousand positions each, with Adam (Kingma, Ba 2015). The positions
//! of a step are cut into parts of fixed size, whose gradients are added up in their order, so the
//! result does not depend on the number of threads.

use std::sync::Arc;

use movegen::random::Random;
use movegen::{Color, isa};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::learner::{Learner, TrainingStep};
use super::model::{self, label, sigmoid};
use super::sample::Sample;
use super::settings::NetworkTraining;
use meerslag_search::eval::kind::UNITS;
use meerslag_search::eval::network::{
    self, Inputs, MOST_OUTPUT, MOST_SAID, Network, ONE, OUTPUT_ONE, OUTPUTS, Rows,
};
use meerslag_search::eval::weights::towards_draw;
use meerslag_search::eval::{Evaluation, Provenance, Weights};

/// Positions of a step.
const BATCH: usize = 8_192;
/// Positions whose gradients are added up by one thread; more of them where there are many
/// parameters.
const PART: usize = 1_024;
const LARGE_PART: usize = 4_096;
/// Floats that are added up side by side.
const LANES: usize = 16;
/// How much of the gradients' mean and of their squares' mean stays at each step.
const KEPT: [f32; 2] = [0.9, 0.999];

/// The parameters: rows of the inputs, what the hidden sums begin with, the outputs, what they
/// begin with.
#[derive(Clone)]
pub(super) struct NetworkModel {
    pool: Arc<ThreadPool>,
    base: Evaluation,
    inputs: Inputs,
    hidden: usize,
    scale: f32,
    parameters: Vec<f32>,
    /// Means of the gradients and of their squares.
    means: [Vec<f32>; 2],
    steps: u32,
}

/// What a position is to the network, and what it should be.
struct Case {
    /// Rows of the inputs, by the side that sees them.
    rows: Rows,
    side: Color,
    output: usize,
    /// White's score without the network, in units of the scale.
    base: f32,
    /// By what White's and Black's advantage is divided.
    damping: [f32; 2],
    label: f32,
    weight: f32,
}

impl Case {
    /// The side to move and the other one.
    fn sides(&self) -> [Color; 2] {
        [self.side, self.side.opponent()]
    }
}

/// What was computed on the way to a score.
struct Forward {
    /// Hidden sums of the side to move and of the other one.
    sums: [Vec<f32>; 2],
    /// What comes out for the side to move.
    output: f32,
}

impl NetworkModel {
    /// Nearly silent at first, so that learning begins from the base.
    pub(super) fn new(
        NetworkTraining { inputs, hidden, base }: NetworkTraining,
        scale: f32,
        seed: u64,
        pool: &Arc<ThreadPool>,
    ) -> NetworkModel {
        let mut random = Random::new(seed);
        let mut around = |width: f32| (random.below(20_001) as f32 / 1e4 - 1.0) * width;
        let mut parameters = Vec::new();
        parameters.extend((0..inputs.count() * hidden).map(|_| around(0.2)));
        parameters.extend((0..hidden).map(|_| 0.25));
        let width = 0.3 / (hidden as f32).sqrt();
        parameters.extend((0..OUTPUTS * 2 * hidden).map(|_| around(width)));
        parameters.extend([0.0; OUTPUTS]);
        let means = [vec![0.0; parameters.len()], vec![0.0; parameters.len()]];
        let pool = Arc::clone(pool);
        NetworkModel { pool, base, inputs, hidden, scale, parameters, means, steps: 0 }
    }

    /// Where the hidden sums' beginnings, the outputs and theirs begin.
    fn parts(&self) -> [usize; 3] {
        let bias = self.inputs.count() * self.hidden;
        let outputs = bias + self.hidden;
        [bias, outputs, outputs + OUTPUTS * 2 * self.hidden]
    }

    fn case(&self, sample: &Sample, result_share: f32) -> Case {
        let position = &sample.position;
        let side = position.side_to_move();
        Case {
            rows: self.inputs.rows(position),
            side,
            output: network::output_of(position),
            base: self.base.weights().white_score(position) as f32 / self.scale,
            damping: [Color::White, Color::Black]
                .map(|better| 1.0 / (1 << towards_draw(position, better)) as f32),
            label: label(sample, result_share, self.scale),
            weight: sample.weight,
        }
    }

    /// The most that the network says, in units of the scale.
    fn most(&self) -> f32 {
        MOST_SAID as f32 / self.scale
    }

    fn forward_memory(&self) -> Forward {
        Forward { sums: [vec![0.0; self.hidden], vec![0.0; self.hidden]], output: 0.0 }
    }

    /// The expected result, and how it changes with the network's output for the side to move.
    #[inline(always)]
    fn forward(&self, case: &Case, forward: &mut Forward) -> (f32, f32) {
        let [bias, outputs, output_bias] = self.parts();
        let hidden = self.hidden;
        let weights = &self.parameters[outputs + case.output * 2 * hidden..][..2 * hidden];
        let mut total = [0.0; LANES];
        for ((sums, side), weights) in
            forward.sums.iter_mut().zip(case.sides()).zip(weights.chunks_exact(hidden))
        {
            sums.copy_from_slice(&self.parameters[bias..][..hidden]);
            for rows in &case.rows {
                let row = usize::from(rows[side.index()]);
                let row = &self.parameters[row * hidden..][..hidden];
                for (sum, weight) in sums.iter_mut().zip(row) {
                    *sum += weight;
                }
            }
            let pieces = sums.as_chunks::<LANES>().0.iter().zip(weights.as_chunks::<LANES>().0);
            for (sums, weights) in pieces {
                for ((total, sum), weight) in total.iter_mut().zip(sums).zip(weights) {
                    let value = sum.clamp(0.0, 1.0);
                    *total += value * value * weight;
                }
            }
        }
        forward.output = total.iter().sum::<f32>() + self.parameters[output_bias + case.output];
        let output = forward.output.clamp(-self.most(), self.most());
        let sign = if case.side == Color::White { 1.0 } else { -1.0 };
        let score = case.base + sign * output;
        let damping = case.damping[usize::from(score <= 0.0)];
        (sigmoid(score * damping), sign * damping)
    }

    /// Adds the gradients of some samples to zeros; their losses.
    #[inline(always)]
    fn gradients(&self, samples: &[Sample], result_share: f32) -> (Vec<f32>, f64) {
        let [bias, outputs, output_bias] = self.parts();
        let hidden = self.hidden;
        let mut all = vec![0.0f32; self.parameters.len()];
        let mut forward = self.forward_memory();
        let mut of_sums = vec![0.0f32; hidden];
        let mut losses = 0.0;
        for sample in samples {
            let case = self.case(sample, result_share);
            let (expected, change) = self.forward(&case, &mut forward);
            losses += f64::from(model::loss(expected, case.label));
            let slope = (expected - case.label) * case.weight * change;
            // More than the most changes nothing.
            if forward.output.abs() > self.most() && slope * forward.output < 0.0 {
                continue;
            }
            all[output_bias + case.output] += slope;
            for (number, (sums, side)) in forward.sums.iter().zip(case.sides()).enumerate() {
                let at = outputs + (2 * case.output + number) * hidden;
                let weights = &self.parameters[at..][..hidden];
                let of_weights = &mut all[at..][..hidden];
                let lists = of_sums.iter_mut().zip(of_weights).zip(sums.iter().zip(weights));
                for ((of_sum, of_weight), (sum, weight)) in lists {
                    let value = sum.clamp(0.0, 1.0);
                    *of_weight += slope * value * value;
                    let inside = if value == *sum { 1.0 } else { 0.0 };
                    *of_sum = slope * weight * 2.0 * value * inside;
                }
                let mut add = |at: usize| {
                    for (to, from) in all[at..][..hidden].iter_mut().zip(&of_sums) {
                        *to += from;
                    }
                };
                add(bias);
                for rows in &case.rows {
                    add(usize::from(rows[side.index()]) * hidden);
                }
            }
        }
        (all, losses)
    }

    /// A step against the gradients, which are sums over this many positions.
    fn step(&mut self, gradients: &[f32], count: usize, step: &TrainingStep) {
        self.steps += 1;
        let begun = KEPT.map(|kept| 1.0 - libm::powf(kept, self.steps as f32));
        let outputs = self.parts()[1]..self.parts()[2];
        let [means, squares] = &mut self.means;
        let lists = self.parameters.iter_mut().zip(gradients).zip(means.iter_mut().zip(squares));
        for ((value, gradient), (mean, square)) in lists {
            let gradient = gradient / count as f32;
            *mean += (gradient - *mean) * (1.0 - KEPT[0]);
            *square += (gradient * gradient - *square) * (1.0 - KEPT[1]);
            let length = (*mean / begun[0]) / ((*square / begun[1]).sqrt() + 1e-8);
            *value -= step.rate * (length + step.decay * *value);
        }
        let most = MOST_OUTPUT as f32 / OUTPUT_ONE as f32;
        for value in &mut self.parameters[outputs] {
            *value = value.clamp(-most, most);
        }
    }
}

impl Learner for NetworkModel {
    fn scale(&self) -> f32 {
        self.scale
    }

    fn learn(&mut self, samples: &[Sample], step: &TrainingStep) -> f64 {
        let part = if self.inputs == Inputs::Windows { LARGE_PART } else { PART };
        let mut losses = 0.0;
        for batch in samples.chunks(BATCH) {
            let gradients = |part| {
                isa::run_best(
                    #[inline(always)]
                    || self.gradients(part, step.result_share),
                )
            };
            let parts: Vec<(Vec<f32>, f64)> =
                self.pool.install(|| batch.par_chunks(part).map(gradients).collect());
            let mut parts = parts.into_iter();
            let Some((mut gradients, loss)) = parts.next() else { continue };
            losses += loss;
            for (more, loss) in parts {
                losses += loss;
                for (sum, gradient) in gradients.iter_mut().zip(more) {
                    *sum += gradient;
                }
            }
            self.step(&gradients, batch.len(), step);
        }
        losses
    }

    fn expectations(&self, samples: &[Sample], see: &mut dyn FnMut(&Sample, f32)) {
        let mut forward = self.forward_memory();
        for sample in samples {
            let case = self.case(sample, 1.0);
            let (expected, _) = isa::run_best(
                #[inline(always)]
                || self.forward(&case, &mut forward),
            );
            see(sample, expected);
        }
    }

    /// The greatest output weight becomes the greatest possible, for the least rounding.
    fn weights(&self, provenance: Provenance) -> Weights {
        let [bias, outputs, output_bias] = self.parts();
        let greatest =
            self.parameters[outputs..output_bias].iter().fold(1e-3f32, |a, w| a.max(w.abs()));
        // `unit` is a whole number, so the factor follows from it.
        let wanted = greatest / (MOST_OUTPUT as f32 / OUTPUT_ONE as f32);
        let unit = (self.scale * UNITS as f32 * wanted).ceil().max(1.0);
        let factor = self.scale * UNITS as f32 / unit;
        let rounded = |value: f32, one: i32| (value * one as f32).round();
        let short = |values: &[f32], one: f32| -> Vec<i16> {
            values.iter().map(|value| (value * one).round() as i16).collect()
        };
        let network = Network {
            inputs: self.inputs,
            hidden: self.hidden,
            unit: unit as i32,
            rows: network::lines(&short(&self.parameters[..bias], ONE as f32)),
            bias: short(&self.parameters[bias..outputs], ONE as f32),
            outputs: short(&self.parameters[outputs..output_bias], factor * OUTPUT_ONE as f32),
            output_bias: self.parameters[output_bias..]
                .iter()
                .map(|value| rounded(value * factor, ONE * ONE * OUTPUT_ONE) as i32)
                .collect(),
        };
        Weights { provenance, network: Some(network), ..self.base.weights().clone() }
    }

    fn floats(&self) -> Vec<f32> {
        let mut floats = self.parameters.clone();
        floats.extend(self.means.iter().flatten());
        floats.push(self.steps as f32);
        floats
    }

    fn restore(&mut self, floats: &[f32]) {
        let count = self.parameters.len();
        self.parameters.copy_from_slice(&floats[..count]);
        self.means[0].copy_from_slice(&floats[count..2 * count]);
        self.means[1].copy_from_slice(&floats[2 * count..3 * count]);
        self.steps = floats[3 * count] as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_positions::random_positions;

    fn model(inputs: Inputs, hidden: usize) -> NetworkModel {
        model_with(2, inputs, hidden)
    }

    fn model_with(threads: usize, inputs: Inputs, hidden: usize) -> NetworkModel {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let pool = Arc::new(pool);
        let mut nothing = Evaluation::material().weights().clone();
        nothing.scalars.fill([0; 2]);
        let base = Evaluation::new(nothing);
        NetworkModel::new(NetworkTraining { inputs, hidden, base }, 10.0, 1, &pool)
    }

    fn samples(count: usize, seed: u64) -> Vec<Sample> {
        // Without kings nothing is divided, which would make the loss jump.
        random_positions(count, seed)
            .filter(|position| position.all_kings().is_empty())
            .map(|position| {
                // Whoever has more men on the left wins.
                let left =
                    |color| position.men(color).into_iter().filter(|s| s.column() < 5).count();
                let white = left(Color::White).cmp(&left(Color::Black)) as i32;
                Sample { position, score: 0, result: 0.5 + 0.5 * white as f32, weight: 1.0 }
            })
            .collect()
    }

    #[test]
    fn gradients_are_slopes_of_the_loss() {
        for inputs in Inputs::ALL {
            gradients_are_slopes_with(inputs);
        }
    }

    fn gradients_are_slopes_with(inputs: Inputs) {
        let mut model = model(inputs, 32);
        let samples = samples(200, 2);
        let (gradients, _) = model.gradients(&samples, 1.0);
        let mut random = Random::new(3);
        let mut seen = 0;
        while seen < 60 {
            let at = random.below(gradients.len());
            if gradients[at].abs() < 1e-2 {
                continue;
            }
            seen += 1;
            let value = model.parameters[at];
            let width = 1e-3;
            let [above, below] = [value + width, value - width].map(|value| {
                model.parameters[at] = value;
                model.gradients(&samples, 1.0).1
            });
            model.parameters[at] = value;
            let slope = ((above - below) / f64::from(2.0 * width)) as f32;
            let difference = (slope - gradients[at]).abs();
            assert!(difference < 0.05 * slope.abs() + 0.02, "{at}: {slope} {}", gradients[at]);
        }
    }

    #[test]
    fn any_number_of_threads_learns_the_same() {
        // One step and the beginning of another, each of several parts.
        let samples: Vec<Sample> = samples(4_000, 5).into_iter().cycle().take(14_000).collect();
        let step = TrainingStep { result_share: 1.0, rate: 0.01, decay: 0.0 };
        for inputs in Inputs::ALL {
            let learnt = |threads| {
                let mut model = model_with(threads, inputs, 32);
                let loss = model.learn(&samples, &step);
                (loss, model.floats())
            };
            let alone = learnt(1);
            assert_eq!(alone.1[3 * model(inputs, 32).parameters.len()], 2.0);
            assert!(alone == learnt(2) && alone == learnt(3), "{inputs:?}");
        }
    }

    #[test]
    fn results_are_learnt_and_weights_score_as_the_model_does() {
        for inputs in Inputs::ALL {
            results_are_learnt_with(inputs);
        }
    }

    fn results_are_learnt_with(inputs: Inputs) {
        let mut model = model(inputs, 64);
        let samples = samples(4_000, 4);
        let step = TrainingStep { result_share: 1.0, rate: 0.01, decay: 0.0 };
        let losses: Vec<f64> = (0..40).map(|_| model.learn(&samples, &step)).collect();
        assert!(losses[39] < 0.6 * losses[0], "{losses:?}");
        let weights = Evaluation::new(model.weights(Provenance::default()));
        assert_eq!(Weights::from_bytes(&weights.weights().to_bytes()).unwrap(), *weights.weights());
        let name = format!("material+{}64", inputs.letter());
        assert_eq!(weights.weights().kind_name(), name);
        let mut worst = 0f32;
        model.expectations(&samples, &mut |sample, expected| {
            let score = weights.score(&sample.position).hundredths() as f32;
            let white = if sample.position.side_to_move() == Color::White { score } else { -score };
            worst = worst.max((sigmoid(white / model.scale) - expected).abs());
        });
        // Rounding.
        assert!(worst < 0.04, "{worst}");
    }
}
