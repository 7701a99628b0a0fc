//! A line for each game, for spreadsheets.

use std::io;

use super::super::config::MatchConfig;
use super::super::record::GameRecord;
use super::{TimeUse, name};

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

/// A table of games that grows.
#[derive(Debug)]
pub struct CsvTable<W: io::Write>(csv::Writer<W>);

impl<W: io::Write> CsvTable<W> {
    /// A table with its heading.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(out: W) -> io::Result<CsvTable<W>> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(COLUMNS)?;
        writer.flush()?;
        Ok(CsvTable(writer))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, config: &MatchConfig, record: &GameRecord) -> io::Result<()> {
        let [white, black] = TimeUse::of(record);
        let seconds = |s: f64| format!("{s:.3}");
        let depth =
            |side: &TimeUse| side.mean_depth().map_or_else(String::new, |d| format!("{d:.1}"));
        self.0.write_record([
            (record.game + 1).to_string(),
            (record.pairing.pair + 1).to_string(),
            name(config, record.pairing.white).to_owned(),
            name(config, record.pairing.black).to_owned(),
            record.result().as_str().to_owned(),
            record.termination.to_string(),
            record.detail.clone(),
            record.plies.len().to_string(),
            seconds(white.total),
            seconds(black.total),
            seconds(white.longest),
            seconds(black.longest),
            depth(&white),
            depth(&black),
            format!("{:.1}", record.overhead_us),
            record.date.clone(),
            record.fen.clone(),
        ])?;
        self.0.flush()
    }
}
