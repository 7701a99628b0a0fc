//! The positions without the moving king, by the square of a king that took it.
//!
//! A black king that takes the moving white king alone may end on any of several squares. Where there
//! are more white kings, the rows of the slice with one less are by these, and each of the squares is
//! in another row. Here the values of an arrangement of men are put together once by the squares of a
//! black king, so that a capture finds all of them in one place.

use movegen::Color;
use movegen::geometry::bits;

use super::chunks::Near;
use super::rows::Rows;
use super::store::Solved;
use crate::slice::Slice;

/// The values of an arrangement of men without the moving white king, White to move.
#[derive(Default)]
pub(super) struct LostKing {
    men: u64,
    /// The numbering by black kings, if there are values.
    rows: Option<Rows>,
    /// By row: the squares of a black king where White wins, and loses.
    values: Vec<[u64; 2]>,
    /// Memory for the kings of the rows that they are read from.
    kings: Vec<[u64; 2]>,
}

/// The slice with a white king less, its rows, and those by black kings. `None` if both are the same,
/// and for kings alone, which have too many rows.
fn numbering(slice: Slice) -> Option<(Slice, Rows, Rows)> {
    let (bm, bk) = (slice.black_men(), slice.black_kings());
    let (wm, wk) = (slice.white_men(), slice.white_kings());
    if bm + wm == 0 || bk == 0 || wk < 2 {
        return None;
    }
    let less = Slice::new(bm, bk, wm, wk - 1)?;
    Some((less, Rows::new(less)?, Rows::of(less, Color::Black)))
}

impl LostKing {
    /// Bytes that an arrangement of a slice takes.
    pub(super) fn bytes(slice: Slice) -> usize {
        numbering(slice).map_or(0, |(_, from, to)| {
            from.count() * size_of::<[u64; 2]>() + to.count() * size_of::<[u64; 2]>()
        })
    }

    /// Puts together the values of an arrangement of a slice, if it needs them.
    #[inline(always)]
    pub(super) fn find(&mut self, solved: &Solved, slice: Slice, men: [u64; 2], near: &mut Near) {
        let LostKing { rows, values, kings, .. } = self;
        *rows = None;
        let Some((less, from, to)) = numbering(slice) else { return };
        let Some(store) = solved.get(less).filter(|store| !store.has_dtw) else { return };
        self.men = men[0] | men[1];
        *rows = Some(to);
        values.clear();
        values.resize(to.count(), [0; 2]);
        from.list(self.men, kings);
        let block = store.units.block(men[0], men[1]);
        let (unit, first) = (&store.solved[block.unit], store.first_row(block));
        for (number, &[black, white]) in (first..).zip(kings.iter()) {
            let [_, _, wins, losses] = *unit.words.get(number, near);
            // Each position is in the rows of all its white kings.
            let counted = (white & white.wrapping_neg()).wrapping_sub(1);
            for king in bits((wins | losses) & counted) {
                let at = usize::from(wins & king == 0);
                for from in bits(black) {
                    let (row, _) = to.place(self.men, black ^ from, white | king);
                    values[row][at] |= from;
                }
            }
        }
    }

    /// The squares of one more black king where White wins, and where it loses. `None` where the
    /// slice with a king less has them in a row.
    #[inline(always)]
    pub(super) fn values(&self, black: u64, white: u64) -> Option<[u64; 2]> {
        let rows = self.rows.as_ref()?;
        let (row, _) = rows.place(self.men, black, white);
        Some(self.values[row])
    }
}
