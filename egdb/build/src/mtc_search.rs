//! Distances to conversion below the threshold, by search.
//!
//! It only asks for wins and losses. The search shares nothing with the one in [`egdb::probe`],
//! which answers single questions and uses stored distances as well; here there are millions of
//! questions, one position after another, so results are kept.

use movegen::{MoveList, Position, Wld};

use egdb::error::ProbeError;
use egdb::probe::Probe;

/// The number of a position whose side to move wins by a conversion: the position after it, lost
/// for its side to move, counts 2.
pub(crate) const WIN_BY_CONVERSION: u8 = 3;
/// The number of a position whose side to move must convert and loses: the position after it, won
/// for its side to move, counts 1.
pub(crate) const LOSS_BY_CONVERSION: u8 = 2;

/// The bounds known for a position: the distance is more than `above` and at most `most`.
#[derive(Clone, Copy)]
struct Bounds {
    position: Position,
    above: i8,
    most: i8,
}

/// Entries of the memory, a power of two.
const ENTRIES: usize = 1 << 14;

/// A search with memory of positions.
pub(crate) struct MtcSearch {
    known: Vec<Option<Bounds>>,
    /// Positions that may still be searched.
    left: u64,
}

impl MtcSearch {
    pub(crate) fn new() -> MtcSearch {
        MtcSearch { known: vec![None; ENTRIES], left: u64::MAX }
    }

    /// Searches at most this many positions from now on; after that the answers are `None`.
    pub(crate) fn set_limit(&mut self, positions: u64) {
        self.left = positions;
    }

    /// Whether the limit has been reached.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }

    fn remembered(&self, position: &Position, bound: u8) -> Option<bool> {
        let known = self.known[slot(position)].as_ref().filter(|k| k.position == *position)?;
        match i16::from(bound) {
            b if b >= i16::from(known.most) => Some(true),
            b if b <= i16::from(known.above) => Some(false),
            _ => None,
        }
    }

    fn remember(&mut self, position: &Position, bound: u8, is_within: bool) {
        let entry = &mut self.known[slot(position)];
        let mut known = match entry {
            Some(known) if known.position == *position => *known,
            _ => Bounds { position: *position, above: -1, most: i8::MAX },
        };
        if is_within {
            known.most = known.most.min(bound as i8);
        } else {
            known.above = known.above.max(bound as i8);
        }
        *entry = Some(known);
    }

    /// Whether a lost position has a distance of at most `bound`; `None` where the databases do
    /// not reach, or the limit.
    pub(crate) fn loses_within(
        &mut self,
        probe: &Probe,
        position: &Position,
        bound: u8,
    ) -> Result<Option<bool>, ProbeError> {
        if position.has_capture(position.side_to_move()) {
            return Ok(Some(LOSS_BY_CONVERSION <= bound));
        }
        if let Some(answer) = self.remembered(position, bound) {
            return Ok(Some(answer));
        }
        if self.is_spent() {
            return Ok(None);
        }
        let moves = position.legal_moves();
        let mut answer = moves.is_empty() || LOSS_BY_CONVERSION <= bound;
        if answer {
            for &mv in moves.iter().filter(|&&mv| !position.is_irreversible(mv)) {
                match self.wins_within(probe, &position.after(mv), bound - 1)? {
                    Some(true) => {}
                    Some(false) => {
                        answer = false;
                        break;
                    }
                    None => return Ok(None),
                }
            }
        }
        self.remember(position, bound, answer);
        Ok(Some(answer))
    }

    /// The same for a won position.
    pub(crate) fn wins_within(
        &mut self,
        probe: &Probe,
        position: &Position,
        bound: u8,
    ) -> Result<Option<bool>, ProbeError> {
        if position.has_capture(position.side_to_move()) {
            return Ok(Some(WIN_BY_CONVERSION <= bound));
        }
        if let Some(answer) = self.remembered(position, bound) {
            return Ok(Some(answer));
        }
        let answer = self.search_win(probe, position, bound)?;
        if let Some(answer) = answer {
            self.remember(position, bound, answer);
        }
        Ok(answer)
    }

    fn search_win(
        &mut self,
        probe: &Probe,
        position: &Position,
        bound: u8,
    ) -> Result<Option<bool>, ProbeError> {
        if bound == 0 {
            return Ok(Some(false));
        }
        let moves = position.legal_moves();
        self.left = self.left.saturating_sub(moves.len() as u64);
        if self.is_spent() {
            return Ok(None);
        }
        let mut is_certain = true;
        if WIN_BY_CONVERSION <= bound {
            for &mv in moves.iter().filter(|&&mv| position.is_irreversible(mv)) {
                match probe.wld(&position.after(mv))? {
                    Some(Wld::Loss) => return Ok(Some(true)),
                    Some(_) => {}
                    None => is_certain = false,
                }
            }
        }
        // Moves after which the loser must convert or is stuck are found without looking deeper.
        let mut lost = MoveList::new();
        for &mv in moves.iter().filter(|&&mv| !position.is_irreversible(mv)) {
            let next = position.after(mv);
            match probe.wld(&next)? {
                Some(Wld::Loss) => {
                    match self.loses_within(probe, &next, LOSS_BY_CONVERSION.min(bound - 1))? {
                        Some(true) => return Ok(Some(true)),
                        Some(false) => {}
                        None => is_certain = false,
                    }
                    lost.push(mv);
                }
                Some(_) => {}
                None => is_certain = false,
            }
        }
        for rest in (LOSS_BY_CONVERSION + 2..bound).step_by(2) {
            for &mv in &lost {
                match self.loses_within(probe, &position.after(mv), rest)? {
                    Some(true) => return Ok(Some(true)),
                    Some(false) => {}
                    None => is_certain = false,
                }
            }
        }
        Ok(is_certain.then_some(false))
    }

    /// The distance of a won or lost position, if it is at most `limit`.
    pub(crate) fn distance(
        &mut self,
        probe: &Probe,
        position: &Position,
        is_win: bool,
        limit: u8,
    ) -> Result<Option<u8>, ProbeError> {
        for bound in (u8::from(is_win)..=limit).step_by(2) {
            let answer = if is_win {
                self.wins_within(probe, position, bound)?
            } else {
                self.loses_within(probe, position, bound)?
            };
            match answer {
                Some(true) => return Ok(Some(bound)),
                Some(false) => {}
                None => return Ok(None),
            }
        }
        Ok(None)
    }
}

fn slot(position: &Position) -> usize {
    (position.key() >> 32) as usize & (ENTRIES - 1)
}
