//! Where games of self-play begin.

use std::fmt;
use std::str::FromStr;

use movegen::{Bitboard, Color, Kind, Move, Piece, Position, Setup, Square, Variant};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use meerslag_study::openings;
use movegen::random::Random;

/// Kinds of [`SelfplayOpening`].
const KINDS: usize = 5;

/// How the start position of a game is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SelfplayOpening {
    /// 14 random plies from the initial position.
    Start,
    /// A three-move ballot and 10 random plies.
    Ballot,
    /// The middle of a quickly played game that begins as [`SelfplayOpening::Start`], and two random
    /// plies.
    Middle,
    /// 8 to 16 pieces anywhere, up to two kings a side and at least one on the board.
    Endgame,
    /// An unbalanced opening of matches and 10 random plies.
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

    /// The usual mix in a game of the board: ballots are of the international one.
    #[must_use]
    pub const fn of(variant: Variant) -> OpeningMix {
        if variant.is_international() {
            OpeningMix([50, 33, 9, 8, 0])
        } else {
            OpeningMix([80, 0, 12, 8, 0])
        }
    }

    /// Whether no game begins with an opening of the international game.
    pub(super) fn is_of_any_game(self) -> bool {
        let [_, ballot, _, _, unbalanced] = self.0;
        ballot + unbalanced == 0
    }

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
        OpeningMix::of(Variant::International)
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

/// How many starts a seed has before it takes those of the next one.
pub(super) const STARTS_OF_SEED: u64 = 1 << 17;
/// Numbers tried for one start: most stand for none, or for one where a side is ahead.
const TRIALS: u64 = 1 << 9;
/// Numbers of a kind of starts: a power of two, so that seeds come round again after 64.
const NUMBERS: u64 = 1 << 32;

/// The numbers tried for a game, in turn. No two games of 64 seeds in sequence share one.
pub(super) fn numbers(seed: u64, game: u64) -> impl Iterator<Item = u64> {
    let first = seed.wrapping_mul(STARTS_OF_SEED).wrapping_add(game).wrapping_mul(TRIALS);
    (0..TRIALS).map(move |trial| permuted(first.wrapping_add(trial) % NUMBERS))
}

/// A permutation of the numbers below [`NUMBERS`].
const fn permuted(number: u64) -> u64 {
    let mut z = number;
    let mut round = 0;
    while round < 3 {
        // Each step can be undone within 32 bits.
        z = (z ^ z >> 16).wrapping_mul(0x9e37_79b1) % NUMBERS;
        round += 1;
    }
    z ^ z >> 16
}

/// Plies that a number tells: one of some first positions, then moves.
pub(super) struct NumberedPlies {
    first: Vec<Position>,
    plies: usize,
    /// After three plies only one of these; none means any.
    ballots: Vec<Position>,
}

impl NumberedPlies {
    /// Plies from the initial position, as many as give millions of starts.
    pub(super) fn start(variant: Variant) -> NumberedPlies {
        let first = vec![Position::initial_of(variant)];
        NumberedPlies { first, plies: 14, ballots: Vec::new() }
    }

    /// The same with a three-move ballot at first.
    pub(super) fn ballot() -> NumberedPlies {
        let ballots = openings::three_move_ballots();
        let ballots = ballots.iter().map(|opening| *opening.position()).collect();
        // With another number of plies they have another side to move.
        NumberedPlies { plies: 13, ballots, ..NumberedPlies::start(Variant::International) }
    }

    /// Plies after an unbalanced opening.
    pub(super) fn unbalanced() -> NumberedPlies {
        let first = openings::unbalanced();
        let first = first.iter().map(|opening| *opening.position()).collect();
        NumberedPlies { first, plies: 10, ballots: Vec::new() }
    }

    fn allows(&self, plies: usize, position: &Position) -> bool {
        plies != 3 || self.ballots.is_empty() || self.ballots.contains(position)
    }

    /// The position of this number, if it has one. Two numbers have hardly ever the same: moves that
    /// lead to a position which the same side reaches by smaller ones, two plies apart, are left out.
    pub(super) fn position(&self, number: u64) -> Option<Position> {
        let mut left = number;
        let mut digit = |below: usize| {
            let digit = left % below as u64;
            left /= below as u64;
            digit as usize
        };
        let mut path = vec![self.first[digit(self.first.len())]];
        let mut played: Vec<Move> = Vec::new();
        for ply in 0..self.plies {
            let position = path[ply];
            let twins = match (played.get(ply.wrapping_sub(2)..), path.get(ply.wrapping_sub(2))) {
                (Some(&[first, reply]), Some(before)) => self.twins(ply, before, first, reply),
                _ => Vec::new(),
            };
            // Independent of the generator's order.
            let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
            moves.sort_unstable();
            moves.retain(|&mv| {
                let next = position.after(mv);
                self.allows(ply + 1, &next) && !twins.contains(&next)
            });
            if moves.is_empty() {
                return None;
            }
            let mv = moves[digit(moves.len())];
            path.push(position.after(mv));
            played.push(mv);
        }
        path.pop().filter(|position| left == 0 && position.has_legal_move())
    }

    /// What the side to move in `before` reaches with its move number `ply`, after a smaller move than
    /// `first` and the same reply.
    fn twins(&self, ply: usize, before: &Position, first: Move, reply: Move) -> Vec<Position> {
        let mut twins = Vec::new();
        for &other in before.legal_moves().iter().filter(|&&other| other < first) {
            let between = before.after(other);
            if !self.allows(ply - 1, &between) || !between.legal_moves().contains(&reply) {
                continue;
            }
            let next = between.after(reply);
            if self.allows(ply, &next) {
                twins.extend(next.legal_moves().iter().map(|&mv| next.after(mv)));
            }
        }
        twins
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

/// Pieces anywhere: 8 to 16 of them, the sides equal to within one, up to two kings a side and at
/// least one on the board; in Breakthrough none, since the first one wins.
pub(super) fn scattered(variant: Variant, random: &mut Random) -> Option<Position> {
    let all = 8 + random.below(9);
    let white = (all / 2 + random.below(3)).saturating_sub(1);
    let mut setup = Setup::empty(Color::ALL[random.below(2)]);
    // The digits of a number in base 3 that is not 0: White's kings and Black's.
    let kings = if variant == Variant::Breakthrough { 0 } else { 1 + random.below(8) };
    let sides = [(Color::White, white, kings % 3), (Color::Black, all - white, kings / 3)];
    for (color, count, kings) in sides {
        for i in 0..count {
            let kind = if i < kings { Kind::King } else { Kind::Man };
            put_at_random(Piece { color, kind }, &mut setup, random);
        }
    }
    let position = setup.position().ok()?.with_variant(variant);
    position.has_legal_move().then_some(position)
}

/// Puts a piece on a free square where its kind may stand.
pub(super) fn put_at_random(piece: Piece, setup: &mut Setup, random: &mut Random) {
    let forbidden = match piece.kind {
        Kind::King => Bitboard::EMPTY,
        Kind::Man => Bitboard::promotion_row(piece.color),
    };
    let free: Vec<Square> = (Bitboard::ALL - setup.occupied() - forbidden).into_iter().collect();
    setup.put(piece, free[random.below(free.len())]);
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

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
        for position in (0..500).filter_map(|_| scattered(Variant::International, &mut random)) {
            let count = |color| position.pieces(color).len();
            pieces.insert(position.piece_count());
            assert!(count(Color::White).abs_diff(count(Color::Black)) <= 3);
            assert!(Color::ALL.iter().all(|&color| position.kings(color).len() <= 2));
            assert!(!position.all_kings().is_empty());
        }
        assert!(pieces.into_iter().eq(8..=16));
    }

    #[test]
    fn no_number_and_no_start_comes_twice() {
        let mut seen = HashSet::new();
        let last = STARTS_OF_SEED - 1;
        for (seed, game) in [(0, 0), (0, 1), (0, last), (1, 0), (1, last), (63, last), (9, 7)] {
            assert!(numbers(seed, game).all(|number| number < NUMBERS && seen.insert(number)));
        }
        // Five men each come back to where they were more often.
        for (plies, first, copies) in [
            (NumberedPlies::start(Variant::International), 1, 20),
            (NumberedPlies::start(Variant::Frisian), 1, 20),
            (NumberedPlies::start(Variant::Frysk), 1, 200),
            (NumberedPlies::ballot(), 1, 20),
            (NumberedPlies::unbalanced(), 300, 20),
        ] {
            assert_eq!(plies.first.len(), first);
            let number = (0..).flat_map(|game| numbers(7, game));
            let starts: Vec<Position> =
                number.filter_map(|number| plies.position(number)).take(20_000).collect();
            let distinct: HashSet<&Position> = starts.iter().collect();
            assert!(distinct.len() + copies > starts.len(), "{}", distinct.len());
        }
    }
}
