//! `meerslag perft`: counts of move sequences.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::interrupt::Interrupt;
use super::json::{self, Record};
use super::progress::Bar;
use super::streams::{only_print, stdout};
use super::{Failure, source};
use crate::perft::{self, Counts, Options, PerftError, Progress};

const EXAMPLES: &str = "\
Examples:
  meerslag perft --depth 9
  meerslag perft \"W:W25,27,28,30,32-35,37,38:B12-14,16,18,19,21,23,24,26\" --depth 12 --divide
  meerslag perft --depth 12 --threads 2 --hash 1024 --json

Captures with the same start, end and captured squares count once; draw rules are ignored.";

/// Count the move sequences of a given length (check and speed test of the move generator)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct PerftArgs {
    #[command(flatten)]
    position: source::PositionArgs,
    /// Number of plies
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=i64::from(Options::MAX_DEPTH)))]
    depth: u32,
    /// Also print the count below each legal move
    #[arg(long)]
    divide: bool,
    /// Threads; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::threads::<1024>)]
    threads: usize,
    /// Remember counts of sub-trees in a table of this size, in MiB or such as 512M or 2G; 0 counts
    /// everything
    #[arg(long, value_name = "SIZE", default_value = "0",
          value_parser = super::mebibytes_of::<0, 1_048_576>)]
    hash: u64,
    /// Make the moves of the last ply instead of only counting them
    #[arg(long)]
    unbulked: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Counts of move sequences.
#[derive(Serialize, JsonSchema)]
pub(super) struct PerftRecord {
    fen: String,
    /// Plies.
    depth: u32,
    /// Move sequences of this length.
    nodes: u64,
    seconds: f64,
    /// Nodes per second.
    nps: f64,
    threads: usize,
    hash_mib: u64,
    /// Whether the moves of the last ply were only counted.
    bulk: bool,
    /// The count below each legal move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    divide: Vec<MoveCount>,
}

impl Record for PerftRecord {
    const TYPE: &'static str = "perft";
}

#[derive(Serialize, JsonSchema)]
struct MoveCount {
    #[serde(rename = "move")]
    mv: String,
    nodes: u64,
}

pub(super) fn run(args: &PerftArgs) -> Result<(), Failure> {
    only_print();
    let position = *args.position.start()?.position();
    let options = Options {
        depth: args.depth,
        threads: args.threads,
        hash_mib: args.hash as usize,
        bulk: !args.unbulked,
    };
    let progress = Arc::new(Progress::default());
    let stop = Arc::clone(&progress);
    Interrupt::catch(move || stop.stop())?;

    let start = Instant::now();
    let bar = Bar::new("sub-trees");
    let counted = perft::count(&position, &options, &progress, &|progress| {
        let (done, all) = progress.items();
        bar.show(done, all, || format!(" {} nodes", progress.nodes()));
    });
    drop(bar);
    let seconds = start.elapsed().as_secs_f64();
    let counts = match counted {
        Ok(counts) => counts,
        Err(PerftError::Interrupted) => {
            return Err(Failure::interrupted("the count is lost"));
        }
        Err(error) => return Err(Failure::run(error)),
    };

    let Counts { nodes, divide } = counts;
    let divide: Vec<(String, u64)> = if args.divide {
        divide.into_iter().map(|(mv, n)| (mv.to_string(), n)).collect()
    } else {
        Vec::new()
    };
    let nps = nodes as f64 / seconds.max(1e-9);
    let mut out = stdout();
    if args.json {
        let record = PerftRecord {
            fen: position.to_fen(),
            depth: args.depth,
            nodes,
            seconds: json::seconds(seconds),
            nps: nps.round(),
            threads: args.threads,
            hash_mib: args.hash,
            bulk: options.bulk,
            divide: divide.into_iter().map(|(mv, nodes)| MoveCount { mv, nodes }).collect(),
        };
        json::write(&mut out, &record)?;
    } else {
        for (mv, nodes) in &divide {
            writeln!(out, "{mv:<12} {nodes}")?;
        }
        writeln!(out, "perft({}) = {nodes}", args.depth)?;
        writeln!(out, "{seconds:.3} s, {:.1} million nodes/s", nps / 1e6)?;
    }
    Ok(())
}
