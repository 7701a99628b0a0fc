//! Logs of all messages, engines that are started for each game, the order of the games.

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

#[test]
fn logs_have_everything_that_is_said() {
    let folder = TempDir::new().unwrap();
    let logs = folder.path().join("logs");
    let log = format!("--log={}", logs.display());
    // The third search of the process: in the first game.
    let (good, bad) = (mock("good", "first"), mock("bad", "first crash=3 words"));
    let games = play(&[&good, &bad, "--tc=depth=1", "--pairs=2", "--max-moves=5", &log]);
    let failed: Vec<bool> = games.iter().map(|game| game["termination"] == "crash").collect();
    assert_eq!(failed, [true; 4], "{games:?}");
    let all: Vec<_> = (1..=4).map(|game| format!("game-{game:05}.log")).collect();
    assert_eq!(names(&logs), all);
    let text = fs::read_to_string(logs.join("game-00001.log")).unwrap();
    for line in [
        "# game 1, White good, Black bad",
        "good > hub",
        "good < id name=Mock version=1",
        "good > init",
        "good < ready",
        "bad > new-game",
        "bad > go think",
        "bad < done move=",
        "bad ! mock: about to crash",
        "bad ! word 99999",
        "# 2-0, crash: Black: the program ended while thinking",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // In their order, with times that grow.
    let times = text.lines().map(|line| line.split(' ').next().unwrap().parse::<f64>().unwrap());
    let times: Vec<f64> = times.collect();
    assert!(times.len() > 20 && times.windows(2).all(|pair| pair[0] <= pair[1] + 0.1), "{text}");
    // Another match does not mix its logs with these, unless told to put them away.
    let args = ["match", &good, "--engine=random", "--tc=depth=1", "--pairs=1", &log];
    let refused = run(args, "");
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("has logs of games"), "{refused:?}");
    let _ = run(args.iter().chain(&["--force", "--max-moves=5"]), "").success();
    assert_eq!(names(&logs), all[..2]);
}

#[test]
fn logs_of_games_without_a_failure_can_go() {
    let folder = TempDir::new().unwrap();
    let logs = folder.path().join("logs");
    let log = format!("--log={}", logs.display());
    // Started again after its failure, it fails again only in the second game after it.
    let bad = mock("bad", "first crash=8");
    let args = [&mock("good", "first"), &bad, "--tc=depth=1", "--pairs=3", "--max-moves=5", &log];
    let args: Vec<&str> = args.iter().map(AsRef::as_ref).chain(["--log-keep=failed"]).collect();
    let games = play(&args);
    let failed = games.iter().filter(|game| game["termination"] == "crash");
    let failed: Vec<String> =
        failed.map(|game| format!("game-{:05}.log", game["game"].as_u64().unwrap())).collect();
    assert!(!failed.is_empty() && failed.len() < games.len(), "{games:?}");
    assert_eq!(names(&logs), failed);
}

/// `restart=on`: a new process for each game.
#[test]
fn engines_can_be_started_for_each_game() {
    let folder = TempDir::new().unwrap();
    let starts = |name: &str| folder.path().join(name);
    let engine = |name: &str, more: &str| {
        format!("{} {more}", mock(name, &format!("first starts='{}'", starts(name).display())))
    };
    let (fresh, kept) = (engine("fresh", "restart=on"), engine("kept", "restart=off"));
    let games = play(&[&fresh, &kept, "--tc=depth=1", "--pairs=3", "--max-moves=5"]);
    assert_eq!(games.len(), 6);
    assert_eq!(fs::read(starts("fresh")).unwrap().len(), 6);
    assert_eq!(fs::read(starts("kept")).unwrap().len(), 1);
    let refused =
        run(["match", "--engine=dxp=localhost:1 restart=on", "--engine=random", "--tc=60"], "");
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("restart"), "{refused:?}");
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

/// As other files: the game goes on, and then the match ends with the reason. What is written to that
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
        "--engine=name=d dxp=localhost:0 log=/dev/full cmd=\"{program} dxp listen --port {{port}}\""
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
