//! `meerslag dxp` around the games: refusals, useless connections, messages and files, and invalid
//! options.

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use meerslag_tests::{Output, Peer, Program, run};
use tempfile::TempDir;

fn accept(peer: &mut Peer, code: char) {
    peer.send(&format!("A{:<32}{code}", "peer"));
}

/// The peer accepts the game, reads the first move or not, and gives up.
fn give_up(peer: &mut Peer, request: &str) {
    accept(peer, '0');
    if &request[35..36] == "Z" {
        assert!(peer.receive().starts_with('M'));
    }
    peer.send("E10");
    assert_eq!(peer.receive(), "E00");
}

fn failed(output: &Output, reason: &str) {
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains(reason), "{output:?}");
}

#[test]
fn refusals_are_told_and_games_keep_their_numbers() {
    let folder = TempDir::new().unwrap();
    let pdn = folder.path().join("games.pdn");
    let pdn_arg = format!("--pdn={}", pdn.display());
    let args = ["--role=initiator", "--games=3", "--gap=0", &pdn_arg];
    let (program, _listener, mut peer) = Program::connect(&args);
    for number in 1..=3 {
        let request = peer.receive();
        match number {
            2 => accept(&mut peer, '2'),
            _ => give_up(&mut peer, &request),
        }
    }
    let output = program.end();
    failed(&output, "1 of 3 games were not played");
    let starts: Vec<_> = output.stdout.lines().map(|l| l.split(':').next().unwrap()).collect();
    assert_eq!(starts[..3], ["1", "game 2 refused (code 2)", "3"], "{output:?}");
    let text = fs::read_to_string(&pdn).unwrap();
    let rounds: Vec<_> = text.lines().filter(|line| line.starts_with("[Round")).collect();
    assert_eq!(rounds, ["[Round \"1\"]", "[Round \"3\"]"]);
}

#[test]
fn peers_that_want_no_more_games_are_told_of() {
    for (code, reason) in [('1', "code 1: another version"), ('3', "code 3: no games at all")] {
        let (program, _listener, mut peer) =
            Program::connect(&["--role=initiator", "--games=4", "--gap=0"]);
        peer.receive();
        accept(&mut peer, code);
        let output = program.end();
        failed(&output, "4 of 4 games were not played");
        assert!(output.stdout.contains(&format!("game 1 refused ({reason}")), "{output:?}");
        assert!(output.stdout.contains("wants no more games, 4 not played"), "{output:?}");
    }
    let (program, _listener, mut peer) =
        Program::connect(&["--role=initiator", "--games=6", "--gap=0"]);
    peer.receive();
    accept(&mut peer, '0');
    assert!(peer.receive().starts_with('M'));
    peer.send("E11");
    assert_eq!(peer.receive(), "E01");
    let output = program.end();
    failed(&output, "5 of 6 games were not played");
    assert!(output.stdout.contains("wants no more games, 5 not played"), "{output:?}");
    assert!(output.stdout.contains("1 won, 0 drawn"), "{output:?}");
}

/// A server that closes each connection at once is not asked for ever, nor without a pause.
#[test]
fn connections_without_a_game_are_given_up() {
    let (program, listener, peer) = Program::connect(&["--retry=0.5"]);
    drop(peer);
    listener.set_nonblocking(true).unwrap();
    let (has_ended, connections) = (AtomicBool::new(false), AtomicU32::new(1));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !has_ended.load(Ordering::SeqCst) {
                connections.fetch_add(listener.accept().is_ok().into(), Ordering::SeqCst);
                thread::sleep(Duration::from_millis(10));
            }
        });
        let output = program.end();
        has_ended.store(true, Ordering::SeqCst);
        failed(&output, "connection lost each time");
    });
    let connections = connections.into_inner();
    assert!((2..=6).contains(&connections), "{connections} connections");
}

/// The same for one that never answers, which is reported.
#[test]
fn silent_followers_are_given_up() {
    let args = ["--role=initiator", "--retry=0.2", "--answer=0.3"];
    let (program, _listener, mut peer) = Program::connect(&args);
    assert!(peer.receive().starts_with("R01"));
    let output = program.end();
    failed(&output, "no answer to the proposal each time");
    assert!(output.stdout.contains("no answer to the proposal, connecting again"), "{output:?}");
    assert!(!output.stdout.contains("connection lost"), "{output:?}");
}

/// A silent connection gives way to a new one, but not in a game.
#[test]
fn idle_connections_are_replaced() {
    let mut program = Program::listen(&["--gap=0"]);
    let mut silent = Peer::connect(program.port);
    let mut peer = Peer::connect(program.port);
    peer.request('W', "001000A", '0');
    silent.expect_close();
    assert!(program.line().starts_with("the connection is idle and another one"));
    assert!(peer.receive().starts_with('M'));
    let mut third = Peer::connect(program.port);
    thread::sleep(Duration::from_millis(1300));
    peer.send("M0000202500");
    assert!(peer.receive().starts_with('M'));
    peer.send("E00");
    assert_eq!(peer.receive(), "E00");
    // The third one's turn comes when the second one plays no more.
    third.request('Z', "001000A", '0');
    peer.expect_close();
}

#[test]
fn the_log_shows_every_byte() {
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("log");
    let log_arg = format!("--log={}", log.display());
    let mut program = Program::listen(&["--gap=0", "--depth=40", "--book=none", &log_arg]);
    let mut peer = Peer::connect(program.port);
    let write = |peer: &mut Peer, bytes: &[u8]| {
        peer.stream.write_all(bytes).unwrap();
    };
    write(&mut peer, b"Ccaf\xe9\0\r\nCx\\\0M0012");
    drop(peer);
    assert_eq!(program.line(), "waiting for the next connection");
    let mut peer = Peer::connect(program.port);
    // Out of turn: the move is there before the program begins to think.
    let request = format!("R01{:<32}W.30000A\0M0000202500\0", "Scripted peer");
    write(&mut peer, request.as_bytes());
    assert!(peer.receive().starts_with('A'));
    assert!(peer.receive().starts_with('M'));
    peer.send("E00");
    assert_eq!(peer.receive(), "E00");
    program.line();
    write(&mut peer, &[b'y'; 5000]);
    peer.expect_close();
    assert_eq!(program.line(), "waiting for the next connection");
    let log = fs::read_to_string(log).unwrap();
    for line in [
        "< Ccaf\\xe9\n",
        "< \\r\\nCx\\\\\n",
        "ignored: a move out of turn\n",
        "5 bytes without a NUL",
        "< M0012\n",
        &format!("< {}\n", "y".repeat(200)),
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
}

/// The disk is full: the game is reported before that, and the file is named.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_written_is_named() {
    let program = Program::listen(&["--gap=0", "--pdn=/dev/full"]);
    let mut peer = Peer::connect(program.port);
    // Names are shown without what a terminal would act on.
    peer.send(&format!("R01{:<32}Z001000A", "x\x1b[2J"));
    assert!(peer.receive().ends_with('0'));
    peer.send("E10");
    assert_eq!(peer.receive(), "E00");
    let output = program.end();
    failed(&output, "cannot write /dev/full");
    let expected = "1: x?[2J - Meerslag 0.1.0  0-2  the opponent gave up, 0 moves\n";
    assert!(output.stdout.starts_with(expected), "{output:?}");
    assert!(output.stdout.ends_with("1 won, 0 drawn, 0 lost, 0 unknown\n"), "{output:?}");
}

#[test]
fn minutes_are_played_as_they_are_sent() {
    let folder = TempDir::new().unwrap();
    let pdn = folder.path().join("games.pdn");
    let pdn_arg = format!("--pdn={}", pdn.display());
    let args = ["--role=initiator", "--games=1", "--gap=0", "--minutes=.09", &pdn_arg];
    let (program, _listener, mut peer) = Program::connect(&args);
    let request = peer.receive();
    assert_eq!(&request[36..39], ".09");
    give_up(&mut peer, &request);
    program.rest();
    let text = fs::read_to_string(&pdn).unwrap();
    assert!(text.contains("[TimeControl \"75/5.4\"]"), "{text}");
    assert!(text.contains("[Date \"20") && !text.contains("????"), "{text}");
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
        while writer.write_all(b"Chello\0").is_ok() {
            thread::sleep(Duration::from_millis(5));
        }
    });
    meerslag_tests::interrupt(program.id());
    let output = program.end();
    flood.join().unwrap();
    assert_eq!(output.code, 130, "{output:?}");
    assert!(output.stdout.contains("interrupted"), "{output:?}");
    assert!(output.stdout.ends_with("0 won, 0 drawn, 0 lost, 1 unknown\n"), "{output:?}");
}

#[test]
fn what_cannot_work_is_refused() {
    let long = format!("--name={}", "x".repeat(33));
    for (args, part) in [
        (&["connect", "--minutes=12.34"][..], "three characters"),
        (&["connect", "--minutes=0.015"], "three characters"),
        (&["listen", &long], "found 33"),
        (&["listen", "--name="], "found 0"),
        (&["connect", "0"], "port 0"),
        (&["connect", "a:b:c"], "HOST:PORT"),
    ] {
        let output = run([&["dxp"][..], args].concat(), "");
        assert_eq!(output.code, 2, "{args:?}: {output:?}");
        assert!(output.stderr.contains(part), "{args:?}: {output:?}");
    }
}

fn connects_with(host: &str) {
    let listener = TcpListener::bind(format!("{host}:0")).expect("an address of this machine");
    let port = listener.local_addr().unwrap().port();
    let place = format!("{host}:{port}");
    let end = thread::spawn(move || {
        run(["dxp", "connect", &place, "--hash=1", "--depth=2", "--retry=0.2"], "")
    });
    let mut peer = Peer::accept(&listener);
    peer.request('Z', "001000A", '0');
    peer.send("E21");
    assert_eq!(peer.receive(), "E01");
    assert_eq!(end.join().unwrap().code, 0);
}

#[test]
fn a_port_may_stand_with_its_host() {
    connects_with("127.0.0.1");
}

#[test]
#[ignore = "needs IPv6"]
fn a_port_may_stand_with_its_ipv6_host() {
    connects_with("[::1]");
}
