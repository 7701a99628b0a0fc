//! The games that are played on the board of 10x10, and the state that one of them adds.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::square::Square;
use crate::wld::Wld;

/// A game of the board of 10x10. As text: [`Variant::name`]; the names of Hub and of lidraughts are
/// read as well.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Variant {
    /// The rules of the World Draughts Federation.
    #[default]
    International,
    /// A king that captures a king last stops on the square behind it.
    Killer,
    /// The first king wins.
    Breakthrough,
    /// A side without a legal move wins. Antidraughts on lidraughts.
    Losing,
    /// Captures along rows and columns too, the greatest value counts, three king moves in a row.
    Frisian,
    /// Frisian with five men each.
    Frysk,
}

/// Name, other names that are read, name in Hub, `GameType` and tag `Variant` of PDN.
struct VariantNames {
    name: &'static str,
    others: &'static [&'static str],
    hub: &'static str,
    title: &'static str,
    game_type: &'static str,
}

impl Variant {
    /// All of them.
    pub const ALL: [Variant; 6] = [
        Variant::International,
        Variant::Killer,
        Variant::Breakthrough,
        Variant::Losing,
        Variant::Frisian,
        Variant::Frysk,
    ];

    const fn names(self) -> VariantNames {
        let (name, others, hub, title, game_type): (_, &[&str], _, _, _) = match self {
            Variant::International => {
                ("international", &["normal", "standard"], "normal", "International", "20")
            }
            Variant::Killer => ("killer", &[], "killer", "Killer", "20"),
            Variant::Breakthrough => ("breakthrough", &["bt"], "bt", "Breakthrough", "96"),
            Variant::Losing => ("losing", &["antidraughts"], "losing", "Antidraughts", "98"),
            Variant::Frisian => ("frisian", &[], "frisian", "Frisian", "40"),
            Variant::Frysk => ("frysk", &["frysk!"], "frisian", "Frysk!", "97"),
        };
        VariantNames { name, others, hub, title, game_type }
    }

    /// The name in options and files: `international`, `killer`, `breakthrough`, `losing`,
    /// `frisian`, `frysk`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.names().name
    }

    /// The value of the Hub parameter `variant`. Frysk! is Frisian there, from another start.
    #[must_use]
    pub const fn hub_name(self) -> &'static str {
        self.names().hub
    }

    /// The name for people, which lidraughts writes into the tag `Variant`.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.names().title
    }

    /// The number of the PDN tag `GameType`. Killer has none of its own: every move of it is one
    /// of the international game.
    #[must_use]
    pub const fn game_type(self) -> &'static str {
        self.names().game_type
    }

    /// Whether the rules are those of Frisian: captures in eight directions, king moves counted.
    #[inline(always)]
    #[must_use]
    pub const fn is_frisian(self) -> bool {
        matches!(self, Variant::Frisian | Variant::Frysk)
    }

    /// The game with the same rules that stands for both, for example in files of weights: Frysk! is
    /// Frisian from another start.
    #[must_use]
    pub const fn rules(self) -> Variant {
        if self.is_frisian() { Variant::Frisian } else { self }
    }

    /// Whether it is the international game.
    #[inline(always)]
    #[must_use]
    pub const fn is_international(&self) -> bool {
        matches!(self, Variant::International)
    }

    /// What a side to move has from being without a legal move.
    #[inline(always)]
    #[must_use]
    pub const fn without_move(self) -> Wld {
        if matches!(self, Variant::Losing) { Wld::Win } else { Wld::Loss }
    }

    /// Whether the third occurrence of a position is a draw. Frisian knows no repetition.
    #[inline(always)]
    #[must_use]
    pub const fn has_repetition(self) -> bool {
        !self.is_frisian()
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that names no variant.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "'{text}' names no variant: expected international, killer, breakthrough, losing, frisian \
     or frysk"
)]
pub struct ParseVariantError {
    /// The offending text (at most 40 characters).
    pub text: String,
}

impl FromStr for Variant {
    type Err = ParseVariantError;

    fn from_str(text: &str) -> Result<Variant, ParseVariantError> {
        let is = |name: &str| name.eq_ignore_ascii_case(text);
        Variant::ALL
            .into_iter()
            .find(|v| is(v.name()) || v.names().others.iter().any(|&other| is(other)))
            .ok_or_else(|| ParseVariantError { text: text.chars().take(40).collect() })
    }
}

/// The king that a side has just moved several times in a row, and how often: what Frisian's
/// three-move rule needs to know (official rules, article 17).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KingRun {
    /// Where the king stands now.
    pub square: Square,
    /// Its quiet moves in a row, 1 to [`KingRun::LIMIT`].
    pub moves: u8,
}

impl KingRun {
    /// After so many moves only another piece may move, or the king capture.
    pub const LIMIT: u8 = 3;
}

/// A [`KingRun`] or none in a byte: the square's bit number, and the moves in the two lowest bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct PackedRun(u8);

impl PackedRun {
    pub(crate) const NONE: PackedRun = PackedRun(0);

    pub(crate) const fn new(run: KingRun) -> PackedRun {
        PackedRun((run.square.bit() as u8) << 2 | run.moves)
    }

    pub(crate) const fn get(self) -> Option<KingRun> {
        match self.0 & 3 {
            0 => None,
            moves => {
                let square = Square::from_bit_unchecked(self.0 as u32 >> 2);
                Some(KingRun { square, moves })
            }
        }
    }

    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// From [`PackedRun::bits`].
    pub(crate) const fn from_bits(bits: u8) -> PackedRun {
        PackedRun(bits)
    }

    /// The square of a king that may not move, as a set.
    pub(crate) const fn stopped(self) -> u64 {
        if self.0 & 3 == KingRun::LIMIT { 1 << (self.0 >> 2) } else { 0 }
    }
}
