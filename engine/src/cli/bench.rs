//! `meerslag bench`: the fingerprint of the search, the gain of threads, and suites.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use meerslag_search::{EngineOptions, Limits};
use meerslag_study::bench;
use meerslag_study::suite::{self, SuiteOutcome};
use movegen::Variant;
use movegen::words::counted;

use super::databases::CachedDatabaseArgs;
use super::evaluation::EvaluationArgs;
use super::interrupt::Interrupt;
use super::json;
use super::limits::LimitArgs;
use super::progress::Bar;
use super::streams::{only_print, stdout};
use super::{Failure, terminal};

/// Search a fixed set of positions: the node count is the fingerprint of the search
///
/// One thread searches each position to a fixed depth, 13 without --depth. The total number of nodes distinguishes two
/// versions of the search: the same source always gives the same number. Time and speed
/// depend on the machine.
///
/// With several numbers of threads, or with --repeat, the speed is measured instead: nodes per
/// second, and the time to the depth (geometric mean over the positions of the median of the
/// runs).
///
/// With --suite it searches positions whose answers are known, and shows which of them it finds,
/// and after how many nodes and seconds the answer no longer changed. The file has a line for each:
/// FEN; best moves; id; value; source.
#[derive(Args, Debug)]
pub(super) struct BenchArgs {
    #[command(flatten)]
    limits: LimitArgs,
    /// Which positions to search; the fingerprint is that of the default
    #[arg(long, value_enum, default_value_t = SetName::Game)]
    set: SetName,
    /// Transposition table, in MiB or such as 512M or 2G; the fingerprint is that of the default
    #[arg(long, value_name = "SIZE", default_value_t = bench::HASH_MIB as u64,
          value_parser = super::mebibytes_of::<1, 65_536>)]
    hash: u64,
    /// Numbers of threads to compare, such as 1,2; the fingerprint is that of one
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "1",
        value_parser = clap::value_parser!(u16).range(1..=EngineOptions::MAX_THREADS as i64))]
    threads: Vec<u16>,
    /// Measure the speed in this many runs, alternating between the numbers of threads
    #[arg(long, value_name = "RUNS", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: Option<u32>,
    /// Search the positions of this suite (see docs/search.md) and compare with their answers
    #[arg(long, value_name = "FILE", conflicts_with_all = ["set", "repeat"])]
    suite: Option<PathBuf>,
    #[command(flatten)]
    databases: CachedDatabaseArgs,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Print JSON objects, one a line, instead of text
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
    only_print();
    Interrupt::leave()?;
    let set = match args.set {
        SetName::Game => bench::Set::Game,
        SetName::Endgame => bench::Set::Endgame,
    };
    let options = EngineOptions {
        hash_mib: args.hash as usize,
        threads: usize::from(args.threads[0]),
        databases: args.databases.options(),
        evaluation: args.evaluation.read(Variant::International)?,
        ..bench::standard_options()
    };
    if let Some(file) = &args.suite {
        solve_suite(args, file, options)
    } else if args.threads.len() > 1 || args.repeat.is_some() {
        measure(args, set, &options)
    } else {
        count_nodes(args, set, options)
    }
}

/// The depth of the searches where no suite is searched.
fn depth(args: &BenchArgs) -> Result<u32, Failure> {
    match args.limits.or(Limits::depth(bench::DEPTH)) {
        Limits { depth: Some(depth), nodes: None, move_time: None, .. } => Ok(depth),
        _ => Err(Failure::Input(anyhow::anyhow!("--time and --nodes need --suite"))),
    }
}

/// Prints the fingerprint.
fn count_nodes(args: &BenchArgs, set: bench::Set, options: EngineOptions) -> Result<(), Failure> {
    let mut out = stdout();
    let mut written = Ok(());
    let mut number = 0;
    let result = bench::run(depth(args)?, set, options, &mut |position| {
        number += 1;
        if !args.json && written.is_ok() {
            let score = position.score.men();
            written = writeln!(
                out,
                "{number:2} {:12} {score:+7.2} {:>12} nodes",
                position.best, position.nodes
            );
        }
    })?;
    written?;
    if args.json {
        json::write(&mut out, &result)?;
    } else {
        writeln!(out, "{}", counted(result.nodes, "node"))?;
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
    let depth = depth(args)?;
    let bar = Bar::new("positions");
    let results = bench::compare_threads(depth, set, options, &threads, repeat, &mut |done| {
        bar.show(done as u64, all as u64, String::new);
    })?;
    drop(bar);
    let mut out = stdout();
    if args.json {
        for result in &results {
            json::write(&mut out, result)?;
        }
        return Ok(());
    }
    let row = |result: &bench::ThreadsResult| {
        vec![
            result.threads.to_string(),
            format!("{:.2}", result.nps / 1e6),
            format!("{:.2}", result.nps_ratio),
            format!("{:.4}", result.seconds_to_depth),
            format!("{:.2}", result.speed_up),
        ]
    };
    let seconds = format!(" s to depth {depth}");
    let heading = [" threads", " million nodes/s", " ratio", &seconds, " times as fast"];
    out.write_all(
        terminal::table(&heading, &results.iter().map(row).collect::<Vec<_>>()).as_bytes(),
    )?;
    Ok(())
}

/// Searches a suite and prints the results.
fn solve_suite(args: &BenchArgs, file: &Path, options: EngineOptions) -> Result<(), Failure> {
    if let [_, _, ..] = args.threads[..] {
        let error = anyhow::anyhow!("--suite takes one number of --threads");
        return Err(Failure::Input(error));
    }
    let name = file.display();
    let suite = meerslag_files::read_text(file)
        .with_context(|| format!("cannot read {name}"))
        .and_then(|text| suite::parse(&text).with_context(|| name.to_string()))
        .map_err(Failure::Input)?;
    let limits = args.limits.or(Limits::depth(bench::DEPTH));
    let mut out = stdout();
    let mut written = Ok(());
    if !args.json {
        writeln!(out, "{SUITE_HEAD}")?;
    }
    let result = suite::run(&suite, &limits, options, &mut |outcome| {
        if !args.json && written.is_ok() {
            written = print_outcome(&mut out, outcome).and_then(|()| out.flush());
        }
    })?;
    written?;
    if args.json {
        return Ok(json::write(&mut out, &result)?);
    }
    let (all, solved) = (suite.len(), result.solved);
    writeln!(out, "\nwithin nodes  solved")?;
    let most = result.positions.iter().map(|outcome| outcome.nodes).max().unwrap_or(0);
    let budgets = (3..).map(|power| 10u64.pow(power)).take_while(|&budget| budget < most);
    for budget in budgets {
        writeln!(out, "{budget:12}  {:6}", result.solved_within(budget))?;
    }
    let speed = result.nodes as f64 / result.seconds.max(1e-9) / 1e6;
    writeln!(out, "{most:12}  {solved:6}")?;
    writeln!(
        out,
        "solved {solved} of {all}; {} nodes, {:.3} s, {speed:.2} million nodes/s",
        result.nodes, result.seconds
    )?;
    Ok(())
}

const SUITE_HEAD: &str = "                                                      until it was found:\n\
     id                    move        score  depth  depth         nodes        s";

fn print_outcome(out: &mut impl Write, outcome: &SuiteOutcome) -> io::Result<()> {
    let score = outcome.score.men();
    let SuiteOutcome { id, best, depth, .. } = outcome;
    let id: String = id.chars().take(20).collect();
    write!(out, "{id:20}  {best:9}  {score:+7.2}  {depth:5}  ")?;
    match &outcome.found {
        Some(found) => {
            writeln!(out, "{:5}  {:12}  {:7.3}", found.depth, found.nodes, found.seconds)
        }
        None => writeln!(out, "not solved"),
    }
}
