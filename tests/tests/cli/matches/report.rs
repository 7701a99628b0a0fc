//! The files of `meerslag match` for spreadsheets and browsers.

use std::fs;

use meerslag_tests::{Output, run};
use serde_json::Value;
use tempfile::TempDir;

struct Files {
    folder: TempDir,
}

impl Files {
    fn new() -> Files {
        Files { folder: TempDir::new().expect("a folder") }
    }

    fn arg(&self, option: &str, name: &str) -> String {
        format!("--{option}={}", self.folder.path().join(name).display())
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).expect(name)
    }
}

fn play(args: &[&str]) -> Output {
    let output = run(["match"].iter().chain(args), "");
    assert_eq!(output.code, 0, "{args:?}: {output:?}");
    output
}

/// The data that the script of a page shows.
fn data(page: &str) -> Value {
    let text = between(page, "<script type=\"application/json\" id=\"data\">", "</script>");
    serde_json::from_str(text).expect("JSON")
}

/// The text between two marks, which must be there.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end} after {start}")).0
}

/// A resumed match reports the games of before, too.
#[test]
fn resumed_matches_report_everything() {
    let files = Files::new();
    let state = files.arg("state", "match.jsonl");
    play(&["--engine=random name=a", "--engine=random name=b", "--pairs=4", &state]);
    // As if the last five games had not been played.
    let text = files.read("match.jsonl");
    let kept: Vec<&str> = text.lines().take(4).collect();
    fs::write(files.folder.path().join("match.jsonl"), kept.join("\n") + "\n").unwrap();
    let (html, csv) = (files.arg("html", "report.html"), files.arg("csv", "games.csv"));
    play(&["--resume", &state, &html, &csv]);
    let page = files.read("report.html");
    let report = data(&page);
    let games = report["games"].as_array().unwrap();
    assert_eq!((games.len(), report["rows"].as_array().unwrap().len()), (8, 8));
    assert!(games.iter().all(|g| !g["m"].as_array().unwrap().is_empty()), "{report}");
    assert_eq!(files.read("games.csv").lines().count(), 9);
    // And the engines, the times and the commands.
    let text = files.read("match.jsonl");
    let versions = text.replace("\"engines\":[null,null]", "\"engines\":[\"b 2\",\"a 1\"]");
    fs::write(files.folder.path().join("match.jsonl"), versions).unwrap();
    play(&["--resume", &state, &html, "--force"]);
    let page = files.read("report.html");
    let report = data(&page);
    assert_eq!(report["engines"][0]["identities"][0], "a 1", "{report}");
    let earlier = report["earlier"].as_array().unwrap();
    assert_eq!(earlier.len(), 2, "{report}");
    let played: Vec<_> = earlier.iter().map(|part| part["games"].as_u64().unwrap()).collect();
    assert_eq!(played, [3, 5]);
    assert!(earlier.iter().all(|part| part["played"].is_number()), "{report}");
    let command = earlier[0]["command"].as_str().unwrap();
    assert!(command.contains("--pairs=4") && !command.contains("--resume"), "{command}");
    for command in [&earlier[1]["command"], &report["command"]] {
        assert!(command.as_str().unwrap().contains("--resume"), "{report}");
    }
}

/// The page begins in the language that was asked for, also when the match continues.
#[test]
fn the_page_speaks_a_language() {
    let files = Files::new();
    let (state, html) = (files.arg("state", "match.jsonl"), files.arg("html", "report.html"));
    let engines = ["--engine=random name=a", "--engine=random name=b", "--pairs=1"];
    play(&[&engines[..], &[&state, &html, "--language=pl"]].concat());
    assert!(files.read("report.html").contains("<html lang=\"pl\">"));
    play(&["--resume", &state, &html, "--force"]);
    assert!(files.read("report.html").contains("<html lang=\"pl\">"));
    play(&["--resume", &state, &html, "--force", "--language=fr"]);
    assert!(files.read("report.html").contains("<html lang=\"fr\">"));
    for (args, said) in [
        (["--language=xx", &html], "[possible values: en, nl, fr, ru, de, pl, es, pt]"),
        (["--language=nl", "--pairs=2"], "language: html is missing"),
    ] {
        let output = run(["match"].iter().chain(&engines[..2]).chain(&args), "");
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains(said), "{output:?}");
    }
}

#[test]
fn paths_that_cannot_be_written_are_told_before_the_match() {
    for option in ["html", "csv", "pdn"] {
        let arg = format!("--{option}=/nonexistent/file");
        let output = run(["match", "--engine=random", "--engine=random name=b", &arg], "");
        assert_eq!(output.code, 1, "{output:?}");
        assert!(output.stderr.contains("cannot write /nonexistent/file"), "{output:?}");
        assert_eq!(output.stdout, "");
    }
}

/// The report of before stays until there is a better one, and links stay links.
#[test]
#[cfg(unix)]
fn pages_replace_files_and_nothing_else() {
    let files = Files::new();
    let path = |name: &str| files.folder.path().join(name);
    let engines = ["--engine=random", "--engine=random name=b", "--pairs=1"];
    fs::write(path("real.html"), "old").unwrap();
    std::os::unix::fs::symlink(path("real.html"), path("link.html")).unwrap();
    play(&[&engines[..], &["--force", &files.arg("html", "link.html")]].concat());
    assert!(fs::symlink_metadata(path("link.html")).unwrap().is_symlink());
    assert!(files.read("real.html").contains("</html>"));

    // Anything but a file is written to, not replaced.
    std::os::unix::fs::symlink("/dev/stdout", path("out.html")).unwrap();
    let output = play(&[&engines[..], &["--json", &files.arg("html", "out.html")]].concat());
    assert!(fs::symlink_metadata(path("out.html")).unwrap().is_symlink());
    assert_eq!(output.stdout.matches("</html>").count(), 1, "{}", output.stdout);
}

/// A runner that is killed early leaves a page, or the one from before.
#[test]
fn there_is_a_page_from_the_start() {
    let files = Files::new();
    let (state, html) = (files.arg("state", "match.jsonl"), files.arg("html", "report.html"));
    play(&["--engine=random name=a", "--engine=random name=b", "--pairs=4", &state, &html]);
    let text = files.read("match.jsonl");
    let kept: Vec<&str> = text.lines().take(7).collect();
    let stalls = kept[0].replacen("\"pairs\":4", "\"pairs\":2000000", 1);
    let kept = text.replacen(kept[0], &stalls, 1);
    fs::write(files.folder.path().join("match.jsonl"), kept).unwrap();
    let mut runner = std::process::Command::new(meerslag_tests::binary())
        .args(["match", "--resume", &state, &html])
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let lines = text.lines().count();
    let is_later = || files.read("match.jsonl").lines().count() >= lines + 2;
    meerslag_tests::until("two more games", is_later);
    runner.kill().unwrap();
    runner.wait().unwrap();
    assert!(data(&files.read("report.html"))["rows"].as_array().unwrap().len() >= 8);
}
