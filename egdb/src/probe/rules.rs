//! Wins under the rules that count moves: whether they come before a draw.
//!
//! The databases' values know no counters. A win holds at a counter if the winner can force the
//! end, or a move that starts the count anew into a win that holds again, before the count is up.
//! Up to five pieces every win holds while the counter is at 0: the longest of one or two pieces
//! against a lone king takes 9 plies of 10, of three pieces 32 of 32, and no conversion is further
//! away than 23 of 50 plies (`positions/egdb/statistics.md`). From six pieces on there are wins
//! that need more than 50 plies to a conversion.

use movegen::draw::MaterialClass;
use movegen::{DrawCounters, DrawRules, Position, Wld};
use rustc_hash::FxHashMap;

use super::look_up::rules_value;
use super::question::Question;
use super::{MTC_ROUNDING, Probe};
use crate::database::LeftOut;
use crate::error::ProbeError;
use crate::format::DbType;
use crate::reader::Raw;
use crate::value::{Category, MTC_THRESHOLD, RulesValue};

/// The longest distance to conversion of up to five pieces.
const LONGEST_OF_FIVE: u16 = 23;

/// With six pieces and more, plies that are taken for enough where no distance is known.
const USUALLY_ENOUGH: u16 = 40;

/// Positions searched for one [`Probe::category`].
const EFFORT: u32 = 20_000;

impl Probe {
    /// The value of a position under the draw rules, with its counters; `None` where the databases do
    /// not reach, or do not settle whether a win comes in time.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn category(
        &self,
        position: &Position,
        counters: &DrawCounters,
        rules: DrawRules,
    ) -> Result<Option<Category>, ProbeError> {
        self.under(rules, EFFORT).category(position, counters)
    }

    /// For questions about one position after another under the same rules; `effort` positions at most
    /// are searched for all of them.
    #[must_use]
    pub fn under(&self, rules: DrawRules, effort: u32) -> UnderRules<'_> {
        let (question, settled) = (Question::new(0), FxHashMap::default());
        UnderRules { probe: self, rules, question, settled, effort }
    }

    /// Whether a position of this value, won or lost, is not drawn by counting moves, as far as it can
    /// be told without a search.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    #[inline]
    pub fn is_in_time(
        &self,
        position: &Position,
        value: Wld,
        counters: &DrawCounters,
        rules: DrawRules,
    ) -> Result<Option<bool>, ProbeError> {
        let Some(left) = counters.plies_left(rules) else { return Ok(Some(true)) };
        let few = position.piece_count() <= 5;
        let enough = match counters.class().limit() {
            Some((plies, _)) => plies,
            None if few => LONGEST_OF_FIVE,
            None => u16::MAX,
        };
        if left >= enough || !position.has_legal_move() {
            return Ok(Some(true));
        }
        if left == 0 {
            return Ok(Some(false));
        }
        let left = u32::from(left);
        // The files know the usual rules.
        if rules == DrawRules::Lidraughts || counters.class() != MaterialClass::SixteenMoves {
            match self.stored_under_rules(position)? {
                RulesValue::Plies(plies) => return Ok(Some(u32::from(plies) <= left)),
                RulesValue::BelowThreshold if left + 1 >= u32::from(MTC_THRESHOLD) => {
                    return Ok(Some(true));
                }
                RulesValue::Never => return Ok(Some(false)),
                RulesValue::BelowThreshold | RulesValue::NotInCache | RulesValue::Unavailable => {}
            }
        }
        self.comes_within(position, value, counters, left)
    }

    fn stored_under_rules(&self, position: &Position) -> Result<RulesValue, ProbeError> {
        let mut databases = self.databases.iter().filter(|db| db.db_type() == DbType::Rules);
        let pieces = position.piece_count();
        let database = databases.find(|db| u32::from(db.max_pieces()) >= pieces);
        match database {
            Some(database) if !position.has_capture(position.side_to_move()) => {
                let (board, side) = (position.board(), position.side_to_move());
                let raw = database.lookup(board, side, false, LeftOut::Nothing)?;
                Ok(rules_value(raw.unwrap_or(Raw::NoSlice), board))
            }
            _ => Ok(RulesValue::Unavailable),
        }
    }

    /// The same from distances to the end and to conversion.
    fn comes_within(
        &self,
        position: &Position,
        value: Wld,
        counters: &DrawCounters,
        left: u32,
    ) -> Result<Option<bool>, ProbeError> {
        if self.dtw_of(position, value)?.is_some_and(|plies| plies <= left) {
            return Ok(Some(true));
        }
        if counters.class() != MaterialClass::Other {
            return Ok(None);
        }
        if position.has_capture(position.side_to_move()) {
            return Ok((position.piece_count() <= 5).then_some(true));
        }
        if !self.reaches_mtc(position) {
            let is_enough = position.piece_count() > 5 && left >= u32::from(USUALLY_ENOUGH);
            return Ok(is_enough.then_some(true));
        }
        // The number counts up to two plies after the conversion.
        let (least, most) = match self.stored_mtc(position)? {
            Some(stored) => {
                let number = MTC_ROUNDING.exact(stored as u16, value == Wld::Win).into();
                (u32::saturating_sub(number, 2), number)
            }
            None => (1, u32::from(MTC_THRESHOLD) - 1),
        };
        Ok(match () {
            () if most <= left => Some(true),
            () if least > left => Some(false),
            () => None,
        })
    }
}

/// Questions to databases under draw rules, see [`Probe::under`].
#[derive(Debug)]
pub struct UnderRules<'a> {
    probe: &'a Probe,
    rules: DrawRules,
    question: Question,
    /// By position and plies left: whether its win comes in time.
    settled: FxHashMap<(Position, u16), bool>,
    /// Positions that may still be searched.
    effort: u32,
}

impl UnderRules<'_> {
    /// As [`Probe::category`].
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn category(
        &mut self,
        position: &Position,
        counters: &DrawCounters,
    ) -> Result<Option<Category>, ProbeError> {
        let Some(value) = self.probe.known(position, &mut self.question)? else { return Ok(None) };
        if value == Wld::Draw {
            return Ok(Some(Category::Draw));
        }
        let is_in_time = self.is_in_time(position, value, counters)?;
        Ok(is_in_time.map(|is_in_time| Category::of(value, is_in_time)))
    }

    /// Whether a position of this value, won or lost, is not drawn by counting moves; `None` if that is
    /// not known.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn is_in_time(
        &mut self,
        position: &Position,
        value: Wld,
        counters: &DrawCounters,
    ) -> Result<Option<bool>, ProbeError> {
        let known = self.probe.is_in_time(position, value, counters, self.rules)?;
        if known.is_some() {
            return Ok(known);
        }
        let key = (*position, counters.plies_left(self.rules).unwrap_or(0));
        if let Some(&known) = self.settled.get(&key) {
            return Ok(Some(known));
        }
        let Some(effort) = self.effort.checked_sub(1) else { return Ok(None) };
        self.effort = effort;
        let result = self.is_in_time_by_moves(position, value, counters)?;
        if let Some(is_in_time) = result {
            self.settled.insert(key, is_in_time);
        }
        Ok(result)
    }

    /// The same from the positions after the moves alone; there must be one, and plies left.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn is_in_time_by_moves(
        &mut self,
        position: &Position,
        value: Wld,
        counters: &DrawCounters,
    ) -> Result<Option<bool>, ProbeError> {
        let decisive = value == Wld::Win;
        let mut moves = position.legal_moves();
        // Those that start the count anew settle most.
        moves.sort_by_key(|&mv| !position.is_irreversible(mv));
        let mut result = Some(!decisive);
        for &mv in &moves {
            let next = position.after(mv);
            let is_in_time = match self.probe.known(&next, &mut self.question)? {
                Some(after) if after == value.opponent() => {
                    self.is_in_time(&next, after, &counters.after(position, mv, &next))?
                }
                Some(_) => continue,
                None => None,
            };
            match is_in_time {
                Some(is_in_time) if is_in_time == decisive => return Ok(Some(decisive)),
                Some(_) => {}
                None => result = None,
            }
        }
        Ok(result)
    }
}
