//! The order of trying moves.
//!
//! A node has either captures only or quiet moves only, about ten, so everything is scored at
//! once and picked by selection.

use movegen::{Move, MoveList, Position};
use smallvec::SmallVec;

use super::history::History;

const TABLE_MOVE: i32 = 1 << 20;
const PROMOTION: i32 = 1 << 15;
/// The value of a captured king above a captured man.
const KING: i32 = 1 << 13;

/// The moves of a node with their scores, in the order of picking.
pub(super) struct MovePicker {
    scores: SmallVec<[i32; movegen::INLINE_MOVES]>,
}

impl MovePicker {
    #[inline(always)]
    pub(super) fn new() -> MovePicker {
        MovePicker { scores: SmallVec::new() }
    }

    /// Scores the moves; `table` is the index of the table's move.
    #[inline(always)]
    pub(super) fn score(
        &mut self,
        moves: &MoveList,
        position: &Position,
        table: Option<usize>,
        history: &History,
    ) {
        let side = position.side_to_move();
        let enemy_kings = position.kings(side.opponent());
        for &mv in moves {
            let mut score = history.get(side, mv);
            if mv.is_capture() {
                score += KING * (mv.captured() & enemy_kings).len() as i32;
            }
            if position.is_promotion(mv) {
                score += PROMOTION;
            }
            self.scores.push(score);
        }
        if let Some(index) = table {
            self.scores[index] = TABLE_MOVE;
        }
    }

    /// Brings the best of the moves from `index` on to `index`.
    #[inline(always)]
    pub(super) fn pick(&mut self, moves: &mut MoveList, index: usize) -> Move {
        let (moves, scores) = (&mut moves[index..], &mut self.scores[index..]);
        let mut best = 0;
        let mut most = i32::MIN;
        for (i, &score) in scores.iter().enumerate() {
            if score > most {
                (best, most) = (i, score);
            }
        }
        // Without scores there is one move.
        if best < scores.len() && best < moves.len() {
            scores.swap(0, best);
            moves.swap(0, best);
        }
        moves[0]
    }
}
