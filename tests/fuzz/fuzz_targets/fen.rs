//! FEN and the position strings of Hub and DXP.
#![no_main]

use libfuzzer_sys::fuzz_target;
use movegen::notation::{StrandedMen, dxp, hub};
use movegen::{Color, Fen, Position};

fuzz_target!(|text: &str| {
    for stranded in [StrandedMen::Keep, StrandedMen::Refuse, StrandedMen::Promote] {
        match Fen::parse_with(text, stranded) {
            Ok(fen) => {
                let strict = fen.to_string_with_counters();
                let again = Fen::parse_with(&strict, stranded).expect("the strict form reads");
                assert_eq!(again.setup, fen.setup);
                assert_eq!((again.halfmoves, again.move_number), (fen.halfmoves, fen.move_number));
                assert_eq!(again.to_string_with_counters(), strict);
            }
            Err(error) => {
                assert!(text.is_char_boundary(error.offset), "{error:?}");
                assert!(error.line >= 1 && error.column >= 1);
            }
        }
    }
    if let Ok(position) = Position::from_fen(text) {
        assert_eq!(Position::from_fen(&position.to_fen()), Ok(position));
        let letters = hub::format_position(&position);
        assert_eq!(Position::from_fen(&letters), Ok(position));
        if !Color::ALL.iter().any(|&c| position.pieces(c).is_empty()) {
            assert_eq!(hub::parse_position(&letters), Ok(position));
            assert_eq!(dxp::parse_position(&dxp::format_position(&position)), Ok(position));
        }
    }
    let _ = hub::parse_position(text);
    let _ = dxp::parse_position(text);
});
