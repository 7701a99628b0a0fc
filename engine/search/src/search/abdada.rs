//! Which positions other threads are searching right now.
//!
//! A thread that meets a move begun by another thread tries the node's other moves first; when it
//! comes back to it, the table often has the answer ("simplified ABDADA", Tom Kerrigan). The
//! entries are hints: they may be lost or overwritten, and no result depends on them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const LINES: usize = 1 << 12;
const ENTRIES: usize = 4;
/// The key of a free entry. A position with this key counts as being searched, which does no harm.
const EMPTY: u64 = 0;

#[derive(Default)]
#[repr(align(32))]
struct Line([AtomicU64; ENTRIES]);

/// The positions, by their keys in the transposition table. Does nothing for a single thread.
pub(super) struct SearchedNow(Vec<Line>);

impl SearchedNow {
    pub(super) fn new(threads: usize) -> SearchedNow {
        let lines = if threads > 1 { LINES } else { 0 };
        SearchedNow(std::iter::repeat_with(Line::default).take(lines).collect())
    }

    /// Whether there is more than one thread.
    #[inline(always)]
    pub(super) fn is_shared(&self) -> bool {
        !self.0.is_empty()
    }

    #[inline(always)]
    fn line(&self, key: u64) -> &[AtomicU64; ENTRIES] {
        &self.0[key as usize % LINES].0
    }

    /// Whether some thread searches the position.
    #[inline(always)]
    fn has(&self, key: u64) -> bool {
        self.line(key).iter().any(|entry| entry.load(Relaxed) == key)
    }

    /// A thread begins to search the position. Returns its place until [`SearchedEntry::end`], or
    /// nothing if another thread has begun it.
    #[inline(always)]
    pub(super) fn begin(&self, key: u64) -> Option<SearchedEntry<'_>> {
        let line = self.line(key);
        if self.has(key) {
            return None;
        }
        let place = line.iter().find(|entry| entry.load(Relaxed) == EMPTY).unwrap_or(&line[0]);
        place.store(key, Relaxed);
        Some(SearchedEntry(place))
    }
}

/// The place of a position while it is searched.
pub(super) struct SearchedEntry<'a>(&'a AtomicU64);

impl SearchedEntry<'_> {
    /// The thread has searched the position, and others need not wait for it.
    #[inline(always)]
    pub(super) fn end(self) {
        // Only a store: the line may be with another processor.
        self.0.store(EMPTY, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_begun_is_busy_until_it_ends() {
        let searched = SearchedNow::new(2);
        let keys: Vec<u64> = (1..=4).map(|n| 7 + n * LINES as u64).collect();
        let mut places = Vec::new();
        for &key in &keys {
            places.push(searched.begin(key).unwrap());
            assert!(searched.begin(key).is_none());
        }
        // The line is full: one of them is forgotten.
        places.push(searched.begin(7).unwrap());
        assert!(searched.begin(7).is_none());
        assert_eq!(keys.iter().filter(|&&key| searched.has(key)).count(), 3);
        for place in places {
            place.end();
        }
        assert!(keys.iter().chain([&7]).all(|&key| !searched.has(key)));
        assert!(!SearchedNow::new(1).is_shared());
    }
}
