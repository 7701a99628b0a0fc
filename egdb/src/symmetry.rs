//! The symmetries of the board that keep the colours: the half-turn, and the reflections in the two
//! long diagonals. Kings move the same in all directions, so positions of kings alone that a
//! symmetry connects have the same value, and a quarter of them is enough.
//!
//! Every symmetry is its own inverse.

use movegen::Board;
use movegen::geometry::{SQUARES, bit_of_index, bits, turned};

/// A symmetry: 0 nothing, 1 the half-turn, 2 the reflection in the diagonal that has no squares, 3
/// that in the diagonal from 5 to 46.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn(u8);

/// Where the reflection that exchanges rows and columns leads, by byte of a set.
static REFLECTED: [[u64; 256]; 7] = {
    let mut table = [[0; 256]; 7];
    let mut square = 0u32;
    while square < 50 {
        let row = square / 5;
        let column = 2 * (square % 5) + (row + 1) % 2;
        // Squares have an odd sum of row and column.
        let image = 5 * column + (row - (column + 1) % 2) / 2;
        let (from, to) = (bit_of_index(square), bit_of_index(image));
        let mut byte = 0;
        while byte < 256 {
            if byte >> (from % 8) & 1 != 0 {
                table[from as usize / 8][byte] |= 1 << to;
            }
            byte += 1;
        }
        square += 1;
    }
    table
};

impl Turn {
    /// The board as it is.
    pub const NONE: Turn = Turn(0);

    /// All, in the order of their numbers.
    pub const ALL: [Turn; 4] = [Turn(0), Turn(1), Turn(2), Turn(3)];

    /// Its number, from 0.
    #[inline(always)]
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The set turned.
    #[inline(always)]
    #[must_use]
    pub fn apply(self, set: u64) -> u64 {
        if self.0 == 0 {
            return set;
        }
        self.turn(set)
    }

    #[inline(never)]
    fn turn(self, mut set: u64) -> u64 {
        if self.0 & 2 != 0 {
            let bytes = set.to_le_bytes();
            let tables = REFLECTED.iter().zip(bytes);
            set = tables.fold(0, |all, (table, byte)| all | table[usize::from(byte)]);
        }
        if self.0 & 1 != 0 { turned(set) } else { set }
    }

    /// A list by bit, turned: the entry of a square goes to the square's image.
    #[inline(always)]
    #[must_use]
    pub fn apply_list(self, list: &[u8; 64]) -> [u8; 64] {
        if self.0 == 0 {
            return *list;
        }
        let mut turned = *list;
        for square in bits(SQUARES) {
            let image = self.turn(square);
            turned[image.trailing_zeros() as usize] = list[square.trailing_zeros() as usize];
        }
        turned
    }
}

/// Of the positions of kings alone that the symmetries connect with this one, the first: whose sets of
/// squares, the black kings' and then the white ones', are the least as numbers.
#[inline(never)]
#[must_use]
pub fn first_image(board: &Board) -> Board {
    let images = Turn::ALL.map(|turn| (turn.apply(board.black), turn.apply(board.white)));
    let (black, white) = images.into_iter().min().unwrap_or((board.black, board.white));
    Board { black, white, kings: black | white }
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::geometry::{STEPS, shift};

    #[test]
    fn symmetries_keep_diagonals() {
        for turn in Turn::ALL {
            for square in bits(SQUARES) {
                let image = turn.apply(square);
                assert_eq!((image.count_ones(), image & !SQUARES), (1, 0));
                assert_eq!(turn.apply(image), square);
                let near = |square| STEPS.iter().fold(0, |all, &step| all | shift(square, step));
                assert_eq!(turn.apply(near(square) & SQUARES), near(image) & SQUARES);
                let list = std::array::from_fn(|bit| bit as u8);
                let turned = turn.apply_list(&list);
                assert_eq!(1 << turned[image.trailing_zeros() as usize], square);
            }
        }
        let square = |number: u32| 1u64 << bit_of_index(number - 1);
        assert_eq!(Turn(1).apply(square(1)), square(50));
        assert_eq!(Turn(2).apply(square(5)), square(46));
        assert_eq!(Turn(3).apply(square(5) | square(1)), square(5) | square(45));
    }

    #[test]
    fn one_of_four_positions_comes_first() {
        let square = |number: u32| 1u64 << bit_of_index(number - 1);
        let board = |black: u64, white: u64| Board { black, white, kings: black | white };
        let first = board(square(1), square(7) | square(12));
        for turn in Turn::ALL {
            let image = board(turn.apply(first.black), turn.apply(first.white));
            assert_eq!(first_image(&image), first_image(&first));
        }
        assert_eq!(first_image(&board(square(50), square(39))), board(square(1), square(12)));
        assert_eq!(first_image(&board(square(1), square(12))), board(square(1), square(12)));
    }
}
