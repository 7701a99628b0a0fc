//! Databases of games with the real program: import, queries, maintenance; killed at any moment.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use meerslag_tests::{Output, binary, run, run_in};
use movegen::Position;
use movegen::notation::pdn::{PdnGame, Ply, WriteOptions, game_to_string};
use movegen::random::Random;
use serde_json::json;
use tempfile::TempDir;

const GAMES: &str = "\
[Event \"Cup\"]\n[Date \"1977.05.01\"]\n[White \"Sijbrands, Ton\"]\n[Black \"Wiersma, Harm\"]\n\n\
1. 32-28 19-23 {a man each} 2. 28x19 14x23 2-0\n\n\
[Event \"Cup\"]\n[Date \"1978\"]\n[White \"Wiersma, Harm\"]\n[Black \"Sijbrands, Ton\"]\n\n\
1. 32-28 17-22 2. 28x17 11x22 1-1\n\n\
[Event \"Match\"]\n[White \"Clerc\"]\n[Black \"Wiersma, Harm\"]\n\n1. 31-26 16-21 0-2\n\n\
[White \"Broken\"]\n[Black \"Game\"]\n\n1. 31-26 16-22 2. 34-30 *\n";

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// The name of a file with this content.
    fn file(&self, name: &str, content: &str) -> String {
        fs::write(self.path(name), content).unwrap();
        self.name(name)
    }

    /// A file of the games above.
    fn games(&self) -> String {
        let (pdn, games) = (self.file("games.pdn", GAMES), self.name("club.games"));
        let output = run(["games", "import", &pdn, "--to", &games], "");
        let said = format!("{pdn} (utf-8): 4 games, 4 added, 0 duplicates, 1 broken\n");
        assert_eq!((output.code, output.stdout), (0, said));
        assert!(output.stderr.contains("games.pdn, line 24: ") && output.stderr.contains("16-22"));
        games
    }
}

fn games(args: &[&str]) -> Output {
    run([&["games"], args].concat(), "")
}

fn ok(args: &[&str]) -> String {
    games(args).success().stdout
}

#[test]
fn from_pdn_to_answers() {
    let folder = Folder::new();
    let file = folder.games();
    let again = ok(&["import", &folder.name("games.pdn"), "--to", &file]);
    assert!(again.ends_with("games.pdn: imported before\n"), "{again}");
    let info = games(&["info", &file, "--json"]).success().json_lines().remove(0);
    assert_eq!(
        (&info["games"], &info["players"], &info["first_year"]),
        (&json!(4), &json!(5), &json!(1977))
    );
    assert_eq!((&info["white_wins"], &info["annotated"]), (&json!(1), &json!(2)));
    assert!(ok(&["info", &file]).contains("4 games of 5 players, 3 events, 1977 to 1978"));
    assert_eq!(ok(&["check", &file]), "4 games, 11 plies, 15 positions in the index: no fault\n");

    let ids = |args: &[&str]| -> Vec<i64> {
        let lines = games(&[&["find", &file, "--json"], args].concat()).success().json_lines();
        lines.iter().map(|line| line["game"].as_i64().unwrap()).collect()
    };
    assert_eq!(ids(&[]), [1, 2, 3, 4]);
    assert_eq!(ids(&["--player", "sijbrands"]), [1, 2]);
    assert_eq!(ids(&["--player", "sijbrands", "--black"]), [2]);
    assert_eq!(ids(&["--player", "wiersma", "--result", "win"]), [3]);
    assert_eq!(ids(&["--opponent", "wiersma", "--years", "1970-1977"]), [1]);
    assert_eq!(ids(&["--event", "cup", "--result", "1-1"]), [2]);
    assert_eq!(ids(&["--sort", "date", "--limit", "2"]), [2, 1]);
    assert_eq!(ids(&["--length", "-2"]), [3, 4]);
    let position = "B:W28,31,33-50:B1-20";
    assert_eq!(ids(&["--position", position]), [1, 2]);
    assert_eq!(ids(&["--position", position, "--player", "ton", "--white"]), [1]);
    assert_eq!(ids(&["--pattern", "w28 b23"]), [1]);
    assert_eq!(ids(&["--pattern", "b23 one-of w28,19 not w32", "--twin"]), [1]);
    assert_eq!(ids(&["--moves", "32-28 28x17"]), [2]);
    assert_eq!(ids(&["--moves", "19-23", "--twin"]), [1, 2]);
    let table = ok(&["find", &file, "--position", position]);
    assert!(table.ends_with("2 games\n") && table.contains("Sijbrands, Ton"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert_eq!(ok(&["find", &file, "--limit", "0"]), "4 games, 0 shown\n");
    let pdn = ok(&["find", &file, "--player", "ton", "--white", "--pdn"]);
    assert!(pdn.contains("19-23 {a man each} 2."), "{pdn}");

    let tree = games(&["tree", &file, "--json"]).success().json_lines().remove(0);
    assert_eq!((&tree["games"], &tree["won"], &tree["lost"]), (&json!(4), &json!(1), &json!(1)));
    let moves = tree["moves"].as_array().unwrap();
    let first = moves.iter().find(|mv| mv["move"] == "32-28").unwrap();
    assert_eq!((&first["move"], &first["games"]), (&json!("32-28"), &json!(2)));
    assert_eq!((&first["share"], &first["last_year"]), (&json!(0.75), &json!(1978)));
    let text = ok(&["tree", &file, position, "--event", "cup"]);
    assert!(
        text.contains("17-22") && text.ends_with("0 won, 1 drawn, 1 lost, 0 ended here\n"),
        "{text}"
    );
    let stats = games(&["stats", &file, "--player", "wiersma", "--json"]).success().json_lines();
    assert_eq!(
        (&stats[0]["games"], &stats[0]["won"], &stats[0]["share"]),
        (&json!(3), &json!(1), &json!(0.5))
    );
    assert!(ok(&["stats", &file]).contains("31-26 16-21"));
}

/// What users write of the result is theirs: every writer keeps it, and every reader names once what
/// cannot be read, and a tag that says something else than the end.
#[test]
fn texts_of_results_go_through_every_program() {
    let texts = [
        ("1:1", "1-1"),
        ("2:0", "2-0"),
        ("0 : 2", "0-2"),
        ("12:8", "2-0"),
        ("20-0", "2-0"),
        ("4-6", "0-2"),
        ("1/2", "1-1"),
        ("½", "1-1"),
        ("1/2:1/2", "1-1"),
        ("1 1/2 - 1/2", "2-0"),
        ("+/-", "2-0"),
        ("-/+", "0-2"),
        ("remise", "*"),
        ("2-0 (forfait)", "*"),
    ];
    let folder = Folder::new();
    let game = |number: usize, text: &str, end: &str| {
        format!(
            "[White \"P{number}\"]\n[Black \"Q\"]\n[Result \"{text}\"]\n\n1. 32-28 19-23 {end}\n\n"
        )
    };
    let all: String =
        texts.iter().zip(1..).map(|(&(text, end), number)| game(number, text, end)).collect();
    let pdn = folder.file("results.pdn", &(all + &game(99, "2-0", "0-2")));
    let [file, merged, out, puzzles, book] =
        ["r.games", "m.games", "out.pdn", "puzzles.pdn", "r.book"].map(|name| folder.name(name));

    let quick = ["--hash=1", "--nodes=10", "--force"];
    let readers = [
        vec!["games", "import", &pdn, "--to", &file],
        [&["annotate", &pdn, "-o", &out], &quick[..]].concat(),
        [&["puzzles", &pdn, "-o", &puzzles], &quick[..]].concat(),
        vec!["book", "build", &pdn, "-o", &book, "--min-games=1"],
        vec!["analyse", &pdn, "--hash=1", "--nodes=10"],
        vec!["ratings", &pdn],
    ];
    for args in readers {
        let output = run(&args, "");
        assert_eq!(output.code, 0, "{args:?}: {output:?}");
        for said in ["'remise' is not a result", "the Result tag says 2-0, the end of the game 0-2"]
        {
            assert_eq!(output.stderr.matches(said).count(), 1, "{args:?}: {output:?}");
        }
    }
    assert_eq!(ok(&["merge", &file, "--to", &merged]).lines().count(), 1);
    let exported = ok(&["export", &merged]);
    let found = ok(&["find", &file, "--pdn"]);
    for written in [exported, found, fs::read_to_string(out).unwrap()] {
        for ((text, end), number) in texts.into_iter().zip(1..) {
            let (_, game) = written.split_once(&format!("[White \"P{number}\"]")).unwrap();
            let game = game.split("[Event ").next().unwrap().trim_end();
            assert!(game.contains(&format!("[Result \"{text}\"]")), "{text}: {game}");
            assert!(game.ends_with(&format!(" {end}")), "{text}: {game}");
        }
    }
}

/// Wins of the databases that were won or not, play by scores after moves; as lines, JSON and a page.
#[test]
fn statistics_by_endgame_and_annotation() {
    let folder = Folder::new();
    let game = |white: &str, black: &str, rest: &str| {
        format!("[Date \"1999\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n{rest}\n\n")
    };
    let text = [
        game("A", "<b>B</b>", "[FEN \"B:W6:BK50,K46\"]\n1... 50-45 0-2"),
        game("A", "C", "[FEN \"W:WK1,K5:B45\"]\n1. 5-28 2-0"),
        game("C", "A", "[FEN \"B:W6:BK50,K46\"]\n1... 50-45 1-1"),
        game("C", "A", "[FEN \"W:W46:B5\"]\n1. 46-41 *"),
        game(
            "A",
            "C",
            "1. 32-28 {[%eval 0.1]} 19-23 $4 {[%eval 2.5]} 2. 28x19 {[%eval 2.5]} 14x23 {[%eval 2.5]} 2-0",
        ),
    ]
    .concat();
    let (pdn, file) = (folder.file("a.pdn", &text), folder.name("a.games"));
    ok(&["import", &pdn, "--to", &file]);
    let page = folder.name("a.html");
    let rows = games(&["stats", &file, "--player", "a", "--json", "--html", &page]);
    let rows = rows.success().json_lines();
    let row = |group: &str, name: &str| {
        let row = rows.iter().find(|row| row["group"] == group && row["name"] == name);
        row.unwrap_or_else(|| panic!("{group} {name}: {rows:?}"))
    };
    let results = |group, name| {
        let row = row(group, name);
        ["games", "won", "drawn", "lost"].map(|key| row[key].as_u64().unwrap())
    };
    assert_eq!(results("all", ""), [5, 2, 1, 1]);
    // Two kings against a man win: one was won, one was not.
    assert_eq!(results("endgame", "won"), [2, 1, 1, 0]);
    assert_eq!(results("endgame", "drawn"), [1, 0, 0, 0]);
    assert_eq!(results("endgame", "lost"), [1, 0, 0, 1]);
    assert_eq!(results("opponent", "<b>B</b>"), [1, 0, 0, 1]);
    assert_eq!(row("all", "")["annotated_moves"], 0);
    let rows = games(&["stats", &file, "--player", "c", "--json"]).success().json_lines();
    assert_eq!((&rows[0]["annotated_moves"], &rows[0]["blunders"]), (&json!(2), &json!(1)));
    assert!(rows[0]["accuracy"].as_f64().unwrap() < 90.0, "{}", rows[0]);
    let text = ok(&["stats", &file, "--player", "c"]);
    assert!(text.contains("accuracy") && text.contains("endgame"), "{text}");
    let without = ok(&["stats", &file, "--egdb-pieces", "0"]);
    assert!(!without.contains("endgame") && without.contains("player"), "{without}");
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("&lt;b&gt;B") && !html.contains("<b>B"), "{html}");
    assert!(html.contains("Endgames, by their value") && html.contains("@media print"), "{html}");
    assert_eq!(games(&["stats", &file, "--html", &page]).code, 2, "the page is there");
    assert_eq!(games(&["stats", &file, "--html", &file, "--force"]).code, 2);
}

#[test]
fn other_commands_read_it() {
    let folder = Folder::new();
    let file = folder.games();
    let (one, two) = (folder.name("one.book"), folder.name("two.book"));
    let pdn = folder.name("games.pdn");
    // The PDN has a broken game; the file of games has its playable part.
    let from_pdn = run(["book", "build", &pdn, "-o", &one], "");
    assert_eq!((from_pdn.code, from_pdn.stdout.starts_with("4 games, 4 of use")), (0, true));
    let from_games = run(["book", "build", &file, "-o", &two], "").success().stdout;
    assert!(from_games.starts_with("4 games, 4 of use"), "{from_games}");
    let probe = |book: &str| run(["book", "probe", "--book", book, "--json"], "").success().stdout;
    assert_eq!(probe(&one), probe(&two));
    let analysed = run(["analyse", &file, "--depth", "1"], "").success().stdout;
    assert!(analysed.contains("Clerc - Wiersma, Harm"), "{analysed}");
    let out = folder.name("annotated.pdn");
    let _ = run(["annotate", &file, "-o", &out, "--depth", "1"], "").success();
    assert!(!ok(&["export", &file]).contains("[%eval"));
    let _ = run(["annotate", &file, "-o", &out, "--depth", "1", "--write-back", "--force"], "")
        .success();
    let back = ok(&["export", &file]);
    assert!(back.contains("[%eval") && back.contains("a man each"), "{back}");
    let no_file = ["annotate", &pdn, "-o", &folder.name("x.pdn"), "--depth", "1", "--write-back"];
    assert_eq!(run(no_file, "").code, 2);
    let text = fs::read_to_string(&out).unwrap();
    assert!(text.contains("[%eval") && text.contains("Clerc"), "{text}");
}

#[test]
fn a_file_is_kept_in_order() {
    let folder = Folder::new();
    let file = folder.games();
    assert_eq!(ok(&["rename", &file, "Clerc", "Clerc, Rob"]), "1 game changed\n");
    assert_eq!(games(&["rename", &file, "Clerc", "x"]).code, 2);
    let other = folder.name("other.games");
    let merged = ok(&["merge", &file, "--to", &other]);
    assert!(merged.contains("4 games, 4 added, 0 duplicates"), "{merged}");
    let merged = games(&["merge", &file, "--to", &other]);
    assert!(merged.stdout.contains("4 games, 0 added, 4 duplicates"), "{merged:?}");
    let named = "club.games, game 3: Clerc, Rob - Wiersma, Harm, left out: it is game 3";
    assert!(merged.code == 0 && merged.stderr.contains(named), "{merged:?}");
    assert_eq!(ok(&["export", &file]), ok(&["export", &other]));
    let out = folder.name("out.pdn");
    assert_eq!(ok(&["export", &file, "--player", "clerc", "-o", &out]), "");
    assert!(fs::read_to_string(&out).unwrap().contains("[White \"Clerc, Rob\"]"));
    assert_eq!(games(&["export", &file, "-o", &out]).code, 2);
    assert_eq!(games(&["delete", &file]).code, 2, "no condition");
    assert_eq!(ok(&["delete", &file, "--player", "clerc"]), "1 game taken out\n");
    assert_eq!(ok(&["delete", &file, "--game", "4"]), "1 game taken out\n");
    assert_eq!(games(&["delete", &file, "--game", "4"]).code, 2);
    assert_eq!(ok(&["find", &file, "--moves", "31-26"]), "0 games\n");
    assert_eq!(ok(&["dedupe", &file]), "0 duplicates taken out\n");
    assert!(ok(&["vacuum", &file]).contains(" bytes before, "));
    assert_eq!(ok(&["check", &file]), "2 games, 8 plies, 10 positions in the index: no fault\n");
}

#[test]
fn bad_input_is_named() {
    let folder = Folder::new();
    let file = folder.games();
    for (args, reason) in [
        (["find", &file, "--pattern", "w27,51"], "'51' is not a square"),
        (["find", &file, "--moves", "27"], "expected a move"),
        (["find", &file, "--position", "W:W51"], "cannot read the position"),
        (["find", &file, "--years", "x"], "expected years"),
        (["find", &file, "--result", "win"], "name one"),
        (["find", &file, "--player", "[x"], "not a pattern"),
        (["import", "nowhere.pdn", "--to", &file], "nowhere.pdn: No such file"),
        (["import", &folder.file("no.pdn", "nothing here"), "--to", &file], "no game"),
        (
            ["import", &folder.name("games.pdn"), "--to", &folder.name("games.pdn")],
            "not a file of games",
        ),
        (["import", &folder.name("games.pdn"), "--to", "/nowhere/x.games"], "/nowhere/x.games"),
        (["tree", "nowhere.games", "--player", "x"], "nowhere.games"),
        (["tree", &folder.name("games.pdn"), "--player", "x"], "not a file of games"),
    ] {
        let output = games(&args);
        assert!(matches!(output.code, 1 | 2), "{args:?}: {output:?}");
        assert!(output.stderr.contains(reason), "{args:?}: {output:?}");
    }
    assert_eq!(fs::read_to_string(folder.path("games.pdn")).unwrap(), GAMES);
    let name = "x'; DROP TABLE games; --";
    let pdn = folder.file("sql.pdn", &format!("[White \"{name}\"]\n\n1. 31-26 *\n"));
    ok(&["import", &pdn, "--to", &file]);
    assert!(ok(&["find", &file, "--player", name]).ends_with("1 game\n"));
    assert!(ok(&["find", &file, "--limit", "0"]).starts_with("5 games"));
}

/// A refused file is named, the others are added, and a file of games is made only for a game.
#[test]
fn what_cannot_be_read_does_not_stop_the_rest() {
    let folder = Folder::new();
    let (good, bad) = (folder.file("good.pdn", GAMES), folder.file("bad.zip", "PK\u{3}\u{4}xxxx"));
    let (to, none) = (folder.name("all.games"), folder.name("none.pdn"));
    let output = games(&["import", &bad, &none, "--to", &to]);
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("bad.zip: ") && output.stderr.contains("none.pdn: "));
    assert!(!folder.path("all.games").exists());
    let output = games(&["import", &bad, &good, &none, "--to", &to]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.contains("4 games, 4 added") && output.stderr.contains("2 files not"));
    // Another file of games is for 'merge', where one bad file does not stop the others either.
    let output = games(&["import", &to, "--to", &folder.name("x.games")]);
    assert!(output.code == 2 && output.stderr.contains("'games merge'"), "{output:?}");
    let output = games(&["merge", &good, &to, "--to", &folder.name("x.games")]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.contains("4 games, 4 added") && output.stderr.contains("good.pdn: "));
}

/// Each game that is not added is named, in text and as JSON, by `import` and `merge`.
#[test]
fn duplicates_are_named() {
    let folder = Folder::new();
    let file = folder.games();
    let fuller = GAMES.replace("16-21 0-2", "16-21 {so it goes} 0-2").replace("Clerc", "Clerc, R.");
    let pdn = folder.file("more.pdn", &fuller);
    let output = games(&["import", &pdn, "--to", &file]);
    assert!(output.stdout.contains("4 games, 1 added, 3 duplicates"), "{output:?}");
    let named = "more.pdn, line 1: Sijbrands, Ton - Wiersma, Harm, left out: it is game 1\n";
    assert!(output.stderr.contains(named) && !output.stderr.contains("Clerc"), "{output:?}");
    let other = folder.name("other.games");
    let _ = games(&["import", &folder.name("games.pdn"), "--to", &other]);
    let better = ["merge", &file, "--to", &other, "--duplicates", "better", "--json"];
    let lines = games(&better).success().json_lines();
    let last = &lines[lines.len() - 1];
    assert_eq!(
        (&last["added"], &last["duplicates"], &last["replaced"]),
        (&json!(0), &json!(4), &json!(1))
    );
    let replaced: Vec<_> = lines.iter().filter(|line| line["replaces"] == true).collect();
    assert_eq!(replaced.len(), 1, "{lines:?}");
    assert_eq!(
        (&replaced[0]["type"], &replaced[0]["number"], &replaced[0]["game"], &replaced[0]["white"]),
        (&json!("games_duplicate"), &json!(5), &json!(3), &json!("Clerc, R."))
    );
    assert!(ok(&["export", &other]).contains("so it goes"));
    let bad = games(&["import", &pdn, "--to", &file, "--duplicates", "worse"]);
    assert!(bad.code == 2 && bad.stderr.contains("keep, skip, better"), "{bad:?}");
    let again = folder.file("x.pdn", &(fuller + "\n"));
    let keep = games(&["import", &again, "--to", &file, "--duplicates", "keep"]).stdout;
    assert!(keep.contains("4 games, 4 added, 0 duplicates"), "{keep}");
}

/// `-` and pipes are read and written by every command.
#[cfg(unix)]
#[test]
fn dash_and_pipes_are_files() {
    let folder = Folder::new();
    let file = folder.games();
    let here = |args: &[&str], input: &str| run_in(&folder.path(""), args, input);
    let said = here(&["games", "import", "-", "--to", "new.games"], GAMES).stdout;
    assert!(said.starts_with("- (utf-8): 4 games, 4 added"), "{said}");
    let pdn = here(&["games", "export", "club.games", "-o", "-"], "").success().stdout;
    assert_eq!(pdn, ok(&["export", &file]));
    let text = "mkfifo pipe; cat games.pdn > pipe & \"$0\" games import pipe --to piped.games";
    let mut shell = Command::new("sh");
    let piped =
        shell.arg("-c").arg(text).arg(binary()).current_dir(folder.path("")).output().unwrap();
    assert!(String::from_utf8(piped.stdout).unwrap().contains("4 games, 4 added"));
    let random =
        "--engine#name=a random#--engine#name=b random#--openings#start#--pairs#1#--tc#nodes=10";
    let random: Vec<&str> = random.split('#').collect();
    // Outputs of all kinds; what else is said goes to standard error.
    for (args, begin) in [
        (&["games", "export", "club.games", "-o", "-"][..], "[Event"),
        (&["games", "stats", "club.games", "--html", "-"], "<!DOCTYPE html>"),
        (&["annotate", "-", "-o", "-", "--depth", "1"], "[Event"),
        (
            &["annotate", "games.pdn", "-o", "x.pdn", "--html", "-", "--depth", "1"],
            "<!DOCTYPE html>",
        ),
        (&["puzzles", "-", "-o", "-", "--depth", "1"], ""),
        (&["book", "build", "-", "-o", "new.book"], "4 games, 4 of use"),
        (&["book", "export", "new.book", "--pdn", "-o", "-"], "[Event"),
        (&["board", "--svg", "-o", "-"], "<svg"),
        (&["board", "games.pdn", "--ply", "2", "-o", "-"], "1 "),
        (&["ratings", "-"], "place"),
        (&["analyse", "-", "--depth", "1"], "Game 1"),
        (&[&["match", "--pdn", "-"][..], &random].concat()[..], "[Event"),
        (&[&["match", "--csv", "-"][..], &random].concat()[..], "game,"),
    ] {
        let output = here(args, GAMES);
        assert_eq!(output.code, 0, "{args:?}: {output:?}");
        assert!(output.stdout.trim_start().starts_with(begin), "{args:?}: {output:?}");
    }
    for args in [
        &["book", "build", "games.pdn", "-o", "-"][..],
        &["annotate", "games.pdn", "-o", "-", "--html", "-", "--depth", "1"],
        &["book", "build", "-", "--lines", "-o", "lines.book"],
    ] {
        let output = here(args, GAMES);
        assert_eq!(output.code, 2, "{args:?}: {output:?}");
    }
    assert!(!folder.path("-").exists() && !folder.path("-.journal").exists());
}

/// A game whose White is missing: each command names it, works on the others, and does not succeed.
#[test]
fn a_damaged_game_is_named_and_the_others_are_used() {
    let folder = Folder::new();
    let file = folder.games();
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection
        .execute_batch("PRAGMA foreign_keys = OFF; UPDATE games SET white = 999 WHERE id = 2")
        .unwrap();
    drop(connection);
    let (pdn, merged, book) =
        (folder.name("out.pdn"), folder.name("merged.games"), folder.name("out.book"));
    for args in [
        &["games", "export", &file, "-o", &pdn][..],
        &["games", "find", &file],
        &["games", "find", &file, "--pdn", "--sort", "white"],
        &["games", "stats", &file],
        &["games", "merge", &file, "--to", &merged],
        &["book", "build", &file, "-o", &book],
        &["games", "check", &file],
    ] {
        let output = run(args, "");
        assert_eq!(output.code, 1, "{args:?}: {output:?}");
        let said = output.stdout + &output.stderr;
        assert!(said.contains("game 2: its White is missing"), "{args:?}: {said}");
    }
    assert_eq!(fs::read_to_string(&pdn).unwrap().matches("[Result ").count(), 3);
    assert!(ok(&["find", &merged, "--limit", "0"]).starts_with("3 games"));
    assert!(folder.path("out.book").is_file());
}

/// SQLite reads these names as something else.
#[test]
fn every_name_is_a_name_of_a_file() {
    let folder = Folder::new();
    folder.file("a.pdn", GAMES);
    let here = |args: &[&str]| {
        let output = Command::new(binary()).args(args).current_dir(folder.0.path()).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for name in [":memory:", "file:x.games", "file:y?mode=memory", "a?b#c%41.games"] {
        here(&["games", "import", "a.pdn", "--to", name]);
        assert!(folder.path(name).is_file(), "{name}");
        assert!(here(&["games", "info", name]).starts_with(name));
        assert!(here(&["games", "check", name]).contains("no fault"), "{name}");
    }
    let count = fs::read_dir(folder.0.path()).unwrap().count();
    assert_eq!(count, 5, "companions or other files");
}

/// Also by somebody with fewer rights than root.
#[cfg(target_os = "linux")]
#[test]
fn what_can_only_be_read_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let file = folder.games();
    let mode = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let program = folder.path("meerslag");
    fs::hard_link(binary(), &program).or_else(|_| fs::copy(binary(), &program).map(drop)).unwrap();
    mode(&folder.path("club.games"), 0o444);
    mode(folder.0.path(), 0o555);
    let is_root = fs::write(folder.path("x"), "").is_ok();
    let somebody = |args: &[&str]| {
        let mut command = Command::new(&program);
        if is_root {
            command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).arg(&program);
        }
        let output = command.args(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout) + &text(output.stderr))
    };
    for args in [
        &["games", "find", &file, "--pattern", "w28"][..],
        &["games", "info", &file],
        &["games", "check", &file],
        &["games", "export", &file],
        &["games", "tree", &file],
        &["games", "stats", &file],
    ] {
        let (code, said) = somebody(args);
        assert_eq!(code, Some(0), "{args:?}: {said}");
    }
    let (code, said) = somebody(&["games", "rename", &file, "Clerc", "X"]);
    assert!(code == Some(1) && said.contains("club.games: cannot be written: the file"), "{said}");
    // Changes beside it that SQLite cannot read there.
    mode(folder.0.path(), 0o755);
    fs::write(folder.path("club.games-wal"), "changes").unwrap();
    mode(folder.0.path(), 0o555);
    let (code, said) = somebody(&["games", "info", &file]);
    mode(folder.0.path(), 0o755);
    assert!(code == Some(1) && said.contains("club.games-wal, which can be read only"), "{said}");
}

/// Ctrl-C after the first of many files: the message says how many games are there.
#[cfg(unix)]
#[test]
fn an_interrupted_merge_says_what_is_kept() {
    use std::io::{BufRead, BufReader, Read};
    let folder = Folder::new();
    let (first, second) = (folder.games(), folder.name("second.games"));
    let names: Vec<String> =
        (0..20).map(|number| folder.file(&format!("{number:02}.pdn"), &pdn(number))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    ok(&[&["import", "--to", &second][..], &names].concat());
    let merged = folder.name("merged.games");
    let mut child = Command::new(binary())
        .args(["games", "merge", "--to", &merged, &first])
        .args(vec![&second; 500])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert!(line.contains("4 games, 4 added"), "{line}");
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    let found = ok(&["find", &merged, "--limit", "0"]);
    let count = found.split_once(" games").unwrap().0;
    assert!(said.contains(&format!("{count} games of whole files added")), "{found}{said}");
}

/// Where nothing can be written, or read, the message says where.
#[cfg(target_os = "linux")]
#[test]
fn what_the_system_refuses_is_named() {
    let folder = Folder::new();
    let (file, pdn) = (folder.games(), folder.name("games.pdn"));
    let output = games(&["import", &pdn, "--to", "/proc/x.games"]);
    assert!(output.code == 1 && output.stderr.contains("/proc/x.games"), "{output:?}");
    let output = games(&["import", "/proc/self/mem", "--to", &file]);
    assert!(output.code == 2 && output.stderr.contains("/proc/self/mem: "), "{output:?}");
    assert_eq!(ok(&["find", &file, "--limit", "0"]), "4 games, 0 shown\n");
}

/// A file that may not grow, as on a full disk: files reported as imported are there, the
/// unfinished one is not, and the same command continues when there is room.
#[cfg(unix)]
#[test]
fn where_the_disk_is_full_it_loses_nothing() {
    let folder = Folder::new();
    let file = folder.name("club.games");
    let names: Vec<String> =
        (0..20).map(|number| folder.file(&format!("{number:02}.pdn"), &pdn(number))).collect();
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 1000; exec \"$@\"", "sh"])
        .arg(binary())
        .args(["games", "import", "--to", &file])
        .args(&names)
        .output()
        .unwrap();
    let (said, why) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(1), "{said}{why}");
    assert!(why.contains("club.games: "), "{why}");
    let whole = said.lines().count() as u64;
    assert!((1..20).contains(&whole), "{said}");
    let check = games(&["check", &file, "--json"]).success().json_lines().remove(0);
    assert_eq!((&check["games"], &check["faults"]), (&json!(100 * whole), &json!([])));
    let rest: Vec<&str> = names.iter().map(String::as_str).collect();
    ok(&[&["import", "--to", &file][..], &rest].concat());
    let check = games(&["check", &file, "--json"]).success().json_lines().remove(0);
    assert_eq!((&check["games"], &check["faults"]), (&json!(2_000), &json!([])));
}

/// A hundred games of one file, different for each number.
fn pdn(number: u64) -> String {
    let mut random = Random::new(number);
    let mut text = String::new();
    for _ in 0..100 {
        let mut game = PdnGame::new(Position::initial());
        let mut position = game.start;
        while game.line.plies.len() < 40 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[(random.next_u64() % moves.len() as u64) as usize];
            game.line.plies.push(Ply::from(mv));
            position = position.after(mv);
        }
        text += &game_to_string(&game, &WriteOptions::default());
    }
    text
}

/// Thirty times the program is killed at some moment of an import. Files reported as imported are
/// there each time, the file is in order, and in the end nothing is missing or twice.
#[cfg(unix)]
#[test]
fn killed_at_any_moment_it_loses_nothing() {
    let folder = Folder::new();
    let file = folder.name("club.games");
    let mut names: Vec<String> =
        (0..40).map(|number| folder.file(&format!("{number:02}.pdn"), &pdn(number))).collect();
    names.insert(0, "import".into());
    let mut random = Random::new(99);
    let mut most = 0;
    for round in 0..30 {
        let log = fs::File::create(folder.path("log")).unwrap();
        let mut child = Command::new(binary())
            .arg("games")
            .args(&names)
            .args(["--to", &file])
            .stdout(log)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Every other time not before the file is there, however slow the machine is.
        while round % 2 == 1
            && !folder.path("club.games").exists()
            && child.try_wait().unwrap().is_none()
        {
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_millis(20 + random.next_u64() % 300));
        child.kill().unwrap();
        child.wait().unwrap();
        let log = fs::read_to_string(folder.path("log")).unwrap();
        let whole = log.lines().filter(|line| line.contains(".pdn")).count() as u64;
        if !folder.path("club.games").exists() {
            assert_eq!(whole, 0);
            continue;
        }
        let info = games(&["info", &file, "--json"]);
        if info.code != 0 {
            // Killed before the tables were there.
            assert_eq!(most, 0, "{info:?}");
            continue;
        }
        let there = info.json_lines()[0]["games"].as_u64().unwrap();
        assert!(
            there >= 100 * whole && there.is_multiple_of(100) && there >= most,
            "{there} of {whole}"
        );
        most = there;
    }
    let check = games(&["check", &file, "--json"]).success().json_lines().remove(0);
    assert_eq!(check["faults"], json!([]));
    let rest: Vec<&str> = names.iter().map(String::as_str).chain(["--to", &file]).collect();
    ok(&rest);
    let check = games(&["check", &file, "--json"]).success().json_lines().remove(0);
    assert_eq!((&check["games"], &check["faults"]), (&json!(4_000), &json!([])));
}
