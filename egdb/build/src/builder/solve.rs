//! The kings of one arrangement of men: first the facts from moves that leave the arrangement, then
//! the moves of the kings.

use std::sync::atomic::Ordering;

use movegen::geometry::SQUARES;
use movegen::{Color, Variant, isa};
use rayon::prelude::*;

use super::captures::{Captures, MAX_ROWS, RowCaptures, RowGroup};
use super::chunks::Near;
use super::context::BuildContext;
use super::external::{ExternalFacts, ManMove, Outcomes, Seeds};
use super::fixed::FixedValues;
use super::regrouped::Regrouped;
use super::rows::Rows;
use super::rules::{self, PlyRounding};
use super::seeds::{Plain, SeedCodes, SeedConversion};
use super::shared_facts;
use super::store::{DRAW, DistanceKinds, Distances, ValueStore, Words};
use super::waves::{Kings, Waves};

/// Where a block's results go; the distances are empty if they are not wanted.
pub(super) struct BlockOut<'a> {
    pub words: &'a mut [Words],
    pub dtw: &'a mut [Distances],
    pub mtc: &'a mut [Distances],
}

/// Memory for solving a block, used again for the next one.
#[derive(Default)]
pub(super) struct Workspace {
    kings: Vec<[u64; 2]>,
    facts: Vec<[ExternalFacts; 2]>,
    win: Vec<Distances>,
    loss: Vec<Distances>,
    buckets: Vec<Vec<u32>>,
    waves: Waves,
    /// Under the draw rules: the distances rounded up, and seeds.
    up: Vec<Distances>,
    rounded: [Vec<Distances>; 2],
    captures: Captures,
    /// By the side that has lost a king.
    lost_king: [Regrouped; 2],
    near: Near,
}

/// From this many rows on, all threads work on one block after another, instead of each on its own
/// block: this takes memory for one block only, and the blocks of a unit may be few.
pub(super) const SHARED: usize = 1 << 16;

/// Rows whose facts a thread finds at a time.
const SHARE: usize = 1 << 10;

const NO_DISTANCES: Distances = [[DRAW; 64]; 2];

impl Workspace {
    /// Bytes that solving a unit takes, the result not counted.
    pub(super) fn bytes(
        store: &ValueStore,
        unit: usize,
        metrics: DistanceKinds,
        threads: usize,
    ) -> u64 {
        let Some(rows) = store.rows else { return 0 };
        let distances = 2 * usize::from(metrics.dtw)
            + usize::from(metrics.rules)
            + 2 * usize::from(metrics.dtw && metrics.rules);
        let row = size_of::<[u64; 2]>()
            + size_of::<[ExternalFacts; 2]>()
            + distances * size_of::<Distances>()
            + Waves::BYTES_PER_ROW;
        let is_shared = rows.count() >= SHARED;
        let spaces = if is_shared { 1 } else { store.units.size(unit).min(threads) };
        let regrouped = |lost| if metrics.dtw { 0 } else { Regrouped::bytes(store.slice, lost) };
        let regrouped: usize = Color::ALL.into_iter().map(regrouped).sum();
        ((rows.count() * row + regrouped) * spaces) as u64
    }

    /// Solves the block with these men; with `IS_SHARED` with all threads of the pool.
    #[inline(always)]
    pub(super) fn solve<const IS_SHARED: bool>(
        &mut self,
        context: &BuildContext<'_>,
        rows: Rows,
        men: [u64; 2],
        metrics: DistanceKinds,
        out: &mut BlockOut<'_>,
    ) {
        let all_men = men[0] | men[1];
        rows.list(all_men, &mut self.kings);
        let count = rows.count();
        self.facts.resize(count, [ExternalFacts::default(); 2]);
        if metrics.dtw {
            self.win.resize(count, NO_DISTANCES);
            self.loss.resize(count, NO_DISTANCES);
        }
        self.find_facts::<IS_SHARED>(context, rows, men);
        if !metrics.dtw {
            shared_facts::complete::<IS_SHARED>(rows, all_men, &self.kings, &mut self.facts);
        }
        if metrics.rules {
            self.solve_under_rules::<IS_SHARED>(context, rows, all_men, out);
            return;
        }
        let block = Kings { rows, men: all_men, kings: &self.kings, facts: &self.facts };
        let waves = &mut self.waves;
        if metrics.dtw {
            let seeds = SeedCodes::new(&self.win, &self.loss, &self.facts, &mut self.buckets);
            waves.run::<_, IS_SHARED>(context, &block, &seeds, out.words, out.dtw);
        }
        if metrics.mtc {
            waves.run::<_, IS_SHARED>(context, &block, &SeedConversion::<3>, out.words, out.mtc);
        }
        if !metrics.dtw && !metrics.mtc {
            waves.run::<_, IS_SHARED>(context, &block, &Plain, out.words, &mut []);
        }
    }

    /// The iterations under the draw rules, see [`super::rules`].
    #[inline(always)]
    fn solve_under_rules<const IS_SHARED: bool>(
        &mut self,
        context: &BuildContext<'_>,
        rows: Rows,
        men: u64,
        out: &mut BlockOut<'_>,
    ) {
        let Workspace { kings, facts, win, loss, buckets, waves, up, rounded, .. } = self;
        let block = Kings { rows, men, kings, facts };
        up.resize(kings.len(), NO_DISTANCES);
        let is_counted = !out.dtw.is_empty();
        let down = if is_counted { &mut *out.dtw } else { &mut *out.mtc };
        if is_counted {
            let [won, lost] = rounded;
            for (round, distances) in
                [(PlyRounding::Down, &mut *down), (PlyRounding::Up, &mut up[..])]
            {
                round.plies(win, won);
                round.plies(loss, lost);
                let seeds = SeedCodes::new(won, lost, facts, buckets);
                waves.run::<_, IS_SHARED>(context, &block, &seeds, out.words, distances);
            }
        } else {
            waves.run::<_, IS_SHARED>(context, &block, &Plain, out.words, down);
            waves.run::<_, IS_SHARED>(context, &block, &SeedConversion::<1>, out.words, up);
        }
        if rules::join(out.words, down, up, rules::limit(context.store.slice)) {
            context.stopped.store(true, Ordering::Relaxed);
        }
    }

    #[inline(always)]
    fn find_facts<const IS_SHARED: bool>(
        &mut self,
        context: &BuildContext<'_>,
        rows: Rows,
        men: [u64; 2],
    ) {
        let Workspace { kings, facts, win, loss, captures, lost_king, near, .. } = self;
        for lost in Color::ALL {
            let slice = context.store.slice;
            lost_king[lost.index()].find(context.solved, slice, lost, men, near);
        }
        let moves = Color::ALL.map(|side| context.man_moves(men, side));
        let find = FindFacts { context, rows, men, moves: &moves, lost_king };
        if !IS_SHARED {
            find.of_rows(kings, facts, win, loss, captures, near);
            return;
        }
        // Without distances there are no seeds, and nothing to share.
        let mut win = win.chunks_mut(SHARE);
        let mut loss = loss.chunks_mut(SHARE);
        let parts = kings.chunks(SHARE).zip(facts.chunks_mut(SHARE)).map(|(kings, facts)| {
            (kings, facts, win.next().unwrap_or_default(), loss.next().unwrap_or_default())
        });
        let parts: Vec<_> = parts.collect();
        parts.into_par_iter().for_each_init(
            <(Captures, Near)>::default,
            |(captures, near), (kings, facts, win, loss)| {
                if !(context.keep_going)(0) {
                    return;
                }
                find.of_rows(kings, facts, win, loss, captures, near);
            },
        );
    }
}

/// The data for the facts of all rows of a block.
struct FindFacts<'a, 'c> {
    context: &'a BuildContext<'c>,
    rows: Rows,
    men: [u64; 2],
    /// The moves of men, by side.
    moves: &'a [Vec<ManMove<'c>>; 2],
    lost_king: &'a [Regrouped; 2],
}

impl FindFacts<'_, '_> {
    /// The facts of some rows, and the seeds of distances to the end unless these are empty.
    #[inline(never)]
    fn of_rows(
        &self,
        kings: &[[u64; 2]],
        facts: &mut [[ExternalFacts; 2]],
        win: &mut [Distances],
        loss: &mut [Distances],
        captures: &mut Captures,
        near: &mut Near,
    ) {
        isa::run_best(
            #[inline(always)]
            || self.of_groups(kings, facts, win, loss, captures, near),
        );
    }

    #[inline(always)]
    fn of_groups(
        &self,
        kings: &[[u64; 2]],
        facts: &mut [[ExternalFacts; 2]],
        win: &mut [Distances],
        loss: &mut [Distances],
        captures: &mut Captures,
        near: &mut Near,
    ) {
        let has_seeds = !win.is_empty();
        let mut first = 0;
        while first < kings.len() {
            let group = RowGroup::first(self.rows, self.men, &kings[first..]);
            let rows = first..first + group.len();
            let fixed = |row: usize| FixedValues::new(self.men, kings[row], self.rows.moving);
            // Those of values alone are completed later.
            let wanted = |row: usize| {
                let fixed = fixed(row);
                if has_seeds { SQUARES & !fixed.occupied() } else { fixed.counted() }
            };
            let mut of_rows = [0; MAX_ROWS];
            of_rows.iter_mut().zip(rows.clone()).for_each(|(squares, row)| *squares = wanted(row));
            let all = of_rows.iter().fold(0, |all, squares| all | squares);
            for side in Color::ALL {
                match self.context.variant {
                    Variant::Killer => captures.find::<true>(&group, side, all),
                    _ => captures.find::<false>(&group, side, all),
                }
                let mut captured = [Outcomes::default(); MAX_ROWS];
                if !has_seeds {
                    let lost_king = &self.lost_king[side.opponent().index()];
                    let context = self.context;
                    let look_up = context.look_up(&group, side, &of_rows, captures, lost_king);
                    look_up.add_all(&mut captured, near);
                }
                for row in rows.clone() {
                    let seeds = win.get_mut(row).zip(loss.get_mut(row)).map(|(win, loss)| Seeds {
                        win: &mut win[side.index()],
                        loss: &mut loss[side.index()],
                        anew: false,
                    });
                    let captures = RowCaptures { captures, row: row - first };
                    facts[row][side.index()] = self.context.row_facts(
                        &fixed(row),
                        side,
                        of_rows[row - first],
                        &self.moves[side.index()],
                        seeds,
                        captures,
                        captured[row - first],
                        near,
                    );
                }
            }
            first = rows.end;
        }
    }
}
