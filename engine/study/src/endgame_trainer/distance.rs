//! The databases' answer about a position, as one value and one distance.

use std::fmt;

use egdb::{Answer, MoveAnswer, Wld};

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

    /// The distance by way of this move, counted from before it.
    #[must_use]
    pub fn of_move(self, mv: &MoveAnswer) -> Option<u32> {
        match self {
            Measure::End => mv.dtw,
            Measure::Conversion => mv.mtc,
        }
    }
}

/// The value of a position to one of the players. As text: `win in 15`, `draw`, `loss, conversion
/// in 4`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Assessment {
    /// The game value.
    pub value: Wld,
    /// The distance in plies and its kind; never for a draw.
    pub distance: Option<(Measure, u32)>,
}

impl Assessment {
    /// For the side to move; `None` where the databases do not reach.
    #[must_use]
    pub fn of(answer: &Answer) -> Option<Assessment> {
        let distance = Measure::of(answer).and_then(|measure| match measure {
            Measure::End => answer.dtw.map(|n| (measure, n)),
            Measure::Conversion => answer.mtc.map(|n| (measure, n)),
        });
        Some(Assessment { value: answer.wld?, distance })
    }

    /// By way of a move, counted from before it; for the side that makes it.
    #[must_use]
    pub fn of_move(mv: &MoveAnswer, measure: Option<Measure>) -> Option<Assessment> {
        let value = mv.wld?;
        let distance = measure
            .filter(|_| value != Wld::Draw)
            .and_then(|measure| measure.of_move(mv).map(|n| (measure, n)));
        Some(Assessment { value, distance })
    }
}

impl fmt::Display for Assessment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value)?;
        match self.distance {
            Some((Measure::End, plies)) => write!(f, " in {plies}"),
            Some((Measure::Conversion, plies)) => write!(f, ", conversion in {plies}"),
            None => Ok(()),
        }
    }
}
