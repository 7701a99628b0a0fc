//! Small endings of any game of the board, solved in memory from the move generator alone.
//!
//! The [builder](crate::builder) knows the rules of the international game and of Killer. What this
//! solver adds are the other games, and the counting rules of Frisian: a position has a state for
//! each counter of king moves, and two kings that need more than seven moves against one have drawn.

use std::collections::HashMap;
use std::ops::Range;

use movegen::{Color, KingRun, Position, Variant, Wld};
use rayon::prelude::*;

use crate::builder::build_order;
use crate::survey::{Counts, Longest, SideSurvey};
use egdb::index::{DbIndex, unrank};
use egdb::probe::{Answer, MoveAnswer, Probe};
use egdb::slice::Slice;

/// A value for the side to move: [`END`] less the plies to a win, the plies to a loss less [`END`], or
/// 0 for a draw.
type EndingValue = i16;

/// More plies than a win takes.
const END: EndingValue = 1000;

/// Worse than every value.
const NONE: EndingValue = -END - 1;

/// Two kings have seven moves to win against one: so many plies if they begin, else one more.
const SEVEN_MOVES: EndingValue = 13;

/// The endings of a game up to some number of pieces.
#[derive(Debug)]
pub struct EndingTables {
    variant: Variant,
    is_counted: bool,
    tables: HashMap<Slice, EndingTable>,
}

/// The positions of a slice: by side to move, index, and state of the counters.
#[derive(Debug)]
struct EndingTable {
    slice: Slice,
    /// The states of each side's counter of king moves.
    states: [usize; 2],
    values: Vec<EndingValue>,
}

/// Positions of a slice with their moves.
struct EndingMoves {
    /// The best value that a move out of the slice leads to, and the moves within.
    nodes: Vec<(EndingValue, u16)>,
    /// The positions after and before a move.
    moves: Vec<(u32, u32)>,
}

/// Indices that a thread takes at a time.
const SHARE: usize = 1 << 10;

impl EndingTables {
    /// The most pieces: memory grows with the moves of all positions of a slice.
    pub const MAX_PIECES: u8 = 3;

    /// Solves everything up to some number of pieces, in Frisian with the rules that count moves or
    /// without them. Calls `each` with every finished slice and side to move; of Frisian's positions
    /// those with the counters at 0 are in its numbers.
    #[must_use]
    pub fn solve(
        variant: Variant,
        pieces: u8,
        is_counted: bool,
        mut each: impl FnMut(SideSurvey),
    ) -> EndingTables {
        let is_counted = is_counted && variant.is_frisian();
        let mut solved = EndingTables { variant, is_counted, tables: HashMap::new() };
        // The first king ends a game of Breakthrough.
        let can_be = |slice: &Slice| variant != Variant::Breakthrough || slice.kings() == 0;
        for pieces in 2..=pieces {
            for slice in build_order(pieces).into_iter().filter(can_be) {
                let mut table = EndingTable::new(slice, is_counted);
                table.solve(&solved);
                solved.tables.insert(slice, table);
            }
            for table in Slice::stored(pieces).filter_map(|slice| solved.tables.get(&slice)) {
                for &side in table.slice.stored_sides() {
                    let counts = table.counts(variant, side);
                    each(SideSurvey::new(table.slice, side, counts, &Probe::new()));
                }
            }
        }
        solved
    }

    /// The value of a position and of all its moves, where the tables reach.
    #[must_use]
    pub fn answer(&self, position: &Position) -> Option<Answer> {
        let here = self.value(position)?;
        let plies =
            |value: EndingValue| (value != 0).then_some(u32::from((END - value.abs()) as u16));
        let moves = position.legal_moves().into_iter().map(|mv| {
            let value = -one_ply_more(self.value(&self.after(position, mv))?);
            let (wld, dtw) = (Some(wld(value)), plies(value));
            Some(MoveAnswer { mv, wld, dtw, mtc: None })
        });
        let mut moves: Vec<MoveAnswer> = moves.collect::<Option<_>>()?;
        moves.sort_by_key(MoveAnswer::order);
        Some(Answer { wld: Some(wld(here)), dtw: plies(here), mtc: None, moves })
    }

    fn after(&self, position: &Position, mv: movegen::Move) -> Position {
        let after = position.after(mv);
        let has_run = Color::ALL.into_iter().any(|color| after.king_run(color).is_some());
        if self.is_counted || !has_run { after } else { after.with_variant(self.variant) }
    }

    /// The value of a position without a move.
    fn ended(&self) -> EndingValue {
        if self.variant.without_move() == Wld::Win { END } else { -END }
    }

    /// The value of a position; `None` where the tables do not reach.
    fn value(&self, position: &Position) -> Option<EndingValue> {
        if !position.has_legal_move() {
            return Some(self.ended());
        }
        let place = DbIndex::of(position)?;
        let table = self.tables.get(&place.slice)?;
        Some(table.values[table.number(position, place)])
    }
}

impl EndingTable {
    fn new(slice: Slice, is_counted: bool) -> EndingTable {
        let of = |men, kings| if men == 0 || !is_counted { 0 } else { usize::from(kings) };
        let kings = [
            of(slice.black_men(), slice.black_kings()),
            of(slice.white_men(), slice.white_kings()),
        ];
        let states = kings.map(|kings| 1 + usize::from(KingRun::LIMIT) * kings);
        EndingTable { slice, states, values: Vec::new() }
    }

    fn states(&self) -> usize {
        self.states[0] * self.states[1]
    }

    /// The positions of one side to move.
    fn of_side(&self) -> usize {
        self.slice.size() as usize * self.states()
    }

    /// The number of a position of the slice.
    fn number(&self, position: &Position, place: DbIndex) -> usize {
        let position = if place.reversed { position.reversed() } else { *position };
        let state = |color: Color| match position.king_run(color) {
            Some(run) if self.states[color.index()] > 1 => {
                let kings = position.kings(color).into_iter();
                let before = kings.take_while(|&square| square != run.square).count();
                before * usize::from(KingRun::LIMIT) + usize::from(run.moves)
            }
            _ => 0,
        };
        let state = state(Color::Black) * self.states[1] + state(Color::White);
        let second = usize::from(self.slice.stored_sides()[0] != place.side);
        second * self.of_side() + place.index as usize * self.states() + state
    }

    /// The position with an index and the counters at 0.
    fn plain(&self, variant: Variant, side: Color, index: usize) -> Option<Position> {
        let board = unrank(self.slice, index as u64)?;
        Some(board.position(side).ok()?.with_variant(variant))
    }

    /// The position of a number.
    fn position(&self, variant: Variant, number: usize) -> Option<Position> {
        let side = self.slice.stored_sides()[number / self.of_side()];
        let place = number % self.of_side();
        let plain = self.plain(variant, side, place / self.states())?;
        let state = place % self.states();
        let run = |color: Color, state: usize| {
            let state = state.checked_sub(1)?;
            let square = plain.kings(color).into_iter().nth(state / 3)?;
            Some(KingRun { square, moves: 1 + (state % 3) as u8 })
        };
        let [black, white] = [state / self.states[1], state % self.states[1]];
        plain.with_king_runs([run(Color::Black, black), run(Color::White, white)]).ok()
    }

    /// The moves of some positions.
    fn part(&self, solved: &EndingTables, numbers: Range<usize>) -> EndingMoves {
        let mut part = EndingMoves { nodes: Vec::new(), moves: Vec::new() };
        for number in numbers {
            let (mut best, mut within) = (NONE, 0);
            let position = self.position(solved.variant, number);
            for mv in position.iter().flat_map(Position::legal_moves) {
                let Some(after) = position.map(|position| solved.after(&position, mv)) else {
                    break;
                };
                match DbIndex::of(&after).filter(|place| place.slice == self.slice) {
                    Some(place) => {
                        part.moves.push((self.number(&after, place) as u32, number as u32));
                        within += 1;
                    }
                    None => best = best.max(-one_ply_more(solved.value(&after).unwrap_or(0))),
                }
            }
            if best == NONE && within == 0 {
                best = solved.ended();
            }
            part.nodes.push((best, within));
        }
        part
    }

    /// Finds the values; those that captures and promotions lead to are known.
    fn solve(&mut self, solved: &EndingTables) {
        let count = self.of_side() * self.slice.stored_sides().len();
        let parts: Vec<EndingMoves> = (0..count.div_ceil(SHARE))
            .into_par_iter()
            .map(|part| self.part(solved, part * SHARE..count.min((part + 1) * SHARE)))
            .collect();
        // The moves to each position, one after another.
        let mut first = vec![0u32; count + 1];
        for &(after, _) in parts.iter().flat_map(|part| &part.moves) {
            first[after as usize + 1] += 1;
        }
        for at in 0..count {
            first[at + 1] += first[at];
        }
        let (mut before, mut next) = (vec![0u32; first[count] as usize], first.clone());
        for &(after, number) in parts.iter().flat_map(|part| &part.moves) {
            before[next[after as usize] as usize] = number;
            next[after as usize] += 1;
        }
        let mut nodes: Vec<(EndingValue, u16)> =
            parts.into_iter().flat_map(|part| part.nodes).collect();
        self.values = vec![0; count];
        // What is decided in so many plies.
        let mut decided: Vec<Vec<u32>> = vec![Vec::new(); END as usize];
        let is_decided = |&(best, within): &(EndingValue, u16)| best > 0 || best < 0 && within == 0;
        for (number, node) in nodes.iter().enumerate().filter(|(_, node)| is_decided(node)) {
            decided[(END - node.0.abs()) as usize].push(number as u32);
        }
        for plies in 0..decided.len() {
            for number in std::mem::take(&mut decided[plies]) {
                let number = number as usize;
                if self.values[number] != 0 {
                    continue;
                }
                let value = nodes[number].0;
                self.values[number] = value;
                let moves = first[number] as usize..first[number + 1] as usize;
                for &earlier in &before[moves] {
                    let node = &mut nodes[earlier as usize];
                    *node = (node.0.max(-one_ply_more(value)), node.1 - 1);
                    if self.values[earlier as usize] == 0 && is_decided(node) {
                        decided[(END - node.0.abs()) as usize].push(earlier);
                    }
                }
            }
        }
        if solved.is_counted && self.slice.kings() == 3 && self.slice.pieces() == 3 {
            let is_late =
                |value: EndingValue| END - value.abs() > SEVEN_MOVES + EndingValue::from(value < 0);
            self.values.iter_mut().filter(|value| is_late(**value)).for_each(|value| *value = 0);
        }
    }

    /// The numbers of positions with this side to move and the counters at 0.
    fn counts(&self, variant: Variant, side: Color) -> Counts {
        let mut counts = Counts::default();
        let first = usize::from(self.slice.stored_sides()[0] != side) * self.of_side();
        for index in 0..self.slice.size() as usize {
            let Some(position) = self.plain(variant, side, index) else { continue };
            counts.captures += u64::from(position.has_capture(side));
            let value = self.values[first + index * self.states()];
            let number = (END - value.abs()) as u32;
            let longest = Some(Longest { number, index: index as u64 });
            match wld(value) {
                Wld::Win => {
                    counts.wins += 1;
                    Longest::raise(&mut counts.longest_dtw_win, longest);
                }
                Wld::Loss => {
                    counts.losses += 1;
                    Longest::raise(&mut counts.longest_dtw_loss, longest);
                }
                Wld::Draw => counts.draws += 1,
            }
        }
        counts
    }
}

/// A value a ply before, for the same side.
fn one_ply_more(value: EndingValue) -> EndingValue {
    value - value.signum()
}

fn wld(value: EndingValue) -> Wld {
    match value.signum() {
        1 => Wld::Win,
        0 => Wld::Draw,
        _ => Wld::Loss,
    }
}
