//! Lines of play from the databases, and remarkable moves in them.

use std::collections::HashSet;

use egdb::error::ProbeError;
use egdb::{Probe, Wld};
use movegen::{Color, DrawReason, DrawRules, Game, Move, Position, Status};
use schemars::JsonSchema;
use serde::Serialize;

use meerslag_search::endgame::losing_moves;

use super::equal::EqualMoves;
use super::{MoveValue, Value};

/// Most plies of a line. The longest known database wins are far below.
const MAX_PLIES: usize = 2000;

/// How the moves of a line were chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SolvedLineKind {
    /// Shortest win and longest defence, by distances to the end.
    Shortest,
    /// The shortest win of those that come before a draw by counting moves, and the longest defence.
    UnderRules,
    /// From conversion to conversion: each as soon as can be forced, each delayed as long as
    /// possible. It wins for certain, but perhaps not in the shortest way.
    ByConversions,
    /// A proved win against the longest defence; then the databases.
    Proof,
    /// A draw: one of many lines where neither side gives it away.
    OneOfMany,
}

/// The kind of conversion, which can never be taken back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conversion {
    /// A capture, after which this many pieces are left.
    Capture(u32),
    /// A man becomes a king.
    Promotion,
    /// Any other move of a man.
    ManMove,
}

impl Conversion {
    /// The kind of conversion of a move, if it is one.
    #[must_use]
    pub fn of(position: &Position, mv: Move) -> Option<Conversion> {
        if mv.is_capture() {
            Some(Conversion::Capture(position.after(mv).piece_count()))
        } else if !position.is_irreversible(mv) {
            None
        } else if position.is_promotion(mv) {
            Some(Conversion::Promotion)
        } else {
            Some(Conversion::ManMove)
        }
    }
}

/// A move of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinePly {
    /// The move.
    pub mv: Move,
    /// The moves that are as good, itself among them.
    pub equal: EqualMoves,
    /// Whether it is a conversion.
    pub conversion: Option<Conversion>,
    /// Whether it leads from outside into the databases.
    pub enters_databases: bool,
    /// Plies to the end after it, if the databases have it.
    pub dtw: Option<u32>,
    /// After a conversion without `dtw`: distance to the next one, if the databases have it.
    pub mtc: Option<u32>,
    /// If [`SolveOptions::tree_moves`](super::SolveOptions) asks for them: other moves in its place, defences
    /// with the play that refutes them.
    pub variations: Vec<SolutionVariation>,
    /// As good moves that have no variation, because the tree has as many moves as it may.
    pub left_out: usize,
}

impl LinePly {
    /// A move with those that are as good.
    pub(super) const fn new(mv: Move, equal: EqualMoves) -> LinePly {
        LinePly {
            mv,
            equal,
            conversion: None,
            enters_databases: false,
            dtw: None,
            mtc: None,
            variations: Vec::new(),
            left_out: 0,
        }
    }
}

/// Another line of play, in the place of a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolutionVariation {
    /// Its moves, the one that takes the place first.
    pub plies: Vec<LinePly>,
    /// Why it ends.
    pub end: VariationEnd,
}

/// Why a variation ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariationEnd {
    /// The game is over.
    Over,
    /// It is one other move that wins.
    Dual,
    /// The position stands elsewhere in the tree, where the play goes on.
    Elsewhere,
    /// The tree has as many moves as it may.
    Cut,
    /// No more is known.
    Unknown,
}

/// A line of play from the solved position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolutionLine {
    /// How the moves were chosen.
    pub kind: SolvedLineKind,
    /// Who wins; `None` for a draw.
    pub winner: Option<Color>,
    /// The moves.
    pub plies: Vec<LinePly>,
    /// Whether the last move leaves the opponent without a legal one.
    pub is_complete: bool,
}

impl SolutionLine {
    /// The winner's moves with their places in the line, from 0, where this side moves first.
    pub fn winning_plies(&self, first: Color) -> impl Iterator<Item = (usize, &LinePly)> {
        let skip = self.winner.map_or(usize::MAX, |winner| usize::from(winner != first));
        self.plies.iter().enumerate().skip(skip).step_by(2)
    }

    /// Whether the winner has no other winning move anywhere in the line, in which this side moves
    /// first: what composers ask of a solution. `None` for a draw, or if it is not known.
    #[must_use]
    pub fn is_unique(&self, first: Color) -> Option<bool> {
        self.winner?;
        let mut is_known = self.is_complete;
        for (_, LinePly { equal, .. }) in self.winning_plies(first) {
            if equal.keep_value.len() > 1 {
                return Some(false);
            }
            is_known &= equal.unsettled.is_empty();
        }
        is_known.then_some(true)
    }

    /// After how many plies the draw rules would end this line before its win, and which. `game`
    /// gives the start position with its draw counters.
    ///
    /// # Panics
    /// Never for a line that was found from `game`'s position.
    #[must_use]
    pub fn draw_by_rule(&self, game: &Game, rules: DrawRules) -> Option<(usize, DrawReason)> {
        let mut game = Game::with_counters(*game.position(), *game.counters());
        for ply in 0..=self.plies.len() {
            match game.status(rules) {
                Status::Draw(reason) => return Some((ply, reason)),
                Status::Win(..) => return None,
                Status::Ongoing => {}
            }
            let next = self.plies.get(ply)?;
            game.play(next.mv).ok()?;
        }
        None
    }
}

/// The moves of a won or lost position that are as good as its best; the first of those that keep to the
/// distance, and plies to the end after it.
fn equally_good(
    probe: &Probe,
    position: &Position,
    mut value_of: impl FnMut(Move, &Position) -> Result<Option<Wld>, ProbeError>,
    value: Wld,
) -> Result<(EqualMoves, Option<(Move, u32)>), ProbeError> {
    let mut moves = Vec::new();
    let has_distance = probe.dtw_of(position, value)?.is_some();
    for &mv in &position.legal_moves() {
        let next = position.after(mv);
        let after = value_of(mv, &next)?;
        let dtw = match after.filter(|_| has_distance) {
            Some(after) if after == value.opponent() => probe.dtw_of(&next, after)?,
            _ => None,
        };
        let value = after.map_or(Value::Unknown, |after| after.opponent().into());
        moves.push(MoveValue { mv, value, dtw: dtw.map(|n| n + 1), mtc: None, within: None });
    }
    let equal = EqualMoves::new(value.into(), &moves);
    let best = moves.iter().find(|m| equal.keep_distance.contains(&m.mv));
    let best = best.and_then(|m| Some((m.mv, m.dtw? - 1)));
    Ok((equal, best))
}

/// Continues a decided position to its end, by distances to the end if the databases have them,
/// otherwise by distances to conversion. `None` without either; then no winning move is known to
/// come nearer to the win.
pub(super) fn decided(probe: &Probe, start: &Position) -> Result<Option<SolutionLine>, ProbeError> {
    let Some(mut value @ (Wld::Win | Wld::Loss)) = probe.wld(start)? else { return Ok(None) };
    let side = start.side_to_move();
    let mut line = SolutionLine {
        kind: SolvedLineKind::Shortest,
        winner: Some(if value == Wld::Win { side } else { side.opponent() }),
        plies: Vec::new(),
        is_complete: false,
    };
    let mut position = *start;
    loop {
        if !position.has_legal_move() {
            line.is_complete = true;
            break;
        }
        let (mut equal, best) = equally_good(probe, &position, |_, next| probe.wld(next), value)?;
        let (mv, mut dtw) = match best {
            Some((mv, plies)) => (mv, Some(plies)),
            None => {
                line.kind = SolvedLineKind::ByConversions;
                let found = probe.mtc_moves(&position)?;
                equal.keep_distance = found.map(|(_, moves)| moves).unwrap_or_default();
                let Some(&mv) = equal.keep_distance.first() else { break };
                equal.keep_distance.sort_unstable();
                (mv, None)
            }
        };
        if line.plies.len() == MAX_PLIES {
            break;
        }
        let conversion = Conversion::of(&position, mv);
        position = position.after(mv);
        value = value.opponent();
        let mut mtc = None;
        if dtw.is_none() && conversion.is_some() {
            dtw = probe.dtw(&position)?;
            mtc = if dtw.is_none() { probe.mtc(&position)? } else { None };
        }
        line.plies.push(LinePly { conversion, dtw, mtc, ..LinePly::new(mv, equal) });
    }
    Ok((!line.plies.is_empty() || line.is_complete).then_some(line))
}

/// Positions searched for all moves of a line under the rules.
const EFFORT: u32 = 1_000_000;

/// Continues a game that is decided under the rules to its end: the winner takes the shortest win of
/// those that come in time, the loser the longest defence. `None` if that is not known.
pub(super) fn under_rules(
    probe: &Probe,
    game: &Game,
    rules: DrawRules,
) -> Result<Option<SolutionLine>, ProbeError> {
    let (mut position, mut counters) = (*game.position(), *game.counters());
    let Some(mut value @ (Wld::Win | Wld::Loss)) = probe.wld(&position)? else { return Ok(None) };
    let side = position.side_to_move();
    let mut line = SolutionLine {
        kind: SolvedLineKind::UnderRules,
        winner: Some(if value == Wld::Win { side } else { side.opponent() }),
        plies: Vec::new(),
        is_complete: true,
    };
    let mut asked = probe.under(rules, EFFORT);
    while position.has_legal_move() {
        let in_time = |mv: Move, next: &Position| {
            let known = probe.wld(next)?;
            if known != Some(Wld::Loss) {
                return Ok(known);
            }
            let after = counters.after(&position, mv, next);
            let is_in_time = asked.is_in_time(next, Wld::Loss, &after)?;
            Ok(is_in_time.map(|is_in_time| if is_in_time { Wld::Loss } else { Wld::Draw }))
        };
        let (equal, best) = equally_good(probe, &position, in_time, value)?;
        let dtw = best.map(|(_, plies)| plies);
        let best = best.map(|(mv, _)| mv).or(equal.keep_value.first().copied());
        let Some(mv) = best.filter(|_| line.plies.len() < MAX_PLIES) else { return Ok(None) };
        let conversion = Conversion::of(&position, mv);
        let next = position.after(mv);
        counters = counters.after(&position, mv, &next);
        position = next;
        value = value.opponent();
        line.plies.push(LinePly { conversion, dtw, ..LinePly::new(mv, equal) });
    }
    Ok(Some(line))
}

/// Plays on from a drawn position: each side keeps the draw, by the move with the most losing
/// replies, and avoids positions that occurred before.
pub(super) fn drawn(
    probe: &Probe,
    start: &Position,
    plies: usize,
) -> Result<SolutionLine, ProbeError> {
    let mut line = SolutionLine {
        kind: SolvedLineKind::OneOfMany,
        winner: None,
        plies: Vec::new(),
        is_complete: false,
    };
    let mut position = *start;
    let mut seen = HashSet::from([position]);
    while line.plies.len() < plies {
        let (mut best, mut equal) = (None, EqualMoves::default());
        for &mv in &position.legal_moves() {
            let next = position.after(mv);
            if probe.wld(&next)? != Some(Wld::Draw) {
                continue;
            }
            equal.keep_value.push(mv);
            let rank = (!seen.contains(&next), losing_moves(probe, &next)?);
            if best.is_none_or(|(other, _)| rank > other) {
                best = Some((rank, mv));
            }
        }
        let Some((_, mv)) = best else { break };
        equal.keep_value.sort_unstable();
        let conversion = Conversion::of(&position, mv);
        position = position.after(mv);
        seen.insert(position);
        line.plies.push(LinePly { conversion, ..LinePly::new(mv, equal) });
    }
    Ok(line)
}
