//! Whether a win that the databases promise comes before the draw rules end the game.
//!
//! Up to five pieces they do from the moment that a counted ending arises: the longest win of one
//! or two pieces against a lone king takes 9 plies of 10, of three pieces 31 or (the king to move)
//! 32 of 32, and no conversion is further away than 23 of 50 plies
//! (`positions/egdb/statistics.md`). Only a counter that is already running can interfere.

use movegen::draw::{FIVE_MOVES, MaterialClass, SIXTEEN_MOVES};
use movegen::{DrawCounters, DrawRules};

/// With this number of plies left to the 25-move rule a conversion comes in time.
const TO_CONVERT: u16 = 40;

/// Whether a won or lost position with these counters will not be drawn by counting, if the
/// winner keeps to the shortest way. `dtw` gives the plies to the end of the game, if known; it is
/// only called if a counter is running. With more than five pieces and no distance this is a good
/// guess.
#[inline]
pub fn is_won_in_time(
    counters: &DrawCounters,
    rules: DrawRules,
    dtw: impl FnOnce() -> Option<u32>,
) -> bool {
    let Some(left) = counters.plies_left(rules) else { return true };
    let enough = match counters.class() {
        MaterialClass::Other => TO_CONVERT,
        MaterialClass::SixteenMoves => SIXTEEN_MOVES,
        MaterialClass::FiveMoves => FIVE_MOVES,
    };
    left >= enough || dtw().is_some_and(|plies| plies <= u32::from(left))
}
