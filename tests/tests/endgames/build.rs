//! `meerslag egdb build`, `build-slice` and `pack` with the real program: from nothing to answers,
//! killed and resumed.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use meerslag_tests::{binary, run};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::folder::files;

/// Starts a build and stops it with a signal once it has reported this many events.
fn stop_after(dir: &str, events: usize, signal: Signal) -> (Child, usize) {
    let mut child = Command::new(binary())
        .args(["egdb", "build", "--pieces", "4", "--types", "wld", "--out", dir, "--json"])
        .arg("--resume")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut seen = 0;
    while seen < events {
        let Some(Ok(line)) = lines.next() else { break };
        let event: Value = serde_json::from_str(&line).unwrap();
        seen += usize::from(event["event"] == "slice");
    }
    let id = Pid::from_raw(i32::try_from(child.id()).unwrap());
    kill(id, signal).unwrap();
    drop(lines);
    (child, seen)
}

#[test]
fn killed_and_interrupted_builds_go_on_to_the_same_files() {
    let whole = tempfile::tempdir().unwrap();
    let whole_dir = whole.path().to_str().unwrap();
    let build = ["egdb", "build", "--pieces", "4", "--types", "wld", "--out"];
    let out = run([&build[..], &[whole_dir]].concat(), "");
    assert_eq!(out.code, 0, "{}", out.stderr);
    assert!(out.stdout.contains("3010") && out.stdout.contains("peak memory"), "{}", out.stdout);
    let expected = files(whole.path());
    assert_eq!(expected.len(), 12);
    assert!(!whole.path().join("work").exists());

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    // Killed in the middle of a slice of four pieces, then interrupted some slices later.
    let (mut child, seen) = stop_after(path, 12, Signal::SIGKILL);
    assert_eq!(seen, 12);
    child.wait().unwrap();
    let (mut child, seen) = stop_after(path, 3, Signal::SIGINT);
    assert_eq!(seen, 3);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!dir.path().join("db4.idx1").exists());

    // Without --resume nothing is touched.
    let out = run([&build[..], &[path]].concat(), "");
    assert_eq!(out.code, 2, "{}", out.stdout);
    assert!(out.stderr.contains("resume"), "{}", out.stderr);

    let out = run([&build[..], &[path, "--resume", "--json"]].concat(), "");
    assert_eq!(out.code, 0, "{}", out.stderr);
    let events: Vec<Value> = out.json_lines();
    let count = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert!(count("reused") >= 15, "{}", out.stdout);
    assert_eq!(count("reused") + count("slice"), 23);
    assert_eq!(files(dir.path()), expected);

    // The log has everything, of all runs.
    let log = fs::read_to_string(dir.path().join("build.jsonl")).unwrap();
    let log: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(log.len() > events.len());
    let last = log.last().unwrap();
    assert_eq!(last["event"], "done");
    assert!(last["usage"]["peak_resident_bytes"].as_u64().unwrap() > 1 << 20);

    // And it answers.
    let out = run(["egdb", "probe", "--egdb", path, "W:WK35:B2,K27,K45"], "");
    assert!(out.stdout.contains("loss"), "{}", out.stdout);
    let out = run(["egdb", "verify", "--egdb", path], "");
    assert_eq!(out.code, 0, "{}", out.stderr);
}

/// Kills a build again and again, a while after it has begun, and compares the result.
fn kill_often(kills: u64) {
    let whole = tempfile::tempdir().unwrap();
    let build = |dir: &str| {
        let build = ["egdb", "build", "--pieces", "4", "--types", "compact,mtc", "--resume"];
        Command::new(binary())
            .args([&build[..], &["--threads", "2", "--out", dir]].concat())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    assert!(build(whole.path().to_str().unwrap()).wait().unwrap().success());
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    let work = dir.path().join("work");
    let unfinished = || {
        let names = fs::read_dir(&work).into_iter().flatten().flatten();
        names.filter(|entry| entry.path().extension().is_some_and(|e| e == "part")).count()
    };
    let mut parts = 0;
    for kill in 0..kills {
        let mut child = build(path);
        // Times that are not in step with anything; each second time in the middle of a slice,
        // unless the build ends before.
        std::thread::sleep(Duration::from_millis(60 + kill * 7919 % 640));
        while kill % 2 == 1 && unfinished() == 0 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        parts += unfinished();
    }
    assert!(parts > 0, "some slice was stopped in the middle");
    assert!(build(path).wait().unwrap().success());
    assert_eq!(files(dir.path()), files(whole.path()));
    assert!(!work.exists());
}

#[test]
fn builds_that_are_killed_a_few_times_make_the_same_files() {
    kill_often(4);
}

#[test]
#[ignore = "takes minutes"]
fn builds_that_are_killed_fifty_times_make_the_same_files() {
    kill_often(50);
}

#[test]
fn disk_and_time_are_limited() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    let build = ["egdb", "build", "--pieces", "5", "--types", "compact", "--out", path];
    let out = run([&build[..], &["--disk", "20M"]].concat(), "");
    assert_eq!(out.code, 2, "{}", out.stderr);
    assert!(out.stderr.contains("more than --disk 20 MiB"), "{}", out.stderr);
    assert!(!dir.path().join("work").exists(), "refused before anything is done");
    let out = run([&build[..], &["--hours", "0.0001"]].concat(), "");
    assert_eq!(out.code, 130, "{}", out.stderr);
    assert!(out.stderr.contains("--resume"), "{}", out.stderr);
    let out = run([&build[..], &["--hours", "0"]].concat(), "");
    assert_eq!(out.code, 2, "{}", out.stderr);
}

#[test]
fn a_second_builder_names_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    let build = ["egdb", "build", "--types", "wld", "--out", path, "--pieces"];
    // Stopped, so that it holds the folder as long as is needed.
    let mut first = Command::new(binary())
        .args([&build[..], &["5", "--json"]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(first.stdout.take().unwrap()).lines();
    assert!(lines.next().is_some());
    let id = Pid::from_raw(i32::try_from(first.id()).unwrap());
    kill(id, Signal::SIGSTOP).unwrap();
    for rest in [&["3"][..], &["3", "--resume"]] {
        let out = run([&build[..], rest].concat(), "");
        assert_eq!(out.code, 2, "{}", out.stderr);
        assert!(out.stderr.contains(&format!("process {}", first.id())), "{}", out.stderr);
        assert!(!out.stdout.contains("continues"), "{}", out.stdout);
    }
    first.kill().unwrap();
    first.wait().unwrap();
    let out = run([&build[..], &["2", "--resume"]].concat(), "");
    assert_eq!(out.code, 0, "{}", out.stderr);
}

#[test]
fn single_slices_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    let build = ["egdb", "build", "--types", "compact", "--out", path, "--slices"];
    let out = run([&build[..], &["0301"]].concat(), "");
    assert_eq!(out.code, 0, "{}", out.stderr);
    assert!(out.stdout.contains("6 files written"), "{}", out.stdout);
    for (fen, value) in [("W:WK50:BK1,K2,K12", "draw"), ("W:W50:BK1,K2,K12", "unknown")] {
        let out = run(["egdb", "probe", "--egdb", path, fen], "");
        assert!(out.stdout.contains(value), "{fen}: {}", out.stdout);
    }
    let mtc = ["egdb", "build", "--types", "mtc", "--slices", "0201", "--out", path, "--resume"];
    let out = run(mtc, "");
    assert_eq!(out.code, 2, "{}", out.stdout);
    assert!(out.stderr.contains("build wld or compact with them"), "{}", out.stderr);
}

#[test]
fn bad_requests_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    for (args, expected) in [
        (&["build", "--out", path][..], "--pieces"),
        (&["build", "--pieces", "9", "--out", path], "9"),
        (&["build", "--slices", "6010", "--out", path], "6010"),
        (&["build", "--pieces", "3", "--memory", "lots", "--out", path], "lots"),
        (&["build", "--pieces", "3", "--memory", "10M", "--out", path], "MiB"),
        (&["build-slice", "--slice", "1010", "--out", path], "0110"),
        (&["pack", "--pieces", "2", "--out", path], "0101"),
    ] {
        let out = run([&["egdb"], args].concat(), "");
        assert_ne!(out.code, 0, "{args:?}");
        assert!(out.stderr.contains(expected), "{args:?}: {}", out.stderr);
        assert!(!out.stderr.contains("panicked"), "{args:?}: {}", out.stderr);
    }
    // The message names the remedy: more memory, not the same again.
    let out =
        run(["egdb", "build", "--pieces", "3", "--memory", "49M", "--out", path, "--resume"], "");
    assert_eq!(out.code, 2, "{}", out.stdout);
    let (_, remedy) = out.stdout.split_once("with --memory ").expect("a remedy");
    let enough = remedy.split_whitespace().next().unwrap();
    assert!(files(dir.path()).is_empty());
    let again = ["egdb", "build", "--pieces", "3", "--memory", enough, "--out", path, "--resume"];
    let out = run(again, "");
    assert_eq!(out.code, 0, "{enough}: {}", out.stderr);
}

#[test]
fn without_folders_the_embedded_databases_answer() {
    let out = run(["egdb", "probe", "--json", "W:WK11:BK2,K6"], "");
    let answer: Value = serde_json::from_str(out.stdout.trim()).unwrap();
    assert_eq!(
        (&answer["value"], &answer["dtw"], &answer["mtc"]),
        (&Value::from("loss"), &Value::from(8), &Value::from(10),)
    );
}
