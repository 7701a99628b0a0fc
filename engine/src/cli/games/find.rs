//! `meerslag games find`: the games that fulfil conditions.

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use egdb::Slice;
use meerslag_games::{GameFoundRecord, Hit, Manoeuvre, Outcome, Pattern, Query, Sacrifice, Sort};
use movegen::Color;
use movegen::words::{counted, parse_range};

use super::super::files::{self, ForceArgs};
use super::super::json;
use super::super::streams::{plain, stdout};
use super::super::{Failure, source, terminal};

const EXAMPLES: &str = "\
Examples:
  meerslag games find club.games --player Sijbrands --opponent Wiersma --years 1970-1979
  meerslag games find club.games --player Sijbrands --white --result loss --sort date
  meerslag games find club.games --position \"B:W28,31-50:B1-20\" --limit 0
      how many games have the position
  meerslag games find club.games --pattern \"w27,32 .22 b18 one-of b12,13\" --lasting 6
  meerslag games find club.games --moves \"31-26 36-31\" --within 6 --twin
  meerslag games find club.games --sacrifice 2 --result win --player Sijbrands --pdn -o two.pdn

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
    query: QueryArgs,
    #[command(flatten)]
    position: PositionArgs,
    /// The order of the games
    #[arg(long, value_name = "ORDER", value_enum, default_value = "number")]
    sort: Order,
    /// At most this many games; all of them with --pdn and --json
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Leave out this many games at the beginning
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Write the games as PDN
    #[arg(long, conflicts_with = "json")]
    pdn: bool,
    /// Write to this file
    #[arg(short, long, value_name = "FILE", requires = "pdn")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Print JSON objects, one a line
    #[arg(long)]
    json: bool,
}

impl FindArgs {
    /// See [`super::GamesArgs::only_prints`].
    pub(super) fn only_prints(&self) -> bool {
        self.out().is_none()
    }

    fn out(&self) -> Option<&Path> {
        self.out.as_deref().and_then(files::given)
    }
}

/// Which games.
#[derive(Args, Clone, Debug)]
pub(super) struct QueryArgs {
    /// Games of this player
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Games against this player
    #[arg(long, value_name = "NAME")]
    opponent: Option<String>,
    /// The player has White
    #[arg(long, requires = "player", conflicts_with = "black")]
    white: bool,
    /// The player has Black
    #[arg(long, requires = "player")]
    black: bool,
    /// The event, or where it was played
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Years: 1990-2010, 1990- or 1990
    #[arg(long, value_name = "YEARS", value_parser = parse_range)]
    years: Option<RangeInclusive<u32>>,
    /// The result: 2-0, 1-1, 0-2, '*' (not known), or win, draw, loss of the player
    #[arg(long, value_name = "RESULT")]
    result: Option<Outcome>,
    /// Both players have at least this rating
    #[arg(long, value_name = "RATING")]
    min_rating: Option<u32>,
    /// Moves of both sides: 40-80, 100- or -20
    #[arg(long, value_name = "PLIES", value_parser = parse_range, allow_hyphen_values = true)]
    length: Option<RangeInclusive<u32>>,
    /// This material occurs: black men, black kings, white men, white kings, a digit each
    #[arg(long, value_name = "BBWW")]
    material: Option<Slice>,
    /// This pattern occurs, see below
    #[arg(long, value_name = "SQUARES")]
    pattern: Option<Pattern>,
    /// The pattern lasts for this many positions in a row
    #[arg(long, value_name = "N", default_value_t = 1, requires = "pattern",
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    lasting: u32,
    /// These moves are played in this order, others between them or not
    #[arg(long, value_name = "MOVES")]
    moves: Option<Manoeuvre>,
    /// From the first of --moves to the last, or of --sacrifice, at most this many plies
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    within: Option<u32>,
    /// This many men are given within --within plies (10) and never regained; a king counts as three
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=60))]
    sacrifice: Option<u32>,
    /// The side that gives them
    #[arg(long, value_name = "COLOR", requires = "sacrifice", value_parser = color)]
    by: Option<Color>,
    /// Look only at this stretch of a game: plies 20-40, 60- or -30
    #[arg(long, value_name = "PLIES", value_parser = parse_range, allow_hyphen_values = true)]
    plies: Option<RangeInclusive<u32>>,
    /// Position, material, pattern and moves also with the board turned by 180 degrees and the
    /// colours exchanged
    #[arg(long)]
    twin: bool,
}

/// The position.
#[derive(Args, Clone, Debug)]
pub(super) struct PositionArgs {
    /// This position occurs: draughts FEN or 51-character Hub string
    #[arg(long, value_name = "FEN")]
    position: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Order {
    /// As they were added
    Number,
    /// The latest first
    Date,
    /// The highest sum of ratings first
    Rating,
    /// White's name
    White,
    /// Black's name
    Black,
    /// The event's name
    Event,
    /// The longest first
    Length,
}

fn color(text: &str) -> Result<Color, String> {
    match text {
        "white" => Ok(Color::White),
        "black" => Ok(Color::Black),
        _ => Err("expected white or black".to_owned()),
    }
}

impl QueryArgs {
    /// The player of the games.
    pub(super) fn player(&self) -> Option<&str> {
        self.player.as_deref()
    }

    pub(super) fn query(&self, position: Option<&str>) -> Result<Query, Failure> {
        let color = match (self.white, self.black) {
            (true, _) => Some(Color::White),
            (_, true) => Some(Color::Black),
            _ => None,
        };
        let position = position.map(|text| source::position(Some(text))).transpose()?;
        let within = self.within.map_or(Sacrifice::PLIES, |plies| plies as usize);
        Ok(Query {
            player: self.player.clone(),
            opponent: self.opponent.clone(),
            color,
            event: self.event.clone(),
            years: self.years.clone(),
            outcome: self.result,
            min_rating: self.min_rating,
            length: self.length.clone(),
            ids: None,
            position,
            material: self.material,
            pattern: self.pattern.clone(),
            lasting: self.lasting as usize,
            moves: self.moves.clone(),
            within: self.within.unwrap_or(0) as usize,
            sacrifice: self.sacrifice.map(|men| Sacrifice {
                men: men as i32,
                within,
                side: self.by,
            }),
            stretch: self.plies.clone(),
            twin: self.twin,
            sort: Sort::Number,
        })
    }

    /// Whether any condition is given.
    pub(super) fn says_something(&self) -> bool {
        self.player.is_some()
            || self.opponent.is_some()
            || self.event.is_some()
            || self.years.is_some()
            || self.result.is_some()
            || self.min_rating.is_some()
            || self.length.is_some()
            || self.material.is_some()
            || self.pattern.is_some()
            || self.moves.is_some()
            || self.sacrifice.is_some()
    }
}

impl PositionArgs {
    pub(super) fn text(&self) -> Option<&str> {
        self.position.as_deref()
    }
}

/// Games of the table.
const ROWS: u64 = 50;

pub(super) fn run(args: &FindArgs) -> Result<(), Failure> {
    if let Some(out) = args.out() {
        files::check_distinct(&[("FILE", Some(&args.file))], &[("--out", Some(out))])?;
        files::check(out, args.force.existing())?;
    }
    let games = super::open(&args.file)?;
    let sort = match args.sort {
        Order::Number => Sort::Number,
        Order::Date => Sort::Date,
        Order::Rating => Sort::Rating,
        Order::White => Sort::White,
        Order::Black => Sort::Black,
        Order::Event => Sort::Event,
        Order::Length => Sort::Plies,
    };
    let query = Query { sort, ..args.query.query(args.position.text())? };
    let is_table = !args.pdn && !args.json;
    let most = args.limit.unwrap_or(if is_table { ROWS } else { u64::MAX });
    let page = games.find(&query, args.skip, most)?;
    if args.pdn {
        let ids: Vec<i64> = page.hits.iter().map(|hit| hit.game.id).collect();
        let all = ids.len() as u64;
        return super::write_pdn(games, Some(ids), all, args.out(), args.force.existing());
    }
    let mut out = stdout();
    if args.json {
        for hit in &page.hits {
            json::write(&mut out, &GameFoundRecord::from(hit))?;
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
fn table(hits: &[Hit]) -> String {
    if hits.is_empty() {
        return String::new();
    }
    let has_plies = hits.iter().any(|hit| !hit.plies.is_empty());
    let mut heading = vec![" game", "date", "white", "black", "result", " plies"];
    if has_plies {
        heading.push(" at");
    }
    let name = if has_plies { 18 } else { 21 };
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
            row
        })
        .collect();
    terminal::table(&heading, &rows)
}

/// The games that options mean, for commands that change them; all need a condition.
pub(super) fn ids(
    games: &meerslag_games::GamesFile,
    query: &QueryArgs,
    position: &PositionArgs,
    list: &[i64],
) -> Result<Vec<i64>, Failure> {
    if list.is_empty() && !query.says_something() && position.text().is_none() {
        let text = "say which games: --game N, or a condition such as --player NAME";
        return Err(Failure::Input(anyhow!(text)));
    }
    let mut query = query.query(position.text())?;
    if !list.is_empty() {
        query.ids = Some(list.to_vec());
    }
    Ok(games.find_ids(&query)?)
}
