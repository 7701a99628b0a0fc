//! Whether one side can force a win: depth-first proof-number search.
//!
//! Each position carries two numbers: how many positions must at least still be resolved to prove
//! that the attacker wins it, and how many to deny it. The search always works on the position
//! that looks cheapest in both senses, and goes deeper into it until its numbers pass limits that
//! make another one look cheaper (df-pn, Nagai 2002). Where several successors must all be
//! resolved, the greatest number counts and the others with one each (weak proof numbers, Ueda
//! 2008), because with kings nearly everything transposes.
//!
//! A position is resolved without search when a side has no legal move or the databases know it.
//! One that has already occurred on the path counts as a failure of the attacker: a win never needs
//! a repetition. So *proofs hold for any path*, and conclusions use only them. A denial may depend
//! on the path; it is kept with the shallowest position that it depends on and only counts below
//! that, and even then it is just a hint, see `hold`.

use std::sync::atomic::{AtomicBool, Ordering};

use egdb::error::ProbeError;
use egdb::{Probe, Wld};
use movegen::{Color, MoveList, Position};

use super::table::{INFINITE, ProofEntry, ProofTable, condition};

/// Longest path in plies. Beyond it everything counts as not won.
const MAX_PATH: usize = 600;

/// The path depth of a denial that does not depend on the path.
const NOWHERE: usize = usize::MAX;

/// A successor of a position on the path.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub(super) position: Position,
    is_irreversible: bool,
    proof: u32,
    disproof: u32,
    /// For a proved one: plies to the end, `None` for a position of the databases.
    plies: Option<u32>,
    /// For a denied one: the depth of the shallowest position on the path that it depends on.
    rests_on: usize,
}

struct ProofFrame {
    position: Position,
    is_irreversible: bool,
    /// Where its successors begin in `children`.
    first: usize,
    /// The one that is being searched.
    chosen: usize,
    proof_limit: u32,
    disproof_limit: u32,
    nodes_before: u64,
}

/// The numbers of a position from those of its successors.
struct ProofSummary {
    proof: u32,
    disproof: u32,
    /// The cheapest successor, the second cheapest number, and how many are unresolved.
    best: usize,
    second: u32,
    open: u32,
}

/// A search for a forced win of one side; keeps the count of positions over several calls.
pub(super) struct Proof<'a> {
    pub(super) probe: &'a Probe,
    pub(super) table: &'a mut ProofTable,
    stop: &'a AtomicBool,
    max_pieces: u32,
    frames: Vec<ProofFrame>,
    children: Vec<Child>,
    /// Positions visited.
    pub(super) nodes: u64,
    /// Whether a proof ends in a position whose distance to the end the databases do not have.
    pub(super) lacks_distance: bool,
}

impl<'a> Proof<'a> {
    pub(super) fn new(
        probe: &'a Probe,
        table: &'a mut ProofTable,
        stop: &'a AtomicBool,
    ) -> Proof<'a> {
        Proof {
            max_pieces: probe.max_pieces().into(),
            probe,
            table,
            stop,
            frames: Vec::new(),
            children: Vec::new(),
            nodes: 0,
            lacks_distance: false,
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The value for the side to move, if it has no legal move or the databases tell by lookups
    /// and captures alone.
    pub(super) fn known(&self, position: &Position) -> Result<Option<Wld>, ProbeError> {
        if !position.has_legal_move() {
            return Ok(Some(Wld::Loss));
        }
        if position.piece_count() > self.max_pieces {
            return Ok(None);
        }
        if !position.has_capture(position.side_to_move()) {
            return self.probe.wld_quiet(position, false);
        }
        let mut best = Some(Wld::Loss);
        for &mv in &position.legal_moves() {
            match self.known(&position.after(mv))? {
                Some(Wld::Loss) => return Ok(Some(Wld::Win)),
                Some(Wld::Draw) => best = best.map(|_| Wld::Draw),
                Some(Wld::Win) => {}
                None => best = None,
            }
        }
        Ok(best)
    }

    /// Whether the attacker wins a position, if no search is needed.
    pub(super) fn is_known_win(
        &self,
        position: &Position,
        attacker: Color,
    ) -> Result<Option<bool>, ProbeError> {
        let attackers = if position.side_to_move() == attacker { Wld::Win } else { Wld::Loss };
        Ok(self.known(position)?.map(|value| value == attackers))
    }

    /// Searches this position, which is not resolved without search, until it is resolved, this
    /// many more positions have been visited, or the search is stopped. Results of earlier calls
    /// are used as far as the table still has them.
    pub(super) fn search(
        &mut self,
        position: &Position,
        attacker: Color,
        nodes: u64,
    ) -> Result<ProofEntry, ProbeError> {
        self.frames.clear();
        self.children.clear();
        let end = self.nodes.saturating_add(nodes);
        self.push(*position, true, attacker, (INFINITE, INFINITE))?;
        loop {
            let depth = self.frames.len() - 1;
            let frame = &self.frames[depth];
            let summary = self.summary(frame, attacker);
            let is_over = self.nodes >= end || self.is_stopped();
            if summary.proof < frame.proof_limit
                && summary.disproof < frame.disproof_limit
                && !is_over
            {
                let limits = child_limits(frame, &summary, attacker);
                let chosen = summary.best;
                self.frames[depth].chosen = chosen;
                let child = self.children[chosen];
                self.push(child.position, child.is_irreversible, attacker, limits)?;
                continue;
            }
            let resolved = self.resolve(&summary, attacker)?;
            let Some(frame) = self.frames.pop() else { return Ok(resolved.0) };
            self.table.put(&frame.position, attacker, resolved.0, self.nodes - frame.nodes_before);
            self.children.truncate(frame.first);
            let Some(parent) = self.frames.last() else { return Ok(resolved.0) };
            let child = &mut self.children[parent.chosen];
            (child.proof, child.disproof) = (summary.proof, summary.disproof);
            match resolved.0 {
                ProofEntry::Proved(plies) => child.plies = Some(plies),
                ProofEntry::Denied(_) => child.rests_on = resolved.1,
                ProofEntry::Open(..) => {}
            }
        }
    }

    /// Enters a position: lists its successors with what is known about them.
    fn push(
        &mut self,
        position: Position,
        is_irreversible: bool,
        attacker: Color,
        (proof_limit, disproof_limit): (u32, u32),
    ) -> Result<(), ProbeError> {
        let first = self.children.len();
        self.frames.push(ProofFrame {
            position,
            is_irreversible,
            first,
            chosen: first,
            proof_limit,
            disproof_limit,
            nodes_before: self.nodes,
        });
        let mut moves = MoveList::new();
        position.generate(&mut moves);
        for &mv in &moves {
            self.nodes += 1;
            let is_irreversible = position.is_irreversible(mv);
            let child = self.child(position.after(mv), is_irreversible, attacker)?;
            let settles =
                if position.side_to_move() == attacker { child.proof } else { child.disproof };
            self.children.push(child);
            if settles == 0 && child.rests_on == NOWHERE {
                // The others do not matter.
                self.children[first] = child;
                self.children.truncate(first + 1);
                break;
            }
        }
        Ok(())
    }

    fn child(
        &self,
        position: Position,
        is_irreversible: bool,
        attacker: Color,
    ) -> Result<Child, ProbeError> {
        let open = Child {
            position,
            is_irreversible,
            proof: 1,
            disproof: 1,
            plies: None,
            rests_on: NOWHERE,
        };
        let proved = Child { proof: 0, disproof: INFINITE, ..open };
        let denied = Child { proof: INFINITE, disproof: 0, ..open };
        if let Some(is_win) = self.is_known_win(&position, attacker)? {
            return Ok(if is_win { proved } else { denied });
        }
        if !is_irreversible && let Some(depth) = self.on_path(|p| *p == position) {
            return Ok(Child { rests_on: depth, ..denied });
        }
        match self.table.get(&position, attacker) {
            Some(ProofEntry::Proved(plies)) => return Ok(Child { plies: Some(plies), ..proved }),
            Some(ProofEntry::Denied(None)) => return Ok(denied),
            Some(ProofEntry::Denied(Some(bits))) if !is_irreversible => {
                if let Some(depth) = self.on_path(|p| condition(p) == bits) {
                    return Ok(Child { rests_on: depth, ..denied });
                }
            }
            Some(ProofEntry::Open(proof, disproof)) => {
                return Ok(Child { proof, disproof, ..open });
            }
            Some(ProofEntry::Denied(_)) | None => {}
        }
        if self.frames.len() >= MAX_PATH {
            return Ok(Child { rests_on: 0, ..denied });
        }
        // All replies must be resolved for one side, one is enough for the other.
        let replies = (position.count_legal_moves() as u32).max(1);
        Ok(if position.side_to_move() == attacker {
            Child { disproof: replies, ..open }
        } else {
            Child { proof: replies, ..open }
        })
    }

    /// The depth of the last position on the path that fits and can recur.
    fn on_path(&self, fits: impl Fn(&Position) -> bool) -> Option<usize> {
        for (depth, frame) in self.frames.iter().enumerate().rev() {
            if fits(&frame.position) {
                return Some(depth);
            }
            if frame.is_irreversible {
                return None;
            }
        }
        None
    }

    fn summary(&self, frame: &ProofFrame, attacker: Color) -> ProofSummary {
        let attacks = frame.position.side_to_move() == attacker;
        // The number whose minimum counts, and the one that all contribute to.
        let mut best = (u32::MAX, frame.first);
        let (mut second, mut greatest, mut open, mut is_impossible) = (INFINITE, 0, 0, false);
        for (i, child) in self.children.iter().enumerate().skip(frame.first) {
            let (one, all) =
                if attacks { (child.proof, child.disproof) } else { (child.disproof, child.proof) };
            if one < best.0 {
                second = best.0.min(INFINITE);
                best = (one, i);
            } else {
                second = second.min(one);
            }
            if all > 0 {
                open += 1;
                greatest = greatest.max(all);
                is_impossible |= all >= INFINITE;
            }
        }
        let one = best.0.min(INFINITE);
        let all = match open {
            0 => 0,
            _ if is_impossible => INFINITE,
            _ => (greatest + (open - 1)).min(INFINITE - 1),
        };
        let (proof, disproof) = if attacks { (one, all) } else { (all, one) };
        ProofSummary { proof, disproof, best: best.1, second, open }
    }

    /// The knowledge about the top position, and the path depth that a denial depends on.
    fn resolve(
        &mut self,
        summary: &ProofSummary,
        attacker: Color,
    ) -> Result<(ProofEntry, usize), ProbeError> {
        let depth = self.frames.len() - 1;
        let frame = &self.frames[depth];
        let first = frame.first;
        let attacks = frame.position.side_to_move() == attacker;
        if summary.proof == 0 {
            let mut plies = None;
            for i in first..self.children.len() {
                let child = self.children[i];
                if child.proof > 0 {
                    continue;
                }
                let child = match child.plies {
                    Some(plies) => plies,
                    None => self.distance(&child.position)?,
                };
                plies = Some(match plies {
                    Some(other) if attacks => child.min(other),
                    Some(other) => child.max(other),
                    None => child,
                });
            }
            return Ok((ProofEntry::Proved(plies.map_or(0, |plies| plies + 1)), NOWHERE));
        }
        if summary.disproof == 0 {
            let denied = self.children[first..].iter().filter(|c| c.disproof == 0);
            let rests_on = denied.map(|c| c.rests_on);
            let rests_on = if attacks { rests_on.min() } else { rests_on.max() };
            let rests_on = rests_on.filter(|&on| on < depth).unwrap_or(NOWHERE);
            let on = self.frames.get(rests_on).map(|f| condition(&f.position));
            return Ok((ProofEntry::Denied(on), rests_on));
        }
        Ok((ProofEntry::Open(summary.proof, summary.disproof), NOWHERE))
    }

    /// Plies to the end from a database position.
    pub(super) fn distance(&mut self, position: &Position) -> Result<u32, ProbeError> {
        if !position.has_legal_move() {
            return Ok(0);
        }
        let plies = self.probe.dtw(position)?;
        self.lacks_distance |= plies.is_none();
        Ok(plies.unwrap_or(0))
    }
}

/// The limits while the cheapest successor stays the one to work on. A quarter more than the second
/// cheapest, so that the search does not go to and fro.
fn child_limits(frame: &ProofFrame, summary: &ProofSummary, attacker: Color) -> (u32, u32) {
    let one = summary.second.saturating_add(1 + summary.second / 4).min(INFINITE);
    let others = summary.open.saturating_sub(1);
    let all = |limit: u32| if limit >= INFINITE { INFINITE } else { limit.saturating_sub(others) };
    if frame.position.side_to_move() == attacker {
        (one.min(frame.proof_limit), all(frame.disproof_limit))
    } else {
        (all(frame.proof_limit), one.min(frame.disproof_limit))
    }
}
