//! `meerslag match` with programs that speak DXP: our own as child processes, and scripted ones
//! that do everything wrong.

use std::fs;
use std::net::TcpListener;
use std::thread::{self, JoinHandle};

use meerslag_tests::{Output, Peer, binary, run};
use movegen::notation::dxp::{MoveMessage, parse_position};
use movegen::notation::pdn::PdnReader;
use movegen::{Color, Game};
use serde_json::Value;
use tempfile::TempDir;

fn play(args: &[&str]) -> Vec<Value> {
    let output = start(args);
    assert_eq!(output.code, 0, "{args:?}: {output:?}");
    output.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn start(args: &[&str]) -> Output {
    run(["match", "--json", "--engine=random name=ours"].iter().chain(args), "")
}

/// The engine line of our own program, listening or connecting, started by the runner.
fn own(name: &str, transport: &str, more: &str) -> String {
    let program = binary().display();
    let (key, command) = match transport {
        "listen" => ("dxp", "dxp listen"),
        _ => ("dxp-listen", "dxp connect localhost"),
    };
    format!(
        "--engine=name={name} {key}=localhost:0 start=30 {more} \
         cmd=\"'{program}' {command} --port {{port}} --gap=0 --hash=1 --depth=2\""
    )
}

#[test]
fn programs_are_started_and_play_over_both_transports() {
    for transport in ["listen", "connect"] {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        let engine = own("theirs", transport, &format!("log={}", path("dxp.log")));
        let pdn = format!("--pdn={}", path("games.pdn"));
        let lines = play(&[&engine, "--tc=60", "--pairs=2", "--concurrency=2", &pdn]);
        assert_eq!(lines.len(), 5, "{lines:?}");
        for game in &lines[..4] {
            let winner = if game["white"] == "theirs" { "2-0" } else { "0-2" };
            assert_eq!(game["result"], winner, "{game}");
            assert_eq!(game["termination"], "no legal move", "{game}");
        }
        let text = fs::read(folder.path().join("games.pdn")).unwrap();
        assert_eq!(PdnReader::new(&text[..]).map(Result::unwrap).count(), 4);
        let log = fs::read_to_string(folder.path().join("dxp.log")).unwrap();
        // Each game is agreed on and ended by both; the last words let the programs go.
        assert_eq!(log.matches(" > R01").count(), 4, "{log}");
        assert_eq!(log.matches("001000BW").count(), 4, "{log}");
        assert_eq!(log.matches("< E").count(), 4, "{log}");
        assert_eq!(log.matches("> E01").count(), 2, "{log}");
    }
}

#[test]
fn two_programs_play_each_other_up_to_the_agreed_number_of_moves() {
    let args = [&own("a", "listen", ""), &own("b", "connect", ""), "--tc=4/60", "--pairs=1"];
    let args: Vec<&str> = args.iter().map(AsRef::as_ref).chain(["--format=gauntlet"]).collect();
    let output = run(["match", "--json"].iter().chain(&args), "");
    assert_eq!(output.code, 0, "{output:?}");
    let games: Vec<Value> =
        output.stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    for game in &games[..2] {
        assert_eq!(game["result"], "*", "{game}");
        assert_eq!(game["plies"], 8, "{game}");
        assert_eq!(game["termination"], "move limit", "{game}");
    }
    assert_eq!(games[2]["engines"][0]["unknown"], 2, "{}", games[2]);
    assert_eq!(games[2]["engines"][0]["games"], 0, "{}", games[2]);
}

/// A scripted follower: plays its first legal moves and does something odd where it is asked to.
struct Follower {
    peer: Peer,
    game: Game,
    color: Color,
}

impl Follower {
    /// Waits for a game request and accepts it.
    fn accept(mut peer: Peer) -> Follower {
        let request = peer.receive();
        peer.send(&format!("A{:<32}0", "Scripted follower"));
        Follower::of(peer, &request)
    }

    fn of(peer: Peer, request: &str) -> Follower {
        assert!(request.starts_with("R01") && request.len() == 94, "{request}");
        let color = if &request[35..36] == "W" { Color::White } else { Color::Black };
        let start = parse_position(&request[43..]).expect("a position");
        Follower { peer, game: Game::new(start), color }
    }

    /// Receives the opponent's move if it is his turn; then it is ours.
    fn turn(&mut self) {
        if self.game.position().side_to_move() != self.color {
            let text = self.peer.receive();
            let message: MoveMessage = text.parse().expect(&text);
            let mv = message.resolve(self.game.position()).expect(&text);
            self.game.play(mv).expect("legal");
        }
    }

    fn mv(&mut self) {
        self.turn();
        let mv = self.game.position().legal_moves()[0];
        self.game.play(mv).expect("legal");
        self.peer.send(&MoveMessage::new(mv, 0).to_string());
    }

    /// Sends this instead of a move, and receives the answer.
    fn instead(&mut self, message: &str) -> String {
        self.turn();
        self.peer.send(message);
        self.peer.receive()
    }
}

/// A follower on its own port, in a thread.
fn follower(script: impl FnOnce(&TcpListener) + Send + 'static) -> (u16, JoinHandle<()>) {
    let listener = TcpListener::bind("localhost:0").expect("a port");
    let port = listener.local_addr().expect("a port").port();
    (port, thread::spawn(move || script(&listener)))
}

fn against(port: u16, more: &str, args: &[&str]) -> Vec<Value> {
    let engine = format!("--engine=name=theirs dxp=localhost:{port} start=20 {more}");
    play(&[&[engine.as_str(), "--tc=60", "--pairs=1"], args].concat())
}

#[test]
fn games_end_as_the_program_says() {
    // The program's message instead of a move; who then has won; why.
    for (message, result, why) in [
        ("E10", ["2-0", "0-2"], "gave up"),
        ("E20", ["1-1", "1-1"], "ended by a player"),
        ("E30", ["0-2", "2-0"], "ended by a player"),
        ("E00", ["*", "*"], "ended by a player"),
        ("E7", ["*", "*"], "ended by a player"),
    ] {
        let (port, thread) = follower(move |listener| {
            let mut follower = Follower::accept(Peer::accept(listener));
            follower.mv();
            assert_eq!(follower.instead(message), "E00");
            // The second game on the same connection.
            let mut follower = Follower::accept(follower.peer);
            follower.mv();
            follower.mv();
            assert_eq!(follower.instead(message), "E00");
        });
        let lines = against(port, "", &[]);
        thread.join().unwrap();
        for (game, result) in lines[..2].iter().zip(result) {
            assert_eq!((&game["result"], &game["termination"]), (&result.into(), &why.into()));
        }
        assert_eq!(lines[2]["games"], 2);
    }
}

#[test]
fn what_cannot_be_read_is_answered_where_an_answer_is_due() {
    let (port, thread) = follower(|listener| {
        let mut follower = Follower::accept(Peer::accept(listener));
        assert_eq!(follower.instead("B1Z"), "K2");
        for (message, answer) in [("B", "K2"), ("R0", "2"), ("R02", "1")] {
            follower.peer.send(message);
            assert!(follower.peer.receive().ends_with(answer), "{message}");
        }
        follower.peer.send("E11");
        assert_eq!(follower.peer.receive(), "E01");
        let mut follower = Follower::accept(Peer::accept(listener));
        assert_eq!(follower.instead("E10"), "E00");
    });
    let lines = against(port, "", &[]);
    thread.join().unwrap();
    assert_eq!(lines[2]["games"], 2);
}

#[test]
fn a_stop_code_ends_the_connection_and_the_match_goes_on() {
    let (port, thread) = follower(|listener| {
        let mut follower = Follower::accept(Peer::accept(listener));
        assert_eq!(follower.instead("E11"), "E01");
        let mut follower = Follower::accept(Peer::accept(listener));
        assert_eq!(follower.instead("E10"), "E00");
    });
    let lines = against(port, "", &[]);
    thread.join().unwrap();
    assert!(lines[..2].iter().all(|game| game["termination"] == "gave up"), "{lines:?}");
}

#[test]
fn lost_connections_lose_the_game_and_the_match_goes_on() {
    let (port, thread) = follower(|listener| {
        let mut follower = Follower::accept(Peer::accept(listener));
        follower.mv();
        drop(follower);
        // As a program that did not notice: it believes to be in a game until it receives the end.
        let mut peer = Peer::accept(listener);
        assert!(peer.receive().starts_with("R01"));
        peer.send("Calready in a game");
        peer.send(&format!("A{:<32}2", "Scripted follower"));
        assert_eq!(peer.receive(), "E00");
        peer.send("E00");
        let mut follower = Follower::accept(peer);
        assert_eq!(follower.instead("E10"), "E00");
    });
    let lines = against(port, "", &[]);
    thread.join().unwrap();
    assert_eq!(lines[0]["termination"], "crash");
    assert_eq!(lines[0]["result"], "2-0");
    assert_eq!(lines[0]["detail"], "Black: the connection broke");
    let tail = lines[0]["tail"].as_array().unwrap();
    assert!(tail.iter().any(|l| l.as_str().unwrap().starts_with("> R01")), "{tail:?}");
    assert_eq!(lines[1]["termination"], "gave up");
}

/// A program that connects to us may do so again after it was lost.
#[test]
fn programs_connect_again() {
    let port = meerslag_tests::peer::free_port();
    let thread = thread::spawn(move || {
        let connect = || loop {
            // The runner may not listen yet.
            if std::net::TcpStream::connect(("localhost", port)).is_ok() {
                break Peer::connect(port);
            }
            thread::sleep(std::time::Duration::from_millis(20));
        };
        let mut follower = Follower::accept(connect());
        follower.mv();
        drop(follower);
        let mut follower = Follower::accept(Peer::connect(port));
        assert_eq!(follower.instead("E10"), "E00");
    });
    let engine = format!("--engine=name=theirs dxp-listen=localhost:{port} start=20");
    let lines = play(&[&engine, "--tc=60", "--pairs=1"]);
    thread.join().unwrap();
    // The first connection, which only tried the port, counts for nothing.
    assert_eq!(lines[0]["termination"], "crash", "{lines:?}");
    assert_eq!(lines[1]["termination"], "gave up", "{lines:?}");
}

#[test]
fn illegal_moves_and_silence_lose_and_are_quoted() {
    let (port, thread) = follower(|listener| {
        let mut follower = Follower::accept(Peer::accept(listener));
        // The runner ends the game because we have lost it.
        assert_eq!(follower.instead("M0000010600"), "E30");
        follower.peer.send("E00");
        // In the second game, of two hundredths of a minute, nothing comes, not even an echo.
        let mut peer = follower.peer;
        let request = peer.receive();
        assert_eq!(&request[36..42], ".02000", "{request}");
        peer.send(&format!("A{:<32}0", "Scripted follower"));
        let mut follower = Follower::of(peer, &request);
        follower.turn();
        assert_eq!(follower.peer.receive(), "E30");
        follower.peer.expect_close();
    });
    let lines = against(port, "stall=0.5 tc=1.2 fractions=yes", &[]);
    thread.join().unwrap();
    assert_eq!(lines[0]["termination"], "illegal move");
    let detail = lines[0]["detail"].as_str().unwrap();
    assert!(detail.starts_with("Black: 'M0000010600' in B:W"), "{detail}");
    assert_eq!(lines[1]["termination"], "stall");
    assert_eq!(lines[1]["result"], "0-2");
}

#[test]
fn refusals_are_no_results() {
    let (port, thread) = follower(|listener| {
        let mut peer = Peer::accept(listener);
        assert!(peer.receive().starts_with("R01"));
        peer.send(&format!("A{:<32}2", "Scripted follower"));
        // Perhaps another game was still going on.
        assert_eq!(peer.receive(), "E00");
        peer.send("E00");
        assert!(peer.receive().starts_with("R01"));
        peer.send(&format!("A{:<32}2", "Scripted follower"));
        let mut follower = Follower::accept(peer);
        assert_eq!(follower.instead("E10"), "E00");
    });
    let lines = against(port, "", &[]);
    thread.join().unwrap();
    assert_eq!(
        (&lines[0]["result"], &lines[0]["termination"]),
        (&"*".into(), &"game refused".into())
    );
    assert_eq!(lines[1]["termination"], "gave up");

    // No game at all: it is pointless to go on.
    let (port, thread) = follower(|listener| {
        let mut peer = Peer::accept(listener);
        assert!(peer.receive().starts_with("R01"));
        peer.send(&format!("A{:<32}3", "Scripted follower"));
    });
    let engine = format!("--engine=name=theirs dxp=localhost:{port}");
    let output = start(&[&engine, "--tc=60"]);
    thread.join().unwrap();
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("it does not want to play"), "{output:?}");
}

#[test]
fn what_cannot_work_is_refused() {
    let dxp = |text: &str| format!("--engine=name=theirs {text}");
    for (engine, args, code, part) in [
        (dxp("dxp=localhost:27531"), vec!["--tc=10+1"], 2, "whole minutes"),
        (dxp("dxp=localhost:27531"), vec!["--tc=10"], 2, "whole minutes"),
        (dxp("dxp=localhost:0"), vec!["--tc=60"], 2, "{port}"),
        (dxp("dxp=a:b:c"), vec!["--tc=60"], 2, "HOST:PORT"),
        (
            dxp("dxp=localhost:1 start=0.2"),
            vec!["--tc=60"],
            1,
            "cannot connect to localhost, port 1",
        ),
        (
            // A program that ends at once.
            dxp(&format!(
                "dxp-listen=localhost:0 start=0.2 cmd=\"'{}' --version {{port}}\"",
                binary().display()
            )),
            vec!["--tc=60"],
            1,
            "nobody connected",
        ),
        (dxp("dxp=localhost:1"), vec!["--tc=60", "--concurrency=2"], 1, "1 addresses for 2 games"),
    ] {
        let mut all = vec![engine.as_str()];
        all.extend(args);
        let output = start(&all);
        assert_eq!(output.code, code, "{all:?}: {output:?}");
        assert!(output.stderr.contains(part), "{all:?}: {output:?}");
    }
}
