//! The table of exit statuses (`docs/engine.md`): 0, 1, 2 and 130, for every command.
//!
//! The tables below name commands by the words before their first option. A command that is missing
//! in one of them fails the test, so that a new command cannot be forgotten.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use meerslag_tests::run;
use tempfile::TempDir;

use super::commands::commands;

/// All commands that have no further ones below them.
fn leaves() -> BTreeSet<String> {
    fn visit(command: &[&str], found: &mut BTreeSet<String>) {
        let help = run([command, &["--help"]].concat(), "").success().stdout;
        let below: Vec<_> = commands(&help).collect();
        if below.is_empty() {
            found.insert(command.join(" "));
        }
        for name in below {
            visit(&[command, &[name]].concat(), found);
        }
    }
    let mut found = BTreeSet::new();
    visit(&[], &mut found);
    assert!(found.len() > 30, "{found:?}");
    found
}

/// Asserts that each command is in the list.
#[track_caller]
fn assert_all_in(listed: &[&str], leaves: &BTreeSet<String>) {
    let missing: Vec<_> = leaves
        .iter()
        .filter(|leaf| {
            let words = |line: &&&str| **line == **leaf || line.starts_with(&format!("{leaf} "));
            !listed.iter().any(|line| words(&line))
        })
        .collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}

/// The inputs of the commands.
pub(super) struct World {
    folder: TempDir,
}

impl World {
    pub(super) fn new() -> World {
        let folder = TempDir::new().unwrap();
        let world = World { folder };
        let _ = world.run("egdb build --pieces 3 --out {db}").success();
        let _ = world.run("selfplay --out {games} --games 192 --nodes 20").success();
        let _ = world.run("book expand {book} --depth 1 --positions 20 --hash 1").success();
        let _ = world.run("book export {book} --out {lines}").success();
        fs::write(world.path("suite"), "W:W28:B23; 28x19; taken; win; me\n").unwrap();
        fs::write(world.path("pdn"), "1. 32-28 19-23 2. 28x19 14x23 1-1\n").unwrap();
        fs::write(world.path("puzzle"), "[FEN \"W:W7:B44\"]\n1. 7-1 2-0\n").unwrap();
        let rated = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-1\"]\n\n1. 32-28 1-1\n";
        fs::write(world.path("rated"), rated).unwrap();
        fs::write(world.path("named"), "[White \"A\"]\n\n1. 32-28 19-23 *\n").unwrap();
        for (name, engine, control) in [
            ("cup", "random", "nodes=9"),
            ("absent", "cmd=/nonexistent/x", "1"),
            ("slow", "builtin", "move=600"),
        ] {
            let text = format!(
                "format = \"round-robin\"\ntime-control = \"{control}\"\n\
                 [[player]]\nname = \"a\"\nengine = \"{engine}\"\n\
                 [[player]]\nname = \"b\"\nengine = \"random\"\n"
            );
            fs::write(world.path(name), text).unwrap();
        }
        fs::write(world.path("file"), "this is a file\n").unwrap();
        let _ = world.run("games import {named} --to {club}").success();
        world
    }

    pub(super) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// The words of a line, with `{name}` replaced by a path, and `~` by a blank.
    pub(super) fn words(&self, line: &str) -> Vec<String> {
        let root = self.folder.path().display();
        let word = |word: &str| {
            let word = word.replace('~', " ");
            match (word.find('{'), word.find('}')) {
                (Some(from), Some(to)) => {
                    format!("{}{root}/{}{}", &word[..from], &word[from + 1..to], &word[to + 1..])
                }
                _ => word,
            }
        };
        line.split(' ').map(word).collect()
    }

    #[track_caller]
    pub(super) fn run(&self, line: &str) -> meerslag_tests::Output {
        let output = run(self.words(line), "");
        assert!(!output.stderr.contains("panicked"), "{line}: {}", output.stderr);
        output
    }
}

/// 0: a quick normal run of each command.
pub(super) const GOOD: &[&str] = &[
    "hub",
    "analyse --depth 2",
    "annotate {pdn} -o {annotated} --nodes 20 --hash 1 --force",
    "puzzles {pdn} -o {annotated} --nodes 20 --hash 1 --force",
    "board W:W28:B23 --arrows 28-19",
    "board {puzzle} --sheet 6",
    "solve W:WK11:BK2",
    "play --depth 2",
    "match --engine random --engine random~name=b --pairs 1",
    "tournament {cup} --check",
    "ratings {rated}",
    "bench --depth 2",
    "weights info",
    "weights compare material material",
    "weights export material",
    "selfplay --out {games} --games 192 --nodes 20",
    "data stats {games}",
    "data check {games}",
    "data merge {games} --out {merged}",
    "data sample {games}",
    "data export {games}",
    "train {games} --out {weights} --force --epochs 1 --kind material",
    "train {games} --out {joint} --force --epochs 1 --network 32 --base material --joint --average 0.9 --last-lambda 1",
    "tune {tuned} --games 32 --nodes 20",
    "perft --depth 3",
    "egdb identify --egdb {db}",
    "egdb info --egdb {db}",
    "egdb verify --egdb {db}",
    "egdb probe W:WK11:BK2",
    "egdb dump --slice 0101 --count 3",
    "egdb convert {db} {raw} --to raw --force",
    "egdb check --egdb {db} --sample 100",
    "egdb stats --egdb {db}",
    "egdb bench --time 0.01",
    "egdb plan --pieces 3",
    "book expand {book} --depth 1 --positions 20 --hash 1",
    "book info {book}",
    "book check {book}",
    "book probe --book {book}",
    "book export {book}",
    "book import {lines} --out {imported} --force",
    "book merge {book} {book} --out {both} --force",
    "games import {named} --to {club}",
    "games find {club}",
    "games tree {club}",
    "games stats {club}",
    "games info {club}",
    "games check {club}",
    "games merge {club} --to {clubs}",
    "games dedupe {club}",
    "games export {club}",
    "games delete {club} --player nobody",
    "games rename {club} A A",
    "games vacuum {club}",
    "schema",
    "completions bash",
    "man",
];

/// 1: what fails on the way. Where standard output cannot take what [`GOOD`] commands print is
/// tried with all of them; these have no such output, or more to say.
pub(super) const FAILING: &[(&str, &str)] = &[
    ("hub --log /nonexistent/log", "cannot write"),
    ("adapt --engine cmd=/nonexistent/x --hub", "does not start"),
    ("book build missing.pdn --out {new}", "missing.pdn"),
    ("annotate {pdn} -o /nonexistent/out.pdn", "cannot write"),
    ("puzzles {pdn} -o /nonexistent/out.pdn", "cannot write"),
    ("serve --host 192.0.2.1 --port 1 --hash 1", "cannot listen on 192.0.2.1:1"),
    ("serve --export {new} --wasm /nonexistent", "/nonexistent/meerslag.wasm"),
    ("board W:W28:B23 -o /nonexistent/board.svg", "cannot write"),
    ("board {puzzle} --sheet 6 -o /nonexistent/sheet.html", "cannot write"),
    ("play --pdn /nonexistent/game.pdn", "cannot write"),
    ("match --engine cmd=/nonexistent/x --engine random --tc 1", "does not start"),
    ("match --engine random --engine random~name=b --log {file}/logs", "file/logs"),
    ("tournament {absent} --check", "1 of 2 players are not ready"),
    ("match --engine random --engine random~name=b --pdn /nonexistent/x", "cannot write"),
    ("dxp listen localhost --log /nonexistent/log", "cannot write"),
    ("dxp connect localhost:1 --retry 0.01", "cannot connect"),
    ("protocol-check --hub /nonexistent/engine", "cannot start"),
    ("protocol-check --dxp localhost:1", "cannot connect"),
    ("selfplay --out {file}/x --games 32", "file/x"),
    ("learn {file}/x", "file/x"),
    ("train {games} --out {file}/x", "cannot write"),
    ("tune {file}/x --games 32", "file/x"),
    ("data merge {games} --out {file}/x", "file/x"),
    ("egdb convert {db} {file}/x --to raw", "file/x"),
    ("egdb build --pieces 2 --out {file}/x", "file/x"),
    ("egdb build-slice --slice 1010 --out {file}/x", "file/x"),
    ("egdb pack --pieces 2 --out {file}/x", "file/x"),
    ("egdb verify --egdb {unknown}", "nothing to compare with"),
    ("games merge {club} --to /nonexistent/x", "/nonexistent/x"),
    ("games export {club} -o /nonexistent/x.pdn", "cannot write"),
];

/// 2: input that cannot be read or used.
pub(super) const UNUSABLE: &[(&str, &str)] = &[
    ("analyse missing.pdn", "cannot open missing.pdn"),
    ("annotate missing.pdn -o {new}", "cannot read missing.pdn"),
    ("board {pdn} --language nl", "--sheet is missing"),
    ("annotate {pdn} -o {new} --language xx", "[possible values: en, nl, fr, ru, de, pl, es, pt]"),
    ("puzzles missing.pdn -o {new}", "cannot read missing.pdn"),
    ("serve --searches 0", "--searches"),
    ("serve --wasm {pdn}", "--export"),
    ("serve --frames example.org", "'example.org' is not an origin"),
    ("serve --frames https://example.org/", "such as https://example.org"),
    ("serve --allow-origin example.org", "--allow-origin: 'example.org' is not an origin"),
    ("serve --allow-origin https://example.org:443", "such as https://example.org"),
    ("serve --allow-host desk.example:8010", "alone: desk.example is"),
    ("serve --allow-host http://desk.example", "alone: desk.example is"),
    ("serve --games {pdn}", "not an SQLite database"),
    ("serve --games-add", "--games"),
    ("board missing.pdn", "cannot open missing.pdn"),
    ("board missing.pdn --sheet 6", "cannot open missing.pdn"),
    ("solve nonsense", "cannot read the position"),
    ("solve missing.fen", "missing.fen"),
    ("play nonsense", "cannot read the position"),
    ("match --engine random", "engines"),
    ("match --engine random --engine random~name=b --openings missing.fen", "missing.fen"),
    ("match --resume --state {missing}", "missing"),
    ("match --merge missing --state {new}", "missing"),
    ("ratings missing.pdn", "cannot read missing.pdn"),
    ("ratings {pdn}", "no game with a result and two players"),
    ("ratings {rated} --anchor C=5", "no game of a player called 'C' counts"),
    ("ratings {rated} --anchor A", "such as Scan=2500"),
    ("tournament {file}", "TOML parse error at line 1"),
    ("tournament {cup} --resume", "cup.jsonl"),
    ("dxp listen --openings missing.fen", "missing.fen"),
    ("dxp connect localhost --openings missing.fen", "missing.fen"),
    ("protocol-check --hub '", "expected a command"),
    ("bench --suite missing.suite", "cannot read missing.suite"),
    ("weights info missing", "missing"),
    ("weights compare missing material", "missing"),
    ("weights export missing", "missing"),
    ("selfplay --out {new} --games 32 --eval missing", "missing"),
    ("learn", "<DIR>"),
    ("data stats missing", "missing"),
    ("data check missing", "missing"),
    ("data merge missing --out {new}", "missing"),
    ("data sample missing", "missing"),
    ("data export missing", "missing"),
    ("train missing --out {new}", "missing"),
    ("train {games} --out {new} --network 32 --base material --factors", "does not see windows"),
    ("train {games} --out {new} --joint", "--network"),
    ("train {games} --out {new} --network 32 --base material --average 1", "between 0 and 1"),
    ("train {games} --out {new} --last-lambda 2", "from 0 to 1"),
    ("tune {new} --number margin", "'margin': expected aspiration_depth"),
    ("tune {new} --number history_rate=5..5", "LOW below HIGH"),
    ("tune {new} --number history_rate --number history_rate", "named twice"),
    ("perft --depth 1 nonsense", "cannot read the position"),
    ("egdb identify --egdb missing", "missing"),
    ("egdb info --egdb missing", "missing"),
    ("egdb verify --egdb missing", "missing"),
    ("egdb probe --egdb missing W:WK11:BK2", "missing"),
    ("analyse --egdb missing", "missing"),
    ("egdb dump --egdb missing --slice 0101", "missing"),
    ("egdb convert missing {new} --to raw", "missing"),
    ("egdb convert {db} {db} --to raw", "directory of the old ones"),
    ("egdb check --egdb missing", "missing"),
    ("egdb stats --egdb missing", "missing"),
    ("egdb bench --egdb missing", "missing"),
    ("egdb build --pieces 2 --out {db}", "resume, or use another folder"),
    ("egdb build --out {new}", "--slices"),
    ("egdb build-slice --slice 9999 --out {new}", "--slice"),
    ("egdb pack --pieces 9 --out {new}", "--pieces"),
    ("egdb plan --pieces 9", "--pieces"),
    ("completions cmd", "possible values"),
    ("man nonsense", "nonsense"),
    ("adapt --hub", "--engine"),
    ("book build --out {new}", "<FILE>"),
    ("book check missing", "missing"),
    ("book expand {book} --depth 0", "--depth"),
    ("book export missing", "missing"),
    ("book import missing --out {new}", "missing"),
    ("book info missing", "missing"),
    ("book merge missing --out {new}", "--within"),
    ("book probe --book missing", "missing"),
    ("games import missing.pdn --to {new}", "missing.pdn"),
    ("games import {pdn} --to {file}", "not a file of games"),
    ("games find missing", "missing"),
    ("games tree {file}", "not a file of games"),
    ("games stats missing", "missing"),
    ("games info missing", "missing"),
    ("games check {file}", "not a file of games"),
    ("games merge missing --to {new}", "missing"),
    ("games dedupe missing", "missing"),
    ("games export missing", "missing"),
    ("games delete missing --game 1", "missing"),
    ("games rename missing A B", "missing"),
    ("games vacuum {file}", "not a file of games"),
];

/// Commands without any input but their options.
const NO_INPUT: &[&str] = &["hub", "schema"];

#[test]
fn what_is_wrong_with_the_input_has_status_2() {
    let (world, leaves) = (World::new(), leaves());
    for leaf in &leaves {
        let output = world.run(&format!("{leaf} --nonsense"));
        assert_eq!(output.code, 2, "{leaf}: {output:?}");
        assert!(output.stderr.starts_with("error: unexpected argument"), "{leaf}: {output:?}");
    }
    for (line, part) in UNUSABLE {
        let output = world.run(line);
        assert_eq!(output.code, 2, "{line}: {output:?}");
        assert!(output.stderr.contains(part), "{line}: {output:?}");
    }
    let lines: Vec<&str> =
        UNUSABLE.iter().map(|(line, _)| *line).chain(NO_INPUT.to_vec()).collect();
    assert_all_in(&lines, &leaves);
}

#[test]
fn success_and_failure_have_status_0_and_1() {
    let (world, leaves) = (World::new(), leaves());
    for line in GOOD {
        let output = world.run(line);
        assert_eq!(output.code, 0, "{line}: {output:?}");
        if cfg!(target_os = "linux") {
            into_full(&world, line);
        }
    }
    fs::create_dir(world.path("unknown")).unwrap();
    for entry in fs::read_dir(world.path("db")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && path.extension().is_none_or(|end| end != "sum") {
            fs::copy(&path, world.path("unknown").join(path.file_name().unwrap())).unwrap();
        }
    }
    for (line, part) in FAILING {
        let output = world.run(line);
        assert_eq!(output.code, 1, "{line}: {output:?}");
        assert!(output.stderr.starts_with("meerslag: "), "{line}: {output:?}");
        assert!(output.stderr.contains(part), "{line}: {output:?}");
    }
    let lines: Vec<&str> = FAILING.iter().map(|(line, _)| *line).chain(GOOD.to_vec()).collect();
    assert_all_in(&lines, &leaves);
}

/// Standard output on a full disk: nothing may seem to have been written.
fn into_full(world: &World, line: &str) {
    let full = fs::OpenOptions::new().write(true).open(Path::new("/dev/full")).unwrap();
    let output = std::process::Command::new(meerslag_tests::binary())
        .args(world.words(line))
        .stdin(std::process::Stdio::null())
        .stdout(full)
        .output()
        .unwrap();
    // A session without input prints nothing.
    let expected = if line == "hub" { 0 } else { 1 };
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(expected), "{line}: {error}");
    assert!(expected == 0 || error.contains("No space left"), "{line}: {error}");
}

/// 130: Ctrl-C in the middle.
#[cfg(unix)]
pub(super) const LONG: &[&str] = &[
    "analyse --time 600",
    "annotate {pdn} -o {new} --time 600",
    "puzzles {pdn} -o {puzzles} --time 600",
    "serve --port 0 --hash 1",
    "solve W:W31-40:B1-10 --nodes 1000000000000 --hash 16",
    "play --color black --time 600",
    "match --engine builtin --engine builtin~name=b --tc move=600",
    "tournament {slow}",
    "dxp listen 0",
    "dxp connect localhost:1 --retry 600",
    "protocol-check --hub cat --patience 600",
    "bench --depth 60",
    "selfplay --out {endless} --games 1000000 --nodes 1000",
    "learn {lessons} --games 1000000",
    "train {games} --out {fit} --epochs 1000 --last-lambda 0.5",
    "tune {turning} --games 1000000",
    "perft --depth 30",
    "egdb bench --time 600",
    "egdb build --pieces 6 --out {large} --types wld",
    "egdb dump --slice 0202",
];

#[cfg(unix)]
#[test]
fn an_interruption_has_status_130() {
    use std::process::{Command, Stdio};
    let world = World::new();
    for line in LONG {
        let mut child = Command::new(meerslag_tests::binary())
            .args(world.words(line))
            // Open, and silent.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        meerslag_tests::interrupt(child.id());
        let stdin = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{line}: {error}");
        assert!(!error.contains("panicked"), "{line}: {error}");
        assert!(error.contains("meerslag: interrupted: "), "{line}: what is kept? {error}");
    }
}
