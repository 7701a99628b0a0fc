//! The draw rules: repetition, 25 moves, 16 moves and 5 moves.
//!
//! The rules of the World Draughts Federation (annex 1, article on draws) leave open how the
//! counters of the small endings start and whether they go on after a capture. The default here
//! is the reading of lidraughts; [`DrawRuleSet`] names the others.
//!
//! After each move the material puts the position in a class:
//!
//! * [`MaterialClass::FiveMoves`]: a lone king against one or two pieces, at least one a king;
//! * [`MaterialClass::SixteenMoves`]: a lone king against three pieces, at least one a king;
//! * [`MaterialClass::Other`]: everything else, a lone king against men only included.
//!
//! [`DrawCounters`] carries what the rules need to know of the past: the plies since the last
//! capture or man move (25-move rule, and how far back a repetition can lie) and the plies since
//! the class arose (16- and 5-move rules). The move that makes the class is not counted; from
//! there on every ply is, whatever is played, until the class changes. Counters are small and
//! `Copy`, so a search keeps one per ply on its stack; repetition works on a slice of keys that
//! the caller owns.

use std::fmt;
use std::str::FromStr;

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::error::ParseDrawRulesError;
use crate::moves::Move;
use crate::position::Position;

/// The 25-move rule in plies.
pub const TWENTY_FIVE_MOVES: u16 = 50;
/// The 16-move rule in plies.
pub const SIXTEEN_MOVES: u16 = 32;
/// The 5-move rule in plies.
pub const FIVE_MOVES: u16 = 10;
/// How many times a position must occur for a draw by repetition.
pub const REPETITION_OCCURRENCES: u32 = 3;

/// Which reading of the draw rules is in force.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DrawRuleSet {
    /// All four rules; the class counter starts anew when 16-move material becomes 5-move
    /// material. What lidraughts does.
    #[default]
    Lidraughts,
    /// As `Lidraughts`, but the 16-move counter keeps running when the material becomes 5-move
    /// material, and both limits apply.
    FmjdCumulative,
    /// Repetition only. What Scan knows.
    Scan,
    /// No draw at all.
    None,
}

impl DrawRuleSet {
    /// All rule sets.
    pub const ALL: [DrawRuleSet; 4] = [
        DrawRuleSet::Lidraughts,
        DrawRuleSet::FmjdCumulative,
        DrawRuleSet::Scan,
        DrawRuleSet::None,
    ];

    /// The name used in options: `lidraughts`, `fmjd-cumulative`, `scan`, `none`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DrawRuleSet::Lidraughts => "lidraughts",
            DrawRuleSet::FmjdCumulative => "fmjd-cumulative",
            DrawRuleSet::Scan => "scan",
            DrawRuleSet::None => "none",
        }
    }
}

impl fmt::Display for DrawRuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for DrawRuleSet {
    type Err = ParseDrawRulesError;

    fn from_str(text: &str) -> Result<DrawRuleSet, ParseDrawRulesError> {
        DrawRuleSet::ALL
            .into_iter()
            .find(|set| set.name() == text)
            .ok_or_else(|| ParseDrawRulesError { text: text.chars().take(40).collect() })
    }
}

/// The draw rules of a game. As text: the name of the rule set, with `+long-diagonal5` behind it
/// when that clause is on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct DrawRules {
    /// The reading of the official rules.
    pub set: DrawRuleSet,
    /// A clause quoted for some edition of the 16-move rule: while the lone king stays on the long
    /// diagonal, 5 moves instead of 16. Uncertain, off by default; without effect in rule sets
    /// that have no 16-move rule. The plies count from the first position of the class in which
    /// the king stands on the diagonal and start again when it comes back after leaving it.
    pub long_diagonal5: bool,
}

const LONG_DIAGONAL_SUFFIX: &str = "+long-diagonal5";

impl DrawRules {
    /// The default: all rules as lidraughts reads them.
    pub const LIDRAUGHTS: DrawRules = DrawRules::of(DrawRuleSet::Lidraughts);
    /// All rules, the 16-move counter running on.
    pub const FMJD_CUMULATIVE: DrawRules = DrawRules::of(DrawRuleSet::FmjdCumulative);
    /// Repetition only.
    pub const SCAN: DrawRules = DrawRules::of(DrawRuleSet::Scan);
    /// No draw at all.
    pub const NONE: DrawRules = DrawRules::of(DrawRuleSet::None);

    const fn of(set: DrawRuleSet) -> DrawRules {
        DrawRules { set, long_diagonal5: false }
    }

    /// Whether the third occurrence of a position is a draw.
    #[inline]
    #[must_use]
    pub const fn has_repetition(self) -> bool {
        !matches!(self.set, DrawRuleSet::None)
    }

    /// Whether plies are counted (25-, 16- and 5-move rules).
    #[inline]
    #[must_use]
    pub const fn has_counters(self) -> bool {
        matches!(self.set, DrawRuleSet::Lidraughts | DrawRuleSet::FmjdCumulative)
    }
}

impl From<DrawRuleSet> for DrawRules {
    fn from(set: DrawRuleSet) -> DrawRules {
        DrawRules::of(set)
    }
}

impl fmt::Display for DrawRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.set, if self.long_diagonal5 { LONG_DIAGONAL_SUFFIX } else { "" })
    }
}

impl FromStr for DrawRules {
    type Err = ParseDrawRulesError;

    fn from_str(text: &str) -> Result<DrawRules, ParseDrawRulesError> {
        let bare = text.strip_suffix(LONG_DIAGONAL_SUFFIX);
        let set = bare.unwrap_or(text).parse()?;
        Ok(DrawRules { set, long_diagonal5: bare.is_some() })
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
    /// 10 plies with three pieces against a lone king on the long diagonal (optional clause).
    LongDiagonal,
}

impl fmt::Display for DrawReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            DrawReason::Repetition => "third occurrence of the position",
            DrawReason::TwentyFiveMoves => "25 moves without a capture or a man move",
            DrawReason::SixteenMoves => "16 moves with three pieces against one king",
            DrawReason::FiveMoves => "5 moves with at most two pieces against one king",
            DrawReason::LongDiagonal => "5 moves with the lone king on the long diagonal",
        })
    }
}

/// What the material says about the draw rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MaterialClass {
    /// Only repetition and the 25-move rule apply.
    #[default]
    Other,
    /// A lone king against three pieces, at least one of them a king.
    SixteenMoves,
    /// A lone king against one or two pieces, at least one of them a king.
    FiveMoves,
}

impl MaterialClass {
    /// The class of a position; the side to move does not matter.
    #[inline]
    #[must_use]
    pub const fn of(position: &Position) -> MaterialClass {
        let pieces = position.piece_count();
        if pieces > 4 {
            return MaterialClass::Other;
        }
        let kings = [position.kings(Color::Black).len(), position.kings(Color::White).len()];
        let alone = position.pieces(Color::Black).len() == 1 && kings[0] == 1 && kings[1] != 0
            || position.pieces(Color::White).len() == 1 && kings[1] == 1 && kings[0] != 0;
        match (alone, pieces) {
            (true, 4) => MaterialClass::SixteenMoves,
            (true, _) => MaterialClass::FiveMoves,
            (false, _) => MaterialClass::Other,
        }
    }
}

/// What the draw rules need to know of the past of one position, the positions themselves
/// excepted. All counts are in plies and stop at 65535.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct DrawCounters {
    class: MaterialClass,
    /// Since the last capture or man move.
    reversible: u16,
    /// Since the class arose; 0 in class `Other`.
    in_class: u16,
    /// Since 16-move material arose, running on in the 5-move material that came out of it. Plus
    /// one; 0 when it does not run.
    since_sixteen: u16,
    /// Since the lone king of 16-move material came to (or was found on) the long diagonal. Plus
    /// one; 0 when it is not there.
    on_diagonal: u16,
}

impl DrawCounters {
    /// The counters of a start position: all 0.
    #[must_use]
    pub const fn new(start: &Position) -> DrawCounters {
        let class = MaterialClass::of(start);
        let sixteen = matches!(class, MaterialClass::SixteenMoves);
        DrawCounters {
            class,
            reversible: 0,
            in_class: 0,
            since_sixteen: sixteen as u16,
            on_diagonal: (sixteen && lone_king_on_long_diagonal(start)) as u16,
        }
    }

    /// The counters of a start position of which `plies` have already been counted (the `H` field
    /// of a FEN): they go to the counter that applies to the material, that is the class counter
    /// in 16- and 5-move material and the 25-move counter otherwise.
    #[must_use]
    pub const fn with_plies(start: &Position, plies: u16) -> DrawCounters {
        let mut counters = DrawCounters::new(start);
        match counters.class {
            MaterialClass::Other => counters.reversible = plies,
            MaterialClass::SixteenMoves => {
                counters.in_class = plies;
                counters.since_sixteen = plies.saturating_add(1);
            }
            MaterialClass::FiveMoves => counters.in_class = plies,
        }
        counters
    }

    /// The counters after a legal move from `before` to `after`.
    #[inline]
    #[must_use]
    pub fn after(&self, before: &Position, mv: Move, after: &Position) -> DrawCounters {
        let reversible =
            if before.is_irreversible(mv) { 0 } else { self.reversible.saturating_add(1) };
        let class = MaterialClass::of(after);
        if class == MaterialClass::Other {
            return DrawCounters { class, reversible, ..DrawCounters::default() };
        }
        let next = |counter: u16| if counter == 0 { 0 } else { counter.saturating_add(1) };
        let same = class == self.class;
        let in_class = if same { self.in_class.saturating_add(1) } else { 0 };
        let (since_sixteen, on_diagonal) = match class {
            MaterialClass::SixteenMoves if !lone_king_on_long_diagonal(after) => {
                (in_class.saturating_add(1), 0)
            }
            MaterialClass::SixteenMoves => {
                (in_class.saturating_add(1), self.on_diagonal.saturating_add(1))
            }
            _ => (next(self.since_sixteen), 0),
        };
        DrawCounters { class, reversible, in_class, since_sixteen, on_diagonal }
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

    /// After how many more plies the counters make a draw if neither the class changes nor, in
    /// class [`MaterialClass::Other`], a capture or man move comes; 0 when they do already,
    /// `None` when the rules count nothing.
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
        let mut nearest = match self.class {
            MaterialClass::Other => (u16::MAX, DrawReason::TwentyFiveMoves),
            MaterialClass::SixteenMoves => {
                (SIXTEEN_MOVES.saturating_sub(self.in_class), DrawReason::SixteenMoves)
            }
            MaterialClass::FiveMoves => {
                (FIVE_MOVES.saturating_sub(self.in_class), DrawReason::FiveMoves)
            }
        };
        let mut limit = |plus_one: u16, limit: u16, reason: DrawReason| {
            if plus_one != 0 && limit.saturating_sub(plus_one - 1) < nearest.0 {
                nearest = (limit.saturating_sub(plus_one - 1), reason);
            }
        };
        if rules.set == DrawRuleSet::FmjdCumulative {
            limit(self.since_sixteen, SIXTEEN_MOVES, DrawReason::SixteenMoves);
        }
        if rules.long_diagonal5 {
            limit(self.on_diagonal, FIVE_MOVES, DrawReason::LongDiagonal);
        }
        let quiet = self.reversible.saturating_add(1);
        limit(quiet, TWENTY_FIVE_MOVES, DrawReason::TwentyFiveMoves);
        Some(nearest)
    }
}

const fn lone_king_on_long_diagonal(position: &Position) -> bool {
    let (black, white) = (position.pieces(Color::Black), position.pieces(Color::White));
    let alone: Bitboard = if black.len() == 1 { black } else { white };
    alone.bits() & Bitboard::LONG_DIAGONAL.bits() != 0
}

/// How many earlier positions equal the last one.
///
/// `keys` are the position keys in order, the current one last; `reversible` is
/// [`DrawCounters::reversible`] of the current position, which limits how far back it looks. Two
/// of `keys` that are an even number of plies apart have the same side to move, and a position
/// cannot recur before four plies. The third occurrence, a draw, is the result 2; a search also
/// takes 1 for a draw.
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
