//! The facts that a question has found so far.
//!
//! An answer with all moves asks about the same positions again and again: the value of a move
//! into a capture follows from the captures, the plies to the end follow from the same ones, and
//! several moves of a king lead to the same position after the capture. Most of the time goes into
//! distances to conversion below the threshold, which are searched: there the hashing of positions
//! counts, hence the fast hasher.

use movegen::{Position, Wld};
use rustc_hash::FxHashMap;

/// Facts kept beyond one question: they should stay in the processor's caches.
const MAX_KEPT: usize = 1 << 12;

/// How much of a value is asked for. Where the answer to one of the narrower questions is no, it
/// is any value that says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// The value.
    Value,
    /// Whether the side to move wins.
    IsWon,
    /// Whether it loses.
    IsLost,
}

/// What is known of a value.
#[derive(Clone, Copy, Debug)]
enum Fact {
    Value(Option<Wld>),
    NotWon,
    NotLost,
}

/// The known facts about a position.
#[derive(Clone, Copy, Debug)]
struct Known {
    wld: Fact,
    /// The plies to the end, once looked up.
    dtw: Option<Option<u32>>,
}

/// The positions of one question.
#[derive(Debug)]
pub struct Question {
    known: FxHashMap<Position, Known>,
    /// The distance to conversion: at least the first, at most the second.
    bounds: FxHashMap<Position, (u32, u32)>,
    /// Positions that may still be searched for a distance to conversion.
    pub(super) left: u32,
}

impl Question {
    /// Nothing is known, and at most `effort` positions may be searched.
    pub fn new(effort: u32) -> Question {
        Question { known: FxHashMap::default(), bounds: FxHashMap::default(), left: effort }
    }

    /// Forgets everything once it has grown large, for one that serves many questions.
    pub fn tidy(&mut self) {
        if self.known.len() > MAX_KEPT {
            self.known.clear();
        }
    }

    /// The answer about the position's value, if it is known.
    pub(super) fn wld(&self, position: &Position, asked: Asked) -> Option<Option<Wld>> {
        match (self.known.get(position)?.wld, asked) {
            (Fact::Value(wld), _) => Some(wld),
            (Fact::NotWon, Asked::IsWon) | (Fact::NotLost, Asked::IsLost) => Some(Some(Wld::Draw)),
            _ => None,
        }
    }

    /// Keeps the answer about the position's value.
    pub(super) fn note_wld(&mut self, position: &Position, asked: Asked, wld: Option<Wld>) {
        let fact = match (asked, wld) {
            (Asked::IsWon, Some(Wld::Draw | Wld::Loss)) => Fact::NotWon,
            (Asked::IsLost, Some(Wld::Draw | Wld::Win)) => Fact::NotLost,
            _ => Fact::Value(wld),
        };
        let known = self.known.entry(*position).or_insert(Known { wld: fact, dtw: None });
        known.wld = match (known.wld, fact) {
            (Fact::NotWon, Fact::NotLost) | (Fact::NotLost, Fact::NotWon) => {
                Fact::Value(Some(Wld::Draw))
            }
            _ => fact,
        };
    }

    /// The position's plies to the end, if they have been looked up.
    pub(super) fn dtw(&self, position: &Position) -> Option<Option<u32>> {
        self.known.get(position)?.dtw
    }

    /// Keeps the position's plies to the end, with its value.
    pub(super) fn note_dtw(&mut self, position: &Position, value: Wld, dtw: Option<u32>) {
        self.known.insert(*position, Known { wld: Fact::Value(Some(value)), dtw: Some(dtw) });
    }

    /// Whether the position's distance to conversion is at most `bound`, if that is known.
    pub(super) fn recall(&self, position: &Position, bound: u32) -> Option<bool> {
        let &(least, most) = self.bounds.get(position)?;
        if most <= bound {
            return Some(true);
        }
        (least > bound).then_some(false)
    }

    /// Keeps whether the distance to conversion is at most `bound`.
    pub(super) fn note(&mut self, position: &Position, bound: u32, is_within: bool) {
        let (least, most) = self.bounds.entry(*position).or_insert((0, u32::MAX));
        if is_within {
            *most = (*most).min(bound);
        } else {
            *least = (*least).max(bound + 1);
        }
    }
}
