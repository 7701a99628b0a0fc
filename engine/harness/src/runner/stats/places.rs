//! The places of a tournament: points, and what decides between equal ones under its usual names.

use std::collections::HashMap;
use std::fmt::Write as _;

use movegen::{Color, Wld};
use schemars::JsonSchema;
use serde::Serialize;

use crate::runner::config::{Contest, Format};
use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::results::MatchResults;
use crate::runner::tournament::rounds::KnockOut;
use crate::runner::tournament::schedule::Pairing;

/// The result of a player in a tournament.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct PlaceRecord {
    /// From 1.
    pub place: usize,
    /// The player's number in the description, from 1.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// A win counts 1, a draw a half; with those for free rounds of a Swiss.
    pub points: f64,
    /// In a Swiss: the points of all opponents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buchholz: Option<f64>,
    /// In a Swiss: Buchholz without the weakest opponent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buchholz_cut_1: Option<f64>,
    /// The points of each opponent times the points scored against it.
    pub sonneborn_berger: f64,
    /// Games won.
    pub wins: u32,
    /// Round after round: `3w1` is a win with White against number 3; `free`, or `-` without a game.
    pub rounds: Vec<String>,
    /// It is not paired any more.
    pub withdrawn: bool,
}

/// The places, the first one first. In a knock-out those who have advanced come first; a player who has
/// withdrawn is never first. Then come the points; in a Swiss Buchholz, Buchholz without the lowest and Sonneborn-Berger,
/// otherwise Sonneborn-Berger; then games won.
#[must_use]
pub fn places(config: &Contest, results: &MatchResults) -> Vec<PlaceRecord> {
    let count = config.engines.len();
    let by_number: HashMap<usize, &MatchGame> =
        results.games().iter().map(|game| (game.game, game)).collect();
    let outcome = |number: usize, pairing: &Pairing, engine: usize| {
        by_number.get(&number)?.result().for_side(pairing.color_of(engine)?)
    };
    let schedule = results.schedule(config);
    let games = || schedule.iter().enumerate();
    let swiss = config.tournament().filter(|rules| rules.format == Format::Swiss);
    let free_points = swiss.map_or(0, |rules| 2 * rules.games as u32);
    let points: Vec<u32> = (0..count)
        .map(|engine| {
            let played = games().filter_map(|(number, pairing)| outcome(number, pairing, engine));
            let free = results.rounds().iter().filter(|round| round.free.contains(&engine)).count();
            played.map(|outcome| u32::from(outcome.rank())).sum::<u32>() + free as u32 * free_points
        })
        .collect();
    let is_knock_out = config.format() == Some(Format::KnockOut);
    let reached = is_knock_out.then(|| KnockOut::of(config, results).reached);
    let gone = results.withdrawn(usize::MAX);
    let half = |points: u32| f64::from(points) / 2.0;
    let place = |engine: usize| {
        let (mut wins, mut sonneborn_berger, mut rows) = (0, 0, Vec::new());
        let mut number = 0;
        let mut opponents = Vec::new();
        for round in results.rounds() {
            let mut row = Vec::new();
            let mut met = None;
            for pairing in &round.games {
                if let Some(side) = pairing.color_of(engine) {
                    let other = pairing.engines()[side.opponent().index()];
                    let outcome = outcome(number, pairing, engine);
                    wins += u32::from(outcome == Some(Wld::Win));
                    sonneborn_berger +=
                        points[other] * outcome.map_or(0, |outcome| u32::from(outcome.rank()));
                    row.push(cell(other, side, outcome));
                    // Players of an annulled game have not met.
                    if by_number.get(&number).is_none_or(|game| !game.is_annulled()) {
                        met = Some(other);
                    }
                }
                number += 1;
            }
            opponents.extend(met.map(|other| points[other]));
            let free = if round.free.contains(&engine) { "free" } else { "-" };
            rows.push(if row.is_empty() { free.to_owned() } else { row.join(" ") });
        }
        let all: u32 = opponents.iter().sum();
        let cut = all - opponents.iter().min().copied().unwrap_or_default();
        let buchholz = swiss.map(|_| [all, cut]);
        let reached = reached.as_ref().map(|reached| reached[engine]);
        let key = (reached, points[engine], buchholz, sonneborn_berger, wins);
        let record = PlaceRecord {
            place: 0,
            number: engine + 1,
            name: config.engines[engine].name.clone(),
            points: half(points[engine]),
            buchholz: buchholz.map(|[all, _]| half(all)),
            buchholz_cut_1: buchholz.map(|[_, cut]| half(cut)),
            // Both factors are half points.
            sonneborn_berger: half(sonneborn_berger) / 2.0,
            wins,
            rounds: rows,
            withdrawn: gone.contains(&engine),
        };
        (key, record)
    };
    let mut list: Vec<_> = (0..count).map(place).collect();
    list.sort_by(|(a, one), (b, other)| b.cmp(a).then(one.number.cmp(&other.number)));
    let mut list: Vec<PlaceRecord> = list.into_iter().map(|(_, record)| record).collect();
    let best = list.iter().position(|place| !place.withdrawn);
    if let Some(best) = best.filter(|_| is_knock_out) {
        list[..=best].rotate_right(1);
    }
    (1..).zip(&mut list).for_each(|(place, record)| record.place = place);
    list
}

fn cell(other: usize, side: Color, outcome: Option<Wld>) -> String {
    let color = if side == Color::White { 'w' } else { 'b' };
    let outcome = match outcome {
        Some(Wld::Win) => "1",
        Some(Wld::Draw) => "=",
        Some(Wld::Loss) => "0",
        None => "?",
    };
    format!("{}{color}{outcome}", other + 1)
}

/// The table of places for people: each round with opponent, colour and result.
#[must_use]
pub fn places_text(config: &Contest, results: &MatchResults) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut heading: Vec<String> = ["place", "no", "player", "points"].map(str::to_owned).to_vec();
    if config.format() == Some(Format::Swiss) {
        heading.extend(["Buchholz", "cut 1"].map(str::to_owned));
    }
    heading.extend(["S-B", "wins"].map(str::to_owned));
    heading.extend(results.rounds().iter().map(|round| format!("round {}", round.round)));
    for place in places(config, results) {
        let mut row = vec![place.place.to_string(), place.number.to_string(), place.name];
        let points = [Some(place.points), place.buchholz, place.buchholz_cut_1];
        row.extend(points.into_iter().flatten().map(|points| format!("{points:.1}")));
        row.push(format!("{:.2}", place.sonneborn_berger));
        row.push(place.wins.to_string());
        row.extend(place.rounds);
        rows.push(row);
    }
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([heading[column].chars().count()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..heading.len()).map(width).collect();
    let mut text = String::new();
    for row in [&heading].into_iter().chain(&rows) {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}
