//! What one question has found out already.
//!
//! An answer with all moves asks about the same positions again and again: the value of a move
//! into a capture follows from the captures, the plies to the end follow from the same ones, and
//! several moves of a king lead to the same position after the capture. Most of the time goes into
//! distances to conversion below the threshold, which are searched: there the hashing of positions
//! counts, hence the fast hasher.

use movegen::Position;
use rustc_hash::FxHashMap;

use super::answer::Probe;
use crate::error::ProbeError;
use crate::value::Wld;

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
struct Known {
    wld: Option<Wld>,
    /// The plies to the end, once they have been asked for.
    dtw: Option<Option<u32>>,
}

/// The positions of one question.
#[derive(Debug)]
pub(super) struct Question {
    known: FxHashMap<Position, Known>,
    /// Of distances to conversion: at least the first, at most the second.
    bounds: FxHashMap<Position, (u32, u32)>,
    /// Positions that may still be searched for a distance to conversion.
    pub(super) left: u32,
}

impl Question {
    /// Nothing is known, and at most `effort` positions may be searched.
    pub(super) fn new(effort: u32) -> Question {
        Question { known: FxHashMap::default(), bounds: FxHashMap::default(), left: effort }
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

impl Probe {
    /// As [`Probe::wld`].
    pub(super) fn known(
        &self,
        position: &Position,
        question: &mut Question,
    ) -> Result<Option<Wld>, ProbeError> {
        if let Some(known) = question.known.get(position) {
            return Ok(known.wld);
        }
        let wld = self.wld_with(position, question)?;
        question.known.insert(*position, Known { wld, dtw: None });
        Ok(wld)
    }

    /// As [`Probe::dtw`], for a position whose value is known.
    pub(super) fn known_dtw(
        &self,
        position: &Position,
        value: Wld,
        question: &mut Question,
    ) -> Result<Option<u32>, ProbeError> {
        if let Some(dtw) = question.known.get(position).and_then(|known| known.dtw) {
            return Ok(dtw);
        }
        let dtw = self.dtw_with(position, value, question)?;
        question.known.insert(*position, Known { wld: Some(value), dtw: Some(dtw) });
        Ok(dtw)
    }
}
