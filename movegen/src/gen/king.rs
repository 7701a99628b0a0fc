//! King slides and first captures.
//!
//! A ray is a constant pattern of bits five or six apart, shifted to the king's square. It may
//! run over the edge: there it meets a ghost bit or a bit above 53, which is never empty and
//! never an enemy, so the nearest non-empty bit of a ray always ends it correctly.

const fn ray_up(step: u32) -> u64 {
    let mut bits = 0;
    let mut i = 63 - step as i32;
    while i >= 63 - 9 * step as i32 {
        bits |= 1 << i;
        i -= step as i32;
    }
    bits
}

const fn ray_down(step: u32) -> u64 {
    let mut bits = 0;
    let mut i = step;
    while i <= 9 * step {
        bits |= 1 << i;
        i += step;
    }
    bits
}

const UP_LEFT: u64 = ray_up(6);
const UP_RIGHT: u64 = ray_up(5);
const DOWN_LEFT: u64 = ray_down(5);
const DOWN_RIGHT: u64 = ray_down(6);

/// One of the four diagonal directions, as White sees the board.
pub(crate) trait Direction {
    /// One perpendicular direction.
    type Side1: Direction;
    /// The other perpendicular direction.
    type Side2: Direction;

    /// Tells the four directions apart, in bits above the board.
    const TAG: u64;

    /// Moves all squares one step; a step over the edge ends outside the fifty squares.
    fn step(set: u64) -> u64;

    /// The first bit on the ray from the square with this bit number that is in `blockers`, or 0.
    /// `blockers` must hold every bit that is no empty square.
    fn nearest(from: u32, blockers: u64) -> u64;

    /// The squares of the ray from `from` (exclusive) to its nearest blocker (exclusive).
    fn open(from: u32, blockers: u64) -> u64;
}

pub(crate) struct UpLeft;
pub(crate) struct UpRight;
pub(crate) struct DownLeft;
pub(crate) struct DownRight;

macro_rules! direction {
    (up $name:ident, $tag:literal, $ray:ident, $step:literal, $side1:ident, $side2:ident) => {
        impl Direction for $name {
            type Side1 = $side1;
            type Side2 = $side2;
            const TAG: u64 = $tag << 62;

            #[inline(always)]
            fn step(set: u64) -> u64 {
                set >> $step
            }

            #[inline(always)]
            fn nearest(from: u32, blockers: u64) -> u64 {
                // Bit 0 stands for "nothing found": no square lies beyond it, so it can never
                // be captured, and as an empty square it would be no blocker.
                let hit = $ray >> (63 - from) & blockers | 1;
                1 << (63 - hit.leading_zeros())
            }

            #[inline(always)]
            fn open(from: u32, blockers: u64) -> u64 {
                let ray = $ray >> (63 - from);
                let hit = ray & blockers | 1;
                // The bits above the nearest blocker. If nothing was hit, bit 0 itself is free
                // when it is no blocker.
                let above = u64::MAX << (63 - hit.leading_zeros());
                ray & above & !blockers
            }
        }
    };
    (down $name:ident, $tag:literal, $ray:ident, $step:literal, $side1:ident, $side2:ident) => {
        impl Direction for $name {
            type Side1 = $side1;
            type Side2 = $side2;
            const TAG: u64 = $tag << 62;

            #[inline(always)]
            fn step(set: u64) -> u64 {
                set << $step
            }

            #[inline(always)]
            fn nearest(from: u32, blockers: u64) -> u64 {
                let hit = $ray << from & blockers;
                hit & hit.wrapping_neg()
            }

            #[inline(always)]
            fn open(from: u32, blockers: u64) -> u64 {
                let ray = $ray << from;
                let hit = ray & blockers;
                ray & (hit & hit.wrapping_neg()).wrapping_sub(1)
            }
        }
    };
}
direction!(up UpLeft, 0, UP_LEFT, 6, UpRight, DownLeft);
direction!(up UpRight, 1, UP_RIGHT, 5, UpLeft, DownRight);
direction!(down DownLeft, 2, DOWN_LEFT, 5, UpLeft, DownRight);
direction!(down DownRight, 3, DOWN_RIGHT, 6, UpRight, DownLeft);

/// The squares to which the king on `from` (one bit) can slide.
#[inline(always)]
pub(crate) fn slides(from: u64, empty: u64) -> u64 {
    let (bit, blockers) = (from.trailing_zeros(), !empty);
    UpLeft::open(bit, blockers)
        | UpRight::open(bit, blockers)
        | DownLeft::open(bit, blockers)
        | DownRight::open(bit, blockers)
}

/// Number of slides of all these kings.
#[inline(always)]
pub(crate) fn count_slides(mut kings: u64, empty: u64) -> u32 {
    let mut count = 0;
    while kings != 0 {
        let from = kings & kings.wrapping_neg();
        kings ^= from;
        count += slides(from, empty).count_ones();
    }
    count
}

/// The enemy piece that a king on bit `from` would capture first in this direction, or 0.
#[inline(always)]
pub(crate) fn target<D: Direction>(from: u32, enemy: u64, empty: u64) -> u64 {
    let nearest = D::nearest(from, !empty);
    if D::step(nearest & enemy) & empty != 0 { nearest } else { 0 }
}

/// Whether one of these kings can capture.
#[inline(always)]
pub(crate) fn can_capture(mut kings: u64, enemy: u64, empty: u64) -> bool {
    while kings != 0 {
        let from = kings.trailing_zeros();
        kings &= kings - 1;
        let hits = target::<UpLeft>(from, enemy, empty)
            | target::<UpRight>(from, enemy, empty)
            | target::<DownLeft>(from, enemy, empty)
            | target::<DownRight>(from, enemy, empty);
        if hits != 0 {
            return true;
        }
    }
    false
}
