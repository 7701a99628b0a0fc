//! Pairings of a Swiss tournament after the Dutch system of FIDE (Handbook C.04.3, edition of 2025):
//! score groups from the top down, upper half against lower half, colours by preference.
//!
//! The numbers of criteria in comments are those of the handbook. Kept: C.1 to C.6, C.8, C.12 to C.17,
//! and C.3 for players at the top, too, as long as a pairing exists that way. C.7 looks at the next
//! group, C.9 chooses among all players who can have the free round. Of candidates of equal quality the one
//! with the fewest exchanges between halves is taken, and then the first in order of transpositions.

use std::cmp::Reverse;

use movegen::Color;

use super::blossom;

/// What a player brings to the pairing of a round.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Contestant {
    /// The pairing number, from 0: the order of strength at the start.
    pub number: usize,
    /// In half points.
    pub points: u32,
    /// Pairing numbers.
    pub opponents: Vec<usize>,
    /// Of the games that were played, the last one at the end.
    pub colors: Vec<Color>,
    /// Where the opponents of earlier rounds were from, the last round at the end.
    pub floats: Vec<Float>,
    /// Whether a round was free for it.
    pub had_bye: bool,
    /// Rounds without a game.
    pub unplayed: usize,
}

/// Whether an opponent came from another score group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Float {
    No,
    /// It had fewer points, or the round was free.
    Down,
    /// It had more points.
    Up,
}

/// How strongly a colour is due to a player.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Strength {
    Mild,
    Strong,
    Absolute,
}

impl Contestant {
    /// Games with White minus games with Black.
    fn color_difference(&self) -> i32 {
        self.colors.iter().map(|color| if *color == Color::White { 1 } else { -1 }).sum()
    }

    /// The colour that is due; none before the first game.
    fn preference(&self) -> Option<(Color, Strength)> {
        let &last = self.colors.last()?;
        let difference = self.color_difference();
        let is_twice = self.colors.iter().rev().take(2).filter(|c| **c == last).count() == 2;
        let less = match difference {
            1.. => Color::Black,
            ..=-1 => Color::White,
            0 => last.opponent(),
        };
        Some(match difference.abs() {
            2.. => (less, Strength::Absolute),
            _ if is_twice => (last.opponent(), Strength::Absolute),
            1 => (less, Strength::Strong),
            _ => (less, Strength::Mild),
        })
    }

    fn floated(&self, rounds_ago: usize, float: Float) -> bool {
        self.floats.iter().nth_back(rounds_ago - 1) == Some(&float)
    }
}

/// The pairs of a round, White first, and who is free. By pairing number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SwissRound {
    pub pairs: Vec<(usize, usize)>,
    pub bye: Option<usize>,
}

/// The next round; `None` if no two players are left who have not met, or somebody would be free twice.
pub(super) fn pair(players: &[Contestant]) -> Option<SwissRound> {
    let mut players = players.to_vec();
    players.sort_by_key(|player| (Reverse(player.points), player.number));
    [true, false].into_iter().find_map(|heeds_colors| pair_with(&players, heeds_colors))
}

fn pair_with(players: &[Contestant], heeds_colors: bool) -> Option<SwissRound> {
    let table = Table::new(players, heeds_colors)?;
    let mut rest: Vec<usize> = (0..table.size).collect();
    let mut floaters = Vec::new();
    let mut pairs = Vec::new();
    while !rest.is_empty() {
        let points = table.points(rest[0]);
        let end = rest.iter().position(|&i| table.points(i) != points).unwrap_or(rest.len());
        let below = rest.split_off(end);
        let bracket = Bracket { table: &table, movers: floaters, residents: rest, below: &below };
        let paired = bracket.pair()?;
        pairs.extend(paired.pairs);
        floaters = paired.floaters;
        floaters.sort_unstable();
        rest = below;
    }
    let mut round = SwissRound { pairs: Vec::new(), bye: None };
    for (a, b) in pairs {
        match (players.get(a), players.get(b)) {
            (Some(a), Some(b)) => round.pairs.push(colored(a, b)),
            (Some(free), None) | (None, Some(free)) => round.bye = Some(free.number),
            (None, None) => {}
        }
    }
    Some(round)
}

/// Who has White (E.1 to E.5); `a` is the higher one in the order of points and numbers.
fn colored(a: &Contestant, b: &Contestant) -> (usize, usize) {
    let white = |is_first: bool| if is_first { (a.number, b.number) } else { (b.number, a.number) };
    let by_a = |color| white(color == Color::White);
    match (a.preference(), b.preference()) {
        (None, None) => white(a.number.is_multiple_of(2)),
        (Some((color, _)), None) => by_a(color),
        (None, Some((color, _))) => by_a(color.opponent()),
        (Some((ours, strength)), Some((theirs, other))) => {
            let rank = |player: &Contestant, strength| (strength, player.color_difference().abs());
            if ours != theirs || rank(a, strength) > rank(b, other) {
                by_a(ours)
            } else if rank(a, strength) < rank(b, other) {
                by_a(theirs.opponent())
            } else {
                let pairs = a.colors.iter().rev().zip(b.colors.iter().rev());
                let last = pairs.into_iter().find(|(ours, theirs)| ours != theirs);
                by_a(last.map_or(ours, |(before, _)| before.opponent()))
            }
        }
    }
}

/// Who may meet whom. After the players, in their order, comes one more if their number is odd: whoever
/// meets that one is free.
struct Table<'a> {
    players: &'a [Contestant],
    size: usize,
    /// Row after row.
    may_meet: Vec<bool>,
}

impl Table<'_> {
    /// `None` if there is no pairing of all.
    fn new(players: &[Contestant], heeds_colors: bool) -> Option<Table<'_>> {
        let count = players.len();
        let size = count + count % 2;
        let mut table = Table { players, size, may_meet: vec![false; size * size] };
        for a in 0..count {
            for b in a + 1..count {
                let may_meet = may_meet(&players[a], &players[b], heeds_colors);
                table.set(a, b, may_meet);
            }
        }
        let all: Vec<usize> = (0..size).collect();
        if count == size {
            return table.is_complete(&all).then_some(table);
        }
        // C.2, C.5 and C.9.
        let can_be_free = |&i: &usize| !players[i].had_bye;
        let mut free: Vec<usize> = (0..count).filter(can_be_free).collect();
        free.sort_by_key(|&i| (players[i].points, players[i].unplayed));
        let same = |a: &usize, b: &usize| {
            let key = |i: usize| (players[i].points, players[i].unplayed);
            key(*a) == key(*b)
        };
        for group in free.chunk_by(same) {
            group.iter().for_each(|&i| table.set(i, count, true));
            if table.is_complete(&all) {
                return Some(table);
            }
            group.iter().for_each(|&i| table.set(i, count, false));
        }
        None
    }

    fn set(&mut self, a: usize, b: usize, may_meet: bool) {
        self.may_meet[a * self.size + b] = may_meet;
        self.may_meet[b * self.size + a] = may_meet;
    }

    fn may_meet(&self, a: usize, b: usize) -> bool {
        self.may_meet[a * self.size + b]
    }

    /// The free place is a score group of its own, below all.
    fn points(&self, i: usize) -> Option<u32> {
        self.players.get(i).map(|player| player.points)
    }

    /// The greatest number of these who can be paired among themselves.
    fn paired(&self, list: &[usize]) -> Vec<Option<usize>> {
        blossom::matching(list.len(), &|a, b| self.may_meet(list[a], list[b]))
    }

    fn is_complete(&self, list: &[usize]) -> bool {
        self.paired(list).iter().all(Option::is_some)
    }
}

/// C.1 and C.3.
fn may_meet(a: &Contestant, b: &Contestant, heeds_colors: bool) -> bool {
    let absolute = |player: &Contestant| {
        player.preference().filter(|(_, strength)| *strength == Strength::Absolute)
    };
    let clashes = absolute(a).is_some() && absolute(a) == absolute(b);
    let is_refused = heeds_colors && clashes;
    !is_refused && !a.opponents.contains(&b.number)
}

/// A score group, with those who come from higher ones.
struct Bracket<'a> {
    table: &'a Table<'a>,
    movers: Vec<usize>,
    residents: Vec<usize>,
    /// Everybody further down.
    below: &'a [usize],
}

/// What a bracket is paired to.
struct Paired {
    pairs: Vec<(usize, usize)>,
    floaters: Vec<usize>,
}

/// How many sets of floaters are looked at, and how many steps their pairings may take: beyond that, which
/// takes large groups, the best so far is used. The same in each run.
const MOST_SETS: usize = 20_000;
const MOST_STEPS: usize = 300_000;

/// What is wrong with a pairing, the worst first: C.12 to C.17, then exchanges between halves.
type Faults = [u32; 7];

impl Bracket<'_> {
    fn pair(&self) -> Option<Paired> {
        let all: Vec<usize> = self.movers.iter().chain(&self.residents).copied().collect();
        let mut best: Option<(Faults, Paired)> = None;
        let mut steps = MOST_STEPS;
        for floaters in self.floater_sets(&all) {
            let staying: Vec<usize> =
                all.iter().copied().filter(|i| !floaters.contains(i)).collect();
            let mut search = Search {
                bracket: self,
                pairs: Vec::new(),
                best: best.take(),
                floaters: &floaters,
                steps: &mut steps,
            };
            search.go(&staying, self.float_faults(&floaters));
            best = search.best.or_else(|| self.any(&staying, &floaters));
        }
        best.map(|(_, paired)| paired)
    }

    /// A pairing of these, whatever its faults.
    fn any(&self, staying: &[usize], floaters: &[usize]) -> Option<(Faults, Paired)> {
        let partners = self.table.paired(staying);
        let pair = |(a, b): (usize, &Option<usize>)| Some((a, (*b)?));
        let pairs = partners.iter().enumerate().filter_map(pair).filter(|(a, b)| a < b);
        let pairs = pairs.map(|(a, b)| (staying[a], staying[b])).collect();
        Some(([u32::MAX; 7], Paired { pairs, floaters: floaters.to_vec() }))
    }

    /// The sets of floaters of the best kind, lower players first: as few as possible (C.6), with as few
    /// points (C.8), who find opponents in the next group (C.7); and everybody else can be paired (C.4).
    fn floater_sets(&self, all: &[usize]) -> Vec<Vec<usize>> {
        let backwards: Vec<usize> = all.iter().rev().copied().collect();
        let least = all.len() % 2;
        for count in (least..=all.len()).step_by(2) {
            let mut sets: Vec<(Vec<Option<u32>>, usize, Vec<usize>)> = Vec::new();
            for set in combinations(&backwards, count).take(MOST_SETS) {
                let rest: Vec<usize> = all.iter().copied().filter(|i| !set.contains(i)).collect();
                let lower: Vec<usize> = set.iter().chain(self.below).copied().collect();
                if self.table.is_complete(&rest) && self.table.is_complete(&lower) {
                    let points = set.iter().rev().map(|&i| self.table.points(i)).collect();
                    sets.push((points, self.stranded(&set), set));
                }
            }
            let key = |(points, stranded, _): &(Vec<Option<u32>>, usize, Vec<usize>)| {
                (points.clone(), *stranded)
            };
            if let Some(best) = sets.iter().map(key).min() {
                sets.retain(|set| key(set) == best);
                return sets.into_iter().map(|(_, _, set)| set).collect();
            }
        }
        Vec::new()
    }

    /// How many of the next group and these are left unpaired there.
    fn stranded(&self, floaters: &[usize]) -> usize {
        let Some(&first) = self.below.first() else { return 0 };
        let points = self.table.points(first);
        let next = self.below.iter().copied().take_while(|&i| self.table.points(i) == points);
        let list: Vec<usize> = floaters.iter().copied().chain(next).collect();
        self.table.paired(&list).iter().filter(|partner| partner.is_none()).count()
    }

    /// C.14 and C.16: floating down again.
    fn float_faults(&self, floaters: &[usize]) -> Faults {
        let residents = floaters.iter().filter(|i| self.residents.contains(i));
        let players: Vec<&Contestant> =
            residents.filter_map(|&i| self.table.players.get(i)).collect();
        let again =
            |ago| players.iter().filter(|player| player.floated(ago, Float::Down)).count() as u32;
        [0, 0, again(1), 0, again(2), 0, 0]
    }

    /// What is wrong with these two meeting. `a` may come from above.
    fn faults(&self, a: usize, b: usize) -> Faults {
        let mut faults = [0; 7];
        let (Some(upper), Some(lower)) = (self.table.players.get(a), self.table.players.get(b))
        else {
            return faults;
        };
        if let (Some((ours, strength)), Some((theirs, other))) =
            (upper.preference(), lower.preference())
            && ours == theirs
        {
            faults[0] = 1;
            faults[1] = u32::from(strength.min(other) >= Strength::Strong);
        }
        if upper.points > lower.points {
            faults[3] = u32::from(lower.floated(1, Float::Up));
            faults[5] = u32::from(lower.floated(2, Float::Up));
            // The one from above floats down once more.
            faults[2] = u32::from(upper.floated(1, Float::Down));
            faults[4] = u32::from(upper.floated(2, Float::Down));
        }
        faults
    }
}

/// The search for the best pairing of those who stay in a bracket.
struct Search<'a> {
    bracket: &'a Bracket<'a>,
    pairs: Vec<(usize, usize)>,
    best: Option<(Faults, Paired)>,
    floaters: &'a [usize],
    steps: &'a mut usize,
}

impl Search<'_> {
    /// Pairs those who are `open`, in order of points and numbers; the pairs before have these faults.
    fn go(&mut self, open: &[usize], faults: Faults) {
        if *self.steps == 0 || self.best.as_ref().is_some_and(|(best, _)| faults >= *best) {
            return;
        }
        *self.steps -= 1;
        let Some((&first, others)) = open.split_first() else {
            let paired = Paired { pairs: self.pairs.clone(), floaters: self.floaters.to_vec() };
            self.best = Some((faults, paired));
            return;
        };
        for (partner, is_exchange) in self.partners(first, others) {
            let mut sum = faults;
            let own = self.bracket.faults(first, partner);
            sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            sum[6] += u32::from(is_exchange);
            let open: Vec<usize> = others.iter().copied().filter(|&i| i != partner).collect();
            self.pairs.push((first, partner));
            self.go(&open, sum);
            self.pairs.pop();
        }
    }

    /// Whom this one can meet, in the order of the transpositions: those who come from above meet residents
    /// from the top, residents meet the lower half, and then their own half from below.
    fn partners(&self, first: usize, others: &[usize]) -> Vec<(usize, bool)> {
        let movers = &self.bracket.movers;
        let may_meet = |i: &usize| self.bracket.table.may_meet(first, *i);
        if movers.contains(&first) {
            let (above, residents): (Vec<usize>, Vec<usize>) =
                others.iter().partition(|i| movers.contains(i));
            let ordered = residents.into_iter().map(|i| (i, false));
            let ordered = ordered.chain(above.into_iter().rev().map(|i| (i, true)));
            return ordered.filter(|(i, _)| may_meet(i)).collect();
        }
        let lower = self.lower_half();
        let (lower, own): (Vec<usize>, Vec<usize>) = others.iter().partition(|i| lower.contains(i));
        let ordered = lower.into_iter().map(|i| (i, false));
        let ordered = ordered.chain(own.into_iter().rev().map(|i| (i, true)));
        ordered.filter(|(i, _)| may_meet(i)).collect()
    }

    /// The lower half of the residents who do not meet somebody from above.
    fn lower_half(&self) -> Vec<usize> {
        let movers = &self.bracket.movers;
        let mut taken = self.pairs.iter().filter(|(a, _)| movers.contains(a)).map(|&(_, b)| b);
        let taken: Vec<usize> = taken.by_ref().collect();
        let rest = self.bracket.residents.iter().copied().filter(|i| !taken.contains(i));
        let rest: Vec<usize> = rest.collect();
        rest[rest.len() / 2..].to_vec()
    }
}

/// All choices of `count` items, those of the first items first.
fn combinations(items: &[usize], count: usize) -> impl Iterator<Item = Vec<usize>> {
    let mut places: Option<Vec<usize>> = (count <= items.len()).then(|| (0..count).collect());
    std::iter::from_fn(move || {
        let current = places.clone()?;
        places = following(&current, items.len());
        Some(current.into_iter().map(|place| items[place]).collect())
    })
}

fn following(places: &[usize], size: usize) -> Option<Vec<usize>> {
    let count = places.len();
    let at = (0..count).rev().find(|&at| places[at] < size - count + at)?;
    let mut next = places.to_vec();
    for (offset, place) in next[at..].iter_mut().enumerate() {
        *place = places[at] + 1 + offset;
    }
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of a tournament report (TRF): points in half points, opponents from 1 with the colour.
    fn player(number: usize, points: u32, games: &[(usize, Color)]) -> Contestant {
        Contestant {
            number: number - 1,
            points,
            opponents: games.iter().map(|(other, _)| other - 1).collect(),
            colors: games.iter().map(|(_, color)| *color).collect(),
            floats: vec![Float::No; games.len()],
            ..Contestant::default()
        }
    }

    fn numbers(round: &SwissRound) -> (Vec<(usize, usize)>, Option<usize>) {
        let pairs = round.pairs.iter().map(|(white, black)| (white + 1, black + 1)).collect();
        (pairs, round.bye.map(|bye| bye + 1))
    }

    /// The handbook, C.04.3, example of the first round: upper half against lower half, colours in turn.
    #[test]
    fn the_first_round_is_upper_half_against_lower_half() {
        let players: Vec<Contestant> = (1..=14).map(|n| player(n, 0, &[])).collect();
        let expected = vec![(1, 8), (9, 2), (3, 10), (11, 4), (5, 12), (13, 6), (7, 14)];
        assert_eq!(numbers(&pair(&players).unwrap()), (expected, None));
        let odd = pair(&players[..5]).unwrap();
        assert_eq!(numbers(&odd), (vec![(1, 3), (4, 2)], Some(5)));
    }

    /// Example `dutch_2025_C5` of bbpPairings: whoever is free has as few points as possible, which
    /// comes before the number of pairs in the top group.
    #[test]
    fn the_lowest_is_free_even_if_the_leaders_could_meet() {
        use Color::{Black, White};
        let players = [
            player(1, 4, &[(4, White), (2, Black)]),
            player(2, 2, &[(5, Black), (1, White)]),
            player(3, 4, &[(6, White), (4, Black)]),
            player(5, 2, &[(2, White), (6, Black)]),
            player(6, 0, &[(3, Black), (5, White)]),
        ];
        let (mut pairs, bye) = numbers(&pair(&players).unwrap());
        pairs.sort_unstable();
        assert_eq!((pairs, bye), (vec![(1, 5), (3, 2)], Some(6)));
    }

    /// Example `dutch_2025_C9` of bbpPairings: the one who is free has missed as few games as possible.
    #[test]
    fn who_has_missed_a_game_is_not_free() {
        use Color::{Black, White};
        let players = [
            player(1, 2, &[(3, White)]),
            player(2, 2, &[(4, Black)]),
            player(3, 0, &[(1, Black)]),
            player(4, 0, &[(2, White)]),
            Contestant { unplayed: 1, floats: vec![Float::No], ..player(5, 0, &[]) },
        ];
        let (pairs, bye) = numbers(&pair(&players).unwrap());
        assert_eq!((pairs, bye), (vec![(2, 1), (3, 5)], Some(4)));
    }

    #[test]
    fn combinations_are_all_and_in_order() {
        let all: Vec<Vec<usize>> = combinations(&[5, 6, 7, 8], 2).collect();
        assert_eq!(all, [[5, 6], [5, 7], [5, 8], [6, 7], [6, 8], [7, 8]]);
        assert_eq!(combinations(&[5], 0).count(), 1);
        assert_eq!(combinations(&[5], 2).count(), 0);
    }
}
