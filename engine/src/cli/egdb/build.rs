//! `meerslag egdb build`, `build-slice` and `pack`.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use ::egdb::{DbType, Slice};
use anyhow::{Context, anyhow};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args};
use egdb_build::builder::{
    BuildError, BuildEvent, BuildOptions, BuildReport, Builder, WRITTEN_TYPES, build_order,
    positions, slices_to_build, written_name,
};
use egdb_build::plan::peak_disk;
use egdb_build::survey::SideSurvey;
use indicatif::{MultiProgress, ProgressBar};
use meerslag_files::with_causes;
use parking_lot::Mutex;

use super::super::interrupt::Interrupt;
use super::super::json::to_json;
use super::super::progress::style;
use super::super::source::VariantArgs;
use super::super::streams::stdout;
use super::super::{Failure, files, mebibytes};

const EXAMPLES: &str = "\
Examples:
  meerslag egdb build --pieces 4 --out db
  meerslag egdb build --pieces 5 --out db --types wld --memory 2G
  meerslag egdb build --pieces 5 --out db --resume
  meerslag egdb build --slices 3010,2020 --out some
  meerslag egdb build --variant killer --pieces 4 --out db
  nice meerslag egdb build --pieces 7 --out db7 --types compact --memory 14G --disk 60G --resume

Check the result with 'meerslag egdb check --egdb DIR'.";

/// Build databases from scratch
///
/// Builds all positions up to a number of pieces and writes them in the Kingsrow layout:
/// win/loss/draw (version 2), distance to conversion, distance to win. Each file has a side file
/// '*.sum' with its checksums. Solved slices are kept in DIR/work until nothing needs them; after
/// Ctrl-C or a crash the same command with --resume verifies what is there and continues in the
/// middle of the slice. DIR/build.jsonl is a log, one JSON object a line; with 'compact' it has the
/// counts of wins, losses and draws.
///
/// Databases of Killer have names of their own ('killer-db4.idx1'), so they may lie in the same folder.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, group(ArgGroup::new("what").required(true)))]
pub(super) struct BuildArgs {
    /// Build everything up to this number of pieces
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=8),
          group = "what")]
    pieces: Option<u8>,
    /// Build these slices and those that they need, such as 2110,2020; the files of up to 5 pieces,
    /// one for each number, hold just these. From 6 pieces on everything up to 5 is built as well
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
    variant: VariantArgs,
    #[command(flatten)]
    common: Common,
}

/// Options that the three commands share.
#[derive(Args, Debug)]
struct Common {
    /// The folder of the database; made if it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    types: TypesArgs,
    /// Threads; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "0",
          value_parser = super::super::threads::<1024>)]
    threads: usize,
    /// Most memory to use, in MiB or such as 512M or 8G; by default three quarters of what is free
    #[arg(long, value_name = "SIZE", value_parser = mebibytes)]
    memory: Option<u64>,
    /// Print events as JSON lines instead of text, and how far it is once a minute
    #[arg(long)]
    json: bool,
}

/// What to build.
#[derive(Args, Debug)]
pub(super) struct TypesArgs {
    /// What to write: win/loss/draw (version 2), or compact up to 7 pieces; distances to conversion
    /// and to the end; wins under the draw rules that count moves, which take as long again
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = build_type(),
          default_values = ["wld", "mtc", "dtw"])]
    types: Vec<DbType>,
}

fn build_type() -> impl TypedValueParser<Value = DbType> {
    PossibleValuesParser::new(WRITTEN_TYPES.map(|it| it.0)).try_map(|name| {
        WRITTEN_TYPES.into_iter().find(|it| it.0 == name).map(|it| it.1).ok_or("no such type")
    })
}

impl TypesArgs {
    /// Those of the list in the order of all, each once.
    pub(super) fn in_order(&self) -> Vec<DbType> {
        let all = WRITTEN_TYPES.iter().map(|it| it.1);
        all.filter(|it| self.types.contains(it)).collect()
    }
}

impl Common {
    fn options(&self) -> BuildOptions {
        let default = BuildOptions::default();
        BuildOptions {
            types: self.types.in_order(),
            threads: self.threads,
            memory: self.memory.map_or(default.memory, |memory| memory << 20),
            resume: true,
            ..default
        }
    }
}

const SLICE_EXAMPLES: &str = "\
Example:
  meerslag egdb build-slice --slice 2110 --out /shared/db";

/// Solve one slice of a build that several processes share
///
/// Solves one slice into DIR/work/2110.raw. The slices that it leads to must be there; 'meerslag egdb
/// plan' lists them and writes workflows that run everything in order on many machines. Does nothing
/// when the file is there and sound, so it may be run again at any time.
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
  meerslag egdb pack --slice 3210 --out /shared/db";

/// Write the files of a piece count, or of a slice, from slices solved by build-slice
///
/// Writes the files of one piece count, or from 6 pieces on of one slice, from the slices in DIR/work,
/// then the mark DIR/work/packed-N. Does nothing for files that are there and agree with their
/// checksums.
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
        variant: args.variant.variant,
        ..args.common.options()
    };
    let wanted = match args.pieces {
        Some(pieces) => (2..=pieces).flat_map(build_order).collect(),
        None => args.slices.clone(),
    };
    let all = slices_to_build(&wanted, &options.types);
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
    let work = BuildWork {
        common: &args.common,
        options: &options,
        positions: all.iter().map(|slice| positions(*slice)).sum(),
        end: args.hours.map(|hours| Instant::now() + Duration::from_secs_f64(3600.0 * hours)),
        advice: "the same command with --resume continues",
    };
    work.run(|builder| builder.build_slices(&all))
}

pub(super) fn run_slice(args: &SliceArgs) -> Result<(), Failure> {
    let options = args.common.options();
    let work = BuildWork {
        positions: positions(args.slice),
        ..BuildWork::resuming(&args.common, &options)
    };
    work.run(|builder| builder.build_slice(args.slice))
}

pub(super) fn run_pack(args: &PackArgs) -> Result<(), Failure> {
    BuildWork::resuming(&args.common, &args.common.options()).run(|builder| match args.slice {
        Some(slice) => builder.pack_slice(slice),
        None => builder.pack_only(args.pieces.unwrap_or(0)),
    })
}

/// Something that a builder does.
struct BuildWork<'a> {
    common: &'a Common,
    options: &'a BuildOptions,
    /// The positions to solve.
    positions: u64,
    /// When to stop.
    end: Option<Instant>,
    /// What to do after an interruption.
    advice: &'static str,
}

impl<'a> BuildWork<'a> {
    /// Of a command that always resumes.
    fn resuming(common: &'a Common, options: &'a BuildOptions) -> BuildWork<'a> {
        BuildWork { common, options, positions: 0, end: None, advice: "the same command continues" }
    }

    fn run(
        &self,
        work: impl FnOnce(Builder<'_>) -> Result<BuildReport, BuildError>,
    ) -> Result<(), Failure> {
        let interrupt = Interrupt::catch(|| {})?;
        let dir = &self.common.out;
        fs::create_dir_all(dir)
            .with_context(|| format!("cannot make the folder {}", dir.display()))
            .map_err(Failure::Run)?;
        let display = Display::new(dir, self.common.json, self.positions)?;
        let observer = |event: &BuildEvent| {
            display.show(event);
            !interrupt.is_pressed() && self.end.is_none_or(|end| Instant::now() < end)
        };
        let (ended, end) = mpsc::channel::<()>();
        let result = thread::scope(|scope| {
            let display = &display;
            // Without a thread the work is done all the same, in silence.
            let _ = thread::Builder::new().spawn_scoped(scope, move || {
                while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(SILENCE) {
                    display.say_progress();
                }
            });
            let result = Builder::new(dir, self.options, &observer).and_then(work);
            drop(ended);
            result
        });
        display.slice.finish_and_clear();
        display.all.finish_and_clear();
        match result {
            Ok(report) => {
                display
                    .line(&BuildEvent::Done(report), |text| format!("{}: {text}", dir.display()));
                let failed = display.log_error.into_inner();
                failed.map_or(Ok(()), |error| Err(files::named(&log_file(dir), &error).into()))
            }
            Err(error) => {
                let event = BuildEvent::Error { reason: with_causes(&error) };
                display.line(&event, |_| self.advice(&error));
                Err(self.failure(error))
            }
        }
    }

    /// What to do after a failure.
    fn advice(&self, error: &BuildError) -> String {
        match error {
            BuildError::NotEmpty { .. }
            | BuildError::InUse { .. }
            | BuildError::Part { .. }
            | BuildError::Variant { .. } => "nothing was done".into(),
            BuildError::Missing { .. } | BuildError::TooLong { .. } => "not finished".into(),
            BuildError::Memory { needed, .. } => {
                let mebibytes = needed.div_ceil(1 << 20);
                format!("not finished; with --memory {mebibytes}MiB {}", self.advice)
            }
            BuildError::Disk { .. } => format!("not finished; with more --disk {}", self.advice),
            _ => format!("not finished; {}", self.advice),
        }
    }

    fn failure(&self, error: BuildError) -> Failure {
        match error {
            BuildError::NotEmpty { .. }
            | BuildError::Memory { .. }
            | BuildError::Disk { .. }
            | BuildError::Part { .. }
            | BuildError::Variant { .. }
            | BuildError::InUse { .. } => Failure::input(error),
            BuildError::Interrupted => {
                Failure::interrupted(format!("solved slices are kept; {}", self.advice))
            }
            _ => Failure::Run(error.into()),
        }
    }
}

/// How long the log and JSON say nothing, at most.
const SILENCE: Duration = Duration::from_secs(60);

fn log_file(dir: &Path) -> PathBuf {
    dir.join("build.jsonl")
}

/// Bars on a terminal, a line for each slice and file on standard output, and the log.
struct Display {
    is_json: bool,
    log: Mutex<File>,
    /// Why the log is not whole.
    log_error: Mutex<Option<io::Error>>,
    bars: MultiProgress,
    all: ProgressBar,
    slice: ProgressBar,
    /// Positions of slices that are done, and of encoders at work.
    done: Mutex<(u64, BTreeMap<&'static str, u64>)>,
    /// The last event of progress.
    progress: Mutex<Option<String>>,
}

impl Display {
    fn new(dir: &Path, is_json: bool, positions: u64) -> Result<Display, Failure> {
        let path = log_file(dir);
        let log = OpenOptions::new().create(true).append(true).open(&path);
        let log = log.with_context(|| format!("cannot write {}", path.display()));
        let bars = MultiProgress::new();
        let all = bars.add(ProgressBar::new(positions));
        all.set_style(style("all  {bar:30} {percent:>3} %  {rate}  {eta} left  {msg}"));
        let slice = bars.add(ProgressBar::new(0));
        slice.set_style(style("{prefix} {bar:30} {percent:>3} %  {rate}  {eta} left"));
        Ok(Display {
            is_json,
            log: Mutex::new(log.map_err(Failure::Run)?),
            log_error: Mutex::default(),
            bars,
            all,
            slice,
            done: Mutex::default(),
            progress: Mutex::default(),
        })
    }

    fn show(&self, event: &BuildEvent) {
        match event {
            BuildEvent::SliceStarted { slice, positions } => {
                self.slice.reset();
                self.slice.set_length(*positions);
                self.slice.set_prefix(slice.to_string());
                return;
            }
            BuildEvent::SliceProgress { done, .. } => {
                *self.progress.lock() = Some(to_json(event));
                self.slice.set_position(*done);
                self.all.set_position(self.done.lock().0 + done);
                return;
            }
            BuildEvent::PackProgress { db_type, done, .. } => {
                *self.progress.lock() = Some(to_json(event));
                self.packing(|encoders| {
                    encoders.insert(written_name(*db_type), *done);
                });
                return;
            }
            BuildEvent::SliceDone(report) => self.add(report.positions),
            BuildEvent::SliceReused { positions, .. } => self.add(*positions),
            BuildEvent::Packed { db_type, counts, .. } => {
                self.packing(|encoders| {
                    encoders.remove(written_name(*db_type));
                });
                for &counts in counts {
                    self.write(to_json(&SideSurvey::from(counts)), None);
                }
            }
            _ => {}
        }
        self.line(event, |text| text);
    }

    /// Repeats the last event of progress, for the log and for JSON.
    fn say_progress(&self) {
        if let Some(line) = self.progress.lock().clone() {
            self.write(line, None);
        }
    }

    /// Counts positions of a slice that is there.
    fn add(&self, positions: u64) {
        let mut done = self.done.lock();
        done.0 += positions;
        self.all.set_position(done.0);
    }

    /// Changes and shows the positions that encoders have had.
    fn packing(&self, change: impl FnOnce(&mut BTreeMap<&'static str, u64>)) {
        let encoders = &mut self.done.lock().1;
        change(encoders);
        let text = encoders.iter().map(|(name, n)| format!("{name} {} M", n / 1_000_000));
        self.all.set_message(text.collect::<Vec<_>>().join(", "));
    }

    /// Writes an event to the log and to standard output.
    fn line(&self, event: &BuildEvent, text: impl FnOnce(String) -> String) {
        self.write(to_json(event), Some(text(event.to_string())));
    }

    /// Writes a line to the log, and to standard output in the form wanted there, if there is one. A
    /// failing log does not stop the work; the command then fails in the end.
    fn write(&self, line: String, text: Option<String>) {
        if let Err(error) = writeln!(self.log.lock(), "{line}") {
            self.log_error.lock().get_or_insert(error);
        }
        let Some(text) = (if self.is_json { Some(line) } else { text }) else { return };
        self.bars.suspend(|| {
            let _ = writeln!(stdout(), "{text}");
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_says_how_far_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let display = Display::new(dir.path(), false, 100).unwrap();
        let said = || fs::read_to_string(log_file(dir.path())).unwrap();
        display.say_progress();
        let slice = "0302".parse().unwrap();
        display.show(&BuildEvent::SliceProgress { slice, done: 7, positions: 100 });
        assert_eq!(said(), "");
        display.say_progress();
        display.show(&BuildEvent::PackProgress {
            db_type: DbType::Compact,
            stem: "db5".into(),
            done: 9,
        });
        display.say_progress();
        let (said, mut lines) = (said(), Vec::new());
        lines.extend(said.lines());
        assert_eq!(lines.len(), 2, "{said}");
        assert!(lines[0].contains(r#""event":"solving","slice":"0302","done":7,"positions":100"#));
        assert!(
            lines[1].contains(r#""event":"writing","database":"compact","name":"db5","done":9"#)
        );
    }
}
