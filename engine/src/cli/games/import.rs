//! `meerslag games import`: games into a file of games.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use meerslag_games::{
    Duplicate, Duplicates, GamesError, GamesFile, ImportEvent, ImportOptions, ImportReport, Problem,
};
use movegen::Variant;
use movegen::words::counted;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::Failure;
use super::super::interrupt::Interrupt;
use super::super::json::{self, Record};
use super::super::progress::Bar;
use super::super::source::EncodingArgs;
use super::super::streams::{note, plain, stdout};

const EXAMPLES: &str = "\
Examples:
  meerslag games import games.pdn --to club.games
  meerslag games import tournaments archive.zip --to club.games
      all .pdn, .pdn.gz and .zip files in a folder and in those below it, and the PDN files of an
      archive
  cat new.pdn | meerslag games import - --to club.games --duplicates better
      games with more comments, or whole, take the place of those that say less
  meerslag games import old.pdn --to club.games --encoding cp866

The file is made if it is missing and there is a game for it. Encodings are recognised, also several in one \
file: UTF-8, UTF-16, Windows-1250, 1251, 1252, 1254 and 1257, KOI8-R and KOI8-U, ISO 8859-5, CP437, \
CP850, CP866, Macintosh Cyrillic. A game is a duplicate if an existing one has its moves, spellings of \
its players, no other date, round, event or result, and says all that it says; each is named. A broken \
game is kept as far as it can be \
read, and named on standard error with its file, line and reason.

Each file is added whole: Ctrl-C leaves out the unfinished one, and the same command continues. A \
file that cannot be read is named, the others are added, and the exit status is 1, or 2 if none could \
be read.";

/// Add the games of PDN files, folders and zip archives
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ImportArgs {
    /// PDN files, packed with gzip or not, zip archives, folders of them; '-' reads standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The file of games
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    #[command(flatten)]
    encoding: EncodingArgs,
    #[command(flatten)]
    duplicates: DuplicatesArgs,
    /// Print JSON objects, one a line
    #[arg(long)]
    json: bool,
}

/// What to do with games that the file has already.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct DuplicatesArgs {
    /// Games that are there already: keep adds them again, skip leaves them out, better keeps the one
    /// that says more: comments, a result, all moves
    #[arg(long, value_name = "WHAT", default_value = "skip", hide_possible_values = true)]
    pub(super) duplicates: Duplicates,
}

/// Reports games that were not read or not added, on standard error or as JSON.
pub(super) struct Teller<'b> {
    pub(super) bar: &'b Bar,
    pub(super) json: bool,
    duplicates: u64,
}

/// Duplicates that are named on a terminal.
const MOST: u64 = 20;

impl Teller<'_> {
    pub(super) const fn new(bar: &Bar, json: bool) -> Teller<'_> {
        Teller { bar, json, duplicates: 0 }
    }

    pub(super) fn problem(&self, problem: &Problem) -> io::Result<()> {
        if self.json {
            return self.bar.suspend(|| json::write(&mut stdout(), problem));
        }
        self.bar.suspend(|| note(problem));
        Ok(())
    }

    pub(super) fn duplicate(&mut self, twin: &Duplicate) -> io::Result<()> {
        self.duplicates += 1;
        if self.json {
            return self.bar.suspend(|| json::write(&mut stdout(), twin));
        }
        if self.duplicates <= MOST || !io::stderr().is_terminal() {
            let (place, what) = (twin.place(), twin.describe());
            self.bar.suspend(|| note(format_args!("{place}: {what}")));
        } else if self.duplicates == MOST + 1 {
            let text = "more duplicates: --json, or a file for standard error, lists all";
            self.bar.suspend(|| note(text));
        }
        Ok(())
    }
}

/// The result for a file; without one for all files.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct GamesImportRecord<'a> {
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<ImportedRecord<'a>>,
    #[serde(flatten)]
    pub(super) report: &'a ImportReport,
}

/// A file that was imported.
#[derive(Serialize, JsonSchema)]
pub(super) struct ImportedRecord<'a> {
    file: &'a str,
    /// How it is encoded: several names, with commas between, if it is put together from others.
    encoding: String,
}

impl Record for GamesImportRecord<'_> {
    const TYPE: &'static str = "games_import";
}

/// How many games there are of each variant, unless all are international, with a comma before it.
pub(super) fn by_variant(counts: &BTreeMap<Variant, u64>) -> String {
    if counts.keys().all(Variant::is_international) {
        return String::new();
    }
    counts.iter().map(|(variant, count)| format!(", {count} {variant}")).collect()
}

/// The counts of a report in words.
pub(super) fn summary(report: &ImportReport) -> String {
    let mut text = format!(
        "{}, {} added, {}, {} broken",
        counted(report.games, "game"),
        report.added,
        counted(report.duplicates, "duplicate"),
        report.broken
    );
    if report.replaced > 0 {
        text.push_str(&format!(", {} replaced", report.replaced));
    }
    text.push_str(&by_variant(&report.variants));
    if report.other_type > 0 {
        text.push_str(&format!(", {} of other types", report.other_type));
    }
    text
}

/// The work was ended after this number of games had been added.
pub(super) fn of_whole_files(kept: u64) -> Failure {
    let kept = counted(kept, "game");
    Failure::interrupted(format!("{kept} of whole files added; the same command continues"))
}

pub(super) fn run(args: &ImportArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::catch(|| ())?;
    let bar = Bar::new("bytes");
    let mut teller = Teller::new(&bar, args.json);
    let mut output = Ok(());
    let mut kept = 0;
    let mut observe = |event: ImportEvent<'_>| {
        match event {
            ImportEvent::Progress { done, all, games } => {
                bar.show(done, all, || counted(games, "game"));
            }
            ImportEvent::Problem(problem) => output = teller.problem(problem),
            ImportEvent::Duplicate(twin) => output = teller.duplicate(twin),
            ImportEvent::File { name, encodings, report } => {
                kept += report.added + report.replaced;
                output = bar.suspend(|| {
                    let mut out = stdout();
                    if args.json {
                        let encoding = encodings.to_string();
                        let source = Some(ImportedRecord { file: name, encoding });
                        return json::write(&mut out, &GamesImportRecord { source, report });
                    }
                    let name = plain(name);
                    if report.known > 0 {
                        return writeln!(out, "{name}: imported before");
                    }
                    writeln!(out, "{name} ({encodings}): {}", summary(report))
                });
            }
        }
        output.is_ok() && !interrupt.is_pressed()
    };
    let DuplicatesArgs { duplicates } = args.duplicates;
    let options = ImportOptions { encoding: args.encoding.encoding, duplicates };
    let result = GamesFile::import_into(&args.to, &args.files, options, &mut observe);
    drop(bar);
    output?;
    let report = match result {
        Err(GamesError::Interrupted) => return Err(of_whole_files(kept)),
        other => other?,
    };
    let mut out = stdout();
    if args.json {
        json::write(&mut out, &GamesImportRecord { source: None, report: &report })?;
    } else if report.files + report.known + report.failed > 1 {
        let files = counted(report.files, "file");
        writeln!(out, "all ({files}): {}", summary(&report))?;
    }
    let is_any = report.files + report.known > 0;
    match report.failed {
        0 => Ok(()),
        failed => {
            let error = anyhow!("{} not imported", counted(failed, "file"));
            Err(if is_any { Failure::Run(error) } else { Failure::Input(error) })
        }
    }
}
