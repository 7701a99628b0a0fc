//! Moves that leave an arrangement of men: captures, moves of men, crowning. Their values are
//! known before the arrangement is solved, and are found here for whole rows of positions.

use std::sync::atomic::Ordering;

use movegen::geometry::{SQUARES, bits, forward_steps, shift};
use movegen::{Bitboard, Board, Color};

use super::captures::{CaptureEnding, MOVING_KING, RowCaptures};
use super::chunks::Near;
use super::context::{BuildContext, MAX_PLIES, apply, place};
use super::fixed::FixedValues;
use super::men::Block;
use super::rows::Rows;
use super::store::{Code, DRAW, KingEnds, ValueStore};
use egdb::slice::Slice;

/// The facts about a row from moves that leave the arrangement, for one side to move.
#[derive(Clone, Copy, Default)]
pub(super) struct ExternalFacts {
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

impl ExternalFacts {
    pub const WORDS: usize = 5;

    pub fn words(&self) -> [u64; ExternalFacts::WORDS] {
        let &ExternalFacts { quiet, win, loss, holds, has_man_move } = self;
        [quiet, win, loss, holds, has_man_move]
    }

    pub fn words_mut(&mut self) -> [&mut u64; ExternalFacts::WORDS] {
        let ExternalFacts { quiet, win, loss, holds, has_man_move } = self;
        [quiet, win, loss, holds, has_man_move]
    }
}

/// Distances from such moves: of the best win ([`DRAW`] if none), and of the longest loss, [`DRAW`]
/// if the position cannot be lost, 0 if there is no such move.
pub(super) struct Seeds<'a> {
    pub win: &'a mut [Code; 64],
    pub loss: &'a mut [Code; 64],
    /// Under the draw rules: the move being added lets the counter begin again.
    pub anew: bool,
}

/// A capture by a king that ends on one of several squares.
struct KingCapture<'a> {
    from: u64,
    captured: u64,
    ends: KingEnds<'a>,
}

impl KingCapture<'_> {
    #[inline(always)]
    fn is(&self, ending: &CaptureEnding) -> bool {
        (self.from, self.captured) == (ending.from, ending.captured)
    }
}

/// What moves do, by square of the moving king.
#[derive(Clone, Copy, Default)]
pub(super) struct Outcomes {
    /// Some move wins.
    pub wins: u64,
    /// Some move does not lose.
    pub holds: u64,
}

impl Outcomes {
    /// Moves from these squares lead to a position with this value for the opponent.
    #[inline(always)]
    pub(super) fn add(&mut self, squares: u64, code: Code) {
        if code == DRAW || code & 1 == 0 {
            self.holds |= squares;
        }
        if code & 1 == 0 {
            self.wins |= squares;
        }
    }

    /// Moves from these squares, and the squares where the opponent then wins or loses.
    #[inline(always)]
    pub(super) fn add_words(&mut self, squares: u64, [wins, losses]: [u64; 2]) {
        self.wins |= squares & losses;
        self.holds |= squares & !wins;
    }

    #[inline(always)]
    fn merge(&mut self, other: Outcomes) {
        self.wins |= other.wins;
        self.holds |= other.holds;
    }
}

/// The captures of a row.
#[derive(Default)]
struct Captured<'a> {
    outcomes: Outcomes,
    /// The last one by a king that was looked up.
    last: Option<KingCapture<'a>>,
}

/// A move of a man, the same in all rows of an arrangement.
pub(super) struct ManMove<'a> {
    to: u64,
    men: u64,
    target: Target<'a>,
}

enum Target<'a> {
    /// Rows of a block with the same moving king; a crowned man joins the fixed kings.
    Rows { store: &'a ValueStore, rows: Rows, block: Block, crowned: [u64; 2] },
    /// Position by position.
    Positions { from: u64 },
}

/// The fixed pieces of a row, and who moves.
#[derive(Clone, Copy)]
struct Mover<'a> {
    fixed: &'a FixedValues,
    side: Color,
}

impl<'a> BuildContext<'a> {
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
        store: &'a ValueStore,
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

    /// Finds the facts of some squares of a row, and the seeds of distances to the end if they are
    /// asked for; without them captures have been looked up.
    #[expect(clippy::too_many_arguments, reason = "everything about a row")]
    #[inline(always)]
    pub(super) fn row_facts(
        &self,
        fixed: &FixedValues,
        side: Color,
        squares: u64,
        moves: &[ManMove<'_>],
        mut seeds: Option<Seeds<'_>>,
        captures: RowCaptures<'_>,
        captured: Outcomes,
        near: &mut Near,
    ) -> ExternalFacts {
        let mover = Mover { fixed, side };
        if squares == 0 {
            return ExternalFacts::default();
        }
        let quiet = squares & !captures.squares();
        let mut facts = ExternalFacts { quiet, ..ExternalFacts::default() };
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
        let captured = match &mut seeds {
            Some(_) => self.captured(mover, captures, &mut seeds, near),
            None => captured,
        };
        facts.win |= captured.wins & squares;
        facts.loss |= squares & captures.squares() & !captured.holds;
        facts
    }

    /// Looks up the captures of a row.
    #[inline(always)]
    fn captured(
        &self,
        mover: Mover<'_>,
        captures: RowCaptures<'_>,
        seeds: &mut Option<Seeds<'_>>,
        near: &mut Near,
    ) -> Outcomes {
        let mut captured = Captured::default();
        for (ending, squares) in captures.longest() {
            let squares = squares & !mover.fixed.occupied();
            self.add_ending(mover, &ending, squares, &mut captured, seeds, near);
        }
        captured.outcomes
    }

    /// A capture, the same with the moving king on any of some squares, or from any of them.
    #[inline(always)]
    fn add_ending(
        &self,
        mover: Mover<'_>,
        ending: &CaptureEnding,
        squares: u64,
        captured: &mut Captured<'a>,
        seeds: &mut Option<Seeds<'_>>,
        near: &mut Near,
    ) {
        let Mover { fixed, side } = mover;
        let after = apply(fixed, side, ending);
        let next = side.opponent();
        // The moving king is where it ended, or off the board.
        if ending.from == 0 || ending.captured & MOVING_KING != 0 {
            let FixedValues { pieces: [black, white], kings, .. } = after;
            let board = Board { black, white, kings };
            let is_king = ending.from == 0 || fixed.kings & ending.from != 0;
            let code = if is_king {
                if !captured.last.as_ref().is_some_and(|last| last.is(ending)) {
                    let ends = self.solved.king_ends(&board, ending.to, side, near);
                    let &CaptureEnding { from, captured: taken, .. } = ending;
                    captured.last = Some(KingCapture { from, captured: taken, ends });
                }
                let Some(last) = &captured.last else { return };
                last.ends.value(ending.to, next, near)
            } else {
                self.solved.value(&board, next, near)
            };
            captured.outcomes.add(squares, code);
            if let Some(seeds) = seeds {
                seeds.anew = self.begins_anew(&board);
                self.add_codes(&[code; 64], squares, seeds);
            }
            return;
        }
        // With the king on some square, to know the slice.
        let king = squares & squares.wrapping_neg();
        let board = place(&after, king);
        let ends = self.solved.king_ends(&board, king, fixed.moving, near);
        if let Some(seeds) = seeds {
            seeds.anew = self.begins_anew(&board);
        }
        captured.outcomes.merge(self.outcomes(&ends, squares, next, seeds, near));
    }

    /// Looks up a move with the moving king on any of some squares.
    #[inline(always)]
    fn outcomes(
        &self,
        ends: &KingEnds<'_>,
        squares: u64,
        next: Color,
        seeds: &mut Option<Seeds<'_>>,
        near: &mut Near,
    ) -> Outcomes {
        if let Some([wins, losses]) = ends.words(next) {
            if let Some(seeds) = seeds {
                self.add_codes(&ends.codes(next, near), squares, seeds);
            }
            return Outcomes { wins: losses & squares, holds: squares & !wins };
        }
        let mut codes = [DRAW; 64];
        let mut outcomes = Outcomes::default();
        for king in bits(squares) {
            let code = ends.value(king, next, near);
            codes[king.trailing_zeros() as usize] = code;
            outcomes.add(king, code);
        }
        if let Some(seeds) = seeds {
            self.add_codes(&codes, squares, seeds);
        }
        outcomes
    }

    #[inline(always)]
    fn add_man_move(
        &self,
        mover: Mover<'_>,
        mv: &ManMove<'_>,
        places: u64,
        facts: &mut ExternalFacts,
        seeds: &mut Option<Seeds<'_>>,
        near: &mut Near,
    ) {
        let Mover { fixed, side } = mover;
        let next = side.opponent();
        facts.has_man_move |= places;
        if let Some(seeds) = seeds {
            // Distances are only wanted where men move within their class.
            seeds.anew = false;
        }
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
                let king = places & places.wrapping_neg();
                let mut after = place(fixed, king);
                match side {
                    Color::Black => after.black ^= from | mv.to,
                    Color::White => after.white ^= from | mv.to,
                }
                if mv.to & Bitboard::promotion_row(side).bits() != 0 {
                    after.kings |= mv.to;
                }
                let ends = self.solved.king_ends(&after, king, fixed.moving, near);
                let outcomes = self.outcomes(&ends, places, next, seeds, near);
                facts.win |= outcomes.wins;
                facts.holds |= outcomes.holds;
            }
        }
    }

    /// Under the draw rules: whether the counter begins again with a capture to this position.
    #[inline(always)]
    fn begins_anew(&self, after: &Board) -> bool {
        let own = self.store.slice.class();
        self.store.has_rules && Slice::of(after).is_none_or(|slice| slice.class() != own)
    }

    #[inline(always)]
    fn add_codes(&self, codes: &[Code; 64], places: u64, seeds: &mut Seeds<'_>) {
        let mut greatest = 0;
        // What a move makes of a loss and of a win; under the draw rules codes are twice the plies.
        let (kept, lost, won) = match (self.store.has_rules, seeds.anew) {
            (false, _) => (!0, 1, 1),
            (true, false) => (!0, 3, 1),
            (true, true) => (0, 3, 2),
        };
        let best = seeds.win.iter_mut().zip(seeds.loss.iter_mut());
        for (bit, (&code, (win, loss))) in codes.iter().zip(best).enumerate() {
            let code = if places >> bit & 1 != 0 { code } else { DRAW };
            greatest = greatest.max(if code == DRAW { 0 } else { code });
            let is_loss = code & 1 == 0;
            let next = (code & kept).wrapping_add(if is_loss { lost } else { won });
            *win = (*win).min(if is_loss { next } else { DRAW });
            *loss = (*loss).max(if is_loss || code == DRAW { 0 } else { next });
        }
        if greatest >= MAX_PLIES {
            self.too_long.store(true, Ordering::Relaxed);
        }
    }
}
