//! `meerslag serve`: Hub over a WebSocket (RFC 6455), by a client of our own.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use meerslag_tests::check;
use movegen::Position;
use movegen::notation::hub::format_position;

use super::serve::Server;

const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;
/// The first bit of the last frame of a message.
const FIN: u8 = 0x80;

/// A WebSocket to `/v1/hub`.
struct Socket(TcpStream);

impl Socket {
    fn open(server: &Server) -> Socket {
        Socket::ask(server, &["host: localhost"]).unwrap_or_else(|status| panic!("{status}"))
    }

    /// Opens one with these lines of the head; the status if it is refused.
    fn ask(server: &Server, lines: &[&str]) -> Result<Socket, u16> {
        let own = [
            "connection: keep-alive, Upgrade",
            "upgrade: websocket",
            "sec-websocket-version: 13",
            "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
        ];
        let mut stream = server.connect();
        let head = [&["GET /v1/hub HTTP/1.1"], lines, &own, &["", ""]].concat().join("\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
        let answer = String::from_utf8(answer).unwrap().to_ascii_lowercase();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        if status != 101 {
            return Err(status);
        }
        // The answer to this key in the standard.
        assert!(answer.contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo="), "{answer}");
        Ok(Socket(stream))
    }

    /// Sends a frame with this first byte; what a lost connection does not take is left out.
    fn frame(&mut self, first: u8, payload: &[u8]) {
        let mut bytes = vec![first];
        match payload.len() {
            length @ 0..=125 => bytes.push(0x80 | length as u8),
            length => {
                bytes.push(0xff);
                bytes.extend((length as u64).to_be_bytes());
            }
        }
        let mask = [7, 0, 200, 33];
        bytes.extend(mask);
        bytes.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        let _ = self.0.write_all(&bytes);
    }

    fn send(&mut self, lines: &str) {
        self.frame(FIN | TEXT, lines.as_bytes());
    }

    /// The next frame: its kind and its bytes.
    fn next(&mut self) -> (u8, Vec<u8>) {
        let mut head = [0; 2];
        self.0.read_exact(&mut head).unwrap();
        assert_eq!((head[0] & 0xf0, head[1] & 0x80), (FIN, 0), "whole, and not masked");
        let mut length = u64::from(head[1]);
        if length == 126 {
            let mut bytes = [0; 2];
            self.0.read_exact(&mut bytes).unwrap();
            length = u16::from_be_bytes(bytes).into();
        }
        let mut payload = vec![0; length as usize];
        self.0.read_exact(&mut payload).unwrap();
        (head[0] & 0xf, payload)
    }

    /// The next line.
    fn line(&mut self) -> String {
        loop {
            match self.next() {
                (TEXT, line) => return String::from_utf8(line).unwrap(),
                (PING, payload) => self.frame(FIN | PONG, &payload),
                other => panic!("{other:?}"),
            }
        }
    }

    /// The lines up to one that begins so.
    fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while !lines.last().is_some_and(|line: &String| line.starts_with(start)) {
            lines.push(self.line());
        }
        lines
    }

    /// A session that is ready.
    fn ready(server: &Server) -> Socket {
        let mut socket = Socket::open(server);
        socket.send("hub\ninit");
        socket.until("ready");
        socket
    }

    /// The reason for which the server closes it, by number.
    fn closed(&mut self) -> u16 {
        loop {
            if let (CLOSE, payload) = self.next() {
                return u16::from_be_bytes([payload[0], payload[1]]);
            }
        }
    }
}

#[test]
fn a_board_plays_over_a_web_socket() {
    let server = Server::start(&["--searches=1", "--threads=1", "--book=none"]);
    let mut socket = Socket::open(&server);
    socket.send("hub extensions");
    let said = socket.until("wait");
    assert!(said[0].starts_with("id name=Meerslag "), "{said:?}");
    let names: Vec<_> = said.iter().filter_map(|line| line.strip_prefix("param name=")).collect();
    let names: Vec<_> = names.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(names, ["variant", "book", "ponder", "move-overhead", "show-wdl", "level"]);
    assert!(said.iter().any(|line| line.contains("multipv") && line.ends_with("max=20")));
    // Several lines in one message, a message in several frames, and a ping between them.
    socket.send("set-param name=book value=false\r\nset-param name=level value=10\ninit\n");
    assert_eq!(socket.line(), "ready");
    let start = Position::initial();
    let pos = format!("pos pos={}", format_position(&start));
    socket.frame(TEXT, &pos.as_bytes()[..20]);
    socket.frame(FIN | PING, b"there?");
    socket.frame(FIN, &pos.as_bytes()[20..]);
    let mut answer = socket.next();
    while answer.0 == PING {
        answer = socket.next();
    }
    assert_eq!(answer, (PONG, b"there?".to_vec()));
    socket.send("level depth=6\ngo think");
    let lines = socket.until("done");
    let (done, infos) = lines.split_last().unwrap();
    assert!(infos.iter().all(|line| check::info(&start, line).depth <= 6), "{lines:?}");
    assert!(check::done(&start, done).0.is_some());
    server.wait_for("sessions", 1);
    server.wait_for_rest();
    // Levels are weak in this session alone.
    socket.send("set-param name=level value=1\nlevel infinite\ngo think");
    let _ = check::done(&start, socket.until("done").last().unwrap());
    let own = server.get("/v1/play?nodes=20000&level=10").json();
    assert!(own["nodes"].as_u64().unwrap() > 10_000, "{own}");
    // Lines that cannot be read, and what is the server's.
    for (line, part) in [
        ("level depth=", "no value"),
        ("pos pos=W", "bad position"),
        ("set-param name=threads value=16", "parameter threads: this server has its own"),
        ("set-param name=hash-mb value=16000", "this server has its own"),
        ("set-param name=bb-path value=/", "this server has its own"),
        ("set-param name=eval-file value=/etc/passwd", "this server has its own"),
        ("set-param name=level value=x", "parameter level"),
        ("uci", "not UCI"),
    ] {
        socket.send(line);
        let said = socket.line();
        assert!(said.starts_with("error message=") && said.contains(part), "{line}: {said}");
    }
    socket.send("set-param name=unknown value=1\nping");
    assert_eq!(socket.line(), "pong");
    socket.send("quit");
    assert_eq!(socket.closed(), 1000);
    drop(socket);
    server.wait_for("sessions", 0);
}

#[test]
fn searches_end_with_their_web_socket() {
    let server = Server::start(&["--searches=1", "--longest=86400"]);
    type Leave = fn(Socket);
    let ways: [Leave; 3] = [
        drop,
        |mut socket| socket.frame(FIN | CLOSE, &1001_u16.to_be_bytes()),
        |socket| {
            let _ = socket.0.shutdown(Shutdown::Write);
            server_side_ends(socket);
        },
    ];
    for leave in ways {
        for line in ["go analyze", "go ponder", "level time=86400 moves=1\ngo think"] {
            let mut socket = Socket::ready(&server);
            socket.send("set-param name=book value=false");
            socket.send(line);
            server.wait_for("searches", 1);
            leave(socket);
            server.wait_for_rest();
            server.wait_for("sessions", 0);
        }
    }
}

/// Reads until the server has closed the connection, too.
fn server_side_ends(mut socket: Socket) {
    let _ = socket.0.read_to_end(&mut Vec::new());
}

#[test]
fn limits_hold_over_web_sockets() {
    let server = Server::start(&["--searches=1", "--longest=1"]);
    // No search goes on for longer, and its result waits for the client.
    for line in ["go analyze", "go ponder"] {
        let mut socket = Socket::ready(&server);
        socket.send(line);
        socket.until("info");
        server.wait_for_rest();
        socket.send("ping");
        socket.until("pong");
        socket.send("stop");
        assert!(socket.until("done").last().unwrap().starts_with("done move="));
    }
    let server = Server::start(&["--searches=1", "--longest=86400"]);
    let mut sessions: Vec<Socket> = (0..4).map(|_| Socket::ready(&server)).collect();
    assert_eq!(Socket::ask(&server, &["host: localhost"]).err(), Some(503));
    // One search at a time, whoever asks.
    sessions[0].send("go analyze");
    server.wait_for("searches", 1);
    assert_eq!(server.get("/v1/analyse?depth=1").status, 503);
    for line in ["level move-time=0.1\ngo think", "go analyze\nstop"] {
        sessions[1].send(line);
        assert_eq!(sessions[1].until("done").len(), 1, "nothing was searched");
        assert_eq!(sessions[1].line(), "error message=\"all searches are in use\"");
    }
    // Who has time waits for a place.
    sessions[1].send("set-param name=show-wdl value=true\nlevel depth=3\ngo analyze");
    sessions[0].send("stop");
    sessions[0].until("done");
    let said = sessions[1].until("done");
    assert!(said.len() > 1 && said[0].contains(" draw="), "{said:?}");
    // A place that is free again is given away.
    drop(sessions.pop());
    server.wait_for("sessions", 3);
    Socket::ready(&server);
}

#[test]
fn messages_that_are_no_lines_close_a_web_socket() {
    let server = Server::start(&["--searches=1"]);
    let long = vec![b'a'; 70_000];
    for (first, payload, expected) in [
        (FIN | BINARY, &b"hub"[..], 1003),
        (FIN | TEXT, &long, 1009),
        (FIN | TEXT, &vec![b'a'; 8 << 20], 1009),
    ] {
        let mut socket = Socket::open(&server);
        socket.frame(first, payload);
        assert_eq!(socket.closed(), expected);
    }
    // In parts, it is as long.
    let mut socket = Socket::open(&server);
    socket.frame(TEXT, &long[..40_000]);
    socket.frame(FIN, &long[40_000..]);
    assert_eq!(socket.closed(), 1009);
    // Bytes that are no frames, and a text that is none: the connection ends.
    let mut socket = Socket::open(&server);
    socket.0.write_all(&b"hub\n".repeat(100)).unwrap();
    server_side_ends(socket);
    let mut socket = Socket::open(&server);
    socket.frame(FIN | TEXT, b"hub \xff");
    server_side_ends(socket);
    server.wait_for("sessions", 0);
    Socket::ready(&server);
}

#[test]
fn web_sockets_of_other_pages_are_refused() {
    let server = Server::start(&["--searches=1", "--allow-origin=https://friend.example"]);
    for (expected, lines) in [
        (403, &["host: localhost", "origin: https://evil.example"][..]),
        (403, &["host: evil.example", "origin: http://evil.example"]),
        (403, &["host: localhost", "origin: null"]),
        (403, &["host: localhost", "sec-fetch-site: cross-site"]),
    ] {
        assert_eq!(Socket::ask(&server, lines).err(), Some(expected), "{lines:?}");
    }
    for lines in [
        &["host: localhost:80", "origin: http://localhost:80"][..],
        &["host: localhost", "origin: https://friend.example"],
    ] {
        let mut socket = Socket::ask(&server, lines).unwrap();
        socket.send("hub");
        socket.until("wait");
    }
    // Others than WebSockets learn what this is.
    let answer = server.get("/v1/hub");
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("/v1/hub is for WebSockets"), "{answer:?}");
    assert_eq!(server.post("/v1/hub", "text/plain", "hub").status, 405);
}

#[cfg(unix)]
#[test]
fn a_web_socket_ends_with_the_server() {
    let mut server = Server::start(&["--searches=1", "--longest=86400"]);
    let mut socket = Socket::ready(&server);
    socket.send("go analyze");
    server.wait_for("searches", 1);
    let id = nix::unistd::Pid::from_raw(server.child.id().try_into().unwrap());
    nix::sys::signal::kill(id, nix::sys::signal::SIGINT).unwrap();
    assert_eq!(socket.closed(), 1001);
    assert_eq!(server.child.wait().unwrap().code(), Some(130));
}
