//! Captures of a group of rows: for all squares of the moving king and of one fixed king at once.
//!
//! The rows of a group differ in the square of one fixed king, the *varied* one. A search follows the
//! jumps of a piece together with the rows and the moving king's squares that allow them. Where the
//! piece may meet the varied king the search branches: in this one row that king is a piece like
//! others, in the rest its square is empty. Where the piece may meet the moving king it branches in
//! the same way, and a jump over that king continues from every square of it in that direction. So
//! each way of capturing is found once for a whole group. The captures of the moving and of the varied
//! king begin with a first victim and a direction, and continue in the same way from all squares
//! before that victim.
//!
//! The rules: a capture takes as many pieces as possible; captured pieces leave the board
//! after the last jump and cannot be jumped twice; a man that ends on its promotion row is crowned.

use std::cell::OnceCell;

use movegen::Color;
use movegen::geometry::{SQUARES, STEPS, bits, fill, shift};

use super::fixed::FixedValues;
use super::rows::Rows;
use egdb::slice::MAX_ONE_SIDE;

/// Rows that differ in the square of one fixed king.
pub(super) struct RowGroup {
    /// The pieces of all rows.
    pub fixed: FixedValues,
    /// The colour of the king that varies, if there is one.
    pub varied: Option<Color>,
    /// Its squares, one for each row in order; [`NO_KING`] for a row alone.
    pub squares: u64,
}

/// Stands for the square of a varied king that there is not; for its own square where it captures.
pub(super) const NO_KING: u64 = 1 << 62;

/// Rows of a group, at most.
pub(super) const MAX_ROWS: usize = 64;

impl RowGroup {
    /// The group of the first of some rows with these men.
    #[inline(always)]
    pub(super) fn first(rows: Rows, men: [u64; 2], kings: &[[u64; 2]]) -> RowGroup {
        let alone = FixedValues::new(men, kings[0], rows.moving);
        let Some(color) = Color::ALL.into_iter().rev().find(|&color| rows.fixed_of(color) > 0)
        else {
            return RowGroup { fixed: alone, varied: None, squares: NO_KING };
        };
        let split = |kings: &[u64; 2]| {
            let lowest = kings[color.index()] & kings[color.index()].wrapping_neg();
            let mut others = *kings;
            others[color.index()] ^= lowest;
            (others, lowest)
        };
        let (others, _) = split(&kings[0]);
        let mut squares = 0;
        for kings in kings {
            let (same, lowest) = split(kings);
            if same != others || lowest <= squares {
                break;
            }
            squares |= lowest;
        }
        let fixed = FixedValues::new(men, others, rows.moving);
        RowGroup { fixed, varied: Some(color), squares }
    }

    /// Number of rows.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.squares.count_ones() as usize
    }
}

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

/// Endings, and the rows and squares of the moving king that allow that capture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// Where the capturing piece was; [`NO_KING`] for the varied king, 0 for the moving one.
    pub from: u64,
    /// Where it may end.
    pub ends: u64,
    /// The captured pieces; [`MOVING_KING`] for the moving king.
    pub captured: u64,
    /// By square of the varied king.
    pub rows: u64,
    squares: u64,
    /// Number of pieces taken.
    count: usize,
}

/// Endings among which the same one is looked for.
const NEAR: usize = 4;

/// Most pieces that a capture takes.
const MAX_CAPTURED: usize = MAX_ONE_SIDE as usize;

/// The captures of one side in a group of rows.
#[derive(Debug)]
pub(super) struct Captures {
    found: Vec<Found>,
    /// By row, the square of the varied king.
    kings: [u64; MAX_ROWS],
    /// By row, the squares where at least this many pieces can be taken.
    reached: [[u64; MAX_ROWS]; MAX_CAPTURED + 2],
    /// Most pieces that were taken so far.
    most: usize,
    rows: usize,
    /// The squares of the varied king.
    squares: u64,
}

impl Default for Captures {
    fn default() -> Captures {
        Captures {
            found: Vec::new(),
            kings: [0; MAX_ROWS],
            reached: [[0; MAX_ROWS]; MAX_CAPTURED + 2],
            most: 0,
            rows: 0,
            squares: 0,
        }
    }
}

/// Those of one row.
#[derive(Clone, Copy)]
pub(super) struct RowCaptures<'a> {
    pub captures: &'a Captures,
    pub row: usize,
}

impl RowCaptures<'_> {
    /// The squares of the moving king that allow a capture.
    #[inline(always)]
    pub(super) fn squares(&self) -> u64 {
        self.captures.reached[1][self.row]
    }

    /// The captures that take most pieces, each with the squares of the moving king where it does.
    #[inline(always)]
    pub(super) fn longest(&self) -> impl Iterator<Item = (CaptureEnding, u64)> {
        let &RowCaptures { captures, row } = self;
        let king = captures.kings[row];
        let here = captures.found.iter().filter(move |found| found.rows & king != 0);
        here.flat_map(move |found| {
            let &Found { from, ends, captured, .. } = found;
            let squares = captures.longest(found, row) & !king;
            let from = if from == NO_KING { king } else { from };
            let ends = bits(if squares != 0 { ends } else { 0 });
            ends.map(move |to| (CaptureEnding { from, to, captured }, squares))
        })
    }
}

/// Stands for the moving king among what is captured.
pub(super) const MOVING_KING: u64 = 1 << 63;

/// How a king continues that has or has not just jumped: it has not; it may stop on any square behind
/// the piece; on the next one only, as in Killer behind a king.
const TURNS: u8 = 0;
const LANDS: u8 = 1;
const HALTS: u8 = 2;

/// One capturing piece; `KILLER` says by which rules.
struct Search<'a, const KILLER: bool> {
    /// The squares empty but for the moving and the varied king; the piece's own square counts as
    /// empty.
    empty: u64,
    victims: u64,
    /// The kings of all rows, and the varied one on a known square.
    kings: u64,
    from: u64,
    /// The squares where the moving king may be in the way: none if it captures itself.
    blocks: u64,
    /// Whether the moving king is the opponent's.
    is_prey: bool,
    /// The squares where the varied king may be in the way: none if it captures itself, or if its
    /// square is known.
    varied: u64,
    /// Whether the varied king is the opponent's.
    is_varied_prey: bool,
    /// See [`jumps`].
    jumps: OnceCell<[u64; 2]>,
    captures: &'a mut Captures,
}

impl Captures {
    /// Finds the captures of a side in a group, with the moving king on any of some squares, by the
    /// rules of Killer or the international ones.
    #[inline(always)]
    pub(super) fn find<const KILLER: bool>(&mut self, group: &RowGroup, side: Color, squares: u64) {
        let &RowGroup { ref fixed, varied, squares: rows } = group;
        self.begin(rows);
        let own = fixed.pieces[side.index()];
        let victims = fixed.pieces[side.opponent().index()];
        let is_own = fixed.moving == side;
        let empty = SQUARES & !fixed.occupied();
        let is_varied_own = varied == Some(side);
        for from in bits(own) {
            let mut search = Search::<KILLER> {
                empty: empty | from,
                victims,
                kings: fixed.kings,
                from,
                blocks: empty,
                is_prey: !is_own,
                varied: rows & SQUARES,
                is_varied_prey: !is_varied_own,
                jumps: OnceCell::new(),
                captures: &mut *self,
            };
            if fixed.kings & from != 0 {
                search.turn(from, STEPS, 0, 0, rows, squares);
            } else {
                search.man(from, 0, 0, rows, squares);
            }
        }
        if is_own {
            let search = Search::<KILLER> {
                empty,
                victims,
                kings: fixed.kings,
                from: 0,
                blocks: 0,
                is_prey: false,
                varied: rows & SQUARES,
                is_varied_prey: !is_varied_own,
                jumps: OnceCell::new(),
                captures: &mut *self,
            };
            search.of_moving_king(rows, squares);
        }
        if is_varied_own {
            let search = Search::<KILLER> {
                empty,
                victims,
                kings: fixed.kings,
                from: NO_KING,
                blocks: empty,
                is_prey: !is_own,
                varied: 0,
                is_varied_prey: false,
                jumps: OnceCell::new(),
                captures: &mut *self,
            };
            search.of_varied_king(rows, squares);
        }
    }

    /// All captures of the group.
    #[inline(always)]
    pub(super) fn found(&self) -> &[Found] {
        &self.found
    }

    /// The squares of the moving king in a row where a capture takes most pieces.
    #[inline(always)]
    pub(super) fn longest(&self, found: &Found, row: usize) -> u64 {
        let longer = if found.count < self.most { self.reached[found.count + 1][row] } else { 0 };
        found.squares & !longer
    }

    #[inline(always)]
    fn begin(&mut self, rows: u64) {
        self.found.clear();
        self.most = 0;
        self.rows = 0;
        self.squares = rows;
        for king in bits(rows) {
            self.kings[self.rows] = king;
            self.rows += 1;
        }
        self.kings[self.rows..].fill(0);
        self.reached[1] = [0; MAX_ROWS];
    }

    #[inline(always)]
    fn add(&mut self, found: Found) {
        if found.squares == 0 {
            return;
        }
        if found.count > 1 {
            return self.add_longer(found);
        }
        self.most = self.most.max(1);
        self.reach(1, &found);
        self.found.push(found);
    }

    /// Of several pieces: only such captures can have the same end.
    #[inline(never)]
    fn add_longer(&mut self, new: Found) {
        while self.most < new.count {
            self.most += 1;
            if self.most > 1 {
                self.reached[self.most] = [0; MAX_ROWS];
            }
        }
        for level in 1..=new.count {
            self.reach(level, &new);
        }
        let key = |found: &Found| (found.count, found.rows, found.from, found.ends, found.captured);
        // Looking further back would cost more than looking the same up twice.
        let mut last = self.found.iter_mut().rev().take(NEAR);
        match last.find(|found| key(found) == key(&new)) {
            Some(found) => found.squares |= new.squares,
            None => self.found.push(new),
        }
    }

    #[inline(always)]
    fn reach(&mut self, level: usize, found: &Found) {
        let &Found { rows, squares, .. } = found;
        if rows.is_power_of_two() {
            let row = (self.squares & (rows - 1)).count_ones() as usize;
            self.reached[level][row % MAX_ROWS] |= squares;
            return;
        }
        let here = self.rows.next_multiple_of(8).min(MAX_ROWS);
        for (reached, king) in self.reached[level][..here].iter_mut().zip(&self.kings[..here]) {
            *reached |= if king & rows != 0 { squares } else { 0 };
        }
    }
}

/// The squares where a king could jump over a piece of all rows, by diagonal: that of the first of
/// [`STEPS`], and that of the second. The piece may have been jumped already.
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

impl<const KILLER: bool> Search<'_, KILLER> {
    /// Captures of the moving king, by the first victim.
    #[inline(always)]
    fn of_moving_king(mut self, rows: u64, wanted: u64) {
        let empty = self.empty;
        for step in STEPS {
            // Victims with empty squares on both sides.
            let free = shift(empty, step) & shift(empty, -step);
            for victim in bits(self.victims & free) {
                let (mut nearer, mut left) = (0, rows);
                let mut at = shift(victim, step);
                while at & empty != 0 {
                    // The varied king may stand behind the moving one, not before it.
                    let met = left & at & self.varied;
                    left &= !met;
                    if met != 0 && nearer != 0 {
                        self.known(met).land(victim, -step, 0, 0, met, nearer);
                    }
                    nearer |= at & wanted;
                    at = shift(at, step);
                }
                if nearer != 0 {
                    self.land(victim, -step, 0, 0, left, nearer);
                }
            }
        }
        if self.is_varied_prey {
            for victim in bits(rows & self.varied) {
                let mut search = self.known(victim);
                for step in STEPS {
                    let squares = before(victim, step, empty) & wanted;
                    search.land(victim, -step, 0, 0, victim, squares);
                }
            }
        }
    }

    /// Captures of the varied king, by the first victim.
    #[inline(always)]
    fn of_varied_king(mut self, rows: u64, wanted: u64) {
        let empty = self.empty;
        for step in STEPS {
            let free = shift(empty, step) & shift(empty, -step);
            for victim in bits(self.victims & free) {
                let mut nearer = 0;
                let mut at = shift(victim, step);
                while at & empty != 0 {
                    self.land(victim, -step, 0, 0, nearer & rows, at & wanted);
                    nearer |= at;
                    at = shift(at, step);
                }
                self.land(victim, -step, 0, 0, nearer & rows, wanted & !nearer);
            }
            if self.is_prey {
                for victim in bits(wanted & free) {
                    let rows = before(victim, step, empty) & rows;
                    if rows != 0 {
                        let first = shift(victim, -step);
                        if KILLER {
                            self.slide::<HALTS>(first, -step, MOVING_KING, 1, rows, victim);
                        } else {
                            self.slide::<LANDS>(first, -step, MOVING_KING, 1, rows, victim);
                        }
                    }
                }
            }
        }
    }

    /// The same with the varied king on a known square: a piece like others.
    #[inline(always)]
    fn known(&mut self, king: u64) -> Search<'_, KILLER> {
        let &mut Search { empty, victims, kings, from, blocks, is_prey, is_varied_prey, .. } = self;
        Search {
            empty: empty & !king,
            victims: if is_varied_prey { victims | king } else { victims },
            kings: kings | king,
            from,
            blocks,
            is_prey,
            varied: 0,
            is_varied_prey,
            jumps: OnceCell::new(),
            captures: &mut *self.captures,
        }
    }

    /// Whether the moving king can be taken (once more).
    #[inline(always)]
    fn is_in_danger(&self, captured: u64) -> bool {
        self.is_prey && captured & MOVING_KING == 0
    }

    /// Jumps of a man, with the moving king on any of some squares; the squares with a jump in all
    /// rows.
    fn man(&mut self, at: u64, captured: u64, count: usize, rows: u64, squares: u64) -> u64 {
        let mut jumped = 0;
        for step in STEPS {
            let over = shift(at, step) & SQUARES;
            let to = shift(over, step) & SQUARES;
            if to & self.empty == 0 {
                continue;
            }
            let met = rows & over & self.varied;
            if met != 0 && self.is_varied_prey {
                let here = squares & !(to & self.blocks);
                self.known(met).step(to, captured | met, count + 1, met, here);
            }
            let (here, taken) = if over & self.victims & !captured != 0 {
                (squares, over)
            } else if self.is_in_danger(captured) {
                (squares & over, MOVING_KING)
            } else {
                continue;
            };
            let here = here & !(to & self.blocks);
            let left = rows & !((to | over) & self.varied);
            if here == 0 || left == 0 {
                continue;
            }
            if left == rows {
                jumped |= here;
            }
            self.step(to, captured | taken, count + 1, left, here);
        }
        jumped
    }

    /// A man has jumped to a square.
    #[inline(always)]
    fn step(&mut self, to: u64, captured: u64, count: usize, rows: u64, squares: u64) {
        let longer = self.man(to, captured, count, rows, squares);
        let (from, squares) = (self.from, squares & !longer);
        self.captures.add(Found { from, ends: to, captured, rows, squares, count });
    }

    /// Jumps of a king in some directions; the squares with a jump in all rows.
    #[inline(always)]
    fn turn(
        &mut self,
        at: u64,
        steps: impl IntoIterator<Item = i32>,
        captured: u64,
        count: usize,
        rows: u64,
        squares: u64,
    ) -> u64 {
        let slide = |jumped, step| {
            jumped | self.slide::<TURNS>(shift(at, step), step, captured, count, rows, squares)
        };
        steps.into_iter().fold(0, slide)
    }

    /// A jump of a king over a piece of the row, with all that follows; the squares with it in all
    /// rows.
    fn land(
        &mut self,
        over: u64,
        step: i32,
        captured: u64,
        count: usize,
        rows: u64,
        squares: u64,
    ) -> u64 {
        let first = shift(over, step);
        let squares = squares & !(first & self.blocks);
        let left = rows & !(first & self.varied);
        if first & self.empty == 0 || squares == 0 || left == 0 {
            return 0;
        }
        if KILLER && over & self.kings != 0 {
            self.slide::<HALTS>(first, step, captured | over, count + 1, left, squares);
        } else {
            self.slide::<LANDS>(first, step, captured | over, count + 1, left, squares);
        }
        if left == rows { squares } else { 0 }
    }

    /// A king continues in a direction, `first` being the next square; the squares with a jump in
    /// this direction in all rows. `HOW` is one of [`TURNS`], [`LANDS`], [`HALTS`].
    fn slide<const HOW: u8>(
        &mut self,
        first: u64,
        step: i32,
        captured: u64,
        count: usize,
        rows: u64,
        squares: u64,
    ) -> u64 {
        let mut path = 0;
        let mut end = first;
        while end & self.empty != 0 {
            path |= end;
            end = shift(end, step);
        }
        let met = rows & path & self.varied;
        if met == 0 {
            return self.clear::<HOW>(first, path, end, step, captured, count, rows, squares);
        }
        let is_in_danger = self.is_in_danger(captured);
        if HOW != TURNS || self.is_varied_prey || is_in_danger {
            for king in bits(met) {
                // Without a square behind it there is no jump.
                if HOW == TURNS && !is_in_danger && shift(king, step) & self.empty == 0 {
                    continue;
                }
                self.known(king).slide::<HOW>(first, step, captured, count, king, squares);
            }
        }
        if rows != met {
            self.clear::<HOW>(first, path, end, step, captured, count, rows & !met, squares);
        }
        0
    }

    /// The same if the varied king is not in the path, whose end is the first square that is never
    /// empty. The king may meet the moving king anywhere, and what follows does not depend on the
    /// square of that king.
    ///
    /// The piece at the end is the same for all landing squares before it; backwards there are only
    /// jumped pieces.
    #[expect(clippy::too_many_arguments, reason = "the state of a search, kept in registers")]
    #[inline(always)]
    fn clear<const HOW: u8>(
        &mut self,
        first: u64,
        path: u64,
        end: u64,
        step: i32,
        captured: u64,
        count: usize,
        rows: u64,
        squares: u64,
    ) -> u64 {
        // The squares of the moving king not met, and those where it can be jumped.
        let met = squares & path & self.blocks;
        let rest = squares & !met;
        let prey = if self.is_in_danger(captured) { met & shift(self.empty, -step) } else { 0 };
        let with_king = captured | MOVING_KING;
        let [mut over, mut over_both] = [0; 2];
        if end & self.victims & !captured != 0 {
            if rest != 0 {
                over = self.land(end, step, captured, count, rows, rest);
            }
            if prey != 0 {
                over_both = self.land(end, step, with_king, count + 1, rows, prey);
            }
        }
        let jumped = over | prey;
        if HOW == TURNS && prey == 0 {
            return jumped;
        }

        let turns = STEPS.into_iter().filter(|turn| turn.abs() != step.abs());
        let jumps = self.jumps.get_or_init(|| jumps(self.empty, self.victims));
        let jumps = jumps[usize::from(step.abs() == STEPS[0])];
        // The varied and the moving king may be anywhere.
        let jumps = if self.is_varied_prey && self.varied != 0 { SQUARES } else { jumps };
        let turning = if self.is_in_danger(captured) { SQUARES } else { jumps };
        // The squares of the moving king before it, and behind it with a jump.
        let (mut before, mut behind, mut next) = (squares, 0, 0);
        let Search { from, .. } = *self;
        let (none, own) = (Found { from, ends: 0, captured, rows, squares: 0, count }, count + 1);
        let mut ending = none;
        let mut ending_behind = Found { captured: with_king, count: own, ..none };
        let mut to = first;
        while to != end {
            let here = before & to & self.blocks;
            before &= !here;
            if HOW != TURNS && before != 0 {
                let mut longer = jumped;
                if to & turning != 0 {
                    longer |= self.turn(to, turns.clone(), captured, count, rows, before);
                }
                if HOW != HALTS || to == first {
                    self.end(&mut ending, to, before & !longer);
                }
            }
            if behind != 0 {
                let mut longer = over_both;
                if to & jumps != 0 {
                    longer |= self.turn(to, turns.clone(), with_king, count + 1, rows, behind);
                }
                let ends = if KILLER { next } else { behind };
                self.end(&mut ending_behind, to, ends & !longer);
            }
            next = here & prey;
            behind |= next;
            to = shift(to, step);
        }
        self.captures.add(ending);
        self.captures.add(ending_behind);
        jumped
    }

    /// Adds a square to endings, or begins others if they are possible with other squares of the moving
    /// king.
    #[inline(always)]
    fn end(&mut self, ending: &mut Found, to: u64, squares: u64) {
        if ending.squares != squares {
            self.captures.add(*ending);
            (ending.ends, ending.squares) = (0, squares);
        }
        ending.ends |= to;
    }
}

/// The empty squares next to one in a direction.
#[inline(always)]
fn before(square: u64, step: i32, empty: u64) -> u64 {
    let mut squares = 0;
    let mut at = shift(square, step);
    while at & empty != 0 {
        squares |= at;
        at = shift(at, step);
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::context::place;
    use movegen::{MoveList, Variant};
    use proptest::prelude::*;

    /// A group with pieces on some squares (0 to 49), by colour and kind: black men, black kings,
    /// white men, white kings; with a varied king of a colour on any empty square, if there is one.
    fn group(squares: &[(u8, u8)], moving: Color, varied: Option<Color>) -> Option<RowGroup> {
        let mut fixed = FixedValues { pieces: [0; 2], kings: 0, moving };
        for &(square, kind) in squares {
            let bit = 1 << movegen::geometry::bit_of_index(square.into());
            if fixed.occupied() & bit != 0 {
                return None;
            }
            fixed.pieces[usize::from(kind / 2)] |= bit;
            fixed.kings |= if kind % 2 == 1 { bit } else { 0 };
        }
        let has_room = Color::ALL.into_iter().all(|color| {
            let kings = [Some(moving), varied].iter().filter(|it| **it == Some(color)).count();
            let own = fixed.pieces[color.index()].count_ones() + kings as u32;
            (1..=MAX_CAPTURED as u32).contains(&own)
        });
        let squares = varied.map_or(NO_KING, |_| SQUARES & !fixed.occupied());
        has_room.then_some(RowGroup { fixed, varied, squares })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        /// For all squares of both kings the captures of the move generator.
        #[test]
        fn captures_are_those_of_the_move_generator(
            squares in proptest::collection::vec((0u8..50, 0u8..4), 1..8),
            moving in prop_oneof![Just(Color::Black), Just(Color::White)],
            varied in proptest::option::of(prop_oneof![Just(Color::Black), Just(Color::White)]),
            variant in prop_oneof![Just(Variant::International), Just(Variant::Killer)],
        ) {
            let Some(group) = group(&squares, moving, varied) else { return Ok(()) };
            let mut captures = Captures::default();
            let mut list = MoveList::new();
            for side in Color::ALL {
                let all = SQUARES & !group.fixed.occupied();
                match variant {
                    Variant::Killer => captures.find::<true>(&group, side, all),
                    _ => captures.find::<false>(&group, side, all),
                }
                for (row, square) in bits(group.squares).enumerate() {
                    let captures = RowCaptures { captures: &captures, row };
                    let mut fixed = group.fixed;
                    if let Some(varied) = varied {
                        fixed.pieces[varied.index()] |= square;
                        fixed.kings |= square;
                    }
                    for king in bits(SQUARES & !fixed.occupied()) {
                        let Ok(position) = place(&fixed, king).position(side) else { continue };
                        list.clear();
                        position.with_variant(variant).generate(&mut list);
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
                        // The same capture may be found in two ways.
                        found.dedup();
                        prop_assert_eq!(&found, &expected, "{:?} {} {:#x}", fixed.pieces, side, king);
                        prop_assert_eq!(captures.squares() & king != 0, !expected.is_empty());
                    }
                }
            }
        }
    }
}
