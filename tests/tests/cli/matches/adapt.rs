//! `meerslag adapt`: what it refuses, what it leaves behind, and whole games over DXP.

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use meerslag_tests::{Client, Program, binary, engine_program, run, until};
use movegen::notation::hub;
use movegen::notation::moves::parse_move;
use movegen::{Game, Move};
use tempfile::TempDir;

/// The description of our own engine over Hub.
fn own_hub() -> String {
    let program = binary().display();
    format!("cmd=\"'{program}' hub\" param.hash-mb=1 param.bb-size=0 start=60")
}

fn mock(switches: &str) -> String {
    format!("cmd=\"'{}' {switches}\" start=60", engine_program("mock_engine").display())
}

/// An adapted engine that speaks Hub, ready to play.
fn ready(engine: &str, more: &[&str]) -> Client {
    let engine = format!("--engine={engine}");
    let mut client = Client::start(&[&["adapt", "--hub", engine.as_str()], more].concat());
    client.send("hub");
    client.until("wait");
    client.send("init");
    client.until("ready");
    client
}

fn pos(game: &Game) -> String {
    let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
    format!("pos pos={} moves=\"{}\"", hub::format_position(game.start()), moves.join(" "))
}

fn hub_move(game: &Game, text: &str) -> Move {
    parse_move(game.position(), text).unwrap()
}

/// Moves of a book are played at once, marked as such; after them the engine is asked.
#[test]
fn moves_come_from_the_book_first() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (games, book) = (file("games.pdn"), file("games.book"));
    fs::write(&games, "[White \"A\"]\n\n1. 32-28 19-23 2. 28x19 14x23 2-0\n").unwrap();
    let _ = run(["book", "build", &games, "-o", &book], "").success();
    // Without the book its first answer would end it.
    let (book_arg, log) = (format!("--book={book}"), format!("--log={}", file("log")));
    let mut client = ready(&mock("first crash=2"), &[&book_arg, &log]);
    let mut game = Game::default();
    for (known, reply) in [(Some("32-28"), "19-23"), (Some("28x19x23"), "14x23"), (None, "")] {
        client.send(&pos(&game));
        client.send("level move-time=5");
        let answer = client.go("think", game.position());
        assert_eq!(answer.infos.iter().any(|info| info.is_book), known.is_some(), "{answer:?}");
        let first = game.position().legal_moves()[0].to_string();
        let mv = answer.best.unwrap();
        assert_eq!(mv.to_string(), known.unwrap_or(&first), "{answer:?}");
        game.play(mv).unwrap();
        if !reply.is_empty() {
            game.play(hub_move(&game, reply)).unwrap();
        }
    }
    client.quit().assert_clean();
    let log = fs::read_to_string(file("log")).unwrap();
    assert!(log.contains("delay of the engine's moves: ") && log.contains("of 1)"), "{log}");
}

/// A Hub engine as an initiator over DXP, against our own program.
#[test]
fn an_adapted_engine_proposes_games() {
    let engine = format!("--engine={}", own_hub());
    let follower = Program::listen(&["--gap=0", "--depth=1"]);
    let place = format!("localhost:{}", follower.port);
    let args = ["dxp", "connect", &place, &engine, "--role=initiator", "--depth=2", "--gap=0"];
    let more = ["--games=2", "--moves=8", "--ponder", "--retry=5"];
    let output = run(args.iter().chain(&more), "");
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(output.stdout.matches(", 8 moves").count(), 2, "{output:?}");
    assert!(output.stdout.contains(&format!("Meerslag {} - ", env!("CARGO_PKG_VERSION"))));
}

/// The same as a follower, and its end.
#[test]
fn an_adapted_engine_waits_for_opponents() {
    let engine = format!("--engine={}", own_hub());
    let player = Program::adapt(&["--gap=0", "--depth=2", &engine]);
    let other = format!("--engine=name=adapted dxp=localhost:{}", player.port);
    let args = ["match", "--json", &other, "--engine=random", "--tc=60", "--pairs=1"];
    let games = run([&args[..], &["--max-moves=10"]].concat(), "").success().json_lines();
    assert!(games[..2].iter().all(|game| game["termination"] != "crash"), "{games:?}");
    meerslag_tests::interrupt(player.id());
    let output = player.end();
    assert_eq!(output.code, 130, "{output:?}");
    assert!(output.stdout.contains(", 10 moves\n"), "{output:?}");
}

/// No process is left when the other side goes, in whatever state the engine is.
#[test]
#[cfg(target_os = "linux")]
fn nothing_is_left_behind() {
    for (switches, quits, number) in [
        ("deaf child stall=1", false, 2),
        ("deaf child", true, 2),
        ("child=session", true, 2),
        ("child=session crash=1", true, 4),
        ("child=cleared", true, 2),
        ("child=orphan", true, 2),
        ("child=orphan", false, 2),
    ] {
        let folder = TempDir::new().unwrap();
        let pids = folder.path().display().to_string();
        let mut client = ready(&mock(&format!("pids='{pids}' {switches}")), &[]);
        client.send("pos");
        client.send("level infinite");
        client.send("go think");
        until(switches, || fs::read_dir(folder.path()).unwrap().count() >= number);
        let ended = if quits { client.quit() } else { client.close() };
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
        let is_left = |pid: &str| Path::new("/proc").join(pid).join("exe").read_link().is_ok();
        for entry in fs::read_dir(folder.path()).unwrap() {
            let pid = entry.unwrap().file_name().into_string().unwrap();
            until(&format!("{switches}: the end of {pid}"), || !is_left(&pid));
        }
    }
}

/// Impossible settings are reported before anything is sent to the other side.
#[test]
fn what_cannot_work_is_said_at_once() {
    let taken = TcpListener::bind("localhost:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let good = format!("--engine={}", mock(""));
    let bad = format!("--engine={}", mock("no-wait").replace("start=60", "start=0.2"));
    let odd = format!("--engine={} param.levle=5", mock(""));
    let timed = format!("--engine={} tc=60", mock(""));
    let cases: [(&[&str], i32, &str); 15] = [
        (&["adapt", "--hub"], 2, "--engine"),
        (&["adapt", &good, "--role=initiator"], 2, "unexpected argument"),
        (&["dxp", "listen", &good, "--hash=1"], 2, "cannot be used with"),
        (&["dxp", "listen", "--min-time=1"], 2, "--engine"),
        (&["dxp", "connect", &good, "--once"], 2, "--once is for the side that listens"),
        (
            &["adapt", "--engine=cmd=/nonexistent/engine", "--hub"],
            1,
            "cannot start '/nonexistent/engine'",
        ),
        (&["adapt", &bad, "--hub"], 1, "no 'wait' within 200ms"),
        (&["adapt", &odd, "--hub"], 1, "it has not declared a parameter 'levle', only: level"),
        (&["adapt", &timed, "--hub"], 2, "the other side gives the time"),
        (&["adapt", "--engine=dxp=0", "--hub"], 2, "port 0 is only possible with a command"),
        (&["adapt", "--engine=dxp=1,2", "--hub"], 2, "one address"),
        (&["adapt", "--engine=dxp=1 start=0.2", "--hub"], 1, "cannot connect to localhost, port 1"),
        (&["dxp", "listen", &port, &good], 1, "cannot listen on localhost"),
        (&["adapt", &good, "--hub", "--egdb=/no/such/folder"], 1, "/no/such/folder"),
        (&["adapt", &good, "--hub", "--book=/no/such/book"], 2, "/no/such/book"),
    ];
    for (args, code, part) in cases {
        let output = run(args, "hub\n");
        assert_eq!(output.code, code, "{args:?}: {output:?}");
        assert!(output.stderr.contains(part), "{args:?}: {output:?}");
        assert_eq!(output.stdout, "", "{args:?}");
    }
}
