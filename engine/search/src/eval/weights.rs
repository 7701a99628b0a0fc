//! Weights, and the score of a position by them.
//!
//! The score is a sum over the scalars and, for each side as it sees the board, over its patterns:
//! what White sees less what Black sees. Every weight is a pair: for the start of the game, when
//! the men have [`OPENING_STEPS`] steps to go, and for its end. In between they are mixed.

use movegen::{Color, Position, Variant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::{self, MenSums};
use super::kind::{EvalKind, IN_A_HUNDREDTH, OPENING_STEPS, Pair};
use super::network::Network;
use super::scalars;
use movegen::Score;

/// Where weights come from.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// The number of the generation; 0 for the first that was trained.
    pub generation: u32,
    /// Games that were read.
    pub games: u64,
    /// Positions that were trained with.
    pub positions: u64,
    /// CRC-32 over the filter, the weights of the sources and their games, hexadecimal.
    pub data: String,
    /// The command.
    pub command: String,
    /// Day of the training, `YYYY.MM.DD`.
    pub date: String,
}

/// A set of weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    /// The game that they are for, of those with the same rules: [`Variant::rules`].
    pub variant: Variant,
    /// The windows.
    pub kind: EvalKind,
    /// Where they come from.
    pub provenance: Provenance,
    /// [`scalars::COUNT`] of them.
    pub scalars: Vec<Pair>,
    /// Table after table.
    pub patterns: Vec<Pair>,
    /// The network on top, if there is one.
    pub network: Option<Network>,
}

/// Sums of weights: at the start and at the end of the game.
#[derive(Clone, Copy, Default)]
struct Sum([i32; 2]);

impl Sum {
    #[inline(always)]
    fn add(&mut self, pair: Pair, times: i32) {
        self.0[0] += i32::from(pair[0]) * times;
        self.0[1] += i32::from(pair[1]) * times;
    }
}

impl Weights {
    /// Weights that know material and a little to finish games: men go forward, kings have room.
    pub fn material() -> Weights {
        let mut scalars = vec![[0; 2]; scalars::COUNT];
        scalars[scalars::MEN] = [1000; 2];
        scalars[scalars::FIRST_KING] = [3000; 2];
        scalars[scalars::FURTHER_KINGS] = [2700; 2];
        scalars[scalars::KING_SAFE] = [20; 2];
        scalars[scalars::TEMPO] = [0, 30];
        let (kind, provenance) = (EvalKind::Material, Provenance::default());
        let variant = Variant::International;
        Weights { variant, kind, provenance, scalars, patterns: Vec::new(), network: None }
    }

    /// As [`Weights::material`], in another game of the board: in Losing pieces are a burden, in
    /// Breakthrough men that have advanced are worth more.
    pub fn material_of(variant: Variant) -> Weights {
        let mut weights = Weights { variant: variant.rules(), ..Weights::material() };
        match variant {
            Variant::Losing => {
                weights.scalars[scalars::MEN] = [-1000; 2];
                weights.scalars[scalars::FIRST_KING] = [-1500; 2];
                weights.scalars[scalars::FURTHER_KINGS] = [-1500; 2];
                weights.scalars[scalars::KING_SAFE] = [0; 2];
            }
            Variant::Breakthrough => weights.scalars[scalars::TEMPO] = [0, 100],
            _ => {}
        }
        weights
    }

    /// Number of weights; scalars and patterns have pairs of them.
    #[must_use]
    pub fn count(&self) -> usize {
        let network = self.network.as_ref().map_or(0, Network::count);
        self.scalars.len() + self.patterns.len() + network
    }

    /// The network on top of patterns and scalars, if there is one.
    #[inline(always)]
    pub fn network(&self) -> Option<&Network> {
        self.network.as_ref()
    }

    /// The name of the kind, with the network's: `p8` or `p8+n64`.
    #[must_use]
    pub fn kind_name(&self) -> String {
        match &self.network {
            None => self.kind.name().to_owned(),
            Some(network) => {
                format!("{}+{}{}", self.kind, network.inputs.letter(), network.hidden)
            }
        }
    }

    /// The weights of scalars and patterns that are not 0 with their names: scalars, then `tTABLE.DIGITS` for patterns, the
    /// digits of the entry in base 3 from the lowest on.
    pub fn named(&self) -> impl Iterator<Item = (String, Pair)> {
        let scalars = self.scalars.iter().enumerate();
        let scalars = scalars.map(|(index, &pair)| (scalars::name(index), pair));
        let entries = self.kind.entries().max(1);
        let digits = 2 * self.kind.rows();
        let patterns = self.patterns.iter().enumerate().map(move |(index, &pair)| {
            let (table, mut entry) = (index / entries, index % entries);
            let mut name = format!("t{table}.");
            for _ in 0..digits {
                name.push(char::from(b'0' + (entry % 3) as u8));
                entry /= 3;
            }
            (name, pair)
        });
        scalars.chain(patterns).filter(|(_, pair)| *pair != [0; 2])
    }

    /// White's score by patterns and scalars in hundredths of a man, for a position where neither
    /// side can capture.
    #[must_use]
    pub fn white_score(&self, position: &Position) -> i32 {
        self.white_sum(position) / IN_A_HUNDREDTH
    }

    /// The same in parts of a hundredth of a man: [`IN_A_HUNDREDTH`].
    #[inline(always)]
    pub fn white_sum(&self, position: &Position) -> i32 {
        let sums = board::sums(position);
        let mut sum = Sum::default();
        scalars::visit(position, &sums, |index, value| sum.add(self.scalars[index], value));
        if self.kind == EvalKind::P8 {
            self.add_patterns(position, &mut sum);
        }
        mixed(sum.0, &sums)
    }

    #[inline(always)]
    fn add_patterns(&self, position: &Position, sum: &mut Sum) {
        let kind = EvalKind::P8;
        let men = |color| position.men(color).bits();
        let views = board::views(men(Color::White), men(Color::Black));
        // The length is checked when weights are made: 8 tables of all entries.
        let patterns = &self.patterns[..kind.tables() * kind.entries()];
        for (view, sign) in views.into_iter().zip([1, -1]) {
            kind.visit(view, |table, entry| {
                sum.add(patterns[table * kind.entries() + entry], sign);
            });
        }
    }
}

/// The sums mixed by the phase of the game, times [`OPENING_STEPS`].
#[inline(always)]
pub fn mixed(sum: [i32; 2], men: &[MenSums; 2]) -> i32 {
    let steps = opening_steps(men);
    sum[0] * steps + sum[1] * (OPENING_STEPS - steps)
}

/// The score for the side to move, from White's sum.
#[inline(always)]
pub fn damped(position: &Position, white: i32) -> Score {
    let white = white / IN_A_HUNDREDTH;
    let better = if white > 0 { Color::White } else { Color::Black };
    let halvings = towards_draw(position, better);
    // A shift instead of a division, rounding towards zero.
    let white = (white + (white >> 31 & ((1 << halvings) - 1))) >> halvings;
    Score::eval(if position.side_to_move() == Color::White { white } else { -white })
}

/// The remaining share of the start of the game, 0..=[`OPENING_STEPS`].
#[inline(always)]
pub fn opening_steps(men: &[MenSums; 2]) -> i32 {
    (men[0].steps + men[1].steps).min(OPENING_STEPS)
}

/// The power of two that divides the score of the better side: a king is hard to catch, and small
/// majorities against one are worth little.
#[inline(always)]
pub fn towards_draw(position: &Position, better: Color) -> u32 {
    let worse = better.opponent();
    if position.kings(worse).is_empty() || position.variant() != Variant::International {
        return 0;
    }
    let men = position.men(better).len().abs_diff(position.men(worse).len());
    if position.pieces(better).len() <= 3 {
        3
    } else if position.kings(better).len() == position.kings(worse).len() && men <= 1 {
        1
    } else {
        0
    }
}
