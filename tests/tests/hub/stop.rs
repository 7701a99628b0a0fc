//! `stop`, `ponder-hit` and the end of the input at every moment.

use std::thread;
use std::time::{Duration, Instant};

use meerslag_tests::client::PATIENCE;
use meerslag_tests::random::Random;
use meerslag_tests::{Client, check};
use movegen::Position;
use movegen::notation::hub;

/// Sends `stop` at several moments after `go`; there must be exactly one `done` each time.
fn stop_after_go(rounds: usize) {
    let mut engine = Client::ready(&[]);
    let start = Position::initial();
    for round in 0..rounds {
        for delay in [0, 1, 5, 50] {
            engine.send("pos");
            engine.send("level infinite");
            let mode = ["think", "analyze", "ponder"][round % 3];
            engine.send(&format!("go {mode}"));
            thread::sleep(Duration::from_millis(delay));
            engine.send("stop");
            let answer = engine.answer(&start, Instant::now());
            assert!(answer.best.is_some());
            // The `stop` may also come twice, or when the search has just ended on its own.
            engine.send("stop");
            assert_eq!(engine.sync(), [""; 0], "one done only, round {round}, {delay} ms");
        }
    }
    engine.quit().assert_clean();
}

#[test]
fn stop_0_1_5_and_50_ms_after_go() {
    stop_after_go(100);
}

#[test]
#[ignore = "slow: about a minute"]
fn stop_0_1_5_and_50_ms_after_go_1000_times() {
    stop_after_go(1000);
}

/// Searches that end by themselves at about the moment when `stop` arrives.
#[test]
fn stop_races_with_the_end_of_the_search() {
    let mut engine = Client::ready(&[]);
    let start = Position::initial();
    let mut random = Random::new(1);
    for _ in 0..300 {
        engine.send("pos");
        engine.send(["level depth=1", "level nodes=300", "level move-time=0.001"][random.below(3)]);
        engine.send("go think");
        thread::sleep(Duration::from_micros(random.below(2000) as u64));
        engine.send("stop");
        assert!(engine.answer(&start, Instant::now()).best.is_some());
        assert_eq!(engine.sync(), [""; 0]);
    }
    engine.quit().assert_clean();
}

/// Pondering, ended by the hit or by `stop` at random moments, in positions with many replies,
/// with one, and with a tree that is soon exhausted.
fn ponder_at_random_moments(rounds: u64) {
    let mut engine = Client::ready(&[("ponder", "true")]);
    let positions =
        ["W:W31-50:B1-20", "W:W28,38,43:B22,23,8", "W:W28,43:B23,1", "W:W26,37:B21,17,11,6"];
    let positions = positions.map(|fen| Position::from_fen(fen).expect("a good FEN"));
    let mut random = Random::new(2);
    let mut singles = 0;
    for _ in 0..rounds {
        let position = &positions[random.below(positions.len())];
        singles += u32::from(position.legal_moves().len() == 1);
        engine.send(&format!("pos pos={}", hub::format_position(position)));
        engine.send(
            ["level time=0.3 inc=0.01", "level move-time=0.02", "level depth=8"][random.below(3)],
        );
        engine.send("go ponder");
        thread::sleep(Duration::from_micros(random.below(30_000) as u64));
        if random.below(4) == 0 {
            engine.send("ponder-hit");
            thread::sleep(Duration::from_micros(random.below(3_000) as u64));
        }
        engine.send(["stop", "ponder-hit", "ponder-hit\nstop"][random.below(3)]);
        assert!(engine.answer(position, Instant::now()).best.is_some());
        assert_eq!(engine.sync(), [""; 0]);
    }
    assert!(singles > 0);
    engine.quit().assert_clean();
}

#[test]
fn ponder_hit_and_stop_at_random_moments() {
    ponder_at_random_moments(200);
}

#[test]
#[ignore = "slow: about a minute"]
fn ponder_hit_and_stop_at_random_moments_long() {
    ponder_at_random_moments(3000);
}

/// The input ends in every state, once by closing the pipe and once by `quit`.
#[test]
fn end_of_input_in_every_state() {
    let hub = "hub\n";
    let ready = "hub\nset-param name=book value=false\ninit\n";
    let searching = |mode: &str| format!("{ready}pos\nlevel infinite\ngo {mode}\n");
    let states = [
        ("start", String::new()),
        ("an unfinished line", "hu".to_owned()),
        ("waiting", hub.to_owned()),
        ("idle", ready.to_owned()),
        ("idle with limits", format!("{ready}pos\nlevel depth=5\n")),
        ("after a search", format!("{ready}pos\nlevel depth=3\ngo think\n")),
        ("thinking", searching("think")),
        ("analysing", searching("analyze")),
        ("pondering", searching("ponder")),
        ("pondering after the hit", searching("ponder") + "ponder-hit\n"),
        ("with a line waiting", searching("think") + "pos\nlevel infinite\ngo analyze\n"),
    ];
    for (state, input) in &states {
        for pause in [0, 100] {
            for quit in [false, true] {
                let mut engine = Client::start(&["hub"]);
                engine.send_bytes(input.as_bytes());
                thread::sleep(Duration::from_millis(pause));
                let ended =
                    if quit && !input.ends_with('u') { engine.quit() } else { engine.close() };
                assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{state}: {ended:?}");
            }
        }
    }
    // With several threads and a large table as well.
    let mut engine = Client::ready(&[("threads", "4"), ("hash-mb", "512")]);
    engine.send("pos\nlevel infinite\ngo think");
    thread::sleep(Duration::from_millis(100));
    engine.close().assert_clean();
}

/// Commands from before the end of the input are still answered.
#[test]
fn a_script_is_answered_before_the_end() {
    let output = meerslag_tests::run(["hub"], "hub\nset-param name=book value=7\nping\n");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    let lines: Vec<_> = output.stdout.lines().collect();
    let [.., wait, error, pong] = lines[..] else { panic!("{lines:?}") };
    assert_eq!((wait, &error[..5], pong), ("wait", "error", "pong"));
}

/// However long the start takes, with `quit` and without. A search is given up.
#[test]
fn everything_before_the_end_is_answered() {
    for (script, last) in [
        ("hub\ninit", "ready"),
        ("hub\ninit\ninit\n", "ready"),
        ("hub\ninit\nping\n", "pong"),
        ("hub\nset-param name=hash-mb value=512\ninit\nping\n", "pong"),
        ("hub\ninit\npos\nlevel infinite\ngo think\n", "ready"),
        ("hub\ninit\nquit\n", "ready"),
        ("hub\ninit\nping\nquit\n", "pong"),
        ("hub\nset-param name=hash-mb value=512\ninit\nping\nquit\n", "pong"),
        ("hub\ninit\npos\nlevel infinite\ngo think\nquit\n", "ready"),
    ] {
        let output = meerslag_tests::run(["hub"], script).success();
        let mut lines = output.stdout.lines().filter(|line| !line.starts_with("info "));
        assert_eq!(lines.next_back(), Some(last), "{script}: {output:?}");
    }
}

#[test]
fn ping_is_answered_during_every_search() {
    let mut engine = Client::ready(&[]);
    let start = Position::initial();
    for mode in ["think", "analyze", "ponder"] {
        engine.send("pos\nlevel infinite");
        engine.send(&format!("go {mode}"));
        for _ in 0..20 {
            engine.send("ping");
            loop {
                let line = engine.line();
                if line == "pong" {
                    break;
                }
                let _ = check::info(&start, &line);
            }
        }
        engine.send("stop");
        assert!(engine.answer_after_infos(&start));
    }
    engine.quit().assert_clean();
}

/// A client that stops reading cannot keep the process alive.
#[test]
fn a_client_that_no_longer_reads() {
    let mut child = std::process::Command::new(meerslag_tests::binary())
        .arg("hub")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // More answers than a pipe holds, and nobody reads them.
    let lines = "hub\n".repeat(2000);
    let writer = thread::spawn(move || {
        let _ = std::io::Write::write_all(&mut stdin, lines.as_bytes());
    });
    writer.join().unwrap();
    let closed = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(closed.elapsed() < PATIENCE, "still there");
        thread::sleep(Duration::from_millis(5));
    };
    assert!(status.success());
}
