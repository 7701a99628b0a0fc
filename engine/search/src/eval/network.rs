//! A small network on top of patterns and scalars.
//!
//! Each side sees the board as if it were White: every piece on its square is an input, perhaps
//! also the content of every window ([`Inputs`]), and adds its row of weights to the side's hidden
//! sums. Their values, cut to 0..=1 and squared, are weighted by an output for the number of
//! pieces, the side to move first. All numbers are integers, so every processor computes the same.
//!
//! The sums of pieces are updated ([`Sums`]): pieces in common with a position scored before at a
//! near ply need not be added again. Those of windows, most of which change with a move, are added
//! each time.

use std::str::FromStr;

use arrayvec::ArrayVec;
use movegen::geometry::{bits, index_of_bit};
use movegen::{Color, Position};
use serde::{Deserialize, Serialize};

use super::board;
use super::kind::{EvalKind, IN_A_HUNDREDTH, UNITS};

const SQUARES: usize = 50;
/// Inputs for pieces: four kinds on each square.
const PIECES: usize = 4 * SQUARES;
const WINDOWS: usize = EvalKind::P8.tables();

/// The inputs of a side's hidden sums. Windows are the idea of Rapfi's pattern codebook for gomoku
/// (arXiv 2503.13178): vectors instead of numbers for patterns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Inputs {
    /// Pieces on their squares: own men, own kings, enemy men, enemy kings.
    Pieces,
    /// The content of each of the windows of `p8`, and the pieces on their squares.
    Windows,
}

impl FromStr for Inputs {
    type Err = String;

    fn from_str(name: &str) -> Result<Inputs, String> {
        let found = Inputs::ALL.into_iter().find(|inputs| inputs.name() == name);
        found.ok_or_else(|| "expected pieces or windows".to_owned())
    }
}

impl Inputs {
    /// All of them.
    pub const ALL: [Inputs; 2] = [Inputs::Pieces, Inputs::Windows];

    /// The name in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Inputs::Pieces => "pieces",
            Inputs::Windows => "windows",
        }
    }

    /// The letter in the names of weights.
    pub const fn letter(self) -> char {
        match self {
            Inputs::Pieces => 'n',
            Inputs::Windows => 'm',
        }
    }

    /// How many there are.
    pub const fn count(self) -> usize {
        match self {
            Inputs::Pieces => PIECES,
            Inputs::Windows => WINDOWS * EvalKind::P8.entries() + PIECES,
        }
    }

    /// The inputs with this [`Inputs::count`].
    pub fn of_count(count: usize) -> Option<Inputs> {
        Inputs::ALL.into_iter().find(|inputs| inputs.count() == count)
    }

    /// The first input for pieces; those for windows come before it.
    pub const fn first_piece(self) -> usize {
        self.count() - PIECES
    }

    /// The rows of a position, for each side.
    #[inline(always)]
    pub fn rows(self, position: &Position) -> InputRows {
        let mut rows = self.windows(position);
        for (kind, set) in sets(position).into_iter().enumerate() {
            list(set, self.first_piece(), kind, &mut rows);
        }
        rows
    }

    /// The rows of the windows.
    #[inline(always)]
    fn windows(self, position: &Position) -> InputRows {
        let mut rows = InputRows::new();
        if self == Inputs::Windows {
            let men = |color| position.men(color).bits();
            let [white, black] = board::views(men(Color::White), men(Color::Black));
            let mut entered = [[0; 2]; WINDOWS];
            for (view, side) in [(black, Color::Black), (white, Color::White)] {
                EvalKind::P8.visit(view, |table, entry| {
                    entered[table][side.index()] = (table * EvalKind::P8.entries() + entry) as u16;
                });
            }
            // There is a place for every window.
            let _ = rows.try_extend_from_slice(&entered);
        }
        rows
    }

    /// The most that the rows of a position can add up to in absolute value, of one hidden sum,
    /// given by row.
    fn greatest_sum(self, of_row: impl Fn(usize) -> i32) -> i32 {
        let windows = self.first_piece();
        let entries = EvalKind::P8.entries();
        let greatest = (0..windows / entries)
            .filter_map(|window| (window * entries..(window + 1) * entries).map(&of_row).max());
        let mut pieces: Vec<i32> = (windows..self.count()).map(&of_row).collect();
        pieces.sort_unstable_by(|a, b| b.cmp(a));
        // 40 pieces at most.
        greatest.sum::<i32>() + pieces[..40].iter().sum::<i32>()
    }
}

/// Outputs: one for each five pieces on the board.
pub const OUTPUTS: usize = 8;
/// A hidden value of 1.
pub const ONE: i32 = 255;
/// An output weight of 1.
pub const OUTPUT_ONE: i32 = 64;
/// The greatest output weight: its product with a hidden value has 16 bits.
pub const MAX_OUTPUT_WEIGHT: i32 = 127;
/// Numbers of hidden sums are multiples of this.
pub const STEP: usize = 32;
/// The most hidden sums of a side.
pub const MAX_HIDDEN: usize = 256;
/// The greatest [`Network::unit`].
const MAX_UNIT: i32 = 4000;
/// The greatest output of a network, in hundredths of a man. Greater outputs would be rare, and the
/// limit lets a search skip the network where the rest of the score decides.
pub const MAX_SCORE: i32 = 60;
/// Plies whose sums are kept.
const KEPT: usize = 64;

/// Whether a network can have this many hidden sums.
pub fn check_hidden(hidden: usize) -> Result<(), String> {
    if (STEP..=MAX_HIDDEN).contains(&hidden) && hidden.is_multiple_of(STEP) {
        return Ok(());
    }
    Err(format!("a network of {hidden} hidden sums, expected a multiple of {STEP} to {MAX_HIDDEN}"))
}

/// The output for a position.
#[inline(always)]
pub fn output_of(position: &Position) -> usize {
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

/// Rows of inputs as Black and White see them: of the windows, and of pieces on every square at
/// most.
pub type InputRows = ArrayVec<[u16; 2], { SQUARES + WINDOWS }>;

/// Lists the rows of the pieces on these squares, `kind` as White sees them; the rows of pieces
/// begin with `first`.
#[inline(always)]
fn list(set: u64, first: usize, kind: usize, rows: &mut InputRows) {
    for bit in bits(set) {
        let square = index_of_bit(bit.trailing_zeros()) as usize;
        // Black's own pieces are White's enemies, on a turned board.
        let white = first + kind * SQUARES + square;
        let black = first + (kind ^ 2) * SQUARES + (SQUARES - 1 - square);
        // There is a place for every square.
        let _ = rows.try_push([black as u16, white as u16]);
    }
}

/// A cache line of weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct Line(pub [i16; STEP]);

/// These weights as lines; what is missing in the last one is 0.
#[must_use]
pub fn lines(weights: &[i16]) -> Vec<Line> {
    let line = |weights: &[i16]| {
        let mut line = [0; STEP];
        line[..weights.len()].copy_from_slice(weights);
        Line(line)
    };
    weights.chunks(STEP).map(line).collect()
}

/// The weights of a network.
#[derive(Clone, PartialEq, Debug)]
pub struct Network {
    /// The inputs of the hidden sums.
    pub inputs: Inputs,
    /// Hidden sums of a side.
    pub hidden: usize,
    /// The value of an output of 1, in units of a weight.
    pub unit: i32,
    /// A row of `hidden` for each input, in parts of [`ONE`]: lines, so that no part of a row lies in
    /// two cache lines.
    pub rows: Vec<Line>,
    /// The biases of the hidden sums.
    pub bias: Vec<i16>,
    /// For each output the weights of the side to move, then of the other; in parts of
    /// [`OUTPUT_ONE`].
    pub outputs: Vec<i16>,
    /// The bias of each output, in parts of [`ONE`] x [`ONE`] x [`OUTPUT_ONE`].
    pub output_bias: Vec<i32>,
}

/// The hidden sums of the positions scored last, by ply: for one thread and one network.
#[derive(Clone)]
pub struct Sums {
    /// The pieces that are in the sums, see [`sets`]; windows are not.
    sets: Box<[[u64; 4]; KEPT]>,
    /// For each ply the sums of Black, then of White.
    values: Box<[i16]>,
}

impl Sums {
    /// The sums of empty boards.
    #[must_use]
    pub fn new(network: &Network) -> Sums {
        let values = network.bias.repeat(2 * KEPT);
        Sums { sets: Box::new([[0; 4]; KEPT]), values: values.into() }
    }
}

impl Network {
    /// Number of weights.
    pub fn count(&self) -> usize {
        self.rows.len() * STEP + self.bias.len() + self.outputs.len() + self.output_bias.len()
    }

    /// Whether the shape is right and no sum can overflow.
    pub fn check(&self) -> Result<(), String> {
        let hidden = self.hidden;
        check_hidden(hidden)?;
        if !(1..=MAX_UNIT).contains(&self.unit) {
            return Err(format!("a network of unit {}, expected 1 to {MAX_UNIT}", self.unit));
        }
        let lengths =
            [self.rows.len() * STEP, self.bias.len(), self.outputs.len(), self.output_bias.len()];
        if lengths != [self.inputs.count() * hidden, hidden, OUTPUTS * 2 * hidden, OUTPUTS] {
            return Err("the weights do not fit the network's shape".to_owned());
        }
        for (weights, bias) in self.outputs.chunks(2 * hidden).zip(&self.output_bias) {
            if weights.iter().any(|w| i32::from(*w).abs() > MAX_OUTPUT_WEIGHT) {
                return Err(format!("an output weight beyond {MAX_OUTPUT_WEIGHT}"));
            }
            let greatest = i64::from(ONE * ONE)
                * weights.iter().map(|w| i64::from(w.unsigned_abs())).sum::<i64>()
                + i64::from(bias.unsigned_abs());
            if greatest > i64::from(i32::MAX) {
                return Err("output weights whose sum can overflow".to_owned());
            }
        }
        let greatest = |at: usize| {
            let of_row = |row| i32::from(self.line(row, at / STEP)[at % STEP]).abs();
            self.inputs.greatest_sum(of_row) + i32::from(self.bias[at]).abs()
        };
        match (0..hidden).all(|at| greatest(at) <= i32::from(i16::MAX)) {
            true => Ok(()),
            false => Err("hidden sums that can overflow".to_owned()),
        }
    }

    /// A line of the row of an input.
    #[inline(always)]
    fn line(&self, row: usize, number: usize) -> &[i16; STEP] {
        self.rows.get(row * (self.hidden / STEP) + number).map_or(&[0; STEP], |line| &line.0)
    }

    /// The amount to add to White's sum ([`IN_A_HUNDREDTH`]), from the inputs alone.
    #[inline(always)]
    pub fn white_score(&self, position: &Position) -> i32 {
        let rows = self.inputs.rows(position);
        self.white_score_after(None, [&rows, &InputRows::new(), &InputRows::new()], position)
    }

    /// The same, from the sums of the position scored last at this ply or the one before it.
    #[inline(always)]
    pub fn white_score_from(&self, position: &Position, memory: &mut Sums, ply: usize) -> i32 {
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
        let (mut added, mut removed) = (InputRows::new(), InputRows::new());
        let first = self.inputs.first_piece();
        for (kind, (old, new)) in old.into_iter().zip(wanted).enumerate() {
            list(new & !old, first, kind, &mut added);
            list(old & !new, first, kind, &mut removed);
        }
        let from = Some((&mut *memory.values, places));
        self.white_score_after(from, [&added, &removed, &self.inputs.windows(position)], position)
    }

    /// The amount to add for a position. Its sums are those at the first place in `memory`, or the
    /// biases, changed by the rows `added` and `removed`, and go to the second place; the rows
    /// `last` count as well, but are not kept.
    #[inline(always)]
    fn white_score_after(
        &self,
        mut memory: Option<(&mut [i16], [usize; 2])>,
        [added, removed, last]: [&InputRows; 3],
        position: &Position,
    ) -> i32 {
        let (side, output) = (position.side_to_move(), output_of(position));
        let weights = &self.outputs[output * 2 * self.hidden..][..2 * self.hidden];
        let (own, other) = weights.split_at(self.hidden);
        let mut total = self.output_bias[output];
        for (side, outputs) in [(side, own), (side.opponent(), other)] {
            let side = side.index();
            for (number, outputs) in outputs.as_chunks().0.iter().enumerate() {
                let start = side * self.hidden + number * STEP;
                let mut sums = match &memory {
                    Some((values, [from, _])) => *part(values, from + start),
                    None => *part(&self.bias, number * STEP),
                };
                for rows in added {
                    add(&mut sums, self.line(rows[side].into(), number));
                }
                for rows in removed {
                    subtract(&mut sums, self.line(rows[side].into(), number));
                }
                if let Some((values, [_, to])) = &mut memory
                    && let Some(place) = values[*to + start..].first_chunk_mut()
                {
                    *place = sums;
                }
                for rows in last {
                    add(&mut sums, self.line(rows[side].into(), number));
                }
                total += product(&sums, outputs);
            }
        }
        let one = i64::from(ONE * ONE * OUTPUT_ONE);
        let units = (i64::from(total) * i64::from(self.unit) / one) as i32;
        let score = units.clamp(-MAX_SCORE * UNITS, MAX_SCORE * UNITS) * (IN_A_HUNDREDTH / UNITS);
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
    use movegen::random::Random;
    use movegen::{Kind, Square};

    use super::*;
    use crate::test_positions::random_positions;

    /// A network of random weights.
    pub fn random_network(inputs: Inputs, hidden: usize, seed: u64) -> Network {
        let mut random = Random::new(seed);
        let mut around = |count: usize, width: usize| -> Vec<i16> {
            (0..count).map(|_| (random.below(2 * width + 1) as i32 - width as i32) as i16).collect()
        };
        Network {
            inputs,
            hidden,
            unit: 20,
            rows: lines(&around(inputs.count() * hidden, 100)),
            bias: around(hidden, 100),
            outputs: around(OUTPUTS * 2 * hidden, 50),
            output_bias: around(OUTPUTS, 30_000).into_iter().map(i32::from).collect(),
        }
    }

    /// The inputs that a side sees, by the definition.
    fn slow_inputs(inputs: Inputs, position: &Position, view: Color) -> Vec<usize> {
        let position = if view == Color::White { *position } else { position.reversed() };
        let at = |square: Square| position.piece_at(square);
        let mut found = Vec::new();
        if inputs == Inputs::Windows {
            for (table, (top, left)) in
                [0, 2].into_iter().flat_map(|top| [0, 2, 4, 6].map(|left| (top, left))).enumerate()
            {
                let (mut entry, mut worth) = (0, 1);
                for row in top..top + 4 {
                    for column in left..left + 4 {
                        let Some(square) = Square::from_row_column(row, column) else { continue };
                        let man = at(square).filter(|piece| piece.kind == Kind::Man);
                        entry +=
                            worth * man.map_or(0, |p| 1 + usize::from(p.color != Color::White));
                        worth *= 3;
                    }
                }
                found.push(table * 6_561 + entry);
            }
        }
        for number in 1..=50 {
            let Some(piece) = at(Square::new(number).unwrap()) else { continue };
            let (enemy, king) =
                (usize::from(piece.color != Color::White), usize::from(piece.kind == Kind::King));
            let first = if inputs == Inputs::Windows { 8 * 6_561 } else { 0 };
            found.push(first + (2 * enemy + king) * 50 + usize::from(number - 1));
        }
        found
    }

    /// White's score input by input, by the definition.
    fn slow_score(network: &Network, position: &Position) -> i32 {
        let hidden = network.hidden;
        let side = position.side_to_move();
        let output = output_of(position);
        let mut total = i64::from(network.output_bias[output]);
        for (half, view) in [side, side.opponent()].into_iter().enumerate() {
            let rows = slow_inputs(network.inputs, position, view);
            for at in 0..hidden {
                let mut sum = i64::from(network.bias[at]);
                sum += rows
                    .iter()
                    .map(|row| i64::from(network.line(*row, at / STEP)[at % STEP]))
                    .sum::<i64>();
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
        use Inputs::{Pieces, Windows};
        for (inputs, hidden) in [(Pieces, 32), (Pieces, 96), (Pieces, 256), (Windows, 32)] {
            let network = random_network(inputs, hidden, 3);
            network.check().unwrap();
            let mut different = 0;
            for position in random_positions(1_000, 4) {
                let score = network.white_score(&position);
                assert_eq!(score, slow_score(&network, &position), "{position:?}");
                different += i32::from(score.abs() > 100 && score.abs() < 180_000);
            }
            assert!(different > 300, "{inputs:?} {hidden} {different}");
        }
    }

    #[test]
    fn memory_changes_nothing() {
        for (inputs, hidden) in [(Inputs::Pieces, 64), (Inputs::Windows, 32)] {
            memory_changes_nothing_in(&random_network(inputs, hidden, 5));
        }
    }

    fn memory_changes_nothing_in(network: &Network) {
        let mut memory = Sums::new(network);
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
        let good = random_network(Inputs::Pieces, 64, 8);
        let refused = |change: &dyn Fn(&mut Network)| {
            let mut bad = good.clone();
            change(&mut bad);
            bad.check().unwrap_err()
        };
        assert!(refused(&|n| n.outputs[7] = 128).contains("output weight beyond 127"));
        assert!(refused(&|n| n.output_bias[0] = i32::MIN).contains("can overflow"));
        assert!(
            refused(&|n| n.rows.fill(Line([900; STEP]))).contains("hidden sums that can overflow")
        );
        assert!(refused(&|n| n.unit = 0).contains("unit 0"));
        assert!(refused(&|n| n.hidden = 65).contains("65 hidden sums"));
        assert!(refused(&|n| n.bias.truncate(3)).contains("do not fit"));
        let mut wide = random_network(Inputs::Pieces, 256, 8);
        wide.outputs.fill(127);
        wide.output_bias.fill(i32::MAX);
        assert!(wide.check().unwrap_err().contains("can overflow"));
    }
}
