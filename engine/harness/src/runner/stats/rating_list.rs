//! Ratings of many players from all games among them.
//!
//! The model is that of the Elo of matches: White's expected points are the logistic function of
//! the difference in strength plus the advantage of the first move, a draw is half a point. The
//! ratings are the most likely ones under it, which is where each player's points are the expected
//! ones. How far results spread around the expectation, draws and pairs of games included, is
//! measured over all games and scales the intervals (quasi-likelihood: P. McCullagh, J. A. Nelder,
//! *Generalized Linear Models*, chapter 9).

use std::collections::{BTreeMap, HashMap};
use std::f64::consts::LN_10;

use super::counts::Tally;
use super::matrix::SquareMatrix;
use super::rating::{Estimate, Z95, normal_cdf};
use super::rating_games::RatingGames;

/// Elo of one unit of the logistic function.
const SCALE: f64 = 400.0 / LN_10;
/// An advantage beyond this, in units of the logistic function, does not come from games: the
/// results would fit any greater one better.
const MAX_ADVANTAGE: f64 = 12.0;
/// Newton's method ends when no number moves by more than this.
const PRECISION: f64 = 1e-10;
/// It needs a handful of steps; beyond this many it does not converge.
const MAX_STEPS: usize = 200;

/// The assumption about the advantage of the first move.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum FirstMove {
    /// None: it is estimated from the games.
    #[default]
    Estimated,
    /// It is this much Elo.
    Fixed(f64),
}

/// A player and its rating.
#[derive(Clone, PartialEq, Debug)]
pub struct RatedPlayer {
    /// Its name.
    pub name: String,
    /// All its games.
    pub games: Tally,
    /// The group within which ratings can be compared, from 0; `None` for a player who is alone.
    pub group: Option<usize>,
    /// The rating; infinite for a player who won, or lost, everything. `None` if the results do not
    /// determine it: the player won everything against some, and lost everything against others.
    /// The ends of the interval are infinite if the spread of the results is not known.
    pub elo: Option<Estimate>,
    number: usize,
}

/// The ratings of all players.
#[derive(Clone, Debug)]
pub struct RatingList {
    /// The players: by groups, the anchor's or else the largest one first, in each by rating; then those
    /// without a finite rating.
    pub players: Vec<RatedPlayer>,
    /// The number of groups.
    pub groups: usize,
    /// The number of groups, if one game between two of them is enough to connect them.
    pub connected: usize,
    /// The advantage of the first move; `None` if it should be estimated and the results do not
    /// determine it: then it counts as 0.
    pub first_move: Option<Estimate>,
    fit: Fit,
}

/// The ratings in units of the logistic function, and how sure they are.
#[derive(Clone, Debug)]
struct Fit {
    /// For each player, against the first one of its group.
    strength: Vec<f64>,
    advantage: f64,
    /// The row of each player in the matrix; `None` for the first ones of groups.
    rows: Vec<Option<usize>>,
    /// Variances and covariances; the last row is the advantage if it is estimated.
    covariance: SquareMatrix,
    /// The ratio of the variance of results to that of games without draws, for strengths and for
    /// the advantage; `None` if it cannot be measured.
    dispersion: Option<[f64; 2]>,
}

impl RatingList {
    /// The most likely ratings. The anchor has the rating given; without it, and in groups it does
    /// not belong to, the mean is 0. `None` without a game.
    #[must_use]
    pub fn new(
        games: &RatingGames,
        first_move: FirstMove,
        anchor: Option<(&str, f64)>,
    ) -> Option<RatingList> {
        if games.games() == 0 {
            return None;
        }
        let group = games.groups();
        let fixed = |elo: f64| Fit::new(games, &group, Some(elo / SCALE));
        let (fit, is_told) = match first_move {
            FirstMove::Fixed(elo) => (fixed(elo)?, true),
            FirstMove::Estimated => match Fit::new(games, &group, None) {
                Some(fit) => (fit, true),
                None => (fixed(0.0)?, false),
            },
        };
        let totals = games.totals();
        let anchor = anchor.and_then(|(name, elo)| Some((*games.numbers.get(name)?, elo)));
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (player, &group) in group.iter().enumerate() {
            members.entry(group).or_default().push(player);
        }
        let is_first = |group: &[usize]| anchor.is_some_and(|(player, _)| group.contains(&player));
        let mut ordered: Vec<Vec<usize>> = members.into_values().collect();
        ordered.sort_by_key(|group| (!is_first(group), usize::MAX - group.len()));
        let mut players = Vec::new();
        let mut alone = Vec::new();
        let mut groups = 0;
        for members in ordered {
            let player = |number: usize, group, elo| RatedPlayer {
                name: games.names[number].clone(),
                games: totals[number],
                group,
                elo,
                number,
            };
            if let [one] = members[..] {
                let elo = match totals[one] {
                    Tally { draws: 0, losses: 0, .. } => Some(f64::INFINITY),
                    Tally { draws: 0, wins: 0, .. } => Some(f64::NEG_INFINITY),
                    _ => None,
                };
                let elo = elo.map(|value| Estimate { value, low: value, high: value });
                alone.push(player(one, None, elo));
                continue;
            }
            let anchor = anchor.filter(|(player, _)| members.contains(player));
            let from = players.len();
            for (number, elo) in fit.ratings(&members, anchor) {
                players.push(player(number, Some(groups), Some(elo)));
            }
            let value = |player: &RatedPlayer| player.elo.map_or(f64::NAN, |elo| elo.value);
            players[from..].sort_by(|a, b| value(b).total_cmp(&value(a)));
            groups += 1;
        }
        let value = |player: &RatedPlayer| player.elo.map_or(0.0, |elo| elo.value);
        alone.sort_by(|a, b| value(b).total_cmp(&value(a)));
        players.extend(alone);
        let connected = games.connected().into_iter().max().map_or(0, |last| last + 1);
        let first_move = is_told.then(|| fit.first_move());
        Some(RatingList { players, groups, connected, first_move, fit })
    }

    /// The likelihood that the first player is stronger than the second, by their places in
    /// [`RatingList::players`], 0.0..=1.0; `None` if they cannot be compared.
    #[must_use]
    pub fn superiority(&self, one: usize, other: usize) -> Option<f64> {
        let [one, other] = [self.players.get(one)?, self.players.get(other)?];
        if one.group.is_none() || one.group != other.group || one.number == other.number {
            return None;
        }
        let difference = self.fit.strength[one.number] - self.fit.strength[other.number];
        let variance = self.fit.variance(&[(one.number, 1.0), (other.number, -1.0)])?;
        Some(normal_cdf(difference / variance.sqrt()))
    }
}

/// A game's derivative by each number that is fitted: White's strength, Black's, the advantage.
type Derivative = [(Option<usize>, f64); 3];

impl Fit {
    /// The most likely strengths; `None` if the results do not determine the advantage.
    fn new(games: &RatingGames, group: &[usize], advantage: Option<f64>) -> Option<Fit> {
        let count = group.len();
        let mut first = HashMap::new();
        let mut rows = vec![None; count];
        let mut size = 0;
        for (player, group) in group.iter().enumerate() {
            if first.contains_key(group) {
                rows[player] = Some(size);
                size += 1;
            } else {
                first.insert(group, player);
            }
        }
        let is_estimated = advantage.is_none();
        let advantage_row = is_estimated.then_some(size);
        size += usize::from(is_estimated);
        // Games between groups have only winners of one side: they do not bear on finite strengths.
        let meetings: Vec<((usize, usize), Tally)> = games
            .meetings
            .iter()
            .filter(|((white, black), _)| group[*white] == group[*black])
            .map(|(&players, &tally)| (players, tally))
            .collect();
        let derivative = |white: usize, black: usize| -> Derivative {
            [(rows[white], 1.0), (rows[black], -1.0), (advantage_row, 1.0)]
        };
        let mut numbers = vec![0.0; size];
        let at = |numbers: &[f64], white: usize, black: usize| {
            let own = derivative(white, black).into_iter();
            let sum: f64 = own.filter_map(|(row, sign)| Some(sign * numbers[row?])).sum();
            sum + advantage.unwrap_or(0.0)
        };
        let likelihood = |numbers: &[f64]| -> f64 {
            let meeting = |&((white, black), tally): &((usize, usize), Tally)| {
                let x = at(numbers, white, black);
                let (points, all) = (tally.points(), tally.games() as f64);
                -points * ln_1p_exp(-x) - (all - points) * ln_1p_exp(x)
            };
            meetings.iter().map(meeting).sum()
        };
        let mut information = SquareMatrix::new(size);
        let mut found = size == 0;
        for _ in 0..MAX_STEPS {
            if found {
                break;
            }
            information = SquareMatrix::new(size);
            let mut gradient = vec![0.0; size];
            for &((white, black), tally) in &meetings {
                let all = tally.games() as f64;
                let p = logistic(at(&numbers, white, black));
                let own = derivative(white, black);
                for (row, sign) in own.into_iter().filter_map(|(row, sign)| Some((row?, sign))) {
                    gradient[row] += sign * (tally.points() - all * p);
                    for (other, its) in own.into_iter().filter_map(|(r, s)| Some((r?, s))) {
                        *information.at(row, other) += sign * its * all * p * (1.0 - p);
                    }
                }
            }
            let step = information.factor()?.solve(&gradient);
            let before = likelihood(&numbers);
            let mut length = 1.0;
            // The function is concave: short enough steps go up, except for rounding.
            let next = loop {
                let next: Vec<f64> =
                    numbers.iter().zip(&step).map(|(n, step)| n + length * step).collect();
                if length < 1e-6 || likelihood(&next) >= before - 1e-9 * before.abs() {
                    break next;
                }
                length /= 2.0;
            };
            found = step.iter().all(|step| (length * step).abs() < PRECISION);
            numbers = next;
            if advantage_row.is_some_and(|row| numbers[row].abs() > MAX_ADVANTAGE) {
                return None;
            }
        }
        if !found {
            return None;
        }
        let covariance =
            if size == 0 { SquareMatrix::new(0) } else { information.factor()?.inverse() };
        let strength = rows.iter().map(|row| row.map_or(0.0, |row| numbers[row])).collect();
        let advantage = advantage.unwrap_or_else(|| numbers.last().copied().unwrap_or(0.0));
        let mut fit = Fit { strength, advantage, rows, covariance, dispersion: None };
        fit.dispersion = fit.measured_dispersion(games, group);
        Some(fit)
    }

    /// White's expected points.
    fn expected(&self, white: usize, black: usize) -> f64 {
        logistic(self.strength[white] - self.strength[black] + self.advantage)
    }

    /// How far results spread around the expectation, against games without draws: for strengths, and
    /// for the advantage. The games of a pair count together.
    fn measured_dispersion(&self, games: &RatingGames, group: &[usize]) -> Option<[f64; 2]> {
        let points = |rank: u8| f64::from(rank) / 2.0;
        let mut singles = games.meetings.clone();
        let mut spread = [0.0; 2];
        let mut observations = 0.0;
        for (&(one, other, first, second), &count) in &games.pairs {
            if group[one] != group[other] {
                continue;
            }
            let first_rest = points(first) - self.expected(one, other);
            let second_rest = points(second) - self.expected(other, one);
            let count = count as f64;
            spread[0] += count * (first_rest - second_rest).powi(2);
            spread[1] += count * (first_rest + second_rest).powi(2);
            observations += count;
        }
        for (&(one, other, first, second), &count) in &games.pairs {
            for (meeting, rank) in [((one, other), first), ((other, one), second)] {
                let Some(tally) = singles.get_mut(&meeting) else { continue };
                let side = [&mut tally.losses, &mut tally.draws, &mut tally.wins];
                *side[usize::from(rank)] -= count;
            }
        }
        let mut expected = 0.0;
        for (&(white, black), all) in &games.meetings {
            if group[white] != group[black] {
                continue;
            }
            let p = self.expected(white, black);
            let single = singles.get(&(white, black)).copied().unwrap_or_default();
            for (rank, count) in [(0, single.losses), (1, single.draws), (2, single.wins)] {
                let rest = count as f64 * (points(rank) - p).powi(2);
                spread = spread.map(|sum| sum + rest);
                observations += count as f64;
            }
            expected += all.games() as f64 * p * (1.0 - p);
        }
        let free = observations - self.covariance.size() as f64;
        let scale = observations / free;
        // Results that are all as expected, as draws between equals, do not show their spread.
        let is_known = free > 0.0 && expected > 0.0 && spread[0] > 1e-9 * observations;
        is_known.then(|| spread.map(|sum| sum / expected * scale))
    }

    /// The variance of a sum of strengths with these factors; `None` if it is not known.
    fn variance(&self, factors: &[(usize, f64)]) -> Option<f64> {
        let [dispersion, _] = self.dispersion?;
        let own = || factors.iter().filter_map(|&(player, f)| Some((self.rows[player]?, f)));
        let sum: f64 = own()
            .flat_map(|(row, f)| own().map(move |(other, g)| (row, other, f * g)))
            .map(|(row, other, factor)| factor * self.covariance.get(row, other))
            .sum();
        Some(dispersion * sum.max(0.0))
    }

    /// The ratings of a group.
    fn ratings(&self, members: &[usize], anchor: Option<(usize, f64)>) -> Vec<(usize, Estimate)> {
        let share = 1.0 / members.len() as f64;
        let (base, elo, weights): (f64, f64, Vec<(usize, f64)>) = match anchor {
            Some((player, elo)) => (self.strength[player], elo, vec![(player, 1.0)]),
            None => {
                let sum: f64 = members.iter().map(|&player| self.strength[player]).sum();
                (sum * share, 0.0, members.iter().map(|&player| (player, share)).collect())
            }
        };
        // The covariance of each player with the reference of the ratings.
        let with_base = |player: usize| -> f64 {
            let Some(row) = self.rows[player] else { return 0.0 };
            let own = weights.iter().filter_map(|&(other, f)| Some((self.rows[other]?, f)));
            own.map(|(other, f)| f * self.covariance.get(row, other)).sum()
        };
        let of_base: f64 = weights.iter().map(|&(player, f)| f * with_base(player)).sum();
        let rating = |&player: &usize| {
            let value = elo + SCALE * (self.strength[player] - base);
            let own = self.rows[player].map_or(0.0, |row| self.covariance.get(row, row));
            let variance = (own + of_base - 2.0 * with_base(player)).max(0.0);
            let error = match self.dispersion {
                Some([dispersion, _]) => Z95 * SCALE * (dispersion * variance).sqrt(),
                None => f64::INFINITY,
            };
            // Adding zero turns -0 into 0.
            (player, Estimate { value: value + 0.0, low: value - error, high: value + error })
        };
        members.iter().map(rating).collect()
    }

    /// The advantage of the first move.
    fn first_move(&self) -> Estimate {
        let value = SCALE * self.advantage;
        let players = self.rows.iter().flatten().count();
        let is_estimated = self.covariance.size() > players;
        let error = match self.dispersion {
            _ if !is_estimated => 0.0,
            Some([_, dispersion]) => {
                Z95 * SCALE * (dispersion * self.covariance.get(players, players)).sqrt()
            }
            None => f64::INFINITY,
        };
        Estimate { value: value + 0.0, low: value - error, high: value + error }
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// `ln(1 + exp(x))` without an overflow.
fn ln_1p_exp(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use movegen::notation::pdn::PdnReader;
    use movegen::random::Random;
    use movegen::{Position, Wld};
    use proptest::prelude::*;

    use super::*;
    use crate::runner::stats::Pentanomial;

    const TWO_MATCHES: &str = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../positions/ratings/two-matches.pdn"
    ));

    fn two_matches() -> RatingGames {
        let mut games = RatingGames::new();
        for game in PdnReader::new(TWO_MATCHES.as_bytes()) {
            let game = game.unwrap();
            let tag = |name| game.tags.get(name).unwrap();
            assert!(games.add_result(tag("White"), tag("Black"), game.result, &game.start));
        }
        games
    }

    /// Adds this many games of each result for White, from the initial position.
    fn add(games: &mut RatingGames, white: &str, black: &str, counts: [u64; 3]) {
        for (result, count) in [Wld::Win, Wld::Draw, Wld::Loss].into_iter().zip(counts) {
            for _ in 0..count {
                games.add(white, black, result, &Position::initial());
            }
        }
    }

    fn values(list: &RatingList) -> Vec<(&str, f64)> {
        let value = |player: &RatedPlayer| player.elo.map_or(f64::NAN, |elo| elo.value);
        list.players.iter().map(|player| (player.name.as_str(), value(player))).collect()
    }

    #[track_caller]
    fn assert_values(list: &RatingList, published: &[(&str, f64)]) {
        let found = values(list);
        assert_eq!(found.len(), published.len());
        for ((name, value), (expected_name, expected)) in found.into_iter().zip(published) {
            assert_eq!(name, *expected_name);
            assert!((value - expected).abs() < 0.05, "{name}: {value} instead of {expected}");
        }
    }

    /// The figures of Ordo 1.2.6 (<https://github.com/michiguel/Ordo>, commit 17eec774) for the same games
    /// as PGN: `ordo -p two-matches.pgn -a 0 -W -z 200.24094 -N 3`. Its ratings put the expected score of
    /// 76 % at a difference of 202 unless `-z` names the one of the usual scale.
    #[test]
    fn ratings_are_those_of_ordo() {
        let list = RatingList::new(&two_matches(), FirstMove::Estimated, None).unwrap();
        assert_values(
            &list,
            &[
                ("seven", 567.962),
                ("six", 426.529),
                ("five", 318.047),
                ("four", 166.866),
                ("three", -335.340),
                ("two", -455.028),
                ("one", -689.036),
            ],
        );
        let first_move = list.first_move.unwrap();
        assert!((first_move.value + 20.52).abs() < 0.05, "{first_move:?}");
        assert_eq!((list.groups, list.connected), (1, 1));
    }

    /// As above, with `-A five -a 2500 -w 0` for `-a 0 -W`.
    #[test]
    fn ratings_with_an_anchor_are_those_of_ordo() {
        let anchor = Some(("five", 2500.0));
        let list = RatingList::new(&two_matches(), FirstMove::Fixed(0.0), anchor).unwrap();
        assert_values(
            &list,
            &[
                ("seven", 2749.134),
                ("six", 2608.141),
                ("five", 2500.0),
                ("four", 2349.265),
                ("three", 1847.866),
                ("two", 1728.507),
                ("one", 1495.140),
            ],
        );
        assert_eq!(list.players[2].elo.unwrap().error(), 0.0);
    }

    /// The errors and the confidence in superiority of Ordo come from simulations, with its own
    /// share of draws: `-s 4000 -W -D -J` gives errors from 133 to 202 and these likelihoods for
    /// neighbours.
    #[test]
    fn intervals_are_near_those_of_simulations() {
        let list = RatingList::new(&two_matches(), FirstMove::Estimated, None).unwrap();
        let errors = [193.2, 178.0, 133.4, 144.3, 155.5, 168.0, 201.6];
        for (player, simulated) in list.players.iter().zip(errors) {
            let error = player.elo.unwrap().error();
            assert!((error / simulated - 1.0).abs() < 0.1, "{}: {error}", player.name);
        }
        for (place, simulated) in [95, 91, 94, 100, 93, 99].into_iter().enumerate() {
            let likelihood = list.superiority(place, place + 1).unwrap();
            assert!(
                (100.0 * likelihood - f64::from(simulated)).abs() < 2.0,
                "{place}: {likelihood}"
            );
            assert!((likelihood + list.superiority(place + 1, place).unwrap() - 1.0).abs() < 1e-9);
        }
        assert_eq!(list.superiority(6, 7), None);
        assert_eq!(list.superiority(3, 3), None);
    }

    /// For two players the result is the Elo of a match, with the interval from pairs.
    #[test]
    fn two_players_have_the_elo_of_their_match() {
        let initial = Position::initial();
        let start = initial.after(initial.legal_moves()[0]);
        let mut games = RatingGames::new();
        let mut pairs = Pentanomial::default();
        let pair_counts =
            [(Wld::Win, Wld::Loss, 40), (Wld::Win, Wld::Draw, 30), (Wld::Draw, Wld::Win, 90)];
        for (first, second, count) in pair_counts {
            for _ in 0..count {
                games.add("a", "b", first, &start);
                games.add("b", "a", second, &start);
                pairs.add(first, second.opponent());
            }
        }
        let list = RatingList::new(&games, FirstMove::Fixed(0.0), Some(("b", 0.0))).unwrap();
        let (elo, match_elo) = (list.players[0].elo.unwrap(), pairs.rating().unwrap().elo.unwrap());
        assert_eq!(list.players[0].name, "a");
        assert!((elo.value - match_elo.value).abs() < 1e-6, "{elo:?} {match_elo:?}");
        assert!((elo.error() / match_elo.error() - 1.0).abs() < 0.02, "{elo:?} {match_elo:?}");
        // From the initial position games are not paired: the draws narrow the interval less.
        let mut single = RatingGames::new();
        add(&mut single, "a", "b", [70, 90, 0]);
        add(&mut single, "b", "a", [90, 30, 40]);
        let single = RatingList::new(&single, FirstMove::Fixed(0.0), Some(("b", 0.0))).unwrap();
        let alone = single.players[0].elo.unwrap();
        assert!((alone.value - elo.value).abs() < 1e-6);
        assert!((alone.error() / elo.error() - 1.0).abs() > 0.1, "{alone:?} {elo:?}");
    }

    #[test]
    fn what_cannot_be_rated_is_said() {
        let mut games = RatingGames::new();
        add(&mut games, "a", "b", [3, 1, 2]);
        add(&mut games, "top", "a", [2, 0, 0]);
        add(&mut games, "b", "top", [0, 0, 1]);
        add(&mut games, "a", "low", [2, 0, 0]);
        add(&mut games, "low", "lowest", [2, 0, 0]);
        let list = RatingList::new(&games, FirstMove::Fixed(0.0), None).unwrap();
        let names: Vec<_> = list.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "top", "low", "lowest"]);
        assert_eq!((list.groups, list.connected), (1, 1));
        let elo: Vec<_> = list.players.iter().map(|p| p.elo.map(|elo| elo.value)).collect();
        assert_eq!(elo[2..], [Some(f64::INFINITY), None, Some(f64::NEG_INFINITY)]);
        assert_eq!(list.superiority(0, 2), None);
        // The games against the player who won all change nothing for the others.
        let mut without = RatingGames::new();
        add(&mut without, "a", "b", [3, 1, 2]);
        let without = RatingList::new(&without, FirstMove::Fixed(0.0), None).unwrap();
        assert_eq!(values(&without)[..2], values(&list)[..2]);
        // Two groups, one of which has the anchor.
        let mut apart = games.clone();
        add(&mut apart, "x", "y", [1, 5, 1]);
        add(&mut apart, "y", "z", [1, 5, 2]);
        let list = RatingList::new(&apart, FirstMove::Fixed(0.0), Some(("a", 100.0))).unwrap();
        assert_eq!((list.groups, list.connected), (2, 2));
        assert_eq!(list.players[0].name, "a");
        assert_eq!(list.players[0].elo.unwrap().value, 100.0);
        let second: f64 = values(&list)[2..5].iter().map(|(_, value)| value).sum();
        assert!(second.abs() < 1e-9 && list.players[2].group == Some(1), "{list:?}");
        assert_eq!(list.superiority(0, 3), None);
        assert!(RatingList::new(&RatingGames::new(), FirstMove::Estimated, None).is_none());
    }

    #[test]
    fn an_advantage_that_the_games_do_not_say_is_none() {
        let estimated = |games: &RatingGames| RatingList::new(games, FirstMove::Estimated, None);
        // Always the same colours.
        let mut games = RatingGames::new();
        add(&mut games, "a", "b", [3, 1, 2]);
        let list = estimated(&games).unwrap();
        assert!(list.first_move.is_none() && values(&list)[0].1 > 0.0, "{list:?}");
        // White won all.
        let mut games = RatingGames::new();
        add(&mut games, "a", "b", [3, 0, 0]);
        add(&mut games, "b", "a", [3, 0, 0]);
        let list = estimated(&games).unwrap();
        assert!(list.first_move.is_none() && values(&list)[0].1.abs() < 1e-6, "{list:?}");
        // Only draws: the players are equal, with unknown error.
        let mut games = RatingGames::new();
        add(&mut games, "a", "b", [0, 3, 0]);
        add(&mut games, "b", "a", [0, 3, 0]);
        let list = estimated(&games).unwrap();
        assert!(list.players[0].elo.unwrap().error().is_infinite(), "{list:?}");
        assert_eq!(list.superiority(0, 1), None);
    }

    #[test]
    fn players_with_few_games_can_be_left_out() {
        let mut games = RatingGames::new();
        add(&mut games, "a", "b", [2, 2, 2]);
        add(&mut games, "c", "b", [1, 1, 2]);
        add(&mut games, "d", "c", [1, 0, 0]);
        let left = games.clone().with_at_least(5);
        // d goes; then c has only four games.
        assert_eq!((left.names.clone(), left.games()), (vec!["a".to_owned(), "b".to_owned()], 6));
        assert_eq!(games.clone().with_at_least(1).games(), games.games());
        assert_eq!(games.with_at_least(100).players(), 0);
    }

    /// A league with known strengths, share of draws and advantage: the intervals hold the truth in
    /// 95 of 100 cases.
    #[test]
    fn intervals_hold_the_truth_as_often_as_they_promise() {
        let mut random = Random::new(7);
        let mut unit = move || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let truth = [0.0, 40.0, 90.0, 100.0, 200.0];
        let (mut held, mut held_advantage, mut all) = (0, 0, 0);
        const LEAGUES: usize = 400;
        for _ in 0..LEAGUES {
            let mut games = RatingGames::new();
            for white in 0..truth.len() {
                for black in (0..truth.len()).filter(|&black| black != white) {
                    for _ in 0..12 {
                        let p = logistic((truth[white] - truth[black] + 25.0) / SCALE);
                        let draws = 0.6 * (2.0 * p.min(1.0 - p));
                        let x = unit();
                        let result = if x < draws {
                            Wld::Draw
                        } else if x < draws + p - draws / 2.0 {
                            Wld::Win
                        } else {
                            Wld::Loss
                        };
                        let (white, black) = (white.to_string(), black.to_string());
                        games.add(&white, &black, result, &Position::initial());
                    }
                }
            }
            let list = RatingList::new(&games, FirstMove::Estimated, Some(("0", 0.0))).unwrap();
            for player in &list.players {
                let elo = player.elo.unwrap();
                let true_elo = truth[player.name.parse::<usize>().unwrap()];
                if player.name != "0" {
                    held += usize::from(elo.low <= true_elo && true_elo <= elo.high);
                    all += 1;
                }
            }
            let first_move = list.first_move.unwrap();
            held_advantage += usize::from(first_move.low <= 25.0 && 25.0 <= first_move.high);
        }
        let share = |held: usize, all: usize| held as f64 / all as f64;
        assert!((0.92..0.98).contains(&share(held, all)), "{}", share(held, all));
        let advantage = share(held_advantage, LEAGUES);
        assert!((0.92..0.98).contains(&advantage), "{advantage}");
    }

    proptest! {
        /// At the maximum each player has the expected points, and so has White; the order of the
        /// games changes nothing.
        #[test]
        fn points_are_the_expected_ones(
            meetings in prop::collection::vec((0_usize..6, 0_usize..6, 0_u8..3), 1..120),
        ) {
            let mut games = RatingGames::new();
            let names: Vec<String> = (0..6).map(|number| number.to_string()).collect();
            let played: Vec<_> = meetings.into_iter().filter(|(white, black, _)| white != black).collect();
            for &(white, black, rank) in &played {
                let result = Wld::from_rank(rank).unwrap();
                games.add(&names[white], &names[black], result, &Position::initial());
            }
            let Some(list) = RatingList::new(&games, FirstMove::Estimated, None) else {
                prop_assert!(played.is_empty());
                return Ok(());
            };
            let place = |name: &str| list.players.iter().find(|player| player.name == name);
            let advantage = list.first_move.map_or(0.0, |elo| elo.value);
            let mut rest = vec![0.0; 6];
            let mut of_white = 0.0;
            for &(white, black, rank) in &played {
                let [one, other] = [white, black].map(|player| place(&names[player]).unwrap());
                if one.group.is_none() || one.group != other.group {
                    continue;
                }
                let elo = one.elo.unwrap().value - other.elo.unwrap().value + advantage;
                let difference = f64::from(rank) / 2.0 - logistic(elo / SCALE);
                rest[white] += difference;
                rest[black] -= difference;
                of_white += difference;
            }
            prop_assert!(rest.iter().all(|rest| rest.abs() < 1e-5), "{:?}", rest);
            prop_assert!(list.first_move.is_none() || of_white.abs() < 1e-5, "{}", of_white);
            let mut turned = RatingGames::new();
            for &(white, black, rank) in played.iter().rev() {
                let result = Wld::from_rank(rank).unwrap();
                turned.add(&names[white], &names[black], result, &Position::initial());
            }
            let turned = RatingList::new(&turned, FirstMove::Estimated, None).unwrap();
            for player in turned.players {
                let same = place(&player.name).unwrap();
                let close = match (player.elo, same.elo) {
                    (Some(one), Some(other)) => {
                        one.value == other.value || (one.value - other.value).abs() < 1e-4
                    }
                    (one, other) => one.is_none() && other.is_none(),
                };
                prop_assert!(close, "{:?} {:?}", player, same);
            }
        }
    }
}
