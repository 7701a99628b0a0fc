//! Moves that leave an arrangement of men: captures, moves of men, crowning. Their values are
//! known before the arrangement is solved.

use std::sync::atomic::{AtomicBool, Ordering};

use movegen::{Bitboard, Color, MoveList, Position};

use super::board::{BOARD, Fixed, forward, promotion_row, shift};
use super::men::Block;
use super::rows::Rows;
use super::store::{Code, DRAW, Solved, Store};
use crate::index::Placement;
use crate::slice::Slice;

/// Greatest distance that a [`Code`] holds.
pub(super) const MAX_PLIES: Code = 253;

/// What a level is solved from.
pub(super) struct Known<'a> {
    /// Slices with fewer pieces, and those that crowning leads to.
    pub solved: &'a Solved,
    /// The slice that is being solved, with the levels beyond the present one.
    pub store: &'a Store,
    /// Set when a distance is above [`MAX_PLIES`].
    pub too_long: &'a AtomicBool,
    /// Told about positions solved; the work stops when it returns false.
    pub go_on: &'a (dyn Fn(u64) -> bool + Sync),
}

/// What the moves that leave the arrangement say about a row, for one side to move.
#[derive(Clone, Copy, Default)]
pub(super) struct Facts {
    /// Squares of the moving king where the side has no capture, so that kings may move.
    pub quiet: u64,
    /// Won by such a move.
    pub win: u64,
    /// Lost, whatever capture is chosen.
    pub loss: u64,
    /// Quiet, and a move of a man does not lose.
    pub holds: u64,
    /// Quiet, and some man can move.
    pub has_man_move: u64,
}

/// Distances that such moves give: of the best win ([`DRAW`] if none), and of the longest loss,
/// [`DRAW`] if the position cannot be lost, 0 if there is no such move.
pub(super) struct Seeds<'a> {
    pub win: &'a mut [Code; 64],
    pub loss: &'a mut [Code; 64],
}

/// A move of a man, the same in all rows of an arrangement.
pub(super) struct ManMove<'a> {
    to: u64,
    men: u64,
    target: Target<'a>,
}

enum Target<'a> {
    /// Rows of a block with the same moving king; a crowned man joins the fixed kings.
    Rows { store: &'a Store, rows: Rows, block: Block, crowned: [u64; 2] },
    /// Position by position.
    Positions { from: u64 },
}

impl<'a> Known<'a> {
    /// The value of a position that is solved already.
    #[inline(always)]
    fn value(&self, placement: &Placement, side: Color) -> Code {
        if placement.slice() == Some(self.store.slice) {
            self.store.value(placement, side)
        } else {
            self.solved.value(placement, side)
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
    pub(super) fn resolve(&self, placement: &Placement, side: Color, list: &mut MoveList) -> Code {
        let set = Bitboard::from_bits_truncate;
        let position = Position::from_bitboards(
            set(placement.black),
            set(placement.white),
            set(placement.kings),
            side,
        );
        let Ok(position) = position else { return DRAW };
        list.clear();
        position.generate(list);
        let mut best_win = DRAW;
        let mut worst_loss = 0;
        let mut holds = false;
        for &mv in list.iter() {
            let after = position.after(mv);
            let code = self.value(&Placement::from(&after), side.opponent());
            if code == DRAW {
                holds = true;
            } else if code & 1 == 0 {
                best_win = best_win.min(self.next(code));
            } else {
                worst_loss = worst_loss.max(self.next(code));
            }
        }
        if best_win != DRAW {
            best_win
        } else if holds {
            DRAW
        } else {
            worst_loss
        }
    }

    /// The moves of the men of an arrangement.
    pub(super) fn man_moves(&self, men: [u64; 2], side: Color) -> Vec<ManMove<'a>> {
        let mut moves = Vec::new();
        let all = men[0] | men[1];
        let mut rest = men[side.index()];
        while rest != 0 {
            let from = rest & rest.wrapping_neg();
            rest &= rest - 1;
            for step in forward(side) {
                let to = shift(from, step) & BOARD & !all;
                if to == 0 {
                    continue;
                }
                let mut after = men;
                let is_crowned = to & promotion_row(side) != 0;
                after[side.index()] ^= if is_crowned { from } else { from | to };
                let target = if is_crowned {
                    let mut crowned = [0; 2];
                    crowned[side.index()] = to;
                    self.crowning_target(after, crowned, side)
                } else {
                    self.rows_target(self.store, after, [0; 2])
                };
                let target = target.unwrap_or(Target::Positions { from });
                moves.push(ManMove { to, men: after[0] | after[1], target });
            }
        }
        moves
    }

    fn rows_target(
        &self,
        store: &'a Store,
        men: [u64; 2],
        crowned: [u64; 2],
    ) -> Option<Target<'a>> {
        let rows = store.rows?;
        if Some(rows.moving) != self.store.rows.map(|rows| rows.moving) {
            return None;
        }
        Some(Target::Rows { store, rows, block: store.levels.block(men[0], men[1]), crowned })
    }

    fn crowning_target(&self, men: [u64; 2], crowned: [u64; 2], side: Color) -> Option<Target<'a>> {
        let slice = self.store.slice;
        let [mut bm, mut bk] = [slice.black_men(), slice.black_kings()];
        let [mut wm, mut wk] = [slice.white_men(), slice.white_kings()];
        match side {
            Color::Black => (bm, bk) = (bm - 1, bk + 1),
            Color::White => (wm, wk) = (wm - 1, wk + 1),
        }
        let store = self.solved.get(Slice::new(bm, bk, wm, wk)?)?;
        self.rows_target(store, men, crowned)
    }

    /// Finds the facts of a row, and the seeds of distances to the end if they are asked for.
    #[inline(always)]
    pub(super) fn row_facts(
        &self,
        fixed: &Fixed,
        side: Color,
        moves: &[ManMove<'_>],
        mut seeds: Option<Seeds<'_>>,
        list: &mut MoveList,
    ) -> Facts {
        let empty = BOARD & !fixed.occupied();
        let captures = fixed.captures(side);
        let quiet = empty & !captures;
        let mut facts = Facts { quiet, ..Facts::default() };
        if let Some(seeds) = &mut seeds {
            *seeds.win = [DRAW; 64];
            *seeds.loss = [0; 64];
        }

        for mv in moves {
            let places = quiet & !mv.to;
            if fixed.occupied() & mv.to != 0 || places == 0 {
                continue;
            }
            self.add_man_move(fixed, side, mv, places, &mut facts, &mut seeds);
        }
        if let Some(seeds) = &mut seeds {
            let mut rest = facts.holds;
            while rest != 0 {
                seeds.loss[rest.trailing_zeros() as usize] = DRAW;
                rest &= rest - 1;
            }
        }

        let mut rest = captures;
        while rest != 0 {
            let bit = rest.trailing_zeros() as usize;
            let king = rest & rest.wrapping_neg();
            rest &= rest - 1;
            let code = self.resolve(&place(fixed, king), side, list);
            let (mut win, mut loss) = (DRAW, DRAW);
            if code != DRAW && code & 1 != 0 {
                facts.win |= king;
                win = code;
            } else if code != DRAW {
                facts.loss |= king;
                loss = code;
            }
            if let Some(seeds) = &mut seeds {
                seeds.win[bit] = win;
                seeds.loss[bit] = loss;
            }
        }
        facts
    }

    #[inline(always)]
    fn add_man_move(
        &self,
        fixed: &Fixed,
        side: Color,
        mv: &ManMove<'_>,
        places: u64,
        facts: &mut Facts,
        seeds: &mut Option<Seeds<'_>>,
    ) {
        let next = side.opponent();
        facts.has_man_move |= places;
        match &mv.target {
            Target::Rows { store, rows, block, crowned } => {
                let black = fixed.pieces[0] & fixed.kings | crowned[0];
                let white = fixed.pieces[1] & fixed.kings | crowned[1];
                let row = store.first_row(*block) + rows.number(mv.men, black, white);
                let level = &store.solved[block.level];
                let words = &level.words[row];
                let [wins, losses] = [words[2 * next.index()], words[2 * next.index() + 1]];
                facts.win |= losses & places;
                facts.holds |= places & !wins;
                if let Some(seeds) = seeds {
                    self.add_codes(&level.dtw[row][next.index()], places, seeds);
                }
            }
            Target::Positions { from } => {
                let mut codes = [DRAW; 64];
                let mut rest = places;
                while rest != 0 {
                    let king = rest & rest.wrapping_neg();
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    let mut after = place(fixed, king);
                    match side {
                        Color::Black => after.black ^= from | mv.to,
                        Color::White => after.white ^= from | mv.to,
                    }
                    if mv.to & promotion_row(side) != 0 {
                        after.kings |= mv.to;
                    }
                    let code = self.value(&after, next);
                    codes[bit as usize] = code;
                    if code == DRAW || code & 1 == 0 {
                        facts.holds |= king;
                    }
                    if code & 1 == 0 {
                        facts.win |= king;
                    }
                }
                if let Some(seeds) = seeds {
                    self.add_codes(&codes, places, seeds);
                }
            }
        }
    }

    #[inline(always)]
    fn add_codes(&self, codes: &[Code; 64], places: u64, seeds: &mut Seeds<'_>) {
        let mut greatest = 0;
        for bit in 0..54 {
            let is_place = places >> bit & 1 != 0;
            let code = if is_place { codes[bit] } else { DRAW };
            greatest = greatest.max(if code == DRAW { 0 } else { code });
            let next = code.wrapping_add(1);
            let win = if code & 1 == 0 { next } else { DRAW };
            let loss = if code & 1 == 0 { 0 } else { next };
            seeds.win[bit] = seeds.win[bit].min(win);
            seeds.loss[bit] = seeds.loss[bit].max(loss);
        }
        if greatest >= MAX_PLIES {
            self.too_long.store(true, Ordering::Relaxed);
        }
    }
}

/// A position of a row.
#[inline(always)]
fn place(fixed: &Fixed, king: u64) -> Placement {
    let mut pieces = fixed.pieces;
    pieces[fixed.moving.index()] |= king;
    Placement { black: pieces[0], white: pieces[1], kings: fixed.kings | king }
}
