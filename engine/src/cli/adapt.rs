//! `meerslag adapt`: any engine behind one protocol, shown as another.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::Args;
use egdb::DatabaseOptions;
use meerslag_book::BookOptions;
use meerslag_files::with_causes;
use meerslag_harness::adapter::{Adapter, AdapterError, AdapterOptions, Remark};
use meerslag_harness::protocol::LogError;
use meerslag_harness::runner::process::Watchdog;
use meerslag_harness::runner::{EngineSpec, tail_text};
use movegen::DrawRules;

use super::databases::{CacheArgs, PiecesArgs};
use super::source::VariantArgs;
use super::streams::note;
use super::{Failure, book, files, hub, watchdog};

const EXAMPLES: &str = "\
The engine is described as for 'meerslag match': cmd=\"PROGRAM ARGS\" for one that speaks Hub, \
dxp=HOST:PORT or dxp-listen=HOST:PORT for a DXP program (with cmd it is started, {port} \
replaced), dir=FOLDER, env.X=Y, param.NAME=VALUE, start=S, stall=S, history=whole|tail, \
fractions=yes|no.

Examples:
  meerslag adapt --engine 'dxp=localhost:0 cmd=\"./mobydam -p {port}\"'
      a DXP program as a Hub engine: what a graphical program or a bot starts
  meerslag adapt --engine 'cmd=\"./scan hub\"' --egdb /data/egdb --book opening.book
      a Hub engine with endgame databases and an opening book

  meerslag adapt --engine 'dxp=localhost:0 cmd=\"./prog -p {port}\"' --variant frisian
      over DXP no message names the game: set it in the other program by hand

The same engine over DXP: 'meerslag dxp listen --engine ...'.

A fault of the engine and the reaction to it is an 'error' line after the move. Both are in the \
--log, with the delay that the adapter added.";

/// Show any engine over Hub, with opening book and endgame databases on top
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, mut_arg("engine", |engine| engine.required(true)))]
pub(super) struct AdaptArgs {
    #[command(flatten)]
    adapted: AdaptedArgs,
    /// Without effect: the adapter speaks Hub
    #[arg(long, hide = true)]
    hub: bool,
    /// Play moves from endgame databases where they know the position, and refuse moves that give a
    /// known value away: from this folder (may be given several times), or without a folder those
    /// of up to four pieces in the program
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    egdb: Option<Vec<PathBuf>>,
    #[command(flatten)]
    pieces: PiecesArgs,
    #[command(flatten)]
    cache: CacheArgs,
    /// Play the moves of this opening book, or without a file of the program's own, without asking
    /// the engine
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    book: Option<String>,
    /// Draw rules for the databases: lidraughts, fmjd-cumulative, scan or none
    #[arg(long, value_name = "RULES", default_value = "lidraughts")]
    draw_rules: DrawRules,
    #[command(flatten)]
    variant: VariantArgs,
    /// Append all messages of the other side, and actions for the engine, to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

/// An engine that is adapted, and its time.
#[derive(Args, Debug)]
pub(super) struct AdaptedArgs {
    /// Let this engine think: a description as for 'meerslag match'
    #[arg(long, value_name = "DESCRIPTION")]
    engine: Option<String>,
    /// Time to keep on the clock, in seconds: an engine that has not moved by then is stopped, or
    /// else the adapter makes a legal move [default: 0.1]
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds, requires = "engine")]
    min_time: Option<Duration>,
    /// The longest time of such an engine for any move, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds, requires = "engine")]
    max_time: Option<Duration>,
}

impl AdaptedArgs {
    /// The engine, if there is one, without book and databases.
    pub(super) fn options(&self) -> Result<Option<AdapterOptions>, Failure> {
        let Some(text) = &self.engine else { return Ok(None) };
        let described = || format!("--engine '{text}'");
        let refused = |what: &'static str| Failure::Input(anyhow!(what).context(described()));
        let spec = EngineSpec::parse(text).with_context(described).map_err(Failure::Input)?;
        if spec.time_control.is_some() {
            return Err(refused("tc=...: the other side gives the time"));
        }
        if spec.dxp.as_ref().is_some_and(|dxp| dxp.addresses.len() != 1) {
            return Err(refused("one address is enough for one engine"));
        }
        let options = AdapterOptions::new(spec);
        let min_time = self.min_time.unwrap_or(options.min_time);
        Ok(Some(AdapterOptions { min_time, max_time: self.max_time, ..options }))
    }
}

/// Ends the engine's process if we are killed.
pub(super) fn watch(options: &AdapterOptions) -> Option<Watchdog> {
    (!options.engine.command.is_empty()).then(watchdog::start).flatten()
}

/// The failure of the engine's log, if it could not be written.
pub(super) fn check_log(error: &OnceLock<LogError>) -> Result<(), Failure> {
    error.get().map_or(Ok(()), |error| Err(Failure::Run(anyhow!(with_causes(error)))))
}

pub(super) fn run(args: &AdaptArgs) -> Result<(), Failure> {
    let Some(mut options) = args.adapted.options()? else { return Ok(()) };
    let VariantArgs { variant } = args.variant;
    if !variant.is_international() {
        options.engine.play(variant);
    }
    let book = args.book.as_deref().map(Path::new).filter(|path| path.is_file());
    files::check_distinct(&[("--book", book)], &[("--log", args.log.as_deref())])?;
    let log = files::log_or_none(args.log.as_deref())?;
    let _watchdog = watch(&options);
    let remark = Remark::new({
        let log = log.clone();
        move |text| log.remark(text)
    });
    let options = AdapterOptions {
        book: args.book.as_deref().map(book::named).transpose()?.map(BookOptions::new),
        databases: args
            .egdb
            .as_deref()
            .map(|dirs| DatabaseOptions { cache_mib: args.cache.mib, ..args.pieces.options(dirs) }),
        draw_rules: args.draw_rules,
        variant,
        may_give_up: false,
        // Standard error of a Hub engine is silent.
        remark: remark.keeping_faults(),
        ..options
    };
    let log_error = Arc::clone(&options.log_error);
    hub::converse_with(start(options)?, log)?;
    check_log(&log_error)
}

/// Starts the engine, before anything is sent to the other side.
pub(super) fn start(options: AdapterOptions) -> Result<Adapter, Failure> {
    let abort = Arc::clone(&options.abort);
    let slow = |missing: &str, tail: &[String]| {
        let tail = tail_text(tail);
        note(format_args!("the engine is slow to start: {missing}{tail}"));
    };
    Adapter::start(options, &slow).map_err(|error| match error {
        _ if abort.is_set() => Failure::interrupted("no game was played"),
        AdapterError::Config(_) => Failure::input(error),
        AdapterError::Start { .. } | AdapterError::Engine(_) | AdapterError::Thread(_) => {
            Failure::run(error)
        }
    })
}
