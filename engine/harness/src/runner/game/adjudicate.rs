//! Games that end before the rules end them.

use movegen::Color;
use movegen::notation::pdn::GameResult;
use serde::{Deserialize, Serialize};

use crate::early_end::EarlyEnd;
use crate::runner::game::termination::Termination;
use meerslag_study::record::PlyRecord;

/// When to end a game early. Move counts are moves of both players.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct Adjudication {
    /// Draw after this many moves of each player; 0 for no limit
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 300))]
    pub max_moves: u32,
    /// Ends by the scores of both players
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub scores: EarlyEnd,
}

impl Default for Adjudication {
    fn default() -> Adjudication {
        Adjudication { max_moves: 300, scores: EarlyEnd::default() }
    }
}

impl Adjudication {
    /// The verdict after the last of these plies: the result, and why.
    #[must_use]
    pub fn verdict(&self, plies: &[PlyRecord], first: Color) -> Option<(GameResult, Termination)> {
        let last = |moves: u32| {
            let count = 2 * moves.max(1) as usize;
            plies.len().checked_sub(count).map(|start| &plies[start..])
        };
        // The score from White's point of view, from the ply's place in the game.
        let white = |index: usize, score: f64| {
            if (index.is_multiple_of(2)) == (first == Color::White) { score } else { -score }
        };
        if let Some(rule) = self.scores.resign
            && let Some(tail) = last(rule.moves)
        {
            let start = plies.len() - tail.len();
            let decided = |sign: f64| {
                tail.iter().enumerate().all(|(i, ply)| {
                    ply.score.is_some_and(|s| sign * white(start + i, s) >= rule.score)
                })
            };
            if decided(1.0) {
                return Some((GameResult::WhiteWins, Termination::Score));
            }
            if decided(-1.0) {
                return Some((GameResult::BlackWins, Termination::Score));
            }
        }
        if let Some(rule) = self.scores.draw
            && plies.len() >= 2 * rule.from as usize
            && let Some(tail) = last(rule.moves)
            && tail.iter().all(|ply| ply.score.is_some_and(|s| s.abs() <= rule.score))
        {
            return Some((GameResult::Draw, Termination::Score));
        }
        let longest = Some(self.max_moves).filter(|&moves| moves > 0)?;
        (plies.len() >= 2 * longest as usize).then_some((GameResult::Draw, Termination::MoveLimit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::early_end::{Draw, Resign};

    fn plies(scores: &[f64]) -> Vec<PlyRecord> {
        let mv = movegen::notation::hub::read_move("32-28").unwrap();
        scores.iter().map(|&s| PlyRecord { score: Some(s), ..mv.into() }).collect()
    }

    #[test]
    fn a_win_needs_both_players_for_the_whole_time() {
        let scores =
            EarlyEnd { resign: Some(Resign { score: 5.0, moves: 2 }), ..EarlyEnd::default() };
        let rule = Adjudication { scores, max_moves: 0 };
        let verdict = |scores: &[f64], first| rule.verdict(&plies(scores), first);
        let white_wins = [0.0, 0.0, 6.0, -5.0, 7.0, -5.5];
        assert_eq!(
            verdict(&white_wins, Color::White),
            Some((GameResult::WhiteWins, Termination::Score))
        );
        assert_eq!(
            verdict(&white_wins, Color::Black),
            Some((GameResult::BlackWins, Termination::Score))
        );
        assert_eq!(verdict(&white_wins[..5], Color::White), None);
        assert_eq!(verdict(&[6.0, -4.9, 7.0, -5.5], Color::White), None);
        assert_eq!(verdict(&[6.0, 6.0, 6.0, 6.0], Color::White), None);
        let mut unknown = plies(&white_wins);
        unknown[3].score = None;
        assert_eq!(rule.verdict(&unknown, Color::White), None);
    }

    #[test]
    fn draws_by_score_and_by_length() {
        let draw = Some(Draw { score: 0.1, moves: 1, from: 3 });
        let scores = EarlyEnd { draw, ..EarlyEnd::default() };
        let rule = Adjudication { scores, max_moves: 4 };
        let verdict = |scores: &[f64]| rule.verdict(&plies(scores), Color::White);
        assert_eq!(verdict(&[0.0; 4]), None);
        assert_eq!(verdict(&[0.0; 6]), Some((GameResult::Draw, Termination::Score)));
        assert_eq!(verdict(&[1.0; 7]), None);
        assert_eq!(verdict(&[1.0; 8]), Some((GameResult::Draw, Termination::MoveLimit)));
    }
}
