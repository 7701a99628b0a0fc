//! The kings of one arrangement of men: first what moves that leave the arrangement say, then
//! the moves of the kings.

use movegen::Color;
use rayon::prelude::*;

use super::external::{Context, Facts, Scratch, Seeds};
use super::fixed::Fixed;
use super::rows::Rows;
use super::seeds::{Codes, Conversion, Plain};
use super::store::{DRAW, Distances, Store, Words};
use super::waves::{Kings, Waves};

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
    facts: Vec<[Facts; 2]>,
    win: Vec<Distances>,
    loss: Vec<Distances>,
    buckets: Vec<Vec<u32>>,
    waves: Waves,
    scratch: Scratch,
}

/// Rows from which on the rows of a block are shared among threads.
pub(super) const LARGE: usize = 1 << 13;

const NO_DISTANCES: Distances = [[DRAW; 64]; 2];

impl Workspace {
    /// Bytes that solving a level takes besides the result.
    pub(super) fn bytes(store: &Store, level: usize, metrics: Metrics, threads: usize) -> u64 {
        let Some(rows) = store.rows else { return 0 };
        let distances = if metrics.dtw { 2 * size_of::<Distances>() } else { 0 };
        let row =
            size_of::<[u64; 2]>() + size_of::<[Facts; 2]>() + distances + Waves::BYTES_PER_ROW;
        let spaces = store.levels.size(level).min(threads);
        (rows.count() * row * spaces) as u64
    }

    /// Solves the block with these men.
    #[inline(always)]
    pub(super) fn solve(
        &mut self,
        context: &Context<'_>,
        rows: Rows,
        men: [u64; 2],
        metrics: Metrics,
        out: &mut BlockOut<'_>,
    ) {
        let all_men = men[0] | men[1];
        rows.list(all_men, &mut self.kings);
        let count = rows.count();
        self.facts.resize(count, [Facts::default(); 2]);
        if metrics.dtw {
            self.win.resize(count, NO_DISTANCES);
            self.loss.resize(count, NO_DISTANCES);
        }
        self.find_facts(context, rows, men, metrics);
        let block = Kings { rows, men: all_men, kings: &self.kings, facts: &self.facts };
        let waves = &mut self.waves;
        if metrics.dtw {
            let seeds = Codes::new(&self.win, &self.loss, &self.facts, &mut self.buckets);
            waves.run(context, &block, &seeds, out.words, Some(out.dtw));
        }
        if metrics.mtc {
            waves.run(context, &block, &Conversion, out.words, Some(out.mtc));
        }
        if !metrics.dtw && !metrics.mtc {
            waves.run(context, &block, &Plain, out.words, None);
        }
    }

    #[inline(always)]
    fn find_facts(&mut self, context: &Context<'_>, rows: Rows, men: [u64; 2], metrics: Metrics) {
        let moves = Color::ALL.map(|side| context.man_moves(men, side));
        let row_facts = |row: usize,
                         facts: &mut [Facts; 2],
                         seeds: Option<(&mut Distances, &mut Distances)>,
                         scratch: &mut Scratch| {
            let [black, white] = self.kings[row];
            let fixed = Fixed {
                pieces: [men[0] | black, men[1] | white],
                kings: black | white,
                moving: rows.moving,
            };
            let [mut first, mut second] = [None, None];
            if let Some((win, loss)) = seeds {
                let ([win0, win1], [loss0, loss1]) = (win, loss);
                first = Some(Seeds { win: win0, loss: loss0 });
                second = Some(Seeds { win: win1, loss: loss1 });
            }
            facts[0] = context.row_facts(&fixed, Color::ALL[0], &moves[0], first, scratch);
            facts[1] = context.row_facts(&fixed, Color::ALL[1], &moves[1], second, scratch);
        };
        let is_large = self.facts.len() >= LARGE;
        if metrics.dtw && is_large {
            let rows = self.facts.par_iter_mut().zip(&mut self.win).zip(&mut self.loss);
            rows.enumerate().for_each_init(
                Scratch::default,
                |scratch, (row, ((facts, win), loss))| {
                    row_facts(row, facts, Some((win, loss)), scratch);
                },
            );
        } else if metrics.dtw {
            let rows = self.facts.iter_mut().zip(&mut self.win).zip(&mut self.loss);
            for (row, ((facts, win), loss)) in rows.enumerate() {
                row_facts(row, facts, Some((win, loss)), &mut self.scratch);
            }
        } else if is_large {
            let rows = self.facts.par_iter_mut().enumerate();
            rows.for_each_init(Scratch::default, |scratch, (row, facts)| {
                row_facts(row, facts, None, scratch);
            });
        } else {
            for (row, facts) in self.facts.iter_mut().enumerate() {
                row_facts(row, facts, None, &mut self.scratch);
            }
        }
    }
}
