//! Generator of endgame databases.
//!
//! Slices are solved in order of pieces, then of men, so that captures and crowning lead to
//! solved slices. Within a slice the arrangements of men are solved level by level, from those
//! that have advanced most ([`men`]); what is left for an arrangement are the moves of kings
//! ([`solve`]), which work on whole rows of positions at once ([`rows`]).

mod board;
mod cells;
mod external;
mod men;
mod rows;
mod solve;
mod store;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use movegen::MoveList;
use rayon::prelude::*;

use crate::slice::Slice;
use external::Known;
use men::MenSets;
use solve::{BlockOut, Wanted, Workspace};
use store::{DRAW, Level, Solved, Store};

/// The stored slices with this number of pieces in the order in which they can be built: fewer
/// men first.
#[must_use]
pub fn build_order(pieces: u8) -> Vec<Slice> {
    let mut slices: Vec<Slice> = Slice::stored(pieces).collect();
    slices.sort_by_key(|slice| (slice.black_men() + slice.white_men(), *slice));
    slices
}

/// Solves a slice in memory. `None` if a distance is too long for the tables.
fn solve_slice(
    sets: &[Arc<MenSets>; 6],
    solved: &Solved,
    slice: Slice,
    wanted: Wanted,
) -> Option<Store> {
    let mut store = Store::new(sets, slice, wanted.dtw);
    for level in (0..store.levels.len()).rev() {
        let done = solve_level(&store, solved, level, wanted)?;
        store.solved[level] = done;
    }
    Some(store)
}

fn solve_level(store: &Store, solved: &Solved, level: usize, wanted: Wanted) -> Option<Level> {
    let too_long = AtomicBool::new(false);
    let known = Known { solved, store, too_long: &too_long };
    let blocks = store.levels.size(level);
    let mut done = Level::default();
    if let Some(rows) = store.rows {
        let count = rows.count();
        let total = blocks * count;
        let plane = |is_wanted| if is_wanted { vec![[[DRAW; 64]; 2]; total] } else { Vec::new() };
        done.words = vec![[0; 4]; total];
        done.dtw = plane(wanted.dtw);
        done.mtc = plane(wanted.mtc);
        let mut dtw = done.dtw.chunks_mut(count);
        let mut mtc = done.mtc.chunks_mut(count);
        let mut outs: Vec<BlockOut<'_>> = done
            .words
            .chunks_mut(count)
            .map(|words| BlockOut {
                words,
                dtw: dtw.next().unwrap_or_default(),
                mtc: mtc.next().unwrap_or_default(),
            })
            .collect();
        outs.par_iter_mut().enumerate().for_each_init(Workspace::default, |work, (number, out)| {
            if let Some((black, white)) = store.levels.men(level, number) {
                work.solve(&known, rows, [black, white], wanted, out);
            }
        });
    } else {
        done.cells = vec![[DRAW; 2]; blocks];
        let cells = done.cells.par_iter_mut().enumerate().with_min_len(64);
        cells.for_each_init(MoveList::new, |list, (number, cell)| {
            if let Some((black, white)) = store.levels.men(level, number) {
                *cell = cells::solve(&known, [black, white], list);
            }
        });
    }
    (!too_long.load(Ordering::Relaxed)).then_some(done)
}

#[cfg(test)]
mod tests;
