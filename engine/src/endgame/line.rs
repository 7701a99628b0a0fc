//! Perfect play of both sides.

use egdb::error::ProbeError;
use egdb::{Probe, Wld};
use movegen::{Move, Position};

use super::Databases;

/// Adds the perfect play from a won or lost position to a variation: the winner takes the
/// shortest way, the loser the longest, to the end of the game if that distance is known, else
/// to conversion after conversion. Ends where no distance is known, and after `longest` moves;
/// `effort` is that of [`Probe::mtc_moves_within`].
pub(crate) fn extend(
    databases: &Databases,
    mut position: Position,
    variation: &mut Vec<Move>,
    longest: usize,
    effort: u32,
) {
    while variation.len() < longest
        && databases.reaches(&position)
        && let Ok(Some(mv)) = best(databases.probe(), &position, effort)
    {
        variation.push(mv);
        position = position.after(mv);
    }
}

/// The move that perfect play makes; `None` for a draw, without a legal move, or where no
/// distance is known.
fn best(probe: &Probe, position: &Position, effort: u32) -> Result<Option<Move>, ProbeError> {
    let value = match probe.wld(position)? {
        Some(value) if value != Wld::Draw => value,
        _ => return Ok(None),
    };
    let mut best = None;
    for &mv in &position.legal_moves() {
        let next = position.after(mv);
        if probe.wld(&next)? != Some(value.opponent()) {
            continue;
        }
        let Some(plies) = probe.dtw(&next)? else { return converting(probe, position, effort) };
        // The winner hurries, the loser does not.
        let plies = if value == Wld::Win { -i64::from(plies) } else { i64::from(plies) };
        if best.is_none_or(|(_, most)| plies > most) {
            best = Some((mv, plies));
        }
    }
    Ok(best.map(|(mv, _)| mv))
}

fn converting(probe: &Probe, position: &Position, effort: u32) -> Result<Option<Move>, ProbeError> {
    Ok(probe.mtc_moves_within(position, effort)?.and_then(|(_, moves)| moves.first().copied()))
}
