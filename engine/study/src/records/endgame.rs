//! What is known about endgame positions.

use egdb::error::ProbeError;
use egdb::{Answer, Category, Probe, Wld};
use movegen::notation::moves::{format_line, format_move};
use movegen::{DrawRules, Game, Move};
use schemars::JsonSchema;
use serde::Serialize;

use crate::solve::{Conversion, EqualMoves, SolutionLine, SolvedLineKind};
use movegen::json::Record;

/// What the databases know about a position.
#[derive(Serialize, JsonSchema)]
pub struct AnswerRecord<'a> {
    /// As it was given.
    fen: &'a str,
    /// `win`, `loss`, `draw` or `unknown`.
    value: &'static str,
    /// The value under the draw rules, with the counters of the position: `win`, `cursed-win`, `draw`,
    /// `blessed-loss`, `loss` or `unknown`.
    category: &'static str,
    /// The greatest number of pieces of the databases in use.
    database_pieces: u8,
    dtw: Option<u32>,
    mtc: Option<u32>,
    moves: Vec<KnownMove>,
    equal: EqualMoves,
}

impl Record for AnswerRecord<'_> {
    const TYPE: &'static str = "answer";
}

#[derive(Serialize, JsonSchema)]
struct KnownMove {
    #[serde(rename = "move")]
    mv: Move,
    /// The move for people.
    text: String,
    value: &'static str,
    dtw: Option<u32>,
    mtc: Option<u32>,
}

impl<'a> AnswerRecord<'a> {
    /// An answer of these databases about the last position of a game, which was given as `fen`.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn new(
        fen: &'a str,
        game: &Game,
        probe: &Probe,
        answer: &Answer,
    ) -> Result<AnswerRecord<'a>, ProbeError> {
        let position = game.position();
        let category = probe.category(position, game.counters(), DrawRules::default())?;
        let moves = answer.moves.iter().map(|m| KnownMove {
            mv: m.mv,
            text: format_move(position, m.mv),
            value: value_name(m.wld),
            dtw: m.dtw,
            mtc: m.mtc,
        });
        Ok(AnswerRecord {
            fen,
            value: value_name(answer.wld),
            category: category_name(category),
            database_pieces: probe.max_pieces(),
            dtw: answer.dtw,
            mtc: answer.mtc,
            moves: moves.collect(),
            equal: EqualMoves::from(answer),
        })
    }
}

/// `win`, `loss`, `draw` or `unknown`.
#[must_use]
pub const fn value_name(value: Option<Wld>) -> &'static str {
    match value {
        Some(value) => value.name(),
        None => "unknown",
    }
}

/// The name of a value under the draw rules, or `unknown`.
#[must_use]
pub const fn category_name(category: Option<Category>) -> &'static str {
    match category {
        Some(category) => category.name(),
        None => "unknown",
    }
}

/// A line of the best play of both sides.
#[derive(Serialize, JsonSchema)]
pub struct LineRecord {
    /// How its moves were chosen.
    kind: SolvedLineKind,
    /// Length of the whole line; `moves` may be its beginning.
    plies: usize,
    /// Whether the whole line ends the game.
    complete: bool,
    moves: Vec<Move>,
    /// The moves for people.
    texts: Vec<String>,
    /// For each of `moves`: those that are as good, itself among them.
    equal: Vec<EqualMoves>,
    /// Whether the winner has no other winning move in the whole line; null for a draw, or if it is not
    /// known.
    unique: Option<bool>,
    conversions: Vec<ConversionRecord>,
    /// Where a draw rule would end the line before its win.
    draw_rule: Option<DrawRecord>,
}

#[derive(Serialize, JsonSchema)]
struct ConversionRecord {
    /// The move's place in the line, from 1.
    ply: usize,
    /// `capture`, `promotion` or `man_move`.
    kind: &'static str,
    /// Plies to the end after it; without that the distance to the next conversion.
    dtw: Option<u32>,
    mtc: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct DrawRecord {
    ply: usize,
    reason: String,
}

impl LineRecord {
    /// The first `most_plies` of a line from the current position of a game.
    #[must_use]
    pub fn new(game: &Game, line: &SolutionLine, most_plies: usize) -> LineRecord {
        let shown = || (1..).zip(&line.plies).take(most_plies);
        let conversions = shown().filter_map(|(ply, p)| {
            let kind = match p.conversion? {
                Conversion::Capture(_) => "capture",
                Conversion::Promotion => "promotion",
                Conversion::ManMove => "man_move",
            };
            Some(ConversionRecord { ply, kind, dtw: p.dtw, mtc: p.mtc })
        });
        let draw = line.draw_by_rule(game, DrawRules::default());
        LineRecord {
            kind: line.kind,
            plies: line.plies.len(),
            complete: line.is_complete,
            moves: shown().map(|(_, p)| p.mv).collect(),
            texts: format_line(game.position(), shown().map(|(_, p)| p.mv)),
            equal: shown().map(|(_, p)| p.equal.clone()).collect(),
            unique: line.is_unique(game.position().side_to_move()),
            conversions: conversions.collect(),
            draw_rule: draw
                .filter(|_| line.kind != SolvedLineKind::OneOfMany)
                .map(|(ply, reason)| DrawRecord { ply, reason: reason.to_string() }),
        }
    }
}
