//! Solved slices in the order of the index function, as the encoders want them.

use movegen::{Board, Color, isa};
use rayon::prelude::*;

use movegen::geometry::bits;

use super::error::BuildError;
use super::fixed::Fixed;
use super::raw::RawFile;
use super::rows::Rows;
use super::store::{Code, DRAW, Distances, Words};
use crate::codec::DONT_CARE;
use crate::format::DbType;
use crate::index::{king_placements, unrank_men};
use crate::probe::MTC_ROUNDING;

/// The values of a slice for one side to move, as a type stores them.
pub(super) struct Flat<'a> {
    raw: &'a RawFile,
    /// Indices below this one belong to other subslices.
    base: u64,
    size: u64,
    window: Vec<u16>,
    /// First index of the window.
    start: u64,
    cursors: Vec<Cursor>,
    selection: Selection,
}

/// What is asked for.
#[derive(Clone, Copy)]
struct Selection {
    db_type: DbType,
    side: Color,
    /// Positions in which the other side could capture are left out, too.
    is_quiet_for_both: bool,
}

impl<'a> Flat<'a> {
    /// `base` is the first index of the subslice, `size` its length, `window` the number of
    /// values computed at a time, two bytes each.
    pub(super) fn new(
        raw: &'a RawFile,
        db_type: DbType,
        side: Color,
        (base, size): (u64, u64),
        window: usize,
    ) -> Flat<'a> {
        let slice = raw.store.slice;
        let is_quiet_for_both =
            db_type.leaves_out_threats(slice.pieces().into(), slice.kings().into());
        let threads = rayon::current_num_threads().max(1);
        Flat {
            raw,
            base,
            size,
            window: vec![0; window],
            start: u64::MAX,
            cursors: (0..4 * threads).map(|_| Cursor::default()).collect(),
            selection: Selection { db_type, side, is_quiet_for_both },
        }
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
                    .try_for_each(|(i, (part, cursor))| {
                        let start = first + (i * share) as u64;
                        isa::run_best(
                            #[inline(always)]
                            || cursor.fill(self.raw, self.selection, start, part),
                        )
                    })?;
            }
            let offset = (at - self.start) as usize;
            let n = (self.window.len() - offset).min(out.len() - done);
            out[done..done + n].copy_from_slice(&self.window[offset..offset + n]);
            done += n;
        }
        Ok(())
    }
}

/// Goes through the positions of a slice; keeps what belongs to the arrangement of men where it
/// stands.
#[derive(Default)]
struct Cursor {
    /// The arrangement, and whether there is one.
    men: Option<u64>,
    pieces: [u64; 2],
    kings: Vec<[u64; 2]>,
    /// Positions of the block before each row, and of the whole block.
    before: Vec<u64>,
    words: Vec<Words>,
    distances: Vec<Distances>,
}

/// What is stored for a win (1), a loss (2), neither, and what is left out (4): values are hard to
/// predict.
const WLD: [u16; 8] = [3, 1, 2, 0, DONT_CARE, DONT_CARE, DONT_CARE, DONT_CARE];

/// Rows read at a time.
const ROWS: usize = 1024;

impl Cursor {
    #[inline(always)]
    fn fill(
        &mut self,
        raw: &RawFile,
        selection: Selection,
        start: u64,
        out: &mut [u16],
    ) -> Result<(), BuildError> {
        let Some(rows) = raw.store.rows else { return self.fill_cells(raw, selection, start, out) };
        let slice = raw.store.slice;
        let in_block = king_placements(slice);
        let mut at = start;
        let mut out = out;
        while !out.is_empty() {
            let men = at / in_block;
            if self.men != Some(men) {
                let Some((black, white)) = unrank_men(slice, men) else { return Ok(()) };
                self.enter(rows, [black, white]);
                self.men = Some(men);
            }
            let inside = at % in_block;
            let here = (in_block - inside).min(out.len() as u64) as usize;
            let (part, rest) = out.split_at_mut(here);
            self.fill_rows(raw, rows, selection, inside, part)?;
            out = rest;
            at += here as u64;
        }
        Ok(())
    }

    fn enter(&mut self, rows: Rows, men: [u64; 2]) {
        self.pieces = men;
        rows.list(men[0] | men[1], &mut self.kings);
        self.before.clear();
        let mut before = 0;
        for &kings in &self.kings {
            self.before.push(before);
            let row = Fixed::new(men, kings, rows.moving);
            before += u64::from(row.counted().count_ones());
        }
        self.before.push(before);
    }

    #[inline(always)]
    fn fill_rows(
        &mut self,
        raw: &RawFile,
        rows: Rows,
        selection: Selection,
        start: u64,
        out: &mut [u16],
    ) -> Result<(), BuildError> {
        let block = raw.store.levels.block(self.pieces[0], self.pieces[1]);
        let first = raw.store.first_row(block);
        let mut row = self.before.partition_point(|&before| before <= start) - 1;
        let mut skip = (start - self.before[row]) as usize;
        let end = start + out.len() as u64;
        let last = self.before.partition_point(|&before| before < end);
        let side = selection.side.index();
        let has_distances = matches!(selection.db_type, DbType::Mtc | DbType::Dtw);
        let mut out = out.iter_mut();
        while row < last {
            let n = ROWS.min(last - row);
            if has_distances {
                self.distances.resize(n, [[0; 64]; 2]);
                let is_mtc = selection.db_type == DbType::Mtc;
                raw.distances(block.level, first + row, is_mtc, &mut self.distances)?;
            } else {
                self.words.resize(n, [0; 4]);
                raw.words(block.level, first + row, &mut self.words)?;
            }
            for i in 0..n {
                let kings = self.kings[row + i];
                let fixed = Fixed::new(self.pieces, kings, rows.moving);
                let mut excluded = fixed.captures(selection.side);
                if selection.is_quiet_for_both {
                    excluded |= fixed.captures(selection.side.opponent());
                }
                let squares = bits(fixed.counted()).skip(std::mem::take(&mut skip));
                if has_distances {
                    for (square, out) in squares.zip(&mut out) {
                        let code = self.distances[i][side][square.trailing_zeros() as usize];
                        let value = stored(selection.db_type, code);
                        *out = if excluded & square != 0 { DONT_CARE } else { value };
                    }
                } else {
                    let [wins, losses] = [self.words[i][2 * side], self.words[i][2 * side + 1]];
                    for (square, out) in squares.zip(&mut out) {
                        let has = |set: u64| usize::from(set & square != 0);
                        *out = WLD[has(wins) | has(losses) << 1 | has(excluded) << 2];
                    }
                }
            }
            row += n;
        }
        Ok(())
    }

    fn fill_cells(
        &mut self,
        raw: &RawFile,
        selection: Selection,
        start: u64,
        out: &mut [u16],
    ) -> Result<(), BuildError> {
        let slice = raw.store.slice;
        for (men, out) in (start..).zip(out) {
            let Some((black, white)) = unrank_men(slice, men) else { return Ok(()) };
            let board = Board { black, white, kings: 0 };
            let is_excluded = board.has_capture(selection.side)
                || selection.is_quiet_for_both && board.has_capture(selection.side.opponent());
            *out = if is_excluded {
                DONT_CARE
            } else {
                let block = raw.store.levels.block(black, white);
                let cell = raw.store.solved[block.level].cells[block.number];
                stored(selection.db_type, cell[selection.side.index()])
            };
        }
        Ok(())
    }
}

/// What a type stores for a value.
fn stored(db_type: DbType, code: Code) -> u16 {
    match db_type {
        DbType::Dtw if code == DRAW => DONT_CARE,
        DbType::Dtw => u16::from(code / 2),
        DbType::Mtc if code == DRAW => 0,
        DbType::Mtc => MTC_ROUNDING.stored(u16::from(code)),
        _ if code == DRAW => 3,
        _ if code & 1 != 0 => 1,
        _ => 2,
    }
}
