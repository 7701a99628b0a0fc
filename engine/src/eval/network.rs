//! A small network on top of patterns and scalars.
//!
//! Each side sees the board as if it were White: every piece on its square is an input, and adds
//! its row of weights to the side's hidden sums. Their values, cut to 0..=1 and squared, are
//! weighted by an output for the number of pieces, those of the side to move first. All numbers
//! are integers, so every processor computes the same.
//!
//! The sums follow the pieces ([`Sums`]): what a position shares with one that was scored before
//! it at a near ply need not be added again.

use arrayvec::ArrayVec;
use movegen::geometry::{bits, index_of_bit};
use movegen::{Color, Position};

use super::weights::{IN_A_HUNDREDTH, UNITS};

/// Inputs of a side: own men, own kings, enemy men, enemy kings, on 50 squares each.
pub(crate) const INPUTS: usize = 4 * SQUARES;
const SQUARES: usize = 50;
/// Outputs: one for each five pieces on the board.
pub(crate) const OUTPUTS: usize = 8;
/// A hidden value of 1.
pub(crate) const ONE: i32 = 255;
/// An output weight of 1.
pub(crate) const OUTPUT_ONE: i32 = 64;
/// The greatest output weight: its product with a hidden value has 16 bits.
pub(crate) const MOST_OUTPUT: i32 = 127;
/// Numbers of hidden sums are multiples of this.
pub(crate) const STEP: usize = 32;
/// The most hidden sums of a side.
pub(crate) const MOST_HIDDEN: usize = 256;
/// The greatest [`Network::unit`].
const MOST_UNIT: i32 = 4000;
/// The most that a network says, in hundredths of a man. It seldom would say more, and a search that
/// knows the rest of the score need not ask where this decides nothing.
pub(crate) const MOST: i32 = 60;
/// Plies whose sums are kept.
const KEPT: usize = 64;

/// Whether a network can have this many hidden sums.
pub(crate) fn check_hidden(hidden: usize) -> Result<(), String> {
    if (STEP..=MOST_HIDDEN).contains(&hidden) && hidden.is_multiple_of(STEP) {
        return Ok(());
    }
    Err(format!(
        "a network of {hidden} hidden sums, expected a multiple of {STEP} to {MOST_HIDDEN}"
    ))
}

/// The output for a position.
#[inline(always)]
pub(crate) fn output_of(position: &Position) -> usize {
    ((position.piece_count() as usize).saturating_sub(1) / 5).min(OUTPUTS - 1)
}

/// The sets of pieces in the order of White's inputs.
#[inline(always)]
fn sets(position: &Position) -> [u64; 4] {
    [
        position.men(Color::White).bits(),
        position.kings(Color::White).bits(),
        position.men(Color::Black).bits(),
        position.kings(Color::Black).bits(),
    ]
}

/// Rows of inputs as Black and White see them.
pub(crate) type Rows = ArrayVec<[u16; 2], SQUARES>;

/// The rows of all pieces.
#[cfg(all(feature = "training", not(target_family = "wasm")))]
pub(crate) fn rows(position: &Position) -> Rows {
    let mut rows = Rows::new();
    for (kind, set) in sets(position).into_iter().enumerate() {
        list(set, kind, &mut rows);
    }
    rows
}

/// Lists the rows of the pieces on these squares, `kind` as White sees them.
#[inline(always)]
fn list(set: u64, kind: usize, rows: &mut Rows) {
    for bit in bits(set) {
        let square = index_of_bit(bit.trailing_zeros()) as usize;
        // Black's own pieces are White's enemies, on a turned board.
        let white = kind * SQUARES + square;
        let black = (kind ^ 2) * SQUARES + (SQUARES - 1 - square);
        // There is a place for every square.
        let _ = rows.try_push([black as u16, white as u16]);
    }
}

/// The weights of a network.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Network {
    /// Hidden sums of a side.
    pub(crate) hidden: usize,
    /// What an output of 1 is worth, in units of a weight.
    pub(crate) unit: i32,
    /// A row of `hidden` for each input, in parts of [`ONE`].
    pub(crate) rows: Vec<i16>,
    /// What the hidden sums begin with.
    pub(crate) bias: Vec<i16>,
    /// For each output the weights of the side to move, then of the other; in parts of
    /// [`OUTPUT_ONE`].
    pub(crate) outputs: Vec<i16>,
    /// What each output begins with, in parts of [`ONE`] x [`ONE`] x [`OUTPUT_ONE`].
    pub(crate) output_bias: Vec<i32>,
}

/// The hidden sums of the positions scored last, by ply: for one thread and one network.
#[derive(Clone)]
pub(crate) struct Sums {
    /// The pieces that are in the sums, see [`sets`].
    sets: Box<[[u64; 4]; KEPT]>,
    /// For each ply the sums of Black, then those of White.
    values: Box<[i16]>,
}

impl Sums {
    pub(crate) fn new(network: &Network) -> Sums {
        let values = network.bias.repeat(2 * KEPT);
        Sums { sets: Box::new([[0; 4]; KEPT]), values: values.into() }
    }
}

impl Network {
    /// Number of weights.
    pub(crate) fn count(&self) -> usize {
        self.rows.len() + self.bias.len() + self.outputs.len() + self.output_bias.len()
    }

    /// Whether the shape is right and no sum can overflow.
    pub(crate) fn check(&self) -> Result<(), String> {
        let hidden = self.hidden;
        check_hidden(hidden)?;
        if !(1..=MOST_UNIT).contains(&self.unit) {
            return Err(format!("a network of unit {}, expected 1 to {MOST_UNIT}", self.unit));
        }
        let lengths =
            [self.rows.len(), self.bias.len(), self.outputs.len(), self.output_bias.len()];
        if lengths != [INPUTS * hidden, hidden, OUTPUTS * 2 * hidden, OUTPUTS] {
            return Err("the weights do not fit the network's shape".to_owned());
        }
        for (weights, bias) in self.outputs.chunks(2 * hidden).zip(&self.output_bias) {
            if weights.iter().any(|w| i32::from(*w).abs() > MOST_OUTPUT) {
                return Err(format!("an output weight beyond {MOST_OUTPUT}"));
            }
            let greatest = i64::from(ONE * ONE)
                * weights.iter().map(|w| i64::from(w.unsigned_abs())).sum::<i64>()
                + i64::from(bias.unsigned_abs());
            if greatest > i64::from(i32::MAX) {
                return Err("output weights whose sum can overflow".to_owned());
            }
        }
        // 40 pieces at most, and the bias.
        let greatest = |at: usize| {
            let mut column: Vec<i32> =
                (0..INPUTS).map(|row| i32::from(self.rows[row * hidden + at]).abs()).collect();
            column.sort_unstable_by(|a, b| b.cmp(a));
            column[..40].iter().sum::<i32>() + i32::from(self.bias[at]).abs()
        };
        match (0..hidden).all(|at| greatest(at) <= i32::from(i16::MAX)) {
            true => Ok(()),
            false => Err("hidden sums that can overflow".to_owned()),
        }
    }

    /// What is to be added to White's sum ([`IN_A_HUNDREDTH`]), from the inputs alone.
    #[inline(always)]
    pub(crate) fn white_score(&self, position: &Position) -> i32 {
        let mut values = [0; 2 * MOST_HIDDEN];
        let values = &mut values[..2 * self.hidden];
        for side in values.chunks_exact_mut(self.hidden) {
            side.copy_from_slice(&self.bias);
        }
        self.white_score_after(&[0; 4], values, [0, 0], position)
    }

    /// The same, from the sums of the position that was scored last at this ply or the one before
    /// it.
    #[inline(always)]
    pub(crate) fn white_score_from(
        &self,
        position: &Position,
        memory: &mut Sums,
        ply: usize,
    ) -> i32 {
        let wanted = sets(position);
        let steps = |from: &[u64; 4]| -> u32 {
            (0..4).map(|kind| (from[kind] ^ wanted[kind]).count_ones()).sum()
        };
        let (here, before) = (ply % KEPT, (ply + KEPT - 1) % KEPT);
        let is_nearer = steps(&memory.sets[before]) < steps(&memory.sets[here]);
        let from = if is_nearer { before } else { here };
        let old = memory.sets[from];
        memory.sets[here] = wanted;
        let places = [from, here].map(|ply| 2 * self.hidden * ply);
        self.white_score_after(&old, &mut memory.values, places, position)
    }

    /// What is to be added for a position, whose sums are written to the second place in `values` from
    /// those of other pieces in the first.
    #[inline(always)]
    fn white_score_after(
        &self,
        old: &[u64; 4],
        values: &mut [i16],
        [from, to]: [usize; 2],
        position: &Position,
    ) -> i32 {
        // Rows to add and to take away, as Black and White see the board.
        let (mut added, mut removed) = (Rows::new(), Rows::new());
        for (kind, (&old, new)) in old.iter().zip(sets(position)).enumerate() {
            list(new & !old, kind, &mut added);
            list(old & !new, kind, &mut removed);
        }
        let (side, output) = (position.side_to_move(), output_of(position));
        let weights = &self.outputs[output * 2 * self.hidden..][..2 * self.hidden];
        let (own, other) = weights.split_at(self.hidden);
        let mut total = self.output_bias[output];
        for (side, outputs) in [(side, own), (side.opponent(), other)] {
            let side = side.index();
            for (number, outputs) in outputs.as_chunks().0.iter().enumerate() {
                let start = side * self.hidden + number * STEP;
                let mut sums = *part(values, from + start);
                for rows in &added {
                    let at = usize::from(rows[side]) * self.hidden + number * STEP;
                    add(&mut sums, part(&self.rows, at));
                }
                for rows in &removed {
                    let at = usize::from(rows[side]) * self.hidden + number * STEP;
                    subtract(&mut sums, part(&self.rows, at));
                }
                if let Some(place) = values[to + start..].first_chunk_mut() {
                    *place = sums;
                }
                total += product(&sums, outputs);
            }
        }
        let one = i64::from(ONE * ONE * OUTPUT_ONE);
        let units = (i64::from(total) * i64::from(self.unit) / one) as i32;
        let score = units.clamp(-MOST * UNITS, MOST * UNITS) * (IN_A_HUNDREDTH / UNITS);
        if position.side_to_move() == Color::White { score } else { -score }
    }
}

/// The sums or weights that begin here.
#[inline(always)]
fn part(list: &[i16], at: usize) -> &[i16; STEP] {
    list[at..].first_chunk().unwrap_or(&[0; STEP])
}

#[inline(always)]
fn add(values: &mut [i16; STEP], weights: &[i16; STEP]) {
    for at in 0..STEP {
        values[at] = values[at].wrapping_add(weights[at]);
    }
}

#[inline(always)]
fn subtract(values: &mut [i16; STEP], weights: &[i16; STEP]) {
    for at in 0..STEP {
        values[at] = values[at].wrapping_sub(weights[at]);
    }
}

/// The sum of the values, cut and squared, times their weights.
#[inline(always)]
fn product(values: &[i16; STEP], weights: &[i16; STEP]) -> i32 {
    let mut sum = 0;
    for at in 0..STEP {
        let value = values[at].clamp(0, ONE as i16);
        sum += i32::from(value) * i32::from(value.wrapping_mul(weights[at]));
    }
    sum
}

#[cfg(test)]
pub(crate) mod tests {
    use movegen::Square;
    use movegen::random::Random;

    use super::*;
    use crate::test_positions::random_positions;

    /// A network of random weights.
    pub(crate) fn random_network(hidden: usize, seed: u64) -> Network {
        let mut random = Random::new(seed);
        let mut around = |count: usize, width: usize| -> Vec<i16> {
            (0..count).map(|_| (random.below(2 * width + 1) as i32 - width as i32) as i16).collect()
        };
        Network {
            hidden,
            unit: 20,
            rows: around(INPUTS * hidden, 100),
            bias: around(hidden, 100),
            outputs: around(OUTPUTS * 2 * hidden, 50),
            output_bias: around(OUTPUTS, 30_000).into_iter().map(i32::from).collect(),
        }
    }

    /// White's score square by square, by the definition.
    fn slow_score(network: &Network, position: &Position) -> i32 {
        let hidden = network.hidden;
        let side = position.side_to_move();
        let output = output_of(position);
        let mut total = i64::from(network.output_bias[output]);
        for (half, view) in [side, side.opponent()].into_iter().enumerate() {
            for at in 0..hidden {
                let mut sum = i64::from(network.bias[at]);
                for number in 1..=50 {
                    let Some(piece) = position.piece_at(Square::new(number).unwrap()) else {
                        continue;
                    };
                    let enemy = 2 * usize::from(piece.color != view);
                    let kind = enemy + usize::from(piece.kind == movegen::Kind::King);
                    let seen = if view == Color::White { number - 1 } else { 50 - number };
                    let row = kind * 50 + usize::from(seen);
                    sum += i64::from(network.rows[row * hidden + at]);
                }
                let value = sum.clamp(0, 255);
                let weight = network.outputs[(2 * output + half) * hidden + at];
                total += value * value * i64::from(weight);
            }
        }
        let units = (total * i64::from(network.unit) / (255 * 255 * 64)).clamp(-600, 600) as i32;
        if side == Color::White { units * 300 } else { -units * 300 }
    }

    #[test]
    fn scores_are_sums_by_the_definition() {
        for hidden in [32, 96, 256] {
            let network = random_network(hidden, 3);
            network.check().unwrap();
            let mut different = 0;
            for position in random_positions(1_000, 4) {
                let score = network.white_score(&position);
                assert_eq!(score, slow_score(&network, &position), "{position:?}");
                different += i32::from(score.abs() > 100 && score.abs() < 180_000);
            }
            assert!(different > 300, "{different}");
        }
    }

    #[test]
    fn memory_changes_nothing() {
        let network = random_network(64, 5);
        let mut memory = Sums::new(&network);
        let mut random = Random::new(6);
        for position in random_positions(3_000, 7) {
            // The same ply, the next one, and any one.
            let (mut position, mut ply) = (position, random.below(200));
            for _ in 0..6 {
                let score = network.white_score_from(&position, &mut memory, ply);
                assert_eq!(score, network.white_score(&position), "{position:?}");
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position = position.after(moves[random.below(moves.len())]);
                ply += random.below(2);
            }
        }
    }

    #[test]
    fn sums_that_can_overflow_are_refused() {
        let good = random_network(64, 8);
        let refused = |change: &dyn Fn(&mut Network)| {
            let mut bad = good.clone();
            change(&mut bad);
            bad.check().unwrap_err()
        };
        assert!(refused(&|n| n.outputs[7] = 128).contains("output weight beyond 127"));
        assert!(refused(&|n| n.output_bias[0] = i32::MIN).contains("can overflow"));
        assert!(refused(&|n| n.rows.fill(900)).contains("hidden sums that can overflow"));
        assert!(refused(&|n| n.unit = 0).contains("unit 0"));
        assert!(refused(&|n| n.hidden = 65).contains("65 hidden sums"));
        assert!(refused(&|n| n.bias.truncate(3)).contains("do not fit"));
        let mut wide = random_network(256, 8);
        wide.outputs.fill(127);
        wide.output_bias.fill(i32::MAX);
        assert!(wide.check().unwrap_err().contains("can overflow"));
    }
}
