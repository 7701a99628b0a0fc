//! Games with their moves judged.

use movegen::Color;
use movegen::notation::pdn::PdnGame;
use schemars::JsonSchema;
use serde::Serialize;

use super::Record;
use crate::annotate::{JudgedGame, JudgedMove, SideSummary};
use crate::digits::rounded;

/// A game with its moves judged.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AnnotatedGame")]
pub struct AnnotatedGameRecord<'a> {
    /// Its number in the file, from 1.
    game: usize,
    /// The players.
    white: Option<&'a str>,
    black: Option<&'a str>,
    /// Its result.
    result: &'static str,
    /// Of White's and Black's moves with a choice, in percent.
    white_accuracy: Option<f64>,
    black_accuracy: Option<f64>,
    /// The move that gave away most, if it was a mistake: its ply, from 0.
    turning_point: Option<usize>,
    /// The moves.
    moves: Vec<JudgedMoveRecord>,
}

impl Record for AnnotatedGameRecord<'_> {
    const TYPE: &'static str = "annotated_game";
}

impl AnnotatedGameRecord<'_> {
    /// The record of a game; `number` is its place in the file.
    #[must_use]
    pub fn new<'a>(
        number: usize,
        pdn: &'a PdnGame,
        judged: &JudgedGame,
    ) -> AnnotatedGameRecord<'a> {
        let accuracy = |color: Color| accuracy(&judged.sides[color.index()]);
        AnnotatedGameRecord {
            game: number,
            white: pdn.tags.get("White"),
            black: pdn.tags.get("Black"),
            result: pdn.result.as_str(),
            white_accuracy: accuracy(Color::White),
            black_accuracy: accuracy(Color::Black),
            turning_point: judged.turning_point(),
            moves: judged.moves.iter().map(JudgedMoveRecord::from).collect(),
        }
    }
}

/// A move with its judgement.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "JudgedMove")]
struct JudgedMoveRecord {
    /// The move.
    #[serde(rename = "move")]
    mv: String,
    /// White's score after it, in men.
    score: f64,
    /// The mover's share of the points before it, 0 to 1.
    chance: f64,
    /// What it gave away of that.
    drop: f64,
    /// `good`, `inaccuracy`, `mistake` or `blunder`.
    grade: &'static str,
    /// Of a bad move: a better one.
    better: Option<String>,
    /// What the databases say of the position before it, for its mover.
    value: Option<String>,
    /// The best line from before it.
    pv: Vec<String>,
}

impl From<&JudgedMove> for JudgedMoveRecord {
    fn from(judged: &JudgedMove) -> JudgedMoveRecord {
        JudgedMoveRecord {
            mv: judged.mv.to_string(),
            score: judged.score,
            chance: rounded(judged.before.expected(), 4),
            drop: rounded(judged.drop(), 4),
            grade: judged.grade.name(),
            better: judged.better().map(|better| better.to_string()),
            value: judged.exact.as_ref().map(|exact| exact.value.to_string()),
            pv: judged.line.iter().map(ToString::to_string).collect(),
        }
    }
}

/// How accurate the moves of a side are, in percent; `None` without a choice.
#[must_use]
pub fn accuracy(play: &SideSummary) -> Option<f64> {
    play.accuracy().map(|percent| rounded(percent, 2))
}
