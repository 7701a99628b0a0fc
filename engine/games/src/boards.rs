//! The conditions on the boards of a game.

use std::ops::RangeInclusive;

use egdb::Slice;
use movegen::{Move, Position};

use crate::pattern::{ManoeuvreSearch, PatternSearch, Sacrifice, balance};
use crate::query::Query;

/// Looks for the boards that a query asks for, in one game after another.
#[derive(Clone, Debug)]
pub struct BoardSearch {
    pattern: Option<PatternSearch>,
    moves: Option<ManoeuvreSearch>,
    material: Vec<Slice>,
    sacrifice: Option<Sacrifice>,
    stretch: RangeInclusive<u32>,
    balances: Vec<i32>,
    is_quiet: Vec<bool>,
}

impl BoardSearch {
    /// A search for the conditions of a query on boards.
    #[must_use]
    pub fn new(query: &Query) -> BoardSearch {
        let (twin, lasting) = (query.twin, query.lasting.unwrap_or(1) as usize);
        let within = query.within.map_or(usize::MAX, |plies| plies as usize);
        let twins = query.material.filter(|_| twin).map(Slice::reversed);
        let pattern = query.pattern.as_ref();
        let moves = query.moves.as_ref();
        BoardSearch {
            pattern: pattern.map(|pattern| PatternSearch::new(pattern, twin, lasting)),
            moves: moves.map(|moves| ManoeuvreSearch::new(moves, twin, within)),
            material: query.material.into_iter().chain(twins).collect(),
            sacrifice: query.sacrifice.map(|men| Sacrifice {
                men: men as i32,
                within: query.within.map_or(Sacrifice::PLIES, |plies| plies as usize),
                side: query.by,
            }),
            stretch: query.plies.clone().unwrap_or(0..=u32::MAX),
            balances: Vec::new(),
            is_quiet: Vec::new(),
        }
    }

    /// The ply where the last of the conditions was first fulfilled, in a game of these positions, each
    /// with the move that was played in it.
    pub fn find(&mut self, game: impl Iterator<Item = (Position, Option<Move>)>) -> Option<u32> {
        let wanted = [self.pattern.is_some(), !self.material.is_empty(), self.moves.is_some()];
        let mut found = [None; 3];
        if let Some(pattern) = &mut self.pattern {
            pattern.restart();
        }
        if let Some(moves) = &mut self.moves {
            moves.restart();
        }
        self.balances.clear();
        self.is_quiet.clear();
        let is_all = |found: &[Option<u32>; 3]| {
            wanted.iter().zip(found).all(|(is_wanted, found)| !is_wanted || found.is_some())
        };
        for (ply, (position, mv)) in (0..).zip(game) {
            if ply > *self.stretch.end() || self.sacrifice.is_none() && is_all(&found) {
                break;
            }
            if !self.stretch.contains(&ply) {
                continue;
            }
            if let (Some(pattern), None) = (&mut self.pattern, found[0])
                && pattern.see(&position)
            {
                found[0] = Some(ply);
            }
            if wanted[1]
                && found[1].is_none()
                && Slice::of(position.board()).is_some_and(|here| self.material.contains(&here))
            {
                found[1] = Some(ply);
            }
            if let (Some(moves), None, Some(mv)) = (&mut self.moves, found[2], mv)
                && moves.see(mv)
            {
                found[2] = Some(ply + 1);
            }
            if self.sacrifice.is_some() {
                self.balances.push(balance(&position));
                self.is_quiet.push(mv.is_none_or(|mv| !mv.is_capture()));
            }
        }
        let sacrifice = match self.sacrifice {
            Some(it) => {
                Some(it.find(&self.balances, &self.is_quiet)? as u32 + *self.stretch.start())
            }
            None => None,
        };
        if !is_all(&found) {
            return None;
        }
        found.into_iter().chain([sacrifice]).flatten().max()
    }
}
