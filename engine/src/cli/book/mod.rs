//! `meerslag book`: opening books.

mod build;
pub(super) mod check;
mod expand;
pub(super) mod info;
pub(super) mod merge;
mod probe;
pub(super) mod table;

use std::path::Path;
use std::sync::Arc;

use clap::{Args, Subcommand};
use meerslag_book::{Book, BookLock};

use super::{Failure, files};

const EXAMPLES: &str = "\
Examples:
  meerslag book build games.pdn -o games.book --lines --unique --estimate
  meerslag book expand own.book --depth 16 --threads 4
  meerslag book probe                          the book of the program
  meerslag book check own.book

The format is described in docs/book.md. 'meerslag book COMMAND --help' has examples of each \
command.";

/// Opening books: build from games, expand by search, look up, edit
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, disable_help_subcommand = true)]
pub(super) struct BookArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Build a book from games of PDN files
    Build(Box<build::BuildArgs>),
    /// Expand a book by search, or start one
    Expand(expand::ExpandArgs),
    /// Put books together: games are added up, the deeper search counts
    Merge(merge::MergeArgs),
    /// Look up a position: its moves with counts, results and scores
    Probe(probe::ProbeArgs),
    /// Show the contents of a book and its origin
    Info(info::InfoArgs),
    /// Check that every move is legal, every position reachable and every score consistent
    Check(check::CheckArgs),
    /// Write a book in another form: text, PDN or JSON
    Export(merge::ExportArgs),
    /// Make a book from text that 'export' wrote and people have changed
    Import(merge::ImportArgs),
}

pub(super) fn run(args: &BookArgs) -> Result<(), Failure> {
    match &args.command {
        Command::Build(args) => build::run(args),
        Command::Expand(args) => expand::run(args),
        Command::Merge(args) => merge::merge(args),
        Command::Probe(args) => probe::run(args),
        Command::Info(args) => info::run(args),
        Command::Check(args) => check::run(args),
        Command::Export(args) => merge::export(args),
        Command::Import(args) => merge::import(args),
    }
}

/// The book of commands that ask one.
#[derive(Args, Clone, Debug)]
pub(super) struct BookFileArgs {
    /// The book; without it the program's own
    #[arg(long, value_name = "FILE", default_value = "", hide_default_value = true)]
    book: String,
}

impl BookFileArgs {
    fn open(&self) -> Result<Arc<Book>, Failure> {
        named(&self.book)
    }
}

/// Opens a book that the user has named, or the program's own.
pub(super) fn named(name: &str) -> Result<Arc<Book>, Failure> {
    Book::named(name).map_err(Failure::input)
}

/// Locks a book that is being written. A device or pipe needs no lock.
fn lock(path: &Path) -> Result<Option<BookLock>, Failure> {
    if files::given(path).is_none() {
        let text = "a book cannot go to standard output, name a file";
        return Err(Failure::Input(anyhow::anyhow!(text)));
    }
    Ok((!files::is_special(path)).then(|| BookLock::take(path)).transpose()?)
}

/// Opens a file with a book.
fn open(path: &Path) -> Result<Book, Failure> {
    Book::open(path).map_err(Failure::input)
}
