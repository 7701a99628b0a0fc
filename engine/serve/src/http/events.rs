//! Streams of events: lines sent as they come, and comments during silence.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use tokio::sync::mpsc;
use tokio::time::{self, Interval, MissedTickBehavior};

/// A comment is sent this often, so that nobody on the way closes a silent connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// An event as it is sent (HTML standard, server-sent events). Its data is one line.
pub(super) fn line(name: &str, id: Option<&str>, data: &str) -> Bytes {
    let id = id.map_or_else(String::new, |id| format!("id: {id}\n"));
    format!("event: {name}\n{id}data: {data}\n\n").into()
}

/// The answer that sends what `receiver` gets; `guard` is dropped when its client has left.
pub(super) fn stream<G: Send + Unpin + 'static>(
    receiver: mpsc::Receiver<Bytes>,
    guard: G,
) -> Response {
    let mut ticks = time::interval_at(time::Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let body = Body::new(EventBody { receiver, ticks, _guard: guard });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        // Proxies that collect answers, as nginx does, pass each event on at once.
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, body).into_response()
}

/// A stream, and with it what makes it.
struct EventBody<G> {
    receiver: mpsc::Receiver<Bytes>,
    ticks: Interval,
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
        match self.ticks.poll_tick(context) {
            Poll::Ready(_) => Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b":\n\n"))))),
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
