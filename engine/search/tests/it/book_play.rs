//! Moves from a book in play.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use egdb::DatabaseOptions;
use meerslag_book::{BookOptions, openings};
use meerslag_search::{Control, Engine, EngineOptions, Limits, Mode, SearchResult};
use movegen::{Game, Position};

use crate::support::{after, book_of};

/// Four moves of the start with scores for White: 0.05, 0.03, 0.00 and a loss of more than a man;
/// two answers to the first, one of them a little better for Black.
const SCORED: &str = "\
position W:W31-50:B1-20 start
  32-28
  33-28
  31-26
  34-29
position B:W28,31,33-50:B1-20 search=-0.05/10
  19-23
  17-22
position B:W28,31,32,34-50:B1-20 search=-0.03/10
position B:W26,32-50:B1-20 search=0.00/10
position B:W29,31-33,35-50:B1-20 search=1.20/10
position W:W28,31,33-50:B1-18,20,23 search=0.02/9
position W:W28,31,33-50:B1-16,18-20,22 search=0.01/9
";

fn engine(text: &str, plies: u32, margin: i32, folder: &Path) -> Engine {
    let book = Arc::new(book_of(text, folder));
    let options = EngineOptions {
        hash_mib: 1,
        databases: DatabaseOptions::none(),
        book: Some(BookOptions { book, plies, margin }),
        ..EngineOptions::default()
    };
    Engine::new(options).unwrap()
}

fn game(moves: &str) -> Game {
    let mut game = Game::default();
    let list = movegen::notation::moves::parse_move_list(game.position(), moves).unwrap();
    list.into_iter().for_each(|mv| game.play(mv).unwrap());
    game
}

fn think(engine: &mut Engine, game: &Game) -> SearchResult {
    engine.search(game, &Limits::depth(1), &Control::new(), &mut |_| {})
}

/// How often each move is played in many tries.
fn counts(engine: &mut Engine, game: &Game) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for _ in 0..300 {
        let found = think(engine, game);
        assert!(found.info.is_book);
        *counts.entry(found.best.unwrap().to_string()).or_default() += 1;
    }
    counts
}

#[test]
fn moves_within_the_margin_are_played_at_random() {
    let folder = tempfile::tempdir().unwrap();
    let start = Game::default();
    let names = |counts: BTreeMap<String, u32>| counts.into_keys().collect::<Vec<_>>();
    let mut one = engine(SCORED, 4, 0, folder.path());
    assert_eq!(names(counts(&mut one, &start)), ["32-28"]);
    let mut near = engine(SCORED, 4, 4, folder.path());
    let played = counts(&mut near, &start);
    assert_eq!(names(played.clone()), ["32-28", "33-28"], "0.00 is 5 behind");
    // A chance of 1 to e^(-2/5): 0.599 of 300 tries, give or take 6 times 8.5.
    assert!((128..=231).contains(&played["32-28"]), "{played:?}");
    let mut wide = engine(SCORED, 4, 100, folder.path());
    assert_eq!(names(counts(&mut wide, &start)), ["31-26", "32-28", "33-28"]);
}

#[test]
fn a_losing_move_is_never_played() {
    let folder = tempfile::tempdir().unwrap();
    // The margin would allow it.
    let text = SCORED.replace("search=-0.05", "search=0.25").replace("search=-0.03", "search=0.30");
    let text = text.replace(
        "position B:W26,32-50:B1-20 search=0.00",
        "position B:W26,32-50:B1-20 search=0.40",
    );
    let mut engine_ = engine(&text, 4, 100, folder.path());
    assert!(!counts(&mut engine_, &Game::default()).contains_key("34-29"));
    // If all moves lose, the search must find something.
    let lost = "position W:W31-50:B1-20 start\n  34-29\n\
                position B:W29,31-33,35-50:B1-20 search=1.20/10\n";
    let mut engine_ = engine(lost, 4, 4, folder.path());
    let found = think(&mut engine_, &Game::default());
    assert!(!found.info.is_book && found.info.nodes > 0);
    // In a book of games, a move that has lost all of them loses.
    let games = "position W:W31-50:B1-20 start games=9\n\
                 \x20 34-29 games=8 results=0/0/8\n  32-28 games=1 results=0/1/0\n";
    let mut engine_ = engine(games, 4, 4, folder.path());
    assert_eq!(counts(&mut engine_, &Game::default()).into_keys().collect::<Vec<_>>(), ["32-28"]);
}

#[test]
fn randomness_ends_after_the_first_plies() {
    let folder = tempfile::tempdir().unwrap();
    // Of Black's answers to 32-28, 17-22 is worth -0.01 to Black and 19-23 is worth -0.02.
    let reply = game("32-28");
    for (plies, moves) in [(1, &["17-22"][..]), (2, &["17-22", "19-23"])] {
        let mut engine = engine(SCORED, plies, 4, folder.path());
        let played: Vec<String> = counts(&mut engine, &reply).into_keys().collect();
        assert_eq!(played, moves, "{plies} plies");
    }
    // A game that is given from its middle on has the same ply.
    let mut engine = engine(SCORED, 1, 4, folder.path());
    let middle = Game::new(after("32-28"));
    assert_eq!(counts(&mut engine, &middle).into_keys().collect::<Vec<_>>(), ["17-22"]);
}

#[test]
fn a_book_move_comes_with_its_score_and_variation() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = engine(SCORED, 0, 0, folder.path());
    let mut reports = 0;
    let found = engine.search(&Game::default(), &Limits::depth(9), &Control::new(), &mut |info| {
        assert!(info.is_book && info.nodes == 0 && info.depth == 1);
        reports += 1;
    });
    assert_eq!(reports, 1);
    let pv: Vec<String> = found.info.pv.iter().map(ToString::to_string).collect();
    assert_eq!((pv.join(" ").as_str(), found.info.score.hundredths()), ("32-28 17-22", 5));
    assert_eq!(found.ponder.unwrap().to_string(), "17-22");
    // Analysis and pondering search, and so does a request for several moves.
    let analysis = Limits { depth: Some(1), ..Limits::infinite(Mode::Analyze) };
    let several = Limits { multipv: 2, ..Limits::depth(1) };
    for limits in [analysis, several] {
        let found = engine.search(&Game::default(), &limits, &Control::new(), &mut |_| {});
        assert!(!found.info.is_book);
    }
    // Out of the book.
    assert!(!think(&mut engine, &game("35-30")).info.is_book);
}

#[test]
fn openings_are_what_reasonable_moves_lead_to() {
    let folder = tempfile::tempdir().unwrap();
    let book = book_of(SCORED, folder.path());
    let fens = |plies| -> Vec<Position> {
        let mut list = openings(&book, plies);
        list.sort_by_key(Position::to_fen);
        list
    };
    let mut expected = [after("31-26"), after("32-28"), after("33-28")];
    expected.sort_by_key(Position::to_fen);
    assert_eq!(fens(1), expected, "not 34-29, which loses a man");
    let mut expected = [after("32-28 17-22"), after("32-28 19-23")];
    expected.sort_by_key(Position::to_fen);
    assert_eq!(fens(2), expected);
    assert!(openings(&book, 3).is_empty());
}
