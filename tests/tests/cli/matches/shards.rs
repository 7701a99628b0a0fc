//! `match --shard` and `--merge`: a match that several machines play.

use std::fs;
use std::path::Path;

use meerslag_tests::run;
use serde_json::Value;
use tempfile::TempDir;

use super::mock::mock;
#[cfg(unix)]
use crate::docs::root;

/// The description of a match at fixed nodes, with openings that are played more than once.
const MATCH: [&str; 9] = [
    "match",
    "--engine=builtin name=a tc=nodes=40",
    "--engine=builtin name=b tc=nodes=70",
    "--engine=builtin name=c tc=nodes=20",
    "--openings=start",
    "--pairs=5",
    "--random-plies=2",
    "--seed=4",
    "--json",
];

/// The games of a state file in their order: without times, everything is the same on each machine.
fn games(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let mut games: Vec<Value> =
        text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    games.retain(|game| game.get("game").is_some());
    games.sort_by_key(|game| game["game"].as_u64());
    for game in &mut games {
        let game = game.as_object_mut().unwrap();
        for key in ["overhead_us", "latency_us", "ended_s", "date", "utc_date"] {
            game.remove(key);
        }
        for ply in game["plies"].as_array_mut().unwrap() {
            if let Some(ply) = ply.as_object_mut() {
                ply.remove("time");
            }
        }
    }
    games
}

#[test]
fn parts_put_together_are_the_whole_match() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let play = |state: &str, more: &[&str]| {
        let state = format!("--state={}", path(state));
        let args = [&MATCH[..], &[&state], more].concat();
        run(args, "").success().json_lines().pop().unwrap()
    };
    let whole = play("whole", &["--concurrency=2"]);
    assert_eq!(whole["games"], 30);
    // One part stops in the middle and continues: as a part.
    let one = play("one", &["--shard=1/2"]);
    assert_eq!(one["games"], 16);
    let text = fs::read_to_string(path("one")).unwrap();
    let half: Vec<&str> = text.lines().take(8).collect();
    fs::write(path("one"), half.join("\n") + "\n").unwrap();
    let resumed = run(["match", "--resume", "--json", "--state", &path("one")], "").success();
    assert_eq!(resumed.json_lines().pop().unwrap()["games"], 16);

    let (pdn, state) = (path("games.pdn"), path("merged"));
    let merge = |parts: &[&str], state: &str, more: &[&str]| {
        let args = [&["match", "--merge"], parts, &["--json", "--state", state], more].concat();
        run(args, "")
    };
    // A missing part is reported, and can be played.
    let early = path("early");
    let alone = merge(&[&path("one")], &early, &[]);
    assert_eq!(alone.code, 0, "{alone:?}");
    assert!(
        alone.stderr.contains("14 games are missing; to play them: meerslag match"),
        "{alone:?}"
    );
    let rest = run(["match", "--resume", "--json", "--state", &early], "").success();
    assert_eq!(rest.json_lines().pop().unwrap()["games"], 30);
    assert_eq!(games(early.as_ref()), games(path("whole").as_ref()));

    play("two", &["--shard=2/2", "--concurrency=2"]);
    let merged = merge(&[&path("two"), &path("one")], &state, &["--pdn", &pdn]).success();
    let mut table = merged.json_lines().pop().unwrap();
    let mut expected = whole;
    for table in [&mut table, &mut expected] {
        table["overhead_us"] = Value::Null;
    }
    assert_eq!(table, expected);
    assert_eq!(games(state.as_ref()), games(path("whole").as_ref()));
    assert_eq!(fs::read_to_string(&pdn).unwrap().matches("[Round ").count(), 30);

    // Parts that do not fit together.
    let twice = merge(&[&path("whole"), &path("one")], &path("new"), &[]);
    assert_eq!(twice.code, 2, "{twice:?}");
    assert!(twice.stderr.contains("both have game 1"), "{twice:?}");
    let file = path("other");
    let other = [&MATCH[..7], &["--seed=5", "--shard=2/2", "--state", &file]].concat();
    let _ = run(other, "").success();
    let strange = merge(&[&path("one"), &path("other")], &path("new"), &[]);
    assert_eq!(strange.code, 2, "{strange:?}");
    assert!(strange.stderr.contains("the descriptions differ in seed"), "{strange:?}");
    let again = merge(&[&path("one"), &path("two")], &state, &[]);
    assert_eq!(again.code, 2, "{again:?}");
    assert!(again.stderr.contains("exists"), "{again:?}");
    assert!(!Path::new(&path("new")).exists());
    for shard in ["0/2", "3/2", "1", "a/b"] {
        let state = path("never");
        let output = run([&MATCH[..], &["--state", &state, "--shard", shard]].concat(), "");
        assert_eq!(output.code, 2, "{shard}: {output:?}");
        assert!(output.stderr.contains("such as 2/8"), "{shard}: {output:?}");
    }
}

/// A test of a match in parts gives the answer of the whole, whichever part is ahead.
#[test]
fn a_sequential_test_in_parts_decides_as_the_whole() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let with = |better: &str, worse: &str, state: &str, more: &[&str]| {
        let engines = [
            format!("builtin name=a tc=nodes={better}"),
            format!("builtin name=b tc=nodes={worse}"),
        ];
        let state = path(state);
        let args =
            ["match", "--engine", &engines[0], "--engine", &engines[1], "--pairs=60", "--seed=4"];
        let args = [&args[..], &["--sprt=0,150", "--json", "--state", &state], more].concat();
        run(args, "").success().json_lines().pop().unwrap()
    };
    let go_on = |state: &str, until: &str| {
        let _ = run(["match", "--resume", "--state", &path(state), "--until", until], "").success();
    };
    let merge = |state: &str| {
        let args =
            ["match", "--json", "--merge", &path("one"), &path("two"), "--state", &path(state)];
        let output = run(args, "");
        (output.code, output.json_lines().pop().unwrap())
    };
    for (better, worse, status, decision) in [("300", "20", 0, "H1"), ("20", "300", 3, "H0")] {
        let whole = with(better, worse, &format!("whole{status}"), &[]);
        assert_eq!(whole["sprt"], decision, "{whole}");
        for name in ["one", "two"] {
            let _ = fs::remove_file(path(name));
        }
        let first = with(better, worse, "one", &["--shard=1/2", "--until=1"]);
        assert_eq!((&first["games"], &first["sprt"]), (&2.into(), &"continue".into()), "{first}");
        with(better, worse, "two", &["--shard=2/2", "--until=1"]);
        let (code, table) = merge(&format!("early{status}"));
        assert_eq!((code, &table["sprt"]), (4, &"continue".into()), "{table}");
        // The second part is far ahead, which decides nothing.
        go_on("two", "30");
        let (code, table) = merge(&format!("ahead{status}"));
        assert_eq!((code, &table["sprt"]), (4, &"continue".into()), "{table}");
        go_on("one", "30");
        let (code, table) = merge(&format!("late{status}"));
        assert_eq!((code, &table["sprt"]), (status, &whole["sprt"]), "{table}");
        assert_eq!(table["llr"], whole["llr"]);
        assert_eq!(table["games"], 120);
    }
}

/// Machines of different speed: each gives its engines as much more time as it is slower.
#[test]
fn parts_on_machines_of_different_speed_scale_their_times() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let good = mock("good", "first");
    let play = |name: &str, more: &[&str]| {
        let (state, log) = (path(name), path(&format!("logs-{name}")));
        let args = ["match", &good, "--engine=random", "--tc=10+0.1", "--max-moves=2", "--pairs=2"];
        let output = run([&args[..], &["--state", &state, "--log", &log], more].concat(), "");
        (output.code, output.stderr)
    };
    let level = |name: &str, game: u32| {
        let text = fs::read_to_string(path(&format!("logs-{name}/game-0000{game}.log"))).unwrap();
        let line = text.lines().find_map(|line| line.split_once(" > level ")).unwrap().1;
        line.to_owned()
    };
    let scale = "--scale=1000000";
    assert_eq!(play("fast", &[scale, "--speed=2000000", "--shard=1/2"]).0, 0);
    assert_eq!(level("fast", 1), "time=5.000 inc=0.050");
    let (code, said) = play("slow", &[scale, "--speed=500000", "--shard=2/2"]);
    assert!(code == 0 && said.contains("times are multiplied by 2.00"), "{said}");
    assert_eq!(level("slow", 3), "time=20.000 inc=0.200");
    let merge = |inputs: &[&str], state: &str| {
        let inputs: Vec<String> = inputs.iter().map(|name| path(name)).collect();
        let words = ["match", "--merge"].map(str::to_owned).into_iter().chain(inputs);
        run(words.chain(["--state".to_owned(), path(state)]), "")
    };
    let _ = merge(&["fast", "slow"], "whole").success();
    // Another scale, or a part that does not say its speed.
    assert_eq!(play("other", &["--scale=1100000", "--speed=500000", "--shard=2/2"]).0, 0);
    let refused = merge(&["fast", "other"], "never");
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("the descriptions differ in scale"), "{refused:?}");
    let text = fs::read_to_string(path("slow")).unwrap();
    assert!(text.contains(",\"speed\":500000"), "{text}");
    fs::write(path("slow"), text.replace(",\"speed\":500000", "")).unwrap();
    let refused = merge(&["fast", "slow"], "never");
    assert!(refused.stderr.contains("does not say how fast its machine is"), "{refused:?}");
    // It is measured if it is not said; without a scale it has no meaning.
    let (code, said) = play("measured", &[scale]);
    assert!(code == 0 && said.contains(" nodes per second here"), "{said}");
    assert!(fs::read_to_string(path("measured")).unwrap().contains(",\"speed\":"));
    assert_eq!(play("without", &["--speed=500000"]).0, 2);
}

/// The recipe of the document. Snakemake comes from outside: `.ci/run` installs it, and the test command
/// passes it by.
#[cfg(unix)]
#[test]
#[ignore = "needs Snakemake (pip install snakemake==9.27.1)"]
fn snakemake_plays_until_the_test_is_decided() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let page = fs::read_to_string(root().join("docs/matches.md")).unwrap();
    let recipe = page.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    // With shorter steps, so that there are several.
    let short = recipe.replace("PARTS, STEP = 2, 20 ", "PARTS, STEP = 2, 5 ");
    assert_ne!(short, recipe);
    fs::write(path("Snakefile"), short).unwrap();
    let workflow = || {
        let (success, log) = meerslag_tests::snakemake(folder.path(), meerslag_tests::binary());
        assert!(success, "{log}");
        log
    };
    workflow();
    let verdict = |step: usize| fs::read_to_string(path(&format!("step{step}/verdict"))).ok();
    let verdicts: Vec<String> = (1..).map_while(verdict).collect();
    let (last, before) = verdicts.split_last().unwrap();
    assert!(!before.is_empty() && before.iter().all(|verdict| verdict == "4\n"), "{verdicts:?}");
    // The whole match on one machine, up to its decision.
    let line = recipe.lines().find_map(|line| line.strip_prefix("MATCH = \"")).unwrap();
    let words = shlex::split(line.strip_suffix('"').unwrap()).unwrap();
    let args = ["match", "--json"].map(str::to_owned).into_iter().chain(words);
    let whole = run(args, "").success().json_lines().pop().unwrap();
    let expected = if whole["sprt"] == "H1" { "0\n" } else { "3\n" };
    assert_eq!(last, expected, "{whole}");
    let pairs = whole["games"].as_u64().unwrap().div_ceil(2) as usize;
    assert_eq!(verdicts.len(), pairs.div_ceil(10), "{whole}");
    assert!(workflow().contains("Nothing to be done"));
}
