//! Positions after the capture of a king, by the squares of the kings of the side that took it.
//!
//! A king that captures may end on any of several squares, and the moving king may be on any. If
//! the rows of the slice with a king less are by the kings of the other side, each of these squares
//! is in another row, far away. So the values of an arrangement of men are grouped once by the
//! kings of the side that captured.

use movegen::Color;
use movegen::geometry::{bits, turned};

use super::chunks::Near;
use super::fixed::FixedValues;
use super::rows::Rows;
use super::store::Solved;
use egdb::slice::Slice;

/// The values of an arrangement of men after a side has lost a king, for this side to move.
#[derive(Default)]
pub(super) struct Regrouped {
    men: u64,
    /// The numbering by kings of the other side, if there are values.
    rows: Option<Rows>,
    /// By row: the squares of its moving king where the side to move wins, and loses.
    values: Vec<[u64; 2]>,
    /// Memory for the kings of the rows that they are read from.
    kings: Vec<[u64; 2]>,
}

/// A slice after the loss of a king, and two ways to number its rows.
struct Regrouping {
    stored: Slice,
    /// It is stored with the board turned and the colours swapped.
    is_reversed: bool,
    from: Rows,
    to: Rows,
}

impl Regrouping {
    /// `None` if the slice has such rows already, and for kings alone, which have too many.
    fn new(slice: Slice, lost: Color) -> Option<Regrouping> {
        let (bm, wm, by) = (slice.black_men(), slice.white_men(), lost.opponent());
        let mut kings = [slice.black_kings(), slice.white_kings()];
        if bm + wm == 0 || kings[by.index()] == 0 {
            return None;
        }
        let left = &mut kings[lost.index()];
        *left = left.checked_sub(1)?;
        let less = Slice::new(bm, kings[0], wm, kings[1])?;
        let stored = less.stored_twin();
        let is_reversed = stored != less;
        let from = Rows::new(stored)?;
        let moving = if is_reversed { from.moving.opponent() } else { from.moving };
        let to = Rows::of(less, by);
        (moving == lost).then_some(Regrouping { stored, is_reversed, from, to })
    }
}

impl Regrouped {
    /// Bytes that an arrangement of a slice takes.
    pub(super) fn bytes(slice: Slice, lost: Color) -> usize {
        Regrouping::new(slice, lost).map_or(0, |Regrouping { from, to, .. }| {
            from.count() * size_of::<[u64; 2]>() + to.count() * size_of::<[u64; 2]>()
        })
    }

    /// Groups the values of an arrangement of a slice, if they can be used; not the distances.
    #[inline(always)]
    pub(super) fn find(
        &mut self,
        solved: &Solved,
        slice: Slice,
        lost: Color,
        men: [u64; 2],
        near: &mut Near,
    ) {
        let Regrouped { rows, values, kings, .. } = self;
        *rows = None;
        let Some(Regrouping { stored, is_reversed, from, to }) = Regrouping::new(slice, lost)
        else {
            return;
        };
        let Some(store) = solved.get(stored).filter(|store| !store.has_dtw) else { return };
        let turn = |set: u64| if is_reversed { turned(set) } else { set };
        let swap = |[a, b]: [u64; 2]| if is_reversed { [turned(b), turned(a)] } else { [a, b] };
        let by = lost.opponent().index();
        self.men = men[0] | men[1];
        *rows = Some(to);
        values.clear();
        values.resize(to.count(), [0; 2]);
        from.list(turn(self.men), kings);
        let men = swap(men);
        let block = store.units.block(men[0], men[1]);
        let (unit, first) = (&store.solved[block.unit], store.first_row(block));
        let moving = from.moving.index();
        for (number, &fixed) in (first..).zip(kings.iter()) {
            let words = unit.words.get(number, near);
            let [wins, losses] = [words[2 * moving], words[2 * moving + 1]];
            // Each position is in the rows of all its kings of this side.
            let counted = FixedValues::new(men, fixed, from.moving).counted();
            for king in bits((wins | losses) & counted) {
                let value = usize::from(wins & king == 0);
                let mut all = fixed;
                all[moving] |= king;
                let all = swap(all);
                for king in bits(all[by]) {
                    let mut others = all;
                    others[by] ^= king;
                    let (row, _) = to.place(self.men, others[0], others[1]);
                    values[row][value] |= king;
                }
            }
        }
    }

    /// The squares of a king of the side that captured, beside these kings, where the side to move
    /// wins, and loses. `None` where the slice has them in a row.
    #[inline(always)]
    pub(super) fn row(&self, kings: [u64; 2]) -> Option<[u64; 2]> {
        let rows = self.rows.as_ref()?;
        let (row, _) = rows.place(self.men, kings[0], kings[1]);
        Some(self.values[row])
    }

    /// Whether there are values.
    #[inline(always)]
    pub(super) fn is_there(&self) -> bool {
        self.rows.is_some()
    }
}
