//! `meerslag dxp`: whole games between two processes over loopback, and what it says about them.

use std::fs;
use std::path::Path;

use meerslag_tests::{Peer, Program, run};
use movegen::notation::pdn::PdnReader;
use tempfile::TempDir;

fn played(path: &Path) -> Vec<movegen::notation::pdn::PdnGame> {
    let text = fs::read(path).expect("the file");
    let games: Vec<_> = PdnReader::new(&text[..]).map(|g| g.expect("a game")).collect();
    assert!(games.iter().all(|g| g.warnings.is_empty() && g.truncated.is_none()), "{games:?}");
    games
}

/// Complete games in all four combinations of transport and role.
#[test]
fn two_processes_play_in_every_role() {
    for (listener, connector) in [("follower", "initiator"), ("initiator", "follower")] {
        let folder = TempDir::new().unwrap();
        let file = |name: &str| folder.path().join(name).display().to_string();
        let common = ["--gap=0", "--minutes=0.5", "--moves=0", "--games=4", "--openings=two-move"];
        let role = format!("--role={listener}");
        let pdn = format!("--pdn={}", file("ours.pdn"));
        let log = format!("--log={}", file("ours.log"));
        let mut args = vec!["--once", "--name=Listener", &role, &pdn, &log];
        args.extend(common);
        let listening = Program::listen(&args);
        let port = listening.port.to_string();
        let role = format!("--role={connector}");
        let pdn = format!("--pdn={}", file("theirs.pdn"));
        let mut args = vec!["dxp", "connect", "--name=Connector", "--hash=1", "--depth=3"];
        args.extend([port.as_str(), &role, &pdn, "--retry=1"]);
        args.extend(common);
        let output = run(args, "");
        assert_eq!(output.code, 0, "{output:?}");
        listening.rest();

        let (ours, theirs) = (played(&folder.path().join("ours.pdn")), {
            played(&folder.path().join("theirs.pdn"))
        });
        assert_eq!((ours.len(), theirs.len()), (4, 4));
        for (index, (a, b)) in ours.iter().zip(&theirs).enumerate() {
            assert_eq!(a.line.moves().collect::<Vec<_>>(), b.line.moves().collect::<Vec<_>>());
            assert_eq!((a.start, a.result), (b.start, b.result));
            assert!(a.result.as_str() != "*", "{:?}", a.tags);
            for tag in ["White", "Black"] {
                assert_eq!(a.tags.get(tag), b.tags.get(tag));
            }
            let initiator = if listener == "initiator" { "Listener" } else { "Connector" };
            let expected = if index % 2 == 0 { "White" } else { "Black" };
            assert_eq!(a.tags.get(expected), Some(initiator));
        }
        assert_eq!(ours[0].start, ours[1].start);
        assert_ne!(ours[0].start, ours[2].start);
        let log = fs::read_to_string(file("ours.log")).unwrap();
        for mark in [" > M", " < M", " < E", " > E"] {
            assert!(log.contains(mark), "{mark}");
        }
    }
}

/// Initiators need followers that answer; those that do not are given up.
#[test]
fn an_initiator_survives_its_followers() {
    let args = ["--gap=0", "--role=initiator", "--games=3", "--moves=2", "--silence=2"];
    let mut listening = Program::listen(&args);
    // Refuses the first game, then breaks off in the second.
    let mut peer = Peer::connect(listening.port);
    let request = peer.receive();
    assert_eq!(request.len(), 94, "{request}");
    assert_eq!(&request[35..43], "Z005002B");
    peer.send(&format!("A{:<32}2", "peer"));
    assert_eq!(listening.line(), "game 1 refused (code 2)");
    let request = peer.receive();
    assert_eq!(&request[35..36], "W", "colours alternate: {request}");
    peer.send(&format!("A{:<32}0", "peer"));
    drop(peer);
    assert!(listening.line().starts_with("2: peer - "));
    assert_eq!(listening.line(), "waiting for the next connection");
    // Gives the third game up, over another connection.
    let mut peer = Peer::connect(listening.port);
    assert!(peer.receive().starts_with("R01"));
    peer.send(&format!("A{:<32}0", "peer"));
    assert!(peer.receive().starts_with('M'));
    peer.send("E10");
    assert_eq!(peer.receive(), "E00");
    let output = listening.end();
    assert!(output.stdout.contains("3: "), "{output:?}");
    assert_eq!((output.code, output.stderr.contains("1 of 3 games")), (1, true), "{output:?}");
}

#[test]
fn where_nobody_listens_is_said() {
    let output = run(["dxp", "connect", "localhost:1", "--retry=0.1"], "");
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("cannot connect to localhost, port 1"), "{output:?}");
}
