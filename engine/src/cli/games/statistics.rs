//! `meerslag games stats`: scores.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use meerslag_games::{Group, SideScore, StatisticsRow, Successes};
use meerslag_pages::{ScoreRow, ScoreTable, ScoresPage};
use meerslag_study::records::accuracy;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::databases::DatabaseArgs;
use super::super::files::{self, ForceArgs};
use super::super::json::{self, Record};
use super::super::progress::Bar;
use super::super::streams::{only_print, stdout};
use super::super::{Failure, terminal};
use super::find::{SelectionArgs, cut};

const EXAMPLES: &str = "\
Examples:
  meerslag games stats club.games --player Sijbrands
      by colour, endgame, year, opening and opponent
  meerslag games stats club.games --player Sijbrands --egdb /data/egdb --html sijbrands.html
  meerslag games stats club.games --years 1990-1999 --json

Scores are those of the player; without --player those of White, and of each player. An opening is \
the first move of each side. Endgames are grouped by the value, for the player, of the first \
position that the databases know: the score of the group 'won' tells how many were won. Games with \
scores after their moves, as 'annotate' writes them, tell how well the player played: accuracy, \
and inaccuracies, mistakes and blunders.";

/// Show scores by colour, endgame, year, opening and opponent
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct StatisticsArgs {
    /// The file of games
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    conditions: SelectionArgs,
    /// At most this many openings, opponents and players
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
    /// Print JSON objects, one a line
    #[arg(long)]
    json: bool,
    /// Write a page for the browser and for paper as well
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    databases: DatabaseArgs,
}

/// A score.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GamesScore")]
pub(in crate::cli) struct GamesScoreRecord<'a> {
    /// The grouping: `all`, `color`, `endgame`, `year`, `opening`, `opponent` or `player`.
    group: &'static str,
    /// The group; for endgames `won`, `drawn` or `lost` by the databases.
    name: &'a str,
    games: u64,
    #[serde(flatten)]
    results: Successes,
    /// The share of the points, 0 to 1.
    share: Option<f64>,
    /// Moves of both sides in the mean.
    length: Option<f64>,
    /// Moves with a choice in games with scores after their moves.
    annotated_moves: u32,
    /// The mean share of the points that one of these kept, in percent.
    accuracy: Option<f64>,
    inaccuracies: u32,
    mistakes: u32,
    blunders: u32,
}

impl Record for GamesScoreRecord<'_> {
    const TYPE: &'static str = "games_score";
}

impl<'a> From<&'a StatisticsRow> for GamesScoreRecord<'a> {
    fn from(row: &'a StatisticsRow) -> GamesScoreRecord<'a> {
        let SideScore { games, results, play, .. } = row.score;
        let [inaccuracies, mistakes, blunders] = play.grades;
        GamesScoreRecord {
            group: row.group.name(),
            name: &row.name,
            games,
            results,
            share: results.share().map(|share| json::rounded(share, 4)),
            length: row.score.length().map(|length| json::rounded(length, 1)),
            annotated_moves: play.moves,
            accuracy: accuracy(&play),
            inaccuracies,
            mistakes,
            blunders,
        }
    }
}

pub(super) fn run(args: &StatisticsArgs) -> Result<(), Failure> {
    if args.html.is_none() {
        only_print();
    }
    if let Some(html) = &args.html {
        files::check_distinct(&[("FILE", Some(&args.file))], &[("--html", Some(html))])?;
        files::check(html, args.force.existing())?;
    }
    let rows = read(args)?;
    if let Some(html) = &args.html {
        let page = page(args, &rows).to_html();
        files::write(html, page.as_bytes(), args.force.existing())?;
    }
    let mut out = stdout();
    if args.json {
        for row in &rows {
            json::write(&mut out, &GamesScoreRecord::from(row))?;
        }
        return Ok(());
    }
    let has_play = is_annotated(&rows);
    let mut heading = vec!["".to_owned(), String::new()];
    heading.extend(columns(has_play).into_iter().map(|name| format!(" {name}")));
    let lines = rows.iter().map(|row| {
        let mut line = vec![row.group.name().to_owned(), cut(&row.name, 25)];
        line.extend(cells(&row.score, has_play));
        line
    });
    let heading: Vec<&str> = heading.iter().map(String::as_str).collect();
    Ok(write!(out, "{}", terminal::table(&heading, &lines.collect::<Vec<_>>()))?)
}

fn read(args: &StatisticsArgs) -> Result<Vec<StatisticsRow>, Failure> {
    let mut games = super::open(&args.file)?;
    let query = args.conditions.query()?;
    let probe = args.databases.open()?;
    let interrupt = super::interrupted(&mut games)?;
    let bar = Bar::new("games");
    Ok(games.statistics(&query, args.most, &probe, &mut |done, all| {
        bar.show(done, all, String::new);
        !interrupt.is_pressed()
    })?)
}

fn is_annotated(rows: &[StatisticsRow]) -> bool {
    rows.iter().any(|row| row.score.play.moves > 0)
}

/// The names of the figures of a line; the last ones appear if a game is annotated.
fn columns(has_play: bool) -> Vec<&'static str> {
    let mut columns = vec!["games", "won", "drawn", "lost", "score", "plies"];
    if has_play {
        columns.extend(["accuracy", "(?)", "?", "??"]);
    }
    columns
}

/// The figures of a line.
fn cells(score: &SideScore, has_play: bool) -> Vec<String> {
    let percent = |part: Option<f64>| part.map_or_else(String::new, |part| format!("{part:.1} %"));
    let mut cells = vec![score.games.to_string()];
    cells.extend(score.results.counts().map(|count| count.to_string()));
    cells.push(percent(score.results.share().map(|share| 100.0 * share)));
    cells.push(score.length().map_or_else(String::new, |length| format!("{length:.1}")));
    if has_play {
        cells.push(percent(score.play.accuracy()));
        cells.extend(score.play.grades.map(|count| count.to_string()));
    }
    cells
}

/// The groups in the order of a page, with their titles.
const TITLES: [(Group, &str); 7] = [
    (Group::All, "All games"),
    (Group::Color, "By colour"),
    (Group::Endgame, "Endgames, by their value in the databases"),
    (Group::Year, "By year"),
    (Group::Opening, "By opening"),
    (Group::Opponent, "By opponent"),
    (Group::Player, "By player"),
];

const NOTES: [&str; 2] = [
    "Score: the share of the points. Plies: moves of both sides in the mean. An endgame counts by the \
     value, for the side whose score it is, of the first position of the game that the databases know.",
    "Accuracy: the part of the points that a move kept in the mean, and inaccuracies (?), mistakes ? and \
     blunders ??, in games with scores after their moves.",
];

fn page(args: &StatisticsArgs, rows: &[StatisticsRow]) -> ScoresPage {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let file = name(&args.file).unwrap_or_default();
    let player = args.conditions.conditions.player();
    let has_play = is_annotated(rows);
    let tables = TITLES.into_iter().map(|(group, title)| {
        let rows = rows.iter().filter(|row| row.group == group).map(|row| ScoreRow {
            name: row.name.clone(),
            cells: cells(&row.score, has_play),
            results: row.score.results.counts(),
        });
        ScoreTable { title, rows: rows.collect() }
    });
    ScoresPage {
        title: player.unwrap_or(&file).to_owned(),
        about: vec![
            ("file of games", file.clone()),
            ("scores of", player.unwrap_or("White, unless a player is named").to_owned()),
        ],
        columns: columns(has_play),
        tables: tables.filter(|table| !table.rows.is_empty()).collect(),
        notes: NOTES[..1 + usize::from(has_play)].to_vec(),
    }
}
