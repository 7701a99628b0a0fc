//! Proofs that a position may be looked up.

use std::marker::PhantomData;

use movegen::{Board, Color, Position};
use thiserror::Error;

use crate::database::Database;
use crate::error::ProbeError;
use crate::format::DbType;
use crate::reader::Raw;
use crate::value::{DtwValue, MtcValue, WldValue};

/// Why a database has no value for a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Error)]
pub enum Excluded {
    /// The side to move can capture.
    #[error("the side to move can capture")]
    CaptureForMover,
    /// The other side could capture if it were to move.
    #[error("the other side could capture if it were to move")]
    CaptureForOpponent,
}

/// A database format, as a type.
pub trait Format: sealed::Sealed + Copy {
    /// The format as a value.
    const TYPE: DbType;

    /// Whether the format stores no value for the position, apart from material and side to move
    /// that are missing as a whole.
    #[inline]
    #[must_use]
    fn excludes(position: &Position) -> Option<Excluded> {
        excludes(Self::TYPE, position)
    }
}

mod sealed {
    use super::{Position, Raw};

    pub trait Sealed: Sized {
        /// What a lookup gives.
        type Value: Copy + std::fmt::Debug;
        fn value(raw: Raw) -> Self::Value;
        /// The value where one side has no piece.
        fn without_pieces(position: &Position) -> Self::Value;
        /// The value where a side has too many pieces.
        fn beyond() -> Self::Value;
    }
}

/// The rule of each format (`docs/formats.md`, section 10).
#[inline]
pub(crate) fn excludes(db_type: DbType, position: &Position) -> Option<Excluded> {
    excludes_board(db_type, position.board(), position.side_to_move())
}

/// As [`excludes`].
#[inline(always)]
pub(crate) fn excludes_board(db_type: DbType, board: &Board, side: Color) -> Option<Excluded> {
    if board.has_capture(side) {
        return Some(Excluded::CaptureForMover);
    }
    excludes_quiet(db_type, board, side).then_some(Excluded::CaptureForOpponent)
}

/// The rest of the rule for a position whose side to move has no capture: whether the other
/// side's captures exclude it.
#[inline]
pub(crate) fn excludes_quiet(db_type: DbType, board: &Board, side: Color) -> bool {
    let pieces = (board.black | board.white).count_ones();
    db_type.leaves_out_threats(pieces, board.kings.count_ones())
        && board.has_capture(side.opponent())
}

macro_rules! format {
    ($name:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name;

        impl Format for $name {
            const TYPE: DbType = DbType::$name;
        }
    };
}
format!(Wld2, "Win/loss/draw, version 2.");
format!(Compact, "Win/loss/draw, compact.");
format!(Wld1, "Win/loss/draw, version 1.");
format!(WldRun, "Win/loss/draw, run lengths.");
format!(Mtc, "Distance to conversion.");
format!(Dtw, "Distance to win.");

pub(crate) fn wld_value(raw: Raw, unknown_beyond: bool) -> WldValue {
    match raw {
        Raw::Value(value) => WldValue::from_stored(value as u8),
        Raw::NotStored => WldValue::Unknown,
        Raw::NoSlice if unknown_beyond => WldValue::Unknown,
        Raw::NoSlice => WldValue::Unavailable,
        Raw::NotInCache => WldValue::NotInCache,
    }
}

pub(crate) fn wld_without_pieces(position: &Position) -> WldValue {
    if position.pieces(position.side_to_move()).is_empty() { WldValue::Loss } else { WldValue::Win }
}

macro_rules! sealed_wld {
    ($name:ident, $unknown_beyond:literal) => {
        impl sealed::Sealed for $name {
            type Value = WldValue;
            #[inline]
            fn value(raw: Raw) -> WldValue {
                wld_value(raw, $unknown_beyond)
            }
            fn without_pieces(position: &Position) -> WldValue {
                wld_without_pieces(position)
            }
            fn beyond() -> WldValue {
                wld_value(Raw::NoSlice, $unknown_beyond)
            }
        }
    };
}
sealed_wld!(Wld2, false);
sealed_wld!(Compact, false);
sealed_wld!(Wld1, false);
sealed_wld!(WldRun, true);

impl sealed::Sealed for Mtc {
    type Value = MtcValue;
    #[inline]
    fn value(raw: Raw) -> MtcValue {
        match raw {
            Raw::Value(value) if value >= crate::value::MTC_THRESHOLD => MtcValue::Distance(value),
            Raw::NotInCache => MtcValue::NotInCache,
            _ => MtcValue::BelowThreshold,
        }
    }
    fn without_pieces(_: &Position) -> MtcValue {
        MtcValue::BelowThreshold
    }
    fn beyond() -> MtcValue {
        MtcValue::BelowThreshold
    }
}

impl sealed::Sealed for Dtw {
    type Value = DtwValue;
    #[inline]
    fn value(raw: Raw) -> DtwValue {
        match raw {
            Raw::Value(value) => DtwValue::Half(value),
            Raw::NotInCache => DtwValue::NotInCache,
            Raw::NotStored | Raw::NoSlice => DtwValue::Unavailable,
        }
    }
    fn without_pieces(_: &Position) -> DtwValue {
        DtwValue::Half(0)
    }
    fn beyond() -> DtwValue {
        DtwValue::Unavailable
    }
}

/// A position for which databases of this format hold a value. There is no other way to get one
/// than [`QuietFor::check`].
///
/// ```
/// use egdb::probe::{Excluded, QuietFor, Wld2};
/// use movegen::{Color, Kind, Piece, Setup, Square};
///
/// let mut setup = Setup::empty(Color::White);
/// let square = |n| Square::new(n).unwrap();
/// setup.put(Piece { color: Color::White, kind: Kind::King }, square(46));
/// setup.put(Piece { color: Color::Black, kind: Kind::Man }, square(23));
/// let position = setup.position().unwrap();
/// assert_eq!(QuietFor::<Wld2>::check(&position), Err(Excluded::CaptureForMover));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuietFor<F> {
    board: Board,
    side: Color,
    /// Value that needs no lookup: a side has no piece.
    is_over: bool,
    format: PhantomData<F>,
}

impl<F: Format> QuietFor<F> {
    /// Checks a position with the move generator.
    ///
    /// # Errors
    /// Why the format leaves the position out.
    #[inline]
    pub fn check(position: &Position) -> Result<QuietFor<F>, Excluded> {
        match F::excludes(position) {
            Some(reason) => Err(reason),
            None => Ok(QuietFor {
                board: *position.board(),
                side: position.side_to_move(),
                is_over: Color::ALL.iter().any(|&c| position.pieces(c).is_empty()),
                format: PhantomData,
            }),
        }
    }

    /// The side to move.
    #[must_use]
    pub fn side(&self) -> Color {
        self.side
    }

    /// Where the pieces stand.
    #[must_use]
    pub fn board(&self) -> Board {
        self.board
    }
}

/// An open database, known to be of one format.
#[derive(Clone, Copy, Debug)]
pub struct View<'d, F> {
    database: &'d Database,
    format: PhantomData<F>,
}

impl Database {
    /// This database as one of format `F`, if it is one.
    #[must_use]
    pub fn view<F: Format>(&self) -> Option<View<'_, F>> {
        (self.db_type() == F::TYPE).then_some(View { database: self, format: PhantomData })
    }
}

impl<F: Format> View<'_, F> {
    /// The stored value. Reads the disk if it must.
    ///
    /// # Errors
    /// If the disk cannot be read or the data are damaged.
    #[inline]
    pub fn lookup(&self, position: &QuietFor<F>) -> Result<F::Value, ProbeError> {
        self.get(position, false)
    }

    /// The stored value if that needs no disk access, else "not in cache". A memory map cannot
    /// tell, and always answers.
    ///
    /// # Errors
    /// If the data are damaged.
    #[inline]
    pub fn lookup_cached(&self, position: &QuietFor<F>) -> Result<F::Value, ProbeError> {
        self.get(position, true)
    }

    #[inline]
    fn get(&self, position: &QuietFor<F>, conditional: bool) -> Result<F::Value, ProbeError> {
        match self.database.lookup(&position.board, position.side, conditional)? {
            Some(raw) => Ok(F::value(raw)),
            None if position.is_over => {
                let value = position.board.position(position.side);
                Ok(value.map_or_else(|_| F::beyond(), |p| F::without_pieces(&p)))
            }
            None => {
                self.database.count_unavailable();
                Ok(F::beyond())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use movegen::{Kind, Piece, Setup, Square};

    /// Men and kings by square, black ones first.
    fn position(side: Color, pieces: [&[(Kind, u8)]; 2]) -> Position {
        let mut setup = Setup::empty(side);
        for (color, list) in Color::ALL.into_iter().zip(pieces) {
            for &(kind, number) in list {
                setup.put(Piece { color, kind }, Square::new(number).unwrap());
            }
        }
        setup.position().unwrap()
    }

    #[test]
    fn version_2_leaves_out_threats_from_7_pieces_and_2_kings_on() {
        use Kind::{King, Man};
        // White, not to move, threatens 28x19; Black has nothing to capture.
        let threat = |others: &[(Kind, u8)], white: &[(Kind, u8)]| {
            let black = [&[(Man, 23)], others].concat();
            let white = [&[(Man, 28)], white].concat();
            let position = position(Color::Black, [&black, &white]);
            assert!(!position.has_capture(Color::Black), "{position}");
            assert!(position.has_capture(Color::White), "{position}");
            position
        };
        let six = threat(&[(King, 5), (Man, 1)], &[(King, 50), (Man, 32)]);
        let seven = threat(&[(King, 5), (Man, 1), (Man, 2)], &[(King, 50), (Man, 32)]);
        let one_king = threat(&[(Man, 6), (Man, 1), (Man, 2)], &[(King, 50), (Man, 32)]);
        assert_eq!([six, seven, one_king].map(|p| p.piece_count()), [6, 7, 7]);
        assert!(QuietFor::<Wld2>::check(&six).is_ok());
        assert!(QuietFor::<Wld2>::check(&one_king).is_ok());
        assert_eq!(QuietFor::<Wld2>::check(&seven), Err(Excluded::CaptureForOpponent));
        assert!(QuietFor::<Wld1>::check(&seven).is_ok());
        assert!(QuietFor::<Mtc>::check(&seven).is_ok());
        let turned = seven.with_other_side();
        assert_eq!(QuietFor::<Wld2>::check(&turned), Err(Excluded::CaptureForMover));
        assert_eq!(QuietFor::<Dtw>::check(&turned), Err(Excluded::CaptureForMover));
    }
}
