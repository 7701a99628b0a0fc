//! Positions and moves as DXP, the DamExchange protocol, writes them. Text and types only.
//!
//! A position is the letter of the side to move (`W` or `Z`) followed by squares 1 to 50 as
//! `w z` (men), `W Z` (kings) and `e` (empty): offsets 43 to 93 of a game request. A move message
//! is `M`, four digits of seconds, two digits each for start, end and number of captured pieces,
//! and two digits for each captured square.

use std::fmt;
use std::str::FromStr;

use crate::bitboard::Bitboard;
use crate::moves::Move;
use crate::notation::fen::{FenErrorKind, ParseFenError};
use crate::notation::letters::{Alphabet, parse_letters};
use crate::notation::moves::ParseMoveError;
use crate::position::Position;
use crate::square::Square;

/// Reads the side to move and the fifty squares.
///
/// # Errors If the text is not 51 characters of the format, not a position, or leaves a side
/// without a piece. The caller checks whether the side to move has a move.
pub fn parse_position(text: &str) -> Result<Position, ParseFenError> {
    let position = parse_letters(text, Alphabet::DXP)?;
    let side = position.side_to_move();
    for color in [side, side.opponent()] {
        if position.pieces(color).is_empty() {
            return Err(ParseFenError::at(FenErrorKind::SideWithoutPiece(color), text, 0));
        }
    }
    Ok(position)
}

/// The side to move and the fifty squares.
#[must_use]
pub fn format_position(position: &Position) -> String {
    Alphabet::DXP.write(position)
}

/// A move message, not yet compared with a position.
///
/// # Examples
/// ```
/// use movegen::Position;
/// use movegen::notation::dxp::MoveMessage;
///
/// let position = Position::from_fen("W:W28:B23")?;
/// let message: MoveMessage = "M001228190123".parse()?;
/// assert_eq!(message.resolve(&position)?.to_string(), "28x19x23");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveMessage {
    /// Seconds used for the move, 0..=9999; information only.
    pub seconds: u16,
    /// The starting square.
    pub from: Square,
    /// The end square.
    pub to: Square,
    /// The captured squares.
    pub captured: Bitboard,
}

impl MoveMessage {
    /// The message of a move. More than 9999 seconds are written as 9999.
    #[must_use]
    pub fn new(mv: Move, seconds: u64) -> MoveMessage {
        let seconds = u16::try_from(seconds.min(9999)).unwrap_or(9999);
        MoveMessage { seconds, from: mv.from(), to: mv.to(), captured: mv.captured() }
    }

    /// The legal move of the position that the message names: same start, same end, same captured
    /// set; a capture without captured squares counts if one legal capture has its start and end.
    ///
    /// # Errors
    /// [`ParseMoveError::Illegal`] or [`ParseMoveError::Ambiguous`].
    pub fn resolve(&self, position: &Position) -> Result<Move, ParseMoveError> {
        let legal = position.legal_moves();
        let same_ends = |m: &&Move| m.from() == self.from && m.to() == self.to;
        let fits = |m: &&Move| self.captured.is_empty() || m.captured() == self.captured;
        let fitting = legal.iter().filter(same_ends).filter(fits).copied().collect();
        ParseMoveError::only(&self.to_string(), fitting)
    }
}

impl fmt::Display for MoveMessage {
    /// The message without its final NUL, captured squares ascending.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from.number(), self.to.number());
        write!(f, "M{:04}{from:02}{to:02}{:02}", self.seconds.min(9999), self.captured.len())?;
        for square in self.captured {
            write!(f, "{:02}", square.number())?;
        }
        Ok(())
    }
}

impl FromStr for MoveMessage {
    type Err = ParseMoveError;

    /// Reads a message without its final NUL.
    ///
    /// # Errors
    /// [`ParseMoveError::Syntax`] if a field is not a number, a square is not on the board or named
    /// twice, or the count does not agree with the length.
    fn from_str(text: &str) -> Result<MoveMessage, ParseMoveError> {
        let error = |offset, expected| ParseMoveError::syntax(text, offset, expected);
        if !text.starts_with('M') {
            return Err(error(0, "expected a move message, which starts with M"));
        }
        let digits = |offset: usize, width: usize, expected| {
            let field = text.get(offset..offset + width);
            field
                .filter(|f| f.bytes().all(|b| b.is_ascii_digit()))
                .and_then(|f| f.parse::<u16>().ok())
                .ok_or_else(|| error(text.len().min(offset), expected))
        };
        let square = |offset| {
            let expected = "expected a square from 01 to 50";
            let number = digits(offset, 2, expected)?;
            let square = u8::try_from(number).ok().and_then(Square::new);
            square.ok_or_else(|| error(offset, expected))
        };
        let seconds = digits(1, 4, "expected four digits of seconds")?;
        let (from, to) = (square(5)?, square(7)?);
        let count = digits(9, 2, "expected two digits, the number of captured pieces")?;
        let end = 11 + 2 * usize::from(count);
        if text.len() != end {
            let offset = text.len().min(end);
            return Err(error(offset, "expected as many captured squares as the count says"));
        }
        let mut captured = Bitboard::EMPTY;
        for offset in (11..end).step_by(2) {
            let next = square(offset)?;
            if captured.contains(next) {
                return Err(error(offset, "expected each captured square once"));
            }
            captured = captured.with(next);
        }
        Ok(MoveMessage { seconds, from, to, captured })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the protocol description.
    #[test]
    fn published_messages() {
        let quiet: MoveMessage = "M0012061100".parse().unwrap();
        assert_eq!((quiet.seconds, quiet.from.number(), quiet.to.number()), (12, 6, 11));
        assert!(quiet.captured.is_empty());
        assert_eq!(quiet.to_string(), "M0012061100");

        let capture: MoveMessage = "M001205250422122320".parse().unwrap();
        let numbers: Vec<u8> = capture.captured.into_iter().map(Square::number).collect();
        assert_eq!(numbers, [12, 20, 22, 23]);
        assert_eq!(capture.to_string(), "M001205250412202223");
    }

    #[test]
    fn the_published_request_holds_the_initial_position() {
        let text = "Wzzzzzzzzzzzzzzzzzzzzeeeeeeeeeewwwwwwwwwwwwwwwwwwww";
        assert_eq!(parse_position(text), Ok(Position::initial()));
        assert_eq!(format_position(&Position::initial()), text);
        assert_eq!(Position::from_fen(text), Ok(Position::initial()));
        let black = text.replacen('W', "Z", 1);
        assert_eq!(parse_position(&black), Ok(Position::initial().with_other_side()));
        assert_eq!(Position::from_fen(&black), Ok(Position::initial().with_other_side()));
    }

    #[test]
    fn messages_resolve_as_sets() {
        let p = Position::from_fen("W:WK30:B7,21,22,34,41").unwrap();
        let resolve = |text: &str| text.parse::<MoveMessage>().unwrap().resolve(&p);
        assert_eq!(resolve("M0000300203220734").unwrap().to_string(), "30x2x7x22x34");
        assert_eq!(resolve("M0000302600").unwrap().to_string(), "30x26x21x22x34");
        assert!(matches!(resolve("M0000300200"), Err(ParseMoveError::Ambiguous { .. })));
        assert!(matches!(resolve("M000030020107"), Err(ParseMoveError::Illegal { .. })));
        for mv in p.legal_moves() {
            let text = MoveMessage::new(mv, 70_000).to_string();
            assert!(text.starts_with("M9999"));
            assert_eq!(text.parse::<MoveMessage>().unwrap().resolve(&p), Ok(mv));
        }
    }

    #[test]
    fn broken_messages_tell_the_place() {
        for (text, at) in [
            ("", 0),
            ("m0012061100", 0),
            ("M", 1),
            ("M001", 1),
            ("M+012061100", 1),
            ("M0012001100", 5),
            ("M0012065100", 7),
            ("M00120611", 9),
            ("M0012061101", 11),
            ("M001206110012", 11),
            ("M00120611011", 12),
            ("M00120525022299", 13),
            ("M00120525022222", 13),
            ("M0012é061100", 5),
        ] {
            match text.parse::<MoveMessage>() {
                Err(ParseMoveError::Syntax { offset, .. }) => assert_eq!(offset, at, "{text:?}"),
                other => panic!("{text:?}: {other:?}"),
            }
        }
    }
}
