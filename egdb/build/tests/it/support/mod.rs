//! Helpers that several test files share.

pub mod build;
pub mod known;
pub mod rules;
pub mod solver;

use std::sync::OnceLock;

use movegen::{Color, Kind, Piece, Position, Setup, Square};

/// All positions of two and three pieces, solved once for all tests.
pub fn three_pieces() -> &'static solver::Solution {
    static SOLUTION: OnceLock<solver::Solution> = OnceLock::new();
    SOLUTION.get_or_init(|| solver::Solution::solve(3))
}

/// A position from the simple FEN of the data files: `B:WK2,31:B13,K26`.
pub fn fen(text: &str) -> Position {
    let mut fields = text.split(':');
    let color = |letter: Option<char>| match letter {
        Some('W') => Color::White,
        Some('B') => Color::Black,
        _ => panic!("{text}"),
    };
    let mut setup = Setup::empty(color(fields.next().unwrap().chars().next()));
    for field in fields {
        let color = color(field.chars().next());
        for piece in field[1..].split(',').filter(|p| !p.is_empty()) {
            let (kind, number) = match piece.strip_prefix('K') {
                Some(number) => (Kind::King, number),
                None => (Kind::Man, piece),
            };
            let square: Square = number.parse().unwrap();
            setup.put(Piece { color, kind }, square);
        }
    }
    setup.position().unwrap()
}

/// The rows of a data file in `positions/egdb`, without comments and heading.
pub fn table(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.skip(1).map(|line| line.split('\t').collect()).collect()
}
