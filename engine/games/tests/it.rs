//! Files of games as users see them: import, queries, maintenance, and errors.

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]
#![allow(clippy::unwrap_used, reason = "a failure to set up is a failure of the test")]

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use meerslag_games::{
    Duplicate, Duplicates, GameHeader, GamesError, GamesFile, GamesFound, GamesInfo, ImportEvent,
    ImportOptions, ImportReport, Outcome, PdnText, Query, Sort, open_text,
};
use movegen::notation::pdn::{GameResult, PdnGame, PdnReader, Ply, WriteOptions, game_to_string};
use movegen::random::Random;
use movegen::{Color, Position};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), content).unwrap();
        self.path(name)
    }

    /// A file of games of this PDN text.
    fn games(&self, text: &str) -> GamesFile {
        let mut games = GamesFile::open_or_create(&self.path("all.games")).unwrap();
        import(&mut games, &self.file("all.pdn", text));
        games
    }
}

fn import(games: &mut GamesFile, path: &Path) -> ImportReport {
    games.import(&[path.to_owned()], ImportOptions::default(), &mut |_| true).unwrap()
}

fn parsed(text: &str) -> Vec<PdnGame> {
    PdnReader::new(text.as_bytes()).collect::<Result<_, _>>().unwrap()
}

/// Random games, often with the same first plies.
fn random_games(count: usize, plies: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for number in 0..count {
        let mut game = PdnGame::new(Position::initial());
        game.tags.set("Event", &format!("Event {}", number % 7));
        game.tags.set("White", &format!("Player {}", random.next_u64() % 9));
        game.tags.set("Black", &format!("Player {}", random.next_u64() % 9));
        game.tags.set("Date", &format!("{}.01.??", 1950 + random.next_u64() % 60));
        game.tags.set("WhiteRating", &(1500 + random.next_u64() % 1000).to_string());
        game.tags.set("Round", &number.to_string());
        let mut position = game.start;
        while game.line.plies.len() < plies {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let few = if game.line.plies.len() < 8 { 2 } else { moves.len() };
            let mv = moves[(random.next_u64() % few.min(moves.len()) as u64) as usize];
            game.line.plies.push(Ply::from(mv));
            position = position.after(mv);
        }
        let results = [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins];
        game.result = results[(random.next_u64() % 3) as usize];
        text += &game_to_string(&game, &WriteOptions::default());
    }
    text
}

fn exported(path: &Path) -> String {
    let mut text = String::new();
    let mut reader = PdnText::new(GamesFile::open(path).unwrap());
    reader.read_to_string(&mut text).unwrap();
    text
}

const RICH: &str = "\
[Event \"Cup\"]\n[Site \"Utrecht\"]\n[Date \"1977.05.??\"]\n[Round \"3\"]\n\
[White \"Sijbrands, Ton\"]\n[Black \"Wiersma, Harm\"]\n[Result \"12-8\"]\n\
[WhiteRating \"2400\"]\n[Annotator \"x \\\"y\\\"\"]\n\n\
{before\n\nand a second paragraph} 1. 32-28! {good [%eval 0.1]} (1. 31-26 16-21 (1... 17-21)) 19-23 $6 2. 28x19 14x23 12-8\n\n\
[White \"A\"]\n[FEN \"B:W27,K50:B1,18:H3:F9\"]\n\n18-22 27x18 *\n\n\
[White \"A\"]\n\n1. 32-28 /FEN \"W:W27:B1\"/ 27-22 1-6 2-0\n\n\
[White \"A\"]\n[Black \"B\"]\n\n1. 32-28 19-23 2. 28x99 14x99 3. 37-32 1-1\n";

#[test]
fn games_come_out_as_they_went_in() {
    let folder = Folder::new();
    let games = folder.games(RICH);
    let info = games.info().unwrap();
    assert_eq!((info.games, info.annotated, info.plies), (4, 2, 4 + 2 + 3 + 2));
    let text = exported(games.path());
    let (before, after) = (parsed(RICH), parsed(&text));
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.line, after.line);
        assert_eq!(before.start_fen(), after.start_fen());
        assert_eq!(before.result, after.result);
        assert_eq!(before.truncated.is_some(), after.truncated.is_some());
        for (name, value) in before.tags.iter().filter(|(name, _)| *name != "FEN") {
            assert_eq!(after.tags.get(name), Some(value), "{name}");
        }
    }
    // A second time nothing changes.
    let second = Folder::new();
    let again = second.games(&text);
    assert_eq!(exported(again.path()), text);
    let game = games.game(1).unwrap().unwrap();
    assert_eq!((game.header.year, game.header.white_rating), (Some(1977), Some(2400)));
    assert_eq!(game.header.score, "12-8");
    assert!(games.game(99).unwrap().is_none());
}

/// Every position of every game, and some that do not occur, by the index and by going through all
/// games; so too with segments, merged segments, deleted games, and a rebuilt file.
#[test]
fn positions_are_found_as_a_slow_scan_finds_them() {
    let folder = Folder::new();
    let path = folder.path("all.games");
    let mut games = GamesFile::open_or_create(&path).unwrap();
    for part in 0..12 {
        import(&mut games, &folder.file("part.pdn", random_games(12, 60, 100 + part)));
    }
    let compare = |games: &GamesFile, removed: &[i64]| {
        let all: Vec<(i64, PdnGame)> = games
            .ids_after(0, usize::MAX >> 1)
            .unwrap()
            .into_iter()
            .map(|id| (id, games.game(id).unwrap().unwrap().game))
            .collect();
        assert!(all.iter().all(|(id, _)| !removed.contains(id)));
        let mut asked = 0;
        for (number, (_, game)) in all.iter().enumerate() {
            for (ply, (position, _)) in game.positions().enumerate() {
                if (number + ply) % 11 != 0 {
                    continue;
                }
                let twin = (number + ply) % 2 == 0;
                let expected: Vec<(i64, Vec<u32>)> = all
                    .iter()
                    .filter_map(|(id, other)| {
                        let ends = other.last_position();
                        let positions = other.positions().map(|p| p.0).chain([ends]);
                        let plies: Vec<u32> = (0..)
                            .zip(positions)
                            .filter(|(_, p)| *p == position || twin && p.reversed() == position)
                            .map(|(ply, _)| ply)
                            .collect();
                        (!plies.is_empty()).then_some((*id, plies))
                    })
                    .collect();
                let query = Query { position: Some(position), twin, ..Query::default() };
                let page = games.find(&query, 0, u64::MAX).unwrap();
                let found: Vec<(i64, Vec<u32>)> =
                    page.hits.into_iter().map(|hit| (hit.game.id, hit.plies)).collect();
                assert_eq!(found, expected, "{position}");
                asked += 1;
            }
        }
        assert!(asked > 300, "{asked}");
        let nowhere = Position::from_fen("W:WK3:BK48").unwrap();
        let query = Query { position: Some(nowhere), ..Query::default() };
        assert_eq!(games.find(&query, 0, 9).unwrap().total, 0);
    };
    compare(&games, &[]);
    let removed = [3, 50, 51, 99];
    assert_eq!(games.delete(&removed).unwrap(), 4);
    compare(&games, &removed);
    assert_eq!(games.check(&mut |_, _| true).unwrap().faults, []);
    games.rebuild_index(&mut |_, _| true).unwrap();
    games.compact().unwrap();
    compare(&games, &removed);
    assert_eq!(games.check(&mut |_, _| true).unwrap().faults, []);
}

#[test]
fn patterns_and_moves_are_found_as_a_slow_scan_finds_them() {
    let folder = Folder::new();
    let games = folder.games(&random_games(150, 80, 7));
    let mut found_any = 0;
    for text in ["w27 b18", "w28 b23 .22 not w32", "one-of w22,23 one-of b27,28", "W1", "B46 w31"] {
        let pattern: meerslag_games::Pattern = text.parse().unwrap();
        for (twin, lasting) in [(false, 1), (true, 1), (false, 3)] {
            let (pattern, lasting) = (pattern.clone(), lasting as usize);
            let query = Query {
                pattern: Some(pattern.clone()),
                twin,
                lasting: Some(lasting as u32),
                ..Query::default()
            };
            let page = games.find(&query, 0, u64::MAX).unwrap();
            let found: Vec<(i64, Vec<u32>)> =
                page.hits.into_iter().map(|hit| (hit.game.id, hit.plies)).collect();
            let mut expected = Vec::new();
            for id in games.ids_after(0, usize::MAX >> 1).unwrap() {
                let game = games.game(id).unwrap().unwrap().game;
                let list: Vec<Position> =
                    game.positions().map(|p| p.0).chain([game.last_position()]).collect();
                let at = (lasting - 1..list.len()).find(|&end| {
                    let window = &list[end + 1 - lasting..=end];
                    window.iter().all(|p| pattern.matches(p))
                        || twin && window.iter().all(|p| pattern.matches(&p.reversed()))
                });
                expected.extend(at.map(|at| (id, vec![at as u32])));
            }
            found_any += found.len();
            assert_eq!(found, expected, "{text} {twin} {lasting}");
        }
    }
    assert!(found_any > 50, "{found_any}");
    // Moves, conditions together, and a stretch of the game.
    let query = |moves: &str| Query { moves: Some(moves.parse().unwrap()), ..Query::default() };
    let all = games.find(&query("31-27"), 0, u64::MAX).unwrap();
    assert!(all.total > 5);
    for hit in &all.hits {
        let game = games.game(hit.game.id).unwrap().unwrap().game;
        assert_eq!(game.line.plies[hit.plies[0] as usize - 1].mv.to_string(), "31-27");
    }
    let late = Query { plies: Some(30..=60), ..query("31-27") };
    let late = games.find(&late, 0, u64::MAX).unwrap();
    assert!(late.total < all.total && late.hits.iter().all(|hit| hit.plies[0] > 30));
    let white = Query {
        player: Some("Player 3".into()),
        color: Some(Color::White),
        result: Some(Outcome::PlayerWins),
        ..query("31-27")
    };
    let white = games.find(&white, 0, u64::MAX).unwrap();
    assert!(white.total < all.total);
    for hit in &white.hits {
        assert_eq!((hit.game.white.as_str(), hit.game.result), ("Player 3", GameResult::WhiteWins));
    }
}

#[test]
fn columns_are_asked_together() {
    let folder = Folder::new();
    let games = folder.games(&random_games(200, 30, 3));
    let all: Vec<_> = games.find(&Query::default(), 0, u64::MAX).unwrap().hits;
    assert_eq!(all.len(), 200);
    let check = |query: Query, is_it: &dyn Fn(&GameHeader) -> bool| {
        let expected: Vec<i64> =
            all.iter().filter(|hit| is_it(&hit.game)).map(|hit| hit.game.id).collect();
        let page = games.find(&query, 0, u64::MAX).unwrap();
        let found: Vec<i64> = page.hits.iter().map(|hit| hit.game.id).collect();
        assert_eq!((found, page.total), (expected.clone(), expected.len() as u64), "{query:?}");
        assert!(!expected.is_empty(), "{query:?}");
        // A page of it.
        let page = games.find(&query, 1, 2).unwrap();
        let found: Vec<i64> = page.hits.iter().map(|hit| hit.game.id).collect();
        assert_eq!(found, expected.iter().copied().skip(1).take(2).collect::<Vec<_>>());
    };
    let player = || Query { player: Some("player 4".into()), ..Query::default() };
    check(player(), &|g| g.white == "Player 4" || g.black == "Player 4");
    check(Query { color: Some(Color::Black), ..player() }, &|g| g.black == "Player 4");
    check(Query { opponent: Some("player 5".into()), ..player() }, &|g| {
        let pair = (g.white.as_str(), g.black.as_str());
        pair == ("Player 4", "Player 5") || pair == ("Player 5", "Player 4")
    });
    check(Query { result: Some(Outcome::PlayerLoses), ..player() }, &|g| {
        g.white == "Player 4" && g.result == GameResult::BlackWins
            || g.black == "Player 4" && g.result == GameResult::WhiteWins
    });
    check(Query { years: Some(1960..=1969), ..Query::default() }, &|g| {
        g.year.is_some_and(|year| (1960..=1969).contains(&year))
    });
    check(Query { event: Some("event 2".into()), ..Query::default() }, &|g| g.event == "Event 2");
    check(Query { result: Some(Outcome::Draw), ..Query::default() }, &|g| {
        g.result == GameResult::Draw
    });
    // Every order, of all games and of some, whole and in pages.
    let key = |sort: Sort, game: &GameHeader| match sort {
        Sort::Number => (0, String::new()),
        // The latest first: digits turned around.
        Sort::Date => (0, game.date.chars().map(|c| (255 - c as u8) as char).collect()),
        Sort::Rating => (
            -i64::from(game.white_rating.unwrap_or(0) + game.black_rating.unwrap_or(0)),
            String::new(),
        ),
        Sort::White => (0, game.white.clone()),
        Sort::Black => (0, game.black.clone()),
        Sort::Event => (0, format!("{}\0{}", game.event, game.site)),
        Sort::Length => (-i64::from(game.plies), String::new()),
    };
    for sort in Sort::ALL {
        for query in [Query::default(), player()] {
            let query = Query { sort, ..query };
            let whole = games.find(&query, 0, u64::MAX).unwrap();
            assert!(whole.total > 9 && whole.total == whole.hits.len() as u64);
            let keys = whole.hits.iter().map(|hit| (key(sort, &hit.game), hit.game.id));
            assert!(keys.is_sorted(), "{sort:?}");
            let page = games.find(&query, 3, 4).unwrap();
            assert_eq!(page, GamesFound { total: whole.total, hits: whole.hits[3..7].to_vec() });
        }
    }
    let nobody = Query { result: Some(Outcome::PlayerWins), ..Query::default() };
    assert!(matches!(games.find(&nobody, 0, 1), Err(GamesError::Input(_))));
}

#[test]
fn sacrifices_are_found() {
    let folder = Folder::new();
    // White gives a man and never gets it back; then one that is regained.
    let games = folder.games(
        "1. 32-28 19-23 2. 28x19 14x23 3. 34-30 23-29 4. 33x24 20x29 *\n\n\
         1. 32-27 17-22 2. 27x18 12x23 3. 31-27 7-12 *\n\n\
         [FEN \"W:W33,38,50:B1,23\"]\n\n1. 33-29 23x34 2. 38-33 1-6 3. 33-28 6-11 *\n",
    );
    let sacrifice =
        |men, side| Query { sacrifice: Some(men), within: Some(6), by: side, ..Query::default() };
    let ids = |query: &Query| games.find_ids(query).unwrap();
    assert_eq!(ids(&sacrifice(1, Some(Color::White))), [3]);
    assert_eq!(ids(&sacrifice(1, Some(Color::Black))), [0; 0]);
    assert_eq!(ids(&sacrifice(2, None)), [0; 0]);
    assert!(!ids(&sacrifice(1, None)).contains(&1), "exchanges");
}

#[test]
fn the_same_game_is_added_once() {
    let folder = Folder::new();
    let path = folder.path("all.games");
    let mut games = GamesFile::open_or_create(&path).unwrap();
    let game = |white: &str, black: &str, date: &str, event: &str| {
        format!(
            "[Event \"{event}\"]\n[Date \"{date}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\n\
             1. 32-28 19-23 2. 28x19 14x23 *\n\n"
        )
    };
    let first = game("Sijbrands, Ton", "Harm Wiersma", "1977.05.01", "Cup");
    let text = first.clone()
        + &game("T. Sijbrands", "Wiersma, H.", "1977.??.??", "Cup")
        + &game("Sijbrands", "Wiersma", "", "")
        + &game("Sijbrands, Ton", "Harm Wiersma", "1978.05.01", "Cup")
        + &game("Harm Wiersma", "Sijbrands, Ton", "1977.05.01", "Cup");
    let report = import(&mut games, &folder.file("one.pdn", &text));
    assert_eq!((report.games, report.added, report.duplicates), (5, 3, 2));
    // The same file again, and the same games in another one.
    let report = import(&mut games, &folder.path("one.pdn"));
    assert_eq!((report.known, report.games), (1, 0));
    let report = import(&mut games, &folder.file("two.pdn", &(text + "\n")));
    assert_eq!((report.games, report.added), (5, 0));
    assert_eq!(games.game_count().unwrap(), 3);
    // Deleted games can be imported again.
    games.delete(&[1]).unwrap();
    let report = import(&mut games, &folder.path("one.pdn"));
    assert_eq!(report.added, 1);
    assert_eq!(games.duplicates().unwrap(), []);
    // After joining two spellings there may be two of one.
    let other = Folder::new();
    let mut pair = other.games(&(first + &game("Nobody", "Harm Wiersma", "1977.05.01", "Cup")));
    assert_eq!(pair.game_count().unwrap(), 2);
    assert!(matches!(pair.rename("Nobod", "x"), Err(GamesError::Input(_))));
    assert_eq!(pair.rename("Nobody", "Sijbrands, Ton").unwrap(), 1);
    assert_eq!(pair.info().unwrap().players, 2);
    assert_eq!(pair.duplicates().unwrap(), [(1, 2)]);
    // After merging, nothing is there twice.
    let report = games.merge(&pair, Duplicates::Skip, &mut |_| true).unwrap();
    assert_eq!((report.games, report.added), (2, 0));
    assert_eq!(games.check(&mut |_, _| true).unwrap().faults, []);
}

/// Imports files; the report, the duplicates and the problems.
fn imported(
    games: &mut GamesFile,
    paths: &[PathBuf],
    duplicates: Duplicates,
) -> (ImportReport, Vec<Duplicate>, Vec<String>) {
    let options = ImportOptions { duplicates, ..ImportOptions::default() };
    let (mut twins, mut problems) = (Vec::new(), Vec::new());
    let report = games.import(paths, options, &mut |event| {
        match event {
            ImportEvent::Duplicate(twin) => twins.push(twin.clone()),
            ImportEvent::Problem(problem) => problems.push(problem.to_string()),
            _ => {}
        }
        true
    });
    (report.unwrap(), twins, problems)
}

/// What is unread, said or scored differently is another game; each that is left out is named.
#[test]
fn only_what_says_nothing_new_is_left_out() {
    let tags = "[Event \"Cup\"]\n[Date \"2001.05.06\"]\n[White \"Ann\"]\n[Black \"Bea\"]\n";
    let played = |more: &str, moves: &str| format!("{tags}{more}\n{moves}\n\n");
    // Two texts, and whether the second is left out.
    let cases = [
        // Cut at the same place.
        ("1. 31-99 17-21 2-0\n\n".into(), "1. 35-99 20-25 2. 33-28 2-0\n".into(), false),
        (played("", "1. 31-26 16-22 17-21 *"), played("", "1. 31-26 16-22 17-22 *"), false),
        (played("", "1. 31-26 16-22 17-21 *"), played("", "1. 31-26 16-22 17-21 *"), true),
        (played("", "1. 31-26 16-22 17-21 *"), played("", "1. 31-26 *"), false),
        (played("", "1. 31-26 *"), played("", "1. 31-26 16-22 17-21 *"), false),
        // Articles.
        (
            "[Event \"A\"]\n\n{Lesson one} *\n\n".into(),
            "[Event \"A\"]\n\n{Lesson two} *\n".into(),
            false,
        ),
        (
            "[Event \"A\"]\n\n{Lesson one} *\n\n".into(),
            "[Event \"A\"]\n\n{Lesson one} *\n".into(),
            true,
        ),
        // Scored differently.
        (played("", "1. 31-26 16-21 2-0"), played("", "1. 31-26 16-21 0-2"), false),
        (played("", "1. 31-26 16-21 2-0"), played("", "1. 31-26 16-21 *"), true),
        (played("", "1. 31-26 16-21 *"), played("", "1. 31-26 16-21 2-0"), false),
        (played("", "1. 31-26 12-8"), played("", "1. 31-26 14-6"), false),
        (played("", "1. 31-26 2-0"), played("", "1. 31-26 1-0"), true),
        // In another round, on another day, at another place.
        (played("[Round \"1\"]\n", "1. 31-26 *"), played("[Round \"2\"]\n", "1. 31-26 *"), false),
        (played("[Round \"3\"]\n", "1. 31-26 *"), played("[Round \"03.1\"]\n", "1. 31-26 *"), true),
        (played("[Round \"3\"]\n", "1. 31-26 *"), played("[Round \"?\"]\n", "1. 31-26 *"), true),
        (tags.to_owned() + "\n*\n", tags.replace("05.06", "05.07") + "\n*\n", false),
        (tags.to_owned() + "\n*\n", tags.replace("05.06", "??.??") + "\n*\n", true),
        (tags.to_owned() + "\n*\n", tags.replace("2001.05.06", "6-5-2001") + "\n*\n", true),
        (tags.to_owned() + "\n*\n", tags.replace("Cup", "League") + "\n*\n", false),
        (tags.to_owned() + "\n*\n", tags.replace("Cup", "CUP.") + "\n*\n", true),
        (
            played("[Site \"https://a.org/1\"]\n", "1. 31-26 *"),
            played("[Site \"https://a.org/2\"]\n", "1. 31-26 *"),
            false,
        ),
        // Said.
        (played("", "1. 31-26 16-21 *"), played("", "1. 31-26 {good} 16-21 *"), false),
        (played("", "1. 31-26 {good} 16-21 *"), played("", "1. 31-26 16-21 *"), true),
        (played("", "1. 31-26 {good} 16-21 *"), played("", "1. 31-26 {bad} 16-21 *"), false),
        (played("", "1. 31-26 {good} 16-21 *"), played("", "1. 31-26 16-21 {good} *"), false),
        (
            played("", "1. 31-26 {good}\n {[%clk 0:01:00]} (1. 32-28) 16-21! *"),
            played("", "1. 31-26 (1. 32-28) 16-21! *"),
            true,
        ),
        (played("", "1. 31-26 (1. 32-28) *"), played("", "1. 31-26 (1. 33-28) *"), false),
        (played("", "1. 31-26! *"), played("", "1. 31-26? *"), false),
    ];
    for (first, second, is_left_out) in cases {
        let folder = Folder::new();
        let mut games = folder.games(&first);
        let (before, path) =
            (games.game_count().unwrap(), folder.file("second.pdn", second.clone() + " \n"));
        let (report, twins, _) =
            imported(&mut games, std::slice::from_ref(&path), Duplicates::Skip);
        assert_eq!(
            (report.games, report.duplicates),
            (1, u64::from(is_left_out)),
            "{first}{second}"
        );
        assert_eq!(twins.len(), usize::from(is_left_out));
        for twin in twins {
            assert_eq!((twin.file.as_str(), twin.line), (path.to_str().unwrap(), 1));
            assert_eq!((twin.game, twin.replaces), (1, false));
            assert!(
                second.contains(&format!("[White \"{}\"]", twin.white)) || twin.white.is_empty()
            );
        }
        assert_eq!(games.game_count().unwrap(), before + u64::from(!is_left_out));
        // The other order of one file, and two files put together, keep as many.
        let pairs = games.duplicates().unwrap();
        assert!(pairs.len() <= 1, "{pairs:?}");
        let (report, ..) =
            imported(&mut games, &[folder.file("again.pdn", second + "\n\n")], Duplicates::Keep);
        assert_eq!((report.added, report.duplicates), (1, 0));
    }
}

/// The fuller game stays: with its number, and with what only the other one knew.
#[test]
fn the_better_of_two_games_stays() {
    let folder = Folder::new();
    let tags = "[Event \"Cup\"]\n[White \"Ton Sijbrands\"]\n[Black \"Wiersma, Harm\"]\n";
    let mut games = folder.games(&format!(
        "{tags}[Date \"1977\"]\n[Round \"4\"]\n[WhiteRating \"2400\"]\n\n1. 32-28 19-23 2. 28x19 14x23 *\n\n\
         {tags}[Round \"5\"]\n\n1. 32-28 17-21 2. 37-32 12-22 2-0\n\n"
    ));
    let add = |games: &mut GamesFile, name: &str, text: &str| {
        let found = imported(games, &[folder.file(name, text)], Duplicates::Better);
        assert_eq!(games.check(&mut |_, _| true).unwrap().faults, []);
        found
    };
    let fuller = "[Event \"Cup\"]\n[White \"Sijbrands, T.\"]\n[Black \"H. Wiersma\"]\n[Round \"4\"]\n\
                  [Annotator \"x\"]\n\n1. 32-28 19-23 {a man} 2. 28x19 14x23 1-1\n";
    let (report, twins, _) = add(&mut games, "a.pdn", fuller);
    assert_eq!((report.added, report.replaced, report.duplicates), (0, 1, 0));
    assert_eq!((twins[0].game, twins[0].replaces), (1, true));
    assert!(twins[0].describe().contains("H. Wiersma, takes the place of game 1"), "{twins:?}");
    let stored = games.game(1).unwrap().unwrap();
    assert_eq!(stored.game.line.plies[1].comments().next().unwrap().text, "a man");
    assert_eq!((stored.header.result, stored.header.year), (GameResult::Draw, Some(1977)));
    assert_eq!(
        (stored.header.white.as_str(), stored.header.white_rating),
        ("Ton Sijbrands", Some(2400))
    );
    assert_eq!(stored.game.tags.get("Annotator"), Some("x"));
    // The day is known better now, and the name is still the file's.
    let dated =
        fuller.replace("[Event", "[Date \"1977.05.??\"]\n[Event").replace("a man}", "a man} $1");
    assert_eq!(add(&mut games, "dated.pdn", &dated).0.replaced, 1);
    let header = games.header(1).unwrap().unwrap();
    assert_eq!((header.date.as_str(), header.white.as_str()), ("1977.05.??", "Ton Sijbrands"));
    // The bare one adds nothing now.
    let (report, twins, _) = add(&mut games, "b.pdn", &fuller.replace(" {a man}", ""));
    assert_eq!((report.duplicates, twins[0].game), (1, 1));
    // The whole of a game that was cut off takes its place, and a cut one that of no whole one.
    let whole = format!("{tags}[Round \"5\"]\n\n1. 32-28 17-21 2. 37-32 12-17 3. 41-37 2-0\n");
    let (report, twins, _) = add(&mut games, "c.pdn", &whole);
    assert_eq!((report.replaced, report.added, report.broken), (1, 0, 0), "{report:?}");
    assert_eq!((twins[0].game, games.game_count().unwrap()), (2, 2));
    let query = Query { moves: Some("41-37".parse().unwrap()), ..Query::default() };
    assert_eq!(games.find_ids(&query).unwrap(), [3]);
    let (report, twins, _) = add(&mut games, "d.pdn", &whole.replace("41-37", "41-22"));
    assert_eq!((report.duplicates, twins[0].game), (1, 3));
    // Another round, or other comments: a game of its own.
    for other in [whole.replace("\"5\"", "\"6\""), whole.replace("37-32", "37-32 {well}")] {
        let (report, ..) = add(&mut games, "e.pdn", &other.replace("41-37", "41-22"));
        assert_eq!(report.added, 1, "{other}");
    }
}

/// The number of games that are looked at grows with the games, not with their square, however they
/// differ; and another program's changes are seen.
#[test]
fn many_games_with_the_same_moves() {
    type Tags = fn(usize) -> String;
    let kinds: [Tags; 7] = [
        |n| format!("[White \"P{n}\"]\n[Black \"Q{}\"]\n\n*\n\n", n + 1),
        |n| format!("[White \"Player {}\"]\n[Black \"Q\"]\n\n1. 32-28 *\n\n", n * 7919 % 100_003),
        |n| format!("[White \"NN\"]\n[Black \"NN\"]\n[Round \"{n}\"]\n\n1. 32-28 19-23 *\n\n"),
        |n| format!("[White \"NN\"]\n[Event \"Cup {n}\"]\n\n1. 32-28 19-23 *\n\n"),
        |n| format!("[Date \"{}.{}.{}\"]\n\n1. 32-28 *\n\n", 1000 + n, n % 12 + 1, n % 28 + 1),
        |n| format!("[Event \"A\"]\n\n{{Lesson {n}}} *\n\n"),
        |n| format!("1. 31-26 16-22 {{lesson {n}}} 2-0\n\n[Event \"x\"]\n"),
    ];
    for (number, kind) in kinds.into_iter().enumerate() {
        let folder = Folder::new();
        let text: String = (0..2_000).map(kind).collect();
        let mut games = GamesFile::open_or_create(&folder.path("all.games")).unwrap();
        let (report, ..) = imported(&mut games, &[folder.file("all.pdn", &text)], Duplicates::Skip);
        assert!(report.added >= 2_000, "{number}: {report:?}");
        assert!(report.compared < 10 * report.games, "{number}: {report:?}");
        // The same games a second time, in many files.
        let parts: Vec<PathBuf> = (0..2_000)
            .step_by(50)
            .map(|from| {
                let part: String = (from..from + 50).map(kind).collect();
                folder.file(&format!("{from}.pdn"), part + "\n")
            })
            .collect();
        let (again, ..) = imported(&mut games, &parts, Duplicates::Skip);
        assert_eq!((again.games - again.duplicates, again.failed), (0, 0), "{number}: {again:?}");
        assert!(again.compared < 10 * again.games, "{number}: {again:?}");
    }
    let folder = Folder::new();
    let text: String =
        (0..40).map(|n| format!("[White \"Player {n}\"]\n\n1. 32-28 *\n\n")).collect();
    let mut games = folder.games(&text);
    let (path, options) = (folder.path("all.games"), ImportOptions::default());
    let (one, two) = (folder.file("1.pdn", text.clone() + " "), folder.file("2.pdn", text + "  "));
    let mut added = Vec::new();
    let report = games.import(&[one, two], options, &mut |event| {
        if let ImportEvent::File { report, .. } = event {
            added.push(report.added);
            let mut other = GamesFile::open(&path).unwrap();
            other.delete(&[7, 8]).unwrap();
        }
        true
    });
    assert_eq!((report.unwrap().duplicates, added), (78, vec![0, 2]));
}

/// A tree of games and a book of the same games say the same.
#[test]
fn a_tree_and_a_book_agree() {
    use meerslag_book::{Book, BuildOptions, OtherBooks, build};
    use meerslag_files::Existing;
    let folder = Folder::new();
    let games = folder.games(&random_games(120, 40, 11));
    let book = folder.path("all.book");
    let options = BuildOptions { unique: true, ..BuildOptions::default() };
    let inputs = [folder.path("all.pdn")];
    let out = (book.as_path(), Existing::Keep);
    build(&inputs, out, &options, OtherBooks::default(), &mut |_| true).unwrap();
    let book = Book::open(&book).unwrap();
    let mut moves = 0;
    let all = parsed(&exported(games.path()));
    for (position, _) in all.iter().step_by(5).flat_map(PdnGame::positions) {
        let query = Query { position: Some(position), twin: true, ..Query::default() };
        let tree = games.tree(&query).unwrap();
        let index = book.find(&position).unwrap();
        assert_eq!(u64::from(book.position(index).unwrap().games), tree.games);
        let side = position.side_to_move();
        let mut there: Vec<(String, u64, [u64; 3])> = book
            .moves(index)
            .map(|entry| {
                let mv = movegen::key::folded_move(entry.code.to_move().unwrap(), side);
                let [won, drawn, lost] = [entry.wins, entry.draws, entry.losses].map(u64::from);
                (mv.to_string(), u64::from(entry.games), [won, drawn, lost])
            })
            .collect();
        let mut here: Vec<_> = tree
            .moves
            .iter()
            .map(|mv| (mv.mv.to_string(), mv.games, mv.results.counts()))
            .collect();
        there.sort();
        here.sort();
        assert_eq!(here, there, "{position}");
        moves += here.len();
    }
    assert!(moves > 500, "{moves}");
}

#[test]
fn archives_folders_and_encodings() {
    let folder = Folder::new();
    let inner = folder.path("deep/er");
    fs::create_dir_all(&inner).unwrap();
    let russian = "[White \"Иванов Алексей\"]\n[Black \"Чижов\"]\n\n1. 32-28 19-23 *\n";
    let bytes: Vec<u8> = russian
        .chars()
        .map(|c| match c {
            'А'..='п' => (c as u32 - 'А' as u32 + 0x80) as u8,
            'р'..='я' => (c as u32 - 'р' as u32 + 0xe0) as u8,
            c => c as u8,
        })
        .collect();
    fs::write(inner.join("old.PDN"), bytes).unwrap();
    fs::write(inner.join("notes.txt"), "no games").unwrap();
    let mut zip = zip::ZipWriter::new(fs::File::create(folder.path("deep/site.zip")).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for (name, text) in [
        ("round1/a.pdn", "[White \"A\"]\n\n1. 31-26 *\n"),
        ("b.pdn", "[White \"B\"]\n\n1. 31-27 *\n"),
        ("readme.doc", "nothing"),
    ] {
        zip.start_file(name, options).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let mut games = GamesFile::open_or_create(&folder.path("all.games")).unwrap();
    let mut seen = Vec::new();
    let report = games
        .import(&[folder.path("deep")], ImportOptions::default(), &mut |event| {
            if let ImportEvent::File { name, encodings, .. } = event {
                seen.push((name.rsplit('/').next().unwrap().to_owned(), encodings.to_string()));
            }
            true
        })
        .unwrap();
    assert_eq!((report.files, report.added), (3, 3));
    assert_eq!(
        seen,
        [("old.PDN", "cp866"), ("a.pdn", "utf-8"), ("b.pdn", "utf-8")]
            .map(|(name, encodings)| (name.to_owned(), encodings.to_owned()))
    );
    let query = Query { player: Some("иванов".into()), ..Query::default() };
    assert_eq!(games.find(&query, 0, 9).unwrap().hits[0].game.white, "Иванов Алексей");
}

/// What the tags say is named once for a file, other games by their kinds; nothing of it is lost.
#[test]
fn tags_are_the_users_and_what_is_odd_in_them_is_named() {
    let folder = Folder::new();
    let mut games = GamesFile::open_or_create(&folder.path("all.games")).unwrap();
    let mut import = |name: &str, text: &str| {
        let mut problems = Vec::new();
        let file = folder.file(name, text);
        let report = games
            .import(&[file], ImportOptions::default(), &mut |event| {
                if let ImportEvent::Problem(problem) = event {
                    problems.push(format!("{}: {}", problem.line, problem.reason));
                }
                true
            })
            .unwrap();
        (report, problems)
    };
    let ours = "[Bianco \"Rossi\"]\n[Nero \"Verdi\"]\n[Data \"1999.05.01\"]\n[Risultato \"remise\"]\n\
                1. 32-28 {[%clock w0:09:57 B0:09:58]} 19-23 {[%clk W0:09:57 b0:09:50]} *\n\n\
                [White \"B\"]\n[Result \"2-0\"]\n1. 33-28 0-2\n\n\
                [White \"C\"]\n[Result \"forfait\"]\n[FEN \"W:W33,43:B13,20:F55\"]\n55. 33-28 *\n\n\
                [White \"D\"]\n[GameType \"100\"]\n1. 34-30 *\n\n";
    let others = "[GameType \"20\"]\n[Variant \"Canadian\"]\n1. 32-28 *\n\n\
                  [Variant \"Russian\"]\n1. 22-17 *\n\n[GameType \"25\"]\n1. 22-18 *\n\n";
    let (report, problems) = import("mixed.pdn", &format!("{ours}{others}"));
    assert_eq!((report.added, report.broken, report.other_type), (4, 0, 3));
    let [bad, differs, canadian, russian] = &problems[..] else { panic!("{problems:?}") };
    assert!(bad.starts_with("4: 'remise' is not a result"), "{bad}");
    assert!(bad.ends_with("; 1 more of this kind, on line 12"), "{bad}");
    assert!(differs.starts_with("9: the Result tag says 2-0"), "{differs}");
    assert!(canadian.starts_with("20: ") && canadian.contains("Canadian"), "{canadian}");
    assert!(russian.contains("Russian draughts); 1 more of this kind"), "{russian}");
    let (report, problems) = import("others.pdn", others);
    assert_eq!((report.added, report.failed), (0, 1));
    let reason = "it has only games of other boards: 1 of Canadian draughts, 2 of Russian draughts";
    assert!(problems[2].ends_with(reason), "{problems:?}");

    let query = Query { player: Some("rossi".into()), ..Query::default() };
    let hit = &games.find(&query, 0, 9).unwrap().hits[0].game;
    assert_eq!((hit.black.as_str(), hit.year, hit.score.as_str()), ("Verdi", Some(1999), "remise"));
    let written =
        game_to_string(&games.game(hit.id).unwrap().unwrap().game, &WriteOptions::default());
    for part in [
        "[White \"Rossi\"]",
        "[Bianco \"Rossi\"]",
        "[Result \"remise\"]",
        "[Risultato \"remise\"]",
        "{[%clock w0:09:57 B0:09:58]}",
        "{[%clk W0:09:57 b0:09:50]}",
    ] {
        assert!(written.contains(part), "{part}: {written}");
    }
    let cut = game_to_string(&games.game(3).unwrap().unwrap().game, &WriteOptions::default());
    assert!(cut.contains("[Result \"forfait\"]") && cut.contains("\n55. 33-28 *\n"), "{cut}");
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(text).unwrap();
    packer.finish().unwrap()
}

fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in entries {
        let stored = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        zip.start_file(*name, stored).unwrap();
        zip.write_all(text).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// One bad file, archive, entry or link is named, and the others are read.
#[test]
fn one_bad_file_does_not_stop_the_others() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("d/sub")).unwrap();
    let game = |name: &str| format!("[White \"{name}\"]\n\n1. 32-28 *\n").into_bytes();
    let mut damaged = zip(&[("one.pdn", &game("Inside")), ("two.pdn", &game("Damaged"))]);
    let at = damaged.windows(7).position(|part| part == b"Damaged").unwrap();
    damaged[at] ^= 0xff;
    folder.file("d/a.pdn", game("First"));
    folder.file("d/b.zip", "PK\x03\x04xxxx");
    folder.file("d/c.zip", zip(&[("x.pdn.gz", &gzip(&game("Wrapped"))), ("y.zip", &damaged)]));
    folder.file("d/d.rar", b"Rar!\x1a\x07\x01\x00 and so on");
    folder.file("d/e.7z", b"7z\xbc\xaf\x27\x1c");
    folder.file("d/f.pdn.gz", gzip(&game("Packed")));
    folder.file("d/g.pdn.gz", &gzip(&game("Cut short"))[..20]);
    folder.file("d/sub/h.zip", zip(&[("photo.jpg", b"no games")]));
    folder.file("d/sub/z.pdn", game("Last"));
    let mut bad = vec![
        "b.zip: ",
        "c.zip/y.zip: a zip archive in an",
        "d.rar: a RAR",
        "e.7z: a 7z",
        "g.pdn.gz: ",
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", folder.path("d/h.pdn")).unwrap();
        std::os::unix::fs::symlink("..", folder.path("d/sub/up.pdn")).unwrap();
        bad.push("h.pdn: a link to a missing file");
    }
    let paths =
        ["none.pdn", "d", "damaged.zip", "all.games", "d/sub/h.zip"].map(|name| folder.path(name));
    folder.file("damaged.zip", damaged);
    let mut games = GamesFile::open_or_create(&folder.path("all.games")).unwrap();
    let (report, _, problems) = imported(&mut games, &paths, Duplicates::Skip);
    bad.insert(0, "none.pdn: No such file");
    bad.extend([
        "damaged.zip/two.pdn: ",
        "all.games: a file of games: 'games merge'",
        "h.zip: it has no PDN file",
    ]);
    assert_eq!(problems.len(), bad.len(), "{problems:#?}");
    for (problem, bad) in problems.iter().zip(bad) {
        assert!(problem.contains(bad), "{problem}, expected {bad}");
    }
    assert_eq!((report.failed, report.added), (problems.len() as u64, 5));
    let (query, mut names) = (Query::default(), Vec::new());
    names.extend(games.find(&query, 0, 9).unwrap().hits.into_iter().map(|hit| hit.game.white));
    assert_eq!(names, ["First", "Wrapped", "Packed", "Last", "Inside"]);
    // As the text that other commands read.
    let text = |name: &str| {
        let mut text = String::new();
        open_text(&folder.path(name))
            .and_then(|mut file| file.read_to_string(&mut text))
            .map(|_| text)
    };
    assert_eq!(parsed(&text("d/f.pdn.gz").unwrap())[0].tags.get("White"), Some("Packed"));
    let two = folder.file("two.zip", zip(&[("1.pdn", &game("One")), ("2.pdn", &game("Two"))]));
    assert_eq!(parsed(&text("two.zip").unwrap()).len(), 2);
    assert!(text("damaged.zip").unwrap_err().to_string().contains("damaged.zip/two.pdn: "));
    assert!(text("d/e.7z").unwrap_err().to_string().contains("unpack it first"));
    // A file is made when there is a game for it.
    let new = folder.path("new.games");
    let into = |path: PathBuf| {
        GamesFile::import_into(&new, &[path], ImportOptions::default(), &mut |_| true)
    };
    assert_eq!(into(folder.path("d/b.zip")).unwrap().failed, 1);
    assert_eq!(into(folder.file("no.pdn", "no game")).unwrap().failed, 1);
    assert!(!new.exists());
    assert_eq!(into(two).unwrap().added, 2);
    assert_eq!(GamesFile::open(&new).unwrap().game_count().unwrap(), 2);
    // Bytes of a caller are not unpacked.
    let packed =
        games.import_text("HTTP", &gzip(&game("x")), ImportOptions::default(), &mut |_| true);
    assert!(packed.unwrap_err().to_string().contains("gzip"));
}

#[test]
fn what_is_no_file_of_games_is_refused_and_kept() {
    let folder = Folder::new();
    let error = |path: &Path| GamesFile::open(path).unwrap_err();
    let text = folder.file("text", "1. 32-28 *\n".repeat(100));
    assert!(matches!(error(&text), GamesError::Foreign { .. }), "{}", error(&text));
    assert!(matches!(GamesFile::open_or_create(&text), Err(GamesError::Foreign { .. })));
    assert_eq!(fs::read(&text).unwrap(), "1. 32-28 *\n".repeat(100).as_bytes());
    assert!(matches!(error(&folder.path("none")), GamesError::Io { .. }));
    assert!(matches!(error(folder.0.path()), GamesError::Io { .. }));
    // A file of another program.
    let other = folder.path("other.db");
    let connection = rusqlite::Connection::open(&other).unwrap();
    connection.execute_batch("CREATE TABLE games (x)").unwrap();
    drop(connection);
    assert!(matches!(error(&other), GamesError::Foreign { .. }));
    assert!(matches!(GamesFile::open_or_create(&other), Err(GamesError::Foreign { .. })));
    // Newer, or of a program that was never released.
    let games = folder.games(RICH);
    let path = games.path().to_owned();
    drop(games);
    let newer = folder.path("newer.games");
    fs::copy(&path, &newer).unwrap();
    for version in [1, 4] {
        let connection = rusqlite::Connection::open(&newer).unwrap();
        connection.pragma_update(None, "user_version", version).unwrap();
        drop(connection);
        let text = format!("version {version}, this program reads versions 2 to 3");
        assert!(error(&newer).to_string().contains(&text), "{}", error(&newer));
    }
    // Damage: every single byte would take too long, so some of each page.
    let whole = fs::read(&path).unwrap();
    let mut random = Random::new(1);
    let mut refused = 0;
    for _ in 0..300 {
        let mut bytes = whole.clone();
        for _ in 0..20 {
            let at = (random.next_u64() % bytes.len() as u64) as usize;
            bytes[at] ^= random.next_u64() as u8 | 1;
        }
        let damaged = folder.file("damaged.games", &bytes);
        let is_refused = (|| -> Result<bool, GamesError> {
            let games = GamesFile::open(&damaged)?;
            let query = Query { position: Some(Position::initial()), ..Query::default() };
            games.tree(&query)?;
            games.find(
                &Query { pattern: Some("w27".parse().unwrap()), ..Query::default() },
                0,
                9,
            )?;
            Ok(!games.check(&mut |_, _| true)?.faults.is_empty())
        })();
        refused += u32::from(is_refused.unwrap_or(true));
        for end in ["-wal", "-shm"] {
            let _ = fs::remove_file(folder.path(&format!("damaged.games{end}")));
        }
    }
    assert!(refused > 100, "{refused}");
    // Cut short.
    let short = folder.file("short.games", &whole[..whole.len() / 2]);
    let result = GamesFile::open(&short).and_then(|games| games.check(&mut |_, _| true));
    assert!(result.map_or(true, |report| !report.faults.is_empty()));
}

/// What all commands answer about a file.
fn answers(path: &Path, positions: &[Position]) -> Result<Vec<String>, GamesError> {
    let games = GamesFile::open(path)?;
    let info = GamesInfo { file: String::new(), ..games.info()? };
    let mut answers = vec![format!("{info:?}")];
    let mut lists = Vec::new();
    for sort in Sort::ALL {
        lists.push(Query { sort, ..Query::default() });
    }
    lists.extend(
        ["a", "b", "c*"].map(|name| Query { player: Some(name.into()), ..Query::default() }),
    );
    lists.push(Query { event: Some("cup".into()), years: Some(1900..=2000), ..Query::default() });
    lists.push(Query { pattern: Some("w27".parse().unwrap()), ..Query::default() });
    lists.extend(positions.iter().map(|&position| Query {
        position: Some(position),
        twin: true,
        ..Query::default()
    }));
    for query in lists {
        answers.push(format!("{:?}", games.find(&query, 0, u64::MAX)?));
        if query.position.is_some() {
            answers.push(format!("{:?}", games.tree(&query)?));
        }
    }
    let probe = egdb::Probe::embedded().unwrap();
    answers
        .push(format!("{:?}", games.statistics(&Query::default(), 99, &probe, &mut |_, _| true)?));
    answers.push(format!("{:?}", games.duplicates()?));
    let mut text = String::new();
    Read::read_to_string(&mut PdnText::new(&games), &mut text)
        .map_err(|error| GamesError::Input(error.to_string()))?;
    answers.push(text);
    answers.push(format!("{:?}", games.take_faults()));
    Ok(answers)
}

/// Games with comments, tags, rounds, scores, other starts.
fn rich_games() -> String {
    let mut text = RICH.to_owned();
    for (number, mut game) in (0..).zip(parsed(&random_games(25, 40, 11))) {
        game.tags.set("Annotator", &format!("somebody {number}"));
        if number % 5 == 0 {
            game.tags.set("Result", "");
        }
        for (ply, said) in (0..).zip(&mut game.line.plies) {
            let text = format!("[%eval {}.{ply}] said of {number}", number % 3);
            let comment = movegen::notation::pdn::Comment::new(&text);
            said.after.push(movegen::notation::pdn::Annotation::Comment(comment));
        }
        text += &game_to_string(&game, &WriteOptions::default());
    }
    text
}

/// A bit of the index, of texts, moves, names or tags is flipped, and some anywhere: the check finds
/// it, or no answer changes.
#[test]
fn a_flipped_bit_is_found_or_changes_nothing() {
    let folder = Folder::new();
    let mut games = folder.games(&rich_games());
    games.rebuild_index(&mut |_, _| true).unwrap();
    games.compact().unwrap();
    let path = games.path().to_owned();
    let positions: Vec<Position> = (1..20)
        .filter_map(|id| games.game(id).unwrap())
        .flat_map(|stored| stored.game.positions().map(|p| p.0).take(9).collect::<Vec<_>>())
        .collect();
    drop(games);
    let right = answers(&path, &positions).unwrap();
    let whole = fs::read(&path).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    let mut random = Random::new(8);
    let mut found = 0;
    for sql in [
        "SELECT block FROM positions",
        "SELECT text FROM moves WHERE text IS NOT NULL",
        "SELECT moves FROM moves WHERE length(moves) > 9",
        "SELECT CAST(name AS BLOB) FROM players WHERE length(name) > 3",
        "SELECT CAST(tags AS BLOB) FROM moves WHERE length(tags) > 9",
        "SELECT CAST(round || score || date AS BLOB) FROM games WHERE length(date) > 5",
        "",
    ] {
        let mut values: Vec<Vec<u8>> = Vec::new();
        if !sql.is_empty() {
            let mut select = connection.prepare(sql).unwrap();
            let rows = select.query_map([], |row| row.get(0)).unwrap();
            values = rows.collect::<Result<_, _>>().unwrap();
        }
        for _ in 0..60 {
            let mut bytes = whole.clone();
            let (at, length) = match values.len() as u64 {
                0 => (100, bytes.len() - 100),
                count => {
                    let value = &values[(random.next_u64() % count) as usize];
                    // A long value continues in other pages.
                    let head = &value[..value.len().min(30)];
                    let at = whole.windows(head.len()).position(|window| window == head);
                    (at.unwrap_or(100), value.len().min(400))
                }
            };
            bytes[at + (random.next_u64() % length as u64) as usize] ^=
                1 << (random.next_u64() % 8);
            let damaged = folder.file("damaged.games", &bytes);
            let check = GamesFile::open(&damaged).and_then(|games| games.check(&mut |_, _| true));
            let is_found = check.map_or(true, |report| !report.faults.is_empty());
            if !is_found {
                assert_eq!(answers(&damaged, &positions).unwrap(), right, "{sql}");
            }
            found += u32::from(is_found);
            for end in ["-wal", "-shm"] {
                let _ = fs::remove_file(folder.path(&format!("damaged.games{end}")));
            }
        }
    }
    assert!(found > 300, "{found}");
}

#[test]
fn a_text_with_other_moves_or_an_index_with_other_places_is_a_fault() {
    let folder = Folder::new();
    let games = folder.games(&rich_games());
    let path = games.path().to_owned();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    let check = |damage: &str, repair: &str| {
        connection.execute_batch(damage).unwrap();
        let report = games.check(&mut |_, _| true).unwrap();
        connection.execute_batch(repair).unwrap();
        assert_eq!(games.check(&mut |_, _| true).unwrap().faults, []);
        report.faults.into_iter().map(|fault| fault.to_string()).collect::<Vec<_>>()
    };
    let swap = "CREATE TEMP TABLE IF NOT EXISTS kept AS SELECT game, text FROM moves; \
         UPDATE moves SET text = (SELECT text FROM kept k WHERE k.game = 8) WHERE game = 7";
    let back = "UPDATE moves SET text = (SELECT text FROM kept k WHERE k.game = 7) WHERE game = 7";
    assert_eq!(check(swap, back), ["game 7: its text has different moves"]);
    let faults = check(
        "UPDATE moves SET tags = 'x' || tags WHERE game = 7",
        "UPDATE moves SET tags = substr(tags, 2) WHERE game = 7",
    );
    assert_eq!(faults, ["game 7: its tags cannot be read"]);
    let faults = check(
        "UPDATE games SET year = -5 - year WHERE id = 9",
        "UPDATE games SET year = -5 - year WHERE id = 9",
    );
    assert!(faults[0].starts_with("game 9: its year is -"), "{faults:?}");
    let faults = check(
        "UPDATE games SET white = white + 9000 WHERE id = 9",
        "UPDATE games SET white = white - 9000 WHERE id = 9",
    );
    assert_eq!(faults, ["game 9: its White is missing or not a text"]);
    let faults = check(
        "UPDATE games SET round = round || 'x' WHERE id = 9",
        "UPDATE games SET round = substr(round, 1, length(round) - 1) WHERE id = 9",
    );
    assert_eq!(faults, ["game 9: its columns or tags do not fit their checksum"]);
    let faults = check(
        "UPDATE players SET folded = folded || 'x' WHERE id = 2",
        "UPDATE players SET folded = substr(folded, 1, length(folded) - 1) WHERE id = 2",
    );
    assert_eq!(faults, ["row 2 of players does not fit its name"]);
    // The index of other games: a place too few, one too many.
    let other = Folder::new();
    let mut others = other.games(&rich_games());
    others.delete(&[12]).unwrap();
    others.rebuild_index(&mut |_, _| true).unwrap();
    let exchange = format!(
        "ATTACH '{}' AS other; CREATE TEMP TABLE here AS SELECT * FROM positions; \
         CREATE TEMP TABLE sizes AS SELECT * FROM segments; \
         DELETE FROM main.positions; INSERT INTO main.positions SELECT * FROM other.positions; \
         DELETE FROM main.segments; INSERT INTO main.segments SELECT * FROM other.segments",
        others.path().display()
    );
    let faults = check(
        &exchange,
        "DELETE FROM main.positions; INSERT INTO main.positions SELECT * \
         FROM here; DELETE FROM main.segments; INSERT INTO main.segments SELECT * FROM sizes",
    );
    assert_eq!(faults, ["game 12: the index has places other than its positions"]);
}

/// A player who is missing, an impossible year, tags, texts and moves that cannot be read: such a
/// game is named, and the others are there.
#[test]
fn a_damaged_game_is_named_and_the_others_are_read() {
    let folder = Folder::new();
    let games = folder.games(&random_games(40, 20, 4));
    let connection = rusqlite::Connection::open(games.path()).unwrap();
    let whole = exported(games.path());
    let probe = egdb::Probe::embedded().unwrap();
    connection
        .execute_batch(
            "PRAGMA foreign_keys = OFF; CREATE TEMP TABLE g AS SELECT * FROM games; \
         CREATE TEMP TABLE m AS SELECT * FROM moves",
        )
        .unwrap();
    for (damage, what) in [
        ("UPDATE games SET white = 9999 WHERE id = 30", "its White is missing"),
        ("UPDATE games SET event = 9999 WHERE id = 30", "its event is missing"),
        ("UPDATE games SET year = -5 WHERE id = 30", "its year is -5"),
        (
            "UPDATE games SET black_rating = 'x' WHERE id = 30",
            "its rating of Black is not a number",
        ),
        ("UPDATE games SET result = 7 WHERE id = 30", "its result is 7"),
        ("UPDATE moves SET tags = 'x' WHERE game = 30", "its tags cannot be read"),
        ("UPDATE moves SET text = x'00' WHERE game = 30", "its text cannot be read"),
        ("UPDATE moves SET moves = 'x' WHERE game = 30", "its moves cannot be read"),
        ("UPDATE moves SET start = 'x' WHERE game = 30", "its start is not a position"),
        ("DELETE FROM moves WHERE game = 30", "it has no moves"),
    ] {
        connection.execute_batch(damage).unwrap();
        let games = GamesFile::open(games.path()).unwrap();
        let named = |games: &GamesFile| {
            let faults: Vec<String> =
                games.take_faults().into_iter().map(|fault| fault.to_string()).collect();
            assert!(faults.len() == 1 && faults[0].contains("game 30: "), "{damage}: {faults:?}");
            assert!(faults[0].starts_with(&format!("game 30: {what}")), "{damage}: {faults:?}");
        };
        let mut text = String::new();
        Read::read_to_string(&mut PdnText::new(&games), &mut text).unwrap();
        named(&games);
        let (left, all) = (parsed(&text), parsed(&whole));
        assert_eq!(left.len(), 39, "{damage}");
        assert!(left.iter().all(|game| {
            all.iter().any(|other| (&game.tags, &game.line) == (&other.tags, &other.line))
        }));
        let rows = games.statistics(&Query::default(), 9, &probe, &mut |_, _| true).unwrap();
        // They do not look at tags.
        assert_eq!(rows[0].score.games + games.take_faults().len() as u64, 40, "{damage}");
        let mut merged = GamesFile::open_or_create(&folder.path("merged.games")).unwrap();
        let mut problems = Vec::new();
        let report = merged.merge(&games, Duplicates::Skip, &mut |event| {
            if let ImportEvent::Problem(problem) = event {
                problems.push(problem.reason.clone());
            }
            true
        });
        let report = report.unwrap();
        assert_eq!((report.games, report.failed, problems.len()), (39, 1, 1), "{damage}");
        assert!(problems[0].starts_with(&format!("game 30: {what}")), "{damage}: {problems:?}");
        drop(merged);
        fs::remove_file(folder.path("merged.games")).unwrap();
        for sort in Sort::ALL {
            let page = games.find(&Query { sort, ..Query::default() }, 0, u64::MAX).unwrap();
            assert_eq!((page.total, page.hits.len() + games.take_faults().len()), (40, 40));
        }
        for pattern in ["w27", "w31"] {
            let pattern = Some(pattern.parse().unwrap());
            games.find(&Query { pattern, ..Query::default() }, 0, u64::MAX).unwrap();
        }
        let position = Some(Position::initial());
        games.tree(&Query { position, ..Query::default() }).unwrap();
        games.info().unwrap();
        assert!(!games.check(&mut |_, _| true).unwrap().faults.is_empty(), "{damage}");
        connection
            .execute_batch(
                "DELETE FROM games; INSERT INTO games SELECT * FROM g; DELETE FROM moves; \
                 INSERT INTO moves SELECT * FROM m",
            )
            .unwrap();
    }
}

#[test]
fn dates_and_names_sort_as_people_read_them() {
    let folder = Folder::new();
    let mut text = String::new();
    let moves = ["31-26", "31-27", "32-27", "32-28", "33-28", "33-29", "34-29", "34-30"];
    for ((date, white, event), mv) in [
        ("2020.??.??", "Zwart", "b"),
        ("????.??.??", "de Vries", "Ähre"),
        ("31.12.2001", "Élan", "apfel"),
        ("2020", "Zwart, Anna", "Zoo"),
        ("2020-05-01", "adam", "C"),
        ("2020.11.02", "Eve", "b"),
        ("1.2.2002", "Жуков", "b"),
        ("", "DE WIT", "b"),
    ]
    .into_iter()
    .zip(moves)
    {
        let tags = format!("[Event \"{event}\"]\n[Date \"{date}\"]\n[White \"{white}\"]");
        text += &format!("{tags}\n1. {mv} *\n\n");
    }
    let games = folder.games(&text);
    let check = |games: &GamesFile| {
        for player in [None, Some("*".to_owned())] {
            let list = |sort| {
                let query = Query { sort, player: player.clone(), ..Query::default() };
                games.find(&query, 0, 99).unwrap().hits.into_iter().map(|hit| hit.game)
            };
            let dates: Vec<i64> = list(Sort::Date).map(|game| game.id).collect();
            assert_eq!(dates, [6, 5, 1, 4, 7, 3, 2, 8]);
            let names: Vec<String> = list(Sort::White).map(|game| game.white).collect();
            assert_eq!(
                names,
                ["adam", "de Vries", "DE WIT", "Élan", "Eve", "Zwart", "Zwart, Anna", "Жуков"]
            );
            let events: Vec<String> = list(Sort::Event).map(|game| game.event).collect();
            assert_eq!(events, ["Ähre", "apfel", "b", "b", "b", "b", "C", "Zoo"]);
        }
    };
    check(&games);
}

#[test]
fn odd_input_is_taken_as_it_is() {
    let folder = Folder::new();
    let name = "Robert'); DROP TABLE games; --";
    let long = "déjà vu ".repeat(600_000);
    let games = folder
        .games(&format!("[White \"{name}\"]\n[Black \"?\"]\n\n1. 32-28 {{{long}}} 19-23 *\n"));
    let query = Query { player: Some(name.into()), ..Query::default() };
    let page = games.find(&query, 0, 9).unwrap();
    assert_eq!(page.hits[0].game.white, name);
    let game = games.game(1).unwrap().unwrap().game;
    assert!(game.line.plies[0].comments().next().unwrap().text == long.trim_end());
    assert_eq!(game.line.plies.len(), 2);
    assert!(fs::metadata(games.path()).unwrap().len() < 1 << 20);
    // A comment longer than the reader of PDN keeps: the import says that it was cut.
    let mut games = games;
    let mut problems = Vec::new();
    let longest = "z".repeat((16 << 20) + 1);
    let file = folder.file("long.pdn", format!("1. 33-28 {{{longest}}} 18-22 *\n"));
    let report = games.import(&[file], ImportOptions::default(), &mut |event| {
        if let ImportEvent::Problem(problem) = event {
            problems.push(problem.reason.clone());
        }
        true
    });
    assert_eq!(report.unwrap().broken, 1);
    assert!(problems[0].contains("16777216"), "{problems:?}");
    // Not PDN, and an empty file.
    let report = games
        .import(
            &[
                folder.file("picture.pdn", [0x89, b'P', b'N', b'G', 0, 1, 2, 0xff]),
                folder.file("empty.pdn", ""),
            ],
            ImportOptions::default(),
            &mut |_| true,
        )
        .unwrap();
    assert_eq!((report.failed, report.added), (2, 0));
    assert_eq!(games.game_count().unwrap(), 2);
    // The work is stopped in the middle: nothing of the file is added.
    let more = folder.file("more.pdn", random_games(300, 20, 5));
    let mut calls = 0;
    let stopped = games.import(std::slice::from_ref(&more), ImportOptions::default(), &mut |_| {
        calls += 1;
        calls < 3
    });
    assert!(matches!(stopped, Err(GamesError::Interrupted)));
    assert_eq!(games.game_count().unwrap(), 2);
    assert_eq!(import(&mut games, &more).added, 300);
    assert_eq!(games.check(&mut |_, _| true).unwrap().faults, []);
}

/// One writes while others read and write; all see whole files.
#[test]
fn two_writers_and_a_reader() {
    let folder = Folder::new();
    let path = folder.path("all.games");
    drop(GamesFile::open_or_create(&path).unwrap());
    std::thread::scope(|scope| {
        for writer in 0..3u64 {
            let (path, folder) = (&path, &folder);
            scope.spawn(move || {
                let mut games = GamesFile::open_or_create(path).unwrap();
                for part in 0..4 {
                    let name = format!("{writer}-{part}.pdn");
                    let text = random_games(25, 30, 1000 + writer * 10 + part);
                    assert_eq!(import(&mut games, &folder.file(&name, text)).games, 25);
                }
            });
        }
        let games = GamesFile::open(&path).unwrap();
        for _ in 0..50 {
            let query = Query { position: Some(Position::initial()), ..Query::default() };
            assert!(games.find(&query, 0, 1).unwrap().total <= 300);
        }
    });
    let games = GamesFile::open(&path).unwrap();
    assert!(games.game_count().unwrap() >= 290);
    assert_eq!(games.check(&mut |_, _| true).unwrap().faults, []);
}

/// The log is empty after an import, even while others have the file open: what it holds would come
/// over a backup that is put in the file's place.
#[test]
fn imports_leave_nothing_in_the_log() {
    let folder = Folder::new();
    let mut games = folder.games("1. 32-28 19-23 *\n");
    let other = GamesFile::open(games.path()).unwrap();
    assert_eq!(other.game_count().unwrap(), 1);
    let log = folder.path("all.games-wal");
    let length = || fs::metadata(&log).map_or(0, |data| data.len());
    import(&mut games, &folder.file("more.pdn", "1. 31-27 *\n"));
    assert_eq!(length(), 0);
    let text = b"1. 33-29 *\n";
    games.import_text("text", text, ImportOptions::default(), &mut |_| true).unwrap();
    assert_eq!(length(), 0);
    let mut merged = GamesFile::open_or_create(&folder.path("merged.games")).unwrap();
    let reader = GamesFile::open(merged.path()).unwrap();
    merged.merge(&games, Duplicates::Skip, &mut |_| true).unwrap();
    assert_eq!(fs::metadata(folder.path("merged.games-wal")).map_or(0, |data| data.len()), 0);
    assert_eq!((other.game_count().unwrap(), reader.game_count().unwrap()), (3, 3));
}

/// Work that nobody waits for any more ends, and leaves the file as it was.
#[test]
fn work_ends_when_its_flag_is_set() {
    let folder = Folder::new();
    let mut games = folder.games(&random_games(3_000, 40, 7));
    let flag = Arc::new(AtomicBool::new(false));
    games.end_when(Arc::clone(&flag)).unwrap();
    let query = Query { pattern: Some("w1".parse().unwrap()), ..Query::default() };
    let found = games.find(&query, 0, 10).unwrap();
    flag.store(true, Ordering::Relaxed);
    assert!(matches!(games.find(&query, 0, 10), Err(GamesError::Interrupted)));
    let more = random_games(3_000, 40, 8);
    let options = ImportOptions::default();
    let added = games.import_text("more", more.as_bytes(), options, &mut |_| true);
    assert!(matches!(added, Err(GamesError::Interrupted)), "{added:?}");
    flag.store(false, Ordering::Relaxed);
    assert_eq!(games.find(&query, 0, 10).unwrap(), found);
    assert_eq!(games.game_count().unwrap(), 3_000);
}
