//! The output of `train-endgame --json`.

use ::egdb::Wld;
use meerslag_study::endgame_trainer::{
    Assessment, Judgement, Measure, Summary, TrainerSession, Verdict,
};
use movegen::{Move, Position};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::json::Record;

/// A step of a lesson.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(in crate::cli) enum EndingRecord {
    /// A lesson of the list; `value` is what its positions are worth to the user.
    Lesson { lesson: usize, slice: &'static str, value: &'static str, goal: &'static str },
    /// A position begins.
    Position {
        #[serde(skip_serializing_if = "Option::is_none")]
        lesson: Option<usize>,
        fen: String,
        /// The side to move, `W` or `B`.
        side: char,
        /// The user's side.
        user: char,
        #[serde(flatten)]
        worth: Worth,
    },
    /// A move was made, by the user or by the opponent.
    Move {
        /// The side that made it.
        side: char,
        /// The move.
        #[serde(rename = "move")]
        mv: String,
        /// The position after it.
        fen: String,
        /// Plies so far.
        ply: usize,
        #[serde(flatten)]
        worth: Worth,
        /// For the user's moves: `perfect`, `holds`, `inaccuracy` or `mistake`.
        #[serde(skip_serializing_if = "Option::is_none")]
        verdict: Option<&'static str>,
        /// For an inaccuracy: how many plies it is worse than the best move.
        #[serde(skip_serializing_if = "Option::is_none")]
        plies: Option<u32>,
        /// The moves that would have been better, or as good, best first.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        moves: Vec<String>,
    },
    /// The user has taken the last move back; the game goes on at this ply.
    TakenBack { ply: usize },
    /// The game is over, or was left.
    Summary {
        /// The value of the position to the user.
        value: &'static str,
        /// The user's result; null while the game went on.
        achieved: Option<&'static str>,
        plies: usize,
        /// Of the user, as the next ones.
        made: u32,
        mistakes: u32,
        inaccuracies: u32,
        taken_back: u32,
        mistakes_taken_back: u32,
    },
    /// How all positions so far went.
    Score { positions: u32, solved: u32, flawless: u32 },
}

impl Record for EndingRecord {
    const TYPE: &'static str = "ending";
}

/// The value of a position to the user, as far as the databases know it.
#[derive(Serialize, JsonSchema)]
pub(in crate::cli) struct Worth {
    /// `win`, `draw`, `loss` or `unknown`.
    value: &'static str,
    /// Plies to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    dtw: Option<u32>,
    /// Plies to the next conversion.
    #[serde(skip_serializing_if = "Option::is_none")]
    mtc: Option<u32>,
}

impl Worth {
    fn new(assessment: Option<Assessment>) -> Worth {
        let plies = |wanted: Measure| {
            let (measure, plies) = assessment?.distance?;
            (measure == wanted).then_some(plies)
        };
        Worth {
            value: assessment.map_or("unknown", |assessment| assessment.value.name()),
            dtw: plies(Measure::End),
            mtc: plies(Measure::Conversion),
        }
    }
}

impl EndingRecord {
    /// A session begins.
    pub(super) fn position(
        lesson: Option<usize>,
        session: &TrainerSession,
        assessment: Option<Assessment>,
    ) -> EndingRecord {
        let position = session.position();
        EndingRecord::Position {
            lesson,
            fen: position.to_fen(),
            side: position.side_to_move().letter(),
            user: session.user().letter(),
            worth: Worth::new(assessment),
        }
    }

    /// A move was made in this position; `is` is the value of the position after it to the user.
    pub(super) fn step(
        before: &Position,
        mv: Move,
        session: &TrainerSession,
        is: Option<Assessment>,
        judgement: Option<&Judgement>,
    ) -> EndingRecord {
        let best = judgement.filter(|judgement| judgement.verdict != Verdict::Perfect);
        EndingRecord::Move {
            side: before.side_to_move().letter(),
            mv: mv.to_string(),
            fen: session.position().to_fen(),
            ply: session.game().ply(),
            worth: Worth::new(is),
            verdict: judgement.map(|judgement| match judgement.verdict {
                Verdict::Perfect => "perfect",
                Verdict::Holds => "holds",
                Verdict::Inaccuracy(_) => "inaccuracy",
                Verdict::Mistake => "mistake",
            }),
            plies: judgement.and_then(|judgement| match judgement.verdict {
                Verdict::Inaccuracy(plies) => Some(plies),
                _ => None,
            }),
            moves: best.map_or_else(Vec::new, |judgement| {
                judgement.best.iter().map(|best| best.mv.to_string()).collect()
            }),
        }
    }
}

impl From<&Summary> for EndingRecord {
    fn from(summary: &Summary) -> EndingRecord {
        EndingRecord::Summary {
            value: summary.start.value.name(),
            achieved: summary.result().map(Wld::name),
            plies: summary.plies,
            made: summary.moves,
            mistakes: summary.mistakes,
            inaccuracies: summary.inaccuracies,
            taken_back: summary.taken_back,
            mistakes_taken_back: summary.mistakes_taken_back,
        }
    }
}
