//! `meerslag match` with engines that misbehave, all of them real child processes.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use meerslag_tests::{Output, binary, run};
use movegen::Color;
use movegen::notation::pdn::{PdnGame, PdnReader};
use serde_json::Value;
use tempfile::TempDir;

use super::mock::{hasty, mock};

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

fn standing<'a>(lines: &'a [Value], name: &str) -> &'a Value {
    let table = lines.last().expect("as written");
    assert_eq!(table["type"], "standings");
    table["engines"]
        .as_array()
        .expect("as written")
        .iter()
        .find(|e| e["name"] == name)
        .expect("as written")
}

/// Whether a process of this number exists; one that only waits to be reaped does not count.
fn is_alive(pid: &str) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat.rsplit(')').next().expect("as written").trim_start().starts_with('Z')
}

/// Asserts that none of the processes that left a note in the folder lives; returns how many
/// there were.
fn assert_no_orphans(pids: &Path) -> usize {
    let deadline = Instant::now() + Duration::from_secs(10);
    let names: Vec<String> = fs::read_dir(pids)
        .expect("as written")
        .map(|entry| entry.expect("as written").file_name().into_string().expect("as written"))
        .collect();
    while let Some(pid) = names.iter().find(|pid| is_alive(pid)) {
        // The system may need a moment to finish off a killed process.
        assert!(Instant::now() < deadline, "process {pid} is still there");
        thread::sleep(Duration::from_millis(10));
    }
    names.len()
}

#[test]
fn random_movers_play_a_whole_match() {
    let folder = TempDir::new().unwrap();
    let pdn = folder.path().join("games.pdn");
    let lines = play(&[
        &mock("a", &format!("seed=1 score=0.25 pids='{}'", folder.path().display())),
        &mock("b", "seed=2"),
        "--tc=20",
        "--pairs=5",
        "--seed=7",
        "--concurrency=2",
        &format!("--pdn={}", pdn.display()),
    ]);
    assert_eq!(games(&lines).len(), 10);
    let table = lines.last().unwrap();
    assert_eq!(table["games"], 10);
    let a = standing(&lines, "a");
    let sum = ["wins", "draws", "losses"].iter().map(|k| a[*k].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum, 10);
    let pairs: u64 = a["pentanomial"].as_array().unwrap().iter().map(|p| p.as_u64().unwrap()).sum();
    assert_eq!(pairs, 5);
    assert!(a["latency_us"].as_f64().unwrap() > 0.0, "{a}");
    assert!(table["overhead_us"].as_f64().unwrap() > 0.0, "{table}");
    assert_eq!(a["allowed_seconds"], 200.0, "10 games of 20 seconds");
    assert!((f64::MIN_POSITIVE..200.0).contains(&a["used_seconds"].as_f64().unwrap()), "{a}");
    assert!((0.0..20.0).contains(&a["least_left_seconds"].as_f64().unwrap()), "{a}");
    let b = standing(&lines, "b");
    assert_eq!((&a["wins"], &a["draws"]), (&b["losses"], &b["draws"]));

    // Both games of a pair start alike, with colours exchanged, and the PDN has it all.
    let mut by_pair: HashMap<u64, Vec<&Value>> = HashMap::new();
    for game in games(&lines) {
        by_pair.entry(game["pair"].as_u64().unwrap()).or_default().push(game);
    }
    for pair in by_pair.values() {
        assert_eq!(pair.len(), 2);
        assert_eq!(pair[0]["fen"], pair[1]["fen"]);
        assert_eq!(pair[0]["white"], pair[1]["black"]);
    }
    assert!(fs::remove_file(&pdn).is_ok() || !pdn.exists());
    assert!(assert_no_orphans(folder.path()) >= 1);
}

#[test]
fn the_pdn_has_scores_depths_and_clocks() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("games.pdn");
    let pdn = format!("--pdn={}", path.display());
    let lines =
        play(&[&mock("a", "score=0.25"), &mock("b", "seed=2"), "--tc=20+1", "--pairs=1", &pdn]);
    let text = fs::read(&path).unwrap();
    let read: Vec<_> = PdnReader::new(&text[..]).map(Result::unwrap).collect();
    assert_eq!(read.len(), 2);
    for (game, line) in read.iter().zip(games(&lines)) {
        assert!(game.warnings.is_empty() && game.truncated.is_none(), "{:?}", game.warnings);
        assert_eq!(game.result.as_str(), line["result"]);
        assert_eq!(game.line.plies.len() as u64, line["plies"].as_u64().unwrap());
        assert_eq!(game.tags.get("White"), line["white"].as_str());
        let a_has_white = line["white"] == "a";
        for (index, ply) in game.line.plies.iter().enumerate() {
            let comment = ply.comments().next().unwrap();
            // The two-move ballots have White to move.
            let mover = [Color::White, Color::Black][index % 2];
            assert!(comment.remaining_time(mover).unwrap() > Duration::from_secs(5), "{comment:?}");
            assert!(comment.elapsed_move_time().is_some(), "{comment:?}");
            let by_a = (mover == Color::White) == a_has_white;
            let expected = by_a.then_some(if a_has_white { 0.25 } else { -0.25 });
            assert_eq!(comment.evaluation(), expected, "{comment:?}");
            assert_eq!(comment.command("depth").is_some(), by_a);
        }
    }
}

/// Each fault loses the game, is reported with the engine's last words, and the match goes on
/// with the engine started again.
#[test]
fn faults_lose_the_game_and_the_match_goes_on() {
    let ended = if cfg!(windows) { "exit code: 3" } else { "exit status: 3" };
    for (switches, fault, detail) in [
        ("crash=3", "crash", ended),
        ("stall=3", "stall", "no move after"),
        ("illegal=3", "illegal move", "1-50"),
        ("garbled=3", "illegal move", "no closing quote"),
        ("crash=3 child", "crash", ended),
        ("stall=3 child deaf", "stall", "no move after"),
    ] {
        let folder = TempDir::new().unwrap();
        let pids = format!("pids='{}'", folder.path().display());
        let bad = if fault == "stall" { hasty } else { mock };
        let lines = play(&[
            &bad("bad", &format!("{switches} {pids}")),
            &mock("good", &format!("seed=2 {pids}")),
            "--tc=depth=3",
            "--pairs=2",
            "--concurrency=2",
        ]);
        let games = games(&lines);
        assert_eq!(games.len(), 4, "{switches}");
        for game in games {
            assert_eq!(game["termination"], fault, "{switches}: {game}");
            assert!(game["detail"].as_str().unwrap().contains(detail), "{switches}: {game}");
            let loser = if game["result"] == "2-0" { "black" } else { "white" };
            assert_eq!(game[loser], "bad", "{switches}: {game}");
            let tail = game["tail"].as_array().unwrap();
            assert!(tail.iter().any(|l| l.as_str().unwrap().starts_with("id name=Mock")), "{game}");
            if fault == "crash" {
                assert!(tail.iter().any(|l| l == "stderr: mock: about to crash"), "{game}");
            }
        }
        assert_eq!(standing(&lines, "bad")["faults"], 4, "{switches}");
        assert_eq!(standing(&lines, "good")["faults"], 0, "{switches}");
        // Four processes of the bad engine at least: it was started again each time.
        assert!(assert_no_orphans(folder.path()) >= 5, "{switches}");
    }
}

#[test]
fn late_answers_lose_by_time_and_the_engine_stays() {
    let folder = TempDir::new().unwrap();
    let pids = format!("pids='{}'", folder.path().display());
    // Its first answer is late. The second game has much time from the second move on.
    let late = mock("late", &format!("late=1 {pids}"));
    let lines = play(&[&late, &mock("b", "seed=2"), "--tc=1+9", "--margin=50", "--pairs=1"]);
    let games = games(&lines);
    assert_eq!(games[0]["termination"], "time forfeit");
    assert!(games[0]["detail"].as_str().unwrap().contains("White used "), "{}", games[0]);
    assert_eq!(games[0]["result"], "0-2");
    assert_ne!(games[1]["termination"], "time forfeit");
    assert_eq!(standing(&lines, "late")["time_forfeits"], 1);
    assert_eq!(assert_no_orphans(folder.path()), 1, "not started again");
}

#[test]
fn nonsense_and_slow_output_do_no_harm() {
    for switches in ["nonsense", "slow", "nonsense slow score=1.5"] {
        let lines = play(&[
            &mock("odd", switches),
            &mock("b", "seed=2"),
            "--tc=depth=1",
            "--pairs=1",
            "--max-moves=12",
            "--concurrency=2",
        ]);
        assert_eq!(games(&lines).len(), 2);
        assert_eq!(standing(&lines, "odd")["faults"], 0, "{switches}: {lines:?}");
    }
}

#[test]
fn engines_that_do_not_start_end_the_match_with_a_report() {
    let folder = TempDir::new().unwrap();
    let pids = format!("pids='{}'", folder.path().display());
    let hangs = mock("hangs", &format!("no-wait deaf child {pids}")).replace("start=60", "start=5");
    let output = start(&[&hangs, "--engine=random", "--tc=depth=1", "--pairs=1"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("engine 'hangs' does not start: no 'wait' within 5s"));
    assert!(output.stderr.contains("id name=Mock version=1"), "{output:?}");
    // One attempt: the engine and its helper.
    assert_eq!(assert_no_orphans(folder.path()), 2);

    let nowhere = "--engine=name=x cmd=/nonexistent/engine";
    let output = start(&[nowhere, "--engine=random", "--tc=depth=1"]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("cannot start '/nonexistent/engine'"), "{output:?}");
}

#[test]
fn processes_that_will_not_go_are_killed() {
    let folder = TempDir::new().unwrap();
    let pids = format!("pids='{}'", folder.path().display());
    for (count, child) in ["child", "child=session", "child=cleared"].iter().enumerate() {
        let deaf = mock("deaf", &format!("deaf {child} {pids}"));
        let lines = play(&[&deaf, "--engine=random", "--tc=depth=1", "--pairs=1"]);
        assert_eq!(games(&lines).len(), 2);
        assert_eq!(assert_no_orphans(folder.path()), 2 * (count + 1));
    }
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
    let pids = folder.path().display();
    let hangs = mock("hangs", &format!("stall=1 child=orphan deaf pids='{pids}'"));
    let mut runner = Command::new(binary())
        .args(["match", "--json", "--concurrency=2", "--tc=60", "--pairs=2"])
        .args([hangs, mock("good", "seed=2")])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let count = || fs::read_dir(folder.path()).map_or(0, Iterator::count);
    let deadline = Instant::now() + Duration::from_secs(60);
    while count() < 4 {
        assert!(Instant::now() < deadline);
        thread::sleep(Duration::from_millis(5));
    }
    // They all live, and hang.
    thread::sleep(Duration::from_millis(200));
    let pids: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(pids.iter().all(|pid| is_alive(&pid.to_string_lossy())));
    runner.kill().unwrap();
    runner.wait().unwrap();
    assert_eq!(assert_no_orphans(folder.path()), 4);
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
    assert!(void.contains("played again: everything stood still for "), "{void}");

    let text = fs::read_to_string(&state).unwrap();
    let games: Vec<Value> =
        text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(games.len(), 2, "{text}");
    for game in &games {
        assert_ne!(game["termination"], "time-forfeit", "{game}");
    }
    let told = |text: &str| text.contains("played again after a standstill of ");
    assert!(games.iter().any(|game| told(game["detail"].as_str().unwrap_or_default())), "{text}");
    assert!(told(&fs::read_to_string(&pdn).unwrap().replace('\n', " ")));
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
    let deadline = Instant::now() + Duration::from_secs(60);
    while count() < 8 {
        assert!(Instant::now() < deadline);
        thread::sleep(Duration::from_millis(1));
    }
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

    // A damaged line in the middle is not passed over.
    let text = String::from_utf8(whole_lines).unwrap().replacen("\"pairing\"", "\"paring\"", 1);
    fs::write(&state, text).unwrap();
    let refused = start(&["--resume", &state_arg]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("line 2"), "{refused:?}");
}

#[test]
fn scores_end_games_and_a_test_ends_the_match() {
    let lines = play(&[
        &mock("strong", "score=9.5"),
        &mock("weak", "seed=2 score=-9.5"),
        "--tc=depth=1",
        "--openings=three-move",
        "--pairs=300",
        "--resign=5,3",
        "--sprt=0,5",
    ]);
    let games = games(&lines);
    assert!(games.len() < 600 && games.len() > 2, "{}", games.len());
    for game in &games {
        assert_eq!(game["termination"], "adjudicated by score");
        assert_eq!(game["plies"], 6);
        let winner = if game["result"] == "2-0" { "white" } else { "black" };
        assert_eq!(game[winner], "strong");
    }
    let table = lines.last().unwrap();
    assert_eq!(table["sprt"], "H1");
    assert!(table["llr"].as_f64().unwrap() >= 2.94, "{table}");

    let drawn = play(&[
        &mock("a", "score=0.05"),
        &mock("b", "seed=2 score=0"),
        "--tc=depth=1",
        "--pairs=1",
        "--draw=0.1,2,5",
    ]);
    assert_eq!(standing(&drawn, "a")["draws"], 2);
    assert!(self::games(&drawn).iter().all(|g| g["plies"] == 10));
}

#[test]
fn built_in_engines_and_several_opponents() {
    let folder = TempDir::new().unwrap();
    let openings = folder.path().join("openings.pdn");
    fs::write(&openings, "1. 32-28 19-23 *\n\n1. 34-29 *\n").unwrap();
    let opening_arg = format!("--openings={}", openings.display());
    let engines =
        ["--engine=builtin name=x param.hash-mb=1", "--engine=random", "--engine=random name=r2"];
    let mut args = engines.to_vec();
    args.extend(["--tc=nodes=300", &opening_arg, "--opening-plies=2", "--pairs=2"]);
    let lines = play(&args);
    assert_eq!(games(&lines).len(), 12);
    assert!(standing(&lines, "x")["points"].as_f64().unwrap() > 6.0, "{lines:?}");
    args.push("--format=gauntlet");
    let lines = play(&args);
    assert_eq!(games(&lines).len(), 8);
    assert_eq!(standing(&lines, "x")["games"], 8);
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
        ([&two[..], &["--pairs=4000000000"]].concat(), "1..=10000000"),
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
