//! Connections, and the log of every message.

use std::collections::VecDeque;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, bounded, never, select};
use socket2::{SockRef, TcpKeepalive};

use super::framer::Framer;
use crate::protocol::Log;
use crate::world::{ByteSink, Closer, Duplex, World, has_room, heard};

/// How often a wait checks whether it should end.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// How long a peer that does not read may hold up a message.
const WRITE_PATIENCE: Duration = Duration::from_secs(10);
/// Messages that may wait to be handled; a peer that sends more is held up.
const MAX_WAITING_MESSAGES: usize = 256;
/// Bytes of an unfinished message that are logged.
const MAX_LOGGED_BYTES: usize = 200;
/// Silence after which the system asks whether the other machine is still there, and how often.
const KEEPALIVE: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(15)];

/// Events from a peer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Incoming {
    Message(String),
    /// Nothing for a while.
    Nothing,
    /// The connection is lost.
    Closed,
}

/// A connection to a peer.
#[derive(Debug)]
pub struct Connection {
    world: World,
    output: Box<dyn ByteSink>,
    closer: Arc<dyn Closer>,
    messages: Receiver<String>,
    /// Messages that were read too early.
    returned: VecDeque<String>,
    log: Log,
    gap: Duration,
    last_sent: Option<Instant>,
    /// The peer has moved since our last message, so it has read that.
    is_answered: bool,
    /// An echo did not come in time and may still come.
    is_echo_owed: bool,
    is_broken: bool,
}

impl Connection {
    /// A connection over this stream, with at least `gap` between two of our messages: known
    /// programs take what arrives together for one message.
    ///
    /// # Errors
    /// If the stream is not usable.
    pub fn new(stream: TcpStream, gap: Duration, log: Log) -> io::Result<Connection> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_PATIENCE))?;
        // A machine that was switched off closes nothing. Not every system can ask.
        let [time, interval] = KEEPALIVE;
        let keepalive = TcpKeepalive::new().with_time(time).with_interval(interval);
        let _ = SockRef::from(&stream).set_tcp_keepalive(&keepalive);
        if let Ok(peer) = stream.peer_addr() {
            log.line('#', format_args!("connected with {peer}"));
        }
        let (input, output) = (Box::new(stream.try_clone()?), Box::new(stream.try_clone()?));
        let peer = Duplex { input, output, closer: Arc::new(stream) };
        Connection::with(peer, &World::default(), gap, log)
    }

    /// As [`Connection::new`] with a peer in any world.
    pub(crate) fn with(
        peer: Duplex,
        world: &World,
        gap: Duration,
        log: Log,
    ) -> io::Result<Connection> {
        let Duplex { mut input, output, closer } = peer;
        let (sender, messages) = bounded(MAX_WAITING_MESSAGES);
        let reader_log = log.clone();
        let (reader_world, reader_closer) = (world.clone(), Arc::clone(&closer));
        let read = move || {
            let mut framer = Framer::default();
            let mut buffer = [0; 4096];
            loop {
                let read = match input.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(read) => read,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => {
                        reader_log.line('#', error);
                        break;
                    }
                };
                let mut is_wanted = true;
                let result = framer.push(&buffer[..read], |message| {
                    reader_log.line('<', message.escape_ascii());
                    if let Some(text) = Framer::text(message) {
                        reader_world.wait(None, || vec![has_room(&sender)]);
                        is_wanted &= sender.send(text).is_ok();
                    }
                });
                if let Err(error) = result {
                    reader_log.line('#', format_args!("closing: {error}"));
                    reader_closer.close();
                    break;
                }
                if !is_wanted {
                    break;
                }
            }
            log_rest(&reader_log, framer.rest());
            reader_log.line('#', "connection closed");
        };
        thread::Builder::new().name("dxp".to_owned()).spawn(world.within(read))?;
        let last_sent = None;
        Ok(Connection {
            world: world.clone(),
            output,
            closer,
            messages,
            returned: VecDeque::new(),
            log,
            gap,
            last_sent,
            is_answered: false,
            is_echo_owed: false,
            is_broken: false,
        })
    }

    /// Sends a message; a failure shows at the next reading.
    pub(crate) fn send(&mut self, message: &super::Message) {
        self.send_after(message, self.gap);
    }

    /// Sends a message like [`Connection::send`], but waits no longer than `most` if the peer has
    /// answered the last one.
    pub(super) fn send_soon(&mut self, message: &super::Message, most: Duration) {
        let gap = if self.is_answered { self.gap.min(most) } else { self.gap };
        self.send_after(message, gap);
    }

    fn send_after(&mut self, message: &super::Message, gap: Duration) {
        if let Some(last) = self.last_sent {
            let since = self.world.now().saturating_duration_since(last);
            if let Some(left) = gap.checked_sub(since) {
                self.world.sleep(left);
            }
        }
        self.is_answered = false;
        let text = message.to_string();
        self.log.line('>', text.escape_default());
        let mut bytes = text.into_bytes();
        bytes.push(0);
        if let Err(error) = self.output.write_all(&bytes) {
            self.log.line('#', format_args!("cannot send: {error}"));
            self.is_broken = true;
        }
        self.last_sent = Some(self.world.now());
    }

    /// The next message, if one comes before the deadline or within a short while.
    pub(crate) fn receive(&mut self, deadline: Option<Instant>) -> Incoming {
        self.receive_unless(deadline, &never())
    }

    /// As [`Connection::receive`], but returns nothing as soon as something comes from this
    /// channel.
    pub(crate) fn receive_unless(
        &mut self,
        deadline: Option<Instant>,
        call: &Receiver<()>,
    ) -> Incoming {
        if let Some(message) = self.take_returned() {
            return Incoming::Message(message);
        }
        if self.is_broken {
            return Incoming::Closed;
        }
        let slice = self.world.now() + STOP_CHECK_INTERVAL;
        let until = deadline.map_or(slice, |deadline| deadline.min(slice));
        self.world.wait(Some(until), || vec![heard(&self.messages), heard(call)]);
        select! {
            recv(self.messages) -> message => message.map_or(Incoming::Closed, Incoming::Message),
            recv(call) -> _ => Incoming::Nothing,
            default(self.world.left(until)) => Incoming::Nothing,
        }
    }

    /// The messages, for waiting for them and something else together.
    pub(super) fn incoming(&self) -> &Receiver<String> {
        &self.messages
    }

    /// Gives a message back to be received again, before any other that has not been given back.
    pub(super) fn give_back(&mut self, message: String) {
        self.returned.push_back(message);
    }

    /// A message that was given back, to handle it outside [`Connection::receive`].
    pub(super) fn take_returned(&mut self) -> Option<String> {
        self.returned.pop_front()
    }

    /// Whether a message was given back.
    pub(super) fn has_returned(&self) -> bool {
        !self.returned.is_empty()
    }

    /// The peer has moved in answer to our last message.
    pub(super) fn heard_reply(&mut self) {
        self.is_answered = true;
        self.is_echo_owed = false;
    }

    /// The echo of an end has not come in time.
    pub(super) fn owe_echo(&mut self) {
        self.is_echo_owed = true;
    }

    /// Whether an echo is still to come; from now on it is not.
    pub(super) fn take_owed_echo(&mut self) -> bool {
        std::mem::take(&mut self.is_echo_owed)
    }

    /// Writes a remark into the log.
    pub(crate) fn remark(&self, text: &str) {
        self.log.line('#', text.escape_default());
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Also ends the reader.
        self.closer.close();
    }
}

/// Logs the beginning of an incomplete message.
fn log_rest(log: &Log, bytes: &[u8]) {
    if !bytes.is_empty() {
        log.line('#', format_args!("{} bytes without a NUL, which begin with:", bytes.len()));
        log.line('<', bytes[..bytes.len().min(MAX_LOGGED_BYTES)].escape_ascii());
    }
}
