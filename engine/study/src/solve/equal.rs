//! Moves that are as good as one another.

use egdb::Answer;
use movegen::Move;
use schemars::JsonSchema;
use serde::Serialize;

use super::{MoveValue, Value};

/// The moves of a position that are equally good, in the order of their squares.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct EqualMoves {
    /// All that keep the value of the position, if that is known.
    pub keep_value: Vec<Move>,
    /// Of these, all that keep to the shortest win or the longest defence: by plies to the end, else
    /// by distance to conversion, else by the length of the proof. None in a draw, or if no distance
    /// is known.
    pub keep_distance: Vec<Move>,
    /// Those that may keep the value: the search could not tell.
    pub unsettled: Vec<Move>,
}

impl EqualMoves {
    /// Of a position with this value and these moves.
    #[must_use]
    pub fn new(value: Value, moves: &[MoveValue]) -> EqualMoves {
        let mut equal = EqualMoves::default();
        if !value.is_exact() {
            return equal;
        }
        let mut kept = Vec::new();
        for m in moves {
            if m.value == value {
                kept.push(m);
                equal.keep_value.push(m.mv);
            } else if m.value.may_be(value) {
                equal.unsettled.push(m.mv);
            }
        }
        equal.keep_value.sort_unstable();
        equal.unsettled.sort_unstable();
        if value == Value::Draw {
            return equal;
        }
        for distance in [|m: &MoveValue| m.dtw, |m: &MoveValue| m.mtc] {
            let all: Option<Vec<u32>> = kept.iter().map(|m| distance(m)).collect();
            let Some(all) = all else { continue };
            let best = if value == Value::Win { all.iter().min() } else { all.iter().max() };
            let kept = kept.iter().zip(&all).filter(|&(_, plies)| Some(plies) == best);
            equal.keep_distance = kept.map(|(m, _)| m.mv).collect();
            equal.keep_distance.sort_unstable();
            break;
        }
        equal
    }
}

impl From<&Answer> for EqualMoves {
    fn from(answer: &Answer) -> EqualMoves {
        let moves: Vec<MoveValue> = answer.moves.iter().map(MoveValue::from).collect();
        EqualMoves::new(answer.wld.map_or(Value::Unknown, Value::from), &moves)
    }
}
