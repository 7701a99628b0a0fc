//! Playing weaker than the engine can.

use crate::limits::{Limits, Mode};

/// A playing level, from 1 to [`PlayingLevel::MAX`]. Below the last one a search for a move stops
/// after a number of nodes, whatever time there is, and uses one thread. The numbers were chosen by
/// matches so that each level is stronger than the one below it by about the same amount:
/// `docs/engine.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PlayingLevel(u8);

impl PlayingLevel {
    /// The weakest level.
    pub const MIN: u8 = 1;
    /// Full strength.
    pub const MAX: u8 = 10;
    /// Full strength.
    pub const FULL: PlayingLevel = PlayingLevel(PlayingLevel::MAX);

    /// Nodes of a move at the levels below the last one.
    const NODES: [u64; 9] = [64, 120, 230, 450, 900, 2_000, 5_000, 16_000, 64_000];

    /// For the levels from 2 on; a test compares them with `docs/engine.md`.
    const ELO_STEPS: [u32; 8] = [212, 241, 246, 196, 200, 177, 162, 110];

    /// This level; `None` outside 1..=10.
    #[must_use]
    pub const fn new(number: u8) -> Option<PlayingLevel> {
        match number {
            PlayingLevel::MIN..=PlayingLevel::MAX => Some(PlayingLevel(number)),
            _ => None,
        }
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Nodes after which a search for a move ends; `None` at full strength.
    #[must_use]
    pub fn nodes(self) -> Option<u64> {
        PlayingLevel::NODES.get(usize::from(self.0) - 1).copied()
    }

    /// How much stronger it plays than the level below it, in Elo; `None` where that was not
    /// measured. The match is described in `docs/engine.md`, "Levels".
    #[must_use]
    pub fn elo_step(self) -> Option<u32> {
        PlayingLevel::ELO_STEPS.get(usize::from(self.0).checked_sub(2)?).copied()
    }

    /// These limits at this level. An analysis is always at full strength.
    pub(crate) fn limits(self, limits: &Limits) -> Limits {
        let mut limits = limits.clone();
        if let Some(most) = self.nodes().filter(|_| limits.mode != Mode::Analyze) {
            limits.nodes = Some(limits.nodes.map_or(most, |nodes| nodes.min(most)));
        }
        limits
    }
}

impl Default for PlayingLevel {
    fn default() -> PlayingLevel {
        PlayingLevel::FULL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_cap_nodes_and_nothing_else() {
        assert_eq!(PlayingLevel::new(0), None);
        assert_eq!(PlayingLevel::new(11), None);
        assert_eq!(PlayingLevel::FULL.limits(&Limits::depth(7)), Limits::depth(7));
        let level = PlayingLevel::new(3).unwrap();
        assert_eq!(level.limits(&Limits::nodes(1000)).nodes, Some(230));
        assert_eq!(level.limits(&Limits::nodes(10)).nodes, Some(10));
        assert_eq!(level.limits(&Limits::depth(7)).depth, Some(7));
        let analysis = Limits::infinite(Mode::Analyze);
        assert_eq!(level.limits(&analysis), analysis);
        let nodes: Vec<_> = (1..=10).map(|n| PlayingLevel::new(n).unwrap().nodes()).collect();
        assert!(nodes[..9].is_sorted() && nodes[9].is_none());
    }
}
