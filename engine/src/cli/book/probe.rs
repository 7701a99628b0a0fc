//! `meerslag book probe`: what a book knows about a position.

use std::io::Write;

use clap::Args;
use meerslag_study::records::BookRecord;

use super::super::streams::stdout;
use super::super::{Failure, json, report, source};
use super::BookFileArgs;
use super::table::BookPosition;

const EXAMPLES: &str = "\
Examples:
  meerslag book probe --book own.book                    the initial position
  meerslag book probe --book own.book \"B:W28,31,33-50:B1-20\"

Scores are in men, seen by the side to move, and so are wins (+), draws (=) and losses (-).";

/// Look up a position: its moves with counts, results and scores
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ProbeArgs {
    /// Positions, as draughts FEN or Hub string [default: the initial position]
    #[arg(value_name = "FEN")]
    positions: Vec<String>,
    #[command(flatten)]
    book: BookFileArgs,
    /// Print a JSON object for each position
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ProbeArgs) -> Result<(), Failure> {
    let book = args.book.open()?;
    let mut positions = Vec::new();
    for fen in &args.positions {
        positions.push(source::position(Some(fen))?);
    }
    if positions.is_empty() {
        positions.push(source::position(None)?);
    }
    let mut out = stdout();
    for position in positions {
        let found = BookPosition::find(&book, &position);
        if args.json {
            let missing = || BookRecord::missing(&position);
            json::write(&mut out, &found.map_or_else(missing, |found| found.to_record()))?;
            continue;
        }
        writeln!(out, "{}", report::fen(&position))?;
        match found {
            None => writeln!(out, "not in the book\n")?,
            Some(found) => writeln!(out, "{}\n{}", found.summary(), found.to_text())?,
        }
    }
    Ok(())
}
