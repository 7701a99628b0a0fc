//! Where games of self-play begin.

use std::fmt;
use std::str::FromStr;

use movegen::{Bitboard, Color, Kind, Piece, Position, Setup, Square};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use meerslag_study::openings;
use movegen::random::Random;

/// Kinds of [`SelfplayOpening`].
const KINDS: usize = 5;

/// How the start position of a game is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SelfplayOpening {
    /// 8 to 12 random plies from the initial position.
    Start,
    /// A three-move ballot and 4 to 6 random plies.
    Ballot,
    /// The middle of a quickly played game and two random plies.
    Middle,
    /// 8 to 16 pieces anywhere, up to two kings a side and at least one on the board.
    Endgame,
    /// An unbalanced opening of matches and 2 to 4 random plies.
    Unbalanced,
}

impl SelfplayOpening {
    /// All, by their numbers in the file.
    pub const ALL: [SelfplayOpening; KINDS] = [
        SelfplayOpening::Start,
        SelfplayOpening::Ballot,
        SelfplayOpening::Middle,
        SelfplayOpening::Endgame,
        SelfplayOpening::Unbalanced,
    ];

    /// The name in a mix.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SelfplayOpening::Start => "start",
            SelfplayOpening::Ballot => "ballot",
            SelfplayOpening::Middle => "middle",
            SelfplayOpening::Endgame => "endgame",
            SelfplayOpening::Unbalanced => "unbalanced",
        }
    }

    pub(super) fn code(self) -> u8 {
        SelfplayOpening::ALL.iter().position(|&kind| kind == self).unwrap_or_default() as u8
    }

    pub(super) fn from_code(code: u8) -> Option<SelfplayOpening> {
        SelfplayOpening::ALL.get(usize::from(code)).copied()
    }
}

/// How often each kind of opening is played: weights in the order of [`SelfplayOpening::ALL`]. As text
/// `start=50,ballot=33,middle=9,endgame=8`, the default; kinds that are not named have none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OpeningMix([u32; KINDS]);

/// Why a text is not a mix of openings.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "'{part}': expected KIND=WEIGHT,... with the kinds start, ballot, middle, endgame and unbalanced, each at most once, and weights from 0 to 1000 that are not all 0"
)]
pub struct ParseMixError {
    part: String,
}

impl OpeningMix {
    const MAX_WEIGHT: u32 = 1000;

    pub(super) fn pick(&self, random: &mut Random) -> SelfplayOpening {
        let all: u32 = self.0.iter().sum();
        let mut drawn = random.below(all as usize) as u32;
        for (kind, &weight) in SelfplayOpening::ALL.iter().zip(&self.0) {
            if drawn < weight {
                return *kind;
            }
            drawn -= weight;
        }
        unreachable!("the number is below the sum of the weights")
    }
}

impl Default for OpeningMix {
    fn default() -> OpeningMix {
        OpeningMix([50, 33, 9, 8, 0])
    }
}

impl fmt::Display for OpeningMix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let played = SelfplayOpening::ALL.iter().zip(&self.0).filter(|(_, weight)| **weight > 0);
        for (i, (kind, weight)) in played.enumerate() {
            write!(f, "{}{}={weight}", if i == 0 { "" } else { "," }, kind.name())?;
        }
        Ok(())
    }
}

impl From<OpeningMix> for String {
    fn from(mix: OpeningMix) -> String {
        mix.to_string()
    }
}

impl TryFrom<String> for OpeningMix {
    type Error = ParseMixError;

    fn try_from(text: String) -> Result<OpeningMix, ParseMixError> {
        text.parse()
    }
}

impl FromStr for OpeningMix {
    type Err = ParseMixError;

    fn from_str(text: &str) -> Result<OpeningMix, ParseMixError> {
        let mut weights = [None; KINDS];
        for part in text.split(',') {
            let error = || ParseMixError { part: part.chars().take(40).collect() };
            let (name, weight) = part.trim().split_once('=').ok_or_else(error)?;
            let kind = SelfplayOpening::ALL.iter().position(|kind| kind.name() == name);
            let weight: u32 = weight.parse().map_err(|_| error())?;
            let slot = &mut weights[kind.ok_or_else(error)?];
            if slot.is_some() || weight > OpeningMix::MAX_WEIGHT {
                return Err(error());
            }
            *slot = Some(weight);
        }
        let weights = weights.map(Option::unwrap_or_default);
        if weights == [0; KINDS] {
            return Err(ParseMixError { part: text.chars().take(40).collect() });
        }
        Ok(OpeningMix(weights))
    }
}

/// Plays this number of random moves; `None` if the game is over before.
pub(super) fn random_plies(
    mut position: Position,
    plies: usize,
    random: &mut Random,
) -> Option<Position> {
    for _ in 0..plies {
        let mut moves = position.legal_moves();
        if moves.is_empty() {
            return None;
        }
        // Independent of the generator's order: the games of a seed stay the same.
        moves.sort_unstable();
        position = position.after(moves[random.below(moves.len())]);
    }
    position.has_legal_move().then_some(position)
}

/// The three-move ballots.
pub(super) fn ballots() -> Vec<Position> {
    openings::three_move_ballots().iter().map(|opening| *opening.position()).collect()
}

/// The unbalanced openings.
pub(super) fn unbalanced() -> Vec<Position> {
    openings::unbalanced().iter().map(|opening| *opening.position()).collect()
}

/// Pieces anywhere: 8 to 16 of them, the sides equal to within one, up to two kings a side and at
/// least one on the board.
pub(super) fn scattered(random: &mut Random) -> Option<Position> {
    let all = 8 + random.below(9);
    let white = (all / 2 + random.below(3)).saturating_sub(1);
    let mut setup = Setup::empty(Color::ALL[random.below(2)]);
    // The digits of a number in base 3 that is not 0: White's kings and Black's.
    let kings = 1 + random.below(8);
    let sides = [(Color::White, white, kings % 3), (Color::Black, all - white, kings / 3)];
    for (color, count, kings) in sides {
        for i in 0..count {
            let kind = if i < kings { Kind::King } else { Kind::Man };
            let forbidden = match kind {
                Kind::King => Bitboard::EMPTY,
                Kind::Man => Bitboard::promotion_row(color),
            };
            let free: Vec<Square> =
                (Bitboard::ALL - setup.occupied() - forbidden).into_iter().collect();
            setup.put(Piece { color, kind }, free[random.below(free.len())]);
        }
    }
    setup.position().ok().filter(Position::has_legal_move)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_is_read_and_written() {
        let mix: OpeningMix = "start=50,ballot=33,middle=9,endgame=8".parse().unwrap();
        assert_eq!(mix, OpeningMix::default());
        assert_eq!(mix.to_string().parse::<OpeningMix>().unwrap(), mix);
        let some: OpeningMix = "unbalanced=10,start=7,ballot=0".parse().unwrap();
        assert_eq!(some.to_string(), "start=7,unbalanced=10");
        assert_eq!(some.to_string().parse::<OpeningMix>().unwrap(), some);
        let only: OpeningMix = "endgame=1".parse().unwrap();
        let mut random = Random::new(1);
        assert!((0..50).all(|_| only.pick(&mut random) == SelfplayOpening::Endgame));
        for bad in ["", "start", "start=x", "start=1,start=2", "book=1", "start=0", "start=1001"] {
            assert!(bad.parse::<OpeningMix>().is_err(), "{bad}");
        }
    }

    #[test]
    fn each_kind_comes_as_often_as_the_mix_says() {
        let mut random = Random::new(2);
        for (mix, percents) in [
            (OpeningMix::default(), [50, 33, 9, 8, 0]),
            (
                "start=35,ballot=22,middle=8,endgame=25,unbalanced=10".parse().unwrap(),
                [35, 22, 8, 25, 10],
            ),
        ] {
            let mut counts = [0u32; KINDS];
            for _ in 0..10_000 {
                counts[usize::from(mix.pick(&mut random).code())] += 1;
            }
            for (count, percent) in counts.iter().zip(percents) {
                assert!(count.abs_diff(100 * percent) < 300, "{counts:?}");
            }
        }
    }

    #[test]
    fn scattered_positions_have_the_pieces_they_should() {
        let mut random = Random::new(3);
        let mut pieces = std::collections::BTreeSet::new();
        for position in (0..500).filter_map(|_| scattered(&mut random)) {
            let count = |color| position.pieces(color).len();
            pieces.insert(position.piece_count());
            assert!(count(Color::White).abs_diff(count(Color::Black)) <= 3);
            assert!(Color::ALL.iter().all(|&color| position.kings(color).len() <= 2));
            assert!(!position.all_kings().is_empty());
        }
        assert!(pieces.into_iter().eq(8..=16));
    }

    #[test]
    fn ballots_and_unbalanced_openings_are_all_there() {
        assert_eq!((ballots().len(), unbalanced().len()), (331, 300));
    }
}
