//! `--serve`: the page for spectators and the director of a tournament.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use clap::Args;
use crossbeam::channel::{Receiver, Sender, bounded};
use meerslag_harness::runner::InPlayRecord;
use meerslag_search::EngineOptions;
use meerslag_serve::http::live::{Live as LiveServer, Shown};
use meerslag_serve::http::{Server, ServerError, ServerOptions, Stop};

use super::super::files::ForceArgs;
use super::super::json::to_json;
use super::super::streams::note;
use super::super::{Failure, serve, watchdog};
use super::director::{DirectorConsole, hold_signals};
use super::maker::Maker;

/// The default address.
const USUAL: &str = "127.0.0.1:8011";
/// How often the shown state is checked for changes.
const INTERVAL: Duration = Duration::from_millis(500);
/// Spectators at a time; further ones wait.
const MAX_SPECTATORS: usize = 1000;
/// A client that is silent this long before it asks is dropped.
const PATIENCE: Duration = Duration::from_secs(15);

/// The page of a tournament.
#[derive(Args, Debug)]
pub(super) struct LiveArgs {
    /// Serve a page on which others follow the games, and the director leads them; others than this
    /// machine's own addresses need trust in the network. At the end a page remains in the file
    /// that the description names, or FILE with the ending .html [default: 127.0.0.1:8011]
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, default_missing_value = USUAL,
          value_parser = address, conflicts_with_all = ["check", "table"])]
    serve: Option<SocketAddr>,
    /// The token for the director's page, after # in its address [default: made for each run]
    #[arg(long, value_name = "TOKEN", requires = "serve", value_parser = token)]
    token: Option<String>,
    /// A name for this machine in the page's address, in addition to localhost and addresses; repeatable
    #[arg(long, value_name = "NAME", requires = "serve")]
    allow_host: Vec<String>,
    /// The director makes the tournament on the page first: it writes FILE, or changes it, and begins when
    /// the director says so. With the director's address, programs of this machine can be started
    #[arg(long, requires = "serve", conflicts_with_all = ["check", "table", "resume", "decide"])]
    make: bool,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let expected = || format!("expected HOST:PORT, such as {USUAL} or 0.0.0.0:8011");
    let mut found = text.to_socket_addrs().map_err(|_| expected())?;
    found.next().ok_or_else(expected)
}

fn token(text: &str) -> Result<String, String> {
    let is_good = (16..=200).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    is_good.then(|| text.to_owned()).ok_or_else(|| {
        "expected 16 to 200 letters of the English alphabet, digits, '-', '.', '_' or '~'"
            .to_owned()
    })
}

/// A token that nobody can guess. The standard library takes the keys of its hash tables from the
/// system's source of randomness, and its hash (SipHash) does not give them away.
fn new_token() -> String {
    let word = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}

/// A page that is being served.
pub(super) struct LivePage {
    shown: Shown,
    /// What hears the director, once the tournament has begun.
    console: Arc<OnceLock<DirectorConsole>>,
    /// Closed when the run is over.
    over: Option<Sender<()>>,
    shows: Option<JoinHandle<()>>,
    server: Option<JoinHandle<Result<(), ServerError>>>,
    stop: Stop,
}

impl LiveArgs {
    pub(super) const fn is_served(&self) -> bool {
        self.serve.is_some()
    }

    /// Serves a page on which the tournament of this file is made, if that is wanted, and waits until it is to
    /// begin.
    pub(super) fn make(&self, file: &Path, force: ForceArgs) -> Result<Option<LivePage>, Failure> {
        if !self.make {
            return Ok(None);
        }
        // Before there are other threads.
        hold_signals();
        let (maker, begun) = Maker::new(file, force.existing());
        // For the programs that are tried.
        let _watchdog = watchdog::start();
        let page = self.open(move |question, body| maker.answer(question, body))?;
        begun.recv().map_err(Failure::run)?;
        Ok(page)
    }

    /// Serves the page of a tournament that begins, if it is wanted.
    pub(super) fn show(
        &self,
        page: Option<LivePage>,
        console: &DirectorConsole,
    ) -> Result<Option<LivePage>, Failure> {
        let begun = |_: &str, _: &str| Err("the tournament has begun".to_owned());
        let page = page.map_or_else(|| self.open(begun), |page| Ok(Some(page)))?;
        let Some(mut page) = page else { return Ok(None) };
        let (over, is_over) = bounded(0);
        let shown = page.shown.clone();
        let own = console.clone();
        let shows = thread::Builder::new().name("show".to_owned());
        page.shows = Some(shows.spawn(move || show(&own, &shown, &is_over))?);
        page.over = Some(over);
        let _ = page.console.set(console.clone());
        Ok(Some(page))
    }

    /// Serves the page, if it is wanted.
    fn open(
        &self,
        answers: impl Fn(&str, &str) -> Result<String, String> + Send + Sync + 'static,
    ) -> Result<Option<LivePage>, Failure> {
        let Some(address) = self.serve else { return Ok(None) };
        let console = Arc::new(OnceLock::<DirectorConsole>::new());
        let shown = Shown::new(&["table", "games"]);
        let token = self.token.clone().unwrap_or_else(new_token);
        let hears = {
            let console = Arc::clone(&console);
            move |line: &str| {
                note(format_args!("director's page: {line}"));
                let console = console.get().ok_or("the tournament has not begun")?;
                console.carry_out(line).map(str::to_owned)
            }
        };
        let options = ServerOptions {
            encoding: None,
            address,
            allowed_origins: Vec::new(),
            allowed_hosts: self.allow_host.clone(),
            frames: Vec::new(),
            proxies: Vec::new(),
            rate: None,
            has_one_body_limit: false,
            patience: PATIENCE,
            connections: MAX_SPECTATORS,
            engine: EngineOptions::default(),
            searches: 0,
            // One thread for all spectators: the processors are for the players.
            threads: 1,
        };
        let live = LiveServer {
            shown: shown.clone(),
            token: token.clone(),
            hears: Box::new(hears),
            answers: Box::new(answers),
        };
        let server = Server::bind_live(live, &options)?;
        let stop = server.stop();
        let address = serve::reachable(server.address()?);
        let server = thread::Builder::new().name("page".to_owned()).spawn(move || server.run())?;
        let server = Some(server);
        let page = LivePage { shown, console, over: None, shows: None, server, stop };
        note(format_args!("spectators: http://{address}/"));
        note(format_args!("director:   http://{address}/#{token}"));
        Ok(Some(page))
    }
}

/// Shows what has changed, until the channel is closed, and then once more.
fn show(console: &DirectorConsole, shown: &Shown, is_over: &Receiver<()>) {
    let mut before = [String::new(), String::new()];
    loop {
        let waited = is_over.recv_timeout(INTERVAL);
        let table = to_json(&console.live.lock().to_record(&console.director));
        let games = to_json(&InPlayRecord::new(&console.config, &console.director));
        for ((name, json), before) in
            [("table", table), ("games", games)].into_iter().zip(&mut before)
        {
            if json != *before {
                shown.show(name, &json);
                *before = json;
            }
        }
        if waited.is_err_and(|error| error.is_disconnected()) {
            return;
        }
    }
}

impl LivePage {
    /// Sends the last state, and waits until spectators have it.
    pub(super) fn close(mut self) -> io::Result<()> {
        self.over = None;
        let failed = || io::Error::other("the page of the tournament failed");
        if let Some(shows) = self.shows.take() {
            shows.join().map_err(|_| failed())?;
        }
        self.stop.stop();
        let Some(server) = self.server.take() else { return Ok(()) };
        server.join().map_err(|_| failed())?.map_err(io::Error::other)
    }
}
