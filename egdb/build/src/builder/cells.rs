//! Slices without kings: every move leads to another unit or slice, so nothing is iterated.

use movegen::{Board, Color, MoveList};

use super::chunks::Near;
use super::context::BuildContext;
use super::store::Code;

/// The values of an arrangement of men, by side to move.
#[inline(always)]
pub(super) fn solve(
    context: &BuildContext<'_>,
    men: [u64; 2],
    list: &mut MoveList,
    near: &mut Near,
) -> [Code; 2] {
    let board = Board { black: men[0], white: men[1], kings: 0 };
    Color::ALL.map(|side| context.resolve(&board, side, list, near))
}
