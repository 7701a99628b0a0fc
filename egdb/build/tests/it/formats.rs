//! Round trips of every format on made-up values, through both backends.

use std::path::Path;

use egdb::SubId;
use egdb::codec::DONT_CARE;
use egdb::index::unrank;
use egdb::verify::FileState;
use egdb::{Backend, Database, DbType, OpenOptions, Slice, manifest};
use egdb_build::encode::DatabaseWriter;
use movegen::Color;
use movegen::random::Random;

/// How values are distributed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Random,
    OneSided,
    Runs,
    Constant,
    Sparse,
}

const KINDS: [Kind; 5] = [Kind::Random, Kind::OneSided, Kind::Runs, Kind::Constant, Kind::Sparse];

/// The values that a type can store, the commonest first.
fn alphabet(db_type: DbType, seed: u64) -> Vec<u16> {
    match db_type {
        DbType::Wld2 if seed.is_multiple_of(3) => vec![3, 0, 1, 2],
        DbType::Wld1 | DbType::WldRun if seed.is_multiple_of(3) => vec![3, 1, 2, 0, 4, 5],
        DbType::Mtc => vec![0, 10, 12, 14, 16, 100, 322],
        DbType::Dtw => vec![3, 0, 1, 2, 4, 5, 6, 7, 8, 40, 129],
        _ => vec![2, 3, 1],
    }
}

fn values(db_type: DbType, kind: Kind, size: usize, seed: u64) -> Vec<u16> {
    let alphabet = alphabet(db_type, seed);
    let mut random = Random::new(seed);
    let mut list = Vec::with_capacity(size);
    while list.len() < size {
        let any = alphabet[random.below(alphabet.len())];
        let (value, len) = match kind {
            Kind::Random => (any, 1),
            Kind::OneSided if random.below(50) > 0 => (alphabet[0], 1),
            Kind::OneSided => (any, 1),
            Kind::Runs => {
                let scale = random.below(14);
                (any, 1 + random.below(1 << scale))
            }
            Kind::Constant => (alphabet[1], usize::MAX),
            Kind::Sparse if random.below(3) > 0 => (DONT_CARE, 1 + random.below(40)),
            Kind::Sparse => (any, 1),
        };
        let len = len.min(size - list.len());
        list.resize(list.len() + len, value);
    }
    list
}

type Contents = Vec<(SubId, Vec<u16>)>;

/// Writes 2 and 3 pieces (and what the type requires) and returns what was written.
fn write(dir: &Path, db_type: DbType, kind: Kind, seed: u64) -> Contents {
    let mut contents = Contents::new();
    for pieces in 2..=3 {
        let stem = format!("db{pieces}");
        let mut subs = Contents::new();
        for slice in Slice::stored(pieces) {
            for &side in slice.stored_sides() {
                let id = SubId { slice, sub: 0, side };
                let seed = seed ^ (slice.id() as u64) << 8 ^ side.index() as u64;
                subs.push((id, values(db_type, kind, slice.size() as usize, seed)));
            }
        }
        let source = |values: &'_ Vec<u16>| {
            let values = values.clone();
            move |start: u64, out: &mut [u16]| {
                out.copy_from_slice(&values[start as usize..][..out.len()]);
            }
        };
        let mut writer = DatabaseWriter::create(dir, db_type, &stem).unwrap();
        subs.iter().for_each(|(id, v)| writer.add(*id, &mut source(v)).unwrap());
        let written = writer.finish().unwrap();
        written.unwrap().write_side_files().unwrap();
        contents.extend(subs);
    }
    assert!(
        !std::fs::read_dir(dir)
            .unwrap()
            .any(|f| { f.unwrap().path().extension().is_some_and(|e| e == "tmp") })
    );
    contents
}

fn options(db_type: DbType, backend: Backend) -> OpenOptions {
    OpenOptions { db_type: Some(db_type), backend, cache_mib: 1, ..OpenOptions::default() }
}

fn compare(database: &Database, contents: &Contents, step: usize) {
    for (id, values) in contents {
        for (index, &expected) in values.iter().enumerate().step_by(step) {
            let board = unrank(id.slice, index as u64).unwrap();
            // Every other position turned: it must be turned back.
            let found = if index % 2 == 0 {
                database.stored(&board, id.side)
            } else {
                database.stored(&board.reversed(), id.side.opponent())
            };
            let found = found.unwrap();
            if expected != DONT_CARE {
                assert_eq!(found, Some(expected), "{id:?} {index}");
            }
        }
    }
}

#[test]
fn values_come_back() {
    for db_type in DbType::ALL {
        for (n, kind) in KINDS.into_iter().enumerate() {
            let dir = tempfile::tempdir().unwrap();
            let contents = write(dir.path(), db_type, kind, n as u64 + 3);
            for backend in [Backend::MemoryMap, Backend::BlockCache] {
                let database = Database::open(dir.path(), &options(db_type, backend)).unwrap();
                assert_eq!((database.db_type(), database.max_pieces()), (db_type, 3));
                compare(&database, &contents, if backend == Backend::MemoryMap { 13 } else { 41 });
                assert!(database.check_blocks(|_, _| true).unwrap().is_empty());
                let report = database.verify(|_| true).unwrap();
                assert_eq!(report.files.len(), 4);
                assert_eq!(report.failures().count(), 0);
            }
        }
    }
}

#[test]
fn line_ends_padding_and_bytes_after_the_end_do_no_harm() {
    for db_type in [DbType::Wld2, DbType::Wld1, DbType::WldRun, DbType::Mtc] {
        let dir = tempfile::tempdir().unwrap();
        let contents = write(dir.path(), db_type, Kind::Random, 5);
        for pieces in 2..=3 {
            let path = |extension| dir.path().join(format!("db{pieces}.{extension}"));
            let index = path(db_type.index_extension());
            let text = std::fs::read_to_string(&index).unwrap().replace('\n', "\r\n");
            std::fs::write(&index, text + "#\u{1}\u{2}xy").unwrap();
            let data = path(db_type.data_extension());
            let mut bytes = std::fs::read(&data).unwrap();
            bytes.resize(bytes.len().next_multiple_of(db_type.driver_block() as usize), 0xa5);
            std::fs::write(&data, bytes).unwrap();
        }
        // With their side files they would be damaged.
        let as_they_are = OpenOptions { compare: false, ..options(db_type, Backend::MemoryMap) };
        let database = Database::open(dir.path(), &as_they_are).unwrap();
        compare(&database, &contents, 7);
    }
}

#[test]
fn verify_names_the_damaged_block() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), DbType::Wld2, Kind::Random, 4);
    let data = dir.path().join("db3.cpr1");
    let mut bytes = std::fs::read(&data).unwrap();
    bytes[2 * 4096 + 77] ^= 1;
    std::fs::write(&data, bytes).unwrap();
    let options = options(DbType::Wld2, Backend::BlockCache);
    let database = Database::open(dir.path(), &options).unwrap();
    let report = database.verify(|_| true).unwrap();
    let [(file, FileState::Bad { blocks, .. })] = &report.failures().collect::<Vec<_>>()[..] else {
        panic!("{report:?}")
    };
    assert_eq!((file, &blocks[..]), (&data, &[2][..]));
    assert!(matches!(database.verify(|_| false), Err(egdb::error::VerifyError::Aborted)));
    std::fs::remove_file(manifest::side_file(&data)).unwrap();
    let other = dir.path().join("db2.cpr1.sum");
    let mut text = std::fs::read(&other).unwrap();
    text[40] ^= 1;
    std::fs::write(&other, text).unwrap();
    // A damaged side file spoils the answer about its file, not about the others.
    let report = database.verify(|_| true).unwrap();
    let [(file, FileState::BadSideFile(reason))] = &report.failures().collect::<Vec<_>>()[..]
    else {
        panic!("{report:?}")
    };
    assert!(
        file.ends_with("db2.cpr1") && reason.to_string().contains("its own checksum"),
        "{reason}"
    );
    let good = report.files.iter().filter(|(_, o)| matches!(o, FileState::Good(_))).count();
    assert_eq!((good, report.files.len()), (2, 4), "{report:?}");
}

#[test]
fn missing_files_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let open =
        |n| Database::open(dir.path(), &OpenOptions { max_pieces: n, ..OpenOptions::default() });
    assert!(open(None).unwrap_err().to_string().contains("no endgame database"));
    write(dir.path(), DbType::Wld2, Kind::Runs, 4);
    assert_eq!(open(Some(2)).unwrap().max_pieces(), 2);
    assert_eq!(open(Some(8)).unwrap().max_pieces(), 3);
    std::fs::remove_file(dir.path().join("db2.cpr1")).unwrap();
    assert!(open(None).unwrap_err().to_string().contains("db2.cpr1 is missing"));
    std::fs::remove_file(dir.path().join("db3.idx1")).unwrap();
    std::fs::write(dir.path().join("db2.cpr1"), [0]).unwrap();
    assert!(open(None).unwrap_err().to_string().contains("db3.idx1 is missing"));
}

#[test]
fn values_that_a_type_cannot_hold_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let id = SubId { slice: "0101".parse().unwrap(), sub: 0, side: Color::Black };
    for (db_type, value) in [
        (DbType::Wld2, 4),
        (DbType::Compact, 0),
        (DbType::Wld1, 6),
        (DbType::Mtc, 11),
        (DbType::Mtc, 324),
    ] {
        let mut writer = DatabaseWriter::create(dir.path(), db_type, "db2").unwrap();
        let mut source = |start: u64, out: &mut [u16]| {
            out.fill(2);
            if start == 0 {
                out[7] = value;
            }
        };
        let error = writer.add(id, &mut source).unwrap_err().to_string();
        assert!(error.contains(&format!("value {value}")), "{error}");
    }
    let mut writer = DatabaseWriter::create(dir.path(), DbType::Wld2, "db2").unwrap();
    let wrong = SubId { side: Color::White, ..id };
    assert!(writer.add(wrong, &mut |_, out| out.fill(2)).is_err());
}

#[test]
fn conditional_lookups_read_no_disk() {
    let dir = tempfile::tempdir().unwrap();
    let contents = write(dir.path(), DbType::Wld2, Kind::Random, 1);
    let database = Database::open(dir.path(), &options(DbType::Wld2, Backend::BlockCache)).unwrap();
    use egdb::WldValue;
    use egdb::probe::{Lookup, exclusion};
    let (id, values) = contents.iter().find(|(id, _)| id.slice.pieces() == 3).unwrap();
    let stored = (0..values.len() as u64).find_map(|i| {
        let position = unrank(id.slice, i).unwrap().position(id.side).unwrap();
        exclusion(DbType::Wld2, &position).is_none().then_some(position)
    });
    let stored = stored.unwrap();
    assert_eq!(database.look_up_cached(&stored).unwrap(), Lookup::Wld(WldValue::NotInCache));
    let value = database.look_up(&stored).unwrap();
    assert_ne!(value, Lookup::Wld(WldValue::NotInCache));
    assert_eq!(database.look_up_cached(&stored).unwrap(), value);
}
