//! A slow and obvious solver: every position of every slice up to some number of pieces, by
//! generating all moves and repeating until nothing changes. Shares nothing with the library but
//! the move generator and the numbering of positions.

use std::collections::HashMap;

use egdb::index::unrank;
use egdb::{DbIndex, Slice, Wld};
use movegen::Color;

/// The known value of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solved {
    pub wld: Wld,
    /// Plies to the end of the game, for wins and losses.
    pub dtw: u16,
    /// Distance to conversion, for wins and losses.
    pub mtc: u16,
    /// The side to move can capture.
    pub has_capture: bool,
}

#[derive(Default)]
pub struct Solution {
    tables: HashMap<(Slice, Color), Vec<Solved>>,
}

/// A successor: by its number among all positions of the slice being solved (both sides), or
/// already known.
#[derive(Clone, Copy)]
enum Next {
    Here(u32),
    Known { wld: Wld, dtw: u16 },
}

/// All moves of all positions of a slice, conversions marked.
struct Graph {
    starts: Vec<u32>,
    moves: Vec<(Next, bool)>,
    has_capture: Vec<bool>,
    sides: Vec<Color>,
}

const UNKNOWN: u16 = u16::MAX;

impl Solution {
    pub fn solve(max_pieces: u8) -> Solution {
        let mut solution = Solution::default();
        for pieces in 2..=max_pieces {
            let mut slices: Vec<Slice> = Slice::stored(pieces).collect();
            // Crowning leads to slices with fewer men.
            slices.sort_by_key(|slice| slice.black_men() + slice.white_men());
            for slice in slices {
                solution.solve_slice(slice);
            }
        }
        solution
    }

    /// Solves one slice; all slices it leads to must have been solved.
    pub fn solve_slice(&mut self, slice: Slice) {
        let graph = self.graph(slice);
        let (values, dtw) = solve_dtw(&graph);
        let mtc = solve_mtc(&graph, &values);
        let size = slice.size() as usize;
        for (k, &side) in graph.sides.iter().enumerate() {
            let entry = |i: usize| Solved {
                wld: values[i],
                dtw: dtw[i],
                mtc: mtc[i],
                has_capture: graph.has_capture[i],
            };
            let table = (k * size..(k + 1) * size).map(entry).collect();
            self.tables.insert((slice, side), table);
        }
    }

    pub fn table(&self, slice: Slice, side: Color) -> &[Solved] {
        &self.tables[&(slice, side)]
    }

    pub fn slices(&self) -> Vec<Slice> {
        let mut list: Vec<Slice> = self.tables.keys().map(|(slice, _)| *slice).collect();
        list.sort_by_key(|slice| (slice.pieces(), *slice));
        list.dedup();
        list
    }

    pub fn entry(&self, place: &DbIndex) -> Solved {
        self.table(place.slice, place.side)[place.index as usize]
    }

    fn graph(&self, slice: Slice) -> Graph {
        let sides = slice.stored_sides().to_vec();
        let size = slice.size();
        let mut graph =
            Graph { starts: vec![0], moves: Vec::new(), has_capture: Vec::new(), sides };
        for &side in &graph.sides.clone() {
            for index in 0..size {
                let position = unrank(slice, index).unwrap().position(side).unwrap();
                graph.has_capture.push(position.has_capture(side));
                for &mv in &position.legal_moves() {
                    let is_man = !position.all_kings().contains(mv.from());
                    let after = position.after(mv);
                    let next = if after.pieces(after.side_to_move()).is_empty() {
                        Next::Known { wld: Wld::Loss, dtw: 0 }
                    } else {
                        let place = DbIndex::of(&after).unwrap();
                        if place.slice == slice {
                            let k = graph.sides.iter().position(|&s| s == place.side).unwrap();
                            Next::Here(k as u32 * size as u32 + place.index as u32)
                        } else {
                            let Solved { wld, dtw, .. } = self.entry(&place);
                            Next::Known { wld, dtw }
                        }
                    };
                    graph.moves.push((next, mv.is_capture() || is_man));
                }
                graph.starts.push(graph.moves.len() as u32);
            }
        }
        graph
    }
}

impl Graph {
    fn len(&self) -> usize {
        self.has_capture.len()
    }

    fn moves(&self, i: usize) -> &[(Next, bool)] {
        &self.moves[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

/// Values and plies to the end, one ply after the other.
fn solve_dtw(graph: &Graph) -> (Vec<Wld>, Vec<u16>) {
    let mut values = vec![Wld::Draw; graph.len()];
    let mut plies = vec![UNKNOWN; graph.len()];
    let known = graph.moves.iter().filter_map(|(next, _)| match next {
        Next::Known { wld, dtw } if *wld != Wld::Draw => Some(*dtw),
        _ => None,
    });
    let mut last = known.max().unwrap_or(0) + 1;
    let mut ply = 0;
    while ply <= last {
        let mut found = Vec::new();
        for i in (0..graph.len()).filter(|&i| plies[i] == UNKNOWN) {
            // (value, plies) of a successor that is settled by now.
            let look = |next: Next| match next {
                Next::Here(j) if plies[j as usize] == UNKNOWN => None,
                Next::Here(j) => Some((values[j as usize], plies[j as usize])),
                Next::Known { wld: Wld::Draw, .. } => None,
                Next::Known { wld, dtw } => (dtw < ply).then_some((wld, dtw)),
            };
            let mut moves = graph.moves(i).iter().map(|&(next, _)| look(next));
            if moves.clone().any(|m| m.is_some_and(|(wld, _)| wld == Wld::Loss)) {
                found.push((i, Wld::Win));
            } else if moves.all(|m| m.is_some_and(|(wld, _)| wld == Wld::Win)) {
                found.push((i, Wld::Loss));
            }
        }
        for (i, value) in found {
            values[i] = value;
            plies[i] = ply;
            last = last.max(ply + 1);
        }
        ply += 1;
    }
    (values, plies)
}

/// Distances to conversion, in the convention of `docs/formats.md`, section 10.
fn solve_mtc(graph: &Graph, values: &[Wld]) -> Vec<u16> {
    let mut numbers = vec![UNKNOWN; graph.len()];
    let mut number = 0;
    let mut idle = 0;
    while idle < 5 {
        let mut found = Vec::new();
        for i in (0..graph.len()).filter(|&i| numbers[i] == UNKNOWN && values[i] != Wld::Draw) {
            let value_of = |next: Next| match next {
                Next::Here(j) => values[j as usize],
                Next::Known { wld, .. } => wld,
            };
            // The number of a move, if it is settled.
            let count = |(next, is_conversion): (Next, bool)| match (is_conversion, next) {
                (true, _) if value_of(next) == Wld::Win => Some(1),
                (true, _) => Some(2),
                (false, Next::Here(j)) => Some(numbers[j as usize]).filter(|&n| n != UNKNOWN),
                (false, Next::Known { .. }) => unreachable!("a king move without capture"),
            };
            let moves = graph.moves(i);
            let best = if values[i] == Wld::Win {
                let good = moves.iter().filter(|(next, _)| value_of(*next) == Wld::Loss);
                good.filter_map(|&m| count(m)).min()
            } else {
                let counts: Option<Vec<u16>> = moves.iter().map(|&m| count(m)).collect();
                counts.map(|c| c.into_iter().max().map_or(0, |n| n))
            };
            let best = best.map(|n| if moves.is_empty() { 0 } else { n + 1 });
            if best == Some(number) {
                found.push(i);
            }
        }
        idle = if found.is_empty() { idle + 1 } else { 0 };
        for i in found {
            numbers[i] = number;
        }
        number += 1;
    }
    for (number, value) in numbers.iter_mut().zip(values) {
        assert_eq!(*number == UNKNOWN, *value == Wld::Draw);
    }
    numbers
}
