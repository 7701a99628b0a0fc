//! Matches with programs that speak DXP: our own as child processes, and scripted ones that do
//! everything wrong.

use std::fs;
use std::net::TcpListener;
use std::thread::{self, JoinHandle};

use meerslag_harness::runner::{EngineSpec, MatchFormat};
use meerslag_tests::Peer;
use meerslag_tests::peer::free_port;
use movegen::notation::dxp::{MoveMessage, parse_position};
use movegen::{Color, Game};
use tempfile::TempDir;

use crate::played::{Match, Played};
use crate::programs::{mock, own_dxp, own_dxp_that_connects};

/// A match of this engine with a random mover, which has White first.
fn with_random(engine: &str, control: &str) -> Match {
    Match::new(&["random name=ours", engine], control)
}

fn results(played: &Played) -> Vec<&str> {
    played.games.iter().map(|game| game.result().as_str()).collect()
}

#[test]
fn programs_are_started_and_play_over_both_transports() {
    for own in [own_dxp, own_dxp_that_connects] {
        let folder = TempDir::new().unwrap();
        let log = folder.path().join("dxp.log");
        let engine = own("theirs", &format!("log={}", log.display()));
        let played = with_random(&engine, "60").pairs(2).at_once(2).play();
        assert_eq!(played.ends(), ["no legal move"; 4]);
        for game in &played.games {
            assert_eq!(played.loser(game), "ours", "{game:?}");
        }
        assert_eq!(played.pdn().len(), 4);
        let log = fs::read_to_string(log).unwrap();
        // Each game is agreed on and ended by both; the last words let the programs go.
        assert_eq!(log.matches(" > R01").count(), 4, "{log}");
        assert_eq!(log.matches("001000BW").count(), 4, "{log}");
        assert_eq!(log.matches("< E").count(), 4, "{log}");
        // One of both may have played all games before the other was started.
        assert_eq!(log.matches("> E01").count(), log.matches("connected with").count(), "{log}");
    }
}

#[test]
fn two_programs_play_each_other_up_to_the_agreed_number_of_moves() {
    let engines = ["random name=ours", &own_dxp("a", ""), &own_dxp_that_connects("b", "")];
    let played =
        Match::new(&engines[1..], "4/60").with(|config| config.format = MatchFormat::Gauntlet);
    let played = played.play();
    assert_eq!((results(&played), played.ends()), (vec!["*"; 2], vec!["move limit".to_owned(); 2]));
    assert!(played.games.iter().all(|game| game.record.plies.len() == 8));
    let a = played.standing("a");
    assert_eq!((&a["unknown"], &a["games"]), (&2.into(), &0.into()), "{a}");
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

fn against(port: u16, more: &str) -> Played {
    with_random(&format!("name=theirs dxp=localhost:{port} start=20 {more}"), "60").play()
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
        let played = against(port, "");
        thread.join().unwrap();
        assert_eq!((results(&played), played.ends()), (result.to_vec(), vec![why.to_owned(); 2]));
        assert_eq!(played.table()["games"], 2);
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
    let played = against(port, "");
    thread.join().unwrap();
    assert_eq!(played.table()["games"], 2);
}

#[test]
fn a_stop_code_ends_the_connection_and_the_match_goes_on() {
    let (port, thread) = follower(|listener| {
        let mut follower = Follower::accept(Peer::accept(listener));
        assert_eq!(follower.instead("E11"), "E01");
        let mut follower = Follower::accept(Peer::accept(listener));
        assert_eq!(follower.instead("E10"), "E00");
    });
    let played = against(port, "");
    thread.join().unwrap();
    assert_eq!(played.ends(), ["gave up"; 2]);
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
    let played = against(port, "");
    thread.join().unwrap();
    assert_eq!(played.ends(), ["crash", "gave up"]);
    let lost = &played.games[0];
    assert_eq!((played.loser(lost), &*lost.detail), ("theirs", "Black: the connection broke"));
    assert!(lost.tail.iter().any(|line| line.starts_with("> R01")), "{lost:?}");
}

/// A program that connects to us may do so again after it was lost.
#[test]
fn programs_connect_again() {
    let port = free_port();
    let thread = thread::spawn(move || {
        // The runner may not listen yet.
        drop(Peer::connect_patiently(port));
        let mut follower = Follower::accept(Peer::connect(port));
        follower.mv();
        drop(follower);
        let mut follower = Follower::accept(Peer::connect(port));
        assert_eq!(follower.instead("E10"), "E00");
    });
    let engine = format!("name=theirs dxp-listen=localhost:{port} start=20");
    let played = with_random(&engine, "60").play();
    thread.join().unwrap();
    // The first connection, which only tried the port, counts for nothing.
    assert_eq!(played.ends(), ["crash", "gave up"]);
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
    let played = against(port, "stall=0.5 tc=1.2 fractions=yes");
    thread.join().unwrap();
    assert_eq!(played.ends(), ["illegal move", "stall"]);
    let [illegal, stalled] = &played.games[..] else { panic!("{:?}", played.games) };
    assert!(illegal.detail.starts_with("Black: 'M0000010600' in B:W"), "{illegal:?}");
    assert_eq!(stalled.result().as_str(), "0-2");
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
    let played = against(port, "");
    thread.join().unwrap();
    assert_eq!(played.ends(), ["game refused", "gave up"]);
    assert_eq!(results(&played)[0], "*");

    // No game at all: it is pointless to go on.
    let (port, thread) = follower(|listener| {
        let mut peer = Peer::accept(listener);
        assert!(peer.receive().starts_with("R01"));
        peer.send(&format!("A{:<32}3", "Scripted follower"));
    });
    let error = with_random(&format!("name=theirs dxp=localhost:{port}"), "60").failure();
    thread.join().unwrap();
    assert!(error.contains("it does not want to play"), "{error}");
}

#[test]
fn what_cannot_work_is_refused() {
    let dxp = |text: &str| format!("name=theirs {text}");
    for control in ["10+1", "10"] {
        let refused = with_random(&dxp("dxp=localhost:27531"), control).refused();
        assert!(refused.contains("whole minutes"), "{refused}");
    }
    for (engine, part) in [("dxp=localhost:0", "{port}"), ("dxp=a:b:c", "HOST:PORT")] {
        let refused = match EngineSpec::parse(&dxp(engine)) {
            Ok(_) => with_random(&dxp(engine), "60").refused(),
            Err(error) => error.to_string(),
        };
        assert!(refused.contains(part), "{engine}: {refused}");
    }
    let error = with_random(&dxp("dxp=localhost:1 start=0.2"), "60").failure();
    assert!(error.contains("cannot connect to localhost, port 1"), "{error}");
    // A program that never connects.
    let silent = mock("theirs", "seed={port}").replace("start=60", "start=0.2");
    let error = with_random(&silent.replace("cmd=", "dxp-listen=localhost:0 cmd="), "60").failure();
    assert!(error.contains("nobody connected"), "{error}");
    let error = with_random(&dxp("dxp=localhost:1"), "60").at_once(2).failure();
    assert!(error.contains("1 addresses for 2 games"), "{error}");
}
