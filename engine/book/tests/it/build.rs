//! Books from games: every selection on a collection small enough to count by hand.

use std::fs;

use meerslag_book::{
    Book, BookError, BuildEvent, BuildOptions, LineKind, LineMove, MoveEntry, OtherBooks,
    PositionEntry, Selection, build, check, import, merge, walk, write_text,
};
use meerslag_files::Existing;
use movegen::Position;
use movegen::notation::moves::format_move;
use movegen::notation::pdn::PlayerName;
use movegen::random::Random;

use super::{Games, after, from_text, known, moves_after};

const GAMES: &str = "\
[White \"Sijbrands, Ton\"]
[Black \"Wiersma, Harm\"]
[Date \"1977.05.01\"]
[WhiteRating \"2400\"]
[BlackRating \"2390\"]

1. 32-28 19-23 2. 28x19 14x23 (2... 13x24 3. 37-32) 2-0

[White \"Wiersma, Harm\"]
[Black \"Gantwarg, Anatoli\"]
[Date \"1984\"]
[WhiteElo \"2300\"]
[BlackElo \"2420\"]

1. 32-28 17-22 2. 28x17 11x22 1-1

[White \"Gantwarg, Anatoli\"]
[Black \"Sijbrands, Ton\"]

1. 31-26 16-21 *
";

fn options() -> BuildOptions {
    BuildOptions::default()
}

#[test]
fn every_position_and_move_counts() {
    let book = Games::new(GAMES).build(&BuildOptions { estimate: true, ..options() });
    assert_eq!(moves_after(&book, ""), known(3, &[("31-26", 1), ("32-28", 2)]));
    assert_eq!(moves_after(&book, "32-28"), known(2, &[("17-22", 1), ("19-23", 1)]));
    assert_eq!(moves_after(&book, "32-28 19-23 28x19"), known(1, &[("14x23", 1)]));
    assert_eq!(moves_after(&book, "31-26 16-21"), known(1, &[]));
    assert_eq!(moves_after(&book, "33-28"), None);
    // Start; 32-28, and three more in two games; 31-26 and one more.
    assert_eq!((book.len(), book.move_count()), (10, 9));

    // 32-28 was played twice, for a win and a draw: 2 games of (3 + 1) / (4 + 2).
    let (start, moves) = book.look_up(&Position::initial()).unwrap();
    assert!(start.is_start && start.is_in_line && start.ply == 0);
    let played = |index: usize| {
        let entry = moves[index].1;
        (entry.wins, entry.draws, entry.losses, entry.estimate)
    };
    assert_eq!(played(1), (1, 1, 0, 133));
    // 31-26 has no result: one game of 1 / 2.
    assert_eq!(played(0), (0, 0, 0, 50));
    // Black's 19-23 lost: one game of 1 / 4. Results are the mover's.
    let (entry, moves) = book.look_up(&after("32-28")).unwrap();
    // In the order of the turned moves: 19-23 is 32-28, and 17-22 is 34-29.
    assert_eq!((entry.ply, moves[0].1.losses, moves[0].1.estimate), (1, 1, 25));
}

#[test]
fn a_position_is_the_same_for_both_sides() {
    // After 1. 31-26 16-21 it is White's move; turned, it is Black's.
    let games = Games::new(&format!(
        "1. 31-26 16-21 *\n\n[FEN \"{}\"]\n1... 17-22 *\n",
        after("31-26 16-21").reversed().to_fen()
    ));
    let book = games.build(&options());
    let position = after("31-26 16-21");
    let (entry, moves) = book.look_up(&position).unwrap();
    assert_eq!((entry.games, entry.is_start), (2, true));
    // 17-22 turned is 34-29.
    assert_eq!(moves[0].0.to_string(), "34-29");
    assert_eq!(book.look_up(&position.reversed()).unwrap().1[0].0.to_string(), "17-22");
}

#[test]
fn variations_count_from_where_they_branch_off() {
    let book = Games::new(GAMES).build(&BuildOptions { variations: true, ..options() });
    let before = "32-28 19-23 28x19";
    assert_eq!(moves_after(&book, before), known(1, &[("13x24", 1), ("14x23", 1)]));
    assert_eq!(moves_after(&book, &format!("{before} 13x24")), known(1, &[("37-32", 1)]));
    let (_, moves) = book.look_up(&after(before)).unwrap();
    let results = |i: usize| (moves[i].1.wins, moves[i].1.draws, moves[i].1.losses);
    assert_eq!((results(0), results(1)), ((0, 0, 0), (0, 0, 1)), "nobody has won a variation");
    assert_eq!(book.len(), 12);
}

#[test]
fn moves_of_one_colour_or_player() {
    let games = Games::new(GAMES);
    let only = |selection: Selection| games.build(&BuildOptions { selection, ..options() });
    let white = only(Selection { white: true, ..Selection::default() });
    assert_eq!(moves_after(&white, ""), known(3, &[("31-26", 1), ("32-28", 2)]));
    assert_eq!(moves_after(&white, "32-28"), known(2, &[]));
    assert_eq!(moves_after(&white, "32-28 17-22"), known(1, &[("28x17", 1)]));
    assert_eq!(white.move_count(), 4);
    let black = only(Selection { black: true, ..Selection::default() });
    assert_eq!(moves_after(&black, ""), known(3, &[]));
    assert_eq!(moves_after(&black, "32-28"), known(2, &[("17-22", 1), ("19-23", 1)]));
    assert_eq!(black.move_count(), 5);

    let player = |name| {
        let player = Some(PlayerName::parse(name).unwrap());
        only(Selection { player, ..Selection::default() })
    };
    // White in the first game, Black in the third.
    for name in ["sijbrands, ton", "Sijb*"] {
        let book = player(name);
        assert_eq!(moves_after(&book, ""), known(2, &[("32-28", 1)]));
        assert_eq!(moves_after(&book, "31-26"), known(1, &[("16-21", 1)]));
        assert_eq!(moves_after(&book, "32-28 17-22"), None, "a game of others");
    }
    let result = build_error(
        &games,
        &BuildOptions {
            selection: Selection {
                player: Some(PlayerName::parse("Sijbrands").unwrap()),
                ..Selection::default()
            },
            ..options()
        },
    );
    assert!(result.contains("nothing to build from: 3 games, 0 of use"), "{result}");
}

fn build_error(games: &Games, options: &BuildOptions) -> String {
    let out = games.path("none.book");
    let files = std::slice::from_ref(&games.file);
    let result =
        build(files, (&out, Existing::Keep), options, OtherBooks::default(), &mut |_| true);
    assert!(!out.exists());
    result.unwrap_err().to_string()
}

#[test]
fn years_and_ratings() {
    let games = Games::new(GAMES);
    let count = |selection: Selection| {
        let book = games.build(&BuildOptions { selection, ..options() });
        book.look_up(&Position::initial()).unwrap().0.games
    };
    assert_eq!(count(Selection { years: Some(1970..=1980), ..Selection::default() }), 1);
    assert_eq!(count(Selection { years: Some(1970..=1984), ..Selection::default() }), 2);
    assert_eq!(count(Selection { min_rating: Some(2300), ..Selection::default() }), 2);
    assert_eq!(count(Selection { min_rating: Some(2350), ..Selection::default() }), 1);
}

#[test]
fn a_game_counts_a_position_once_if_that_is_wanted() {
    let circle = "[FEN \"W:WK50:BK1\"]\n1. 50-44 1-6 2. 44-50 6-1 3. 50-44 1-6 1-1\n";
    let games = Games::new(circle);
    let start = Position::from_fen("W:WK50:BK1").unwrap();
    let counts = |unique| {
        let book = games.build(&BuildOptions { unique, ..options() });
        let (entry, moves) = book.look_up(&start).unwrap();
        (entry.games, moves.len(), moves[0].1.games, moves[0].1.draws)
    };
    assert_eq!(counts(false), (2, 1, 2, 2));
    assert_eq!(counts(true), (1, 1, 1, 1));
}

/// Positions that occur twice stay. The one after 31-26 17-21 34-29 20-25 comes from two orders of
/// moves that occur once each: no line leads to it any more, so it goes.
#[test]
fn rare_positions_are_left_out_with_what_only_they_lead_to() {
    let games = Games::new(
        "1. 32-28 19-23 *\n\n1. 32-28 19-23 *\n\n\
         1. 31-26 16-21 2. 34-29 20-25 *\n\n1. 34-29 20-25 2. 31-26 16-21 *\n",
    );
    let (book, report) = games.build_with(&BuildOptions { min_games: 2, ..options() }, None);
    assert_eq!(moves_after(&book, ""), known(4, &[("32-28", 2)]));
    assert_eq!(moves_after(&book, "32-28"), known(2, &[("19-23", 2)]));
    assert_eq!(moves_after(&book, "31-26 16-21 34-29 20-25"), None);
    assert_eq!((book.len(), report.used), (3, 4));
}

/// A tree as text: the moves, two blanks further to the right with each ply, with counts.
fn shown(tree: impl IntoIterator<Item = LineMove>) -> String {
    let line = |next: LineMove| {
        let (entry, mv) = (next.entry, format_move(&next.position, next.mv));
        let (wins, draws, losses) = (entry.wins, entry.draws, entry.losses);
        let repeated = if next.is_repeated { " again" } else { "" };
        let indent = " ".repeat(2 * next.ply);
        format!("{indent}{mv} {} +{wins} ={draws} -{losses}{repeated}\n", entry.games)
    };
    tree.into_iter().map(line).collect()
}

/// Each line in the order of play, the moves with more games first.
#[test]
fn the_tree_has_the_lines_from_a_position() {
    let games = Games::new(GAMES);
    let (book, report) = games.build_with(&BuildOptions { tree: true, ..options() }, None);
    let expected = "\
32-28 2 +1 =1 -0
  19-23 1 +0 =0 -1
    28x19 1 +1 =0 -0
      14x23 1 +0 =0 -1
  17-22 1 +0 =1 -0
    28x17 1 +0 =1 -0
      11x22 1 +0 =1 -0
31-26 1 +0 =0 -0
  16-21 1 +0 =0 -0
";
    assert_eq!(shown(report.tree), expected);
    let start = Position::initial();
    assert_eq!(shown(walk(&book, &start, 9)), expected);
    assert_eq!(book.cell_count(), 10, "the root and nine moves");
    assert_eq!(shown(walk(&book, &start, 1)), "32-28 2 +1 =1 -0\n31-26 1 +0 =0 -0\n");
    let replies = "19-23 1 +0 =0 -1\n  28x19 1 +1 =0 -0\n17-22 1 +0 =1 -0\n  28x17 1 +0 =1 -0\n";
    assert_eq!(shown(walk(&book, &after("32-28"), 2)), replies);
    assert_eq!(shown(walk(&book, &after("33-28"), 2)), "", "not in the book");
    assert_eq!(games.build_with(&options(), None).1.tree, [], "not asked for");
}

/// What follows a position is there once, after the first of the orders of moves that lead to it.
#[test]
fn a_tree_has_each_position_once() {
    let games = Games::new(
        "1. 31-26 16-21 2. 34-29 20-25 1-1\n\n1. 34-29 20-25 2. 31-26 16-21 3. 32-28 1-1\n",
    );
    let expected = "\
31-26 1 +0 =1 -0
  16-21 1 +0 =1 -0
    34-29 1 +0 =1 -0
      20-25 1 +0 =1 -0
        32-28 1 +0 =1 -0
34-29 1 +0 =1 -0
  20-25 1 +0 =1 -0
    31-26 1 +0 =1 -0
      16-21 1 +0 =1 -0 again
";
    assert_eq!(shown(walk(&games.build(&options()), &Position::initial(), 9)), expected);
}

/// Random games, many with errors in them.
fn random_games(count: usize, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::new();
    for _ in 0..count {
        let mut position = Position::initial();
        let length = 4 + random.below(20);
        for ply in 0..length {
            let moves = position.legal_moves();
            let Some(&mv) = moves.get(random.below(moves.len().clamp(1, 3))) else { break };
            if ply % 2 == 0 {
                text.push_str(&format!("{}. ", ply / 2 + 1));
            }
            text.push_str(&format!("{} ", format_move(&position, mv)));
            position = position.after(mv);
        }
        text.push_str(["2-0\n\n", "1-1\n\n", "0-2\n\n", "1-50 *\n\n"][random.below(4)]);
    }
    text
}

#[test]
fn the_same_games_give_the_same_bytes_whatever_the_memory() {
    let games = Games::new(&random_games(400, 3));
    let all = BuildOptions { estimate: true, variations: true, ..BuildOptions::default() };
    let bytes = |memory_mib| {
        let _ = games.build(&BuildOptions { memory_mib, ..all.clone() });
        fs::read(games.path("out.book")).unwrap()
    };
    let large = bytes(64);
    assert!(large == bytes(64));
    assert!(large == bytes(0), "the least memory");
    assert!(large.len() > 200_000, "{} bytes: more than the least memory holds", large.len());
}

#[test]
fn parts_put_together_are_the_whole() {
    let (one, two) = (random_games(60, 5), random_games(60, 6));
    let whole = Games::new(&format!("{one}{two}"));
    let (one, two) = (Games::new(&one), Games::new(&two));
    let parts = [one.build(&options()), two.build(&options())];
    let merged = whole.path("merged.book");
    merge(&parts, None, &merged, Existing::Keep).unwrap();
    let merged = Book::open(&merged).unwrap();
    assert_eq!(check(&merged, 5), Vec::<String>::new());
    assert_eq!(tables(&merged), tables(&whole.build(&options())));
    assert!(merged.len() > 500);
}

/// A book as text without its history.
fn tables(book: &Book) -> String {
    let mut text = Vec::new();
    write_text(book, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    text.lines().filter(|line| !line.starts_with("history")).map(|l| format!("{l}\n")).collect()
}

#[test]
fn text_there_and_back() {
    let games = Games::new(&random_games(50, 8));
    let book = games.build(&BuildOptions { estimate: true, ..options() });
    let text = tables(&book);
    let again = from_text(text.split_once('\n').unwrap().1, games.folder.path()).unwrap();
    assert_eq!(tables(&again), text);
    assert_eq!(again.about().history, ["imported from text"]);
    assert!(text.contains("estimate=") && text.contains("results=") && text.contains("start"));
}

#[test]
fn text_that_is_wrong_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let start = "position W:W31-50:B1-20 start";
    for (text, message) in [
        ("32-28".to_owned(), "line 2: '32-28': expected 'position' before the first move"),
        ("position W:W99".to_owned(), "line 2: "),
        (format!("{start}\n  32-27x"), "line 3: "),
        (format!("{start}\n  32-23"), "line 3: "),
        (format!("{start} games=many"), "line 2: 'games=many': expected a number"),
        (format!("{start} color=red"), "line 2: 'color=red': expected start, alone"),
        (format!("{start} search=0.1"), "line 2: 'search=0.1': expected SCORE/DEPTH"),
        (format!("{start}\n32-28 results=1/1"), "line 3: 'results=1/1': expected WINS/DRAWS"),
        (format!("{start}\n32-28 games=1 results=1/1/0"), "line 3: 32-28 has more results"),
        (format!("{start}\n{start}"), "the same position is in two places"),
        (format!("{start}\n32-28\n32-28"), "the same move is in two places: 32-28"),
        (String::new(), "no position in the text"),
    ] {
        let error = from_text(&text, folder.path()).unwrap_err().to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
}

#[test]
fn broken_games_are_counted_and_what_was_read_of_them_counts() {
    let broken = "[White \"A\"]\n1. 32-28 1-50 2-0\n\n".repeat(100);
    let games = Games::new(&format!("{broken}1. 32-28 19-23 2-0\n"));
    let path = games.path("out.book");
    let mut said = Vec::new();
    let report = build(
        std::slice::from_ref(&games.file),
        (&path, Existing::Keep),
        &options(),
        OtherBooks::default(),
        &mut |event| {
            if let BuildEvent::Warnings { file, warnings } = event {
                assert_eq!(file, games.file);
                said.extend(warnings.iter().cloned());
            }
            true
        },
    )
    .unwrap();
    assert_eq!((report.games, report.used, report.broken), (101, 101, 100));
    let [said] = &said[..] else { panic!("{said:?}") };
    assert_eq!(said.count, 100);
    assert!(said.to_string().starts_with("line 2, column 10: '1-50'"), "{said}");
    assert!(said.to_string().contains("99 more of this kind, on lines 5, 8, "), "{said}");
    let book = Book::open(&path).unwrap();
    assert_eq!(moves_after(&book, ""), known(101, &[("32-28", 101)]));
    // A game that breaks off has no result.
    assert_eq!(book.look_up(&Position::initial()).unwrap().1[0].1.wins, 1);
}

#[test]
fn games_in_which_something_was_skipped_are_broken_too() {
    let games =
        Games::new("1. 32-28 19-23 2. 99-98 zzz 2-0\n\n1. 32-28 {no end\n\n1. 32-28 19-23 2-0\n");
    let mut reasons = Vec::new();
    let report = build(
        std::slice::from_ref(&games.file),
        (&games.path("out.book"), Existing::Keep),
        &options(),
        OtherBooks::default(),
        &mut |event| {
            if let BuildEvent::Warnings { warnings, .. } = event {
                reasons.extend(warnings.iter().map(ToString::to_string));
            }
            true
        },
    )
    .unwrap();
    assert_eq!((report.broken, reasons.len()), (2, 3));
    let is_said = |reason: &str| reasons.iter().any(|said| said.starts_with(reason));
    assert!(is_said("line 1, column 19: '99-98', column 1: expected a square"), "{reasons:?}");
    assert!(is_said("line 1, column 25: 'zzz' is not readable"), "{reasons:?}");
    assert!(is_said("line 3, column 10: unfinished comment"), "{reasons:?}");
}

/// Games of other types are counted as such; no warning is a game.
#[test]
fn games_of_other_types_are_counted_apart() {
    let foreign = "[GameType \"25\"]\n1. c3-d4 d6-c5 2. b2-a3 novelty *\n\n".repeat(72);
    let games = Games::new(&format!("{foreign}1. 32-28 19-23 2-0\n"));
    let mut kinds = 0;
    let report = build(
        std::slice::from_ref(&games.file),
        (&games.path("out.book"), Existing::Keep),
        &options(),
        OtherBooks::default(),
        &mut |event| {
            if let BuildEvent::Warnings { warnings, .. } = event {
                kinds += warnings.iter().count();
            }
            true
        },
    )
    .unwrap();
    assert_eq!((report.games, report.used, report.broken, report.other_type), (73, 1, 0, 72));
    assert_eq!(kinds, 2, "words that are not moves, and games of type 25");
}

#[test]
fn an_interrupted_build_leaves_nothing() {
    let games = Games::new(&random_games(50, 2));
    let path = games.path("out.book");
    let mut left = 20;
    let result = build(
        std::slice::from_ref(&games.file),
        (&path, Existing::Keep),
        &BuildOptions { memory_mib: 0, ..options() },
        OtherBooks::default(),
        &mut |_| {
            left -= 1;
            left > 0
        },
    );
    assert!(matches!(result, Err(BookError::Interrupted)));
    assert_eq!(fs::read_dir(games.folder.path()).unwrap().count(), 1, "the games alone");
}

/// All that a book has, but for the text at its head.
fn contents(book: &Book) -> (Vec<PositionEntry>, Vec<Vec<MoveEntry>>) {
    let positions = (0..book.len()).map(|index| book.position(index).unwrap());
    let moves = (0..book.len()).map(|index| book.moves(index).collect());
    (positions.collect(), moves.collect())
}

/// Games that are added later make the same book as if they had been there from the start.
#[test]
fn a_book_grows_in_place() {
    let (first, second) = ("1. 32-28 19-23 2. 28x19 14x23 2-0\n\n1. 31-26 16-21 0-2\n\n", GAMES);
    let all = Games::new(&format!("{first}{second}"));
    let (first, second) = (Games::new(first), Games::new(second));
    for memory_mib in [0, 1] {
        let options = BuildOptions { estimate: true, memory_mib, ..options() };
        let base = first.build(&options);
        let others = OtherBooks { base: Some(&base), ..OtherBooks::default() };
        let (grown, _) = second.build_from(&options, others);
        assert_eq!(contents(&grown), contents(&all.build(&options)));
        assert_eq!(grown.about().history, ["built from games.pdn", "added games.pdn"]);
    }
}

/// Programs in other languages give the options by name.
#[test]
fn options_are_read_from_json() {
    let read = |text| serde_json::from_str::<BuildOptions>(text);
    let options =
        read(r#"{"lines": "extended+", "player": "A*", "years": "1990-", "black": true}"#);
    let options = options.unwrap();
    assert_eq!((options.min_games, options.memory_mib), (1, 512), "defaults");
    assert_eq!(options.lines, Some(LineKind::ExtendedPlus));
    let Selection { white, black, player, years, .. } = options.selection;
    assert!(!white && black && player.unwrap().matches("Anna"));
    assert!(years.unwrap().contains(&1990));
    let error = read(r#"{"years": "2000-1990"}"#).unwrap_err().to_string();
    assert!(error.contains("years is 2000-1990: expected years"), "{error}");
    assert!(read(r#"{"encoding": "xyz"}"#).unwrap_err().to_string().contains("encoding is xyz"));
}

#[test]
fn games_are_not_added_to_searches() {
    let games = Games::new(GAMES);
    let (text, path) = ("position W:W31-50:B1-20 start search=0.05/18\n  32-28\n", games.path("b"));
    let text = format!("# Meerslag opening book, text version 1\n{text}");
    import(text.as_bytes(), &path, Existing::Keep).unwrap();
    let base = Book::open(&path).unwrap();
    let others = OtherBooks { base: Some(&base), ..OtherBooks::default() };
    let (files, out) = (std::slice::from_ref(&games.file), games.path("out"));
    let result = build(files, (&out, Existing::Keep), &options(), others, &mut |_| true);
    assert!(result.unwrap_err().to_string().contains("it holds searches"));
    assert!(!out.exists());
}
