//! The page for the browser.

use std::collections::BTreeMap;
use std::time::Instant;

use movegen::Color;
use serde::Serialize;

use super::conditions::{EngineRow, Part, conditions, engine_rows};
use super::live::{Course, Live};
use super::places::TournamentRecord;
use super::progress::course;
use super::table::StandingsRecord;
use super::{GameLine, MoveTimes, name, plot};
use crate::runner::config::{Contest, SprtConfig};
use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::Tally;
use crate::runner::stats::results::MatchResults;
use crate::runner::stats::standings::Standings;
use crate::runner::tournament::state::MatchPart;
use meerslag_pages::report;

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
    places: Option<TournamentRecord>,
    /// For a tournament that was followed live.
    course: Option<Course<'a>>,
    standings: StandingsRecord<'a>,
    /// Each engine against each other one.
    cross: &'a [Vec<Tally>],
    sprt: Option<TestRow>,
    elo_plot: String,
    length_plot: String,
    times: Vec<TimeRow>,
    rows: Vec<GameRow<'a>>,
}

/// The sequential test, whose state is with the standings.
#[derive(Serialize)]
struct TestRow {
    model: String,
    elo0: f64,
    elo1: f64,
    /// The values of the ratio that decide.
    bounds: (f64, f64),
}

/// The moves of an engine. Times are in seconds.
#[derive(Serialize)]
struct TimeRow {
    moves: u32,
    total: f64,
    longest: f64,
    depth: Option<f64>,
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
    white_time: f64,
    black_time: f64,
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
            places: config.tournament().map(|_| TournamentRecord::new(config, results)),
            course: live.map(Live::course),
            standings: standings.to_record(config),
            cross: standings.cross_table(),
            sprt: config.sprt().zip(standings.test()).map(
                |(SprtConfig { elo0, elo1, .. }, test)| TestRow {
                    model: test.model().to_string(),
                    elo0,
                    elo1,
                    bounds: test.bounds(),
                },
            ),
            elo_plot: self.elo_plot(config, records, standings),
            length_plot: plot::lengths(&self.lengths()),
            times: (0..config.engines.len()).map(|engine| self.time_row(engine)).collect(),
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

    fn time_row(&self, engine: usize) -> TimeRow {
        let mut sum = MoveTimes::default();
        for game in &self.games {
            if let Some(color) = game.pairing.color_of(engine) {
                sum.merge(&game.time[color.index()]);
            }
        }
        let (total, longest) = (sum.total.as_secs_f64(), sum.longest.as_secs_f64());
        TimeRow { moves: sum.moves, total, longest, depth: sum.mean_depth() }
    }
}

fn class(engine: usize) -> String {
    format!("e{}", engine % 8)
}

fn game_row<'a>(config: &'a Contest, game: &'a GameLine) -> GameRow<'a> {
    let seconds = |color: Color| game.time[color.index()].total.as_secs_f64();
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
        }
        let times = [0, 1].map(|engine| page.time_row(engine)).map(|row| (row.moves, row.total));
        assert_eq!(times, [(4, 4.0), (4, 12.0)]);
    }
}
