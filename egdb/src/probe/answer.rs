//! Databases opened together, and full answers about a position.

use std::cmp::Reverse;
use std::sync::Arc;

use movegen::{Move, Position};

use super::mtc::after_conversion;
use super::quiet::excludes;
use crate::database::Database;
use crate::error::ProbeError;
use crate::format::DbType;
use crate::index::Place;
use crate::reader::coded::Raw;
use crate::value::Wld;

/// Databases that answer together: any number of each kind. Of those that hold a slice the first
/// one added counts.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    databases: Vec<Arc<Database>>,
}

/// What is known about a position, from the side to move's view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The game value; `None` where the databases do not reach.
    pub wld: Option<Wld>,
    /// Plies to the end of the game if both sides play for or against that (0: no legal move).
    /// Only for wins and losses, with a distance-to-win database.
    pub dtw: Option<u32>,
    /// Distance to conversion, in the convention of [`crate::probe::MTC_AFTER_CONVERSION`]. Only
    /// for wins and losses, with a database of this kind.
    pub mtc: Option<u32>,
    /// All legal moves, best first.
    pub moves: Vec<MoveAnswer>,
}

/// What a move leads to, from the view of the side that makes it. The numbers count from before
/// the move: those of the best move are the position's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveAnswer {
    /// The move.
    pub mv: Move,
    /// The game value.
    pub wld: Option<Wld>,
    /// Plies to the end of the game.
    pub dtw: Option<u32>,
    /// Distance to conversion.
    pub mtc: Option<u32>,
}

impl MoveAnswer {
    /// Smaller is better: wins by distance, draws, unknown, losses by distance the other way.
    fn order(&self) -> (u8, u32, u32) {
        let distances = (self.dtw.unwrap_or(u32::MAX / 2), self.mtc.unwrap_or(u32::MAX / 2));
        match self.wld {
            Some(Wld::Win) => (0, distances.0, distances.1),
            Some(Wld::Draw) => (1, 0, 0),
            None => (2, 0, 0),
            Some(Wld::Loss) => (3, u32::MAX - distances.0, u32::MAX - distances.1),
        }
    }
}

impl Probe {
    /// No databases: knows only that a side without a move has lost.
    #[must_use]
    pub fn new() -> Probe {
        Probe::default()
    }

    /// Adds a database.
    pub fn add(&mut self, database: Arc<Database>) {
        self.databases.push(database);
        // Larger win/loss/draw types first is of no use; smaller positions are in all of them.
        self.databases.sort_by_key(|db| Reverse(db.max_pieces()));
    }

    /// The databases.
    #[must_use]
    pub fn databases(&self) -> &[Arc<Database>] {
        &self.databases
    }

    /// The largest piece count of the win/loss/draw databases, 0 without one.
    #[must_use]
    pub fn max_pieces(&self) -> u8 {
        self.wld_databases().map(Database::max_pieces).max().unwrap_or(0)
    }

    pub(super) fn wld_databases(&self) -> impl Iterator<Item = &Database> {
        self.databases.iter().map(AsRef::as_ref).filter(|db| db.db_type().is_wld())
    }

    pub(super) fn mtc_databases(&self) -> impl Iterator<Item = &Database> {
        self.databases.iter().map(AsRef::as_ref).filter(|db| db.db_type() == DbType::Mtc)
    }

    /// Whether the distance-to-conversion databases cover this many pieces. They have no files
    /// for slices without a number of 10 or more, so the piece count is all there is to go by.
    pub(super) fn reaches_mtc(&self, position: &Position) -> bool {
        let pieces = position.piece_count();
        self.mtc_databases().any(|db| u32::from(db.max_pieces()) >= pieces)
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

    /// As [`Probe::dtw`], for a position whose value is known.
    pub(crate) fn dtw_of(
        &self,
        position: &Position,
        value: Wld,
    ) -> Result<Option<u32>, ProbeError> {
        let is_win = match value {
            Wld::Win => true,
            Wld::Loss => false,
            Wld::Draw => return Ok(None),
        };
        if !position.has_legal_move() {
            return Ok(Some(0));
        }
        if excludes(DbType::Dtw, position).is_none() {
            let Some(place) = Place::of(position) else { return Ok(None) };
            let mut other_side_is_there = false;
            let databases = self.databases.iter().filter(|db| db.db_type() == DbType::Dtw);
            for database in databases {
                match database.raw(place.slice, place.side, place.index, false)? {
                    Raw::Value(half) => return Ok(Some(2 * u32::from(half) + u32::from(is_win))),
                    Raw::NotStored => other_side_is_there = true,
                    Raw::NoSlice | Raw::NotInCache => {}
                }
            }
            // Moves lead to the side that is stored, or to fewer pieces or men: no circles.
            if !other_side_is_there {
                return Ok(None);
            }
        }
        let mut best: Option<u32> = None;
        for &mv in &position.legal_moves() {
            let next = position.after(mv);
            let Some(value) = self.wld(&next)? else { return Ok(None) };
            if is_win && value != Wld::Loss {
                continue;
            }
            let Some(plies) = self.dtw_of(&next, value)? else { return Ok(None) };
            best = Some(match best {
                Some(b) if is_win => b.min(plies),
                Some(b) => b.max(plies),
                None => plies,
            });
        }
        Ok(best.map(|plies| plies + 1))
    }

    /// Everything about a position, with all its moves.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn answer(&self, position: &Position) -> Result<Answer, ProbeError> {
        let mut moves = Vec::new();
        let reaches_mtc = self.reaches_mtc(position);
        for &mv in &position.legal_moves() {
            let next = position.after(mv);
            let value = self.wld(&next)?;
            let dtw = match value {
                Some(value) => self.dtw_of(&next, value)?,
                None => None,
            };
            let mtc = match value {
                _ if !reaches_mtc => None,
                Some(value) if position.is_irreversible(mv) => after_conversion(value),
                Some(_) => self.mtc(&next)?,
                None => None,
            };
            let plus_one = |n: u32| n + 1;
            moves.push(MoveAnswer {
                mv,
                wld: value.map(Wld::opponent),
                dtw: dtw.map(plus_one),
                mtc: mtc.map(plus_one),
            });
        }
        moves.sort_by_key(MoveAnswer::order);
        let wld = self.wld(position)?;
        let (dtw, mtc) = match wld {
            Some(value) => (self.dtw_of(position, value)?, self.mtc(position)?),
            None => (None, None),
        };
        Ok(Answer { wld, dtw, mtc, moves })
    }
}
