//! The index function against the published vectors, and forth and back.

use egdb::index::{rank, unrank};
use egdb::{DbIndex, Slice};
use movegen::random::Random;
use movegen::{Board, Color};

use crate::support::{fen, table};

const VECTORS: &str = include_str!("../../../../positions/egdb/kingsrow-index-vectors.tsv");
const SIZES: &str = include_str!("../../../../positions/egdb/kingsrow-slice-sizes.tsv");

#[test]
fn vectors() {
    let rows = table(VECTORS);
    assert_eq!(rows.len(), 199);
    for row in rows {
        let place = DbIndex::of(&fen(row[0])).unwrap();
        let side = if row[3] == "b" { Color::Black } else { Color::White };
        let index: u64 = row[4].parse().unwrap();
        assert_eq!(place.reversed, row[1] == "1", "{row:?}");
        assert_eq!(place.slice.to_string(), row[2], "{row:?}");
        assert_eq!((place.side, place.index), (side, index), "{row:?}");
        let sub: u64 = row[5].parse().unwrap();
        let index_32: u64 = row[6].parse().unwrap();
        assert_eq!((index >> 31, index & 0x7fff_ffff), (sub, index_32));
        let hex = |text| u64::from_str_radix(text, 16).unwrap();
        let board = Board { black: hex(row[7]), white: hex(row[8]), kings: hex(row[9]) };
        assert_eq!(unrank(place.slice, index), Some(board), "{row:?}");
    }
}

#[test]
fn slice_sizes() {
    let rows = table(SIZES);
    let mut found = Vec::new();
    for row in &rows {
        let slice: Slice = row[1..5].concat().parse().unwrap();
        assert_eq!(slice.pieces().to_string(), row[0]);
        assert_eq!(slice.size().to_string(), row[5], "{slice}");
        assert_eq!(slice.subslices(1 << 31).to_string(), row[6], "{slice}");
        assert_eq!(slice.subslices(1 << 30).to_string(), row[7], "{slice}");
        let sides: String =
            slice.stored_sides().iter().map(|c| c.letter().to_ascii_lowercase()).collect();
        assert_eq!(sides, row[8], "{slice}");
        found.push(slice);
    }
    let mut all: Vec<Slice> = (2..=9).flat_map(Slice::stored).collect();
    all.sort();
    found.sort();
    assert_eq!(found, all);
    let last = Slice::new(2, 2, 2, 2).unwrap();
    let sum: u64 = (0..last.subslices(1 << 31)).map(|s| last.subslice_size(s, 1 << 31)).sum();
    assert_eq!(sum, last.size());
}

/// Ranks what unrank gives, on random indices of every slice and the ends of its range.
fn forth_and_back(count: u64) {
    let mut random = Random::new(1);
    for slice in (2..=9).flat_map(Slice::stored) {
        let size = slice.size();
        assert_eq!(unrank(slice, size), None);
        let ends = [0, 1, size / 2, size - 2, size - 1];
        let indices = (0..count).map(|_| random.below_u64(size));
        for index in ends.into_iter().chain(indices.collect::<Vec<_>>()) {
            let board = unrank(slice, index).unwrap();
            assert_eq!(Slice::of(&board), Some(slice), "{slice} {index}");
            assert_eq!(rank(slice, &board), index, "{slice}");
            assert!(board.position(Color::Black).is_ok(), "{slice} {index}");
            assert_eq!(board.reversed().reversed(), board);
        }
    }
}

#[test]
fn unranked_positions_rank_back() {
    forth_and_back(3_000);
}

#[test]
#[ignore = "millions of positions: a minute"]
fn unranked_positions_rank_back_millions() {
    forth_and_back(2_000_000);
}

#[test]
fn a_position_and_its_reverse_have_the_same_place() {
    let mut random = Random::new(2);
    for slice in (2..=8).flat_map(Slice::stored) {
        for _ in 0..200 {
            let board = unrank(slice, random.below_u64(slice.size())).unwrap();
            for side in Color::ALL {
                let a = DbIndex::of_board(&board, side).unwrap();
                let b = DbIndex::of_board(&board.reversed(), side.opponent()).unwrap();
                assert_eq!((a.slice, a.side, a.index), (b.slice, b.side, b.index));
                assert_ne!(a.reversed, b.reversed);
                assert!(a.slice.is_stored(a.side));
            }
        }
    }
}
