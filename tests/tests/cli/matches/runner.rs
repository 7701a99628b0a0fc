//! `meerslag match` as a process: what it leaves behind, how it stops and continues, and what it refuses.

use std::collections::HashSet;
use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use meerslag_tests::processes::{assert_no_orphans, is_alive, noted};
use meerslag_tests::{Output, binary, run, until};
use movegen::notation::pdn::{PdnGame, PdnReader};
use serde_json::Value;
use tempfile::TempDir;

use super::mock::mock;

/// Runs a match that must succeed and returns its JSON lines.
fn play(args: &[&str]) -> Vec<Value> {
    let output = start(args);
    assert_eq!(output.code, 0, "{args:?}: {output:?}");
    assert_eq!(output.stderr, "", "{args:?}");
    output.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn start(args: &[&str]) -> Output {
    run(["match", "--json"].iter().chain(args), "")
}

fn games(lines: &[Value]) -> Vec<&Value> {
    lines.iter().filter(|l| l["type"] == "game").collect()
}

/// Numbers of open files of a process and of its children, in that order.
#[cfg(target_os = "linux")]
fn open_files_and_children(pid: u32) -> (usize, usize) {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count);
    let children = fs::read_dir(format!("/proc/{pid}/task")).expect("the process runs");
    let children = children
        .filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok())
        .map(|text| text.split_whitespace().count())
        .sum();
    (files, children)
}

/// Engines that crash and are started again all the time, four games at once: files and processes
/// do not add up.
#[test]
#[cfg(target_os = "linux")]
fn nothing_piles_up_under_concurrency() {
    let folder = TempDir::new().unwrap();
    let pids = folder.path().join("pids");
    fs::create_dir(&pids).unwrap();
    let state = folder.path().join("match.jsonl");
    let bad = mock("bad", &format!("crash=2 child pids='{}'", pids.display()));
    let mut runner = Command::new(binary())
        .args(["match", "--json", "--concurrency=4", "--tc=move=60", "--pairs=40"])
        .args([&bad, &mock("good", "seed=2"), &format!("--state={}", state.display())])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let games = || fs::read_to_string(&state).map_or(0, |text| text.lines().count());
    let mut seen = Vec::new();
    while runner.try_wait().unwrap().is_none() {
        if games() > 20 && seen.len() < 200 {
            seen.push(open_files_and_children(runner.id()));
        }
        thread::sleep(Duration::from_millis(5));
    }
    assert!(runner.wait().unwrap().success());
    assert_eq!(games(), 81);
    // Eight engines with three pipes each, their listeners, the state file, and little else.
    for (files, children) in &seen {
        assert!(*files <= 60 && *children <= 14, "{seen:?}");
    }
    assert!(seen.len() > 5, "{seen:?}");
    assert!(assert_no_orphans(&pids) > 80);
}

/// A runner that is killed cannot clear up; engines that hang would stay for ever.
#[test]
#[cfg(target_os = "linux")]
fn hanging_engines_do_not_survive_a_killed_runner() {
    let folder = TempDir::new().unwrap();
    let (pids, marks) = (folder.path().join("pids"), folder.path().join("marks"));
    fs::create_dir(&pids).unwrap();
    let notes = format!("pids='{}' marks='{}'", pids.display(), marks.display());
    let hangs = mock("hangs", &format!("stall=1 child=orphan deaf {notes}"));
    let mut runner = Command::new(binary())
        .args(["match", "--json", "--concurrency=2", "--tc=60", "--pairs=2"])
        .args([hangs, mock("good", "seed=2")])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until("engines that hang", || fs::read(&marks).is_ok_and(|marks| marks.len() == 2));
    until("their helpers", || noted(&pids).len() == 4);
    assert!(noted(&pids).iter().all(|pid| is_alive(pid)));
    runner.kill().unwrap();
    runner.wait().unwrap();
    assert_eq!(assert_no_orphans(&pids), 4);
}

/// Ctrl-Z and `fg`: clocks go on while everything stands still, and nobody loses by that.
#[test]
#[cfg(unix)]
fn games_during_a_standstill_are_played_again() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    use std::io::{BufRead, BufReader};

    let folder = TempDir::new().unwrap();
    let state = folder.path().join("match.jsonl");
    let pdn = folder.path().join("games.pdn");
    let mut runner = Command::new(binary())
        .args(["match", "--tc=move=0.05", "--pairs=1", "--max-moves=30", "--margin=1000"])
        .args([
            "--engine=builtin name=a param.hash-mb=1",
            "--engine=builtin name=b param.hash-mb=1",
        ])
        .arg(format!("--state={}", state.display()))
        .arg(format!("--pdn={}", pdn.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let id = Pid::from_raw(runner.id().cast_signed());
    let lines = BufReader::new(runner.stdout.take().unwrap()).lines();
    let (sender, printed) = crossbeam::channel::unbounded();
    thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
    // A game takes three seconds: sooner or later one is hit.
    let mut all = Vec::new();
    while !all.iter().any(|line: &String| line.contains("is void")) {
        thread::sleep(Duration::from_millis(300));
        kill(id, Signal::SIGSTOP).unwrap();
        thread::sleep(Duration::from_millis(1500));
        kill(id, Signal::SIGCONT).unwrap();
        all.extend(printed.recv_timeout(Duration::from_millis(300)));
        assert!(runner.try_wait().unwrap().is_none(), "{all:?}");
    }
    all.extend(printed.iter());
    assert!(runner.wait().unwrap().success(), "{all:?}");
    let void = all.iter().find(|line| line.contains("is void")).unwrap();
    assert!(void.contains("played again: the machine stood still for "), "{void}");

    let text = fs::read_to_string(&state).unwrap();
    let games: Vec<Value> =
        text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(games.len(), 2, "{text}");
    for game in &games {
        assert_ne!(game["termination"], "time-forfeit", "{game}");
    }
    let is_noted = |text: &str| text.contains("played again after a standstill of ");
    assert!(
        games.iter().any(|game| is_noted(game["detail"].as_str().unwrap_or_default())),
        "{text}"
    );
    assert!(is_noted(&fs::read_to_string(&pdn).unwrap().replace('\n', " ")));
}

/// The table without what depends on the clock.
fn without_times(mut table: Value) -> Value {
    table["overhead_us"] = Value::Null;
    for engine in table["engines"].as_array_mut().expect("a list") {
        engine["latency_us"] = Value::Null;
    }
    table
}

#[test]
fn a_killed_match_is_resumed_and_ends_the_same() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    // Games of these two only depend on the opening and the colours.
    let engines = [mock("first", "first"), mock("other", "first score=1")];
    let config =
        [&engines[0], &engines[1], "--tc=nodes=5", "--pairs=30", "--seed=3", "--max-moves=40"];
    let whole = play(&config);

    let (state, pdn) = (path("match.jsonl"), path("games.pdn"));
    let (state_arg, pdn_arg) = (format!("--state={state}"), format!("--pdn={pdn}"));
    let mut child = Command::new(binary())
        .args(["match", "--concurrency=2"])
        .args(config)
        .args([&state_arg, &pdn_arg])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // Whole lines: the last one may be only half written.
    let count = || fs::read_to_string(&state).map_or(0, |text| text.matches('\n').count());
    until("seven games", || count() >= 8);
    child.kill().unwrap();
    child.wait().unwrap();
    // On a busy machine all games may be over before this test has its turn: then some are forgotten.
    let whole_lines: String =
        fs::read_to_string(&state).unwrap().split_inclusive('\n').take(30).collect();
    let whole_lines = whole_lines.into_bytes();
    let saved = whole_lines.split(|&byte| byte == b'\n').count() - 1;
    assert!((8..=30).contains(&saved), "{saved} lines");

    // As if the process had been killed while it wrote.
    let mut damaged = whole_lines.clone();
    damaged.extend_from_slice(b"{\"game\":5,\"pairing\":{");
    fs::write(&state, &damaged).unwrap();

    let refused = start(&[config.as_slice(), &[&state_arg]].concat());
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("--resume"), "{refused:?}");

    let resumed = play(&["--resume", &state_arg, &pdn_arg, "--concurrency=2"]);
    assert_eq!(games(&resumed).len(), 60 + 1 - saved);
    assert_eq!(
        without_times(resumed.last().unwrap().clone()),
        without_times(whole.last().unwrap().clone())
    );
    let text = fs::read(&pdn).unwrap();
    assert_eq!(PdnReader::new(&text[..]).map(Result::unwrap).count(), 60);
    // Nothing is left to play.
    assert!(games(&play(&["--resume", &state_arg])).is_empty());

    // A damaged line in the middle is not skipped.
    let text = String::from_utf8(whole_lines).unwrap().replacen("\"pairing\"", "\"paring\"", 1);
    fs::write(&state, text).unwrap();
    let refused = start(&["--resume", &state_arg]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("line 2"), "{refused:?}");
}

#[test]
fn openings_that_are_used_up_are_varied_where_games_would_be_the_same() {
    let folder = TempDir::new().unwrap();
    let pdn = folder.path().join("games.pdn");
    let pdn_arg = format!("--pdn={}", pdn.display());
    // The moves of the games, with their start positions.
    let moves = |more: &[&str]| -> Vec<String> {
        let engines = ["--engine=builtin name=x", "--engine=builtin name=y", "--openings=start"];
        let rest = ["--pairs=4", "--max-moves=6", "--force", &pdn_arg];
        play(&[engines.as_slice(), &rest, more].concat());
        let text = fs::read(&pdn).unwrap();
        let games = PdnReader::new(&text[..]).map(Result::unwrap);
        let line = |game: PdnGame| {
            let plies = game.positions().map(|(position, _)| position.to_fen());
            plies.collect::<Vec<_>>().join(" ")
        };
        games.map(line).collect()
    };
    let distinct = |games: &[String]| games.iter().collect::<HashSet<_>>().len();
    let varied = moves(&["--tc=nodes=50"]);
    // Between equal engines both games of a pair are the same.
    assert_eq!((varied.len(), distinct(&varied)), (8, 4));
    assert_eq!(moves(&["--tc=nodes=50", "--concurrency=2"]).len(), 8);
    assert_eq!(distinct(&moves(&["--tc=nodes=50", "--random-plies=0"])), 1);
    let starts = |games: &[String]| -> HashSet<String> {
        games.iter().map(|game| game.split(' ').next().unwrap_or_default().to_owned()).collect()
    };
    // On a loaded machine a first move may be late.
    let timed = ["--tc=move=0.01", "--margin=60000"];
    assert_eq!(starts(&moves(&timed)).len(), 1);
    assert_eq!(starts(&moves(&[&timed[..], &["--random-plies=1", "--seed=2"]].concat())).len(), 4);
}

#[test]
fn wrong_usage_is_refused() {
    let random = "--engine=random";
    let two = [random, "--engine=random name=b"];
    for (args, part) in [
        (vec![random], "at least two engines"),
        (vec![random, random], "two engines are called 'random'"),
        (vec![random, "--engine=builtin"], "has no time control"),
        (vec![random, "--engine=name=x"], "expected one of cmd="),
        ([&two[..], &["--openings=/nonexistent.fen"]].concat(), "nonexistent"),
        ([&two[..], &["--tc=soon"]].concat(), "soon"),
        ([&two[..], &["--sprt=5,0"]].concat(), "elo0 (5) must be less than elo1 (0)"),
        ([&two[..], &["--resign=x"]].concat(), "not a number"),
        // Bounds may be negative, and are judged as numbers.
        ([&two[..], &["--sprt", "-5,-9"]].concat(), "elo0 (-5) must be less than elo1 (-9)"),
        ([&two[..], &["--pairs=4000000000"]].concat(), "at most 20000000 are possible"),
        (vec![random, "--engine=random name=b param.seed=abc"], "'b': parameter seed: bad value"),
        (
            vec![random, "--engine=random name=b param.foo=1"],
            "unknown parameter foo, expected seed",
        ),
        (
            vec![random, "--engine=builtin param.foo=1 tc=1"],
            "unknown parameter foo, expected variant",
        ),
        (vec![random, "--engine=builtin cmd=x tc=1"], "within the runner: it has no cmd"),
        (vec![random, "--engine=random name=b dir=/"], "within the runner: it has no dir"),
        (vec![random, "--engine=random name=b env.X=1"], "within the runner: it has no env"),
        (vec![random, "--engine=random builtin"], "'random' and 'builtin' exclude each other"),
        (vec![random, "--engine=random name="], "column 13: no value after 'name='"),
        (vec!["--resume"], "--state"),
        (vec!["--resume", "--state=/nonexistent/x"], "/nonexistent/x"),
    ] {
        let output = start(&args);
        assert_eq!(output.code, 2, "{args:?}: {output:?}");
        assert!(output.stderr.contains(part), "{args:?}: {output:?}");
    }
}

/// Nobody can be reached, but there is no crash either.
#[test]
#[cfg(target_os = "linux")]
fn errors_that_cannot_be_written() {
    let status = Command::new(binary())
        .args(["match", "--engine=random"])
        .stderr(fs::OpenOptions::new().write(true).open("/dev/full").unwrap())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(2));
}

#[test]
fn the_last_processors_are_missed() {
    let two = ["--engine=random", "--engine=random name=b", "--pairs=1"];
    let output = start(&[&two[..], &["--affinity=64", "--concurrency=1024"]].concat());
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stderr.contains("--affinity needs 65536 processors"), "{output:?}");
}

#[test]
fn the_table_for_people() {
    let args = ["match", "--engine=random name=alpha", "--engine=random name=beta", "--pairs=3"];
    let output = run(args, "");
    assert_eq!(output.code, 0, "{output:?}");
    for part in ["6/6  ", "engine ", " LOS ", "alpha", "beta", "points for", " ended by: "] {
        assert!(output.stdout.contains(part), "{part}: {}", output.stdout);
    }
}
