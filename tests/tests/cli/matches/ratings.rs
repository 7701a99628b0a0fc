//! `meerslag ratings`: lists of matches, tournaments and PDN files.

use std::fs;
use std::path::Path;

use meerslag_tests::run;
use serde_json::Value;
use tempfile::TempDir;

/// Name, rating and half the width of its interval, as `--json` has them; then the summary.
fn rated(files: &[&str], options: &[&str]) -> (Vec<(String, f64, f64)>, Value) {
    let output = run([&["ratings", "--json"], files, options].concat(), "");
    assert_eq!(output.code, 0, "{output:?}");
    let mut lines = output.json_lines();
    let summary = lines.pop().unwrap();
    assert_eq!(summary["type"], "ratings_summary");
    let number = |line: &Value, key: &str| line[key].as_f64().unwrap();
    let player = |line: &Value| {
        let (low, high) = (number(line, "elo_low"), number(line, "elo_high"));
        (line["name"].as_str().unwrap().to_owned(), number(line, "elo"), (high - low) / 2.0)
    };
    (lines.iter().map(player).collect(), summary)
}

/// The state file of a match and its PDN make the same list; the rating of two players is the Elo of the
/// table.
#[test]
fn a_match_is_rated_as_its_table_says() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (state, pdn) = (path("match.jsonl"), path("match.pdn"));
    let engines = ["--engine", "builtin name=strong tc=nodes=120", "--engine"];
    let rest = ["builtin name=weak tc=nodes=80", "--pairs", "40", "--json"];
    let files = ["--state", &state, "--pdn", &pdn];
    let output = run([&["match"], &engines[..], &rest, &files].concat(), "").success();
    let standings = output.json_lines().pop().unwrap();
    let own = &standings["engines"][0];
    assert_eq!(own["name"], "strong");
    let (players, summary) = rated(&[&state], &["--anchor", "weak=0", "--advantage", "0"]);
    assert_eq!(summary["games"], 80);
    let (name, elo, error) = &players[0];
    assert_eq!(name, "strong");
    assert!((elo - own["elo"].as_f64().unwrap()).abs() < 0.02, "{players:?} {own}");
    let width = own["elo_high"].as_f64().unwrap() - own["elo_low"].as_f64().unwrap();
    assert!((2.0 * error / width - 1.0).abs() < 0.2, "{players:?} {own}");
    assert_eq!(rated(&[&pdn], &["--anchor", "weak=0", "--advantage", "0"]), (players, summary));
    // Named twice, a file counts once.
    let twice = rated(&[&state, &state], &[]).1;
    assert_eq!(twice["games"], 80);
}

#[test]
fn lists_for_people_say_what_they_rest_on() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let games = root.join("positions/ratings/two-matches.pdn");
    let games = games.to_str().unwrap();
    let folder = TempDir::new().unwrap();
    let other = folder.path().join("other.pdn");
    fs::write(
        &other,
        "[White \"seven\"]\n[Black \"beginner\"]\n[Result \"2-0\"]\n2-0\n\n\
         [White \"x\"]\n[Black \"y\"]\n[Result \"1-1\"]\n1-1\n\n\
         [White \"x\"]\n[Black \"y\"]\n[Result \"*\"]\n*\n\n\
         [White \"x\"]\n[Result \"2-0\"]\n2-0\n",
    )
    .unwrap();
    let other = other.to_str().unwrap();
    let list = run(["ratings", games, other, "--anchor", "five=2500", "--matrix"], "");
    assert_eq!(list.code, 0, "{list:?}");
    let line = |name: &str| {
        let mut lines = list.stdout.lines();
        lines.find(|line| line.split_whitespace().nth(1) == Some(name)).unwrap().to_owned()
    };
    assert!(line("five").contains("2500.0    0.0     72"), "{list:?}");
    assert!(line("seven").starts_with("1 "), "{list:?}");
    assert!(line("beginner").contains("all lost"), "{list:?}");
    for text in
        ["group 2", "158 games of 10 players", "2 games without a result", "five has 2500.0"]
    {
        assert!(list.stdout.contains(text), "{text}: {list:?}");
    }
    assert!(list.stderr.contains("2 groups without games between them"), "{list:?}");
    assert!(list.stderr.contains("1 player without a rating"), "{list:?}");
    let (few, summary) = rated(&[games, other], &["--min-games", "40"]);
    let names: Vec<_> = few.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["five", "four", "three", "two", "one"]);
    assert_eq!(summary["games"], 120);
}
