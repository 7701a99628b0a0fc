//! What several test files need.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod mailbox;
pub mod random;

use movegen::{Move, Position, Square};

/// The position of a FEN that is known to be good.
pub fn fen(text: &str) -> Position {
    use movegen::{Bitboard, Color, Setup};
    let (side, rest) = text.split_once(':').unwrap();
    let mut setup = Setup::empty(if side == "W" { Color::White } else { Color::Black });
    for list in rest.split(':') {
        let color = if list.starts_with('W') { 1 } else { 0 };
        for item in list[1..].split(',').filter(|item| !item.is_empty()) {
            let (king, item) = item.strip_prefix('K').map_or((false, item), |rest| (true, rest));
            let (first, last) = item.split_once('-').unwrap_or((item, item));
            let numbers = first.parse::<u8>().unwrap()..=last.parse().unwrap();
            let squares: Bitboard = numbers.map(|n| Square::new(n).unwrap()).collect();
            let set = if king { &mut setup.kings } else { &mut setup.men };
            set[color] |= squares;
        }
    }
    setup.position().unwrap()
}

/// The square with this number.
pub fn square(number: u8) -> Square {
    Square::new(number).unwrap()
}

/// The legal move that `Display` writes like this.
pub fn mv(position: &Position, text: &str) -> Move {
    let moves = position.legal_moves();
    let found = moves.iter().find(|mv| mv.to_string() == text);
    *found.unwrap_or_else(|| panic!("{text} is not legal in {position:?}: {moves:?}"))
}
