//! `meerslag tune`: numbers of the search from games.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use meerslag_learn::{TuneError, Tuned, TunedNumber, Tuning};
use schemars::JsonSchema;
use serde::Serialize;

use super::Failure;
use super::evaluation::EvaluationArgs;
use super::interrupt::Interrupt;
use super::json::{self, Record};
use super::selfplay::{Meter, SelfPlayRecord};
use super::streams::stdout;
use super::terminal::table;

/// Tune numbers of the search by games (SPSA)
///
/// Two versions of the engine, which differ from the present numbers a little and at random, play an
/// opening from both sides; the numbers move towards the better one. The folder then holds the state
/// (tune.checkpoint), the course of each number (numbers.svg) and the present values as a patch of the
/// source (params.patch). The same command goes on where it ended, however it ended. The same seed
/// gives the same numbers for any number of threads.
#[derive(Args, Debug)]
pub(super) struct TuneArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// A number to tune, with its range if it is not to be the usual one; repeatable. All without it
    #[arg(long = "number", value_name = "NAME[=LOW..HIGH]", allow_hyphen_values = true)]
    numbers: Vec<TunedNumber>,
    /// Games of the whole run; rounded up to a multiple of 32
    #[arg(long, value_name = "N", default_value_t = 100_000,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
    /// Nodes for each move
    #[arg(long, value_name = "N", default_value_t = 2_000,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// How far numbers move: the share of the last difference between a number and its versions by
    /// which a won game moves it at the end
    #[arg(long, value_name = "SHARE", default_value_t = Tuning::DEFAULT_RATE, value_parser = rate)]
    rate: f64,
    /// Games at the same time; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::threads::<256>)]
    threads: usize,
    /// Other games for another number
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Print a JSON object at the end
    #[arg(long)]
    json: bool,
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| *rate > 0.0 && *rate <= 1.0);
    rate.ok_or_else(|| "expected a number above 0, up to 1".to_owned())
}

/// The result of a tuning.
#[derive(Serialize, JsonSchema)]
pub(super) struct TuneRecord {
    #[serde(flatten)]
    played: SelfPlayRecord,
    numbers: Vec<NumberRecord>,
}

/// A number of the search.
#[derive(Serialize, JsonSchema)]
struct NumberRecord {
    name: String,
    /// The least value it may have.
    low: i32,
    /// The greatest.
    high: i32,
    /// Its value at the start.
    start: i32,
    /// Its value now. The patch has it as a whole number.
    value: f64,
}

impl Record for TuneRecord {
    const TYPE: &'static str = "tune";
}

pub(super) fn run(args: &TuneArgs) -> Result<(), Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let interrupt = Interrupt::catch(move || flag.store(true, Ordering::Relaxed))?;
    let tuning = Tuning {
        numbers: if args.numbers.is_empty() { TunedNumber::all() } else { args.numbers.clone() },
        games: args.games,
        nodes: args.nodes,
        rate: args.rate,
        seed: args.seed,
        threads: args.threads,
        evaluation: args.evaluation.read()?,
    };
    let mut meter = Meter::new();
    let Tuned { progress, values } = tuning
        .run(&args.folder, &stop, &mut |progress| meter.show(progress))
        .map_err(|error| match error {
            TuneError::Numbers(_) => Failure::Input(error.into()),
            _ => Failure::run(error),
        })?;
    let numbers = tuning.numbers.into_iter().zip(values).map(|(number, value)| {
        let TunedNumber { name, low, high, start } = number;
        NumberRecord { name, low, high, start, value }
    });
    let record = TuneRecord { played: meter.finish(progress), numbers: numbers.collect() };
    let mut out = stdout();
    if args.json {
        json::write(&mut out, &record)?;
    } else {
        writeln!(out, "{}", record.played)?;
        let rows: Vec<Vec<String>> = (record.numbers.iter())
            .map(|it| vec![it.name.clone(), it.start.to_string(), format!("{:.2}", it.value)])
            .collect();
        write!(out, "{}", table(&["number", "start", "now"], &rows))?;
    }
    if interrupt.is_pressed() {
        return Err(Failure::interrupted("finished games are kept; the same command goes on"));
    }
    Ok(())
}
