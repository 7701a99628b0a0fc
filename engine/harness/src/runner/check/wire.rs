//! A connection that shows all that arrives, including incomplete messages.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::protocol::dxp::MAX_MESSAGE;

/// The result of a wait.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Arrival {
    /// A message without its NUL.
    Message(String),
    /// Nothing, or not all of a message.
    Nothing,
    /// More bytes without a NUL than any message may have.
    TooLong,
    Closed,
}

pub(super) struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Wire {
    pub fn new(stream: TcpStream) -> io::Result<Wire> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(Duration::from_secs(10)))?;
        Ok(Wire { stream, buffer: Vec::new() })
    }

    /// Writes bytes as they are, in one piece.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// The bytes of an incomplete message.
    pub fn unfinished(&self) -> String {
        String::from_utf8_lossy(&self.buffer).into_owned()
    }

    /// The next message; looks for one at least once, however late it is.
    pub fn receive(&mut self, deadline: Instant) -> Arrival {
        let mut part = [0; 4096];
        let mut is_tried = false;
        loop {
            if let Some(end) = self.buffer.iter().position(|&byte| byte == 0) {
                let message: Vec<u8> = self.buffer.drain(..=end).take(end).collect();
                return Arrival::Message(String::from_utf8_lossy(&message).into_owned());
            }
            if self.buffer.len() > MAX_MESSAGE {
                return Arrival::TooLong;
            }
            if is_tried && Instant::now() >= deadline {
                return Arrival::Nothing;
            }
            is_tried = true;
            let left = deadline.saturating_duration_since(Instant::now());
            // The system does not accept a time limit of 0.
            let left = left.max(Duration::from_millis(1));
            if self.stream.set_read_timeout(Some(left)).is_err() {
                return Arrival::Closed;
            }
            match self.stream.read(&mut part) {
                Ok(0) => return Arrival::Closed,
                Ok(read) => self.buffer.extend_from_slice(&part[..read]),
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted
                    | io::ErrorKind::WouldBlock
                    | io::ErrorKind::TimedOut => {}
                    _ => return Arrival::Closed,
                },
            }
        }
    }
}
