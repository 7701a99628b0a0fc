//! Solutions for programs: one JSON object a line.

use std::io::{self, Write};

use meerslag_study::records::{LineRecord, category_name};
use meerslag_study::solve::{EqualMoves, Limit, Solution, ValueSource, Within};
use movegen::notation::pdn::{WriteOptions, game_to_string};
use movegen::{Color, DrawRules, Game, Move, Position};
use schemars::JsonSchema;
use serde::Serialize;

use super::super::json::{self, Record};
use super::SolveArgs;

/// What is known about a position.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct SolutionRecord {
    /// For a file: its line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line_number: Option<u64>,
    fen: Position,
    side: Color,
    value: &'static str,
    /// The value under the draw rules, with the counters of the FEN: `win`, `cursed-win`, `draw`,
    /// `blessed-loss`, `loss` or `unknown`.
    category: &'static str,
    /// Plies to a draw by counting, if nothing lets the counter begin again.
    plies_left: Option<u16>,
    /// `rules`, `databases`, `search` or null.
    source: Option<ValueSource>,
    dtw: Option<u32>,
    mtc: Option<u32>,
    /// Plies of a proved win or loss at most: to the end, or to the databases.
    at_most: Option<u32>,
    databases_within: Option<u32>,
    moves: Vec<SolvedMove>,
    equal: EqualMoves,
    line: Option<LineRecord>,
    /// With `--tree`: the line with its variations, as a PDN game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pdn: Option<String>,
    /// Positions searched.
    nodes: u64,
    /// Why the value is not known better: `nodes`, `memory`, `interrupt` or null.
    limit: Option<Limit>,
}

impl Record for SolutionRecord {
    const TYPE: &'static str = "solution";
}

/// A line of a file that is not a position.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct LineErrorRecord<'a> {
    /// Its number, from 1.
    line_number: u64,
    /// What is wrong with it.
    error: &'a str,
}

impl Record for LineErrorRecord<'_> {
    const TYPE: &'static str = "line_error";
}

/// The result for a file.
#[derive(Serialize, JsonSchema, Default)]
#[schemars(rename = "SolveSummary")]
pub(in crate::cli) struct Summary {
    pub(super) positions: u64,
    pub(super) wins: u64,
    pub(super) draws: u64,
    pub(super) losses: u64,
    /// Known only within bounds, or not at all.
    pub(super) unknown: u64,
    /// Not reached before Ctrl-C.
    pub(super) left_out: u64,
    pub(super) bad_lines: u64,
    pub(super) nodes: u64,
    pub(super) seconds: f64,
}

impl Record for Summary {
    const TYPE: &'static str = "solve_summary";
}

#[derive(Serialize, JsonSchema)]
struct SolvedMove {
    #[serde(rename = "move")]
    mv: Move,
    value: &'static str,
    dtw: Option<u32>,
    mtc: Option<u32>,
    at_most: Option<u32>,
    databases_within: Option<u32>,
}

pub(super) fn position(
    out: &mut impl Write,
    line_number: Option<u64>,
    game: &Game,
    solution: &Solution,
    args: &SolveArgs,
) -> io::Result<()> {
    let position = game.position();
    let most_plies = args.most_plies();
    let pdn = args.tree.and_then(|_| solution.to_pdn(game, most_plies));
    let (at_most, databases_within) = Within::split(solution.within);
    let moves = solution.moves.iter().map(|m| {
        let (at_most, databases_within) = Within::split(m.within);
        SolvedMove {
            mv: m.mv,
            value: m.value.name(),
            dtw: m.dtw,
            mtc: m.mtc,
            at_most,
            databases_within,
        }
    });
    let record = SolutionRecord {
        line_number,
        fen: *position,
        side: position.side_to_move(),
        value: solution.value.name(),
        category: category_name(solution.category),
        plies_left: game.counters().plies_left(DrawRules::default()),
        source: solution.source,
        dtw: solution.dtw,
        mtc: solution.mtc,
        at_most,
        databases_within,
        moves: moves.collect(),
        equal: solution.equal(),
        pdn: pdn.map(|pdn| game_to_string(&pdn, &WriteOptions::default())),
        line: solution.line.as_ref().map(|line| LineRecord::new(game, line, most_plies)),
        nodes: solution.nodes,
        limit: solution.limit,
    };
    json::write(out, &record)
}

pub(super) fn error(out: &mut impl Write, line: u64, error: &str) -> io::Result<()> {
    json::write(out, &LineErrorRecord { line_number: line, error })
}

pub(super) fn summary(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    json::write(out, summary)
}
