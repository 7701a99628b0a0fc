//! Damaged files: opening refuses what it can see, lookups give errors or values, nothing panics.

use std::path::{Path, PathBuf};

use egdb::SubId;
use egdb::error::{FormatError, OpenError};
use egdb::index::unrank;
use egdb::{Backend, Database, DbType, OpenOptions, Slice};
use egdb_build::encode::DatabaseWriter;
use movegen::Color;
use movegen::random::Random;

const STEMS: [&str; 2] = ["db2", "db3"];

fn write(dir: &Path, db_type: DbType) {
    // Both are coded alike, so that the same values make the same files.
    let number = if db_type == DbType::Rules { DbType::Dtw.number() } else { db_type.number() };
    let mut random = Random::new(number as u64 + 20);
    for (pieces, stem) in (2..).zip(STEMS) {
        let mut writer = DatabaseWriter::create(dir, db_type, stem).unwrap();
        for slice in Slice::stored(pieces) {
            for &side in slice.stored_sides() {
                let seed = random.next_u64();
                let mut source = |start: u64, out: &mut [u16]| {
                    for (k, value) in out.iter_mut().enumerate() {
                        let stretch = (start + k as u64) / 23;
                        let n = Random::new(seed ^ stretch).next_u64();
                        *value = match db_type {
                            DbType::Mtc => [0, 0, 10, 20][n as usize % 4],
                            DbType::Dtw | DbType::Rules => (n % 9) as u16,
                            _ => 1 + (n % 3) as u16,
                        };
                    }
                };
                let id = SubId { slice, sub: 0, side };
                writer.add(id, &mut source).unwrap();
            }
        }
        writer.finish().unwrap();
    }
}

fn open(dir: &Path, db_type: DbType, backend: Backend) -> Result<Database, OpenError> {
    let options =
        OpenOptions { db_type: Some(db_type), backend, cache_mib: 1, ..OpenOptions::default() };
    Database::open(dir, &options)
}

#[test]
fn what_is_no_file_is_not_taken_for_a_smaller_database() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), DbType::Wld2);
    let refused = |file: &str| {
        let error = Database::open(dir.path(), &OpenOptions::default()).unwrap_err();
        assert!(matches!(&error, OpenError::Io { file: named, .. } if named.ends_with(file)));
    };
    let data = dir.path().join("db3.cpr1");
    std::fs::remove_file(&data).unwrap();
    std::fs::create_dir(&data).unwrap();
    refused("db3.cpr1");
    std::fs::remove_dir(&data).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/no/such/file", &data).unwrap();
        refused("db3.cpr1");
        std::fs::remove_file(&data).unwrap();
        // Opening a pipe that nobody writes to would wait for ever.
        for name in ["db2.idx1", "db3.cpr1"] {
            let path = dir.path().join(name);
            let _ = std::fs::remove_file(&path);
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
            refused(name);
            std::fs::remove_file(&path).unwrap();
            write(dir.path(), DbType::Wld2);
        }
    }
}

fn sum_of_lookups(database: &Database, random: &mut Random, count: usize) -> (u64, usize) {
    let slices: Vec<Slice> = (2..=3).flat_map(Slice::stored).collect();
    let (mut sum, mut errors) = (0, 0);
    for _ in 0..count {
        let slice = slices[random.below(slices.len())];
        let side = slice.stored_sides()[random.below(slice.stored_sides().len())];
        let board = unrank(slice, random.below_u64(slice.size())).unwrap();
        match database.stored(&board, side) {
            Ok(value) => sum += u64::from(value.unwrap_or(9)),
            Err(_) => errors += 1,
        }
    }
    (sum, errors)
}

fn files(dir: &Path, db_type: DbType) -> Vec<PathBuf> {
    STEMS
        .iter()
        .flat_map(|stem| {
            [db_type.index_extension(), db_type.data_extension()]
                .map(|e| dir.join(format!("{stem}.{e}")))
        })
        .collect()
}

/// Changes files at random, opens them and looks up. `rounds` for each type and file.
fn damage(rounds: usize) {
    for db_type in DbType::ALL {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), db_type);
        let mut random = Random::new(77);
        let (mut opened, mut refused, mut failed) = (0, 0, 0);
        for file in files(dir.path(), db_type) {
            let good = std::fs::read(&file).unwrap();
            for round in 0..rounds {
                let mut bytes = good.clone();
                match round % 4 {
                    0 => bytes.truncate(random.below(good.len())),
                    1 => bytes.extend((0..random.below(9000)).map(|_| random.next_u64() as u8)),
                    _ => {
                        for _ in 0..1 + random.below(4) {
                            let at = random.below(good.len());
                            bytes[at] = match random.below(3) {
                                0 => b"0123456789,:/\nBASEbw+-=#"[random.below(24)],
                                1 => bytes[at].wrapping_add(1),
                                _ => random.next_u64() as u8,
                            };
                        }
                    }
                }
                std::fs::write(&file, &bytes).unwrap();
                let backend = if round % 2 == 0 { Backend::MemoryMap } else { Backend::BlockCache };
                match open(dir.path(), db_type, backend) {
                    Ok(database) => {
                        opened += 1;
                        failed += sum_of_lookups(&database, &mut random, 300).1;
                        database.check_blocks(|_, _| true).unwrap();
                    }
                    Err(error) => {
                        refused += 1;
                        assert!(!error.to_string().is_empty());
                    }
                }
            }
            std::fs::write(&file, &good).unwrap();
        }
        assert!(opened > 0 && refused > 0 && failed > 0, "{db_type}: {opened} {refused} {failed}");
    }
}

#[test]
fn damaged_files_neither_panic_nor_read_out_of_bounds() {
    damage(60);
}

#[test]
#[ignore = "minutes"]
fn damaged_files_many_times() {
    damage(2_000);
}

#[test]
fn every_truncated_data_file_is_refused_or_harmless() {
    for db_type in DbType::ALL {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), db_type);
        let data = dir.path().join(format!("db3.{}", db_type.data_extension()));
        let good = std::fs::read(&data).unwrap();
        let block = if matches!(db_type, DbType::Dtw | DbType::Rules) {
            512
        } else {
            db_type.driver_block() as usize
        };
        for blocks in 0..good.len() / block {
            std::fs::write(&data, &good[..blocks * block]).unwrap();
            let error = open(dir.path(), db_type, Backend::BlockCache).unwrap_err();
            let named = match &error {
                OpenError::Format(FormatError::Data { file, .. }) => file == &data,
                _ => false,
            };
            assert!(named, "{db_type} {blocks}: {error}");
        }
    }
}

/// With side files no damage gives a wrong value: not that of a data file, whose blocks are compared
/// when they are first decoded, nor that of an index file.
#[test]
fn with_side_files_damage_is_never_a_wrong_value() {
    for db_type in DbType::ALL {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), db_type);
        for file in files(dir.path(), db_type) {
            egdb::manifest::write_side_file(&file).unwrap();
        }
        let values = |database: &Database| -> Vec<Option<Option<u16>>> {
            let slices = (2..=3).flat_map(Slice::stored);
            let places =
                slices.flat_map(|slice| (0..slice.size()).step_by(7).map(move |i| (slice, i)));
            let boards = places.map(|(slice, index)| unrank(slice, index).unwrap());
            boards.map(|board| database.stored(&board, Color::Black).ok()).collect()
        };
        let good = values(&open(dir.path(), db_type, Backend::MemoryMap).unwrap());
        assert!(good.iter().all(Option::is_some));
        let mut random = Random::new(3);
        for file in files(dir.path(), db_type) {
            let is_index = file.extension().is_some_and(|e| e == db_type.index_extension());
            let bytes = std::fs::read(&file).unwrap();
            let mut failed = 0;
            for round in 0..12 {
                let mut changed = bytes.clone();
                let at = random.below(bytes.len());
                changed[at] ^= 1 << random.below(8);
                std::fs::write(&file, &changed).unwrap();
                let backend = [Backend::MemoryMap, Backend::BlockCache][round % 2];
                match open(dir.path(), db_type, backend) {
                    Ok(database) => {
                        assert!(!is_index, "{db_type}: byte {at} of {}", file.display());
                        let found = values(&database);
                        failed += found.iter().filter(|value| value.is_none()).count();
                        let wrong = found.iter().zip(&good).filter(|(f, g)| f.is_some() && f != g);
                        assert_eq!(wrong.count(), 0, "{db_type}: byte {at} of {}", file.display());
                        assert!(!database.check_blocks(|_, _| true).unwrap().is_empty());
                    }
                    Err(_) => failed += 1,
                }
            }
            assert!(failed > 0, "{db_type} {}", file.display());
            std::fs::write(&file, &bytes).unwrap();
        }
    }
}

#[test]
fn a_damaged_block_is_an_error_and_not_a_value() {
    // A byte of a coded block whose length differs from the original's shifts the sum.
    for db_type in [DbType::Wld2, DbType::Wld1, DbType::WldRun, DbType::Mtc] {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), db_type);
        let data = dir.path().join(format!("db3.{}", db_type.data_extension()));
        let mut bytes = std::fs::read(&data).unwrap();
        let reference = {
            let database = open(dir.path(), db_type, Backend::BlockCache).unwrap();
            sum_of_lookups(&database, &mut Random::new(5), 5000)
        };
        assert_eq!(reference.1, 0);
        // Blocks 0 and 1 exchanged: each sum is almost surely wrong.
        let (first, rest) = bytes.split_at_mut(4096);
        first[2048..].swap_with_slice(&mut rest[2048..4096]);
        std::fs::write(&data, &bytes).unwrap();
        let database = open(dir.path(), db_type, Backend::BlockCache).unwrap();
        let damaged = sum_of_lookups(&database, &mut Random::new(5), 5000);
        assert!(damaged.1 > 0, "{db_type}");
        let found = database.check_blocks(|_, _| true).unwrap();
        assert!(found.iter().any(|error| error.block < 2 && error.file == data), "{found:?}");
        let text = format!("{}: {}", found[0], found[0].cause);
        assert!(text.contains("damaged block"), "{text}");
    }
}
