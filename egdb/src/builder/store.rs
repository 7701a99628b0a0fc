//! Solved slices in the form in which they are solved: levels, blocks (one for each arrangement
//! of men) and rows.

use std::ops::Deref;
use std::sync::Arc;

use bytemuck::Pod;
use movegen::{Board, Color};

use super::men::{Block, Levels, MenSets};
use super::rows::Rows;
use crate::slice::{SLICE_IDS, Slice};

/// The value of a position for the side to move: an even number if it loses, an odd one if it
/// wins, [`DRAW`] if neither. Where distances are computed it is the number of plies to the end
/// of the game, else 0 or 1.
pub(super) type Code = u8;

/// A draw.
pub(super) const DRAW: Code = 255;

/// A row's wins and losses: Black to move wins, loses, White to move wins, loses.
pub(super) type Words = [u64; 4];

/// A distance for each bit and side to move.
pub(super) type Distances = [[Code; 64]; 2];

/// Which distances to compute besides values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Metrics {
    pub dtw: bool,
    pub mtc: bool,
}

impl Metrics {
    /// What later levels and slices are solved from.
    pub(super) fn kept(self) -> Metrics {
        Metrics { mtc: false, ..self }
    }
}

/// Solved values of one kind: in memory, or in a work file that is mapped into memory.
#[derive(Debug)]
pub(super) enum Plane<T> {
    Held(Vec<T>),
    #[cfg(feature = "mmap")]
    Mapped {
        map: Arc<crate::storage::MemoryMap>,
        /// Offset and length in bytes; the offset is a multiple of the alignment.
        start: usize,
        length: usize,
    },
}

impl<T> Default for Plane<T> {
    fn default() -> Plane<T> {
        Plane::Held(Vec::new())
    }
}

impl<T: Pod> Deref for Plane<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        match self {
            Plane::Held(list) => list,
            #[cfg(feature = "mmap")]
            Plane::Mapped { map, start, length } => {
                bytemuck::cast_slice(&map.bytes(0)[*start..*start + *length])
            }
        }
    }
}

/// The solved positions of one level of a slice.
#[derive(Debug, Default)]
pub(super) struct SolvedLevel {
    /// Slices with kings: rows of all blocks.
    pub words: Plane<Words>,
    /// Distances to the end of the game, if computed, with `words`.
    pub dtw: Plane<Distances>,
    /// Distances to conversion, if computed, with `words`.
    pub mtc: Plane<Distances>,
    /// Slices without kings: the value of each block's position, by side to move.
    pub cells: Plane<[Code; 2]>,
}

impl SolvedLevel {
    /// Bytes of a level in memory.
    pub(super) fn bytes(&self) -> u64 {
        let words = size_of_val(&*self.words) + size_of_val(&*self.cells);
        let distances = size_of_val(&*self.dtw) + size_of_val(&*self.mtc);
        (words + distances) as u64
    }
}

/// A slice, solved or being solved.
#[derive(Debug)]
pub(super) struct Store {
    pub slice: Slice,
    pub levels: Arc<Levels>,
    pub rows: Option<Rows>,
    /// By level; those not solved yet are empty.
    pub solved: Vec<Arc<SolvedLevel>>,
    pub has_dtw: bool,
}

impl Store {
    pub(super) fn new(sets: &[Arc<MenSets>; 6], slice: Slice, has_dtw: bool) -> Store {
        let levels = Arc::new(Levels::new(sets, slice));
        let none = Arc::new(SolvedLevel::default());
        let solved = vec![none; levels.len()];
        Store { slice, levels, rows: Rows::new(slice), solved, has_dtw }
    }

    /// The same slice without its levels.
    pub(super) fn emptied(&self) -> Store {
        let none = Arc::new(SolvedLevel::default());
        Store { levels: Arc::clone(&self.levels), solved: vec![none; self.levels.len()], ..*self }
    }

    /// Bytes of a level in memory.
    pub(super) fn level_bytes(&self, level: usize, metrics: Metrics) -> u64 {
        let blocks = self.levels.size(level) as u64;
        let distances = u64::from(metrics.dtw) + u64::from(metrics.mtc);
        let row = size_of::<Words>() as u64 + distances * size_of::<Distances>() as u64;
        match self.rows {
            Some(rows) => blocks * rows.count() as u64 * row,
            None => blocks * 2,
        }
    }

    /// Number of the first row of a block.
    #[inline(always)]
    pub(super) fn first_row(&self, block: Block) -> usize {
        block.number * self.rows.map_or(1, |rows| rows.count())
    }

    /// The value of a position of this slice.
    #[inline(always)]
    pub(super) fn value(&self, board: &Board, side: Color) -> Code {
        let &Board { black, white, kings } = board;
        let men = (black | white) & !kings;
        let block = self.levels.block(black & men, white & men);
        let level = &self.solved[block.level];
        let Some(rows) = self.rows else { return level.cells[block.number][side.index()] };
        let (black, white) = (black & kings, white & kings);
        let (row, bit) = match rows.moving {
            Color::White => (rows.number(men, black, white & (white - 1)), white.trailing_zeros()),
            Color::Black => (rows.number(men, black & (black - 1), white), black.trailing_zeros()),
        };
        let row = block.number * rows.count() + row;
        debug_assert!(row < level.words.len(), "{} {board:?} {side} {block:?}", self.slice);
        if self.has_dtw {
            level.dtw[row][side.index()][bit as usize]
        } else {
            value_of(&level.words[row], side, bit)
        }
    }
}

/// Win, loss or draw of a bit of a row.
#[inline(always)]
const fn value_of(words: &Words, side: Color, bit: u32) -> Code {
    let at = 2 * side.index();
    if words[at] >> bit & 1 != 0 {
        1
    } else if words[at + 1] >> bit & 1 != 0 {
        0
    } else {
        DRAW
    }
}

/// All solved slices.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    by_id: Vec<Option<Arc<Store>>>,
}

impl Solved {
    pub(super) fn new() -> Solved {
        Solved { by_id: vec![None; SLICE_IDS] }
    }

    pub(super) fn insert(&mut self, store: Arc<Store>) {
        let id = store.slice.id();
        self.by_id[id] = Some(store);
    }

    pub(super) fn get(&self, slice: Slice) -> Option<&Arc<Store>> {
        self.by_id[slice.id()].as_ref()
    }

    /// The value of a position of a solved slice, or of one where the side to move has lost all
    /// its pieces.
    ///
    /// # Panics
    /// If the slice is not solved.
    #[inline(always)]
    pub(super) fn value(&self, board: &Board, side: Color) -> Code {
        let Some(slice) = Slice::of(board) else { return 0 };
        if let Some(store) = &self.by_id[slice.id()] {
            return store.value(board, side);
        }
        let store = self.by_id[slice.reversed().id()].as_ref();
        store.expect("slices are solved in order").value(&board.reversed(), side.opponent())
    }
}
