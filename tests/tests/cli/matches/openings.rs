//! The starts and conditions of `meerslag match`: openings, books, time controls.

use std::fs;

use meerslag_tests::{Output, binary, run};
use movegen::notation::pdn::{PdnGame, PdnReader};
use tempfile::TempDir;

use super::mock::mock;

fn start(args: &[&str]) -> Output {
    run(["match"].iter().chain(args), "")
}

/// The games of a match with these options.
fn games(folder: &TempDir, args: &[&str]) -> Vec<PdnGame> {
    let path = folder.path().join("games.pdn");
    let pdn = format!("--pdn={}", path.display());
    let _ = start(&[args, &[&pdn]].concat()).success();
    PdnReader::new(&fs::read(path).unwrap()[..]).map(Result::unwrap).collect()
}

/// The same engine in the runner and as a program plays the same games: neither uses its book.
#[test]
fn a_program_plays_as_the_built_in_engine_does() {
    let common = ["--tc=nodes=300", "--pairs=6", "--max-moves=15", "--concurrency=2"];
    let of = |engine: &str| {
        let engines = ["a", "b"].map(|name| format!("--engine=name={name} {engine}"));
        let args = [&common[..], &engines.each_ref().map(String::as_str)].concat();
        let mut games: Vec<(String, Vec<String>, String)> = games(&TempDir::new().unwrap(), &args)
            .iter()
            .map(|game| {
                let moves = game.line.plies.iter().map(|ply| ply.mv.to_string()).collect();
                let round = game.tags.get("Round").unwrap().to_owned();
                (round, moves, game.tags.get("Books").unwrap().to_owned())
            })
            .collect();
        games.sort();
        games
    };
    let inside = of("builtin");
    assert_eq!(inside.len(), 12);
    assert_eq!(inside[0].2, "switched off in engines that have a parameter 'book'");
    assert_eq!(inside, of(&format!("cmd=\"'{}' hub\"", binary().display())));
}

#[test]
fn books_are_off_where_openings_are_given_unless_told_otherwise() {
    let folder = TempDir::new().unwrap();
    let html = folder.path().join("page.html").display().to_string();
    let (other, page) = ("--engine=random name=x", format!("--html={html}"));
    let common = [other, "--tc=20", "--pairs=1", "--max-moves=2", &page, "--force"];
    let play = |engine: &str, more: &[&str]| start(&[&common[..], &[engine], more].concat());

    let text = play(&mock("a", "book=bool"), &[]).success().stdout;
    let words = "switched off in engines that have a parameter 'book'";
    assert!(text.contains(&format!("opening books: {words}\n")), "{text}");
    assert!(fs::read_to_string(&html).unwrap().contains("\"booksOff\""));
    let json = play(&mock("a", "book=bool"), &["--json"]).success().json_lines();
    assert_eq!(json.last().unwrap()["books"], words);
    // A parameter of this name that is not a switch is left alone.
    let _ = play(&mock("a", "book=string"), &[]).success();

    // Told otherwise, or without openings, it stays on, and this engine complains.
    for (engine, more) in [
        (mock("a", "book=bool") + " param.book=true", &[][..]),
        (mock("a", "book=bool"), &["--openings=start"]),
    ] {
        let output = play(&engine, more);
        assert!(output.stderr.contains("book off: false"), "{output:?}");
    }
    let text = play("--engine=builtin name=own param.book=true", &[]).success().stdout;
    assert!(text.contains("as described for own"), "{text}");
}

/// One ply is left of the 25 moves: the game is a draw after it, and the output says so.
#[test]
fn openings_keep_what_counts_for_a_draw() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("o.fen");
    let write = |text: &str| fs::write(&path, text).unwrap();
    let openings = format!("--openings={}", path.display());
    let engines = ["--engine=random name=a", "--engine=random name=b", "--pairs=1"];
    let fen = "W:WK1,K2:BK49,K50:H49";
    write(fen);
    let state = folder.path().join("match.jsonl");
    let state = format!("--state={}", state.display());
    let played = games(&folder, &[&engines[..], &[&openings, &state]].concat());
    assert_eq!(played.len(), 2);
    for game in &played {
        assert_eq!((game.halfmoves, game.tags.get("FEN")), (Some(49), Some(fen)));
    }
    assert!(played.iter().all(|game| game.result.as_str() == "1-1" && game.line.plies.len() == 1));
    // Also when the games are read back.
    let lines = start(&["--resume", &state, "--json"]).success().json_lines();
    assert_eq!(lines.last().unwrap()["games"], 2);

    write("W:WK1,K2:BK49,K50:H50");
    let output = start(&[&engines[..], &[&openings]].concat());
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("a position in which the game goes on"), "{output:?}");
}

/// A decimal comma must not become another time.
#[test]
fn time_controls_with_a_comma_in_the_wrong_place_are_refused() {
    let engines = ["--engine=builtin name=a", "--engine=builtin name=b"];
    for control in ["10,20", "40/60,10", "move=0,5", "nodes=1,000"] {
        let tc = format!("--tc={control}");
        let output = start(&[&engines[..], &[&tc]].concat());
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains("decimals follow a point, as in 10.5"), "{output:?}");
        let engine = format!("--engine=builtin name=c tc={control}");
        let output = start(&[engines[0], &engine, "--tc=10"]);
        assert!(output.stderr.contains("decimals follow a point"), "{output:?}");
    }
}

/// Output of engines does not reach the terminal as commands.
#[test]
fn escape_sequences_of_engines_are_written_out() {
    let args = ["--engine=random name=x", "--tc=20", "--pairs=1", "--max-moves=2"];
    let output = start(&[&args[..], &[&mock("a", "escape")]].concat()).success();
    assert!(output.stdout.contains("\\u{1b}[2Jcleared\\u{9b}1m"), "{output:?}");
    let crashing = start(&[&args[..], &[&mock("a", "escape crash=1")]].concat()).success();
    assert!(crashing.stdout.contains("\\u{1b}]0;title\\u{7}"), "{crashing:?}");
    for text in [output.stdout, output.stderr, crashing.stdout, crashing.stderr] {
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }
}
