//! `meerslag adapt`: any engine behind one protocol, shown as another.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::{ArgGroup, Args};
use meerslag_book::BookOptions;
use meerslag_files::with_causes;
use meerslag_harness::adapter::{Adapter, AdapterError, AdapterOptions, Remark};
use meerslag_harness::protocol::Log;
use meerslag_harness::protocol::dxp::{DEFAULT_PORT, DxpEngine};
use meerslag_harness::runner::{EngineSpec, tail_text};
use movegen::DrawRules;

use super::databases::ReadingArgs;
use super::dxp::{ConnectionArgs, DxpSession, GamesArgs, HostPort, Side, Way, place};
use super::files::ForceArgs;
use super::interrupt::Interrupt;
use super::streams::note;
use super::{Failure, book, files, hub, watchdog};

const EXAMPLES: &str = "\
The engine is described as for 'meerslag match': cmd=\"PROGRAM ARGS\" for one that speaks Hub, \
dxp=HOST:PORT or dxp-listen=HOST:PORT for a DXP program (with cmd it is started, {port} \
replaced), dir=FOLDER, env.X=Y, param.NAME=VALUE, start=S, stall=S, history=whole|tail, \
fractions=yes|no.

Examples:
  meerslag adapt --engine 'cmd=\"./scan hub\" dir=/opt/scan' --dxp-listen 27531 --pdn games.pdn
      a Hub engine as a DXP player that waits for opponents
  meerslag adapt --engine 'cmd=\"./scan hub\"' --dxp-connect host:27531 --role initiator --games 2
      the same, proposing two games to a program that listens
  meerslag adapt --engine 'dxp=localhost:0 cmd=\"./mobydam -p {port}\"' --hub
      a DXP program as a Hub engine: what a graphical program or a bot starts
  meerslag adapt --engine 'cmd=\"./scan hub\"' --egdb /data/egdb --book opening.book --hub
      a Hub engine with endgame databases and an opening book

Over Hub, a fault of the engine and the reaction to it is an 'error' line after the move; over DXP \
it is on standard error. Both are in the --log, with the delay that the adapter added.";

/// In one line it would be wider than a terminal.
const USAGE: &str = "meerslag adapt [OPTIONS] --engine <DESCRIPTION> --hub
       meerslag adapt [OPTIONS] --engine <DESCRIPTION> --dxp-listen <[HOST:]PORT>
       meerslag adapt [OPTIONS] --engine <DESCRIPTION> --dxp-connect <HOST[:PORT]>";

/// Show any engine over another protocol, with opening book and endgame databases on top
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
#[command(group = ArgGroup::new("side").args(["hub", "dxp_listen", "dxp_connect"]).required(true))]
#[command(group = ArgGroup::new("dxp").args(["dxp_listen", "dxp_connect"]))]
#[command(mut_group("GamesArgs", |group| group.requires("dxp")))]
#[command(mut_group("ConnectionArgs", |group| group.requires("dxp")))]
pub(super) struct AdaptArgs {
    /// The engine, see below
    #[arg(long, value_name = "DESCRIPTION")]
    engine: String,
    /// Speak Hub on standard input and output
    #[arg(long)]
    hub: bool,
    /// Play over DXP with programs that connect with this port; 0 takes a free one and reports it
    #[arg(long, value_name = "[HOST:]PORT", value_parser = place)]
    dxp_listen: Option<HostPort>,
    /// Play over DXP with a program that listens there
    #[arg(long, value_name = "HOST[:PORT]", value_parser = place)]
    dxp_connect: Option<HostPort>,
    /// Let moves come from endgame databases where they know the position, and refuse moves that
    /// throw a known value away: from this folder (may be given several times), or without a
    /// folder those of up to four pieces that are part of the program
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    egdb: Option<Vec<PathBuf>>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Play the moves of an opening book without asking the engine: of this one, or without a file
    /// of that of the program
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    book: Option<String>,
    /// Draw rules for the databases, and for claims over DXP: lidraughts, fmjd-cumulative, scan or
    /// none
    #[arg(long, value_name = "RULES", default_value = "lidraughts")]
    draw_rules: DrawRules,
    /// Time to keep on the clock, in seconds: an engine that has not moved by then is stopped, and
    /// if that does not help a legal move is made for it
    #[arg(long, value_name = "SECONDS", default_value = "0.1", value_parser = super::seconds)]
    min_time: Duration,
    /// The longest time for any move, in seconds, whatever the clock says
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    max_time: Option<Duration>,
    /// Append all messages of the other side, and actions for the engine, to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    connection: ConnectionArgs,
    #[command(flatten)]
    games: GamesArgs,
    #[command(flatten)]
    force: ForceArgs,
}

pub(super) fn run(args: &AdaptArgs) -> Result<(), Failure> {
    let engine = args.spec()?;
    let book = args.book.as_deref().map(Path::new).filter(|path| path.is_file());
    files::check_distinct(
        &[("--book", book), args.games.openings_file()],
        &[args.games.pdn_file(), ("--log", args.log.as_deref())],
    )?;
    let log = files::log_or_none(args.log.as_deref())?;
    let way = args.way()?;
    let _watchdog = (!engine.command.is_empty()).then(watchdog::start).flatten();
    let is_hub = way.is_none();
    let remark = Remark::new({
        let log = log.clone();
        move |text| {
            log.remark(text);
            // Standard error of a Hub engine is silent.
            if !is_hub {
                note(text);
            }
        }
    });
    let remark = if is_hub { remark.keeping_faults() } else { remark };
    let options = AdapterOptions {
        book: args.book.as_deref().map(book::named).transpose()?.map(BookOptions::new),
        databases: args.egdb.as_deref().map(|dirs| args.reading.options(dirs)),
        draw_rules: args.draw_rules,
        min_time: args.min_time,
        max_time: args.max_time,
        ponder: args.games.ponder,
        may_give_up: !is_hub,
        remark,
        ..AdapterOptions::new(engine)
    };
    let log_error = Arc::clone(&options.log_error);
    play(args, options, way, log)?;
    log_error.get().map_or(Ok(()), |error| Err(Failure::Run(anyhow!(with_causes(error)))))
}

fn play(
    args: &AdaptArgs,
    options: AdapterOptions,
    way: Option<Way<'_>>,
    log: Log,
) -> Result<(), Failure> {
    let Some(way) = way else {
        let adapter = start(options)?;
        return hub::converse_with(adapter, log);
    };
    let stop = Arc::new(AtomicBool::new(false));
    Interrupt::catch({
        let (stop, abort) = (Arc::clone(&stop), Arc::clone(&options.abort));
        move || {
            stop.store(true, Ordering::Relaxed);
            abort.set();
        }
    })?;
    let adapter = start(options)?;
    let name = adapter.full_name();
    let (thinker, rules) = (Box::new(adapter), args.draw_rules);
    let engine = DxpEngine { thinker, depth: args.games.depth, rules };
    way.play(DxpSession::new(&args.games, args.force, engine, &name, log, &stop)?)
}

/// Starts the engine, before anything is sent to the other side.
fn start(options: AdapterOptions) -> Result<Adapter, Failure> {
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

impl AdaptArgs {
    fn spec(&self) -> Result<EngineSpec, Failure> {
        let described = || format!("--engine '{}'", self.engine);
        let refused = |what: &'static str| Failure::Input(anyhow!(what).context(described()));
        let spec = EngineSpec::parse(&self.engine).with_context(described);
        let spec = spec.map_err(Failure::Input)?;
        if spec.time_control.is_some() {
            return Err(refused("tc=...: the other side says how much time there is"));
        }
        if spec.dxp.as_ref().is_some_and(|dxp| dxp.addresses.len() != 1) {
            return Err(refused("one address is enough for one engine"));
        }
        Ok(spec)
    }

    /// How connections come about; `None` for Hub.
    fn way(&self) -> Result<Option<Way<'_>>, Failure> {
        let place = match (&self.dxp_listen, &self.dxp_connect) {
            (Some(place), _) => Some((Side::Listen, place)),
            (None, Some(place)) => Some((Side::Connect, place)),
            (None, None) => None,
        };
        let way = place.map(|(side, (host, port))| {
            self.connection.way(side, host, port.unwrap_or(DEFAULT_PORT))
        });
        way.transpose()
    }
}
