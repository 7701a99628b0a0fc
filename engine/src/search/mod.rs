//! The search.
//!
//! * [`root`]: iterative deepening over the moves of the searched position;
//! * [`alphabeta`]: the tree below it, [`quiescence`]: its leaves;
//! * [`node`]: positions with their draw counters, kinds of nodes;
//! * [`ordering`], [`history`]: which move first; [`pv`]: the best lines;
//! * [`worker`]: a thread's memory, counting, stopping; [`smp`]: several threads;
//! * [`params`]: the numbers.

mod alphabeta;
mod history;
mod node;
mod ordering;
mod params;
mod pv;
mod quiescence;
mod root;
mod smp;
mod worker;

use std::time::Instant;

use movegen::{DrawRules, Game, Move};

use crate::engine::{Bound, EngineOptions, Info, Outcome};
use crate::eval;
use crate::limits::{Control, Limits, Mode};
use crate::score::Score;
use crate::time::{self, Pace};
use crate::tt::Table;
use node::Node;
use root::{Root, RootMove};
pub(crate) use worker::Memory;
use worker::Shared;

/// A forced move is played after this little search, which finds a score and a reply.
const FORCED_DEPTH: u32 = 8;
const FORCED_NODES: u64 = 2_000;

/// Searches the current position of the game; see [`Engine::search`](crate::Engine::search).
/// There is one memory per thread.
pub(crate) fn run(
    game: &Game,
    limits: &Limits,
    control: &Control,
    options: &EngineOptions,
    table: &Table,
    memories: &mut [Memory],
    report: &mut dyn FnMut(&Info),
) -> Outcome {
    let start = Instant::now();
    let position = *game.position();
    let legal = position.legal_moves();
    if legal.is_empty() {
        return Outcome { best: None, ponder: None, info: lost_info(start) };
    }
    let progress = eval::progress(&position);
    let timed = limits.clock.is_some() || limits.move_time.is_some();
    let forced = legal.len() == 1 && timed;
    let mut plan = time::plan(limits, options.move_overhead, options.ponder, progress);
    let mut limits = limits.clone();
    if forced {
        match limits.mode {
            Mode::Think => {
                limits.depth = Some(limits.depth.unwrap_or(FORCED_DEPTH).min(FORCED_DEPTH));
                limits.nodes = Some(limits.nodes.unwrap_or(FORCED_NODES).min(FORCED_NODES));
            }
            Mode::Ponder => {
                if let Some(plan) = &mut plan {
                    plan.target = std::time::Duration::ZERO;
                    plan.use_all = false;
                }
            }
            Mode::Analyze => {}
        }
    }
    let shared =
        Shared::new(table, control, &limits, options.draw_rules, plan, start, memories.len());
    let node = Node { position, counters: *game.counters() };
    let first_score = eval::evaluate(&position);
    let root = Root {
        node,
        moves: legal.iter().map(|&mv| RootMove::new(mv, first_score)).collect(),
        lines: limits.multipv.clamp(1, legal.len()),
        pace: Pace::new(progress),
    };
    let keys = game.reversible_keys();
    let mut info = smp::search(&shared, memories, &root, keys, report);
    extend_variation(&mut info.pv, &node, table, options.draw_rules);
    Outcome { best: info.pv.first().copied(), ponder: info.pv.get(1).copied(), info }
}

/// What there is to say when the side to move has lost.
fn lost_info(start: Instant) -> Info {
    Info {
        depth: 0,
        mean_depth: 0.0,
        max_depth: 0,
        score: Score::loss_in(0),
        bound: Bound::Exact,
        nodes: 0,
        time: start.elapsed(),
        hashfull: 0.0,
        multipv: 1,
        pv: Vec::new(),
    }
}

/// Adds the table's reply to a variation of one move, for a move to ponder on.
fn extend_variation(pv: &mut Vec<Move>, root: &Node, table: &Table, rules: DrawRules) {
    if let [only] = pv[..] {
        let node = root.after(only);
        let replies = node.position.legal_moves();
        let known = table.probe(node.table_key(rules)).and_then(|hit| hit.mv.find(&replies));
        let reply = if replies.len() == 1 { Some(0) } else { known };
        pv.extend(reply.map(|index| replies[index]));
    }
}
