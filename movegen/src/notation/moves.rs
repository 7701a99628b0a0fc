//! Moves as people and PDN files write them.
//!
//! Written: `32-28`, `28x19`, and the long form of PDN 3.0 (`30x39x11x2`) where two legal moves
//! share start and end. Read: all of that with blanks around the sign or in its place, other dashes
//! and capture signs, what people type for them (`28*19`, `31~26`), a letter for a king (`K28-33`),
//! leading zeros, four digits without a sign (`3228`), paths with squares left out or added, lists
//! of captured squares in any order, `<...>` and signs of strength after the move.

use std::fmt;

use thiserror::Error;

use crate::bitboard::Bitboard;
use crate::moves::Move;
use crate::notation::route::{Routes, Visited};
use crate::notation::text::{is_blank, is_king_letter_at, is_move_sign, joint, narrow};
use crate::position::Position;
use crate::square::Square;

/// Why a text is not a move of a position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParseMoveError {
    /// The text does not have the form of a move.
    #[error("'{text}', column {}: {expected}", .offset + 1)]
    Syntax {
        /// The text (at most 80 characters of it).
        text: String,
        /// Number of characters before the offence.
        offset: usize,
        /// What was expected there.
        expected: &'static str,
    },
    /// The text is a move but not a legal one.
    #[error("'{text}' is not a legal move in this position")]
    Illegal {
        /// The text (at most 80 characters of it).
        text: String,
    },
    /// Several legal moves fit the text.
    #[error("'{text}' is ambiguous: it may be {}", OrList(.candidates))]
    Ambiguous {
        /// The text (at most 80 characters of it).
        text: String,
        /// The legal moves that fit, in the order of the move generator; at least two.
        candidates: Vec<Move>,
    },
}

impl ParseMoveError {
    pub(super) fn syntax(text: &str, offset: usize, expected: &'static str) -> ParseMoveError {
        ParseMoveError::Syntax { text: clip(text), offset, expected }
    }

    pub(super) fn illegal(text: &str) -> ParseMoveError {
        ParseMoveError::Illegal { text: clip(text) }
    }

    /// The one candidate, or the error that says why there is none.
    pub(super) fn only(text: &str, candidates: Vec<Move>) -> Result<Move, ParseMoveError> {
        match candidates[..] {
            [] => Err(ParseMoveError::illegal(text)),
            [only] => Ok(only),
            _ => Err(ParseMoveError::Ambiguous { text: clip(text), candidates }),
        }
    }
}

/// The start of a text, short enough for a message.
pub(super) fn clip(text: &str) -> String {
    text.chars().take(80).collect()
}

/// Moves as `a, b or c`, at most ten of them.
struct OrList<'a>(&'a [Move]);

impl fmt::Display for OrList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.len().min(10);
        for (i, mv) in self.0[..shown].iter().enumerate() {
            let separator = match i {
                0 => "",
                _ if i + 1 == self.0.len() => " or ",
                _ => ", ",
            };
            write!(f, "{separator}{mv}")?;
        }
        match self.0.len() - shown {
            0 => Ok(()),
            more => write!(f, " or one of {more} more"),
        }
    }
}

/// Writes a legal move: start and end, or the long form where two legal moves share both.
///
/// # Examples
/// ```
/// use movegen::Position;
/// use movegen::notation::{format_move, parse_move};
///
/// let position = Position::from_fen("W:WK30:B7,21,22,34,41")?;
/// let mv = parse_move(&position, "30x2 <34, 22, 7>")?;
/// assert_eq!(format_move(&position, mv), "30x39x11x2");
/// assert_eq!(mv.to_string(), "30x2x7x22x34", "the Hub form");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn format_move(position: &Position, mv: Move) -> String {
    if !mv.is_capture() {
        return mv.to_string();
    }
    let legal = position.legal_moves();
    let same = legal.iter().filter(|m| m.from() == mv.from() && m.to() == mv.to()).count();
    if same > 1 { format_long(position, mv) } else { format!("{}x{}", mv.from(), mv.to()) }
}

/// Writes the moves of a line from this position on, each as [`format_move`] does.
#[must_use]
pub fn format_line(start: &Position, moves: impl IntoIterator<Item = Move>) -> Vec<String> {
    let moves = moves.into_iter().scan(*start, |position, mv| {
        let text = format_move(position, mv);
        *position = position.after(mv);
        Some(text)
    });
    moves.collect()
}

/// Writes a legal move in the long form of PDN 3.0: after the start one square for each capture:
/// where the piece turns or, if it goes straight on, the one behind the captured piece; the last is
/// the end. Of several routes it writes the one with the smallest list of squares.
#[must_use]
pub fn format_long(position: &Position, mv: Move) -> String {
    if !mv.is_capture() {
        return mv.to_string();
    }
    let squares = Routes::new(position, mv).smallest();
    let numbers: Vec<String> = squares.iter().map(Square::to_string).collect();
    numbers.join("x")
}

/// Reads a move of a position in any of the forms above.
///
/// # Errors
/// [`ParseMoveError::Syntax`] if the text is not written like a move, [`ParseMoveError::Illegal`]
/// if no legal move fits and [`ParseMoveError::Ambiguous`] if several do.
pub fn parse_move(position: &Position, text: &str) -> Result<Move, ParseMoveError> {
    let written: MoveText = MoveText::parse(text)?;
    ParseMoveError::only(text, written.candidates(position))
}

/// The squares of a move as written, not yet compared with a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MoveText {
    /// Start, anything between, and end (or captured squares after it); at least two.
    pub(super) squares: Vec<Square>,
    /// Captured squares in angle brackets.
    pub(super) captured: Option<Bitboard>,
}

/// A capture visits fewer squares than this even on the strangest board.
const MAX_SQUARES: usize = 64;

impl MoveText {
    /// Reads the squares; signs of strength at the end are skipped.
    pub(super) fn parse(text: &str) -> Result<MoveText, ParseMoveError> {
        let mut scanner = MoveScanner { text, chars: text.chars().map(narrow).collect(), next: 0 };
        scanner.blanks();
        let is_king = is_king_letter_at(&mut |i| scanner.chars.get(i).copied(), scanner.next);
        scanner.next += usize::from(is_king);
        if let Some((from, to)) = scanner.four_digits() {
            scanner.end()?;
            return Ok(MoveText { squares: vec![from, to], captured: None });
        }
        let mut squares = vec![scanner.square()?];
        let mut has_signs = None;
        let mut may_be_makeshift = true;
        loop {
            let end = scanner.next;
            let joint = joint(|i| scanner.chars.get(i).copied(), end, may_be_makeshift);
            if let Some(joint) = joint.filter(|_| has_signs != Some(false)) {
                has_signs = Some(true);
                may_be_makeshift = joint.is_makeshift;
                scanner.next = joint.square;
            } else {
                scanner.blanks();
                match scanner.peek() {
                    Some(c) if is_move_sign(c) && has_signs != Some(false) => scanner.next += 1,
                    // `32 28`: if blanks alone come first, they come between all squares.
                    Some('0'..='9') if scanner.next > end && has_signs != Some(true) => {
                        has_signs = Some(false);
                    }
                    _ if squares.len() == 1 => {
                        return Err(scanner.error("expected '-' or 'x' after the start square"));
                    }
                    _ => break,
                }
                scanner.blanks();
            }
            if squares.len() == MAX_SQUARES {
                return Err(scanner.error("expected fewer squares in one move"));
            }
            squares.push(scanner.square()?);
        }
        let captured = scanner.captured_list()?;
        scanner.end()?;
        Ok(MoveText { squares, captured })
    }

    /// Whether some piece on some board could go this way: each square on a diagonal with the next.
    /// No piece goes from 6 to 4.
    pub(super) fn is_possible(&self) -> bool {
        self.squares.windows(2).all(|pair| {
            let rows = pair[0].row().abs_diff(pair[1].row());
            rows > 0 && rows == pair[0].column().abs_diff(pair[1].column())
        })
    }

    /// Whether each square is on a diagonal with the next on the board of 8x8, whose squares are
    /// numbered as ours are.
    pub(super) fn is_diagonal_on_small(&self) -> bool {
        let place = |square: Square| {
            let (row, column) = ((square.number() - 1) / 4, (square.number() - 1) % 4);
            (row, 2 * column + (row + 1) % 2)
        };
        self.squares.windows(2).all(|pair| {
            let (from, to) = (place(pair[0]), place(pair[1]));
            from != to && from.0.abs_diff(to.0) == from.1.abs_diff(to.1)
        })
    }

    /// The legal moves that fit, each once, in the order of the generator.
    pub(super) fn candidates(&self, position: &Position) -> Vec<Move> {
        let legal = position.legal_moves();
        let from = self.squares[0];
        let last = self.squares[self.squares.len() - 1];
        let select = |accept: &dyn Fn(Move) -> bool| -> Vec<Move> {
            legal.iter().copied().filter(|m| m.from() == from && accept(*m)).collect()
        };
        if let Some(captured) = self.captured {
            return select(&|m| m.to() == last && m.captured() == captured);
        }
        if self.squares.len() == 2 {
            return select(&|m| m.to() == last);
        }
        let middle = &self.squares[1..self.squares.len() - 1];
        let tail = &self.squares[2..];
        let takes = |m: Move, squares: &[Square]| {
            m.is_capture() && m.captured() == squares.iter().copied().collect()
        };
        let ends = |m: Move| m.is_capture() && m.to() == last;
        let visits = |m, counted| Routes::new(position, m).visits(middle, counted);
        // The exact long form goes first, so that what we write reads back as the same move.
        let stages: [&dyn Fn(Move) -> bool; 5] = [
            &|m| ends(m) && Routes::new(position, m).has_long_form(middle),
            &|m| ends(m) && visits(m, Visited::BetweenCaptures),
            &|m| ends(m) && visits(m, Visited::Everywhere),
            &|m| m.to() == self.squares[1] && takes(m, tail),
            &|m| m.to() == last && takes(m, middle),
        ];
        stages.into_iter().map(select).find(|c| !c.is_empty()).unwrap_or_default()
    }

    /// The legal captures that begin with the squares of the text.
    pub(super) fn continuations(&self, position: &Position) -> Vec<Move> {
        let legal = position.legal_moves();
        let starts = |m: &Move| {
            m.is_capture()
                && m.from() == self.squares[0]
                && Routes::new(position, *m).starts_with(&self.squares[1..])
        };
        legal.iter().copied().filter(starts).collect()
    }
}

struct MoveScanner<'a> {
    text: &'a str,
    chars: Vec<char>,
    next: usize,
}

impl MoveScanner<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.next).copied()
    }

    fn error(&self, expected: &'static str) -> ParseMoveError {
        ParseMoveError::syntax(self.text, self.next, expected)
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.next += 1;
        }
    }

    fn digits(&self) -> &[char] {
        let rest = &self.chars[self.next..];
        let count = rest.iter().take_while(|c| c.is_ascii_digit()).count();
        &rest[..count]
    }

    /// `3228`: start and end without a sign. Only if no sign follows: `0032-28` is a square.
    fn four_digits(&mut self) -> Option<(Square, Square)> {
        let digits = self.digits();
        if digits.len() != 4 {
            return None;
        }
        let after = self.chars[self.next + 4..].iter().find(|&&c| !is_blank(c));
        if after.is_some_and(|&c| is_move_sign(c)) {
            return None;
        }
        let square = |d: &[char]| d.iter().collect::<String>().parse().ok();
        let squares = (square(&digits[..2])?, square(&digits[2..])?);
        self.next += 4;
        Some(squares)
    }

    fn square(&mut self) -> Result<Square, ParseMoveError> {
        let digits = self.digits();
        let count = digits.len();
        let square = digits.iter().collect::<String>().parse();
        let square = square.map_err(|_| self.error("expected a square number from 1 to 50"))?;
        self.next += count;
        Ok(square)
    }

    /// `<42, 29, 14, 31>` after the move.
    fn captured_list(&mut self) -> Result<Option<Bitboard>, ParseMoveError> {
        self.blanks();
        if self.peek() != Some('<') {
            return Ok(None);
        }
        self.next += 1;
        let mut captured = Bitboard::EMPTY;
        loop {
            while self.peek().is_some_and(|c| is_blank(c) || c == ',') {
                self.next += 1;
            }
            match self.peek() {
                Some('>') => break,
                None => return Err(self.error("expected '>' after the captured squares")),
                Some(_) => captured = captured.with(self.square()?),
            }
        }
        self.next += 1;
        Ok(Some(captured))
    }

    /// Signs of strength, bare or in parentheses, then the end.
    fn end(&mut self) -> Result<(), ParseMoveError> {
        let is_strength = |c: char| matches!(c, '!' | '?' | '*' | '□' | '⨀');
        self.blanks();
        while let Some(c) = self.peek() {
            if is_strength(c) {
                self.next += 1;
            } else if c == '(' {
                let inside = &self.chars[self.next + 1..];
                let count = inside.iter().take_while(|&&c| is_strength(c)).count();
                if count == 0 || inside.get(count) != Some(&')') {
                    return Err(self.error("expected a sign of strength such as (!)"));
                }
                self.next += count + 2;
            } else {
                return Err(self.error("expected the end of the move"));
            }
            self.blanks();
        }
        Ok(())
    }
}

/// Why a text is not a list of moves.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: {error}")]
pub struct MoveListError {
    /// Line of the offending move, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// The moves before it.
    pub moves: Vec<Move>,
    /// What is wrong with it.
    pub error: ParseMoveError,
}

/// Reads a line of play such as `1. 32-28 19-23 2. 28x19 14x23` that starts at a position.
/// Move numbers and dots are skipped; moves are written as for [`parse_move`].
///
/// # Errors
/// At the first move that cannot be read, with its place and the moves before it.
pub fn parse_move_list(position: &Position, text: &str) -> Result<Vec<Move>, MoveListError> {
    let mut moves = Vec::new();
    let mut position = *position;
    let mut rest = text;
    loop {
        rest = skip_numbers(rest);
        if rest.is_empty() {
            return Ok(moves);
        }
        let length = move_length(rest);
        match parse_move(&position, &rest[..length]) {
            Ok(mv) => {
                moves.push(mv);
                position = position.after(mv);
                rest = &rest[length..];
            }
            Err(error) => {
                let offset = text.len() - rest.len();
                let (line, column) = super::text::line_and_column(text, offset);
                return Err(MoveListError { line, column, moves, error });
            }
        }
    }
}

/// Skips blanks, commas, dots and numbers with a dot after them.
fn skip_numbers(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches(|c| is_blank(c) || matches!(narrow(c), '.' | '…' | ','));
        let number = text.trim_start_matches(|c| narrow(c).is_ascii_digit());
        if number.len() < text.len() && number.starts_with(|c| matches!(narrow(c), '.' | '…')) {
            text = number;
        } else {
            return text;
        }
    }
}

/// Length in bytes of the move at the start of the text: squares joined by signs with blanks
/// around them, a list in angle brackets, and signs of strength; at least one word.
fn move_length(text: &str) -> usize {
    let chars: Vec<(usize, char)> =
        text.char_indices().take(LONGEST).map(|(at, c)| (at, narrow(c))).collect();
    let at = |i: usize| chars.get(i).map(|&(_, c)| c);
    let digits = |i| i + chars.iter().skip(i).take_while(|(_, c)| c.is_ascii_digit()).count();
    let mut end = digits(usize::from(is_king_letter_at(&mut { at }, 0)));
    let mut may_be_makeshift = true;
    while let Some(joint) = joint(at, end, may_be_makeshift) {
        end = digits(joint.square);
        may_be_makeshift = joint.is_makeshift;
    }
    let mut end = chars.get(end).map_or(text.len(), |&(at, _)| at);
    let list = text[end..].trim_start_matches(is_blank);
    if list.starts_with('<') {
        end = list.find('>').map_or(text.len(), |i| text.len() - list.len() + i + 1);
    }
    text[end..].find(|c| is_blank(c) || narrow(c) == ',').map_or(text.len(), |i| end + i)
}

/// Characters of a move in a list, its blanks among them.
const LONGEST: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    const AMBIGUOUS: &str = "W:WK30:B7,21,22,34,41";

    fn hub(fen: &str, text: &str) -> String {
        parse_move(&position(fen), text).unwrap_or_else(|e| panic!("{e}")).to_string()
    }

    #[test]
    fn the_dialects_of_quiet_moves() {
        for text in [
            "32-28",
            "32 - 28",
            "3228",
            "32–28",
            "32‑28",
            "032-0028",
            "32-28!",
            "32-28 ??",
            "32-28(!)",
            "32-28 (?!)",
            "32x28",
            "32:28",
            "32-28*",
            "  32-28\n",
            "3228!",
            "32 −\t28",
            "32 28",
            " 32  28 !",
            "32--28",
            "32->28",
            "32~28",
            "32_28",
            "32=28",
            "32*28",
            "32*28*",
            "32→28",
            "32\u{ad}28",
            "32\u{96}28",
            "32\u{2500}28",
            "32 \u{200b}-\u{feff}28\u{200e}",
            "K32-28",
            "k32-28",
            "32-D28",
            "Д32 - 28",
            "３２－２８",
            "32-28□",
            "32-28 ⨀",
        ] {
            assert_eq!(hub("W:W31-50:B1-20", text), "32-28", "{text:?}");
        }
    }

    #[test]
    fn leading_zeros() {
        assert_eq!(hub("B:W31-50:B3", "03-09"), "3-9");
        assert_eq!(hub("B:W31-50:B3", "0309"), "3-9");
    }

    #[test]
    fn the_dialects_of_single_captures() {
        for text in [
            "28x19",
            "28X19",
            "28:19",
            "28×19",
            "28 x 19",
            "28-19",
            "2819",
            "28 × 19 !",
            "28x19x23",
            "28x23x19",
            "28x19 <23>",
            "28x19<23>",
            "28x19 < 23 >!",
            "28 19",
            "28 19 23",
            "28х19",
            "28Х19",
            "28χ19",
            "28⨯19",
            "28ｘ19",
            "28：19",
            "28*19*23",
            "28~19",
            "D28 х 19",
        ] {
            assert_eq!(hub("W:W28:B23", text), "28x19x23", "{text:?}");
        }
        // A sign here and a blank there is a slip, or two moves.
        for text in ["28x19 23", "28 19x23", "28 19 - 23"] {
            let error = parse_move(&position("W:W28:B23"), text).unwrap_err();
            assert!(matches!(error, ParseMoveError::Syntax { .. }), "{text}: {error}");
        }
    }

    #[test]
    fn the_ambiguous_example_in_every_form() {
        let p = position(AMBIGUOUS);
        for (hub_form, long, others) in [
            (
                "30x2x7x22x34",
                "30x39x11x2",
                // Full landing path with crossed squares, partial paths, captured lists.
                &[
                    "30x39x33x28x17x11x2",
                    "30-39-11-2",
                    "30x28x2",
                    "30x2x34x22x7",
                    "30x34x22x7x2",
                    "30x2 <34,22,7>",
                    "30x39x11x02!",
                    "30x2x7x22x34",
                    "30 39 11 2",
                ][..],
            ),
            (
                "30x2x7x21x34",
                "30x43x16x2",
                &[
                    "30x39x43x27x16x11x2",
                    "30x43x2",
                    "30x16x2",
                    "30x2x21x34x7",
                    "30x34x21x7x2",
                    "30x2 < 7, 34,21 >",
                    "30 : 43 : 16 : 2",
                ][..],
            ),
            (
                "30x26x21x22x34",
                "30x39x17x26",
                &["30x26", "30x39x26", "30x17x26", "30-26", "3026", "30x34x22x21x26"][..],
            ),
        ] {
            let mv = parse_move(&p, long).unwrap();
            assert_eq!(mv.to_string(), hub_form);
            assert_eq!(format_long(&p, mv), long);
            for text in others {
                assert_eq!(hub(AMBIGUOUS, text), hub_form, "{text}");
            }
        }
        // 39 is crossed on the way to 43, so it does not help.
        for text in ["30x2", "30-2", "3002", "30x39x2"] {
            match parse_move(&p, text) {
                Err(ParseMoveError::Ambiguous { candidates, .. }) => {
                    assert_eq!(candidates.len(), 2, "{text}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
        let short: Vec<String> = p.legal_moves().iter().map(|&m| format_move(&p, m)).collect();
        assert!(short.contains(&"30x26".to_owned()), "{short:?}");
        assert!(short.contains(&"30x39x11x2".to_owned()));
        assert!(short.contains(&"30x43x16x2".to_owned()));
    }

    #[test]
    fn straight_on_names_the_square_behind_the_piece() {
        // 46 over 37 and 14 on the long diagonal: the square behind 37 is 32.
        let p = position("W:WK46:B37,14");
        let mv = parse_move(&p, "46x5").unwrap();
        assert_eq!(format_long(&p, mv), "46x32x5");
        for text in ["46x32x5", "46x28x5", "46x32x28x23x19x5", "46x19x10x5", "46x41x5"] {
            assert_eq!(parse_move(&p, text), Ok(mv), "{text}");
        }
    }

    #[test]
    fn many_routes_do_not_explode() {
        let fen = "W:WK46:B8,9,10,12,14,18,19,20,22,23,24,28,29,30,32,33,34,37,38,39,40,41,42,43";
        for fen in [
            fen,
            "W:WK6:B8,9,10,17,18,19,20,27,28,29,30,37,38,39,40",
            "W:WK1:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40",
            "W:WK46:B7,8,9,10,17,18,19,20,27,28,29,30,37,38,39,40",
        ] {
            let p = position(fen);
            for mv in p.legal_moves() {
                let long = format_long(&p, mv);
                assert_eq!(parse_move(&p, &long), Ok(mv), "{fen} {long}");
            }
        }
    }

    #[test]
    fn move_lists() {
        let start = Position::initial();
        for text in [
            "1. 32-28 19-23 2. 28x19 14x23",
            "1.32-28 19-23 2.28x19 14x23",
            "01.32 - 28 19-23! 2... 28:19(?) 14 x 23",
            "32-28, 19-23, 28x19, 14x23",
            "3228 1923 2819 1423",
            "\n32-28\r\n19-23\n28x19 <23> 14x23",
            "1. K32~28 19--23 2. 28 х 19 14*23",
            "１．３２－２８　１９－２３，２８：１９、14×23",
        ] {
            let moves = parse_move_list(&start, text).unwrap_or_else(|e| panic!("{text:?}: {e}"));
            let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
            assert_eq!(moves, ["32-28", "19-23", "28x19x23", "14x23x19"], "{text:?}");
        }
        let error = parse_move_list(&start, "1. 32-28 19-23\n 2. 28x20 14x23").unwrap_err();
        assert_eq!((error.line, error.column, error.moves.len()), (2, 5, 2));
        assert_eq!(error.error, ParseMoveError::Illegal { text: "28x20".to_owned() });
        let error = parse_move_list(&start, "32-28 what").unwrap_err();
        assert!(matches!(error.error, ParseMoveError::Syntax { offset: 0, .. }));
        assert_eq!(error.column, 7);
    }
}
