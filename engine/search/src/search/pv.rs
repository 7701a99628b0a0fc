//! Principal variations.

use arrayvec::ArrayVec;
use movegen::Move;

use super::params::MAX_PLY;

/// The best line found from each ply of the current path: a row for each ply, none longer than the
/// path may become.
pub(super) struct PvTable(Vec<ArrayVec<Move, ROWS>>);

const ROWS: usize = MAX_PLY + 1;

impl PvTable {
    pub(super) fn new() -> PvTable {
        PvTable(vec![ArrayVec::new(); ROWS])
    }

    /// There is no line from this ply.
    #[inline]
    pub(super) fn clear(&mut self, ply: usize) {
        self.0[ply].clear();
    }

    /// The line from `ply` is this move and the line from the next ply.
    pub(super) fn set(&mut self, ply: usize, mv: Move) {
        let (rows, below) = self.0.split_at_mut(ply + 1);
        let row = &mut rows[ply];
        row.clear();
        row.push(mv);
        let tail = below.first().map_or(&[][..], |next| next);
        // Moves that do not fit lie beyond the last ply.
        let tail = &tail[..tail.len().min(row.remaining_capacity())];
        row.extend(tail.iter().copied());
    }

    /// The line from this ply.
    pub(super) fn line(&self, ply: usize) -> &[Move] {
        &self.0[ply]
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
