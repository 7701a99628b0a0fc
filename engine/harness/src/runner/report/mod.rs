//! The output of a match: the table of engines, the games as CSV and PDN, and a page for the
//! browser.
//!
//! The page is one file without references to others. The data that its script shows, in the
//! reader's language, are written here: the description, numbers, and a list of moves for
//! each game.

mod csv;
mod lines;
mod live;
mod page;
mod pdn;
mod places;
mod progress;
mod relay;
mod table;

use movegen::notation::hub;
use movegen::notation::pdn::{WriteOptions, game_to_string};

pub use self::csv::csv_lines;
pub use self::lines::{LoggedLine, logged_lines};
pub use self::live::{InPlayRecord, Live, LiveEvent, LiveRecord};
pub use self::page::MatchPage;
pub use self::places::TournamentRecord;
pub use self::relay::Relay;
pub use self::table::StandingsRecord;
use crate::runner::config::Contest;
use crate::runner::game::match_game::MatchGame;
use meerslag_pages::GameData;
use meerslag_study::record::for_white;
use movegen::json::rounded;
use serde::Serialize;

/// The part of a game kept for the page when its moves are dropped.
#[derive(Clone, Debug, Serialize)]
struct GameLine {
    /// Number from 1.
    number: usize,
    white: String,
    black: String,
    result: &'static str,
    termination: String,
    detail: String,
    /// The game as the script reads it.
    #[serde(skip)]
    json: String,
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
            white: name(config, played.pairing.white).to_owned(),
            black: name(config, played.pairing.black).to_owned(),
            result: record.result.as_str(),
            termination: played.termination.to_string(),
            detail: played.detail.clone(),
            json: data.to_json(),
        }
    }
}

/// A name of the configuration.
fn name(config: &Contest, engine: usize) -> &str {
    config.engines.get(engine).map_or("?", |e| e.name.as_str())
}
