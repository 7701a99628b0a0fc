//! Positions and moves as the Hub protocol (version 2) writes them.
//!
//! A position is 51 characters: the side to move, then squares 1 to 50 as `w b` (men), `W B`
//! (kings) and `e` (empty). A move is `32-28`, or `28x19x23` with *all captured squares* after
//! start and end, in any order when reading and ascending when writing.

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::moves::Move;
use crate::notation::fen::{FenErrorKind, ParseFenError};
use crate::notation::letters::{Alphabet, parse_letters};
use crate::notation::moves::ParseMoveError;
use crate::position::Position;
use crate::square::Square;
use crate::variant::KingRun;

/// Reads a position string.
///
/// The side to move may have no piece (it has lost); the other side must have one.
///
/// # Errors
/// If the text is not 51 characters of the format, or not a position.
///
/// # Examples
/// ```
/// use movegen::Position;
/// use movegen::notation::hub;
///
/// let text = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww";
/// assert_eq!(hub::parse_position(text)?, Position::initial());
/// assert_eq!(hub::format_position(&Position::initial()), text);
/// # Ok::<(), movegen::ParseFenError>(())
/// ```
pub fn parse_position(text: &str) -> Result<Position, ParseFenError> {
    let position = parse_letters(text, Alphabet::HUB)?;
    let opponent = position.side_to_move().opponent();
    if position.pieces(opponent).is_empty() {
        return Err(ParseFenError::at(FenErrorKind::SideWithoutPiece(opponent), text, 0));
    }
    Ok(position)
}

/// The position string.
#[must_use]
pub fn format_position(position: &Position) -> String {
    Alphabet::HUB.write(position)
}

/// Reads Frisian's counters of the argument `wolf`, an extension of lidraughts: `W28=2 B05=1`, king
/// and moves in a row; a side without one is left out. `None` if it is something else.
#[must_use]
pub fn parse_wolf(text: &str) -> Option<[Option<KingRun>; 2]> {
    let mut runs = [None; 2];
    for word in text.split_ascii_whitespace() {
        let (side, rest) = (word.chars().next()?, word.get(1..)?);
        let color = Color::ALL.into_iter().find(|color| color.letter() == side)?;
        let (square, moves) = rest.split_once('=')?;
        let run = KingRun { square: square.parse().ok()?, moves: moves.parse().ok()? };
        if runs[color.index()].replace(run).is_some() {
            return None;
        }
    }
    Some(runs)
}

/// The counters of a position for the argument `wolf`; `None` if there are none.
#[must_use]
pub fn format_wolf(position: &Position) -> Option<String> {
    let word = |color: Color| {
        let KingRun { square, moves } = position.king_run(color)?;
        Some(format!("{}{:02}={moves}", color.letter(), square.number()))
    };
    let words: Vec<String> = [Color::White, Color::Black].into_iter().filter_map(word).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Reads a move of a position.
///
/// Accepted beyond the exact form: leading zeros, captured squares in any order, captured squares
/// left out in part or whole if one legal move fits, and `-` for a capture if start and end
/// identify it.
///
/// # Errors
/// [`ParseMoveError::Syntax`] if the text is not written like a move, [`ParseMoveError::Illegal`]
/// if no legal move fits and [`ParseMoveError::Ambiguous`] if several do.
///
/// # Examples
/// ```
/// use movegen::Position;
/// use movegen::notation::hub;
///
/// let position = Position::from_fen("W:W28:B23")?;
/// let mv = hub::parse_move(&position, "28x19")?;
/// assert_eq!(mv.to_string(), "28x19x23");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_move(position: &Position, text: &str) -> Result<Move, ParseMoveError> {
    let parts = MoveParts::read(text)?;
    parts.resolve(position, text)
}

/// Reads a move in its exact form, with all captured squares, without a position, so without
/// checking that it is legal.
///
/// # Errors
/// [`ParseMoveError::Syntax`] if the text is not written like a move.
///
/// # Examples
/// ```
/// use movegen::notation::hub;
///
/// assert_eq!(hub::read_move("28x19x23")?.to_string(), "28x19x23");
/// # Ok::<(), movegen::ParseMoveError>(())
/// ```
pub fn read_move(text: &str) -> Result<Move, ParseMoveError> {
    let MoveParts { from, to, is_capture, captured } = MoveParts::read(text)?;
    let mv = Move::try_new(from, to, captured).filter(|_| is_capture != captured.is_empty());
    mv.ok_or_else(|| {
        ParseMoveError::syntax(text, text.chars().count(), "expected squares to capture on")
    })
}

/// A move as written, not yet compared with a position.
struct MoveParts {
    from: Square,
    to: Square,
    /// Written with `x`.
    is_capture: bool,
    captured: Bitboard,
}

impl MoveParts {
    fn read(text: &str) -> Result<MoveParts, ParseMoveError> {
        let mut cursor = HubCursor { text, next: 0 };
        let from = cursor.square()?;
        let is_capture = match cursor.peek() {
            Some('x') => true,
            Some('-') => false,
            _ => return Err(cursor.error("expected '-' or 'x'")),
        };
        cursor.next += 1;
        let to = cursor.square()?;
        let mut captured = Bitboard::EMPTY;
        while let Some(c) = cursor.peek() {
            match c {
                'x' if is_capture => cursor.next += 1,
                _ if is_capture => return Err(cursor.error("expected 'x' or the end of the move")),
                _ => return Err(cursor.error("expected the end of the move")),
            }
            captured = captured.with(cursor.square()?);
        }
        Ok(MoveParts { from, to, is_capture, captured })
    }

    fn resolve(&self, position: &Position, text: &str) -> Result<Move, ParseMoveError> {
        let legal = position.legal_moves();
        let fitting = |accept: &dyn Fn(&Move) -> bool| -> Vec<Move> {
            let same_ends = |m: &&Move| m.from() == self.from && m.to() == self.to;
            legal.iter().filter(same_ends).filter(|m| accept(m)).copied().collect()
        };
        if !self.is_capture {
            return ParseMoveError::only(text, fitting(&|_| true));
        }
        let exact = fitting(&|m| m.is_capture() && m.captured() == self.captured);
        if let [only] = exact[..] {
            return Ok(only);
        }
        let covering = |m: &Move| m.is_capture() && (self.captured - m.captured()).is_empty();
        ParseMoveError::only(text, fitting(&covering))
    }
}

struct HubCursor<'a> {
    text: &'a str,
    next: usize,
}

impl HubCursor<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.next..].chars().next()
    }

    fn error(&self, expected: &'static str) -> ParseMoveError {
        ParseMoveError::syntax(self.text, self.text[..self.next].chars().count(), expected)
    }

    /// A square number, leading zeros allowed.
    fn square(&mut self) -> Result<Square, ParseMoveError> {
        let rest = &self.text[self.next..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let square = rest[..digits].parse();
        let square = square.map_err(|_| self.error("expected a square number from 1 to 50"))?;
        self.next += digits;
        Ok(square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    #[test]
    fn position_strings_round_trip() {
        for fen in ["W:W31-50:B1-20", "B:WK1,30:BK50,7", "B:W30:B", "W:WK5,50:BK46,1"] {
            let position = position(fen);
            let text = format_position(&position);
            assert_eq!(text, format!("{position:?}"));
            assert_eq!(parse_position(&text), Ok(position));
            assert_eq!(Position::from_fen(&text), Ok(position));
        }
    }

    #[test]
    fn a_side_that_cannot_have_moved_is_refused() {
        let text = format_position(&position("W:W30:B"));
        let error = parse_position(&text).unwrap_err();
        assert_eq!(error.kind, FenErrorKind::SideWithoutPiece(Color::Black));
    }

    /// Every rule (a) to (e) of the format's input rules.
    #[test]
    fn input_rules() {
        // 30x2 twice: (22, 34, 7) and (21, 34, 7); 30x26 once: (21, 22, 34).
        let p = position("W:WK30:B7,21,22,34,41");
        let read = |text: &str| parse_move(&p, text).map(|m| m.to_string());
        let ambiguous = |text: &str| {
            matches!(parse_move(&p, text), Err(ParseMoveError::Ambiguous { candidates, .. })
                if candidates.len() == 2)
        };
        // (a)
        assert_eq!(read("30x2x34x7x22").unwrap(), "30x2x7x22x34");
        assert_eq!(read("30x02x07x21x034").unwrap(), "30x2x7x21x34");
        // (b)
        assert_eq!(read("30x26").unwrap(), "30x26x21x22x34");
        assert!(ambiguous("30x2"));
        // (c)
        assert_eq!(read("30x2x21").unwrap(), "30x2x7x21x34");
        assert!(ambiguous("30x2x7x34"));
        // (d)
        assert_eq!(read("30-26").unwrap(), "30x26x21x22x34");
        assert!(ambiguous("30-2"));
        // (e)
        for text in ["30x2x41", "30x26x7", "30-25", "30x26x21x22x34x41", "32-28"] {
            let illegal = ParseMoveError::Illegal { text: text.to_owned() };
            assert_eq!(parse_move(&p, text), Err(illegal));
        }
        let start = Position::initial();
        assert!(matches!(parse_move(&start, "32x28"), Err(ParseMoveError::Illegal { .. })));
        assert_eq!(parse_move(&start, "032-0028").unwrap().to_string(), "32-28");
    }

    #[test]
    fn broken_moves_tell_the_place() {
        for (text, at) in [
            ("", 0),
            ("x", 0),
            ("32", 2),
            ("32-", 3),
            ("32:28", 2),
            ("32X28", 2),
            ("32 - 28", 2),
            ("32-28 ", 5),
            ("0-0", 0),
            ("51-46", 0),
            ("32-99999", 3),
            ("28x19x", 6),
            ("28x19-23", 5),
            ("28-19x23", 5),
            ("28x19xé", 6),
            ("28x19xx23", 6),
            ("-32-28", 0),
        ] {
            match parse_move(&Position::initial(), text) {
                Err(ParseMoveError::Syntax { offset, .. }) => assert_eq!(offset, at, "{text:?}"),
                other => panic!("{text:?}: {other:?}"),
            }
        }
    }
}
