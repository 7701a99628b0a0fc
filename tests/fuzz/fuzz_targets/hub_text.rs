//! Positions and moves of Hub, and the moves of DXP.
#![no_main]

use libfuzzer_sys::fuzz_target;
use movegen::Position;
use movegen::notation::dxp::MoveMessage;
use movegen::notation::hub;

fuzz_target!(|text: &str| {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let mut position = hub::parse_position(first).unwrap_or_else(|_| Position::initial());
    for line in lines.take(50) {
        let legal = position.legal_moves();
        for &mv in legal.iter().take(100) {
            assert_eq!(hub::parse_move(&position, &mv.to_string()), Ok(mv));
            let message = MoveMessage::new(mv, 7).to_string();
            let message: MoveMessage = message.parse().expect("our own message reads");
            assert_eq!(message.resolve(&position), Ok(mv));
        }
        if let Ok(message) = line.parse::<MoveMessage>() {
            assert_eq!(message.to_string().parse(), Ok(message));
            assert!(message.resolve(&position).map_or(true, |m| legal.contains(&m)));
        }
        if let Ok(mv) = hub::parse_move(&position, line) {
            assert!(legal.contains(&mv));
            position = position.after(mv);
            assert_eq!(position.key(), position.computed_key());
        }
    }
});
