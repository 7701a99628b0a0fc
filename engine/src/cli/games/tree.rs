//! `meerslag games tree`: what was played in a position.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use meerslag_games::{Tree, TreeMove};
use meerslag_search::counted;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::json::{self, Record};
use super::super::streams::stdout;
use super::super::{Failure, terminal};
use super::find::QueryArgs;

const EXAMPLES: &str = "\
Examples:
  meerslag games tree club.games
      from the initial position
  meerslag games tree club.games \"B:W28,31-50:B1-20\" --player Sijbrands --years 1970-1979

A game counts for a position however it was reached. Won, drawn and lost are those of the side to \
move. With --twin the games count in which the half-turned position occurred, too, as opening books \
count them.";

/// Show what was played in a position, and with what success
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct TreeArgs {
    /// The file of games
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The position: draughts FEN or 51-character Hub string [default: the initial position]
    #[arg(value_name = "FEN")]
    position: Option<String>,
    #[command(flatten)]
    query: QueryArgs,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// What was played in a position.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GamesTree")]
pub(in crate::cli) struct GamesTreeRecord {
    /// The position.
    fen: String,
    /// Games in which it occurs.
    games: u64,
    /// Games that ended in it.
    ended: u64,
    /// Won by the side to move.
    won: u64,
    drawn: u64,
    lost: u64,
    /// The moves, those of most games first.
    moves: Vec<GamesTreeMoveRecord>,
}

/// A move of a tree.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GamesTreeMove")]
struct GamesTreeMoveRecord {
    /// The move.
    #[serde(rename = "move")]
    mv: String,
    games: u64,
    won: u64,
    drawn: u64,
    lost: u64,
    /// The share of the points, 0 to 1.
    share: Option<f64>,
    /// The mean rating of those who played it.
    rating: Option<f64>,
    first_year: Option<u32>,
    last_year: Option<u32>,
}

impl Record for GamesTreeRecord {
    const TYPE: &'static str = "games_tree";
}

/// The share of the points of won, drawn and lost games, 0 to 1.
pub(super) fn share([won, drawn, lost]: [u64; 3]) -> Option<f64> {
    let games = won + drawn + lost;
    (games > 0).then(|| (won as f64 + drawn as f64 / 2.0) / games as f64)
}

impl From<&TreeMove> for GamesTreeMoveRecord {
    fn from(mv: &TreeMove) -> GamesTreeMoveRecord {
        let [won, drawn, lost] = mv.results;
        GamesTreeMoveRecord {
            mv: mv.mv.to_string(),
            games: mv.games,
            won,
            drawn,
            lost,
            share: share(mv.results).map(|share| json::rounded(share, 4)),
            rating: mv.rating.map(|rating| json::rounded(rating, 1)),
            first_year: mv.first_year,
            last_year: mv.last_year,
        }
    }
}

impl From<&Tree> for GamesTreeRecord {
    fn from(tree: &Tree) -> GamesTreeRecord {
        let [won, drawn, lost] = tree.results;
        GamesTreeRecord {
            fen: tree.position.to_fen(),
            games: tree.games,
            ended: tree.ended,
            won,
            drawn,
            lost,
            moves: tree.moves.iter().map(GamesTreeMoveRecord::from).collect(),
        }
    }
}

pub(super) fn run(args: &TreeArgs) -> Result<(), Failure> {
    let games = super::open(&args.file)?;
    let initial = movegen::Position::initial().to_fen();
    let query = args.query.query(Some(args.position.as_deref().unwrap_or(&initial)))?;
    let tree = games.tree(&query)?;
    let mut out = stdout();
    if args.json {
        return Ok(json::write(&mut out, &GamesTreeRecord::from(&tree))?);
    }
    let heading =
        ["move", " games", " part", " won", " drawn", " lost", " score", " rating", "years"];
    let percent = |part: f64| format!("{:.1} %", 100.0 * part);
    let row = |mv: &TreeMove| {
        let [won, drawn, lost] = mv.results.map(|count| count.to_string());
        let years = match (mv.first_year, mv.last_year) {
            (Some(first), Some(last)) if first != last => format!("{first}-{last}"),
            (Some(year), _) => year.to_string(),
            _ => String::new(),
        };
        vec![
            movegen::notation::format_move(&tree.position, mv.mv),
            mv.games.to_string(),
            percent(mv.games as f64 / tree.games.max(1) as f64),
            won,
            drawn,
            lost,
            share(mv.results).map_or_else(String::new, percent),
            mv.rating.map_or_else(String::new, |rating| format!("{rating:.0}")),
            years,
        ]
    };
    let rows: Vec<_> = tree.moves.iter().map(row).collect();
    if !rows.is_empty() {
        write!(out, "{}", terminal::table(&heading, &rows))?;
    }
    let [won, drawn, lost] = tree.results;
    let games = counted(tree.games, "game");
    Ok(writeln!(out, "{games}: {won} won, {drawn} drawn, {lost} lost, {} ended here", tree.ended)?)
}
