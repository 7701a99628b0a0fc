//! The benchmark: a fixed set of positions searched to a fixed depth on one thread. The total
//! number of nodes is the fingerprint of the search's behaviour: the same build of the same
//! source always gives the same number.

use std::time::Instant;

use movegen::{Game, Position};
use serde::Serialize;

use crate::eval::Evaluation;
use crate::{Control, DatabaseOptions, Engine, EngineError, EngineOptions, Limits};

/// The depth of the standard benchmark.
pub const DEPTH: u32 = 13;
/// The transposition table of the standard benchmark, in MiB.
pub const HASH_MIB: usize = 16;

/// Positions to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Set {
    /// Positions of all phases of the game: their node count is the fingerprint.
    #[default]
    Game,
    /// Positions of 6 to 9 pieces, for what endgame databases cost and gain.
    Endgame,
}

impl Set {
    /// One FEN a line; `#` begins a comment.
    const fn text(self) -> &'static str {
        match self {
            Set::Game => include_str!("../data/bench.fen"),
            Set::Endgame => include_str!("../data/bench-endgame.fen"),
        }
    }
}

/// One position's search.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PositionResult {
    /// The position's FEN.
    pub fen: String,
    /// The best move, in Hub notation; empty if there is none.
    pub best: String,
    /// The score in hundredths of a man.
    pub score: i32,
    /// Nodes searched.
    pub nodes: u64,
    /// Endgame database lookups.
    pub probes: u64,
}

/// The result of the benchmark.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BenchResult {
    /// The depth of the searches.
    pub depth: u32,
    /// Total number of nodes: the fingerprint.
    pub nodes: u64,
    /// Endgame database lookups.
    pub probes: u64,
    /// Seconds.
    pub seconds: f64,
    /// Nodes per second.
    pub nps: f64,
    /// The positions in order.
    pub positions: Vec<PositionResult>,
}

/// The positions of the benchmark with their FENs, in order.
///
/// # Panics
/// Never: the text is part of the program and tested.
pub fn positions(set: Set) -> impl Iterator<Item = (&'static str, Position)> {
    let lines = set.text().lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(|fen| {
        let position = Position::from_fen(fen).expect("a FEN of the benchmark is valid");
        (fen, position)
    })
}

/// Searches the positions of the benchmark to `depth`, each from an empty table, and calls `each`
/// after every one. Always one thread and default options but for the databases
/// and the evaluation.
///
/// # Errors
/// If there is no memory for the transposition table, or the databases cannot be opened.
pub fn run(
    depth: u32,
    set: Set,
    databases: DatabaseOptions,
    evaluation: Evaluation,
    each: &mut dyn FnMut(&PositionResult),
) -> Result<BenchResult, EngineError> {
    let options =
        EngineOptions { hash_mib: HASH_MIB, databases, evaluation, ..EngineOptions::default() };
    let mut engine = Engine::new(options)?;
    let (limits, control) = (Limits::depth(depth), Control::new());
    let start = Instant::now();
    let mut results = Vec::new();
    for (fen, position) in positions(set) {
        engine.new_game();
        let outcome = engine.search(&Game::new(position), &limits, &control, &mut |_| {});
        let result = PositionResult {
            fen: fen.to_owned(),
            best: outcome.best.map_or_else(String::new, |mv| mv.to_string()),
            score: outcome.info.score.hundredths(),
            nodes: outcome.info.nodes,
            probes: outcome.info.probes,
        };
        each(&result);
        results.push(result);
    }
    let seconds = start.elapsed().as_secs_f64();
    let nodes = results.iter().map(|p| p.nodes).sum();
    let probes = results.iter().map(|p| p.probes).sum();
    let nps = nodes as f64 / seconds.max(1e-9);
    Ok(BenchResult { depth, nodes, probes, seconds, nps, positions: results })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn there_are_fifty_different_quiet_positions() {
        for set in [Set::Game, Set::Endgame] {
            let all: Vec<Position> = positions(set).map(|(_, position)| position).collect();
            assert_eq!(all.len(), 50);
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), 50);
            assert!(all.iter().all(|p| p.has_legal_move() && !p.has_capture(p.side_to_move())));
        }
        let mut endgames = positions(Set::Endgame);
        assert!(endgames.all(|(_, p)| (6..=9).contains(&p.piece_count())));
    }

    #[test]
    fn two_runs_agree_node_by_node() {
        let mut seen = Vec::new();
        let databases = DatabaseOptions::default();
        let first = run(7, Set::Game, databases.clone(), Evaluation::default(), &mut |result| {
            seen.push(result.clone());
        })
        .unwrap();
        let second = run(7, Set::Game, databases, Evaluation::default(), &mut |_| {}).unwrap();
        assert_eq!(first.positions, seen);
        assert_eq!(first.positions, second.positions);
        assert_eq!(first.nodes, seen.iter().map(|p| p.nodes).sum::<u64>());
        assert!(first.nodes > 10_000 && first.positions.iter().all(|p| !p.best.is_empty()));
    }
}
