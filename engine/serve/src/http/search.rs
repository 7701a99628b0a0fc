//! Searches: a limited number at a time, each with its own engine, ended when its client leaves.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task;
use tokio::time::{self, timeout};

use super::{ServerState, events};
use crate::{self as answers, Event, Problem, ProblemKind, Reply, Route, Search};
use meerslag_search::{Control, Engine};

/// How long a search waits for its place: an abandoned search needs a moment to end.
pub(super) const PLACE_PATIENCE: Duration = Duration::from_millis(500);

/// Lines of a search that wait for a client. Steps that it does not read in time are left out.
const MAX_WAITING: usize = 64;
/// The engines of searches.
pub(super) struct Places {
    engines: Mutex<Vec<Engine>>,
    free: Arc<Semaphore>,
    count: usize,
}

impl Places {
    pub(super) fn new(engines: Vec<Engine>) -> Places {
        let count = engines.len();
        Places { free: Arc::new(Semaphore::new(count)), engines: Mutex::new(engines), count }
    }

    /// How many are taken.
    pub(super) fn running(&self) -> usize {
        self.count - self.free.available_permits()
    }

    /// Waits briefly for a place.
    pub(super) async fn take(shared: &Arc<ServerState>) -> Result<SearchPermit, Problem> {
        let busy = || Problem::new(ProblemKind::Busy, "all searches are in use");
        let permit = timeout(PLACE_PATIENCE, Arc::clone(&shared.places.free).acquire_owned());
        let permit = permit.await.map_err(|_| busy())?.map_err(|_| busy())?;
        let engine = shared.places.engines.lock().pop().ok_or_else(busy)?;
        Ok(SearchPermit { engine: Some(engine), shared: Arc::clone(shared), _permit: permit })
    }
}

/// An engine in use; it goes back when this is dropped, before its permit does.
pub(super) struct SearchPermit {
    pub(super) engine: Option<Engine>,
    shared: Arc<ServerState>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for SearchPermit {
    fn drop(&mut self) {
        self.shared.places.engines.lock().extend(self.engine.take());
    }
}

/// Ends a search when its client leaves, or the server ends.
struct EndOnDrop(Arc<Control>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// What a search needs: a place, and a control that can end it. It ends with the server, too.
async fn begin(shared: &Arc<ServerState>) -> Result<(SearchPermit, Arc<Control>), Problem> {
    let place = Places::take(shared).await?;
    let control = Arc::new(Control::new());
    let ended = Arc::downgrade(&control);
    let mut stop = shared.stop.clone();
    tokio::spawn(async move {
        // Alive while the search runs; a dropped control needs no stop.
        loop {
            tokio::select! {
                _ = stop.wait_for(|is_stopped| *is_stopped) => {
                    if let Some(control) = ended.upgrade() {
                        control.stop();
                    }
                    return;
                }
                () = time::sleep(Duration::from_secs(1)) => {
                    if ended.strong_count() == 0 {
                        return;
                    }
                }
            }
        }
    });
    Ok((place, control))
}

/// A move for a game.
pub(super) async fn play(
    shared: Arc<ServerState>,
    route: &Route,
    query: &[(String, String)],
) -> Result<Reply, Problem> {
    let search = Search::read(&shared.desk, route, query)?;
    let (mut place, control) = begin(&shared).await?;
    let end = EndOnDrop(Arc::clone(&control));
    let work = move || match place.engine.as_mut() {
        Some(engine) => answers::play(engine, &search, &control),
        None => Err(Problem::new(ProblemKind::Internal, "no engine")),
    };
    let done = task::spawn_blocking(work).await;
    drop(end);
    done.map_err(|_| Problem::new(ProblemKind::Internal, "the search failed"))?
}

/// An analysis, step by step.
pub(super) async fn analysis(
    shared: Arc<ServerState>,
    route: &Route,
    query: &[(String, String)],
    parts: &Parts,
) -> Result<Response, Problem> {
    // A browser that comes back after the end of a stream.
    if parts.headers.get("last-event-id").is_some_and(|id| id.as_bytes() == b"end") {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let search = Search::read(&shared.desk, route, query)?;
    let (mut place, control) = begin(&shared).await?;
    let (sender, receiver) = mpsc::channel(MAX_WAITING);
    let end = EndOnDrop(Arc::clone(&control));
    task::spawn_blocking(move || {
        let mut last = None;
        if let Some(engine) = place.engine.as_mut() {
            answers::analyse(engine, &search, &control, &mut |event: Event| {
                if event.id.is_some() {
                    last = Some(event);
                } else if let Err(mpsc::error::TrySendError::Closed(_)) =
                    sender.try_send(line(&event))
                {
                    control.stop();
                }
            });
        }
        // The place is free before a slow client has read the end.
        drop(place);
        if let Some(event) = last {
            let _ = sender.blocking_send(line(&event));
        }
    });
    Ok(events::stream(receiver, parts.extensions.get().cloned(), end))
}

/// An event as it is sent.
fn line(event: &Event) -> Bytes {
    let Event { name, id, data } = event;
    events::line(name, *id, data)
}
