//! Captures in positions with too many routes to walk: which sets of pieces can be taken at all?
//!
//! Squares are put together into areas, so that a piece that has landed can go on from its area only.
//! A jump leads from an area to another, and a capture is a trail through this graph that uses each of
//! its pieces once. So but for its first and last area it meets every area an even number of times.
//! Sets of pieces are tried in order of what they leave out of all that the piece could reach, and a
//! trail through a set is looked for among jumps after which what is left can still be reached and
//! has the right parity: where areas are single squares, that is all that a trail needs.

use std::collections::HashSet;

use super::{CaptureGroup, DIRECTIONS, Groups, MoverView, Sink, View};
use crate::geometry::bits;

/// A jump over a piece in a direction, from any square before it to any square behind it.
struct TrailJump {
    direction: usize,
    target: u64,
    before: u64,
    landings: u64,
    /// The areas of both, each as one of its squares.
    areas: [u64; 2],
}

/// The jumps of one piece.
struct Trails<'a> {
    view: &'a View,
    from: u64,
    is_king: bool,
    jumps: Vec<TrailJump>,
    /// All that the piece can reach.
    victims: Vec<u64>,
    effort: u32,
}

/// More sets and jumps than the hardest positions known take by far.
const EFFORT: u32 = 1 << 17;

/// All captures of the side; `None` if there are too many sets to try.
pub(super) fn captures(view: &View) -> Option<Groups> {
    let mut all: Vec<Trails<'_>> =
        view.pieces().map(|(from, is_king)| Trails::new(view, from, is_king)).collect();
    let of_all = |it: &Trails<'_>| it.victims.iter().map(|&it| view.weight(it)).sum::<u32>();
    let mut groups = Groups::new();
    for weight in (1..=all.iter().map(of_all).max()?).rev() {
        for trails in &mut all {
            if let Some(left_out) = of_all(trails).checked_sub(weight) {
                let victims = trails.victims.clone();
                trails.try_all(&victims, left_out, 0, &mut groups)?;
            }
        }
        if groups.best() > 0 {
            break;
        }
    }
    Some(groups)
}

impl<'a> Trails<'a> {
    fn new(view: &'a View, from: u64, is_king: bool) -> Trails<'a> {
        let MoverView { enemy, empty, .. } = view.mover;
        let empty = empty | from;
        let mut jumps = Vec::new();
        for target in bits(enemy) {
            for direction in 0..view.directions().len() {
                let [before, landings] = [direction ^ 1, direction]
                    .map(|direction| &DIRECTIONS[direction])
                    .map(|it| it.landings(target, is_king, empty) & empty & it.ends);
                if before != 0 && landings != 0 {
                    jumps.push(TrailJump { direction, target, before, landings, areas: [0; 2] });
                }
            }
        }
        let mut areas: Vec<u64> = Vec::new();
        for mut squares in jumps.iter().map(|jump| jump.landings).chain([from]) {
            areas.retain(|area| {
                let is_met = area & squares != 0;
                squares |= if is_met { *area } else { 0 };
                !is_met
            });
            areas.push(squares);
        }
        let area = |squares: u64| {
            let area = areas.iter().find(|&area| area & squares != 0).copied().unwrap_or(0);
            area & area.wrapping_neg()
        };
        jumps.iter_mut().for_each(|jump| jump.areas = [area(jump.before), area(jump.landings)]);
        let mut trails = Trails { view, from, is_king, jumps, victims: Vec::new(), effort: 0 };
        trails.victims = bits(trails.reached(from, enemy)).collect();
        trails
    }

    /// What of some pieces can be reached from squares.
    fn reached(&self, mut squares: u64, pieces: u64) -> u64 {
        let mut taken = 0;
        loop {
            let before = squares;
            for jump in self.jumps.iter().filter(|jump| jump.target & pieces != 0) {
                if jump.before & squares != 0 {
                    squares |= jump.landings;
                    taken |= jump.target;
                }
            }
            if squares == before {
                return taken;
            }
        }
    }

    /// Tries all sets that leave out so much of the victims and all of `without`.
    fn try_all(
        &mut self,
        victims: &[u64],
        left_out: u32,
        without: u64,
        groups: &mut Groups,
    ) -> Option<()> {
        self.effort += 1;
        if left_out == 0 {
            let captured = self.victims.iter().fold(0, |all, victim| all | victim) & !without;
            let (mut ends, mut seen) = (0, HashSet::new());
            if self.can_take(self.from, captured, !0)? {
                self.take(self.from, captured, &mut seen, &mut ends)?;
            }
            if ends != 0 {
                let worth = self.view.worth(captured, self.is_king);
                groups.add(worth, 0, CaptureGroup { from: self.from, captured, ends });
            }
            return Some(());
        }
        let Some((&victim, others)) = victims.split_first() else { return Some(()) };
        if let Some(left_out) = left_out.checked_sub(self.view.weight(victim)) {
            self.try_all(others, left_out, without | victim, groups)?;
        }
        self.try_all(others, left_out, without, groups)
    }

    /// Finds where captures of all that is left end.
    fn take(
        &mut self,
        squares: u64,
        left: u64,
        seen: &mut HashSet<(u64, u64)>,
        ends: &mut u64,
    ) -> Option<()> {
        if !seen.insert((squares, left)) {
            return Some(());
        }
        for number in 0..self.jumps.len() {
            let TrailJump { direction, target, before, landings, .. } = self.jumps[number];
            if target & left == 0 || before & squares == 0 {
                continue;
            }
            if target == left {
                *ends |= self.view.ends(direction, target, landings);
            } else if self.can_take(landings, left & !target, !*ends)? {
                self.take(landings, left & !target, seen, ends)?;
            }
        }
        Some(())
    }

    /// Whether reach and parity allow to take all that is left and to end on a wanted square; `None`
    /// if that was asked too often.
    fn can_take(&mut self, squares: u64, left: u64, wanted: u64) -> Option<bool> {
        self.effort += 1;
        if self.effort > EFFORT {
            return None;
        }
        if self.reached(squares, left) != left {
            return Some(false);
        }
        // The areas met an odd number of times if each piece is jumped in one direction, and what
        // other directions change.
        let area = |it: &&TrailJump| it.landings & squares != 0;
        let mut odd = self.jumps.iter().find(area).map_or(self.from, |jump| jump.areas[1]);
        let mut changes: Vec<u64> = Vec::new();
        let reduced = |mut areas: u64, changes: &[u64]| {
            for &change in changes {
                areas = areas.min(areas ^ change);
            }
            areas
        };
        let (mut last, mut usual) = (0, 0);
        for jump in self.jumps.iter().filter(|jump| jump.target & left != 0) {
            let met = jump.areas[0] ^ jump.areas[1];
            if jump.target != last {
                (last, usual) = (jump.target, met);
                odd ^= met;
            }
            let change = reduced(usual ^ met, &changes);
            if change != 0 {
                changes.push(change);
            }
        }
        let mut last = self.jumps.iter().filter(|jump| jump.target & left != 0);
        Some(
            last.any(|jump| {
                jump.landings & wanted != 0 && reduced(odd ^ jump.areas[1], &changes) == 0
            }),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::generator::Visitor;
    use crate::generator::variants::RouteWalk;
    use crate::piece::Kind;
    use crate::random::Random;
    use crate::variant::Variant;

    #[derive(Default)]
    struct Collected(Vec<(u64, u64, u64)>);

    impl Visitor for Collected {
        fn quiet(&mut self, _: Kind, _: u64, _: u64) {}

        fn capture(&mut self, from: u64, to: u64, captured: u64) {
            self.0.push((from, to, captured));
        }
    }

    fn sorted(groups: &Groups) -> Vec<(u64, u64, u64)> {
        let mut all = Collected::default();
        groups.visit(&mut all);
        all.0.sort_unstable();
        all.0
    }

    /// Both ways of finding captures find the same.
    #[test]
    fn trails_are_the_routes_of_a_walk() {
        let mut random = Random::new(63);
        let (mut compared, mut refused, mut long) = (0, 0, 0);
        while compared < 3_000 {
            let (own, other) = (1 + random.below(3), 3 + random.below(18));
            let mut board = Board { black: 0, white: 0, kings: 0 };
            for number in 0..own + other {
                let square = 1 << crate::geometry::bit_of_index(random.below(50) as u32);
                let is_free = (board.black | board.white) & square == 0;
                let set = if number < own { &mut board.white } else { &mut board.black };
                *set |= if is_free { square } else { 0 };
                board.kings |= if is_free && random.below(2) == 0 { square } else { 0 };
            }
            let variant = [Variant::Frisian, Variant::Killer][random.below(2)];
            let view = View::new::<true>(variant, &board, 0);
            if !view.can_capture() {
                continue;
            }
            compared += 1;
            let Some(found) = captures(&view) else {
                refused += 1;
                continue;
            };
            let expected = sorted(&RouteWalk::of(&view, u32::MAX).unwrap());
            assert_eq!(sorted(&found), expected, "{variant} {board:?}");
            long += usize::from(expected[0].2.count_ones() > 5);
        }
        assert!(refused < 30 && long > 100, "{refused} {long}");
    }
}
