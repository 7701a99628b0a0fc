//! Whether a side can hold a position, that is, at least draw.
//!
//! A draw needs no path to an end: a side holds if there is a set of positions that it never has to
//! leave. Where the attacker is to move, all moves lead into the set or to positions that are known
//! not to be won; where the defender is to move, one move does. Such a set is grown from the root,
//! with one move for the defender in each position, where any position that is not known to be lost
//! is taken to hold. When a position turns out to be lost, the defender chooses again wherever a
//! choice relied on it; a position without another choice is lost as well. So every position is
//! entered once, and both ends are proofs: a set with nothing left to enter holds, and a lost root
//! is a win.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use egdb::error::ProbeError;
use movegen::{Bitboard, Color, Move, Position};

use super::proof::Proof;
use super::table::ProofEntry;

/// How far the set has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HoldResult {
    /// The defender holds, with this move if it is the one to move.
    Holds(Option<Move>),
    /// The attacker wins, within this many plies.
    Wins(u32),
    /// Not enough positions searched.
    Undecided,
    /// The set does not fit into memory.
    TooLarge,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HoldState {
    /// Not examined.
    New,
    Entered,
    /// Lost for the defender within this many plies.
    Lost(u32),
}

struct HoldNode {
    position: Position,
    state: HoldState,
    /// The first entry of `links` about positions that rely on this one.
    users: u32,
    /// The position that the defender goes to.
    choice: u32,
}

const NONE: u32 = u32::MAX;

/// Bytes that a position takes with its links and its place in the index, about.
const NODE_BYTES: usize = 200;

/// The weight of a lost position compared with those of the set.
const LOSS: i32 = 4;

/// The squares of the defender's pieces: all, and kings.
fn stand(position: &Position, attacker: Color) -> (Bitboard, Bitboard) {
    let defender = attacker.opponent();
    (position.pieces(defender), position.kings(defender))
}

/// A growing set.
pub(super) struct Holding {
    attacker: Color,
    nodes: Vec<HoldNode>,
    /// Numbers of positions by their keys.
    numbers: HashMap<u64, u32>,
    /// A position that relies on another, and the next entry of the same list.
    links: Vec<(u32, u32)>,
    to_enter: Vec<u32>,
    root_move: Option<Move>,
    /// How well the defender has done so far with pieces on certain squares: positions of the set,
    /// minus those that are lost. Many draws need only a few squares.
    stands: HashMap<(Bitboard, Bitboard), i32>,
    most: usize,
    /// Since the last sweep: positions entered, and whether the defender has chosen again.
    entered: usize,
    has_changed: bool,
    /// Whether a sweep has taken positions from the list: then an empty list is not a set yet.
    has_dropped: bool,
    /// Two positions have the same key, or there is no room: the search has failed.
    is_full: bool,
}

/// The defender's choices.
enum HoldChoice {
    /// Go to a position known to hold.
    Safe(Move),
    /// Rely on this position.
    Into(Move, Position),
    /// All moves lose, within this many plies.
    Lost(u32),
}

impl Holding {
    /// A set that consists of the root, with this much memory to grow.
    pub(super) fn new(root: &Position, attacker: Color, bytes: usize) -> Holding {
        let node = HoldNode { position: *root, state: HoldState::New, users: NONE, choice: NONE };
        Holding {
            attacker,
            nodes: vec![node],
            numbers: HashMap::from([(root.key(), 0)]),
            links: Vec::new(),
            to_enter: vec![0],
            root_move: None,
            stands: HashMap::new(),
            most: (bytes / NODE_BYTES).max(16),
            entered: 0,
            has_changed: false,
            has_dropped: false,
            is_full: false,
        }
    }

    /// Continues to grow, with about this many more positions.
    pub(super) fn grow(
        &mut self,
        proof: &mut Proof<'_>,
        nodes: u64,
    ) -> Result<HoldResult, ProbeError> {
        let end = proof.nodes.saturating_add(nodes);
        loop {
            if self.to_enter.is_empty() && self.has_dropped {
                // The defender may have come back to positions whose successors were dropped.
                self.sweep(proof);
            }
            let Some(&number) = self.to_enter.last() else { break };
            if let HoldState::Lost(plies) = self.nodes[0].state {
                return Ok(HoldResult::Wins(plies));
            }
            if self.is_full {
                return Ok(HoldResult::TooLarge);
            }
            if proof.nodes >= end || proof.is_stopped() {
                return Ok(HoldResult::Undecided);
            }
            self.to_enter.pop();
            if self.nodes[number as usize].state == HoldState::New {
                self.enter(number, proof)?;
            }
            if self.has_changed && self.entered > 1000 + self.nodes.len() / 2 {
                self.sweep(proof);
                self.has_dropped = true;
            }
        }
        Ok(match self.nodes[0].state {
            HoldState::Lost(plies) => HoldResult::Wins(plies),
            _ if self.is_full => HoldResult::TooLarge,
            _ => HoldResult::Holds(self.root_move),
        })
    }

    fn enter(&mut self, number: u32, proof: &mut Proof<'_>) -> Result<(), ProbeError> {
        self.entered += 1;
        let node = &mut self.nodes[number as usize];
        node.state = HoldState::Entered;
        let position = node.position;
        if position.side_to_move() != self.attacker {
            if let Some(plies) = self.choose(number, proof)? {
                self.lose(number, plies, proof)?;
            }
            return Ok(());
        }
        let moves = position.legal_moves();
        let mut next = Vec::with_capacity(moves.len());
        for &mv in &moves {
            let position = position.after(mv);
            match self.lost_in(&position, proof)? {
                Some(Some(plies)) => return self.lose(number, plies + 1, proof),
                Some(None) => {}
                None => next.push(position),
            }
        }
        for position in next {
            self.rely(number, &position);
        }
        Ok(())
    }

    /// The number of plies within which a position is known to be lost for the defender;
    /// `Some(None)` if it is known not to be.
    fn lost_in(
        &self,
        position: &Position,
        proof: &mut Proof<'_>,
    ) -> Result<Option<Option<u32>>, ProbeError> {
        proof.nodes += 1;
        if let Some(is_win) = proof.is_known_win(position, self.attacker)? {
            return Ok(Some(if is_win { Some(proof.distance(position)?) } else { None }));
        }
        if let Some(HoldState::Lost(plies)) = self.find(position).map(|n| self.nodes[n].state) {
            return Ok(Some(Some(plies)));
        }
        Ok(match proof.table.get(position, self.attacker) {
            Some(ProofEntry::Proved(plies)) => Some(Some(plies)),
            _ => None,
        })
    }

    fn find(&self, position: &Position) -> Option<usize> {
        let number = *self.numbers.get(&position.key())? as usize;
        (self.nodes[number].position == *position).then_some(number)
    }

    /// Adds a position to the set because another one relies on it.
    fn rely(&mut self, user: u32, position: &Position) {
        let number = match self.numbers.entry(position.key()) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                if self.nodes.len() >= self.most {
                    self.is_full = true;
                    return;
                }
                let number = self.nodes.len() as u32;
                let state = HoldState::New;
                self.nodes.push(HoldNode { position: *position, state, users: NONE, choice: NONE });
                *self.stands.entry(stand(position, self.attacker)).or_default() += 1;
                *entry.insert(number)
            }
        };
        let link = self.links.len() as u32;
        let node = &mut self.nodes[number as usize];
        self.is_full |= node.position != *position;
        self.links.push((user, node.users));
        node.users = link;
        if node.state == HoldState::New {
            self.to_enter.push(number);
        }
        self.nodes[user as usize].choice = number;
    }

    /// Finds a move for the defender, or else the number of plies within which the defender loses.
    fn choose(&mut self, number: u32, proof: &mut Proof<'_>) -> Result<Option<u32>, ProbeError> {
        let position = self.nodes[number as usize].position;
        let mv = match self.best(&position, proof)? {
            HoldChoice::Safe(mv) => {
                self.nodes[number as usize].choice = NONE;
                mv
            }
            HoldChoice::Into(mv, next) => {
                self.rely(number, &next);
                mv
            }
            HoldChoice::Lost(plies) => return Ok(Some(plies)),
        };
        if number == 0 {
            self.root_move = Some(mv);
        }
        Ok(None)
    }

    fn best(&self, position: &Position, proof: &mut Proof<'_>) -> Result<HoldChoice, ProbeError> {
        let mut best: Option<((u8, i32), Move, Position)> = None;
        let mut longest = 0;
        for &mv in &position.legal_moves() {
            let next = position.after(mv);
            match self.lost_in(&next, proof)? {
                Some(None) => return Ok(HoldChoice::Safe(mv)),
                Some(Some(plies)) => {
                    longest = longest.max(plies + 1);
                    continue;
                }
                None => {}
            }
            let rank = if self.find(&next).is_some() {
                (3, 0)
            } else {
                let is_denied =
                    matches!(proof.table.get(&next, self.attacker), Some(ProofEntry::Denied(None)));
                let stand = self.stands.get(&stand(&next, self.attacker));
                (if is_denied { 2 } else { 1 }, stand.copied().unwrap_or(0))
            };
            if best.is_none_or(|(other, ..)| rank > other) {
                best = Some((rank, mv, next));
            }
        }
        Ok(best.map_or(HoldChoice::Lost(longest), |(_, mv, next)| HoldChoice::Into(mv, next)))
    }

    /// Marks a position as lost, and with it those that rely on it and have no other way.
    fn lose(&mut self, number: u32, plies: u32, proof: &mut Proof<'_>) -> Result<(), ProbeError> {
        let mut to_do = vec![(number, plies)];
        while let Some((number, plies)) = to_do.pop() {
            let node = &mut self.nodes[number as usize];
            if matches!(node.state, HoldState::Lost(_)) {
                continue;
            }
            node.state = HoldState::Lost(plies);
            *self.stands.entry(stand(&node.position, self.attacker)).or_default() -= LOSS;
            proof.table.put(&node.position, self.attacker, ProofEntry::Proved(plies), 1);
            let mut link = node.users;
            while link != NONE {
                let (user, next) = self.links[link as usize];
                link = next;
                let node = &self.nodes[user as usize];
                if matches!(node.state, HoldState::Lost(_)) {
                    continue;
                }
                if node.position.side_to_move() == self.attacker {
                    to_do.push((user, plies + 1));
                } else if node.choice == number {
                    self.has_changed = true;
                    if let Some(plies) = self.choose(user, proof)? {
                        to_do.push((user, plies));
                    }
                }
            }
        }
        Ok(())
    }

    /// Removes entries that nothing relies on any more since the defender has chosen again.
    fn sweep(&mut self, proof: &mut Proof<'_>) {
        self.entered = 0;
        self.has_changed = false;
        self.to_enter.clear();
        let mut is_seen = vec![false; self.nodes.len()];
        is_seen[0] = true;
        let mut to_do = vec![0];
        while let Some(number) = to_do.pop() {
            let node = &self.nodes[number];
            match node.state {
                HoldState::Lost(_) => continue,
                HoldState::New => {
                    self.to_enter.push(number as u32);
                    continue;
                }
                HoldState::Entered => {}
            }
            let mut see = |number: usize| {
                if !std::mem::replace(&mut is_seen[number], true) {
                    to_do.push(number);
                }
            };
            if node.position.side_to_move() == self.attacker {
                for &mv in &node.position.legal_moves() {
                    proof.nodes += 1;
                    if let Some(number) = self.find(&node.position.after(mv)) {
                        see(number);
                    }
                }
            } else if node.choice != NONE {
                see(node.choice as usize);
            }
        }
    }
}
