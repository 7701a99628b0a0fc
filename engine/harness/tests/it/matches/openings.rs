//! Starts and conditions of matches: openings, books, time controls.

use std::fs;

use meerslag_harness::runner::{EngineSpec, StateFile, TimeControl};
use tempfile::TempDir;

use crate::played::Match;
use crate::programs::{mock, own_engine};

/// The same engine in the runner and as a program plays the same games: neither uses its book.
#[test]
fn a_program_plays_as_the_built_in_engine_does() {
    let of = |engine: &str| {
        let engines = ["a", "b"].map(|name| format!("name={name} {engine}"));
        let played = Match::new(&[&engines[0], &engines[1]], "nodes=300").pairs(6).max_moves(15);
        let mut games: Vec<(String, Vec<String>, String)> = played
            .at_once(2)
            .play()
            .pdn()
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
    assert_eq!(inside, of(&own_engine()));
}

#[test]
fn books_are_off_where_openings_are_given_unless_told_otherwise() {
    let begin = |engine: &str| Match::new(&["random name=x", engine], "20").max_moves(2);
    let off = begin(&mock("a", "book=bool")).play();
    let words = "switched off in engines that have a parameter 'book'";
    assert_eq!(
        (off.config.books(), off.table()["books"].as_str()),
        (words.to_owned(), Some(words))
    );
    assert!(off.page().contains("\"booksOff\""));
    assert_eq!(off.notes, [""; 0]);
    // A parameter of this name that is not a switch is left alone.
    assert_eq!(begin(&mock("a", "book=string")).play().notes, [""; 0]);

    // Told otherwise, or without openings, it stays on, and this engine complains.
    let failed = begin(&(mock("a", "book=bool") + " param.book=true")).failure();
    assert!(failed.contains("it reports an error: book off: false"), "{failed}");
    let without =
        begin(&mock("a", "book=bool")).with(|config| config.conditions.openings.clear()).play();
    assert_eq!(without.notes, ["engine 'a' reports an error: book off: false"]);
    assert_eq!(without.config.books(), "left to the engines, none in built-in ones");
    let own = begin("builtin name=own param.book=true").play();
    assert!(own.config.books().contains("as described for own"), "{}", own.config.books());
}

/// One ply is left of the 25 moves: the game is a draw after it, and the output says so.
#[test]
fn openings_keep_what_counts_for_a_draw() {
    let folder = TempDir::new().unwrap();
    let start = |fen: &str| Match::new(&["random name=a", "random name=b"], "20").openings(fen);
    let fen = "W:WK1,K2:BK49,K50:H49";
    let state = folder.path().join("match.jsonl");
    let played = start(fen).play_with_state(&state);
    let pdn = played.pdn();
    assert_eq!(pdn.len(), 2);
    for game in &pdn {
        assert_eq!((game.halfmoves, game.tags.get("FEN")), (Some(49), Some(fen)));
        assert_eq!((game.result.as_str(), game.line.plies.len()), ("1-1", 1));
    }
    // Also when the games are read back.
    assert_eq!(StateFile::resume(&state).unwrap().results.games().len(), 2);
    assert!(fs::read_to_string(&state).unwrap().contains(fen));

    let refused = start("W:WK1,K2:BK49,K50:H50").refused();
    assert!(refused.contains("a position in which the game continues"), "{refused}");
}

/// A decimal comma must not become another time.
#[test]
fn time_controls_with_a_comma_in_the_wrong_place_are_refused() {
    for control in ["10,20", "40/60,10", "move=0,5", "nodes=1,000"] {
        let refused = control.parse::<TimeControl>().unwrap_err().to_string();
        assert!(refused.contains("decimals follow a point, as in 10.5"), "{refused}");
        let refused = EngineSpec::parse(&format!("builtin name=c tc={control}")).unwrap_err();
        assert!(refused.to_string().contains("decimals follow a point"), "{refused}");
    }
}
