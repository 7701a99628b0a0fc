//! Peers over DXP that are late, silent, chatty, or leave.

use std::io::Write;
use std::net::Shutdown;
use std::thread;
use std::time::{Duration, Instant};

use meerslag_harness::protocol::dxp::{DxpGame, SessionEnd, SessionOptions};
use meerslag_tests::Peer;
use movegen::Game;
use movegen::notation::dxp::MoveMessage;

use crate::players::{Player, Setup, proposal};

/// A player that proposes this number of games of one move, and waits for an echo for so long.
fn initiator(games: usize, echo_patience: Duration) -> Setup {
    let options = SessionOptions { echo_patience, ..SessionOptions::default() };
    Setup { options, proposal: Some(proposal(games, 1)), ..Setup::default() }
}

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
    let (player, _listener, mut peer) = Player::meet(initiator(5, Duration::from_millis(200)));
    for number in 0..5 {
        let request = peer.receive();
        assert!(request.starts_with("R01"), "{number}: {request}");
        if number == 1 {
            // That of the first game, which is not waited for any more.
            peer.send("E00");
        }
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
        if number > 0 {
            peer.send("E00");
        }
    }
    let games: Vec<_> = (0..5).map(|_| player.game()).collect();
    assert!(games.iter().all(|game| game.record.result.as_str() == "*"), "{games:?}");
    let is_limited = |game: &&DxpGame| game.note == "move limit" && game.record.plies.len() == 2;
    assert_eq!(games.iter().filter(is_limited).count(), 3, "{games:?}");
    assert!(matches!(player.end(), SessionEnd::Complete));
}

/// Also when it comes only after the next game has begun.
#[test]
fn a_late_echo_does_not_end_a_game_that_has_begun() {
    let (player, _listener, mut peer) = Player::meet(initiator(2, Duration::from_millis(100)));
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
    player.game();
    let game = player.game();
    assert_eq!((&*game.note, game.record.plies.len()), ("draw, claimed by the opponent", 2));
}

/// Silence counts while the program ponders, too.
#[test]
fn silence_ends_pondering() {
    let options = SessionOptions {
        ponder: true,
        move_patience: Some(Duration::from_millis(500)),
        ..SessionOptions::default()
    };
    let player = Player::listen(Setup { options, depth: 30, ..Setup::default() });
    let mut peer = Peer::connect(player.port);
    peer.request('W', ".05000A", '0');
    assert!(peer.receive().starts_with('M'));
    assert_eq!(player.game().note, "the opponent is silent");
    peer.expect_close();
}

/// Messages that cannot change the game neither end nor restart the search.
#[test]
fn junk_does_not_keep_the_program_from_moving() {
    for junk in ["B999W", "B001W", "R", "Cwhy"] {
        let player = Player::listen(Setup { depth: 40, ..Setup::default() });
        let mut peer = Peer::connect(player.port);
        peer.request('W', ".05000A", '0');
        let mut writer = peer.stream.try_clone().unwrap();
        let flood = thread::spawn(move || {
            for _ in 0..4000 {
                if writer.write_all(format!("{junk}\0").as_bytes()).is_err() {
                    break;
                }
                thread::sleep(Duration::from_millis(5));
            }
        });
        while !peer.receive().starts_with('M') {}
        assert!(!flood.is_finished(), "{junk}: it moved only after the flood");
        let _ = peer.stream.shutdown(Shutdown::Both);
        flood.join().unwrap();
    }
}

/// The gap counts, and gives way when the clock runs low.
#[test]
fn the_gap_is_on_our_clock() {
    let setup = Setup { gap: Duration::from_secs(2), ..Setup::default() };
    let player = Player::listen(setup);
    let mut peer = Peer::connect(player.port);
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
    // Five whole gaps would be ten seconds, with three on the clock.
    assert!(used < 10.0, "{used} seconds");
    let game = player.game();
    let own = game.record.plies.iter().skip(1).step_by(2).take(5);
    let emt: f64 = own.map(|ply| ply.time.unwrap()).sum();
    // Without the gaps hardly any time would be left. Our own waits are the rest: on a busy machine
    // a message may be late.
    assert!(emt > 0.4 * used, "{emt} of {used} seconds");
}

/// Every request is answered, also one that cannot be read.
#[test]
fn broken_requests_are_answered_in_every_state() {
    let (_player, _listener, mut peer) = Player::meet(initiator(2, Duration::from_secs(5)));
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
