//! Databases written from a [`Solution`].

use std::path::Path;

use egdb::SubId;
use egdb::codec::DONT_CARE;
use egdb::probe::MTC_ROUNDING;
use egdb::{DbType, Slice, Wld};
use egdb_build::encode::{DatabaseWriter, Written};
use movegen::Color;

use super::solver::{Solution, Solved};

/// The number to store for a position.
pub fn stored(db_type: DbType, entry: Solved) -> u16 {
    match (db_type, entry.wld) {
        _ if entry.has_capture => DONT_CARE,
        (DbType::Mtc | DbType::Dtw | DbType::Rules, Wld::Draw) => DONT_CARE,
        (DbType::Mtc, _) => MTC_ROUNDING.stored(entry.mtc),
        // Of values under the draw rules only the coding is tested here.
        (DbType::Dtw | DbType::Rules, _) => entry.dtw / 2,
        (_, Wld::Win) => 1,
        (_, Wld::Loss) => 2,
        (_, Wld::Draw) => 3,
    }
}

/// Writes all files of a database. `keep` says which (slice, side to move) to store.
pub fn write(
    dir: &Path,
    db_type: DbType,
    solution: &Solution,
    keep: impl Fn(Slice, Color) -> bool,
) -> Vec<Written> {
    write_altered(dir, db_type, solution, keep, |_, _, value| value)
}

/// As [`write()`]; `alter` may change values before they are stored.
pub fn write_altered(
    dir: &Path,
    db_type: DbType,
    solution: &Solution,
    keep: impl Fn(Slice, Color) -> bool,
    alter: impl Fn(SubId, u64, u16) -> u16 + Copy,
) -> Vec<Written> {
    let mut written = Vec::new();
    let slices = solution.slices();
    let max_pieces = slices.iter().map(|s| s.pieces()).max().unwrap();
    for pieces in 2..=max_pieces {
        for (stem, members) in db_type.file_stems(pieces) {
            let members = members.into_iter().filter(|slice| slices.contains(slice));
            let subs: Vec<SubId> = members
                .flat_map(|slice| slice.stored_sides().iter().map(move |&side| (slice, side)))
                .filter(|&(slice, side)| keep(slice, side))
                .map(|(slice, side)| SubId { slice, sub: 0, side })
                .collect();
            let mut sources = subs.into_iter().map(|id| {
                let table = solution.table(id.slice, id.side);
                let source = move |start: u64, out: &mut [u16]| {
                    for (index, value) in (start..).zip(out) {
                        *value = alter(id, index, stored(db_type, table[index as usize]));
                    }
                };
                (id, source)
            });
            let mut writer = DatabaseWriter::create(dir, db_type, &stem).unwrap();
            sources.try_for_each(|(id, mut source)| writer.add(id, &mut source)).unwrap();
            let files = writer.finish().unwrap();
            written.extend(files);
        }
    }
    written
}
