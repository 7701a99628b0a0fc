//! The numbers of the search. Depths are plies, margins hundredths of a man. Starting values are
//! Scan 3.1's.

use movegen::{Move, Position};

use crate::limits::Limits;

/// The deepest ply from the root; beyond it positions are evaluated as they are.
pub(crate) const MAX_PLY: usize = 120;
/// The last iteration.
pub(crate) const MAX_DEPTH: i32 = Limits::MAX_DEPTH as i32;

/// First iteration with an aspiration window.
pub(super) const ASPIRATION_DEPTH: i32 = 4;
/// Half the first window; the side that fails doubles.
pub(super) const ASPIRATION_WIDTH: i32 = 10;
/// Beyond this half-width the window opens fully.
pub(super) const ASPIRATION_MAX: i32 = 500;

/// ProbCut is tried from this depth on.
pub(super) const PROBCUT_DEPTH: i32 = 3;

/// ProbCut is not tried where the evaluation is further than this below beta.
pub(super) const PROBCUT_BELOW: i32 = 10;

/// The depth of the search that stands for one of `depth` plies.
pub(super) const fn probcut_depth(depth: i32) -> i32 {
    depth * 2 / 5
}

/// How far above beta the shallow search must come out.
pub(super) const fn probcut_margin(depth: i32) -> i32 {
    10 * depth
}

/// Reverse futility pruning is tried up to this depth.
pub(super) const REVERSE_FUTILITY_DEPTH: i32 = 2;

/// How far above beta the evaluation must be.
pub(super) const fn reverse_futility_margin(depth: i32) -> i32 {
    20 + 40 * depth
}

/// Late moves are reduced from this depth on.
const REDUCTION_DEPTH: i32 = 2;

/// By how many plies the move number `index` (from 0) is searched less deep at first.
#[inline(always)]
pub(super) const fn reduction(
    position: &Position,
    mv: Move,
    pv: bool,
    depth: i32,
    index: usize,
) -> i32 {
    if depth < REDUCTION_DEPTH || mv.is_capture() || position.is_promotion(mv) {
        0
    } else if pv {
        (index >= 3) as i32
    } else {
        (index >= 1) as i32 + (index >= 4) as i32
    }
}

/// Where several threads search, moves that another one has begun are put off from this depth on.
pub(super) const PUT_OFF_DEPTH: i32 = 2;

/// Full plies on one path beyond the horizon that answer threats of capture. They end by themselves
/// where captures follow; this limit is for boards full of kings, where threats could answer threats
/// without end (bench to depth 9 needs the same number of nodes as without it).
pub(super) const THREAT_PLIES: u32 = 8;

/// Nodes between two looks at the clock and the commands; also the helpers' reporting interval.
pub(super) const POLL_NODES: u64 = 256;

/// From this depth on the databases are asked whatever it costs, below only for what is in memory.
/// With a cache of a seventeenth of the 5-piece files, in the system's memory, `meerslag bench
/// --set endgame --depth 15` took 1.69 s for 0, 1.58 for 1, 1.50 for 2, 1.85 for 3, 2.46 for 6 and
/// 4.06 without any such depth; 0 reads four times as much as 2.
pub(super) const DATABASE_DEPTH: i32 = 2;

/// Within this number of plies of a draw by counting, positions get table entries of their own.
pub(super) const NEAR_DRAW: u16 = 26;
