//! Positions outside the databases: the two questions in turns, and the line of a proved win.

use std::sync::atomic::AtomicBool;

use egdb::error::ProbeError;
use egdb::{Probe, Wld};
use movegen::{Color, Move, Position};

use super::hold::{HoldResult, Holding};
use super::line::{self, Conversion, LinePly, SolutionLine, SolvedLineKind};
use super::proof::Proof;
use super::table::{ProofEntry, ProofTable};
use super::{Limit, MoveValue, Solution, SolveOptions, Value, ValueSource, Within};

/// Positions of the first turn of each question.
const FIRST_TURN: u64 = 1 << 15;

/// Most plies of a proved line before the databases.
const MAX_PLIES: usize = 1000;

/// Whether one side wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ProofVerdict {
    Open,
    /// Given up, because memory is too small.
    GivenUp,
    Wins(u32),
    /// The other side holds, with this move if it is to move.
    Held(Option<Move>),
}

/// Whether this side wins, from both ends: by a proof, and by a set where the other side holds.
struct Question {
    attacker: Color,
    verdict: ProofVerdict,
    holding: Holding,
    /// Both end: a denied win needs no more proof search, and a set that is too large does not
    /// grow.
    is_denied: bool,
    is_too_large: bool,
}

impl Question {
    fn new(root: &Position, attacker: Color, bytes: usize) -> Question {
        Question {
            attacker,
            verdict: ProofVerdict::Open,
            holding: Holding::new(root, attacker, bytes),
            is_denied: false,
            is_too_large: false,
        }
    }

    /// Searches this many more positions.
    fn ask(
        &mut self,
        proof: &mut Proof<'_>,
        root: &Position,
        nodes: u64,
    ) -> Result<(), ProbeError> {
        let end = proof.nodes.saturating_add(nodes);
        if !self.is_denied {
            let share = if self.is_too_large { nodes } else { nodes / 2 };
            match proof.search(root, self.attacker, share)? {
                ProofEntry::Proved(plies) => {
                    self.verdict = ProofVerdict::Wins(plies);
                    return Ok(());
                }
                ProofEntry::Denied(_) => self.is_denied = true,
                ProofEntry::Open(..) => {}
            }
        }
        if !self.is_too_large {
            match self.holding.grow(proof, end.saturating_sub(proof.nodes))? {
                HoldResult::Holds(mv) => self.verdict = ProofVerdict::Held(mv),
                HoldResult::Wins(plies) => self.verdict = ProofVerdict::Wins(plies),
                HoldResult::Undecided => {}
                HoldResult::TooLarge => self.is_too_large = true,
            }
        }
        if self.verdict == ProofVerdict::Open && self.is_denied && self.is_too_large {
            self.verdict = ProofVerdict::GivenUp;
        }
        Ok(())
    }
}

pub(super) fn solve(
    probe: &Probe,
    table: &mut ProofTable,
    options: &SolveOptions,
    root: &Position,
    stop: &AtomicBool,
) -> Result<Solution, ProbeError> {
    let mut proof = Proof::new(probe, table, stop);
    let mover = root.side_to_move();
    // The table has half of the memory, each set a quarter.
    let bytes = (options.hash_mib << 20) / 4;
    let mut questions = [mover, mover.opponent()].map(|side| Question::new(root, side, bytes));
    let mut turn = FIRST_TURN;
    while proof.nodes < options.nodes
        && !proof.is_stopped()
        && questions.iter().any(|q| q.verdict == ProofVerdict::Open)
        && !questions.iter().any(|q| matches!(q.verdict, ProofVerdict::Wins(_)))
    {
        for question in questions.iter_mut().filter(|q| q.verdict == ProofVerdict::Open) {
            let nodes = turn.min(options.nodes.saturating_sub(proof.nodes));
            if nodes > 0 {
                question.ask(&mut proof, root, nodes)?;
            }
            if matches!(question.verdict, ProofVerdict::Wins(_)) {
                break;
            }
        }
        turn = turn.saturating_mul(2);
    }
    let is_full = questions
        .iter()
        .any(|q| q.is_too_large && matches!(q.verdict, ProofVerdict::Open | ProofVerdict::GivenUp));
    let [own, others] = questions.map(|q| q.verdict);
    let value = match (own, others) {
        (ProofVerdict::Wins(_), _) => Value::Win,
        (_, ProofVerdict::Wins(_)) => Value::Loss,
        (ProofVerdict::Held(_), ProofVerdict::Held(_)) => Value::Draw,
        (_, ProofVerdict::Held(_)) => Value::AtLeastDraw,
        (ProofVerdict::Held(_), _) => Value::AtMostDraw,
        _ => Value::Unknown,
    };
    let limit = match value.is_exact() {
        true => None,
        false if proof.is_stopped() => Some(Limit::Stop),
        false if is_full => Some(Limit::Memory),
        false => Some(Limit::Nodes),
    };
    let moves = moves(&mut proof, root, value, others)?;
    let nodes = proof.nodes;
    let (line, plies) = match (own, others) {
        (ProofVerdict::Wins(plies), _) => {
            (Some(proof_line(&mut proof, root, mover, options.nodes)?), Some(plies))
        }
        (_, ProofVerdict::Wins(plies)) => {
            (Some(proof_line(&mut proof, root, mover.opponent(), options.nodes)?), Some(plies))
        }
        _ => (None, None),
    };
    Ok(Solution {
        value,
        category: None,
        source: (value != Value::Unknown).then_some(ValueSource::Search),
        dtw: None,
        mtc: None,
        within: plies.map(|plies| within(&proof, plies)),
        moves,
        line,
        nodes,
        limit,
    })
}

fn within(proof: &Proof<'_>, plies: u32) -> Within {
    if proof.lacks_distance { Within::Databases(plies) } else { Within::End(plies) }
}

/// The searches' results for each move.
fn moves(
    proof: &mut Proof<'_>,
    root: &Position,
    value: Value,
    others: ProofVerdict,
) -> Result<Vec<MoveValue>, ProbeError> {
    let mover = root.side_to_move();
    let (_, most) = value.bounds();
    let mut moves = Vec::new();
    for &mv in &root.legal_moves() {
        let next = root.after(mv);
        if let Some(known) = proof.known(&next)? {
            let plies = proof.probe.dtw(&next)?.map(|n| n + 1);
            let value = Value::from(known.opponent());
            moves.push(MoveValue { mv, value, dtw: plies, mtc: None, within: None });
            continue;
        }
        let proved = |attacker| match proof.table.get(&next, attacker) {
            Some(ProofEntry::Proved(plies)) => Some(plies + 1),
            _ => None,
        };
        let (wins, loses) = (proved(mover), proved(mover.opponent()));
        let value = if wins.is_some() {
            Value::Win
        } else if loses.is_some() || most == Wld::Loss {
            Value::Loss
        } else {
            let holds = matches!(others, ProofVerdict::Held(Some(holding)) if holding == mv);
            Value::between(if holds { Wld::Draw } else { Wld::Loss }, most)
        };
        let within = wins.or(loses).map(|plies| within(proof, plies));
        moves.push(MoveValue { mv, value, dtw: None, mtc: None, within });
    }
    moves.sort_by_key(|m| {
        let plies = m.dtw.or(m.within.map(|w| match w {
            Within::End(n) | Within::Databases(n) => n,
        }));
        let plies = i64::from(plies.unwrap_or(u32::MAX / 2));
        (m.value.order(), if m.value == Value::Loss { -plies } else { plies })
    });
    Ok(moves)
}

/// The winner's moves of the proof and the longest defence, then the line of the databases. Parts
/// that the table has lost are searched again, with at most this many positions; without success
/// the line ends there.
fn proof_line(
    proof: &mut Proof<'_>,
    root: &Position,
    attacker: Color,
    nodes: u64,
) -> Result<SolutionLine, ProbeError> {
    let end = proof.nodes.saturating_add(nodes);
    let mut line =
        SolutionLine { kind: SolvedLineKind::Proof, plies: Vec::new(), is_complete: false };
    let mut position = *root;
    while line.plies.len() < MAX_PLIES {
        let left = end.saturating_sub(proof.nodes);
        let Some(mv) = proved_move(proof, &position, attacker, left)? else { break };
        let conversion = Conversion::of(&position, mv);
        position = position.after(mv);
        let enters_databases = proof.known(&position)?.is_some();
        let dtw = if enters_databases { proof.probe.dtw(&position)? } else { None };
        line.plies.push(LinePly { mv, conversion, enters_databases, dtw, mtc: None });
        if enters_databases {
            if let Some(rest) = line::decided(proof.probe, &position)? {
                line.plies.extend(rest.plies);
                line.is_complete = rest.is_complete;
            }
            break;
        }
    }
    Ok(line)
}

fn proved_move(
    proof: &mut Proof<'_>,
    position: &Position,
    attacker: Color,
    nodes: u64,
) -> Result<Option<Move>, ProbeError> {
    let attacks = position.side_to_move() == attacker;
    for is_again in [false, true] {
        let mut best: Option<(u32, Move)> = None;
        let mut is_lost = false;
        for &mv in &position.legal_moves() {
            let next = position.after(mv);
            let plies = match proof.is_known_win(&next, attacker)? {
                Some(true) => Some(proof.distance(&next)?),
                Some(false) => None,
                None => match proof.table.get(&next, attacker) {
                    Some(ProofEntry::Proved(plies)) => Some(plies),
                    // All replies to a proved win lose.
                    _ if !attacks && is_again => match proof.search(&next, attacker, nodes)? {
                        ProofEntry::Proved(plies) => Some(plies),
                        _ => None,
                    },
                    _ => None,
                },
            };
            is_lost |= plies.is_none();
            let Some(plies) = plies else { continue };
            let is_better = |other: u32| if attacks { plies < other } else { plies > other };
            if best.is_none_or(|(other, _)| is_better(other)) {
                best = Some((plies, mv));
            }
        }
        if let Some((_, mv)) = best
            && (attacks || !is_lost || is_again)
        {
            return Ok(Some(mv));
        }
        if attacks && !is_again {
            proof.search(position, attacker, nodes)?;
        }
    }
    Ok(None)
}
