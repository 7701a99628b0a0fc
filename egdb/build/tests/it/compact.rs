//! The compact type: its bytes, a reader made from the description alone, and damage that its
//! checksums do not show.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use egdb::SubId;
use egdb::codec::DONT_CARE;
use egdb::format::compact::Version;
use egdb::identify::crc32;
use egdb::index::unrank;
use egdb::verify::{Authority, FileState};
use egdb::{Backend, Database, DbIndex, DbType, OpenOptions, Probe, Slice};
use egdb_build::convert::{ConvertError, ConvertOptions, Target, convert};
use egdb_build::encode::DatabaseWriter;
use egdb_build::encode::compact::CompactWriter;
use movegen::random::Random;
use movegen::{Board, Color, Square};

use crate::embedded::{built_as, compact as all, converted};

/// Whether a position has a value in the files.
fn is_stored(board: &Board) -> bool {
    Color::ALL.iter().all(|&side| !board.has_capture(side))
}

// ---------------------------------------------------------------------------------------------
// A reader as simple as can be. It shares no code with the library.

struct Simple {
    /// Decoded values by number, and the order of groups and squares.
    values: Vec<u8>,
    numbering: usize,
    /// Of positions that symmetries connect only the first has a value.
    is_folded: bool,
}

impl Simple {
    fn number(&self, board: &Board) -> usize {
        let first = if self.is_folded { simple_image(board) } else { *board };
        simple_number(&first, self.numbering)
    }
}

/// The first of the positions of kings alone that the symmetries connect, by rows and columns.
fn simple_image(board: &Board) -> Board {
    let image = |set: u64, transposed: bool, turned: bool| {
        let on = Square::all().filter(|square| set >> square.bit() & 1 != 0);
        on.fold(0u64, |all, square| {
            let s = i32::from(square.number()) - 1;
            let (row, column) = (s / 5, 2 * (s % 5) + (s / 5 + 1) % 2);
            let (row, column) = if transposed { (column, row) } else { (row, column) };
            let s = 5 * row + (column - (row + 1) % 2) / 2;
            let number = 1 + if turned { 49 - s } else { s } as u8;
            all | 1 << Square::new(number).unwrap().bit()
        })
    };
    let images = [(false, false), (true, false), (false, true), (true, true)]
        .map(|(a, b)| (image(board.black, a, b), image(board.white, a, b)));
    let (black, white) = images.into_iter().min().unwrap();
    Board { black, white, kings: black | white }
}

fn number(bytes: &[u8], at: usize, len: usize) -> usize {
    bytes[at..at + len].iter().rev().fold(0, |n, &b| n << 8 | usize::from(b))
}

fn choose(n: usize, k: usize) -> usize {
    (0..k).fold(1, |c, i| c * (n - i) / (i + 1))
}

/// The sub-databases of a pair of files; a constant one has a single value.
fn read_simply(index: &[u8], data: &[u8]) -> HashMap<(String, Color), Simple> {
    assert_eq!(&index[..7], b"mlegdb\x00");
    let is_single = index[7] == 3;
    let width = match index[7] {
        1 | 3 => 4,
        2 => 8,
        other => panic!("version {other}"),
    };
    let end = index.len() - 4;
    assert_eq!(number(index, end, 4), crc32(&index[..end]) as usize);
    let (mut at, mut unit, mut subs) = (if is_single { 16 } else { 8 }, 0, HashMap::new());
    while at < end {
        let digits: String = index[at..at + 4].iter().map(u8::to_string).collect();
        let side = Color::ALL[usize::from(index[at + 4])];
        let kind = index[at + 5];
        at += 6;
        if (1..4).contains(&kind) {
            let values = vec![kind];
            subs.insert((digits, side), Simple { values, numbering: 0, is_folded: false });
            continue;
        }
        let is_folded = kind == 4;
        let numbering = usize::from(index[at]);
        at += 1;
        let mut words: Vec<HashMap<(u8, u32), usize>> = Vec::new();
        for _ in 0..19 {
            let count = usize::from(index[at]);
            let nibble = |k: usize| index[at + 1 + k / 2] >> (4 * (k % 2)) & 15;
            let mut list: Vec<(u8, usize)> =
                (0..count).map(|k| (nibble(k), k)).filter(|(bits, _)| *bits > 0).collect();
            list.sort_by_key(|&(bits, symbol)| (Reverse(bits), symbol));
            let (mut map, mut word, mut longest) =
                (HashMap::new(), 0, list.first().map_or(0, |c| c.0));
            for (bits, symbol) in list {
                word >>= longest - bits;
                longest = bits;
                map.insert((bits, word), symbol);
                word += 1;
            }
            words.push(map);
            at += 1 + count.div_ceil(2);
        }
        let units = number(index, at, 4);
        if is_single {
            at += 4;
            assert!(number(index, at, 4) >= unit);
            unit = number(index, at, 4);
            assert!(unit % 256 == 0 || unit % 256 + units <= 256, "no block lies across pages");
        }
        let blocks = units.div_ceil(256);
        let firsts: Vec<usize> =
            (0..blocks).map(|k| number(index, at + 4 + width * k, width)).collect();
        at += 4 + width * blocks;
        let counts = digits.bytes().map(|digit| usize::from(digit - b'0'));
        let size = counts.zip([45, 50, 45, 50]).map(|(k, n)| choose(n, k)).product();
        let mut values = Vec::new();
        for (k, &first) in firsts.iter().enumerate() {
            assert_eq!(values.len(), first);
            let bytes = &data[16 * (unit + 256 * k)..16 * (unit + units.min(256 * k + 256))];
            let end_of_block = firsts.get(k + 1).copied().unwrap_or(size);
            read_block(bytes, &words, end_of_block, &mut values);
        }
        unit += units;
        subs.insert((digits, side), Simple { values, numbering, is_folded });
    }
    assert_eq!(data.len(), 16 * unit);
    subs
}

fn read_block(
    bytes: &[u8],
    words: &[HashMap<(u8, u32), usize>],
    end_of_block: usize,
    values: &mut Vec<u8>,
) {
    assert_eq!(number(bytes, 0, 4), crc32(&bytes[4..]) as usize);
    let all = bytes.len() / 16;
    let count = (1..=227usize).find(|n| (4 + 2 * n).div_ceil(16) + n == all).unwrap();
    let head = (4 + 2 * count).div_ceil(16);
    let shift = number(bytes, 4, 2);
    let first = values.len();
    for unit in 0..count {
        let step = |k: usize| if k == 0 { 0 } else { number(bytes, 4 + 2 * k, 2) };
        if step(unit) == 65535 {
            continue;
        }
        assert_eq!(values.len(), first + (step(unit) << shift));
        let is_last = unit + 1 == count || step(unit + 1) == 65535;
        let end = if is_last { end_of_block } else { first + (step(unit + 1) << shift) };
        let bits: Vec<u8> = bytes[16 * (head + unit)..][..16]
            .iter()
            .flat_map(|byte| (0..8).rev().map(move |k| byte >> k & 1))
            .collect();
        read_unit(&bits, words, end, values);
    }
}

fn read_unit(bits: &[u8], words: &[HashMap<(u8, u32), usize>], end: usize, values: &mut Vec<u8>) {
    let (mut at, mut context, mut last) = (0, 0, 0);
    while values.len() < end {
        let (mut word, mut len) = (0, 0u8);
        let symbol = loop {
            assert!(at < bits.len() && len < 15, "no code word at bit {at}");
            word = word << 1 | u32::from(bits[at]);
            (at, len) = (at + 1, len + 1);
            if let Some(&symbol) = words[context].get(&(len, word)) {
                break symbol;
            }
        };
        let next = |value: u8| value % 3 + 1;
        let (bucket, value) = match (last, symbol % 2) {
            (0, _) => (symbol / 3, (symbol % 3) as u8 + 1),
            (_, 0) => (symbol / 2, next(last)),
            _ => (symbol / 2, next(next(last))),
        };
        let mut length = match bucket {
            0..15 => bucket + 1,
            _ => 2 + (bucket - 15) % 2,
        };
        for _ in 0..if bucket < 15 { 0 } else { 3 + (bucket - 15) / 2 } {
            length = 2 * length + usize::from(bits[at]);
            at += 1;
        }
        values.resize((values.len() + length).min(end), value);
        let before = std::mem::replace(&mut last, value);
        let class = usize::from(length >= 3) + usize::from(length >= 12);
        context = 1 + 6 * usize::from(last - 1) + 3 * usize::from(before == next(last)) + class;
    }
}

/// The number of a position, by trying all squares.
fn simple_number(board: &Board, numbering: usize) -> usize {
    let mut squares: Vec<(i32, i32, Square)> = Square::all()
        .map(|square| {
            let s = i32::from(square.number()) - 1;
            let (row, column) = (s / 5, 2 * (s % 5) + (s / 5 + 1) % 2);
            let (a, b) = match numbering / 24 {
                0 => (row, column),
                1 => (column, row),
                2 => (row + column, row),
                3 => (row - column, row),
                4 => (row, if row % 2 == 0 { column } else { -column }),
                _ => (row + column, if (row + column) / 2 % 2 == 0 { row } else { -row }),
            };
            (a, b, square)
        })
        .collect();
    squares.sort_by_key(|&(a, b, _)| (a, b));
    let mut groups = vec![0, 1, 2, 3];
    let mut order = Vec::new();
    for (rest, factor) in [(numbering % 24, 6), (numbering % 6, 2), (numbering % 2, 1), (0, 1)] {
        order.push(groups.remove(rest / factor));
    }
    let mut sum = 0;
    for group in order {
        let (is_white, is_king) = (group >= 2, group % 2 == 1);
        let mut mine = squares.clone();
        if is_white && !is_king {
            mine.reverse();
        }
        mine.retain(|(.., square)| match (is_white, is_king) {
            (_, true) => true,
            (false, _) => square.number() <= 45,
            (true, _) => square.number() >= 6,
        });
        let (mut rank, mut count) = (0, 0);
        for (place, (.., square)) in mine.iter().enumerate() {
            let bit = 1u64 << square.bit();
            let set = if is_white { board.white } else { board.black };
            if set & bit != 0 && (board.kings & bit != 0) == is_king {
                count += 1;
                rank += if place >= count { choose(place, count) } else { 0 };
            }
        }
        sum = sum * choose(mine.len(), count) + rank;
    }
    sum
}

#[test]
fn a_reader_made_from_the_description_gives_the_same_values() {
    let dir = tempfile::tempdir().unwrap();
    let slices = ["0101", "1010", "1110", "1101", "0201", "2010", "2001"];
    let database = converted(dir.path(), &slices);
    let wld2 = built_as(DbType::Wld2);
    let mut subs = HashMap::new();
    for pieces in 2..=3 {
        let read = |e| std::fs::read(dir.path().join(format!("db{pieces}.{e}"))).unwrap();
        subs.extend(read_simply(&read("mdi"), &read("mdb")));
    }
    assert_eq!(subs.len(), database.contents().len());
    let mut compared = 0;
    for id in database.contents() {
        let simple = &subs[&(id.slice.to_string(), id.side)];
        for index in (0..id.slice.size()).step_by(if id.slice.pieces() == 2 { 1 } else { 7 }) {
            let board = unrank(id.slice, index).unwrap();
            let found = database.stored(&board, id.side).unwrap().unwrap();
            let number = simple.number(&board);
            let value = simple
                .values
                .get(number)
                .or(simple.values.first().filter(|_| simple.values.len() == 1));
            assert_eq!(value.copied().map(u16::from), Some(found), "{id:?} {index}");
            if is_stored(&board) {
                assert_eq!(wld2.stored(&board, id.side).unwrap(), Some(found), "{id:?} {index}");
                compared += 1;
            }
        }
    }
    assert!(compared > 15_000, "{compared}");
}

/// The set of up to four pieces as a single file, four pieces with one side to move.
fn single(dir: &Path) -> PathBuf {
    let file = dir.join("four.mds");
    let target = Target::Database(DbType::Compact);
    let options = ConvertOptions { one_side_from: 4, ..ConvertOptions::new(target) };
    let converted = convert(&all().1, &file, &options, &mut |_| true).unwrap();
    assert_eq!(converted.files, std::slice::from_ref(&file));
    assert_eq!(file.metadata().unwrap().len(), converted.bytes);
    file
}

#[test]
fn a_single_file_answers_every_position() {
    let dir = tempfile::tempdir().unwrap();
    let file = single(dir.path());
    let bytes = std::fs::read(&file).unwrap();
    // The two sides of four pieces have 534,016 bytes, the smaller ones 223,008.
    assert!((250_000..285_000).contains(&bytes.len()), "{}", bytes.len());
    let subs = read_simply(&bytes[..number(&bytes, 8, 4)], &bytes);

    let database = Arc::new(Database::open(&file, &OpenOptions::default()).unwrap());
    assert_eq!((database.db_type(), database.max_pieces()), (DbType::Compact, 4));
    assert_eq!(database.max_pieces_one_side(), 3);
    assert_eq!(database.files().collect::<Vec<_>>(), std::slice::from_ref(&file));
    assert!(database.check_blocks(|_, _| true).unwrap().is_empty());
    assert_eq!(database.contents().len(), subs.len());
    let is_double = |slice: Slice| Color::ALL.iter().all(|&side| database.has_side(slice, side));
    assert!(Slice::stored(4).all(|slice| !is_double(slice)));
    assert!(Slice::stored(3).all(is_double));
    // Of kings alone a quarter of the positions: the bytes go to a third of such a small slice.
    let bytes_of = |database: &Database, digits: &str| {
        let id = SubId { slice: digits.parse().unwrap(), sub: 0, side: Color::White };
        database.compact_record(id).unwrap().0.bytes()
    };
    let whole = bytes_of(&all().1, "0301");
    let folded = bytes_of(&database, "0301");
    assert!(subs.iter().any(|(of, simple)| of.0 == "0301" && simple.is_folded));
    assert!(5 * folded < 2 * whole, "{folded} of {whole} bytes");
    for id in database.contents() {
        let simple = &subs[&(id.slice.to_string(), id.side)];
        for index in (0..id.slice.size()).step_by(9973) {
            let board = unrank(id.slice, index).unwrap();
            let found = database.stored(&board, id.side).unwrap();
            let number = simple.number(&board);
            let value = simple.values.get(number).or(simple.values.first());
            assert_eq!(value.copied().map(u16::from), found, "{id:?} {index}");
        }
    }

    // A folder with the file is the same database, and so are its bytes from elsewhere.
    let folder = Database::open(dir.path(), &OpenOptions::default()).unwrap();
    assert_eq!(folder.contents(), database.contents());
    let asked = Arc::new(AtomicUsize::new(0));
    let fetch = {
        let (asked, bytes) = (Arc::clone(&asked), bytes.clone());
        move |offset: u64, out: &mut [u8]| {
            asked.fetch_add(1, Ordering::Relaxed);
            out.copy_from_slice(&bytes[offset as usize..][..out.len()]);
            Ok(())
        }
    };
    let options = OpenOptions { cache_mib: 2, ..OpenOptions::default() };
    let len = bytes.len() as u64;
    let remote = Database::open_remote("four.mds", len, Box::new(fetch), &|_| true, &options);
    let remote = remote.unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 2, "the head and the index");

    let probes = [database, Arc::new(remote)].map(|database| {
        let mut probe = Probe::new();
        probe.add(database);
        probe
    });
    let mut wld2 = Probe::new();
    wld2.add(Arc::new(built_as(DbType::Wld2)));
    for slice in (2..=4).flat_map(Slice::stored) {
        for index in (0..slice.size()).step_by(9973) {
            let board = unrank(slice, index).unwrap();
            for side in Color::ALL {
                let position = board.position(side).unwrap();
                let expected = wld2.wld(&position).unwrap();
                for probe in &probes {
                    assert_eq!(probe.wld(&position).unwrap(), expected, "{position}");
                }
            }
        }
    }
    let blocks = asked.load(Ordering::Relaxed) - 2;
    assert!(blocks <= bytes.len().div_ceil(4096), "each block once: {blocks}");
}

#[test]
fn a_single_file_can_be_made_of_any_type_and_made_smaller() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("wld2");
    std::fs::create_dir(&folder).unwrap();
    let wld2 = Arc::new(built_as(DbType::Wld2));
    let three = |it: &Slice| it.pieces() <= 3;
    let slices: Vec<Slice> = (2..=3).flat_map(Slice::stored).filter(three).collect();
    let target = Target::Database(DbType::Compact);
    let options = ConvertOptions { slices, ..ConvertOptions::new(target) };
    let from_wld2 = dir.path().join("a.mds");
    convert(&wld2, &from_wld2, &options, &mut |_| true).unwrap();
    let from_compact = dir.path().join("b.mds");
    convert(&all().1, &from_compact, &options, &mut |_| true).unwrap();
    let read = |path: &Path| std::fs::read(path).unwrap();
    assert!(read(&from_wld2) == read(&from_compact));
    assert!(!dir.path().join("a.mds.parts").exists());

    // It exists; other types have no single file; one to move from two pieces on.
    let again = convert(&all().1, &from_compact, &options, &mut |_| true);
    assert!(matches!(again, Err(ConvertError::Exists { .. })));
    let raw = ConvertOptions::new(Target::Raw);
    let other = convert(&wld2, &dir.path().join("c.mds"), &raw, &mut |_| true);
    assert!(matches!(other, Err(ConvertError::Single)));
    let small = dir.path().join("small.mds");
    let source = Database::open(&from_compact, &OpenOptions::default()).unwrap();
    let options = ConvertOptions { one_side_from: 2, ..ConvertOptions::new(target) };
    convert(&Arc::new(source), &small, &options, &mut |_| true).unwrap();
    assert!(read(&small).len() < read(&from_compact).len());
}

#[test]
fn damage_of_a_single_file_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let file = single(dir.path());
    let good = std::fs::read(&file).unwrap();
    let index = number(&good, 8, 4);
    let mut random = Random::new(5);
    for round in 0..60 {
        let mut bytes = good.clone();
        let at = random.below(index);
        bytes[at] ^= 1 << random.below(8);
        if round % 10 == 0 {
            bytes.truncate(random.below(good.len()));
        }
        std::fs::write(&file, &bytes).unwrap();
        assert!(Database::open(&file, &OpenOptions::default()).is_err(), "byte {at}");
    }
    std::fs::write(&file, &good).unwrap();
    let report = Database::open(&file, &OpenOptions::default()).unwrap().verify(|_| true).unwrap();
    assert!(matches!(report.files[..], [(_, FileState::Good(Authority::Inside))]));
    let mut bytes = good.clone();
    let at = (good.len() - 5000) | 1;
    bytes[at] ^= 4;
    std::fs::write(&file, &bytes).unwrap();
    let report = Database::open(&file, &OpenOptions::default()).unwrap().verify(|_| true).unwrap();
    let [(_, FileState::Bad { authority: Authority::Inside, blocks, .. })] = &report.files[..]
    else {
        panic!("{report:?}");
    };
    assert_eq!(blocks[..], [at as u32 / 4096]);
    // A gap before the data may have any bytes; the length is the index's.
    std::fs::write(&file, &good[..good.len() - 16]).unwrap();
    assert!(Database::open(&file, &OpenOptions::default()).is_err());
}

#[test]
fn the_files_stay_as_they_are() {
    let (dir, _) = all();
    let sums = ["db2", "db3", "db4"].map(|stem| {
        ["mdi", "mdb"].map(|extension| {
            let bytes = std::fs::read(dir.path().join(format!("{stem}.{extension}"))).unwrap();
            // The checksum of anything that ends with its own checksum is the same.
            let rest = if extension == "mdi" { 4 } else { 0 };
            crc32(&bytes[..bytes.len() - rest])
        })
    });
    let expected =
        [[0x7098_58f2, 0x9a3c_14fd], [0x0b14_ef96, 0xf810_2f06], [0x0fef_d11c, 0xe87d_b118]];
    assert_eq!(sums, expected, "{sums:08x?}");
}

#[test]
fn every_position_is_answered_exactly() {
    let mut probe = Probe::new();
    probe.add(Arc::clone(&all().1));
    let mut wld2 = Probe::new();
    wld2.add(Arc::new(built_as(DbType::Wld2)));
    let mut threats = 0;
    for slice in (2..=4).flat_map(Slice::stored) {
        for index in (0..slice.size()).step_by(9973) {
            let board = unrank(slice, index).unwrap();
            for side in Color::ALL {
                let position = board.position(side).unwrap();
                assert_eq!(
                    probe.wld(&position).unwrap(),
                    wld2.wld(&position).unwrap(),
                    "{position}"
                );
                threats += usize::from(!is_stored(&board));
            }
        }
    }
    assert!(threats > 100, "{threats}");
}

/// Blocks of every shape: units that step by one and by many, blocks that are full early.
#[test]
fn values_of_any_density_come_back() {
    let slice: Slice = "2110".parse().unwrap();
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let mut values = Vec::with_capacity(slice.size() as usize);
        while values.len() < slice.size() as usize {
            // Stretches of noise among stretches of long runs.
            let stretch = 1usize << random.below(20);
            let scale = random.below(18);
            for _ in 0..stretch {
                let value = [1, 2, 3, DONT_CARE][random.below(3 + seed as usize % 2)];
                let len = 1 + random.below(1 << scale);
                values.resize((values.len() + len).min(slice.size() as usize), value);
            }
        }
        let dir = tempfile::tempdir().unwrap();
        let version = [Version::One, Version::Two][seed as usize / 2];
        let mut writer = CompactWriter::create(dir.path(), "db4").unwrap().in_version(version);
        let id = SubId { slice, sub: 0, side: Color::White };
        let mut source = |start: u64, out: &mut [u16]| {
            out.copy_from_slice(&values[start as usize..][..out.len()]);
        };
        writer.add(id, &mut source).unwrap();
        writer.finish().unwrap();
        let backend = [Backend::MemoryMap, Backend::BlockCache][seed as usize % 2];
        let options = OpenOptions { backend, cache_mib: 1, ..OpenOptions::default() };
        let database = Database::open(dir.path(), &options).unwrap();
        assert!(database.check_blocks(|_, _| true).unwrap().is_empty());
        for (index, &value) in values.iter().enumerate().step_by(37) {
            let board = unrank(slice, index as u64).unwrap();
            let found = database.stored(&board, Color::White).unwrap();
            assert!(value == DONT_CARE || found == Some(value), "{seed} {index}");
        }
    }
}

/// The two versions hold the same values, and the second is hardly longer.
#[test]
fn versions_hold_the_same_values() {
    let (first, database) = all();
    let dir = tempfile::tempdir().unwrap();
    let writer = CompactWriter::create(dir.path(), "db3").unwrap();
    let mut writer = writer.in_version(Version::Two);
    let wld2 = built_as(DbType::Wld2);
    for id in database.contents().into_iter().filter(|id| id.slice.pieces() == 3) {
        let id = SubId { slice: id.slice, sub: 0, side: id.side };
        let mut source = |start: u64, out: &mut [u16]| {
            for (index, value) in (start..).zip(out) {
                let board = unrank(id.slice, index).unwrap();
                *value = match is_stored(&board) {
                    true => wld2.stored(&board, id.side).unwrap().unwrap(),
                    false => DONT_CARE,
                };
            }
        };
        writer.add(id, &mut source).unwrap();
    }
    let written = writer.finish().unwrap().unwrap();
    let data = std::fs::read(first.path().join("db3.mdb")).unwrap();
    assert!(written.bytes[1].abs_diff(data.len() as u64) * 50 < data.len() as u64);
    let read = |path: &Path| std::fs::read(path).unwrap();
    let simple = read_simply(&read(&written.index), &read(&written.data));
    let options = OpenOptions { db_type: Some(DbType::Compact), ..OpenOptions::default() };
    let second = Database::open(dir.path(), &options).unwrap();
    assert_eq!(simple.len(), second.contents().len());
    for id in second.contents() {
        let simple = &simple[&(id.slice.to_string(), id.side)];
        for index in (0..id.slice.size()).step_by(3) {
            let board = unrank(id.slice, index).unwrap();
            let found = second.stored(&board, id.side).unwrap();
            let number = simple.number(&board);
            let value = simple.values.get(number).or(simple.values.first());
            assert_eq!(value.copied().map(u16::from), found, "{id:?} {index}");
            if is_stored(&board) {
                assert_eq!(database.stored(&board, id.side).unwrap(), found, "{id:?} {index}");
            }
        }
    }
}

/// Damage that no checksum shows: the index's is corrected, those of blocks are not compared.
#[test]
fn what_checksums_do_not_show_does_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    converted(dir.path(), &["3010"]);
    let mut random = Random::new(9);
    let (mut opened, mut refused, mut failed, mut found) = (0, 0, 0, 0);
    for name in ["db4.mdi", "db4.mdb"] {
        let file = dir.path().join(name);
        std::fs::remove_file(egdb::manifest::side_file(&file)).unwrap();
        let good = std::fs::read(&file).unwrap();
        for round in 0..400 {
            let mut bytes = good.clone();
            let is_index = name.ends_with("mdi");
            for _ in 0..1 + random.below(3) {
                // Nearly every change of a code is refused; the first numbers of the last blocks
                // are at the end.
                let is_late = is_index && round % 4 == 0;
                let at = if is_late {
                    bytes.len() - 5 - random.below(8)
                } else {
                    random.below(bytes.len())
                };
                bytes[at] = random.next_u64() as u8;
            }
            if is_index {
                let end = bytes.len() - 4;
                let sum = crc32(&bytes[..end]);
                bytes[end..].copy_from_slice(&sum.to_le_bytes());
            }
            std::fs::write(&file, &bytes).unwrap();
            let backend = [Backend::MemoryMap, Backend::BlockCache][round % 2];
            let options = OpenOptions { compare: false, backend, ..OpenOptions::default() };
            let Ok(database) = Database::open(dir.path(), &options) else {
                refused += 1;
                continue;
            };
            opened += 1;
            found += usize::from(!database.check_blocks(|_, _| true).unwrap().is_empty());
            for slice in Slice::stored(4).filter(|slice| database.has_slice(*slice)) {
                for index in (0..slice.size()).step_by(997) {
                    let board = unrank(slice, index).unwrap();
                    for side in Color::ALL {
                        failed += usize::from(database.stored(&board, side).is_err());
                    }
                }
            }
        }
        std::fs::write(&file, &good).unwrap();
    }
    assert!(
        opened > 410 && refused > 50 && failed > 100 && found > 100,
        "{opened} {refused} {failed} {found}"
    );
}

#[test]
fn what_it_cannot_hold_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = DatabaseWriter::create(dir.path(), DbType::Compact, "db8-4040").unwrap();
    let slice: Slice = "4040".parse().unwrap();
    let mut draws = |_: u64, out: &mut [u16]| out.fill(3);
    let error = writer.add(SubId { slice, sub: 0, side: Color::Black }, &mut draws).unwrap_err();
    assert!(error.to_string().contains("at most 7 pieces"), "{error}");
    assert!(writer.finish().unwrap().is_none());
    // Nor more than six pieces in version 1.
    let writer = CompactWriter::create(dir.path(), "db7-4030").unwrap();
    let mut writer = writer.in_version(Version::One);
    let id = SubId { slice: "4030".parse().unwrap(), sub: 0, side: Color::Black };
    let error = writer.add(id, &mut draws).unwrap_err();
    assert!(error.to_string().contains("version 1"), "{error}");
    // An impossible position, from a caller that does not check: a man on the row where it crowns.
    let dir = tempfile::tempdir().unwrap();
    let database = converted(dir.path(), &["1010"]);
    let bit = |n: u8| 1u64 << Square::new(n).unwrap().bit();
    let board = Board { black: bit(50), white: bit(1), kings: 0 };
    assert_eq!(DbIndex::of_board(&board, Color::Black).map(|p| p.slice), "1010".parse().ok());
    assert!(database.stored(&board, Color::Black).is_ok());
}
