//! Whether a side can hold a position, that is, at least draw.
//!
//! A denied win is no proof: the denial may come from a repetition that exists only on the path
//! where it was found. So it is checked, by a set of positions that vouch for each other: the
//! root is in it; where the attacker is to move, all his moves lead into the set or to database
//! positions that he does not win; where the defender is, one move does. Whoever stays inside
//! never loses, whatever the table said on the way. The table only suggests the defender's moves.
//! Where it suggests wrong ones, the search is asked again from there, and the set is begun anew
//! with what has been learnt.

use std::collections::HashSet;

use egdb::error::ProbeError;
use movegen::{Color, Move, Position};

use super::proof::Proof;
use super::table::{Known, Table};

/// How an attempt ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hold {
    /// The defender holds, with this move if he is to move.
    Holds(Option<Move>),
    /// The attacker wins after all; the table has the proof.
    Wins,
    /// Not within the number of positions.
    Undecided,
    /// No larger number of positions would help: the set does not fit into memory.
    TooLarge,
}

/// What the attempt from a set that was begun anew says.
enum Round {
    Done(Hold),
    /// Something that the table suggested was wrong; it knows better now.
    Again,
}

/// Tries to show that the attacker cannot win, looking at this many positions at most.
pub(super) fn hold(
    proof: &mut Proof<'_>,
    root: &Position,
    attacker: Color,
    nodes: u64,
) -> Result<Hold, ProbeError> {
    let end = proof.nodes.saturating_add(nodes);
    loop {
        if let Round::Done(result) = round(proof, root, attacker, end)? {
            return Ok(result);
        }
    }
}

fn round(
    proof: &mut Proof<'_>,
    root: &Position,
    attacker: Color,
    end: u64,
) -> Result<Round, ProbeError> {
    let most = set_limit(proof.table);
    let mut set = HashSet::from([*root]);
    let mut to_do = vec![*root];
    let mut first_move = None;
    while let Some(position) = to_do.pop() {
        if proof.nodes >= end || proof.is_stopped() {
            return Ok(Round::Done(Hold::Undecided));
        }
        if set.len() > most {
            return Ok(Round::Done(Hold::TooLarge));
        }
        if position.side_to_move() == attacker {
            for &mv in &position.legal_moves() {
                proof.nodes += 1;
                let next = position.after(mv);
                let is_win = match proof.is_known_win(&next, attacker)? {
                    Some(false) => continue,
                    Some(true) => true,
                    None => matches!(proof.table.get(&next, attacker), Some(Known::Proved(_))),
                };
                if is_win {
                    return ask(proof, &position, root, attacker, end);
                }
                if set.insert(next) {
                    to_do.push(next);
                }
            }
        } else {
            match choose(proof, &position, attacker, &set)? {
                None => return ask(proof, &position, root, attacker, end),
                Some((mv, next)) => {
                    if position == *root {
                        first_move = Some(mv);
                    }
                    if let Some(next) = next
                        && set.insert(next)
                    {
                        to_do.push(next);
                    }
                }
            }
        }
    }
    Ok(Round::Done(Hold::Holds(first_move)))
}

/// Bytes of the set are not to exceed those of the table by much.
fn set_limit(table: &Table) -> usize {
    table.capacity() / 2
}

/// The defender's most promising move, and where it leads if that must vouch for itself: a
/// position of the set, or one that the search denies the attacker.
fn choose(
    proof: &mut Proof<'_>,
    position: &Position,
    attacker: Color,
    set: &HashSet<Position>,
) -> Result<Option<(Move, Option<Position>)>, ProbeError> {
    let mut best: Option<(u8, Move, Option<Position>)> = None;
    for &mv in &position.legal_moves() {
        proof.nodes += 1;
        let next = position.after(mv);
        let (rank, next) = match proof.is_known_win(&next, attacker)? {
            Some(false) => (3, None),
            Some(true) => continue,
            None => match proof.table.get(&next, attacker) {
                Some(Known::Proved(_)) => continue,
                _ if set.contains(&next) => (2, Some(next)),
                Some(Known::Denied(None)) => (1, Some(next)),
                Some(Known::Denied(Some(_))) => (0, Some(next)),
                Some(Known::Open(..)) | None => continue,
            },
        };
        if best.is_none_or(|(r, ..)| rank > r) {
            best = Some((rank, mv, next));
        }
    }
    Ok(best.map(|(_, mv, next)| (mv, next)))
}

/// Searches a position about which the table was wrong or silent.
fn ask(
    proof: &mut Proof<'_>,
    position: &Position,
    root: &Position,
    attacker: Color,
    end: u64,
) -> Result<Round, ProbeError> {
    let left = end.saturating_sub(proof.nodes);
    Ok(match proof.search(position, attacker, left)? {
        Known::Proved(_) if position == root => Round::Done(Hold::Wins),
        Known::Proved(_) | Known::Denied(_) => Round::Again,
        Known::Open(..) => Round::Done(Hold::Undecided),
    })
}
