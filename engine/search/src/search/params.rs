//! The numbers of the search. Depths are plies, margins hundredths of a man. They began as those of
//! Scan 3.1, and were tuned by games (`meerslag tune`).

use movegen::{Move, Position};

use crate::limits::Limits;

/// The deepest ply from the root; beyond it positions are evaluated as they are.
pub(crate) const MAX_PLY: usize = 120;
/// The last iteration.
pub(crate) const MAX_DEPTH: i32 = Limits::MAX_DEPTH as i32;

/// Defines [`SearchNumbers`] from lines `name: value in range;`. `meerslag tune` rewrites the
/// values of such lines.
macro_rules! search_numbers {
    ($($(#[$doc:meta])* $name:ident: $value:literal in $low:literal..=$high:literal;)*) => {
        /// The numbers of the search that games can tune.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct SearchNumbers {
            $($(#[$doc])* pub $name: i32,)*
        }

        impl SearchNumbers {
            /// The numbers that the engine plays with.
            pub const PLAYED: SearchNumbers = SearchNumbers { $($name: $value),* };
        }

        #[cfg(feature = "tuning")]
        impl SearchNumbers {
            /// Their names, the values of [`SearchNumbers::PLAYED`], and their sensible ranges.
            pub const ALL: &[(&str, i32, std::ops::RangeInclusive<i32>)] =
                &[$((stringify!($name), $value, $low..=$high)),*];

            /// This file, for patches of the values.
            pub const SOURCE: &str = include_str!("params.rs");

            /// The number with this name.
            pub fn get_mut(&mut self, name: &str) -> Option<&mut i32> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)*
                    _ => None,
                }
            }
        }
    };
}

search_numbers! {
    /// First iteration with an aspiration window.
    aspiration_depth: 3 in 2..=10;
    /// Half the first window; the side that fails doubles.
    aspiration_width: 10 in 2..=60;
    /// Beyond this half-width the window opens fully.
    aspiration_max: 519 in 50..=1000;
    /// ProbCut is tried from this depth on.
    probcut_depth: 3 in 3..=8;
    /// ProbCut is not tried where the evaluation is further than this below beta.
    probcut_below: -21 in -60..=100;
    /// The depth of the search that replaces a deep one, in percent of the deep one's.
    probcut_share: 40 in 34..=70;
    /// How far above beta the shallow search must come out, in addition to what follows.
    probcut_base: 2 in -30..=60;
    /// The same for each ply of the deep one.
    probcut_margin: 5 in 0..=30;
    /// Reverse futility pruning is tried up to this depth.
    reverse_futility_depth: 4 in 0..=8;
    /// How far above beta the evaluation must be, at depth 0.
    reverse_futility_base: 6 in -40..=120;
    /// The same for each ply more.
    reverse_futility_margin: 29 in 0..=120;
    /// Late moves are reduced from this depth on.
    reduction_depth: 3 in 2..=8;
    /// The first move (from 0) that is reduced by a ply where the exact score is wanted.
    reduction_exact: 2 in 1..=12;
    /// The same elsewhere.
    reduction_first: 2 in 1..=8;
    /// The first move that is reduced by another ply there.
    reduction_second: 2 in 1..=24;
    /// The first move that is reduced by a third ply there.
    reduction_third: 8 in 3..=30;
    /// From this depth on a reduced move is reduced by another ply there.
    reduction_deep: 10 in 4..=30;
    /// A reduced move that raised alpha in fewer of 4,096 trials is reduced by another ply there.
    reduction_bad: 218 in 0..=1500;
    /// One that raised alpha in more is reduced by a ply less.
    reduction_good: 3442 in 1500..=4096;
    /// Full plies on one path beyond the horizon that answer threats of capture. They end by
    /// themselves where captures follow; this limit is for boards full of kings, where threats could
    /// answer threats without end (bench to depth 9 needs the same number of nodes as without it).
    threat_plies: 9 in 1..=16;
    /// How slowly the history of a move forgets: each trial counts as much as 1 in 2^rate.
    history_rate: 4 in 2..=8;
}

impl SearchNumbers {
    /// The depth of the search that replaces one of `depth` plies.
    #[inline(always)]
    pub(super) const fn probcut_depth(&self, depth: i32) -> i32 {
        depth * self.probcut_share / 100
    }

    /// How far above beta the shallow search must come out.
    #[inline(always)]
    pub(super) const fn probcut_margin(&self, depth: i32) -> i32 {
        self.probcut_base + self.probcut_margin * depth
    }

    /// How far above beta the evaluation must be for reverse futility pruning.
    #[inline(always)]
    pub(super) const fn reverse_futility_margin(&self, depth: i32) -> i32 {
        self.reverse_futility_base + self.reverse_futility_margin * depth
    }

    /// By how many plies the move number `index` (from 0) is searched less deep at first; `history`
    /// says in how many of 4,096 trials it raised alpha.
    #[inline(always)]
    pub(super) const fn reduction(
        &self,
        position: &Position,
        mv: Move,
        pv: bool,
        depth: i32,
        index: usize,
        history: i32,
    ) -> i32 {
        let index = index as i32;
        if depth < self.reduction_depth || mv.is_capture() || position.is_promotion(mv) {
            return 0;
        }
        if pv {
            return (index >= self.reduction_exact) as i32;
        }
        let late = (index >= self.reduction_first) as i32
            + (index >= self.reduction_second) as i32
            + (index >= self.reduction_third) as i32;
        if late == 0 {
            return 0;
        }
        late + (depth >= self.reduction_deep) as i32 + (history < self.reduction_bad) as i32
            - (history > self.reduction_good) as i32
    }
}

/// The source of a search's numbers. The search is compiled for each, so fixed numbers are
/// constants.
pub(super) trait Numbers: Copy + Send + Sync {
    /// All of them.
    fn get(&self) -> &SearchNumbers;
}

/// [`SearchNumbers::PLAYED`], as constants.
#[derive(Clone, Copy)]
pub(super) struct FixedNumbers;

impl Numbers for FixedNumbers {
    #[inline(always)]
    fn get(&self) -> &SearchNumbers {
        const { &SearchNumbers::PLAYED }
    }
}

#[cfg(feature = "tuning")]
impl Numbers for &SearchNumbers {
    #[inline(always)]
    fn get(&self) -> &SearchNumbers {
        self
    }
}

/// Where several threads search, moves that another one has begun are put off from this depth on.
pub(super) const PUT_OFF_DEPTH: i32 = 2;

/// Nodes between two checks of the clock and the commands; also the helpers' reporting interval.
pub(super) const POLL_NODES: u64 = 256;

/// From this depth on the databases are always probed, below it only for data in memory. With a
/// cache of a seventeenth of the 5-piece files, in the system's memory, `meerslag bench --set
/// endgame --depth 15` took 1.69 s for 0, 1.58 for 1, 1.50 for 2, 1.85 for 3, 2.46 for 6 and 4.06
/// without any such depth; 0 reads four times as much as 2.
pub(super) const DATABASE_DEPTH: i32 = 2;

/// Within this number of plies of a draw by counting, positions get their own table entries.
pub(super) const NEAR_DRAW: u16 = 26;
