//! `meerslag egdb plan`.

mod snakemake;

use std::io::{self, Write};
use std::path::PathBuf;

use ::egdb::{DbType, Slice};
use anyhow::anyhow;
use clap::{Args, ValueEnum};
use egdb_build::plan::{Costs, Task, peak_disk, plan};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::json::{self, Record};
use super::super::streams::{only_print, stdout};
use super::super::terminal;
use super::super::{Failure, mebibytes};
use super::build::{BuildType, short};

const EXAMPLES: &str = "\
Examples:
  meerslag egdb plan --pieces 6
  meerslag egdb plan --pieces 5 --format snakemake --out /shared/db > Snakefile
  snakemake --cores 16 --resources mem_mb=60000 --rerun-incomplete

A slice can be built when those are there that its moves lead to: by a promotion, or by \
captures. The workflow calls 'meerslag egdb build-slice' for each slice and 'meerslag egdb pack' \
for each piece count (from 6 pieces on for each slice), in a folder that all machines see. Both do \
nothing for what is there and sound, so a workflow can be stopped and started again at any time.

Memory is what solving a slice takes with everything that it looks at in memory. With less it \
reads smaller slices from their work files, down to what is named as the least. Disk is the work \
file, estimated from how far smaller ones could be compressed, until the slices that need it are \
solved. Times come from --rate alone: measure a piece count less, with the same types and threads.";

/// List the slices in building order with what they need and cost, or write a workflow
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct PlanArgs {
    /// All slices up to this number of pieces
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=8))]
    pieces: u8,
    /// What to build
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',',
          default_values_t = [BuildType::Wld, BuildType::Mtc, BuildType::Dtw])]
    types: Vec<BuildType>,
    /// Threads for each slice
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Most memory for a slice, in MiB or such as 512M or 8G; larger ones read files as well
    #[arg(long, value_name = "SIZE", value_parser = mebibytes)]
    memory: Option<u64>,
    /// Positions a second with these threads, for one type, solving and writing together
    #[arg(long, value_name = "N", default_value_t = 20_000_000,
          value_parser = clap::value_parser!(u64).range(1..))]
    rate: u64,
    /// What to write
    #[arg(long, default_value = "text")]
    format: Format,
    /// Print JSON objects, one a line, instead of text
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// The folder of the database, for workflows
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

/// The data that the formats share.
struct Plan {
    pieces: u8,
    tasks: Vec<Task>,
    types: String,
    db_types: Vec<DbType>,
    threads: u32,
    limit: Option<u64>,
    out: PathBuf,
}

/// The writing of database files: of a piece count, or of one slice.
struct Pack<'a> {
    pieces: Option<u8>,
    tasks: Vec<&'a Task>,
}

impl Pack<'_> {
    fn name(&self) -> String {
        let slice = || self.tasks.iter().map(|task| task.slice.to_string()).collect();
        self.pieces.map_or_else(slice, |pieces| pieces.to_string())
    }
}

const MIB: u64 = 1 << 20;

impl Plan {
    /// Memory to request, in bytes: the estimate and a reserve.
    fn memory(&self, task: &Task) -> u64 {
        let bytes = task.memory + task.memory / 16 + (16 << 20);
        self.limit.map_or(bytes, |limit| limit.min(bytes))
    }

    /// Memory for packing: most encoders take little and read in order; those that take much are
    /// included in a slice's needs.
    fn pack_memory(&self, pack: &Pack<'_>) -> u64 {
        let least = pack.tasks.iter().map(|task| task.least_memory).max().unwrap_or(0);
        let enough = (least + least / 16).max(1 << 30);
        self.limit.map_or(enough, |limit| limit.min(enough))
    }

    /// The step that writes database files: for a piece count at a time, or for a slice if each has
    /// its own files, for any types.
    fn packs(&self) -> Vec<Pack<'_>> {
        let mut packs = Vec::new();
        for pieces in self.piece_counts() {
            let tasks: Vec<&Task> = self.of_pieces(pieces).collect();
            let is_shared = |db_type: &DbType| {
                pieces <= db_type.max_pieces() && pieces <= db_type.shared_file_pieces()
            };
            if self.db_types.iter().any(is_shared) {
                packs.push(Pack { pieces: Some(pieces), tasks });
            } else {
                packs
                    .extend(tasks.into_iter().map(|task| Pack { pieces: None, tasks: vec![task] }));
            }
        }
        packs
    }

    fn is_out_of_core(&self, task: &Task) -> bool {
        self.limit.is_some_and(|limit| limit < task.memory)
    }

    fn piece_counts(&self) -> std::ops::RangeInclusive<u8> {
        2..=self.pieces
    }

    fn of_pieces(&self, pieces: u8) -> impl Iterator<Item = &Task> {
        self.tasks.iter().filter(move |task| task.slice.pieces() == pieces)
    }
}

pub(super) fn run(args: &PlanArgs) -> Result<(), Failure> {
    only_print();
    let types = BuildType::in_order(&args.types);
    let names: Vec<&str> = types.iter().map(|db_type| short(*db_type)).collect();
    let costs = Costs { rate: args.rate as f64, types: types.clone(), threads: args.threads };
    let plan = Plan {
        pieces: args.pieces,
        tasks: plan(args.pieces, &costs),
        types: names.join(","),
        db_types: types,
        threads: args.threads,
        limit: args.memory.map(|mib| mib << 20),
        out: args.out.clone(),
    };
    let mut out = stdout();
    // A workflow that cannot run is refused; the table shows why.
    if args.format == Format::Snakemake
        && let Some(limit) = plan.limit
        && let Some(task) = plan.tasks.iter().find(|task| task.least_memory > limit)
    {
        let least = task.least_memory.div_ceil(MIB);
        return Err(Failure::Input(anyhow!(
            "slice {} takes at least {least} MiB: --memory is less",
            task.slice
        )));
    }
    match args.format {
        _ if args.json => records(&mut out, &plan)?,
        Format::Text => text(&mut out, &plan)?,
        Format::Snakemake => snakemake::write(&mut out, &plan)?,
    }
    Ok(())
}

fn text(out: &mut impl Write, plan: &Plan) -> io::Result<()> {
    let row = |task: &Task| {
        let needs: Vec<String> = task.needs.iter().map(Slice::to_string).collect();
        let least = task.least_memory.div_ceil(MIB);
        let mark = match plan.limit {
            Some(limit) if limit < task.least_memory => format!(" (refused: at least {least} MiB)"),
            _ if plan.is_out_of_core(task) => " (reads files: more than --memory)".to_owned(),
            _ => String::new(),
        };
        vec![
            task.slice.to_string(),
            task.positions.to_string(),
            task.memory.div_ceil(MIB).to_string(),
            task.disk.div_ceil(MIB).to_string(),
            duration(task.seconds),
            format!("{}{mark}", needs.join(" ")),
        ]
    };
    let heading = ["slice", " positions", " memory MiB", " disk MiB", " time", "needs"];
    out.write_all(
        terminal::table(&heading, &plan.tasks.iter().map(row).collect::<Vec<_>>()).as_bytes(),
    )?;
    let sums = |name: String, tasks: &[&Task]| {
        vec![
            name,
            tasks.len().to_string(),
            tasks.iter().map(|task| task.positions).sum::<u64>().to_string(),
            tasks.iter().map(|task| task.memory).max().unwrap_or(0).div_ceil(MIB).to_string(),
            tasks.iter().map(|task| task.disk).sum::<u64>().div_ceil(MIB).to_string(),
            duration(tasks.iter().map(|task| task.seconds).sum()),
        ]
    };
    let mut rows: Vec<Vec<String>> = plan
        .piece_counts()
        .map(|pieces| sums(pieces.to_string(), &plan.of_pieces(pieces).collect::<Vec<_>>()))
        .collect();
    rows.push(sums("all".to_owned(), &plan.tasks.iter().collect::<Vec<_>>()));
    let heading = [" pieces", " slices", " positions", " memory MiB", " disk MiB", " time"];
    write!(out, "\n{}", terminal::table(&heading, &rows))?;
    let slices: Vec<Slice> = plan.tasks.iter().map(|task| task.slice).collect();
    let most = peak_disk(&slices, &plan.db_types, false);
    writeln!(
        out,
        "\n'egdb build' takes about {} MiB of disk at a time, databases included, as work files go \
         when nothing needs them any more.",
        most.div_ceil(MIB)
    )
}

/// A slice to build.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct TaskRecord {
    slice: String,
    /// The slices that it needs.
    needs: Vec<String>,
    positions: u64,
    /// With all its look-ups in memory.
    memory_bytes: u64,
    /// The least, with smaller slices read from their files.
    least_memory_bytes: u64,
    disk_bytes: u64,
    seconds: f64,
    /// Whether it needs more memory than the limit.
    out_of_core: bool,
}

impl Record for TaskRecord {
    const TYPE: &'static str = "task";
}

fn records(out: &mut impl Write, plan: &Plan) -> Result<(), Failure> {
    for task in &plan.tasks {
        let record = TaskRecord {
            slice: task.slice.to_string(),
            needs: task.needs.iter().map(Slice::to_string).collect(),
            positions: task.positions,
            memory_bytes: task.memory,
            least_memory_bytes: task.least_memory,
            disk_bytes: task.disk,
            seconds: json::seconds(task.seconds),
            out_of_core: plan.is_out_of_core(task),
        };
        json::write(out, &record)?;
    }
    Ok(())
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
