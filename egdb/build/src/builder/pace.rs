//! How long solving and writing take: processor time of one thread, as measured, and for slices that
//! were not measured as for those with a piece less.

use super::order::after_capture;
use super::store::DistanceKinds;
use super::{Pass, positions};
use egdb::format::DbType;
use egdb::slice::Slice;

/// Picoseconds a position, by slice: of values alone, with distances to the end, to conversion, and
/// under the draw rules. Processor time of one thread of an EPYC with AVX-512, 2026-11-29.
const SOLVING: [(u16, [u32; 4]); 25] = [
    (302, [8_900, 41_600, 9_900, 15_200]),
    (311, [15_200, 82_600, 19_600, 23_700]),
    (320, [20_600, 296_400, 29_100, 40_000]),
    (401, [15_400, 33_200, 17_500, 31_900]),
    (410, [30_500, 154_700, 39_300, 60_100]),
    (1202, [23_000, 141_400, 29_200, 37_600]),
    (1211, [12_700, 137_200, 16_100, 18_700]),
    (1220, [14_700, 95_700, 19_800, 25_500]),
    (1301, [20_300, 139_400, 25_700, 34_700]),
    (1310, [15_700, 106_100, 21_500, 33_300]),
    (2102, [27_000, 121_900, 33_200, 40_600]),
    (2111, [10_800, 61_600, 14_200, 16_300]),
    (2120, [16_800, 67_000, 21_200, 23_400]),
    (2201, [16_000, 74_700, 20_300, 26_200]),
    (2210, [9_200, 78_000, 13_400, 19_600]),
    (3002, [17_100, 109_300, 24_700, 30_300]),
    (3011, [20_200, 70_500, 25_200, 28_100]),
    (3020, [100_700, 168_100, 102_800, 103_200]),
    (3101, [13_500, 72_000, 18_300, 21_900]),
    (3110, [11_300, 49_900, 14_800, 17_700]),
    (4001, [28_200, 78_300, 30_900, 36_300]),
    (4010, [96_400, 146_900, 99_000, 100_600]),
    (303, [64_800, 291_400, 81_000, 110_100]),
    (402, [14_500, 65_300, 18_100, 24_700]),
    (501, [25_300, 114_100, 31_700, 43_100]),
];

/// A piece more: larger slices, and look-ups farther apart in memory.
const PER_PIECE: f64 = 1.6;

/// Threads wait for memory together: two of them are one and a half times as fast as one.
const SHARED: f64 = 1.3;

/// Picoseconds of writing a position, by type.
const fn writing(db_type: DbType) -> f64 {
    match db_type {
        DbType::Compact => 21_700.0,
        DbType::Mtc => 3_000.0,
        DbType::Dtw => 32_000.0,
        DbType::Rules => 57_000.0,
        _ => 28_800.0,
    }
}

/// Picoseconds of solving a position. Where one side to move is stored, both are solved.
fn solving(slice: Slice, kind: usize) -> f64 {
    let (bm, bk) = (slice.black_men(), slice.black_kings());
    let digits = [bm, bk, slice.white_men(), slice.white_kings()];
    let digits = digits.iter().fold(0, |all, &digit| 10 * all + u16::from(digit));
    if let Some((_, measured)) = SOLVING.iter().find(|(of, _)| *of == digits) {
        return f64::from(measured[kind]);
    }
    let sides = |slice: Slice| 2.0 / slice.stored_sides().len() as f64;
    // Where there are no kings all moves are looked up one by one.
    let is_like = |less: &Slice| {
        less.pieces() + 1 == slice.pieces() && (less.kings() == 0) == (slice.kings() == 0)
    };
    let less: Vec<Slice> = after_capture(slice).into_iter().filter(is_like).collect();
    if slice.pieces() <= 5 || less.is_empty() {
        return 20_000.0 * sides(slice);
    }
    let of_one = less.iter().map(|&less| solving(less, kind) / sides(less)).sum::<f64>();
    of_one / less.len() as f64 * PER_PIECE * sides(slice)
}

/// The kind of [`SOLVING`] that a pass is, and another that it does besides.
const fn kinds(metrics: DistanceKinds) -> (usize, Option<usize>) {
    match (metrics.rules, metrics.dtw, metrics.mtc) {
        (true, ..) => (3, None),
        (_, true, true) => (1, Some(2)),
        (_, true, false) => (1, None),
        (_, false, true) => (2, None),
        _ => (0, None),
    }
}

/// Seconds to solve a slice for these types, and to write it.
pub(crate) fn seconds(slice: Slice, types: &[DbType], threads: f64) -> [f64; 2] {
    let passes = Pass::of(types);
    let solved = passes.iter().map(|pass| match kinds(pass.metrics) {
        (kind, None) => solving(slice, kind),
        (kind, Some(other)) => solving(slice, kind) + solving(slice, other) - solving(slice, 0),
    });
    let solved = solved.sum::<f64>() / threads * if threads > 1.0 { SHARED } else { 1.0 };
    // Types are written side by side, most of each by one thread after the other.
    let written = types.iter().map(|&db_type| writing(db_type));
    let written = written.clone().fold(written.sum::<f64>() / threads, f64::max);
    let positions = positions(slice) as f64 * 1e-12;
    [positions * solved, positions * written]
}

/// How often a build of these types solves each slice.
pub(crate) fn passes(types: &[DbType]) -> usize {
    Pass::of(types).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kings_alone_slices_of_men_and_symmetric_ones_differ() {
        let rate = |digits: &str, types: &[DbType]| {
            let slice: Slice = digits.parse().unwrap();
            seconds(slice, types, 1.0)[0] / positions(slice) as f64 * 1e9
        };
        let wld = |digits: &str| rate(digits, &[DbType::Compact]);
        assert!(wld("3020") > 3.0 * wld("3011") && wld("3030") > 3.0 * wld("2130"));
        assert!(wld("0303") > 3.0 * wld("0402"), "one side to move is stored, both are solved");
        // Measured with six pieces, and estimated: within a factor.
        for (digits, nanoseconds) in [("2211", 26.0), ("1221", 26.0), ("4110", 13.0)] {
            assert!((0.4..2.5).contains(&(wld(digits) / nanoseconds)), "{digits} {}", wld(digits));
        }
        let all = [DbType::Compact, DbType::Dtw, DbType::Rules];
        assert!(rate("2111", &all) > 2.0 * wld("2111"));
        let both = [DbType::Compact, DbType::Mtc, DbType::Dtw];
        assert!(rate("1211", &both) > rate("1211", &[DbType::Dtw]));
        assert_eq!(wld("1211"), rate("1211", &[DbType::Wld2, DbType::Compact]));
    }
}
