//! `meerslag tune`: numbers of the search from games.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use meerslag_learn::{TuneError, Tuned, TunedNumber, Tuning};
use movegen::Variant;
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
/// Two versions of the engine, with small random changes of the numbers, play an opening from both
/// sides; the numbers move towards the better one. The folder then holds the state
/// (tune.checkpoint), the course of each number (numbers.svg) and the present values as a patch of
/// the source (params.patch). The same command continues where it ended, however it ended. The same
/// seed gives the same numbers for any number of threads.
#[derive(Args, Debug)]
pub(super) struct TuneArgs {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    tuning: Tuning,
    /// Games at the same time; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::threads::<256>)]
    threads: usize,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Print a JSON object at the end
    #[arg(long)]
    json: bool,
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
    #[serde(flatten)]
    number: TunedNumber,
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
    let mut tuning = Tuning {
        threads: args.threads,
        evaluation: args.evaluation.read(Variant::International)?,
        ..args.tuning.clone()
    };
    if tuning.numbers.is_empty() {
        tuning.numbers = TunedNumber::all();
    }
    let mut meter = Meter::new();
    let Tuned { progress, values } = tuning
        .run(&args.folder, &stop, &mut |progress| meter.show(progress))
        .map_err(|error| match error {
            TuneError::Numbers(_) => Failure::input(error),
            _ => Failure::run(error),
        })?;
    let numbers = tuning.numbers.into_iter().zip(values);
    let numbers = numbers.map(|(number, value)| NumberRecord { number, value });
    let record = TuneRecord { played: meter.finish(progress), numbers: numbers.collect() };
    let mut out = stdout();
    if args.json {
        json::write(&mut out, &record)?;
    } else {
        writeln!(out, "{}", record.played)?;
        let rows: Vec<Vec<String>> = (record.numbers.iter())
            .map(|NumberRecord { number, value }| {
                vec![number.name.clone(), number.start.to_string(), format!("{value:.2}")]
            })
            .collect();
        write!(out, "{}", table(&["number", "start", "now"], &rows))?;
    }
    if interrupt.is_pressed() {
        return Err(Failure::interrupted("finished games are kept; the same command continues"));
    }
    Ok(())
}
