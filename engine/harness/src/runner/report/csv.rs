//! A line for each game, for spreadsheets.

use std::io;
use std::time::Duration;

use super::{MoveTimes, name};
use crate::runner::config::Contest;
use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::micros;

const COLUMNS: [&str; 17] = [
    "game",
    "pair",
    "white",
    "black",
    "result",
    "termination",
    "detail",
    "plies",
    "white_seconds",
    "black_seconds",
    "white_longest",
    "black_longest",
    "white_mean_depth",
    "black_mean_depth",
    "overhead_us",
    "date",
    "fen",
];

/// The lines of these games, below the heading if `with_heading`.
///
/// # Errors
/// If a row cannot be written.
pub fn csv_lines(
    config: &Contest,
    records: &[MatchGame],
    with_heading: bool,
) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    if with_heading && !records.is_empty() {
        writer.write_record(COLUMNS)?;
    }
    for record in records {
        writer.write_record(row(config, record))?;
    }
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}

fn row(config: &Contest, game: &MatchGame) -> [String; COLUMNS.len()] {
    let [black, white] = MoveTimes::of(&game.record);
    let seconds = |time: Duration| format!("{:.3}", time.as_secs_f64());
    let depth =
        |side: &MoveTimes| side.mean_depth().map_or_else(String::new, |d| format!("{d:.1}"));
    [
        (game.game + 1).to_string(),
        (game.pairing.pair + 1).to_string(),
        name(config, game.pairing.white).to_owned(),
        name(config, game.pairing.black).to_owned(),
        game.result().as_str().to_owned(),
        game.termination.to_string(),
        game.detail.clone(),
        game.record.plies.len().to_string(),
        seconds(white.total),
        seconds(black.total),
        seconds(white.longest),
        seconds(black.longest),
        depth(&white),
        depth(&black),
        format!("{:.1}", micros(game.overhead)),
        game.record.date.clone(),
        game.record.start_fen(),
    ]
}
