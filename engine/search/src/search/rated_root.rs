//! A root whose moves the databases rate exactly: nothing is left to search.

use egdb::Probe;
use movegen::Position;

use super::report::{Info, SearchResult};
use crate::clock::Instant;
use crate::endgame::choice::RatedMove;
use crate::endgame::line;
use crate::limits::{Control, Limits, Mode};
use movegen::Bound;

/// Plies of the variation reported with a move, during a game and in analysis.
const LINE: usize = 12;
const LINE_IN_ANALYSIS: usize = 200;
/// Positions searched at each ply for a distance that is not stored.
const EFFORT: u32 = 10;
const EFFORT_IN_ANALYSIS: u32 = 10_000;

/// Reports moves that were not searched, as variations after the first `lines`.
pub(super) fn report_worse(
    searched: &Info,
    lines: usize,
    worse: &[RatedMove],
    report: &mut dyn FnMut(&Info),
) {
    for (index, &RatedMove { mv, score }) in worse.iter().enumerate() {
        let multipv = lines + index + 1;
        report(&Info { score, bound: Bound::Exact, multipv, pv: vec![mv], ..searched.clone() });
    }
}

/// A root with the values of all its moves, the best first.
pub(super) struct RatedRoot<'a> {
    pub(super) position: Position,
    pub(super) moves: &'a [RatedMove],
    pub(super) databases: &'a Probe,
    /// When the search began.
    pub(super) start: Instant,
}

impl RatedRoot<'_> {
    /// Reports the best of the rated moves, as many as are wanted, and waits for the command that
    /// the mode of the search demands.
    pub(super) fn answer(
        &self,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        let RatedRoot { position, moves, databases, start } = self;
        let (longest, effort) = match limits.mode {
            Mode::Analyze => (LINE_IN_ANALYSIS, EFFORT_IN_ANALYSIS),
            Mode::Think | Mode::Ponder => (LINE, EFFORT),
        };
        let mut best: Option<Info> = None;
        for (index, &RatedMove { mv, score }) in
            moves.iter().take(limits.multipv.max(1)).enumerate()
        {
            let mut pv = vec![mv];
            line::extend(databases, position.after(mv), &mut pv, longest, effort);
            if let [_] = pv[..] {
                pv.extend(position.after(mv).legal_moves().first());
            }
            let plies = score.plies_to_end().map_or(1, |plies| plies.unsigned_abs().max(1));
            let info = Info {
                depth: plies,
                mean_depth: 0.0,
                max_depth: plies,
                score,
                bound: Bound::Exact,
                nodes: 0,
                probes: moves.len() as u64,
                time: start.elapsed(),
                hashfull: 0.0,
                multipv: index + 1,
                is_book: false,
                pv,
            };
            report(&info);
            best.get_or_insert(info);
        }
        control.wait_until_wanted(limits);
        let Some(info) = best else { unreachable!("a rated position has a legal move") };
        SearchResult { best: info.pv.first().copied(), ponder: info.pv.get(1).copied(), info }
    }
}
