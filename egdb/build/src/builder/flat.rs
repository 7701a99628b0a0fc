//! Solved slices in the order of the index function, as the encoders want them.

use movegen::draw::MaterialClass;
use movegen::{Board, Color, isa};
use rayon::prelude::*;

use movegen::geometry::{SQUARES, bits};

use super::chunks::Near;
use super::error::BuildError;
use super::fixed::FixedValues;
use super::raw::RawFile;
use super::rows::Rows;
use super::store::{Code, DRAW};
use egdb::codec::DONT_CARE;
use egdb::format::DbType;
use egdb::index::{king_placements, next_set, unrank_men, unrank_set};
use egdb::probe::MTC_ROUNDING;
use egdb::slice::Slice;
use egdb::value::{MTC_THRESHOLD, RULES_NEVER};

/// The values of a slice for one side to move, as a type stores them.
pub(super) struct Flat<'a> {
    raw: &'a RawFile,
    /// Indices below this one belong to other subslices.
    base: u64,
    size: u64,
    window: Vec<u16>,
    /// First index of the window.
    start: u64,
    cursors: Vec<FlatCursor>,
    selection: ValueFilter,
}

/// The values to pack.
#[derive(Clone, Copy)]
struct ValueFilter {
    db_type: DbType,
    side: Color,
    /// Positions where the other side could capture are left out, too.
    is_quiet_for_both: bool,
    /// Moves of a lone king's ending are counted.
    is_counted: bool,
    /// Under the rules, a draw may be a win that they stop.
    is_stopped: bool,
}

/// The counts of the values of a slice with one side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SideCounts {
    /// The slice.
    pub slice: Slice,
    /// The side to move.
    pub side: Color,
    /// Won positions.
    pub wins: u64,
    /// Lost ones.
    pub losses: u64,
    /// Neither.
    pub draws: u64,
    /// Positions of any value where the side to move can capture.
    pub captures: u64,
}

impl SideCounts {
    const fn none(slice: Slice, side: Color) -> SideCounts {
        SideCounts { slice, side, wins: 0, losses: 0, draws: 0, captures: 0 }
    }

    /// Counts positions of a row.
    #[inline(always)]
    fn add(&mut self, squares: u64, [wins, losses]: [u64; 2], captures: u64) {
        let number = |set: u64| u64::from((squares & set).count_ones());
        self.wins += number(wins);
        self.losses += number(losses);
        self.draws += number(!wins & !losses);
        self.captures += number(captures);
    }
}

impl<'a> Flat<'a> {
    /// `is_stopped` says whether the draw rules stop wins of the slice, or may. `base` is the first index
    /// of the subslice, `size` its length, `window` the number of
    /// values computed at a time, two bytes each.
    pub(super) fn new(
        raw: &'a RawFile,
        db_type: DbType,
        side: Color,
        is_stopped: bool,
        (base, size): (u64, u64),
        window: usize,
    ) -> Flat<'a> {
        let slice = raw.store.slice;
        let is_quiet_for_both =
            db_type.leaves_out_threats(slice.pieces().into(), slice.kings().into());
        let threads = rayon::current_num_threads().max(1);
        let cursor = || FlatCursor::new(slice, side);
        Flat {
            raw,
            base,
            size,
            window: vec![0; window],
            start: u64::MAX,
            cursors: std::iter::repeat_with(cursor).take(4 * threads).collect(),
            selection: ValueFilter {
                db_type,
                side,
                is_quiet_for_both,
                is_counted: slice.class() != MaterialClass::Other,
                is_stopped,
            },
        }
    }

    /// Counts all positions whose values were fetched, unless these are distances: each once, if the
    /// values were asked for in order.
    pub(super) fn counts(&self) -> SideCounts {
        let mut sum = SideCounts::none(self.raw.store.slice, self.selection.side);
        for SideCounts { wins, losses, draws, captures, .. } in
            self.cursors.iter().map(|c| c.counts)
        {
            sum.wins += wins;
            sum.losses += losses;
            sum.draws += draws;
            sum.captures += captures;
        }
        sum
    }

    /// Fills `out` with the values from `start` on.
    pub(super) fn fill(&mut self, start: u64, out: &mut [u16]) -> Result<(), BuildError> {
        let mut done = 0;
        while done < out.len() {
            let at = start + done as u64;
            let length = self.window.len() as u64;
            if at < self.start || at >= self.start.saturating_add(length) {
                self.start = at;
                let here = length.min(self.size - at) as usize;
                let share = here.div_ceil(self.cursors.len()).max(1);
                let first = self.base + at;
                self.window[..here]
                    .par_chunks_mut(share)
                    .zip(&mut self.cursors)
                    .enumerate()
                    .for_each(|(i, (part, cursor))| {
                        let start = first + (i * share) as u64;
                        isa::run_best(
                            #[inline(always)]
                            || cursor.fill(self.raw, self.selection, start, part),
                        );
                    });
                self.raw.failure()?;
            }
            let offset = (at - self.start) as usize;
            let n = (self.window.len() - offset).min(out.len() - done);
            out[done..done + n].copy_from_slice(&self.window[offset..offset + n]);
            done += n;
        }
        Ok(())
    }
}

/// Goes through the positions of a slice; keeps what belongs to the group of rows where it
/// is.
struct FlatCursor {
    /// The number of the group, and whether there is one.
    group: Option<u64>,
    pieces: [u64; 2],
    /// The black kings, if the moving king is white.
    black_kings: u64,
    kings: Vec<[u64; 2]>,
    /// Positions of the group before each row, and of the whole group.
    before: Vec<u64>,
    near: Near,
    counts: SideCounts,
}

impl FlatCursor {
    fn new(slice: Slice, side: Color) -> FlatCursor {
        FlatCursor {
            group: None,
            pieces: [0; 2],
            black_kings: 0,
            kings: Vec::new(),
            before: Vec::new(),
            near: Near::of_size(SLOTS),
            counts: SideCounts::none(slice, side),
        }
    }
}

/// Chunks that a cursor remembers: it takes one row after the other, and there are many cursors.
const SLOTS: usize = 16;

/// The stored number for a win (1), a loss (2), neither, and a left-out position (4): values are
/// hard to predict.
const WLD: [u16; 8] = [3, 1, 2, 0, DONT_CARE, DONT_CARE, DONT_CARE, DONT_CARE];

impl FlatCursor {
    #[inline(always)]
    fn fill(&mut self, raw: &RawFile, selection: ValueFilter, start: u64, out: &mut [u16]) {
        let Some(rows) = raw.store.rows else { return self.fill_cells(raw, selection, start, out) };
        let slice = raw.store.slice;
        // With the same men and fixed black kings: of the moving colour the rows are counted in.
        let (in_group, black_kings) = match rows.moving {
            Color::White => (u64::from(slice.layout().white_kings), slice.black_kings().into()),
            Color::Black => (king_placements(slice), 0),
        };
        let mut at = start;
        let mut out = out;
        while !out.is_empty() {
            let group = at / in_group;
            if self.group != Some(group) {
                let in_block = king_placements(slice) / in_group;
                let (men, black) = (group / in_block, group % in_block);
                if black > 0 && self.group == Some(group - 1) {
                    self.black_kings = next_set(self.black_kings, self.free());
                } else {
                    let Some((black_men, white_men)) = unrank_men(slice, men) else { return };
                    self.pieces = [black_men, white_men];
                    self.black_kings = unrank_set(black as u32, black_kings, self.free());
                }
                self.enter(rows);
                self.group = Some(group);
            }
            let inside = at % in_group;
            let here = (in_group - inside).min(out.len() as u64) as usize;
            let (part, rest) = out.split_at_mut(here);
            self.fill_rows(raw, rows, selection, inside, part);
            out = rest;
            at += here as u64;
        }
    }

    /// The squares without men.
    #[inline(always)]
    fn free(&self) -> u64 {
        SQUARES & !self.pieces[0] & !self.pieces[1]
    }

    /// Lists the rows of a group.
    #[inline(always)]
    fn enter(&mut self, rows: Rows) {
        let (men, black) = (self.pieces, self.black_kings);
        let all = men[0] | men[1];
        self.kings.clear();
        match rows.moving {
            Color::White => {
                rows.list_inside(all, black, |white| self.kings.push([black, white]));
            }
            Color::Black => rows.list(all, &mut self.kings),
        }
        self.before.clear();
        let mut before = 0;
        for &kings in &self.kings {
            self.before.push(before);
            let row = FixedValues::new(men, kings, rows.moving);
            before += u64::from(row.counted().count_ones());
        }
        self.before.push(before);
    }

    #[inline(always)]
    fn fill_rows(
        &mut self,
        raw: &RawFile,
        rows: Rows,
        selection: ValueFilter,
        start: u64,
        out: &mut [u16],
    ) {
        let [black_men, white_men] = self.pieces;
        let block = raw.store.units.block(black_men, white_men);
        let first = raw.store.first_row(block);
        let row = self.before.partition_point(|&before| before <= start) - 1;
        let mut skip = (start - self.before[row]) as usize;
        let end = start + out.len() as u64;
        let last = self.before.partition_point(|&before| before < end);
        let side = selection.side.index();
        let db_type = selection.db_type;
        let has_distances = matches!(db_type, DbType::Mtc | DbType::Dtw | DbType::Rules);
        let mut out = out.iter_mut();
        let unit = &raw.store.solved[block.unit];
        let is_mtc = match db_type {
            DbType::Rules => !selection.is_counted,
            _ => db_type == DbType::Mtc,
        };
        let distances = if is_mtc { &unit.mtc } else { &unit.dtw };
        for row in row..last {
            let kings = self.kings[row];
            let fixed = FixedValues::new(self.pieces, kings, rows.moving);
            let captures = fixed.captures(selection.side);
            let mut excluded = captures;
            if selection.is_quiet_for_both {
                excluded |= fixed.captures(selection.side.opponent());
            }
            let squares = part(fixed.counted(), std::mem::take(&mut skip), out.len());
            let (row, turn) = rows.place(black_men | white_men, kings[0], kings[1]);
            if has_distances {
                let codes = &distances.get(first + row, &mut self.near)[side];
                for (square, out) in bits(squares).zip(&mut out) {
                    let code = codes[turn.apply(square).trailing_zeros() as usize];
                    let value = selection.stored(code);
                    *out = if excluded & square != 0 { DONT_CARE } else { value };
                }
            } else {
                let words = unit.words.get(first + row, &mut self.near);
                let [wins, losses] = [2 * side, 2 * side + 1].map(|k| turn.apply(words[k]));
                self.counts.add(squares, [wins, losses], captures);
                for (square, out) in bits(squares).zip(&mut out) {
                    let has = |set: u64| usize::from(set & square != 0);
                    *out = WLD[has(wins) | has(losses) << 1 | has(excluded) << 2];
                }
            }
        }
    }

    fn fill_cells(&mut self, raw: &RawFile, selection: ValueFilter, start: u64, out: &mut [u16]) {
        let slice = raw.store.slice;
        for (men, out) in (start..).zip(out) {
            let Some((black, white)) = unrank_men(slice, men) else { return };
            let board = Board { black, white, kings: 0 };
            let has_capture = board.has_capture(selection.side);
            let is_excluded = has_capture
                || selection.is_quiet_for_both && board.has_capture(selection.side.opponent());
            let block = raw.store.units.block(black, white);
            let cell = raw.store.solved[block.unit].cells.get(block.number, &mut self.near);
            let code = cell[selection.side.index()];
            let [wins, losses] =
                [code & 1 != 0, code & 1 == 0].map(|is| u64::from(is && code != DRAW));
            self.counts.add(1, [wins, losses], u64::from(has_capture));
            *out = if is_excluded { DONT_CARE } else { selection.stored(code) };
        }
    }
}

/// Those of some squares that come after the first `skip`, at most `most`.
#[inline(always)]
fn part(squares: u64, skip: usize, most: usize) -> u64 {
    if skip == 0 && squares.count_ones() as usize <= most {
        return squares;
    }
    bits(squares).skip(skip).take(most).fold(0, |all, square| all | square)
}

impl ValueFilter {
    /// The number that the type stores for a value.
    fn stored(self, code: Code) -> u16 {
        match self.db_type {
            DbType::Rules if code == DRAW && self.is_stopped => RULES_NEVER,
            DbType::Rules if code == DRAW => DONT_CARE,
            DbType::Rules if !self.is_counted && u16::from(code / 2) < MTC_THRESHOLD => 0,
            DbType::Rules => u16::from(code / 2),
            DbType::Dtw if code == DRAW => DONT_CARE,
            DbType::Dtw => u16::from(code / 2),
            DbType::Mtc if code == DRAW => 0,
            DbType::Mtc => MTC_ROUNDING.stored(u16::from(code)),
            _ if code == DRAW => 3,
            _ if code & 1 != 0 => 1,
            _ => 2,
        }
    }
}
