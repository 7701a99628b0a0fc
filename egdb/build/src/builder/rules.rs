//! Values under the draw rules that count moves.
//!
//! A win needs some number of plies until the counter begins again or the game ends, if both sides play
//! for or against that. It is a win under the rules if that number is within the limit of its material,
//! and moves that let the counter begin again lead only to wins under the rules. So a build under the
//! rules solves all slices once more: values that a slice is solved from are those under the rules, and
//! what needs too many plies is a draw.
//!
//! In most slices the counter begins again with every move that leaves an arrangement of men. Where a
//! lone king's moves are counted it does so only if the material is of another class then: there the
//! number goes on over such moves. The [`Code`] of a position is twice the number, plus one for a win.
//!
//! Waves decide losses in even and wins in odd plies, but a loser can be the one to convert, so that a
//! win may need an even number. Two iterations find it: with all numbers rounded down to the parity of
//! their waves, and up.

use movegen::draw::TWENTY_FIVE_MOVES;
use movegen::geometry::bits;

use super::store::{Code, DRAW, Distances, Words};
use egdb::slice::Slice;

/// The plies that a win may need in a slice.
pub(super) fn limit(slice: Slice) -> u16 {
    slice.class().limit().map_or(TWENTY_FIVE_MOVES, |(plies, _)| plies)
}

/// Which way numbers are rounded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PlyRounding {
    Down,
    Up,
}

impl PlyRounding {
    /// The codes of wins or losses as plies of an iteration; 0 and [`DRAW`] stay.
    pub(super) fn plies(self, codes: &[Distances], out: &mut Vec<Distances>) {
        let one = |code: Code| match (self, code & 1) {
            _ if code == 0 || code == DRAW => code,
            (PlyRounding::Down, 0) => (code / 2) & !1,
            (PlyRounding::Down, _) => (code / 2).saturating_sub(1) | 1,
            (PlyRounding::Up, 0) => (code / 2 + 1) & !1,
            (PlyRounding::Up, _) => (code / 2) | 1,
        };
        out.clear();
        out.extend(codes.iter().map(|row| row.map(|side| side.map(one))));
    }
}

/// Puts the results of both iterations together: codes in place of the plies rounded down, and the
/// words without what needs more plies than `limit`. Whether there was such a thing.
pub(super) fn join(
    words: &mut [Words],
    down: &mut [Distances],
    up: &[Distances],
    limit: u16,
) -> bool {
    let mut is_stopped = false;
    for (words, (down, up)) in words.iter_mut().zip(down.iter_mut().zip(up)) {
        for side in 0..2 {
            for square in bits(words[2 * side] | words[2 * side + 1]) {
                let at = square.trailing_zeros() as usize;
                let is_win = words[2 * side] & square != 0;
                let plies = down[side][at] + Code::from(down[side][at] != up[side][at]);
                if u16::from(plies) <= limit {
                    down[side][at] = 2 * plies + Code::from(is_win);
                } else {
                    down[side][at] = DRAW;
                    words[2 * side] &= !square;
                    words[2 * side + 1] &= !square;
                    is_stopped = true;
                }
            }
        }
    }
    is_stopped
}
