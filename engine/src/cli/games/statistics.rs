//! `meerslag games stats`: scores.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use meerslag_games::StatisticsRow;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::json::{self, Record};
use super::super::streams::stdout;
use super::super::{Failure, terminal};
use super::find::{PositionArgs, QueryArgs};

const EXAMPLES: &str = "\
Examples:
  meerslag games stats club.games --player Sijbrands
      by colour, year, opening and opponent
  meerslag games stats club.games --years 1990-1999 --json

Scores are those of the player; without --player those of White. An opening is the first move of \
each side.";

/// Show scores by colour, year, opening and opponent
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct StatisticsArgs {
    /// The file of games
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    query: QueryArgs,
    #[command(flatten)]
    position: PositionArgs,
    /// At most so many openings and opponents
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
    /// Print JSON objects, one a line
    #[arg(long)]
    json: bool,
}

/// A score.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GamesScore")]
pub(in crate::cli) struct GamesScoreRecord<'a> {
    /// What is told apart: `all`, `color`, `year`, `opening` or `opponent`.
    group: &'static str,
    /// Which of them.
    name: &'a str,
    games: u64,
    won: u64,
    drawn: u64,
    lost: u64,
    /// The share of the points, 0 to 1.
    share: Option<f64>,
    /// Moves of both sides in the mean.
    length: Option<f64>,
}

impl Record for GamesScoreRecord<'_> {
    const TYPE: &'static str = "games_score";
}

impl<'a> From<&'a StatisticsRow> for GamesScoreRecord<'a> {
    fn from(row: &'a StatisticsRow) -> GamesScoreRecord<'a> {
        let [won, drawn, lost] = row.score.results;
        GamesScoreRecord {
            group: row.group,
            name: &row.name,
            games: row.score.games,
            won,
            drawn,
            lost,
            share: row.score.share().map(|share| json::rounded(share, 4)),
            length: row.score.length().map(|length| json::rounded(length, 1)),
        }
    }
}

pub(super) fn run(args: &StatisticsArgs) -> Result<(), Failure> {
    let games = super::open(&args.file)?;
    let query = args.query.query(args.position.text())?;
    let rows = games.statistics(&query, args.most)?;
    let mut out = stdout();
    if args.json {
        for row in &rows {
            json::write(&mut out, &GamesScoreRecord::from(row))?;
        }
        return Ok(());
    }
    let heading = ["", "", " games", " won", " drawn", " lost", " score", " plies"];
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let [won, drawn, lost] = row.score.results.map(|count| count.to_string());
            let share =
                row.score.share().map_or_else(String::new, |s| format!("{:.1} %", 100.0 * s));
            let length =
                row.score.length().map_or_else(String::new, |length| format!("{length:.1}"));
            let games = row.score.games.to_string();
            vec![row.group.to_owned(), row.name.clone(), games, won, drawn, lost, share, length]
        })
        .collect();
    Ok(write!(out, "{}", terminal::table(&heading, &lines))?)
}
