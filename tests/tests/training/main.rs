//! Learning the evaluation with the real binary: games, data, weights.

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use meerslag_tests::{Output, binary, run, until};
use tempfile::TempDir;

fn selfplay(folder: &Path, options: &[&str]) -> Output {
    let out = format!("--out={}", folder.display());
    let given = |name: &str| options.iter().any(|option| option.starts_with(name));
    let defaults = ["--nodes=40", "--games=96"];
    let defaults = defaults.into_iter().filter(|option| !given(&option[..8]));
    run(["selfplay", &out].into_iter().chain(defaults).chain(options.iter().copied()), "")
}

#[test]
fn a_killed_run_goes_on_where_it_ended() {
    let (whole, killed) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let text = selfplay(whole.path(), &[]).stdout;
    assert!(text.starts_with("96 of 96 games, 96 of them new, "), "{text}");
    let file = killed.path().join("seed1.games");
    let length = || fs::metadata(&file).map_or(0, |data| data.len());
    for kill in 1..=2 {
        let before = length();
        let mut child = Command::new(binary())
            .args(["selfplay", "--nodes=40", "--games=1000000", "--threads=2"])
            .arg(format!("--out={}", killed.path().display()))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        until("some games", || {
            assert!(child.try_wait().unwrap().is_none(), "{kill}");
            length() >= before + 300
        });
        // SIGKILL, or the like.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // A block that was half written when the machine went down.
    let mut bytes = fs::read(&file).unwrap();
    let half = bytes[bytes.len() - 100..].to_vec();
    bytes.extend_from_slice(b"BLCK");
    bytes.extend(half);
    fs::write(&file, &bytes).unwrap();
    assert_eq!(selfplay(killed.path(), &["--threads=2"]).success().stderr, "");
    // At least as many games as the other run, and the same ones.
    let whole = fs::read(whole.path().join("seed1.games")).unwrap();
    assert!(fs::read(&file).unwrap().starts_with(&whole) && whole.len() > 10_000);
}

#[test]
fn runs_that_cannot_be_are_refused() {
    let folder = TempDir::new().unwrap();
    let refuses = |options: &[&str], code, message: &str| {
        let output = selfplay(folder.path(), options);
        assert_eq!((output.code, output.stdout.as_str()), (code, ""), "{output:?}");
        assert!(output.stderr.contains(message), "{output:?}");
    };
    assert_eq!(selfplay(folder.path(), &["--games=32"]).success().stderr, "");
    refuses(&["--nodes=41"], 1, "nodes 40 in the file, not 41");
    refuses(&["--openings=endgame=1"], 1, "openings start=50,ballot=33,middle=9,endgame=8");
    refuses(&["--egdb-pieces=3"], 1, "databases up to 4 in the file, not 3");
    refuses(&["--shard=3/2"], 2, "expected a part and the number of parts");
    refuses(&["--openings=book=1"], 2, "expected KIND=WEIGHT");
    refuses(&["--egdb=/nonexistent"], 2, "/nonexistent");
    let file = folder.path().join("seed1.games");
    let mut bytes = fs::read(&file).unwrap();
    bytes[9] ^= 1;
    fs::write(&file, &bytes).unwrap();
    refuses(&[], 1, "expected 1");
    fs::write(&file, "games").unwrap();
    refuses(&[], 1, "not a file of games");
    assert_eq!(fs::read(&file).unwrap(), b"games");
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn damaged_blocks_cost_their_own_games_only() {
    let folder = TempDir::new().unwrap();
    assert_eq!(selfplay(folder.path(), &[]).success().stderr, "");
    let file = folder.path().join("seed1.games");
    let data = |command: &str| run(["data", command, text(folder.path())], "");
    assert_eq!(data("check").success().stdout, "96 games, 0 damaged bytes\n");
    let stats = data("stats").success().stdout;
    assert!(stats.starts_with("96 games, "), "{stats}");
    for head in ["opening", "White's result", "end", "steps to promotion", "score in men"] {
        assert!(stats.contains(&format!("\n{head}\n")), "{stats}");
    }
    let pdn = data("export").success().stdout;
    assert_eq!(pdn.matches("[Event \"Self-play\"]").count(), 96);
    let games = run(["data", "export", "--format=text", text(&file)], "").success().stdout;
    assert_eq!(games.lines().count(), 96);
    let sample = run(["data", "sample", "--count=7", text(&file)], "").success().stdout;
    assert_eq!(sample.lines().count(), 7);
    for line in sample.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        assert!(matches!(fields[..], [fen, "0" | "0.5" | "1", _] if fen.contains(':')), "{line}");
    }

    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x20;
    fs::write(&file, &bytes).unwrap();
    let output = data("check");
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.starts_with("64 games, ") && output.stderr.contains("damaged bytes"));
    let left = run(["data", "export", "--format=text", text(&file)], "").stdout;
    assert!(left.lines().all(|line| games.contains(line)) && left.lines().count() == 64);
    // Nothing is written after damage that a kill cannot have done.
    let output = selfplay(folder.path(), &["--games=128"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("damaged at byte"), "{output:?}");
    assert_eq!(fs::read(&file).unwrap(), bytes);
}

#[test]
fn weights_are_trained_shown_and_used() {
    let folder = TempDir::new().unwrap();
    let (games, weights) = (folder.path().join("games"), folder.path().join("x.weights"));
    let played = selfplay(&games, &["--eval=material", "--json"]).success().json_lines();
    assert_eq!((&played[0]["games"], &played[0]["of"]), (&96.into(), &96.into()));
    let train = |more: &[&str]| {
        run(["train", text(&games), "--out", text(&weights), "--epochs=2"].iter().chain(more), "")
    };
    let plot = folder.path().join("losses.svg");
    let lines = train(&["--json", "--plot", text(&plot)]).success().json_lines();
    assert_eq!(lines.len(), 2);
    assert!(lines[0]["held_out"].as_f64().unwrap() > 0.1);
    assert!(fs::read_to_string(&plot).unwrap().starts_with("<svg"));

    let info = run(["weights", "info", "--json", text(&weights)], "").success().json_lines();
    assert_eq!(info[0]["kind"], "p8");
    assert_eq!(info[0]["provenance"]["games"], 96);
    let command = info[0]["provenance"]["command"].as_str().unwrap();
    assert!(command.starts_with("train "), "{command}");
    let all = run(["weights", "export", text(&weights)], "").success().stdout;
    assert!(all.starts_with("men\t") && all.contains("\nt0."), "{all}");
    let compared = run(["weights", "compare", text(&weights), "material"], "").success().stdout;
    assert!(compared.contains("correlation"), "{compared}");

    // Another evaluation searches another tree.
    let nodes = |eval: &str| {
        let bench = run(["bench", "--depth=4", "--json", &format!("--eval={eval}")], "");
        bench.success().json_lines()[0]["nodes"].as_u64().unwrap()
    };
    assert_ne!(nodes(text(&weights)), nodes("material"));
    assert_ne!(nodes(text(&weights)), nodes(""));

    // A training is continued only with its own games and settings.
    let output = train(&["--rate=0.2", "--force"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("other data or settings"), "{output:?}");
    let output = train(&[]);
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("--force replaces it"), "{output:?}");
    assert_eq!(train(&["--force"]).success().stderr, "");
    assert_eq!(run(["weights", "export", text(&weights)], "").success().stdout, all);

    // A network with its windows as sums, learnt together with the weights below it.
    let joint = folder.path().join("joint.weights");
    let network = ["--network=32", "--inputs=windows", "--joint", "--factors", "--average=0.9"];
    let more = ["--base", text(&weights), "--epochs=1", "--last-lambda=0.5"];
    let args = ["train", text(&games), "--out", text(&joint)];
    let _ = run(args.iter().chain(&network).chain(&more), "").success();
    let info = run(["weights", "info", "--json", text(&joint)], "").success().json_lines();
    assert_eq!(info[0]["kind"], "p8+m32");
    assert_ne!(run(["weights", "export", text(&joint)], "").success().stdout, all);
    assert_ne!(nodes(text(&joint)), nodes(text(&weights)));
}

#[test]
fn unusable_weights_are_refused_everywhere() {
    let folder = TempDir::new().unwrap();
    let bad = folder.path().join("bad.weights");
    let eval = format!("--eval={}", bad.display());
    let start = "W:W31-50:B1-20";
    for (content, reason) in [
        (None, "bad.weights"),
        (Some(b"MEERGAME".as_slice()), "not a file of weights"),
        (Some(b"MEERWGTS\x01\0\0\0\0\0\0\0xxxx\0\0\0\0"), "the checksum does not match"),
        (Some(b"MEERWGTS\x09\0\0\0\0\0\0\0xxxx\0\0\0\0"), "format 9, expected 1"),
    ] {
        if let Some(content) = content {
            fs::write(&bad, content).unwrap();
        }
        let out = format!("--out={}", folder.path().display());
        for command in [
            vec!["analyse", start, "--depth=1", &eval],
            vec!["bench", "--depth=1", &eval],
            vec!["selfplay", "--games=1", &out, &eval],
            vec!["weights", "info", text(&bad)],
        ] {
            let output = run(&command, "");
            assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{command:?} {output:?}");
            assert!(output.stderr.contains(reason), "{command:?} {output:?}");
        }
    }
}

/// The small form: a few thousand games from nothing.
#[test]
fn an_evaluation_learned_from_nothing_beats_material() {
    let folder = TempDir::new().unwrap();
    let learn = |more: &[&str]| {
        let options = ["--threads=2", "--games=2048", "--nodes=60", "--pairs=100"];
        let args = ["learn", text(folder.path()), "--generations=2", "--match-nodes=200"];
        run(args.iter().chain(&options).chain(more), "").success()
    };
    let output = learn(&[]);
    assert!(output.stdout.contains(" against material, "), "{output:?}");
    assert!(output.stdout.contains(": accepted\n"), "{output:?}");
    let best = folder.path().join("accepted.weights");
    assert!(output.stdout.ends_with(&format!("is the best: {}\n", best.display())), "{output:?}");
    // Done once, it is not done again.
    let lines = learn(&["--json"]).json_lines();
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    let generation = ["played", "fitted", "matched"];
    assert_eq!(events, [&generation[..], &generation[..], &["best"]].concat());
    assert_eq!((&lines[0]["new"], &lines[3]["new"]), (&0.into(), &0.into()));
    let fitted = if lines[5]["is_accepted"] == true { &lines[4] } else { &lines[1] };
    let info = run(["weights", "info", "--json", text(&best)], "").success().json_lines();
    assert_eq!(info[0]["provenance"]["games"], fitted["games"]);
    assert_eq!((&lines[1]["games"], &lines[4]["games"]), (&2048.into(), &4096.into()));
}

/// Another game of the board: its games, weights, and a match with them.
#[test]
fn a_variant_learns_its_own_evaluation() {
    let folder = TempDir::new().unwrap();
    let learn = |variant: &str| {
        let path = folder.path().join(variant);
        let options = ["--games=512", "--nodes=30", "--pairs=4", "--match-nodes=50", "--threads=2"];
        let args = ["learn", text(&path), "--variant", variant, "--generations=1", "--json"];
        let output = run(args.iter().chain(&options), "");
        // Whether so few games are enough does not matter here.
        assert!(output.stdout.contains("\"event\":\"matched\""), "{output:?}");
        path
    };
    let (frisian, losing) = (learn("frisian"), learn("losing"));
    let weights = frisian.join("gen0.weights");
    let info = run(["weights", "info", "--json", text(&weights)], "").success().json_lines();
    assert_eq!((&info[0]["variant"], &info[0]["kind"]), (&"frisian".into(), &"p8".into()));
    let own = run(["weights", "info", "--variant=frysk", "--json"], "").success().json_lines();
    assert_eq!(own[0]["variant"], "frisian");

    let games = frisian.join("gen0");
    let stats = run(["data", "stats", "--json", text(&games)], "").success().json_lines();
    assert_eq!(stats[0]["variant"], "frisian");
    let pdn = run(["data", "export", text(&games)], "").success().stdout;
    assert_eq!(pdn.matches("[GameType \"40").count(), 512);
    let out = folder.path().join("mixed.weights");
    let mixed = run(["train", text(&games), text(&losing.join("gen0")), "-o", text(&out)], "");
    assert!(
        mixed.code == 2 && mixed.stderr.contains("games of losing, not of frisian"),
        "{mixed:?}"
    );

    // A game more from each side, against material; Frysk! has the same weights.
    let engine = |name: &str, file: &str| format!("builtin name={name} param.eval-file={file}");
    let (new, old) = (engine("new", text(&weights)), engine("old", "material"));
    let play = |variant: &str, more: &[&str]| {
        let variant = format!("--variant={variant}");
        let args = ["match", "--tc=nodes=50", &variant, "--engine", &new, "--engine", &old];
        run(args.iter().chain(more), "")
    };
    for variant in ["frisian", "frysk"] {
        let lines = play(variant, &["--pairs=1", "--json"]).success().json_lines();
        let games = lines.iter().filter(|line| line["type"] == "game").count();
        assert_eq!(games, 2, "{lines:?}");
    }
    for (variant, reason) in [
        ("killer", "weights of frisian, not of killer"),
        ("international", "weights of frisian, not of international"),
    ] {
        let output = play(variant, &["--pairs=1"]);
        assert!(output.code == 2 && output.stderr.contains(reason), "{output:?}");
    }
    // Over Hub and on the command line it is the same.
    let eval = format!("--eval={}", weights.display());
    let output = run(["analyse", "--variant=losing", "--depth=1", &eval], "");
    assert!(output.code == 2 && output.stderr.contains("not of losing"), "{output:?}");
    let _ = run(["analyse", "--variant=frysk", "--depth=3", &eval], "").success();
    for (first, second) in [("variant", "eval-file"), ("eval-file", "variant")] {
        let value = |name: &str, game: &str| match name {
            "variant" => game.to_owned(),
            _ => format!("\"{}\"", weights.display()),
        };
        let set =
            |name: &str, game: &str| format!("set-param name={name} value={}\n", value(name, game));
        let errors = |game: &str| {
            let lines = set(first, game) + &set(second, game);
            let said = run(["hub"], format!("hub\n{lines}quit\n")).stdout;
            said.matches("weights of frisian").count()
        };
        // The file must be of the game that is set.
        assert_eq!(errors("frisian"), usize::from(first == "eval-file"));
        assert_eq!(errors("bt"), 1);
    }
}

/// A run in parts: its workflow, and the merged file.
mod parts {
    use super::*;

    fn play_part(folder: &Path, part: &str, options: &[&str]) {
        let shard = format!("--shard={part}");
        let options: Vec<&str> = [shard.as_str()].iter().chain(options).copied().collect();
        assert_eq!(selfplay(folder, &options).success().stderr, "");
    }

    #[test]
    fn parts_play_the_games_of_the_whole_run() {
        let dir = TempDir::new().unwrap();
        let (whole, parts, merged) =
            (dir.path().join("whole"), dir.path().join("parts"), dir.path().join("merged"));
        assert_eq!(selfplay(&whole, &[]).success().stderr, "");
        let merge = || run(["data", "merge", "--out", text(&merged), text(&parts)], "");
        // The third part has come farther than the others.
        play_part(&parts, "1/3", &[]);
        play_part(&parts, "3/3", &["--games=192"]);
        play_part(&parts, "2/3", &[]);
        let output = merge();
        assert_eq!(output.code, 0, "{output:?}");
        let file = merged.join("seed1.games");
        assert_eq!(output.stdout, format!("96 games: {}\n", file.display()));
        assert_eq!(
            output.stderr,
            "meerslag: 32 games left out: a part before them ends too early\n"
        );
        assert!(fs::read(&file).unwrap() == fs::read(whole.join("seed1.games")).unwrap());
    }

    fn plan(folder: &Path) -> String {
        let out = format!("--out={}", folder.display());
        let plan = ["selfplay", "--plan=snakemake", "--parts=3", "--games=96", "--nodes=40", &out];
        let plan = run(plan, "").success();
        assert_eq!(plan.stderr, "");
        plan.stdout
    }

    #[test]
    fn a_workflow_has_the_settings_of_the_run() {
        let text = plan(Path::new("some \"folder\""));
        for line in [
            "DEFAULT_OUT = \"some \\\"folder\\\"\"",
            "PARTS = 3",
            "  \"--nodes=40\",",
            "  \"--openings=start=50,ballot=33,middle=9,endgame=8\",",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
        let output = run(["selfplay", "--out=x", "--games=1", "--parts=2"], "");
        assert_eq!(output.code, 2, "{output:?}");
        let relabel = ["--relabel=gen1", "--relabel=gen2", "--exact=0.2"];
        let args = ["selfplay", "--plan=snakemake", "--games=96", "--out=x"];
        let text = run(args.into_iter().chain(relabel), "").success().stdout;
        for option in relabel.into_iter().chain(["--disputed=0.25"]) {
            assert!(text.contains(&format!("\"{option}\"")), "{option}\n{text}");
        }
    }

    /// Snakemake comes from outside: `.ci/run` installs it, and the test command passes it by.
    #[test]
    #[ignore = "needs Snakemake (pip install snakemake==9.27.1)"]
    fn snakemake_plays_and_merges() {
        let dir = TempDir::new().unwrap();
        let (out, whole) = (dir.path().join("shared folder"), dir.path().join("whole"));
        fs::write(dir.path().join("Snakefile"), plan(&out)).unwrap();
        let workflow = || {
            let (success, log) = meerslag_tests::snakemake(dir.path(), binary());
            assert!(success, "{log}");
            log
        };
        workflow();
        assert_eq!(selfplay(&whole, &[]).success().stderr, "");
        let merged = fs::read(out.join("seed1.games")).unwrap();
        assert!(merged == fs::read(whole.join("seed1.games")).unwrap());
        assert!(workflow().contains("Nothing to be done"));
    }
}

#[test]
fn positions_get_new_scores_and_copies_are_named() {
    let (played, deep) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    assert_eq!(selfplay(played.path(), &["--games=512", "--nodes=20"]).success().stderr, "");
    let stats = |folders: &[&Path]| {
        let folders = folders.iter().map(|folder| text(folder));
        run(["data", "stats", "--json"].into_iter().chain(folders), "").success().json_lines()
    };
    let once = stats(&[played.path()]);
    let twice = stats(&[played.path(), played.path()]);
    assert_eq!(once[0]["games"], twice[0]["games"]);
    assert_eq!(twice[0]["copies"].as_u64().unwrap(), 512 + once[0]["copies"].as_u64().unwrap());
    assert_eq!(once[1..], twice[1..]);

    let from = format!("--relabel={}", played.path().display());
    let options = [&from, "--games=128", "--nodes=300", "--disputed=0", "--exact=0.25"];
    assert_eq!(selfplay(deep.path(), &options).success().stderr, "");
    let deep = stats(&[deep.path()]);
    // Positions of one ply each; of some kinds there are too few.
    let games = deep[0]["games"].as_u64().unwrap();
    assert!((64..=128).contains(&games) && deep[0]["plies"] == games, "{}", deep[0]);
    let output = selfplay(played.path(), &["--exact=0.5"]);
    assert_eq!(output.code, 2, "{output:?}");
}

#[test]
fn positions_are_filtered_on_reading() {
    let folder = TempDir::new().unwrap();
    assert_eq!(selfplay(folder.path(), &["--eval=material"]).success().stderr, "");
    let positions = |options: &[&str]| -> u64 {
        let stats = run(["data", "stats", text(folder.path())].iter().chain(options), "");
        let stats = stats.success().stdout;
        let (_, rest) = stats.split_once(" plies, ").unwrap();
        rest.split_once(' ').unwrap().0.parse().unwrap()
    };
    let all = positions(&[]);
    assert_eq!(positions(&["--per-game=30", "--max-score=400"]), all);
    for filter in ["--min-pieces=20", "--max-score=50", "--max-material=0", "--per-game=5"] {
        let left = positions(&[filter]);
        assert!(0 < left && left < all, "{filter} {left} of {all}");
    }
    let args = ["data", "sample", "--count=9", "--min-pieces=30", text(folder.path())];
    let sample = run(args, "").success().stdout;
    assert_eq!(sample.lines().count(), 9);
    for line in sample.lines() {
        let fen = line.split('\t').next().unwrap();
        let position = movegen::Position::from_fen(fen).unwrap();
        assert!(position.piece_count() >= 30, "{line}");
    }
    // Weights from other positions are of another training.
    let weights = folder.path().join("x.weights");
    let train = |options: &[&str]| {
        let args = ["train", text(folder.path()), "--out", text(&weights), "--epochs=1"];
        run(args.iter().chain(options), "")
    };
    assert_eq!(train(&[]).success().stderr, "");
    let output = train(&["--per-game=5", "--force"]);
    assert!(output.code == 1 && output.stderr.contains("other data or settings"), "{output:?}");
}

#[test]
fn a_killed_tuning_goes_on_to_the_same_numbers() {
    let folder = TempDir::new().unwrap();
    let tune = |name: &str, threads: &str| {
        let folder = folder.path().join(name);
        let numbers =
            "--number=probcut_margin --number=history_rate=3..7 --number=probcut_below=-40..40";
        let mut command = Command::new(binary());
        command.arg("tune").arg(folder).args([
            "--games=320",
            "--nodes=500",
            "--rate=0.1",
            "--json",
        ]);
        command.arg(format!("--threads={threads}")).args(numbers.split(' ')).stdout(Stdio::piped());
        command
    };
    let values = |command: &mut Command| {
        let output = command.output().unwrap();
        let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(record["games"], 320, "{record}");
        record["numbers"].clone()
    };
    let whole = values(&mut tune("whole", "1"));
    let number = |key: &str| whole[0][key].as_f64().unwrap();
    assert!(whole[0]["name"] == "probcut_margin" && number("value") != number("start"), "{whole}");

    let checkpoint = folder.path().join("killed/tune.checkpoint");
    let mut child = tune("killed", "2").spawn().unwrap();
    until("a checkpoint", || {
        assert!(child.try_wait().unwrap().is_none());
        checkpoint.exists()
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(values(&mut tune("killed", "2")), whole);
    for file in ["numbers.svg", "params.patch"] {
        let read = |name: &str| fs::read(folder.path().join(name).join(file)).unwrap();
        assert!(read("killed") == read("whole"), "{file}");
    }
    let mut other = tune("killed", "1");
    let output = other.arg("--seed=2").output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && error.contains("other data or settings"), "{error}");
}
