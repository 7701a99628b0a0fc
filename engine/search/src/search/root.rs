//! The root: iterative deepening, aspiration windows, several variations, and when to stop.

use movegen::Move;
use movegen::isa::Isa;

use super::node::{Node, Pv};
use super::params::{self, MAX_DEPTH, MAX_PLY, Numbers};
use super::report::Info;
use super::worker::Worker;
use crate::limits::Mode;
use crate::search::window::Window;
use crate::time::Pace;
use movegen::{Bound, Score};

/// A move of the searched position with the latest results.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    pub(super) score: Score,
    pub(super) bound: Bound,
    /// The iteration that found score and variation; 0 before the first.
    pub(super) depth: i32,
    /// Begins with the move itself.
    pub(super) pv: Vec<Move>,
}

impl RootMove {
    pub(super) fn new(mv: Move, score: Score) -> RootMove {
        RootMove { mv, score, bound: Bound::Lower, depth: 0, pv: vec![mv] }
    }
}

/// How far a thread is in its search of the root.
#[derive(Clone)]
pub(super) struct Root {
    pub(super) node: Node,
    /// The best first, as many as there are variations; the others in no order of value.
    pub(super) moves: Vec<RootMove>,
    /// Number of variations, at least 1.
    pub(super) lines: usize,
    /// Keys of the positions since the last irreversible move of the game, the root's last.
    pub(super) keys: Vec<u64>,
    pub(super) pace: Pace,
}

impl<I: Isa, N: Numbers> Worker<'_, I, N> {
    /// Forgets what belongs to an earlier root, and searches deeper and deeper until something ends
    /// the search.
    pub(super) fn iterate(&mut self, root: &mut Root) {
        self.memory.clear();
        self.memory.keys.clear();
        self.memory.keys.extend_from_slice(&root.keys);
        self.memory.keys.reserve(MAX_PLY + 1);
        let last_depth = |worker: &Worker<'_, I, N>| match worker.shared.limits.depth {
            Some(depth) if worker.id == 0 && !worker.pondering => (depth as i32).min(MAX_DEPTH),
            _ => MAX_DEPTH,
        };
        let mut depth = 1;
        while depth <= last_depth(self) {
            let before = (root.moves[0].mv, root.moves[0].score);
            for line in 0..root.lines {
                self.aspirate(root, depth, line);
                if self.stopped {
                    return;
                }
            }
            root.moves[..root.lines].sort_by_key(|m| std::cmp::Reverse(m.score));
            self.completed = depth;
            self.poll();
            for line in 0..root.lines {
                self.report(root, line);
            }
            let best = &root.moves[0];
            let gain = best.score.hundredths() - before.1.hundredths();
            root.pace.iteration(best.mv != before.0, if depth > 1 { gain } else { 0 });
            if self.stopped || self.is_enough(root, depth) {
                return;
            }
            depth += 1;
        }
    }

    /// Whether another iteration would be a waste of time.
    fn is_enough(&self, root: &Root, depth: i32) -> bool {
        if self.id != 0 || self.pondering {
            return false;
        }
        let elapsed = self.shared.elapsed();
        if self.shared.plan.is_some_and(|plan| root.pace.is_over(&plan, elapsed)) {
            return true;
        }
        // A proven end well within the depth: deeper searches find nothing else.
        let settled = |m: &RootMove| m.score.plies_to_end().is_some_and(|n| n.abs() + 2 <= depth);
        self.shared.limits.mode != Mode::Analyze && root.moves[..root.lines].iter().all(settled)
    }

    /// Finds the best of the moves from `line` on and brings it to `line`.
    fn aspirate(&mut self, root: &mut Root, depth: i32, line: usize) {
        let centre = root.moves[line].score;
        let numbers = self.numbers;
        let numbers = numbers.get();
        let (mut below, mut above) = (numbers.aspiration_width, numbers.aspiration_width);
        let open =
            depth < numbers.aspiration_depth || centre.is_decided() || root.moves[line].depth == 0;
        loop {
            let full = |width| open || width > numbers.aspiration_max;
            let alpha = if full(below) { Score::MIN } else { centre.plus(-below) };
            let beta = if full(above) { Score::MAX } else { centre.plus(above) };
            let score = self.search_root(root, depth, Window { alpha, beta }, line);
            if self.stopped {
                return;
            }
            if score <= alpha {
                below *= 2;
            } else if score >= beta {
                above *= 2;
            } else {
                return;
            }
        }
    }

    fn search_root(
        &mut self,
        root: &mut Root,
        depth: i32,
        Window { mut alpha, beta }: Window,
        line: usize,
    ) -> Score {
        if !self.enter(0) {
            return Score::DRAW;
        }
        let mut best = Score::MIN;
        let searched = &self.shared.searched;
        let is_shared = searched.is_shared() && depth > params::PUT_OFF_DEPTH;
        // Tried after the others, because another thread has begun them; with their numbers in the
        // order.
        let mut put_off: Vec<(Move, usize)> = Vec::new();
        let mut next = line;
        loop {
            let is_first_round = next < root.moves.len();
            // Better moves come to the front, so postponed ones may have moved.
            let (index, turn) = if is_first_round {
                (next, next)
            } else if let Some(&(mv, turn)) = put_off.get(next - root.moves.len()) {
                (root.moves.iter().position(|m| m.mv == mv).unwrap_or(turn), turn)
            } else {
                break;
            };
            next += 1;
            let mv = root.moves[index].mv;
            let child = root.node.after(mv);
            let mut place = None;
            if is_shared && turn > line {
                place = searched.begin(self.shared.key(&child));
                if place.is_none() && is_first_round {
                    put_off.push((mv, turn));
                    continue;
                }
            }
            let numbers = self.numbers.get();
            let reduction = numbers.reduction(&root.node.position, mv, true, depth, turn - line, 0);
            let (is_first, window) = (turn == line, Window { alpha, beta });
            let score = self.try_move::<Pv>(&child, depth - 1, reduction, is_first, window);
            if let Some(place) = place {
                place.end();
            }
            if self.stopped {
                return Score::DRAW;
            }
            best = best.max(score);
            if score > alpha {
                alpha = score;
                let found = &mut root.moves[index];
                found.score = score;
                found.bound = if score >= beta { Bound::Lower } else { Bound::Exact };
                found.depth = depth;
                found.pv.clear();
                found.pv.push(mv);
                found.pv.extend_from_slice(self.memory.pv.line(1));
                root.moves[line..=index].rotate_right(1);
                // The first iteration takes almost no time.
                if index > line && root.lines == 1 && depth > 1 {
                    self.report(root, line);
                }
                if score >= beta {
                    break;
                }
            }
            let overdue = |plan| root.pace.is_overdue(plan, self.shared.elapsed());
            if alpha == best
                && depth > 1
                && self.id == 0
                && !self.pondering
                && self.shared.plan.as_ref().is_some_and(overdue)
            {
                self.stopped = true;
                return best;
            }
        }
        best
    }

    /// The current state of a variation.
    pub(super) fn info(&self, root: &Root, line: usize) -> Info {
        let shared = self.shared;
        let found = &root.moves[line];
        Info {
            depth: found.depth.max(1) as u32,
            mean_depth: self.mean_depth(),
            max_depth: self.max_ply as u32,
            score: shared.prober.reported(found.score),
            bound: found.bound,
            nodes: shared.nodes_with(self.id, self.nodes),
            probes: shared.probes_with(self.id, self.probes),
            time: shared.elapsed(),
            hashfull: shared.table.fullness(),
            multipv: line + 1,
            is_book: false,
            pv: self.whole_line(&root.node, found),
        }
    }

    /// A variation as deep as it was searched: where the table cut it off, the table has the rest.
    fn whole_line(&self, root: &Node, found: &RootMove) -> Vec<Move> {
        let mut line = found.pv.clone();
        let mut node = *root;
        let mut seen = vec![node.position];
        for &mv in &found.pv {
            node = node.after(mv);
            seen.push(node.position);
        }
        while line.len() < found.depth as usize && node.plies_left(self.shared.rules) > 0 {
            let Some(hit) = self.shared.table.probe(self.shared.key(&node)) else { break };
            let moves = node.position.legal_moves();
            match hit.mv.find(&moves) {
                Some(index) if hit.bound == Bound::Exact => {
                    node = node.after(moves[index]);
                    if seen.contains(&node.position) {
                        break;
                    }
                    line.push(moves[index]);
                    seen.push(node.position);
                }
                _ => break,
            }
        }
        line
    }

    fn report(&mut self, root: &Root, line: usize) {
        let info = self.info(root, line);
        if let Some(reporter) = &mut self.reporter {
            reporter.report(info, self.shared.elapsed());
        }
    }
}
