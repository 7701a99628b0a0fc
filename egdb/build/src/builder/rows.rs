//! Rows: positions that differ in the square of one king only.
//!
//! With the men of a slice fixed, a row fixes all kings but one, the *moving* king: a white one if
//! there is any, else a black one. Its squares are the bits of a word, so that one word holds a
//! fact about some 45 positions. Where a side has several kings and one of them is the moving one,
//! a position is in several rows, once with each as the moving king.

use movegen::Color;
use movegen::geometry::SQUARES;

use super::symmetry::{Orbits, subsets};
use egdb::index::rank_free;
use egdb::layout::binomial;
use egdb::slice::Slice;
use egdb::symmetry::Turn;

/// The numbering of the rows of one arrangement of men.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    /// The moving king's colour.
    pub moving: Color,
    /// Fixed kings by colour.
    fixed: [u32; 2],
    /// Number of rows.
    count: usize,
    /// Sets of fixed white kings for each set of fixed black ones.
    inner: usize,
    /// Without men: the sets of black kings that have rows. The others are turned to one of them.
    orbits: Option<&'static Orbits>,
}

impl Rows {
    /// `None` if the slice has no king.
    pub(super) fn new(slice: Slice) -> Option<Rows> {
        match (slice.black_kings(), slice.white_kings()) {
            (0, 0) => None,
            (_, 0) => Some(Rows::of(slice, Color::Black)),
            _ => Some(Rows::of(slice, Color::White)),
        }
    }

    /// The rows by a king of this colour, which must exist.
    pub(super) fn of(slice: Slice, moving: Color) -> Rows {
        let mut fixed = [slice.black_kings(), slice.white_kings()].map(u32::from);
        fixed[moving.index()] -= 1;
        let men = u32::from(slice.black_men() + slice.white_men());
        let free = 50 - men;
        let inner = binomial(free - fixed[0], fixed[1]) as usize;
        let orbits = (men == 0).then(|| Orbits::of(slice.black_kings()));
        let outer = orbits.map_or(binomial(free, fixed[0]) as usize, |orbits| orbits.sets().len());
        Rows { moving, fixed, count: outer * inner, inner, orbits }
    }

    /// Number of rows.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Number of fixed kings of a colour.
    #[inline(always)]
    pub(super) fn fixed_of(&self, color: Color) -> u32 {
        self.fixed[color.index()]
    }

    /// Number of rows with the same fixed black kings.
    #[inline(always)]
    pub(super) fn inner(&self) -> usize {
        self.inner
    }

    /// The row with these fixed kings, and how the board must be turned to get there.
    #[inline(always)]
    pub(super) fn place(&self, men: u64, black: u64, white: u64) -> (usize, Turn) {
        let outer = rank_free(black, men) as usize;
        if let Some(orbits) = self.orbits {
            let (outer, turn) = orbits.place(outer);
            return (self.inside(outer, orbits.sets()[outer], turn.apply(white)), turn);
        }
        (self.inside(outer, men | black, white), Turn::NONE)
    }

    /// Visits all rows that are the same as that with these fixed kings.
    #[inline(always)]
    pub(super) fn places(
        &self,
        men: u64,
        black: u64,
        white: u64,
        mut visit: impl FnMut(usize, Turn),
    ) {
        let Some(orbits) = self.orbits else {
            let (row, turn) = self.place(men, black, white);
            return visit(row, turn);
        };
        let (outer, turns) = orbits.places(rank_free(black, men) as usize);
        for turn in turns {
            visit(self.inside(outer, orbits.sets()[outer], turn.apply(white)), turn);
        }
    }

    /// The row with these fixed white kings, of those with the same black ones.
    #[inline(always)]
    fn inside(&self, outer: usize, taken: u64, white: u64) -> usize {
        match self.fixed[1] {
            0 => outer,
            _ => outer * self.inner + rank_free(white, taken) as usize,
        }
    }

    /// The fixed black and white kings of every row, in order.
    pub(super) fn list(&self, men: u64, list: &mut Vec<[u64; 2]>) {
        list.clear();
        let mut with = |black| self.list_inside(men, black, |white| list.push([black, white]));
        match self.orbits {
            Some(orbits) => orbits.sets().iter().for_each(|&black| with(black)),
            None => subsets(SQUARES & !men, self.fixed[0], &mut with),
        }
    }

    /// The sets of fixed white kings that go with a set of fixed black ones, in order.
    pub(super) fn list_inside(&self, men: u64, black: u64, mut visit: impl FnMut(u64)) {
        subsets(SQUARES & !men & !black, self.fixed[1], &mut visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_numbered_in_order() {
        for (digits, men) in [("0302", 0u64), ("1202", 1 << 20), ("1310", (1 << 5) | (1 << 40))] {
            let rows = Rows::new(digits.parse().unwrap()).unwrap();
            let mut list = Vec::new();
            rows.list(men, &mut list);
            assert_eq!(list.len(), rows.count(), "{digits}");
            for (number, &[black, white]) in list.iter().enumerate() {
                assert_eq!(rows.place(men, black, white), (number, Turn::NONE), "{digits}");
            }
        }
    }

    #[test]
    fn kings_alone_need_a_quarter_of_the_rows() {
        let all = |digits: &str| Rows::new(digits.parse().unwrap()).unwrap().count();
        assert_eq!(all("0101"), 15);
        assert!(all("0302") * 39 < 19_600 * 47 * 10 && all("0302") * 4 >= 19_600 * 47);
        assert_eq!(all("1202"), 49 * 48 / 2 * 47);
    }
}
