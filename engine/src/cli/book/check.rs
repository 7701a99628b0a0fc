//! `meerslag book check`.

use std::io::{self, Write};

use anyhow::anyhow;
use clap::Args;
use meerslag_engine::book;

use super::super::Failure;

/// Check that every move is legal, every position reachable and every score consistent
///
/// Exit status 1 if something is wrong.
#[derive(Args, Debug)]
pub(super) struct CheckArgs {
    /// The book; without it that of the program
    #[arg(value_name = "FILE", default_value = "", hide_default_value = true)]
    file: String,
    /// Stop after this number of complaints
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
}

pub(super) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let book = super::named(&args.file)?;
    let faults = book::check(&book, args.most.max(1));
    let mut out = io::stdout().lock();
    for fault in &faults {
        writeln!(out, "{fault}")?;
    }
    if !faults.is_empty() {
        let path = book.path().display();
        return Err(Failure::Run(anyhow!("{path} is not as a book should be")));
    }
    let (positions, moves) = (book.len(), book.move_count());
    writeln!(out, "{positions} positions and {moves} moves: all in order")?;
    Ok(())
}
