//! Exact distances to conversion.
//!
//! The convention (`docs/formats.md`, section 10): a conversion is a capture or a move of a man,
//! by either side. A position that a conversion leads to counts as [`MTC_AFTER_CONVERSION`],
//! every other one as 1 more than its best successor: the smallest for the winner, over the moves
//! that keep the win, the greatest for the loser. A position without a legal move counts 0. So
//! wins are odd and losses even.
//!
//! The files hold half of each number from 10 on; how the original files round an odd one is not
//! known ([`MTC_ROUNDING`]). Nothing here depends on it: numbers of lost positions are even, so
//! they are stored exactly; a won position is 1 more than its best lost successor; and below the
//! threshold a search of at most nine plies finds the number.

use movegen::{Move, Position, Wld};

use super::Probe;
use super::question::Question;
use crate::database::LeftOut;
use crate::error::ProbeError;
use crate::reader::Raw;
use crate::value::MTC_THRESHOLD;

/// The number of a position after a conversion: the first if its side to move wins, the second if
/// it loses.
pub const MTC_AFTER_CONVERSION: [u32; 2] = [1, 2];

/// How the files round an odd number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// 11 is stored as 10.
    Down,
    /// 11 is stored as 12.
    Up,
}

/// How our writers store odd numbers, which won positions have. The original driver defines the
/// stored number by integer division, hence down; its documentation can be read either way.
pub const MTC_ROUNDING: Rounding = Rounding::Down;

impl Rounding {
    /// The number to store for a distance; 0 for one below the threshold.
    #[must_use]
    pub const fn stored(self, mtc: u16) -> u16 {
        if mtc < MTC_THRESHOLD {
            return 0;
        }
        match self {
            Rounding::Down => mtc & !1,
            Rounding::Up => (mtc + 1) & !1,
        }
    }

    /// The distance for a stored number.
    #[must_use]
    pub const fn exact(self, stored: u16, is_win: bool) -> u16 {
        match self {
            Rounding::Down if is_win => stored + 1,
            Rounding::Up if is_win => stored - 1,
            _ => stored,
        }
    }
}

pub(super) fn after_conversion(successor: Wld) -> Option<u32> {
    match successor {
        Wld::Win => Some(MTC_AFTER_CONVERSION[0]),
        Wld::Loss => Some(MTC_AFTER_CONVERSION[1]),
        Wld::Draw => None,
    }
}

/// Most positions searched for one number below the threshold. Searches of up to five pieces stay
/// far below it; with more, an answer is not worth seconds.
const MAX_NODES: u32 = 1 << 18;
const MAX_NODES_5_PIECES: u32 = 1 << 22;

/// The default cost limit of a question.
fn usual_effort(position: &Position) -> u32 {
    if position.piece_count() <= 5 { MAX_NODES_5_PIECES } else { MAX_NODES }
}

impl Probe {
    /// The distance to conversion of a won or lost position; `None` for a draw, where the
    /// databases do not reach, or without a database of this kind.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn mtc(&self, position: &Position) -> Result<Option<u32>, ProbeError> {
        self.mtc_within(position, usual_effort(position))
    }

    /// As [`Probe::mtc`], with at most `effort` positions searched for a number below the
    /// threshold (about a microsecond each); `None` also if that is not enough.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn mtc_within(&self, position: &Position, effort: u32) -> Result<Option<u32>, ProbeError> {
        if !self.reaches_mtc(position) {
            return Ok(None);
        }
        match self.wld(position)? {
            Some(value) => self.mtc_of_value(position, value, &mut Question::new(effort)),
            None => Ok(None),
        }
    }

    /// As [`Probe::mtc`], for a position in the databases with a known value.
    pub(super) fn mtc_of(
        &self,
        position: &Position,
        value: Wld,
        question: &mut Question,
    ) -> Result<Option<u32>, ProbeError> {
        question.left = usual_effort(position);
        self.mtc_of_value(position, value, question)
    }

    fn mtc_of_value(
        &self,
        position: &Position,
        value: Wld,
        question: &mut Question,
    ) -> Result<Option<u32>, ProbeError> {
        match value {
            Wld::Win => self.mtc_of_win(position, question),
            Wld::Loss => self.mtc_of_loss(position, question),
            Wld::Draw => Ok(None),
        }
    }

    /// The distance to conversion of a won or lost position, and the moves that keep to it: the
    /// winner's moves with the smallest number for the loser after them, the loser's with the
    /// greatest for the winner. `None` as for [`Probe::mtc`]; no moves only where there are none.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn mtc_moves(&self, position: &Position) -> Result<Option<(u32, Vec<Move>)>, ProbeError> {
        self.mtc_moves_within(position, usual_effort(position))
    }

    /// As [`Probe::mtc_moves`], with at most `effort` positions searched; see
    /// [`Probe::mtc_within`].
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn mtc_moves_within(
        &self,
        position: &Position,
        effort: u32,
    ) -> Result<Option<(u32, Vec<Move>)>, ProbeError> {
        if !self.reaches_mtc(position) {
            return Ok(None);
        }
        let Some(value) = self.wld(position)? else { return Ok(None) };
        let mut question = Question::new(effort);
        let Some(number) = self.mtc_of_value(position, value, &mut question)? else {
            return Ok(None);
        };
        let mut moves = Vec::new();
        for &mv in &position.legal_moves() {
            let next = position.after(mv);
            match self.known(&next, &mut question)? {
                Some(after) if after == value.opponent() => {}
                Some(_) => continue,
                None => return Ok(None),
            }
            let is_kept = if position.is_irreversible(mv) {
                after_conversion(value.opponent()).map(|n| n + 1 == number)
            } else if value == Wld::Win {
                self.reaches_within(&next, number - 1, &mut question)?
            } else {
                // The greatest one: a bound one lower does not hold.
                self.takes_longer(&next, number.saturating_sub(2), &mut question)?
            };
            match is_kept {
                Some(true) => moves.push(mv),
                Some(false) => {}
                None => return Ok(None),
            }
        }
        Ok(Some((number, moves)))
    }

    /// Whether a lost position's number is at most `bound`.
    fn reaches_within(
        &self,
        position: &Position,
        bound: u32,
        question: &mut Question,
    ) -> Result<Option<bool>, ProbeError> {
        if bound < u32::from(MTC_THRESHOLD) {
            return self.loses_within(position, bound, question);
        }
        Ok(self.mtc_of_loss(position, question)?.map(|n| n <= bound))
    }

    /// Whether a won position's number is greater than `bound`.
    fn takes_longer(
        &self,
        position: &Position,
        bound: u32,
        question: &mut Question,
    ) -> Result<Option<bool>, ProbeError> {
        if bound < u32::from(MTC_THRESHOLD) {
            return Ok(self.wins_within(position, bound, question)?.map(|is_within| !is_within));
        }
        Ok(self.mtc_of_win(position, question)?.map(|n| n > bound))
    }

    /// The stored number; `None` if it is below the threshold.
    pub(super) fn stored_mtc(&self, position: &Position) -> Result<Option<u32>, ProbeError> {
        for database in self.mtc_databases() {
            let (board, side) = (position.board(), position.side_to_move());
            match database.lookup(board, side, false, LeftOut::Nothing)? {
                Some(Raw::Value(value)) if value >= MTC_THRESHOLD.into() => {
                    return Ok(Some(value as u32));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    fn mtc_of_loss(
        &self,
        position: &Position,
        question: &mut Question,
    ) -> Result<Option<u32>, ProbeError> {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return Ok(Some(0));
        }
        // Before the lookup: the file has nothing for positions with a capture.
        if position.has_capture(position.side_to_move()) {
            return Ok(after_conversion(Wld::Win).map(|n| n + 1));
        }
        if let Some(stored) = self.stored_mtc(position)? {
            return Ok(Some(stored));
        }
        for bound in (2..u32::from(MTC_THRESHOLD)).step_by(2) {
            match self.loses_within(position, bound, question)? {
                Some(true) => return Ok(Some(bound)),
                Some(false) => {}
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    fn mtc_of_win(
        &self,
        position: &Position,
        question: &mut Question,
    ) -> Result<Option<u32>, ProbeError> {
        // A side that can capture must, so that it wins by a conversion.
        if position.has_capture(position.side_to_move()) {
            return Ok(after_conversion(Wld::Loss).map(|n| n + 1));
        }
        if self.stored_mtc(position)?.is_some() {
            let mut best = None;
            for &mv in &position.legal_moves() {
                let next = position.after(mv);
                match self.known(&next, question)? {
                    Some(Wld::Loss) => {}
                    Some(_) => continue,
                    None => return Ok(None),
                }
                let number = if position.is_irreversible(mv) {
                    after_conversion(Wld::Loss)
                } else {
                    self.mtc_of_loss(&next, question)?
                };
                let Some(number) = number else { return Ok(None) };
                best = Wld::Win.chosen(best, number);
            }
            return Ok(best.map(|n| n + 1));
        }
        for bound in (1..u32::from(MTC_THRESHOLD)).step_by(2) {
            match self.wins_within(position, bound, question)? {
                Some(true) => return Ok(Some(bound)),
                Some(false) => {}
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Whether a won position has a number of at most `bound`, which is below the threshold;
    /// `None` if that is not known.
    fn wins_within(
        &self,
        position: &Position,
        bound: u32,
        question: &mut Question,
    ) -> Result<Option<bool>, ProbeError> {
        if let Some(result) = question.recall(position, bound) {
            return Ok(Some(result));
        }
        if question.left == 0 {
            return Ok(None);
        }
        question.left -= 1;
        let result = self.search_win(position, bound, question)?;
        if let Some(is_within) = result {
            question.note(position, bound, is_within);
        }
        Ok(result)
    }

    fn search_win(
        &self,
        position: &Position,
        bound: u32,
        question: &mut Question,
    ) -> Result<Option<bool>, ProbeError> {
        let mut result = Some(false);
        if bound == 0 || self.is_beyond(position)? {
            return Ok(result);
        }
        // Conversions need no search.
        let moves = position.legal_moves();
        let by_conversion = after_conversion(Wld::Loss).is_some_and(|n| n < bound);
        for &mv in moves.iter().filter(|&&mv| by_conversion && position.is_irreversible(mv)) {
            match self.known(&position.after(mv), question)? {
                Some(Wld::Loss) => return Ok(Some(true)),
                Some(_) => {}
                None => result = None,
            }
        }
        for &mv in moves.iter().filter(|&&mv| !position.is_irreversible(mv)) {
            let next = position.after(mv);
            let is_good = match self.known(&next, question)? {
                Some(Wld::Loss) => self.loses_within(&next, bound - 1, question)?,
                Some(_) => Some(false),
                None => None,
            };
            match is_good {
                Some(true) => return Ok(Some(true)),
                Some(false) => {}
                None => result = None,
            }
        }
        Ok(result)
    }

    /// The same for a lost position.
    fn loses_within(
        &self,
        position: &Position,
        bound: u32,
        question: &mut Question,
    ) -> Result<Option<bool>, ProbeError> {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return Ok(Some(true));
        }
        let conversion = after_conversion(Wld::Win).map_or(0, |n| n + 1);
        if bound < conversion {
            return Ok(Some(false));
        }
        if position.has_capture(position.side_to_move()) {
            return Ok(Some(true));
        }
        if let Some(result) = question.recall(position, bound) {
            return Ok(Some(result));
        }
        if self.is_beyond(position)? {
            return Ok(Some(false));
        }
        let moves = moves.iter().filter(|&&mv| !position.is_irreversible(mv));
        let next: Vec<Position> = moves.map(|&mv| position.after(mv)).collect();
        // The stored values of the successors settle most positions without a search.
        for successor in &next {
            if question.recall(successor, bound - 1) == Some(false) || self.is_beyond(successor)? {
                question.note(position, bound, false);
                return Ok(Some(false));
            }
        }
        for successor in &next {
            match self.wins_within(successor, bound - 1, question)? {
                Some(true) => {}
                other => {
                    if other.is_some() {
                        question.note(position, bound, false);
                    }
                    return Ok(other);
                }
            }
        }
        question.note(position, bound, true);
        Ok(Some(true))
    }

    /// Whether the files have a number for a position, which is then not below the threshold.
    fn is_beyond(&self, position: &Position) -> Result<bool, ProbeError> {
        let is_quiet = !position.has_capture(position.side_to_move());
        Ok(is_quiet && self.stored_mtc(position)?.is_some())
    }
}
