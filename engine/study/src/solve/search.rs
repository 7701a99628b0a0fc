//! Positions outside the databases: the two questions in turns, and the line of a proved win.

use std::sync::atomic::AtomicBool;

use egdb::error::ProbeError;
use egdb::{Probe, Wld};
use movegen::{Color, DrawCounters, Move, Position};

use super::equal::EqualMoves;
use super::hold::{HoldResult, Holding};
use super::line::{self, Conversion, LinePly, SolutionLine, SolvedLineKind};
use super::proof::Proof;
use super::table::{ProofEntry, ProofTable};
use super::tree;
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

/// Most memory of a set that holds, in bytes: the table has half of all, each of two sets a quarter.
const fn set_bytes(options: &SolveOptions) -> usize {
    (options.hash_mib << 20) / 4
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
    let sides = [mover, mover.opponent()];
    let mut questions = sides.map(|side| Question::new(root, side, set_bytes(options)));
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
    let won = match (own, others) {
        (ProofVerdict::Wins(plies), _) => Some((mover, plies)),
        (_, ProofVerdict::Wins(plies)) => Some((mover.opponent(), plies)),
        _ => None,
    };
    let line = match won {
        Some((winner, _)) => Some(proof_tree(&mut proof, root, winner, options)?),
        None => None,
    };
    Ok(Solution {
        value,
        category: None,
        source: (value != Value::Unknown).then_some(ValueSource::Search),
        dtw: None,
        mtc: None,
        within: won.map(|(_, plies)| within(&proof, plies)),
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
        let plies = m.dtw.or(m.within.map(Within::plies));
        let plies = i64::from(plies.unwrap_or(u32::MAX / 2));
        (m.value.order(), if m.value == Value::Loss { -plies } else { plies })
    });
    Ok(moves)
}

/// The line of a proof, with the variations that the options ask for. All of them may search as many
/// positions as the options allow for a solution.
fn proof_tree(
    proof: &mut Proof<'_>,
    root: &Position,
    attacker: Color,
    options: &SolveOptions,
) -> Result<SolutionLine, ProbeError> {
    let mut line = proof_line(proof, root, attacker, options)?;
    let start = (*root, DrawCounters::new(root));
    let end = proof.nodes.saturating_add(options.nodes);
    let probe = proof.probe;
    tree::grow(probe, &mut line, start, options.tree_moves, |(position, _)| {
        if proof.known(position)?.is_some() {
            return line::decided(probe, position);
        }
        let nodes = end.saturating_sub(proof.nodes);
        let line = proof_line(proof, position, attacker, &SolveOptions { nodes, ..*options })?;
        Ok((!line.plies.is_empty()).then_some(line))
    })?;
    Ok(line)
}

/// The winner's moves of the proof and the longest defence, then the line of the databases. Parts
/// that the table has lost are searched again, with at most the options' positions; without success
/// the line ends there.
fn proof_line(
    proof: &mut Proof<'_>,
    root: &Position,
    attacker: Color,
    options: &SolveOptions,
) -> Result<SolutionLine, ProbeError> {
    let searched = proof.nodes;
    let end = searched.saturating_add(options.nodes);
    let (kind, winner) = (SolvedLineKind::Proof, Some(attacker));
    let mut line = SolutionLine { kind, winner, plies: Vec::new(), is_complete: false };
    let mut position = *root;
    let mut before = Vec::new();
    let mut rest = None;
    while line.plies.len() < MAX_PLIES {
        let left = end.saturating_sub(proof.nodes);
        let Some((plies, mv)) = proved_move(proof, &position, attacker, left)? else { break };
        before.push((position, plies));
        let conversion = Conversion::of(&position, mv);
        position = position.after(mv);
        let enters_databases = proof.known(&position)?.is_some();
        let dtw = if enters_databases { proof.probe.dtw(&position)? } else { None };
        let ply = LinePly::new(mv, EqualMoves::default());
        line.plies.push(LinePly { conversion, enters_databases, dtw, ..ply });
        if enters_databases {
            rest = line::decided(proof.probe, &position)?;
            break;
        }
    }
    note_equal_moves(proof, &mut line, &before, searched.min(options.nodes), options)?;
    if let Some(rest) = rest {
        line.plies.extend(rest.plies);
        line.is_complete = rest.is_complete;
    }
    Ok(line)
}

/// Positions that may be searched in any case to settle the other moves of a line.
const LEAST_FOR_OTHERS: u64 = 1 << 18;

/// Notes the moves that are as good as those of a proved line, with the positions before them and the
/// plies to the end after them. The winner's other moves are searched, with about as many positions
/// as the proof took.
fn note_equal_moves(
    proof: &mut Proof<'_>,
    line: &mut SolutionLine,
    before: &[(Position, u32)],
    searched: u64,
    options: &SolveOptions,
) -> Result<(), ProbeError> {
    let Some(attacker) = line.winner else { return Ok(()) };
    let mut of_plies = Vec::new();
    let mut open = 0;
    for ((position, plies), ply) in before.iter().zip(&line.plies) {
        let attacks = position.side_to_move() == attacker;
        let value = if attacks { Value::Win } else { Value::Loss };
        let mut moves = moves(proof, position, value, ProofVerdict::Open)?;
        let played = moves.iter_mut().find(|m| m.mv == ply.mv);
        if let Some(played) = played {
            (played.value, played.dtw) = (value, Some(plies + 1));
        }
        open += moves.iter().filter(|m| m.value != value && m.value.may_be(value)).count() as u64;
        of_plies.push((value, moves));
    }
    let end = proof.nodes + searched.max(LEAST_FOR_OTHERS).min(options.nodes);
    for ((position, plies), (value, moves)) in before.iter().zip(&mut of_plies) {
        for m in moves.iter_mut().filter(|m| m.value != *value && m.value.may_be(*value)) {
            let next = position.after(m.mv);
            let mut question = Question::new(&next, attacker, set_bytes(options));
            let limit = proof.nodes + end.saturating_sub(proof.nodes) / open.max(1);
            open -= 1;
            let mut turn = FIRST_TURN;
            while question.verdict == ProofVerdict::Open
                && proof.nodes < limit
                && !proof.is_stopped()
            {
                question.ask(proof, &next, turn.min(limit - proof.nodes))?;
                turn = turn.saturating_mul(2);
            }
            match question.verdict {
                ProofVerdict::Wins(plies) => {
                    (m.value, m.dtw) = (Value::Win, Some(plies + 1));
                }
                ProofVerdict::Held(_) => m.value = Value::AtMostDraw,
                ProofVerdict::Open | ProofVerdict::GivenUp => {}
            }
        }
        // Lengths of proofs are limits: nothing is known to be better than the move of the line.
        for m in moves {
            let length = m.dtw.or(m.within.map(Within::plies)).unwrap_or(1);
            m.dtw = Some(match value {
                Value::Win => length.max(plies + 1),
                _ => length.min(plies + 1),
            });
        }
    }
    for (ply, (value, moves)) in line.plies.iter_mut().zip(&of_plies) {
        ply.equal = EqualMoves::new(*value, moves);
    }
    Ok(())
}

/// The best move of a proof, and the plies to the end after it.
fn proved_move(
    proof: &mut Proof<'_>,
    position: &Position,
    attacker: Color,
    nodes: u64,
) -> Result<Option<(u32, Move)>, ProbeError> {
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
        if best.is_some() && (attacks || !is_lost || is_again) {
            return Ok(best);
        }
        if attacks && !is_again {
            proof.search(position, attacker, nodes)?;
        }
    }
    Ok(None)
}
