//! The memory of the proof search: proof and disproof numbers by position and attacker, in a
//! table of fixed size. Results lost to newer entries are only found again, never wrong.

use movegen::{Color, Position};

/// Proof or disproof number of the impossible.
pub(super) const INFINITE: u32 = 1 << 30;

/// What is known about "the attacker wins this position".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ProofEntry {
    /// The attacker wins within this many plies, or reaches the databases within them where these
    /// have no distances.
    Proved(u32),
    /// The search found no win. Repetitions count as the attacker's failure, so this may hold only
    /// below a position of the path, whose key ends with these bits.
    Denied(Option<u32>),
    /// Proof and disproof number.
    Open(u32, u32),
}

#[derive(Clone, Copy, Default)]
struct ProofSlot {
    key: u64,
    /// Both numbers are 0 in an empty slot.
    proof: u32,
    disproof: u32,
    /// Distance of a proof, condition of a denial (0: none).
    extra: u32,
    /// Positions visited below this one.
    work: u32,
}

const WAYS: usize = 4;

/// The table.
pub(super) struct ProofTable {
    slots: Vec<ProofSlot>,
    is_clean: bool,
}

/// The two attackers' entries about a position must differ.
fn key(position: &Position, attacker: Color) -> u64 {
    match attacker {
        Color::White => position.key(),
        Color::Black => position.key() ^ 0x5bd1_e995_97f4_a7c5,
    }
}

/// The bits of a position's key that identify it as the condition of a denial; never 0.
pub(super) fn condition(position: &Position) -> u32 {
    position.key() as u32 | 1
}

impl ProofTable {
    /// A table of about this size; memory is taken when it is first used.
    pub(super) fn new(mib: usize) -> ProofTable {
        let buckets = (mib.max(1) << 20) / (size_of::<ProofSlot>() * WAYS);
        ProofTable { slots: vec![ProofSlot::default(); buckets * WAYS], is_clean: true }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        if !self.is_clean {
            self.slots.fill(ProofSlot::default());
            self.is_clean = true;
        }
    }

    fn bucket(&self, key: u64) -> usize {
        let buckets = (self.slots.len() / WAYS) as u128;
        ((u128::from(key) * buckets) >> 64) as usize * WAYS
    }

    pub(super) fn get(&self, position: &Position, attacker: Color) -> Option<ProofEntry> {
        let key = key(position, attacker);
        let first = self.bucket(key);
        let is_it = |s: &&ProofSlot| s.key == key && (s.proof, s.disproof) != (0, 0);
        let slot = self.slots[first..first + WAYS].iter().find(is_it)?;
        Some(match (slot.proof, slot.disproof) {
            (0, _) => ProofEntry::Proved(slot.extra),
            (_, 0) => ProofEntry::Denied((slot.extra != 0).then_some(slot.extra)),
            (proof, disproof) => ProofEntry::Open(proof, disproof),
        })
    }

    /// Stores an entry; of those that compete for the place, the one that took least work is
    /// dropped. A proof is never replaced by a denial.
    pub(super) fn put(
        &mut self,
        position: &Position,
        attacker: Color,
        known: ProofEntry,
        work: u64,
    ) {
        self.is_clean = false;
        let key = key(position, attacker);
        let first = self.bucket(key);
        let (proof, disproof, extra) = match known {
            ProofEntry::Proved(plies) => (0, INFINITE, plies),
            ProofEntry::Denied(condition) => (INFINITE, 0, condition.unwrap_or(0)),
            ProofEntry::Open(proof, disproof) => (proof, disproof, 0),
        };
        let work = u32::try_from(work).unwrap_or(u32::MAX).saturating_add(1);
        let bucket = &mut self.slots[first..first + WAYS];
        let worth = |s: &ProofSlot| match (s.proof, s.disproof) {
            (0, 0) => 0,
            (0, _) | (_, 0) => s.work.saturating_mul(2).saturating_add(8),
            _ => s.work,
        };
        let place = bucket
            .iter()
            .position(|s| s.key == key)
            .unwrap_or_else(|| (0..WAYS).min_by_key(|&i| worth(&bucket[i])).unwrap_or(0));
        let slot = &mut bucket[place];
        let is_same = slot.key == key && (slot.proof, slot.disproof) != (0, 0);
        if is_same && slot.proof == 0 && (proof != 0 || slot.extra <= extra) {
            return;
        }
        let work = if is_same { slot.work.saturating_add(work) } else { work };
        *slot = ProofSlot { key, proof, disproof, extra, work };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_both_attackers() {
        let mut table = ProofTable::new(1);
        let position = Position::initial();
        assert_eq!(table.get(&position, Color::White), None);
        table.put(&position, Color::White, ProofEntry::Open(3, 4), 5);
        table.put(&position, Color::Black, ProofEntry::Denied(None), 5);
        assert_eq!(table.get(&position, Color::White), Some(ProofEntry::Open(3, 4)));
        assert_eq!(table.get(&position, Color::Black), Some(ProofEntry::Denied(None)));
        table.put(&position, Color::White, ProofEntry::Proved(9), 5);
        table.put(&position, Color::White, ProofEntry::Denied(Some(7)), 500);
        table.put(&position, Color::White, ProofEntry::Proved(11), 500);
        assert_eq!(table.get(&position, Color::White), Some(ProofEntry::Proved(9)));
        table.clear();
        assert_eq!(table.get(&position, Color::White), None);
    }

    /// Far more positions than slots: those found were put last.
    #[test]
    fn a_full_table() {
        let mut table = ProofTable::new(1);
        let mut layer = vec![Position::initial()];
        let mut all = Vec::new();
        while all.len() < 4 * table.slots.len() {
            layer = layer
                .iter()
                .flat_map(|p| p.legal_moves().iter().map(|&mv| p.after(mv)).collect::<Vec<_>>())
                .collect();
            all.extend(layer.iter().copied());
        }
        let value = |p: &Position| ProofEntry::Open(1 + (p.key() as u32 >> 4), 2);
        for position in &all {
            table.put(position, Color::White, value(position), position.key() & 0xff);
        }
        let found = all.iter().filter_map(|p| table.get(p, Color::White).map(|k| (p, k)));
        let mut count = 0;
        for (position, known) in found {
            assert_eq!(known, value(position));
            count += 1;
        }
        assert!(count > table.slots.len() / 4, "{count} of {}", table.slots.len());
    }
}
