//! A slow and obvious solver of values under the rules that count moves: a state is a position with
//! its counter, and the states are settled from the last counter back to 0. Shares nothing with the
//! library but the move generator and the numbering of positions.

use std::collections::HashMap;

use egdb::index::unrank;
use egdb::{DbIndex, Probe, Slice, Wld};
use movegen::{Color, DrawCounters, DrawRules, Kind, Piece, Position, Setup, Square};

/// The value with the counter at 0, and the greatest counter that it holds at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    pub value: Wld,
    pub until: u8,
}

impl Held {
    const DRAW: Held = Held { value: Wld::Draw, until: u8::MAX };

    pub fn at(self, counter: u8) -> Wld {
        if counter <= self.until { self.value } else { Wld::Draw }
    }
}

/// A rule that counts plies: 25, 16 or 5 moves of each side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    Moves25,
    Moves16,
    Moves5,
}

impl Rule {
    pub fn of(slice: Slice) -> Rule {
        let sides = Color::ALL.map(|color| {
            let kings = match color {
                Color::Black => slice.black_kings(),
                Color::White => slice.white_kings(),
            };
            (slice.side_pieces(color), kings)
        });
        let is_alone = |side: usize| sides[side] == (1, 1) && sides[1 - side].1 > 0;
        match slice.pieces() {
            _ if !is_alone(0) && !is_alone(1) => Rule::Moves25,
            2 | 3 => Rule::Moves5,
            4 => Rule::Moves16,
            _ => Rule::Moves25,
        }
    }

    /// The plies after which the game is drawn.
    pub fn limit(self) -> u8 {
        match self {
            Rule::Moves25 => 50,
            Rule::Moves16 => 32,
            Rule::Moves5 => 10,
        }
    }
}

/// Where a move leads: to a number among all positions of the slice (both sides), or out of it.
#[derive(Clone, Copy)]
enum Next {
    /// The counter goes on.
    Here(u32),
    /// The counter starts anew.
    Anew(u32),
    /// The counter goes on in another slice.
    On(Held),
    /// The value there with the counter at 0.
    Fixed(Wld),
}

#[derive(Default)]
pub struct Ruled {
    tables: HashMap<(Slice, Color), Vec<Held>>,
}

impl Ruled {
    pub fn solve(max_pieces: u8) -> Ruled {
        let mut ruled = Ruled::default();
        for pieces in 2..=max_pieces {
            let mut slices: Vec<Slice> = Slice::stored(pieces).collect();
            // Crowning leads to slices with fewer men.
            slices.sort_by_key(|slice| slice.black_men() + slice.white_men());
            for slice in slices {
                ruled.solve_slice(slice);
            }
        }
        ruled
    }

    pub fn held(&self, position: &Position) -> Held {
        let place = DbIndex::of(position).unwrap();
        self.tables[&(place.slice, place.side)][place.index as usize]
    }

    pub fn slices(&self) -> Vec<Slice> {
        let mut list: Vec<Slice> = self.tables.keys().map(|(slice, _)| *slice).collect();
        list.sort_by_key(|slice| (slice.pieces(), *slice));
        list.dedup();
        list
    }

    fn next(&self, slice: Slice, is_conversion: bool, after: &Position) -> Next {
        if after.pieces(after.side_to_move()).is_empty() {
            return Next::Fixed(Wld::Loss);
        }
        let (place, rule) = (DbIndex::of(after).unwrap(), Rule::of(slice));
        let is_on = match rule {
            Rule::Moves25 => !is_conversion,
            _ => Rule::of(place.slice) == rule,
        };
        if place.slice == slice {
            let sides = slice.stored_sides();
            let side = sides.iter().position(|&side| side == place.side).unwrap();
            let number = side as u32 * slice.size() as u32 + place.index as u32;
            return if is_on { Next::Here(number) } else { Next::Anew(number) };
        }
        let held = self.tables[&(place.slice, place.side)][place.index as usize];
        if is_on { Next::On(held) } else { Next::Fixed(held.at(0)) }
    }

    fn solve_slice(&mut self, slice: Slice) {
        let (mut starts, mut moves, mut groups) = (vec![0], Vec::new(), Vec::new());
        for &side in slice.stored_sides() {
            for index in 0..slice.size() {
                let position = unrank(slice, index).unwrap().position(side).unwrap();
                for &mv in &position.legal_moves() {
                    let is_man = !position.all_kings().contains(mv.from());
                    let is_conversion = mv.is_capture() || is_man;
                    moves.push(self.next(slice, is_conversion, &position.after(mv)));
                }
                starts.push(moves.len());
                groups.push(advanced(&position));
            }
        }
        let held = settle(Rule::of(slice), &starts, &moves, &groups);
        let tables = slice.stored_sides().iter().zip(held.chunks(slice.size() as usize));
        for (&side, table) in tables {
            self.tables.insert((slice, side), table.to_vec());
        }
    }
}

/// Settles positions from the last counter back to 0. The moves of position `i` are those from
/// `starts[i]` on; later groups come first.
fn settle(rule: Rule, starts: &[usize], moves: &[Next], groups: &[u8]) -> Vec<Held> {
    let mut held = vec![Held::DRAW; groups.len()];
    // A move of a man leads to positions where the men are further on.
    for group in (0..=*groups.iter().max().unwrap()).rev() {
        let here: Vec<usize> = (0..groups.len()).filter(|&i| groups[i] == group).collect();
        let moves_of = |i: usize| &moves[starts[i]..starts[i + 1]];
        for &i in here.iter().filter(|&&i| moves_of(i).is_empty()) {
            held[i].value = Wld::Loss;
        }
        for counter in (0..rule.limit()).rev() {
            let value_after = |next: Next| match next {
                Next::Here(j) => held[j as usize].at(counter + 1),
                Next::Anew(j) => held[j as usize].at(0),
                Next::On(held) => held.at(counter + 1),
                Next::Fixed(value) => value,
            };
            let value_of = |i: usize| {
                let values = moves_of(i).iter().map(|&next| value_after(next));
                values.map(Wld::opponent).max_by_key(|value| match value {
                    Wld::Win => 2,
                    Wld::Draw => 1,
                    Wld::Loss => 0,
                })
            };
            let new: Vec<(usize, Wld)> = here
                .iter()
                .filter_map(|&i| Some((i, value_of(i)?)))
                .filter(|&(i, value)| value != held[i].at(counter + 1))
                .collect();
            for &(i, value) in &new {
                // What holds at a counter holds at all smaller ones.
                assert_eq!(held[i].value, Wld::Draw);
                held[i] = Held { value, until: counter };
            }
            if new.is_empty() && rule == Rule::Moves25 {
                // Nor will anything change at smaller counters.
                break;
            }
        }
    }
    held
}

/// Solves all positions with these men and this many kings of Black and White, whose number is five.
/// Values after captures and moves of men are those of the probe with the counter at 0.
pub fn solve_arrangement(probe: &Probe, men: &Setup, kings: [usize; 2]) -> HashMap<Position, Held> {
    let mut setups = vec![(*men, 0)];
    for (color, count) in Color::ALL.into_iter().zip(kings) {
        let piece = Piece { color, kind: Kind::King };
        setups.iter_mut().for_each(|(_, last)| *last = 0);
        for _ in 0..count {
            let mut next = Vec::new();
            for (setup, last) in &setups {
                for number in last + 1..=50 {
                    let square = Square::new(number).unwrap();
                    if !setup.occupied().contains(square) {
                        let mut setup = *setup;
                        setup.put(piece, square);
                        next.push((setup, number));
                    }
                }
            }
            setups = next;
        }
    }
    let mut positions = Vec::new();
    for (mut setup, _) in setups {
        for side in Color::ALL {
            setup.side = side;
            positions.push(setup.position().unwrap());
        }
    }
    let numbers: HashMap<&Position, u32> = positions.iter().zip(0..).collect();
    let (mut starts, mut moves) = (vec![0], Vec::new());
    for position in &positions {
        for &mv in &position.legal_moves() {
            let after = position.after(mv);
            moves.push(if position.is_irreversible(mv) {
                let counters = DrawCounters::new(&after);
                let category = probe.category(&after, &counters, DrawRules::Lidraughts);
                Next::Fixed(category.unwrap().expect("five pieces").wld())
            } else {
                Next::Here(numbers[&after])
            });
        }
        starts.push(moves.len());
    }
    let held = settle(Rule::Moves25, &starts, &moves, &vec![0; positions.len()]);
    positions.into_iter().zip(held).collect()
}

/// The rows that all men have advanced, in slices where their moves start a count anew; else 0.
fn advanced(position: &Position) -> u8 {
    let slice = Slice::of(position.board()).unwrap();
    if Rule::of(slice) != Rule::Moves25 {
        return 0;
    }
    let row = |square: Square| square.row();
    let black: u8 = position.men(Color::Black).into_iter().map(row).sum();
    let white: u8 = position.men(Color::White).into_iter().map(|square| 9 - row(square)).sum();
    black + white
}
