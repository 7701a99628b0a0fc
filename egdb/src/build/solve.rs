//! The kings of one arrangement of men: the only part of a slice in which moves can be taken
//! back, so the only one that needs iteration.

use std::sync::atomic::Ordering;

use movegen::{Color, MoveList};
use rayon::prelude::*;

use super::board::{BOARD, Fixed, STEPS, shift, slides_to};
use super::external::{Facts, Known, MAX_PLIES, Seeds};
use super::rows::Rows;
use super::store::{Code, DRAW, Distances, Store, Words};

/// Which distances to compute besides values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wanted {
    pub dtw: bool,
    pub mtc: bool,
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
    list: MoveList,
}

/// Rows from which on the rows of a block are shared among threads.
const LARGE: usize = 1 << 13;

const NO_DISTANCES: Distances = [[DRAW; 64]; 2];

impl Workspace {
    /// Bytes that solving a level takes besides the result.
    pub(super) fn bytes(store: &Store, level: usize, wanted: Wanted, threads: usize) -> u64 {
        let Some(rows) = store.rows else { return 0 };
        let distances = if wanted.dtw || wanted.mtc { 2 * size_of::<Distances>() } else { 0 };
        let row = size_of::<[u64; 2]>() + size_of::<[Facts; 2]>() + distances;
        let spaces = store.levels.size(level).min(threads);
        (rows.count() * row * spaces) as u64
    }

    /// Solves the block with these men.
    #[inline(always)]
    pub(super) fn solve(
        &mut self,
        known: &Known<'_>,
        rows: Rows,
        men: [u64; 2],
        wanted: Wanted,
        out: &mut BlockOut<'_>,
    ) {
        let all_men = men[0] | men[1];
        rows.list(all_men, &mut self.kings);
        let count = rows.count();
        self.facts.resize(count, [Facts::default(); 2]);
        if wanted.dtw || wanted.mtc {
            self.win.resize(count, NO_DISTANCES);
            self.loss.resize(count, NO_DISTANCES);
        }
        self.find_facts(known, rows, men, wanted);
        let block = Kings { rows, men: all_men, kings: &self.kings, facts: &self.facts };
        if wanted.dtw {
            block.distances(known, &self.win, &self.loss, out.words, out.dtw);
        }
        if wanted.mtc {
            block.conversion_seeds(&mut self.win, &mut self.loss);
            block.distances(known, &self.win, &self.loss, out.words, out.mtc);
        }
        if !wanted.dtw && !wanted.mtc {
            block.values(known, out.words);
        }
    }

    #[inline(always)]
    fn find_facts(&mut self, known: &Known<'_>, rows: Rows, men: [u64; 2], wanted: Wanted) {
        let moves = Color::ALL.map(|side| known.man_moves(men, side));
        let row_facts = |row: usize,
                         facts: &mut [Facts; 2],
                         seeds: Option<(&mut Distances, &mut Distances)>,
                         list: &mut MoveList| {
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
            facts[0] = known.row_facts(&fixed, Color::ALL[0], &moves[0], first, list);
            facts[1] = known.row_facts(&fixed, Color::ALL[1], &moves[1], second, list);
        };
        let is_large = self.facts.len() >= LARGE;
        if wanted.dtw && is_large {
            let rows = self.facts.par_iter_mut().zip(&mut self.win).zip(&mut self.loss);
            rows.enumerate().for_each_init(MoveList::new, |list, (row, ((facts, win), loss))| {
                row_facts(row, facts, Some((win, loss)), list);
            });
        } else if wanted.dtw {
            let rows = self.facts.iter_mut().zip(&mut self.win).zip(&mut self.loss);
            for (row, ((facts, win), loss)) in rows.enumerate() {
                row_facts(row, facts, Some((win, loss)), &mut self.list);
            }
        } else if is_large {
            let rows = self.facts.par_iter_mut().enumerate();
            rows.for_each_init(MoveList::new, |list, (row, facts)| {
                row_facts(row, facts, None, list);
            });
        } else {
            for (row, facts) in self.facts.iter_mut().enumerate() {
                row_facts(row, facts, None, &mut self.list);
            }
        }
    }
}

/// A block with what its external moves say.
struct Kings<'a> {
    rows: Rows,
    men: u64,
    kings: &'a [[u64; 2]],
    facts: &'a [[Facts; 2]],
}

impl Kings<'_> {
    /// Squares of the moving king from which a king move of `side` leads into the set that
    /// `target` gives for each row (of positions with the other side to move).
    #[inline(always)]
    fn moves_into(&self, row: usize, side: Color, target: impl Fn(usize) -> u64) -> u64 {
        let kings = self.kings[row];
        let empty = BOARD & !(self.men | kings[0] | kings[1]);
        let mut found = 0;
        if side == self.rows.moving {
            found = slides_to(target(row) & empty, empty);
        }
        let mut mine = kings[side.index()];
        while mine != 0 {
            let from = mine & mine.wrapping_neg();
            mine &= mine - 1;
            for step in STEPS {
                let mut path = 0;
                let mut at = shift(from, step);
                while at & empty != 0 {
                    path |= at;
                    let mut after = kings;
                    after[side.index()] ^= from | at;
                    found |= target(self.rows.number(self.men, after[0], after[1])) & !path;
                    at = shift(at, step);
                }
            }
        }
        found & empty
    }

    /// Wins and losses alone.
    #[inline(always)]
    fn values(&self, known: &Known<'_>, words: &mut [Words]) {
        for (words, facts) in words.iter_mut().zip(self.facts) {
            *words = [facts[0].win, facts[0].loss, facts[1].win, facts[1].loss];
        }
        loop {
            let mut is_changed = false;
            for row in 0..words.len() {
                for side in Color::ALL {
                    let facts = &self.facts[row][side.index()];
                    let (own, other) = (2 * side.index(), 2 * side.opponent().index());
                    let open = facts.quiet & !words[row][own] & !words[row][own + 1];
                    if open == 0 {
                        continue;
                    }
                    let win = open & self.moves_into(row, side, |row| words[row][other + 1]);
                    let candidates = open & !win & !facts.holds;
                    let mut loss = 0;
                    if candidates != 0 {
                        loss = candidates & !self.moves_into(row, side, |row| !words[row][other]);
                    }
                    is_changed |= win | loss != 0;
                    words[row][own] |= win;
                    words[row][own + 1] |= loss;
                }
            }
            if !is_changed || (words.len() >= LARGE && !(known.go_on)(0)) {
                return;
            }
        }
    }

    /// Seeds of distances to conversion from the facts: a position after a conversion counts 1
    /// if its side to move wins and 2 if it loses, and one without a move 0.
    fn conversion_seeds(&self, win: &mut [Distances], loss: &mut [Distances]) {
        for (row, facts) in self.facts.iter().enumerate() {
            for side in 0..2 {
                let facts = &facts[side];
                for bit in 0..54 {
                    let has = |set: u64| set >> bit & 1 != 0;
                    win[row][side][bit] = if has(facts.win) { 3 } else { DRAW };
                    loss[row][side][bit] = if has(facts.loss) {
                        2
                    } else if !has(facts.quiet) || has(facts.holds) {
                        DRAW
                    } else if has(facts.has_man_move) {
                        2
                    } else {
                        0
                    };
                }
            }
        }
    }

    /// Values and distances, ply by ply: wins in an odd number of plies, losses in an even one.
    #[inline(always)]
    fn distances(
        &self,
        known: &Known<'_>,
        win: &[Distances],
        loss: &[Distances],
        words: &mut [Words],
        out: &mut [Distances],
    ) {
        words.fill([0; 4]);
        out.fill(NO_DISTANCES);
        let mut last_seed = 0;
        for (win, loss) in win.iter().zip(loss) {
            for code in win.as_flattened().iter().chain(loss.as_flattened()) {
                last_seed = last_seed.max(if *code == DRAW { 0 } else { *code });
            }
        }
        let mut idle = 0;
        for ply in 0..=MAX_PLIES {
            let is_win = ply & 1 != 0;
            let mut is_changed = false;
            for row in 0..words.len() {
                for side in Color::ALL {
                    let s = side.index();
                    let facts = &self.facts[row][s];
                    let (own, other) = (2 * s, 2 * side.opponent().index());
                    let done = words[row][own] | words[row][own + 1];
                    let open = facts.quiet & !done;
                    let new = if is_win {
                        let seeds = at_most(&win[row][s], ply) & !done;
                        let moves = if open == 0 {
                            0
                        } else {
                            self.moves_into(row, side, |row| words[row][other + 1])
                        };
                        seeds | moves & open
                    } else {
                        let seeds = at_most(&loss[row][s], ply) & !done;
                        let candidates = seeds & facts.quiet;
                        let mut lost = seeds & facts.loss;
                        if candidates != 0 {
                            let escapes = self.moves_into(row, side, |row| !words[row][other]);
                            lost |= candidates & !escapes;
                        }
                        lost
                    };
                    if new != 0 {
                        is_changed = true;
                        words[row][own + usize::from(!is_win)] |= new;
                        let mut rest = new;
                        while rest != 0 {
                            out[row][s][rest.trailing_zeros() as usize] = ply;
                            rest &= rest - 1;
                        }
                    }
                }
            }
            idle = if is_changed { 0 } else { idle + 1 };
            let is_stopped = words.len() >= LARGE && !(known.go_on)(0);
            if (idle >= 2 && ply >= last_seed) || is_stopped {
                return;
            }
        }
        known.too_long.store(true, Ordering::Relaxed);
    }
}

/// The bits whose number is at most `ply`.
#[inline(always)]
fn at_most(codes: &[Code; 64], ply: Code) -> u64 {
    let mut set = 0;
    for (bit, &code) in codes[..54].iter().enumerate() {
        set |= u64::from(code <= ply) << bit;
    }
    set
}
