//! `meerslag egdb info`.

use std::io::Write;

use ::egdb::Database;
use ::egdb::SubId;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::Failure;
use super::super::databases::{FolderArgs, OneDatabaseArgs, PiecesArgs};
use super::super::json::{self, Record};
use super::super::streams::{only_print, stdout};
use super::{file_len, file_name};

const EXAMPLES: &str = "\
Examples:
  meerslag egdb info --egdb /data/egdb
  meerslag egdb info --egdb /data/egdb --type mtc --egdb-pieces 5 --slices

A slice is written as four digits: black men, black kings, white men, white kings. Of a slice \
and its twin with colours exchanged the files hold one; some hold one side to move only.";

/// Open a database and describe its contents
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct InfoArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// Also list all slices
    #[arg(long)]
    slices: bool,
    /// Print JSON objects, one a line for each database, instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    database: OneDatabaseArgs,
    #[command(flatten)]
    pieces: PiecesArgs,
}

/// An opened database.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct DatabaseRecord {
    dir: String,
    /// `wld2`, `compact`, `wld1`, `run`, `mtc`, `dtw` or `rules`.
    database: &'static str,
    max_pieces: u8,
    max_pieces_one_side: u8,
    genuine: bool,
    positions: u64,
    bytes: u64,
    bits_per_position: f64,
    index_memory_bytes: usize,
    pieces: Vec<PieceCount>,
    files: Vec<FileEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    slices: Vec<SliceEntry>,
}

impl Record for DatabaseRecord {
    const TYPE: &'static str = "database";
}

#[derive(Serialize, JsonSchema)]
struct PieceCount {
    pieces: u8,
    slices: usize,
    positions: u64,
}

#[derive(Serialize, JsonSchema)]
struct FileEntry {
    name: String,
    bytes: u64,
}

#[derive(Serialize, JsonSchema)]
struct SliceEntry {
    slice: String,
    /// The sides to move that are stored: `B`, `W` or `BW`.
    sides: String,
    positions: u64,
}

pub(super) fn run(args: &InfoArgs) -> Result<(), Failure> {
    only_print();
    let dir = &args.folder.dir;
    if args.database.db_type.is_some() {
        return describe(args, &args.database.open(Some(dir), &args.pieces.options(&[]))?);
    }
    let probe = args.pieces.options(std::slice::from_ref(dir)).open()?;
    for (number, database) in probe.databases().iter().enumerate() {
        if number > 0 && !args.json {
            writeln!(stdout())?;
        }
        describe(args, database)?;
    }
    Ok(())
}

fn describe(args: &InfoArgs, database: &Database) -> Result<(), Failure> {
    let contents = database.contents();
    let positions = |ids: &[SubId]| ids.iter().map(|&id| database.sub_size(id)).sum::<u64>();
    let slices: Vec<&[SubId]> = contents.chunk_by(|a, b| a.slice == b.slice).collect();
    let piece_counts = (2..=database.max_pieces()).map(|pieces| {
        let slices = slices.iter().filter(|ids| ids[0].slice.pieces() == pieces);
        let (count, positions) = (slices.clone().count(), slices.map(|ids| positions(ids)).sum());
        PieceCount { pieces, slices: count, positions }
    });
    let slice_entry = |ids: &&[SubId]| {
        let mut sides: Vec<char> = ids.iter().map(|id| id.side.letter()).collect();
        sides.dedup();
        SliceEntry {
            slice: ids[0].slice.to_string(),
            sides: sides.into_iter().collect(),
            positions: positions(ids),
        }
    };
    let mut files = Vec::new();
    for path in database.files() {
        files.push(FileEntry { name: file_name(&path), bytes: file_len(&path)? });
    }
    let positions = positions(&contents);
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let report = DatabaseRecord {
        dir: args.folder.dir.display().to_string(),
        database: database.db_type().name(),
        max_pieces: database.max_pieces(),
        max_pieces_one_side: database.max_pieces_one_side(),
        genuine: database.is_genuine(),
        positions,
        bytes,
        bits_per_position: json::rounded(bytes as f64 * 8.0 / positions.max(1) as f64, 4),
        index_memory_bytes: database.memory().index,
        pieces: piece_counts.collect(),
        files,
        slices: slices.iter().filter(|_| args.slices).map(slice_entry).collect(),
    };
    let mut out = stdout();
    if args.json {
        return Ok(json::write(&mut out, &report)?);
    }
    writeln!(out, "{} ({}) in {}", database.db_type(), report.database, report.dir)?;
    let genuine = if report.genuine { "; genuine Kingsrow files" } else { "" };
    let (most, one_side) = (report.max_pieces, report.max_pieces_one_side);
    writeln!(
        out,
        "up to {most} pieces, {one_side} on a side{genuine}\n\npieces  slices  positions"
    )?;
    for count in &report.pieces {
        writeln!(out, "{:6}  {:6}  {}", count.pieces, count.slices, count.positions)?;
    }
    writeln!(out)?;
    for file in &report.files {
        writeln!(out, "{:<20} {:>15} bytes", file.name, file.bytes)?;
    }
    writeln!(
        out,
        "\n{positions} positions in {bytes} bytes: {:.4} bits a position; {:.1} MiB of memory for indices",
        report.bits_per_position,
        report.index_memory_bytes as f64 / f64::from(1 << 20)
    )?;
    if args.slices {
        writeln!(out, "\nslice  sides  positions")?;
        for slice in &report.slices {
            writeln!(out, "{:<5}  {:<5}  {}", slice.slice, slice.sides, slice.positions)?;
        }
    }
    Ok(())
}
