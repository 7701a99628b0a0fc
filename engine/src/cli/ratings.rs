//! `meerslag ratings`: a rating list from matches, tournaments and games.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use meerslag_harness::runner::StateFile;
use meerslag_harness::runner::stats::{
    Estimate, FirstMove, NOT_KNOWN, RatedPlayer, RatingGames, RatingList,
};
use movegen::notation::pdn::PdnReader;
use movegen::words::counted;
use schemars::JsonSchema;
use serde::Serialize;

use super::json::{self, Record, rounded};
use super::source::EncodingArgs;
use super::streams::{note, only_print, plain, stdout};
use super::{Failure, files, source, terminal};

const EXAMPLES: &str = "\
Examples:
  meerslag ratings match.jsonl
  meerslag ratings cup.jsonl league.pdn --anchor \"Scan 3.1=2500\"
      state files and PDN together; Scan 3.1 has 2500
  meerslag ratings games.pdn --min-games 30 --advantage 0 --matrix
      players with 30 games or more, no advantage of White; who is stronger than whom

A difference of 100 is an expected score of 64 %, as everywhere in meerslag. A draw is half a point. \
The interval (95 %) is that of the difference to the anchor, without one to the mean of the players. \
LOS is the likelihood that a player is stronger than the next one of the list.";

/// Rate the players of matches, tournaments and PDN files: one list with intervals
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct RatingsArgs {
    /// State files of 'match' and 'tournament', PDN files, databases of games; '-' reads PDN from
    /// standard input
    #[arg(value_name = "FILE", required = true)]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    encoding: EncodingArgs,
    /// This player has this rating [default: the mean of all is 0]
    #[arg(long, value_name = "NAME=ELO", value_parser = anchor)]
    anchor: Option<(String, f64)>,
    /// The advantage of the first move for White, in Elo [default: from the games]
    #[arg(long, value_name = "ELO", value_parser = elo, allow_negative_numbers = true)]
    advantage: Option<f64>,
    /// Leave out players with fewer games among those who stay
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u64).range(1..))]
    min_games: u64,
    /// Also show for each two players how likely the one is stronger than the other
    #[arg(long)]
    matrix: bool,
    /// Print a JSON object for each player, and one for all
    #[arg(long)]
    json: bool,
}

fn elo(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.trim().parse().ok();
    let value = value.filter(|value| value.abs() <= 10_000.0);
    value.ok_or_else(|| "expected a number of Elo from -10000 to 10000".to_owned())
}

/// `Scan 3.1=2500`.
fn anchor(text: &str) -> Result<(String, f64), String> {
    let expected = || "expected a player and a rating, such as Scan=2500".to_owned();
    let (name, value) = text.rsplit_once('=').ok_or_else(expected)?;
    let name = name.trim();
    if name.is_empty() { Err(expected()) } else { Ok((name.to_owned(), elo(value)?)) }
}

/// A player of a rating list.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Rating")]
pub(super) struct RatingRecord<'a> {
    name: &'a str,
    /// Ratings can be compared within a group, from 1; null for a player without a finite rating.
    group: Option<usize>,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    points: f64,
    /// The likelihood that it is stronger than the next player, 0 to 1.
    superiority: Option<f64>,
    /// With `--matrix` the likelihood that it is stronger than each other player, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    superior_to: BTreeMap<&'a str, f64>,
}

impl Record for RatingRecord<'_> {
    const TYPE: &'static str = "rating";
}

/// The games of the list.
#[derive(Serialize, JsonSchema)]
pub(super) struct RatingsSummaryRecord {
    players: usize,
    games: u64,
    /// Games without a result for both players, or without names.
    left_out: u64,
    /// Groups of players whose ratings cannot be compared.
    groups: usize,
    /// The advantage of the first move to White, in Elo; null if the games do not determine it.
    advantage: Option<f64>,
    advantage_low: Option<f64>,
    advantage_high: Option<f64>,
    white_wins: u64,
    draws: u64,
    black_wins: u64,
}

impl Record for RatingsSummaryRecord {
    const TYPE: &'static str = "ratings_summary";
}

/// JSON has no infinity.
fn finite(value: f64) -> Option<f64> {
    Some(rounded(value, 2)).filter(|value| value.is_finite())
}

/// The games of all files, and how many of them do not count.
#[derive(Default)]
struct Collection {
    games: RatingGames,
    left_out: u64,
}

impl Collection {
    fn read(&mut self, path: &Path, encoding: EncodingArgs) -> anyhow::Result<()> {
        let before = self.games.games() + self.left_out;
        let is_input = files::given(path).is_none();
        if !is_input && StateFile::is_state(path).with_context(|| cannot_read(path))? {
            self.read_state(path)?;
        } else {
            self.read_pdn(path, encoding)?;
        }
        self.games.end_file();
        if self.games.games() + self.left_out == before {
            note(format_args!("warning: {}: no games", path.display()));
        }
        Ok(())
    }

    fn read_state(&mut self, path: &Path) -> anyhow::Result<()> {
        let (config, results) = StateFile::read(path)?;
        let name = |engine: usize| config.engines.get(engine).map(|engine| engine.name.as_str());
        for game in results.games() {
            let players = name(game.pairing.white).zip(name(game.pairing.black));
            let is_counted = players.is_some_and(|(white, black)| {
                self.games.add_result(white, black, game.result(), &game.record.start)
            });
            self.left_out += u64::from(!is_counted);
        }
        Ok(())
    }

    fn read_pdn(&mut self, path: &Path, encoding: EncodingArgs) -> anyhow::Result<()> {
        let name = path.display().to_string();
        let text = source::open_text(path).with_context(|| cannot_read(path))?;
        let mut reader = PdnReader::with_options(BufReader::new(text), encoding.options());
        for game in reader.by_ref() {
            let game = game.with_context(|| cannot_read(path))?;
            let player = |tag| game.tags.get(tag).filter(|name| !matches!(*name, "" | "?"));
            let players = player("White").zip(player("Black")).filter(|(one, other)| one != other);
            let is_counted = players.is_some_and(|(white, black)| {
                self.games.add_result(white, black, game.result, &game.start)
            });
            self.left_out += u64::from(!is_counted);
        }
        source::warn(&name, reader.warnings());
        Ok(())
    }
}

fn cannot_read(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

pub(super) fn run(args: &RatingsArgs) -> Result<(), Failure> {
    only_print();
    let mut all = Collection::default();
    for input in files::each_once(&args.inputs) {
        all.read(&input, args.encoding).map_err(Failure::Input)?;
    }
    let Collection { games, left_out } = all;
    let games = games.with_at_least(args.min_games);
    let most = RatingGames::MAX_PLAYERS;
    if games.players() > most {
        return Err(Failure::Input(anyhow!(
            "{} players are too many to be rated together: at most {most}; --min-games leaves out \
             those with few games",
            games.players()
        )));
    }
    if let Some((name, _)) = &args.anchor
        && !games.has(name)
    {
        return Err(Failure::Input(anyhow!("no game of a player called '{name}' counts")));
    }
    let first_move = args.advantage.map_or(FirstMove::Estimated, FirstMove::Fixed);
    let anchor = args.anchor.as_ref().map(|(name, elo)| (name.as_str(), *elo));
    let list = RatingList::new(&games, first_move, anchor)
        .ok_or_else(|| Failure::Input(anyhow!("no game with a result and two players")))?;
    warn(&list);
    if args.json {
        print_json(args, &games, left_out, &list)?;
    } else {
        print_text(args, &games, left_out, &list)?;
    }
    Ok(())
}

/// Reports the limits of the list.
fn warn(list: &RatingList) {
    if list.connected > 1 {
        note(format_args!(
            "warning: the players are {} groups without games between them: their ratings cannot be \
             compared",
            list.connected
        ));
    } else if list.groups > 1 {
        note(format_args!(
            "warning: one side won all games between some of the {} groups: ratings of different \
             groups cannot be compared",
            list.groups
        ));
    }
    let alone = list.players.iter().filter(|player| player.group.is_none()).count();
    if alone > 0 {
        note(format_args!(
            "warning: {} without a rating: nothing but wins or nothing but losses against all \
             who are rated; these games say nothing about the others",
            counted(alone, "player")
        ));
    }
    if list.first_move.is_none() {
        note("warning: the games do not determine the advantage of the first move: taken as 0");
    }
}

fn rating_text(player: &RatedPlayer) -> [String; 2] {
    match player.elo {
        None => [NOT_KNOWN.to_owned(), "-".to_owned()],
        Some(elo) if elo.value.is_infinite() => [elo.to_string(), "-".to_owned()],
        Some(elo) => [format!("{:.1}", elo.value), error_text(elo)],
    }
}

fn error_text(elo: Estimate) -> String {
    let error = elo.error();
    if error.is_finite() { format!("{error:.1}") } else { NOT_KNOWN.to_owned() }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1}%", 100.0 * share))
}

fn print_text(
    args: &RatingsArgs,
    games: &RatingGames,
    left_out: u64,
    list: &RatingList,
) -> io::Result<()> {
    let mut out = stdout();
    let heading =
        ["place", "player", " Elo", " ±", " games", " points", " score", " draws", " LOS"];
    let row = |(place, player): (usize, &RatedPlayer)| {
        let [elo, error] = rating_text(player);
        vec![
            (place + 1).to_string(),
            player.name.clone(),
            elo,
            error,
            player.games.games().to_string(),
            format!("{:.1}", player.games.points()),
            percent(player.games.score()),
            percent(player.games.draw_ratio()),
            percent(list.superiority(place, place + 1)),
        ]
    };
    let rows: Vec<(Option<usize>, Vec<String>)> =
        list.players.iter().enumerate().map(|it| (it.1.group, row(it))).collect();
    for (index, group) in rows.chunk_by(|(one, _), (other, _)| one == other).enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        match group.first().and_then(|(group, _)| *group) {
            Some(number) if list.groups > 1 => writeln!(out, "group {}", number + 1)?,
            None if list.groups > 0 => writeln!(out, "without a rating")?,
            _ => {}
        }
        let rows: Vec<_> = group.iter().map(|(_, row)| row.clone()).collect();
        write!(out, "{}", terminal::table(&heading, &rows))?;
    }
    if args.matrix {
        writeln!(
            out,
            "\nlikelihood in percent that the player is stronger than the one with this place"
        )?;
        let numbers: Vec<String> = (1..=list.players.len()).map(|n| format!(" {n}")).collect();
        let heading: Vec<&str> =
            ["place", "player"].into_iter().chain(numbers.iter().map(String::as_str)).collect();
        let rows = list.players.iter().enumerate().map(|(place, player)| {
            let others = (0..list.players.len()).map(|other| {
                let likelihood = list.superiority(place, other);
                likelihood.map_or_else(|| "-".to_owned(), |it| format!("{:.1}", 100.0 * it))
            });
            [(place + 1).to_string(), player.name.clone()].into_iter().chain(others).collect()
        });
        write!(out, "{}", terminal::table(&heading, &rows.collect::<Vec<_>>()))?;
    }
    let white = games.white();
    let names = counted(list.players.len(), "player");
    writeln!(
        out,
        "\n{} of {names}: +{} ={} -{} for White",
        counted(games.games(), "game"),
        white.wins,
        white.draws,
        white.losses
    )?;
    if left_out > 0 {
        writeln!(
            out,
            "{} without a result or without two players left out",
            counted(left_out, "game")
        )?;
    }
    if let Some(first_move) = list.first_move {
        let given = if args.advantage.is_some() { ", as given" } else { "" };
        let (value, error) = (first_move.value, error_text(first_move));
        let error = if args.advantage.is_some() { String::new() } else { format!(" ±{error}") };
        writeln!(out, "advantage of the first move: {value:+.1}{error} Elo{given}")?;
    }
    if let Some((name, elo)) = &args.anchor {
        writeln!(out, "anchor: {} has {elo:.1}", plain(name))?;
    }
    out.flush()
}

fn print_json(
    args: &RatingsArgs,
    games: &RatingGames,
    left_out: u64,
    list: &RatingList,
) -> io::Result<()> {
    let mut out = stdout();
    let likelihood = |one, other| list.superiority(one, other).map(|it| rounded(it, 4));
    for (place, player) in list.players.iter().enumerate() {
        let others = if args.matrix { 0..list.players.len() } else { 0..0 };
        let elo = player.elo;
        let record = RatingRecord {
            name: &player.name,
            group: player.group.map(|group| group + 1),
            elo: elo.and_then(|elo| finite(elo.value)),
            elo_low: elo.and_then(|elo| finite(elo.low)),
            elo_high: elo.and_then(|elo| finite(elo.high)),
            games: player.games.games(),
            wins: player.games.wins,
            draws: player.games.draws,
            losses: player.games.losses,
            points: player.games.points(),
            superiority: likelihood(place, place + 1),
            superior_to: others
                .filter_map(|other| {
                    Some((list.players[other].name.as_str(), likelihood(place, other)?))
                })
                .collect(),
        };
        json::write(&mut out, &record)?;
    }
    let white = games.white();
    let first_move = list.first_move;
    json::write(
        &mut out,
        &RatingsSummaryRecord {
            players: list.players.len(),
            games: games.games(),
            left_out,
            groups: list.groups,
            advantage: first_move.and_then(|elo| finite(elo.value)),
            advantage_low: first_move.and_then(|elo| finite(elo.low)),
            advantage_high: first_move.and_then(|elo| finite(elo.high)),
            white_wins: white.wins,
            draws: white.draws,
            black_wins: white.losses,
        },
    )?;
    out.flush()
}
