//! Captures of a row: for all squares of the moving king at once.
//!
//! A search follows the jumps of a piece together with the moving king's squares that allow them.
//! Where the piece may meet that king the search branches: with the king on this one square it is
//! an obstacle or is jumped, for all others the square is empty. A jump over the moving king
//! continues in the same way from every square of that king in that direction. So each way of
//! capturing is found once for a whole row. The moving king's own captures begin with a first
//! victim and a direction, and continue in the same way from all squares before that victim.
//!
//! The rules: a capture takes as many pieces as possible; captured pieces leave the board
//! after the last jump and cannot be jumped twice; a man that ends on its promotion row is crowned.

use movegen::Color;
use movegen::geometry::{SQUARES, STEPS, bits, fill, shift};

use super::fixed::FixedValues;
use egdb::slice::MAX_ONE_SIDE;

/// The end of a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CaptureEnding {
    /// Where the capturing piece was; 0 for the moving king.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
    /// The captured pieces; [`MOVING_KING`] for the moving king.
    pub captured: u64,
}

/// An ending, and the squares of the moving king that allow that capture.
#[derive(Clone, Copy, Debug)]
struct Found {
    ending: CaptureEnding,
    squares: u64,
    /// Number of pieces taken.
    count: usize,
}

/// Most pieces that a capture takes.
const MAX_CAPTURED: usize = MAX_ONE_SIDE as usize;

/// The captures of one side in a row.
#[derive(Debug, Default)]
pub(super) struct Captures {
    found: Vec<Found>,
    /// The number of the first one by the present piece.
    first: usize,
    /// The squares where at least this many pieces can be taken.
    reached: [u64; MAX_CAPTURED + 2],
}

/// Stands for the moving king among what is captured.
pub(super) const MOVING_KING: u64 = 1 << 63;

/// One capturing piece.
struct Search<'a> {
    /// The squares empty but for the moving king; the piece's own square counts as empty.
    empty: u64,
    victims: u64,
    from: u64,
    /// The squares where the moving king may be in the way: none if it captures itself.
    blocks: u64,
    /// Whether the moving king is the opponent's.
    is_prey: bool,
    /// The squares where a king could jump over a piece of the row, by diagonal: that of the first
    /// of [`STEPS`], and that of the second. The piece may have been jumped already.
    jumps: [u64; 2],
    captures: &'a mut Captures,
}

impl Captures {
    /// Finds the captures of a side in a row, with the moving king on any of some empty squares.
    #[inline(always)]
    pub(super) fn find(&mut self, fixed: &FixedValues, side: Color, squares: u64) {
        self.found.clear();
        self.first = 0;
        self.reached = [0; MAX_CAPTURED + 2];
        let own = fixed.pieces[side.index()];
        let victims = fixed.pieces[side.opponent().index()];
        let is_own = fixed.moving == side;
        let empty = SQUARES & !fixed.occupied();
        for from in bits(own) {
            self.first = self.found.len();
            let mut search = Search {
                empty: empty | from,
                victims,
                from,
                blocks: empty,
                is_prey: !is_own,
                jumps: [0; 2],
                captures: &mut *self,
            };
            if fixed.kings & from != 0 {
                search.jumps = jumps(search.empty, victims);
                search.turn(from, STEPS, 0, 0, squares);
            } else {
                search.man(from, 0, 0, squares);
            }
        }
        if is_own {
            self.of_moving_king(empty, victims, squares);
        }
    }

    fn of_moving_king(&mut self, empty: u64, victims: u64, wanted: u64) {
        self.first = self.found.len();
        let mut search = Search {
            empty,
            victims,
            from: 0,
            blocks: 0,
            is_prey: false,
            jumps: jumps(empty, victims),
            captures: &mut *self,
        };
        for step in STEPS {
            // Victims with empty squares on both sides.
            for victim in bits(victims & shift(empty, step) & shift(empty, -step)) {
                let mut squares = 0;
                let mut at = shift(victim, step);
                while at & empty != 0 {
                    squares |= at & wanted;
                    at = shift(at, step);
                }
                if squares != 0 {
                    search.land(victim, -step, 0, 0, squares);
                }
            }
        }
    }

    /// The squares of the moving king that allow a capture.
    pub(super) fn squares(&self) -> u64 {
        self.reached[1]
    }

    /// The captures that take most pieces, each with the squares of the moving king where it does.
    pub(super) fn longest(&self) -> impl Iterator<Item = (&CaptureEnding, u64)> {
        self.found.iter().filter_map(|found| {
            let squares = found.squares & !self.reached[found.count + 1];
            (squares != 0).then_some((&found.ending, squares))
        })
    }

    #[inline(always)]
    fn add(&mut self, ending: CaptureEnding, count: usize, squares: u64) {
        let squares = squares & !self.reached[count + 1];
        if squares == 0 {
            return;
        }
        if count > 1 {
            return self.add_longer(ending, count, squares);
        }
        self.reached[1] |= squares;
        self.found.push(Found { ending, squares, count });
    }

    /// Of several pieces: only such captures can have the same end.
    #[inline(never)]
    fn add_longer(&mut self, ending: CaptureEnding, count: usize, squares: u64) {
        for reached in &mut self.reached[1..=count] {
            *reached |= squares;
        }
        let is_same = |found: &&mut Found| found.count == count && found.ending == ending;
        match self.found[self.first..].iter_mut().find(is_same) {
            Some(found) => found.squares |= squares,
            None => self.found.push(Found { ending, squares, count }),
        }
    }
}

/// See [`Search::jumps`].
#[inline(always)]
fn jumps(empty: u64, victims: u64) -> [u64; 2] {
    let mut jumps = [0; 2];
    for (at, step) in STEPS.into_iter().enumerate() {
        let near = shift(victims & shift(empty, -step), -step) & empty;
        if near != 0 {
            jumps[at % 2] |= fill(near, empty, -step);
        }
    }
    jumps
}

impl Search<'_> {
    /// Whether the moving king can be taken (once more).
    #[inline(always)]
    fn is_in_danger(&self, captured: u64) -> bool {
        self.is_prey && captured & MOVING_KING == 0
    }

    /// Jumps of a man, with the moving king on any of some squares; the squares with a jump.
    fn man(&mut self, at: u64, captured: u64, count: usize, squares: u64) -> u64 {
        let mut jumped = 0;
        for step in STEPS {
            let over = shift(at, step) & SQUARES;
            let to = shift(over, step) & SQUARES;
            if to & self.empty == 0 {
                continue;
            }
            let (here, taken) = if over & self.victims & !captured != 0 {
                (squares, over)
            } else if self.is_in_danger(captured) {
                (squares & over, MOVING_KING)
            } else {
                continue;
            };
            let here = here & !(to & self.blocks);
            if here == 0 {
                continue;
            }
            jumped |= here;
            let captured = captured | taken;
            let longer = self.man(to, captured, count + 1, here);
            self.add(to, captured, count + 1, here & !longer);
        }
        jumped
    }

    /// Jumps of a king in some directions; the squares with a jump.
    #[inline(always)]
    fn turn(
        &mut self,
        at: u64,
        steps: impl IntoIterator<Item = i32>,
        captured: u64,
        count: usize,
        squares: u64,
    ) -> u64 {
        let slide = |jumped, step| {
            jumped | self.slide::<false>(shift(at, step), step, captured, count, squares)
        };
        steps.into_iter().fold(0, slide)
    }

    /// A jump of a king over a piece of the row, with all that follows; the squares with it.
    fn land(&mut self, over: u64, step: i32, captured: u64, count: usize, squares: u64) -> u64 {
        let first = shift(over, step);
        let squares = squares & !(first & self.blocks);
        if first & self.empty == 0 || squares == 0 {
            return 0;
        }
        self.slide::<true>(first, step, captured | over, count + 1, squares);
        squares
    }

    /// A king continues in a direction, `first` being the next square; the squares with a jump in
    /// this direction. `LANDS` says that it has jumped and may stop. The king may meet the moving
    /// king anywhere, and what follows does not depend on the square of that king.
    ///
    /// The piece at the end is the same for all landing squares before it; backwards there are only
    /// jumped pieces.
    fn slide<const LANDS: bool>(
        &mut self,
        first: u64,
        step: i32,
        captured: u64,
        count: usize,
        squares: u64,
    ) -> u64 {
        // The squares of the moving king not met, and those where it can be jumped.
        let (mut rest, mut prey) = (squares, 0);
        let mut end = first;
        while end & self.empty != 0 {
            let here = rest & end & self.blocks;
            rest &= !here;
            end = shift(end, step);
            if end & self.empty != 0 && self.is_in_danger(captured) {
                prey |= here;
            }
        }
        let with_king = captured | MOVING_KING;
        let [mut over, mut over_both] = [0; 2];
        if end & self.victims & !captured != 0 {
            if rest != 0 {
                over = self.land(end, step, captured, count, rest);
            }
            if prey != 0 {
                over_both = self.land(end, step, with_king, count + 1, prey);
            }
        }
        let jumped = over | prey;
        if !LANDS && prey == 0 {
            return jumped;
        }

        let turns = STEPS.into_iter().filter(|turn| turn.abs() != step.abs());
        let jumps = self.jumps[usize::from(step.abs() == STEPS[0])];
        // The moving king may be anywhere.
        let turning = if self.is_in_danger(captured) { SQUARES } else { jumps };
        // The squares of the moving king before it, and behind it with a jump.
        let (mut before, mut behind) = (squares, 0);
        let mut to = first;
        while to != end {
            let here = before & to & self.blocks;
            before &= !here;
            if LANDS && before != 0 {
                let mut longer = jumped;
                if to & turning != 0 {
                    longer |= self.turn(to, turns.clone(), captured, count, before);
                }
                self.add(to, captured, count, before & !longer);
            }
            if behind != 0 {
                let mut longer = over_both;
                if to & jumps != 0 {
                    longer |= self.turn(to, turns.clone(), with_king, count + 1, behind);
                }
                self.add(to, with_king, count + 1, behind & !longer);
            }
            behind |= here & prey;
            to = shift(to, step);
        }
        jumped
    }

    #[inline(always)]
    fn add(&mut self, to: u64, captured: u64, count: usize, squares: u64) {
        self.captures.add(CaptureEnding { from: self.from, to, captured }, count, squares);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::context::place;
    use movegen::MoveList;
    use proptest::prelude::*;

    /// A row with pieces on some squares (0 to 49), by colour and kind: black men, black kings,
    /// white men, white kings.
    fn row(squares: &[(u8, u8)], moving: Color) -> Option<FixedValues> {
        let mut fixed = FixedValues { pieces: [0; 2], kings: 0, moving };
        for &(square, kind) in squares {
            let bit = 1 << movegen::geometry::bit_of_index(square.into());
            if fixed.occupied() & bit != 0 {
                return None;
            }
            fixed.pieces[usize::from(kind / 2)] |= bit;
            fixed.kings |= if kind % 2 == 1 { bit } else { 0 };
        }
        let has_room = fixed.pieces.iter().enumerate().all(|(color, pieces)| {
            let own = pieces.count_ones() + u32::from(color == moving.index());
            (1..=MAX_CAPTURED as u32).contains(&own)
        });
        has_room.then_some(fixed)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// For every square of the moving king the captures of the move generator.
        #[test]
        fn captures_are_those_of_the_move_generator(
            squares in proptest::collection::vec((0u8..50, 0u8..4), 1..9),
            moving in prop_oneof![Just(Color::Black), Just(Color::White)],
        ) {
            let Some(fixed) = row(&squares, moving) else { return Ok(()) };
            let mut captures = Captures::default();
            let mut list = MoveList::new();
            for side in Color::ALL {
                captures.find(&fixed, side, SQUARES & !fixed.occupied());
                for king in bits(SQUARES & !fixed.occupied()) {
                    let Ok(position) = place(&fixed, king).position(side) else { continue };
                    list.clear();
                    position.generate(&mut list);
                    let mut expected: Vec<(u64, u64, u64)> = list
                        .iter()
                        .filter(|mv| mv.is_capture())
                        .map(|mv| {
                            let bit = |square: movegen::Square| 1u64 << square.bit();
                            (bit(mv.from()), bit(mv.to()), mv.captured().bits())
                        })
                        .collect();
                    let of_king = captures.longest().filter(|(_, squares)| squares & king != 0);
                    let mut found: Vec<(u64, u64, u64)> = of_king
                        .map(|(ending, _)| {
                            let is_taken = ending.captured & MOVING_KING != 0;
                            let captured = ending.captured & !MOVING_KING;
                            let from = if ending.from == 0 { king } else { ending.from };
                            (from, ending.to, captured | if is_taken { king } else { 0 })
                        })
                        .collect();
                    expected.sort_unstable();
                    found.sort_unstable();
                    prop_assert_eq!(&found, &expected, "{:?} {} {:#x}", fixed.pieces, side, king);
                    prop_assert_eq!(captures.squares() & king != 0, !expected.is_empty());
                }
            }
        }
    }
}
