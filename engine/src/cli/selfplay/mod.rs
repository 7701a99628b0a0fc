//! `meerslag selfplay`: games of the engine against itself, to learn from.

mod plan;

use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use meerslag_learn::{GamesProgress, SelfPlay, SelfPlayError};
use meerslag_study::Shard;
use schemars::JsonSchema;
use serde::Serialize;

use super::databases::DatabaseArgs;
use super::evaluation::EvaluationArgs;
use super::interrupt::Interrupt;
use super::json::{self, Record};
use super::progress::Bar;
use super::streams::{Messages, only_print, stdout};
use super::{Failure, is_watched};

/// Play games of the engine against itself, for training
///
/// The games go to a file in the folder, in blocks that are checked when they are read. Started
/// again with the same settings, the command continues where it ended, however it ended; a greater
/// number of games continues a finished run. The same settings and seed give the same games for
/// any number of threads.
#[derive(Args, Debug)]
pub(super) struct SelfPlayArgs {
    /// Folder for the games
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    run: SelfPlay,
    /// Games at the same time; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::threads::<256>)]
    threads: usize,
    /// Write a workflow that plays the run in parts and merges them, instead of playing
    #[arg(long, value_enum, value_name = "PROGRAM", conflicts_with = "shard")]
    plan: Option<Workflow>,
    /// Parts of the workflow
    #[arg(long, value_name = "N", default_value_t = 8, requires = "plan",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(Shard::MAX_PARTS)))]
    parts: u32,
    #[command(flatten)]
    databases: DatabaseArgs,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Print a JSON object at the end
    #[arg(long)]
    json: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum Workflow {
    /// Snakemake
    Snakemake,
}

/// If nobody watches, a line reports the progress this often.
const REPORT_INTERVAL: Duration = Duration::from_secs(60);

pub(super) fn run(args: &SelfPlayArgs) -> Result<(), Failure> {
    if let Some(Workflow::Snakemake) = args.plan {
        only_print();
        return Ok(plan::write(&mut stdout(), args)?);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let interrupt = Interrupt::catch(move || flag.store(true, Ordering::Relaxed))?;
    let selfplay = SelfPlay {
        threads: args.threads,
        databases: args.databases.options(),
        evaluation: args.evaluation.read(args.run.variant)?,
        ..args.run.clone()
    };
    let mut meter = Meter::new();
    let done =
        selfplay.run(&args.out, &stop, &mut |progress| meter.show(progress)).map_err(|error| {
            match error {
                SelfPlayError::Engine(_) | SelfPlayError::OtherGame(_) => Failure::input(error),
                _ => Failure::run(error),
            }
        })?;
    let played = meter.finish(done);
    let mut out = stdout();
    if args.json {
        json::write(&mut out, &played)?;
    } else {
        writeln!(out, "{played}")?;
    }
    if interrupt.is_pressed() {
        return Err(Failure::interrupted("finished games are kept; the same command continues"));
    }
    Ok(())
}

/// The progress of a run: a bar if somebody watches, otherwise a line from time to time.
pub(super) struct Meter {
    bar: Bar,
    start: Instant,
    next: Instant,
}

impl Meter {
    pub(super) fn new() -> Meter {
        let start = Instant::now();
        Meter { bar: Bar::with_rate("games", "{msg}"), start, next: start + REPORT_INTERVAL }
    }

    /// Games an hour since the start of this process, and the time left.
    fn rate(&self, progress: GamesProgress) -> String {
        let hours = self.start.elapsed().as_secs_f64() / 3600.0;
        let rate = (progress.games - progress.before) as f64 / hours.max(1e-9);
        if rate <= 0.0 {
            return "0 games/h".to_owned();
        }
        let left = (progress.of - progress.games) as f64 / rate * 3600.0;
        let left = indicatif::HumanDuration(Duration::from_secs(left as u64));
        format!("{rate:.0} games/h, {left} left")
    }

    pub(super) fn show(&mut self, progress: GamesProgress) {
        self.bar.show(progress.games, progress.of, || self.rate(progress));
        let now = Instant::now();
        if !is_watched() && now >= self.next {
            self.next = now + REPORT_INTERVAL;
            let GamesProgress { games, of, .. } = progress;
            let _ = writeln!(Messages, "{games} of {of} games, {}", self.rate(progress));
        }
    }

    /// The final result.
    pub(super) fn finish(self, progress: GamesProgress) -> SelfPlayRecord {
        drop(self.bar);
        SelfPlayRecord {
            games: progress.games,
            of: progress.of,
            new: progress.games - progress.before,
            seconds: json::seconds(self.start.elapsed().as_secs_f64()),
        }
    }
}

/// Games of a run of self-play.
#[derive(Serialize, JsonSchema)]
pub(super) struct SelfPlayRecord {
    /// Games so far.
    pub(super) games: u64,
    /// Games in the end.
    pub(super) of: u64,
    /// Games played now.
    pub(super) new: u64,
    /// The time that took.
    pub(super) seconds: f64,
}

impl Record for SelfPlayRecord {
    const TYPE: &'static str = "selfplay";
}

impl fmt::Display for SelfPlayRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SelfPlayRecord { games, of, new, seconds } = self;
        let rate = *new as f64 / (seconds / 3600.0).max(1e-9);
        write!(f, "{games} of {of} games, {new} of them new, {rate:.0} games/h")
    }
}
