//! Many threads on a block cache that evicts all the time: never a wrong value.

use std::sync::atomic::{AtomicU64, Ordering};

use egdb::SubId;
use egdb::bench::random_positions;
use egdb::{Backend, Database, DbType, OpenOptions, Slice};
use egdb_build::encode::CodedWriter;
use movegen::random::Random;

/// Files of 2 to 4 pieces; the latter have a few megabytes of random values.
fn write(dir: &std::path::Path, slices_of_4: usize) -> u64 {
    let mut bytes = 0;
    for pieces in 2..=4u8 {
        let mut writer = CodedWriter::create(dir, DbType::Wld2, &format!("db{pieces}")).unwrap();
        for (n, slice) in Slice::stored(pieces).enumerate() {
            for &side in slice.stored_sides() {
                let is_full = pieces < 4 || n < slices_of_4;
                let mut source = |start: u64, out: &mut [u16]| {
                    let mut random = Random::new(start ^ (slice.id() as u64) << 40);
                    for value in out.iter_mut() {
                        *value = if is_full { 1 + random.below(3) as u16 } else { 3 };
                    }
                };
                writer.add(SubId { slice, sub: 0, side }, &mut source).unwrap();
            }
        }
        bytes += writer.finish().unwrap().unwrap().bytes[1];
    }
    bytes
}

#[test]
fn many_at_a_time_gives_the_same_as_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 3);
    for backend in [Backend::MemoryMap, Backend::BlockCache] {
        let options = OpenOptions { backend, cache_mib: 1, ..OpenOptions::default() };
        let database = Database::open(dir.path(), &options).unwrap();
        // Not a multiple of the group, three slices without data, and one beyond the files.
        let mut positions = random_positions(&database, 4, 5003, 7);
        positions.extend(random_positions(&database, 2, 40, 8));
        let five = egdb::index::unrank("3020".parse().unwrap(), 77).unwrap();
        positions.insert(3, (five, movegen::Color::Black));
        let mut many = Vec::new();
        database.stored_many(&positions, |value| many.push(value)).unwrap();
        let single: Vec<Option<u16>> =
            positions.iter().map(|(p, side)| database.stored(p, *side).unwrap()).collect();
        assert_eq!(many, single);
        assert_eq!(many[3], None);
    }
}

fn stress(slices_of_4: usize, lookups: usize) {
    let dir = tempfile::tempdir().unwrap();
    let bytes = write(dir.path(), slices_of_4);
    let third = ((bytes / 3) >> 20).max(1) as usize;
    let open = |backend, cache_mib| {
        let options = OpenOptions { backend, cache_mib, ..OpenOptions::default() };
        Database::open(dir.path(), &options).unwrap()
    };
    let reference = open(Backend::MemoryMap, 64);
    let cached = open(Backend::BlockCache, third);
    let threads = 4;
    let wrong = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (reference, cached, wrong) = (&reference, &cached, &wrong);
            scope.spawn(move || {
                let mut done = 0;
                while done < lookups / threads {
                    let seed = (done * threads + thread) as u64;
                    for (board, side) in random_positions(reference, 4, 1 << 13, seed) {
                        let expected = reference.stored(&board, side).unwrap();
                        if cached.stored(&board, side).unwrap() != expected {
                            wrong.fetch_add(1, Ordering::Relaxed);
                        }
                        done += 1;
                    }
                }
            });
        }
    });
    assert_eq!(wrong.into_inner(), 0);
    let stats = cached.stats();
    let file = stats.total();
    assert!(file.loads as f64 > bytes as f64 / 4096.0, "nothing was evicted: {file:?}");
    assert!(file.misses > 0 && file.hits > 0, "{file:?}");
    assert_eq!(stats.requests, stats.answered);
    let memory = cached.memory();
    let all = memory.index + memory.tables + memory.cache;
    assert!(all as f64 <= (third << 20) as f64 * 1.05, "{memory:?} of {third} MiB");
}

#[test]
fn four_threads_with_eviction() {
    stress(4, 400_000);
}

#[test]
#[ignore = "minutes"]
fn four_threads_with_eviction_20_million() {
    stress(14, 20_000_000);
}
