//! The moves of kings with the men fixed: the only part of a slice in which moves can be taken
//! back, so the only one that needs iteration.
//!
//! Positions are decided in waves, by plies: losses in an even number, wins in an odd one. A wave
//! looks only at rows that a position decided in the wave before is one king move away from, and
//! at those for which a move out of the arrangement takes effect. What a king move does to a row is
//! done to all squares of the moving king at once.

use std::sync::atomic::Ordering;

use movegen::geometry::{SQUARES, STEPS, bits, king_slides, shift};

use super::external::{Context, Facts, MAX_PLIES};
use super::rows::Rows;
use super::seeds::{Events, Seed};
use super::solve::LARGE;
use super::store::{Code, DRAW, Distances, Words};

/// A block with what moves that leave it say.
pub(super) struct Kings<'a> {
    pub rows: Rows,
    pub men: u64,
    pub kings: &'a [[u64; 2]],
    pub facts: &'a [[Facts; 2]],
}

impl Kings<'_> {
    #[inline(always)]
    fn empty(&self, row: usize) -> u64 {
        let kings = self.kings[row];
        SQUARES & !(self.men | kings[0] | kings[1])
    }

    /// The rows that a move of a fixed king of `side` leads to, each with the squares that the
    /// king passes, the last one included: the moving king must not stand there.
    #[inline(always)]
    fn for_each_move(&self, row: usize, side: usize, mut visit: impl FnMut(usize, u64)) {
        let kings = self.kings[row];
        let empty = self.empty(row);
        for from in bits(kings[side]) {
            for step in STEPS {
                let mut path = 0;
                let mut at = shift(from, step);
                while at & empty != 0 {
                    path |= at;
                    let mut after = kings;
                    after[side] ^= from | at;
                    visit(self.rows.number(self.men, after[0], after[1]), path);
                    at = shift(at, step);
                }
            }
        }
    }

    /// The squares of the moving king from which some king move of `side` leads to a position
    /// that is not won for the other side.
    #[inline(always)]
    fn escapes(&self, row: usize, side: usize, words: &[Words]) -> u64 {
        let wins = 2 * (1 - side);
        let empty = self.empty(row);
        let mut found = 0;
        if side == self.rows.moving.index() {
            found = king_slides(empty & !words[row][wins], empty);
        }
        self.for_each_move(row, side, |next, path| found |= !words[next][wins] & !path);
        found & empty
    }
}

/// Memory of the iteration.
#[derive(Default)]
pub(super) struct Waves {
    /// Rows and sides (twice the row, plus the side) decided in the last wave, and the squares.
    fresh: Vec<(u32, u64)>,
    next: Vec<(u32, u64)>,
    /// Rows and sides to look at in this wave.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// By row and side: squares from which a king move wins.
    pending: Vec<u64>,
    /// By row and side: squares that can be lost as far as other moves go.
    losable: Vec<u64>,
}

impl Waves {
    /// Rough need of memory.
    pub(super) const BYTES_PER_ROW: usize = 2 * (16 + 4 + 1 + 8 + 8);

    /// Solves a block: values into `words`, plies into `distances` if there are any.
    #[inline(always)]
    pub(super) fn run(
        &mut self,
        context: &Context<'_>,
        block: &Kings<'_>,
        seeds: &impl Seed,
        words: &mut [Words],
        mut distances: Option<&mut [Distances]>,
    ) {
        let sides = 2 * words.len();
        words.fill([0; 4]);
        if let Some(distances) = &mut distances {
            distances.fill([[DRAW; 64]; 2]);
        }
        self.fresh.clear();
        for list in [&mut self.pending, &mut self.losable] {
            list.clear();
            list.resize(sides, 0);
        }
        self.is_touched.clear();
        self.is_touched.resize(sides, false);

        for wave in 0u32.. {
            let is_win = wave & 1 != 0;
            // Values alone may take any number of waves; all seeds are early then.
            let ply = wave.min(u32::from(Code::MAX)) as Code;
            if self.fresh.is_empty() && ply > seeds.last() {
                return;
            }
            if words.len() >= LARGE && !(context.go_on)(0) {
                return;
            }
            self.touch(block, is_win);
            let events = seeds.events(ply);
            match events {
                Events::All => {
                    self.touched.clear();
                    self.touched.extend(0..sides as u32);
                }
                Events::Some(list) => {
                    for &at in list {
                        if !self.is_touched[at as usize] {
                            self.is_touched[at as usize] = true;
                            self.touched.push(at);
                        }
                    }
                }
                Events::None => {}
            }
            let has_events = !matches!(events, Events::None);
            self.next.clear();
            for i in 0..self.touched.len() {
                let at = self.touched[i] as usize;
                self.is_touched[at] = false;
                let (row, side) = (at / 2, at % 2);
                let facts = &block.facts[row][side];
                let done = words[row][2 * side] | words[row][2 * side + 1];
                let new = if is_win {
                    let moves = std::mem::take(&mut self.pending[at]) & facts.quiet;
                    let seed = if has_events { seeds.won(row, side, facts, ply) } else { 0 };
                    (moves | seed) & !done
                } else {
                    if has_events {
                        self.losable[at] |= seeds.may_be_lost(row, side, facts, ply);
                    }
                    let losable = self.losable[at] & !done;
                    let by_moves = losable & facts.quiet;
                    let mut lost = losable & !facts.quiet;
                    if by_moves != 0 {
                        lost |= by_moves & !block.escapes(row, side, words);
                    }
                    lost
                };
                if new != 0 {
                    self.next.push((at as u32, new));
                    words[row][2 * side + usize::from(!is_win)] |= new;
                    if let Some(distances) = &mut distances {
                        for square in bits(new) {
                            distances[row][side][square.trailing_zeros() as usize] = ply;
                        }
                    }
                }
            }
            self.touched.clear();
            std::mem::swap(&mut self.fresh, &mut self.next);
            if ply > MAX_PLIES && distances.is_some() {
                context.too_long.store(true, Ordering::Relaxed);
                return;
            }
        }
    }

    /// Marks the rows that a king move connects with what was decided in the last wave: before
    /// a wave of wins those were losses, and a move into one wins.
    #[inline(always)]
    fn touch(&mut self, block: &Kings<'_>, is_win: bool) {
        let Waves { fresh, touched, is_touched, pending, .. } = self;
        for &(at, squares) in fresh.iter() {
            let (row, side) = (at as usize / 2, 1 - at as usize % 2);
            let mut touch = |row: usize, from: u64| {
                let at = 2 * row + side;
                if is_win {
                    pending[at] |= from;
                }
                if !is_touched[at] {
                    is_touched[at] = true;
                    touched.push(at as u32);
                }
            };
            if side == block.rows.moving.index() {
                touch(row, king_slides(squares, block.empty(row)));
            }
            // Moves of kings can be taken back the way they came.
            block.for_each_move(row, side, |before, path| {
                if squares & !path != 0 {
                    touch(before, squares & !path);
                }
            });
        }
    }
}
