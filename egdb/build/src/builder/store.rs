//! Slices being solved or solved: in units, blocks (one for each arrangement of men) and rows.

use std::sync::Arc;

use bytemuck::Pod;
use movegen::draw::MaterialClass;
use movegen::geometry::{SQUARES, bits, turned};
use movegen::{Board, Color};

use super::chunks::{CHUNK, Filed, Near};
use super::men::{Block, MenSets, Units};
use super::rows::Rows;
use egdb::slice::{SLICE_IDS, Slice};
use egdb::symmetry::Turn;

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

/// Which distances to compute in addition to values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DistanceKinds {
    pub dtw: bool,
    pub mtc: bool,
    /// Values, too, are those under the draw rules, see [`super::rules`]; of the distances a slice has
    /// one, [`DistanceKinds::of`] says which.
    pub rules: bool,
}

impl DistanceKinds {
    /// Values alone.
    pub(super) const NONE: DistanceKinds = DistanceKinds { dtw: false, mtc: false, rules: false };

    /// Those of a slice. Under the draw rules, plies count on over moves that leave an arrangement of
    /// men only where moves of a lone king's ending are counted.
    pub(super) fn of(self, slice: Slice) -> DistanceKinds {
        let is_counted = slice.class() != MaterialClass::Other;
        match self.rules {
            true => DistanceKinds { dtw: is_counted, mtc: !is_counted, rules: true },
            false => self,
        }
    }

    /// The values that later units and slices are solved from.
    pub(super) fn kept(self) -> DistanceKinds {
        DistanceKinds { mtc: false, ..self }
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

    /// The values if they are in memory, else an empty list.
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
    /// Under the draw rules, whether they stop a win.
    pub is_stopped: bool,
}

impl SolvedUnit {
    /// Whether nothing is in memory.
    pub(super) fn is_empty(&self) -> bool {
        self.words.held().is_empty() && self.cells.held().is_empty()
    }
}

/// A slice, solved or being solved.
#[derive(Debug)]
pub(super) struct ValueStore {
    pub slice: Slice,
    pub units: Units,
    pub rows: Option<Rows>,
    /// By unit; those not solved yet are empty.
    pub solved: Vec<Arc<SolvedUnit>>,
    pub has_dtw: bool,
    /// Distances are those under the draw rules.
    pub has_rules: bool,
}

impl ValueStore {
    pub(super) fn new(
        sets: &[Arc<MenSets>; 6],
        slice: Slice,
        metrics: DistanceKinds,
    ) -> ValueStore {
        let units = Units::new(sets, slice);
        let none = Arc::new(SolvedUnit::default());
        let solved = vec![none; units.len()];
        let DistanceKinds { dtw, rules, .. } = metrics.of(slice);
        ValueStore { slice, units, rows: Rows::new(slice), solved, has_dtw: dtw, has_rules: rules }
    }

    /// Bytes of a unit in memory.
    pub(super) fn unit_bytes(&self, unit: usize, metrics: DistanceKinds) -> u64 {
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
        let king = moving & moving.wrapping_neg();
        let Some(rows) = self.rows else {
            let block = self.units.block(black, white);
            return self.solved[block.unit].cells.get(block.number, near)[side.index()];
        };
        let men = (black | white) & !kings;
        let block = self.units.block(black & men, white & men);
        let fixed = kings & !king;
        let (row, turn) = rows.place(men, black & fixed, white & fixed);
        let bit = turn.apply(king).trailing_zeros();
        self.value_in_row(rows, block, row, side, bit, near)
    }

    /// The value of a square of the moving king.
    #[inline(always)]
    fn value_in_row(
        &self,
        rows: Rows,
        block: Block,
        row: usize,
        side: Color,
        bit: u32,
        near: &mut Near,
    ) -> Code {
        let unit = &self.solved[block.unit];
        let row = block.number * rows.count() + row;
        if self.has_dtw {
            unit.dtw.get(row, near)[side.index()][bit as usize]
        } else {
            value_of(unit.words.get(row, near), side, bit)
        }
    }
}

/// The positions with a king on one square or another, in a slice that is solved.
pub(super) struct KingEnds<'a> {
    /// The board is turned and the colours are swapped.
    is_reversed: bool,
    place: KingPlace<'a>,
}

enum KingPlace<'a> {
    /// In a row.
    Row { turn: Turn, words: Words, distances: Option<(&'a SolvedUnit, usize)> },
    /// Each in another row.
    Rows(KingRows<'a>),
    /// The side to move has no pieces.
    Lost,
}

/// The rows of the positions with one more king on some square.
struct KingRows<'a> {
    store: &'a ValueStore,
    rows: Rows,
    block: Block,
    men: u64,
    /// The fixed kings without that one, and its colour.
    fixed: [u64; 2],
    color: Color,
    /// The king that the rows take for the moving one.
    moving: u64,
}

impl KingEnds<'_> {
    /// The value with the king on a square.
    #[inline(always)]
    pub(super) fn value(&self, king: u64, side: Color, near: &mut Near) -> Code {
        let (king, side) =
            if self.is_reversed { (turned(king), side.opponent()) } else { (king, side) };
        match &self.place {
            KingPlace::Row { turn, words, distances } => {
                let bit = turn.apply(king).trailing_zeros();
                match distances {
                    Some((unit, row)) => unit.dtw.get(*row, near)[side.index()][bit as usize],
                    None => value_of(words, side, bit),
                }
            }
            KingPlace::Rows(all) => {
                let mut fixed = all.fixed;
                fixed[all.color.index()] |= king;
                let (row, turn) = all.rows.place(all.men, fixed[0], fixed[1]);
                let bit = turn.apply(all.moving).trailing_zeros();
                all.store.value_in_row(all.rows, all.block, row, side, bit, near)
            }
            KingPlace::Lost => 0,
        }
    }

    /// The squares of the king where this side wins, and where it loses; `None` if they are not
    /// together.
    #[inline(always)]
    pub(super) fn words(&self, side: Color) -> Option<[u64; 2]> {
        let KingPlace::Row { turn, words, .. } = &self.place else { return None };
        let side = if self.is_reversed { side.opponent() } else { side };
        let words = [2 * side.index(), 2 * side.index() + 1].map(|at| turn.apply(words[at]));
        Some(if self.is_reversed { words.map(turned) } else { words })
    }

    /// The values by bit of the king's square, of a slice with distances.
    pub(super) fn codes(&self, side: Color, near: &mut Near) -> [Code; 64] {
        let mut codes = [DRAW; 64];
        for king in bits(SQUARES) {
            codes[king.trailing_zeros() as usize] = self.value(king, side, near);
        }
        codes
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
    by_id: Vec<Option<Arc<ValueStore>>>,
}

impl Solved {
    pub(super) fn new() -> Solved {
        Solved { by_id: vec![None; SLICE_IDS] }
    }

    pub(super) fn insert(&mut self, store: Arc<ValueStore>) {
        let id = store.slice.id();
        self.by_id[id] = Some(store);
    }

    pub(super) fn slices(&self) -> impl Iterator<Item = Slice> {
        self.by_id.iter().flatten().map(|store| store.slice)
    }

    pub(super) fn get(&self, slice: Slice) -> Option<&Arc<ValueStore>> {
        self.by_id[slice.id()].as_ref()
    }

    /// The slice of a position where both sides have pieces, or its reversed twin and true.
    #[inline(always)]
    pub(super) fn stored_of(&self, board: &Board) -> Option<(&ValueStore, bool)> {
        Some(self.stored(Slice::of(board)?))
    }

    /// The slice, or its reversed twin and true.
    ///
    /// # Panics
    /// If neither is solved.
    #[inline(always)]
    fn stored(&self, slice: Slice) -> (&ValueStore, bool) {
        if let Some(store) = &self.by_id[slice.id()] {
            return (store, false);
        }
        let store = self.by_id[slice.reversed().id()].as_ref();
        (store.expect("slices are solved in order"), true)
    }

    /// The positions with this king of `color` on one square or another.
    ///
    /// # Panics
    /// If their slice is not solved.
    #[inline(always)]
    pub(super) fn king_ends(
        &self,
        board: &Board,
        king: u64,
        color: Color,
        near: &mut Near,
    ) -> KingEnds<'_> {
        let Some(slice) = Slice::of(board) else {
            return KingEnds { is_reversed: false, place: KingPlace::Lost };
        };
        let (store, is_reversed) = self.stored(slice);
        let (board, king, color) = match is_reversed {
            true => (&board.reversed(), turned(king), color.opponent()),
            false => (board, king, color),
        };
        let rows = store.rows.expect("a king makes rows");
        let &Board { black, white, kings } = board;
        let men = (black | white) & !kings;
        let block = store.units.block(black & men, white & men);
        let mut fixed = [black & kings & !king, white & kings & !king];
        let place = if rows.moving == color {
            let (row, turn) = rows.place(men, fixed[0], fixed[1]);
            let (unit, row) = (&store.solved[block.unit], store.first_row(block) + row);
            let words = *unit.words.get(row, near);
            KingPlace::Row { turn, words, distances: store.has_dtw.then_some((&**unit, row)) }
        } else {
            let others = &mut fixed[rows.moving.index()];
            let moving = *others & others.wrapping_neg();
            *others ^= moving;
            KingPlace::Rows(KingRows { store, rows, block, men, fixed, color, moving })
        };
        KingEnds { is_reversed, place }
    }

    /// The value of a position of a solved slice, or of one where the side to move has lost all
    /// its pieces.
    ///
    /// # Panics
    /// If the slice is not solved.
    #[inline(always)]
    pub(super) fn value(&self, board: &Board, side: Color, near: &mut Near) -> Code {
        let Some(slice) = Slice::of(board) else { return 0 };
        match self.stored(slice) {
            (store, false) => store.value(board, side, near),
            (store, true) => store.value(&board.reversed(), side.opponent(), near),
        }
    }
}
