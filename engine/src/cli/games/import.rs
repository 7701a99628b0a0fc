//! `meerslag games import`: games into a file of games.

use std::io::Write;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use meerslag_games::{GamesError, GamesFile, ImportEvent, ImportOptions, ImportReport, Problem};
use meerslag_search::counted;
use movegen::notation::pdn::Encodings;
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
      all .pdn and .zip files in a folder and in those below it, and the PDN files of an archive
  meerslag games import old.pdn --to club.games --encoding cp866

The file is made if it is missing. Encodings are recognised, also several in one file: UTF-8, \
UTF-16, Windows-1250, 1251, 1252, 1254 and 1257, KOI8-R and KOI8-U, ISO 8859-5, CP437, CP850, \
CP866, Macintosh Cyrillic. A game with the same moves, the same year and spellings of the same \
players as an existing one is a duplicate. A broken game is kept as far as it can be \
read, and named on standard error with its file, line and reason.

Each file is added whole: Ctrl-C leaves out the unfinished one, and the same command goes on.";

/// Add the games of PDN files, folders and zip archives
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ImportArgs {
    /// PDN files, zip archives, folders of them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The file of games
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    #[command(flatten)]
    encoding: EncodingArgs,
    /// Print JSON objects, one a line
    #[arg(long)]
    json: bool,
}

/// Something that an import could not read.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct GamesProblemRecord<'a> {
    /// The file.
    file: &'a str,
    /// Line, from 1; 0 if the whole file is meant.
    line: u64,
    /// What is wrong.
    reason: &'a str,
}

impl Record for GamesProblemRecord<'_> {
    const TYPE: &'static str = "games_problem";
}

/// The result for a file, or for all files.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct GamesImportRecord<'a> {
    /// The file; without it the sum of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    /// How it is encoded: several names, with commas between, if it is put together from others.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    /// Files that were imported now.
    files: u64,
    /// Files that had been imported before.
    known: u64,
    /// Files without a game, or unreadable ones.
    failed: u64,
    /// Games that were read.
    games: u64,
    /// New games.
    added: u64,
    /// Games already there.
    duplicates: u64,
    /// Games with something unreadable.
    broken: u64,
    /// Games of other kinds of draughts, passed over.
    other_type: u64,
}

impl Record for GamesImportRecord<'_> {
    const TYPE: &'static str = "games_import";
}

impl<'a> GamesImportRecord<'a> {
    pub(super) fn new(file: Option<(&'a str, Encodings)>, report: &ImportReport) -> Self {
        let ImportReport {
            files, known, games, added, duplicates, broken, other_type, failed, ..
        } = *report;
        GamesImportRecord {
            file: file.map(|(name, _)| name),
            encoding: file.map(|(_, encodings)| encodings.to_string()),
            files,
            known,
            failed,
            games,
            added,
            duplicates,
            broken,
            other_type,
        }
    }
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
    if report.other_type > 0 {
        text.push_str(&format!(", {} of other types", report.other_type));
    }
    text
}

pub(super) fn run(args: &ImportArgs) -> Result<(), Failure> {
    let interrupt = Interrupt::catch(|| ())?;
    let mut games = GamesFile::open_or_create(&args.to)?;
    let bar = Bar::new("bytes");
    let mut output = Ok(());
    let mut kept = 0;
    let mut observe = |event: ImportEvent<'_>| {
        match event {
            ImportEvent::Progress { done, all, games } => {
                bar.show(done, all, || counted(games, "game"));
            }
            ImportEvent::Problem(problem) => {
                let Problem { file, line, reason } = problem;
                if args.json {
                    let record = GamesProblemRecord { file, line: *line, reason };
                    output = bar.suspend(|| json::write(&mut stdout(), &record));
                } else if *line == 0 {
                    bar.suspend(|| note(format_args!("{file}: {reason}")));
                } else {
                    bar.suspend(|| note(format_args!("{file}, line {line}: {reason}")));
                }
            }
            ImportEvent::File { name, encodings, report } => {
                kept += report.added;
                output = bar.suspend(|| {
                    let mut out = stdout();
                    if args.json {
                        let record = GamesImportRecord::new(Some((name, encodings)), report);
                        return json::write(&mut out, &record);
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
    let options = ImportOptions { encoding: args.encoding.encoding };
    let result = games.import(&args.files, options, &mut observe);
    drop(bar);
    output?;
    let report = match result {
        Err(GamesError::Interrupted) => {
            let kept = counted(kept, "game");
            let text = format!("{kept} of whole files added; the same command goes on");
            return Err(Failure::interrupted(text));
        }
        other => other?,
    };
    let mut out = stdout();
    if args.json {
        json::write(&mut out, &GamesImportRecord::new(None, &report))?;
    } else if report.files + report.known + report.failed > 1 {
        let files = counted(report.files, "file");
        writeln!(out, "all ({files}): {}", summary(&report))?;
    }
    match report.failed {
        0 => Ok(()),
        failed => Err(Failure::Input(anyhow!("{} not imported", counted(failed, "file")))),
    }
}
