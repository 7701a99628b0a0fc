//! Opening books with the real program: building, growing, look-ups, play; and errors.

use std::fs;
use std::path::PathBuf;
use std::thread;

use meerslag_book::BookLock;
use meerslag_tests::{Client, Output, run};
use movegen::Position;
use serde_json::Value;
use tempfile::TempDir;

const GAMES: &str = "\
[White \"A\"]\n\n1. 32-28 19-23 2. 28x19 14x23 2-0\n\n\
[White \"B\"]\n\n1. 32-28 17-22 2. 28x17 11x22 1-1\n\n\
[White \"C\"]\n\n1. 31-26 16-21 0-2\n";

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The name of a file with this content.
    fn file(&self, name: &str, content: &str) -> String {
        fs::write(self.path(name), content).unwrap();
        self.name(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// A book of the games above.
    fn book(&self) -> String {
        let (games, book) = (self.file("games.pdn", GAMES), self.name("games.book"));
        let text = book_ok(&["build", &games, "-o", &book, "--estimate"]);
        assert_eq!(text, "3 games, 3 of use, 0 broken; 10 positions\n");
        book
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn book(args: &[&str]) -> Output {
    run([&["book"], args].concat(), "")
}

fn book_ok(args: &[&str]) -> String {
    book(args).success().stdout
}

/// Games that come later, into the same file.
#[test]
fn games_are_added() {
    let folder = Folder::new();
    let path = folder.book();
    let more = folder.file("more.pdn", "[White \"D\"]\n\n1. 32-28 17-22 2. 28x17 12x21 0-2\n");
    let text = book_ok(&["build", &more, "-o", &path, "--add"]);
    assert_eq!(text, "1 game, 1 of use, 0 broken; 11 positions\n");
    let info = run(["book", "info", &path, "--json"], "").success().json_lines();
    assert_eq!(info[0]["history"][1], "added more.pdn");
    assert_eq!(info[0]["tree_cells"], 11);
    let probed = run(["book", "probe", "--book", &path, "--json"], "").success().json_lines();
    assert_eq!(probed[0]["games"], 4);
    // A win, a draw and a loss.
    assert_eq!(probed[0]["moves"][0]["estimate"], 1.5);
    let missing = folder.name("missing.book");
    assert!(book(&["build", &more, "-o", &missing, "--add"]).stderr.contains("missing.book"));
    let bare = folder.name("bare.book");
    book_ok(&["build", &more, "-o", &bare]);
    // The same for programs.
    let json = |args: &[&str]| run([&["book"], args].concat(), "").success().json_lines().remove(0);
    let built = json(&["build", &more, "-o", &bare, "--force", "--json"]);
    assert_eq!(built["type"], "book_written");
    assert_eq!(
        (&built["games"], &built["used"], &built["broken"]),
        (&1.into(), &1.into(), &0.into())
    );
    let merged = json(&["merge", &path, &bare, "-o", &folder.name("both.book"), "--json"]);
    assert_eq!((&merged["positions"], &merged["games"]), (&11.into(), &Value::Null));
}

/// The lines from a position, in the order of play: of a new book, and of one that is there.
#[test]
fn the_tree_of_a_book_shows_its_lines_with_counts_and_results() {
    let folder = Folder::new();
    let (games, book) = (folder.file("games.pdn", GAMES), folder.name("games.book"));
    let text = book_ok(&["build", &games, "-o", &book, "--tree"]);
    let (report, tree) = text.split_once('\n').unwrap();
    assert_eq!(report, "3 games, 3 of use, 0 broken; 10 positions");
    let words: Vec<String> =
        tree.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(words[..3], ["score games + = - est. move", "2 1 1 0 32-28", "1 0 0 1 19-23"]);
    let indent = |line: usize| tree.lines().nth(line).unwrap().rfind(' ').unwrap();
    assert_eq!((indent(2), indent(3)), (indent(1) + 2, indent(1) + 4));
    let probed = book_ok(&["probe", "--book", &book, "--tree", "4"]);
    assert!(probed.contains("3 games") && probed.ends_with(&format!("{tree}\n")), "{probed}");
    let json = |args: &[&str]| run([&["book"], args].concat(), "").success().json_lines().remove(0);
    let built = json(&["build", &games, "-o", &book, "--force", "--tree", "--json"]);
    let from_start = json(&["probe", "--book", &book, "--tree", "4", "--json"]);
    assert_eq!(built["tree"], from_start["tree"]);
    let fen = "B:W28,31,33-50:B1-20";
    let probed = json(&["probe", "--book", &book, "--tree", "1", "--json", fen]);
    let known = |mv: &str| serde_json::json!([0, mv, 1]);
    let moves = probed["tree"].as_array().unwrap().iter();
    let moves: Vec<_> =
        moves.map(|next| serde_json::json!([next["ply"], next["move"], next["games"]])).collect();
    assert_eq!(moves, [known("19-23"), known("17-22")]);
}

#[test]
fn from_games_to_answers() {
    let folder = Folder::new();
    let book = folder.book();
    let text = book_ok(&["probe", "--book", &book]);
    assert!(text.contains("3 games") && text.contains("32-28"), "{text}");
    let args = ["book", "probe", "--book", &book, "--json", "W:W31-50:B1-20", "W:WK1:BK50"];
    let lines = run(args, "").success().json_lines();
    assert_eq!(lines[0]["games"], 3);
    assert_eq!(lines[0]["moves"][0]["move"], "32-28");
    assert_eq!(
        (&lines[0]["moves"][0]["wins"], &lines[0]["moves"][0]["estimate"]),
        (&1.into(), &1.33.into())
    );
    assert_eq!(lines[1]["in_book"], false);
    assert_eq!(book_ok(&["check", &book]), "10 positions and 9 moves: no faults\n");
    let check = run(["book", "check", &book, "--json"], "").success().json_lines();
    assert_eq!((&check[0]["book_moves"], &check[0]["faults"]), (&9.into(), &serde_json::json!([])));
    let info = run(["book", "info", &book, "--json"], "").success().json_lines();
    assert_eq!((&info[0]["positions"], &info[0]["games"]), (&10.into(), &3.into()));
    assert_eq!(info[0]["history"][0], "built from games.pdn");
    assert_eq!(info[0]["tree_cells"], 10);
    assert!(book_ok(&["info", &book]).contains("10 positions, 9 moves"));

    // Text and back; a game for each line.
    let text = folder.name("book.txt");
    assert_eq!(book_ok(&["export", &book, "-o", &text]), "");
    let again = folder.name("again.book");
    assert_eq!(book_ok(&["import", &text, "-o", &again]), "10 positions, 9 moves\n");
    assert_eq!(book_ok(&["export", &book, "--pdn"]).matches("[Event ").count(), 3);
    assert_eq!(book_ok(&["export", &book, "--json"]).lines().count(), 10);
    let both = folder.name("both.book");
    assert_eq!(book_ok(&["merge", &book, &again, "-o", &both]), "10 positions, 9 moves\n");
    let lines = run(["book", "probe", "--book", &both, "--json"], "").success().json_lines();
    assert_eq!(lines[0]["games"], 6);
}

#[test]
fn a_book_grows_and_is_played_from() {
    let folder = Folder::new();
    let book = folder.name("own.book");
    let grow = |positions: &str| {
        book_ok(&[
            "expand",
            &book,
            "--depth=2",
            "--hash=1",
            "--threads=2",
            "--egdb-pieces=0",
            "--positions",
            positions,
        ])
    };
    let text = grow("30");
    assert!(
        text.contains(" positions searched, ") && text.contains("score of the start"),
        "{text}"
    );
    grow("60");
    let json =
        ["book", "expand", &book, "--depth=2", "--egdb-pieces=0", "--positions=60", "--json"];
    let grown = run(json, "").success().json_lines().remove(0);
    assert!(grown["searched"].as_u64() >= Some(60) && grown["new"] == 0, "{grown}");
    assert!(grown["score"].is_number() && grown["book_moves"].is_number(), "{grown}");
    // A table of what there is: no game, so no column for games.
    let probed = book_ok(&["probe", "--book", &book]);
    let [position, known, heading, ..] = probed.lines().collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!((position, heading), ("W:W31-50:B1-20", "move         score"));
    assert!(known.starts_with("score "), "{known}");
    assert!(book_ok(&["check", &book]).ends_with("no faults\n"));
    assert_eq!(folder.names(), ["own.book"]);

    // A graphical program.
    let start = Position::initial();
    let mut client = Client::ready(&[("book-file", book.as_str()), ("hash-mb", "1")]);
    client.send("pos");
    let answer = client.go("think", &start);
    assert!(answer.infos[0].is_book && answer.infos[0].nodes == 0, "{answer:?}");
    client.send("level depth=1");
    client.send("pos");
    let answer = client.go("analyze", &start);
    assert!(!answer.infos[0].is_book && answer.infos[0].nodes > 0);
    client.send("set-param name=book value=false");
    client.send("level depth=1");
    client.send("pos");
    assert!(!client.go("think", &start).infos[0].is_book);
    client.quit().assert_clean();

    // The terminal, and matches.
    let args = ["analyse", "--depth=2", "--hash=1", "--book", &book];
    assert!(run(args, "").success().stdout.contains("In the book:\nmove"));
    let lines = run([&args[..], &["--json"]].concat(), "").success().json_lines();
    assert_eq!(lines[1]["type"], "book");
    let played =
        run(["play", "--color=black", "--depth=1", "--hash=1", "--book", &book], "moves\n");
    assert!(played.success().stdout.contains("1. "));
    let pdn = folder.name("match.pdn");
    let player = format!("builtin name=a param.book-file={book} param.hash-mb=1");
    let args = [
        "match",
        "--engine",
        &player,
        "--engine",
        "builtin name=b param.hash-mb=1",
        "--tc=depth=1",
        "--openings",
        &book,
        "--opening-plies=1",
        "--pairs=1",
        "--max-moves=4",
        "--pdn",
        &pdn,
    ];
    let _ = run(args, "").success();
    let games = fs::read_to_string(&pdn).unwrap();
    assert_eq!(games.matches("[FEN \"B:").count(), 2, "{games}");
}

/// A book that another process is changing is not changed, under any name.
#[test]
fn one_process_at_a_time_changes_a_book() {
    let folder = Folder::new();
    let book_file = folder.book();
    let more = folder.file("more.pdn", "1. 33-29 19-24 1-1\n");
    let lines = folder.name("lines");
    let _ = book_ok(&["export", &book_file, "-o", &lines]);
    let other = folder.name("other.book");
    fs::copy(&book_file, folder.path("other.book")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("games.book", folder.path("link.book")).unwrap();
    let mut names = vec![book_file.clone()];
    names.extend(cfg!(unix).then(|| folder.name("link.book")));
    let before = (fs::read(&book_file).unwrap(), folder.names());
    let held = BookLock::take(&folder.path("games.book")).unwrap();
    for name in &names {
        for args in [
            &["build", &more, "-o", name, "--add"][..],
            &["build", &more, "-o", name, "--force"],
            &["merge", &other, &other, "-o", name, "--force"],
            &["import", &lines, "-o", name, "--force"],
            &["expand", name, "--depth=1", "--positions=5", "--hash=1"],
        ] {
            let output = book(args);
            assert_eq!(output.code, 2, "{args:?}: {output:?}");
            let text = format!("{name} is being changed by another process");
            assert!(output.stderr.contains(&text), "{args:?}: {output:?}");
        }
    }
    drop(held);
    assert!((fs::read(&book_file).unwrap(), folder.names()) == before);
    let _ = book_ok(&["build", &more, "-o", names.last().unwrap(), "--add"]);
    assert_eq!(folder.names(), before.1);
}

/// Two processes add to one book at the same time: each that reports success has succeeded.
#[test]
fn games_of_two_builders_are_all_in_the_book_or_refused() {
    let folder = Folder::new();
    let moves = ["33-29", "34-30", "35-30", "31-27"];
    let games = moves.map(|mv| {
        let text = format!("1. {mv} 20-24 1-1\n\n").repeat(2000);
        folder.file(&format!("{mv}.pdn"), &text)
    });
    for _ in 0..5 {
        let book_file = folder.book();
        let done: Vec<bool> = thread::scope(|scope| {
            let add = |file: &String| {
                let book_file = &book_file;
                let file = file.clone();
                scope.spawn(move || book(&["build", &file, "-o", book_file, "--add"]).code == 0)
            };
            let running: Vec<_> = games.iter().map(add).collect();
            running.into_iter().map(|run| run.join().unwrap()).collect()
        });
        assert!(done.contains(&true));
        let probed = book_ok(&["probe", "--book", &book_file]);
        for (mv, done) in moves.iter().zip(done) {
            assert_eq!(probed.contains(mv), done, "{mv}: {probed}");
        }
        fs::remove_file(&book_file).unwrap();
    }
}

#[test]
fn what_cannot_be_used_is_refused_and_nothing_is_lost() {
    let folder = Folder::new();
    let good = folder.book();
    let games = folder.name("games.pdn");
    let out = folder.name("out.book");
    let empty = folder.file("empty.pdn", "");
    let broken = folder.file("broken.pdn", &"[White \"A\"]\n1. 50-1 *\n\n".repeat(100));
    let future = folder.name("future.book");
    let mut bytes = fs::read(&good).unwrap();
    bytes[8] = 2;
    fs::write(&future, &bytes).unwrap();
    let damaged = folder.name("damaged.book");
    let mut bytes = fs::read(&good).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&damaged, &bytes).unwrap();
    let nowhere = folder.name("nowhere/out.book");
    let missing = folder.name("missing.pdn");
    let before = folder.names();
    for (args, code, message) in [
        (&["build", &empty, "-o", &out][..], 2, "nothing to build from: 0 games, 0 of use"),
        (
            &["build", &broken, "-o", &out],
            2,
            "nothing to build from: 100 games, 0 of use, 100 broken",
        ),
        (&["build", &missing, "-o", &out], 1, "missing.pdn: No such file"),
        (&["build", &games, "-o", &nowhere], 1, "nowhere/out.book: No such file"),
        (&["build", &games, "-o", &good], 2, "games.book exists: --force replaces it"),
        (
            &["build", &games, "-o", &out, "--lines", "--reference", &future],
            2,
            "future.book is an opening book of version 2; this program reads version 1",
        ),
        (&["build", &games, "-o", &out, "--reference", &good], 2, "--lines"),
        (&["build", &games, "-o", &out, "--years", "2000-1990"], 2, "expected years"),
        (&["check", &damaged], 2, "damaged.book is damaged: the checksum of its table of moves"),
        (&["probe", "--book", &games], 2, "is not an opening book"),
        (&["merge", &good, &games, "-o", &out], 2, "is not an opening book"),
        (&["merge", &good, "--within=0.1", "-o", &out], 2, "no scores"),
        (&["import", &games, "-o", &out], 2, "line 1: expected '# Meerslag opening book"),
        (&["expand", &damaged, "--positions=9"], 2, "is damaged"),
        (&["export", &good, "--pdn", "--json"], 2, "cannot be used with"),
    ] {
        let output = book(args);
        assert_eq!(output.code, code, "{args:?}: {output:?}");
        assert!(output.stderr.contains(message), "{args:?}: {}", output.stderr);
    }
    // All hundred are counted, and named once.
    let output = book(&["build", &broken, "-o", &out]);
    assert_eq!(output.stderr.matches("broken.pdn: line ").count(), 1, "{}", output.stderr);
    let said = "broken.pdn: line 2, column 4: '50-1' is not a legal move in this position; 99 more \
                of this kind, on lines 5, 8,";
    assert!(output.stderr.contains(said), "{}", output.stderr);
    let after: Vec<String> =
        folder.names().into_iter().filter(|name| !name.ends_with(".journal")).collect();
    assert_eq!(after, before, "no file has come or gone");

    let session = "set-param name=book-file value=/nowhere.book\nping\n";
    let answer = run(["hub"], format!("hub\n{session}")).stdout;
    assert!(answer.contains("error message=") && answer.contains("book-file"), "{answer}");
}

/// No book replaces one of its sources; a file named twice counts once.
#[test]
fn files_are_told_apart_by_what_they_are() {
    let folder = Folder::new();
    let book_name = folder.book();
    let games = folder.name("games.pdn");
    let detour = format!("{}/./games.pdn", folder.0.path().display());
    let text = folder.name("book.txt");
    let _ = book_ok(&["export", &book_name, "-o", &text]);
    for args in [
        &["build", &games, "-o", &detour, "--force"][..],
        &["merge", &book_name, &book_name, "-o", &book_name, "--force"],
        &["export", &book_name, "-o", &book_name, "--force"],
        &["import", &text, "-o", &text, "--force"],
    ] {
        let output = book(args);
        assert_eq!(output.code, 2, "{args:?}: {output:?}");
        assert!(output.stderr.contains("FILE and --out are the same file"), "{output:?}");
    }
    let out = folder.name("twice.book");
    let output = book(&["build", &games, &detour, "-o", &out, "--estimate"]);
    assert!(output.stdout.starts_with("3 games, "), "{output:?}");
    assert!(output.stderr.contains("games.pdn is given more than once: read once"), "{output:?}");
    let output = book(&["merge", &book_name, &book_name, "-o", &out, "--force"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stderr.contains("games.book is given more than once"), "{output:?}");
    let games_in =
        |name: &str| book(&["info", name, "--json"]).success().json_lines()[0]["games"].clone();
    assert_eq!(games_in(&out), games_in(&book_name));
}

/// Editors of Windows begin a text with a byte-order mark.
#[test]
fn a_byte_order_mark_is_no_part_of_a_book() {
    let folder = Folder::new();
    let text = book_ok(&["export", &folder.book()]);
    let marked = folder.file("marked.txt", &format!("\u{feff}{}", text.replace('\n', "\r\n")));
    let (plain, out) = (folder.file("plain.txt", &text), folder.name("out.book"));
    let _ = book_ok(&["import", &plain, "-o", &out]);
    let expected = fs::read(&out).unwrap();
    let _ = book_ok(&["import", &marked, "-o", &out, "--force"]);
    assert_eq!(fs::read(&out).unwrap(), expected);
}

/// A record of the journal that is damaged is searched again; those after it are not.
#[test]
fn a_damaged_journal_costs_one_search_and_says_so() {
    let folder = Folder::new();
    let book_name = folder.name("own.book");
    let expand = |positions: &str| {
        book(&["expand", &book_name, "--depth=2", "--hash=1", "--egdb-pieces=0", positions])
    };
    // The searches of this book as a killed process would have left them.
    let key = |fen: &str| {
        let position = Position::from_fen(fen).unwrap();
        movegen::key::Key::of(&position).to_bytes()
    };
    let mut journal = b"MEERJRNL".to_vec();
    let first = Position::initial().legal_moves();
    for &mv in &first {
        let after = Position::initial().after(mv);
        let mut record = key(&after.to_fen()).to_vec();
        record.extend([7, 0, 2, 0]);
        record.extend(egdb::identify::crc32(&record).to_le_bytes());
        journal.extend(record);
    }
    let path = folder.name("own.book.journal");
    journal[8 + 24 + 16] ^= 1;
    fs::write(&path, &journal).unwrap();
    let output = expand("--positions=9");
    assert!(output.stderr.contains("own.book.journal is damaged; searched again: 1 position"));
    assert!(output.stdout.starts_with("9 positions searched, 1 of them now"), "{output:?}");
}

/// A disk that fills up: here files of more than a block cannot be written.
#[cfg(unix)]
#[test]
fn a_full_disk_costs_nothing() {
    use std::process::Command;

    let folder = Folder::new();
    let book = folder.book();
    let before = fs::read(&book).unwrap();
    assert!(before.len() > 512);
    let (games, out, names) = (folder.name("games.pdn"), folder.name("out"), folder.names());
    for args in [
        &["build", &games, "-o", &out][..],
        &["build", &games, "-o", &book, "--force"],
        &["build", &games, "-o", &book, "--add"],
        &["export", &book, "--json", "-o", &out],
        &["merge", &book, &book, "-o", &out],
    ] {
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" book \"$@\""])
            .arg(meerslag_tests::binary())
            .args(args)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {error}");
        assert!(error.contains("File too large"), "{args:?}: {error}");
        assert_eq!(folder.names(), names, "{args:?}");
        assert_eq!(fs::read(&book).unwrap(), before, "{args:?}");
    }
}

/// Ctrl-C.
#[cfg(unix)]
mod interrupted {
    use std::io::{BufRead, BufReader, Read};
    use std::path::Path;
    use std::process::{Command, Stdio};

    use meerslag_tests::{binary, interrupt};

    use super::*;

    /// A book that is being expanded is saved when Ctrl-C is pressed, and continues from there.
    #[test]
    fn ctrl_c_keeps_what_was_searched() {
        let folder = Folder::new();
        let book = folder.path("own.book");
        let mut child = Command::new(binary())
            .args(["book", "expand", "--depth=2", "--hash=1", "--egdb-pieces=0"])
            .arg(&book)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let journal = folder.path("own.book.journal");
        while fs::metadata(&journal).map_or(0, |data| data.len()) < 8 + 20 * 24 {
            assert!(child.try_wait().unwrap().is_none(), "it ends by itself");
            thread::yield_now();
        }
        interrupt(child.id());
        let mut text = String::new();
        child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{text}");
        assert!(!journal.exists());
        let count: u64 = text.split(' ').next().unwrap().parse().expect(&text);
        assert!(count >= 20 && searched(&book) == count, "{text}");
    }

    fn searched(book: &Path) -> u64 {
        let info =
            run(["book", "info", book.to_str().unwrap(), "--json"], "").success().json_lines();
        let depths = info[0]["searched"].as_array().unwrap();
        depths.iter().map(|depth| depth["positions"].as_u64().unwrap()).sum()
    }

    /// Broken parts are named while the build continues, and Ctrl-C leaves no file.
    #[test]
    fn an_interrupted_build_leaves_no_file() {
        let folder = Folder::new();
        // A broken file first: its message says that the work has begun.
        let broken = folder.file("broken.pdn", "1. 50-1 *\n");
        let games = "1. 32-28 19-23 2. 28x19 14x23 2-0\n\n".repeat(300_000);
        let games = folder.file("games.pdn", &games);
        let mut child = Command::new(binary())
            .args(["book", "build", &broken, &games, "-o", &folder.name("out.book")])
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("line 1, column 4"), "{line}");
        interrupt(child.id());
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert_eq!(folder.names(), ["broken.pdn", "games.pdn"]);
    }
}
