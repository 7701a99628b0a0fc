//! The captures of a group of rows looked up: one that is possible in many rows leads to positions
//! that lie near each other, in a slice and an arrangement of men found once.

use movegen::geometry::{bits, turned};
use movegen::{Board, Color};

use super::captures::{CaptureEnding, Captures, Found, MAX_ROWS, MOVING_KING, NO_KING, RowGroup};
use super::chunks::Near;
use super::context::{BuildContext, apply};
use super::external::Outcomes;
use super::regrouped::Regrouped;
use super::rows::Rows;
use super::store::{DRAW, Solved, SolvedUnit};

/// Positions after a capture: an arrangement of men in a solved slice, and its kings.
struct Aftermath<'a> {
    place: AfterPlace<'a>,
    /// The colour of the king whose squares are together, as the slice has it.
    moving: Color,
    /// The board is turned and the colours are swapped.
    is_reversed: bool,
    // As the slice has them.
    men: u64,
    kings: [u64; 2],
    next: Color,
}

enum AfterPlace<'a> {
    /// The rows of the arrangement, from this one on.
    Rows {
        unit: &'a SolvedUnit,
        rows: Rows,
        first: usize,
    },
    Regrouped(&'a Regrouped),
}

impl<'a> Aftermath<'a> {
    /// After the capture of a king and nothing else by a king.
    #[inline(always)]
    fn lost_king(regrouped: &'a Regrouped, board: &Board, next: Color) -> Aftermath<'a> {
        let &Board { black, white, kings } = board;
        Aftermath {
            place: AfterPlace::Regrouped(regrouped),
            moving: next.opponent(),
            is_reversed: false,
            men: 0,
            kings: [black & kings, white & kings],
            next,
        }
    }

    /// With the kings of `board`; `example` has all pieces.
    #[inline(always)]
    fn new(
        solved: &'a Solved,
        board: &Board,
        example: &Board,
        next: Color,
    ) -> Option<Aftermath<'a>> {
        let (store, is_reversed) = solved.stored_of(example)?;
        let board = if is_reversed { &board.reversed() } else { board };
        let rows = store.rows?;
        let &Board { black, white, kings } = board;
        let men = (black | white) & !kings;
        let block = store.units.block(black & men, white & men);
        Some(Aftermath {
            place: AfterPlace::Rows {
                unit: &store.solved[block.unit],
                rows,
                first: store.first_row(block),
            },
            moving: rows.moving,
            is_reversed,
            men,
            kings: [black & kings, white & kings],
            next: if is_reversed { next.opponent() } else { next },
        })
    }

    /// The colour of the king whose squares are together.
    #[inline(always)]
    fn moving(&self) -> Color {
        if self.is_reversed { self.moving.opponent() } else { self.moving }
    }

    /// The squares of that king where the side to move wins, and loses; with one king more.
    #[inline(always)]
    fn row(&self, more: Option<(Color, u64)>, near: &mut Near) -> [u64; 2] {
        let mut kings = self.kings;
        if let Some((color, king)) = more {
            match self.is_reversed {
                true => kings[color.opponent().index()] |= turned(king),
                false => kings[color.index()] |= king,
            }
        }
        let (unit, rows, first) = match &self.place {
            AfterPlace::Rows { unit, rows, first } => (unit, rows, first),
            AfterPlace::Regrouped(regrouped) => return regrouped.row(kings).unwrap_or_default(),
        };
        let (row, turn) = rows.place(self.men, kings[0], kings[1]);
        let words = unit.words.get(first + row, near);
        let at = 2 * self.next.index();
        let words = [words[at], words[at + 1]].map(|word| turn.apply(word));
        if self.is_reversed { words.map(turned) } else { words }
    }
}

/// Rows by the square where a king ends, kept for the captures of the same pieces.
struct Destinations {
    /// From where, and what was captured.
    of: (u64, u64),
    /// By number of the square of the other king, which ones are known.
    known: u64,
    words: [[u64; 2]; 64],
}

/// Stands for the square of the other king if there is none.
const NOWHERE: u64 = 1 << 63;

impl Destinations {
    /// The squares of the other king where ending on any of some squares leads to the opponent's loss,
    /// and where all of them lead to his win.
    #[inline(always)]
    fn get(&mut self, king: u64, ends: u64, find: impl FnOnce() -> [u64; 2]) -> [u64; 2] {
        let at = king.trailing_zeros() as usize;
        if self.known & king == 0 {
            self.known |= king;
            self.words[at] = find();
        }
        let [wins, losses] = self.words[at];
        [ends & !wins == 0, losses & ends != 0].map(|is| if is { !0 } else { 0 })
    }
}

/// All squares if a king's square is among them.
#[inline(always)]
fn if_has([wins, losses]: [u64; 2], king: u64) -> [u64; 2] {
    [wins, losses].map(|word| if word & king != 0 { !0 } else { 0 })
}

/// The captures of a side in a group, being looked up.
pub(super) struct LookUp<'a, 'c> {
    context: &'a BuildContext<'c>,
    group: &'a RowGroup,
    side: Color,
    /// By row, the squares of the moving king.
    wanted: &'a [u64; MAX_ROWS],
    captures: &'a Captures,
    /// After the capture of a king.
    lost_king: &'a Regrouped,
}

/// What they lead to, by row, and what has been seen on the way.
struct Seen<'o> {
    out: &'o mut [Outcomes; MAX_ROWS],
    ends: Destinations,
}

impl<'c> BuildContext<'c> {
    /// The captures of a side in a group, on the wanted squares of the moving king in each row.
    #[inline(always)]
    pub(super) fn look_up<'a>(
        &'a self,
        group: &'a RowGroup,
        side: Color,
        wanted: &'a [u64; MAX_ROWS],
        captures: &'a Captures,
        lost_king: &'a Regrouped,
    ) -> LookUp<'a, 'c> {
        LookUp { context: self, group, side, wanted, captures, lost_king }
    }
}

impl LookUp<'_, '_> {
    /// Looks up all of them.
    #[inline(always)]
    pub(super) fn add_all(&self, out: &mut [Outcomes; MAX_ROWS], near: &mut Near) {
        let ends = Destinations { of: (0, 0), known: 0, words: [[0; 2]; 64] };
        let mut seen = Seen { out, ends };
        for found in self.captures.found() {
            self.add(found, &mut seen, near);
        }
    }

    #[inline(always)]
    fn row(&self, king: u64) -> usize {
        (self.group.squares & (king - 1)).count_ones() as usize % MAX_ROWS
    }

    /// The squares of the moving king with a capture in a row, without those that win already.
    #[inline(always)]
    fn squares(&self, found: &Found, row: usize, seen: &Seen<'_>) -> u64 {
        self.captures.longest(found, row) & self.wanted[row] & !seen.out[row].wins
    }

    /// Adds what is the same for all squares of the moving king that are together, by row.
    #[inline(always)]
    fn add_words(
        &self,
        found: &Found,
        seen: &mut Seen<'_>,
        mut words: impl FnMut(&mut Destinations, u64) -> [u64; 2],
    ) {
        for king in bits(found.rows) {
            let row = self.row(king);
            let squares = self.squares(found, row, seen);
            if squares != 0 {
                let words = words(&mut seen.ends, king);
                seen.out[row].add_words(squares, words);
            }
        }
    }

    #[inline(always)]
    fn add(&self, found: &Found, seen: &mut Seen<'_>, near: &mut Near) {
        let &Found { from, captured, .. } = found;
        // Whether both kings are where they were: not where they end, nor taken.
        let taken = captured & self.group.squares;
        let varied = self.group.varied.filter(|_| from != NO_KING && taken == 0);
        let moving = self.group.fixed.moving;
        let moving = Some(moving).filter(|_| from != 0 && captured & MOVING_KING == 0);
        let is_of_these = from == 0 || from == NO_KING;
        // The square of a taken king does not matter.
        let key = (from, captured & !taken | if taken != 0 { NO_KING } else { 0 });
        if is_of_these && seen.ends.of == key && varied.is_none() && moving.is_none() {
            let words = seen.ends.get(NOWHERE, found.ends, || [0; 2]);
            return self.add_words(found, seen, |_, _| words);
        }
        let mut ends = found.ends;
        while ends != 0 {
            let to = ends & ends.wrapping_neg();
            ends ^= to;
            let with_all = self.add_end(found, to, [varied, moving], key, seen, near);
            if with_all {
                return;
            }
        }
    }

    /// Looks up a capture that ends on a square; or if one row has all squares where it ends, all of
    /// them.
    #[inline(always)]
    fn add_end(
        &self,
        found: &Found,
        to: u64,
        [varied, moving]: [Option<Color>; 2],
        key: (u64, u64),
        seen: &mut Seen<'_>,
        near: &mut Near,
    ) -> bool {
        let &Found { from, ends, captured, .. } = found;
        let (solved, side, next) = (self.context.solved, self.side, self.side.opponent());
        let example = bits(found.rows).find_map(|king| {
            let squares = self.squares(found, self.row(king), seen);
            (squares != 0).then_some((king, squares & squares.wrapping_neg()))
        });
        let Some((king, square)) = example else { return true };
        let ending = CaptureEnding { from: if from == NO_KING { 0 } else { from }, to, captured };
        let base = apply(&self.group.fixed, side, &ending);
        let base = Board { black: base.pieces[0], white: base.pieces[1], kings: base.kings };
        let with = |varied_king: u64, moving_king: u64| {
            let mut board = base;
            for (color, king) in [(varied, varied_king), (moving, moving_king)] {
                match color {
                    Some(Color::Black) => board.black |= king,
                    Some(Color::White) => board.white |= king,
                    None => continue,
                }
                board.kings |= king;
            }
            board
        };
        let taken = captured & !MOVING_KING & !self.group.squares & !self.group.fixed.kings;
        let is_by_king = from == 0 || from == NO_KING || self.group.fixed.kings & from != 0;
        let is_one_king = is_by_king && taken == 0 && captured.is_power_of_two();
        let after = Aftermath::new(solved, &base, &with(king, square), next);
        let is_of_these = from == 0 || from == NO_KING;
        let is_near = |after: &Aftermath<'_>| {
            let together = Some(after.moving());
            varied == together || moving == together || is_of_these && Some(side) == together
        };
        let after = after.map(|after| match self.lost_king {
            lost if is_one_king && !is_near(&after) && lost.is_there() => {
                Aftermath::lost_king(lost, &base, next)
            }
            _ => after,
        });
        let Some(mut after) = after else {
            // The other side has no pieces left, or there is no king.
            let code = solved.value(&with(king, square), next, near);
            self.add_words(found, seen, |_, _| {
                [u64::from(code & 1 != 0 && code != DRAW), u64::from(code & 1 == 0)]
                    .map(u64::wrapping_neg)
            });
            return false;
        };
        let together = after.moving();
        if is_of_these && side == together && (varied.is_none() || moving.is_none()) {
            // The squares where the king ends are together.
            let to = if after.is_reversed { turned(to) } else { to };
            after.kings.iter_mut().for_each(|kings| *kings &= !to);
            if seen.ends.of != key {
                (seen.ends.of, seen.ends.known) = (key, 0);
            }
            match (varied, moving) {
                (Some(color), _) => self.add_words(found, seen, |all, king| {
                    all.get(king, ends, || after.row(Some((color, king)), near))
                }),
                (_, Some(color)) => {
                    let mut words = [0; 2];
                    for square in bits(self.union(found, seen)) {
                        let here = || after.row(Some((color, square)), near);
                        let [wins, losses] = seen.ends.get(square, ends, here);
                        words = [words[0] | wins & square, words[1] | losses & square];
                    }
                    self.add_words(found, seen, |_, _| words);
                }
                (None, None) => {
                    let words = seen.ends.get(NOWHERE, ends, || after.row(None, near));
                    self.add_words(found, seen, |_, _| words);
                }
            }
            return true;
        }
        match (varied, moving) {
            (Some(color), Some(king)) if king == together => {
                self.add_words(found, seen, |_, king| after.row(Some((color, king)), near));
            }
            (None, Some(king)) if king == together => {
                let words = after.row(None, near);
                self.add_words(found, seen, |_, _| words);
            }
            (Some(color), Some(other)) if color == together => {
                for square in bits(self.union(found, seen)) {
                    let words = after.row(Some((other, square)), near);
                    for king in bits(found.rows) {
                        let row = self.row(king);
                        let here = self.squares(found, row, seen) & square;
                        seen.out[row].add_words(here, if_has(words, king));
                    }
                }
            }
            (Some(color), None) if color == together => {
                let words = after.row(None, near);
                self.add_words(found, seen, |_, king| if_has(words, king));
            }
            // After a promotion the squares of another king are together.
            _ => {
                for king in bits(found.rows) {
                    let row = self.row(king);
                    let squares = self.squares(found, row, seen);
                    if moving.is_none() && squares != 0 {
                        seen.out[row].add(squares, solved.value(&with(king, 0), next, near));
                        continue;
                    }
                    for square in bits(squares) {
                        seen.out[row].add(square, solved.value(&with(king, square), next, near));
                    }
                }
            }
        }
        false
    }

    /// The squares of the moving king in any row.
    #[inline(always)]
    fn union(&self, found: &Found, seen: &Seen<'_>) -> u64 {
        let rows = bits(found.rows).map(|king| self.squares(found, self.row(king), seen));
        rows.fold(0, |all, squares| all | squares)
    }
}
