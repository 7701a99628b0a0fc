//! One searching thread: its memory, its counts and how it stops.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use movegen::isa::Isa;
use movegen::{Color, DrawRules, Position, Wld};

use super::abdada::SearchedNow;
use super::history::History;
use super::node::{Node, NodeKind};
use super::params::{MAX_PLY, Numbers, POLL_NODES};
use super::prober::Prober;
use super::pv::PvTable;
use super::report::Info;
use crate::clock::Instant;
use crate::eval::{self, Evaluation};
use crate::limits::{Control, Limits, Mode};
use crate::search::window::Window;
use crate::time::TimePlan;
use crate::tt::TranspositionTable;
use movegen::Score;

/// A node counter that shares no cache line, so that threads do not disturb one another.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct NodeCounter {
    nodes: AtomicU64,
    probes: AtomicU64,
}

/// The value of a draw to each side.
#[derive(Clone, Copy)]
pub(super) struct DrawScore([Score; 2]);

impl DrawScore {
    /// To the side to move at the root the value of this option, scaled by the pieces left there;
    /// to the other side its negative. By tens of pieces, because entries of the table hold for one
    /// worth.
    pub(super) fn new(option: Score, root: &Position) -> DrawScore {
        let quarters = (root.piece_count() as i32 - 1) / 10 + 1;
        let worth = Score::new(option.hundredths() * quarters / 4);
        DrawScore(Color::ALL.map(|side| if side == root.side_to_move() { worth } else { -worth }))
    }

    /// The value to this side.
    #[inline(always)]
    pub(super) fn of(self, side: Color) -> Score {
        self.0[side.index()]
    }

    /// Keeps the table's entries apart from entries of searches for the other side: XORed into the
    /// key.
    #[inline(always)]
    fn key(self) -> u64 {
        self.0[0].hundredths() as u64
    }
}

/// The shared state of the threads of a search.
pub(super) struct Shared<'a> {
    pub(super) table: &'a TranspositionTable,
    pub(super) control: &'a Control,
    pub(super) limits: &'a Limits,
    pub(super) rules: DrawRules,
    pub(super) draw: DrawScore,
    pub(super) evaluation: &'a Evaluation,
    pub(super) prober: Prober<'a>,
    pub(super) plan: Option<TimePlan>,
    pub(super) start: Instant,
    /// Set for the helpers when the main thread has finished.
    pub(super) finished: AtomicBool,
    pub(super) counters: Vec<NodeCounter>,
    pub(super) searched: SearchedNow,
}

impl Shared<'_> {
    /// Nodes of all threads, as last reported by them.
    pub(super) fn nodes(&self) -> u64 {
        self.counters.iter().map(|c| c.nodes.load(Ordering::Relaxed)).sum()
    }

    /// Database lookups of all threads, as last reported by them.
    fn probes(&self) -> u64 {
        self.counters.iter().map(|c| c.probes.load(Ordering::Relaxed)).sum()
    }

    /// The node's key in the transposition table.
    #[inline(always)]
    pub(super) fn key(&self, node: &Node) -> u64 {
        node.table_key(self.rules) ^ self.prober.key() ^ self.draw.key()
    }

    /// As [`Shared::nodes`], with this thread's exact number.
    pub(super) fn nodes_with(&self, id: usize, own: u64) -> u64 {
        self.nodes() - self.counters[id].nodes.load(Ordering::Relaxed) + own
    }

    /// Database lookups of all threads, with this thread's exact number.
    pub(super) fn probes_with(&self, id: usize, own: u64) -> u64 {
        self.probes() - self.counters[id].probes.load(Ordering::Relaxed) + own
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

/// A thread's memory between searches. Allocated once; the search itself allocates only for moves
/// beyond the inline capacity of a move list.
///
/// Shares no cache line: the memories of all threads lie side by side, and the length of
/// `keys` is written at every node.
#[repr(align(128))]
pub(crate) struct WorkerMemory {
    pub(super) history: History,
    pub(super) pv: PvTable,
    pub(super) scores: eval::ScoreMemory,
    /// Keys of the positions since the last irreversible move of the game, then of the path.
    pub(super) keys: Vec<u64>,
}

impl WorkerMemory {
    /// For searches with this evaluation.
    pub(crate) fn new(evaluation: &Evaluation) -> WorkerMemory {
        WorkerMemory {
            history: History::new(),
            pv: PvTable::new(),
            scores: evaluation.memory(),
            keys: Vec::with_capacity(MAX_PLY + 128),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.history.clear();
    }
}

impl std::fmt::Debug for WorkerMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerMemory").finish_non_exhaustive()
    }
}

/// The longest silence of a search, so that the user sees the nodes grow.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

/// Passes reports on and remembers the last one.
pub(super) struct Reporter<'a> {
    receiver: &'a mut dyn FnMut(&Info),
    /// The last one of the first variation.
    last: Option<Info>,
    /// When the last report was made, from the start of the search.
    when: Duration,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(receiver: &'a mut dyn FnMut(&Info)) -> Reporter<'a> {
        Reporter { receiver, last: None, when: Duration::ZERO }
    }

    pub(super) fn report(&mut self, info: Info, now: Duration) {
        (self.receiver)(&info);
        if info.multipv == 1 {
            self.last = Some(info);
        }
        self.when = now;
    }

    /// Reports the result, unless the last report said the same.
    pub(super) fn finish(self, result: &Info) {
        if self.last.is_none_or(|last| !last.says_same(result)) {
            (self.receiver)(result);
        }
    }
}

/// One searching thread at work.
pub(super) struct Worker<'a, I, N> {
    /// For code compiled once for each instruction set.
    pub(super) isa: I,
    pub(super) numbers: N,
    pub(super) shared: &'a Shared<'a>,
    pub(super) memory: &'a mut WorkerMemory,
    /// 0 is the main thread, which alone decides by depth and reports.
    pub(super) id: usize,
    pub(super) nodes: u64,
    /// Database lookups.
    pub(super) probes: u64,
    next_poll: u64,
    /// The search must end; results of the unfinished nodes are worthless.
    pub(super) stopped: bool,
    /// Limits do not apply yet.
    pub(super) pondering: bool,
    /// The last finished iteration.
    pub(super) completed: i32,
    pub(super) max_ply: usize,
    /// Full plies beyond the horizon on the current path.
    pub(super) threat_plies: i32,
    /// Plies from the root to the current node.
    pub(super) ply: usize,
    /// The main thread's way to report.
    pub(super) reporter: Option<Reporter<'a>>,
    leaves: u64,
    leaf_plies: u64,
}

impl<'a, I: Isa, N: Numbers> Worker<'a, I, N> {
    pub(super) fn new(
        (isa, numbers): (I, N),
        shared: &'a Shared<'a>,
        memory: &'a mut WorkerMemory,
        id: usize,
    ) -> Worker<'a, I, N> {
        let pondering = shared.limits.mode == Mode::Ponder;
        Worker {
            isa,
            numbers,
            shared,
            memory,
            id,
            nodes: 0,
            probes: 0,
            next_poll: 0,
            stopped: false,
            pondering,
            completed: 0,
            max_ply: 0,
            threat_plies: 0,
            ply: 0,
            reporter: None,
            leaves: 0,
            leaf_plies: 0,
        }
    }

    /// Enters a node: counts it, and polls every [`POLL_NODES`] nodes. False when the search must
    /// end.
    #[inline(always)]
    pub(super) fn enter(&mut self, ply: usize) -> bool {
        if self.nodes >= self.next_poll {
            self.poll();
        }
        if self.stopped {
            return false;
        }
        self.nodes += 1;
        self.max_ply = self.max_ply.max(ply);
        true
    }

    /// Looks at commands, clock and node limit.
    #[cold]
    pub(super) fn poll(&mut self) {
        let shared = self.shared;
        shared.counters[self.id].nodes.store(self.nodes, Ordering::Relaxed);
        shared.counters[self.id].probes.store(self.probes, Ordering::Relaxed);
        self.next_poll = self.nodes + POLL_NODES;
        // The main thread waits for the helpers before it answers, so each thread looks for itself.
        self.stopped |= shared.control.is_stopped() || shared.finished.load(Ordering::Relaxed);
        self.sign_of_life();
        if self.pondering {
            if !shared.control.is_ponder_hit() {
                return;
            }
            self.pondering = false;
            // Thinking in the opponent's time counts.
            let enough_depth = shared.limits.depth.is_some_and(|d| self.completed >= d as i32);
            let enough_time = shared.plan.is_some_and(|plan| shared.elapsed() >= plan.target);
            self.stopped |= enough_depth || enough_time;
        }
        if shared.plan.is_some_and(|plan| shared.elapsed() >= plan.hard) {
            self.stopped = true;
        }
        if let Some(limit) = shared.limits.nodes {
            let others = shared.nodes() - self.nodes;
            let left = limit.saturating_sub(others);
            self.stopped |= self.nodes >= left;
            self.next_poll = self.next_poll.min(left);
        }
    }

    /// Visits a node with at least one full ply, or one at the horizon, in the copy of the code for
    /// this instruction set.
    #[inline(never)]
    pub(super) fn visit<K: NodeKind, const AT_HORIZON: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        window: Window,
    ) -> Score {
        self.isa.run4(
            self,
            node,
            depth,
            window,
            #[inline(always)]
            |worker, node, depth, window| {
                if AT_HORIZON {
                    worker.quiescence::<K>(node, depth, window)
                } else {
                    worker.full::<K>(node, depth, window)
                }
            },
        )
    }

    /// Repeats the last report with new numbers after a while without one.
    fn sign_of_life(&mut self) {
        let (nodes, max_ply) = (self.shared.nodes_with(self.id, self.nodes), self.max_ply);
        let probes = self.shared.probes_with(self.id, self.probes);
        if let Some(reporter) = &mut self.reporter {
            let elapsed = self.shared.elapsed();
            if elapsed >= reporter.when + SIGN_OF_LIFE
                && let Some(mut info) = reporter.last.take()
            {
                info.nodes = nodes;
                info.probes = probes;
                info.time = elapsed;
                info.max_depth = max_ply as u32;
                reporter.report(info, elapsed);
            }
        }
    }

    /// The position is a leaf at this ply: for the average depth.
    #[inline(always)]
    pub(super) fn leaf(&mut self, ply: usize) {
        self.leaves += 1;
        self.leaf_plies += ply as u64;
    }

    /// The average ply of the leaves so far.
    pub(super) fn mean_depth(&self) -> f64 {
        self.leaf_plies as f64 / self.leaves.max(1) as f64
    }

    /// The evaluation of a leaf, as far as the window needs it.
    #[inline(always)]
    pub(super) fn evaluate(&mut self, node: &Node, window: Window) -> Score {
        self.leaf(self.ply);
        self.standing(node, window)
    }

    /// The value of the position without a search, as far as the window needs it.
    #[inline(never)]
    pub(super) fn standing(&mut self, node: &Node, mut window: Window) -> Score {
        let rules = self.shared.rules;
        let is_near_draw = !node.is_far_from_draw() && node.is_near_draw(rules);
        if is_near_draw {
            window = Window::FULL;
        }
        let score = self.isa.run3(
            self,
            node,
            window,
            #[inline(always)]
            |worker, node, window| {
                let (evaluation, ply) = (worker.shared.evaluation, worker.ply);
                evaluation.score_within(&node.position, window, &mut worker.memory.scores, ply)
            },
        );
        if is_near_draw { node.running_out(score, rules) } else { score }
    }

    /// The score of a position without a legal move, at the current ply.
    #[inline(always)]
    pub(super) fn without_move(&self, position: &Position) -> Score {
        match position.variant().without_move() {
            Wld::Win => Score::win_in(self.ply as u32),
            _ => Score::loss_in(self.ply as u32),
        }
    }

    /// The score of a node that the draw rules end: a draw, or a loss if the side to move has
    /// no move, which comes first. `None` if the game continues. Not for the root.
    #[inline(always)]
    pub(super) fn ended(&mut self, node: &Node) -> Option<Score> {
        if node.is_far_from_draw() {
            return None;
        }
        let rules = self.shared.rules;
        let reversible = node.counters.reversible();
        let drawn = rules.has_repetition()
            && movegen::draw::is_repetition(&self.memory.keys, reversible)
            || node.counters.draw(rules).is_some();
        if !drawn {
            return None;
        }
        let ply = self.ply;
        self.leaf(ply);
        let lost = !node.position.has_legal_move();
        Some(if lost {
            self.without_move(&node.position)
        } else {
            self.shared.draw.of(node.position.side_to_move())
        })
    }

    /// Calls `visit` for the node after the move, with its key on the path.
    #[inline(always)]
    pub(super) fn descend<T>(
        &mut self,
        child: &Node,
        visit: impl FnOnce(&mut Worker<'a, I, N>) -> T,
    ) -> T {
        self.memory.keys.push(child.position.key());
        self.ply += 1;
        let result = visit(self);
        self.ply -= 1;
        self.memory.keys.pop();
        result
    }
}
