//! Slices without kings: every move leads to another level or slice, so nothing is iterated.

use movegen::{Color, MoveList};

use super::external::Known;
use super::store::Code;
use crate::index::Placement;

/// The values of an arrangement of men, by side to move.
#[inline(always)]
pub(super) fn solve(known: &Known<'_>, men: [u64; 2], list: &mut MoveList) -> [Code; 2] {
    let placement = Placement { black: men[0], white: men[1], kings: 0 };
    Color::ALL.map(|side| known.resolve(&placement, side, list))
}
