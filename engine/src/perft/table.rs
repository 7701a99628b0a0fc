//! The table of sub-tree counts that hashed perft shares between its threads.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bits of an entry's data that hold the depth; the count takes the rest.
const DEPTH_BITS: u32 = 8;
/// Counts above this are not kept.
const MAX_COUNT: u64 = u64::MAX >> DEPTH_BITS;
/// Entries that share one cache line and compete for its places.
const WAYS: usize = 4;
/// Bytes of a bucket.
const BUCKET: usize = size_of::<Bucket>();

/// A key and its data. The stored key is `key ^ data`, so that an entry of which two threads
/// wrote one half each fits no key.
#[derive(Default)]
struct Entry {
    key_xor_data: AtomicU64,
    data: AtomicU64,
}

#[derive(Default)]
#[repr(align(64))]
struct Bucket([Entry; WAYS]);

const _: () = assert!(BUCKET == 64);

/// Counts of sub-trees by position and depth. Lock-free: threads read and write entries without
/// waiting for one another.
pub(super) struct Table {
    buckets: Vec<Bucket>,
}

impl Table {
    /// A table of this size, at least one bucket; `None` without the memory for it.
    pub(super) fn new(mib: usize) -> Option<Table> {
        let count = mib.checked_mul(1 << 20)? / BUCKET;
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count.max(1)).ok()?;
        buckets.resize_with(count.max(1), Bucket::default);
        Some(Table { buckets })
    }

    /// The count of this sub-tree, if it is known.
    #[inline]
    pub(super) fn get(&self, position_key: u64, depth: u32) -> Option<u64> {
        let key = keyed(position_key, depth);
        for entry in &self.bucket(key).0 {
            let data = entry.data.load(Ordering::Relaxed);
            let found = entry.key_xor_data.load(Ordering::Relaxed) ^ data == key;
            if found && depth_of(data) == depth {
                return Some(data >> DEPTH_BITS);
            }
        }
        None
    }

    /// Keeps the count of this sub-tree, in the place of the shallowest of its bucket.
    #[inline]
    pub(super) fn put(&self, position_key: u64, depth: u32, count: u64) {
        if count > MAX_COUNT || depth >= 1 << DEPTH_BITS {
            return;
        }
        let key = keyed(position_key, depth);
        let bucket = self.bucket(key);
        let mut place = &bucket.0[0];
        for entry in &bucket.0 {
            let data = entry.data.load(Ordering::Relaxed);
            if entry.key_xor_data.load(Ordering::Relaxed) ^ data == key {
                return;
            }
            if depth_of(data) < depth_of(place.data.load(Ordering::Relaxed)) {
                place = entry;
            }
        }
        let data = count << DEPTH_BITS | u64::from(depth);
        place.key_xor_data.store(key ^ data, Ordering::Relaxed);
        place.data.store(data, Ordering::Relaxed);
    }

    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }
}

/// The depth with which an entry was stored; 0, which is never stored, for an empty one.
fn depth_of(data: u64) -> u32 {
    (data & ((1 << DEPTH_BITS) - 1)) as u32
}

/// The position's key made different for each depth, spread over all bits.
fn keyed(position_key: u64, depth: u32) -> u64 {
    position_key ^ u64::from(depth).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_got_and_nothing_else() {
        let table = Table::new(1).unwrap();
        assert_eq!(table.get(0, 3), None, "an empty entry fits no key");
        table.put(7, 3, 1000);
        table.put(7, 4, 10_000);
        assert_eq!(table.get(7, 3), Some(1000));
        assert_eq!(table.get(7, 4), Some(10_000));
        assert_eq!(table.get(7, 5), None);
        assert_eq!(table.get(8, 3), None);
        table.put(9, 3, MAX_COUNT + 1);
        assert_eq!(table.get(9, 3), None, "a count too large is not cut but left out");
    }

    #[test]
    fn a_full_bucket_gives_up_its_shallowest_entry() {
        let table = Table { buckets: vec![Bucket::default()] };
        for (key, depth) in [(1, 5), (2, 3), (3, 4), (4, 6), (5, 4)] {
            table.put(key, depth, key);
        }
        assert_eq!(table.get(2, 3), None);
        for (key, depth) in [(1, 5), (3, 4), (4, 6), (5, 4)] {
            assert_eq!(table.get(key, depth), Some(key));
        }
    }

    #[test]
    fn torn_entries_are_not_believed() {
        let table = Table { buckets: vec![Bucket::default()] };
        table.put(1, 5, 100);
        table.buckets[0].0[0].data.store(200 << DEPTH_BITS | 5, Ordering::Relaxed);
        assert_eq!(table.get(1, 5), None);
    }
}
