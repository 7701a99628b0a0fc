//! `meerslag book expand`: a book that grows by search.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use meerslag_search::expand::{ExpandError, ExpandOptions, ExpandProgress, expand};
use meerslag_search::{Control, EngineOptions, Limits};
use meerslag_study::openings;
use movegen::words::counted;
use movegen::{Position, Score, Variant};

use super::super::databases::DatabaseArgs;
use super::super::evaluation::EvaluationArgs;
use super::super::interrupt::Interrupt;
use super::super::progress::Bar;
use super::super::streams::{note, stdout};
use super::super::{Failure, json, mebibytes_of, seconds, source, threads};
use super::merge::{BookSearches, BookWrittenRecord};
use super::table::score_text;

const EXAMPLES: &str = "\
Examples:
  meerslag book expand own.book --depth 16 --positions 10000
      start a book, or continue with it until it has 10,000 searched positions
  meerslag book expand own.book --depth 18 --threads 4 --time 3600
      an hour on four threads; Ctrl-C at any time loses nothing
  meerslag book expand own.book --nodes 200000 --openings two-move,three-move --positions 100000
      go on from all ballots of two and three moves as well

The position that is expanded next is the one of least cost: the plies from the start and, for \
each move on the way, how much worse than the best it is, times --weight. Every search is \
written to FILE.journal at once; the book itself is written every five minutes and at the end.";

/// Expand a book by search, or start one
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ExpandArgs {
    /// The book; it is started if it is missing
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Depth of the search of each position, in plies [default: 16 without --nodes]
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=200))]
    depth: Option<u8>,
    /// Nodes of the search of each position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Stop when this number of positions has been searched, earlier ones included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Plies that a move a man worse than the best one costs
    #[arg(long, value_name = "PLIES", default_value_t = 50,
          value_parser = clap::value_parser!(u32).range(0..=10_000))]
    weight: u32,
    /// Where a new book begins: draughts FEN or Hub string [default: the initial position]
    #[arg(long)]
    fen: Option<String>,
    /// Where the book begins, too: two-move, three-move or unbalanced
    #[arg(long, value_name = "SET", value_delimiter = ',')]
    openings: Vec<String>,
    /// Searches at the same time; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads::<256>)]
    threads: usize,
    /// Size of the transposition table of each search, in MiB or such as 512M
    #[arg(long, value_name = "SIZE", default_value = "64", value_parser = mebibytes_of::<1, 65_536>)]
    hash: u64,
    #[command(flatten)]
    databases: DatabaseArgs,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Print a JSON object at the end
    #[arg(long)]
    json: bool,
}

impl ExpandArgs {
    fn more_starts(&self) -> Result<Vec<Position>, Failure> {
        let mut starts = Vec::new();
        for name in &self.openings {
            let set = openings::by_name(name).ok_or_else(|| {
                let expected = "expected two-move, three-move or unbalanced";
                Failure::Input(anyhow!("--openings {name}: {expected}"))
            })?;
            starts.extend(set.iter().map(|opening| *opening.game().position()));
        }
        Ok(starts)
    }
}

pub(super) fn run(args: &ExpandArgs) -> Result<(), Failure> {
    let evaluation = args.evaluation.read(Variant::International)?;
    let options = ExpandOptions {
        limits: match (args.depth, args.nodes) {
            (None, None) => Limits::depth(16),
            (depth, nodes) => Limits { depth: depth.map(u32::from), nodes, ..Limits::default() },
        },
        weight: args.weight,
        start: source::position(args.fen.as_deref())?,
        more_starts: args.more_starts()?,
        positions: args.positions,
        time: args.time,
        interval: Duration::from_secs(300),
        engine_name: format!("evaluation {}", evaluation.name()),
        engine: EngineOptions {
            hash_mib: args.hash as usize,
            databases: args.databases.options(),
            evaluation,
            ..EngineOptions::default()
        },
    };
    let controls: Vec<Arc<Control>> = (0..args.threads).map(|_| Arc::new(Control::new())).collect();
    let interrupt = Interrupt::catch({
        let controls = controls.clone();
        move || controls.iter().for_each(|control| control.stop())
    })?;
    let bar = Bar::new("positions");
    let mut is_damage_named = false;
    let mut show = |progress: &ExpandProgress| {
        if progress.damaged > 0 && !std::mem::replace(&mut is_damage_named, true) {
            let positions = counted(progress.damaged, "position");
            let journal = format!("{}.journal", args.file.display());
            bar.suspend(|| {
                note(format_args!("{journal} is damaged; searched again: {positions}"));
            });
        }
        let all = args.positions.unwrap_or(progress.searched);
        bar.show(progress.searched, all, || format!("score {}", score_text(progress.score)));
    };
    let end = expand(&args.file, &options, &controls, &mut show);
    drop(bar);
    let progress = end.map_err(|error| match error {
        ExpandError::Book(error) => Failure::from(error),
        ExpandError::Engine(error) => Failure::from(error),
        ExpandError::Thread(_) => Failure::run(error),
    })?;
    report(args, &progress)?;
    if interrupt.is_pressed() {
        let kept = format!("all of that is in {}; the same command continues", args.file.display());
        return Err(Failure::interrupted(kept));
    }
    Ok(())
}

fn report(args: &ExpandArgs, progress: &ExpandProgress) -> Result<(), Failure> {
    let &ExpandProgress { searched, new, score, .. } = progress;
    let mut out = stdout();
    if args.json {
        let score = score.map(Score::men);
        let searches = Some(BookSearches { searched, new, score });
        let record = BookWrittenRecord { searches, ..BookWrittenRecord::of(&args.file)? };
        return Ok(json::write(&mut out, &record)?);
    }
    write!(out, "{} searched, {new} of them now", counted(searched, "position"))?;
    if score.is_some() {
        write!(out, "; score of the start: {}", score_text(score))?;
    }
    Ok(writeln!(out)?)
}
