//! `meerslag book check`.

use std::io::Write;

use anyhow::anyhow;
use clap::Args;
use movegen::words::counted;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::Failure;
use super::super::json::{self, Record};
use super::super::streams::stdout;

/// Check that every move is legal, every position reachable and every score consistent
///
/// Exit status 1 if something is wrong.
#[derive(Args, Debug)]
pub(super) struct CheckArgs {
    /// The book; without it the program's own
    #[arg(value_name = "FILE", default_value = "", hide_default_value = true)]
    file: String,
    /// Stop after this number of complaints
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// The faults of a book.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct BookCheckRecord {
    /// The book.
    file: String,
    /// Positions in it.
    positions: usize,
    /// Moves in it.
    book_moves: usize,
    /// The faults, in words for people; empty if there are none.
    faults: Vec<String>,
}

impl Record for BookCheckRecord {
    const TYPE: &'static str = "book_check";
}

pub(super) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let book = super::named(&args.file)?;
    let faults = meerslag_book::check(&book, args.most.max(1));
    let record = BookCheckRecord {
        file: book.path().display().to_string(),
        positions: book.len(),
        book_moves: book.move_count(),
        faults: faults.iter().map(ToString::to_string).collect(),
    };
    let mut out = stdout();
    if args.json {
        json::write(&mut out, &record)?;
    } else if record.faults.is_empty() {
        let (positions, moves) =
            (counted(book.len(), "position"), counted(book.move_count(), "move"));
        writeln!(out, "{positions} and {moves}: no faults")?;
    } else {
        for fault in &record.faults {
            writeln!(out, "{fault}")?;
        }
    }
    if record.faults.is_empty() {
        return Ok(());
    }
    Err(Failure::Run(anyhow!("{} has faults", record.file)))
}
