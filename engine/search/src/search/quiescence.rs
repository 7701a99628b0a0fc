//! Quiescence: no position is evaluated while either side could capture.

use movegen::isa::Isa;
use movegen::{MoveList, Variant};

use super::node::{Node, NodeKind};
use super::params::{MAX_PLY, Numbers};
use super::worker::Worker;
use crate::search::window::Window;
use movegen::Score;

impl<I: Isa, N: Numbers> Worker<'_, I, N> {
    /// The score of a node at the horizon that no draw rule ends. `depth` is 0, or below 0 after
    /// captures beyond the horizon.
    ///
    /// Captures are compulsory, so all of them are searched and standing pat is not a choice. If
    /// the opponent threatens to capture, a full ply is searched: most threats are parried or
    /// paid back. After a capture beyond the horizon a threat counts for nothing, and so it does
    /// after [`threat_plies`](super::params::SearchNumbers::threat_plies) full plies: that is Scan's rule with this limit added.
    #[inline(always)]
    pub(super) fn quiescence<K: NodeKind>(
        &mut self,
        node: &Node,
        depth: i32,
        window: Window,
    ) -> Score {
        self.memory.scores.prefetch(&node.position);
        let mut moves = MoveList::new();
        node.position.generate_captures_with(self.isa, &mut moves);
        if moves.is_empty() {
            return self.without_capture::<K>(node, depth, window);
        }
        let ply = self.ply;
        if !self.enter(ply) {
            return Score::DRAW;
        }
        if ply >= MAX_PLY {
            return self.evaluate(node, window);
        }
        let Window { mut alpha, beta } = window;
        let mut best = Score::MIN;
        for &mv in &moves {
            let child = node.after(mv);
            let score = self.descend(&child, |worker| {
                -worker.search::<K>(&child, depth - 1, Window { alpha, beta }.opposite())
            });
            if self.stopped {
                return Score::DRAW;
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    if K::PV {
                        self.memory.pv.set(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        best
    }

    /// As [`Worker::quiescence`] where the side to move cannot capture.
    #[inline(always)]
    fn without_capture<K: NodeKind>(&mut self, node: &Node, depth: i32, window: Window) -> Score {
        let (position, ply) = (&node.position, self.ply);
        let has_move = position.has_quiet_move();
        if has_move
            && self.may_probe(node)
            && let Some(score) = self.probe_leaf(node)
        {
            return if self.enter(ply) { score } else { Score::DRAW };
        }
        if position.variant() == Variant::Breakthrough && has_move && position.can_promote() {
            return if self.enter(ply) { Score::win_in(ply as u32 + 1) } else { Score::DRAW };
        }
        if depth == 0
            && self.threat_plies < self.numbers.get().threat_plies
            && position.has_capture(position.side_to_move().opponent())
        {
            self.threat_plies += 1;
            let score = self.visit::<K, false>(node, 1, window);
            self.threat_plies -= 1;
            return score;
        }
        if !self.enter(ply) {
            return Score::DRAW;
        }
        if !has_move && ply < MAX_PLY {
            self.leaf(ply);
            return self.without_move(position);
        }
        self.evaluate(node, window)
    }
}
