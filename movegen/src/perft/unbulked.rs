//! Perft that makes the positions of the last ply too.

use std::hint::black_box;
use std::sync::atomic::{Ordering, compiler_fence};

use super::after_quiet;
use crate::board::{Board, promotion_row};
use crate::color::Color;
use crate::generator::{self, Visitor};
use crate::geometry::bits;
use crate::isa::Isa;
use crate::piece::Kind;
use crate::position::Position;
use crate::variant::Variant;
use crate::with_isa;

/// As [`perft`](super::perft), but every position of the last ply is really made.
#[must_use]
pub fn perft_unbulked(position: &Position, depth: u32) -> u64 {
    if position.variant() != Variant::International {
        return super::of_variant(position, depth, 0);
    }
    let &Board { black, white, kings } = position.board();
    let mut leaf = *position.board();
    // The compiler must assume from here on that the leaf is read.
    black_box(&mut leaf);
    let leaf = &mut leaf;
    with_isa!(isa => match (depth, position.side_to_move()) {
        (0, _) => 1,
        (1, Color::White) => last_one::<true>(isa, black, white, kings, leaf),
        (1, Color::Black) => last_one::<false>(isa, black, white, kings, leaf),
        (_, Color::White) => unbulked::<true, false>(isa, black, white, kings, depth, leaf),
        (_, Color::Black) => unbulked::<false, true>(isa, black, white, kings, depth, leaf),
    })
}

/// Counts below a board with two plies left or more.
#[inline(never)]
fn unbulked<const WHITE: bool, const BLACK: bool>(
    isa: impl Isa,
    black: u64,
    white: u64,
    kings: u64,
    depth: u32,
    leaf: &mut Board,
) -> u64 {
    isa.run5(
        black,
        white,
        kings,
        depth,
        leaf,
        #[inline(always)]
        |black, white, kings, depth, leaf| {
            let board = Board { black, white, kings };
            let below = depth - 1;
            let inner = InnerNode::<_, WHITE, BLACK> { board, below, leaf, nodes: 0, isa };
            generator::visit::<WHITE, true, _>(isa, &board, inner).nodes
        },
    )
}

/// Counts the children of a board by making each.
#[inline(never)]
fn last_one<const WHITE: bool>(
    isa: impl Isa,
    black: u64,
    white: u64,
    kings: u64,
    leaf: &mut Board,
) -> u64 {
    isa.run4(
        black,
        white,
        kings,
        leaf,
        #[inline(always)]
        |black, white, kings, leaf| {
            let board = Board { black, white, kings };
            let leaves = Leaves::<WHITE> { board, leaf, nodes: 0 };
            generator::visit::<WHITE, true, _>(isa, &board, leaves).nodes
        },
    )
}

/// Adds up the counts below the children.
struct InnerNode<'a, I, const WHITE: bool, const BLACK: bool> {
    board: Board,
    /// Plies left below a child.
    below: u32,
    leaf: &'a mut Board,
    nodes: u64,
    isa: I,
}

impl<I: Isa, const WHITE: bool, const BLACK: bool> InnerNode<'_, I, WHITE, BLACK> {
    #[inline(always)]
    fn child(&mut self, child: &Board) {
        let Board { black, white, kings } = *child;
        self.nodes += match self.below {
            1 => last_one::<BLACK>(self.isa, black, white, kings, self.leaf),
            below => unbulked::<BLACK, WHITE>(self.isa, black, white, kings, below, self.leaf),
        };
    }
}

impl<I: Isa, const WHITE: bool, const BLACK: bool> Visitor for InnerNode<'_, I, WHITE, BLACK> {
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
    fn steps(&mut self, set: u64, back: u32) {
        if set & promotion_row::<WHITE>() == 0 {
            for to in bits(set) {
                self.make(self.board.after_plain_step::<WHITE>(to.rotate_left(back), to));
            }
        } else {
            for to in bits(set) {
                self.make(self.board.after_man::<WHITE>(to.rotate_left(back), to));
            }
        }
    }
}
