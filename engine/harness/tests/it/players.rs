//! Our own player over DXP in this process, with real connections.

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, unbounded};
use egdb::DatabaseOptions;
use meerslag_harness::adapter::{Adapter, AdapterOptions};
use meerslag_harness::protocol::Log;
use meerslag_harness::protocol::dxp::{
    Connection, DxpEngine, DxpGame, DxpPlay, Event, InitiatorOptions, Listener, SessionEnd,
    SessionOptions, connect, follow, initiate,
};
use meerslag_search::{Control, Engine, EngineOptions, Info, Limits, Mode, SearchResult, Thinker};
use meerslag_tests::Peer;
use meerslag_tests::client::PATIENCE;
use movegen::{Color, DrawRules, Game, Position};

/// How a player plays.
pub struct Setup {
    pub options: SessionOptions,
    pub gap: Duration,
    pub depth: u32,
    pub log: Log,
    /// It proposes games; otherwise it follows.
    pub proposal: Option<InitiatorOptions>,
}

impl Default for Setup {
    /// A follower without haste or delay.
    fn default() -> Setup {
        let options = SessionOptions::default();
        Setup { options, gap: Duration::ZERO, depth: 2, log: Log::none(), proposal: None }
    }
}

/// Games from the initial position of five minutes and so many moves; 0 for whole games. The colours
/// change.
pub fn proposal(games: usize, moves: u32) -> InitiatorOptions {
    let color = |game: usize| [Color::White, Color::Black][game % 2];
    let games = (0..games).map(|game| (Position::initial(), color(game))).collect();
    InitiatorOptions { games, minutes: 5.0, moves }
}

/// What a player reports.
#[derive(Debug)]
pub enum Said {
    /// It begins to think in the opponent's time.
    Ponders,
    /// A game is over.
    Game(Box<DxpGame>),
    /// The peer does not play this game of the proposal, counted from 0.
    Refused(usize),
    /// A connection is over.
    End(SessionEnd),
}

/// A player; it stops when this is dropped.
pub struct Player {
    /// Where it listens; 0 if it has connected.
    pub port: u16,
    said: Receiver<Said>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Our engine, which reports when it begins to ponder.
#[derive(Debug)]
struct Reporting {
    engine: Engine,
    says: Sender<Said>,
}

impl Thinker for Reporting {
    fn new_game(&mut self) {
        self.engine.new_game();
    }

    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        if limits.mode == Mode::Ponder {
            let _ = self.says.send(Said::Ponders);
        }
        self.engine.search(game, limits, control, report)
    }
}

impl Player {
    /// A player that waits for connections, one after the other.
    pub fn listen(setup: Setup) -> Player {
        let (listener, port) = listener();
        Player::start(setup, port, None, move |stop| listener.accept(stop, None).unwrap())
    }

    /// The same with an adapted engine.
    pub fn adapted(setup: Setup, options: AdapterOptions) -> Player {
        let (listener, port) = listener();
        let (setup, adapter) = start_adapter(setup, options);
        Player::start(setup, port, Some(adapter), move |stop| listener.accept(stop, None).unwrap())
    }

    /// An adapted engine that connects with this port of this machine.
    pub fn adapted_that_connects(setup: Setup, options: AdapterOptions, port: u16) -> Player {
        let (setup, adapter) = start_adapter(setup, options);
        Player::start(setup, 0, Some(adapter), move |stop| reach(port, stop))
    }

    /// A player that connects with this port of this machine.
    pub fn connect(setup: Setup, port: u16) -> Player {
        Player::start(setup, 0, None, move |stop| reach(port, stop))
    }

    /// A player that connects with us.
    pub fn meet(setup: Setup) -> (Player, TcpListener, Peer) {
        let listener = TcpListener::bind("localhost:0").unwrap();
        let player = Player::connect(setup, listener.local_addr().unwrap().port());
        let peer = Peer::accept(&listener);
        (player, listener, peer)
    }

    fn start(
        setup: Setup,
        port: u16,
        thinker: Option<Box<dyn Thinker>>,
        mut next: impl FnMut(&AtomicBool) -> Option<TcpStream> + Send + 'static,
    ) -> Player {
        let (says, said) = unbounded();
        let stop = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let thinker = thinker.unwrap_or_else(|| Box::new(own(says.clone())));
            let rules = DrawRules::default();
            let mut engine = DxpEngine { thinker, depth: Some(setup.depth), rules };
            let mut game = 0;
            while let Some(stream) = next(&is_stopped) {
                let end = setup.serve(stream, &mut engine, &mut game, &is_stopped, &says);
                let is_over = matches!(end, SessionEnd::Complete | SessionEnd::Interrupted);
                let _ = says.send(Said::End(end));
                if is_over {
                    break;
                }
            }
        });
        Player { port, said, stop, thread: Some(thread) }
    }

    /// Its next report.
    pub fn next(&self) -> Said {
        self.said.recv_timeout(PATIENCE).expect("a report")
    }

    /// Waits until it ponders.
    pub fn ponders(&self) {
        while !matches!(self.next(), Said::Ponders) {}
    }

    /// The next game that is over.
    pub fn game(&self) -> DxpGame {
        loop {
            match self.next() {
                Said::Game(game) => return *game,
                Said::Ponders => {}
                other => panic!("{other:?} instead of a game"),
            }
        }
    }

    /// How a connection has ended, after games that have been taken note of.
    pub fn end(&self) -> SessionEnd {
        loop {
            match self.next() {
                Said::End(end) => return end,
                Said::Ponders => {}
                other => panic!("{other:?} instead of an end"),
            }
        }
    }

    /// Tells it to stop.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take().filter(|_| !thread::panicking()) {
            let _ = thread.join();
        }
    }
}

fn listener() -> (Listener, u16) {
    let listener = Listener::bind("localhost", 0).unwrap();
    let port = listener.port().unwrap();
    (listener, port)
}

fn reach(port: u16, stop: &AtomicBool) -> Option<TcpStream> {
    connect("localhost", port, PATIENCE, stop).ok().flatten()
}

/// Starts an engine, whose name the player then has.
fn start_adapter(mut setup: Setup, options: AdapterOptions) -> (Setup, Box<dyn Thinker>) {
    let adapter = Adapter::start(options, &|_, _| {}).unwrap();
    setup.options.name = adapter.full_name();
    (setup, Box::new(adapter))
}

fn own(says: Sender<Said>) -> Reporting {
    let databases = DatabaseOptions::none();
    let options = EngineOptions { hash_mib: 1, databases, ..EngineOptions::default() };
    Reporting { engine: Engine::new(options).unwrap(), says }
}

impl Setup {
    /// Serves one connection; `game` is the next one of the proposal.
    fn serve(
        &self,
        stream: TcpStream,
        engine: &mut DxpEngine,
        game: &mut usize,
        stop: &AtomicBool,
        says: &Sender<Said>,
    ) -> SessionEnd {
        let Ok(mut connection) = Connection::new(stream, self.gap, self.log.clone()) else {
            return SessionEnd::Lost;
        };
        let mut observe = |event: Event<'_>| {
            let said = match event {
                Event::Moved(_) => return Ok(()),
                Event::Game { game, .. } => Said::Game(Box::new(game.clone())),
                Event::Refused { number, .. } => Said::Refused(number),
            };
            let _ = says.send(said);
            Ok(())
        };
        let (connection, options) = (&mut connection, &self.options);
        let mut play = DxpPlay { connection, engine, options, stop };
        match &self.proposal {
            Some(proposal) => initiate(&mut play, proposal, game, &mut observe),
            None => follow(&mut play, &mut || false, &mut observe),
        }
    }
}
