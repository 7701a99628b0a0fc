//! Evaluation of quiet positions.

use movegen::{Color, Position};

use crate::score::Score;

/// Placeholder.
pub(crate) fn evaluate(position: &Position) -> Score {
    let side = position.side_to_move();
    let value = |c: Color| (position.men(c).len() * 100 + position.kings(c).len() * 300) as i32;
    Score::eval(value(side) - value(side.opponent()))
}

/// How far the game has gone.
pub(crate) fn progress(position: &Position) -> f64 {
    let _ = position;
    0.5
}
