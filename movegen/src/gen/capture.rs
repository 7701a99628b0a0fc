//! Complete captures under the majority rule.
//!
//! A capture is explored depth-first. The mover's start square counts as empty from the first
//! jump on (circular captures may cross it or end there); a captured piece leaves the set of
//! targets at once but stays on the board as an obstacle until the move is over; a man that
//! passes its promotion row stays a man.
//!
//! Results are kept as (start, captured set, *set* of end squares), so that the routes of a king
//! that capture the same pieces merge by OR-ing their ends: each (from, to, captured set) comes
//! out once.

use std::collections::HashSet;

use smallvec::SmallVec;

use super::king::{self, Direction, DownLeft, DownRight, UpLeft, UpRight};
use super::man::Jumps;
use crate::position::Board;

/// Two routes can take the same pieces from the same start only from this number on: men need a
/// closed loop of four, a king two different ways around three.
const MERGE_MEN_FROM: u32 = 4;
const MERGE_KINGS_FROM: u32 = 3;

/// After this many explored jumps of one piece its states are remembered, so that compositions
/// with millions of routes stay cheap while ordinary captures pay nothing.
pub(super) const MEMO_AFTER: u32 = 2_000;

/// All captures of one piece that take the same set and share the start square.
#[derive(Clone, Copy)]
struct Group {
    from: u64,
    captured: u64,
    ends: u64,
}

/// The longest captures found so far.
pub(crate) struct Captures {
    count: u32,
    groups: SmallVec<[Group; 24]>,
    /// Position in `groups` by (from, captured), once there are too many to scan.
    index: Option<std::collections::HashMap<(u64, u64), usize>>,
    /// Explored jumps of all pieces.
    #[cfg(test)]
    pub(super) steps: u32,
}

/// From this many groups on merging goes through a hash map.
const INDEX_FROM: usize = 64;

impl Captures {
    #[inline(always)]
    pub(crate) fn new() -> Captures {
        Captures {
            count: 1,
            groups: SmallVec::new(),
            index: None,
            #[cfg(test)]
            steps: 0,
        }
    }

    #[inline(always)]
    fn add(&mut self, count: u32, merge_from: u32, group: Group) {
        if count < self.count {
            return;
        }
        if count > self.count {
            self.count = count;
            self.groups.clear();
            self.index = None;
        }
        if count >= merge_from && self.merge(group) {
            return;
        }
        self.groups.push(group);
    }

    /// Adds the ends to an equal group if there is one.
    fn merge(&mut self, group: Group) -> bool {
        if self.groups.len() >= INDEX_FROM {
            let groups = &self.groups;
            let index = self.index.get_or_insert_with(|| {
                groups.iter().enumerate().map(|(i, g)| ((g.from, g.captured), i)).collect()
            });
            match index.entry((group.from, group.captured)) {
                std::collections::hash_map::Entry::Occupied(slot) => {
                    self.groups[*slot.get()].ends |= group.ends;
                    return true;
                }
                std::collections::hash_map::Entry::Vacant(slot) => {
                    slot.insert(self.groups.len());
                    return false;
                }
            }
        }
        for known in &mut self.groups {
            if known.captured == group.captured && known.from == group.from {
                known.ends |= group.ends;
                return true;
            }
        }
        false
    }

    /// Calls `f` with (from, to, captured) of every capture.
    #[inline(always)]
    pub(crate) fn for_each(&self, mut f: impl FnMut(u64, u64, u64)) {
        for group in &self.groups {
            let mut ends = group.ends;
            while ends != 0 {
                let to = ends & ends.wrapping_neg();
                ends ^= to;
                f(group.from, to, group.captured);
            }
        }
    }

    /// Number of captures.
    #[inline(always)]
    fn len(&self) -> u64 {
        self.groups.iter().map(|g| u64::from(g.ends.count_ones())).sum()
    }
}

/// Number of legal captures; `None` if there is none.
#[inline(always)]
pub(crate) fn count<const WHITE: bool>(board: &Board) -> Option<u64> {
    let (own, enemy, empty) = (board.own::<WHITE>(), board.enemy::<WHITE>(), board.empty());
    let (men, kings) = (own & !board.kings, own & board.kings);
    let jumps = Jumps::new(enemy, empty);
    let kings_capture = kings != 0 && king::can_capture(kings, enemy, empty);
    if men & jumps.any() == 0 && !kings_capture {
        return None;
    }
    if !kings_capture {
        let first = FirstJumps::new(men, &jumps);
        if first.chains() == 0 {
            return Some(u64::from(
                first.up_left.count_ones()
                    + first.up_right.count_ones()
                    + first.down_left.count_ones()
                    + first.down_right.count_ones(),
            ));
        }
    }
    let mut captures = Captures::new();
    collect::<WHITE>(board, &mut captures);
    Some(captures.len())
}

/// Landing squares of the first jumps of all men, and which of them can go on.
struct FirstJumps {
    up_left: u64,
    up_right: u64,
    down_left: u64,
    down_right: u64,
    up_left_chains: u64,
    up_right_chains: u64,
    down_left_chains: u64,
    down_right_chains: u64,
}

impl FirstJumps {
    /// A second jump cannot need the start square to be empty (the way back to it takes four
    /// jumps) and cannot turn back over the piece just captured, so the jump sets of the
    /// untouched board decide exactly which first jumps go on.
    #[inline(always)]
    fn new(men: u64, jumps: &Jumps) -> FirstJumps {
        let up_left = (men & jumps.up_left) >> 12;
        let up_right = (men & jumps.up_right) >> 10;
        let down_left = (men & jumps.down_left) << 10;
        let down_right = (men & jumps.down_right) << 12;
        FirstJumps {
            up_left,
            up_right,
            down_left,
            down_right,
            up_left_chains: up_left & (jumps.up_left | jumps.up_right | jumps.down_left),
            up_right_chains: up_right & (jumps.up_right | jumps.up_left | jumps.down_right),
            down_left_chains: down_left & (jumps.down_left | jumps.down_right | jumps.up_left),
            down_right_chains: down_right & (jumps.down_right | jumps.down_left | jumps.up_right),
        }
    }

    #[inline(always)]
    fn chains(&self) -> u64 {
        self.up_left_chains | self.up_right_chains | self.down_left_chains | self.down_right_chains
    }
}

/// Collects the legal captures of the side, if any.
pub(crate) fn collect<const WHITE: bool>(board: &Board, captures: &mut Captures) {
    let (own, enemy, empty) = (board.own::<WHITE>(), board.enemy::<WHITE>(), board.empty());
    let kings = own & board.kings;
    if kings != 0 {
        collect_kings(kings, enemy, empty, captures);
    }
    let men = own & !board.kings;
    let jumps = Jumps::new(enemy, empty);
    if men & jumps.any() == 0 {
        return;
    }
    let first = FirstJumps::new(men, &jumps);
    if first.chains() == 0 {
        if captures.count == 1 {
            single_jumps(first.up_left, 12, 6, captures);
            single_jumps(first.up_right, 10, 5, captures);
            single_jumps(first.down_left, -10, -5, captures);
            single_jumps(first.down_right, -12, -6, captures);
        }
        return;
    }
    let mut walk = |mut landings: u64, whole: i32, half: i32| {
        while landings != 0 {
            let to = landings & landings.wrapping_neg();
            landings ^= to;
            let from = shift(to, whole);
            let mut chain =
                ManChain { from, enemy, empty: empty | from, steps: 0, seen: None, captures };
            chain.extend(to, shift(to, half), 1);
            #[cfg(test)]
            {
                chain.captures.steps += chain.steps;
            }
        }
    };
    walk(first.up_left_chains, 12, 6);
    walk(first.up_right_chains, 10, 5);
    walk(first.down_left_chains, -10, -5);
    walk(first.down_right_chains, -12, -6);
}

/// `bits` moved up by `by`, or down by its opposite.
#[inline(always)]
const fn shift(bits: u64, by: i32) -> u64 {
    if by >= 0 { bits << by } else { bits >> -by }
}

#[inline(always)]
fn single_jumps(mut landings: u64, whole: i32, half: i32, captures: &mut Captures) {
    while landings != 0 {
        let to = landings & landings.wrapping_neg();
        landings ^= to;
        let group = Group { from: shift(to, whole), captured: shift(to, half), ends: to };
        captures.add(1, MERGE_MEN_FROM, group);
    }
}

/// States (square and direction of arrival, captured set) already explored for the moving piece.
type Seen = Option<Box<HashSet<(u64, u64)>>>;

#[cfg(not(test))]
#[inline(always)]
const fn memo_after() -> u32 {
    MEMO_AFTER
}

/// The tests of [`super::worst_cases`] turn remembering on from the start, or off.
#[cfg(test)]
use super::worst_cases::memo_after;

/// Counts a step; true if the state was explored before and need not be again.
#[inline(always)]
fn already_explored(steps: &mut u32, seen: &mut Seen, state: (u64, u64)) -> bool {
    *steps += 1;
    if *steps < memo_after() {
        return false;
    }
    !seen.get_or_insert_default().insert(state)
}

/// One man on its way.
struct ManChain<'a> {
    from: u64,
    enemy: u64,
    empty: u64,
    steps: u32,
    seen: Seen,
    captures: &'a mut Captures,
}

impl ManChain<'_> {
    /// Goes on from `at` after `captured` (of `count` pieces) has been taken.
    fn extend(&mut self, at: u64, captured: u64, count: u32) {
        if already_explored(&mut self.steps, &mut self.seen, (at, captured)) {
            return;
        }
        let targets = self.enemy & !captured;
        let (enemy, empty) = (targets, self.empty);
        let mut last = true;
        if at >> 6 & enemy != 0 && at >> 12 & empty != 0 {
            last = false;
            self.extend(at >> 12, captured | at >> 6, count + 1);
        }
        if at >> 5 & enemy != 0 && at >> 10 & empty != 0 {
            last = false;
            self.extend(at >> 10, captured | at >> 5, count + 1);
        }
        if at << 5 & enemy != 0 && at << 10 & empty != 0 {
            last = false;
            self.extend(at << 10, captured | at << 5, count + 1);
        }
        if at << 6 & enemy != 0 && at << 12 & empty != 0 {
            last = false;
            self.extend(at << 12, captured | at << 6, count + 1);
        }
        if last {
            let group = Group { from: self.from, captured, ends: at };
            self.captures.add(count, MERGE_MEN_FROM, group);
        }
    }
}

fn collect_kings(mut kings: u64, enemy: u64, empty: u64, captures: &mut Captures) {
    while kings != 0 {
        let from = kings & kings.wrapping_neg();
        kings ^= from;
        let at = from.trailing_zeros();
        let mut chain =
            KingChain { from, enemy, empty: empty | from, steps: 0, seen: None, captures };
        chain.try_direction::<UpLeft>(at, 0, 0);
        chain.try_direction::<UpRight>(at, 0, 0);
        chain.try_direction::<DownLeft>(at, 0, 0);
        chain.try_direction::<DownRight>(at, 0, 0);
        #[cfg(test)]
        {
            chain.captures.steps += chain.steps;
        }
    }
}

/// One king on its way.
struct KingChain<'a> {
    from: u64,
    enemy: u64,
    empty: u64,
    steps: u32,
    seen: Seen,
    captures: &'a mut Captures,
}

impl KingChain<'_> {
    /// Captures the first piece in this direction, if that is possible, and goes on.
    #[inline(always)]
    fn try_direction<D: Direction>(&mut self, at: u32, captured: u64, count: u32) -> bool {
        let target = king::target::<D>(at, self.enemy & !captured, self.empty);
        if target == 0 {
            return false;
        }
        self.extend::<D>(D::step(target), captured | target, count + 1);
        true
    }

    /// The king has just captured in direction `D`; `behind` is the square behind that piece.
    /// It may stop on any empty square from there on; from each it may turn to either side, and
    /// at the end of the row it may capture straight on. Turning back is impossible: the piece
    /// just captured stands in the way.
    fn extend<D: Direction>(&mut self, behind: u64, captured: u64, count: u32) {
        if already_explored(&mut self.steps, &mut self.seen, (behind | D::TAG, captured)) {
            return;
        }
        let mut last = true;
        let mut ends = 0;
        let mut at = behind;
        let mut bit = behind;
        while at & self.empty != 0 {
            ends |= at;
            bit = at;
            let number = at.trailing_zeros();
            last &= !self.try_direction::<D::Side1>(number, captured, count);
            last &= !self.try_direction::<D::Side2>(number, captured, count);
            at = D::step(at);
        }
        last &= !self.try_direction::<D>(bit.trailing_zeros(), captured, count);
        if last {
            let group = Group { from: self.from, captured, ends };
            self.captures.add(count, MERGE_KINGS_FROM, group);
        }
    }
}
