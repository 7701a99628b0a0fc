//! `meerslag bench`: the fingerprint of the search, and what threads are worth.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use meerslag_engine::{EngineOptions, bench};

use super::Failure;
use super::databases::DatabaseArgs;
use super::evaluation::EvaluationArgs;

/// Search a fixed set of positions: the node count is the fingerprint of the search
///
/// One thread searches each position to a fixed depth. The total number of nodes tells two
/// versions of the search apart: the same source always gives the same number. Time and speed
/// depend on the machine.
///
/// With several numbers of threads, or with --repeat, the speed is measured instead: nodes per
/// second, and the time to the depth (geometric mean over the positions of the median of the
/// runs).
#[derive(Args, Debug)]
pub(super) struct BenchArgs {
    /// Depth of the searches in plies; the fingerprint is that of the default
    #[arg(long, default_value_t = bench::DEPTH, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Which positions to search; the fingerprint is that of the default
    #[arg(long, value_enum, default_value_t = SetName::Game)]
    set: SetName,
    /// Transposition table in MiB; the fingerprint is that of the default
    #[arg(long, value_name = "MIB", default_value_t = bench::HASH_MIB as u32, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,
    /// Numbers of threads to compare, such as 1,2; the fingerprint is that of one
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "1",
        value_parser = clap::value_parser!(u16).range(1..=EngineOptions::MAX_THREADS as i64))]
    threads: Vec<u16>,
    /// Measure the speed in this many runs, alternating between the numbers of threads
    #[arg(long, value_name = "RUNS", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: Option<u32>,
    #[command(flatten)]
    databases: DatabaseArgs,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum SetName {
    /// All phases of the game
    Game,
    /// 6 to 9 pieces
    Endgame,
}

pub(super) fn run(args: &BenchArgs) -> Result<(), Failure> {
    let set = match args.set {
        SetName::Game => bench::Set::Game,
        SetName::Endgame => bench::Set::Endgame,
    };
    let options = EngineOptions {
        hash_mib: args.hash as usize,
        threads: usize::from(args.threads[0]),
        databases: args.databases.options(),
        evaluation: args.evaluation.read()?,
        ..bench::standard_options()
    };
    if args.threads.len() > 1 || args.repeat.is_some() {
        measure(args, set, &options)
    } else {
        count_nodes(args, set, options)
    }
}

/// Prints the fingerprint.
fn count_nodes(args: &BenchArgs, set: bench::Set, options: EngineOptions) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut written = Ok(());
    let mut number = 0;
    let result = bench::run(args.depth, set, options, &mut |position| {
        number += 1;
        if !args.json && written.is_ok() {
            let score = f64::from(position.score) / 100.0;
            written = writeln!(
                out,
                "{number:2} {:12} {score:+7.2} {:>12} nodes  {}",
                position.best, position.nodes, position.fen
            );
        }
    })?;
    written?;
    if args.json {
        serde_json::to_writer(&mut out, &result)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{} nodes", result.nodes)?;
        writeln!(out, "{} database lookups", result.probes)?;
        writeln!(out, "{:.3} s, {:.2} million nodes/s", result.seconds, result.nps / 1e6)?;
    }
    Ok(())
}

/// Prints how fast the search is with each number of threads.
fn measure(args: &BenchArgs, set: bench::Set, options: &EngineOptions) -> Result<(), Failure> {
    let all = bench::positions(set).count();
    let repeat = args.repeat.unwrap_or(1) as usize;
    let threads: Vec<usize> = args.threads.iter().copied().map(usize::from).collect();
    let depth = args.depth;
    let results = bench::compare_threads(depth, set, options, &threads, repeat, &mut |done| {
        eprintln!("position {done} of {all}");
    })?;
    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut out, &results)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(out, "threads  million nodes/s   ratio  s to depth {depth:2}  times as fast")?;
    for result in results {
        writeln!(
            out,
            "{:7}  {:15.2}  {:6.2}  {:13.4}  {:13.2}",
            result.threads,
            result.nps / 1e6,
            result.nps_ratio,
            result.seconds_to_depth,
            result.speed_up
        )?;
    }
    Ok(())
}
