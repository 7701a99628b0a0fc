//! `meerslag book build`: a book from games.

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use meerslag_book::{BuildEvent, BuildOptions, LineKind, OtherBooks, Selection, build};
use meerslag_files::Existing;
use movegen::Color;
use movegen::notation::pdn::PlayerName;
use movegen::words::{counted, parse_range};

use super::super::files::{self, ForceArgs};
use super::super::interrupt::Interrupt;
use super::super::json;
use super::super::progress::Bar;
use super::super::source::EncodingArgs;
use super::super::streams::stdout;
use super::super::{Failure, mebibytes, source};
use super::merge::{BookGames, BookWrittenRecord};

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

Lines: a simple line goes on while its positions are known, that is, occur in the reference base:
in the book of --reference, or in at least two games of the base being built. An extended line \
may pass through one unknown position if the next one is known again; the move to it is a link. \
'extended+' also takes known positions of the rest of the game, one by one.

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
    /// Add the games to the existing book; its tree grows in place. Give the options that it was
    /// built with
    #[arg(long, conflicts_with_all = ["force", "min_games"])]
    add: bool,
    /// Variations in the games, too
    #[arg(long)]
    variations: bool,
    /// Only moves of White
    #[arg(long, conflicts_with = "black")]
    white: bool,
    /// Only moves of Black
    #[arg(long)]
    black: bool,
    /// Only moves of this player; * and ? stand for any letters, capitals do not matter
    #[arg(long, value_name = "NAME", value_parser = PlayerName::parse)]
    player: Option<PlayerName>,
    /// Take this many plies from the start of each game whatever --lines says; without --lines,
    /// no more than these
    #[arg(long, value_name = "N")]
    plies: Option<usize>,
    /// Only lines of known positions, see below
    #[arg(long, value_name = "KIND", value_enum, num_args = 0..=1, default_missing_value = "simple",
          require_equals = false)]
    lines: Option<Lines>,
    /// The book that decides which positions are known [default: the base being built]
    #[arg(long, value_name = "FILE", requires = "lines")]
    reference: Option<PathBuf>,
    /// A position is known if it has occurred this often [default: 1, or 2 in the base being built]
    #[arg(long, value_name = "N", requires = "lines",
          value_parser = clap::value_parser!(u32).range(1..))]
    known: Option<u32>,
    /// Give each move an estimate that grows with its games and their results
    #[arg(long)]
    estimate: bool,
    /// Count each position and move at most once a game
    #[arg(long)]
    unique: bool,
    /// Leave out positions and moves that occur less often
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..))]
    min_games: u32,
    /// Only games of players who both have this rating (tags WhiteRating, WhiteElo and so on)
    #[arg(long, value_name = "RATING")]
    min_rating: Option<u32>,
    /// Only games of these years: 1990-2010, 1990- or 1990
    #[arg(long, value_name = "YEARS", value_parser = parse_range)]
    years: Option<RangeInclusive<u32>>,
    /// Write a move tree as well
    #[arg(long)]
    tree: bool,
    /// Memory for the tables, in MiB or such as 512M or 4G; the rest goes to temporary files beside
    /// the book
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = mebibytes)]
    memory: u64,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Lines {
    /// Known positions in a row
    Simple,
    /// One unknown position may lie between two known ones
    Extended,
    /// As extended, and then the known positions of the rest of the game
    #[value(name = "extended+")]
    ExtendedPlus,
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
    let options = args.options();
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
        let record = BookWrittenRecord { games, ..BookWrittenRecord::of(&args.out)? };
        return Ok(json::write(&mut out, &record)?);
    }
    Ok(writeln!(out, "{report}; {}", counted(report.positions, "position"))?)
}

impl BuildArgs {
    fn options(&self) -> BuildOptions {
        let color = match (self.white, self.black) {
            (true, _) => Some(Color::White),
            (_, true) => Some(Color::Black),
            _ => None,
        };
        BuildOptions {
            selection: Selection {
                color,
                player: self.player.clone(),
                min_rating: self.min_rating,
                years: self.years.clone(),
            },
            variations: self.variations,
            lines: self.lines.map(|lines| match lines {
                Lines::Simple => LineKind::Simple,
                Lines::Extended => LineKind::Extended,
                Lines::ExtendedPlus => LineKind::ExtendedPlus,
            }),
            plies: self.plies,
            known: self.known,
            unique: self.unique,
            estimates: self.estimate,
            tree: self.tree,
            min_games: self.min_games,
            memory: usize::try_from(self.memory << 20).unwrap_or(usize::MAX),
            encoding: self.encoding.encoding,
            open: source::open_text,
        }
    }
}
