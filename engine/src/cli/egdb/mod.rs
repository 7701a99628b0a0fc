//! `meerslag egdb`: endgame databases. One module per subcommand, and what they share.

mod bar;
mod bench;
mod build;
mod check;
mod convert;
mod dump;
mod identify;
mod info;
mod meter;
mod plan;
mod probe;
mod selection;
mod stats;
mod verify;

use std::path::{Path, PathBuf};

use ::egdb::convert::ConvertError;
use ::egdb::error::{OpenError, ProbeError, VerifyError};
use ::egdb::identify::identify_all;
use ::egdb::{Backend, Database, DbType, OpenOptions, Probe};
use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};

use super::Failure;

const EXAMPLES: &str = "\
Examples:
  meerslag egdb identify /data/egdb
  meerslag egdb probe --dir /data/wld --dir /data/dtw \"W:WK11:BK2,K6\"
  meerslag egdb verify /data/egdb
  meerslag egdb build --pieces 4 --out /data/own
  meerslag egdb convert /data/version1 /data/version2 --to wld2

Types: wld2 (win/loss/draw, version 2: .idx1 .cpr1), wld1 and run (its predecessors: .idx .cpr),
mtc (distance to conversion: .idx_mtc .cpr_mtc), dtw (distance to win: .idx_dtw .cpr_dtw).
'meerslag egdb COMMAND --help' has examples of each command.";

/// Endgame databases (Kingsrow formats): look up positions, check and convert files
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, disable_help_subcommand = true)]
pub(super) struct EgdbArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Say which databases a folder holds
    Identify(identify::IdentifyArgs),
    /// Open a database and describe its contents
    Info(info::InfoArgs),
    /// Compare files with their checksums
    Verify(verify::VerifyArgs),
    /// Look up positions: value, distances, all moves
    Probe(probe::ProbeArgs),
    /// List positions of a slice with their stored values
    Dump(dump::DumpArgs),
    /// Rewrite a database in another format
    Convert(convert::ConvertArgs),
    /// Derive positions from their successors and compare with the files
    Check(check::CheckArgs),
    /// Count wins, losses and draws of all positions, and find the longest
    Stats(stats::StatsArgs),
    /// Measure lookups of random positions
    Bench(bench::BenchArgs),
    /// Build databases from nothing
    Build(build::BuildArgs),
    /// Solve one slice of a build that several processes share
    BuildSlice(build::SliceArgs),
    /// Write the files of a piece count from slices solved by build-slice
    Pack(build::PackArgs),
    /// List the slices in building order with what they need and cost, or write a workflow
    Plan(plan::PlanArgs),
}

pub(super) fn run(args: &EgdbArgs) -> Result<(), Failure> {
    match &args.command {
        Command::Identify(args) => identify::run(args),
        Command::Info(args) => info::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Probe(args) => probe::run(args),
        Command::Dump(args) => dump::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Check(args) => check::run(args),
        Command::Stats(args) => stats::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Build(args) => build::run(args),
        Command::BuildSlice(args) => build::run_slice(args),
        Command::Pack(args) => build::run_pack(args),
        Command::Plan(args) => plan::run(args),
    }
}

/// The types by the names of the command line.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum TypeName {
    /// Win/loss/draw, version 2
    Wld2,
    /// Win/loss/draw, version 1
    Wld1,
    /// Win/loss/draw, run lengths
    Run,
    /// Distance to conversion
    Mtc,
    /// Distance to win
    Dtw,
}

impl From<TypeName> for DbType {
    fn from(name: TypeName) -> DbType {
        match name {
            TypeName::Wld2 => DbType::Wld2,
            TypeName::Wld1 => DbType::Wld1,
            TypeName::Run => DbType::WldRun,
            TypeName::Mtc => DbType::Mtc,
            TypeName::Dtw => DbType::Dtw,
        }
    }
}

/// The name of a type on the command line and in JSON.
fn short_name(db_type: DbType) -> &'static str {
    match db_type {
        DbType::Wld2 => "wld2",
        DbType::Wld1 => "wld1",
        DbType::WldRun => "run",
        DbType::Mtc => "mtc",
        DbType::Dtw => "dtw",
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum BackendName {
    /// Map the files into memory
    Mmap,
    /// Read blocks into a cache of limited size
    Cache,
}

/// How databases are opened.
#[derive(Args, Clone, Debug)]
struct OpenArgs {
    /// Open files of at most this many pieces
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=9))]
    max_pieces: Option<u8>,
    /// How files are read
    #[arg(long, default_value = "mmap")]
    backend: BackendName,
    /// Memory in MiB: for tables, and with '--backend cache' for everything
    #[arg(long, value_name = "MIB", default_value_t = 1024,
          value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    cache_mb: u32,
}

impl OpenArgs {
    fn options(&self, db_type: Option<DbType>) -> OpenOptions {
        OpenOptions {
            db_type,
            max_pieces: self.max_pieces,
            cache_mb: self.cache_mb as usize,
            backend: match self.backend {
                BackendName::Mmap => Backend::MemoryMap,
                BackendName::Cache => Backend::BlockCache,
            },
            ..OpenOptions::default()
        }
    }

    /// Opens the database of this type, or the only one.
    fn open(&self, dir: &Path, db_type: Option<TypeName>) -> Result<Database, Failure> {
        if db_type.is_none() {
            let all = identify_all(dir)?;
            if all.len() > 1 {
                let names: Vec<_> = all.iter().map(|i| short_name(i.db_type)).collect();
                return Err(Failure::Input(anyhow::anyhow!(
                    "{} holds several databases: choose one with --type ({})",
                    dir.display(),
                    names.join(", ")
                )));
            }
        }
        Ok(Database::open(dir, &self.options(db_type.map(DbType::from)))?)
    }

    /// Opens all databases of the directories; without any those that are part of the program.
    fn open_all(&self, dirs: &[PathBuf]) -> Result<Probe, Failure> {
        if dirs.is_empty() {
            return Ok(Probe::embedded()?);
        }
        Ok(Probe::open(dirs, &self.options(None))?)
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        Failure::Input(anyhow::Error::new(error).context("cannot open the database"))
    }
}

impl From<ProbeError> for Failure {
    fn from(error: ProbeError) -> Failure {
        Failure::run(error)
    }
}

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Failure {
        match error {
            VerifyError::Aborted => Failure::Interrupted,
            error => Failure::run(error),
        }
    }
}

impl From<ConvertError> for Failure {
    fn from(error: ConvertError) -> Failure {
        match error {
            ConvertError::Aborted => Failure::Interrupted,
            ConvertError::Read(_) | ConvertError::Write(_) => Failure::run(error),
            error => Failure::Input(error.into()),
        }
    }
}

/// The length of a file, for reports.
fn file_len(path: &Path) -> Result<u64, Failure> {
    let data = path.metadata();
    let data = data.with_context(|| format!("cannot read {}", path.display()));
    Ok(data.map_err(Failure::Run)?.len())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
