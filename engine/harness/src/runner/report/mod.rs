//! The output of a match: the table of engines, the games as CSV and PDN, and a page for the
//! browser.
//!
//! The page is one file without references to others. The data that its script shows, in the
//! reader's language, are written here: numbers, names of texts, plots, and a list of moves for
//! each game.

mod conditions;
mod csv;
mod live;
mod page;
mod pdn;
mod places;
mod plot;
mod progress;
mod table;

use std::time::Duration;

use movegen::notation::hub;
use movegen::notation::pdn::{WriteOptions, game_to_string};

pub use self::csv::csv_lines;
pub use self::live::{InPlayRecord, Live, LiveEvent, LiveRecord};
pub use self::page::MatchPage;
pub use self::places::TournamentRecord;
pub use self::table::StandingsRecord;
use crate::runner::config::Contest;
use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::time_use::move_time;
use crate::runner::tournament::schedule::Pairing;
use meerslag_pages::GameData;
use meerslag_study::record::{GameRecord, for_white};
use movegen::json::rounded;

/// The part of a game kept for the page when its moves are dropped.
#[derive(Clone, Debug)]
struct GameLine {
    /// Number from 1.
    number: usize,
    pairing: Pairing,
    result: &'static str,
    termination: String,
    detail: String,
    plies: usize,
    /// Under [`Color::index`].
    time: [MoveTimes; 2],
    /// The game as the script reads it.
    json: String,
}

/// Times and depths of the moves of a side.
#[derive(Clone, Copy, Default, Debug)]
struct MoveTimes {
    moves: u32,
    total: Duration,
    longest: Duration,
    /// Sum of the depths of those moves that have one, and their number.
    depth: u64,
    depths: u32,
}

impl MoveTimes {
    fn merge(&mut self, other: &MoveTimes) {
        self.moves += other.moves;
        self.total = self.total.saturating_add(other.total);
        self.longest = self.longest.max(other.longest);
        self.depth += other.depth;
        self.depths += other.depths;
    }

    fn mean_depth(&self) -> Option<f64> {
        (self.depths > 0).then(|| self.depth as f64 / f64::from(self.depths))
    }

    /// Of both sides of a game, under `Color::index`.
    fn of(game: &GameRecord) -> [MoveTimes; 2] {
        let mut sides = [MoveTimes::default(); 2];
        for (mover, ply) in game.movers() {
            let time = move_time(ply);
            sides[mover.index()].merge(&MoveTimes {
                moves: 1,
                total: time,
                longest: time,
                depth: ply.depth.unwrap_or_default().into(),
                depths: u32::from(ply.depth.is_some()),
            });
        }
        sides
    }
}

impl GameLine {
    fn new(config: &Contest, played: &MatchGame) -> GameLine {
        let record = &played.record;
        let infos = record.movers().map(|(mover, ply)| {
            let score = ply.score.map(|score| for_white(score, mover));
            let round = |seconds: f64| rounded(seconds, 3);
            (score, ply.depth, round(ply.time.unwrap_or_default()), ply.clock.map(round))
        });
        let data = GameData {
            position: hub::format_position(&record.start),
            set_ups: Vec::new(),
            moves: record.plies.iter().map(|ply| ply.mv.to_string()).collect(),
            infos: infos.collect(),
            pdn: game_to_string(&played.to_pdn(config), &WriteOptions::default()),
            notes: None,
            last_best: None,
        };
        GameLine {
            number: played.game + 1,
            pairing: played.pairing,
            result: record.result.as_str(),
            termination: played.termination.to_string(),
            detail: played.detail.clone(),
            plies: record.plies.len(),
            time: MoveTimes::of(record),
            json: data.to_json(),
        }
    }
}

/// A name of the configuration.
fn name(config: &Contest, engine: usize) -> &str {
    config.engines.get(engine).map_or("?", |e| e.name.as_str())
}

/// A time as `h:mm:ss`.
fn hours_minutes_seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
