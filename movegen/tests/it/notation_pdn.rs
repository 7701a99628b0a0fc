//! Reading and writing PDN: the dialects of `positions/pdn` and the tolerances one by one.

use std::io::{self, BufReader, Read};

use movegen::notation::pdn::{
    Annotation, Comment, Counters, GameResult, ParsePdnError, PdnGame, PdnReader, PdnWarningKind,
    ReadOptions, WriteOptions, game_to_string,
};
use movegen::notation::{ParseMoveError, format_move};
use movegen::{Color, Position};

fn file(name: &str) -> Vec<u8> {
    let path = format!("{}/../positions/pdn/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn read_all(bytes: &[u8]) -> (Vec<PdnGame>, Counters) {
    let mut reader = PdnReader::new(bytes);
    let games = reader.by_ref().map(Result::unwrap).collect();
    (games, reader.counters())
}

fn read_one(text: &str) -> PdnGame {
    let (mut games, _) = read_all(text.as_bytes());
    assert_eq!(games.len(), 1, "{text:?}");
    games.remove(0)
}

/// The main line in the strict form.
fn moves(game: &PdnGame) -> String {
    let moves: Vec<String> = game.positions().map(|(p, ply)| format_move(&p, ply.mv)).collect();
    moves.join(" ")
}

fn comments(list: &[Annotation]) -> Vec<&str> {
    list.iter()
        .filter_map(|a| match a {
            Annotation::Comment(c) => Some(c.text.as_str()),
            _ => None,
        })
        .collect()
}

/// One pass makes the text stable, and the stable text means the same.
fn assert_round_trip(game: &PdnGame) {
    for options in [
        WriteOptions::default(),
        WriteOptions { star_terminator: true, ..WriteOptions::default() },
        WriteOptions { plain: true, ..WriteOptions::default() },
    ] {
        let once = game_to_string(game, &options);
        let again = read_one(&once);
        let twice = game_to_string(&again, &options);
        assert_eq!(twice, once);
        assert_eq!(again.result, game.result);
        assert_eq!(again.start, game.start);
        if !options.plain {
            assert!(again.line.moves().eq(game.line.moves()), "{once}");
            assert_eq!(again.warnings, [], "{once}");
        }
        for line in once.lines().filter(|l| !l.starts_with('[')) {
            assert!(line.chars().count() < 80, "{line}");
        }
    }
}

const FILES: [&str; 8] = [
    "clubs.pdn",
    "standard.pdn",
    "lidraughts.pdn",
    "horizon.pdn",
    "turbo-dambase.pdn",
    "moby-dam.pdn",
    "english.pdn",
    "odd.pdn",
];

#[test]
fn every_file_round_trips() {
    for name in FILES {
        let (games, counters) = read_all(&file(name));
        assert!(counters.games > 0);
        games.iter().for_each(assert_round_trip);
    }
}

#[test]
fn standard_files_give_no_warning() {
    let (games, counters) = read_all(&file("standard.pdn"));
    assert_eq!(counters, Counters { games: 2, used: 2, ..Counters::default() });
    assert_eq!(moves(&games[0]), "32-28 19-23 28x19 14x23 37-32 10-14 41-37 14-19");
    assert_eq!(games[0].result, GameResult::Draw);
    assert_eq!(games[0].tags.get("WHITE"), Some("Alpha"));
    assert_eq!(moves(&games[1]), "30x39x11x2 41-46 2-16 46-28");
    assert_eq!(games[1].first_line, 13);
    assert!(games.iter().all(|game| game.truncated.is_none() && !game.has_set_ups()));
}

#[test]
fn lidraughts_clocks_and_custom_starts() {
    let (games, counters) = read_all(&file("lidraughts.pdn"));
    assert_eq!((counters.games, counters.used, counters.warnings), (2, 2, 0));
    assert_eq!(moves(&games[0]), "32-28 18-23 38-32 12-18");
    let seconds: Vec<Vec<u64>> = games[0]
        .line
        .plies
        .iter()
        .map(|p| p.comments().flat_map(Comment::clocks).map(|c| c.time.as_secs()).collect())
        .collect();
    assert_eq!(seconds, [[180, 180], [178, 180], [177, 180], [177, 179]]);
    assert_eq!(games[1].start.side_to_move(), Color::Black);
    assert_eq!(moves(&games[1]), "18-22 33-28 22x33");
    assert_eq!(games[1].result, GameResult::BlackWins);
}

#[test]
fn horizon_scores_and_leading_zeros() {
    let (games, counters) = read_all(&file("horizon.pdn"));
    assert_eq!((counters.games, counters.truncated), (3, 0));
    assert_eq!(moves(&games[0]), "32-28 19-23 28x19 14x23 37-32 10-14 41-37 14-19");
    assert_eq!(games[0].result, GameResult::BothLose);
    let ply = &games[0].line.plies[5];
    // The line in parentheses continues from its place: not a variation, but not lost either.
    assert_eq!(comments(&ply.after), ["1.23/17 5s", "(41-37 05-10)"]);
    assert_eq!(moves(&games[1]), "33-29 20-24 29x20 15x24");
    assert_eq!(moves(&games[2]), "34-30 20-25");
}

#[test]
fn turbo_dambase_latin_1_and_variations() {
    let (games, counters) = read_all(&file("turbo-dambase.pdn"));
    assert_eq!((counters.used, counters.warnings), (1, 0), "{:?}", games[0].warnings);
    let game = &games[0];
    assert_eq!(game.tags.get("White"), Some("Müller, J."));
    assert_eq!(moves(game), "32-28 18-22 37-32 12-18 41-37 7-12");
    assert_eq!(game.line.plies[0].nags, [1]);
    let variation = game.line.plies[1].variations().next().unwrap();
    assert_eq!(variation.plies.len(), 4);
    assert_eq!(variation.plies[2].variations().count(), 1);
    assert_eq!(comments(&game.line.plies[3].after), ["à noter"]);
}

#[test]
fn moby_dam_tags_in_any_order() {
    let (games, counters) = read_all(&file("moby-dam.pdn"));
    assert_eq!((counters.games, counters.warnings), (1, 0), "{:?}", games[0].warnings);
    assert_eq!(comments(&games[0].line.lead), ["depth limit = 8"]);
    assert_eq!(games[0].tags.get("Event"), Some("last"));
    assert_eq!(moves(&games[0]), "28-23 19x28 33x22 9-14");
}

#[test]
fn other_games_are_skipped_and_counted() {
    let (games, counters) = read_all(&file("english.pdn"));
    assert_eq!((counters.games, counters.other_type, counters.used), (4, 3, 1));
    assert_eq!(games[0].tags.get("Event"), Some("Ten by ten"));
}

/// A letter that looks like that of a king, and tags after moves that cannot be read.
#[test]
fn squares_with_letters_are_no_kings() {
    let game = "1. c3-d4 d6-d2 2. D4:D8 d2-d6 3. f2xd4xf6xh8 *\n";
    let text = format!("[White \"a\"]\n{game}[Black \"b\"]\n{game}", game = game.replace('*', ""));
    let (games, counters) = read_all(text.as_bytes());
    assert_eq!((games.len(), counters.other_type, counters.warnings), (0, 2, 2));
}

/// What a game is: by its type, its variant, its squares; a warning names each kind.
#[test]
fn only_international_draughts_is_read() {
    let ours = [
        "[GameType \"100\"] 1. 32-28 19-23 *",
        "[GameType \"1\"] 1. 32-28 19-23 *",
        "[GameType \"10x10\"] 1. 32-28 19-23 *",
        "[GameType \"64\"] 1. 34-30 20-25 *",
        "[GameType \"99\"] [Variant \"From Position\"] [FEN \"W:W33:B12\"] 1. 33-28 12-18 *",
        "[Variant \"Standard\"] 1. 32-28 19-23 *",
        "[Variant \"Anti-Roozenburg\"] 1. 32-28 19-23 *",
        // Few pieces on low squares, and a move that is wrong.
        "[FEN \"W:WK3,22:B15\"] 1. 3-26 15-20 *",
        "[FEN \"W:W27:B22,12\"]\n1. 27x18 *",
        // All men in front.
        "[FEN \"W:W21,22,23,24,26,27,28,32,33:B6-14\"] *",
        "[FEN \"W:W50:B5\"] {e4} e4 *",
    ];
    for text in ours {
        let (games, counters) = read_all(text.as_bytes());
        assert_eq!((games.len(), counters.other_type), (1, 0), "{text}");
    }
    let ballot = "[FEN \"B:W17,21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,10,11,12,14\"]";
    let others = [
        ("[GameType \"40\"] 1. 32-28 19-23 *", "Frisian draughts"),
        ("[Variant \"Frisian\"] 1. 32-28 19-23 *", "Frisian draughts"),
        ("[GameType \"20\"] [Variant \"Frysk!\"] 1. 32-28 19-23 *", "Frysk!"),
        ("[GameType \"20\"]\n[Variant \"Antidraughts\"]\n1. 32-28 19-23 *", "Antidraughts"),
        ("[GameType \"20\"] [Variant \"Breakthrough\"] 1. 32-28 19-23 *", "Breakthrough"),
        ("[GameType \"20\"] [Variant \"Killer\"] 1. 32-28 19-23 *", "Killer draughts"),
        ("[GameType \"25\"] [Variant \"Standard\"] 1. c3-d4 *", "Russian draughts"),
        ("[GameType \"Brazilian\"] 1. 32-28 *", "Brazilian draughts"),
        ("[GameType \"64\"] 1. 22-18 11-15 *", "the board of 8x8"),
        ("[Variant \"Chess960\"] 1. e4 e5 *", "chess"),
        ("[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"] 1. e4 e5 *", "chess"),
        ("[FEN \"W:Wa1,c1,e3:Bb8,d8\"]\n1. e3-d4 d8-c7 *", "the board of 8x8"),
        ("[FEN \"W:W21-32:B1-12\"]\n1. c3-d4 d6-c5 2. b2-a3 *", "the board of 8x8"),
        ("[White \"A\"] 1. c3-d4 d6-c5 2. b2-a3 *", "the board of 8x8"),
        ("1. 22-18 9-13 2. 18x9 5x14 3. 25-22 *", "the board of 8x8"),
        ("1. 11-15 23-19 2. 8-11 22-17 *", "English draughts"),
        (&format!("{ballot} *"), "the board of 8x8"),
        (&format!("{ballot} 1. 14-18 23x14 *"), "the board of 8x8"),
        // From 18 to 14 there is no move of a man on our board, nor from 1 to 5.
        ("[FEN \"W:W18:B1\"] 1. 18-14 1-5 2. 14-9 5x14 *", "the board of 8x8"),
    ];
    for (text, kind) in &others {
        let mut reader = PdnReader::new(text.as_bytes());
        assert!(reader.by_ref().next().is_none(), "{text}");
        assert_eq!(reader.counters().other_type, 1, "{text}");
        let said: Vec<String> = reader.warnings().iter().map(ToString::to_string).collect();
        assert!(said.iter().any(|text| text.contains(kind)), "{text}: {said:?}");
    }
    // Each kind is named once, with its number of games.
    let mixed: String =
        others.iter().chain(&others).map(|(text, _)| format!("{text}\n\n")).collect();
    let mut reader = PdnReader::new(mixed.as_bytes());
    assert_eq!(reader.by_ref().count(), 0);
    assert_eq!(reader.counters().other_type, 2 * others.len() as u64);
    let counts: Vec<(&str, u64)> = reader
        .warnings()
        .iter()
        .filter_map(|kind| match &kind.first.kind {
            PdnWarningKind::OtherGameType(game) => Some((game.name, kind.count)),
            _ => None,
        })
        .collect();
    assert_eq!(counts.len(), 10, "{counts:?}");
    assert!(
        counts.contains(&("Frisian draughts", 4)) && counts.contains(&("chess", 4)),
        "{counts:?}"
    );
}

#[test]
fn odd_files_lose_nothing_readable() {
    let (games, counters) = read_all(&file("odd.pdn"));
    let by_event = |event: &str| games.iter().find(|g| g.tags.get("Event") == Some(event)).unwrap();
    let kinds = |g: &PdnGame| g.warnings.iter().map(|w| w.kind.clone()).collect::<Vec<_>>();
    assert_eq!(games.len(), 12);
    assert_eq!(counters.empty, 3);
    assert_eq!(moves(by_event("Two on a line")), "32-28 19-23");
    assert!(matches!(kinds(&games[0])[0], PdnWarningKind::TextSkipped(ref t) if t == "A"));
    assert_eq!(
        (moves(&games[1]), games[1].result),
        ("33-29 20-24".to_owned(), GameResult::BlackWins)
    );
    let game = by_event("No terminator");
    assert_eq!(moves(game), "34-30 20-25 30-24 19x30");
    assert_eq!(comments(&game.line.plies[1].after), ["a remark to the end of the line"]);
    let game = by_event("Nested comment");
    assert_eq!(moves(game), "31-27 17-21 37-31");
    assert_eq!(comments(&game.line.plies[0].after), ["outer { inner } still outer"]);
    assert_eq!(kinds(game), [PdnWarningKind::StrayBrace]);
    let game = by_event("Null move");
    assert_eq!(moves(game), "32-28 19-23");
    assert_eq!(comments(&game.line.plies[1].after), ["-- 14-19 37-32 {kept}"]);
    assert!(game.truncated.is_some());
    let game = by_event("Set-up");
    assert_eq!(moves(game), "32-28 19-23 28x19");
    assert!(game.has_set_ups() && game.truncated.is_none());
    assert_eq!(game.last_position().side_to_move(), Color::White.opponent());
    assert_eq!(moves(by_event("Steps")), "27x7 3-8");
    let game = by_event("Broken \"quotes\" and \\ slashes");
    assert_eq!((moves(game).as_str(), game.result), ("32-28", GameResult::WhiteWins));
    assert_eq!(kinds(game), [PdnWarningKind::UnfinishedTag]);
    assert_eq!(by_event("Plus draw").result, GameResult::Draw);
    let game = by_event("Illegal");
    assert_eq!(moves(game), "32-28 19-23");
    let warning = game.truncated.clone().unwrap();
    assert_eq!((warning.line, warning.column), (24, 19));
    let error = ParseMoveError::Illegal { text: "28x18".to_owned() };
    assert_eq!(warning.kind, PdnWarningKind::Move(error));
    assert_eq!(kinds(by_event("Unfinished comment")), [PdnWarningKind::UnfinishedComment]);
    let game = by_event("After it");
    assert_eq!(moves(game), "33-28 18-22 38-33 12-18");
    let nags: Vec<&[u32]> = game.line.plies.iter().map(|p| p.nags.as_slice()).collect();
    assert_eq!(nags, [&[][..], &[1, 2], &[1], &[6, 14]]);
    assert_eq!(game.line.plies[0].variations().count(), 1);
    assert_eq!(comments(&game.line.plies[0].after), ["(99-98 nonsense)"]);
}

#[test]
fn every_dialect_of_moves_in_a_game() {
    for text in [
        "1. 32-28 19-23 2. 28x19 14x23 *",
        "1.32-28 19-23 2.28x19 14x23",
        "1 32 - 28 19 - 23 2 28 x 19 14 x 23",
        "3228 1923 2819 1423 *",
        "1. 32–28 19‑23 2. 28×19 14:23",
        "1. 32-28! 19-23?? 2. 28X19(!) 14-23*  *",
        "01. 032-028 019-023 02. 28x19 <23> 14x23<19> *",
        "1... 32-28 1... 19-23 2. 28x23x19 14x23x19 *",
        "[A \"b\"]1.32-28{c}19-23(1... 20-25)2.28x19 14x23*",
        "1. 32-\n28 19\n-\n23 2.\n28x19\n14x23\n*",
        "\u{feff}1.\t32-28\u{a0}19-23, 28x19, 14x23.",
    ] {
        let game = read_one(text);
        assert_eq!(moves(&game), "32-28 19-23 28x19 14x23", "{text:?}");
        assert_eq!(game.truncated, None, "{text:?}");
        assert_round_trip(&game);
    }
}

#[test]
fn an_ambiguous_short_capture_is_decided_by_the_rest_of_the_game() {
    let fen = "[FEN \"W:WK30:B7,21,22,34,41,12\"]";
    // 30x2 takes 34, 22 and 7 or 34, 21 and 7; only one leaves a man on 22, the other on 21.
    for (text, captured) in [
        (format!("{fen} 1. 30x2 22-27 *"), "30x2x7x21x34"),
        (format!("{fen} 1. 30x2 21-26 *"), "30x2x7x22x34"),
    ] {
        let game = read_one(&text);
        assert_eq!(game.truncated, None, "{text}");
        assert_eq!(game.line.plies[0].mv.to_string(), captured);
        assert_eq!(game.warnings, [], "{text}");
        assert_round_trip(&game);
    }
    // 12-18 fits both.
    for text in [format!("{fen} 1. 30x2 12-18 *"), format!("{fen} 1. 30x2 *")] {
        let (games, counters) = read_all(text.as_bytes());
        assert_eq!(counters.ambiguous, 1);
        assert_eq!(games[0].truncated, None);
        let [warning] = &games[0].warnings[..] else { panic!("{:?}", games[0].warnings) };
        assert_eq!((warning.line, warning.column), (1, 37));
        assert!(matches!(
            &warning.kind,
            PdnWarningKind::AmbiguousMove(ParseMoveError::Ambiguous { candidates, .. })
                if candidates.len() == 2
        ));
    }
}

#[test]
fn captures_in_steps_and_captures_cut_off() {
    let fen = "[FEN \"W:W27,32:B22,12,2,20\"]";
    for text in ["27x18 18x7", "27x18 18x7 ", "27x18x7", "27x7", "27x18"] {
        let game = read_one(&format!("{fen} 1. {text} *"));
        assert_eq!(moves(&game), "27x7", "{text}");
        assert_eq!(game.truncated, None);
        let is_partial = |k: &PdnWarningKind| matches!(k, PdnWarningKind::PartialCapture { .. });
        let partial = game.warnings.iter().filter(|w| is_partial(&w.kind)).count();
        assert_eq!(partial, usize::from(text == "27x18"), "{text}");
    }
}

#[test]
fn results_of_every_kind() {
    for (end, result) in [
        ("2-0", GameResult::WhiteWins),
        ("1-0", GameResult::WhiteWins),
        ("+-", GameResult::WhiteWins),
        ("2-0F", GameResult::WhiteWins),
        ("1-1", GameResult::Draw),
        ("1/2-1/2", GameResult::Draw),
        ("½-½", GameResult::Draw),
        ("0.5-0.5", GameResult::Draw),
        ("1+ - 1-", GameResult::Draw),
        ("1--1+", GameResult::Draw),
        ("0-2", GameResult::BlackWins),
        ("0-1", GameResult::BlackWins),
        ("-+", GameResult::BlackWins),
        ("0-0", GameResult::BothLose),
        ("1:1", GameResult::Draw),
        ("2:0", GameResult::WhiteWins),
        ("0 : 2", GameResult::BlackWins),
        ("20-0", GameResult::WhiteWins),
        ("0-20", GameResult::BlackWins),
        ("1/2", GameResult::Draw),
        ("½", GameResult::Draw),
        ("1/2:1/2", GameResult::Draw),
        ("0.5:0.5", GameResult::Draw),
        ("1 1/2 - 1/2", GameResult::WhiteWins),
        ("½-1 ½", GameResult::BlackWins),
        ("1½-½", GameResult::WhiteWins),
        ("+/-", GameResult::WhiteWins),
        ("-/+", GameResult::BlackWins),
        ("*", GameResult::Unknown),
        ("", GameResult::Unknown),
    ] {
        for text in [
            format!("1. 32-28 19-23 {end}"),
            format!("1. 32-28 19-23 {end}{{remark}}"),
            format!("1. 32-28 19-23\n{end}\n\n"),
            format!("[Result \"{end}\"]\n1. 32-28 19-23 {end}"),
            format!("[Result \"{end}\"]\n1. 32-28 19-23 *"),
        ] {
            let game = read_one(&text);
            assert_eq!(game.result, result, "{text:?}");
            assert_eq!(game.warnings, [], "{text:?}");
            assert_eq!(game.line.plies.len(), 2, "{text:?}");
            assert_round_trip(&game);
        }
    }
    let game = read_one("[Result \"2-0\"]\n1. 32-28 0-2");
    assert_eq!(game.result, GameResult::WhiteWins);
    let kind =
        PdnWarningKind::ResultMismatch { tag: GameResult::WhiteWins, end: GameResult::BlackWins };
    assert_eq!((game.warnings[0].line, game.warnings[0].column), (2, 10));
    assert_eq!(game.warnings[0].kind, kind);
}

#[test]
fn points_of_clubs_and_fragments() {
    let (games, counters) = read_all(&file("clubs.pdn"));
    for game in &games {
        assert_eq!((said(game), game.truncated.as_ref()), (vec![], None), "{:?}", game.tags);
    }
    assert_eq!((counters.games, counters.used, counters.warnings), (11, 9, 0));
    let short: Vec<(String, GameResult, Option<&str>)> =
        games.iter().map(|g| (moves(g), g.result, g.tags.get("Result"))).collect();
    let game = |moves: &str, result, tag| (moves.to_owned(), result, tag);
    let (white, draw, none) = (GameResult::WhiteWins, GameResult::Draw, GameResult::Unknown);
    assert_eq!(
        short[..9],
        [
            game("32-28 19-23 28x19 14x23", white, Some("12-8")),
            game("17-12 5-10", white, Some("12-8")),
            game("32-28 19-23", white, Some("1.5-0.5")),
            game("32-28 19-23", draw, Some("1/2-1/2")),
            game("32-28 19-23", white, Some("6-4")),
            game("33-29 20-24 29x20 15x24", none, None),
            game("34-30 20-25", white, Some("3-0")),
            game("34-29 20-25", none, None),
            game("31-26 16-21", none, None),
        ]
    );
    // Text after the result belongs to the game before it.
    assert_eq!(comments(&games[1].line.plies[1].after), ["time"]);
    assert_eq!(games[1].line.plies[1].variations().count(), 1);
    assert_eq!(comments(&games[3].line.plies[1].after), ["well played"]);
    assert_eq!(games[3].line.plies[1].variations().count(), 1);
    assert_eq!(comments(&games[4].line.plies[1].after), ["a good game"]);

    let signs = &games[9];
    assert_eq!(signs.result, GameResult::BlackWins);
    let nags: Vec<&[u32]> = signs.line.plies.iter().map(|ply| ply.nags.as_slice()).collect();
    let none = &[][..];
    assert_eq!(nags, [&[18][..], &[17], &[10], &[800, 5], &[16], none, &[19], &[65536], &[18]],);
    let times = &games[10];
    assert_eq!(moves(times), "19-23 28x19 13x24 32-28 24-30 28-22 14-20");
    let said: Vec<_> = times.line.plies.iter().map(|ply| comments(&ply.after)).collect();
    let nothing = Vec::<&str>::new();
    assert_eq!(
        said[..5],
        [vec!["0:05"], vec!["00:12"], vec!["(0:07)"], vec!["1:02:03"], nothing.clone()]
    );
    // The text of the result and the counters stay.
    let written = game_to_string(&games[1], &WriteOptions::default());
    assert!(written.contains("[Result \"12-8\"]") && written.contains(" 2-0\n"), "{written}");
    let written = game_to_string(times, &WriteOptions::default());
    assert!(written.contains(":H7:F34\"]"), "{written}");
}

/// What the user has written of the result stays, whether it can be read or not.
#[test]
fn the_text_of_a_result_is_the_users() {
    for (tag, end, result) in [
        ("1:1", "1:1", GameResult::Draw),
        ("12:8", "12:8", GameResult::WhiteWins),
        ("4-6", "*", GameResult::BlackWins),
        ("1 1/2 - 1/2", "2-0", GameResult::WhiteWins),
        ("remise", "*", GameResult::Unknown),
        ("remise", "1-1", GameResult::Draw),
        ("forfait", "", GameResult::Unknown),
        ("2-0 or 1-1", "*", GameResult::Unknown),
    ] {
        let mut game = read_one(&format!("[Result \"{tag}\"]\n1. 32-28 19-23 {end}"));
        assert_eq!((game.result, game.line.plies.len()), (result, 2), "{tag}");
        let bad: Vec<_> = game.warnings.iter().map(|warning| warning.kind.clone()).collect();
        let kind = PdnWarningKind::BadResult(tag.to_owned());
        let is_known = GameResult::parse(tag).is_some();
        assert_eq!(bad, if is_known { vec![] } else { vec![kind] }, "{tag}");
        let kept = format!("[Result \"{tag}\"]");
        let written = game_to_string(&game, &WriteOptions::default());
        assert!(
            written.contains(&kept) && written.ends_with(&format!(" {result}\n\n")),
            "{written}"
        );
        assert_eq!(game_to_string(&read_one(&written), &WriteOptions::default()), written);
        for options in [
            WriteOptions { star_terminator: true, ..WriteOptions::default() },
            WriteOptions { plain: true, ..WriteOptions::default() },
        ] {
            let again = read_one(&game_to_string(&game, &options));
            assert_eq!((again.result, again.tags.get("Result")), (result, Some(tag)));
        }
        // A program that does not know the result leaves the tag alone.
        game.result = GameResult::Unknown;
        let written = game_to_string(&game, &WriteOptions::default());
        assert!(written.contains(&kept), "{written}");
        // One that knows better has the last word.
        game.result = GameResult::BothLose;
        let is_kept = game_to_string(&game, &WriteOptions::default()).contains(&kept);
        assert_eq!(is_kept, !is_known, "{tag}");
    }
    // Without a tag the text at the end becomes one.
    for end in ["1:1", "1 1/2-1/2", "½", "20-0"] {
        let game = read_one(&format!("1. 32-28 19-23 {end}\n"));
        assert_eq!(game.tags.get("Result"), Some(end));
    }
    // Half a point in the middle of a game is none.
    let game = read_one("1. 32-28 1/2 19-23 *");
    assert_eq!((game.line.plies.len(), game.result), (2, GameResult::Unknown));
    assert!(matches!(&game.warnings[0].kind, PdnWarningKind::Unreadable(text) if text == "1/2"));
}

/// The names of other languages stay, and are found under those of the standard.
#[test]
fn tags_of_other_languages_are_found_and_kept() {
    for (white, black, result) in [
        ("Bianco", "Nero", "Risultato"),
        ("Wit", "Zwart", "Uitslag"),
        ("Blancs", "Noirs", "Résultat"),
        ("Weiß", "Schwarz", "Ergebnis"),
        ("Białe", "Czarne", "Wynik"),
        ("Белые", "Чёрные", "Результат"),
        ("Blancas", "Negras", "Resultado"),
        ("Brancas", "Pretas", "Resultado"),
    ] {
        let own = format!("[{white} \"A\"]\n[{black} \"B\"]\n[{result} \"4-6\"]\n");
        let game = read_one(&format!("{own}\n1. 32-28 19-23 4-6\n"));
        let tag = |name| game.tags.get(name);
        assert_eq!(
            (tag("White"), tag("Black"), tag("Result")),
            (Some("A"), Some("B"), Some("4-6"))
        );
        assert_eq!((game.result, game.line.plies.len()), (GameResult::BlackWins, 2), "{white}");
        let written = game_to_string(&game, &WriteOptions::default());
        for line in own.lines() {
            assert!(written.contains(line), "{line}: {written}");
        }
        assert_round_trip(&game);
    }
    // Those of the standard come first, if they say something.
    let game = read_one("[Wit \"A\"] [White \"C\"] [Black \"?\"] [Zwart \"B\"] 1. 32-28 *");
    assert_eq!((game.tags.get("White"), game.tags.get("Black")), (Some("C"), Some("B")));
    let game = read_one("1. 32-28 19-23 [Хороший ход] 2. 28x19 14x23 *");
    assert_eq!((game.line.plies.len(), game.tags.is_empty()), (4, true));
}

#[test]
fn moves_are_numbered_from_the_number_of_the_fen() {
    let text = "[FEN \"B:W33,43:B13,20:F55\"]\n55... 13-18 (55... 20-25) 56. 33-28 *";
    let game = read_one(text);
    let written = game_to_string(&game, &WriteOptions::default());
    assert!(written.ends_with("\n\n55... 13-18 (55... 20-25) 56. 33-28 *\n\n"), "{written}");
    assert_round_trip(&game);
    let plain = game_to_string(&game, &WriteOptions { plain: true, ..WriteOptions::default() });
    assert!(plain.contains("\"B:W33,43:B13,20\"") && plain.contains("1... 13-18 2. 33-28"));
    let last = read_one("[FEN \"W:WK31:BK20:F4294967295\"] 1. 31-27 20-15 2. 27-32 *");
    assert_round_trip(&last);
}

/// Text that looks like a result but is not one.
#[test]
fn moves_and_signs_within_a_game_are_no_results() {
    for (text, played, result) in [
        // A legal move at the end that no tag calls a result.
        ("[FEN \"W:W17:B5\"] 1. 17-12 5-10 2. 12-8", 3, GameResult::Unknown),
        (
            "[Result \"12-8\"] [FEN \"W:W17:B5\"] 1. 17-12 5-10 2. 12-8 2-0",
            3,
            GameResult::WhiteWins,
        ),
        // A slip of the pen is not a score of 61 points.
        ("1. 32-28 19-23 2. 32-29", 2, GameResult::Unknown),
        // The tag says something else: a sign.
        ("[Result \"0-2\"] 1. 32-28 19-23 +-", 2, GameResult::BlackWins),
        ("1. 32-28 19-23 +- *", 2, GameResult::Unknown),
        ("1. 32-28 19-23 +- 2. 28x19 14x23 1-1", 4, GameResult::Draw),
        ("1. 32-28 6-4 19-23 *", 1, GameResult::Unknown),
        // `1.` again, but the same game.
        ("1. 32-28\n1. ... 19-23 2. 28x19 *", 3, GameResult::Unknown),
        ("1. 32-28 19-23 (1... 20-25)\n1... 19-23", 2, GameResult::Unknown),
        ("1. 32-28 19-23\n(1. 31-27\n\n1. 33-28) 2. 28x19 *", 3, GameResult::Unknown),
        ("1. 32-28 19-23 /FEN \"W:W31:B20\"/\n\n1. 31-27 20-25 *", 4, GameResult::Unknown),
    ] {
        let game = read_one(text);
        assert_eq!((game.line.plies.len(), game.result), (played, result), "{text:?}");
        assert_round_trip(&game);
    }
    for text in ["1. 32-28 28 19-23 *", "1. 32-28 5 19-23 *", "1 32-28 19-23 7 28x19 *"] {
        let game = read_one(text);
        assert!(matches!(game.warnings[0].kind, PdnWarningKind::Unreadable(_)), "{text:?}");
    }
}

#[test]
fn utf_16_is_read() {
    let text = "[White \"M\u{fc}ller\"]\r\n\r\n1. 32-28 19-23 2-0\r\n";
    let bytes: Vec<u8> =
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let (games, counters) = read_all(&bytes);
    assert_eq!((games[0].tags.get("White"), counters.used), (Some("M\u{fc}ller"), 1));
}

/// The texts of a game's warnings without their places.
fn said(game: &PdnGame) -> Vec<String> {
    game.warnings.iter().map(|warning| warning.kind.to_string()).collect()
}

/// All comments of the main line in order.
fn all_comments(game: &PdnGame) -> Vec<&str> {
    let lists = game.line.plies.iter().map(|ply| &ply.after);
    std::iter::once(&game.line.lead).chain(lists).flat_map(|list| comments(list)).collect()
}

/// However many there are, and they are kept.
#[test]
fn words_that_are_no_moves_never_end_a_game() {
    for (text, kept) in [
        ("1. 32-28 a b c d e 19-23 f * ", &["a b c d e", "f"][..]),
        ("> 1. 32-28\n> # N + # \n>19-23 > > > *", &["> # N + # >", "> > >"][..]),
        (
            "1. 32-28 [%clk 0:01:00] [%emt 0:00:04] 19-23 [%clock w0:09:57 B0:09:58] *",
            &["[%clk 0:01:00]", "[%emt 0:00:04]", "[%clock w0:09:57 B0:09:58]"][..],
        ),
        ("| 1. | 32-28 | 19-23 | *", &["|", "|"][..]),
        // Dates, times, years, scores, ranges and scores of engines.
        (
            "1. 32-28 12-05-2020 12/05/2020 19-23 2020-05-12 12.05.2020 *",
            &["12-05-2020 12/05/2020", "2020-05-12 12.05.2020"][..],
        ),
        ("1. 32-28 1:23:45 19-23 w0:01:05 12:75 *", &["1:23:45", "w0:01:05 12:75"][..]),
        (
            "1. 32-28 in 1924 and 2003 the 1st 19-23 1,500 +0.25 2nd *",
            &["in 1924 and 2003 the 1st", "1,500 +0.25 2nd"][..],
        ),
        ("1. 32-28 they won 12-8 19-23 *", &["they won", "12-8"][..]),
        ("1. 32-28 rounds 12-75 19-23 *", &["rounds", "12-75"][..]),
        ("1. 32-28 17/5 19-23 *", &["17/5"][..]),
        ("1. 32-28 0.13 +0.25 19-23 0.5 *", &["0.13 +0.25", "0.5"][..]),
        ("1. 32-28 ---------- 19-23 *", &["----------"][..]),
    ] {
        for text in [text.to_owned(), format!("[White \"a\"]\n{text}")] {
            let (games, counters) = read_all(text.as_bytes());
            let [game] = &games[..] else { panic!("{text}: {games:?}") };
            assert_eq!((moves(game).as_str(), &game.truncated), ("32-28 19-23", &None), "{text}");
            let heading = usize::from(text.contains("\"]\n>") || text.contains("\"]\n|"));
            assert_eq!(all_comments(game)[heading..], *kept, "{text}");
            assert_eq!(counters.truncated, 0);
            assert_round_trip(game);
        }
    }
}

/// A word that looks like a move where one belongs ends the line, as an illegal move does, and the
/// rest is kept.
#[test]
fn a_move_that_cannot_be_read_ends_its_line() {
    for word in [
        "31-99", "31÷26", "31/26", "3l-26", "31-2б", "31-", "31-?", "x26", "31x", "0-26", "331-26",
        "31#26", "31+26", "31-26-51", "3199", "c3-d4",
    ] {
        let text =
            format!("[Result \"2-0\"]\n1. 33-28 18-22 2. {word} 20-25 {{x}} 3. 38-33 12-18 2-0");
        let (games, counters) = read_all(text.as_bytes());
        let [game] = &games[..] else { panic!("{text}: {games:?}") };
        assert_eq!(moves(game), "33-28 18-22", "{word}");
        assert_eq!((counters.truncated, counters.used), (1, 0), "{word}");
        let warning = game.truncated.clone().unwrap();
        assert!(matches!(warning.kind, PdnWarningKind::Move(_)), "{word}: {warning}");
        assert_eq!((warning.line, warning.column), (2, 19), "{word}");
        let rest = format!("{word} 20-25 {{x}} 38-33 12-18");
        let kept = all_comments(game).join(" ").replace("$2", "?");
        assert_eq!(kept.replace(' ', ""), rest.replace(' ', ""), "{word}");
        let written = game_to_string(game, &WriteOptions::default());
        assert!(
            written.contains("[Truncated \"line 2, column 19: ")
                && written.contains("[PlyCount \"2\"]"),
            "{written}"
        );
        assert_round_trip(game);
        // In a variation, and as the first word of a game without tags.
        let game = read_one(&format!("1. 33-28 (1. 32-28 19-23 2. {word} 20-25) 18-22 *"));
        let variation = game.line.plies[0].variations().next().unwrap();
        assert_eq!((variation.plies.len(), moves(&game).as_str()), (2, "33-28 18-22"), "{word}");
        assert_eq!(comments(&variation.plies[1].after).len(), 1, "{word}");
        let game = read_one(&format!("1. {word} 20-25 2. 33-28 18-22 *"));
        assert_eq!((moves(&game).as_str(), game.truncated.is_some()), ("", true), "{word}");
        assert!(all_comments(&game)[0].ends_with("20-25 33-28 18-22"), "{game:?}");
    }
    // Nothing of them looks like a move, but the next number tells.
    for words in ["31.26 20.25", "31,26 20,25", "31\"26 20\"25", "31 to 26 20 to 25", "31126 20225"]
    {
        let game = read_one(&format!("1. 33-28 18-22 2. {words} 3. 38-33 12-18 *"));
        assert_eq!(moves(&game), "33-28 18-22", "{words}");
        assert!(game.truncated.is_some(), "{words}");
        let kept = all_comments(&game).concat().replace(' ', "");
        assert_eq!(kept, format!("{words}38-3312-18").replace(' ', ""));
        assert_round_trip(&game);
    }
    // Two in a row, of both sides: the next move is legal, but the game would be another one.
    let game = read_one("1. 33-28 18-22 2. 31÷26 20÷25 3. 38-33 12-18 *");
    assert_eq!((moves(&game).as_str(), game.truncated.is_some()), ("33-28 18-22", true));
}

#[test]
fn signs_that_people_type_are_read() {
    for text in [
        "1. 32~28 19~23 2. 28*19 14*23*",
        "1. 32_28 19=23 2. 28х19 14Х23",
        "1. 32\u{ad}28 19\u{2011}23 2. 28⨯19 14 χ 23",
        "1. 32--28 19->23 2. 28  x  19 14\nx 23",
        "1. K32-28 k19 - 23 2. D28xД19 К14x23",
        "1. 32\u{200b}-28\u{200e} 19-\u{feff}23 2. 28x19\u{2060} 14x23",
        "１．３２－２８　１９－２３　２．２８：１９　１４×２３",
        "1. 32 28 19 23 2. 28 x 19 14x23",
        "> 1. 32-28 >19-23\n> 2. 28x19 |14x23|",
        "1. 32-28*19-23= 2. 28x19□14x23⨀",
    ] {
        let game = read_one(text);
        assert_eq!(moves(&game), "32-28 19-23 28x19 14x23", "{text:?}");
        assert_eq!(game.truncated, None, "{text:?}");
        assert_eq!(game.damage(), None, "{text:?}");
        assert_round_trip(&game);
    }
    let game = read_one("1. 32-28□ 19-23 ⨀ 2. 28x19(□) 14x23!⨀ *");
    let nags: Vec<&[u32]> = game.line.plies.iter().map(|ply| ply.nags.as_slice()).collect();
    assert_eq!((nags, said(&game)), (vec![&[7][..], &[22], &[7], &[1, 22]], vec![]));
}

/// A colon is a capture also where a chain of jumps ends off its diagonal.
#[test]
fn captures_with_a_colon_are_no_times() {
    let fen = "[FEN \"W:W38:B33,23,4\"]";
    let game = read_one(&format!("{fen} 1. 38:18 4-9 12:44 2. 18-12 13:05 *"));
    assert_eq!((moves(&game).as_str(), &game.truncated), ("38x18 4-9 18-12", &None));
    assert_eq!(all_comments(&game), ["12:44", "13:05"]);
    // Of both sides, and neither is legal: the game ends there.
    let game = read_one(&format!("{fen} 1. 38:17 4:19 2. 38x18 *"));
    assert_eq!((moves(&game).as_str(), game.truncated.is_some()), ("", true));
}

/// Replies in brackets are moves; variations stay what they are.
#[test]
fn courses_have_the_replies_in_brackets() {
    for (text, line, variations) in [
        ("32-28 (19-23) 28x19 (14x23) 37-32 (10-14)", "32-28 19-23 28x19 14x23 37-32 10-14", 0),
        (
            "1. 32-28 (19-23!) 2. 28x19 {a} (1... 14x23 {b}) 3. 37-32",
            "32-28 19-23 28x19 14x23 37-32",
            0,
        ),
        ("1. 32-28 (31-27) (19-23) 2. 28x19 (13x24) 14x23", "32-28", 1),
        // The move of the same side is a variation, also if the game ends after it.
        ("1. 32-28 (31-27) 19-23 (20-25)", "32-28 19-23", 2),
        // The line continues without it: a remark.
        ("1. 32-28 (20-25) 19-23 2. 28x19 (13x24) 14x23", "32-28 19-23 28x19 14x23", 0),
        // Nothing follows.
        ("1. 32-28 (19-24) 2. 28-22 (17x28)", "32-28 19-24 28-22 17x28", 0),
        ("1. 31-27 (1. 32-28 (19-23) 28x19 (14x23) 37-32) 19-23", "31-27 19-23", 1),
    ] {
        let game = read_one(text);
        assert_eq!(moves(&game), line, "{text}");
        let count = |list: &[Annotation]| {
            list.iter().filter(|a| matches!(a, Annotation::Variation(_))).count()
        };
        let found: usize = game.line.plies.iter().map(|ply| count(&ply.after)).sum();
        assert_eq!(found, variations, "{text}");
        if line != "32-28" {
            assert_eq!(game.truncated, None, "{text}");
        }
        assert_round_trip(&game);
    }
    let game = read_one("1. 32-28 (19-23! {good}) {then} 2. 28x19 (14x23)");
    assert_eq!(game.line.plies[1].nags, [1]);
    assert_eq!(comments(&game.line.plies[1].after), ["good", "then"]);
}

/// What stands around games in files and mails is no game.
#[test]
fn brackets_that_are_no_games() {
    let game = "[White \"a\"]\n[Black \"b\"]\n\n1. 32-28 19-23 2-0";
    for text in [
        format!("{game}\n\n[FILENAME \"x.pdn\"]\n"),
        format!("{game}\n\n[FileName \"x.pdn\"]"),
        format!("[pdn]{game}[/pdn]"),
        format!("Look: [PDN]\n{game}\n[/PDN] well played"),
        format!("[quote=Jan]\n[code]\n{game}\n[/code]\n[/quote]"),
        game.replace("2-0", "[/pdn]"),
        game.replace("28 ", "28 [good move] "),
        game.replace("28 ", "28 [Good!] "),
        game.replace("28 ", "28 [see \"the book\"] "),
        game.replace("[White \"a\"]", "[White \"a\"]\n[White \"a\"]"),
        game.replace("[Black", "[White \"c\"]\n[Black"),
        game.replace("\n\n", "\n[White \"a\"]\n\n"),
    ] {
        let (games, counters) = read_all(text.as_bytes());
        let [read] = &games[..] else { panic!("{text}: {games:?}") };
        assert_eq!((moves(read).as_str(), counters.used), ("32-28 19-23", 1), "{text}");
        assert_eq!(
            (read.tags.get("White"), read.tags.get("Black")),
            (Some("a"), Some("b")),
            "{text}"
        );
        let names: Vec<&str> = read.tags.iter().map(|(name, _)| name).collect();
        assert!(!names.iter().any(|name| ["pdn", "good", "quote"].contains(name)), "{names:?}");
        let remark = text.contains("[good move]").then_some("good move");
        let remark = remark.or(text.contains("[Good!]").then_some("Good!"));
        let remark = remark.or(text.contains("[see").then_some("see \"the book\""));
        assert_eq!(all_comments(read), Vec::from_iter(remark), "{text}");
        assert_round_trip(read);
    }
    let two = format!("[pdn] 1. 32-28 19-23 [/pdn] or [pdn] 1. 33-28 18-22 [/pdn]\n{game}");
    assert_eq!(read_all(two.as_bytes()).0.len(), 3);
    // Tags alone are games, apart by an empty line, and begin the next one also without quotes.
    let tags = "[White \"a\"]\n[Result \"2-0\"]\n\n[White \"b\"]\n[Result \"0-2\"]\n\n";
    let file = format!("{tags}{game}\n[Event Club]\n1. 32-28 *");
    assert_eq!(read_all(file.as_bytes()).0.len(), 4);
}

/// A heading with numbers is none of the game.
#[test]
fn headings_do_not_shift_the_game() {
    for heading in
        ["Round 5-10", "Groningen, 12-15 May 2003", "12-99", "Final 3-0", "A - B 12-8\n12.05.2020"]
    {
        for gap in ["\n", "\n\n"] {
            let text = format!("{heading}{gap}1. 32-28 19-23 2. 28x19 14x23 *");
            let (games, counters) = read_all(text.as_bytes());
            let [game] = &games[..] else { panic!("{text}: {games:?}") };
            assert_eq!(moves(game), "32-28 19-23 28x19 14x23", "{text}");
            assert_eq!((counters.used, counters.truncated), (1, 0), "{text}");
            assert!(matches!(game.warnings[0].kind, PdnWarningKind::TextSkipped(_)), "{text}");
        }
    }
}

/// Single line ends and doubled blanks fold, empty lines stay.
#[test]
fn paragraphs_of_comments_are_kept() {
    let long = "a rather long word or two, and then ".repeat(5);
    let text = format!(
        "{{one\ntwo  three\r\n \t\r\nfour\n\n\n\n{long}\n\n[%eval 0.13] five\n\n%six\n\n(seven) }}\n\
         1. 32-28 {{\n\neight\n\n}} (1. 31-27 {{nine\n\nten}}) 19-23 {{eleven\n\n;twelve\n\n1. 33-28 *}} *"
    );
    let game = read_one(&text);
    let kept = format!("one two three\n\nfour\n\n{long}[%eval 0.13] five %six\n\n(seven)");
    assert_eq!(comments(&game.line.lead), [kept.as_str()]);
    assert_eq!(comments(&game.line.plies[0].after), ["eight"]);
    assert_eq!(comments(&game.line.plies[1].after), ["eleven\n\n;twelve\n\n1. 33-28 *"]);
    let written = game_to_string(&game, &WriteOptions::default());
    assert!(written.contains("{one two three\n\nfour\n\na rather"), "{written}");
    assert_eq!(read_one(&written).line, game.line);
    assert_round_trip(&game);
    assert_eq!(Comment::new("a\n\n [x \"y\"]\n\nb\n\n").text, "a [x \"y\"]\n\nb");
    assert_eq!(Comment::new("a\n\n[%clk 0:01]\n\nb").plain_text(), "a\n\nb");
}

#[test]
fn duplicates_are_marked() {
    let text = "1. 32-28 * 1. 33-28 * [White \"x\"] 1. 32-28 * [FEN \"B:W32:B1\"] 1... 1-6 *";
    let (games, counters) = read_all(text.as_bytes());
    let marks: Vec<bool> = games.iter().map(|g| g.is_duplicate).collect();
    assert_eq!(marks, [false, false, true, false]);
    assert_eq!((counters.games, counters.used, counters.duplicates), (4, 3, 1));
}

#[test]
fn variations_nest_to_the_limit_and_no_further() {
    for (depth, kept) in [(199, 199), (200, 200), (201, 200), (50_000, 200)] {
        let text = format!("1. 32-28{} 19-23 *", " (1. 31-27".repeat(depth) + &")".repeat(depth));
        let game = read_one(&text);
        assert_eq!(moves(&game), "32-28 19-23", "{depth}");
        let mut line = &game.line;
        let mut found = 0;
        while let Some(inner) = line.plies[0].variations().next() {
            line = inner;
            found += 1;
        }
        assert_eq!(found, kept);
        let too_deep = PdnWarningKind::VariationTooDeep(200);
        assert_eq!(game.warnings.iter().any(|w| w.kind == too_deep), depth > 200);
        assert_round_trip_without_width(&game);
    }
    let game = read_one(&format!("1. 32-28 {} 19-23", "(".repeat(100_000)));
    assert_eq!(moves(&game), "32-28");
    assert!(game.warnings.iter().any(|w| w.kind == PdnWarningKind::UnfinishedVariation));
}

fn assert_round_trip_without_width(game: &PdnGame) {
    let once = game_to_string(game, &WriteOptions::default());
    let again = read_one(&once);
    assert_eq!(again.line, game.line);
    assert_eq!(game_to_string(&again, &WriteOptions::default()), once);
}

#[test]
fn a_game_that_was_cut_off_stays_marked_when_it_is_written() {
    let game = read_one("[Result \"2-0\"] 1. 32-28 19-23 2. 28x18 14x23 2-0");
    let reason = game.truncated.clone().expect("28x18 is illegal").to_string();
    for plain in [false, true] {
        let options = WriteOptions { plain, ..WriteOptions::default() };
        let written = game_to_string(&game, &options);
        assert_eq!(written.matches("[Truncated ").count(), 1, "{written}");
        let again = read_one(&written);
        let Some(PdnWarningKind::MarkedTruncated(kept)) = again.truncated.as_ref().map(|w| &w.kind)
        else {
            panic!("{:?}", again.truncated)
        };
        assert_eq!(*kept, reason);
        assert!(again.warnings.is_empty(), "{:?}", again.warnings);
        assert_eq!(game_to_string(&again, &options), written);
    }
    let whole = read_one("1. 32-28 19-23 2. 28x19 14x23 *");
    assert!(!game_to_string(&whole, &WriteOptions::default()).contains("Truncated"));
}

#[test]
fn the_strict_form() {
    let text = "[Custom \"a \\\"b\\\" \\\\ c\"][Black \"B\"][white \"A\"] { before } \
                1. 32-28! {[%eval 0.13] [%depth 21] [%emt 0:00:04]} 19-23 (1... 20-25 {odd} \
                2. 37-32) 2. 28x19 /FEN \"B:W28:BK19\"/ 19x46 1/2-1/2";
    let game = read_one(text);
    let expected = "\
[Event \"?\"]
[Site \"?\"]
[Date \"????.??.??\"]
[Round \"?\"]
[White \"A\"]
[Black \"B\"]
[Result \"1/2-1/2\"]
[GameType \"20\"]
[PlyCount \"4\"]
[Custom \"a \\\"b\\\" \\\\ c\"]

{before} 1. 32-28 $1 {[%eval 0.13] [%depth 21] [%emt 0:00:04]} 1... 19-23 (1...
20-25 {odd} 2. 37-32) 2. 28x19 /FEN \"B:W28:BK19\"/ 2... 19x46 1-1

";
    assert_eq!(game_to_string(&game, &WriteOptions::default()), expected);
    let plain = game_to_string(&game, &WriteOptions { plain: true, ..WriteOptions::default() });
    assert!(plain.ends_with("\n\n1. 32-28 19-23 2. 28x19 *\n\n"), "{plain}");
}

#[test]
fn tags_of_every_shape() {
    let game = read_one(
        "[Event \"a\"][Site \"b\"]\n[ Date  \"2026.01.02\" ]\n[Round 3]\n[White \"The \"Big\" one\"]\
         \n[Black \"two\nlines\"]\n[X \"\"]\n[site \"second\"]",
    );
    let tag = |name: &str| game.tags.get(name);
    assert_eq!(tag("Event"), Some("a"));
    assert_eq!(tag("site"), Some("b"));
    assert_eq!(tag("DATE"), Some("2026.01.02"));
    assert_eq!(tag("Round"), Some("3"));
    assert_eq!(tag("White"), Some("The \"Big\" one"));
    assert_eq!(tag("Black"), Some("two lines"));
    assert_eq!(tag("X"), Some(""));
}

#[test]
fn fen_tags_in_every_dialect() {
    for fen in [
        "W:W31-50:B1-20",
        "w:w31-50:b1-20",
        "W:B1-20:W31-50.",
        "W:W31-50:B1-20:H0:F1",
        "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww",
        "Wzzzzzzzzzzzzzzzzzzzzeeeeeeeeeewwwwwwwwwwwwwwwwwwww",
        "W%3AW31-50%3AB1-20",
    ] {
        let game = read_one(&format!("[GameType \"20\"]\n[FEN \"{fen}\"]\n1. 32-28 *"));
        assert_eq!(game.start, Position::initial(), "{fen}");
        assert_eq!(game.warnings, []);
    }
    let game = read_one("[FEN \"W:W31,51:B1\"] 1. 31-27 1-6 2. 27-22 *");
    assert!(matches!(
        game.truncated.clone().unwrap().kind,
        PdnWarningKind::BadFen(e) if e.column == 7
    ));
    assert_eq!(comments(&game.line.lead), ["FEN \"W:W31,51:B1\" 31-27 1-6 27-22"]);
}

#[test]
fn fen_counters_are_kept_and_written() {
    let game = read_one("[FEN \"W:WK31:BK20:H12:F34\"] 1. 31-27 *");
    assert_eq!((game.halfmoves, game.move_number), (Some(12), Some(34)));
    assert_eq!(game.beginning().counters().plies(), 12);
    let text = game_to_string(&game, &WriteOptions::default());
    assert!(text.contains("[FEN \"W:WK31:BK20:H12:F34\"]"), "{text}");
    let again = read_one(&text);
    assert_eq!((again.halfmoves, again.move_number), (Some(12), Some(34)));
    let plain = WriteOptions { plain: true, ..WriteOptions::default() };
    assert!(game_to_string(&game, &plain).contains("[FEN \"W:WK31:BK20\"]"));
}

#[test]
fn stranded_men_of_a_fen_tag_are_crowned_on_request() {
    let text = "[FEN \"W:W5,31:B46\"] 1. 31-27 46-41 *";
    assert!(read_one(text).truncated.is_some());
    let options = ReadOptions { promote_stranded_men: true, ..ReadOptions::default() };
    let mut reader = PdnReader::with_options(text.as_bytes(), options);
    let game = reader.next().unwrap().unwrap();
    assert_eq!((game.start.to_fen().as_str(), reader.counters().promoted), ("W:WK5,31:BK46", 2));
    assert_eq!(moves(&game), "31-27 46-41");
}

/// Fails after its text is read.
struct Failing<'a>(&'a [u8]);

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Err(io::Error::other("the disk is gone"));
        }
        self.0.read(buffer)
    }
}

#[test]
fn an_input_error_is_reported_once_after_what_was_read() {
    let input = BufReader::new(Failing(b"1. 32-28 *\n1. 33-28 18-22\n"));
    let mut reader = PdnReader::new(input);
    assert_eq!(moves(&reader.next().unwrap().unwrap()), "32-28");
    assert_eq!(moves(&reader.next().unwrap().unwrap()), "33-28 18-22");
    let ParsePdnError::Io { line, source } = reader.next().unwrap().unwrap_err();
    assert_eq!((line, source.to_string().as_str()), (3, "the disk is gone"));
    assert!(reader.next().is_none());
}

#[test]
fn every_kind_of_warning_is_counted_and_named_once() {
    let foreign = "[GameType \"25\"]\n1. c3-d4 d6-c5 2. b2-c3 *\n".repeat(400);
    let broken = format!("1. 32-28 {} *\n", "} ".repeat(300));
    let text = format!("{foreign}[GameType \"21\"] 1. 11-15 *\n{broken}");
    let mut reader = PdnReader::new(text.as_bytes());
    assert_eq!(reader.next().unwrap().unwrap().warnings.len(), 100);
    assert!(reader.next().is_none());
    let found: Vec<(u64, String)> =
        reader.warnings().iter().map(|kind| (kind.count, kind.to_string())).collect();
    let [russian, english, braces] = &found[..] else { panic!("{found:#?}") };
    assert_eq!((russian.0, english.0, braces.0), (400, 1, 300));
    let expected = "line 1, column 1: game of type 25 skipped: only 20, international draughts, is \
                    read (25 is Russian draughts); 399 more of this kind, on lines 3, 5, 7, 9, 11, 13, 15, 17 and so on";
    assert_eq!(russian.1, expected);
    assert!(braces.1.ends_with("stray '}' skipped; 299 more of this kind, on the same line"));
    assert_eq!((reader.counters().warnings, reader.warnings().count()), (701, 701));
}

/// Text that is not a game is skipped with a warning.
#[test]
fn text_between_games_is_named() {
    for text in ["{only a comment}", "12:75 lunch", "= Games =", "$5"] {
        for text in [text.to_owned(), format!("1. 32-28 *\n{text}\n* 1. 33-28 *")] {
            let mut reader = PdnReader::new(text.as_bytes());
            reader.by_ref().for_each(drop);
            let kinds: Vec<_> = reader.warnings().iter().map(|kind| &kind.first.kind).collect();
            assert!(matches!(kinds[..], [PdnWarningKind::TextSkipped(_)]), "{text:?}: {kinds:?}");
        }
    }
}

/// Nothing of the tags is lost, and commands of comments stay in one line.
#[test]
fn what_is_written_has_everything() {
    let word = "a rather long word or two, and then ";
    let text = format!(
        "[Event \"x\"][Site \"a\"][GameType \"20,W,10,10,N2,0\"][site \"b\"][Result \"1-0\"]\n\
         1. 32-28 {{{word}{word}[%emt 0:00:04] x [%clk 0:59:59] [%open [%eval 0.13] end}} 1-0"
    );
    let game = read_one(&text);
    let written = game_to_string(&game, &WriteOptions::default());
    for part in ["[Site \"a\"]", "[site \"b\"]", "[Result \"1-0\"]", "20,W,10,10,N2,0"] {
        assert!(written.contains(part), "{part}: {written}");
    }
    let commands = ["[%emt 0:00:04]", "[%clk 0:59:59]", "[%eval 0.13]"];
    assert!(commands.iter().all(|command| written.contains(command)), "{written}");
    assert_round_trip(&game);
}

#[test]
fn a_variation_after_a_set_up_starts_from_it() {
    let game = read_one("1. 32-28 /FEN \"B:W33:B18\"/ (1... 18-22 2. 33-28) 1... 18-23 *");
    assert_eq!(moves(&game), "32-28 18-23");
    assert_eq!(game.line.plies[0].variations().count(), 1);
    assert_eq!(game.warnings, []);
    assert_round_trip(&game);
}
