//! The fixed pieces of a row of positions, and the captures that they allow.

use movegen::Color;
use movegen::geometry::{SQUARES, STEPS, bits, shift};

/// The pieces of a row of positions: one king stands on each square in turn, the others do not
/// move.
#[derive(Clone, Copy)]
pub(super) struct FixedValues {
    /// All fixed pieces by colour.
    pub pieces: [u64; 2],
    /// The fixed kings of both colours.
    pub kings: u64,
    /// The colour of the king that stands on each square in turn.
    pub moving: Color,
}

impl FixedValues {
    /// A row of the arrangement with these men, by colour.
    #[inline(always)]
    pub(super) const fn new(men: [u64; 2], kings: [u64; 2], moving: Color) -> FixedValues {
        let pieces = [men[0] | kings[0], men[1] | kings[1]];
        FixedValues { pieces, kings: kings[0] | kings[1], moving }
    }

    /// The squares of the moving king where the index counts the position in this row and no other:
    /// those below the other kings of its colour.
    #[inline(always)]
    pub(super) const fn counted(&self) -> u64 {
        let same = self.pieces[self.moving.index()] & self.kings;
        SQUARES & !self.occupied() & (same & same.wrapping_neg()).wrapping_sub(1)
    }

    #[inline(always)]
    pub(super) const fn occupied(&self) -> u64 {
        self.pieces[0] | self.pieces[1]
    }

    /// The squares of the moving king where this side has a capture.
    #[inline(always)]
    pub(super) fn captures(&self, side: Color) -> u64 {
        let occupied = self.occupied();
        let empty = SQUARES & !occupied;
        let own = self.pieces[side.index()];
        let other = self.pieces[side.opponent().index()];
        let is_moving_own = self.moving == side;
        let mut found = 0;

        // By a fixed man: of a fixed piece unless the king stands behind it, or of the king.
        let men = own & !self.kings;
        for step in STEPS {
            for near in bits(shift(men, step) & other) {
                let behind = shift(near, step);
                if behind & empty != 0 {
                    found |= empty & !behind;
                }
            }
            if !is_moving_own {
                found |= shift(men, step) & empty & shift(empty, -step);
            }
        }

        // By a fixed king: the moving king in its way is a victim or an obstacle.
        for king in bits(own & self.kings) {
            for step in STEPS {
                let mut path = 0;
                let mut at = shift(king, step);
                while at & empty != 0 {
                    if !is_moving_own && shift(at, step) & empty != 0 {
                        found |= at;
                    }
                    path |= at;
                    at = shift(at, step);
                }
                let behind = shift(at, step);
                if at & other != 0 && behind & empty != 0 {
                    found |= empty & !path & !behind;
                }
            }
        }

        if is_moving_own {
            for step in STEPS {
                // A victim with an empty square behind it, seen from the empty squares before.
                let victims = other & shift(empty, step);
                let mut at = shift(victims, step) & empty;
                // The king would have to be on the other side of the victim.
                at &= SQUARES;
                let mut from = at;
                while at != 0 {
                    at = shift(at, step) & empty;
                    from |= at;
                }
                found |= from;
            }
        }
        found
    }
}
