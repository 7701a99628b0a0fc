//! Complete captures under the majority rule.
//!
//! A capture is explored depth-first. The mover's start square counts as empty from the first
//! jump on (circular captures may cross it or end there); a captured piece leaves the set of
//! targets at once but stays on the board as an obstacle until the move is over; a man that
//! passes its promotion row stays a man.
//!
//! Results are kept as (start, captured set, *set* of end squares). The routes of a king that
//! capture the same pieces merge by OR-ing their ends, so each (from, to, captured set) appears
//! once.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use smallvec::SmallVec;

use super::Visitor;
use super::king::{self, Direction, DownLeft, DownRight, Reach, UpLeft, UpRight};
use super::man::FirstJumps;
use crate::geometry::bits;
use crate::isa::Isa;
use crate::piece::Kind;

/// Two routes can take the same pieces from the same start only from this number on: men need a
/// closed loop of four, a king two different ways around three.
const MERGE_MEN_FROM: u32 = 4;
const MERGE_KINGS_FROM: u32 = 3;

/// States are remembered once this many jumps have been explored after one first jump, so that
/// compositions with millions of routes stay cheap while ordinary captures pay nothing.
pub(super) const MEMO_AFTER: u32 = 500;

#[cfg(not(test))]
#[inline(always)]
const fn memo_after() -> u32 {
    MEMO_AFTER
}

/// The tests of [`super::worst_cases`] turn remembering on from the start, or off.
#[cfg(test)]
use super::worst_cases::memo_after;

/// All captures of one piece that take the same set.
#[derive(Clone, Copy)]
pub(crate) struct CaptureGroup {
    pub(super) from: u64,
    pub(super) captured: u64,
    pub(super) ends: u64,
}

/// Takes captures as they are found and keeps the ones that take the most pieces.
pub(crate) trait Sink {
    /// Offers a group of captures of `count` pieces. Groups that agree in start and captured set
    /// can only occur when `count` is at least `merge_from`.
    fn add(&mut self, count: u32, merge_from: u32, group: CaptureGroup);

    /// The greatest number of pieces so far; 0 before the first capture.
    fn best(&self) -> u32;
}

/// Keeps the longest captures as groups.
pub(crate) struct Groups {
    best: u32,
    groups: SmallVec<[CaptureGroup; 16]>,
    index: Option<Box<Index>>,
}

/// Position in the list of groups by (from, captured), once there are too many to scan.
type Index = HashMap<(u64, u64), usize>;

/// From this many groups on merging goes through an [`Index`].
const INDEX_FROM: usize = 64;

impl Groups {
    #[inline(always)]
    pub(crate) fn new() -> Groups {
        Groups { best: 0, groups: SmallVec::new(), index: None }
    }

    /// Adds the ends to an equal group if there is one.
    fn merge(&mut self, group: CaptureGroup) -> bool {
        if self.groups.len() >= INDEX_FROM {
            return self.merge_indexed(group);
        }
        for known in &mut self.groups {
            if known.captured == group.captured && known.from == group.from {
                known.ends |= group.ends;
                return true;
            }
        }
        false
    }

    #[cold]
    fn merge_indexed(&mut self, group: CaptureGroup) -> bool {
        let groups = &mut self.groups;
        let index = self.index.get_or_insert_with(|| {
            Box::new(groups.iter().enumerate().map(|(i, g)| ((g.from, g.captured), i)).collect())
        });
        match index.entry((group.from, group.captured)) {
            Entry::Occupied(slot) => {
                groups[*slot.get()].ends |= group.ends;
                true
            }
            Entry::Vacant(slot) => {
                slot.insert(groups.len());
                false
            }
        }
    }

    /// Shows the visitor every capture.
    #[inline(always)]
    pub(crate) fn visit(&self, visitor: &mut impl Visitor) {
        for group in &self.groups {
            for to in bits(group.ends) {
                visitor.capture(group.from, to, group.captured);
            }
        }
    }
}

impl Sink for Groups {
    #[inline(always)]
    fn add(&mut self, count: u32, merge_from: u32, group: CaptureGroup) {
        if count < self.best {
            return;
        }
        if count > self.best {
            self.best = count;
            self.groups.clear();
            self.index = None;
        }
        if count >= merge_from && self.merge(group) {
            return;
        }
        self.groups.push(group);
    }

    #[inline(always)]
    fn best(&self) -> u32 {
        self.best
    }
}

/// Counts the longest captures; keeps only those that may need merging.
pub(crate) struct Counter {
    unmerged: u64,
    groups: Groups,
}

impl Counter {
    #[inline(always)]
    pub(crate) fn new() -> Counter {
        Counter { unmerged: 0, groups: Groups::new() }
    }

    /// Number of captures.
    #[inline(always)]
    pub(crate) fn total(&self) -> u64 {
        self.groups.groups.iter().fold(self.unmerged, |n, g| n + u64::from(g.ends.count_ones()))
    }
}

impl Sink for Counter {
    #[inline(always)]
    fn add(&mut self, count: u32, merge_from: u32, group: CaptureGroup) {
        if count >= merge_from {
            if count > self.groups.best {
                self.unmerged = 0;
            }
            self.groups.add(count, merge_from, group);
        } else if count >= self.groups.best {
            if count > self.groups.best {
                self.groups.best = count;
                self.groups.groups.clear();
                self.unmerged = 0;
            }
            self.unmerged += u64::from(group.ends.count_ones());
        }
    }

    #[inline(always)]
    fn best(&self) -> u32 {
        self.groups.best
    }
}

/// Collects the captures of men; at least one of them can jump.
#[inline(always)]
pub(crate) fn collect_men(
    isa: impl Isa,
    first: &FirstJumps,
    enemy: u64,
    empty: u64,
    sink: &mut impl Sink,
) {
    if first.chains() != 0 {
        collect_chains(isa, first, enemy, empty, sink);
    } else if sink.best() <= 1 {
        first.visit(&mut Singles { sink });
    }
}

/// Hands first jumps on as captures of one piece.
struct Singles<'a, S> {
    sink: &'a mut S,
}

impl<S: Sink> Visitor for Singles<'_, S> {
    fn quiet(&mut self, _kind: Kind, _from: u64, _to: u64) {}

    #[inline(always)]
    fn capture(&mut self, from: u64, to: u64, captured: u64) {
        self.sink.add(1, MERGE_MEN_FROM, CaptureGroup { from, captured, ends: to });
    }
}

/// Collects the captures of men; at least one of them takes two pieces or more.
#[inline(always)]
fn collect_chains(isa: impl Isa, first: &FirstJumps, enemy: u64, empty: u64, sink: &mut impl Sink) {
    for (landings, to_start, to_captured) in first.chain_starts() {
        for to in bits(landings) {
            let from = to.rotate_left(to_start);
            let mut chain =
                Chain { from, enemy, empty: empty | from, walk: CaptureWalk::new(), sink };
            extend_man(isa, &mut chain, to, to.rotate_left(to_captured), 1);
        }
    }
}

/// Counts explored jumps and, when they become many, remembers the states (square and direction
/// of arrival, captured set) that need not be explored again.
struct CaptureWalk {
    jumps: u32,
    /// Boxed, since every first jump sets up a walk and few walks need the set.
    #[expect(clippy::box_collection, reason = "keeps the walk small")]
    seen: Option<Box<HashSet<(u64, u64)>>>,
}

impl CaptureWalk {
    #[inline(always)]
    fn new() -> CaptureWalk {
        CaptureWalk { jumps: 0, seen: None }
    }

    /// Counts a jump; true if it led to a state that was explored before.
    #[inline(always)]
    fn already_explored(&mut self, arrival: u64, captured: u64) -> bool {
        self.jumps += 1;
        #[cfg(test)]
        super::worst_cases::note_jump();
        self.jumps >= memo_after() && self.remember(arrival, captured)
    }

    #[cold]
    fn remember(&mut self, arrival: u64, captured: u64) -> bool {
        !self.seen.get_or_insert_default().insert((arrival, captured))
    }
}

/// One piece on its way.
pub(crate) struct Chain<'a, S> {
    from: u64,
    enemy: u64,
    empty: u64,
    walk: CaptureWalk,
    sink: &'a mut S,
}

/// Continues with a man from `at` after `captured` (of `count` pieces) has been taken.
#[inline(never)]
fn extend_man<S: Sink>(
    isa: impl Isa,
    chain: &mut Chain<'_, S>,
    at: u64,
    captured: u64,
    count: u32,
) {
    isa.run4(
        chain,
        at,
        captured,
        count,
        #[inline(always)]
        |chain, at, captured, count| {
            if chain.walk.already_explored(at, captured) {
                return;
            }
            let (enemy, empty) = (chain.enemy & !captured, chain.empty);
            let up_left = at.rotate_right(6) & enemy & empty.rotate_left(6);
            let up_right = at.rotate_right(5) & enemy & empty.rotate_left(5);
            let down_left = at.rotate_left(5) & enemy & empty.rotate_right(5);
            let down_right = at.rotate_left(6) & enemy & empty.rotate_right(6);
            if up_left | up_right | down_left | down_right == 0 {
                let group = CaptureGroup { from: chain.from, captured, ends: at };
                chain.sink.add(count, MERGE_MEN_FROM, group);
                return;
            }
            if up_left != 0 {
                extend_man(isa, chain, at >> 12, captured | up_left, count + 1);
            }
            if up_right != 0 {
                extend_man(isa, chain, at >> 10, captured | up_right, count + 1);
            }
            if down_left != 0 {
                extend_man(isa, chain, at << 10, captured | down_left, count + 1);
            }
            if down_right != 0 {
                extend_man(isa, chain, at << 12, captured | down_right, count + 1);
            }
        },
    );
}

/// Collects the captures of the kings.
#[inline(always)]
pub(crate) fn collect_kings(
    isa: impl Isa,
    reach: &Reach,
    enemy: u64,
    empty: u64,
    sink: &mut impl Sink,
) {
    let [up_left, up_right, down_left, down_right] = *reach.targets();
    first_king_jumps::<UpLeft, _>(isa, up_left, enemy, empty, sink);
    first_king_jumps::<UpRight, _>(isa, up_right, enemy, empty, sink);
    first_king_jumps::<DownLeft, _>(isa, down_left, enemy, empty, sink);
    first_king_jumps::<DownRight, _>(isa, down_right, enemy, empty, sink);
}

#[inline(always)]
fn first_king_jumps<D: Direction, S: Sink>(
    isa: impl Isa,
    targets: u64,
    enemy: u64,
    empty: u64,
    sink: &mut S,
) {
    for target in bits(targets) {
        // The king that reaches the target is the first piece on the way back.
        let from = D::Opposite::nearest(target.trailing_zeros(), !empty);
        let mut chain = Chain { from, enemy, empty: empty | from, walk: CaptureWalk::new(), sink };
        extend_king::<D, S>(isa, &mut chain, target, target, 1);
    }
}

/// Continues with a king that has just captured `target` in direction `D`, and `captured` (of
/// `count` pieces) in all.
///
/// It may stop on any empty square behind the target; from each it may turn to either side, and at
/// the end of the row it may capture straight on. Turning back is impossible: the piece just
/// captured stands in the way. The square where it turns to reach the next piece makes no
/// difference afterwards.
#[inline(never)]
fn extend_king<D: Direction, S: Sink>(
    isa: impl Isa,
    chain: &mut Chain<'_, S>,
    target: u64,
    captured: u64,
    count: u32,
) {
    isa.run4(
        chain,
        target,
        captured,
        count,
        #[inline(always)]
        |chain, target, captured, count| {
            if chain.walk.already_explored(target | D::TAG, captured) {
                return;
            }
            let (enemy, empty) = (chain.enemy & !captured, chain.empty);
            let (end, open) = D::look(target.trailing_zeros(), !empty);
            let ahead = end & enemy & D::Opposite::step(empty, 1);
            let side1 = king::targets::<D::Side1>(open, enemy, empty);
            let side2 = king::targets::<D::Side2>(open, enemy, empty);
            if ahead | side1 | side2 == 0 {
                let group = CaptureGroup { from: chain.from, captured, ends: open };
                chain.sink.add(count, MERGE_KINGS_FROM, group);
                return;
            }
            if ahead != 0 {
                extend_king::<D, S>(isa, chain, ahead, captured | ahead, count + 1);
            }
            for next in bits(side1) {
                extend_king::<D::Side1, S>(isa, chain, next, captured | next, count + 1);
            }
            for next in bits(side2) {
                extend_king::<D::Side2, S>(isa, chain, next, captured | next, count + 1);
            }
        },
    );
}
