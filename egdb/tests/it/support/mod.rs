//! Helpers that several test files share.

pub mod build;
pub mod known;
pub mod solver;

use movegen::{Color, Kind, Piece, Position, Setup, Square};

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

/// A small random number generator: tests must repeat.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }
}
