//! `meerslag protocol-check` judges our own engine, the mock engines and scripted DXP programs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::thread;

use meerslag_tests::{Output, binary, run};
use movegen::notation::dxp::{MoveMessage, parse_position};
use movegen::{Color, Game, Position};

fn check(command: &str) -> Output {
    run(["protocol-check", "--hub", command], "")
}

fn check_fast(command: &str) -> Output {
    run(["protocol-check", "--patience=1", "--hub", command], "")
}

#[test]
fn our_own_engine_follows_the_protocol() {
    // The machine may do other things; whether the clock is minded, games show.
    let command = format!("'{}' hub", binary().display());
    let output = run(["protocol-check", "--slack=20", "--hub", &command], "");
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.ends_with("0 errors, 0 warnings\n"), "{output:?}");
    for step in ["ping: pong", "pondering", "end of input"] {
        assert!(output.stdout.contains(&format!("     ok  {step}\n")), "{output:?}");
    }
}

#[test]
fn what_is_wrong_is_found() {
    let mock =
        |switches: &str| check_fast(&format!("'{}' {switches}", env!("CARGO_BIN_EXE_mock_engine")));
    for (switches, messages) in [
        ("", &["no 'info' before 'done'", "ends only on 'stop'"][..]),
        ("crash=1", &["WRONG  a search to a depth", "the engine ended"]),
        ("illegal=1", &["done move=1-50"]),
        ("no-wait", &["no 'wait' within 1s"]),
        ("nonsense", &["unreadable line 'info depth=x score=much pv='", "score must be a number"]),
    ] {
        let output = mock(switches);
        assert_eq!(output.code, 1, "{switches}: {output:?}");
        for message in messages {
            assert!(output.stdout.contains(message), "{switches}: {}", output.stdout);
        }
    }
    // A harmless error is no reason to go.
    let warned = mock("warns").stdout;
    assert!(warned.contains("'error message=\"no book found\"' before 'ready'"), "{warned}");
    assert!(!warned.contains("unknown parameter") && warned.contains("ok  ping: pong"), "{warned}");
    let missing = check("/nonexistent/engine hub");
    assert_eq!(missing.code, 1);
    assert!(missing.stderr.contains("cannot start '/nonexistent/engine hub'"), "{missing:?}");
    assert_eq!(check("").code, 2);
}

/// Only a program that does something wrong is waited for.
fn check_dxp(port: u16, patience: &str) -> Output {
    run(["protocol-check", "--patience", patience, "--dxp", &format!("localhost:{port}")], "")
}

#[test]
fn our_own_program_follows_dxp() {
    let mut child = Command::new(binary())
        .args(["dxp", "listen", "--port=0", "--hash=1", "--depth=2", "--gap=0", "--correction=20"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let port = line.trim().rsplit(' ').next().unwrap().parse().unwrap();
    let output = check_dxp(port, "5");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.ends_with("0 errors, 0 warnings\n"), "{output:?}");
    assert!(output.stdout.contains("     ok  an end with stop code 1\n"), "{output:?}");
}

/// A follower that plays its first legal moves, and does one thing wrong.
struct Follower {
    stream: TcpStream,
    wrong: &'static str,
    game: Option<(Game, Color)>,
}

impl Follower {
    fn is(&self, wrong: &str) -> bool {
        self.wrong == wrong
    }

    fn send(&mut self, text: &str) {
        let end = if self.is("no NUL") && text.starts_with('A') { "" } else { "\0" };
        let surplus = if self.is("surplus") && text.starts_with('A') { "!" } else { "" };
        let _ = self.stream.write_all(format!("{text}{surplus}{end}").as_bytes());
    }

    fn accept(&mut self, code: char) {
        let name = if self.is("blank name") { " follower" } else { "follower" };
        self.send(&format!("A{name:<32}{code}"));
    }

    fn request(&mut self, text: &str) {
        if self.is("silent on bad requests") && text.len() < 43 {
            return;
        }
        let is_playing = self.game.is_some() && !self.is("accepts everything");
        if text.len() < 43 || is_playing || self.is("refuses everything") {
            return self.accept('2');
        }
        if &text[1..3] != "01" && !self.is("accepts everything") {
            return self.accept('1');
        }
        let start = match text.get(43..94) {
            Some(board) => parse_position(board).ok(),
            None if &text[42..43] == "A" => Some(Position::initial()),
            None => None,
        };
        let Some(start) = start.filter(Position::has_legal_move) else {
            return self.accept(if self.is("accepts everything") { '0' } else { '2' });
        };
        let color = if &text[35..36] == "W" { Color::White } else { Color::Black };
        self.accept('0');
        self.game = Some((Game::new(start), color));
        self.mv();
    }

    /// Moves if it is the follower's turn.
    fn mv(&mut self) {
        let Some((game, color)) = &mut self.game else { return };
        if game.position().side_to_move() != *color {
            return;
        }
        let Some(&mv) = game.position().legal_moves().first() else {
            self.game = None;
            if !self.is("never gives up") {
                self.send("E10");
            }
            return;
        };
        game.play(mv).expect("legal");
        let is_wrong = self.is("illegal") && !mv.captured().is_empty();
        let message = MoveMessage::new(mv, 0).to_string();
        self.send(if is_wrong { "M0000010600" } else { &message });
    }

    fn receive(&mut self, text: &str) {
        match (&text[..1], self.wrong) {
            ("R", _) => self.request(text),
            ("E", "echoes everything") => self.send("E00"),
            ("E", _) => {
                let echo = if self.is("wrong echo") { "E10" } else { "E00" };
                if self.game.take().is_some() {
                    self.send(if text.ends_with('1') { "E01" } else { echo });
                }
            }
            ("B", "no take-back answer") => {}
            ("B", _) => self.send("K1"),
            ("X", "closes") => {
                let _ = self.stream.shutdown(std::net::Shutdown::Both);
            }
            ("M", wrong) => {
                let Some((game, color)) = &mut self.game else { return };
                let message: Result<MoveMessage, _> = text.parse();
                let mv = message.ok().and_then(|m| m.resolve(game.position()).ok());
                match mv {
                    Some(mv) if game.position().side_to_move() != *color => {
                        game.play(mv).expect("legal");
                        self.mv();
                    }
                    _ if wrong == "plays on" => self.send("M0000203000"),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// Serves connections one after another.
fn follower(wrong: &'static str) -> u16 {
    let listener = TcpListener::bind("localhost:0").expect("a port");
    let port = listener.local_addr().expect("a port").port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut follower =
                Follower { stream: stream.expect("a connection"), wrong, game: None };
            let flood: Option<&[u8]> = match wrong {
                "chats without a pause" => Some(b"Chello\0"),
                "never sends a NUL" => Some(b"hello"),
                _ => None,
            };
            if let Some(flood) = flood {
                let mut stream = follower.stream.try_clone().expect("the connection");
                thread::spawn(move || while stream.write_all(flood).is_ok() {});
            }
            let mut bytes = Vec::new();
            let mut part = [0; 1000];
            while let Ok(read @ 1..) = follower.stream.read(&mut part) {
                if wrong == "reads are messages" {
                    bytes.clear();
                }
                bytes.extend_from_slice(&part[..read]);
                while let Some(end) = bytes.iter().position(|&b| b == 0) {
                    let message: Vec<u8> = bytes.drain(..=end).collect();
                    let text = String::from_utf8_lossy(&message[..end]).into_owned();
                    if !text.is_empty() {
                        follower.receive(&text);
                    }
                    if wrong == "reads are messages" {
                        bytes.clear();
                    }
                }
            }
        }
    });
    port
}

#[test]
fn what_is_wrong_with_a_follower_is_found() {
    let cases: [(&'static str, &'static [&'static str]); 16] = [
        ("", &["0 errors, 0 warnings"][..]),
        ("no NUL", &["without a NUL at its end"]),
        ("surplus", &["surplus characters"]),
        ("blank name", &["a name does not begin with a blank"]),
        ("silent on bad requests", &["no answer to a request that is too short"]),
        (
            "accepts everything",
            &[
                "a second game is begun within a game",
                "protocol version 02 is accepted",
                "an empty board is accepted",
            ],
        ),
        ("illegal", &["WRONG  captures", "illegal"]),
        ("never gives up", &["silence where the side to move must end the game"]),
        ("echoes everything", &["endless loops"]),
        ("wrong echo", &["warning  ", "the echo of an end should have reason 0"]),
        ("no take-back answer", &["no answer to a take-back request"]),
        ("closes", &["the program closed the connection"]),
        ("plays on", &["'M0000203000' in answer to 'M0000322500'"]),
        ("refuses everything", &["ok  messages outside a game", "refused with code 2: W:W31"]),
        ("never sends a NUL", &["no NUL in 4096 bytes"]),
        ("reads are messages", &["WRONG  messages in pieces", "no answer to the request"]),
    ];
    // Most of the time is waiting.
    let flooded = thread::spawn(|| check_dxp(follower("chats without a pause"), "0.4"));
    let is_right = |wrong: &str| matches!(wrong, "" | "wrong echo");
    let checks = cases.map(|(wrong, messages)| {
        let patience = match wrong {
            _ if is_right(wrong) => "5",
            "no NUL" => "0.4", // each answer is missed
            _ => "1",
        };
        (wrong, messages, thread::spawn(move || check_dxp(follower(wrong), patience)))
    });
    for (wrong, messages, output) in checks {
        let output = output.join().unwrap();
        assert_eq!(output.code, i32::from(!is_right(wrong)), "{wrong}: {output:?}");
        for message in messages {
            assert!(output.stdout.contains(message), "{wrong}: {message}: {}", output.stdout);
        }
        if wrong == "refuses everything" {
            // That is all: it need not echo an end outside a game.
            for message in ["no echo", "still believes"] {
                assert!(!output.stdout.contains(message), "{message}: {}", output.stdout);
            }
        }
    }
    // Whatever it answers among its chat, the check comes to an end.
    let output = flooded.join().unwrap();
    let end = output.stdout.lines().last().unwrap();
    assert!(end.contains(" error") && end.contains(" warning"), "{output:?}");
    assert!(!output.stdout.contains("Chello"), "chat is always allowed: {output:?}");
    let nobody = run(["protocol-check", "--dxp=localhost:1"], "");
    assert_eq!(nobody.code, 1);
    assert!(nobody.stderr.contains("cannot connect to localhost:1"), "{nobody:?}");
    for args in [&["protocol-check"][..], &["protocol-check", "--dxp=1", "--hub=x"]] {
        assert_eq!(run(args, "").code, 2);
    }
}

/// An engine that writes without end is reported as such, in time and without filling the memory.
#[test]
fn floods_are_found() {
    for switches in ["flood=1", "flood-start", "flood-ready"] {
        let mock = format!("'{}' {switches}", env!("CARGO_BIN_EXE_mock_engine"));
        let output = check_fast(&mock);
        assert_eq!(output.code, 1, "{switches}: {output:?}");
        assert!(output.stdout.contains("floods its output: "), "{output:?}");
    }
}
