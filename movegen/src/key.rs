//! Positions and moves as numbers, both seen by the side to move.
//!
//! A position with Black to move and the one with the board turned by 180 degrees and the colours
//! exchanged are the same to the players, so the book has them once: as the one with White to move.
//! The moves of that one position are turned back for Black.

use crate::{Bitboard, Color, Kind, Move, Piece, Position, PositionError, Setup, Square};

/// One more than the greatest key: five to the power of fifty.
const KEYS: u128 = 5u128.pow(50);

/// A position as a number with fifty digits of base 5, the digit of square 1 being the lowest:
/// 0 for an empty square, 1 for a man and 2 for a king of the side to move, 3 and 4 for those of
/// the other side. Black to move is turned first. Exact: different positions have different
/// numbers, and the position can be read back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Key(u128);

/// The position as the book has it, with White to move.
#[must_use]
pub fn folded(position: &Position) -> Position {
    match position.side_to_move() {
        Color::White => *position,
        Color::Black => position.reversed(),
    }
}

/// A move of a position with this side to move, as the book has it; and back again.
#[must_use]
pub fn folded_move(mv: Move, side: Color) -> Move {
    match side {
        Color::White => mv,
        Color::Black => mv.turned(),
    }
}

impl Key {
    /// The number of a position.
    #[must_use]
    pub fn of(position: &Position) -> Key {
        let position = folded(position);
        let number = Square::all().rev().fold(0, |number: u128, square| {
            number * 5 + position.piece_at(square).map_or(0, digit)
        });
        Key(number)
    }

    /// The position of this number, with White to move.
    ///
    /// # Errors
    /// If the digits are not a position: a man on its own promotion row, or an empty board.
    pub fn position(self) -> Result<Position, PositionError> {
        let mut setup = Setup::empty(Color::White);
        let mut rest = self.0;
        for square in Square::all() {
            let piece = match rest % 5 {
                0 => None,
                1 => Some(Piece { color: Color::White, kind: Kind::Man }),
                2 => Some(Piece { color: Color::White, kind: Kind::King }),
                3 => Some(Piece { color: Color::Black, kind: Kind::Man }),
                _ => Some(Piece { color: Color::Black, kind: Kind::King }),
            };
            if let Some(piece) = piece {
                setup.put(piece, square);
            }
            rest /= 5;
        }
        setup.position()
    }

    /// Its sixteen bytes, little-endian.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    /// The key with these bytes; `None` if it has more than fifty digits.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Option<Key> {
        let number = u128::from_le_bytes(bytes);
        if number < KEYS { Some(Key(number)) } else { None }
    }
}

fn digit(piece: Piece) -> u128 {
    match (piece.color, piece.kind) {
        (Color::White, Kind::Man) => 1,
        (Color::White, Kind::King) => 2,
        (Color::Black, Kind::Man) => 3,
        (Color::Black, Kind::King) => 4,
    }
}

/// A folded move as a number: bit n-1 for a captured square n, six bits from bit 50 for its first
/// square and six from bit 56 for its last. Never 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MoveCode(u64);

const FROM: u32 = 50;
const TO: u32 = 56;

impl MoveCode {
    /// The number of a folded move.
    #[must_use]
    pub fn of(mv: Move) -> MoveCode {
        let captured = mv.captured().into_iter().fold(0, |set, square| set | 1 << square.index());
        let (from, to) = (u64::from(mv.from().number()), u64::from(mv.to().number()));
        MoveCode(captured | from << FROM | to << TO)
    }

    /// The folded move; `None` if no move has this number.
    #[must_use]
    pub fn to_move(self) -> Option<Move> {
        let square = |shift: u32| Square::new((self.0 >> shift & 63) as u8);
        let captured: Bitboard =
            Square::all().filter(|square| self.0 >> square.index() & 1 != 0).collect();
        if self.0 >> (TO + 6) != 0 {
            return None;
        }
        Move::try_new(square(FROM)?, square(TO)?, captured)
    }

    /// The number itself.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// As it is in a file; not checked.
    #[must_use]
    pub const fn from_bits(bits: u64) -> MoveCode {
        MoveCode(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn keys_and_moves_can_be_read_back() {
        let mut captures = 0;
        let mut random = Random::new(5);
        for _ in 0..1_000 {
            let mut position = Position::initial();
            for _ in 0..random.below(90) {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position = position.after(moves[random.below(moves.len())]);
            }
            let key = Key::of(&position);
            assert_eq!(key, Key::of(&position.reversed()), "folded");
            let again = Key::from_bytes(key.to_bytes()).unwrap().position().unwrap();
            assert_eq!(again, folded(&position));
            let other = position.with_other_side();
            // On a board that is its own mirror image both sides see the same.
            assert_eq!(key == Key::of(&other), position.reversed() == other);
            let side = position.side_to_move();
            let folded = folded(&position);
            for &mv in &position.legal_moves() {
                let turned = folded_move(mv, side);
                assert!(folded.legal_moves().contains(&turned));
                assert_eq!(MoveCode::of(turned).to_move(), Some(turned));
                assert_eq!(folded_move(turned, side), mv);
                let (there, here) = (folded.after(turned), position.after(mv));
                assert_eq!(Key::of(&there), Key::of(&here));
                captures += u32::from(mv.is_capture());
            }
        }
        assert!(captures > 100, "{captures}");
    }

    #[test]
    fn the_key_is_what_the_documents_say() {
        // White man on 6 (digit 1), black king on 3 (digit 4).
        let position = Position::from_fen("W:W6:BK3").unwrap();
        assert_eq!(Key::of(&position).0, 5u128.pow(5) + 4 * 5u128.pow(2));
        // The same for Black: man on 45, king on 48.
        let turned = Position::from_fen("B:WK48:B45").unwrap();
        assert_eq!(Key::of(&turned), Key::of(&position));
        let quiet = Move::new(Square::new(32).unwrap(), Square::new(28).unwrap(), Bitboard::EMPTY);
        assert_eq!(MoveCode::of(quiet).bits(), 32 << 50 | 28 << 56);
    }

    #[test]
    fn numbers_that_are_nothing() {
        assert_eq!(Key::from_bytes(KEYS.to_le_bytes()), None);
        assert!(Key(0).position().is_err(), "an empty board");
        assert!(Key(1).position().is_err(), "a white man on 1");
        for bits in [0, 1 << 50, 1 << 56, u64::MAX, 32 << 50 | 28 << 56 | 1] {
            assert_eq!(MoveCode::from_bits(bits).to_move(), None, "{bits:x}");
        }
    }
}
