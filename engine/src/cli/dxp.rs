//! `meerslag dxp`: games against another program over the DamExchange protocol.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::{Args, Subcommand, ValueEnum};
use meerslag_engine::protocol::dxp::{
    Connection, ConnectionLog, DEFAULT_PORT, DxpEngine, DxpGame, InitiatorOptions, Listener,
    SessionEnd, SessionOptions, connect, follow, initiate,
};
use meerslag_engine::runner::openings;
use meerslag_engine::{Engine, EngineOptions};
use movegen::notation::pdn::{
    Annotation, Comment, GameResult, PdnGame, Ply, WriteOptions, write_game,
};
use movegen::{Color, Position};

use super::interrupt::Interrupt;
use super::{EngineArgs, Failure};

const EXAMPLES: &str = "\
Examples:
  meerslag dxp listen --pdn games.pdn
      wait for a program that connects and proposes games
  meerslag dxp connect localhost --role initiator --openings two-move --minutes 5 --moves 75
      play the 158 games of the two-move ballots against a program that listens";

/// Play against another program over DXP, the DamExchange protocol
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct DxpArgs {
    #[command(subcommand)]
    transport: Transport,
}

#[derive(Subcommand, Debug)]
enum Transport {
    /// Wait for the other program to connect
    Listen {
        /// Address to listen on; others than this machine's own need trust in the network
        #[arg(long, default_value = "localhost")]
        host: String,
        /// End after the first connection instead of waiting for another one
        #[arg(long)]
        once: bool,
        #[command(flatten)]
        common: Common,
    },
    /// Connect to the other program, which listens
    Connect {
        /// The machine on which it runs
        #[arg(default_value = "localhost")]
        host: String,
        /// How long to try, in seconds: it may still be loading
        #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = super::seconds)]
        retry: Duration,
        #[command(flatten)]
        common: Common,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Role {
    /// Answer the other program's proposals
    Follower,
    /// Propose the games
    Initiator,
}

#[derive(Args, Debug)]
struct Common {
    /// Port; 0 with listen takes a free one and tells it
    #[arg(long, default_value_t = DEFAULT_PORT)]
    port: u16,
    /// Who proposes the games
    #[arg(long, value_enum, default_value_t = Role::Follower)]
    role: Role,
    /// Our name, up to 32 characters
    #[arg(long)]
    name: Option<String>,
    /// Initiator: minutes for each player; parts of a minute are not understood by all programs
    #[arg(long, default_value_t = 5.0, value_parser = minutes)]
    minutes: f64,
    /// Initiator: moves of each player after which a game ends; 0 for no limit
    #[arg(long, default_value_t = 75, value_parser = clap::value_parser!(u32).range(..=999))]
    moves: u32,
    /// Initiator: start positions: start, two-move, three-move or a FEN file; each is played twice
    #[arg(long, value_name = "SET|FILE", default_value = "start")]
    openings: String,
    /// Initiator: number of games [default: two from each opening]
    #[arg(long, value_name = "N")]
    games: Option<usize>,
    /// Initiator: begin with this game, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    from_game: usize,
    /// Add the games to this PDN file
    #[arg(long, value_name = "FILE")]
    pdn: Option<PathBuf>,
    /// Add every message with time and direction to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Least time between two of our messages in milliseconds: some programs need it
    #[arg(long, value_name = "MS", default_value_t = 100)]
    gap: u64,
    /// Give the opponent up after so many seconds without a move [default: wait for ever]
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    silence: Option<Duration>,
    /// How long to wait for a legal move after an illegal one, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = super::seconds)]
    correction: Duration,
    /// How long to wait for the other program's echo of an end, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = super::seconds)]
    echo: Duration,
    /// Initiator: how long the answer to a proposal may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = super::seconds)]
    answer: Duration,
    /// Greatest search depth, beside the clock
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Think in the opponent's time too
    #[arg(long)]
    ponder: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

fn minutes(text: &str) -> Result<f64, String> {
    let minutes: Option<f64> = text.parse().ok();
    let minutes = minutes.filter(|m| (0.01..=999.0).contains(m));
    minutes.ok_or_else(|| "expected minutes from 0.01 to 999".to_owned())
}

pub(super) fn run(args: &DxpArgs) -> Result<(), Failure> {
    let common = match &args.transport {
        Transport::Listen { common, .. } | Transport::Connect { common, .. } => common,
    };
    let stop = Arc::new(AtomicBool::new(false));
    Interrupt::catch({
        let stop = Arc::clone(&stop);
        move || stop.store(true, Ordering::Relaxed)
    })?;
    let mut session = Session::new(common, &stop)?;
    match &args.transport {
        Transport::Listen { host, once, .. } => {
            let listener = Listener::bind(host, common.port)
                .with_context(|| format!("cannot listen on {host}, port {}", common.port))
                .map_err(Failure::Run)?;
            say(&format!("listening on {host}, port {}", listener.port()?))?;
            while let Some(stream) = listener.accept(&stop, None)? {
                let after = session.converse(stream)?;
                if after == After::Over || *once {
                    return session.finish();
                }
                say("waiting for the next connection")?;
            }
        }
        Transport::Connect { host, retry, .. } => {
            let mut after = None;
            loop {
                let stream = match connect(host, common.port, *retry, &stop) {
                    Ok(Some(stream)) => stream,
                    Ok(None) => break,
                    // A follower does not know whether there was more to come.
                    Err(_) if after.is_some() && common.role == Role::Follower => {
                        return session.finish();
                    }
                    Err(error) => {
                        session.finish()?;
                        return Err(Failure::Run(anyhow::Error::new(error).context(format!(
                            "cannot connect with {host}, port {}",
                            common.port
                        ))));
                    }
                };
                let what = session.converse(stream)?;
                if matches!(what, After::Over | After::PeerStopped) {
                    return session.finish();
                }
                after = Some(what);
                say("connection lost, connecting again")?;
            }
        }
    }
    session.finish()?;
    Err(Failure::Interrupted)
}

/// What there is to do after a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum After {
    /// Nothing more.
    Over,
    /// This peer wants no more games.
    PeerStopped,
    /// Go on with another connection.
    Lost,
}

/// A line on standard output, at once.
fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

struct Session<'a> {
    common: &'a Common,
    stop: &'a AtomicBool,
    engine: DxpEngine,
    options: SessionOptions,
    proposal: InitiatorOptions,
    /// The next game to propose.
    next: usize,
    log: ConnectionLog,
    report: Report,
}

/// What is told about finished games.
struct Report {
    pdn: Option<File>,
    name: String,
    round: usize,
    /// Won, drawn, lost, unknown.
    counts: [u32; 4],
}

impl<'a> Session<'a> {
    fn new(common: &'a Common, stop: &'a AtomicBool) -> Result<Session<'a>, Failure> {
        let append = |path: &Option<PathBuf>| {
            let open = |path: &PathBuf| {
                let file = OpenOptions::new().create(true).append(true).open(path);
                file.with_context(|| format!("cannot write {}", path.display()))
            };
            path.as_ref().map(open).transpose().map_err(Failure::Run)
        };
        let mut options = SessionOptions {
            ponder: common.ponder,
            move_patience: common.silence,
            correction_patience: common.correction,
            echo_patience: common.echo,
            answer_patience: common.answer,
            ..SessionOptions::default()
        };
        if let Some(name) = &common.name {
            options.name.clone_from(name);
        }
        let engine_options = EngineOptions { ponder: common.ponder, ..common.engine.options() };
        let rules = engine_options.draw_rules;
        let engine = DxpEngine { engine: Engine::new(engine_options)?, depth: common.depth, rules };
        Ok(Session {
            common,
            stop,
            engine,
            proposal: InitiatorOptions {
                games: games(common).map_err(Failure::Input)?,
                minutes: common.minutes,
                moves: common.moves,
            },
            next: common.from_game.saturating_sub(1),
            log: append(&common.log)?.map_or_else(ConnectionLog::none, ConnectionLog::to),
            report: Report {
                pdn: append(&common.pdn)?,
                name: options.name.clone(),
                round: common.from_game,
                counts: [0; 4],
            },
            options,
        })
    }

    /// Serves one connection.
    fn converse(&mut self, stream: std::net::TcpStream) -> Result<After, Failure> {
        let gap = Duration::from_millis(self.common.gap);
        let Ok(mut connection) = Connection::new(stream, gap, self.log.clone()) else {
            // The peer is gone already.
            return Ok(After::Lost);
        };
        let report = &mut self.report;
        let mut observe = |game: &DxpGame| report.game(game);
        let end = match self.common.role {
            Role::Follower => {
                follow(&mut connection, &mut self.engine, &self.options, self.stop, &mut observe)
            }
            Role::Initiator => initiate(
                &mut connection,
                &mut self.engine,
                &self.options,
                &self.proposal,
                &mut self.next,
                self.stop,
                &mut observe,
            ),
        };
        let is_complete =
            self.common.role == Role::Initiator && self.next >= self.proposal.games.len();
        match end {
            SessionEnd::Observer(error) => Err(error.into()),
            SessionEnd::Interrupted => Err(Failure::Interrupted),
            SessionEnd::Complete => Ok(After::Over),
            SessionEnd::StopCode if self.common.role == Role::Initiator => Ok(After::Over),
            SessionEnd::StopCode => Ok(After::PeerStopped),
            SessionEnd::Lost if is_complete => Ok(After::Over),
            SessionEnd::Lost => Ok(After::Lost),
        }
    }

    fn finish(&self) -> Result<(), Failure> {
        let [won, drawn, lost, unknown] = self.report.counts;
        say(&format!("{won} won, {drawn} drawn, {lost} lost, {unknown} unknown"))?;
        Ok(())
    }
}

/// The games that the initiator proposes: each opening with both colours.
fn games(common: &Common) -> anyhow::Result<Vec<(Position, Color)>> {
    let fens = match common.openings.as_str() {
        "start" => vec![Position::initial().to_fen()],
        "two-move" => openings::two_move_ballots(),
        "three-move" => openings::three_move_ballots(),
        path => {
            let text = fs::read_to_string(path).with_context(|| format!("openings {path}"))?;
            openings::from_fens(&text).with_context(|| format!("openings {path}"))?
        }
    };
    let count = common.games.unwrap_or(2 * fens.len());
    if common.from_game == 0 || common.from_game > count.max(1) {
        return Err(anyhow!("--from-game {} is not within 1..={count}", common.from_game));
    }
    let game = |index: usize| {
        let color = if index.is_multiple_of(2) { Color::White } else { Color::Black };
        Ok((Position::from_fen(&fens[index / 2 % fens.len()])?, color))
    };
    (0..count).map(game).collect()
}

impl Report {
    fn game(&mut self, game: &DxpGame) -> io::Result<()> {
        let us = game.terms.us;
        let place = match game.result {
            GameResult::Draw => 1,
            result => match result.winner() {
                Some(winner) if winner == us => 0,
                Some(_) => 2,
                None => 3,
            },
        };
        self.counts[place] += 1;
        let (white, black) = match us {
            Color::White => (self.name.as_str(), game.opponent.as_str()),
            Color::Black => (game.opponent.as_str(), self.name.as_str()),
        };
        let (round, moves) = (self.round, game.plies.len().div_ceil(2));
        let (result, note) = (game.result, &game.note);
        if let Some(file) = &mut self.pdn {
            let mut text = Vec::new();
            let pdn = to_pdn(game, round, white, black);
            write_game(&mut text, &pdn, &WriteOptions::default())?;
            file.write_all(&text)?;
        }
        say(&format!("{round}: {white} - {black}  {result}  {note}, {moves} moves"))?;
        self.round += 1;
        Ok(())
    }
}

fn to_pdn(game: &DxpGame, round: usize, white: &str, black: &str) -> PdnGame {
    let mut pdn = PdnGame::new(game.terms.start);
    pdn.tags.set("Event", "DXP match");
    pdn.tags.set("Round", &round.to_string());
    pdn.tags.set("White", if white.is_empty() { "?" } else { white });
    pdn.tags.set("Black", if black.is_empty() { "?" } else { black });
    let time = game.terms.minutes * 60.0;
    let control = match game.terms.moves {
        0 => format!("{time}"),
        moves => format!("{moves}/{time}"),
    };
    pdn.tags.set("TimeControl", &control);
    pdn.tags.set("Termination", &game.note);
    let mut mover = game.terms.start.side_to_move();
    for ply in &game.plies {
        let mut text = String::new();
        if let Some(score) = ply.score {
            let white = if mover == Color::White { score } else { -score } + 0.0;
            let _ = write!(text, "[%eval {white:.2}] ");
        }
        if let Some(depth) = ply.depth {
            let _ = write!(text, "[%depth {depth}] ");
        }
        let _ = write!(text, "[%emt {:.3}] [%clk {:.3}]", ply.time, ply.clock.max(0.0));
        let mut written = Ply::from(ply.mv);
        written.after.push(Annotation::Comment(Comment::new(&text)));
        pdn.line.plies.push(written);
        mover = mover.opponent();
    }
    pdn.result = game.result;
    pdn
}
