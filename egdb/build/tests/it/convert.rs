//! Databases rewritten in other formats answer the same.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use egdb::index::unrank;
use egdb::manifest::side_file;
use egdb::probe::exclusion;
use egdb::{Database, DbIndex, DbType, OpenOptions, Probe, Slice, Wld};
use egdb_build::convert::{ConvertError, ConvertOptions, Target, convert};
use movegen::Color;

use crate::support::{build, three_pieces};

fn built(
    db_type: DbType,
    keep: impl Fn(Slice, Color) -> bool,
) -> (tempfile::TempDir, Arc<Database>) {
    let dir = tempfile::tempdir().unwrap();
    build::write(dir.path(), db_type, three_pieces(), keep);
    let database = open(dir.path());
    (dir, database)
}

fn open(dir: &Path) -> Arc<Database> {
    Arc::new(Database::open(dir, &OpenOptions::default()).unwrap())
}

#[test]
fn reading_in_order_is_looking_up() {
    for db_type in DbType::ALL {
        let (_dir, database) = built(db_type, |_, _| true);
        for id in database.contents() {
            let size = database.sub_size(id);
            // Odd lengths, so that blocks are entered in the middle.
            let mut values = vec![0; 7919];
            let mut at = 0;
            while at < size {
                let n = (size - at).min(values.len() as u64) as usize;
                assert!(database.read_values(id, at, &mut values[..n]).unwrap());
                for (index, &value) in (at..).zip(&values[..n]) {
                    let board = unrank(id.slice, index).unwrap();
                    // What is left out has any number.
                    let position = board.position(id.side).unwrap();
                    if exclusion(db_type, &position).is_none() {
                        assert_eq!(database.stored(&board, id.side).unwrap(), Some(value));
                    }
                }
                at += n as u64;
            }
        }
        let kinds: usize = (2..=3).flat_map(Slice::stored).map(|s| s.stored_sides().len()).sum();
        // Up to three pieces only few slices have a distance worth storing.
        assert_eq!(database.contents().len() < kinds, db_type == DbType::Mtc, "{db_type}");
    }
}

#[test]
fn every_wld_type_becomes_every_other() {
    let types = [DbType::Wld2, DbType::Compact, DbType::Wld1, DbType::WldRun];
    for from in types {
        let (_dir, source) = built(from, |_, _| true);
        for to in types {
            let dir = tempfile::tempdir().unwrap();
            let mut last = 0;
            let options = ConvertOptions::new(Target::Database(to));
            let converted = convert(&source, dir.path(), &options, &mut |progress| {
                assert!(progress.positions >= last && progress.positions <= progress.all_positions);
                last = progress.positions;
                true
            });
            let converted = converted.unwrap();
            assert_eq!((converted.files.len(), converted.unknown), (4, 0));
            let database = open(dir.path());
            assert_eq!(database.db_type(), to);
            assert!(database.check_blocks(|_, _| true).unwrap().is_empty());
            assert_eq!(database.verify(|_| true).unwrap().failures().count(), 0);
            let mut probe = Probe::new();
            probe.add(database);
            for slice in three_pieces().slices() {
                for index in (0..slice.size()).step_by(29) {
                    for side in Color::ALL {
                        let position = unrank(slice, index).unwrap().position(side).unwrap();
                        let entry = three_pieces().entry(&DbIndex::of(&position).unwrap());
                        assert_eq!(probe.wld(&position).unwrap(), Some(entry.wld), "{from} {to}");
                    }
                }
            }
        }
    }
}

/// Version 1 asks for samples before it goes through all values, here more than are read at a time.
#[test]
fn every_position_counts_once() {
    let source = Arc::new(Database::embedded(DbType::Compact).unwrap());
    let slice: Slice = "1120".parse().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let to = Target::Database(DbType::Wld1);
    let options = ConvertOptions { slices: vec![slice], ..ConvertOptions::new(to) };
    let mut last = 0;
    let converted = convert(&source, dir.path(), &options, &mut |progress| {
        last = progress.positions;
        true
    });
    assert_eq!((converted.unwrap().positions, last), (2 * slice.size(), 2 * slice.size()));
}

#[test]
fn distances_are_rewritten() {
    for db_type in [DbType::Mtc, DbType::Dtw] {
        let (_dir, source) = built(db_type, |_, _| true);
        let dir = tempfile::tempdir().unwrap();
        let options = ConvertOptions::new(Target::Database(db_type));
        convert(&source, dir.path(), &options, &mut |_| true).unwrap();
        let database = open(dir.path());
        assert_eq!(database.contents(), source.contents());
        for id in source.contents() {
            for (index, entry) in three_pieces().table(id.slice, id.side).iter().enumerate() {
                let expected = build::stored(db_type, *entry);
                if expected != egdb::codec::DONT_CARE {
                    let board = unrank(id.slice, index as u64).unwrap();
                    assert_eq!(database.stored(&board, id.side).unwrap(), Some(expected));
                }
            }
        }
        let other = ConvertOptions::new(Target::Database(DbType::Wld2));
        let error = convert(&source, dir.path(), &other, &mut |_| true).unwrap_err();
        assert!(matches!(error, ConvertError::Kind { .. }), "{error}");
    }
}

#[test]
fn bare_numbers() {
    let (_dir, source) = built(DbType::Wld2, |_, _| true);
    let dir = tempfile::tempdir().unwrap();
    let slice: Slice = "1101".parse().unwrap();
    let options = ConvertOptions { slices: vec![slice], ..ConvertOptions::new(Target::Raw) };
    let converted = convert(&source, dir.path(), &options, &mut |_| true).unwrap();
    assert_eq!(converted.positions, 2 * slice.size());
    for side in Color::ALL {
        let letter = side.letter().to_ascii_lowercase();
        let bytes = std::fs::read(dir.path().join(format!("db3-1101-{letter}.raw"))).unwrap();
        let expected: Vec<u8> = three_pieces()
            .table(slice, side)
            .iter()
            .map(|entry| match entry.wld {
                _ if entry.has_capture => 255,
                Wld::Win => 1,
                Wld::Loss => 2,
                Wld::Draw => 3,
            })
            .collect();
        assert!(bytes == expected, "{side}");
    }
}

/// What is finished stays as it is; what is missing, damaged or has not everything is made.
#[test]
fn an_interrupted_conversion_goes_on() {
    let (_folder, source) = built(DbType::Wld2, |_, _| true);
    for target in [DbType::Wld1, DbType::Compact].map(Target::Database).iter().chain(&[Target::Raw])
    {
        let (whole, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let options = ConvertOptions::new(*target);
        let all = convert(&source, whole.path(), &options, &mut |_| true).unwrap();
        assert_eq!(all.kept, 0);
        let contents = |dir: &Path| -> BTreeMap<_, _> {
            let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
            entries.map(|it| (it.file_name(), std::fs::read(it.path()).unwrap())).collect()
        };
        let expected = contents(whole.path());

        // Only some slices of a file: it counts as missing.
        let slices = vec!["0101".parse().unwrap()];
        let part = ConvertOptions { slices, ..options.clone() };
        convert(&source, dir.path(), &part, &mut |_| true).unwrap();
        let resume = ConvertOptions { resume: true, ..options };
        let rest = convert(&source, dir.path(), &resume, &mut |_| true).unwrap();
        assert_eq!(rest.kept + rest.files.len(), all.files.len());
        assert!(contents(dir.path()) == expected, "{target:?}");

        let again = convert(&source, dir.path(), &resume, &mut |_| true).unwrap();
        assert_eq!((again.kept, again.files.len()), (all.files.len(), 0));
        // A side file that is not there yet, and a damaged file.
        let file = dir.path().join(all.files[0].file_name().unwrap());
        std::fs::remove_file(side_file(&file)).unwrap();
        let again = convert(&source, dir.path(), &resume, &mut |_| true).unwrap();
        assert_eq!(again.files.len(), 0);
        assert!(contents(dir.path()) == expected, "{target:?}");
        let mut bytes = std::fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&file, bytes).unwrap();
        let again = convert(&source, dir.path(), &resume, &mut |_| true).unwrap();
        assert!(again.files.iter().any(|made| made.ends_with(file.file_name().unwrap())));
        assert!(contents(dir.path()) == expected, "{target:?}");
    }
}

#[test]
fn nothing_is_overwritten_or_left_half_done() {
    let (source_dir, source) = built(DbType::Wld2, |_, _| true);
    let options = ConvertOptions::new(Target::Database(DbType::Wld1));
    let error = convert(&source, source_dir.path(), &options, &mut |_| true).unwrap_err();
    assert!(matches!(error, ConvertError::SameDirectory), "{error}");

    let dir = tempfile::tempdir().unwrap();
    let error = convert(&source, dir.path(), &options, &mut |p| p.positions == 0).unwrap_err();
    assert!(matches!(error, ConvertError::Aborted), "{error}");
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");

    std::fs::write(dir.path().join("db3.idx"), "mine").unwrap();
    let error = convert(&source, dir.path(), &options, &mut |_| true).unwrap_err();
    assert!(matches!(&error, ConvertError::Exists { file } if file.ends_with("db3.idx")));
    assert_eq!(std::fs::read(dir.path().join("db3.idx")).unwrap(), b"mine");
    let options = ConvertOptions { overwrite: true, ..options };
    convert(&source, dir.path(), &options, &mut |_| true).unwrap();
    assert_eq!(open(dir.path()).db_type(), DbType::Wld1);
}
