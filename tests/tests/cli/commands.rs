//! The command line as its users see it: help texts, output for people and for programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use meerslag_tests::{Output, run};
use serde_json::Value;

fn ok(args: &[&str], input: &str) -> Output {
    run(args, input).success()
}

/// The commands that a help text lists.
pub fn commands(help: &str) -> impl Iterator<Item = &str> {
    let list = help.split_once("\nCommands:\n").map_or("", |(_, rest)| rest);
    let list = list.split("\n\n").next().unwrap_or_default();
    // A continued line is indented further.
    list.lines().filter_map(|line| {
        let line = line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?;
        // Each has it, for the help of the others.
        line.split(' ').next().filter(|&name| name != "help")
    })
}

/// The most options that all pages of the help together may describe. It may fall, not rise: what
/// several commands share is described on one page.
const MAX_OPTIONS: usize = 384;

/// Whether a line of a page describes an option, other than those that each page has.
fn is_option(line: &str) -> bool {
    let Some(line) = line.strip_prefix("  ").map(str::trim_start) else { return false };
    let long = line.split_once(", --").filter(|(short, _)| short.len() == 2);
    let name = long.map(|(_, name)| name).or_else(|| line.strip_prefix("--"));
    let name = name.map(|name| name.split([' ', '[', '=']).next().unwrap());
    name.is_some_and(|name| !["help", "version"].contains(&name))
}

/// The help of this command and of all commands below it; adds the pages, by the names of the
/// snapshots.
fn help_of(command: &[&str], pages: &mut BTreeMap<String, String>) {
    let help = ok(&[command, &["--help"]].concat(), "").stdout;
    let name = [&["help"], command].concat().join("_");
    insta::assert_snapshot!(name.as_str(), help);
    for sub in commands(&help) {
        help_of(&[command, &[sub]].concat(), pages);
    }
    pages.insert(name, help);
}

#[test]
fn every_command_and_parameter_is_in_the_documents() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &Path| fs::read_to_string(path).expect("a page of the documents");
    let mut pages = read(&root.join("README.md"));
    for entry in fs::read_dir(root.join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "md") {
            pages += &read(&path);
        }
    }
    for group in [&[][..], &["egdb"], &["book"], &["data"], &["weights"]] {
        let help = ok(&[group, &["--help"]].concat(), "").stdout;
        for command in commands(&help) {
            // Whole, or as in "`meerslag data` counts (`stats`)" of one paragraph.
            let start = [&["meerslag"], group].concat().join(" ");
            let short = format!("{command}`");
            let mut paragraphs = pages.split("\n\n");
            let is_named = pages.contains(&format!("{start} {command}"))
                || paragraphs.any(|part| part.contains(&start) && part.contains(&short));
            assert!(is_named, "no page has `{start} {command}`");
        }
    }

    let engine = read(&root.join("docs/engine.md"));
    let session = ok(&["hub"], "hub\nquit\n").stdout;
    let parameters = session.lines().filter_map(|line| line.strip_prefix("param name="));
    let names: Vec<_> = parameters.filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"hash-mb"), "{session}");
    for name in names {
        assert!(engine.contains(&format!("`{name}`")), "no page has the parameter `{name}`");
    }
}

#[test]
fn help_texts() {
    let short = ok(&["-h"], "").stdout;
    insta::assert_snapshot!("help_short", short);
    let mut pages = BTreeMap::from([("help_short".to_owned(), short)]);
    help_of(&[], &mut pages);
    assert!(pages.len() > 25, "{:?}", pages.keys());
    let options = pages.values().flat_map(|page| page.lines()).filter(|line| is_option(line));
    let options = options.count();
    assert!(options > 200 && options <= MAX_OPTIONS, "{options} options");
    // No text is left of a removed command.
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/snapshots");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let files = files.map(|name| name.into_string().unwrap());
    let files: BTreeSet<_> = files.filter(|name| name.ends_with(".snap")).collect();
    let expected = pages.keys().map(|name| format!("cli__commands__{name}.snap"));
    assert_eq!(files, expected.collect());
}

#[test]
fn what_several_commands_share_is_on_one_page() {
    let page = |args: &[&str]| ok(&[args, &["--help"]].concat(), "").stdout;
    let (all, analyse) = (page(&[]), page(&["analyse"]));
    assert!(all.contains("  --egdb-cache <SIZE>") && !analyse.contains("  --egdb-cache"));
    let (_, named) = analyse.split_once("Common options, see 'meerslag --help': ").unwrap();
    let named = named.split("\n\n").next().unwrap();
    for name in ["--json", "--egdb,", "--egdb-cache", "--hash"] {
        assert!(named.contains(name), "{name}: {named}");
    }
    assert!(!named.contains("--force"), "{named}");
    // One that means something else stays on its page.
    assert!(page(&["perft"]).contains("  --hash <SIZE>"));
    let (find, stats) = (page(&["games", "find"]), page(&["games", "stats"]));
    assert!(find.contains("  --pattern <SQUARES>") && !stats.contains("  --pattern"));
    assert!(stats.contains("Conditions, see 'meerslag games find --help': --player, "), "{stats}");
    let refused = run(["board", "--threads=2"], "");
    assert!(refused.code == 2 && refused.stderr.contains("'--threads'"), "{refused:?}");
}

#[test]
fn versions() {
    assert_eq!(ok(&["-V"], "").stdout, concat!("meerslag ", env!("CARGO_PKG_VERSION"), "\n"));
    let long = ok(&["--version"], "").stdout;
    assert!(long.contains("Hub 2") && long.contains("MIT OR Apache-2.0"), "{long}");
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = ok(&["completions", shell], "").stdout;
        for word in ["analyse", "multipv", "divide", "egdb-cache"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn a_manual_page_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("man1");
    let dir = dir.to_str().unwrap();
    ok(&["man", "--out", dir], "");
    for command in [&[][..], &["analyse"], &["egdb"], &["egdb", "build"], &["man"]] {
        let page = ok(&[&["man"], command].concat(), "").stdout;
        let name = [&["meerslag"], command].concat().join("-");
        assert_eq!(fs::read_to_string(format!("{dir}/{name}.1")).unwrap(), page);
        assert!(page.contains(&format!(".TH {name} 1")), "{page}");
    }
    let page = ok(&["man", "analyse"], "").stdout;
    assert!(page.contains("multipv") && page.contains("game.pdn"), "{page}");
    let written = fs::read_dir(dir).unwrap().count();
    let sum = |group: &[&str]| commands(&ok(&[group, &["--help"]].concat(), "").stdout).count();
    assert!(written > sum(&[]) + sum(&["egdb"]), "{written} pages");

    let again = run(["man", "--out", dir], "");
    assert!(again.code == 2 && again.stderr.contains("--force"), "{again:?}");
    ok(&["man", "--out", dir, "--force"], "");
    let unknown = run(["man", "egdb", "sing"], "");
    assert!(unknown.code == 2 && unknown.stderr.contains("egdb sing"), "{unknown:?}");
}

/// Published counts, see `positions/perft.tsv`.
#[test]
fn perft_for_people() {
    let text = ok(&["perft", "--depth", "5", "--divide"], "").stdout;
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 11, "nine moves, the sum and the speed");
    let sum: u64 = lines[..9]
        .iter()
        .map(|l| l.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap())
        .sum();
    assert_eq!(sum, 27_117);
    assert_eq!(lines[9], "perft(5) = 27117");
}

#[test]
fn perft_for_programs() {
    let woldouby = "W:W25,27,28,30,32-35,37,38:B12-14,16,18,19,21,23,24,26";
    for extra in
        [&[][..], &["--threads=2"], &["--hash=1"], &["--unbulked"], &["--hash=1", "--threads=3"]]
    {
        let args = [&["perft", woldouby, "--depth=10", "--json"], extra].concat();
        let lines = ok(&args, "").json_lines();
        let [report] = &lines[..] else { panic!("{lines:?}") };
        assert_eq!(report["nodes"], 88_050, "{extra:?}");
        assert_eq!(report["depth"], 10);
        assert!(report["fen"].as_str().unwrap().starts_with("W:W25,27,"), "{report}");
        assert!(report.get("divide").is_none() && report["nps"].as_f64().unwrap() > 0.0);
    }
    let lines = ok(&["perft", "--depth=2", "--divide", "--json"], "").json_lines();
    let divide = lines[0]["divide"].as_array().unwrap();
    assert_eq!(divide.len(), 9);
    assert!(divide.iter().all(|entry| entry["nodes"] == 9 && entry["move"].is_string()));
    assert_eq!(ok(&["perft", "--depth=0", "--json"], "").json_lines()[0]["nodes"], 1);
}

#[test]
fn bench_has_a_fingerprint() {
    let count = || {
        let lines = ok(&["bench", "--depth=5", "--json"], "").json_lines();
        let [result] = &lines[..] else { panic!("{lines:?}") };
        let positions = result["positions"].as_array().unwrap();
        let sum: u64 = positions.iter().map(|p| p["nodes"].as_u64().unwrap()).sum();
        assert_eq!(result["nodes"], sum);
        assert_eq!(positions.len(), 50);
        sum
    };
    let first = count();
    assert_eq!(count(), first);
    let text = ok(&["bench", "--depth=5"], "").stdout;
    assert!(text.contains(&format!("\n{first} nodes\n")), "{text}");
}

#[test]
fn bench_of_a_suite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.suite");
    // White takes the last piece, and has two ways to the promotion row.
    let text = "W:W28:B23; 28x19; taken; win; me\nW:W8:B45; 8-2; not-this; -; me\n";
    fs::write(&path, text).unwrap();
    let suite = &format!("--suite={}", path.display())[..];
    let lines = ok(&["bench", suite, "--nodes=2000", "--json"], "").json_lines();
    let positions = lines[0]["positions"].as_array().unwrap();
    let ids: Vec<_> = positions.iter().map(|p| p["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["taken", "not-this"]);
    let is_solved = |p: &Value| !p["found"].is_null();
    let solved = positions.iter().filter(|p| is_solved(p)).count();
    assert!(is_solved(&positions[0]) && lines[0]["solved"] == solved, "{}", lines[0]);
    let text = ok(&["bench", suite, "--time=0.01", "--depth=5"], "").stdout;
    assert!(text.contains("taken") && text.contains("of 2; "), "{text}");

    fs::write(&path, "# head\nW:W28:B23; 28-22; taken; win; me\n").unwrap();
    for (extra, message) in [("--depth=5", "line 2"), ("--threads=1,2", "one number")] {
        let output = run(["bench", suite, extra], "");
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains(message), "{output:?}");
    }
}

#[test]
fn analyse_a_position_for_people() {
    // White wins a man by 28-22 and more; the search is deterministic.
    let text = ok(&["analyse", "W:WK28:B23", "--depth=3"], "").stdout;
    assert!(text.contains("White to move   W:WK28:B23"), "{text}");
    assert!(text.contains("win 1"), "{text}");
    assert!(text.lines().last().unwrap().starts_with("Best move for White: 28x"), "{text}");
    let lost = ok(&["analyse", "W:W:B1", "--depth=3"], "").stdout;
    assert!(lost.ends_with("White has no legal move and has lost.\n"), "{lost}");
    let start = ok(&["analyse", "--depth=4", "--multipv=3"], "").stdout;
    for part in ["(1) 1. ", "(2) 1. ", "(3) 1. ", "Best move for White: "] {
        assert!(start.contains(part), "{part} in {start}");
    }
    let hub = "BeeeeebeeeeeeeeWeeeeeeeeeeeeweeeeeeeeeeeeeeeeeBeeee";
    assert!(ok(&["analyse", hub, "--nodes=1000"], "").stdout.contains("1... 46x"));
}

#[test]
fn analyse_a_position_for_programs() {
    let lines = ok(&["analyse", "--depth=5", "--multipv=2", "--json"], "").json_lines();
    assert_eq!(lines[0]["type"], "position");
    assert_eq!((&lines[0]["side"], &lines[0]["ply"]), (&Value::from("W"), &Value::from(0)));
    let infos: Vec<_> = lines.iter().filter(|l| l["type"] == "info").collect();
    assert!(infos.len() >= 5 * 2, "{infos:?}");
    assert!(infos.iter().all(|i| i["score"].is_f64() && i["pv"][0].is_string()));
    let result = lines.last().unwrap();
    assert_eq!(result["type"], "result");
    let variations = result["variations"].as_array().unwrap();
    assert_eq!(variations.len(), 2);
    assert_eq!(variations[0]["pv"][0], result["best"]);
    assert_eq!(variations[0]["depth"], 5);
    assert_ne!(variations[0]["pv"][0], variations[1]["pv"][0]);
}

const GAMES: &str = "\
[Event \"Test\"]
[White \"A\"]
[Black \"B\"]
[Result \"1-1\"]
1. 32-28 19-23 2. 28x19 14x23 1-1

[White \"C\"]
[FEN \"B:W35,40:B1,2\"]
1... 1-6 2. 35-30 *
";

#[test]
fn analyse_a_file() {
    let last = ok(&["analyse", "-", "--depth=3", "--json"], GAMES).json_lines();
    let positions: Vec<_> = last.iter().filter(|l| l["type"] == "position").collect();
    let place = |p: &Value| (p["game"].as_u64().unwrap(), p["ply"].as_u64().unwrap());
    assert_eq!(positions.iter().map(|p| place(p)).collect::<Vec<_>>(), [(1, 4), (2, 2)]);

    let all = ok(&["analyse", "-", "--depth=2", "--json", "--all-moves"], GAMES).json_lines();
    let positions: Vec<_> = all.iter().filter(|l| l["type"] == "position").map(place).collect();
    assert_eq!(positions, [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (2, 0), (2, 1), (2, 2)]);

    let one = ok(&["analyse", "-", "--depth=2", "--game=2", "--ply=1"], GAMES).stdout;
    assert!(one.starts_with("Game 2: C - ?"), "{one}");
    assert!(one.contains("White to move   W:W35,40:B2,6"), "{one}");

    let table = ok(&["analyse", "-", "--depth=2", "--game=1", "--all-moves"], GAMES).stdout;
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 6, "{table}");
    for (line, start) in lines.iter().zip([
        "Game 1: A - B",
        "1. 32-28 ",
        "1... 19-23 ",
        "2. 28x19 ",
        "2... 14x23",
        "(end)",
    ]) {
        assert!(line.starts_with(start), "{line} should start with {start}");
    }
}

#[test]
fn play_a_game_through_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.pdn");
    let path = path.to_str().unwrap();
    let args = ["play", "W:WK28,K50:B23", "--depth", "3", "--pdn", path];
    let text = ok(&args, "28x19\n").stdout;
    assert!(text.contains("White has won: no pieces left."), "{text}");
    let saved = fs::read_to_string(path).unwrap();
    let start = "[FEN \"W:WK28,K50:B23\"]";
    for part in ["[White \"Player\"]", "[Black \"Meerslag\"]", start, "1. 28x19 {[%emt 0:", "} 2-0"]
    {
        assert!(saved.contains(part), "{part} in {saved}");
    }

    // The engine begins; undo takes back our move and its answer; hint and flip change nothing.
    let text = ok(
        &["play", "--color", "black", "--depth", "4"],
        "legal\nhint\n16-21\nundo\nmoves\nfen\nflip\nquit\n",
    )
    .stdout;
    assert_eq!(text.matches("Engine: 1. ").count(), 1, "{text}");
    assert_eq!(text.matches("Engine: 2. ").count(), 1, "{text}");
    assert!(text.contains("  46 "), "the board is turned: {text}");
    let fen = text.lines().find(|l| l.starts_with("B:W")).expect("the position after one move");
    assert_eq!(fen.matches(',').count(), 38, "{fen}");

    // The game continues to its end when the engine plays both sides by `go`.
    let text = ok(&["play", "--color", "both", "--depth", "2"], &"go\n".repeat(400)).stdout;
    assert!(text.contains("has won") || text.contains("Draw: "), "{text}");
}

/// `meerslag ... | head`: nobody reads any more, and that is not an error.
#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = std::process::Command::new(meerslag_tests::binary())
        .args(["analyse", "--depth=12", "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Ctrl-C ends a long count or search at once and with the status that shells expect.
#[cfg(unix)]
#[test]
fn interrupted() {
    for args in [
        &["perft", "--depth=20"][..],
        &["perft", "--depth=20", "--hash=16", "--threads=2"],
        &["analyse", "--time=600"],
    ] {
        let mut child = std::process::Command::new(meerslag_tests::binary())
            .args(args)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut begun = String::new();
        if args[0] == "analyse" {
            // Only searched positions can be printed.
            let mut lines = BufReader::new(child.stdout.take().unwrap());
            while !begun.contains(" 1. ") {
                assert_ne!(lines.read_line(&mut begun).unwrap(), 0, "{begun}");
            }
            child.stdout = Some(lines.into_inner());
        }
        meerslag_tests::interrupt(child.id());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{args:?}: {output:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.starts_with("meerslag: interrupted: "), "{args:?}: {error}");
        let best = String::from_utf8_lossy(&output.stdout).contains("Best move for White");
        assert_eq!(best, args[0] == "analyse", "what is known is printed");
    }
}
