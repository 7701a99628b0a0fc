//! Engines that write without end, answer twice, die with many words or do not start again.

use std::io::Write;
use std::net::TcpListener;
use std::thread;

use meerslag_harness::runner::{MatchEnd, MatchGame};
use meerslag_tests::{Peer, until};
use tempfile::TempDir;

use crate::played::{Match, Played, why};
use crate::programs::{hasty, mock};

/// A match of this engine with a random mover.
fn with_random(engine: &str, control: &str) -> Match {
    Match::new(&[engine, "random"], control)
}

fn tail(game: &MatchGame) -> Vec<&str> {
    game.tail.iter().map(String::as_str).collect()
}

/// An engine that never stops writing loses as one that is silent.
#[test]
fn a_flood_does_not_put_deadlines_off() {
    for (switches, control) in
        [("flood=1", "move=0.2"), ("flood=2", "depth=1"), ("flood-ready", "depth=1")]
    {
        let played = with_random(&hasty("bad", switches), control).at_once(2).play();
        for game in &played.games {
            assert_eq!(why(game), "stall", "{switches}: {game:?}");
            assert_eq!(played.loser(game), "bad", "{switches}: {game:?}");
        }
    }
    let bad = mock("bad", "flood-start").replace("start=60", "start=2");
    let error = with_random(&bad, "depth=1").failure();
    assert!(error.contains("no 'ready' within 2s"), "{error}");
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
    let bad = format!("name=bad dxp=localhost:{port} start=1 gap=2");
    let error = with_random(&bad, "60").failure();
    follower.join().unwrap();
    assert!(error.contains("no answer to the game request within 1s"), "{error}");
}

#[test]
fn a_match_is_stopped_in_a_flood() {
    for switches in ["flood=1", "flood-ready"] {
        let folder = TempDir::new().unwrap();
        let marks = folder.path().join("marks");
        let bad = mock("bad", &format!("{switches} marks='{}'", marks.display()));
        let played =
            with_random(&bad, "depth=1").start_until(|| until("a flood", || marks.exists()));
        assert_eq!(played.end.unwrap(), MatchEnd::Stopped, "{switches}");
    }
}

/// The second of two answers is not taken for the next one.
#[test]
fn a_second_answer_is_passed_over() {
    for game in with_random(&mock("odd", "twice"), "depth=1").pairs(2).play().games {
        assert_ne!(why(&game), "illegal move", "{game:?}");
        assert!(game.record.plies.len() > 8, "{game:?}");
    }
}

/// The output of an engine before its end is in the report, up to the last word.
#[test]
fn last_words_are_reported() {
    for game in with_random(&mock("bad", "crash=2 words"), "20").play().games {
        assert_eq!(why(&game), "crash", "{game:?}");
        let tail = tail(&game);
        assert_eq!(tail.last(), Some(&"stderr: mock: about to crash"), "{game:?}");
        assert!(tail.contains(&"stderr: word 99999"), "{game:?}");
    }
    for game in with_random(&hasty("bad", "partial=1"), "move=0.2").play().games {
        assert_eq!(why(&game), "stall", "{game:?}");
        assert_eq!(tail(&game).last(), Some(&"info depth="), "{game:?}");
    }
}

/// Once an engine has played, a failed start costs it the game and not the match.
#[test]
fn an_engine_that_does_not_start_again_loses_the_game() {
    let folder = TempDir::new().unwrap();
    let starts = |name: &str| format!("starts='{}'", folder.path().join(name).display());
    // Two attempts for each game.
    let bad = mock("bad", &format!("crash=1 fails=2-3 {}", starts("one")));
    let played = with_random(&bad, "depth=1").pairs(2).play();
    assert_eq!(played.ends(), ["crash", "start failure", "crash", "crash"]);
    let lost = &played.games[1];
    assert_eq!((played.loser(lost), lost.record.plies.len()), ("bad", 0), "{lost:?}");
    assert!(lost.detail.contains("the program ended before"), "{lost:?}");
    assert!(tail(lost).contains(&"stderr: mock: not today"), "{lost:?}");

    // If it never starts again, the match is given up.
    let bad = mock("bad", &format!("crash=1 fails=2-999 {}", starts("two")));
    let Played { end, games, .. } = with_random(&bad, "depth=1").pairs(10).start();
    let error = end.unwrap_err().to_string();
    assert!(error.contains("engine 'bad' does not start: the program ended"), "{error}");
    assert_eq!(games.len(), 1 + 5);
}

/// Hub engines ignore parameters that they do not know: the runner does not.
#[test]
fn parameters_that_an_engine_has_not_declared_are_refused() {
    let engine = |param: &str| format!("{} param.{param}", mock("bad", ""));
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
        let error = with_random(&engine(param), "depth=1").failure();
        assert!(error.contains(message), "{error}");
    }
    with_random(&engine("level=5"), "depth=1").max_moves(2).play();
    let error = with_random("name=far dxp=localhost:1 param.level=5", "60").refused();
    assert!(error.contains("engine 'far': unknown parameter level, expected none"), "{error}");
}

/// An engine that says itself that it is ready plays; its error is shown.
#[test]
fn a_harmless_error_before_ready_ends_nothing() {
    let mock = format!("{} param.level=5", mock("warned", "warns"));
    let played = with_random(&mock, "depth=1").max_moves(2).play();
    assert_eq!(played.notes, ["engine 'warned' reports an error: no book found"]);
}

/// An engine whose turn comes late is tried before the first game.
#[test]
fn an_engine_that_cannot_start_is_reported_before_the_first_game() {
    let folder = TempDir::new().unwrap();
    let starts = folder.path().join("starts");
    let bad = mock("bad", &format!("starts='{}' fails=1-9", starts.display()));
    let engines = ["random name=a", "random name=b", &bad];
    let Played { end, games, .. } = Match::new(&engines, "depth=1").pairs(20).start();
    let error = end.unwrap_err().to_string();
    assert!(error.contains("engine 'bad' does not start: the program ended"), "{error}");
    assert!(error.contains("stderr: mock: not today"), "{error}");
    assert_eq!(games, []);
}

/// A user waiting for a silent engine learns why, with its output so far.
#[test]
fn a_slow_start_is_reported_while_it_lasts() {
    let slow = mock("slow", "no-wait").replace("start=60", "start=5");
    let Played { end, notes, .. } = with_random(&slow, "depth=1").start();
    // Its first words may come late on a busy machine: then only the second report has them.
    assert!(notes[0].starts_with("engine 'slow' is slow to start: no 'wait' within 1s"));
    let said = format!("{}\n{}", notes.join("\n"), end.unwrap_err());
    assert!(said.contains("engine 'slow' does not start: no 'wait' within 5s"), "{said}");
    assert!(said.contains("id name=Mock"), "{said}");
}

/// A DXP program that ends instead of connecting is not waited for.
#[test]
fn a_dxp_program_that_ends_is_reported_with_its_last_words() {
    let folder = TempDir::new().unwrap();
    let starts = folder.path().join("starts");
    let bad = mock("bad", &format!("seed={{port}} starts='{}' fails=1-9", starts.display()));
    for way in ["dxp", "dxp-listen"] {
        let bad = bad.replace("cmd=", &format!("{way}=localhost:0 cmd="));
        let error = with_random(&bad, "60").failure();
        let message = "engine 'bad' does not start: the program ended before it connected";
        assert!(error.contains(message), "{error}");
        assert!(error.contains("stderr: mock: not today"), "{error}");
    }
}

/// Nothing was asked of it: the game does not count as lost.
#[test]
fn an_engine_that_has_ended_between_two_games_is_started_again() {
    let play = |engine: &str| with_random(engine, "depth=1").pairs(2).max_moves(1).play();
    let played = play(&mock("leaver", "leaves=1"));
    assert_eq!(played.ends(), ["move limit"; 4]);
    let detail = &played.games[1].detail;
    assert!(detail.contains("is started again: the program ended before the game"), "{detail}");
    // One that never gets as far as a move loses each game, once.
    assert_eq!(play(&mock("shy", "shy")).ends(), ["crash"; 4]);
}

#[test]
fn an_answer_without_end_is_named() {
    for game in with_random(&mock("long", "long=1"), "depth=1").max_moves(1).play().games {
        assert!(game.detail.ends_with("unreadable answer: line longer than 64 KiB"), "{game:?}");
        assert_eq!(why(&game), "illegal move");
    }
}
