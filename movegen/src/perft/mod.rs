//! Node counts of the move tree, the standard check and benchmark of a move generator.

mod unbulked;

use std::marker::PhantomData;

use crate::board::Board;
use crate::color::Color;
use crate::generator::isa::{Isa, Task, run_best};
use crate::generator::{self, Visitor};
use crate::piece::Kind;
use crate::position::Position;

pub use unbulked::perft_unbulked;

/// Number of move sequences of exactly `depth` plies. Draw rules are ignored; a position without
/// a legal move before the horizon contributes nothing. The last ply is counted, not played
/// ("bulk counting").
#[must_use]
pub fn perft(position: &Position, depth: u32) -> u64 {
    match (depth, position.side_to_move()) {
        (0, _) => 1,
        (_, Color::White) => run_best::<Bulk<true, false>>(position.board(), depth),
        (_, Color::Black) => run_best::<Bulk<false, true>>(position.board(), depth),
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
        let &Board { black, white, kings } = child;
        match depth {
            2 => I::run::<LastTwo<WHITE, BLACK>>(black, white, kings, ()),
            _ => I::run::<Bulk<WHITE, BLACK>>(black, white, kings, depth),
        }
    }
}

/// Counts the moves of the child.
struct Moves<I>(PhantomData<I>);

impl<I: Isa> Count for Moves<I> {
    #[inline(always)]
    fn child<const WHITE: bool, const BLACK: bool>(child: &Board, _depth: u32) -> u64 {
        generator::count::<I, WHITE>(child)
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

    #[inline(always)]
    fn man_capture(&mut self, from: u64, to: u64, captured: u64) {
        let child = self.board.after_man_capture::<WHITE>(from, to, captured);
        self.nodes += C::child::<BLACK, WHITE>(&child, self.depth);
    }
}

/// The sum over all children, which have `depth` plies left.
#[inline(always)]
fn sum<I: Isa, C: Count, const WHITE: bool, const BLACK: bool>(board: &Board, depth: u32) -> u64 {
    let sum = Sum::<C, WHITE, BLACK> { board: *board, depth, nodes: 0, count: PhantomData };
    generator::visit::<I, WHITE, _>(board, sum).nodes
}

/// Counts so many plies below a board, 1 or more.
struct Bulk<const WHITE: bool, const BLACK: bool>;

impl<const WHITE: bool, const BLACK: bool> Task for Bulk<WHITE, BLACK> {
    type State = u32;

    #[inline(always)]
    fn run<I: Isa>(black: u64, white: u64, kings: u64, depth: u32) -> u64 {
        let board = Board { black, white, kings };
        match depth {
            1 => generator::count::<I, WHITE>(&board),
            2 => I::run::<LastTwo<WHITE, BLACK>>(black, white, kings, ()),
            _ => sum::<I, Deeper<I>, WHITE, BLACK>(&board, depth - 1),
        }
    }
}

/// The last two plies have a function of their own: most of the work is done there.
struct LastTwo<const WHITE: bool, const BLACK: bool>;

impl<const WHITE: bool, const BLACK: bool> Task for LastTwo<WHITE, BLACK> {
    type State = ();

    #[inline(always)]
    fn run<I: Isa>(black: u64, white: u64, kings: u64, (): ()) -> u64 {
        sum::<I, Moves<I>, WHITE, BLACK>(&Board { black, white, kings }, 1)
    }
}

#[inline(always)]
fn after_quiet<const WHITE: bool>(board: &Board, kind: Kind, from: u64, to: u64) -> Board {
    match kind {
        Kind::Man => board.after_man::<WHITE>(from, to),
        Kind::King => board.after_king::<WHITE>(from, to),
    }
}
