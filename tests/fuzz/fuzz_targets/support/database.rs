//! A database whose files are the fuzzer's input: two bytes with the length of the index file
//! (lower first), the index file, the data file, both of the two-piece slices.

use std::path::PathBuf;
use std::sync::OnceLock;

use egdb::index::unrank;
use egdb::{Backend, Database, DbType, OpenOptions};

/// A folder of this process.
fn dir() -> &'static PathBuf {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let memory = PathBuf::from("/dev/shm");
        let base = if memory.is_dir() { memory } else { std::env::temp_dir() };
        let dir = base.join(format!("meerslag-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        dir
    })
}

pub fn check(db_type: DbType, input: &[u8]) {
    let Some((&[low, high], rest)) = input.split_first_chunk() else { return };
    let at = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
    let (index, data) = rest.split_at(at);
    let file = |extension| dir().join(format!("db2.{extension}"));
    std::fs::write(file(db_type.index_extension()), index).expect("written");
    std::fs::write(file(db_type.data_extension()), data).expect("written");
    let open = |backend| {
        let options = OpenOptions {
            db_type: Some(db_type),
            backend,
            cache_mib: 1,
            // There are no side files; the compact type has checksums in its blocks.
            compare: false,
            ..OpenOptions::default()
        };
        Database::open(dir(), &options)
    };
    let (mapped, cached) = match (open(Backend::MemoryMap), open(Backend::BlockCache)) {
        (Ok(mapped), Ok(cached)) => (mapped, cached),
        (Err(a), Err(b)) => return assert_eq!(a.to_string(), b.to_string()),
        (a, b) => panic!("{:?} and {:?}", a.err(), b.err()),
    };
    let damage = mapped.check_blocks(|_, _| true).expect("not stopped");
    assert_eq!(damage.len(), cached.check_blocks(|_, _| true).expect("not stopped").len());
    for id in mapped.contents() {
        let size = mapped.sub_size(id);
        let mut values = vec![0; size as usize];
        let read = mapped.read_values(id, 0, &mut values);
        if damage.is_empty() {
            assert!(read.as_ref().is_ok_and(|&is_there| is_there), "{read:?}");
        }
        for (i, &value) in values.iter().enumerate().step_by(29) {
            let board = unrank(id.slice, i as u64).expect("within the slice");
            let first = mapped.stored(&board, id.side);
            let second = cached.stored(&board, id.side);
            match (first, second) {
                (Ok(first), Ok(second)) => {
                    assert_eq!(first, second, "{id:?} {i}");
                    if read.is_ok() {
                        assert_eq!(first, Some(value), "{id:?} {i}");
                    }
                }
                (Err(_), Err(_)) => assert!(!damage.is_empty(), "{id:?} {i}"),
                (first, second) => panic!("{id:?} {i}: {first:?} and {second:?}"),
            }
        }
    }
}
