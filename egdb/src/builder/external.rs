//! Moves that leave an arrangement of men: captures, moves of men, crowning. Their values are
//! known before the arrangement is solved, and are found here for whole rows of positions.

use std::sync::atomic::Ordering;

use movegen::geometry::{SQUARES, bits, forward_steps, shift};
use movegen::{Bitboard, Board, Color};

use super::captures::{Captures, Ending, MOVING_KING};
use super::chunks::Near;
use super::context::{Context, MAX_PLIES, apply, place};
use super::fixed::Fixed;
use super::men::Block;
use super::rows::Rows;
use super::store::{Code, DRAW, Store};
use crate::slice::Slice;

/// The facts about a row from moves that leave the arrangement, for one side to move.
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

/// Distances from such moves: of the best win ([`DRAW`] if none), and of the longest loss, [`DRAW`]
/// if the position cannot be lost, 0 if there is no such move.
pub(super) struct Seeds<'a> {
    pub win: &'a mut [Code; 64],
    pub loss: &'a mut [Code; 64],
}

/// The results of captures, by square of the moving king.
#[derive(Default)]
struct CaptureValues {
    /// Some capture wins.
    wins: u64,
    /// Some capture does not lose.
    holds: u64,
}

impl CaptureValues {
    /// Captures from these squares lead to a position with this value for the opponent.
    #[inline(always)]
    fn add(&mut self, squares: u64, code: Code) {
        if code == DRAW || code & 1 == 0 {
            self.holds |= squares;
        }
        if code & 1 == 0 {
            self.wins |= squares;
        }
    }
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

/// The fixed pieces of a row, and who moves.
#[derive(Clone, Copy)]
struct Mover<'a> {
    fixed: &'a Fixed,
    side: Color,
}

impl<'a> Context<'a> {
    /// The moves of the men of an arrangement.
    pub(super) fn man_moves(&self, men: [u64; 2], side: Color) -> Vec<ManMove<'a>> {
        let mut moves = Vec::new();
        let all = men[0] | men[1];
        for from in bits(men[side.index()]) {
            for step in forward_steps(side) {
                let to = shift(from, step) & SQUARES & !all;
                if to == 0 {
                    continue;
                }
                let mut after = men;
                let is_crowned = to & Bitboard::promotion_row(side).bits() != 0;
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
        Some(Target::Rows { store, rows, block: store.units.block(men[0], men[1]), crowned })
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
        captures: &mut Captures,
        near: &mut Near,
    ) -> Facts {
        let mover = Mover { fixed, side };
        captures.find(fixed, side);
        let quiet = SQUARES & !fixed.occupied() & !captures.squares();
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
            self.add_man_move(mover, mv, places, &mut facts, &mut seeds, near);
        }
        self.add_captures(mover, captures, &mut facts, &mut seeds, near);
        facts
    }

    /// Finds the values of a row's positions where a capture is forced.
    #[inline(always)]
    fn add_captures(
        &self,
        mover: Mover<'_>,
        captures: &Captures,
        facts: &mut Facts,
        seeds: &mut Option<Seeds<'_>>,
        near: &mut Near,
    ) {
        let mut values = CaptureValues::default();
        for (ending, mut squares) in captures.longest() {
            if seeds.is_none() {
                // Squares that already win are settled.
                squares &= !values.wins;
            }
            if squares != 0 {
                self.add_ending(mover, ending, squares, &mut values, seeds, near);
            }
        }
        facts.win |= values.wins;
        facts.loss |= captures.squares() & !values.holds;
    }

    /// A capture, the same with the moving king on any of some squares, or from any of them.
    #[inline(always)]
    fn add_ending(
        &self,
        mover: Mover<'_>,
        ending: &Ending,
        squares: u64,
        values: &mut CaptureValues,
        seeds: &mut Option<Seeds<'_>>,
        near: &mut Near,
    ) {
        let Mover { fixed, side } = mover;
        let after = apply(fixed, side, ending);
        let next = side.opponent();
        // The moving king is where it ended, or off the board.
        if ending.from == 0 || ending.captured & MOVING_KING != 0 {
            let Fixed { pieces: [black, white], kings, .. } = after;
            let board = Board { black, white, kings };
            let code = match self.store_of(&board, fixed.moving) {
                // Captures that end on different squares meet in a row.
                Some((store, _)) if ending.from == 0 => {
                    store.value_with(&board, ending.to, next, near)
                }
                _ => self.value(&board, next, near),
            };
            values.add(squares, code);
            if let Some(seeds) = seeds {
                self.add_codes(&[code; 64], squares, seeds);
            }
            return;
        }
        // With the king on some square, to know the slice.
        let board = place(&after, squares & squares.wrapping_neg());
        if let Some((store, rows)) = self.store_of(&board, fixed.moving) {
            let all = after.occupied();
            let men = all & !after.kings;
            let block = store.units.block(after.pieces[0] & men, after.pieces[1] & men);
            let (row, turn) = rows.place(men, after.pieces[0] & !men, after.pieces[1] & !men);
            let row = store.first_row(block) + row;
            let unit = &store.solved[block.unit];
            let words = unit.words.get(row, near);
            let [wins, losses] = [words[2 * next.index()], words[2 * next.index() + 1]];
            values.wins |= turn.apply(losses) & squares;
            values.holds |= squares & !turn.apply(wins);
            if let Some(seeds) = seeds {
                let codes = &unit.dtw.get(row, near)[next.index()];
                self.add_codes(&turn.apply_list(codes), squares, seeds);
            }
            return;
        }
        let mut codes = [DRAW; 64];
        for king in bits(squares) {
            let code = self.value(&place(&after, king), next, near);
            codes[king.trailing_zeros() as usize] = code;
            values.add(king, code);
        }
        if let Some(seeds) = seeds {
            self.add_codes(&codes, squares, seeds);
        }
    }

    /// The slice that a position after a capture is in, unless that is turned to be stored or its rows
    /// have another moving king.
    #[inline(always)]
    fn store_of(&self, board: &Board, moving: Color) -> Option<(&Store, Rows)> {
        let store = self.solved.get(Slice::of(board)?)?;
        let rows = store.rows.filter(|rows| rows.moving == moving)?;
        Some((store, rows))
    }

    #[inline(always)]
    fn add_man_move(
        &self,
        mover: Mover<'_>,
        mv: &ManMove<'_>,
        places: u64,
        facts: &mut Facts,
        seeds: &mut Option<Seeds<'_>>,
        near: &mut Near,
    ) {
        let Mover { fixed, side } = mover;
        let next = side.opponent();
        facts.has_man_move |= places;
        match &mv.target {
            Target::Rows { store, rows, block, crowned } => {
                let black = fixed.pieces[0] & fixed.kings | crowned[0];
                let white = fixed.pieces[1] & fixed.kings | crowned[1];
                let (row, turn) = rows.place(mv.men, black, white);
                let row = store.first_row(*block) + row;
                let unit = &store.solved[block.unit];
                let words = unit.words.get(row, near);
                let [wins, losses] = [words[2 * next.index()], words[2 * next.index() + 1]];
                facts.win |= turn.apply(losses) & places;
                facts.holds |= places & !turn.apply(wins);
                if let Some(seeds) = seeds {
                    let codes = &unit.dtw.get(row, near)[next.index()];
                    self.add_codes(&turn.apply_list(codes), places, seeds);
                }
            }
            Target::Positions { from } => {
                let mut codes = [DRAW; 64];
                for king in bits(places) {
                    let mut after = place(fixed, king);
                    match side {
                        Color::Black => after.black ^= from | mv.to,
                        Color::White => after.white ^= from | mv.to,
                    }
                    if mv.to & Bitboard::promotion_row(side).bits() != 0 {
                        after.kings |= mv.to;
                    }
                    let code = self.value(&after, next, near);
                    codes[king.trailing_zeros() as usize] = code;
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
        let best = seeds.win.iter_mut().zip(seeds.loss.iter_mut());
        for (bit, (&code, (win, loss))) in codes.iter().zip(best).enumerate() {
            let code = if places >> bit & 1 != 0 { code } else { DRAW };
            greatest = greatest.max(if code == DRAW { 0 } else { code });
            let next = code.wrapping_add(1);
            *win = (*win).min(if code & 1 == 0 { next } else { DRAW });
            *loss = (*loss).max(if code & 1 == 0 { 0 } else { next });
        }
        if greatest >= MAX_PLIES {
            self.too_long.store(true, Ordering::Relaxed);
        }
    }
}
