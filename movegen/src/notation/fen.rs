//! FEN for draughts: `<turn>:<side><list>:<side><list>`.
//!
//! The reader takes every form seen in the wild: ranges, either list first or missing, blanks,
//! lower case, semicolons, leading zeros, a dot at the end, quotes and tag text around it, URL
//! encoding, lidraughts' counters and ghosts, and the 51-character strings of Hub and DXP. What
//! contradicts itself (a square twice, a man on its promotion row, a third colour) is refused
//! with the place. The writer knows one form: no ranges, White first, squares ascending.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::bitboard::Bitboard;
use crate::color::Color;
use crate::draw::DrawCounters;
use crate::error::PositionError;
use crate::game::Game;
use crate::notation::letters::{Alphabet, read_letters};
use crate::piece::{Kind, Piece};
use crate::position::Position;
use crate::setup::Setup;
use crate::square::Square;

/// What a FEN says: a set-up, lidraughts' counters if it has them, and what the reader found odd.
///
/// # Examples
/// ```
/// use movegen::Fen;
///
/// let fen: Fen = "B:BK46:WK1-2,30:H3".parse()?;
/// assert_eq!(fen.halfmoves, Some(3));
/// assert_eq!(fen.to_string(), "B:WK1,K2,30:BK46");
///
/// let error = "W:W31,51:B1".parse::<Fen>().unwrap_err();
/// assert_eq!((error.line, error.column), (1, 7));
/// # Ok::<(), movegen::ParseFenError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fen {
    /// The pieces and the side to move. No square is used twice; the board may be empty and men
    /// may stand on their promotion row, which [`Fen::position`] refuses.
    pub setup: Setup,
    /// `:Hn`: plies that already count for the draw rule of the position's material class.
    pub halfmoves: Option<u32>,
    /// `:Fn`: number of the next full move.
    pub move_number: Option<u32>,
    /// Men on their promotion row that were crowned, with [`StrandedMen::Promote`].
    pub promoted: u32,
    /// What was tolerated but deserves a word.
    pub warnings: Vec<FenWarning>,
}

/// Something a reader accepts but a user may want to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum FenWarning {
    /// The turn was `?`; White is taken to move.
    #[error("unknown side to move, White assumed")]
    UnknownTurn,
    /// A captured piece not yet removed (lidraughts, in the middle of a capture) was left out.
    #[error("captured {} on {square} left out", kind_name(*.kind))]
    Ghost {
        /// Man (`G`) or king (`P`).
        kind: Kind,
        /// Where it stood.
        square: Square,
    },
    /// A man that should be a king (with [`StrandedMen::Keep`]): the set-up is no position.
    #[error("{color} man on square {square}, its own promotion row")]
    ManOnPromotionRow {
        /// The owner of the man.
        color: Color,
        /// Where it stands.
        square: Square,
    },
    /// Text after the final dot was dropped.
    #[error("text after the dot at offset {offset} dropped")]
    TextAfterDot {
        /// Byte offset of the dropped text.
        offset: usize,
    },
}

const fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Man => "man",
        Kind::King => "king",
    }
}

/// What to do with men that stand on their own promotion row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StrandedMen {
    /// Leave them in the set-up with a warning: the text is a FEN, but not one of a position.
    #[default]
    Keep,
    /// Refuse the text, with the place.
    Refuse,
    /// Crown them and count them in [`Fen::promoted`]; for batch conversion.
    Promote,
}

/// Why and where a text is no FEN, Hub or DXP position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct ParseFenError {
    /// What is wrong.
    pub kind: FenErrorKind,
    /// Byte offset of the offence in the text.
    pub offset: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
}

/// What is wrong with a FEN, Hub or DXP position string.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum FenErrorKind {
    /// Nothing but blanks, quotes and brackets.
    #[error("empty text: expected a FEN such as W:W31-50:B1-20")]
    Empty,
    /// The first letter is no turn.
    #[error("expected the side to move, W, B or ?")]
    ExpectedTurn,
    /// The turn is not followed by a colon.
    #[error("expected ':' after the side to move")]
    ExpectedColon,
    /// The text ends after the turn.
    #[error("expected a piece list such as W31-50 after the side to move")]
    ExpectedList,
    /// A piece list without the letter of its side.
    #[error("expected the colour letter W or B before the squares")]
    ExpectedColor,
    /// A letter that is no side.
    #[error("'{0}' is no colour: expected W or B")]
    UnknownColor(char),
    /// A second list of the same side.
    #[error("a second list of {0} pieces: each side has one")]
    RepeatedColor(Color),
    /// A counter given twice, or without a number, or too large.
    #[error("expected one number after the counter letter '{0}'")]
    BadCounter(char),
    /// A character that cannot stand in a piece list.
    #[error("unexpected character {0:?}: expected a square, ',' or ':'")]
    UnexpectedCharacter(char),
    /// `K`, `G`, `P` or a dash without a square after it.
    #[error("expected a square number from 1 to 50")]
    ExpectedSquare,
    /// A number that is no square.
    #[error("square {0} is not on the board: expected a number from 1 to 50")]
    SquareOutOfRange(u32),
    /// The end of a range lies before its start.
    #[error("reversed range {0}-{1}: expected the smaller square first")]
    ReversedRange(Square, Square),
    /// A range from a man to a king or the like.
    #[error("a range holds one kind of piece: expected both ends with the same letter")]
    MixedRange,
    /// A square that already holds a piece.
    #[error("square {0} is used twice")]
    SquareUsedTwice(Square),
    /// A man that should be a king.
    #[error("{color} man on square {square}, its own promotion row")]
    ManOnPromotionRow {
        /// The owner of the man.
        color: Color,
        /// Where it stands.
        square: Square,
    },
    /// A position string of Hub or DXP has the wrong length.
    #[error("{0} characters: expected 51, the side to move and the squares 1 to 50")]
    WrongLength(usize),
    /// A letter that has no meaning in a position string of Hub or DXP.
    #[error("unexpected character {found:?}: expected one of {expected}")]
    BadLetter {
        /// The letter.
        found: char,
        /// The letters of the format.
        expected: &'static str,
    },
    /// The board is empty, which is no position.
    #[error("the board is empty: a position needs at least one piece")]
    EmptyBoard,
    /// A side that must have a piece has none.
    #[error("{0} has no piece")]
    SideWithoutPiece(Color),
}

impl ParseFenError {
    pub(super) fn at(kind: FenErrorKind, text: &str, offset: usize) -> ParseFenError {
        let (line, column) = line_and_column(text, offset);
        ParseFenError { kind, offset, line, column }
    }
}

/// Line and column (in characters), both from 1, of a byte offset.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    (1 + before.matches('\n').count(), 1 + before[line_start..].chars().count())
}

impl Fen {
    /// Reads a FEN; `str::parse` does so with [`StrandedMen::Keep`].
    ///
    /// # Errors
    /// If the text is no FEN, with the place and what was expected.
    pub fn parse_with(text: &str, stranded: StrandedMen) -> Result<Fen, ParseFenError> {
        Reader::new(text, stranded).read()
    }

    /// The position, if the set-up is one.
    ///
    /// # Errors
    /// An empty board or a man on its own promotion row. [`Position::from_fen`] gives the place
    /// in the text as well.
    pub fn position(&self) -> Result<Position, PositionError> {
        self.setup.position()
    }

    /// A game that starts from this position, with the plies of `:Hn` counted already (0 without
    /// that field).
    ///
    /// # Errors
    /// As [`Fen::position`].
    pub fn game(&self) -> Result<Game, PositionError> {
        let start = self.position()?;
        let plies = self.halfmoves.unwrap_or(0).try_into().unwrap_or(u16::MAX);
        Ok(Game::with_counters(start, DrawCounters::with_plies(&start, plies)))
    }

    /// The FEN followed by those of `:Hn` and `:Fn` that are known. `Display` leaves them out,
    /// because few readers know them.
    #[must_use]
    pub fn to_string_with_counters(&self) -> String {
        let mut text = self.to_string();
        for (letter, value) in [('H', self.halfmoves), ('F', self.move_number)] {
            if let Some(value) = value {
                text.push_str(&format!(":{letter}{value}"));
            }
        }
        text
    }
}

impl From<Setup> for Fen {
    fn from(setup: Setup) -> Fen {
        Fen { setup, halfmoves: None, move_number: None, promoted: 0, warnings: Vec::new() }
    }
}

impl From<&Position> for Fen {
    fn from(position: &Position) -> Fen {
        Fen::from(Setup::from(position))
    }
}

impl fmt::Display for Fen {
    /// The strict form: White's list first, squares ascending, no ranges, `K` before each king.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let setup = &self.setup;
        write!(f, "{}", setup.side.letter())?;
        for color in [Color::White, Color::Black] {
            write!(f, ":{}", color.letter())?;
            let kings = setup.kings[color.index()];
            for (i, square) in (setup.men[color.index()] | kings).into_iter().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                let king = if kings.contains(square) { "K" } else { "" };
                write!(f, "{comma}{king}{square}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for Fen {
    type Err = ParseFenError;

    fn from_str(text: &str) -> Result<Fen, ParseFenError> {
        Fen::parse_with(text, StrandedMen::default())
    }
}

impl Position {
    /// Reads a position from a FEN in any form that [`Fen`] reads; counters and warnings are
    /// dropped.
    ///
    /// # Errors
    /// If the text is no FEN, a man stands on its promotion row, or the board is empty.
    pub fn from_fen(text: &str) -> Result<Position, ParseFenError> {
        position_of(&Fen::parse_with(text, StrandedMen::Refuse)?.setup, text)
    }

    /// The position as a FEN in the strict form.
    ///
    /// ```
    /// use movegen::Position;
    ///
    /// let position = Position::from_fen("B:W32,K5:B1-3")?;
    /// assert_eq!(position.to_fen(), "B:WK5,32:B1,2,3");
    /// # Ok::<(), movegen::ParseFenError>(())
    /// ```
    #[must_use]
    pub fn to_fen(&self) -> String {
        Fen::from(self).to_string()
    }
}

/// The position of a set-up that was read from `text`.
pub(super) fn position_of(setup: &Setup, text: &str) -> Result<Position, ParseFenError> {
    setup.position().map_err(|error| {
        let kind = match error {
            PositionError::Overlap(square) => FenErrorKind::SquareUsedTwice(square),
            PositionError::ManOnPromotionRow { color, square } => {
                FenErrorKind::ManOnPromotionRow { color, square }
            }
            PositionError::EmptyBoard => FenErrorKind::EmptyBoard,
        };
        ParseFenError::at(kind, text, 0)
    })
}

/// A character of the text with its byte offset; URL escapes count as one character.
#[derive(Clone, Copy)]
struct Letter {
    c: char,
    offset: usize,
}

struct Reader<'a> {
    text: &'a str,
    letters: Vec<Letter>,
    next: usize,
    stranded: StrandedMen,
    used: Bitboard,
    fen: Fen,
}

/// What may stand around a FEN: quotes, brackets and slashes of tags and of pasted text.
const fn is_wrapper(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '`'
            | '\u{201c}'
            | '\u{201d}'
            | '\u{2018}'
            | '\u{2019}'
            | '\\'
            | '/'
            | '['
            | ']'
            | '('
            | ')'
            | '{'
            | '}'
            | '<'
            | '>'
    )
}

/// Blanks, the underscore of URLs, and a byte order mark.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '_' || c == '\u{feff}'
}

/// Dashes between the ends of a range.
pub(super) const fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// Splits into letters and decodes `%3A` and the like.
fn letters_of(text: &str) -> Vec<Letter> {
    let mut letters = Vec::new();
    let mut rest = text.char_indices();
    while let Some((offset, mut c)) = rest.next() {
        if c == '%' {
            let hex = text.get(offset + 1..offset + 3).filter(|h| h.is_ascii());
            let code = hex.and_then(|h| u8::from_str_radix(h, 16).ok()).filter(u8::is_ascii);
            if let Some(code) = code {
                c = char::from(code);
                rest.nth(1);
            }
        }
        letters.push(Letter { c, offset });
    }
    letters
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, stranded: StrandedMen) -> Reader<'a> {
        Reader {
            text,
            letters: letters_of(text),
            next: 0,
            stranded,
            used: Bitboard::EMPTY,
            fen: Fen::from(Setup::empty(Color::White)),
        }
    }

    fn peek(&self) -> Option<char> {
        self.letters.get(self.next).map(|l| l.c)
    }

    /// The next letter in upper case, blanks skipped.
    fn peek_upper(&mut self) -> Option<char> {
        self.skip_while(is_blank);
        self.peek().map(|c| c.to_ascii_uppercase())
    }

    fn skip_while(&mut self, skip: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&skip) {
            self.next += 1;
        }
    }

    fn offset(&self) -> usize {
        self.letters.get(self.next).map_or(self.text.len(), |l| l.offset)
    }

    fn error_at(&self, kind: FenErrorKind, offset: usize) -> ParseFenError {
        ParseFenError::at(kind, self.text, offset)
    }

    fn error(&self, kind: FenErrorKind) -> ParseFenError {
        self.error_at(kind, self.offset())
    }

    fn read(mut self) -> Result<Fen, ParseFenError> {
        self.strip();
        if self.peek().is_none() {
            return Err(self.error(FenErrorKind::Empty));
        }
        if !self.letters[self.next..].iter().any(|l| l.c == ':') {
            self.read_letter_string()?;
        } else {
            self.read_turn()?;
            self.read_fields()?;
        }
        Ok(self.fen)
    }

    /// Takes off the tag name, quotes and brackets at both ends.
    fn strip(&mut self) {
        let is_fen = |w: &[Letter]| {
            w.iter().zip("FEN".chars()).all(|(l, name)| l.c.eq_ignore_ascii_case(&name))
        };
        self.skip_while(|c| is_blank(c) || is_wrapper(c));
        while self.letters[self.next..].get(..3).is_some_and(is_fen) {
            self.next += 3;
            self.skip_while(|c| is_blank(c) || is_wrapper(c) || c == ':' || c == '=');
        }
        let end = self.letters.iter().rposition(|l| !is_blank(l.c) && !is_wrapper(l.c));
        self.letters.truncate(end.map_or(0, |i| i + 1).max(self.next));
    }

    /// The 51-character strings of Hub (`wbWBe`) and DXP (`wzWZe`).
    fn read_letter_string(&mut self) -> Result<(), ParseFenError> {
        let letters = &self.letters[self.next..];
        let is_position_letter =
            |l: &Letter| matches!(l.c, 'w' | 'b' | 'W' | 'B' | 'e' | 'z' | 'Z');
        if letters.len() != 51 {
            let looks_like_one = letters.len() > 10 && letters.iter().all(is_position_letter);
            let (kind, at) = if looks_like_one {
                (FenErrorKind::WrongLength(letters.len()), letters.len().min(51))
            } else if matches!(letters[0].c, 'W' | 'w' | 'B' | 'b' | '?') {
                (FenErrorKind::ExpectedColon, 1)
            } else {
                (FenErrorKind::ExpectedTurn, 0)
            };
            let offset = letters.get(at).map_or(self.text.len(), |l| l.offset);
            return Err(self.error_at(kind, offset));
        }
        let alphabet = if letters.iter().any(|l| matches!(l.c, 'z' | 'Z')) {
            Alphabet::DXP
        } else {
            Alphabet::HUB
        };
        let characters = letters.iter().map(|l| (l.offset, l.c));
        let mut setup = read_letters(self.text, characters, alphabet, self.stranded)?;
        match self.stranded {
            StrandedMen::Promote => self.fen.promoted = setup.promote_stranded_men(),
            StrandedMen::Refuse | StrandedMen::Keep => {
                for color in Color::ALL {
                    let men = setup.men[color.index()] & Bitboard::promotion_row(color);
                    let warning = |square| FenWarning::ManOnPromotionRow { color, square };
                    self.fen.warnings.extend(men.into_iter().map(warning));
                }
            }
        }
        self.fen.setup = setup;
        Ok(())
    }

    fn read_turn(&mut self) -> Result<(), ParseFenError> {
        self.fen.setup.side = match self.peek_upper() {
            Some('W') => Color::White,
            Some('B') => Color::Black,
            Some('?') => {
                self.fen.warnings.push(FenWarning::UnknownTurn);
                Color::White
            }
            _ => return Err(self.error(FenErrorKind::ExpectedTurn)),
        };
        self.next += 1;
        match self.peek_upper() {
            Some(':') => Ok(()),
            _ => Err(self.error(FenErrorKind::ExpectedColon)),
        }
    }

    /// Everything after the turn: fields that start with a colon.
    fn read_fields(&mut self) -> Result<(), ParseFenError> {
        let mut lists = [false; 2];
        let mut fields = 0;
        while self.peek_upper() == Some(':') {
            self.next += 1;
            fields += 1;
            let offset = self.offset();
            match self.peek_upper() {
                // An empty field, as in `W::`.
                Some(':' | '.') => {}
                None if fields > 1 => {}
                None => return Err(self.error(FenErrorKind::ExpectedList)),
                Some(letter @ ('W' | 'B')) => {
                    let color = if letter == 'W' { Color::White } else { Color::Black };
                    if std::mem::replace(&mut lists[color.index()], true) {
                        return Err(self.error_at(FenErrorKind::RepeatedColor(color), offset));
                    }
                    self.next += 1;
                    self.read_list(color)?;
                }
                Some('H') => self.fen.halfmoves = Some(self.read_counter(self.fen.halfmoves)?),
                Some('F') => self.fen.move_number = Some(self.read_counter(self.fen.move_number)?),
                // King-move counters of the Frisian rules: of no use here.
                Some('+') => self.skip_while(|c| c == '+' || c.is_ascii_digit()),
                Some(c) if c.is_ascii_digit() || c == 'K' => {
                    return Err(self.error(FenErrorKind::ExpectedColor));
                }
                Some(c) if c.is_alphabetic() => {
                    let found = self.peek().unwrap_or(c);
                    return Err(self.error(FenErrorKind::UnknownColor(found)));
                }
                Some(c) => return Err(self.error(FenErrorKind::UnexpectedCharacter(c))),
            }
            if self.peek_upper() == Some('.') && self.read_dot(lists)? {
                return Ok(());
            }
        }
        match self.peek() {
            None => Ok(()),
            Some(c) => Err(self.error(FenErrorKind::UnexpectedCharacter(c))),
        }
    }

    /// A dot ends the text, unless the next field follows it. Returns whether it ended.
    fn read_dot(&mut self, lists: [bool; 2]) -> Result<bool, ParseFenError> {
        let dot = self.next;
        self.next += 1;
        if self.peek_upper() == Some(':') {
            let field = self.next;
            self.next += 1;
            let known = matches!(self.peek_upper(), Some('W' | 'B' | 'H' | 'F' | '+' | ':') | None);
            self.next = field;
            if known {
                return Ok(false);
            }
        }
        // `W:W31.32:B1`: dropping the rest would lose a whole side.
        if lists != [true; 2] && self.peek().is_some_and(|c| c.is_ascii_digit() || c == ',') {
            self.next = dot;
            return Err(self.error(FenErrorKind::UnexpectedCharacter('.')));
        }
        if self.peek().is_some() {
            let offset = self.offset();
            self.fen.warnings.push(FenWarning::TextAfterDot { offset });
        }
        self.next = self.letters.len();
        Ok(true)
    }

    fn read_counter(&mut self, known: Option<u32>) -> Result<u32, ParseFenError> {
        let letter = self.peek().unwrap_or('H');
        let start = self.offset();
        self.next += 1;
        let bad = self.error_at(FenErrorKind::BadCounter(letter), start);
        match (known, self.read_digits()) {
            (None, Some(Some(n))) => Ok(n),
            _ => Err(bad),
        }
    }

    /// A run of digits: `None` without one, `Some(None)` if it is above 32 bits.
    fn read_digits(&mut self) -> Option<Option<u32>> {
        self.skip_while(is_blank);
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            let so_far: Option<u32> = value.unwrap_or(Some(0));
            value = Some(so_far.and_then(|v| v.checked_mul(10)?.checked_add(digit)));
            self.next += 1;
        }
        value
    }

    /// The items of one side's list, up to a colon, a dot or the end.
    fn read_list(&mut self, color: Color) -> Result<(), ParseFenError> {
        loop {
            self.skip_while(|c| is_blank(c) || c == ',' || c == ';');
            match self.peek() {
                None | Some(':' | '.') => return Ok(()),
                Some(_) => self.read_item(color)?,
            }
        }
    }

    /// `n`, `Kn`, `n-m`, `Kn-m`, or the same with `G`, `P` for ghosts.
    fn read_item(&mut self, color: Color) -> Result<(), ParseFenError> {
        let start = self.offset();
        let prefix = self.read_prefix();
        let first = self.read_square(prefix.is_some())?;
        self.skip_while(is_blank);
        let mut last = first;
        if self.peek().is_some_and(is_dash) {
            self.next += 1;
            self.skip_while(is_blank);
            let second = self.offset();
            let other = self.read_prefix();
            last = self.read_square(true)?;
            if other.is_some() && other != prefix {
                return Err(self.error_at(FenErrorKind::MixedRange, second));
            }
            if last < first {
                return Err(self.error_at(FenErrorKind::ReversedRange(first, last), start));
            }
        }
        for square in Square::all().filter(|s| (first..=last).contains(s)) {
            self.put(prefix, color, square, start)?;
        }
        Ok(())
    }

    fn put(
        &mut self,
        prefix: Option<char>,
        color: Color,
        square: Square,
        offset: usize,
    ) -> Result<(), ParseFenError> {
        let kind = match prefix {
            Some('G') => {
                self.fen.warnings.push(FenWarning::Ghost { kind: Kind::Man, square });
                return Ok(());
            }
            Some('P') => {
                self.fen.warnings.push(FenWarning::Ghost { kind: Kind::King, square });
                return Ok(());
            }
            Some(_) => Kind::King,
            None => Kind::Man,
        };
        if self.used.contains(square) {
            return Err(self.error_at(FenErrorKind::SquareUsedTwice(square), offset));
        }
        self.used = self.used.with(square);
        let mut piece = Piece { color, kind };
        if kind == Kind::Man && Bitboard::promotion_row(color).contains(square) {
            match self.stranded {
                StrandedMen::Refuse => {
                    let kind = FenErrorKind::ManOnPromotionRow { color, square };
                    return Err(self.error_at(kind, offset));
                }
                StrandedMen::Keep => {
                    self.fen.warnings.push(FenWarning::ManOnPromotionRow { color, square });
                }
                StrandedMen::Promote => {
                    self.fen.promoted += 1;
                    piece.kind = Kind::King;
                }
            }
        }
        self.fen.setup.put(piece, square);
        Ok(())
    }

    fn read_prefix(&mut self) -> Option<char> {
        let letter = self.peek()?.to_ascii_uppercase();
        if matches!(letter, 'K' | 'G' | 'P') {
            self.next += 1;
            Some(letter)
        } else {
            None
        }
    }

    /// A square number; `needed` says that something announced it.
    fn read_square(&mut self, needed: bool) -> Result<Square, ParseFenError> {
        self.skip_while(is_blank);
        let start = self.offset();
        match self.read_digits() {
            Some(number) => {
                let number = number.unwrap_or(u32::MAX);
                u8::try_from(number)
                    .ok()
                    .and_then(Square::new)
                    .ok_or_else(|| self.error_at(FenErrorKind::SquareOutOfRange(number), start))
            }
            None if needed => Err(self.error(FenErrorKind::ExpectedSquare)),
            None => {
                let found = self.peek().unwrap_or(' ');
                Err(self.error(FenErrorKind::UnexpectedCharacter(found)))
            }
        }
    }
}
