//! The table of sub-tree counts that hashed perft shares between its threads.

use std::sync::atomic::{AtomicU64, Ordering};

use movegen::{Color, Position};

/// Bits of an entry's data that hold the depth; the count takes the rest.
const DEPTH_BITS: u32 = 8;
/// Counts above this are not kept.
const MAX_COUNT: u64 = u64::MAX >> DEPTH_BITS;
/// Entries that share one cache line and compete for its places.
const WAYS: usize = 4;
/// Bytes of a bucket.
const BUCKET: usize = size_of::<PerftBucket>();

/// A key and its data. The stored key is `key ^ data`, so that an entry half-written by each of two
/// threads fits no key.
#[derive(Default)]
struct PerftEntry {
    key_xor_data: AtomicU64,
    data: AtomicU64,
}

#[derive(Default)]
#[repr(align(64))]
struct PerftBucket([PerftEntry; WAYS]);

const _: () = assert!(BUCKET == 64);

/// Counts of sub-trees by position and depth. Lock-free: threads read and write entries without
/// waiting for one another.
pub(super) struct PerftTable {
    buckets: Vec<PerftBucket>,
}

impl PerftTable {
    /// A table of this size, at least one bucket; `None` without the memory for it.
    pub(super) fn new(mib: usize) -> Option<PerftTable> {
        let count = mib.checked_mul(1 << 20)? / BUCKET;
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count.max(1)).ok()?;
        buckets.resize_with(count.max(1), PerftBucket::default);
        Some(PerftTable { buckets })
    }

    /// The count of this sub-tree, if it is known.
    #[inline]
    pub(super) fn get(&self, address: TableAddress, depth: u32) -> Option<u64> {
        let key = address.lock;
        for entry in &self.bucket(address).0 {
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
    pub(super) fn put(&self, address: TableAddress, depth: u32, count: u64) {
        if count > MAX_COUNT || depth >= 1 << DEPTH_BITS {
            return;
        }
        let key = address.lock;
        let bucket = self.bucket(address);
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

    fn bucket(&self, address: TableAddress) -> &PerftBucket {
        let index = (u128::from(address.place) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }
}

/// The depth stored with an entry; 0, which is never stored, for an empty one.
fn depth_of(data: u64) -> u32 {
    (data & ((1 << DEPTH_BITS) - 1)) as u32
}

/// The place of a sub-tree, and its identifying bits.
///
/// Entries of one bucket agree in the bits that choose the bucket, so these bits tell nothing
/// more. Place and lock are therefore two different functions of position and depth: with a
/// thousand million look-ups a false match has a chance of about one in 10^9, where one key for
/// both would make it some percent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TableAddress {
    place: u64,
    lock: u64,
}

impl TableAddress {
    /// The address of the tree of this depth below a position.
    #[inline]
    pub(super) fn new(position: &Position, depth: u32) -> TableAddress {
        let spread = u64::from(depth).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let side = position.side_to_move().index() as u64;
        let [black, white] = Color::ALL.map(|color| position.pieces(color).bits());
        let kings = position.all_kings().bits();
        TableAddress {
            place: position.key() ^ spread,
            lock: fold(white ^ 0x243f_6a88_85a3_08d3, black ^ 0x1319_8a2e_0370_7344)
                ^ fold(kings ^ 0xa409_3822_299f_31d0, (spread ^ 0x082e_fa98_ec4e_6c89) + side),
        }
    }
}

/// Both halves of the product, mixed.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(key: u64, depth: u32) -> TableAddress {
        TableAddress { place: key << 32, lock: key << 8 | u64::from(depth) }
    }

    #[test]
    fn addresses_tell_positions_sides_and_depths_apart() {
        let start = Position::initial();
        let mut seen = std::collections::HashSet::new();
        for depth in 0..20 {
            for position in [start, start.with_other_side(), start.after(start.legal_moves()[0])] {
                let address = TableAddress::new(&position, depth);
                assert_eq!(address, TableAddress::new(&position, depth));
                assert!(seen.insert(address.lock), "{position:?} {depth}");
                assert!(seen.insert(address.place), "{position:?} {depth}");
            }
        }
    }

    #[test]
    fn what_is_put_is_got_and_nothing_else() {
        let table = PerftTable::new(1).unwrap();
        assert_eq!(table.get(at(0, 3), 3), None, "an empty entry fits no key");
        table.put(at(7, 3), 3, 1000);
        table.put(at(7, 4), 4, 10_000);
        assert_eq!(table.get(at(7, 3), 3), Some(1000));
        assert_eq!(table.get(at(7, 4), 4), Some(10_000));
        assert_eq!(table.get(at(7, 5), 5), None);
        assert_eq!(table.get(at(8, 3), 3), None);
        table.put(at(9, 3), 3, MAX_COUNT + 1);
        assert_eq!(table.get(at(9, 3), 3), None, "a count too large is not cut but left out");
    }

    #[test]
    fn a_full_bucket_gives_up_its_shallowest_entry() {
        let table = PerftTable { buckets: vec![PerftBucket::default()] };
        for (key, depth) in [(1, 5), (2, 3), (3, 4), (4, 6), (5, 4)] {
            table.put(at(key, depth), depth, key);
        }
        assert_eq!(table.get(at(2, 3), 3), None);
        for (key, depth) in [(1, 5), (3, 4), (4, 6), (5, 4)] {
            assert_eq!(table.get(at(key, depth), depth), Some(key));
        }
    }

    #[test]
    fn torn_entries_are_not_believed() {
        let table = PerftTable { buckets: vec![PerftBucket::default()] };
        table.put(at(1, 5), 5, 100);
        table.buckets[0].0[0].data.store(200 << DEPTH_BITS | 5, Ordering::Relaxed);
        assert_eq!(table.get(at(1, 5), 5), None);
    }
}
