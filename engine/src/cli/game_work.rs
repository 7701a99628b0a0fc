//! Work on all games of files, by several threads, with a journal: what `annotate` and `puzzles` share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use clap::Args;
use meerslag_files::Existing;
use meerslag_search::{Control, EngineOptions, Limits, Mode};
use meerslag_study::annotate::{
    AnalyseGamesError, AnnotationJournal, GameWork, JournalError, JournalHeader, OneGame, each_game,
};
use movegen::Variant;
use movegen::notation::pdn::PdnGame;
use movegen::words::counted;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::databases::DatabaseArgs;
use super::evaluation::EvaluationArgs;
use super::failure::Ends;
use super::files::ForceArgs;
use super::interrupt::Interrupt;
use super::limits::LimitArgs;
use super::progress::Bar;
use super::source::EncodingArgs;
use super::streams::note;
use super::{Failure, mebibytes_of, threads};

/// Nodes of a search when no limit is given.
const DEFAULT_NODES: u64 = 200_000;

/// How the games are searched.
#[derive(Args, Debug)]
pub(super) struct GameWorkArgs {
    #[command(flatten)]
    pub(super) encoding: EncodingArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Games that are searched at the same time; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "1", value_parser = threads::<256>)]
    threads: usize,
    /// Size of the transposition table of each, in MiB or such as 512M
    #[arg(long, value_name = "SIZE", default_value = "64", value_parser = mebibytes_of::<1, 65_536>)]
    hash: u64,
    #[command(flatten)]
    pub(super) force: ForceArgs,
    #[command(flatten)]
    pub(super) databases: DatabaseArgs,
    #[command(flatten)]
    pub(super) evaluation: EvaluationArgs,
}

impl GameWorkArgs {
    /// With the file of the evaluation read.
    pub(super) fn read(&self) -> Result<GameSearch, Failure> {
        let engine = EngineOptions {
            hash_mib: self.hash as usize,
            databases: self.databases.options(),
            evaluation: self.evaluation.read(Variant::International)?,
            ..EngineOptions::default()
        };
        let limits = self.limits.or(Limits::nodes(DEFAULT_NODES));
        let limits = Limits { mode: Mode::Analyze, ..limits };
        Ok(GameSearch { limits, engine, threads: self.threads, existing: self.force.existing() })
    }
}

/// The same as the search takes it.
pub(super) struct GameSearch {
    limits: Limits,
    engine: EngineOptions,
    threads: usize,
    existing: Existing,
}

impl GameSearch {
    /// The conditions of a journal of these games.
    pub(super) fn header(&self, text: &[u8], games: usize) -> JournalHeader {
        JournalHeader::new(text, games, &self.limits, self.engine.evaluation.name())
    }

    /// Opens a journal; damaged lines are named.
    pub(super) fn open_journal<T: Serialize + DeserializeOwned>(
        &self,
        path: &Path,
        header: &JournalHeader,
    ) -> Result<AnnotationJournal<T>, Failure> {
        Ok(AnnotationJournal::open(path, header, self.existing, |line| {
            let path = path.display();
            note(format_args!("{path}, line {line} is damaged: its game is searched again"));
        })?)
    }

    /// Does the work on the games that are not in the journal yet; Ctrl-C ends it.
    pub(super) fn search<T: Serialize + DeserializeOwned + Send>(
        &self,
        games: &[PdnGame],
        journal: &mut AnnotationJournal<T>,
        one: OneGame<T>,
    ) -> Result<(), Failure> {
        let control = Arc::new(Control::new());
        let stop = Arc::clone(&control);
        let interrupt = Interrupt::catch(move || stop.stop())?;
        let bar = Bar::new("games");
        let all = games.len();
        let mut progress = |done| bar.show(done as u64, all as u64, String::new);
        let GameSearch { limits, engine: options, threads, .. } = self;
        let work = GameWork { limits, options, threads: *threads, control: &control };
        let done = each_game(games, work, journal, &mut progress, one);
        drop(bar);
        unfinished(done, &interrupt, journal.len(), all)
    }
}

/// Where finished games are kept.
pub(super) fn journal_path(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".journal");
    name.into()
}

/// The failure of games that are not all finished: `done` of `all` are.
fn unfinished(
    are_all_done: Result<bool, AnalyseGamesError>,
    interrupt: &Interrupt,
    done: usize,
    all: usize,
) -> Result<(), Failure> {
    match are_all_done.map_err(|error| match error {
        AnalyseGamesError::Journal(error) => error.into(),
        error => Failure::run(error),
    })? {
        true => Ok(()),
        false if interrupt.is_pressed() => Err(Failure::interrupted(format!(
            "{done} of {} done; the same command continues",
            counted(all, "game")
        ))),
        false => Err(Failure::Run(anyhow!("a search thread has failed"))),
    }
}

impl Ends for JournalError {
    fn failure(self) -> Failure {
        match self {
            JournalError::Io { .. } => Failure::run(self),
            JournalError::Other(_) | JournalError::Damaged(_) => {
                Failure::Input(anyhow!("{self}: --force begins again"))
            }
            JournalError::InUse(_) | JournalError::Game { .. } => Failure::input(self),
        }
    }
}
