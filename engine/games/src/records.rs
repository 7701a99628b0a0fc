//! What programs get from a file of games, as JSON.

use meerslag_study::digits::rounded;
use meerslag_study::records::Record;
use schemars::JsonSchema;
use serde::Serialize;

use crate::find::{Hit, Page};
use crate::rows::GameHeader;
use crate::tree::{Tree, TreeMove};

/// A game that was found.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GameFound")]
pub struct GameFoundRecord<'a> {
    /// Its number in the file.
    game: i64,
    /// The players.
    white: &'a str,
    black: &'a str,
    /// The result.
    result: &'static str,
    /// The date as the game has it.
    date: &'a str,
    /// The year of it.
    year: Option<u32>,
    event: &'a str,
    site: &'a str,
    round: &'a str,
    white_rating: Option<u32>,
    black_rating: Option<u32>,
    /// Moves of both sides.
    plies: u32,
    /// The plies after which the query is fulfilled.
    at: &'a [u32],
}

impl Record for GameFoundRecord<'_> {
    const TYPE: &'static str = "game_found";
}

impl<'a> From<&'a Hit> for GameFoundRecord<'a> {
    fn from(hit: &'a Hit) -> GameFoundRecord<'a> {
        let GameHeader { id, white, black, event, site, round, date, year, .. } = &hit.game;
        GameFoundRecord {
            game: *id,
            white,
            black,
            result: hit.game.result.as_str(),
            date,
            year: *year,
            event,
            site,
            round,
            white_rating: hit.game.white_rating,
            black_rating: hit.game.black_rating,
            plies: hit.game.plies,
            at: &hit.plies,
        }
    }
}

/// A part of the games that were found.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GamesFound")]
pub struct GamesFoundRecord<'a> {
    /// How many games were found.
    total: u64,
    /// The games of this part.
    games: Vec<GameFoundRecord<'a>>,
}

impl Record for GamesFoundRecord<'_> {
    const TYPE: &'static str = "games_found";
}

impl<'a> From<&'a Page> for GamesFoundRecord<'a> {
    fn from(page: &'a Page) -> GamesFoundRecord<'a> {
        GamesFoundRecord {
            total: page.total,
            games: page.hits.iter().map(GameFoundRecord::from).collect(),
        }
    }
}

/// The moves played in a position.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "GamesTree")]
pub struct GamesTreeRecord {
    /// The position.
    fen: String,
    /// Games where it occurs.
    games: u64,
    /// Games that ended in it.
    ended: u64,
    /// Won by the side to move.
    won: u64,
    drawn: u64,
    lost: u64,
    /// The moves, most played first.
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
#[must_use]
pub fn share([won, drawn, lost]: [u64; 3]) -> Option<f64> {
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
            share: share(mv.results).map(|share| rounded(share, 4)),
            rating: mv.rating.map(|rating| rounded(rating, 1)),
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
