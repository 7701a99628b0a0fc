//! A small network on top of patterns and scalars.
//!
//! Each side sees the board as if it were White: every piece on its square is an input, and adds
//! its row of weights to the side's hidden sums. Their values, cut to 0..=1 and squared, are
//! weighted by an output for the number of pieces, those of the side to move first. All numbers
//! are integers, so every processor computes the same.
//!
//! The sums follow the pieces ([`Memory`]): what a position shares with one that was scored before
//! it at a near ply need not be added again.

use arrayvec::ArrayVec;
use movegen::geometry::{bits, index_of_bit};
use movegen::{Color, Position};

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
/// The greatest [`Network::unit`]: scores stay far from overflow.
const MOST_UNIT: i32 = 4000;
/// Plies whose sums are kept.
const KEPT: usize = 64;

/// Whether a network can have this many hidden sums.
pub(crate) fn check_hidden(hidden: usize) -> Result<(), String> {
    if (STEP..=MOST_HIDDEN).contains(&hidden) && hidden.is_multiple_of(STEP) {
        return Ok(());
    }
    Err(format!("a network of {hidden} hidden sums, expected a multiple of {STEP} to {MOST_HIDDEN}"))
}

/// The output for a position.
#[inline(always)]
pub(crate) fn output_of(position: &Position) -> usize {
    ((position.piece_count() as usize - 1) / 5).min(OUTPUTS - 1)
}

/// The inputs of the pieces on these squares: `kind` counts own men, own kings, enemy men, enemy
/// kings as the side sees them.
#[inline(always)]
fn for_each_input(set: u64, kind: usize, side: Color, mut see: impl FnMut(usize)) {
    for bit in bits(set) {
        let square = index_of_bit(bit.trailing_zeros()) as usize;
        let seen = if side == Color::White { square } else { SQUARES - 1 - square };
        see(kind * SQUARES + seen);
    }
}

/// The sets of pieces of a position in the order of a side's inputs.
#[inline(always)]
fn sets(position: &Position, side: Color) -> [u64; 4] {
    let other = side.opponent();
    [
        position.men(side).bits(),
        position.kings(side).bits(),
        position.men(other).bits(),
        position.kings(other).bits(),
    ]
}

/// Calls `see` with each input that is set for this side.
#[inline(always)]
pub(crate) fn inputs(position: &Position, side: Color, mut see: impl FnMut(usize)) {
    for (kind, set) in sets(position, side).into_iter().enumerate() {
        for_each_input(set, kind, side, &mut see);
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

/// The hidden sums of a position.
#[derive(Clone, Copy)]
struct Sums {
    /// The pieces that are in the sums, as [`sets`] of White.
    sets: [u64; 4],
    /// By the side that sees the board.
    values: [[i16; MOST_HIDDEN]; 2],
}

impl Sums {
    /// Those of an empty board.
    #[inline(always)]
    fn empty(network: &Network) -> Sums {
        let mut values = [[0; MOST_HIDDEN]; 2];
        for side in &mut values {
            for (value, bias) in side.iter_mut().zip(&network.bias) {
                *value = *bias;
            }
        }
        Sums { sets: [0; 4], values }
    }
}

/// The hidden sums of the positions scored last, by ply: for one thread and one network.
#[derive(Clone)]
pub(crate) struct Memory {
    plies: Box<[Sums; KEPT]>,
}

impl Memory {
    pub(crate) fn new(network: &Network) -> Memory {
        Memory { plies: Box::new([Sums::empty(network); KEPT]) }
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
        let lengths = [self.rows.len(), self.bias.len(), self.outputs.len(), self.output_bias.len()];
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

    /// White's score in units of a weight, from the inputs alone.
    #[inline(always)]
    pub(crate) fn white_score(&self, position: &Position) -> i32 {
        let empty = Sums::empty(self);
        self.output(&self.brought(&empty, position), position)
    }

    /// The same, from the sums of the position that was scored last at this ply or the one before
    /// it.
    #[inline(always)]
    pub(crate) fn white_score_from(
        &self,
        position: &Position,
        memory: &mut Memory,
        ply: usize,
    ) -> i32 {
        let wanted = sets(position, Color::White);
        let steps = |sums: &Sums| -> u32 {
            (0..4).map(|kind| (sums.sets[kind] ^ wanted[kind]).count_ones()).sum()
        };
        let (here, before) = (ply % KEPT, (ply + KEPT - 1) % KEPT);
        let is_nearer = steps(&memory.plies[before]) < steps(&memory.plies[here]);
        let nearest = &memory.plies[if is_nearer { before } else { here }];
        let sums = self.brought(nearest, position);
        memory.plies[here] = sums;
        self.output(&memory.plies[here], position)
    }

    /// The sums of the position, from those of another one.
    #[inline(always)]
    fn brought(&self, from: &Sums, position: &Position) -> Sums {
        let wanted = sets(position, Color::White);
        let mut sums = Sums { sets: wanted, ..*from };
        for side in Color::ALL {
            // Rows to add and to take away.
            let mut rows = [const { ArrayVec::<u16, 64>::new_const() }; 2];
            for (kind, (&old, &new)) in from.sets.iter().zip(&wanted).enumerate() {
                // Black's own pieces are White's enemies.
                let seen = if side == Color::White { kind } else { kind ^ 2 };
                for (rows, set) in rows.iter_mut().zip([new & !old, old & !new]) {
                    for_each_input(set, seen, side, |input| {
                        let _ = rows.try_push(input as u16);
                    });
                }
            }
            let values = &mut sums.values[side.index()][..self.hidden];
            for (number, part) in values.as_chunks_mut::<STEP>().0.iter_mut().enumerate() {
                let weights = |row: u16| {
                    let at = usize::from(row) * self.hidden + number * STEP;
                    self.rows.get(at..).and_then(|rows| rows.first_chunk::<STEP>())
                };
                for weights in rows[0].iter().filter_map(|row| weights(*row)) {
                    for (value, weight) in part.iter_mut().zip(weights) {
                        *value = value.wrapping_add(*weight);
                    }
                }
                for weights in rows[1].iter().filter_map(|row| weights(*row)) {
                    for (value, weight) in part.iter_mut().zip(weights) {
                        *value = value.wrapping_sub(*weight);
                    }
                }
            }
        }
        sums
    }

    /// White's score from the hidden sums.
    #[inline(always)]
    fn output(&self, sums: &Sums, position: &Position) -> i32 {
        let (side, output) = (position.side_to_move(), output_of(position));
        let weights = &self.outputs[output * 2 * self.hidden..][..2 * self.hidden];
        let (own, other) = weights.split_at(self.hidden);
        let mut total = self.output_bias[output];
        for (side, weights) in [(side, own), (side.opponent(), other)] {
            let values = sums.values[side.index()][..self.hidden].as_chunks::<STEP>().0;
            for (values, weights) in values.iter().zip(weights.as_chunks::<STEP>().0) {
                for (value, weight) in values.iter().zip(weights) {
                    let value = (*value).clamp(0, ONE as i16);
                    total += i32::from(value) * i32::from(value.wrapping_mul(*weight));
                }
            }
        }
        let one = i64::from(ONE * ONE * OUTPUT_ONE);
        let score = (i64::from(total) * i64::from(self.unit) / one) as i32;
        if side == Color::White { score } else { -score }
    }
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
            unit: 700,
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
        let score = (total * i64::from(network.unit) / (255 * 255 * 64)) as i32;
        if side == Color::White { score } else { -score }
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
                different += i32::from(score.abs() > 100);
            }
            assert!(different > 500, "{different}");
        }
    }

    #[test]
    fn memory_changes_nothing() {
        let network = random_network(64, 5);
        let mut memory = Memory::new(&network);
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
