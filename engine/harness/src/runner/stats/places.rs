//! The places of a tournament: points, and what decides between equal ones under its usual names.

use std::collections::HashMap;
use std::fmt::Write as _;

use movegen::{Color, Wld};

use crate::runner::config::{Contest, Format};
use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::results::MatchResults;
use crate::runner::tournament::rounds::KnockOut;
use crate::runner::tournament::schedule::Pairing;

/// The result of an engine in a tournament. Points are half points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its number in the configuration.
    pub engine: usize,
    /// Its points, those for free rounds of a Swiss included.
    pub points: u32,
    /// Buchholz: the points of all opponents.
    pub buchholz: u32,
    /// Buchholz without the weakest opponent.
    pub buchholz_cut: u32,
    /// Sonneborn-Berger: the points of each opponent, times the half points that were taken from it.
    pub sonneborn_berger: u32,
    /// Games won.
    pub wins: u32,
    /// Round after round, such as `3w1`: against the third engine with White, won; `-` without a game.
    pub rows: Vec<String>,
}

/// The places, the first one first. In a knock-out those who have advanced come first; a player who has
/// withdrawn is never first. Then come the points; in a Swiss Buchholz, Buchholz without the lowest and Sonneborn-Berger,
/// otherwise Sonneborn-Berger; then games won.
#[must_use]
pub fn places(config: &Contest, results: &MatchResults) -> Vec<Place> {
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
    let place = |engine: usize| {
        let mut place = Place {
            engine,
            points: points[engine],
            buchholz: 0,
            buchholz_cut: 0,
            sonneborn_berger: 0,
            wins: 0,
            rows: Vec::new(),
        };
        let mut number = 0;
        let mut opponents = Vec::new();
        for round in results.rounds() {
            let mut row = Vec::new();
            let mut met = None;
            for pairing in &round.games {
                if let Some(side) = pairing.color_of(engine) {
                    let other = pairing.engines()[side.opponent().index()];
                    let outcome = outcome(number, pairing, engine);
                    place.wins += u32::from(outcome == Some(Wld::Win));
                    place.sonneborn_berger +=
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
            place.rows.push(if row.is_empty() { free.to_owned() } else { row.join(" ") });
        }
        place.buchholz = opponents.iter().sum();
        place.buchholz_cut = place.buchholz - opponents.iter().min().copied().unwrap_or_default();
        place
    };
    let mut list: Vec<Place> = (0..count).map(place).collect();
    let is_knock_out = config.format() == Some(Format::KnockOut);
    let reached = is_knock_out.then(|| KnockOut::of(config, results).reached);
    let key = |place: &Place| {
        let reached = reached.as_ref().map(|reached| reached[place.engine]);
        let buchholz = swiss.map(|_| [place.buchholz, place.buchholz_cut]);
        (reached, place.points, buchholz, place.sonneborn_berger, place.wins)
    };
    list.sort_by(|a, b| key(b).cmp(&key(a)).then(a.engine.cmp(&b.engine)));
    let gone = results.withdrawn(usize::MAX);
    let best = list.iter().position(|place| !gone.contains(&place.engine));
    if let Some(best) = best.filter(|_| is_knock_out) {
        list[..=best].rotate_right(1);
    }
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

/// Half points as they are written: `3.5`.
fn points_text(half_points: u32) -> String {
    format!("{:.1}", f64::from(half_points) / 2.0)
}

/// The table of places for people: each round with opponent, colour and result.
#[must_use]
pub fn places_text(config: &Contest, results: &MatchResults) -> String {
    let list = places(config, results);
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut heading: Vec<String> = ["place", "no", "player", "points"].map(str::to_owned).to_vec();
    let is_swiss = config.format() == Some(Format::Swiss);
    if is_swiss {
        heading.extend(["Buchholz", "cut 1"].map(str::to_owned));
    }
    heading.extend(["S-B", "wins"].map(str::to_owned));
    heading.extend(results.rounds().iter().map(|round| format!("round {}", round.round)));
    for (index, place) in list.iter().enumerate() {
        let name = config.engines[place.engine].name.clone();
        let mut row = vec![(index + 1).to_string(), (place.engine + 1).to_string(), name];
        row.push(points_text(place.points));
        if is_swiss {
            row.extend([place.buchholz, place.buchholz_cut].map(points_text));
        }
        // A quarter: both factors are half points.
        row.push(format!("{:.2}", f64::from(place.sonneborn_berger) / 4.0));
        row.push(place.wins.to_string());
        row.extend(place.rows.iter().cloned());
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
