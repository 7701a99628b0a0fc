//! The positions of a slice in the order of their numbers, faster than one by one.

use movegen::Board;
use movegen::geometry::bits;

use crate::index::unrank;
use crate::layout::binomial;
use crate::slice::Slice;

/// Goes through consecutive indices. The kings of one side (White's if there are any) change
/// fastest in the order of the index, so only they are moved from one position to the next.
pub struct Walk {
    slice: Slice,
    next: u64,
    end: u64,
    kings: u32,
    /// Everything but the moving kings, and the squares open to them.
    rest: Board,
    free: [u64; 50],
    free_count: u32,
    /// Numbers of the kings' squares among the free ones, ascending.
    chosen: [u8; 5],
    /// Indices until everything changes.
    left: u64,
}

impl Walk {
    /// From index `start` until before `end`.
    #[must_use]
    pub fn new(slice: Slice, start: u64, end: u64) -> Walk {
        let kings = if slice.white_kings() > 0 { slice.white_kings() } else { slice.black_kings() };
        Walk {
            slice,
            next: start,
            end: end.min(slice.size()),
            kings: u32::from(kings),
            rest: Board::default(),
            free: [0; 50],
            free_count: 0,
            chosen: [0; 5],
            left: 0,
        }
    }

    /// Takes the position at `next` apart.
    fn set_out(&mut self, at: &Board) {
        let moving = self.moving(at);
        self.rest = Board {
            black: at.black & !moving,
            white: at.white & !moving,
            kings: at.kings & !moving,
        };
        (self.free_count, self.chosen) = (0, [0; 5]);
        let mut k = 0;
        for bit in bits(self.rest.empty()) {
            if moving & bit != 0 {
                self.chosen[k] = self.free_count as u8;
                k += 1;
            }
            self.free[self.free_count as usize] = bit;
            self.free_count += 1;
        }
        let all = u64::from(binomial(self.free_count, self.kings));
        self.left = all - self.next % all;
    }

    fn moving(&self, at: &Board) -> u64 {
        at.kings & if self.slice.white_kings() > 0 { at.white } else { at.black }
    }

    /// The next combination: the numbering of a set counts its greatest member first.
    fn advance(&mut self) {
        let count = self.kings as usize;
        for k in 0..count {
            let limit = if k + 1 < count { self.chosen[k + 1] } else { self.free_count as u8 };
            if self.chosen[k] + 1 < limit {
                self.chosen[k] += 1;
                for (j, low) in self.chosen[..k].iter_mut().enumerate() {
                    *low = j as u8;
                }
                return;
            }
        }
    }
}

impl Iterator for Walk {
    type Item = Board;

    #[inline]
    fn next(&mut self) -> Option<Board> {
        if self.next >= self.end {
            return None;
        }
        if self.kings == 0 {
            let board = unrank(self.slice, self.next);
            self.next += 1;
            return board;
        }
        if self.left == 0 {
            let at = unrank(self.slice, self.next)?;
            self.set_out(&at);
        } else {
            self.advance();
        }
        self.next += 1;
        self.left -= 1;
        let chosen = &self.chosen[..self.kings as usize];
        let kings = chosen.iter().fold(0, |set, &k| set | self.free[usize::from(k)]);
        let Board { black, white, kings: others } = self.rest;
        Some(if self.slice.white_kings() > 0 {
            Board { black, white: white | kings, kings: others | kings }
        } else {
            Board { black: black | kings, white, kings: others | kings }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_index() {
        for slice in (2..=7).flat_map(Slice::stored) {
            let size = slice.size();
            for start in [0, size / 3, size.saturating_sub(3000)] {
                let walk: Vec<Board> = Walk::new(slice, start, start + 5000).collect();
                assert_eq!(walk.len() as u64, 5000.min(size - start), "{slice}");
                for (index, board) in (start..).zip(walk) {
                    assert_eq!(Some(board), unrank(slice, index), "{slice} {index}");
                }
            }
        }
    }
}
