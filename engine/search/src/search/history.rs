//! Which moves have been good elsewhere in the tree.

use movegen::{Color, Move};

/// Probabilities in 1/4096 that a move raises alpha when tried, per side and from–to.
pub(super) struct History(Box<[[u16; 4096]; 2]>);

const ONE: u16 = 1 << 12;

impl History {
    pub(super) fn new() -> History {
        History(Box::new([[ONE / 2; 4096]; 2]))
    }

    pub(super) fn clear(&mut self) {
        for side in self.0.iter_mut() {
            side.fill(ONE / 2);
        }
    }

    /// The probability of the move, 0..=4096.
    #[inline(always)]
    pub(super) fn get(&self, side: Color, mv: Move) -> i32 {
        i32::from(self.0[side.index()][mv.from_to_index()])
    }

    /// The move raised alpha; counted as much as 1 in 2^rate.
    #[inline(always)]
    pub(super) fn good(&mut self, side: Color, mv: Move, rate: i32) {
        let p = &mut self.0[side.index()][mv.from_to_index()];
        *p += (ONE - *p) >> rate;
    }

    /// The move did not raise alpha; counted in the same way.
    #[inline(always)]
    pub(super) fn bad(&mut self, side: Color, mv: Move, rate: i32) {
        let p = &mut self.0[side.index()][mv.from_to_index()];
        *p -= *p >> rate;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::Position;

    #[test]
    fn probabilities_stay_probabilities() {
        let mut history = History::new();
        let mv = Position::initial().legal_moves()[0];
        let start = history.get(Color::White, mv);
        for _ in 0..10_000 {
            history.good(Color::White, mv, 5);
        }
        assert!(history.get(Color::White, mv) > start);
        assert!(history.get(Color::White, mv) <= 4096);
        assert_eq!(history.get(Color::Black, mv), start);
        for _ in 0..10_000 {
            history.bad(Color::White, mv, 5);
        }
        assert!(history.get(Color::White, mv) < start);
        history.clear();
        assert_eq!(history.get(Color::White, mv), start);
    }
}
