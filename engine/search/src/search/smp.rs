//! Several threads on one table ("lazy SMP"): each runs the whole iterative deepening with its
//! own history; the results meet in the transposition table, and in the end they vote. Moves that
//! another thread has begun are put off ([`abdada`](super::abdada)).

use std::sync::atomic::Ordering;
use std::thread;

use movegen::Move;
use movegen::isa::Isa;

use super::STACK_BYTES;
use super::node::Node;
use super::params::Numbers;
use super::report::Info;
use super::root::{Root, RootMove};
use super::worker::{Reporter, Shared, Worker, WorkerMemory};

/// The weight of a vote above the lowest score.
const VOTE_BASE: i32 = 10;

/// Searches with one thread per memory, this one among them. Returns the final result for the best
/// variation, after reporting it if it differs from the last report.
pub(super) fn search<I: Isa, N: Numbers>(
    build: (I, N),
    shared: &Shared<'_>,
    memories: &mut [WorkerMemory],
    mut root: Root,
    report: &mut dyn FnMut(&Info),
) -> Info {
    let Some((main_memory, helper_memories)) = memories.split_first_mut() else {
        unreachable!("an engine has at least one thread");
    };
    thread::scope(|scope| {
        let mut helpers = Vec::new();
        for (i, memory) in helper_memories.iter_mut().enumerate() {
            let id = i + 1;
            let mut root = root.clone();
            let body = move || {
                Worker::new(build, shared, memory, id).iterate(&mut root);
                root.moves.swap_remove(0)
            };
            // A move is played even if the system lacks threads.
            let builder =
                thread::Builder::new().name(format!("search-{id}")).stack_size(STACK_BYTES);
            helpers.extend(builder.spawn_scoped(scope, body));
        }

        let mut worker = Worker::new(build, shared, main_memory, 0);
        worker.reporter = Some(Reporter::new(report));
        worker.iterate(&mut root);
        shared.finished.store(true, Ordering::Relaxed);
        shared.control.wait_until_wanted(shared.limits);

        let results: Vec<RootMove> = helpers.into_iter().filter_map(|h| h.join().ok()).collect();
        if root.lines == 1 {
            let voters: Vec<&RootMove> = std::iter::once(&root.moves[0]).chain(&results).collect();
            let elected = elect(&voters).clone();
            if let Some(index) = root.moves.iter().position(|m| m.mv == elected.mv) {
                root.moves[index] = elected;
                root.moves.swap(0, index);
            }
        }
        let mut info = worker.info(&root, 0);
        extend_variation(&mut info.pv, &root.node, shared);
        // The result is reported even if the last iteration was not finished.
        if let Some(reporter) = worker.reporter {
            reporter.finish(&info);
        }
        info
    })
}

/// Adds the table's reply to a variation of one move, for a move to ponder on.
fn extend_variation(pv: &mut Vec<Move>, root: &Node, shared: &Shared<'_>) {
    if let [only] = pv[..] {
        let node = root.after(only);
        let replies = node.position.legal_moves();
        let known = shared.table.probe(shared.key(&node)).and_then(|hit| hit.mv.find(&replies));
        let reply = if replies.len() == 1 { Some(0) } else { known };
        pv.extend(reply.map(|index| replies[index]));
    }
}

/// The thread whose move gathers most votes; each thread gives its move (score above the lowest
/// plus something) × depth.
fn elect<'a>(voters: &[&'a RootMove]) -> &'a RootMove {
    let lowest = voters.iter().map(|v| v.score.hundredths()).min().unwrap_or(0);
    let vote =
        |v: &RootMove| i64::from(v.score.hundredths() - lowest + VOTE_BASE) * i64::from(v.depth);
    let total = |m: &RootMove| voters.iter().filter(|v| v.mv == m.mv).map(|v| vote(v)).sum::<i64>();
    let mut best = voters[0];
    for voter in &voters[1..] {
        // Votes choose the move; the result is that of its supporter with the greatest depth, then
        // score.
        let rank = |m: &RootMove| (total(m), m.depth, m.score);
        if rank(voter) > rank(best) {
            best = voter;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::Bound;
    use movegen::Position;
    use movegen::Score;

    #[test]
    fn votes_weigh_depth_and_score() {
        let moves = Position::initial().legal_moves();
        let voter = |mv: usize, score, depth| RootMove {
            depth,
            bound: Bound::Exact,
            ..RootMove::new(moves[mv], Score::new(score))
        };
        let (a, b, c) = (voter(0, 10, 12), voter(1, 12, 11), voter(1, 11, 10));
        assert_eq!(elect(&[&a]).mv, moves[0]);
        assert_eq!(elect(&[&a, &b]).mv, moves[1]);
        assert_eq!(elect(&[&a, &b, &c]).score, Score::new(12));
        let far = voter(2, 400, 10);
        assert_eq!(elect(&[&a, &b, &c, &far]).mv, moves[2]);
        let unsearched = voter(3, 10, 0);
        assert_eq!(elect(&[&a, &unsearched]).mv, moves[0]);
    }
}
