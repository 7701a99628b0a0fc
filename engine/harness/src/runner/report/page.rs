//! The page for the browser.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZero;
use std::thread;
use std::time::Instant;

use serde::Serialize;

use super::GameLine;
use super::live::{Course, Live};
use super::places::TournamentRecord;
use super::progress::course;
use super::table::StandingsRecord;
use crate::runner::config::Contest;
use crate::runner::config::spec::EngineSpec;
use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::Tally;
use crate::runner::stats::results::MatchResults;
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

/// The data that the script shows in addition to the moves of the games.
#[derive(Serialize)]
struct About<'a> {
    kind: &'static str,
    title: &'a str,
    config: &'a Contest,
    engines: Vec<EngineRow<'a>>,
    /// The number of games that are planned.
    planned: usize,
    /// The parts of the match before this one.
    earlier: &'a [MatchPart],
    /// The command of this part, and its seconds.
    command: &'a str,
    elapsed: f64,
    machine: Machine,
    runner: &'static str,
    /// For a tournament.
    places: Option<TournamentRecord>,
    /// For a tournament that was followed live.
    course: Option<Course<'a>>,
    standings: StandingsRecord<'a>,
    /// Each engine against each other one.
    cross: &'a [Vec<Tally>],
    /// The Elo of each engine after each of its games.
    courses: Vec<Vec<Option<[f64; 3]>>>,
    rows: &'a [&'a GameLine],
}

/// An engine of the match.
#[derive(Serialize)]
struct EngineRow<'a> {
    name: &'a str,
    /// Its description.
    engine: &'a str,
    /// The name it gives itself, or the names in turn.
    identities: &'a [String],
    /// Empty without a limit.
    control: String,
}

/// The machine that the match is played on.
#[derive(Serialize)]
struct Machine {
    system: String,
    model: Option<String>,
    /// The threads that it runs at once.
    threads: usize,
}

impl Machine {
    fn here() -> Machine {
        let known = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = known.lines().find_map(|line| line.strip_prefix("model name"));
        Machine {
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            model: model.and_then(|rest| Some(rest.split_once(':')?.1.trim().to_owned())),
            threads: thread::available_parallelism().map_or(1, NonZero::get),
        }
    }
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
    pub fn to_html<'a>(
        &'a self,
        config: &'a Contest,
        results: &'a MatchResults,
        language: &str,
        live: Option<&'a Live>,
    ) -> serde_json::Result<String> {
        let standings = results.standings();
        let mut order: Vec<&GameLine> = self.games.iter().collect();
        order.sort_by_key(|game| game.number);
        let engine = |(number, spec): (usize, &'a EngineSpec)| EngineRow {
            name: &spec.name,
            engine: &spec.text,
            identities: self.identities.get(&number).map_or(&[], Vec::as_slice),
            control: config.time_control(number).to_string(),
        };
        let about = About {
            kind: "match",
            title: &config.event,
            config,
            engines: config.engines.iter().enumerate().map(engine).collect(),
            planned: config.game_count(),
            earlier: &self.earlier,
            command: &self.command,
            elapsed: self.begun.elapsed().as_secs_f64(),
            machine: Machine::here(),
            runner: concat!("Meerslag ", env!("CARGO_PKG_VERSION")),
            places: config.tournament().map(|_| TournamentRecord::new(config, results)),
            course: live.map(Live::course),
            standings: standings.to_record(config),
            cross: standings.cross_table(),
            courses: (0..config.engines.len()).map(|it| course(results.games(), it)).collect(),
            rows: &order,
        };
        report(language, &config.event, &about, order.iter().map(|game| game.json.as_str()))
    }
}
