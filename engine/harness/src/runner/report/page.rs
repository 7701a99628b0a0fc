//! The page for the browser.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use movegen::Color;
use serde::Serialize;

use super::conditions::{EngineRow, Part, conditions, engine_rows};
use super::live::{Course, Live};
use super::progress::course;
use super::{GameLine, MoveTimes, hours_minutes_seconds, name, plot};
use crate::runner::config::Contest;
use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::Decision;
use crate::runner::stats::Tally;
use crate::runner::stats::places::places_table;
use crate::runner::stats::results::MatchResults;
use crate::runner::stats::standings::{Standing, Standings};
use crate::runner::tournament::state::MatchPart;
use meerslag_pages::report;
use meerslag_study::digits::median;

/// Collects games for the page.
#[derive(Debug)]
pub struct MatchPage {
    games: Vec<GameLine>,
    /// The parts of the match before this one.
    earlier: Vec<MatchPart>,
    /// The command that plays this part.
    command: String,
    begun: Instant,
    /// The names that each engine gives itself: several if it was replaced between two parts.
    identities: BTreeMap<usize, Vec<String>>,
}

/// The data that the script shows in addition to the games.
#[derive(Serialize)]
struct About<'a> {
    kind: &'static str,
    title: &'a str,
    conditions: Vec<(&'static str, Vec<Part>)>,
    engines: Vec<EngineRow<'a>>,
    /// For a tournament.
    places: Option<PlacesTable>,
    /// For a tournament that was followed live.
    course: Option<Course<'a>>,
    standings: Vec<StandingRow<'a>>,
    cross: Vec<CrossRow<'a>>,
    sprt: Option<SprtRow>,
    elo_plot: String,
    length_plot: String,
    lengths: Option<Lengths>,
    terminations: Vec<(String, u64)>,
    times: Vec<TimeRow<'a>>,
    rows: Vec<GameRow<'a>>,
}

#[derive(Serialize)]
struct PlacesTable {
    heading: Vec<String>,
    rows: Vec<Vec<String>>,
}

#[derive(Serialize)]
struct StandingRow<'a> {
    /// Class for the colour in the plot.
    class: String,
    name: &'a str,
    /// Games, points, won, drawn, lost, without a result.
    counts: [String; 6],
    score: String,
    elo: String,
    nelo: String,
    superiority: String,
    draws: String,
    pairs: String,
    failures: String,
}

#[derive(Serialize)]
struct CrossRow<'a> {
    name: &'a str,
    /// Points and wins, draws, losses; `None` against itself or without games.
    cells: Vec<Option<(String, String)>>,
}

/// The state of the sequential test.
#[derive(Serialize)]
struct SprtRow {
    model: String,
    elo0: f64,
    elo1: f64,
    llr: String,
    lower: String,
    upper: String,
    /// `undecided`, `h0` or `h1`.
    verdict: &'static str,
}

/// The lengths of the games in moves.
#[derive(Serialize)]
struct Lengths {
    least: usize,
    most: usize,
    mean: String,
    median: String,
}

#[derive(Serialize)]
struct TimeRow<'a> {
    name: &'a str,
    /// Empty without a limit.
    control: String,
    /// Moves, time in all, seconds a move, the longest, mean depth, games lost by time.
    cells: [String; 6],
}

#[derive(Serialize)]
struct GameRow<'a> {
    number: usize,
    white: &'a str,
    black: &'a str,
    result: &'static str,
    termination: &'a str,
    detail: &'a str,
    moves: usize,
    white_time: String,
    black_time: String,
}

impl MatchPage {
    /// A page without games, for a match continued after these parts by this command.
    #[must_use]
    pub fn new(earlier: Vec<MatchPart>, command: String) -> MatchPage {
        let (games, identities) = (Vec::new(), BTreeMap::new());
        MatchPage { games, earlier, command, begun: Instant::now(), identities }
    }

    /// Adds a finished game, with its moves.
    pub fn add(&mut self, config: &Contest, record: &MatchGame) {
        for (engine, identity) in record.pairing.engines().into_iter().zip(&record.engines) {
            if let Some(identity) = identity {
                self.ready(engine, identity);
            }
        }
        self.games.push(GameLine::new(config, record));
    }

    /// Forgets the games: they are added again.
    pub fn clear_games(&mut self) {
        self.games.clear();
    }

    /// Records the name that an engine gives itself.
    pub fn ready(&mut self, engine: usize, identity: &str) {
        let known = self.identities.entry(engine).or_default();
        if !known.iter().any(|known| known == identity) {
            known.push(identity.to_owned());
        }
    }

    /// The page as HTML, in one of [`meerslag_web::LANGUAGES`], with the events of a tournament.
    /// The games need no moves any more.
    ///
    /// # Errors
    /// If the JSON fails.
    pub fn to_html(
        &self,
        config: &Contest,
        results: &MatchResults,
        language: &str,
        live: Option<&Live>,
    ) -> serde_json::Result<String> {
        let (records, standings) = (results.games(), results.standings());
        let mut order: Vec<&GameLine> = self.games.iter().collect();
        order.sort_by_key(|game| game.number);
        let elapsed = self.begun.elapsed();
        let about = About {
            kind: "match",
            title: &config.event,
            conditions: conditions(config, records, &self.earlier, &self.command, elapsed),
            engines: engine_rows(config, &self.identities),
            places: config.tournament().map(|_| {
                let (heading, rows) = places_table(config, results);
                PlacesTable { heading, rows }
            }),
            course: live.map(Live::course),
            standings: standing_rows(config, standings),
            cross: cross_rows(config, standings),
            sprt: sprt_row(config, standings),
            elo_plot: self.elo_plot(config, records, standings),
            length_plot: plot::lengths(&self.lengths()),
            lengths: lengths(&self.lengths()),
            terminations: standings
                .terminations()
                .iter()
                .map(|(why, count)| (why.to_string(), *count))
                .collect(),
            times: self.time_rows(config, standings),
            rows: order.iter().map(|game| game_row(config, game)).collect(),
        };
        report(language, &config.event, &about, order.iter().map(|game| game.json.as_str()))
    }

    fn lengths(&self) -> Vec<usize> {
        self.games.iter().map(|game| game.plies.div_ceil(2)).collect()
    }

    /// With two engines only the better one: the other is its mirror image.
    fn elo_plot(&self, config: &Contest, records: &[MatchGame], table: &Standings) -> String {
        let mut engines: Vec<usize> = table.lines().into_iter().map(|line| line.engine).collect();
        if config.engines.len() == 2 {
            engines.truncate(1);
        }
        let courses: Vec<_> = engines.iter().map(|&e| (e, course(records, e))).collect();
        let series: Vec<_> = courses
            .iter()
            .map(|(e, course)| plot::Series { class: class(*e), points: &course.points })
            .collect();
        plot::elo(&series)
    }

    fn time_rows<'a>(&self, config: &'a Contest, table: &Standings) -> Vec<TimeRow<'a>> {
        (0..config.engines.len())
            .map(|engine| {
                let mut sum = MoveTimes::default();
                for game in &self.games {
                    if let Some(color) = game.pairing.color_of(engine) {
                        sum.merge(&game.time[color.index()]);
                    }
                }
                let line = table.engine(engine);
                let seconds = |time: Duration| format!("{:.3}", time.as_secs_f64());
                TimeRow {
                    name: name(config, engine),
                    control: config.time_control(engine).to_string(),
                    cells: [
                        sum.moves.to_string(),
                        hours_minutes_seconds(sum.total),
                        seconds(sum.mean()),
                        seconds(sum.longest),
                        sum.mean_depth().map_or_else(dash, |d| format!("{d:.1}")),
                        line.map_or(0, |line| line.time_forfeits).to_string(),
                    ],
                }
            })
            .collect()
    }
}

fn dash() -> String {
    "–".to_owned()
}

fn class(engine: usize) -> String {
    format!("e{}", engine % 8)
}

fn standing_rows<'a>(config: &'a Contest, table: &Standings) -> Vec<StandingRow<'a>> {
    let percent = |share: Option<f64>| share.map_or_else(dash, |s| format!("{:.1} %", 100.0 * s));
    let row = |line: &Standing| {
        let rating = line.rating();
        let failures = line.faults + line.time_forfeits;
        StandingRow {
            class: class(line.engine),
            name: name(config, line.engine),
            counts: [
                line.games.games().to_string(),
                format!("{:.1}", line.games.points()),
                line.games.wins.to_string(),
                line.games.draws.to_string(),
                line.games.losses.to_string(),
                line.unknown.to_string(),
            ],
            score: percent(line.games.score()),
            elo: rating.map_or_else(dash, |rating| rating.elo_text()),
            nelo: rating.and_then(|r| r.normalised).map_or_else(dash, |n| n.to_string()),
            superiority: percent(rating.and_then(|r| r.superiority)),
            draws: percent(line.games.draw_ratio()),
            pairs: line.pairs.0.map(|n| n.to_string()).join(" "),
            failures: failures.to_string(),
        }
    };
    table.lines().into_iter().map(row).collect()
}

fn cross_rows<'a>(config: &'a Contest, table: &Standings) -> Vec<CrossRow<'a>> {
    let cell = |tally: Tally| {
        let Tally { wins, draws, losses } = tally;
        let text = || (format!("{:.1}", tally.points()), format!("+{wins} ={draws} −{losses}"));
        (tally.games() > 0).then(text)
    };
    let rows = table.cross_table().iter().enumerate();
    rows.map(|(engine, row)| CrossRow {
        name: name(config, engine),
        cells: row.iter().copied().map(cell).collect(),
    })
    .collect()
}

/// The same as in the table for people.
fn sprt_row(config: &Contest, table: &Standings) -> Option<SprtRow> {
    let (llr, decision) = table.sprt()?;
    let (bounds, test) = (config.sprt()?, table.test()?);
    let (lower, upper) = test.bounds();
    let text = |value: f64| format!("{value:.2}");
    Some(SprtRow {
        model: test.model().to_string(),
        elo0: bounds.elo0,
        elo1: bounds.elo1,
        llr: text(llr),
        lower: text(lower),
        upper: text(upper),
        verdict: match decision {
            Decision::Continue => "undecided",
            Decision::AcceptH0 => "h0",
            Decision::AcceptH1 => "h1",
        },
    })
}

fn lengths(moves: &[usize]) -> Option<Lengths> {
    let mut sorted = moves.to_vec();
    let median = median(&mut sorted)?.to_string();
    let mean = sorted.iter().sum::<usize>() as f64 / sorted.len() as f64;
    let (least, most) = (sorted[0], sorted[sorted.len() - 1]);
    Some(Lengths { least, most, mean: format!("{mean:.1}"), median })
}

fn game_row<'a>(config: &'a Contest, game: &'a GameLine) -> GameRow<'a> {
    let seconds = |color: Color| format!("{:.2}", game.time[color.index()].total.as_secs_f64());
    GameRow {
        number: game.number,
        white: name(config, game.pairing.white),
        black: name(config, game.pairing.black),
        result: game.result,
        termination: &game.termination,
        detail: &game.detail,
        moves: game.plies.div_ceil(2),
        white_time: seconds(Color::White),
        black_time: seconds(Color::Black),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::game::termination::Termination;
    use crate::runner::tournament::schedule::tests::{config, games as schedule};
    use meerslag_study::record::{GameRecord, PlyRecord};

    #[test]
    fn each_player_has_the_times_of_its_own_moves() {
        let config = config(2, 0, 1);
        let mut page = MatchPage::new(Vec::new(), String::new());
        let mut games = Vec::new();
        for (number, pairing) in schedule(&config).into_iter().enumerate() {
            let mut record = GameRecord::new(movegen::Position::initial());
            for _ in 0..4 {
                let game = record.replay();
                let mv = game.position().legal_moves()[0];
                let engine = pairing.engines()[game.position().side_to_move().index()];
                let seconds = [1.0, 3.0][engine];
                record.plies.push(PlyRecord { time: Some(seconds), ..PlyRecord::from(mv) });
            }
            let game = MatchGame::new(number, pairing, record, Termination::MoveLimit);
            page.add(&config, &game);
            games.push(game);
        }
        let results = MatchResults::new(&config, games);
        let rows = page.time_rows(&config, results.standings());
        let times: Vec<_> =
            rows.iter().map(|row| (row.name, &*row.cells[0], &*row.cells[1])).collect();
        assert_eq!(times, [("e0", "4", "0:00:04"), ("e1", "4", "0:00:12")]);
    }
}
