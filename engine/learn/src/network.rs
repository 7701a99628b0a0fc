//! Fits a network on top of weights, which are fixed or learn with it.
//!
//! A step is taken every few thousand positions, with AdamW: Adam (Kingma, Ba 2015) with weight
//! decay apart from the gradients (Loshchilov, Hutter 2019). The positions of a step are cut into
//! parts of fixed size, and the parts' gradients are added up in order, so the result does not
//! depend on the number of threads.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use movegen::random::Random;
use movegen::{Color, isa};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::factors::{self, COARSE_ROWS};
use super::learner::{Learner, TrainingStep};
use super::model::{self, Features, label, sigmoid};
use super::sample::Sample;
use super::settings::NetworkTraining;
use meerslag_search::eval::kind::UNITS;
use meerslag_search::eval::network::{
    self, InputRows, Inputs, MAX_OUTPUT_WEIGHT, MAX_SCORE, Network, ONE, OUTPUT_ONE, OUTPUTS,
};
use meerslag_search::eval::{EvalKind, Provenance, Weights, scalars};

/// Positions in a step.
const BATCH: usize = 8_192;
/// Positions whose gradients one thread adds up; more where there are many parameters.
const PART: usize = 1_024;
const LARGE_PART: usize = 4_096;
/// Floats that are added up side by side.
const LANES: usize = 16;
/// How much of the mean of the gradients, and of their squares, stays at each step.
const KEPT: [f32; 2] = [0.9, 0.999];

/// Where each kind of parameter begins. Those used in play come first: the rows of the inputs, the
/// biases of the hidden sums, the outputs and their biases; if the weights below the network are
/// learnt, their scalars and patterns, in pairs. Then come the coarser rows of
/// [factors](super::factors), if there are any.
#[derive(Clone, Debug)]
struct NetworkLayout {
    rows: Range<usize>,
    bias: Range<usize>,
    outputs: Range<usize>,
    output_bias: Range<usize>,
    scalars: Range<usize>,
    patterns: Range<usize>,
    coarse_rows: Range<usize>,
    coarse_patterns: Range<usize>,
}

impl NetworkLayout {
    fn new(training: &NetworkTraining) -> NetworkLayout {
        let NetworkTraining { inputs, hidden, joint, factors, .. } = *training;
        let weights = training.base.weights();
        let mut end = 0;
        let mut next = |is_there: bool, count: usize| {
            let first = end;
            end += if is_there { count } else { 0 };
            first..end
        };
        NetworkLayout {
            rows: next(true, inputs.count() * hidden),
            bias: next(true, hidden),
            outputs: next(true, OUTPUTS * 2 * hidden),
            output_bias: next(true, OUTPUTS),
            scalars: next(joint, 2 * weights.scalars.len()),
            patterns: next(joint, 2 * weights.patterns.len()),
            coarse_rows: next(factors, COARSE_ROWS * hidden),
            coarse_patterns: next(
                factors && joint && weights.kind == EvalKind::P8,
                COARSE_ROWS * 2,
            ),
        }
    }

    /// Those used in play.
    fn played(&self) -> Range<usize> {
        0..self.patterns.end
    }

    /// Windows and their coarser rows.
    fn factors(&self, training: &NetworkTraining) -> [(Range<usize>, Range<usize>); 2] {
        let windows = 0..training.inputs.first_piece() * training.hidden;
        [(windows, self.coarse_rows.clone()), (self.patterns.clone(), self.coarse_patterns.clone())]
    }
}

/// The network and the state of its training.
#[derive(Clone)]
pub(super) struct NetworkModel {
    pool: Arc<ThreadPool>,
    training: NetworkTraining,
    layout: NetworkLayout,
    scale: f32,
    parameters: Vec<f32>,
    /// Means of the gradients and of their squares.
    means: [Vec<f32>; 2],
    /// The running mean of the parameters, if there is one; then it is the result.
    average: Vec<f32>,
    steps: u32,
}

/// A position as the network sees it, and its label.
struct NetworkCase {
    /// Rows of the inputs, by the side that sees them.
    rows: InputRows,
    side: Color,
    output: usize,
    /// White's score without the network, in units of the scale.
    base: f32,
    /// The parts of that score, if they are learnt.
    below: Features,
    /// By what White's and Black's advantage is divided.
    damping: [f32; 2],
    label: f32,
    weight: f32,
}

impl NetworkCase {
    /// The side to move and the other one.
    fn sides(&self) -> [Color; 2] {
        [self.side, self.side.opponent()]
    }

    /// The factor that turns a score of the side to move into White's.
    fn sign(&self) -> f32 {
        if self.side == Color::White { 1.0 } else { -1.0 }
    }
}

/// Intermediate values of a score.
struct Forward {
    /// Hidden sums of the side to move and of the other one.
    sums: [Vec<f32>; 2],
    /// The output for the side to move.
    output: f32,
}

/// The parameters of a new network, in the order of [`NetworkLayout`]: random rows.
fn new_parameters(training: &NetworkTraining, seed: u64) -> Vec<f32> {
    let (inputs, hidden) = (training.inputs, training.hidden);
    let mut random = Random::new(seed);
    let mut around = |width: f32| (random.below(20_001) as f32 / 1e4 - 1.0) * width;
    let mut parameters = Vec::new();
    parameters.extend((0..inputs.count() * hidden).map(|_| around(0.2)));
    parameters.extend((0..hidden).map(|_| 0.25));
    let width = 0.3 / (hidden as f32).sqrt();
    parameters.extend((0..OUTPUTS * 2 * hidden).map(|_| around(width)));
    parameters.extend([0.0; OUTPUTS]);
    parameters
}

/// How many outputs of 1 of a network with this [`Network::unit`] an output of 1 in training is
/// worth.
fn in_outputs(scale: f32, unit: i32) -> f32 {
    scale * UNITS as f32 / unit as f32
}

/// The parameters of a network as it is played, in the order of [`NetworkLayout`].
fn read_back(network: &Network, scale: f32) -> Vec<f32> {
    let factor = in_outputs(scale, network.unit);
    let rows = network.rows.iter().flat_map(|line| &line.0).chain(&network.bias);
    let mut parameters: Vec<f32> = rows.map(|&value| f32::from(value) / ONE as f32).collect();
    let outputs = network.outputs.iter();
    parameters.extend(outputs.map(|&value| f32::from(value) / (factor * OUTPUT_ONE as f32)));
    let one = factor * (ONE * ONE * OUTPUT_ONE) as f32;
    parameters.extend(network.output_bias.iter().map(|&value| value as f32 / one));
    parameters
}

impl NetworkModel {
    /// Begins from the base: from its network, if training continues it, otherwise with outputs near 0.
    pub(super) fn new(
        training: NetworkTraining,
        scale: f32,
        seed: u64,
        pool: &Arc<ThreadPool>,
    ) -> NetworkModel {
        let layout = NetworkLayout::new(&training);
        let mut parameters = match training.continued() {
            Some(network) => read_back(network, scale),
            None => new_parameters(&training, seed),
        };
        if training.joint {
            let weights = training.base.weights();
            let pairs = weights.scalars.iter().chain(&weights.patterns).flatten();
            parameters.extend(pairs.map(|&value| f32::from(value) / (scale * UNITS as f32)));
        }
        parameters.resize(layout.coarse_patterns.end, 0.0);
        let means = [vec![0.0; parameters.len()], vec![0.0; parameters.len()]];
        let average = training.average.map_or_else(Vec::new, |_| parameters.clone());
        let pool = Arc::clone(pool);
        NetworkModel { pool, training, layout, scale, parameters, means, average, steps: 0 }
    }

    /// These parameters as used in play: the coarser rows are added to those of the windows.
    fn folded<'a>(&self, parameters: &'a [f32]) -> Cow<'a, [f32]> {
        let played = &parameters[self.layout.played()];
        if !self.training.factors {
            return Cow::Borrowed(played);
        }
        let mut played = played.to_vec();
        for (windows, coarse) in self.layout.factors(&self.training) {
            if !coarse.is_empty() {
                factors::fold(&mut played[windows], &parameters[coarse]);
            }
        }
        Cow::Owned(played)
    }

    /// The learnt parameters, as used in play.
    fn learnt(&self) -> Cow<'_, [f32]> {
        let is_averaged = !self.average.is_empty();
        self.folded(if is_averaged { &self.average } else { &self.parameters })
    }

    /// Turns the gradients of the parameters used in play into those of all parameters.
    fn spread(&self, mut gradients: Vec<f32>) -> Vec<f32> {
        gradients.resize(self.parameters.len(), 0.0);
        for (windows, coarse) in self.layout.factors(&self.training) {
            if !coarse.is_empty() {
                let (played, coarser) = gradients.split_at_mut(coarse.start);
                factors::spread(&played[windows], &mut coarser[..coarse.len()]);
            }
        }
        gradients
    }

    fn case(&self, played: &[f32], sample: &Sample, result_share: f32) -> NetworkCase {
        let position = &sample.position;
        let side = position.side_to_move();
        let weights = self.training.base.weights();
        let mut below = Features::default();
        let base = if self.training.joint {
            let kind = weights.kind;
            below.see(position, |view, add| {
                kind.visit(view, |table, entry| {
                    add(scalars::COUNT + table * kind.entries() + entry);
                });
            });
            let (pairs, _) = played[self.layout.scalars.start..].as_chunks();
            below.sum(|index| pairs[index])
        } else {
            weights.white_score(position) as f32 / self.scale
        };
        NetworkCase {
            rows: self.training.inputs.rows(position),
            side,
            output: network::output_of(position),
            base,
            below,
            damping: model::damping(position),
            label: label(sample, result_share, self.scale),
            weight: sample.weight,
        }
    }

    /// The network's greatest output, in units of the scale.
    fn most(&self) -> f32 {
        MAX_SCORE as f32 / self.scale
    }

    fn forward_memory(&self) -> Forward {
        let sums = vec![0.0; self.training.hidden];
        Forward { sums: [sums.clone(), sums], output: 0.0 }
    }

    /// The expected result, and how it changes with White's score.
    #[inline(always)]
    fn forward(&self, played: &[f32], case: &NetworkCase, forward: &mut Forward) -> (f32, f32) {
        let NetworkLayout { bias, outputs, output_bias, .. } = &self.layout;
        let hidden = self.training.hidden;
        let weights = &played[outputs.start + case.output * 2 * hidden..][..2 * hidden];
        let mut total = [0.0; LANES];
        for ((sums, side), weights) in
            forward.sums.iter_mut().zip(case.sides()).zip(weights.chunks_exact(hidden))
        {
            sums.copy_from_slice(&played[bias.clone()]);
            for rows in &case.rows {
                let row = usize::from(rows[side.index()]);
                let row = &played[row * hidden..][..hidden];
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
        forward.output = total.iter().sum::<f32>() + played[output_bias.start + case.output];
        let output = forward.output.clamp(-self.most(), self.most());
        let score = case.base + case.sign() * output;
        let damping = case.damping[usize::from(score <= 0.0)];
        (sigmoid(score * damping), damping)
    }

    /// The summed gradients of some samples, for the parameters used in play, and the summed
    /// losses.
    #[inline(always)]
    fn gradients(&self, played: &[f32], samples: &[Sample], result_share: f32) -> (Vec<f32>, f64) {
        let NetworkLayout { bias, outputs, output_bias, scalars, .. } = &self.layout;
        let hidden = self.training.hidden;
        let mut all = vec![0.0f32; played.len()];
        let mut forward = self.forward_memory();
        let mut of_sums = vec![0.0f32; hidden];
        let mut losses = 0.0;
        for sample in samples {
            let case = self.case(played, sample, result_share);
            let (expected, change) = self.forward(played, &case, &mut forward);
            losses += f64::from(model::loss(expected, case.label));
            let slope = (expected - case.label) * case.weight * change;
            for &(index, factor) in &case.below.active {
                let at = scalars.start + 2 * index as usize;
                all[at] += slope * factor * case.below.phase[0];
                all[at + 1] += slope * factor * case.below.phase[1];
            }
            let slope = slope * case.sign();
            // Beyond the limit the output is constant.
            if forward.output.abs() > self.most() && slope * forward.output < 0.0 {
                continue;
            }
            all[output_bias.start + case.output] += slope;
            for (number, (sums, side)) in forward.sums.iter().zip(case.sides()).enumerate() {
                let at = outputs.start + (2 * case.output + number) * hidden;
                let weights = &played[at..][..hidden];
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
                add(bias.start);
                for rows in &case.rows {
                    add(usize::from(rows[side.index()]) * hidden);
                }
            }
        }
        (all, losses)
    }

    /// Takes a step against the gradients, which are sums over this many positions.
    fn step(&mut self, gradients: &[f32], count: usize, step: &TrainingStep) {
        self.steps += 1;
        let begun = KEPT.map(|kept| 1.0 - libm::powf(kept, self.steps as f32));
        let NetworkLayout { outputs, scalars, .. } = self.layout.clone();
        let [means, squares] = &mut self.means;
        let lists = self.parameters.iter_mut().zip(gradients).zip(means.iter_mut().zip(squares));
        for (at, ((value, gradient), (mean, square))) in lists.enumerate() {
            let gradient = gradient / count as f32;
            *mean += (gradient - *mean) * (1.0 - KEPT[0]);
            *square += (gradient * gradient - *square) * (1.0 - KEPT[1]);
            let length = (*mean / begun[0]) / ((*square / begun[1]).sqrt() + 1e-8);
            // The value of a man does not decay.
            let decay = if scalars.contains(&at) { 0.0 } else { step.decay };
            *value -= step.rate * (length + decay * *value);
        }
        let most = MAX_OUTPUT_WEIGHT as f32 / OUTPUT_ONE as f32;
        for value in &mut self.parameters[outputs] {
            *value = value.clamp(-most, most);
        }
        if let Some(kept) = self.training.average {
            // The first parameters are random, so at first the mean covers fewer steps.
            let begun = self.steps as f32;
            let kept = kept.min((1.0 + begun) / (10.0 + begun));
            for (average, value) in self.average.iter_mut().zip(&self.parameters) {
                *average += (value - *average) * (1.0 - kept);
            }
        }
    }
}

impl Learner for NetworkModel {
    fn scale(&self) -> f32 {
        self.scale
    }

    fn learn(&mut self, samples: &[Sample], step: &TrainingStep) -> f64 {
        let is_large = self.training.inputs == Inputs::Windows || self.training.joint;
        let part = if is_large { LARGE_PART } else { PART };
        let mut losses = 0.0;
        for batch in samples.chunks(BATCH) {
            let played = self.folded(&self.parameters);
            let gradients = |part| {
                isa::run_best(
                    #[inline(always)]
                    || self.gradients(&played, part, step.result_share),
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
            let gradients = self.spread(gradients);
            self.step(&gradients, batch.len(), step);
        }
        losses
    }

    fn expectations(&self, samples: &[Sample], see: &mut dyn FnMut(&Sample, f32)) {
        let played = self.learnt();
        let mut forward = self.forward_memory();
        for sample in samples {
            let case = self.case(&played, sample, 1.0);
            let (expected, _) = isa::run_best(
                #[inline(always)]
                || self.forward(&played, &case, &mut forward),
            );
            see(sample, expected);
        }
    }

    /// The greatest output weight becomes the greatest possible one, to round least.
    fn weights(&self, provenance: Provenance) -> Weights {
        let learnt = self.learnt();
        let of = |range: &Range<usize>| &learnt[range.clone()];
        let NetworkLayout { rows, bias, outputs, output_bias, scalars, patterns, .. } =
            &self.layout;
        let greatest = of(outputs).iter().fold(1e-3f32, |a, w| a.max(w.abs()));
        // `unit` is a whole number, so the factor follows from it.
        let wanted = greatest / (MAX_OUTPUT_WEIGHT as f32 / OUTPUT_ONE as f32);
        let unit = (self.scale * UNITS as f32 * wanted).ceil().max(1.0);
        let factor = in_outputs(self.scale, unit as i32);
        let rounded = |value: f32, one: i32| (value * one as f32).round();
        let short = |values: &[f32], one: f32| -> Vec<i16> {
            values.iter().map(|value| (value * one).round() as i16).collect()
        };
        let network = Network {
            inputs: self.training.inputs,
            hidden: self.training.hidden,
            unit: unit as i32,
            rows: network::lines(&short(of(rows), ONE as f32)),
            bias: short(of(bias), ONE as f32),
            outputs: short(of(outputs), factor * OUTPUT_ONE as f32),
            output_bias: of(output_bias)
                .iter()
                .map(|value| rounded(value * factor, ONE * ONE * OUTPUT_ONE) as i32)
                .collect(),
        };
        let mut weights = self.training.base.weights().clone();
        if self.training.joint {
            let pairs = |range| {
                let (pairs, _) = of(range).as_chunks();
                pairs.iter().map(|&pair| model::quantised(pair, self.scale)).collect()
            };
            (weights.scalars, weights.patterns) = (pairs(scalars), pairs(patterns));
        }
        Weights { provenance, network: Some(network), ..weights }
    }

    fn floats(&self) -> Vec<f32> {
        let mut floats = self.parameters.clone();
        floats.extend(self.means.iter().flatten());
        floats.extend(&self.average);
        floats.push(self.steps as f32);
        floats
    }

    fn restore(&mut self, floats: &[f32]) {
        let count = self.parameters.len();
        self.parameters.copy_from_slice(&floats[..count]);
        self.means[0].copy_from_slice(&floats[count..2 * count]);
        self.means[1].copy_from_slice(&floats[2 * count..3 * count]);
        let end = 3 * count + self.average.len();
        self.average.copy_from_slice(&floats[3 * count..end]);
        self.steps = floats[end] as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_positions::random_positions;
    use meerslag_search::eval::Evaluation;

    /// Weights of this kind, all 0.
    fn silent(kind: EvalKind) -> Evaluation {
        let scalars = vec![[0; 2]; scalars::COUNT];
        let patterns = vec![[0; 2]; kind.tables() * kind.entries()];
        Evaluation::new(Weights { kind, scalars, patterns, ..Weights::material() })
    }

    fn model(training: NetworkTraining) -> NetworkModel {
        model_with(2, training)
    }

    fn model_with(threads: usize, training: NetworkTraining) -> NetworkModel {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        NetworkModel::new(training, 10.0, 1, &Arc::new(pool))
    }

    /// Networks of all kinds: alone, with the weights below them, with factors, with both.
    fn trainings(hidden: usize) -> Vec<NetworkTraining> {
        let alone = |inputs| NetworkTraining::new(inputs, hidden, silent(EvalKind::Material));
        let joint =
            NetworkTraining { base: silent(EvalKind::P8), joint: true, ..alone(Inputs::Windows) };
        vec![
            alone(Inputs::Pieces),
            alone(Inputs::Windows),
            NetworkTraining { inputs: Inputs::Pieces, ..joint.clone() },
            NetworkTraining { factors: true, average: Some(0.5), ..alone(Inputs::Windows) },
            NetworkTraining { factors: true, ..joint },
        ]
    }

    fn samples(count: usize, seed: u64) -> Vec<Sample> {
        // Without kings nothing is divided, which would make the loss jump.
        random_positions(count, seed)
            .filter(|position| position.all_kings().is_empty())
            .map(|position| {
                // The side with more men on the left wins.
                let left =
                    |color| position.men(color).into_iter().filter(|s| s.column() < 5).count();
                let white = left(Color::White).cmp(&left(Color::Black)) as i32;
                Sample { position, score: 0, result: 0.5 + 0.5 * white as f32, weight: 1.0 }
            })
            .collect()
    }

    #[test]
    fn gradients_are_slopes_of_the_loss() {
        for training in trainings(32) {
            gradients_are_slopes_with(model(training));
        }
    }

    fn gradients_are_slopes_with(mut model: NetworkModel) {
        let samples = samples(200, 2);
        let mut random = Random::new(3);
        // Parameters that start at 0 are not 0 here.
        for value in &mut model.parameters[model.layout.scalars.start..] {
            *value = (random.below(201) as f32 - 100.0) * 5e-4;
        }
        let loss = |model: &NetworkModel| {
            let played = model.folded(&model.parameters);
            model.gradients(&played, &samples, 1.0)
        };
        let gradients = model.spread(loss(&model).0);
        let NetworkLayout { rows, bias, outputs, output_bias, scalars, patterns, .. } =
            model.layout.clone();
        let NetworkLayout { coarse_rows, coarse_patterns, .. } = model.layout.clone();
        let mut places = Vec::new();
        for part in
            [rows, bias, outputs, output_bias, scalars, patterns, coarse_rows, coarse_patterns]
        {
            // Where many small slopes cancel out, the kinks of the hidden values matter.
            let mut steep: Vec<usize> = part.filter(|&at| gradients[at].abs() >= 1e-2).collect();
            steep.sort_by(|&a, &b| gradients[b].abs().total_cmp(&gradients[a].abs()));
            places.extend(steep.into_iter().take(10));
        }
        assert!(places.len() >= 30, "{}", places.len());
        for at in places {
            let value = model.parameters[at];
            let width = 1e-3;
            let [above, below] = [value + width, value - width].map(|value| {
                model.parameters[at] = value;
                loss(&model).1
            });
            model.parameters[at] = value;
            let slope = ((above - below) / f64::from(2.0 * width)) as f32;
            let difference = (slope - gradients[at]).abs();
            assert!(difference < 0.05 * slope.abs() + 0.02, "{at}: {slope} {}", gradients[at]);
        }
    }

    #[test]
    fn any_number_of_threads_learns_the_same() {
        // One step and the start of another, each in several parts.
        let samples: Vec<Sample> = samples(4_000, 5).into_iter().cycle().take(14_000).collect();
        let step = TrainingStep { result_share: 1.0, rate: 0.01, decay: 0.0 };
        for training in trainings(32) {
            let learnt = |threads| {
                let mut model = model_with(threads, training.clone());
                let loss = model.learn(&samples, &step);
                (loss, model.floats())
            };
            let alone = learnt(1);
            assert_eq!(alone.1.last(), Some(&2.0));
            assert!(alone == learnt(2) && alone == learnt(3), "{training:?}");
            // The saved floats are the whole state.
            let mut again = model(training.clone());
            again.restore(&alone.1);
            assert_eq!(again.floats(), alone.1);
        }
    }

    #[test]
    fn results_are_learnt_and_weights_score_as_the_model_does() {
        for training in trainings(64) {
            results_are_learnt_with(&training);
        }
    }

    fn results_are_learnt_with(training: &NetworkTraining) {
        let mut model = model(training.clone());
        let samples = samples(4_000, 4);
        let step = TrainingStep { result_share: 1.0, rate: 0.01, decay: 0.0 };
        let losses: Vec<f64> = (0..40).map(|_| model.learn(&samples, &step)).collect();
        assert!(losses[39] < 0.6 * losses[0], "{losses:?}");
        let weights = Evaluation::new(model.weights(Provenance::default()));
        assert_eq!(Weights::from_bytes(&weights.weights().to_bytes()).unwrap(), *weights.weights());
        let kind = training.base.weights().kind;
        let name = format!("{kind}+{}64", training.inputs.letter());
        assert_eq!(weights.weights().kind_name(), name);
        let before = training.base.weights();
        assert_eq!(weights.weights().scalars != before.scalars, training.joint);
        assert_eq!(weights.weights().patterns != before.patterns, training.joint);
        let mut worst = 0f32;
        model.expectations(&samples, &mut |sample, expected| {
            let score = weights.score(&sample.position).hundredths() as f32;
            let white = if sample.position.side_to_move() == Color::White { score } else { -score };
            worst = worst.max((sigmoid(white / model.scale) - expected).abs());
        });
        // Rounding, to whole hundredths and of the weights.
        assert!(worst < if training.joint { 0.06 } else { 0.04 }, "{worst}");
    }

    #[test]
    fn a_network_goes_on_from_where_it_is() {
        let base = Evaluation::default();
        let before = base.weights().clone();
        let goes_on = NetworkTraining {
            joint: true,
            factors: true,
            ..NetworkTraining::new(Inputs::Windows, 32, base)
        };
        let model = model(goes_on.clone());
        let after = model.weights(before.provenance.clone());
        // The unit of the outputs is chosen again; all else comes back to the last bit.
        let unit = after.network().unwrap().unit;
        assert!((unit - before.network().unwrap().unit).abs() <= 1, "{unit}");
        let Network { rows, bias, .. } = before.network().unwrap();
        assert_eq!((rows, bias), (&after.network().unwrap().rows, &after.network().unwrap().bias));
        assert_eq!((&before.scalars, &before.patterns), (&after.scalars, &after.patterns));
        let [before, after] = [before, after].map(Evaluation::new);
        for position in random_positions(2_000, 6) {
            let [before, after] = [&before, &after].map(|it| it.score(&position).hundredths());
            assert!((before - after).abs() <= 1, "{before} {after} {position:?}");
        }
        // One of another shape begins from nothing, and so does one on top of weights that stay.
        assert!(NetworkTraining { hidden: 64, ..goes_on.clone() }.continued().is_none());
        assert!(
            NetworkTraining { inputs: Inputs::Pieces, ..goes_on.clone() }.continued().is_none()
        );
        assert!(NetworkTraining { joint: false, ..goes_on }.continued().is_none());
    }

    #[test]
    fn weights_are_drawn_to_nothing_but_scalars_are_not() {
        let patterns = Weights { network: None, ..Evaluation::default().weights().clone() };
        let base = Evaluation::new(patterns);
        let mut model = model(NetworkTraining { base, ..trainings(32).remove(4) });
        let before = model.parameters.clone();
        let none = vec![0.0; before.len()];
        model.step(&none, 1, &TrainingStep { result_share: 0.0, rate: 0.1, decay: 0.5 });
        let scalars = model.layout.scalars.clone();
        for (at, (after, before)) in model.parameters.iter().zip(before).enumerate() {
            let expected = if scalars.contains(&at) { before } else { before * 0.95 };
            assert!((after - expected).abs() <= 1e-6 * before.abs(), "{at} {before} {after}");
        }
    }

    #[test]
    fn the_mean_follows_the_weights() {
        let mean = NetworkTraining { average: Some(0.9), ..trainings(32).remove(0) };
        let mut model = model(mean);
        let mut gradients = vec![0.0; model.parameters.len()];
        let place = model.layout.bias.start;
        let mut expected = model.parameters[place];
        for number in 1..=200 {
            gradients[place] = if number % 3 == 0 { 1.0 } else { -2.0 };
            model.step(&gradients, 1, &TrainingStep { result_share: 0.0, rate: 0.01, decay: 0.0 });
            let kept = (f64::from(1 + number) / f64::from(10 + number)).min(0.9) as f32;
            expected = kept * expected + (1.0 - kept) * model.parameters[place];
        }
        let (average, last) = (model.average[place], model.parameters[place]);
        assert!((average - expected).abs() < 1e-4 && (average - last).abs() > 1e-3, "{average}");
        assert_eq!(model.learnt()[place], average);
    }
}
