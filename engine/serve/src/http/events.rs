//! Streams of events: lines sent as they come, and comments during silence.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep, sleep};

use super::wire::Wire;

/// A comment, or a ping of a WebSocket, is sent this often, so that no proxy closes a silent connection.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// The time from the first comment to the second for a client that sends nothing more: what is sent
/// shows whether it has closed the connection. It doubles, up to that time.
const KNOCK: Duration = Duration::from_millis(50);

/// An event as it is sent (HTML standard, server-sent events). Its data is one line.
pub(super) fn line(name: &str, id: Option<&str>, data: &str) -> Bytes {
    let id = id.map_or_else(String::new, |id| format!("id: {id}\n"));
    format!("event: {name}\n{id}data: {data}\n\n").into()
}

/// The answer that sends what `receiver` gets; `guard` is dropped when its client has left.
pub(super) fn stream<G: Send + Unpin + 'static>(
    receiver: mpsc::Receiver<Bytes>,
    wire: Option<Arc<Wire>>,
    guard: G,
) -> Response {
    let ended = wire.map(|wire| Box::pin(async move { wire.ended().await }) as Ended);
    let comment = Box::pin(sleep(KEEP_ALIVE));
    let body = Body::new(EventBody { receiver, ended, comment, pause: KEEP_ALIVE, _guard: guard });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // Proxies that collect answers, as nginx does, pass each event on at once.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, body).into_response()
}

type Ended = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A stream, and with it what makes it.
struct EventBody<G> {
    receiver: mpsc::Receiver<Bytes>,
    /// Until the client sends nothing more.
    ended: Option<Ended>,
    /// Until the next comment, and the time from that to the one after it.
    comment: Pin<Box<Sleep>>,
    pause: Duration,
    _guard: G,
}

impl<G: Unpin> hyper::body::Body for EventBody<G> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.receiver.poll_recv(context) {
            Poll::Ready(bytes) => return Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes)))),
            Poll::Pending => {}
        }
        if self.ended.as_mut().is_some_and(|ended| ended.as_mut().poll(context).is_ready()) {
            self.ended = None;
            self.pause = KNOCK;
            self.comment.as_mut().reset(Instant::now());
        }
        match self.comment.as_mut().poll(context) {
            Poll::Ready(()) => {
                let next = Instant::now() + self.pause;
                self.comment.as_mut().reset(next);
                self.pause = (2 * self.pause).min(KEEP_ALIVE);
                Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b":\n\n")))))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_lines_with_a_blank_one_behind() {
        assert_eq!(
            &line("info", None, "{\"depth\":1}")[..],
            b"event: info\ndata: {\"depth\":1}\n\n"
        );
        assert_eq!(&line("result", Some("end"), "{}")[..], b"event: result\nid: end\ndata: {}\n\n");
    }
}
