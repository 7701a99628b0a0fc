//! The answers over HTTP: limits, access, searches that end with their client, metrics.
//!
//! Each request passes, in this order: the name of the host and the origin of the page that asks
//! (`access`), the rate of its address (`rate`), the length of its query and body, and the route.
//! Quick answers are made where the connection is served; other answers, those to long bodies,
//! imports and searches have threads and places of their own (`permits`), so that none waits for
//! work of another kind. A Hub session (`hub`) takes a place only while it searches. All work ends when its client has gone (`wire`).

mod access;
mod events;
mod files;
mod hub;
pub mod live;
mod metrics;
pub mod openapi;
mod permits;
mod rate;
mod refusal;
mod routes;
mod search;
mod wire;
mod work;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::pin::pin;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::HeaderValue;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{self, Runtime};
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower_service::Service as _;

use self::access::Access;
use self::files::Site;
use self::live::Live;
use self::metrics::Metrics;
use self::permits::Permits;
use self::rate::Rate;
use self::search::Places;
use self::wire::{End, Wire};
use self::work::Threads;
use super::Desk;
use meerslag_search::{Engine, EngineError, EngineOptions, STACK_BYTES};
use movegen::notation::pdn::Encoding;

/// A client that does not read its answer is dropped after this time.
const WRITE_PATIENCE: Duration = Duration::from_secs(20);
/// The time that running requests get when the server ends.
const LAST_REQUESTS: Duration = Duration::from_secs(5);
/// Bytes of a request's head.
const MAX_HEAD: usize = 32 * 1024;
/// Bytes of a query.
const MAX_QUERY: usize = 16 * 1024;
/// Files of the page that an address gets in a second in any case: the board has some 50.
const LEAST_FILE_RATE: u32 = 20;
/// Connections that wait for a place; further ones are closed.
const MAX_WAITING: usize = 256;

/// How a server is run.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Where it listens; port 0 takes a free one.
    pub address: SocketAddr,
    /// Origins of other pages that may ask; `*` for all.
    pub allowed_origins: Vec<String>,
    /// Names of this machine that requests may use; `localhost` and addresses always.
    pub allowed_hosts: Vec<String>,
    /// Origins of pages that may show the board in a frame; `*` for all.
    pub frames: Vec<String>,
    /// Addresses of proxies whose `X-Forwarded-For` is believed.
    pub proxies: Vec<IpAddr>,
    /// Requests a second of one address, ten seconds' worth at once; without a number only
    /// addresses of other machines are limited, to [`ServerOptions::FOREIGN_RATE`].
    pub rate: Option<u32>,
    /// Bodies from other machines may be as long as those from this one; otherwise they are limited
    /// to [`ServerOptions::FOREIGN_BODY`], too.
    pub has_one_body_limit: bool,
    /// The encoding of PDN in bodies, unless they have a `charset`; without one it is found place by
    /// place.
    pub encoding: Option<Encoding>,
    /// A client that sends no request for this long, or takes this long for the head of one, is
    /// dropped. For its body it gets this long and a second for each 32 KiB.
    pub patience: Duration,
    /// Connections at a time, a quarter of them of one address, unless it is a proxy; further ones wait.
    pub connections: usize,
    /// The engine of each search.
    pub engine: EngineOptions,
    /// Searches at a time.
    pub searches: usize,
    /// Threads that serve connections, the one that calls [`Server::run`] not counted; as many make answers,
    /// as many look games up, and as many read long bodies.
    pub threads: usize,
}

impl ServerOptions {
    /// Requests a second of an address of another machine.
    pub const FOREIGN_RATE: u32 = 50;
    /// Bytes of a body from another machine.
    pub const FOREIGN_BODY: usize = 8 << 20;

    /// Refuses names and origins that no request could match.
    fn check_names(&self) -> Result<(), ServerError> {
        // Pages without an origin, as those of files, send `null`.
        let origins = self.allowed_origins.iter().filter(|name| *name != "null");
        let origins = origins.map(|name| ("--allow-origin", name, access::check_origin(name)));
        let hosts = self.allowed_hosts.iter();
        let hosts = hosts.map(|name| ("--allow-host", name, access::check_name(name)));
        let frames = self.frames.iter();
        let frames = frames.map(|name| ("--frames", name, access::check_origin(name)));
        for (option, name, checked) in origins.chain(hosts).chain(frames) {
            let name = name.clone();
            checked.map_err(|why| ServerError::Name { option, name, why })?;
        }
        Ok(())
    }
}

/// The shared state of all requests.
struct ServerState {
    desk: Desk,
    access: Access,
    rate: Rate,
    /// For the files of the page.
    file_rate: Rate,
    has_one_body_limit: bool,
    encoding: Option<Encoding>,
    metrics: Metrics,
    /// The content security policy of the pages.
    policy: HeaderValue,
    /// Which pages it gives out.
    site: Site,
    places: Places,
    connections: Permits,
    threads: Threads,
    patience: Duration,
    /// The server is to end.
    stop: watch::Receiver<bool>,
}

/// A server that listens.
pub struct Server {
    listener: std::net::TcpListener,
    shared: Arc<ServerState>,
    router: axum::Router,
    stop: watch::Sender<bool>,
    runtime: Runtime,
}

/// Ends a server, from any thread.
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<bool>);

impl Stop {
    /// No new request is accepted; searches end, and running work ends within five seconds.
    pub fn stop(&self) {
        let _ = self.0.send(true);
    }
}

/// Why a server does not start or run.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// It cannot listen there.
    #[error("cannot listen on {address}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// An engine does not start.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The system does not give as many threads as the server may need.
    #[error("cannot start {0} threads; fewer --workers or --searches need fewer")]
    Threads(usize, #[source] io::Error),
    /// A name in the options that can never match.
    #[error("{option}: '{name}' {why}")]
    Name {
        /// The option of the program.
        option: &'static str,
        /// The name.
        name: String,
        /// Why.
        why: String,
    },
    /// The system refuses.
    #[error("cannot serve")]
    Io(#[from] io::Error),
}

impl Server {
    /// Opens the port. Connections wait until [`Server::run`].
    ///
    /// # Errors
    /// If the address cannot be used, the engines do not start, or there are too few threads.
    pub fn bind(desk: Desk, options: &ServerOptions) -> Result<Server, ServerError> {
        Server::open(desk, options, Site::Board, routes::router)
    }

    /// Opens the port of a server that only shows the work of a program.
    ///
    /// # Errors
    /// If the address cannot be used, or there are too few threads.
    pub fn bind_live(live: Live, options: &ServerOptions) -> Result<Server, ServerError> {
        Server::open(Desk::default(), options, Site::Tournament, |shared| {
            live::router(shared, live)
        })
    }

    fn open(
        mut desk: Desk,
        options: &ServerOptions,
        site: Site,
        router: impl FnOnce(&Arc<ServerState>) -> axum::Router,
    ) -> Result<Server, ServerError> {
        if SystemTime::now() < UNIX_EPOCH {
            let why = "the clock is before 1970, when HTTP has no dates: set it";
            return Err(io::Error::other(why).into());
        }
        options.check_names()?;
        files::prepare();
        let address = options.address;
        let listen = |source| ServerError::Listen { address, source };
        let listener = std::net::TcpListener::bind(address).map_err(listen)?;
        listener.set_nonblocking(true)?;
        desk.address = network_address(listener.local_addr()?).map(|at| format!("http://{at}/"));
        let engines = (0..options.searches).map(|_| Engine::new(options.engine.clone()));
        let engines = engines.collect::<Result<Vec<_>, _>>()?;
        let threads = options.threads.max(1);
        let sessions = hub::SESSIONS_PER_SEARCH * options.searches;
        let blocking = Threads::count(threads) + options.searches + sessions;
        let all = threads + blocking + hub::THREADS_OF_SESSION * sessions;
        try_threads(all).map_err(|error| ServerError::Threads(all, error))?;
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .max_blocking_threads(blocking)
            .thread_name("serve")
            .thread_stack_size(STACK_BYTES)
            .enable_all()
            .build()?;
        let (stop, stopped) = watch::channel(false);
        let connections = options.connections.max(1);
        let shared = ServerState {
            desk,
            access: Access::new(&options.allowed_origins, &options.allowed_hosts, &options.proxies)
                .listens(options.address.ip()),
            rate: Rate::new(options.rate),
            file_rate: Rate::new(options.rate.map(|rate| rate.max(LEAST_FILE_RATE))),
            has_one_body_limit: options.has_one_body_limit,
            encoding: options.encoding,
            metrics: Metrics::new(),
            policy: files::policy(&options.frames),
            site,
            places: Places::new(engines),
            connections: Permits::new(connections, connections.div_ceil(4), MAX_WAITING),
            threads: Threads::new(threads, sessions),
            patience: options.patience,
            stop: stopped,
        };
        let shared = Arc::new(shared);
        let router = router(&shared);
        Ok(Server { listener, shared, router, stop, runtime })
    }

    /// Where other machines of the network reach it, if they can.
    #[must_use]
    pub fn shared(&self) -> Option<&str> {
        self.shared.desk.address.as_deref()
    }

    /// Where it listens.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The handle that ends it.
    #[must_use]
    pub fn stop(&self) -> Stop {
        Stop(self.stop.clone())
    }

    /// Serves until [`Stop::stop`].
    ///
    /// # Errors
    /// If the system does not let the port be used.
    pub fn run(self) -> Result<(), ServerError> {
        let Server { listener, shared, router, stop: _stop, runtime } = self;
        let result = runtime.block_on(Server::serve(listener, shared, router));
        runtime.shutdown_timeout(LAST_REQUESTS);
        result
    }

    async fn serve(
        listener: std::net::TcpListener,
        shared: Arc<ServerState>,
        router: axum::Router,
    ) -> Result<(), ServerError> {
        let listener = TcpListener::from_std(listener)?;
        let (open, mut closed) = mpsc::channel(1);
        let open = Open(open);
        let mut stopped = shared.stop.clone();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stopped.wait_for(|is_stopped| *is_stopped) => break,
            };
            // Otherwise the client has left already, or there are too many open files for the
            // moment.
            let Ok((stream, peer)) = accepted else {
                sleep(Duration::from_millis(20)).await;
                continue;
            };
            let router = router.clone();
            let connection = connection(stream, peer, router, &shared, open.clone());
            let shared = Arc::clone(&shared);
            tokio::spawn(async move {
                let address = shared.access.limited(peer.ip());
                let Some(_seat) = shared.connections.take(address).await else { return };
                // A failing connection does not affect others.
                let _ = connection.await;
            });
        }
        drop(listener);
        drop(open);
        let _ = timeout(LAST_REQUESTS, closed.recv()).await;
        Ok(())
    }
}

/// The address by which other machines of the network reach this one, if they can.
fn network_address(listens: SocketAddr) -> Option<SocketAddr> {
    let ip = listens.ip();
    if !ip.is_unspecified() {
        return Some(listens).filter(|_| !ip.is_loopback());
    }
    // The system tells which address it would use towards others; nothing is sent.
    let own = |any: IpAddr, far: IpAddr| {
        let socket = UdpSocket::bind((any, 0))?;
        socket.connect((far, 9))?;
        socket.local_addr()
    };
    let (four, six) = (Ipv4Addr::new(192, 0, 2, 1), Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1));
    let found = own(Ipv4Addr::UNSPECIFIED.into(), four.into())
        .or_else(|_| own(Ipv6Addr::UNSPECIFIED.into(), six.into()));
    let found = found.ok().filter(|at| !at.ip().is_loopback() && !at.ip().is_unspecified());
    found.map(|at| SocketAddr::new(at.ip(), listens.port()))
}

/// Whether the system gives this many threads at the same time. The runtime asks for them when it
/// needs them; where there are none it would panic, or leave requests waiting for ever.
fn try_threads(count: usize) -> io::Result<()> {
    let (hold, held) = crossbeam::channel::bounded::<()>(0);
    let mut started = Vec::new();
    let mut start = || {
        let held = held.clone();
        started.push(thread::Builder::new().spawn(move || held.recv().is_ok())?);
        Ok(())
    };
    let result = (0..count).try_for_each(|_| start());
    drop(hold);
    for thread in started {
        let _ = thread.join();
    }
    result
}

/// Serves one connection.
fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: axum::Router,
    shared: &ServerState,
    open: Open,
) -> impl Future<Output = Result<(), hyper::Error>> + Send + use<> {
    let mut stop = shared.stop.clone();
    let _ = stream.set_nodelay(true);
    let wire = Arc::new(Wire::new(stream));
    let mut stream = TimeoutStream::new(End(Arc::clone(&wire)));
    stream.set_write_timeout(Some(WRITE_PATIENCE));
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        let wire = Arc::clone(&wire);
        request.extensions_mut().insert(Peer(peer));
        request.extensions_mut().insert(Arc::clone(&wire));
        request.extensions_mut().insert(open.clone());
        let answer = router.clone().call(request);
        async move {
            tokio::select! {
                biased;
                answer = answer => answer.map_err(|never| match never {}),
                () = wire.left() => Err(io::Error::from(io::ErrorKind::ConnectionAborted)),
            }
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(shared.patience)
        .half_close(true)
        .max_header_size(MAX_HEAD)
        .max_buf_size(2 * MAX_HEAD)
        .serve_connection(TokioIo::new(Box::pin(stream)), service)
        .with_upgrades();
    async move {
        let mut connection = pin!(connection);
        tokio::select! {
            result = connection.as_mut() => return result,
            _ = stop.wait_for(|is_stopped| *is_stopped) => {}
        }
        connection.as_mut().graceful_shutdown();
        connection.await
    }
}

/// Kept by each connection while it is open: the server waits for them when it ends.
#[derive(Clone)]
struct Open(#[expect(dead_code, reason = "its end is what is heard of")] mpsc::Sender<()>);

/// The other end of a connection.
#[derive(Clone, Copy)]
struct Peer(SocketAddr);

/// The address of the client, which may be behind proxies.
#[derive(Clone, Copy)]
struct Client(IpAddr);

impl Client {
    /// Whether it is on this machine.
    fn is_here(self) -> bool {
        self.0.to_canonical().is_loopback()
    }
}

/// The unit for counting requests and connections: an address, or a network of IPv6, which one
/// machine may have as a whole.
fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(ip) if !ip.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & (u128::MAX << 64)))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_ipv6_counts_as_one() {
        for (address, expected) in [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("::1", "::1"),
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
        ] {
            assert_eq!(household(address.parse().unwrap()).to_string(), expected);
        }
    }

    /// The addresses of the loopback network are this machine's on Linux alone.
    #[cfg(target_os = "linux")]
    #[test]
    fn one_address_leaves_connections_to_others() {
        use std::io::{Read, Write};
        use tokio::net::TcpSocket;

        let options = ServerOptions {
            address: "127.0.0.1:0".parse().unwrap(),
            allowed_origins: Vec::new(),
            allowed_hosts: Vec::new(),
            frames: Vec::new(),
            proxies: Vec::new(),
            rate: None,
            has_one_body_limit: false,
            encoding: None,
            patience: Duration::from_secs(3600),
            connections: 8,
            engine: EngineOptions::default(),
            searches: 0,
            threads: 1,
        };
        let server = Server::bind(Desk::default(), &options).unwrap();
        let (address, stop) = (server.address().unwrap(), server.stop());
        let serves = thread::Builder::new().spawn(move || server.run()).unwrap();
        let silent: Vec<_> =
            (0..20).map(|_| std::net::TcpStream::connect(address).unwrap()).collect();
        let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let other = runtime.block_on(async {
            let socket = TcpSocket::new_v4()?;
            socket.bind("127.0.0.2:0".parse().unwrap())?;
            socket.connect(address).await?.into_std()
        });
        let mut other = other.unwrap();
        other.set_nonblocking(false).unwrap();
        other.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        other.write_all(b"GET /metrics HTTP/1.0\r\nhost: localhost\r\n\r\n").unwrap();
        let mut answer = String::new();
        other.read_to_string(&mut answer).unwrap();
        assert!(answer.contains("meerslag_connections 3\n"), "{answer}");
        stop.stop();
        drop(silent);
        serves.join().unwrap().unwrap();
    }
}
