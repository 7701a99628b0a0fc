//! `meerslag egdb`: endgame databases. One module per subcommand, and their shared code.

mod bench;
#[cfg(feature = "builder")]
mod build;
#[cfg(feature = "builder")]
mod check;
#[cfg(feature = "builder")]
mod convert;
mod dump;
mod identify;
mod info;
#[cfg(feature = "builder")]
mod plan;
mod probe;
#[cfg(feature = "builder")]
mod stats;
mod verify;

use std::path::Path;

use ::egdb::error::{OpenError, ProbeError, VerifyError};
use anyhow::Context;
use clap::{Args, Subcommand};
#[cfg(feature = "builder")]
use egdb_build::convert::ConvertError;

pub(super) use self::bench::LookupsRecord;
pub(super) use self::dump::ValueRecord;
pub(super) use self::identify::IdentityRecord;
pub(super) use self::info::DatabaseRecord;
pub(super) use self::probe::{ErrorRecord, beyond};
pub(super) use self::verify::FileRecord;
use super::Failure;
use super::failure::Ends;

const EXAMPLES: &str = "\
Examples:
  meerslag egdb identify --egdb /data/egdb
  meerslag egdb probe --egdb /data/wld --egdb /data/dtw \"W:WK11:BK2,K6\"
  meerslag egdb verify --egdb /data/egdb
  meerslag egdb build --pieces 4 --out /data/own
  meerslag egdb convert /data/version1 /data/version2 --to wld2

Types: wld2 (win/loss/draw, version 2: .idx1 .cpr1), wld1 and run (its predecessors: .idx .cpr), \
compact (win/loss/draw up to 7 pieces, of this program: .mdi .mdb), mtc (distance to conversion: \
.idx_mtc .cpr_mtc), dtw (distance to win: .idx_dtw .cpr_dtw). \
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
    #[cfg(feature = "builder")]
    Convert(convert::ConvertArgs),
    /// Derive positions from their successors and compare with the files
    #[cfg(feature = "builder")]
    Check(check::CheckArgs),
    /// Count wins, losses and draws of all positions, and find the longest
    #[cfg(feature = "builder")]
    Stats(stats::StatsArgs),
    /// Measure lookups of random positions
    Bench(bench::BenchArgs),
    /// Build databases from scratch
    #[cfg(feature = "builder")]
    Build(build::BuildArgs),
    /// Solve one slice of a build that several processes share
    #[cfg(feature = "builder")]
    BuildSlice(build::SliceArgs),
    /// Write the files of a piece count from slices solved by build-slice
    #[cfg(feature = "builder")]
    Pack(build::PackArgs),
    /// List the slices in building order with what they need and cost, or write a workflow
    #[cfg(feature = "builder")]
    Plan(plan::PlanArgs),
}

pub(super) fn run(args: &EgdbArgs) -> Result<(), Failure> {
    match &args.command {
        Command::Identify(args) => identify::run(args),
        Command::Info(args) => info::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Probe(args) => probe::run(args),
        Command::Dump(args) => dump::run(args),
        #[cfg(feature = "builder")]
        Command::Convert(args) => convert::run(args),
        #[cfg(feature = "builder")]
        Command::Check(args) => check::run(args),
        #[cfg(feature = "builder")]
        Command::Stats(args) => stats::run(args),
        Command::Bench(args) => bench::run(args),
        #[cfg(feature = "builder")]
        Command::Build(args) => build::run(args),
        #[cfg(feature = "builder")]
        Command::BuildSlice(args) => build::run_slice(args),
        #[cfg(feature = "builder")]
        Command::Pack(args) => build::run_pack(args),
        #[cfg(feature = "builder")]
        Command::Plan(args) => plan::run(args),
    }
}

impl Ends for OpenError {
    fn failure(self) -> Failure {
        Failure::Input(anyhow::Error::new(self).context("cannot open the database"))
    }
}

impl Ends for ProbeError {}

/// The rest of an interrupted comparison.
const FILES_SO_FAR: &str = "files that are not named were not compared";

impl Ends for VerifyError {
    fn failure(self) -> Failure {
        match self {
            VerifyError::Aborted => Failure::interrupted(FILES_SO_FAR),
            error => Failure::run(error),
        }
    }
}

#[cfg(feature = "builder")]
impl Ends for ConvertError {
    fn failure(self) -> Failure {
        match self {
            ConvertError::Aborted => Failure::interrupted(
                "files that are finished are kept; the same command with --resume continues",
            ),
            ConvertError::Exists { .. } => Failure::Input(anyhow::anyhow!(
                "{self}; --resume continues with an interrupted conversion, --force replaces files"
            )),
            ConvertError::Read(_) | ConvertError::Write(_) => Failure::run(self),
            error => Failure::input(error),
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
