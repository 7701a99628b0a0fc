//! Quiescence: no position in which either side could capture is judged as it stands.

use super::node::{Kind, Node};
use super::params::MAX_PLY;
use super::worker::Worker;
use crate::score::Score;

impl Worker<'_> {
    /// The score of a node at the horizon that no draw rule ends.
    ///
    /// Captures are compulsory, so all of them are searched and standing pat is no choice. If
    /// the opponent threatens to capture, one full ply is searched, at any depth: most threats
    /// are parried or paid back. Only quiet positions are evaluated.
    pub(super) fn quiescence<K: Kind>(
        &mut self,
        node: &Node,
        mut alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Score {
        let position = &node.position;
        let side = position.side_to_move();
        let captures = position.has_capture(side);
        if !captures && position.has_capture(side.opponent()) {
            return self.full::<K>(node, 1, alpha, beta, ply);
        }
        if !self.enter(ply) {
            return Score::DRAW;
        }
        if ply >= MAX_PLY {
            return self.evaluate(node, ply);
        }
        if !captures {
            if !position.has_legal_move() {
                self.leaf(ply);
                return Score::loss_in(ply as u32);
            }
            return self.evaluate(node, ply);
        }
        let mut best = Score::MIN;
        for mv in position.legal_moves() {
            let child = node.after(mv);
            let score = self
                .descend(&child, |worker| -worker.search::<K>(&child, 0, -beta, -alpha, ply + 1));
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
}
