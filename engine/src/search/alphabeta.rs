//! The main search: principal variation search, fail-soft.

use movegen::MoveList;
use movegen::isa::Isa;

use super::node::{Node, NodeKind, Shallow};
use super::ordering::Picker;
use super::params::{self, MAX_PLY, PROBCUT_DEPTH};
use super::prober::Verdict;
use super::worker::Worker;
use crate::score::{Bound, Score};
use crate::tt::{Hit, TableMove};

impl<I: Isa> Worker<'_, I> {
    /// The score of a node for its side to move. Exact if it lies between `alpha` and `beta`,
    /// otherwise a bound. Meaningless once `stopped` is set.
    ///
    /// The node's key must be the last one of the path.
    #[inline(always)]
    pub(super) fn search<K: NodeKind>(
        &mut self,
        node: &Node,
        depth: i32,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Score {
        debug_assert!(alpha < beta && (K::PV || alpha.plus(1) == beta));
        if K::PV {
            self.memory.pv.clear(ply);
        }
        if let Some(score) = self.ended(node, ply) {
            return score;
        }
        if depth <= 0 {
            return self.quiescence::<K>(node, alpha, beta, ply);
        }
        self.full::<K>(node, depth, alpha, beta, ply)
    }

    /// As [`Worker::search`] for a node that no draw rule ends and with at least one full ply.
    #[inline(never)]
    pub(super) fn full<K: NodeKind>(
        &mut self,
        node: &Node,
        depth: i32,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Score {
        self.isa.run5(
            self,
            node,
            depth,
            (alpha, beta),
            ply,
            #[inline(always)]
            |worker, node, depth, (alpha, beta), ply| {
                worker.full_in_copy::<K>(node, depth, alpha, beta, ply)
            },
        )
    }

    #[inline(always)]
    fn full_in_copy<K: NodeKind>(
        &mut self,
        node: &Node,
        depth: i32,
        mut alpha: Score,
        mut beta: Score,
        ply: usize,
    ) -> Score {
        if !self.enter(ply) {
            return Score::DRAW;
        }
        if ply >= MAX_PLY {
            return self.evaluate(node, ply);
        }

        // Loss-distance pruning: the worst that can happen is to have lost now, the best to win
        // with the next move.
        alpha = alpha.max(Score::loss_in(ply as u32));
        beta = beta.min(Score::win_in(ply as u32 + 1));
        if alpha >= beta {
            return alpha;
        }

        let key = self.shared.key(node);
        let hit = self.shared.table.probe(key);
        if let Some(hit) = hit
            && let Some(score) = self.table_cut::<K>(node, &hit, depth, alpha, beta, ply)
        {
            return score;
        }

        let side = node.position.side_to_move();
        let (mut floor, mut ceiling) = (Score::MIN, Score::MAX);
        let old_alpha = alpha;
        if self.may_probe(node)
            && !node.position.has_capture(side)
            && node.position.has_legal_move()
        {
            match self.probe_node(node, depth, alpha, beta, ply) {
                Some(Verdict::Settled(score)) => return score,
                Some(Verdict::AtLeast(score)) => {
                    floor = score;
                    alpha = alpha.max(score);
                }
                Some(Verdict::AtMost(score)) => {
                    ceiling = score;
                    beta = beta.min(score);
                }
                None => {}
            }
        }

        if K::PROBCUT
            && depth >= PROBCUT_DEPTH
            && !beta.is_decided()
            && let Some(score) = self.probcut(node, depth, beta, ply)
        {
            return score;
        }

        // Filled in place: a list is a kilobyte to move about.
        let mut moves = MoveList::new();
        node.position.generate_with(self.isa, &mut moves);
        if moves.is_empty() {
            self.leaf(ply);
            return Score::loss_in(ply as u32);
        }
        // A forced move is no decision: look behind it.
        let extension = i32::from(moves.len() == 1);
        let table_move = hit.and_then(|hit| hit.mv.find(&moves));
        let mut picker = Picker::new();
        picker.score(&moves, &node.position, table_move, &self.memory.history);

        let mut best = Score::MIN;
        let mut best_index = None;
        for index in 0..moves.len() {
            let mv = picker.pick(&mut moves, index);
            let child = node.after(mv);
            let depth = depth - 1 + extension;
            let reduction = if mv.is_capture() || node.position.is_promotion(mv) {
                0
            } else {
                params::reduction(K::PV, depth + 1 - extension, index)
            };
            let score = self.descend(&child, |worker| {
                let empty = |worker: &mut Self, depth| {
                    -worker.search::<K::Zero>(&child, depth, -alpha.plus(1), -alpha, ply + 1)
                };
                let mut score = Score::MAX;
                if reduction > 0 {
                    score = empty(worker, depth - reduction);
                }
                if (!K::PV || index > 0) && score > alpha {
                    score = empty(worker, depth);
                }
                if K::PV && score > alpha {
                    score = -worker.search::<K>(&child, depth, -beta, -alpha, ply + 1);
                }
                score
            });
            if self.stopped {
                return Score::DRAW;
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_index = Some(index);
                    if K::PV {
                        self.memory.pv.set(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                }
            }
        }

        best = best.max(floor).min(ceiling);

        let mut table_move = TableMove::NONE;
        if let Some(best_index) = best_index {
            let mv = moves[best_index];
            table_move = TableMove::of(&moves, mv);
            if moves.len() > 1 {
                for &tried in &moves[..best_index] {
                    self.memory.history.bad(side, tried);
                }
                self.memory.history.good(side, mv);
            }
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > old_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.shared.table.store(
            key,
            table_move,
            best.nearer(ply as u32),
            Score::DRAW,
            depth.min(255),
            bound,
        );
        best
    }

    /// The table's score, if it settles the node.
    #[inline(always)]
    fn table_cut<K: NodeKind>(
        &self,
        node: &Node,
        hit: &Hit,
        depth: i32,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Option<Score> {
        if K::PV {
            return None;
        }
        // A proven end needs no depth, but it must come before the draw rules strike.
        let proven = match hit.bound {
            Bound::Exact => hit.score.is_decided(),
            Bound::Lower => hit.score.is_win(),
            Bound::Upper => hit.score.is_loss(),
        };
        if hit.depth < depth && !proven {
            return None;
        }
        if let Some(plies) = hit.score.plies_to_end()
            && plies.abs() > node.plies_left(self.shared.rules)
        {
            return None;
        }
        let score = hit.score.further(ply as u32);
        let settled = match hit.bound {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        };
        settled.then_some(score)
    }

    /// ProbCut: if even a shallow search comes out well above beta, the deep one would as well.
    #[inline(always)]
    fn probcut(&mut self, node: &Node, depth: i32, beta: Score, ply: usize) -> Option<Score> {
        let margin = params::probcut_margin(depth);
        let raised = beta.plus(margin);
        let shallow = params::probcut_depth(depth);
        let score = self.full::<Shallow>(node, shallow, raised.plus(-1), raised, ply);
        if self.stopped {
            return Some(Score::DRAW);
        }
        if score < raised {
            return None;
        }
        Some(if score.is_win() { score } else { score.plus(-margin) })
    }
}
