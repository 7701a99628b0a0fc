//! Node counts of the move tree, the standard check and benchmark of a move generator.

mod unbulked;

use crate::board::Board;
use crate::color::Color;
use crate::generator::{self, Visitor};
use crate::isa::Isa;
use crate::moves::Move;
use crate::piece::Kind;
use crate::position::Position;
use crate::variant::Variant;
use crate::with_isa;

pub use unbulked::perft_unbulked;

/// Number of move sequences of exactly `depth` plies. Draw rules are ignored; a position without
/// a legal move before the horizon contributes nothing. The last ply is counted, not played
/// ("bulk counting").
#[must_use]
pub fn perft(position: &Position, depth: u32) -> u64 {
    if position.variant() != Variant::International {
        return of_variant(position, depth, 1);
    }
    let Board { black, white, kings } = *position.board();
    with_isa!(isa => match (depth, position.side_to_move()) {
        (0, _) => 1,
        (_, Color::White) => bulk::<true, false>(isa, black, white, kings, depth),
        (_, Color::Black) => bulk::<false, true>(isa, black, white, kings, depth),
    })
}

/// Positions are made, because boards do not know their game; the last `counted` plies are counted.
fn of_variant(position: &Position, depth: u32, counted: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if depth == counted {
        return position.count_legal_moves();
    }
    let below = |&mv: &Move| of_variant(&position.after(mv), depth - 1, counted);
    position.legal_moves().iter().map(below).sum()
}

/// How a count treats the children of a board.
trait Count: Copy {
    fn child<const WHITE: bool, const BLACK: bool>(self, child: &Board, depth: u32) -> u64;
}

/// Continues counting below the child.
#[derive(Clone, Copy)]
struct Deeper<I>(I);

impl<I: Isa> Count for Deeper<I> {
    #[inline(always)]
    fn child<const WHITE: bool, const BLACK: bool>(self, child: &Board, depth: u32) -> u64 {
        let Board { black, white, kings } = *child;
        match depth {
            2 => last_two::<WHITE, BLACK>(self.0, black, white, kings),
            _ => bulk::<WHITE, BLACK>(self.0, black, white, kings, depth),
        }
    }
}

/// Counts the moves of the child.
#[derive(Clone, Copy)]
struct Moves<I>(I);

impl<I: Isa> Count for Moves<I> {
    #[inline(always)]
    fn child<const WHITE: bool, const BLACK: bool>(self, child: &Board, _depth: u32) -> u64 {
        generator::count::<WHITE>(self.0, child)
    }
}

/// Adds up the counts of the children, one by one.
struct ChildCounts<C, const WHITE: bool, const BLACK: bool> {
    board: Board,
    depth: u32,
    nodes: u64,
    count: C,
}

impl<C: Count, const WHITE: bool, const BLACK: bool> Visitor for ChildCounts<C, WHITE, BLACK> {
    #[inline(always)]
    fn quiet(&mut self, kind: Kind, from: u64, to: u64) {
        let child = after_quiet::<WHITE>(&self.board, kind, from, to);
        self.nodes += self.count.child::<BLACK, WHITE>(&child, self.depth);
    }

    #[inline(always)]
    fn capture(&mut self, from: u64, to: u64, captured: u64) {
        let child = self.board.after_capture::<WHITE>(from, to, captured);
        self.nodes += self.count.child::<BLACK, WHITE>(&child, self.depth);
    }

    #[inline(always)]
    fn man_capture(&mut self, from: u64, to: u64, captured: u64) {
        let child = self.board.after_man_capture::<WHITE>(from, to, captured);
        self.nodes += self.count.child::<BLACK, WHITE>(&child, self.depth);
    }
}

/// The sum over all children, which have `depth` plies left.
#[inline(always)]
fn sum<const WHITE: bool, const BLACK: bool>(
    isa: impl Isa,
    count: impl Count,
    board: &Board,
    depth: u32,
) -> u64 {
    let sum = ChildCounts::<_, WHITE, BLACK> { board: *board, depth, nodes: 0, count };
    generator::visit::<WHITE, true, _>(isa, board, sum).nodes
}

/// Boards come as three numbers, which stay in registers.
#[inline(never)]
fn bulk<const WHITE: bool, const BLACK: bool>(
    isa: impl Isa,
    black: u64,
    white: u64,
    kings: u64,
    depth: u32,
) -> u64 {
    isa.run4(
        black,
        white,
        kings,
        depth,
        #[inline(always)]
        |black, white, kings, depth| match depth {
            1 => generator::count::<WHITE>(isa, &Board { black, white, kings }),
            2 => last_two::<WHITE, BLACK>(isa, black, white, kings),
            _ => {
                let board = Board { black, white, kings };
                sum::<WHITE, BLACK>(isa, Deeper(isa), &board, depth - 1)
            }
        },
    )
}

/// The last two plies have their own function: most of the work is done there.
#[inline(never)]
fn last_two<const WHITE: bool, const BLACK: bool>(
    isa: impl Isa,
    black: u64,
    white: u64,
    kings: u64,
) -> u64 {
    isa.run3(
        black,
        white,
        kings,
        #[inline(always)]
        |black, white, kings| {
            sum::<WHITE, BLACK>(isa, Moves(isa), &Board { black, white, kings }, 1)
        },
    )
}

#[inline(always)]
fn after_quiet<const WHITE: bool>(board: &Board, kind: Kind, from: u64, to: u64) -> Board {
    match kind {
        Kind::Man => board.after_man::<WHITE>(from, to),
        Kind::King => board.after_king::<WHITE>(from, to),
    }
}
