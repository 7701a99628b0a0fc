//! `meerslag book merge`, `export` and `import`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use meerslag_book::{Book, LineMove};
use meerslag_files::NewFile;
use meerslag_study::records::BookTreeMoveRecord;
use movegen::notation::pdn::{Annotation, Comment, PdnGame, Ply, WriteOptions, write_game};
use movegen::words::counted;
use movegen::{Color, Position};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::Failure;
use super::super::files::{self, ForceArgs};
use super::super::json::{self, Record};
use super::super::streams::{only_print, stdout};
use super::table::BookPosition;

/// Put books together: games are added up, the deeper search counts
///
/// Makes one book of books that several machines have expanded, or with --within a smaller one.
#[derive(Args, Debug)]
pub(super) struct MergeArgs {
    /// The books; one is enough with --within
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Only what can be reached from a start by moves that are together at most this many men worse
    /// than the best
    #[arg(long, value_name = "MEN", value_parser = margin)]
    within: Option<u32>,
    /// The book to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// Men as hundredths.
fn margin(text: &str) -> Result<u32, String> {
    let men = text.parse().ok().filter(|men| (0.0..=100.0).contains(men));
    let expected = || "expected a number of men from 0 to 100".to_owned();
    men.map(|men: f64| (100.0 * men).round() as u32).ok_or_else(expected)
}

pub(super) fn merge(args: &MergeArgs) -> Result<(), Failure> {
    if args.files.len() < 2 && args.within.is_none() {
        return Err(Failure::Input(anyhow!("one book alone: with it goes --within")));
    }
    let read: Vec<_> = args.files.iter().map(|file| ("FILE", Some(file.as_path()))).collect();
    files::check_distinct(&read, &[("--out", Some(&args.out))])?;
    files::check(&args.out, args.force.existing())?;
    let _lock = super::lock(&args.out)?;
    let books: Vec<Book> = files::each_once(&args.files)
        .iter()
        .map(|file| super::open(file))
        .collect::<Result<_, _>>()?;
    meerslag_book::merge(&books, args.within, &args.out, args.force.existing())?;
    report(&args.out, args.json)
}

/// A book that has been written.
#[derive(Serialize, JsonSchema, Default)]
pub(in crate::cli) struct BookWrittenRecord {
    /// The book.
    pub(super) file: String,
    /// Positions in it.
    pub(super) positions: usize,
    /// Moves in it.
    pub(super) book_moves: usize,
    /// From `build`: the results for the games.
    #[serde(flatten)]
    pub(super) games: Option<BookGames>,
    /// From `expand`: the searches.
    #[serde(flatten)]
    pub(super) searches: Option<BookSearches>,
    /// From `build --tree`: the first moves, line by line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tree: Option<Vec<BookTreeMoveRecord>>,
}

/// The games that a book was built from.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct BookGames {
    /// Games of the files.
    pub(super) games: u64,
    /// Games that contributed a move or position.
    pub(super) used: u64,
    /// Games with something unreadable.
    pub(super) broken: u64,
    /// Games of other types, which are skipped.
    pub(super) other_type: u64,
}

/// Searches in a book.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct BookSearches {
    /// Positions that have been searched.
    pub(super) searched: u64,
    /// Searches of this run.
    pub(super) new: u64,
    /// The value of the start, in men.
    pub(super) score: Option<f64>,
}

impl Record for BookWrittenRecord {
    const TYPE: &'static str = "book_written";
}

impl BookWrittenRecord {
    /// The contents of the book now.
    pub(super) fn of(path: &Path) -> Result<BookWrittenRecord, Failure> {
        let book = super::open(path)?;
        Ok(BookWrittenRecord {
            file: path.display().to_string(),
            positions: book.len(),
            book_moves: book.move_count(),
            ..BookWrittenRecord::default()
        })
    }
}

/// What has been written.
fn report(path: &Path, json: bool) -> Result<(), Failure> {
    let record = BookWrittenRecord::of(path)?;
    let mut out = stdout();
    if json {
        return Ok(json::write(&mut out, &record)?);
    }
    let positions = counted(record.positions, "position");
    writeln!(out, "{positions}, {}", counted(record.book_moves, "move"))?;
    Ok(())
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  meerslag book export own.book > own.txt                text to be changed, for import
  meerslag book export own.book --pdn --plies 12 -o lines.pdn
      a game for each line: openings of a match, say";

/// Write a book in another form: text, PDN or JSON
#[derive(Args, Debug)]
#[command(after_help = EXPORT_EXAMPLES)]
pub(super) struct ExportArgs {
    /// The book; without it the program's own
    #[arg(value_name = "FILE", default_value = "", hide_default_value = true)]
    file: String,
    /// A game for each line, with scores as comments
    #[arg(long, conflicts_with = "json")]
    pdn: bool,
    /// A JSON object for each position, as 'probe --json' prints it
    #[arg(long)]
    json: bool,
    /// With --pdn: only this many plies from the start
    #[arg(long, value_name = "N", default_value_t = 200,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    plies: u16,
    /// The file to be written [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

pub(super) fn export(args: &ExportArgs) -> Result<(), Failure> {
    only_print();
    let file = Some(Path::new(&args.file)).filter(|file| file.is_file());
    let out = args.out.as_deref().and_then(files::given);
    files::check_distinct(&[("FILE", file)], &[("--out", out)])?;
    let book = super::named(&args.file)?;
    let Some(path) = out else {
        let mut out = BufWriter::new(stdout());
        write(args, &book, &mut out)?;
        return Ok(out.flush()?);
    };
    files::check(path, args.force.existing())?;
    let named = |error: io::Error| files::named(path, &error);
    let mut file = NewFile::create(path, args.force.existing()).map_err(named)?;
    write(args, &book, &mut file).map_err(named)?;
    Ok(file.finish().map_err(named)?)
}

fn write(args: &ExportArgs, book: &Book, out: &mut impl Write) -> io::Result<()> {
    if args.pdn {
        return write_pdn(book, args.plies.into(), out);
    }
    if !args.json {
        return meerslag_book::write_text(book, out);
    }
    for index in 0..book.len() {
        let position = book.position(index).and_then(|entry| entry.key.position().ok());
        if let Some(found) = position.and_then(|p| BookPosition::find(book, &p)) {
            json::write(out, &found.to_record())?;
        }
    }
    Ok(())
}

fn write_pdn(book: &Book, plies: usize, out: &mut impl Write) -> io::Result<()> {
    let mut written = Ok(());
    let mut number = 0;
    meerslag_book::lines(book, plies, |start, line| {
        if written.is_ok() {
            number += 1;
            let game = pdn_of(start, line, number);
            written = write_game(&mut *out, &game, &WriteOptions::default());
        }
    });
    written
}

fn pdn_of(start: &Position, line: &[LineMove], number: u64) -> PdnGame {
    let mut game = PdnGame::new(*start);
    game.tags.set("Event", "Opening book");
    game.tags.set("Round", &number.to_string());
    let mut side = start.side_to_move();
    for LineMove { mv, entry, .. } in line {
        let mut ply = Ply::from(*mv);
        if let Some(score) = entry.score {
            let white = if side == Color::White { score } else { -score };
            let text = format!("[%eval {:.2}]", white.men());
            ply.after.push(Annotation::Comment(Comment::new(&text)));
        }
        game.line.plies.push(ply);
        side = side.opponent();
    }
    game
}

/// Make a book from text that 'export' wrote and people have changed
#[derive(Args, Debug)]
pub(super) struct ImportArgs {
    /// The text; '-' reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The book to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn import(args: &ImportArgs) -> Result<(), Failure> {
    files::check_distinct(&[("FILE", files::given(&args.file))], &[("--out", Some(&args.out))])?;
    files::check(&args.out, args.force.existing())?;
    let _lock = super::lock(&args.out)?;
    let file = &args.file;
    let name = || file.display().to_string();
    let input: Box<dyn BufRead> = if file.as_os_str() == "-" {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let file = File::open(file).with_context(name).map_err(Failure::Input)?;
        Box::new(BufReader::new(file))
    };
    meerslag_book::import(input, &args.out, args.force.existing()).map_err(|error| {
        match Failure::from(error) {
            Failure::Input(error) => Failure::Input(error.context(name())),
            other => other,
        }
    })?;
    report(&args.out, args.json)
}
