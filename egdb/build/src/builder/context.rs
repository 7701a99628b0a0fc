//! The data that a unit is solved from, and the values of single positions that follow from them.

use std::sync::atomic::{AtomicBool, Ordering};

use movegen::{Bitboard, Board, Color, MoveList, Variant};

use super::captures::CaptureEnding;
use super::chunks::Near;
use super::fixed::FixedValues;
use super::store::{Code, DRAW, Solved, ValueStore};
use egdb::slice::Slice;

/// Greatest distance that a [`Code`] holds.
pub(super) const MAX_PLIES: Code = 253;

/// The data that a unit is solved from.
pub(super) struct BuildContext<'a> {
    /// Slices with fewer pieces, and those that crowning leads to.
    pub solved: &'a Solved,
    /// The slice that is being solved, with the units beyond the present one.
    pub store: &'a ValueStore,
    /// The game: international or Killer.
    pub variant: Variant,
    /// Set when a distance is above [`MAX_PLIES`].
    pub too_long: &'a AtomicBool,
    /// Set when the draw rules stop a win.
    pub stopped: &'a AtomicBool,
    /// Called with the number of positions solved; the work stops when it returns false.
    pub keep_going: &'a (dyn Fn(u64) -> bool + Sync),
}

impl BuildContext<'_> {
    /// The value of a position that is solved already.
    #[inline(always)]
    pub(super) fn value(&self, board: &Board, side: Color, near: &mut Near) -> Code {
        if Slice::of(board) == Some(self.store.slice) {
            self.store.value(board, side, near)
        } else {
            self.solved.value(board, side, near)
        }
    }

    /// One ply more.
    #[inline(always)]
    fn next(&self, code: Code) -> Code {
        if !self.store.has_dtw {
            return (code & 1) ^ 1;
        }
        if code >= MAX_PLIES {
            self.too_long.store(true, Ordering::Relaxed);
            return code & 1 ^ 1;
        }
        code + 1
    }

    /// The value of a position all of whose moves lead to solved ones.
    #[inline(always)]
    pub(super) fn resolve(
        &self,
        board: &Board,
        side: Color,
        list: &mut MoveList,
        near: &mut Near,
    ) -> Code {
        let Ok(position) = board.position(side) else { return DRAW };
        list.clear();
        position.generate(list);
        let mut best = Best::default();
        for &mv in list.iter() {
            let after = position.after(mv);
            best.add(self, self.value(after.board(), side.opponent(), near));
        }
        best.code()
    }
}

/// The best of a position's moves, from the opponent's value after each.
struct Best {
    /// [`DRAW`] if none wins.
    win: Code,
    loss: Code,
    holds: bool,
}

impl Default for Best {
    fn default() -> Best {
        Best { win: DRAW, loss: 0, holds: false }
    }
}

impl Best {
    #[inline(always)]
    fn add(&mut self, context: &BuildContext<'_>, code: Code) {
        if code == DRAW {
            self.holds = true;
        } else if code & 1 == 0 {
            self.win = self.win.min(context.next(code));
        } else {
            self.loss = self.loss.max(context.next(code));
        }
    }

    #[inline(always)]
    fn code(&self) -> Code {
        if self.win != DRAW {
            self.win
        } else if self.holds {
            DRAW
        } else {
            self.loss
        }
    }
}

/// A row after a capture by a fixed piece, or a position after one by the moving king.
#[inline(always)]
pub(super) fn apply(fixed: &FixedValues, side: Color, ending: &CaptureEnding) -> FixedValues {
    let mut after = *fixed;
    let was_king = ending.from == 0 || fixed.kings & ending.from != 0;
    let own = &mut after.pieces[side.index()];
    *own = *own & !ending.from | ending.to;
    after.pieces[side.opponent().index()] &= !ending.captured;
    after.kings &= !(ending.from | ending.captured);
    if was_king || ending.to & Bitboard::promotion_row(side).bits() != 0 {
        after.kings |= ending.to;
    }
    after
}

/// A position of a row.
#[inline(always)]
pub(super) fn place(fixed: &FixedValues, king: u64) -> Board {
    let mut pieces = fixed.pieces;
    pieces[fixed.moving.index()] |= king;
    Board { black: pieces[0], white: pieces[1], kings: fixed.kings | king }
}
