//! The rounds of a tournament, each paired when the one before is over.
//!
//! Round-robins follow the Berger tables (FIDE Handbook C.05, annex 1), Swiss tournaments the Dutch system
//! (`swiss`). A knock-out is drawn by the order of the engines, so that the first two can only meet
//! in the final.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use movegen::Color;

use crate::runner::config::{Contest, Format, TournamentConfig};
use crate::runner::game::match_game::MatchGame;
use crate::runner::openings::order::OpeningOrder;
use crate::runner::stats::results::MatchResults;
use crate::runner::tournament::schedule::{Pairing, Round};
use crate::runner::tournament::swiss::{self, Contestant, Float};

/// The pairs of engines that meet, White of the first game first, and the free engines.
type Drawn = (Vec<(usize, usize)>, Vec<usize>);

/// The next round; `None` after the last one, and for a match.
pub(in crate::runner) fn next_round(config: &Contest, results: &MatchResults) -> Option<Round> {
    let rules = config.tournament()?;
    let number = results.next_round();
    let count = config.engines.len();
    let gone = results.withdrawn(number);
    let (meetings, free) = match rules.format {
        Format::RoundRobin => round_robin(count, number)?,
        Format::Gauntlet => gauntlet(count, number, rules)?,
        Format::Swiss => swiss_round(results, count, number, rules)?,
        Format::KnockOut => return KnockOut::of(config, results).next,
    };
    let (playing, off): (Vec<_>, Vec<_>) =
        meetings.into_iter().partition(|(a, b)| !gone.contains(a) && !gone.contains(b));
    let mut free: Vec<usize> =
        free.into_iter().chain(off.into_iter().flat_map(|(a, b)| [a, b])).collect();
    free.retain(|engine| !gone.contains(engine));
    free.sort_unstable();
    Some(round(config, results, number, &playing, free))
}

/// A round of these meetings, all from the same opening.
fn round(
    config: &Contest,
    results: &MatchResults,
    number: usize,
    meetings: &[(usize, usize)],
    free: Vec<usize>,
) -> Round {
    let (opening, variation) = OpeningOrder::new(config).at(results.rounds().len());
    let before: usize = results.rounds().iter().map(|round| round.meetings().count()).sum();
    let both = config.tournament().is_some_and(|rules| rules.games == 2);
    let mut games = Vec::new();
    for (place, &(white, black)) in meetings.iter().enumerate() {
        let pair = before + place;
        let game = Pairing { white, black, pair, opening, variation, round: number };
        games.push(game);
        games.extend(both.then_some(Pairing { white: black, black: white, ..game }));
    }
    Round { round: number, games, free }
}

/// The Berger tables. With an odd number, the opponent of the missing last engine is free.
fn round_robin(count: usize, number: usize) -> Option<Drawn> {
    let even = count + count % 2;
    let (turning, half) = (even - 1, even / 2);
    if number > turning {
        return None;
    }
    let place = |first: usize| (first + (number - 1) * half) % turning;
    let last = even - 1;
    let top = if number.is_multiple_of(2) { (last, place(0)) } else { (place(0), last) };
    let others = (1..half).map(|i| (place(i), place(turning - i)));
    let all: Vec<(usize, usize)> = [top].into_iter().chain(others).collect();
    let (free, meetings): (Vec<_>, Vec<_>) = all.into_iter().partition(|&(a, b)| a.max(b) >= count);
    Some((meetings, free.into_iter().map(|(a, b)| a.min(b)).collect()))
}

/// The first engine against each other, with alternating colours.
fn gauntlet(count: usize, number: usize, rules: &TournamentConfig) -> Option<Drawn> {
    let meeting = |other: usize| {
        if (other + number).is_multiple_of(2) { (0, other) } else { (other, 0) }
    };
    (number <= rules.count()).then(|| ((1..count).map(meeting).collect(), Vec::new()))
}

fn swiss_round(
    results: &MatchResults,
    count: usize,
    number: usize,
    rules: &TournamentConfig,
) -> Option<Drawn> {
    if number > rules.count() {
        return None;
    }
    let gone = results.withdrawn(number);
    let mut players = contestants(results, count, rules);
    players.retain(|player| !gone.contains(&player.number));
    // The most that a player can have now is twice that.
    let half = (number == rules.count()).then_some(((number - 1) * rules.games) as u32);
    let paired = swiss::pair(&players, half)?;
    Some((paired.pairs, paired.bye.into_iter().collect()))
}

/// The half points of each engine in these games.
fn half_points<'a>(games: impl Iterator<Item = &'a MatchGame>, count: usize) -> Vec<u32> {
    let mut points = vec![0; count];
    for game in games {
        for side in Color::ALL {
            let outcome = game.result().for_side(side);
            points[game.pairing.engines()[side.index()]] +=
                outcome.map_or(0, |outcome| u32::from(outcome.rank()));
        }
    }
    points
}

/// The engines after the rounds so far.
fn contestants(results: &MatchResults, count: usize, rules: &TournamentConfig) -> Vec<Contestant> {
    let by_number: HashMap<usize, &MatchGame> =
        results.games().iter().map(|game| (game.game, game)).collect();
    let mut players: Vec<Contestant> =
        (0..count).map(|number| Contestant { number, ..Contestant::default() }).collect();
    let mut first = 0;
    for round in results.rounds() {
        let games = (first..first + round.games.len()).filter_map(|n| by_number.get(&n).copied());
        let gains = half_points(games, count);
        first += round.games.len();
        let before: Vec<u32> = players.iter().map(|player| player.points).collect();
        let mut floats = vec![Float::No; count];
        let mut at = first - round.games.len();
        let mut has_played = vec![false; count];
        for meeting in round.meetings() {
            let Some(&Pairing { white, black, .. }) = meeting.first() else { continue };
            // Annulled games were not played: they give neither opponents nor colours.
            let numbers = at..at + meeting.len();
            at += meeting.len();
            let is_annulled =
                |number: usize| by_number.get(&number).is_some_and(|game| game.is_annulled());
            let played: Vec<&Pairing> = numbers
                .zip(meeting)
                .filter(|(number, _)| !is_annulled(*number))
                .map(|(_, pairing)| pairing)
                .collect();
            if played.is_empty() {
                continue;
            }
            for (one, other) in [(white, black), (black, white)] {
                has_played[one] = true;
                players[one].opponents.push(other);
                let color = |game: &Pairing| game.color_of(one);
                players[one].colors.extend(played.iter().copied().filter_map(color));
                floats[one] = match before[one].cmp(&before[other]) {
                    Ordering::Less => Float::Up,
                    Ordering::Equal => Float::No,
                    Ordering::Greater => Float::Down,
                };
            }
        }
        for &engine in &round.free {
            players[engine].had_bye = true;
            players[engine].points += 2 * rules.games as u32;
            floats[engine] = Float::Down;
        }
        for (player, gain) in players.iter_mut().zip(gains) {
            player.points += gain;
            player.floats.push(floats[player.number]);
            player.unplayed += usize::from(!has_played[player.number]);
        }
    }
    players
}

/// The course of a knock-out: the one answer to who advances, for pairings and places alike.
#[derive(Debug)]
pub(in crate::runner) struct KnockOut {
    /// For each engine a number that is the greater the further it has come.
    pub reached: Vec<usize>,
    /// The engines that are not out.
    pub left: Vec<usize>,
    /// How many of them will be left when the last round that is paired is over.
    survivors: usize,
    /// The next round, or the deciding games of the last one.
    next: Option<Round>,
}

/// From one round to the next: between them an engine may withdraw, be undecided or be sure to advance.
const STEPS: usize = 4;

impl KnockOut {
    pub(in crate::runner) fn of(config: &Contest, results: &MatchResults) -> KnockOut {
        let (count, rules) = (config.engines.len(), config.tournament());
        let played: HashSet<usize> = results.games().iter().map(|game| game.game).collect();
        let schedule = results.schedule(config);
        let is_open = |number: usize, two: [usize; 2]| {
            (schedule.iter().enumerate()).any(|(game, pairing)| {
                let engines = pairing.engines();
                pairing.round == number
                    && two.iter().all(|engine| engines.contains(engine))
                    && !played.contains(&game)
            })
        };
        let mut places = bracket(count);
        let mut reached = vec![0; count];
        let mut number = 0;
        loop {
            number += 1;
            let gone = results.withdrawn(number);
            for place in &mut places {
                let Some(engine) = *place else { continue };
                reached[engine] = STEPS * number;
                if gone.contains(&engine) {
                    // Further than those who have lost the round before.
                    reached[engine] -= 1;
                    *place = None;
                }
            }
            let mut left: Vec<usize> = places.iter().copied().flatten().collect();
            let met: Vec<(Option<usize>, Option<usize>)> =
                places.chunks(2).map(|two| (two[0], two.get(1).copied().flatten())).collect();
            let stages = results.rounds().iter().filter(|round| round.round == number).count();
            if stages == 0 {
                let next = first_stage(config, results, number, &met);
                return KnockOut { reached, survivors: left.len(), left, next };
            }
            let is_last = results.next_round() == number + 1;
            let later = players(results, number + 1);
            let is_decided = stages > rules.map_or(0, |rules| rules.deciding);
            let (mut next, mut tied, mut is_being_played) = (Vec::new(), Vec::new(), false);
            for (a, b) in met {
                let (Some(a), Some(b)) = (a, b) else {
                    a.or(b).iter().for_each(|&engine| reached[engine] += 2);
                    next.push(a.or(b));
                    continue;
                };
                let (winner, is_tied) = goes_on(results, number, [a, b], count);
                let loser = if winner == a { b } else { a };
                let is_tied = is_tied && !is_decided;
                let is_unfinished = is_last && is_open(number, [a, b]);
                is_being_played |= is_unfinished;
                if is_last && is_tied {
                    tied.push(if stages.is_multiple_of(2) { (a, b) } else { (b, a) });
                    [a, b].iter().for_each(|&engine| reached[engine] += 1);
                } else {
                    reached[winner] += 2;
                    reached[loser] += usize::from(is_unfinished);
                    left.retain(|engine| is_unfinished || *engine != loser);
                }
                // A round that is paired has those who advanced.
                next.push(Some(if later.contains(&loser) { loser } else { winner }));
            }
            if is_being_played || !tied.is_empty() {
                let survivors = next.iter().flatten().count();
                let next =
                    (!is_being_played).then(|| round(config, results, number, &tied, Vec::new()));
                return KnockOut { reached, left, survivors, next };
            }
            places = next;
        }
    }
}

/// The first games of a round of a knock-out; `None` if nobody is left to be met.
fn first_stage(
    config: &Contest,
    results: &MatchResults,
    number: usize,
    met: &[(Option<usize>, Option<usize>)],
) -> Option<Round> {
    let (mut meetings, mut free) = (Vec::new(), Vec::new());
    for (place, &two) in met.iter().enumerate() {
        match two {
            (Some(a), Some(b)) if (place + number).is_multiple_of(2) => meetings.push((b, a)),
            (Some(a), Some(b)) => meetings.push((a, b)),
            (one, other) => free.extend(one.or(other)),
        }
    }
    let is_over = meetings.is_empty() && free.len() <= 1;
    (!is_over).then(|| round(config, results, number, &meetings, free))
}

/// Who of the two advances after this round of a knock-out, by its games and deciding games so far; and
/// whether only the order in the configuration says so.
fn goes_on(
    results: &MatchResults,
    number: usize,
    [a, b]: [usize; 2],
    count: usize,
) -> (usize, bool) {
    let points = points_of_round(results, number, count);
    let gone = results.withdrawn(number + 1);
    match points[a].cmp(&points[b]) {
        Ordering::Greater => (a, false),
        Ordering::Less => (b, false),
        Ordering::Equal if gone.contains(&a) => (b, false),
        Ordering::Equal if gone.contains(&b) => (a, false),
        Ordering::Equal => (a.min(b), true),
    }
}

/// Who advances after a meeting of a knock-out.
pub(super) fn winner(config: &Contest, results: &MatchResults, meeting: Pairing) -> usize {
    goes_on(results, meeting.round, meeting.engines(), config.engines.len()).0
}

/// The engines of a round, free ones too.
fn players(results: &MatchResults, number: usize) -> Vec<usize> {
    let rounds = results.rounds().iter().filter(|round| round.round == number);
    rounds
        .flat_map(|it| it.games.iter().flat_map(Pairing::engines).chain(it.free.clone()))
        .collect()
}

/// The number of games of all rounds, as far as it is known. In a knock-out each further meeting
/// removes one player.
#[must_use]
pub fn game_count(config: &Contest, results: &MatchResults) -> usize {
    let known = results.schedule(config).len();
    match config.tournament() {
        Some(rules) if rules.format == Format::KnockOut => {
            known + KnockOut::of(config, results).survivors.saturating_sub(1) * rules.games
        }
        _ => known.max(config.game_count()),
    }
}

/// The half points of each engine in a round with its deciding games.
fn points_of_round(results: &MatchResults, number: usize, count: usize) -> Vec<u32> {
    let games = results.games().iter().filter(|game| game.pairing.round == number);
    half_points(games, count)
}

/// The places of a knock-out: neighbours meet, and the first two can only do so in the final.
/// Against an empty place an engine is free.
fn bracket(count: usize) -> Vec<Option<usize>> {
    let mut places = vec![0];
    while places.len() < count {
        let size = 2 * places.len();
        places = places.into_iter().flat_map(|place| [place, size - 1 - place]).collect();
    }
    places.into_iter().map(|place| (place < count).then_some(place)).collect()
}

#[cfg(test)]
mod tests {
    use movegen::notation::pdn::GameResult;
    use movegen::random::Random;
    use proptest::prelude::*;

    use super::*;
    use crate::runner::game::termination::Termination;
    use crate::runner::tournament::acts::{Act, ActError};
    use crate::runner::tournament::decision::decide;
    use crate::runner::tournament::schedule::tests::config;
    use meerslag_study::record::GameRecord;

    fn tournament(engines: usize, format: Format, count: usize, games: usize) -> Contest {
        let conditions = (*config(engines, 0, 1)).clone();
        let rounds = Some(count);
        Contest::Tournament(TournamentConfig {
            conditions,
            format,
            rounds,
            games,
            deciding: 2,
            break_seconds: 0,
        })
    }

    /// Gives results to all games of a round.
    fn play(
        results: &mut MatchResults,
        round: Round,
        mut result: impl FnMut(&Pairing) -> GameResult,
    ) {
        let first: usize = results.rounds().iter().map(|round| round.games.len()).sum();
        for (place, pairing) in round.games.iter().enumerate() {
            let record = GameRecord {
                result: result(pairing),
                ..GameRecord::new(movegen::Position::initial())
            };
            results.add(MatchGame::new(first + place, *pairing, record, Termination::NoMove));
        }
        results.add_round(round);
    }

    fn pairs(round: &Round) -> Vec<(usize, usize)> {
        round.games.iter().map(|game| (game.white + 1, game.black + 1)).collect()
    }

    /// The tables of the FIDE Handbook, C.05, annex 1.
    #[test]
    fn round_robins_follow_the_berger_tables() {
        let six: [&[(usize, usize)]; 5] = [
            &[(1, 6), (2, 5), (3, 4)],
            &[(6, 4), (5, 3), (1, 2)],
            &[(2, 6), (3, 1), (4, 5)],
            &[(6, 5), (1, 4), (2, 3)],
            &[(3, 6), (4, 2), (5, 1)],
        ];
        let eight: [&[(usize, usize)]; 7] = [
            &[(1, 8), (2, 7), (3, 6), (4, 5)],
            &[(8, 5), (6, 4), (7, 3), (1, 2)],
            &[(2, 8), (3, 1), (4, 7), (5, 6)],
            &[(8, 6), (7, 5), (1, 4), (2, 3)],
            &[(3, 8), (4, 2), (5, 1), (6, 7)],
            &[(8, 7), (1, 6), (2, 5), (3, 4)],
            &[(4, 8), (5, 3), (6, 2), (7, 1)],
        ];
        for (count, table) in [(6, &six[..]), (8, &eight[..])] {
            let config = tournament(count, Format::RoundRobin, 1, 1);
            let mut results = MatchResults::new(&config, Vec::new());
            for row in table {
                let round = next_round(&config, &results).unwrap();
                assert_eq!(pairs(&round), *row);
                play(&mut results, round, |_| GameResult::Draw);
            }
            assert!(next_round(&config, &results).is_none());
        }
    }

    #[test]
    fn with_an_odd_number_everybody_is_free_once_and_both_games_are_of_one_round() {
        let config = tournament(5, Format::RoundRobin, 1, 2);
        let mut results = MatchResults::new(&config, Vec::new());
        while let Some(round) = next_round(&config, &results) {
            assert_eq!((round.games.len(), round.free.len()), (4, 1));
            assert!(round.meetings().all(|two| two[0].white == two[1].black));
            play(&mut results, round, |_| GameResult::Draw);
        }
        let free: HashSet<usize> = results.rounds().iter().flat_map(|r| r.free.clone()).collect();
        assert_eq!((results.games().len(), free.len()), (20, 5));
    }

    #[test]
    fn a_gauntlet_is_the_first_against_all_with_both_colours() {
        let config = tournament(4, Format::Gauntlet, 2, 1);
        let mut results = MatchResults::new(&config, Vec::new());
        let first = next_round(&config, &results).unwrap();
        assert_eq!(pairs(&first), [(1, 2), (3, 1), (1, 4)]);
        play(&mut results, first, |_| GameResult::Draw);
        let second = next_round(&config, &results).unwrap();
        assert_eq!(pairs(&second), [(2, 1), (1, 3), (4, 1)]);
        play(&mut results, second, |_| GameResult::Draw);
        assert!(next_round(&config, &results).is_none());
    }

    #[test]
    fn a_knock_out_has_free_places_deciding_games_and_a_winner() {
        let config = tournament(5, Format::KnockOut, 1, 2);
        let mut results = MatchResults::new(&config, Vec::new());
        let first = next_round(&config, &results).unwrap();
        assert_eq!((pairs(&first), first.free.clone()), (vec![(5, 4), (4, 5)], vec![0, 1, 2]));
        play(&mut results, first, |_| GameResult::Draw);
        // Still undecided: once more; then the fifth wins.
        let again = next_round(&config, &results).unwrap();
        assert_eq!((again.round, again.games.len()), (1, 2));
        play(&mut results, again, |game| {
            if game.white == 4 { GameResult::WhiteWins } else { GameResult::Draw }
        });
        let second = next_round(&config, &results).unwrap();
        let met: HashSet<_> =
            second.games.iter().map(|g| (g.white.min(g.black), g.white.max(g.black))).collect();
        assert_eq!((second.round, met), (2, HashSet::from([(0, 4), (1, 2)])));
        play(&mut results, second, |game| {
            if game.white < game.black { GameResult::WhiteWins } else { GameResult::BlackWins }
        });
        // The final is drawn until the order decides.
        for _ in 0..3 {
            let round = next_round(&config, &results).unwrap();
            assert_eq!(round.round, 3);
            play(&mut results, round, |_| GameResult::Draw);
        }
        assert!(next_round(&config, &results).is_none());
        let places = crate::runner::stats::places::places(&config, &results);
        assert_eq!(places[0].number, 1);
    }

    /// The engines of the places.
    fn order(config: &Contest, results: &MatchResults) -> Vec<usize> {
        crate::runner::stats::places::places(config, results)
            .iter()
            .map(|it| it.number - 1)
            .collect()
    }

    /// Plays a round in which the engine that comes first in this order wins; without it all is drawn.
    fn play_on(config: &Contest, results: &mut MatchResults, strongest: Option<&[usize]>) {
        let round = next_round(config, results).unwrap();
        play(results, round, |game| {
            let Some(order) = strongest else { return GameResult::Draw };
            let rank = |engine| order.iter().position(|it| *it == engine);
            if rank(game.white) < rank(game.black) {
                GameResult::WhiteWins
            } else {
                GameResult::BlackWins
            }
        });
    }

    /// The same with this many deciding games.
    fn deciding(config: &Contest, deciding: usize) -> Contest {
        let tournament = config.tournament().unwrap().clone();
        Contest::Tournament(TournamentConfig { deciding, ..tournament })
    }

    fn knock_out(engines: usize) -> (Contest, MatchResults) {
        let config = deciding(&tournament(engines, Format::KnockOut, 1, 1), 0);
        let results = MatchResults::new(&config, Vec::new());
        (config, results)
    }

    #[test]
    fn the_winner_of_a_drawn_final_is_the_first_of_the_file() {
        let (config, mut results) = knock_out(3);
        assert_eq!(game_count(&config, &results), 2);
        for _ in 0..2 {
            play_on(&config, &mut results, None);
        }
        assert!(next_round(&config, &results).is_none());
        // The second has two draws, the first, who was free, one.
        assert_eq!(order(&config, &results), [0, 1, 2]);
        let record = crate::runner::report::TournamentRecord::new(&config, &results);
        let record = serde_json::to_value(record).unwrap();
        assert_eq!(record["places"][0]["number"], 1, "{record}");
    }

    #[test]
    fn who_has_withdrawn_does_not_win_a_knock_out() {
        let (config, mut results) = knock_out(4);
        play_on(&config, &mut results, Some(&[0, 1, 2, 3]));
        for (gone, left) in [(0, 1), (1, 0)] {
            let mut results = results.clone();
            results.decide(&config, Act::Withdraw { engine: gone, from: 0 }).unwrap();
            assert!(next_round(&config, &results).is_none());
            let order = order(&config, &results);
            assert_eq!(order[..2], [left, gone]);
            assert_eq!(game_count(&config, &results), 2);
        }
        // Also in and after the final, and if nobody is left.
        play_on(&config, &mut results, Some(&[0, 1]));
        assert_eq!(order(&config, &results)[..2], [0, 1]);
        results.decide(&config, Act::Withdraw { engine: 0, from: 0 }).unwrap();
        assert_eq!(order(&config, &results)[..2], [1, 0]);
        results.decide(&config, Act::Withdraw { engine: 1, from: 0 }).unwrap();
        assert!(order(&config, &results)[0] > 1);
    }

    #[test]
    fn of_two_who_are_tied_the_one_that_stays_goes_on() {
        let config = deciding(&knock_out(4).0, 3);
        let mut results = MatchResults::new(&config, Vec::new());
        play_on(&config, &mut results, None);
        assert_eq!(next_round(&config, &results).unwrap().games.len(), 2);
        results.decide(&config, Act::Withdraw { engine: 0, from: 0 }).unwrap();
        let again = next_round(&config, &results).unwrap();
        assert_eq!((again.round, pairs(&again)), (1, vec![(3, 2)]), "{again:?}");
        assert_eq!(game_count(&config, &results), 3);
        play_on(&config, &mut results, Some(&[1, 2]));
        assert_eq!(game_count(&config, &results), 4);
        let last = next_round(&config, &results).unwrap();
        assert_eq!((last.round, pairs(&last)), (2, vec![(2, 4)]));
    }

    #[test]
    fn a_round_that_is_paired_settles_who_has_gone_on() {
        let (config, mut results) = knock_out(4);
        play_on(&config, &mut results, Some(&[0, 1, 2, 3]));
        let score = |game, points| Act::Score { game, points };
        // Before the final.
        let mut early = results.clone();
        decide(&config, &mut early, score(0, (0, 2))).unwrap();
        let other = results.games()[0].pairing.black;
        assert!(next_round(&config, &early).unwrap().games[0].color_of(other).is_some());
        // With the final.
        play_on(&config, &mut results, Some(&[0, 1, 2, 3]));
        let before = order(&config, &results);
        for act in [score(0, (0, 2)), score(0, (0, 0)), Act::Replay(0)] {
            let refused = decide(&config, &mut results, act);
            let is_later = |error| matches!(error, ActError::LaterRound { game: 1, round: 2 });
            // Both lose: the first of the file would advance.
            assert_eq!(refused.is_err_and(is_later), act != score(0, (0, 0)), "{act:?}");
        }
        assert_eq!(order(&config, &results), before);
        decide(&config, &mut results, Act::Annul(1)).unwrap();
        decide(&config, &mut results, score(2, (0, 2))).unwrap();
        assert_eq!(order(&config, &results)[0], results.games()[2].pairing.black);
    }

    #[test]
    fn in_an_open_round_those_who_have_gone_on_come_first() {
        let (config, mut results) = knock_out(6);
        let mut round = next_round(&config, &results).unwrap();
        assert_eq!((pairs(&round), round.free.clone()), (vec![(5, 4), (6, 3)], vec![0, 1]));
        let open = round.games.pop().unwrap();
        play(&mut results, round.clone(), |_| GameResult::WhiteWins);
        results.add_round(Round { games: vec![open], free: Vec::new(), ..round });
        assert_eq!(order(&config, &results), [4, 0, 1, 2, 5, 3]);
        assert_eq!(KnockOut::of(&config, &results).left, [0, 4, 1, 2, 5]);
        assert_eq!(game_count(&config, &results), 5);
    }

    #[test]
    fn who_withdraws_is_not_paired_any_more() {
        let config = tournament(6, Format::Swiss, 4, 1);
        let mut results = MatchResults::new(&config, Vec::new());
        let first = next_round(&config, &results).unwrap();
        play(&mut results, first.clone(), |_| GameResult::Draw);
        let from = results.next_round();
        results.decide(&config, Act::Withdraw { engine: 2, from }).unwrap();
        assert!(results.decide(&config, Act::Withdraw { engine: 2, from }).is_err());
        let second = next_round(&config, &results).unwrap();
        assert!(second.games.iter().all(|game| game.color_of(2).is_none()));
        assert!(second.free.len() == 1 && second.free[0] != 2, "{second:?}");
        // A decision about a game changes the points, not the pairings made.
        results.decide(&config, Act::Score { game: 0, points: (2, 0) }).unwrap();
        assert_eq!(results.games()[0].result(), GameResult::WhiteWins);
        assert!(results.decide(&config, Act::Score { game: 0, points: (2, 1) }).is_err());
        results.decide(&config, Act::Annul(0)).unwrap();
        assert_eq!(results.games()[0].result(), GameResult::Unknown);
        // Two who met only in an annulled game have not met.
        let [white, black] = [first.games[0].white, first.games[0].black];
        let players = contestants(&results, 6, config.tournament().unwrap());
        assert!(players[white].opponents.is_empty() && players[white].colors.is_empty());
        assert_eq!((players[black].unplayed, players[first.games[1].white].unplayed), (1, 0));
        let places = crate::runner::stats::places::places(&config, &results);
        let place = places.iter().find(|place| place.number == white + 1).unwrap();
        assert_eq!((place.buchholz, place.rounds[0].ends_with('?')), (Some(0.0), true));
        results.decide(&config, Act::Replay(0)).unwrap();
        assert!(!results.is_played(0) && results.decide(&config, Act::Annul(0)).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// No two meet twice, nobody is free twice, colours differ by at most two and are the same
        /// at most twice in a row, while there are no more rounds than half the players.
        #[test]
        fn swiss_rounds_keep_the_rules(engines in 4_usize..17, seed: u64) {
            // The last round is not played: topscorers are an exception there.
            let rounds = engines / 2;
            let config = tournament(engines, Format::Swiss, rounds + 1, 1);
            let mut results = MatchResults::new(&config, Vec::new());
            let mut random = Random::new(seed);
            for _ in 0..rounds {
                let round = next_round(&config, &results).unwrap();
                play(&mut results, round, |_| {
                    [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins][random.below(3)]
                });
            }
            prop_assert_eq!(results.rounds().len(), rounds);
            let mut met = HashSet::new();
            let mut free = HashSet::new();
            for round in results.rounds() {
                let mut seen = HashSet::new();
                for game in &round.games {
                    prop_assert!(met.insert((game.white.min(game.black), game.white.max(game.black))));
                    prop_assert!(seen.insert(game.white) && seen.insert(game.black));
                }
                for &engine in &round.free {
                    prop_assert!(free.insert(engine) && seen.insert(engine));
                }
                prop_assert_eq!(seen.len(), engines);
            }
            for player in contestants(&results, engines, config.tournament().unwrap()) {
                let white = player.colors.iter().filter(|color| **color == Color::White).count();
                prop_assert!((2 * white).abs_diff(player.colors.len()) <= 2, "{:?}", player);
                let thrice = player.colors.windows(3).any(|c| c[0] == c[1] && c[1] == c[2]);
                prop_assert!(!thrice, "{:?}", player);
            }
        }
    }
}
