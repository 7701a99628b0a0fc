//! `meerslag book probe`: what a book knows about a position.

use std::io::Write;

use clap::Args;
use meerslag_book::walk;
use meerslag_study::records::{BookRecord, BookTreeMoveRecord};

use super::super::streams::{only_print, stdout};
use super::super::{Failure, json, report, source};
use super::BookFileArgs;
use super::table::{BookPosition, tree_text};

const EXAMPLES: &str = "\
Examples:
  meerslag book probe --book own.book                    the initial position
  meerslag book probe --book own.book \"B:W28,31,33-50:B1-20\"
  meerslag book probe --book own.book --tree 6           lines of six plies

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
    /// The tree of the book's lines from the position, this many plies deep
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(1..=1000))]
    tree: Option<u16>,
    /// Print a JSON object for each position
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ProbeArgs) -> Result<(), Failure> {
    only_print();
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
        let tree = |plies| walk(&book, &position, usize::from(plies)).collect::<Vec<_>>();
        let tree = args.tree.map(tree);
        if args.json {
            let missing = || BookRecord::missing(&position);
            let mut record = found.map_or_else(missing, |found| found.to_record());
            record.tree = tree.map(|tree| BookTreeMoveRecord::of(&tree));
            json::write(&mut out, &record)?;
            continue;
        }
        writeln!(out, "{}", report::fen(&position))?;
        match found {
            None => writeln!(out, "not in the book\n")?,
            Some(found) => {
                let moves = tree.map_or_else(|| found.to_text(), |tree| tree_text(&tree));
                writeln!(out, "{}\n{moves}", found.summary())?;
            }
        }
    }
    Ok(())
}
