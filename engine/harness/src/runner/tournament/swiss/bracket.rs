//! One bracket of the Dutch system: a score group, with the players from higher ones.

use std::ops::Range;

use super::SwissField;
use super::contestant::{Contestant, ContestantStrength, Float, colored};
use super::matching::{Weight, heaviest};
use movegen::Color;

/// Players by their places in the order of points and numbers.
pub(super) struct Bracket<'a> {
    field: &'a SwissField<'a>,
    /// The movers: players from higher score groups.
    movers: Vec<usize>,
    residents: Range<usize>,
    /// The following score group.
    next: Range<usize>,
    /// The scores of the movers, the highest one first.
    mover_scores: Vec<u32>,
}

/// The result of pairing a bracket.
pub(super) struct Paired {
    pub pairs: Vec<(usize, usize)>,
    pub downfloaters: Vec<usize>,
}

impl<'a> Bracket<'a> {
    /// The score group that starts at this place.
    pub fn new(field: &'a SwissField<'a>, movers: Vec<usize>, start: usize) -> Self {
        let end = |start: usize| {
            let points = field.players.get(start).map(|player| player.points);
            let rest = field.players[start..].iter();
            start + rest.take_while(|player| Some(player.points) == points).count()
        };
        let residents = start..end(start);
        let next = residents.end..end(residents.end);
        let mut mover_scores: Vec<u32> = movers.iter().map(|&i| field.players[i].points).collect();
        mover_scores.dedup();
        Self { field, movers, residents, next, mover_scores }
    }

    /// Where the following score group starts.
    pub fn end(&self) -> usize {
        self.residents.end
    }

    /// The first of the best candidates; `None` if the rest cannot be paired.
    pub fn pair(&self) -> Option<Paired> {
        let open: Vec<usize> =
            self.movers.iter().copied().chain(self.residents.start..self.field.size).collect();
        let size = self.movers.len() + self.residents.len();
        // The number of downfloaters shows whether C.9 is met.
        let pairs = self.solve(&open, &|_, b| vec![i32::from(self.is_here(b))])?.len();
        let absence_counts = size == 2 * pairs + 1;
        let quality = |a, b| self.quality(a, b, absence_counts);
        // First the movers: which of them are paired, and whom they meet (4.4 and 4.2).
        let solution = self.solve(&open, &|a, b| {
            let mut weight = quality(a, b);
            weight.extend(self.movers.iter().map(|&i| i32::from(a == i && self.is_here(b))));
            let opponent = if self.is_here(b) { b as i32 } else { 0 };
            weight.extend(self.movers.iter().map(|&i| if a == i { -opponent } else { 0 }));
            weight
        })?;
        let is_above = |a: &usize| *a < self.residents.start;
        let mut paired: Vec<_> = solution.into_iter().filter(|(a, _)| is_above(a)).collect();
        // Then the remainder (4.3 and 4.2).
        let is_open = |i: &usize| !paired.iter().any(|(a, b)| i == a || i == b);
        let open: Vec<usize> = open.into_iter().filter(is_open).collect();
        let remainder: Vec<usize> =
            open.iter().copied().filter(|i| self.residents.contains(i)).collect();
        let order = Order { remainder: &remainder, half: pairs - paired.len() };
        paired.extend(self.solve(&open, &|a, b| {
            let mut weight = quality(a, b);
            order.extend(&mut weight, if self.is_here(b) { Some((a, b)) } else { None });
            weight
        })?);
        let downfloaters = self.movers.iter().copied().chain(self.residents.clone());
        let is_left = |i: &usize| !paired.iter().any(|(a, b)| i == a || i == b);
        let downfloaters = downfloaters.filter(is_left).collect();
        Some(Paired { pairs: paired, downfloaters })
    }

    /// The pairs within the bracket, from the heaviest pairing of all these players; by the first
    /// of each pair.
    fn solve(
        &self,
        open: &[usize],
        weight: &dyn Fn(usize, usize) -> Weight,
    ) -> Option<Vec<(usize, usize)>> {
        let mates = heaviest(open.len(), &|a, b| {
            let (a, b) = (open[a], open[b]);
            self.field.may_meet(a, b).then(|| weight(a, b))
        })?;
        let pairs = mates.iter().enumerate().map(|(a, &b)| (open[a], open[b]));
        Some(pairs.filter(|&(a, b)| a < b && self.is_here(b)).collect())
    }

    /// Whether a pair with this lower player is within the bracket. Two movers are not: if they
    /// could meet, they would have been paired above.
    fn is_here(&self, b: usize) -> bool {
        self.residents.contains(&b)
    }

    /// The weight of a pair by the criteria C.6 to C.21. A fault that floating down would bring
    /// counts as a gain for not floating.
    fn quality(&self, a: usize, b: usize, absence_counts: bool) -> Weight {
        let (upper, lower) = (&self.field.players[a], self.field.players.get(b));
        let (is_here, is_next) = (self.is_here(b), self.next.contains(&b));
        let is_mover = is_here && a < self.residents.start;
        let mut weight = Vec::new();
        // C.6 and C.7.
        weight.push(i32::from(is_here));
        let has = |score: &u32| upper.points == *score;
        weight.extend(self.mover_scores.iter().map(|score| i32::from(is_mover && has(score))));
        // C.8: the same in the following bracket.
        weight.push(i32::from(is_next));
        weight.extend(self.mover_scores.iter().map(|score| i32::from(is_next && has(score))));
        weight.push(i32::from(is_next && self.residents.contains(&a)));
        // C.9: the place of the free player comes after all players.
        let is_free = lower.is_none() && a < self.residents.end;
        weight.push(if is_free && absence_counts { -(upper.unplayed as i32) } else { 0 });
        let faults = lower.filter(|_| is_here).map_or([0; 4], |lower| color_faults(upper, lower));
        weight.extend(faults.map(|fault| -fault));
        // C.14 to C.21.
        let floated = |player: Option<&Contestant>, ago, float| {
            is_here && player.is_some_and(|player| player.floated(ago, float))
        };
        let is_down = |ago| floated(Some(upper), ago, Float::Down);
        for ago in [1, 2] {
            let residents = [(!is_mover).then_some(upper), lower];
            let again = residents.map(|player| i32::from(floated(player, ago, Float::Down)));
            weight.push(again.iter().sum());
            weight.push(-i32::from(is_mover && floated(lower, ago, Float::Up)));
        }
        for ago in [1, 2] {
            let kept = is_mover && is_down(ago);
            let up = is_mover && floated(lower, ago, Float::Up);
            weight.extend(self.mover_scores.iter().map(|score| i32::from(kept && has(score))));
            weight.extend(self.mover_scores.iter().map(|score| -i32::from(up && has(score))));
        }
        weight
    }
}

/// C.10 to C.13, for two who meet.
fn color_faults(upper: &Contestant, lower: &Contestant) -> [i32; 4] {
    let (Some((ours, strength)), Some((theirs, other))) = (upper.preference(), lower.preference())
    else {
        return [0; 4];
    };
    if ours != theirs {
        return [0; 4];
    }
    let (white, _) = colored(upper, lower);
    let upper_color = if white == upper.number { Color::White } else { Color::Black };
    let third = [(upper, upper_color), (lower, upper_color.opponent())].map(|(player, color)| {
        let step = if color == Color::White { 1 } else { -1 };
        let is_wide = (player.color_difference() + step).abs() > 2;
        let last = player.colors.iter().rev().take(2).filter(|last| **last == color);
        (i32::from(is_wide), i32::from(last.count() == 2))
    });
    let is_strong = strength.min(other) == ContestantStrength::Strong;
    [third[0].0 + third[1].0, third[0].1 + third[1].1, 1, i32::from(is_strong)]
}

/// The order of candidates for a homogeneous bracket or remainder: exchanges between its halves,
/// then transpositions of the lower one.
///
/// A candidate is generated first where the upper half has the higher one of each pair. So the
/// higher players of the pairs are the upper half after an exchange, and the order becomes a sum
/// over pairs.
struct Order<'a> {
    remainder: &'a [usize],
    /// The size of the upper half.
    half: usize,
}

impl Order<'_> {
    /// The weight of a pair of the remainder; nothing if it is not one.
    fn extend(&self, weight: &mut Weight, pair: Option<(usize, usize)>) {
        let number = |player| self.remainder.binary_search(&player).ok();
        let pair = pair.and_then(|(a, b)| Some((number(a)?, number(b)?)));
        let (upper, lower) = pair.map_or((None, 0), |(upper, lower)| (Some(upper), lower as i32));
        // As few exchanges as possible, with the smallest difference.
        weight.push(-i32::from(upper.is_some_and(|upper| upper >= self.half)));
        weight.push(-upper.map_or(0, |upper| upper as i32));
        // The lowest of the upper half leave it, the highest of the lower half enter.
        let is_upper = |number: usize| i32::from(upper == Some(number));
        weight.extend((0..self.half).rev().map(|number| -is_upper(number)));
        weight.extend((self.half..self.remainder.len()).map(is_upper));
        // Transpositions.
        weight.extend((0..self.remainder.len()).map(|number| -is_upper(number) * lower));
    }
}
