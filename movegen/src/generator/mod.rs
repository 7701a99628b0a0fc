//! Move generation.
//!
//! Everything works on whole sets of squares: a diagonal step is a shift by 5 or 6, so one shift
//! moves all men at once. The side to move is a const parameter, so each function exists once
//! for White and once for Black without a branch inside.
//!
//! * [`man`]: steps and first jumps of all men.
//! * [`king`]: slides and first captures, by rays for a few kings and by filling for many.
//! * [`capture`]: complete captures of the greatest number, merged where they agree in start
//!   and captured set.
//! * [`variants`]: the other games of the board.

pub(crate) mod capture;
pub(crate) mod king;
pub(crate) mod man;
pub(crate) mod variants;
#[cfg(test)]
mod worst_cases;

use crate::board::Board;
use crate::color::Color;
use crate::geometry::bits;
use crate::isa::Isa;
use crate::moves::{Move, MoveList};
use crate::piece::Kind;
use capture::{Counter, Groups};
use king::Reach;
use man::{FirstJumps, Jumps, SecondJumps};

/// Receives the legal moves of a position one by one; squares are sets of one bit.
pub(crate) trait Visitor {
    fn quiet(&mut self, kind: Kind, from: u64, to: u64);
    fn capture(&mut self, from: u64, to: u64, captured: u64);

    /// A capture known to be a man's.
    #[inline(always)]
    fn man_capture(&mut self, from: u64, to: u64, captured: u64) {
        self.capture(from, to, captured);
    }

    /// All captures were shown.
    #[inline(always)]
    fn end_captures(&mut self, _order: CaptureOrder) {}

    /// All steps of men in one direction: `set` holds the squares where they end; rotated to the left
    /// by `back` it holds those where they start.
    #[inline(always)]
    fn steps(&mut self, set: u64, back: u32) {
        for to in bits(set) {
            self.quiet(Kind::Man, to.rotate_left(back), to);
        }
    }
}

/// The order in which a visitor sees captures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CaptureOrder {
    /// In the turned position the turned captures come in the opposite order.
    Opposite,
    /// Piece by piece and way by way, which both sides cannot do alike.
    Any,
}

/// The squares of a set, each as a set of one, those nearest to the mover's own side first.
struct FromBehind<const WHITE: bool>(u64);

impl<const WHITE: bool> Iterator for FromBehind<WHITE> {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        if self.0 == 0 {
            return None;
        }
        let lowest = self.0 & self.0.wrapping_neg();
        let bit = if WHITE { 1 << (63 - self.0.leading_zeros()) } else { lowest };
        self.0 ^= bit;
        Some(bit)
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.0.count_ones() as usize;
        (n, Some(n))
    }
}

/// The pieces of a board as the side to move sees them.
#[derive(Clone, Copy)]
struct MoverView {
    men: u64,
    kings: u64,
    enemy: u64,
    empty: u64,
}

impl MoverView {
    #[inline(always)]
    fn new<const WHITE: bool>(board: &Board) -> MoverView {
        let own = board.own::<WHITE>();
        MoverView {
            men: own & !board.kings,
            kings: own & board.kings,
            enemy: board.enemy::<WHITE>(),
            empty: board.empty(),
        }
    }
}

/// Whether the side could capture if it were to move.
#[inline(always)]
pub(crate) fn has_capture<const WHITE: bool>(board: &Board) -> bool {
    can_capture(&MoverView::new::<WHITE>(board))
}

/// Pieces capture in all directions, so the colour does not matter.
#[inline(always)]
fn can_capture(&MoverView { men, kings, enemy, empty }: &MoverView) -> bool {
    men & Jumps::new(enemy, empty).any() != 0
        || kings != 0 && Reach::new(kings, enemy, empty).captures()
}

impl Board {
    /// Whether this side could capture if it were to move. Generates nothing.
    #[inline(always)]
    #[must_use]
    pub fn has_capture(&self, color: Color) -> bool {
        // One body for both sides, as a branch on the side would be hard to predict.
        can_capture(&match color {
            Color::White => MoverView::new::<true>(self),
            Color::Black => MoverView::new::<false>(self),
        })
    }
}

/// Whether a piece of the side could go somewhere, captures left aside.
#[inline(always)]
pub(crate) fn has_quiet_move<const WHITE: bool>(board: &Board) -> bool {
    let MoverView { men, kings, empty, .. } = MoverView::new::<WHITE>(board);
    let [left, right] = man::steps::<WHITE>(men, empty);
    let around = kings >> 5 | kings >> 6 | kings << 5 | kings << 6;
    left | right | (around & empty) != 0
}

/// Whether the side has any legal move.
#[inline(always)]
pub(crate) fn has_move<const WHITE: bool>(board: &Board) -> bool {
    has_quiet_move::<WHITE>(board) || has_capture::<WHITE>(board)
}

/// Shows the visitor every legal move of the side, or its captures only unless `QUIET`, and gives
/// it back.
///
/// The visitor is passed by value, so that its fields can stay in registers on the common path (men
/// only, no capture of several pieces); the other paths are separate functions.
#[inline(always)]
pub(crate) fn visit<const WHITE: bool, const QUIET: bool, V: Visitor>(
    isa: impl Isa,
    board: &Board,
    mut visitor: V,
) -> V {
    let MoverView { men, kings, enemy, empty } = MoverView::new::<WHITE>(board);
    if kings != 0 {
        let Board { black, white, kings } = *board;
        return visit_with_kings::<WHITE, QUIET, V>(isa, black, white, kings, visitor);
    }
    let jumps = Jumps::new(enemy, empty);
    if men & jumps.any() != 0 {
        let first = FirstJumps::new(men, &jumps);
        if first.chains() != 0 {
            return visit_captures(isa, men, 0, enemy, empty, visitor);
        }
        first.visit(&mut visitor);
        visitor.end_captures(CaptureOrder::Opposite);
    } else if QUIET {
        man::visit_steps::<WHITE>(men, empty, &mut visitor);
    }
    visitor
}

/// Boards come as three numbers where that keeps them in registers.
#[inline(never)]
fn visit_with_kings<const WHITE: bool, const QUIET: bool, V: Visitor>(
    isa: impl Isa,
    black: u64,
    white: u64,
    kings: u64,
    visitor: V,
) -> V {
    isa.run4(
        black,
        white,
        kings,
        visitor,
        #[inline(always)]
        |black, white, kings, mut visitor| {
            let board = Board { black, white, kings };
            let MoverView { men, kings, enemy, empty } = MoverView::new::<WHITE>(&board);
            let jumps = Jumps::new(enemy, empty);
            if men & jumps.any() != 0 || Reach::new(kings, enemy, empty).captures() {
                return visit_captures(isa, men, kings, enemy, empty, visitor);
            }
            if QUIET {
                man::visit_steps::<WHITE>(men, empty, &mut visitor);
                king::visit_slides::<WHITE>(kings, empty, &mut visitor);
            }
            visitor
        },
    )
}

/// Shows the visitor the captures. Without kings some man must be able to take two pieces.
#[inline(never)]
fn visit_captures<V: Visitor>(
    isa: impl Isa,
    men: u64,
    kings: u64,
    enemy: u64,
    empty: u64,
    visitor: V,
) -> V {
    isa.run5(
        men,
        kings,
        enemy,
        empty,
        visitor,
        #[inline(always)]
        |men, kings, enemy, empty, mut visitor| {
            if let Some(pairs) = pairs_of_men(men, kings, enemy, empty) {
                pairs.visit(&mut visitor);
                visitor.end_captures(CaptureOrder::Opposite);
                return visitor;
            }
            let mut groups = Groups::new();
            collect(isa, men, kings, enemy, empty, &mut groups);
            groups.visit(&mut visitor);
            visitor.end_captures(CaptureOrder::Any);
            visitor
        },
    )
}

/// All captures, if they are captures of exactly two pieces by men.
#[inline(always)]
fn pairs_of_men(men: u64, kings: u64, enemy: u64, empty: u64) -> Option<SecondJumps> {
    if kings != 0 {
        return None;
    }
    let jumps = Jumps::new(enemy, empty);
    let first = FirstJumps::new(men, &jumps);
    debug_assert!(first.chains() != 0);
    let second = SecondJumps::new(&first, &jumps);
    (second.chains() == 0).then_some(second)
}

/// Collects the captures of kings and men.
#[inline(always)]
fn collect(
    isa: impl Isa,
    men: u64,
    kings: u64,
    enemy: u64,
    empty: u64,
    sink: &mut impl capture::Sink,
) {
    if kings != 0 {
        capture::collect_kings(isa, &Reach::new(kings, enemy, empty), enemy, empty, sink);
    }
    let jumps = Jumps::new(enemy, empty);
    if men & jumps.any() != 0 {
        capture::collect_men(isa, &FirstJumps::new(men, &jumps), enemy, empty, sink);
    }
}

/// Number of legal moves of the side.
#[inline(always)]
pub(crate) fn count<const WHITE: bool>(isa: impl Isa, board: &Board) -> u64 {
    let MoverView { men, kings, enemy, empty } = MoverView::new::<WHITE>(board);
    let jumps = Jumps::new(enemy, empty);
    if kings != 0 {
        return count_with_kings::<WHITE>(isa, men, kings, enemy, empty);
    }
    if men & jumps.any() != 0 {
        let first = FirstJumps::new(men, &jumps);
        if first.chains() == 0 {
            return u64::from(first.count());
        }
        return count_captures(isa, men, 0, enemy, empty);
    }
    let [left, right] = man::steps::<WHITE>(men, empty);
    u64::from(left.count_ones() + right.count_ones())
}

#[inline(never)]
fn count_with_kings<const WHITE: bool>(
    isa: impl Isa,
    men: u64,
    kings: u64,
    enemy: u64,
    empty: u64,
) -> u64 {
    isa.run4(
        men,
        kings,
        enemy,
        empty,
        #[inline(always)]
        |men, kings, enemy, empty| {
            let jumps = Jumps::new(enemy, empty);
            let reach = Reach::new(kings, enemy, empty);
            if reach.captures() {
                let mut counter = Counter::new();
                capture::collect_kings(isa, &reach, enemy, empty, &mut counter);
                if men & jumps.any() != 0 {
                    let first = FirstJumps::new(men, &jumps);
                    capture::collect_men(isa, &first, enemy, empty, &mut counter);
                }
                return counter.total();
            }
            if men & jumps.any() != 0 {
                let first = FirstJumps::new(men, &jumps);
                if first.chains() == 0 {
                    return u64::from(first.count());
                }
                return count_captures(isa, men, 0, enemy, empty);
            }
            let [left, right] = man::steps::<WHITE>(men, empty);
            u64::from(left.count_ones() + right.count_ones() + reach.count_slides())
        },
    )
}

/// Number of captures. Without kings some man must be able to take two pieces.
#[inline(never)]
fn count_captures(isa: impl Isa, men: u64, kings: u64, enemy: u64, empty: u64) -> u64 {
    isa.run4(
        men,
        kings,
        enemy,
        empty,
        #[inline(always)]
        |men, kings, enemy, empty| {
            if let Some(pairs) = pairs_of_men(men, kings, enemy, empty) {
                return u64::from(pairs.count());
            }
            let mut counter = Counter::new();
            collect(isa, men, kings, enemy, empty, &mut counter);
            counter.total()
        },
    )
}

/// Appends the legal moves of the side to the list, or its captures only unless `QUIET`.
///
/// They come in the same order for both sides: in a position turned round with colours exchanged,
/// the turned moves.
#[inline(always)]
pub(crate) fn generate<const WHITE: bool, const QUIET: bool>(
    isa: impl Isa,
    board: &Board,
    list: &mut MoveList,
) {
    visit::<WHITE, QUIET, _>(isa, board, Lister::<WHITE>::new(list));
}

/// Lists the moves.
struct Lister<'a, const WHITE: bool> {
    list: &'a mut MoveList,
    /// How many there are at its end.
    captures: usize,
}

impl<'a, const WHITE: bool> Lister<'a, WHITE> {
    #[inline(always)]
    fn new(list: &'a mut MoveList) -> Lister<'a, WHITE> {
        Lister { list, captures: 0 }
    }
}

impl<const WHITE: bool> Visitor for Lister<'_, WHITE> {
    #[inline(always)]
    fn quiet(&mut self, _kind: Kind, from: u64, to: u64) {
        self.list.push(Move::from_parts(from.trailing_zeros(), to.trailing_zeros(), 0));
    }

    #[inline(always)]
    fn capture(&mut self, from: u64, to: u64, captured: u64) {
        self.list.push(Move::from_parts(from.trailing_zeros(), to.trailing_zeros(), captured));
        self.captures += 1;
    }

    #[inline(always)]
    fn end_captures(&mut self, order: CaptureOrder) {
        if self.captures < 2 {
            return;
        }
        let first = self.list.len() - self.captures;
        let captures = &mut self.list[first..];
        match order {
            CaptureOrder::Opposite if WHITE => captures.reverse(),
            CaptureOrder::Opposite => {}
            CaptureOrder::Any => {
                captures.sort_unstable_by_key(|mv| if WHITE { mv.turned() } else { *mv });
            }
        }
    }

    #[inline(always)]
    fn steps(&mut self, set: u64, back: u32) {
        self.list.extend(FromBehind::<WHITE>(set).map(
            #[inline(always)]
            |to| {
                let to = to.trailing_zeros();
                Move::from_parts((to + back) % 64, to, 0)
            },
        ));
    }
}
