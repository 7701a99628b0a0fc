//! The judgement of engines: our own, the mock engines and scripted DXP programs.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use meerslag_harness::runner::process::ProcessOptions;
use meerslag_harness::runner::{Check, StepVerdict, check_dxp, check_hub, command_words};
use movegen::notation::dxp::{MoveMessage, parse_position};
use movegen::{Color, Game, Position, Variant};

use crate::programs::{mock_command, own_hub_command};

/// What is wrong, or not, with the engine that this command starts.
pub fn check(command: &str, patience: Duration, slack: Duration) -> Check {
    check_variant(command, patience, slack, Variant::International)
}

fn check_variant(command: &str, patience: Duration, slack: Duration, variant: Variant) -> Check {
    let command = command_words(command).unwrap();
    let options = ProcessOptions { command, dir: None, env: Vec::new(), cpus: Vec::new() };
    check_hub(&options, patience, slack, variant).unwrap()
}

/// The same, of a mock engine: most of the time is waiting.
fn mock(switches: &str) -> Check {
    check(&mock_command(switches), Duration::from_secs(1), Duration::from_millis(100))
}

fn has_errors(check: &Check) -> bool {
    check.errors > 0
}

/// The findings as text, each with its step.
pub fn text(check: &Check) -> String {
    let mut text = String::new();
    for step in &check.steps {
        let verdict = if step.verdict == StepVerdict::Wrong { "WRONG" } else { "warning" };
        for finding in &step.findings {
            text += &format!("{verdict}  {}: {finding}\n", step.step);
        }
        if step.verdict == StepVerdict::Ok {
            text += &format!("ok  {}\n", step.step);
        }
    }
    text
}

#[test]
fn our_own_engine_follows_the_protocol() {
    // The machine may do other things; whether the clock is minded, games show.
    let (patience, slack) = (Duration::from_secs(10), Duration::from_secs(20));
    let check = check(&own_hub_command(), patience, slack);
    assert!(check.steps.iter().all(|step| step.verdict == StepVerdict::Ok), "{check:?}");
    for step in ["ping: pong", "pondering", "end of input"] {
        assert!(check.steps.iter().any(|it| it.step == step), "{check:?}");
    }
}

#[test]
fn engines_are_checked_in_a_variant() {
    let (patience, slack) = (Duration::from_secs(10), Duration::from_secs(20));
    for variant in [Variant::Breakthrough, Variant::Frisian] {
        let check = check_variant(&own_hub_command(), patience, slack, variant);
        let is_fine = check.steps.iter().all(|step| step.verdict == StepVerdict::Ok);
        assert!(is_fine && check.steps.len() > 9, "{variant}: {check:?}");
    }
    let none = check_variant(&mock_command(""), patience, slack, Variant::Frisian);
    assert!(format!("{none:?}").contains("no parameter 'variant' with the value frisian"));
}

#[test]
fn what_is_wrong_is_found() {
    for (switches, messages) in [
        ("", &["no 'info' before 'done'", "ends only on 'stop'"][..]),
        ("crash=1", &["WRONG  a search to a depth", "the engine ended"]),
        ("illegal=1", &["done move=1-50"]),
        ("no-wait", &["no 'wait' within 1s"]),
        ("uci", &["no 'wait' within 1s; it answers 'uci': it speaks UCI, not Hub"]),
        ("nonsense", &["unreadable line 'info depth=x score=much pv='", "score must be a number"]),
        // Lines without end are reported as such, in time and without filling the memory.
        ("long=1", &["line longer than 64 KiB"]),
        ("flood=1", &["floods its output: "]),
        ("flood-start", &["floods its output: "]),
        ("flood-ready", &["floods its output: "]),
    ] {
        let check = mock(switches);
        assert!(has_errors(&check), "{switches}: {check:?}");
        for message in messages {
            assert!(text(&check).contains(message), "{switches}: {check:?}");
        }
    }
    // A harmless error is no reason to go.
    let warned = text(&mock("warns"));
    assert!(warned.contains("'error message=\"no book found\"' before 'ready'"), "{warned}");
    assert!(!warned.contains("unknown parameter") && warned.contains("ok  ping: pong"), "{warned}");
}

/// What is wrong with the program that listens at this port. Only one that does something wrong is
/// waited for.
pub fn check_port(port: u16, patience: f64) -> Check {
    let address = format!("localhost:{port}").parse().unwrap();
    check_dxp(&address, Duration::from_secs_f64(patience)).unwrap()
}

/// A follower that plays its first legal moves, and does one thing wrong.
struct Follower {
    stream: TcpStream,
    /// For the length of each message, so that a flood does not come in between.
    writing: Arc<Mutex<()>>,
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
        let message = format!("{text}{surplus}{end}");
        let _writing = self.writing.lock().expect("no writer panics");
        let _ = self.stream.write_all(message.as_bytes());
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
            let (stream, writing) = (stream.expect("a connection"), Arc::default());
            let mut follower = Follower { stream, writing, wrong, game: None };
            let flood: Option<&[u8]> = match wrong {
                "chats without a pause" => Some(b"Cflood\0"),
                "never sends a NUL" => Some(b"hello"),
                _ => None,
            };
            if let Some(flood) = flood {
                let mut stream = follower.stream.try_clone().expect("the connection");
                let writing = follower.writing.clone();
                let mut write = move || {
                    let _writing = writing.lock().expect("no writer panics");
                    stream.write_all(flood).is_ok()
                };
                thread::spawn(move || while write() {});
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
        ("", &["ok  captures"][..]),
        ("no NUL", &["without a NUL at its end"]),
        ("surplus", &["surplus characters"]),
        ("blank name", &["a name does not begin with a blank"]),
        ("silent on bad requests", &["no answer to 'R01too short'; expected A1 or A2 or A3"]),
        (
            "accepts everything",
            &[
                "WRONG  a request within a game must be refused: 'Afollower",
                "WRONG  protocol version 02 must be refused: 'Afollower",
                "WRONG  an empty board must be refused: 'Afollower",
            ],
        ),
        ("illegal", &["WRONG  captures", "illegal"]),
        ("never gives up", &["WRONG  no legal move: the game is ended as lost: no answer to"]),
        ("echoes everything", &["endless loops"]),
        ("wrong echo", &["warning  ", "the echo of an end should have reason 0"]),
        ("no take-back answer", &["no answer to 'B999W'"]),
        ("closes", &["the program closed the connection"]),
        ("plays on", &["'M0000203000' in answer to 'M0000322500'"]),
        (
            "refuses everything",
            &["ok  messages outside a game", "2' in answer to a proper request, W:W31"],
        ),
        ("never sends a NUL", &["no NUL in 4096 bytes"]),
        ("reads are messages", &["WRONG  messages in pieces", "no answer to a proper request"]),
    ];
    // Most of the time is waiting.
    let flooded = thread::spawn(|| check_port(follower("chats without a pause"), 0.4));
    let is_right = |wrong: &str| matches!(wrong, "" | "wrong echo");
    let checks = cases.map(|(wrong, messages)| {
        let patience = match wrong {
            _ if is_right(wrong) => 5.0,
            "no NUL" => 0.4, // each answer is missed
            _ => 1.0,
        };
        (wrong, messages, thread::spawn(move || check_port(follower(wrong), patience)))
    });
    for (wrong, messages, check) in checks {
        let check = check.join().unwrap();
        assert_eq!(has_errors(&check), !is_right(wrong), "{wrong}: {check:?}");
        assert!(!wrong.is_empty() || check.warnings == 0, "{check:?}");
        let text = text(&check);
        for message in messages {
            assert!(text.contains(message), "{wrong}: {message}: {text}");
        }
        if wrong == "refuses everything" {
            // That is all: it need not echo an end outside a game.
            for message in ["no echo", "still believes"] {
                assert!(!text.contains(message), "{message}: {text}");
            }
        }
    }
    // Whatever it answers among its chat, the check comes to an end.
    let flooded = text(&flooded.join().unwrap());
    assert!(!flooded.contains("Cflood"), "chat is always allowed: {flooded}");
}
