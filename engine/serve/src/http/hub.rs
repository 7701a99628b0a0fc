//! Hub over a WebSocket: the session of `meerslag hub`, its lines as text messages.
//!
//! A session has no engine of its own: each `go` takes one of the [`Places`], as other searches do, so
//! a client that only sits there keeps nobody from searching.

use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::pin::pin;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::Response;
use crossbeam::channel::{RecvTimeoutError, bounded};
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::upgrade::{self, Upgraded};
use hyper_util::rt::TokioIo;
use meerslag_harness::protocol::hub::{HubError, Options, Params, Settings, serve};
use meerslag_search::{Control, EngineOptions, Info, Limits, PlayingLevel, SearchResult, Thinker};
use movegen::{Game, Variant};
use tokio::io::{copy, sink};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::Error;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use super::events::KEEP_ALIVE;
use super::search::Places;
use super::work::Kind;
use super::{Client, Open, ServerState};
use crate::{DeskLimits, Problem, ProblemKind};

/// Sessions for each search that the server makes at a time: most of them wait for their users.
pub(super) const SESSIONS_PER_SEARCH: usize = 4;
/// Threads that a session starts: for its input, its search, and the end of that.
pub(super) const THREADS_OF_SESSION: usize = 3;
/// The longest message, in bytes: a `pos` with thousands of moves.
const MAX_MESSAGE: usize = 64 << 10;
/// Lines that wait on either side.
const MAX_WAITING: usize = 64;
/// A client of which nothing is heard for so long, in spite of the pings, is gone.
const SILENCE: Duration = Duration::from_secs(120);
/// How long the last frame has to reach a client that still sends.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The parameters that a client may set; everything else is the server's.
const OPEN: [&str; 6] = ["variant", "book", "ponder", "move-overhead", "show-wdl", "level"];

/// Begins a session.
pub(super) async fn open(
    shared: Arc<ServerState>,
    mut request: Request,
) -> Result<Response, Problem> {
    let response = create_response_with_body(&request, Body::empty).map_err(|error| {
        Problem::new(ProblemKind::BadRequest, format!("/v1/hub is for WebSockets: {error}"))
    })?;
    let client = request.extensions().get::<Client>().copied();
    let seat = shared.threads.take(Kind::Session, client).await?;
    let open = request.extensions_mut().remove::<Open>();
    let upgraded = upgrade::on(&mut request);
    tokio::spawn(async move {
        let (_seat, _open) = (seat, open);
        if let Ok(upgraded) = upgraded.await {
            converse(shared, client, upgraded).await;
        }
    });
    Ok(response)
}

/// Carries the lines of a session to and fro until one side ends it.
async fn converse(shared: Arc<ServerState>, client: Option<Client>, upgraded: Upgraded) {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE));
    let io = TokioIo::new(upgraded);
    let mut socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
    let (lines, input) = mpsc::channel(MAX_WAITING);
    let (output, mut said) = mpsc::channel(MAX_WAITING);
    let settings = VisitorSettings::new(&shared);
    let session = task::spawn_blocking(move || {
        let input = MessageReader { messages: input, rest: Bytes::new() };
        serve(input, MessageWriter(output), settings, None, Options::default())
    });
    let mut stop = shared.stop.clone();
    let mut stopped = pin!(async move {
        let _ = stop.wait_for(|is_stopped| *is_stopped).await;
    });
    let mut heard = Instant::now();
    let mut pulse = interval(KEEP_ALIVE);
    pulse.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let end = loop {
        tokio::select! {
            message = socket.next() => {
                heard = Instant::now();
                match message {
                    Some(Ok(Message::Text(text))) => {
                        if let Some(Client(address)) = client
                            && let Err(wait) = shared.rate.take(address, Instant::now())
                        {
                            sleep(wait).await;
                        }
                        let _ = lines.send(Bytes::from(format!("{text}\n"))).await;
                    }
                    Some(Ok(Message::Binary(_))) => {
                        break Some((CloseCode::Unsupported, "lines are text messages"));
                    }
                    Some(Ok(_)) => {}
                    Some(Err(Error::Capacity(_))) => {
                        break Some((CloseCode::Size, "the message is too long"));
                    }
                    Some(Err(_)) | None => break None,
                }
            }
            line = said.recv() => match line {
                Some(line) => if socket.send(Message::Text(line)).await.is_err() { break None },
                None => match session.await {
                    Ok(Ok(())) => break Some((CloseCode::Normal, "")),
                    _ => break Some((CloseCode::Error, "the session has failed")),
                },
            },
            _ = pulse.tick() => {
                // A client that is there answers a ping.
                if heard.elapsed() > SILENCE
                    || socket.send(Message::Ping(Bytes::new())).await.is_err()
                {
                    break None;
                }
            }
            () = &mut stopped => {
                break Some((CloseCode::Away, "the server ends"));
            }
        }
    };
    // The session takes this for the end of its input, and gives its search up.
    drop((lines, said));
    if let Some((code, reason)) = end {
        let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
        let _ = socket.close(Some(frame)).await;
        // What is unread when a connection is closed may take the last frame with it.
        let _ = timeout(LAST_WORDS, copy(socket.get_mut(), &mut sink())).await;
    }
}

/// The messages of a client as lines.
struct MessageReader {
    messages: Receiver<Bytes>,
    rest: Bytes,
}

impl Read for MessageReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            self.rest = self.messages.blocking_recv().unwrap_or_default();
        }
        let part = self.rest.split_to(buffer.len().min(self.rest.len()));
        buffer[..part.len()].copy_from_slice(&part);
        Ok(part.len())
    }
}

/// Makes a message of each line; a session writes them whole.
struct MessageWriter(Sender<Utf8Bytes>);

impl Write for MessageWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let line = String::from_utf8_lossy(bytes).trim_end_matches('\n').into();
        self.0.blocking_send(line).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A visitor's view of the engines: a few parameters of their own.
#[derive(Clone)]
struct VisitorSettings {
    params: Params,
    shared: Arc<ServerState>,
    runtime: Handle,
}

impl VisitorSettings {
    fn new(shared: &Arc<ServerState>) -> VisitorSettings {
        let params = Params { book: shared.desk.book.is_some(), ..Params::default() };
        VisitorSettings { params, shared: Arc::clone(shared), runtime: Handle::current() }
    }

    /// The options of an engine while it searches for this visitor.
    fn options(&self, own: &EngineOptions) -> EngineOptions {
        let wanted = self.params.engine_options();
        EngineOptions {
            book: own.book.clone().filter(|_| self.params.book),
            ponder: wanted.ponder,
            move_overhead: wanted.move_overhead,
            level: wanted.level,
            ..own.clone()
        }
    }
}

impl Settings for VisitorSettings {
    type Engine = VisitorEngine;
    type Error = Infallible;
    const MAX_MULTIPV: i64 = DeskLimits::OWN.max_multipv as i64;

    fn id(&self) -> String {
        self.params.id()
    }

    fn declarations(&self) -> Vec<String> {
        let is_open = |line: &String| {
            OPEN.iter().any(|name| line.starts_with(&format!("param name={name} ")))
        };
        self.params.declarations().into_iter().filter(is_open).collect()
    }

    fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), HubError> {
        if OPEN.contains(&name) || !self.params.is_known(name) {
            return Settings::set(&mut self.params, name, value);
        }
        Err(HubError::Engine(format!("parameter {name}: this server has its own")))
    }

    fn are_alike(&self, other: &VisitorSettings) -> bool {
        self.params == other.params
    }

    fn safety_time(&self) -> Duration {
        self.params.safety_time
    }

    fn variant(&self) -> Variant {
        self.params.variant
    }

    fn shows_wdl(&self) -> bool {
        self.params.show_wdl
    }

    fn apply(&self, engine: &mut Option<VisitorEngine>) -> Result<(), Infallible> {
        *engine = Some(VisitorEngine { settings: self.clone(), is_fresh: false, error: None });
        Ok(())
    }

    fn fall_back(&mut self, _: Option<&VisitorSettings>, error: &Infallible) -> bool {
        match *error {}
    }
}

/// The engine of a session: at each search one of the server's.
struct VisitorEngine {
    settings: VisitorSettings,
    /// A new game has begun, and nothing has been searched since.
    is_fresh: bool,
    /// Why the last search was none.
    error: Option<String>,
}

impl std::fmt::Debug for VisitorEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("VisitorEngine").field(&self.settings.params).finish()
    }
}

impl Thinker for VisitorEngine {
    fn new_game(&mut self) {
        self.is_fresh = true;
    }

    fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        let VisitorSettings { shared, runtime, .. } = &self.settings;
        let begun = Instant::now();
        let DeskLimits { longest, max_multipv, .. } = shared.desk.limits;
        let patience = limits.longest().unwrap_or(longest).min(longest);
        let mut place = loop {
            match runtime.block_on(Places::take(shared)) {
                Ok(place) => break place,
                Err(_) if begun.elapsed() < patience && !control.is_stopped() => {}
                Err(problem) => {
                    self.error = Some(problem.detail);
                    return SearchResult::lost(begun);
                }
            }
        };
        let Some(engine) = &mut place.engine else { return SearchResult::lost(begun) };
        let own = engine.options().clone();
        let wanted = self.settings.options(&own);
        if std::mem::take(&mut self.is_fresh) || wanted.level < PlayingLevel::FULL {
            engine.new_game();
        }
        // Neither can be refused: both differ from valid options in free choices only.
        let _ = engine.set_options(wanted);
        let limits = Limits { multipv: limits.multipv.min(max_multipv), ..limits.clone() };
        let found = thread::scope(|scope| {
            let (over, ended) = bounded::<Infallible>(0);
            // Pondering and analysis, too, which no limit of the client ends.
            let watch = move || {
                if ended.recv_timeout(longest) == Err(RecvTimeoutError::Timeout) {
                    control.stop();
                }
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, watch) {
                self.error = Some(error.to_string());
                control.stop();
            }
            let found = engine.search(game, &limits, control, report);
            drop(over);
            found
        });
        let _ = engine.set_options(own);
        found
    }

    fn take_error(&mut self) -> Option<String> {
        self.error.take()
    }
}
