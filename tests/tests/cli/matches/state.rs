//! The state file and the other files of `meerslag match`: nothing existing is lost.

use std::fs;
use std::process::{Command, Stdio};

use meerslag_tests::{Output, binary, run, until};
use tempfile::TempDir;

use super::mock::mock;

const RANDOM: [&str; 2] = ["--engine=random name=a", "--engine=random name=b"];

fn start(args: &[&str]) -> Output {
    run(["match", "--json"].iter().chain(args), "")
}

#[track_caller]
fn plays(args: &[&str]) {
    let _ = start(args).success();
}

struct Files(TempDir);

impl Files {
    fn new() -> Files {
        Files(TempDir::new().expect("a folder"))
    }

    fn arg(&self, option: &str, name: &str) -> String {
        format!("--{option}={}", self.0.path().join(name).display())
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).expect(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).expect(name);
    }

    fn has(&self, name: &str) -> bool {
        self.0.path().join(name).exists()
    }
}

/// Refused with this exit status and these words.
#[track_caller]
fn refuses(args: &[&str], code: i32, part: &str) {
    let output = start(args);
    assert_eq!(output.code, code, "{args:?}: {output:?}");
    assert!(output.stderr.contains(part), "{args:?}: {output:?}");
}

/// Two runners on one file would write each other's lines to pieces.
#[test]
fn a_second_runner_is_refused() {
    let files = Files::new();
    let state = files.arg("state", "match.jsonl");
    let hangs = mock("m", "stall=1");
    let mut first = Command::new(binary())
        .args(["match", "--tc=depth=1", "--pairs=2", RANDOM[0], &hangs, &state])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until("a match", || files.has("match.jsonl") && !files.read("match.jsonl").is_empty());
    let output = start(&["--resume", &state]);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("in use by another runner"), "{output:?}");
    // It is free again, whatever happened to its owner.
    let text = files.read("match.jsonl");
    files.write("match.jsonl", &text.replace("stall=60", "stall=0.1"));
    let lines = start(&["--resume", &state]).success().json_lines();
    assert_eq!(lines.len(), 5, "{lines:?}");
}

/// A failed start leaves nothing that stops the corrected command.
#[test]
fn a_failed_start_leaves_no_state() {
    let files = Files::new();
    let state = files.arg("state", "match.jsonl");
    for wrong in [
        "--engine=name=x cmd=/nonexistent/engine",
        "--egdb=/nonexistent",
        "--pdn=/nonexistent/file",
        "--html=/nonexistent/file",
    ] {
        let args = [RANDOM[0], RANDOM[1], "--pairs=1", "--tc=depth=1", "--format=gauntlet"];
        let output = start(&[&args[..], &[wrong, &state]].concat());
        assert_eq!(output.code, 1, "{wrong}: {output:?}");
        // With three engines, two of them have played by then.
        let has_games = output.stdout.contains("\"type\":\"game\"");
        assert_eq!(files.has("match.jsonl"), has_games, "{wrong}: {output:?}");
        let _ = fs::remove_file(files.0.path().join("match.jsonl"));
    }
    refuses(
        &["--engine=name=x cmd=/nonexistent/engine", RANDOM[0], "--tc=depth=1", &state],
        1,
        "x",
    );
    assert!(!files.has("match.jsonl"));

    // Existing files are left alone.
    plays(&[RANDOM[0], RANDOM[1], "--pairs=1", &state]);
    let (text, pdn) = (files.read("match.jsonl"), files.arg("pdn", "games.pdn"));
    files.write("games.pdn", "mine");
    refuses(&[RANDOM[0], RANDOM[1], &state, &pdn], 2, "--resume");
    assert_eq!((files.read("match.jsonl"), files.read("games.pdn")), (text, "mine".to_owned()));
}

#[test]
fn no_file_is_overwritten_by_another_one() {
    let files = Files::new();
    let state = files.arg("state", "x");
    plays(&[RANDOM[0], RANDOM[1], "--pairs=1", &state]);
    let text = files.read("x");
    for option in ["pdn", "csv", "html"] {
        let other = files.arg(option, "./x");
        refuses(&["--resume", &state, &other], 2, &format!("--state and --{option} are the same"));
    }
    assert_eq!(files.read("x"), text);
    let new = [files.arg("pdn", "new"), files.arg("csv", "new")];
    refuses(&[RANDOM[0], RANDOM[1], &new[0], &new[1]], 2, "--pdn and --csv are the same file");
    files.write("o.pdn", "1. 32-28 *");
    let both = [files.arg("openings", "o.pdn"), files.arg("pdn", "o.pdn")];
    refuses(&[RANDOM[0], RANDOM[1], &both[0], &both[1]], 2, "--openings and --pdn are the same");
    assert_eq!(files.read("o.pdn"), "1. 32-28 *");
}

/// The description of a match comes from its file: options that would be without effect are
/// refused.
#[test]
fn a_resumed_match_takes_no_other_description() {
    let files = Files::new();
    let state = files.arg("state", "match.jsonl");
    plays(&[RANDOM[0], RANDOM[1], "--pairs=1", &state]);
    for option in [
        "--format=gauntlet",
        "--openings=start",
        "--opening-plies=2",
        "--margin=1",
        "--draw-rules=scan",
        "--max-moves=5",
        "--egdb=.",
        "--event=x",
    ] {
        refuses(&["--resume", &state, option], 2, "cannot be used with");
    }
    plays(&["--resume", &state]);
}

/// An edited file gives errors, not surprises.
#[test]
fn edited_states_are_refused() {
    let files = Files::new();
    let state = files.arg("state", "match.jsonl");
    plays(&[RANDOM[0], RANDOM[1], "--pairs=1", &state]);
    let text = files.read("match.jsonl");
    let header = text.lines().next().unwrap();
    let opening = header.split_once("\"openings\":[\"").unwrap().1.split('"').next().unwrap();
    for (from, to, message) in [
        ("\"engine\":\"", "\"engine\":\"start=-1 ", "start=-1: expected seconds"),
        ("\"engine\":\"", "\"engine\":\"stall=2e6 ", "stall=2e6: expected seconds"),
        (opening, "W:W99:B1", "opening W:W99:B1: expected a position"),
        ("\"draw-rules\":\"lidraughts\"", "\"draw-rules\":\"mine\"", "mine"),
        ("\"margin\":50", "\"margin\":99999999999", "margin: 99999999999: expected"),
        ("\"pairs\":1", "\"pairs\":4000000000", "8000000000 games: at most"),
    ] {
        assert!(header.contains(from), "{from} in {header}");
        files.write("match.jsonl", &text.replacen(from, to, 1));
        refuses(&["--resume", &state], 2, message);
    }
    let twice = format!("{text}{}\n", text.lines().last().unwrap());
    files.write("match.jsonl", &twice);
    refuses(&["--resume", &state], 2, "line 4: game 2 for the second time");
}

/// Games, table and page replace other files only with --force, and only when there is a game; a
/// match that continues writes its own files again.
#[test]
fn existing_files_are_kept() {
    let files = Files::new();
    let state = files.arg("state", "match.jsonl");
    let outputs = ["pdn", "csv", "html"].map(|option| (option, format!("games.{option}")));
    let begin = ["--pairs=2", "--openings=start", RANDOM[0], RANDOM[1]];
    for (option, name) in &outputs {
        files.write(name, "precious");
        let arg = files.arg(option, name);
        refuses(&[&begin[..], &[&arg, &state]].concat(), 2, "exists: --force replaces it");
        // An engine that does not start: no game.
        let broken = ["--force", "--engine=name=x cmd=/nonexistent", RANDOM[0], "--tc=depth=1"];
        refuses(&[&broken[..], &[&arg, &state]].concat(), 1, "does not start");
        assert_eq!(files.read(name), "precious");
        assert!(!files.has("match.jsonl"));
    }
    let args = outputs.each_ref().map(|(option, name)| files.arg(option, name));
    let args = args.each_ref().map(String::as_str);
    plays(&[&begin[..], &args, &["--force", &state]].concat());
    let pdn = files.read("games.pdn");
    assert_eq!(pdn.matches("[Event ").count(), 4);
    assert_eq!(files.read("games.csv").lines().count(), 5);

    // As if the match had been interrupted after its second game.
    let text = files.read("match.jsonl");
    let head: String = text.lines().take(3).map(|line| format!("{line}\n")).collect();
    files.write("match.jsonl", &head);
    files.write("other.pdn", "precious");
    let other = files.arg("pdn", "other.pdn");
    refuses(&["--resume", &state, &other], 2, "other.pdn exists: --force replaces it");
    plays(&[&["--resume", &state], &args[..]].concat());
    assert!(files.read("games.pdn").starts_with(&pdn[..pdn.len() / 2]));
    assert_eq!(files.read("games.pdn").matches("[Event ").count(), 4);
    assert_eq!(files.read("games.csv").lines().count(), 5);
    assert!(files.read("games.html").contains("</html>"));
    assert_eq!(files.read("other.pdn"), "precious");
}

/// The printed command continues from any folder, with the files and the concurrency of before,
/// whatever the files are called.
#[cfg(unix)]
#[test]
fn the_printed_command_goes_on() {
    let folder = TempDir::new().expect("a folder");
    let home = folder.path().join("O'Neill's match ($1)");
    let pids = folder.path().join("pids");
    fs::create_dir(&home).expect("a folder");
    fs::create_dir(&pids).expect("a folder");
    let switches = format!("pids='{}'", pids.display());
    let child = Command::new(binary())
        .current_dir(&home)
        .args(["match", &mock("a", &switches), &mock("b", &switches), "--tc=1000", "--pairs=60"])
        .args(["--max-moves=20", "--concurrency=2", "--openings=start"])
        .args(["--state=match.jsonl", "--pdn=games.pdn", "--csv=games.csv", "--html=page.html"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let state = home.join("match.jsonl");
    let lines = || fs::read_to_string(&state).unwrap_or_default().lines().count();
    until("some games", || lines() >= 4);
    meerslag_tests::interrupt(child.id());
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(130), "{text}");
    let (_, command) = text.trim_end().split_once("kept; to continue: ").expect(&text);
    assert_eq!(command, "meerslag match --resume --state match.jsonl");

    fs::read_dir(&pids).unwrap().for_each(|entry| fs::remove_file(entry.unwrap().path()).unwrap());
    let done = fs::read_to_string(&state).unwrap().lines().count() - 1;
    assert!(done < 120, "nothing is left to be played");
    // As a user types it, but from elsewhere and with this program.
    let path = state.display().to_string().replace('\'', "'\\''");
    let command = command.replace("match.jsonl", &format!("'{path}'"));
    let command = command.replacen("meerslag", &format!("'{}'", binary().display()), 1);
    let again = Command::new("sh").args(["-c", &command]).current_dir("/").output().unwrap();
    assert!(again.status.success(), "{again:?}");
    let read = |name: &str| fs::read_to_string(home.join(name)).unwrap();
    assert_eq!(read("games.pdn").matches("[Event ").count(), 120);
    assert_eq!(read("games.csv").lines().count(), 121);
    let page = read("page.html");
    assert!(page.contains("\"planned\":120") && page.matches("\"termination\":").count() == 120);
    assert_eq!(fs::read_dir(&pids).unwrap().count(), 4, "two games at a time");
}

/// A name that a shell would take to pieces.
#[cfg(unix)]
#[test]
fn the_printed_command_is_quoted() {
    let files = Files::new();
    let state = files.arg("state", "my match.jsonl");
    let child = Command::new(binary())
        .args(["match", &mock("a", ""), &mock("b", ""), "--tc=1000", "--pairs=60", &state])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    until("a match", || files.has("my match.jsonl"));
    meerslag_tests::interrupt(child.id());
    let text = String::from_utf8(child.wait_with_output().expect("it ends").stderr).expect("text");
    let path = files.0.path().join("my match.jsonl");
    assert!(text.contains(&format!("--state '{}'\n", path.display())), "{text}");
}

/// If a page cannot be written, the user still gets the rest.
#[cfg(target_os = "linux")]
#[test]
fn without_a_page_the_table_and_the_reason_are_shown() {
    let files = Files::new();
    let args = ["--pairs=1", "--html=/dev/full", RANDOM[0]];
    let output = start(&[&args[..], &[RANDOM[1]]].concat());
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("cannot write /dev/full"), "{output:?}");
    assert_eq!(output.json_lines().last().unwrap()["games"], 2);
    let starts = files.0.path().join("starts");
    let bad = mock("bad", &format!("starts='{}' fails=2-99 crash=1", starts.display()));
    let output = start(&["--pairs=9", args[1], args[2], &bad, "--tc=20"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("cannot write /dev/full"), "{output:?}");
    let last = output.stderr.find("engine 'bad' does not start").expect(&output.stderr);
    assert!(last > output.stderr.find("/dev/full").unwrap(), "{output:?}");
    assert_eq!(output.json_lines().last().unwrap()["type"], "standings");
}
