//! The answers of databases about a position.

use movegen::Wld;

/// Result of a win/loss/draw lookup, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WldValue {
    /// No value stored: this side to move is not in the files, or the generator had none.
    Unknown,
    /// The side to move wins.
    Win,
    /// The side to move loses.
    Loss,
    /// Neither side can win.
    Draw,
    /// The side to move cannot win (incomplete databases only).
    DrawOrLoss,
    /// The side to move cannot lose (incomplete databases only).
    WinOrDraw,
    /// A conditional lookup found that the block is not in memory.
    NotInCache,
    /// The slice is not in the files, or has too many pieces.
    Unavailable,
}

impl WldValue {
    /// From the number stored in the files, 0..=5.
    #[inline]
    #[must_use]
    pub const fn from_stored(value: u8) -> WldValue {
        match value {
            1 => WldValue::Win,
            2 => WldValue::Loss,
            3 => WldValue::Draw,
            4 => WldValue::DrawOrLoss,
            5 => WldValue::WinOrDraw,
            _ => WldValue::Unknown,
        }
    }

    /// The name for people and programs: `win`, `draw or loss`; `unknown` for no value.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            WldValue::Win => Wld::Win.name(),
            WldValue::Loss => Wld::Loss.name(),
            WldValue::Draw => Wld::Draw.name(),
            WldValue::DrawOrLoss => "draw or loss",
            WldValue::WinOrDraw => "win or draw",
            WldValue::Unknown | WldValue::NotInCache | WldValue::Unavailable => "unknown",
        }
    }

    /// The exact value, if there is one.
    #[inline]
    #[must_use]
    pub const fn exact(self) -> Option<Wld> {
        match self {
            WldValue::Win => Some(Wld::Win),
            WldValue::Loss => Some(Wld::Loss),
            WldValue::Draw => Some(Wld::Draw),
            _ => None,
        }
    }
}

/// The value of a position with its counters under the draw rules, for the side to move: wins and
/// losses that a rule about counted moves makes draws have names of their own. The names are those
/// of lila-tablebase.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Category {
    /// The side to move wins.
    Win,
    /// It would win, but a draw by counting comes first.
    CursedWin,
    /// Neither side can win.
    Draw,
    /// It would lose, but a draw by counting comes first.
    BlessedLoss,
    /// The side to move loses.
    Loss,
}

impl Category {
    /// From the value without counters, and whether a win comes in time.
    #[must_use]
    pub const fn of(value: Wld, is_in_time: bool) -> Category {
        match (value, is_in_time) {
            (Wld::Win, true) => Category::Win,
            (Wld::Win, false) => Category::CursedWin,
            (Wld::Draw, _) => Category::Draw,
            (Wld::Loss, false) => Category::BlessedLoss,
            (Wld::Loss, true) => Category::Loss,
        }
    }

    /// The name for people and programs: `win`, `cursed-win`, `draw`, `blessed-loss`, `loss`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Category::Win => "win",
            Category::CursedWin => "cursed-win",
            Category::Draw => "draw",
            Category::BlessedLoss => "blessed-loss",
            Category::Loss => "loss",
        }
    }

    /// The result with best play of both sides.
    #[must_use]
    pub const fn wld(self) -> Wld {
        match self {
            Category::Win => Wld::Win,
            Category::Loss => Wld::Loss,
            _ => Wld::Draw,
        }
    }
}

/// The smallest number that a distance-to-conversion database stores.
pub const MTC_THRESHOLD: u16 = 10;

/// Result of a distance-to-conversion lookup. Meaningful only for a win or a loss.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MtcValue {
    /// Less than [`MTC_THRESHOLD`], or neither a win nor a loss, or nothing stored for this
    /// material.
    BelowThreshold,
    /// The stored number: even, 10 to 322. Half of the distance is stored, so the number stands
    /// for two neighbouring distances; see [`crate::probe::MTC_ROUNDING`].
    Distance(u16),
    /// A conditional lookup found that the block is not in memory.
    NotInCache,
}

/// What a values-under-the-rules database stores for a win or loss that the rules stop even with the
/// counter at 0: more than any limit.
pub const RULES_NEVER: u16 = 63;

/// Result of a lookup of a value under the draw rules. Meaningful only for a win or a loss.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RulesValue {
    /// The winner needs at most this many plies until the counter begins again, or the game ends.
    Plies(u16),
    /// As `Plies`, less than [`MTC_THRESHOLD`].
    BelowThreshold,
    /// The win is drawn by counting moves at any counter.
    Never,
    /// A conditional lookup found that the block is not in memory.
    NotInCache,
    /// The slice is not in the files.
    Unavailable,
}

/// Result of a distance-to-win lookup. Meaningful only for a win or a loss.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DtwValue {
    /// Half the number of plies to the end of the game, rounded down: a win ends after
    /// `2n + 1` plies, a loss after `2n`.
    Half(u16),
    /// A conditional lookup found that the block is not in memory.
    NotInCache,
    /// The slice, or this side to move of it, is not in the files.
    Unavailable,
}
