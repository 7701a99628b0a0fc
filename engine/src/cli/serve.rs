//! `meerslag serve`: rules, databases, book and search for other programs and for the browser.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;
use clap::Args;
use meerslag_search::EngineOptions;
#[cfg(feature = "games")]
use meerslag_serve::GamesShelf;
use meerslag_serve::export::{ENGINE, ExportError, RULES, export};
use meerslag_serve::http::{Server, ServerError, ServerOptions};
use meerslag_serve::{Desk, DeskLimits};
use movegen::Variant;

use super::failure::Ends;
use super::files::ForceArgs;
use super::interrupt::Interrupt;
use super::opening_book::OpeningBookArgs;
use super::source::EncodingArgs;
#[cfg(feature = "games")]
use super::streams::note;
use super::streams::{Messages, stdout};
use super::{EngineArgs, Failure, threads};

const EXAMPLES: &str = "\
Examples:
  meerslag serve
      then ask: curl 'http://127.0.0.1:8010/v1/probe?fen=W:WK11:BK2,K6'
  meerslag serve --open
      the board in the browser; the same as meerslag without a command
  meerslag serve --egdb /data/egdb --book own.book --port 80 --host 0.0.0.0 --allow-host desk.example
  meerslag serve --searches 4 --threads 2 --hash 256
  meerslag serve --export site                 the board for any web host, without a server

Everything about the routes is in docs/serve.md, and in the server's own /openapi.json. Pages of \
other origins may not ask unless --allow-origin names them.";

/// Serve the board in the browser (play, analysis, endgames), and the same to other programs over
/// HTTP
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ServeArgs {
    /// Address to listen on; others than this machine's own need trust in the network
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Port; 0 takes a free one [default: 8010]. With --open it may be that of a board that runs
    /// already; a free one is taken if another program has the default
    #[arg(long)]
    port: Option<u16>,
    /// Open the board in the browser of this machine
    #[arg(long, conflicts_with = "export")]
    open: bool,
    #[command(flatten)]
    encoding: EncodingArgs,
    #[command(flatten)]
    book: OpeningBookArgs,
    /// A file of games (docs/games.md), to look games up in [default: with --open one in the user's
    /// data folder, which also takes games]
    #[cfg(feature = "games")]
    #[arg(long, value_name = "FILE", conflicts_with = "export")]
    games: Option<PathBuf>,
    /// Clients may also add games to that file, which is made if it is missing
    #[cfg(feature = "games")]
    #[arg(long, requires = "games")]
    games_add: bool,
    /// Searches at a time, each with its own engine: --threads and --hash are for each
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256))]
    searches: u16,
    /// The longest search, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = super::seconds)]
    longest: Duration,
    /// Requests a second of one address [default: 50 for other machines, no limit for this one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// Seconds after which a client that sends nothing, or half a request, is dropped
    #[arg(long, value_name = "SECONDS", default_value = "15", value_parser = super::seconds)]
    patience: Duration,
    /// Connections at a time, a quarter of them of one address
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..))]
    connections: u16,
    /// The largest body of a request, such as a file of games, in MiB [default: 64 from this
    /// machine, 8 from others]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u16).range(1..=1024))]
    body: Option<u16>,
    /// Threads that answer requests, and as many for long answers; 0 takes one for each processor
    #[arg(long, value_name = "N", default_value = "0", value_parser = threads::<256>)]
    workers: usize,
    /// A page of this origin may ask as well, such as `https://example.org`; '*' for all. May be
    /// given several times
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// A name for this machine that clients may use, in addition to localhost and addresses. May be given
    /// several times
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Pages of this origin, such as `https://example.org`, may show the board in a frame; '*' for all.
    /// May be given several times
    #[arg(long, value_name = "ORIGIN")]
    frames: Vec<String>,
    /// Address of a reverse proxy before this server, such as 127.0.0.1: --rate and --body are for
    /// the clients that it names in X-Forwarded-For. May be given several times
    #[arg(long, value_name = "ADDRESS")]
    proxy: Vec<IpAddr>,
    /// Write the board to this folder instead, as a site that needs no server, with the single file of
    /// --egdb if there is one: docs/board.md
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
    /// The folder with the WebAssembly modules of that site, meerslag.wasm and rules.wasm [default:
    /// where the program is]
    #[arg(long, value_name = "DIR", requires = "export")]
    wasm: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

pub(super) fn run(args: &ServeArgs) -> Result<(), Failure> {
    if let Some(folder) = &args.export {
        return write_site(args, folder);
    }
    if args.open
        && let Some(address) = args.running()
    {
        open_browser(address, "It is the one that runs already.");
        return Ok(());
    }
    let engine = EngineOptions {
        book: args.book.options()?,
        ..args.engine.options(Variant::International)?
    };
    let desk = Desk {
        probe: args.engine.databases.open()?,
        book: engine.book.as_ref().map(|options| Arc::clone(&options.book)),
        #[cfg(feature = "games")]
        games: args.shelf()?,
        draw_rules: engine.draw_rules,
        limits: DeskLimits {
            searches: usize::from(args.searches),
            longest: args.longest,
            max_body_bytes: args
                .body
                .map_or(DeskLimits::default().max_body_bytes, |mib| usize::from(mib) << 20),
            ..DeskLimits::default()
        },
        ..Desk::default()
    };
    let options = ServerOptions {
        address: SocketAddr::new(args.host, args.port()),
        allowed_origins: args.allow_origin.clone(),
        allowed_hosts: args.allow_host.clone(),
        frames: args.frames.clone(),
        proxies: args.proxy.clone(),
        rate: args.rate,
        has_one_body_limit: args.body.is_some(),
        encoding: args.encoding.encoding,
        patience: args.patience,
        connections: usize::from(args.connections),
        engine,
        searches: usize::from(args.searches),
        threads: args.workers,
    };
    let server = Server::bind(desk, &options)?;
    let stop = server.stop();
    let interrupt = Interrupt::catch(move || stop.stop())?;
    let mut out = stdout();
    let address = server.address()?;
    writeln!(out, "Listening on http://{address}/")?;
    if let Some(shared) = server.shared() {
        writeln!(out, "In the network, for a phone too: {shared}")?;
    }
    out.flush()?;
    if args.open {
        open_browser(
            address,
            "Ctrl-C ends the program; 'meerslag --help' lists its other commands.",
        );
    }
    server.run()?;
    if interrupt.is_pressed() {
        return Err(Failure::interrupted("the server has ended"));
    }
    Ok(())
}

impl ServeArgs {
    #[cfg(feature = "games")]
    fn shelf(&self) -> Result<Option<GamesShelf>, Failure> {
        match &self.games {
            Some(path) => Ok(Some(GamesShelf::open(path, self.games_add)?)),
            None if self.open && self.host.is_loopback() => Ok(own_games()),
            None => Ok(None),
        }
    }

    /// The address of a board that this machine serves already at the port.
    fn running(&self) -> Option<SocketAddr> {
        let port = self.port.unwrap_or(USUAL_PORT);
        let address = reachable(SocketAddr::new(self.host, port));
        let ask = || -> io::Result<String> {
            let mut stream = TcpStream::connect_timeout(&address, SHORT)?;
            stream.set_read_timeout(Some(SHORT))?;
            write!(stream, "GET /v1/server HTTP/1.0\r\nHost: localhost:{port}\r\n\r\n")?;
            let mut answer = String::new();
            stream.take(1 << 16).read_to_string(&mut answer)?;
            Ok(answer)
        };
        let answer = ask().ok()?;
        let record: serde_json::Value =
            serde_json::from_str(answer.split("\r\n\r\n").nth(1)?).ok()?;
        // Another version may not know what this page asks.
        let is_ours =
            record["name"] == "Meerslag" && record["program_version"] == env!("CARGO_PKG_VERSION");
        is_ours.then_some(address)
    }

    /// The port. With `--open` a free port is taken if the usual one, where the browser keeps the
    /// games, is in use.
    fn port(&self) -> u16 {
        let is_in_use = || {
            TcpListener::bind((self.host, USUAL_PORT))
                .is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
        };
        match self.port {
            Some(port) => port,
            None if self.open && is_in_use() => 0,
            None => USUAL_PORT,
        }
    }
}

const USUAL_PORT: u16 = 8010;
/// For an answer of a server on this machine.
const SHORT: Duration = Duration::from_secs(2);

/// The user's own file of games, in the folder that the system has for the data of programs. Without
/// it the board works all the same.
#[cfg(feature = "games")]
fn own_games() -> Option<GamesShelf> {
    let path = dirs::data_dir()?.join("meerslag").join("games.games");
    let open = || {
        std::fs::create_dir_all(path.parent()?).ok()?;
        GamesShelf::open(&path, true).ok()
    };
    let shelf = open();
    if shelf.is_none() {
        note(format_args!("there is no file of games: {} cannot be used", path.display()));
    }
    shelf
}

/// The address of a server as seen from this machine.
pub(super) fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

/// Shows the board to the user, and says `more` about it.
fn open_browser(address: SocketAddr, more: &str) {
    let address = reachable(address);
    let said = match has_screen().then(|| open::that_detached(format!("http://{address}/"))) {
        Some(Ok(())) => "The board opens in your browser.".to_owned(),
        Some(Err(error)) => {
            format!("No browser could be opened ({error}): go to http://{address}/.")
        }
        None => format!("There is no screen for a browser: go to http://{address}/."),
    };
    let _ = writeln!(Messages, "{said} {more}");
}

/// Whether there is a screen for a browser. Without one, the opener of addresses may start a text
/// browser in the terminal.
fn has_screen() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(any(windows, target_os = "macos"))
        || ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].into_iter().any(is_set)
}

/// Writes the board as a site.
fn write_site(args: &ServeArgs, folder: &Path) -> Result<(), Failure> {
    let modules = match &args.wasm {
        Some(modules) => modules.clone(),
        None => installed_modules().ok_or_else(|| {
            Failure::Input(anyhow!(
                "there are no {ENGINE} and {RULES} beside the program: docs/board.md says how to build \
                 them; --wasm DIR names their folder"
            ))
        })?,
    };
    let endgames = match &args.engine.databases.options().folders[..] {
        [] => None,
        [file] => Some(file.clone()),
        _ => return Err(Failure::Input(anyhow!("a site has one file of endgames (.mds)"))),
    };
    let written = export(folder, &modules, endgames.as_deref(), args.force.existing());
    let size = written.map_err(|error| match error {
        ExportError::NotEmpty(_) => {
            Failure::Input(anyhow!("{error}: --force replaces the files of the site in it"))
        }
        ExportError::NoModule(_) | ExportError::NotSingle(_) => Failure::input(error),
        ExportError::Endgames(error) => error.into(),
        ExportError::Io { .. } => Failure::run(error),
    })?;
    let mib = size as f64 / f64::from(1 << 20);
    writeln!(stdout(), "{}: a site of {mib:.1} MiB", folder.display())?;
    Ok(())
}

/// The folder where archives and packages of a release have the modules.
fn installed_modules() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let folder = program.parent()?;
    let places = [folder.to_owned(), folder.join("../share/meerslag")];
    places.into_iter().find(|place| place.join(ENGINE).is_file() && place.join(RULES).is_file())
}

impl Ends for ServerError {
    fn failure(self) -> Failure {
        match self {
            ServerError::Name { .. } => Failure::input(self),
            ServerError::Listen { ref source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                Failure::Run(anyhow!(
                    "{self}: the port is taken, perhaps by a server started before; --port takes \
                     another one"
                ))
            }
            error => Failure::run(error),
        }
    }
}
