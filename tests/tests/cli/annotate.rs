//! `meerslag annotate`: from a file of games to annotated ones and a report.

use std::fs;
use std::path::PathBuf;

use meerslag_files::exclusive;
use meerslag_tests::{Output, run};
use movegen::notation::pdn::{PdnGame, PdnReader};
use serde_json::Value;
use tempfile::TempDir;

const GAMES: &str = "\
[White \"A\"]\n[Black \"B\"]\n[Result \"0-2\"]\n[FEN \"W:W27,28,32,37:B14,18,19,23\"]\n\
1. 27-22 {[%clk 0:01:00]} 18x38 {[%clk 0:00:58]} 2. 28-22 38-43 3. 22-17 43-48 0-2\n\n\
[White \"B\"]\n[Black \"A <b>\"]\n[FEN \"W:W18:B3,4,5\"]\n1. 18-13 *\n\n\
[White \"C\"]\n1. 31-26 *\n";

struct World {
    folder: TempDir,
}

impl World {
    fn new() -> World {
        let world = World { folder: TempDir::new().unwrap() };
        fs::write(world.path("games.pdn"), GAMES).unwrap();
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn annotate(&self, args: &[&str]) -> Output {
        let input = self.path("games.pdn").display().to_string();
        let out = self.path("out.pdn").display().to_string();
        let args = [&["annotate", &input, "-o", &out, "--hash=1"], args].concat();
        run(args, "")
    }

    fn games(&self) -> Vec<PdnGame> {
        let file = fs::read(self.path("out.pdn")).unwrap();
        PdnReader::new(&file[..]).map(Result::unwrap).collect()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[test]
fn annotated_games_a_report_and_json() {
    let world = World::new();
    let html = world.path("report.html").display().to_string();
    let output = world.annotate(&["--nodes=2000", "--json", "--html", &html]).success();
    let mut lines = output.json_lines();
    let summary = lines.pop().unwrap();
    assert_eq!(summary["type"], "annotation_summary");
    let worst = &summary["instructive"][0];
    assert_eq!((&worst["game"], &worst["ply"]), (&2.into(), &0.into()), "{summary}");
    assert_eq!(
        (&worst["kind"], &worst["phase"]),
        (&"won_endgame_not_won".into(), &"endgame".into())
    );
    assert!(worst["text"].as_str().unwrap().contains("gives the win away"), "{worst}");
    let endgames = summary["endgames"].as_array().unwrap();
    assert!(endgames.iter().any(|it| it["game"] == 2 && it["ply"] == 0), "{summary}");
    let (games, players): (Vec<&Value>, Vec<&Value>) =
        lines.iter().partition(|line| line["type"] == "annotated_game");
    assert_eq!((games.len(), players.len()), (3, 5));
    let names: Vec<_> = players.iter().map(|player| player["player"].as_str().unwrap()).collect();
    assert_eq!(names, ["A", "B", "A <b>", "C", "Black"]);
    assert_eq!(games[0]["turning_point"], 0);
    assert_eq!(games[0]["moves"][0]["grade"], "blunder");
    assert!(games[0]["moves"][0]["drop"].as_f64().unwrap() >= 0.2);
    let thrown_away = &games[1]["moves"][0];
    assert_eq!((&thrown_away["value"], &thrown_away["drop"]), (&"win".into(), &1.0.into()));

    // The counts of the players are the mistakes of the games.
    let total = |record: &Value, key: &str| -> u64 {
        record[key].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum()
    };
    let mistakes: usize = games.iter().map(|game| game["mistakes"].as_array().unwrap().len()).sum();
    for key in ["phases", "kinds"] {
        let sum: u64 = players.iter().map(|player| total(player, key)).sum();
        assert_eq!(sum, mistakes as u64, "{key}: {players:?}");
    }

    // The file says the same.
    let written = world.games();
    assert_eq!(written.len(), 3);
    for (pdn, game) in written.iter().zip(&games) {
        assert!(pdn.warnings.is_empty(), "{:?}", pdn.warnings);
        let moves = game["moves"].as_array().unwrap();
        assert_eq!(pdn.line.plies.len(), moves.len());
        for (ply, found) in pdn.line.plies.iter().zip(moves) {
            let score = ply.comments().next().unwrap().evaluation().unwrap();
            assert!((score - found["score"].as_f64().unwrap()).abs() < 0.006);
            let glyph = match found["grade"].as_str().unwrap() {
                "good" => None,
                "inaccuracy" => Some(6),
                "mistake" => Some(2),
                _ => Some(4),
            };
            assert_eq!(ply.nags.iter().copied().find(|nag| *nag != 7), glyph, "{found}");
        }
    }
    let said = written[1].line.plies[0].comments().next().unwrap().plain_text();
    assert!(said.starts_with("Databases: "), "{said}");

    let page = fs::read_to_string(&html).unwrap();
    let foreign = page.replace("href=\"#", "").replace("url(#", "");
    for reference in ["src=", "href=", "url(", "@import", "<link", "fetch(", "import("] {
        assert!(!foreign.contains(reference), "{reference}");
    }
    assert!(page.contains("A \\u003cb>") && !page.contains("A <b>"));
    assert!(page.contains("<html lang=\"en\">"));
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let report: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let data = report["games"].as_array().unwrap();
    assert_eq!((data.len(), report["rows"].as_array().unwrap().len()), (3, 3));
    // The page shows what `--json` says.
    for (shown, player) in report["players"].as_array().unwrap().iter().zip(&players) {
        for (key, value) in shown.as_object().unwrap() {
            assert_eq!(&player[key], value, "{key}");
        }
    }
    assert_eq!(report["players"].as_array().unwrap().len(), players.len());
    assert_eq!(report["summary"]["endgames"], summary["endgames"]);
    assert_eq!(report["summary"]["instructive"], summary["instructive"]);
    // The clocks of the PDN, and a note for each move.
    assert_eq!(data[0]["i"][0][3], 60.0);
    assert_eq!(data[0]["n"].as_array().unwrap().len(), 6);
    assert_eq!(world.names(), ["games.pdn", "out.pdn", "report.html"], "the journal has gone");

    // In another language, games and page.
    let more = ["--nodes=10", "--force", "--language=fr"];
    let _ = world.annotate(&[&more[..], &["--html", &html]].concat()).success();
    assert!(fs::read_to_string(&html).unwrap().contains("<html lang=\"fr\">"));
    let text = fs::read_to_string(world.path("out.pdn")).unwrap();
    assert!(text.contains("mieux") && !text.contains("better"), "{text}");

    // An existing file stays.
    let again = world.annotate(&["--nodes=10"]);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("--force"), "{again:?}");
    let table = world.annotate(&["--nodes=10", "--force"]).success().stdout;
    assert!(table.starts_with("player") && table.contains("A <b>"), "{table}");
}

/// The comments and variations of people, before and after the first time.
#[test]
fn annotating_again_replaces_what_was_added_and_nothing_else() {
    let world = World::new();
    let before = GAMES.replace("38-43 3.", "38-43 $1 {forced?} (38-42 {or this}) (38-42) 3.");
    fs::write(world.path("games.pdn"), before).unwrap();
    let next = |input: &str, nodes: &str| {
        fs::rename(world.path(input), world.path("games.pdn")).unwrap();
        let _ = world.annotate(&[nodes]).success();
        fs::read_to_string(world.path("out.pdn")).unwrap()
    };
    let first = next("games.pdn", "--nodes=2000");
    for added in ["{[%eval ", " $4 28-22] Blunder: ", " [%annotate ", "Databases: "] {
        assert!(first.replace('\n', " ").contains(added), "{added}: {first}");
    }
    assert_eq!(next("out.pdn", "--nodes=2000"), first, "the same limits find the same");

    // Other limits: each mark is there once, and so are people's own.
    let counts = |text: &str| {
        let text = text.replace('\n', " ");
        [
            "[%eval",
            "[%annotate",
            "[%clk",
            "forced?",
            "or this",
            "(2... 38-42",
            "$1 ",
            "of the points",
        ]
        .map(|part| text.matches(part).count())
    };
    let mut other = next("out.pdn", "--nodes=20");
    assert_eq!(counts(&other)[..7], counts(&first)[..7], "{other}");
    assert_eq!(counts(&first)[..6], [8, 8, 2, 1, 1, 2]);

    // A comment of ours that people have changed is theirs, and stays as it is; so does a variation
    // with their words in it.
    other = first.replace("Blunder: ", "I was asleep. Blunder: ").replacen(
        "(1. 28-22",
        "(1. 28-22 {!}",
        1,
    );
    assert_ne!(other, first);
    fs::write(world.path("out.pdn"), &other).unwrap();
    let edited = next("out.pdn", "--nodes=2000");
    assert_eq!(counts(&edited)[1], counts(&first)[1]);
    assert_eq!(counts(&edited)[7], counts(&first)[7] + 1);
    let flat = edited.replace('\n', " ");
    assert!(flat.contains(" I was asleep. Blunder: "), "{edited}");
    assert!(flat.contains("(1. 28-22 {!}"), "{edited}");
    assert_eq!(next("out.pdn", "--nodes=2000"), edited);
}

/// Games that are skipped are counted, each kind named once, wherever they are in the file.
#[test]
fn games_of_other_types_are_named_once_by_every_command() {
    let world = World::new();
    let russian = "[GameType \"25\"]\n1. c3-d4 d6-c5 2. b2-a3 *\n\n".repeat(20);
    let file = world.path("games.pdn").display().to_string();
    let book = world.path("out.book").display().to_string();
    let out = world.path("out.pdn").display().to_string();
    let games = world.path("r.games").display().to_string();
    let commands: [(&[&str], &str); 6] = [
        (
            &["annotate", &file, "-o", &out, "--hash=1", "--nodes=10", "--force"],
            "no game of international",
        ),
        (&["analyse", &file, "--nodes=10", "--hash=1"], "no game of international"),
        (&["board", &file], "no game of international"),
        (
            &["book", "build", &file, "-o", &book, "--force"],
            "20 games, 0 of use, 0 broken, 20 of other",
        ),
        (&["solve", &file], "no game of international"),
        (&["games", "import", &file, "--to", &games], "20 of Russian draughts"),
    ];
    for (text, is_good) in
        [(format!("[FEN \"W:WK31:BK5\"]\n1. 31-27 *\n\n{russian}"), true), (russian.clone(), false)]
    {
        fs::write(&file, text).unwrap();
        // `board` reads no further than the game it shows.
        for (args, nothing) in
            commands.into_iter().filter(|(args, _)| !is_good || args[0] != "board")
        {
            let output = run(args, "");
            assert_eq!(output.code == 0, is_good, "{args:?}: {output:?}");
            assert_eq!(output.stderr.matches("type 25 skipped").count(), 1, "{args:?}: {output:?}");
            assert!(output.stderr.contains("; 19 more of this kind"), "{args:?}: {output:?}");
            assert_eq!(output.stderr.contains(nothing), !is_good, "{args:?}: {output:?}");
            assert!(output.stderr.lines().count() < 5, "{args:?}: {output:?}");
        }
    }
}

/// Several threads find the same as one.
#[test]
fn the_number_of_threads_does_not_matter() {
    let world = World::new();
    let _ = world.annotate(&["--nodes=300"]).success();
    let one = fs::read(world.path("out.pdn")).unwrap();
    let _ = world.annotate(&["--nodes=300", "--threads=3", "--force"]).success();
    assert_eq!(fs::read(world.path("out.pdn")).unwrap(), one);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_goes_on() {
    use std::process::{Command, Stdio};

    let world = World::new();
    // The first games are short work; the last one is not.
    let _ = world.annotate(&["--depth=6"]).success();
    let expected = fs::read(world.path("out.pdn")).unwrap();
    fs::remove_file(world.path("out.pdn")).unwrap();
    let many = GAMES.to_owned() + &"\n[White \"D\"]\n1. 32-28 19-23 2. 28x19 14x23 *\n".repeat(400);
    fs::write(world.path("games.pdn"), many).unwrap();
    let args = [
        "annotate".to_owned(),
        world.path("games.pdn").display().to_string(),
        format!("-o{}", world.path("out.pdn").display()),
        "--hash=1".to_owned(),
        "--depth=6".to_owned(),
    ];
    let mut child = Command::new(meerslag_tests::binary())
        .args(&args)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = || {
        let text = fs::read_to_string(world.path("out.pdn.journal")).unwrap_or_default();
        text.matches('\n').count()
    };
    meerslag_tests::until("some games", || lines() >= 4);
    meerslag_tests::interrupt(child.id());
    let code = child.wait().unwrap().code();
    assert_eq!(code, Some(130));
    let done = lines() - 1;
    assert!((3..403).contains(&done), "{done}");
    assert!(!world.path("out.pdn").exists());

    // Nobody else writes into the journal.
    let held = exclusive::open(&world.path("out.pdn.journal"), fs::File::options().write(true));
    let second = run(&args, "");
    assert_eq!(second.code, 2, "{second:?}");
    assert!(second.stderr.contains("out.pdn.journal is in use"), "{second:?}");
    drop(held.unwrap());

    // Other limits are not mixed in.
    let other = run([&args[..4], &["--depth=5".to_owned()]].concat(), "");
    assert_eq!(other.code, 2);
    assert!(other.stderr.contains("is of other games or limits"), "{other:?}");
    let _ = run(&args, "").success();
    let text = fs::read_to_string(world.path("out.pdn")).unwrap();
    assert!(text.starts_with(std::str::from_utf8(&expected).unwrap().trim_end()), "{text}");
    assert_eq!(world.games().len(), 403);
    assert_eq!(world.names(), ["games.pdn", "out.pdn"]);
}

#[test]
fn what_cannot_be_annotated() {
    let world = World::new();
    fs::write(world.path("games.pdn"), "").unwrap();
    let output = world.annotate(&[]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("holds no game"), "{output:?}");
    // What stands in square brackets in another text is no game.
    fs::write(world.path("games.pdn"), "See [one \"1\"] and\n\n[two \"2\"]\n").unwrap();
    let output = world.annotate(&[]);
    assert_eq!((output.code, world.names()), (2, vec!["games.pdn".to_owned()]));
    assert!(output.stderr.contains("no game in it has a move"), "{output:?}");
    fs::write(world.path("games.pdn"), GAMES).unwrap();
    fs::write(world.path("out.pdn.journal"), "nonsense\n").unwrap();
    let output = world.annotate(&[]);
    assert_eq!(output.code, 2);
    assert_eq!(fs::read(world.path("out.pdn.journal")).unwrap(), b"nonsense\n");
    let _ = world.annotate(&["--nodes=10", "--force"]).success();
}

/// No output takes the place of another file of the same command, by whatever name.
#[test]
fn a_file_has_one_purpose() {
    let world = World::new();
    let at = |name: &str| world.path(name).display().to_string();
    for (more, words) in [
        (&["--html", &at("out.pdn")][..], "--out and --html are the same file"),
        (&["--html", &at("games.pdn"), "--force"], "FILE and --html are the same file"),
        (&["--html", &at("out.pdn.journal")], "--html and the journal of --out are the same file"),
        (&["-o", &at("./games.pdn"), "--force"], "FILE and --out are the same file"),
    ] {
        let input = at("games.pdn");
        let out = at("out.pdn");
        let out = if more[0] == "-o" { vec![] } else { vec!["-o", &out] };
        let output = run([&["annotate", &input, "--nodes=10"], &out[..], more].concat(), "");
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains(words), "{output:?}");
    }
    assert_eq!(fs::read_to_string(world.path("games.pdn")).unwrap(), GAMES);
    assert_eq!(world.names(), ["games.pdn"]);
}

/// Searches are not lost if a page cannot be written: the same command continues.
#[cfg(target_os = "linux")]
#[test]
fn after_a_failed_page_the_same_command_goes_on() {
    let world = World::new();
    let failed = world.annotate(&["--nodes=10", "--html=/dev/full"]);
    assert_eq!(failed.code, 1, "{failed:?}");
    assert!(failed.stderr.contains("cannot write /dev/full"), "{failed:?}");
    assert_eq!(world.names(), ["games.pdn", "out.pdn.journal"]);
    let html = format!("--html={}", world.path("page.html").display());
    let _ = world.annotate(&["--nodes=10", &html]).success();
    assert_eq!(world.names(), ["games.pdn", "out.pdn", "page.html"]);
}

/// A changed digit in the journal does not become part of the result.
#[cfg(target_os = "linux")]
#[test]
fn a_damaged_journal_costs_a_game_and_says_so() {
    let world = World::new();
    let _ = world.annotate(&["--nodes=100"]).success();
    let expected = fs::read(world.path("out.pdn")).unwrap();
    fs::remove_file(world.path("out.pdn")).unwrap();
    assert_eq!(world.annotate(&["--nodes=100", "--html=/dev/full"]).code, 1);
    let journal = world.path("out.pdn.journal");
    let text = fs::read_to_string(&journal).unwrap();
    let (head, rest) = text.split_once("\"s\":").unwrap();
    fs::write(&journal, format!("{head}\"s\":7{rest}")).unwrap();
    let output = world.annotate(&["--nodes=100"]);
    assert_eq!(output.code, 0, "{output:?}");
    let line = head.matches('\n').count() + 1;
    let said = format!("out.pdn.journal, line {line} is damaged: its game is searched again");
    assert!(output.stderr.contains(&said), "{output:?}");
    assert_eq!(fs::read(world.path("out.pdn")).unwrap(), expected);
}

/// Tags and broken text of files are shown, and have no effect on the terminal.
#[test]
fn escape_sequences_of_files_are_written_out() {
    let world = World::new();
    let bad = "\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}1m";
    let text = format!(
        "[White \"{bad}\"]\n[Event \"{bad}\"]\n[FEN \"{bad}\"]\n1. 32-28 {bad} 19-23 1-50{bad} *\n"
    );
    fs::write(world.path("games.pdn"), &text).unwrap();
    fs::write(world.path("fens.txt"), format!("{bad}\nW:W31:B20 {bad}\nW:W{bad}:B1\n")).unwrap();
    let (pdn, fens) = (world.path("games.pdn"), world.path("fens.txt"));
    let (pdn, fens) = (pdn.to_str().unwrap(), fens.to_str().unwrap());
    let (out, book) = (world.path("out.pdn"), world.path("out.book"));
    let (out, book) = (out.to_str().unwrap(), book.to_str().unwrap());
    for args in [
        &["analyse", pdn, "--nodes=10"][..],
        &["analyse", pdn, "--nodes=10", "--all-moves"],
        &["analyse", bad],
        &["annotate", pdn, "-o", out, "--nodes=10"],
        &["board", pdn],
        &["board", bad],
        &["book", "build", pdn, "-o", book],
        &["book", "probe", bad],
        &["book", "import", pdn, "-o", book, "--force"],
        &["solve", pdn],
        &["solve", fens],
        &["egdb", "probe", fens],
        &["egdb", "probe", bad],
        &["bench", "--suite", fens],
        &["match", "--engine=random", "--engine=random name=b", "--openings", fens],
        &["match", "--engine=random", "--engine=random name=b", "--openings", pdn],
    ] {
        let output = run(args, "");
        for shown in [&output.stdout, &output.stderr] {
            let is_odd = |c: char| c.is_control() && c != '\n' && c != '\t';
            assert!(!shown.contains(is_odd), "{args:?}: {output:?}");
        }
    }
}

/// A game of ours with a combination.
const SHOT: &str = "[White \"A\"]\n[FEN \"W:W29,31,33,36,38,39,42,43,44,45,46,47,50:\
B1,5,6,7,8,9,10,14,15,16,18,19,22\"]\n1. 29-23 *\n";

#[test]
fn puzzles_come_from_games_with_their_solutions() {
    let world = World::new();
    let input = world.path("shot.pdn");
    // The same game twice is one puzzle.
    fs::write(&input, format!("{SHOT}\n{SHOT}")).unwrap();
    let [input, out, json] = [input, world.path("puzzles.pdn"), world.path("puzzles.json")];
    let [input, out, json] = [&input, &out, &json].map(|path| path.display().to_string());
    let args = ["puzzles", &input, "-o", &out, "--json", &json, "--nodes=80000", "--hash=4"];
    let output = run(args, "").success();
    assert!(output.stdout.contains("1 puzzle in 2 games"), "{}", output.stdout);

    let text = fs::read_to_string(&json).unwrap();
    let puzzle: Value = serde_json::from_str(text.trim()).unwrap();
    assert_eq!((&puzzle["type"], &puzzle["goal"]), (&"puzzle".into(), &"win".into()));
    assert_eq!((&puzzle["game"], &puzzle["ply"]), (&1.into(), &0.into()));
    assert_eq!(puzzle["solution"][0], "29-23");
    assert!(puzzle["margin"].as_f64() >= Some(1.5), "{puzzle}");

    let file = fs::read(&out).unwrap();
    let games: Vec<PdnGame> = PdnReader::new(&file[..]).map(Result::unwrap).collect();
    let [game] = &games[..] else { panic!("{} games", games.len()) };
    let moves = puzzle["solution"].as_array().unwrap().len();
    assert_eq!((game.line.plies.len(), game.tags.get("White")), (moves, Some("A")));
    assert!(game.tags.get("Theme").unwrap().starts_with("win"));
    assert!(game.tags.get("Source").unwrap().contains("shot.pdn, game 1, ply 0"));
    assert_eq!(game.start.to_fen(), puzzle["fen"]);
    // It is not overwritten unasked, and nothing is left of the work.
    let refused = run(args, "");
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("puzzles.pdn"), "{refused:?}");
    assert_eq!(world.names(), ["games.pdn", "puzzles.json", "puzzles.pdn", "shot.pdn"]);
}
