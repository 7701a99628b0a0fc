//! Searches.

use movegen::{Chance, Color, Game, Move, Position};
use schemars::JsonSchema;
use serde::Serialize;

use meerslag_search::{Info, SearchResult};
use movegen::Bound;
use movegen::json::Record;
use movegen::json::rounded;

/// A step of a search.
#[derive(Serialize, JsonSchema)]
pub struct InfoRecord {
    /// Nominal depth in plies.
    depth: u32,
    /// Mean depth of the leaves in plies.
    mean_depth: f64,
    /// Greatest depth in plies.
    max_depth: u32,
    /// Men, for the side to move; beyond 80 a proven end.
    score: f64,
    /// The chances of the side to move that the score promises, by games of the engine against
    /// itself; together 1.
    win: f64,
    /// The probability of a draw.
    draw: f64,
    /// The probability of a loss.
    loss: f64,
    /// Plies to the end of the game, if that has been proven: positive for a win.
    #[serde(skip_serializing_if = "Option::is_none")]
    plies_to_end: Option<i32>,
    /// `exact`, `lower` or `upper`.
    bound: Bound,
    /// Nodes searched.
    nodes: u64,
    /// Endgame database lookups.
    probes: u64,
    /// Seconds since the start of the search.
    seconds: f64,
    /// The share of the transposition table that is in use, 0 to 1.
    hashfull: f64,
    /// The rank of the variation, from 1.
    multipv: usize,
    /// The variation.
    pv: Vec<Move>,
}

impl Record for InfoRecord {
    const TYPE: &'static str = "info";
}

impl InfoRecord {
    /// For a search of this position.
    #[must_use]
    pub fn new(info: &Info, position: &Position) -> InfoRecord {
        let chance = Chance::of(info.score, position.piece_count());
        InfoRecord {
            depth: info.depth,
            mean_depth: rounded(info.mean_depth, 2),
            max_depth: info.max_depth,
            score: info.score.men(),
            win: rounded(chance.win, 3),
            draw: rounded(chance.draw, 3),
            loss: rounded(chance.loss, 3),
            plies_to_end: info.score.plies_to_end(),
            bound: info.bound,
            nodes: info.nodes,
            probes: info.probes,
            seconds: rounded(info.time.as_secs_f64(), 6),
            hashfull: rounded(info.hashfull, 4),
            multipv: info.multipv,
            pv: info.pv.to_vec(),
        }
    }
}

/// The best move and the expected reply for programs.
#[derive(Serialize, JsonSchema)]
pub struct BestRecord {
    /// The best move; null without a legal one.
    best: Option<Move>,
    /// The expected reply.
    ponder: Option<Move>,
}

impl From<&SearchResult> for BestRecord {
    fn from(outcome: &SearchResult) -> BestRecord {
        BestRecord { best: outcome.best, ponder: outcome.ponder }
    }
}

/// A position that is searched; `info` objects and a `result` follow.
#[derive(Serialize, JsonSchema)]
pub struct PositionRecord {
    /// For a file: the number of the game, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<u64>,
    /// Plies played before.
    ply: usize,
    /// The side to move, `W` or `B`.
    side: Color,
    /// The position.
    fen: Position,
    /// For a file: the move played here; null at the end of the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<Option<Move>>,
}

impl PositionRecord {
    /// The current position of a game.
    #[must_use]
    pub fn new(game: &Game) -> PositionRecord {
        let position = game.position();
        PositionRecord {
            game: None,
            ply: game.ply(),
            side: position.side_to_move(),
            fen: *position,
            played: None,
        }
    }

    /// The same as a position of a file: the number of the game, and the move played here.
    #[must_use]
    pub fn in_file(self, number: u64, played: Option<Move>) -> PositionRecord {
        PositionRecord { game: Some(number), played: Some(played), ..self }
    }
}

impl Record for PositionRecord {
    const TYPE: &'static str = "position";
}

/// The end of a search.
#[derive(Serialize, JsonSchema)]
pub struct ResultRecord {
    #[serde(flatten)]
    best: BestRecord,
    /// The last variation of each rank.
    variations: Vec<InfoRecord>,
}

impl ResultRecord {
    /// The result of a search of this position, and the last variation of each rank, the best
    /// first.
    pub fn new<'i>(
        position: &Position,
        outcome: &SearchResult,
        variations: impl IntoIterator<Item = &'i Info>,
    ) -> ResultRecord {
        let variations = variations.into_iter().map(|info| InfoRecord::new(info, position));
        ResultRecord { best: outcome.into(), variations: variations.collect() }
    }
}

impl Record for ResultRecord {
    const TYPE: &'static str = "result";
}
