//! Solved slices as they are solved: in units, blocks (one for each arrangement of men) and rows.

use std::sync::Arc;

use bytemuck::Pod;
use movegen::{Board, Color};

use super::chunks::{CHUNK, Filed, Near};
use super::men::{Block, MenSets, Units};
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
    /// The values that later units and slices are solved from.
    pub(super) fn kept(self) -> Metrics {
        Metrics { mtc: false, ..self }
    }
}

/// Solved values of one kind.
#[derive(Debug)]
pub(super) enum Plane<T> {
    /// In memory.
    Held(Vec<T>),
    /// In a work file; chunks are read on demand.
    Filed(Filed),
}

impl<T> Default for Plane<T> {
    fn default() -> Plane<T> {
        Plane::Held(Vec::new())
    }
}

impl<T: Pod> Plane<T> {
    /// A value by its number.
    #[inline(always)]
    pub(super) fn get<'a>(&'a self, number: usize, near: &'a mut Near) -> &'a T {
        match self {
            Plane::Held(list) => &list[number],
            Plane::Filed(filed) => {
                let per_chunk = const { CHUNK / size_of::<T>() };
                let chunk = near.chunk(filed, number / per_chunk);
                &bytemuck::cast_slice(chunk)[number % per_chunk]
            }
        }
    }

    /// The values, if they are in memory; else none.
    pub(super) fn held(&self) -> &[T] {
        match self {
            Plane::Held(list) => list,
            Plane::Filed(_) => &[],
        }
    }
}

/// The solved positions of one unit of a slice.
#[derive(Debug, Default)]
pub(super) struct SolvedUnit {
    /// Slices with kings: rows of all blocks.
    pub words: Plane<Words>,
    /// Distances to the end of the game, if computed, with `words`.
    pub dtw: Plane<Distances>,
    /// Distances to conversion, if computed, with `words`.
    pub mtc: Plane<Distances>,
    /// Slices without kings: the value of each block's position, by side to move.
    pub cells: Plane<[Code; 2]>,
}

impl SolvedUnit {
    /// Whether nothing is in memory.
    pub(super) fn is_empty(&self) -> bool {
        self.words.held().is_empty() && self.cells.held().is_empty()
    }
}

/// A slice, solved or being solved.
#[derive(Debug)]
pub(super) struct Store {
    pub slice: Slice,
    pub units: Units,
    pub rows: Option<Rows>,
    /// By unit; those not solved yet are empty.
    pub solved: Vec<Arc<SolvedUnit>>,
    pub has_dtw: bool,
}

impl Store {
    pub(super) fn new(sets: &[Arc<MenSets>; 6], slice: Slice, has_dtw: bool) -> Store {
        let units = Units::new(sets, slice);
        let none = Arc::new(SolvedUnit::default());
        let solved = vec![none; units.len()];
        Store { slice, units, rows: Rows::new(slice), solved, has_dtw }
    }

    /// Bytes of a unit in memory.
    pub(super) fn unit_bytes(&self, unit: usize, metrics: Metrics) -> u64 {
        let blocks = self.units.size(unit) as u64;
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
    pub(super) fn value(&self, board: &Board, side: Color, near: &mut Near) -> Code {
        let &Board { black, white, kings } = board;
        let moving = match self.rows.map_or(Color::White, |rows| rows.moving) {
            Color::White => white & kings,
            Color::Black => black & kings,
        };
        self.value_with(board, moving & moving.wrapping_neg(), side, near)
    }

    /// The same, looked up with this king as the moving one: those that differ in nothing else are in
    /// the same row. It must be of the colour of the rows' moving king.
    #[inline(always)]
    pub(super) fn value_with(
        &self,
        board: &Board,
        king: u64,
        side: Color,
        near: &mut Near,
    ) -> Code {
        let &Board { black, white, kings } = board;
        let men = (black | white) & !kings;
        let block = self.units.block(black & men, white & men);
        let unit = &self.solved[block.unit];
        let Some(rows) = self.rows else { return unit.cells.get(block.number, near)[side.index()] };
        let fixed = kings & !king;
        let (row, turn) = rows.place(men, black & fixed, white & fixed);
        let bit = turn.apply(king).trailing_zeros();
        let row = block.number * rows.count() + row;
        if self.has_dtw {
            unit.dtw.get(row, near)[side.index()][bit as usize]
        } else {
            value_of(unit.words.get(row, near), side, bit)
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
    pub(super) fn value(&self, board: &Board, side: Color, near: &mut Near) -> Code {
        let Some(slice) = Slice::of(board) else { return 0 };
        if let Some(store) = &self.by_id[slice.id()] {
            return store.value(board, side, near);
        }
        let store = self.by_id[slice.reversed().id()].as_ref();
        store.expect("slices are solved in order").value(&board.reversed(), side.opponent(), near)
    }
}
