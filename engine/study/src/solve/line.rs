//! Lines of play from the databases, and remarkable moves in them.

use std::collections::HashSet;

use egdb::error::ProbeError;
use egdb::{Probe, Wld};
use movegen::{DrawReason, DrawRules, Game, Move, Position, Status};
use schemars::JsonSchema;
use serde::Serialize;

use meerslag_search::endgame::by_distance;
use meerslag_search::endgame::losing_moves;

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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinePly {
    /// The move.
    pub mv: Move,
    /// Whether it is a conversion.
    pub conversion: Option<Conversion>,
    /// Whether it leads from outside into the databases.
    pub enters_databases: bool,
    /// Plies to the end after it, if the databases have it.
    pub dtw: Option<u32>,
    /// After a conversion without `dtw`: distance to the next one, if the databases have it.
    pub mtc: Option<u32>,
}

/// A line of play from the solved position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolutionLine {
    /// How the moves were chosen.
    pub kind: SolvedLineKind,
    /// The moves.
    pub plies: Vec<LinePly>,
    /// Whether the last move leaves the opponent without a legal one.
    pub is_complete: bool,
}

impl SolutionLine {
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

/// Continues a decided position to its end, by distances to the end if the databases have them,
/// otherwise by distances to conversion. `None` without either; then no winning move is known to
/// come nearer to the win.
pub(super) fn decided(probe: &Probe, start: &Position) -> Result<Option<SolutionLine>, ProbeError> {
    let mut line =
        SolutionLine { kind: SolvedLineKind::Shortest, plies: Vec::new(), is_complete: false };
    let mut position = *start;
    loop {
        if !position.has_legal_move() {
            line.is_complete = true;
            break;
        }
        let next = match by_distance(probe, &position)? {
            Some((mv, plies)) => Some((mv, Some(plies))),
            None => {
                line.kind = SolvedLineKind::ByConversions;
                let found = probe.mtc_moves(&position)?;
                found.and_then(|(_, moves)| moves.first().map(|&mv| (mv, None)))
            }
        };
        let Some((mv, dtw)) = next else { break };
        if line.plies.len() == MAX_PLIES {
            break;
        }
        let conversion = Conversion::of(&position, mv);
        position = position.after(mv);
        let dtw = match dtw {
            None if conversion.is_some() => probe.dtw(&position)?,
            dtw => dtw,
        };
        let mtc = match dtw {
            None if conversion.is_some() => probe.mtc(&position)?,
            _ => None,
        };
        line.plies.push(LinePly { mv, conversion, enters_databases: false, dtw, mtc });
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
    let mut line =
        SolutionLine { kind: SolvedLineKind::UnderRules, plies: Vec::new(), is_complete: true };
    let mut asked = probe.under(rules, EFFORT);
    let (mut position, mut counters) = (*game.position(), *game.counters());
    while position.has_legal_move() {
        let mut best: Option<(Option<u32>, Move)> = None;
        let is_won = probe.wld(&position)? == Some(Wld::Win);
        for &mv in &position.legal_moves() {
            let next = position.after(mv);
            let after = counters.after(&position, mv, &next);
            let is_kept = match probe.wld(&next)? {
                Some(Wld::Loss) => asked.is_in_time(&next, Wld::Loss, &after)? == Some(true),
                Some(Wld::Win) => !is_won,
                _ => false,
            };
            let dtw = if is_kept { probe.dtw(&next)? } else { continue };
            if best.is_none_or(|(other, _)| if is_won { dtw < other } else { dtw > other }) {
                best = Some((dtw, mv));
            }
        }
        let Some((dtw, mv)) = best.filter(|_| line.plies.len() < MAX_PLIES) else {
            return Ok(None);
        };
        let conversion = Conversion::of(&position, mv);
        let next = position.after(mv);
        counters = counters.after(&position, mv, &next);
        position = next;
        line.plies.push(LinePly { mv, conversion, enters_databases: false, dtw, mtc: None });
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
    let mut line =
        SolutionLine { kind: SolvedLineKind::OneOfMany, plies: Vec::new(), is_complete: false };
    let mut position = *start;
    let mut seen = HashSet::from([position]);
    while line.plies.len() < plies {
        let mut best: Option<((bool, usize), Move)> = None;
        for &mv in &position.legal_moves() {
            let next = position.after(mv);
            if probe.wld(&next)? != Some(Wld::Draw) {
                continue;
            }
            let rank = (!seen.contains(&next), losing_moves(probe, &next)?);
            if best.is_none_or(|(other, _)| rank > other) {
                best = Some((rank, mv));
            }
        }
        let Some((_, mv)) = best else { break };
        let conversion = Conversion::of(&position, mv);
        position = position.after(mv);
        seen.insert(position);
        line.plies.push(LinePly { mv, conversion, enters_databases: false, dtw: None, mtc: None });
    }
    Ok(line)
}
