//! Broken input, case by case: each gives its own error at its own place, never a panic.

use movegen::notation::dxp::{self, MoveMessage};
use movegen::notation::pdn::PdnReader;
use movegen::notation::{ParseMoveError, hub, parse_move, parse_move_list};
use movegen::{Fen, Position};

/// Text, the start of the error's `Debug` form, line, column.
type Case = (&'static str, &'static str, usize, usize);

const FEN: &[Case] = &[
    ("", "Empty", 1, 1),
    ("   ", "Empty", 1, 4),
    ("\n\n", "Empty", 3, 1),
    ("\"\"", "Empty", 1, 3),
    ("[FEN \"\"]", "Empty", 1, 9),
    ("/FEN \"\"/", "Empty", 1, 9),
    ("[FEN]", "Empty", 1, 6),
    ("_", "Empty", 1, 2),
    ("X", "ExpectedTurn", 1, 1),
    ("1", "ExpectedTurn", 1, 1),
    ("hello", "ExpectedTurn", 1, 1),
    ("é:W31:B1", "ExpectedTurn", 1, 1),
    (":W31:B1", "ExpectedTurn", 1, 1),
    ("Z:W31:B1", "ExpectedTurn", 1, 1),
    ("31-50:1-20", "ExpectedTurn", 1, 1),
    ("rnbqkbnr/pppppppp/8/8 w - - 0 1", "ExpectedTurn", 1, 1),
    ("W", "ExpectedColon", 1, 2),
    ("B 31", "ExpectedColon", 1, 2),
    ("W31-50:B1-20", "ExpectedColon", 1, 2),
    ("WW:W31:B1", "ExpectedColon", 1, 2),
    ("?W31:B1", "ExpectedColon", 1, 2),
    ("W;W31:B1", "ExpectedColon", 1, 2),
    ("W:", "ExpectedList", 1, 3),
    ("[FEN \"B:\"]", "ExpectedList", 1, 11),
    ("W:31-50:B1-20", "ExpectedColor", 1, 3),
    ("W:W31:1-20", "ExpectedColor", 1, 7),
    ("W:K31:B1", "ExpectedColor", 1, 3),
    ("W:R31:B1", "UnknownColor('R')", 1, 3),
    ("W:W31:Z1", "UnknownColor('Z')", 1, 7),
    ("W:W31:y1", "UnknownColor('y')", 1, 7),
    ("W:W31:B1:X", "UnknownColor('X')", 1, 10),
    ("W:W31:é1", "UnknownColor('é')", 1, 7),
    ("W:W31:W32", "RepeatedColor(White)", 1, 7),
    ("W:B1:B2", "RepeatedColor(Black)", 1, 6),
    ("W:W31:B1:W32", "RepeatedColor(White)", 1, 10),
    ("W:W31:B1:H", "BadCounter('H')", 1, 10),
    ("W:W31:B1:F-1", "BadCounter('F')", 1, 10),
    ("W:W31:B1:H99999999999", "BadCounter('H')", 1, 10),
    ("W:W31:B1:H1:H2", "BadCounter('H')", 1, 13),
    ("W:W31:B1:*", "UnexpectedCharacter('*')", 1, 10),
    ("W:W31,x:B1", "UnexpectedCharacter('x')", 1, 7),
    ("W:W31,W32:B1", "UnexpectedCharacter('W')", 1, 7),
    ("W:W31,-32:B1", "UnexpectedCharacter('-')", 1, 7),
    ("W:W31/B1", "UnexpectedCharacter('/')", 1, 6),
    ("W:W31.32:B1", "UnexpectedCharacter('.')", 1, 6),
    ("W:W31:B1:F2!", "UnexpectedCharacter('!')", 1, 12),
    ("W:W31\n:B1,\n\n a", "UnexpectedCharacter('a')", 4, 2),
    ("W:W31:B1,×", "UnexpectedCharacter('×')", 1, 10),
    ("W:W31:B1%41", "UnexpectedCharacter('A')", 1, 9),
    ("W:W31:B1%zz", "UnexpectedCharacter('%')", 1, 9),
    ("W:WK:B1", "ExpectedSquare", 1, 5),
    ("W:WKK31:B1", "ExpectedSquare", 1, 5),
    ("W:W31-:B1", "ExpectedSquare", 1, 7),
    ("W:W31-", "ExpectedSquare", 1, 7),
    ("W:W31-x:B1", "ExpectedSquare", 1, 7),
    ("W:WG:B1", "ExpectedSquare", 1, 5),
    ("W:W0:B1", "SquareOutOfRange(0)", 1, 4),
    ("W:W51:B1", "SquareOutOfRange(51)", 1, 4),
    ("W:W3132:B1", "SquareOutOfRange(3132)", 1, 4),
    ("W:W99999999999999:B1", "SquareOutOfRange(4294967295)", 1, 4),
    ("W:W31-51:B1", "SquareOutOfRange(51)", 1, 7),
    ("W:W31:B1\n,00", "SquareOutOfRange(0)", 2, 2),
    ("W:WG60:B1", "SquareOutOfRange(60)", 1, 5),
    ("[FEN \"W:W31,51:B1\"]", "SquareOutOfRange(51)", 1, 13),
    ("W:W35-31:B1", "ReversedRange(Square(35), Square(31))", 1, 4),
    ("W:WK5-K1:B7", "ReversedRange(Square(5), Square(1))", 1, 4),
    ("W:W31-K35:B1", "MixedRange", 1, 7),
    ("W:WK31-G35:B1", "MixedRange", 1, 8),
    ("W:W31,31:B1", "SquareUsedTwice(Square(31))", 1, 7),
    ("W:W31,K31:B1", "SquareUsedTwice(Square(31))", 1, 7),
    ("W:W31:B31", "SquareUsedTwice(Square(31))", 1, 8),
    ("W:W31-35:B1,33-34", "SquareUsedTwice(Square(33))", 1, 13),
    ("W:W5:B6", "ManOnPromotionRow { color: White, square: Square(5) }", 1, 4),
    ("W:W31:B45,46", "ManOnPromotionRow { color: Black, square: Square(46) }", 1, 11),
    ("W:W1-10:B45", "ManOnPromotionRow { color: White, square: Square(1) }", 1, 4),
    ("W::", "EmptyBoard", 1, 1),
    ("B:W:B", "EmptyBoard", 1, 1),
    ("Beeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "EmptyBoard", 1, 1),
    ("Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwww", "WrongLength(50)", 1, 51),
    ("Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwwwe", "WrongLength(52)", 1, 52),
    ("ebbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww", "BadLetter { found: 'e'", 1, 1),
    ("Wbbbbbbbbbbbbbbbbbbbbeeeee.eeeewwwwwwwwwwwwwwwwwwww", "BadLetter { found: '.'", 1, 27),
    ("Wzzzzzzzzzzzzzzzzzzzzeeeeeeeeeebwwwwwwwwwwwwwwwwwww", "BadLetter { found: 'b'", 1, 32),
    (
        "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwwb",
        "ManOnPromotionRow { color: Black, square: Square(50) }",
        1,
        51,
    ),
];

#[test]
fn broken_fens() {
    for &(text, kind, line, column) in FEN {
        let error = Position::from_fen(text).expect_err(text);
        let found = format!("{:?}", error.kind);
        assert!(found.starts_with(kind), "{text:?}: {found}, expected {kind}");
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
        assert!(error.to_string().starts_with(&format!("line {line}, column {column}: ")));
        assert!(text.get(error.offset..).is_some(), "{text:?}: offset {}", error.offset);
        // A set-up reader refuses the same, except set-ups that are not positions.
        let set_up = kind.starts_with("ManOn") || kind == "EmptyBoard";
        assert_eq!(text.parse::<Fen>().is_ok(), set_up, "{text:?}");
    }
}

const HUB_POSITION: &[Case] = &[
    ("", "WrongLength(0)", 1, 1),
    ("W", "WrongLength(1)", 1, 2),
    ("W:W31-50:B1-20", "WrongLength(14)", 1, 15),
    ("wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww", "BadLetter { found: 'w'", 1, 1),
    ("Zbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww", "BadLetter { found: 'Z'", 1, 1),
    ("Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwwx", "BadLetter { found: 'x'", 1, 51),
    ("Wbbbbbbbbbbbbbbbbbbbb eeeeeeeeewwwwwwwwwwwwwwwwwwww", "BadLetter { found: ' '", 1, 22),
    ("Wébbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww", "BadLetter { found: 'é'", 1, 2),
    ("WweeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeB", "ManOnPromotionRow", 1, 2),
    ("Weeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeb", "ManOnPromotionRow", 1, 51),
    ("Weeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "EmptyBoard", 1, 1),
    ("WWeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "SideWithoutPiece(Black)", 1, 1),
];

const DXP_POSITION: &[Case] = &[
    ("", "WrongLength(0)", 1, 1),
    ("Bzzzzzzzzzzzzzzzzzzzzeeeeeeeeeewwwwwwwwwwwwwwwwwwww", "BadLetter { found: 'B'", 1, 1),
    ("Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww", "BadLetter { found: 'b'", 1, 2),
    ("WWeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "SideWithoutPiece(Black)", 1, 1),
    ("ZWeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "SideWithoutPiece(Black)", 1, 1),
    ("ZZeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "SideWithoutPiece(White)", 1, 1),
    ("Zzzzzzzzzzzzzzzzzzzzzeeeeeeeeeewwwwwwwwwwwwwwwwwwwz", "ManOnPromotionRow", 1, 51),
];

#[test]
fn broken_position_strings() {
    for &(text, kind, line, column) in HUB_POSITION {
        let error = hub::parse_position(text).expect_err(text);
        assert!(format!("{:?}", error.kind).starts_with(kind), "{text:?}: {error:?}");
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
    }
    for &(text, kind, line, column) in DXP_POSITION {
        let error = dxp::parse_position(text).expect_err(text);
        assert!(format!("{:?}", error.kind).starts_with(kind), "{text:?}: {error:?}");
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
    }
}

enum Wrong {
    /// Not the form of a move, after this many characters.
    Syntax(usize),
    Illegal,
    /// This many candidates.
    Ambiguous(usize),
}
use Wrong::{Ambiguous, Illegal, Syntax};

const INITIAL: &str = "W:W31-50:B1-20";
const KING: &str = "W:WK30:B7,21,22,34,41";

const BROKEN_MOVES: &[(&str, &str, Wrong)] = &[
    (INITIAL, "", Syntax(0)),
    (INITIAL, " ", Syntax(1)),
    (INITIAL, "a3-b4", Syntax(0)),
    (INITIAL, "-", Syntax(0)),
    (INITIAL, "--", Syntax(0)),
    (INITIAL, "- -", Syntax(0)),
    (INITIAL, "0-0", Syntax(0)),
    (INITIAL, "32", Syntax(2)),
    (INITIAL, "32 ", Syntax(3)),
    (INITIAL, "32-", Syntax(3)),
    (INITIAL, "32-28-", Syntax(6)),
    (INITIAL, "32-2x", Syntax(5)),
    (INITIAL, "32-51", Syntax(3)),
    (INITIAL, "0-28", Syntax(0)),
    (INITIAL, "32-00", Syntax(3)),
    (INITIAL, "32-99999999999999999999", Syntax(3)),
    (INITIAL, "32+28", Syntax(2)),
    (INITIAL, "32-28 19-23", Syntax(6)),
    (INITIAL, "32-28 {comment}", Syntax(6)),
    (INITIAL, "32-28(", Syntax(5)),
    (INITIAL, "32-28()", Syntax(5)),
    (INITIAL, "32-28(!", Syntax(5)),
    (INITIAL, "32-28(a)", Syntax(5)),
    (INITIAL, "32-28$1", Syntax(5)),
    (INITIAL, "32-28.", Syntax(5)),
    (INITIAL, "1. 32-28", Syntax(1)),
    (INITIAL, "1.32-28", Syntax(1)),
    (INITIAL, "322-8", Syntax(0)),
    (INITIAL, "32288", Syntax(0)),
    (INITIAL, "328", Syntax(0)),
    (INITIAL, "3251", Syntax(0)),
    (INITIAL, "32-28<", Syntax(6)),
    (INITIAL, "32-28<23", Syntax(8)),
    (INITIAL, "32-28<23;24>", Syntax(8)),
    (INITIAL, "32-28<51>", Syntax(6)),
    (INITIAL, "é2-28", Syntax(0)),
    (INITIAL, "32×é", Syntax(3)),
    (INITIAL, "32-27x", Syntax(6)),
    (INITIAL, "32-31", Illegal),
    (INITIAL, "19-23", Illegal),
    (INITIAL, "28-22", Illegal),
    (INITIAL, "32-28x19", Illegal),
    (INITIAL, "32x28<23>", Illegal),
    (INITIAL, "3232", Illegal),
    (INITIAL, "32-32", Illegal),
    (INITIAL, "50-50-50-50", Illegal),
    (KING, "30-25", Illegal),
    (KING, "30x3", Illegal),
    (KING, "30x26<34>", Illegal),
    (KING, "30x26<>", Illegal),
    (KING, "30x39x30x2", Illegal),
    (KING, "30x2x34x22x7x41", Illegal),
    (KING, "30x11x39x2", Illegal),
    (KING, "30x2", Ambiguous(2)),
    (KING, "30-2", Ambiguous(2)),
    (KING, "3002", Ambiguous(2)),
    (KING, "30 : 2 !?", Ambiguous(2)),
    (KING, "30x39x2", Ambiguous(2)),
    ("W:W31:B", "31x26x27", Illegal),
    ("B:W31:B", "31-26", Illegal),
];

#[test]
fn broken_moves() {
    for (fen, text, wrong) in BROKEN_MOVES {
        let position = Position::from_fen(fen).unwrap();
        let error = parse_move(&position, text).expect_err(text);
        match (&error, wrong) {
            (ParseMoveError::Syntax { offset, .. }, Syntax(at)) => {
                assert_eq!(offset, at, "{text:?}: {error}");
                let column = format!("column {}", at + 1);
                assert!(error.to_string().contains(&column), "{error}");
            }
            (ParseMoveError::Illegal { .. }, Illegal) => {}
            (ParseMoveError::Ambiguous { candidates, .. }, Ambiguous(n)) => {
                assert_eq!(candidates.len(), *n, "{text:?}");
            }
            _ => panic!("{text:?}: {error:?}"),
        }
    }
    let long = "1x".repeat(1000) + "1";
    assert!(matches!(
        parse_move(&Position::initial(), &long),
        Err(ParseMoveError::Syntax { offset: 128, .. })
    ));
}

#[test]
fn broken_move_lists() {
    for (text, line, column, before) in [
        ("x", 1, 1, 0),
        ("32-28 x", 1, 7, 1),
        ("1. 32-28 2. 33-29", 1, 13, 1),
        ("1. 32-28 19-23 2.\n28x19 14x24", 2, 7, 3),
        ("32-28,19-25", 1, 7, 1),
        ("32-28 (19-23)", 1, 7, 1),
        ("32-28 {a} 19-23", 1, 7, 1),
        ("32-28 19-23 2-0", 1, 13, 2),
        ("32-28 19-23 *", 1, 13, 2),
        ("32-28\n\n  --", 3, 3, 1),
        ("3228 1923 281", 1, 11, 2),
    ] {
        let error = parse_move_list(&Position::initial(), text).expect_err(text);
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
        assert_eq!(error.moves.len(), before, "{text:?}");
    }
}

#[test]
fn broken_dxp_moves() {
    for (text, at) in [
        ("", 0),
        ("R0012061100", 0),
        ("M", 1),
        ("M00a2061100", 1),
        ("M 012061100", 1),
        ("M00120011", 5),
        ("M0012065100", 7),
        ("M0012061", 7),
        ("M001206110", 9),
        ("M0012061121", 11),
        ("M00120611011", 12),
        ("M0012061102124", 14),
        ("M001206110251", 13),
        ("M001206110112 ", 13),
        ("M00120611021212", 13),
    ] {
        match text.parse::<MoveMessage>() {
            Err(ParseMoveError::Syntax { offset, .. }) => assert_eq!(offset, at, "{text:?}"),
            other => panic!("{text:?}: {other:?}"),
        }
    }
}

/// Text, the start of the `Debug` form of its first warning, line, column, moves that stay.
const PDN: &[(&str, &str, u64, u64, usize)] = &[
    ("1. 32-28 19-25 *", "Move(Illegal", 1, 10, 1),
    ("1. 32-28\n\n   19-25", "Move(Illegal", 3, 4, 1),
    ("1. 31-26 16-21 2. 26x17 *", "Move(Illegal", 1, 19, 2),
    ("[FEN \"B:W31:B1\"]\r\n1. 31-26 *", "Move(Illegal", 2, 4, 0),
    ("hello 1. 32-28 *", "TextSkipped(\"hello\")", 1, 1, 1),
    ("<html> 1. 32-28 *", "TextSkipped(\"<html>\")", 1, 1, 1),
    ("] 1. 32-28 *", "TextSkipped(\"]\")", 1, 1, 1),
    ("\"quoted\" 1. 32-28 *", "TextSkipped", 1, 1, 1),
    ("[1] 1. 32-28 *", "TextSkipped(\"[1\")", 1, 1, 1),
    ("1. 32-28 what *", "Unreadable(\"what\")", 1, 10, 1),
    ("1. 32-28 19-51 *", "Move(Syntax", 1, 10, 1),
    ("1. 32-28 0-23 *", "Move(Syntax", 1, 10, 1),
    ("1. 32-28 1e5 *", "Move(Syntax", 1, 10, 1),
    ("1. 32-28 77 *", "Unreadable(\"77\")", 1, 10, 1),
    ("1. 32-28 12345 *", "Unreadable(\"12345\")", 1, 10, 1),
    ("1. 32-28 $x *", "Unreadable(\"$x\")", 1, 10, 1),
    ("1. 32-28 $99999999999 *", "Unreadable(\"$99999999999\")", 1, 10, 1),
    ("1. 32-28 /FEX/ *", "Unreadable(\"/FEX/\")", 1, 10, 1),
    ("1. 32-28 /FEN W/ *", "Unreadable(\"/FEN\")", 1, 10, 1),
    ("1. 32-28 < 19-23 *", "Unreadable(\"<\")", 1, 10, 2),
    ("1. 32-28 + *", "Unreadable(\"+\")", 1, 10, 1),
    ("1. 32-28 ½ *", "Unreadable(\"½\")", 1, 10, 1),
    ("1. 32-28 - *", "Unreadable(\"-\")", 1, 10, 1),
    ("1. 32-28 ] *", "Unreadable(\"]\")", 1, 10, 1),
    ("1. 32-28 [ *", "Unreadable(\"[\")", 1, 10, 1),
    ("1. 32-28 \\ *", "Unreadable(\"\\\\\")", 1, 10, 1),
    ("1. 32-28 é *", "Unreadable(\"é\")", 1, 10, 1),
    ("1. 32-28 -- 19-23 *", "NullMove(\"--\")", 1, 10, 1),
    ("1. 32-28 - - *", "NullMove(\"--\")", 1, 10, 1),
    ("1. 32-28 – – *", "NullMove(\"--\")", 1, 10, 1),
    ("-- *", "NullMove(\"--\")", 1, 1, 0),
    ("1. 32-28 } *", "StrayBrace", 1, 10, 1),
    ("1. 32-28 ) *", "StrayParenthesis", 1, 10, 1),
    ("1. 32-28 { a", "UnfinishedComment", 1, 10, 1),
    ("1. 32-28 { a { b } 19-23", "UnfinishedComment", 1, 10, 1),
    ("1. 32-28 { a\n[Event \"x\"]\n*", "UnfinishedComment", 1, 10, 1),
    ("1. 32-28 (1. 31-27", "UnfinishedVariation", 1, 19, 1),
    ("1. 32-28 (1. 31-27\n[Event \"x\"]", "UnfinishedVariation", 2, 12, 1),
    ("1. 32-28 (1. 32-29) *", "Move(Illegal", 1, 14, 1),
    ("1. 32-28 (1. 31-27 19-25) *", "Move(Illegal", 1, 20, 1),
    ("1. 32-28 (better) *", "Unreadable(\"better\")", 1, 11, 1),
    ("1. 32-28 (1. 31-27 --) *", "NullMove", 1, 20, 1),
    ("[Event \"x] 1. 32-28\n\n1. 33-28 *", "UnfinishedTag", 1, 1, 1),
    ("[Event \"x]\n1. 33-28 *", "UnfinishedTag", 1, 1, 1),
    ("[Event \"x\"\n1. 33-28 *", "UnfinishedTag", 1, 1, 1),
    ("[Event\n1. 33-28 *", "UnfinishedTag", 1, 1, 1),
    ("[Event x\n1. 33-28 *", "UnfinishedTag", 1, 1, 1),
    ("[Event \"x", "UnfinishedTag", 1, 1, 0),
    ("[FEN \"W:W31:Q1\"]\n1. 31-27 *", "BadFen(ParseFenError { kind: UnknownColor('Q')", 1, 1, 0),
    ("\n [FEN \"W::\"] *", "BadFen(ParseFenError { kind: EmptyBoard", 2, 2, 0),
    ("[FEN \"W:W5:B1\"] *", "BadFen(ParseFenError { kind: ManOnPromotionRow", 1, 1, 0),
    ("[FEN \"?:W31:B1\"]\n1. 31-27 *", "Fen(UnknownTurn)", 1, 1, 1),
    ("1. 32-28 /FEN \"W:W31:W32\"/ 31-27", "BadSetUp(ParseFenError { kind: Repeated", 1, 10, 1),
    ("1. 32-28 /FEN \"\"/", "BadSetUp(ParseFenError { kind: Empty", 1, 10, 1),
    ("[Result \"won\"] 1. 32-28 2-0", "BadResult(\"won\")", 1, 1, 1),
    ("[Result \"2-0\"]\n1. 32-28 1-1", "ResultMismatch { tag: WhiteWins, end: Draw }", 2, 10, 1),
    ("[GameType \"int\"] 1. 32-28 *", "BadGameType(\"int\")", 1, 1, 1),
    ("[FEN \"W:WK30:B7,21,22,34,41\"]\n 1. 30x2 *", "AmbiguousMove(Ambiguous", 2, 5, 1),
    ("[FEN \"W:WK30:B7,21,22,34,41\"]\n 1. 30x39 *", "Move(Illegal", 2, 5, 0),
    ("[FEN \"W:W27:B22,12\"]\n1. 27x18 *", "PartialCapture", 2, 4, 1),
    ("[FEN \"W:W31:B\"] 1. 31-27 16-21 *", "Move(Illegal", 1, 26, 1),
];

#[test]
fn broken_games() {
    let mut wrong = Vec::new();
    for &(text, kind, line, column, plies) in PDN {
        let mut reader = PdnReader::new(text.as_bytes());
        let Some(game) = reader.next() else { panic!("{text:?}: no game") };
        let game = game.unwrap();
        let found = game
            .warnings
            .first()
            .map_or_else(String::new, |w| format!("{:?} at {}:{}", w.kind, w.line, w.column));
        let place = format!(" at {line}:{column}");
        if !found.starts_with(kind) || !found.ends_with(&place) || game.line.plies.len() != plies {
            wrong.push(format!("{text:?}: {found}, {} plies", game.line.plies.len()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// One broken game before and after a good one.
#[test]
fn a_broken_game_does_not_stop_the_rest() {
    for &(text, ..) in PDN {
        let file = format!(
            "[Event \"first\"]\n1. 34-30 20-25 *\n\n{text}\n\n[Event \"last\"]\n1. 32-28 19-23 1-1\n"
        );
        let games: Vec<_> = PdnReader::new(file.as_bytes()).map(Result::unwrap).collect();
        let last = games.last().unwrap();
        assert_eq!(last.tags.get("Event"), Some("last"), "{text:?}");
        assert_eq!(last.line.plies.len(), 2, "{text:?}");
        assert_eq!(games[0].line.plies.len(), 2, "{text:?}");
    }
}

#[test]
fn there_are_enough_cases() {
    let cases =
        FEN.len() + HUB_POSITION.len() + DXP_POSITION.len() + BROKEN_MOVES.len() + PDN.len();
    assert!(cases > 200, "{cases}");
}
