//! Sets of squares as words: rays, slides and captures for one piece on all of its squares at
//! once.
//!
//! The board layout is that of [`movegen::Bitboard`]: a step along a diagonal is a shift by five
//! or six, and the bits between the rows are always 0, so that a shift off the board lands on
//! one of them or beyond the last square.

use movegen::Color;

/// The fifty squares.
pub(super) const BOARD: u64 = {
    let mut set = 0;
    let mut s = 0;
    while s < 50 {
        set |= 1 << (s + s / 10);
        s += 1;
    }
    set
};

/// Steps along the diagonals; the first two go forward for Black.
pub(super) const STEPS: [i32; 4] = [5, 6, -5, -6];

/// The steps forward of a man.
#[inline(always)]
pub(super) const fn forward(color: Color) -> [i32; 2] {
    match color {
        Color::Black => [5, 6],
        Color::White => [-5, -6],
    }
}

/// The row on which the men of a side are crowned.
#[inline(always)]
pub(super) const fn promotion_row(color: Color) -> u64 {
    match color {
        Color::Black => 0x1f << 49,
        Color::White => 0x1f,
    }
}

#[inline(always)]
pub(super) const fn shift(set: u64, step: i32) -> u64 {
    if step > 0 { set << step } else { set >> -step }
}

/// The board turned by 180 degrees.
#[inline(always)]
pub(super) const fn turned(set: u64) -> u64 {
    set.reverse_bits() >> 10
}

/// The squares from which a king reaches one of `targets` in one slide over empty squares.
/// `targets` is a subset of `empty`; the king's own square counts as empty.
#[inline(always)]
pub(super) const fn slides_to(targets: u64, empty: u64) -> u64 {
    let mut all = 0;
    let mut k = 0;
    while k < 4 {
        let step = STEPS[k];
        let (mut from, mut open) = (targets, empty);
        from |= open & shift(from, step);
        open &= shift(open, step);
        from |= open & shift(from, 2 * step);
        open &= shift(open, 2 * step);
        from |= open & shift(from, 4 * step);
        open &= shift(open, 4 * step);
        from |= open & shift(from, 8 * step);
        all |= shift(from, step) & empty;
        k += 1;
    }
    all
}

/// Whether men have a capture on a board without kings.
pub(super) const fn captures_of_men(own: u64, other: u64) -> bool {
    let empty = BOARD & !(own | other);
    let mut k = 0;
    while k < 4 {
        if shift(shift(own, STEPS[k]) & other, STEPS[k]) & empty != 0 {
            return true;
        }
        k += 1;
    }
    false
}

/// The pieces of a row of positions: one king stands on each square in turn, the others do not
/// move.
#[derive(Clone, Copy)]
pub(super) struct Fixed {
    /// All fixed pieces by colour.
    pub pieces: [u64; 2],
    /// The fixed kings of both colours.
    pub kings: u64,
    /// The colour of the king that stands on each square in turn.
    pub moving: Color,
}

impl Fixed {
    #[inline(always)]
    pub(super) const fn occupied(&self) -> u64 {
        self.pieces[0] | self.pieces[1]
    }

    /// The squares of the moving king from which this side has a capture.
    #[inline(always)]
    pub(super) fn captures(&self, side: Color) -> u64 {
        let occupied = self.occupied();
        let empty = BOARD & !occupied;
        let own = self.pieces[side.index()];
        let other = self.pieces[side.opponent().index()];
        let is_moving_own = self.moving == side;
        let mut found = 0;

        // By a fixed man: of a fixed piece unless the king stands behind it, or of the king.
        let men = own & !self.kings;
        for step in STEPS {
            let mut near = shift(men, step) & other;
            while near != 0 {
                let behind = shift(near & near.wrapping_neg(), step);
                if behind & empty != 0 {
                    found |= empty & !behind;
                }
                near &= near - 1;
            }
            if !is_moving_own {
                found |= shift(men, step) & empty & shift(empty, -step);
            }
        }

        // By a fixed king: the moving king in its way is a victim or an obstacle.
        let mut kings = own & self.kings;
        while kings != 0 {
            let king = kings & kings.wrapping_neg();
            kings &= kings - 1;
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
                // The king would have to come from the other side of the victim.
                at &= BOARD;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slides_equal_walks() {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        for _ in 0..20_000 {
            let empty = BOARD & (next() | next());
            let targets = empty & next() & next();
            let mut expected = 0;
            for bit in 0..54 {
                let from = 1u64 << bit;
                if from & empty == 0 {
                    continue;
                }
                for step in STEPS {
                    let mut at = shift(from, step);
                    while at & empty != 0 {
                        if at & targets != 0 {
                            expected |= from;
                        }
                        at = shift(at, step);
                    }
                }
            }
            assert_eq!(slides_to(targets, empty), expected);
        }
    }
}
