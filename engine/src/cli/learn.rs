//! `meerslag learn`: from an empty folder to an evaluation, generation after generation.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use clap::Args;
use meerslag_harness::runner::Abort;
use meerslag_learn::{
    FittedWeights, GenerationStep, Generations, GenerationsError, MatchedWeights,
};
use meerslag_study::record::today;
use movegen::words::counted;
use schemars::JsonSchema;
use serde::Serialize;

use super::interrupt::Interrupt;
use super::json::{self, Record};
use super::selfplay::{Meter, SelfPlayRecord};
use super::streams::stdout;
use super::{Failure, shell};

/// Learn an evaluation from scratch: play, fit, match, generation after generation
///
/// The first generation plays with material only. Each one is fitted to all games so far, and
/// accepted if it beats the last accepted one in a match. The next generation plays with the last
/// accepted one. The same command continues where it ended. The folder then holds the games and the
/// weights of each generation, the matches, and the best weights as accepted.weights.
#[derive(Args, Debug)]
pub(super) struct LearnArgs {
    #[command(flatten)]
    run: Generations,
    /// Games at the same time; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "1", value_parser = super::threads::<256>)]
    threads: usize,
    /// Print a JSON object for each step
    #[arg(long)]
    json: bool,
}

/// A step of `learn`.
#[derive(Serialize, JsonSchema)]
pub(super) struct GenerationRecord {
    generation: Option<u32>,
    #[serde(flatten)]
    step: LearnEvent,
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
enum LearnEvent {
    /// Games were played.
    Played(SelfPlayRecord),
    /// Weights were fitted.
    Fitted(FittedWeights),
    /// The weights were matched.
    Matched(MatchedWeights),
    /// All is done.
    Best {
        /// The best weights.
        weights: String,
        /// The file they were copied to.
        file: String,
    },
}

impl Record for GenerationRecord {
    const TYPE: &'static str = "generation";
}

impl fmt::Display for GenerationRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(generation) = self.generation {
            write!(f, "generation {generation}: ")?;
        }
        match &self.step {
            LearnEvent::Played(played) => played.fmt(f),
            LearnEvent::Fitted(FittedWeights { games, positions, held_out }) => {
                let positions = counted(*positions, "position");
                write!(f, "{}, {positions}, loss {held_out:.4}", counted(*games, "game"))
            }
            LearnEvent::Matched(MatchedWeights {
                games,
                opponent,
                elo_low,
                elo_high,
                is_accepted,
            }) => {
                write!(f, "{} against {opponent}, ", counted(*games, "game"))?;
                if let (Some(low), Some(high)) = (elo_low, elo_high) {
                    write!(f, "Elo {low:+.0} to {high:+.0}: ")?;
                }
                f.write_str(if *is_accepted { "accepted" } else { "not accepted" })
            }
            LearnEvent::Best { weights, file } => write!(f, "{weights} is the best: {file}"),
        }
    }
}

pub(super) fn run(args: &LearnArgs) -> Result<(), Failure> {
    let abort = Arc::new(Abort::new());
    let stop = Arc::clone(&abort);
    Interrupt::catch(move || stop.set())?;
    let generations = Generations {
        threads: args.threads,
        command: shell::quoted(&shell::arguments()),
        date: today(),
        ..args.run.clone()
    };
    let mut meter: Option<Meter> = None;
    let best = generations.run(&abort, &mut |generation, step| {
        let step = match step {
            GenerationStep::Playing(progress) => {
                meter.get_or_insert_with(Meter::new).show(progress);
                return Ok(());
            }
            GenerationStep::Played(progress) => {
                LearnEvent::Played(meter.take().unwrap_or_else(Meter::new).finish(progress))
            }
            GenerationStep::Fitted(fitted) => LearnEvent::Fitted(fitted),
            GenerationStep::Matched(matched) => LearnEvent::Matched(matched),
        };
        tell(args.json, Some(generation), step)
    });
    drop(meter);
    let best = best.map_err(|error| match error {
        GenerationsError::Stopped => {
            Failure::interrupted("what was played and fitted is kept; the same command continues")
        }
        error => Failure::run(error),
    })?;
    let file = best.file.display().to_string();
    Ok(tell(args.json, None, LearnEvent::Best { weights: best.weights, file })?)
}

/// Reports a step.
fn tell(json: bool, generation: Option<u32>, step: LearnEvent) -> io::Result<()> {
    let record = GenerationRecord { generation, step };
    let mut out = stdout();
    if json {
        json::write(&mut out, &record)?;
    } else {
        writeln!(out, "{record}")?;
    }
    out.flush()
}
