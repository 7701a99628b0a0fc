//! A scripted DXP program.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use crate::client::{PATIENCE, until};

/// A port that nobody listens on. It is below those that systems give to programs that want any
/// port, so that no other test gets it in between.
///
/// # Panics
/// If there is none.
#[must_use]
pub fn free_port() -> u16 {
    let first = 20_000 + (std::process::id() % 10_000) as u16;
    let is_free = |port: &u16| TcpListener::bind(("localhost", *port)).is_ok();
    (first..32_000).find(is_free).expect("a free port")
}

/// A DXP peer that sends what the test wants.
#[derive(Debug)]
pub struct Peer {
    /// For incomplete messages.
    pub stream: TcpStream,
}

impl Peer {
    /// Connects with a program that listens.
    #[must_use]
    pub fn connect(port: u16) -> Peer {
        Peer::over(TcpStream::connect(("localhost", port)).expect("somebody listens"))
    }

    /// Connects with a program that will listen.
    #[must_use]
    pub fn connect_patiently(port: u16) -> Peer {
        let mut stream = None;
        until("somebody who listens", || {
            stream = TcpStream::connect(("localhost", port)).ok();
            stream.is_some()
        });
        Peer::over(stream.expect("connected"))
    }

    /// Waits for a program that connects.
    #[must_use]
    pub fn accept(listener: &TcpListener) -> Peer {
        Peer::over(listener.accept().expect("somebody connects").0)
    }

    fn over(stream: TcpStream) -> Peer {
        stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
        stream.set_nodelay(true).expect("no delay");
        Peer { stream }
    }

    /// Sends a message.
    pub fn send(&mut self, message: &str) {
        self.stream.write_all(format!("{message}\0").as_bytes()).expect("the peer reads");
    }

    /// The next message; the test fails if none comes.
    pub fn receive(&mut self) -> String {
        let mut text = Vec::new();
        let mut byte = [0];
        loop {
            self.stream.read_exact(&mut byte).expect("a message");
            if byte[0] == 0 {
                return String::from_utf8(text).expect("ASCII");
            }
            text.push(byte[0]);
        }
    }

    /// The program must have closed the connection, without another word.
    pub fn expect_close(&mut self) {
        let mut rest = Vec::new();
        // It may also have been reset: there was something it did not want to read.
        let _ = self.stream.read_to_end(&mut rest);
        assert!(rest.is_empty(), "{rest:?}");
    }

    /// Proposes a game and expects this code.
    pub fn request(&mut self, follower: char, rest: &str, code: char) {
        self.send(&format!("R01{:<32}{follower}{rest}", "Scripted peer"));
        let answer = self.receive();
        assert_eq!(answer.len(), 34, "{answer}");
        assert!(answer.starts_with('A') && answer.ends_with(code), "{answer}");
    }
}
