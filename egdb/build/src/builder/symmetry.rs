//! The rows of kings alone, of which a quarter is enough ([`egdb::symmetry`]).

use std::sync::OnceLock;

use movegen::geometry::{SQUARES, bits};

use egdb::index::rank_squares;
use egdb::symmetry::Turn;

/// The sets of some number of squares, one of each class under the symmetries.
#[derive(Debug)]
pub(super) struct Orbits {
    /// By rank of a set: the number of the set that stands for it.
    numbers: Vec<u32>,
    /// By rank of a set: a bit for each symmetry that leads to the one that stands for it.
    turns: Vec<u8>,
    /// The sets that stand for others.
    sets: Vec<u64>,
}

impl Orbits {
    /// For sets of a given number of squares, up to 5.
    pub(super) fn of(count: u8) -> &'static Orbits {
        static ALL: [OnceLock<Orbits>; 6] = [const { OnceLock::new() }; 6];
        ALL[usize::from(count.min(5))].get_or_init(|| Orbits::new(count.min(5)))
    }

    fn new(count: u8) -> Orbits {
        let mut orbits = Orbits { numbers: Vec::new(), turns: Vec::new(), sets: Vec::new() };
        let mut all = Vec::new();
        subsets(SQUARES, count.into(), &mut |set| all.push(set));
        for (rank, &set) in all.iter().enumerate() {
            let images = Turn::ALL.map(|turn| rank_squares(turn.apply(set)) as usize);
            let first = images.into_iter().min().unwrap_or(rank);
            let leads = Turn::ALL.into_iter().zip(images).filter(|(_, image)| *image == first);
            orbits.turns.push(leads.fold(0, |bits, (turn, _)| bits | 1 << turn.number()));
            if first == rank {
                orbits.numbers.push(orbits.sets.len() as u32);
                orbits.sets.push(set);
            } else {
                orbits.numbers.push(orbits.numbers[first]);
            }
        }
        orbits
    }

    /// The sets that stand for others, by number.
    pub(super) fn sets(&self) -> &[u64] {
        &self.sets
    }

    /// The number of the set that stands for the one with this rank, and a symmetry that leads
    /// there: none if it is the same.
    #[inline(always)]
    pub(super) fn place(&self, rank: usize) -> (usize, Turn) {
        (self.numbers[rank] as usize, Turn::ALL[self.turns[rank].trailing_zeros() as usize & 3])
    }

    /// As [`Orbits::place`], all symmetries that lead there.
    #[inline(always)]
    pub(super) fn places(&self, rank: usize) -> (usize, impl Iterator<Item = Turn> + use<>) {
        let turns = self.turns[rank];
        let turns = Turn::ALL.into_iter().filter(move |turn| turns >> turn.number() & 1 != 0);
        (self.numbers[rank] as usize, turns)
    }
}

/// The subsets with `count` members in order of their rank.
pub(super) fn subsets(free: u64, count: u32, visit: &mut dyn FnMut(u64)) {
    if count == 0 {
        visit(0);
        return;
    }
    // By greatest member, then the rest below it.
    for top in bits(free) {
        let below = free & (top - 1);
        if below.count_ones() + 1 >= count {
            subsets(below, count - 1, &mut |set| visit(set | top));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orbits_cover_everything() {
        for count in 0..4 {
            let orbits = Orbits::of(count);
            let mut all = 0;
            subsets(SQUARES, count.into(), &mut |set| {
                let rank = rank_squares(set) as usize;
                let (number, turns) = orbits.places(rank);
                let turns: Vec<Turn> = turns.collect();
                assert_eq!(orbits.place(rank), (number, turns[0]));
                assert!(turns.iter().all(|turn| turn.apply(set) == orbits.sets[number]));
                if orbits.sets[number] == set {
                    assert_eq!(turns[0], Turn::NONE);
                    // One for each image.
                    all += 4 / turns.len();
                }
            });
            assert_eq!(all, orbits.numbers.len(), "{count}");
        }
    }
}
