//! The kinds of distances.

use egdb::{Answer, MoveAnswer};

/// The kind of distances of a position, in plies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Measure {
    /// To the end of the game (DTW).
    End,
    /// To the next conversion (MTC).
    Conversion,
}

impl Measure {
    /// The databases' answer about this position: with the distance to the end if known.
    #[must_use]
    pub fn of(answer: &Answer) -> Option<Measure> {
        if answer.dtw.is_some() {
            Some(Measure::End)
        } else {
            answer.mtc.map(|_| Measure::Conversion)
        }
    }

    /// The distance with this move, counted from before it.
    #[must_use]
    pub fn of_move(self, mv: &MoveAnswer) -> Option<u32> {
        match self {
            Measure::End => mv.dtw,
            Measure::Conversion => mv.mtc,
        }
    }
}
