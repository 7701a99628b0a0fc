//! The index function: positions of a slice numbered from 0 (`docs/formats.md`, section 3).
//!
//! A set of squares is numbered by the sum of binomial coefficients `C(q1,1) + C(q2,2) + ...`
//! over its members in ascending order. Men come first: black men on the first row and the
//! others apart, then white men among the squares that are free for them, then black kings, then
//! white kings. A set is ranked among the squares that the sets before it leave free, so a king's
//! number is its square less the number of pieces before it on lower squares.
//!
//! Everything is table driven: the coefficients by bit number of the board layout, the ranks of
//! the first row by its five bits, and the factors of every slice, all computed at compile time.

use smallvec::SmallVec;

use movegen::geometry::{SQUARES, bit_of_index, bits, index_of_bit, turned};
use movegen::{Bitboard, Board, Color, Position, isa};

use crate::isa::{LookupIsa, Plain};
use crate::layout::{LAYOUTS, Layout, binomial};
pub(crate) use crate::ranks::{BINOMIAL, before, rank_set};
pub use crate::ranks::{rank_free, rank_squares};
use crate::slice::{MAX_ONE_SIDE, SLICE_IDS, Slice};

const FIRST_ROW: u64 = Bitboard::row(0).bits();

/// Rank of every subset of the first row among those with as many members.
const FIRST_ROW_RANK: [u8; 32] = {
    let mut table = [0; 32];
    let mut set = 0usize;
    while set < 32 {
        let (mut k, mut b, mut rank) = (0, 0, 0);
        while b < 5 {
            if set >> b & 1 != 0 {
                k += 1;
                rank += binomial(b, k);
            }
            b += 1;
        }
        table[set] = rank as u8;
        set += 1;
    }
    table
};

/// A stored slice and the side to move in it, as a number for tables: twice [`Slice::id`], one more
/// for White.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SliceSide(u16);

impl SliceSide {
    /// How many numbers there are.
    pub(crate) const COUNT: usize = 2 * SLICE_IDS;

    /// Of a slice and side.
    #[inline(always)]
    pub(crate) const fn new(slice: Slice, side: Color) -> SliceSide {
        SliceSide((2 * slice.id() + side.index()) as u16)
    }

    /// The number.
    #[inline(always)]
    pub(crate) const fn number(self) -> usize {
        self.0 as usize
    }

    #[inline(always)]
    fn layout(self) -> &'static Layout {
        &LAYOUTS[self.number() / 2]
    }
}

/// Where a material with a side to move is stored: a [`SliceSide`], and [`REVERSED`] if turned round.
/// By the same number of the position itself. The comparisons behind it are hard to predict.
static STORED: [u16; SliceSide::COUNT] = {
    let mut table = [NOT_STORED; SliceSide::COUNT];
    let mut id = 0;
    while id < SLICE_IDS {
        let digits = [id / 216, id / 36 % 6, id / 6 % 6, id % 6];
        let [bm, bk, wm, wk] = [digits[0] as u8, digits[1] as u8, digits[2] as u8, digits[3] as u8];
        if let Some(slice) = Slice::new(bm, bk, wm, wk) {
            let mut n = 0;
            while n < 2 {
                let side = Color::ALL[n];
                table[2 * id + n] = if slice.is_stored_reversed(side) {
                    SliceSide::new(slice.reversed(), side.opponent()).0 | REVERSED
                } else {
                    SliceSide::new(slice, side).0
                };
                n += 1;
            }
        }
        id += 1;
    }
    table
};

const REVERSED: u16 = 1 << 15;
/// No database has the material.
const NOT_STORED: u16 = u16::MAX;

/// A position's place in the databases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DbIndex {
    /// The stored slice.
    pub slice: Slice,
    /// The side to move, in the stored slice.
    pub side: Color,
    /// The index within the slice, below [`Slice::size`].
    pub index: u64,
    /// Whether the board was turned to get there.
    pub reversed: bool,
}

impl DbIndex {
    /// The place of a position; `None` if no database has its material.
    #[inline]
    #[must_use]
    pub fn of(position: &Position) -> Option<DbIndex> {
        DbIndex::of_board(position.board(), position.side_to_move())
    }

    /// As [`DbIndex::of`], from the bare sets.
    #[inline]
    #[must_use]
    pub fn of_board(board: &Board, side: Color) -> Option<DbIndex> {
        isa::run_best(
            #[inline(always)]
            || DbIndex::compute(board, side),
        )
    }

    /// The body of [`DbIndex::of_board`], compiled once for each instruction set.
    #[inline(always)]
    pub fn compute(board: &Board, side: Color) -> Option<DbIndex> {
        let turned = Turned::of(board, side)?;
        let index = turned.index(Plain);
        let Turned { slice, side, reversed, .. } = turned;
        Some(DbIndex { slice, side, index, reversed })
    }
}

/// A position turned to where it is stored.
#[derive(Clone, Copy, Debug)]
pub struct Turned {
    pub(crate) slice: Slice,
    /// The side to move, in the stored slice.
    pub(crate) side: Color,
    /// Both.
    pub(crate) place: SliceSide,
    pub(crate) board: Board,
    /// The same with sides exchanged.
    turned: Board,
    /// Whether it had to be turned.
    reversed: bool,
}

impl Turned {
    /// `None` if no database has the material.
    #[inline(always)]
    pub fn of(board: &Board, side: Color) -> Option<Turned> {
        let (all_black, all_white) = (board.black.count_ones(), board.white.count_ones());
        if all_black.max(all_white) > u32::from(MAX_ONE_SIDE) {
            return None;
        }
        let bk = (board.black & board.kings).count_ones();
        let wk = (board.white & board.kings).count_ones();
        let slice = Slice::of_counts([all_black - bk, bk, all_white - wk, wk]);
        let stored = STORED[SliceSide::new(slice, side).number()];
        if stored == NOT_STORED {
            return None;
        }
        // Which way round is hard to predict: both are computed, and one is chosen bit by bit.
        let reversed = stored & REVERSED != 0;
        let mask = u64::from(reversed).wrapping_neg();
        let choose = |here: u64, turned: u64| here ^ ((here ^ turned) & mask);
        let turned = board.reversed();
        let chosen = Board {
            black: choose(board.black, turned.black),
            white: choose(board.white, turned.white),
            kings: choose(board.kings, turned.kings),
        };
        let other = Board {
            black: choose(turned.black, board.black),
            white: choose(turned.white, board.white),
            kings: choose(turned.kings, board.kings),
        };
        let slice = slice.reversed_if(reversed);
        let side = if reversed { side.opponent() } else { side };
        let place = SliceSide(stored & !REVERSED);
        Some(Turned { slice, side, place, board: chosen, turned: other, reversed })
    }

    /// The index within the slice.
    #[inline(always)]
    pub(crate) fn index(&self, isa: impl LookupIsa) -> u64 {
        rank_both(isa, self.place.layout(), &self.board, &self.turned)
    }
}

/// The index of a board within its slice. `slice` must be [`Slice::of`] it; else the
/// result is meaningless.
#[inline(always)]
#[must_use]
pub fn rank(slice: Slice, board: &Board) -> u64 {
    rank_both(Plain, slice.layout(), board, &board.reversed())
}

/// As above, given the turned board: white men are counted from square 50 down.
#[inline(always)]
fn rank_both(isa: impl LookupIsa, layout: &Layout, board: &Board, turned: &Board) -> u64 {
    let &Board { black, white, kings } = board;
    let men = (black | white) & !kings;
    let black_men = black & men;

    let front = (black_men & FIRST_ROW) as usize;
    let b0 = front.count_ones() as usize;
    let white_rank = isa.rank_free(turned.black & !turned.kings, turned.white & !turned.kings);
    let back_rank = isa.rank_free(black_men & !FIRST_ROW, FIRST_ROW);
    let black_king_rank = isa.rank_free(black & kings, men);
    let white_king_rank = isa.rank_free(white & kings, men | black);

    // A factor for each number: they are ready before the numbers are.
    let of_kings = u64::from(layout.black_kings) * u64::from(layout.white_kings);
    let of_front = of_kings * u64::from(layout.front[b0]);
    white_king_rank
        + u64::from(layout.white_kings) * black_king_rank
        + of_kings * (layout.base[b0] + u64::from(FIRST_ROW_RANK[front]))
        + of_front * back_rank
        + of_front * u64::from(layout.back[b0]) * white_rank
}

/// The indices of boards of a slice that differ in one group of pieces only: what the other groups
/// say is computed once. Groups are black men, black kings, white men, white kings.
pub struct GroupRanks {
    layout: &'static Layout,
    group: usize,
    /// The index without the group and those after it, whose numbers it changes.
    first: u64,
    /// The factor of the group's number, which black men do not have.
    factor: u64,
    numbers: FreeNumbers,
    /// The groups whose numbers it changes.
    white_men: Staying,
    black_kings: Staying,
    white_kings: Staying,
}

/// How many free squares there are before each one, by bit.
struct FreeNumbers([u8; 65]);

impl FreeNumbers {
    #[inline(always)]
    fn new(taken: u64) -> FreeNumbers {
        // Bit 64, of a missing piece, has a number without coefficient.
        let mut numbers = [63; 65];
        for square in 0..50 {
            let bit = bit_of_index(square);
            numbers[bit as usize] = (square - before(bit, taken)) as u8;
        }
        FreeNumbers(numbers)
    }

    #[inline(always)]
    fn rank(&self, set: u64) -> u64 {
        rank_set(set, |bit| self.0[bit as usize].into())
    }
}

/// Pieces of a group that stay where they are while others take squares before them. Of each: the
/// squares before it, and how many of them are free without those others.
#[derive(Default)]
struct Staying(SmallVec<[(u64, u32); MAX_ONE_SIDE as usize]>);

impl Staying {
    #[inline(always)]
    fn kings(kings: u64, taken: u64) -> Staying {
        let place = |king: u64| {
            let bit = king.trailing_zeros();
            (king - 1, index_of_bit(bit) - before(bit, taken))
        };
        Staying(bits(kings).map(place).collect())
    }

    /// White men are counted from square 50 down.
    #[inline(always)]
    fn white_men(men: u64) -> Staying {
        let place = |man: u64| (turned(man - 1), index_of_bit(man.trailing_zeros()));
        Staying(bits(turned(men)).map(place).collect())
    }

    /// The number of the group when others are on these squares.
    #[inline(always)]
    fn rank(&self, others: u64) -> u64 {
        let mut sum = 0;
        for (k, &(before, free)) in self.0.iter().enumerate() {
            // On a square of these pieces others would count twice.
            let number = free.wrapping_sub((others & before).count_ones());
            sum += BINOMIAL[(k + 1) & 7][(number & 63) as usize];
        }
        u64::from(sum)
    }
}

/// The board with these groups of pieces.
#[inline(always)]
pub fn board_of([black_men, black_kings, white_men, white_kings]: [u64; 4]) -> Board {
    Board {
        black: black_men | black_kings,
        white: white_men | white_kings,
        kings: black_kings | white_kings,
    }
}

impl GroupRanks {
    /// For boards with these pieces in the other groups, each on its own square.
    #[inline(always)]
    pub fn new(slice: Slice, others: [u64; 4], group: usize) -> GroupRanks {
        let [black_men, black_kings, white_men, white_kings] = others;
        let layout = slice.layout();
        let of_kings = u64::from(layout.black_kings) * u64::from(layout.white_kings);
        let index = |groups| rank(slice, &board_of(groups));
        let men = black_men | white_men;
        let none = Staying::default;
        match group {
            0 => GroupRanks {
                layout,
                group,
                first: 0,
                factor: 0,
                numbers: FreeNumbers::new(FIRST_ROW),
                white_men: Staying::white_men(white_men),
                black_kings: Staying::kings(black_kings, white_men),
                white_kings: Staying::kings(white_kings, white_men | black_kings),
            },
            1 => GroupRanks {
                layout,
                group,
                first: index([black_men, 0, white_men, 0]),
                factor: layout.white_kings.into(),
                numbers: FreeNumbers::new(men),
                white_men: none(),
                black_kings: none(),
                white_kings: Staying::kings(white_kings, men),
            },
            2 => {
                let front = (black_men & FIRST_ROW).count_ones() as usize;
                GroupRanks {
                    layout,
                    group,
                    first: index([black_men, 0, 0, 0]),
                    factor: of_kings
                        * u64::from(layout.front[front])
                        * u64::from(layout.back[front]),
                    numbers: FreeNumbers::new(turned(black_men)),
                    white_men: none(),
                    black_kings: Staying::kings(black_kings, black_men),
                    white_kings: Staying::kings(white_kings, black_men | black_kings),
                }
            }
            _ => GroupRanks {
                layout,
                group,
                first: index([black_men, black_kings, white_men, 0]),
                factor: 1,
                numbers: FreeNumbers::new(men | black_kings),
                white_men: none(),
                black_kings: none(),
                white_kings: none(),
            },
        }
    }

    /// The index of the board with each of some sets of the group. One that wants an occupied square
    /// gets any number.
    #[inline(always)]
    pub fn list(&self, sets: &[u64], indices: &mut [u64]) {
        // Loops, as the body of an iterator's method may become a function without the instructions
        // of the present processor.
        let pairs = sets.iter().zip(indices);
        match self.group {
            0 => {
                for (&set, index) in pairs {
                    *index = self.with_black_men(set);
                }
            }
            2 => {
                for (&set, index) in pairs {
                    *index = self.numbers.rank(turned(set)) * self.factor + self.with(set);
                }
            }
            _ => {
                for (&set, index) in pairs {
                    *index = self.numbers.rank(set) * self.factor + self.with(set);
                }
            }
        }
    }

    /// The index apart from the group's own number.
    #[inline(always)]
    fn with(&self, set: u64) -> u64 {
        let kings = self.black_kings.rank(set) * u64::from(self.layout.white_kings);
        self.first + kings + self.white_kings.rank(set)
    }

    #[inline(always)]
    fn with_black_men(&self, set: u64) -> u64 {
        let layout = self.layout;
        let front = (set & FIRST_ROW) as usize;
        let count = front.count_ones() as usize;
        let back = self.numbers.rank(set & !FIRST_ROW)
            + u64::from(layout.back[count]) * self.white_men.rank(set);
        let men = layout.base[count]
            + u64::from(FIRST_ROW_RANK[front])
            + u64::from(layout.front[count]) * back;
        let of_kings = u64::from(layout.black_kings) * u64::from(layout.white_kings);
        men * of_kings + self.with(set)
    }
}

/// The board with this index; `None` beyond the slice's size.
#[must_use]
pub fn unrank(slice: Slice, index: u64) -> Option<Board> {
    let layout = slice.layout();
    if index >= layout.size() {
        return None;
    }
    let (rest, white_king_rank) = div_rem(index, layout.white_kings);
    let (men, black_king_rank) = div_rem(rest, layout.black_kings);
    let (black_men, white_men) = unrank_men(slice, men)?;
    let men = black_men | white_men;
    let black_kings = unrank_set(black_king_rank, u32::from(slice.black_kings()), SQUARES & !men);
    let free = SQUARES & !men & !black_kings;
    let white_kings = unrank_set(white_king_rank, u32::from(slice.white_kings()), free);
    Some(board_of([black_men, black_kings, white_men, white_kings]))
}

/// Number of placements of the kings for each arrangement of the men.
pub fn king_placements(slice: Slice) -> u64 {
    let layout = slice.layout();
    u64::from(layout.black_kings) * u64::from(layout.white_kings)
}

/// The black and the white men of an arrangement: the index of a position divided by
/// [`king_placements`].
pub fn unrank_men(slice: Slice, men: u64) -> Option<(u64, u64)> {
    let layout = slice.layout();
    // base[] falls with growing b, so the first b from 0 that does not exceed is the largest set.
    let b0 = (0..=usize::from(slice.black_men())).find(|&b| layout.base[b] <= men)?;
    let (rest, front_rank) = div_rem(men - layout.base[b0], u32::from(layout.front[b0]));
    let (white_rank, back_rank) = div_rem(rest, layout.back[b0]);

    let front = unrank_set(front_rank, b0 as u32, first_squares(5));
    let back_count = u32::from(slice.black_men()) - b0 as u32;
    let black_men =
        front | unrank_set(back_rank, back_count, first_squares(45) & !first_squares(5));
    let free = SQUARES & !turned(black_men);
    let white_men = turned(unrank_set(white_rank as u32, u32::from(slice.white_men()), free));
    Some((black_men, white_men))
}

#[inline]
const fn div_rem(a: u64, b: u32) -> (u64, u32) {
    (a / b as u64, (a % b as u64) as u32)
}

/// The first n squares.
const fn first_squares(n: u32) -> u64 {
    SQUARES & ((1 << bit_of_index(n)) - 1)
}

/// The `count` members of `free` whose numbers within `free` have this rank.
pub fn unrank_set(mut rank: u32, count: u32, free: u64) -> u64 {
    let mut chosen = 0;
    let mut members = [0u8; 64];
    let mut n = 0;
    for bit in bits(free) {
        members[n] = bit.trailing_zeros() as u8;
        n += 1;
    }
    let mut q = n as u32;
    for k in (1..=count).rev() {
        // The largest q with C(q, k) <= rank; q falls from item to item.
        q = q.saturating_sub(1);
        while binomial(q, k) > rank {
            q -= 1;
        }
        rank -= binomial(q, k);
        chosen |= 1 << members[q as usize];
    }
    chosen
}

/// The set with the next rank and the same number of members of `free`, if there is one.
#[inline(always)]
pub fn next_set(set: u64, free: u64) -> u64 {
    let (mut rest, mut passed) = (set, 0);
    while rest != 0 {
        let lowest = rest & rest.wrapping_neg();
        let above = free & !(lowest | (lowest - 1));
        let next = above & above.wrapping_neg();
        rest ^= lowest;
        if next != 0 && next & set == 0 {
            // The first one that can continue does; those before it begin again.
            let begin = bits(free).take(passed).fold(0, |all, square| all | square);
            return rest | next | begin;
        }
        passed += 1;
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_follow_one_another() {
        let free = SQUARES & !(1 | 1 << 7 | 1 << 30);
        for count in 0..=3 {
            let all = binomial(free.count_ones(), count);
            for rank in 1..all {
                let before = unrank_set(rank - 1, count, free);
                assert_eq!(next_set(before, free), unrank_set(rank, count, free));
            }
            let last = unrank_set(all - 1, count, free);
            assert_eq!(next_set(last, free), last);
        }
    }

    #[test]
    fn boards_that_differ_in_one_group_have_their_indices() {
        for slice in (2..=7).flat_map(Slice::stored) {
            for k in 0..60 {
                let index = slice.size() / 60 * k;
                let Board { black, white, kings } = unrank(slice, index).unwrap();
                let groups = [black & !kings, black & kings, white & !kings, white & kings];
                for group in 0..4 {
                    let mut others = groups;
                    others[group] = 0;
                    let mut found = [0];
                    GroupRanks::new(slice, others, group).list(&groups[group..][..1], &mut found);
                    assert_eq!(found, [index], "{slice} {group}");
                }
            }
        }
    }

    #[test]
    fn the_copies_for_all_instruction_sets_agree() {
        for slice in (2..=8).flat_map(Slice::stored) {
            for k in 0..40 {
                let board = unrank(slice, slice.size() / 40 * k);
                let board = board.expect("the index is in range");
                for side in Color::ALL {
                    let place = DbIndex::of_board(&board, side);
                    assert!(place.is_some());
                    assert_eq!(place, DbIndex::compute(&board, side));
                }
            }
        }
    }
}
