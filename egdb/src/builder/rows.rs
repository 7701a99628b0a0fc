//! Rows: positions that differ in the square of one king only.
//!
//! With the men of a slice fixed, a row fixes all kings but one, the *moving* king: a white one if
//! there is any, else a black one. Its squares are the bits of a word, so that one word holds a
//! fact about some 45 positions. Where a side has several kings and one of them is the moving one,
//! a position is in several rows, once with each as the moving king.

use movegen::Color;
use movegen::geometry::{SQUARES, bits};

use crate::index::rank_free;
use crate::layout::binomial;
use crate::slice::Slice;

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
}

impl Rows {
    /// `None` if the slice has no king.
    pub(super) fn new(slice: Slice) -> Option<Rows> {
        let (bk, wk) = (u32::from(slice.black_kings()), u32::from(slice.white_kings()));
        let (moving, fixed) = if wk > 0 {
            (Color::White, [bk, wk - 1])
        } else if bk > 0 {
            (Color::Black, [bk - 1, 0])
        } else {
            return None;
        };
        let free = 50 - u32::from(slice.black_men() + slice.white_men());
        let inner = binomial(free - fixed[0], fixed[1]) as usize;
        Some(Rows { moving, fixed, count: binomial(free, fixed[0]) as usize * inner, inner })
    }

    /// Number of rows.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The row with these fixed kings.
    #[inline(always)]
    pub(super) fn number(&self, men: u64, black: u64, white: u64) -> usize {
        let outer = rank_free(black, men) as usize;
        if self.fixed[1] == 0 {
            return outer;
        }
        outer * self.inner + rank_free(white, men | black) as usize
    }

    /// The fixed black and white kings of every row, in order.
    pub(super) fn list(&self, men: u64, list: &mut Vec<[u64; 2]>) {
        list.clear();
        let free = SQUARES & !men;
        for_each_subset(free, self.fixed[0], &mut |black| {
            for_each_subset(free & !black, self.fixed[1], &mut |white| list.push([black, white]));
        });
    }
}

/// The subsets with `count` members in order of their rank.
fn for_each_subset(free: u64, count: u32, visit: &mut dyn FnMut(u64)) {
    if count == 0 {
        visit(0);
        return;
    }
    // By greatest member, then the rest below it.
    for top in bits(free) {
        let below = free & (top - 1);
        if below.count_ones() + 1 >= count {
            for_each_subset(below, count - 1, &mut |set| visit(set | top));
        }
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
                assert_eq!(rows.number(men, black, white), number, "{digits}");
            }
        }
    }
}
