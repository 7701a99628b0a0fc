//! The moves of the other games of the board: one generator with parameters.
//!
//! What the international generator gives already is taken from there: all moves of Losing and
//! Breakthrough, quiet moves of men, kings and Killer, captures of men in Killer. The rest is a walk
//! along captures in four or eight directions. States of the walk are remembered, so routes that
//! meet again are walked once.

mod trails;

use std::collections::HashSet;

use super::capture::{CaptureGroup, Groups, Sink};
use super::{CaptureOrder, Lister, MoverView, Visitor, king, man};
use crate::board::Board;
use crate::geometry::{self, SQUARES, bits, shift};
use crate::isa::Portable;
use crate::moves::MoveList;
use crate::variant::Variant;

/// A step, and the squares where it may end: a step along a row must not go on in the next row.
#[derive(Clone, Copy)]
struct RayStep {
    step: i32,
    ends: u64,
}

/// First squares of the rows whose squares follow those of another row without a ghost bit.
const WRAPPED: u64 = 1 << 5 | 1 << 16 | 1 << 27 | 1 << 38 | 1 << 49;

/// The diagonals first, then rows and columns. Two that follow each other are opposite.
const DIRECTIONS: [RayStep; 8] = [
    RayStep { step: 5, ends: SQUARES },
    RayStep { step: -5, ends: SQUARES },
    RayStep { step: 6, ends: SQUARES },
    RayStep { step: -6, ends: SQUARES },
    RayStep { step: 1, ends: SQUARES & !WRAPPED },
    RayStep { step: -1, ends: SQUARES & !(WRAPPED >> 1) },
    RayStep { step: 11, ends: SQUARES },
    RayStep { step: -11, ends: SQUARES },
];

impl RayStep {
    /// The pieces among `enemy` that men or kings on `from` can jump over in this direction.
    #[inline(always)]
    fn targets(self, from: u64, is_king: bool, enemy: u64, empty: u64) -> u64 {
        let RayStep { step, ends } = self;
        let open = empty & ends;
        let reached = if is_king { geometry::fill(from, open, step) } else { from };
        shift(reached, step) & ends & enemy & shift(open, -step)
    }

    /// Where a piece can land that jumps over `target`.
    #[inline(always)]
    fn landings(self, target: u64, is_king: bool, empty: u64) -> u64 {
        let RayStep { step, ends } = self;
        let open = empty & ends;
        if is_king { geometry::fill(target, open, step) & !target } else { shift(target, step) }
    }
}

/// The pieces as the side to move sees them, and the rules.
#[derive(Clone, Copy)]
struct View {
    variant: Variant,
    mover: MoverView,
    enemy_kings: u64,
    /// A king that has moved three times in a row.
    stopped: u64,
}

impl View {
    fn new<const WHITE: bool>(variant: Variant, board: &Board, stopped: u64) -> View {
        let mover = MoverView::new::<WHITE>(board);
        View { variant, mover, enemy_kings: mover.enemy & board.kings, stopped }
    }

    fn directions(&self) -> &'static [RayStep] {
        if self.variant.is_frisian() { &DIRECTIONS } else { &DIRECTIONS[..4] }
    }

    /// Whether the game has ended by a king.
    fn is_broken_through(&self) -> bool {
        self.variant == Variant::Breakthrough && self.enemy_kings != 0
    }

    fn can_capture(&self) -> bool {
        let MoverView { men, kings, enemy, empty } = self.mover;
        self.directions().iter().any(|d| {
            d.targets(men, false, enemy, empty) | d.targets(kings, true, enemy, empty) != 0
        })
    }

    /// What pieces count for in a capture, before its finer points.
    fn weight(&self, captured: u64) -> u32 {
        let kings = if self.variant.is_frisian() { captured & self.enemy_kings } else { 0 };
        captured.count_ones() + kings.count_ones()
    }

    /// What a capture is worth: the greatest is compulsory. Frisian compares `2 kings + men`, then
    /// prefers fewer kings, then a king that captures (official rules, articles 11 and 12).
    fn worth(&self, captured: u64, is_king: bool) -> u32 {
        if !self.variant.is_frisian() {
            return self.weight(captured);
        }
        let kings = (captured & self.enemy_kings).count_ones();
        self.weight(captured) << 8 | (63 - kings) << 1 | u32::from(is_king)
    }

    /// The pieces of the side to move, and whether they are kings.
    fn pieces(&self) -> impl Iterator<Item = (u64, bool)> {
        let kinds = [(self.mover.kings, true), (self.mover.men, false)].into_iter();
        kinds.flat_map(|(set, is_king)| bits(set).map(move |from| (from, is_king)))
    }

    fn captures(&self) -> Groups {
        let short = RouteWalk::of(self, WALK_AT_MOST);
        let found =
            short.or_else(|| trails::captures(self)).or_else(|| RouteWalk::of(self, u32::MAX));
        found.unwrap_or_else(Groups::new)
    }

    /// Where a piece may end whose last jump was over `target`.
    fn ends(&self, direction: usize, target: u64, landings: u64) -> u64 {
        let halts = self.variant == Variant::Killer && target & self.enemy_kings != 0;
        if halts { shift(target, DIRECTIONS[direction].step) } else { landings }
    }
}

/// Captures under way.
struct RouteWalk<'a> {
    view: &'a View,
    groups: Groups,
    jumps: u32,
    most_jumps: u32,
}

/// One piece on its way.
struct JumpingPiece {
    from: u64,
    is_king: bool,
    empty: u64,
    /// States that were walked from: landing squares, where a capture may end, captured squares.
    seen: HashSet<(u64, u64, u64)>,
}

/// States are remembered from this many jumps on.
const REMEMBER_AFTER: u32 = 50;

/// So many jumps take a millisecond or two. Only positions that were made for it have more, dozens of
/// pieces between as many gaps, which [`trails`] is for.
const WALK_AT_MOST: u32 = 10_000;

impl<'a> RouteWalk<'a> {
    /// All captures; `None` if there are more jumps.
    fn of(view: &'a View, most_jumps: u32) -> Option<Groups> {
        let mut walk = RouteWalk { view, groups: Groups::new(), jumps: 0, most_jumps };
        let MoverView { enemy, empty, .. } = view.mover;
        for (from, is_king) in view.pieces() {
            let (empty, seen) = (empty | from, HashSet::new());
            let mut mover = JumpingPiece { from, is_king, empty, seen };
            for (index, direction) in view.directions().iter().enumerate() {
                for target in bits(direction.targets(from, is_king, enemy, empty)) {
                    walk.extend(&mut mover, index, target, target);
                }
            }
        }
        (walk.jumps <= most_jumps).then_some(walk.groups)
    }

    /// Continues behind `target`, taken in this direction; it is one of `captured`.
    fn extend(&mut self, mover: &mut JumpingPiece, direction: usize, target: u64, captured: u64) {
        self.jumps += 1;
        let (is_king, empty) = (mover.is_king, mover.empty);
        let landings = DIRECTIONS[direction].landings(target, is_king, empty);
        let ends = self.view.ends(direction, target, landings);
        let is_known =
            self.jumps > REMEMBER_AFTER && !mover.seen.insert((landings, ends, captured));
        if is_known || self.jumps > self.most_jumps {
            return;
        }
        let enemy = self.view.mover.enemy & !captured;
        let mut is_last = true;
        for (index, next) in self.view.directions().iter().enumerate() {
            // Behind the piece lies the piece itself.
            if index == direction ^ 1 {
                continue;
            }
            for target in bits(next.targets(landings, is_king, enemy, empty)) {
                is_last = false;
                self.extend(mover, index, target, captured | target);
            }
        }
        if is_last {
            let worth = self.view.worth(captured, is_king);
            self.groups.add(worth, 0, CaptureGroup { from: mover.from, captured, ends });
        }
    }
}

/// Whether the side could capture if it were to move.
#[inline(never)]
pub(crate) fn has_capture<const WHITE: bool>(variant: Variant, board: &Board) -> bool {
    let view = View::new::<WHITE>(variant, board, 0);
    !view.is_broken_through() && view.can_capture()
}

/// Whether a piece of the side could go somewhere, captures left aside.
#[inline(never)]
pub(crate) fn has_quiet_move<const WHITE: bool>(
    variant: Variant,
    board: &Board,
    stopped: u64,
) -> bool {
    let view = View::new::<WHITE>(variant, board, stopped);
    let MoverView { men, kings, empty, .. } = view.mover;
    let [left, right] = man::steps::<WHITE>(men, empty);
    !view.is_broken_through()
        && left | right | geometry::king_slides(kings & !view.stopped, empty) != 0
}

/// Appends the legal moves of the side to the list, or its captures only unless `QUIET`.
#[inline(never)]
pub(crate) fn generate<const WHITE: bool, const QUIET: bool>(
    variant: Variant,
    board: &Board,
    stopped: u64,
    list: &mut MoveList,
) {
    let view = View::new::<WHITE>(variant, board, stopped);
    if view.is_broken_through() {
        return;
    }
    let MoverView { men, kings, empty, .. } = view.mover;
    if !variant.is_frisian() && (variant != Variant::Killer || kings == 0) {
        return super::generate::<WHITE, QUIET>(Portable, board, list);
    }
    let mut lister = Lister::<WHITE>::new(list);
    if view.can_capture() {
        view.captures().visit(&mut lister);
        lister.end_captures(CaptureOrder::Any);
    } else if QUIET {
        man::visit_steps::<WHITE>(men, empty, &mut lister);
        king::visit_slides::<WHITE>(kings & !view.stopped, empty, &mut lister);
    }
}
