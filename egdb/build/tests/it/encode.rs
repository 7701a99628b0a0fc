//! Size of version 2 files: the quick choice of dictionary and value map against trying all.

use egdb::SubId;
use egdb::codec::DONT_CARE;
use egdb::codec::runs::RunReader;
use egdb::error::WriteError;
use egdb::{DbType, Slice, Wld};
use egdb_build::encode::wld::{Chooser, Effort};
use egdb_build::encode::{CodedWriter, DatabaseWriter, table, write_pair};
use movegen::Color;
use movegen::random::Random;

use crate::support::solver::{Solution, Solved};
use crate::support::{build, three_pieces};

/// Bytes that the data and the lines of the index file take.
fn size(values: &[u16], effort: Effort) -> usize {
    let mut source = |start: u64, out: &mut [u16]| {
        out.copy_from_slice(&values[start as usize..][..out.len()]);
    };
    let mut reader = RunReader::new(values.len() as u64, 2, &mut source);
    let mut chooser = Chooser::new(effort);
    let (mut bytes, mut blocks) = (Vec::new(), 0);
    loop {
        let before = bytes.len();
        chooser.next_block(&mut reader, 4096, &mut bytes);
        if bytes.len() == before {
            return bytes.len() + 15 * blocks;
        }
        blocks += 1;
    }
}

/// Runs of random length; the greatest length changes every 20,000 values.
fn runs(count: usize, weights: [usize; 3]) -> Vec<u16> {
    let mut random = Random::new(8);
    let mut list = Vec::with_capacity(count);
    while list.len() < count {
        let longest = 1 << ((list.len() / 20_000) % 9);
        let len = 1 + random.below(longest);
        let at = random.below(weights.iter().sum());
        let value = if at < weights[0] { 1 } else { 2 + u16::from(at >= weights[0] + weights[1]) };
        list.resize(count.min(list.len() + len), value);
    }
    list
}

fn samples(count: usize) -> Vec<(&'static str, Vec<u16>)> {
    let mut random = Random::new(3);
    let uniform = (0..count).map(|_| 1 + random.below(3) as u16).collect();
    let one_sided = (0..count).map(|_| if random.below(60) > 0 { 1 } else { 3 }).collect();
    let solution = three_pieces();
    let mut real = Vec::new();
    for slice in solution.slices() {
        for &side in slice.stored_sides() {
            let table = solution.table(slice, side);
            real.extend(table.iter().map(|e| build::stored(DbType::Wld2, *e)));
        }
    }
    vec![
        ("random", uniform),
        ("one-sided", one_sided),
        ("runs", runs(count, [1, 1, 1])),
        ("skewed runs", runs(count, [20, 3, 1])),
        ("real", real),
    ]
}

/// Values that one block covers, and the bytes it takes (less than 4096 only at the end).
fn block(values: &[u16], effort: Effort) -> (u64, usize) {
    let mut source = |start: u64, out: &mut [u16]| {
        out.copy_from_slice(&values[start as usize..][..out.len()]);
    };
    let mut reader = RunReader::new(values.len() as u64, 2, &mut source);
    let mut bytes = Vec::new();
    let block = Chooser::new(effort).next_block(&mut reader, 4096, &mut bytes);
    (block.values, bytes.len())
}

/// Both choices for the same block starts, as what one block covers decides where the next
/// begins.
fn compare(count: usize) {
    for (name, values) in samples(count) {
        let (mut at, mut normal, mut best) = (0, 0.0, 0.0);
        while at < values.len() {
            let (covered, bytes) = block(&values[at..], Effort::Normal);
            let (most, fewest) = block(&values[at..], Effort::Exhaustive);
            normal += bytes as f64;
            best += fewest as f64 * covered as f64 / most as f64;
            at += covered as usize;
        }
        println!(
            "{name}: {:.4} bits per position, {:+.2} % against the exhaustive choice",
            8.0 * size(&values, Effort::Normal) as f64 / values.len() as f64,
            100.0 * (normal / best - 1.0)
        );
        assert!(normal <= best * 1.01, "{name}: {normal} {best}");
    }
}

#[test]
fn within_1_percent_of_the_exhaustive_choice() {
    compare(300_000);
}

#[test]
#[ignore = "a minute"]
fn within_1_percent_of_the_exhaustive_choice_on_more() {
    compare(10_000_000);
}

#[test]
fn positions_that_nobody_asks_for_make_files_smaller() {
    let solution = Solution::solve(2);
    let slice: Slice = "0110".parse().unwrap();
    let table = solution.table(slice, Color::Black);
    let free: Vec<u16> = table.iter().map(|e| build::stored(DbType::Wld2, *e)).collect();
    assert!(free.contains(&DONT_CARE));
    let fixed: Vec<u16> = table
        .iter()
        .map(|e| build::stored(DbType::Wld2, Solved { has_capture: false, ..*e }))
        .collect();
    assert!(table.iter().any(|e| e.wld == Wld::Win));
    assert!(size(&free, Effort::Normal) < size(&fixed, Effort::Normal));
}

/// Values of every kind a type has, as a byte table.
fn byte_table(db_type: DbType, size: usize) -> (Vec<u8>, [u16; 256]) {
    let mut random = Random::new(11);
    let mut bytes = Vec::with_capacity(size);
    while bytes.len() < size {
        let value = random.below(6) as u8;
        let len = 1 + random.below(40);
        bytes.resize(size.min(bytes.len() + len), value);
    }
    let mut map = [DONT_CARE; 256];
    map[..5].copy_from_slice(&match db_type {
        DbType::Mtc => [0, 0, 10, 12, 20],
        DbType::Dtw => [0, 1, 2, 30, 7],
        _ => [1, 1, 2, 3, 3],
    });
    (bytes, map)
}

#[test]
fn files_do_not_depend_on_the_number_of_threads() {
    for db_type in [DbType::Wld2, DbType::Compact, DbType::Dtw, DbType::Mtc] {
        let mut files = Vec::new();
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            files.push(pool.install(|| write_two_slices(db_type)));
        }
        assert!(files[0] == files[1] && files[0] == files[2], "{db_type}");
    }
}

/// The contents of the files.
fn write_two_slices(db_type: DbType) -> [Vec<u8>; 2] {
    let dir = tempfile::tempdir().unwrap();
    let stem = db_type.file_stem("2110".parse().unwrap());
    let ids = ["2110", "1120"].into_iter().map(|name| {
        let slice: Slice = name.parse().unwrap();
        slice.stored_sides().iter().map(move |&side| SubId { slice, sub: 0, side })
    });
    let ids = ids.flatten().map(|id| {
        // Part of a real slice's size would do, but the writers need all of it.
        (id, byte_table(db_type, id.slice.size() as usize))
    });
    let mut writer = DatabaseWriter::create(dir.path(), db_type, &stem).unwrap();
    for (id, (bytes, map)) in ids {
        writer.add(id, &mut table(&bytes, &map)).unwrap();
    }
    let written = writer.finish().unwrap().unwrap();
    let read = |path| std::fs::read(path).unwrap();
    [read(&written.index), read(&written.data)]
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = CodedWriter::create(dir.path(), DbType::Wld2, "db2").unwrap();
    let slice: Slice = "1010".parse().unwrap();
    let (bytes, map) = byte_table(DbType::Wld2, slice.size() as usize);
    let id = SubId { slice, sub: 0, side: Color::Black };
    writer.add(id, &mut table(&bytes, &map)).unwrap();
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
    drop(writer);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn one_side_is_kept_where_version_2_leaves_out_threats() {
    // The side that takes less room, whichever it is; a small slice stands for a large one.
    let inside: Slice = "2110".parse().unwrap();
    let (mixed, map) = byte_table(DbType::Wld2, inside.size() as usize);
    let draws = vec![2; mixed.len()];
    let write = |large: &str, bytes: [&[u8]; 2]| {
        let dir = tempfile::tempdir().unwrap();
        let slice: Slice = large.parse().unwrap();
        let ids = Color::ALL.map(|side| SubId { slice, sub: 0, side });
        let (written, added) = write_pair(dir.path(), DbType::Wld2, "db2", &ids, |writer, id| {
            let bytes = bytes[usize::from(id.side == Color::White)];
            writer.add(SubId { slice: inside, ..id }, &mut table(bytes, &map))?;
            Ok::<_, WriteError>(id.side)
        })
        .unwrap();
        let written = written.unwrap();
        let length = |path| std::fs::metadata(path).unwrap().len();
        assert_eq!([length(&written.index), length(&written.data)], written.bytes);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
        // The same as from a writer that is given nothing else.
        let mut writer = DatabaseWriter::create(dir.path(), DbType::Wld2, "alone").unwrap();
        for &side in &added {
            let bytes = bytes[usize::from(side == Color::White)];
            writer.add(SubId { slice: inside, sub: 0, side }, &mut table(bytes, &map)).unwrap();
        }
        let alone = writer.finish().unwrap().unwrap();
        let read = |path| std::fs::read(path).unwrap();
        assert_eq!(read(&written.index), read(&alone.index));
        assert_eq!(read(&written.data), read(&alone.data));
        added
    };
    assert_eq!(write("0502", [&mixed, &draws]), [Color::White]);
    assert_eq!(write("0502", [&draws, &mixed]), [Color::Black]);
    assert_eq!(write("0502", [&mixed, &mixed]), [Color::Black]);
    // One king in all, six pieces: both.
    assert_eq!(write("3130", [&mixed, &draws]), Color::ALL);
    assert_eq!(write("0402", [&mixed, &draws]), Color::ALL);
}
