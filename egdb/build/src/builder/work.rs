//! Reading all positions of a slice from its work file, whole rows at a time.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use movegen::{Board, Color, isa};
use rayon::prelude::*;

use super::chunks::Chunks;
use super::context::place;
use super::error::BuildError;
use super::fixed::Fixed;
use super::men::{Block, MenSets, all_sets};
use super::raw::{self, RawFile};
use super::rows::Rows;
use super::store::{Code, DRAW, Distances, SolvedUnit, Words};
use crate::mtc_search::{LOSS_BY_CONVERSION, WIN_BY_CONVERSION};
use egdb::slice::Slice;

/// The work files of a folder, as a build leaves them with
/// [`keep_work`](super::BuildOptions::keep_work).
#[derive(Debug)]
pub(crate) struct WorkFiles {
    dir: PathBuf,
    sets: [Arc<MenSets>; 6],
    chunks: Arc<Chunks>,
}

/// A work file.
#[derive(Debug)]
pub(crate) struct WorkFile(RawFile);

/// Positions that differ in the square of one king only. Each position of a slice is in one group.
/// A position without kings is its own group, and its square is that of a man.
pub(crate) struct Group {
    fixed: Fixed,
    /// The squares of the king.
    pub squares: u64,
    /// Where a side to move can capture.
    pub captures: [u64; 2],
    words: Words,
    dtw: Option<Distances>,
    mtc: Option<Distances>,
}

impl Group {
    /// The squares where the side to move wins, and those where it loses.
    #[inline(always)]
    pub(crate) fn decided(&self, side: Color) -> [u64; 2] {
        let at = 2 * side.index();
        [self.words[at] & self.squares, self.words[at + 1] & self.squares]
    }

    /// The plies to the end of the game of a decided position.
    #[inline(always)]
    pub(crate) fn dtw(&self, side: Color, square: u64) -> Option<Code> {
        self.dtw.map(|plies| plies[side.index()][square.trailing_zeros() as usize])
    }

    /// The distance to conversion of a decided position.
    #[inline(always)]
    pub(crate) fn mtc(&self, side: Color, square: u64) -> Option<Code> {
        self.mtc.map(|plies| plies[side.index()][square.trailing_zeros() as usize])
    }

    /// The position with the king on a square.
    pub(crate) fn board(&self, square: u64) -> Board {
        let Fixed { pieces: [black, white], kings, .. } = self.fixed;
        if kings == 0 && (black | white) & square != 0 {
            return Board { black, white, kings };
        }
        place(&self.fixed, square)
    }
}

impl WorkFiles {
    /// The folder is the one with the work files.
    pub(crate) fn new(dir: &Path) -> WorkFiles {
        WorkFiles { dir: dir.to_owned(), sets: all_sets(), chunks: Arc::new(Chunks::new()) }
    }

    /// The work file of a slice.
    ///
    /// # Errors
    /// If it is missing or not a work file.
    pub(crate) fn open(&self, slice: Slice) -> Result<WorkFile, BuildError> {
        let file = RawFile::open(&self.dir, &self.sets, slice, true, &self.chunks)?;
        let missing = || BuildError::Io {
            file: raw::path(&self.dir, slice),
            source: io::ErrorKind::NotFound.into(),
        };
        file.map(WorkFile).ok_or_else(missing)
    }
}

/// Rows that a thread takes at a time.
const SHARE: usize = 1 << 12;

impl WorkFile {
    /// Number of units, see [`WorkFile::unit`].
    pub(crate) fn units(&self) -> usize {
        self.0.store.units.len()
    }

    /// Visits all positions of a unit, on all threads of the pool; every thread has its own sums,
    /// which are merged at the end.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    pub(crate) fn unit<T: Default + Send>(
        &self,
        unit: usize,
        visit: impl Fn(&mut T, &Group) + Sync,
        merge: impl Fn(T, T) -> T + Sync + Send,
    ) -> Result<T, BuildError> {
        let store = &self.0.store;
        let solved = self.0.load(unit)?;
        let blocks = 0..store.units.size(unit);
        let all = |number: usize| {
            let Some((black, white)) = store.units.men(unit, number) else {
                return Ok(T::default());
            };
            let men = [black, white];
            let block = Block { unit, number };
            match store.rows {
                Some(rows) => self.rows(rows, men, &solved, block, &visit, &merge),
                None => Ok(self.cell(men, solved.cells.held()[number], &visit)),
            }
        };
        blocks.into_par_iter().map(all).try_reduce(T::default, |a, b| Ok(merge(a, b)))
    }

    fn rows<T: Default + Send>(
        &self,
        rows: Rows,
        men: [u64; 2],
        solved: &SolvedUnit,
        block: Block,
        visit: &(impl Fn(&mut T, &Group) + Sync),
        merge: &(impl Fn(T, T) -> T + Sync + Send),
    ) -> Result<T, BuildError> {
        let all = men[0] | men[1];
        let mut kings = Vec::new();
        rows.list_outside(all, |black| {
            rows.list_inside(all, black, |white| kings.push([black, white]));
        });
        let first = self.0.store.first_row(block);
        let share = |kings: &[[u64; 2]]| {
            let mut sums = T::default();
            isa::run_best(
                #[inline(always)]
                || {
                    for &kings in kings {
                        let (row, turn) = rows.place(all, kings[0], kings[1]);
                        let row = first + row;
                        let fixed = Fixed::new(men, kings, rows.moving);
                        let group = Group {
                            fixed,
                            squares: fixed.counted(),
                            captures: Color::ALL.map(|side| fixed.captures(side)),
                            words: solved.words.held()[row].map(|word| turn.apply(word)),
                            dtw: solved
                                .dtw
                                .held()
                                .get(row)
                                .map(|lists| lists.map(|list| turn.apply_list(&list))),
                            mtc: solved
                                .mtc
                                .held()
                                .get(row)
                                .map(|lists| lists.map(|list| turn.apply_list(&list))),
                        };
                        visit(&mut sums, &group);
                    }
                },
            );
            Ok(sums)
        };
        let shares = kings.par_chunks(SHARE).map(share);
        shares.try_reduce(T::default, |a, b| Ok(merge(a, b)))
    }

    /// The position of an arrangement without kings.
    fn cell<T: Default>(
        &self,
        men: [u64; 2],
        codes: [Code; 2],
        visit: &impl Fn(&mut T, &Group),
    ) -> T {
        let fixed = Fixed::new(men, [0; 2], Color::White);
        let square = men[0] & men[0].wrapping_neg();
        let board = Board { black: men[0], white: men[1], kings: 0 };
        let mut words = [0; 4];
        let (mut dtw, mut mtc) = ([[DRAW; 64]; 2], [[DRAW; 64]; 2]);
        for (side, code) in Color::ALL.into_iter().zip(codes) {
            dtw[side.index()] = [code; 64];
            if code == DRAW {
                continue;
            }
            words[2 * side.index() + usize::from(code & 1 == 0)] = square;
            // Every move converts.
            let has_moves = board.position(side).is_ok_and(|position| position.has_legal_move());
            let number = match code & 1 {
                1 => WIN_BY_CONVERSION,
                _ if has_moves => LOSS_BY_CONVERSION,
                _ => 0,
            };
            mtc[side.index()] = [number; 64];
        }
        let captures = Color::ALL.map(|side| if board.has_capture(side) { square } else { 0 });
        let group = Group {
            fixed,
            squares: square,
            captures,
            words,
            dtw: self.0.metrics.dtw.then_some(dtw),
            mtc: self.0.metrics.mtc.then_some(mtc),
        };
        let mut sums = T::default();
        visit(&mut sums, &group);
        sums
    }
}
