//! The tree of a solution: all defences, and the winner's other moves, as variations of a line.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::mem::take;

use egdb::Probe;
use egdb::error::ProbeError;
use movegen::{DrawCounters, Move, Position};

use super::line::{
    Conversion, LinePly, SolutionLine, SolutionVariation, SolvedLineKind, VariationEnd,
};

/// Most variations inside one another: readers of PDN have limits, too.
const MAX_DEPTH: usize = 30;

impl SolutionVariation {
    /// Goes on with these moves, until it has `most` or comes to a position that is there already.
    fn follow(
        &mut self,
        plies: Vec<LinePly>,
        most: usize,
        mut at: Place,
        mut is_there: impl FnMut(&Place) -> bool,
    ) {
        for ply in plies {
            if self.plies.len() == most {
                self.end = VariationEnd::Cut;
                return;
            }
            at = after(&at, ply.mv);
            self.plies.push(ply);
            if is_there(&at) {
                self.end = VariationEnd::Elsewhere;
                return;
            }
        }
    }
}

/// A line of the tree, as long as its variations stand beside it.
struct Branch {
    /// The index of the line that it belongs to, and of the move that it replaces.
    parent: (usize, usize),
    depth: usize,
    start: Place,
    variation: SolutionVariation,
}

/// A position of the tree, with its draw counters.
type Place = (Position, DrawCounters);

/// Adds variations to the moves of a won or lost line from `start`, until they have this many moves. The
/// lines that leave the main line come first, then those that leave these, and so on. A position from
/// which the winner plays stands only once. `go_on` gives the line from a lost or won position.
pub(super) fn grow(
    probe: &Probe,
    line: &mut SolutionLine,
    start: Place,
    most: usize,
    mut go_on: impl FnMut(&Place) -> Result<Option<SolutionLine>, ProbeError>,
) -> Result<(), ProbeError> {
    let Some(winner) = line.winner.filter(|_| most > 0) else { return Ok(()) };
    let is_counted = line.kind == SolvedLineKind::UnderRules;
    let key = |place: &Place| (place.0, is_counted.then(|| place.1.plies()));
    let mut seen: HashSet<_> = places(start, &line.plies).iter().map(key).collect();
    let main = SolutionVariation { plies: take(&mut line.plies), end: VariationEnd::Over };
    let mut branches = vec![Branch { parent: (0, 0), depth: 0, start, variation: main }];
    let (mut left, mut next) = (most, 0);
    while next < branches.len() {
        let Branch { depth, start, ref variation, .. } = branches[next];
        let before = places(start, &variation.plies);
        // What stands beside the first move of a variation stands beside the move that it replaces.
        let first = usize::from(next > 0);
        let moves = variation.plies.len();
        for (i, &place) in before.iter().enumerate().take(moves).skip(first) {
            let ply = &branches[next].variation.plies[i];
            let is_dual = place.0.side_to_move() == winner;
            let others = ply.equal.keep_value.iter().filter(|&&mv| mv != ply.mv);
            let mut others: Vec<LinePly> = others
                .map(|&mv| other_move(probe, &place.0, mv, ply))
                .collect::<Result<_, ProbeError>>()?;
            others.sort_by_key(|ply| {
                let plies = i64::from(ply.dtw.unwrap_or(0));
                Reverse(if is_dual { -plies } else { plies })
            });
            for other in others {
                if left == 0 || depth == MAX_DEPTH {
                    branches[next].variation.plies[i].left_out += 1;
                    continue;
                }
                let at = after(&place, other.mv);
                let mut variation =
                    SolutionVariation { plies: vec![other], end: VariationEnd::Dual };
                if !is_dual {
                    let is_new = seen.insert(key(&at));
                    let line = if is_new { go_on(&at)? } else { None };
                    variation.end = match &line {
                        None if is_new => VariationEnd::Unknown,
                        None => VariationEnd::Elsewhere,
                        Some(line) if line.is_complete => VariationEnd::Over,
                        Some(_) => VariationEnd::Unknown,
                    };
                    let plies = line.map(|line| line.plies).unwrap_or_default();
                    variation.follow(plies, left, at, |at| {
                        at.0.side_to_move() == winner && !seen.insert(key(at))
                    });
                }
                left -= variation.plies.len();
                branches.push(Branch {
                    parent: (next, i),
                    depth: depth + 1,
                    start: place,
                    variation,
                });
            }
        }
        next += 1;
    }
    while branches.len() > 1 {
        let Some(Branch { parent: (parent, i), variation, .. }) = branches.pop() else { break };
        branches[parent].variation.plies[i].variations.insert(0, variation);
    }
    line.plies = branches.pop().map(|main| main.variation.plies).unwrap_or_default();
    Ok(())
}

fn after(place: &Place, mv: Move) -> Place {
    let next = place.0.after(mv);
    (next, place.1.after(&place.0, mv, &next))
}

/// The places before each of these moves, and after the last one.
fn places(start: Place, plies: &[LinePly]) -> Vec<Place> {
    let mut places = vec![start];
    for (i, ply) in plies.iter().enumerate() {
        places.push(after(&places[i], ply.mv));
    }
    places
}

/// A move that is as good as that of a line.
fn other_move(
    probe: &Probe,
    position: &Position,
    mv: Move,
    ply: &LinePly,
) -> Result<LinePly, ProbeError> {
    let next = position.after(mv);
    let equal = ply.equal.clone();
    Ok(LinePly {
        conversion: Conversion::of(position, mv),
        enters_databases: !probe.reaches(position) && probe.reaches(&next),
        dtw: probe.dtw(&next)?,
        ..LinePly::new(mv, equal)
    })
}
