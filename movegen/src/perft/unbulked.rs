//! Perft that makes the positions of the last ply too.

use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::atomic::{Ordering, compiler_fence};

use super::after_quiet;
use crate::board::{Board, promotion_row};
use crate::color::Color;
use crate::generator::isa::{Isa, Task, run_best};
use crate::generator::{self, Visitor};
use crate::geometry::bits;
use crate::piece::Kind;
use crate::position::Position;

/// As [`perft`](super::perft), but every position of the last ply is really made.
#[must_use]
pub fn perft_unbulked(position: &Position, depth: u32) -> u64 {
    let board = position.board();
    let mut leaf = *board;
    // From here on the compiler must take the leaf for something that others look at.
    black_box(&mut leaf);
    let leaf = &mut leaf;
    match (depth, position.side_to_move()) {
        (0, _) => 1,
        (1, Color::White) => run_best::<LastOne<'_, true>>(board, leaf),
        (1, Color::Black) => run_best::<LastOne<'_, false>>(board, leaf),
        (_, Color::White) => run_best::<Unbulked<'_, true, false>>(board, (depth, leaf)),
        (_, Color::Black) => run_best::<Unbulked<'_, false, true>>(board, (depth, leaf)),
    }
}

/// Counts below a board with two plies left or more.
struct Unbulked<'a, const WHITE: bool, const BLACK: bool>(PhantomData<&'a mut Board>);

impl<'a, const WHITE: bool, const BLACK: bool> Task for Unbulked<'a, WHITE, BLACK> {
    type State = (u32, &'a mut Board);

    #[inline(always)]
    fn run<I: Isa>(black: u64, white: u64, kings: u64, (depth, leaf): Self::State) -> u64 {
        let board = Board { black, white, kings };
        let inner =
            Inner::<I, WHITE, BLACK> { board, below: depth - 1, leaf, nodes: 0, isa: PhantomData };
        generator::visit::<I, WHITE, _>(&board, inner).nodes
    }
}

/// Counts the children of a board by making each.
struct LastOne<'a, const WHITE: bool>(PhantomData<&'a mut Board>);

impl<'a, const WHITE: bool> Task for LastOne<'a, WHITE> {
    type State = &'a mut Board;

    #[inline(always)]
    fn run<I: Isa>(black: u64, white: u64, kings: u64, leaf: &'a mut Board) -> u64 {
        let board = Board { black, white, kings };
        generator::visit::<I, WHITE, _>(&board, Leaves::<WHITE> { board, leaf, nodes: 0 }).nodes
    }
}

/// Adds up the counts below the children.
struct Inner<'a, I, const WHITE: bool, const BLACK: bool> {
    board: Board,
    /// Plies left below a child.
    below: u32,
    leaf: &'a mut Board,
    nodes: u64,
    isa: PhantomData<I>,
}

impl<I: Isa, const WHITE: bool, const BLACK: bool> Inner<'_, I, WHITE, BLACK> {
    #[inline(always)]
    fn child(&mut self, child: &Board) {
        let Board { black, white, kings } = *child;
        self.nodes += match self.below {
            1 => I::run::<LastOne<'_, BLACK>>(black, white, kings, self.leaf),
            below => I::run::<Unbulked<'_, BLACK, WHITE>>(black, white, kings, (below, self.leaf)),
        };
    }
}

impl<I: Isa, const WHITE: bool, const BLACK: bool> Visitor for Inner<'_, I, WHITE, BLACK> {
    #[inline(always)]
    fn quiet(&mut self, kind: Kind, from: u64, to: u64) {
        self.child(&after_quiet::<WHITE>(&self.board, kind, from, to));
    }

    #[inline(always)]
    fn capture(&mut self, from: u64, to: u64, captured: u64) {
        self.child(&self.board.after_capture::<WHITE>(from, to, captured));
    }

    #[inline(always)]
    fn man_capture(&mut self, from: u64, to: u64, captured: u64) {
        self.child(&self.board.after_man_capture::<WHITE>(from, to, captured));
    }
}

/// Makes every child, all in one place.
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

    #[inline(always)]
    fn man_capture(&mut self, from: u64, to: u64, captured: u64) {
        self.make(self.board.after_man_capture::<WHITE>(from, to, captured));
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
