//! The FEN dialects of `docs/protocols.md`, each alone and inside a tag.

use movegen::notation::{FenErrorKind, FenWarning, StrandedMen};
use movegen::{Color, Fen, Kind, Position, PositionError, Square};

const INITIAL: &str = "W:W31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50:\
                       B1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20";

/// Text as found, and the strict form it stands for.
const DIALECTS: &[(&str, &str)] = &[
    ("W:W31-50:B1-20", INITIAL),
    ("B:WK1-5,30:B46", "B:WK1,K2,K3,K4,K5,30:B46"),
    ("B:WK1-5,30:BK46", "B:WK1,K2,K3,K4,K5,30:BK46"),
    ("B:WK1-K5,30:B45", "B:WK1,K2,K3,K4,K5,30:B45"),
    ("W:B1-20:W31-50", INITIAL),
    ("W:W17,28:B10,18-20.", "W:W17,28:B10,18,19,20"),
    ("W:W17,28:B10,18-20. 1. 28-22", "W:W17,28:B10,18,19,20"),
    ("W:W27.:B12.", "W:W27:B12"),
    ("W:W27. : B12. ", "W:W27:B12"),
    ("W:W27.:B12.:H3", "W:W27:B12"),
    ("W: W 31, 32 : B 1, 2", "W:W31,32:B1,2"),
    ("W\t:\nW31\r\n,32:\u{a0}B1,2", "W:W31,32:B1,2"),
    ("w:wk5,7:bk46", "W:WK5,7:BK46"),
    ("B:W30:B", "B:W30:B"),
    ("B:W30", "B:W30:B"),
    ("B:B30", "B:W:B30"),
    ("W::", "W:W:B"),
    ("B::", "B:W:B"),
    ("W:W:B", "W:W:B"),
    ("W::B1", "W:W:B1"),
    ("W:W31 32;33:B1", "W:W31,32,33:B1"),
    ("W:W09,05:B01", "W:W5,9:B1"),
    ("W:W031,,32,:B,1", "W:W31,32:B1"),
    ("[FEN \"W:W31-50:B1-20\"]", INITIAL),
    ("[fen \"W:W31-50:B1-20\"]\n", INITIAL),
    ("/FEN \"W:W31-50:B1-20\"/", INITIAL),
    ("\"W:W31-50:B1-20\"", INITIAL),
    ("“W:W31-50:B1-20”", INITIAL),
    ("FEN: W:W31-50:B1-20", INITIAL),
    ("{W:W31-50:B1-20.}", INITIAL),
    ("?:W31:B20", "W:W31:B20"),
    ("W:W31:B20:H0:F1", "W:W31:B20"),
    ("W:W31:B20:H12:F34", "W:W31:B20"),
    ("W:W31:B20:+0+0", "W:W31:B20"),
    ("W:W31:B20:H0:F1:+0+0", "W:W31:B20"),
    ("W:WG12,30:B18", "W:W30:B18"),
    ("W:WP12,30:B18,G30", "W:W30:B18"),
    ("Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww", INITIAL),
    ("Wzzzzzzzzzzzzzzzzzzzzeeeeeeeeeewwwwwwwwwwwwwwwwwwww", INITIAL),
    ("ZZeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeW", "B:WK50:BK1"),
    ("BBeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeW", "B:WK50:BK1"),
    ("W:W31,32_:B1", "W:W31,32:B1"),
    ("W%3AW31%2C32%3AB1", "W:W31,32:B1"),
    ("W%3aW31%2c32%3ab1", "W:W31,32:B1"),
    ("\u{feff}W:W31–33:B1", "W:W31,32,33:B1"),
];

#[test]
fn every_dialect_reads_alone_and_in_a_tag() {
    for &(text, strict) in DIALECTS {
        let fen: Fen = text.parse().unwrap_or_else(|e| panic!("{text:?}: {e}"));
        assert_eq!(fen.to_string(), strict, "{text:?}");
        let again: Fen = strict.parse().unwrap();
        assert_eq!(again.setup, fen.setup);
        for tag in [format!("[FEN \"{text}\"]"), format!("  /FEN  \"{text}\"/ ")] {
            let tagged: Fen = tag.parse().unwrap_or_else(|e| panic!("{tag:?}: {e}"));
            assert_eq!(tagged.setup, fen.setup, "{tag:?}");
            assert_eq!(tagged.halfmoves, fen.halfmoves, "{tag:?}");
        }
    }
}

#[test]
fn counters_are_read_and_written_on_request_only() {
    let fen: Fen = "W:WK31:BK20:H12:F34".parse().unwrap();
    assert_eq!((fen.halfmoves, fen.move_number), (Some(12), Some(34)));
    assert_eq!(fen.to_string(), "W:WK31:BK20");
    assert_eq!(fen.to_string_with_counters(), "W:WK31:BK20:H12:F34");
    assert_eq!(fen.to_string_with_counters().parse(), Ok(fen));
}

#[test]
fn warnings_name_what_was_tolerated() {
    let warnings = |text: &str| text.parse::<Fen>().unwrap().warnings;
    assert_eq!(warnings("?:W31:B20"), [FenWarning::UnknownTurn]);
    let square = |n| Square::new(n).unwrap();
    assert_eq!(
        warnings("W:WG12,30:BP18"),
        [
            FenWarning::Ghost { kind: Kind::Man, square: square(12) },
            FenWarning::Ghost { kind: Kind::King, square: square(18) },
        ]
    );
    assert_eq!(warnings("W:W31:B20. White wins"), [FenWarning::TextAfterDot { offset: 11 }]);
    assert!(warnings("W:W31:B20.").is_empty());
    assert_eq!(warnings("W:W31:B20. {1. 31-27}"), [FenWarning::TextAfterDot { offset: 11 }]);
}

/// Text dropped after a dot cannot be part of the position.
#[test]
fn a_dot_takes_no_piece_away() {
    for (text, column) in [
        ("W:WK31.B:K20", 7),
        ("W:W31. B20", 6),
        ("W:W31.32:B1", 6),
        ("W:W31.:B20.21", 11),
        ("W:W31:B20.,21", 10),
        ("W:W31:B20. 21", 10),
        ("W:W31:B20. K21", 10),
        ("W:W31:B18. 19. 20", 10),
        ("W:W31:B20.:Q", 12),
        ("W:W31:B20.:W32", 12),
    ] {
        let error = text.parse::<Fen>().expect_err(text);
        assert_eq!(error.column, column, "{text}: {error}");
    }
}

#[test]
fn stranded_men_are_kept_refused_or_crowned() {
    for text in ["W:W1-5,30:B46,20", "[FEN \"W:W1,2,3,4,5,30:B20,46\"]"] {
        let fen = Fen::parse_with(text, StrandedMen::Promote).unwrap();
        assert_eq!(fen.promoted, 6);
        assert_eq!(fen.to_string(), "W:WK1,K2,K3,K4,K5,30:B20,K46");
        assert!(fen.position().is_ok());

        let fen = Fen::parse_with(text, StrandedMen::Keep).unwrap();
        assert_eq!((fen.promoted, fen.warnings.len()), (0, 6));
        let (color, square) = (Color::Black, Square::new(46).unwrap());
        assert_eq!(fen.position(), Err(PositionError::ManOnPromotionRow { color, square }));
    }
    let hub = "Wweeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeb";
    let fen = Fen::parse_with(hub, StrandedMen::Promote).unwrap();
    assert_eq!((fen.promoted, fen.to_string().as_str()), (2, "W:WK1:BK50"));
    assert_eq!(hub.parse::<Fen>().unwrap().warnings.len(), 2);

    let error = Position::from_fen("W:W9,05:B01").unwrap_err();
    let (color, square) = (Color::White, Square::new(5).unwrap());
    assert_eq!(error.kind, FenErrorKind::ManOnPromotionRow { color, square });
    assert_eq!((error.offset, error.line, error.column), (5, 1, 6));
    assert_eq!(Position::from_fen(hub).unwrap_err().column, 2);
}

#[test]
fn empty_boards_are_set_ups_but_no_positions() {
    let fen: Fen = "B::".parse().unwrap();
    assert_eq!(fen.setup.side, Color::Black);
    assert!(fen.position().is_err());
    assert_eq!(Position::from_fen("B::").unwrap_err().kind, FenErrorKind::EmptyBoard);
}

#[test]
fn the_writer_is_strict() {
    assert_eq!(Position::initial().to_fen(), INITIAL);
    let p = Position::from_fen("B:BK7,3:W50,K1").unwrap();
    assert_eq!(p.to_fen(), "B:WK1,50:B3,K7");
}
