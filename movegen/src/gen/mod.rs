//! Move generation.
//!
//! Everything works on whole sets of squares: a diagonal step is a shift by 5 or 6, so one shift
//! moves all men at once. The side to move is a const parameter, so each function exists once
//! for White and once for Black without a branch inside.
//!
//! * [`man`]: steps and first jumps of all men.
//! * [`king`]: slides, by rays for a few kings and by flooding for many.
//! * [`capture`]: complete captures of the greatest number, merged where they agree in start
//!   and captured set.

pub(crate) mod capture;
pub(crate) mod king;
pub(crate) mod man;
#[cfg(test)]
mod worst_cases;

use crate::moves::{Move, MoveList};
use crate::piece::Kind;
use crate::position::Board;
use capture::Captures;

/// Whether the side could capture if it were to move.
#[inline]
pub(crate) fn has_capture<const WHITE: bool>(board: &Board) -> bool {
    let (own, enemy, empty) = (board.own::<WHITE>(), board.enemy::<WHITE>(), board.empty());
    if own & !board.kings & man::Jumps::new(enemy, empty).any() != 0 {
        return true;
    }
    let kings = own & board.kings;
    kings != 0 && king::can_capture(kings, enemy, empty)
}

/// Whether the side has any legal move.
#[inline]
pub(crate) fn has_move<const WHITE: bool>(board: &Board) -> bool {
    let (own, empty) = (board.own::<WHITE>(), board.empty());
    let men = own & !board.kings;
    let kings = own & board.kings;
    let [left, right] = man::steps::<WHITE>(men, empty);
    if left | right != 0 {
        return true;
    }
    let around = (kings >> 5) | (kings >> 6) | (kings << 5) | (kings << 6);
    around & empty != 0 || has_capture::<WHITE>(board)
}

/// Calls `visit` with (kind of the mover, from, to) for every quiet move; does not look for
/// captures.
#[inline(always)]
pub(crate) fn for_each_quiet<const WHITE: bool>(
    board: &Board,
    mut visit: impl FnMut(Kind, u64, u64),
) {
    let (own, empty) = (board.own::<WHITE>(), board.empty());
    let [mut left, mut right] = man::steps::<WHITE>(own & !board.kings, empty);
    while left != 0 {
        let to = left & left.wrapping_neg();
        left ^= to;
        visit(Kind::Man, man::step_back_left::<WHITE>(to), to);
    }
    while right != 0 {
        let to = right & right.wrapping_neg();
        right ^= to;
        visit(Kind::Man, man::step_back_right::<WHITE>(to), to);
    }
    let mut kings = own & board.kings;
    while kings != 0 {
        let from = kings & kings.wrapping_neg();
        kings ^= from;
        let mut targets = king::slides(from, empty);
        while targets != 0 {
            let to = targets & targets.wrapping_neg();
            targets ^= to;
            visit(Kind::King, from, to);
        }
    }
}

/// Appends the legal moves of the side to the list.
#[inline]
pub(crate) fn generate<const WHITE: bool>(board: &Board, list: &mut MoveList) {
    if has_capture::<WHITE>(board) {
        let mut captures = Captures::new();
        capture::collect::<WHITE>(board, &mut captures);
        captures.for_each(|from, to, captured| {
            list.push(Move::from_parts(from.trailing_zeros(), to.trailing_zeros(), captured));
        });
    } else {
        for_each_quiet::<WHITE>(board, |_, from, to| {
            list.push(Move::from_parts(from.trailing_zeros(), to.trailing_zeros(), 0));
        });
    }
}

/// Number of legal moves of the side.
#[inline]
pub(crate) fn count<const WHITE: bool>(board: &Board) -> u64 {
    if let Some(captures) = capture::count::<WHITE>(board) {
        return captures;
    }
    let (own, empty) = (board.own::<WHITE>(), board.empty());
    let [left, right] = man::steps::<WHITE>(own & !board.kings, empty);
    u64::from(left.count_ones() + right.count_ones() + king::count_slides(own & board.kings, empty))
}
