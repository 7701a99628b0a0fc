//! Questions to databases, and the answers for every legal position.
//!
//! [`Probe`] answers for all legal positions of databases opened together: captures and positions
//! that the files leave out are resolved by search. [`Database::look_up`] is one lookup in one
//! database; [`exclusion`] says which positions a format leaves out.

mod answer;
mod look_up;
mod mtc;
mod open;
mod question;
mod rules;
mod wld;

use std::cmp::Reverse;
use std::sync::Arc;

use movegen::{Board, Color, Position, Variant, Wld};

use crate::database::{Database, LeftOut};
#[cfg(feature = "embedded")]
use crate::error::OpenError;
use crate::error::{ProbeError, SelectionError};
use crate::format::DbType;
use crate::reader::Raw;
use crate::slice::Slice;
use answer::{best, chosen};
use mtc::after_conversion;

pub use crate::format::excluded::{Excluded, exclusion};
pub use answer::{Answer, MoveAnswer};
pub use look_up::Lookup;
pub use mtc::{MTC_AFTER_CONVERSION, MTC_ROUNDING, Rounding};
pub use open::DatabaseOptions;
pub use question::{Asked, Question};
pub use rules::UnderRules;

/// Databases that answer together: any number of each kind. If several hold a slice, the first one
/// added counts.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    databases: Vec<Arc<Database>>,
    /// The largest piece count of the win/loss/draw databases.
    max_pieces: u8,
    variant: Variant,
}

/// The files' answer about a position, without its successors.
enum Stored<T> {
    /// This is it.
    Value(T),
    /// Its value follows from the successors.
    InSuccessors,
    /// The databases do not reach it.
    Nowhere,
}

impl Probe {
    /// No databases: knows only that a side without a move has lost.
    #[must_use]
    pub fn new() -> Probe {
        Probe::default()
    }

    /// The databases of up to four pieces that are part of the library: win/loss/draw, both distances
    /// and values under the draw rules, without any file. See [`Database::embedded`].
    ///
    /// # Errors
    /// Only if the library was built with damaged files.
    #[cfg(feature = "embedded")]
    pub fn embedded() -> Result<Probe, OpenError> {
        DatabaseOptions::default().open()
    }

    /// Adds a database.
    pub fn add(&mut self, database: Arc<Database>) {
        if database.db_type().is_wld() {
            self.max_pieces = self.max_pieces.max(database.max_pieces());
        }
        self.databases.push(database);
        // Sorting larger win/loss/draw types first is useless: all have the smaller positions.
        self.databases.sort_by_key(|db| Reverse(db.max_pieces()));
    }

    /// The databases.
    #[must_use]
    pub fn databases(&self) -> &[Arc<Database>] {
        &self.databases
    }

    /// The game that they are about. Of positions of another one they know nothing.
    #[must_use]
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// A position of this game, if the rules allow it.
    #[must_use]
    pub fn position(&self, board: &Board, side: Color) -> Option<Position> {
        let position = board.position(side).ok()?;
        let is_other = position.variant() != self.variant;
        Some(if is_other { position.with_variant(self.variant) } else { position })
    }

    /// The largest piece count of the win/loss/draw databases, 0 without one.
    #[inline]
    #[must_use]
    pub fn max_pieces(&self) -> u8 {
        self.max_pieces
    }

    /// Whether the databases may know the value of the position.
    #[inline]
    #[must_use]
    pub fn reaches(&self, position: &Position) -> bool {
        position.piece_count() <= u32::from(self.max_pieces) && position.variant() == self.variant
    }

    /// The stored slices of the win/loss/draw databases in order, of at most this many pieces and
    /// only those that are wanted.
    pub fn select(
        &self,
        max_pieces: Option<u8>,
        wanted: Option<&[Slice]>,
    ) -> Result<Vec<Slice>, SelectionError> {
        if self.max_pieces == 0 {
            return Err(SelectionError::NoWld);
        }
        let is_there = |slice: &Slice| self.wld_databases().any(|db| db.has_slice(*slice));
        if let Some(missing) = wanted.unwrap_or_default().iter().find(|slice| !is_there(slice)) {
            return Err(SelectionError::Missing(*missing));
        }
        let limit = max_pieces.unwrap_or(u8::MAX).min(self.max_pieces);
        let is_wanted = |slice: &Slice| wanted.is_none_or(|list| list.contains(slice));
        let all = (2..=limit).flat_map(Slice::stored);
        let list: Vec<Slice> = all.filter(|slice| is_wanted(slice) && is_there(slice)).collect();
        if list.is_empty() { Err(SelectionError::NoSlices) } else { Ok(list) }
    }

    fn wld_databases(&self) -> impl Iterator<Item = &Database> {
        self.databases.iter().map(AsRef::as_ref).filter(|db| db.db_type().is_wld())
    }

    fn mtc_databases(&self) -> impl Iterator<Item = &Database> {
        self.databases.iter().map(AsRef::as_ref).filter(|db| db.db_type() == DbType::Mtc)
    }

    /// Whether the distance-to-conversion databases cover this many pieces. They have no files for
    /// slices without a number of 10 or more, so only the piece count can tell.
    fn reaches_mtc(&self, position: &Position) -> bool {
        let pieces = position.piece_count();
        position.variant() == self.variant
            && self.mtc_databases().any(|db| u32::from(db.max_pieces()) >= pieces)
    }

    /// Plies to the end of the game from a won or lost position; `None` for a draw, where the
    /// databases do not reach, or without a distance-to-win database.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn dtw(&self, position: &Position) -> Result<Option<u32>, ProbeError> {
        match self.wld(position)? {
            Some(value) => self.dtw_of(position, value),
            None => Ok(None),
        }
    }

    /// As [`Probe::dtw`], for a position with a known value.
    pub fn dtw_of(&self, position: &Position, value: Wld) -> Result<Option<u32>, ProbeError> {
        self.dtw_with(position, value, &mut Question::new(0))
    }

    /// The same, with the facts known already.
    fn dtw_with(
        &self,
        position: &Position,
        value: Wld,
        question: &mut Question,
    ) -> Result<Option<u32>, ProbeError> {
        if value == Wld::Draw {
            return Ok(None);
        }
        match self.stored_dtw(position, value)? {
            Stored::Value(plies) => return Ok(Some(plies)),
            Stored::Nowhere => return Ok(None),
            Stored::InSuccessors => {}
        }
        let mut chosen = None;
        for &mv in &position.legal_moves() {
            let next = position.after(mv);
            let Some(after) = self.known(&next, question)? else { return Ok(None) };
            if after == value.opponent() {
                let Some(plies) = self.known_dtw(&next, after, question)? else { return Ok(None) };
                chosen = value.chosen(chosen, plies + 1);
            }
        }
        Ok(chosen)
    }

    /// The plies to the end, if the successors are not needed for it.
    fn stored_dtw(&self, position: &Position, value: Wld) -> Result<Stored<u32>, ProbeError> {
        if !position.has_legal_move() {
            return Ok(Stored::Value(0));
        }
        if exclusion(DbType::Dtw, position).is_some() {
            return Ok(Stored::InSuccessors);
        }
        let mut other_side_is_there = false;
        for database in self.databases.iter().filter(|db| db.db_type() == DbType::Dtw) {
            let (board, side) = (position.board(), position.side_to_move());
            match database.lookup(board, side, false, LeftOut::Nothing)? {
                Some(Raw::Value(half)) => {
                    let plies = 2 * half as u32 + u32::from(value == Wld::Win);
                    return Ok(Stored::Value(plies));
                }
                Some(Raw::NotStored) => other_side_is_there = true,
                Some(Raw::NoSlice | Raw::NotInCache | Raw::Excluded) | None => {}
            }
        }
        // Moves lead to the side that is stored, or to fewer pieces or men: no circles.
        Ok(if other_side_is_there { Stored::InSuccessors } else { Stored::Nowhere })
    }

    /// Everything about a position, with all its moves.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn answer(&self, position: &Position) -> Result<Answer, ProbeError> {
        let question = &mut Question::new(0);
        let mut moves = Vec::new();
        let reaches_mtc = self.reaches_mtc(position);
        for &mv in &position.legal_moves() {
            let next = position.after(mv);
            let value = self.known(&next, question)?;
            let (mut dtw, mut mtc) = (None, None);
            if let Some(value) = value {
                dtw = self.known_dtw(&next, value, question)?;
                mtc = match position.is_irreversible(mv) {
                    _ if !reaches_mtc => None,
                    true => after_conversion(value),
                    false => self.mtc_of(&next, value, question)?,
                };
            }
            let plus_one = |n: u32| n + 1;
            moves.push(MoveAnswer {
                mv,
                wld: value.map(Wld::opponent),
                dtw: dtw.map(plus_one),
                mtc: mtc.map(plus_one),
            });
        }
        moves.sort_by_key(MoveAnswer::order);
        let wld = match self.stored_wld(position)? {
            Stored::Value(value) => Some(value),
            Stored::Nowhere => None,
            Stored::InSuccessors => best(&moves),
        };
        let (mut dtw, mut mtc) = (None, None);
        if let Some(value @ (Wld::Win | Wld::Loss)) = wld {
            dtw = match self.stored_dtw(position, value)? {
                Stored::Value(plies) => Some(plies),
                Stored::Nowhere => None,
                Stored::InSuccessors => chosen(&moves, value, |m| m.dtw),
            };
            if reaches_mtc {
                // Without a successor's number a search may still find this one.
                mtc = match chosen(&moves, value, |m| m.mtc) {
                    None => self.mtc_of(position, value, question)?,
                    number => number,
                };
            }
        }
        Ok(Answer { wld, dtw, mtc, moves })
    }

    /// As [`Probe::dtw`], for a position with a known value.
    fn known_dtw(
        &self,
        position: &Position,
        value: Wld,
        question: &mut Question,
    ) -> Result<Option<u32>, ProbeError> {
        if let Some(dtw) = question.dtw(position) {
            return Ok(dtw);
        }
        let dtw = self.dtw_with(position, value, question)?;
        question.note_dtw(position, value, dtw);
        Ok(dtw)
    }
}
