//! The page for the browser.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use askama::Template;
use movegen::Color;

use super::conditions::{EngineRow, conditions, control_text, engine_rows};
use super::progress::course;
use super::{GameLine, MoveTimes, hours_minutes_seconds, name, plot};
use crate::pages::GamesPage;
use crate::runner::config::MatchConfig;
use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::Tally;
use crate::runner::stats::places::places_table;
use crate::runner::stats::results::MatchResults;
use crate::runner::stats::standings::{Standing, Standings};
use crate::runner::tournament::state::MatchPart;
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
    /// What each engine calls itself: several names if it was replaced between two parts.
    identities: BTreeMap<usize, Vec<String>>,
}

#[derive(Template)]
#[template(path = "report.html")]
struct MatchPageTemplate<'a> {
    page: GamesPage<'a>,
    conditions: Vec<(&'static str, String)>,
    engines: Vec<EngineRow<'a>>,
    /// Of a tournament: heading and rows.
    places: Option<(Vec<String>, Vec<Vec<String>>)>,
    standings: Vec<StandingRow<'a>>,
    cross: Vec<CrossRow<'a>>,
    sprt: Option<String>,
    elo_plot: String,
    length_plot: String,
    lengths: String,
    terminations: Vec<(String, u64)>,
    times: Vec<TimeRow<'a>>,
    games: Vec<GameRow<'a>>,
}

struct StandingRow<'a> {
    /// Class for the colour in the plot.
    class: String,
    name: &'a str,
    games: u64,
    points: String,
    tally: Tally,
    unknown: u64,
    score: String,
    elo: String,
    nelo: String,
    superiority: String,
    draws: String,
    pairs: String,
    failures: String,
}

struct CrossRow<'a> {
    name: &'a str,
    /// Points and wins, draws, losses; `None` against itself or without games.
    cells: Vec<Option<(String, String)>>,
}

struct TimeRow<'a> {
    name: &'a str,
    control: String,
    moves: u32,
    total: String,
    mean: String,
    longest: String,
    depth: String,
    forfeits: u64,
}

struct GameRow<'a> {
    index: usize,
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
    /// A page without games, of a match that goes on after these parts with this command.
    #[must_use]
    pub fn new(earlier: Vec<MatchPart>, command: String) -> MatchPage {
        let (games, identities) = (Vec::new(), BTreeMap::new());
        MatchPage { games, earlier, command, begun: Instant::now(), identities }
    }

    /// Adds a finished game, with its moves.
    pub fn add(&mut self, config: &MatchConfig, record: &MatchGame) {
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

    /// Notes what an engine calls itself.
    pub fn ready(&mut self, engine: usize, identity: &str) {
        let known = self.identities.entry(engine).or_default();
        if !known.iter().any(|known| known == identity) {
            known.push(identity.to_owned());
        }
    }

    /// What was played, when and where.
    fn conditions(
        &self,
        config: &MatchConfig,
        records: &[MatchGame],
    ) -> Vec<(&'static str, String)> {
        conditions(config, records, &self.earlier, &self.command, self.begun.elapsed())
    }

    /// The page as HTML. The games need no moves any more.
    ///
    /// # Errors
    /// If the template fails.
    pub fn to_html(
        &self,
        config: &MatchConfig,
        results: &MatchResults,
    ) -> Result<String, askama::Error> {
        let (records, standings) = (results.games(), results.standings());
        let mut order: Vec<&GameLine> = self.games.iter().collect();
        order.sort_by_key(|game| game.number);
        let page = MatchPageTemplate {
            page: GamesPage::new(
                &config.event,
                "End",
                config.engines.iter().map(|engine| engine.name.as_str()),
                self.games.iter().map(|game| game.result),
                order.iter().map(|game| game.json.as_str()),
            ),
            conditions: self.conditions(config, records),
            engines: engine_rows(config, &self.identities),
            places: config.rounds.map(|_| places_table(config, results)),
            standings: standing_rows(config, standings),
            cross: cross_rows(config, standings),
            sprt: standings.sprt_text(config),
            elo_plot: self.elo_plot(config, records, standings),
            length_plot: plot::lengths(&self.lengths()),
            lengths: length_text(&self.lengths()),
            terminations: standings
                .terminations()
                .iter()
                .map(|(why, count)| (why.to_string(), *count))
                .collect(),
            times: self.time_rows(config, standings),
            games: order.iter().enumerate().map(|(i, game)| game_row(config, i, game)).collect(),
        };
        page.render()
    }

    fn lengths(&self) -> Vec<usize> {
        self.games.iter().map(|game| game.plies.div_ceil(2)).collect()
    }

    /// Of two engines only the better one: the other one is its mirror image.
    fn elo_plot(&self, config: &MatchConfig, records: &[MatchGame], table: &Standings) -> String {
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

    fn time_rows<'a>(&self, config: &'a MatchConfig, table: &Standings) -> Vec<TimeRow<'a>> {
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
                    control: control_text(config.time_control(engine)),
                    moves: sum.moves,
                    total: hours_minutes_seconds(sum.total),
                    mean: seconds(sum.mean()),
                    longest: seconds(sum.longest),
                    depth: sum.mean_depth().map_or_else(dash, |d| format!("{d:.1}")),
                    forfeits: line.map_or(0, |line| line.time_forfeits),
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

fn standing_rows<'a>(config: &'a MatchConfig, table: &Standings) -> Vec<StandingRow<'a>> {
    let percent = |share: Option<f64>| share.map_or_else(dash, |s| format!("{:.1} %", 100.0 * s));
    let row = |line: &Standing| {
        let rating = line.rating();
        let failures = line.faults + line.time_forfeits;
        StandingRow {
            class: class(line.engine),
            name: name(config, line.engine),
            games: line.games.games(),
            points: format!("{:.1}", line.games.points()),
            tally: line.games,
            unknown: line.unknown,
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

fn cross_rows<'a>(config: &'a MatchConfig, table: &Standings) -> Vec<CrossRow<'a>> {
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

fn length_text(moves: &[usize]) -> String {
    let mut sorted = moves.to_vec();
    let Some(median) = median(&mut sorted) else { return dash() };
    let (least, most) = (sorted[0], sorted[sorted.len() - 1]);
    let mean = sorted.iter().sum::<usize>() as f64 / sorted.len() as f64;
    format!("{least} to {most} moves, mean {mean:.1}, median {median}")
}

fn game_row<'a>(config: &'a MatchConfig, index: usize, game: &'a GameLine) -> GameRow<'a> {
    let seconds = |color: Color| format!("{:.2}", game.time[color.index()].total.as_secs_f64());
    GameRow {
        index,
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
    use crate::runner::tournament::schedule::{schedule, tests::config};
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
        let times: Vec<_> = rows.iter().map(|row| (row.name, row.moves, &*row.total)).collect();
        assert_eq!(times, [("e0", 4, "0:00:04"), ("e1", 4, "0:00:12")]);
    }
}
