//! A connection, and whether its client is still there.
//!
//! A client that has closed its connection looks like one that only has nothing more to send
//! (`nc -N`), which waits for its answer (RFC 9112, 9.6): TCP shows the difference when something
//! is sent. Every answer begins with the same letters, so the first of these are sent ahead: a
//! closed connection is reset, and on an open one the answer has begun.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf, Ready};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// The start of every answer, of HTTP/1.0 and 1.1.
const START: &[u8] = b"HTTP/1.";
/// How soon the end of a client's side is noticed behind unread bytes.
const LOOK: Duration = Duration::from_millis(50);
/// The time from the first letter sent ahead to the second; it grows fourfold, up to the most.
const PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// A connection.
pub(super) struct Wire {
    stream: TcpStream,
    /// Letters of the next answer that have been sent ahead.
    ahead: AtomicUsize,
    /// Nothing is left to be written: what comes next is the start of an answer.
    is_clean: AtomicBool,
}

impl Wire {
    pub(super) fn new(stream: TcpStream) -> Wire {
        Wire { stream, ahead: AtomicUsize::new(0), is_clean: AtomicBool::new(true) }
    }

    /// Waits until the client sends nothing more, even if earlier bytes are unread.
    pub(super) async fn ended(&self) {
        while self.stream.peek(&mut [0]).await.is_ok_and(|count| count > 0) {
            let ready = self.stream.ready(Interest::READABLE).await;
            if ready.is_ok_and(Ready::is_read_closed) {
                return;
            }
            sleep(LOOK).await;
        }
    }

    /// Waits until the client has gone, while the answer to its request has not begun.
    pub(super) async fn left(&self) {
        self.ended().await;
        let mut pause = PAUSE;
        loop {
            self.knock();
            let is_reset = timeout(pause, self.stream.ready(Interest::ERROR)).await.is_ok();
            // Windows reports a reset in this way alone.
            let ready = timeout(Duration::ZERO, self.stream.ready(Interest::WRITABLE)).await;
            if is_reset || ready.is_ok_and(|r| r.is_ok_and(Ready::is_write_closed)) {
                return;
            }
            pause = (4 * pause).min(MAX_PAUSE);
        }
    }

    /// Sends a letter of the answer ahead.
    fn knock(&self) {
        let ahead = self.ahead.load(Relaxed);
        if self.is_clean.load(Relaxed)
            && let Some(letter) = START.get(ahead..=ahead)
            && self.stream.try_write(letter).is_ok_and(|count| count == 1)
        {
            self.ahead.store(ahead + 1, Relaxed);
        }
    }
}

/// The end of a connection that HTTP is spoken at.
pub(super) struct End(pub(super) Arc<Wire>);

impl AsyncRead for End {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.0.stream.poll_read_ready(context))?;
            match self.0.stream.try_read(buffer.initialize_unfilled()) {
                Ok(count) => {
                    buffer.advance(count);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl End {
    /// Writes, except what has been sent ahead of `first`, the first of the bytes.
    fn write(
        &self,
        context: &mut Context<'_>,
        first: &[u8],
        write: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        let Wire { stream, ahead, is_clean } = &*self.0;
        is_clean.store(false, Relaxed);
        let sent = ahead.load(Relaxed).min(first.len());
        if sent > 0 {
            ahead.fetch_sub(sent, Relaxed);
            return Poll::Ready(Ok(sent));
        }
        loop {
            ready!(stream.poll_write_ready(context))?;
            match write(stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return Poll::Ready(result),
            }
        }
    }
}

impl AsyncWrite for End {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.write(context, bytes, |stream| stream.try_write(bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let first = parts.iter().find(|part| !part.is_empty()).map_or(&[][..], |part| part);
        self.write(context, first, |stream| stream.try_write_vectored(parts))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.is_clean.store(true, Relaxed);
        Poll::Ready(Ok(()))
    }

    /// The connection is closed when it is dropped.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
