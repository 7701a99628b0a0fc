//! Node counts of the move tree, the standard check and benchmark of a move generator.

use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::atomic::{Ordering, compiler_fence};

use crate::color::Color;
use crate::r#gen::isa::{Isa, dispatch};
use crate::r#gen::man::bits;
use crate::r#gen::{self, Visitor};
use crate::piece::Kind;
use crate::position::{Board, Position, promotion_row};

/// Number of move sequences of exactly `depth` plies. Draw rules are ignored; a position without
/// a legal move before the horizon contributes nothing. The last ply is counted, not played
/// ("bulk counting").
#[must_use]
pub fn perft(position: &Position, depth: u32) -> u64 {
    match (depth, position.side_to_move()) {
        (0, _) => 1,
        (_, Color::White) => dispatch!(bulk::<true, false>(position.board(), depth)),
        (_, Color::Black) => dispatch!(bulk::<false, true>(position.board(), depth)),
    }
}

/// As [`perft`], but every position of the last ply is really made.
#[must_use]
pub fn perft_unbulked(position: &Position, depth: u32) -> u64 {
    match (depth, position.side_to_move()) {
        (0, _) => 1,
        (_, Color::White) => dispatch!(unbulked::<true, false>(position.board(), depth)),
        (_, Color::Black) => dispatch!(unbulked::<false, true>(position.board(), depth)),
    }
}

/// What a count does with the children of a board.
trait Count {
    fn child<const WHITE: bool, const BLACK: bool>(child: &Board, depth: u32) -> u64;
}

/// Goes on counting below the child.
struct Deeper<I>(PhantomData<I>);

impl<I: Isa> Count for Deeper<I> {
    #[inline(always)]
    fn child<const WHITE: bool, const BLACK: bool>(child: &Board, depth: u32) -> u64 {
        match depth {
            2 => I::last_two::<WHITE, BLACK>(child),
            _ => I::bulk::<WHITE, BLACK>(child, depth),
        }
    }
}

/// Counts the moves of the child.
struct Moves<I>(PhantomData<I>);

impl<I: Isa> Count for Moves<I> {
    #[inline(always)]
    fn child<const WHITE: bool, const BLACK: bool>(child: &Board, _depth: u32) -> u64 {
        r#gen::count::<I, WHITE>(child)
    }
}

/// As [`Deeper`], playing the last ply too.
struct DeeperUnbulked<I>(PhantomData<I>);

impl<I: Isa> Count for DeeperUnbulked<I> {
    #[inline(always)]
    fn child<const WHITE: bool, const BLACK: bool>(child: &Board, depth: u32) -> u64 {
        match depth {
            1 => I::last_one::<WHITE>(child),
            _ => I::unbulked::<WHITE, BLACK>(child, depth),
        }
    }
}

/// Adds up the counts of the children, which it is shown one by one.
struct Sum<C, const WHITE: bool, const BLACK: bool> {
    board: Board,
    depth: u32,
    nodes: u64,
    count: PhantomData<C>,
}

impl<C: Count, const WHITE: bool, const BLACK: bool> Visitor for Sum<C, WHITE, BLACK> {
    #[inline(always)]
    fn quiet(&mut self, kind: Kind, from: u64, to: u64) {
        let child = after_quiet::<WHITE>(&self.board, kind, from, to);
        self.nodes += C::child::<BLACK, WHITE>(&child, self.depth);
    }

    #[inline(always)]
    fn capture(&mut self, from: u64, to: u64, captured: u64) {
        let child = self.board.after_capture::<WHITE>(from, to, captured);
        self.nodes += C::child::<BLACK, WHITE>(&child, self.depth);
    }
}

/// The sum over all children, which have `depth` plies left.
#[inline(always)]
fn sum<I: Isa, C: Count, const WHITE: bool, const BLACK: bool>(board: &Board, depth: u32) -> u64 {
    let sum = Sum::<C, WHITE, BLACK> { board: *board, depth, nodes: 0, count: PhantomData };
    r#gen::visit::<I, WHITE, _>(board, sum).nodes
}

#[inline(always)]
pub(crate) fn bulk<I: Isa, const WHITE: bool, const BLACK: bool>(board: &Board, depth: u32) -> u64 {
    match depth {
        1 => r#gen::count::<I, WHITE>(board),
        2 => I::last_two::<WHITE, BLACK>(board),
        _ => sum::<I, Deeper<I>, WHITE, BLACK>(board, depth - 1),
    }
}

/// The last two plies have a function of their own: most of the work is done there.
#[inline(always)]
pub(crate) fn last_two<I: Isa, const WHITE: bool, const BLACK: bool>(board: &Board) -> u64 {
    sum::<I, Moves<I>, WHITE, BLACK>(board, 1)
}

#[inline(always)]
pub(crate) fn unbulked<I: Isa, const WHITE: bool, const BLACK: bool>(
    board: &Board,
    depth: u32,
) -> u64 {
    match depth {
        1 => I::last_one::<WHITE>(board),
        _ => sum::<I, DeeperUnbulked<I>, WHITE, BLACK>(board, depth - 1),
    }
}

#[inline(always)]
pub(crate) fn last_one<I: Isa, const WHITE: bool>(board: &Board) -> u64 {
    let mut leaf = *board;
    // From here on the compiler must take the leaf for something that others look at.
    black_box(&mut leaf);
    r#gen::visit::<I, WHITE, _>(board, Leaves::<WHITE> { board: *board, leaf: &mut leaf, nodes: 0 })
        .nodes
}

/// Makes every child in one place.
struct Leaves<'a, const WHITE: bool> {
    board: Board,
    leaf: &'a mut Board,
    nodes: u64,
}

impl<const WHITE: bool> Leaves<'_, WHITE> {
    #[inline(always)]
    fn make(&mut self, child: Board) {
        *self.leaf = child;
        // Keeps the child from being overwritten unmade.
        compiler_fence(Ordering::SeqCst);
        self.nodes += 1;
    }
}

impl<const WHITE: bool> Visitor for Leaves<'_, WHITE> {
    #[inline(always)]
    fn quiet(&mut self, kind: Kind, from: u64, to: u64) {
        self.make(after_quiet::<WHITE>(&self.board, kind, from, to));
    }

    #[inline(always)]
    fn capture(&mut self, from: u64, to: u64, captured: u64) {
        self.make(self.board.after_capture::<WHITE>(from, to, captured));
    }

    /// Steps without a promotion, which are most, have a shorter loop.
    #[inline(always)]
    fn steps(&mut self, set: u64, back: impl Fn(u64) -> u64) {
        if set & promotion_row::<WHITE>() == 0 {
            for to in bits(set) {
                self.make(self.board.after_plain_step::<WHITE>(back(to), to));
            }
        } else {
            for to in bits(set) {
                self.make(self.board.after_man::<WHITE>(back(to), to));
            }
        }
    }
}

#[inline(always)]
fn after_quiet<const WHITE: bool>(board: &Board, kind: Kind, from: u64, to: u64) -> Board {
    match kind {
        Kind::Man => board.after_man::<WHITE>(from, to),
        Kind::King => board.after_king::<WHITE>(from, to),
    }
}
