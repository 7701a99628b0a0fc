//! `meerslag games find`: the games that fulfil conditions.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use meerslag_games::{GameFound, GamesFile, PdnText, Query, Sort};
use movegen::words::counted;
use movegen::{Color, Position};

use super::super::json;
use super::super::streams::{only_print, plain, stdout};
use super::super::{Failure, source, terminal};

const EXAMPLES: &str = "\
Examples:
  meerslag games find club.games --player Sijbrands --opponent Wiersma --years 1970-1979
  meerslag games find club.games --player Sijbrands --white --result loss --sort date
  meerslag games find club.games --position \"B:W28,31-50:B1-20\" --limit 0
      how many games have the position
  meerslag games find club.games --pattern \"w27,32 .22 b18 one-of b12,13\" --lasting 6
  meerslag games find club.games --moves \"31-26 36-31\" --within 6 --twin
  meerslag games find club.games --variant frisian --player Wassenaar
  meerslag games find club.games --sacrifice 2 --result win --player Sijbrands --pdn > two.pdn

Names: each word begins a word of the name, in any order, ignoring capitals and accents; with *, ? \
or [ab] the text is a pattern of the whole name.

Patterns: w27,28 white men, W white kings, b and B black ones, . empty squares. All squares after \
'must' (or no word) must match, at least one after 'one-of', and none after 'not'.

All conditions must hold. 'at' is the number of plies after which they do.";

/// Find games by players, event, years, result, position, pattern, moves
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct FindArgs {
    /// The file of games
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    conditions: SelectionArgs,
    /// The order of the games
    #[arg(long, value_name = "ORDER", default_value = "number")]
    sort: Sort,
    /// At most this many games; all of them with --pdn and --json
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Leave out this many games at the beginning
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Write the games as PDN
    #[arg(long, conflicts_with = "json")]
    pdn: bool,
    /// Print JSON objects, one a line
    #[arg(long)]
    json: bool,
}

/// The conditions on games.
#[derive(Args, Clone, Debug)]
pub(super) struct QueryArgs {
    #[command(flatten)]
    query: Query,
    /// The player has White
    #[arg(long, requires = "player", conflicts_with = "black")]
    white: bool,
    /// The player has Black
    #[arg(long, requires = "player")]
    black: bool,
}

impl QueryArgs {
    /// The player of the games.
    pub(super) fn player(&self) -> Option<&str> {
        self.query.player.as_deref()
    }

    /// The games that meet them and have this position.
    pub(super) fn query(&self, position: Option<&str>) -> Result<Query, Failure> {
        let color = match (self.white, self.black) {
            (true, _) => Some(Color::White),
            (_, true) => Some(Color::Black),
            _ => None,
        };
        let variant = self.query.variant.unwrap_or_default();
        let read = |text| source::start_in(Some(text), variant).map(|game| *game.position());
        let position = position.map(read).transpose()?;
        Ok(Query { color, position, ..self.query.clone() })
    }

    /// Where the games start.
    pub(super) fn initial(&self) -> Position {
        Position::initial_of(self.query.variant.unwrap_or_default())
    }
}

/// Which games.
#[derive(Args, Clone, Debug)]
pub(in super::super) struct SelectionArgs {
    #[command(flatten)]
    pub(super) conditions: QueryArgs,
    /// This position occurs: draughts FEN or 51-character Hub string
    #[arg(long, value_name = "FEN")]
    position: Option<String>,
}

impl SelectionArgs {
    pub(super) fn query(&self) -> Result<Query, Failure> {
        self.conditions.query(self.position.as_deref())
    }

    /// The numbers of the games, and of those in `list`; `None` for all games of the file.
    pub(super) fn ids(&self, file: &GamesFile, list: &[i64]) -> Result<Option<Vec<i64>>, Failure> {
        let ids = (!list.is_empty()).then(|| list.to_vec());
        let query = Query { ids, ..self.query()? };
        if query.position.is_none() && query.is_of_all(file)? {
            return Ok(None);
        }
        Ok(Some(file.find_ids(&query)?))
    }
}

/// Games of the table.
const ROWS: u64 = 50;

pub(super) fn run(args: &FindArgs) -> Result<(), Failure> {
    only_print();
    let games = super::open(&args.file)?;
    let query = Query { sort: args.sort, ..args.conditions.query()? };
    let is_table = !args.pdn && !args.json;
    let most = args.limit.unwrap_or(if is_table { ROWS } else { u64::MAX });
    let page = games.find(&query, args.skip, most)?;
    if args.pdn {
        let ids: Vec<i64> = page.hits.iter().map(|hit| hit.game.id).collect();
        io::copy(&mut PdnText::of(games, ids), &mut stdout()).map_err(super::read_failure)?;
        return Ok(());
    }
    let mut out = stdout();
    if args.json {
        for hit in &page.hits {
            json::write(&mut out, hit)?;
        }
        return Ok(());
    }
    write!(out, "{}", table(&page.hits))?;
    let shown = page.hits.len() as u64;
    let text = match shown == page.total {
        true => counted(page.total, "game"),
        false => format!("{}, {shown} shown", counted(page.total, "game")),
    };
    Ok(writeln!(out, "{text}")?)
}

/// Text cut to this many characters.
pub(super) fn cut(text: &str, most: usize) -> String {
    let text = plain(text);
    if text.chars().count() <= most {
        return text.into_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// Games as lines of at most 80 columns.
fn table(hits: &[GameFound]) -> String {
    if hits.is_empty() {
        return String::new();
    }
    let has_variants = hits.iter().any(|hit| !hit.game.variant.is_international());
    let has_plies = hits.iter().any(|hit| !hit.plies.is_empty());
    let mut heading = vec![" game", "date", "white", "black", "result", " plies"];
    if has_plies {
        heading.push(" at");
    }
    if has_variants {
        heading.push("variant");
    }
    let name = [21, 18, 14, 11][usize::from(has_plies) + 2 * usize::from(has_variants)];
    let rows: Vec<Vec<String>> = hits
        .iter()
        .map(|hit| {
            let game = &hit.game;
            let mut row = vec![
                game.id.to_string(),
                cut(&game.date, 10),
                cut(&game.white, name),
                cut(&game.black, name),
                game.result.as_str().to_owned(),
                game.plies.to_string(),
            ];
            if has_plies {
                let first = hit.plies.first().map_or_else(String::new, ToString::to_string);
                let more = if hit.plies.len() > 1 { "…" } else { "" };
                row.push(first + more);
            }
            if has_variants {
                row.push(game.variant.to_string());
            }
            row
        })
        .collect();
    terminal::table(&heading, &rows)
}
