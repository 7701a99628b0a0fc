//! Answers that take a while: each kind has threads and places of its own, and ends when its client
//! has gone.

use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::{self, JoinHandle};
use tokio::time::{Instant, timeout, timeout_at};

use super::permits::{Permit, Permits};
use super::search::PLACE_PATIENCE;
use super::{Client, ServerState};
use crate::{Problem, ProblemKind, Query, Route, Work};

/// Bodies up to this length are answered quickly, and their answers are small.
const SHORT_BODY: usize = 64 << 10;
/// Imports that may wait for the running one.
const MAX_IMPORTS: usize = 8;
/// An answer is sent in parts of this length; at most `MAX_PARTS` wait for the client.
const PART: usize = 64 << 10;
const MAX_PARTS: usize = 4;
/// Bytes a second come and go at least as fast as this, once the patience is over.
pub(super) const LEAST_SPEED: usize = 32 << 10;

/// The time that this many bytes may take.
pub(super) fn time_for(bytes: usize) -> Duration {
    Duration::from_secs((bytes / LEAST_SPEED) as u64)
}

/// The permits for work of each kind.
pub(super) struct Threads {
    short: Permits,
    games: Permits,
    long: Permits,
    imports: Permits,
    sessions: Permits,
}

impl Threads {
    /// How many threads are needed.
    pub(super) const fn count(threads: usize) -> usize {
        3 * threads + 1
    }

    pub(super) fn new(threads: usize, sessions: usize) -> Threads {
        let queue = usize::from(u16::MAX);
        Threads {
            short: Permits::new(threads, threads, queue),
            games: Permits::new(threads, threads.div_ceil(2), queue),
            long: Permits::new(threads, threads.div_ceil(2), queue),
            imports: Permits::new(1, 1, MAX_IMPORTS),
            sessions: Permits::new(sessions, sessions.div_ceil(2), queue),
        }
    }

    /// How much runs, for the metrics.
    pub(super) fn running(&self) -> [(&'static str, &'static str, usize); 4] {
        [
            ("answers", "Answers that are made.", self.short.taken() + self.games.taken()),
            ("long_answers", "Answers to long bodies that are made.", self.long.taken()),
            ("imports", "Imports that run.", self.imports.taken()),
            ("sessions", "Sessions over WebSockets.", self.sessions.taken()),
        ]
    }

    /// Waits for a place.
    pub(super) async fn take(&self, kind: Kind, client: Option<Client>) -> Result<Permit, Problem> {
        // A single user need not share.
        let address = client.filter(|client| !client.is_here()).map(|client| client.0);
        let (seat, busy) = match kind {
            Kind::Short => (self.short.take(None).await, "too many requests wait"),
            Kind::Games => (self.games.take(address).await, "too many requests wait"),
            Kind::Import => (self.imports.take(None).await, "too many imports wait"),
            Kind::Long => {
                let seat = timeout(PLACE_PATIENCE, self.long.take(address)).await;
                (seat.ok().flatten(), "all places for long answers are taken")
            }
            Kind::Session => {
                let seat = timeout(PLACE_PATIENCE, self.sessions.take(address)).await;
                (seat.ok().flatten(), "all sessions are in use")
            }
        };
        seat.ok_or_else(|| Problem::new(ProblemKind::Busy, busy))
    }
}

/// The kinds of work.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Short,
    /// Reads the file of games, which may be large.
    Games,
    Long,
    Import,
    /// Hub over a WebSocket.
    Session,
}

/// Tells the work that its client has gone, when this is dropped.
struct Gone(Arc<AtomicBool>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The answer of a route that needs no search, made on another thread.
pub(super) async fn answer(
    shared: Arc<ServerState>,
    route: &'static Route,
    query: Vec<(String, String)>,
    body: Bytes,
    client: Option<Client>,
) -> Result<Response, Problem> {
    // A search for a proof.
    let is_search = route.path == "/v1/line" && query.iter().any(|(name, _)| name == "nodes");
    let kind = match route.path {
        "/v1/games/import" => Kind::Import,
        path if path.starts_with("/v1/games/") || path.starts_with("/explorer/") => Kind::Games,
        _ if body.len() > SHORT_BODY || is_search => Kind::Long,
        _ => Kind::Short,
    };
    let seat = shared.threads.take(kind, client).await?;
    let flag = Arc::new(AtomicBool::new(false));
    let gone = Gone(Arc::clone(&flag));
    let (sender, mut parts) = channel(MAX_PARTS);
    let sender = (kind == Kind::Long).then_some(sender);
    let begun = Instant::now();
    let mut out =
        WorkOutput { buffer: Vec::new(), sender, begun, sent: 0, patience: shared.patience };
    let work = move || {
        let _seat = seat;
        let write = || {
            let query = Query::read(route.path, route.parameters, &query)?.until(flag);
            match route.work {
                Work::Answer(answer) => {
                    out.buffer = answer(&shared.desk, &query, &body)?.text.into_bytes();
                    Ok(())
                }
                Work::Write(write) => write(&shared.desk, &query, &body, &mut out),
                Work::Analyse | Work::Play => Ok(()),
            }
        };
        let done = write();
        if let Some(client) = client.filter(|_| matches!(kind, Kind::Long | Kind::Import)) {
            shared.rate.charge(client.0, begun.elapsed());
        }
        done.map(|()| out.buffer)
    };
    let work = task::spawn_blocking(work);
    let body = match parts.recv().await {
        Some(first) => {
            let (first, work) = (Some(first), Some(work));
            Body::new(Parts { first, parts, work, _gone: gone })
        }
        None => {
            let failed = |_| Problem::new(ProblemKind::Internal, "the answer could not be made");
            Body::from(work.await.map_err(failed)??)
        }
    };
    Ok(([(header::CONTENT_TYPE, route.gives.media_type())], body).into_response())
}

/// The output of a long answer, at most some parts ahead of its client.
struct WorkOutput {
    buffer: Vec<u8>,
    sender: Option<Sender<Bytes>>,
    begun: Instant,
    sent: usize,
    patience: Duration,
}

impl Write for WorkOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(sender) = &self.sender
            && self.buffer.len() >= PART
        {
            let part = Bytes::from(std::mem::take(&mut self.buffer));
            self.sent += part.len();
            let deadline = self.begun + self.patience + time_for(self.sent);
            let sent = Handle::current().block_on(timeout_at(deadline, sender.send(part)));
            sent?.map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An answer in parts, the last of which the work itself gives.
struct Parts {
    first: Option<Bytes>,
    parts: Receiver<Bytes>,
    work: Option<JoinHandle<Result<Vec<u8>, Problem>>>,
    _gone: Gone,
}

impl hyper::body::Body for Parts {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let next = match self.first.take() {
            Some(first) => Some(first),
            None => ready!(self.parts.poll_recv(context)),
        };
        if let Some(part) = next {
            return Poll::Ready(Some(Ok(Frame::data(part))));
        }
        let Some(work) = &mut self.work else { return Poll::Ready(None) };
        let last = ready!(Pin::new(work).poll(context));
        self.work = None;
        // An incomplete answer must not look complete.
        Poll::Ready(Some(match last {
            Ok(Ok(last)) => Ok(Frame::data(last.into())),
            _ => Err(io::Error::other("the answer could not be made")),
        }))
    }
}
