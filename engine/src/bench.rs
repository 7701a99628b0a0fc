//! The benchmark: a fixed set of positions searched to a fixed depth on one thread. The total
//! number of nodes is the fingerprint of the search's behaviour: the same build of the same
//! source always gives the same number.

use std::time::Instant;

use movegen::{Game, Position};
use serde::Serialize;

use crate::{Control, Engine, EngineError, EngineOptions, Limits};

/// The depth of the standard benchmark.
pub const DEPTH: u32 = 12;
/// The transposition table of the standard benchmark, in MiB.
pub const HASH_MIB: usize = 16;

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
}

/// The result of the benchmark.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BenchResult {
    /// The depth of the searches.
    pub depth: u32,
    /// Total number of nodes: the fingerprint.
    pub nodes: u64,
    /// Seconds.
    pub seconds: f64,
    /// Nodes per second.
    pub nps: f64,
    /// The positions in order.
    pub positions: Vec<PositionResult>,
}

/// Searches the benchmark positions to `depth` and calls `each` after every one.
///
/// # Errors
/// If there is no memory for the transposition table.
pub fn run(depth: u32, each: &mut dyn FnMut(&PositionResult)) -> Result<BenchResult, EngineError> {
    let mut engine = Engine::new(EngineOptions { hash_mib: HASH_MIB, ..Default::default() })?;
    let start = Instant::now();
    let mut positions = Vec::new();
    for (fen, position) in [("initial".to_owned(), Position::initial())] {
        engine.new_game();
        let outcome = engine.search(
            &Game::new(position),
            &Limits::depth(depth),
            &Control::new(),
            &mut |_| {},
        );
        let result = PositionResult {
            fen,
            best: outcome.best.map_or_else(String::new, |mv| mv.to_string()),
            score: outcome.info.score.hundredths(),
            nodes: outcome.info.nodes,
        };
        each(&result);
        positions.push(result);
    }

    let nodes = positions.iter().map(|p| p.nodes).sum();
    let seconds = start.elapsed().as_secs_f64();
    Ok(BenchResult { depth, nodes, seconds, nps: nodes as f64 / seconds.max(1e-9), positions })
}
