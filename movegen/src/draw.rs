//! The draw rules: repetition, 25 moves, 16 moves and 5 moves.
//!
//! The rules of the World Draughts Federation (annex 1, article on draws) leave open how the
//! counters of the small endings start and whether they continue after a capture. The default here
//! is the reading of lidraughts; [`DrawRules`] names the others.
//!
//! After each move the material puts the position in a class:
//!
//! * [`MaterialClass::FiveMoves`]: a lone king against one or two pieces, at least one a king;
//! * [`MaterialClass::SixteenMoves`]: a lone king against three pieces, at least one a king;
//! * [`MaterialClass::Other`]: everything else, a lone king against men only included.
//!
//! Other games have fewer rules: Killer knows repetition and 25 moves, Losing repetition, Frisian
//! the two classes [`MaterialClass::SevenMoves`] and [`MaterialClass::LoneKings`], Breakthrough none.
//!
//! [`DrawCounters`] holds what the rules need to know about the past: the plies since the last
//! capture or man move (25-move rule, and how far back a repetition can lie) and the plies since
//! the class arose (16- and 5-move rules). The move that makes the class is not counted; from there
//! on every ply is counted until the class changes. Counters are small and `Copy`, so a search
//! keeps one per ply on its stack; repetition works on a slice of keys that the caller owns.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::color::Color;
use crate::moves::Move;
use crate::position::Position;
use crate::variant::Variant;

/// The 25-move rule in plies.
pub const TWENTY_FIVE_MOVES: u16 = 50;
/// The 16-move rule in plies.
pub const SIXTEEN_MOVES: u16 = 32;
/// The 5-move rule in plies.
pub const FIVE_MOVES: u16 = 10;
/// Frisian's rule for two kings against one in plies (article 18).
pub const SEVEN_MOVES: u16 = 14;
/// Frisian's rule for king against king in plies: a win comes within three (article 19).
pub const LONE_KINGS: u16 = 4;
/// How many times a position must occur for a draw by repetition.
pub const REPETITION_OCCURRENCES: u32 = 3;

/// The draw rules of a game: which reading of the official rules is in force. As text:
/// [`DrawRules::name`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DrawRules {
    /// All four rules; the class counter starts again when 16-move material becomes 5-move
    /// material. The rules of lidraughts.
    #[default]
    Lidraughts,
    /// As `Lidraughts`, but the 16-move counter continues when the material becomes 5-move
    /// material, and both limits apply.
    FmjdCumulative,
    /// Repetition only. The rules of Scan.
    Scan,
    /// No draw at all.
    None,
}

impl DrawRules {
    /// All rule sets.
    pub const ALL: [DrawRules; 4] =
        [DrawRules::Lidraughts, DrawRules::FmjdCumulative, DrawRules::Scan, DrawRules::None];

    /// The name used in options: `lidraughts`, `fmjd-cumulative`, `scan`, `none`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DrawRules::Lidraughts => "lidraughts",
            DrawRules::FmjdCumulative => "fmjd-cumulative",
            DrawRules::Scan => "scan",
            DrawRules::None => "none",
        }
    }

    /// Whether the third occurrence of a position is a draw.
    #[inline]
    #[must_use]
    pub const fn has_repetition(self) -> bool {
        !matches!(self, DrawRules::None)
    }

    /// Whether plies are counted (25-, 16- and 5-move rules).
    #[inline]
    #[must_use]
    pub const fn has_counters(self) -> bool {
        matches!(self, DrawRules::Lidraughts | DrawRules::FmjdCumulative)
    }
}

impl fmt::Display for DrawRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that names no draw rules.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{text}' names no draw rules: expected lidraughts, fmjd-cumulative, scan or none")]
pub struct ParseDrawRulesError {
    /// The offending text (at most 40 characters).
    pub text: String,
}

impl FromStr for DrawRules {
    type Err = ParseDrawRulesError;

    fn from_str(text: &str) -> Result<DrawRules, ParseDrawRulesError> {
        DrawRules::ALL
            .into_iter()
            .find(|set| set.name() == text)
            .ok_or_else(|| ParseDrawRulesError { text: text.chars().take(40).collect() })
    }
}

/// Why a game is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DrawReason {
    /// The position occurred for the third time with the same side to move.
    Repetition,
    /// 50 plies without a capture or a man move.
    TwentyFiveMoves,
    /// 32 plies with three pieces against a lone king.
    SixteenMoves,
    /// 10 plies with one or two pieces against a lone king.
    FiveMoves,
    /// 14 plies with two kings against one, in Frisian.
    SevenMoves,
    /// King against king, in Frisian.
    LoneKings,
}

impl fmt::Display for DrawReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            DrawReason::Repetition => "third occurrence of the position",
            DrawReason::TwentyFiveMoves => "25 moves without a capture or a man move",
            DrawReason::SixteenMoves => "16 moves with three pieces against one king",
            DrawReason::FiveMoves => "5 moves with at most two pieces against one king",
            DrawReason::SevenMoves => "7 moves with two kings against one",
            DrawReason::LoneKings => "one king against one",
        })
    }
}

/// The class of the material for the draw rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MaterialClass {
    /// Only repetition and the 25-move rule apply.
    #[default]
    Other,
    /// A lone king against three pieces, at least one of them a king.
    SixteenMoves,
    /// A lone king against one or two pieces, at least one of them a king.
    FiveMoves,
    /// A lone king against two kings, in Frisian.
    SevenMoves,
    /// A lone king against another, in Frisian.
    LoneKings,
}

impl MaterialClass {
    /// After how many plies in the class the game is a draw.
    #[inline]
    #[must_use]
    pub const fn limit(self) -> Option<(u16, DrawReason)> {
        match self {
            MaterialClass::Other => None,
            MaterialClass::SixteenMoves => Some((SIXTEEN_MOVES, DrawReason::SixteenMoves)),
            MaterialClass::FiveMoves => Some((FIVE_MOVES, DrawReason::FiveMoves)),
            MaterialClass::SevenMoves => Some((SEVEN_MOVES, DrawReason::SevenMoves)),
            MaterialClass::LoneKings => Some((LONE_KINGS, DrawReason::LoneKings)),
        }
    }

    /// The class of a position; the side to move does not matter.
    #[inline]
    #[must_use]
    pub const fn of(position: &Position) -> MaterialClass {
        if position.piece_count() > 4 {
            return MaterialClass::Other;
        }
        let pieces = [position.pieces(Color::Black).len(), position.pieces(Color::White).len()];
        let kings = [position.kings(Color::Black).len(), position.kings(Color::White).len()];
        match position.variant() {
            Variant::International => MaterialClass::of_material(pieces, kings),
            Variant::Frisian | Variant::Frysk => match (pieces, kings) {
                ([1, 1], [1, 1]) => MaterialClass::LoneKings,
                ([1, 2], [1, 2]) | ([2, 1], [2, 1]) => MaterialClass::SevenMoves,
                _ => MaterialClass::Other,
            },
            Variant::Killer | Variant::Breakthrough | Variant::Losing => MaterialClass::Other,
        }
    }

    /// The class of material in the international game: the pieces of Black and White, and the kings among them.
    #[inline]
    #[must_use]
    pub const fn of_material(pieces: [u32; 2], kings: [u32; 2]) -> MaterialClass {
        let alone = pieces[0] == 1 && kings[0] == 1 && kings[1] != 0
            || pieces[1] == 1 && kings[1] == 1 && kings[0] != 0;
        match (alone, pieces[0] + pieces[1]) {
            (true, 2 | 3) => MaterialClass::FiveMoves,
            (true, 4) => MaterialClass::SixteenMoves,
            _ => MaterialClass::Other,
        }
    }
}

/// What the draw rules need to know about the past of a position, except the positions themselves.
/// All counts are in plies and stop at 65535.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct DrawCounters {
    class: MaterialClass,
    variant: Variant,
    /// Since the last capture or man move.
    reversible: u16,
    /// Since the class arose; 0 in class `Other`.
    in_class: u16,
    /// Plies since 16-move material arose, plus one; it also counts in 5-move material that arose
    /// from it. 0 while it does not count.
    since_sixteen: u16,
}

impl DrawCounters {
    /// The counters of a start position: all 0.
    #[must_use]
    pub const fn new(start: &Position) -> DrawCounters {
        let class = MaterialClass::of(start);
        let sixteen = matches!(class, MaterialClass::SixteenMoves);
        let (variant, since_sixteen) = (start.variant(), sixteen as u16);
        DrawCounters { class, variant, reversible: 0, in_class: 0, since_sixteen }
    }

    /// The counters of a start position with `plies` already counted (the `H` field of a FEN): they
    /// go to the counter for the material, the class counter in 16- and 5-move material and
    /// otherwise the 25-move counter.
    #[must_use]
    pub const fn with_plies(start: &Position, plies: u16) -> DrawCounters {
        let mut counters = DrawCounters::new(start);
        match counters.class {
            MaterialClass::Other => counters.reversible = plies,
            MaterialClass::SixteenMoves => {
                counters.in_class = plies;
                counters.since_sixteen = plies.saturating_add(1);
            }
            _ => counters.in_class = plies,
        }
        counters
    }

    /// The counters after a legal move from `before` to `after`.
    #[inline]
    #[must_use]
    pub fn after(&self, before: &Position, mv: Move, after: &Position) -> DrawCounters {
        let reversible =
            if before.is_irreversible(mv) { 0 } else { self.reversible.saturating_add(1) };
        let (class, variant) = (MaterialClass::of(after), after.variant());
        if class == MaterialClass::Other {
            return DrawCounters { class, variant, reversible, ..DrawCounters::default() };
        }
        let same = class == self.class;
        let in_class = if same { self.in_class.saturating_add(1) } else { 0 };
        let since_sixteen = match class {
            MaterialClass::SixteenMoves => in_class.saturating_add(1),
            _ if self.since_sixteen == 0 => 0,
            _ => self.since_sixteen.saturating_add(1),
        };
        DrawCounters { class, variant, reversible, in_class, since_sixteen }
    }

    /// The material class of the position.
    #[inline]
    #[must_use]
    pub const fn class(&self) -> MaterialClass {
        self.class
    }

    /// Plies since the last capture or man move; no position further back can recur.
    #[inline]
    #[must_use]
    pub const fn reversible(&self) -> u16 {
        self.reversible
    }

    /// Plies since the material class arose, the move that made it not counted; 0 in
    /// [`MaterialClass::Other`].
    #[inline]
    #[must_use]
    pub const fn in_class(&self) -> u16 {
        self.in_class
    }

    /// The number for the `H` field of a FEN; [`DrawCounters::with_plies`] reads it back.
    #[must_use]
    pub const fn plies(&self) -> u16 {
        match self.class {
            MaterialClass::Other => self.reversible,
            _ => self.in_class,
        }
    }

    /// The draw by counting, if there is one. Comes after the win (no legal move) and after
    /// repetition.
    #[inline]
    #[must_use]
    pub fn draw(&self, rules: DrawRules) -> Option<DrawReason> {
        match self.nearest_limit(rules) {
            Some((0, reason)) => Some(reason),
            _ => None,
        }
    }

    /// The number of plies after which the counters make a draw, if the class does not change and,
    /// in class [`MaterialClass::Other`], no capture or man move comes; 0 if they do already,
    /// `None` if the rules count nothing.
    ///
    /// A side that wins by its move on the last of these plies has won: the win comes first.
    #[inline]
    #[must_use]
    pub fn plies_left(&self, rules: DrawRules) -> Option<u16> {
        self.nearest_limit(rules).map(|(left, _)| left)
    }

    #[inline]
    fn nearest_limit(&self, rules: DrawRules) -> Option<(u16, DrawReason)> {
        if !rules.has_counters() {
            return None;
        }
        let in_class = self.class.limit();
        let in_class =
            in_class.map(|(plies, reason)| (plies.saturating_sub(self.in_class), reason));
        if !matches!(self.variant, Variant::International | Variant::Killer) {
            return in_class;
        }
        let mut nearest = in_class.unwrap_or((u16::MAX, DrawReason::TwentyFiveMoves));
        let mut limit = |left: u16, reason: DrawReason| {
            if left < nearest.0 {
                nearest = (left, reason);
            }
        };
        if rules == DrawRules::FmjdCumulative && self.since_sixteen != 0 {
            let left = SIXTEEN_MOVES.saturating_sub(self.since_sixteen - 1);
            limit(left, DrawReason::SixteenMoves);
        }
        let left = TWENTY_FIVE_MOVES.saturating_sub(self.reversible);
        limit(left, DrawReason::TwentyFiveMoves);
        Some(nearest)
    }
}

/// How many earlier positions equal the last one.
///
/// `keys` are the position keys in order, the current one last; `reversible` is
/// [`DrawCounters::reversible`] of the current position, which limits how far back it looks. Keys
/// an even number of plies apart have the same side to move, and a position cannot recur before
/// four plies. The third occurrence, a draw, is the result 2; a search also takes 1 for a draw.
///
/// # Examples
/// ```
/// use movegen::draw::earlier_occurrences;
///
/// assert_eq!(earlier_occurrences(&[1, 2, 3, 4, 1, 2, 3, 4, 1], 8), 2);
/// assert_eq!(earlier_occurrences(&[1, 2, 3, 4, 1, 2, 3, 4, 1], 7), 1);
/// ```
#[inline]
#[must_use]
pub fn earlier_occurrences(keys: &[u64], reversible: u16) -> u32 {
    recurrences(keys, reversible).count() as u32
}

/// Whether an earlier position equals the last one: [`earlier_occurrences`] is not 0, without
/// counting further.
#[inline]
#[must_use]
pub fn is_repetition(keys: &[u64], reversible: u16) -> bool {
    recurrences(keys, reversible).next().is_some()
}

/// How many plies ago each occurrence of the current key was.
pub(crate) fn recurrences(keys: &[u64], reversible: u16) -> impl Iterator<Item = usize> + '_ {
    let furthest = usize::from(reversible).min(keys.len().saturating_sub(1));
    let last = keys.len().saturating_sub(1);
    (4..=furthest).step_by(2).filter(move |&back| keys[last - back] == keys[last])
}
