//! One slice with one side to move.

use std::sync::atomic::{AtomicU64, Ordering};

use movegen::draw::MaterialClass;
use movegen::{Board, Color, DrawCounters, DrawRules, Position, Wld};

use super::{Counts, Distances, Longest, RulesCounts, SurveyOptions, reaches};
use crate::builder::after_capture_by;
use crate::mtc_search::{LOSS_BY_CONVERSION, MtcSearch, WIN_BY_CONVERSION};
use egdb::Database;
use egdb::SubId;
use egdb::error::ProbeError;
use egdb::format::DbType;
use egdb::probe::{MTC_ROUNDING, Probe, Question, UnderRules, exclusion};
use egdb::slice::Slice;
use egdb::value::{MTC_THRESHOLD, RULES_NEVER, WldValue};
use egdb::walk::Walk;

/// The greatest number so far, shared by threads, to skip what cannot change it: the number above the
/// complement of the index.
#[derive(Debug, Default)]
struct SharedTop(AtomicU64);

const INDEX_BITS: u32 = 48;
const INDEX_MASK: u64 = (1 << INDEX_BITS) - 1;

impl SharedTop {
    fn raise(&self, number: u32, index: u64) {
        let key = (u64::from(number) + 1) << INDEX_BITS | (INDEX_MASK - index);
        self.0.fetch_max(key, Ordering::Relaxed);
    }

    /// The greatest number that would change nothing at this index; `None` if any would.
    fn useless(&self, index: u64) -> Option<u32> {
        let key = self.0.load(Ordering::Relaxed);
        let number = (key >> INDEX_BITS).checked_sub(1)? as u32;
        let known = INDEX_MASK - (key & INDEX_MASK);
        if index > known { Some(number) } else { number.checked_sub(1) }
    }
}

/// The threads' shared data.
pub(super) struct Surveyor<'p> {
    probe: &'p Probe,
    slice: Slice,
    side: Color,
    wld: Option<&'p Database>,
    /// Holds this side to move.
    dtw: Option<&'p Database>,
    has_dtw: bool,
    mtc: Option<&'p Database>,
    has_mtc: bool,
    rules: Option<&'p Database>,
    options: SurveyOptions,
    /// No capture wins, or loses, in more plies than this.
    limits: [u32; 2],
    dtw_win: SharedTop,
    dtw_loss: SharedTop,
    mtc_near: SharedTop,
}

/// A thread's memory.
pub(super) struct Worker {
    wld: Vec<u16>,
    dtw: Vec<u16>,
    mtc: Vec<u16>,
    rules: Vec<u16>,
    near: MtcSearch,
    question: Question,
}

/// A won or lost position.
#[derive(Clone, Copy)]
struct DecidedPosition {
    is_win: bool,
    has_capture: bool,
    index: u64,
    /// Where its stored values are in the worker's memory.
    k: usize,
}

/// Positions whose stored values are read at a time.
const CHUNK: u64 = 1 << 13;

impl<'p> Surveyor<'p> {
    pub(super) fn new<'k>(
        probe: &'p Probe,
        slice: Slice,
        side: Color,
        options: SurveyOptions,
        known: impl Fn(Slice, Color) -> Option<&'k Counts>,
    ) -> Surveyor<'p> {
        let find = |test: fn(DbType) -> bool| {
            let mut databases = probe.databases().iter().map(AsRef::as_ref);
            databases.find(|db: &&Database| test(db.db_type()) && db.has_side(slice, side))
        };
        let mut dtw = probe.databases().iter().filter(|db| db.db_type() == DbType::Dtw);
        Surveyor {
            probe,
            slice,
            side,
            wld: find(DbType::is_wld),
            dtw: find(|t| t == DbType::Dtw),
            has_dtw: dtw.any(|db| db.has_slice(slice)),
            mtc: find(|t| t == DbType::Mtc),
            has_mtc: reaches(probe, DbType::Mtc, slice.pieces()),
            // Men alone may be left out.
            rules: probe.databases().iter().map(AsRef::as_ref).find(|db: &&Database| {
                let is_reached = slice.kings() == 0 && db.max_pieces() >= slice.pieces();
                db.db_type() == DbType::Rules && (db.has_slice(slice) || is_reached)
            }),
            options,
            limits: limits(slice, side, known),
            dtw_win: SharedTop::default(),
            dtw_loss: SharedTop::default(),
            mtc_near: SharedTop::default(),
        }
    }

    pub(super) fn worker(&self) -> Worker {
        Worker {
            wld: Vec::new(),
            dtw: Vec::new(),
            mtc: Vec::new(),
            rules: Vec::new(),
            near: MtcSearch::new(),
            question: Question::new(0),
        }
    }

    /// Whether numbers below the threshold must be looked for: wins or losses, but no stored
    /// number.
    pub(super) fn wants_near(&self, counts: &Counts) -> bool {
        let is_far = counts.longest_mtc.is_some_and(|top| top.number >= MTC_THRESHOLD.into());
        self.has_mtc && !self.options.without_captures && !is_far && counts.wins + counts.losses > 0
    }

    fn read(
        &self,
        database: Option<&Database>,
        start: u64,
        count: usize,
        values: &mut Vec<u16>,
    ) -> Result<(), ProbeError> {
        let Some(database) = database else { return Ok(()) };
        let length = database.db_type().subslice_length();
        let id = SubId { slice: self.slice, sub: (start / length) as u32, side: self.side };
        values.resize(count, 0);
        if !database.read_values(id, start % length, values)? {
            values.fill(0);
        }
        Ok(())
    }

    /// Calls `visit` with the positions from `start` to `end`, their indices, and where their
    /// stored values are in the worker's memory.
    fn each(
        &self,
        worker: &mut Worker,
        start: u64,
        end: u64,
        mut visit: impl FnMut(&mut Worker, &Board, u64, usize) -> Result<(), ProbeError>,
    ) -> Result<(), ProbeError> {
        let mut walk = Walk::new(self.slice, start, end);
        let mut at = start;
        while at < end {
            let count = CHUNK.min(end - at) as usize;
            self.read(self.wld, at, count, &mut worker.wld)?;
            self.read(self.dtw, at, count, &mut worker.dtw)?;
            self.read(self.mtc, at, count, &mut worker.mtc)?;
            self.read(self.rules, at, count, &mut worker.rules)?;
            for (k, board) in walk.by_ref().take(count).enumerate() {
                visit(worker, &board, at + k as u64, k)?;
            }
            at += count as u64;
        }
        Ok(())
    }

    /// The value of a position: as stored, or found by the probe.
    fn value(
        &self,
        worker: &mut Worker,
        position: &Position,
        k: usize,
        has_capture: bool,
    ) -> Result<Option<Wld>, ProbeError> {
        if !has_capture && let Some(wld) = self.wld {
            let stored = WldValue::from_stored(worker.wld[k] as u8).exact();
            if stored.is_some() && exclusion(wld.db_type(), position).is_none() {
                return Ok(stored);
            }
        }
        worker.question.tidy();
        self.probe.wld_with(position, &mut worker.question)
    }

    /// Counts the positions from `start` to `end`.
    pub(super) fn count(
        &self,
        worker: &mut Worker,
        start: u64,
        end: u64,
    ) -> Result<Counts, ProbeError> {
        let last = (!self.options.without_captures).then_some(0);
        let rules = self.rules.map(|_| RulesCounts {
            last_cursed_wins: last,
            last_blessed_losses: last,
            ..RulesCounts::default()
        });
        let distances = (self.options.distances && self.has_dtw).then(Distances::default);
        let mut counts = Counts { rules, distances, ..Counts::default() };
        let mut under_rules = self.probe.under(DrawRules::default(), u32::MAX);
        self.each(worker, start, end, |worker, board, index, k| {
            let has_capture = board.has_capture(self.side);
            if self.options.without_captures
                && (has_capture || board.has_capture(self.side.opponent()))
            {
                return Ok(());
            }
            let Some(position) = self.probe.position(board, self.side) else { return Ok(()) };
            counts.captures += u64::from(has_capture);
            let value = self.value(worker, &position, k, has_capture)?;
            let is_win = match value {
                Some(Wld::Win) => {
                    counts.wins += 1;
                    true
                }
                Some(Wld::Loss) => {
                    counts.losses += 1;
                    false
                }
                Some(Wld::Draw) => {
                    counts.draws += 1;
                    return Ok(());
                }
                None => {
                    counts.unknown += 1;
                    return Ok(());
                }
            };
            let at = DecidedPosition { is_win, has_capture, index, k };
            if self.has_dtw {
                self.count_dtw(worker, &position, at, &mut counts)?;
            }
            if self.has_mtc {
                self.count_mtc(worker, at, &mut counts);
            }
            if let Some(rules) = &mut counts.rules {
                self.count_rules(worker, &mut under_rules, &position, at, rules)?;
            }
            Ok(())
        })?;
        Ok(counts)
    }

    #[inline]
    fn count_dtw(
        &self,
        worker: &Worker,
        position: &Position,
        DecidedPosition { is_win, has_capture, index, k }: DecidedPosition,
        counts: &mut Counts,
    ) -> Result<(), ProbeError> {
        let (top, shared) = match is_win {
            true => (&mut counts.longest_dtw_win, &self.dtw_win),
            false => (&mut counts.longest_dtw_loss, &self.dtw_loss),
        };
        let is_stored = !has_capture && self.dtw.is_some();
        let plies = if is_stored {
            Some(2 * u32::from(worker.dtw[k]) + u32::from(is_win))
        } else {
            let limit = if has_capture { self.limits[usize::from(!is_win)] } else { u32::MAX };
            if !self.options.distances
                && shared.useless(index).is_some_and(|useless| limit <= useless)
            {
                return Ok(());
            }
            self.probe.dtw_of(position, if is_win { Wld::Win } else { Wld::Loss })?
        };
        let Some(number) = plies else { return Ok(()) };
        if top.is_none_or(|best| number > best.number) {
            *top = Some(Longest { number, index });
            shared.raise(number, index);
        }
        if let Some(distances) = &mut counts.distances {
            distances.add(is_win, number);
        }
        Ok(())
    }

    /// Whether the win or loss comes before a draw by counting, with the counter at 0 and at its greatest.
    fn count_rules(
        &self,
        worker: &mut Worker,
        under_rules: &mut UnderRules<'_>,
        position: &Position,
        DecidedPosition { is_win, has_capture, index, k }: DecidedPosition,
        counts: &mut RulesCounts,
    ) -> Result<(), ProbeError> {
        let value = if is_win { Wld::Win } else { Wld::Loss };
        let (in_time, last_in_time) = if has_capture {
            let first = DrawCounters::new(position);
            let plies = first.plies_left(DrawRules::default()).unwrap_or(u16::MAX);
            let last = DrawCounters::with_plies(position, plies - 1);
            let mut is_in_time = |counters: &DrawCounters| -> Result<bool, ProbeError> {
                Ok(under_rules.is_in_time(position, value, counters)? != Some(false))
            };
            (is_in_time(&first)?, Some(is_in_time(&last)?))
        } else {
            let plies = worker.rules[k];
            let is_counted = self.slice.class() != MaterialClass::Other;
            if plies != RULES_NEVER && (is_counted || plies >= MTC_THRESHOLD) {
                let number = plies.into();
                Longest::raise(&mut counts.longest, Some(Longest { number, index }));
            }
            let is_last = match plies {
                _ if self.options.without_captures => None,
                RULES_NEVER => Some(false),
                _ if is_counted => Some(plies <= 1),
                _ if plies >= MTC_THRESHOLD => Some(false),
                _ if is_win => Some(self.wins_at_once(worker, under_rules, position)?),
                // Whatever he moves begins the count anew.
                _ => Some(position.legal_moves().iter().all(|&mv| position.is_irreversible(mv))),
            };
            (plies != RULES_NEVER, is_last)
        };
        let (stopped, last) = match is_win {
            true => (&mut counts.cursed_wins, &mut counts.last_cursed_wins),
            false => (&mut counts.blessed_losses, &mut counts.last_blessed_losses),
        };
        *stopped += u64::from(!in_time);
        if let (Some(last), Some(false)) = (last, last_in_time) {
            *last += 1;
        }
        Ok(())
    }

    /// Whether one move ends the game, or begins the count anew in a win under the rules.
    fn wins_at_once(
        &self,
        worker: &mut Worker,
        under_rules: &mut UnderRules<'_>,
        position: &Position,
    ) -> Result<bool, ProbeError> {
        for &mv in &position.legal_moves() {
            let next = position.after(mv);
            if !next.has_legal_move() {
                return Ok(true);
            }
            if position.is_irreversible(mv)
                && self.probe.wld_with(&next, &mut worker.question)? == Some(Wld::Loss)
            {
                let counters = DrawCounters::new(&next);
                if under_rules.is_in_time(&next, Wld::Loss, &counters)? != Some(false) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Numbers stored, and numbers of captures.
    #[inline]
    fn count_mtc(
        &self,
        worker: &Worker,
        DecidedPosition { is_win, has_capture, index, k }: DecidedPosition,
        counts: &mut Counts,
    ) {
        let number = if has_capture {
            u16::from(if is_win { WIN_BY_CONVERSION } else { LOSS_BY_CONVERSION })
        } else {
            match self.mtc {
                Some(_) if worker.mtc[k] >= MTC_THRESHOLD => {
                    MTC_ROUNDING.exact(worker.mtc[k], is_win)
                }
                _ => return,
            }
        };
        let number = u32::from(number);
        if counts.longest_mtc.is_none_or(|best| number > best.number) {
            counts.longest_mtc = Some(Longest { number, index });
            self.mtc_near.raise(number, index);
        }
    }

    /// Looks for the greatest number below the threshold.
    pub(super) fn near(
        &self,
        worker: &mut Worker,
        start: u64,
        end: u64,
    ) -> Result<Counts, ProbeError> {
        let limit = MTC_THRESHOLD as u8 - 1;
        let mut counts = Counts::default();
        if self.mtc_near.useless(start) == Some(limit.into()) {
            return Ok(counts);
        }
        self.each(worker, start, end, |worker, board, index, k| {
            let useless = self.mtc_near.useless(index);
            if useless == Some(limit.into()) {
                return Ok(());
            }
            let Some(position) = self.probe.position(board, self.side) else { return Ok(()) };
            if position.has_capture(self.side) {
                return Ok(());
            }
            let is_win = match self.value(worker, &position, k, false)? {
                Some(Wld::Win) => true,
                Some(Wld::Loss) => false,
                _ => return Ok(()),
            };
            // Wins are odd, losses even.
            let parity = u32::from(is_win);
            let bound =
                useless.and_then(|n| if n % 2 == parity { Some(n) } else { n.checked_sub(1) });
            let (probe, near) = (self.probe, &mut worker.near);
            if let Some(bound) = bound {
                let bound = bound as u8;
                let within = match is_win {
                    true => near.wins_within(probe, &position, bound)?,
                    false => near.loses_within(probe, &position, bound)?,
                };
                if within == Some(true) {
                    return Ok(());
                }
            }
            if let Some(number) = near.distance(probe, &position, is_win, limit)? {
                let number = number.into();
                Longest::raise(&mut counts.longest_mtc, Some(Longest { number, index }));
                self.mtc_near.raise(number, index);
            }
            Ok(())
        })?;
        Ok(counts)
    }
}

/// The most plies for a win or loss by a capture, from the known contents of the slices that it
/// leads to.
fn limits<'k>(
    slice: Slice,
    side: Color,
    known: impl Fn(Slice, Color) -> Option<&'k Counts>,
) -> [u32; 2] {
    let mut limits = [1, 1];
    for next in after_capture_by(slice, side) {
        let mover = side.opponent();
        let (next, mover) = match next.is_stored_reversed(mover) {
            true => (next.reversed(), mover.opponent()),
            false => (next, mover),
        };
        let Some(counts) = known(next, mover).filter(|counts| counts.unknown == 0) else {
            return [u32::MAX; 2];
        };
        let after_win = (counts.losses, counts.longest_dtw_loss);
        let after_loss = (counts.wins, counts.longest_dtw_win);
        for (limit, (count, longest)) in limits.iter_mut().zip([after_win, after_loss]) {
            match longest {
                Some(longest) => *limit = (*limit).max(longest.number + 1),
                None if count > 0 => return [u32::MAX; 2],
                None => {}
            }
        }
    }
    limits
}
