//! The generator against a solver that shares only the move generator with it.

use movegen::{Color, Variant, Wld};

use super::chunks::Near;
use super::store::{Code, DRAW, Solved};
use super::unit::solve_unit;
use super::*;
use egdb::index::unrank;

#[path = "../../tests/it/support/solver.rs"]
mod solver;

/// Solves a slice in memory.
fn solve_slice(solved: &Solved, slice: Slice, metrics: DistanceKinds) -> ValueStore {
    let variant = Variant::International;
    let mut store = ValueStore::new(&men::all_sets(), slice, metrics);
    for unit in (0..store.units.len()).rev() {
        let done = solve_unit(variant, &store, solved, unit, metrics, &|_| true).unwrap();
        store.solved[unit] = Arc::new(done);
    }
    store
}

fn build(pieces: u8, metrics: DistanceKinds) -> Solved {
    let mut solved = Solved::new();
    for pieces in 2..=pieces {
        for slice in build_order(pieces) {
            let store = solve_slice(&solved, slice, metrics);
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

fn compare(pieces: u8, metrics: DistanceKinds) {
    let expected = solver::Solution::solve(pieces);
    let solved = build(pieces, metrics);
    let mut near = Near::default();
    for slice in expected.slices() {
        let store = solved.get(slice).unwrap();
        for side in Color::ALL {
            if !slice.is_stored(side) {
                continue;
            }
            for (index, entry) in expected.table(slice, side).iter().enumerate() {
                let board = unrank(slice, index as u64).unwrap();
                let code = store.value(&board, side, &mut near);
                assert_eq!(wld(code), entry.wld, "{slice} {side} {board:?}");
                if metrics.dtw && code != DRAW {
                    assert_eq!(u16::from(code), entry.dtw, "{slice} {side} {board:?}");
                }
            }
        }
    }
}

#[test]
fn values_are_those_of_the_slow_solver() {
    compare(3, DistanceKinds::NONE);
}

#[test]
fn distances_are_those_of_the_slow_solver() {
    compare(3, DistanceKinds { dtw: true, mtc: true, rules: false });
}

const SETS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

/// A slice is solved with the memory that [`Needs`] gives, and refused with a byte less; with the
/// greater amount no file is mapped. The results are the same.
#[test]
fn the_plan_asks_for_what_the_builder_takes() {
    for ((mtc, dtw), threads) in SETS.into_iter().zip([1, 2, 1, 3]) {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let types = [(true, DbType::Wld2), (mtc, DbType::Mtc), (dtw, DbType::Dtw)];
        let types: Vec<DbType> = types.into_iter().filter(|t| t.0).map(|t| t.1).collect();
        let needs = Needs::new(&types, threads);
        for slice in (2..=3).flat_map(build_order) {
            let build = |dir: &tempfile::TempDir, memory| {
                let types = types.clone();
                let options = BuildOptions {
                    types,
                    threads,
                    memory,
                    resume: true,
                    keep_work: true,
                    ..BuildOptions::default()
                };
                Builder::new(dir.path(), &options, &|_| true)?.build_slice(slice)
            };
            let (least, memory) = needs.memory(slice);
            let refused = build(&dirs[0], least - 1);
            assert!(
                matches!(refused, Err(BuildError::Memory { needed, .. }) if needed == least),
                "{slice}: {refused:?}"
            );
            build(&dirs[0], least).unwrap();
            build(&dirs[1], memory).unwrap();
            let file = |dir: &tempfile::TempDir| {
                fs::read(raw::path(&dir.path().join("work"), slice)).unwrap()
            };
            assert!(file(&dirs[0]) == file(&dirs[1]), "{slice}");
        }
    }
}
