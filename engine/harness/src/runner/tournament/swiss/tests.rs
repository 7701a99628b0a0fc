use std::fs;
use std::path::Path;

use movegen::Color;
use movegen::random::Random;
use proptest::prelude::*;

use super::slow::Slow;
use super::*;

/// A line of a tournament report (TRF): points in half points, opponents from 1 with the colours.
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
    assert_eq!(numbers(&pair(&players, None).unwrap()), (expected, None));
    let odd = pair(&players[..5], None).unwrap();
    assert_eq!(numbers(&odd), (vec![(1, 3), (4, 2)], Some(5)));
}

/// Example `dutch_2025_C5` of bbpPairings: the free player has as few points as possible, which
/// matters more than the number of pairs in the top group.
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
    let (mut pairs, bye) = numbers(&pair(&players, None).unwrap());
    pairs.sort_unstable();
    assert_eq!((pairs, bye), (vec![(1, 5), (3, 2)], Some(6)));
}

/// Example `dutch_2025_C9` of bbpPairings: the free player has missed as few games as possible.
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
    let (pairs, bye) = numbers(&pair(&players, None).unwrap());
    assert_eq!((pairs, bye), (vec![(2, 1), (3, 5)], Some(4)));
}

/// Two leaders who both need Black meet in the last round, and only there.
#[test]
fn topscorers_meet_in_the_last_round() {
    use Color::{Black, White};
    let players = [
        player(1, 4, &[(3, White), (5, White)]),
        player(2, 4, &[(4, White), (6, White)]),
        player(3, 2, &[(1, Black), (4, White)]),
        player(4, 0, &[(2, Black), (3, Black)]),
        player(5, 2, &[(6, White), (1, Black)]),
        player(6, 0, &[(5, Black), (2, Black)]),
    ];
    let meet = |half| numbers(&pair(&players, half).unwrap()).0.contains(&(2, 1));
    assert!(meet(Some(2)) && !meet(None));
    // A player with exactly half of all points is not a topscorer.
    assert!(!meet(Some(4)));
}

/// Applies a round to the players. A player not in it has missed it.
fn play(players: &mut [Contestant], round: &SwissRound, mut result: impl FnMut() -> u32) {
    let before: Vec<u32> = players.iter().map(|player| player.points).collect();
    for player in &mut *players {
        let pair = round.pairs.iter().find(|(a, b)| [*a, *b].contains(&player.number));
        let is_free = round.bye == Some(player.number);
        player.had_bye |= is_free;
        player.points += 2 * u32::from(is_free);
        player.unplayed += usize::from(pair.is_none());
        player.floats.push(if is_free { Float::Down } else { Float::No });
        let Some(&(white, black)) = pair else { continue };
        let is_white = player.number == white;
        let other = if is_white { black } else { white };
        player.opponents.push(other);
        player.colors.push(if is_white { Color::White } else { Color::Black });
        *player.floats.last_mut().unwrap() = match before[player.number].cmp(&before[other]) {
            std::cmp::Ordering::Less => Float::Up,
            std::cmp::Ordering::Equal => Float::No,
            std::cmp::Ordering::Greater => Float::Down,
        };
    }
    for &(white, black) in &round.pairs {
        let points = result();
        players[white].points += points;
        players[black].points += 2 - points;
    }
}

/// A tournament report of FIDE (TRF): players, rounds, and the points that White got in each game.
fn report(text: &str) -> (usize, Vec<SwissRound>, Vec<Vec<u32>>) {
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("001")).collect();
    let fields = |row: &str| row[89..].split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = rows.into_iter().map(fields).collect();
    let count = rows[0].len() / 3;
    let mut rounds = Vec::new();
    let mut points = Vec::new();
    for number in 0..count {
        let mut round = SwissRound { pairs: Vec::new(), bye: None };
        let mut white_points = Vec::new();
        for (player, row) in rows.iter().enumerate() {
            let [other, color, result] = &row[3 * number..3 * number + 3] else { unreachable!() };
            if color == "w" {
                round.pairs.push((player, other.parse::<usize>().unwrap() - 1));
                white_points.push("0=1".find(result.as_str()).unwrap() as u32);
            } else if result == "U" {
                round.bye = Some(player);
            }
        }
        rounds.push(round);
        points.push(white_points);
    }
    (rows.len(), rounds, points)
}

/// The same pairings as bbpPairings 6.0.0: `positions/README.md`.
#[test]
fn whole_tournaments_are_paired_as_by_another_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../positions/tournaments/dutch");
    let mut checked = 0;
    for name in ["11-6.trf", "11-8.trf", "13-10.trf", "21-10.trf"] {
        let (count, rounds, points) = report(&fs::read_to_string(folder.join(name)).unwrap());
        let mut all = contestants(count);
        for (number, (round, points)) in rounds.iter().zip(points).enumerate() {
            let is_here = |player: &&Contestant| {
                let pair = round.pairs.iter().find(|(a, b)| [*a, *b].contains(&player.number));
                pair.is_some() || round.bye == Some(player.number)
            };
            let here: Vec<Contestant> = all.iter().filter(is_here).cloned().collect();
            let half = (number + 1 == rounds.len()).then_some(number as u32);
            let mut ours = pair(&here, half).unwrap();
            ours.pairs.sort_unstable();
            assert_eq!(&ours, round, "{name}, round {}", number + 1);
            let mut points = points.into_iter();
            play(&mut all, round, || points.next().unwrap());
            checked += 1;
        }
    }
    assert_eq!(checked, 34);
}

fn contestants(count: usize) -> Vec<Contestant> {
    (0..count).map(|number| Contestant { number, ..Contestant::default() }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Rounds that some players miss.
    #[test]
    fn pairs_are_those_of_the_handbook(count in 4_usize..9, away in 0_usize..20, seed: u64) {
        let mut random = Random::new(seed);
        let mut all = contestants(count);
        for number in 1..count {
            let is_here = |_: &&Contestant| random.below(100) >= away;
            let here: Vec<Contestant> = all.iter().filter(is_here).cloned().collect();
            let half = (random.below(3) == 0).then_some(number as u32 - 1);
            let Some(round) = pair(&here, half) else { continue };
            let mut sorted = here.clone();
            sorted.sort_by_key(|player| (Reverse(player.points), player.number));
            let slow = |counts: bool| {
                let may_meet = |a: &Contestant, b: &Contestant| may_meet(a, b, half, counts);
                Slow { players: &sorted, may_meet: &may_meet }.pair()
            };
            let (pairs, bye) = slow(true).or_else(|| slow(false)).unwrap();
            let mut pairs: Vec<_> =
                pairs.iter().map(|&(a, b)| colored(&sorted[a], &sorted[b])).collect();
            pairs.sort_unstable();
            let mut ours = round.pairs.clone();
            ours.sort_unstable();
            let bye = bye.map(|bye| sorted[bye].number);
            prop_assert_eq!((ours, round.bye), (pairs, bye), "{:?} {:?}", here, half);
            play(&mut all, &round, || random.below(3) as u32);
        }
    }
}
