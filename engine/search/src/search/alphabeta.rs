//! The main search: principal variation search, fail-soft.

use movegen::isa::Isa;
use movegen::{Color, Move, MoveList};
use smallvec::SmallVec;

use super::node::{Node, NodeKind, Shallow};
use super::ordering::MovePicker;
use super::params::{self, MAX_PLY, Numbers};
use super::probe::ProbeVerdict;
use super::worker::Worker;
use crate::search::window::Window;
use crate::tt::{Hit, TableMove};
use movegen::{Bound, Score};

/// The result of a node's moves.
struct Tried {
    score: Score,
    /// The index of the move that raised alpha last.
    best: Option<usize>,
}

impl<I: Isa, N: Numbers> Worker<'_, I, N> {
    /// The score of a node for its side to move. Exact if it lies between `alpha` and `beta`,
    /// otherwise a bound. Meaningless once `stopped` is set. `depth` is below 0 only after captures
    /// beyond the horizon.
    ///
    /// The node's key must be the last one of the path.
    #[inline(always)]
    pub(super) fn search<K: NodeKind>(&mut self, node: &Node, depth: i32, window: Window) -> Score {
        debug_assert!(window.alpha < window.beta);
        debug_assert!(K::PV || window == Window::above(window.alpha));
        if K::PV {
            self.memory.pv.clear(self.ply);
        }
        if let Some(score) = self.ended(node) {
            return score;
        }
        if depth <= 0 {
            return self.visit::<K, true>(node, depth, window);
        }
        self.visit::<K, false>(node, depth, window)
    }

    /// As [`Worker::search`] for a node that no draw rule ends and with at least one full ply.
    #[inline(always)]
    pub(super) fn full<K: NodeKind>(
        &mut self,
        node: &Node,
        depth: i32,
        Window { mut alpha, mut beta }: Window,
    ) -> Score {
        let ply = self.ply;
        if !self.enter(ply) {
            return Score::DRAW;
        }
        if ply >= MAX_PLY {
            return self.evaluate(node, Window { alpha, beta });
        }

        // Loss-distance pruning: the worst that can happen is to have lost now, the best to win
        // with the next move, in Losing to have won.
        alpha = alpha.max(Score::loss_in(ply as u32));
        beta = beta.min(self.without_move(&node.position).max(Score::win_in(ply as u32 + 1)));
        if alpha >= beta {
            return alpha;
        }

        let key = self.shared.key(node);
        let hit = self.shared.table.probe(key);
        if let Some(hit) = hit
            && let Some(score) = self.table_cut::<K>(node, &hit, depth, Window { alpha, beta })
        {
            return score;
        }

        let (mut floor, mut ceiling) = (Score::MIN, Score::MAX);
        let old_alpha = alpha;
        match self.probe_quiet(node, depth, Window { alpha, beta }) {
            Some(ProbeVerdict::Settled(score)) => return score,
            Some(ProbeVerdict::AtLeast(score)) => {
                floor = score;
                alpha = alpha.max(score);
            }
            Some(ProbeVerdict::AtMost(score)) => {
                ceiling = score;
                beta = beta.min(score);
            }
            None => {}
        }

        let mut eval = hit.and_then(|hit| hit.eval);
        if !K::PV
            && depth <= self.numbers.get().reverse_futility_depth
            && let Some(score) = self.reverse_futility(node, eval, depth, Window { alpha, beta })
        {
            return score;
        }
        if K::PROBCUT && depth >= self.numbers.get().probcut_depth && !beta.is_decided() {
            let standing = match eval {
                Some(eval) => eval,
                None => self.standing(node, Window::FULL),
            };
            eval = Some(standing);
            if standing >= beta.plus(-self.numbers.get().probcut_below)
                && let Some(score) = self.probcut(node, depth, beta)
            {
                return score;
            }
        }

        // Filled in place, because copying a list moves a kilobyte.
        let mut moves = MoveList::new();
        node.position.generate_with(self.isa, &mut moves);
        if moves.is_empty() {
            self.leaf(ply);
            return self.without_move(&node.position);
        }
        let known = hit.map_or(TableMove::NONE, |hit| hit.mv);
        let window = Window { alpha, beta };
        let tried = self.try_moves::<K>(node, &mut moves, known, depth, window);
        if self.stopped {
            return Score::DRAW;
        }
        let score = tried.score.max(floor).min(ceiling);
        let bound = if score >= beta {
            Bound::Lower
        } else if score > old_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let best = tried.best.map_or(TableMove::NONE, |index| {
            self.learn(node.position.side_to_move(), &moves, index);
            TableMove::of(&moves, moves[index])
        });
        let own = score.to_table(ply as u32);
        self.shared.table.store(key, best, own, eval, depth.min(255), bound);
        score
    }

    /// Searches the moves until one reaches beta. They stay in the order of being tried, postponed
    /// ones included.
    #[inline(always)]
    fn try_moves<K: NodeKind>(
        &mut self,
        node: &Node,
        moves: &mut MoveList,
        known: TableMove,
        depth: i32,
        Window { mut alpha, beta }: Window,
    ) -> Tried {
        let mut picker = MovePicker::new();
        // A forced move is not a decision: look beyond it.
        let extension = i32::from(moves.len() == 1);
        if extension == 0 {
            picker.score(moves, &node.position, known.find(moves), &self.memory.history);
        }
        let mut tried = Tried { score: Score::MIN, best: None };
        let numbers = self.numbers;
        let side = node.position.side_to_move();
        let searched = &self.shared.searched;
        let is_shared = searched.is_shared() && depth >= params::PUT_OFF_DEPTH;
        // Tried after the others, because another thread has begun them.
        let mut put_off: SmallVec<[u16; movegen::INLINE_MOVES]> = SmallVec::new();
        let below = depth - 1 + extension;
        // The next move is taken up while this one is searched: the table's memory is slow.
        let mut ahead = None;
        let mut turn = 0;
        loop {
            let index = if turn < moves.len() {
                turn
            } else if let Some(&index) = put_off.get(turn - moves.len()) {
                usize::from(index)
            } else {
                break;
            };
            let is_first_round = turn < moves.len();
            turn += 1;
            let history = &self.memory.history;
            let reduction = |mv, index| {
                let history = history.get(side, mv);
                numbers.get().reduction(&node.position, mv, K::PV, depth, index, history)
            };
            let (mv, child) = if let Some(child) = ahead.take() {
                (moves[index], child)
            } else {
                let mv = if is_first_round { picker.pick(moves, index) } else { moves[index] };
                (mv, self.child(node, mv, below - reduction(mv, index)))
            };
            if below > 0 && turn < moves.len() {
                let mv = picker.pick(moves, turn);
                ahead = Some(self.child(node, mv, below - reduction(mv, turn)));
            }
            let reduction = reduction(mv, index);
            let key = if below > 0 { self.shared.key(&child) } else { 0 };
            let mut place = None;
            if is_shared && index > 0 {
                place = searched.begin(key);
                if place.is_none() && is_first_round {
                    put_off.push(index as u16);
                    continue;
                }
            }
            let window = Window { alpha, beta };
            let score = self.try_move::<K>(&child, below, reduction, index == 0, window);
            if let Some(place) = place {
                place.end();
            }
            if self.stopped {
                break;
            }
            if score > tried.score {
                tried.score = score;
                if score > alpha {
                    alpha = score;
                    tried.best = Some(index);
                    if K::PV {
                        self.memory.pv.set(self.ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        tried
    }

    /// The node after a move, to be searched with `depth` plies left at first. Its table entry is
    /// prefetched.
    #[inline(always)]
    fn child(&self, node: &Node, mv: Move, depth: i32) -> Node {
        let child = node.after(mv);
        // Most moves end at the horizon, where the table is not used.
        if depth > 0 {
            self.shared.table.prefetch(self.shared.key(&child));
        }
        child
    }

    /// The score of a move that leads to `child`, with `depth` plies left there: at first reduced
    /// and with an empty window, unless it is the first move of a node whose exact score is wanted.
    #[inline(always)]
    pub(super) fn try_move<K: NodeKind>(
        &mut self,
        child: &Node,
        depth: i32,
        reduction: i32,
        is_first: bool,
        window: Window,
    ) -> Score {
        self.descend(child, |worker| {
            let alpha = window.alpha;
            let empty = |worker: &mut Self, depth| {
                -worker.search::<K::Zero>(child, depth, Window::above(alpha).opposite())
            };
            let mut score = Score::MAX;
            if reduction > 0 {
                score = empty(worker, (depth - reduction).max(0));
            }
            if !(K::PV && is_first) && score > alpha {
                score = empty(worker, depth);
            }
            if K::PV && score > alpha {
                score = -worker.search::<K>(child, depth, window.opposite());
            }
            score
        })
    }

    /// Remembers that the move with this index was better than those tried before it.
    #[inline(always)]
    fn learn(&mut self, side: Color, moves: &[Move], best: usize) {
        if let [_] = moves {
            return;
        }
        let rate = self.numbers.get().history_rate;
        for &tried in &moves[..best] {
            self.memory.history.bad(side, tried, rate);
        }
        self.memory.history.good(side, moves[best], rate);
    }

    /// The table's score, if it settles the node.
    #[inline(always)]
    fn table_cut<K: NodeKind>(
        &self,
        node: &Node,
        hit: &Hit,
        depth: i32,
        Window { alpha, beta }: Window,
    ) -> Option<Score> {
        // With an open window a bound is not enough, and the end of the game must be shown move by
        // move.
        if K::PV && (hit.bound != Bound::Exact || hit.score.is_decided()) {
            return None;
        }
        // A proven end counts at any depth, but it must come before the draw rules end the game.
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
        let score = hit.score.to_root(self.ply as u32);
        let settled = match hit.bound {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        };
        settled.then_some(score)
    }

    /// Reverse futility pruning: where neither side can capture, an evaluation well above beta
    /// replaces a search of a ply or two.
    #[inline(always)]
    fn reverse_futility(
        &mut self,
        node: &Node,
        eval: Option<Score>,
        depth: i32,
        Window { alpha, beta }: Window,
    ) -> Option<Score> {
        let position = &node.position;
        let side = position.side_to_move();
        if alpha.is_decided()
            || beta.is_decided()
            || position.has_capture(side)
            || position.has_capture(side.opponent())
        {
            return None;
        }
        let raised = beta.plus(self.numbers.get().reverse_futility_margin(depth));
        let standing = match eval {
            Some(eval) => eval,
            None => self.standing(node, Window::reaching(raised)),
        };
        // A side without a move has lost, whatever the evaluation says.
        (standing >= raised && position.has_quiet_move()).then_some(standing)
    }

    /// ProbCut: if even a shallow search comes out well above beta, the deep one would as well.
    #[inline(always)]
    fn probcut(&mut self, node: &Node, depth: i32, beta: Score) -> Option<Score> {
        let margin = self.numbers.get().probcut_margin(depth);
        let raised = beta.plus(margin);
        let shallow = self.numbers.get().probcut_depth(depth);
        let score = self.full::<Shallow>(node, shallow, Window::reaching(raised));
        if self.stopped {
            return Some(Score::DRAW);
        }
        if score < raised {
            return None;
        }
        Some(if score.is_win() { score } else { score.plus(-margin) })
    }
}
