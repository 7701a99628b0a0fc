//! The parameters of an evaluation in training, as sums of finer and coarser ones.
//!
//! A window of 8 squares is worth the sum of its own value and those of its two parts of 4 squares.
//! So rare windows fall back on their parts. [`Model::weights`] adds them up.

use movegen::{Color, Position, Variant};

use super::factors;
use super::learner::{Learner, TrainingStep};
use super::sample::Sample;
use meerslag_search::eval::board::{self, GROUPS, PART_VALUES, SideView, VIEW_CHUNKS};
use meerslag_search::eval::kind::{OPENING_STEPS, Pair, UNITS};
use meerslag_search::eval::weights::{opening_steps, towards_draw};
use meerslag_search::eval::{EvalKind, Provenance, Weights, scalars};

/// Squares of the accumulated gradients at the start: the first steps are as long as the rate
/// times the gradient.
const FIRST_SQUARE: f32 = 1.0;
/// A window seen n times keeps n / (n + this) of its own value.
const SHRINK: f32 = 30.0;

/// A parameter, at the start and at the end of the game, with the state of its training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Parameter {
    /// In units of the [`Model::scale`].
    pub(super) value: [f32; 2],
    /// Sums of the squares of gradients (AdaGrad; Duchi, Hazan, Singer 2011).
    pub(super) squares: [f32; 2],
    /// How often it has been seen.
    pub(super) seen: f32,
}

impl Parameter {
    const NEW: Parameter = Parameter { value: [0.0; 2], squares: [FIRST_SQUARE; 2], seen: 0.0 };
}

/// Parameters, and where each kind begins.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Model {
    variant: Variant,
    kind: EvalKind,
    /// Hundredths of a man per unit of the logistic function.
    pub(super) scale: f32,
    pub(super) parameters: Vec<Parameter>,
}

/// A position as scalars and patterns see it.
#[derive(Clone, Debug, Default)]
pub(super) struct Features {
    /// Parameters with their factors.
    pub(super) active: Vec<(u32, f32)>,
    /// Shares of the start and of the end of the game.
    pub(super) phase: [f32; 2],
    /// The divisors of White's and Black's advantage.
    damping: [f32; 2],
}

impl Features {
    /// Sets the position; `windows` calls its second argument with the active parameters from a
    /// side's view. Scalars are the first parameters.
    pub(super) fn see(
        &mut self,
        position: &Position,
        windows: impl Fn(SideView, &mut dyn FnMut(usize)),
    ) {
        let active = &mut self.active;
        active.clear();
        let sums = board::sums(position);
        scalars::visit(position, &sums, |index, value| {
            if value != 0 {
                active.push((index as u32, value as f32));
            }
        });
        let men = |color| position.men(color).bits();
        let views = board::views(men(Color::White), men(Color::Black));
        for (view, sign) in views.into_iter().zip([1.0, -1.0]) {
            windows(view, &mut |index| active.push((index as u32, sign)));
        }
        let start = opening_steps(&sums) as f32 / OPENING_STEPS as f32;
        self.phase = [start, 1.0 - start];
        self.damping = damping(position);
    }

    /// White's score with these parameter values, before it is divided.
    pub(super) fn sum(&self, value: impl Fn(usize) -> [f32; 2]) -> f32 {
        let mut sum = [0.0; 2];
        for &(index, factor) in &self.active {
            let value = value(index as usize);
            sum[0] += value[0] * factor;
            sum[1] += value[1] * factor;
        }
        sum[0] * self.phase[0] + sum[1] * self.phase[1]
    }
}

/// By what White's and Black's advantage is divided, as factors.
pub(super) fn damping(position: &Position) -> [f32; 2] {
    [Color::White, Color::Black].map(|better| 1.0 / (1 << towards_draw(position, better)) as f32)
}

/// A parameter in units of the scale as a weight for play.
pub(super) fn quantised(values: [f32; 2], scale: f32) -> Pair {
    values.map(|value| {
        let units = (value * scale * UNITS as f32).round();
        units.clamp(f32::from(i16::MIN), f32::from(i16::MAX)) as i16
    })
}

const PARTS: usize = scalars::COUNT;
const WINDOWS: usize = PARTS + factors::HALF_ROWS;

impl Model {
    pub(super) fn new(variant: Variant, kind: EvalKind, scale: f32) -> Model {
        let count = match kind {
            EvalKind::Material => PARTS,
            EvalKind::P8 => WINDOWS + factors::WINDOW_ROWS,
        };
        let mut parameters = vec![Parameter::NEW; count];
        // A man has a value before anything is learnt.
        let material = Weights::material_of(variant).scalars;
        for scalar in [scalars::MEN, scalars::FIRST_KING, scalars::FURTHER_KINGS] {
            let hundredths = material[scalar].map(|units| f32::from(units) / UNITS as f32);
            parameters[scalar].value = hundredths.map(|hundredths| hundredths / scale);
        }
        Model { variant, kind, scale, parameters }
    }

    /// The model's view of a position.
    pub(super) fn features(&self, position: &Position, features: &mut Features) {
        features.see(position, |view, add| self.windows(view, add));
    }

    fn windows(&self, view: SideView, add: &mut dyn FnMut(usize)) {
        if self.kind == EvalKind::Material {
            return;
        }
        for chunk in 0..VIEW_CHUNKS {
            for group in 0..GROUPS {
                let table = chunk * GROUPS + group;
                add(PARTS + table * PART_VALUES + view.part(chunk, group));
            }
        }
        let entries = EvalKind::P8.entries();
        EvalKind::P8.visit(view, |table, entry| add(WINDOWS + table * entries + entry));
    }

    /// White's score in units of the scale.
    pub(super) fn score(&self, features: &Features) -> f32 {
        let score = self.undamped(features);
        score * features.damping[usize::from(score <= 0.0)]
    }

    fn undamped(&self, features: &Features) -> f32 {
        features.sum(|index| self.parameters[index].value)
    }

    /// Takes a step towards the label; gives the loss before it.
    fn learn_one(
        &mut self,
        features: &Features,
        label: f32,
        weight: f32,
        rate: f32,
        decay: f32,
    ) -> f32 {
        let undamped = self.undamped(features);
        let damping = features.damping[usize::from(undamped <= 0.0)];
        let expected = sigmoid(undamped * damping);
        let slope = (expected - label) * damping * weight;
        for &(index, factor) in &features.active {
            let parameter = &mut self.parameters[index as usize];
            parameter.seen += weight;
            for (phase, share) in features.phase.into_iter().enumerate() {
                let value = &mut parameter.value[phase];
                let pull = if index as usize >= PARTS { decay * *value * weight } else { 0.0 };
                let gradient = (slope * factor + pull) * share;
                let square = &mut parameter.squares[phase];
                *square += gradient * gradient;
                *value -= rate * gradient / square.sqrt();
            }
        }
        loss(expected, label)
    }

    /// A window's own value, reduced for rare windows.
    fn own(&self, index: usize) -> [f32; 2] {
        let Parameter { value, seen, .. } = self.parameters[index];
        value.map(|value| value * seen / (seen + SHRINK))
    }

    /// With the parts: each counts with the first window that has it.
    fn pattern_sums(&self) -> Vec<[f32; 2]> {
        let part = |chunk: usize, group: usize, value: usize| {
            self.parameters[PARTS + (chunk * GROUPS + group) * PART_VALUES + value].value
        };
        let entries = EvalKind::P8.entries();
        let mut windows = Vec::with_capacity(factors::WINDOW_ROWS);
        for table in 0..EvalKind::P8.tables() {
            let (top, group) = (table / GROUPS, table % GROUPS);
            for entry in 0..entries {
                let (upper, lower) = (entry % PART_VALUES, entry / PART_VALUES);
                let mut sum = self.own(WINDOWS + table * entries + entry);
                add(&mut sum, part(top + 1, group, lower));
                if top == 0 {
                    add(&mut sum, part(0, group, upper));
                }
                windows.push(sum);
            }
        }
        windows
    }
}

impl Learner for Model {
    fn scale(&self) -> f32 {
        self.scale
    }

    fn learn(&mut self, samples: &[Sample], step: &TrainingStep) -> f64 {
        let mut features = Features::default();
        let mut losses = 0.0;
        for sample in samples {
            self.features(&sample.position, &mut features);
            let label = label(sample, step.result_share, self.scale);
            let loss = self.learn_one(&features, label, sample.weight, step.rate, step.decay);
            losses += f64::from(loss);
        }
        losses
    }

    fn expectations(&self, samples: &[Sample], see: &mut dyn FnMut(&Sample, f32)) {
        let mut features = Features::default();
        for sample in samples {
            self.features(&sample.position, &mut features);
            see(sample, sigmoid(self.score(&features)));
        }
    }

    fn weights(&self, provenance: Provenance) -> Weights {
        let quantised = |values| quantised(values, self.scale);
        let scalars = self.parameters[..PARTS].iter().map(|p| quantised(p.value)).collect();
        let patterns = match self.kind {
            EvalKind::Material => Vec::new(),
            EvalKind::P8 => self.pattern_sums().into_iter().map(quantised).collect(),
        };
        let Model { variant, kind, .. } = *self;
        Weights { variant, kind, provenance, scalars, patterns, network: None }
    }

    fn floats(&self) -> Vec<f32> {
        let floats = |Parameter { value: [a, b], squares: [c, d], seen }: &Parameter| {
            [*a, *b, *c, *d, *seen]
        };
        self.parameters.iter().flat_map(floats).collect()
    }

    fn restore(&mut self, floats: &[f32]) {
        for (parameter, [a, b, c, d, seen]) in
            self.parameters.iter_mut().zip(floats.as_chunks::<5>().0)
        {
            *parameter = Parameter { value: [*a, *b], squares: [*c, *d], seen: *seen };
        }
    }
}

fn add(sum: &mut [f32; 2], other: [f32; 2]) {
    sum[0] += other[0];
    sum[1] += other[1];
}

/// The label of a sample: its result blended with its score.
pub(super) fn label(sample: &Sample, result_share: f32, scale: f32) -> f32 {
    result_share * sample.result + (1.0 - result_share) * sigmoid(f32::from(sample.score) / scale)
}

pub(super) fn sigmoid(x: f32) -> f32 {
    // `libm` gives the same result on all systems.
    1.0 / (1.0 + libm::expf(-x))
}

/// Cross-entropy of an expectation.
pub(super) fn loss(expected: f32, label: f32) -> f32 {
    let expected = expected.clamp(1e-6, 1.0 - 1e-6);
    -(label * libm::logf(expected) + (1.0 - label) * libm::logf(1.0 - expected))
}

#[cfg(test)]
mod tests {
    use movegen::random::Random;

    use super::*;
    use crate::test_positions::random_positions;

    /// A model with large random parameters, all seen often.
    fn random_model(kind: EvalKind) -> Model {
        let mut model = Model::new(Variant::International, kind, 80.0);
        let mut random = Random::new(4);
        for parameter in &mut model.parameters {
            parameter.value = [0; 2].map(|_: i32| random.below(2001) as f32 / 5000.0 - 0.2);
            parameter.seen = 1e9;
        }
        model
    }

    #[test]
    fn weights_score_positions_as_the_model_does() {
        for kind in EvalKind::ALL {
            let model = random_model(kind);
            let weights = model.weights(Provenance::default());
            let mut features = Features::default();
            for position in random_positions(1_000, 8) {
                model.features(&position, &mut features);
                let expected = model.undamped(&features) * model.scale;
                let found = weights.white_score(&position) as f32;
                // Rounding: a twentieth of a hundredth for each of up to 200 units of scalars, and
                // for the windows.
                assert!((found - expected).abs() < 12.0, "{kind} {found} {expected}");
            }
        }
    }

    #[test]
    fn what_has_not_been_seen_falls_back_on_its_parts() {
        let mut model = random_model(EvalKind::P8);
        let whole = model.weights(Provenance::default());
        for parameter in &mut model.parameters[WINDOWS..] {
            parameter.seen = 0.0;
        }
        let unseen = model.weights(Provenance::default());
        for parameter in &mut model.parameters[WINDOWS..] {
            *parameter = Parameter::NEW;
        }
        assert_eq!(unseen, model.weights(Provenance::default()));
        assert_ne!(unseen, whole);
    }

    #[test]
    fn results_are_learnt() {
        for kind in EvalKind::ALL {
            let mut model = Model::new(Variant::International, kind, 80.0);
            let mut features = Features::default();
            // The side with more men on the left wins.
            let samples: Vec<(Position, f32)> = random_positions(3_000, 9)
                .filter(|position| position.all_kings().is_empty())
                .map(|position| {
                    let left = |color| {
                        let men = position.men(color).into_iter();
                        men.filter(|square| square.column() < 5).count()
                    };
                    let white = left(Color::White).cmp(&left(Color::Black)) as i32;
                    (position, 0.5 + 0.5 * white as f32)
                })
                .collect();
            let mut losses = Vec::new();
            for _ in 0..4 {
                let mut sum = 0.0;
                for (position, label) in &samples {
                    model.features(position, &mut features);
                    sum += model.learn_one(&features, *label, 1.0, 0.1, 0.0);
                }
                losses.push(sum / samples.len() as f32);
            }
            assert!(losses.is_sorted_by(|a, b| a > b), "{kind} {losses:?}");
            assert!(
                kind == EvalKind::Material || losses[3] < 0.75 * losses[0],
                "{kind} {losses:?}"
            );
        }
    }
}
