//! Captures of a row: all squares of the moving king at once as far as it is not involved.
//!
//! Which captures the fixed pieces have is found once with the moving king off the board, and
//! which squares were looked at. If the king stands on one of those it may be an obstacle or a
//! victim, and the position is treated by itself; else nothing changes, and the results are whole
//! rows of smaller slices. The moving king's own captures begin with a first victim and a
//! direction, and go on in the same way from whatever square before that victim it comes.
//!
//! The rules: a capture takes as many pieces as possible; captured pieces leave the board
//! after the last jump and cannot be jumped twice; a man that ends on its promotion row is crowned.

use smallvec::SmallVec;

use movegen::geometry::{SQUARES, STEPS, bits, shift};

/// The end of a capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ending {
    /// Where the capturing piece was; 0 for the moving king.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
    /// What it takes.
    pub captured: u64,
}

/// The captures of greatest number found so far.
#[derive(Debug, Default)]
pub(super) struct Captures {
    /// Number of pieces taken; 0 if there is no capture.
    pub count: u32,
    pub endings: SmallVec<[Ending; 16]>,
    /// Squares that were found empty, or were none of the victims, and mattered.
    pub examined: u64,
}

/// One capturing piece; its own square counts as empty.
struct Search<'a> {
    empty: u64,
    victims: u64,
    from: u64,
    /// The moving king may be a victim that is not among `victims`, wherever it stands.
    has_hidden_victim: bool,
    found: &'a mut Captures,
}

impl Captures {
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.endings.clear();
        self.examined = 0;
    }

    /// Adds the captures of some men and kings. `has_hidden_victim` says that the moving king is
    /// not of their colour.
    #[inline(always)]
    pub(super) fn of_pieces(
        &mut self,
        [men, kings]: [u64; 2],
        victims: u64,
        occupied: u64,
        has_hidden_victim: bool,
    ) {
        let empty = SQUARES & !occupied;
        for from in bits(men) {
            let empty = empty | from;
            let mut search = Search { empty, victims, from, has_hidden_victim, found: self };
            search.man(from, 0, 0);
        }
        for from in bits(kings) {
            let empty = empty | from;
            let mut search = Search { empty, victims, from, has_hidden_victim, found: self };
            search.king(from, STEPS, 0, 0);
        }
    }

    /// Adds the captures of a king that begin by jumping a victim in a direction.
    #[inline(always)]
    pub(super) fn of_king_over(&mut self, victim: u64, step: i32, victims: u64, occupied: u64) {
        let empty = SQUARES & !occupied;
        let mut search = Search { empty, victims, from: 0, has_hidden_victim: false, found: self };
        search.land(victim, step, 0, 0);
    }

    fn add(&mut self, ending: Ending, count: u32) {
        if count > self.count {
            self.count = count;
            self.endings.clear();
        }
        if count == self.count && !self.endings.contains(&ending) {
            self.endings.push(ending);
        }
    }
}

impl Search<'_> {
    /// Jumps of a man; whether there was one.
    fn man(&mut self, at: u64, captured: u64, count: u32) -> bool {
        let mut has_jump = false;
        for step in STEPS {
            let over = shift(at, step) & SQUARES;
            let to = shift(over, step) & SQUARES;
            // The moving king might stand on either square.
            self.found.examined |= over & self.empty;
            if over & self.victims & !captured == 0 {
                continue;
            }
            self.found.examined |= to & self.empty;
            if to & self.empty == 0 {
                continue;
            }
            has_jump = true;
            let captured = captured | over;
            if !self.man(to, captured, count + 1) {
                self.found.add(Ending { from: self.from, to, captured }, count + 1);
            }
        }
        has_jump
    }

    /// Jumps of a king in some directions; whether there was one.
    fn king(
        &mut self,
        at: u64,
        steps: impl IntoIterator<Item = i32>,
        captured: u64,
        count: u32,
    ) -> bool {
        let mut has_jump = false;
        for step in steps {
            let mut over = shift(at, step);
            while over & self.empty != 0 {
                self.found.examined |= over;
                over = shift(over, step);
            }
            if over & self.victims & !captured != 0 {
                has_jump |= self.land(over, step, captured, count);
            }
        }
        has_jump
    }

    /// The squares behind a victim, with all that follows. What stands behind them in the same
    /// direction is the same for all of them; backwards there is nothing but the victim.
    fn land(&mut self, over: u64, step: i32, captured: u64, count: u32) -> bool {
        let captured = captured | over;
        let first = shift(over, step);
        let mut ahead = first;
        while ahead & self.empty != 0 {
            self.found.examined |= ahead;
            ahead = shift(ahead, step);
        }
        if ahead == first {
            return false;
        }
        let goes_on =
            ahead & self.victims & !captured != 0 && self.land(ahead, step, captured, count + 1);
        let is_last = !self.has_hidden_victim && self.victims & !captured == 0;
        let turns = STEPS.into_iter().filter(|turn| turn.abs() != step.abs());
        let mut to = first;
        while to != ahead {
            let turned = !is_last && self.king(to, turns.clone(), captured, count + 1);
            if !turned && !goes_on {
                self.found.add(Ending { from: self.from, to, captured }, count + 1);
            }
            to = shift(to, step);
        }
        true
    }
}
