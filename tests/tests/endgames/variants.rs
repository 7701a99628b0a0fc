//! `meerslag egdb` in the other games of the board.

use meerslag_tests::run;
use serde_json::Value;

use crate::folder::scratch;

fn egdb(args: &[&str]) -> meerslag_tests::Output {
    run([&["egdb"], args].concat(), "")
}

fn ok(args: &[&str]) -> String {
    egdb(args).success().stdout
}

/// What is said of each slice, without the sizes of files.
fn slices(text: &str) -> Vec<Value> {
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect(line));
    lines
        .inspect(meerslag_tests::check_line)
        .map(|mut line| {
            for size in ["bytes", "bits_per_position"] {
                line[size] = Value::Null;
            }
            line
        })
        .collect()
}

#[test]
fn killer_is_built_counted_and_asked() {
    let folder = scratch("killer");
    let dir = folder.to_str().unwrap();
    let killer = ["--variant=killer", "--egdb", dir];
    let types = "--types=compact,mtc,dtw";
    ok(&["build", "--variant=killer", "--pieces=3", "--out", dir, types]);
    let found = slices(&ok(&[&["stats", "--json"], &killer[..]].concat()));
    let known = slices(include_str!("../../../positions/egdb/statistics-killer.jsonl"));
    assert_eq!((found.len(), known.len()), (16, 41));
    assert_eq!(found, known[..16]);
    let checked = ok(&[&["check", "--pieces=3", "--sample=2000"], &killer[..]].concat());
    assert!(checked.contains("sample of 2000 positions of 9 slices"), "{checked}");
    let asked = ok(&[&["probe", "W:WK5,K14:BK33"], &killer[..]].concat());
    assert!(asked.contains("win   dtw 15   mtc 15"), "{asked}");
    // The search plays by them, in its own game alone.
    let analysed = |args: &[&str]| {
        let fixed = ["analyse", "--nodes=1", "--egdb", dir];
        run([&fixed[..], args].concat(), "")
    };
    let found = analysed(&["--variant=killer", "W:WK5,K14:BK33"]).success().stdout;
    assert!(found.contains("win 15"), "{found}");
    let refused = analysed(&["W:WK5,K14:BK33"]);
    assert!(refused.code == 2 && refused.stderr.contains("but one of killer"), "{refused:?}");
    let refused = analysed(&["--variant=losing", "W:WK5,K14:BK33"]);
    assert!(refused.code == 2 && refused.stderr.contains("but one of killer"), "{refused:?}");
    // They are not of the international game.
    for args in [&["stats"][..], &["probe", "W:WK5,K14:BK33"]] {
        let refused = egdb(&[args, &["--egdb", dir]].concat());
        assert!(refused.code == 2 && refused.stderr.contains("but one of killer"), "{refused:?}");
    }
    let again = egdb(&["build", "--variant=killer", "--pieces=2", "--out", dir]);
    assert!(again.code == 2 && again.stderr.contains("already"), "{again:?}");
    for (variant, types) in [("frisian", "--types=wld"), ("killer", "--types=rules")] {
        let refused = egdb(&["build", "--variant", variant, "--pieces=2", "--out", dir, types]);
        assert!(refused.code == 2 && refused.stderr.contains("only killer's"), "{refused:?}");
    }
}

#[test]
fn frisian_is_solved_and_asked() {
    let found = ok(&["stats", "--variant=frisian", "--json"]);
    let known = include_str!("../../../positions/egdb/statistics-frisian.jsonl");
    assert_eq!(slices(&found), slices(known));
    let asked = ok(&["probe", "--variant=frisian", "W:W28,K46:BK43"]);
    assert!(
        asked.contains("\ndraw\n") && asked.contains("46-32         loss         2"),
        "{asked}"
    );
    let most = egdb(&["stats", "--variant=frisian", "--pieces=4"]);
    assert!(most.code == 2 && most.stderr.contains("up to 3 pieces"), "{most:?}");
    let missing = egdb(&["stats"]);
    assert!(missing.code == 2 && missing.stderr.contains("--egdb"), "{missing:?}");
}
