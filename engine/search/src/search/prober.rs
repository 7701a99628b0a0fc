//! Endgame databases in the tree.
//!
//! A database knows positions where the side to move cannot capture; captures are searched, which
//! leads to positions with fewer pieces. A drawn position is a draw. A won one is at least
//! [`Score::database_win_in`]: that ends a node whose beta is not above it, and otherwise the
//! search continues for a proven end of the game. Lost ones likewise.

use egdb::{Probe, Wld};
use movegen::{Color, DrawRules, Position};

use super::node::Node;
use movegen::Score;

/// The databases of a search, and what is known about its root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prober<'a> {
    probe: &'a Probe,
    /// Positions with more pieces are not probed.
    pub(super) pieces: u32,
    root: Option<RootValue>,
}

/// What is known about a root inside the databases.
#[derive(Clone, Copy, Debug)]
struct RootValue {
    /// For the side to move.
    value: Wld,
    /// While these do not change, a win has made no progress.
    men: [movegen::Bitboard; 2],
    pieces: u32,
    winner: Color,
}

impl<'a> Prober<'a> {
    /// For a root whose value is not known.
    pub(super) fn new(databases: &'a Probe) -> Prober<'a> {
        Prober { probe: databases, pieces: databases.max_pieces().into(), root: None }
    }

    /// For a root of this value, without a distance.
    ///
    /// A drawn one is searched without databases, which cannot tell its moves apart. In a decided
    /// one a position only counts as won after a conversion, so that there is something to aim at;
    /// moves that give the win away are known at once.
    pub(super) fn with_root(databases: &'a Probe, root: &Position, value: Wld) -> Prober<'a> {
        let side = root.side_to_move();
        let root_value = RootValue {
            value,
            men: Color::ALL.map(|color| root.men(color)),
            pieces: root.piece_count(),
            winner: if value == Wld::Win { side } else { side.opponent() },
        };
        let pieces = if value == Wld::Draw { 0 } else { databases.max_pieces().into() };
        Prober { probe: databases, pieces, root: Some(root_value) }
    }

    /// Keeps the table's entries apart from entries of searches that treat the databases
    /// differently: XORed into the key.
    pub(super) fn key(&self) -> u64 {
        match self.root.map(|root| root.value) {
            None => 0,
            Some(Wld::Draw) => 0x6a09_e667_f3bc_c908,
            Some(Wld::Win | Wld::Loss) => 0xbb67_ae85_84ca_a73b,
        }
    }

    /// The score of the root to report, from the result of a search.
    pub(super) fn reported(&self, score: Score) -> Score {
        const SOME_WIN: Score = Score::database_win_in(999);
        match self.root.map(|root| root.value) {
            None => score,
            Some(Wld::Draw) => Score::DRAW,
            Some(Wld::Win) => score.max(SOME_WIN),
            Some(Wld::Loss) => score.min(-SOME_WIN),
        }
    }

    /// The value of a quiet position, if it is reliable; a win that the draw rules stop is a draw.
    #[inline]
    pub(super) fn value(&self, node: &Node, rules: DrawRules, conditional: bool) -> Option<Wld> {
        let position = &node.position;
        // A damaged file counts as missing.
        let value = self.probe.wld_quiet(position, conditional).ok().flatten()?;
        if value == Wld::Draw {
            return Some(value);
        }
        if let Some(root) = &self.root {
            let side = position.side_to_move();
            let winner = if value == Wld::Win { side } else { side.opponent() };
            let is_home = position.piece_count() == root.pieces
                && Color::ALL.map(|color| position.men(color)) == root.men;
            if is_home && winner == root.winner {
                return None;
            }
        }
        // What is not settled at once is left to the search, and what the table would keep for other
        // counters.
        match self.probe.is_in_time(position, value, &node.counters, rules).ok().flatten()? {
            true => Some(value),
            false => node.is_near_draw(rules).then_some(Wld::Draw),
        }
    }
}
