//! `meerslag games tree`: the moves played in a position.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use meerslag_games::TreeMove;
use movegen::words::counted;

use super::super::json;
use super::super::streams::{only_print, stdout};
use super::super::{Failure, terminal};
use super::find::QueryArgs;

const EXAMPLES: &str = "\
Examples:
  meerslag games tree club.games
      from the initial position
  meerslag games tree club.games \"B:W28,31-50:B1-20\" --player Sijbrands --years 1970-1979

A game counts for a position however it was reached. Won, drawn and lost are for the side to move. \
With --twin, games with the half-turned position count too, as in opening books.";

/// Show the moves played in a position, and their success
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

pub(super) fn run(args: &TreeArgs) -> Result<(), Failure> {
    only_print();
    let games = super::open(&args.file)?;
    let initial = args.query.initial().to_fen();
    let query = args.query.query(Some(args.position.as_deref().unwrap_or(&initial)))?;
    let tree = games.tree(&query)?;
    let mut out = stdout();
    if args.json {
        return Ok(json::write(&mut out, &tree)?);
    }
    let heading =
        ["move", " games", " part", " won", " drawn", " lost", " score", " rating", "years"];
    let percent = |part: f64| format!("{:.1} %", 100.0 * part);
    let row = |mv: &TreeMove| {
        let [won, drawn, lost] = mv.results.counts().map(|count| count.to_string());
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
            mv.share.map_or_else(String::new, percent),
            mv.rating.map_or_else(String::new, |rating| format!("{rating:.0}")),
            years,
        ]
    };
    let rows: Vec<_> = tree.moves.iter().map(row).collect();
    if !rows.is_empty() {
        write!(out, "{}", terminal::table(&heading, &rows))?;
    }
    let [won, drawn, lost] = tree.results.counts();
    let games = counted(tree.games, "game");
    Ok(writeln!(out, "{games}: {won} won, {drawn} drawn, {lost} lost, {} ended here", tree.ended)?)
}
