//! When values from moves out of an arrangement of men take effect: the ply of the iteration
//! ([`super::waves`]) when these moves win a square of the moving king, or allow its loss.

use movegen::geometry::bits;

use super::context::MAX_PLIES;
use super::external::ExternalFacts;
use super::store::{DRAW, Distances};

/// The squares of a row and side that come in at some ply.
pub(super) trait Seed {
    /// The rows and sides (twice the row, plus the side) that something may happen to at this
    /// ply.
    fn events(&self, ply: u8) -> Events<'_>;

    /// The squares won from this ply on.
    fn won(&self, row: usize, side: usize, facts: &ExternalFacts, ply: u8) -> u64;

    /// The squares that may be lost from this ply on.
    fn may_be_lost(&self, row: usize, side: usize, facts: &ExternalFacts, ply: u8) -> u64;

    /// The last ply with events.
    fn last(&self) -> u8;
}

/// The places to look at.
pub(super) enum Events<'a> {
    None,
    All,
    Some(&'a [u32]),
}

/// Values only: everything comes in at once.
pub(super) struct Plain;

impl Seed for Plain {
    fn events(&self, ply: u8) -> Events<'_> {
        if ply <= 1 { Events::All } else { Events::None }
    }

    #[inline(always)]
    fn won(&self, _: usize, _: usize, facts: &ExternalFacts, _: u8) -> u64 {
        facts.win
    }

    #[inline(always)]
    fn may_be_lost(&self, _: usize, _: usize, facts: &ExternalFacts, _: u8) -> u64 {
        facts.loss | facts.quiet & !facts.holds
    }

    fn last(&self) -> u8 {
        1
    }
}

/// Distance to conversion: a position after a conversion counts 1 if its side to move wins and 2
/// if it loses, so the one before it 2 or 3; one without a move 0 (`docs/formats.md`, section 10).
///
/// With `WON` 1 instead of 3 a win by conversion takes one ply: for plies under the draw rules, which
/// are rounded up ([`super::rules`]).
pub(super) struct SeedConversion<const WON: u8>;

impl<const WON: u8> Seed for SeedConversion<WON> {
    fn events(&self, ply: u8) -> Events<'_> {
        if matches!(ply, 0 | 2) || ply == WON { Events::All } else { Events::None }
    }

    #[inline(always)]
    fn won(&self, _: usize, _: usize, facts: &ExternalFacts, ply: u8) -> u64 {
        if ply == WON { facts.win } else { 0 }
    }

    #[inline(always)]
    fn may_be_lost(&self, _: usize, _: usize, facts: &ExternalFacts, ply: u8) -> u64 {
        let losable = facts.quiet & !facts.holds;
        match ply {
            0 => losable & !facts.has_man_move,
            2 => facts.loss | losable & facts.has_man_move,
            _ => 0,
        }
    }

    fn last(&self) -> u8 {
        WON.max(2)
    }
}

/// Distance to the end of the game, from the distances of the positions that the moves lead to.
pub(super) struct SeedCodes<'a> {
    win: &'a [Distances],
    loss: &'a [Distances],
    /// Rows and sides by ply.
    buckets: &'a [Vec<u32>],
    last: u8,
}

impl<'a> SeedCodes<'a> {
    #[inline(always)]
    pub(super) fn new(
        win: &'a [Distances],
        loss: &'a [Distances],
        facts: &[[ExternalFacts; 2]],
        buckets: &'a mut Vec<Vec<u32>>,
    ) -> SeedCodes<'a> {
        buckets.resize(usize::from(MAX_PLIES) + 1, Vec::new());
        buckets.iter_mut().for_each(Vec::clear);
        let mut last = 0;
        for (row, facts) in facts.iter().enumerate() {
            for (side, facts) in facts.iter().enumerate() {
                let mut plies = [0u64; 4];
                let mut add = |squares: u64, codes: &[u8; 64]| {
                    for square in bits(squares) {
                        let code = codes[square.trailing_zeros() as usize];
                        plies[usize::from(code >> 6)] |= 1 << (code & 63);
                    }
                };
                add(facts.win, &win[row][side]);
                let lost = facts.loss | facts.quiet & !facts.holds & facts.has_man_move;
                add(lost, &loss[row][side]);
                plies[3] &= !(1 << (DRAW & 63));
                for (high, &low) in plies.iter().enumerate() {
                    for low in bits(low) {
                        let ply = (high << 6) + low.trailing_zeros() as usize;
                        if let Some(bucket) = buckets.get_mut(ply) {
                            bucket.push(2 * row as u32 + side as u32);
                            last = last.max(ply as u8);
                        }
                    }
                }
            }
        }
        SeedCodes { win, loss, buckets, last }
    }
}

#[inline(always)]
fn equal(squares: u64, codes: &[u8; 64], ply: u8) -> u64 {
    let is_equal = |square: u64| codes[square.trailing_zeros() as usize] == ply;
    bits(squares).fold(0, |found, square| found | if is_equal(square) { square } else { 0 })
}

impl Seed for SeedCodes<'_> {
    fn events(&self, ply: u8) -> Events<'_> {
        // Positions without moves are found at ply 0 by looking at all.
        match self.buckets.get(usize::from(ply)) {
            _ if ply == 0 => Events::All,
            Some(bucket) if !bucket.is_empty() => Events::Some(bucket),
            _ => Events::None,
        }
    }

    #[inline(always)]
    fn won(&self, row: usize, side: usize, facts: &ExternalFacts, ply: u8) -> u64 {
        equal(facts.win, &self.win[row][side], ply)
    }

    #[inline(always)]
    fn may_be_lost(&self, row: usize, side: usize, facts: &ExternalFacts, ply: u8) -> u64 {
        let losable = facts.quiet & !facts.holds;
        let lost = facts.loss | losable & facts.has_man_move;
        let now = equal(lost, &self.loss[row][side], ply);
        if ply == 0 { now | losable & !facts.has_man_move } else { now }
    }

    fn last(&self) -> u8 {
        self.last
    }
}
