//! The databases' value of a node, as a score.

use egdb::Wld;
use movegen::isa::Isa;

use super::node::Node;
use super::params::{DATABASE_DEPTH, Numbers};
use super::worker::Worker;
use crate::search::window::Window;
use crate::tt::TableMove;
use movegen::{Bound, Score};

/// A database's value of a node.
pub(super) enum ProbeVerdict {
    /// This is the node's score, or a bound that settles it.
    Settled(Score),
    /// At least this.
    AtLeast(Score),
    /// At most this.
    AtMost(Score),
}

impl<I: Isa, N: Numbers> Worker<'_, I, N> {
    /// Whether the databases may know the position.
    #[inline]
    pub(super) fn may_probe(&self, node: &Node) -> bool {
        node.position.piece_count() <= self.shared.prober.pieces
    }

    /// As [`Worker::probe_node`] for any node; `None` also if the databases have no value.
    #[inline(always)]
    pub(super) fn probe_quiet(
        &mut self,
        node: &Node,
        depth: i32,
        window: Window,
    ) -> Option<ProbeVerdict> {
        let position = &node.position;
        let is_quiet = self.may_probe(node)
            && !position.has_capture(position.side_to_move())
            && position.has_quiet_move();
        if is_quiet { self.probe_node(node, depth, window) } else { None }
    }

    /// The databases' value of a node within their piece count; `depth` is that left to search. The
    /// side to move must not be able to capture and must have a move.
    #[inline]
    pub(super) fn probe_node(
        &mut self,
        node: &Node,
        depth: i32,
        window: Window,
    ) -> Option<ProbeVerdict> {
        self.probes += 1;
        let (shared, ply) = (self.shared, self.ply);
        let conditional = depth < DATABASE_DEPTH;
        let value = shared.prober.value(node, shared.rules, conditional)?;
        let (score, bound) = match value {
            Wld::Draw => (shared.draw.of(node.position.side_to_move()), Bound::Exact),
            Wld::Win => (Score::database_win_in(ply as u32), Bound::Lower),
            Wld::Loss => (Score::database_loss_in(ply as u32), Bound::Upper),
        };
        let is_settled = match bound {
            Bound::Exact => true,
            Bound::Lower => score >= window.beta,
            Bound::Upper => score <= window.alpha,
        };
        if is_settled {
            self.leaf(ply);
            if depth > 0 {
                let key = shared.key(node);
                // Valid at any depth; the margin keeps it in the table for some iterations.
                let depth = (depth + DATABASE_ENTRY_DEPTH).min(255);
                let own = score.to_table(ply as u32);
                shared.table.store(key, TableMove::NONE, own, None, depth, bound);
            }
            return Some(ProbeVerdict::Settled(score));
        }
        Some(if bound == Bound::Lower {
            ProbeVerdict::AtLeast(score)
        } else {
            ProbeVerdict::AtMost(score)
        })
    }

    /// The score of a leaf that the databases know. As [`Worker::probe_node`].
    #[inline]
    pub(super) fn probe_leaf(&mut self, node: &Node) -> Option<Score> {
        match self.probe_node(node, 0, Window::FULL)? {
            ProbeVerdict::Settled(score) => Some(score),
            ProbeVerdict::AtLeast(score) | ProbeVerdict::AtMost(score) => {
                self.leaf(self.ply);
                Some(score)
            }
        }
    }
}

/// By how many plies the entry of a database score counts as deeper than it was searched.
const DATABASE_ENTRY_DEPTH: i32 = 6;
