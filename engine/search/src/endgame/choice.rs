//! The databases' values of the moves of the searched position.
//!
//! * Won: only moves that win. By distance to win if known, else by distance to conversion (any
//!   winning conversion is progress, as material and men never come back; of several the one with
//!   the shorter way in its new slice); without distances a search among them.
//! * Lost: moves that let a draw rule end the game, else those that take longest.
//! * Drawn: only moves that draw; of these the ones with the most losing replies.
//!
//! A win counts only if it comes before the draw rules end the game, see [`Probe::under`].

use std::cmp::Reverse;

use egdb::error::ProbeError;
use egdb::{Probe, Wld};
use movegen::draw::MaterialClass;
use movegen::{DrawCounters, DrawRules, Game, Move, Position};

use super::traps::losing_moves;
use movegen::Score;

/// How to choose a move if the value is known.
#[derive(Debug)]
pub(crate) enum Choice {
    /// Distances settle it: all legal moves, the best first.
    Rated(Vec<RatedMove>),
    /// The best of these moves, all of the position's own value, must be found by search.
    Search {
        /// At least one.
        moves: Vec<Move>,
        /// For the side to move.
        value: Wld,
        /// The moves that give the value away, the least bad first.
        worse: Vec<RatedMove>,
    },
}

/// A move with its value to the side that makes it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct RatedMove {
    pub(crate) mv: Move,
    pub(crate) score: Score,
}

/// A move with the value it leads to.
struct Candidate {
    mv: Move,
    next: Position,
    /// For the side that makes the move.
    value: Wld,
    /// Whether a win or loss is not drawn by counting moves, as far as known.
    is_in_time: Option<bool>,
    /// How often the position after it has occurred.
    earlier: usize,
    /// A draw rule ends the game after it.
    is_drawn: bool,
}

/// The databases' answer about the current position; `None` if they do not know it. `lines` is the
/// number of moves to show.
///
/// An unreadable file counts as missing: a game must continue.
pub(crate) fn choose(game: &Game, probe: &Probe, rules: DrawRules, lines: usize) -> Option<Choice> {
    if !probe.reaches(game.position()) {
        return None;
    }
    try_choose(game, probe, rules, lines).ok().flatten()
}

/// Whether [`choose`] has an answer about the position.
pub(crate) fn knows(position: &Position, probe: &Probe) -> bool {
    let is_known = |position: &Position| matches!(probe.wld(position), Ok(Some(_)));
    probe.reaches(position)
        && is_known(position)
        && position.legal_moves().iter().all(|&mv| is_known(&position.after(mv)))
}

/// The moves that keep the value of the position by the databases; `None` if these are all moves.
/// For positions that have more pieces than the databases, where captures lead into them: after a
/// capture the draw rules leave room for every win.
pub(crate) fn keeping(position: &Position, probe: &Probe) -> Option<Vec<Move>> {
    let legal = position.legal_moves();
    let value = |&mv: &Move| {
        let next = position.after(mv);
        let value = probe.reaches(&next).then(|| probe.wld(&next).ok().flatten()).flatten();
        (mv, value.map(Wld::opponent))
    };
    let values: Vec<(Move, Option<Wld>)> = legal.iter().map(value).collect();
    let has = |wanted: Wld| values.iter().any(|&(_, value)| value == Some(wanted));
    let is_complete = values.iter().all(|(_, value)| value.is_some());
    let keeps = |value: Option<Wld>| match value {
        _ if has(Wld::Win) => value == Some(Wld::Win),
        _ if is_complete && has(Wld::Draw) => value == Some(Wld::Draw),
        _ => value != Some(Wld::Loss),
    };
    let kept = values.iter().filter(|&&(_, value)| keeps(value)).map(|&(mv, _)| mv);
    let kept: Vec<Move> = kept.collect();
    (!kept.is_empty() && kept.len() < legal.len()).then_some(kept)
}

fn try_choose(
    game: &Game,
    probe: &Probe,
    rules: DrawRules,
    lines: usize,
) -> Result<Option<Choice>, ProbeError> {
    let position = game.position();
    let Some(value) = probe.wld(position)? else { return Ok(None) };
    let mut candidates = Vec::new();
    let mut under_rules = probe.under(rules, EFFORT_UNDER_RULES);
    for &mv in &position.legal_moves() {
        let next = position.after(mv);
        let Some(after) = probe.wld(&next)? else { return Ok(None) };
        let counters = game.counters().after(position, mv, &next);
        let earlier = earlier_occurrences(game, &next, &counters);
        let repeats = rules.has_repetition() && earlier >= 2;
        let is_drawn = next.has_legal_move() && (repeats || counters.draw(rules).is_some());
        let is_in_time = match after {
            Wld::Draw => None,
            _ => under_rules.is_in_time(&next, after, &counters)?,
        };
        let value = after.opponent();
        candidates.push(Candidate { mv, next, value, is_in_time, earlier, is_drawn });
    }
    if candidates.is_empty() {
        return Ok(None);
    }
    if value == Wld::Draw {
        let worse = worse_moves(&candidates, value, probe)?;
        let moves = drawn(candidates, probe, lines)?;
        return Ok(Some(Choice::Search { moves, value, worse }));
    }
    // Conversions do not start the 5 moves again: there the whole win is short enough to be found.
    let is_counted = rules.has_counters() && game.counters().class() == MaterialClass::FiveMoves;
    let known = match by_distance_to_win(&candidates, probe)? {
        None if !is_counted => by_distance_to_conversion(position, &candidates, probe, lines)?,
        other => other,
    };
    if known.is_some() {
        return Ok(known.map(Choice::Rated));
    }
    let mut kept: Vec<&Candidate> = candidates.iter().filter(|c| c.value == value).collect();
    let is_stopped = |c: &Candidate| c.is_drawn || c.is_in_time == Some(false);
    let stopped = kept.iter().filter(|c| is_stopped(c)).count();
    let mut value = value;
    if stopped == kept.len() || stopped > 0 && value == Wld::Loss {
        // For the score; what the opponent may still miss is worth trying.
        kept.retain(|c| value == Wld::Win || is_stopped(c));
        value = Wld::Draw;
    } else {
        kept.retain(|c| !is_stopped(c));
    }
    let moves = kept.iter().map(|c| c.mv).collect();
    let worse = worse_moves(&candidates, value, probe)?;
    Ok(Some(Choice::Search { moves, value, worse }))
}

/// The moves that do not keep the value.
fn worse_moves(
    candidates: &[Candidate],
    value: Wld,
    probe: &Probe,
) -> Result<Vec<RatedMove>, ProbeError> {
    let mut rated = Vec::new();
    for candidate in candidates.iter().filter(|c| c.value != value) {
        let score = match candidate.value {
            Wld::Loss => match probe.dtw(&candidate.next)? {
                Some(plies) => Score::loss_in(plies + 1),
                None => Score::database_loss_in(1),
            },
            Wld::Draw | Wld::Win => Score::DRAW,
        };
        rated.push(RatedMove { mv: candidate.mv, score });
    }
    rated.sort_by_key(|m| Reverse(m.score));
    Ok(rated)
}

/// How often the position has occurred before; these are its counters.
fn earlier_occurrences(game: &Game, next: &Position, counters: &DrawCounters) -> usize {
    let back = usize::from(counters.reversible()).min(game.ply() + 1);
    let positions = &game.positions()[game.ply() + 1 - back..];
    positions.iter().filter(|&position| position == next).count()
}

/// The rated moves of a won or lost position, the best first; `None` if a distance is missing.
fn by_distance_to_win(
    candidates: &[Candidate],
    probe: &Probe,
) -> Result<Option<Vec<RatedMove>>, ProbeError> {
    let mut rated = Vec::new();
    for candidate in candidates {
        let Candidate { mv, value, .. } = *candidate;
        if candidate.is_drawn || value == Wld::Draw {
            rated.push((Reverse(Score::DRAW), RatedMove { mv, score: Score::DRAW }));
            continue;
        }
        let Some(plies) = probe.dtw(&candidate.next)? else { return Ok(None) };
        let is_in_time = candidate.is_in_time == Some(true);
        // A draw by the rules, but the loser may err: the winner prefers the short way, the loser
        // the long one.
        let running_out = Score::new(RUNNING_OUT - plies.min(RUNNING_OUT as u32 - 1) as i32);
        let (order, score) = match (value == Wld::Win, is_in_time) {
            (true, true) => (Score::win_in(plies + 1), Score::win_in(plies + 1)),
            (false, true) => (Score::loss_in(plies + 1), Score::loss_in(plies + 1)),
            (true, false) => (running_out, Score::DRAW),
            (false, false) => (-running_out, Score::DRAW),
        };
        rated.push((Reverse(order), RatedMove { mv, score }));
    }
    rated.sort_by_key(|&(order, _)| order);
    Ok(Some(rated.into_iter().map(|(_, rated)| rated).collect()))
}

/// More plies than any win has that a draw rule can prevent.
const RUNNING_OUT: i32 = 1000;

/// Positions that may be searched to settle which wins come in time: some milliseconds.
const EFFORT_UNDER_RULES: u32 = 5_000;

/// Positions that may be searched for a distance to conversion that is not stored, being below
/// ten: some milliseconds. Where that is not enough the tree search finds the conversion.
const EFFORT: u32 = 300;
/// The same for the way after a move.
const EFFORT_AFTER: u32 = 50;

/// As [`by_distance_to_win`], by the distance to conversion; `None` if it is missing. Moves that
/// do not keep to the distance get an exact one only if several `lines` are wanted.
fn by_distance_to_conversion(
    position: &Position,
    candidates: &[Candidate],
    probe: &Probe,
    lines: usize,
) -> Result<Option<Vec<RatedMove>>, ProbeError> {
    let Some((number, best)) = probe.mtc_moves_within(position, EFFORT)? else {
        return Ok(None);
    };
    let mut rated = Vec::new();
    for candidate in candidates {
        let Candidate { mv, value, .. } = *candidate;
        let is_conversion = position.is_irreversible(mv);
        // The way after the conversion: short for the winner, long for the loser.
        let mut then = 0;
        let is_stopped = candidate.is_drawn || candidate.is_in_time == Some(false);
        let score = if is_stopped || value == Wld::Draw {
            Score::DRAW
        } else {
            let is_best = best.contains(&mv);
            if is_conversion && (is_best || lines > 1) {
                let plies = probe.mtc_within(&candidate.next, EFFORT_AFTER)?;
                let plies = plies.unwrap_or(u32::from(u16::MAX)) as i32;
                then = if value == Wld::Win { plies } else { -plies };
            }
            let plies = if is_best {
                number
            } else if is_conversion || lines == 1 {
                // No better than the best.
                if value == Wld::Win { number + 2 } else { number.saturating_sub(2) }
            } else {
                probe.mtc_within(&candidate.next, EFFORT_AFTER)?.map_or(number, |n| n + 1)
            };
            match value {
                Wld::Win => Score::database_win_in(plies),
                _ => Score::database_loss_in(plies),
            }
        };
        rated.push((Reverse(score), then, RatedMove { mv, score }));
    }
    rated.sort_by_key(|&(score, then, _)| (score, then));
    Ok(Some(rated.into_iter().map(|(_, _, rated)| rated).collect()))
}

/// The moves of a drawn position that a search is to choose from.
fn drawn(candidates: Vec<Candidate>, probe: &Probe, lines: usize) -> Result<Vec<Move>, ProbeError> {
    let mut kept: Vec<Candidate> =
        candidates.into_iter().filter(|c| c.value == Wld::Draw).collect();
    if lines == 1 {
        // The opponent can only go wrong while the game continues.
        if kept.iter().any(|c| !c.is_drawn && c.earlier == 0) {
            kept.retain(|c| !c.is_drawn && c.earlier == 0);
        }
        let mut temptation = Vec::new();
        for candidate in &kept {
            temptation.push((losing_moves(probe, &candidate.next)?, candidate.next.piece_count()));
        }
        let most = temptation.iter().max().copied();
        let mut temptation = temptation.into_iter();
        kept.retain(|_| temptation.next() == most);
    }
    Ok(kept.iter().map(|c| c.mv).collect())
}
