//! `meerslag weights`: files with the weights of an evaluation.

use std::io::Write;
use std::path::Path;

use clap::{Args, Subcommand};
use meerslag_search::eval::{Evaluation, Provenance, Weights};
use meerslag_study::bench;
use movegen::Variant;

use schemars::JsonSchema;
use serde::Serialize;

use super::Failure;
use super::json::{self, Record};
use super::source::VariantArgs;
use super::streams::{only_print, plain, stdout};

/// Look at the weights of evaluations
#[derive(Args, Debug)]
pub(super) struct WeightsArgs {
    #[command(subcommand)]
    command: WeightsCommand,
}

#[derive(Subcommand, Debug)]
enum WeightsCommand {
    /// Show the contents of a file and its origin
    Info {
        #[command(flatten)]
        one: One,
        /// Print one JSON object instead of text
        #[arg(long)]
        json: bool,
    },
    /// Compare the scores of two evaluations for the positions of the benchmark
    Compare {
        /// A file with weights, or the word material
        first: String,
        /// Another one
        second: String,
        #[command(flatten)]
        variant: VariantArgs,
        /// Print one JSON object instead of text
        #[arg(long)]
        json: bool,
    },
    /// The weights of scalars and patterns that are not 0, as text
    Export {
        #[command(flatten)]
        one: One,
    },
}

/// A set of weights.
#[derive(Serialize, JsonSchema)]
pub(super) struct WeightsRecord {
    name: String,
    /// The game that they are for.
    variant: Variant,
    /// The kind of evaluation.
    kind: String,
    /// How many there are.
    weights: u64,
    /// Where they come from.
    provenance: Provenance,
}

impl Record for WeightsRecord {
    const TYPE: &'static str = "weights";
}

/// Two evaluations of the same positions, in men.
#[derive(Serialize, JsonSchema)]
pub(super) struct ComparisonRecord {
    names: [String; 2],
    positions: u64,
    mean_difference: f64,
    standard_deviations: [f64; 2],
    correlation: f64,
}

impl Record for ComparisonRecord {
    const TYPE: &'static str = "weights_comparison";
}

#[derive(Args, Debug)]
struct One {
    /// A file with weights, or the word material; without it those of the program
    #[arg(value_name = "FILE", default_value = "", hide_default_value = true)]
    file: String,
    #[command(flatten)]
    variant: VariantArgs,
}

impl One {
    /// A file is shown whatever game it is of.
    fn read(&self) -> Result<Evaluation, Failure> {
        match &*self.file {
            "" | "material" => read(&self.file, self.variant),
            file => Weights::read(Path::new(file)).map(Evaluation::new).map_err(Failure::input),
        }
    }
}

fn read(name: &str, VariantArgs { variant }: VariantArgs) -> Result<Evaluation, Failure> {
    Evaluation::named(name, variant).map_err(Failure::input)
}

pub(super) fn run(args: &WeightsArgs) -> Result<(), Failure> {
    only_print();
    let mut out = stdout();
    match &args.command {
        WeightsCommand::Info { one, json } => info(&one.read()?, *json, &mut out),
        WeightsCommand::Compare { first, second, variant, json } => {
            compare(&read(first, *variant)?, &read(second, *variant)?, *json, &mut out)
        }
        WeightsCommand::Export { one } => {
            let evaluation = one.read()?;
            for (name, [start, end]) in evaluation.weights().named() {
                writeln!(out, "{name}\t{start}\t{end}")?;
            }
            Ok(())
        }
    }
}

fn info(evaluation: &Evaluation, json: bool, out: &mut impl Write) -> Result<(), Failure> {
    let weights: &Weights = evaluation.weights();
    let provenance = weights.provenance();
    if json {
        let record = WeightsRecord {
            name: evaluation.name().to_owned(),
            variant: weights.variant,
            kind: weights.kind_name(),
            weights: weights.count() as u64,
            provenance: provenance.clone(),
        };
        return Ok(json::write(out, &record)?);
    }
    writeln!(out, "name        {}", evaluation.name())?;
    writeln!(out, "kind        {}", plain(&weights.kind_name()))?;
    if !weights.variant.is_international() {
        writeln!(out, "game        {}", weights.variant)?;
    }
    writeln!(out, "weights     {}", weights.count())?;
    if provenance.command.is_empty() {
        writeln!(out, "made by     the program")?;
        return Ok(());
    }
    writeln!(out, "generation  {}", provenance.generation)?;
    writeln!(out, "games       {}", provenance.games)?;
    writeln!(out, "positions   {}", provenance.positions)?;
    writeln!(out, "data        {}", plain(&provenance.data))?;
    writeln!(out, "date        {}", plain(&provenance.date))?;
    writeln!(out, "command     meerslag {}", plain(&provenance.command))?;
    Ok(())
}

/// Scores of the same positions: their differences and correlation.
fn compare(
    first: &Evaluation,
    second: &Evaluation,
    json: bool,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let pairs: Vec<(f64, f64)> = [bench::Set::Game, bench::Set::Endgame]
        .into_iter()
        .flat_map(bench::positions)
        .map(|(_, position)| position.with_variant(first.weights().variant))
        .map(|position| (first.score(&position), second.score(&position)))
        .map(|(a, b)| (f64::from(a.hundredths()), f64::from(b.hundredths())))
        .collect();
    let count = pairs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
    let (a, b) = (mean(|p| p.0), mean(|p| p.1));
    let (aa, bb) = (mean(|p| p.0 * p.0) - a * a, mean(|p| p.1 * p.1) - b * b);
    let ab = mean(|p| p.0 * p.1) - a * b;
    if json {
        let record = ComparisonRecord {
            names: [first.name().to_owned(), second.name().to_owned()],
            positions: pairs.len() as u64,
            mean_difference: json::rounded(mean(|p| (p.0 - p.1).abs()) / 100.0, 4),
            standard_deviations: [aa, bb].map(|v| json::rounded(v.sqrt() / 100.0, 4)),
            correlation: json::rounded(ab / (aa * bb).sqrt().max(1e-9), 4),
        };
        return Ok(json::write(out, &record)?);
    }
    writeln!(out, "{} and {}, {count} positions", first.name(), second.name())?;
    writeln!(out, "mean difference       {:.1} hundredths", mean(|p| (p.0 - p.1).abs()))?;
    writeln!(out, "standard deviations   {:.1} and {:.1}", aa.sqrt(), bb.sqrt())?;
    writeln!(out, "correlation           {:.3}", ab / (aa * bb).sqrt().max(1e-9))?;
    Ok(())
}
