//! Random endings for tests.

use egdb::{Slice, index};
use movegen::{Color, Position};

use movegen::random::Random;

/// Positions with a legal move of random slices of two to four pieces, either side to move.
pub(super) fn endings(count: usize, seed: u64) -> impl Iterator<Item = Position> {
    let mut random = Random::new(seed);
    let slices: Vec<Slice> = (2..=4).flat_map(Slice::stored).collect();
    std::iter::from_fn(move || {
        loop {
            let slice = slices[random.below(slices.len())];
            let index = random.below_u64(slice.size());
            let side = Color::ALL[random.below(2)];
            let position = index::unrank(slice, index).unwrap().position(side).unwrap();
            if position.has_legal_move() {
                return Some(position);
            }
        }
    })
    .take(count)
}
