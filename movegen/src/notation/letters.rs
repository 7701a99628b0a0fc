//! Position strings with one letter a square: the 51 characters of Hub and of DXP.

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::notation::fen::{Fen, FenErrorKind, ParseFenError, StrandedMen, position_of};
use crate::piece::{Kind, Piece};
use crate::position::Position;
use crate::setup::Setup;
use crate::square::Square;
use crate::variant::Variant;

/// The letters of a position string with one letter a square.
#[derive(Clone, Copy)]
pub(super) struct Alphabet {
    /// Side to move: White, Black.
    sides: [char; 2],
    /// White man, black man, white king, black king.
    pieces: [char; 4],
    expected_side: &'static str,
    expected_square: &'static str,
}

impl Alphabet {
    /// The letters of Hub.
    pub(super) const HUB: Alphabet = Alphabet {
        sides: ['W', 'B'],
        pieces: ['w', 'b', 'W', 'B'],
        expected_side: "W B",
        expected_square: "w b W B e",
    };
    /// The letters of DXP (Black is `Z`, Dutch *zwart*).
    pub(super) const DXP: Alphabet = Alphabet {
        sides: ['W', 'Z'],
        pieces: ['w', 'z', 'W', 'Z'],
        expected_side: "W Z",
        expected_square: "w z W Z e",
    };

    const PIECES: [Piece; 4] = [
        Piece { color: Color::White, kind: Kind::Man },
        Piece { color: Color::Black, kind: Kind::Man },
        Piece { color: Color::White, kind: Kind::King },
        Piece { color: Color::Black, kind: Kind::King },
    ];

    /// The side's letter.
    pub(super) const fn side(&self, color: Color) -> char {
        self.sides[match color {
            Color::White => 0,
            Color::Black => 1,
        }]
    }

    /// The letter for the content of a square.
    pub(super) fn square(&self, piece: Option<Piece>) -> char {
        piece
            .and_then(|piece| Alphabet::PIECES.iter().position(|&p| p == piece))
            .map_or('e', |i| self.pieces[i])
    }

    /// The position as 51 letters.
    pub(super) fn write(&self, position: &Position) -> String {
        std::iter::once(self.side(position.side_to_move()))
            .chain(Square::all().map(|s| self.square(position.piece_at(s))))
            .collect()
    }
}

/// Reads 51 letters: the side to move and the squares.
pub(super) fn read_letters(
    text: &str,
    letters: impl Iterator<Item = (usize, char)>,
    alphabet: Alphabet,
    stranded: StrandedMen,
) -> Result<Setup, ParseFenError> {
    let mut setup = Setup::empty(Color::White);
    let error = |kind, offset| Err(ParseFenError::at(kind, text, offset));
    for (i, (offset, found)) in letters.enumerate() {
        let Some(square) = u8::try_from(i).ok().and_then(Square::new) else {
            if i > 0 {
                return error(FenErrorKind::WrongLength(text.chars().count()), offset);
            }
            setup.side = if found == alphabet.sides[0] {
                Color::White
            } else if found == alphabet.sides[1] {
                Color::Black
            } else {
                let expected = alphabet.expected_side;
                return error(FenErrorKind::BadLetter { found, expected }, offset);
            };
            continue;
        };
        if found == 'e' {
            continue;
        }
        let Some(i) = alphabet.pieces.iter().position(|&p| p == found) else {
            let expected = alphabet.expected_square;
            return error(FenErrorKind::BadLetter { found, expected }, offset);
        };
        let piece = Alphabet::PIECES[i];
        if piece.kind == Kind::Man
            && Bitboard::promotion_row(piece.color).contains(square)
            && stranded == StrandedMen::Refuse
        {
            let kind = FenErrorKind::ManOnPromotionRow { color: piece.color, square };
            return error(kind, offset);
        }
        setup.put(piece, square);
    }
    Ok(setup)
}

/// Reads 51 letters of the alphabet as a position.
pub(super) fn parse_letters(text: &str, alphabet: Alphabet) -> Result<Position, ParseFenError> {
    let length = text.chars().count();
    if length != 51 {
        // The place of the error: the end of a text that is too short, else the surplus.
        let offset = text.char_indices().nth(51).map_or(text.len(), |(i, _)| i);
        return Err(ParseFenError::at(FenErrorKind::WrongLength(length), text, offset));
    }
    let setup = read_letters(text, text.char_indices(), alphabet, StrandedMen::Refuse)?;
    position_of(&Fen::from(setup), Variant::International, text)
}
