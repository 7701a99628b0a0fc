//! Weights, and the score of a position by them.
//!
//! The score is a sum over the scalars and, for each side as it sees the board, over its patterns:
//! what White sees less what Black sees. Every weight is a pair: for the start of the game, when
//! the men have [`OPENING_STEPS`] steps to go, and for its end. In between they are mixed.

use movegen::{Color, Position};

use super::board::{self, GROUPS, MenSums, PART_VALUES, View};
use super::file::Provenance;
use super::network::Network;
use super::scalars;
use crate::score::Score;

/// Steps that all men of both sides together need to promote at the start of a game.
pub(crate) const OPENING_STEPS: i32 = 300;
/// Units of a weight in a hundredth of a man.
pub(crate) const UNITS: i32 = 10;

/// The values of a weight at the start and at the end of the game, in tenths of a hundredth of a
/// man.
pub type Pair = [i16; 2];

/// The patterns of an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvalKind {
    /// No patterns: material, mobility, races.
    Material,
    /// Sixteen windows of 4 rows and 4 columns (8 squares). Each side looks at eight of them.
    P8,
    /// Eight windows of 6 rows and 4 columns (12 squares). Each side looks at four of them.
    P12,
}

impl EvalKind {
    /// All kinds.
    pub const ALL: [EvalKind; 3] = [EvalKind::Material, EvalKind::P8, EvalKind::P12];

    /// The name in files and options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            EvalKind::Material => "material",
            EvalKind::P8 => "p8",
            EvalKind::P12 => "p12",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<EvalKind> {
        EvalKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Number of tables: one for each window that a side looks at.
    pub(crate) const fn tables(self) -> usize {
        match self {
            EvalKind::Material => 0,
            EvalKind::P8 => 2 * GROUPS,
            EvalKind::P12 => GROUPS,
        }
    }

    /// Entries of a table.
    pub(crate) const fn entries(self) -> usize {
        match self {
            EvalKind::Material => 0,
            EvalKind::P8 => PART_VALUES * PART_VALUES,
            EvalKind::P12 => PART_VALUES * PART_VALUES * PART_VALUES,
        }
    }

    /// Rows of a window.
    const fn rows(self) -> usize {
        match self {
            EvalKind::Material => 0,
            EvalKind::P8 => 4,
            EvalKind::P12 => 6,
        }
    }

    /// Calls `see` with the table and the entry of each window that a side looks at.
    #[inline(always)]
    pub(crate) fn visit(self, view: View, mut see: impl FnMut(usize, usize)) {
        match self {
            EvalKind::Material => {}
            EvalKind::P8 => {
                for top in 0..2 {
                    for group in 0..GROUPS {
                        let (a, b) = (view.part(top, group), view.part(top + 1, group));
                        see(top * GROUPS + group, a + PART_VALUES * b);
                    }
                }
            }
            EvalKind::P12 => {
                for group in 0..GROUPS {
                    let part = |chunk| view.part(chunk, group);
                    see(group, part(0) + PART_VALUES * (part(1) + PART_VALUES * part(2)));
                }
            }
        }
    }
}

impl std::fmt::Display for EvalKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// A set of weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Weights {
    pub(crate) kind: EvalKind,
    pub(crate) provenance: Provenance,
    /// [`scalars::COUNT`] of them.
    pub(crate) scalars: Vec<Pair>,
    /// Table after table.
    pub(crate) patterns: Vec<Pair>,
    pub(crate) network: Option<Network>,
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
    /// Weights that know material and what it takes to finish games: men go forward, kings have
    /// room.
    pub(crate) fn material() -> Weights {
        let mut scalars = vec![[0; 2]; scalars::COUNT];
        scalars[scalars::MEN] = [1000; 2];
        scalars[scalars::FIRST_KING] = [3000; 2];
        scalars[scalars::FURTHER_KINGS] = [2700; 2];
        scalars[scalars::KING_SAFE] = [20; 2];
        scalars[scalars::TEMPO] = [0, 30];
        let (kind, provenance) = (EvalKind::Material, Provenance::default());
        Weights { kind, provenance, scalars, patterns: Vec::new(), network: None }
    }

    /// Number of weights; those of scalars and patterns are pairs.
    #[must_use]
    pub fn count(&self) -> usize {
        let network = self.network.as_ref().map_or(0, Network::count);
        self.scalars.len() + self.patterns.len() + network
    }

    /// The network on top of patterns and scalars, if there is one.
    #[inline(always)]
    pub(crate) fn network(&self) -> Option<&Network> {
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

    /// White's score by patterns and scalars in hundredths of a man, for a position in which nobody
    /// can capture.
    #[cfg(any(test, all(feature = "training", not(target_family = "wasm"))))]
    pub(crate) fn white_score(&self, position: &Position) -> i32 {
        self.white_sum(position) / IN_A_HUNDREDTH
    }

    /// The same in parts of a hundredth of a man: [`IN_A_HUNDREDTH`].
    #[inline(always)]
    pub(crate) fn white_sum(&self, position: &Position) -> i32 {
        let sums = board::sums(position);
        let mut sum = Sum::default();
        scalars::visit(position, &sums, |index, value| sum.add(self.scalars[index], value));
        match self.kind {
            EvalKind::Material => {}
            EvalKind::P8 => self.add_patterns::<{ EvalKind::P8 as u8 }>(position, &mut sum),
            EvalKind::P12 => self.add_patterns::<{ EvalKind::P12 as u8 }>(position, &mut sum),
        }
        mixed(sum.0, &sums)
    }

    /// `KIND` is the kind as a number, so that each gets code of its own.
    #[inline(always)]
    fn add_patterns<const KIND: u8>(&self, position: &Position, sum: &mut Sum) {
        let kind = if KIND == EvalKind::P8 as u8 { EvalKind::P8 } else { EvalKind::P12 };
        let men = |color| position.men(color).bits();
        let views = board::views(men(Color::White), men(Color::Black));
        // The length is checked when weights are made: 4 tables, or 8, of all entries.
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
pub(crate) fn mixed(sum: [i32; 2], men: &[MenSums; 2]) -> i32 {
    let steps = opening_steps(men);
    sum[0] * steps + sum[1] * (OPENING_STEPS - steps)
}

/// Parts of a hundredth of a man in [`mixed`] sums.
pub(crate) const IN_A_HUNDREDTH: i32 = OPENING_STEPS * UNITS;

/// The score for the side to move, from White's sum.
#[inline(always)]
pub(crate) fn damped(position: &Position, white: i32) -> Score {
    let white = white / IN_A_HUNDREDTH;
    let better = if white > 0 { Color::White } else { Color::Black };
    let halvings = towards_draw(position, better);
    // A division, towards zero, that costs none.
    let white = (white + (white >> 31 & ((1 << halvings) - 1))) >> halvings;
    Score::eval(if position.side_to_move() == Color::White { white } else { -white })
}

/// How much of the start of the game is left, 0..=[`OPENING_STEPS`].
#[inline(always)]
pub(crate) fn opening_steps(men: &[MenSums; 2]) -> i32 {
    (men[0].steps + men[1].steps).min(OPENING_STEPS)
}

/// What part of its score a side keeps that is better by it, as a power of two by which the score
/// is divided: a king is hard to catch, and small majorities against one are worth little.
#[inline(always)]
pub(crate) fn towards_draw(position: &Position, better: Color) -> u32 {
    let worse = better.opponent();
    if position.kings(worse).is_empty() {
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
