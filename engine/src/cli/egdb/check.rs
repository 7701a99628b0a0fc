//! `meerslag egdb check`.

use std::io::Write;

use anyhow::anyhow;
use clap::Args;
use egdb_build::check::{
    Amount, CheckError, CheckTally, Finding, Metric, Options, Problem, Report, check,
};
use meerslag_files::with_causes;
use movegen::words::counted;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::Failure;
use super::super::databases::{FoldersArgs, ReadingArgs};
use super::super::failure::Ends;
use super::super::interrupt::Interrupt;
use super::super::json::{self, Record};
use super::super::progress::Bar;
use super::super::streams::stdout;
use super::super::terminal;
use super::selection::SelectionArgs;

const EXAMPLES: &str = "\
Examples:
  meerslag egdb check --egdb db --full
  meerslag egdb check --egdb db --pieces 5 --sample 10000000
  meerslag egdb check --egdb /data/wld --egdb /data/dtw --slices 2110,1111 --json

Every position is derived again from its successors with the move generator and the probe: won \
if a successor is lost for the opponent, lost if all are won or there is none, else a draw; \
distances are one ply more than the best successor's. The result is compared with the stored \
value; for captures, which have none, with what the probe answers.

Win/loss/draw files alone can only be shown to be consistent: draws could be stored as wins and \
losses that support each other in a circle. With distances (dtw or mtc) beside them that is \
excluded. Distances to conversion below 10 are not stored; a search proves that they are below. \
Where it reaches --search-limit the position is counted as unproved.

Exit status: 0 if nothing is wrong, 1 if something is.";

/// Derive positions from their successors and compare with the files
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    folders: FoldersArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Check this many random positions, spread over the slices by their sizes [default: 1000000]
    #[arg(long, value_name = "N", conflicts_with = "full",
          value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// Check all positions
    #[arg(long)]
    full: bool,
    /// Another number chooses another sample
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Show at most this many wrong positions
    #[arg(long, value_name = "N", default_value_t = 20)]
    show: usize,
    /// Positions looked at to prove one distance to conversion below 10
    #[arg(long, value_name = "N", default_value_t = 5000,
          value_parser = clap::value_parser!(u64).range(1..))]
    search_limit: u64,
    /// Print JSON objects, one a line, instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: ReadingArgs,
}

/// A value that is wrong.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct FindingRecord {
    fen: String,
    /// `wld2`, `wld1`, `run`, `mtc` or `dtw`.
    database: &'static str,
    /// `stored`, `answered`, `read` or `unreadable`.
    problem: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Record for FindingRecord {
    const TYPE: &'static str = "finding";
}

/// The sums of a check.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CheckSummary")]
pub(in crate::cli) struct CheckRecord {
    slices: usize,
    positions: u64,
    wanted: u64,
    full: bool,
    complete: bool,
    wrong: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    wld: Option<CheckTally>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mtc: Option<CheckTally>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dtw: Option<CheckTally>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<CheckTally>,
    seconds: f64,
}

impl Record for CheckRecord {
    const TYPE: &'static str = "check_summary";
}

pub(super) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::catch(|| {})?;
    let probe = args.reading.options(args.folders.paths()).open()?;
    let options = Options {
        max_pieces: args.selection.pieces,
        slices: args.selection.slices(),
        amount: if args.full {
            Amount::Full
        } else {
            Amount::Sample(args.sample.unwrap_or(1_000_000))
        },
        seed: args.seed,
        threads: args.selection.threads,
        max_findings: args.show,
        search_limit: args.search_limit,
    };
    let bar = Bar::new("positions");
    let report = check(&probe, &options, |at| {
        bar.show(at.done, at.all, || match at.wrong {
            0 => String::new(),
            n => format!("  {n} WRONG"),
        });
        !interrupt.is_pressed()
    })?;
    let seconds = bar.elapsed().as_secs_f64();
    drop(bar);
    let kinds = Metric::ALL.into_iter().filter(|&kind| {
        probe.databases().iter().any(|database| Metric::of(database.db_type()) == kind)
    });
    let kinds: Vec<Metric> = kinds.collect();
    let mut out = stdout();
    if args.json {
        write_json(&mut out, &report, &kinds, seconds)?;
    } else {
        write_text(&mut out, &report, &kinds, seconds)?;
    }
    if !report.is_complete() {
        return Err(Failure::interrupted("the sums are those of the part that was checked"));
    }
    match report.wrong() {
        0 => Ok(()),
        1 => Err(Failure::Run(anyhow!("1 value is wrong"))),
        n => Err(Failure::Run(anyhow!("{n} values are wrong"))),
    }
}

impl Ends for CheckError {
    fn is_input(&self) -> bool {
        !matches!(self, CheckError::Threads(_))
    }
}

fn write_json(
    out: &mut impl Write,
    report: &Report,
    kinds: &[Metric],
    seconds: f64,
) -> Result<(), Failure> {
    for finding in &report.findings {
        json::write(out, &record(finding))?;
    }
    let tally = |kind| kinds.contains(&kind).then(|| report.tally(kind));
    let summary = CheckRecord {
        slices: report.slices,
        positions: report.positions,
        wanted: report.wanted,
        full: report.is_full,
        complete: report.is_complete(),
        wrong: report.wrong(),
        wld: tally(Metric::Wld),
        mtc: tally(Metric::Mtc),
        dtw: tally(Metric::Dtw),
        rules: tally(Metric::Rules),
        seconds: json::seconds(seconds),
    };
    Ok(json::write(out, &summary)?)
}

fn record(finding: &Finding) -> FindingRecord {
    let record = FindingRecord {
        fen: finding.position.to_fen(),
        database: finding.db_type.name(),
        problem: "",
        expected: None,
        found: None,
        error: None,
    };
    let (problem, expected, found) = match &finding.problem {
        Problem::Stored { expected, found } => ("stored", expected, found),
        Problem::Answered { expected, found } => ("answered", expected, found),
        Problem::Read { expected, found } => ("read", expected, found),
        Problem::Unreadable(error) => {
            return FindingRecord {
                problem: "unreadable",
                error: Some(with_causes(error)),
                ..record
            };
        }
    };
    let (expected, found) = (Some(expected.to_string()), Some(found.to_string()));
    FindingRecord { problem, expected, found, ..record }
}

fn write_text(
    out: &mut impl Write,
    report: &Report,
    kinds: &[Metric],
    seconds: f64,
) -> Result<(), Failure> {
    for finding in &report.findings {
        writeln!(out, "WRONG {finding}")?;
    }
    if report.wrong() > report.findings.len() as u64 {
        writeln!(out, "WRONG ... {} more", report.wrong() - report.findings.len() as u64)?;
    }
    if !report.findings.is_empty() {
        writeln!(out)?;
    }
    let how = match (report.is_complete(), report.is_full) {
        (false, _) => format!("interrupted after {} of", report.positions),
        (true, true) => "all".to_owned(),
        (true, false) => "a sample of".to_owned(),
    };
    let rate = report.positions as f64 / seconds.max(1e-3) / 1e6;
    writeln!(
        out,
        "{how} {} of {}, {seconds:.1} s, {rate:.2} million/s",
        counted(report.wanted, "position"),
        counted(report.slices, "slice")
    )?;
    let tallies: Vec<CheckTally> = kinds.iter().map(|&kind| report.tally(kind)).collect();
    let row = |name: &str, of: fn(&CheckTally) -> u64| {
        let counts = tallies.iter().map(|tally| of(tally).to_string());
        std::iter::once(name.to_owned()).chain(counts).collect::<Vec<_>>()
    };
    let rows = vec![
        row("stored values", |tally| tally.compared),
        row("captures", |tally| tally.captures),
        row("left out", |tally| tally.left_out),
        row("undecided", |tally| tally.undecided),
        row("unproved", |tally| tally.unproved),
        row("wrong", |tally| tally.wrong),
    ];
    let names = kinds.iter().map(|kind| match kind {
        Metric::Wld => " wld",
        Metric::Mtc => " mtc",
        Metric::Dtw => " dtw",
        Metric::Rules => " rules",
    });
    let heading: Vec<&str> = std::iter::once("").chain(names).collect();
    write!(out, "\n{}", terminal::table(&heading, &rows))?;
    Ok(())
}
