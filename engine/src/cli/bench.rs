//! `meerslag bench`: the fingerprint of the search.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use meerslag_engine::bench;

use super::Failure;
use super::databases::DatabaseArgs;
use super::evaluation::EvaluationArgs;

/// Search a fixed set of positions: the node count is the fingerprint of the search
///
/// One thread searches each position to a fixed depth. The total number of nodes tells two
/// versions of the search apart: the same source always gives the same number. Time and speed
/// depend on the machine.
#[derive(Args, Debug)]
pub(super) struct BenchArgs {
    /// Depth of the searches in plies; the fingerprint is that of the default
    #[arg(long, default_value_t = bench::DEPTH, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Which positions to search; the fingerprint is that of the default
    #[arg(long, value_enum, default_value_t = SetName::Game)]
    set: SetName,
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
    let mut out = io::stdout().lock();
    let mut written = Ok(());
    let mut number = 0;
    let set = match args.set {
        SetName::Game => bench::Set::Game,
        SetName::Endgame => bench::Set::Endgame,
    };
    let (databases, evaluation) = (args.databases.options(), args.evaluation.read()?);
    let result = bench::run(args.depth, set, databases, evaluation, &mut |position| {
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
