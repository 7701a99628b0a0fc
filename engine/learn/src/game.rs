//! A played game and its bytes.
//!
//! All numbers are little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | White's pieces in the ghost layout of [`Square`](movegen::Square); bit 63: Black begins |
//! | 8 | Black's pieces |
//! | 8 | the kings of both |
//! | 1 | the [`SelfplayOpening`] |
//! | 1 | White's result: 0 lost, 1 drawn, 2 won |
//! | 1 | the [`End`] |
//! | 2 | number of plies |
//! | 3 for each ply with a choice | rank of the move among the legal moves in ascending order of [`Move::to_bits`] (1 byte), score in hundredths of a man for the side to move (2 bytes, signed) |
//!
//! A forced move is not searched and takes no space.

use movegen::{Bitboard, Color, Move, Position, Variant, Wld};
use thiserror::Error;

use super::opening::SelfplayOpening;
use movegen::Score;

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum End {
    /// No legal move.
    NoMove,
    /// A draw by the rules.
    DrawRule,
    /// The endgame databases know the result.
    Database,
    /// One side was far ahead for some time.
    Score,
    /// No man moved and no capture for a long time: scored as a draw.
    NoProgress,
    /// Too long, or a position with too many moves for the format: scored as a draw.
    Length,
}

impl End {
    /// All, by their numbers in the file.
    pub const ALL: [End; 6] =
        [End::NoMove, End::DrawRule, End::Database, End::Score, End::NoProgress, End::Length];

    /// Whether the result follows from the rules or an exact value.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        matches!(self, End::NoMove | End::DrawRule | End::Database)
    }

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            End::NoMove => "no legal move",
            End::DrawRule => "draw by rule",
            End::Database => "database",
            End::Score => "score",
            End::NoProgress => "no progress",
            End::Length => "length",
        }
    }
}

/// A move of a played game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayedPly {
    /// The move.
    pub mv: Move,
    /// The search's score for the side to move; `None` for a forced move.
    pub score: Option<Score>,
}

/// A game that the engine played against itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedGame {
    /// Where it began, in Frisian with no king that has just moved.
    pub start: Position,
    /// How that position was made.
    pub opening: SelfplayOpening,
    /// The moves with their scores.
    pub plies: Vec<PlayedPly>,
    /// White's result.
    pub white: Wld,
    /// Why it ended.
    pub end: End,
}

/// Why bytes are not a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum DecodeError {
    /// The bytes end in the middle of a game.
    #[error("it is cut off")]
    CutOff,
    /// The start is not a position.
    #[error("its start is not a legal position")]
    Start,
    /// A number has no meaning.
    #[error("unknown {0}")]
    Unknown(&'static str),
    /// A move that does not exist.
    #[error("ply {0} is not a legal move")]
    NoMove(usize),
}

/// The most legal moves of a position whose move the format can hold.
pub(super) const MAX_MOVES: usize = 256;
const BLACK_BEGINS: u64 = 1 << 63;

impl PlayedGame {
    /// Adds the game's bytes.
    ///
    /// # Panics If a move is illegal, or comes from a position with more than 256 legal moves.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        let side = if self.start.side_to_move() == Color::Black { BLACK_BEGINS } else { 0 };
        let white = self.start.pieces(Color::White).bits() | side;
        bytes.extend(white.to_le_bytes());
        bytes.extend(self.start.pieces(Color::Black).bits().to_le_bytes());
        bytes.extend(self.start.all_kings().bits().to_le_bytes());
        let end = End::ALL.iter().position(|&end| end == self.end).unwrap_or_default();
        bytes.extend([self.opening.code(), self.white.rank(), end as u8]);
        let plies = u16::try_from(self.plies.len()).expect("the length of games is limited");
        bytes.extend(plies.to_le_bytes());
        let mut position = self.start;
        for ply in &self.plies {
            let moves = position.legal_moves();
            if moves.len() > 1 {
                let rank = moves.iter().filter(|mv| mv.to_bits() < ply.mv.to_bits()).count();
                assert!(moves.contains(&ply.mv), "{} is illegal in {position:?}", ply.mv);
                bytes.push(u8::try_from(rank).expect("at most 256 legal moves"));
                let score = ply.score.unwrap_or_default().hundredths() as i16;
                bytes.extend(score.to_le_bytes());
            }
            position = position.after(ply.mv);
        }
    }

    /// Reads a game from the front of `bytes` and removes its bytes. The file says which game of the
    /// board it is.
    ///
    /// # Errors
    /// If the bytes are not a game.
    pub fn decode(bytes: &mut &[u8], variant: Variant) -> Result<PlayedGame, DecodeError> {
        fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], DecodeError> {
            let (head, rest) = bytes.split_first_chunk().ok_or(DecodeError::CutOff)?;
            *bytes = rest;
            Ok(*head)
        }
        let word = |bytes: &mut &[u8]| take(bytes).map(u64::from_le_bytes);
        let (white, black, kings) = (word(bytes)?, word(bytes)?, word(bytes)?);
        let side = if white & BLACK_BEGINS != 0 { Color::Black } else { Color::White };
        let set = |bits| Bitboard::from_bits(bits).ok_or(DecodeError::Start);
        let sets = [set(black)?, set(white & !BLACK_BEGINS)?, set(kings)?];
        let start = Position::from_bitboards(sets[0], sets[1], sets[2], side)
            .map_err(|_| DecodeError::Start)?
            .with_variant(variant);
        let [opening, result, end] = take(bytes)?;
        let opening = SelfplayOpening::from_code(opening).ok_or(DecodeError::Unknown("opening"))?;
        let white = Wld::from_rank(result).ok_or(DecodeError::Unknown("result"))?;
        let end = *End::ALL.get(usize::from(end)).ok_or(DecodeError::Unknown("end"))?;
        let count = usize::from(u16::from_le_bytes(take(bytes)?));
        let mut plies = Vec::with_capacity(count);
        let mut position = start;
        for ply in 0..count {
            let mut moves = position.legal_moves();
            let (mv, score) = match moves.len() {
                0 => return Err(DecodeError::NoMove(ply)),
                1 => (moves[0], None),
                _ => {
                    let [rank, low, high] = take(bytes)?;
                    moves.sort_unstable();
                    let mv = moves.get(usize::from(rank)).ok_or(DecodeError::NoMove(ply))?;
                    (*mv, Some(Score::new(i16::from_le_bytes([low, high]).into())))
                }
            };
            plies.push(PlayedPly { mv, score });
            position = position.after(mv);
        }
        Ok(PlayedGame { start, opening, plies, white, end })
    }

    /// The position before each move, with the move's ply, and the last one, without.
    pub fn positions(&self) -> impl Iterator<Item = (Position, Option<&PlayedPly>)> {
        let mut position = self.start;
        self.plies.iter().map(Some).chain([None]).map(move |ply| {
            let before = position;
            if let Some(ply) = ply {
                position = position.after(ply.mv);
            }
            (before, ply)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::test_games::{random_game, random_game_of};
    use super::*;

    proptest! {
        #[test]
        fn games_come_back(seed: u64, variant in prop::sample::select(&Variant::ALL[..])) {
            let games = [seed, seed ^ 1].map(|seed| random_game_of(variant, seed));
            let mut bytes = Vec::new();
            for game in &games {
                game.encode(&mut bytes);
            }
            let mut rest = &bytes[..];
            for game in &games {
                prop_assert_eq!(&PlayedGame::decode(&mut rest, variant).unwrap(), game);
            }
            prop_assert!(rest.is_empty());
            let positions: Vec<Position> = games[0].positions().map(|(p, _)| p).collect();
            prop_assert_eq!(positions.len(), games[0].plies.len() + 1);
        }

        #[test]
        fn damaged_bytes_are_an_error_or_a_game(seed: u64, place: usize, flip: u8) {
            let mut bytes = Vec::new();
            random_game(seed).encode(&mut bytes);
            let place = place % bytes.len();
            bytes[place] ^= flip;
            if let Ok(game) = PlayedGame::decode(&mut &bytes[..], Variant::International) {
                let mut position = game.start;
                for ply in &game.plies {
                    prop_assert!(position.legal_moves().contains(&ply.mv));
                    position = position.after(ply.mv);
                }
            }
            prop_assert!(PlayedGame::decode(&mut &bytes[..place], Variant::International).is_err());
        }
    }
}
