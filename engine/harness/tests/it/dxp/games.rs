//! Games over DXP with our own player: whole ones with another one of us, and peers that do
//! everything wrong.

use std::fs;
use std::io::Write;
use std::time::Duration;

use meerslag_harness::protocol::Log;
use meerslag_harness::protocol::dxp::{DxpGame, SessionEnd, SessionOptions};
use meerslag_tests::Peer;
use movegen::notation::dxp::{MoveMessage, format_position};
use movegen::{Move, Position};
use tempfile::TempDir;

use crate::players::{Player, Said, Setup, proposal};

const INITIAL: &str = "Wzzzzzzzzzzzzzzzzzzzzeeeeeeeeeewwwwwwwwwwwwwwwwwwww";

fn moves(game: &DxpGame) -> Vec<Move> {
    game.record.plies.iter().map(|ply| ply.mv).collect()
}

/// Both think in the opponent's time too. Depths limit both, so that a busy machine decides no
/// game by time.
#[test]
fn pondering_changes_nothing_but_the_time() {
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let options = || SessionOptions { ponder: true, ..SessionOptions::default() };
    let mut proposal = proposal(2, 0);
    proposal.minutes = 60.0;
    let listening = Player::listen(Setup {
        options: options(),
        depth: 4,
        log: Log::open(&log).unwrap(),
        proposal: Some(proposal),
        ..Setup::default()
    });
    let setup = Setup { options: options(), depth: 3, ..Setup::default() };
    let connected = Player::connect(setup, listening.port);
    for _ in 0..2 {
        let (ours, theirs) = (listening.game(), connected.game());
        assert_eq!(moves(&ours), moves(&theirs));
        assert!(ours.record.result.as_str() != "*", "{ours:?}");
        assert_eq!(ours.record.result, theirs.record.result);
    }
    assert!(matches!(listening.end(), SessionEnd::Complete));
    let log = fs::read_to_string(log).unwrap();
    let hits = log.matches("the expected move").count();
    let moves = log.matches(" < M").count();
    assert!(hits > 2 && hits < moves, "{hits} of {moves}");
}

/// Whatever comes while the engine ponders is answered at once.
#[test]
fn pondering_is_interrupted_by_everything_else() {
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let listening = Player::listen(Setup {
        options: SessionOptions {
            ponder: true,
            correction_patience: Duration::from_secs(1),
            ..SessionOptions::default()
        },
        log: Log::open(&log).unwrap(),
        ..Setup::default()
    });
    let mut peer = Peer::connect(listening.port);
    // A capture in both places is the only move: the engine expects it.
    let start = Position::from_fen("W:W28,38,48,50:B1,2,19,27").unwrap();
    let text = format_position(&start);
    let begin = |peer: &mut Peer| -> Position {
        peer.request('W', &format!("001000B{text}"), '0');
        let mv: MoveMessage = peer.receive().parse().unwrap();
        let next = start.after(mv.resolve(&start).unwrap());
        listening.ponders();
        next
    };
    // A chat, then the end.
    begin(&mut peer);
    peer.send("Chow long?");
    peer.send("E00");
    assert_eq!(peer.receive(), "E00");
    // A move taken back, an illegal move, and a legal one.
    begin(&mut peer);
    peer.send("B001W");
    assert_eq!(peer.receive(), "K0");
    let mv: MoveMessage = peer.receive().parse().unwrap();
    let next = start.after(mv.resolve(&start).unwrap());
    listening.ponders();
    peer.send("M0000010200");
    assert!(peer.receive().starts_with("Cillegal move"));
    let reply = next.legal_moves()[0];
    peer.send(&MoveMessage::new(reply, 0).to_string());
    let mv: MoveMessage = peer.receive().parse().unwrap();
    mv.resolve(&next.after(reply)).unwrap();
    listening.ponders();
    // The connection is lost.
    drop(peer);
    let mut peer = Peer::connect(listening.port);
    // Every legal reply in turn: one of them is expected.
    let replies = begin(&mut peer).legal_moves().len();
    peer.send("E00");
    assert_eq!(peer.receive(), "E00");
    for number in 0..replies {
        let position = begin(&mut peer);
        let reply = position.legal_moves()[number];
        peer.send(&MoveMessage::new(reply, 0).to_string());
        let answer = peer.receive();
        if position.after(reply).has_legal_move() {
            let mv: MoveMessage = answer.parse().unwrap();
            mv.resolve(&position.after(reply)).unwrap();
            peer.send("E00");
            assert_eq!(peer.receive(), "E00");
        } else {
            assert_eq!(answer, "E10");
            peer.send("E00");
        }
    }
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("the expected move"), "{log}");
}

#[test]
fn bad_requests_are_answered_and_the_next_one_is_played() {
    let listening = Player::listen(Setup::default());
    let mut peer = Peer::connect(listening.port);
    // Nothing of this starts a game, and nothing ends the session.
    for noise in ["", "\r\n", "X?", "K0", "E00", "E30", "Cconsole exit", "A", "M", "R"] {
        peer.send(noise);
    }
    assert!(peer.receive().ends_with('2'), "the short request");
    peer.send("M0000322800");
    assert!(peer.receive().starts_with('C'));
    for wish in ["B001W", "B", "B1Z", "B001", "B00xW", "B001?"] {
        peer.send(wish);
        assert_eq!(peer.receive(), "K2", "{wish}");
    }
    peer.send(&format!("R02{:<32}W001000A", "x"));
    assert!(peer.receive().ends_with('1'));
    peer.request('W', "001000BW", '2');
    peer.request('X', "001000A", '2');
    peer.request('W', &format!("001000BWw{}", "e".repeat(49)), '2');
    peer.request('W', &format!("001000BW{}w", "e".repeat(49)), '2');
    peer.request('W', &format!("001000B?{}", "e".repeat(50)), '2');
    // White is blocked.
    let blocked =
        format!("{}z{}z{}w{}", "e".repeat(36), "e".repeat(3), "e".repeat(4), "e".repeat(4));
    peer.request('W', &format!("001000BW{blocked}"), '2');
    peer.send(&format!("C{}", "x".repeat(200)));
    // 0 minutes, surplus characters.
    peer.request('W', "000000A and so on", '0');
    let mv: MoveMessage = peer.receive().parse().unwrap();
    mv.resolve(&Position::initial()).unwrap();
    // A second request within a game.
    peer.send(&format!("R01{:<32}W001000A", "x"));
    assert!(peer.receive().ends_with('2'));
    peer.send("E10");
    assert_eq!(peer.receive(), "E00");
    // And another game on the same connection, where the peer ends everything.
    peer.request('Z', "001075A", '0');
    peer.send("E21");
    assert_eq!(peer.receive(), "E01");
    peer.expect_close();
}

#[test]
fn illegal_moves_can_be_corrected_and_end_the_game_if_not() {
    let options =
        SessionOptions { correction_patience: Duration::from_secs(1), ..SessionOptions::default() };
    let listening = Player::listen(Setup { options, ..Setup::default() });
    let mut peer = Peer::connect(listening.port);
    peer.request('Z', &format!("001000B{INITIAL}"), '0');
    for bad in ["M0000322500", "M", "M00003228", "M0000322801", "M9999999999"] {
        peer.send(bad);
        assert!(peer.receive().starts_with("Cillegal move"), "{bad}");
    }
    peer.send("M0000322800");
    let reply: MoveMessage = peer.receive().parse().unwrap();
    assert!(reply.from.number() <= 20);
    peer.send("M0000010600");
    assert!(peer.receive().starts_with('C'));
    // No correction comes.
    assert_eq!(peer.receive(), "E00");
    peer.send("E00");
    let game = listening.game();
    assert!(game.note.contains("illegal move by opponent: 'M0000010600' in W:W"), "{game:?}");
    assert_eq!(game.record.plies.len(), 2);
    peer.request('Z', "001000A", '0');
    drop(peer);
    assert_eq!(listening.game().note, "connection lost");
    assert!(matches!(listening.end(), SessionEnd::Lost));
}

#[test]
fn messages_may_be_cut_and_glued() {
    let listening = Player::listen(Setup::default());
    let mut peer = Peer::connect(listening.port);
    // Everything in one piece: request, a move, and more.
    let glued = format!("R01{:<32}Z001000A\0M0000322800\0Chello\0", "x");
    peer.stream.write_all(glued.as_bytes()).unwrap();
    assert!(peer.receive().ends_with('0'));
    assert!(peer.receive().starts_with('M'));
    peer.send("E10");
    assert_eq!(peer.receive(), "E00");
    // And every byte alone.
    for byte in glued.bytes() {
        peer.stream.write_all(&[byte]).unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(peer.receive().ends_with('0'));
    assert!(peer.receive().starts_with('M'));
}

/// Connections that break in every state: the listener stays.
#[test]
fn lost_connections_do_not_end_the_listener() {
    let listening = Player::listen(Setup::default());
    let port = listening.port;
    drop(Peer::connect(port));
    assert!(matches!(listening.end(), SessionEnd::Lost));
    let mut endless = Peer::connect(port);
    let _ = endless.stream.write_all(&[b'x'; 10_000]);
    endless.expect_close();
    assert!(matches!(listening.end(), SessionEnd::Lost));
    for (follower, half) in [('W', ""), ('Z', ""), ('Z', "M00"), ('W', "E1")] {
        let mut peer = Peer::connect(port);
        peer.request(follower, "001000A", '0');
        peer.stream.write_all(half.as_bytes()).unwrap();
        drop(peer);
        let game = listening.game();
        assert_eq!(game.note, "connection lost", "{follower} {half}");
        assert_eq!(game.record.result.as_str(), "*", "{follower} {half}");
        assert!(matches!(listening.end(), SessionEnd::Lost));
    }
    let mut peer = Peer::connect(port);
    peer.request('W', "001000A", '0');
    assert!(peer.receive().starts_with('M'));
}

/// Whoever sends an end does not play on, and waits for the echo.
#[test]
fn an_end_that_cannot_be_read_is_one() {
    let listening = Player::listen(Setup::default());
    let mut peer = Peer::connect(listening.port);
    for end in ["E", "E9", "E0x", "Exyz"] {
        peer.request('Z', "001000A", '0');
        peer.send(end);
        assert_eq!(peer.receive(), "E00", "{end}");
    }
}

#[test]
fn moves_are_taken_back() {
    let listening = Player::listen(Setup::default());
    let mut peer = Peer::connect(listening.port);
    // Black, the peer, moves first: its first move has number 1, White's first number 2.
    peer.request('W', &format!("001000B{}", INITIAL.replacen('W', "Z", 1)), '0');
    let start = Position::initial().with_other_side();
    peer.send("M0000202500");
    let reply: MoveMessage = peer.receive().parse().unwrap();
    for impossible in ["B001W", "B003Z", "B000Z", "B999W", "B", "B1Z", "B001?", "B   W"] {
        peer.send(impossible);
        assert_eq!(peer.receive(), "K2", "{impossible}");
    }
    // Back to White's first move: the engine thinks again at once.
    peer.send("B002W");
    assert_eq!(peer.receive(), "K0");
    let again: MoveMessage = peer.receive().parse().unwrap();
    assert_eq!(again.from.number(), reply.from.number());
    // Back to the start: the peer moves.
    peer.send("B001Z");
    assert_eq!(peer.receive(), "K0");
    peer.send("M0000192300");
    let reply: MoveMessage = peer.receive().parse().unwrap();
    let other: MoveMessage = "M0000192300".parse().unwrap();
    let position = start.after(other.resolve(&start).unwrap());
    reply.resolve(&position).unwrap();
}

#[test]
fn captures_of_every_shape() {
    let listening = Player::listen(Setup::default());
    let mut peer = Peer::connect(listening.port);
    // A king takes three and comes back to its square; the engine has only this move.
    let position = Position::from_fen("W:WK48:B21,24,39,42,1").unwrap();
    let text = format_position(&position);
    peer.request('W', &format!("001000B{text}"), '0');
    let message = peer.receive();
    let mv: MoveMessage = message.parse().unwrap();
    assert!(mv.captured.len() >= 3, "{message}");
    mv.resolve(&position).unwrap();
    peer.send("E10");
    assert_eq!(peer.receive(), "E00");
    // The peer takes the last piece, and the engine gives up.
    let position = Position::from_fen("W:W28:B23").unwrap();
    let text = format_position(&position);
    peer.request('Z', &format!("001000B{text}"), '0');
    // Without the captured square, as some programs write it.
    peer.send("M0000281900");
    assert_eq!(peer.receive(), "E10");
    peer.send("E00");
}

/// Initiators need followers that answer; those that do not are given up.
#[test]
fn an_initiator_survives_its_followers() {
    let listening = Player::listen(Setup { proposal: Some(proposal(3, 2)), ..Setup::default() });
    // Refuses the first game, then breaks off in the second.
    let mut peer = Peer::connect(listening.port);
    let request = peer.receive();
    assert_eq!(request.len(), 94, "{request}");
    assert_eq!(&request[35..43], "Z005002B");
    peer.send(&format!("A{:<32}2", "peer"));
    assert!(matches!(listening.next(), Said::Refused(0)));
    let request = peer.receive();
    assert_eq!(&request[35..36], "W", "colours alternate: {request}");
    peer.send(&format!("A{:<32}0", "peer"));
    drop(peer);
    assert_eq!(listening.game().opponent, "peer");
    assert!(matches!(listening.end(), SessionEnd::Lost));
    // The third game, over another connection, up to the move limit.
    let mut peer = Peer::connect(listening.port);
    assert!(peer.receive().starts_with("R01"));
    peer.send("Chello");
    peer.send(&format!("A{:<32}0", "peer"));
    let mut game = movegen::Game::default();
    for _ in 0..2 {
        let mv: MoveMessage = peer.receive().parse().unwrap();
        game.play(mv.resolve(game.position()).unwrap()).unwrap();
        let reply = game.position().legal_moves()[0];
        game.play(reply).unwrap();
        peer.send(&MoveMessage::new(reply, 0).to_string());
    }
    let end = peer.receive();
    assert!(end.starts_with('E') && end.ends_with('0'), "{end}");
    peer.send("E00");
    let game = listening.game();
    assert_eq!((&*game.note, game.record.plies.len()), ("move limit", 4), "{game:?}");
    assert!(matches!(listening.end(), SessionEnd::Complete));
}

#[test]
fn silent_peers_are_given_up() {
    let options =
        SessionOptions { move_patience: Some(Duration::from_secs(1)), ..SessionOptions::default() };
    let listening = Player::listen(Setup { options, ..Setup::default() });
    let mut peer = Peer::connect(listening.port);
    peer.request('Z', "001000A", '0');
    assert_eq!(listening.game().note, "the opponent is silent");
    peer.expect_close();
}
