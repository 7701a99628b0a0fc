//! Exact win/loss/draw values of all positions.
//!
//! A position with a capture is worth the best of its captures, which lead to fewer pieces. A
//! quiet position that the files leave out (the other side threatens to capture, or this side to
//! move is not stored) is worth the best of its moves; some of those may be left out too, and a
//! chain of threats and answers can even come back to where it began. So the left-out positions
//! that are reachable through each other are gathered in a small graph, which is solved like a
//! database: wins and losses spread backwards from the known positions; a position that never gets
//! a value is a draw, because neither side can leave the circle with profit.

use std::collections::HashMap;

use movegen::{Position, Wld};

use super::excluded::{excludes_quiet, wld_value, wld_without_pieces};
use super::question::Question;
use super::{Probe, Stored};
use crate::error::ProbeError;
use crate::format::DbType;
use crate::index::Turned;

/// Left-out positions gathered for one question before giving up.
const MAX_NODES: usize = 1 << 16;

/// The answer for one position without search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direct {
    Known(Wld),
    /// Not in the databases; search would not help.
    Beyond,
    /// The best of the captures.
    Captures,
    /// The best of the moves.
    Moves,
}

#[derive(Debug)]
struct WldNode {
    position: Position,
    parents: Vec<usize>,
    /// Successors in the graph without a value.
    open: usize,
    has_draw: bool,
    has_unknown: bool,
    is_expanded: bool,
    value: Option<Wld>,
}

impl Probe {
    /// The exact value for the side to move; `None` where the databases do not reach.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn wld(&self, position: &Position) -> Result<Option<Wld>, ProbeError> {
        self.wld_by(position, &mut |next| self.wld(next))
    }

    /// As [`Probe::wld`], with the facts known already.
    pub(super) fn wld_with(
        &self,
        position: &Position,
        question: &mut Question,
    ) -> Result<Option<Wld>, ProbeError> {
        self.wld_by(position, &mut |next| self.known(next, question))
    }

    /// As [`Probe::wld`]; `after` has the values of positions after captures.
    #[inline]
    fn wld_by(
        &self,
        position: &Position,
        after: &mut impl FnMut(&Position) -> Result<Option<Wld>, ProbeError>,
    ) -> Result<Option<Wld>, ProbeError> {
        match self.direct(position)? {
            Direct::Known(value) => Ok(Some(value)),
            Direct::Beyond => Ok(None),
            Direct::Captures => best_capture(position, after),
            Direct::Moves => self.solve_graph(position),
        }
    }

    /// The value of a position whose side to move has a legal move but no capture, if one lookup
    /// tells: for a search, which resolves captures itself. With `conditional`, data that are not
    /// in memory count as not there (a memory map cannot tell, and reads). `None` also where the
    /// files leave the position out.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    #[inline]
    pub fn wld_quiet(
        &self,
        position: &Position,
        conditional: bool,
    ) -> Result<Option<Wld>, ProbeError> {
        debug_assert!(
            !position.has_capture(position.side_to_move()) && position.has_legal_move(),
            "{position:?}"
        );
        if position.pieces(position.side_to_move().opponent()).is_empty() {
            return Ok(wld_without_pieces(position).exact());
        }
        let board = position.board();
        for database in self.wld_databases() {
            if excludes_quiet(database.db_type(), position.board(), position.side_to_move()) {
                continue;
            }
            let found = database.lookup(board, position.side_to_move(), conditional)?;
            let unknown_beyond = database.db_type() == DbType::WldRun;
            if let Some(value) = found.and_then(|raw| wld_value(raw, unknown_beyond).exact()) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The value, if one lookup gives it.
    pub(super) fn stored_wld(&self, position: &Position) -> Result<Stored<Wld>, ProbeError> {
        Ok(match self.direct(position)? {
            Direct::Known(value) => Stored::Value(value),
            Direct::Beyond => Stored::Nowhere,
            Direct::Captures | Direct::Moves => Stored::InSuccessors,
        })
    }

    fn direct(&self, position: &Position) -> Result<Direct, ProbeError> {
        if position.has_capture(position.side_to_move()) {
            return Ok(Direct::Captures);
        }
        if !position.has_legal_move() {
            return Ok(Direct::Known(Wld::Loss));
        }
        if position.pieces(position.side_to_move().opponent()).is_empty() {
            let value = wld_without_pieces(position).exact();
            return Ok(value.map_or(Direct::Beyond, Direct::Known));
        }
        let turned = Turned::of(position.board(), position.side_to_move());
        let Some(Turned { slice, .. }) = turned else { return Ok(Direct::Beyond) };
        let mut is_there = false;
        for database in self.wld_databases().filter(|db| db.has_slice(slice)) {
            is_there = true;
            if excludes_quiet(database.db_type(), position.board(), position.side_to_move()) {
                continue;
            }
            let raw = database.lookup(position.board(), position.side_to_move(), false)?;
            let unknown_beyond = database.db_type() == DbType::WldRun;
            if let Some(value) = raw.and_then(|raw| wld_value(raw, unknown_beyond).exact()) {
                return Ok(Direct::Known(value));
            }
        }
        Ok(if is_there { Direct::Moves } else { Direct::Beyond })
    }

    fn solve_graph(&self, root: &Position) -> Result<Option<Wld>, ProbeError> {
        let mut nodes = vec![WldNode::new(*root)];
        let mut numbers = HashMap::from([(*root, 0)]);
        let mut next = 0;
        while next < nodes.len() && nodes[0].value.is_none() {
            if nodes.len() > MAX_NODES {
                return Ok(None);
            }
            self.expand(next, &mut nodes, &mut numbers)?;
            next += 1;
        }
        let is_complete = !nodes.iter().any(|n| n.value.is_none() && n.has_unknown);
        Ok(nodes[0].value.or(is_complete.then_some(Wld::Draw)))
    }

    fn expand(
        &self,
        number: usize,
        nodes: &mut Vec<WldNode>,
        numbers: &mut HashMap<Position, usize>,
    ) -> Result<(), ProbeError> {
        if nodes[number].value.is_some() {
            return Ok(());
        }
        let position = nodes[number].position;
        let mut children = Vec::new();
        for &mv in &position.legal_moves() {
            let child = position.after(mv);
            let value = match self.direct(&child)? {
                Direct::Known(value) => Some(value),
                Direct::Beyond => None,
                Direct::Captures => best_capture(&child, &mut |next| self.wld(next))?,
                Direct::Moves => {
                    children.push(child);
                    continue;
                }
            };
            match value {
                Some(Wld::Loss) => {
                    settle(nodes, number, Wld::Win);
                    return Ok(());
                }
                Some(Wld::Draw) => nodes[number].has_draw = true,
                Some(Wld::Win) => {}
                None => nodes[number].has_unknown = true,
            }
        }
        nodes[number].is_expanded = true;
        for child in children {
            let known = nodes.len();
            let at = *numbers.entry(child).or_insert(known);
            if at == known {
                nodes.push(WldNode::new(child));
            }
            match nodes[at].value {
                Some(Wld::Loss) => {
                    settle(nodes, number, Wld::Win);
                    return Ok(());
                }
                Some(_) => {}
                None => {
                    nodes[at].parents.push(number);
                    nodes[number].open += 1;
                }
            }
        }
        if nodes[number].is_lost() {
            settle(nodes, number, Wld::Loss);
        }
        Ok(())
    }
}

/// The best of the captures, by the values of the positions after them.
fn best_capture(
    position: &Position,
    after: &mut impl FnMut(&Position) -> Result<Option<Wld>, ProbeError>,
) -> Result<Option<Wld>, ProbeError> {
    let mut best = Some(Wld::Loss);
    for &mv in &position.legal_moves() {
        match after(&position.after(mv))? {
            Some(Wld::Loss) => return Ok(Some(Wld::Win)),
            Some(Wld::Draw) => best = best.map(|_| Wld::Draw),
            Some(Wld::Win) => {}
            None => best = None,
        }
    }
    Ok(best)
}

impl WldNode {
    fn new(position: Position) -> WldNode {
        WldNode {
            position,
            parents: Vec::new(),
            open: 0,
            has_draw: false,
            has_unknown: false,
            is_expanded: false,
            value: None,
        }
    }

    /// Whether all moves are known to lose.
    fn is_lost(&self) -> bool {
        self.is_expanded && self.open == 0 && !self.has_draw && !self.has_unknown
    }
}

/// Gives a node its value and passes it to the nodes before it.
fn settle(nodes: &mut [WldNode], number: usize, value: Wld) {
    let mut work = vec![(number, value)];
    while let Some((number, value)) = work.pop() {
        if nodes[number].value.is_some() {
            continue;
        }
        nodes[number].value = Some(value);
        for parent in std::mem::take(&mut nodes[number].parents) {
            nodes[parent].open -= 1;
            if value == Wld::Loss {
                work.push((parent, Wld::Win));
            } else if nodes[parent].is_lost() {
                work.push((parent, Wld::Loss));
            }
        }
    }
}
