//! Solving a unit: all its arrangements of men.

use std::sync::atomic::{AtomicBool, Ordering};

use movegen::{MoveList, Variant, isa};
use rayon::prelude::*;

use super::cells;
use super::chunks::Near;
use super::context::BuildContext;
use super::rows::Rows;
use super::solve::{BlockOut, SHARED, Workspace};
use super::store::{Code, DRAW, DistanceKinds, Plane, Solved, SolvedUnit, ValueStore};
use egdb::huge_pages;
use egdb::index::king_placements;

/// Solves a unit from what [`SliceFiles::view`](super::files::Files::view) gave. `report` is
/// called with the positions that have been solved, and stops the work by returning false. `None` if
/// a distance is too long.
pub(super) fn solve_unit(
    variant: Variant,
    store: &ValueStore,
    solved: &Solved,
    unit: usize,
    metrics: DistanceKinds,
    report: &(dyn Fn(u64) -> bool + Sync),
) -> Option<SolvedUnit> {
    let (too_long, stopped) = (AtomicBool::new(false), AtomicBool::new(false));
    let context = BuildContext {
        solved,
        store,
        variant,
        too_long: &too_long,
        stopped: &stopped,
        keep_going: report,
    };
    let mut done = match store.rows {
        Some(rows) => with_kings(&context, rows, unit, metrics),
        None => {
            let cells = Plane::Held(without_kings(&context, unit));
            SolvedUnit { cells, ..SolvedUnit::default() }
        }
    };
    done.is_stopped = stopped.load(Ordering::Relaxed);
    (!too_long.load(Ordering::Relaxed)).then_some(done)
}

fn with_kings(
    context: &BuildContext<'_>,
    rows: Rows,
    unit: usize,
    metrics: DistanceKinds,
) -> SolvedUnit {
    let BuildContext { store, keep_going, .. } = *context;
    let count = rows.count();
    let total = store.units.size(unit) * count;
    let plane = |is_wanted| if is_wanted { vec![[[DRAW; 64]; 2]; total] } else { Vec::new() };
    let mut words = vec![[0; 4]; total];
    huge_pages::advise(&mut words);
    let (mut dtw, mut mtc) = (plane(metrics.dtw), plane(metrics.mtc));
    let (mut dtw_of, mut mtc_of) = (dtw.chunks_mut(count), mtc.chunks_mut(count));
    let mut outs: Vec<BlockOut<'_>> = words
        .chunks_mut(count)
        .map(|words| BlockOut {
            words,
            dtw: dtw_of.next().unwrap_or_default(),
            mtc: mtc_of.next().unwrap_or_default(),
        })
        .collect();
    let positions = king_placements(store.slice) * store.slice.stored_sides().len() as u64;
    if count >= SHARED {
        let mut work = Workspace::default();
        for (number, out) in outs.iter_mut().enumerate() {
            let Some((black, white)) = store.units.men(unit, number) else { continue };
            if keep_going(positions) {
                isa::run_best(|| {
                    work.solve::<true>(context, rows, [black, white], metrics, out);
                });
            }
        }
    } else {
        outs.par_iter_mut().enumerate().for_each_init(Workspace::default, |work, (number, out)| {
            let Some((black, white)) = store.units.men(unit, number) else { return };
            if keep_going(positions) {
                isa::run_best(|| {
                    work.solve::<false>(context, rows, [black, white], metrics, out);
                });
            }
        });
    }
    let [dtw, mtc] = [dtw, mtc].map(Plane::Held);
    SolvedUnit { words: Plane::Held(words), dtw, mtc, ..SolvedUnit::default() }
}

fn without_kings(context: &BuildContext<'_>, unit: usize) -> Vec<[Code; 2]> {
    let BuildContext { store, keep_going, .. } = *context;
    let mut cells = vec![[DRAW; 2]; store.units.size(unit)];
    let sides = store.slice.stored_sides().len() as u64;
    let values = cells.par_iter_mut().enumerate().with_min_len(64);
    values.for_each_init(<(MoveList, Near)>::default, |(list, near), (number, cell)| {
        let Some((black, white)) = store.units.men(unit, number) else { return };
        if keep_going(sides) {
            *cell = isa::run_best(|| cells::solve(context, [black, white], list, near));
        }
    });
    cells
}
