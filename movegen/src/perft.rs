//! Node counts of the move tree, the standard check and benchmark of a move generator.

use std::hint::black_box;

use crate::color::Color;
use crate::r#gen::{self, capture};
use crate::piece::Kind;
use crate::position::{Board, Position};

/// Number of move sequences of exactly `depth` plies. Draw rules are ignored; a position without
/// a legal move before the horizon contributes nothing. The last ply is counted, not played
/// ("bulk counting").
#[must_use]
pub fn perft(position: &Position, depth: u32) -> u64 {
    match (depth, position.side_to_move()) {
        (0, _) => 1,
        (_, Color::White) => bulk::<true, false>(position.board(), depth),
        (_, Color::Black) => bulk::<false, true>(position.board(), depth),
    }
}

/// As [`perft`], but every position of the last ply is really made.
#[must_use]
pub fn perft_unbulked(position: &Position, depth: u32) -> u64 {
    match (depth, position.side_to_move()) {
        (0, _) => 1,
        (_, Color::White) => unbulked::<true, false>(position.board(), depth),
        (_, Color::Black) => unbulked::<false, true>(position.board(), depth),
    }
}

/// Calls `visit` with every board one move on.
#[inline(always)]
fn for_each_child<const WHITE: bool>(board: &Board, mut visit: impl FnMut(Board)) {
    if r#gen::has_capture::<WHITE>(board) {
        let mut captures = capture::Captures::new();
        capture::collect::<WHITE>(board, &mut captures);
        captures.for_each(|from, to, captured| {
            visit(board.after_capture::<WHITE>(from, to, captured));
        });
    } else {
        r#gen::for_each_quiet::<WHITE>(board, |kind, from, to| {
            visit(match kind {
                Kind::Man => board.after_man::<WHITE>(from, to),
                Kind::King => board.after_king::<WHITE>(from, to),
            });
        });
    }
}

fn bulk<const WHITE: bool, const BLACK: bool>(board: &Board, depth: u32) -> u64 {
    if depth == 1 {
        return r#gen::count::<WHITE>(board);
    }
    let mut nodes = 0;
    for_each_child::<WHITE>(board, |child| nodes += bulk::<BLACK, WHITE>(&child, depth - 1));
    nodes
}

fn unbulked<const WHITE: bool, const BLACK: bool>(board: &Board, depth: u32) -> u64 {
    let mut nodes = 0;
    if depth == 1 {
        for_each_child::<WHITE>(board, |child| {
            black_box(&child);
            nodes += 1;
        });
    } else {
        for_each_child::<WHITE>(board, |child| {
            nodes += unbulked::<BLACK, WHITE>(&child, depth - 1);
        });
    }
    nodes
}
