//! `meerslag solve` as its users see it.

use std::fs;

use egdb::{Probe, Wld};
use meerslag_tests::{Output, run};
use movegen::notation::hub;
use movegen::notation::pdn::{GameResult, PdnGame, PdnReader, Ply};
use movegen::{Game, Position};
use serde_json::Value;

/// Five pieces, one more than the program's own databases have; Black wins.
const FIVE: &str = "W:W37,38:B19,23,K45";
/// Six pieces; Black wins.
const SIX: &str = "W:W32,37,38:B19,23,K45";
/// Ten against ten: a search cannot prove anything.
const TWENTY: &str = "W:W31-40:B1-10";

fn ok(args: &[&str], input: &str) -> Output {
    run(args, input).success()
}

/// The text with line breaks as blanks.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The PDN game in the output and the position after its last move.
fn game_in(text: &str) -> (PdnGame, Position) {
    let pdn = &text[text.find("[Event").expect(text)..];
    let mut games: Vec<_> = PdnReader::new(pdn.as_bytes()).collect();
    let game = games.pop().expect("one game").expect("readable");
    assert!(games.is_empty() && game.warnings.is_empty() && game.truncated.is_none(), "{game:?}");
    let end = game.last_position();
    (game, end)
}

#[test]
fn a_position_of_the_databases() {
    let text = ok(&["solve", "W:WK11:BK2,K6"], "").stdout;
    for part in [
        "White to move   W:WK11:BK2,K6\n",
        "Value for White: loss in 8 plies, 10 to conversion   (databases)\n",
        "\n11-50         loss                  8    10\n11-16         loss                  4     4\n",
        "[SetUp \"1\"]\n[FEN \"W:WK11:BK2,K6\"]\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let (game, end) = game_in(&text);
    assert_eq!((game.result, game.line.plies.len()), (GameResult::BlackWins, 8));
    assert!(!end.has_legal_move());
    let comments: Vec<_> = game.line.plies.iter().flat_map(Ply::comments).collect();
    let conversions = comments.iter().filter(|c| c.text.contains("conversion")).count();
    assert_eq!(conversions, 1, "{comments:?}");
    assert_eq!(comments.last().unwrap().text, "conversion: 2 pieces left, Black has won");
    assert_eq!(comments[0].text, "also wins: 2-11");
    assert!(
        text.contains("\nNot unique: Black has other winning moves at 3 of 4 moves.\n"),
        "{text}"
    );

    // A Hub string, the beginning of the line.
    let hub = "WeBeeeBeeeeWeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
    let text = ok(&["solve", hub, "--moves", "3"], "").stdout;
    let (game, _) = game_in(&text);
    assert_eq!((game.result, game.line.plies.len()), (GameResult::BlackWins, 3));
    assert!(folded(&text).contains("{the line continues for 5 plies} 0-2"), "{text}");

    let lost = ok(&["solve", "W:W:B1"], "").stdout;
    assert!(lost.ends_with("White has no legal move and has lost.\n"), "{lost}");
}

#[test]
fn a_draw_shows_what_holds() {
    // The lone king keeps the long diagonal, if it goes back at once.
    let fen = "W:WK32:BK1,K2,K6";
    let lines = ok(&["solve", fen, "--json"], "").json_lines();
    let [record] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((&record["value"], &record["line"]), (&Value::from("draw"), &Value::Null));
    let values: Vec<_> = record["moves"].as_array().unwrap().iter().map(|m| &m["value"]).collect();
    assert!(values[0] == "draw" && values.contains(&&Value::from("loss")), "{values:?}");
    let text = ok(&["solve", fen, "--moves", "7"], "").stdout;
    let (game, end) = game_in(&text);
    assert_eq!((game.result, game.line.plies.len()), (GameResult::Draw, 7));
    assert!(text.contains("one of many"), "{text}");
    assert_eq!(Probe::embedded().unwrap().wld(&end).unwrap(), Some(Wld::Draw));
}

#[test]
fn the_tree_of_a_solution() {
    // Two published compositions, the second with eight squares for the last capture.
    let unique = ok(&["solve", "B:W40,48,K25:B35"], "").stdout;
    assert!(
        unique.contains("\nUnique: at each move of the line only one wins for White.\n"),
        "{unique}"
    );
    let fen = "W:WK27,K37,K46:BK11";
    let text = ok(&["solve", fen], "").stdout;
    assert!(
        folded(&text).contains("46x37 {conversion: 1 piece left, White has won; as short: "),
        "{text}"
    );
    let text = ok(&["solve", fen, "--tree", "1000"], "").stdout;
    assert!(
        text.contains("\nNot unique: White has other winning moves at 1 of 2 moves.\n"),
        "{text}"
    );
    let (game, _) = game_in(&text);
    let last = game.line.plies.last().unwrap();
    assert_eq!(last.variations().count(), 7, "{text}");
    assert!(last.variations().all(|line| line.plies.len() == 1));
    assert!(!text.contains("left out"), "{text}");
    let [record] = &ok(&["solve", fen, "--tree", "1000", "--json"], "").json_lines()[..] else {
        panic!("one solution")
    };
    let pdn = record["pdn"].as_str().unwrap();
    assert_eq!(game_in(pdn).0.line, game.line);
    let cut = ok(&["solve", fen, "--tree", "3"], "").stdout;
    assert_eq!(game_in(&cut).0.line.plies.last().unwrap().variations().count(), 3, "{cut}");
    assert!(folded(&cut).contains("4 winning moves left out"), "{cut}");
}

#[test]
fn for_programs() {
    let lines = ok(&["solve", "W:WK11:BK2,K6", "--json"], "").json_lines();
    let [record] = &lines[..] else { panic!("{lines:?}") };
    for (name, value) in [
        ("type", Value::from("solution")),
        ("fen", Value::from("W:WK11:BK2,K6")),
        ("side", Value::from("W")),
        ("value", Value::from("loss")),
        ("source", Value::from("databases")),
        ("dtw", Value::from(8)),
        ("mtc", Value::from(10)),
        ("at_most", Value::Null),
        ("nodes", Value::from(0)),
        ("limit", Value::Null),
    ] {
        assert_eq!(record[name], value, "{name}");
    }
    assert_eq!(record["moves"].as_array().unwrap().len(), 9);
    assert_eq!(record["moves"][0]["move"], "11-50");
    let line = &record["line"];
    assert_eq!((&line["kind"], &line["plies"]), (&Value::from("shortest"), &Value::from(8)));
    assert_eq!((&line["complete"], &line["draw_rule"]), (&Value::from(true), &Value::Null));
    let mut position = Position::from_fen("W:WK11:BK2,K6").unwrap();
    for mv in line["moves"].as_array().unwrap() {
        position = position.after(hub::parse_move(&position, mv.as_str().unwrap()).unwrap());
    }
    assert!(!position.has_legal_move());
    assert_eq!(line["conversions"].as_array().unwrap().len(), 1);
    assert_eq!(line["conversions"][0]["kind"], "capture");
    assert_eq!((&line["unique"], &record["pdn"]), (&Value::from(false), &Value::Null));
    let equal = line["equal"].as_array().unwrap();
    assert_eq!((equal.len(), &equal[0]), (8, &record["equal"]));
    assert_eq!(equal[0]["keep_value"].as_array().unwrap().len(), 9);
    assert_eq!(equal[0]["keep_distance"], serde_json::json!(["11-50"]));
    assert_eq!(equal[1]["keep_value"], serde_json::json!(["2-7", "2-11"]));

    // With the counter of the FEN, a rule comes first.
    let lines = ok(&["solve", "W:WK11:BK2,K6:H7", "--json"], "").json_lines();
    assert_eq!(lines[0]["line"]["draw_rule"]["ply"], 3, "{}", lines[0]);
    let text = ok(&["solve", "W:WK11:BK2,K6:H7"], "").stdout;
    let note = "Note: by the draw rules this line is a draw after ply 3 (5 moves";
    assert!(text.contains(note), "{text}");
}

#[test]
fn beyond_the_databases_it_is_proved() {
    for fen in [FIVE, SIX] {
        let lines = ok(&["solve", fen, "--json"], "").json_lines();
        let record = &lines[0];
        assert_eq!((&record["value"], &record["source"]), (&"loss".into(), &"search".into()));
        assert_eq!((&record["dtw"], &record["limit"]), (&Value::Null, &Value::Null));
        let at_most = record["at_most"].as_u64().unwrap();
        let nodes = record["nodes"].as_u64().unwrap();
        assert!((1..1_000_000).contains(&nodes));
        let text = ok(&["solve", fen], "").stdout;
        let head = format!("loss in at most {at_most} plies   (proved by search, {nodes} nodes)");
        assert!(text.contains(&head), "{head} in {text}");
        let (game, end) = game_in(&text);
        assert!(!end.has_legal_move() && end.side_to_move() == movegen::Color::White);
        assert!(game.line.plies.len() as u64 <= at_most);
        assert!(folded(&text).contains("into the databases, Black wins in"), "{text}");
        // From there on the line is perfect.
        let mut replay = Game::new(game.start);
        let probe = Probe::embedded().unwrap();
        for (i, mv) in game.line.moves().enumerate() {
            replay.play(mv).unwrap();
            if let Some(plies) = probe.dtw(replay.position()).unwrap() {
                assert_eq!(plies as usize, game.line.plies.len() - i - 1);
            }
        }
    }
}

#[test]
fn what_is_not_proved_is_unknown() {
    let text = ok(&["solve", TWENTY, "--nodes", "5000"], "").stdout;
    assert!(text.contains("Value for White: unknown   (nothing proved in 5"), "{text}");
    assert!(text.contains("more with --nodes") && !text.contains("[Event"), "{text}");
    assert!(text.contains("The position has 20 pieces, the databases in use up to 4;"), "{text}");
    let lines = ok(&["solve", TWENTY, "--nodes", "5000", "--json"], "").json_lines();
    assert_eq!((&lines[0]["value"], &lines[0]["limit"]), (&"unknown".into(), &"nodes".into()));
    assert_eq!((&lines[0]["source"], &lines[0]["line"]), (&Value::Null, &Value::Null));
    // Without any databases, a proof goes to the end of the game.
    let args = ["solve", "W:WK46:B35", "--egdb-pieces", "0", "--json"];
    let lines = ok(&args, "").json_lines();
    assert_eq!((&lines[0]["value"], &lines[0]["source"]), (&"win".into(), &"search".into()));
}

#[test]
fn a_file_with_a_bad_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.fen");
    let text = format!(
        "# head\n\nW:WK11:BK2,K6 ; loses\nno position\n{SIX} bm 32-27\nW:WK11:BK12 2-0\n{TWENTY}\n"
    );
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let output = run(["solve", path, "--nodes", "60000", "--threads", "3"], "");
    assert_eq!(output.code, 1);
    let rows: Vec<_> = output.stdout.lines().collect();
    for (row, start) in rows.iter().zip([
        "    3  loss in 8 plies            11-50      W:WK11:BK2,K6",
        "    5  loss in at most ",
        "    6  ",
        "    7  unknown                    -          W:W31-40:B1-10",
        "",
        "positions 4: ",
        "bad lines: 1",
    ]) {
        assert!(row.starts_with(start), "{row:?} should start with {start:?}");
    }
    assert_eq!(rows.len(), 7, "{rows:?}");
    assert!(rows[5].contains("loss 2, not settled 1; "), "{rows:?}");
    let error = format!("meerslag: {path}, line 4: column 1: expected the side to move");
    assert!(output.stderr.starts_with(&error), "{}", output.stderr);

    let output = run(["solve", path, "--nodes", "60000", "--json"], "");
    assert_eq!(output.code, 1);
    let lines = output.json_lines();
    let place = |l: &Value| (l["type"].as_str().unwrap().to_owned(), l["line_number"].as_u64());
    let places: Vec<_> = lines.iter().map(place).collect();
    let position = |line| ("solution".to_owned(), Some(line));
    let error = ("line_error".to_owned(), Some(4));
    let summary = ("solve_summary".to_owned(), None);
    assert_eq!(places, [position(3), error, position(5), position(6), position(7), summary]);
    assert_eq!((&lines[1]["line_number"], &lines[5]["bad_lines"]), (&4.into(), &1.into()));
    let sum: u64 = lines[..5].iter().filter_map(|l| l["nodes"].as_u64()).sum();
    assert_eq!((&lines[5]["positions"], &lines[5]["nodes"]), (&4.into(), &sum.into()));
    // One position after the other gives the same.
    let args = ["solve", path, "--nodes", "60000", "--json", "--threads", "1"];
    let again = run(args, "").json_lines();
    for (one, other) in lines.iter().zip(&again).take(5) {
        assert_eq!(one, other);
    }
}

#[test]
fn games_from_standard_input() {
    let text = "[Event \"a\"]\n[FEN \"W:WK11:BK2,K6\"]\n\n1. 11-50 2-7 0-2\n\n\
                [Event \"b\"]\n[FEN \"B:WK32:BK1,K2,K6\"]\n\n*\n";
    let output = ok(&["solve", "-"], text);
    let rows: Vec<_> = output.stdout.lines().collect();
    assert!(rows[0].starts_with("    1  loss in 8 plies"), "{rows:?}");
    assert!(rows[1].starts_with("    6  draw") && rows[1].contains("B:WK32:BK1,K2,K6"), "{rows:?}");
}

#[test]
fn wrong_input() {
    for (args, part) in [
        (&["solve"][..], "required"),
        (&["solve", "W:W51:B1"], "1 to 50"),
        (&["solve", "W:W1:B2"], "promotion row"),
        (&["solve", "W:WK1:BK50", "--nodes", "0"], "--nodes"),
        (&["solve", "W:WK1:BK50", "--threads", "2000"], "--threads"),
        (&["solve", "W:WK1:BK50", "--egdb", "/nonexistent"], "database"),
        (&["solve", "/nonexistent/x.fen"], "cannot read /nonexistent/x.fen"),
        (&["solve", "-"], "no position"),
    ] {
        let output = run(args, "");
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{args:?}: {output:?}");
        assert!(output.stderr.contains(part), "{args:?}: {}", output.stderr);
    }
}

/// Ctrl-C: what is known is printed.
#[cfg(unix)]
#[test]
fn interrupted() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::{Command, Stdio};

    let file = format!("W:WK11:BK2,K6\n{TWENTY}\n{TWENTY}\n{TWENTY}\n");
    for (args, input) in [
        (&["solve", TWENTY, "--nodes", "100000000000", "--json"][..], ""),
        (&["solve", "-", "--nodes", "100000000000", "--json", "--threads", "2"], file.as_str()),
    ] {
        let mut child = Command::new(meerslag_tests::binary())
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        if !input.is_empty() {
            // The easy one is solved. Whether another one has begun is up to the system.
            stdout.read_line(&mut text).unwrap();
        }
        meerslag_tests::interrupt(child.id());
        stdout.read_to_string(&mut text).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{args:?}: {text} {output:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.starts_with("meerslag: interrupted: the answer"), "{args:?}: {error}");
        let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).expect(l)).collect();
        let stopped = lines.iter().filter(|l| l["limit"] == "interrupt").count();
        if input.is_empty() {
            assert_eq!((lines.len(), stopped), (1, 1), "{text}");
        } else {
            assert_eq!(lines[0]["value"], "loss", "{text}");
            let summary = lines.last().unwrap();
            assert_eq!(summary["type"], "solve_summary", "{text}");
            let left_out = summary["left_out"].as_u64().unwrap() as usize;
            assert!(stopped <= 2 && stopped + left_out == 3, "{text}");
        }
    }
}
