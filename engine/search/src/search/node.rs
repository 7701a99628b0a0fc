//! A node of the tree: the position with the state of the draw rules, and the kinds of node.

use movegen::draw::MaterialClass;
use movegen::{DrawCounters, DrawRules, Move, Position, Score};

use super::params::NEAR_DRAW;

/// A position with its draw counters.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) position: Position,
    pub(super) counters: DrawCounters,
}

impl Node {
    /// The node after a legal move.
    #[inline(always)]
    pub(super) fn after(&self, mv: Move) -> Node {
        let position = self.position.after(mv);
        // Without kings nothing is reversible and there is no counted ending.
        let counters = if position.all_kings().is_empty() {
            DrawCounters::default()
        } else {
            self.counters.after(&self.position, mv, &position)
        };
        Node { position, counters }
    }

    /// Whether no draw rule can apply here.
    #[inline(always)]
    pub(super) fn is_far_from_draw(&self) -> bool {
        self.counters.reversible() < 4 && self.counters.class() == MaterialClass::Other
    }

    /// After how many plies at most a draw by counting comes unless something irreversible
    /// happens.
    #[inline(always)]
    pub(super) fn plies_left(&self, rules: DrawRules) -> i32 {
        self.counters.plies_left(rules).map_or(i32::MAX, i32::from)
    }

    /// Whether a draw by counting is near: always in the counted endings.
    #[inline(always)]
    pub(super) fn is_near_draw(&self, rules: DrawRules) -> bool {
        let near = movegen::draw::TWENTY_FIVE_MOVES - NEAR_DRAW;
        let counters = &self.counters;
        rules.has_counters()
            && (counters.class() != MaterialClass::Other || counters.reversible() >= near)
    }

    /// An evaluation as far as the counters leave it: near a draw by counting it runs down with them.
    #[inline]
    pub(super) fn running_out(&self, score: Score, rules: DrawRules) -> Score {
        let left = self.plies_left(rules).min(NEAR_DRAW.into());
        Score::eval(score.hundredths() * left / i32::from(NEAR_DRAW))
    }

    /// The key for the transposition table. Near a draw by counting, and always in the counted
    /// endings, the counters are part of it, so that scores which only hold there stay there.
    #[inline(always)]
    pub(super) fn table_key(&self, rules: DrawRules) -> u64 {
        let key = self.position.key();
        if !self.is_near_draw(rules) {
            return key;
        }
        let near = movegen::draw::TWENTY_FIVE_MOVES - NEAR_DRAW;
        let counted = self.counters.class() != MaterialClass::Other;
        let reversible = self.counters.reversible().saturating_sub(near);
        let left = if counted { self.counters.plies_left(rules).unwrap_or(0) } else { 0 };
        key ^ mixed((u64::from(left) << 16) + u64::from(reversible) + 1)
    }
}

/// Spreads a small number over 64 bits.
const fn mixed(value: u64) -> u64 {
    let z = value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ z >> 27
}

/// The purpose of searching a node.
pub(super) trait NodeKind {
    /// Whether the exact score and a variation are wanted; otherwise the window is empty.
    const PV: bool;
    /// Whether a shallow search may replace the deep one.
    const PROBCUT: bool;
    /// The kind of nodes searched with an empty window from here.
    type Zero: NodeKind;
}

/// Open window.
pub(super) struct Pv;
/// Empty window.
pub(super) struct Zero;
/// Empty window inside the shallow search of ProbCut.
pub(super) struct Shallow;

impl NodeKind for Pv {
    const PV: bool = true;
    const PROBCUT: bool = false;
    type Zero = Zero;
}

impl NodeKind for Zero {
    const PV: bool = false;
    const PROBCUT: bool = true;
    type Zero = Zero;
}

impl NodeKind for Shallow {
    const PV: bool = false;
    const PROBCUT: bool = false;
    type Zero = Shallow;
}
