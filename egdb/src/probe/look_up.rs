//! The lookup that a database answers on its own.

use movegen::draw::MaterialClass;
use movegen::{Color, Position};

use crate::database::Database;
use crate::error::ProbeError;
use crate::format::DbType;
use crate::format::excluded::{Excluded, exclusion};
use crate::reader::Raw;
use crate::slice::Slice;
use crate::value::{DtwValue, MTC_THRESHOLD, MtcValue, RULES_NEVER, RulesValue, WldValue};

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
    /// From a database of values under the draw rules.
    Rules(RulesValue),
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
        Raw::Value(value) if value >= MTC_THRESHOLD => MtcValue::Distance(value),
        Raw::NotInCache => MtcValue::NotInCache,
        _ => MtcValue::BelowThreshold,
    }
}

/// The value under the rules of a quiet position. Men alone convert with every move, so that files
/// may leave them out.
pub(super) fn rules_value(raw: Raw, position: &Position) -> RulesValue {
    let slice = Slice::of(position.board());
    match raw {
        Raw::Value(RULES_NEVER) => RulesValue::Never,
        Raw::Value(plies) if plies >= MTC_THRESHOLD => RulesValue::Plies(plies),
        Raw::Value(plies) if slice.is_some_and(|it| it.class() != MaterialClass::Other) => {
            RulesValue::Plies(plies)
        }
        Raw::Value(_) => RulesValue::BelowThreshold,
        Raw::NotInCache => RulesValue::NotInCache,
        Raw::NoSlice if slice.is_some_and(|it| it.kings() == 0) => RulesValue::BelowThreshold,
        Raw::NotStored | Raw::NoSlice => RulesValue::Unavailable,
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

    /// As [`Database::look_up`] if that needs no disk access, else "not in cache". With a memory
    /// map the system is asked, but on Windows, where it always answers.
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
            DbType::Rules if is_known => Lookup::Rules(RulesValue::Plies(0)),
            DbType::Rules => Lookup::Rules(rules_value(raw, position)),
            _ if is_known => Lookup::Wld(wld_without_pieces(position)),
            _ => Lookup::Wld(wld_value(raw, db_type == DbType::WldRun)),
        })
    }
}
