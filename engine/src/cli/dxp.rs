//! `meerslag dxp`: games against another program over the DamExchange protocol.

mod report;
mod session;

use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use meerslag_harness::adapter::{AdapterOptions, Remark};
use meerslag_harness::protocol::Log;
use meerslag_harness::protocol::dxp::{
    Address, DxpEngine, InitiatorOptions, Listener, SessionOptions, connect,
};
use meerslag_search::{Engine, EngineOptions};
use movegen::Variant;

pub(super) use self::report::DxpRecord;
use self::session::{After, DxpSession};
use super::adapt::AdaptedArgs;
use super::files::{self, ForceArgs, Named};
use super::interrupt::Interrupt;
use super::matches::OpeningsArgs;
use super::opening_book::OpeningBookArgs;
use super::streams::note;
use super::{EngineArgs, Failure, adapt};

/// How long to try to connect.
const DEFAULT_RETRY: Duration = Duration::from_secs(10);

const EXAMPLES: &str = "\
Examples:
  meerslag dxp listen --pdn games.pdn
      wait for a program that connects and proposes games
  meerslag dxp connect localhost --role initiator --openings two-move --minutes 5 --moves 75
      play the 158 games of the two-move ballots against a program that listens
  meerslag dxp listen --engine 'cmd=\"./scan hub\" dir=/opt/scan' --pdn games.pdn
      a Hub engine as a DXP player that waits for opponents

With --engine that engine thinks. A book, endgame databases or both are added with --book (FILE or \
built-in) and --egdb (or --egdb-pieces 4: those in the program). Its faults are on standard error.";

/// Play against another program over DXP, the DamExchange protocol
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("engine", |it| it.conflicts_with_all(["threads", "hash", "evaluation"])))]
#[command(mut_arg("openings", |it| it.default_value("start")))]
pub(super) struct DxpArgs {
    #[arg(value_enum)]
    side: Side,
    /// Listen: the address to listen on; others than this machine's own need trust in the network.
    /// Connect: the machine on which the other program runs
    /// [default port: 27531; listening at port 0 takes a free one and reports it]
    #[arg(value_name = "HOST[:PORT]", default_value = "localhost", hide_default_value = true)]
    place: Address,
    #[command(flatten)]
    connection: ConnectionArgs,
    #[command(flatten)]
    games: GamesArgs,
    #[command(flatten)]
    force: ForceArgs,
    /// Add every message with time and direction to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    adapted: AdaptedArgs,
    #[command(flatten)]
    book: OpeningBookArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Who opens the connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Side {
    /// Wait for the other program to connect
    Listen,
    /// Connect to the other program, which listens
    Connect,
}

/// How connections come about.
#[derive(Args, Debug)]
struct ConnectionArgs {
    /// Listening: end after the first connection instead of waiting for another one
    #[arg(long)]
    once: bool,
    /// Connecting: how long to try, in seconds: the other program may still be loading. As long, if
    /// it closes each connection without a game [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    retry: Option<Duration>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Role {
    /// Answer the other program's proposals
    Follower,
    /// Propose the games
    Initiator,
}

/// The games.
#[derive(Args, Debug)]
struct GamesArgs {
    /// Who proposes the games
    #[arg(long, value_enum, default_value_t = Role::Follower)]
    role: Role,
    /// Our name, up to 32 characters
    #[arg(long, value_parser = name)]
    name: Option<String>,
    #[command(flatten)]
    proposal: InitiatorOptions,
    #[command(flatten)]
    openings: OpeningsArgs,
    /// Initiator: number of games [default: two from each opening]
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// Initiator: begin with this game, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    from_game: usize,
    /// Write the games to this PDN file
    #[arg(long, value_name = "FILE")]
    pdn: Option<PathBuf>,
    /// Least time between two of our messages in milliseconds: some programs need it
    #[arg(long, value_name = "MS", default_value_t = 100)]
    gap: u64,
    #[command(flatten)]
    session: SessionOptions,
    /// Print JSON objects, one a line, instead of text
    #[arg(long)]
    json: bool,
    /// Greatest search depth, in addition to the clock
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
}

impl GamesArgs {
    /// The file for the games.
    fn pdn_file(&self) -> Named<'_> {
        ("--pdn", self.pdn.as_deref())
    }

    /// The games as options of a session, which is called `name` if no other name is given.
    fn options(&self, name: &str) -> SessionOptions {
        let name = self.name.as_deref().unwrap_or(name).to_owned();
        SessionOptions { name, ..self.session.clone() }
    }
}

fn name(text: &str) -> Result<String, String> {
    match text.trim().chars().count() {
        1..=32 => Ok(text.to_owned()),
        found => Err(format!("expected 1 to 32 characters, found {found}")),
    }
}

pub(super) fn run(args: &DxpArgs) -> Result<(), Failure> {
    let adapted = args.adapted.options()?;
    let listener = args.listener()?;
    let games = &args.games;
    files::check_distinct(
        &[games.openings.file(), args.book.file(), args.engine.evaluation.file()],
        &[games.pdn_file(), ("--log", args.log.as_deref())],
    )?;
    let log = files::log_or_none(args.log.as_deref())?;
    let stop = Arc::new(AtomicBool::new(false));
    if let Some(options) = adapted {
        return adapt(args, options, log, listener.as_ref(), &stop);
    }
    Interrupt::catch({
        let stop = Arc::clone(&stop);
        move || stop.store(true, Ordering::Relaxed)
    })?;
    let book = args.book.options()?;
    let options = EngineOptions {
        ponder: games.session.ponder,
        book,
        ..args.engine.options(Variant::International)?
    };
    let rules = options.draw_rules;
    let thinker = Box::new(Engine::new(options)?);
    let engine = DxpEngine { thinker, depth: games.depth, rules };
    let name = SessionOptions::default().name;
    args.play(listener.as_ref(), DxpSession::new(games, args.force, engine, &name, log, &stop)?)
}

/// The games of another engine.
fn adapt(
    args: &DxpArgs,
    options: AdapterOptions,
    log: Log,
    listener: Option<&Listener>,
    stop: &Arc<AtomicBool>,
) -> Result<(), Failure> {
    let _watchdog = adapt::watch(&options);
    Interrupt::catch({
        let (stop, abort) = (Arc::clone(stop), Arc::clone(&options.abort));
        move || {
            stop.store(true, Ordering::Relaxed);
            abort.set();
        }
    })?;
    let remark = Remark::new({
        let log = log.clone();
        move |text| {
            log.remark(text);
            note(text);
        }
    });
    let rules = args.engine.draw_rules;
    let options = AdapterOptions {
        book: args.book.given()?,
        databases: args.engine.databases.given(),
        draw_rules: rules,
        ponder: args.games.session.ponder,
        may_give_up: true,
        remark,
        ..options
    };
    let log_error = Arc::clone(&options.log_error);
    let adapter = adapt::start(options)?;
    let name = adapter.full_name();
    let engine = DxpEngine { thinker: Box::new(adapter), depth: args.games.depth, rules };
    let session = DxpSession::new(&args.games, args.force, engine, &name, log, stop)?;
    args.play(listener, session)?;
    adapt::check_log(&log_error)
}

impl DxpArgs {
    /// Listens, if we do: a port that is in use is noticed at once.
    fn listener(&self) -> Result<Option<Listener>, Failure> {
        let Address { host, port } = &self.place;
        let refused = |why: &str| Err(Failure::Input(anyhow!("{why}")));
        match self.side {
            Side::Listen if self.connection.retry.is_some() => {
                refused("--retry is for the side that connects")
            }
            Side::Connect if self.connection.once => refused("--once is for the side that listens"),
            Side::Connect if *port == 0 => {
                refused("port 0: expected the port on which the program listens")
            }
            Side::Connect => Ok(None),
            Side::Listen => {
                let listener = Listener::bind(host, *port)
                    .with_context(|| format!("cannot listen on {host}, port {port}"));
                listener.map(Some).map_err(Failure::Run)
            }
        }
    }

    /// Plays over as many connections as are needed.
    fn play(&self, listener: Option<&Listener>, session: DxpSession<'_>) -> Result<(), Failure> {
        let (ConnectionArgs { once, retry }, Address { host, port }) =
            (&self.connection, &self.place);
        match listener {
            Some(listener) => listen(session, host, listener, *once),
            None => reach(session, host, *port, retry.unwrap_or(DEFAULT_RETRY)),
        }
    }
}

fn listen(
    mut session: DxpSession<'_>,
    host: &str,
    listener: &Listener,
    once: bool,
) -> Result<(), Failure> {
    let stop = session.stop;
    session.report.say(&format!("listening on {host}, port {}", listener.port()?))?;
    let mut next: Option<TcpStream> = None;
    loop {
        let stream = match next.take() {
            Some(stream) => Some(stream),
            None => listener.accept(stop, None)?,
        };
        let Some(stream) = stream else {
            session.totals()?;
            return Err(session.interrupted());
        };
        let mut is_another_waiting = || {
            if !once && next.is_none() {
                next = listener.accept(stop, Some(Instant::now())).ok().flatten();
            }
            next.is_some()
        };
        let after = session.converse(stream, &mut is_another_waiting)?;
        if after == After::Over || once {
            return session.finish();
        }
        session.report.say(match after {
            After::Replaced => "the connection is idle and another one has come: changing to it",
            After::NoAnswer => "no answer to the proposal, waiting for the next connection",
            _ => "waiting for the next connection",
        })?;
    }
}

/// Connects, and again when the connection is lost.
fn reach(
    mut session: DxpSession<'_>,
    host: &str,
    port: u16,
    retry: Duration,
) -> Result<(), Failure> {
    let stop = session.stop;
    let mut again = Again::new(retry);
    loop {
        let stream = match connect(host, port, retry, stop) {
            Ok(Some(stream)) => stream,
            Ok(None) => break,
            Err(_) if session.is_follower_done() => return session.finish(),
            Err(error) => {
                session.totals()?;
                return Err(Failure::Run(
                    anyhow::Error::new(error)
                        .context(format!("cannot connect to {host}, port {port}")),
                ));
            }
        };
        let (plies, begun) = (session.report.plies, Instant::now());
        let after = session.converse(stream, &mut || false)?;
        let what = match after {
            After::Over | After::PeerStopped => return session.finish(),
            After::NoAnswer => "no answer to the proposal",
            After::Lost | After::Replaced => "connection lost",
        };
        let is_fruitful = session.report.plies > plies
            // A follower may have waited long for a game.
            || after == After::Lost && begun.elapsed() > retry;
        if is_fruitful {
            again = Again::new(retry);
        } else if !again.pause(stop) {
            if session.is_follower_done() {
                return session.finish();
            }
            session.totals()?;
            return Err(Failure::Run(anyhow!("giving up {host}, port {port}: {what} each time")));
        }
        if stop.load(Ordering::Relaxed) {
            break;
        }
        session.report.say(&format!("{what}, connecting again"))?;
    }
    session.totals()?;
    Err(session.interrupted())
}

/// Growing pauses between connections that bring no game.
struct Again {
    patience: Duration,
    pause: Duration,
    /// The time when the first of them was over.
    since: Option<Instant>,
}

impl Again {
    const FIRST: Duration = Duration::from_millis(100);
    const LONGEST: Duration = Duration::from_secs(5);

    fn new(patience: Duration) -> Again {
        Again { patience, pause: Again::FIRST, since: None }
    }

    /// Waits before another attempt; `false` if there is to be none.
    fn pause(&mut self, stop: &AtomicBool) -> bool {
        let now = Instant::now();
        let since = *self.since.get_or_insert(now);
        if now + self.pause > since + self.patience {
            return false;
        }
        let until = now + self.pause;
        while Instant::now() < until && !stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(20));
        }
        self.pause = (self.pause * 2).min(Again::LONGEST);
        true
    }
}
