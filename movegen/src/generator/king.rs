//! King slides and first captures.
//!
//! A ray is a constant pattern of bits five or six apart, shifted to the king's square. It may
//! run over the edge: there it meets a ghost bit or a bit above 53, which is never empty and
//! never an enemy, so the nearest non-empty bit of a ray always ends it correctly.

use super::{FromBehind, Visitor};
use crate::geometry;
use crate::piece::Kind;

const fn ray_up(step: u32) -> u64 {
    let mut bits = 0;
    let mut i = 1;
    while i <= 9 {
        bits |= 1 << (63 - i * step);
        i += 1;
    }
    bits
}

const fn ray_down(step: u32) -> u64 {
    let mut bits = 0;
    let mut i = 1;
    while i <= 9 {
        bits |= 1 << (i * step);
        i += 1;
    }
    bits
}

/// One of the four diagonal directions, as White sees the board.
pub(crate) trait Direction {
    /// One perpendicular direction.
    type Side1: Direction;
    /// The other perpendicular direction.
    type Side2: Direction;
    /// The way back.
    type Opposite: Direction;

    /// Distinguishes the four directions, in bits above the board.
    const TAG: u64;

    /// One of [`geometry::STEPS`].
    const STEP: i32;

    /// Moves all squares `n` steps; steps over the edge end outside the fifty squares.
    #[inline(always)]
    fn step(set: u64, n: i32) -> u64 {
        geometry::shift(set, Self::STEP * n)
    }

    /// The first bit on the ray from the square with this bit number that is in `blockers`, or the
    /// last bit before the edge. `blockers` must hold every bit that is not an empty square.
    fn nearest(from: u32, blockers: u64) -> u64;

    /// The first bit on the ray as [`Direction::nearest`], and the squares before it.
    fn look(from: u32, blockers: u64) -> (u64, u64);

    /// [`geometry::fill`] in this direction.
    #[inline(always)]
    fn fill(kings: u64, empty: u64) -> u64 {
        geometry::fill(kings, empty, Self::STEP)
    }
}

pub(crate) struct UpLeft;
pub(crate) struct UpRight;
pub(crate) struct DownLeft;
pub(crate) struct DownRight;

macro_rules! direction {
    (up $name:ident, $tag:literal, $step:literal, $side1:ident, $side2:ident, $opposite:ident) => {
        impl Direction for $name {
            type Side1 = $side1;
            type Side2 = $side2;
            type Opposite = $opposite;
            const TAG: u64 = $tag << 62;
            const STEP: i32 = -$step;

            #[inline(always)]
            fn nearest(from: u32, blockers: u64) -> u64 {
                const RAY: u64 = ray_up($step);
                let hit = RAY >> (63 - from) & blockers | 1;
                1 << (63 - hit.leading_zeros())
            }

            #[inline(always)]
            fn look(from: u32, blockers: u64) -> (u64, u64) {
                const RAY: u64 = ray_up($step);
                let nearest = Self::nearest(from, blockers);
                (nearest, RAY >> (63 - from) & nearest.wrapping_neg() & !blockers)
            }
        }
    };
    (down $name:ident, $tag:literal, $step:literal, $side1:ident, $side2:ident, $opposite:ident) => {
        impl Direction for $name {
            type Side1 = $side1;
            type Side2 = $side2;
            type Opposite = $opposite;
            const TAG: u64 = $tag << 62;
            const STEP: i32 = $step;

            #[inline(always)]
            fn nearest(from: u32, blockers: u64) -> u64 {
                const RAY: u64 = ray_down($step);
                let hit = RAY << from & blockers;
                hit & hit.wrapping_neg()
            }

            #[inline(always)]
            fn look(from: u32, blockers: u64) -> (u64, u64) {
                const RAY: u64 = ray_down($step);
                let nearest = Self::nearest(from, blockers);
                (nearest, RAY << from & nearest.wrapping_sub(1))
            }
        }
    };
}
direction!(up UpLeft, 0, 6, UpRight, DownLeft, DownRight);
direction!(up UpRight, 1, 5, UpLeft, DownRight, DownLeft);
direction!(down DownLeft, 2, 5, UpLeft, DownRight, UpRight);
direction!(down DownRight, 3, 6, UpRight, DownLeft, UpLeft);

/// The enemy pieces that kings on these squares would capture first in this direction.
#[inline(always)]
pub(crate) fn targets<D: Direction>(kings: u64, enemy: u64, empty: u64) -> u64 {
    D::step(D::fill(kings, empty), 1) & enemy & D::Opposite::step(empty, 1)
}

/// How far all kings of a side reach: their slides, and the enemy pieces that they could capture
/// first, for each direction.
pub(crate) struct Reach {
    /// Sets of slides whose sizes add up to the number of slides.
    slides: [u64; 4],
    targets: [u64; 4],
}

impl Reach {
    /// Looks in all directions; there must be a king.
    #[inline(always)]
    pub(crate) fn new(kings: u64, enemy: u64, empty: u64) -> Reach {
        if kings & (kings - 1) == 0 {
            Reach::of_one(kings.trailing_zeros(), enemy, empty)
        } else {
            Reach::of_several(kings, enemy, empty)
        }
    }

    #[inline(always)]
    fn of_one(king: u32, enemy: u64, empty: u64) -> Reach {
        let up_left = UpLeft::look(king, !empty);
        let up_right = UpRight::look(king, !empty);
        let down_left = DownLeft::look(king, !empty);
        let down_right = DownRight::look(king, !empty);
        Reach {
            slides: [up_left.1 | up_right.1 | down_left.1 | down_right.1, 0, 0, 0],
            targets: [
                up_left.0 & enemy & DownRight::step(empty, 1),
                up_right.0 & enemy & DownLeft::step(empty, 1),
                down_left.0 & enemy & UpRight::step(empty, 1),
                down_right.0 & enemy & UpLeft::step(empty, 1),
            ],
        }
    }

    #[inline(always)]
    fn of_several(kings: u64, enemy: u64, empty: u64) -> Reach {
        let fill = [
            UpLeft::fill(kings, empty),
            UpRight::fill(kings, empty),
            DownLeft::fill(kings, empty),
            DownRight::fill(kings, empty),
        ];
        Reach {
            // Slides of different kings in one direction never meet.
            slides: fill.map(|f| f & !kings),
            targets: [
                UpLeft::step(fill[0], 1) & enemy & DownRight::step(empty, 1),
                UpRight::step(fill[1], 1) & enemy & DownLeft::step(empty, 1),
                DownLeft::step(fill[2], 1) & enemy & UpRight::step(empty, 1),
                DownRight::step(fill[3], 1) & enemy & UpLeft::step(empty, 1),
            ],
        }
    }

    /// Whether one of the kings can capture.
    #[inline(always)]
    pub(crate) const fn captures(&self) -> bool {
        self.targets[0] | self.targets[1] | self.targets[2] | self.targets[3] != 0
    }

    /// Number of slides of all kings.
    #[inline(always)]
    pub(crate) fn count_slides(&self) -> u32 {
        self.slides.iter().map(|s| s.count_ones()).sum()
    }

    /// The first captures: for each direction the enemy pieces.
    #[inline(always)]
    pub(crate) const fn targets(&self) -> &[u64; 4] {
        &self.targets
    }
}

/// Shows the visitor every slide of these kings, backwards first.
#[inline(always)]
pub(crate) fn visit_slides<const WHITE: bool>(kings: u64, empty: u64, visitor: &mut impl Visitor) {
    if WHITE {
        visit_slides_towards::<WHITE, DownRight>(kings, empty, visitor);
        visit_slides_towards::<WHITE, DownLeft>(kings, empty, visitor);
        visit_slides_towards::<WHITE, UpRight>(kings, empty, visitor);
        visit_slides_towards::<WHITE, UpLeft>(kings, empty, visitor);
    } else {
        visit_slides_towards::<WHITE, UpLeft>(kings, empty, visitor);
        visit_slides_towards::<WHITE, UpRight>(kings, empty, visitor);
        visit_slides_towards::<WHITE, DownLeft>(kings, empty, visitor);
        visit_slides_towards::<WHITE, DownRight>(kings, empty, visitor);
    }
}

#[inline(always)]
fn visit_slides_towards<const WHITE: bool, D: Direction>(
    kings: u64,
    empty: u64,
    visitor: &mut impl Visitor,
) {
    for from in FromBehind::<WHITE>(D::Opposite::step(empty, 1) & kings) {
        let mut to = D::step(from, 1);
        while to & empty != 0 {
            visitor.quiet(Kind::King, from, to);
            to = D::step(to, 1);
        }
    }
}
