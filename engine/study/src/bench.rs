//! The benchmark: a fixed set of positions searched to a fixed depth on one thread. The total
//! number of nodes is the fingerprint of the search's behaviour: the same build of the same
//! source always gives the same number.
//!
//! [`compare_threads`] measures the gain of more threads.

use movegen::{Game, Position};
use schemars::JsonSchema;
use serde::Serialize;

use crate::digits::median;
use meerslag_search::clock::Instant;
use meerslag_search::{Control, Engine, EngineError, EngineOptions, Limits, SearchResult};
use movegen::Score;
use movegen::json;
use movegen::json::Record;

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
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct PositionResult {
    /// The position's FEN.
    pub fen: String,
    /// The best move, in Hub notation; empty if there is none.
    pub best: String,
    /// The score for the side to move.
    #[serde(serialize_with = "json::men")]
    #[schemars(with = "f64")]
    pub score: Score,
    /// Nodes searched.
    pub nodes: u64,
    /// Endgame database lookups.
    pub probes: u64,
}

/// The result of the benchmark.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct BenchResult {
    /// The depth of the searches.
    pub depth: u32,
    /// Total number of nodes: the fingerprint.
    pub nodes: u64,
    /// Endgame database lookups.
    pub probes: u64,
    /// Seconds.
    #[serde(serialize_with = "json::digits::<6, _>")]
    pub seconds: f64,
    /// Nodes per second.
    #[serde(serialize_with = "json::digits::<0, _>")]
    pub nps: f64,
    /// The positions in order.
    pub positions: Vec<PositionResult>,
}

impl Record for BenchResult {
    const TYPE: &'static str = "bench";
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

/// The options of the standard benchmark: one thread, a table of [`HASH_MIB`].
#[must_use]
pub fn standard_options() -> EngineOptions {
    EngineOptions { hash_mib: HASH_MIB, ..EngineOptions::default() }
}

/// Searches the positions of the benchmark to `depth`, each from an empty table, and calls `each`
/// after every one. The number of nodes is the fingerprint with [`standard_options`].
///
/// # Errors
/// If the options are impossible, there is no memory for the transposition table, or the
/// databases cannot be opened.
pub fn run(
    depth: u32,
    set: Set,
    options: EngineOptions,
    each: &mut dyn FnMut(&PositionResult),
) -> Result<BenchResult, EngineError> {
    let mut engine = Engine::new(options)?;
    let start = Instant::now();
    let mut results = Vec::new();
    for (fen, position) in positions(set) {
        let found = search(&mut engine, position, depth);
        let result = PositionResult {
            fen: fen.to_owned(),
            best: found.best.map_or_else(String::new, |mv| mv.to_string()),
            score: found.info.score,
            nodes: found.info.nodes,
            probes: found.info.probes,
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

fn search(engine: &mut Engine, position: Position, depth: u32) -> SearchResult {
    engine.new_game();
    engine.search(&Game::new(position), &Limits::depth(depth), &Control::new(), &mut |_| {})
}

/// How fast the search is with some number of threads.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct ThreadsResult {
    /// The number of threads.
    pub threads: usize,
    /// Nodes per second of all threads, over all runs.
    #[serde(serialize_with = "json::digits::<0, _>")]
    pub nps: f64,
    /// Nodes per second, as a multiple of those with the first number of threads.
    #[serde(serialize_with = "json::digits::<3, _>")]
    pub nps_ratio: f64,
    /// Seconds to the depth: the geometric mean over the positions of the median of the runs.
    #[serde(serialize_with = "json::digits::<6, _>")]
    pub seconds_to_depth: f64,
    /// How many times as fast as the first number of threads the depth is reached.
    #[serde(serialize_with = "json::digits::<3, _>")]
    pub speed_up: f64,
}

impl Record for ThreadsResult {
    const TYPE: &'static str = "bench_threads";
}

/// Searches the positions of the benchmark to `depth` with each of these numbers of threads,
/// `repeat` times, in turn at every position, so that a slow moment of the machine affects them
/// all. Calls `each` after every position with its number, from 1.
///
/// # Errors
/// As [`run`].
pub fn compare_threads(
    depth: u32,
    set: Set,
    options: &EngineOptions,
    threads: &[usize],
    repeat: usize,
    each: &mut dyn FnMut(usize),
) -> Result<Vec<ThreadsResult>, EngineError> {
    let engine = |&threads: &usize| Engine::new(EngineOptions { threads, ..options.clone() });
    let mut engines = threads.iter().map(engine).collect::<Result<Vec<Engine>, EngineError>>()?;
    let mut medians = vec![Vec::new(); threads.len()];
    let mut totals = vec![(0, 0.0); threads.len()];
    for (index, (_, position)) in positions(set).enumerate() {
        let mut times = vec![Vec::new(); threads.len()];
        for _ in 0..repeat {
            for (which, engine) in engines.iter_mut().enumerate() {
                let found = search(engine, position, depth);
                times[which].push(found.info.time);
                totals[which].0 += found.info.nodes;
                totals[which].1 += found.info.time.as_secs_f64();
            }
        }
        for (medians, times) in medians.iter_mut().zip(&mut times) {
            medians.push(median(times).unwrap_or_default().as_secs_f64());
        }
        each(index + 1);
    }
    let speed = |which: usize| {
        let (nodes, seconds): (u64, f64) = totals[which];
        (nodes as f64 / seconds.max(1e-9), geometric_mean(&medians[which]))
    };
    let result = |(which, &threads)| {
        let ((nps, seconds_to_depth), (first_nps, first_seconds)) = (speed(which), speed(0));
        let (nps_ratio, speed_up) = (nps / first_nps, first_seconds / seconds_to_depth);
        ThreadsResult { threads, nps, nps_ratio, seconds_to_depth, speed_up }
    };
    Ok(threads.iter().enumerate().map(result).collect())
}

/// The geometric mean; times below a microsecond count as one.
fn geometric_mean(seconds: &[f64]) -> f64 {
    let sum: f64 = seconds.iter().map(|s| s.max(1e-6).ln()).sum();
    (sum / seconds.len().max(1) as f64).exp()
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
        let options = standard_options;
        let first = run(7, Set::Game, options(), &mut |result| seen.push(result.clone())).unwrap();
        let second = run(7, Set::Game, options(), &mut |_| {}).unwrap();
        assert_eq!(first.positions, seen);
        assert_eq!(first.positions, second.positions);
        assert_eq!(first.nodes, seen.iter().map(|p| p.nodes).sum::<u64>());
        assert!(first.nodes > 10_000 && first.positions.iter().all(|p| !p.best.is_empty()));
    }

    #[test]
    fn threads_are_compared_with_the_first_number() {
        let mut seen = Vec::new();
        let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
        let each = &mut |done| seen.push(done);
        let results = compare_threads(3, Set::Endgame, &options, &[2, 1], 2, each).unwrap();
        assert_eq!(seen, (1..=50).collect::<Vec<_>>());
        assert_eq!(results.iter().map(|r| r.threads).collect::<Vec<_>>(), [2, 1]);
        assert_eq!((results[0].nps_ratio, results[0].speed_up), (1.0, 1.0));
        assert!(results.iter().all(|r| r.nps > 0.0 && r.seconds_to_depth > 0.0));
        let ratio = results[1].nps / results[0].nps;
        assert!((results[1].nps_ratio - ratio).abs() < 1e-9);
        assert!(compare_threads(3, Set::Game, &options, &[1, 0], 1, &mut |_| {}).is_err());
    }

    #[test]
    fn means_of_times() {
        assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-12);
        assert!((geometric_mean(&[0.0, 1.0]) - 1e-3).abs() < 1e-12);
    }
}
