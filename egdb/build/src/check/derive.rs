//! The value of a position from its successors, against the databases' value.

use movegen::{Board, Color, DrawCounters, DrawRules, Position, Wld};

use super::{CheckValue, Finding, Metric, Problem, UnitResult};
use crate::mtc_search::{LOSS_BY_CONVERSION, MtcSearch, WIN_BY_CONVERSION};
use egdb::Database;
use egdb::SubId;
use egdb::error::ProbeError;
use egdb::format::DbType;
use egdb::index::unrank;
use egdb::probe::{Asked, Excluded, Lookup, MTC_ROUNDING, Probe, Question, exclusion};
use egdb::slice::Slice;
use egdb::value::{MTC_THRESHOLD, RulesValue, WldValue};
use meerslag_files::with_causes;

/// One thread's tools.
pub(super) struct Judge<'p> {
    probe: &'p Probe,
    files: Vec<DerivedFiles<'p>>,
    successors: Vec<Successor>,
    near: MtcSearch,
    question: Question,
    search_limit: u64,
}

/// A database and the values last read from it in order.
struct DerivedFiles<'p> {
    database: &'p Database,
    kind: Metric,
    values: Vec<u16>,
    is_read: bool,
}

struct Successor {
    position: Position,
    value: Option<Wld>,
    is_conversion: bool,
}

/// A position on its way through the comparisons.
#[derive(Clone, Copy)]
struct Case {
    position: Position,
    board: Board,
    slice: Slice,
    index: u64,
    has_capture: bool,
    /// Where its values are among those read in order.
    read_at: Option<usize>,
}

/// A distance to conversion as far as the successors determine it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DerivedConversion {
    Below,
    Exactly(u16),
}

impl<'p> Judge<'p> {
    pub(super) fn new(probe: &'p Probe, search_limit: u64) -> Judge<'p> {
        let files = |db: &'p Database| DerivedFiles {
            database: db,
            kind: Metric::of(db.db_type()),
            values: Vec::new(),
            is_read: false,
        };
        Judge {
            probe,
            files: probe.databases().iter().map(|db| files(db)).collect(),
            successors: Vec::new(),
            near: MtcSearch::new(),
            question: Question::new(0),
            search_limit,
        }
    }

    /// Reads `count` values in the order of the files.
    pub(super) fn read(
        &mut self,
        slice: Slice,
        side: Color,
        start: u64,
        count: usize,
        outcome: &mut UnitResult,
    ) {
        for files in &mut self.files {
            let length = files.database.db_type().subslice_length();
            let id = SubId { slice, sub: (start / length) as u32, side };
            files.values.resize(count, 0);
            let read = files.database.read_values(id, start % length, &mut files.values);
            files.is_read = matches!(read, Ok(true));
            if let Err(error) = read
                && let Some(position) =
                    unrank(slice, start).and_then(|p| self.probe.position(&p, side))
            {
                unreadable(outcome, start, position, &error);
            }
        }
    }

    /// Checks one position; `read_at` says where its values are among those last read.
    pub(super) fn position(
        &mut self,
        slice: Slice,
        side: Color,
        index: u64,
        read_at: Option<usize>,
        outcome: &mut UnitResult,
    ) {
        let Some(board) = unrank(slice, index) else { return };
        // Every second position is looked up with colours exchanged.
        let (board, mover) = match index % 2 {
            0 => (board, side),
            _ => (board.reversed(), side.opponent()),
        };
        let Some(position) = self.probe.position(&board, mover) else { return };
        let has_capture = position.has_capture(mover);
        let case = Case { position, board, slice, index, has_capture, read_at };
        if let Err(error) = self.judge(&case, outcome) {
            unreadable(outcome, index, position, &error);
        }
    }

    fn has(&self, kind: Metric) -> bool {
        self.files.iter().any(|files| files.kind == kind)
    }

    fn judge(&mut self, case: &Case, outcome: &mut UnitResult) -> Result<(), ProbeError> {
        self.question.tidy();
        let wants_distances = self.has(Metric::Mtc) || self.has(Metric::Dtw);
        let derived = self.derive_wld(&case.position, wants_distances)?;
        self.compare_wld(case, derived, outcome)?;
        let Some(value @ (Wld::Win | Wld::Loss)) = derived else { return Ok(()) };
        let mut dtw = self.files.iter().filter(|files| files.kind == Metric::Dtw);
        if dtw.any(|files| files.database.has_slice(case.slice)) {
            let expected = self.derive_dtw(value)?;
            self.compare_dtw(case, value, expected, outcome)?;
        }
        self.compare_rules(case, value, outcome)?;
        let pieces = case.slice.pieces();
        let mut mtc = self.files.iter().filter(|files| files.kind == Metric::Mtc);
        if mtc.any(|files| files.database.max_pieces() >= pieces) {
            if case.has_capture {
                self.compare_mtc_of_capture(case, value, outcome)?;
            } else {
                let expected = self.derive_mtc(&case.position, value)?;
                self.compare_mtc(case, value, expected, outcome)?;
            }
        }
        Ok(())
    }

    /// Win if some successor is lost for the opponent; loss if all are won, or there is none.
    fn derive_wld(
        &mut self,
        position: &Position,
        wants_all: bool,
    ) -> Result<Option<Wld>, ProbeError> {
        self.successors.clear();
        let (mut best, mut is_certain) = (Wld::Loss, true);
        for &mv in &position.legal_moves() {
            let next = position.after(mv);
            // Beside a draw, only a lost successor counts.
            let asked = match best {
                Wld::Draw if !wants_all => Asked::IsLost,
                _ => Asked::Value,
            };
            let value = self.probe.known_asked(&next, asked, &mut self.question)?;
            match value {
                Some(Wld::Loss) => {
                    best = Wld::Win;
                    if !wants_all {
                        break;
                    }
                }
                Some(Wld::Draw) if best == Wld::Loss => best = Wld::Draw,
                Some(_) => {}
                None => is_certain = false,
            }
            if wants_all {
                let is_conversion = position.is_irreversible(mv);
                self.successors.push(Successor { position: next, value, is_conversion });
            }
        }
        Ok((is_certain || best == Wld::Win).then_some(best))
    }

    fn compare_wld(
        &mut self,
        case: &Case,
        derived: Option<Wld>,
        outcome: &mut UnitResult,
    ) -> Result<(), ProbeError> {
        let mut is_stored = false;
        let mut is_capture = false;
        for files in self.files.iter().filter(|files| files.kind == Metric::Wld) {
            let db_type = files.database.db_type();
            if let Some(reason) = exclusion(db_type, &case.position) {
                is_capture |= reason == Excluded::CaptureForMover;
                continue;
            }
            let Some(raw) = files.database.stored(&case.board, case.position.side_to_move())?
            else {
                continue;
            };
            files.compare_reading(case, raw, outcome);
            let value = WldValue::from_stored(raw as u8);
            if value == WldValue::Unknown {
                continue;
            }
            is_stored = true;
            let tally = &mut outcome.tallies[Metric::Wld as usize];
            let Some(derived) = derived else {
                tally.undecided += 1;
                continue;
            };
            tally.compared += 1;
            let is_right = match value {
                WldValue::DrawOrLoss => derived != Wld::Win,
                WldValue::WinOrDraw => derived != Wld::Loss,
                exact => exact.exact() == Some(derived),
            };
            if !is_right {
                let found = value.exact().map_or(CheckValue::Number(raw), CheckValue::Wld);
                let expected = CheckValue::Wld(derived);
                case.report(outcome, db_type, Problem::Stored, expected, found);
            }
        }
        if is_stored {
            return Ok(());
        }
        let tally = &mut outcome.tallies[Metric::Wld as usize];
        let answer = self.probe.wld_with(&case.position, &mut self.question)?;
        match (derived, is_capture) {
            (None, _) => tally.undecided += 1,
            (_, true) => tally.captures += 1,
            (_, false) => tally.left_out += 1,
        }
        if let Some(derived) = derived
            && answer != Some(derived)
        {
            let found = answer.map_or(CheckValue::Nothing, CheckValue::Wld);
            let expected = CheckValue::Wld(derived);
            case.report(outcome, self.type_of(Metric::Wld), Problem::Answered, expected, found);
        }
        Ok(())
    }

    /// One more than the smallest number of plies of the lost successors, or than the greatest
    /// of all.
    fn derive_dtw(&self, value: Wld) -> Result<Option<u32>, ProbeError> {
        if self.successors.is_empty() {
            return Ok(Some(0));
        }
        let mut best: Option<u32> = None;
        for next in self.successors.iter().filter(|next| next.value == Some(value.opponent())) {
            let Some(plies) = self.probe.dtw_of(&next.position, value.opponent())? else {
                return Ok(None);
            };
            best = Some(match best {
                Some(best) if value == Wld::Win => best.min(plies),
                Some(best) => best.max(plies),
                None => plies,
            });
        }
        Ok(best.map(|plies| plies + 1))
    }

    fn compare_dtw(
        &self,
        case: &Case,
        value: Wld,
        expected: Option<u32>,
        outcome: &mut UnitResult,
    ) -> Result<(), ProbeError> {
        let Some(expected) = expected else {
            outcome.tallies[Metric::Dtw as usize].undecided += 1;
            return Ok(());
        };
        let mut is_stored = false;
        if !case.has_capture {
            for files in self.files.iter().filter(|files| files.kind == Metric::Dtw) {
                let side = case.position.side_to_move();
                let Some(half) = files.database.stored(&case.board, side)? else { continue };
                is_stored = true;
                files.compare_reading(case, half, outcome);
                outcome.tallies[Metric::Dtw as usize].compared += 1;
                let found = 2 * u32::from(half) + u32::from(value == Wld::Win);
                if found != expected {
                    let (expected, found) = (CheckValue::Plies(expected), CheckValue::Plies(found));
                    case.report(outcome, DbType::Dtw, Problem::Stored, expected, found);
                }
            }
        }
        if is_stored {
            return Ok(());
        }
        let tally = &mut outcome.tallies[Metric::Dtw as usize];
        if case.has_capture {
            tally.captures += 1;
        } else {
            tally.left_out += 1;
        }
        let answer = self.probe.dtw(&case.position)?;
        if answer != Some(expected) {
            let found = answer.map_or(CheckValue::Nothing, CheckValue::Plies);
            let expected = CheckValue::Plies(expected);
            case.report(outcome, DbType::Dtw, Problem::Answered, expected, found);
        }
        Ok(())
    }

    /// A stored number of plies is enough by the values after the moves, and one less is not.
    fn compare_rules(
        &self,
        case: &Case,
        value: Wld,
        outcome: &mut UnitResult,
    ) -> Result<(), ProbeError> {
        if case.has_capture || !case.position.has_legal_move() {
            return Ok(());
        }
        for files in self.files.iter().filter(|files| files.kind == Metric::Rules) {
            let Lookup::Rules(found) = files.database.look_up(&case.position)? else { continue };
            if let Some(stored) =
                files.database.stored(&case.board, case.position.side_to_move())?
            {
                files.compare_reading(case, stored, outcome);
            }
            let fresh = DrawCounters::new(&case.position);
            let limit = fresh.plies_left(DrawRules::Lidraughts).unwrap_or(0);
            let questions = match found {
                RulesValue::Plies(plies) => vec![(plies, true), (plies.saturating_sub(1), false)],
                RulesValue::BelowThreshold => vec![(MTC_THRESHOLD - 1, true)],
                RulesValue::Never => vec![(limit, false)],
                RulesValue::NotInCache | RulesValue::Unavailable => continue,
            };
            outcome.tallies[Metric::Rules as usize].compared += 1;
            for (left, is_in_time) in questions.into_iter().filter(|&(left, _)| left > 0) {
                let counted = limit.saturating_sub(left);
                let counters = DrawCounters::with_plies(&case.position, counted);
                let effort = self.search_limit.min(u32::MAX.into()) as u32;
                let mut under_rules = self.probe.under(DrawRules::Lidraughts, effort);
                match under_rules.is_in_time_by_moves(&case.position, value, &counters)? {
                    None => outcome.tallies[Metric::Rules as usize].unproved += 1,
                    Some(derived) if derived == is_in_time => {}
                    Some(derived) => {
                        let expected = CheckValue::InTime(derived, left);
                        let found = CheckValue::UnderRules(found);
                        case.report(outcome, DbType::Rules, Problem::Stored, expected, found);
                    }
                }
            }
        }
        Ok(())
    }

    /// For a position without capture. The distance counts from the best successor: the smallest
    /// number among the lost ones, the greatest of all.
    fn derive_mtc(
        &mut self,
        position: &Position,
        value: Wld,
    ) -> Result<Option<DerivedConversion>, ProbeError> {
        let is_win = value == Wld::Win;
        let relevant = self.successors.iter().filter(|n| n.value == Some(value.opponent()));
        let mut best: Option<u16> = None;
        for next in relevant {
            let number = match next.is_conversion {
                true => None,
                false => self.stored_mtc(&next.position, !is_win)?,
            };
            match number {
                // A lost successor below the threshold: at most 8, so this is at most 9.
                None if is_win => return Ok(Some(DerivedConversion::Below)),
                None => {}
                Some(number) => {
                    best = Some(match best {
                        Some(best) if is_win => best.min(number),
                        Some(best) => best.max(number),
                        None => number,
                    });
                }
            }
        }
        if let Some(best) = best {
            return Ok(Some(DerivedConversion::Exactly(best + 1)));
        }
        // Every successor is won within 9: is it 9 for one of them?
        let within = MTC_THRESHOLD as u8 - 2;
        self.near.set_limit(self.search_limit);
        let is_below = self.near.loses_within(self.probe, position, within)?;
        Ok(is_below.map(|is_below| match is_below {
            true => DerivedConversion::Below,
            false => DerivedConversion::Exactly(MTC_THRESHOLD),
        }))
    }

    /// The distance of a won or lost position if it is stored.
    fn stored_mtc(&self, position: &Position, is_win: bool) -> Result<Option<u16>, ProbeError> {
        if position.has_capture(position.side_to_move()) {
            return Ok(None);
        }
        let board = Board::from(position);
        for files in self.files.iter().filter(|files| files.kind == Metric::Mtc) {
            match files.database.stored(&board, position.side_to_move())? {
                Some(number) if number >= MTC_THRESHOLD => {
                    return Ok(Some(MTC_ROUNDING.exact(number, is_win)));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    fn compare_mtc(
        &self,
        case: &Case,
        value: Wld,
        expected: Option<DerivedConversion>,
        outcome: &mut UnitResult,
    ) -> Result<(), ProbeError> {
        let Some(expected) = expected else {
            let tally = &mut outcome.tallies[Metric::Mtc as usize];
            if self.near.is_spent() {
                tally.unproved += 1;
            } else {
                tally.undecided += 1;
            }
            return Ok(());
        };
        let expected = match expected {
            DerivedConversion::Below => 0,
            DerivedConversion::Exactly(number) => MTC_ROUNDING.stored(number),
        };
        let text = |number: u16| match number {
            0 => CheckValue::BelowThreshold,
            _ if MTC_ROUNDING.stored(number) == number => {
                CheckValue::Conversion(MTC_ROUNDING.exact(number, value == Wld::Win).into())
            }
            _ => CheckValue::StoredConversion(number),
        };
        for files in self.files.iter().filter(|files| files.kind == Metric::Mtc) {
            let stored = files.database.stored(&case.board, case.position.side_to_move())?;
            if let Some(stored) = stored {
                files.compare_reading(case, stored, outcome);
            }
            // Numbers not in the files are below the threshold.
            let stored = stored.unwrap_or(0);
            outcome.tallies[Metric::Mtc as usize].compared += 1;
            if stored != expected {
                let (expected, found) = (text(expected), text(stored));
                case.report(outcome, DbType::Mtc, Problem::Stored, expected, found);
            }
        }
        Ok(())
    }

    fn compare_mtc_of_capture(
        &self,
        case: &Case,
        value: Wld,
        outcome: &mut UnitResult,
    ) -> Result<(), ProbeError> {
        let expected = u32::from(match value {
            Wld::Win => WIN_BY_CONVERSION,
            _ => LOSS_BY_CONVERSION,
        });
        outcome.tallies[Metric::Mtc as usize].captures += 1;
        let answer = self.probe.mtc(&case.position)?;
        if answer != Some(expected) {
            let found = answer.map_or(CheckValue::Nothing, CheckValue::Conversion);
            let expected = CheckValue::Conversion(expected);
            case.report(outcome, DbType::Mtc, Problem::Answered, expected, found);
        }
        Ok(())
    }

    fn type_of(&self, kind: Metric) -> DbType {
        let files = self.files.iter().find(|files| files.kind == kind);
        files.map_or(DbType::Wld2, |files| files.database.db_type())
    }
}

impl DerivedFiles<'_> {
    /// Compares values read in order with a lookup.
    fn compare_reading(&self, case: &Case, stored: u16, outcome: &mut UnitResult) {
        if let Some(at) = case.read_at
            && self.is_read
            && self.values[at] != stored
        {
            let (expected, found) =
                (CheckValue::Number(stored), CheckValue::Number(self.values[at]));
            case.report(outcome, self.database.db_type(), Problem::Read, expected, found);
        }
    }
}

impl Case {
    fn report(
        &self,
        outcome: &mut UnitResult,
        db_type: DbType,
        problem: Problem,
        expected: CheckValue,
        found: CheckValue,
    ) {
        let (expected, found) = (Some(expected), Some(found));
        let finding =
            Finding { position: self.position, db_type, problem, expected, found, error: None };
        outcome.keep(self.index, finding);
    }
}

impl UnitResult {
    fn keep(&mut self, index: u64, finding: Finding) {
        self.tallies[Metric::of(finding.db_type) as usize].wrong += 1;
        self.findings.push((index, finding));
    }
}

fn unreadable(outcome: &mut UnitResult, index: u64, position: Position, error: &ProbeError) {
    let extension = error.file.extension().unwrap_or_default();
    let is_one = |t: &DbType| extension.eq_ignore_ascii_case(t.data_extension());
    let db_type = DbType::ALL.into_iter().find(is_one).unwrap_or(DbType::Wld2);
    let (problem, error) = (Problem::Unreadable, Some(with_causes(error)));
    let finding = Finding { position, db_type, problem, expected: None, found: None, error };
    outcome.keep(index, finding);
}
