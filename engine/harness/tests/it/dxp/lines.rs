//! Tournaments over DXP on bad lines: a proxy that drops and slows the connection, and a player who
//! comes late.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use meerslag_harness::runner::{FaultKind, MatchGame, Termination};
use meerslag_tests::peer::free_port;

use crate::played::Match;
use crate::players::{Player, Setup};

/// A line between the runner and a program that listens at this port. Each piece takes `delay` on the way;
/// the first connection breaks after this many bytes of the program, later ones do not.
fn proxy(to: u16, delay: Duration, breaks_after: Option<usize>) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("localhost:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&connections);
    thread::spawn(move || {
        for near in listener.incoming() {
            let Ok(near) = near else { return };
            let Ok(far) = TcpStream::connect(("localhost", to)) else { continue };
            let is_first = counter.fetch_add(1, Ordering::SeqCst) == 0;
            let limit = breaks_after.filter(|_| is_first).unwrap_or(usize::MAX);
            let (near_in, far_in) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            thread::spawn(move || pass_on(near_in, far_in, delay, usize::MAX));
            thread::spawn(move || pass_on(far, near, delay, limit));
        }
    });
    (port, connections)
}

/// Passes on what comes, up to this many bytes; then, and at the end, both sides are closed.
fn pass_on(mut from: TcpStream, mut to: TcpStream, delay: Duration, most: usize) {
    let mut buffer = [0; 256];
    let mut left = most;
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        thread::sleep(delay);
        let count = count.min(left);
        left -= count;
        if to.write_all(&buffer[..count]).is_err() || left == 0 {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

/// A double round-robin of a player over DXP, described so, and two at random.
fn cup(guest: &str) -> Vec<MatchGame> {
    let guest = format!("name=guest {guest}");
    let engines = [&guest, "random name=a", "random name=b param.seed=2"];
    let cup = Match::new(&engines, "60").openings("start").max_moves(12);
    cup.in_rounds().play().games
}

/// The games that the guest has lost by a failure.
fn failed(games: &[MatchGame]) -> Vec<&MatchGame> {
    let is_failed = |game: &&MatchGame| game.termination == Termination::Fault(FaultKind::Crash);
    games.iter().filter(is_failed).collect()
}

/// A connection that breaks loses the game that is being played, and no other one.
#[test]
fn a_lost_connection_is_taken_up_again() {
    let player = Player::listen(Setup { depth: 1, ..Setup::default() });
    // An acceptance and some moves.
    let (port, connections) = proxy(player.port, Duration::ZERO, Some(150));
    let games = cup(&format!("dxp=localhost:{port} start=30"));
    assert_eq!(games.len(), 6, "{games:?}");
    let [lost] = failed(&games)[..] else { panic!("{games:?}") };
    assert!(lost.detail.contains("the connection broke"), "{lost:?}");
    assert!(connections.load(Ordering::SeqCst) >= 2);
}

/// A slow line costs time and nothing else: no move is lost, none comes twice.
#[test]
fn a_slow_line_costs_time_alone() {
    let player = Player::listen(Setup { depth: 1, ..Setup::default() });
    let (port, connections) = proxy(player.port, Duration::from_millis(25), None);
    let games = cup(&format!("dxp=localhost:{port} start=30"));
    assert_eq!(games.len(), 6, "{games:?}");
    assert_eq!(failed(&games), [] as [&MatchGame; 0]);
    // One for each round where the guest is not free.
    assert_eq!(connections.load(Ordering::SeqCst), 2);
    // The clock of the guest has the time on the way: there and back for each of its moves.
    let is_of_guest = |game: &&MatchGame| game.pairing.white == 0 && game.record.plies.len() > 8;
    let game = games.iter().find(is_of_guest).expect("a game of the guest with White");
    for ply in game.record.plies.iter().step_by(2).skip(1) {
        assert!(ply.time.unwrap() >= 0.05, "{ply:?}");
    }
}

/// A late player is waited for as long as `start=` says; other games run on meanwhile or afterwards.
#[test]
fn a_player_who_comes_late_plays() {
    let port = free_port();
    let late = thread::spawn(move || {
        // Long enough for the runner to wait for it.
        thread::sleep(Duration::from_secs(2));
        Player::connect(Setup { depth: 1, ..Setup::default() }, port)
    });
    let games = cup(&format!("dxp-listen=localhost:{port} start=60"));
    drop(late.join().unwrap());
    assert_eq!(games.len(), 6, "{games:?}");
    assert_eq!(failed(&games), [] as [&MatchGame; 0]);
}
