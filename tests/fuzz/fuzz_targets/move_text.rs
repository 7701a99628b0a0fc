//! Moves and move lists as people write them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use movegen::Position;
use movegen::notation::{ParseMoveError, format_long, format_move, parse_move, parse_move_list};

fuzz_target!(|text: &str| {
    let (first, rest) = text.split_once('\n').unwrap_or((text, text));
    let start = Position::from_fen(first).unwrap_or_default();
    let mut position = start;
    for line in rest.lines().take(20) {
        let legal = position.legal_moves();
        match parse_move(&position, line) {
            Ok(mv) => {
                assert!(legal.contains(&mv));
                assert_eq!(parse_move(&position, &format_move(&position, mv)), Ok(mv));
                assert_eq!(parse_move(&position, &format_long(&position, mv)), Ok(mv));
                position = position.after(mv);
            }
            Err(ParseMoveError::Ambiguous { candidates, .. }) => {
                assert!(candidates.len() > 1 && candidates.iter().all(|m| legal.contains(m)));
            }
            Err(_) => {}
        }
    }
    let moves = match parse_move_list(&start, rest) {
        Ok(moves) => moves,
        Err(error) => error.moves,
    };
    let mut position = start;
    for mv in moves {
        assert!(position.legal_moves().contains(&mv));
        position = position.after(mv);
    }
});
