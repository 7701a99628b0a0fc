//! Reproducible random numbers and positions.

pub use movegen::random::Random;
use movegen::{Color, Kind, Piece, Position, Setup, Square};

/// True in `percent` of a hundred cases.
pub fn percent(random: &mut Random, percent: usize) -> bool {
    random.below(100) < percent
}

/// A position with these numbers of pieces on random squares, `kings` percent of each kings; men
/// that fall on their promotion row are crowned.
pub fn sprinkled(random: &mut Random, pieces: [usize; 2], kings: [usize; 2]) -> Position {
    let mut free: Vec<Square> = Square::all().collect();
    let mut setup = Setup::empty(Color::ALL[random.below(2)]);
    for color in Color::ALL {
        for _ in 0..pieces[color.index()] {
            let square = free.swap_remove(random.below(free.len()));
            let crowned = percent(random, kings[color.index()]);
            let kind = if crowned { Kind::King } else { Kind::Man };
            setup.put(Piece { color, kind }, square);
        }
    }
    setup.promote_stranded_men();
    setup.position().unwrap()
}

/// White kings among black pieces away from the edge that do not touch each other; fewer than asked
/// for if they do not fit.
pub fn scattered(random: &mut Random, kings: usize, enemies: usize) -> Position {
    let inner = |s: &Square| (1..9).contains(&s.row()) && (1..9).contains(&s.column());
    let mut free: Vec<Square> = Square::all().filter(inner).collect();
    let mut setup = Setup::empty(Color::White);
    for _ in 0..enemies {
        if free.is_empty() {
            break;
        }
        let square = free.swap_remove(random.below(free.len()));
        let kind = if percent(random, 20) { Kind::King } else { Kind::Man };
        setup.put(Piece { color: Color::Black, kind }, square);
        free.retain(|s| {
            s.row().abs_diff(square.row()) != 1 || s.column().abs_diff(square.column()) != 1
        });
    }
    let mut empty: Vec<Square> = Square::all().filter(|&s| !setup.occupied().contains(s)).collect();
    for _ in 0..kings {
        let square = empty.swap_remove(random.below(empty.len()));
        setup.put(Piece { color: Color::White, kind: Kind::King }, square);
    }
    setup.position().unwrap()
}
