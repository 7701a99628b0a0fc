//! A known client over DXP, as its source has it.

use meerslag_tests::Peer;
use movegen::notation::dxp::MoveMessage;
use movegen::notation::hub;
use movegen::{Color, Game, Move, Position};

use crate::players::{Player, Setup};

/// The squares of a position, as a request has them.
fn squares(text: &str) -> String {
    let hub = hub::format_position(&Position::from_fen(text).unwrap());
    hub.replace('b', "z").replace('B', "Z")
}

/// A move, always with no time used. A capture may come without the captured squares.
fn message(mv: Move, has_squares: bool) -> String {
    let text = MoveMessage::new(mv, 0).to_string();
    if has_squares { text } else { format!("{}00", &text[..9]) }
}

/// GWDGUI proposes each game with its position and whole minutes, at least one, and answers an end
/// with the stop code that came.
#[test]
fn gwdgui() {
    let listening = Player::listen(Setup::default());
    let mut peer = Peer::connect(listening.port);
    for (start, follower, has_squares) in [
        ("W:W31-50:B1-20", 'W', true),
        ("W:W31-50:B1-20", 'Z', true),
        // Black to move; each side captures.
        ("B:W32,33,38,42:B17,18,22,24", 'W', false),
        ("B:W32,33,38,42:B17,18,22,24", 'Z', true),
    ] {
        let board = squares(start);
        let (to_move, board) = board.split_at(1);
        peer.request(follower, &format!("001075B{to_move}{board}"), '0');
        let mut game = Game::new(Position::from_fen(start).unwrap());
        for _ in 0..6 {
            if game.position().legal_moves().is_empty() {
                break;
            }
            let side = if follower == 'W' { Color::White } else { Color::Black };
            let mv = if game.position().side_to_move() == side {
                let text = peer.receive();
                if text.starts_with('E') {
                    break;
                }
                text.parse::<MoveMessage>().expect(&text).resolve(game.position()).expect(&text)
            } else {
                let mv = *game.position().legal_moves().first().unwrap();
                peer.send(&message(mv, has_squares || mv.captured().len() != 1));
                mv
            };
            game.play(mv).expect("legal");
        }
        peer.send("E00");
        // A move may be under way; the echo comes in any case.
        while peer.receive() != "E00" {}
    }
}
