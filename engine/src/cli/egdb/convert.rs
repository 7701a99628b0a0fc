//! `meerslag egdb convert`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use ::egdb::Slice;
use ::egdb::identify::identify_all;
use anyhow::Context;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use egdb_build::convert::{ConvertOptions, Target, convert};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::Failure;
use super::super::databases::{OneDatabaseArgs, db_type_names};
use super::super::interrupt::Interrupt;
use super::super::json::{self, Record};
use super::super::progress::Bar;
use super::super::streams::stdout;
use super::file_name;

const EXAMPLES: &str = "\
Examples:
  meerslag egdb convert /data/version1 /data/version2 --to wld2
  meerslag egdb convert /data/egdb /data/small --to compact
  meerslag egdb convert /data/egdb /data/bare --to raw --slices 1101,1110
  meerslag egdb convert /data/old /data/new --type dtw --to dtw

Win/loss/draw databases (wld2, compact, wld1, run) can become each other; every type can be \
written again, or as bare numbers. Compact files hold up to 7 pieces, take less than half the \
room of wld2 and need a search of a ply or more where the other side could capture.

Raw files, such as db4-3010-b.raw, hold the positions of a slice and side to move in order of \
the index: one byte each (0 unknown, 1 win, 2 loss, 3 draw, 255 no value in the format), or for \
distances two bytes, the lower first (65535: no value in the format).

Files appear under their names when they are complete; a side file '*.sum' beside each has its \
checksums (see 'meerslag egdb verify'). Ctrl-C leaves the files finished until then; the same \
command with --resume makes the others.";

/// Rewrite a database in another format
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ConvertArgs {
    /// The folder of the database
    from: PathBuf,
    /// The folder to write to; made if it is not there
    into: PathBuf,
    /// The format to write
    #[arg(long, value_parser = target())]
    to: Target,
    /// Only these slices, separated by commas, such as 2110,1111
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    slices: Vec<Slice>,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    /// Continue with a conversion that was interrupted: files that it has finished stay
    #[arg(long)]
    resume: bool,
    /// Write no side files with checksums
    #[arg(long)]
    no_checksums: bool,
    /// Print one JSON object at the end instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: OneDatabaseArgs,
}

/// The result of a conversion.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ConvertedDatabase")]
pub(in crate::cli) struct ConversionRecord {
    files: Vec<String>,
    positions: u64,
    bytes: u64,
    bits_per_position: f64,
    /// Positions without a value in the source.
    unknown: u64,
    seconds: f64,
}

impl Record for ConversionRecord {
    const TYPE: &'static str = "conversion";
}

/// The types by their names, and `raw`.
fn target() -> impl TypedValueParser<Value = Target> {
    let raw = PossibleValue::new("raw").help("Bare numbers");
    PossibleValuesParser::new(db_type_names().chain([raw]))
        .map(|name| name.parse().map_or(Target::Raw, Target::Database))
}

pub(super) fn run(args: &ConvertArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::catch(|| {})?;
    // Distances can only come from a database of the same type; if there is none, `convert` reports
    // it.
    let same = match args.to {
        Target::Database(to) if !to.is_wld() => {
            let all = identify_all(&args.from)?;
            all.iter().map(|identity| identity.db_type).find(|&db_type| db_type == to)
        }
        _ => None,
    };
    let source = Arc::new(args.database.open(Some(&args.from), same)?);
    fs::create_dir_all(&args.into)
        .with_context(|| format!("cannot make the folder {}", args.into.display()))
        .map_err(Failure::Run)?;
    let options = ConvertOptions {
        slices: args.slices.clone(),
        overwrite: args.force,
        resume: args.resume,
        checksums: !args.no_checksums,
        ..ConvertOptions::new(args.to)
    };
    // Otherwise the first use of the pool would start it, and panic if there are no threads.
    rayon::ThreadPoolBuilder::new().build_global().map_err(Failure::run)?;
    let bar = Bar::new("positions");
    let converted = convert(&source, &args.into, &options, &mut |at| {
        bar.show(at.positions, at.all_positions, || {
            format!("slice {}, {} to move", at.sub.slice, at.sub.side)
        });
        !interrupt.is_pressed()
    })?;
    let report = ConversionRecord {
        files: converted.files.iter().map(|path| file_name(path)).collect(),
        positions: converted.positions,
        bytes: converted.bytes,
        bits_per_position: json::rounded(
            converted.bytes as f64 * 8.0 / converted.positions.max(1) as f64,
            4,
        ),
        unknown: converted.unknown,
        seconds: json::seconds(bar.elapsed().as_secs_f64()),
    };
    let mut out = stdout();
    if args.json {
        return Ok(json::write(&mut out, &report)?);
    }
    writeln!(
        out,
        "{} files, {} positions, {} bytes, {:.4} bits a position, {:.1} s",
        report.files.len(),
        report.positions,
        report.bytes,
        report.bits_per_position,
        report.seconds
    )?;
    if converted.kept > 0 {
        writeln!(out, "{} files were finished before", converted.kept)?;
    }
    if report.unknown > 0 {
        writeln!(out, "{} positions without a known value", report.unknown)?;
    }
    Ok(())
}
