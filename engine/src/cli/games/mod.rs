//! `meerslag games`: databases of games.

pub(super) mod find;
pub(super) mod import;
pub(super) mod keep;
pub(super) mod statistics;
pub(super) mod tree;

use std::io;
use std::path::Path;

use clap::{Args, Subcommand};
use meerslag_files::{Existing, NewFile};
use meerslag_games::{GamesError, PdnText};

use super::failure::Ends;
use super::interrupt::Interrupt;
use super::progress::Bar;
use super::source::OpenGames;
use super::streams::stdout;
use super::{Failure, files};

const EXAMPLES: &str = "\
Examples:
  meerslag games import *.pdn archive.zip folder --to club.games
  meerslag games find club.games --player Sijbrands --years 1970-1979 --result win
  meerslag games find club.games --position \"B:W28,31-50:B1-20\"
  meerslag games find club.games --pattern \"w27,32 b18 not b22\" --twin --pdn
  meerslag games tree club.games
  meerslag games stats club.games --player Sijbrands

A file of games is an SQLite database; docs/games.md describes its tables. 'meerslag games COMMAND \
--help' has more examples. 'book build', 'annotate' and 'analyse' read such a file wherever they \
read PDN.";

/// Databases of games: import, find by position and pattern, trees, statistics
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, disable_help_subcommand = true)]
pub(super) struct GamesArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Add the games of PDN files, folders and zip archives
    Import(import::ImportArgs),
    /// Find games by players, event, years, result, position, pattern, moves
    Find(Box<find::FindArgs>),
    /// Show the moves played in a position, and their success
    Tree(Box<tree::TreeArgs>),
    /// Show scores by colour, endgame, year, opening and opponent
    #[command(name = "stats")]
    Statistics(Box<statistics::StatisticsArgs>),
    /// Show the contents of a file of games
    Info(keep::InfoArgs),
    /// Check every game, every move and the index
    Check(keep::CheckArgs),
    /// Add the games of other files of games
    Merge(keep::MergeArgs),
    /// Find duplicate games, and delete one of each two
    Dedupe(keep::DedupeArgs),
    /// Write games as PDN
    Export(Box<keep::ExportArgs>),
    /// Delete games
    Delete(Box<keep::DeleteArgs>),
    /// Join two spellings of a player's name
    Rename(keep::RenameArgs),
    /// Rebuild the index and give back free space
    Vacuum(keep::VacuumArgs),
}

pub(super) fn run(args: &GamesArgs) -> Result<(), Failure> {
    match &args.command {
        Command::Import(args) => import::run(args),
        Command::Find(args) => find::run(args),
        Command::Tree(args) => tree::run(args),
        Command::Statistics(args) => statistics::run(args),
        Command::Info(args) => keep::info(args),
        Command::Check(args) => keep::check(args),
        Command::Merge(args) => keep::merge(args),
        Command::Dedupe(args) => keep::dedupe(args),
        Command::Export(args) => keep::export(args),
        Command::Delete(args) => keep::delete(args),
        Command::Rename(args) => keep::rename(args),
        Command::Vacuum(args) => keep::vacuum(args),
    }
}

fn open(path: &Path) -> Result<OpenGames, Failure> {
    Ok(OpenGames::open(path)?)
}

/// From now on Ctrl-C ends all work with the file.
fn interrupted(games: &mut OpenGames) -> Result<Interrupt, Failure> {
    let interrupt = Interrupt::catch(|| ())?;
    games.file().end_when(interrupt.flag())?;
    Ok(interrupt)
}

/// Writes games as PDN: these or all of them, to this file or to standard output.
fn write_pdn(
    mut games: OpenGames,
    ids: Option<Vec<i64>>,
    all: u64,
    out: Option<&Path>,
    existing: Existing,
) -> Result<(), Failure> {
    let interrupt = out.map(|_| interrupted(&mut games)).transpose()?;
    let mut text = match ids {
        Some(ids) => PdnText::of(games, ids),
        None => PdnText::new(games),
    };
    let (Some(path), Some(interrupt)) = (out, interrupt) else {
        io::copy(&mut text, &mut stdout()).map_err(read_failure)?;
        return Ok(());
    };
    let bar = Bar::new("games");
    let mut text = text.observed(move |done| {
        bar.show(done, all, String::new);
        !interrupt.is_pressed()
    });
    let named = |error: io::Error| files::named(path, &error);
    let mut file = NewFile::create(path, existing).map_err(named)?;
    io::copy(&mut text, &mut file).map_err(read_failure)?;
    file.finish().map_err(named)?;
    Ok(())
}

/// The failure of the file of games that caused an error of reading.
fn read_failure(error: io::Error) -> Failure {
    match error.downcast::<GamesError>() {
        Ok(GamesError::Interrupted) => Failure::interrupted("no file has been written"),
        Ok(error) => error.into(),
        Err(error) => error.into(),
    }
}

impl Ends for GamesError {
    fn failure(self) -> Failure {
        match self {
            GamesError::Interrupted => Failure::interrupted("nothing has been changed"),
            GamesError::Io { .. }
            | GamesError::Foreign { .. }
            | GamesError::Version { .. }
            | GamesError::Damaged { .. }
            | GamesError::Input(_) => Failure::input(self),
            GamesError::Busy { .. }
            | GamesError::ReadOnly { .. }
            | GamesError::ChangesBeside { .. }
            | GamesError::Database { .. }
            | GamesError::Endgames(_) => Failure::run(self),
        }
    }
}
