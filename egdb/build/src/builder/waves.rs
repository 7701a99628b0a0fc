//! The moves of kings with the men fixed: the only part of a slice where moves can be taken back,
//! so the only one that needs iteration.
//!
//! Positions are decided in waves, by plies: losses in an even number, wins in an odd one. A wave
//! looks only at rows one king move before a position decided in the last wave, and at those where
//! a move out of the arrangement takes effect. The effect of a king move on a row is applied to all
//! squares of the moving king at once.
//!
//! A wave has two halves: first the decided positions mark the rows before them, then the marked
//! rows are decided. In the first half threads only set bits, which commutes; in the second each
//! has its own rows, and reads from others only what this wave does not change: wins in a wave of
//! losses. Rows are taken in order in both, so that their neighbours, which are at equal distances,
//! are still in the processor's caches.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use movegen::geometry::{SQUARES, STEPS, bits, king_slides, shift};
use movegen::isa;
use rayon::prelude::*;

use super::context::{BuildContext, MAX_PLIES};
use super::external::ExternalFacts;
use super::rows::Rows;
use super::seeds::{Events, Seed};
use super::store::{Code, DRAW, Distances, Words};
use egdb::huge_pages;

/// A block with the facts from moves that leave it.
pub(super) struct Kings<'a> {
    pub rows: Rows,
    pub men: u64,
    pub kings: &'a [[u64; 2]],
    pub facts: &'a [[ExternalFacts; 2]],
}

/// The squares of the moving king won by each side to move, by row.
type Wins = [u64; 2];

impl Kings<'_> {
    #[inline(always)]
    fn empty(&self, row: usize) -> u64 {
        let kings = self.kings[row];
        SQUARES & !(self.men | kings[0] | kings[1])
    }

    /// The moves of the fixed kings of `side`: where the fixed kings are then, and the squares that
    /// the king passes, the last one included: the moving king must not stand there. Stops when
    /// `visit` returns false.
    #[inline(always)]
    fn for_each_move(&self, row: usize, side: usize, mut visit: impl FnMut([u64; 2], u64) -> bool) {
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
                    if !visit(after, path) {
                        return;
                    }
                    at = shift(at, step);
                }
            }
        }
    }

    /// Those of some squares of the moving king where every king move of `side` leads to a position
    /// won for the other side. Few moves show that there are none.
    #[inline(always)]
    fn without_escape(&self, row: usize, side: usize, squares: u64, wins: &[Wins]) -> u64 {
        let other = 1 - side;
        let mut left = squares;
        if side == self.rows.moving.index() {
            let empty = self.empty(row);
            left &= !king_slides(empty & !wins[row][other], empty);
        }
        if left != 0 {
            self.for_each_move(row, side, |[black, white], path| {
                let (next, turn) = self.rows.place(self.men, black, white);
                left &= turn.apply(wins[next][other]) | path;
                left != 0
            });
        }
        left
    }
}

/// Memory of the iteration. A *place* is a row and a side to move: twice the row, plus the side.
#[derive(Default)]
pub(super) struct Waves {
    /// By row: the won squares.
    wins: Vec<Wins>,
    /// A bit for each place with positions decided in the last wave.
    fresh: Vec<u64>,
    /// By place: the squares decided in the last wave, where `fresh` has a bit.
    new: Vec<u64>,
    /// A bit for each place to look at in this wave.
    touched: Vec<AtomicU64>,
    /// By place: squares where a king move wins.
    pending: Vec<AtomicU64>,
    /// By place: squares that other moves allow to be lost.
    losable: Vec<u64>,
}

/// Words of 64 places that a thread takes at a time.
const SHARE: usize = 64;

/// Marks that are gathered while memory is fetched for them.
const MARKS: usize = 256;

/// Places of some consecutive words, with the data to decide them.
struct Part<'a> {
    /// The first place.
    first: usize,
    touched: &'a [AtomicU64],
    fresh: &'a mut [u64],
    new: &'a mut [u64],
    pending: &'a [AtomicU64],
    losable: &'a mut [u64],
    words: &'a mut [Words],
    /// Empty if none are wanted.
    distances: &'a mut [Distances],
}

/// What a wave decides.
struct Wave<'a, S> {
    seeds: &'a S,
    ply: Code,
    is_win: bool,
    has_events: bool,
}

impl Waves {
    /// Need of memory.
    pub(super) const BYTES_PER_ROW: usize = size_of::<Wins>() + 2 * 3 * size_of::<u64>() + 1;

    /// Solves a block: values into `words`, plies into `distances` if there are any. With
    /// `IS_SHARED` all threads of the pool work on it.
    #[inline(always)]
    pub(super) fn run<S: Seed + Sync, const IS_SHARED: bool>(
        &mut self,
        context: &BuildContext<'_>,
        block: &Kings<'_>,
        seeds: &S,
        words: &mut [Words],
        distances: &mut [Distances],
    ) {
        words.fill([0; 4]);
        distances.fill([[DRAW; 64]; 2]);
        self.begin(words.len());
        let mut has_fresh = false;
        for wave in 0u32.. {
            let is_win = wave & 1 != 0;
            // Values alone may take any number of waves; all seeds are early then.
            let ply = wave.min(u32::from(Code::MAX)) as Code;
            if !has_fresh && ply > seeds.last() {
                return;
            }
            if IS_SHARED && !(context.keep_going)(0) {
                return;
            }
            self.touch_all::<IS_SHARED>(block, is_win);
            let events = seeds.events(ply);
            match events {
                Events::All => {
                    self.touched.iter().for_each(|word| word.store(!0, Ordering::Relaxed));
                }
                Events::Some(list) => {
                    for &place in list {
                        set::<false>(&self.touched[place as usize / 64], 1 << (place % 64));
                    }
                }
                Events::None => {}
            }
            let has_events = !matches!(events, Events::None);
            let wave = Wave { seeds, ply, is_win, has_events };
            has_fresh = self.decide_all::<S, IS_SHARED>(block, &wave, words, distances);
            if is_win && has_fresh {
                self.publish::<IS_SHARED>();
            }
            if ply > MAX_PLIES && !distances.is_empty() {
                context.too_long.store(true, Ordering::Relaxed);
                return;
            }
        }
    }

    /// Clears everything for a block with this many rows.
    fn begin(&mut self, rows: usize) {
        fn cleared<T>(list: &mut Vec<T>, len: usize, zero: impl FnMut() -> T) {
            list.clear();
            list.reserve_exact(len);
            huge_pages::advise(list.spare_capacity_mut());
            list.resize_with(len, zero);
        }
        let places = 2 * rows;
        cleared(&mut self.wins, rows, || [0; 2]);
        cleared(&mut self.new, places, || 0);
        cleared(&mut self.losable, places, || 0);
        cleared(&mut self.pending, places, AtomicU64::default);
        cleared(&mut self.fresh, places.div_ceil(64), || 0);
        cleared(&mut self.touched, places.div_ceil(64), AtomicU64::default);
    }

    /// Marks the rows one king move before positions decided in the last wave: before a wave of
    /// wins those were losses, and a move into one wins.
    #[inline(always)]
    fn touch_all<const IS_SHARED: bool>(&self, block: &Kings<'_>, is_win: bool) {
        if IS_SHARED {
            self.fresh.par_chunks(SHARE).enumerate().for_each(|(k, fresh)| {
                isa::run_best(
                    #[inline(always)]
                    || self.touch::<true>(block, is_win, k * SHARE, fresh),
                );
            });
        } else {
            self.touch::<false>(block, is_win, 0, &self.fresh);
        }
    }

    #[inline(always)]
    fn touch<const IS_SHARED: bool>(
        &self,
        block: &Kings<'_>,
        is_win: bool,
        first: usize,
        fresh: &[u64],
    ) {
        let mut marks: Vec<(u32, u64)> = Vec::new();
        let set_all = |marks: &mut Vec<(u32, u64)>| {
            marks.drain(..).for_each(|(place, from)| {
                self.set_mark::<IS_SHARED>(place as usize, from, is_win);
            });
        };
        for (number, &word) in (first..).zip(fresh) {
            for bit in bits(word) {
                let place = 64 * number + bit.trailing_zeros() as usize;
                let squares = self.new[place];
                let (row, side) = (place / 2, 1 - place % 2);
                let mut touch = |row: usize, from: u64| {
                    let place = 2 * row + side;
                    if !IS_SHARED {
                        return self.set_mark::<IS_SHARED>(place, from, is_win);
                    }
                    // The rows of large blocks are far apart in memory: it fetches many at a time.
                    if is_win {
                        isa::prefetch(&self.pending[place]);
                    }
                    isa::prefetch(&self.touched[place / 64]);
                    marks.push((place as u32, from));
                };
                if side == block.rows.moving.index() {
                    touch(row, king_slides(squares, block.empty(row)));
                }
                // Moves of kings can be taken back the way they came.
                block.for_each_move(row, side, |[black, white], path| {
                    let from = squares & !path;
                    if from != 0 {
                        block.rows.places(block.men, black, white, |before, turn| {
                            touch(before, turn.apply(from));
                        });
                    }
                    true
                });
                if marks.len() >= MARKS {
                    set_all(&mut marks);
                }
            }
        }
        set_all(&mut marks);
    }

    /// Marks squares of a place.
    #[inline(always)]
    fn set_mark<const IS_SHARED: bool>(&self, place: usize, squares: u64, is_win: bool) {
        if is_win {
            set::<IS_SHARED>(&self.pending[place], squares);
        }
        set::<IS_SHARED>(&self.touched[place / 64], 1 << (place % 64));
    }

    /// Decides the marked rows; returns whether anything was decided.
    #[inline(always)]
    fn decide_all<S: Seed + Sync, const IS_SHARED: bool>(
        &mut self,
        block: &Kings<'_>,
        wave: &Wave<'_, S>,
        words: &mut [Words],
        distances: &mut [Distances],
    ) -> bool {
        let Waves { wins, fresh, new, touched, pending, losable } = self;
        if !IS_SHARED {
            let mut all =
                Part { first: 0, touched, fresh, new, pending, losable, words, distances };
            return all.decide(block, wave, wins);
        }
        let places = 64 * SHARE;
        let mut distances = distances.chunks_mut(places / 2);
        let parts = fresh
            .chunks_mut(SHARE)
            .zip(touched.chunks(SHARE))
            .zip(new.chunks_mut(places))
            .zip(pending.chunks(places))
            .zip(losable.chunks_mut(places))
            .zip(words.chunks_mut(places / 2));
        let parts =
            parts.enumerate().map(|(k, (((((fresh, touched), new), pending), losable), words))| {
                Part {
                    first: k * places,
                    touched,
                    fresh,
                    new,
                    pending,
                    losable,
                    words,
                    distances: distances.next().unwrap_or_default(),
                }
            });
        let mut parts: Vec<Part<'_>> = parts.collect();
        let found = AtomicBool::new(false);
        parts.par_iter_mut().for_each(|part| {
            let any = isa::run_best(
                #[inline(always)]
                || part.decide(block, wave, wins),
            );
            if any {
                found.store(true, Ordering::Relaxed);
            }
        });
        found.into_inner()
    }

    /// Adds the decisions of a wave of wins to the shared ones.
    #[inline(always)]
    fn publish<const IS_SHARED: bool>(&mut self) {
        let Waves { wins, fresh, new, .. } = self;
        let add = |first: usize, wins: &mut [Wins]| {
            for (number, &word) in (first..).zip(&fresh[first..first + wins.len().div_ceil(32)]) {
                for bit in bits(word) {
                    let place = 64 * number + bit.trailing_zeros() as usize;
                    wins[place / 2 - 32 * first][place % 2] |= new[place];
                }
            }
        };
        if IS_SHARED {
            let parts = wins.par_chunks_mut(32 * SHARE).enumerate();
            parts.for_each(|(k, wins)| add(k * SHARE, wins));
        } else {
            add(0, wins);
        }
    }
}

impl Part<'_> {
    /// Decides the marked places; returns whether anything was decided.
    #[inline(always)]
    fn decide<S: Seed>(&mut self, block: &Kings<'_>, wave: &Wave<'_, S>, wins: &[Wins]) -> bool {
        let mut any = false;
        for (number, touched) in self.touched.iter().enumerate() {
            self.fresh[number] = 0;
            let marked = touched.load(Ordering::Relaxed);
            if marked == 0 {
                continue;
            }
            touched.store(0, Ordering::Relaxed);
            for bit in bits(marked) {
                let here = 64 * number + bit.trailing_zeros() as usize;
                // All bits were marked, and some of the last word are not places.
                let Some(words) = self.words.get_mut(here / 2) else { break };
                let (row, side) = ((self.first + here) / 2, here % 2);
                let facts = &block.facts[row][side];
                let done = words[2 * side] | words[2 * side + 1];
                let new = if wave.is_win {
                    let pending = self.pending[here].load(Ordering::Relaxed);
                    self.pending[here].store(0, Ordering::Relaxed);
                    let won = if wave.has_events {
                        wave.seeds.won(row, side, facts, wave.ply)
                    } else {
                        0
                    };
                    (pending & facts.quiet | won) & !done
                } else {
                    if wave.has_events {
                        self.losable[here] |= wave.seeds.may_be_lost(row, side, facts, wave.ply);
                    }
                    let losable = self.losable[here] & !done;
                    let by_moves = losable & facts.quiet;
                    losable & !facts.quiet | block.without_escape(row, side, by_moves, wins)
                };
                if new != 0 {
                    any = true;
                    self.fresh[number] |= bit;
                    self.new[here] = new;
                    words[2 * side + usize::from(!wave.is_win)] |= new;
                    if let Some(distances) = self.distances.get_mut(here / 2) {
                        for square in bits(new) {
                            distances[side][square.trailing_zeros() as usize] = wave.ply;
                        }
                    }
                }
            }
        }
        any
    }
}

/// Sets bits, which other threads may do at the same time. Most are set already, and reading first
/// is much cheaper than writing.
#[inline(always)]
fn set<const IS_SHARED: bool>(word: &AtomicU64, bits: u64) {
    let before = word.load(Ordering::Relaxed);
    if !IS_SHARED {
        word.store(before | bits, Ordering::Relaxed);
    } else if before & bits != bits {
        word.fetch_or(bits, Ordering::Relaxed);
    }
}
