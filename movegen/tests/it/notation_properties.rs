//! Text round trips on random games and positions, and hostile input.

use movegen::notation::dxp::MoveMessage;
use movegen::notation::pdn::{
    Annotation, Comment, GameResult, PdnGame, PdnReader, Ply, Variation, WriteOptions,
    game_to_string,
};
use movegen::notation::{
    ParseMoveError, dxp, format_long, format_move, hub, parse_move, parse_move_list,
};
use movegen::{Bitboard, Color, Fen, Move, Position, Setup, Square};
use proptest::prelude::*;

/// The moves of a game where the `choices` pick among the legal moves.
fn play(start: Position, choices: &[u16]) -> Vec<Move> {
    let mut position = start;
    let mut moves = Vec::new();
    for &choice in choices {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[usize::from(choice) % legal.len()];
        moves.push(mv);
        position = position.after(mv);
    }
    moves
}

/// Up to 50 pieces anywhere; many kings, so that captures are long and ambiguous.
fn positions() -> impl Strategy<Value = Position> {
    let contents = prop::collection::vec(0u8..14, 50);
    (contents, any::<bool>()).prop_filter_map("an empty board", |(contents, white)| {
        let mut setup = Setup::empty(if white { Color::White } else { Color::Black });
        let mine = setup.side.index();
        for (square, content) in Square::all().zip(contents) {
            let (set, color) = match content {
                0 | 1 => (&mut setup.men, 1 - mine),
                2 | 3 => (&mut setup.kings, 1 - mine),
                4 => (&mut setup.men, mine),
                5 => (&mut setup.kings, mine),
                _ => continue,
            };
            set[color] = set[color].with(square);
        }
        setup.promote_stranded_men();
        setup.position().ok()
    })
}

fn assert_moves_round_trip(position: &Position) {
    let legal = position.legal_moves();
    for &mv in legal.iter().take(300) {
        assert_eq!(hub::parse_move(position, &mv.to_string()), Ok(mv));
        assert_eq!(MoveMessage::new(mv, 3).resolve(position), Ok(mv));
        let text = format_move(position, mv);
        assert_eq!(parse_move(position, &text), Ok(mv), "{position:?} {text}");
        let long = format_long(position, mv);
        assert_eq!(parse_move(position, &long), Ok(mv), "{position:?} {long}");
        let captured: Vec<String> = mv.captured().into_iter().map(|s| s.to_string()).collect();
        if mv.is_capture() {
            let listed = format!("{} x {} <{}>!", mv.from(), mv.to(), captured.join(", "));
            assert_eq!(parse_move(position, &listed), Ok(mv), "{position:?} {listed}");
            let squares = long.split('x').count();
            assert_eq!(squares as u32, mv.captured().len().max(1) + 1);
        }
        let same = |m: &&Move| m.from() == mv.from() && m.to() == mv.to();
        let short = format!("{}x{}", mv.from(), mv.to());
        match (parse_move(position, &short), legal.iter().filter(same).count()) {
            (Ok(read), 1) => assert_eq!(read, mv),
            (Err(ParseMoveError::Ambiguous { candidates, .. }), n) => {
                assert_eq!(candidates.len(), n);
            }
            (other, n) => panic!("{position:?} {short}: {other:?}, {n} moves"),
        }
    }
}

/// A jump of a route: direction, the square behind the captured piece, the landing square.
type Jump = ((i8, i8), Square, Square);

/// Every route of a capture, listed one by one by walking the board square by square; `None` if
/// there are too many.
fn routes(position: &Position, mv: Move) -> Option<Vec<Vec<Jump>>> {
    fn step(square: Square, (row, column): (i8, i8)) -> Option<Square> {
        let row = square.row().checked_add_signed(row)?;
        Square::from_row_column(row, square.column().checked_add_signed(column)?)
    }
    fn walk(
        (position, mv, is_king): (&Position, Move, bool),
        at: Square,
        taken: Bitboard,
        route: &mut Vec<Jump>,
        found: &mut Vec<Vec<Jump>>,
    ) {
        if found.len() > 2000 {
            return;
        }
        if taken == mv.captured() {
            if at == mv.to() {
                found.push(route.clone());
            }
            return;
        }
        let is_empty = |s: Square| position.empty().contains(s) || s == mv.from();
        for direction in [(-1, -1), (-1, 1), (1, -1), (1, 1)] {
            let mut next = step(at, direction);
            while is_king && next.is_some_and(is_empty) {
                next = next.and_then(|s| step(s, direction));
            }
            let Some(piece) = next.filter(|&s| mv.captured().contains(s) && !taken.contains(s))
            else {
                continue;
            };
            let Some(behind) = step(piece, direction).filter(|&s| is_empty(s)) else { continue };
            let mut landing = Some(behind);
            while let Some(to) = landing.filter(|&s| is_empty(s)) {
                route.push((direction, behind, to));
                walk((position, mv, is_king), to, taken.with(piece), route, found);
                route.pop();
                landing = if is_king { step(to, direction) } else { None };
            }
        }
    }
    let is_king = position.all_kings().contains(mv.from());
    let mut found = Vec::new();
    walk((position, mv, is_king), mv.from(), Bitboard::EMPTY, &mut Vec::new(), &mut found);
    (found.len() <= 2000).then_some(found)
}

fn joined(squares: &[Square]) -> String {
    squares.iter().map(Square::to_string).collect::<Vec<_>>().join("x")
}

/// The long form against its definition: of all routes the smallest list of squares, every other
/// list reads as the same move, and so does every full path of landing squares.
fn assert_long_form_is_as_defined(position: &Position, mv: Move) {
    let Some(routes) = routes(position, mv) else { return };
    assert!(!routes.is_empty(), "{position:?} {mv}");
    let mut lists = Vec::new();
    for route in &routes {
        let mut squares = vec![mv.from()];
        for pair in route.windows(2) {
            let ((direction, behind, landing), (next, ..)) = (pair[0], pair[1]);
            squares.push(if direction == next { behind } else { landing });
        }
        squares.push(mv.to());
        lists.push(squares);
        let landings: Vec<Square> =
            std::iter::once(mv.from()).chain(route.iter().map(|j| j.2)).collect();
        match parse_move(position, &joined(&landings)) {
            Ok(read) => assert_eq!(read, mv, "{position:?} {}", joined(&landings)),
            Err(ParseMoveError::Ambiguous { candidates, .. }) => assert!(candidates.contains(&mv)),
            Err(error) => panic!("{position:?} {error}"),
        }
    }
    let smallest = lists.iter().min().map(|l| joined(l));
    assert_eq!(Some(format_long(position, mv)), smallest, "{position:?} {mv}");
    for list in lists {
        assert_eq!(parse_move(position, &joined(&list)), Ok(mv), "{position:?} {}", joined(&list));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn positions_survive_every_format(position in positions()) {
        prop_assert_eq!(Position::from_fen(&position.to_fen()), Ok(position));
        let upside_down = position.reversed();
        prop_assert_eq!(Position::from_fen(&upside_down.to_fen()), Ok(upside_down));
        let text = hub::format_position(&position);
        prop_assert_eq!(Position::from_fen(&text), Ok(position));
        prop_assert_eq!(Position::from_fen(&dxp::format_position(&position)), Ok(position));
        let fen = Fen { halfmoves: Some(7), move_number: Some(9), ..Fen::from(&position) };
        prop_assert_eq!(fen.to_string_with_counters().parse(), Ok(fen));
    }

    #[test]
    fn moves_survive_every_format(position in positions()) {
        assert_moves_round_trip(&position);
    }

    #[test]
    fn the_long_form_is_as_defined(position in positions()) {
        for &mv in position.legal_moves().iter().filter(|m| m.is_capture()).take(40) {
            assert_long_form_is_as_defined(&position, mv);
        }
    }

    #[test]
    fn moves_of_games_survive_every_format(choices in prop::collection::vec(any::<u16>(), 0..120)) {
        let mut position = Position::initial();
        let moves = play(position, &choices);
        let mut text = String::new();
        for &mv in &moves {
            assert_moves_round_trip(&position);
            text.push_str(&format!("1. {} ", format_move(&position, mv)));
            position = position.after(mv);
        }
        prop_assert_eq!(parse_move_list(&Position::initial(), &text), Ok(moves));
    }

    #[test]
    fn games_survive_pdn(
        start in positions(),
        from_start in any::<bool>(),
        choices in prop::collection::vec((any::<u16>(), 0u8..20, "[ -~\n]{0,60}"), 0..80),
        event in "[ -~éß\\\\\"]{0,30}",
        result in 0usize..5,
        halfmoves in prop::option::of(0u32..60),
        move_number in prop::option::of(1u32..90),
    ) {
        let start = if from_start { Position::initial() } else { start };
        let mut game = PdnGame::new(start);
        game.tags.set("Event", event.trim());
        game.tags.set("Own", "a \\ b \" c");
        (game.halfmoves, game.move_number) = (halfmoves, move_number);
        game.result = [
            GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins, GameResult::BothLose,
            GameResult::Unknown,
        ][result];
        let mut position = start;
        for (choice, extra, text) in &choices {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mut ply = Ply::from(legal[usize::from(*choice) % legal.len()]);
            let comment = Comment::new(text);
            match extra {
                0 if !comment.text.is_empty() => ply.after.push(Annotation::Comment(comment)),
                1 => ply.nags.push(u32::from(*choice) * 7),
                2 | 3 => {
                    let moves = play(position, &[*choice / 3, *choice / 5, 7, 9]);
                    let mut line = Variation { lead: vec![], plies: moves.into_iter().map(Ply::from).collect() };
                    if *extra == 3 {
                        let inner = play(position, &[*choice / 7]);
                        let plies = inner.into_iter().map(Ply::from).collect();
                        let inner = Annotation::Variation(Variation { lead: vec![], plies });
                        line.plies[0].after.push(inner);
                    }
                    ply.after.push(Annotation::Variation(line));
                }
                4 => ply.after.push(Annotation::SetUp(position.reversed())),
                _ => {}
            }
            let set_up = matches!(ply.after.last(), Some(Annotation::SetUp(_)));
            position = if set_up { position.reversed() } else { position.after(ply.mv) };
            game.line.plies.push(ply);
        }
        for options in [
            WriteOptions::default(),
            WriteOptions { star_terminator: true, ..WriteOptions::default() },
        ] {
            let text = game_to_string(&game, &options);
            let mut reader = PdnReader::new(text.as_bytes());
            let read = reader.next().expect("a game").unwrap();
            prop_assert!(reader.next().is_none(), "{}", text);
            prop_assert_eq!(&read.warnings, &vec![], "{}", text);
            prop_assert_eq!((read.result, read.start), (game.result, game.start));
            prop_assert!(read.line.moves().eq(game.line.moves()), "{}", text);
            assert_nothing_lost(&game, &read);
            prop_assert_eq!(game_to_string(&read, &options), &*text);
        }
    }

    /// A game written with other signs, letters before kings, and words that are not moves between its
    /// moves is the same game.
    #[test]
    fn games_survive_what_people_type(
        start in positions(),
        choices in prop::collection::vec((any::<u16>(), 0..SIGNS.len(), 0..WORDS.len()), 0..60),
    ) {
        let moves: Vec<u16> = choices.iter().map(|(choice, ..)| *choice).collect();
        let moves = play(start, &moves);
        let mut text = format!("[FEN \"{start}\"]\n", start = start.to_fen());
        let mut position = start;
        let first = 4 + usize::from(start.side_to_move() == Color::Black);
        for (ply, (&mv, &(choice, sign, word))) in (first..).zip(moves.iter().zip(&choices)) {
            let number = ply / 2;
            let written = format_move(&position, mv).replace(['-', 'x'], SIGNS[sign]);
            let king = ["", "", "K", "Д"][usize::from(choice) % 4];
            prop_assert_eq!(parse_move(&position, &format!("{king}{written}")), Ok(mv), "{}", written);
            text.push_str(&format!("{number}. {king}{written} {}\n", WORDS[word]));
            position = position.after(mv);
        }
        // Without it `6-4`, a capture by way of other rows, would be a score.
        text.push('*');
        let game = PdnReader::new(text.as_bytes()).next().expect("a game").unwrap();
        prop_assert_eq!(game.truncated, None, "{}", text);
        prop_assert!(game.line.moves().eq(moves), "{}", text);
    }

    /// For any bytes no parser panics, and the reader's result is stable.
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        all_parsers(&bytes);
    }

    /// The same with text that is nearly right.
    #[test]
    fn no_near_miss_panics(words in prop::collection::vec(words(), 0..60)) {
        all_parsers(words.concat().as_bytes());
    }
}

const SIGNS: [&str; 20] = [
    "-",
    "x",
    "X",
    ":",
    "×",
    "⨯",
    "х",
    "Χ",
    " x ",
    "  -\n",
    "~",
    "_",
    "=",
    "*",
    "->",
    "--",
    "—",
    "\u{ad}",
    "－",
    " \u{200b}: ",
];

const WORDS: [&str; 16] = [
    "",
    "",
    "",
    "# N >",
    "12.05.2020",
    "2020-05-12",
    "0:05",
    "[%clk 0:00:05]",
    "□",
    "⨀",
    "!? N",
    "a b c d",
    "[good move]",
    "+0.25",
    "1st",
    "{one\n\ntwo}",
];

fn words() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "28х19",
        "31~26",
        "31-99",
        "31/26",
        "K28-33",
        "(28x19)",
        "(19-23)",
        "[good move]",
        "[pdn]",
        "[/pdn]",
        "[FILENAME \"x\"]",
        "□",
        "⨀",
        "\n\n",
        "{a\n\nb}",
        "12.05.2020",
        "1924",
        "won ",
        "３２－２８",
        "\u{200b}",
        " ",
        "\n",
        "\r\n",
        "1.",
        "12...",
        "...",
        "32-28",
        "19-23",
        "28x19",
        "14x23",
        "30x2",
        "x",
        "-",
        ":",
        "×",
        "–",
        "--",
        "- -",
        "0-0",
        "2-0",
        "1-1",
        "*",
        "1/2-1/2",
        "½-½",
        "1+ - 1-",
        "{",
        "}",
        "{a}",
        "(",
        ")",
        "(!)",
        "!",
        "??",
        "$3",
        "$999",
        ";c\n",
        "%e\n",
        "[",
        "]",
        "\"",
        "[FEN \"W:WK30:B7,21,22,34,41\"]",
        "[FEN \"",
        "W:W31-50:B1-20",
        "/FEN \"B:W28:BK5\"/",
        "/FEN \"B::\"/",
        "[Event \"x\"]",
        "[Result \"2-0\"]",
        "[GameType \"20\"]",
        "<23>",
        "<",
        ">",
        ",",
        ".",
        "/",
        "\\",
        "K",
        "G",
        "P",
        "W",
        "B",
        "?",
        "H12",
        "F3",
        "+0+0",
        "%3A",
        "é",
        "\u{feff}",
        "\u{a0}",
        "3228",
        "[%clk 0:01:02]",
        "[%clock w1:00 B2:00]",
        "[%eval 0.1]",
        "e",
        "b",
        "w",
        "Z",
        "M0012061100",
        "1 ",
        "1: ",
        "\n\n1. ",
        "6-4",
        "12-8",
        "3-0",
        "1.5 - 0.5",
        "+-",
        " -+ ",
        "=",
        "0:05",
        "1:02:03",
        "&nbsp;",
        "[Result \"12-8\"]",
        "[Site \"a\"]",
        "[site \"b\"]",
        "[FEN \"W:WK31:BK20:H12:F34\"]",
    ]);
    prop_oneof![fixed.prop_map(str::to_owned), "[0-9]{1,5}", "\\PC"]
}

fn all_parsers(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(fen) = text.parse::<Fen>() {
        assert_eq!(fen.to_string().parse::<Fen>().map(|f| f.setup), Ok(fen.setup));
    }
    for position in [
        Position::initial(),
        Position::from_fen("W:WK30:B7,21,22,34,41").unwrap(),
        Position::from_bitboards(Bitboard::row(2), Bitboard::row(8), Bitboard::ALL, Color::White)
            .unwrap(),
    ] {
        let legal = position.legal_moves();
        let known = |m: Move| legal.contains(&m);
        assert!(
            parse_move(&position, &text).is_ok_and(known) || parse_move(&position, &text).is_err()
        );
        let read = hub::parse_move(&position, &text);
        assert!(read.is_err() || read.is_ok_and(known));
        let _ = parse_move_list(&position, &text);
        let _ = text.parse::<MoveMessage>().map(|m| m.resolve(&position));
    }
    let _ = hub::parse_position(&text);
    let _ = dxp::parse_position(&text);
    for game in PdnReader::new(bytes).map(Result::unwrap) {
        for ply in &game.line.plies {
            for comment in ply.comments() {
                let _ =
                    (comment.clocks(), comment.evaluation(), comment.remaining_time(Color::White));
            }
        }
        let once = game_to_string(&game, &WriteOptions::default());
        let again = PdnReader::new(once.as_bytes()).next().expect("a game").unwrap();
        assert_eq!(game_to_string(&again, &WriteOptions::default()), once);
        assert!(again.line.moves().eq(game.line.moves()));
        assert_nothing_lost(&game, &again);
    }
}

/// A game written and read again keeps all its parts.
fn assert_nothing_lost(game: &PdnGame, again: &PdnGame) {
    assert_eq!((again.start, again.result), (game.start, game.result));
    assert_eq!((again.halfmoves, again.move_number), (game.halfmoves, game.move_number));
    let own = ["Event", "Result", "GameType", "SetUp", "FEN", "PlyCount"];
    for (name, value) in game.tags.iter() {
        let values = |game: &PdnGame| {
            let is_it = |(n, v): &(&str, &str)| n.eq_ignore_ascii_case(name) && *v == value;
            game.tags.iter().filter(is_it).count()
        };
        let is_own = own.iter().any(|known| known.eq_ignore_ascii_case(name));
        assert!(is_own || value.is_empty() || values(again) >= values(game), "{name}: {value}");
    }
    if let Some(result) =
        game.tags.get("Result").filter(|r| GameResult::parse(r) == Some(game.result))
    {
        assert_eq!(again.tags.get("Result"), Some(result));
    }
    assert_eq!(everything_said(&again.line), everything_said(&game.line));
}

/// Glyphs and comments of a line, including its variations. Braces within comments become
/// parentheses.
fn everything_said(line: &Variation) -> Vec<String> {
    let said = |list: &[Annotation]| -> Vec<String> {
        let said = list.iter().flat_map(|annotation| match annotation {
            Annotation::Comment(comment) => {
                vec![comment.text.replace('{', "(").replace('}', ")")]
            }
            Annotation::Variation(line) => everything_said(line),
            Annotation::SetUp(position) => vec![position.to_fen()],
        });
        said.collect()
    };
    let plies = line.plies.iter().flat_map(|ply| {
        let glyphs = ply.nags.iter().map(|nag| format!("${nag}"));
        glyphs.chain(said(&ply.after)).collect::<Vec<_>>()
    });
    said(&line.lead).into_iter().chain(plies).collect()
}
