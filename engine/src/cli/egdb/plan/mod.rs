//! `meerslag egdb plan`.

mod snakemake;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use ::egdb::Slice;
use anyhow::anyhow;
use clap::{Args, ValueEnum};
use egdb_build::plan::{Costs, Task, peak_disk, plan};
use movegen::words::counted;
use serde_json::Value;

use super::super::streams::{only_print, stdout};
use super::super::{Failure, json, mebibytes, terminal};
use super::build::TypesArgs;

const EXAMPLES: &str = "\
Examples:
  meerslag egdb plan --pieces 6
  meerslag egdb plan --pieces 5 --format snakemake --out /shared/db > Snakefile
  snakemake --cores 16 --resources mem_mb=60000 --rerun-incomplete";

/// List the slices in building order with what they need and cost, or write a workflow
///
/// A slice can be built when those are there that its moves lead to: by a promotion, or by
/// captures. The workflow calls 'meerslag egdb build-slice' for each slice and 'meerslag egdb pack'
/// for each piece count (from 6 pieces on for each slice), in a folder that all machines see. Both do
/// nothing for what is there and sound, so a workflow can be stopped and started again at any time.
///
/// Memory is what solving a slice takes with everything that it looks at in memory. With less it
/// reads smaller slices from their work files, down to what is named as the least. Disk is the work
/// file until the slices that need it are solved: as measured where a slice has been built, else
/// estimated from those. Times are what slices and types took on a processor of 2025, for others estimated
/// from those. The log of a build with the same types and threads, build.jsonl in the folder --out, says
/// how fast this machine is.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct PlanArgs {
    /// All slices up to this number of pieces
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=8))]
    pieces: u8,
    #[command(flatten)]
    types: TypesArgs,
    /// Threads for each slice
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Most memory for a slice, in MiB or such as 512M or 8G; larger ones read files as well
    #[arg(long, value_name = "SIZE", value_parser = mebibytes)]
    memory: Option<u64>,
    /// Positions a second of this machine with these threads, instead of the log: those of 'meerslag egdb
    /// build --pieces 5 --types compact'
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    rate: Option<u64>,
    /// What to write
    #[arg(long, default_value = "text")]
    format: Format,
    /// Print JSON objects, one a line, instead of text
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// The folder of the database: for workflows, and for the log of a build
    #[arg(long, value_name = "DIR", default_value = "db")]
    out: PathBuf,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    /// A table
    Text,
    /// A workflow for Snakemake
    Snakemake,
}

pub(super) fn run(args: &PlanArgs) -> Result<(), Failure> {
    only_print();
    let costs = Costs {
        rate: args.rate.map(|rate| rate as f64),
        log: log(&args.out),
        types: args.types.in_order(),
        threads: args.threads,
        limit: args.memory.map(|mib| mib << 20),
    };
    let tasks = plan(args.pieces, &costs);
    let mut out = stdout();
    match args.format {
        _ if args.json => {
            for task in &tasks {
                json::write(&mut out, task)?;
            }
        }
        Format::Text => text(&mut out, &tasks, &costs)?,
        Format::Snakemake => {
            // A workflow that cannot run is refused; the table shows why.
            let limit = costs.limit.unwrap_or(u64::MAX);
            if let Some(task) = tasks.iter().find(|task| task.least_memory > limit) {
                let (slice, least) = (task.slice, in_mebibytes(task.least_memory));
                let what = anyhow!("slice {slice} takes at least {least} MiB: --memory is less");
                return Err(Failure::Input(what));
            }
            snakemake::write(&mut out, &tasks, &costs, &args.out)?;
        }
    }
    Ok(())
}

/// The slices of the log of a build, with the seconds that a pass took on average; none without a log.
fn log(dir: &Path) -> Vec<(Slice, f64)> {
    let text = fs::read_to_string(dir.join("build.jsonl")).unwrap_or_default();
    let mut slices: BTreeMap<Slice, Vec<f64>> = BTreeMap::new();
    for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let slice = line["slice"].as_str().and_then(|digits| digits.parse().ok());
        let is_whole = line["positions"] == line["positions_solved"];
        if let (Some(slice), Some(seconds), true) = (slice, line["seconds"].as_f64(), is_whole) {
            slices.entry(slice).or_default().push(seconds);
        }
    }
    let mean = |list: Vec<f64>| list.iter().sum::<f64>() / list.len() as f64;
    slices.into_iter().map(|(slice, list)| (slice, mean(list))).collect()
}

fn in_mebibytes(bytes: u64) -> String {
    bytes.div_ceil(1 << 20).to_string()
}

fn text(out: &mut impl Write, tasks: &[Task], costs: &Costs) -> io::Result<()> {
    let row = |task: &Task| {
        let mut needs = task.needs.iter().map(Slice::to_string).collect::<Vec<_>>().join(" ");
        if costs.limit.is_some_and(|limit| limit < task.least_memory) {
            needs += &format!(" (refused: at least {} MiB)", in_mebibytes(task.least_memory));
        } else if task.out_of_core {
            needs += " (reads files: more than --memory)";
        }
        vec![
            task.slice.to_string(),
            task.positions.to_string(),
            in_mebibytes(task.memory),
            in_mebibytes(task.disk),
            duration(task.seconds),
            needs,
        ]
    };
    let heading = ["slice", " positions", " memory MiB", " disk MiB", " time", "needs"];
    write!(out, "{}", terminal::table(&heading, &tasks.iter().map(row).collect::<Vec<_>>()))?;
    let sums = |name: String, tasks: &[Task]| {
        vec![
            name,
            tasks.len().to_string(),
            tasks.iter().map(|task| task.positions).sum::<u64>().to_string(),
            in_mebibytes(tasks.iter().map(|task| task.memory).max().unwrap_or(0)),
            in_mebibytes(tasks.iter().map(|task| task.disk).sum()),
            duration(tasks.iter().map(|task| task.seconds).sum()),
        ]
    };
    let groups = tasks.chunk_by(|a, b| a.slice.pieces() == b.slice.pieces());
    let mut rows: Vec<Vec<String>> =
        groups.map(|tasks| sums(tasks[0].slice.pieces().to_string(), tasks)).collect();
    rows.push(sums("all".to_owned(), tasks));
    let heading = [" pieces", " slices", " positions", " memory MiB", " disk MiB", " time"];
    write!(out, "\n{}", terminal::table(&heading, &rows))?;
    let slices: Vec<Slice> = tasks.iter().map(|task| task.slice).collect();
    let times = match (costs.rate, costs.log.len()) {
        (None, 0) => "\nTimes are those of two cores of an EPYC, by type and slice.\n".to_owned(),
        (None, slices) => {
            format!("\nTimes are as in the log of the folder, of {}.\n", counted(slices, "slice"))
        }
        _ => String::new(),
    };
    out.write_all(times.as_bytes())?;
    writeln!(
        out,
        "\n'egdb build' takes about {} MiB of disk at a time, databases included, as work files go \
         when nothing needs them any more.",
        in_mebibytes(peak_disk(&slices, &costs.types, false))
    )
}

/// `0.3 s`, `5 min`, `7.2 h`, `31 d`.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.0} d", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_in_words() {
        let list = [0.04, 119.0, 600.0, 86_400.0, 1e7].map(duration);
        assert_eq!(list, ["0.0 s", "119.0 s", "10 min", "24.0 h", "116 d"]);
    }
}
