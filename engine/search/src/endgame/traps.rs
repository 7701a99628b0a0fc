//! How easily a side that holds a draw can go wrong.

use egdb::error::ProbeError;
use egdb::{Probe, Wld};
use movegen::Position;

/// How many in a thousand of the moves in a drawn position lose.
pub fn losing_moves(probe: &Probe, position: &Position) -> Result<usize, ProbeError> {
    let moves = position.legal_moves();
    let mut losing = 0;
    for &mv in &moves {
        losing += usize::from(probe.wld(&position.after(mv))? == Some(Wld::Win));
    }
    Ok(losing * 1000 / moves.len().max(1))
}
