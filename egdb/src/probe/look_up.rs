//! The lookup that a database answers on its own.

use movegen::draw::MaterialClass;
use movegen::{Board, Color, Position, Wld};

use crate::database::{Database, LeftOut};
use crate::error::ProbeError;
use crate::format::DbType;
use crate::format::excluded::{Excluded, excludes_board};
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

/// The win, loss or draw that was looked up; `None` for everything else.
#[inline]
pub(super) fn exact_wld(raw: Raw) -> Option<Wld> {
    match raw {
        Raw::Value(value) => WldValue::from_stored(value as u8).exact(),
        _ => None,
    }
}

fn wld_value(raw: Raw, unknown_beyond: bool) -> WldValue {
    match raw {
        Raw::Value(value) => WldValue::from_stored(value as u8),
        Raw::NotStored | Raw::Excluded => WldValue::Unknown,
        Raw::NoSlice if unknown_beyond => WldValue::Unknown,
        Raw::NoSlice => WldValue::Unavailable,
        Raw::NotInCache => WldValue::NotInCache,
    }
}

pub(super) fn wld_without_pieces(board: &Board, side: Color) -> Wld {
    let own = match side {
        Color::Black => board.black,
        Color::White => board.white,
    };
    if own == 0 { Wld::Loss } else { Wld::Win }
}

fn mtc_value(raw: Raw) -> MtcValue {
    match raw {
        Raw::Value(value) if value >= MTC_THRESHOLD.into() => MtcValue::Distance(value as u16),
        Raw::NotInCache => MtcValue::NotInCache,
        _ => MtcValue::BelowThreshold,
    }
}

/// The value under the rules of a quiet position. Men alone convert with every move, so that files
/// may leave them out.
pub(super) fn rules_value(raw: Raw, board: &Board) -> RulesValue {
    let slice = Slice::of(board);
    match raw {
        Raw::Value(plies) => match plies as u16 {
            RULES_NEVER => RulesValue::Never,
            plies if plies >= MTC_THRESHOLD => RulesValue::Plies(plies),
            plies if slice.is_some_and(|it| it.class() != MaterialClass::Other) => {
                RulesValue::Plies(plies)
            }
            _ => RulesValue::BelowThreshold,
        },
        Raw::NotInCache => RulesValue::NotInCache,
        Raw::NoSlice if slice.is_some_and(|it| it.kings() == 0) => RulesValue::BelowThreshold,
        Raw::NotStored | Raw::NoSlice | Raw::Excluded => RulesValue::Unavailable,
    }
}

fn dtw_value(raw: Raw) -> DtwValue {
    match raw {
        Raw::Value(value) => DtwValue::Half(value as u16),
        Raw::NotInCache => DtwValue::NotInCache,
        Raw::NotStored | Raw::NoSlice | Raw::Excluded => DtwValue::Unavailable,
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
        self.look_up_board(position.board(), position.side_to_move(), false)
    }

    /// As [`Database::look_up`] if that needs no disk access, else "not in cache". With a memory
    /// map the system is asked, but on Windows, where it always answers.
    ///
    /// # Errors
    /// If the data are damaged.
    #[inline]
    pub fn look_up_cached(&self, position: &Position) -> Result<Lookup, ProbeError> {
        self.look_up_board(position.board(), position.side_to_move(), true)
    }

    /// Both, for a valid board.
    #[inline]
    pub(crate) fn look_up_board(
        &self,
        board: &Board,
        side: Color,
        conditional: bool,
    ) -> Result<Lookup, ProbeError> {
        let db_type = self.db_type();
        let found = self.lookup(board, side, conditional, LeftOut::Captures)?;
        if let Some(Raw::Value(value)) = found
            && db_type.is_wld()
        {
            return Ok(Lookup::Wld(WldValue::from_stored(value as u8)));
        }
        Ok(self.rarer_answer(board, side, found))
    }

    /// The answer for all that is no win, loss or draw.
    fn rarer_answer(&self, board: &Board, side: Color, found: Option<Raw>) -> Lookup {
        let db_type = self.db_type();
        if found == Some(Raw::Excluded)
            && let Some(reason) = excludes_board(db_type, board, side)
        {
            return Lookup::Excluded(reason);
        }
        let is_over = board.black == 0 || board.white == 0;
        if found.is_none() && !is_over {
            self.count_unavailable();
        }
        let is_known = found.is_none() && is_over;
        let raw = found.unwrap_or(Raw::NoSlice);
        match db_type {
            DbType::Mtc => Lookup::Mtc(mtc_value(raw)),
            DbType::Dtw if is_known => Lookup::Dtw(DtwValue::Half(0)),
            DbType::Dtw => Lookup::Dtw(dtw_value(raw)),
            DbType::Rules if is_known => Lookup::Rules(RulesValue::Plies(0)),
            DbType::Rules => Lookup::Rules(rules_value(raw, board)),
            _ if is_known => Lookup::Wld(match wld_without_pieces(board, side) {
                Wld::Loss => WldValue::Loss,
                _ => WldValue::Win,
            }),
            _ => Lookup::Wld(wld_value(raw, db_type == DbType::WldRun)),
        }
    }
}
