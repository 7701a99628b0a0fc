//! Games of all variants in one file, told apart.

#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

use std::io::Read;
use std::path::Path;

use meerslag_games::{GamesFile, Group, ImportEvent, ImportOptions, ImportReport, PdnText, Query};
use movegen::notation::pdn::{PdnGame, PdnReader, Ply, ReadOptions, WriteOptions, game_to_string};
use movegen::random::Random;
use movegen::{Position, Variant};

/// Random games of a variant, with a comment in every third.
fn random_games(variant: Variant, count: usize, random: &mut Random) -> Vec<PdnGame> {
    let game = |number: usize, random: &mut Random| {
        let mut game = PdnGame::new(Position::initial_of(variant));
        game.tags.set("White", &format!("{variant} {number}"));
        game.tags.set("Black", "B");
        let mut position = game.start;
        while game.line.plies.len() < 90 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[(random.next_u64() % moves.len() as u64) as usize];
            game.line.plies.push(Ply::from(mv));
            position = position.after(mv);
        }
        if number.is_multiple_of(3) {
            game.line.plies[2].nags.push(2);
        }
        game
    };
    (0..count).map(|number| game(number, random)).collect()
}

fn text(games: &[PdnGame]) -> String {
    games.iter().map(|game| game_to_string(game, &WriteOptions::default())).collect()
}

fn import(games: &mut GamesFile, text: &str) -> (ImportReport, Vec<String>) {
    let mut problems = Vec::new();
    let report =
        games.import_text("text", text.as_bytes(), ImportOptions::default(), &mut |event| {
            if let ImportEvent::Problem(problem) = event {
                problems.push(problem.reason.clone());
            }
            true
        });
    (report.unwrap(), problems)
}

fn version(path: &Path) -> i64 {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

fn moves(game: &PdnGame) -> (Variant, Position, Vec<String>) {
    (game.start.variant(), game.start, game.line.moves().map(|mv| mv.to_string()).collect())
}

#[test]
fn games_of_all_variants_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.games");
    let mut games = GamesFile::open_or_create(&path).unwrap();
    let mut random = Random::new(63);
    let of = |variant, random: &mut Random| random_games(variant, 8, random);
    let mut all = of(Variant::International, &mut random);
    import(&mut games, &text(&all));
    // Programs that know no variants read such a file.
    assert_eq!(version(&path), 2);
    for variant in Variant::ALL.into_iter().skip(1) {
        all.extend(of(variant, &mut random));
    }
    let russian = "[GameType \"25\"]\n1. 22-17 *\n\n";
    let (report, problems) = import(&mut games, &(text(&all) + russian));
    assert_eq!((report.games, report.added, report.duplicates, report.other_type), (48, 40, 8, 1));
    assert!(report.variants.iter().all(|(_, count)| *count == 8) && report.variants.len() == 6);
    assert!(problems[0].starts_with("game of type 25 skipped: these are read: International, "));
    assert_eq!(version(&path), 3);
    drop(games);
    let mut games = GamesFile::open(&path).unwrap();
    let info = games.info().unwrap();
    assert_eq!((info.games, info.variants), (48, report.variants));
    for round in 0..2 {
        let check = games.check(&mut |_, _| true).unwrap();
        assert!(check.faults.is_empty(), "{:?}", check.faults);
        for variant in Variant::ALL {
            let query = Query { variant: Some(variant), ..Query::default() };
            let ids = games.find_ids(&query).unwrap();
            let stored: Vec<_> = ids.iter().map(|&id| games.game(id).unwrap().unwrap()).collect();
            assert!(stored.iter().all(|game| game.header.variant == variant));
            let wanted = all.iter().filter(|game| game.start.variant() == variant).map(moves);
            let found = stored.iter().map(|stored| moves(&stored.game));
            assert!(found.eq(wanted), "{variant}");
            // All but Frysk! start from the same board.
            let position = Some(Position::initial_of(variant));
            let here = Query { position, ..Query::default() };
            assert_eq!(games.find_ids(&here).unwrap(), ids, "{variant}");
            assert_eq!(games.tree(&here).unwrap().games, 8);
            let rows =
                games.statistics(&query, 9, &egdb::Probe::embedded().unwrap(), &mut |_, _| true);
            // The databases are of the international game.
            let is_asked = rows.unwrap().iter().any(|row| row.group == Group::Endgame);
            assert!(variant.is_international() || !is_asked, "{variant}");
        }
        if round == 0 {
            games.rebuild_index(&mut |_, _| true).unwrap();
        }
    }
    // Out as PDN and in again.
    let mut written = String::new();
    PdnText::new(games).read_to_string(&mut written).unwrap();
    let options = ReadOptions { all_variants: true, ..ReadOptions::default() };
    let again = PdnReader::with_options(written.as_bytes(), options).map(|game| game.unwrap());
    assert!(again.map(|game| moves(&game)).eq(all.iter().map(moves)));
    // A reader of international games skips the others.
    assert_eq!(PdnReader::new(written.as_bytes()).count(), 8);
}

/// Frisian's counters are kept at the start of a game; a position is found whatever they are.
#[test]
fn counters_of_frisian() {
    let folder = tempfile::tempdir().unwrap();
    let mut games = GamesFile::open_or_create(&folder.path().join("all.games")).unwrap();
    let pdn = "[White \"A\"]\n[GameType \"40\"]\n[FEN \"W:WK28,50:BK4,K45:+0+228\"]\n\
               1. 28-32 4-10 *\n\n\
               [White \"B\"]\n[GameType \"40\"]\n[FEN \"W:WK38,50:BK4,K45\"]\n1. 38-32 4-10 *\n\n";
    assert_eq!(import(&mut games, pdn).0.added, 2);
    let position = Position::from_fen_in("B:WK32,50:BK4,K45", Variant::Frisian).unwrap();
    for twin in [false, true] {
        let query = Query { position: Some(position), twin, ..Query::default() };
        assert_eq!(games.find_ids(&query).unwrap(), [1, 2]);
        let tree = games.tree(&query).unwrap();
        assert_eq!(
            (tree.games, tree.moves[0].games, tree.moves[0].mv.to_string()),
            (2, 2, "4-10".to_owned())
        );
    }
    let international =
        Query { position: Some(position.with_variant(Variant::default())), ..Query::default() };
    assert!(games.find_ids(&international).unwrap().is_empty());
    let kept = games.game(1).unwrap().unwrap().game;
    assert_eq!(kept.start.to_fen(), "W:WK28,50:BK4,K45:+0+228");
    assert!(games.check(&mut |_, _| true).unwrap().faults.is_empty());
}
