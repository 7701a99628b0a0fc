//! The transposition table: what earlier searches found out about positions.
//!
//! An entry is two relaxed 64-bit atomics, the data and the key XOR the data, so that a reader of a
//! half-written entry sees a wrong key (Hyatt's lockless hashing). Four entries share a cache line;
//! the high half of key × number of lines picks the line, so any size in MiB works.
//!
//! Layout of the data, from the low end: move 16 bits, score 16, static evaluation 16, depth 8,
//! bound 2 (0: empty entry), age 6.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use egdb::huge_pages;
use movegen::Move;
use movegen::isa;

use movegen::{Bound, Score};

/// A move in 16 bits: from and to (12 bits) and the rank among the legal moves that share both
/// (4 bits), because captures of different pieces can do so.
///
/// Only a hint: [`TableMove::find`] looks for it among the legal moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableMove(u16);

impl TableMove {
    /// No move. From and to would be bit 63, which is not a square.
    pub const NONE: TableMove = TableMove(u16::MAX);
    const RANKS: usize = 15;

    /// A move of this list of legal moves, in any order; `NONE` for the rare one whose rank does
    /// not fit.
    #[inline]
    pub fn of(moves: &[Move], mv: Move) -> TableMove {
        let rank = if mv.is_capture() { rank(moves, mv) } else { 0 };
        if rank >= TableMove::RANKS {
            return TableMove::NONE;
        }
        TableMove((mv.from_to_index() | rank << 12) as u16)
    }

    /// The index of the move in the list of legal moves, if it is one.
    #[inline(always)]
    pub fn find(self, moves: &[Move]) -> Option<usize> {
        if self == TableMove::NONE {
            return None;
        }
        let from_to = usize::from(self.0 & 0xfff);
        let wanted = usize::from(self.0 >> 12);
        moves.iter().position(|&mv| {
            mv.from_to_index() == from_to && (!mv.is_capture() || rank(moves, mv) == wanted)
        })
    }
}

/// How many moves with the same from and to come before this one in numeric order.
fn rank(moves: &[Move], mv: Move) -> usize {
    let before = |other: &&Move| {
        other.from_to_index() == mv.from_to_index() && other.to_bits() < mv.to_bits()
    };
    moves.iter().filter(before).count()
}

/// The table's entry for a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hit {
    /// The best move, or the one that refuted.
    pub mv: TableMove,
    /// As the position itself sees it: the distance of a win counts from there.
    pub score: Score,
    /// The evaluation, if it was needed.
    pub eval: Option<Score>,
    /// The depth it was searched to.
    pub depth: i32,
    /// The kind of score.
    pub bound: Bound,
}

#[derive(Default)]
struct TtEntry {
    lock: AtomicU64,
    data: AtomicU64,
}

const ENTRIES: usize = 4;

#[derive(Default)]
#[repr(align(64))]
struct Bucket([TtEntry; ENTRIES]);

const BUCKET_BYTES: usize = size_of::<Bucket>();
const _: () = assert!(BUCKET_BYTES == 64);

/// Up to this number of lines [`TranspositionTable::clear`] really clears (32 MiB: a few
/// milliseconds).
const CLEAR_BUCKETS: usize = (32 << 20) / BUCKET_BYTES;

/// The lines that [`Table::fullness`] looks at.
const SAMPLE_BUCKETS: usize = 128;

const AGES: u64 = 64;
/// A search's worth of age counts as this many plies of depth when an entry must go.
const AGE_WEIGHT: i32 = 8;

/// No memory for a transposition table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no memory for a transposition table of {mib} MiB")]
pub struct OutOfMemory {
    /// The size asked for.
    pub mib: usize,
}

/// A table that threads share. The search asks it once at every node.
pub struct TranspositionTable {
    buckets: Vec<Bucket>,
    /// XORed into every stored key. Clearing changes it, after which no old entry matches.
    salt: u64,
    age: u64,
    mib: usize,
}

impl std::fmt::Debug for TranspositionTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TranspositionTable").field("mib", &self.mib).finish_non_exhaustive()
    }
}

/// Stands for no evaluation.
const NO_EVAL: i16 = i16::MIN;

const fn pack(
    mv: TableMove,
    score: Score,
    eval: Option<Score>,
    depth: i32,
    bound: Bound,
    age: u64,
) -> u64 {
    let eval = match eval {
        Some(eval) => eval.hundredths() as i16,
        None => NO_EVAL,
    };
    let bound = match bound {
        Bound::Upper => 1,
        Bound::Lower => 2,
        Bound::Exact => 3,
    };
    mv.0 as u64
        | (score.hundredths() as u16 as u64) << 16
        | (eval as u16 as u64) << 32
        | (depth as u8 as u64) << 48
        | bound << 56
        | age << 58
}

const fn depth_of(data: u64) -> i32 {
    (data >> 48) as u8 as i32
}

const fn bound_of(data: u64) -> Option<Bound> {
    match data >> 56 & 3 {
        1 => Some(Bound::Upper),
        2 => Some(Bound::Lower),
        3 => Some(Bound::Exact),
        _ => None,
    }
}

const fn eval_of(data: u64) -> Option<Score> {
    match (data >> 32) as i16 {
        NO_EVAL => None,
        eval => Some(Score::new(eval as i32)),
    }
}

const fn move_of(data: u64) -> TableMove {
    TableMove(data as u16)
}

impl TranspositionTable {
    /// An empty table of this size.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new(mib: usize) -> Result<TranspositionTable, OutOfMemory> {
        let out_of_memory = || OutOfMemory { mib };
        let count = mib.checked_mul((1 << 20) / BUCKET_BYTES).ok_or_else(out_of_memory)?;
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count).map_err(|_| out_of_memory())?;
        huge_pages::advise(buckets.spare_capacity_mut());
        buckets.resize_with(count, Bucket::default);
        Ok(TranspositionTable { buckets, salt: 0, age: 0, mib })
    }

    /// The size in MiB.
    pub const fn mib(&self) -> usize {
        self.mib
    }

    /// Forgets everything, in constant time for big tables: their entries stay, but their keys no
    /// longer match, and they are replaced first.
    pub fn clear(&mut self) {
        self.age = 0;
        if self.buckets.len() <= CLEAR_BUCKETS {
            self.buckets.fill_with(Bucket::default);
        } else {
            // Any sequence without short cycles will do.
            self.salt = self.salt.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1 << 63 | 1);
        }
    }

    /// A new search begins: entries of earlier ones become easier to replace.
    pub fn next_search(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    #[inline(always)]
    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize
    }

    /// Fetches the entry for this key into the processor's cache.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        isa::prefetch(&self.buckets[self.index(key)]);
    }

    /// The entry for this key.
    #[inline(always)]
    pub fn probe(&self, key: u64) -> Option<Hit> {
        let lock = key ^ self.salt;
        for entry in &self.buckets[self.index(key)].0 {
            let data = entry.data.load(Relaxed);
            if entry.lock.load(Relaxed) ^ data == lock
                && let Some(bound) = bound_of(data)
            {
                return Some(Hit {
                    mv: move_of(data),
                    score: Score::new(i32::from((data >> 16) as i16)),
                    eval: eval_of(data),
                    depth: depth_of(data),
                    bound,
                });
            }
        }
        None
    }

    /// Records a result. `depth` must be within 0..=255; the score is as the position sees it.
    /// Without a new move or evaluation the old one is kept.
    pub fn store(
        &self,
        key: u64,
        mut mv: TableMove,
        score: Score,
        mut eval: Option<Score>,
        depth: i32,
        bound: Bound,
    ) {
        let index = self.index(key);
        let lock = key ^ self.salt;
        let entries = &self.buckets[index].0;
        let mut victim = &entries[0];
        let mut least = i32::MAX;
        for entry in entries {
            let data = entry.data.load(Relaxed);
            let old_lock = entry.lock.load(Relaxed) ^ data;
            let age = (self.age + AGES - (data >> 58)) % AGES;
            if old_lock == lock && bound_of(data).is_some() {
                let known = move_of(data);
                if mv == TableMove::NONE {
                    mv = known;
                }
                eval = eval.or(eval_of(data));
                if age == 0 && depth < depth_of(data) && bound != Bound::Exact {
                    return;
                }
                victim = entry;
                break;
            }
            // Empty, or left over from before the last `clear`: its key belongs elsewhere.
            let is_left_over = self.salt != 0 && self.index(old_lock ^ self.salt) != index;
            let unused = bound_of(data).is_none() || is_left_over;
            let worth = if unused { i32::MIN } else { depth_of(data) - AGE_WEIGHT * age as i32 };
            if worth < least {
                least = worth;
                victim = entry;
            }
        }
        let data = pack(mv, score, eval, depth, bound, self.age);
        victim.data.store(data, Relaxed);
        victim.lock.store(lock ^ data, Relaxed);
    }

    /// The share of a sample of the table filled by the current search.
    pub fn fullness(&self) -> f64 {
        // Short searches ask for it after every iteration: 1000 lines were a sixth of the time of
        // self-play with 1000 nodes a move.
        let sample = &self.buckets[..self.buckets.len().min(SAMPLE_BUCKETS)];
        let mut used = 0;
        for (index, bucket) in sample.iter().enumerate() {
            for entry in &bucket.0 {
                let data = entry.data.load(Relaxed);
                let key = entry.lock.load(Relaxed) ^ data ^ self.salt;
                let current = bound_of(data).is_some() && data >> 58 == self.age;
                used += u32::from(current && self.index(key) == index);
            }
        }
        f64::from(used) / (sample.len() * ENTRIES) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::{Bitboard, Position, Square};

    fn key(i: u64) -> u64 {
        i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[test]
    fn an_entry_comes_back_as_stored() {
        let table = TranspositionTable::new(1).unwrap();
        let moves = Position::initial().legal_moves();
        let mv = TableMove::of(&moves, moves[3]);
        for (score, eval, depth, bound) in [
            (Score::win_in(3), None, 0, Bound::Lower),
            (Score::new(-7), Some(Score::eval(-8_000)), 255, Bound::Exact),
            (Score::loss_in(9), Some(Score::DRAW), 31, Bound::Upper),
        ] {
            let k = key(depth as u64 + 1);
            assert_eq!(table.probe(k), None);
            table.store(k, mv, score, eval, depth, bound);
            assert_eq!(table.probe(k), Some(Hit { mv, score, eval, depth, bound }));
        }
    }

    #[test]
    fn a_fail_low_keeps_what_is_known_and_depth_is_protected() {
        let table = TranspositionTable::new(1).unwrap();
        let moves = Position::initial().legal_moves();
        let mv = TableMove::of(&moves, moves[1]);
        table.store(5, mv, Score::new(10), Some(Score::new(4)), 8, Bound::Lower);
        table.store(5, TableMove::NONE, Score::new(3), None, 3, Bound::Upper);
        assert_eq!(table.probe(5).unwrap().depth, 8);
        table.store(5, TableMove::NONE, Score::new(3), None, 9, Bound::Upper);
        let hit = table.probe(5).unwrap();
        assert_eq!((hit.mv, hit.depth, hit.bound), (mv, 9, Bound::Upper));
        assert_eq!((hit.score, hit.eval), (Score::new(3), Some(Score::new(4))));
    }

    #[test]
    fn shallow_and_old_entries_go_first() {
        let mut table = TranspositionTable::new(1).unwrap();
        // Small keys all fall in the first line.
        for (k, depth) in [(1, 9), (2, 4), (3, 7), (4, 8)] {
            table.store(k, TableMove::NONE, Score::DRAW, None, depth, Bound::Exact);
        }
        table.store(5, TableMove::NONE, Score::DRAW, None, 1, Bound::Exact);
        assert!(table.probe(2).is_none() && table.probe(5).is_some());
        table.next_search();
        table.store(6, TableMove::NONE, Score::DRAW, None, 2, Bound::Exact);
        table.store(7, TableMove::NONE, Score::DRAW, None, 2, Bound::Exact);
        assert!(table.probe(6).is_some() && table.probe(7).is_some());
        assert!(table.probe(5).is_none() && table.probe(3).is_none());
    }

    #[test]
    fn clearing_forgets_in_small_and_big_tables() {
        for mib in [1, 64] {
            let mut table = TranspositionTable::new(mib).unwrap();
            for round in 0..3 {
                for i in 0..1000 {
                    table.store(i << 40, TableMove::NONE, Score::DRAW, None, 200, Bound::Exact);
                }
                assert!(table.fullness() > 0.0, "{mib} {round}");
                table.clear();
                assert!((0..1000).all(|i| table.probe(i << 40).is_none()));
                assert_eq!(table.fullness(), 0.0);
                // The left-overs are not in the way, however deep.
                for i in 0..4 {
                    table.store(i, TableMove::NONE, Score::DRAW, None, 0, Bound::Exact);
                }
                assert!((0..4).all(|i| table.probe(i).is_some()));
                table.clear();
            }
        }
    }

    /// Keeps `new-game` fast: nothing of a big table is written.
    #[test]
    fn clearing_a_big_table_leaves_its_memory_alone() {
        let mut table = TranspositionTable::new(64).unwrap();
        let last = u64::MAX;
        for key in [0, 1 << 40, last] {
            table.store(key, TableMove::NONE, Score::DRAW, None, 9, Bound::Exact);
        }
        let written = |table: &TranspositionTable| -> Vec<u64> {
            let entries = table.buckets.iter().flat_map(|bucket| &bucket.0);
            entries.map(|entry| entry.data.load(Relaxed)).filter(|&data| data != 0).collect()
        };
        let before = written(&table);
        assert_eq!(before.len(), 3);
        table.clear();
        assert_eq!(written(&table), before);
        assert!(table.probe(last).is_none());
    }

    #[test]
    fn impossible_sizes_are_refused() {
        assert!(matches!(TranspositionTable::new(usize::MAX), Err(OutOfMemory { .. })));
        assert!(matches!(TranspositionTable::new(1 << 42), Err(OutOfMemory { .. })));
    }

    #[test]
    fn captures_with_the_same_ends_are_told_apart() {
        let square = |n| Square::new(n).unwrap();
        let over = |n: [u8; 2]| n.into_iter().map(square).collect::<Bitboard>();
        let mv = |captured| Move::new(square(37), square(17), captured);
        let moves = [mv(over([31, 21])), mv(over([32, 22])), mv(over([32, 21]))];
        let turned = [moves[2], moves[1], moves[0]];
        for i in 0..3 {
            let packed = TableMove::of(&moves, moves[i]);
            assert_eq!(packed.find(&moves), Some(i));
            assert_eq!(TableMove::of(&turned, moves[i]), packed);
            assert_eq!(packed.find(&turned), Some(2 - i));
        }
        assert_eq!(TableMove::NONE.find(&moves), None);
    }
}
