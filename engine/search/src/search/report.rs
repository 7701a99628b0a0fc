//! The reports of a search, on the way and at the end.

use std::time::Duration;

use crate::clock::Instant;
use movegen::{Bound, Move, Position, Score, Wld};

/// The knowledge of a search at some moment.
#[derive(Clone, PartialEq, Debug)]
pub struct Info {
    /// Nominal depth of the iteration, in plies; 0 if nothing was searched.
    pub depth: u32,
    /// Average depth of the leaves so far, in plies; 0 before the first leaf.
    pub mean_depth: f64,
    /// The deepest ply reached.
    pub max_depth: u32,
    /// The score, for the side to move in the searched position.
    pub score: Score,
    /// The meaning of the score.
    pub bound: Bound,
    /// Nodes of all threads so far.
    pub nodes: u64,
    /// Endgame database lookups of all threads so far.
    pub probes: u64,
    /// Since the start of the search.
    pub time: Duration,
    /// Share of the transposition table that this search has filled, 0.0..=1.0; a sample.
    pub hashfull: f64,
    /// Which of the best moves this is, from 1.
    pub multipv: usize,
    /// The move comes from the opening book; nothing was searched.
    pub is_book: bool,
    /// The principal variation: legal moves in order, empty only in a position without moves.
    pub pv: Vec<Move>,
}

impl Info {
    /// Whether the other report is about the same line with the same depth, score and variation;
    /// counts may differ.
    #[must_use]
    pub fn says_same(&self, other: &Info) -> bool {
        let key = |info: &Info| (info.multipv, info.depth, info.score, info.bound);
        key(self) == key(other) && self.pv == other.pv
    }

    /// Just a move, without a search.
    #[must_use]
    pub fn unsearched(mv: Move) -> Info {
        Info { score: Score::DRAW, pv: vec![mv], ..Info::lost(Duration::ZERO) }
    }

    /// The report when the side to move has lost.
    pub(crate) fn lost(time: Duration) -> Info {
        Info {
            depth: 0,
            mean_depth: 0.0,
            max_depth: 0,
            score: Score::loss_in(0),
            bound: Bound::Exact,
            nodes: 0,
            probes: 0,
            time,
            hashfull: 0.0,
            multipv: 1,
            is_book: false,
            pv: Vec::new(),
        }
    }

    /// The score, unless nothing was searched.
    #[must_use]
    pub fn known_score(&self) -> Option<Score> {
        (self.depth > 0).then_some(self.score)
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult {
    /// The best move; `None` only when there is no legal move, or the game is given up.
    pub best: Option<Move>,
    /// The expected reply, legal after `best`.
    pub ponder: Option<Move>,
    /// The last report of the first variation.
    pub info: Info,
}

impl SearchResult {
    /// The side to move has no move: it has lost, or in Losing won.
    #[must_use]
    pub(crate) fn over(position: &Position, start: Instant) -> SearchResult {
        let mut result = SearchResult::lost(start);
        if position.variant().without_move() == Wld::Win {
            result.info.score = Score::win_in(0);
        }
        result
    }

    /// The side to move has lost, or gives up.
    #[must_use]
    pub fn lost(start: Instant) -> SearchResult {
        SearchResult { best: None, ponder: None, info: Info::lost(start.elapsed()) }
    }
}
