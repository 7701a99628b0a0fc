//! The generator against a solver that shares only the move generator with it.

use movegen::Color;

use super::store::{Code, DRAW, Solved};
use super::*;
use crate::index::unrank;
use crate::value::Wld;

#[path = "../../tests/it/support/solver.rs"]
mod solver;

/// Solves a slice in memory.
fn solve_slice(solved: &Solved, slice: Slice, wanted: Wanted) -> Store {
    let mut store = Store::new(&men::all_sets(), slice, wanted.dtw);
    for level in (0..store.levels.len()).rev() {
        let done = solve_level(&store, solved, level, wanted, &|_| true).unwrap();
        store.solved[level] = Arc::new(done);
    }
    store
}

fn build(pieces: u8, wanted: Wanted) -> Solved {
    let mut solved = Solved::new();
    for pieces in 2..=pieces {
        for slice in build_order(pieces) {
            let store = solve_slice(&solved, slice, wanted);
            solved.insert(Arc::new(store));
        }
    }
    solved
}

fn wld(code: Code) -> Wld {
    match code {
        DRAW => Wld::Draw,
        odd if odd & 1 != 0 => Wld::Win,
        _ => Wld::Loss,
    }
}

fn compare(pieces: u8, wanted: Wanted) {
    let expected = solver::Solution::solve(pieces);
    let solved = build(pieces, wanted);
    for slice in expected.slices() {
        let store = solved.get(slice).unwrap();
        for side in Color::ALL {
            if !slice.is_stored(side) {
                continue;
            }
            for (index, entry) in expected.table(slice, side).iter().enumerate() {
                let board = unrank(slice, index as u64).unwrap();
                let code = store.value(&board, side);
                assert_eq!(wld(code), entry.wld, "{slice} {side} {board:?}");
                if wanted.dtw && code != DRAW {
                    assert_eq!(u16::from(code), entry.dtw, "{slice} {side} {board:?}");
                }
            }
        }
    }
}

#[test]
fn values_are_those_of_the_slow_solver() {
    compare(3, Wanted { dtw: false, mtc: false });
}

#[test]
fn distances_are_those_of_the_slow_solver() {
    compare(3, Wanted { dtw: true, mtc: true });
}
