//! What each slice needs before it can be built, and what building it costs.
//!
//! A move leads out of a slice by a capture, to slices with fewer pieces, or by a promotion, to
//! one with a man less and a king more. So a slice can be built as soon as the stored slices that
//! it leads to directly are there; different machines can build what does not depend on each
//! other.
//!
//! Memory and disk follow from how [`crate::build`] stores a slice: in rows of positions that
//! differ in one king, level by level of what the men have advanced in all. Solving a level takes
//! that level, the one above, the level eight below of the slices that promotions lead to, and
//! all of the slices that captures lead to.

use crate::build::{after_capture, after_crowning, build_order};
use crate::slice::Slice;

/// The stored slices that the moves of a slice lead to, without itself, in an order in which they
/// can be built.
#[must_use]
pub fn needs(slice: Slice) -> Vec<Slice> {
    let mut list = after_capture(slice);
    list.extend(after_crowning(slice));
    list.sort_by_key(|&slice| (slice.pieces(), slice.black_men() + slice.white_men(), slice));
    list.dedup();
    list
}

/// What is built and how fast.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Costs {
    /// Positions a second for one type of database, solving and writing together.
    pub rate: f64,
    /// Distances to conversion are built.
    pub mtc: bool,
    /// Distances to win are built.
    pub dtw: bool,
    /// Types written: 1 to 3.
    pub types: u32,
    /// Threads that solve a slice.
    pub threads: u32,
}

/// The building of one slice.
#[derive(Clone, PartialEq, Debug)]
pub struct Task {
    /// The slice, as stored.
    pub slice: Slice,
    /// The slices that must be there before, as stored.
    pub needs: Vec<Slice>,
    /// Positions, of all stored sides to move.
    pub positions: u64,
    /// Memory in bytes, estimated, to solve it without going back to the disk.
    pub memory: u64,
    /// Bytes of the work file, until all slices that need it are solved.
    pub disk: u64,
    /// Time in seconds, estimated from the rate.
    pub seconds: f64,
}

/// All slices of 2 to `max_pieces` pieces in an order in which they can be built.
#[must_use]
pub fn plan(max_pieces: u8, costs: &Costs) -> Vec<Task> {
    let task = |slice: Slice| {
        let positions = slice.size() * slice.stored_sides().len() as u64;
        Task {
            slice,
            needs: needs(slice),
            positions,
            memory: memory(slice, costs),
            disk: Shape::new(slice).bytes(costs.mtc, costs.dtw),
            seconds: positions as f64 * f64::from(costs.types) / costs.rate,
        }
    };
    (2..=max_pieces).flat_map(build_order).map(task).collect()
}

/// What the builder keeps for itself.
const OVERHEAD: u64 = 48 << 20;
/// Bytes of a row: wins and losses by side to move; a distance for each bit and side to move.
const WORDS: u64 = 4 * 8;
const DISTANCES: u64 = 2 * 64;
/// Bytes of a row that each thread needs besides the result.
const WORKSPACE: u64 = 2 * 8 + 2 * 32 + 2 * DISTANCES;
/// Rows that a man advances before the step that crowns it.
const ADVANCES: usize = 8;

fn memory(slice: Slice, costs: &Costs) -> u64 {
    let shape = Shape::new(slice);
    let captures: u64 =
        after_capture(slice).into_iter().map(|next| Shape::new(next).bytes(false, costs.dtw)).sum();
    let crowned: Vec<Shape> = after_crowning(slice).into_iter().map(Shape::new).collect();
    let of_level = |level: usize| {
        let own = shape.level_bytes(level, costs.mtc, costs.dtw);
        let above = shape.level_bytes(level + 1, costs.mtc, costs.dtw);
        let below: u64 = match level.checked_sub(ADVANCES) {
            Some(below) => {
                crowned.iter().map(|next| next.level_bytes(below, false, costs.dtw)).sum()
            }
            None => 0,
        };
        let spaces = shape.blocks.get(level).map_or(0, |&n| n.min(costs.threads.into()));
        own + above + below + spaces * shape.rows * WORKSPACE
    };
    let most = (0..shape.blocks.len()).map(of_level).max().unwrap_or(0);
    OVERHEAD + captures + most
}

/// How a slice is cut up.
struct Shape {
    /// Rows of a block; 0 without kings.
    rows: u64,
    /// Arrangements of men by level.
    blocks: Vec<u64>,
}

impl Shape {
    fn new(slice: Slice) -> Shape {
        let (black, white) = (advances(slice.black_men()), advances(slice.white_men()));
        let mut blocks = vec![0; black.len() + white.len() - 1];
        for (i, m) in black.iter().enumerate() {
            for (j, n) in white.iter().enumerate() {
                blocks[i + j] += m * n;
            }
        }
        // The king that moves along the row is a white one if there is any.
        let (black, white) = (u64::from(slice.black_kings()), u64::from(slice.white_kings()));
        let free = 50 - u64::from(slice.black_men() + slice.white_men());
        let rows = match (black, white) {
            (0, 0) => 0,
            (_, 0) => binomial(free, black - 1),
            _ => binomial(free, black) * binomial(free - black, white - 1),
        };
        Shape { rows, blocks }
    }

    fn level_bytes(&self, level: usize, mtc: bool, dtw: bool) -> u64 {
        let blocks = self.blocks.get(level).copied().unwrap_or(0);
        match self.rows {
            // A value for each side to move.
            0 => blocks * 2,
            rows => blocks * rows * (WORDS + DISTANCES * (u64::from(mtc) + u64::from(dtw))),
        }
    }

    fn bytes(&self, mtc: bool, dtw: bool) -> u64 {
        (0..self.blocks.len()).map(|level| self.level_bytes(level, mtc, dtw)).sum()
    }
}

/// Sets of this many men of one side by the rows that they have advanced in all.
fn advances(men: u8) -> Vec<u64> {
    let men = usize::from(men);
    // By number of men placed, then by rows; one row of five squares after the other.
    let mut counts = vec![vec![0u64; ADVANCES * men + 1]; men + 1];
    counts[0][0] = 1;
    for row in 0..=ADVANCES {
        let before = counts.clone();
        for (placed, list) in before.iter().enumerate() {
            for more in 1..=(men - placed).min(5) {
                for (advance, &count) in list.iter().enumerate() {
                    if let Some(sum) = counts[placed + more].get_mut(advance + row * more) {
                        *sum += count * binomial(5, more as u64);
                    }
                }
            }
        }
    }
    counts.swap_remove(men)
}

fn binomial(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::index::{Place, unrank};

    const COSTS: Costs = Costs { rate: 1e6, mtc: true, dtw: true, types: 3, threads: 2 };

    fn slice(text: &str) -> Slice {
        text.parse().expect("a slice")
    }

    #[test]
    fn every_slice_comes_after_what_it_needs() {
        let tasks = plan(8, &COSTS);
        assert_eq!(tasks.len(), 3 + 6 + 14 + 22 + 37 + 38 + 39);
        let mut built = BTreeSet::new();
        for task in &tasks {
            assert!(task.needs.iter().all(|need| built.contains(need)), "{task:?}");
            assert!(built.insert(task.slice));
        }
    }

    #[test]
    fn needs_of_some_slices() {
        assert_eq!(needs(slice("0101")), []);
        assert_eq!(needs(slice("0110")), [slice("0101")]);
        assert_eq!(needs(slice("0201")), [slice("0101")]);
        // White captures the man, or the king, which leaves 1001, stored as 0110; a promotion.
        let list = ["0101", "0110", "0201"].map(slice);
        assert_eq!(needs(slice("1101")), list);
    }

    /// Every move of random positions stays in the slice or leads to what it needs, and all that
    /// is needed by promotions or single captures does occur.
    #[test]
    fn moves_lead_to_what_is_needed() {
        let mut x = 7u64;
        for task in plan(6, &COSTS) {
            let mut seen = BTreeSet::new();
            for &side in task.slice.stored_sides() {
                for _ in 0..600 {
                    x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let index = ((u128::from(x) * u128::from(task.slice.size())) >> 64) as u64;
                    let board = unrank(task.slice, index).expect("in range");
                    let position = board.position(side).expect("a position");
                    for &mv in &position.legal_moves() {
                        if let Some(place) = Place::of(&position.after(mv)) {
                            seen.insert(place.slice);
                        }
                    }
                }
            }
            seen.remove(&task.slice);
            assert!(seen.iter().all(|next| task.needs.contains(next)), "{task:?}: {seen:?}");
            assert!(task.needs.is_empty() || !seen.is_empty(), "{task:?}");
        }
    }

    #[test]
    fn estimates_add_up() {
        let tasks = plan(5, &COSTS);
        let all: u64 = tasks.iter().map(|task| task.positions).sum();
        assert_eq!(all, 8_845 + 806_300 + 41_971_200 + 1_570_600_750);
        for task in &tasks {
            assert!((task.seconds - task.positions as f64 * 3e-6).abs() < 1e-9);
        }
        let bytes = |text| Shape::new(slice(text)).bytes(true, true);
        // Rows of 288 bytes: 50 squares of the black king; 45 squares of a man, and those of the
        // other king; two kings of each side, one of them moving. Two bytes without kings.
        assert_eq!(bytes("0101"), 50 * 288);
        assert_eq!(bytes("1101"), 45 * 49 * 288);
        assert_eq!(bytes("0202"), 50 * 49 / 2 * 48 * 288);
        assert_eq!(bytes("2010"), 45 * 44 / 2 * 45 * 2);
        let levels = Shape::new(slice("2110")).blocks;
        assert_eq!(levels.len(), 3 * 8 + 1);
        // All three men in their first rows.
        assert_eq!((levels[0], levels.iter().sum::<u64>()), (10 * 5, 45 * 44 / 2 * 45));
        let memory = |text| memory(slice(text), &COSTS);
        assert!(memory("0202") > OVERHEAD + bytes("0202") + bytes("0201") / 2);
        assert!(memory("0301") < memory("0302") && memory("1111") < memory("2211"));
    }
}
