//! Databases of up to three pieces, written by our encoders from an independent solution and read
//! back through the probe: every position, captures included.

use std::sync::Arc;

use egdb::index::unrank;
use egdb::probe::MTC_ROUNDING;
use egdb::value::MTC_THRESHOLD;
use egdb::{Backend, Database, DbIndex, DbType, MoveAnswer, OpenOptions, Probe, Slice, Wld};
use movegen::random::Random;
use movegen::{Color, Move, Position};

use crate::support::solver::Solution;
use crate::support::{build, fen, table, three_pieces};

fn all(_: Slice, _: Color) -> bool {
    true
}

fn probe(
    solution: &Solution,
    types: &[DbType],
    keep: impl Fn(Slice, Color) -> bool + Copy,
) -> Probe {
    let mut probe = Probe::new();
    for &db_type in types {
        let dir = tempfile::tempdir().unwrap();
        build::write(dir.path(), db_type, solution, keep);
        for backend in [Backend::MemoryMap, Backend::BlockCache] {
            let options = OpenOptions { backend, cache_mib: 1, ..OpenOptions::default() };
            let database = Database::open(dir.path(), &options).unwrap();
            assert_eq!(database.db_type(), db_type);
            assert!(database.check_blocks(|_, _| true).unwrap().is_empty(), "{db_type}");
            if backend == Backend::MemoryMap {
                probe.add(Arc::new(database));
            }
        }
    }
    probe
}

/// Every position (with either colour to move) of the slices, as they are and turned.
fn for_each_position(solution: &Solution, step: usize, mut visit: impl FnMut(&Position)) {
    for slice in solution.slices() {
        for index in (0..slice.size()).step_by(step) {
            let board = unrank(slice, index).unwrap();
            for side in Color::ALL {
                visit(&board.position(side).unwrap());
            }
        }
    }
}

/// Returns for how many positions without captures a single lookup gave no value.
fn compare_wld(solution: &Solution, probe: &Probe, step: usize) -> usize {
    let mut untold = 0;
    for_each_position(solution, step, |position| {
        let entry = solution.entry(&DbIndex::of(position).unwrap());
        assert_eq!(probe.wld(position).unwrap(), Some(entry.wld), "{position:?}");
        let side = position.side_to_move();
        if position.has_legal_move() && !position.has_capture(side) {
            let quick = probe.wld_quiet(position, true).unwrap();
            assert!(quick.is_none_or(|value| value == entry.wld), "{position:?}");
            untold += usize::from(quick.is_none());
        }
    });
    untold
}

fn compare_distances(solution: &Solution, probe: &Probe, step: usize) {
    for_each_position(solution, step, |position| {
        let entry = solution.entry(&DbIndex::of(position).unwrap());
        let expected = |n: u16| (entry.wld != Wld::Draw).then_some(u32::from(n));
        assert_eq!(probe.dtw(position).unwrap(), expected(entry.dtw), "{position:?}");
        assert_eq!(probe.mtc(position).unwrap(), expected(entry.mtc), "{position:?}");
    });
}

#[test]
fn every_type_of_wld_answers_every_position() {
    for db_type in [DbType::Wld2, DbType::Wld1, DbType::WldRun] {
        let untold = compare_wld(three_pieces(), &probe(three_pieces(), &[db_type], all), 1);
        assert_eq!(untold, 0, "{db_type}");
    }
}

#[test]
fn distances_are_exact() {
    let probe = probe(three_pieces(), &[DbType::Wld2, DbType::Mtc, DbType::Dtw], all);
    compare_distances(three_pieces(), &probe, 11);
}

#[test]
fn a_missing_side_is_found_through_the_moves() {
    // Version 2 may store only one side to move of a slice; distance to win always does.
    let keep = |slice: Slice, side: Color| {
        slice.is_symmetric() || (side == Color::Black) == (slice.black_kings().is_multiple_of(2))
    };
    let probe = probe(three_pieces(), &[DbType::Wld2, DbType::Dtw], keep);
    assert!(compare_wld(three_pieces(), &probe, 3) > 0, "a side is not stored");
    for_each_position(three_pieces(), 17, |position| {
        let entry = three_pieces().entry(&DbIndex::of(position).unwrap());
        let expected = (entry.wld != Wld::Draw).then_some(u32::from(entry.dtw));
        assert_eq!(probe.dtw(position).unwrap(), expected, "{position:?}");
    });
    // No blow-up: a question costs about one lookup for each move.
    let database = &probe.databases()[0];
    let mut random = Random::new(5);
    for slice in three_pieces().slices() {
        for _ in 0..2000 {
            let index = random.below_u64(slice.size());
            let position = unrank(slice, index).unwrap().position(Color::White).unwrap();
            database.reset_stats();
            probe.wld(&position).unwrap();
            let requests = database.stats().requests;
            assert!(requests <= 400, "{requests} lookups for {position:?}");
        }
    }
}

#[test]
fn stored_distances_have_the_parity_of_the_value() {
    // The number in the file and win or loss give the exact distance, for every position.
    for slice in three_pieces().slices() {
        for &side in slice.stored_sides() {
            for entry in three_pieces().table(slice, side) {
                if entry.wld != Wld::Draw {
                    let is_win = entry.wld == Wld::Win;
                    assert_eq!(entry.mtc % 2 == 1, is_win);
                    assert_eq!(entry.dtw % 2 == 1, is_win);
                    if entry.mtc >= MTC_THRESHOLD {
                        let stored = MTC_ROUNDING.stored(entry.mtc);
                        assert_eq!(MTC_ROUNDING.exact(stored, is_win), entry.mtc);
                    }
                }
            }
        }
    }
}

#[test]
fn moves_are_listed_best_first() {
    let probe = probe(three_pieces(), &[DbType::Wld2, DbType::Mtc, DbType::Dtw], all);
    let mut random = Random::new(9);
    for slice in three_pieces().slices() {
        for _ in 0..300 {
            let board = unrank(slice, random.below_u64(slice.size())).unwrap();
            let position = board.position(Color::ALL[random.below(2)]).unwrap();
            let answer = probe.answer(&position).unwrap();
            assert_eq!(answer.moves.len(), position.legal_moves().len());
            let Some(best) = answer.moves.first() else {
                assert_eq!((answer.wld, answer.dtw), (Some(Wld::Loss), Some(0)));
                continue;
            };
            assert_eq!((best.wld, best.dtw), (answer.wld, answer.dtw), "{position:?}");
            let numbers = answer.moves.iter().filter(|m| m.wld == answer.wld).map(|m| m.mtc);
            let expected = if answer.wld == Some(Wld::Win) { numbers.min() } else { numbers.max() };
            assert_eq!(expected, Some(answer.mtc), "{position:?}");
            let kept = |m: &&MoveAnswer| (m.wld, m.mtc) == (answer.wld, answer.mtc);
            let mut expected: Vec<Move> = answer.moves.iter().filter(kept).map(|m| m.mv).collect();
            expected.sort();
            let Some((number, mut moves)) = probe.mtc_moves(&position).unwrap() else {
                assert_eq!(answer.wld, Some(Wld::Draw), "{position:?}");
                continue;
            };
            moves.sort();
            assert_eq!((Some(number), moves), (answer.mtc, expected), "{position:?}");
        }
    }
}

#[test]
fn published_values_and_records_up_to_3_pieces() {
    check_published(three_pieces(), 3, 10 + 6);
}

/// Known values and record distances, against the solution and through the probe.
fn check_published(solution: &Solution, max_pieces: u32, least: usize) {
    let probe = probe(solution, &[DbType::Wld2, DbType::Mtc], all);
    let mut count = 0;
    for row in table(include_str!("../../../../positions/egdb/kingsrow-known-values.tsv")) {
        let position = fen(row[0]);
        if position.piece_count() <= max_pieces {
            let value = probe.wld(&position).unwrap().unwrap();
            assert_eq!(value.to_string(), row[1], "{}", row[0]);
            count += 1;
        }
    }
    let mut records = std::collections::HashMap::new();
    for row in table(include_str!("../../../../positions/egdb/kingsrow-high-mtc.tsv")) {
        let slice: Slice = row[1].parse().unwrap();
        if u32::from(slice.pieces()) > max_pieces {
            continue;
        }
        let side = if row[2] == "b" { Color::Black } else { Color::White };
        let number: u32 = row[3].parse().unwrap();
        assert_eq!(probe.mtc(&fen(row[4])).unwrap(), Some(number), "{}", row[4]);
        records.insert((slice, side), number);
        count += 1;
    }
    for slice in solution.slices() {
        for &side in slice.stored_sides() {
            let entries = solution.table(slice, side).iter();
            let decided = entries.filter(|e| e.wld != Wld::Draw && !e.has_capture);
            let most = decided.map(|e| u32::from(e.mtc)).max().unwrap_or(0);
            let expected = records.get(&(slice, side)).copied();
            assert_eq!(Some(most).filter(|&n| n >= 10), expected, "{slice} {side}");
        }
    }
    assert!(count >= least, "{count}");
}

/// Bits per position of all types, to be read with `--nocapture`.
fn print_sizes(solution: &Solution) {
    for db_type in DbType::ALL {
        let dir = tempfile::tempdir().unwrap();
        for written in build::write(dir.path(), db_type, solution, all) {
            let stem = written.data.file_stem().unwrap().to_string_lossy().into_owned();
            let pieces = stem[2..3].parse().unwrap();
            let positions: u64 =
                Slice::stored(pieces).map(|s| s.size() * s.stored_sides().len() as u64).sum();
            let bytes = written.bytes[0] + written.bytes[1];
            println!("{db_type} {stem}: {:.4} bits", 8.0 * bytes as f64 / positions as f64);
        }
    }
}

#[test]
#[ignore = "solves 42 million positions of 4 pieces: minutes, 2 GB"]
fn four_pieces() {
    let solution = Solution::solve(4);
    check_published(&solution, 4, 46 + 8);
    print_sizes(&solution);
    let probe = probe(&solution, &[DbType::Wld2, DbType::Mtc, DbType::Dtw], all);
    assert_eq!(compare_wld(&solution, &probe, 1), 0);
    compare_distances(&solution, &probe, 1009);
}
