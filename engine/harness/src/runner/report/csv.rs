//! A line for each game, for spreadsheets.

use std::io;
use std::time::Duration;

use movegen::Color;

use super::name;
use crate::runner::config::Contest;
use crate::runner::game::match_game::MatchGame;
use crate::runner::stats::micros;
use crate::runner::stats::time_use::move_time;

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
    let of = |side: Color| {
        let own = || game.record.movers().filter(move |(mover, _)| *mover == side);
        let times = || own().map(|(_, ply)| move_time(ply));
        let depths: Vec<u32> = own().filter_map(|(_, ply)| ply.depth).collect();
        let depth: u64 = depths.iter().copied().map(u64::from).sum();
        let depth = (!depths.is_empty()).then(|| depth as f64 / depths.len() as f64);
        let seconds = |time: Duration| format!("{:.3}", time.as_secs_f64());
        (
            seconds(times().sum()),
            seconds(times().max().unwrap_or_default()),
            depth.map_or_else(String::new, |depth| format!("{depth:.1}")),
        )
    };
    let (white, black) = (of(Color::White), of(Color::Black));
    [
        (game.game + 1).to_string(),
        (game.pairing.pair + 1).to_string(),
        name(config, game.pairing.white).to_owned(),
        name(config, game.pairing.black).to_owned(),
        game.result().as_str().to_owned(),
        game.termination.to_string(),
        game.detail.clone(),
        game.record.plies.len().to_string(),
        white.0,
        black.0,
        white.1,
        black.1,
        white.2,
        black.2,
        format!("{:.1}", micros(game.overhead)),
        game.record.date.clone(),
        game.record.start_fen(),
    ]
}
