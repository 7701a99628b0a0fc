//! `meerslag match` with engines that write without end, answer twice, die with many words or do
//! not start again.

use std::io::Write;
use std::net::TcpListener;
use std::thread;

use meerslag_tests::{Output, Peer, run};
use serde_json::Value;
use tempfile::TempDir;

use super::mock::{hasty, mock};

fn start(args: &[&str]) -> Output {
    run(["match", "--json"].iter().chain(args), "")
}

/// The games of a match that must succeed.
fn games(args: &[&str]) -> Vec<Value> {
    let mut lines = start(args).success().json_lines();
    assert_eq!(lines.pop().expect("a table")["type"], "standings");
    lines
}

fn tail(game: &Value) -> Vec<&str> {
    game["tail"].as_array().expect("a list").iter().map(|l| l.as_str().expect("text")).collect()
}

/// An engine that never stops writing loses as one that is silent.
#[test]
fn a_flood_does_not_put_deadlines_off() {
    for (switches, control) in
        [("flood=1", "--tc=move=0.2"), ("flood=2", "--tc=depth=1"), ("flood-ready", "--tc=depth=1")]
    {
        let bad = hasty("bad", switches);
        let games = games(&[&bad, "--engine=random", control, "--pairs=1", "--concurrency=2"]);
        for game in &games {
            assert_eq!(game["termination"], "stall", "{switches}: {game}");
            let loser = if game["result"] == "2-0" { "black" } else { "white" };
            assert_eq!(game[loser], "bad", "{switches}: {game}");
        }
    }
    let bad = mock("bad", "flood-start").replace("start=60", "start=2");
    let args = [&bad, "--engine=random", "--tc=depth=1"];
    let output = start(&args);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("no 'ready' within 2s"), "{output:?}");
}

/// The same over DXP, with messages that are not answers.
#[test]
fn a_flood_of_messages_does_not_put_deadlines_off() {
    let listener = TcpListener::bind("localhost:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let follower = thread::spawn(move || {
        let mut peer = Peer::accept(&listener);
        // The answer to each of them takes a while.
        let messages = "B001W\0".repeat(1000);
        while peer.stream.write_all(messages.as_bytes()).is_ok() {}
    });
    let bad = format!("--engine=name=bad dxp=localhost:{port} start=1 gap=2");
    let output = start(&[&bad, "--engine=random", "--tc=60", "--pairs=1"]);
    follower.join().unwrap();
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("no answer to the game request within 1s"), "{output:?}");
}

#[test]
#[cfg(unix)]
fn a_match_is_stopped_in_a_flood() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use meerslag_tests::binary;

    for switches in ["flood=1", "flood-ready"] {
        let folder = TempDir::new().unwrap();
        let starts = folder.path().join("starts");
        let bad = mock("bad", &format!("{switches} starts='{}'", starts.display()));
        let mut runner = Command::new(binary())
            .args(["match", "--json", "--engine=random", "--tc=depth=1", "--pairs=1"])
            .arg(bad)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while !starts.exists() {
            assert!(Instant::now() < deadline);
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_millis(100));
        meerslag_tests::interrupt(runner.id());
        let deadline = Instant::now() + Duration::from_secs(60);
        while runner.try_wait().unwrap().is_none() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
        let has_ended = runner.try_wait().unwrap().is_some();
        let _ = runner.kill();
        assert!(has_ended, "{switches}");
    }
}

/// The second of two answers is not taken for the next one.
#[test]
fn a_second_answer_is_passed_over() {
    let args = [&mock("odd", "twice"), "--engine=random", "--tc=depth=1", "--pairs=2"];
    for game in games(&args) {
        assert_ne!(game["termination"], "illegal move", "{game}");
        assert!(game["plies"].as_u64().unwrap() > 8, "{game}");
    }
}

/// The output of an engine before its end is in the report, up to the last word.
#[test]
fn last_words_are_reported() {
    for game in games(&[&mock("bad", "crash=2 words"), "--engine=random", "--tc=20", "--pairs=1"]) {
        assert_eq!(game["termination"], "crash", "{game}");
        let tail = tail(&game);
        assert_eq!(tail.last(), Some(&"stderr: mock: about to crash"), "{game}");
        assert!(tail.contains(&"stderr: word 99999"), "{game}");
    }
    for game in
        games(&[&hasty("bad", "partial=1"), "--engine=random", "--tc=move=0.2", "--pairs=1"])
    {
        assert_eq!(game["termination"], "stall", "{game}");
        assert_eq!(tail(&game).last(), Some(&"info depth="), "{game}");
    }
}

/// Once an engine has played, a failed start costs it the game and not the match.
#[test]
fn an_engine_that_does_not_start_again_loses_the_game() {
    let folder = TempDir::new().unwrap();
    let starts = |name: &str| format!("starts='{}'", folder.path().join(name).display());
    // Two attempts for each game.
    let bad = mock("bad", &format!("crash=1 fails=2-3 {}", starts("one")));
    let found = games(&[&bad, "--engine=random", "--tc=depth=1", "--pairs=2"]);
    let ends: Vec<_> = found.iter().map(|game| game["termination"].as_str().unwrap()).collect();
    assert_eq!(ends, ["crash", "start failure", "crash", "crash"]);
    let lost = &found[1];
    let loser = if lost["result"] == "2-0" { "black" } else { "white" };
    assert_eq!((&lost[loser], &lost["plies"]), (&"bad".into(), &0.into()), "{lost}");
    assert!(lost["detail"].as_str().unwrap().contains("the program ended before"), "{lost}");
    assert!(tail(lost).contains(&"stderr: mock: not today"), "{lost}");

    // If it never starts again, the match is given up.
    let bad = mock("bad", &format!("crash=1 fails=2-999 {}", starts("two")));
    let output = start(&[&bad, "--engine=random", "--tc=depth=1", "--pairs=10"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("engine 'bad' does not start: the program ended"), "{output:?}");
    assert_eq!(output.json_lines().len(), 1 + 5 + 1, "{output:?}");
}

/// Hub engines pass over parameters that they do not know: the runner does not.
#[test]
fn parameters_that_an_engine_has_not_declared_are_refused() {
    let args = |param: &str| {
        let bad = format!("{} param.{param}", mock("bad", ""));
        start(&[&bad, "--engine=random", "--tc=depth=1", "--pairs=1", "--max-moves=2"])
    };
    for (param, message) in [
        (
            "levle=5",
            "engine 'bad' does not start: it has not declared a parameter 'levle', only: level",
        ),
        (
            "level=high",
            "engine 'bad' does not start: it reports an error: level: 'high' is not a number",
        ),
    ] {
        let output = args(param);
        assert_eq!(output.code, 1, "{output:?}");
        assert!(output.stderr.contains(message), "{output:?}");
    }
    let _ = args("level=5").success();
    let dxp = "--engine=name=far dxp=localhost:1 param.level=5";
    let output = start(&[dxp, "--engine=random", "--tc=60", "--pairs=1"]);
    assert_eq!(output.code, 2, "{output:?}");
    assert!(
        output.stderr.contains("engine 'far': unknown parameter level, expected none"),
        "{output:?}"
    );
}

/// An engine that says itself that it is ready plays; its error is shown.
#[test]
fn a_harmless_error_before_ready_ends_nothing() {
    let mock = format!("{} param.level=5", mock("warned", "warns"));
    let output = start(&[&mock, "--engine=random", "--tc=depth=1", "--pairs=1", "--max-moves=2"]);
    assert_eq!(output.code, 0, "{output:?}");
    let expected = "meerslag: engine 'warned' reports an error: no book found\n";
    assert_eq!(output.stderr, expected, "{output:?}");
}

/// An engine whose turn comes late is tried before the first game.
#[test]
fn an_engine_that_cannot_start_is_reported_before_the_first_game() {
    let folder = TempDir::new().unwrap();
    let starts = folder.path().join("starts");
    let bad = mock("bad", &format!("starts='{}' fails=1-9", starts.display()));
    let output = start(&[
        "--engine=random name=a",
        "--engine=random name=b",
        &bad,
        "--tc=depth=1",
        "--pairs=20",
    ]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("engine 'bad' does not start: the program ended"), "{output:?}");
    assert!(output.stderr.contains("stderr: mock: not today"), "{output:?}");
    assert!(!output.stdout.contains("\"type\":\"game\""), "{output:?}");
}

/// A user waiting for a silent engine is told why, with its output so far.
#[test]
fn a_slow_start_is_reported_while_it_lasts() {
    let slow = mock("slow", "no-wait").replace("start=60", "start=5");
    let output = start(&[&slow, "--engine=random", "--tc=depth=1", "--pairs=1"]);
    let report = "engine 'slow' is slow to start: no 'wait' within 1s";
    let end = "engine 'slow' does not start: no 'wait' within 5s";
    let at = |text| output.stderr.find(text).unwrap_or_else(|| panic!("{output:?}"));
    // Its first words may come late on a busy machine: then only the second report has them.
    assert!(at(report) < at("id name=Mock") && at(report) < at(end), "{output:?}");
}

/// A DXP program that ends instead of connecting is not waited for.
#[test]
fn a_dxp_program_that_ends_is_reported_with_its_last_words() {
    let folder = TempDir::new().unwrap();
    let starts = folder.path().join("starts");
    let bad = mock("bad", &format!("starts='{}' fails=1-9", starts.display()));
    for way in ["dxp", "dxp-listen"] {
        let bad = bad.replace("cmd=", &format!("{way}=localhost:0 cmd="));
        let bad = bad.replace("mock_engine'", "mock_engine' seed={port}");
        let output = start(&[&bad, "--engine=random", "--tc=60", "--pairs=1"]);
        assert_eq!(output.code, 1, "{output:?}");
        let message = "engine 'bad' does not start: the program ended before it connected";
        assert!(output.stderr.contains(message), "{output:?}");
        assert!(output.stderr.contains("stderr: mock: not today"), "{output:?}");
    }
}

/// Nothing was asked of it: the game does not count as lost.
#[test]
fn an_engine_that_has_ended_between_two_games_is_started_again() {
    let args = ["--engine=random", "--tc=depth=1", "--pairs=2", "--max-moves=1"];
    let found = games(&[&[&*mock("leaver", "leaves=1")], &args[..]].concat());
    let ends: Vec<_> = found.iter().map(|game| game["termination"].as_str().unwrap()).collect();
    assert_eq!(ends, ["move limit"; 4]);
    let detail = found[1]["detail"].as_str().unwrap();
    assert!(detail.contains("is started again: the program ended before the game"), "{detail}");
    // One that never gets as far as a move loses each game, once.
    let found = games(&[&[&*mock("shy", "shy")], &args[..]].concat());
    let ends: Vec<_> = found.iter().map(|game| game["termination"].as_str().unwrap()).collect();
    assert_eq!(ends, ["crash"; 4]);
}

#[test]
fn an_answer_without_end_is_named() {
    let found = games(&[
        &mock("long", "long=1"),
        "--engine=random",
        "--tc=depth=1",
        "--pairs=1",
        "--max-moves=1",
    ]);
    for game in found {
        let detail = game["detail"].as_str().unwrap();
        assert!(detail.ends_with("unreadable answer: line longer than 64 KiB"), "{detail}");
        assert_eq!(game["termination"], "illegal move");
    }
    let program = meerslag_tests::engine_program("mock_engine").display().to_string();
    let output = run(["protocol-check", "--hub", &format!("'{program}' long=1")], "");
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.contains("line longer than 64 KiB"), "{output:?}");
}
