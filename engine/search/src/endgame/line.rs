//! Perfect play of both sides.

use egdb::Probe;
use egdb::error::ProbeError;
use movegen::{Move, Position};

/// Adds the perfect play from a won or lost position to a variation: the winner takes the
/// shortest way, the loser the longest, to the end of the game if that distance is known, else
/// to conversion after conversion. Ends where no distance is known, and after `longest` moves;
/// For `effort` see [`Probe::mtc_moves_within`].
pub(crate) fn extend(
    probe: &Probe,
    mut position: Position,
    variation: &mut Vec<Move>,
    longest: usize,
    effort: u32,
) {
    while variation.len() < longest
        && probe.reaches(&position)
        && let Ok(Some(mv)) = best(probe, &position, effort)
    {
        variation.push(mv);
        position = position.after(mv);
    }
}

/// The move that perfect play makes; `None` for a draw, without a legal move, or where no
/// distance is known.
fn best(probe: &Probe, position: &Position, effort: u32) -> Result<Option<Move>, ProbeError> {
    match by_distance(probe, position)? {
        Some((mv, _)) => Ok(Some(mv)),
        None => converting(probe, position, effort),
    }
}

/// The winner's quickest or the loser's longest move, and the plies to the end of the game after
/// it; `None` for a draw, without a legal move, or where the distance is not known.
fn by_distance(probe: &Probe, position: &Position) -> Result<Option<(Move, u32)>, ProbeError> {
    let Some(plies) = probe.dtw(position)? else { return Ok(None) };
    for &mv in &position.legal_moves() {
        // Winner or loser, the right moves are those that leave exactly one ply less; a move that
        // gives the win away has no distance, or the wrong parity.
        if probe.dtw(&position.after(mv))? == Some(plies.saturating_sub(1)) {
            return Ok(Some((mv, plies - 1)));
        }
    }
    Ok(None)
}

fn converting(probe: &Probe, position: &Position, effort: u32) -> Result<Option<Move>, ProbeError> {
    Ok(probe.mtc_moves_within(position, effort)?.and_then(|(_, moves)| moves.first().copied()))
}
