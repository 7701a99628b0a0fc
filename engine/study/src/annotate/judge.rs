//! The loss of each move of a game.

use egdb::error::ProbeError;
use egdb::{Answer, Probe, Wld};
use movegen::notation::pdn::{Grade, PdnGame, SideSummary};
use movegen::{Chance, Color, Move, Position};

use super::analysis::{PositionAnalysis, moments};
use crate::endgame_trainer::{self, Judgement};

/// A move and its value. Chances are for the side that made it.
#[derive(Clone, Debug)]
pub struct JudgedMove {
    /// The position before it.
    pub position: Position,
    /// The move.
    pub mv: Move,
    /// The best line from that position; its first move may be the one played.
    pub line: Vec<Move>,
    /// The chances in the position before.
    pub before: Chance,
    /// The chances left after the move.
    pub after: Chance,
    /// White's score after it, in men; beyond 80 a proven end.
    pub score: f64,
    /// The depth of the search of the position before it.
    pub depth: u32,
    /// The grade.
    pub grade: Grade,
    /// The databases' judgement, if they know the position before the move.
    pub exact: Option<Judgement>,
    /// There was no other move.
    pub is_forced: bool,
}

impl JudgedMove {
    /// The side that made it.
    #[must_use]
    pub const fn mover(&self) -> Color {
        self.position.side_to_move()
    }

    /// The share of the points that it gave away, 0 to 1.
    #[must_use]
    pub fn drop(&self) -> f64 {
        let keeps = self.exact.as_ref().is_some_and(|exact| exact.made.wld == Some(exact.value));
        if keeps || self.is_forced || self.line.first() == Some(&self.mv) && self.exact.is_none() {
            return 0.0;
        }
        (self.before.expected() - self.after.expected()).max(0.0)
    }

    /// A better move than this one, if it was bad.
    #[must_use]
    pub fn better(&self) -> Option<Move> {
        if self.grade == Grade::Good {
            return None;
        }
        let exact = self.exact.as_ref().and_then(|exact| exact.best.first()).map(|best| best.mv);
        exact.or_else(|| self.line.first().copied()).filter(|best| *best != self.mv)
    }
}

/// A game with every move judged.
#[derive(Clone, Debug)]
pub struct JudgedGame {
    /// The moves of the main line.
    pub moves: Vec<JudgedMove>,
    /// The best line of the last position.
    pub last_line: Vec<Move>,
    /// Black's and White's play.
    pub sides: [SideSummary; 2],
}

impl JudgedGame {
    /// The place in the list of the move that gave away most, if it was a mistake.
    #[must_use]
    pub fn turning_point(&self) -> Option<usize> {
        let worst = (0..self.moves.len())
            .rev()
            .max_by(|&a, &b| self.moves[a].drop().total_cmp(&self.moves[b].drop()));
        worst.filter(|&worst| self.moves[worst].grade >= Grade::Mistake)
    }
}

/// Compares each move of a game with the best one. `analyses` are those of [`super::analyse`].
///
/// # Errors
/// If a database file cannot be read or is damaged.
pub fn judge(
    pdn: &PdnGame,
    analyses: &[PositionAnalysis],
    probe: &Probe,
) -> Result<JudgedGame, ProbeError> {
    let moments = moments(pdn);
    let answers = moments.iter().map(|position| known(probe, position));
    let answers = answers.collect::<Result<Vec<Option<Answer>>, _>>()?;
    let chance = |at: usize| match (&answers[at], &analyses[at]) {
        (Some(Answer { wld: Some(value), .. }), _) => Chance::from(*value),
        (_, analysis) => Chance::of(analysis.score(), moments[at].piece_count()),
    };
    let mut moves = Vec::new();
    let mut sides = [SideSummary::default(); 2];
    for (at, ply) in pdn.line.plies.iter().enumerate() {
        // A set-up between two moves: the game after it does not judge the first.
        let position = moments[at];
        let next = position.after(ply.mv);
        let Some(moment) = moments.get(at + 1) else { break };
        let is_followed = *moment == next && at + 1 < analyses.len();
        let before = chance(at);
        let after = if is_followed { chance(at + 1).opponent() } else { before };
        let exact = answers[at].as_ref().and_then(|answer| endgame_trainer::judge(answer, ply.mv));
        let mut judged = JudgedMove {
            position,
            mv: ply.mv,
            line: analyses[at].line(&position),
            before,
            after: exact.as_ref().and_then(|exact| exact.made.wld).map_or(after, Chance::from),
            score: white_score(&answers, analyses, at + 1, position.side_to_move().opponent()),
            depth: analyses[at].depth,
            grade: Grade::Good,
            exact,
            is_forced: position.count_legal_moves() < 2,
        };
        judged.grade = Grade::of(judged.drop());
        if !judged.is_forced {
            let side = &mut sides[position.side_to_move().index()];
            side.count(before.stake(), judged.drop(), judged.grade);
        }
        moves.push(judged);
    }
    let last_line = match (moments.last(), analyses.last()) {
        (Some(position), Some(analysis)) => analysis.line(position),
        _ => Vec::new(),
    };
    Ok(JudgedGame { moves, last_line, sides })
}

/// White's score of a position with this side to move.
fn white_score(
    answers: &[Option<Answer>],
    analyses: &[PositionAnalysis],
    at: usize,
    mover: Color,
) -> f64 {
    let exact = answers.get(at).and_then(Option::as_ref).and_then(|answer| answer.wld);
    let score = match (exact, analyses.get(at)) {
        // A proven draw has no stake, unlike a position that is nearly drawn.
        (Some(Wld::Draw), _) => 0.0,
        (_, Some(analysis)) => analysis.score().men(),
        (_, None) => 0.0,
    };
    crate::record::for_white(score, mover)
}

/// The databases' values of a position with its moves; `None` where they do not reach.
fn known(probe: &Probe, position: &Position) -> Result<Option<Answer>, ProbeError> {
    if !probe.reaches(position) {
        return Ok(None);
    }
    Ok(Some(probe.answer(position)?).filter(|answer| answer.wld.is_some()))
}
