//! The answers over HTTP: limits, access, searches that end with their client, metrics.
//!
//! Each request passes, in this order: the name of the host and the origin of the page that asks
//! (`access`), the rate of its address (`rate`), the length of its query and body, and the
//! route. Quick answers are made where the connection is served; long ones and searches go to a
//! fixed number of other threads.

mod access;
mod events;
mod files;
pub mod live;
mod metrics;
pub mod openapi;
mod rate;
mod refusal;
mod routes;
mod search;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::HeaderValue;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{self, Runtime};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower_service::Service as _;

use self::access::Access;
use self::files::Site;
use self::live::Live;
use self::metrics::Metrics;
use self::rate::Rate;
use self::search::Places;
use super::Desk;
use meerslag_search::{Engine, EngineError, EngineOptions, STACK_BYTES};
use movegen::notation::pdn::Encoding;

/// A client that does not read its answer is dropped after this time.
const WRITE_PATIENCE: Duration = Duration::from_secs(20);
/// The time that running requests get when the server ends.
const LAST_REQUESTS: Duration = Duration::from_secs(5);
/// Bytes of a request's head.
const MOST_HEAD: usize = 32 * 1024;
/// Bytes of a query.
const MOST_QUERY: usize = 16 * 1024;

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
    /// Connections at a time; further ones wait.
    pub connections: usize,
    /// The engine of each search.
    pub engine: EngineOptions,
    /// Searches at a time.
    pub searches: usize,
    /// Threads that answer requests, besides the one that calls [`Server::run`].
    pub threads: usize,
}

impl ServerOptions {
    /// Requests a second of an address of another machine.
    pub const FOREIGN_RATE: u32 = 50;
    /// Bytes of a body from another machine.
    pub const FOREIGN_BODY: usize = 8 << 20;
}

/// The shared state of all requests.
struct Shared {
    desk: Desk,
    access: Access,
    rate: Rate,
    has_one_body_limit: bool,
    encoding: Option<Encoding>,
    metrics: Metrics,
    /// What a page may do.
    policy: HeaderValue,
    /// Which pages it gives out.
    site: Site,
    places: Places,
    patience: Duration,
    /// The server is to end.
    stop: watch::Receiver<bool>,
}

/// A server that listens.
pub struct Server {
    listener: std::net::TcpListener,
    shared: Arc<Shared>,
    router: axum::Router,
    connections: usize,
    stop: watch::Sender<bool>,
    runtime: Runtime,
}

/// Ends a server, from any thread.
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<bool>);

impl Stop {
    /// No new request is taken; searches end, and what runs is finished within five seconds.
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
    /// Not an origin.
    #[error("'{0}' is not an origin of pages, such as https://example.org, nor '*'")]
    Origin(String),
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
        desk: Desk,
        options: &ServerOptions,
        site: Site,
        router: impl FnOnce(&Arc<Shared>) -> axum::Router,
    ) -> Result<Server, ServerError> {
        if SystemTime::now() < UNIX_EPOCH {
            let why = "the clock is before 1970, when HTTP has no dates: set it";
            return Err(io::Error::other(why).into());
        }
        let policy = files::policy(&options.frames).map_err(ServerError::Origin)?;
        files::prepare();
        let address = options.address;
        let listen = |source| ServerError::Listen { address, source };
        let listener = std::net::TcpListener::bind(address).map_err(listen)?;
        listener.set_nonblocking(true)?;
        let engines = (0..options.searches).map(|_| Engine::new(options.engine.clone()));
        let engines = engines.collect::<Result<Vec<_>, _>>()?;
        let threads = options.threads.max(1);
        let blocking = threads + options.searches;
        let all = threads + blocking;
        try_threads(all).map_err(|error| ServerError::Threads(all, error))?;
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .max_blocking_threads(blocking)
            .thread_name("serve")
            .thread_stack_size(STACK_BYTES)
            .enable_all()
            .build()?;
        let (stop, stopped) = watch::channel(false);
        let shared = Shared {
            desk,
            access: Access::new(&options.allowed_origins, &options.allowed_hosts, &options.proxies),
            rate: Rate::new(options.rate),
            has_one_body_limit: options.has_one_body_limit,
            encoding: options.encoding,
            metrics: Metrics::new(),
            policy,
            site,
            places: Places::new(engines),
            patience: options.patience,
            stop: stopped,
        };
        let connections = options.connections.max(1);
        let shared = Arc::new(shared);
        let router = router(&shared);
        Ok(Server { listener, shared, router, connections, stop, runtime })
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
        let Server { listener, shared, router, connections, stop: _stop, runtime } = self;
        let result = runtime.block_on(Server::serve(listener, shared, router, connections));
        runtime.shutdown_timeout(LAST_REQUESTS);
        result
    }

    async fn serve(
        listener: std::net::TcpListener,
        shared: Arc<Shared>,
        router: axum::Router,
        connections: usize,
    ) -> Result<(), ServerError> {
        let listener = TcpListener::from_std(listener)?;
        let places = Arc::new(Semaphore::new(connections));
        let graceful = GracefulShutdown::new();
        let mut stopped = shared.stop.clone();
        loop {
            let accept = async {
                let place = Arc::clone(&places).acquire_owned().await;
                (listener.accept().await, place)
            };
            let (accepted, place) = tokio::select! {
                accepted = accept => accepted,
                _ = stopped.wait_for(|is_stopped| *is_stopped) => break,
            };
            // Otherwise the client has left already, or there are too many open files for the
            // moment.
            let Ok((stream, peer)) = accepted else {
                sleep(Duration::from_millis(20)).await;
                continue;
            };
            let connection = connection(stream, peer, router.clone(), shared.patience, &graceful);
            let shared = Arc::clone(&shared);
            tokio::spawn(async move {
                shared.metrics.connection(1);
                // A failing connection does not affect others.
                let _ = connection.await;
                shared.metrics.connection(-1);
                drop(place);
            });
        }
        drop(listener);
        let _ = timeout(LAST_REQUESTS, graceful.shutdown()).await;
        Ok(())
    }
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
    patience: Duration,
    graceful: &GracefulShutdown,
) -> impl Future<Output = Result<(), hyper::Error>> + Send + use<> {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_PATIENCE));
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        router.clone().call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(MOST_HEAD)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    graceful.watch(connection)
}

/// The other end of a connection.
#[derive(Clone, Copy)]
struct Peer(SocketAddr);

/// Whose request it is, which may have come through proxies.
#[derive(Clone, Copy)]
struct Client(IpAddr);

impl Client {
    /// Whether it is on this machine.
    fn is_here(self) -> bool {
        self.0.to_canonical().is_loopback()
    }
}
