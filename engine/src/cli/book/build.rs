//! `meerslag book build`: a book from games.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use meerslag_book::{BuildEvent, BuildOptions, OtherBooks, build};
use meerslag_files::Existing;
use meerslag_study::records::BookTreeMoveRecord;
use movegen::words::counted;

use super::super::files::{self, ForceArgs};
use super::super::interrupt::Interrupt;
use super::super::json;
use super::super::progress::Bar;
use super::super::source::EncodingArgs;
use super::super::streams::stdout;
use super::super::{Failure, mebibytes, source};
use super::merge::{BookGames, BookWrittenRecord};
use super::table::tree_text;

const EXAMPLES: &str = "\
Examples:
  meerslag book build games.pdn -o all.book
      every position and move of the games
  meerslag book build *.pdn -o theory.book --lines --unique --estimate
      lines of positions that occur in at least two games
  meerslag book build new.pdn -o new.book --lines extended --reference theory.book --plies 4
      the first four plies of each game, and as far as another book knows the positions
  meerslag book build more.pdn -o all.book --add
      the games of another file as well
  meerslag book build games.pdn -o s.book --player 'Sijbrands*' --white --tree
      what one player plays with White

Lines: a simple line takes the moves made in known positions; the first move that leaves them is its \
last. Known are positions of the reference base: of the book of --reference, or of at least two \
games of the base being built. An extended line may pass through one or two unknown positions if \
the next one is known again. 'extended+' also takes moves made in known positions of the rest of \
the game.

Unreadable parts, and games of other types, are reported on standard error: file, reason, how \
often, and the first lines. The part read of a game that breaks off counts, without a result.";

/// Build a book from games of PDN files
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct BuildArgs {
    /// PDN files, packed with gzip or zip or not, or files of games; '-' reads standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    encoding: EncodingArgs,
    /// The book to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Add the games to the existing book. Give the options that it was built with
    #[arg(long, conflicts_with_all = ["force", "min_games"])]
    add: bool,
    #[command(flatten)]
    options: BuildOptions,
    /// The book that decides which positions are known [default: the base being built]
    #[arg(long, value_name = "FILE", requires = "lines")]
    reference: Option<PathBuf>,
    /// Memory for the tables, in MiB or such as 512M or 4G; the rest goes to temporary files beside
    /// the book
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = mebibytes)]
    memory: u64,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &BuildArgs) -> Result<(), Failure> {
    let existing = if args.add { Existing::Replace } else { args.force.existing() };
    let reference = args.reference.as_deref().filter(|_| !args.add);
    let mut read: Vec<_> = args.files.iter().map(|file| ("FILE", Some(file.as_path()))).collect();
    read.push(("--reference", reference));
    files::check_distinct(&read, &[("--out", Some(&args.out))])?;
    files::check(&args.out, existing)?;
    let _lock = super::lock(&args.out)?;
    let base = args.add.then(|| super::open(&args.out)).transpose()?;
    let options = BuildOptions {
        memory_mib: args.memory,
        encoding: args.encoding.encoding,
        open: source::open_text,
        ..args.options.clone()
    };
    let reference = args.reference.as_deref().map(super::open).transpose()?;
    let others = OtherBooks { reference: reference.as_ref(), base: base.as_ref() };
    let interrupt = Interrupt::catch(|| ())?;
    let bar = Bar::new("bytes");
    let mut observe = |event: BuildEvent<'_>| {
        match event {
            BuildEvent::Progress { done, all, games } => {
                bar.show(done, all, || counted(games, "game"));
            }
            BuildEvent::Warnings { file, warnings } => bar.suspend(|| {
                source::warn(&file.display().to_string(), warnings);
            }),
        }
        !interrupt.is_pressed()
    };
    let out = (args.out.as_path(), existing);
    let report = build(&files::each_once(&args.files), out, &options, others, &mut observe)?;
    drop(bar);
    let mut out = stdout();
    if args.json {
        let (games, used, broken) = (report.games, report.used, report.broken);
        let games = Some(BookGames { games, used, broken, other_type: report.other_type });
        let tree = options.tree.then(|| BookTreeMoveRecord::of(&report.tree));
        let record = BookWrittenRecord { games, tree, ..BookWrittenRecord::of(&args.out)? };
        return Ok(json::write(&mut out, &record)?);
    }
    writeln!(out, "{report}; {}", counted(report.positions, "position"))?;
    Ok(write!(out, "{}", tree_text(&report.tree))?)
}
