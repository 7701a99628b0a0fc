//! Indexing, lookups and encoding on made-up values; every bench checks a result.

#![allow(clippy::disallowed_methods, reason = "a test that gets no thread has failed")]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use egdb::SubId;
use egdb::bench::{look_up, look_up_many, random_positions};
use egdb::codec::runs::RunReader;
use egdb::index::unrank;
use egdb::{Backend, Database, DbIndex, DbType, OpenOptions, Slice};
use egdb_build::encode::CodedWriter;
use egdb_build::encode::wld::{Chooser, Effort};
use movegen::random::{Random, mix};
use movegen::{Board, Color};

fn main() {
    divan::main();
}

/// Runs of random values and lengths.
fn values(seed: u64, start: u64, out: &mut [u16]) {
    let mut random = Random::new(seed << 40 ^ start);
    let mut i = 0;
    while i < out.len() {
        let len = 1 + random.below(24);
        let end = out.len().min(i + len);
        out[i..end].fill(1 + random.below(3) as u16);
        i = end;
    }
}

/// A version 2 database of 2 to 4 pieces in a temporary directory.
fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a temporary directory");
    for pieces in 2..=4 {
        let writer = CodedWriter::create(dir.path(), DbType::Wld2, &format!("db{pieces}"));
        let mut writer = writer.expect("a new file");
        for slice in Slice::stored(pieces) {
            for &side in slice.stored_sides() {
                let seed = slice.id() as u64 * 2 + side.index() as u64;
                let mut source = |start: u64, out: &mut [u16]| values(seed, start, out);
                writer.add(SubId { slice, sub: 0, side }, &mut source).expect("room on the disk");
            }
        }
        writer.finish().expect("room on the disk");
    }
    dir
}

fn open(backend: Backend, cache_mib: usize) -> (tempfile::TempDir, Database) {
    let dir = directory();
    let options = OpenOptions { backend, cache_mib, ..OpenOptions::default() };
    let database = Database::open(dir.path(), &options).expect("the files just written");
    (dir, database)
}

const COUNT: usize = 1 << 14;

#[divan::bench(args = [4, 6, 8])]
fn rank(bencher: Bencher<'_, '_>, pieces: u8) {
    let slices: Vec<Slice> = Slice::stored(pieces).collect();
    let positions: Vec<(Board, Color, u64)> = (0..COUNT as u64)
        .map(|i| {
            let slice = slices[i as usize % slices.len()];
            let index = mix(i) % slice.size();
            (unrank(slice, index).expect("in range"), Color::Black, index)
        })
        .collect();
    bencher.counter(ItemsCount::new(COUNT)).bench(|| {
        for (board, side, index) in &positions {
            let place = black_box(DbIndex::of_board(black_box(board), *side));
            assert_eq!(place.map(|p| p.index), Some(*index));
        }
    });
}

#[derive(Clone, Copy)]
enum Way {
    OneByOne,
    Many,
}

fn lookups(
    bencher: Bencher<'_, '_>,
    backend: Backend,
    cache_mib: usize,
    (threads, way): (usize, Way),
) {
    let (_dir, database) = open(backend, cache_mib);
    let positions = random_positions(&database, 4, COUNT, 1);
    let expected = look_up(&database, &positions).expect("good files");
    bencher.counter(ItemsCount::new(COUNT * threads)).bench(|| {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let sum = match way {
                        Way::OneByOne => look_up(&database, &positions),
                        Way::Many => look_up_many(&database, &positions),
                    };
                    assert_eq!(sum.ok(), Some(expected));
                });
            }
        });
    });
}

#[divan::bench(args = [1, 2])]
fn lookups_mapped(bencher: Bencher<'_, '_>, threads: usize) {
    lookups(bencher, Backend::MemoryMap, 64, (threads, Way::OneByOne));
}

#[divan::bench(args = [1, 2])]
fn lookups_mapped_many_at_a_time(bencher: Bencher<'_, '_>, threads: usize) {
    lookups(bencher, Backend::MemoryMap, 64, (threads, Way::Many));
}

#[divan::bench(args = [1, 2])]
fn lookups_in_small_cache(bencher: Bencher<'_, '_>, threads: usize) {
    lookups(bencher, Backend::BlockCache, 2, (threads, Way::OneByOne));
}

#[divan::bench]
fn encode_version_2(bencher: Bencher<'_, '_>) {
    let size = 1 << 20;
    bencher.counter(ItemsCount::new(size)).bench(|| {
        let mut source = |start: u64, out: &mut [u16]| values(1, start, out);
        let mut reader = RunReader::new(size, 2, &mut source);
        let mut chooser = Chooser::new(Effort::Normal);
        let mut bytes = Vec::new();
        let mut covered = 0;
        while covered < size {
            covered += chooser.next_block(&mut reader, 4096, &mut bytes).values;
        }
        assert_eq!(covered, size);
        bytes.len()
    });
}
