//! Which positions other threads are searching right now.
//!
//! A thread that comes to a move which another thread has begun tries the node's other moves first;
//! when it comes back to it, the table often has the answer ("simplified ABDADA", Tom Kerrigan).
//! What stands here is a hint: entries may be lost or overwritten, and no result depends on them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const LINES: usize = 1 << 12;
const ENTRIES: usize = 4;
/// No position has this key, or hardly one.
const EMPTY: u64 = 0;

#[derive(Default)]
#[repr(align(32))]
struct Line([AtomicU64; ENTRIES]);

/// The positions, by their keys in the transposition table. Of one thread alone, nothing.
pub(super) struct Busy(Vec<Line>);

impl Busy {
    pub(super) fn new(threads: usize) -> Busy {
        let lines = if threads > 1 { LINES } else { 0 };
        Busy(std::iter::repeat_with(Line::default).take(lines).collect())
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
    pub(super) fn has(&self, key: u64) -> bool {
        self.line(key).iter().any(|entry| entry.load(Relaxed) == key)
    }

    /// A thread begins to search the position.
    #[inline(always)]
    pub(super) fn begin(&self, key: u64) {
        let line = self.line(key);
        if self.has(key) {
            return;
        }
        let free = line.iter().find(|entry| entry.load(Relaxed) == EMPTY);
        free.unwrap_or(&line[0]).store(key, Relaxed);
    }

    /// A thread has searched the position, and others need not wait for it.
    #[inline(always)]
    pub(super) fn end(&self, key: u64) {
        for entry in self.line(key) {
            if entry.load(Relaxed) == key {
                entry.store(EMPTY, Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_begun_is_busy_until_it_ends() {
        let busy = Busy::new(2);
        let keys: Vec<u64> = (1..=4).map(|n| 7 + n * LINES as u64).collect();
        for &key in &keys {
            assert!(!busy.has(key));
            busy.begin(key);
            busy.begin(key);
        }
        assert!(keys.iter().all(|&key| busy.has(key)));
        // The line is full: one of them is forgotten.
        busy.begin(7);
        assert!(busy.has(7));
        assert_eq!(keys.iter().filter(|&&key| busy.has(key)).count(), 3);
        for key in keys.into_iter().chain([7]) {
            busy.end(key);
            assert!(!busy.has(key));
        }
        assert!(!Busy::new(1).is_shared());
    }
}
