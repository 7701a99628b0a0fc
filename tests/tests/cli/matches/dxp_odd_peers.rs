//! `meerslag dxp` with peers that are late, silent, chatty, or leave.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use meerslag_tests::{Peer, Program};
use movegen::Game;
use movegen::notation::dxp::MoveMessage;
use movegen::notation::pdn::PdnReader;
use tempfile::TempDir;

fn accept(peer: &mut Peer, code: char) {
    peer.send(&format!("A{:<32}{code}", "peer"));
}

/// Receives a move of the program and answers with the first legal one.
fn reply(peer: &mut Peer, game: &mut Game) -> Option<()> {
    let text = peer.receive();
    let message: MoveMessage = text.parse().expect(&text);
    game.play(message.resolve(game.position()).expect(&text)).expect("legal");
    let reply = *game.position().legal_moves().first()?;
    game.play(reply).expect("legal");
    peer.send(&MoveMessage::new(reply, 0).to_string());
    Some(())
}

/// The games after a late echo are played as if nothing had happened.
#[test]
fn a_late_echo_disturbs_no_other_game() {
    let args = ["--role=initiator", "--games=5", "--moves=1", "--gap=0", "--echo=0.2"];
    let (program, _listener, mut peer) = Program::connect(&args);
    for number in 0..5 {
        let request = peer.receive();
        assert!(request.starts_with("R01"), "{number}: {request}");
        accept(&mut peer, '0');
        if &request[35..36] == "W" {
            peer.send("M0000322800");
            assert!(peer.receive().starts_with('M'), "{number}");
            // The next turn is the peer's, which ends the game.
            peer.send("E00");
            assert_eq!(peer.receive(), "E00", "{number}");
            continue;
        }
        assert!(reply(&mut peer, &mut Game::default()).is_some());
        assert_eq!(peer.receive(), "E00", "{number}");
        if number == 0 {
            thread::sleep(Duration::from_millis(600));
        }
        peer.send("E00");
    }
    let text = program.rest();
    assert!(text.ends_with("0 won, 0 drawn, 0 lost, 5 unknown\n"), "{text}");
    assert_eq!(text.matches("move limit, 1 move\n").count(), 3, "{text}");
}

/// Also when it comes only after the next game has begun.
#[test]
fn a_late_echo_does_not_end_a_game_that_has_begun() {
    let args = ["--role=initiator", "--games=2", "--moves=1", "--gap=0", "--echo=0.1"];
    let (program, _listener, mut peer) = Program::connect(&args);
    assert!(peer.receive().starts_with("R01"));
    accept(&mut peer, '0');
    assert!(reply(&mut peer, &mut Game::default()).is_some());
    assert_eq!(peer.receive(), "E00");
    assert!(peer.receive().starts_with("R01"));
    accept(&mut peer, '0');
    peer.send("E00");
    peer.send("M0000322800");
    assert!(peer.receive().starts_with('M'));
    peer.send("E20");
    assert_eq!(peer.receive(), "E00");
    assert!(program.rest().contains("draw, claimed by the opponent, 1 move"));
}

/// Silence counts while the program ponders, too.
#[test]
fn silence_ends_pondering() {
    let mut program =
        Program::listen(&["--gap=0", "--ponder", "--silence=0.5", "--depth=30", "--book=none"]);
    let mut peer = Peer::connect(program.port);
    peer.request('W', ".05000A", '0');
    assert!(peer.receive().starts_with('M'));
    assert!(program.line().contains("the opponent is silent"));
    peer.expect_close();
}

/// Messages that cannot change the game neither end nor restart the search.
#[test]
fn junk_does_not_keep_the_program_from_moving() {
    for junk in ["B999W", "B001W", "R", "Cwhy"] {
        let program = Program::listen(&["--gap=0", "--depth=40", "--book=none"]);
        let mut peer = Peer::connect(program.port);
        peer.request('W', ".05000A", '0');
        let mut writer = peer.stream.try_clone().unwrap();
        let flood = thread::spawn(move || {
            use std::io::Write;
            for _ in 0..4000 {
                if writer.write_all(format!("{junk}\0").as_bytes()).is_err() {
                    break;
                }
                thread::sleep(Duration::from_millis(5));
            }
        });
        while !peer.receive().starts_with('M') {}
        assert!(!flood.is_finished(), "{junk}: it moved only after the flood");
        let _ = peer.stream.shutdown(std::net::Shutdown::Both);
        flood.join().unwrap();
    }
}

/// Ctrl-C works through a flood of messages, in a search as well.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_game_in_spite_of_a_flood() {
    let program = Program::listen(&["--gap=0", "--depth=40", "--book=none"]);
    let mut peer = Peer::connect(program.port);
    peer.request('W', "900000A", '0');
    let mut writer = peer.stream.try_clone().unwrap();
    let flood = thread::spawn(move || {
        use std::io::Write;
        while writer.write_all(b"Chello\0").is_ok() {
            thread::sleep(Duration::from_millis(5));
        }
    });
    thread::sleep(Duration::from_millis(300));
    meerslag_tests::interrupt(program.id());
    let output = program.end();
    flood.join().unwrap();
    assert_eq!(output.code, 130, "{output:?}");
    assert!(output.stdout.contains("interrupted"), "{output:?}");
    assert!(output.stdout.ends_with("0 won, 0 drawn, 0 lost, 1 unknown\n"), "{output:?}");
}

/// The gap counts, and gives way when the clock runs low.
#[test]
fn the_gap_is_on_our_clock() {
    let folder = TempDir::new().unwrap();
    let pdn = folder.path().join("games.pdn");
    let mut program = Program::listen(&["--gap=2000", &format!("--pdn={}", pdn.display())]);
    let mut peer = Peer::connect(program.port);
    // Three seconds for six moves.
    peer.request('Z', ".05006A", '0');
    let mut game = Game::default();
    let first = game.position().legal_moves()[0];
    game.play(first).unwrap();
    peer.send(&MoveMessage::new(first, 0).to_string());
    let mut used = 0.0;
    for _ in 0..5 {
        let start = Instant::now();
        reply(&mut peer, &mut game).unwrap();
        used += start.elapsed().as_secs_f64();
    }
    assert!(peer.receive().starts_with('M'));
    peer.send("E00");
    drop(peer);
    // The game, and then that the next connection is waited for: the file is written.
    program.line();
    program.line();
    // Five whole gaps would be ten seconds, with three on the clock.
    assert!(used < 10.0, "{used} seconds");
    let text = fs::read(&pdn).unwrap();
    let game = PdnReader::new(&text[..]).next().unwrap().unwrap();
    let mut emt = 0.0;
    for ply in game.line.plies.iter().skip(1).step_by(2).take(5) {
        emt += ply.comments().next().unwrap().elapsed_move_time().unwrap().as_secs_f64();
    }
    // Without the gaps hardly any time would be left. Our own waits are the rest: on a busy machine
    // a message may be late.
    assert!(emt > 0.4 * used, "{emt} of {used} seconds");
}

/// Every request is answered, also one that cannot be read.
#[test]
fn broken_requests_are_answered_in_every_state() {
    let (_program, _listener, mut peer) =
        Program::connect(&["--role=initiator", "--games=2", "--moves=1", "--gap=0", "--minutes=1"]);
    let ask = |peer: &mut Peer| {
        peer.send("R01too short");
        let answer = peer.receive();
        assert!(answer.starts_with('A') && answer.ends_with('2'), "{answer}");
        peer.send("R02short");
        let answer = peer.receive();
        assert!(answer.starts_with('A') && answer.ends_with('1'), "{answer}");
    };
    // Asked for an answer itself; in a game; while it waits for the echo, which ends that wait.
    assert!(peer.receive().starts_with("R01"));
    ask(&mut peer);
    accept(&mut peer, '0');
    assert!(peer.receive().starts_with('M'));
    ask(&mut peer);
    peer.send("M0000202500");
    assert_eq!(peer.receive(), "E00");
    peer.send("R01");
    assert!(peer.receive().starts_with("R01"), "its own next request");
    assert!(peer.receive().ends_with('2'));
}
