//! `meerslag egdb convert`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use ::egdb::identify::{identify_all, is_single};
use anyhow::Context;
use clap::Args;
use egdb_build::convert::{ConvertOptions, Target, convert};

use super::super::databases::{OneDatabaseArgs, PiecesArgs};
use super::super::interrupt::Interrupt;
use super::super::progress::Bar;
use super::super::streams::stdout;
use super::super::{Failure, json};

const EXAMPLES: &str = "\
Examples:
  meerslag egdb convert /data/version1 /data/version2 --to wld2
  meerslag egdb convert /data/egdb /data/small --to compact
  meerslag egdb convert /data/small /data/six.mds --to compact
  meerslag egdb convert /data/egdb /data/bare --to raw --slices 1101,1110
  meerslag egdb convert /data/old /data/new --type dtw --to dtw";

/// Rewrite a database in another format
///
/// Win/loss/draw databases (wld2, compact, wld1, run) can become each other; every type can be
/// written again, or as bare numbers. Compact files hold up to 7 pieces, take less than half the
/// room of wld2 and need a search of a ply or more where the other side could capture.
///
/// A single file, such as six.mds, has everything: index, data and checksums. It can stand wherever a
/// folder of databases can. Slices of six pieces and more have one side to move in it, which makes it
/// less than half as large; positions with the other side to move have their values by a search of
/// one ply.
///
/// Raw files, such as db4-3010-b.raw, hold the positions of a slice and side to move in order of
/// the index: one byte each (0 unknown, 1 win, 2 loss, 3 draw, 255 no value in the format), or for
/// distances two bytes, the lower first (65535: no value in the format).
///
/// Files appear under their names when they are complete; a side file '*.sum' beside each has its
/// checksums (see 'meerslag egdb verify'). Ctrl-C leaves the files finished until then; the same
/// command with --resume makes the others.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ConvertArgs {
    /// The folder of the database, or a single file
    from: PathBuf,
    /// The folder to write to, made if it is not there; or a single file, '.mds'
    into: PathBuf,
    #[command(flatten)]
    options: ConvertOptions,
    /// Print one JSON object at the end instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: OneDatabaseArgs,
    #[command(flatten)]
    pieces: PiecesArgs,
}

pub(super) fn run(args: &ConvertArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::catch(|| {})?;
    let mut database = args.database.clone();
    // Distances can only come from a database of the same type; if there is none, `convert` reports
    // it.
    if let Target::Database(to) = args.options.target
        && !to.is_wld()
        && identify_all(&args.from)?.iter().any(|identity| identity.db_type == to)
    {
        database.db_type.get_or_insert(to);
    }
    let source = Arc::new(database.open(Some(&args.from), &args.pieces.options(&[]))?);
    if !is_single(&args.into) {
        fs::create_dir_all(&args.into)
            .with_context(|| format!("cannot make the folder {}", args.into.display()))
            .map_err(Failure::Run)?;
    }
    // Otherwise the first use of the pool would start it, and panic if there are no threads.
    rayon::ThreadPoolBuilder::new().build_global().map_err(Failure::run)?;
    let bar = Bar::new("positions");
    let converted = convert(&source, &args.into, &args.options, &mut |at| {
        bar.show(at.positions, at.all_positions, || {
            format!("slice {}, {} to move", at.sub.slice, at.sub.side)
        });
        !interrupt.is_pressed()
    })?;
    drop(bar);
    let mut out = stdout();
    if args.json {
        return Ok(json::write(&mut out, &converted)?);
    }
    writeln!(
        out,
        "{} files, {} positions, {} bytes, {:.4} bits a position, {:.1} s",
        converted.files.len(),
        converted.positions,
        converted.bytes,
        converted.bits_per_position,
        converted.seconds
    )?;
    if converted.kept > 0 {
        writeln!(out, "{} files were finished before", converted.kept)?;
    }
    if converted.unknown > 0 {
        writeln!(out, "{} positions without a known value", converted.unknown)?;
    }
    Ok(())
}
