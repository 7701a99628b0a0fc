//! `meerslag egdb build`, `build-slice` and `pack`.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ::egdb::{DbType, Slice};
use anyhow::{Context, anyhow};
use clap::{ArgGroup, Args, ValueEnum};
use egdb_build::builder::{
    BuildError, BuildEvent, BuildOptions, BuildReport, Builder, Usage, build_order, slices_to_build,
};
use egdb_build::plan::peak_disk;
use egdb_build::survey::SideSurvey;
use indicatif::{MultiProgress, ProgressBar};
use meerslag_files::with_causes;
use movegen::words::counted;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::interrupt::Interrupt;
use super::super::json::{self, Record};
use super::super::progress::style;
use super::super::streams::stdout;
use super::super::{Failure, files, mebibytes};
use super::stats::SurveyRecord;

const EXAMPLES: &str = "\
Examples:
  meerslag egdb build --pieces 4 --out db
  meerslag egdb build --pieces 5 --out db --types wld --memory 2G
  meerslag egdb build --pieces 5 --out db --resume
  meerslag egdb build --slices 3010,2020 --out some
  nice meerslag egdb build --pieces 7 --out db7 --types compact --memory 14G --disk 60G --resume

Builds all positions up to a number of pieces and writes them in the Kingsrow layout: \
win/loss/draw (version 2), distance to conversion, distance to win. Each file has a side file \
'*.sum' with its checksums. Solved slices are kept in DIR/work until nothing needs them; after Ctrl-C or a crash \
the same command with --resume verifies what is there and continues in the middle of the slice. \
DIR/build.jsonl is a log, one JSON object a line; with 'compact' it has the counts of wins, losses and draws.

Check the result with 'meerslag egdb check --egdb DIR'.";

/// Build databases from scratch
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, group(ArgGroup::new("what").required(true)))]
pub(super) struct BuildArgs {
    /// Build everything up to this number of pieces
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=8),
          group = "what")]
    pieces: Option<u8>,
    /// Build these slices and those that they need, such as 2110,2020; from 6 pieces on everything
    /// up to 5 as well, which is one file for each number of pieces
    #[arg(long, value_name = "LIST", value_delimiter = ',', group = "what")]
    slices: Vec<Slice>,
    /// Leave all work files, about an eighth of a byte a position for win/loss/draw; otherwise each
    /// is removed when no longer needed
    #[arg(long)]
    keep_work: bool,
    /// Most disk space for everything in the folder, in MiB or such as 60G; refused beforehand if
    /// it is too little
    #[arg(long, value_name = "SIZE", value_parser = mebibytes)]
    disk: Option<u64>,
    /// Stop after this many hours; the same command with --resume continues
    #[arg(long, value_name = "HOURS", value_parser = hours)]
    hours: Option<f64>,
    /// Continue with a build that was interrupted, or add to a finished one
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    common: Common,
}

/// Options that the three commands share.
#[derive(Args, Debug)]
struct Common {
    /// The folder of the database; made if it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// What to write
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',',
          default_values_t = [BuildType::Wld, BuildType::Mtc, BuildType::Dtw])]
    types: Vec<BuildType>,
    /// Threads; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "0",
          value_parser = super::super::threads::<1024>)]
    threads: usize,
    /// Most memory to use, in MiB or such as 512M or 8G; by default three quarters of what is free
    #[arg(long, value_name = "SIZE", value_parser = mebibytes)]
    memory: Option<u64>,
    /// Print events as JSON lines instead of text
    #[arg(long)]
    json: bool,
}

const SLICE_EXAMPLES: &str = "\
Example:
  meerslag egdb build-slice --slice 2110 --out /shared/db

Solves one slice into DIR/work/2110.raw. The slices that it leads to must be there; 'meerslag egdb
plan' lists them and writes workflows that run everything in order on many machines. Does nothing
when the file is there and sound, so it may be run again at any time.";

/// Solve one slice of a build that several processes share
#[derive(Args, Debug)]
#[command(after_help = SLICE_EXAMPLES)]
pub(super) struct SliceArgs {
    /// The slice: black men, black kings, white men, white kings
    #[arg(long)]
    slice: Slice,
    #[command(flatten)]
    common: Common,
}

const PACK_EXAMPLES: &str = "\
Example:
  meerslag egdb pack --pieces 4 --out /shared/db
  meerslag egdb pack --slice 3210 --out /shared/db

Writes the files of one piece count, or from 6 pieces on of one slice, from the slices in DIR/work,
then the mark DIR/work/packed-N. Does nothing for files that are there and agree with their checksums.";

/// Write the files of a piece count, or of a slice, from slices solved by build-slice
#[derive(Args, Debug)]
#[command(after_help = PACK_EXAMPLES, group(ArgGroup::new("what").required(true)))]
pub(super) struct PackArgs {
    /// The piece count
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=8),
          group = "what")]
    pieces: Option<u8>,
    /// The slice, if it has files of its own
    #[arg(long, group = "what")]
    slice: Option<Slice>,
    #[command(flatten)]
    common: Common,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BuildType {
    /// Win/loss/draw, version 2
    Wld,
    /// Win/loss/draw in the compact format of this program, up to 7 pieces
    Compact,
    /// Distance to conversion
    Mtc,
    /// Distance to win
    Dtw,
    /// Wins under the draw rules that count moves, up to 7 pieces; takes as long again
    Rules,
}

impl BuildType {
    /// Those of a list in the order of all, each once.
    pub(super) fn in_order(list: &[BuildType]) -> Vec<DbType> {
        let all = BuildType::value_variants().iter();
        all.filter(|it| list.contains(it)).map(|it| it.db_type()).collect()
    }

    const fn db_type(self) -> DbType {
        match self {
            BuildType::Wld => DbType::Wld2,
            BuildType::Compact => DbType::Compact,
            BuildType::Mtc => DbType::Mtc,
            BuildType::Dtw => DbType::Dtw,
            BuildType::Rules => DbType::Rules,
        }
    }
}

impl Common {
    fn options(&self) -> BuildOptions {
        let mut options = BuildOptions { threads: self.threads, ..BuildOptions::default() };
        options.types = BuildType::in_order(&self.types);
        if let Some(memory) = self.memory {
            options.memory = memory << 20;
        }
        options
    }
}

/// A number of hours above 0.
fn hours(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(hours) if hours > 0.0 && hours < 1e6 => Ok(hours),
        _ => Err("expected a number of hours above 0".into()),
    }
}

pub(super) fn run(args: &BuildArgs) -> Result<(), Failure> {
    let options = BuildOptions {
        resume: args.resume,
        keep_work: args.keep_work,
        disk: args.disk.map(|mebibytes| mebibytes << 20),
        ..args.common.options()
    };
    let all: Vec<Slice> = match args.pieces {
        Some(pieces) => (2..=pieces).flat_map(build_order).collect(),
        None => slices_to_build(&args.slices, &options.types),
    };
    if let Some(limit) = options.disk {
        let needed = peak_disk(&all, &options.types, options.keep_work);
        if needed > limit {
            return Err(Failure::Input(anyhow!(
                "the build will take about {} MiB of disk, more than --disk {} MiB",
                needed.div_ceil(1 << 20),
                limit >> 20
            )));
        }
    }
    let positions = all.iter().map(|slice| positions(*slice)).sum();
    let advice = "the same command with --resume continues";
    let end = args.hours.map(|hours| Instant::now() + Duration::from_secs_f64(3600.0 * hours));
    with_display(&args.common, advice, &options, positions, end, |builder| match args.pieces {
        Some(pieces) => builder.build(pieces),
        None => builder.build_slices(&args.slices),
    })
}

pub(super) fn run_slice(args: &SliceArgs) -> Result<(), Failure> {
    let options = BuildOptions { resume: true, ..args.common.options() };
    with_display(&args.common, CONTINUES, &options, positions(args.slice), None, |builder| {
        builder.build_slice(args.slice)
    })
}

pub(super) fn run_pack(args: &PackArgs) -> Result<(), Failure> {
    let options = BuildOptions { resume: true, ..args.common.options() };
    with_display(&args.common, CONTINUES, &options, 0, None, |builder| match args.slice {
        Some(slice) => builder.pack_slice(slice),
        None => builder.pack_only(args.pieces.unwrap_or(0)),
    })?;
    let name = match args.slice {
        Some(slice) => slice.to_string(),
        None => args.pieces.unwrap_or(0).to_string(),
    };
    let mark = args.common.out.join("work").join(format!("packed-{name}"));
    File::create(&mark)
        .with_context(|| format!("cannot write {}", mark.display()))
        .map_err(Failure::Run)?;
    Ok(())
}

/// What to do after an interruption, for commands that always resume.
const CONTINUES: &str = "the same command continues";

fn positions(slice: Slice) -> u64 {
    slice.size() * slice.stored_sides().len() as u64
}

fn with_display(
    common: &Common,
    advice: &'static str,
    options: &BuildOptions,
    positions: u64,
    end: Option<Instant>,
    work: impl FnOnce(Builder<'_>) -> Result<BuildReport, BuildError>,
) -> Result<(), Failure> {
    let interrupt = Interrupt::catch(|| {})?;
    std::fs::create_dir_all(&common.out)
        .with_context(|| format!("cannot make the folder {}", common.out.display()))
        .map_err(Failure::Run)?;
    let display = Display::new(common, advice, positions)?;
    let observer = |event: &BuildEvent| {
        display.show(event);
        !interrupt.is_pressed() && end.is_none_or(|end| Instant::now() < end)
    };
    let result = Builder::new(&common.out, options, &observer).and_then(work);
    display.end(&common.out, result)
}

/// An event of a build.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(in crate::cli) enum BuildRecord {
    /// A slice is solved.
    Slice {
        slice: String,
        positions: u64,
        seconds: f64,
        positions_per_second: f64,
        /// About how many positions were solved now; an earlier build solved the others.
        positions_solved: u64,
        /// Pieces of work files that were read, and their bytes in memory.
        levels_loaded: u64,
        bytes_loaded: u64,
        work_file_bytes: u64,
        /// All files in the folder.
        disk_bytes: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// A work file of an earlier run was used.
    Reused { slice: String },
    /// A work file of an earlier run is damaged; the slice is solved again.
    Discarded { slice: String, reason: String },
    /// A pair of files is written.
    File { database: &'static str, name: String, bytes: u64, seconds: f64 },
    /// A pair of files exists from an earlier run.
    Kept { database: &'static str, name: String },
    /// The build was not finished.
    Error { reason: String },
    /// The build is finished.
    Done {
        positions: u64,
        seconds: f64,
        files: Vec<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
}

impl Record for BuildRecord {
    const TYPE: &'static str = "build";
}

/// Bars on a terminal, a line for each slice and file on standard output, and the log.
struct Display {
    is_json: bool,
    advice: &'static str,
    log_file: Mutex<File>,
    /// Why it is not whole.
    log_error: Mutex<Option<io::Error>>,
    bars: MultiProgress,
    all: ProgressBar,
    slice: ProgressBar,
    start: Instant,
    /// Positions of slices that are done, and of encoders at work.
    done: Mutex<(u64, BTreeMap<&'static str, u64>)>,
}

impl Display {
    fn new(common: &Common, advice: &'static str, positions: u64) -> Result<Display, Failure> {
        let path = common.out.join("build.jsonl");
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .with_context(|| format!("cannot write {}", path.display()))
            .map_err(Failure::Run)?;
        let bars = MultiProgress::new();
        let all = bars.add(ProgressBar::new(positions));
        all.set_style(style("all  {bar:30} {percent:>3} %  {rate}  {eta} left  {msg}"));
        let slice = bars.add(ProgressBar::new(0));
        slice.set_style(style("{prefix} {bar:30} {percent:>3} %  {rate}  {eta} left"));
        Ok(Display {
            is_json: common.json,
            advice,
            log_file: Mutex::new(log),
            log_error: Mutex::default(),
            bars,
            all,
            slice,
            start: Instant::now(),
            done: Mutex::default(),
        })
    }

    fn show(&self, event: &BuildEvent) {
        match event {
            BuildEvent::SliceStarted { slice, positions } => {
                self.slice.reset();
                self.slice.set_length(*positions);
                self.slice.set_prefix(slice.to_string());
            }
            BuildEvent::SliceProgress { done, .. } => {
                self.slice.set_position(*done);
                if let Ok(before) = self.done.lock() {
                    self.all.set_position(before.0 + done);
                }
            }
            BuildEvent::SliceDone(report) => {
                self.add(report.positions);
                let seconds = report.time.as_secs_f64();
                let rate = report.solved as f64 / seconds.max(1e-9);
                let event = BuildRecord::Slice {
                    slice: report.slice.to_string(),
                    positions: report.positions,
                    seconds: json::seconds(seconds),
                    positions_per_second: rate.round(),
                    positions_solved: report.solved,
                    levels_loaded: report.loads.0,
                    bytes_loaded: report.loads.1,
                    work_file_bytes: report.bytes,
                    disk_bytes: report.disk,
                    usage: Usage::now(),
                };
                self.line(&event, || {
                    format!(
                        "{}  {:>13} positions  {seconds:8.2} s  {:6.2} M/s  {:>6} MiB on disk",
                        report.slice,
                        report.positions,
                        rate / 1e6,
                        report.disk.div_ceil(1 << 20)
                    )
                });
            }
            BuildEvent::SliceReused { slice, positions } => {
                self.add(*positions);
                let event = BuildRecord::Reused { slice: slice.to_string() };
                self.line(&event, || format!("{slice}  exists already"));
            }
            BuildEvent::SliceDiscarded { slice, error } => {
                let reason = with_causes(error);
                let event =
                    BuildRecord::Discarded { slice: slice.to_string(), reason: reason.clone() };
                self.line(&event, || format!("{slice}  is built again: {reason}"));
            }
            BuildEvent::PackProgress { db_type, positions } => {
                let Ok(mut done) = self.done.lock() else { return };
                *done.1.entry(short(*db_type)).or_default() += positions;
                let text = done.1.iter().map(|(name, n)| format!("{name} {} M", n / 1_000_000));
                self.all.set_message(text.collect::<Vec<_>>().join(", "));
            }
            BuildEvent::Packed { db_type, stem, bytes, time, counts } => {
                self.forget(*db_type);
                for &counts in counts {
                    self.log(json::to_json(&SurveyRecord::of(&SideSurvey::from(counts))), None);
                }
                let event = BuildRecord::File {
                    database: short(*db_type),
                    name: stem.clone(),
                    bytes: *bytes,
                    seconds: json::seconds(time.as_secs_f64()),
                };
                self.line(&event, || {
                    let kind = db_type.to_string();
                    format!("{stem}  {kind}: {bytes} bytes, {:.2} s", time.as_secs_f64())
                });
            }
            BuildEvent::PackReused { db_type, stem } => {
                let event = BuildRecord::Kept { database: short(*db_type), name: stem.clone() };
                self.line(&event, || format!("{stem}  {db_type}: exists already"));
            }
            _ => {}
        }
    }

    fn add(&self, positions: u64) {
        if let Ok(mut done) = self.done.lock() {
            done.0 += positions;
            self.all.set_position(done.0);
        }
    }

    fn forget(&self, db_type: DbType) {
        if let Ok(mut done) = self.done.lock() {
            done.1.remove(short(db_type));
            if done.1.is_empty() {
                self.all.set_message("");
            }
        }
    }

    /// Writes an event to the log and to standard output.
    fn line(&self, event: &BuildRecord, text: impl FnOnce() -> String) {
        self.log(json::to_json(event), Some(text()));
    }

    /// Writes a line to the log, and to standard output in the form wanted there, if there is one. A
    /// failing log does not stop the work; the command then fails in the end.
    fn log(&self, line: String, text: Option<String>) {
        if let (Ok(mut log), Ok(mut failed)) = (self.log_file.lock(), self.log_error.lock())
            && let Err(error) = writeln!(log, "{line}")
        {
            failed.get_or_insert(error);
        }
        let Some(text) = (if self.is_json { Some(line) } else { text }) else { return };
        self.bars.suspend(|| {
            let _ = writeln!(stdout(), "{text}");
        });
    }

    /// What to do after a failure.
    fn advice(&self, error: &BuildError) -> String {
        match error {
            BuildError::NotEmpty { .. } | BuildError::InUse { .. } => "nothing was done".into(),
            BuildError::Missing { .. } | BuildError::TooLong { .. } => "not finished".into(),
            BuildError::Memory { needed, .. } => {
                let mebibytes = needed.div_ceil(1 << 20);
                format!("not finished; with --memory {mebibytes}MiB {}", self.advice)
            }
            BuildError::Disk { .. } => format!("not finished; with more --disk {}", self.advice),
            _ => format!("not finished; {}", self.advice),
        }
    }

    fn end(&self, dir: &Path, result: Result<BuildReport, BuildError>) -> Result<(), Failure> {
        self.slice.finish_and_clear();
        self.all.finish_and_clear();
        let report = match result {
            Ok(report) => report,
            Err(error) => {
                self.line(&BuildRecord::Error { reason: with_causes(&error) }, || {
                    self.advice(&error)
                });
                return Err(match error {
                    BuildError::NotEmpty { .. }
                    | BuildError::Memory { .. }
                    | BuildError::Disk { .. }
                    | BuildError::InUse { .. } => Failure::input(error),
                    BuildError::Interrupted => {
                        Failure::interrupted(format!("solved slices are kept; {}", self.advice))
                    }
                    _ => Failure::Run(error.into()),
                });
            }
        };
        let positions: u64 = report.slices.iter().map(|slice| slice.positions).sum();
        let seconds = self.start.elapsed().as_secs_f64();
        let files: Vec<String> = report.files.iter().map(|file| super::file_name(file)).collect();
        let usage = Usage::now();
        let count = counted(files.len() as u64, "file");
        let event = BuildRecord::Done { positions, seconds: json::seconds(seconds), files, usage };
        self.line(&event, || {
            let mut text = format!(
                "{}: {positions} positions solved, {count} written, {seconds:.2} s",
                dir.display()
            );
            if let Some(usage) = usage {
                text += &format!(
                    "\npeak memory {} MiB, page faults {} (of them {} from disk), read {} MiB in {} \
                     calls, written {} MiB",
                    usage.peak_resident >> 20,
                    usage.minor_faults + usage.major_faults,
                    usage.major_faults,
                    usage.read_bytes >> 20,
                    usage.read_calls,
                    usage.written_bytes >> 20,
                );
            }
            text
        });
        let failed = self.log_error.lock().ok().and_then(|mut failed| failed.take());
        let path = dir.join("build.jsonl");
        failed.map_or(Ok(()), |error| Err(files::named(&path, &error).into()))
    }
}

pub(super) const fn short(db_type: DbType) -> &'static str {
    match db_type {
        DbType::Compact => "compact",
        DbType::Mtc => "mtc",
        DbType::Dtw => "dtw",
        DbType::Rules => "rules",
        _ => "wld",
    }
}
