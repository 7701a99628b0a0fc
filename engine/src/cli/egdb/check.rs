//! `meerslag egdb check`.

use std::io::Write;

use anyhow::anyhow;
use clap::Args;
use egdb_build::check::{CheckError, CheckTally, Options, Report, check};
use movegen::words::counted;

use super::super::databases::FoldersArgs;
use super::super::failure::Ends;
use super::super::interrupt::Interrupt;
use super::super::progress::Bar;
use super::super::streams::stdout;
use super::super::{Failure, json, terminal};

const EXAMPLES: &str = "\
Examples:
  meerslag egdb check --egdb db --full
  meerslag egdb check --egdb db --pieces 5 --sample 1000000
  meerslag egdb check --egdb /data/wld --egdb /data/dtw --slices 2110,1111 --json

Exit status: 0 if nothing is wrong, 1 if something is.";

/// Derive positions from their successors and compare with the files
///
/// Every position is derived again from its successors with the move generator and the probe: won
/// if a successor is lost for the opponent, lost if all are won or there is none, else a draw;
/// distances are one ply more than the best successor's. The result is compared with the stored
/// value; for captures, which have none, with what the probe answers.
///
/// Win/loss/draw files alone can only be shown to be consistent: draws could be stored as wins and
/// losses that support each other in a circle. With distances (dtw or mtc) beside them that is
/// excluded. Distances to conversion below 10 are not stored; a search proves that they are below.
/// Where that takes more than 5,000 positions, the position is counted as unproved.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    folders: FoldersArgs,
    #[command(flatten)]
    options: Options,
    /// Print JSON objects, one a line, instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::catch(|| {})?;
    let probe = args.folders.open()?;
    let bar = Bar::new("positions");
    let report = check(&probe, &args.options, |at| {
        bar.show(at.done, at.all, || match at.wrong {
            0 => String::new(),
            n => format!("  {n} WRONG"),
        });
        !interrupt.is_pressed()
    })?;
    drop(bar);
    let mut out = stdout();
    if args.json {
        for finding in &report.findings {
            json::write(&mut out, finding)?;
        }
        json::write(&mut out, &report)?;
    } else {
        write_text(&mut out, &report)?;
    }
    if !report.is_complete {
        return Err(Failure::interrupted("the sums are those of the part that was checked"));
    }
    match report.wrong {
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

fn write_text(out: &mut impl Write, report: &Report) -> Result<(), Failure> {
    for finding in &report.findings {
        writeln!(out, "WRONG {finding}")?;
    }
    if report.wrong > report.findings.len() as u64 {
        writeln!(out, "WRONG ... {} more", report.wrong - report.findings.len() as u64)?;
    }
    if !report.findings.is_empty() {
        writeln!(out)?;
    }
    let how = match (report.is_complete, report.is_full) {
        (false, _) => format!("interrupted after {} of", report.positions),
        (true, true) => "all".to_owned(),
        (true, false) => "a sample of".to_owned(),
    };
    let (positions, slices) = (counted(report.wanted, "position"), counted(report.slices, "slice"));
    let seconds = report.seconds;
    let rate = report.positions as f64 / seconds.max(1e-3) / 1e6;
    writeln!(out, "{how} {positions} of {slices}, {seconds:.1} s, {rate:.2} million/s")?;
    let kinds = [
        (" wld", report.wld),
        (" mtc", report.mtc),
        (" dtw", report.dtw),
        (" rules", report.rules),
    ];
    let (heading, tallies): (Vec<&str>, Vec<CheckTally>) =
        kinds.into_iter().filter_map(|(name, tally)| Some((name, tally?))).unzip();
    let row = |name: &str, count: fn(&CheckTally) -> u64| {
        let counts = tallies.iter().map(|tally| count(tally).to_string());
        std::iter::once(name.to_owned()).chain(counts).collect::<Vec<_>>()
    };
    let rows = [
        row("stored values", |tally| tally.compared),
        row("captures", |tally| tally.captures),
        row("left out", |tally| tally.left_out),
        row("undecided", |tally| tally.undecided),
        row("unproved", |tally| tally.unproved),
        row("wrong", |tally| tally.wrong),
    ];
    write!(out, "\n{}", terminal::table(&[&[""], &*heading].concat(), &rows))?;
    Ok(())
}
