//! The pairing as the handbook describes it: one candidate after another, each judged by all
//! criteria. For comparison, with up to eight players.

use std::cmp::Reverse;

use movegen::Color;

use super::contestant::{Contestant, ContestantStrength, Float, colored};

type Pairs = Vec<(usize, usize)>;

/// Players in order, and who may meet whom.
pub(super) struct Slow<'a> {
    pub players: &'a [Contestant],
    pub may_meet: &'a dyn Fn(&Contestant, &Contestant) -> bool,
}

/// Looks at the pairs of a candidate.
type Visit<'a> = dyn FnMut(&[(usize, usize)]) + 'a;

/// The faults of a candidate, by C.6 to C.21.
type Faults = Vec<Vec<u32>>;

impl Slow<'_> {
    /// The pairs and the free player, by places in the order.
    pub fn pair(&self) -> Option<(Pairs, Option<usize>)> {
        let all: Vec<usize> = (0..self.players.len()).collect();
        let free = |(_, free): &(Pairs, Option<usize>)| free.map(|i| self.players[i].points);
        let lowest = self.complete(&all).iter().map(free).min()?;
        let mut below: &[usize] = &all;
        let (mut pairs, mut movers) = (Vec::new(), Vec::new());
        while let Some(&first) = below.first() {
            let (residents, rest) = self.split(below, first);
            let bracket = Bracket { slow: self, movers, residents, below: rest, lowest };
            let best = bracket.best();
            pairs.extend(best.0);
            movers = best.1;
            below = rest;
        }
        Some((pairs, movers.first().copied()))
    }

    fn points(&self, i: usize) -> u32 {
        self.players[i].points
    }

    fn may_meet(&self, a: usize, b: usize) -> bool {
        (self.may_meet)(&self.players[a], &self.players[b])
    }

    /// The score group of this player, and the others.
    fn split<'b>(&self, open: &'b [usize], first: usize) -> (&'b [usize], &'b [usize]) {
        open.split_at(open.iter().filter(|&&i| self.points(i) == self.points(first)).count())
    }

    /// All pairings that fulfil C.1 to C.3.
    fn complete(&self, open: &[usize]) -> Vec<(Pairs, Option<usize>)> {
        let Some((&first, others)) = open.split_first() else { return vec![(Vec::new(), None)] };
        let mut all = Vec::new();
        for &partner in others.iter().filter(|&&other| self.may_meet(first, other)) {
            let rest: Vec<usize> = others.iter().copied().filter(|i| *i != partner).collect();
            for (mut pairs, free) in self.complete(&rest) {
                pairs.push((first, partner));
                all.push((pairs, free));
            }
        }
        if open.len() % 2 == 1 && !self.players[first].had_bye {
            all.extend(self.complete(others).into_iter().map(|(pairs, _)| (pairs, Some(first))));
        }
        all
    }
}

struct Bracket<'a> {
    slow: &'a Slow<'a>,
    movers: Vec<usize>,
    residents: &'a [usize],
    below: &'a [usize],
    /// The points of the player who will be free (C.5).
    lowest: Option<u32>,
}

impl Bracket<'_> {
    fn best(&self) -> (Pairs, Vec<usize>) {
        let most = (self.movers.len() + self.residents.len()) / 2;
        let mut best: Option<(Faults, Pairs, Vec<usize>)> = None;
        for pairs in (0..=most).rev() {
            for movers in 0..=self.movers.len().min(pairs) {
                self.each_candidate(pairs, movers, &mut |pairs| {
                    let is_left = |i: &usize| !pairs.iter().any(|(a, b)| i == a || i == b);
                    let all = self.movers.iter().chain(self.residents).copied();
                    let floaters: Vec<usize> = all.filter(is_left).collect();
                    let Some(faults) = self.faults(pairs, &floaters) else { return };
                    if best.as_ref().is_none_or(|(least, ..)| faults < *least) {
                        best = Some((faults, pairs.to_vec(), floaters));
                    }
                });
            }
            if best.is_some() {
                break;
            }
        }
        best.map(|(_, pairs, floaters)| (pairs, floaters)).expect("a rest that can be paired")
    }

    /// The candidates with this many pairs, this many of them of movers, in the order of 3.6 and
    /// 3.7.
    fn each_candidate(&self, pairs: usize, movers: usize, visit: &mut Visit<'_>) {
        for set in subsets(&self.movers, movers) {
            for opponents in arrangements(self.residents, movers) {
                let met: Pairs = set.iter().copied().zip(opponents.iter().copied()).collect();
                let rest = without(self.residents, &opponents);
                let half = pairs - movers;
                if 2 * half > rest.len() || !self.are_legal(&met) {
                    continue;
                }
                let (upper, lower) = rest.split_at(half);
                for (upper, lower) in exchanges(upper, lower) {
                    for opponents in arrangements(&lower, half) {
                        let in_order = |(a, b): (usize, usize)| (a.min(b), a.max(b));
                        let others = upper.iter().copied().zip(opponents).map(in_order);
                        let pairs: Pairs = met.iter().copied().chain(others).collect();
                        if self.are_legal(&pairs) {
                            visit(&pairs);
                        }
                    }
                }
            }
        }
    }

    fn are_legal(&self, pairs: &[(usize, usize)]) -> bool {
        pairs.iter().all(|&(a, b)| self.slow.may_meet(a, b))
    }

    /// `None` if C.4 or C.5 is broken.
    fn faults(&self, pairs: &[(usize, usize)], floaters: &[usize]) -> Option<Faults> {
        let slow = self.slow;
        let player = |i: usize| &slow.players[i];
        let score = |i: usize| slow.points(i);
        let rest: Vec<usize> = floaters.iter().chain(self.below).copied().collect();
        let mut complete = slow.complete(&rest);
        complete.retain(|(_, free)| free.map(score) == self.lowest);
        if complete.is_empty() {
            return None;
        }
        let scores = |list: &[usize]| {
            let mut scores: Vec<u32> = list.iter().map(|&i| score(i)).collect();
            scores.sort_unstable_by_key(|score| Reverse(*score));
            scores
        };
        let mut faults = vec![vec![floaters.len() as u32], scores(floaters)];
        // C.8: the next bracket in the best of all pairings of the rest.
        let next = self.below.first().map_or(&[][..], |&first| slow.split(self.below, first).0);
        let left = |pairs: &Pairs| {
            let is_paired =
                |i: &usize| pairs.iter().any(|(a, b)| (a == i || b == i) && next.contains(b));
            let all = floaters.iter().chain(next).copied();
            let left: Vec<usize> = all.filter(|i| !is_paired(i)).collect();
            (left.len() as u32, scores(&left))
        };
        let (count, left) = complete.iter().map(|(pairs, _)| left(pairs)).min()?;
        faults.extend([vec![count], left]);
        let is_free = |&floater: &usize| complete.iter().all(|(_, free)| *free == Some(floater));
        let absences = floaters.iter().filter(|i| floaters.len() == 1 && is_free(i));
        faults.push(absences.map(|&i| player(i).unplayed as u32).collect());
        // C.10 to C.13.
        let mut colors = [0; 4];
        for &(a, b) in pairs {
            let (white, black) = colored(player(a), player(b));
            for (number, color) in [(white, Color::White), (black, Color::Black)] {
                let one = [a, b].map(player).into_iter().find(|one| one.number == number)?;
                let mut after = one.clone();
                after.colors.push(color);
                let counts =
                    [ContestantStrength::Strong, ContestantStrength::Absolute].map(|strength| {
                        one.preference().is_none_or(|due| due.0 == color || due.1 != strength)
                    });
                colors[0] += u32::from(after.color_difference().abs() > 2);
                colors[1] += u32::from(after.colors.ends_with(&[color; 3]));
                colors[2] += u32::from(one.preference().is_some_and(|due| due.0 != color));
                colors[3] += u32::from(!counts[0]);
            }
        }
        faults.extend(colors.map(|count| vec![count]));
        // C.14 to C.21.
        let of_movers = || pairs.iter().filter(|(a, _)| self.movers.contains(a));
        for ago in [1, 2] {
            let down = |i: &&usize| player(**i).floated(ago, Float::Down);
            let residents = floaters.iter().filter(|i| self.residents.contains(i)).filter(down);
            let up = of_movers().filter(|(_, b)| player(*b).floated(ago, Float::Up));
            faults.extend([vec![residents.count() as u32], vec![up.count() as u32]]);
        }
        for ago in [1, 2] {
            // A player who floats again has a difference greater than all others.
            let again = floaters.iter().filter(|i| self.movers.contains(i));
            let again = again.map(|&i| (i, 1_000 + score(i)));
            let paired = of_movers().map(|&(a, b)| (a, score(a) - score(b)));
            let down = again.chain(paired).filter(|(i, _)| player(*i).floated(ago, Float::Down));
            let mut down: Vec<u32> = down.map(|(_, difference)| difference).collect();
            let up = of_movers().filter(|(_, b)| player(*b).floated(ago, Float::Up));
            let mut up: Vec<u32> = up.map(|&(a, b)| score(a) - score(b)).collect();
            down.sort_unstable_by_key(|difference| Reverse(*difference));
            up.sort_unstable_by_key(|difference| Reverse(*difference));
            faults.extend([down, up]);
        }
        Some(faults)
    }
}

fn without(list: &[usize], taken: &[usize]) -> Vec<usize> {
    list.iter().copied().filter(|i| !taken.contains(i)).collect()
}

/// All choices of `count` of these, in order.
fn subsets(list: &[usize], count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (place, &first) in list.iter().enumerate() {
        for mut rest in subsets(&list[place + 1..], count - 1) {
            rest.insert(0, first);
            all.push(rest);
        }
    }
    all
}

/// All choices of `count` of these in all orders, sorted like words in a dictionary.
fn arrangements(list: &[usize], count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for &first in list {
        for mut rest in arrangements(&without(list, &[first]), count - 1) {
            rest.insert(0, first);
            all.push(rest);
        }
    }
    all
}

/// Both halves after each exchange, in the order of 4.3.
fn exchanges(upper: &[usize], lower: &[usize]) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut all = Vec::new();
    for count in 0..=upper.len().min(lower.len()) {
        for down in subsets(upper, count) {
            for up in subsets(lower, count) {
                let sum = |list: &[usize]| list.iter().sum::<usize>();
                let mut highest = down.clone();
                highest.reverse();
                let key = (count, sum(&up) - sum(&down), Reverse(highest), up.clone());
                let join = |list: &[usize], gone: &[usize], come: &[usize]| {
                    let mut half = [&without(list, gone), come].concat();
                    half.sort_unstable();
                    half
                };
                all.push((key, (join(upper, &down, &up), join(lower, &up, &down))));
            }
        }
    }
    all.sort();
    all.into_iter().map(|(_, halves)| halves).collect()
}
