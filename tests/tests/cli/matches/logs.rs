//! Logs of all messages, the order of the games in files, and a full disk.

use std::fs;
use std::path::Path;

use meerslag_tests::run;
use serde_json::Value;
use tempfile::TempDir;

use super::mock::mock;

fn play(args: &[&str]) -> Vec<Value> {
    let mut lines = run(["match", "--json"].iter().chain(args), "").success().json_lines();
    assert_eq!(lines.pop().unwrap()["type"], "standings");
    lines
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// A match does not mix its logs with those of another one, unless it is asked to put them away.
#[test]
fn logs_of_another_match_are_kept_unless_told_otherwise() {
    let folder = TempDir::new().unwrap();
    let logs = folder.path().join("logs");
    let log = format!("--log={}", logs.display());
    let good = mock("good", "first");
    let args = ["match", &good, "--engine=random", "--tc=depth=1", "--max-moves=5", &log];
    let play = |more: &[&str]| run([&args[..], more].concat(), "");
    let all: Vec<_> = (1..=4).map(|game| format!("game-{game:05}.log")).collect();
    let _ = play(&["--pairs=2"]).success();
    assert_eq!(names(&logs), all);
    let refused = play(&["--pairs=1"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("has logs of games"), "{refused:?}");
    let _ = play(&["--pairs=1", "--force"]).success();
    assert_eq!(names(&logs), all[..2]);
    // Nothing went wrong in any of these games.
    let _ = play(&["--pairs=1", "--force", "--log-keep=failed"]).success();
    assert_eq!(names(&logs), [""; 0]);
}

/// The PDN has the games in the order of the schedule, whichever ends first.
#[test]
fn games_are_written_in_the_order_of_the_schedule() {
    let folder = TempDir::new().unwrap();
    let pdn = folder.path().join("games.pdn");
    let file = format!("--pdn={}", pdn.display());
    let args =
        ["--engine=random name=a", "--engine=random name=b", "--pairs=20", "--concurrency=4"];
    let games = play(&[&args[..], &[&file]].concat());
    let finished: Vec<u64> = games.iter().map(|game| game["game"].as_u64().unwrap()).collect();
    let text = fs::read_to_string(&pdn).unwrap();
    let rounds: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("[Round \"")?.strip_suffix("\"]"))
        .map(str::to_owned)
        .collect();
    let expected: Vec<String> =
        (0..40).map(|game| format!("{}.{}", game / 2 + 1, game + 1)).collect();
    assert_eq!(rounds, expected, "finished in the order {finished:?}");
}

/// As other files: the game continues, and then the match ends with the reason. What is written to that
/// device finds a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_is_an_error() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (state, logs) = (format!("--state={}", path("x.jsonl")), format!("--log={}", path("logs")));
    let args = [&*mock("a", ""), "--engine=random", "--tc=depth=1", "--pairs=1", "--max-moves=3"];
    let _ = play(&[&args[..], &[&state]].concat());
    let text = fs::read_to_string(path("x.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    fs::write(path("x.jsonl"), format!("{}\n", lines[..2].join("\n"))).unwrap();
    fs::create_dir(path("logs")).unwrap();
    std::os::unix::fs::symlink("/dev/full", path("logs/game-00002.log")).unwrap();
    let output = run(["match", "--resume", &state, &logs], "");
    assert_eq!(output.code, 1, "{output:?}");
    let wanted = format!("cannot write the log {}: No space", path("logs/game-00002.log"));
    assert!(output.stderr.contains(&wanted), "{output:?}");
    // The game was played all the same.
    let text = fs::read_to_string(path("x.jsonl")).unwrap();
    assert_eq!(text.matches("\"termination\":\"move-limit\"").count(), 2, "{text}");

    let program = meerslag_tests::binary().display().to_string();
    let engine = format!("cmd=\"{program} hub\"");
    for args in [
        vec!["hub", "--log=/dev/full"],
        vec!["adapt", "--engine", &engine, "--hub", "--log=/dev/full"],
    ] {
        let output = run(&args, "hub\ninit\nquit\n");
        assert_eq!(output.code, 1, "{args:?} {output:?}");
        assert!(output.stdout.contains("ready"), "{args:?} {output:?}");
        assert!(output.stderr.contains("cannot write the log /dev/full"), "{args:?} {output:?}");
    }
    // The own log of a DXP engine.
    let dxp = format!(
        "--engine=name=d dxp=localhost:0 log=/dev/full cmd=\"{program} dxp listen {{port}}\""
    );
    let output =
        run(["match", &dxp, "--engine=random", "--tc=60", "--pairs=1", "--max-moves=1"], "");
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("cannot write the log /dev/full: No space"), "{output:?}");

    // The log of a build has the counts that nobody would see again.
    fs::create_dir(path("db")).unwrap();
    std::os::unix::fs::symlink("/dev/full", path("db/build.jsonl")).unwrap();
    let output = run(["egdb", "build", "--pieces=2", "--out", &path("db")], "");
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("db/build.jsonl: No space"), "{output:?}");
}

/// Both engines have searched the start, each in the game that it began.
#[test]
fn lines_of_both_engines_are_found_in_the_logs() {
    let folder = TempDir::new().unwrap();
    let logs = format!("--log={}", folder.path().join("logs").display());
    let program = meerslag_tests::binary().display();
    let engines = ["one", "two words"]
        .map(|name| format!("--engine=name=\"{name}\" param.book=false cmd=\"'{program}' hub\""));
    let args = ["--openings=start", "--pairs=1", "--tc=depth=5", "--max-moves=3"];
    play(&[&[engines[0].as_str(), &engines[1], &logs], &args[..]].concat());
    let show = |fen: &str| run(["match", "--lines", fen, &logs], "");
    let shown = show("W:W31-50:B1-20").success().stdout;
    let lines: Vec<&str> = shown.lines().collect();
    let names = [lines[1], lines[3]];
    assert_eq!(names, ["one, game-00001.log", "two words, game-00002.log"], "{shown}");
    for line in [lines[2], lines[4]] {
        assert!(line.starts_with("    5 ") && line.contains(" 1. "), "{shown}");
    }
    assert_eq!(lines.len(), 5);
    let none = show("W:WK1:BK50");
    assert_eq!(none.code, 1, "{none:?}");
    assert!(none.stderr.contains("no engine reported on this position"), "{none:?}");
    assert_eq!(show("W:W51").code, 2);
    assert_eq!(run(["match", "--lines", "W:WK1:BK50"], "").code, 2);
}
