//! Random positions for tests.

use movegen::random::Random;
use movegen::{Color, Kind, Piece, Position, Setup, Square};

/// Positions of every kind: reached by random play, scattered pieces with few or many kings.
pub(crate) fn random_positions(count: usize, seed: u64) -> impl Iterator<Item = Position> {
    let mut random = Random::new(seed);
    (0..count).map(move |i| if i % 2 == 0 { played(&mut random) } else { scattered(&mut random) })
}

/// Reached from the initial position by random moves.
pub(crate) fn played(random: &mut Random) -> Position {
    let mut position = Position::initial();
    for _ in 0..random.below(90) {
        let mut moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        // Independent of the generator's order: the positions of a seed stay the same.
        moves.sort_unstable();
        position = position.after(moves[random.below(moves.len())]);
    }
    position
}

/// Up to 20 pieces a side anywhere.
pub(crate) fn scattered(random: &mut Random) -> Position {
    loop {
        let mut setup = Setup::empty(Color::ALL[random.below(2)]);
        let king_percent = [0, 10, 40, 100][random.below(4)];
        for color in Color::ALL {
            for _ in 0..random.below(21) {
                let square = Square::new(1 + random.below(50) as u8).expect("1..=50");
                let king = random.below(100) < king_percent;
                let kind = if king { Kind::King } else { Kind::Man };
                if !setup.occupied().contains(square) {
                    setup.put(Piece { color, kind }, square);
                }
            }
        }
        setup.promote_stranded_men();
        if let Ok(position) = setup.position() {
            return position;
        }
    }
}
