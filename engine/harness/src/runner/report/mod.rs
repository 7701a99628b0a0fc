//! What is left of a match: a table of games as CSV, and a page for the browser.
//!
//! The page is one file without references to others. Its tables and plots are written here; the
//! board on which games are clicked through is drawn by its script, from a list of moves for each
//! game.

mod conditions;
mod csv;
mod page;
mod pdn;
mod plot;
mod progress;

use movegen::notation::hub;
use movegen::notation::pdn::{WriteOptions, game_to_string};

pub use self::csv::csv_lines;
pub use self::page::Page;
pub use self::plot::nice_step;
use super::config::MatchConfig;
use super::match_game::MatchGame;
use crate::pages::GameData;
use meerslag_study::digits::rounded;
use meerslag_study::record::{GameRecord, for_white};

/// What is kept of a game for the page, when its moves themselves are dropped.
#[derive(Clone, Debug)]
struct GameLine {
    /// Number from 1.
    number: usize,
    white: usize,
    black: usize,
    result: &'static str,
    termination: String,
    detail: String,
    plies: usize,
    /// Black's and White's.
    time: [TimeUse; 2],
    /// The game as the script reads it.
    json: String,
}

/// How the time was used.
#[derive(Clone, Copy, Default, Debug)]
struct TimeUse {
    moves: u32,
    /// Seconds.
    total: f64,
    longest: f64,
    /// Sum of depths, and of how many moves.
    depth: u64,
    depths: u32,
}

impl TimeUse {
    fn add(&mut self, time: f64, depth: Option<u32>) {
        self.moves += 1;
        self.total += time;
        self.longest = self.longest.max(time);
        if let Some(depth) = depth {
            self.depth += u64::from(depth);
            self.depths += 1;
        }
    }

    fn merge(&mut self, other: &TimeUse) {
        self.moves += other.moves;
        self.total += other.total;
        self.longest = self.longest.max(other.longest);
        self.depth += other.depth;
        self.depths += other.depths;
    }

    fn mean(&self) -> f64 {
        if self.moves == 0 { 0.0 } else { self.total / f64::from(self.moves) }
    }

    fn mean_depth(&self) -> Option<f64> {
        (self.depths > 0).then(|| self.depth as f64 / f64::from(self.depths))
    }

    /// Of Black and White in a game.
    fn of(game: &GameRecord) -> [TimeUse; 2] {
        let mut sides = [TimeUse::default(); 2];
        for (mover, ply) in game.movers() {
            sides[mover.index()].add(ply.time.unwrap_or_default(), ply.depth);
        }
        sides
    }
}

impl GameLine {
    fn new(config: &MatchConfig, played: &MatchGame) -> GameLine {
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
            white: played.pairing.white,
            black: played.pairing.black,
            result: record.result.as_str(),
            termination: played.termination.to_string(),
            detail: played.detail.clone(),
            plies: record.plies.len(),
            time: TimeUse::of(record),
            json: data.to_json(),
        }
    }
}

/// A name of the configuration.
fn name(config: &MatchConfig, engine: usize) -> &str {
    config.engines.get(engine).map_or("?", |e| e.name.as_str())
}
