//! Principal variations.

use movegen::{Bitboard, Move, Square};

use super::params::MAX_PLY;

/// The best line found from each ply of the current path.
pub(super) struct PvTable {
    moves: Vec<Move>,
    len: [usize; MAX_PLY + 1],
}

/// Moves per ply; a line never goes beyond the last ply.
const WIDTH: usize = MAX_PLY + 1;

impl PvTable {
    pub(super) fn new() -> PvTable {
        let square = Square::from_bit(0).expect("bit 0 is square 1");
        let filler = Move::new(square, square, Bitboard::EMPTY);
        PvTable { moves: vec![filler; WIDTH * WIDTH], len: [0; MAX_PLY + 1] }
    }

    /// There is no line from this ply.
    #[inline]
    pub(super) fn clear(&mut self, ply: usize) {
        self.len[ply] = 0;
    }

    /// The line from `ply` is this move and the line from the next ply.
    pub(super) fn set(&mut self, ply: usize, mv: Move) {
        let tail = if ply + 1 < WIDTH { self.len[ply + 1] } else { 0 };
        let tail = tail.min(WIDTH - 1);
        self.moves[ply * WIDTH] = mv;
        let next = (ply + 1) * WIDTH;
        self.moves.copy_within(next..next + tail, ply * WIDTH + 1);
        self.len[ply] = tail + 1;
    }

    /// The line from this ply.
    pub(super) fn line(&self, ply: usize) -> &[Move] {
        &self.moves[ply * WIDTH..ply * WIDTH + self.len[ply]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::Position;

    #[test]
    fn lines_grow_from_the_leaf() {
        let mut pv = PvTable::new();
        let moves = Position::initial().legal_moves();
        pv.clear(3);
        pv.set(2, moves[2]);
        pv.set(1, moves[1]);
        pv.set(0, moves[0]);
        assert_eq!(pv.line(0), &moves[..3]);
        pv.clear(1);
        pv.set(0, moves[4]);
        assert_eq!(pv.line(0), &moves[4..5]);
    }
}
