//! Pairings of a Swiss tournament after the Dutch system of FIDE (Handbook C.04.3, the edition in force
//! since February 2026). Comments use the handbook's numbers of criteria and articles.
//!
//! The handbook searches through candidates in a fixed order and takes the first one without an
//! avoidable fault. Criteria and order are sums over pairs, the more important ones first, so that
//! candidate is the heaviest [`matching`] of all players not yet paired.

mod bracket;
mod contestant;
mod matching;

use std::cmp::Reverse;

use bracket::Bracket;
pub(super) use contestant::{Contestant, Float};
use contestant::{ContestantStrength, colored};
use matching::heaviest;

/// The pairs of a round, White first, and the free player, by pairing number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SwissRound {
    pub pairs: Vec<(usize, usize)>,
    pub bye: Option<usize>,
}

/// The next round; `None` if no two players are left who have not met, or somebody would be free twice.
///
/// Before the last round `half` is half of what could be scored so far, in half points: a player
/// with more is a topscorer (1.8). If colours leave no pairing, they are ignored as little as
/// possible.
pub(super) fn pair(players: &[Contestant], half: Option<u32>) -> Option<SwissRound> {
    let mut players = players.to_vec();
    players.sort_by_key(|player| (Reverse(player.points), player.number));
    let field = [true, false].into_iter().find_map(|colors_count| {
        SwissField::new(&players, &|a, b| may_meet(a, b, half, colors_count))
    })?;
    let mut round = SwissRound { pairs: Vec::new(), bye: None };
    let mut movers = Vec::new();
    let mut start = 0;
    while start < players.len() {
        let bracket = Bracket::new(&field, movers, start);
        start = bracket.end();
        let paired = bracket.pair()?;
        round.pairs.extend(paired.pairs.iter().map(|&(a, b)| colored(&players[a], &players[b])));
        movers = paired.downfloaters;
    }
    round.bye = movers.first().map(|&free| players[free].number);
    Some(round)
}

/// C.1 and C.3.
fn may_meet(a: &Contestant, b: &Contestant, half: Option<u32>, colors_count: bool) -> bool {
    let absolute = |player: &Contestant| {
        let preference = player.preference();
        preference
            .filter(|(_, strength)| *strength == ContestantStrength::Absolute)
            .map(|(color, _)| color)
    };
    let is_topscorer = |player: &Contestant| half.is_some_and(|half| player.points > half);
    let clashes = absolute(a).is_some() && absolute(a) == absolute(b);
    let is_refused = colors_count && clashes && !is_topscorer(a) && !is_topscorer(b);
    !is_refused && !a.opponents.contains(&b.number)
}

/// All players, and who may meet whom. If their number is odd, one more place comes last: the
/// player paired with it is free.
struct SwissField<'a> {
    /// In order of points and numbers.
    players: &'a [Contestant],
    size: usize,
    /// Row after row.
    may_meet: Vec<bool>,
}

impl SwissField<'_> {
    /// `None` if not all can be paired.
    fn new<'a>(
        players: &'a [Contestant],
        may_meet: &dyn Fn(&Contestant, &Contestant) -> bool,
    ) -> Option<SwissField<'a>> {
        let count = players.len();
        let size = count.next_multiple_of(2);
        let mut field = SwissField { players, size, may_meet: vec![false; size * size] };
        for a in 0..count {
            for b in a + 1..count {
                field.may_meet[a * size + b] = may_meet(&players[a], &players[b]);
            }
        }
        if count == size {
            return field.is_complete().then_some(field);
        }
        // C.2 and C.5: players of the lowest score group that leaves a pairing can be free.
        for group in players.chunk_by(|a, b| a.points == b.points).rev() {
            for a in (0..count).filter(|&a| players[a].points == group[0].points) {
                field.may_meet[a * size + count] = !players[a].had_bye;
            }
            if field.is_complete() {
                return Some(field);
            }
            (0..count).for_each(|a| field.may_meet[a * size + count] = false);
        }
        None
    }

    /// `a` comes before `b`.
    fn may_meet(&self, a: usize, b: usize) -> bool {
        self.may_meet[a * self.size + b]
    }

    fn is_complete(&self) -> bool {
        let weight = |a: usize, b: usize| self.may_meet(a, b).then(Vec::new);
        heaviest(self.size, &weight).is_some()
    }
}

#[cfg(test)]
mod slow;
#[cfg(test)]
mod tests;
