//! Which positions a format leaves out, and the lookup that a database answers on its own.

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

/// One database's answer about a position, see [`Database::look_up`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// The format leaves the position out.
    Excluded(Excluded),
    /// From a database of wins, losses and draws.
    Wld(WldValue),
    /// From a database of distances to conversion.
    Mtc(MtcValue),
    /// From a database of distances to win.
    Dtw(DtwValue),
}

/// Why databases of this type have no value for a position, or `None` if they do (apart from
/// material and sides to move that are missing as a whole). The rule of each format is in
/// `docs/formats.md`, section 10.
#[inline]
#[must_use]
pub fn exclusion(db_type: DbType, position: &Position) -> Option<Excluded> {
    excludes_board(db_type, position.board(), position.side_to_move())
}

/// As [`exclusion`], from the bare sets.
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

fn mtc_value(raw: Raw) -> MtcValue {
    match raw {
        Raw::Value(value) if value >= crate::value::MTC_THRESHOLD => MtcValue::Distance(value),
        Raw::NotInCache => MtcValue::NotInCache,
        _ => MtcValue::BelowThreshold,
    }
}

fn dtw_value(raw: Raw) -> DtwValue {
    match raw {
        Raw::Value(value) => DtwValue::Half(value),
        Raw::NotInCache => DtwValue::NotInCache,
        Raw::NotStored | Raw::NoSlice => DtwValue::Unavailable,
    }
}

impl Database {
    /// This database's answer about a position: one lookup, no search. Reads the disk if it must.
    ///
    /// # Examples
    /// ```
    /// use egdb::probe::{Excluded, Lookup};
    /// use egdb::{Database, DbType};
    /// use movegen::{Color, Kind, Piece, Setup, Square};
    ///
    /// let mut setup = Setup::empty(Color::White);
    /// let square = |n| Square::new(n).unwrap();
    /// setup.put(Piece { color: Color::White, kind: Kind::King }, square(46));
    /// setup.put(Piece { color: Color::Black, kind: Kind::Man }, square(23));
    /// let position = setup.position().unwrap();
    /// # #[cfg(feature = "embedded")]
    /// let database = Database::embedded(DbType::Compact)?;
    /// # #[cfg(feature = "embedded")]
    /// assert_eq!(database.look_up(&position)?, Lookup::Excluded(Excluded::CaptureForMover));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the disk cannot be read or the data are damaged.
    #[inline]
    pub fn look_up(&self, position: &Position) -> Result<Lookup, ProbeError> {
        self.answer_alone(position, false)
    }

    /// As [`Database::look_up`] if that needs no disk access, else "not in cache". A memory map
    /// cannot tell, and always answers.
    ///
    /// # Errors
    /// If the data are damaged.
    #[inline]
    pub fn look_up_cached(&self, position: &Position) -> Result<Lookup, ProbeError> {
        self.answer_alone(position, true)
    }

    fn answer_alone(&self, position: &Position, conditional: bool) -> Result<Lookup, ProbeError> {
        let db_type = self.db_type();
        if let Some(reason) = exclusion(db_type, position) {
            return Ok(Lookup::Excluded(reason));
        }
        let raw = self.lookup(position.board(), position.side_to_move(), conditional)?;
        let is_over = Color::ALL.iter().any(|&c| position.pieces(c).is_empty());
        if raw.is_none() && !is_over {
            self.count_unavailable();
        }
        let is_known = raw.is_none() && is_over;
        let raw = raw.unwrap_or(Raw::NoSlice);
        Ok(match db_type {
            DbType::Mtc => Lookup::Mtc(mtc_value(raw)),
            DbType::Dtw if is_known => Lookup::Dtw(DtwValue::Half(0)),
            DbType::Dtw => Lookup::Dtw(dtw_value(raw)),
            _ if is_known => Lookup::Wld(wld_without_pieces(position)),
            _ => Lookup::Wld(wld_value(raw, db_type == DbType::WldRun)),
        })
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
        assert_eq!(exclusion(DbType::Wld2, &six), None);
        assert_eq!(exclusion(DbType::Wld2, &one_king), None);
        assert_eq!(exclusion(DbType::Wld2, &seven), Some(Excluded::CaptureForOpponent));
        assert_eq!(exclusion(DbType::Wld1, &seven), None);
        assert_eq!(exclusion(DbType::Mtc, &seven), None);
        let turned = seven.with_other_side();
        assert_eq!(exclusion(DbType::Wld2, &turned), Some(Excluded::CaptureForMover));
        assert_eq!(exclusion(DbType::Dtw, &turned), Some(Excluded::CaptureForMover));
    }
}
