//! Keeping a file of games in order: info, check, merge, dedupe, export, delete, rename, vacuum.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use meerslag_games::{GamesError, GamesFile, GamesInfo, ImportEvent};
use movegen::words::counted;

use super::super::Failure;
use super::super::files::{self, ForceArgs};
use super::super::interrupt::Interrupt;
use super::super::json;
use super::super::progress::Bar;
use super::super::source::OpenGames;
use super::super::streams::{note, only_print, stdout};
use super::find::SelectionArgs;
use super::import::{
    DuplicatesArgs, GamesImportRecord, Teller, by_variant, of_whole_files, summary,
};

/// Show the contents of a file of games
#[derive(Args, Debug)]
pub(super) struct InfoArgs {
    /// The file of games
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn info(args: &InfoArgs) -> Result<(), Failure> {
    only_print();
    let info = super::open(&args.file)?.info()?;
    let mut out = stdout();
    if args.json {
        return Ok(json::write(&mut out, &info)?);
    }
    let GamesInfo { white_wins, draws, black_wins, other_results, .. } = info;
    let years = match (info.first_year, info.last_year) {
        (Some(first), Some(last)) => format!(", {first} to {last}"),
        _ => String::new(),
    };
    writeln!(out, "{}: {} bytes, {} of them free", info.file, info.bytes, info.free_bytes)?;
    writeln!(
        out,
        "{} of {}, {}{years}{}",
        counted(info.games, "game"),
        counted(info.players, "player"),
        counted(info.events, "event"),
        by_variant(&info.variants)
    )?;
    writeln!(
        out,
        "won by White {white_wins}, drawn {draws}, won by Black {black_wins}, other {other_results}"
    )?;
    writeln!(out, "{}, {} annotated", counted(info.plies, "ply"), counted(info.annotated, "game"))?;
    writeln!(
        out,
        "index: {} in {}; {} imported",
        counted(info.indexed, "position"),
        counted(info.segments, "segment"),
        counted(info.sources, "file")
    )?;
    Ok(())
}

/// Check every game, every move and the index
#[derive(Args, Debug)]
pub(super) struct CheckArgs {
    /// The file of games
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn check(args: &CheckArgs) -> Result<(), Failure> {
    let mut games = super::open(&args.file)?;
    let interrupt = super::interrupted(&mut games)?;
    let bar = Bar::new("games");
    let report = games.check(&mut |done, all| {
        bar.show(done, all, String::new);
        !interrupt.is_pressed()
    })?;
    drop(bar);
    let faults = counted(report.faults.len(), "fault");
    let mut out = stdout();
    if args.json {
        json::write(&mut out, &report)?;
    } else {
        for fault in &report.faults {
            writeln!(out, "{fault}")?;
        }
        writeln!(
            out,
            "{}, {}, {} in the index: {}",
            counted(report.games, "game"),
            counted(report.plies, "ply"),
            counted(report.indexed, "position"),
            if report.faults.is_empty() { "no fault" } else { &faults }
        )?;
    }
    match report.faults.is_empty() {
        true => Ok(()),
        false => Err(Failure::Run(anyhow!("{faults} in {}", args.file.display()))),
    }
}

/// Add the games of other files of games
#[derive(Args, Debug)]
pub(super) struct MergeArgs {
    /// Files of games
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The file of games to add them to; it is made if it is missing
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    #[command(flatten)]
    duplicates: DuplicatesArgs,
    /// Print JSON objects, one a line
    #[arg(long)]
    json: bool,
}

pub(super) fn merge(args: &MergeArgs) -> Result<(), Failure> {
    let read: Vec<_> = args.files.iter().map(|file| ("FILE", Some(file.as_path()))).collect();
    files::check_distinct(&read, &[("--to", Some(&args.to))])?;
    let (mut others, mut failed) = (Vec::new(), 0);
    for file in &args.files {
        match OpenGames::open(file) {
            Ok(other) => others.push(other),
            Err(error) if args.files.len() == 1 => return Err(error.into()),
            Err(error) => {
                note(error);
                failed += 1;
            }
        }
    }
    if others.is_empty() {
        return Err(Failure::Input(anyhow!("none of the files can be read")));
    }
    let interrupt = Interrupt::catch(|| ())?;
    let mut games = GamesFile::open_or_create(&args.to)?;
    let mut kept = 0;
    for other in &others {
        let bar = Bar::new("games");
        let mut teller = Teller::new(&bar, args.json);
        let mut output = Ok(());
        let merged = games.merge(other, args.duplicates.duplicates, &mut |event| {
            match event {
                ImportEvent::Progress { done, all, .. } => bar.show(done, all, String::new),
                ImportEvent::Problem(problem) => output = teller.problem(problem),
                ImportEvent::Duplicate(twin) => output = teller.duplicate(twin),
                ImportEvent::File { .. } => {}
            }
            output.is_ok() && !interrupt.is_pressed()
        });
        drop(bar);
        output?;
        let report = match merged {
            Err(GamesError::Interrupted) => return Err(of_whole_files(kept)),
            merged => merged?,
        };
        kept += report.added + report.replaced;
        failed += report.failed;
        let mut out = stdout();
        if args.json {
            json::write(&mut out, &GamesImportRecord { source: None, report: &report })?;
        } else {
            writeln!(out, "{}: {}", other.path().display(), summary(&report))?;
        }
    }
    match failed {
        0 => Ok(()),
        _ => Err(Failure::Run(anyhow!("some games or files could not be read: see above"))),
    }
}

/// Find duplicate games, and delete one of each two
///
/// Two games are duplicates if they have the same moves and players, do not differ in date, round,
/// event or result, and one has all that the other has. The one with more in it stays.
#[derive(Args, Debug)]
pub(super) struct DedupeArgs {
    /// The file of games
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only list the duplicate games
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn dedupe(args: &DedupeArgs) -> Result<(), Failure> {
    let mut games = super::open(&args.file)?;
    let pairs = games.duplicates()?;
    let mut out = stdout();
    for (kept, gone) in &pairs {
        writeln!(out, "game {gone} is game {kept}")?;
    }
    let count = counted(pairs.len(), "duplicate");
    if args.dry_run {
        return Ok(writeln!(out, "{count}")?);
    }
    let gone: Vec<i64> = pairs.iter().map(|pair| pair.1).collect();
    games.file().delete(&gone)?;
    Ok(writeln!(out, "{count} taken out")?)
}

/// Write games as PDN
#[derive(Args, Debug)]
pub(super) struct ExportArgs {
    /// The file of games
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The PDN file; standard output without it
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    conditions: SelectionArgs,
    #[command(flatten)]
    force: ForceArgs,
}

impl ExportArgs {
    fn out(&self) -> Option<&Path> {
        self.out.as_deref().and_then(files::given)
    }
}

pub(super) fn export(args: &ExportArgs) -> Result<(), Failure> {
    let existing = args.force.existing();
    if let Some(out) = args.out() {
        files::check_distinct(&[("FILE", Some(&args.file))], &[("--out", Some(out))])?;
        files::check(out, existing)?;
    } else {
        only_print();
    }
    let games = super::open(&args.file)?;
    let ids = args.conditions.ids(&games, &[])?;
    let all = ids.as_ref().map_or_else(|| games.game_count(), |ids| Ok(ids.len() as u64))?;
    super::write_pdn(games, ids, all, args.out(), existing)
}

/// Delete games
#[derive(Args, Debug)]
pub(super) struct DeleteArgs {
    /// The file of games
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The number of a game; several times for several games
    #[arg(long = "game", value_name = "N")]
    games: Vec<i64>,
    #[command(flatten)]
    conditions: SelectionArgs,
}

pub(super) fn delete(args: &DeleteArgs) -> Result<(), Failure> {
    let mut games = super::open(&args.file)?;
    let Some(ids) = args.conditions.ids(&games, &args.games)? else {
        let text = "say which games: --game N, or a condition such as --player NAME";
        return Err(Failure::Input(anyhow!(text)));
    };
    if ids.len() < args.games.len() {
        let missing = args.games.len() - ids.len();
        return Err(Failure::Input(anyhow!("{} not there", counted(missing as u64, "game"))));
    }
    let count = games.file().delete(&ids)?;
    Ok(writeln!(stdout(), "{} taken out", counted(count, "game"))?)
}

/// Join two spellings of a player's name
#[derive(Args, Debug)]
pub(super) struct RenameArgs {
    /// The file of games
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The spelling to replace, exactly as it is in the file
    #[arg(value_name = "FROM")]
    from: String,
    /// The spelling for all of these games
    #[arg(value_name = "TO")]
    to: String,
}

pub(super) fn rename(args: &RenameArgs) -> Result<(), Failure> {
    let count = super::open(&args.file)?.file().rename(&args.from, &args.to)?;
    Ok(writeln!(stdout(), "{} changed", counted(count, "game"))?)
}

/// Rebuild the index and give back free space
#[derive(Args, Debug)]
pub(super) struct VacuumArgs {
    /// The file of games
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn vacuum(args: &VacuumArgs) -> Result<(), Failure> {
    let mut games = super::open(&args.file)?;
    let before = games.info()?.bytes;
    let interrupt = super::interrupted(&mut games)?;
    let bar = Bar::new("games");
    games.file().rebuild_index(&mut |done, all| {
        bar.show(done, all, String::new);
        !interrupt.is_pressed()
    })?;
    match games.file().compact() {
        Err(GamesError::Interrupted) => {
            let text = "the index has been rebuilt, but no free space given back";
            return Err(Failure::interrupted(text));
        }
        compacted => compacted?,
    }
    drop(bar);
    let after = games.info()?.bytes;
    Ok(writeln!(stdout(), "{before} bytes before, {after} now")?)
}
